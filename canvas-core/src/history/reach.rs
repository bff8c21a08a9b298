//! Chooses the entries of the journal, or of another chain, to request next. All wanted entries named so far are
//! requested in one wave.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use crate::face::fetched::Fetched;
use crate::history::journal::Entry;
use crate::history::kept::Kept;
use crate::model::blob::BlobId;
use crate::model::journal_slot::JournalSlot;
use crate::model::links::{self, Linked};

/// The state of an entry whose id is known.
#[derive(Debug)]
pub(crate) enum Known<'e, E = Entry> {
    /// The entry was not requested yet.
    Nothing,
    /// The entry is missing, or is not a valid entry.
    Lost,
    Entry(&'e E),
}

impl Fetched {
    /// Looks up an entry of the journal.
    pub(crate) fn entry(&self, id: BlobId) -> Known<'_> {
        match self.linked(id) {
            None => Known::Nothing,
            Some(None) => Known::Lost,
            Some(Some(entry)) => Known::Entry(entry),
        }
    }
}

/// The entries named by the head and by the entries read so far, with their numbers.
pub(crate) struct Reach<L> {
    marks: Vec<(u64, BlobId)>,
    oldest: u64,
    look: L,
    named: BTreeMap<u64, BlobId>,
    read: usize,
}

impl<'e, E: Linked + 'e, L: Fn(BlobId) -> Known<'e, E>> Reach<L> {
    /// Starts from `marks`, which the head names, and from `seeds`. Leaves out entries older than `oldest`. Linear in
    /// the entries read.
    pub(crate) fn new(
        marks: impl IntoIterator<Item = (u64, BlobId)>,
        oldest: u64,
        seeds: impl IntoIterator<Item = (u64, BlobId)>,
        look: L,
    ) -> Self {
        let marks: Vec<_> = marks.into_iter().collect();
        let mut open: Vec<_> = seeds.into_iter().chain(marks.iter().copied()).collect();
        let mut reach = Self { marks, oldest, look, named: BTreeMap::new(), read: 0 };
        while let Some((number, id)) = open.pop() {
            if number < oldest || reach.named.contains_key(&number) {
                continue;
            }
            reach.named.insert(number, id);
            if let Some(entry) = reach.entry(number, id) {
                reach.read += 1;
                open.extend(entry.named());
            }
        }
        reach
    }

    /// Returns the number of named entries read so far.
    pub(crate) fn read(&self) -> usize {
        self.read
    }

    /// Returns the number of a named entry.
    pub(crate) fn number_of(&self, id: BlobId) -> Option<u64> {
        self.named.iter().find(|(_, named)| **named == id).map(|(number, _)| *number)
    }

    /// Returns the id of a named entry.
    pub(crate) fn named(&self, number: u64) -> Option<BlobId> {
        self.named.get(&number).copied()
    }

    /// Returns the entries to request in order to reach the wanted ones. These are the named but unread ones among them
    /// and, on the way to those not named yet, the next unread entry from the head. The list is empty once all
    /// reachable entries are read.
    pub(crate) fn wave(&self, wanted: RangeInclusive<u64>) -> Vec<BlobId> {
        if wanted.is_empty() {
            return Vec::new();
        }
        let named = self.named.range(wanted.clone()).map(|(_, id)| *id).filter(|id| self.is_new(*id));
        let targets = links::multiples_up_to(*wanted.end()).filter(|number| wanted.contains(number));
        let mut wave: Vec<_> = named.chain(targets.filter_map(|target| self.next_towards(target))).collect();
        wave.sort_unstable();
        wave.dedup();
        wave
    }

    fn is_new(&self, id: BlobId) -> bool {
        matches!((self.look)(id), Known::Nothing)
    }

    fn entry(&self, number: u64, id: BlobId) -> Option<&'e E> {
        match (self.look)(id) {
            Known::Entry(entry) if entry.number() == number => Some(entry),
            _ => None,
        }
    }

    /// Returns the first unread entry on the way from the head to an entry that is not named yet.
    fn next_towards(&self, target: u64) -> Option<BlobId> {
        // The way to an older entry may lead past the oldest, to one that is not kept.
        if target < self.oldest || self.named.contains_key(&target) {
            return None;
        }
        let closest = |named: &mut dyn Iterator<Item = (u64, BlobId)>| {
            named.filter(|(number, _)| *number >= target).min_by_key(|(number, _)| *number)
        };
        let mut at = closest(&mut self.marks.iter().copied())?;
        while let Some(entry) = self.entry(at.0, at.1) {
            at = closest(&mut entry.named())?;
        }
        Some(at.1).filter(|id| self.is_new(*id))
    }
}

