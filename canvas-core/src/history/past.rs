//! Faces of earlier revisions.

use crate::face::contents::Contents;
use crate::face::fetched::Fetched;
use crate::face::files::Files;
use crate::history::number::EntryNumber;
use crate::history::step::Faces;
use crate::model::blob::{Blob, BlobId};
use crate::model::face::{Face, TreeFile};
use crate::model::id::CanvasId;
use crate::model::revision::{Revision, RevisionId};
use crate::model::tree::Tree;
use crate::version::label::VersionLabel;

/// A revision, or a version by its label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum At {
    /// A revision of the canvas.
    Revision(Revision),
    /// The revision with this label.
    Version(VersionLabel),
}

impl From<Revision> for At {
    fn from(revision: Revision) -> Self {
        Self::Revision(revision)
    }
}

impl From<VersionLabel> for At {
    fn from(label: VersionLabel) -> Self {
        Self::Version(label)
    }
}

/// The document of an earlier revision, from [`Engine::document_at`](crate::Engine::document_at).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastDocument {
    /// Names the revision that last changed the document, so its number may be lower than the requested one.
    pub revision_id: RevisionId,
    /// The revision in the request, or the revision of the version.
    pub(crate) revision: Revision,
    /// The label in the request, if any.
    pub(crate) version: Option<VersionLabel>,
    pub(crate) canvas: CanvasId,
    pub(crate) text: Blob,
}

impl PastDocument {
    /// Returns the exact text.
    pub fn text(&self) -> &str {
        self.text.as_text().unwrap_or_default()
    }

    /// Whether a revision id has the digits of this text. A read finds a document by the number alone, so check an id
    /// from a client or a model. It may be of another canvas, or of a deleted one with the same name.
    pub fn is_named_by(&self, id: RevisionId) -> bool {
        self.revision_id.at(id.revision()) == id
    }
}

/// Some faces of an earlier revision, from [`Engine::faces_at`](crate::Engine::faces_at), or a [`PastDocument`].
#[derive(Clone)]
pub struct PastFaces {
    pub(crate) canvas: CanvasId,
    /// The revision in the request, or the revision of the version.
    pub(crate) revision: Revision,
    /// The label in the request, if any.
    pub(crate) version: Option<VersionLabel>,
    /// A revision at which the canvas existed, and with it these faces.
    pub(crate) since: Revision,
    /// For a revision, the place in the journal that the store must still have, because the files may be gone otherwise.
    pub(crate) anchor: Option<Anchor>,
    /// Roots of the faces.
    pub(crate) tree: Tree,
    pub(crate) faces: Faces,
}

/// The oldest entry that a read took back, or else the next entry after the read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Anchor {
    pub(crate) number: EntryNumber,
    /// The entry before it, by which it is recognized even in a journal that was cleared and continued.
    pub(crate) previous: Option<BlobId>,
}

impl PastFaces {
    /// Returns the faces, in the order of [`Face::ALL`].
    pub fn faces(&self) -> Vec<Face> {
        self.tree.faces()
    }

    /// Returns the files by name.
    pub(crate) fn files(&self) -> impl Iterator<Item = (TreeFile, BlobId)> {
        TreeFile::ALL.into_iter().filter_map(|file| Some((file, self.tree.file(file)?)))
    }
}

impl From<PastDocument> for PastFaces {
    fn from(past: PastDocument) -> Self {
        let PastDocument { revision_id, revision, version, canvas, text } = past;
        let (mut tree, mut contents, mut faces) = (Tree::default(), Contents::default(), Faces::default());
        tree.insert(TreeFile::Document.tree_path(), text.id());
        contents.put_blob(TreeFile::Document, text);
        let files = Files { tree: &tree, contents: &contents, blobs: &Fetched::default() };
        let loaded = faces.load(Face::Document, &files);
        debug_assert_eq!(loaded, Ok(true), "a document is its text");
        Self { canvas, revision, version, since: revision_id.revision(), anchor: None, tree, faces }
    }
}

impl std::fmt::Debug for PastFaces {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { canvas, revision, version, tree, .. } = self;
        f.debug_struct("PastFaces")
            .field("canvas", canvas)
            .field("revision", revision)
            .field("version", version)
            .field("tree", tree)
            .finish_non_exhaustive()
    }
}

/// The decoded faces follow from the files.
impl PartialEq for PastFaces {
    fn eq(&self, other: &Self) -> bool {
        (&self.canvas, self.revision, &self.version, &self.tree)
            == (&other.canvas, other.revision, &other.version, &other.tree)
    }
}

impl Eq for PastFaces {}
