//! Content that the store never wrote.

use std::fs::{self, OpenOptions};
use std::io::{Seek as _, SeekFrom, Write as _};

use canvas_core::lease::Timestamp;
use canvas_core::store::{Blocking, BlockingStore as _, Collected, Commit};
use canvas_core::testing::block_on;
use canvas_core::{Blob, BlobId, CodedError as _, Engine, Policy};
use canvas_store_testing::{Folder, canvas, commit, done, dropped, edit, key};
use rusqlite::params;

use super::{code, counter, definite, state};

/// Calls that need the head.
#[test]
fn a_head_that_cannot_be_read_is_a_fault_of_its_own_kind() {
    let folder = Folder::new();
    let store = folder.store();
    let version = done(store.commit(commit("c", None, "one\n")));
    let (raw, (_, head), id) = (folder.raw(), state(&store, "c").unwrap(), canvas("c"));
    let json = String::from_utf8(head.to_json()).unwrap();
    let newer = json.replacen("\"format\":1", "\"format\":9", 1);
    let foreign = json.replacen("\"canvas\":\"c\"", "\"canvas\":\"d\"", 1);
    let put = |head: &[u8]| raw.execute("UPDATE canvas SET head = ?1", [head]).unwrap();
    let cases: [(&[u8], &str); 6] = [
        (b"", "HEAD_DAMAGED"),
        (b"\0\xff", "HEAD_DAMAGED"),
        (b"{\"format\":1}", "HEAD_DAMAGED"),
        (&json.as_bytes()[..json.len() / 2], "HEAD_DAMAGED"),
        (foreign.as_bytes(), "HEAD_DAMAGED"),
        (newer.as_bytes(), "HEAD_TOO_NEW"),
    ];
    for (bytes, expected) in cases {
        put(bytes);
        assert_eq!(code(store.load(&id)), expected);
        // The conflict would carry it.
        assert_eq!(code(store.commit(commit("c", None, "two\n"))), expected);
        // Which blobs it needs, nobody can tell.
        assert_eq!(code(super::collect(&store, "c", &[])), expected);
        assert!(store.blob(&id, BlobId::of(b"one\n")).unwrap().is_some());
        let engine = Engine::new(Blocking::new(folder.store()), Policy::default());
        let error = block_on(engine.snapshot(&id, Timestamp::from_millis(0))).unwrap_err();
        assert_eq!(error.code(), expected, "{error}");
        put(json.as_bytes());
        assert_eq!(state(&store, "c").map(|(version, _)| version), Some(version.clone()));
    }
}

#[test]
fn a_blob_that_is_not_what_it_was_is_noticed_and_can_be_put_again() {
    let (folder, id, now) = (Folder::new(), canvas("c"), Timestamp::from_millis(0));
    let store = folder.store();
    let version = done(store.commit(commit("c", None, "one\n")));
    let raw = folder.raw();
    for (n, sql) in ["UPDATE pack SET bytes = X'00FF'", "DELETE FROM packed"].into_iter().enumerate() {
        raw.execute_batch(sql).unwrap();
        let found = store.blob(&id, BlobId::of(b"one\n")).unwrap().map(|blob| blob.id());
        assert_eq!(found, [Some(BlobId::of(b"\0\xff")), None][n]);
        let engine = Engine::new(Blocking::new(folder.store()), Policy::default());
        let edited = block_on(engine.call(&id, &key("edit"), edit("two\n"), now));
        assert_eq!(block_on(engine.snapshot(&id, now)).unwrap_err().code(), "CANVAS_DAMAGED");
        assert_eq!(edited.unwrap_err().code(), "CANVAS_DAMAGED");
        let current = state(&store, "c").unwrap().0;
        assert_eq!(counter(&current), n as u64 + 1);
        done(store.commit(commit("c", Some(&current), "one\n")));
        assert_eq!(block_on(engine.snapshot(&id, now)).unwrap().text(), "one\n");
    }
    assert_eq!(counter(&version), 1);
}

/// What the head needs stays, and another canvas's blob of the same content too.
#[test]
fn only_blobs_that_nobody_needs_are_dropped() {
    let folder = Folder::new();
    let store = folder.store();
    let old = Blob::text("old\n".into());
    for name in ["c", "d"] {
        let first = commit(name, None, "one\n");
        done(store.commit(Commit { blobs: vec![first.blobs[0].clone(), old.clone()], ..first }));
    }
    assert_eq!(super::collect(&store, "nobody", &[]).unwrap(), Collected::Conflict);
    for gone in [1, 0] {
        assert_eq!(dropped(super::collect(&store, "c", &[BlobId::of(b"never there")])), gone);
        let there = |name, id| store.blob(&canvas(name), id).unwrap().is_some();
        assert_eq!((there("c", old.id()), there("c", BlobId::of(b"one\n"))), (false, true));
        assert_eq!((there("d", old.id()), there("d", BlobId::of(b"one\n"))), (true, true));
    }
}

