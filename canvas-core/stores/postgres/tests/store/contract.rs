//! The store passes the suite: a test for each promise.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use canvas_core::CanvasId;
use canvas_store_postgres::{PostgresStore, Statements};
use canvas_store_testing::conformance::{Check, Driver, Harness, Report, Restore, Stall, run};
use canvas_store_testing::{World, skipped};
use tokio::runtime::{Handle, Runtime};
use tokio::sync::{Semaphore, SemaphorePermit};

/// Harnesses at a time: each takes a few of the server's connections, and a machine may have many cores.
static SEATS: Semaphore = Semaphore::const_new(10);

/// Stores on the server itself, each with a schema of its own. The clock is real.
pub(crate) struct Server {
    statements: Statements,
    /// Where they connect; the server itself if there is none.
    proxy: Option<tokio_postgres::Config>,
    /// Kept until the suite has ended, and dropped with their schemas also where a promise panics.
    worlds: Mutex<Vec<World>>,
    _seat: SemaphorePermit<'static>,
}

impl Server {
    pub(crate) async fn new(statements: Statements, proxy: Option<tokio_postgres::Config>) -> Self {
        let seat = SEATS.acquire().await.expect("nobody closes it");
        Self { statements, proxy, worlds: Mutex::default(), _seat: seat }
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

    fn driver(&self) -> Option<Driver> {
        let runtime = Handle::current();
        Some(Arc::new(move |task| runtime.block_on(task)))
    }

    async fn stall(&self, store: &PostgresStore, canvas: &CanvasId) -> Option<Stall> {
        Some(Box::new(World::of(store.schema()).block(canvas).await))
    }

    async fn back_up<'a>(&'a self, store: &'a PostgresStore) -> Option<Restore<'a>> {
        let world = World::of(store.schema());
        let take = "CREATE TABLE {schema}.old_heads AS TABLE {schema}.heads;
                    CREATE TABLE {schema}.old_blobs AS TABLE {schema}.blobs";
        world.sql(take).await;
        Some(Box::pin(async move {
            let put_back = "BEGIN;
                            TRUNCATE {schema}.heads, {schema}.blobs;
                            INSERT INTO {schema}.heads TABLE {schema}.old_heads;
                            INSERT INTO {schema}.blobs TABLE {schema}.old_blobs;
                            COMMIT";
            world.sql(put_back).await;
        }))
    }
}

fn drive<F: Future>(test: F) -> F::Output {
    Runtime::new().expect("threads can be had").block_on(test)
}

mod named_statements {
    use canvas_store_testing::conformance::mutants;

    use super::*;

    canvas_store_testing::conformance_tests!(Server::new(Statements::Named, None).await, drive);

    #[test]
    fn all_in_one_report() {
        let report = drive(async { run(&Server::new(Statements::Named, None).await).await });
        sum_up("postgres, named statements", &report);
    }

    /// Through this harness the suite sees every flaw that it knows.
    #[test]
    fn no_mutant_survives() {
        let survivors =
            drive(async { mutants::survivors(&Server::new(Statements::Named, None).await).await });
        assert_eq!(survivors, []);
    }
}

#[test]
fn unnamed_statements_keep_every_promise() {
    let report = drive(async { run(&Server::new(Statements::Unnamed, None).await).await });
    sum_up("postgres, unnamed statements", &report);
}

/// Only what the store does not claim may be skipped.
pub(crate) fn sum_up(store: &str, report: &Report) {
    assert_eq!(skipped(store, report), [Check::NotifiesPeers], "{store}");
}
