//! Reads of earlier revisions.

use std::slice;
use std::sync::Arc;

use canvas_lease::Timestamp;
use canvas_patch::{Delta, PartId, RedlineSpan, build_with_delta, redline};

use super::history::{TEXT_EVERY, reading};
use super::replay::Playback;
use super::walk::Walk;
use super::{Engine, EngineError};
use crate::document::step::DocumentStep;
use crate::face::step::Way;
use crate::history::journal::Entry;
use crate::history::number::EntryNumber;
use crate::history::past::{Anchor, At, PastDocument, PastFaces};
use crate::history::step::Step;
use crate::model::actor::Actor;
use crate::model::blob::{Blob, BlobId, is_document};
use crate::model::face::{Face, TreeFile};
use crate::model::id::CanvasId;
use crate::model::revision::{Revision, RevisionId};
use crate::model::tree::Tree;
use crate::store::contract::Store;
use crate::version::stored::NamedVersion;

/// Most entries per read.
const MANY: u64 = 1_024;

/// The numbers of entries of the reads in a search for one entry, which is usually the first one.
fn pages() -> impl Iterator<Item = u64> {
    std::iter::successors(Some(1), |page| Some((page * 4).min(MANY)))
}

/// The lines around a change in a patch.
const CONTEXT: usize = 3;

/// The difference between the documents of two revisions, from [`Engine::diff`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DocumentDiff {
    /// The document that the difference begins with.
    pub from: PastDocument,
    /// The document that the difference leads to.
    pub to: PastDocument,
    /// The edits from one to the other.
    pub delta: Delta,
    /// The edits as a unified diff with three lines of context. It is empty if the documents are equal.
    pub patch: String,
    /// The edits by words, as the whole text in spans.
    pub words: Vec<RedlineSpan>,
    /// Everybody who made or wrote a kept change between the two, each once, in the order of their first change.
    pub actors: Vec<Actor>,
}

impl<S: Store> Engine<S> {
    /// Returns the document of a revision, or of a version by its label. If the store still has its text, this reads a
    /// few entries of the journal and the text. Otherwise, it takes back the changes since a later text. A collection
    /// keeps one for every 256 entries, if the store had it. If it is missing, this reads all later entries.
    ///
    /// ```
    /// # canvas_core::testing::block_on(async {
    /// # use canvas_core::document::Edit;
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CanvasId, Engine, OpKey, Policy};
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let plan = CanvasId::new("plan")?;
    /// # engine.create(&plan, "# Plan\n", &OpKey::host("create".parse()?), now).await?;
    /// let before = engine.snapshot(&plan, now).await?.head.revision();
    /// engine.call(&plan, &OpKey::user("edit".parse()?), Edit::overwrite("# Ours\n"), now).await?.result?;
    /// let past = engine.document_at(&plan, before, now).await?;
    /// assert_eq!(past.text(), "# Plan\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`EngineError::RevisionNotFound`] if the canvas is at a lower revision,
    /// [`EngineError::RevisionNotKept`] if the history no longer leads back to it, [`EngineError::VersionNotFound`] or
    /// [`EngineError::VersionErased`] of a version, and the errors of [`Engine::history`].
    pub async fn document_at(
        &self,
        canvas: &CanvasId,
        at: impl Into<At>,
        now: Timestamp,
    ) -> Result<PastDocument, EngineError> {
        let at = at.into();
        reading!(self, "document_at", canvas, now, walk => past(&mut walk, &at))
    }

    /// Returns some faces of a revision, or of a version by its label, to make them the current ones with
    /// [`Restore`](crate::version::Restore). It can return the document, the board, the surface and the recipe. The data
    /// of a recipe are not restored.
    ///
    /// For a version, this reads its files. For a revision, it takes back the later changes of these faces, so that it
    /// reads all later entries, unless you name only the document. The journal does not record the creation of a face, so
    /// for an earlier revision this returns the first content of the face instead.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Engine::document_at`], [`EngineError::FaceNotSupported`], and
    /// [`EngineError::FaceNotFound`] if the revision or version does not have one of the faces. A version of an earlier
    /// revision has the document, but not the faces that changed after it.
    pub async fn faces_at(
        &self,
        canvas: &CanvasId,
        at: impl Into<At>,
        faces: &[Face],
        now: Timestamp,
    ) -> Result<PastFaces, EngineError> {
        let at = at.into();
        reading!(self, "faces_at", canvas, now, walk => past_faces(&mut walk, &at, faces))
    }

    /// Returns the difference between the documents of two revisions or versions. `from` may be the later one.
    ///
    /// ```
    /// # canvas_core::testing::block_on(async {
    /// # use canvas_core::document::Edit;
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CanvasId, Engine, OpKey, Policy};
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let plan = CanvasId::new("plan")?;
    /// # engine.create(&plan, "# Plan\n", &OpKey::host("create".parse()?), now).await?;
    /// let before = engine.snapshot(&plan, now).await?.head.revision();
    /// let edited =
    ///     engine.call(&plan, &OpKey::user("edit".parse()?), Edit::overwrite("# Ours\n"), now).await?;
    /// let diff = engine.diff(&plan, before, edited.snapshot.head.revision(), now).await?;
    /// assert_eq!(diff.patch, "@@ -1 +1 @@\n-# Plan\n+# Ours\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Engine::document_at`].
    pub async fn diff(
        &self,
        canvas: &CanvasId,
        from: impl Into<At>,
        to: impl Into<At>,
        now: Timestamp,
    ) -> Result<DocumentDiff, EngineError> {
        let (from, to) = (from.into(), to.into());
        reading!(self, "diff", canvas, now, walk => diff(&mut walk, &from, &to))
    }
}

