//! What can be taken back on a board in memory.

use std::borrow::Cow;
use std::collections::VecDeque;

use crate::board::command::run::BoardChange;
use crate::board::model::code::CommandErrorCode;
use crate::board::model::event::CanvasEvent;
use crate::board::model::id::UndoId;
use crate::board::state::apply::PatchMismatch;
use crate::board::state::board::Board;
use crate::board::state::patch::BoardPatch;
use crate::board::state::revert::Conflict;
use crate::board::wire::execute::Executed;
use crate::board::wire::history::{HistoryState, Recorded, UndoEntry};
use crate::history::journal::{Entry, EntryKind, Step};
use crate::model::author::Actor;

/// The last changes of a board, for a host that keeps one in memory. On a canvas the journal does this for all faces.
///
/// An entry holds what it changed and nothing else. Undo and redo cost what the change did.
#[derive(Debug, Clone)]
pub struct BoardHistory {
    undo: VecDeque<BoardChange>,
    redo: Vec<BoardChange>,
    limit: usize,
}

/// Why nothing was taken back, or done again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BoardHistoryError {
    /// There is nothing to take back.
    #[error("nothing to undo: there is no change that could be taken back")]
    NothingToUndo,
    /// There is nothing to do again.
    #[error("nothing to redo: there is no change that was taken back last")]
    NothingToRedo,
    /// No entry has this id.
    #[error("there is no entry {id} that could be taken back: take an id from the history")]
    NotFound {
        /// The id.
        id: UndoId,
    },
    /// A later change touches the same.
    #[error("a later change, {with}, touches the same: take that back first")]
    Conflict {
        /// What was to be taken back.
        id: UndoId,
        /// What stands in the way.
        with: UndoId,
    },
    /// The board was changed by something that the history does not know of.
    #[error(transparent)]
    OtherBoard(#[from] PatchMismatch),
}

impl BoardHistoryError {
    /// The stable code.
    pub const fn code(&self) -> CommandErrorCode {
        match self {
            Self::NothingToUndo => CommandErrorCode::NothingToUndo,
            Self::NothingToRedo => CommandErrorCode::NothingToRedo,
            Self::NotFound { .. } => CommandErrorCode::HistoryNotFound,
            Self::Conflict { .. } | Self::OtherBoard(_) => CommandErrorCode::HistoryConflict,
        }
    }
}

impl Default for BoardHistory {
    /// Of 50 changes.
    fn default() -> Self {
        Self::new(50)
    }
}

impl BoardHistory {
    /// A history of so many changes; of more, the oldest are dropped.
    pub const fn new(limit: usize) -> Self {
        Self { undo: VecDeque::new(), redo: Vec::new(), limit }
    }

    /// Keeps what a command did. What was refused, or changed nothing, leaves the history as it is.
    pub fn keep(&mut self, executed: &Executed) {
        if let Some(change) = &executed.change {
            self.push(change.clone());
        }
    }

    /// Keeps a change that was made on the board.
    pub fn push(&mut self, change: BoardChange) {
        self.redo.clear();
        self.undo.push_back(change);
        while self.undo.len() > self.limit {
            self.undo.pop_front();
        }
    }

    /// Takes the last change back. Gives it, and what happened by that.
    ///
    /// # Errors
    ///
    /// Where there is nothing to take back.
    pub fn undo(&mut self, board: &mut Board) -> Result<(&BoardChange, Vec<CanvasEvent>), BoardHistoryError> {
        let change = self.undo.pop_back().ok_or(BoardHistoryError::NothingToUndo)?;
        match walk(board, &change.patch.inverse()) {
            Ok(events) => Ok((self.redo.push_mut(change), events)),
            Err(e) => {
                self.undo.push_back(change);
                Err(e)
            }
        }
    }

    /// Does again what was taken back last. Gives it, and what happened by that.
    ///
    /// # Errors
    ///
    /// Where there is nothing to do again.
    pub fn redo(&mut self, board: &mut Board) -> Result<(&BoardChange, Vec<CanvasEvent>), BoardHistoryError> {
        let change = self.redo.pop().ok_or(BoardHistoryError::NothingToRedo)?;
        match walk(board, &change.patch) {
            Ok(events) => Ok((self.undo.push_back_mut(change), events)),
            Err(e) => {
                self.redo.push(change);
                Err(e)
            }
        }
    }

    /// Takes back the change of this id and all later ones. Tells how many.
    ///
    /// # Errors
    ///
    /// Where no change that stands has the id; nothing was taken back.
    pub fn undo_to(
        &mut self,
        board: &mut Board,
        id: &UndoId,
    ) -> Result<(usize, Vec<CanvasEvent>), BoardHistoryError> {
        let at = self.place(id)?;
        let (count, mut events) = (self.undo.len() - at, Vec::new());
        for _ in 0..count {
            events.extend(self.undo(board)?.1);
        }
        Ok((count, events))
    }

