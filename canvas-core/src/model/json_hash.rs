//! Hashes of JSON values.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::canonical::{CanonicalError, write_canonical};
use crate::model::error::CodedError;
use crate::model::id::stored_as_text;

/// The blake3 hash of a JSON text, shown as 64 hexadecimal digits. The hash of a value is the hash of its canonical
/// text, so equal values have equal hashes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct JsonHash([u8; 32]);

/// Error returned if a text is not the 64 hexadecimal digits of a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the hash is not 64 hexadecimal digits: send one back unchanged")]
pub struct ParseJsonHashError;

impl CodedError for ParseJsonHashError {
    fn code(&self) -> &'static str {
        "INVALID_ARGUMENTS"
    }
}

impl JsonHash {
    /// Computes the hash of a value.
    ///
    /// # Errors
    ///
    /// Returns [`CanonicalError`] if the value has no canonical text.
    pub fn of(value: &Value) -> Result<Self, CanonicalError> {
        Self::with_bytes(value).map(|(hash, _)| hash)
    }

    /// Computes the hash of a value and the number of bytes of its canonical text, which is never whole in memory.
    pub(crate) fn with_bytes(value: &Value) -> Result<(Self, usize), CanonicalError> {
        let mut hashing =
            Hashing { hasher: blake3::Hasher::new(), text: String::with_capacity(PART + 256), bytes: 0 };
        write_canonical(value, &mut hashing)?;
        hashing.flush();
        Ok((Self(*hashing.hasher.finalize().as_bytes()), hashing.bytes))
    }

    /// Computes the hash of a text verbatim.
    pub(crate) fn of_text(text: &str) -> Self {
        Self(*blake3::hash(text.as_bytes()).as_bytes())
    }
}

/// Number of bytes hashed at once.
const PART: usize = 16 << 10;

struct Hashing {
    hasher: blake3::Hasher,
    /// The text written since the last part.
    text: String,
    bytes: usize,
}

impl Hashing {
    fn flush(&mut self) {
        self.hasher.update(self.text.as_bytes());
        self.bytes += self.text.len();
        self.text.clear();
    }
}

impl fmt::Write for Hashing {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.text.push_str(part);
        if self.text.len() >= PART {
            self.flush();
        }
        Ok(())
    }
}

impl fmt::Display for JsonHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl fmt::Debug for JsonHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JsonHash({self})")
    }
}

impl FromStr for JsonHash {
    type Err = ParseJsonHashError;

    fn from_str(text: &str) -> Result<Self, ParseJsonHashError> {
        blake3::Hash::from_hex(text).map(|hash| Self(*hash.as_bytes())).map_err(|_| ParseJsonHashError)
    }
}

stored_as_text!(JsonHash, ParseJsonHashError);

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::canonical::canonical_json;

    #[test]
    fn a_hash_is_that_of_the_canonical_text_however_long() {
        for length in [0, 1, PART - 3, PART - 2, PART - 1, PART, PART + 1, 5 * PART] {
            let value = json!({"é": "x".repeat(length), "a": ["\"\n", 1.5, -3, null]});
            let text = canonical_json(&value).unwrap();
            let (hash, bytes) = JsonHash::with_bytes(&value).unwrap();
            assert_eq!((hash, bytes), (JsonHash::of_text(&text), text.len()), "{length}");
            assert_eq!(JsonHash::of(&value), Ok(hash));
        }
        assert!(JsonHash::of(&json!([1e300, u64::MAX])).is_err());
    }
}
