//! Undo of changes that lie under later ones.

use canvas_patch::Delta;

use crate::board::{Board, BoardPatch};
use crate::history::board_revert::BoardRevert;
use crate::history::journal::{Entry, EntryKind, NewEntry, Reverts};
use crate::history::revert::{Choice, DocumentRevert, RevertError, Selection};
use crate::history::step::Step;
use crate::model::author::Author;
use crate::model::blob::Blob;
use crate::model::id::OpKey;
use crate::transition::board::ids_of;
use crate::transition::refusal::{HistoryRefusal, UndoRefusal};
use crate::transition::step::{Stop, Transition};
use crate::transition::undo::Replayed;

impl From<RevertError> for Stop<UndoRefusal> {
    fn from(error: RevertError) -> Self {
        Self::refused(match error {
            RevertError::Conflict { change, with } => HistoryRefusal::HistoryConflict { change, with },
            RevertError::Damaged(entry) => HistoryRefusal::HistoryDamaged { entry },
        })
    }
}

impl Transition<'_> {
    /// Reverts changes under later ones, which are moved and stay. One conflict refuses all.
    pub(super) fn revert(
        &mut self,
        operation: &OpKey,
        by: Author,
        selection: Selection,
    ) -> Result<Replayed, Stop<UndoRefusal>> {
        let entries = self.choose(selection)?;
        let chosen = entries.iter().filter(|(_, is_chosen)| *is_chosen).map(|(entry, _)| entry);
        self.authorize_entries(operation, by, chosen)?;
        let (mut text, mut board) = (DocumentRevert::new(self.view.text()), BoardRevert::default());
        let mut author = by.actor();
        for (entry, is_chosen) in &entries {
            match (&entry.step, is_chosen) {
                (Step::Document { delta, .. }, _) => text.pass(entry, delta.as_ref(), *is_chosen)?,
                (Step::Board { patch, .. }, false) => board.keep(entry.change, patch),
                (Step::Board { patch, forward, .. }, true) => {
                    let load = || self.board_now::<UndoRefusal>().map(|board| Board::clone(&board));
                    board.revert((entry.change, entry.number), (patch, forward), load)?;
                }
            }
            if *is_chosen {
                author = entry.author;
            }
        }
        let mut replayed = Replayed::default();
        let delta = Delta::between(self.view.text(), &text.text);
        if !text.changes.is_empty() && !delta.is_empty() {
            self.check_size::<UndoRefusal>(text.text.len())?;
            let document = Blob::text(text.text.into_owned());
            let step = self.step_between(self.view.head.document(), document.id(), delta);
            let reverts = Reverts { changes: text.changes, author };
            self.push_revert(operation, by, reverts, step, &mut replayed)?;
            replayed.document = Some(document);
        }
        if let (Some(live), Some(before), Some(forward)) =
            (board.board, self.view.head.board(), board.forward)
            && let Some(patch) = BoardPatch::joined(board.done).filter(|patch| !patch.is_empty())
        {
            replayed.events = live.events_of(&patch);
            let (stored, id) = (live.encode(), ids_of(operation).undo());
            let step = Step::Board { before, after: stored.root.id(), id, forward, patch };
            let reverts = Reverts { changes: board.changes, author };
            self.push_revert(operation, by, reverts, step, &mut replayed)?;
            replayed.board = Some(stored);
        }
        if replayed.document.is_none() && replayed.board.is_none() {
            return Err(Stop::refused(HistoryRefusal::HistoryEmpty { asked: 1, available: 0 }));
        }
        Ok(replayed)
    }

    fn push_revert(
        &mut self,
        operation: &OpKey,
        by: Author,
        reverts: Reverts,
        step: Step,
        replayed: &mut Replayed,
    ) -> Result<(), Stop<UndoRefusal>> {
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
        replayed.done.extend(pushed);
        Ok(())
    }

    /// The changes that still apply, newest first, down to the last that is chosen.
    fn choose(&self, selection: Selection) -> Result<Vec<(Entry, bool)>, Stop<UndoRefusal>> {
        let mut entries: Vec<(Entry, bool)> = Vec::new();
        let mut choice = Choice::new(selection);
        let mut next = self.head.journal.undo;
        while let Some(entry) = self.entry(next)? {
            if selection.ends_before(&entry) {
                break;
            }
            let limit = self.policy.history_reach;
            if entries.len() == limit {
                return Err(Stop::refused(HistoryRefusal::HistoryTooDeep { limit }));
            }
            next = entry.below();
            let is_chosen = choice.takes(entry.change, entry.author, entry.reverts.as_ref());
            entries.push((entry, is_chosen));
            if is_chosen && matches!(selection, Selection::Change(_)) {
                break;
            }
        }
        match entries.iter().rposition(|(_, is_chosen)| *is_chosen) {
            Some(last) => {
                entries.truncate(last + 1);
                Ok(entries)
            }
            None => Err(Stop::refused(match selection {
                Selection::Change(change) => HistoryRefusal::HistoryNotFound { change },
                Selection::Author { .. } => HistoryRefusal::HistoryEmpty { asked: 1, available: 0 },
            })),
        }
    }
}
