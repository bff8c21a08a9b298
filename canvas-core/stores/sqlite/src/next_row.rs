//! Writing the next row of a canvas: inserts the first one, or updates the row in place if it has the expected version.

use canvas_core::CanvasId;
use rusqlite::{OptionalExtension as _, params};

use super::error::CallError;
use super::row::{RowVersion, checksum};
use super::schema::STAMP;
use super::transaction::Transaction;

pub(super) struct NextRow {
    /// The new counter and the column `sum`; `None` if the counter has reached its maximum.
    numbers: Option<(i64, i64)>,
    json: Vec<u8>,
}

impl NextRow {
    /// Prepares the row that follows a version, or the first row if the version is `None`.
    pub(super) fn new(version: Option<RowVersion>, json: Vec<u8>) -> Self {
        let counter = version.map_or(Some(1), |version| version.counter.checked_add(1));
        Self { numbers: counter.map(|counter| (counter, checksum(counter, &json))), json }
    }

    fn numbers(&self) -> Result<(i64, i64), CallError> {
        self.numbers.ok_or_else(|| CallError::damaged("the version has no next one"))
    }

    /// Updates the row if it has this version. Returns the canvas's key and the new version.
    ///
    /// It uses two statements, because `RETURNING` makes SQLite read the old head and copy each page before changing it.
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

    /// Inserts the row, or returns `None` if the canvas already has one.
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

/// Returns the length of the column `head` for a head of `length` bytes, if the column now has `stored` bytes. Blanks,
/// which JSON allows, fill the rest. If the length of a row stays the same, SQLite overwrites the row in place.
/// Otherwise it frees the pages of a long head and allocates others.
fn padded(length: usize, stored: usize) -> usize {
    const STEP: usize = 512;
    // Keep the length even for a shorter head, but not forever after a very long one.
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
