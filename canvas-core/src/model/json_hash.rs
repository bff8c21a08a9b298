//! Hashes of JSON values.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::canonical::{CanonicalError, canonical_json};
use crate::model::id::stored_as_text;

/// The blake3 hash of a JSON text, shown as 64 hexadecimal digits. Of values it is that of their canonical text, so equal
/// values have equal hashes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct JsonHash([u8; 32]);

/// A text is not the 64 hexadecimal digits of a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a hash is 64 hexadecimal digits: send one back as it was given")]
pub struct ParseJsonHashError;

canvas_patch::coded_error!(ParseJsonHashError => "INVALID_ARGUMENTS");

impl JsonHash {
    /// The hash of a value.
    ///
    /// # Errors
    ///
    /// [`CanonicalError`] where the value has no canonical text.
    pub fn of(value: &Value) -> Result<Self, CanonicalError> {
        canonical_json(value).map(|text| Self::of_text(&text))
    }

    /// The hash of a text as it is.
    pub(crate) fn of_text(text: &str) -> Self {
        Self(*blake3::hash(text.as_bytes()).as_bytes())
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
