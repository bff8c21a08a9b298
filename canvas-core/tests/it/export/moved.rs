//! A canvas that is moved goes on as if it had stayed.

use canvas_core::document::Edit;
use canvas_core::store::{Store, TreePath};
use canvas_core::testing::block_on;
use canvas_core::turn::SendMessage;
use canvas_core::{BlobId, CodedError as _, CollectOptions, Engine, OpKey, Policy};
use proptest::prelude::*;
use serde_json::Value;

use super::format::{borders, read, write};
use super::world::{
    NOW, canvas, code, engine, export, full, head, import, import_pieces, original, redo, text, undo,
};

#[test]
fn the_original_has_all_that_a_canvas_can_have() {
    let records = read(original());
    let head: Value = serde_json::from_slice(&records[0].payload).unwrap();
    assert_eq!(head["format"], 3, "a head with an index of receipts");
    for file in [
        "document.md",
        "board.json",
        "descriptor.json",
        "spec.json",
        "state/latest.json",
        "assets",
        "recipe.json",
        "data.json",
    ] {
        assert!(TreePath::new(file).is_ok() && head["draft"][file].is_string(), "{file}: {}", head["draft"]);
        assert!(head["committed"][file].is_string(), "{file}: {}", head["committed"]);
    }
    assert!(head["journal"]["undo"].is_string() && head["journal"]["redo"].is_string());
    assert!(head["journal"]["entries"].as_u64().unwrap() > 120, "{}", head["journal"]);
    assert!(head["audit"]["records"].as_u64().unwrap() > 1, "{}", head["audit"]);
    assert_eq!(head["claims"].as_array().map(Vec::len), Some(1), "{}", head["claims"]);
    let lists = records.iter().filter(|record| record.payload.starts_with(b"\xffchunks\x01")).count();
    assert!(lists >= 2, "{lists} lists of chunks");
    assert!(records.iter().any(|record| record.payload.is_empty()), "an empty asset");
    assert!(records.iter().any(|record| record.payload.starts_with(b"{\"keys\":\"")), "an index of receipts");
    assert_eq!(write(&records), original(), "by a second implementation");
}

/// An export of this version, which later versions must read. `CANVAS_EXPORT=write` writes it again.
#[test]
#[expect(clippy::disallowed_methods, reason = "a test reads its fixtures")]
fn the_pinned_export_is_read_and_written_alike() {
    let file = format!("{}/tests/fixtures/export-1.bin", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("CANVAS_EXPORT").is_some_and(|word| word == "write") {
        std::fs::write(&file, original()).unwrap();
    }
    let bytes = std::fs::read(&file).unwrap();
    let copy = engine(Policy::default());
    import(&copy, &bytes).unwrap();
    assert!(export(&copy, &canvas()).unwrap() == bytes, "it is written differently");
    block_on(copy.replay(&canvas(), NOW)).unwrap();
}

#[test]
fn a_canvas_with_every_face_is_equal_by_hash_and_goes_on() {
    let (first, copy) = (full(), engine(Policy::default()));
    let bytes = export(&first.engine, &first.canvas).unwrap();
    let imported = import(&copy, &bytes).unwrap();
    let records = read(&bytes);
    let size: usize = records[1..].iter().map(|record| record.payload.len()).sum();
    assert_eq!((imported.blobs, imported.bytes), (records.len() as u64 - 1, size as u64));
    assert_eq!(imported.revision, first.head().revision_id());
    let hash = |json: &[u8]| BlobId::of(json);
    assert_eq!(hash(&head(&copy).unwrap().to_json()), hash(&first.head().to_json()));
    assert_eq!(copy.store().blob_stats(&canvas()).0, records.len() - 1, "no other blobs");
    assert!(export(&copy, &canvas()).unwrap() == bytes, "an export of the copy has other bytes");
    let replay = |tree| assert_eq!(tree, first.head().draft().hash());
    replay(block_on(first.engine.replay(&canvas(), NOW)).unwrap().tree);
    replay(block_on(copy.replay(&canvas(), NOW)).unwrap().tree);
    let newest = |records: Vec<_>| records.len();
    let audit = newest(block_on(first.engine.audit(&canvas(), None, 99, NOW)).unwrap());
    assert_eq!(newest(block_on(copy.audit(&canvas(), None, 99, NOW)).unwrap()), audit);
    // What happens next happens to both.
    let expected = ["OK", "OK", "OK", "OK", "OK", "OK", "HISTORY_TOO_DEEP"];
    assert_eq!([go_on(&first.engine), go_on(&copy)], [expected; 2]);
    assert!(export(&copy, &canvas()).unwrap() == export(&first.engine, &canvas()).unwrap());
    // Calls from before the move have their receipts.
    assert_eq!([reused(&first.engine), reused(&copy)], ["CALL_ID_REUSED"; 2]);
}

fn go_on<S: Store>(engine: &Engine<S>) -> [&'static str; 7] {
    [
        code(engine, "1", redo(1)),
        code(engine, "2", undo(2)),
        code(engine, "3", Edit::overwrite(text(1_801))),
        code(engine, "4", SendMessage),
        code(engine, "5", undo(130)),
        code(engine, "6", redo(100)),
        code(engine, "7", undo(1_000)),
    ]
}

/// The code for other arguments under the key of an earlier call.
fn reused<S: Store>(engine: &Engine<S>) -> &'static str {
    let key = OpKey::of("somebody".parse().unwrap(), "100".parse().unwrap());
    let answered = block_on(engine.call(&canvas(), &key, Edit::overwrite("another\n"), NOW)).unwrap();
    answered.result.unwrap_err().code()
}

