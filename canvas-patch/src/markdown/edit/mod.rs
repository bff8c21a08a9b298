//! Edits of the structure of a text, which need no retyping.
//!
//! * An edit becomes text edits of the addressed bytes and the blank lines around them. Line ends, indentation, padding
//!   of tables and list markers follow the neighbours.
//! * The new text is read again. Unless every other heading, item, fence, footnote and table is the same as before, and the
//!   addressed one is as requested, the edit is refused.
//! * A section, item, fence or table that moves takes one gap of blank lines along, on the side from which it came. So the
//!   opposite move restores every byte.
//!
//! `moves` moves and deletes the lines that `relocate` computes, `heading`, `table`, `item`, `key` and `replace` make the
//! other edits, and `check` compares the structure of both texts.

mod check;
mod error;
mod heading;
mod item;
#[cfg(feature = "serde")]
mod json;
mod key;
mod marker;
mod model;
mod moves;
mod relocate;
mod replace;
mod table;
mod writing;

pub use error::{StructureError, ValueFault};
pub use model::{Destination, Edited, ItemChange, MatchCount, SectionPath, StructureEdit, TableChange};

use crate::markdown::outline::LiveOutline;

/// Makes an edit of the structure of a text. Takes linear time, in which the text is parsed twice or, for ordered lists and
/// renames with links, a few times more. [`StructureEdit::ReplaceAll`] takes the time of [`grep`](crate::grep()).
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
    /// Makes an edit of the structure of the text, like [`edit_structure`], but uses the existing outline. The outline itself
    /// does not change. It is copied, so that the copy can follow the edit and be compared.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`edit_structure`].
    pub fn edit_structure(&self, edit: &StructureEdit) -> Result<Edited, StructureError> {
        match edit {
            StructureEdit::Move { from, to, shift } => moves::move_lines(self, from, to, *shift),
            StructureEdit::Delete { at } => moves::delete(self, at),
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
