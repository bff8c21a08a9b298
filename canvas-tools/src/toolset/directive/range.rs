//! Places in a text as directives name them: characters, not bytes.

use std::ops::Range;

use canvas_core::BlobId;
use canvas_core::text::floor_char_boundary;
use serde::Serialize;

/// Characters of a text, half-open: from `start` up to, and without, `end`. `start` is never after `end`.
///
/// A character is a Unicode scalar value. So no offset splits one, but an offset may fall between a letter and the
/// accent that follows it, or inside an emoji that is made of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CharRange {
    /// The first character.
    start: usize,
    /// The character after the last.
    end: usize,
}

impl CharRange {
    /// A range; `None` where it would run back.
    pub const fn new(start: usize, end: usize) -> Option<Self> {
        if start <= end { Some(Self { start, end }) } else { None }
    }

    pub(crate) const fn caret(at: usize) -> Self {
        Self { start: at, end: at }
    }

    /// The first character.
    pub const fn start(self) -> usize {
        self.start
    }

    /// The first character after it.
    pub const fn end(self) -> usize {
        self.end
    }

    /// How many characters.
    pub const fn len(self) -> usize {
        self.end - self.start
    }

    /// Whether it is only a place between two characters.
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The bytes of the range; `Err` is the number of characters that the text has, where that is too few. One pass.
    pub(crate) fn bytes(self, text: &str) -> Result<Range<usize>, usize> {
        let start = byte_of(text, self.start)?;
        let end = byte_of(&text[start..], self.len()).map_err(|more| self.start + more)?;
        Ok(start..start + end)
    }
}

/// Bytes that are counted at once; at least four, the longest character.
const BLOCK: usize = 4 << 10;

/// The byte at which a character begins, or the text ends; `Err` is the number of characters.
fn byte_of(text: &str, at: usize) -> Result<usize, usize> {
    // No text has more characters than bytes, so that hostile offsets cost nothing.
    if at > text.len() {
        return Err(text.chars().count());
    }
    let (mut byte, mut left) = (0, at);
    // Counting a block is many times faster than walking it.
    while left >= BLOCK && byte < text.len() {
        let end = floor_char_boundary(text, byte + BLOCK);
        left -= text[byte..end].chars().count();
        byte = end;
    }
    let rest = &text[byte..];
    match rest.char_indices().map(|(step, _)| step).chain([rest.len()]).nth(left) {
        Some(step) => Ok(byte + step),
        None => Err(at - left + rest.chars().count()),
    }
}

/// Identifies a piece of text: the first 16 or more lower-case hexadecimal digits of its blake3 hash.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Fingerprint(Box<str>);

impl Fingerprint {
    const DIGITS: usize = 16;

    /// The fingerprint of a text.
    pub fn of(text: &str) -> Self {
        let mut digits = BlobId::of(text.as_bytes()).to_string();
        digits.truncate(Self::DIGITS);
        Self(digits.into())
    }

    /// A fingerprint as it was sent. One that is malformed fits no text.
    pub(crate) fn given(text: &str) -> Self {
        Self(text.into())
    }

    /// Whether it is that of a text.
    pub fn fits(&self, text: &str) -> bool {
        self.0.len() >= Self::DIGITS && BlobId::of(text.as_bytes()).to_string().starts_with(&*self.0)
    }

    /// Its digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_in_long_texts_too() {
        for piece in ["a", "é", "x😀", "€\n"] {
            let text = piece.repeat(BLOCK + 7);
            let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let chars = starts.len() - 1;
            for at in (0..=chars).step_by(97).chain([BLOCK - 1, BLOCK, BLOCK + 1, chars]) {
                assert_eq!(byte_of(&text, at), Ok(starts[at]), "{piece} {at}");
            }
            for beyond in [chars + 1, chars + BLOCK, text.len(), text.len() + 1, usize::MAX] {
                if beyond > chars {
                    assert_eq!(byte_of(&text, beyond), Err(chars), "{piece} {beyond}");
                }
            }
            let range = CharRange::new(3, chars).unwrap();
            assert_eq!(range.bytes(&text), Ok(starts[3]..text.len()));
            assert_eq!(CharRange::new(3, chars + 1).unwrap().bytes(&text), Err(chars));
        }
    }
}
