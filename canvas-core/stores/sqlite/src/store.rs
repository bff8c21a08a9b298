//! The store itself: each call of the contract.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use canvas_core::lease::Timestamp;
use canvas_core::store::{
    BlockingStore, Capabilities, Collected, Commit, Committed, Loaded, StoreError,
    StoreOperation as Operation, Version,
};
use canvas_core::{Blob, BlobId, CanvasId};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::blobs;
use super::collect::{self, Keep};
use super::error::CallError;
use super::listener::Listener;
use super::next_row::NextRow;
use super::open::{Database, Role};
use super::options::SqliteOptions;
use super::row::{self, RowVersion, wrong_type};
use super::transaction::Transaction;

/// Maximum number of blobs that one transaction reads. Other readers get the connection between two transactions.
const READS: usize = 1_000;

/// A store that keeps canvases in an SQLite file. The [module](super) describes its guarantees.
///
/// Another store on the same file, in this process or another, sees the same canvases. Every call may wait for the disk;
/// [`Blocking`](canvas_core::store::Blocking) turns this type into a [`Store`](canvas_core::store::Store).
pub struct SqliteStore {
    database: Database,
    /// `None` if the last connection had to be closed.
    writer: Mutex<Option<Connection>>,
    /// One connection is enough, because a read holds it only for one query, or for some hundred queries by key, and
    /// never while it waits for a writer.
    reader: Mutex<Option<Connection>>,
    clock: Box<dyn Fn() -> Timestamp + Send + Sync>,
}

impl SqliteStore {
    /// Opens a file with the default [`SqliteOptions`], and creates it if it is missing. Its folder must exist.
    ///
    /// Leases expire by `clock`. The store reads it while the file is locked, so it must return at once.
    ///
    /// # Errors
    ///
    /// Any problem with the file. The file then stays unchanged, except that a missing file may now exist and be empty.
    pub fn open(
        path: impl AsRef<Path>,
        clock: impl Fn() -> Timestamp + Send + Sync + 'static,
    ) -> Result<Self, StoreError> {
        Self::open_with(path, clock, SqliteOptions::default())
    }

    /// Opens a file like [`open`](Self::open), but with the given options.
    ///
    /// ```
    /// use canvas_store_sqlite::{SqliteOptions, SqliteStore, system_clock};
    ///
    /// # let folder = std::env::temp_dir().join(format!("canvas-open-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let file = folder.join("canvases.db");
    /// let options = SqliteOptions { busy_timeout: std::time::Duration::from_secs(2), ..SqliteOptions::default() };
    /// let store = SqliteStore::open_with(&file, system_clock, options)?;
    /// assert_eq!(store.path(), file);
    /// # drop(store);
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Any problem with the file. The file then stays unchanged, except that a missing file may now exist and be empty.
    pub fn open_with(
        path: impl AsRef<Path>,
        clock: impl Fn() -> Timestamp + Send + Sync + 'static,
        options: SqliteOptions,
    ) -> Result<Self, StoreError> {
        let opened = Database::open(path.as_ref(), options);
        let (database, writer, reader) = opened.map_err(|e| e.with_context(Operation::Open, None))?;
        Ok(Self {
            database,
            writer: Mutex::new(Some(writer)),
            reader: Mutex::new(Some(reader)),
            clock: Box::new(clock),
        })
    }

    /// Returns the absolute path of the file.
    pub fn path(&self) -> &Path {
        self.database.path()
    }

    /// Returns a listener for commits to the file. It opens a connection of its own at the first poll.
    pub fn listener(&self) -> Listener {
        Listener::new(self.database.clone())
    }

    /// Runs a job in a transaction, and adds operation and canvas to its error.
    fn run<T>(
        &self,
        role: Role,
        (operation, canvas): (Operation, Option<&CanvasId>),
        job: impl FnOnce(Transaction<'_>) -> Result<T, CallError>,
    ) -> Result<T, StoreError> {
        let (slot, begin): (_, fn(_, _) -> _) = match role {
            Role::Write => (&self.writer, Transaction::write),
            Role::Read => (&self.reader, Transaction::read),
        };
        // If the host's clock panics, the slot stays empty. The connection is closed, which rolls back its transaction.
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        let connection = match slot.take() {
            Some(connection) => connection,
            None => self.database.connect(role).map_err(|e| e.with_context(operation, canvas))?,
        };
        let result = begin(&connection, &self.database).and_then(job);
        let spoilt = result.as_ref().is_err_and(CallError::spoils_connection);
        if connection.is_autocommit() && !spoilt {
            *slot = Some(connection);
        }
        result.map_err(|CallError(error)| error.with_context(operation, canvas))
    }

    /// Reads the row inside the transaction. The clock is read after the row.
    fn row(&self, transaction: &Transaction<'_>, canvas: &CanvasId) -> Result<Option<Loaded>, CallError> {
        let mut select =
            transaction.prepare_cached("SELECT version, stamp, sum, head FROM canvas WHERE id = ?1")?;
        let mut rows = select.query([canvas.as_str().as_bytes()])?;
        match rows.next()? {
            Some(row) => {
                let (version, head) = row::read(canvas, row, 0)?;
                let clock = (self.clock)();
                Ok(Some(Loaded { head: Arc::new(head), version: version.name(), clock, document: None }))
            }
            None => Ok(None),
        }
    }
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, options) = (self.database.path(), self.database.options());
        f.debug_struct("SqliteStore").field("path", &path).field("options", options).finish_non_exhaustive()
    }
}

