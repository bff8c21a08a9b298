//! Changes to revert from under later ones, which stay.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use canvas_lease::Turn;

use crate::history::journal::{Entry, EntryKind, Reverts};
use crate::history::number::{ChangeNumber, EntryNumber};
use crate::model::actor::{Actor, PersonId};
use crate::model::author::Role;
use crate::model::id::ConversationId;
use crate::model::revision::Revision;

/// Changes of one actor, or one change, in effect. [`ChangeSelection::from`] selects all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeSelection {
    /// Selects by actor, by author or by number.
    pub of: ChangesOf,
    /// Selects only this many of them, the newest; `None` selects all. A change whose undo would have no effect does not count.
    /// If there are fewer, or if a search of 64 times [`HistoryLimits::reach`](crate::policy::HistoryLimits::reach)
    /// entries finds fewer, these are selected.
    pub last: Option<NonZeroU32>,
    /// Selects only those after this revision; `None` selects all.
    pub since: Option<Revision>,
    /// Whether a change that cannot be undone stays, while the others are undone. Otherwise, a single such change
    /// refuses the whole undo.
    pub partial: bool,
}

/// The changes that an undo may choose from. Undos are not among them, and a redone change still belongs to
/// its first actor and author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangesOf {
    /// Changes that a person made happen, for example by an edit.
    Person(PersonId),
    /// Changes that a conversation wrote.
    Conversation(ConversationId),
    /// Changes that a conversation wrote in one turn.
    Turn(ConversationId, Turn),
    /// One change.
    Change(ChangeNumber),
    /// Some edits of one change of the document, by their numbers in its delta, counted from 0. Those that were undone
    /// before are left out.
    Edits(ChangeNumber, Vec<u32>),
}

impl From<ChangesOf> for ChangeSelection {
    fn from(of: ChangesOf) -> Self {
        Self { of, last: None, since: None, partial: false }
    }
}

impl ChangesOf {
    /// Whether an entry is of the actor or author, or makes the change. Undos of a person's changes are not of that
    /// person.
    fn has(&self, seen: &Seen<'_>) -> bool {
        let by = || seen.entry.filter(|_| seen.reverts.is_none());
        match self {
            Self::Person(person) => {
                by().and_then(Entry::first_made_by).is_some_and(|actor| actor.is_person(person))
            }
            Self::Conversation(conversation) => {
                by().and_then(Entry::written_by).is_some_and(|author| author.is_of(conversation, None))
            }
            Self::Turn(conversation, turn) => {
                by().and_then(Entry::written_by).is_some_and(|author| author.is_of(conversation, Some(*turn)))
            }
            Self::Change(change) | Self::Edits(change, _) => *change == seen.change,
        }
    }

    /// Returns the change, if this is one change or a part of it.
    pub const fn change(&self) -> Option<ChangeNumber> {
        match self {
            Self::Change(change) | Self::Edits(change, _) => Some(*change),
            Self::Person(_) | Self::Conversation(_) | Self::Turn(..) => None,
        }
    }
}

impl Actor {
    fn is_person(&self, name: &PersonId) -> bool {
        matches!(self, Self::Person { person } if person == name)
    }

    /// Whether this is the conversation, in this turn or in any.
    pub(crate) fn is_of(&self, name: &ConversationId, in_turn: Option<Turn>) -> bool {
        matches!(self, Self::Conversation { conversation, turn }
            if conversation == name && in_turn.is_none_or(|in_turn| in_turn == *turn))
    }
}

