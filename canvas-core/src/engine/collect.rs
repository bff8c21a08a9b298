//! Old blobs go: what a canvas needs is found from its head, and the store drops the rest of what is old.
//!
//! * The history is cut first, by a commit of its own: the head says where it begins, and only then do older entries go.
//!   So nobody who has the head relies on what is dropped, and who read by an earlier head reads again by this one.
//! * The chunks of every document that is kept are kept, whoever names it: the draft, the artefact, a conversation, the journal.
//! * The store drops only at the version from which the needed blobs were found. Where somebody else was faster, they are
//!   found anew.

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
use crate::model::id::{CanvasId, OpKey};
use crate::store::contract::{Collected, Commit, Committed, Store, Version};

/// How often a collection begins again because others have changed the canvas.
const TRIES: u32 = 64;

/// What a collection leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Collection {
    /// Changes of the journal that stay, for undo and history; older ones are forgotten for good. `None` for as many as
    /// [`Policy::history`](crate::Policy::history) says, and never more than those.
    pub history: Option<u64>,
    /// Effects of tools and jobs that stay beside them; where there are more, the oldest are forgotten, and with them the changes
    /// before those. `None` for as many as [`Policy::history_effects`](crate::Policy::history_effects) says, and never more than
    /// those.
    pub effects: Option<u64>,
    /// Blobs that were put within this time stay, by the store's own clock. At least
    /// [`Policy::min_blob_age`](crate::Policy::min_blob_age), whatever is said here. Default one hour.
    pub older_than: Duration,
}

impl Default for Collection {
    fn default() -> Self {
        Self { history: None, effects: None, older_than: Duration::from_secs(3_600) }
    }
}

