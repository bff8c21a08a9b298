//! Plans: tried, shown, committed.

use canvas_core::document::Edit;
use canvas_core::lease::Timestamp;
use canvas_core::testing::block_on;
use canvas_core::{CallId, CanvasId};
use canvas_tools::{BoardTools, Plans};
use serde_json::{Value, json};

use super::world::{World, failure, workspace};

fn planner() -> World {
    let mut world = World::of(workspace(6, 3));
    world.toolset = BoardTools { plans: true, ..BoardTools::default() };
    world
}

fn tile(col: u32) -> Value {
    let arguments = json!({
        "type_id": "github.stat-tile", "config": {"repo": "o/r", "metric": "stars"},
        "position": {"col": col, "row": 0}, "size": {"cols": 2, "rows": 1},
    });
    json!({"name": "create_component", "arguments": arguments})
}

fn moved(id: &str, col: u32, row: u32) -> Value {
    let operations = json!([{"component_id": id, "position": {"col": col, "row": row}}]);
    json!({"name": "arrange_canvas", "arguments": {"operations": operations}})
}

#[test]
fn a_plan_is_shown_and_then_done_as_one_change() {
    let mut world = planner();
    let old = world.tile(0, 0, 2, 2);
    let (before, revision) = (world.board(), world.revision());
    let planned =
        world.host("plan_canvas", json!({"commands": [tile(3), moved("$0", 4, 2), moved(&old, 1, 0)]}));
    let body = planned.body();
    assert_eq!((world.board(), world.revision()), (before, revision), "nothing is done yet");
    assert_eq!(body["map"], ".AA...\n.AA...\n....BB");
    assert_eq!(
        body["legend"],
        json!([
            {"mark": "A", "component_id": old, "type_id": "github.stat-tile"},
            {"mark": "B", "component_id": "$0", "type_id": "github.stat-tile"},
        ])
    );
    let commands: Vec<_> =
        body["results"].as_array().unwrap().iter().map(|one| one["command"].clone()).collect();
    assert_eq!(commands, [0, 1, 2]);
    assert_eq!(body["results"][1]["affected_component_ids"], json!(["$0"]));
    // The same plan on the same board has the same id.
    let again =
        world.host("plan_canvas", json!({"commands": [tile(3), moved("$0", 4, 2), moved(&old, 1, 0)]}));
    assert_eq!(&again, &planned);

    let call = world.fresh_id();
    let commit = json!({"plan_id": body["plan_id"]});
    let done = world.host_again(&call, "commit_plan", commit.clone());
    assert_eq!(failure(&done), "OK", "{}", done.body());
    assert_eq!(done.board().fetch.len(), 1);
    let made = done.board().fetch[0].as_str().to_owned();
    assert_eq!((world.place(&old), world.place(&made)), ("(1, 0) 2x2".into(), "(4, 2) 2x1".into()));
    assert_eq!(world.host_again(&call, "commit_plan", commit.clone()), done, "a retry finds the plan");
    // Another commit of it is for a board that is no more.
    let refused = world.host("commit_plan", commit);
    assert_eq!(failure(&refused), "REVISION_CONFLICT");
    assert!(refused.body()["error"]["message"].as_str().unwrap().ends_with("Next: call plan_canvas again."));
    assert_eq!(failure(&world.tool("undo", json!({}))), "OK");
    assert_eq!(world.place(&old), "(0, 0) 2x2");
}

