//! One suite for every store: what the contract promises, tried out.
//!
//! A store passes where [`run`] reports no failure. Whether the suite itself is any good is shown by [`mutants`]:
//! stores that break one promise each, and that it must fail.
//!
//! ```
//! use std::sync::{Arc, Mutex};
//! use std::time::Duration;
//!
//! use canvas_core::conformance::{Harness, run};
//! use canvas_core::lease::Timestamp;
//! use canvas_core::{MemoryStore, block_on};
//!
//! /// How the suite gets at one kind of store.
//! struct InMemory(Arc<Mutex<Timestamp>>);
//!
//! impl Harness for InMemory {
//!     type Store = MemoryStore;
//!
//!     async fn fresh(&self) -> MemoryStore {
//!         let clock = Arc::clone(&self.0);
//!         MemoryStore::new(move || *clock.lock().unwrap())
//!     }
//!
//!     async fn peer(&self, store: &MemoryStore) -> MemoryStore {
//!         store.clone()
//!     }
//!
//!     async fn advance(&self, by: Duration) {
//!         let mut clock = self.0.lock().unwrap();
//!         *clock = clock.saturating_add(by);
//!     }
//! }
//!
//! let harness = InMemory(Arc::new(Mutex::new(Timestamp::from_millis(1_000_000))));
//! let report = block_on(run(&harness));
//! assert!(report.is_passed(), "{report}");
//! ```

pub mod mutants;
mod suite;

use std::any::Any;
use std::fmt;
use std::time::Duration;

use crate::ground::id::CanvasId;
use crate::ground::store::Store;

/// Holds up commits while it lives.
pub type Stall = Box<dyn Any + Send>;

/// How the suite makes stores of one kind and moves their clock.
pub trait Harness: Send + Sync {
    /// The kind.
    type Store: Store;

    /// A store without any canvas.
    fn fresh(&self) -> impl Future<Output = Self::Store> + Send;

    /// Another connection to the same data, as a second server has it.
    fn peer(&self, store: &Self::Store) -> impl Future<Output = Self::Store> + Send;

    /// Lets the store's clock go on by at least this much. A store on a real clock waits.
    fn advance(&self, by: Duration) -> impl Future<Output = ()> + Send;

    /// Keeps every commit of a canvas waiting until what it returns is dropped, as a slow writer that has the row
    /// does. `None` where commits never wait for one another.
    fn stall(&self, _store: &Self::Store, _canvas: &CanvasId) -> impl Future<Output = Option<Stall>> + Send {
        async { None }
    }

    /// The canvases that the store's host was told of since it was asked last, for a store that claims
    /// [`Capabilities::notify`](crate::Capabilities::notify).
    fn told(&self, _store: &Self::Store) -> impl Future<Output = Vec<CanvasId>> + Send {
        async { Vec::new() }
    }
}

/// What the suite found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Each promise and, where it was broken, how.
    pub results: Vec<(&'static str, Result<(), String>)>,
}

impl Report {
    /// True where every promise was kept.
    pub fn is_passed(&self) -> bool {
        self.results.iter().all(|(_, result)| result.is_ok())
    }

    /// The promises that were broken.
    pub fn failed(&self) -> impl Iterator<Item = &'static str> {
        self.results.iter().filter(|(_, result)| result.is_err()).map(|(name, _)| *name)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, result) in &self.results {
            match result {
                Ok(()) => writeln!(f, "pass  {name}")?,
                Err(how) => writeln!(f, "FAIL  {name}: {how}")?,
            }
        }
        Ok(())
    }
}

