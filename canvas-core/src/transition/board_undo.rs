//! Undo and redo on the board.

use crate::board::{Board, BoardPatch, CanvasCommand, CanvasEvent, StoredBoard};
use crate::history::board_revert::BoardRevert;
use crate::history::journal::{Entry, EntryNumber, HistoryEntry, Reverts};
use crate::history::revert::RevertError;
use crate::history::step::Step;
use crate::model::author::{Actor, Author};
use crate::model::blob::BlobId;
use crate::model::id::OpKey;
use crate::transition::board::ids_of;
use crate::transition::refusal::UndoRefusal;
use crate::transition::step::{Stop, Transition};

/// A board after an undo or a redo, and what happened on it by that.
pub(super) struct ReplayedBoard {
    stored: StoredBoard,
    events: Vec<CanvasEvent>,
}

/// The board while entries are inverted on it, one after the other; nothing until one of them is the board's.
#[derive(Default)]
pub(super) struct BoardReplay {
    board: Option<Board>,
    /// What the board is by what the entries say.
    id: Option<BlobId>,
    events: Vec<CanvasEvent>,
}

impl BoardReplay {
    /// Takes back the step of an entry, which led from one root blob to another.
    pub(super) fn invert(
        &mut self,
        at: &Transition<'_>,
        entry: &Entry,
        (before, after): (BlobId, BlobId),
        patch: &BoardPatch,
    ) -> Result<(), Stop<UndoRefusal>> {
        if Some(after) != self.id.or_else(|| at.view.head.board()) {
            return Err(RevertError::Damaged(entry.number).into());
        }
        let board = match &mut self.board {
            Some(board) => board,
            none => none.insert(Board::clone(&*at.board_now::<UndoRefusal>()?)),
        };
        let patch = patch.inverse();
        board.apply(&patch).map_err(|_| RevertError::Damaged(entry.number))?;
        self.events.extend(board.events_of(&patch));
        self.id = Some(before);
        Ok(())
    }

    /// The board as it is stored, where any entry was the board's. It is what the entries say, or `last` is damaged.
    pub(super) fn encode(self, last: EntryNumber) -> Result<Option<ReplayedBoard>, RevertError> {
        let Self { board, id, events } = self;
        let stored = board.map(Board::encode);
        if stored.as_ref().map(|stored| stored.root.id()) != id {
            return Err(RevertError::Damaged(last));
        }
        Ok(stored.map(|stored| ReplayedBoard { stored, events }))
    }
}

impl Transition<'_> {
    /// Takes the next older change of the board, to revert it or to keep it.
    pub(super) fn pass_board(
        &self,
        revert: &mut BoardRevert,
        entry: &Entry,
        (patch, forward): (&BoardPatch, &CanvasCommand),
        is_chosen: bool,
    ) -> Result<(), Stop<UndoRefusal>> {
        if is_chosen {
            let load = || self.board_now::<UndoRefusal>().map(|board| Board::clone(&board));
            revert.revert((entry.change, entry.number), (patch, forward), load)
        } else {
            revert.keep(entry.change, patch);
            Ok(())
        }
    }

    /// Records what a revert has done to the board; `None` where that is nothing.
    pub(super) fn record_reverted_board(
        &mut self,
        operation: &OpKey,
        by: Author,
        author: Actor,
        revert: BoardRevert,
    ) -> Result<Option<(ReplayedBoard, Option<HistoryEntry>)>, Stop<UndoRefusal>> {
        if let (Some(board), Some(before), Some(forward)) =
            (revert.board, self.view.head.board(), revert.forward)
            && let Some(patch) = BoardPatch::joined(revert.done).filter(|patch| !patch.is_empty())
        {
            let events = board.events_of(&patch);
            let (stored, id) = (board.encode(), ids_of(operation).undo());
            let step = Step::Board { before, after: stored.root.id(), id, forward, patch };
            let reverts = Reverts { changes: revert.changes, author };
            let entry = self.push_revert(operation, by, reverts, step)?;
            return Ok(Some((ReplayedBoard { stored, events }, entry)));
        }
        Ok(None)
    }

    /// Makes what was replayed the board, in the name of whoever asked. Gives what happened by it.
    pub(super) fn put_replayed_board(&mut self, by: Author, board: ReplayedBoard) -> Vec<CanvasEvent> {
        self.put_board(board.stored);
        if by == Author::User {
            self.head.user_revision = self.head.revision;
        }
        board.events
    }
}
