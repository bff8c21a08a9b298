//! The row of a canvas as a commit writes it: in its place, and where it has the version that is expected.

use canvas_core::CanvasId;
use rusqlite::{OptionalExtension as _, params};

use super::error::CallError;
use super::row::{RowVersion, checksum};
use super::schema::STAMP;
use super::transaction::Transaction;

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
fn padded(length: usize, stored: usize) -> usize {
    const STEP: usize = 512;
    // Also where the head got shorter, but not for good where it once was very long.
    let fits = stored >= length && stored - length <= length / 4 + 2 * STEP;
    if fits { stored } else { length.next_multiple_of(STEP) }
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
}
