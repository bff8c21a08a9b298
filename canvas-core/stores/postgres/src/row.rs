//! Parsing of the server's rows and of versions.

use std::sync::Arc;

use canvas_core::CanvasId;
use canvas_core::lease::Timestamp;
use canvas_core::store::{Head, Loaded, StoreError, StoreOperation as Operation, Version};
use tokio_postgres::Row;
use tokio_postgres::types::FromSql;

use super::error::{CallError, UNEXPECTED};

/// The two numbers of a version: a counter, and the time of its commit in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RowVersion {
    pub(super) version: i64,
    pub(super) stamp: i64,
}

impl RowVersion {
    /// Matches no row, because the server counts from 1.
    pub(super) const NONE: Self = Self { version: 0, stamp: 0 };

    /// Parses a version. A version that this store never issues matches no row.
    pub(super) fn of(version: &Version) -> Self {
        let numbers = version.as_str().split_once('-');
        let read = numbers.and_then(|(version, stamp)| {
            Some(Self { version: version.parse().ok()?, stamp: stamp.parse().ok()? })
        });
        // A version has only one spelling, so "+1-2" is not one.
        read.filter(|read| read.name() == *version).unwrap_or(Self::NONE)
    }

    pub(super) fn name(self) -> Version {
        Version::new(format!("{}-{}", self.version, self.stamp))
    }
}

/// Reads a column, which exists unless somebody has changed the tables.
pub(super) fn column<'a, T: FromSql<'a>>(
    operation: Operation,
    row: &'a Row,
    name: &str,
) -> Result<T, CallError> {
    row.try_get(name).map_err(|e| {
        // If the tables differ, it is unknown what the statement wrote.
        CallError::unanswered(operation, UNEXPECTED).with_source(e)
    })
}

/// Returns the single row, which the shape of the statement guarantees.
pub(super) fn only(operation: Operation, rows: &[Row]) -> Result<&Row, CallError> {
    rows.first().ok_or_else(|| CallError::unanswered(operation, UNEXPECTED))
}

/// Converts the server's microseconds to the store's clock, rounded down to milliseconds.
pub(super) fn clock(micros: i64) -> Timestamp {
    Timestamp::from_millis(u64::try_from(micros).unwrap_or(0) / 1_000)
}

/// Builds the result of a load from a row of `heads`.
pub(super) fn loaded(
    operation: Operation,
    canvas: &CanvasId,
    version: RowVersion,
    head: &[u8],
    micros: i64,
) -> Result<Loaded, StoreError> {
    let head = Head::from_json(canvas, head)
        .map_err(|e| StoreError::from(e).with_context(operation, Some(canvas)))?;
    Ok(Loaded { head: Arc::new(head), version: version.name(), clock: clock(micros), document: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_versions_match() {
        let version = RowVersion { version: 3, stamp: 1_763_771_234_567_890 };
        assert_eq!(RowVersion::of(&version.name()), version);
        for text in ["", "3", "3-", "-3-4", "+3-4", "03-4", "3-4 ", "3-4-5", "99999999999999999999-1", "x-1"]
        {
            assert_eq!(RowVersion::of(&Version::new(text)), RowVersion::NONE, "{text:?}");
        }
    }

    #[test]
    fn clocks_are_cut_to_milliseconds() {
        for (micros, millis) in [(0, 0), (999, 0), (1_000, 1), (1_999, 1), (-1, 0), (i64::MIN, 0)] {
            assert_eq!(clock(micros), Timestamp::from_millis(millis));
        }
    }
}
