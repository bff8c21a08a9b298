//! Opens a file, checks whether it is ours, identifies it, and sets up its connections.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, io, thread};

use canvas_core::store::{StoreError, StoreErrorKind};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::error::{CallError, DENIED, MOVED, at_file};
use super::options::{Durability, SqliteOptions};
use super::schema::{self, FORMAT, Found};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Write,
    Read,
}

/// Device and inode number of the file at a path, to notice if another file takes its place. The creation time is not
/// used, because some file systems make it up each time.
type FileId = (u64, u64);

#[cfg(unix)]
fn file_id(path: &Path) -> io::Result<FileId> {
    use std::os::unix::fs::MetadataExt as _;

    fs::metadata(path).map(|file| (file.dev(), file.ino()))
}

/// On other systems, a file that SQLite has open cannot be replaced.
#[cfg(not(unix))]
fn file_id(path: &Path) -> io::Result<FileId> {
    fs::metadata(path).map(|_| (0, 0))
}

/// The file of a store, from which connections are opened.
#[derive(Debug, Clone)]
pub(super) struct Database {
    path: PathBuf,
    options: SqliteOptions,
    file: FileId,
}

impl Database {
    /// Opens a file for the first time, and creates it if it is missing. Returns a writer and a reader.
    pub(super) fn open(
        path: &Path,
        options: SqliteOptions,
    ) -> Result<(Self, Connection, Connection), StoreError> {
        // An absolute path survives a change of the working directory, and SQLite cannot mistake it for anything but a
        // path.
        let path = std::path::absolute(path).map_err(|e| {
            let nowhere = StoreError::new(StoreErrorKind::Unavailable);
            at_file(path, nowhere.with_message("the path leads nowhere: give another path").with_source(e))
        })?;
        let wait = Wait::begin(&options);
        let writer = connect(&path, &options, OpenFlags::SQLITE_OPEN_CREATE)?;
        let is_current = is_current(&path, &writer)?;
        keep_log(&path, &writer, &wait)?;
        set_up(&writer, &options, Role::Write).map_err(|e| at_file(&path, e))?;
        if !is_current {
            wait.share(&writer).map_err(|e| at_file(&path, e))?;
            let found = schema::migrate(&writer).map_err(|e| at_file(&path, e))?;
            accept(&path, found)?;
        }
        let file = identify(&path, &writer)?;
        wait.end(&writer).map_err(|e| at_file(&path, e))?;
        let database = Self { path, options, file };
        let reader = database.connect_within(Role::Read, &wait)?;
        Ok((database, writer, reader))
    }

    pub(super) fn connect(&self, role: Role) -> Result<Connection, StoreError> {
        self.connect_within(role, &Wait::begin(&self.options))
    }

