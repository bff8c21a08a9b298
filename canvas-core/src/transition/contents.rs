//! What is loaded of a canvas: one slot for each file of its tree.

use std::sync::{Arc, OnceLock};

use canvas_patch::TextEdit;

#[cfg(feature = "board")]
use crate::board::{Board, LoadError};
use crate::document::outline::DocumentOutline;
use crate::model::blob::{Blob, BlobId};
use crate::model::file::{PerFile, TreeFile};
use crate::model::head::Head;
#[cfg(feature = "recipe")]
use crate::recipe::{DataManifest, StoredRecipe};
#[cfg(feature = "surface")]
use crate::surface::descriptor::StoredDescriptor;
#[cfg(feature = "surface")]
use crate::surface::{Assets, Ceiling, Spec, SurfaceLimits, SurfaceState};
use crate::transition::fetched::Fetched;

/// The loaded files of a canvas. What is not loaded yet has an empty slot.
#[derive(Debug, Clone, Default)]
#[cfg_attr(test, derive(PartialEq, Eq, Hash))]
pub(crate) struct Contents(PerFile<Option<Arc<Slot>>>);

/// A file's blob, and beside it what was read out of it and of the blobs that it leads to.
///
/// Copies of contents share it: who decodes a file does it for all.
#[derive(Debug)]
struct Slot {
    blob: Blob,
    value: OnceLock<Value>,
}

/// A file that was read. A document is its blob's text; its outline is made when it is asked for.
#[derive(Debug, Clone)]
enum Value {
    Document(Arc<DocumentOutline>),
    #[cfg(feature = "board")]
    Board(Arc<Board>),
    #[cfg(feature = "surface")]
    State(SurfaceState),
    #[cfg(feature = "surface")]
    Descriptor(Arc<StoredDescriptor>),
    #[cfg(feature = "surface")]
    Spec(Arc<Spec>),
    #[cfg(feature = "surface")]
    Assets(Arc<Assets>),
    #[cfg(feature = "recipe")]
    Recipe(Arc<StoredRecipe>),
    #[cfg(feature = "recipe")]
    Data(Arc<DataManifest>),
}

/// Why a file is not read.
#[cfg(feature = "surface")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadError {
    /// Its blob must be fetched first.
    Missing(BlobId),
    /// It is not what this library writes.
    Damaged(BlobId),
}

/// Bytes in memory for each byte of the JSON of a file, where members and strings are short.
#[cfg(feature = "surface")]
const BYTES: usize = 6;

impl Slot {
    /// A blob, with nothing read out of it.
    fn new(file: TreeFile, blob: Blob) -> Self {
        let value = OnceLock::new();
        if file == TreeFile::Document {
            let _ = value.set(Value::Document(DocumentOutline::new(&blob)));
        }
        Self { blob, value }
    }

    fn approximate_bytes(&self) -> usize {
        let read = match self.value.get() {
            Some(Value::Document(outline)) => outline.approximate_bytes(),
            #[cfg(feature = "board")]
            Some(Value::Board(board)) => board.approximate_bytes(&self.blob),
            #[cfg(feature = "surface")]
            Some(Value::State(_) | Value::Descriptor(_) | Value::Spec(_) | Value::Assets(_)) => {
                self.blob.as_bytes().len() * BYTES
            }
            #[cfg(feature = "recipe")]
            Some(Value::Recipe(_) | Value::Data(_)) => self.blob.as_bytes().len() * BYTES,
            None => 0,
        };
        self.blob.approximate_bytes() + read
    }

    fn outline(&self) -> Option<&Arc<DocumentOutline>> {
        match self.value.get() {
            Some(Value::Document(outline)) => Some(outline),
            _ => None,
        }
    }
}

/// The blob names the value, so it alone tells slots apart.
#[cfg(test)]
impl PartialEq for Slot {
    fn eq(&self, other: &Self) -> bool {
        self.blob == other.blob
    }
}

#[cfg(test)]
impl Eq for Slot {}

#[cfg(test)]
impl std::hash::Hash for Slot {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.blob.hash(state);
    }
}

impl Contents {
    /// The blob of a file, where this is it.
    pub(crate) fn file(&self, file: TreeFile, id: BlobId) -> Option<&Blob> {
        self.slot(file, id).map(|slot| &slot.blob)
    }

    fn slot(&self, file: TreeFile, id: BlobId) -> Option<&Arc<Slot>> {
        self.0[file].as_ref().filter(|slot| slot.blob.id() == id)
    }

