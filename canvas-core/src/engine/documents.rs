//! Reads of blobs. A blob that is a list of chunks becomes the text of its document.
//!
//! * The engine reads only text: JSON that this library wrote, and documents. So it expands every list that it meets,
//!   and never mistakes a text for a list. Content from hosts, such as an asset, is read from the store itself.
//! * One more round trip fetches the chunks of all requested lists, except for the document in the engine's cache.
//! * An invalid list counts as missing, and so does a list whose chunks are missing or have other hashes. Before the
//!   chunks of a list are fetched, no memory is allocated for the lengths that it states.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::trace::Trace;
use super::{Engine, EngineError};
use crate::model::blob::{Blob, BlobId};
use crate::model::chunk_list::ChunkList;
use crate::model::id::CanvasId;
use crate::store::contract::{Loaded, Store};
use crate::store::error::StoreError;

/// The maximum size of an assembled text, in bytes, if the policy does not allow larger documents. A lower limit of the
/// policy does not count.
pub(super) const LARGEST: usize = 64 << 20;

/// For each list that cannot be expanded, the chunk that is to blame.
#[derive(Debug, Default)]
pub(super) struct Lost(BTreeMap<BlobId, BlobId>);

impl Lost {
    /// Names the damaged chunk instead of its list.
    pub(super) fn name(&self, error: EngineError) -> EngineError {
        match error {
            EngineError::Damaged { canvas, blob } => EngineError::Damaged { canvas, blob: self.of(blob) },
            error => error,
        }
    }

    /// The damaged chunk of a blob, or the blob itself.
    pub(super) fn of(&self, blob: BlobId) -> BlobId {
        self.0.get(&blob).copied().unwrap_or(blob)
    }
}

/// A chunk at hand.
enum Piece {
    Fetched(Blob),
    Cached(Arc<String>, Range<usize>),
}

impl Piece {
    fn text(&self) -> Option<&str> {
        match self {
            Self::Fetched(blob) => blob.as_text(),
            Self::Cached(text, range) => text.get(range.clone()),
        }
    }
}

impl<S: Store> Engine<S> {
    /// Returns a document of the canvas by its id, for example an id that
    /// [`Step::Document`](crate::history::Step::Document) names. It returns `None` if the document is missing, because
    /// a collection may drop a document that the canvas no longer names. For the document at an old revision, see
    /// [`history`](crate::history#reading-the-document-at-an-old-revision).
    ///
    /// # Errors
    ///
    /// Returns [`EngineError::Damaged`] if a chunk of the document is missing or the document is not text, or a failure
    /// of the store.
    pub async fn document(&self, canvas: &CanvasId, id: BlobId) -> Result<Option<Blob>, EngineError> {
        let call = self.tracer.begin(canvas, "document", None);
        let found = self.document_in(call.trace(), id).await;
        call.end(found)
    }

    async fn document_in(&self, trace: Trace<'_>, id: BlobId) -> Result<Option<Blob>, EngineError> {
        let canvas = trace.canvas();
        let mut lost = Lost::default();
        let found = self.blobs(trace, &[id], &mut lost).await;
        let found = found.map_err(|fault| EngineError::of(fault, canvas))?;
        let damaged = |blob| EngineError::Damaged { canvas: canvas.clone(), blob };
        match found.into_iter().next().flatten() {
            Some(blob) if blob.id() == id && blob.as_text().is_some() => Ok(Some(blob)),
            Some(_) => Err(damaged(id)),
            None if lost.0.contains_key(&id) => Err(damaged(lost.of(id))),
            None => Ok(None),
        }
    }

    /// Returns blobs in the order of the ids, with texts in place of chunk lists.
    pub(super) async fn blobs(
        &self,
        trace: Trace<'_>,
        ids: &[BlobId],
        lost: &mut Lost,
    ) -> Result<Vec<Option<Blob>>, StoreError> {
        let mut blobs = self.stored_blobs(trace, ids).await?;
        self.expand(trace, &mut blobs, lost).await?;
        Ok(blobs)
    }

    /// Returns blobs in the order of the ids, unchanged from the store.
    pub(super) async fn stored_blobs(
        &self,
        trace: Trace<'_>,
        ids: &[BlobId],
    ) -> Result<Vec<Option<Blob>>, StoreError> {
        let (canvas, began) = (trace.canvas(), trace.now());
        let found = match ids {
            [] => return Ok(Vec::new()),
            [id] => self.store.blob(canvas, *id).await.map(|blob| vec![blob]),
            ids => self.store.blobs(canvas, ids).await,
        };
        trace.fetched(began, ids.len(), &found);
        found
    }