    fn connect_within(&self, role: Role, wait: &Wait) -> Result<Connection, StoreError> {
        let at = |e| at_file(&self.path, e);
        self.check_place().map_err(at)?;
        let connection = connect(&self.path, &self.options, OpenFlags::empty())?;
        wait.share(&connection).map_err(|e| at(e.into()))?;
        if identify(&self.path, &connection)? != self.file || !is_current(&self.path, &connection)? {
            return Err(at(moved().into()));
        }
        keep_log(&self.path, &connection, wait)?;
        set_up(&connection, &self.options, role).map_err(|e| at(e.into()))?;
        wait.end(&connection).map_err(|e| at(e.into()))?;
        Ok(connection)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn options(&self) -> &SqliteOptions {
        &self.options
    }

    /// Fails if the opened file is no longer at the path. With a log, SQLite itself continues in a file that was
    /// deleted or replaced, and its writes there are lost.
    pub(super) fn check_place(&self) -> Result<(), CallError> {
        match file_id(&self.path) {
            Ok(file) if file == self.file => Ok(()),
            _ => Err(moved().into()),
        }
    }
}

fn moved() -> StoreError {
    StoreError::new(MOVED.0).with_message(MOVED.1)
}

fn connect(path: &Path, options: &SqliteOptions, create: OpenFlags) -> Result<Connection, StoreError> {
    // Our own mutex guards each connection, so SQLite needs none.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | create;
    let connection = Connection::open_with_flags(path, flags).map_err(|e| at_file(path, e))?;
    let guarded = || {
        connection.busy_timeout(options.busy_timeout.min(LONGEST_TIMEOUT))?;
        // Takes effect only in a new file.
        connection.pragma_update(None, "page_size", PAGE_BYTES)?;
        // A file from elsewhere must not run code by its schema.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        // SQLite falls back to read-only access if it may not write.
        connection.is_readonly("main")
    };
    match guarded() {
        Ok(false) => Ok(connection),
        Ok(true) => Err(at_file(path, StoreError::new(DENIED.0).with_message(DENIED.1))),
        Err(e) => Err(at_file(path, e)),
    }
}

/// SQLite counts milliseconds in an `int`.
const LONGEST_TIMEOUT: Duration = Duration::from_millis(i32::MAX as u64);

/// Whether a file has our current tables; false if `migrate` must still create or upgrade them. Refuses a foreign file.
fn is_current(path: &Path, connection: &Connection) -> Result<bool, StoreError> {
    let found = schema::examine(connection).map_err(|e| at_file(path, e))?;
    accept(path, found)
}

fn accept(path: &Path, found: Found) -> Result<bool, StoreError> {
    match found {
        Found::Ours(format) => Ok(format == FORMAT),
        Found::Empty => Ok(false),
        Found::TooNew(found) => Err(at_file(path, schema::too_new(found))),
        Found::Foreign => Err(at_file(
            path,
            StoreError::new(StoreErrorKind::Unfit)
                .with_message("the file belongs to another application: give the path of another file"),
        )),
    }
}

/// The time that a call of several steps may wait for locks. Each step may meet a lock, and SQLite would wait the full
/// timeout for each.
pub(super) struct Wait {
    start: Instant,
    timeout: Duration,
}

impl Wait {
    pub(super) fn begin(options: &SqliteOptions) -> Self {
        Self { start: Instant::now(), timeout: options.busy_timeout.min(LONGEST_TIMEOUT) }
    }

    pub(super) fn left(&self) -> Duration {
        self.timeout.saturating_sub(self.start.elapsed())
    }

    /// Lets the next step wait for the remaining time.
    pub(super) fn share(&self, connection: &Connection) -> rusqlite::Result<()> {
        connection.busy_timeout(self.left())
    }

    /// Restores the full timeout for each later call.
    pub(super) fn end(&self, connection: &Connection) -> rusqlite::Result<()> {
        connection.busy_timeout(self.timeout)
    }
}

/// Switches the file to a write-ahead log.
fn keep_log(path: &Path, connection: &Connection, wait: &Wait) -> Result<(), StoreError> {
    const PAUSE: Duration = Duration::from_millis(5);
    loop {
        wait.share(connection).map_err(|e| at_file(path, e))?;
        let mode: rusqlite::Result<String> =
            connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0));
        match mode {
            Ok(mode) if mode == "wal" => return Ok(()),
            Ok(mode) => {
                let no_log = format!("the file system allows journal mode {mode:?} and no write-ahead log");
                let unfit = StoreError::new(StoreErrorKind::Unfit);
                return Err(at_file(path, unfit.with_message(no_log + ": put the file on a local disk")));
            }
            Err(e) => {
                let error = CallError::from(e);
                // SQLite reads before it switches, and after a read it does not wait for a writer.
                let left = wait.left();
                if error.0.kind != StoreErrorKind::Busy || left.is_zero() {
                    return Err(at_file(path, error));
                }
                thread::sleep(left.min(PAUSE));
            }
        }
    }
}

