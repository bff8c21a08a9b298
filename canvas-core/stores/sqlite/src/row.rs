//! What versions and columns of rows say.

use canvas_core::store::{Head, Version};
use canvas_core::{BlobId, CanvasId};
use rusqlite::Row;

use super::error::CallError;

/// The two numbers of a version: the counter, and what was drawn at its commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RowVersion {
    pub(super) counter: i64,
    pub(super) stamp: i64,
}

impl RowVersion {
    /// The numbers of a version; none for one that this store has never given.
    pub(super) fn of(version: &Version) -> Option<Self> {
        let (counter, stamp) = version.as_str().split_once('-')?;
        let read = Self { counter: counter.parse().ok()?, stamp: stamp.parse().ok()? };
        // Only one spelling is a version: "+1-2" is none.
        (read.name() == *version).then_some(read)
    }

    /// The columns `version` and `stamp`, which begin at an index of a row.
    pub(super) fn at(row: &Row<'_>, index: usize) -> rusqlite::Result<Self> {
        Ok(Self { counter: row.get(index)?, stamp: row.get(index + 1)? })
    }

    pub(super) fn name(self) -> Version {
        Version::new(format!("{}-{}", self.counter, self.stamp))
    }
}

/// Version and head of a row, whose columns `version`, `stamp`, `sum` and `head` begin at an index.
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

/// What the column `sum` has: the beginning of a hash.
pub(super) fn checksum(counter: i64, head: &[u8]) -> i64 {
    let hash = BlobId::of(&[&counter.to_be_bytes(), head].concat());
    let first = hash.as_bytes().first_chunk().expect("a hash has 32 bytes");
    i64::from_be_bytes(*first)
}

/// A column of another type than the schema says.
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
        // "3" is one of format 1.
        for text in ["", "3", "3-", "-3-4", "+3-4", "03-4", "3-4 ", "3-4-5", "99999999999999999999-1", "x-1"]
        {
            assert_eq!(RowVersion::of(&Version::new(text)), None, "{text:?}");
        }
    }
}
