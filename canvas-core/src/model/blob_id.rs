//! The name of immutable content, which is its hash.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::model::error::CodedError;
use crate::model::id::stored_as_text;

/// The blake3 hash of a blob, displayed as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
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

stored_as_text!(BlobId, ParseBlobIdError);
