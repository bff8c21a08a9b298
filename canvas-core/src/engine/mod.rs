//! The engine loads a head, decides, commits, and decides again if another writer was faster.
//!
//! `run` is the sans-IO state machine of one call, `task` lists the operations that it can run, and `queue` batches
//! calls into shared commits. `drive` does the I/O and maintains the cache.

#[cfg(feature = "surface")]
mod audit;
mod backoff;
mod blame;
#[cfg(feature = "board")]
mod board;
mod cache;
mod call_or_create;
mod chain;
mod changes;
mod collect;
mod context;
mod documents;
mod drive;
mod error;
pub(crate) mod export;
mod follow;
mod history;
pub(crate) mod lock_view;
#[cfg(all(test, feature = "surface"))]
mod model;
pub(crate) mod observe;
mod past;
mod proposals;
mod queue;
#[cfg(feature = "recipe")]
mod recipe;
mod replay;
mod run;
mod snapshot;
#[cfg(feature = "surface")]
mod surface_view;
mod task;
mod trace;
mod versions;
mod walk;
pub(crate) mod watch;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use canvas_lease::Timestamp;

use self::backoff::Pause;
pub use self::blame::BlamedLines;
use self::cache::{Begin, Cache};
pub use self::changes::DocumentChanges;
pub use self::collect::{CollectOptions, DroppedBlobs};
pub use self::error::EngineError;
pub use self::follow::Follow;
pub use self::history::Stacks;
use self::observe::Observer;
pub use self::past::DocumentDiff;
use self::queue::Queues;
pub use self::replay::JournalReplay;
pub use self::snapshot::Snapshot;
#[cfg(feature = "surface")]
pub use self::surface_view::Surface;
pub use self::task::Resolution;
use self::task::{Create, Delete, RecallTask, Reply, Resolve, SnapshotTask};
use self::trace::{Trace, Tracer};
use self::watch::{HeadRevision, Watch, Watches};
use crate::model::blob::Blob;
use crate::model::error::CodedError;
use crate::model::face::Face;
use crate::model::id::CanvasId;
use crate::model::op_key::OpKey;
use crate::model::revision::{Revision, RevisionId};
use crate::proposal::owner::Owner;
use crate::store::boxed::BoxStore;
use crate::store::contract::Store;
#[cfg(feature = "surface")]
use crate::surface::Ceiling;
use crate::transition::command::{Command, StoredAnswer};
use crate::transition::policy::Policy;
use crate::transition::view::Types;

/// Runs calls on the canvases of a store.
///
/// A call of a steady writer takes one round trip, because the engine decides on the head that it knows. If that head
/// is out of date, the engine learns this from the conflict. Before it returns a refusal that it decided on a cached
/// head, it decides again on a fresh one. A read loads the head first, unless the store notifies the engine of changes.
///
/// Calls that wait for the same canvas share a commit. While a commit is in flight, new calls are decided on top of
/// each other, in the order of their arrival, and form the next commit. Each call still gets its own receipt, revision
/// and journal entry. It returns, even if it is refused, only once the state that it was decided on is stored. A commit
/// takes up to 32 calls, and no further call once their blobs reach 4 MiB. If you drop a call before its commit is
/// sent, the call never runs. If you hold a call without polling it, the others go on. A single call is one commit.
///
/// You pass the host's `now` with every call. Expiry is judged by the store's clock, which the engine carries forward
/// by the time that passes at the host. This estimate runs ahead by at most one round trip, so a lease may count as
/// expired too early by that much, and a new one may last longer by that much.
/// [`Commit::not_after`](crate::store::Commit::not_after) holds in any case.
///
/// If the store cannot say whether it wrote a commit, each call of that commit settles the question before it returns.
/// If its receipt is in the row, the commit landed. Otherwise the engine first commits an empty bump of the version, so
/// that the late duplicate fails in any store. If that is not possible either, the call ends in `STORE_INDETERMINATE`,
/// and you settle it later if you repeat the call, or with [`Engine::resolve`].
#[derive(Debug)]
pub struct Engine<S = BoxStore> {
    /// Shared with the loads of watchers.
    store: Arc<S>,
    policy: Policy,
    types: Types,
    pause: Arc<Pause>,
    tracer: Tracer,
    cache: Mutex<Cache>,
    queues: Queues,
    watches: Watches,
}