/// The entries to revert, among those in effect.
#[derive(Debug, Clone)]
pub(crate) struct Selection<'s> {
    pub(crate) of: Wanted<'s>,
    pub(crate) last: Option<NonZeroU32>,
    pub(crate) since: u64,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Wanted<'s> {
    /// Changes of people, or of models.
    Role(Role),
    Of(&'s ChangesOf),
    /// The undos by a person, unless the person made a change after it. If the host does not name who undid changes,
    /// the undo is also by the person whose changes these are.
    UndosBy(&'s PersonId),
    Nothing,
}

impl<'s> Selection<'s> {
    pub(crate) const fn all(of: Wanted<'s>) -> Self {
        Self { of, last: None, since: 0 }
    }

    /// Whether no older entry can be selected.
    pub(crate) fn ends_before(&self, entry: &Entry) -> bool {
        // A redone change has a later entry number than its own, never an earlier one.
        let is_before_change = self.change().is_some_and(|change| entry.number < change.into());
        let is_blocked = match self.of {
            Wanted::UndosBy(person) => entry.kind == EntryKind::Edit && entry.made_by().is_person(person),
            _ => false,
        };
        is_before_change || is_blocked || entry.revision_after.get() <= self.since
    }

    /// Returns the change, if it is one.
    pub(crate) fn change(&self) -> Option<ChangeNumber> {
        match self.of {
            Wanted::Of(of) => of.change(),
            Wanted::Role(_) | Wanted::UndosBy(_) | Wanted::Nothing => None,
        }
    }

    fn has(&self, seen: &Seen<'_>) -> bool {
        match self.of {
            // A revert by an author of their own change leaves nothing of that author in the text.
            Wanted::Role(role) => {
                seen.kind != EntryKind::Undo
                    && seen.author == role
                    && seen.reverts.is_none_or(|reverts| reverts.author != role)
            }
            Wanted::Of(of) => seen.kind != EntryKind::Undo && of.has(seen),
            Wanted::UndosBy(person) => {
                let is_redo = seen.reverts.is_some_and(|reverts| reverts.is_redo);
                (seen.kind == EntryKind::Undo || (seen.kind == EntryKind::Revert && !is_redo))
                    && seen.entry.is_some_and(|entry| is_undo_by(entry, person))
            }
            Wanted::Nothing => false,
        }
    }

    fn is_complete(&self, taken: usize) -> bool {
        let one = self.change().and(Some(NonZeroU32::MIN));
        self.last.or(one).is_some_and(|last| taken as u64 >= u64::from(last.get()))
    }
}

fn is_undo_by(entry: &Entry, person: &PersonId) -> bool {
    let by = entry.made_by();
    by.is_person(person)
        || (by.is_person(&PersonId::default()) && entry.undoes_of().is_some_and(|of| of.is_person(person)))
}

/// An entry on a walk from the newest to the oldest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen<'e> {
    pub(crate) number: EntryNumber,
    pub(crate) change: ChangeNumber,
    pub(crate) kind: EntryKind,
    pub(crate) author: Role,
    pub(crate) reverts: Option<&'e Reverts>,
    /// `None` for the history of a board in memory, which knows no names.
    pub(crate) entry: Option<&'e Entry>,
}

impl<'e> From<&'e Entry> for Seen<'e> {
    fn from(entry: &'e Entry) -> Self {
        let Entry { number, change, kind, author, ref reverts, .. } = *entry;
        Self { number, change, kind, author, reverts: reverts.as_ref(), entry: Some(entry) }
    }
}

impl Seen<'_> {
    /// Whether the entry makes its change, rather than undo it.
    fn makes(&self) -> bool {
        self.kind != EntryKind::Undo
    }

    /// Returns the only change that the entry undid as a whole.
    fn undid(&self) -> Option<ChangeNumber> {
        if self.makes() { self.reverts.and_then(Reverts::whole) } else { Some(self.change) }
    }

    /// Returns the change whose undo the entry took back, or that undo if it was of several changes.
    fn redid(&self) -> Option<ChangeNumber> {
        match self.reverts {
            Some(reverts) if reverts.is_redo => reverts.whole(),
            _ => (self.kind == EntryKind::Redo).then_some(self.change),
        }
    }

    /// Returns the number of its edits, unless it keeps two texts instead.
    fn edits(&self) -> Option<u32> {
        u32::try_from(self.entry?.edits()?).ok()
    }
}

/// The state of an entry, given all newer ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// A later entry in effect undid it.
    UndoneBy(EntryNumber),
    /// It is in effect.
    InEffect {
        /// Whether it is selected.
        is_chosen: bool,
        /// Whether not all of its edits were undone.
        is_left: bool,
        /// The later entries that undid some edits of it, newest first.
        parts: Vec<(EntryNumber, Vec<u32>)>,
    },
}

impl Verdict {
    pub(crate) const fn is_chosen(&self) -> bool {
        matches!(self, Self::InEffect { is_chosen: true, .. })
    }
}

/// The choice of entries, visited from the newest to the oldest.
pub(crate) struct Choice<'s> {
    selection: Selection<'s>,
    /// For each change, the later entries in effect that undid it, newest first.
    undone: BTreeMap<ChangeNumber, Vec<(EntryNumber, Part)>>,
    /// Changes that were redone, and then undone again. The undos before that are not to be redone once more.
    redone: Vec<ChangeNumber>,
    taken: usize,
}

#[derive(PartialEq, Eq)]
enum Part {
    /// The newest entry that made the change.
    All,
    /// Some edits, by number. If the entry that undid them knows it, also how many the change has.
    Edits(Vec<u32>, Option<u32>),
    /// The newest entry that undid the change.
    Undo,
}

impl<'s> Choice<'s> {
    pub(crate) const fn new(selection: Selection<'s>) -> Self {
        Self { selection, undone: BTreeMap::new(), redone: Vec::new(), taken: 0 }
    }

