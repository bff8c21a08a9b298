//! The state is changed.

use std::num::NonZeroU32;

use canvas_core::history::{Redo, Undo, UndoScope};
use canvas_core::surface::PatchState;
use canvas_core::{Author, block_on};
use serde_json::json;

use crate::surface_commands::world::*;

#[test]
fn a_patch_changes_the_state_and_can_be_undone() {
    let world = World::with_surface();
    world.wait(3);
    let operations = json!([
        {"op": "replace", "path": "/status", "value": "deploying"},
        {"op": "add", "path": "/log", "value": ["a"]},
        {"op": "add", "path": "/log/-", "value": "b"},
    ]);
    let patched = world.ask(patch(client(), operations)).unwrap();
    assert_eq!(
        serde_json::to_value(patched).unwrap(),
        json!({"revision": 2, "changedPaths": ["/log", "/status"]})
    );
    let after = json!({"service": "api", "status": "deploying", "log": ["a", "b"]});
    assert_eq!(world.state(), after);
    assert_eq!(world.descriptor().updated_at.as_millis(), START + 3);
    let entry = &block_on(world.engine.history(&world.canvas, None, 9, world.now())).unwrap()[0];
    assert!(entry.summary.contains("/log"), "{}", entry.summary);
    world.replays();
    let steps = UndoScope::Steps(NonZeroU32::MIN);
    let undo = Undo { by: Author::User, what: steps };
    block_on(world.engine.call(&world.canvas, &world.key(), undo, world.now())).unwrap().result.unwrap();
    assert_eq!(world.state(), json!({"service": "api"}));
    let redo = Redo { by: Author::User, steps: NonZeroU32::MIN };
    block_on(world.engine.call(&world.canvas, &world.key(), redo, world.now())).unwrap().result.unwrap();
    assert_eq!(world.state(), after);
    world.replays();
}

#[test]
fn a_patch_that_changes_nothing_bumps_nothing() {
    let world = World::with_surface();
    for operations in [
        json!([]),
        json!([{"op": "replace", "path": "/service", "value": "api"}]),
        json!([{"op": "add", "path": "/x", "value": 1}, {"op": "remove", "path": "/x"}]),
    ] {
        let patched = world.ask(patch(client(), operations)).unwrap();
        assert_eq!((patched.revision.get(), patched.changed_paths.len(), world.revision()), (1, 0, 1));
    }
}

#[test]
fn what_is_refused_changes_nothing() {
    let world = World::with(|policy, _| policy.surface.state_bytes = 40);
    assert_eq!(world.ask(patch(client(), json!([]))), refused("SURFACE_NOT_FOUND", ""));
    world.ask(create(client())).unwrap();
    let add = |value: &str| json!({"op": "add", "path": "/a", "value": value});
    for (operations, code, place) in [
        (json!([add("1"), {"op": "remove", "path": "/x"}]), "PATCH_FAILED", "/patch/1/path"),
        (json!([add("1"), {"op": "add", "path": "/x/y", "value": 1}]), "PATCH_FAILED", "/patch/1/path"),
        (json!([add("1234567890123456789012345")]), "STATE_TOO_LARGE", "/patch"),
    ] {
        assert_eq!(world.ask(patch(client(), operations)), refused(code, place));
    }
    assert_eq!((world.state(), world.revision()), (json!({"service": "api"}), 1));
}

#[test]
fn a_patch_conflicts_where_the_surface_has_changed_and_with_what_is_yet_to_come() {
    let world = World::with_surface();
    let add = |number: u64, expected| PatchState {
        expected: revision(expected),
        ..patch(client(), json!([{"op": "add", "path": "/a", "value": number}]))
    };
    assert_eq!(world.ask(add(1, 1)).unwrap().revision.get(), 2);
    for expected in [0, 1, 3, 99] {
        assert_eq!(world.ask(add(2, expected)), refused("REVISION_CONFLICT", "/expectedRevision"));
    }
    // A change of the text is none of the surface.
    let edit = canvas_core::document::Edit::replace("# Plan\n");
    block_on(world.engine.call(&world.canvas, &world.key(), edit, world.now())).unwrap().result.unwrap();
    assert_eq!(world.ask(add(2, 2)).unwrap().revision.get(), 4);
}

/// The model takes nothing back once a person has changed the state in its turn.
#[test]
fn a_persons_patch_counts_as_theirs() {
    for (by, expected) in [(client(), "USER_ACTED"), (session("agent:main:main"), "OK")] {
        let mut world = World::with_surface();
        world.next_turn();
        world.ask(patch(by, json!([{"op": "add", "path": "/a", "value": 1}]))).unwrap();
        let undo = Undo { by: Author::Assistant { lease: None }, what: UndoScope::Steps(NonZeroU32::MIN) };
        let told = block_on(world.engine.call(&world.canvas, &world.key(), undo, world.now())).unwrap();
        assert_eq!(
            told.result.map_or_else(|refusal| canvas_core::CodedError::code(&refusal), |_| "OK"),
            expected
        );
    }
}
