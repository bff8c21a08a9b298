//! The store in an SQLite file: its contract, and what a broken world does to it.

mod actions;
mod collecting;
mod conformance;
mod copies;
mod crash;
mod damage;
mod disk;
mod erasing;
mod files;
mod locks;
mod notifications;
mod packs;
mod place;
mod process;
mod restore;
mod rights;
mod room;

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use canvas_core::store::{BlockingStore, Collected, Head, StoreError, Version};
use canvas_core::{BlobId, CodedError as _};
use canvas_store_sqlite::SqliteStore;
use canvas_store_testing::{canvas, current, definite};

/// The version and the head that a canvas has now.
fn state(store: &SqliteStore, name: &str) -> Option<(Version, Arc<Head>)> {
    current(BlockingStore::load(store, &canvas(name)))
}

/// Collects by the row as it is, whatever the age of blobs.
fn collect(store: &SqliteStore, name: &str, keep: &[BlobId]) -> Result<Collected, StoreError> {
    let row = store.load(&canvas(name)).ok().flatten();
    let at = row.map_or_else(|| Version::new("1-1"), |row| row.version);
    store.collect(&canvas(name), &keep.iter().copied().collect(), Duration::ZERO, &at)
}

/// How often the row of a version was committed to.
fn counter(version: &Version) -> u64 {
    version.as_str().split_once('-').unwrap().0.parse().unwrap()
}

/// The code of a definite fault.
#[track_caller]
fn code(answer: Result<impl Debug, StoreError>) -> &'static str {
    definite(answer).code()
}
