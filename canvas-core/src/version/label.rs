//! Labels of versions.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::model::actor::is_unsafe;
use crate::model::error::CodedError;
use crate::model::id::stored_as_text;

/// The label of a [`NamedVersion`](super::NamedVersion), unique on its canvas.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(with = "String"))]
#[serde(try_from = "String", into = "String")]
pub struct VersionLabel(Arc<str>);

impl VersionLabel {
    /// Maximum length of a label in bytes.
    pub const MAX_BYTES: usize = 128;

    /// Creates a label of 1 to [`VersionLabel::MAX_BYTES`] bytes. Markup is kept, so escape the label when you show it.
    ///
    /// ```
    /// use canvas_core::version::VersionLabel;
    ///
    /// assert!(VersionLabel::new("sent to <the board>").is_ok());
    /// assert!(VersionLabel::new("two\nlines").is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// Returns a [`VersionLabelError`] if the label is empty or too long, or if it contains a control character or a
    /// character that changes the direction of text.
    pub fn new(label: &str) -> Result<Self, VersionLabelError> {
        if !(1..=Self::MAX_BYTES).contains(&label.len()) {
            return Err(VersionLabelError::Length { bytes: label.len() });
        }
        match label.char_indices().find(|(_, character)| is_unsafe(*character)) {
            Some((at, character)) => Err(VersionLabelError::Character { at, character }),
            None => Ok(Self(label.into())),
        }
    }

    /// Returns the label as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for VersionLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for VersionLabel {
    type Err = VersionLabelError;

    fn from_str(label: &str) -> Result<Self, VersionLabelError> {
        Self::new(label)
    }
}

stored_as_text!(VersionLabel, VersionLabelError);

/// Error returned if a text cannot be a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum VersionLabelError {
    /// The label is empty or too long.
    #[error("the label has {bytes} bytes: give one of 1 to {} bytes", VersionLabel::MAX_BYTES)]
    Length {
        /// Length of the rejected label in bytes.
        bytes: usize,
    },
    /// The label contains a control character or one that changes the direction of text.
    #[error("the label contains {character:?} at byte {at}: leave it out")]
    Character {
        /// Position of the character in bytes.
        at: usize,
        /// A control character, or one that changes the direction of text.
        character: char,
    },
}

impl CodedError for VersionLabelError {
    fn code(&self) -> &'static str {
        "LABEL_INVALID"
    }
}