/// What a collection has dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Dropped {
    /// How many blobs.
    pub blobs: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl<S: Store> Engine<S> {
    /// Drops the blobs of a canvas that nothing needs any more, deleted canvases too: old documents, entries of the
    /// journal and records of actions beyond those that are kept, pages of boards, answers of receipts that are forgotten. It may be asked for at
    /// any time, while others write, and from many servers.
    ///
    /// Where the history is cut, undo, history and replay end there, and an edit on an older revision is out of reach.
    ///
    /// It reads the entries that are kept, 1,024 in a dozen or two of round trips, effects too, and the lists of chunks that are
    /// kept, and is linear in the blobs of the canvas.
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
    /// use canvas_core::Collection;
    ///
    /// for item in ["one", "two"] {
    ///     let edit = Edit::replace(format!("# Plan\n\n- {item}\n"));
    ///     block_on(engine.call(&plan, &OpKey::user(CallId::new(item)?), edit, now))?.result?;
    /// }
    /// // A host asks now and then, say each night. The newest 1,000 changes can still be undone.
    /// let keep = Collection { history: Some(1_000), ..Collection::default() };
    /// let dropped = block_on(engine.collect(&plan, keep))?;
    /// assert_eq!(dropped.blobs, 0, "all of them are young, or needed");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`EngineError::FaceNotSupported`] where the canvas has a face of which this library cannot say what it needs, and
    /// then nothing is dropped; [`EngineError::Contention`] where others change the canvas all the time;
    /// [`EngineError::NotFound`]; [`EngineError::Damaged`]; faults of the store. It may be asked for again after each.
    pub async fn collect(&self, canvas: &CanvasId, collection: Collection) -> Result<Dropped, EngineError> {
        let Collection { history, effects, older_than } = collection;
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

    /// Erases every text of a canvas but the one that it has now, for a text that must be gone, such as a pasted secret. The
    /// host edits it out first, of the document, of the board, and of the artefact by promoting: what these hold stays.
    ///
    /// The history is cleared, and so are the records of actions. Receipts keep that a call was answered and not what: the same call again is refused with
    /// `CALL_ABANDONED`, never done twice, and [`Engine::resolve`] says that it was answered. Conversations get the whole
    /// document next. Then everything goes that the head does not need, however young; engines of other servers may hold
    /// older texts in their caches until they are asked for the canvas again.
    ///
    /// An answer says that the store has dropped it and has overwritten it wherever it can. A store that cannot do so yet,
    /// for example because others use its file, answers an error, and the same operation again goes on. What remains after an
    /// answer, and how a host removes that:
    ///
    /// | store | what remains | what removes it |
    /// | --- | --- | --- |
    /// | memory | nothing that the store holds | |
    /// | an SQLite file | nothing in the file or its log; copies and backups, blocks that the disk holds back | delete the copies |
    /// | PostgreSQL | dead rows and the write-ahead log; replicas, archives and backups | `VACUUM (FULL)` of its tables, then a checkpoint; delete the others |
    /// | objects | versions and deleted objects that the bucket keeps | delete these versions, or let a rule do so |
    ///
    /// It may take long: a store in an SQLite file rewrites the file, while commits wait. The docs of each store say more.
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
    /// let secret = Edit::replace("# Plan\n\nThe password is 1234.\n");
    /// block_on(engine.call(&plan, &OpKey::user(CallId::new("paste")?), secret, now))?.result?;
    /// block_on(engine.call(&plan, &OpKey::user(CallId::new("cut")?), Edit::replace("# Plan\n"), now))?.result?;
    ///
    /// let dropped = block_on(engine.erase(&plan, &OpKey::host(CallId::new("erase")?), now))?;
    /// assert!(dropped.blobs > 0);
    /// assert!(block_on(engine.history(&plan, None, 10, now))?.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Engine::collect`], with [`EngineError::KeyReused`] and [`EngineError::Abandoned`]. After each some of it may be
    /// done, and the text may still be readable in the store's files: ask again with the same operation until there is an answer.
    pub async fn erase(
        &self,
        canvas: &CanvasId,
        operation: &OpKey,
        now: Timestamp,
    ) -> Result<Dropped, EngineError> {
        let call = self.tracer.begin(canvas, "erase", Some(operation));
        let dropped = self.erase_in(call.trace(), operation, now).await;
        call.end(dropped)
    }

    async fn erase_in(
        &self,
        trace: Trace<'_>,
        operation: &OpKey,
        now: Timestamp,
    ) -> Result<Dropped, EngineError> {
        self.run(trace, Erase { operation }, Begin::Load, now).await?;
        // Texts of before, which the cache has too.
        self.forget(trace.canvas());
        self.drop_unneeded(trace, self.policy.keep_limits(), Duration::ZERO).await
    }

    /// Cuts the history and drops what is not needed then.
    pub(super) async fn drop_unneeded(
        &self,
        trace: Trace<'_>,
        limits: KeepLimits,
        older_than: Duration,
    ) -> Result<Dropped, EngineError> {
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
                // Another collection may have cut more, and its head says so.
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
                    // The head that is cached, here or with watchers, does not say where the history begins.
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
                return Ok(Dropped { blobs, bytes });
            }
        }
        Err(EngineError::Contention { canvas: canvas.clone() })
    }

    /// The head with its history cut, where it is longer, and the blobs that it needs then.
    async fn needed(
        &self,
        trace: Trace<'_>,
        head: &Arc<Head>,
        limits: KeepLimits,
    ) -> Result<(Option<Arc<Head>>, BTreeSet<BlobId>), EngineError> {
        let from = self.oldest_kept(trace, head, limits).await?;
        let cut = cut(head, from, self.policy.audit_records());
        let mut walk = self.walk_of(trace, cut.as_ref().unwrap_or(head));
        let keep = super::history::needed(&mut walk).await?;
        Ok((cut, keep))
    }

    /// The number of the oldest entry that is kept. Where there are effects, it is found by halving.
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
        // So many are within both limits, whatever they are.
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

    /// What is needed is found without the document.
    fn walk_of<'a>(&'a self, trace: Trace<'a>, head: &Arc<Head>) -> Walk<'a, S> {
        Walk::new(self, trace, Arc::clone(head), Blob::text(String::new()))
    }
}

/// The head with the entries from this number on, and at most `records` of actions; `None` where it has no others.
fn cut(head: &Arc<Head>, entries_from: u64, records: u64) -> Option<Arc<Head>> {
    let records_from = head.audit.oldest(records);
    // Nothing is older than the first entry, and a history that was cleared has none.
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
