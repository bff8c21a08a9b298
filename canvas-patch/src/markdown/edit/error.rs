//! Errors of refused edits.

use std::error::Error;
use std::fmt;

use super::model::MatchCount;
use crate::markdown::address::AddressError;
use crate::markdown::front_matter::KeyError;
use crate::markdown::structure::EditPolicyError;

/// Maximum number of places listed in an error.
pub(super) const MAX_PLACES: usize = 20;

/// Error returned when a [`StructureEdit`](crate::StructureEdit) is not made. The text is unchanged. Lines count from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum StructureError {
    /// An address does not lead to a place in the text.
    Address(AddressError),
    /// The text already reads as the edit would leave it.
    NoEffect,
    /// The destination is inside of the text to be moved.
    MoveIntoItself {
        /// First line of the text to be moved.
        line: usize,
    },
    /// A heading would get a level outside of 1 to 6.
    LevelOutOfRange {
        /// Line number of the heading.
        line: usize,
        /// Level after the edit.
        level: i16,
    },
    /// A value does not fit at its place.
    Value(ValueFault),
    /// The table has rows that the edit would change beyond its cells.
    TableShape {
        /// The line of the first such row.
        line: usize,
    },
    /// The text has another number of matches than the edit expects.
    CountDiffers {
        /// Number of matches, or of lines with a match, in the request.
        expected: MatchCount,
        /// The same number in the text.
        found: usize,
        /// The lines of the first matches, at most 20.
        lines: Vec<usize>,
    },
    /// The edit would change the meaning of lines that it does not address.
    Spilled(EditPolicyError),
}

/// A reason why a value is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum ValueFault {
    /// A title that is empty, has several lines, or does not read as a title.
    Title,
    /// A cell that has several lines or would change the table around it.
    Cell,
    /// More cells than the table has columns, or than it has rows.
    Cells,
    /// A key that is empty, has several lines, or has an empty name between two dots.
    Key,
    /// A number that is not finite, a list inside of a list, or a value that YAML would read differently.
    Yaml,
    /// The text of a list item that is empty or would end the list.
    Item,
    /// A list item without a task box.
    Task,
    /// Lines of a list item that are indented with tabs, whose width depends on their place.
    Tab,
    /// Text that begins on the same line as the list item or footnote around it.
    SharedLine,
    /// A destination other than a section, or in another quote or list item than the moved text.
    Destination,
    /// An expression that matches the empty text.
    Empty,
    /// Replacements that would make the text longer than 64 MiB.
    TooLong,
}

impl ValueFault {
    fn advice(self) -> &'static str {
        match self {
            Self::Title => {
                "the title is not read back as one heading; give one line of Markdown, and escape a # at its end"
            }
            Self::Cell => {
                "the cell is not read back as written; give one line of Markdown that fits into a table"
            }
            Self::Cells => "there are more cells than the table has places for; give at most as many",
            Self::Key => "this is not the name of a key; give a name, or names joined by single dots",
            Self::Yaml => {
                "the value is not read back as written; give a text, number, boolean, null, or a list of these"
            }
            Self::Item => "the text is not read back as one list item; indent its further lines",
            Self::Task => "the list item is not a task; give one whose text begins with [ ] or [x]",
            Self::Tab => {
                "the list item is indented with tabs, so that its lines cannot be moved; change it by a patch"
            }
            Self::SharedLine => {
                "the text begins on the line of the list item or footnote around it; address that one, or change the line by a patch"
            }
            Self::Destination => {
                "the text cannot move there; give `into` a section, and stay within the same quote or list item"
            }
            Self::TooLong => {
                "the text would become longer than 64 MiB; replace fewer places, or by a shorter text"
            }
            Self::Empty => {
                "the expression matches the empty text; give one that matches at least one character"
            }
        }
    }
}

impl fmt::Display for StructureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(error) => error.fmt(f),
            Self::NoEffect => f.write_str("the document already reads like this; leave the edit out"),
            Self::MoveIntoItself { line } => {
                write!(
                    f,
                    "the destination is inside of the text from line {line} on, which is to be moved; give a place outside of it"
                )
            }
            Self::LevelOutOfRange { line, level } => write!(
                f,
                "the heading at line {line} would get level {level}; shift by less, so that all levels stay within 1 to 6"
            ),
            Self::Value(fault) => f.write_str(fault.advice()),
            Self::TableShape { line } => write!(
                f,
                "the row at line {line} has more cells than the table has columns, or the table has a single column; \
                 correct the row first, or delete the table"
            ),
            Self::CountDiffers { expected, found, .. } => {
                let (unit, expected) = match expected {
                    MatchCount::Matches(matches) => ("matches", matches),
                    MatchCount::Lines(lines) => ("lines with a match", lines),
                };
                write!(
                    f,
                    "there are {found} {unit}, not {expected}; look at the places, and send the count of the ones that you mean"
                )
            }
            Self::Spilled(error) => error.fmt(f),
        }
    }
}

// The messages of addresses and policies are their own, so they are not repeated as sources.
impl Error for StructureError {}

impl From<AddressError> for StructureError {
    fn from(error: AddressError) -> Self {
        Self::Address(error)
    }
}

impl From<KeyError> for StructureError {
    fn from(error: KeyError) -> Self {
        Self::Address(error.into())
    }
}

impl From<EditPolicyError> for StructureError {
    fn from(error: EditPolicyError) -> Self {
        Self::Spilled(error)
    }
}

impl StructureError {
    /// Returns the lines of the old text that the refusal is about, at most 20.
    pub fn places(&self) -> Vec<usize> {
        match self {
            Self::CountDiffers { lines, .. } => lines.clone(),
            Self::MoveIntoItself { line }
            | Self::LevelOutOfRange { line, .. }
            | Self::TableShape { line }
            | Self::Spilled(
                EditPolicyError::Protected { line, .. } | EditPolicyError::OutOfScope { line, .. },
            ) => {
                vec![*line]
            }
            Self::Address(_) | Self::NoEffect | Self::Value(_) | Self::Spilled(_) => Vec::new(),
        }
    }

    /// Returns the stable error code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Address(error) => error.code(),
            Self::NoEffect => "NO_EFFECT",
            Self::MoveIntoItself { .. } => "MOVE_INTO_ITSELF",
            Self::LevelOutOfRange { .. } => "LEVEL_OUT_OF_RANGE",
            Self::Value(_) => "VALUE_INVALID",
            Self::TableShape { .. } => "TABLE_SHAPE",
            Self::CountDiffers { .. } => "COUNT_DIFFERS",
            Self::Spilled(error) => error.code(),
        }
    }
}
