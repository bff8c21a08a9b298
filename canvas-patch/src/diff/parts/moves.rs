//! Places after some changes of a text, without the words of the changes.

use super::words::Words;
use crate::diff::delta::Delta;

/// Moves places past some changes of a text that neither touch nor border on them. It has no text.
///
/// ```
/// use canvas_patch::{Delta, Moves, Parts};
///
/// let (text, mut last) = ("- one\n- two\n", 0);
/// let mut parts = Parts::default();
/// parts.propose(text, "- one\n- two, too\n", &mut last, None);
///
/// let now = "# List\n- one\n- two\n";
/// let mut moves = Moves::default();
/// moves.push(&Delta::between(text, now));
/// parts.shift(&moves);
/// assert_eq!(parts.proposed(now), "# List\n- one\n- two, too\n");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Moves {
    changes: u32,
    ranges: Vec<Moved>,
}

/// A range that changes replaced: its place and length in the first text, and its length in the newest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Moved(usize, usize, usize);

/// Ends of the ranges in the first text, each with how far a place after it moves.
pub(super) struct Steps(Vec<(usize, isize)>);

impl Moves {
    /// Whether there is no change.
    pub fn is_empty(&self) -> bool {
        self.changes == 0
    }

    /// Returns the number of changes.
    pub fn changes(&self) -> u32 {
        self.changes
    }

    /// Returns the number of ranges that the changes replaced. Ranges that meet are one.
    pub fn ranges(&self) -> usize {
        self.ranges.len()
    }

    /// Adds a change of the newest text. Costs as much as comparing the words that it replaces.
    pub fn push(&mut self, change: &Delta) {
        self.changes = self.changes.saturating_add(1);
        let words = Words::of(change);
        let mut edits = words.edits.iter().map(|edit| (edit.range(), edit.new.len())).peekable();
        let mut old = std::mem::take(&mut self.ranges).into_iter().peekable();
        // How far the newest text is ahead of the first one, before the next range.
        let mut ahead = 0_isize;
        // The range that grows: its place in the newest text, its place in the first one, and what the change adds.
        let mut open: Option<(usize, usize, usize, isize)> = None;
        loop {
            let next_old = old.peek().map(|Moved(at, _, _)| at.saturating_add_signed(ahead));
            let next_edit = edits.peek().map(|(range, _)| range.start);
            let next = match (next_old, next_edit) {
                (None, None) => break,
                (one, None) => one,
                (None, other) => other,
                (Some(one), Some(other)) => Some(one.min(other)),
            };
            let Some(start) = next else { break };
            if open.is_some_and(|(_, end, ..)| start > end) {
                self.close(open.take(), ahead);
            }
            let (_, end, _, grows) = open.get_or_insert_with(|| {
                (start, start, start.saturating_add_signed(ahead.saturating_neg()), 0)
            });
            if let Some(Moved(_, before, after)) = old.next_if(|_| next_old == Some(start)) {
                *end = (*end).max(start.saturating_add(after));
                ahead = grown(ahead, before, after);
            } else if let Some((range, new)) = edits.next() {
                *end = (*end).max(range.end);
                *grows = grown(*grows, range.len(), new);
            }
        }
        self.close(open, ahead);
    }

    fn close(&mut self, open: Option<(usize, usize, usize, isize)>, ahead: isize) {
        let Some((start, end, first, grows)) = open else { return };
        let before = end.saturating_add_signed(ahead.saturating_neg()).saturating_sub(first);
        self.ranges.push(Moved(first, before, (end - start).saturating_add_signed(grows)));
    }

    pub(super) fn steps(&self) -> Steps {
        let mut by = 0;
        let step = |Moved(at, before, after): &Moved| {
            by = grown(by, *before, *after);
            (at.saturating_add(*before), by)
        };
        Steps(self.ranges.iter().map(step).collect())
    }
}

impl Steps {
    /// Returns where a place of the first text is in the newest one.
    pub(super) fn moved(&self, at: usize) -> usize {
        let before = self.0.partition_point(|(end, _)| *end <= at);
        before.checked_sub(1).map_or(at, |last| at.saturating_add_signed(self.0[last].1).min(MAX))
    }
}

/// The largest place. No text is that long, but a number that was read may be larger.
const MAX: usize = usize::MAX / 2;

/// Adds the growth of a range from one length to another.
fn grown(by: isize, before: usize, after: usize) -> isize {
    let signed = |length: usize| isize::try_from(length).unwrap_or(isize::MAX);
    by.saturating_add(signed(after)).saturating_sub(signed(before))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_that_was_read_overflows() {
        let most = usize::MAX;
        for ranges in [
            vec![Moved(0, 0, most), Moved(1, 0, most)],
            vec![Moved(most, most, 0), Moved(0, most, 0)],
            vec![Moved(5, most, 1), Moved(3, 1, most), Moved(most, 0, most)],
        ] {
            let mut moves = Moves { changes: u32::MAX, ranges };
            moves.push(&Delta::between("a b\n", "a new b\n"));
            assert!(
                [0, 4, most].into_iter().all(|at| moves.steps().moved(at) <= MAX || at == most),
                "{moves:?}"
            );
        }
    }
}
