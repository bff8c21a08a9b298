//! The same call twice is one edit.

use serde_json::json;

use super::world::{World, code};

#[test]
fn a_retry_is_answered_and_not_done_again() {
    let world = World::new("a\nb\n");
    for directive in [
        json!({"action": "patch", "diff": "@@\n a\n+x\n", "version": world.version()}),
        // Without a version the text after the first try is as good as any.
        json!({"action": "insert", "content": "y\n", "target_range": [0, 0]}),
        json!({"action": "replace", "content": "", "target_range": [0, 2]}),
    ] {
        let id = world.fresh_id();
        let first = world.direct_as(&id, &directive).unwrap();
        let (text, version) = (world.text(), world.version());
        let again = world.direct_as(&id, &directive).unwrap();
        assert_eq!((world.text(), world.version()), (text, version));
        assert!(again.replayed && !first.replayed);
        assert_eq!(again.status(), first.status());
        assert_eq!(again.context.spans, first.context.spans);
        assert_eq!((again.version_before, again.change), (first.version_before, first.change));
        // The names of the version are no difference, the rest is.
        let other = json!({"action": "insert", "content": "z", "target_range": [0, 0]});
        assert_eq!(code(&world.direct_as(&id, &other)), "CALL_ID_REUSED");
    }
    assert_eq!(world.entries().len(), 3);
}

/// Also where somebody has edited since, so that the directive itself no longer fits.
#[test]
fn a_late_retry_is_answered_too() {
    let world = World::new("a\nb\n");
    let directive = json!({"action": "replace", "content": "long", "target_range": [0, 4]});
    let first = world.direct_as("id", &directive).unwrap();
    world.edit("");
    let again = world.direct_as("id", &directive).unwrap();
    assert_eq!((again.status(), &again.context), (first.status(), &first.context));
    assert_eq!((world.text(), again.replayed), (String::new(), true));
    // A new call finds another document.
    assert_eq!(code(&world.direct(&directive)), "INVALID_RANGE at /target_range");
}

/// The places come from the history; the rest does not need it.
#[test]
fn a_retry_is_answered_without_a_history() {
    let policy = canvas_core::Policy { history: 0, ..canvas_core::Policy::default() };
    let (none, cleared) = (World::with("abc", policy), World::new("abc"));
    for world in [none, cleared] {
        for content in ["longer", "longer", ""] {
            let id = world.fresh_id();
            let directive = json!({"action": "replace", "content": content, "target_range": [0, 1]});
            let first = world.direct_as(&id, &directive).unwrap();
            world.user(canvas_core::Command::ClearHistory);
            let again = world.direct_as(&id, &directive).unwrap();
            assert_eq!((again.replayed, again.status()), (true, first.status()));
            assert_eq!(again.version_before, first.version_before);
        }
        assert_eq!(world.text(), "ongerongerbc");
    }
}

#[test]
fn what_was_refused_for_its_document_may_be_tried_again() {
    let world = World::new("a\n");
    let directive = json!({"action": "insert", "content": "x", "target_range": [5, 5]});
    assert_eq!(code(&world.direct_as("id", &directive)), "INVALID_RANGE at /target_range");
    world.edit("long enough\n");
    assert_eq!(code(&world.direct_as("id", &directive)), "OK");
}