/// Tries every promise on fresh stores of the harness.
pub async fn run<H: Harness>(harness: &H) -> Report {
    let results = vec![
        ("an unknown canvas has no row", suite::unknown_canvas(harness).await),
        ("what is committed is loaded", suite::round_trip(harness).await),
        ("a row is made once", suite::made_once(harness).await),
        ("no row matches no version", suite::no_row_no_match(harness).await),
        ("an old version writes nothing", suite::old_version(harness).await),
        ("a conflict carries the current row", suite::conflict_carries(harness).await),
        ("versions are never used twice", suite::versions_are_new(harness).await),
        ("of many commits on one version one wins", suite::one_wins(harness).await),
        ("blobs of a commit are there", suite::blobs_are_there(harness).await),
        ("blobs belong to their canvas", suite::blobs_are_apart(harness).await),
        ("a peer sees a commit at once", suite::peer_sees(harness).await),
        ("the clock is read with each answer", suite::clock_moves(harness).await),
        ("no commit comes too late", suite::not_after(harness).await),
        ("canvases are listed in order", suite::listed(harness).await),
        ("dropped blobs are gone, others stay", suite::dropped(harness).await),
        ("any canvas id will do", suite::any_id(harness).await),
        ("a large canvas is kept whole", suite::large(harness).await),
        ("one lease at a time over two servers", suite::one_lease(harness).await),
        ("a preempted write is refused on every server", suite::preempted_everywhere(harness).await),
    ];
    Report { results }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use canvas_lease::Timestamp;

    use super::mutants::Flaw;
    use super::*;
    use crate::{MemoryStore, block_on};

    struct InMemory(Arc<Mutex<Timestamp>>);

    impl InMemory {
        fn new() -> Self {
            Self(Arc::new(Mutex::new(Timestamp::from_millis(1_000_000))))
        }
    }

    impl Harness for InMemory {
        type Store = MemoryStore;

        async fn fresh(&self) -> MemoryStore {
            let clock = Arc::clone(&self.0);
            MemoryStore::new(move || *clock.lock().expect("no test panics while it holds the clock"))
        }

        async fn peer(&self, store: &MemoryStore) -> MemoryStore {
            store.clone()
        }

        async fn advance(&self, by: Duration) {
            let mut clock = self.0.lock().expect("no test panics while it holds the clock");
            *clock = clock.saturating_add(by);
        }
    }

    #[test]
    fn memory_keeps_every_promise() {
        let report = block_on(run(&InMemory::new()));
        assert!(report.is_passed(), "{report}");
    }

    /// Each flaw fails the promise that it breaks, not just any.
    #[test]
    fn every_mutant_is_killed_by_the_promise_that_it_breaks() {
        let reports = block_on(mutants::kills(&InMemory::new()));
        assert_eq!(reports.iter().map(|(flaw, _)| *flaw).collect::<Vec<_>>(), Flaw::ALL);
        for (flaw, report) in reports {
            let promise = match flaw {
                Flaw::IgnoresCondition | Flaw::RetriesInside => "an old version writes nothing",
                Flaw::ZeroRowsAreSuccess => "a row is made once",
                Flaw::ServesStaleHeads => "a peer sees a commit at once",
                Flaw::LosesBlobs => "blobs of a commit are there",
                Flaw::NamesVersionsByContent => "versions are never used twice",
                Flaw::ReadsClockEarly => "no commit comes too late",
                Flaw::HidesTheRow => "a conflict carries the current row",
                Flaw::SharesBlobs => "blobs belong to their canvas",
            };
            assert!(
                report.failed().any(|failed| failed == promise),
                "{flaw:?} keeps \"{promise}\": {report}"
            );
            assert!(!report.is_passed());
        }
    }

    #[test]
    fn a_report_names_each_promise() {
        let results = vec![("kept", Ok(())), ("broken", Err("it fell".to_owned()))];
        let report = Report { results };
        assert_eq!(report.to_string(), "pass  kept\nFAIL  broken: it fell\n");
        assert_eq!(report.failed().collect::<Vec<_>>(), ["broken"]);
        assert!(!report.is_passed());
        assert!(Report { results: vec![("kept", Ok(()))] }.is_passed());
    }
}
