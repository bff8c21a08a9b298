//! A schema of one test, and what its stories need: stores, heads, commits, blockers.

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use canvas_core::lease::{Timestamp, Turn};
use canvas_core::{
    Blob, CallId, CanvasId, Commit, Committed, ConversationId, Engine, Fault, Head, Loaded, MemoryStore,
    OpKey, Policy, Store, Version, block_on,
};
use canvas_examples::postgres::{PostgresError, PostgresOptions, PostgresStore};
use tokio_postgres::{Client, Config, NoTls};

/// The server at the address in an environment variable.
pub(crate) fn address(variable: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| {
        panic!("{variable} is not set: run these tests as .ci/postgres cargo test -p canvas-examples --features postgres")
    })
}

/// A schema that is dropped at the end.
pub(crate) struct World {
    pub(crate) schema: String,
    /// The server, with the schema's name as that of the sessions.
    config: Config,
    /// Statements that drop what is outside of it.
    drops: Vec<String>,
    /// False for a view of a schema that another world drops.
    owns: bool,
}

static WORLDS: AtomicU32 = AtomicU32::new(0);

impl World {
    /// A schema without tables.
    pub(crate) fn empty() -> Self {
        let number = WORLDS.fetch_add(1, Ordering::Relaxed);
        let mut world = Self::of(&format!("canvas test {} {number}", std::process::id()));
        world.owns = true;
        world
    }

    /// A view of a schema that another world drops.
    pub(crate) fn of(schema: &str) -> Self {
        let mut config: Config =
            address("CANVAS_POSTGRES").parse().expect("the script gives a connection string");
        config.application_name(schema);
        Self { schema: schema.to_owned(), config, drops: Vec::new(), owns: false }
    }

    /// A schema with its tables.
    pub(crate) async fn new() -> Self {
        let world = Self::empty();
        world.store().migrate().await.expect("the server lets us make tables");
        world
    }

    /// The server itself. Sessions are named by the schema, so that a test finds its own.
    pub(crate) fn config(&self) -> Config {
        self.config.clone()
    }

    pub(crate) fn options(&self) -> PostgresOptions {
        PostgresOptions { schema: self.schema.clone(), ..PostgresOptions::default() }
    }

    /// A store with a pool of its own, as another server has it.
    pub(crate) fn store(&self) -> PostgresStore {
        self.store_with(|_, _| ())
    }

    pub(crate) fn store_with(&self, change: impl FnOnce(&mut Config, &mut PostgresOptions)) -> PostgresStore {
        let (mut config, mut options) = (self.config(), self.options());
        change(&mut config, &mut options);
        PostgresStore::connect(config, NoTls, &options).expect("the options are fine")
    }

    /// A connection past the store.
    pub(crate) async fn admin(&self) -> Client {
        connect(&self.config()).await
    }

    /// Runs statements past the store; `{schema}` is the schema.
    pub(crate) async fn sql(&self, statements: &str) {
        self.admin().await.batch_execute(&self.fill(statements)).await.expect("the statements are right");
    }

    /// One number from the server.
    pub(crate) async fn number(&self, statement: &str) -> i64 {
        let row =
            self.admin().await.query_one(&self.fill(statement), &[]).await.expect("the statement is right");
        row.get(0)
    }

    pub(crate) fn fill(&self, text: &str) -> String {
        text.replace("{schema}", &format!("\"{}\"", self.schema)).replace("{name}", &self.schema)
    }

    /// The server's clock.
    pub(crate) async fn now(&self) -> Timestamp {
        let micros = self.number("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint").await;
        Timestamp::from_millis(u64::try_from(micros).expect("it is later than 1970") / 1_000)
    }

