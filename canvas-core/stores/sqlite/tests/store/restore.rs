//! Backups that are put back under a store, into the same file.

use std::path::Path;

use canvas_core::store::{Blocking, BlockingStore as _, Version};
use canvas_core::testing::block_on;
use canvas_core::{BlobId, Engine, Policy};
use canvas_store_testing::{Folder, NOW, canvas, commit, conflict, done, edit, key};
use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};

use super::{code, counter, state};

/// Copies all pages from one file into another, as `.backup` and `.restore` of the shell do.
pub(crate) fn copy(from: &Path, to: &Path) {
    let (from, mut to) = (Connection::open(from).unwrap(), Connection::open(to).unwrap());
    let backup = Backup::new(&from, &mut to).unwrap();
    assert_eq!(backup.step(-1).unwrap(), StepResult::Done);
}

#[test]
fn a_version_from_before_a_restore_matches_nothing_that_came_after_it() {
    let (folder, aside) = (Folder::new(), Folder::new());
    let (store, peer) = (folder.store(), folder.store());
    let first = done(store.commit(commit("c", None, "one\n")));
    copy(&folder.file(), &aside.file());
    let lost = done(store.commit(commit("c", Some(&first), "lost\n")));
    let unmade = done(store.commit(commit("d", None, "lost\n")));
    copy(&aside.file(), &folder.file());

    // The backup's own state is the one that it was.
    assert_eq!(state(&peer, "c").unwrap().0, first);
    assert!(state(&store, "d").is_none());
    let second = done(peer.commit(commit("c", Some(&first), "two\n")));
    let made = done(peer.commit(commit("d", None, "two\n")));
    assert_ne!((&second, &made), (&lost, &unmade));
    for (name, old, current) in [("c", &lost, &second), ("d", &unmade, &made)] {
        assert_eq!(conflict(store.commit(commit(name, Some(old), "three\n"))).version, *current);
        assert_eq!(state(&store, name).unwrap().0, *current);
        assert!(store.blob(&canvas(name), BlobId::of(b"three\n")).unwrap().is_none());
        done(store.commit(commit(name, Some(current), "three\n")));
    }
}

/// What an engine has in its cache is of the time before the restore: an edit that was acknowledged since stays, and
/// what is read has all its blobs.
#[test]
fn an_engine_goes_on_from_what_was_restored() {
    let (folder, aside, id) = (Folder::new(), Folder::new(), canvas("c"));
    let engine = || Engine::new(Blocking::new(folder.store()), Policy::default());
    let (one, two) = (engine(), engine());
    let text = |engine: &Engine<_>| block_on(engine.snapshot(&id, NOW)).unwrap().text().to_owned();
    let edit = |engine: &Engine<_>, call: &str, text: &str| {
        block_on(engine.call(&id, &key(call), edit(text), NOW)).unwrap().result.unwrap();
    };
    block_on(one.create(&id, "start\n", &key("create"), NOW)).unwrap();
    copy(&folder.file(), &aside.file());
    edit(&one, "lost", "lost\n");
    copy(&aside.file(), &folder.file());
    edit(&two, "kept", "kept\n");
    // It decides on its cached head first, and learns of the other by the conflict.
    edit(&one, "last", "last\n");
    for engine in [&one, &two, &engine()] {
        assert_eq!(text(engine), "last\n");
        // Two edits, and the journal leads from the last back to the start.
        assert_eq!(block_on(engine.replay(&id, NOW)).unwrap().entries, 2);
        for blob in block_on(engine.blobs_in_use(&id, NOW)).unwrap() {
            assert!(engine.store().inner().blob(&id, blob).unwrap().is_some(), "{blob}");
        }
    }
}

/// The tables as the first format has them, with one canvas in its seventh version.
fn old(file: &Path) {
    let first = commit("c", None, "one\n");
    let old = Connection::open(file).unwrap();
    old.execute_batch(include_str!("../../src/schema.sql")).unwrap();
    old.pragma_update(None, "application_id", i64::from(u32::from_be_bytes(*b"cnvs"))).unwrap();
    old.pragma_update(None, "user_version", 1).unwrap();
    old.execute(
        "INSERT INTO canvas (key, id, version, head) VALUES (1, X'63', 7, ?1)",
        [first.head.to_json()],
    )
    .unwrap();
    let blob = &first.blobs[0];
    old.execute(
        "INSERT INTO blob VALUES (1, ?1, ?2)",
        rusqlite::params![blob.id().as_bytes(), blob.as_bytes()],
    )
    .unwrap();
}

#[test]
fn a_file_of_the_first_format_is_migrated_when_it_is_opened() {
    let folder = Folder::new();
    old(&folder.file());
    for _ in 0..2 {
        let (store, peer) = (folder.store(), folder.store());
        let (version, head) = state(&store, "c").unwrap();
        assert_eq!((counter(&version), head), (7, commit("c", None, "one\n").head));
        assert!(store.blob(&canvas("c"), BlobId::of(b"one\n")).unwrap().is_some());
        assert_eq!(state(&peer, "c").unwrap().0, version);
        // What a caller of the earlier library has cached.
        conflict(store.commit(commit("c", Some(&Version::new("7")), "two\n")));
    }
    let store = folder.store();
    let version = state(&store, "c").unwrap().0;
    assert_eq!(counter(&done(store.commit(commit("c", Some(&version), "two\n")))), 8);
    let format: i64 = folder.raw().query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    assert_eq!(format, 4, "which the earlier library refuses");
}

#[test]
fn an_earlier_format_that_is_put_back_serves_nobody_until_it_is_opened_anew() {
    let (folder, aside, id) = (Folder::new(), Folder::new(), canvas("c"));
    old(&folder.file());
    copy(&folder.file(), &aside.file());
    let store = folder.store();
    let before = state(&store, "c").unwrap().0;
    copy(&aside.file(), &folder.file());
    for _ in 0..2 {
        assert_eq!(code(store.load(&id)), "STORE_MOVED");
        assert_eq!(code(store.commit(commit("c", Some(&before), "two\n"))), "STORE_MOVED");
    }
    let peer = folder.store();
    let after = state(&store, "c").unwrap().0;
    assert_eq!((counter(&before), counter(&after)), (7, 7));
    // Between the two another server may have gone as far with the earlier library.
    assert_ne!(before, after);
    conflict(store.commit(commit("c", Some(&before), "two\n")));
    done(peer.commit(commit("c", Some(&after), "two\n")));
}
