//! The history of a board in memory, with the rules of the journal but without its blobs.

use std::borrow::Cow;
use std::collections::VecDeque;

use canvas_lease::Timestamp;

use crate::board::{
    Board, BoardChange, BoardEnv, BoardPatch, BoardStep, CanvasCommand, CanvasEvent, Executed, Forward,
    HistoryState, Inverse, PatchMismatch, Recorded, UndoEntry, UndoEntryJson, UndoId,
};
use crate::face::step::Conflict;
use crate::history::journal::{Entry, EntryKind, Reverts};
use crate::history::number::{ChangeNumber, EntryNumber};
use crate::history::revert::{ChangesOf, Choice, Seen, Selection, Wanted};
use crate::model::author::Role;
use crate::model::error::CodedError;

/// The last changes of a board, for a host that keeps the board in memory. A canvas has a journal of all its faces
/// instead, with the same rules.
///
/// The journal holds only the records that each change touched. Undo and redo cost as much as the change.
#[derive(Debug, Clone)]
pub struct BoardJournal {
    undo: VecDeque<Item>,
    redo: Vec<Item>,
    limit: usize,
    /// Number of changes so far, including dropped ones.
    changes: u64,
}

#[derive(Debug, Clone)]
struct Item {
    number: ChangeNumber,
    change: BoardChange,
    /// The changes reverted by this one, if it is a revert. Boxed because reverts are rare.
    reverts: Option<Box<Reverts>>,
}

/// Error returned if an undo, redo or revert was refused. The board is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BoardJournalError {
    /// No change is left to undo.
    #[error("there is nothing to undo: change something first")]
    NothingToUndo,
    /// The last action was not an undo.
    #[error("there is nothing to redo: undo something first")]
    NothingToRedo,
    /// No change in effect has this id.
    #[error("there is no entry {id} that could be taken back: take an id from the history")]
    NotFound {
        /// The unknown id, as passed by the caller.
        id: UndoId,
    },
    /// A later change touches the same component, view or setting, or occupies a place that the revert would need.
    #[error("a later change, {with}, touches the same: take that back first")]
    Conflict {
        /// The change that was to be reverted.
        id: UndoId,
        /// The later change in conflict with it.
        with: UndoId,
    },
    /// The board was changed by an action that the journal did not record.
    #[error(transparent)]
    OtherBoard(#[from] PatchMismatch),
}

impl CodedError for BoardJournalError {
    fn code(&self) -> &'static str {
        match self {
            Self::NothingToUndo => "NOTHING_TO_UNDO",
            Self::NothingToRedo => "NOTHING_TO_REDO",
            Self::NotFound { .. } => "HISTORY_NOT_FOUND",
            Self::Conflict { .. } | Self::OtherBoard(_) => "HISTORY_CONFLICT",
        }
    }
}

impl Default for BoardJournal {
    /// Creates a journal of 50 changes.
    fn default() -> Self {
        Self::new(50)
    }
}

impl BoardJournal {
    /// Creates a journal of at most `limit` changes. Beyond that, the oldest are dropped.
    pub const fn new(limit: usize) -> Self {
        Self { undo: VecDeque::new(), redo: Vec::new(), limit, changes: 0 }
    }

    /// Records the result of a command, unless it was refused or had no effect.
    pub fn record(&mut self, executed: &Executed) {
        if let Some(change) = &executed.change {
            self.push(change.clone());
        }
    }

    /// Records a change made on the board, and clears the redo stack.
    pub fn push(&mut self, change: BoardChange) {
        self.push_item(change, None);
    }

    fn push_item(&mut self, change: BoardChange, reverts: Option<Box<Reverts>>) {
        self.changes += 1;
        self.redo.clear();
        self.undo.push_back(Item { number: ChangeNumber::new(self.changes), change, reverts });
        while self.undo.len() > self.limit {
            self.undo.pop_front();
        }
    }

    /// Undoes the last change. Returns the change and the resulting events.
    ///
    /// # Errors
    ///
    /// Returns an error if the undo stack is empty, or if the board was changed by an action that the journal did not
    /// record.
    pub fn undo(&mut self, board: &mut Board) -> Result<(&BoardChange, Vec<CanvasEvent>), BoardJournalError> {
        let item = self.undo.back().ok_or(BoardJournalError::NothingToUndo)?;
        let events = apply(board, &item.change.patch.inverse())?;
        let item = self.undo.pop_back().ok_or(BoardJournalError::NothingToUndo)?;
        self.redo.push(item);
        Ok((&self.redo[self.redo.len() - 1].change, events))
    }

