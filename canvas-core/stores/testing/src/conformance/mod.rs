//! One suite for every store, with checks of all promises in the contract. Use it if you write a store.
//!
//! # A harness
//!
//! The suite accesses a store through a [`Harness`], which says how to create an empty store, how to open a second
//! connection to it, and how to advance its clock.
//!
//! ```
//! # canvas_core::testing::block_on(async {
//! use std::sync::Arc;
//! use std::sync::atomic::{AtomicU64, Ordering};
//! use std::time::Duration;
//!
//! use canvas_store_testing::conformance::{Harness, mutants, run};
//! use canvas_core::lease::Timestamp;
//! use canvas_core::store::MemoryStore;
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
//! let report = run(&InMemory::default()).await;
//! assert!(report.is_passed(), "{report}");
//! # assert!(report.skipped().count() > 0);
//! # });
//! ```
//!
//! * `fresh` returns a store without canvases, in a schema, a file or a bucket prefix of its own. Checks may run
//!   concurrently, so two fresh stores must be independent.
//! * `peer` opens a real second connection, like another process would. A clone that shares a cache with the first store
//!   would hide exactly the faults that the suite looks for.
//! * `advance` moves a clock that the harness owns, or sleeps if the clock is real. The suite judges time by the clocks in
//!   the results and never expects an operation to be fast. With a real clock, all checks together wait less than a quarter
//!   of a minute.
//! * `driver` drives futures on threads that the suite starts for its races. The default is [`block_on`]. If the store
//!   needs a runtime, pass that runtime on.
//! * `stall` simulates a slow writer. Databases let a commit wait for the row, and during this wait clocks and rows
//!   become outdated unnoticed. A condition on `now()` uses the time at which the transaction began, and data read next
//!   to the condition may be older than the row that the condition saw. To implement it, run a `SELECT ... FOR UPDATE`
//!   or a `BEGIN IMMEDIATE` on a separate connection, and end that transaction when the value is dropped. Leave it out
//!   if commits never wait.
//! * `back_up` copies all stored data and restores it in place, like an operator does after a disaster. A counter then
//!   repeats the values that it issued after the backup. Leave it out if this is impossible while servers run.
//! * `notified` is for stores that claim [`Capabilities::notify`](canvas_core::store::Capabilities::notify). Engines on
//!   such a store serve reads from memory until they are notified, so notifications must arrive before the commit returns.
//!
//! # As tests, or at run time
//!
//! [`conformance_tests!`](crate::conformance_tests) generates one test per check. [`run`] runs all checks and returns a
//! [`Report`], so that an installation can find out whether its database is suitable. [`Check::run`] runs a single check.
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
//! # Can the suite see flaws?
//!
//! [`mutants`] wraps your store into ninety others, each with one flaw, and lists the flaws that the suite does not
//! detect through your harness. The list should contain only flaws that your harness has no way to reveal:
//!
//! ```
//! # canvas_core::testing::block_on(async {
//! # use std::sync::{Arc, atomic::{AtomicU64, Ordering}};
//! # use std::time::Duration;
//! # use canvas_store_testing::conformance::{CheckOutcome, Harness, mutants};
//! # use canvas_core::lease::Timestamp;
//! # use canvas_core::store::MemoryStore;
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
//! for (flaw, kept) in mutants::survivors(&InMemory::default()).await {
//!     assert!(matches!(kept, CheckOutcome::Skipped(_)), "the suite does not see that a store {}", flaw.text());
//! }
//! # });
//! ```
//!
//! # Limits
//!
//! The suite does not test durability, faults or load. Pull the plug, cut the network and measure by your own means. From
//! outside it cannot see whether an error tells the truth about writes. The tests of the engine cover its reaction to such
//! errors.

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
pub use canvas_core::testing::block_on;

pub use self::check::Check;
pub use self::harness::{Driver, Harness, Restore, Stall};
pub use self::outcome::{CheckOutcome, Violation};
pub use self::report::{Report, Tally};

/// Runs every check, each on a fresh store of the harness.
pub async fn run<H: Harness>(harness: &H) -> Report {
    let mut results = Vec::new();
    for check in Check::ALL.iter().copied() {
        results.push((check, check.run(harness).await));
    }
    Report { results }
}
