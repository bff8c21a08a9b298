//! One transaction on one connection, and what a COMMIT that fails has done.

use canvas_core::{StoreError, StoreErrorKind};
use rusqlite::Connection;

use super::error::CallError;
use super::open::Database;
use super::schema::{FORMAT, too_new, too_old};

/// An open transaction. Dropped, it is rolled back.
pub(super) struct Transaction<'a> {
    connection: &'a Connection,
    database: &'a Database,
}

impl<'a> Transaction<'a> {
    /// For reading: it sees one state and waits for no writer.
    pub(super) fn read(connection: &'a Connection, database: &'a Database) -> Result<Self, CallError> {
        Self::begin(connection, database, "BEGIN DEFERRED")
    }

    /// For writing: it has the lock from the start. A transaction that takes it later fails at once where another
    /// was faster, and no timeout helps.
    pub(super) fn write(connection: &'a Connection, database: &'a Database) -> Result<Self, CallError> {
        Self::begin(connection, database, "BEGIN IMMEDIATE")
    }

    fn begin(connection: &'a Connection, database: &'a Database, sql: &str) -> Result<Self, CallError> {
        connection.prepare_cached(sql)?.execute([])?;
        let transaction = Self { connection, database };
        database.check_place()?;
        // Another process may have brought the file to a later format since it was opened.
        let found: i64 =
            transaction.prepare_cached("PRAGMA user_version")?.query_row([], |row| row.get(0))?;
        match found.cmp(&FORMAT) {
            std::cmp::Ordering::Less if found > 0 => Err(too_old().into()),
            std::cmp::Ordering::Less => Err(CallError::damaged("the file has lost its format number")),
            std::cmp::Ordering::Equal => Ok(transaction),
            std::cmp::Ordering::Greater => Err(too_new(found).into()),
        }
    }

    /// Makes it last.
    pub(super) fn commit(self) -> Result<(), CallError> {
        let done = self.prepare_cached("COMMIT").and_then(|mut commit| commit.execute([]));
        match done {
            // Somebody may have taken the file away since the transaction began.
            Ok(_) => self.database.check_place().map_err(CallError::in_doubt),
            // Still open, for example because it was not its turn: the drop takes it back.
            Err(e) if !self.connection.is_autocommit() => Err(e.into()),
            // SQLite has rolled it back by itself. But its last frame may lie whole in the log, not indexed, and a
            // recovery after a crash would find it there, unless another commit has overwritten it before.
            Err(e) => {
                let error = CallError::from(e);
                if error.0.kind != StoreErrorKind::Full {
                    return Err(error.in_doubt());
                }
                // A write has fallen short, so the frame that would make it last is not whole: SQLite calls a failed
                // sync an I/O error. A file system that copies on write may have left the end of an older frame in its
                // place, so what room there is goes to a commit of nothing over the first frame, on which the checksums
                // of all others build. Where not even that one fits, there is no other.
                let _ = self.overwrite();
                Err(error)
            }
        }
    }

    /// Makes it last, and moves all of the log into the file, so that nothing is left in it that is not in the file any
    /// more. Waits for readers as for a lock.
    pub(super) fn commit_and_empty_log(self) -> Result<(), CallError> {
        let connection = self.connection;
        self.commit()?;
        let is_busy: bool = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
        if is_busy {
            let busy = StoreError::new(StoreErrorKind::Busy);
            let busy = busy.saying("what was dropped is still in the log, which others read: try again");
            return Err(CallError::from(busy).in_doubt());
        }
        Ok(())
    }

    /// Commits nothing, in one page.
    fn overwrite(self) -> Result<(), CallError> {
        let transaction = Self::write(self.connection, self.database)?;
        transaction.pragma_update(None, "user_version", FORMAT)?;
        Ok(transaction.execute_batch("COMMIT")?)
    }
}

impl std::ops::Deref for Transaction<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        // Some errors have rolled back already. One that cannot be rolled back still shows in the autocommit state,
        // and the store then closes the connection.
        if !self.connection.is_autocommit() {
            let _ = self.connection.prepare_cached("ROLLBACK").and_then(|mut sql| sql.execute([]));
        }
    }
}
