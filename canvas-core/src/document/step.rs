//! Steps of the document in the journal.

use std::sync::Arc;

use canvas_patch::{Delta, TextEdit};
use serde::{Deserialize, Serialize};

use crate::document::outline::DocumentOutline;
use crate::face::contents::{Contents, FileContent};
use crate::face::files::{Draft, Files};
use crate::face::read_error::ReadError;
use crate::face::step::{Conflict, FaceStep, Mismatch, StepSeed, Way};
use crate::model::blob::{Blob, BlobId};
use crate::model::face::TreeFile;
use crate::model::tree::Tree;

/// A change of the document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentStep {
    /// The document blob before the change.
    pub before: BlobId,
    /// The document blob after the change.
    pub after: BlobId,
    /// The edits from one to the other; `None` if they exceed the limit for an entry, in which case both blobs are kept
    /// instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta: Option<Delta>,
}

impl DocumentStep {
    /// Keeps a delta of at most `limit` bytes. For a larger one, both documents are kept instead.
    pub(crate) fn new((before, after): (BlobId, BlobId), delta: Delta, limit: usize) -> Self {
        Self { before, after, delta: (delta.len_bytes() <= limit).then_some(delta) }
    }

    fn ends(&self, way: Way) -> (BlobId, BlobId) {
        way.ends(self.before, self.after)
    }
}

/// The document as of some entry of the journal.
pub(crate) struct DocumentAt {
    /// The id by which steps name this document.
    id: BlobId,
    /// The last text that has a blob.
    pub(crate) blob: Blob,
    /// The text, if it now differs from that blob.
    changed: Option<String>,
}

impl DocumentAt {
    pub(crate) fn text(&self) -> &str {
        match &self.changed {
            Some(text) => text,
            None => self.blob.as_text().unwrap_or_default(),
        }
    }

    /// Plays a delta, which leads from or to this document.
    fn play(&mut self, delta: &Delta, way: Way) -> Result<(), Mismatch> {
        let played = match (way, &mut self.changed) {
            (Way::Forth, _) => delta.apply(self.text()).map(|text| self.changed = Some(text)),
            (Way::Back, Some(text)) => delta.revert(text),
            (Way::Back, changed) => {
                let mut text = self.blob.as_text().unwrap_or_default().to_owned();
                delta.revert(&mut text).map(|()| *changed = Some(text))
            }
        };
        played.map_err(|_| Mismatch)
    }
}

impl FaceStep for DocumentStep {
    type At = DocumentAt;

    fn inverse(&self) -> Self {
        Self { before: self.after, after: self.before, delta: self.delta.as_ref().map(Delta::inverse) }
    }

    fn read(&self, way: Way, at: &mut Option<DocumentAt>, files: &Files<'_>) -> Result<(), ReadError> {
        if at.is_none()
            && let (Some(id), Some(blob)) = (files.tree.file(TreeFile::Document), files.contents.document())
        {
            *at = Some(DocumentAt { id, blob: blob.clone(), changed: None });
        }
        match self.delta {
            Some(_) => Ok(()),
            None => files.blob(self.ends(way).1).map(drop),
        }
    }

    fn play(&self, way: Way, at: &mut DocumentAt, files: &Files<'_>) -> Result<(), Mismatch> {
        let (start, end) = self.ends(way);
        if at.id != start {
            return Err(Mismatch);
        }
        match &self.delta {
            Some(delta) => at.play(delta, way)?,
            None => {
                let named = files.blob(end).ok().filter(|blob| blob.as_text().is_some()).ok_or(Mismatch)?;
                (at.blob, at.changed) = (named.clone(), None);
            }
        }
        at.id = end;
        Ok(())
    }

    fn revert(&self, at: &mut DocumentAt, later: &mut [Self]) -> Result<(), Conflict> {
        let mut back = self.delta.as_ref().ok_or(Conflict::Touched(0))?.inverse();
        for (with, later) in later.iter_mut().enumerate() {
            let touched = |_| Conflict::Touched(with);
            let delta = later.delta.as_mut().ok_or(Conflict::Touched(with))?;
            let moved = delta.transform(&back).map_err(touched)?;
            back = back.transform(delta).map_err(touched)?;
            *delta = moved;
        }
        Ok(at.play(&back, Way::Forth)?)
    }

    fn seal(at: DocumentAt) -> Result<DocumentAt, Mismatch> {
        let DocumentAt { id, blob, changed: Some(text) } = at else { return Ok(at) };
        let blob = Blob::document_named(id, Some(&blob), text, &[]).ok_or(Mismatch)?;
        Ok(DocumentAt { id, blob, changed: None })
    }

    fn since(at: DocumentAt, files: &Files<'_>, seed: &StepSeed<'_>) -> Option<(Self, DocumentAt)> {
        let (id, before) = (files.tree.file(TreeFile::Document)?, files.contents.document());
        let delta = Delta::between(before.and_then(Blob::as_text).unwrap_or_default(), at.text());
        if delta.is_empty() {
            return None;
        }
        let blob = Blob::document_after(before, at.changed?, delta.edits());
        let step = Self::new((id, blob.id()), delta, seed.bytes);
        Some((step, DocumentAt { id: blob.id(), blob, changed: None }))
    }

    fn put(at: DocumentAt, draft: &mut Draft<'_>) {
        draft.set(TreeFile::Document, Some(at.id));
        draft.blobs.extend(at.blob.to_put(draft.older.document()));
        draft.contents.put_document(at.blob, draft.older, &[]);
    }

    fn suspect(&self, way: Way, _: &Tree) -> Option<BlobId> {
        Some(self.ends(way).1)
    }

    fn kept(&self) -> Vec<(TreeFile, BlobId)> {
        match self.delta {
            Some(_) => Vec::new(),
            None => [self.before, self.after].map(|id| (TreeFile::Document, id)).to_vec(),
        }
    }
}

impl FileContent for DocumentOutline {
    const FILE: TreeFile = TreeFile::Document;
    type With<'a> = ();

    fn read(blob: &Blob, (): ()) -> Result<Self, ReadError> {
        Ok(Self::new(blob))
    }

    fn approximate_bytes(&self, _: &Blob) -> usize {
        self.approximate_bytes()
    }
}

impl Contents {
    /// Returns the outline of the document.
    pub(crate) fn outline(&self) -> Option<Arc<DocumentOutline>> {
        self.get(self.document()?.id(), ()).ok()
    }

    /// Sets the document that follows an older one. The older document's outline is then updated instead of being
    /// computed again. `edits` lead from one to the other, or are empty.
    pub(crate) fn put_document(&mut self, blob: Blob, older: &Self, edits: &[TextEdit]) {
        match older.decoded::<DocumentOutline>() {
            Some((before, _)) if *before == blob => self.share(TreeFile::Document, older),
            Some((_, outline)) => {
                let outline = outline.followed_by(&blob, edits);
                self.put(blob, outline);
            }
            None => self.put_blob(TreeFile::Document, blob),
        }
    }
}
