//! One receipt: what was asked and answered, so that a retry is answered and not done again.
//!
//! * Every call that may change state leaves a receipt under (conversation, turn, call id) with a digest of its
//!   arguments, refusals too. The same call is answered the same again.
//! * `CALL_ID_REUSED`, `CALL_ABANDONED` and what the rollout closes leave none. Reads run again.
//! * An answer of more than 1 KiB is a blob of its own.

use canvas_lease::{Fence, safe_integer};
use serde::{Deserialize, Serialize};

use crate::model::blob::{Blob, BlobId};
use crate::model::id::OpKey;

/// Tells calls with other arguments from retries: the first 16 bytes of a blake3 hash of the arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[expect(unnameable_types, reason = "only the sealed part of `Command` speaks of it")]
pub struct Digest([u8; 16]);

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        hex(&digest.0)
    }
}

/// Two digits for each byte. Each receipt has some, and the machinery of `format!` takes ten times as long.
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
        // Only the form that is written: no sign, no upper case, no digit too few.
        if String::from(digest) == text { Ok(digest) } else { Err(ParseHexError) }
    }
}

/// A text is not hexadecimal digits of the right number.
#[derive(Debug, thiserror::Error)]
#[expect(unnameable_types, reason = "only the sealed part of `Command` speaks of it")]
#[error("a digest is lower-case hexadecimal digits: restore the head from a backup")]
pub struct ParseHexError;

impl Digest {
    /// The digest of parts, each kept apart from the next by its length.
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

    /// Its first eight digits.
    pub(crate) fn short(self) -> String {
        hex(&self.0[..4])
    }
}

/// The JSON of an answer that was erased; no command has answers of this kind.
const ERASED: &str = r#"{"kind":"erased"}"#;

/// The answer that a receipt keeps, as JSON: in the head where it is small, in a blob where it is not. What it says
/// is for the face that gave it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answer {
    Inline(String),
    Stored(BlobId),
    /// It was abandoned, and must not be done any more.
    #[serde(rename = "void")]
    Abandoned,
}

impl Answer {
    /// Bytes of an answer that the head takes; a longer one goes into a blob of its own.
    const INLINE: usize = 1024;

    /// Keeps the JSON of an answer, with a blob among `blobs` where it needs one.
    pub(crate) fn of_json(json: String, blobs: &mut Vec<Blob>) -> Self {
        if json.len() <= Self::INLINE {
            return Self::Inline(json);
        }
        let blob = Blob::text(json);
        let id = blob.id();
        blobs.push(blob);
        Self::Stored(id)
    }

    /// What is left of an answer that was erased: that there was one.
    pub(crate) fn erase(&mut self) {
        if *self != Self::Abandoned {
            *self = Self::Inline(ERASED.to_owned());
        }
    }

    /// Whether only that is left.
    pub(crate) fn is_erased(&self) -> bool {
        matches!(self, Self::Inline(json) if json == ERASED)
    }

    /// The blob that it lies in, if it does.
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
    /// The lease under which it was done; `None` for users and for refusals without a valid lease.
    pub(crate) fence: Option<Fence>,
    pub(crate) answer: Answer,
    /// When it was left, by the time that passes for receipts; 0 for those of version 0.1.0, which had none.
    #[serde(default, skip_serializing_if = "is_zero", deserialize_with = "safe_integer::deserialize")]
    pub(crate) at: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
pub(crate) fn is_zero(millis: &u64) -> bool {
    *millis == 0
}

/// What the receipts know of an operation.
#[derive(Debug, PartialEq)]
pub(crate) enum Recall {
    /// Never asked, as far as is remembered.
    New,
    /// A retry.
    Answered(Answer),
    /// The same key was used for other arguments.
    Reused,
    /// It was abandoned or its answer was erased, with whatever arguments.
    Abandoned,
}
