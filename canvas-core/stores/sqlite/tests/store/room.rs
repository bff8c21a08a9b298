//! Files that may not grow.

use canvas_core::{Blob, BlockingStore as _, Version};
use canvas_store_sqlite::{Options, SqliteStore};
use canvas_store_testing::{Folder, NOW, canvas, commit, done};

use super::{definite, state};

fn open(folder: &Folder, max_bytes: u64) -> SqliteStore {
    let options = Options { max_bytes: Some(max_bytes), ..Options::default() };
    SqliteStore::open_with(folder.file(), || NOW, options).unwrap()
}

fn ballast(number: u64) -> Blob {
    Blob::bytes(vec![number as u8 | 0x80; 40_000])
}

#[test]
fn a_full_file_takes_nothing_until_there_is_room() {
    let folder = Folder::new();
    // The limit is of the store, not of the file.
    drop(folder.store());
    let store = open(&folder, 400_000);
    let mut last: Option<Version> = None;
    let mut stored = 0;
    let full = loop {
        let mut next = commit("c", last.as_ref(), &format!("{stored}\n"));
        next.blobs.push(ballast(stored));
        match store.commit(next) {
            fault @ Err(_) => break definite(fault),
            committed => last = Some(done(committed)),
        }
        stored += 1;
        assert!(stored < 20, "the limit is not kept");
    };
    assert!(stored > 3, "the limit comes too early");
    assert_eq!(full.code(), "STORE_FULL");
    assert!(full.to_string().contains("make room"), "{full}");

    let before = state(&store, "c");
    assert_eq!(before.as_ref().map(|(version, _)| version), last.as_ref());
    assert!(store.blob(&canvas("c"), ballast(stored).id()).unwrap().is_none());
    assert!(store.blob(&canvas("c"), Blob::text(format!("{stored}\n")).id()).unwrap().is_none());

    // Room by a higher limit, then by dropping what is old.
    let mut next = commit("c", last.as_ref(), "more\n");
    next.blobs.push(ballast(stored));
    let wider = open(&folder, 500_000);
    let last = done(wider.commit(next));
    store.delete(&canvas("c"), &[ballast(0).id(), ballast(1).id()]).unwrap();
    let mut next = commit("c", Some(&last), "again\n");
    next.blobs.push(ballast(0));
    done(store.commit(next));
}

#[test]
fn a_limit_that_the_tables_do_not_fit_in_refuses_the_file() {
    let folder = Folder::new();
    let options = Options { max_bytes: Some(0), ..Options::default() };
    let open = || SqliteStore::open_with(folder.file(), || NOW, options.clone());
    let error = open().unwrap_err();
    assert_eq!(error.code(), "STORE_FULL", "{error}");
    drop(folder.store());
    // What is there already stays, and may be read.
    assert_eq!(open().unwrap().list(None, 1).unwrap(), []);
}
