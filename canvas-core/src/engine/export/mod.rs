//! A canvas as a stream of bytes, for backups and to move it to another store.
//!
//! `FORMAT.md` at the root of the repository describes the bytes. `record` writes them, `reader` reads them in pieces of
//! any size, and neither does I/O. An export and an import find the blobs of a canvas by the same walk as a collection.

mod error;
mod import;
mod reader;
mod record;
mod staged;

use std::collections::{BTreeMap, VecDeque, btree_map};
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_core::Stream;

pub use self::error::{ExportFault, ImportError};
pub use self::import::{Import, ImportedCanvas};
use self::record::{Kind, MAGIC, RecordHeader, Tally};
use super::history::{self, NamedBlobs};
use super::trace::Trace;
use super::walk::Walk;
use super::{Engine, EngineError};
use crate::model::blob::{Blob, BlobId};
use crate::model::head::Head;
use crate::model::id::CanvasId;
use crate::store::contract::Store;
use crate::store::error::StoreError;

/// Blobs read at once.
const READ: usize = 32;

/// A canvas in the form of [`Engine::export`], piece by piece.
///
/// It is a [`Stream`] of pieces of bytes. Their concatenation is the export. All pieces are of the revision at which the
/// export began, whatever others write meanwhile. It holds the store open, but not the engine. In memory it keeps the
/// head, the ids of all blobs, and 32 blobs at once.
///
/// After an error, there are no more pieces, and an import refuses the pieces so far, because the last record is missing.
/// Observers see only the requests to the store before the first piece.
pub struct Export<S> {
    source: Arc<Source<S>>,
    /// The blobs not yet read, in the order of their ids, and whether each must exist.
    left: btree_map::IntoIter<BlobId, bool>,
    read: VecDeque<Blob>,
    tally: Tally,
    state: State,
}

struct Source<S> {
    store: Arc<S>,
    head: Arc<Head>,
}

/// Stored blobs, without those that may be missing.
type Read = Pin<Box<dyn Future<Output = Result<Vec<Blob>, EngineError>> + Send>>;

enum State {
    Beginning,
    Blobs,
    /// A read of blobs is in flight. If the call is dropped, the next one continues the read.
    Reading(Read),
    Over,
}

impl<S: Store> Engine<S> {
    /// Exports a canvas with its history, artefact, receipts and records of actions, as a stream of bytes. Use it as a
    /// backup, and to move a canvas to another store with [`Engine::import`]. The page `FORMAT.md` of the repository
    /// describes the bytes.
    ///
    /// A deleted canvas can be exported too, so that its numbers continue elsewhere. Equal canvases have equal exports.
    /// If you move a canvas, first stop the hosts that write to it, because changes after the first piece are left out.
    ///
    /// Before the first piece, it reads the kept entries like [`Engine::collect`]. The time is linear in the blobs of
    /// the canvas.
    ///
    /// ```
    /// # canvas_core::testing::block_on(async {
    /// # use canvas_core::document::Edit;
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CanvasId, Engine, OpKey, Policy};
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let other = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let plan = CanvasId::new("plan")?;
    /// # engine.create(&plan, "# Plan\n", &OpKey::host("create".parse()?), now).await?;
    /// # engine.call(&plan, &OpKey::user("edit".parse()?), Edit::overwrite("# Ours\n"), now).await?.result?;
    /// let mut export = engine.export(&plan).await?;
    /// let mut import = other.import(&plan).await?;
    /// while let Some(piece) = export.next().await {
    ///     import = import.push(&piece?).await?;
    /// }
    /// import.finish().await?;
    ///
    /// assert_eq!(other.snapshot(&plan, now).await?.text(), "# Ours\n");
    /// assert_eq!(other.history(&plan, None, 10, now).await?.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`EngineError::NotFound`] if the canvas never existed, and [`EngineError::FaceNotSupported`] if it has a
    /// face whose blobs this build cannot determine. Other errors, also of a later piece, are [`EngineError::Damaged`]
    /// and failures of the store. A piece may also be [`EngineError::ExportOutdated`].
    pub async fn export(&self, canvas: &CanvasId) -> Result<Export<S>, EngineError> {
        let call = self.tracer.begin(canvas, "export", None);
        let begun = self.export_in(call.trace()).await;
        call.end(begun)
    }

    async fn export_in(&self, trace: Trace<'_>) -> Result<Export<S>, EngineError> {
        let canvas = trace.canvas();
        let mut tries = 0;
        loop {
            let row = self.load(trace).await.map_err(|fault| EngineError::of(fault, canvas))?;
            let row = row.filter(|row| !row.head.is_placeholder());
            let head = row.ok_or_else(|| EngineError::NotFound { canvas: canvas.clone() })?.head;
            match history::needed(&mut Walk::whole(self, trace, Arc::clone(&head))).await {
                // A collection for a later head may have dropped the blob.
                Err(EngineError::Damaged { .. })
                    if tries < history::TRIES && self.has_moved(trace, &head).await? =>
                {
                    tries += 1;
                }
                named => return Ok(Export::new(Arc::clone(&self.store), head, named?)),
            }
        }
    }
}

