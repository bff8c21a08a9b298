//! Packs: what lies in which row, what collections leave of it, and files from before there were packs.

use std::num::NonZeroU32;
use std::time::Duration;

use canvas_core::history::{Undo, UndoScope};
use canvas_core::store::{Blocking, BlockingStore as _, Commit, Version};
use canvas_core::testing::block_on;
use canvas_core::{Author, Blob, BlobId, CollectOptions, Engine, Policy};
use canvas_store_sqlite::SqliteStore;
use canvas_store_testing::{Folder, canvas, commit, done, dropped, edit, edit_head, head, key, system_now};
use serde_json::json;

/// As many bytes as one pack has at most.
const PACK: i64 = 256 << 10;

fn number(folder: &Folder, sql: &str) -> i64 {
    folder.raw().query_row(sql, [], |row| row.get(0)).unwrap()
}

/// A blob of its own for each number.
fn numbered(number: usize, bytes: usize) -> Blob {
    Blob::text(format!("{number} ").repeat(bytes / 4 + 1))
}

fn with(expected: Option<&Version>, blobs: &[Blob]) -> Commit {
    let mut commit = commit("c", expected, "one\n");
    commit.blobs.extend_from_slice(blobs);
    commit
}

#[test]
fn the_small_blobs_of_a_commit_lie_in_one_row() {
    let folder = Folder::new();
    let store = folder.store();
    let mut blobs: Vec<_> = (0..20).map(|i| numbered(i, 1_000)).collect();
    blobs.push(Blob::bytes(vec![0x80; (64 << 10) + 1]));
    let version = done(store.commit(with(None, &blobs)));
    let counts = || ["pack", "packed", "blob"].map(|t| number(&folder, &format!("SELECT count(*) FROM {t}")));
    assert_eq!(counts(), [1, 21, 1]);
    // Again: nothing is added.
    let version = done(store.commit(with(Some(&version), &blobs)));
    assert_eq!(counts(), [1, 21, 1]);
    // More than one row takes, each as large as a small one may be.
    let many: Vec<_> = (0..12).map(|i| Blob::bytes(vec![0x80 + i; 64 << 10])).collect();
    done(store.commit(with(Some(&version), &many)));
    assert_eq!(counts(), [4, 33, 1]);
    assert_eq!(number(&folder, "SELECT max(length(bytes)) FROM pack"), PACK);
    for blob in blobs.iter().chain(&many) {
        assert_eq!(store.blob(&canvas("c"), blob.id()).unwrap().as_ref(), Some(blob));
    }
}

/// Little by little all goes. Each time what is left is whole, and of no pack more than half is dead.
#[test]
fn at_most_half_of_a_pack_is_dead_once_it_was_collected() {
    let folder = Folder::new();
    let store = folder.store();
    let (mut version, mut left): (Option<Version>, Vec<Blob>) = (None, Vec::new());
    for round in 0..10 {
        let blobs: Vec<_> = (0..30).map(|i| numbered(round * 30 + i, i * i * 11)).collect();
        version = Some(done(store.commit(with(version.as_ref(), &blobs))));
        left.extend(blobs);
    }
    let version = version.unwrap();
    let wasted = "SELECT count(*) FROM pack WHERE length(bytes) > \
                  2 * (SELECT coalesce(sum(length), 0) FROM packed WHERE pack = key)";
    let (mut state, mut rewritten) = (7_u64, 0);
    while left.len() > 3 {
        let before = left.len();
        left.retain(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            !(state >> 33).is_multiple_of(5)
        });
        let keep = left.iter().map(Blob::id).collect();
        let last = number(&folder, "SELECT max(key) FROM pack");
        let collected = store.collect(&canvas("c"), &keep, Duration::from_nanos(1), &version);
        assert_eq!(dropped(collected), (before - left.len()) as u64);
        rewritten += usize::from(number(&folder, "SELECT max(key) FROM pack") != last);
        assert_eq!(number(&folder, wasted), 0);
        assert_eq!(number(&folder, "SELECT count(*) FROM packed"), left.len() as i64 + 1);
        let ids: Vec<BlobId> = left.iter().map(Blob::id).collect();
        let found: Vec<_> = store.blobs(&canvas("c"), &ids).unwrap();
        assert!(found.iter().zip(&left).all(|(found, left)| found.as_ref() == Some(left)));
    }
    assert!(rewritten > 3, "{rewritten}");
    assert!(number(&folder, "SELECT count(*) FROM pack") < 10, "what is left of several is one");
    // Whatever the age: nothing dead is left at all.
    let keep: Vec<BlobId> = left.iter().map(Blob::id).collect();
    dropped(super::collect(&store, "c", &keep));
    let exact =
        "SELECT count(*) FROM pack WHERE length(bytes) <> (SELECT sum(length) FROM packed WHERE pack = key)";
    assert_eq!(number(&folder, exact), 0);
}

