//! The place that an edit names, by offsets or by address, and the edit of the text there.

use std::ops::Range;

use canvas_core::RevisionId;
use canvas_core::document::edit_lines;
use canvas_core::text::{Address, AddressError, LineRange, Part, Resolved, TablePart, TextEdit};

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
    /// The lines that an edit replaces, or inserts after. `None` for a range or a cell, which may begin and end anywhere.
    lines: Option<LineRange>,
}

impl Location {
    /// Refuses an action that cannot be done at a place like this in any text.
    pub(super) fn check(&self, action: Action, content: &str) -> Result<(), DirectiveError> {
        let is_cell = matches!(self, Self::Address(address) if is_cell(address));
        let (fault, place, message) = match (self, action) {
            (Self::Range(range), Action::Insert) if !range.is_empty() => (
                DirectiveFault::BadRange,
                "/target_range",
                "an insertion has start equal to end: pass the place twice, or the action \"replace\"",
            ),
            (_, Action::Insert) if is_cell => (
                DirectiveFault::BadRange,
                "/target/column",
                "an insertion puts lines after a place: leave the column out, or pass the action \"replace\"",
            ),
            (_, Action::Replace) if is_cell && !fits_cell(content) => (
                DirectiveFault::BadValue,
                "/content",
                "a cell is a part of one line: pass content without line ends, and escape each | as \\|",
            ),
            _ => return Ok(()),
        };
        Err(DirectiveError::Invalid { fault, place: place.into(), message: message.into() })
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
                Located { bytes, chars: *range, lines: None }
            }
            Location::Address(address) => {
                let Resolved { lines, bytes, .. } = resolve(address).map_err(DirectiveError::Address)?;
                let (chars, lines) =
                    (CharRange::of_bytes(text, &bytes), (!is_cell(address)).then_some(lines));
                Located { bytes, chars, lines }
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
    /// Returns the edit that puts content in the place, or after it. The edit may change nothing.
    pub(super) fn edit(&self, text: &str, action: Action, content: &str) -> TextEdit {
        let edit = match (self.lines, action) {
            (None, _) => {
                let Range { start: at, end } = self.bytes;
                return TextEdit { at, old: text[at..end].into(), new: content.into() };
            }
            (Some(lines), Action::Insert) => edit_lines(text, lines.end + 1, lines.end, content),
            (Some(lines), _) => edit_lines(text, lines.start, lines.end, content),
        };
        edit.expect("the address led to lines of this text")
    }
}

/// Whether an address names a part of a line.
const fn is_cell(address: &Address) -> bool {
    matches!(
        address,
        Address::Section { part: Some(Part::Table(TablePart { column: Some(_), .. })), .. }
            | Address::Part(Part::Table(TablePart { column: Some(_), .. }))
    )
}

/// Whether content stays within one cell of a table.
fn fits_cell(content: &str) -> bool {
    let mut is_escaped = false;
    let ends_cell = content.bytes().any(|byte| {
        let ends_cell = matches!(byte, b'\n' | b'\r') || (byte == b'|' && !is_escaped);
        is_escaped = byte == b'\\' && !is_escaped;
        ends_cell
    });
    !ends_cell && !is_escaped
}
