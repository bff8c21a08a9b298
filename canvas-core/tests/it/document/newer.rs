//! Two versions of this library on one store: what the newer one has put into a head, the older one keeps.

use std::num::NonZeroU32;

use canvas_core::history::{Redo, Undo, UndoScope};
use canvas_core::lease::CheckIn;
use canvas_core::store::{Head, Store as _};
use canvas_core::turn::{EndTurn, Forget, SendMessage};
use canvas_core::{Author, CodedError as _, block_on};
use serde_json::{Value, json};

use super::world::{World, key};
use crate::document::any::code;

/// What a newer library has written into each part of a head that may grow.
const PARTS: [&str; 6] = [
    "",
    "/journal",
    "/conversations/model",
    "/receipts",
    "/receipts/recent/0",
    "/receipts/refusals/recent/0",
];

fn added() -> Value {
    json!({"list": [1, "two", {"three": null}], "number": 9_007_199_254_740_991_u64})
}

fn json_of(world: &World) -> Value {
    serde_json::from_slice(&world.head().to_json()).unwrap()
}

/// A canvas with a head of a newer library, all parts in it.
fn newer() -> World {
    let world = World::new("a\n");
    world.ask("model", SendMessage);
    world.ask("model", CheckIn { lease: None });
    world.edit("b\n");
    let mut json = json_of(&world);
    for part in PARTS {
        json.pointer_mut(part).unwrap_or_else(|| panic!("{part}"))["added_later"] = added();
    }
    let bytes = json.to_string();
    world.put(Head::from_json(&world.canvas, bytes.as_bytes()).unwrap());
    world
}

#[test]
fn members_of_a_newer_library_are_kept() {
    let world = newer();
    let check = |what: &str| {
        let json = json_of(&world);
        for part in PARTS {
            let found = json.pointer(part).map(|part| &part["added_later"]);
            assert_eq!(found, Some(&added()), "{part} after {what}");
        }
        let read = Head::from_json(&world.canvas, &world.head().to_json()).unwrap();
        assert_eq!(read, *world.head(), "{what}");
        assert_eq!(read.to_json(), world.head().to_json(), "{what}");
    };
    check("nothing");
    let one = UndoScope::Steps(NonZeroU32::MIN);
    assert_eq!(code(&world.edit("c\n")), "OK");
    check("an edit");
    assert_eq!(code(&world.ask("user", Undo { by: Author::User, what: one })), "OK");
    check("an undo");
    assert_eq!(code(&world.ask("user", Redo { by: Author::User, steps: NonZeroU32::MIN })), "OK");
    check("a redo");
    assert_eq!(code(&world.ask("model", SendMessage)), "OK");
    check("a message, which promotes");
    let lease = world.check_out("model");
    check("a lease");
    assert_eq!(code(&world.write("model", lease, "c>d")), "OK");
    check("a patch");
    assert_eq!(code(&world.write("model", lease, "nowhere>d")), "PATCH_REJECTED/NOT_FOUND");
    check("a refusal");
    let start = world.head().turn_start();
    assert_eq!(code(&world.ask("model", EndTurn { start })), "OK");
    check("the end of a turn");
    assert_eq!(code(&world.ask("model", Forget)), "OK");
    check("a conversation that forgets");
}

/// Also where the receipts move to a blob, and where the canvas goes and comes again.
#[test]
fn members_of_a_newer_library_outlast_pages_and_deletion() {
    let world = newer();
    for i in 0..40 {
        world.edit(&format!("{i}\n"));
    }
    let json = json_of(&world);
    let page = json["receipts"]["pages"][0]["blob"].as_str().unwrap().parse().unwrap();
    let page = block_on(world.spy().inner.blob(&world.canvas, page)).unwrap().unwrap();
    let page: Value = serde_json::from_str(page.as_text().unwrap()).unwrap();
    assert_eq!(page[0]["added_later"], added());

    let mut json = json;
    json["receipts"]["pages"][0]["added_later"] = added();
    world.put(serde_json::from_value(json).unwrap());
    world.delete("delete").unwrap();
    let check = || {
        let json = json_of(&world);
        for part in ["", "/journal", "/receipts", "/receipts/pages/0"] {
            assert_eq!(json.pointer(part).unwrap()["added_later"], added(), "{part}");
        }
    };
    check();
    let again = key("host", 0, "again");
    let create = world.engine.create(&world.canvas, "z\n", &again, world.now());
    block_on(create).unwrap();
    check();
}

/// Where a member that is not known may be a rule, and where parts are replaced whole, the head is refused: nobody has to
/// guess, and nothing is dropped.
#[test]
fn parts_that_do_not_grow_refuse_what_they_do_not_know() {
    let world = newer();
    world.ask("model", SendMessage);
    world.check_out("model");
    for part in [
        "/lease",
        "/lease/access/held",
        "/origin",
        "/turn_start",
        "/conversations/model/seen",
        "/receipts/lease",
        "/receipts/elapsed",
    ] {
        let mut json = json_of(&world);
        json.pointer_mut(part).unwrap_or_else(|| panic!("{part}"))["added_later"] = added();
        let refused = Head::from_json(&world.canvas, json.to_string().as_bytes()).unwrap_err();
        assert_eq!(refused.code(), "HEAD_TOO_NEW", "{part}: {refused}");
        assert!(refused.to_string().contains("unknown field `added_later`"), "{part}: {refused}");
    }
    let mut json = json_of(&world);
    json["faces"]["added_later"] = json!(1);
    let refused = Head::from_json(&world.canvas, json.to_string().as_bytes()).unwrap_err();
    assert_eq!(refused.code(), "HEAD_TOO_NEW", "{refused}");
}

/// What is kept costs the usual head nothing. A member that is there twice is damage.
#[test]
fn the_usual_head_has_no_more_members_than_before() {
    let world = World::new("a\n");
    world.ask("model", SendMessage);
    let json = json_of(&world);
    let names = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&json["journal"]), ["entries"]);
    assert_eq!(names(&json["conversations"]["model"]), ["seen", "synced"]);
    assert_eq!(names(&json["receipts"]), ["elapsed", "lease", "pages", "recent"]);
    let twice = String::from_utf8(world.head().to_json()).unwrap().replacen('{', "{\"revision\":1,", 1);
    assert_eq!(Head::from_json(&world.canvas, twice.as_bytes()).unwrap_err().code(), "HEAD_DAMAGED");
}
