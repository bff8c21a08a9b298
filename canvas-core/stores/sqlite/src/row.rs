//! What versions and columns of rows say.

use canvas_core::{BlobId, CanvasId, Head, Version};
use rusqlite::{OptionalExtension as _, Row, params};

use super::error::CallError;
use super::schema::STAMP;
use super::transaction::Transaction;

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

/// What a row is to be.
pub(super) struct NextRow {
    /// The counter and the column `sum`; none after the last number.
    numbers: Option<(i64, i64)>,
    json: Vec<u8>,
}

impl NextRow {
    /// The row after a version, or the first one.
    pub(super) fn new(version: Option<RowVersion>, json: Vec<u8>) -> Self {
        let counter = version.map_or(Some(1), |version| version.counter.checked_add(1));
        Self { numbers: counter.map(|counter| (counter, checksum(counter, &json))), json }
    }

    fn numbers(&self) -> Result<(i64, i64), CallError> {
        self.numbers.ok_or_else(|| CallError::damaged("the version has no next one"))
    }

    /// Writes it where the row has a version; the key of the canvas and the new version.
    ///
    /// By two statements, since `RETURNING` makes SQLite read the old head and copy each page before it is changed.
    pub(super) fn swap(
        &mut self,
        transaction: &Transaction<'_>,
        canvas: &CanvasId,
        version: RowVersion,
    ) -> Result<Option<(i64, RowVersion)>, CallError> {
        let (counter, sum) = self.numbers()?;
        let found: Option<(i64, i64, u32)> = transaction
            .prepare_cached(&format!(
                "SELECT key, {STAMP}, length(head) FROM canvas WHERE id = ?1 AND version = ?2 AND stamp = ?3",
            ))?
            .query_row(params![canvas.as_str().as_bytes(), version.counter, version.stamp], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .optional()?;
        let Some((key, stamp, stored)) = found else { return Ok(None) };
        self.json.resize(padded(self.json.len(), stored as usize), b' ');
        transaction
            .prepare_cached("UPDATE canvas SET version = ?2, stamp = ?3, sum = ?4, head = ?5 WHERE key = ?1")?
            .execute(params![key, counter, stamp, sum, self.json])?;
        Ok(Some((key, RowVersion { counter, stamp })))
    }

    /// Writes it where there is none.
    pub(super) fn make(
        &self,
        transaction: &Transaction<'_>,
        canvas: &CanvasId,
    ) -> Result<Option<(i64, RowVersion)>, CallError> {
        let (counter, sum) = self.numbers()?;
        let made = transaction
            .prepare_cached(&format!(
                "INSERT INTO canvas (id, version, stamp, sum, head) VALUES (?1, ?2, {STAMP}, ?3, ?4) \
                 ON CONFLICT DO NOTHING RETURNING key, version, stamp",
            ))?
            .query_row(params![canvas.as_str().as_bytes(), counter, sum, self.json], |row| {
                Ok((row.get(0)?, RowVersion::at(row, 1)?))
            })
            .optional()?;
        Ok(made)
    }
}

/// The bytes that the column `head` gets for so many of a head, where it has `stored`: the rest are blanks, which JSON takes.
/// SQLite overwrites a row in its place where its length stays; else it frees the pages of a long head and takes others.
pub(super) fn padded(length: usize, stored: usize) -> usize {
    const STEP: usize = 512;
    // Also where the head got shorter, but not for good where it once was very long.
    let fits = stored >= length && stored - length <= length / 4 + 2 * STEP;
    if fits { stored } else { length.next_multiple_of(STEP) }
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
    fn a_head_keeps_its_room() {
        for (length, stored, expected) in [
            (0, 0, 0),
            (1, 0, 512),
            (512, 512, 512),
            (513, 512, 1_024),
            (500, 1_536, 1_536),
            (500, 4_096, 512),
            (40_000, 45_000, 45_000),
            (4_000, 45_000, 4_096),
        ] {
            assert_eq!(padded(length, stored), expected, "{length} in {stored}");
        }
    }

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
