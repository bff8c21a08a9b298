//! The suite that every store passes: a test for each promise.

use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use canvas_core::CanvasId;
use canvas_core::store::Blocking;
use canvas_core::testing::block_on;
use canvas_store_sqlite::{SqliteOptions, SqliteStore};
use canvas_store_testing::conformance::{Check, Harness, Restore, Stall, mutants, run};
use canvas_store_testing::{Clock, Folder, skipped};

use super::restore::copy;

#[derive(Default)]
struct Files {
    clock: Clock,
    /// Kept until the suite has ended, and removed also where a promise panics.
    folders: Mutex<Vec<Folder>>,
}

impl Files {
    fn open(&self, path: &std::path::Path) -> Blocking<SqliteStore> {
        let clock = self.clock.clone();
        // Nothing here lasts long enough for a timeout, however slow the machine.
        let options = SqliteOptions { busy_timeout: Duration::from_secs(600), ..SqliteOptions::default() };
        let store = SqliteStore::open_with(path, move || clock.now(), options).unwrap();
        Blocking::new(store).with_spawn(|job| drop(thread::spawn(job)))
    }
}

impl Harness for Files {
    type Store = Blocking<SqliteStore>;

    async fn fresh(&self) -> Self::Store {
        let folder = Folder::new();
        let store = self.open(&folder.file());
        self.folders.lock().unwrap().push(folder);
        store
    }

    async fn peer(&self, store: &Self::Store) -> Self::Store {
        self.open(store.inner().path())
    }

    async fn advance(&self, by: Duration) {
        self.clock.advance(by);
    }

    /// The lock is of the whole file, so it is every canvas's.
    async fn stall(&self, store: &Self::Store, _: &CanvasId) -> Option<Stall> {
        let holder = rusqlite::Connection::open(store.inner().path()).unwrap();
        holder.execute_batch("BEGIN IMMEDIATE").unwrap();
        Some(Box::new(holder))
    }

    async fn back_up<'a>(&'a self, store: &'a Self::Store) -> Option<Restore<'a>> {
        let aside = Folder::new();
        copy(store.inner().path(), &aside.file());
        Some(Box::pin(async move { copy(&aside.file(), store.inner().path()) }))
    }
}

mod promises {
    use super::Files;

    canvas_store_testing::conformance_tests!(Files::default());
}

/// Only what the store does not claim may be skipped.
#[test]
fn all_in_one_report() {
    assert_eq!(skipped("sqlite", &block_on(run(&Files::default()))), [Check::NotifiesPeers]);
}

/// Through this harness the suite sees every flaw that it knows.
#[test]
fn no_mutant_survives() {
    assert_eq!(block_on(mutants::survivors(&Files::default())), []);
}
