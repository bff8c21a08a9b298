//! Reads of the journal of a canvas, each of which asks the store for many entries at once.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::{Engine, EngineError};
use crate::history::journal::Entry;
use crate::history::reach::{Chain, ChainStep, Known, Reach};
use crate::model::blob::{Blob, BlobId};
use crate::model::face::Face;
use crate::model::head::Head;
use crate::store::contract::Store;

/// Entries that a walk over all of them reads before it goes on: a few megabytes as a rule.
const WINDOW: u64 = 1_024;

/// The journal of one head, as far as it was read.
pub(super) struct Walk<'a, S> {
    engine: &'a Engine<S>,
    pub(super) head: Arc<Head>,
    pub(super) document: Blob,
    /// What was asked for; `None` where it was only likely to be needed, and is not there or no entry.
    entries: BTreeMap<BlobId, Option<Arc<Entry>>>,
    /// The number of the newest entry that no window has had.
    next: u64,
}

impl<'a, S: Store> Walk<'a, S> {
    pub(super) fn new(engine: &'a Engine<S>, head: Arc<Head>, document: Blob) -> Self {
        let next = head.journal().entries;
        Self { engine, head, document, entries: BTreeMap::new(), next }
    }

    /// The entries of these numbers, newest first, as far as the history has them.
    pub(super) async fn range(
        &mut self,
        wanted: RangeInclusive<u64>,
    ) -> Result<Vec<Arc<Entry>>, EngineError> {
        let head = Arc::clone(&self.head);
        let slot = head.journal();
        let oldest = slot.oldest(self.engine.policy.history);
        let (start, end) = ((*wanted.start()).max(oldest), (*wanted.end()).min(slot.entries));
        loop {
            let reach = Reach::new(slot, oldest, [], |id| self.known(id));
            let wave = reach.wave(start..=end);
            if wave.is_empty() {
                let named = (start..=end).rev().map_while(|number| Some((number, reach.named(number)?)));
                let found = named.map(|(number, id)| {
                    let entry = self.entries.get(&id).and_then(Option::as_ref);
                    entry.filter(|entry| entry.number.get() == number).map(Arc::clone).ok_or(id)
                });
                return found.collect::<Result<_, _>>().map_err(|id| self.damaged(id));
            }
            self.read(&wave, &[]).await?;
        }
    }

    /// The next older entries, newest first; empty after the last one. Keeps in memory what leads to the next ones.
    pub(super) async fn window(&mut self) -> Result<Vec<Arc<Entry>>, EngineError> {
        let oldest = self.next.saturating_sub(WINDOW - 1).max(1);
        let is_near = |entry: &Entry| {
            let number = entry.number.get();
            number <= self.next.saturating_add(WINDOW) || number.is_multiple_of(WINDOW)
        };
        self.entries.retain(|_, entry| entry.as_deref().is_some_and(is_near));
        let entries = self.range(oldest..=self.next).await?;
        self.next = oldest - 1;
        Ok(entries)
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
            match chain.step(slot, (oldest, 1), more, |id| self.known(id)) {
                ChainStep::Entry(entry) => {
                    reads -= 1;
                    if face.is_none_or(|face| entry.step.face() == face) {
                        entries.push(entry.clone());
                    }
                }
                ChainStep::End => break,
                ChainStep::Missing(id, likely) => self.read(&[id], &likely).await?,
                ChainStep::Lost(id) => return Err(self.damaged(id)),
            }
        }
        Ok(entries)
    }

    fn known(&self, id: BlobId) -> Known<'_> {
        match self.entries.get(&id) {
            None => Known::Nothing,
            Some(None) => Known::Lost,
            Some(Some(entry)) => Known::Entry(entry),
        }
    }

    /// Reads entries at once: those that must be there, and those that are only likely to be needed.
    async fn read(&mut self, needed: &[BlobId], likely: &[BlobId]) -> Result<(), EngineError> {
        let ids = [needed, likely].concat();
        let blobs = self.fetch(&ids).await?;
        for (place, (id, blob)) in ids.iter().zip(blobs).enumerate() {
            let entry = blob.as_ref().and_then(Entry::read).map(Arc::new);
            if entry.is_none() && place < needed.len() {
                return Err(self.damaged(*id));
            }
            self.entries.insert(*id, entry);
        }
        Ok(())
    }

    #[cfg(feature = "board")]
    pub(super) async fn blob(&self, id: BlobId) -> Result<Blob, EngineError> {
        self.fetch(&[id]).await?.pop().flatten().ok_or_else(|| self.damaged(id))
    }

    /// Blobs in the order of the ids, all of which must be there.
    pub(super) async fn blobs(&self, ids: &[BlobId]) -> Result<Vec<Blob>, EngineError> {
        let blobs = ids.iter().zip(self.fetch(ids).await?);
        blobs.map(|(id, blob)| blob.ok_or_else(|| self.damaged(*id))).collect()
    }

    /// As many as ids; `None` where one is not there or is another.
    async fn fetch(&self, ids: &[BlobId]) -> Result<Vec<Option<Blob>>, EngineError> {
        let canvas = self.head.canvas();
        let found = self.engine.blobs(canvas, ids).await.map_err(|fault| EngineError::of(fault, canvas))?;
        let found = found.into_iter().chain(std::iter::repeat(None));
        Ok(ids.iter().zip(found).map(|(id, blob)| blob.filter(|blob| blob.id() == *id)).collect())
    }

    pub(super) fn not_supported(&self, face: Face) -> EngineError {
        EngineError::FaceNotSupported { canvas: self.head.canvas().clone(), face }
    }

    pub(super) fn damaged(&self, blob: BlobId) -> EngineError {
        EngineError::Damaged { canvas: self.head.canvas().clone(), blob }
    }
}
