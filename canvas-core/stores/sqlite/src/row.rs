//! What versions and columns of rows say.

use canvas_core::Version;

use super::error::CallError;

/// The number that a version of ours is; none for one that this store has never given.
pub(super) fn number(version: &Version) -> Option<i64> {
    let number: i64 = version.as_str().parse().ok()?;
    (number.to_string() == version.as_str()).then_some(number)
}

/// A column of another type than the schema says.
pub(super) fn wrong_type(e: rusqlite::types::FromSqlError) -> CallError {
    rusqlite::Error::from(e).into()
}
