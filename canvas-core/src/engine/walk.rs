//! Reads of the journal of a canvas, each of which asks the store for many entries at once.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::chain::{Blobs, ChainReader, Ends};
use super::{Engine, EngineError};
use crate::history::journal::Entry;
use crate::history::reach::{Chain, ChainStep};
use crate::model::blob::{Blob, BlobId};
use crate::model::face::Face;
use crate::model::head::Head;
use crate::model::links::Linked;
use crate::store::contract::Store;

/// The journal of one head, as far as it was read.
pub(super) struct Walk<'a, S> {
    engine: &'a Engine<S>,
    pub(super) head: Arc<Head>,
    pub(super) document: Blob,
    journal: ChainReader<'a, S, Entry>,
}

impl<'a, S: Store> Walk<'a, S> {
    pub(super) fn new(engine: &'a Engine<S>, head: Arc<Head>, document: Blob) -> Self {
        let slot = head.journal();
        let (newest, oldest) = (slot.entries, slot.oldest(engine.policy.history));
        let ends = Ends { newest, oldest, marks: slot.marks().collect() };
        let journal = ChainReader::new(Blobs::new(engine, head.canvas().clone()), ends);
        Self { engine, head, document, journal }
    }

    /// The records of the canvas's executed actions.
    pub(super) fn records<E: Linked>(&self) -> ChainReader<'a, S, E> {
        let slot = &self.head.audit;
        let (newest, oldest) = (slot.records, slot.oldest(self.engine.policy.audit_records()));
        let ends = Ends { newest, oldest, marks: slot.marks().collect() };
        ChainReader::new(Blobs::new(self.engine, self.head.canvas().clone()), ends)
    }

    /// The entries of these numbers, newest first, as far as the history has them.
    pub(super) async fn range(
        &mut self,
        wanted: RangeInclusive<u64>,
    ) -> Result<Vec<Arc<Entry>>, EngineError> {
        self.journal.range(wanted).await.map(without_ids)
    }

    /// The next older entries, newest first; empty after the last one. Keeps in memory what leads to the next ones.
    pub(super) async fn window(&mut self) -> Result<Vec<Arc<Entry>>, EngineError> {
        self.journal.window().await.map(without_ids)
    }

    /// What undo, or redo, would take back one after the other. Where another face has made most of the entries, the
    /// search for those of `face` would read the whole journal, so it ends at the reach of an undo.
    pub(super) async fn stack(
        &mut self,
        start: Option<BlobId>,
        face: Option<Face>,
        limit: usize,
    ) -> Result<Vec<Entry>, EngineError> {
        let head = Arc::clone(&self.head);
        let slot = head.journal();
        let oldest = slot.oldest(self.engine.policy.history);
        let (mut entries, mut reads) = (Vec::new(), limit.max(self.engine.policy.history_reach));
        let mut chain = Chain::new(start);
        while entries.len() < limit && reads > 0 {
            let more = reads.min(limit - entries.len());
            match chain.step(slot, (oldest, 1), more, |id| self.journal.known(id)) {
                ChainStep::Entry(entry) => {
                    reads -= 1;
                    if face.is_none_or(|face| entry.step.face() == face) {
                        entries.push(entry.clone());
                    }
                }
                ChainStep::End => break,
                ChainStep::Missing(id, likely) => self.journal.read(&[id], &likely).await?,
                ChainStep::Lost(id) => return Err(self.damaged(id)),
            }
        }
        Ok(entries)
    }

    #[cfg(any(feature = "board", feature = "surface"))]
    pub(super) async fn blob(&self, id: BlobId) -> Result<Blob, EngineError> {
        self.blobs(&[id]).await?.pop().ok_or_else(|| self.damaged(id))
    }

    /// Blobs in the order of the ids, all of which must be there.
    pub(super) async fn blobs(&self, ids: &[BlobId]) -> Result<Vec<Blob>, EngineError> {
        Blobs::new(self.engine, self.head.canvas().clone()).all(ids).await
    }

    pub(super) fn not_supported(&self, face: Face) -> EngineError {
        EngineError::FaceNotSupported { canvas: self.head.canvas().clone(), face }
    }

    pub(super) fn damaged(&self, blob: BlobId) -> EngineError {
        EngineError::Damaged { canvas: self.head.canvas().clone(), blob }
    }
}

fn without_ids<E>(entries: Vec<(BlobId, Arc<E>)>) -> Vec<Arc<E>> {
    entries.into_iter().map(|(_, entry)| entry).collect()
}
