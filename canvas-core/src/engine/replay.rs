//! A replay of the journal, to verify that it leads to the draft.

use canvas_lease::Timestamp;

use super::history::reading;
use super::walk::Walk;
use super::{Engine, EngineError};
use crate::face::contents::Contents;
use crate::face::fetched::Fetched;
use crate::face::files::{Draft, Files};
use crate::face::read_error::ReadError;
use crate::face::step::{Mismatch, Way};
use crate::history::journal::Entry;
use crate::history::step::{Faces, Step};
use crate::model::blob::{Blob, BlobId};
use crate::model::face::{Face, TreeFile};
use crate::model::id::CanvasId;
use crate::model::tree::Tree;
use crate::store::contract::Store;

/// Documents that a replay keeps in memory at once.
const DOCUMENTS: usize = 16;

/// The result of [`Engine::replay`], which plays the journal back to its beginning and forward again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalReplay {
    /// The number of entries played, not counting entries of unsupported faces.
    pub entries: usize,
    /// The id of the document before the first of these entries.
    pub first: BlobId,
    /// The hash of the draft that the entries lead to ([`Tree::hash`](crate::store::Tree::hash)). It equals the hash of
    /// the canvas's draft.
    pub tree: BlobId,
}

impl<S: Store> Engine<S> {
    /// Plays the journal back from the current document to its first entry and forward again, to verify that it leads
    /// to the draft. It keeps all entries in memory during the replay. It skips unsupported faces
    /// ([`Face::is_supported`]).
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
    /// engine.call(&plan, &OpKey::user("edit".parse()?), Edit::overwrite("# Ours\n"), now).await?.result?;
    /// let replay = engine.replay(&plan, now).await?;
    /// assert_eq!(replay.entries, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Engine::history`]. If the entries do not lead to the draft, [`EngineError::Damaged`]
    /// names a blob that does not fit.
    pub async fn replay(&self, canvas: &CanvasId, now: Timestamp) -> Result<JournalReplay, EngineError> {
        reading!(self, "replay", canvas, now, walk => replay(&mut walk))
    }
}

async fn replay<S: Store>(walk: &mut Walk<'_, S>) -> Result<JournalReplay, EngineError> {
    let mut playback = Playback::of(walk.head.draft(), walk.document.clone());
    let mut entries = Vec::new();
    loop {
        let window = walk.window().await?;
        if window.is_empty() {
            break;
        }
        let back: Vec<_> = window.iter().flat_map(|(_, entry)| played(entry).rev()).collect();
        playback.play(walk, Way::Back, &back).await?;
        entries.extend(
            window.into_iter().map(|(_, entry)| entry).filter(|entry| played(entry).next().is_some()),
        );
    }
    let first = playback.document().unwrap_or(&walk.document).id();
    let forth: Vec<_> = entries.iter().rev().flat_map(|entry| played(entry)).collect();
    playback.play(walk, Way::Forth, &forth).await?;
    let last = playback.document().unwrap_or(&walk.document).id();
    match playback.tree().hash() {
        tree if tree == walk.head.draft().hash() => Ok(JournalReplay { entries: entries.len(), first, tree }),
        _ => Err(walk.damaged(last)),
    }
}

/// The steps of an entry whose face is supported.
fn played(entry: &Entry) -> impl DoubleEndedIterator<Item = &Step> {
    entry.steps().filter(|step| !matches!(step, Step::Unsupported { .. }))
}

/// The faces of a canvas at one entry of its journal.
pub(super) struct Playback {
    pub(super) faces: Faces,
    /// The files of the canvas with which the playback began.
    tree: Tree,
    /// Those of them that are loaded.
    contents: Contents,
}

impl Playback {
    pub(super) fn of(tree: &Tree, document: Blob) -> Self {
        let mut contents = Contents::default();
        contents.put_blob(TreeFile::Document, document);
        Self { faces: Faces::default(), tree: tree.clone(), contents }
    }

    /// The document; `None` until a step touches it.
    fn document(&self) -> Option<&Blob> {
        self.faces.document.at.as_ref().map(|at| &at.blob)
    }

    /// Reads a face. Returns `false` if the tree does not have it, or if it is never restored.
    pub(super) async fn load<S: Store>(
        &mut self,
        walk: &Walk<'_, S>,
        face: Face,
    ) -> Result<bool, EngineError> {
        let mut fetched = Fetched::default();
        loop {
            let files = Files { tree: &self.tree, contents: &self.contents, blobs: &fetched };
            match self.faces.load(face, &files) {
                Ok(has) => return Ok(has),
                Err(ReadError::Damaged(id)) => return Err(walk.damaged(id)),
                Err(ReadError::Missing(ids)) => self.fetch(walk, &ids, &mut fetched).await?,
            }
        }
    }

    async fn fetch<S: Store>(
        &mut self,
        walk: &Walk<'_, S>,
        ids: &[BlobId],
        fetched: &mut Fetched,
    ) -> Result<(), EngineError> {
        for blob in walk.blobs(ids).await? {
            let files = TreeFile::ALL.into_iter().filter(|file| self.tree.file(*file) == Some(blob.id()));
            files.for_each(|file| self.contents.put_blob(file, blob.clone()));
            fetched.insert(blob.id(), Some(blob));
        }
        Ok(())
    }

    /// Plays steps in order. It reads the blobs that they name for `DOCUMENTS` steps at a time.
    pub(super) async fn play<S: Store>(
        &mut self,
        walk: &Walk<'_, S>,
        way: Way,
        steps: &[&Step],
    ) -> Result<(), EngineError> {
        for steps in steps.chunks(DOCUMENTS) {
            let mut fetched = Fetched::default();
            loop {
                let files = Files { tree: &self.tree, contents: &self.contents, blobs: &fetched };
                let missing = self.faces.read_all(way, steps.iter().copied(), &files);
                if missing.is_empty() {
                    break;
                }
                self.fetch(walk, &missing, &mut fetched).await?;
            }
            let files = Files { tree: &self.tree, contents: &self.contents, blobs: &fetched };
            for step in steps {
                // All blobs are fetched, so an unreadable one is damaged.
                if let Err(Err(damaged)) = self.faces.read(way, step, &files).map_err(ReadError::missing) {
                    return Err(walk.damaged(damaged));
                }
                let played = self.faces.play(way, step, &files).and_then(|()| self.faces.seal(step.face()));
                let suspect = step.suspect(way, &self.tree);
                played.map_err(|Mismatch| walk.damaged(suspect.unwrap_or_else(|| walk.head.document())))?;
            }
        }
        Ok(())
    }

    /// Returns the tree with the current faces.
    pub(super) fn tree(mut self) -> Tree {
        let (mut tree, older) = (std::mem::take(&mut self.tree), Contents::default());
        let (blobs, contents) = (&mut Vec::new(), &mut Contents::default());
        let mut draft = Draft { tree: &mut tree, blobs, contents, older: &older };
        for face in Face::ALL {
            self.faces.put(face, &mut draft);
        }
        tree
    }
}
