//! The chaos test on a PostgreSQL schema.

use canvas_core::lease::Turn;
use canvas_core::{Blob, BlobId, CanvasId, Engine, Head, Store as _};
use canvas_examples::postgres::{PostgresOptions, PostgresStore};
use tokio::runtime::Runtime;
use tokio_postgres::{Client, Config, NoTls};

use super::checker::Entry;
use super::client::{self, Orders, key, now, policy};
use super::cluster::Cluster;

fn config() -> Config {
    let server =
        std::env::var("CANVAS_POSTGRES").expect("CANVAS_POSTGRES names a server: run under .ci/postgres");
    server.parse().expect("CANVAS_POSTGRES is a connection string")
}

fn store(schema: &str) -> PostgresStore {
    let options = PostgresOptions { schema: schema.into(), connections: 2, ..PostgresOptions::default() };
    PostgresStore::connect(config(), NoTls, &options).expect("the name is fine")
}

fn runtime() -> Runtime {
    Runtime::new().expect("threads can be had")
}

pub(crate) fn run_client(orders: &Orders) {
    runtime().block_on(async {
        let engine = Engine::new(store(&orders.place), policy());
        client::run(&engine, orders).await;
    });
}

/// A schema of its own, which goes with it.
pub(crate) struct Schema {
    runtime: Runtime,
    schema: String,
    store: PostgresStore,
    client: Client,
}

impl Schema {
    pub(crate) fn new() -> Self {
        let runtime = runtime();
        let schema = format!("chaos_{}", std::process::id());
        let (store, client) = runtime.block_on(async {
            let (client, connection) = config().connect(NoTls).await.expect("the server is there");
            tokio::spawn(connection);
            client.batch_execute(&format!("CREATE SCHEMA {schema}")).await.expect("it is new");
            let store = store(&schema);
            store.migrate().await.expect("the schema is empty");
            client.batch_execute(&recorder(&schema)).await.expect("the recorder fits the schema");
            (store, client)
        });
        Self { runtime, schema, store, client }
    }
}

fn recorder(schema: &str) -> String {
    format!(
        "CREATE TABLE {schema}.history (seq bigserial PRIMARY KEY, canvas bytea, version bigint, head bytea);
         CREATE FUNCTION {schema}.record() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN
             INSERT INTO {schema}.history (canvas, version, head) VALUES (NEW.canvas, NEW.version, NEW.head);
             RETURN NULL;
         END $$;
         CREATE TRIGGER record AFTER INSERT OR UPDATE ON {schema}.heads
             FOR EACH ROW EXECUTE FUNCTION {schema}.record();"
    )
}

impl Drop for Schema {
    fn drop(&mut self) {
        let drop_schema = format!("DROP SCHEMA {} CASCADE", self.schema);
        let _ = self.runtime.block_on(self.client.batch_execute(&drop_schema));
    }
}

impl Cluster for Schema {
    fn prepare(&self, canvas: &str) -> String {
        let engine = Engine::new(self.store.clone(), policy());
        let id = CanvasId::new(canvas).expect("short");
        let create = key("host", Turn::ZERO, "create");
        self.runtime.block_on(engine.create(&id, "top\n", &create, now())).expect("it is new");
        self.schema.clone()
    }

    fn history(&self, canvas: &str) -> Vec<Entry> {
        let id = CanvasId::new(canvas).expect("short");
        let select =
            format!("SELECT version, head FROM {}.history WHERE canvas = $1 ORDER BY seq", self.schema);
        let rows = self.runtime.block_on(self.client.query(&select, &[&canvas.as_bytes()]));
        rows.expect("the recorder's table is there")
            .into_iter()
            .map(|row| {
                let head = Head::from_json(&id, row.get(1)).expect("a head that the store wrote");
                Entry { version: row.get::<_, i64>(0).unsigned_abs(), head }
            })
            .collect()
    }

    fn blob(&self, canvas: &str, id: BlobId) -> Option<Blob> {
        let canvas = CanvasId::new(canvas).expect("short");
        self.runtime.block_on(self.store.blob(&canvas, id)).expect("it can be read")
    }
}
