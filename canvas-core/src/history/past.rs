//! Documents of earlier revisions.

use crate::model::blob::Blob;
use crate::model::id::CanvasId;
use crate::model::revision::{Revision, RevisionId};
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
