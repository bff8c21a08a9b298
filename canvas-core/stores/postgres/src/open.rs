//! Opening a store: its pool, the settings of each session, and its statements.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use canvas_core::store::{StoreError, StoreOperation as Operation};
use deadpool_postgres::{Manager, ManagerConfig, Pool, PoolConfig, Runtime, Timeouts};
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres::{Config, Socket};

use super::error::{CallError, NO_CONNECTION};
use super::options::{PostgresOptions, Schema, Statements};
use super::session::Sessions;
use super::store::{Inner, PostgresStore, Texts};

impl PostgresStore {
    /// Creates a store with a pool of its own and the given TLS connector (`tokio_postgres::NoTls` for none). Connections
    /// are opened when calls need them.
    ///
    /// Each session gets `default_transaction_isolation = read committed`, `plan_cache_mode = force_generic_plan`, and a
    /// `statement_timeout` of nine tenths of the deadline. If a statement waits too long, the server therefore usually ends
    /// it first, with a definite answer. The settings are start-up options, which proxies seldom pass on. For this reason
    /// [`Statements::Unnamed`] leaves them out; set isolation level and timeout for the role instead
    /// (`ALTER ROLE .. SET ..`).
    ///
    /// # Errors
    ///
    /// `STORE_UNFIT` if the schema's name is invalid; `STORE_UNAVAILABLE` if `connections` is 0.
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
            .map_err(|e| no_pool().with_source(e).error)?;
        Self::new(pool, options)
    }

    /// Creates a store on a pool that the host built with TLS, settings and hooks of its own. A recycling method other
    /// than `Fast` costs one round trip per call.
    ///
    /// # Errors
    ///
    /// `STORE_UNFIT` if the schema's name is invalid.
    pub fn new(pool: Pool, options: &PostgresOptions) -> Result<Self, StoreError> {
        let schema = Schema::new(&options.schema)?;
        let texts = Texts {
            load: schema.fill(include_str!("sql/load.sql")),
            commit: schema.fill(include_str!("sql/commit.sql")),
            create: schema.fill(include_str!("sql/create.sql")),
            blob: schema.fill(include_str!("sql/blob.sql")),
            blobs: schema.fill(include_str!("sql/blobs.sql")),
            list: schema.fill(include_str!("sql/list.sql")),
            collect: schema.fill(include_str!("sql/collect.sql")),
        };
        let sessions = Sessions { pool, deadline: options.deadline, statements: options.statements };
        let channel = schema.channel();
        let checked = AtomicBool::new(false);
        Ok(Self(Arc::new(Inner { sessions, schema, texts, channel, checked })))
    }
}

/// Adds the settings of each session to the start-up options of our own pool.
fn with_settings(mut config: Config, options: &PostgresOptions) -> Config {
    let mut settings = config.get_options().map(|text| format!("{text} ")).unwrap_or_default();
    settings.push_str("-c default_transaction_isolation=read\\ committed");
    // The plans do not depend on the parameters, and planning again costs a tenth of a commit.
    settings.push_str(" -c plan_cache_mode=force_generic_plan");
    if let Some(deadline) = options.deadline {
        let millis = (deadline.as_millis() * 9 / 10).clamp(1, i32::MAX as u128);
        settings.push_str(&format!(" -c statement_timeout={millis}"));
    }
    config.options(settings);
    config
}
