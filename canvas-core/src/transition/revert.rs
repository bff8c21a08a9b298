//! Taking changes back from under later ones, which stay.

use std::borrow::Cow;

use canvas_patch::Delta;

use crate::board::{Board, BoardPatch, CanvasCommand, Conflict};
use crate::history::journal::{ChangeNumber, Entry, EntryKind, NewEntry, Reverts, Step as Change};
use crate::model::author::{Actor, Author};
use crate::model::blob::Blob;
use crate::model::id::OpKey;
use crate::transition::board::ids_of;
use crate::transition::decide::{Step, Stop};
use crate::transition::history::{Walked, damaged};
use crate::transition::refusal::Refusal;

impl Step<'_> {
    /// Takes changes back from under later ones, which are moved and stay. One that meets a later one refuses all.
    pub(super) fn revert(
        &mut self,
        operation: &OpKey,
        by: Author,
        selection: Selection,
    ) -> Result<Walked, Stop> {
        let chosen = self.choose(selection)?;
        self.may_take_back(
            operation,
            by,
            chosen.iter().filter(|(_, is_chosen)| *is_chosen).map(|(entry, _)| entry),
        )?;
        let (mut text, mut board) = (self.unwritten(), Unarranged::default());
        let mut author = by.actor();
        for (entry, is_chosen) in &chosen {
            match (&entry.step, is_chosen) {
                (Change::Document { delta, .. }, _) => text.pass(entry, delta.as_ref(), *is_chosen)?,
                (Change::Board { patch, .. }, false) => board.later.insert(0, (entry.change, patch.clone())),
                (Change::Board { patch, forward, .. }, true) => {
                    let live = match &mut board.live {
                        Some(live) => live,
                        none => none.insert(Board::clone(&*self.board_now()?)),
                    };
                    let later = board.later.iter().map(|(_, patch)| patch);
                    match live.revert(patch, later) {
                        Ok(back) => {
                            board.changes.push(entry.change);
                            board.forward.get_or_insert_with(|| forward.clone());
                            board.done.push(back);
                        }
                        Err(Conflict::Touched(with)) => return Err(met(entry, board.later[with].0).into()),
                        Err(Conflict::Mismatch(_)) => return Err(damaged(entry).into()),
                    }
                }
            }
            if *is_chosen {
                author = entry.author;
            }
        }
        let mut walked = Walked { document: None, board: None, events: Vec::new(), done: Vec::new() };
        let delta = Delta::between(self.view.text(), &text.text);
        if !text.changes.is_empty() && !delta.is_empty() {
            self.fits(text.text.len())?;
            let document = Blob::text(text.text.into_owned());
            let step = self.change(self.view.head.document(), document.id(), delta);
            let reverts = Reverts { changes: text.changes, author };
            self.push_revert(operation, by, reverts, step, &mut walked)?;
            walked.document = Some(document);
        }
        if let (Some(live), Some(before), Some(forward)) = (board.live, self.view.head.board(), board.forward)
            && let Some(patch) = BoardPatch::joined(board.done).filter(|patch| !patch.is_empty())
        {
            walked.events = live.events_of(&patch);
            let (kept, id) = (live.encode(), ids_of(operation).undo());
            let step = Change::Board { before, after: kept.root.id(), id, forward, patch };
            self.push_revert(operation, by, Reverts { changes: board.changes, author }, step, &mut walked)?;
            walked.board = Some(kept);
        }
        if walked.document.is_none() && walked.board.is_none() {
            return Err(Refusal::HistoryEmpty { asked: 1, available: 0 }.into());
        }
        Ok(walked)
    }

    fn unwritten(&self) -> Unwritten<'_> {
        Unwritten { text: Cow::Borrowed(self.view.text()), changes: Vec::new(), later: Vec::new() }
    }

    fn push_revert(
        &mut self,
        operation: &OpKey,
        by: Author,
        reverts: Reverts,
        step: Change,
        walked: &mut Walked,
    ) -> Result<(), Stop> {
        let count = reverts.changes.len();
        let s = if count == 1 { "" } else { "s" };
        let before = self.head.revision;
        self.next_revision()?;
        let actor = by.actor();
        let pushed = self.push(NewEntry {
            kind: EntryKind::Revert,
            change: None,
            actor,
            author: actor,
            reverts: Some(reverts),
            operation: operation.clone(),
            at: self.view.clock,
            summary: format!("took back {count} change{s}"),
            revisions: (before, self.head.revision),
            step,
        });
        walked.done.extend(pushed);
        Ok(())
    }

    /// The changes that stand, newest first, down to the last that is chosen.
    fn choose(&self, selection: Selection) -> Result<Vec<(Entry, bool)>, Stop> {
        let mut entries: Vec<(Entry, bool)> = Vec::new();
        let mut taken_back: Vec<ChangeNumber> = Vec::new();
        let mut next = self.head.journal.undo;
        while let Some(entry) = self.kept(next)? {
            if selection.ends_before(&entry) {
                break;
            }
            if entries.len() == self.policy.history_reach {
                return Err(Refusal::HistoryTooDeep { limit: self.policy.history_reach }.into());
            }
            next = entry.below();
            let stands = !taken_back.contains(&entry.change);
            let is_chosen = stands && selection.takes(&entry);
            // What took something back and was itself taken back did nothing.
            let reverts = entry.reverts.iter().filter(|_| stands);
            taken_back.extend(reverts.flat_map(|reverts| &reverts.changes));
            entries.push((entry, is_chosen));
            if is_chosen && matches!(selection, Selection::Change(_)) {
                break;
            }
        }
        match entries.iter().rposition(|(_, is_chosen)| *is_chosen) {
            Some(last) => entries.truncate(last + 1),
            None => return Err(selection.nothing().into()),
        }
        Ok(entries)
    }
}

