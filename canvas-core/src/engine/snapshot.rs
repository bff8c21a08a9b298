//! The view of a canvas in an answer.

use std::sync::Arc;

use canvas_lease::Timestamp;
use canvas_patch::{Address, AddressError, Outline, Resolved};

use super::context::CachedRow;
use crate::document::outline::DocumentOutline;
use crate::model::blob::Blob;
use crate::model::head::Head;
use crate::model::revision::RevisionId;

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
}

impl Snapshot {
    /// Returns `None` if there is no canvas, or if its document was never needed.
    pub(super) fn of(row: Option<CachedRow>, now: Timestamp) -> Option<Self> {
        let row = row.filter(|row| !row.head.is_deleted())?;
        let clock = row.clock(now);
        let (document, outline) = (row.contents.document()?.clone(), row.contents.outline()?);
        Some(Self { document, clock, outline, head: row.head })
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
