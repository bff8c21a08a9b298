//! What a board that no context shows tells of itself.

use serde_json::{Value, json};

use super::world::{World, failure, workspace};

fn lines(reply: &Value) -> Vec<&str> {
    reply["components"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect()
}

#[test]
fn components_and_views_are_shown() {
    let mut world = World::new();
    world.toolset.show_canvas = true;
    world.toolset.label_component = true;
    let id = world.tile(0, 0, 2, 1);
    let other = world.tile(4, 0, 2, 2);
    let label = json!({"component_id": other, "label": "Stars of it", "pinned": true});
    assert!(world.host("label_component", label).is_ok());
    let view = world.host("save_view", json!({"name": "Morning"})).body()["view_id"].clone();
    let shown = world.host("show_canvas", json!({}));
    let config = r#"{"metric":"stars","repo":"o/r"}"#;
    let expected = json!({
        "ok": true,
        "revision_id": world.revision(),
        "explanation": "2 components on 12 columns and 8 rows.",
        "components": [
            format!("{id} github.stat-tile at (0, 0), 2x1: {config}"),
            format!("{other} github.stat-tile \"Stars of it\" at (4, 0), 2x2, pinned: {config}"),
        ],
        "views": [format!("{} Morning", view.as_str().unwrap())],
    });
    assert_eq!(*shown.body(), expected);
    let rest = world.host("show_canvas", json!({"after": id}));
    assert_eq!(lines(rest.body()).len(), 1);
    let gone = world.host("show_canvas", json!({"after": "gone"}));
    assert_eq!(failure(&gone), "COMPONENT_NOT_FOUND at \"/after\"");
    let gone = world.host("remove_component", json!({"component_id": "gone"}));
    assert!(gone.body()["error"]["message"].as_str().unwrap().contains("Next: call show_canvas"));
    // It is off unless a host switches it on.
    assert_eq!(failure(&world.tool("show_canvas", json!({}))), "UNKNOWN_TOOL");
}

#[test]
fn a_large_board_is_shown_in_parts() {
    let mut world = World::of(workspace(60, 60));
    world.toolset.show_canvas = true;
    let ids: Vec<String> = (0..300).map(|at| world.tile(at % 60, at / 60, 1, 1)).collect();
    let (mut seen, mut after) = (Vec::new(), json!(null));
    loop {
        let reply = world.host("show_canvas", json!({"after": after}));
        assert!(reply.body().to_string().len() < 12 << 10);
        seen.extend(lines(reply.body()).iter().map(|line| line.split(' ').next().unwrap().to_owned()));
        match reply.body().get("next_after") {
            Some(next) => after = next.clone(),
            None => break,
        }
    }
    assert_eq!(seen, ids);
}

#[test]
fn who_names_a_component_otherwise_is_told_which_are_meant() {
    let mut world = World::new();
    world.toolset.label_component = true;
    let (one, two) = (world.tile(0, 0, 1, 1), world.tile(1, 0, 1, 1));
    assert!(world.host("label_component", json!({"component_id": two, "label": "Stars"})).is_ok());
    for (name, expected) in [
        ("github.stat-tile", json!([one, two])),
        ("stat-tile", json!([one, two])),
        ("Stat tile", json!([one, two])),
        ("stars", json!([two])),
    ] {
        for tool in ["remove_component", "refresh_component"] {
            let refused = world.tool(tool, json!({"component_id": name}));
            assert_eq!(refused.body()["error"]["candidates"], expected, "{name}");
            let message = refused.body()["error"]["message"].as_str().unwrap();
            assert!(message.contains("candidates"), "{message}");
        }
    }
}

/// Commands of users and hosts follow the board's own rules all the same.
#[test]
fn a_full_board_is_left_alone_where_the_host_wants_it() {
    let create = json!({
        "type_id": "github.stat-tile", "config": {"repo": "o/r", "metric": "stars"}, "size": {"cols": 4, "rows": 2},
    });
    let mut world = World::new();
    world.tile(0, 0, 12, 7);
    world.toolset.refuse_overlap = true;
    let refused = world.host("create_component", create.clone());
    assert_eq!(failure(&refused), "COLLISION_DETECTED at \"/size\"");
    assert_eq!(world.board().canvas.components.len(), 1);
    let planned = json!({"commands": [{"name": "create_component", "arguments": create}]});
    world.toolset.plans = true;
    assert_eq!(
        failure(&world.host("plan_canvas", planned)),
        "COLLISION_DETECTED at \"/commands/0/arguments/size\""
    );
    let fits = world.host(
        "create_component",
        json!({"type_id": "github.stat-tile", "config": {"repo": "o/r", "metric": "stars"}}),
    );
    assert_eq!(fits.body()["placement"]["reason"], "auto_placed");
    world.by_user(json!({"type": "component.create", "payload": {
        "typeId": "github.stat-tile", "config": {"repo": "o/r", "metric": "stars"}, "size": {"cols": 4, "rows": 2},
    }}));
    world.toolset.refuse_overlap = false;
    let covers = world.host("create_component", create);
    assert_eq!(covers.body()["placement"]["reason"], "best_effort");
}

#[test]
fn a_wrong_choice_is_told_all_that_there_are() {
    let world = World::new();
    let config = json!({"repo": "o/r", "metric": "prs", "sort": "x"});
    let refused = world.tool("create_component", json!({"type_id": "github.stat-tile", "config": config}));
    let error = &refused.body()["error"];
    let choices = ["open_prs", "open_issues", "stars", "forks", "contributors"];
    let said = error["errors"][0]["message"].as_str().unwrap();
    assert!(choices.iter().all(|choice| said.contains(&format!("\"{choice}\""))), "{said}");
    assert!(error["errors"][1]["message"].as_str().unwrap().ends_with("metric, repo"), "{error}");
    let refused = world.tool("create_component", json!({"type_id": "github.pr-list", "config": {}}));
    let message = refused.body()["error"]["message"].as_str().unwrap();
    assert!(message.contains("(\"repo\" "), "{message}");
}
