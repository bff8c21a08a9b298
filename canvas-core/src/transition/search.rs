//! Searches the entries to revert, from the newest to the oldest.

use crate::history::journal::Entry;
use crate::history::reach::Chain;
use crate::history::revert::{ChangesOf, Choice, Seen, Selection, Verdict, Wanted};
use crate::model::journal_slot::JournalSlot;
use crate::transition::refusal::{HistoryRefusal, UndoRefusal};
use crate::transition::step::{Stop, Transition};

/// Number of entries that a search for changes of an actor may pass for each that an undo may reach.
const SEARCH: usize = 64;

/// An entry on the way to the changes to revert, newest first.
#[derive(Debug)]
pub(super) struct Visited<'a> {
    pub(super) entry: &'a Entry,
    pub(super) verdict: Verdict,
}

/// Limits how many entries a search reads.
#[derive(Debug, Clone, Copy)]
pub(super) enum Bound {
    /// As many entries as an undo reaches.
    Reach,
    /// More entries, since only some of them are of the actor.
    Search,
}

/// A search for entries to revert. After it finds the wanted number, it can go on for more.
pub(super) struct Search<'s, 'a> {
    chain: Chain,
    choice: Choice<'s>,
    bound: Bound,
    /// Number of entries visited.
    visited: usize,
    /// Entries visited after the last chosen one, with which the search goes on.
    rest: Vec<Visited<'a>>,
    /// The entry after these, if it was read already.
    next: Option<&'a Entry>,
    is_over: bool,
}

impl<'s> Search<'s, '_> {
    /// Searches the changes that undo would take.
    pub(super) fn of_changes(slot: &JournalSlot, selection: Selection<'s>, bound: Bound) -> Self {
        Self::of(Chain::new(slot.undo), selection, bound)
    }

    /// Searches all entries, undos too.
    pub(super) fn of_all(slot: &JournalSlot, selection: Selection<'s>, bound: Bound) -> Self {
        Self::of(Chain::of_changes(slot), selection, bound)
    }

    fn of(chain: Chain, selection: Selection<'s>, bound: Bound) -> Self {
        Self {
            chain,
            choice: Choice::new(selection),
            bound,
            visited: 0,
            rest: Vec::new(),
            next: None,
            is_over: false,
        }
    }

    /// Goes on for entries in place of some without effect. `is_nothing_done` tells whether all were without effect.
    /// Returns `false` if no others are wanted.
    pub(super) fn go_on(&mut self, without_effect: usize, is_nothing_done: bool) -> bool {
        !self.is_over && self.choice.go_on(without_effect, is_nothing_done)
    }
}

impl<'a> Transition<'a> {
    /// Like [`Transition::visit`], but refuses an empty result.
    pub(super) fn find(&self, search: &mut Search<'_, 'a>) -> Result<Vec<Visited<'a>>, Stop<UndoRefusal>> {
        let visited = self.visit(search)?;
        if !visited.is_empty() {
            return Ok(visited);
        }
        Err(Stop::refused(match search.choice.selection().of {
            Wanted::Of(ChangesOf::Change(change) | ChangesOf::Edits(change, _)) => {
                HistoryRefusal::HistoryNotFound { change: *change }
            }
            Wanted::Of(_) => HistoryRefusal::NothingToUndo,
            Wanted::Role(_) => HistoryRefusal::HistoryEmpty { asked: 1, available: 0 },
            Wanted::UndosBy(_) | Wanted::Nothing => HistoryRefusal::NothingToRedo,
        }))
    }

    /// Returns the next entries down to the last selected one, newest first. If the search is for the last few and finds
    /// some of them within its limit, these are all.
    pub(super) fn visit(&self, search: &mut Search<'_, 'a>) -> Result<Vec<Visited<'a>>, Stop<UndoRefusal>> {
        let Search { chain, choice, bound, visited: count, rest, next, is_over } = search;
        let mut visited = std::mem::take(rest);
        let reach = self.policy.history.reach;
        let limit = match bound {
            Bound::Reach => reach,
            Bound::Search => reach.saturating_mul(SEARCH),
        };
        let oldest = self.oldest_chosen(choice.selection());
        while !choice.is_complete() {
            let more = match bound {
                Bound::Reach => limit - *count,
                Bound::Search => choice.expected(*count, self.view.blobs.len()).min(limit - *count),
            };
            *is_over = true;
            let read = match next.take() {
                Some(entry) => Some(entry),
                None => self.step_down(chain, oldest, more.saturating_add(1))?,
            };
            let Some(entry) = read.filter(|entry| !choice.selection().ends_before(entry)) else { break };
            if is_of_other(&visited, entry, choice.selection()) {
                (*next, *is_over) = (Some(entry), false);
                break;
            }
            if *count == limit {
                if choice.has_some_of_last() {
                    break;
                }
                return Err(Stop::refused(HistoryRefusal::HistoryTooDeep { limit }));
            }
            *is_over = false;
            *count += 1;
            let verdict = choice.visit(&Seen::from(entry));
            visited.push(Visited { entry, verdict });
        }
        let chosen = visited.iter().rposition(|visited| visited.verdict.is_chosen());
        *rest = visited.split_off(chosen.map_or(0, |last| last + 1));
        Ok(visited)
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
