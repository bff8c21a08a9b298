//! Journal steps of the board.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::board::{Board, BoardPatch, CanvasCommand, CanvasEvent, IdSource, StoredBoard, UndoId};
use crate::face::contents::FileContent;
use crate::face::fetched::Fetched;
use crate::face::files::{Draft, Files};
use crate::face::read_error::ReadError;
use crate::face::step::{Conflict, FaceStep, Mismatch, StepSeed, Way};
use crate::model::blob::{Blob, BlobId};
use crate::model::face::TreeFile;
use crate::model::tree::Tree;

/// A change of the board, as the journal records it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BoardStep {
    /// Root blob of the board before the change.
    pub before: BlobId,
    /// Root blob of the board after the change.
    pub after: BlobId,
    /// Id of the change, also given in the answer to its command.
    pub id: UndoId,
    /// The command with place and size settled. For a selective undo, it is the undone command. `None` for the restore of
    /// an earlier board, because no command does that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forward: Option<Box<CanvasCommand>>,
    /// The patch from the board before to the board after.
    pub patch: BoardPatch,
}

impl BoardStep {
    fn ends(&self, way: Way) -> (BlobId, BlobId) {
        way.ends(self.before, self.after)
    }
}

/// The board at one entry of the journal.
#[derive(Clone)]
pub(crate) struct BoardAt {
    /// Root blob by which steps refer to this board.
    id: BlobId,
    board: Arc<Board>,
    played: Option<BoardPatch>,
    /// Patches of reverts. The command of the first reverted change is in `forward`.
    reverted: Vec<BoardPatch>,
    forward: Option<Box<CanvasCommand>>,
    /// The root blob and the blobs that it names, once they are encoded.
    stored: Option<(Blob, Vec<Blob>)>,
}

impl BoardAt {
    /// Returns the events of the last step.
    pub(crate) fn events(&self) -> Vec<CanvasEvent> {
        self.played.as_ref().map_or_else(Vec::new, |patch| self.board.events_of(patch))
    }

    fn encoded(self) -> Self {
        let StoredBoard { root, parts, board } = Arc::unwrap_or_clone(self.board).encode();
        Self { board, stored: Some((root, parts)), ..self }
    }
}

impl FaceStep for BoardStep {
    type At = BoardAt;

    fn inverse(&self) -> Self {
        let Self { before, after, id, forward, patch } = self;
        let (id, forward) = (id.clone(), forward.clone());
        Self { before: *after, after: *before, id, forward, patch: patch.inverse() }
    }

    fn read(&self, _: Way, at: &mut Option<BoardAt>, files: &Files<'_>) -> Result<(), ReadError> {
        if at.is_none() {
            *at = Self::load(files)?;
        }
        Ok(())
    }

    fn play(&self, way: Way, at: &mut BoardAt, _: &Files<'_>) -> Result<(), Mismatch> {
        let (start, end) = self.ends(way);
        if at.id != start {
            return Err(Mismatch);
        }
        let patch = match way {
            Way::Forth => self.patch.clone(),
            Way::Back => self.patch.inverse(),
        };
        Arc::make_mut(&mut at.board).apply(&patch).map_err(|_| Mismatch)?;
        (at.id, at.played, at.stored) = (end, Some(patch), None);
        Ok(())
    }

    fn revert(&self, at: &mut BoardAt, later: &mut [Self]) -> Result<(), Conflict> {
        let later = later.iter().map(|step| &step.patch);
        let back = Arc::make_mut(&mut at.board).revert(&self.patch, later)?;
        if at.reverted.is_empty() {
            at.forward.clone_from(&self.forward);
        }
        at.reverted.push(back);
        Ok(())
    }

    /// A revert changes more than the patch, for example the time of the last change, so it is compared by its records.
    fn cancels(&self, between: &mut [Self], undoing: &Self) -> bool {
        let back = self.patch.inverse();
        back.components == undoing.patch.components
            && back.settings == undoing.patch.settings
            && !between.iter().any(|later| later.patch.touches(&self.patch))
    }

    fn seal(at: BoardAt) -> Result<BoardAt, Mismatch> {
        let at = if at.stored.is_some() { at } else { at.encoded() };
        let is_named = at.stored.as_ref().is_some_and(|(root, _)| root.id() == at.id);
        if is_named { Ok(at) } else { Err(Mismatch) }
    }

    fn since(before: &BoardAt, at: &mut BoardAt, seed: &StepSeed<'_>) -> Option<Self> {
        let patch = BoardPatch::joined(std::mem::take(&mut at.reverted)).filter(|patch| !patch.is_empty())?;
        let forward = at.forward.take();
        at.played = Some(patch.clone());
        *at = at.clone().encoded();
        at.id = at.stored.as_ref()?.0.id();
        let mut ids = IdSource::of(seed.operation);
        (0..seed.nth).for_each(|_| drop(ids.undo()));
        let id = ids.undo();
        Some(Self { before: before.id, after: at.id, id, forward, patch })
    }

    fn load(files: &Files<'_>) -> Result<Option<BoardAt>, ReadError> {
        let (board, id) = (files.get::<Board>(files.blobs)?, files.tree.file(TreeFile::Board));
        let (played, reverted, forward, stored) = (None, Vec::new(), None, None);
        Ok(board.zip(id).map(|(board, id)| BoardAt { id, board, played, reverted, forward, stored }))
    }

    fn restore(at: &mut BoardAt, then: &BoardAt) -> Result<(), Mismatch> {
        let patch = at.board.patch_to(&then.board);
        Arc::make_mut(&mut at.board).apply(&patch).map_err(|_| Mismatch)?;
        at.reverted = vec![patch];
        Ok(())
    }

    fn put(at: BoardAt, draft: &mut Draft<'_>) {
        if let Some((root, parts)) = at.stored {
            draft.blobs.extend(parts);
            draft.put(root, at.board);
        }
    }

    fn suspect(&self, way: Way, _: &Tree) -> Option<BlobId> {
        Some(self.ends(way).1)
    }

    /// Empty, because the step has the records before and after.
    fn kept(&self) -> Vec<(TreeFile, BlobId)> {
        Vec::new()
    }

    fn named(file: TreeFile, blob: &Blob) -> Option<Vec<BlobId>> {
        match file {
            TreeFile::Board => Board::named_blobs(blob),
            _ => Some(Vec::new()),
        }
    }
}

impl FileContent for Board {
    const FILE: TreeFile = TreeFile::Board;
    type With<'a> = &'a Fetched;

    fn read(root: &Blob, blobs: &Fetched) -> Result<Self, ReadError> {
        Self::load(root, |id| blobs.get(id))
    }

    fn approximate_bytes(&self, root: &Blob) -> usize {
        self.approximate_bytes(root)
    }
}
