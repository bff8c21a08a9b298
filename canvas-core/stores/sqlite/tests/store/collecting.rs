//! Collections: while others write, by a wrong clock, and what a file still has afterwards.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use canvas_core::document::Edit;
use canvas_core::lease::Timestamp;
use canvas_core::store::{Blocking, BlockingStore as _, Collected};
use canvas_core::{Blob, BlobId, CodedError as _, Collection, Engine, Policy, block_on};
use canvas_store_sqlite::{SqliteOptions, SqliteStore};
use canvas_store_testing::collecting::Work;
use canvas_store_testing::{Folder, canvas, collecting, commit, done, erasing, key, system_now};

#[test]
fn a_file_is_collected_while_others_write() {
    let folder = Folder::new();
    let connect = || Blocking::in_place(SqliteStore::open(folder.file(), system_now).unwrap());
    collecting::run(connect, |work: Work<'_>| block_on(work), Duration::from_nanos(1), (3, 200));
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
    let collect = |now: u64| {
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

/// Where a secret lies: the file, and its log.
fn found(folder: &Folder, secret: &str) -> [usize; 2] {
    ["", "-wal"].map(|end| {
        let file = folder.file().to_str().unwrap().to_owned() + end;
        let bytes = std::fs::read(file).unwrap();
        bytes.windows(secret.len()).filter(|window| *window == secret.as_bytes()).count()
    })
}

#[test]
fn a_file_has_no_secret_that_was_erased() {
    let (folder, canvas) = (Folder::new(), canvas("c"));
    let secret = format!("s3cr3t-{:?}", BlobId::of(format!("{:?}", system_now()).as_bytes()));
    let engine = || {
        let store = SqliteStore::open(folder.file(), system_now).unwrap();
        let policy = Policy { history_entry_bytes: 200, min_blob_age: Duration::ZERO, ..Policy::default() };
        Engine::new(Blocking::in_place(store), policy)
    };
    block_on(erasing::write(&engine(), &canvas, &secret));
    let (engine, peer) = (engine(), engine());
    let checkpoint = "PRAGMA wal_checkpoint(PASSIVE)";
    folder.raw().query_row(checkpoint, [], |_| Ok(())).unwrap();
    block_on(peer.snapshot(&canvas, system_now())).unwrap();
    // What an ordinary collection drops is not readable in free pages either.
    let collection = Collection { history: Some(30), older_than: Duration::ZERO, ..Collection::default() };
    block_on(engine.collect(&canvas, collection)).unwrap();
    assert!(found(&folder, &secret)[0] > 0);
    block_on(erasing::erase(&engine, &canvas));
    assert_eq!(found(&folder, &secret), [0, 0]);
    block_on(peer.replay(&canvas, system_now())).unwrap();
}

/// An erase that cannot empty the log yet says so, and the same operation again goes on.
#[test]
fn an_erase_that_a_reader_holds_up_is_no_answer_until_it_is_done() {
    let (folder, canvas, secret) = (Folder::new(), canvas("c"), "S3cr3t-0f-a-reader");
    let options = SqliteOptions { busy_timeout: Duration::from_millis(20), ..SqliteOptions::default() };
    let store = SqliteStore::open_with(folder.file(), system_now, options).unwrap();
    let engine = Engine::new(Blocking::in_place(store), Policy::default());
    block_on(engine.create(&canvas, secret, &key("create"), system_now())).unwrap();
    let clean = Edit::replace("clean\n");
    block_on(engine.call(&canvas, &key("clean"), clean, system_now())).unwrap().result.unwrap();
    let reader = folder.raw();
    reader.execute_batch("BEGIN; SELECT * FROM canvas").unwrap();
    for _ in 0..2 {
        let error = block_on(engine.erase(&canvas, &key("erase"), system_now())).unwrap_err();
        assert_eq!((error.code(), error.is_retryable()), ("STORE_INDETERMINATE", true));
        assert!(error.to_string().contains("readable"), "{error}");
        assert_ne!(found(&folder, secret), [0, 0]);
    }
    drop(reader);
    block_on(engine.erase(&canvas, &key("erase"), system_now())).unwrap();
    assert_eq!(found(&folder, secret), [0, 0]);
    block_on(engine.replay(&canvas, system_now())).unwrap();
}