    /// Expands the document that a store sent along with a row, if it is a chunk list. If this fails, the document is
    /// left out and fetched again when it is needed.
    pub(super) async fn expand_sent(&self, trace: Trace<'_>, row: &mut Option<Loaded>) {
        let Some(document) = row.as_mut().map(|row| &mut row.document) else { return };
        let mut sent = [document.take()];
        if self.expand(trace, &mut sent, &mut Lost::default()).await.is_ok() {
            [*document] = sent;
        }
    }

    /// Returns the chunks that the lists of these documents name. A document that is missing or is not a list has no
    /// chunks.
    pub(super) async fn chunks_of(
        &self,
        trace: Trace<'_>,
        documents: &[BlobId],
    ) -> Result<Vec<BlobId>, StoreError> {
        let (cached, mut chunks) = (self.cached_document(trace.canvas()), Vec::new());
        let is_cached = |id: &BlobId| cached.as_ref().is_some_and(|cached| cached.id() == *id);
        if documents.iter().any(is_cached) {
            chunks.extend(cached.as_ref().and_then(Blob::list).into_iter().flat_map(ChunkList::ids));
        }
        let others: Vec<_> = documents.iter().copied().filter(|id| !is_cached(id)).collect();
        let found = self.stored_blobs(trace, &others).await?;
        for (id, blob) in others.iter().zip(found) {
            let list = blob.filter(|blob| blob.id() == *id).and_then(|blob| list_of(&blob)?);
            chunks.extend(list.iter().flat_map(|list| list.ids()));
        }
        Ok(chunks)
    }

    /// Replaces lists by their texts, and invalid lists by `None`.
    async fn expand(
        &self,
        trace: Trace<'_>,
        blobs: &mut [Option<Blob>],
        lost: &mut Lost,
    ) -> Result<(), StoreError> {
        let mut lists = Vec::new();
        for (place, slot) in blobs.iter_mut().enumerate() {
            if let Some(list) = slot.as_ref().and_then(list_of) {
                *slot = None;
                lists.extend(list.map(|list| (place, list)));
            }
        }
        if lists.is_empty() {
            return Ok(());
        }
        let pieces = self.pieces(trace, lists.iter().flat_map(|(_, list)| list.ids())).await?;
        let limit = LARGEST.max(self.policy.document.bytes);
        for (place, list) in lists {
            match joined(&list, &pieces, limit) {
                Ok(text) => blobs[place] = Some(Blob::chunked(list, text)),
                Err(chunk) => {
                    let _ = lost.0.insert(list.id(), chunk);
                }
            }
        }
        Ok(())
    }

    /// Returns chunks of the canvas. Chunks of the cached document come from memory, the others from the store.
    async fn pieces(
        &self,
        trace: Trace<'_>,
        ids: impl Iterator<Item = &BlobId>,
    ) -> Result<BTreeMap<BlobId, Piece>, StoreError> {
        let mut pieces = BTreeMap::new();
        if let Some((document, list)) =
            self.cached_document(trace.canvas()).as_ref().and_then(|b| Some((b, b.list()?)))
        {
            let text = document.shared_text();
            let piece = |(range, id)| (id, Piece::Cached(Arc::clone(&text), range));
            pieces.extend(list.entries().map(piece));
        }
        let mut missing: Vec<_> = ids.copied().filter(|id| !pieces.contains_key(id)).collect();
        missing.sort_unstable();
        missing.dedup();
        let found = self.stored_blobs(trace, &missing).await?;
        let found = missing.iter().zip(found).filter_map(|(id, blob)| Some((*id, blob?)));
        pieces
            .extend(found.filter(|(id, blob)| blob.id() == *id).map(|(id, blob)| (id, Piece::Fetched(blob))));
        Ok(pieces)
    }

    fn cached_document(&self, canvas: &CanvasId) -> Option<Blob> {
        self.cache().document(canvas)
    }
}

/// Reads a blob as a list. Returns the outer `None` if it is not a list, and the inner `None` if it is a list that this
/// library cannot read.
fn list_of(blob: &Blob) -> Option<Option<ChunkList>> {
    let is_list = blob.as_text().is_none() && ChunkList::is_list(blob.as_bytes());
    is_list.then(|| ChunkList::read(blob.id(), blob.as_bytes()))
}

/// Assembles the text of a list. The error is the chunk that is missing or has another length, or the list if its text
/// is too long.
fn joined(list: &ChunkList, pieces: &BTreeMap<BlobId, Piece>, limit: usize) -> Result<String, BlobId> {
    let piece = |range: &Range<usize>, id: BlobId| {
        let text = pieces.get(&id).and_then(Piece::text);
        text.filter(|text| text.len() == range.len()).ok_or(id)
    };
    list.entries().try_for_each(|(range, id)| piece(&range, id).map(drop))?;
    if list.text_len() > limit {
        return Err(list.id());
    }
    let mut text = String::with_capacity(list.text_len());
    for (range, id) in list.entries() {
        text.push_str(piece(&range, id)?);
    }
    Ok(text)
}
