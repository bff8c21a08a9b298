//! The suite that every store passes: a test for each promise.

use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use canvas_core::conformance::{Harness, Promise, Stall, mutants, run};
use canvas_core::{Blocking, CanvasId, block_on};
use canvas_examples::sqlite::{Options, SqliteStore};

use super::world::{Clock, Folder};

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

mod promises {
    use super::Files;

    canvas_core::conformance_tests!(Files::default());
}

/// A line for the table of stores. Nothing may be left untried but what the store does not claim.
#[test]
#[expect(clippy::print_stdout, reason = "the line is for those who run the tests with --nocapture")]
fn all_in_one_report() {
    let report = block_on(run(&Files::default()));
    let untried: Vec<_> = report.untried().collect();
    let (promises, why): (Vec<_>, Vec<_>) = untried.iter().copied().unzip();
    let kept = report.results.len() - untried.len() - report.failed().count();
    let total = report.results.len();
    println!("sqlite: {total} promises, {kept} kept, {} not tried ({})", untried.len(), why.join("; "));
    assert!(report.is_passed(), "{report}");
    assert_eq!(promises, [Promise::TellsPeers]);
}

/// Through this harness the suite sees every flaw that it knows.
#[test]
fn no_mutant_survives() {
    assert_eq!(block_on(mutants::survivors(&Files::default())), []);
}
