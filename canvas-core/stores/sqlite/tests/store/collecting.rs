//! Collections: while others write, by a wrong clock, and what a file still has afterwards.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use canvas_core::lease::Timestamp;
use canvas_core::{Blob, Blocking, BlockingStore as _, Collected, block_on};
use canvas_store_sqlite::SqliteStore;
use canvas_store_testing::collecting::Work;
use canvas_store_testing::{Folder, canvas, collecting, commit, done, system_now};

#[test]
fn a_file_is_collected_while_others_write() {
    let folder = Folder::new();
    let connect = || Blocking::in_place(SqliteStore::open(folder.file(), system_now).unwrap());
    let counts = collecting::run(connect, |work: Work<'_>| block_on(work), Duration::from_nanos(1), (3, 200));
    println!("sqlite: {counts}");
}

/// A clock that falls back makes the young no older, and one that leaps takes nothing that is needed.
#[test]
fn a_wrong_clock_takes_nothing_that_is_needed() {
    let (folder, millis, id) = (Folder::new(), Arc::new(AtomicU64::new(1_000_000)), canvas("c"));
    let clock = Arc::clone(&millis);
    let clock = move || Timestamp::from_millis(clock.load(Ordering::SeqCst));
    let store = SqliteStore::open(folder.file(), clock).unwrap();
    let (old, hour) = (Blob::text("old\n".into()), Duration::from_secs(3_600));
    let mut first = commit("c", None, "one\n");
    first.blobs.push(old.clone());
    let at = done(store.commit(first));
    let mut collect = |now: u64| {
        millis.store(now, Ordering::SeqCst);
        match store.collect(&id, &[].into(), hour, &at).unwrap() {
            Collected::Done { blobs, .. } => blobs,
            Collected::Conflict => panic!("nobody else was there"),
        }
    };
    for now in [0, 1_000_000, 1_000_000 + 3_599_999] {
        assert_eq!(collect(now), 0, "{now}");
    }
    assert_eq!(collect(u64::MAX), 1);
    assert!(store.blob(&id, old.id()).unwrap().is_none());
    assert!(store.blob(&id, Blob::text("one\n".into()).id()).unwrap().is_some());
}
