//! A canvas from its creation to its deletion and beyond, and the limits that a host sets.

use std::sync::atomic::Ordering;

use canvas_core::document::Read;
use canvas_core::lease::{CheckOut, SafeIntegerError};
use canvas_core::turn::{Promotion, SendMessage, TurnEnded};
use canvas_core::{CodedError as _, Created, EngineError, Face, LimitRefusal, Policy, Revision, block_on};
use serde_json::json;

use super::story::check_with;
use super::world::{World, apply, canvas, end_turn, key};
use crate::document::any::{AnyRefusal, Call, Outcome, code, dynamic};

fn create(world: &World, markdown: &str, call: &str) -> Result<Created, EngineError> {
    block_on(world.engine.create(&world.canvas, markdown, &key("model", 0, call), world.now()))
}

fn delete(world: &World) -> Result<(), EngineError> {
    world.delete("delete")
}

fn numbers(world: &World) -> (u64, u64, u64) {
    let head = world.head();
    (head.revision().get(), head.lock().epoch().get(), head.lock().fence().get())
}

#[test]
fn a_new_canvas_stands_at_its_first_revision() {
    let world = World::empty(Policy::default());
    let created = create(&world, "a\n", "k").unwrap();
    assert_eq!(created.revision, created.snapshot.revision_id());
    assert_eq!((created.replayed, created.snapshot.text()), (false, "a\n"));
    let head = world.head();
    assert_eq!(numbers(&world), (1, 0, 0));
    assert_eq!(head.face_revision(Face::Document).get(), 1);
    assert_eq!((head.face_revision(Face::Board), head.face_revision(Face::Surface)), Default::default());
    assert_eq!((head.committed(), head.is_deleted()), (None, false));
    assert_eq!(head.hash_pair(), (head.draft().hash(), None));
    assert!(head.lock().is_turn_open());
}

#[test]
fn an_artefact_exists_from_the_first_promotion_until_the_deletion() {
    let world = World::new("a\n");
    world.edit("b\n");
    assert_eq!(world.head().committed(), None, "an edit promotes nothing");
    world.ask("model", SendMessage);
    assert_eq!(world.head().committed(), Some(world.head().draft()));
    delete(&world).unwrap();
    create(&world, "c\n", "again").unwrap();
    assert_eq!(world.head().committed(), None);
}

#[test]
fn a_canvas_is_made_once() {
    let world = World::new("a\n");
    let again = create(&world, "a\n", "create").unwrap();
    assert_eq!((again.replayed, again.snapshot.text()), (true, "a\n"));
    for (markdown, call, expected) in [
        ("a\n", "other", "CANVAS_EXISTS"),
        ("b\n", "other", "CANVAS_EXISTS"),
        ("b\n", "create", "CALL_ID_REUSED"),
    ] {
        assert_eq!(create(&world, markdown, call).unwrap_err().code(), expected, "{markdown:?} {call}");
    }
    assert_eq!(numbers(&world), (1, 0, 0));
    // Later too, and with what became of the canvas since.
    world.edit("z\n");
    let again = create(&world, "a\n", "create").unwrap();
    assert_eq!((again.replayed, again.snapshot.text()), (true, "z\n"));
    assert_eq!(again.revision.revision().get(), 1);
}

#[test]
fn a_canvas_made_again_goes_on_with_its_numbers() {
    let world = World::new("a\nb\n");
    let old = world.check_out("model");
    world.write("model", old, "a>c");
    let late = world.fresh("model", apply(old, "c>d"));
    assert_eq!(numbers(&world), (2, 0, 1));
    delete(&world).unwrap();
    delete(&world).unwrap();
    assert!(world.head().is_deleted());
    assert_eq!(numbers(&world), (2, 1, 1));
    for nothing in [
        block_on(world.engine.snapshot(&world.canvas, world.now())).unwrap_err(),
        world.try_run(&late).unwrap_err(),
        world.peer().try_run(&late).unwrap_err(),
    ] {
        assert_eq!((nothing.code(), nothing.is_retryable()), ("CANVAS_NOT_FOUND", false));
    }

    let again = create(&world, "new\n", "k2").unwrap();
    assert_eq!((again.replayed, again.snapshot.text()), (false, "new\n"));
    assert_eq!(numbers(&world), (3, 1, 1));
    assert_eq!(code(&world.run(&late).outcome), "STALE_EPOCH");
    let lease = world.check_out("model");
    assert_eq!((lease.fence().get(), lease.epoch().get()), (2, 1));
    assert_eq!(code(&world.write("model", lease, "new>newer")), "OK");
    assert_eq!(world.text(), "newer\n");
}

/// The host's clock has no say: a canvas made by a host whose clock is wrong begins like any other.
#[test]
fn a_host_with_a_wrong_clock_makes_and_deletes_canvases_like_any_other() {
    for ahead in [0, 3_600_000] {
        let world = World::empty(Policy::default());
        world.ahead.store(ahead, Ordering::Relaxed);
        create(&world, "a\nb\n", "k").unwrap();
        let start = world.head().turn_start();
        let lease = world.check_out("model");
        assert_eq!(lease.to_string(), "lease-1-0");
        assert_eq!(code(&world.write("model", lease, "a>c")), "OK");
        let Outcome::TurnEnded(TurnEnded { promotion, .. }) = world.ask("model", end_turn(start)) else {
            panic!("the turn does not end");
        };
        assert_eq!(promotion, Promotion::Promoted, "{ahead} ms ahead");
        delete(&world).unwrap();
        create(&world, "a\n", "k2").unwrap();
        assert_eq!(world.check_out("model").to_string(), "lease-2-1", "{ahead} ms ahead");
    }
}

