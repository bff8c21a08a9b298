//! Integers that a JSON reader in any language keeps exact.

use serde::de::{Deserialize as _, Deserializer, Error as _, Unexpected};

/// 2^53 − 1: beyond it a reader that holds numbers as doubles would round.
pub const MAX: u64 = (1 << 53) - 1;

/// Reads an integer, for `#[serde(deserialize_with)]`.
///
/// # Errors
///
/// The value is no unsigned integer, or above [`MAX`].
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let number = u64::deserialize(deserializer)?;
    if number > MAX {
        return Err(D::Error::invalid_value(Unexpected::Unsigned(number), &"an integer up to 2^53 - 1"));
    }
    Ok(number)
}
