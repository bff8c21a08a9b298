//! Garbage collection of blobs. The engine starts from the head to find the blobs that a canvas needs, and the store
//! drops the others if they are old.
//!
//! * The history is cut first, by a commit of its own. The head then says where the history begins, and only after that
//!   are older entries dropped. So a reader of that head does not rely on dropped blobs, and a reader of an earlier
//!   head starts again from this one.
//! * The chunks of every kept document are kept, whether the draft, the artefact, a conversation or the journal names
//!   it.
//! * The store drops blobs only if the row still has the version for which the engine found the needed blobs. If
//!   another writer was faster, the engine finds them again.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use canvas_lease::Timestamp;

use super::cache::Begin;
use super::task::Erase;
use super::trace::Trace;
use super::walk::Walk;
use super::{Engine, EngineError};
use crate::history::kept::KeepLimits;
use crate::model::blob::{Blob, BlobId};
use crate::model::head::Head;
use crate::model::id::CanvasId;
use crate::model::op_key::OpKey;
use crate::store::contract::{Collected, Commit, Committed, Store, Version};

/// The maximum number of attempts of a collection while others change the canvas.
const TRIES: u32 = 64;

/// Options of [`Engine::collect`], which limit the kept history and the age of dropped blobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CollectOptions {
    /// Changes that the journal keeps, for undo and history; older ones are lost for good. `None` keeps as many as
    /// [`HistoryLimits::changes`](crate::policy::HistoryLimits::changes), which is also the maximum.
    pub history: Option<u64>,
    /// Effects of tools and jobs that the journal keeps in addition. If there are more, the oldest are dropped,
    /// together with the changes before them. `None` keeps as many as
    /// [`HistoryLimits::effects`](crate::policy::HistoryLimits::effects), which is also the maximum.
    pub effects: Option<u64>,
    /// Keeps blobs stored within this time, by the store's own clock. If it is below
    /// [`Policy::min_blob_age`](crate::Policy::min_blob_age), that age counts instead. Default one hour.
    pub older_than: Duration,
}

impl Default for CollectOptions {
    fn default() -> Self {
        Self { history: None, effects: None, older_than: Duration::from_secs(3_600) }
    }
}

/// The number and size of the blobs that [`Engine::collect`] or [`Engine::erase`] dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct DroppedBlobs {
    /// The number of blobs that the store dropped.
    pub blobs: u64,
    /// Their total size, in bytes.
    pub bytes: u64,
}

impl<S: Store> Engine<S> {
    /// Drops the blobs that a canvas no longer needs, even if the canvas is deleted: old documents, journal entries and
    /// records of actions beyond the kept ones, pages of boards, and answers of dropped receipts. You can call it at
    /// any time, while others write, and from many servers.
    ///
    /// If the history is cut, undo, history and replay end at the cut, and edits based on an older revision are out of
    /// reach.
    ///
    /// It reads the kept entries, including effects, in one or two dozen round trips for each 1,024, and also the kept
    /// lists of chunks. The time is linear in the blobs of the canvas.
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
    /// use canvas_core::CollectOptions;
    ///
    /// for item in ["one", "two"] {
    ///     let edit = Edit::overwrite(format!("# Plan\n\n- {item}\n"));
    ///     engine.call(&plan, &OpKey::user(item.parse()?), edit, now).await?.result?;
    /// }
    /// // A host runs this regularly, for example each night. The newest 1,000 changes can still be undone.
    /// let keep = CollectOptions { history: Some(1_000), ..CollectOptions::default() };
    /// let dropped = engine.collect(&plan, keep).await?;
    /// assert_eq!(dropped.blobs, 0, "all of them are young, or needed");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`EngineError::FaceNotSupported`] if the canvas has a face whose blobs this build cannot determine; then
    /// it drops no blobs. It returns [`EngineError::Contention`] if others keep changing the canvas. Other errors are
    /// [`EngineError::NotFound`], [`EngineError::Damaged`] and failures of the store. After any of them, you can call
    /// it again.
    pub async fn collect(
        &self,
        canvas: &CanvasId,
        options: CollectOptions,
    ) -> Result<DroppedBlobs, EngineError> {
        let CollectOptions { history, effects, older_than } = options;
        let most = self.policy.keep_limits();
        let limits = KeepLimits {
            changes: history.unwrap_or(u64::MAX).min(most.changes),
            effects: effects.unwrap_or(u64::MAX).min(most.effects),
        };
        let call = self.tracer.begin(canvas, "collect", None);
        let older_than = older_than.max(self.policy.min_blob_age);
        let dropped = self.drop_unneeded(call.trace(), limits, older_than).await;
        call.end(dropped)
    }

