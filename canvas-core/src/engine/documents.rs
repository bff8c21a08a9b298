//! Reads of blobs, of which those that are lists of chunks become the texts of documents.
//!
//! * All that the engine reads is text: JSON that this library has written, and documents. So a list is expanded wherever one
//!   is met, and a text is never taken for one. Content that hosts bring, an asset's, is read from the store itself.
//! * The chunks of all lists that are asked for come in one more round trip, less those of the document that the engine has
//!   in its cache.
//! * A list that cannot be one, and one whose chunks are not there or are others, is as a blob that is not there. Nothing
//!   is allocated by what a list says before its chunks are here.

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

/// Texts are put together up to so many bytes, whatever the policy says of documents by now.
const LARGEST: usize = 64 << 20;

/// The chunks because of which lists are no texts, by the ids of the lists.
#[derive(Debug, Default)]
pub(super) struct Lost(BTreeMap<BlobId, BlobId>);

impl Lost {
    /// Names the chunk that is damaged instead of its list.
    pub(super) fn name(&self, error: EngineError) -> EngineError {
        match error {
            EngineError::Damaged { canvas, blob } => EngineError::Damaged { canvas, blob: self.of(blob) },
            error => error,
        }
    }

    /// The chunk because of which a blob is damaged, or that blob.
    pub(super) fn of(&self, blob: BlobId) -> BlobId {
        self.0.get(&blob).copied().unwrap_or(blob)
    }
}

/// A chunk that is here.
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
    /// A document of the canvas by its id, such as [`Step::Document`](crate::history::Step::Document) names. `None` where it is not
    /// there: who asks for one that nothing names may come after a collection.
    ///
    /// # Errors
    ///
    /// [`EngineError::Damaged`] where a chunk of it is not there, or it is no text; faults of the store.
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

    /// Blobs in the order of the ids, documents with their texts.
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

    /// Blobs in the order of the ids, as the store has them.
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

    /// Puts the text into the place of a list that came along with a row. Where that fails it is left out, and asked for
    /// again where it is needed.
    pub(super) async fn expand_sent(&self, trace: Trace<'_>, row: &mut Option<Loaded>) {
        let Some(document) = row.as_mut().map(|row| &mut row.document) else { return };
        let mut sent = [document.take()];
        if self.expand(trace, &mut sent, &mut Lost::default()).await.is_ok() {
            [*document] = sent;
        }
    }

    /// The chunks of those of these documents that have some, as their lists name them. What is not there, or is no list, has
    /// none.
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

    /// Puts texts into the place of lists, and nothing into that of a list that is none.
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
        let limit = LARGEST.max(self.policy.document_bytes);
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

    /// Chunks of the canvas: those of the cached document, and the others from the store.
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

/// A blob as a list; the inner `None` where it is one that this library does not read, and the outer where it is none.
fn list_of(blob: &Blob) -> Option<Option<ChunkList>> {
    let is_list = blob.as_text().is_none() && ChunkList::is_list(blob.as_bytes());
    is_list.then(|| ChunkList::read(blob.id(), blob.as_bytes()))
}

/// The text of a list; else the chunk that is not there or is another, or the list where it says too much.
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
