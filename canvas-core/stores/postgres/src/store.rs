//! The store itself: each call of the contract.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use canvas_core::store::{
    Capabilities, Collected, Commit, Committed, Loaded, Store, StoreError, StoreErrorKind,
    StoreOperation as Operation, Version,
};
use canvas_core::{Blob, BlobId, CanvasId};
use deadpool_postgres::Pool;
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::error::{CallError, STANDBY, UNEXPECTED};
use super::options::Schema;
use super::row::{RowVersion, column, loaded, only};
use super::schema;
use super::session::{Param, Sessions};

/// Maximum number of blobs that one statement reads.
const READS: usize = 1_000;

/// A store that keeps canvases in a PostgreSQL database. Clones share the pool.
///
/// The [module](super) describes its guarantees and requirements.
#[derive(Clone)]
pub struct PostgresStore(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub(super) sessions: Sessions,
    pub(super) schema: Schema,
    pub(super) texts: Texts,
    pub(super) channel: String,
    /// Whether the tables have the version that this store needs.
    pub(super) checked: AtomicBool,
}

/// The SQL statements, with the schema's name filled in.
pub(super) struct Texts {
    pub(super) load: String,
    pub(super) commit: String,
    pub(super) create: String,
    pub(super) blob: String,
    pub(super) blobs: String,
    pub(super) list: String,
    pub(super) collect: String,
}

impl PostgresStore {
    /// Creates the schema and its tables if they are missing, and upgrades tables of an earlier version. Current tables
    /// stay unchanged. Any number of servers may call it at once. It needs a role that may create tables; the other methods
    /// do not.
    ///
    /// # Errors
    ///
    /// `STORE_TOO_NEW` if a later version of this store created the tables; `STORE_DENIED`; errors of the server and of
    /// the connection. If it fails, it leaves no partial change, and you may call it again.
    pub async fn migrate(&self) -> Result<(), StoreError> {
        schema::migrate(&self.0.sessions, &self.0.schema).await.map_err(|error| error.error)
    }

    /// Checks that the tables exist and have the right version. Each store does this before its first call. Call it
    /// yourself to learn of a problem when the host starts.
    ///
    /// # Errors
    ///
    /// `STORE_UNFIT`, `STORE_TOO_NEW`, `STORE_DENIED`, and errors of the connection.
    pub async fn check(&self) -> Result<(), StoreError> {
        self.look(Operation::Open).await.map_err(|error| error.error)
    }

    /// Returns the name of the schema, without quotes.
    pub fn schema(&self) -> &str {
        self.0.schema.name()
    }

    /// Returns the channel of the preemption notifications, for a host that listens without a
    /// [`Listener`](super::Listener).
    pub fn channel(&self) -> &str {
        &self.0.channel
    }

    /// Returns the pool, so that a host can monitor or close it.
    pub fn pool(&self) -> &Pool {
        &self.0.sessions.pool
    }

    async fn look(&self, operation: Operation) -> Result<(), CallError> {
        schema::check(&self.0.sessions, &self.0.schema, operation).await?;
        self.0.checked.store(true, Ordering::Relaxed);
        Ok(())
    }

    pub(super) async fn query(
        &self,
        operation: Operation,
        text: &str,
        params: &[Param<'_>],
    ) -> Result<Vec<Row>, CallError> {
        if !self.0.checked.load(Ordering::Relaxed) {
            // However the check ends, the call itself was not sent.
            self.look(operation).await.map_err(|error| CallError { unsure: false, ..error })?;
        }
        let result = self.0.sessions.query(operation, text, params).await;
        if let Err(error) = &result
            && error.error.kind == StoreErrorKind::Unfit
        {
            // A later version may have migrated the tables, so the next call checks again.
            self.0.checked.store(false, Ordering::Relaxed);
        }
        result
    }

    /// Refuses the answers of a standby, which may be behind a state that another call has returned.
    fn primary<'a>(&self, operation: Operation, rows: &'a [Row]) -> Result<&'a Row, CallError> {
        let row = only(operation, rows)?;
        if column(operation, row, "standby")? {
            // The pool's other connections may lead to the standby too, so drop them all.
            self.0.sessions.pool.retain(|_, _| false);
            return Err(CallError::unsent(operation, STANDBY));
        }
        Ok(row)
    }

    pub(super) async fn read(
        &self,
        operation: Operation,
        canvas: &CanvasId,
    ) -> Result<Option<Loaded>, StoreError> {
        let fault = |error: CallError| error.of(canvas).of_read();
        let params: [Param<'_>; 1] = [(&canvas.as_str().as_bytes(), Type::BYTEA)];
        let rows = self.query(operation, &self.0.texts.load, &params).await.map_err(fault)?;
        let row = self.primary(operation, &rows).map_err(fault)?;
        let Some(version) = column(operation, row, "version").map_err(fault)? else { return Ok(None) };
        let stamp = column(operation, row, "stamp").map_err(fault)?;
        let head = column(operation, row, "head").map_err(fault)?;
        let clock = column(operation, row, "clock").map_err(fault)?;
        loaded(operation, canvas, RowVersion { version, stamp }, head, clock).map(Some)
    }
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { sessions, schema, .. } = self.0.as_ref();
        write!(f, "PostgresStore({schema:?}, {:?}, {:?})", sessions.statements, sessions.pool.status())
    }
}

