//! Undo of the changes of one actor, and redo of one person's undo.

use std::num::NonZeroU32;

use crate::history::journal::{Entry, EntryKind, Reverts};
use crate::history::number::{ChangeNumber, EntryNumber};
use crate::history::reach::{Known, Reach};
use crate::history::revert::{ChangeSelection, ChangesOf, Selection, Verdict, Wanted};
use crate::model::actor::{Actor, PersonId};
use crate::model::author::Author;
use crate::model::blob::Missing;
use crate::model::op_key::OpKey;
use crate::model::receipt::Digest;
use crate::model::revision::Revision;
use crate::transition::access::{access_of, author_text};
use crate::transition::command::Command;
use crate::transition::command::sealed::Decide;
use crate::transition::refusal::{HistoryRefusal, UndoRefusal};
use crate::transition::revert::{Recorded, Reverting};
use crate::transition::rollout::Access;
use crate::transition::search::{Bound, Search, Visited};
use crate::transition::step::{Stop, Transition};
use crate::transition::undo::{Direction, HistoryMove, RedoOf, Undone};

impl Command for RedoOf {
    type Done = HistoryMove;
    type Refusal = UndoRefusal;
}

impl Decide for RedoOf {
    const NAME: &'static str = "redo_of";
    const KIND: &'static str = "redone_of";

    fn access(&self) -> Option<Access> {
        access_of(self.by)
    }

    fn digest(&self) -> Digest {
        Digest::of(&["redo_of", &author_text(self.by), self.person.as_str()].map(str::as_bytes))
    }

    fn decide(&self, at: &mut Transition<'_>, operation: &OpKey) -> Result<HistoryMove, Stop<UndoRefusal>> {
        at.authorize_undo(operation, self.by)?;
        let undone = at.redo_of(operation, self.by, &self.person)?;
        at.put_undone(self.by, undone)
    }
}

impl ChangeSelection {
    /// Returns a text that differs between selections.
    pub(super) fn to_text(&self) -> String {
        let Self { of, last, partial, .. } = self;
        let of = match of {
            ChangesOf::Person(person) => format!("person {person:?}"),
            ChangesOf::Conversation(conversation) => format!("conversation {conversation:?}"),
            ChangesOf::Turn(conversation, turn) => format!("turn {} of {conversation:?}", turn.get()),
            ChangesOf::Change(change) => format!("change {change}"),
            ChangesOf::Edits(change, edits) => format!("edits {edits:?} of {change}"),
        };
        let last = last.map_or(0, u32::from);
        format!("{of}, last {last}, partial {partial}")
    }
}

impl<'a> Transition<'a> {
    pub(super) fn undo_selected(
        &mut self,
        operation: &OpKey,
        by: Author,
        what: &ChangeSelection,
    ) -> Result<Undone, Stop<UndoRefusal>> {
        match by {
            Author::User | Author::Host => {}
            Author::Assistant { lease: None } => self.check_turn::<UndoRefusal>(operation)?,
            Author::Assistant { lease } => drop(self.authorize_change::<UndoRefusal>(operation, lease)?),
        }
        let since = what.since.map_or(0, Revision::get);
        let selection = Selection { of: Wanted::Of(&what.of), last: what.last, since };
        let mut search = Search::of_changes(&self.head.journal, selection, Bound::Search);
        let visited = self.find(&mut search)?;
        let edits = match &what.of {
            ChangesOf::Edits(_, edits) => Some(edits.as_slice()),
            _ => None,
        };
        let is_top = edits.is_none() && visited.iter().all(|one| is_whole(&one.verdict));
        self.authorize_chosen(operation, by, &visited)?;
        let chosen = chosen_of(&visited);
        // As these are the last changes, redo can make them again one by one.
        if is_top && (!what.partial || chosen.iter().all(|entry| self.check_effects(entry).is_ok())) {
            return self.undo_entries(operation, by, Direction::Undo, chosen);
        }
        let call = Reverting { operation, by, partial: what.partial };
        let undone = self.revert_each(&call, (&mut search, visited), edits, |_, entry, edits| {
            let mut reverts = Reverts::of(vec![entry.change], entry.author);
            (reverts.edits, reverts.edit_count) = edits.map(|some| (some.numbers, some.count)).unzip();
            let first_made_by = entry.first_made_by();
            Ok(Recorded { first_made_by, ..Recorded::revert(by, reverts, entry.summary.clone()) })
        })?;
        if edits.is_some() {
            self.head.raise_to_shared();
        }
        match undone.done.is_empty() && undone.kept.is_empty() {
            true => Err(Stop::refused(HistoryRefusal::NothingToUndo)),
            false => Ok(undone),
        }
    }