impl BlockingStore for SqliteStore {
    fn capabilities(&self) -> Capabilities {
        Capabilities { not_after: true, notify: false }
    }

    fn load(&self, canvas: &CanvasId) -> Result<Option<Loaded>, StoreError> {
        self.run(Role::Read, (Operation::Load, Some(canvas)), |transaction| self.row(&transaction, canvas))
    }

    fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        let Commit { expected, head, blobs: put, not_after } = commit;
        let canvas = head.canvas();
        // Encode before taking the lock, which others wait for.
        let version = expected.as_ref().map(RowVersion::of);
        let mut next = NextRow::new(version.flatten(), head.to_json());
        self.run(Role::Write, (Operation::Commit, Some(canvas)), |transaction| {
            let clock = (self.clock)();
            let is_late = not_after.is_some_and(|limit| clock >= limit);
            let written = match version {
                // The version takes precedence, even if the commit is too late.
                _ if is_late => None,
                Some(None) => None,
                Some(Some(version)) => next.swap(&transaction, canvas, version)?,
                None => next.make(&transaction, canvas)?,
            };
            let Some((key, version)) = written else {
                let current = self.row(&transaction, canvas)?;
                let matches = current.as_ref().map(|row| &row.version) == expected.as_ref();
                return Ok(if matches { Committed::Late { clock } } else { Committed::Conflict(current) });
            };
            blobs::put(&transaction, key, &put, millis(clock))?;
            transaction.commit()?;
            Ok(Committed::Done { version: version.name(), clock })
        })
    }

    fn blob(&self, canvas: &CanvasId, id: BlobId) -> Result<Option<Blob>, StoreError> {
        Ok(self.blobs(canvas, &[id])?.pop().flatten())
    }

    fn blobs(&self, canvas: &CanvasId, ids: &[BlobId]) -> Result<Vec<Option<Blob>>, StoreError> {
        let mut found = Vec::with_capacity(ids.len());
        for ids in ids.chunks(READS) {
            let blobs = self.run(Role::Read, (Operation::Blob, Some(canvas)), |transaction| {
                let key: Option<i64> = transaction
                    .prepare_cached("SELECT key FROM canvas WHERE id = ?1")?
                    .query_row([canvas.as_str().as_bytes()], |row| row.get(0))
                    .optional()?;
                key.map_or_else(|| Ok(BTreeMap::new()), |key| blobs::get(&transaction, key, ids))
            })?;
            found.extend(ids.iter().map(|id| blobs.get(id).cloned()));
        }
        Ok(found)
    }

    fn list(&self, after: Option<&CanvasId>, limit: usize) -> Result<Vec<CanvasId>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        // Every id sorts after the empty one.
        let after = after.map_or(&[][..], |canvas| canvas.as_str().as_bytes());
        self.run(Role::Read, (Operation::List, None), |transaction| {
            let mut select =
                transaction.prepare_cached("SELECT id FROM canvas WHERE id > ?1 ORDER BY id LIMIT ?2")?;
            let mut rows = select.query(params![after, limit])?;
            let mut canvases = Vec::new();
            while let Some(row) = rows.next()? {
                let id = row.get_ref(0)?.as_blob().map_err(wrong_type)?;
                let id = str::from_utf8(id).ok().and_then(|id| CanvasId::new(id).ok());
                canvases.push(id.ok_or_else(|| CallError::damaged("a canvas has an id that is no name"))?);
            }
            Ok(canvases)
        })
    }

    fn collect(
        &self,
        canvas: &CanvasId,
        keep: &BTreeSet<BlobId>,
        older_than: Duration,
        at: &Version,
    ) -> Result<Collected, StoreError> {
        self.run(Role::Write, (Operation::Collect, Some(canvas)), |transaction| {
            let mut select = transaction
                .prepare_cached("SELECT key, version, stamp, sum, head FROM canvas WHERE id = ?1")?;
            let mut rows = select.query([canvas.as_str().as_bytes()])?;
            let Some(row) = rows.next()? else { return Ok(Collected::Conflict) };
            let (key, (version, head)): (i64, _) = (row.get(0)?, row::read(canvas, row, 1)?);
            drop(rows);
            drop(select);
            if version.name() != *at {
                return Ok(Collected::Conflict);
            }
            let needed: BTreeSet<BlobId> = head.blobs().collect();
            let needed: BTreeSet<&[u8]> =
                keep.iter().chain(&needed).map(|id| id.as_bytes().as_slice()).collect();
            let newest = (!older_than.is_zero())
                .then(|| millis((self.clock)()).saturating_sub_unsigned(millis_of(older_than)));
            let dropped = collect::collect(&transaction, key, &Keep { needed, newest })?;
            match older_than {
                Duration::ZERO => transaction.commit_and_rewrite()?,
                _ => transaction.commit()?,
            }
            Ok(Collected::Done { blobs: dropped.blobs, bytes: dropped.bytes })
        })
    }
}

/// Converts a time to the milliseconds of a column.
fn millis(time: Timestamp) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

fn millis_of(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
