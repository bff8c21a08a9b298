//! Changes of a board that are taken back from under later ones.

use crate::board::{Board, BoardPatch, CanvasCommand, Conflict};
use crate::history::journal::{ChangeNumber, EntryNumber};
use crate::history::revert::RevertError;

/// A board that changes are taken out of, newest first.
#[derive(Default)]
pub(crate) struct BoardRevert {
    pub(crate) board: Option<Board>,
    /// What was reverted.
    pub(crate) changes: Vec<ChangeNumber>,
    /// The command of the last of them.
    pub(crate) forward: Option<Box<CanvasCommand>>,
    /// What was done to the board for it.
    pub(crate) done: Vec<BoardPatch>,
    later: Vec<(ChangeNumber, BoardPatch)>,
}

impl BoardRevert {
    /// Takes the next older change, to keep it.
    pub(crate) fn keep(&mut self, change: ChangeNumber, patch: &BoardPatch) {
        self.later.insert(0, (change, patch.clone()));
    }

    /// Takes the next older change, to revert it on a board that `load` gives the first time.
    pub(crate) fn revert<E: From<RevertError>>(
        &mut self,
        (change, entry): (ChangeNumber, EntryNumber),
        (patch, forward): (&BoardPatch, &CanvasCommand),
        load: impl FnOnce() -> Result<Board, E>,
    ) -> Result<(), E> {
        let board = match &mut self.board {
            Some(board) => board,
            none => none.insert(load()?),
        };
        let later = self.later.iter().map(|(_, patch)| patch);
        let back = board.revert(patch, later).map_err(|conflict| match conflict {
            Conflict::Touched(with) => RevertError::Conflict { change, with: self.later[with].0 },
            Conflict::Mismatch => RevertError::Damaged(entry),
        })?;
        self.changes.push(change);
        self.forward.get_or_insert_with(|| Box::new(forward.clone()));
        self.done.push(back);
        Ok(())
    }
}
