//! Lines of a document that a conversation was shown with their numbers.

use std::ops::Range;

use canvas_patch::{LineRange, StatedLines};

use crate::model::blob::BlobId;

/// Lines of one text that a conversation was shown with their numbers. A number that a patch states decides between equal
/// places only at one of these, and only while the document is that text.
///
/// It is a value of the conversation's host, bounded, and no part of what a canvas keeps: where it is lost, a patch that
/// fits at several places is `AMBIGUOUS`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownLines {
    document: BlobId,
    /// From 0, in order, apart, and none empty; at most [`ShownLines::RANGES`].
    ranges: Vec<Range<usize>>,
}

impl ShownLines {
    /// Ranges that are kept. Of more the shortest go.
    pub const RANGES: usize = 256;

    /// None yet of the document with this hash.
    pub const fn none(document: BlobId) -> Self {
        Self { document, ranges: Vec::new() }
    }

    /// Adds lines of the document with this hash. Those of another one are forgotten: after a change no number is known to be
    /// right. Linear in the ranges.
    pub fn add(&mut self, document: BlobId, lines: LineRange) {
        if self.document != document {
            *self = Self::none(document);
        }
        let mut new = lines.start.saturating_sub(1)..lines.end;
        if new.is_empty() {
            return;
        }
        self.ranges.retain(|known| {
            let is_apart = known.end < new.start || new.end < known.start;
            if !is_apart {
                new = new.start.min(known.start)..new.end.max(known.end);
            }
            is_apart
        });
        let place = self.ranges.partition_point(|known| known.start < new.start);
        self.ranges.insert(place, new);
        if self.ranges.len() > Self::RANGES {
            let shortest = (0..self.ranges.len()).min_by_key(|&i| self.ranges[i].len());
            shortest.map(|shortest| self.ranges.remove(shortest));
        }
    }

    /// The lines that were shown of the document with this hash, from 1 and in order.
    pub fn of(&self, document: BlobId) -> impl Iterator<Item = LineRange> {
        self.known_of(document).iter().map(|range| LineRange { start: range.start + 1, end: range.end })
    }

    /// What the numbers of a patch for that document may decide.
    pub(crate) fn stated(shown: Option<&Self>, document: BlobId) -> StatedLines<'_> {
        shown.map_or(StatedLines::Trusted, |shown| StatedLines::Shown(shown.known_of(document)))
    }

    fn known_of(&self, document: BlobId) -> &[Range<usize>] {
        if self.document == document { &self.ranges } else { &[] }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn document(text: &str) -> BlobId {
        BlobId::of(text.as_bytes())
    }

    fn lines(shown: &ShownLines, text: &str) -> Vec<(usize, usize)> {
        shown.of(document(text)).map(|lines| (lines.start, lines.end)).collect()
    }

    #[test]
    fn lines_of_another_text_are_forgotten() {
        let mut shown = ShownLines::none(document("a"));
        shown.add(document("a"), LineRange { start: 2, end: 3 });
        shown.add(document("a"), LineRange { start: 4, end: 4 });
        shown.add(document("a"), LineRange { start: 9, end: 8 });
        assert_eq!((lines(&shown, "a"), lines(&shown, "b")), (vec![(2, 4)], vec![]));
        assert_eq!(ShownLines::stated(Some(&shown), document("b")), StatedLines::Shown(&[]));
        assert_eq!(ShownLines::stated(None, document("b")), StatedLines::Trusted);
        shown.add(document("b"), LineRange { start: 1, end: 1 });
        assert_eq!((lines(&shown, "a"), lines(&shown, "b")), (vec![], vec![(1, 1)]));
    }

    #[test]
    fn the_shortest_ranges_go_first() {
        let mut shown = ShownLines::none(document("a"));
        shown.add(document("a"), LineRange { start: 1, end: 9 });
        for line in 0..2 * ShownLines::RANGES {
            shown.add(document("a"), LineRange { start: 20 + 2 * line, end: 20 + 2 * line });
        }
        let kept = lines(&shown, "a");
        assert_eq!((kept.len(), kept[0]), (ShownLines::RANGES, (1, 9)));
    }

    proptest! {
        #[test]
        fn ranges_are_the_lines_that_were_added(added in prop::collection::vec((1_usize..60, 0_usize..9), 0..40)) {
            let mut shown = ShownLines::none(document("a"));
            let mut expected = std::collections::BTreeSet::new();
            for (start, len) in added {
                shown.add(document("a"), LineRange { start, end: start + len });
                expected.extend(start..=start + len);
            }
            let ranges = lines(&shown, "a");
            let found: Vec<_> = ranges.iter().flat_map(|(start, end)| *start..=*end).collect();
            prop_assert_eq!(found, expected.into_iter().collect::<Vec<_>>());
            prop_assert!(ranges.windows(2).all(|pair| pair[0].1 + 1 < pair[1].0));
        }
    }
}
