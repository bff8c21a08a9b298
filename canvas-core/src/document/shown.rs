//! Lines of a document that a conversation was shown with their numbers.

use std::ops::Range;

use canvas_patch::{LineRange, StatedLines};

use crate::model::blob::BlobId;
use crate::model::revision::RevisionId;

/// Lines that a conversation was shown with their numbers, of the document as it is and of its last texts before.
///
/// A number that a patch states decides between equal places only at a line that was shown of the document as it is. A patch
/// of lines that were shown and have changed since is `OUTDATED`.
///
/// It is a value of the conversation's host, bounded, and no part of what a canvas keeps: where it is lost, a patch that
/// fits at several places is `AMBIGUOUS`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShownLines {
    /// The latest first; at most [`ShownLines::TEXTS`].
    texts: Vec<ShownText>,
    /// Those of this turn, with the lines that were listed; at most [`ShownLines::TURN_TEXTS`].
    turn: Vec<ShownText>,
}

/// Lines that were shown of one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShownText {
    /// The revision with which it was shown last.
    pub(crate) revision: RevisionId,
    pub(crate) document: BlobId,
    /// From 0, in order, apart, and none empty; at most [`ShownLines::RANGES`].
    pub(crate) ranges: Vec<Range<usize>>,
}

impl ShownLines {
    /// Ranges that are kept of each text. Of more the shortest go.
    pub const RANGES: usize = 256;

    /// Texts of which lines are kept. Of more the oldest go.
    pub const TEXTS: usize = 4;

    /// Texts of one turn of which lines are kept for [`Policy::require_located`](crate::Policy::require_located). Of more those
    /// with the fewest lines go.
    pub const TURN_TEXTS: usize = 16;

    /// Adds lines of the document with this hash, as of a revision. Linear in the ranges.
    pub fn add(&mut self, revision: RevisionId, document: BlobId, lines: LineRange) {
        add_to(&mut self.texts, (revision, document), lines);
        self.texts.truncate(Self::TEXTS);
        self.add_listed(revision, document, lines);
    }

    /// Adds lines that were listed and not shown, such as those of a section in an outline. They count as located in this
    /// turn; numbers decide nothing there.
    pub fn add_listed(&mut self, revision: RevisionId, document: BlobId, lines: LineRange) {
        add_to(&mut self.turn, (revision, document), lines);
        if self.turn.len() > Self::TURN_TEXTS {
            let fewest = (0..self.turn.len()).rev().min_by_key(|&i| self.turn[i].lines());
            fewest.map(|fewest| self.turn.remove(fewest));
        }
    }

    /// Begins a turn, in which no line has been located.
    pub fn begin_turn(&mut self) {
        self.turn.clear();
    }

    /// The lines that were shown of the document with this hash, from 1 and in order.
    pub fn of(&self, document: BlobId) -> impl Iterator<Item = LineRange> {
        self.known_of(document).iter().map(|range| LineRange { start: range.start + 1, end: range.end })
    }

    /// What the numbers of a patch for that document may decide.
    pub(crate) fn stated(shown: Option<&Self>, document: BlobId) -> StatedLines<'_> {
        shown.map_or(StatedLines::Trusted, |shown| StatedLines::Shown(shown.known_of(document)))
    }

    /// What was shown of other texts than that document, the latest first.
    pub(crate) fn before(&self, document: BlobId) -> impl Iterator<Item = &ShownText> {
        self.texts.iter().filter(move |text| text.document != document)
    }

    /// The texts of which lines were located in this turn, those with the most lines first.
    pub(crate) fn located(&self) -> Vec<&ShownText> {
        let mut located: Vec<_> = self.turn.iter().collect();
        located.sort_by_key(|text| std::cmp::Reverse(text.lines()));
        located
    }

    pub(crate) fn known_of(&self, document: BlobId) -> &[Range<usize>] {
        let known = self.texts.iter().find(|text| text.document == document);
        known.map_or(&[], |text| &text.ranges)
    }
}

