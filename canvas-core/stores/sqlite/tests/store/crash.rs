//! Processes that die while they commit.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use canvas_core::Blob;
use canvas_core::lease::Timestamp;
use canvas_core::store::{BlockingStore as _, Commit, Version};
use canvas_store_sqlite::SqliteStore;
use canvas_store_testing::{Folder, NOW, canvas, commit, done};

use super::process::{again, given, say};
use super::{counter, state};

const BLOBS: usize = 64;

/// The commit that makes version `number`: many blobs, so that there is much to tear.
fn numbered(number: u64, expected: Option<&Version>) -> Commit {
    let mut commit = commit("c", expected, &format!("{number}\n"));
    commit.blobs.extend((0..BLOBS).map(|i| part(number, i)));
    commit
}

fn part(number: u64, i: usize) -> Blob {
    Blob::text(format!("{number}/{i} ").repeat(2_000))
}

/// The version that is there, after a look at all that belongs to it and at what would belong to the next.
fn whole_version(store: &SqliteStore) -> (u64, Option<Version>) {
    let Some((version, head)) = state(store, "c") else { return (0, None) };
    let number = counter(&version);
    assert_eq!(head, numbered(number, None).head);
    let is_there = |blob: Blob| {
        let found = store.blob(&canvas("c"), blob.id()).unwrap();
        found.is_some_and(|found| found.id() == blob.id())
    };
    let parts = |number| (0..BLOBS).filter(|i| is_there(part(number, *i))).count();
    assert_eq!((parts(number), parts(number + 1)), (BLOBS, 0), "version {number}");
    (number, Some(version))
}

#[test]
fn a_process_that_is_killed_leaves_whole_versions() {
    if let Some(file) = given() {
        let store = SqliteStore::open(file, || NOW).unwrap();
        let (last, mut version) = whole_version(&store);
        for number in last + 1.. {
            version = Some(done(store.commit(numbered(number, version.as_ref()))));
            assert_eq!(version.as_ref().map(counter), Some(number));
            say(&format!("done {number}"));
        }
    }
    let folder = Folder::new();
    let mut reached = 0;
    for round in 0..12 {
        let mut process = again("crash::a_process_that_is_killed_leaves_whole_versions", &folder.file())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(process.stdout.take().unwrap()).lines().map(Result::unwrap);
        let mut answered = (&mut said).filter_map(|line| line.strip_prefix("done ")?.parse::<u64>().ok());
        // Some time after an answer, a little later each time.
        let seen = answered.nth(round % 4).expect("the process goes on until it is killed");
        for _ in 0..round * 20_000 {
            std::hint::spin_loop();
        }
        process.kill().unwrap();
        process.wait().unwrap();
        let last = answered.last().unwrap_or(seen);
        let (found, _) = whole_version(&folder.store());
        assert!(found == last || found == last + 1, "{last} was answered, {found} is there");
        assert!(found > reached, "round {round}");
        reached = found;
    }
}

#[test]
fn a_process_that_dies_with_the_lock_leaves_the_old_state() {
    if let Some(file) = given() {
        let dying = Arc::new(AtomicBool::new(false));
        let armed = Arc::clone(&dying);
        let clock = move || {
            // The clock is read in the middle of a commit.
            if armed.load(Ordering::SeqCst) {
                say("in the commit");
                std::process::abort();
            }
            Timestamp::from_millis(1_000)
        };
        let store = SqliteStore::open(file, clock).unwrap();
        let first = done(store.commit(numbered(1, None)));
        dying.store(true, Ordering::SeqCst);
        done(store.commit(numbered(2, Some(&first))));
    }
    let folder = Folder::new();
    let test = "crash::a_process_that_dies_with_the_lock_leaves_the_old_state";
    let output = again(test, &folder.file()).output().unwrap();
    assert!(!output.status.success());
    assert!(String::from_utf8(output.stdout).unwrap().contains("in the commit"));
    let store = folder.store();
    let (found, version) = whole_version(&store);
    assert_eq!(found, 1);
    let second = done(store.commit(numbered(2, version.as_ref())));
    assert_eq!(whole_version(&store), (2, Some(second)));
}
