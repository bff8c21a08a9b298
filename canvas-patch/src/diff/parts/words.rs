//! Edits of whole words, and whether two of them touch or border on each other.

use std::ops::Range;

use crate::diff::compare::changes;
use crate::diff::delta::Delta;
use crate::diff::edit::TextEdit;
use crate::diff::weave::trim;
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

/// The words that a change replaces, in the text before it.
pub(super) struct Words {
    pub(super) edits: Vec<TextEdit>,
}

impl Words {
    pub(super) fn of(change: &Delta) -> Self {
        let mut left = MAX_WORK;
        let words = |edit: &TextEdit| word_edits(&edit.old, &edit.new, edit.at, &mut left);
        Self { edits: change.edits().iter().flat_map(words).collect() }
    }

    /// Returns the numbers of the edits that touch or border on an edit of the same text.
    pub(super) fn touching(&self, text: &str, own: &TextEdit) -> Range<usize> {
        let range = own.range();
        let mut first = self.edits.partition_point(|edit| edit.range().end < range.start);
        let mut last = self.edits.partition_point(|edit| edit.at <= range.end);
        if let Some(before) = first.checked_sub(1).map(|index| &self.edits[index])
            && borders(text, before, own)
        {
            first -= 1;
        }
        if let Some(after) = self.edits.get(last)
            && borders(text, own, after)
        {
            last += 1;
        }
        first..last.max(first)
    }
}

/// Whether two edits with text between them border on each other, because they are in one line without an unchanged word
/// between them, or because one of them joins or splits lines.
fn borders(text: &str, earlier: &TextEdit, later: &TextEdit) -> bool {
    let kept = &text[earlier.range().end..later.at];
    let line = &kept[..kept.find('\n').map_or(kept.len(), |at| at + 1)];
    let breaks = |edit: &TextEdit| {
        lines_of(text, edit) != edit.range()
            && (edit.old.contains(['\n', '\r']) || edit.new.contains(['\n', '\r']))
    };
    !line.ends_with('\n') && (first_word(line).is_none() || breaks(earlier) || breaks(later))
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
    for edit in edits.iter().filter(|edit| edit.at >= lines.start && edit.range().end <= lines.end) {
        new += &text[done..edit.at];
        new += &edit.new;
        done = edit.range().end;
    }
    new + &text[done..lines.end]
}