/// What is no longer what it was gets a new place, and its old pack goes where nothing else is in it.
#[test]
fn a_spoilt_blob_that_is_put_again_leaves_no_pack_behind() {
    let folder = Folder::new();
    let store = folder.store();
    let mut version = done(store.commit(commit("c", None, "one\n")));
    for damage in ["UPDATE pack SET bytes = X'00'", "DELETE FROM pack"] {
        folder.raw().execute_batch(damage).unwrap();
        version = done(store.commit(commit("c", Some(&version), "one\n")));
        assert_eq!(number(&folder, "SELECT count(*) FROM pack"), 1, "{damage}");
        let found = store.blob(&canvas("c"), BlobId::of(b"one\n")).unwrap();
        assert_eq!(found.unwrap().as_text(), Some("one\n"));
    }
}

/// SQLite overwrites a row of unchanged length; a longer or shorter one frees its pages and takes others.
#[test]
fn a_head_that_gets_shorter_keeps_its_room() {
    let folder = Folder::new();
    let store = folder.store();
    let long = |number: u64| {
        edit_head(&head("c", "one\n", number), |json| {
            for i in 0..200 + number {
                json["conversations"][i.to_string()] = json!({"synced": null, "seen": null});
            }
        })
    };
    let commit = |expected: Option<&Version>, number| {
        let blobs = vec![Blob::text("one\n".into())];
        done(store.commit(Commit { expected: expected.cloned(), head: long(number), blobs, not_after: None }))
    };
    let mut version = commit(None, 9);
    version = commit(Some(&version), 9);
    let room = || number(&folder, "SELECT length(head) FROM canvas");
    let before = room();
    for number in [5, 8, 0, 7, 9] {
        version = commit(Some(&version), number);
        assert_eq!(super::state(&store, "c").unwrap().1, long(number));
        assert_eq!(room(), before, "{number}");
    }
}

/// The dump of a file that the first release has written.
#[test]
fn a_file_of_format_3_is_read_written_and_collected() {
    let folder = Folder::new();
    let raw = folder.raw();
    raw.execute_batch("PRAGMA page_size = 8192").unwrap();
    raw.execute_batch(include_str!("format_3.sql")).unwrap();
    raw.pragma_update(None, "application_id", i64::from(u32::from_be_bytes(*b"cnvs"))).unwrap();
    raw.pragma_update(None, "user_version", 3).unwrap();
    drop(raw);
    let old = number(&folder, "SELECT count(*) FROM blob");
    let store = SqliteStore::open(folder.file(), system_now).unwrap();
    let policy = Policy { min_blob_age: Duration::ZERO, ..Policy::default() };
    let (engine, id) = (Engine::new(Blocking::new(store), policy), canvas("bench"));
    let replay = block_on(engine.replay(&id, system_now())).unwrap();
    assert_eq!(replay.entries, 9);
    let before = block_on(engine.snapshot(&id, system_now())).unwrap();
    assert_eq!(before.text().lines().count(), 4);

    let ask = |call: &str, text: &str| block_on(engine.call(&id, &key(call), edit(text), system_now()));
    ask("edit", "mine\n").unwrap().result.unwrap();
    assert_eq!(number(&folder, "SELECT count(*) FROM blob"), old);
    assert!(number(&folder, "SELECT count(*) FROM packed") > 0);
    // The text of before is put again, where it is.
    let undo = Undo { by: Author::User, what: UndoScope::Steps(NonZeroU32::MIN) };
    block_on(engine.call(&id, &key("undo"), undo, system_now())).unwrap().result.unwrap();
    let now = block_on(engine.snapshot(&id, system_now())).unwrap();
    assert_eq!((now.text(), number(&folder, "SELECT count(*) FROM blob")), (before.text(), old));

    let collection =
        CollectOptions { history: Some(2), older_than: Duration::ZERO, ..CollectOptions::default() };
    assert!(block_on(engine.collect(&id, collection)).unwrap().blobs > 9);
    assert!(number(&folder, "SELECT count(*) FROM blob") < old);
    for blob in block_on(engine.blobs_in_use(&id, system_now())).unwrap() {
        assert!(engine.store().inner().blob(&id, blob).unwrap().is_some(), "{blob}");
    }
    assert_eq!(block_on(engine.replay(&id, system_now())).unwrap().entries, 2);
    assert_eq!(
        ["user_version", "page_size"].map(|name| number(&folder, &format!("PRAGMA {name}"))),
        [4, 8192]
    );
}
