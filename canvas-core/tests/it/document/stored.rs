//! What is stored: forms of ids, the head as JSON, and what is refused on the way in.

use std::collections::BTreeSet;
use std::task::Poll;

use canvas_core::document::Edited;
use canvas_core::lease::CheckOut;
use canvas_core::store::{BoxStore, Head, HeadError, Store as _, Tree, TreePath};
use canvas_core::turn::SendMessage;
use canvas_core::{
    Blob, BlobId, CallId, CanvasId, CodedError as _, ConversationId, Engine, Policy, Revision, RevisionId,
    block_on,
};
use serde_json::{Value, json};

use super::world::{Spy, World, collect};
use crate::document::any::{Outcome, code};

/// A head with everything in it.
fn eventful() -> World {
    let world = World::new("a\nb\n");
    let lease = world.check_out("model");
    world.write("model", lease, "a>c");
    world.write("model", lease, "nowhere>c");
    world.ask("model", SendMessage);
    world.edit("c\nz\n");
    world.ask("other", SendMessage);
    world.check_out("other");
    world
}

#[test]
fn a_head_reads_back_as_it_was_written() {
    let world = eventful();
    let head = world.head();
    let json = serde_json::to_value(head.as_ref()).unwrap();
    assert_eq!(json["format"], 1);
    assert_eq!(json["revision"], 3);
    assert_eq!(json.get("user_revision"), None, "the user has not touched a board");
    assert_eq!(head.committed(), Some(head.draft()), "the last message promoted the draft");
    assert_eq!(json["draft"], json!({"document.md": BlobId::of(b"c\nz\n").to_string()}));
    assert_eq!(json["conversations"].as_object().unwrap().keys().collect::<Vec<_>>(), ["model", "other"]);
    assert_eq!(serde_json::from_value::<Head>(json).unwrap(), *head);
    world.delete("delete").unwrap();
    let tombstone = world.head();
    let json = serde_json::to_string(tombstone.as_ref()).unwrap();
    assert_eq!(serde_json::from_str::<Head>(&json).unwrap(), *tombstone);
    assert_eq!(tombstone.revision_id(), head.revision_id());
    assert_eq!(tombstone.blobs().collect::<Vec<_>>(), [BlobId::of(b"c\nz\n")]);
}

#[test]
fn heads_with_other_receipts_are_not_equal() {
    let world = eventful();
    let head = world.head();
    for (pointer, value) in [
        ("/receipts/recent/1/digest", json!("0".repeat(32))),
        ("/receipts/recent/2/fence", json!(2)),
        ("/receipts/recent/3/operation/call", json!("another")),
        ("/receipts/recent/1/answer/inline", json!("{\"kind\":\"created\",\"revision\":\"r1-41153ec5\"}")),
    ] {
        assert_ne!(world.altered(pointer, value).unwrap(), *head, "{pointer}");
    }
}

#[test]
fn a_head_that_cannot_be_is_refused() {
    let world = eventful();
    let zero = |revision: u64| json!({"revision": revision, "document": BlobId::of(b"").to_string()});
    for (pointer, value, expected) in [
        ("/format", json!(0), "format 0"),
        ("/format", json!(3), "format 3"),
        ("/faces/document", json!(4), "in faces"),
        ("/faces/board", json!(4), "in faces"),
        ("/faces/surface", json!(4), "in faces"),
        ("/origin", zero(4), "in origin"),
        ("/conversations/model/seen", zero(4), "in conversations"),
        ("/conversations/other/synced", zero(4), "in conversations"),
        ("/turn_start/revision", json!(4), "in turn_start"),
        ("/turn_start/epoch", json!(4), "in turn_start"),
        ("/draft", json!({}), "in draft"),
        ("/draft", json!({"../document.md": BlobId::of(b"").to_string()}), ".. segment"),
        ("/draft", json!({"document.md": "no hash"}), "blob id"),
        ("/canvas", json!(""), "0 bytes"),
        ("/revision", json!(1u64 << 53), "2^53 - 1"),
        ("/revision", json!(-1), "invalid value"),
        ("/revision", json!(2), "in faces"),
        ("/lease/fence", json!(1), "lease issued"),
        ("/lease", Value::Null, "invalid type"),
        ("/receipts/recent", json!([{}]), "missing field"),
        ("/receipts/pages", json!([{"keys": "0123456"}]), "hexadecimal digits"),
        ("/receipts/pages", json!([{"keys": "0123456G"}]), "hexadecimal digits"),
        ("/receipts/recent/0/digest", json!("+0"), "hexadecimal digits"),
        ("/receipts/recent/0/digest", json!("A".repeat(32)), "hexadecimal digits"),
    ] {
        let refused = world.altered(pointer, value.clone()).unwrap_err().to_string();
        assert!(refused.contains(expected), "{pointer} = {value}: {refused}");
    }
    // On the last number everything may stand.
    for (pointer, value) in [
        ("/faces/board", json!(3)),
        ("/origin", zero(3)),
        ("/conversations/model/seen", zero(3)),
        ("/turn_start/revision", json!(3)),
        ("/turn_start/epoch", json!(3)),
    ] {
        world.altered(pointer, value.clone()).unwrap_or_else(|e| panic!("{pointer} = {value}: {e}"));
    }
}