async fn past<S: Store>(walk: &mut Walk<'_, S>, at: &At) -> Result<PastDocument, EngineError> {
    past_with_tree(walk, at).await.map(|(past, _)| past)
}

/// Returns the document, and the files of a version.
async fn past_with_tree<S: Store>(
    walk: &mut Walk<'_, S>,
    at: &At,
) -> Result<(PastDocument, Option<Tree>), EngineError> {
    let canvas = walk.head.canvas().clone();
    match at {
        &At::Revision(revision) => {
            let (revision_id, text) = at_revision(walk, revision).await?;
            Ok((PastDocument { revision_id, revision, version: None, canvas, text }, None))
        }
        At::Version(label) => {
            let NamedVersion { revision, revision_id, tree, .. } = super::versions::find(walk, label).await?;
            let document = tree.as_ref().and_then(|tree| tree.file(TreeFile::Document));
            let erased = || EngineError::VersionErased { canvas: canvas.clone(), label: label.clone() };
            let document = document.ok_or_else(erased)?;
            let text = walk.stored(document).await?.ok_or_else(|| walk.damaged(document))?;
            Ok((PastDocument { revision_id, revision, version: Some(label.clone()), canvas, text }, tree))
        }
    }
}

async fn past_faces<S: Store>(
    walk: &mut Walk<'_, S>,
    at: &At,
    faces: &[Face],
) -> Result<PastFaces, EngineError> {
    if let Some(face) = faces.iter().find(|face| !face.is_supported()) {
        return Err(walk.not_supported(*face));
    }
    let (document, version) = past_with_tree(walk, at).await?;
    let (revision, canvas) = (document.revision, document.canvas.clone());
    let mut past = PastFaces::from(document);
    let others: Vec<Face> = faces.iter().copied().filter(|face| *face != Face::Document).collect();
    if others.is_empty() {
        return Ok(past);
    }
    let not_found = |face| EngineError::FaceNotFound { canvas: canvas.clone(), revision, face };
    let tree = version.as_ref().unwrap_or_else(|| walk.head.draft());
    let mut playback = Playback::of(tree, walk.document.clone());
    for face in &others {
        if !playback.load(walk, *face).await? {
            return Err(not_found(*face));
        }
    }
    if version.is_none() {
        past.since = revision;
        past.anchor = Some(play_back(walk, &mut playback, revision, &others).await?);
    }
    let document = std::mem::replace(&mut past.faces, playback.faces.clone()).document;
    if faces.contains(&Face::Document) {
        past.faces.document = document;
    } else {
        past.tree = Tree::default();
    }
    let tree = playback.tree();
    for file in TreeFile::ALL.into_iter().filter(|file| others.contains(&file.face())) {
        tree.file(file).and_then(|id| past.tree.insert(file.tree_path(), id));
    }
    let held = past.faces();
    match others.into_iter().find(|face| !held.contains(face)) {
        Some(face) => Err(not_found(face)),
        None => Ok(past),
    }
}

