//! Test schemas on a PostgreSQL server.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use canvas_core::CanvasId;
use canvas_core::lease::Timestamp;
use canvas_core::store::Head;
use tokio_postgres::{Client, Config, NoTls};

use canvas_store_postgres::{PostgresOptions, PostgresStore};

/// Returns the connection string in an environment variable. Panics if the variable is not set.
pub fn address(variable: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| {
        panic!(
            "{variable} is not set: run these tests as \
             .ci/postgres cargo test -p canvas-store-postgres"
        )
    })
}

/// A schema for one test, with its server. Dropping the value deletes the schema, except for a value of [`World::of`].
#[derive(Debug)]
pub struct World {
    /// The unquoted name of the schema, which is also the application name of its sessions.
    pub schema: String,
    /// The server, with the schema's name as the application name.
    config: Config,
    /// Statements that drop objects outside of the schema.
    drops: Vec<String>,
    /// False for a view of a schema that another world drops.
    owns: bool,
}

static WORLDS: AtomicU32 = AtomicU32::new(0);

impl World {
    /// Reserves a new schema name, without creating schema or tables.
    pub fn empty() -> Self {
        let number = WORLDS.fetch_add(1, Ordering::Relaxed);
        let mut world = Self::of(&format!("canvas test {} {number}", std::process::id()));
        world.owns = true;
        world
    }

    /// Returns a view of a schema that another world drops.
    pub fn of(schema: &str) -> Self {
        let mut config: Config =
            address("CANVAS_POSTGRES").parse().expect("the script gives a connection string");
        config.application_name(schema);
        Self { schema: schema.to_owned(), config, drops: Vec::new(), owns: false }
    }

    /// Creates a schema with its tables.
    pub async fn new() -> Self {
        let world = Self::empty();
        world.store().migrate().await.expect("the server lets us make tables");
        world
    }

    /// Returns the configuration of a connection. Its application name is the schema's name, so that a test can find its
    /// own sessions.
    pub fn config(&self) -> Config {
        self.config.clone()
    }

    /// Returns the options of a store on this schema.
    pub fn options(&self) -> PostgresOptions {
        PostgresOptions { schema: self.schema.clone(), ..PostgresOptions::default() }
    }

    /// Opens a store with a pool of its own, like another server.
    pub fn store(&self) -> PostgresStore {
        self.store_with(|_, _| ())
    }

    /// Opens a store with changed configuration or options.
    pub fn store_with(&self, change: impl FnOnce(&mut Config, &mut PostgresOptions)) -> PostgresStore {
        let (mut config, mut options) = (self.config(), self.options());
        change(&mut config, &mut options);
        PostgresStore::connect(config, NoTls, &options).expect("the options are fine")
    }

    /// Opens a connection that bypasses the store.
    pub async fn admin(&self) -> Client {
        connect(&self.config()).await
    }

    /// Runs statements on a connection that bypasses the store. Fills in `{schema}` and `{name}` like [`World::fill`].
    pub async fn sql(&self, statements: &str) {
        self.admin().await.batch_execute(&self.fill(statements)).await.expect("the statements are right");
    }

    /// Runs a query and returns its single number.
    pub async fn number(&self, statement: &str) -> i64 {
        let row =
            self.admin().await.query_one(&self.fill(statement), &[]).await.expect("the statement is right");
        row.get(0)
    }

    /// Replaces `{schema}` by the quoted name of the schema, and `{name}` by the bare name.
    pub fn fill(&self, text: &str) -> String {
        text.replace("{schema}", &format!("\"{}\"", self.schema)).replace("{name}", &self.schema)
    }

    /// Returns the time of the server's clock.
    pub async fn now(&self) -> Timestamp {
        let micros = self.number("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint").await;
        Timestamp::from_millis(u64::try_from(micros).expect("it is later than 1970") / 1_000)
    }

    /// Creates a role that may only log in and use the tables. Returns its name.
    pub async fn role(&mut self) -> String {
        let role = format!("{} role", self.schema);
        self.drops.push(format!("DROP ROLE \"{role}\""));
        self.sql(&format!(
            "CREATE ROLE \"{role}\" LOGIN;
             GRANT USAGE ON SCHEMA {{schema}} TO \"{role}\";
             GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {{schema}} TO \"{role}\""
        ))
        .await;
        role
    }

