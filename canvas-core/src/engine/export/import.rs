//! Imports. Blobs are stored before the head, so no half canvas is ever visible.
//!
//! * If all blobs fit into one commit, it also has the head, and there is no other commit.
//! * Otherwise, the commits before it have a tombstone as their head ([`Head::placeholder`]), as if the canvas had never
//!   existed. If the import ends early, the tombstone and blobs that a collection drops remain, and the
//!   canvas can be imported again.
//! * Each commit expects the version of the one before, so two imports cannot mix. A collection of the placeholder
//!   first changes the version, so the import fails before it can rely on dropped blobs.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::error::ImportError;
use super::reader::{Reader, Record};
use super::staged::Staged;
use crate::engine::documents::LARGEST;
use crate::engine::history::{self, NamedBlobs};
use crate::engine::trace::CallTrace;
use crate::engine::walk::Walk;
use crate::engine::{Engine, EngineError};
use crate::model::blob::{Blob, BlobId};
use crate::model::format::HeadError;
use crate::model::head::Head;
use crate::model::id::CanvasId;
use crate::model::revision::RevisionId;
use crate::store::contract::{Commit, Committed, Loaded, Store, Version};
use crate::store::error::StoreError;

/// Bytes of blobs beyond which they are stored before the head.
const COMMIT_BYTES: usize = 4 << 20;

/// Bytes counted for a blob in addition to its own, so that a commit does not get a million small ones.
const BLOB: usize = 256;

/// An import in progress, from [`Engine::import`].
///
/// Each call takes it and returns it, because an error ends the import. If you drop it, or a call, the canvas is not created.
/// It keeps the ids of all blobs in memory, and up to 4 MiB of blobs, or one that is larger. [`Import::finish`] reads the
/// entries of up to 1,024 changes at once, like [`Engine::collect`].
#[must_use = "the canvas exists only after `finish`"]
pub struct Import<'a, S> {
    engine: &'a Engine<S>,
    call: CallTrace<'a>,
    reader: Reader,
    head: Option<Arc<Head>>,
    /// The version of the placeholder; `None` if the store has no row.
    expected: Option<Version>,
    /// Blobs not stored yet.
    blobs: BTreeMap<BlobId, Blob>,
    bytes: usize,
    /// The ids of all blobs so far, in order.
    seen: Vec<BlobId>,
}

/// The canvas that [`Import::finish`] created.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ImportedCanvas {
    /// The revision of the canvas when it was exported.
    pub revision: RevisionId,
    /// The number of blobs that the export had.
    pub blobs: u64,
    /// Their total size, in bytes.
    pub bytes: u64,
}

impl<S: Store> Engine<S> {
    /// Begins the import of a canvas that [`Engine::export`] wrote. You pass its bytes in order, in pieces of any size,
    /// and end with [`Import::finish`]. The canvas then has the same revision, history, artefact and receipts, so
    /// undo and repeated calls work as before. Until then, the canvas does not exist.
    ///
    /// The canvas keeps its id, because the answers in its receipts may contain it. You name it, so that bytes from
    /// elsewhere cannot create another one.
    ///
    /// The bytes are not trusted. The canvas is created only if each blob has its hash, the head can be read, and all blobs
    /// that the head and the journal name are there. However, an import does not check who wrote them. If somebody else
    /// hands you an export, its history and receipts are theirs.
    ///
    /// If the export is larger than 4 MiB, blobs are stored as they arrive, under the tombstone of a canvas that never
    /// existed. If the import fails after that, [`Engine::collect`] drops the blobs, and you can import the canvas
    /// again. The tombstone stays in the list of canvases. Actions in progress, such as a refresh, run on in the copy
    /// too, so stop the hosts of one of the two canvases. See [`Engine::export`] for an example.
    ///
    /// # Errors
    ///
    /// Returns [`ImportError::Exists`] if the store has the canvas or its tombstone, or a failure of the store.
    pub async fn import<'a>(&'a self, canvas: &'a CanvasId) -> Result<Import<'a, S>, ImportError> {
        let call = self.tracer.begin(canvas, "import", None);
        let row = self.load(call.trace()).await.map_err(|fault| EngineError::of(fault, canvas).into());
        let expected = row.and_then(|row: Option<Loaded>| match row {
            None => Ok(None),
            Some(row) if row.head.is_placeholder() => Ok(Some(row.version)),
            Some(_) => Err(ImportError::Exists { canvas: canvas.clone() }),
        });
        let expected = match expected {
            Ok(expected) => expected,
            Err(error) => return call.end(Err(error)),
        };
        let reader = Reader::new(self.largest_blob() as u64);
        let (blobs, seen) = Default::default();
        Ok(Import { engine: self, call, reader, head: None, expected, blobs, bytes: 0, seen })
    }