/// Takes back the changes that these faces had after a revision. Returns the anchor of the result.
async fn play_back<S: Store>(
    walk: &mut Walk<'_, S>,
    playback: &mut Playback,
    revision: Revision,
    faces: &[Face],
) -> Result<Anchor, EngineError> {
    let (newest, last) = (walk.head.journal().entries, walk.head.journal().last);
    let mut anchor = Anchor { number: EntryNumber::new(newest.saturating_add(1)), previous: last };
    let changed = faces.iter().map(|face| walk.head.face_revision(*face)).max();
    let Some(changed) = changed.filter(|changed| *changed > revision) else { return Ok(anchor) };
    let canvas = walk.head.canvas().clone();
    let not_kept = |oldest| EngineError::RevisionNotKept { canvas: canvas.clone(), revision, oldest };
    let Some(first) = first_kept_after(walk, revision).await? else { return Err(not_kept(changed)) };
    let (oldest, mut end) = (first.map_err(not_kept)?.number.get(), newest);
    while end >= oldest {
        let start = end.saturating_sub(MANY - 1).max(oldest);
        let page = walk.range(start..=end).await?;
        let is_of = |step: &&Step| faces.contains(&step.face());
        let steps: Vec<&Step> = page.iter().flat_map(|entry| entry.steps().filter(is_of)).collect();
        playback.play(walk, Way::Back, &steps).await?;
        if let Some(entry) = page.iter().rfind(|entry| entry.steps().any(|step| is_of(&step))) {
            anchor = Anchor { number: entry.number, previous: entry.previous() };
        }
        end = start - 1;
    }
    Ok(anchor)
}

/// Returns the document of a revision, with the id of the revision that wrote it.
async fn at_revision<S: Store>(
    walk: &mut Walk<'_, S>,
    revision: Revision,
) -> Result<(RevisionId, Blob), EngineError> {
    let (current, canvas) = (walk.head.revision(), walk.head.canvas().clone());
    if revision == Revision::ZERO || revision > current {
        return Err(EngineError::RevisionNotFound { canvas, revision, current });
    }
    let changed = walk.head.face_revision(Face::Document);
    if revision >= changed {
        return Ok((walk.head.revision_id(), walk.document.clone()));
    }
    let not_kept = |oldest| EngineError::RevisionNotKept { canvas, revision, oldest };
    let created = walk.head.origin.revision;
    if revision < created {
        return Err(not_kept(created));
    }
    let Some(first) = first_kept_after(walk, revision).await? else { return Err(not_kept(changed)) };
    let change = next_change(walk, first.map_err(not_kept)?.number.get()).await?;
    let before = change.1.before;
    let text = match walk.stored(before).await? {
        Some(text) => text,
        None => taken_back(walk, change.0.number.get(), before).await?,
    };
    Ok((RevisionId::new(written_before(walk, &change.0).await?, before), text))
}