    /// Creates a tablespace on the small disk that the script provides. Returns its name.
    pub async fn small_disk(&mut self) -> String {
        let space = format!("{} space", self.schema);
        self.drops.push(format!("DROP TABLESPACE \"{space}\""));
        let admin = self.admin().await;
        let allow = admin.batch_execute("SET allow_in_place_tablespaces = on").await;
        allow.expect("the script's server has this setting where it has a small disk");
        let create = admin.batch_execute(&format!("CREATE TABLESPACE \"{space}\" LOCATION ''")).await;
        create.expect("the disk is there");
        space
    }

    /// Ends the sessions of this world's stores, like a restart of the server.
    pub async fn terminate(&self) {
        self.number(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
             WHERE application_name = '{name}' AND pid <> pg_backend_pid()",
        )
        .await;
    }

    /// Waits until this many sessions of this world wait for a lock.
    pub async fn waiting(&self, sessions: i64) {
        let statement = "SELECT count(*) FROM pg_stat_activity
                         WHERE application_name = '{name}' AND wait_event_type = 'Lock'";
        self.until(statement, sessions).await;
    }

    /// Waits until a query returns this number.
    pub async fn until(&self, statement: &str, expected: i64) {
        for _ in 0..30_000 {
            if self.number(statement).await == expected {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("{statement} never gave {expected}");
    }

    /// Locks the row of a canvas until the returned value is dropped or commits.
    pub async fn block(&self, canvas: &CanvasId) -> Blocker {
        let client = self.admin().await;
        let lock = self.fill("SELECT FROM {schema}.heads WHERE canvas = $1 FOR UPDATE");
        // Under another name, so that `terminate` ends the stores' sessions and leaves the lock.
        for statement in ["SET application_name = 'blocker'", "BEGIN ISOLATION LEVEL READ COMMITTED"] {
            client.batch_execute(statement).await.expect("the server answers");
        }
        client.execute(&lock, &[&canvas.as_str().as_bytes()]).await.expect("nobody else has the row");
        Blocker { client, schema: self.schema.clone(), canvas: canvas.clone() }
    }

    /// Reads the version, the epoch and the number of blobs of a canvas, bypassing the store.
    pub async fn state(&self, canvas: &CanvasId) -> (i64, i64, i64) {
        let statement = self.fill(
            "SELECT version, epoch, (SELECT count(*) FROM {schema}.blobs b WHERE b.canvas = h.canvas)
             FROM {schema}.heads h WHERE canvas = $1",
        );
        let row = self.admin().await.query_one(&statement, &[&canvas.as_str().as_bytes()]).await;
        let row = row.expect("the canvas has a row");
        (row.get(0), row.get(1), row.get(2))
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if !self.owns {
            return;
        }
        let drops: Vec<String> = std::iter::once(self.fill("DROP SCHEMA IF EXISTS {schema} CASCADE"))
            .chain(self.drops.iter().cloned())
            .collect();
        let config = self.config();
        // Use a separate thread, because this one may belong to the runtime and may be panicking.
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("threads have runtimes").block_on(async move {
                let client = connect(&config).await;
                // Sessions that a failed test has left waiting must not block the other tests.
                let _ = client.batch_execute("SET lock_timeout = '5s'").await;
                for drop in drops {
                    let _ = client.batch_execute(&drop).await;
                }
            });
        });
        let _ = thread.join();
    }
}

/// Opens a connection, which the current runtime drives.
pub async fn connect(config: &Config) -> Client {
    let (client, connection) = config.connect(NoTls).await.expect("the server is there");
    tokio::spawn(connection);
    client
}

/// A transaction that has locked a row. Dropping it rolls back.
#[derive(Debug)]
pub struct Blocker {
    client: Client,
    schema: String,
    canvas: CanvasId,
}

impl Blocker {
    /// Writes another head, like a commit.
    pub async fn change(&self, head: &Head) {
        let statement = format!(
            "UPDATE \"{}\".heads SET version = version + 1, stamp = stamp + 1, head = $2 WHERE canvas = $1",
            self.schema
        );
        let params: [&(dyn tokio_postgres::types::ToSql + Sync); 2] =
            [&self.canvas.as_str().as_bytes(), &head.to_json()];
        self.client.execute(&statement, &params).await.expect("the row is locked by us");
    }

    /// Commits the change and unlocks the row.
    pub async fn commit(self) {
        self.client.batch_execute("COMMIT").await.expect("the server answers");
    }
}
