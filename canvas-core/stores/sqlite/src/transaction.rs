//! One transaction on one connection, and the outcome of a failed COMMIT.

use std::thread;
use std::time::Duration;

use canvas_core::store::StoreErrorKind;
use rusqlite::Connection;

use super::error::CallError;
use super::open::{Database, Wait};
use super::options::SqliteOptions;
use super::schema::{FORMAT, too_new, too_old};

/// An open transaction. Dropping it rolls it back.
pub(super) struct Transaction<'a> {
    connection: &'a Connection,
    database: &'a Database,
}

impl<'a> Transaction<'a> {
    /// Begins a read transaction, which sees one state and never waits for a writer.
    pub(super) fn read(connection: &'a Connection, database: &'a Database) -> Result<Self, CallError> {
        Self::begin(connection, database, "BEGIN DEFERRED")
    }

    /// Begins a write transaction, which takes the lock at once. A transaction that takes the lock later fails immediately
    /// if another connection was faster, whatever the timeout.
    pub(super) fn write(connection: &'a Connection, database: &'a Database) -> Result<Self, CallError> {
        Self::begin(connection, database, "BEGIN IMMEDIATE")
    }

    fn begin(connection: &'a Connection, database: &'a Database, sql: &str) -> Result<Self, CallError> {
        connection.prepare_cached(sql)?.execute([])?;
        let transaction = Self { connection, database };
        database.check_place()?;
        // Another process may have migrated the file to a later format since it was opened.
        let found: i64 =
            transaction.prepare_cached("PRAGMA user_version")?.query_row([], |row| row.get(0))?;
        match found.cmp(&FORMAT) {
            std::cmp::Ordering::Less if found > 0 => Err(too_old().into()),
            std::cmp::Ordering::Less => Err(CallError::damaged("the file has lost its format number")),
            std::cmp::Ordering::Equal => Ok(transaction),
            std::cmp::Ordering::Greater => Err(too_new(found).into()),
        }
    }

    pub(super) fn commit(self) -> Result<(), CallError> {
        let done = self.prepare_cached("COMMIT").and_then(|mut commit| commit.execute([]));
        match done {
            // Somebody may have removed the file since the transaction began.
            Ok(_) => self.database.check_place().map_err(CallError::into_indeterminate),
            // The transaction is still open, for example because another connection has the lock. The drop rolls it back.
            Err(e) if !self.connection.is_autocommit() => Err(e.into()),
            // SQLite has rolled it back by itself. However, its last frame may be complete in the log, though not indexed.
            // Recovery after a crash would find it there, unless another commit has overwritten it before.
            Err(e) => {
                let error = CallError::from(e);
                if error.0.kind != StoreErrorKind::Full {
                    return Err(error.into_indeterminate());
                }
                // A write fell short, so the frame that would make the commit durable is incomplete. (A failed sync would
                // be an I/O error.) On a copy-on-write file system, the end of an older frame may remain in its place. For
                // this reason, use the remaining space for an empty commit over the first frame, on which the checksums of
                // all others depend. If even that does not fit, there is no other way.
                let _ = self.overwrite();
                Err(error)
            }
        }
    }

    /// Commits and rewrites the file, so that neither the file nor its log contains data that belongs to no row. Waits for
    /// writers, and then for readers, for at most the lock timeout each.
    pub(super) fn commit_and_rewrite(self) -> Result<(), CallError> {
        let (connection, options) = (self.connection, self.database.options());
        self.commit()?;
        let rewritten = rewrite(connection).and_then(|()| empty_log(connection, options));
        rewritten.map_err(|CallError(error)| {
            let next = match error.kind {
                StoreErrorKind::Full => "make room for two more copies of the file, then try again",
                _ => "try again, best while few others use the file",
            };
            let left = format!("what was dropped may still be readable in the file or its log: {next}");
            CallError(error.into_indeterminate().with_message(left))
        })
    }

    /// Commits an empty transaction, which takes one page.
    fn overwrite(self) -> Result<(), CallError> {
        let transaction = Self::write(self.connection, self.database)?;
        transaction.pragma_update(None, "user_version", FORMAT)?;
        Ok(transaction.execute_batch("COMMIT")?)
    }
}

/// Moves every row to a fresh page, in time linear in the size of the file.
///
/// Zeros over deleted rows are not enough. If a page is full or nearly empty, SQLite spreads its rows over neighbouring
/// pages and leaves copies of the moved rows in the gap between the pointers and the rows of a page (`rebuildPage`). A
/// later delete overwrites the row itself but not these copies. SQL does not reveal which pages have such copies. Reading
/// the file by a descriptor of our own is not an alternative, because closing that descriptor would drop SQLite's locks.
fn rewrite(connection: &Connection) -> Result<(), CallError> {
    Ok(connection.execute_batch("VACUUM;")?)
}

/// Moves all of the log into the file, and empties the log.
fn empty_log(connection: &Connection, options: &SqliteOptions) -> Result<(), CallError> {
    const PAUSE: Duration = Duration::from_millis(5);
    let wait = Wait::begin(options);
    let emptied = loop {
        wait.share(connection)?;
        let is_busy =
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0));
        // SQLite itself does not wait for other connections that move the log into the file, which each writer does once
        // the log is long.
        if !matches!(is_busy, Ok(true)) || wait.left().is_zero() {
            break is_busy;
        }
        thread::sleep(wait.left().min(PAUSE));
    };
    wait.end(connection)?;
    if emptied? {
        return Err(StoreErrorKind::Busy.into());
    }
    Ok(())
}

impl std::ops::Deref for Transaction<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        // Some errors have already rolled back. If the rollback itself fails, the autocommit state still shows it, and the
        // store then closes the connection.
        if !self.connection.is_autocommit() {
            let _ = self.connection.prepare_cached("ROLLBACK").and_then(|mut sql| sql.execute([]));
        }
    }
}
