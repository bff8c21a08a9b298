//! Writers that meet on one file.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use canvas_core::store::{BlockingStore as _, Commit, Committed, StoreOperation};
use canvas_core::{CanvasId, CodedError as _};
use canvas_store_sqlite::{SqliteOptions, SqliteStore};
use canvas_store_testing::{Clock, Folder, canvas, commit, done};

use super::{code, counter, definite, state};

/// Two servers commit on one version while somebody else has the lock; then the lock goes.
fn race(advance: Duration) -> [Committed; 2] {
    let (folder, clock, held) = (Folder::new(), Clock::default(), Arc::new(AtomicBool::new(false)));
    let open = || {
        let (clock, held) = (clock.clone(), Arc::clone(&held));
        let read = move || {
            assert!(!held.load(Ordering::SeqCst), "the clock is read before the lock is there");
            clock.now()
        };
        let options = SqliteOptions { busy_timeout: Duration::from_secs(600), ..SqliteOptions::default() };
        SqliteStore::open_with(folder.file(), read, options).unwrap()
    };
    let stores = [open(), open()];
    let version = done(stores[0].commit(commit("c", None, "one\n")));
    let holder = folder.raw();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    held.store(true, Ordering::SeqCst);
    let limit = clock.now().saturating_add(Duration::from_secs(1));
    thread::scope(|scope| {
        let (started, starts) = mpsc::channel();
        let threads = stores.each_ref().map(|store| {
            let late = Commit { not_after: Some(limit), ..commit("c", Some(&version), "two\n") };
            let started = started.clone();
            scope.spawn(move || {
                started.send(()).unwrap();
                store.commit(late).unwrap()
            })
        });
        starts.iter().take(2).for_each(drop);
        // Not needed for a right store; one that judges too early has the time to do so.
        thread::sleep(Duration::from_millis(50));
        clock.advance(advance);
        held.store(false, Ordering::SeqCst);
        drop(holder);
        threads.map(|thread| thread.join().unwrap())
    })
}

#[test]
fn of_two_that_wait_for_the_lock_one_wins() {
    let outcome = race(Duration::from_millis(999));
    let won = outcome.iter().filter(|committed| matches!(committed, Committed::Done { .. })).count();
    let lost = outcome.iter().filter(|committed| matches!(committed, Committed::Conflict(Some(_)))).count();
    assert_eq!((won, lost), (1, 1), "{outcome:?}");
}

#[test]
fn who_waits_past_its_limit_is_late() {
    let outcome = race(Duration::from_secs(1));
    assert!(outcome.iter().all(|committed| matches!(committed, Committed::Late { .. })), "{outcome:?}");
}

#[test]
fn a_lock_that_stays_is_a_fault_and_reads_go_on() {
    let folder = Folder::new();
    let options = SqliteOptions { busy_timeout: Duration::from_millis(20), ..SqliteOptions::default() };
    let clock = Clock::default();
    let store = SqliteStore::open_with(folder.file(), move || clock.now(), options.clone()).unwrap();
    let version = done(store.commit(commit("a\0\u{202e}b", None, "one\n")));
    let before = state(&store, "a\0\u{202e}b");
    let next = || commit("a\0\u{202e}b", Some(&version), "two\n");

    let holder = folder.raw();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let busy = definite(store.commit(next()));
    assert_eq!((busy.code(), busy.operation), ("STORE_BUSY", Some(StoreOperation::Commit)));
    assert_eq!(busy.canvas, Some(canvas("a\0\u{202e}b")));
    let text = busy.to_string();
    assert!(text.starts_with(r#"commit of canvas "a\0\u{202e}b": "#), "{text}");
    assert!(text.contains(": try again"), "{text}");
    assert_eq!(code(super::collect(&store, "a\0\u{202e}b", &[])), "STORE_BUSY");
    assert_eq!(state(&store, "a\0\u{202e}b"), before);
    assert_eq!(store.list(None, 10).unwrap().len(), 1);
    // A file that has its tables needs no lock to be opened.
    let peer = SqliteStore::open_with(folder.file(), || Clock::default().now(), options).unwrap();
    assert_eq!(state(&peer, "a\0\u{202e}b"), before);

    drop(holder);
    assert_eq!(counter(&done(store.commit(next()))), 2);
}

#[test]
fn ids_are_listed_in_the_order_of_their_bytes() {
    let (folder, long) = (Folder::new(), "x".repeat(512));
    let mut names = ["é", "\0", "a", "A", "a\0", "a\0b", "\u{ffff}", "🦀", "z", "aa", &long];
    let store = folder.store();
    for name in names {
        done(store.commit(commit(name, None, "x\n")));
    }
    names.sort_unstable();
    let list = |after: Option<&CanvasId>, limit| {
        let ids = store.list(after, limit).unwrap();
        ids.iter().map(|id| id.as_str().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(list(None, usize::MAX), names);
    assert_eq!(list(None, 0), Vec::<String>::new());
    for (i, name) in names.iter().enumerate() {
        assert_eq!(list(Some(&canvas(name)), 2), names[i + 1..names.len().min(i + 3)]);
    }
}
