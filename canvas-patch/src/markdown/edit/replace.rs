//! Replacement of all matches of a query.

use super::error::{MAX_PLACES, StructureError, ValueFault};
use super::model::{Edited, MatchCount};
use crate::diff::delta::Delta;
use crate::diff::edit::TextEdit;
use crate::markdown::address::AddressError;
use crate::text::cursor::LineCursor;
use crate::text::grep::{Query, replacements};
use crate::text::limits::Limits;

/// Replaces all matches if there are `count` of them, or as many lines with one.
pub(super) fn replace_all(
    text: &str,
    query: &Query,
    with: &str,
    count: MatchCount,
) -> Result<Edited, StructureError> {
    let longest = Limits::default().text_bytes;
    let (mut edits, mut found, mut places, mut bytes) = (Vec::new(), 0, Vec::new(), text.len());
    let (expected, by_line) = match count {
        MatchCount::Matches(matches) => (matches, false),
        MatchCount::Lines(lines) => (lines, true),
    };
    // The end of the last match in bytes.
    let mut last = None;
    for (range, new) in replacements(text, query, with).map_err(AddressError::from)? {
        if range.is_empty() {
            return Err(StructureError::Value(ValueFault::Empty));
        }
        let is_on_same_line =
            |last: usize| memchr::memchr(b'\n', &text.as_bytes()[last..range.start]).is_none();
        if !by_line || !last.is_some_and(is_on_same_line) {
            found += 1;
            if places.len() < MAX_PLACES {
                places.push(range.start);
            }
        }
        last = Some(range.end);
        bytes = bytes.saturating_add(new.len());
        if bytes > longest {
            return Err(StructureError::Value(ValueFault::TooLong));
        }
        if found <= expected && text[range.clone()] != *new {
            edits.push(TextEdit { at: range.start, old: text[range].to_owned(), new: new.into_owned() });
        }
    }
    if found != expected {
        let mut cursor = LineCursor::new(text);
        let lines = places.into_iter().map(|at| cursor.line_at(at)).collect();
        return Err(StructureError::CountDiffers { expected: count, found, lines });
    }
    let delta = Delta::of_edits(edits);
    let after = delta.apply(text).expect("the edits were made for this text");
    Edited { text: after, delta }.with_effect(text)
}
