//! Parsing of versions and rows.

use canvas_core::store::{Head, Version};
use canvas_core::{BlobId, CanvasId};
use rusqlite::Row;

use super::error::CallError;

/// The two numbers of a version: a counter, and a random number drawn at its commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RowVersion {
    pub(super) counter: i64,
    pub(super) stamp: i64,
}

impl RowVersion {
    /// Parses a version. Returns `None` for one that this store never issues.
    pub(super) fn of(version: &Version) -> Option<Self> {
        let (counter, stamp) = version.as_str().split_once('-')?;
        let read = Self { counter: counter.parse().ok()?, stamp: stamp.parse().ok()? };
        // A version has only one spelling, so "+1-2" is not one.
        (read.name() == *version).then_some(read)
    }

    /// Reads the columns `version` and `stamp`, which start at an index of a row.
    pub(super) fn at(row: &Row<'_>, index: usize) -> rusqlite::Result<Self> {
        Ok(Self { counter: row.get(index)?, stamp: row.get(index + 1)? })
    }

    pub(super) fn name(self) -> Version {
        Version::new(format!("{}-{}", self.counter, self.stamp))
    }
}

/// Reads version and head of a row, whose columns `version`, `stamp`, `sum` and `head` start at an index.
pub(super) fn read(canvas: &CanvasId, row: &Row<'_>, index: usize) -> Result<(RowVersion, Head), CallError> {
    let (version, sum) = (RowVersion::at(row, index)?, row.get::<_, Option<i64>>(index + 2)?);
    let bytes = row.get_ref(index + 3)?.as_blob().map_err(wrong_type)?.trim_ascii_end();
    let head = Head::from_json(canvas, bytes)?;
    match sum {
        Some(sum) if sum != checksum(version.counter, bytes) => {
            Err(CallError::damaged("the row is not the one that was written"))
        }
        _ => Ok((version, head)),
    }
}

/// Computes the column `sum`, which is the beginning of a hash.
pub(super) fn checksum(counter: i64, head: &[u8]) -> i64 {
    let hash = BlobId::of(&[&counter.to_be_bytes(), head].concat());
    let first = hash.as_bytes().first_chunk().expect("a hash has 32 bytes");
    i64::from_be_bytes(*first)
}

/// The error for a column whose type differs from the schema.
pub(super) fn wrong_type(e: rusqlite::types::FromSqlError) -> CallError {
    rusqlite::Error::from(e).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_versions_match() {
        let version = RowVersion { counter: 3, stamp: i64::MAX };
        assert_eq!(RowVersion::of(&version.name()), Some(version));
        // "3" is a version of format 1.
        for text in ["", "3", "3-", "-3-4", "+3-4", "03-4", "3-4 ", "3-4-5", "99999999999999999999-1", "x-1"]
        {
            assert_eq!(RowVersion::of(&Version::new(text)), None, "{text:?}");
        }
    }
}
