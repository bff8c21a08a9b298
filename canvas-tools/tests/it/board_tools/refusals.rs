//! Why calls are refused, where in their arguments, and what would do instead.

use std::sync::Arc;

use canvas_core::Policy;
use canvas_core::board::Registry;
use canvas_core::turn::Cancel;
use serde_json::{Value, json};

use super::world::{World, failure};

/// A board of 12 columns and 8 rows: `A` at (0, 0) and `B` at (4, 0), both 2x2.
fn two() -> (World, String, String) {
    let world = World::new();
    let (one, two) = (world.tile(0, 0, 2, 2), world.tile(4, 0, 2, 2));
    (world, one, two)
}

/// What a call is refused with, and what its correction says differently.
#[track_caller]
fn check(name: &str, arguments: &str, expected: &str, corrected: Option<&str>) {
    let (mut world, one, two) = two();
    let filled = |text: &str| -> Value {
        serde_json::from_str(&text.replace("$A", &one).replace("$B", &two)).unwrap()
    };
    let (before, revision) = (world.board(), world.revision());
    let refused = world.tool(name, filled(arguments));
    assert_eq!(failure(&refused), expected, "{name} {arguments}: {}", refused.body());
    assert_eq!((world.board(), world.revision()), (before, revision));
    let offered = refused.body()["error"].get("corrected_call");
    assert_eq!(
        offered.map(|call| call["arguments"].clone()),
        corrected.map(filled),
        "{name} {arguments}: {}",
        refused.body()
    );
    if let Some(offered) = offered {
        assert_eq!(offered["name"], name);
        let done = world.corrected(&refused);
        assert_eq!(failure(&done), "OK", "{}", done.body());
    }
}