fn add_to(texts: &mut Vec<ShownText>, (revision, document): (RevisionId, BlobId), lines: LineRange) {
    let new = lines.start.saturating_sub(1)..lines.end;
    if new.is_empty() {
        return;
    }
    let known = texts.iter().position(|text| text.document == document);
    let mut text = match known {
        Some(known) => texts.remove(known),
        None => ShownText { revision, document, ranges: Vec::new() },
    };
    text.revision = revision;
    text.add(new);
    texts.insert(0, text);
}

impl ShownText {
    fn lines(&self) -> usize {
        self.ranges.iter().map(Range::len).sum()
    }

    fn add(&mut self, mut new: Range<usize>) {
        self.ranges.retain(|known| {
            let is_apart = known.end < new.start || new.end < known.start;
            if !is_apart {
                new = new.start.min(known.start)..new.end.max(known.end);
            }
            is_apart
        });
        let place = self.ranges.partition_point(|known| known.start < new.start);
        self.ranges.insert(place, new);
        if self.ranges.len() > ShownLines::RANGES {
            let shortest = (0..self.ranges.len()).min_by_key(|&i| self.ranges[i].len());
            shortest.map(|shortest| self.ranges.remove(shortest));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::revision::Revision;

    fn document(text: &str) -> BlobId {
        BlobId::of(text.as_bytes())
    }

    fn lines(shown: &ShownLines, text: &str) -> Vec<(usize, usize)> {
        shown.of(document(text)).map(|lines| (lines.start, lines.end)).collect()
    }

    fn add(shown: &mut ShownLines, text: &str, start: usize, end: usize) {
        let revision = RevisionId::new(Revision::ZERO, document(text));
        shown.add(revision, document(text), LineRange { start, end });
    }

    #[test]
    fn a_number_decides_in_its_text_alone() {
        let mut shown = ShownLines::default();
        add(&mut shown, "a", 2, 3);
        add(&mut shown, "a", 4, 4);
        add(&mut shown, "a", 9, 8);
        assert_eq!((lines(&shown, "a"), lines(&shown, "b")), (vec![(2, 4)], vec![]));
        assert_eq!(ShownLines::stated(Some(&shown), document("b")), StatedLines::Shown(&[]));
        assert_eq!(ShownLines::stated(None, document("b")), StatedLines::Trusted);
        add(&mut shown, "b", 1, 1);
        assert_eq!((lines(&shown, "a"), lines(&shown, "b")), (vec![(2, 4)], vec![(1, 1)]));
    }

    #[test]
    fn the_text_that_was_shown_last_stays_longest() {
        let mut shown = ShownLines::default();
        let before = |shown: &ShownLines| -> Vec<BlobId> {
            shown.before(document("now")).map(|text| text.document).collect()
        };
        for text in ["a", "b", "a", "c", "d", "e"] {
            add(&mut shown, text, 1, 1);
        }
        assert_eq!(before(&shown), ["e", "d", "c", "a"].map(document));
        add(&mut shown, "now", 1, 1);
        assert_eq!(before(&shown), ["e", "d", "c"].map(document));
    }

    #[test]
    fn the_shortest_ranges_go_first() {
        let mut shown = ShownLines::default();
        add(&mut shown, "a", 1, 9);
        for line in 0..2 * ShownLines::RANGES {
            add(&mut shown, "a", 20 + 2 * line, 20 + 2 * line);
        }
        let kept = lines(&shown, "a");
        assert_eq!((kept.len(), kept[0]), (ShownLines::RANGES, (1, 9)));
    }

    proptest! {
        #[test]
        fn ranges_are_the_lines_that_were_added(added in prop::collection::vec((1_usize..60, 0_usize..9), 0..40)) {
            let mut shown = ShownLines::default();
            let mut expected = std::collections::BTreeSet::new();
            for (start, len) in added {
                add(&mut shown, "a", start, start + len);
                expected.extend(start..=start + len);
            }
            let ranges = lines(&shown, "a");
            let found: Vec<_> = ranges.iter().flat_map(|(start, end)| *start..=*end).collect();
            prop_assert_eq!(found, expected.into_iter().collect::<Vec<_>>());
            prop_assert!(ranges.windows(2).all(|pair| pair[0].1 + 1 < pair[1].0));
        }
    }
}
