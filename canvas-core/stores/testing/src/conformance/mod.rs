//! One suite for every store: checks of what the contract promises. For those who write a store.
//!
//! # A harness
//!
//! The suite gets at a store through a [`Harness`]: how to make an empty one, how to connect to it once more, how to
//! let its clock go on.
//!
//! ```
//! use std::sync::Arc;
//! use std::sync::atomic::{AtomicU64, Ordering};
//! use std::time::Duration;
//!
//! use canvas_store_testing::conformance::{Harness, mutants, run};
//! use canvas_core::lease::Timestamp;
//! use canvas_core::store::MemoryStore;
//! use canvas_core::block_on;
//!
//! /// The clock of the stores, in milliseconds.
//! #[derive(Default)]
//! struct InMemory(Arc<AtomicU64>);
//!
//! impl Harness for InMemory {
//!     type Store = MemoryStore;
//!
//!     async fn fresh(&self) -> MemoryStore {
//!         let clock = Arc::clone(&self.0);
//!         MemoryStore::new(move || Timestamp::from_millis(clock.load(Ordering::Relaxed)))
//!     }
//!
//!     async fn peer(&self, store: &MemoryStore) -> MemoryStore {
//!         store.clone()
//!     }
//!
//!     async fn advance(&self, by: Duration) {
//!         self.0.fetch_add(by.as_millis() as u64, Ordering::Relaxed);
//!     }
//! }
//!
//! let report = block_on(run(&InMemory::default()));
//! assert!(report.is_passed(), "{report}");
//! # assert!(report.skipped().count() > 0);
//! ```
//!
//! * `fresh` gives a store without canvases: a schema, a file, a bucket prefix of its own. Checks may run side by
//!   side, so two fresh stores share nothing.
//! * `peer` opens a real second connection, as another process would. A copy that shares a cache with the first hides
//!   just the faults that the suite looks for.
//! * `advance` moves a clock that the harness owns, or sleeps where the clock is real. The suite judges time by the
//!   clocks in the answers and never expects that something is fast; all checks together wait for a real clock less
//!   than a quarter of a minute.
//! * `driver` drives futures on threads that the suite starts for its races, [`block_on`] unless you say
//!   otherwise. A store that needs a runtime hands that one on.
//! * `stall` plays a slow writer. Databases let a commit wait for the row, and that is where clocks and rows grow old
//!   unseen: a condition on `now()` is judged by the time at which the transaction began, and what is read beside the
//!   condition may be older than the row that the condition saw. A `SELECT ... FOR UPDATE` or `BEGIN IMMEDIATE` on a
//!   connection of its own, ended when the value is dropped, is all it takes. Leave it out where nothing ever waits.
//! * `back_up` copies all that is kept and puts it back in place, as an operator does after a disaster. What a counter
//!   has given out since, it gives out again. Leave it out where nobody can do so while servers run.
//! * `notified` is for stores that claim [`Capabilities::notify`](canvas_core::store::Capabilities::notify): engines on them serve
//!   reads from memory until they are notified, so notifications must arrive before the committer has its answer.
//!
//! # As tests, or at run time
//!
//! [`conformance_tests!`](crate::conformance_tests) makes one test of each check. [`run`] tries all of them and
//! gives a [`Report`], for an installation that wants to know whether the database it was given will do;
//! [`Check::run`] tries one.
//!
//! A report has a line for each check: `pass`, `FAIL` with the fault of the store, or `skip` with a reason. A check is skipped
//! if the store does not claim the capability, or if the harness has no way to try it. A skipped check is not a failure, so
//! each report ends with a list of them. State in your own test which of [`Report::skipped`] you accept.
//!
//! # Races
//!
//! Futures on one thread meet only at their awaits. If a store compares a version and writes in two steps of one poll, only
//! threads can race between these steps. The suite therefore starts a few threads that commit, create, delete and collect at
//! once, and checks that their answers form one history. A correct store passes on any machine, because no clock and no
//! schedule decides the verdict. A store with a race fails if the threads meet between its steps. Many hundred commits make
//! this likely, but not certain.
//!
//! # Does it see?
//!
//! [`mutants`] wraps your store into ninety others, each with one flaw, and lists those that the suite passes with
//! your harness. There should be none but those that the harness has no way to show:
//!
//! ```
//! # use std::sync::{Arc, atomic::{AtomicU64, Ordering}};
//! # use std::time::Duration;
//! # use canvas_store_testing::conformance::{CheckOutcome, Harness, mutants};
//! # use canvas_core::lease::Timestamp;
//! # use canvas_core::store::MemoryStore;
//! # use canvas_core::block_on;
//! # #[derive(Default)]
//! # struct InMemory(Arc<AtomicU64>);
//! # impl Harness for InMemory {
//! #     type Store = MemoryStore;
//! #     async fn fresh(&self) -> MemoryStore {
//! #         let clock = Arc::clone(&self.0);
//! #         MemoryStore::new(move || Timestamp::from_millis(clock.load(Ordering::Relaxed)))
//! #     }
//! #     async fn peer(&self, store: &MemoryStore) -> MemoryStore { store.clone() }
//! #     async fn advance(&self, by: Duration) {
//! #         self.0.fetch_add(by.as_millis() as u64, Ordering::Relaxed);
//! #     }
//! # }
//! for (flaw, kept) in block_on(mutants::survivors(&InMemory::default())) {
//!     assert!(matches!(kept, CheckOutcome::Skipped(_)), "the suite does not see that a store {}", flaw.text());
//! }
//! ```
//!
//! # Limits
//!
//! Durability, faults and load are not tried: pull the plug, cut the network and measure by your own means. Whether a
//! fault is honest about what was written cannot be seen from outside; the engine's answer to it is tested with the
//! engine.

mod check;
mod harness;
pub mod mutants;
mod outcome;
mod report;
mod stored;
mod suite;
mod testing;
#[cfg(test)]
mod tests;

#[doc(hidden)]
pub use canvas_core::block_on;

pub use self::check::Check;
pub use self::harness::{Driver, Harness, Restore, Stall};
pub use self::outcome::{CheckOutcome, Violation};
pub use self::report::{Report, Tally};

/// Runs every check on fresh stores of the harness.
pub async fn run<H: Harness>(harness: &H) -> Report {
    let mut results = Vec::new();
    for check in Check::ALL.iter().copied() {
        results.push((check, check.run(harness).await));
    }
    Report { results }
}
