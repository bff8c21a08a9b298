//! Undoes changes while later ones stay.

use crate::face::read_error::ReadError;
use crate::face::step::StepSeed;
use crate::history::journal::{Entry, EntryKind, NewEntry, Reverts};
use crate::history::number::{ChangeNumber, EntryNumber};
use crate::history::reach::Chain;
use crate::history::revert::{ChangesOf, Choice, Seen, Selection, Verdict, Wanted};
use crate::history::step::{Faces, Step};
use crate::history::track::RevertConflict;
use crate::model::actor::Actor;
use crate::model::author::{Author, Role};
use crate::model::blob::{Blob, Missing};
use crate::model::face::{Face, PerFace};
use crate::model::op_key::OpKey;
use crate::transition::refusal::{HistoryRefusal, UndoRefusal};
use crate::transition::step::{Stop, Transition};
use crate::transition::undo::{KeptChange, Undone};

/// Number of entries that a search for changes of an actor may pass for each that an undo may reach.
const SEARCH: usize = 64;
/// Number of moves of one change past another that an undo may make for each pair that it may reach.
const MOVES: usize = 16;

/// An entry on the way to the changes to revert, newest first.
#[derive(Debug)]
pub(super) struct Visited<'a> {
    pub(super) entry: &'a Entry,
    pub(super) verdict: Verdict,
}

/// Limits how many entries a walk reads.
#[derive(Debug, Clone, Copy)]
pub(super) enum Bound {
    /// As many entries as an undo reaches.
    Reach,
    /// More entries, since only some of them are of the actor.
    Search,
}

/// A call that reverts entries, and the entries that record it.
pub(super) struct Reverting<'o> {
    pub(super) operation: &'o OpKey,
    pub(super) by: Author,
    /// Whether entries that cannot be reverted stay.
    pub(super) partial: bool,
}

/// The fields of an entry that records a revert.
pub(super) struct Recorded {
    pub(super) kind: EntryKind,
    /// The earlier change that is redone; `None` for a new change.
    pub(super) change: Option<ChangeNumber>,
    pub(super) author: Role,
    pub(super) written_by: Option<Actor>,
    pub(super) first_made_by: Option<Actor>,
    pub(super) reverts: Option<Reverts>,
    pub(super) summary: String,
}

impl Recorded {
    pub(super) fn revert(by: Author, reverts: Reverts, summary: String) -> Self {
        Self {
            kind: EntryKind::Revert,
            change: None,
            author: by.actor(),
            written_by: None,
            first_made_by: None,
            reverts: Some(reverts),
            summary,
        }
    }
}

/// The fate of a part of an entry.
enum Fate {
    Stays,
    /// A later entry undid it.
    UndoneBy(EntryNumber),
    /// It is to be reverted, either all of it or these edits.
    Reverted(Option<Vec<u32>>),
}

impl<'a> Transition<'a> {
    /// Reverts changes, as one entry for each face. A single conflict refuses the whole revert.
    pub(super) fn revert(
        &mut self,
        operation: &OpKey,
        by: Author,
        selection: &Selection<'_>,
    ) -> Result<Undone, Stop<UndoRefusal>> {
        let visited = self.visit(&mut Chain::new(self.head.journal.undo), selection, Bound::Reach)?;
        let chosen = || visited.iter().filter(|visited| visited.verdict.is_chosen());
        self.authorize_entries(operation, by, chosen().map(|visited| visited.entry))?;
        let mut faces = self.faces_for(chosen().map(|visited| visited.entry))?;
        let (mut author, call) = (by.actor(), Reverting { operation, by, partial: false });
        for Visited { entry, verdict } in &visited {
            for (step, fate) in self.pieces(entry, verdict, None)? {
                if let Some(_edits) = pass(&mut faces, entry, &step, fate) {
                    self.check_effects(entry)?;
                    let reverted = faces.revert(entry.change, &step);
                    reverted.map_err(|conflict| self.refused(entry, conflict))?;
                    author = entry.author;
                }
            }
        }
        let mut undone = Undone::of(faces);
        for face in Face::ALL {
            #[cfg(feature = "surface")]
            if face == Face::Surface {
                self.check_state(&undone.faces)?;
            }
            let seed = StepSeed { operation, nth: 0, bytes: self.policy.history.entry_bytes };
            let Some((step, changes)) = undone.faces.since(face, &seed) else { continue };
            if let (Face::Document, Some(at)) = (face, &undone.faces.document.at) {
                self.check_size::<UndoRefusal>(at.text().len())?;
            }
            let count = changes.len();
            let s = if count == 1 { "" } else { "s" };
            let summary = format!("took back {count} change{s}");
            let recorded = Recorded::revert(by, Reverts::of(changes, author), summary);
            self.push_undone(&call, &mut undone, step, recorded)?;
            #[cfg(feature = "board")]
            undone.events.extend(undone.faces.events(face));
        }
        if undone.done.is_empty() {
            return Err(Stop::refused(HistoryRefusal::HistoryEmpty { asked: 1, available: 0 }));
        }
        Ok(undone)
    }

