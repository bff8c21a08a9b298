//! The view of a canvas in an answer.

use std::sync::Arc;

use canvas_lease::Timestamp;
use canvas_patch::{Address, AddressError, Outline, Resolved};

use super::context::CachedRow;
use crate::document::outline::DocumentOutline;
use crate::model::blob::Blob;
use crate::model::face::Face;
use crate::model::head::Head;
use crate::model::revision::RevisionId;
use crate::proposal::owner::Owner;
use crate::proposal::stored::Proposals;

/// The state of a canvas at the time of an answer.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// The head with the lock, the revisions and the receipts.
    pub head: Arc<Head>,
    /// The document as a Markdown blob. [`Snapshot::text`] returns it as a string.
    pub document: Blob,
    /// The store's clock at the time of the answer, estimated as [`Engine`](crate::Engine) describes.
    pub clock: Timestamp,
    outline: Arc<DocumentOutline>,
    /// The stored proposals, if they are loaded.
    proposals: Option<Arc<Proposals>>,
}

impl Snapshot {
    /// Returns `None` if there is no canvas, or if its document was never needed.
    pub(super) fn of(row: Option<CachedRow>, now: Timestamp) -> Option<Self> {
        let row = row.filter(|row| !row.head.is_deleted())?;
        let clock = row.clock(now);
        let (document, outline) = (row.contents.document()?.clone(), row.contents.outline()?);
        let proposals = row.head.proposals.and_then(|id| row.contents.get(id, ()).ok());
        Some(Self { document, clock, outline, head: row.head, proposals })
    }

    /// Returns the canvas with the owner's proposed text as its document. Its revision is the greater one of the document's
    /// and the proposal's.
    pub(super) fn proposed_by(self, owner: &Owner) -> Self {
        let proposals = self.proposals.as_ref().filter(|proposals| proposals.of(owner).is_some());
        let proposals = proposals.map(|proposals| Arc::clone(proposals).moved(&self.head.moves));
        let Some(own) = proposals.as_ref().and_then(|proposals| proposals.of(owner)) else {
            return self;
        };
        let (mut head, change) = (Head::clone(&self.head), own.parts.change());
        let proposed = change.apply(self.text()).ok().filter(|_| !change.is_empty());
        let (document, outline) = match proposed {
            None => (self.document.clone(), Arc::clone(&self.outline)),
            Some(text) => {
                let document = Blob::document_after(Some(&self.document), text, change.edits());
                let outline = self.outline.followed_by(&document, change.edits());
                (document, outline)
            }
        };
        head.set_document(&document);
        head.faces[Face::Document] = head.faces[Face::Document].max(own.revision);
        Self { document, outline, head: head.into(), ..self }
    }

    /// Returns the document's text.
    pub fn text(&self) -> &str {
        self.document.as_text().unwrap_or_default()
    }

    /// Returns the outline of the document's headings. The first call takes linear time, and the outline is then kept
    /// with the document. After an edit, the next outline costs about as much as the edit, plus a copy of this one if
    /// this snapshot is still held.
    pub fn outline(&self) -> &Outline {
        self.outline.live().outline()
    }

    /// Finds a place in the document, by the outline of [`Snapshot::outline`].
    ///
    /// # Errors
    ///
    /// Returns the errors of [`text::resolve`](crate::text::resolve).
    pub fn resolve(&self, address: &Address) -> Result<Resolved, AddressError> {
        self.outline.live().resolve(address)
    }

    /// Returns the revision in the form that models see.
    pub fn revision_id(&self) -> RevisionId {
        self.head.revision_id()
    }
}
