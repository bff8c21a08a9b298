//! The history of a board in memory: the journal's rules, without its blobs.

use std::borrow::Cow;
use std::collections::VecDeque;

use canvas_lease::Timestamp;

use crate::board::{
    Board, BoardChange, BoardEnv, BoardPatch, BoardStep, CanvasCommand, CanvasEvent, CommandErrorCode,
    Executed, HistoryState, Inverse, PatchMismatch, Recorded, UndoEntry, UndoEntryJson, UndoId,
};
use crate::face::step::Conflict;
use crate::history::journal::{Entry, EntryKind, Reverts};
use crate::history::number::ChangeNumber;
use crate::history::revert::{Choice, Selection};
use crate::history::step::Step;
use crate::model::author::Actor;

/// The last changes of a board, for a host that keeps one in memory. A canvas has a journal of all its faces instead,
/// with the same rules.
///
/// It holds what each change touched and nothing else. Undo and redo cost what the change did.
#[derive(Debug, Clone)]
pub struct BoardJournal {
    undo: VecDeque<Item>,
    redo: Vec<Item>,
    limit: usize,
    /// Changes so far, dropped ones too.
    changes: u64,
}

#[derive(Debug, Clone)]
struct Item {
    number: ChangeNumber,
    change: BoardChange,
    /// What a revert has reverted; boxed, because few are reverts.
    reverts: Option<Box<Reverts>>,
}

/// Why nothing was undone or redone. The board is as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BoardJournalError {
    /// No change is left that could be undone.
    #[error("there is nothing to undo: change something first")]
    NothingToUndo,
    /// No change was undone last.
    #[error("there is nothing to redo: undo something first")]
    NothingToRedo,
    /// No change that still applies has this id.
    #[error("there is no entry {id} that could be taken back: take an id from the history")]
    NotFound {
        /// As it was given.
        id: UndoId,
    },
    /// A later change touches the same component, view or setting, or covers a place that would be needed.
    #[error("a later change, {with}, touches the same: take that back first")]
    Conflict {
        /// The change that was to be reverted.
        id: UndoId,
        /// The later one.
        with: UndoId,
    },
    /// The board was changed by something that the journal does not have.
    #[error(transparent)]
    OtherBoard(#[from] PatchMismatch),
}

canvas_patch::coded_error!(BoardJournalError as CommandErrorCode {
    Self::NothingToUndo => CommandErrorCode::NothingToUndo;
    Self::NothingToRedo => CommandErrorCode::NothingToRedo;
    Self::NotFound { .. } => CommandErrorCode::HistoryNotFound;
    Self::Conflict { .. } | Self::OtherBoard(_) => CommandErrorCode::HistoryConflict;
});

impl Default for BoardJournal {
    /// Of 50 changes.
    fn default() -> Self {
        Self::new(50)
    }
}

impl BoardJournal {
    /// A journal of this many changes; of more, the oldest are dropped.
    pub const fn new(limit: usize) -> Self {
        Self { undo: VecDeque::new(), redo: Vec::new(), limit, changes: 0 }
    }

    /// Records what a command did. What was refused, or changed nothing, leaves the journal as it is.
    pub fn record(&mut self, executed: &Executed) {
        if let Some(change) = &executed.change {
            self.push(change.clone());
        }
    }

    /// Records a change that was made on the board. Nothing can be redone after it.
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

    /// Undoes the last change. Gives it, and what happened by that.
    ///
    /// # Errors
    ///
    /// Where there is nothing to undo.
    pub fn undo(&mut self, board: &mut Board) -> Result<(&BoardChange, Vec<CanvasEvent>), BoardJournalError> {
        let item = self.undo.back().ok_or(BoardJournalError::NothingToUndo)?;
        let events = apply(board, &item.change.patch.inverse())?;
        let item = self.undo.pop_back().ok_or(BoardJournalError::NothingToUndo)?;
        self.redo.push(item);
        Ok((&self.redo[self.redo.len() - 1].change, events))
    }

    /// Redoes the change that was undone last. Gives it, and what happened by that.
    ///
    /// # Errors
    ///
    /// Where there is nothing to redo.
    pub fn redo(&mut self, board: &mut Board) -> Result<(&BoardChange, Vec<CanvasEvent>), BoardJournalError> {
        let item = self.redo.last().ok_or(BoardJournalError::NothingToRedo)?;
        let events = apply(board, &item.change.patch)?;
        let item = self.redo.pop().ok_or(BoardJournalError::NothingToRedo)?;
        self.undo.push_back(item);
        Ok((&self.undo[self.undo.len() - 1].change, events))
    }

    /// Undoes the change of this id and all later ones. Gives how many they were.
    ///
    /// # Errors
    ///
    /// Where no change has the id; nothing was undone.
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

