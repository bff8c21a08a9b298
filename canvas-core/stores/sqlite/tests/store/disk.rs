//! Disks that fail.
#![cfg(unix)]

use std::env;
use std::process::Command;

use canvas_core::Blob;
use canvas_core::store::BlockingStore as _;
use canvas_store_sqlite::SqliteStore;
use canvas_store_testing::{Folder, NOW, canvas, commit, done, fault};

use super::process::{given, succeed, with_program};
use super::state;

/// A limit of the process makes writing fail as a broken disk does, at a place that the size of the commit decides.
#[test]
fn a_disk_that_fails_in_the_commit_leaves_doubt_and_before_it_none() {
    let Some(file) = given() else {
        let folder = Folder::new();
        let mut shell = Command::new("sh");
        shell.args(["-c", "trap '' XFSZ; ulimit -f 1024; exec \"$0\" \"$@\""]);
        shell.arg(env::current_exe().unwrap());
        let test = "disk::a_disk_that_fails_in_the_commit_leaves_doubt_and_before_it_none";
        return succeed(with_program(shell, test, &folder.file()));
    };
    let store = SqliteStore::open(file, || NOW).unwrap();
    let mut last = done(store.commit(commit("c", None, "start\n")));
    // The pages of the first fit into the cache and are written by COMMIT, those of the second must go out before.
    for (size, expected) in [(1_500_000, "STORE_INDETERMINATE"), (12_000_000, "STORE_UNAVAILABLE")] {
        let before = state(&store, "c");
        let mut large = commit("c", Some(&last), "large\n");
        let blob = Blob::bytes(vec![0xff; size]);
        large.blobs.push(blob.clone());
        let (code, text) = fault(store.commit(large));
        assert_eq!(code, expected, "{size} bytes: {text}");
        assert!(text.contains("disk I/O error"), "{text}");
        assert_eq!(state(&store, "c"), before, "{size} bytes");
        assert!(store.blob(&canvas("c"), blob.id()).unwrap().is_none());
        last = done(store.commit(commit("c", Some(&last), "small\n")));
    }
}
