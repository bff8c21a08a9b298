//! Where canvases are kept in a test: how stores are made, and whose clock they have.

use canvas_core::store::{MemoryStore, Store};
use canvas_core::testing::block_on;
use canvas_store_testing::Clock;

use super::model::Terms;

/// What clocks there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clocks {
    /// One that the test moves, for everybody.
    Right,
    /// The same, but each server may learn another one, which also jumps.
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
        Self { clock, store: MemoryStore::new(move || shared.now()) }
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
    use canvas_core::store::Blocking;
    use canvas_store_sqlite::SqliteStore;
    use canvas_store_testing::{Clock, Folder};

    use super::Place;

    /// Canvases in an SQLite file; each connection is one to the file.
    #[derive(Debug)]
    pub(crate) struct Sqlite {
        clock: Clock,
        folder: Folder,
    }

    impl Default for Sqlite {
        fn default() -> Self {
            Self { clock: Clock::default(), folder: Folder::new() }
        }
    }

    impl Place for Sqlite {
        type Store = Blocking<SqliteStore>;

        fn connect(&self) -> Blocking<SqliteStore> {
            let clock = self.clock.clone();
            let store = SqliteStore::open(self.folder.file(), move || clock.now());
            Blocking::new(store.expect("the folder takes files"))
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

    use canvas_store_postgres::PostgresStore;
    use canvas_store_testing::{Clock, World};
    use tokio::runtime::Runtime;

    use super::{Clocks, Place};

    /// Connections of pools are driven by it, so it outlives each place.
    static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().expect("threads can be had"));

    /// Canvases in a schema of their own; each connection has a pool of its own.
    #[derive(Debug)]
    pub(crate) struct Postgres {
        clock: Clock,
        world: World,
    }

    impl Default for Postgres {
        fn default() -> Self {
            Self { clock: Clock::default(), world: RUNTIME.block_on(World::new()) }
        }
    }

    impl Place for Postgres {
        type Store = PostgresStore;

        const CLOCKS: Clocks = Clocks::Real;

        fn connect(&self) -> PostgresStore {
            let _inside = RUNTIME.enter();
            self.world.store()
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

    use canvas_core::testing::block_on;
    use canvas_store_object::ObjectCanvasStore;
    use canvas_store_testing::Clock;
    use object_store::memory::InMemory;
    use object_store::path::Path;

    use super::Place;

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
            let store = ObjectCanvasStore::open(objects, Path::ROOT, move || clock.now());
            block_on(store).expect("memory keeps to conditions")
        }

        fn clock(&self) -> &Clock {
            &self.clock
        }
    }
}
