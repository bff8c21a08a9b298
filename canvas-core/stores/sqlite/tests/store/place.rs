//! Files that go away under a store.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use canvas_core::lease::Timestamp;
use canvas_core::store::{BlockingStore as _, Commit};
use canvas_core::{BlobId, CodedError as _};
use canvas_store_sqlite::SqliteStore;
use canvas_store_testing::{Folder, canvas, commit, done, indeterminate};

use super::process::Fuse;
use super::{code, counter, state};

fn codes(store: &SqliteStore, commit: Commit) -> [&'static str; 5] {
    let id = canvas("c");
    [
        code(store.commit(commit)),
        code(store.load(&id)),
        code(store.blob(&id, BlobId::of(b"one\n"))),
        code(store.list(None, 1)),
        code(super::collect(store, "c", &[])),
    ]
}

#[test]
fn a_file_that_went_away_takes_nothing_until_it_is_back() {
    let (folder, aside) = (Folder::new(), Folder::new());
    let store = folder.store();
    let version = done(store.commit(commit("c", None, "one\n")));
    let before = state(&store, "c");
    let next = || commit("c", Some(&version), "two\n");

    fs::rename(folder.file(), aside.file()).unwrap();
    assert_eq!(codes(&store, next()), ["STORE_MOVED"; 5]);
    // Another file at its place is not it, though it has a canvas of that name and version.
    {
        let other = Folder::new();
        done(other.store().commit(commit("c", None, "other\n")));
        fs::copy(other.file(), folder.file()).unwrap();
    }
    let foreign = fs::read(folder.file()).unwrap();
    assert_eq!(codes(&store, next()), ["STORE_MOVED"; 5]);
    assert_eq!(fs::read(folder.file()).unwrap(), foreign);

    fs::rename(aside.file(), folder.file()).unwrap();
    assert_eq!(state(&store, "c"), before);
    assert_eq!(counter(&done(store.commit(next()))), 2);
}

#[test]
fn a_deleted_file_is_not_made_again() {
    let folder = Folder::new();
    let store = folder.store();
    let version = done(store.commit(commit("c", None, "one\n")));
    fs::remove_file(folder.file()).unwrap();
    assert_eq!(codes(&store, commit("c", Some(&version), "two\n")), ["STORE_MOVED"; 5]);
    drop(store);
    assert!(!folder.file().exists());
}

/// The clock is read in the middle of a commit, so it can take the file away there.
#[test]
fn a_file_that_goes_away_in_a_commit_leaves_doubt() {
    let (folder, aside) = (Folder::new(), Folder::new());
    let (file, away) = (folder.file(), aside.file());
    let taking = Arc::new(AtomicBool::new(false));
    let armed = Arc::clone(&taking);
    let clock = move || {
        if armed.swap(false, Ordering::SeqCst) {
            fs::rename(&file, &away).unwrap();
        }
        Timestamp::from_millis(1_000)
    };
    let store = SqliteStore::open(folder.file(), clock).unwrap();
    let version = done(store.commit(commit("c", None, "one\n")));
    taking.store(true, Ordering::SeqCst);
    let error = indeterminate(store.commit(commit("c", Some(&version), "two\n")));
    assert!(error.message().contains("no longer"), "{}", error.message());
    fs::rename(aside.file(), folder.file()).unwrap();
    assert!(state(&store, "c").is_some());
}

/// A store without a connection opens the file anew, and must not take another one for it.
#[test]
fn a_file_at_its_place_is_not_taken_for_it() {
    for (name, put) in [("nothing", None), ("an empty file", Some(0)), ("a text", Some(9_000))] {
        let (folder, aside, fuse) = (Folder::new(), Folder::new(), Fuse::default());
        let clock = fuse.clone();
        let store = SqliteStore::open(folder.file(), move || clock.now()).unwrap();
        let version = done(store.commit(commit("c", None, "one\n")));
        fuse.cut(&store, "c", &version);
        fs::rename(folder.file(), aside.file()).unwrap();
        let bytes = put.map(|size| vec![b'x'; size]);
        if let Some(bytes) = &bytes {
            fs::write(folder.file(), bytes).unwrap();
        }
        let next = || commit("c", Some(&version), "two\n");
        assert_eq!(codes(&store, next()), ["STORE_MOVED"; 5], "{name}");
        assert_eq!(fs::read(folder.file()).ok(), bytes, "{name}");
        fs::rename(aside.file(), folder.file()).unwrap();
        assert_eq!(counter(&done(store.commit(next()))), 2, "{name}");
    }
}
