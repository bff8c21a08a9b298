//! The conformance suite for stores, and helpers that their tests share.
//!
//! To test a store of your own, write a [`Harness`](conformance::Harness). It says how to create an empty store, how to
//! open a second connection to it, and how to advance its clock. [`conformance_tests!`] then generates a test for each
//! promise of [`Store`](canvas_core::store::Store). To get a single report instead, call [`conformance::run`]:
//!
//! ```
//! use canvas_store_testing::conformance::{Harness, mutants, run};
//!
//! async fn judge(harness: &impl Harness) {
//!     let report = run(harness).await;
//!     assert!(report.is_passed(), "{report}");
//!     // Through the same harness, the suite must detect each flaw of the broken stores.
//!     assert_eq!(mutants::survivors(harness).await, []);
//! }
//! ```
//!
//! # Modules
//!
//! [`conformance`] is the suite. [`collecting`] tests an existing store with writers during a collection, and
//! [`erasing`] tests one with a secret that must disappear. The functions in the crate root build heads and commits,
//! and unpack the results of stores. They panic if the test fails.
//!
//! # Features
//!
//! `sqlite` adds stores in a [`Folder`], and `postgres` adds test schemas on a PostgreSQL server. The suite needs neither.
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

/// Compiles and runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
