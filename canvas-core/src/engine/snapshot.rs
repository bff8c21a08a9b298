//! What an answer shows of a canvas.

use std::sync::Arc;

use canvas_lease::Timestamp;
use canvas_patch::{Address, AddressError, Outline, Resolved};

use super::context::CachedRow;
use crate::document::outline::DocumentOutline;
use crate::model::blob::Blob;
use crate::model::head::Head;
use crate::model::revision::RevisionId;

/// A canvas as an answer left it.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// The head.
    pub head: Arc<Head>,
    /// The document.
    pub document: Blob,
    /// The store's clock.
    pub clock: Timestamp,
    outline: Arc<DocumentOutline>,
}

impl Snapshot {
    /// A row as it is shown; `None` where there is no canvas, or its document was never needed.
    pub(super) fn of(row: Option<CachedRow>, now: Timestamp) -> Option<Self> {
        let row = row.filter(|row| !row.head.is_deleted())?;
        let clock = row.clock(now);
        let (document, outline) = (row.contents.document()?.clone(), row.contents.outline()?);
        Some(Self { document, clock, outline, head: row.head })
    }

    /// The document's text.
    pub fn text(&self) -> &str {
        self.document.as_text().unwrap_or_default()
    }

    /// The document's headings. Made in linear time when first asked for, and then kept with the document: an edit of it
    /// costs the next outline what the edit costs, and a copy of this one where somebody still holds this snapshot.
    pub fn outline(&self) -> &Outline {
        self.outline.live().outline()
    }

    /// Finds a place in the document, by the outline that [`Snapshot::outline`] makes.
    ///
    /// # Errors
    ///
    /// Those of [`text::resolve`](crate::text::resolve).
    pub fn resolve(&self, address: &Address) -> Result<Resolved, AddressError> {
        self.outline.live().resolve(address)
    }

    /// The revision, as models see it.
    pub fn revision_id(&self) -> RevisionId {
        self.head.revision_id()
    }
}