    /// Redoes the change undone last. Returns the change and the resulting events.
    ///
    /// # Errors
    ///
    /// Returns an error if the redo stack is empty, or if the board was changed by an action that the journal did not
    /// record.
    pub fn redo(&mut self, board: &mut Board) -> Result<(&BoardChange, Vec<CanvasEvent>), BoardJournalError> {
        let item = self.redo.last().ok_or(BoardJournalError::NothingToRedo)?;
        let events = apply(board, &item.change.patch)?;
        let item = self.redo.pop().ok_or(BoardJournalError::NothingToRedo)?;
        self.undo.push_back(item);
        Ok((&self.undo[self.undo.len() - 1].change, events))
    }

    /// Undoes the change with this id and all later ones. Returns the number of undone changes and the resulting
    /// events.
    ///
    /// # Errors
    ///
    /// Returns an error if no change has the id, in which case no change is undone. It also stops with an error at a
    /// change that does not fit the board.
    pub fn undo_to(
        &mut self,
        board: &mut Board,
        id: &UndoId,
    ) -> Result<(usize, Vec<CanvasEvent>), BoardJournalError> {
        let at = self.undo.iter().position(|item| item.change.id == *id);
        let at = at.ok_or_else(|| BoardJournalError::NotFound { id: id.clone() })?;
        let (count, mut events) = (self.undo.len() - at, Vec::new());
        for _ in 0..count {
            events.extend(self.undo(board)?.1);
        }
        Ok((count, events))
    }

    /// Reverts one change from under later ones, which stay. The revert is a new change by `by` and can itself be
    /// undone.
    ///
    /// # Errors
    ///
    /// Returns an error if no change in effect has the id, or if a later change touches the same record or occupies its
    /// place. In that case the board and the journal are unchanged.
    pub fn revert(
        &mut self,
        board: &mut Board,
        id: &UndoId,
        by: Role,
        env: &mut BoardEnv<'_>,
    ) -> Result<Vec<CanvasEvent>, BoardJournalError> {
        let not_found = || BoardJournalError::NotFound { id: id.clone() };
        let item = self.undo.iter().find(|item| item.change.id == *id).ok_or_else(not_found)?;
        let change = ChangesOf::Change(item.number);
        let selection = Selection::all(Wanted::Of(&change));
        let reverted = self.revert_all(board, selection, by, env)?;
        reverted.map(|(_, events)| events).ok_or_else(not_found)
    }

    /// Reverts all changes of one author that are in effect, from under the changes of others. Returns the number of
    /// reverted changes and the resulting events. The revert is a new change by `by` and can itself be undone.
    ///
    /// # Errors
    ///
    /// Returns an error if there are no such changes, or if a later change by another author touches the same record or
    /// occupies its place. In that case the board and the journal are unchanged.
    pub fn revert_author(
        &mut self,
        board: &mut Board,
        author: Role,
        by: Role,
        env: &mut BoardEnv<'_>,
    ) -> Result<(usize, Vec<CanvasEvent>), BoardJournalError> {
        let reverted = self.revert_all(board, Selection::all(Wanted::Role(author)), by, env)?;
        reverted.ok_or(BoardJournalError::NothingToUndo)
    }

    /// Returns `None` if the selection is empty.
    fn revert_all(
        &mut self,
        board: &mut Board,
        selection: Selection<'_>,
        by: Role,
        env: &mut BoardEnv<'_>,
    ) -> Result<Option<(usize, Vec<CanvasEvent>)>, BoardJournalError> {
        let mut choice = Choice::new(selection);
        let mut reverted: Option<Board> = None;
        let mut reverted_author = by;
        let (mut later, mut changes, mut done, mut forward) = (VecDeque::new(), Vec::new(), Vec::new(), None);
        for Item { number, change, reverts } in self.undo.iter().rev() {
            let kind = if reverts.is_some() { EntryKind::Revert } else { EntryKind::Edit };
            let (author, reverts) = (change.source, reverts.as_deref());
            let entry = EntryNumber::new(number.get());
            let seen = Seen { number: entry, change: *number, kind, author, reverts, entry: None };
            if !choice.visit(&seen).is_chosen() {
                later.push_front((*number, &change.patch));
                continue;
            }
            let reverted = reverted.get_or_insert_with(|| board.clone());
            let back = reverted.revert(&change.patch, later.iter().map(|(_, patch)| *patch));
            done.push(back.map_err(|conflict| match conflict {
                Conflict::Touched(with) => {
                    let with = later.get(with).map_or(*number, |(with, _)| *with);
                    BoardJournalError::Conflict { id: self.id(*number), with: self.id(with) }
                }
                Conflict::Mismatch => PatchMismatch { place: self.id(*number).to_string() }.into(),
            })?);
            changes.push(*number);
            forward.get_or_insert_with(|| change.forward.clone());
            reverted_author = author;
            if choice.is_complete() {
                break;
            }
        }
        let (Some(reverted), Some(forward)) = (reverted, forward) else { return Ok(None) };
        let Some(patch) = BoardPatch::joined(done).filter(|patch| !patch.is_empty()) else {
            return Ok(None);
        };
        *board = reverted;
        let (count, events) = (changes.len(), board.events_of(&patch));
        let description = format!("took back {count} change{}", if count == 1 { "" } else { "s" });
        let change = BoardChange { id: env.ids.undo(), at: env.now, source: by, description, forward, patch };
        self.push_item(change, Some(Box::new(Reverts::of(changes, reverted_author))));
        Ok(Some((count, events)))
    }