#[test]
fn rows_that_the_store_never_writes_are_faults_with_their_place() {
    let folder = Folder::new();
    let store = folder.store();
    let version = done(store.commit(commit("c", None, "one\n")));
    let before = state(&store, "c");
    let raw = folder.raw();

    raw.execute("UPDATE canvas SET version = ?1, sum = NULL", [i64::MAX]).unwrap();
    let last = state(&store, "c").unwrap().0;
    let error = definite(store.commit(commit("c", Some(&last), "two\n")));
    assert_eq!(error.code(), "STORE_DAMAGED");
    assert!(error.to_string().starts_with("commit of canvas \"c\": "), "{error}");
    raw.execute("UPDATE canvas SET version = 1", []).unwrap();

    raw.execute("INSERT INTO canvas (id, version, head) VALUES (X'FF', 1, X'')", []).unwrap();
    let error = definite(store.list(None, 10));
    assert_eq!((error.code(), &error.canvas), ("STORE_DAMAGED", &None));
    assert!(error.to_string().starts_with("list: "), "{error}");
    raw.execute("DELETE FROM canvas WHERE id = X'FF'", []).unwrap();

    assert_eq!(store.list(None, 10).unwrap(), [canvas("c")]);
    assert_eq!(state(&store, "c"), before);
    assert_eq!(counter(&done(store.commit(commit("c", Some(&version), "two\n")))), 2);
}

/// What another process changes.
enum Kind {
    /// The number of the file's format.
    Format(i64),
    /// Where the file says that the table of heads begins.
    Root(i64),
}

/// Another process brings the file to a later format, and back. And one breaks the tables, and mends them.
#[test]
fn a_file_that_changes_its_kind_is_a_fault_until_it_is_itself_again() {
    let folder = Folder::new();
    let store = folder.store();
    let version = done(store.commit(commit("c", None, "one\n")));
    let (before, raw, id) = (state(&store, "c"), folder.raw(), canvas("c"));
    let page: i64 = raw
        .query_row("SELECT rootpage FROM sqlite_schema WHERE name = 'canvas'", [], |row| row.get(0))
        .unwrap();
    let move_root = |page: i64| {
        raw.execute_batch("BEGIN IMMEDIATE; PRAGMA writable_schema = on").unwrap();
        raw.execute("UPDATE sqlite_schema SET rootpage = ?1 WHERE name = 'canvas'", params![page]).unwrap();
        let cookie: i64 = raw.query_row("PRAGMA schema_version", [], |row| row.get(0)).unwrap();
        raw.pragma_update(None, "schema_version", cookie + 1).unwrap();
        raw.execute_batch("PRAGMA writable_schema = off; COMMIT").unwrap();
    };
    let format = |format: i64| raw.pragma_update(None, "user_version", format).unwrap();
    let cases = [
        ("STORE_TOO_NEW", Kind::Format(5)),
        ("STORE_MOVED", Kind::Format(3)),
        ("STORE_DAMAGED", Kind::Format(0)),
        ("STORE_DAMAGED", Kind::Root(9_999)),
    ];
    for (expected, kind) in cases {
        match kind {
            Kind::Format(later) => format(later),
            Kind::Root(page) => move_root(page),
        }
        for _ in 0..2 {
            assert_eq!(code(store.commit(commit("c", Some(&version), "two\n"))), expected);
            assert_eq!(code(store.load(&id)), expected);
            assert_eq!(code(store.blob(&id, BlobId::of(b"one\n"))), expected);
            assert_eq!(code(store.list(None, 1)), expected);
            assert_eq!(code(super::collect(&store, "c", &[])), expected);
        }
        match kind {
            Kind::Format(_) => format(4),
            Kind::Root(_) => move_root(page),
        }
        assert_eq!(state(&store, "c"), before);
    }
    assert_eq!(counter(&done(store.commit(commit("c", Some(&version), "two\n")))), 2);
}

/// A page goes bad on the disk, and is mended there. What was read in between must not be remembered.
#[test]
fn a_page_that_is_mended_is_read_again() {
    let folder = Folder::new();
    let store = folder.store();
    let version = done(store.commit(commit("c", None, "one\n")));
    let before = state(&store, "c");
    let root: u64 = folder
        .raw()
        .query_row("SELECT rootpage FROM sqlite_schema WHERE name = 'canvas'", [], |row| row.get(0))
        .map(|page: u32| page.into())
        .unwrap();
    let page_size = folder.raw().pragma_query_value(None, "page_size", |row| row.get::<_, u32>(0)).unwrap();
    let start = (root - 1) * u64::from(page_size);
    // The last to close moves all from the log into the file.
    drop(store);
    // Whoever writes to an open database from outside had better be a test.
    let write = |bytes: &[u8]| {
        let mut file = OpenOptions::new().write(true).open(folder.file()).unwrap();
        file.seek(SeekFrom::Start(start)).unwrap();
        file.write_all(bytes).unwrap();
    };
    let whole = fs::read(folder.file()).unwrap()[start as usize..][..64].to_vec();
    write(&[0xff; 64]);
    let store = folder.store();
    for _ in 0..2 {
        assert_eq!(code(store.load(&canvas("c"))), "STORE_DAMAGED");
        assert_eq!(code(store.commit(commit("c", Some(&version), "two\n"))), "STORE_DAMAGED");
    }
    write(&whole);
    assert_eq!(state(&store, "c"), before);
    assert_eq!(counter(&done(store.commit(commit("c", Some(&version), "two\n")))), 2);
}