    /// Takes one change back from under later ones, which stay. Nothing can be done again after that.
    ///
    /// # Errors
    ///
    /// Where no change that stands has the id, or a later one touches a record that it touches, or has put something in
    /// its place. Nothing was taken back then.
    pub fn undo_one(
        &mut self,
        board: &mut Board,
        id: &UndoId,
    ) -> Result<Vec<CanvasEvent>, BoardHistoryError> {
        let at = self.place(id)?;
        self.take_back(board, &[at])
    }

    /// Takes back every change of one author that still stands, from under those of the other. Tells how many.
    ///
    /// # Errors
    ///
    /// Where there is none, or the other has touched what one of them touches, or has put something in its place. None
    /// was taken back then.
    pub fn undo_by(
        &mut self,
        board: &mut Board,
        author: Actor,
    ) -> Result<(usize, Vec<CanvasEvent>), BoardHistoryError> {
        let own: Vec<usize> = (0..self.undo.len()).filter(|at| self.undo[*at].source == author).collect();
        if own.is_empty() {
            return Err(BoardHistoryError::NothingToUndo);
        }
        Ok((own.len(), self.take_back(board, &own)?))
    }

    /// Forgets everything. The board stays.
    pub fn clear(&mut self) {
        self.undo.clear();
        self.redo.clear();
    }

    /// The changes that can be taken back, the last one last.
    pub fn changes(&self) -> impl ExactSizeIterator<Item = &BoardChange> + DoubleEndedIterator {
        self.undo.iter()
    }

    /// The history as it is shown.
    pub fn state(&self) -> HistoryState {
        HistoryState {
            undo_stack: self.undo.iter().map(BoardChange::shown).collect(),
            redo_stack: self.redo.iter().map(BoardChange::shown).collect(),
            max_size: self.limit,
        }
    }

    fn place(&self, id: &UndoId) -> Result<usize, BoardHistoryError> {
        let at = self.undo.iter().position(|change| change.id == *id);
        at.ok_or_else(|| BoardHistoryError::NotFound { id: id.clone() })
    }

    /// Takes back changes, given in order, from under those that stay.
    fn take_back(
        &mut self,
        board: &mut Board,
        chosen: &[usize],
    ) -> Result<Vec<CanvasEvent>, BoardHistoryError> {
        let (mut done, mut events) = (Vec::new(), Vec::new());
        for at in chosen.iter().rev() {
            let change = &self.undo[*at];
            let later = self.undo.iter().enumerate().skip(at + 1).filter(|(at, _)| !chosen.contains(at));
            let later: Vec<&BoardChange> = later.map(|(_, change)| change).collect();
            match board.revert(&change.patch, later.iter().map(|change| &change.patch)) {
                Ok(patch) => {
                    events.extend(board.events_of(&patch));
                    done.push(patch);
                }
                Err(met) => {
                    for patch in done.iter().rev() {
                        walk(board, &patch.inverse())?;
                    }
                    return Err(match met {
                        Conflict::Touched(with) => BoardHistoryError::Conflict {
                            id: change.id.clone(),
                            with: later[with].id.clone(),
                        },
                        Conflict::Mismatch(mismatch) => mismatch.into(),
                    });
                }
            }
        }
        for at in chosen.iter().rev() {
            self.undo.remove(*at);
        }
        self.redo.clear();
        Ok(events)
    }
}

impl UndoEntry {
    /// An entry of the journal as it is shown: of an undoing, the change that redo would do again. `None` where it is of
    /// another face.
    pub fn of(entry: &Entry) -> Option<Self> {
        let Step::Board { id, forward, patch, .. } = &entry.step else { return None };
        let patch = match entry.kind {
            EntryKind::Undo => Cow::Owned(patch.inverse()),
            EntryKind::Edit | EntryKind::Redo | EntryKind::Revert => Cow::Borrowed(patch),
        };
        // An undoing and a redoing have times of their own; the change has noted when it was made. What was taken back
        // from under later changes leaves the board's time as it was.
        let walked = matches!(entry.kind, EntryKind::Undo | EntryKind::Redo) && entry.reverts.is_none();
        Some(Self {
            id: id.clone(),
            timestamp: if walked { patch.updated_at.after } else { entry.at },
            source: entry.author,
            description: entry.summary.clone(),
            forward: Recorded::Command(forward.clone()),
            inverse: Recorded::inverse_of(&patch),
        })
    }
}

fn walk(board: &mut Board, patch: &BoardPatch) -> Result<Vec<CanvasEvent>, BoardHistoryError> {
    board.apply(patch)?;
    Ok(board.events_of(patch))
}
