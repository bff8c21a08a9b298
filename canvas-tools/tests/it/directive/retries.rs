//! The same call twice is one edit.

use crate::policy_with;
use canvas_core::CallId;
use canvas_core::history::ClearHistory;
use canvas_core::lease::{CheckIn, CheckOut};
use canvas_core::testing::block_on;
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
    let policy = policy_with(|policy| policy.history.changes = 0);
    let (none, cleared) = (World::with("abc", policy), World::new("abc"));
    for world in [none, cleared] {
        for content in ["longer", "longer", ""] {
            let id = world.fresh_id();
            let directive = json!({"action": "replace", "content": content, "target_range": [0, 1]});
            let first = world.direct_as(&id, &directive).unwrap();
            world.user(ClearHistory);
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

/// The call id is looked at before the directive is.
#[test]
fn a_reused_call_id_is_refused_whatever_the_directive() {
    let world = World::new("abc");
    let (old, insert) =
        (world.version(), json!({"action": "insert", "content": "x", "target_range": [0, 0]}));
    world.direct_as("used", &insert).unwrap();
    let operation = world.session.operation(CallId::new("abandoned").unwrap());
    block_on(world.engine.resolve(&world.session.canvas, &operation, world.now())).unwrap();
    for (id, expected) in [("used", "CALL_ID_REUSED"), ("abandoned", "CALL_ABANDONED")] {
        for directive in [
            json!({"action": "replace", "content": "y", "target_range": [0, 1]}),
            json!({"action": "replace", "content": "y", "target_range": [0, 99]}),
            json!({"action": "replace", "content": "y", "target_range": [0, 1], "version": old}),
            json!({"action": "patch", "diff": "@@\n-nowhere\n+y\n", "version": world.version()}),
            json!({"action": "annotate", "content": "y", "target_range": [0, 0]}),
        ] {
            assert_eq!(code(&world.direct_as(id, &directive)), expected, "{directive}");
        }
    }
}

/// A refusal is an answer too.
#[test]
fn a_retry_of_what_the_canvas_refused_is_refused_again() {
    let world = World::new("abc");
    let lease = world.model(CheckOut).lease;
    let directive = json!({"action": "insert", "content": "x", "target_range": [3, 3]});
    assert_eq!(code(&world.direct_as("id", &directive)), "LOCK_NOT_AVAILABLE/HELD");
    world.model(CheckIn { lease: Some(lease) });
    assert_eq!(code(&world.direct_as("id", &directive)), "LOCK_NOT_AVAILABLE/HELD");
    // Also where the directive no longer fits.
    world.edit("");
    assert_eq!(code(&world.direct_as("id", &directive)), "LOCK_NOT_AVAILABLE/HELD");
    assert_eq!(code(&world.direct(&directive)), "INVALID_RANGE at /target_range");
}
