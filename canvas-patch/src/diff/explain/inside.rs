//! Finds the part of a document that a text nearly matches, and the first difference.

use memchr::memmem;

use crate::diff::mismatch::Mismatch;
use crate::text::boundary::floor_char_boundary;
use crate::text::lines::content;

/// Minimum bytes that the sought text must share with the document, or a third of its length if that is more.
const SHARED: usize = 12;

/// Bytes by which the lengths of two versions of one word may differ.
const SLACK: usize = 4;

/// Finds the difference between `wanted` and the part of `text` that it nearly matches.
///
/// Returns the line of the difference in `text`, counted from 1, and the mismatch. The longest beginning or end of
/// `wanted` that occurs in `text` determines the part, which need not be a whole line. Returns `None` if neither is
/// long enough to be meaningful.
///
/// The number of searches in `text` is proportional to the binary logarithm of the length of `wanted`.
///
/// ```
/// let text = "# Notes\n\nThe quick brown fox jumps over the lazy dog, twice a day.\n";
/// let (line, mismatch) = canvas_patch::near_miss(text, "brown fox jumps ower the lazy dog").unwrap();
/// assert_eq!((line, mismatch.column), (3, 28));
/// assert_eq!(canvas_patch::near_miss(text, "quantum banana"), None);
/// ```
pub fn near_miss(text: &str, wanted: &str) -> Option<(usize, Mismatch)> {
    let (head, tail) = (beginning(text, wanted), end(text, wanted));
    let shared = |found: &Option<(usize, usize)>| found.map_or(0, |(_, bytes)| bytes);
    if shared(&head).max(shared(&tail)) < SHARED.max(wanted.len() / 3) {
        return None;
    }
    // The positions of the difference in the document and in `wanted`.
    let (at, within) = if shared(&head) >= shared(&tail) {
        let (place, bytes) = head?;
        (place + bytes, bytes)
    } else {
        let (place, bytes) = tail?;
        let before = wanted.len() - bytes;
        // The text before it in its line may have begun a few bytes earlier or later.
        let (own, line) = (line_start(text, place), line_start(wanted, before));
        let near = place.saturating_sub(before - line);
        let starts = (near.saturating_sub(SLACK)..=near + SLACK).chain([own]);
        let starts = starts.filter(|&start| (own..=place).contains(&start) && text.is_char_boundary(start));
        let same = |start: &usize| common(&text[*start..place], &wanted[line..before]);
        let from = starts.max_by_key(|start| (same(start), std::cmp::Reverse(near.abs_diff(*start))))?;
        (from + same(&from), line + same(&from))
    };
    let number = text[..at].matches('\n').count() + 1;
    let (own, other) = (line_start(text, at), line_start(wanted, within));
    // Both are shown from the same number of bytes before the difference.
    let before = (at - own).min(within - other);
    let (from, wanted_from) = (at - before, within - before);
    let mut mismatch = Mismatch::new(first_line(&wanted[wanted_from..]), Some(first_line(&text[from..])));
    mismatch.column += text[own..from].chars().count();
    Some((number, mismatch))
}

/// Returns the position of the longest beginning that occurs, and its length in bytes.
fn beginning(text: &str, wanted: &str) -> Option<(usize, usize)> {
    longest(wanted, |bytes| {
        let bytes = floor_char_boundary(wanted, bytes);
        Some((memmem::find(text.as_bytes(), &wanted.as_bytes()[..bytes])?, bytes))
    })
}

/// Returns the position of the longest end that occurs, and its length in bytes.
fn end(text: &str, wanted: &str) -> Option<(usize, usize)> {
    longest(wanted, |bytes| {
        let start = floor_char_boundary(wanted, wanted.len() - bytes);
        Some((memmem::find(text.as_bytes(), &wanted.as_bytes()[start..])?, wanted.len() - start))
    })
}

/// Returns the result of `find` for the greatest length at which it succeeds. A binary search suffices, because if a
/// text occurs, its shorter cuts occur too.
fn longest(wanted: &str, find: impl Fn(usize) -> Option<(usize, usize)>) -> Option<(usize, usize)> {
    let (mut best, mut low, mut high) = (None, SHARED, wanted.len());
    while low <= high {
        let middle = low + (high - low) / 2;
        match find(middle) {
            Some(found) => (best, low) = (Some(found), middle + 1),
            None => high = middle - 1,
        }
    }
    best
}

fn common(one: &str, other: &str) -> usize {
    let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    floor_char_boundary(one, same)
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

fn first_line(text: &str) -> &str {
    content(text.split_inclusive('\n').next().unwrap_or_default())
}