fn set_up(connection: &Connection, options: &SqliteOptions, role: Role) -> rusqlite::Result<()> {
    let synchronous = match options.durability {
        Durability::Process => "NORMAL",
        Durability::Power => "FULL",
    };
    connection.pragma_update(None, "synchronous", synchronous)?;
    // If a plain sync leaves data in the drive's own cache (macOS), only a full sync keeps the order of log and file.
    connection.pragma_update(None, "checkpoint_fullfsync", true)?;
    connection.pragma_update(None, "fullfsync", options.durability == Durability::Power)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // Overwrite deleted data with zeros, in free pages too. Otherwise a text that must disappear stays readable in the file
    // until its space is reused.
    connection.pragma_update_and_check(None, "secure_delete", true, |_| Ok(()))?;
    // Otherwise the log would keep its size after one large commit, for as long as the file is open.
    let log_limit = connection.pragma_update_and_check(None, "journal_size_limit", LOG_BYTES, |_| Ok(()));
    log_limit?;
    // A canvas writes the same few pages again and again, so with a longer log fewer of them are written to the file.
    let page: i64 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
    connection.pragma_update_and_check(None, "wal_autocheckpoint", LOG_BYTES / page.max(512), |_| Ok(()))?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    match role {
        Role::Write => limit_size(connection, options),
        Role::Read => connection.pragma_update(None, "query_only", true),
    }
}

/// Page size of new files. A commit writes each page that it touches in full, including two pages of the packs' index
/// in which it changes little. Of 2, 4 and 8 KiB this was the best for a document of 4 KiB. A file keeps its page size;
/// files of format 3 have 8 KiB.
const PAGE_BYTES: i64 = 4 << 10;

/// Enough to keep all statements of this store compiled.
const STATEMENTS: usize = 64;

/// Size of the log at which SQLite moves it into the file, and the most that stays on disk afterwards.
const LOG_BYTES: i64 = 16 << 20;

const MOST_PAGES: u32 = u32::MAX - 1;

fn limit_size(connection: &Connection, options: &SqliteOptions) -> rusqlite::Result<()> {
    let Some(bytes) = options.max_bytes else { return Ok(()) };
    let page: u32 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
    let pages = u32::try_from(bytes / u64::from(page.max(1))).unwrap_or(MOST_PAGES).clamp(1, MOST_PAGES);
    connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))
}

/// Returns the identity of a connection's file.
fn identify(path: &Path, connection: &Connection) -> Result<FileId, StoreError> {
    let file = file_id(path).map_err(|_| at_file(path, moved()))?;
    if has_moved(connection).map_err(|e| at_file(path, e))? {
        return Err(at_file(path, moved()));
    }
    Ok(file)
}

#[cfg(unix)]
fn has_moved(connection: &Connection) -> rusqlite::Result<bool> {
    let mut moved = 0;
    connection.file_control(Some("main"), rusqlite::FileControl::HasMoved(&mut moved))?;
    Ok(moved != 0)
}

#[cfg(not(unix))]
fn has_moved(_: &Connection) -> rusqlite::Result<bool> {
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The settings have no visible effect until the power fails, so this test reads them back.
    #[test]
    fn connections_are_set_up_as_the_options_say() {
        let folder = std::env::temp_dir().join(format!("canvas-sqlite-open-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        for (durability, synchronous, full_sync) in [(Durability::Process, 1, 0), (Durability::Power, 2, 1)] {
            let options = SqliteOptions { durability, busy_timeout: Duration::MAX, max_bytes: Some(1 << 20) };
            let (_, writer, reader) = Database::open(&folder.join("x.db"), options).unwrap();
            for (connection, query_only) in [(&writer, 0), (&reader, 1)] {
                let settings = [
                    ("synchronous", synchronous),
                    ("fullfsync", full_sync),
                    ("checkpoint_fullfsync", 1),
                    ("foreign_keys", 1),
                    ("secure_delete", 1),
                    ("trusted_schema", 0),
                    ("busy_timeout", i64::from(i32::MAX)),
                    ("journal_size_limit", LOG_BYTES),
                    ("wal_autocheckpoint", LOG_BYTES / PAGE_BYTES),
                    ("query_only", query_only),
                ];
                for (name, expected) in settings {
                    let found: i64 = connection.pragma_query_value(None, name, |row| row.get(0)).unwrap();
                    assert_eq!(found, expected, "{name}, {durability:?}, query_only {query_only}");
                }
            }
            let pages: i64 = writer.pragma_query_value(None, "max_page_count", |row| row.get(0)).unwrap();
            assert_eq!(pages, (1 << 20) / PAGE_BYTES);
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
