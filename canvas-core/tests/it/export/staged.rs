//! A canvas that is stored in several commits, and collections that run meanwhile.

use std::collections::BTreeSet;
use std::time::Duration;

use canvas_core::document::Edit;
use canvas_core::store::{Collected, MemoryStore, Store as _};
use canvas_core::testing::block_on;
use canvas_core::{CodedError as _, CollectOptions, Engine, EngineError, OpKey, Policy};

use super::world::{NOW, canvas, code, engine, export, head, import, text, undo};
use crate::policy_with;

fn key(call: &str) -> OpKey {
    OpKey::host(call.parse().unwrap())
}

/// A document of about 6 MB, and its export.
fn large() -> (Engine<MemoryStore>, Vec<u8>) {
    let first = engine(Policy::default());
    let long = text(150_000);
    block_on(first.create(&canvas(), &long, &key("create"), NOW)).unwrap();
    assert_eq!(code(&first, "edit", Edit::overwrite(long.replacen("Line 900 ", "LINE 900 ", 1))), "OK");
    let bytes = export(&first, &canvas()).unwrap();
    assert!(bytes.len() > 5 << 20, "{}", bytes.len());
    (first, bytes)
}

fn collect_all() -> CollectOptions {
    CollectOptions { older_than: Duration::ZERO, ..CollectOptions::default() }
}

fn collecting() -> Engine<MemoryStore> {
    engine(policy_with(|policy| policy.min_blob_age = Duration::ZERO))
}

#[test]
fn a_large_canvas_is_not_there_until_it_is_whole() {
    let (first, bytes) = large();
    let (copy, id) = (collecting(), canvas());
    for round in 0..2 {
        let import =
            block_on(async { copy.import(&id).await?.push(&bytes[..bytes.len() - 1]).await }).unwrap();
        let (blobs, size) = copy.store().blob_stats(&id);
        assert!(blobs > 100 && size > 3 << 20, "{blobs} blobs of {size} bytes");
        let gone = block_on(copy.snapshot(&id, NOW)).unwrap_err();
        assert_eq!(gone.code(), "CANVAS_NOT_FOUND");
        assert!(head(&copy).is_some_and(|head| head.is_deleted() && head.revision().get() == 0));
        match round {
            0 => drop(import),
            _ => assert_eq!(block_on(import.finish()).unwrap_err().code(), "EXPORT_CUT"),
        }
    }
    // What is left of it is dropped, and does not stand in the way.
    let dropped = block_on(copy.collect(&id, collect_all())).unwrap();
    assert!(dropped.blobs > 100 && copy.store().blob_stats(&id) == (1, 0), "{dropped:?}");
    import(&copy, &bytes).unwrap();
    assert_eq!(head(&copy), head(&first));
    assert!(export(&copy, &id).unwrap() == bytes);
    assert_eq!(code(&copy, "undo", undo(1)), "OK");
    assert_eq!(block_on(copy.snapshot(&id, NOW)).unwrap().text(), text(150_000));
}

#[test]
fn a_collection_or_another_import_ends_an_import() {
    let (first, bytes) = large();
    let (copy, id) = (collecting(), canvas());
    let begin = || block_on(async { copy.import(&id).await?.push(&bytes).await });
    let import = begin().unwrap();
    block_on(copy.collect(&id, collect_all())).unwrap();
    let error = block_on(import.finish()).unwrap_err();
    assert_eq!((error.code(), error.is_retryable()), ("CONTENTION", true));
    let (one, two) = (begin().unwrap(), begin().unwrap());
    let error = block_on(one.finish()).unwrap_err();
    assert_eq!((error.code(), error.is_retryable()), ("CONTENTION", true));
    block_on(two.finish()).unwrap();
    assert_eq!(head(&copy), head(&first));
    // A creation is faster.
    let copy = collecting();
    let import = block_on(async { copy.import(&id).await?.push(&bytes).await }).unwrap();
    block_on(copy.create(&id, "# Mine\n", &key("create"), NOW)).unwrap();
    assert_eq!(block_on(import.finish()).unwrap_err().code(), "CANVAS_EXISTS");
    assert_eq!(block_on(copy.snapshot(&id, NOW)).unwrap().text(), "# Mine\n");
}

#[test]
fn an_export_is_of_one_revision_or_says_that_it_is_outdated() {
    let (first, bytes) = large();
    let id = canvas();
    // Edits do not matter.
    let mut begun = block_on(first.export(&id)).unwrap();
    assert_eq!(code(&first, "later", Edit::overwrite("# Short\n")), "OK");
    let mut pieces = Vec::new();
    while let Some(piece) = block_on(begun.next()) {
        pieces.extend(piece.unwrap());
    }
    assert!(pieces == bytes);
    // A collection for a later head does.
    let engine =
        Engine::new(first.store().clone(), policy_with(|policy| policy.min_blob_age = Duration::ZERO));
    let mut begun = block_on(engine.export(&id)).unwrap();
    assert!(block_on(begun.next()).unwrap().is_ok());
    assert_eq!(code(&engine, "last", Edit::overwrite("# Last\n")), "OK");
    block_on(engine.collect(&id, CollectOptions { history: Some(1), ..collect_all() })).unwrap();
    let error = loop {
        if let Err(error) = block_on(begun.next()).expect("the end was not reached") {
            break error;
        }
    };
    assert_eq!((error.code(), error.is_retryable()), ("EXPORT_OUTDATED", true));
    assert!(block_on(begun.next()).is_none());
    assert!(export(&engine, &id).is_ok());
    // A store that has lost a blob.
    let row = block_on(engine.store().load(&id)).unwrap().unwrap();
    let mut begun = block_on(engine.export(&id)).unwrap();
    let dropped =
        block_on(engine.store().collect(&id, &BTreeSet::new(), Duration::ZERO, &row.version)).unwrap();
    assert!(matches!(dropped, Collected::Done { blobs: 1.., .. }), "{dropped:?}");
    let error = loop {
        if let Err(error) = block_on(begun.next()).expect("the end was not reached") {
            break error;
        }
    };
    assert!(matches!(error, EngineError::Damaged { .. }), "{error}");
}
