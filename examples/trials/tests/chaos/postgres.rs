//! The chaos test on a PostgreSQL schema.

use canvas_core::store::Head;
use canvas_core::{Blob, BlobId, CanvasId, Engine};
use canvas_store_postgres::PostgresStore;
use canvas_store_testing::{World, key, system_now};
use tokio::runtime::Runtime;

use super::checker::Entry;
use super::client::{self, Orders, first_text, policy};
use super::cluster::Cluster;

fn store(world: &World) -> PostgresStore {
    world.store_with(|_, options| options.connections = 2)
}

fn runtime() -> Runtime {
    Runtime::new().expect("threads can be had")
}

pub(crate) fn run_client(orders: &Orders) {
    runtime().block_on(async {
        let engine = Engine::new(store(&World::of(&orders.place)), policy());
        client::run(&engine, orders).await;
    });
}

/// A schema whose heads are recorded.
pub(crate) struct Schema {
    runtime: Runtime,
    world: World,
    store: PostgresStore,
}

impl Schema {
    pub(crate) fn new() -> Self {
        let runtime = runtime();
        let (world, store) = runtime.block_on(async {
            let world = World::new().await;
            world.sql(RECORDER).await;
            let store = store(&world);
            (world, store)
        });
        Self { runtime, world, store }
    }
}

/// Keeps every head that was written.
const RECORDER: &str = "
    CREATE TABLE {schema}.history (seq bigserial PRIMARY KEY, canvas bytea, version bigint, head bytea);
    CREATE FUNCTION {schema}.record() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO {schema}.history (canvas, version, head) VALUES (NEW.canvas, NEW.version, NEW.head);
        RETURN NULL;
    END $$;
    CREATE TRIGGER record AFTER INSERT OR UPDATE ON {schema}.heads
        FOR EACH ROW EXECUTE FUNCTION {schema}.record();";

impl Cluster for Schema {
    fn prepare(&self, canvas: &CanvasId) -> String {
        let engine = Engine::new(self.store.clone(), policy());
        let (operation, now) = (key("create"), system_now());
        self.runtime.block_on(engine.create(canvas, &first_text(), &operation, now)).expect("it is new");
        self.world.schema.clone()
    }

    fn history(&self, canvas: &CanvasId) -> Vec<Entry> {
        let select =
            self.world.fill("SELECT version, head FROM {schema}.history WHERE canvas = $1 ORDER BY seq");
        let rows = self.runtime.block_on(async {
            self.world.admin().await.query(&select, &[&canvas.as_str().as_bytes()]).await
        });
        rows.expect("the recorder's table is there")
            .into_iter()
            .map(|row| {
                let head = Head::from_json(canvas, row.get(1)).expect("a head that the store wrote");
                Entry { version: row.get::<_, i64>(0).unsigned_abs(), head }
            })
            .collect()
    }

    fn document(&self, canvas: &CanvasId, id: BlobId) -> Option<Blob> {
        let engine = Engine::new(self.store.clone(), policy());
        self.runtime.block_on(engine.document(canvas, id)).expect("it can be read")
    }
}
