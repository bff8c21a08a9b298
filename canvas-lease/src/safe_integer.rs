//! Integers that a JSON reader in any language keeps exact.

use serde::de::{Deserialize as _, Deserializer, Error as _, Unexpected};

/// The largest supported integer, 2^53 − 1. A reader that holds numbers as doubles may round larger ones.
pub const MAX: u64 = (1 << 53) - 1;

/// Error returned if an integer exceeds [`MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{value} exceeds 2^53 - 1, the last integer that every JSON reader keeps exact: use a smaller one")]
pub struct SafeIntegerError {
    /// The rejected integer.
    pub value: u64,
}

impl SafeIntegerError {
    /// Returns the stable error code.
    pub const fn code(&self) -> &'static str {
        "INVALID_ARGUMENTS"
    }
}

/// Reads an integer, for `#[serde(deserialize_with)]`.
///
/// # Errors
///
/// An error if the value is not an unsigned integer, or is above [`MAX`].
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let number = u64::deserialize(deserializer)?;
    if number > MAX {
        return Err(D::Error::invalid_value(Unexpected::Unsigned(number), &"an integer up to 2^53 - 1"));
    }
    Ok(number)
}
