//! Replacement of all matches of a query.

use super::error::{MAX_PLACES, StructureError, ValueFault};
use super::model::Edited;
use crate::diff::delta::Delta;
use crate::diff::edit::TextEdit;
use crate::text::cursor::LineCursor;
use crate::text::grep::{Query, replacements};

/// Replaces all matches if there are `count` of them.
pub(super) fn replace_all(
    text: &str,
    query: &Query,
    with: &str,
    count: usize,
) -> Result<Edited, StructureError> {
    let (mut edits, mut found, mut places) = (Vec::new(), 0, Vec::new());
    for (range, new) in
        replacements(text, query, with).map_err(crate::markdown::address::AddressError::from)?
    {
        if range.is_empty() {
            return Err(StructureError::Value(ValueFault::Empty));
        }
        found += 1;
        if places.len() < MAX_PLACES {
            places.push(range.start);
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
