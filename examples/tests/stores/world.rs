//! Where canvases are kept in a test: how stores are made, and whose clock they have.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use canvas_core::lease::Timestamp;
use canvas_core::{MemoryStore, Store, block_on};

use super::model::{Millis, Terms};

/// When a world begins.
const START: Millis = 1_000_000;

/// A clock that only the test moves. A copy shows the same time.
#[derive(Debug, Clone)]
pub(crate) struct Clock(Arc<AtomicU64>);

impl Default for Clock {
    fn default() -> Self {
        Self(Arc::new(AtomicU64::new(START)))
    }
}

impl Clock {
    pub(crate) fn now(&self) -> Millis {
        self.0.load(Ordering::SeqCst)
    }

    pub(crate) fn wait(&self, by: Millis) {
        self.0.fetch_add(by, Ordering::SeqCst);
    }

    pub(crate) fn stamp(&self) -> Timestamp {
        Timestamp::from_millis(self.now())
    }
}

/// What clocks there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clocks {
    /// One that the test moves, for everybody.
    Right,
    /// The same, but each server may be told another one, which also jumps.
    Wrong,
    /// That of a server: nothing waits, leases live for longer than any test, and nothing is said of the instants at
    /// which they end.
    Real,
}

/// Where the stores of one test keep their data.
pub(crate) trait Place: 'static {
    type Store: Store + 'static;

    const CLOCKS: Clocks = Clocks::Right;

    /// How long leases live here.
    fn terms() -> Terms {
        let (ttl, max_hold) = match Self::CLOCKS {
            Clocks::Right | Clocks::Wrong => (15_000, 40_000),
            Clocks::Real => (3_600_000, 36_000_000),
        };
        Terms { ttl, max_hold, tolerance: 5_000 }
    }

    /// One more connection to the same data.
    fn connect(&self) -> Self::Store;

    /// The clock of the hosts, and of the stores unless theirs is real.
    fn clock(&self) -> &Clock;

    /// Waits for a future.
    fn wait_for<F: Future>(&self, future: F) -> F::Output {
        block_on(future)
    }
}

/// Canvases in memory.
#[derive(Debug)]
pub(crate) struct Memory {
    clock: Clock,
    store: MemoryStore,
}

impl Default for Memory {
    fn default() -> Self {
        let clock = Clock::default();
        let shared = clock.clone();
        Self { clock, store: MemoryStore::new(move || shared.stamp()) }
    }
}

impl Place for Memory {
    type Store = MemoryStore;

    fn connect(&self) -> MemoryStore {
        self.store.clone()
    }

    fn clock(&self) -> &Clock {
        &self.clock
    }
}

/// Canvases in memory, for servers whose clocks are wrong.
#[derive(Debug, Default)]
pub(crate) struct WrongClocks(Memory);

impl Place for WrongClocks {
    type Store = MemoryStore;

    const CLOCKS: Clocks = Clocks::Wrong;

    fn connect(&self) -> MemoryStore {
        self.0.connect()
    }

    fn clock(&self) -> &Clock {
        self.0.clock()
    }
}

#[cfg(feature = "sqlite")]
pub(crate) use self::sqlite::Sqlite;

#[cfg(feature = "sqlite")]
mod sqlite {
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::{env, fs, process};

    use canvas_core::Blocking;
    use canvas_examples::sqlite::SqliteStore;

    use super::{Clock, Place};

    /// Canvases in an SQLite file; each connection is one to the file.
    #[derive(Debug)]
    pub(crate) struct Sqlite {
        clock: Clock,
        folder: PathBuf,
    }

    impl Default for Sqlite {
        fn default() -> Self {
            static PLACES: AtomicU32 = AtomicU32::new(0);
            let number = PLACES.fetch_add(1, Ordering::Relaxed);
            let folder = env::temp_dir().join(format!("canvas-stores-{}-{number}", process::id()));
            fs::create_dir(&folder).expect("the name is new");
            Self { clock: Clock::default(), folder }
        }
    }

