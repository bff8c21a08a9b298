//! The conformance suite of stores, and what their tests share.
//!
//! A store of your own needs a [`Harness`](conformance::Harness), which says how to make an empty one, how to connect to it once more,
//! and how its clock goes on. [`conformance_tests!`] then makes a test of each promise of
//! [`Store`](canvas_core::store::Store); [`conformance::run`] gives one report:
//!
//! ```
//! use canvas_core::block_on;
//! use canvas_store_testing::conformance::{Harness, mutants, run};
//!
//! fn judge(harness: &impl Harness) {
//!     let report = block_on(run(harness));
//!     assert!(report.is_passed(), "{report}");
//!     // The same harness must let the suite see each flaw that stores have.
//!     assert_eq!(block_on(mutants::survivors(harness)), []);
//! }
//! ```
//!
//! # Modules
//!
//! [`conformance`] is the suite. [`collecting`] and [`erasing`] run on a store that is there: writers beside a collector, and a secret
//! that must be gone. The functions of the root make heads and commits, and take apart what stores answer; they panic where a test
//! has failed.
//!
//! # Features
//!
//! `sqlite` brings stores in a [`Folder`], `postgres` schemas on a PostgreSQL server. The suite needs neither.
#![expect(clippy::missing_panics_doc, reason = "a helper of a test panics where the test has failed")]

mod answer;
mod clock;
pub mod collecting;
pub mod conformance;
pub mod erasing;
mod folder;
mod head;
mod id;
#[cfg(feature = "postgres")]
mod postgres;

pub use answer::{
    collect, conflict, current, definite, done, done_at, dropped, fault, indeterminate, skipped,
};
pub use clock::{Clock, NOW, system_now};
pub use folder::Folder;
pub use head::{commit, edit, edit_head, head};
pub use id::{canvas, key, key_of};
#[cfg(feature = "postgres")]
pub use postgres::{Blocker, World, address, connect};

/// The example of the README, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