    /// The largest size of a blob or head that an import accepts, in bytes.
    fn largest_blob(&self) -> usize {
        let largest = LARGEST.max(self.policy.document.bytes);
        #[cfg(feature = "surface")]
        let largest = largest.max(self.policy.surface.asset_bytes);
        largest
    }
}

impl<'a, S: Store> Import<'a, S> {
    /// Takes the next bytes of the export.
    ///
    /// # Errors
    ///
    /// Returns an [`ImportError`] with the first fault in the bytes, [`ImportError::Exists`] if the canvas was created
    /// meanwhile, or a failure of the store.
    pub async fn push(mut self, bytes: &[u8]) -> Result<Self, ImportError> {
        match self.push_in(bytes).await {
            Ok(()) => Ok(self),
            Err(error) => self.call.end(Err(error)),
        }
    }

    async fn push_in(&mut self, mut bytes: &[u8]) -> Result<(), ImportError> {
        while let Some(record) = self.reader.next(&mut bytes)? {
            match record {
                Record::Head(json) => self.head = Some(Arc::new(self.read_head(&json)?)),
                Record::Blob(blob) => {
                    self.bytes = self.bytes.saturating_add(blob.as_bytes().len() + BLOB);
                    self.seen.push(blob.id());
                    self.blobs.insert(blob.id(), blob);
                    if self.bytes > COMMIT_BYTES {
                        self.put().await?;
                    }
                }
                Record::End => {}
            }
        }
        Ok(())
    }

    /// Verifies the whole export, and creates the canvas.
    ///
    /// # Errors
    ///
    /// Returns [`ImportError::Cut`] if bytes are missing, [`ImportError::Incomplete`] or [`ImportError::Unnamed`] if
    /// the canvas names other blobs, and the errors of [`Import::push`]. After a failure of the store with the
    /// code `STORE_INDETERMINATE`, the canvas may exist.
    pub async fn finish(mut self) -> Result<ImportedCanvas, ImportError> {
        let finished = self.finish_in().await;
        self.call.end(finished)
    }

    async fn finish_in(&mut self) -> Result<ImportedCanvas, ImportError> {
        self.reader.finish()?;
        let head = self.head.take().expect("a whole export has a head");
        let blobs = Arc::new(std::mem::take(&mut self.blobs));
        if let Err(error) = self.verify(&head, &blobs).await {
            return Err(match self.dropped(&error).await? {
                Some(overtaken) => overtaken,
                None => error,
            });
        }
        let put = Arc::unwrap_or_clone(blobs).into_values().collect();
        match self.commit(Arc::clone(&head), put).await {
            Err(ImportError::Engine(EngineError::Store(fault)))
                // If the question fails too, the answer is still not known.
                if !fault.is_definite() && !self.is_stored(&head).await.unwrap_or(false) =>
            {
                return Err(EngineError::Store(fault).into());
            }
            Err(ImportError::Engine(EngineError::Store(fault))) if !fault.is_definite() => {}
            committed => committed?,
        }
        let (blobs, bytes) = self.reader.totals();
        Ok(ImportedCanvas { revision: head.revision_id(), blobs, bytes })
    }

