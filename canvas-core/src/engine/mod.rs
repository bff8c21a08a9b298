//! The engine: loads, decides and commits, and decides again where others were faster.
//!
//! `run` is the whole of it as a machine without input or output, `task` what the machine may be asked to do, and `queue`
//! how calls share commits. What is left waits for the store and keeps the cache: `drive`.

#[cfg(feature = "surface")]
mod audit;
mod backoff;
pub(crate) mod block_on;
#[cfg(feature = "board")]
mod board;
mod cache;
mod call_or_create;
mod chain;
mod collect;
mod context;
mod documents;
mod drive;
mod error;
mod follow;
mod history;
pub(crate) mod lock_view;
#[cfg(all(test, feature = "surface"))]
mod model;
pub(crate) mod observe;
mod queue;
#[cfg(feature = "recipe")]
mod recipe;
mod run;
mod snapshot;
#[cfg(feature = "surface")]
mod surface_view;
mod task;
mod trace;
mod walk;
pub(crate) mod watch;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use canvas_lease::Timestamp;

use self::backoff::Pause;
use self::cache::{Begin, Cache};
pub use self::collect::{Collection, Dropped};
pub use self::error::EngineError;
pub use self::follow::Follow;
pub use self::history::{Replay, Stacks};
use self::observe::Observer;
use self::queue::Queues;
pub use self::snapshot::Snapshot;
#[cfg(feature = "surface")]
pub use self::surface_view::Surface;
pub use self::task::Resolution;
use self::task::{Create, Delete, RecallTask, Reply, Resolve, SnapshotTask};
use self::trace::{Trace, Tracer};
use self::watch::{HeadRevision, Watch, Watches};
use crate::model::blob::Blob;
use crate::model::face::Face;
use crate::model::id::{CanvasId, OpKey};
use crate::model::revision::{Revision, RevisionId};
use crate::store::boxed::BoxStore;
use crate::store::contract::Store;
#[cfg(feature = "surface")]
use crate::surface::Ceiling;
use crate::transition::command::{Command, StoredAnswer};
use crate::transition::policy::Policy;
use crate::transition::refusal::Refused;
use crate::transition::view::Types;

/// Runs calls on the canvases of a store.
///
/// A steady writer costs one round trip: the engine decides on the head that it knows and learns from the conflict
/// if it was wrong. What it refuses on a cached head it decides again on a fresh one before it says so. A read loads
/// the head first, unless the store notifies of changes.
///
/// Calls that wait for one canvas share a commit: while one is under way, those that come are decided one upon the other,
/// first come first, and are the next. Each has its own receipt, revision and entry of the journal, and is answered, refusals
/// too, once what it was decided upon is stored. A commit takes 32 calls, and no further one once they bring 4 MiB of blobs.
/// A call that is dropped before its commit is sent is never done; one that is held and not polled holds up no other. A call
/// alone is one commit.
///
/// Every call brings the host's `now`; expiry is judged by the store's clock, which the engine carries forward by
/// the time that has passed at the host. That runs ahead by at most one round trip, so a lease may count as expired
/// that much early, and be issued for that much longer; [`Commit::not_after`](crate::store::Commit::not_after) holds in any
/// case.
///
/// A commit of unknown fate is settled for each of its calls before that answers: where its receipt is in the row, it got through; where
/// not, an empty bump of the version wins first, so that the late duplicate fails in any store. Where that cannot be
/// had either, the call ends in `STORE_INDETERMINATE`, and the same call again, or [`Engine::resolve`], settles it
/// later.
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

/// The answer to a call.
#[derive(Debug, Clone)]
pub struct Answered<C: Command> {
    /// What became of it. What the rules refuse is an answer too.
    pub result: Result<C::Done, C::Refusal>,
    /// It had been asked before, and this is the first answer again.
    pub replayed: bool,
    /// The canvas after it.
    pub snapshot: Snapshot,
}

impl<C: Command> Answered<C> {
    /// The answer as a receipt keeps it, and as [`Engine::resolve`] tells it.
    pub fn stored(&self) -> StoredAnswer {
        StoredAnswer::of::<C>(&self.result)
    }
}

