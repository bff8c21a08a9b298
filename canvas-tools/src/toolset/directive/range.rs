//! Places in a text in the units of directives, which are characters and not bytes.

use std::ops::Range;

use canvas_core::text::{Offset, PositionMap};
use canvas_core::{BlobId, CodedError};
use serde::Serialize;

/// Half-open range of characters, which excludes `end`. `start` is never after `end`.
///
/// A character is a Unicode scalar value. No offset splits one, but an offset may fall between a letter and a combining
/// accent, or inside an emoji made of several characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CharRange {
    /// Offset of the first character.
    start: usize,
    /// Offset after the last character.
    end: usize,
}

/// Error returned if a range would start after its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a range cannot start at {start} and end at {end}: give the smaller offset first")]
pub struct CharRangeError {
    /// The offset passed as the start, in characters.
    pub start: usize,
    /// The offset passed as the end, which is before `start`.
    pub end: usize,
}

impl CodedError for CharRangeError {
    fn code(&self) -> &'static str {
        "INVALID_ARGUMENTS"
    }
}

impl CharRange {
    /// Creates a range.
    ///
    /// # Errors
    ///
    /// Fails if `start` is after `end`.
    pub const fn new(start: usize, end: usize) -> Result<Self, CharRangeError> {
        if start <= end { Ok(Self { start, end }) } else { Err(CharRangeError { start, end }) }
    }

    pub(crate) const fn caret(at: usize) -> Self {
        Self { start: at, end: at }
    }

    /// Returns the offset of the first character, counted from 0.
    pub const fn start(self) -> usize {
        self.start
    }

    /// Returns the offset after the last character.
    pub const fn end(self) -> usize {
        self.end
    }

    /// Returns the number of characters.
    pub const fn len(self) -> usize {
        self.end - self.start
    }

    /// Whether the range is only a place between two characters.
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Returns a range of bytes in characters.
    pub(crate) fn of_bytes(text: &str, bytes: &Range<usize>) -> Self {
        let map = PositionMap::new(text);
        let chars = |byte| map.at(Offset::Byte(byte)).map_or(0, |position| position.scalar);
        Self { start: chars(bytes.start), end: chars(bytes.end) }
    }

    /// Returns the range in bytes. If the range is not within the text, `Err` is the text's number of characters.
    pub(crate) fn bytes(self, text: &str) -> Result<Range<usize>, usize> {
        let map = PositionMap::new(text);
        let byte =
            |char| map.at(Offset::Scalar(char)).map(|position| position.byte).map_err(|_| map.end().scalar);
        Ok(byte(self.start)?..byte(self.end)?)
    }
}

/// Identifies a piece of text by the first 16 or more lower-case hexadecimal digits of its blake3 hash.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Fingerprint(Box<str>);

impl Fingerprint {
    const DIGITS: usize = 16;

    /// Computes the fingerprint of a text.
    pub fn of(text: &str) -> Self {
        let mut digits = BlobId::of(text.as_bytes()).to_string();
        digits.truncate(Self::DIGITS);
        Self(digits.into())
    }

    /// Wraps a fingerprint from a directive. A malformed one does not match any text.
    pub(crate) fn given(text: &str) -> Self {
        Self(text.into())
    }

    /// Whether this is the fingerprint of `text`.
    pub fn fits(&self, text: &str) -> bool {
        self.0.len() >= Self::DIGITS && BlobId::of(text.as_bytes()).to_string().starts_with(&*self.0)
    }

    /// Returns the hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
