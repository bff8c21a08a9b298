//! Lines of a document that a conversation was shown with their numbers.

use std::ops::Range;

use canvas_patch::{LineRange, StatedLines};
use serde::{Deserialize, Serialize};

use crate::model::blob::BlobId;
use crate::model::revision::{Base, RevisionId};

/// Lines shown to a conversation with their numbers, in the current document and in its last earlier texts.
///
/// A line number in a patch decides between equal places only if that line of the current document was shown. If a
/// patch is for shown lines that changed later, it is `OUTDATED`.
///
/// The conversation's host keeps this value, which is bounded and not part of the canvas. If it is lost, a patch that
/// fits several places is `AMBIGUOUS`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ShownLines {
    /// Latest first; at most [`ShownLines::TEXTS`].
    texts: Vec<ShownText>,
    /// Texts of this turn, including listed lines; at most [`ShownLines::TURN_TEXTS`].
    turn: Vec<ShownText>,
}

/// The shown lines of one text, identified by its hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ShownText {
    /// The revision with which it was shown last.
    pub(crate) revision: RevisionId,
    pub(crate) document: BlobId,
    /// Counted from 0, in order, not adjacent, and never empty; at most [`ShownLines::RANGES`].
    pub(crate) ranges: Vec<Range<usize>>,
}

impl ShownLines {
    /// Maximum number of ranges kept for each text. Beyond that, the shortest are dropped.
    pub const RANGES: usize = 256;

    /// Maximum number of texts whose lines are kept. Beyond that, the oldest are dropped.
    pub const TEXTS: usize = 4;

    /// Maximum number of texts of one turn whose lines are kept for
    /// [`WriteRules::require_located`](crate::policy::WriteRules::require_located). Beyond that, the texts with the
    /// fewest lines are dropped.
    pub const TURN_TEXTS: usize = 16;

    /// Adds lines of the document with this hash at a revision. Linear in the number of ranges.
    pub fn add(&mut self, revision: RevisionId, document: BlobId, lines: LineRange) {
        add_to(&mut self.texts, (revision, document), lines);
        self.texts.truncate(Self::TEXTS);
        self.add_listed(revision, document, lines);
    }

    /// Adds listed lines, such as the lines of a section in an outline. They count as located in this turn but not as
    /// shown, so their numbers do not decide between equal places.
    pub fn add_listed(&mut self, revision: RevisionId, document: BlobId, lines: LineRange) {
        add_to(&mut self.turn, (revision, document), lines);
        if self.turn.len() > Self::TURN_TEXTS {
            let fewest = (0..self.turn.len()).rev().min_by_key(|&i| self.turn[i].lines());
            fewest.map(|fewest| self.turn.remove(fewest));
        }
    }

    /// Begins a turn, in which no line has been located yet.
    pub fn begin_turn(&mut self) {
        self.turn.clear();
    }

    /// Returns the shown lines of the document with this hash, counted from 1 and in order.
    pub fn of(&self, document: BlobId) -> impl Iterator<Item = LineRange> {
        self.known_of(document).iter().map(|range| LineRange { start: range.start + 1, end: range.end })
    }

    /// Returns the lines of a document whose numbers decide in a patch.
    pub(crate) fn stated(shown: Option<&Self>, document: BlobId) -> StatedLines<'_> {
        shown.map_or(StatedLines::Trusted, |shown| StatedLines::Shown(shown.known_of(document)))
    }

    /// Returns the shown lines of all texts except this document, latest first.
    pub(crate) fn before(&self, document: BlobId) -> impl Iterator<Item = &ShownText> {
        self.texts.iter().filter(move |text| text.document != document)
    }

    /// Returns the texts whose lines were located in this turn, those with the most lines first.
    pub(crate) fn located(&self) -> Vec<&ShownText> {
        let mut located: Vec<_> = self.turn.iter().collect();
        located.sort_by_key(|text| std::cmp::Reverse(text.lines()));
        located
    }

    /// Whether lines of the text at this revision were shown or listed.
    pub(crate) fn has_shown(&self, base: Base) -> bool {
        self.texts.iter().chain(&self.turn).any(|text| match base {
            Base::Id(id) => text.revision == id,
            Base::Number(number) => text.revision.revision() == number,
        })
    }

    /// Whether these lines were shown in another text than this one, and not in this one.
    pub(crate) fn is_shown_elsewhere(&self, document: BlobId, lines: LineRange) -> bool {
        let place = lines.start.saturating_sub(1)..lines.end;
        let covers = |ranges: &[Range<usize>]| {
            ranges.iter().any(|known| known.start <= place.start && place.end <= known.end)
        };
        !covers(self.known_of(document)) && self.before(document).any(|text| covers(&text.ranges))
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
