//! A store of a host, tried by the suite of the contract: a test for each promise.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use canvas_core::CanvasId;
use canvas_core::lease::Timestamp;
use canvas_core::store::{Layer, Loaded, MemoryStore, Store, StoreError};
use canvas_store_testing::conformance::Harness;

/// The store under test: here one that counts loads, around another one.
#[derive(Clone)]
struct Counted {
    store: MemoryStore,
    loads: Arc<AtomicU64>,
}

impl Layer for Counted {
    type Inner = MemoryStore;

    fn inner(&self) -> &MemoryStore {
        &self.store
    }

    async fn load(&self, canvas: &CanvasId) -> Result<Option<Loaded>, StoreError> {
        self.loads.fetch_add(1, Ordering::Relaxed);
        Store::load(&self.store, canvas).await
    }
}

/// How the suite makes stores and moves their clock, in milliseconds.
#[derive(Default)]
struct Counting(Arc<AtomicU64>);

impl Harness for Counting {
    type Store = Counted;

    async fn fresh(&self) -> Counted {
        let clock = Arc::clone(&self.0);
        let store = MemoryStore::new(move || Timestamp::from_millis(clock.load(Ordering::Relaxed)));
        Counted { store, loads: Arc::default() }
    }

    // A second connection to the same data. A store over a network connects once more here.
    async fn peer(&self, store: &Counted) -> Counted {
        store.clone()
    }

    // A store on a real clock sleeps.
    async fn advance(&self, by: Duration) {
        self.0.fetch_add(u64::try_from(by.as_millis()).expect("tests are short"), Ordering::Relaxed);
    }
}

// The second argument drives a future: your runtime's `block_on` where the store needs one.
canvas_store_testing::conformance_tests!(Counting::default(), canvas_core::testing::block_on);
