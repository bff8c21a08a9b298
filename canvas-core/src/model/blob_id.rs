//! The name of immutable content, which is its hash.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use serde::de::{Deserialize, Deserializer, Visitor};

use crate::model::error::CodedError;

/// The blake3 hash of a blob, displayed as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(into = "String")]
pub struct BlobId([u8; 32]);

/// Error returned if a text is not the 64 hexadecimal digits of a blob id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the blob id is not 64 hexadecimal digits: pass one that a canvas returned")]
pub struct ParseBlobIdError;

impl CodedError for ParseBlobIdError {
    fn code(&self) -> &'static str {
        "INVALID_ARGUMENTS"
    }
}

impl BlobId {
    /// Computes the id of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    pub(crate) const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the raw 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl fmt::Debug for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BlobId({self})")
    }
}

impl FromStr for BlobId {
    type Err = ParseBlobIdError;

    fn from_str(text: &str) -> Result<Self, ParseBlobIdError> {
        blake3::Hash::from_hex(text).map(|hash| Self(*hash.as_bytes())).map_err(|_| ParseBlobIdError)
    }
}

/// Journal entries have many ids, so this parses each without a copy.
impl<'de> Deserialize<'de> for BlobId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Hex;

        impl Visitor<'_> for Hex {
            type Value = BlobId;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<BlobId, E> {
                text.parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_str(Hex)
    }
}

impl TryFrom<String> for BlobId {
    type Error = ParseBlobIdError;

    fn try_from(text: String) -> Result<Self, ParseBlobIdError> {
        text.parse()
    }
}

impl From<BlobId> for String {
    fn from(id: BlobId) -> Self {
        id.to_string()
    }
}