    /// Checks that the author may undo the chosen ones among these entries.
    pub(super) fn authorize_chosen(
        &mut self,
        operation: &OpKey,
        by: Author,
        visited: &[Visited<'_>],
    ) -> Result<(), Stop<UndoRefusal>> {
        let chosen = chosen_of(visited);
        if matches!(by, Author::Assistant { .. }) {
            chosen.iter().try_for_each(|entry| self.check_own(entry))?;
        }
        self.authorize_faces(operation, by, chosen)
    }

    /// Refuses a model's undo of another actor's change.
    fn check_own(&self, entry: &Entry) -> Result<(), Stop<UndoRefusal>> {
        let is_own = |actor: &Actor| actor.is_of(self.who, None);
        match is_own(&entry.made_by()) && entry.first_made_by().as_ref().is_some_and(is_own) {
            true => Ok(()),
            false => Err(Stop::refused(HistoryRefusal::NotOwnChange { change: entry.change })),
        }
    }

    fn redo_of(
        &mut self,
        operation: &OpKey,
        by: Author,
        person: &PersonId,
    ) -> Result<Undone, Stop<UndoRefusal>> {
        let selection = Selection::all(Wanted::UndosBy(person));
        let mut search = Search::of_all(&self.head.journal, selection, Bound::Search);
        let visited = self.find(&mut search)?;
        let chosen = chosen_of(&visited);
        self.authorize_entries(operation, by, chosen.iter().copied())?;
        if self.are_next_to_redo(&chosen)? {
            return self.undo_entries(operation, by, Direction::Redo, chosen);
        }
        let call = Reverting { operation, by, partial: false };
        let record = |at: &Self, entry: &'a Entry, _| at.recorded_redo(by, entry);
        let undone = self.revert_each(&call, (&mut search, visited), None, record)?;
        // The undos below fit a text without these changes.
        self.head.journal.redo = None;
        self.head.raise_to_shared();
        match undone.done.is_empty() {
            true => Err(Stop::refused(HistoryRefusal::NothingToRedo)),
            false => Ok(undone),
        }
    }

    /// Whether these undos are the ones that redo takes next.
    fn are_next_to_redo(&self, undos: &[&Entry]) -> Result<bool, Stop<UndoRefusal>> {
        let count = u32::try_from(undos.len()).ok().and_then(NonZeroU32::new);
        let Some(count) = count.filter(|_| undos.iter().all(|undo| undo.kind == EntryKind::Undo)) else {
            return Ok(false);
        };
        match self.chain(self.head.journal.redo, count) {
            Ok(next) => Ok(next.iter().zip(undos).all(|(next, undo)| next.number == undo.number)),
            Err(Stop::Missing(missing)) => Err(Stop::Missing(missing)),
            Err(Stop::Refused(_)) => Ok(false),
        }
    }

    /// Returns what records the redo of an undo.
    fn recorded_redo(&self, by: Author, undo: &'a Entry) -> Result<Recorded, Stop<UndoRefusal>> {
        let of =
            match (undo.kind, undo.reverts.as_ref().and_then(|reverts| Some((reverts, reverts.whole()?)))) {
                (EntryKind::Undo, _) => undo,
                (_, Some((reverts, change))) => match self.entry_at(change.into())? {
                    Some(entry) => entry,
                    None => return Ok(recorded_redo_of_lost(undo, reverts, change)),
                },
                // It undid more or less than one change, so the redo is of another kind.
                (_, None) => {
                    let reverts = Reverts { is_redo: true, ..Reverts::of(vec![undo.change], undo.author) };
                    return Ok(Recorded::revert(by, reverts, undo.summary.clone()));
                }
            };
        Ok(Recorded {
            kind: EntryKind::Redo,
            change: Some(of.change),
            author: of.author,
            written_by: of.written_by(),
            first_made_by: of.first_made_by(),
            reverts: of.reverts.clone(),
            summary: of.summary.clone(),
        })
    }

    /// Returns the entry with a number, or `None` if it is no longer kept.
    pub(super) fn entry_at(&self, at: EntryNumber) -> Result<Option<&'a Entry>, Missing> {
        let (number, slot, fetched) = (at.get(), &self.head.journal, self.view.blobs);
        let oldest = slot.kept(self.policy.keep_limits()).oldest();
        let reach = Reach::new(self.view.head.journal.marks(), oldest, [], |id| fetched.entry(id));
        let named = reach.named(number).map(|id| fetched.entry(id));
        match named {
            Some(Known::Entry(entry)) if entry.number == at => Ok(Some(entry)),
            Some(Known::Entry(_) | Known::Lost) => Ok(None),
            Some(Known::Nothing) | None => {
                let mut wave = reach.wave(number..=number);
                match wave.pop() {
                    Some(id) => Err(Missing { needed: vec![id], likely: wave }),
                    None => Ok(None),
                }
            }
        }
    }
}

/// Returns what records the redo of a change whose own entry is no longer kept. The undo names its author and its actor.
/// The author's name is known only if both have the same role.
fn recorded_redo_of_lost(undo: &Entry, reverts: &Reverts, change: ChangeNumber) -> Recorded {
    let first = undo.undoes_of().unwrap_or_else(|| undo.made_by());
    Recorded {
        kind: EntryKind::Redo,
        change: Some(change),
        author: reverts.author,
        written_by: Some(first.clone()).filter(|first| first.role() == reverts.author),
        first_made_by: Some(first),
        reverts: None,
        summary: undo.summary.clone(),
    }
}

fn chosen_of<'a>(visited: &[Visited<'a>]) -> Vec<&'a Entry> {
    visited.iter().filter(|one| one.verdict.is_chosen()).map(|one| one.entry).collect()
}

/// Whether all of an entry is to be undone.
fn is_whole(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::InEffect { is_chosen: true, parts, .. } if parts.is_empty())
}
