//! Edits of whole words, and whether two of them touch or border on each other.

use std::ops::Range;

use crate::diff::compare::changes;
use crate::diff::delta::Delta;
use crate::diff::edit::TextEdit;
use crate::diff::weave::{is_in_number, trim};
use crate::diff::words::{first_word, word_changes_within};
use crate::text::lines;
use crate::text::span::Span;

/// The largest number of comparisons of words in one change, as words of one side times words of the other.
const MAX_WORK: usize = 1 << 24;

/// Returns the words that differ as edits of the old text, which begins at `at`. An insertion or removal of whole
/// lines is one edit. The edits of the inverse are the inverse edits.
pub(super) fn word_edits(old: &str, new: &str, at: usize, left: &mut usize) -> Vec<TextEdit> {
    let edit = |from: Range<usize>, to: Range<usize>| TextEdit {
        at: at + from.start,
        old: old[from].to_owned(),
        new: new[to].to_owned(),
    };
    match old <= new {
        true => differences(old, new, left).into_iter().map(|(from, to)| edit(from, to)).collect(),
        false => differences(new, old, left).into_iter().map(|(to, from)| edit(from, to)).collect(),
    }
}

fn differences(old: &str, new: &str, left: &mut usize) -> Vec<(Range<usize>, Range<usize>)> {
    let mut found = Vec::new();
    for Span { old_bytes, new_bytes, .. } in changes(old, new) {
        let (from, to) = (&old[old_bytes.clone()], &new[new_bytes.clone()]);
        if from.is_empty() || to.is_empty() {
            found.push((old_bytes, new_bytes));
            continue;
        }
        for mut change in word_changes_within(from, to, left) {
            trim(from, to, &mut change);
            let moved = |range: Range<usize>, by: usize| range.start + by..range.end + by;
            found.push((moved(change.old, old_bytes.start), moved(change.new, new_bytes.start)));
        }
    }
    found
}

/// The words that a change replaces, in the text before it, in order.
pub(super) struct Words {
    pub(super) edits: Vec<TextEdit>,
    /// For each edit, the bytes that this edit and those before it add and remove.
    sums: Vec<(usize, usize)>,
}

impl Words {
    pub(super) fn of(change: &Delta) -> Self {
        let mut left = MAX_WORK;
        let words = |edit: &TextEdit| word_edits(&edit.old, &edit.new, edit.at, &mut left);
        Self::from(change.edits().iter().flat_map(words).collect::<Vec<_>>())
    }

    /// Returns the numbers of the edits that touch or border on an edit of the same text.
    pub(super) fn touching(&self, text: &str, own: &TextEdit) -> Range<usize> {
        let range = own.range();
        let first = self.edits.partition_point(|edit| edit.range().end < range.start);
        let last = self.edits.partition_point(|edit| edit.at <= range.end).max(first);
        let (mut above, mut below) = (Line::new(text, own), Line::new(text, own));
        let mut at = range.start;
        let above = self.edits[..first].iter().rev().map_while(|edit| {
            let kept = std::mem::replace(&mut at, edit.at);
            above.next(edit.range().end..kept, edit)
        });
        let mut at = range.end;
        let below = self.edits[last..].iter().map_while(|edit| {
            let kept = std::mem::replace(&mut at, edit.range().end);
            below.next(kept..edit.at, edit)
        });
        let count = |found: &mut dyn Iterator<Item = bool>| {
            found.enumerate().filter(|(_, borders)| *borders).last().map_or(0, |(nth, _)| nth + 1)
        };
        first - count(&mut { above })..last + count(&mut { below })
    }

    /// Returns the numbers of the edits that overlap with an edit of the same text, or insert at the same place.
    pub(super) fn overlapping(&self, own: &TextEdit) -> Range<usize> {
        let own = own.range();
        let first = self.edits.partition_point(|edit| edit.range().end <= own.start && edit.range() != own);
        let last = self.edits.partition_point(|edit| edit.at < own.end || edit.range() == own);
        first..last.max(first)
    }

    /// Returns the offset of a place between the edits after all of them. An insertion at the place is before it.
    pub(super) fn moved(&self, at: usize) -> usize {
        let (added, removed) = self.sums_before(self.edits.partition_point(|edit| edit.range().end <= at));
        at + added - removed
    }

    /// Returns the bytes that the first edits add and remove.
    pub(super) fn sums_before(&self, count: usize) -> (usize, usize) {
        count.checked_sub(1).map_or((0, 0), |last| self.sums[last])
    }
}

impl From<Vec<TextEdit>> for Words {
    fn from(edits: Vec<TextEdit>) -> Self {
        let sums = edits.iter().scan((0, 0), |(added, removed), edit| {
            (*added, *removed) = (*added + edit.new.len(), *removed + edit.old.len());
            Some((*added, *removed))
        });
        Self { sums: sums.collect(), edits }
    }
}

/// A walk over the edits in the line of another edit, away from that one.
struct Line<'t> {
    text: &'t str,
    own_breaks: bool,
    /// Whether an unchanged word was passed.
    has_word: bool,
    is_over: bool,
}

impl<'t> Line<'t> {
    fn new(text: &'t str, own: &TextEdit) -> Self {
        Self { text, own_breaks: breaks(text, own), has_word: false, is_over: false }
    }

    /// Whether the next edit in the line borders on the first one, because no unchanged word is between them or because
    /// one of them joins or splits lines. Returns `None` if the line ends before the edit.
    fn next(&mut self, kept: Range<usize>, edit: &TextEdit) -> Option<bool> {
        let kept = &self.text[kept];
        if self.is_over || kept.contains('\n') {
            return None;
        }
        self.is_over = edit.old.contains('\n');
        self.has_word |= first_word(kept).is_some() && !is_in_number(kept);
        Some(!self.has_word || self.own_breaks || breaks(self.text, edit))
    }
}

/// Whether an edit joins or splits lines.
fn breaks(text: &str, edit: &TextEdit) -> bool {
    (edit.old.contains(['\n', '\r']) || edit.new.contains(['\n', '\r']))
        && lines_of(text, edit) != edit.range()
}

/// Returns the lines that an edit changes, as bytes of the text before it. An insertion or removal of whole lines has exactly
/// these, so the range of an insertion is empty.
pub(crate) fn lines_of(text: &str, edit: &TextEdit) -> Range<usize> {
    let Range { start, end } = edit.range();
    let first = lines::line_start(text, start);
    let is_whole = |part: &str| part.is_empty() || part.ends_with('\n') || end == text.len();
    match first == start && is_whole(&edit.old) && is_whole(&edit.new) {
        true => start..end,
        false => first..lines::line_end(text, end),
    }
}

/// Returns lines of a text after the edits within them.
pub(crate) fn after_within(text: &str, edits: &[TextEdit], lines: Range<usize>) -> String {
    let (mut new, mut done) = (String::new(), lines.start);
    let first = edits.partition_point(|edit| edit.at < lines.start);
    for edit in edits[first..].iter().take_while(|edit| edit.range().end <= lines.end) {
        new += &text[done..edit.at];
        new += &edit.new;
        done = edit.range().end;
    }
    new + &text[done..lines.end]
}
