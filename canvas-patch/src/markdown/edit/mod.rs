//! Edits of the structure of a text, which need no retyping: move, rename, set and check.
//!
//! * An edit becomes text edits of the addressed bytes and the blank lines around them. Line ends, indentation, padding
//!   of tables and list markers follow the neighbours.
//! * The new text is read again. Unless every other heading, item, fence, quote, footnote and table is the same as before,
//!   and the addressed one is as requested, the edit is refused.
//! * A section, item, fence or table that moves takes one gap of blank lines along, on the side from which it came. So the
//!   opposite move restores every byte.
//!
//! `relocate` moves and deletes lines, `heading`, `anchor`, `table`, `item`, `key` and `replace` make the other edits, and
//! `check` compares the structure of both texts.

mod anchor;
mod check;
mod error;
mod heading;
mod item;
#[cfg(feature = "serde")]
mod json;
mod key;
mod model;
mod relocate;
mod replace;
mod table;

pub use error::{StructureError, ValueFault};
pub use model::{Destination, Edited, ItemChange, SectionPath, StructureEdit, TableChange};

use std::ops::Range;

use crate::diff::delta::Delta;
use crate::diff::edit::TextEdit;
use crate::markdown::outline::LiveOutline;
use crate::text::lines;

/// Makes an edit of the structure of a text. Takes linear time.
///
/// If you edit a text more than once, keep a [`LiveOutline`] and use its method of the same name, which does not read
/// the whole text again.
///
/// ```
/// use canvas_patch::{Address, Destination, SectionPath, StructureEdit, edit_structure};
///
/// let text = "# Plan\n\n## Later\n\nRest.\n\n## Now\n\nWork.\n";
/// let section = |title: &str| Address::Section { path: vec![title.into()], ordinal: None, part: None };
/// let edit = StructureEdit::Move { from: section("Now"), to: Destination::Before(section("Later")), shift: None };
/// let edited = edit_structure(text, &edit)?;
/// assert_eq!(edited.text, "# Plan\n\n## Now\n\nWork.\n\n## Later\n\nRest.\n");
/// assert_eq!(edited.delta.inverse().apply(&edited.text)?, text);
///
/// let section = SectionPath { path: vec!["Plan".into()], ordinal: None };
/// let edit = StructureEdit::Rename { section, title: "The *plan*".into(), links: false };
/// assert!(edit_structure(text, &edit)?.text.starts_with("# The *plan*\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// If an address does not resolve, if the edit has no effect, if a value does not fit at its place, or if the edit would
/// change how other parts of the text read. The text is then unchanged.
pub fn edit_structure(text: &str, edit: &StructureEdit) -> Result<Edited, StructureError> {
    match edit {
        StructureEdit::FrontMatter { key, value } => {
            Ok(Edited::of(text, vec![key::set_key(text, key, value.as_ref())?]))
        }
        StructureEdit::ReplaceAll { query, with, count } => replace::replace_all(text, query, with, *count),
        _ => LiveOutline::new(text.to_owned()).edit_structure(edit),
    }
}

impl LiveOutline {
    /// Makes an edit of the structure of the text, and leaves the outline as it is. Like [`edit_structure`], but uses the
    /// existing outline.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`edit_structure`].
    pub fn edit_structure(&self, edit: &StructureEdit) -> Result<Edited, StructureError> {
        match edit {
            StructureEdit::Move { from, to, shift } => relocate::move_lines(self, from, to, *shift),
            StructureEdit::Delete { at } => relocate::delete(self, at),
            StructureEdit::Shift { section, by } => heading::shift(self, section, *by),
            StructureEdit::Rename { section, title, links } => heading::rename(self, section, title, *links),
            StructureEdit::Table { section, table, change } => {
                table::change(self, section.as_ref(), *table, change)
            }
            StructureEdit::Item { section, item, change } => {
                item::change(self, section.as_ref(), item, change)
            }
            StructureEdit::Renumber { section, list } => item::renumber(self, section.as_ref(), *list),
            StructureEdit::FrontMatter { .. } | StructureEdit::ReplaceAll { .. } => {
                edit_structure(self.text(), edit)
            }
        }
    }
}

impl Edited {
    /// Applies edits in order, which fit the text.
    fn of(text: &str, edits: Vec<TextEdit>) -> Self {
        let delta = Delta::of_edits(edits);
        let text = delta.apply(text).expect("the edits were made for this text");
        Self { text, delta }
    }

    /// Refuses edits that leave the text as it is.
    fn with_effect(self, before: &str) -> Result<Self, StructureError> {
        if self.text == before { Err(StructureError::NoEffect) } else { Ok(self) }
    }
}

/// Replaces a range of a text.
fn replace(text: &str, range: Range<usize>, new: impl Into<String>) -> TextEdit {
    TextEdit { at: range.start, old: text[range].to_owned(), new: new.into() }
}

fn insert(at: usize, new: impl Into<String>) -> TextEdit {
    TextEdit { at, old: String::new(), new: new.into() }
}

/// Returns the line terminator of the text's first line, or LF if it has none.
fn newline(text: &str) -> &'static str {
    if lines::terminator(&text[..lines::line_end(text, 0)]) == "\r\n" { "\r\n" } else { "\n" }
}
