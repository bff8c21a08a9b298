//! What is loaded of a canvas: one slot a face.

use std::sync::{Arc, OnceLock};

use canvas_patch::TextEdit;

#[cfg(feature = "board")]
use crate::board::{Board, LoadError};
use crate::document::outline::DocumentOutline;
use crate::model::blob::{Blob, BlobId};
use crate::model::face::{Face, PerFace};
use crate::model::head::Head;
use crate::transition::fetched::Fetched;

/// The loaded faces of a canvas. What is not loaded yet has an empty slot.
#[derive(Debug, Clone, Default)]
#[cfg_attr(test, derive(PartialEq, Eq, Hash))]
pub(crate) struct Contents(PerFace<Option<Slot>>);

/// A face's root blob, and beside it what was read out of it and of the blobs that it leads to.
///
/// Copies share the value once it is there: who decodes a face does it for all who take the slot over later.
#[derive(Debug, Clone)]
struct Slot {
    root: Blob,
    value: OnceLock<Value>,
}

/// A face that was read. A document is its root's text; its outline is made when it is asked for.
#[derive(Debug, Clone)]
enum Value {
    Document(Arc<DocumentOutline>),
    #[cfg(feature = "board")]
    Board(Arc<Board>),
}

impl Slot {
    /// A root, with nothing read out of it.
    fn new(face: Face, root: Blob) -> Self {
        let value = OnceLock::new();
        if face == Face::Document {
            let _ = value.set(Value::Document(DocumentOutline::new(&root)));
        }
        Self { root, value }
    }

    fn approximate_bytes(&self) -> usize {
        let read = match self.value.get() {
            Some(Value::Document(outline)) => outline.approximate_bytes(),
            #[cfg(feature = "board")]
            Some(Value::Board(board)) => board.approximate_bytes(&self.root),
            None => 0,
        };
        self.root.as_bytes().len() + read
    }

    fn outline(&self) -> Option<&Arc<DocumentOutline>> {
        match self.value.get() {
            Some(Value::Document(outline)) => Some(outline),
            _ => None,
        }
    }
}

/// The root names the value, so it alone tells slots apart.
#[cfg(test)]
impl PartialEq for Slot {
    fn eq(&self, other: &Self) -> bool {
        self.root == other.root
    }
}

#[cfg(test)]
impl Eq for Slot {}

#[cfg(test)]
impl std::hash::Hash for Slot {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.root.hash(state);
    }
}

impl Contents {
    /// The root blob of a face, where this is it.
    pub(crate) fn root(&self, face: Face, id: BlobId) -> Option<&Blob> {
        self.0[face].as_ref().map(|slot| &slot.root).filter(|root| root.id() == id)
    }

    /// The root blobs that are here.
    pub(crate) fn roots(&self) -> impl Iterator<Item = &Blob> {
        self.0.iter().filter_map(|(_, slot)| slot.as_ref()).map(|slot| &slot.root)
    }

    /// A root blob, of whatever face.
    pub(crate) fn blob(&self, id: BlobId) -> Option<&Blob> {
        self.roots().find(|root| root.id() == id)
    }

    /// Roughly what it takes in memory.
    pub(crate) fn approximate_bytes(&self) -> usize {
        self.0.iter().filter_map(|(_, slot)| slot.as_ref()).map(Slot::approximate_bytes).sum()
    }

    /// The document.
    pub(crate) fn document(&self) -> Option<&Blob> {
        self.0[Face::Document].as_ref().map(|slot| &slot.root)
    }

    /// The outline of the document.
    pub(crate) fn outline(&self) -> Option<&Arc<DocumentOutline>> {
        self.0[Face::Document].as_ref()?.outline()
    }

    /// The board of a root, read once for each slot. What else it needs comes from `blobs`.
    #[cfg(feature = "board")]
    pub(crate) fn board(&self, root: BlobId, blobs: &Fetched) -> Result<Arc<Board>, LoadError> {
        let slot = self.0[Face::Board].as_ref().filter(|slot| slot.root.id() == root);
        let slot = slot.ok_or_else(|| LoadError::Missing(vec![root]))?;
        if slot.value.get().is_none() {
            let board = Board::load(&slot.root, |id| blobs.get(id))?;
            // Whoever came first stays: both have read the same.
            let _ = slot.value.set(Value::Board(Arc::new(board)));
        }
        match slot.value.get() {
            Some(Value::Board(board)) => Ok(Arc::clone(board)),
            _ => Err(LoadError::Damaged(root)),
        }
    }

    /// Takes a face's root, with nothing read out of it.
    pub(crate) fn put(&mut self, face: Face, root: Blob) {
        self.0[face] = Some(Slot::new(face, root));
    }

    /// Takes the document that comes after an older one, whose outline is then brought up to date instead of made anew.
    /// `edits` lead from one to the other, or are left out.
    pub(crate) fn put_document(&mut self, root: Blob, older: &Self, edits: &[TextEdit]) {
        let slot = older.0[Face::Document].as_ref();
        self.0[Face::Document] = Some(match slot.and_then(|slot| Some((slot, slot.outline()?))) {
            Some((slot, _)) if slot.root == root => slot.clone(),
            Some((_, outline)) => {
                let value = Value::Document(outline.followed_by(&root, edits)).into();
                Slot { root, value }
            }
            None => Slot::new(Face::Document, root),
        });
    }

    /// Takes a board and its root.
    #[cfg(feature = "board")]
    pub(crate) fn put_board(&mut self, root: Blob, board: Arc<Board>) {
        self.0[Face::Board] = Some(Slot { root, value: Value::Board(board).into() });
    }

    /// The contents of a head: what is here of it, else in `older`, else among `blobs`.
    pub(crate) fn of(self, head: &Head, older: Option<&Self>, blobs: &Fetched) -> Self {
        let mut contents = Self::default();
        for face in Face::ALL {
            let Some(id) = head.root(face) else { continue };
            let known = [Some(&self), older]
                .into_iter()
                .flatten()
                .find_map(|known| known.0[face].as_ref().filter(|slot| slot.root.id() == id));
            contents.0[face] = match (known, blobs.get(id)) {
                (Some(slot), _) => Some(slot.clone()),
                (None, Some(root)) => Some(Slot::new(face, root.clone())),
                (None, None) => None,
            };
        }
        contents
    }
}
