//! Bytes that are no export any more: each is refused by name, and leaves nothing in the store.

use canvas_core::document::Edit;
use canvas_core::export::ImportError;
use canvas_core::testing::block_on;
use canvas_core::{CanvasId, CodedError as _, OpKey, Policy};
use serde_json::{Value, json};

use super::format::{Record, borders, read, write};
use super::world::{NOW, canvas, code, engine, head, import, import_pieces, original};

/// Numbers in an order that is always the same.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 24) as usize % bound
    }
}

/// The code of the refusal, after which the store is as before.
#[track_caller]
fn refused(bytes: &[u8]) -> (&'static str, ImportError) {
    let engine = engine(Policy::default());
    let error = import(&engine, bytes).expect_err("these bytes were imported");
    assert!(head(&engine).is_none(), "{error}");
    assert_eq!(engine.store().blob_stats(&canvas()), (0, 0), "{error}");
    assert!(!error.is_retryable(), "{error}");
    (error.code(), error)
}

#[test]
fn an_export_that_is_cut_anywhere_is_refused() {
    let (bytes, mut numbers) = (original(), Numbers(7));
    let mut cuts = borders(bytes);
    assert_eq!(cuts.pop(), Some(bytes.len()));
    assert!(cuts.len() > 150, "{} records", cuts.len());
    cuts.extend((0..200).map(|_| numbers.below(bytes.len())));
    for cut in cuts {
        let (code, error) = refused(&bytes[..cut]);
        assert_eq!((code, error.place().as_deref()), ("EXPORT_CUT", Some(&*cut.to_string())));
    }
}

#[test]
fn each_of_a_thousand_altered_bits_is_named() {
    let (mut numbers, borders) = (Numbers(1), borders(original()));
    let mut codes = std::collections::BTreeMap::new();
    // Half of them in headers, which are few bytes.
    for n in 0..1_000 {
        let mut bytes = original().to_vec();
        let at = match n % 2 {
            0 => numbers.below(bytes.len()),
            _ => (borders[numbers.below(borders.len() - 1)] + numbers.below(41)).min(bytes.len() - 1),
        };
        bytes[at] ^= 1 << numbers.below(8);
        *codes.entry(refused(&bytes).0).or_insert(0) += 1;
    }
    let known = ["EXPORT_CUT", "EXPORT_DAMAGED", "EXPORT_RECORD_TOO_LARGE", "EXPORT_TOO_NEW"];
    assert!(codes.keys().all(|code| known.contains(code)), "{codes:?}");
    assert!(codes["EXPORT_DAMAGED"] > 800 && codes["EXPORT_RECORD_TOO_LARGE"] > 10, "{codes:?}");
}

#[test]
fn what_is_newer_or_larger_than_it_says_is_refused() {
    let with = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = original().to_vec();
        change(&mut bytes);
        refused(&bytes).0
    };
    assert_eq!(refused(b"").0, "EXPORT_CUT");
    assert_eq!(refused(b"# Sal").0, "EXPORT_DAMAGED");
    assert_eq!(with(&|bytes| bytes[7] = 2), "EXPORT_TOO_NEW");
    assert_eq!(with(&|bytes| bytes[7] = 0), "EXPORT_DAMAGED");
    assert_eq!(with(&|bytes| bytes.push(0)), "EXPORT_TOO_LONG");
    assert_eq!(with(&|bytes| bytes.extend(original())), "EXPORT_TOO_LONG");
    for record in [1, 2, 100] {
        let at = borders(original())[record];
        let with_length =
            |length: u64| with(&move |bytes| bytes[at + 1..at + 9].copy_from_slice(&length.to_be_bytes()));
        for length in [1 << 60, u64::MAX, (64 << 20) + 1] {
            assert_eq!(with_length(length), "EXPORT_RECORD_TOO_LARGE", "{length}");
        }
        // As long as is allowed, but not there. A head has a lower limit.
        let limit = if original()[at] == b'H' { 4 << 20 } else { 64 << 20 };
        assert_eq!((with_length(limit), with_length(limit + 1)), ("EXPORT_CUT", "EXPORT_RECORD_TOO_LARGE"));
    }
    let last = borders(original()).into_iter().rev().nth(1).unwrap();
    assert_eq!(with(&|bytes| bytes[last + 8] += 1), "EXPORT_DAMAGED");
}