async fn diff<S: Store>(walk: &mut Walk<'_, S>, from: &At, to: &At) -> Result<DocumentDiff, EngineError> {
    let (one, other) = (past(walk, from).await?, past(walk, to).await?);
    let (low, high) = (one.revision.min(other.revision), one.revision.max(other.revision));
    let actors = actors(walk, low, high).await?;
    let (patch, delta) = build_with_delta(one.text(), other.text(), CONTEXT);
    let parts = delta.edits().iter().zip(1..);
    let words = redline(one.text(), parts.map(|(edit, part)| (PartId::new(part), slice::from_ref(edit))));
    Ok(DocumentDiff { from: one, to: other, delta, patch, words, actors })
}

/// Returns everybody who made or wrote a change of the document after one revision and up to another.
async fn actors<S: Store>(
    walk: &mut Walk<'_, S>,
    low: Revision,
    high: Revision,
) -> Result<Vec<Actor>, EngineError> {
    let mut actors = Vec::new();
    let mut next = first_after(walk, low).await?.map(|first| first.number.get());
    while let Some(start) = next {
        let mut page = walk.range(start..=start.saturating_add(MANY - 1)).await?;
        page.reverse();
        let between = page.iter().take_while(|entry| entry.revision_after <= high);
        for entry in between.filter(|entry| entry.document().is_some()) {
            for actor in [Some(entry.made_by()), entry.written_by()].into_iter().flatten() {
                if !actors.contains(&actor) {
                    actors.push(actor);
                }
            }
        }
        next = page.last().filter(|last| last.revision_after < high).map(|last| last.number.get() + 1);
    }
    Ok(actors)
}

/// Returns the first entry after a revision, or the oldest revision that the kept entries lead back to. `None` if no
/// entry is kept.
async fn first_kept_after<S: Store>(
    walk: &mut Walk<'_, S>,
    revision: Revision,
) -> Result<Option<Result<Arc<Entry>, Revision>>, EngineError> {
    let Some(first) = first_after(walk, revision).await? else { return Ok(None) };
    let number = first.number.get();
    // Revisions without an entry changed neither the document nor any other recorded face.
    let is_first = first.revision_before <= revision || number <= 1;
    let is_kept = is_first || !walk.range(number - 1..=number - 1).await?.is_empty();
    Ok(Some(if is_kept { Ok(first) } else { Err(first.revision_before) }))
}

/// Returns the first kept entry after a revision.
async fn first_after<S: Store>(
    walk: &mut Walk<'_, S>,
    revision: Revision,
) -> Result<Option<Arc<Entry>>, EngineError> {
    let (newest, current) = (walk.head.journal().entries, walk.head.revision());
    // Each entry has a revision of its own, so at most this many are later. Usually, each revision has an entry.
    let behind = current.get().saturating_sub(revision.get());
    let mut low = newest.saturating_sub(behind).saturating_add(1).max(walk.oldest());
    for page in pages().take(3) {
        // The one before tells whether it is kept, and is usually the last change of the document.
        let entries = walk.range(low.saturating_sub(1)..=low.saturating_add(page - 1)).await?;
        if let Some(entry) = entries.into_iter().rev().find(|entry| entry.revision_after > revision) {
            return Ok(Some(entry));
        }
        low = low.saturating_add(page);
    }
    let (mut high, mut found) = (newest.saturating_add(1), None);
    while low < high {
        let middle = low + (high - low) / 2;
        // Missing entries are older than all others.
        match walk.range(middle..=middle).await?.pop() {
            Some(entry) if entry.revision_after > revision => (high, found) = (middle, Some(entry)),
            _ => low = middle + 1,
        }
    }
    Ok(found)
}

/// Returns the first entry from a number on that changed the document, with its change.
async fn next_change<S: Store>(
    walk: &mut Walk<'_, S>,
    number: u64,
) -> Result<(Arc<Entry>, DocumentStep), EngineError> {
    let (mut start, mut pages) = (number, pages());
    while let Some(page) = pages.next().filter(|_| start <= walk.head.journal().entries) {
        let entries = walk.range(start..=start.saturating_add(page - 1)).await?;
        let found = entries.into_iter().rev().find_map(|entry| Some((entry.document()?.clone(), entry)));
        if let Some((step, entry)) = found {
            return Ok((entry, step));
        }
        start = start.saturating_add(page);
    }
    // The head says that the document changed.
    Err(walk.damaged(walk.head.document()))
}

