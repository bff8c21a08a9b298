//! A short hash that names the content of some lines.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::model::error::CodedError;
use crate::model::id::stored_as_text;

/// The first 12 hexadecimal digits of the blake3 hash of some lines, terminators included.
///
/// It does not depend on the position of the lines or on the rest of the document. It guards against lines changed in
/// the meantime, not against somebody who searches for collisions, because one in 2^48 changed texts passes by chance.
/// More digits would cost a model tokens, and would be copied wrongly more often, without a benefit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(with = "String"))]
#[serde(try_from = "String", into = "String")]
pub struct RangeHash([u8; 6]);

/// Error returned if a text is not the 12 digits of a range hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the hash of lines is not 12 lower-case hexadecimal digits: pass the range_hash of the reply that showed the lines"
)]
pub struct ParseRangeHashError;

impl CodedError for ParseRangeHashError {
    fn code(&self) -> &'static str {
        "INVALID_ARGUMENTS"
    }
}

impl RangeHash {
    /// Computes the hash of some lines, exactly as in the document.
    pub fn of(lines: &str) -> Self {
        let [a, b, c, d, e, f, ..] = *blake3::hash(lines.as_bytes()).as_bytes();
        Self([a, b, c, d, e, f])
    }
}

impl fmt::Display for RangeHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for RangeHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RangeHash({self})")
    }
}

impl FromStr for RangeHash {
    type Err = ParseRangeHashError;

    fn from_str(text: &str) -> Result<Self, ParseRangeHashError> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() != 12 || !text.bytes().all(is_digit) {
            return Err(ParseRangeHashError);
        }
        let mut bytes = [0; 6];
        for (byte, at) in bytes.iter_mut().zip((0..12).step_by(2)) {
            *byte = u8::from_str_radix(&text[at..at + 2], 16).map_err(|_| ParseRangeHashError)?;
        }
        Ok(Self(bytes))
    }
}

stored_as_text!(RangeHash, ParseRangeHashError);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_beginning_of_the_blob_id() {
        for lines in ["", "a\n", "a\r\n", "ü\0\u{feff}"] {
            let id = crate::model::blob::BlobId::of(lines.as_bytes()).to_string();
            assert_eq!(RangeHash::of(lines).to_string(), id[..12]);
            assert_eq!(id[..12].parse(), Ok(RangeHash::of(lines)));
        }
    }

    #[test]
    fn only_its_own_form_is_read() {
        for text in [
            "",
            "af1349b9f5f",
            "af1349b9f5f9a",
            "AF1349B9F5F9",
            "+f1349b9f5f9",
            "af1349b9f5f ",
            "ééüüüü",
            "𝟎𝟎𝟎",
        ] {
            assert_eq!(text.parse::<RangeHash>(), Err(ParseRangeHashError), "{text:?}");
        }
    }
}