/// Whole streams, with hashes that fit, of what is no canvas.
#[test]
fn a_stream_is_refused_unless_it_has_a_whole_canvas_and_nothing_else() {
    let records = read(original());
    let with = |change: &dyn Fn(&mut Vec<Record>)| {
        let mut records = records.clone();
        change(&mut records);
        refused(&write(&records)).0
    };
    let with_head = |change: &dyn Fn(&mut Value)| {
        with(&|records| {
            let mut head = serde_json::from_slice(&records[0].payload).unwrap();
            change(&mut head);
            records[0].payload = head.to_string().into_bytes();
        })
    };
    assert_eq!(with(&|records| records.clear()), "EXPORT_DAMAGED");
    assert_eq!(with(&|records| records.truncate(1)), "EXPORT_INCOMPLETE");
    assert_eq!(with(&|records| drop(records.remove(0))), "EXPORT_DAMAGED");
    assert_eq!(with(&|records| records.insert(1, records[0].clone())), "EXPORT_DAMAGED");
    assert_eq!(with(&|records| records.insert(1, records[1].clone())), "EXPORT_DAMAGED");
    assert_eq!(with(&|records| records.swap(3, 4)), "EXPORT_DAMAGED");
    assert_eq!(with(&|records| records[5].kind = b'X'), "EXPORT_DAMAGED");
    assert_eq!(with(&|records| records[5].payload.push(b' ')), "EXPORT_DAMAGED");
    let (code, error) = refused(&{
        let mut records = records.clone();
        records.push(Record::new(b'B', "nobody needs this"));
        records[1..].sort_by_key(Record::id);
        write(&records)
    });
    assert!(code == "EXPORT_DAMAGED" && matches!(error, ImportError::Unnamed { .. }), "{error}");
    assert_eq!(with_head(&|head| head["format"] = json!(9)), "HEAD_TOO_NEW");
    assert_eq!(with_head(&|head| head["lease"]["new"] = json!(1)), "HEAD_TOO_NEW");
    assert_eq!(with_head(&|head| head["revision"] = json!(1)), "HEAD_DAMAGED");
    assert_eq!(with_head(&|head| head["canvas"] = json!("other")), "EXPORT_OF_OTHER_CANVAS");
    assert_eq!(
        with_head(&|head| head["journal"]["last"] = head["draft"]["spec.json"].clone()),
        "EXPORT_INCOMPLETE"
    );
    assert_eq!(with(&|records| records[0].payload = b"{}".to_vec()), "HEAD_DAMAGED");
    // Counts that overflow, and keys that cannot be cut.
    let index = records.iter().position(|record| record.payload.starts_with(b"{\"keys\":\"")).unwrap();
    let old = records[index].id();
    for (keys, counts) in
        [("", vec![1, u64::MAX]), ("", vec![1 << 61]), ("€€8", vec![1]), ("00000000", vec![2])]
    {
        let pages: Vec<_> = counts.iter().map(|count| json!([old, count, null, 0, []])).collect();
        let hostile = format!(r#"{{"keys":"{keys}","pages":{}}}"#, json!(pages));
        let code = with(&|records| {
            records[index] = Record::new(b'B', hostile.as_str());
            let head = String::from_utf8(records[0].payload.clone()).unwrap();
            records[0].payload =
                head.replace(&old.to_string(), &records[index].id().to_string()).into_bytes();
            records[1..].sort_by_key(Record::id);
        });
        assert_eq!(code, "EXPORT_INCOMPLETE", "{hostile}");
    }
    // A member that a later library has added.
    let mut later = records.clone();
    let mut head: Value = serde_json::from_slice(&later[0].payload).unwrap();
    head["later"] = json!({"a": [1]});
    later[0].payload = head.to_string().into_bytes();
    let engine = engine(Policy::default());
    import(&engine, &write(&later)).unwrap();
    let kept: Value = serde_json::from_slice(&super::world::head(&engine).unwrap().to_json()).unwrap();
    assert_eq!(kept["later"], head["later"]);
}

#[test]
fn each_blob_is_needed() {
    let records = read(original());
    for number in 1..records.len() {
        let mut rest = records.clone();
        let gone = rest.remove(number).id();
        let (code, error) = refused(&write(&rest));
        assert_eq!(code, "EXPORT_INCOMPLETE", "{number}: {error}");
        assert!(matches!(error, ImportError::Incomplete { blob } if blob == gone), "{gone}: {error}");
    }
}

#[test]
fn a_canvas_that_exists_stays_as_it_is() {
    let create = || OpKey::host("create".parse().unwrap());
    for is_deleted in [false, true] {
        let engine = engine(Policy::default());
        block_on(engine.create(&canvas(), "# Mine\n", &create(), NOW)).unwrap();
        if is_deleted {
            block_on(engine.delete(&canvas(), &OpKey::host("delete".parse().unwrap()), NOW)).unwrap();
        }
        let before = (head(&engine), engine.store().blob_stats(&canvas()));
        assert_eq!(import(&engine, original()).unwrap_err().code(), "CANVAS_EXISTS");
        assert_eq!((head(&engine), engine.store().blob_stats(&canvas())), before);
    }
    // It is made while the import is under way.
    let engine = engine(Policy::default());
    let id = canvas();
    let import = block_on(async { engine.import(&id).await?.push(original()).await }).unwrap();
    block_on(engine.create(&id, "# Mine\n", &create(), NOW)).unwrap();
    let before = head(&engine);
    assert_eq!(block_on(import.finish()).unwrap_err().code(), "CANVAS_EXISTS");
    assert_eq!(head(&engine), before);
    assert_eq!(code(&engine, "edit", Edit::overwrite("# Ours\n")), "OK");
    // Two at once.
    let engine = super::world::engine(Policy::default());
    let begin = || block_on(async { engine.import(&id).await?.push(original()).await }).unwrap();
    let (first, second) = (begin(), begin());
    block_on(first.finish()).unwrap();
    assert_eq!(block_on(second.finish()).unwrap_err().code(), "CANVAS_EXISTS");
    // Under the name of another.
    let other = CanvasId::new("other").unwrap();
    let error = block_on(import_pieces(&engine, &other, [original()])).unwrap_err();
    assert_eq!(error.code(), "EXPORT_OF_OTHER_CANVAS");
}