    /// The blobs of files that are here.
    pub(crate) fn blobs(&self) -> impl Iterator<Item = &Blob> {
        self.0.iter().flatten().map(|slot| &slot.blob)
    }

    /// A blob, of whatever file.
    pub(crate) fn blob(&self, id: BlobId) -> Option<&Blob> {
        self.blobs().find(|blob| blob.id() == id)
    }

    /// Roughly what it takes in memory.
    pub(crate) fn approximate_bytes(&self) -> usize {
        self.0.iter().flatten().map(|slot| slot.approximate_bytes()).sum()
    }

    /// The document.
    pub(crate) fn document(&self) -> Option<&Blob> {
        self.0[TreeFile::Document].as_ref().map(|slot| &slot.blob)
    }

    /// The outline of the document.
    pub(crate) fn outline(&self) -> Option<&Arc<DocumentOutline>> {
        self.0[TreeFile::Document].as_ref()?.outline()
    }

    /// The board of a root, read once for each slot. What else it needs comes from `blobs`.
    #[cfg(feature = "board")]
    pub(crate) fn board(&self, root: BlobId, blobs: &Fetched) -> Result<Arc<Board>, LoadError> {
        let slot = self.slot(TreeFile::Board, root).ok_or_else(|| LoadError::Missing(vec![root]))?;
        if slot.value.get().is_none() {
            let board = Board::load(&slot.blob, |id| blobs.get(id))?;
            // Whoever came first stays: both have read the same.
            let _ = slot.value.set(Value::Board(Arc::new(board)));
        }
        match slot.value.get() {
            Some(Value::Board(board)) => Ok(Arc::clone(board)),
            _ => Err(LoadError::Damaged(root)),
        }
    }

    /// The state of this blob, read once for each slot.
    #[cfg(feature = "surface")]
    pub(crate) fn state(&self, id: BlobId) -> Result<SurfaceState, ReadError> {
        let read = |blob: &Blob| blob.as_text().and_then(SurfaceState::read).map(Value::State);
        match self.read(TreeFile::State, id, read)? {
            Value::State(state) => Ok(state.clone()),
            _ => Err(ReadError::Damaged(id)),
        }
    }

    /// The descriptor of this blob, read once for each slot.
    #[cfg(feature = "surface")]
    pub(crate) fn descriptor(&self, id: BlobId) -> Result<Arc<StoredDescriptor>, ReadError> {
        let read = |blob: &Blob| StoredDescriptor::read(blob.as_text()?).map(Arc::new).map(Value::Descriptor);
        match self.read(TreeFile::Descriptor, id, read)? {
            Value::Descriptor(descriptor) => Ok(Arc::clone(descriptor)),
            _ => Err(ReadError::Damaged(id)),
        }
    }

    /// The spec of this blob, compiled once for each slot.
    #[cfg(feature = "surface")]
    pub(crate) fn spec(
        &self,
        id: BlobId,
        ceiling: &Ceiling,
        limits: &SurfaceLimits,
    ) -> Result<Arc<Spec>, ReadError> {
        let read = |blob: &Blob| Spec::load(blob.as_text()?, ceiling, limits).map(Arc::new).map(Value::Spec);
        match self.read(TreeFile::Spec, id, read)? {
            Value::Spec(spec) => Ok(Arc::clone(spec)),
            _ => Err(ReadError::Damaged(id)),
        }
    }

    /// The manifest of assets of this blob, read once for each slot.
    #[cfg(feature = "surface")]
    pub(crate) fn assets(&self, id: BlobId) -> Result<Arc<Assets>, ReadError> {
        let read = |blob: &Blob| Assets::read(blob.as_text()?).map(Arc::new).map(Value::Assets);
        match self.read(TreeFile::Assets, id, read)? {
            Value::Assets(assets) => Ok(Arc::clone(assets)),
            _ => Err(ReadError::Damaged(id)),
        }
    }

    /// The recipe of this blob, compiled once for each slot.
    #[cfg(feature = "recipe")]
    pub(crate) fn recipe(&self, id: BlobId) -> Result<Arc<StoredRecipe>, ReadError> {
        let read = |blob: &Blob| StoredRecipe::read(blob).map(Arc::new).map(Value::Recipe);
        match self.read(TreeFile::Recipe, id, read)? {
            Value::Recipe(recipe) => Ok(Arc::clone(recipe)),
            _ => Err(ReadError::Damaged(id)),
        }
    }