    fn id(&self, number: ChangeNumber) -> UndoId {
        let item = self.undo.iter().find(|item| item.number == number);
        item.map(|item| item.change.id.clone()).expect("it was looked at just now")
    }

    /// Clears the journal. The board stays unchanged.
    pub fn clear(&mut self) {
        self.undo.clear();
        self.redo.clear();
    }

    /// Returns the changes that can be undone, including reverts, oldest first.
    pub fn changes(&self) -> impl ExactSizeIterator<Item = &BoardChange> + DoubleEndedIterator {
        self.undo.iter().map(|item| &item.change)
    }

    /// Returns the undo and redo stacks in the form shown to people.
    pub fn state(&self) -> HistoryState {
        HistoryState {
            undo_stack: self.undo.iter().map(|item| item.change.shown()).collect(),
            redo_stack: self.redo.iter().map(|item| item.change.shown()).collect(),
            max_size: self.limit,
        }
    }
}

fn apply(board: &mut Board, patch: &BoardPatch) -> Result<Vec<CanvasEvent>, PatchMismatch> {
    board.apply(patch)?;
    Ok(board.events_of(patch))
}

impl UndoEntry {
    /// Converts a journal entry to the form shown to people. For an undo, this is the change that redo would make.
    /// Returns `None` if the entry belongs to another face.
    pub fn of(entry: &Entry) -> Option<Self> {
        let (id, forward, patch, timestamp) = change_of(entry)?;
        Some(Self {
            id: id.clone(),
            timestamp,
            source: entry.author,
            description: entry.summary.clone(),
            forward: match forward {
                Some(forward) => Recorded::Command(forward.clone()),
                None => Recorded::inverse_of(&patch.inverse()),
            },
            inverse: Recorded::inverse_of(&patch),
        })
    }
}

impl<'e> UndoEntryJson<'e> {
    /// Like [`UndoEntry::of`], but for writing as JSON. Takes a tenth of the time if the change is long.
    pub fn of(entry: &'e Entry) -> Option<Self> {
        let (id, forward, patch, timestamp) = change_of(entry)?;
        Some(Self {
            id,
            timestamp,
            source: entry.author,
            description: &entry.summary,
            forward: match forward {
                Some(forward) => Forward::Command(forward),
                None => Forward::Restore(Inverse::of(&patch.inverse())),
            },
            inverse: Inverse::of(&patch),
        })
    }
}

/// The change of a board that an entry makes or undoes.
type ChangeOf<'e> = (&'e UndoId, Option<&'e Box<CanvasCommand>>, Cow<'e, BoardPatch>, Timestamp);

/// Returns `None` if the entry belongs to another face.
fn change_of(entry: &Entry) -> Option<ChangeOf<'_>> {
    let BoardStep { id, forward, patch, .. } = entry.board()?;
    let patch = match entry.kind {
        EntryKind::Undo => Cow::Owned(patch.inverse()),
        EntryKind::Edit | EntryKind::Redo | EntryKind::Revert | EntryKind::Effect => Cow::Borrowed(patch),
    };
    // Undo and redo entries have times of their own, while the change records when it was made. A revert from under
    // later changes leaves the board's time unchanged, and a restore, which has no command, brings an earlier time back.
    let walked = matches!(entry.kind, EntryKind::Undo | EntryKind::Redo)
        && entry.reverts.is_none()
        && forward.is_some();
    let timestamp = if walked { patch.updated_at.after } else { entry.at };
    Some((id, forward.as_ref(), patch, timestamp))
}
