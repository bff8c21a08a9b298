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

    /// Returns the inverse, moved past the later steps, and the deltas of these as if this step had never been made.
    fn back_past(&self, later: &[Self]) -> Result<(Delta, Vec<Delta>), Conflict> {
        let mut back = self.delta.as_ref().ok_or(Conflict::Touched(0))?.inverse();
        let mut moved = Vec::with_capacity(later.len());
        for (with, later) in later.iter().enumerate() {
            let touched = |_| Conflict::Touched(with);
            let delta = later.delta.as_ref().ok_or(Conflict::Touched(with))?;
            moved.push(delta.transform(&back).map_err(touched)?);
            back = back.transform(delta).map_err(touched)?;
        }
        Ok((back, moved))
    }

    /// Returns the step with its edits, even if it keeps both texts instead.
    pub(crate) fn with_edits(&self, files: &Files<'_>) -> Result<Self, ReadError> {
        if self.delta.is_some() {
            return Ok(self.clone());
        }
        let (before, after) = (files.blob(self.before)?, files.blob(self.after)?);
        let text =
            |blob: &Blob| blob.as_text().map(str::to_owned).ok_or_else(|| ReadError::Damaged(blob.id()));
        Ok(Self { delta: Some(self.delta_between(&text(before)?, &text(after)?)), ..self.clone() })
    }

    /// Computes the edits from the text before the change to the text after it, if the step keeps these texts instead.
    /// Undo of some edits counts them in this order. The edits of the opposite step are exactly their inverse.
    pub fn delta_between(&self, before: &str, after: &str) -> Delta {
        match self.before <= self.after {
            true => Delta::between(before, after),
            false => Delta::between(after, before).inverse(),
        }
    }

    /// Splits the step into one for each group of its edits, by number. In this order, they make the same change.
    pub(crate) fn split(&self, groups: &[Vec<u32>]) -> Option<Vec<Self>> {
        let edits = self.delta.as_ref()?.edits();
        let mut steps: Vec<Self> = Vec::with_capacity(groups.len());
        for group in groups {
            let own: Option<Vec<TextEdit>> =
                group.iter().map(|edit| edits.get(usize::try_from(*edit).ok()?).cloned()).collect();
            let mut delta = Delta::try_from(own?).ok()?;
            // All groups start from the same text, so each is moved past those before it.
            for step in &steps {
                delta = delta.transform(step.delta.as_ref()?).ok()?;
            }
            steps.push(Self { delta: Some(delta), ..self.clone() });
        }
        Some(steps)
    }
}

/// The document as of some entry of the journal.
#[derive(Clone)]
pub(crate) struct DocumentAt {
    /// The id by which steps name this document.
    id: BlobId,
    /// The last text that has a blob.
    pub(crate) blob: Blob,
    /// The text, if it now differs from that blob.
    changed: Option<String>,
    /// Reverts played on that blob, oldest first.
    reverted: Vec<Delta>,
}

impl DocumentAt {
    /// Returns the id by which steps name the last text that has a blob.
    pub(crate) const fn id(&self) -> BlobId {
        self.id
    }

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
        if at.is_none() {
            *at = Self::load(files)?;
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
        let (back, moved) = self.back_past(later)?;
        at.play(&back, Way::Forth)?;
        at.reverted.push(back);
        later.iter_mut().zip(moved).for_each(|(later, moved)| later.delta = Some(moved));
        Ok(())
    }

    fn cancels(&self, between: &mut [Self], undoing: &Self) -> bool {
        match self.back_past(between) {
            Ok((back, moved)) if undoing.delta.as_ref() == Some(&back) => {
                between.iter_mut().zip(moved).for_each(|(later, moved)| later.delta = Some(moved));
                true
            }
            _ => false,
        }
    }

    fn seal(at: DocumentAt) -> Result<DocumentAt, Mismatch> {
        let DocumentAt { id, blob, changed: Some(text), reverted } = at else { return Ok(at) };
        let blob = Blob::document_named(id, Some(&blob), text, &[]).ok_or(Mismatch)?;
        Ok(DocumentAt { id, blob, changed: None, reverted })
    }

    fn since(before: &DocumentAt, at: &mut DocumentAt, seed: &StepSeed<'_>) -> Option<Self> {
        let text = at.changed.take()?;
        let mut reverted = std::mem::take(&mut at.reverted);
        let delta = match (reverted.pop(), reverted.is_empty()) {
            // Later walks must find exactly this delta, to see that it and the reverted one cancel out.
            (Some(back), true) => back,
            _ => Delta::between(before.text(), &text),
        };
        if delta.is_empty() {
            return None;
        }
        at.blob = Blob::document_after(Some(&before.blob), text, delta.edits());
        at.id = at.blob.id();
        Some(Self::new((before.id, at.id), delta, seed.bytes))
    }

    fn load(files: &Files<'_>) -> Result<Option<DocumentAt>, ReadError> {
        let (id, blob) = (files.tree.file(TreeFile::Document), files.contents.document());
        let at = |(id, blob): (BlobId, &Blob)| DocumentAt {
            id,
            blob: blob.clone(),
            changed: None,
            reverted: Vec::new(),
        };
        Ok(id.zip(blob).map(at))
    }

    fn restore(at: &mut DocumentAt, then: &DocumentAt) -> Result<(), Mismatch> {
        at.changed = Some(then.text().to_owned());
        Ok(())
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
