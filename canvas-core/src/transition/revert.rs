//! Undoes changes while later ones stay.

use crate::face::step::StepSeed;
use crate::history::journal::{Entry, EntryKind, HistoryEntry, NewEntry, Reverts};
use crate::history::reach::Chain;
use crate::history::revert::{Choice, Selection};
use crate::history::step::Step;
use crate::history::track::RevertConflict;
use crate::model::author::Author;
use crate::model::face::{Face, PerFace};
use crate::model::op_key::OpKey;
use crate::transition::refusal::{HistoryRefusal, UndoRefusal};
use crate::transition::step::{Stop, Transition};
use crate::transition::undo::Undone;

impl Transition<'_> {
    /// Reverts changes. The changes after them stay in effect. A single conflict refuses the whole revert.
    pub(super) fn revert(
        &mut self,
        operation: &OpKey,
        by: Author,
        selection: Selection,
    ) -> Result<Undone, Stop<UndoRefusal>> {
        let entries = self.choose(selection)?;
        let chosen = entries.iter().filter(|(_, is_chosen)| *is_chosen).map(|(entry, _)| *entry);
        self.authorize_entries(operation, by, chosen)?;
        let chosen = entries.iter().filter(|(_, is_chosen)| *is_chosen).map(|(entry, _)| *entry);
        let mut faces = self.faces_for(chosen)?;
        let mut author = by.actor();
        for (entry, is_chosen) in &entries {
            if !is_chosen {
                faces.keep(entry.change, &entry.step);
                continue;
            }
            self.check_effects(entry)?;
            let change = entry.change;
            faces.revert(change, &entry.step).map_err(|conflict| match conflict {
                RevertConflict::Touched(with) => {
                    Stop::refused(HistoryRefusal::HistoryConflict { change, with })
                }
                RevertConflict::Mismatch => self.unplayed(entry),
            })?;
            author = entry.author;
        }
        let seed = StepSeed { operation, bytes: self.policy.history.entry_bytes };
        let (mut done, mut revisions) = (Vec::new(), PerFace::default());
        for face in Face::ALL {
            #[cfg(feature = "surface")]
            if face == Face::Surface {
                self.check_state(&faces)?;
            }
            let Some((step, changes)) = faces.since(face, &self.view.files(), &seed) else { continue };
            if let (Face::Document, Some(at)) = (face, &faces.document.at) {
                self.check_size::<UndoRefusal>(at.text().len())?;
            }
            done.extend(self.push_revert(operation, by, Reverts { changes, author }, step)?);
            revisions[face] = self.head.revision;
        }
        if done.is_empty() {
            return Err(Stop::refused(HistoryRefusal::HistoryEmpty { asked: 1, available: 0 }));
        }
        Ok(Undone {
            #[cfg(feature = "board")]
            events: faces.events(Face::Board),
            faces,
            revisions,
            done,
        })
    }

    /// Adds a revert to the journal, with its own revision.
    fn push_revert(
        &mut self,
        operation: &OpKey,
        by: Author,
        reverts: Reverts,
        step: Step,
    ) -> Result<Option<HistoryEntry>, Stop<UndoRefusal>> {
        let count = reverts.changes.len();
        let s = if count == 1 { "" } else { "s" };
        let before = self.head.revision;
        self.next_revision()?;
        let actor = by.actor();
        Ok(self.push(NewEntry {
            kind: EntryKind::Revert,
            change: None,
            actor,
            author: actor,
            written_by: None,
            reverts: Some(reverts),
            operation: operation.clone(),
            at: self.view.clock,
            summary: format!("took back {count} change{s}"),
            revisions: (before, self.head.revision),
            step,
            also: None,
        }))
    }
}

impl<'a> Transition<'a> {
    /// Returns the changes in effect, newest first, down to the last selected one.
    fn choose(&self, selection: Selection) -> Result<Vec<(&'a Entry, bool)>, Stop<UndoRefusal>> {
        let mut entries: Vec<(&Entry, bool)> = Vec::new();
        let (mut choice, mut chain) = (Choice::new(selection), Chain::new(self.head.journal.undo));
        let (limit, oldest) = (self.policy.history.reach, self.oldest_chosen(selection));
        while let Some(entry) =
            self.step_down(&mut chain, oldest, (limit - entries.len()).saturating_add(1))?
        {
            if selection.ends_before(entry) {
                break;
            }
            if entries.len() == limit {
                return Err(Stop::refused(HistoryRefusal::HistoryTooDeep { limit }));
            }
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

    /// Returns the lowest number of an entry that has to be read.
    fn oldest_chosen(&self, selection: Selection) -> u64 {
        match selection {
            Selection::Change(change) => change.get(),
            // Each entry has its own revision, so there are at most as many entries after a revision as revisions. One
            // more shows that they end.
            Selection::Author { since, .. } => {
                let revisions = self.head.revision.get().saturating_sub(since);
                self.head.journal.entries.saturating_sub(revisions)
            }
        }
    }
}