    /// A role that may log in and use the tables, and nothing else.
    pub(crate) async fn role(&mut self) -> String {
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

    /// A tablespace on the small disk that the script has made.
    pub(crate) async fn small_disk(&mut self) -> String {
        let space = format!("{} space", self.schema);
        self.drops.push(format!("DROP TABLESPACE \"{space}\""));
        let admin = self.admin().await;
        let allow = admin.batch_execute("SET allow_in_place_tablespaces = on").await;
        allow.expect("the script's server has this setting where it has a small disk");
        let create = admin.batch_execute(&format!("CREATE TABLESPACE \"{space}\" LOCATION ''")).await;
        create.expect("the disk is there");
        space
    }

    /// Ends the sessions of the world's stores, as a restart of the server does.
    pub(crate) async fn terminate(&self) {
        self.number(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
             WHERE application_name = '{name}' AND pid <> pg_backend_pid()",
        )
        .await;
    }

    /// Waits until that many of the world's sessions wait for a lock.
    pub(crate) async fn waiting(&self, sessions: i64) {
        let statement = "SELECT count(*) FROM pg_stat_activity
                         WHERE application_name = '{name}' AND wait_event_type = 'Lock'";
        self.until(statement, sessions).await;
    }

    /// Waits until a statement gives a number.
    pub(crate) async fn until(&self, statement: &str, expected: i64) {
        for _ in 0..500 {
            if self.number(statement).await == expected {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("{statement} never gave {expected}");
    }

    /// Locks the row of a canvas.
    pub(crate) async fn block(&self, canvas: &CanvasId) -> Blocker {
        let client = self.admin().await;
        let lock = self.fill("SELECT FROM {schema}.heads WHERE canvas = $1 FOR UPDATE");
        client.batch_execute("BEGIN ISOLATION LEVEL READ COMMITTED").await.expect("the server answers");
        client.execute(&lock, &[&canvas.as_str().as_bytes()]).await.expect("nobody else has the row");
        Blocker { client, schema: self.schema.clone(), canvas: canvas.clone() }
    }

    /// The version, the epoch and the number of blobs of a canvas, past the store.
    pub(crate) async fn state(&self, canvas: &CanvasId) -> (i64, i64, i64) {
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
        // A thread of its own: this one may be the runtime's, and may be panicking.
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("threads have runtimes").block_on(async move {
                let client = connect(&config).await;
                // What a failed test has left waiting must not keep the others waiting.
                let _ = client.batch_execute("SET lock_timeout = '5s'").await;
                for drop in drops {
                    let _ = client.batch_execute(&drop).await;
                }
            });
        });
        let _ = thread.join();
    }
}

pub(crate) async fn connect(config: &Config) -> Client {
    let (client, connection) = config.connect(NoTls).await.expect("the server is there");
    tokio::spawn(connection);
    client
}

/// Somebody who has locked a row. Dropped, the lock ends without a change.
pub(crate) struct Blocker {
    client: Client,
    schema: String,
    canvas: CanvasId,
}

impl Blocker {
    /// Writes another head, as a commit does.
    pub(crate) async fn change(&self, head: &Head) {
        let statement = format!(
            "UPDATE \"{}\".heads SET version = version + 1, stamp = stamp + 1, head = $2 WHERE canvas = $1",
            self.schema
        );
        let params: [&(dyn tokio_postgres::types::ToSql + Sync); 2] =
            [&self.canvas.as_str().as_bytes(), &head.to_json()];
        self.client.execute(&statement, &params).await.expect("the row is locked by us");
    }

    pub(crate) async fn commit(self) {
        self.client.batch_execute("COMMIT").await.expect("the server answers");
    }
}

pub(crate) fn canvas(name: &str) -> CanvasId {
    CanvasId::new(name).expect("the name is short")
}

/// A key of an operation of the test's own.
pub(crate) fn key(call: &str) -> OpKey {
    OpKey {
        conversation: ConversationId::new("test").expect("the name is short"),
        turn: Turn::ZERO,
        call: CallId::new(call).expect("the name is short"),
    }
}

/// A head whose document is `text`, at an epoch.
pub(crate) fn head(canvas: &CanvasId, text: &str, epoch: u64) -> Arc<Head> {
    let now = Timestamp::from_millis(1_000);
    let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    block_on(engine.create(canvas, text, &key("create"), now)).expect("memory has room");
    let row = block_on(engine.store().load(canvas)).expect("memory does not fail").expect("it was made");
    let mut json: serde_json::Value = serde_json::from_slice(&row.head.to_json()).expect("a head is JSON");
    json["lease"]["epoch"] = epoch.into();
    let json = serde_json::to_vec(&json).expect("a value is JSON");
    Arc::new(Head::from_json(canvas, &json).expect("a later epoch is fine"))
}

/// A commit of a canvas whose document is `text`.
pub(crate) fn commit(canvas: &CanvasId, expected: Option<&Version>, text: &str) -> Commit {
    Commit {
        expected: expected.cloned(),
        head: head(canvas, text, 0),
        blobs: vec![Blob::text(text.to_owned())],
        not_after: None,
    }
}

/// The version and the clock of a commit that must succeed.
pub(crate) async fn done(store: &impl Store, commit: Commit) -> (Version, Timestamp) {
    match store.commit(commit).await {
        Ok(Committed::Done { version, clock }) => (version, clock),
        other => panic!("the commit gave {other:?}"),
    }
}

pub(crate) async fn row(store: &impl Store, canvas: &CanvasId) -> Loaded {
    store.load(canvas).await.expect("the store answers").expect("the canvas has a row")
}

/// What a conflict carries.
pub(crate) fn conflict(committed: Result<Committed, Fault>) -> Loaded {
    match committed {
        Ok(Committed::Conflict(Some(current))) => current,
        other => panic!("the commit gave {other:?}"),
    }
}

/// The store's own error of a fault of which nothing was written.
#[track_caller]
pub(crate) fn definite<T: Debug>(answer: Result<T, Fault>) -> PostgresError {
    match answer {
        Err(Fault::Definite(e)) => *e.downcast().expect("the fault is of this store"),
        other => panic!("the answer is {other:?}"),
    }
}

/// The store's own error of a fault of which nobody knows whether something was written.
#[track_caller]
pub(crate) fn indeterminate<T: Debug>(answer: Result<T, Fault>) -> PostgresError {
    match answer {
        Err(Fault::Indeterminate(e)) => *e.downcast().expect("the fault is of this store"),
        other => panic!("the answer is {other:?}"),
    }
}
