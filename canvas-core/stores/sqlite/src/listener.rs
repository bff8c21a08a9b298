//! Polling for commits by other connections to the file, including those of other processes.

use std::collections::BTreeMap;
use std::fmt;

use canvas_core::CanvasId;
use canvas_core::store::{StoreError, StoreOperation};
use rusqlite::{Connection, OptionalExtension as _};

use super::error::CallError;
use super::open::{Database, Role};
use super::row::RowVersion;
use super::transaction::Transaction;

/// Reports which canvases received commits, by any store on the file, in this process or another.
///
/// SQLite sends no notifications, so a thread or a timer of the host calls [`poll`](Self::poll) as often as the host
/// wants. Use it to show changes soon and to stop a loop early. The listener learns of a commit only afterwards, so the
/// store does not claim [`Capabilities::notify`](canvas_core::store::Capabilities::notify), and reads of the engine
/// still load the head.
///
/// ```no_run
/// # use std::time::Duration;
/// # use canvas_core::store::{Blocking, StoreError};
/// # use canvas_core::{CanvasId, Engine};
/// # use canvas_store_sqlite::SqliteStore;
/// # fn host(engine: Engine<Blocking<SqliteStore>>, watched: &[CanvasId]) -> Result<(), StoreError> {
/// let mut listener = engine.store().inner().listener();
/// loop {
///     for canvas in listener.poll(watched)? {
///         // Read it again, and show it.
///     }
///     std::thread::sleep(Duration::from_millis(50));
/// }
/// # }
/// ```
pub struct Listener {
    database: Database,
    /// `None` before the first poll and after an error.
    connection: Option<Connection>,
    /// The file's `data_version` at the last poll.
    seen: Option<i64>,
    /// The versions of the watched canvases; `None` for a canvas without a row.
    versions: BTreeMap<CanvasId, Option<RowVersion>>,
}

impl Listener {
    pub(super) fn new(database: Database) -> Self {
        Self { database, connection: None, seen: None, versions: BTreeMap::new() }
    }

    /// Returns the watched canvases that received commits since the last call, and those that are watched for the first
    /// time. A canvas with several commits is returned once.
    ///
    /// If nobody has committed to the file, a call costs one `PRAGMA data_version` without reading the disk: 5 µs, or 9 µs
    /// with 100 watched canvases. After a commit to any canvas it looks up each watched one, which takes 1.4 µs each. For
    /// comparison, a load takes 14 µs, or 32 µs if the head has 128 receipts.
    ///
    /// # Errors
    ///
    /// The same errors as a load. The next call reconnects and misses no commit.
    pub fn poll<'a>(
        &mut self,
        watched: impl IntoIterator<Item = &'a CanvasId>,
    ) -> Result<Vec<CanvasId>, StoreError> {
        let polled = self.look(watched);
        if polled.is_err() {
            (self.connection, self.seen) = (None, None);
        }
        polled.map_err(|CallError(error)| error.with_context(StoreOperation::Listen, None))
    }

    fn look<'a>(
        &mut self,
        watched: impl IntoIterator<Item = &'a CanvasId>,
    ) -> Result<Vec<CanvasId>, CallError> {
        self.database.check_place()?;
        let connection = match &self.connection {
            Some(connection) => connection,
            None => self.connection.insert(self.database.connect(Role::Read)?),
        };
        // Read this before the versions, so that the next call reports a commit in between.
        let now = connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?;
        let old = if self.seen == Some(now) { None } else { Some(std::mem::take(&mut self.versions)) };
        let known = old.as_ref().unwrap_or(&self.versions);
        let unknown = watched.into_iter().filter(|canvas| old.is_some() || !known.contains_key(*canvas));
        let unknown: Vec<&CanvasId> = unknown.collect();
        let mut changed = Vec::new();
        if !unknown.is_empty() {
            let transaction = Transaction::read(connection, &self.database)?;
            let mut select = transaction.prepare_cached("SELECT version, stamp FROM canvas WHERE id = ?1")?;
            let mut found = Vec::with_capacity(unknown.len());
            for canvas in unknown {
                let version = select
                    .query_row([canvas.as_str().as_bytes()], |row| RowVersion::at(row, 0))
                    .optional()?;
                if known.get(canvas) != Some(&version) {
                    changed.push(canvas.clone());
                }
                found.push((canvas.clone(), version));
            }
            self.versions.extend(found);
        }
        self.seen = Some(now);
        Ok(changed)
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Listener({:?}, {} watched)", self.database.path(), self.versions.len())
    }
}
