//! Text edits, and the text that they make.

use std::ops::Range;

use super::error::StructureError;
use super::model::Edited;
use crate::diff::delta::Delta;
use crate::diff::edit::TextEdit;
use crate::text::lines;

impl Edited {
    /// Applies edits in order, which fit the text.
    pub(super) fn of(text: &str, mut edits: Vec<TextEdit>) -> Self {
        for at in 0..edits.len() {
            let next = edits.get(at + 1).map_or(text.len(), |next| next.at);
            to_line_start(text, &mut edits[at], next);
        }
        let delta = Delta::of_edits(edits);
        let text = delta.apply(text).expect("the edits were made for this text");
        Self { text, delta }
    }

    /// Refuses edits without an effect.
    pub(super) fn with_effect(self, before: &str) -> Result<Self, StructureError> {
        if self.text == before { Err(StructureError::NoEffect) } else { Ok(self) }
    }
}

/// Moves an insertion or removal that begins with the terminator of a line to the start of the next line if the result is
/// the same, so that the line above it counts as untouched. The edit must not reach beyond `next`.
fn to_line_start(text: &str, edit: &mut TextEdit, next: usize) {
    let end = edit.range().end;
    let terminator = ["\r\n", "\n"].into_iter().find(|terminator| text[edit.at..].starts_with(terminator));
    let Some(terminator) = terminator else { return };
    let moved = match (edit.old.is_empty(), edit.new.is_empty()) {
        (true, _) => &mut edit.new,
        (_, true) => &mut edit.old,
        (false, false) => return,
    };
    let is_same = moved.starts_with(terminator) && text[end..].starts_with(terminator);
    if is_same && end + terminator.len() <= next {
        moved.drain(..terminator.len());
        moved.push_str(terminator);
        edit.at += terminator.len();
    }
}

/// Replaces a range of a text.
pub(super) fn replace(text: &str, range: Range<usize>, new: impl Into<String>) -> TextEdit {
    TextEdit { at: range.start, old: text[range].to_owned(), new: new.into() }
}

pub(super) fn insert(at: usize, new: impl Into<String>) -> TextEdit {
    TextEdit { at, old: String::new(), new: new.into() }
}

/// Returns the line terminator of the text's first line, or otherwise LF.
pub(super) fn newline(text: &str) -> &'static str {
    if lines::terminator(&text[..lines::line_end(text, 0)]) == "\r\n" { "\r\n" } else { "\n" }
}