/// Returns the revision that wrote the document which an entry changed.
async fn written_before<S: Store>(walk: &mut Walk<'_, S>, change: &Entry) -> Result<Revision, EngineError> {
    let (mut oldest, mut end, mut pages) = (change.revision_before, change.number.get() - 1, pages());
    while let Some(page) = pages.next().filter(|_| end >= walk.oldest().max(1)) {
        let entries = walk.range(end.saturating_sub(page - 1).max(1)..=end).await?;
        if let Some(entry) = entries.iter().find(|entry| entry.document().is_some()) {
            return Ok(entry.revision_after);
        }
        let Some(last) = entries.last() else { break };
        (oldest, end) = (last.revision_before, last.number.get() - 1);
    }
    Ok(if end == 0 { walk.head.origin.revision } else { oldest })
}

/// Takes the changes back from the current document, or from a text that a collection kept, if one of them follows soon
/// after the entry.
async fn taken_back_from_kept<S: Store>(
    walk: &mut Walk<'_, S>,
    first: u64,
    before: BlobId,
) -> Result<Option<Blob>, EngineError> {
    let (kept, newest) = (first.next_multiple_of(TEXT_EVERY), walk.head.journal().entries);
    let (last, start) = if kept > newest {
        (newest, walk.document.clone())
    } else {
        let (entry, step) = match next_change(walk, kept).await {
            Ok(change) => change,
            // No later change, or one that the other way misses too.
            Err(EngineError::Damaged { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let Some(stored) = walk.stored(step.before).await? else { return Ok(None) };
        (entry.number.get() - 1, stored)
    };
    let mut text = start.as_text().unwrap_or_default().to_owned();
    for entry in walk.range(first..=last).await? {
        match entry.document() {
            Some(DocumentStep { delta: Some(delta), before, .. }) => {
                delta.revert(&mut text).map_err(|_| walk.damaged(*before))?;
            }
            // A change without edits keeps both texts, so the other way is as short.
            Some(_) => return Ok(None),
            None => {}
        }
    }
    Ok(is_document(&text, before).then(|| Blob::document(text)))
}

/// Takes the changes back from the current document to that before an entry.
async fn taken_back<S: Store>(
    walk: &mut Walk<'_, S>,
    first: u64,
    before: BlobId,
) -> Result<Blob, EngineError> {
    if let Some(text) = taken_back_from_kept(walk, first, before).await? {
        return Ok(text);
    }
    let (mut start, mut back): (Option<BlobId>, Vec<Arc<Entry>>) = (None, Vec::new());
    loop {
        let window = walk.window().await?;
        let is_last = window.last().is_none_or(|(_, entry)| entry.number.get() <= first);
        for (_, entry) in window.into_iter().filter(|(_, entry)| entry.number.get() >= first) {
            match entry.document() {
                Some(DocumentStep { delta: Some(_), .. }) => back.push(entry),
                // A change without edits keeps both texts, so nothing later is needed.
                Some(step) => (start, back) = (Some(step.before), Vec::new()),
                None => {}
            }
        }
        if is_last {
            break;
        }
    }
    let start = match start {
        Some(id) => walk.blob(id).await?,
        None => walk.document.clone(),
    };
    let mut text = start.as_text().unwrap_or_default().to_owned();
    for entry in &back {
        if let Some(DocumentStep { delta: Some(delta), before, .. }) = entry.document() {
            delta.revert(&mut text).map_err(|_| walk.damaged(*before))?;
        }
    }
    if is_document(&text, before) { Ok(Blob::document(text)) } else { Err(walk.damaged(before)) }
}