impl<S: Store> Export<S> {
    fn new(store: Arc<S>, head: Arc<Head>, NamedBlobs { needed, older, .. }: NamedBlobs) -> Self {
        let needed = needed.into_iter().map(|id| (id, true));
        let left = needed.chain(older.into_iter().map(|id| (id, false))).collect::<BTreeMap<_, _>>();
        Self {
            source: Arc::new(Source { store, head }),
            left: left.into_iter(),
            read: VecDeque::new(),
            tally: Tally::new(),
            state: State::Beginning,
        }
    }

    /// Returns the head of the exported revision.
    pub fn head(&self) -> &Head {
        &self.source.head
    }

    /// Returns the next piece, or `None` after the last one. If you drop a call, no piece is lost.
    ///
    /// # Errors
    ///
    /// Returns [`EngineError::ExportOutdated`] if the canvas changed meanwhile and a collection dropped a blob of this
    /// export, [`EngineError::Damaged`], or a failure of the store. After any of them, begin a new export.
    pub async fn next(&mut self) -> Option<Result<Vec<u8>, EngineError>> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    fn record(&mut self, kind: Kind, payload: &[u8]) -> Vec<u8> {
        let header = RecordHeader::of(kind, payload);
        self.tally.add(&header);
        [&header.to_bytes(), payload].concat()
    }
}

impl<S: Store> Source<S> {
    /// Reads blobs, unchanged from the store. The bytes of each fit its id.
    async fn read(self: Arc<Self>, ids: Vec<(BlobId, bool)>) -> Result<Vec<Blob>, EngineError> {
        let canvas = self.head.canvas();
        let fault = |fault: StoreError| EngineError::of(fault, canvas);
        let names: Vec<_> = ids.iter().map(|(id, _)| *id).collect();
        let found = self.store.blobs(canvas, &names).await.map_err(fault)?;
        let mut blobs = Vec::with_capacity(ids.len());
        for ((id, is_needed), blob) in ids.into_iter().zip(found.into_iter().chain(std::iter::repeat(None))) {
            match blob.filter(|blob| blob.id() == id) {
                Some(blob) => blobs.push(blob),
                None if !is_needed => {}
                None => {
                    let row = self.store.load(canvas).await.map_err(fault)?;
                    let canvas = canvas.clone();
                    return Err(match row {
                        Some(row) if *row.head == *self.head => EngineError::Damaged { canvas, blob: id },
                        _ => EngineError::ExportOutdated { canvas },
                    });
                }
            }
        }
        Ok(blobs)
    }
}

impl<S: Store> Stream for Export<S> {
    type Item = Result<Vec<u8>, EngineError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(blob) = self.read.pop_front() {
                return Poll::Ready(Some(Ok(self.record(Kind::Blob, blob.as_bytes()))));
            }
            self.state = match &mut self.state {
                State::Beginning => {
                    let head = self.source.head.to_json();
                    let piece = [MAGIC.to_vec(), self.record(Kind::Head, &head)].concat();
                    self.state = State::Blobs;
                    return Poll::Ready(Some(Ok(piece)));
                }
                State::Blobs => {
                    let ids: Vec<_> = self.left.by_ref().take(READ).collect();
                    if ids.is_empty() {
                        self.state = State::Over;
                        let end = self.tally.end();
                        return Poll::Ready(Some(Ok(self.record(Kind::End, &end))));
                    }
                    State::Reading(Box::pin(Arc::clone(&self.source).read(ids)))
                }
                State::Reading(read) => match ready!(read.as_mut().poll(context)) {
                    Ok(blobs) => {
                        self.read = blobs.into();
                        State::Blobs
                    }
                    Err(error) => {
                        self.state = State::Over;
                        return Poll::Ready(Some(Err(error)));
                    }
                },
                State::Over => return Poll::Ready(None),
            };
        }
    }
}

impl<S> fmt::Debug for Export<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = &self.source.head;
        write!(f, "Export({:?} at {})", head.canvas(), head.revision_id())
    }
}