    /// Reverts one change under later ones, which stay. The revert is a change of its own, by `by`, and can be undone.
    ///
    /// # Errors
    ///
    /// Where no change that still applies has the id, or a later one touches a record that it touches, or has put something
    /// in its place. Nothing was reverted then.
    pub fn revert(
        &mut self,
        board: &mut Board,
        id: &UndoId,
        by: Actor,
        env: &mut BoardEnv<'_>,
    ) -> Result<Vec<CanvasEvent>, BoardJournalError> {
        let not_found = || BoardJournalError::NotFound { id: id.clone() };
        let item = self.undo.iter().find(|item| item.change.id == *id).ok_or_else(not_found)?;
        let selection = Selection::Change(item.number);
        let reverted = self.revert_all(board, selection, by, env)?;
        reverted.map(|(_, events)| events).ok_or_else(not_found)
    }

    /// Reverts every change of one author that still applies, under those of others. Gives how many they were. The revert
    /// is a change of its own, by `by`, and can be undone.
    ///
    /// # Errors
    ///
    /// Where there is none, or another author's later change touches what one of them touches, or has put something in its
    /// place. Nothing was reverted then.
    pub fn revert_author(
        &mut self,
        board: &mut Board,
        author: Actor,
        by: Actor,
        env: &mut BoardEnv<'_>,
    ) -> Result<(usize, Vec<CanvasEvent>), BoardJournalError> {
        let reverted = self.revert_all(board, Selection::Author { author, since: 0 }, by, env)?;
        reverted.ok_or(BoardJournalError::NothingToUndo)
    }

    /// `None` where nothing is chosen.
    fn revert_all(
        &mut self,
        board: &mut Board,
        selection: Selection,
        by: Actor,
        env: &mut BoardEnv<'_>,
    ) -> Result<Option<(usize, Vec<CanvasEvent>)>, BoardJournalError> {
        let mut choice = Choice::new(selection);
        let mut reverted: Option<Board> = None;
        let mut author = by;
        let (mut later, mut changes, mut done, mut forward) = (VecDeque::new(), Vec::new(), Vec::new(), None);
        for Item { number, change, reverts } in self.undo.iter().rev() {
            if !choice.takes(*number, change.source, reverts.as_deref()) {
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
            author = change.source;
            if matches!(selection, Selection::Change(_)) {
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
        self.push_item(change, Some(Box::new(Reverts { changes, author })));
        Ok(Some((count, events)))
    }

    fn id(&self, number: ChangeNumber) -> UndoId {
        let item = self.undo.iter().find(|item| item.number == number);
        item.map(|item| item.change.id.clone()).expect("it was looked at just now")
    }

    /// Drops everything. The board stays.
    pub fn clear(&mut self) {
        self.undo.clear();
        self.redo.clear();
    }

    /// The changes that can be undone, reverts among them, the last one last.
    pub fn changes(&self) -> impl ExactSizeIterator<Item = &BoardChange> + DoubleEndedIterator {
        self.undo.iter().map(|item| &item.change)
    }

    /// What a person is shown of it.
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
    /// An entry of the journal as it is shown: of an undoing, the change that redo would do again. `None` where it is of
    /// another face.
    pub fn of(entry: &Entry) -> Option<Self> {
        let (id, forward, patch, timestamp) = change_of(entry)?;
        Some(Self {
            id: id.clone(),
            timestamp,
            source: entry.author,
            description: entry.summary.clone(),
            forward: Recorded::Command(forward.clone()),
            inverse: Recorded::inverse_of(&patch),
        })
    }
}

impl<'e> UndoEntryJson<'e> {
    /// What [`UndoEntry::of`] gives, to be written as JSON: a tenth of the time where the change is long.
    pub fn of(entry: &'e Entry) -> Option<Self> {
        let (id, forward, patch, timestamp) = change_of(entry)?;
        Some(Self {
            id,
            timestamp,
            source: entry.author,
            description: &entry.summary,
            forward,
            inverse: Inverse::of(&patch),
        })
    }
}

/// The change of a board that an entry makes, or takes back.
type ChangeOf<'e> = (&'e UndoId, &'e Box<CanvasCommand>, Cow<'e, BoardPatch>, Timestamp);

/// `None` where it is of another face.
fn change_of(entry: &Entry) -> Option<ChangeOf<'_>> {
    let Step::Board(BoardStep { id, forward, patch, .. }) = &entry.step else { return None };
    let patch = match entry.kind {
        EntryKind::Undo => Cow::Owned(patch.inverse()),
        EntryKind::Edit | EntryKind::Redo | EntryKind::Revert | EntryKind::Effect => Cow::Borrowed(patch),
    };
    // An undoing and a redoing have times of their own; the change has noted when it was made. What was taken back
    // from under later changes leaves the board's time as it was.
    let walked = matches!(entry.kind, EntryKind::Undo | EntryKind::Redo) && entry.reverts.is_none();
    let timestamp = if walked { patch.updated_at.after } else { entry.at };
    Some((id, forward, patch, timestamp))
}