    /// Erases every text of a canvas except its current one. Use it for a text that must be gone, such as a pasted
    /// secret. First edit the secret out of the document and the board, and promote the draft, because the current
    /// texts of these and of the artefact stay.
    ///
    /// A version whose texts are not among the current ones loses them, and all versions lose their notes. The labels stay.
    ///
    /// This clears the history and the records of actions. Receipts keep the fact of an answer, but not its content. If
    /// you repeat an earlier call, the engine refuses it with `CALL_ABANDONED` and does not run it again, and
    /// [`Engine::resolve`] reports it as done. Each conversation gets the whole document with its next message. Then
    /// every blob that the head does not need is dropped, even a young one. Engines of other servers may keep older
    /// texts in their caches until they load the canvas again.
    ///
    /// `Ok` means that the store dropped the text and overwrote it wherever it can. A store that cannot do so yet, for
    /// example because others use its file, returns an error. If you repeat the same operation, it goes on from there.
    /// The table shows what remains after `Ok`, and how a host removes it:
    ///
    /// | store | what remains | what removes it |
    /// | --- | --- | --- |
    /// | memory | nothing that the store holds | |
    /// | an SQLite file | nothing in the file or its log; copies and backups, blocks that the disk holds back | delete the copies |
    /// | PostgreSQL | dead rows and the write-ahead log; replicas, archives and backups | `VACUUM (FULL)` of its tables, then a checkpoint; delete the others |
    /// | objects | versions and deleted objects that the bucket keeps | delete these versions, or let a rule do so |
    ///
    /// It may take long. For example, a store in an SQLite file rewrites the file while commits wait. The docs of each
    /// store say more.
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
    /// let secret = Edit::overwrite("# Plan\n\nThe password is 1234.\n");
    /// engine.call(&plan, &OpKey::user("paste".parse()?), secret, now).await?.result?;
    /// engine.call(&plan, &OpKey::user("cut".parse()?), Edit::overwrite("# Plan\n"), now).await?.result?;
    ///
    /// let dropped = engine.erase(&plan, &OpKey::host("erase".parse()?), now).await?;
    /// assert!(dropped.blobs > 0);
    /// assert!(engine.history(&plan, None, 10, now).await?.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Engine::collect`], [`EngineError::KeyReused`] and [`EngineError::Abandoned`]. After any
    /// of them, part of the work may be done, and the text may still be readable in the store's files. Repeat the same
    /// operation until it returns `Ok`.
    pub async fn erase(
        &self,
        canvas: &CanvasId,
        operation: &OpKey,
        now: Timestamp,
    ) -> Result<DroppedBlobs, EngineError> {
        let call = self.tracer.begin(canvas, "erase", Some(operation));
        let dropped = self.erase_in(call.trace(), operation, now).await;
        call.end(dropped)
    }

    async fn erase_in(
        &self,
        trace: Trace<'_>,
        operation: &OpKey,
        now: Timestamp,
    ) -> Result<DroppedBlobs, EngineError> {
        self.run(trace, Erase { operation }, Begin::Load, now).await?;
        // The cache has older texts too.
        self.forget(trace.canvas());
        self.drop_unneeded(trace, self.policy.keep_limits(), Duration::ZERO).await
    }

