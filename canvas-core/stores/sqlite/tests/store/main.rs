//! The store in an SQLite file: its contract, and what a broken world does to it.

mod conformance;
mod crash;
mod damage;
mod disk;
mod files;
mod locks;
mod place;
mod process;
mod rights;
mod room;

use std::fmt::Debug;
use std::sync::Arc;

use canvas_core::{BlockingStore, Fault, Head, Version};
use canvas_store_sqlite::{SqliteError, SqliteStore};
use canvas_store_testing::{canvas, current, fault};

/// The version and the head that a canvas has now.
fn state(store: &SqliteStore, name: &str) -> Option<(Version, Arc<Head>)> {
    current(BlockingStore::load(store, &canvas(name)))
}

#[track_caller]
fn definite(answer: Result<impl Debug, Fault>) -> SqliteError {
    canvas_store_testing::definite(answer)
}

/// The code of a definite fault.
#[track_caller]
fn code(answer: Result<impl Debug, Fault>) -> &'static str {
    let (kind, code, text) = fault(answer, SqliteError::code);
    assert_eq!(kind, "definite", "{text}");
    code
}