/// A walk down the changes that undo or redo would take one after another, or down all changes.
#[derive(Debug)]
pub(crate) struct Chain {
    next: Option<BlobId>,
    /// Whether the walk leads from each change to the previous one.
    is_of_all: bool,
    walked: usize,
    /// Numbers and ids of the entries passed.
    passed: Vec<(u64, BlobId)>,
}

/// The result of one step of a walk.
#[derive(Debug)]
pub(crate) enum ChainStep<'e> {
    Entry(&'e Entry),
    /// The history ends, so the walk is complete.
    End,
    /// The entry exists, but it and all older ones are forgotten.
    Forgotten(&'e Entry),
    /// The entry is missing, or is not a valid entry.
    Lost(BlobId),
    /// This entry must be read first. The others are likely to be needed after it.
    Missing(BlobId, Vec<BlobId>),
}

/// Factor by which guessed requests may exceed the wanted entries, because a chain may leave entries out.
const GUESSES: usize = 4;

impl Chain {
    pub(crate) fn new(start: Option<BlobId>) -> Self {
        Self { next: start, is_of_all: false, walked: 0, passed: Vec::new() }
    }

    /// Walks down all changes, past the effects between them. If the first entries are effects, the walk ends at the
    /// very first of them.
    pub(crate) fn of_changes(slot: &JournalSlot) -> Self {
        let last = slot.last_change();
        Self { next: last.map(|(_, id)| id), is_of_all: true, walked: 0, passed: last.into_iter().collect() }
    }

    /// Returns the next entry. `oldest` is the lowest number that matters, and `more` the number of wanted entries,
    /// including this one. Both determine the entries requested in a wave. A chain usually consists of consecutive
    /// entries, so those are requested at once. If it leaves many out, guessing stops.
    pub(crate) fn step<'e>(
        &mut self,
        slot: &JournalSlot,
        (kept, oldest): (Kept, u64),
        more: usize,
        look: impl Fn(BlobId) -> Known<'e>,
    ) -> ChainStep<'e> {
        let Some(id) = self.next else { return ChainStep::End };
        match look(id) {
            Known::Entry(entry) if !kept.has(entry) => ChainStep::Forgotten(entry),
            Known::Entry(entry) => {
                self.walked += 1;
                self.passed.push((entry.number.get(), id));
                if self.is_of_all {
                    self.passed.extend(entry.previous_change());
                    self.next = entry.previous_change().map(|(_, id)| id);
                } else {
                    self.next = entry.below();
                }
                ChainStep::Entry(entry)
            }
            Known::Lost => ChainStep::Lost(id),
            Known::Nothing => {
                let reach = Reach::new(slot.marks(), kept.oldest(), self.passed.iter().copied(), look);
                let Some(newest) = reach.number_of(id) else { return ChainStep::Missing(id, Vec::new()) };
                let wanted = self.walked.saturating_add(more);
                let guesses = wanted.saturating_mul(GUESSES).saturating_sub(reach.read());
                let wanted = u64::try_from(more.min(guesses).max(1)).unwrap_or(u64::MAX);
                let oldest = newest.saturating_sub(wanted - 1).max(oldest).max(kept.oldest());
                let mut wave = reach.wave(oldest..=newest);
                wave.retain(|other| *other != id);
                ChainStep::Missing(id, wave)
            }
        }
    }
}

#[cfg(test)]
mod tests;