#[test]
fn plans_are_refused_as_their_calls_would_be() {
    let mut world = planner();
    let old = world.tile(0, 0, 2, 2);
    for (commands, expected) in [
        (json!([tile(0)]), "COLLISION_DETECTED at \"/commands/0/arguments/position\""),
        (
            json!([tile(2), moved(&old, 9, 0)]),
            "INVALID_POSITION at \"/commands/1/arguments/operations/0/position\"",
        ),
        (json!([tile(2), tile(9)]), "INVALID_POSITION at \"/commands/1/arguments/position\""),
        (
            json!([moved("$0", 0, 0)]),
            "COMPONENT_NOT_FOUND at \"/commands/0/arguments/operations/0/component_id\"",
        ),
        (json!([tile(2), {"name": "undo", "arguments": {}}]), "UNKNOWN_TOOL at \"/commands/1/name\""),
        (json!([{"name": "delete_view", "arguments": {}}]), "UNKNOWN_TOOL at \"/commands/0/name\""),
        (
            json!([{"name": "remove_component", "arguments": {}}]),
            "INVALID_ARGUMENTS at \"/commands/0/arguments\"",
        ),
        (
            json!([{"name": "remove_component", "arguments": {"component_id": 1}}]),
            "INVALID_ARGUMENTS at \"/commands/0/arguments/component_id\"",
        ),
    ] {
        let refused = world.host("plan_canvas", json!({"commands": commands}));
        assert_eq!(failure(&refused), expected, "{}", refused.body());
        if refused.body()["error"].get("corrected_call").is_some() {
            let planned = world.corrected(&refused);
            assert_eq!(failure(&planned), "OK", "{}", planned.body());
        } else {
            assert!(!expected.starts_with("COLL") && !expected.contains("POSITION"), "{}", refused.body());
        }
    }
    assert_eq!(
        failure(&world.host("commit_plan", json!({"plan_id": "plan_x"}))),
        "PLAN_NOT_FOUND at \"/plan_id\""
    );
}

#[test]
fn the_last_plans_are_kept() {
    let mut world = planner();
    let plan = |world: &mut World, col| {
        let planned = world
            .host("plan_canvas", json!({"commands": [tile(col % 5), moved("$0", col / 2 % 5, 1 + col % 2)]}));
        planned.body()["plan_id"].as_str().unwrap().to_owned()
    };
    let ids: Vec<_> = (0..=Plans::KEPT as u32).map(|col| plan(&mut world, col)).collect();
    assert_eq!(
        failure(&world.host("commit_plan", json!({"plan_id": ids[0]}))),
        "PLAN_NOT_FOUND at \"/plan_id\""
    );
    assert_eq!(failure(&world.host("commit_plan", json!({"plan_id": ids[1]}))), "OK");
}

#[test]
fn maps_are_bounded_and_show_what_is_covered_twice() {
    let mut world = World::of(workspace(3, 60));
    world.toolset.plans = true;
    let grid = |rows: u32| {
        json!({"type": "component.create", "payload": {
        "typeId": "github.stat-tile", "config": {"repo": "o/r", "metric": "stars"}, "size": {"cols": 3, "rows": rows}}})
    };
    world.by_user(grid(60));
    // There is no room left, so it covers the first.
    world.by_user(grid(1));
    let planned = world.host("plan_canvas", json!({"commands": []}));
    let map = planned.body()["map"].as_str().unwrap();
    assert_eq!((map.lines().count(), planned.body()["rows_left_out"].clone()), (48, json!(12)));
    assert!(map.starts_with("***\nAAA\n"), "{map}");
}

#[test]
fn a_plan_is_of_its_board_and_canvas_alone() {
    let mut world = planner();
    let planned = world.host("plan_canvas", json!({"commands": [tile(0)]}));
    let commit = json!({"plan_id": planned.body()["plan_id"]});
    // The document is not what it was tried on.
    world.user(Edit::overwrite("b\n"));
    world.message();
    let mut elsewhere = planner();
    elsewhere.session.board.plans = world.session.board.plans.clone();
    assert_eq!(failure(&world.host("commit_plan", commit.clone())), "OK");
    elsewhere.session.canvas = CanvasId::new("other").unwrap();
    let key = elsewhere.session.operation(CallId::new("create").unwrap());
    block_on(elsewhere.engine.create(&elsewhere.session.canvas, "", &key, Timestamp::from_millis(1)))
        .unwrap();
    assert_eq!(failure(&elsewhere.host("commit_plan", commit)), "PLAN_NOT_FOUND at \"/plan_id\"");
}
