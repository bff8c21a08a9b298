//! Where it happens: a schema that is made for the story and goes with it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use canvas_core::lease::{Timestamp, Turn};
use canvas_core::{CallId, CanvasId, ConversationId, Engine, OpKey, Policy, Snapshot};
use canvas_examples::postgres::{ListenerOptions, PostgresOptions, PostgresStore};
use tokio::runtime::Runtime;
use tokio::time::timeout;
use tokio_postgres::{Client, Config, NoTls};

use super::script::{BEGINNING, CANVAS};
use super::words::Stands;
use super::{Told, with_causes};

/// How long one step at the database may take.
const DEADLINE: Duration = Duration::from_secs(5);

/// A schema of a PostgreSQL server.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) config: Config,
    pub(crate) schema: String,
}

impl Place {
    /// The place of this name on the server of a connection string.
    pub(crate) fn new(connection: &str, schema: String) -> Told<Self> {
        let config = connection.parse().map_err(|e| {
            format!(
                "this is no connection string ({e}): give one such as \"host=/run/postgresql user=postgres\""
            )
        })?;
        Ok(Self { config, schema })
    }

    /// A store with a pool of its own.
    pub(crate) fn store(&self) -> Told<PostgresStore> {
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

/// A place with the canvas in it. The schema goes with the value.
pub(crate) struct Stage {
    schema: Schema,
    /// The canvas as it was made.
    pub(crate) first: Stands,
}

impl Stage {
    /// Makes the schema, the tables, and the canvas with its first document.
    pub(crate) fn open(place: Place) -> Told<Self> {
        let schema = Schema::open(place)?;
        let first = schema.run(async |store| {
            store.migrate().await?;
            let engine = Engine::new(store, Policy::default());
            let (conversation, call) = (ConversationId::new("stage")?, CallId::new("create")?);
            let operation = OpKey { conversation, turn: Turn::ZERO, call };
            let made = engine.create(&CanvasId::new(CANVAS)?, BEGINNING, &operation, now()).await?;
            Ok(stands(&made.snapshot))
        })?;
        Ok(Self { schema, first })
    }

    pub(crate) fn place(&self) -> &Place {
        &self.schema.place
    }

    /// The server's version.
    pub(crate) fn version(&self) -> &str {
        &self.schema.version
    }

    /// The canvas, by a connection that no server has used.
    pub(crate) fn look(&self) -> Told<Stands> {
        self.schema.run(async |store| {
            let engine = Engine::new(store, Policy::default());
            Ok(stands(&engine.snapshot(&CanvasId::new(CANVAS)?, now()).await?))
        })
    }
}

/// A schema of the story's own, dropped at the end.
struct Schema {
    place: Place,
    version: String,
    runtime: Runtime,
    client: Client,
}

impl Schema {
    fn open(place: Place) -> Told<Self> {
        let runtime = Runtime::new()?;
        let connecting = async {
            let (client, connection) = timeout(DEADLINE, place.config.connect(NoTls)).await??;
            tokio::spawn(connection);
            let row = timeout(DEADLINE, client.query_one("SHOW server_version", &[])).await??;
            Told::Ok((client, row.get(0)))
        };
        let (client, version) = runtime.block_on(connecting).map_err(|e| {
            let cause = with_causes(e.as_ref());
            format!("PostgreSQL cannot be reached: {cause}: check the connection string")
        })?;
        // One that is there already belongs to somebody else, so its making must fail.
        let create = format!("CREATE SCHEMA \"{}\"", place.schema);
        let making = async { Told::Ok(timeout(DEADLINE, client.batch_execute(&create)).await??) };
        runtime.block_on(making).map_err(|e| {
            let cause = with_causes(e.as_ref());
            format!(
                "no schema can be made: {cause}: name the primary, and a role with CREATE on the database"
            )
        })?;
        Ok(Self { place, version, runtime, client })
    }

    /// Runs something on a store with a pool of its own.
    fn run<T>(&self, run: impl AsyncFnOnce(PostgresStore) -> Told<T>) -> Told<T> {
        self.runtime.block_on(async { run(self.place.store()?).await })
    }
}

impl Drop for Schema {
    fn drop(&mut self) {
        let schema = &self.place.schema;
        let drop_schema = format!("SET lock_timeout = '2s'; DROP SCHEMA \"{schema}\" CASCADE");
        // A database that is gone has told its end already.
        let dropping = self.client.batch_execute(&drop_schema);
        let _ = self.runtime.block_on(async { timeout(DEADLINE, dropping).await });
    }
}

pub(crate) fn stands(snapshot: &Snapshot) -> Stands {
    let (revision, epoch) = (snapshot.revision_id(), snapshot.head.lock().epoch());
    Stands { text: snapshot.text().to_owned(), revision, epoch }
}

pub(crate) fn now() -> Timestamp {
    Timestamp::from_millis(0).saturating_add(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
}
