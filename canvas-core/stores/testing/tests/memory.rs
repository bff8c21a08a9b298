//! The suite as an integrator has it: a harness of a few lines, one test for each check.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use canvas_core::lease::Timestamp;
use canvas_core::store::MemoryStore;
use canvas_store_testing::conformance::Harness;

/// The clock of the stores, in milliseconds.
#[derive(Default)]
struct InMemory(Arc<AtomicU64>);

impl Harness for InMemory {
    type Store = MemoryStore;

    async fn fresh(&self) -> MemoryStore {
        let clock = Arc::clone(&self.0);
        MemoryStore::new(move || Timestamp::from_millis(clock.load(Ordering::Relaxed)))
    }

    async fn peer(&self, store: &MemoryStore) -> MemoryStore {
        store.clone()
    }

    async fn advance(&self, by: Duration) {
        let millis = u64::try_from(by.as_millis()).expect("the suite advances by seconds");
        self.0.fetch_add(millis, Ordering::Relaxed);
    }
}

mod as_documented {
    use super::InMemory;

    canvas_store_testing::conformance_tests!(InMemory::default());
}

/// A harness that is made where the tests run, and a driver of one's own.
mod by_another_driver {
    use super::InMemory;

    async fn connect() -> InMemory {
        InMemory::default()
    }

    fn drive<F: Future>(test: F) -> F::Output {
        canvas_core::testing::block_on(Box::pin(test))
    }

    canvas_store_testing::conformance_tests!(connect().await, drive);
}
