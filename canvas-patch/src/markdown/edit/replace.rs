//! Replacement of all matches of a query.

use super::error::{MAX_PLACES, StructureError, ValueFault};
use super::model::Edited;
use crate::diff::delta::Delta;
use crate::diff::edit::TextEdit;
use crate::markdown::address::AddressError;
use crate::text::cursor::LineCursor;
use crate::text::grep::{Query, replacements};
use crate::text::limits::Limits;

/// Replaces all matches if there are `count` of them.
pub(super) fn replace_all(
    text: &str,
    query: &Query,
    with: &str,
    count: usize,
) -> Result<Edited, StructureError> {
    let longest = Limits::default().text_bytes;
    let (mut edits, mut found, mut places, mut bytes) = (Vec::new(), 0, Vec::new(), text.len());
    for (range, new) in replacements(text, query, with).map_err(AddressError::from)? {
        if range.is_empty() {
            return Err(StructureError::Value(ValueFault::Empty));
        }
        found += 1;
        if places.len() < MAX_PLACES {
            places.push(range.start);
        }
        bytes = bytes.saturating_add(new.len());
        if bytes > longest {
            return Err(StructureError::Value(ValueFault::TooLong));
        }
        if found <= count && text[range.clone()] != *new {
            edits.push(TextEdit { at: range.start, old: text[range].to_owned(), new: new.into_owned() });
        }
    }
    if found != count {
        let mut cursor = LineCursor::new(text);
        let lines = places.into_iter().map(|at| cursor.line_at(at)).collect();
        return Err(StructureError::CountDiffers { expected: count, found, lines });
    }
    let delta = Delta::of_edits(edits);
    let after = delta.apply(text).expect("the edits were made for this text");
    Edited { text: after, delta }.with_effect(text)
}