/// The answer to a call, with a snapshot of the canvas.
#[derive(Debug, Clone)]
#[must_use = "a refusal is in `result`"]
pub struct Answered<C: Command> {
    /// The command's result under the rules. A refusal is an answer too, so check this even if [`Engine::call`]
    /// returned `Ok`.
    pub result: Result<C::Done, C::Refusal>,
    /// Whether this call repeats an earlier one with the same key, so that the command did not run a second time.
    pub replayed: bool,
    /// The canvas after the call, or the current one if the answer is replayed.
    pub snapshot: Snapshot,
}

impl<C: Command> Answered<C> {
    /// Returns the answer in the form that a receipt keeps and that [`Engine::resolve`] returns.
    pub fn stored(&self) -> StoredAnswer {
        StoredAnswer::of::<C>(&self.result)
    }
}

/// The result of [`Engine::create`].
#[derive(Debug, Clone)]
pub struct CreatedCanvas {
    /// The first revision of the canvas. If the canvas was deleted before, it follows the last revision.
    pub revision: RevisionId,
    /// Whether the same operation created the canvas earlier.
    pub replayed: bool,
    /// The current canvas, which may have changed since if the creation is replayed.
    pub snapshot: Snapshot,
}

impl<S: Store> Engine<S> {
    /// Creates an engine on a store, with the built-in component types. The methods `with_…` set everything else.
    ///
    /// Call these methods before you use the engine. If it is already in use, `with_registry` and `with_ceiling` empty
    /// its cache, because the cached rows depend on these settings. The next call on each canvas then loads it again.
    ///
    /// ```
    /// use canvas_core::lease::Timestamp;
    /// use canvas_core::store::MemoryStore;
    /// use canvas_core::{Engine, Policy};
    ///
    /// // One clock for the store and for the calls.
    /// let now = || Timestamp::from(std::time::SystemTime::now());
    /// let mut policy = Policy::default();
    /// policy.document.bytes = 1 << 20;
    /// let engine = Engine::new(MemoryStore::new(now), policy);
    /// assert_eq!(engine.policy().document.bytes, 1_048_576);
    /// ```
    pub fn new(store: S, policy: Policy) -> Self {
        let cache = Mutex::new(Cache::new(policy.cache_bytes));
        let (types, pause, tracer, queues, watches) = Default::default();
        Self { store: Arc::new(store), policy, types, pause, tracer, cache, queues, watches }
    }

    /// Empties the cache, whose entries were compiled against the earlier types.
    #[cfg(any(feature = "board", feature = "surface"))]
    fn with_empty_cache(self) -> Self {
        Self { cache: Mutex::new(Cache::new(self.policy.cache_bytes)), ..self }
    }

    /// Sets the upper bound on the permissions of surfaces. Without one, they may not call tools, and may send only to
    /// their owners' sessions. Call this before you use the engine, see [`Engine::new`].
    #[cfg(feature = "surface")]
    #[must_use]
    pub fn with_ceiling(mut self, ceiling: Arc<Ceiling>) -> Self {
        self.types.ceiling = ceiling;
        self.with_empty_cache()
    }

    /// Returns the upper bound on the permissions of surfaces.
    #[cfg(feature = "surface")]
    pub fn ceiling(&self) -> &Arc<Ceiling> {
        &self.types.ceiling
    }

    /// Sets the function with which calls sleep for the pauses of [`Policy::back_off`]. Without one, a call that loses
    /// its commits to other writers retries at once. With tokio, write
    /// `Engine::new(store, policy).with_sleep(tokio::time::sleep)`.
    ///
    /// ```
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{Engine, Policy};
    /// // A host on threads, without a runtime.
    /// let sleep = |time| std::future::ready(std::thread::sleep(time));
    /// let store = MemoryStore::new(|| Timestamp::from_secs(1_700_000_000));
    /// let engine = Engine::new(store, Policy::default()).with_sleep(sleep);
    /// ```
    #[must_use]
    pub fn with_sleep<F>(self, sleep: impl Fn(Duration) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        Self { pause: Arc::new(Pause::by(sleep)), ..self }
    }

    /// Sets the observer, which receives the events of each call from its beginning to its end, including requests to
    /// the store, decisions, commits and waits. See [`Observer`]. An engine has at most one observer. To notify
    /// several, write one that forwards to them.
    #[must_use]
    pub fn with_observer(self, observer: Arc<dyn Observer>) -> Self {
        Self { tracer: Tracer::by(observer), ..self }
    }

