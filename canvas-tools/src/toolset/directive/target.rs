//! The place that an edit names, by offsets or by address, and the edit of the text there.

use std::ops::Range;

use canvas_core::RevisionId;
use canvas_core::document::edit_lines;
use canvas_core::text::{
    Address, AddressError, Column, Delta, LineRange, Part, Resolved, SectionPath, StructureEdit,
    StructureError, TableChange, TablePart, TextEdit, edit_structure,
};

use super::action::Action;
use super::failure::{DirectiveError, DirectiveFault};
use super::range::{CharRange, Fingerprint};

/// The target of an edit, with its assumptions about the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) location: Location,
    pub(crate) fingerprint: Option<Fingerprint>,
    pub(crate) version: Option<RevisionId>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Location {
    Range(CharRange),
    Address(Address),
}

/// A target in a text.
pub(super) struct Located {
    pub(super) bytes: Range<usize>,
    pub(super) chars: CharRange,
    kind: Kind,
}

enum Kind {
    /// A range, which may begin and end anywhere.
    Range,
    /// Lines that an edit replaces, or inserts after.
    Lines(LineRange),
    /// A cell of a table, with the edit that sets it, but for its value.
    Cell { section: Option<SectionPath>, table: usize, row: usize, column: Column },
}

impl Location {
    /// Refuses an action that cannot be done at a place like this in any text.
    pub(super) fn check(&self, action: Action) -> Result<(), DirectiveError> {
        let (place, message) = match (self, action) {
            (Self::Range(range), Action::Insert) if !range.is_empty() => (
                "/target_range",
                "an insertion has start equal to end: pass the place twice, or the action \"replace\"",
            ),
            (Self::Address(address), Action::Insert) if column(address).is_some() => (
                "/target/column",
                "an insertion puts lines after a place: leave the column out, or pass the action \"replace\"",
            ),
            (Self::Address(address), Action::Replace) if matches!(column(address), Some((_, None))) => {
                ("/target/column", "a column alone is its header: pass a row too, or replace the table")
            }
            _ => return Ok(()),
        };
        Err(invalid(DirectiveFault::BadRange, place, message))
    }
}

impl Target {
    /// Finds the target in a text, and checks its fingerprint.
    pub(super) fn locate(
        &self,
        text: &str,
        resolve: impl FnOnce(&Address) -> Result<Resolved, AddressError>,
    ) -> Result<Located, DirectiveError> {
        let located = match &self.location {
            Location::Range(range) => {
                let (start, end) = (range.start(), range.end());
                let bytes =
                    range.bytes(text).map_err(|chars| DirectiveError::OutOfText { start, end, chars })?;
                Located { bytes, chars: *range, kind: Kind::Range }
            }
            Location::Address(address) => {
                let Resolved { lines, bytes, .. } = resolve(address).map_err(DirectiveError::Address)?;
                let kind = match cell(address) {
                    Some(cell) => cell,
                    None if column(address).is_none() && !are_lines(text, &bytes) => {
                        let message = "the place shares its line with another one: pass target_range";
                        return Err(invalid(DirectiveFault::BadRange, "/target", message));
                    }
                    None => Kind::Lines(lines),
                };
                Located { chars: CharRange::of_bytes(text, &bytes), bytes, kind }
            }
        };
        let there = &text[located.bytes.clone()];
        match &self.fingerprint {
            Some(fingerprint) if !fingerprint.fits(there) => {
                Err(DirectiveError::changed_there(fingerprint, there))
            }
            _ => Ok(located),
        }
    }
}

impl Located {
    /// Returns the change that puts content in the place, or after it. It may be empty.
    pub(super) fn edit(&self, text: &str, action: Action, content: &str) -> Result<Delta, DirectiveError> {
        let edit = match (&self.kind, action) {
            (Kind::Cell { section, table, row, column }, _) => {
                let (row, column, value) = (*row, column.clone(), content.to_owned());
                let change = TableChange::Set { row, column, value };
                let edit = StructureEdit::Table { section: section.clone(), table: *table, change };
                return match edit_structure(text, &edit) {
                    Ok(edited) => Ok(edited.delta),
                    Err(StructureError::NoEffect) => Ok(Delta::default()),
                    Err(StructureError::Address(error)) => Err(DirectiveError::Address(error)),
                    Err(error) => Err(invalid(DirectiveFault::BadValue, "/content", &error.to_string())),
                };
            }
            (Kind::Range, _) => {
                let Range { start: at, end } = self.bytes;
                Ok(TextEdit { at, old: text[at..end].into(), new: content.into() })
            }
            (Kind::Lines(lines), Action::Insert) => edit_lines(text, lines.end + 1, lines.end, content),
            (Kind::Lines(lines), _) => edit_lines(text, lines.start, lines.end, content),
        };
        let edit = edit.expect("the address led to lines of this text");
        let edits = if edit.old == edit.new { Vec::new() } else { vec![edit] };
        Ok(Delta::try_from(edits).expect("a single edit that changes something"))
    }
}

/// Returns the column that an address names, with its row.
const fn column(address: &Address) -> Option<(&Column, Option<usize>)> {
    match address {
        Address::Section { part: Some(Part::Table(TablePart { column: Some(column), row, .. })), .. }
        | Address::Part(Part::Table(TablePart { column: Some(column), row, .. })) => Some((column, *row)),
        _ => None,
    }
}

/// Returns the cell that an address names. A column without a row is none.
fn cell(address: &Address) -> Option<Kind> {
    let (section, place) = match address {
        Address::Section { path, ordinal, part: Some(Part::Table(place)) } => {
            (Some(SectionPath { path: path.clone(), ordinal: *ordinal }), place)
        }
        Address::Part(Part::Table(place)) => (None, place),
        _ => return None,
    };
    Some(Kind::Cell { section, table: place.table, row: place.row?, column: place.column.clone()? })
}

/// Whether bytes begin and end where lines do.
fn are_lines(text: &str, bytes: &Range<usize>) -> bool {
    let begins = |at: usize| matches!(&text[..at], "" | "\u{feff}") || text[..at].ends_with('\n');
    begins(bytes.start) && (bytes.end == text.len() || begins(bytes.end))
}

fn invalid(fault: DirectiveFault, place: &str, message: &str) -> DirectiveError {
    DirectiveError::Invalid { fault, place: place.into(), message: message.into() }
}