    fn canvas(&self) -> &'a CanvasId {
        self.call.trace().canvas()
    }

    fn fault(&self, fault: StoreError) -> ImportError {
        EngineError::of(fault, self.canvas()).into()
    }

    fn read_head(&self, json: &[u8]) -> Result<Head, ImportError> {
        let canvas = self.canvas();
        Head::from_json(canvas, json).map_err(|reason| match reason {
            HeadError::Foreign { found } => ImportError::OtherCanvas { canvas: canvas.clone(), found },
            reason => ImportError::Head { canvas: canvas.clone(), reason },
        })
    }

    /// Checks that the export has the blobs that the head and the entries name, and no others.
    async fn verify(&self, head: &Arc<Head>, blobs: &Arc<BTreeMap<BlobId, Blob>>) -> Result<(), ImportError> {
        let (store, blobs) = (Arc::clone(&self.engine.store), Arc::clone(blobs));
        let staged = Engine::new(Staged { store, blobs }, self.engine.policy);
        let mut walk = Walk::whole(&staged, self.call.trace(), Arc::clone(head));
        let named = history::needed(&mut walk).await.map_err(|error| match error {
            EngineError::Damaged { blob, .. } => ImportError::Incomplete { blob },
            error => error.into(),
        });
        let NamedBlobs { needed, older, .. } = named?;
        let missing = needed.iter().find(|id| self.seen.binary_search(id).is_err());
        let unnamed = self.seen.iter().find(|id| !needed.contains(id) && !older.contains(id));
        match (missing, unnamed) {
            (Some(blob), _) => Err(ImportError::Incomplete { blob: *blob }),
            (None, Some(blob)) => Err(ImportError::Unnamed { blob: *blob }),
            (None, None) => Ok(()),
        }
    }

    /// Returns the error if a collection dropped the blob that is missing, although the export had it.
    async fn dropped(&self, error: &ImportError) -> Result<Option<ImportError>, ImportError> {
        let ImportError::Incomplete { blob } = error else { return Ok(None) };
        if self.expected.is_none() || self.seen.binary_search(blob).is_err() {
            return Ok(None);
        }
        let row = self.engine.load(self.call.trace()).await.map_err(|fault| self.fault(fault))?;
        let is_same = row.as_ref().map(|row| &row.version) == self.expected.as_ref();
        Ok((!is_same).then(|| self.overtaken(row.as_ref())))
    }

    /// Stores the blobs at hand under the placeholder.
    async fn put(&mut self) -> Result<(), ImportError> {
        let (head, nothing) = Head::placeholder(self.canvas().clone());
        let mut blobs: Vec<_> = std::mem::take(&mut self.blobs).into_values().collect();
        blobs.push(nothing);
        self.bytes = 0;
        self.commit(Arc::new(head), blobs).await
    }

    async fn commit(&mut self, head: Arc<Head>, blobs: Vec<Blob>) -> Result<(), ImportError> {
        let commit = Commit { expected: self.expected.take(), head, blobs, not_after: None };
        let committed = self.engine.commit(self.call.trace(), commit).await;
        // Watchers, and the cache, may know of the canvas that it does not exist.
        self.engine.forget(self.canvas());
        match committed.map_err(|fault| self.fault(fault))? {
            Committed::Done { version, .. } => {
                self.expected = Some(version);
                Ok(())
            }
            Committed::Conflict(row) => Err(self.overtaken(row.as_ref())),
            Committed::Late { .. } => Err(self.overtaken(None)),
        }
    }

    /// The error if another writer changed the row, or created it.
    fn overtaken(&self, row: Option<&Loaded>) -> ImportError {
        let canvas = self.canvas().clone();
        match row {
            Some(row) if !row.head.is_placeholder() => ImportError::Exists { canvas },
            _ => EngineError::Contention { canvas }.into(),
        }
    }

    /// Whether the store has this head.
    async fn is_stored(&self, head: &Head) -> Result<bool, ImportError> {
        let row = self.engine.load(self.call.trace()).await.map_err(|fault| self.fault(fault))?;
        Ok(row.is_some_and(|row| *row.head == *head))
    }
}

impl<S> fmt::Debug for Import<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Import").field("reader", &self.reader).finish_non_exhaustive()
    }
}