    /// Returns the store that this engine commits to.
    pub fn store(&self) -> &S {
        &self.store
    }

    /// Returns the host's limits, durations and permissions.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Creates a canvas with a first document. If the canvas was deleted before, its revision, epoch and fence continue
    /// from their last values.
    ///
    /// ```
    /// # canvas_core::testing::block_on(async {
    /// # use canvas_core::document::Edit;
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CanvasId, CodedError as _, Engine, OpKey, Policy};
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let plan = CanvasId::new("plan")?;
    /// let key = OpKey::host("create".parse()?);
    /// let made = engine.create(&plan, "# Plan\n\n- one\n", &key, now).await?;
    /// assert_eq!(made.snapshot.text(), "# Plan\n\n- one\n");
    ///
    /// // A retry with the same key gets the same answer. A call with another key is refused.
    /// assert!(engine.create(&plan, "# Plan\n\n- one\n", &key, now).await?.replayed);
    /// let other = OpKey::host("other".parse()?);
    /// let refused = engine.create(&plan, "# Plan\n", &other, now).await.unwrap_err();
    /// assert_eq!(refused.code(), "CANVAS_EXISTS");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`EngineError::Exists`] if the canvas exists and another operation created it, and
    /// [`EngineError::Deleted`] if this operation created it and it was deleted since. Other errors are
    /// [`EngineError::KeyReused`], [`EngineError::Abandoned`], [`EngineError::TooLarge`] and failures of the store.
    pub async fn create(
        &self,
        canvas: &CanvasId,
        markdown: &str,
        operation: &OpKey,
        now: Timestamp,
    ) -> Result<CreatedCanvas, EngineError> {
        let call = self.tracer.begin(canvas, "create", Some(operation));
        let (bytes, limit) = (markdown.len(), self.policy.document.bytes);
        if bytes > limit {
            return call.end(Err(EngineError::TooLarge { bytes, limit }));
        }
        let create = Create { document: Blob::document(markdown.to_owned()), operation };
        let ran = self.run(call.trace(), create, Begin::Load, now).await;
        let created = ran.and_then(|(Reply { answer: revision, replayed }, snapshot)| {
            Ok(CreatedCanvas { revision, replayed, snapshot: seen(canvas, snapshot)? })
        });
        call.end_as(created, |created| (None, created.replayed))
    }

    /// Deletes a canvas. The head stays as a tombstone together with its receipts, so that a revision, epoch or fence
    /// is never used twice. Deleting twice is not an error. If you retry the same operation, it does not delete a
    /// canvas created again in the meantime.
    ///
    /// ```
    /// # canvas_core::testing::block_on(async {
    /// # use canvas_core::document::Edit;
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CanvasId, CodedError as _, Engine, OpKey, Policy};
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let plan = CanvasId::new("plan")?;
    /// # engine.create(&plan, "# Plan\n", &OpKey::host("create".parse()?), now).await?;
    /// engine.delete(&plan, &OpKey::user("delete".parse()?), now).await?;
    /// let gone = engine.snapshot(&plan, now).await.unwrap_err();
    /// assert_eq!(gone.code(), "CANVAS_NOT_FOUND");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`EngineError::NotFound`] if the canvas never existed, [`EngineError::KeyReused`],
    /// [`EngineError::Abandoned`], or a failure of the store.
    pub async fn delete(
        &self,
        canvas: &CanvasId,
        operation: &OpKey,
        now: Timestamp,
    ) -> Result<(), EngineError> {
        self.delete_from(canvas, None, operation, now).await
    }

    /// Like [`Engine::delete`], but only if `face` did not change since the revision `base`. The check is part of the
    /// commit, so it holds even while others write.
    ///
    /// ```
    /// # canvas_core::testing::block_on(async {
    /// # use canvas_core::document::Edit;
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CanvasId, CodedError as _, Engine, OpKey, Policy};
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let plan = CanvasId::new("plan")?;
    /// # engine.create(&plan, "# Plan\n", &OpKey::host("create".parse()?), now).await?;
    /// use canvas_core::Face;
    ///
    /// let seen = engine.snapshot(&plan, now).await?.head.revision();
    /// let edit = Edit::overwrite("# Plan\n\n- one\n");
    /// engine.call(&plan, &OpKey::user("edit".parse()?), edit, now).await?.result?;
    /// let key = OpKey::host("delete".parse()?);
    /// let refused = engine.delete_unchanged(&plan, Face::Document, seen, &key, now).await.unwrap_err();
    /// assert_eq!(refused.code(), "REVISION_CONFLICT");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Engine::delete`], and [`EngineError::RevisionConflict`] if the face changed. In that
    /// case, the canvas is not deleted.
    pub async fn delete_unchanged(
        &self,
        canvas: &CanvasId,
        face: Face,
        base: Revision,
        operation: &OpKey,
        now: Timestamp,
    ) -> Result<(), EngineError> {
        self.delete_from(canvas, Some((face, base)), operation, now).await
    }

    async fn delete_from(
        &self,
        canvas: &CanvasId,
        base: Option<(Face, Revision)>,
        operation: &OpKey,
        now: Timestamp,
    ) -> Result<(), EngineError> {
        let call = self.tracer.begin(canvas, "delete", Some(operation));
        let ran = self.run(call.trace(), Delete { operation, base }, Begin::Load, now).await;
        call.end(ran).map(drop)
    }

    /// Returns the current state of a canvas.
    ///
    /// ```
    /// # canvas_core::testing::block_on(async {
    /// # use canvas_core::document::Edit;
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CanvasId, Engine, OpKey, Policy};
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let plan = CanvasId::new("plan")?;
    /// # engine.create(&plan, "# Plan\n", &OpKey::host("create".parse()?), now).await?;
    /// let snapshot = engine.snapshot(&plan, now).await?;
    /// assert_eq!(snapshot.text(), "# Plan\n");
    /// assert_eq!(snapshot.outline().sections().len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`EngineError::NotFound`] or a failure of the store.
    pub async fn snapshot(&self, canvas: &CanvasId, now: Timestamp) -> Result<Snapshot, EngineError> {
        let call = self.tracer.begin(canvas, "snapshot", None);
        let read = self.read(call.trace(), SnapshotTask, now).await;
        call.end(read.map(|((), snapshot)| snapshot))
    }

    /// Runs a command. If you repeat the same command with the same key, you get the same answer again, even while the
    /// first call is still in flight and after the lease has ended. This holds while the canvas keeps the receipt
    /// ([`ReceiptLimits::lifetime`](crate::policy::ReceiptLimits::lifetime)). After that, the same call runs as a new
    /// command.
    ///
    /// ```
    /// # canvas_core::testing::block_on(async {
    /// # use canvas_core::document::Edit;
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CanvasId, Engine, OpKey, Policy};
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let plan = CanvasId::new("plan")?;
    /// # engine.create(&plan, "# Plan\n", &OpKey::host("create".parse()?), now).await?;
    /// use canvas_core::CodedError as _;
    ///
    /// let key = OpKey::user("edit-1".parse()?);
    /// let base = engine.snapshot(&plan, now).await?.revision_id();
    /// let edit = || Edit::on(base, "# Plan\n\n- one\n");
    /// let answered = engine.call(&plan, &key, edit(), now).await?;
    /// assert_eq!(answered.snapshot.text(), "# Plan\n\n- one\n");
    /// assert!(answered.result.is_ok() && !answered.replayed);
    ///
    /// // The connection broke. A retry gets the same answer, and the command does not run again.
    /// assert!(engine.call(&plan, &key, edit(), now).await?.replayed);
    ///
    /// // Another edit of the same place, based on the older revision, is refused. No text is lost.
    /// let late = Edit::on(base, "# Plan\n\n- two\n");
    /// let answered = engine.call(&plan, &OpKey::user("edit-2".parse()?), late, now).await?;
    /// assert_eq!(answered.result.unwrap_err().code(), "PATCH_REJECTED");
    /// assert_eq!(answered.snapshot.text(), "# Plan\n\n- one\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error only if the call has no answer, for example because the canvas does not exist, the store fails,
    /// or other writers keep winning. If the rules refuse the command, the refusal is in [`Answered::result`].
    pub async fn call<C: Command>(
        &self,
        canvas: &CanvasId,
        operation: &OpKey,
        command: C,
        now: Timestamp,
    ) -> Result<Answered<C>, EngineError> {
        let begin = Begin::of_call(C::IS_READ, self.store.capabilities().notify);
        let call = self.tracer.begin(canvas, C::NAME, Some(operation));
        let ran = self.run(call.trace(), task::Call::new(operation, &command), begin, now).await;
        let answered = ran.and_then(|(Reply { answer: result, replayed }, snapshot)| {
            Ok(Answered { result, replayed, snapshot: seen_by::<C>(seen(canvas, snapshot)?, operation) })
        });
        call.end_as(answered, |Answered { result, replayed, .. }| {
            (result.as_ref().err().map(CodedError::code), *replayed)
        })
    }

    /// Returns the current canvas, and the stored answer if this call already ran; `None` means that the call is new.
    /// This has no side effects. Use it if you derive an edit from a request and the document, and must not derive
    /// another one on a retry.
    ///
    /// ```
    /// # canvas_core::testing::block_on(async {
    /// # use canvas_core::document::Edit;
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CanvasId, Engine, OpKey, Policy};
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let plan = CanvasId::new("plan")?;
    /// # engine.create(&plan, "# Plan\n", &OpKey::host("create".parse()?), now).await?;
    /// let key = OpKey::user("append-1".parse()?);
    /// let append = |text: &str| Edit::overwrite(format!("{text}\n- one\n"));
    /// let (before, snapshot) = engine.recall(&plan, &key, &append("# Plan\n"), now).await?;
    /// assert!(before.is_none());
    /// engine.call(&plan, &key, append(snapshot.text()), now).await?.result?;
    ///
    /// // The retry does not append the item twice.
    /// let (before, snapshot) = engine.recall(&plan, &key, &append("# Plan\n"), now).await?;
    /// assert!(before.is_some_and(|answer| answer.is_ok()));
    /// assert_eq!(snapshot.text(), "# Plan\n\n- one\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Engine::snapshot`].
    pub async fn recall<C: Command>(
        &self,
        canvas: &CanvasId,
        operation: &OpKey,
        command: &C,
        now: Timestamp,
    ) -> Result<(Option<Result<C::Done, C::Refusal>>, Snapshot), EngineError> {
        let call = self.tracer.begin(canvas, "recall", Some(operation));
        let task = RecallTask(task::Call::new(operation, command));
        let read = self.read(call.trace(), task, now).await;
        call.end(read.map(|(answer, snapshot)| (answer, seen_by::<C>(snapshot, operation))))
    }

    /// Settles an operation whose answer was lost. If the operation is not applied by now, it never will be, even if a
    /// commit of it is in flight or another server is still working on it. Use this if you must know the outcome before
    /// you go on, and cannot repeat the call because that might run it.
    ///
    /// An operation whose receipt is gone counts as never done
    /// ([`ReceiptLimits::lifetime`](crate::policy::ReceiptLimits::lifetime) says how long receipts are kept). If the
    /// canvas does not exist, a tombstone takes its place.
    ///
    /// ```
    /// # canvas_core::testing::block_on(async {
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CanvasId, CodedError as _, Engine, OpKey, Policy};
    /// use canvas_core::Resolution;
    ///
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let canvas = CanvasId::new("plan")?;
    /// # let operation = OpKey::host("create".parse()?);
    /// // The host sent the creation, and stopped before it had the answer.
    /// let became = engine.resolve(&canvas, &operation, now).await?;
    /// assert_eq!(became, Resolution::NeverDone);
    /// let late = engine.create(&canvas, "# Plan\n", &operation, now).await.unwrap_err();
    /// assert_eq!(late.code(), "CALL_ABANDONED");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Returns failures of the store, and [`EngineError::Contention`].
    pub async fn resolve(
        &self,
        canvas: &CanvasId,
        operation: &OpKey,
        now: Timestamp,
    ) -> Result<Resolution, EngineError> {
        let call = self.tracer.begin(canvas, "resolve", Some(operation));
        let resolved = self.run(call.trace(), Resolve { operation }, Begin::Load, now).await;
        call.end(resolved.map(|(resolution, _)| resolution))
    }

    /// Returns the current revision of a canvas. It is cheap enough to poll, because it does not fetch blobs. It costs
    /// one load of the store, or no round trip if the store notifies the engine of changes and the row is cached.
    ///
    /// ```
    /// # canvas_core::testing::block_on(async {
    /// # use canvas_core::document::Edit;
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CanvasId, Engine, OpKey, Policy};
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let plan = CanvasId::new("plan")?;
    /// # engine.create(&plan, "# Plan\n", &OpKey::host("create".parse()?), now).await?;
    /// let before = engine.revision_of(&plan).await?;
    /// engine.call(&plan, &OpKey::user("edit".parse()?), Edit::overwrite("# Ours\n"), now).await?.result?;
    /// assert!(engine.revision_of(&plan).await? != before);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`EngineError::NotFound`], also for a deleted canvas, or a failure of the store.
    pub async fn revision_of(&self, canvas: &CanvasId) -> Result<HeadRevision, EngineError> {
        let call = self.tracer.begin(canvas, "revision_of", None);
        let revision = self.revision_in(call.trace()).await;
        call.end(revision)
    }

    async fn revision_in(&self, trace: Trace<'_>) -> Result<HeadRevision, EngineError> {
        let canvas = trace.canvas();
        if self.store.capabilities().notify
            && let Some(row) = self.cache().current(canvas)
        {
            return Ok(HeadRevision::of(&row.head, &row.version));
        }
        let asked = self.watches.ticket();
        let row = self.load(trace).await.map_err(|fault| EngineError::of(fault, canvas))?;
        self.watches.loaded(canvas, asked, row.as_ref());
        let live = row.filter(|row| !row.head.is_deleted());
        live.map(|row| HeadRevision::of(&row.head, &row.version))
            .ok_or_else(|| EngineError::NotFound { canvas: canvas.clone() })
    }

    /// Drops the cached row of a canvas and makes its watchers reload the head. If your store claims
    /// [`Capabilities::notify`](crate::store::Capabilities::notify), call this for each of its notifications.
    pub fn forget(&self, canvas: &CanvasId) {
        self.cache().forget(canvas);
        self.watches.changed(canvas);
    }

    fn cache(&self) -> MutexGuard<'_, Cache> {
        // The cache replaces its values as a whole, so a panic elsewhere does not leave one half written.
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Store + 'static> Engine<S> {
    /// Watches a canvas, whether or not it exists yet. The first event says whether it does, and later events report its
    /// creation, deletion and re-creation.
    ///
    /// The first event comes at once, with a state that the store had when the watch began, or later. After that, each
    /// commit is an event if it changes content, the lock (for example by a check-out, a heartbeat or a preemption),
    /// the artefact, or whether the canvas exists. If a commit is in flight when the watch begins, its changes are in
    /// the first event or the next.
    ///
    /// Watchers see commits of this engine at once. For commits of other processes, call [`Engine::forget`] from your
    /// store's listener. The first watcher to be polled then loads the head once for all watchers of the canvas.
    /// Without a listener, watchers see such a commit when a call of this engine meets it. A commit of unknown fate is
    /// reported once it is settled, and one whose call was dropped is reported when the head is next loaded.
    ///
    /// A slow watcher gets the newest state and the number of states that it missed. A watched canvas keeps one small
    /// state, without text, for all its watchers, and a change wakes each of them. The store stays open as long as a
    /// watch exists.
    ///
    /// ```
    /// # canvas_core::testing::block_on(async {
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::watch::CanvasStatus;
    /// # use canvas_core::{CanvasId, Engine, OpKey, Policy};
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let canvas = CanvasId::new("plan")?;
    /// # let operation = OpKey::host("create".parse()?);
    /// let mut watch = engine.watch(&canvas);
    /// let first = watch.next().await.ok_or("the engine is there")??;
    /// assert_eq!(first.status, CanvasStatus::Absent);
    ///
    /// engine.create(&canvas, "# Plan\n", &operation, now).await?;
    /// let made = watch.try_next().ok_or("it was made here")?;
    /// assert!(made.made && made.status == CanvasStatus::Live);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    pub fn watch(&self, canvas: &CanvasId) -> Watch {
        let (store, id) = (Arc::clone(&self.store), canvas.clone());
        let load = move || {
            let (store, id) = (Arc::clone(&store), id.clone());
            Box::pin(async move { store.load(&id).await }) as _
        };
        let notifies = self.store.capabilities().notify;
        Watch::begin(&self.watches, canvas, self.policy.lease, notifies, load)
    }
}

/// Returns the canvas as the command's conversation sees it.
fn seen_by<C: Command>(snapshot: Snapshot, operation: &OpKey) -> Snapshot {
    match C::PROPOSES {
        true => snapshot.proposed_by(&Owner::Conversation(operation.conversation.clone())),
        false => snapshot,
    }
}

/// Returns the snapshot, or an error if the canvas does not exist.
fn seen(canvas: &CanvasId, snapshot: Option<Snapshot>) -> Result<Snapshot, EngineError> {
    snapshot.ok_or_else(|| EngineError::NotFound { canvas: canvas.clone() })
}