    /// Reverts the chosen ones among some entries, newest first, with an entry for each. `record` returns the entry that
    /// records a revert.
    pub(super) fn revert_each(
        &mut self,
        call: &Reverting<'_>,
        visited: &[Visited<'a>],
        edits: Option<&[u32]>,
        record: impl Fn(&Self, &'a Entry, Option<Vec<u32>>) -> Result<Recorded, Stop<UndoRefusal>>,
    ) -> Result<Undone, Stop<UndoRefusal>> {
        let chosen = visited.iter().filter(|visited| visited.verdict.is_chosen());
        let mut undone = Undone::of(self.faces_for(chosen.map(|visited| visited.entry))?);
        let mut documents: Vec<Blob> = Vec::new();
        let (mut moves, mut are_large) = (0_usize, false);
        let reach = self.policy.history.reach;
        for Visited { entry, verdict } in visited {
            for (step, fate) in self.pieces(entry, verdict, edits)? {
                let Some(edits) = pass(&mut undone.faces, entry, &step, fate) else { continue };
                moves = moves.saturating_add(undone.faces.later(step.face()));
                if moves > reach.saturating_mul(reach).saturating_mul(MOVES) {
                    return Err(Stop::refused(HistoryRefusal::HistoryTooDeep { limit: reach }));
                }
                let reverted = self.check_effects(entry).and_then(|()| {
                    let reverted = undone.faces.revert(entry.change, &step);
                    reverted.map_err(|conflict| self.refused(entry, conflict))
                });
                match reverted.map_err(|stop| (KeptChange::of(entry.change, &stop), stop)) {
                    Ok(()) => {}
                    Err((Some(kept), _)) if call.partial => {
                        undone.kept.push(kept);
                        undone.faces.keep((entry.number, entry.change), &step);
                        continue;
                    }
                    Err((_, stop)) => return Err(stop),
                }
                let (face, bytes) = (step.face(), self.policy.history.entry_bytes);
                let seed = StepSeed { operation: call.operation, nth: undone.done.len(), bytes };
                let Some((step, _)) = undone.faces.since(face, &seed) else { continue };
                if let (Step::Document(step), Some(at)) = (&step, &undone.faces.document.at) {
                    are_large |= step.delta.is_none();
                    documents.push(at.blob.clone());
                }
                let recorded = record(self, entry, edits)?;
                self.push_undone(call, &mut undone, step, recorded)?;
                #[cfg(feature = "board")]
                undone.events.extend(undone.faces.events(face));
            }
        }
        if let Some(at) = &undone.faces.document.at {
            self.check_size::<UndoRefusal>(at.text().len())?;
        }
        #[cfg(feature = "surface")]
        self.check_state(&undone.faces)?;
        if are_large {
            // Steps without edits name the texts between them.
            let older = self.view.contents.document();
            self.blobs.extend(documents.iter().flat_map(|document| document.to_put(older)));
        }
        Ok(undone)
    }

    /// Adds an entry with its own revision.
    fn push_undone(
        &mut self,
        call: &Reverting<'_>,
        undone: &mut Undone,
        step: Step,
        recorded: Recorded,
    ) -> Result<(), Stop<UndoRefusal>> {
        let Recorded { kind, change, author, written_by, first_made_by, reverts, summary } = recorded;
        let before = self.head.revision;
        self.next_revision::<UndoRefusal>()?;
        undone.revisions[step.face()] = self.head.revision;
        undone.done.extend(self.push(NewEntry {
            kind,
            change,
            actor: call.by.actor(),
            author,
            written_by,
            first_made_by,
            reverts,
            operation: call.operation.clone(),
            at: self.view.clock,
            summary,
            revisions: (before, self.head.revision),
            step,
            also: None,
        }));
        Ok(())
    }

    /// Returns the reason why a step cannot be reverted.
    fn refused(&self, entry: &Entry, conflict: RevertConflict) -> Stop<UndoRefusal> {
        match conflict {
            RevertConflict::Touched(with) => {
                Stop::refused(HistoryRefusal::HistoryConflict { change: entry.change, with })
            }
            RevertConflict::Mismatch => self.unplayed(entry),
        }
    }

    /// Returns the parts of an entry that have different fates, newest first. `edits` are those to revert, if not all.
    fn pieces(
        &self,
        entry: &Entry,
        verdict: &Verdict,
        edits: Option<&[u32]>,
    ) -> Result<Vec<(Step, Fate)>, Stop<UndoRefusal>> {
        let (is_chosen, parts) = match verdict {
            Verdict::UndoneBy(by) => return Ok(vec![(entry.step.clone(), Fate::UndoneBy(*by))]),
            Verdict::InEffect { is_chosen, parts, .. } => (*is_chosen, parts),
        };
        let edits = edits.filter(|_| is_chosen);
        let whole = || vec![(entry.step.clone(), if is_chosen { Fate::Reverted(None) } else { Fate::Stays })];
        if parts.is_empty() && edits.is_none() {
            return Ok(whole());
        }
        if let (Some(_), Some(edit)) = (&entry.reverts, edits.and_then(<[u32]>::first)) {
            // The edits of an undo have no numbers of their own.
            let (change, edit) = (entry.change, *edit);
            return Err(Stop::refused(HistoryRefusal::EditNotFound { change, edit, count: 0 }));
        }
        let Step::Document(step) = &entry.step else {
            return self.check_edits(entry, edits.unwrap_or_default(), 1).map(|()| whole());
        };
        let step = match step.with_edits(&self.view.files()) {
            Ok(step) => step,
            Err(ReadError::Missing(ids)) => return Err(Missing::all(ids).into()),
            Err(ReadError::Damaged(_)) => return Err(self.unplayed(entry)),
        };
        let count = step.delta.as_ref().map_or(0, |delta| delta.edits().len());
        self.check_edits(entry, edits.unwrap_or_default(), count)?;
        let is_of = |edit: &u32, part: &[u32]| part.contains(edit);
        let left: Vec<u32> = (0..u32::try_from(count).unwrap_or(u32::MAX))
            .filter(|edit| !parts.iter().any(|(_, part)| is_of(edit, part)))
            .collect();
        let (taken, stay): (Vec<_>, Vec<_>) =
            left.into_iter().partition(|edit| is_chosen && edits.is_none_or(|edits| is_of(edit, edits)));
        if is_chosen && taken.is_empty() {
            return Err(Stop::refused(HistoryRefusal::HistoryNotFound { change: entry.change }));
        }
        let is_all = parts.is_empty() && stay.is_empty();
        let recorded = (!is_all).then(|| taken.clone());
        let mut groups = vec![(stay, Fate::Stays), (taken, Fate::Reverted(recorded))];
        groups.extend(parts.iter().rev().map(|(by, part)| (part.clone(), Fate::UndoneBy(*by))));
        groups.retain(|(group, _)| !group.is_empty());
        let (groups, fates): (Vec<_>, Vec<_>) = groups.into_iter().unzip();
        let Some(steps) = step.split(&groups) else { return Err(self.unplayed(entry)) };
        Ok(steps.into_iter().map(Step::from).zip(fates).rev().collect())
    }

    /// Checks that a change has all these edits.
    fn check_edits(&self, entry: &Entry, edits: &[u32], count: usize) -> Result<(), Stop<UndoRefusal>> {
        match edits.iter().find(|edit| **edit as usize >= count) {
            Some(edit) => {
                let (change, edit) = (entry.change, *edit);
                Err(Stop::refused(HistoryRefusal::EditNotFound { change, edit, count }))
            }
            None => Ok(()),
        }
    }

    /// Returns the entries down to the last selected one, newest first.
    pub(super) fn visit(
        &self,
        chain: &mut Chain,
        selection: &Selection<'_>,
        bound: Bound,
    ) -> Result<Vec<Visited<'a>>, Stop<UndoRefusal>> {
        let mut visited: Vec<Visited<'a>> = Vec::new();
        let reach = self.policy.history.reach;
        let limit = match bound {
            Bound::Reach => reach,
            Bound::Search => reach.saturating_mul(SEARCH),
        };
        let (mut choice, oldest) = (Choice::new(selection.clone()), self.oldest_chosen(selection));
        while !choice.is_complete() {
            let more = match bound {
                Bound::Reach => limit - visited.len(),
                Bound::Search => {
                    choice.expected(visited.len(), self.view.blobs.len()).min(limit - visited.len())
                }
            };
            let Some(entry) = self.step_down(chain, oldest, more.saturating_add(1))? else { break };
            if selection.ends_before(entry) || is_of_other(&visited, entry, selection) {
                break;
            }
            if visited.len() == limit {
                return Err(Stop::refused(HistoryRefusal::HistoryTooDeep { limit }));
            }
            let verdict = choice.visit(&Seen::from(entry));
            visited.push(Visited { entry, verdict });
        }
        match visited.iter().rposition(|visited| visited.verdict.is_chosen()) {
            Some(last) => {
                visited.truncate(last + 1);
                Ok(visited)
            }
            None => Err(Stop::refused(match selection.of {
                Wanted::Of(of) => match of {
                    ChangesOf::Change(change) | ChangesOf::Edits(change, _) => {
                        HistoryRefusal::HistoryNotFound { change: *change }
                    }
                    _ => HistoryRefusal::NothingToUndo,
                },
                Wanted::Role(_) => HistoryRefusal::HistoryEmpty { asked: 1, available: 0 },
                Wanted::UndosBy(_) | Wanted::Nothing => HistoryRefusal::NothingToRedo,
            })),
        }
    }

    /// Returns the lowest number of an entry that has to be read.
    fn oldest_chosen(&self, selection: &Selection<'_>) -> u64 {
        if let Some(change) = selection.change() {
            return change.get();
        }
        if selection.since == 0 {
            return 0;
        }
        // Each entry has its own revision, so there are at most as many entries after a revision as revisions. One more
        // shows that they end.
        let revisions = self.head.revision.get().saturating_sub(selection.since);
        self.head.journal.entries.saturating_sub(revisions)
    }
}

/// Whether the undo that is being redone ended, since this entry is of another command.
fn is_of_other(visited: &[Visited<'_>], entry: &Entry, selection: &Selection<'_>) -> bool {
    matches!(selection.of, Wanted::UndosBy(_))
        && visited
            .iter()
            .rev()
            .find(|visited| visited.verdict.is_chosen())
            .is_some_and(|chosen| chosen.entry.operation != entry.operation)
}

/// Passes a part of an entry. Returns the edits to revert, if it is to be reverted.
fn pass(faces: &mut Faces, entry: &Entry, step: &Step, fate: Fate) -> Option<Option<Vec<u32>>> {
    let of: (EntryNumber, ChangeNumber) = (entry.number, entry.change);
    match fate {
        Fate::Stays => faces.keep(of, step),
        Fate::UndoneBy(by) => faces.cancel(of, step, by),
        Fate::Reverted(edits) => return Some(edits),
    }
    None
}

impl Undone {
    fn of(faces: Faces) -> Self {
        Self {
            faces,
            revisions: PerFace::default(),
            #[cfg(feature = "board")]
            events: Vec::new(),
            done: Vec::new(),
            kept: Vec::new(),
        }
    }
}