#[test]
fn what_a_collection_left_is_moved() {
    let (first, copy) = (full(), engine(Policy::default()));
    first.wait(86_400_000);
    let keep = CollectOptions { history: Some(7), effects: Some(1), ..CollectOptions::default() };
    assert!(block_on(first.engine.collect(&canvas(), keep)).unwrap().blobs > 100);
    let bytes = export(&first.engine, &canvas()).unwrap();
    import(&copy, &bytes).unwrap();
    assert!(export(&copy, &canvas()).unwrap() == bytes);
    assert_eq!(block_on(copy.history(&canvas(), None, 99, NOW)).unwrap().len(), 7);
    // Whatever the policy of the other engine keeps.
    let mut policy = Policy::default();
    (policy.history.changes, policy.history.effects, policy.surface.audit) = (2, 0, 1);
    let lean = engine(policy);
    import(&lean, original()).unwrap();
    assert!(export(&lean, &canvas()).unwrap() == original());
}

#[test]
fn a_deleted_canvas_is_moved_with_its_numbers() {
    let (first, copy) = (full(), engine(Policy::default()));
    block_on(first.engine.delete(&canvas(), &OpKey::user("gone".parse().unwrap()), NOW)).unwrap();
    import(&copy, &export(&first.engine, &canvas()).unwrap()).unwrap();
    assert_eq!(head(&copy).unwrap().to_json(), first.head().to_json());
    let create = OpKey::user("again".parse().unwrap());
    let made = block_on(copy.create(&canvas(), "# Again\n", &create, NOW)).unwrap();
    assert!(made.snapshot.head.revision() > first.head().revision());
    assert_eq!(export(&copy, &"other".parse().unwrap()), Err("CANVAS_NOT_FOUND"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Pieces of one byte and empty ones too.
    #[test]
    fn the_size_of_pieces_makes_no_difference(
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..40),
        // Either whole, or with one bit that is not.
        bit in prop::option::of(any::<prop::sample::Index>()),
        small in 0..200_usize,
    ) {
        let mut bytes = original().to_vec();
        if let Some(bit) = bit {
            let bit = bit.index(bytes.len() * 8);
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(bytes.len())).collect();
        cuts.extend(0..small);
        cuts.extend(borders(original()).into_iter().take(small));
        cuts.sort_unstable();
        let ends = cuts.iter().copied().chain([bytes.len()]);
        let starts = [0].into_iter().chain(cuts.iter().copied());
        let pieces = starts.zip(ends).map(|(start, end)| &bytes[start..end]);
        let (whole, parts) = (engine(Policy::default()), engine(Policy::default()));
        let told = import(&whole, &bytes).map_err(|e| e.to_string());
        let piecewise = block_on(import_pieces(&parts, &canvas(), pieces)).map_err(|e| e.to_string());
        prop_assert_eq!(&piecewise, &told);
        prop_assert_eq!(told.is_err(), bit.is_some());
        prop_assert_eq!(head(&whole), head(&parts));
    }
}