    /// The manifest of data of this blob, read once for each slot.
    #[cfg(feature = "recipe")]
    pub(crate) fn manifest(&self, id: BlobId) -> Result<Arc<DataManifest>, ReadError> {
        let read = |blob: &Blob| DataManifest::read(blob.as_text()?).map(Arc::new).map(Value::Data);
        match self.read(TreeFile::Data, id, read)? {
            Value::Data(manifest) => Ok(Arc::clone(manifest)),
            _ => Err(ReadError::Damaged(id)),
        }
    }

    /// What is read out of a file, the first time that it is asked for.
    #[cfg(feature = "surface")]
    fn read(
        &self,
        file: TreeFile,
        id: BlobId,
        read: impl FnOnce(&Blob) -> Option<Value>,
    ) -> Result<&Value, ReadError> {
        let slot = self.slot(file, id).ok_or(ReadError::Missing(id))?;
        if slot.value.get().is_none() {
            let value = read(&slot.blob).ok_or(ReadError::Damaged(id))?;
            let _ = slot.value.set(value);
        }
        slot.value.get().ok_or(ReadError::Damaged(id))
    }

    /// Takes a file's blob, with nothing read out of it.
    pub(crate) fn put(&mut self, file: TreeFile, blob: Blob) {
        self.0[file] = Some(Arc::new(Slot::new(file, blob)));
    }

    /// Takes the document that comes after an older one, whose outline is then brought up to date instead of made anew.
    /// `edits` lead from one to the other, or are left out.
    pub(crate) fn put_document(&mut self, blob: Blob, older: &Self, edits: &[TextEdit]) {
        let slot = older.0[TreeFile::Document].as_ref();
        self.0[TreeFile::Document] = Some(match slot.and_then(|slot| Some((slot, slot.outline()?))) {
            Some((slot, _)) if slot.blob == blob => Arc::clone(slot),
            Some((_, outline)) => {
                let value = Value::Document(outline.followed_by(&blob, edits)).into();
                Arc::new(Slot { blob, value })
            }
            None => Arc::new(Slot::new(TreeFile::Document, blob)),
        });
    }

    /// Takes a board and its root.
    #[cfg(feature = "board")]
    pub(crate) fn put_board(&mut self, root: Blob, board: Arc<Board>) {
        self.0[TreeFile::Board] = Some(Arc::new(Slot { blob: root, value: Value::Board(board).into() }));
    }

    /// Takes a state and its blob.
    #[cfg(feature = "surface")]
    pub(crate) fn put_state(&mut self, blob: Blob, state: SurfaceState) {
        self.0[TreeFile::State] = Some(Arc::new(Slot { blob, value: Value::State(state).into() }));
    }

    /// Takes a descriptor and its blob.
    #[cfg(feature = "surface")]
    pub(crate) fn put_descriptor(&mut self, blob: Blob, descriptor: Arc<StoredDescriptor>) {
        let value = Value::Descriptor(descriptor).into();
        self.0[TreeFile::Descriptor] = Some(Arc::new(Slot { blob, value }));
    }

    /// Takes a spec and its blob.
    #[cfg(feature = "surface")]
    pub(crate) fn put_spec(&mut self, blob: Blob, spec: Arc<Spec>) {
        self.0[TreeFile::Spec] = Some(Arc::new(Slot { blob, value: Value::Spec(spec).into() }));
    }

    /// Takes a recipe.
    #[cfg(feature = "recipe")]
    pub(crate) fn put_recipe(&mut self, blob: Blob, recipe: Arc<StoredRecipe>) {
        let value = Value::Recipe(recipe).into();
        self.0[TreeFile::Recipe] = Some(Arc::new(Slot { blob, value }));
    }

    /// Takes a manifest of data and its blob.
    #[cfg(feature = "recipe")]
    pub(crate) fn put_manifest(&mut self, blob: Blob, manifest: Arc<DataManifest>) {
        let value = Value::Data(manifest).into();
        self.0[TreeFile::Data] = Some(Arc::new(Slot { blob, value }));
    }

    /// The contents of a head: what is here of it, else in `older`, else among `blobs`.
    pub(crate) fn of(self, head: &Head, older: Option<&Self>, blobs: &Fetched) -> Self {
        let mut contents = Self::default();
        for file in TreeFile::ALL {
            let Some(id) = head.file(file) else { continue };
            let known = [Some(&self), older].into_iter().flatten().find_map(|known| known.slot(file, id));
            contents.0[file] = match (known, blobs.get(id)) {
                (Some(slot), _) => Some(Arc::clone(slot)),
                (None, Some(blob)) => Some(Arc::new(Slot::new(file, blob.clone()))),
                (None, None) => None,
            };
        }
        contents
    }
}