impl Store for PostgresStore {
    fn capabilities(&self) -> Capabilities {
        // Notifications come after the commit and may be lost, so reads must load.
        Capabilities { not_after: true, notify: false }
    }

    async fn load(&self, canvas: &CanvasId) -> Result<Option<Loaded>, StoreError> {
        self.read(Operation::Load, canvas).await
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        self.swap_or_create(commit).await
    }

    async fn blob(&self, canvas: &CanvasId, id: BlobId) -> Result<Option<Blob>, StoreError> {
        let operation = Operation::Blob;
        let fault = |error: CallError| error.of(canvas).of_read();
        let params: [Param<'_>; 2] =
            [(&canvas.as_str().as_bytes(), Type::BYTEA), (&id.as_bytes().as_slice(), Type::BYTEA)];
        let rows = self.query(operation, &self.0.texts.blob, &params).await.map_err(fault)?;
        let row = self.primary(operation, &rows).map_err(fault)?;
        let content: Option<Vec<u8>> = column(operation, row, "content").map_err(fault)?;
        Ok(content.map(Blob::bytes))
    }

    async fn blobs(&self, canvas: &CanvasId, ids: &[BlobId]) -> Result<Vec<Option<Blob>>, StoreError> {
        let operation = Operation::Blob;
        let fault = |error: CallError| error.of(canvas).of_read();
        let hashes: BTreeSet<&[u8]> = ids.iter().map(|id| id.as_bytes().as_slice()).collect();
        let hashes: Vec<&[u8]> = hashes.into_iter().collect();
        let mut found: BTreeMap<Vec<u8>, Blob> = BTreeMap::new();
        for hashes in hashes.chunks(READS) {
            let params: [Param<'_>; 2] =
                [(&canvas.as_str().as_bytes(), Type::BYTEA), (&hashes, Type::BYTEA_ARRAY)];
            let rows = self.query(operation, &self.0.texts.blobs, &params).await.map_err(fault)?;
            self.primary(operation, &rows).map_err(fault)?;
            for row in &rows {
                let Some(hash) = column(operation, row, "hash").map_err(fault)? else { break };
                let content = column(operation, row, "content").map_err(fault)?;
                found.insert(hash, Blob::bytes(content));
            }
        }
        Ok(ids.iter().map(|id| found.get(id.as_bytes().as_slice()).cloned()).collect())
    }

    async fn list(&self, after: Option<&CanvasId>, limit: usize) -> Result<Vec<CanvasId>, StoreError> {
        let operation = Operation::List;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        // Ids are not empty, so every id sorts after the empty one.
        let after = after.map_or("", CanvasId::as_str).as_bytes();
        let params: [Param<'_>; 2] = [(&after, Type::BYTEA), (&limit, Type::INT8)];
        let rows = self.query(operation, &self.0.texts.list, &params).await.map_err(CallError::of_read)?;
        self.primary(operation, &rows).map_err(CallError::of_read)?;
        let mut canvases = Vec::with_capacity(rows.len());
        for row in &rows {
            let Some(bytes) =
                column::<Option<&[u8]>>(operation, row, "canvas").map_err(CallError::of_read)?
            else {
                break;
            };
            let canvas = std::str::from_utf8(bytes).ok().and_then(|name| CanvasId::new(name).ok());
            canvases.push(canvas.ok_or_else(|| CallError::unsent(operation, UNEXPECTED).of_read())?);
        }
        Ok(canvases)
    }

    async fn collect(
        &self,
        canvas: &CanvasId,
        keep: &BTreeSet<BlobId>,
        older_than: Duration,
        at: &Version,
    ) -> Result<Collected, StoreError> {
        let operation = Operation::Collect;
        // The version determines the blobs that the head needs.
        let row = self.read(operation, canvas).await?.filter(|row| row.version == *at);
        let Some(row) = row else { return Ok(Collected::Conflict) };
        let keep: BTreeSet<BlobId> = keep.iter().copied().chain(row.head.blobs()).collect();
        let keep: Vec<&[u8]> = keep.iter().map(|id| id.as_bytes().as_slice()).collect();
        // Half of the maximum, so that subtracting it from any clock cannot overflow.
        let micros = i64::try_from(older_than.as_micros()).unwrap_or(i64::MAX).min(i64::MAX / 2);
        let age = (!older_than.is_zero()).then_some(micros);
        let version = RowVersion::of(at);
        let params: [Param<'_>; 5] = [
            (&canvas.as_str().as_bytes(), Type::BYTEA),
            (&version.version, Type::INT8),
            (&version.stamp, Type::INT8),
            (&keep, Type::BYTEA_ARRAY),
            (&age, Type::INT8),
        ];
        let collected = async {
            let rows = self.query(operation, &self.0.texts.collect, &params).await?;
            let row = only(operation, &rows)?;
            if !column::<bool>(operation, row, "unchanged")? {
                return Ok(Collected::Conflict);
            }
            let (blobs, bytes): (i64, i64) =
                (column(operation, row, "blobs")?, column(operation, row, "bytes")?);
            Ok(Collected::Done { blobs: blobs.unsigned_abs(), bytes: bytes.unsigned_abs() })
        };
        collected.await.map_err(|error: CallError| error.of(canvas).of_write())
    }
}
