//! Undo, redo and retries.

use canvas_core::document::Edit;
use serde_json::json;

use super::world::{World, failure};

#[test]
fn so_many_steps_as_there_are() {
    let mut world = World::new();
    let ids = [world.tile(0, 0, 1, 1), world.tile(1, 0, 1, 1), world.tile(2, 0, 1, 1)];
    let two = world.host("undo", json!({"steps": 2}));
    assert_eq!(
        (&two.body()["steps"], &two.body()["affected_component_ids"]),
        (&json!(2), &json!([ids[2], ids[1]]))
    );
    assert_eq!(two.body()["changes"].as_array().unwrap().len(), 2);
    let rest = world.host("undo", json!({"steps": 5}));
    let body = rest.body();
    assert_eq!((&body["steps"], world.board().canvas.components.len()), (&json!(1), 0));
    assert_eq!(failure(&world.tool("undo", json!({}))), "NOTHING_TO_UNDO");
    let all = world.host("redo", json!({"steps": 10}));
    assert_eq!((all.body()["steps"].clone(), all.board().fetch.len()), (json!(3), 3));
    assert_eq!(failure(&world.tool("redo", json!({"steps": 2}))), "NOTHING_TO_REDO");
    assert_eq!(world.board().canvas.components.len(), 3);
}

#[test]
fn what_the_user_did_stays_and_the_document_too() {
    let mut world = World::new();
    let id = world.tile(0, 0, 1, 1);
    world.by_user(
        json!({"type": "component.move", "payload": {"componentId": id, "position": {"col": 5, "row": 5}}}),
    );
    let refused = world.tool("undo", json!({}));
    assert_eq!(failure(&refused), "USER_ACTED");
    let changes = refused.body()["error"]["changes"].as_array().unwrap();
    assert!(changes.len() == 1 && changes[0].as_str().unwrap().contains("(5, 5)"), "{changes:?}");
    assert_eq!(failure(&world.tool("undo", json!({"steps": 9}))), "USER_ACTED");
    assert_eq!(world.place(&id), "(5, 5) 1x1");
    world.message();
    assert_eq!(failure(&world.tool("undo", json!({}))), "OK");
    world.user(Edit::replace("b\n"));
    world.message();
    let refused = world.tool("undo", json!({}));
    assert_eq!(failure(&refused), "LOCK_NOT_OWNED");
}

#[test]
fn a_retry_answers_the_same_and_does_nothing_twice() {
    let mut world = World::new();
    let id = world.tile(0, 0, 1, 1);
    let tile = json!({"type_id": "github.stat-tile", "config": {"repo": "o/r", "metric": "stars"}});
    let onto = json!({"operations": [{"component_id": id, "position": {"col": 50, "row": 0}}]});
    for (name, arguments) in [
        ("create_component", tile),
        ("arrange_canvas", onto),
        ("save_view", json!({"name": "x"})),
        ("undo", json!({"steps": 2})),
        ("redo", json!({"steps": 9})),
        ("undo", json!({"steps": 9})),
        ("undo", json!({"steps": 9})),
        ("refresh_component", json!({"component_id": "gone"})),
    ] {
        let call = world.fresh_id();
        let first = world.host_again(&call, name, arguments.clone());
        let (board, revision) = (world.board(), world.revision());
        assert_eq!(world.host_again(&call, name, arguments), first, "{name}");
        assert_eq!((world.board(), world.revision()), (board, revision), "{name}");
    }
    let call = world.fresh_id();
    assert_eq!(failure(&world.again(&call, "save_view", json!({"name": "x"}))), "OK");
    assert_eq!(failure(&world.again(&call, "save_view", json!({"name": "y"}))), "CALL_ID_REUSED");
}

#[test]
fn a_retry_of_a_refusal_offers_what_the_board_takes_now() {
    let world = World::new();
    let (one, two) = (world.tile(0, 0, 1, 1), world.tile(5, 0, 1, 1));
    let onto = json!({"operations": [{"component_id": one, "position": {"col": 5, "row": 0}}]});
    let call = world.fresh_id();
    let offered = |world: &World| {
        let refused = world.again(&call, "arrange_canvas", onto.clone());
        assert_eq!(refused.code(), Some("COLLISION_DETECTED"));
        refused.body().pointer("/error/corrected_call/arguments/operations/0/position").cloned()
    };
    assert_eq!(offered(&world), Some(json!({"col": 4, "row": 0})));
    world.tile(4, 0, 1, 1);
    assert_eq!(offered(&world), Some(json!({"col": 6, "row": 0})));
    // Under a new id the very same call would be done, so there is nothing to correct.
    assert!(world.tool("remove_component", json!({"component_id": two})).is_ok());
    assert_eq!(offered(&world), None);
    assert_eq!(failure(&world.tool("arrange_canvas", onto.clone())), "OK");
}
