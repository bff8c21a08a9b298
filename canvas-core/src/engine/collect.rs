//! Old blobs go: what a canvas needs is found from its head, and the store drops the rest of what is old.
//!
//! * The history is cut first, by a commit of its own: the head says where it begins, and only then do older entries go.
//!   So nobody who has the head relies on what is dropped, and who read by an earlier head reads again by this one.
//! * The store drops only at the version from which the needed blobs were found. Where somebody else was faster, they are
//!   found anew.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use canvas_lease::Timestamp;

use super::cache::Begin;
use super::task::Erase;
use super::walk::Walk;
use super::{Engine, EngineError};
use crate::model::blob::{Blob, BlobId};
use crate::model::head::Head;
use crate::model::id::{CanvasId, OpKey};
use crate::store::contract::{Collected, Commit, Committed, Store, Version};

/// How often a collection begins again because others have changed the canvas.
const TRIES: u32 = 64;

/// What a collection leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Collection {
    /// Entries of the journal that stay, for undo and history; older ones are forgotten for good. `None` for as many as
    /// [`Policy::history`](crate::Policy::history) says, and never more than those.
    pub history: Option<u64>,
    /// Blobs that were put within this time stay, by the store's own clock. At least
    /// [`Policy::min_blob_age`](crate::Policy::min_blob_age), whatever is said here. Default one hour.
    pub older_than: Duration,
}

impl Default for Collection {
    fn default() -> Self {
        Self { history: None, older_than: Duration::from_secs(3_600) }
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
    /// It reads the entries that are kept, 1,024 in a dozen or two of round trips, and is linear in the blobs of the
    /// canvas.
    ///
    /// # Errors
    ///
    /// [`EngineError::FaceNotSupported`] where the canvas has a face of which this library cannot say what it needs, and
    /// then nothing is dropped; [`EngineError::Contention`] where others change the canvas all the time;
    /// [`EngineError::NotFound`]; [`EngineError::Damaged`]; faults of the store. It may be asked for again after each.
    pub async fn collect(&self, canvas: &CanvasId, collection: Collection) -> Result<Dropped, EngineError> {
        let history = collection.history.unwrap_or(u64::MAX).min(self.policy.history);
        let older_than = collection.older_than.max(self.policy.min_blob_age);
        self.drop_unneeded(canvas, history, older_than).await
    }

    /// Erases every text of a canvas but the one that it has now, for a text that must be gone, such as a pasted secret. The
    /// host edits it out first, of the document, of the board, and of the artefact by promoting: what these hold stays.
    ///
    /// The history is cleared, and so are the records of actions. Receipts keep that a call was answered and not what: the same call again is refused with
    /// `CALL_ABANDONED`, never done twice, and [`Engine::resolve`] says that it was answered. Conversations get the whole
    /// document next. Then everything goes that the head does not need, however young; engines of other servers may hold
    /// older texts in their caches until they are asked for the canvas again. How far a store overwrites what it drops
    /// its own docs say.
    ///
    /// The same operation again goes on where it was broken off.
    ///
    /// # Errors
    ///
    /// As [`Engine::collect`], with [`EngineError::KeyReused`] and [`EngineError::Abandoned`]. After each some of it may be
    /// done: ask again with the same operation until there is an answer.
    pub async fn erase(
        &self,
        canvas: &CanvasId,
        operation: &OpKey,
        now: Timestamp,
    ) -> Result<Dropped, EngineError> {
        self.run(canvas, Erase { operation }, Begin::Load, now).await?;
        // Texts of before, which the cache has too.
        self.forget(canvas);
        self.drop_unneeded(canvas, self.policy.history, Duration::ZERO).await
    }

    /// Cuts the history and drops what is not needed then.
    pub(super) async fn drop_unneeded(
        &self,
        canvas: &CanvasId,
        history: u64,
        older_than: Duration,
    ) -> Result<Dropped, EngineError> {
        let fault = |fault| EngineError::of(fault, canvas);
        let (mut damaged, mut lost) = (None, None::<Version>);
        for losses in 0..TRIES {
            if let Some(lost) = lost {
                let who = format!("{canvas} {}", lost.as_str());
                self.pause.wait(self.policy.back_off, losses, &who).await;
            }
            let Some(row) = self.store.load(canvas).await.map_err(fault)? else {
                return Err(EngineError::NotFound { canvas: canvas.clone() });
            };
            lost = Some(row.version.clone());
            let head = cut(&row.head, history, self.policy.audit_records());
            let keep = match self.needed_by(head.as_ref().unwrap_or(&row.head)).await {
                Ok(keep) => keep,
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
                    let committed = self.store.commit(commit).await;
                    // The head that is cached, here or with watchers, does not say where the history begins.
                    self.forget(canvas);
                    match committed.map_err(fault)? {
                        Committed::Done { version, .. } => version,
                        Committed::Conflict(_) | Committed::Late { .. } => continue,
                    }
                }
            };
            let collected = self.store.collect(canvas, &keep, older_than, &version).await;
            if let Collected::Done { blobs, bytes } = collected.map_err(fault)? {
                return Ok(Dropped { blobs, bytes });
            }
        }
        Err(EngineError::Contention { canvas: canvas.clone() })
    }

    async fn needed_by(&self, head: &Arc<Head>) -> Result<BTreeSet<BlobId>, EngineError> {
        // What is needed is found without the document.
        let mut walk = Walk::new(self, Arc::clone(head), Blob::text(String::new()));
        super::history::needed(&mut walk).await
    }
}

/// The head with at most `history` entries and `records` of actions; `None` where it has no more.
fn cut(head: &Arc<Head>, history: u64, records: u64) -> Option<Arc<Head>> {
    let (entries_from, records_from) = (head.journal.oldest(history), head.audit.oldest(records));
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