    pub(crate) const fn selection(&self) -> &Selection<'s> {
        &self.selection
    }

    /// Whether no further entry is wanted.
    pub(crate) fn is_complete(&self) -> bool {
        self.selection.is_complete(self.taken)
    }

    /// Whether the selection is of the last few entries, and some of them were chosen.
    pub(crate) const fn has_some_of_last(&self) -> bool {
        self.selection.last.is_some() && self.taken > 0
    }

    /// Goes on for entries in place of some without effect. `is_nothing_done` tells whether all were without effect.
    /// Returns `false` if no others are wanted.
    pub(crate) fn go_on(&mut self, without_effect: usize, is_nothing_done: bool) -> bool {
        match (&mut self.selection.last, self.selection.of) {
            (Some(last), _) => {
                *last = last.saturating_add(u32::try_from(without_effect).unwrap_or(u32::MAX));
                true
            }
            // The undos of one command are redone together.
            (None, Wanted::UndosBy(_)) => is_nothing_done,
            (None, _) => false,
        }
    }

    /// Estimates how many more entries have to be visited, after `visited` of `read` ones. As the oldest is not known
    /// before the changes are found, each round of reads asks for some times as many as all rounds before it.
    pub(crate) fn expected(&self, visited: usize, read: usize) -> usize {
        const FIRST: usize = 16;
        const GROWTH: usize = 8;
        let Some(last) = self.selection.last else { return usize::MAX };
        let left = usize::try_from(last.get()).unwrap_or(usize::MAX).saturating_sub(self.taken);
        let most = read.saturating_mul(GROWTH).max(left.saturating_mul(FIRST));
        match visited.saturating_mul(left).checked_div(self.taken) {
            // The rest may be rarer than those found.
            Some(expected) => expected.saturating_mul(2).max(FIRST).min(most),
            None => most,
        }
    }

    /// Returns the state of the next older entry.
    pub(crate) fn visit(&mut self, seen: &Seen<'_>) -> Verdict {
        let (mut parts, mut count) = (Vec::new(), seen.edits());
        if seen.makes() {
            self.undone.entry(seen.change).or_default().retain_mut(|(by, part)| match part {
                Part::Edits(edits, of) => {
                    parts.push((*by, std::mem::take(edits)));
                    count = count.or(*of);
                    false
                }
                Part::All | Part::Undo => true,
            });
            if let Some(by) = self.found(seen.change, &Part::All) {
                self.redone.extend(seen.redid());
                return Verdict::UndoneBy(by);
            }
        }
        if let Some(by) = seen.undid().and_then(|change| self.found(change, &Part::Undo)) {
            self.redone.extend(seen.redid());
            // The change is in effect again by its older entry, which undoes what it undid.
            self.undone.values_mut().for_each(|parts| parts.retain(|(number, _)| *number != by));
            return Verdict::UndoneBy(by);
        }
        let is_undone = |edit| parts.iter().any(|(_, edits): &(_, Vec<u32>)| edits.contains(&edit));
        let is_left = parts.is_empty() || !count.is_some_and(|count| (0..count).all(is_undone));
        let is_over = matches!(self.selection.of, Wanted::UndosBy(_)) && self.was_redone(seen);
        let is_chosen = is_left && !is_over && !self.is_complete() && self.selection.has(seen);
        if is_chosen {
            self.taken += 1;
            return Verdict::InEffect { is_chosen, is_left, parts };
        }
        if !is_left {
            // All its edits were undone one by one, so an older undo of the change stands.
            return Verdict::InEffect { is_chosen, is_left, parts };
        }
        if seen.kind == EntryKind::Redo {
            self.add(seen, seen.change, Part::Undo);
        }
        match (seen.makes(), seen.reverts) {
            (false, _) => self.add(seen, seen.change, Part::All),
            (true, Some(Reverts { changes, edits: Some(edits), edit_count, .. })) => {
                let part = || Part::Edits(edits.clone(), *edit_count);
                changes.iter().for_each(|change| self.add(seen, *change, part()));
            }
            (true, Some(Reverts { changes, .. })) => {
                changes.iter().for_each(|change| self.add(seen, *change, Part::All));
            }
            (true, None) => {}
        }
        Verdict::InEffect { is_chosen, is_left, parts }
    }

    /// Whether this is an undo that was redone before.
    fn was_redone(&mut self, seen: &Seen<'_>) -> bool {
        let own = (seen.kind == EntryKind::Revert).then_some(seen.change);
        let at = self.redone.iter().position(|change| seen.undid() == Some(*change) || own == Some(*change));
        at.map(|at| self.redone.swap_remove(at)).is_some()
    }

    fn add(&mut self, seen: &Seen<'_>, change: ChangeNumber, part: Part) {
        self.undone.entry(change).or_default().push((seen.number, part));
    }

    fn found(&mut self, change: ChangeNumber, part: &Part) -> Option<EntryNumber> {
        let of_change = self.undone.get_mut(&change)?;
        let at = of_change.iter().position(|(_, undone)| undone == part)?;
        Some(of_change.remove(at).0)
    }
}