/// What a store reads back is the head that was written, or an error says what is wrong with it.
#[test]
fn stored_bytes_are_judged_whole() {
    let world = eventful();
    let head = world.head();
    let (canvas, json) = (head.canvas().clone(), head.to_json());
    assert_eq!(Head::from_json(&canvas, &json).as_ref(), Ok(head.as_ref()));
    let refused = |canvas: &CanvasId, json: &[u8]| Head::from_json(canvas, json).unwrap_err();
    assert_eq!(refused(&canvas, br#"{"format": 9, "faces": 3}"#), HeadError::Format { found: 9 });
    let mut value: Value = serde_json::from_slice(&json).unwrap();
    value["format"] = json!(9);
    assert_eq!(refused(&canvas, value.to_string().as_bytes()), HeadError::Format { found: 9 });
    let torn = refused(&canvas, br#"{"format": 1,"#);
    assert!(matches!(torn, HeadError::Unreadable { line: 1, column: 13, .. }), "{torn:?}");
    value["format"] = json!(1);
    value["faces"] = json!(3);
    let e = Head::from_json(&canvas, value.to_string().as_bytes()).unwrap_err();
    assert_eq!(e.code(), "HEAD_DAMAGED", "{e}");
    assert_eq!(refused(&super::world::canvas("d"), &json), HeadError::Foreign { found: canvas.clone() });
    // Cut anywhere, it is damage and never a head.
    for end in 0..json.len() {
        assert_eq!(Head::from_json(&canvas, &json[..end]).unwrap_err().code(), "HEAD_DAMAGED", "{end}");
    }
}

/// Only a tombstone has no document.
#[test]
fn a_tombstone_may_be_empty() {
    let world = World::new("a\n");
    let mut json = serde_json::to_value(world.head().as_ref()).unwrap();
    json["draft"] = json!({});
    assert!(serde_json::from_value::<Head>(json.clone()).is_err());
    json["deleted"] = json!(true);
    assert!(serde_json::from_value::<Head>(json).is_ok());
}

#[test]
fn every_blob_that_the_head_needs_is_named() {
    let world = eventful();
    let head = world.head();
    let named: Vec<BlobId> = head.blobs().collect();
    for text in ["a\nb\n", "c\nb\n", "c\nz\n"] {
        assert!(named.contains(&BlobId::of(text.as_bytes())), "{text:?}");
    }
    assert!(!named.contains(&BlobId::of(b"")));
}

#[test]
fn a_revision_id_names_number_and_text() {
    let world = World::new("a\n");
    let id = world.snapshot().revision_id();
    let digits = &BlobId::of(b"a\n").to_string()[..8];
    assert_eq!(id.to_string(), format!("r1-{digits}"));
    assert_eq!(serde_json::to_value(id).unwrap(), json!(format!("r1-{digits}")));
    assert_eq!(id, RevisionId::new(Revision::new(1).unwrap(), BlobId::of(b"a\n")));
    // The same text again is another revision with the same digits.
    world.edit("b\n");
    world.edit("a\n");
    assert_eq!(world.snapshot().revision_id().to_string(), format!("r3-{digits}"));
    let Outcome::Edited(Edited { revision, .. }) = world.edit("a\n") else { panic!("the edit is refused") };
    assert_eq!(revision.to_string(), format!("r3-{digits}"), "no change is no revision");
    for text in ["r1", "R1-00000000", "r1-0000000G", "r9007199254740992-00000000"] {
        assert!(serde_json::from_value::<RevisionId>(json!(text)).is_err(), "{text}");
    }
}

#[test]
fn blob_ids_are_64_hexadecimal_digits() {
    let id = BlobId::of(b"a\n");
    let text = id.to_string();
    assert_eq!((text.len(), text.parse()), (64, Ok(id)));
    assert_eq!(format!("{id:?}"), format!("BlobId({text})"));
    assert_eq!(blake3::hash(b"a\n").as_bytes(), id.as_bytes());
    for wrong in ["", &text[1..], &format!("{text}0"), &text.replace(|c: char| c.is_ascii_hexdigit(), "g")] {
        assert!(wrong.parse::<BlobId>().is_err(), "{wrong}");
    }
}

#[test]
fn blobs_of_text_are_text() {
    let cases: [(&[u8], Option<&str>); 4] =
        [(b"", Some("")), (b"a\r\n", Some("a\r\n")), ("ü".as_bytes(), Some("ü")), (&[0xff, 0], None)];
    for (bytes, text) in cases {
        let blob = Blob::bytes(bytes.to_vec());
        assert_eq!((blob.id(), blob.as_bytes(), blob.as_text()), (BlobId::of(bytes), bytes, text));
        assert_eq!(format!("{blob:?}"), format!("Blob({}, {} bytes)", blob.id(), bytes.len()));
        assert_eq!((blob == Blob::bytes(bytes.to_vec()), blob == Blob::text("other".into())), (true, false));
    }
}

#[test]
fn names_have_1_to_512_bytes() {
    for (name, holds) in
        [("", false), ("a", true), (" ", true), (&"ü".repeat(256), true), (&"ü".repeat(257), false)]
    {
        assert_eq!(CanvasId::new(name).is_ok(), holds, "{name:?}");
        assert_eq!(ConversationId::new(name).is_ok(), holds, "{name:?}");
        assert_eq!(CallId::new(name).is_ok(), holds, "{name:?}");
        assert_eq!(serde_json::from_value::<CanvasId>(json!(name)).is_ok(), holds, "{name:?}");
    }
}

#[test]
fn the_hash_of_a_tree_tells_paths_and_contents_apart() {
    let blob = |text: &str| BlobId::of(text.as_bytes());
    let tree = |files: &[(&str, &str)]| {
        let mut tree = Tree::default();
        for (path, text) in files {
            tree.insert(TreePath::new(path).unwrap(), blob(text));
        }
        tree
    };
    let trees = [
        tree(&[]),
        tree(&[("a", "x")]),
        tree(&[("a", "y")]),
        tree(&[("b", "x")]),
        tree(&[("a", "x"), ("b", "x")]),
        tree(&[("a", "x"), ("b", "y")]),
        tree(&[("a", "y"), ("b", "x")]),
        tree(&[("a/b", "x")]),
    ];
    for (i, one) in trees.iter().enumerate() {
        for (j, other) in trees.iter().enumerate() {
            assert_eq!(one.hash() == other.hash(), i == j, "{one:?} {other:?}");
        }
    }
    assert_eq!(tree(&[("b", "y"), ("a", "x")]).hash(), trees[5].hash());

    let mut tree = tree(&[("a", "x")]);
    let path = TreePath::new("a").unwrap();
    assert_eq!(tree.insert(path.clone(), blob("y")), Some(blob("x")));
    assert_eq!((tree.get(&path), tree.iter().count()), (Some(blob("y")), 1));
    assert_eq!((tree.remove(&path), tree.remove(&path), tree.get(&path)), (Some(blob("y")), None, None));
}

#[test]
fn a_stored_head_serves_another_server() {
    let world = eventful();
    let json = serde_json::to_string(world.head().as_ref()).unwrap();
    world.put(serde_json::from_str(&json).unwrap());
    let lease = world.head().lock().lease().unwrap().id;
    assert_eq!(code(&world.peer().write("other", lease, "z>y")), "OK");
    assert_eq!(world.text(), "c\ny\n");
}

/// An embedder that names no store type, and one that has a runtime of its own, get the same answers.
#[test]
fn any_store_serves_in_a_box() {
    let world = World::new("a\nb\n");
    let boxed = BoxStore::new(world.spy().inner.clone());
    assert_eq!(format!("{boxed:?}"), "BoxStore(Capabilities { not_after: true, notify: false })");
    // A store that tells of changes does so in a box too.
    let spy = Spy::new(world.spy().inner.clone());
    spy.set_notify();
    let capabilities = spy.capabilities();
    let other = BoxStore::new(spy);
    assert!(capabilities.notify && other.capabilities() == capabilities);
    let engine: Engine = Engine::new(boxed.clone(), Policy::default());
    let call = world.fresh("model", CheckOut);
    let answered = call.run(&engine, &world.canvas, world.now()).unwrap();
    assert_eq!(answered.outcome, world.run(&call).outcome);
    assert_eq!(block_on(boxed.list(None, 9)).unwrap(), std::slice::from_ref(&world.canvas));
    world.edit("x\n");
    world.edit("y\n");
    let (first, old) = (BlobId::of(b"a\nb\n"), BlobId::of(b"x\n"));
    collect(&boxed, &world.canvas, &BTreeSet::new());
    assert!(block_on(boxed.blob(&world.canvas, old)).unwrap().is_none());
    assert!(block_on(boxed.blob(&world.canvas, first)).unwrap().is_some(), "the head still needs it");
    assert_eq!(format!("{:?}", world.spy().inner), "MemoryStore(1 canvases)");
}

#[test]
fn a_future_that_is_not_ready_is_waited_for() {
    let mut polls = 0;
    let future = std::future::poll_fn(|context| {
        polls += 1;
        if polls == 3 {
            return Poll::Ready("done");
        }
        context.waker().wake_by_ref();
        Poll::Pending
    });
    assert_eq!(block_on(future), "done");
    assert_eq!(polls, 3);
}
