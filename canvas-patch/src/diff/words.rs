//! Compares changed lines word by word.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};

use crate::diff::compare::{changes as line_changes, same_end, same_start};
use crate::text::boundary::{ceil_char_boundary, floor_char_boundary};

/// A run of words that differ, as byte ranges of the old and of the new text. One range may be empty, and all ends are
/// char boundaries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordChange {
    /// Byte range in the old text, empty if words are only inserted.
    pub old: Range<usize>,
    /// Byte range in the new text, empty if words are only removed.
    pub new: Range<usize>,
}

/// The largest number of comparisons over all ranges, as words of one side times words of the other.
const MAX_WORK: usize = 1 << 26;

/// Returns the words that differ between two texts, in order. Outside of them, both texts are equal.
///
/// This is meant for the two sides of a [`Span`](crate::Span). A word is a run of letters and digits, a run of white
/// space, or any other single character. Two changes with only white space between them become one, unless the white
/// space has a line break.
///
/// Time is linear, and the search for words adds at most 2^26 steps. The steps are the words of one side times the
/// words of the other, so 8,192 words on each side are possible (about 4,000 words of prose, because white space
/// counts). If the part between the shared ends needs more steps, lines are compared first. A changed range of lines
/// for which too few steps are left then counts as one change.
///
/// ```
/// use canvas_patch::word_changes;
///
/// let (old, new) = ("- buy milk, today\n", "- buy oat milk, tomorrow\n");
/// let changed: Vec<_> =
///     word_changes(old, new).into_iter().map(|change| (&old[change.old], &new[change.new])).collect();
/// assert_eq!(changed, [("", "oat "), ("today", "tomorrow")]);
/// ```
pub fn word_changes(old: &str, new: &str) -> Vec<WordChange> {
    word_changes_within(old, new, &mut { MAX_WORK })
}

/// Works like [`word_changes`], with `left` steps in place of 2^26, and subtracts the steps.
pub(crate) fn word_changes_within(old: &str, new: &str, left: &mut usize) -> Vec<WordChange> {
    let Some(all) = without_ends(old, new, 0..old.len(), 0..new.len()) else { return Vec::new() };
    let mut changes = Vec::new();
    if let Some(rest) = left.checked_sub(all.work(old, new)) {
        *left = rest;
        all.search(old, new, &mut changes);
        return changes;
    }
    for span in line_changes(old, new) {
        let Some(lines) = without_ends(old, new, span.old_bytes, span.new_bytes) else { continue };
        match left.checked_sub(lines.work(old, new)) {
            Some(rest) => {
                *left = rest;
                lines.search(old, new, &mut changes);
            }
            None => changes.push(lines),
        }
    }
    changes
}

/// Returns the difference within two ranges, without the words that both begin or end with. Returns `None` if the
/// ranges have equal text.
fn without_ends(old: &str, new: &str, in_old: Range<usize>, in_new: Range<usize>) -> Option<WordChange> {
    let (old, new) = (&old[in_old.clone()], &new[in_new.clone()]);
    let start = shared_start(old, new);
    let end = shared_end(&old[start..], &new[start..]);
    let change = WordChange {
        old: in_old.start + start..in_old.end - end,
        new: in_new.start + start..in_new.end - end,
    };
    (!change.old.is_empty() || !change.new.is_empty()).then_some(change)
}

impl WordChange {
    /// Returns the number of steps that [`search`](Self::search) takes at worst.
    fn work(&self, old: &str, new: &str) -> usize {
        let words = |rest| Words { rest }.count();
        words(&old[self.old.clone()]).saturating_mul(words(&new[self.new.clone()]))
    }

    /// Appends the words that differ within this change to `changes`.
    fn search(self, old: &str, new: &str, changes: &mut Vec<Self>) {
        let is_word = |text| Words { rest: text }.nth(1).is_none();
        let is_one = is_word(&old[self.old.clone()]) && is_word(&new[self.new.clone()]);
        if is_one || self.old.is_empty() || self.new.is_empty() {
            changes.push(self);
            return;
        }
        let mut input = InternedInput::default();
        input.update_before(Words { rest: &old[self.old.clone()] });
        input.update_after(Words { rest: &new[self.new.clone()] });
        let mut diff = Diff::compute(Algorithm::Myers, &input);
        diff.postprocess_no_heuristic(&input);
        let ends = |start: usize, tokens: &[imara_diff::Token]| {
            let ends = tokens.iter().scan(start, |at, &word| {
                *at += input.interner[word].len();
                Some(*at)
            });
            std::iter::once(start).chain(ends).collect::<Vec<_>>()
        };
        let (old_ends, new_ends) = (ends(self.old.start, &input.before), ends(self.new.start, &input.after));
        let first = changes.len();
        for hunk in diff.hunks() {
            let bytes =
                |ends: &[usize], words: Range<u32>| ends[words.start as usize]..ends[words.end as usize];
            let change = Self { old: bytes(&old_ends, hunk.before), new: bytes(&new_ends, hunk.after) };
            match changes[first..].last_mut() {
                Some(last) if is_gap(&old[last.old.end..change.old.start]) => {
                    (last.old.end, last.new.end) = (change.old.end, change.new.end);
                }
                _ => changes.push(change),
            }
        }
    }
}

/// Whether the text between two changes is white space that joins them into one.
fn is_gap(between: &str) -> bool {
    between.chars().all(|c| c.is_whitespace() && c != '\n')
}

/// Returns the offset of the first letter or digit.
pub(crate) fn first_word(text: &str) -> Option<usize> {
    text.find(|c| Class::of(c) == Class::Word)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Word,
    Space,
    Other,
}

impl Class {
    fn of(c: char) -> Self {
        match c {
            _ if c.is_alphanumeric() => Self::Word,
            _ if c.is_whitespace() => Self::Space,
            _ => Self::Other,
        }
    }

    /// Whether adjacent characters of these two classes belong to one word.
    fn joins(self, other: Self) -> bool {
        self == other && self != Self::Other
    }
}

/// The words of a text, in order and without gaps.
struct Words<'t> {
    rest: &'t str,
}

impl<'t> Iterator for Words<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let first = Class::of(self.rest.chars().next()?);
        let ends = |&(at, c): &(usize, char)| at > 0 && !first.joins(Class::of(c));
        let end = self.rest.char_indices().find(ends).map_or(self.rest.len(), |(at, _)| at);
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(word)
    }
}

/// Whether no word crosses `at`, which is a char boundary.
fn is_word_end(text: &str, at: usize) -> bool {
    match (text[..at].chars().next_back(), text[at..].chars().next()) {
        (Some(before), Some(after)) => !Class::of(before).joins(Class::of(after)),
        _ => true,
    }
}

/// Returns the number of bytes of the whole words that both texts begin with.
fn shared_start(old: &str, new: &str) -> usize {
    let same = floor_char_boundary(old, same_start(old.as_bytes(), new.as_bytes()));
    let ends = |&at: &usize| is_word_end(old, at) && is_word_end(new, at);
    std::iter::once(same).chain(old[..same].char_indices().rev().map(|(at, _)| at)).find(ends).unwrap_or(0)
}

/// Returns the number of bytes of the whole words that both texts end with.
fn shared_end(old: &str, new: &str) -> usize {
    let at = ceil_char_boundary(old, old.len() - same_end(old.as_bytes(), new.as_bytes()));
    let new_at = |at: usize| new.len() - (old.len() - at);
    let start = old[at..]
        .char_indices()
        .map(|(i, _)| at + i)
        .find(|&at| is_word_end(old, at) && is_word_end(new, new_at(at)));
    start.map_or(0, |at| old.len() - at)
}
