//! Revisions, which are numbers that only grow, and the names that models see.
//!
//! * Each committed change of content adds 1. Loading, leases, reads and component data do not change the revision.
//! * Comparisons use only the number of a [`RevisionId`]. Its eight digits of the content hash show people that an
//!   earlier text is back.

use std::fmt;
use std::str::FromStr;

use canvas_lease::{SafeIntegerError, safe_integer};
use serde::{Deserialize, Serialize};

use crate::model::error::CodedError;
use crate::model::id::stored_as_text;

use crate::model::blob::BlobId;

/// Counts committed changes of a canvas's content. It is never reused, so that the texts A, B, A are three revisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(with = "u64"))]
#[serde(try_from = "u64", into = "u64")]
pub struct Revision(u64);

impl Revision {
    /// The revision before the first content.
    pub const ZERO: Self = Self(0);

    /// The last revision, 2^53 − 1.
    pub(crate) const MAX: Self = Self(safe_integer::MAX);

    /// Creates a revision with this number.
    ///
    /// # Errors
    ///
    /// An error if the number exceeds 2^53 − 1.
    pub const fn new(number: u64) -> Result<Self, SafeIntegerError> {
        if number <= Self::MAX.0 { Ok(Self(number)) } else { Err(SafeIntegerError { value: number }) }
    }

    pub(crate) const fn is_zero(&self) -> bool {
        self.0 == 0
    }

    /// Returns the revision as an integer.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Returns the next revision, or `None` if the numbers are used up.
    pub const fn next(self) -> Option<Self> {
        if self.0 < Self::MAX.0 { Some(Self(self.0 + 1)) } else { None }
    }
}

impl TryFrom<u64> for Revision {
    type Error = SafeIntegerError;

    fn try_from(number: u64) -> Result<Self, SafeIntegerError> {
        Self::new(number)
    }
}

impl From<Revision> for u64 {
    fn from(revision: Revision) -> Self {
        revision.0
    }
}

/// A revision in the form for models and hosts, `r<number>-<first 8 hex digits of the content hash>`. Comparisons use
/// only the number. The digits are for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(with = "String"))]
#[serde(try_from = "String", into = "String")]
pub struct RevisionId {
    revision: Revision,
    digits: u32,
}

/// Error returned if a text is not a revision id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the revision id is not of the form r12-3fa94c02: pass one that a reply gave")]
pub struct ParseRevisionIdError;

impl CodedError for ParseRevisionIdError {
    fn code(&self) -> &'static str {
        "INVALID_ARGUMENTS"
    }
}

impl RevisionId {
    /// Creates the id of a revision whose content has this hash.
    pub fn new(revision: Revision, content: BlobId) -> Self {
        let [a, b, c, d, ..] = *content.as_bytes();
        Self { revision, digits: u32::from_be_bytes([a, b, c, d]) }
    }

    /// Returns the number of the revision.
    pub const fn revision(self) -> Revision {
        self.revision
    }

    /// Returns the id of the same content at another revision.
    pub(crate) const fn at(self, revision: Revision) -> Self {
        Self { revision, ..self }
    }
}

impl fmt::Display for RevisionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "r{}-{:08x}", self.revision.0, self.digits)
    }
}

impl FromStr for RevisionId {
    type Err = ParseRevisionIdError;

    fn from_str(text: &str) -> Result<Self, ParseRevisionIdError> {
        let (number, digits) =
            text.strip_prefix('r').and_then(|rest| rest.split_once('-')).ok_or(ParseRevisionIdError)?;
        let number = number.parse().map_err(|_| ParseRevisionIdError)?;
        let revision = Revision::new(number).map_err(|_| ParseRevisionIdError)?;
        let digits = u32::from_str_radix(digits, 16).map_err(|_| ParseRevisionIdError)?;
        let id = Self { revision, digits };
        // Only the form that `Display` writes: no signs, no leading zeros, lower case.
        if id.to_string() == text { Ok(id) } else { Err(ParseRevisionIdError) }
    }
}

stored_as_text!(RevisionId, ParseRevisionIdError);

/// The revision that a call was made for, named by its id or only by its number. The call is refused if its face
/// changed after this revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Base {
    /// The id, as in the calls of models.
    Id(RevisionId),
    /// Only the number, as in the calls of hosts.
    Number(Revision),
}

impl Base {
    /// Returns the number of the base, which decides comparisons.
    pub const fn revision(self) -> Revision {
        match self {
            Self::Id(id) => id.revision(),
            Self::Number(revision) => revision,
        }
    }
}

impl From<RevisionId> for Base {
    fn from(id: RevisionId) -> Self {
        Self::Id(id)
    }
}

impl From<Revision> for Base {
    fn from(revision: Revision) -> Self {
        Self::Number(revision)
    }
}

impl fmt::Display for Base {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => id.fmt(f),
            Self::Number(revision) => revision.0.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_read_back_in_one_form_only() {
        let id = RevisionId::new(Revision(12), BlobId::of(b"text"));
        assert_eq!(id.to_string().parse(), Ok(id));
        for text in [
            "",
            "r",
            "r1",
            "r1-",
            "1-00000000",
            "r+1-00000000",
            "r01-00000000",
            "r1-0000000",
            "r1-0000000g",
            "r1-ABCDEF01",
            "r9007199254740992-00000000",
        ] {
            assert_eq!(text.parse::<RevisionId>(), Err(ParseRevisionIdError), "{text}");
        }
        assert!("r9007199254740991-00000000".parse::<RevisionId>().is_ok());
    }

    #[test]
    fn numbers_end_at_what_json_keeps() {
        assert_eq!(Revision::MAX.next(), None);
        assert!(serde_json::from_str::<Revision>("9007199254740992").is_err());
    }
}