/// A document that changes are taken out of, newest first.
struct Unwritten<'t> {
    text: Cow<'t, str>,
    changes: Vec<ChangeNumber>,
    /// What stands after the entry that is looked at, oldest first, as if the chosen ones had never been.
    later: Vec<(ChangeNumber, Delta)>,
}

impl Unwritten<'_> {
    fn pass(&mut self, entry: &Entry, delta: Option<&Delta>, is_chosen: bool) -> Result<(), Stop> {
        let Some(delta) = delta else {
            return Err(met(entry, self.later.first().map_or(entry.change, |(with, _)| *with)).into());
        };
        if !is_chosen {
            self.later.insert(0, (entry.change, delta.clone()));
            return Ok(());
        }
        let mut back = delta.inverse();
        for (with, delta) in &mut self.later {
            let moved = delta.transform(&back).map_err(|_| met(entry, *with))?;
            back = back.transform(delta).map_err(|_| met(entry, *with))?;
            *delta = moved;
        }
        self.text = Cow::Owned(back.apply(&self.text).map_err(|_| damaged(entry))?);
        self.changes.push(entry.change);
        Ok(())
    }
}

/// A board that changes are taken out of, newest first.
#[derive(Default)]
struct Unarranged {
    live: Option<Board>,
    later: Vec<(ChangeNumber, BoardPatch)>,
    changes: Vec<ChangeNumber>,
    /// What the last of them was.
    forward: Option<Box<CanvasCommand>>,
    done: Vec<BoardPatch>,
}

fn met(entry: &Entry, with: ChangeNumber) -> Refusal {
    Refusal::HistoryConflict { change: entry.change, with }
}

/// Which of the changes that stand are taken back.
#[derive(Debug, Clone, Copy)]
pub(super) enum Selection {
    Change(ChangeNumber),
    /// All of an author that were made after a revision.
    Author {
        author: Actor,
        since: u64,
    },
}

impl Selection {
    fn takes(self, entry: &Entry) -> bool {
        match self {
            Self::Change(change) => entry.change == change,
            // Who took an own change back has nothing of it in the text any more.
            Self::Author { author, .. } => {
                entry.author == author
                    && entry.reverts.as_ref().is_none_or(|reverts| reverts.author != author)
            }
        }
    }

    /// Whether nothing older can be chosen.
    fn ends_before(self, entry: &Entry) -> bool {
        match self {
            // Done again, a change has a later number than its own, never an earlier one.
            Self::Change(change) => entry.number < change.into(),
            Self::Author { since, .. } => entry.revision_after.get() <= since,
        }
    }

    fn nothing(self) -> Refusal {
        match self {
            Self::Change(change) => Refusal::HistoryNotFound { change },
            Self::Author { .. } => Refusal::HistoryEmpty { asked: 1, available: 0 },
        }
    }
}
