//! The database of the story: a schema that is made for it and dropped with it.

use std::time::{Duration, SystemTime};

use canvas_core::lease::Timestamp;
use canvas_core::{CallId, CanvasId, ConversationId, Engine, OpKey, Policy, Snapshot};
use canvas_store_postgres::{ListenerOptions, PostgresOptions, PostgresStore};
use tokio::runtime::Runtime;
use tokio::time::timeout;
use tokio_postgres::{Client, Config, NoTls};

use super::protocol::CanvasState;
use super::script::{CANVAS, INITIAL_TEXT, SCRIPTS};
use super::{StoryResult, with_causes};

/// How long one step at the database may take.
const DEADLINE: Duration = Duration::from_secs(60);

/// A schema of a PostgreSQL server.
#[derive(Debug, Clone)]
pub(crate) struct Database {
    pub(crate) config: Config,
    pub(crate) schema: String,
}

impl Database {
    /// The schema of this name on the server of a connection string.
    pub(crate) fn new(connection: &str, schema: String) -> StoryResult<Self> {
        let config = connection.parse().map_err(|e| {
            format!(
                "this is no connection string ({e}): give one such as \"host=/run/postgresql user=postgres\""
            )
        })?;
        Ok(Self { config, schema })
    }

    /// A store with a pool of its own.
    pub(crate) fn store(&self) -> StoryResult<PostgresStore> {
        let options = PostgresOptions {
            schema: self.schema.clone(),
            deadline: Some(DEADLINE),
            ..PostgresOptions::default()
        };
        Ok(PostgresStore::connect(self.config.clone(), NoTls, &options)?)
    }

    pub(crate) fn listening(&self) -> ListenerOptions {
        ListenerOptions { schema: self.schema.clone(), deadline: DEADLINE, ..ListenerOptions::default() }
    }
}

/// The schema with the canvas in it, dropped with the value.
pub(crate) struct Host {
    schema: Schema,
    /// The canvas as it was created.
    pub(crate) first: CanvasState,
}

impl Host {
    /// Makes the schema, the tables, and the canvas with its first document.
    pub(crate) fn open(database: Database) -> StoryResult<Self> {
        let schema = Schema::open(database)?;
        let first = schema.run(async |store| {
            store.migrate().await?;
            let engine = Engine::new(store, Policy::default());
            // The first chat makes the canvas, so it knows the text; the second gets it with its first message.
            let (conversation, call) = (ConversationId::new(SCRIPTS[0].chat)?, CallId::new("create")?);
            let operation = OpKey::of(conversation, call);
            let made = engine.create(&CanvasId::new(CANVAS)?, INITIAL_TEXT, &operation, now()).await?;
            Ok(canvas_state(&made.snapshot))
        })?;
        Ok(Self { schema, first })
    }

    pub(crate) fn database(&self) -> &Database {
        &self.schema.database
    }

    /// The server's version.
    pub(crate) fn version(&self) -> &str {
        &self.schema.version
    }

    /// The canvas, read through a connection that no server has used.
    pub(crate) fn look(&self) -> StoryResult<CanvasState> {
        self.schema.run(async |store| {
            let engine = Engine::new(store, Policy::default());
            Ok(canvas_state(&engine.snapshot(&CanvasId::new(CANVAS)?, now()).await?))
        })
    }
}

/// A schema of the story's own, dropped at the end.
struct Schema {
    database: Database,
    version: String,
    runtime: Runtime,
    client: Client,
}

impl Schema {
    fn open(database: Database) -> StoryResult<Self> {
        let runtime = Runtime::new()?;
        let connecting = async {
            let (client, connection) = timeout(DEADLINE, database.config.connect(NoTls)).await??;
            tokio::spawn(connection);
            let row = timeout(DEADLINE, client.query_one("SHOW server_version", &[])).await??;
            StoryResult::Ok((client, row.get(0)))
        };
        let (client, version) = runtime.block_on(connecting).map_err(|e| {
            let cause = with_causes(e.as_ref());
            format!("PostgreSQL cannot be reached: {cause}: check the connection string")
        })?;
        // A schema of this name may be somebody else's, so this must fail if there is one.
        let create = format!("CREATE SCHEMA \"{}\"", database.schema);
        let making = async { StoryResult::Ok(timeout(DEADLINE, client.batch_execute(&create)).await??) };
        runtime.block_on(making).map_err(|e| {
            let cause = with_causes(e.as_ref());
            format!(
                "no schema can be made: {cause}: name the primary, and a role with CREATE on the database"
            )
        })?;
        Ok(Self { database, version, runtime, client })
    }

    /// Runs something on a store with a pool of its own.
    fn run<T>(&self, run: impl AsyncFnOnce(PostgresStore) -> StoryResult<T>) -> StoryResult<T> {
        self.runtime.block_on(async { run(self.database.store()?).await })
    }
}

impl Drop for Schema {
    fn drop(&mut self) {
        let schema = &self.database.schema;
        let drop_schema = format!("SET lock_timeout = '50s'; DROP SCHEMA \"{schema}\" CASCADE");
        // If the database is gone, the story has failed with that already.
        let dropping = self.client.batch_execute(&drop_schema);
        let _ = self.runtime.block_on(async { timeout(DEADLINE, dropping).await });
    }
}

pub(crate) fn canvas_state(snapshot: &Snapshot) -> CanvasState {
    let (revision, epoch) = (snapshot.revision_id(), snapshot.head.lock().epoch());
    CanvasState { text: snapshot.text().to_owned(), revision, epoch }
}

pub(crate) fn now() -> Timestamp {
    SystemTime::now().into()
}
