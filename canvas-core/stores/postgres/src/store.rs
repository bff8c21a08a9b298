//! The store: five methods, a statement each.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use canvas_core::{
    Blob, BlobId, CanvasId, Capabilities, Commit, Committed, Loaded, Store, StoreError, StoreErrorKind,
    StoreOperation as Operation,
};
use deadpool_postgres::{Manager, ManagerConfig, Pool, PoolConfig, Runtime, Timeouts};
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres::types::Type;
use tokio_postgres::{Config, Row, Socket};

use super::error::{BUSY, CallError, NO_CONNECTION, STANDBY, UNEXPECTED};
use super::migrate;
use super::options::{PostgresOptions, Schema, Statements};
use super::row::{RowVersion, column, loaded, only};
use super::session::{Param, Sessions};

/// How often blobs are looked at again because a commit came between.
const DELETE_ATTEMPTS: usize = 8;

/// Keeps canvases in a PostgreSQL database. A copy shares the pool.
///
/// See the [module](super) for what it promises and needs.
#[derive(Clone)]
pub struct PostgresStore(pub(super) Arc<Inner>);

pub(super) struct Inner {
    sessions: Sessions,
    pub(super) schema: Schema,
    pub(super) texts: Texts,
    pub(super) channel: String,
    /// The tables were found to be those that this store works on.
    checked: AtomicBool,
}

/// The statements, with the schema's name in them.
pub(super) struct Texts {
    load: String,
    pub(super) commit: String,
    pub(super) create: String,
    blob: String,
    list: String,
    delete: String,
}

impl PostgresStore {
    /// A store on a pool of its own, with the TLS connector that the host brings (`tokio_postgres::NoTls` for none).
    /// Connections are opened when calls need them.
    ///
    /// Each session gets `default_transaction_isolation = read committed`, `plan_cache_mode = force_generic_plan`, and
    /// `statement_timeout` of nine tenths of
    /// the deadline, so that a statement which waits too long is mostly ended by the server, with a definite answer.
    /// They come as start-up options, which proxies seldom pass on, so with [`Statements::Unnamed`] they are left
    /// out: set both for the role (`ALTER ROLE .. SET ..`).
    ///
    /// # Errors
    ///
    /// `STORE_UNFIT`; `STORE_UNAVAILABLE` for a pool without connections.
    pub fn connect<T>(config: Config, tls: T, options: &PostgresOptions) -> Result<Self, StoreError>
    where
        T: MakeTlsConnect<Socket> + Clone + Send + Sync + 'static,
        T::Stream: Send + Sync,
        T::TlsConnect: Send + Sync,
        <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
    {
        let no_pool = || CallError::unsent(Operation::Open, NO_CONNECTION);
        if options.connections == 0 {
            return Err(no_pool().error);
        }
        let config = match options.statements {
            Statements::Named => with_settings(config, options),
            Statements::Unnamed => config,
        };
        let timeouts =
            Timeouts { wait: options.deadline, create: options.deadline, recycle: options.deadline };
        let pool = Pool::builder(Manager::from_config(config, tls, ManagerConfig::default()))
            .config(PoolConfig { max_size: options.connections, timeouts, ..PoolConfig::default() })
            .runtime(Runtime::Tokio1)
            .build()
            .map_err(|e| no_pool().caused(e).error)?;
        Self::new(pool, options)
    }

    /// A store on a pool that the host has made: its TLS, its settings, its hooks. A recycling method other than
    /// `Fast` costs a round trip each call.
    ///
    /// # Errors
    ///
    /// `STORE_UNFIT`.
    pub fn new(pool: Pool, options: &PostgresOptions) -> Result<Self, StoreError> {
        let schema = Schema::new(&options.schema)?;
        let texts = Texts {
            load: schema.fill(include_str!("sql/load.sql")),
            commit: schema.fill(include_str!("sql/commit.sql")),
            create: schema.fill(include_str!("sql/create.sql")),
            blob: schema.fill(include_str!("sql/blob.sql")),
            list: schema.fill(include_str!("sql/list.sql")),
            delete: schema.fill(include_str!("sql/delete.sql")),
        };
        let sessions = Sessions { pool, deadline: options.deadline, statements: options.statements };
        let channel = schema.channel();
        let checked = AtomicBool::new(false);
        Ok(Self(Arc::new(Inner { sessions, schema, texts, channel, checked })))
    }

