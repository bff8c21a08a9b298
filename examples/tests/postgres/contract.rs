//! The store passes the suite.

use std::sync::Mutex;
use std::time::Duration;

use canvas_core::CanvasId;
use canvas_core::conformance::{Harness, Stall, run};
use canvas_examples::postgres::{PostgresStore, Statements};

use super::world::World;

/// Stores on the server itself, each with a schema of its own. The clock is real.
pub(crate) struct Server {
    pub(crate) statements: Statements,
    /// Where they connect; the server itself if there is none.
    pub(crate) proxy: Option<tokio_postgres::Config>,
    /// Kept until the suite has ended.
    pub(crate) worlds: Mutex<Vec<World>>,
}

impl Server {
    pub(crate) fn new(statements: Statements, proxy: Option<tokio_postgres::Config>) -> Self {
        Self { statements, proxy, worlds: Mutex::default() }
    }

    fn store(&self, world: &World) -> PostgresStore {
        world.store_with(|config, options| {
            options.statements = self.statements;
            if let Some(proxy) = &self.proxy {
                *config = proxy.clone();
            }
        })
    }
}

impl Harness for Server {
    type Store = PostgresStore;

    async fn fresh(&self) -> PostgresStore {
        let world = World::empty();
        let store = self.store(&world);
        self.worlds.lock().expect("no test panics while it holds the worlds").push(world);
        store.migrate().await.expect("the server lets us make tables");
        store
    }

    async fn peer(&self, store: &PostgresStore) -> PostgresStore {
        self.store(&World::of(store.schema()))
    }

    async fn advance(&self, by: Duration) {
        // By the server's clock, which may be corrected while we sleep.
        let server = World::of("no schema");
        let end = server.now().await.saturating_add(by);
        tokio::time::sleep(by).await;
        while server.now().await < end {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    async fn stall(&self, store: &PostgresStore, canvas: &CanvasId) -> Option<Stall> {
        Some(Box::new(World::of(store.schema()).block(canvas).await))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn named_statements_keep_every_promise() {
    let report = run(&Server::new(Statements::Named, None)).await;
    assert!(report.is_passed(), "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn unnamed_statements_keep_every_promise() {
    let report = run(&Server::new(Statements::Unnamed, None)).await;
    assert!(report.is_passed(), "{report}");
}