/// A canvas that was made.
#[derive(Debug, Clone)]
pub struct Created {
    /// Its first revision, or the next after a deletion.
    pub revision: RevisionId,
    /// The same operation had made it before.
    pub replayed: bool,
    /// The canvas as it is.
    pub snapshot: Snapshot,
}

impl<S: Store> Engine<S> {
    /// An engine on a store, with the built-in types of components.
    ///
    /// ```
    /// use canvas_core::lease::Timestamp;
    /// use canvas_core::store::MemoryStore;
    /// use canvas_core::{Engine, Policy};
    ///
    /// // One clock for the store and for the calls.
    /// let now = || Timestamp::from(std::time::SystemTime::now());
    /// let policy = Policy { document_bytes: 1 << 20, ..Policy::default() };
    /// let engine = Engine::new(MemoryStore::new(now), policy);
    /// assert_eq!(engine.policy().document_bytes, 1_048_576);
    /// ```
    pub fn new(store: S, policy: Policy) -> Self {
        Self::with_types(store, policy, Types::default())
    }

    fn with_types(store: S, policy: Policy, types: Types) -> Self {
        let cache = Mutex::new(Cache::new(policy.cache_bytes));
        let (pause, tracer, queues, watches) = Default::default();
        Self { store: Arc::new(store), policy, types, pause, tracer, cache, queues, watches }
    }

    /// With what surfaces may do. Without it they may call no tool, and send to their owners' sessions only.
    #[cfg(feature = "surface")]
    #[must_use]
    pub fn with_ceiling(mut self, ceiling: Arc<Ceiling>) -> Self {
        self.types.ceiling = ceiling;
        // What is cached was compiled for another one.
        self.cache = Mutex::new(Cache::new(self.policy.cache_bytes));
        self
    }

    /// What surfaces may do.
    #[cfg(feature = "surface")]
    pub fn ceiling(&self) -> &Arc<Ceiling> {
        &self.types.ceiling
    }

    /// Waits by this where [`Policy::back_off`] says so; without it, a call that loses its commits to others tries again
    /// at once. With tokio: `Engine::new(store, policy).with_pause(tokio::time::sleep)`.
    ///
    /// ```
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{Engine, Policy};
    /// // A host on threads, without a runtime.
    /// let sleep = |pause| std::future::ready(std::thread::sleep(pause));
    /// let engine = Engine::new(MemoryStore::new(|| Timestamp::from_secs(1_700_000_000)), Policy::default()).with_pause(sleep);
    /// ```
    #[must_use]
    pub fn with_pause<F>(self, pause: impl Fn(Duration) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        Self { pause: Arc::new(Pause::by(pause)), ..self }
    }

    /// Tells an observer what it does: each call from its beginning to its end, with what it asks of the store, decides,
    /// commits and waits for. See [`Observer`]. An engine has one; what goes to several is for that one to spread.
    #[must_use]
    pub fn with_observer(self, observer: Arc<dyn Observer>) -> Self {
        Self { tracer: Tracer::by(observer), ..self }
    }

    /// The store.
    pub fn store(&self) -> &S {
        &self.store
    }

