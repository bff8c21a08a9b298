//! Which files are opened, which are refused, and what becomes of them.

use std::fs;
use std::path::PathBuf;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use canvas_core::CodedError as _;
use canvas_core::store::{BlockingStore as _, StoreError};
use canvas_store_sqlite::{SqliteOptions, SqliteStore};
use canvas_store_testing::{Folder, NOW, canvas, commit, done};
use rusqlite::Connection;

use super::process::{again, given, succeed};
use super::state;

fn open(path: PathBuf) -> Result<SqliteStore, StoreError> {
    SqliteStore::open(path, || NOW)
}

/// Makes a file for the story, by SQL on an empty database or on one of ours.
enum Made<'a> {
    Bytes(&'a [u8]),
    Other(&'a str),
    Ours(&'a str),
}

#[test]
fn a_file_that_is_not_ours_is_refused_and_left_alone() {
    let noise = [0x5a; 9_000];
    let cases = [
        ("text", Made::Bytes(b"# Plan\n"), "STORE_UNFIT"),
        ("noise", Made::Bytes(&noise), "STORE_UNFIT"),
        ("tables of others", Made::Other("CREATE TABLE canvas (x)"), "STORE_UNFIT"),
        ("a log", Made::Other("PRAGMA journal_mode = wal; CREATE TABLE t (x)"), "STORE_UNFIT"),
        ("another application", Made::Other("PRAGMA application_id = 7"), "STORE_UNFIT"),
        ("another format", Made::Other("PRAGMA user_version = 7"), "STORE_UNFIT"),
        ("ours, newer", Made::Ours("PRAGMA user_version = 5; CREATE TABLE more (x)"), "STORE_TOO_NEW"),
        ("ours, no format", Made::Ours("PRAGMA user_version = 0"), "STORE_UNFIT"),
        ("ours, a table less", Made::Ours("DROP TABLE blob"), "STORE_UNFIT"),
    ];
    for (name, made, code) in cases {
        let folder = Folder::new();
        match made {
            Made::Bytes(bytes) => fs::write(folder.file(), bytes).unwrap(),
            Made::Other(sql) => folder.raw().execute_batch(sql).unwrap(),
            Made::Ours(sql) => {
                drop(folder.store());
                folder.raw().execute_batch(sql).unwrap();
            }
        }
        let before = fs::read(folder.file()).unwrap();
        for _ in 0..2 {
            let error = open(folder.file()).unwrap_err();
            assert_eq!(error.code(), code, "{name}: {error}");
            assert!(error.message().contains("canvases.db"), "{name}: {error}");
            assert_eq!(fs::read(folder.file()).unwrap(), before, "{name}");
            assert_eq!(folder.names(), ["canvases.db"], "{name}");
        }
    }
}

/// An operator may keep an account of changes beside our tables.
#[test]
fn what_an_operator_puts_beside_our_tables_is_left_alone() {
    let folder = Folder::new();
    drop(folder.store());
    let audit = "CREATE TABLE audit (x); CREATE TRIGGER t AFTER UPDATE ON canvas BEGIN INSERT INTO audit VALUES (1); END";
    folder.raw().execute_batch(audit).unwrap();
    drop(folder.store());
    let kept = "SELECT count(*) FROM sqlite_schema WHERE name IN ('audit', 't')";
    assert_eq!(folder.raw().query_row(kept, [], |row| row.get::<_, i64>(0)).unwrap(), 2);
}

#[test]
fn a_path_that_leads_nowhere_is_refused() {
    let folder = Folder::new();
    fs::write(folder.path().join("file"), b"").unwrap();
    for path in ["no/folder/x.db", ".", "file/x.db", "nul\0l.db"] {
        let error = open(folder.path().join(path)).unwrap_err();
        assert_eq!(error.code(), "STORE_UNAVAILABLE", "{path}: {error}");
    }
    assert_eq!(open(PathBuf::new()).unwrap_err().code(), "STORE_UNAVAILABLE");
    assert_eq!(folder.names(), ["file"]);
}

/// SQLite gives some names a meaning of their own; here a path is a path.
#[test]
fn a_missing_or_empty_file_becomes_ours_whatever_its_name() {
    for name in [":memory:", "file:x?mode=memory", "a b'c\"%20.db", "ü🦀.db"] {
        let folder = Folder::new();
        let path = folder.path().join(name);
        done(open(path.clone()).unwrap().commit(commit("c", None, "one\n")));
        assert_eq!(folder.names(), [name]);
        assert!(state(&open(path).unwrap(), "c").is_some());
    }
    let folder = Folder::new();
    fs::write(folder.file(), b"").unwrap();
    drop(open(folder.file()).unwrap());
    let folder = Folder::new();
    folder.raw().execute_batch("CREATE TABLE t (x); DROP TABLE t").unwrap();
    drop(open(folder.file()).unwrap());
    let application: i64 = folder.raw().query_row("PRAGMA application_id", [], |row| row.get(0)).unwrap();
    assert_eq!(application, i64::from(u32::from_be_bytes(*b"cnvs")));
}

#[test]
fn everything_is_there_after_the_last_one_has_closed() {
    let folder = Folder::new();
    let store = folder.store();
    let version = done(store.commit(commit("c", None, "one\n")));
    done(store.commit(commit("c", Some(&version), "two\n")));
    let before = state(&store, "c");
    drop(store);
    assert_eq!(folder.names(), ["canvases.db"]);
    let store = folder.store();
    assert_eq!(state(&store, "c"), before);
    for text in ["one\n", "two\n"] {
        let id = canvas_core::Blob::text(text.into()).id();
        let blob = store.blob(&canvas("c"), id).unwrap().unwrap();
        assert_eq!(blob.as_text(), Some(text));
    }
}

fn first_of_many(path: PathBuf, name: &str) {
    done(open(path).unwrap().commit(commit(name, None, "one\n")));
}

fn assert_whole(folder: &Folder, canvases: usize) {
    let raw = Connection::open(folder.file()).unwrap();
    let check: String = raw.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(check, "ok");
    assert_eq!(folder.store().list(None, 100).unwrap().len(), canvases);
}

/// Before a file has its log, SQLite does not always wait for a lock by itself.
#[test]
fn a_file_that_somebody_else_holds_is_waited_for() {
    let folder = Folder::new();
    let options =
        |millis| SqliteOptions { busy_timeout: Duration::from_millis(millis), ..SqliteOptions::default() };
    let open = |millis| SqliteStore::open_with(folder.file(), || NOW, options(millis));
    let holder = folder.raw();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(open(20).unwrap_err().code(), "STORE_BUSY");
    thread::scope(|scope| {
        let opened = scope.spawn(|| open(600_000).map(drop));
        // Enough for the other to meet the lock; should it come later, it is opened all the same.
        thread::sleep(Duration::from_millis(50));
        drop(holder);
        opened.join().unwrap().unwrap();
    });
}

/// Each step of opening may meet a lock, and all of them together wait no longer than one call. Two calls, one after the
/// other, wait at the same time, and opening ends before they do, however busy the machine is.
#[test]
fn opening_waits_for_the_busy_timeout_and_no_longer() {
    let timeout = Duration::from_secs(2);
    let cases = [
        ("an empty file", "", "BEGIN EXCLUSIVE"),
        ("an empty file, being written", "", "BEGIN IMMEDIATE; CREATE TABLE t (x)"),
        ("an empty file with a log", "PRAGMA journal_mode = wal; PRAGMA user_version = 0", "BEGIN IMMEDIATE"),
        ("ours", "ours", "PRAGMA locking_mode = exclusive; BEGIN EXCLUSIVE"),
        ("ours, closed for good", "ours", "PRAGMA journal_mode = delete; BEGIN EXCLUSIVE"),
        ("ours without a log", "ours", "PRAGMA journal_mode = delete; BEGIN IMMEDIATE"),
        (
            "ours without a log, being read",
            "ours",
            "PRAGMA journal_mode = delete; BEGIN; SELECT * FROM canvas",
        ),
    ];
    let (start, have_two_waited) = (Barrier::new(cases.len() + 1), AtomicBool::new(false));
    let open = |(name, made, held): (&str, &str, &str)| {
        let folder = Folder::new();
        match made {
            "ours" => done(folder.store().commit(commit("c", None, "one\n"))).as_str().len(),
            sql => folder.raw().execute_batch(sql).map(|()| 0).unwrap(),
        };
        let holder = folder.raw();
        holder.execute_batch(held).unwrap();
        let options = SqliteOptions { busy_timeout: timeout, ..SqliteOptions::default() };
        start.wait();
        let began = Instant::now();
        let opened = SqliteStore::open_with(folder.file(), || NOW, options);
        let (passed, is_late) = (began.elapsed(), have_two_waited.load(Ordering::SeqCst));
        let error = opened.unwrap_err();
        assert_eq!(error.code(), "STORE_BUSY", "{name}: {error}");
        assert!(passed >= timeout / 2, "{name}: it has waited for {passed:?} only");
        assert!(!is_late, "{name}: it has waited for as long as two calls");
        drop(holder);
        drop(folder.store());
    };
    thread::scope(|scope| {
        for case in cases {
            scope.spawn(move || open(case));
        }
        let folder = Folder::new();
        let (holder, waiter) = (folder.raw(), folder.raw());
        holder.execute_batch("BEGIN IMMEDIATE").unwrap();
        waiter.busy_timeout(timeout).unwrap();
        start.wait();
        for _ in 0..2 {
            waiter.execute_batch("BEGIN IMMEDIATE").unwrap_err();
        }
        have_two_waited.store(true, Ordering::SeqCst);
    });
}

#[test]
fn threads_that_make_a_file_at_once_share_it() {
    for _ in 0..10 {
        let (folder, start) = (Folder::new(), Barrier::new(8));
        thread::scope(|scope| {
            for i in 0..8 {
                let (file, start) = (folder.file(), &start);
                scope.spawn(move || {
                    start.wait();
                    first_of_many(file, &i.to_string());
                });
            }
        });
        assert_whole(&folder, 8);
    }
}

#[test]
fn processes_that_make_a_file_at_once_share_it() {
    if let Some(file) = given() {
        return first_of_many(file, &std::process::id().to_string());
    }
    for _ in 0..3 {
        let folder = Folder::new();
        thread::scope(|scope| {
            for _ in 0..4 {
                let test = "files::processes_that_make_a_file_at_once_share_it";
                let process = again(test, &folder.file());
                scope.spawn(|| succeed(process));
            }
        });
        assert_whole(&folder, 4);
    }
}
