//! The errors with which an edit policy refuses an edit.

use std::error::Error;
use std::fmt;

use crate::markdown::address::AddressError;
use crate::markdown::outline::LineRange;

/// Error returned when a policy refuses an edit. Lines count from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum EditPolicyError {
    /// The scope is not in the old text.
    Scope(AddressError),
    /// The edit changes a line outside of its scope.
    OutOfScope {
        /// The line of the old text; for an insertion, the line above it.
        line: usize,
        /// Range of lines that the edit may change.
        scope: LineRange,
    },
    /// The edit changes, moves or adds to a protected place.
    Protected {
        /// The first such line of the old text.
        line: usize,
        /// The lines of the protected place.
        place: LineRange,
    },
    /// A code fence that is new or was closed before is now unclosed.
    UnclosedFence {
        /// Line number in the text after the edit.
        line: usize,
    },
    /// Some lines, only part of which the edit touches, became an underlined heading.
    UnintendedHeading {
        /// The first line of the heading in the new text.
        line: usize,
        /// Title of the new heading.
        title: String,
    },
    /// Lines that the edit does not touch became front matter, or are no longer front matter.
    FrontMatter {
        /// Whether there is front matter now.
        made: bool,
    },
    /// A line that the edit does not touch became, or is no longer, a heading of its level, a list item or the start of
    /// a code fence.
    SideEffect {
        /// Line number in the text after the edit.
        line: usize,
        /// Whether the line has this meaning now and did not have it before.
        is_now: bool,
    },
}

impl fmt::Display for EditPolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scope(error) => write!(f, "the scope of the edit: {error}"),
            Self::OutOfScope { line, scope } => write!(
                f,
                "the edit changes line {line} of the document, outside of lines {} to {}; \
                 change only these, or give a wider scope",
                scope.start, scope.end
            ),
            Self::Protected { line, place } => write!(
                f,
                "line {line} of the document is in lines {} to {}, which are protected; leave them as they are, \
                 or ask the user to change them",
                place.start, place.end
            ),
            Self::UnclosedFence { line } => write!(
                f,
                "the code fence at line {line} of the new text is never closed; write its closing line too"
            ),
            Self::UnintendedHeading { line, title } => write!(
                f,
                "the text at line {line} of the new text has become the heading {title:?} by the line below it; \
                 put a blank line before that line, or write the heading with #"
            ),
            Self::FrontMatter { made } => write!(
                f,
                "{} at the start of the document; leave its --- lines as they are, or change both",
                if *made {
                    "lines outside of the edit have become front matter"
                } else {
                    "there is no front matter any more"
                }
            ),
            Self::SideEffect { line, is_now } => write!(
                f,
                "line {line} of the new text is not in the edit, but the edit makes it {}; \
                 look for a fence, comment, indentation or blank line that reaches further than intended",
                if *is_now {
                    "a heading, list item or fence that it was not"
                } else {
                    "lose its meaning as heading, list item or fence"
                }
            ),
        }
    }
}

impl Error for EditPolicyError {}

impl From<AddressError> for EditPolicyError {
    fn from(error: AddressError) -> Self {
        Self::Scope(error)
    }
}

impl EditPolicyError {
    /// Returns the stable error code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Scope(error) => error.code(),
            Self::OutOfScope { .. } => "OUT_OF_SCOPE",
            Self::Protected { .. } => "PROTECTED",
            Self::UnclosedFence { .. } => "UNCLOSED_FENCE",
            Self::UnintendedHeading { .. } => "ACCIDENTAL_HEADING",
            Self::FrontMatter { .. } => "FRONT_MATTER_CHANGED",
            Self::SideEffect { .. } => "STRUCTURE_SPILLED",
        }
    }
}