    /// What the host decided.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Makes a canvas with a first document. After a deletion its numbers go on.
    ///
    /// ```
    /// # use canvas_core::document::Edit;
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CallId, CanvasId, Engine, OpKey, Policy, block_on};
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let plan = CanvasId::new("plan")?;
    /// let key = OpKey::host(CallId::new("create")?);
    /// let made = block_on(engine.create(&plan, "# Plan\n\n- one\n", &key, now))?;
    /// assert_eq!(made.snapshot.text(), "# Plan\n\n- one\n");
    ///
    /// // Sent again with the same key it is answered again; with another it is refused.
    /// assert!(block_on(engine.create(&plan, "# Plan\n\n- one\n", &key, now))?.replayed);
    /// let other = OpKey::host(CallId::new("other")?);
    /// let refused = block_on(engine.create(&plan, "# Plan\n", &other, now)).unwrap_err();
    /// assert_eq!(refused.code(), "CANVAS_EXISTS");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`EngineError::Exists`], unless the same operation made it; [`EngineError::Deleted`] where it did and the canvas
    /// was deleted since; [`EngineError::KeyReused`]; [`EngineError::Abandoned`]; [`EngineError::TooLarge`]; faults of
    /// the store.
    pub async fn create(
        &self,
        canvas: &CanvasId,
        markdown: &str,
        operation: &OpKey,
        now: Timestamp,
    ) -> Result<Created, EngineError> {
        let call = self.tracer.begin(canvas, "create", Some(operation));
        let (bytes, limit) = (markdown.len(), self.policy.document_bytes);
        if bytes > limit {
            return call.end(Err(EngineError::TooLarge { bytes, limit }));
        }
        let create = Create { document: Blob::document(markdown.to_owned()), operation };
        let ran = self.run(call.trace(), create, Begin::Load, now).await;
        let created = ran.and_then(|(Reply { answer: revision, replayed }, snapshot)| {
            Ok(Created { revision, replayed, snapshot: seen(canvas, snapshot)? })
        });
        call.end_as(created, |created| (None, created.replayed))
    }

    /// Deletes a canvas. The head stays as a tombstone, so that revision, epoch and fence are never used twice, and
    /// with it the receipts. Doing it twice is fine; the same operation again leaves a canvas alone that was made
    /// since.
    ///
    /// ```
    /// # use canvas_core::document::Edit;
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CallId, CanvasId, Engine, OpKey, Policy, block_on};
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let plan = CanvasId::new("plan")?;
    /// # block_on(engine.create(&plan, "# Plan\n", &OpKey::host(CallId::new("create")?), now))?;
    /// block_on(engine.delete(&plan, &OpKey::user(CallId::new("delete")?), now))?;
    /// let gone = block_on(engine.snapshot(&plan, now)).unwrap_err();
    /// assert_eq!(gone.code(), "CANVAS_NOT_FOUND");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`EngineError::NotFound`] where there never was one; [`EngineError::KeyReused`]; [`EngineError::Abandoned`];
    /// faults of the store.
    pub async fn delete(
        &self,
        canvas: &CanvasId,
        operation: &OpKey,
        now: Timestamp,
    ) -> Result<(), EngineError> {
        self.delete_from(canvas, None, operation, now).await
    }

    /// As [`Engine::delete`], unless a face has changed since a revision. That is part of the commit, whoever is writing
    /// meanwhile.
    ///
    /// ```
    /// # use canvas_core::document::Edit;
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CallId, CanvasId, Engine, OpKey, Policy, block_on};
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let plan = CanvasId::new("plan")?;
    /// # block_on(engine.create(&plan, "# Plan\n", &OpKey::host(CallId::new("create")?), now))?;
    /// use canvas_core::Face;
    ///
    /// let seen = block_on(engine.snapshot(&plan, now))?.head.face_revision(Face::Document);
    /// let edit = Edit::replace("# Plan\n\n- one\n");
    /// block_on(engine.call(&plan, &OpKey::user(CallId::new("edit")?), edit, now))?.result?;
    /// let key = OpKey::host(CallId::new("delete")?);
    /// let refused = block_on(engine.delete_unchanged(&plan, (Face::Document, seen), &key, now)).unwrap_err();
    /// assert_eq!(refused.code(), "REVISION_CONFLICT");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Engine::delete`]; [`EngineError::RevisionConflict`] where the face has changed, and nothing is deleted.
    pub async fn delete_unchanged(
        &self,
        canvas: &CanvasId,
        (face, expected): (Face, Revision),
        operation: &OpKey,
        now: Timestamp,
    ) -> Result<(), EngineError> {
        self.delete_from(canvas, Some((face, expected)), operation, now).await
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

    /// The canvas as it is.
    ///
    /// ```
    /// # use canvas_core::document::Edit;
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CallId, CanvasId, Engine, OpKey, Policy, block_on};
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let plan = CanvasId::new("plan")?;
    /// # block_on(engine.create(&plan, "# Plan\n", &OpKey::host(CallId::new("create")?), now))?;
    /// let snapshot = block_on(engine.snapshot(&plan, now))?;
    /// assert_eq!(snapshot.text(), "# Plan\n");
    /// assert_eq!(snapshot.outline().sections().len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`EngineError::NotFound`]; faults of the store.
    pub async fn snapshot(&self, canvas: &CanvasId, now: Timestamp) -> Result<Snapshot, EngineError> {
        let call = self.tracer.begin(canvas, "snapshot", None);
        let read = self.read(call.trace(), SnapshotTask, now).await;
        call.end(read.map(|((), snapshot)| snapshot))
    }

    /// Runs a command. The same key with the same command answers the same again, also while the first is on its way and
    /// after the lease has ended, for as long as the canvas remembers it: [`Policy::receipt_lifetime`]. Later it is a new
    /// command.
    ///
    /// ```
    /// # use canvas_core::document::Edit;
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CallId, CanvasId, Engine, OpKey, Policy, block_on};
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let plan = CanvasId::new("plan")?;
    /// # block_on(engine.create(&plan, "# Plan\n", &OpKey::host(CallId::new("create")?), now))?;
    /// use canvas_core::Refused as _;
    ///
    /// let key = OpKey::user(CallId::new("edit-1")?);
    /// let base = block_on(engine.snapshot(&plan, now))?.revision_id();
    /// let edit = || Edit::on(base, "# Plan\n\n- one\n");
    /// let answered = block_on(engine.call(&plan, &key, edit(), now))?;
    /// assert_eq!(answered.snapshot.text(), "# Plan\n\n- one\n");
    /// assert!(answered.result.is_ok() && !answered.replayed);
    ///
    /// // A broken connection: the same call again is answered the same, and not done again.
    /// assert!(block_on(engine.call(&plan, &key, edit(), now))?.replayed);
    ///
    /// // Another edit of the same place, made from the older revision, is refused, and nothing is lost.
    /// let late = Edit::on(base, "# Plan\n\n- two\n");
    /// let answered = block_on(engine.call(&plan, &OpKey::user(CallId::new("edit-2")?), late, now))?;
    /// assert_eq!(answered.result.unwrap_err().code(), "PATCH_REJECTED");
    /// assert_eq!(answered.snapshot.text(), "# Plan\n\n- one\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Only where there is no answer: an unknown canvas, faults of the store, contention. What the rules refuse is in
    /// [`Answered::result`].
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
            Ok(Answered { result, replayed, snapshot: seen(canvas, snapshot)? })
        });
        call.end_as(answered, |Answered { result, replayed, .. }| {
            (result.as_ref().err().map(Refused::code), *replayed)
        })
    }

    /// The canvas as it is, and what the same call was answered before: `None` where it is new. Nothing is done. For
    /// hosts that make an edit from a request and the document, and must not make it again for a retry.
    ///
    /// ```
    /// # use canvas_core::document::Edit;
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CallId, CanvasId, Engine, OpKey, Policy, block_on};
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let plan = CanvasId::new("plan")?;
    /// # block_on(engine.create(&plan, "# Plan\n", &OpKey::host(CallId::new("create")?), now))?;
    /// let key = OpKey::user(CallId::new("append-1")?);
    /// let append = |text: &str| Edit::replace(format!("{text}\n- one\n"));
    /// let (before, snapshot) = block_on(engine.recall(&plan, &key, &append("# Plan\n"), now))?;
    /// assert!(before.is_none());
    /// block_on(engine.call(&plan, &key, append(snapshot.text()), now))?.result?;
    ///
    /// // The retry appends nothing more.
    /// let (before, snapshot) = block_on(engine.recall(&plan, &key, &append("# Plan\n"), now))?;
    /// assert!(before.is_some_and(|answer| answer.is_ok()));
    /// assert_eq!(snapshot.text(), "# Plan\n\n- one\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Engine::snapshot`].
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
        call.end(read)
    }

    /// Finds out what became of an operation whose answer was lost, for good: what was not done by now never will be,
    /// also where a commit of it is still on its way or another server is still at it. For hosts that must know
    /// before they go on, and cannot simply make the same call again, which would do it.
    ///
    /// An operation that nobody remembers any more counts as never done (receipts are kept as
    /// [`Policy::receipt_lifetime`] says). Where there is no canvas, a tombstone takes its place.
    ///
    /// ```
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CallId, CanvasId, Engine, OpKey, Policy, block_on};
    /// use canvas_core::Resolution;
    ///
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let canvas = CanvasId::new("plan")?;
    /// # let operation = OpKey::host(CallId::new("create")?);
    /// // The creation was sent, and the host went down before it had the answer.
    /// let became = block_on(engine.resolve(&canvas, &operation, now))?;
    /// assert_eq!(became, Resolution::NeverDone);
    /// let late = block_on(engine.create(&canvas, "# Plan\n", &operation, now)).unwrap_err();
    /// assert_eq!(late.code(), "CALL_ABANDONED");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Faults of the store, contention.
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

    /// Where a canvas has come to, for hosts that ask again and again. No blob is fetched: it is one load of the store, and
    /// none where the store notifies of changes and the row is known.
    ///
    /// ```
    /// # use canvas_core::document::Edit;
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CallId, CanvasId, Engine, OpKey, Policy, block_on};
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let plan = CanvasId::new("plan")?;
    /// # block_on(engine.create(&plan, "# Plan\n", &OpKey::host(CallId::new("create")?), now))?;
    /// let before = block_on(engine.revision_of(&plan))?;
    /// block_on(engine.call(&plan, &OpKey::user(CallId::new("edit")?), Edit::replace("# Ours\n"), now))?.result?;
    /// assert!(block_on(engine.revision_of(&plan))? != before);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`EngineError::NotFound`], also of a deleted canvas; faults of the store.
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

    /// Drops the cached row of a canvas, and has its watchers load the head. A host whose store claims
    /// [`Capabilities::notify`](crate::store::Capabilities::notify) calls it for each notification.
    pub fn forget(&self, canvas: &CanvasId) {
        self.cache().forget(canvas);
        self.watches.changed(canvas);
    }

    fn cache(&self) -> MutexGuard<'_, Cache> {
        // The cache holds values that are replaced whole; a panic elsewhere leaves none half written.
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Store + 'static> Engine<S> {
    /// Watches a canvas, which need not be there: the first event says so, and a later one that it was made. Deleting it
    /// is an event, making it again too.
    ///
    /// The first event comes at once, with the state as the store had it when the watch began, or later. After that each
    /// commit is one that changes content, the lock (a check-out, a heartbeat, its end by a user), the artefact, or
    /// whether the canvas is there. What a commit under way does when the watch begins is in the first event or the next.
    ///
    /// Commits of this engine are known at once. Those of others are known by [`Engine::forget`], which a host calls from
    /// its store's listener: then the watcher that is polled first loads the head, once for all watchers of the canvas.
    /// Without a listener they are known when a call of this engine meets them. A commit of unknown fate is known once
    /// it is settled, and one whose call was dropped when the head is loaded next.
    ///
    /// A watcher that is slow gets the newest state and the number of those that it missed. A watched canvas keeps one
    /// small state for all its watchers, and no text; a change costs each of them a wake. The store stays open as long as
    /// there is a watch.
    ///
    /// ```
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::watch::CanvasStatus;
    /// # use canvas_core::{CallId, CanvasId, Engine, OpKey, Policy, block_on};
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let canvas = CanvasId::new("plan")?;
    /// # let operation = OpKey::host(CallId::new("create")?);
    /// let mut watch = engine.watch(&canvas);
    /// let first = block_on(watch.next()).ok_or("the engine is there")??;
    /// assert_eq!(first.status, CanvasStatus::Absent);
    ///
    /// block_on(engine.create(&canvas, "# Plan\n", &operation, now))?;
    /// let made = watch.try_next().ok_or("it was made here")?;
    /// assert!(made.made && made.status == CanvasStatus::Live);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
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

/// What a task shows of a canvas that is there.
fn seen(canvas: &CanvasId, snapshot: Option<Snapshot>) -> Result<Snapshot, EngineError> {
    snapshot.ok_or_else(|| EngineError::NotFound { canvas: canvas.clone() })
}
