//! A receipt of a call and its answer, so that a retry gets the answer and the call does not run twice.
//!
//! * Every call that may change state leaves a receipt under (conversation, turn, call id) with a digest of its
//!   arguments, even if it is refused. A retry of the same call gets the same answer.
//! * `CALL_ID_REUSED`, `CALL_ABANDONED` and refusals because of the rollout do not leave a receipt. Reads run again.
//! * An answer of more than 1 KiB is a blob of its own.

use canvas_lease::{Fence, safe_integer};
use serde::{Deserialize, Serialize};

use crate::model::blob::{Blob, BlobId};
use crate::model::op_key::OpKey;

/// A digest of a call's arguments, the first 16 bytes of their blake3 hash. It distinguishes retries from other calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[expect(unnameable_types, reason = "only the sealed part of `Command` speaks of it")]
pub struct Digest([u8; 16]);

impl Digest {
    pub(crate) const fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        hex(&digest.0)
    }
}

/// Writes two digits for each byte. Each receipt has several such texts, and `format!` takes ten times as long.
fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |half: u8| char::from(DIGITS[usize::from(half)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

impl TryFrom<String> for Digest {
    type Error = ParseHexError;

    fn try_from(text: String) -> Result<Self, ParseHexError> {
        let number = u128::from_str_radix(&text, 16).map_err(|_| ParseHexError)?;
        let digest = Self(number.to_be_bytes());
        // Only the form written above: no sign, no upper case, no missing digit.
        if String::from(digest) == text { Ok(digest) } else { Err(ParseHexError) }
    }
}

/// Error returned if a text does not have the right number of hexadecimal digits.
#[derive(Debug, thiserror::Error)]
#[expect(unnameable_types, reason = "only the sealed part of `Command` speaks of it")]
#[error("the digest is not lower-case hexadecimal digits: restore the head from a backup")]
pub struct ParseHexError;

impl Digest {
    /// Computes the digest of parts, which are separated by their lengths.
    pub(crate) fn of(parts: &[&[u8]]) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_be_bytes());
            hasher.update(part);
        }
        let mut short = [0; 16];
        short.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        Self(short)
    }

    /// Returns the first eight digits.
    pub(crate) fn short(self) -> String {
        hex(&self.0[..4])
    }
}

/// The JSON of an erased answer, which is not the answer of any command.
const ERASED: &str = r#"{"kind":"erased"}"#;

/// An answer in a receipt, as JSON, either in the head or, if it is long, in a blob. The face that gave the answer
/// defines its content.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answer {
    Inline(String),
    Stored(BlobId),
    /// The call was abandoned and must never run.
    #[serde(rename = "void")]
    Abandoned,
}

impl Answer {
    /// Maximum bytes of an answer in the head. A longer one is a blob of its own.
    const INLINE: usize = 1024;

    /// Stores the JSON of an answer, and adds a blob to `blobs` if it is long.
    pub(crate) fn of_json(json: String, blobs: &mut Vec<Blob>) -> Self {
        if json.len() <= Self::INLINE {
            return Self::Inline(json);
        }
        let blob = Blob::text(json);
        let id = blob.id();
        blobs.push(blob);
        Self::Stored(id)
    }

    /// Erases the answer but keeps the fact that there was one.
    pub(crate) fn erase(&mut self) {
        if *self != Self::Abandoned {
            *self = Self::Inline(ERASED.to_owned());
        }
    }

    /// Whether the answer was erased.
    pub(crate) fn is_erased(&self) -> bool {
        matches!(self, Self::Inline(json) if json == ERASED)
    }

    /// Returns the blob of the answer, if it has one.
    pub(crate) fn blob(&self) -> Option<BlobId> {
        match self {
            Self::Stored(id) => Some(*id),
            Self::Inline(_) | Self::Abandoned => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Receipt {
    pub(crate) operation: OpKey,
    pub(crate) digest: Digest,
    /// The lease that covered the call; `None` for users and for refusals without a valid lease.
    pub(crate) fence: Option<Fence>,
    pub(crate) answer: Answer,
    /// The elapsed time, in milliseconds, at which the receipt was left. Zero for receipts of version 0.1.0.
    #[serde(default, skip_serializing_if = "is_zero", deserialize_with = "safe_integer::deserialize")]
    pub(crate) at: u64,
}

#[cfg_attr(target_pointer_width = "64", expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so"))]
pub(crate) fn is_zero(millis: &u64) -> bool {
    *millis == 0
}

/// The result of looking an operation up in the receipts.
#[derive(Debug, PartialEq)]
pub(crate) enum Recall {
    /// There is no receipt for the operation.
    New,
    /// A receipt with the same digest exists, so the call is a retry.
    Answered(Answer),
    /// The same key was used with other arguments.
    Reused,
    /// The call was abandoned or its answer was erased, regardless of its arguments.
    Abandoned,
}
