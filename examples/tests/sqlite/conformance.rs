//! The suite that every store passes.

use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use canvas_core::conformance::{Harness, Stall, run};
use canvas_core::{Blocking, CanvasId, block_on};
use canvas_examples::sqlite::{Options, SqliteStore};

use super::world::{Clock, Folder};

#[derive(Default)]
struct Files {
    clock: Clock,
    folders: Mutex<Vec<Folder>>,
}

impl Files {
    fn open(&self, path: &std::path::Path) -> Blocking<SqliteStore> {
        let clock = self.clock.clone();
        // Nothing here lasts long enough for a timeout, however slow the machine.
        let options = Options { busy_timeout: Duration::from_secs(600), ..Options::default() };
        let store = SqliteStore::open_with(path, move || clock.now(), options).unwrap();
        Blocking::on(store, |job| drop(thread::spawn(job)))
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
        self.open(store.get().path())
    }

    async fn advance(&self, by: Duration) {
        self.clock.advance(by);
    }

    /// The lock is of the whole file, so it is every canvas's.
    async fn stall(&self, store: &Self::Store, _: &CanvasId) -> Option<Stall> {
        let holder = rusqlite::Connection::open(store.get().path()).unwrap();
        holder.execute_batch("BEGIN IMMEDIATE").unwrap();
        Some(Box::new(holder))
    }
}

#[test]
fn sqlite_keeps_every_promise() {
    let report = block_on(run(&Files::default()));
    assert!(report.is_passed(), "{report}");
}
