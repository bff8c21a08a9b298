//! Reads chains of blobs in which each blob names some earlier ones, with few round trips for many blobs.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::documents::Lost;
use super::trace::Trace;
use super::{Engine, EngineError};
use crate::history::reach::{Known, Reach};
use crate::model::blob::{Blob, BlobId};
use crate::model::links::Linked;
use crate::store::contract::Store;

/// The number of entries that a walk over the whole chain reads per step; usually a few megabytes.
const WINDOW: u64 = 1_024;

/// The numbers of a chain's newest entry and of its oldest kept one, according to the head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ends {
    pub(super) newest: u64,
    pub(super) oldest: u64,
    /// The entries that the head names, with their numbers.
    pub(super) marks: Vec<(u64, BlobId)>,
}

/// Reads a chain, and keeps the entries that later reads need.
pub(super) struct ChainReader<'a, S, E> {
    blobs: Blobs<'a, S>,
    ends: Ends,
    /// The requested entries; `None` if an entry was only likely to be needed, and its blob is missing or not an entry.
    entries: BTreeMap<BlobId, Option<Arc<E>>>,
    /// The number of the newest entry that no window has returned.
    next: u64,
    /// Entries older than the last window, named by its oldest entry. A chain without links is read on from them.
    frontier: Vec<(u64, BlobId)>,
}

impl<'a, S: Store, E: Linked> ChainReader<'a, S, E> {
    pub(super) fn new(blobs: Blobs<'a, S>, ends: Ends) -> Self {
        let next = ends.newest;
        Self { blobs, ends, entries: BTreeMap::new(), next, frontier: Vec::new() }
    }

    #[cfg(feature = "surface")]
    pub(super) const fn newest(&self) -> u64 {
        self.ends.newest
    }

    /// Returns the kept entries of these numbers with their ids, newest first.
    pub(super) async fn range(
        &mut self,
        wanted: RangeInclusive<u64>,
    ) -> Result<Vec<(BlobId, Arc<E>)>, EngineError> {
        let (start, end) = ((*wanted.start()).max(self.ends.oldest), (*wanted.end()).min(self.ends.newest));
        loop {
            let marks = self.ends.marks.iter().chain(&self.frontier).copied();
            let reach = Reach::new(marks, self.ends.oldest, [], |id| self.known(id));
            let wave = reach.wave(start..=end);
            if wave.is_empty() {
                let named = (start..=end).rev().map_while(|number| Some((number, reach.named(number)?)));
                let found = named.map(|(number, id)| {
                    let entry = self.entries.get(&id).and_then(Option::as_ref);
                    let entry = entry.filter(|entry| entry.number() == number).map(Arc::clone);
                    entry.map(|entry| (id, entry)).ok_or(id)
                });
                return found.collect::<Result<_, _>>().map_err(|id| self.blobs.damaged(id));
            }
            self.read(&wave, &[]).await?;
        }
    }

    /// Returns the next window of older entries, newest first. It is empty at the end of the chain. Drops entries from
    /// memory unless later windows need their links.
    pub(super) async fn window(&mut self) -> Result<Vec<(BlobId, Arc<E>)>, EngineError> {
        let oldest = self.next.saturating_sub(WINDOW - 1).max(1);
        let is_near = |entry: &E| {
            let number = entry.number();
            number <= self.next.saturating_add(WINDOW) || number.is_multiple_of(WINDOW)
        };
        self.entries.retain(|_, entry| entry.as_deref().is_some_and(is_near));
        let entries = self.range(oldest..=self.next).await?;
        self.next = oldest - 1;
        if let Some((_, last)) = entries.last() {
            self.frontier = last.named().filter(|(number, _)| *number < last.number()).collect();
        }
        Ok(entries)
    }

    pub(super) fn known(&self, id: BlobId) -> Known<'_, E> {
        match self.entries.get(&id) {
            None => Known::Nothing,
            Some(None) => Known::Lost,
            Some(Some(entry)) => Known::Entry(entry),
        }
    }

    /// Reads entries in one request. Those in `needed` must exist; those in `likely` may be missing.
    pub(super) async fn read(&mut self, needed: &[BlobId], likely: &[BlobId]) -> Result<(), EngineError> {
        let ids = [needed, likely].concat();
        let blobs = self.blobs.find(&ids).await?;
        for (place, (id, blob)) in ids.iter().zip(blobs).enumerate() {
            let entry = blob.as_ref().and_then(E::read).map(Arc::new);
            if entry.is_none() && place < needed.len() {
                return Err(self.blobs.damaged(*id));
            }
            self.entries.insert(*id, entry);
        }
        Ok(())
    }
}

/// The blobs of a canvas, with texts in place of chunk lists.
#[derive(Debug)]
pub(super) struct Blobs<'a, S> {
    engine: &'a Engine<S>,
    trace: Trace<'a>,
}

impl<'a, S: Store> Blobs<'a, S> {
    pub(super) fn new(engine: &'a Engine<S>, trace: Trace<'a>) -> Self {
        Self { engine, trace }
    }

    /// Returns blobs in the order of the ids. All must exist.
    pub(super) async fn all(&self, ids: &[BlobId]) -> Result<Vec<Blob>, EngineError> {
        let (found, lost) = self.find_or_lost(ids).await?;
        let blobs = ids.iter().zip(found);
        blobs.map(|(id, blob)| blob.ok_or_else(|| self.damaged(lost.of(*id)))).collect()
    }

    /// Returns one item per id; `None` if a blob is missing or has another id.
    pub(super) async fn find(&self, ids: &[BlobId]) -> Result<Vec<Option<Blob>>, EngineError> {
        Ok(self.find_or_lost(ids).await?.0)
    }

    async fn find_or_lost(&self, ids: &[BlobId]) -> Result<(Vec<Option<Blob>>, Lost), EngineError> {
        let mut lost = Lost::default();
        let found = self.engine.blobs(self.trace, ids, &mut lost).await;
        let found = found.map_err(|fault| EngineError::of(fault, self.trace.canvas()))?;
        let found = found.into_iter().chain(std::iter::repeat(None));
        let found = ids.iter().zip(found).map(|(id, blob)| blob.filter(|blob| blob.id() == *id));
        Ok((found.collect(), lost))
    }

    pub(super) async fn chunks_of(&self, documents: &[BlobId]) -> Result<Vec<BlobId>, EngineError> {
        let chunks = self.engine.chunks_of(self.trace, documents).await;
        chunks.map_err(|fault| EngineError::of(fault, self.trace.canvas()))
    }

    pub(super) fn damaged(&self, blob: BlobId) -> EngineError {
        EngineError::Damaged { canvas: self.trace.canvas().clone(), blob }
    }
}