#[test]
fn an_unknown_canvas_is_not_found() {
    let world = World::empty(Policy::default());
    let call = Call { operation: key("model", 0, "c"), command: dynamic(CheckOut) };
    for e in [
        world.try_run(&call).unwrap_err(),
        block_on(world.engine.snapshot(&world.canvas, world.now())).unwrap_err(),
        delete(&world).unwrap_err(),
    ] {
        assert_eq!(e.code(), "CANVAS_NOT_FOUND");
    }
}

#[test]
fn documents_have_a_size_limit_at_every_door() {
    let policy = Policy { document_bytes: 6, ..Policy::default() };
    let world = World::empty(policy);
    let refused = create(&world, "1234567", "k").unwrap_err();
    assert_eq!(refused.code(), "DOCUMENT_TOO_LARGE");
    assert!(matches!(refused, EngineError::TooLarge { bytes: 7, limit: 6 }), "{refused}");
    create(&world, "123456", "k").unwrap();

    // Too long a text is not stored, but the user has acted.
    let outcome = world.edit("1234567");
    assert_eq!(
        outcome,
        Outcome::Refused(AnyRefusal::Edit(LimitRefusal::TooLarge { bytes: 7, limit: 6 }.into()))
    );
    assert_eq!((world.text().as_str(), world.loaded().head.lock().epoch().get()), ("123456", 1));
    assert_eq!(code(&world.edit("12345\n")), "OK");

    let lease = world.check_out("model");
    world.ask("model", Read::part(Some(lease)));
    assert_eq!(code(&world.write("model", lease, "12345>123456")), "DOCUMENT_TOO_LARGE");
    assert_eq!(code(&world.write("model", lease, "12345>54321")), "OK");
    assert_eq!(world.text(), "54321\n");
}

/// A patch that made the document too large stays refused, whatever has become of the document since.
#[test]
fn a_patch_too_large_for_the_document_leaves_a_receipt() {
    check_with(
        Policy { document_bytes: 6, ..Policy::default() },
        "
        1000 model checks-out c1 -> lease-1-0 until 16000 r1
        9000 model writes c2 lease-1-0 a>>long -> DOCUMENT_TOO_LARGE
        9000 model reads lease-1-0 -> r1 until 24000
        9000 model writes c3 lease-1-0 a>>c -> r2 +1 −0 until 24000
        9000 user edits u1 too-long-a-text -> DOCUMENT_TOO_LARGE
        9000 model reads lease-1-0 -> STALE_EPOCH 1, shown nothing
        ",
    );
}

#[test]
fn a_canvas_follows_so_many_conversations() {
    check_with(
        Policy { conversations: 2, ..Policy::default() },
        "
        1000 one hears m1 -> epoch 1 r1, promoted, reported the whole
        1000 two checks-out c1 -> lease-1-1 until 16000 r1
        1000 two reads lease-1-1 -> r1 until 16000
        1000 two checks-in c2 lease-1-1 -> released r1
        1000 three hears m2 -> epoch 2 r1, nothing new, reported the whole
        1000 two checks-out c3 -> lease-2-2 until 16000 r1
        1000 two reads lease-2-2 -> r1 until 16000
        1000 user edits u1 a|z -> epoch 3 r2
        ",
    );
}

/// Counters end before they would be used twice.
#[test]
fn used_up_counters_are_refused() {
    const LAST: u64 = canvas_core::lease::safe_integer::MAX;
    let cases: [(&str, u64, &str); 2] =
        [("/lease/fence", LAST, "FENCE_EXHAUSTED"), ("/lease/epoch", LAST, "EPOCH_EXHAUSTED")];
    for (pointer, value, expected) in cases {
        let world = World::new("a\nb\n");
        world.put(world.altered(pointer, json!(value)).unwrap());
        assert_eq!(code(&world.ask("model", CheckOut)), expected);
        // The user is never refused.
        assert_eq!(code(&world.edit("z\n")), "OK");
        assert_eq!(world.text(), "z\n");
    }

    let world = World::new("a\nb\n");
    world.put(world.altered("/revision", json!(LAST)).unwrap());
    let lease = world.check_out("model");
    assert_eq!(code(&world.write("model", lease, "a>c")), "REVISION_EXHAUSTED");
    assert_eq!(code(&world.edit("z\n")), "REVISION_EXHAUSTED");
    assert_eq!(code(&world.write("model", lease, "a>c")), "STALE_EPOCH");
    assert_eq!((world.text().as_str(), world.head().revision().next()), ("a\nb\n", None));
    delete(&world).unwrap();
    assert_eq!(create(&world, "a\n", "k2").unwrap_err().code(), "REVISION_EXHAUSTED");
    assert_eq!(Revision::new(LAST + 1), Err(SafeIntegerError { value: LAST + 1 }));
}

#[test]
fn canvases_of_one_store_are_apart() {
    let world = World::new("a\n");
    let mut other = world.peer();
    other.canvas = canvas("other");
    create(&other, "other\n", "create").unwrap();
    other.edit("other still\n");
    let lease = world.check_out("model");
    assert_eq!(code(&world.write("model", lease, "a>b")), "OK");
    assert_eq!((world.text().as_str(), other.text().as_str()), ("b\n", "other still\n"));
    assert_eq!(code(&other.ask("model", Read::part(Some(lease)))), "LOCK_NOT_OWNED");
}