    /// Makes the schema and its tables where they are missing, and does nothing where they are there. Any number of
    /// servers may do so at once. It needs a role that may make tables; the other methods do not.
    ///
    /// # Errors
    ///
    /// `STORE_TOO_NEW` where a later version of this store has made them; `STORE_DENIED`; faults of the server
    /// and of the connection. In each case nothing is half made, and it may be called again.
    pub async fn migrate(&self) -> Result<(), StoreError> {
        migrate::migrate(&self.0.sessions, &self.0.schema).await.map_err(|error| error.error)
    }

    /// Looks whether the tables are there and of the right version. Each store does so before its first call; a host
    /// that would rather know at its start asks here.
    ///
    /// # Errors
    ///
    /// `STORE_UNFIT`, `STORE_TOO_NEW`, `STORE_DENIED`, and faults of the connection.
    pub async fn check(&self) -> Result<(), StoreError> {
        self.look(Operation::Open).await.map_err(|error| error.error)
    }

    /// The name of the schema.
    pub fn schema(&self) -> &str {
        self.0.schema.name()
    }

    /// The channel on which preemptions are told, for a host that listens by other means than
    /// [`Listener`](super::Listener).
    pub fn channel(&self) -> &str {
        &self.0.channel
    }

    /// The pool, for a host that watches or closes it.
    pub fn pool(&self) -> &Pool {
        &self.0.sessions.pool
    }

    async fn look(&self, operation: Operation) -> Result<(), CallError> {
        migrate::check(&self.0.sessions, &self.0.schema, operation).await?;
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
            // However it ends, nothing of the call itself was sent.
            self.look(operation).await.map_err(|error| CallError { unsure: false, ..error })?;
        }
        let result = self.0.sessions.query(operation, text, params).await;
        if let Err(error) = &result
            && error.error.kind == StoreErrorKind::Unfit
        {
            // A later version may have moved the tables: the next call looks again.
            self.0.checked.store(false, Ordering::Relaxed);
        }
        result
    }

    /// Refuses answers of a standby: it may be behind what another call has been told.
    fn primary<'a>(&self, operation: Operation, rows: &'a [Row]) -> Result<&'a Row, CallError> {
        let row = only(operation, rows)?;
        if column(operation, row, "standby")? {
            // The pool's other connections may lead there too, and each says so when it is used.
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

/// What each session of an own pool is told when it starts.
fn with_settings(mut config: Config, options: &PostgresOptions) -> Config {
    let mut settings = config.get_options().map(|text| format!("{text} ")).unwrap_or_default();
    settings.push_str("-c default_transaction_isolation=read\\ committed");
    // The plans are the same whatever the parameters; planning anew costs a tenth of a commit.
    settings.push_str(" -c plan_cache_mode=force_generic_plan");
    if let Some(deadline) = options.deadline {
        let millis = (deadline.as_millis() * 9 / 10).clamp(1, i32::MAX as u128);
        settings.push_str(&format!(" -c statement_timeout={millis}"));
    }
    config.options(settings);
    config
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { sessions, schema, .. } = self.0.as_ref();
        write!(f, "PostgresStore({schema:?}, {:?}, {:?})", sessions.statements, sessions.pool.status())
    }
}

impl Store for PostgresStore {
    fn capabilities(&self) -> Capabilities {
        // Notifications come after the commit and may be lost, so reads load.
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

    async fn list(&self, after: Option<&CanvasId>, limit: usize) -> Result<Vec<CanvasId>, StoreError> {
        let operation = Operation::List;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        // No id is empty, so every id comes after the empty one.
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

    async fn delete(&self, canvas: &CanvasId, blobs: &[BlobId]) -> Result<(), StoreError> {
        let operation = Operation::Delete;
        for _ in 0..DELETE_ATTEMPTS {
            // Blobs come with heads, so without a head there are none.
            let Some(row) = self.read(operation, canvas).await? else { return Ok(()) };
            let needed: BTreeSet<BlobId> = row.head.blobs().collect();
            let unneeded: Vec<&[u8]> =
                blobs.iter().filter(|id| !needed.contains(id)).map(|id| id.as_bytes().as_slice()).collect();
            if unneeded.is_empty() {
                return Ok(());
            }
            let version = RowVersion::of(&row.version);
            let params: [Param<'_>; 4] = [
                (&canvas.as_str().as_bytes(), Type::BYTEA),
                (&version.version, Type::INT8),
                (&version.stamp, Type::INT8),
                (&unneeded, Type::BYTEA_ARRAY),
            ];
            let deleted = async {
                let rows = self.query(operation, &self.0.texts.delete, &params).await?;
                column(operation, only(operation, &rows)?, "stands")
            };
            if deleted.await.map_err(|error: CallError| error.of(canvas).of_write())? {
                return Ok(());
            }
        }
        Err(CallError::unsent(operation, BUSY).of(canvas).of_read())
    }
}