#[test]
fn refusals_of_a_creation() {
    let tile = r#""type_id": "github.stat-tile", "config": {"repo": "o/r", "metric": "stars"}"#;
    let put = |rest: &str| format!("{{{tile}, {rest}}}");
    for (rest, expected, corrected) in [
        (
            r#""position": {"col": 1, "row": 1}, "size": {"cols": 2, "rows": 2}"#,
            "COLLISION_DETECTED at \"/position\"",
            Some(r#""position": {"col": 2, "row": 1}, "size": {"cols": 2, "rows": 2}"#),
        ),
        (
            r#""position": {"col": 99, "row": 9}, "size": {"cols": 2, "rows": 2}"#,
            "INVALID_POSITION at \"/position\"",
            Some(r#""position": {"col": 10, "row": 6}, "size": {"cols": 2, "rows": 2}"#),
        ),
        (r#""position": {"col": -1, "row": 0}"#, "INVALID_POSITION at \"/position\"", None),
        (r#""position": {"col": 0.5, "row": 0}"#, "INVALID_POSITION at \"/position\"", None),
        (r#""position": {"col": 1e300, "row": 0}"#, "INVALID_POSITION at \"/position\"", None),
        (r#""size": {"cols": 0, "rows": 1}"#, "INVALID_SIZE at \"/size\"", None),
        (r#""size": {"cols": 13, "rows": 1}"#, "INVALID_SIZE at \"/size\"", None),
        (r#""position": {"col": "0", "row": 0}"#, "INVALID_ARGUMENTS at \"/position/col\"", None),
        (r#""position": {"row": 0}"#, "INVALID_ARGUMENTS at \"/position\"", None),
        (r#""near": "x""#, "INVALID_ARGUMENTS at \"/near\"", None),
    ] {
        check("create_component", &put(rest), expected, corrected.map(put).as_deref());
    }
    for (arguments, expected, corrected) in [
        (
            r#"{"type_id": "github.pr-lst", "config": {"repo": "o/r"}}"#,
            "TYPE_NOT_FOUND at \"/type_id\"",
            Some(r#"{"type_id": "github.pr-list", "config": {"repo": "o/r"}}"#),
        ),
        // Two faults: the name is mended, and then the place.
        (
            r#"{"type_id": "github.pr-lst", "config": {"repo": "o/r"}, "position": {"col": 0, "row": 0}}"#,
            "TYPE_NOT_FOUND at \"/type_id\"",
            Some(
                r#"{"type_id": "github.pr-list", "config": {"repo": "o/r"}, "position": {"col": 0, "row": 2}}"#,
            ),
        ),
        // A correction that would be refused is not offered.
        (r#"{"type_id": "github.pr-lst", "config": {}}"#, "TYPE_NOT_FOUND at \"/type_id\"", None),
        (r#"{"type_id": "weather", "config": {}}"#, "TYPE_NOT_FOUND at \"/type_id\"", None),
        (
            r#"{"type_id": "github.pr-list", "config": {"repo": 7}}"#,
            "CONFIG_VALIDATION_FAILED at \"/config/repo\"",
            None,
        ),
        (r#"{"type_id": "github.pr-list"}"#, "INVALID_ARGUMENTS at \"\"", None),
        (r#"{"type_id": "github.pr-list", "config": "{}"}"#, "INVALID_ARGUMENTS at \"/config\"", None),
        ("[]", "INVALID_ARGUMENTS at \"\"", None),
    ] {
        check("create_component", arguments, expected, corrected);
    }
}

#[test]
fn refusals_of_changes_and_arrangements() {
    for (name, arguments, expected, corrected) in [
        ("modify_component", r#"{"component_id": "gone"}"#, "COMPONENT_NOT_FOUND at \"/component_id\"", None),
        (
            "modify_component",
            r#"{"component_id": "$A", "config_updates": {"metric": "x"}}"#,
            "CONFIG_VALIDATION_FAILED at \"/config_updates/metric\"",
            None,
        ),
        ("remove_component", r#"{"component_id": "gone"}"#, "COMPONENT_NOT_FOUND at \"/component_id\"", None),
        ("remove_component", r#"{"component_id": ""}"#, "INVALID_ARGUMENTS at \"/component_id\"", None),
        (
            "refresh_component",
            r#"{"component_id": "gone"}"#,
            "COMPONENT_NOT_FOUND at \"/component_id\"",
            None,
        ),
        ("load_view", r#"{"view_id": "gone"}"#, "VIEW_NOT_FOUND at \"/view_id\"", None),
        (
            "arrange_canvas",
            r#"{"operations": [{"component_id": "$A", "position": {"col": 4, "row": 1}}]}"#,
            "COLLISION_DETECTED at \"/operations/0/position\"",
            Some(r#"{"operations": [{"component_id": "$A", "position": {"col": 4, "row": 2}}]}"#),
        ),
        // The place of the second is mended where the first will stand by then.
        (
            "arrange_canvas",
            r#"{"operations": [
                {"component_id": "$A", "position": {"col": 8, "row": 0}},
                {"component_id": "$B", "position": {"col": 20, "row": 0}}]}"#,
            "INVALID_POSITION at \"/operations/1/position\"",
            Some(
                r#"{"operations": [
                {"component_id": "$A", "position": {"col": 8, "row": 0}},
                {"component_id": "$B", "position": {"col": 10, "row": 0}}]}"#,
            ),
        ),
        // Size and place of one: it is judged by its place.
        (
            "arrange_canvas",
            r#"{"operations": [{"component_id": "$A", "position": {"col": 11, "row": 0}, "size": {"cols": 3, "rows": 1}}]}"#,
            "INVALID_POSITION at \"/operations/0/position\"",
            Some(
                r#"{"operations": [{"component_id": "$A", "position": {"col": 9, "row": 0}, "size": {"cols": 3, "rows": 1}}]}"#,
            ),
        ),
        (
            "arrange_canvas",
            r#"{"operations": [{"component_id": "$B", "size": {"cols": 9, "rows": 1}}]}"#,
            "INVALID_SIZE at \"/operations/0/size\"",
            Some(r#"{"operations": [{"component_id": "$B", "size": {"cols": 8, "rows": 1}}]}"#),
        ),
        // The tools push nothing away, so it goes where there is room.
        (
            "arrange_canvas",
            r#"{"operations": [{"component_id": "$A", "size": {"cols": 6, "rows": 2}}]}"#,
            "COLLISION_DETECTED at \"/operations/0/size\"",
            Some(
                r#"{"operations": [{"component_id": "$A", "position": {"col": 0, "row": 2}, "size": {"cols": 6, "rows": 2}}]}"#,
            ),
        ),
        (
            "arrange_canvas",
            r#"{"operations": [{"component_id": "$A", "position": {"col": 0, "row": 4}}, {"component_id": "gone", "position": {"col": 0, "row": 0}}]}"#,
            "COMPONENT_NOT_FOUND at \"/operations/1/component_id\"",
            None,
        ),
        (
            "arrange_canvas",
            r#"{"operations": [{"component_id": "$A"}]}"#,
            "INVALID_ARGUMENTS at \"/operations/0\"",
            None,
        ),
        (
            "arrange_canvas",
            r#"{"operations": [{"component_id": "$A", "position": {"col": [], "row": 0}}]}"#,
            "INVALID_ARGUMENTS at \"/operations/0/position/col\"",
            None,
        ),
        ("undo", r#"{"steps": 0}"#, "INVALID_ARGUMENTS at \"/steps\"", None),
        ("redo", r#"{"steps": 11}"#, "INVALID_ARGUMENTS at \"/steps\"", None),
        ("redo", r#"{}"#, "NOTHING_TO_REDO", None),
        ("save_view", r#"{}"#, "INVALID_ARGUMENTS at \"\"", None),
    ] {
        check(name, arguments, expected, corrected);
    }
}

#[test]
fn refusals_carry_what_a_model_needs() {
    let (world, one, two) = two();
    let mut onto = json!({"type_id": "github.stat-tile", "config": {"repo": "o/r", "metric": "stars"}});
    (onto["position"], onto["size"]) = (json!({"col": 1, "row": 0}), json!({"cols": 4, "rows": 1}));
    let refused = world.tool("create_component", onto);
    let error = &refused.body()["error"];
    assert_eq!(error["colliding_ids"], json!([one, two]));
    assert_eq!(error["free_positions"].as_array().unwrap().len(), 3);
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("Next: make corrected_call") && !message.contains("onCollision"), "{message}");

    let wrong = json!({"component_id": one, "config_updates": {"metric": 1, "repo": 2}});
    let refused = world.tool("modify_component", wrong);
    let error = &refused.body()["error"];
    let places: Vec<_> = error["errors"].as_array().unwrap().iter().map(|fault| &fault["place"]).collect();
    assert!(places.contains(&&json!("/config_updates/metric")), "{error}");
    assert!(places.contains(&&json!("/config_updates/repo")), "{error}");
    assert_eq!(error["component_id"], json!(one));

    let nearly = format!("{}x", &one[..one.len() - 1]);
    for name in ["remove_component", "refresh_component"] {
        let refused = world.tool(name, json!({"component_id": nearly}));
        assert_eq!(refused.body()["error"]["candidates"][0], json!(one), "{}", refused.body());
    }
}

#[test]
fn a_canvas_without_a_board_and_a_turn_that_is_over() {
    let world = World::with(None, Policy::default(), Arc::new(Registry::built_in()));
    for (name, arguments) in [
        ("create_component", json!({"type_id": "github.pr-list", "config": {"repo": "a/b"}})),
        ("refresh_component", json!({"component_id": "x"})),
        ("arrange_canvas", json!({"operations": []})),
    ] {
        let refused = world.tool(name, arguments);
        assert_eq!(failure(&refused), "BOARD_NOT_FOUND");
        let message = refused.body()["error"]["message"].as_str().unwrap();
        assert!(message.contains("Next: stop"), "{message}");
    }
    let mut world = World::new();
    let id = world.tile(0, 0, 1, 1);
    world.user(Cancel);
    for (name, arguments) in [
        ("remove_component", json!({"component_id": id})),
        ("refresh_component", json!({"component_id": id})),
        ("undo", json!({})),
    ] {
        assert_eq!(failure(&world.tool(name, arguments)), "LOCK_NOT_AVAILABLE", "{name}");
    }
    world.message();
    assert_eq!(failure(&world.tool("refresh_component", json!({"component_id": id}))), "OK");
}

#[test]
fn arguments_of_any_size_are_answered() {
    let world = World::new();
    let many: Vec<_> =
        (0..1_001).map(|_| json!({"component_id": "x", "size": {"cols": 1, "rows": 1}})).collect();
    assert_eq!(
        failure(&world.tool("arrange_canvas", json!({"operations": many}))),
        "INVALID_ARGUMENTS at \"/operations\""
    );
    let long = "x".repeat(10 << 20);
    let mut deep = json!(1);
    for _ in 0..100 {
        deep = json!([deep]);
    }
    for (name, arguments, expected) in [
        (long.as_str(), json!({}), "UNKNOWN_TOOL"),
        ("remove_component", json!({"component_id": long}), "INVALID_ARGUMENTS at \"/component_id\""),
        (
            "create_component",
            json!({"type_id": "github.pr-list", "config": {"repo": long}}),
            "CONFIG_VALIDATION_FAILED at \"/config\"",
        ),
        (
            "create_component",
            json!({"type_id": "github.pr-list", "config": {"repo": deep}}),
            "CONFIG_VALIDATION_FAILED at \"/config\"",
        ),
    ] {
        let reply = world.tool(name, arguments);
        assert_eq!(failure(&reply), expected);
        assert!(reply.body().to_string().len() < 2_000, "{name:.80}");
    }
}
