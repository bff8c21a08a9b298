//! A write in a PostgreSQL database half a millisecond away, beside the transaction of four statements that
//! applications write by hand: `BEGIN`, `SELECT .. FOR UPDATE`, `UPDATE`, `COMMIT`.
//!
//! The server is named by `CANVAS_POSTGRES`; `.ci/postgres --alone` starts one. Commits do not wait for the disk
//! (`synchronous_commit = off`) on either side, so that statements are measured and not this machine's disk.

use std::sync::Barrier;
use std::thread;

use canvas_core::Engine;
use canvas_core::lease::{LeaseId, Timestamp};
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{Client, Config, NoTls, Statement};

use super::delayed::{Delayed, wait};
use super::writer::{LINES, SMALL, Writer, canvas, document, key, policy};
use super::{Rate, rates};
use crate::measure::Effort;
use canvas_store_postgres::{PostgresOptions, PostgresStore};

/// Connections that write to one canvas.
const CONNECTIONS: usize = 8;

/// Writes of one connection in a round.
const WRITES: u32 = 200;

fn now() -> Timestamp {
    std::time::SystemTime::now().into()
}

fn config() -> Config {
    let server =
        std::env::var("CANVAS_POSTGRES").expect("CANVAS_POSTGRES names a server: run under .ci/postgres");
    let mut config: Config = server.parse().expect("CANVAS_POSTGRES is a connection string");
    config.options("-c synchronous_commit=off");
    config
}

/// A connection with a runtime of its own, as a server has it.
fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().expect("a runtime needs little")
}

/// A schema of its own, which goes with it.
struct Schema {
    runtime: Runtime,
    client: Client,
    name: String,
}

impl Schema {
    fn new() -> Self {
        let (runtime, name) = (runtime(), format!("bench_{}", std::process::id()));
        let client = runtime.block_on(async {
            let client = connect().await;
            let setup = format!(
                "DROP SCHEMA IF EXISTS {name} CASCADE; CREATE SCHEMA {name};
                 CREATE TABLE {name}.by_hand (id int PRIMARY KEY, version bigint, body bytea);
                 INSERT INTO {name}.by_hand VALUES (1, 1, '')"
            );
            client.batch_execute(&setup).await.expect("the server lets this role make schemas");
            client
        });
        let schema = Self { runtime, client, name };
        let store = schema.store();
        schema.runtime.block_on(async {
            store.migrate().await.expect("the schema is empty");
            let engine = Engine::new(store, policy());
            engine.create(&canvas(), &document(SMALL), &key("create"), now()).await.expect("it is new");
        });
        schema
    }

    fn store(&self) -> PostgresStore {
        let options =
            PostgresOptions { schema: self.name.clone(), connections: 1, ..PostgresOptions::default() };
        PostgresStore::connect(config(), NoTls, &options).expect("the name is fine")
    }

    fn writer(&self, line: usize) -> Writer<Delayed<PostgresStore>> {
        Writer::new(Engine::new(Delayed(self.store()), policy()).with_sleep(tokio::time::sleep), line, now)
    }
}

impl Drop for Schema {
    fn drop(&mut self) {
        let gone = format!("DROP SCHEMA {} CASCADE", self.name);
        let _ = self.runtime.block_on(self.client.batch_execute(&gone));
    }
}

async fn connect() -> Client {
    let (client, connection) = config().connect(NoTls).await.expect("the server is there");
    tokio::spawn(connection);
    client
}

/// The transaction that is written by hand: it guards by the row's lock alone.
struct ByHand {
    client: Client,
    select: Statement,
    update: Statement,
}

impl ByHand {
    async fn new(schema: &str) -> Self {
        let client = connect().await;
        let select = format!("SELECT version, body FROM {schema}.by_hand WHERE id = 1 FOR UPDATE");
        let update = format!("UPDATE {schema}.by_hand SET version = $1, body = $2 WHERE id = 1");
        let (select, update) = (client.prepare(&select).await, client.prepare(&update).await);
        Self { client, select: select.expect("it is valid"), update: update.expect("it is valid") }
    }

    async fn writes(&self, count: u32) {
        for _ in 0..count {
            self.write().await;
        }
    }

    async fn write(&self) {
        wait();
        self.client.batch_execute("BEGIN").await.expect("a transaction begins");
        wait();
        let row = self.client.query_one(&self.select, &[]).await.expect("the row is there");
        let version = row.get::<_, i64>(0) + 1;
        let mut body = vec![b'x'; SMALL];
        body[..8].copy_from_slice(&version.to_le_bytes());
        wait();
        self.client.execute(&self.update, &[&version, &body]).await.expect("the row is locked");
        wait();
        self.client.batch_execute("COMMIT").await.expect("it commits");
    }
}

/// One connection that writes alone.
pub(super) fn steady(work: &'static str, effort: Effort) -> Vec<Rate> {
    let schema = Schema::new();
    let (here, there) = (runtime(), runtime());
    let by_hand = here.block_on(ByHand::new(&schema.name));
    let (mut writer, mut lease) = (schema.writer(0), None);
    rates(
        work,
        effort.long_rounds(),
        vec![
            (
                "four statements",
                Box::new(|| {
                    here.block_on(by_hand.writes(WRITES));
                    WRITES
                }),
            ),
            (
                "canvas",
                Box::new(|| {
                    there.block_on(writer.steady(&mut lease, WRITES));
                    WRITES
                }),
            ),
        ],
    )
}

/// Eight servers with a connection each that write to one canvas.
pub(super) fn hot(work: &'static str, effort: Effort) -> Vec<Rate> {
    let schema = Schema::new();
    let mut host = schema.writer(LINES - 1);
    let host_runtime = runtime();
    let mut by_hand: Vec<_> = (0..CONNECTIONS)
        .map(|_| {
            let runtime = runtime();
            let by_hand = runtime.block_on(ByHand::new(&schema.name));
            (runtime, by_hand)
        })
        .collect();
    let mut writers: Vec<_> = (0..CONNECTIONS).map(|line| (runtime(), schema.writer(line))).collect();
    // The writes of a round fit into one lease.
    let each = WRITES / CONNECTIONS as u32 * 2;
    rates(
        work,
        effort.long_rounds(),
        vec![
            (
                "four statements",
                Box::new(|| {
                    side_by_side(&mut by_hand, |(runtime, by_hand)| runtime.block_on(by_hand.writes(each)));
                    each * CONNECTIONS as u32
                }),
            ),
            (
                "canvas",
                Box::new(|| {
                    let lease: LeaseId = host_runtime.block_on(host.check_out());
                    side_by_side(&mut writers, |(runtime, writer)| {
                        runtime.block_on(async {
                            for _ in 0..each {
                                writer.write(lease).await;
                            }
                        });
                    });
                    host_runtime.block_on(host.check_in(lease));
                    each * CONNECTIONS as u32
                }),
            ),
        ],
    )
}

fn side_by_side<T: Send>(workers: &mut [T], work: impl Fn(&mut T) + Sync) {
    let start = Barrier::new(workers.len());
    thread::scope(|scope| {
        for worker in workers {
            scope.spawn(|| {
                start.wait();
                work(worker);
            });
        }
    });
}