    impl Drop for Sqlite {
        fn drop(&mut self) {
            // What is left behind lies in the system's own folder for such things.
            let _ = fs::remove_dir_all(&self.folder);
        }
    }

    impl Place for Sqlite {
        type Store = Blocking<SqliteStore>;

        fn connect(&self) -> Blocking<SqliteStore> {
            let clock = self.clock.clone();
            let store = SqliteStore::open(self.folder.join("canvases.db"), move || clock.stamp());
            Blocking::in_place(store.expect("the folder takes files"))
        }

        fn clock(&self) -> &Clock {
            &self.clock
        }
    }
}

#[cfg(feature = "postgres")]
pub(crate) use self::postgres::Postgres;

#[cfg(feature = "postgres")]
mod postgres {
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicU32, Ordering};

    use canvas_examples::postgres::{PostgresOptions, PostgresStore};
    use tokio::runtime::Runtime;
    use tokio_postgres::{Config, NoTls};

    use super::{Clock, Clocks, Place};

    /// Connections of pools are driven by it, so it outlives each place.
    static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().expect("threads can be had"));

    /// Canvases in a schema of their own; each connection has a pool of its own.
    #[derive(Debug)]
    pub(crate) struct Postgres {
        clock: Clock,
        config: Config,
        schema: String,
    }

    impl Default for Postgres {
        fn default() -> Self {
            static PLACES: AtomicU32 = AtomicU32::new(0);
            let number = PLACES.fetch_add(1, Ordering::Relaxed);
            let address = std::env::var("CANVAS_POSTGRES").unwrap_or_else(|_| {
                panic!(
                    "CANVAS_POSTGRES is not set: run these tests as \
                     .ci/postgres cargo test -p canvas-examples --features postgres"
                )
            });
            let place = Self {
                clock: Clock::default(),
                config: address.parse().expect("it is a connection string"),
                schema: format!("canvas stores {} {number}", std::process::id()),
            };
            place.wait_for(place.connect().migrate()).expect("the server lets us make tables");
            place
        }
    }

    impl Drop for Postgres {
        fn drop(&mut self) {
            let drop = format!("DROP SCHEMA \"{}\" CASCADE", self.schema);
            RUNTIME.block_on(async {
                // A schema that is left behind is in nobody's way.
                if let Ok((client, connection)) = self.config.connect(NoTls).await {
                    tokio::spawn(connection);
                    let _ = client.batch_execute(&drop).await;
                }
            });
        }
    }

    impl Place for Postgres {
        type Store = PostgresStore;

        const CLOCKS: Clocks = Clocks::Real;

        fn connect(&self) -> PostgresStore {
            let options = PostgresOptions { schema: self.schema.clone(), ..PostgresOptions::default() };
            let _inside = RUNTIME.enter();
            PostgresStore::connect(self.config.clone(), NoTls, &options).expect("the options are fine")
        }

        fn clock(&self) -> &Clock {
            &self.clock
        }

        fn wait_for<F: Future>(&self, future: F) -> F::Output {
            RUNTIME.block_on(future)
        }
    }
}

#[cfg(feature = "object-store")]
pub(crate) use self::buckets::Bucket;

#[cfg(feature = "object-store")]
mod buckets {
    use std::sync::Arc;

    use canvas_core::block_on;
    use canvas_examples::object_store::ObjectCanvasStore;
    use object_store::memory::InMemory;
    use object_store::path::Path;

    use super::{Clock, Place};

    /// Canvases in a bucket in memory; each connection opens it anew.
    #[derive(Debug, Default)]
    pub(crate) struct Bucket {
        clock: Clock,
        objects: Arc<InMemory>,
    }

    impl Place for Bucket {
        type Store = ObjectCanvasStore;

        fn connect(&self) -> ObjectCanvasStore {
            let (objects, clock) = (Arc::clone(&self.objects), self.clock.clone());
            let store = ObjectCanvasStore::open(objects, Path::ROOT, move || clock.stamp());
            block_on(store).expect("memory keeps to conditions")
        }

        fn clock(&self) -> &Clock {
            &self.clock
        }
    }
}