    /// Cuts the history and drops the blobs not needed after the cut.
    pub(super) async fn drop_unneeded(
        &self,
        trace: Trace<'_>,
        limits: KeepLimits,
        older_than: Duration,
    ) -> Result<DroppedBlobs, EngineError> {
        let canvas = trace.canvas();
        let fault = |fault| EngineError::of(fault, canvas);
        let (mut damaged, mut lost) = (None, None::<Version>);
        for losses in 0..TRIES {
            if let Some(lost) = lost {
                let who = format!("{canvas} {}", lost.as_str());
                self.pause.wait(trace, self.policy.back_off, losses, &who).await;
            }
            let Some(row) = self.load(trace).await.map_err(fault)? else {
                return Err(EngineError::NotFound { canvas: canvas.clone() });
            };
            lost = Some(row.version.clone());
            let (head, keep) = match self.needed(trace, &row.head, limits).await {
                Ok(found) => found,
                // If another collection cut more, its head says so.
                Err(EngineError::Damaged { .. }) if damaged.as_ref() != Some(&row.version) => {
                    damaged = Some(row.version);
                    continue;
                }
                Err(e) => return Err(e),
            };
            let version = match head {
                None => row.version,
                Some(head) => {
                    let (expected, blobs) = (Some(row.version), Vec::new());
                    let commit = Commit { expected, head, blobs, not_after: None };
                    let committed = self.commit(trace, commit).await;
                    // A cached head, here or with watchers, does not say where the history begins.
                    self.forget(canvas);
                    match committed.map_err(fault)? {
                        Committed::Done { version, .. } => version,
                        Committed::Conflict(_) | Committed::Late { .. } => continue,
                    }
                }
            };
            let began = trace.now();
            let collected = self.store.collect(canvas, &keep, older_than, &version).await;
            trace.collected(began, keep.len(), &collected);
            if let Collected::Done { blobs, bytes } = collected.map_err(fault)? {
                return Ok(DroppedBlobs { blobs, bytes });
            }
        }
        Err(EngineError::Contention { canvas: canvas.clone() })
    }

    /// Returns a head to commit first, which has a shorter history if the history is too long, and the blobs that the
    /// canvas needs after that.
    async fn needed(
        &self,
        trace: Trace<'_>,
        head: &Arc<Head>,
        limits: KeepLimits,
    ) -> Result<(Option<Arc<Head>>, BTreeSet<BlobId>), EngineError> {
        let from = self.oldest_kept(trace, head, limits).await?;
        let cut = cut(head, from, self.policy.audit_records());
        // An import in progress has put blobs that no head names yet. A new version ends it before they are dropped.
        let cut = cut.or_else(|| head.is_placeholder().then(|| Arc::clone(head)));
        let mut walk = self.walk_of(trace, cut.as_ref().unwrap_or(head));
        let named = super::history::needed(&mut walk).await?;
        // Older texts that are stored stay stored. They are not needed, so they may be missing.
        let texts: Vec<_> = named.texts.values().copied().collect();
        let mut needed = named.all();
        needed.extend(walk.chunks_of(&texts).await?);
        needed.extend(texts);
        needed.extend(head.journal().blames.iter().map(|(_, blame)| *blame));
        Ok((cut, needed))
    }

    /// Returns the number of the oldest kept entry. If there are effects, a binary search finds it.
    async fn oldest_kept(
        &self,
        trace: Trace<'_>,
        head: &Arc<Head>,
        limits: KeepLimits,
    ) -> Result<u64, EngineError> {
        let slot = head.journal();
        let kept = slot.kept(limits);
        if kept.is_exact() || slot.last.is_none() {
            return Ok(kept.oldest());
        }
        let mut walk = self.walk_of(trace, head);
        // This many are within both limits in any case.
        let fewest = limits.changes.min(limits.effects);
        let newest = slot.entries.saturating_sub(fewest).saturating_add(1);
        let (mut low, mut high) = (kept.oldest(), newest.max(kept.oldest()));
        while low < high {
            let middle = low + (high - low) / 2;
            let entry = walk.range(middle..=middle).await?;
            if entry.iter().any(|entry| kept.has(entry)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Ok(low)
    }

    /// Returns a walk without the document, which is not needed to find the blobs.
    fn walk_of<'a>(&'a self, trace: Trace<'a>, head: &Arc<Head>) -> Walk<'a, S> {
        Walk::new(self, trace, Arc::clone(head), Blob::text(String::new()))
    }
}

/// Returns the head cut to the entries from this number on, and to at most `records` records of actions; `None` if no
/// cut is needed.
fn cut(head: &Arc<Head>, entries_from: u64, records: u64) -> Option<Arc<Head>> {
    let records_from = head.audit.oldest(records);
    // No entry is older than the first one, and a cleared history has no entries.
    let is_cut = entries_from > head.journal.kept_from.max(1) && head.journal.last.is_some();
    let are_records_cut = records_from > head.audit.kept_from.max(1) && head.audit.last.is_some();
    (is_cut || are_records_cut).then(|| {
        let mut head = Head::clone(head);
        if is_cut {
            head.journal.kept_from = entries_from;
        }
        if are_records_cut {
            head.audit.kept_from = records_from;
        }
        Arc::new(head)
    })
}
