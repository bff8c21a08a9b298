//! One transaction on one connection, and what a COMMIT that fails has done.

use std::thread;
use std::time::Duration;

use canvas_core::store::StoreErrorKind;
use rusqlite::Connection;

use super::error::CallError;
use super::open::{Database, Wait};
use super::options::Options;
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

    /// Makes it last, and rewrites the file, so that nothing is left in it or in its log that no row has. Waits for
    /// writers, and then for readers, as for a lock.
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
            CallError(error.in_doubt().saying(left))
        })
    }

    /// Commits nothing, in one page.
    fn overwrite(self) -> Result<(), CallError> {
        let transaction = Self::write(self.connection, self.database)?;
        transaction.pragma_update(None, "user_version", FORMAT)?;
        Ok(transaction.execute_batch("COMMIT")?)
    }
}

/// Puts every row onto a fresh page, in time linear in the file.
///
/// Zeros over deleted rows are not enough. If a page is full or nearly empty, SQLite spreads its rows over neighbouring pages
/// and leaves copies of the moved rows in the gap between the pointers and the rows of a page (`rebuildPage`). A later delete
/// overwrites the row itself and not these copies. Which pages have such copies SQL
/// does not tell, and a descriptor of our own, to read the file by, would drop SQLite's locks when it is closed.
fn rewrite(connection: &Connection) -> Result<(), CallError> {
    Ok(connection.execute_batch("VACUUM;")?)
}

/// Moves all of the log into the file, and makes it empty.
fn empty_log(connection: &Connection, options: &Options) -> Result<(), CallError> {
    const PAUSE: Duration = Duration::from_millis(5);
    let wait = Wait::begin(options);
    let emptied = loop {
        wait.share(connection)?;
        let is_busy =
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0));
        // SQLite itself does not wait for others who move the log into the file, as each writer does once it is long.
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
        // Some errors have rolled back already. One that cannot be rolled back still shows in the autocommit state,
        // and the store then closes the connection.
        if !self.connection.is_autocommit() {
            let _ = self.connection.prepare_cached("ROLLBACK").and_then(|mut sql| sql.execute([]));
        }
    }
}
