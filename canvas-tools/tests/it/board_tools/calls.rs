//! What each tool does, and what it answers.

use canvas_core::board::ComponentId;
use canvas_core::lease::Timestamp;
use canvas_tools::{ToolCall, Tools};
use serde_json::json;

use super::world::{World, failure};

#[test]
fn a_component_is_made_changed_and_removed() {
    let mut world = World::new();
    let made = world.host(
        "create_component",
        json!({"type_id": "github.pr-list", "config": {"repo": "o/r"}, "position": null}),
    );
    let id = made.body()["component_id"].as_str().unwrap().to_owned();
    assert_eq!(made.board().fetch.iter().map(ComponentId::as_str).collect::<Vec<_>>(), [id.as_str()]);
    assert_eq!(made.board().events.len(), 1);
    let body = made.body();
    assert_eq!(body["placement"], json!({"position": {"col": 0, "row": 0}, "reason": "auto_placed"}));
    assert_eq!((&body["affected_component_ids"], &body["needs_data"]), (&json!([id]), &json!([id])));
    assert!(body["undo_id"].as_str().unwrap().starts_with("undo_"), "{body}");
    assert_eq!(body["revision_id"], world.revision());

    let merged = world.tool("modify_component", json!({"component_id": id, "config_updates": {"limit": 3}}));
    assert_eq!(failure(&merged), "OK");
    let config = &world.board().canvas.components[0].config;
    assert_eq!(json!(config), json!({"repo": "o/r", "state": "open", "limit": 3}));
    // The same again changes nothing, so there is nothing to take back.
    let same = world.tool("modify_component", json!({"component_id": id, "config_updates": {"limit": 3}}));
    assert_eq!((same.is_ok(), same.body().get("undo_id")), (true, None));
    assert_eq!(same.revision_id(), merged.revision_id());
    assert_eq!(failure(&world.tool("modify_component", json!({"component_id": id}))), "OK");

    let removed = world.tool("remove_component", json!({"component_id": id}));
    assert_eq!(removed.body()["affected_component_ids"], json!([id]));
    assert!(world.board().canvas.components.is_empty());
}

#[test]
fn arrangements_are_judged_by_their_result() {
    let world = World::new();
    let (one, two) = (world.tile(0, 0, 2, 2), world.tile(4, 0, 2, 2));
    let swapped = world.tool(
        "arrange_canvas",
        json!({"operations": [
            {"component_id": one, "position": {"col": 4, "row": 0}},
            {"component_id": two, "position": {"col": 0, "row": 0}, "size": {"cols": 3, "rows": 1}},
        ]}),
    );
    assert_eq!(failure(&swapped), "OK", "{}", swapped.body());
    assert_eq!((world.place(&one), world.place(&two)), ("(4, 0) 2x2".into(), "(0, 0) 3x1".into()));
    assert_eq!(swapped.body()["affected_component_ids"], json!([one, two]));
    assert_eq!(
        swapped.body()["placements"],
        json!([
            {"component_id": one, "position": {"col": 4, "row": 0}, "reason": "requested"},
            {"component_id": two, "position": {"col": 0, "row": 0}, "reason": "requested"},
        ])
    );
    // It is one change.
    assert_eq!(failure(&world.tool("undo", json!({}))), "OK");
    assert_eq!((world.place(&one), world.place(&two)), ("(0, 0) 2x2".into(), "(4, 0) 2x2".into()));

    for operations in [json!([]), json!([{"component_id": one, "position": {"col": 0, "row": 0}}])] {
        let revision = world.revision();
        let nothing = world.tool("arrange_canvas", json!({"operations": operations}));
        assert_eq!((failure(&nothing), world.revision()), ("OK".into(), revision));
        assert_eq!(nothing.body().get("undo_id"), None, "{}", nothing.body());
    }
}

#[test]
fn views_are_saved_and_loaded_by_the_ids_of_replies() {
    let mut world = World::new();
    let one = world.tile(0, 0, 2, 2);
    let saved = world.tool("save_view", json!({"name": "Morning", "description": "for standup"}));
    let view = saved.body()["view_id"].as_str().unwrap().to_owned();
    assert_eq!(world.board().views[0].description.as_deref(), Some("for standup"));
    assert!(world.tool("remove_component", json!({"component_id": one})).is_ok());
    let loaded = world.host("load_view", json!({"view_id": view}));
    assert_eq!(loaded.body()["affected_component_ids"], json!([one]));
    assert_eq!(loaded.board().fetch.len(), 1);
    assert_eq!(world.place(&one), "(0, 0) 2x2");

    world.toolset.delete_view = true;
    assert_eq!(failure(&world.host("delete_view", json!({"view_id": view}))), "OK");
    assert!(world.board().views.is_empty());
}

#[test]
fn a_refresh_is_the_hosts_to_do_and_no_change() {
    let mut world = World::new();
    let id = world.tile(0, 0, 2, 2);
    let revision = world.revision();
    let refreshed = world.host("refresh_component", json!({"component_id": id}));
    assert_eq!(refreshed.body()["needs_data"], json!([id]));
    assert_eq!(refreshed.board().fetch.iter().map(ComponentId::as_str).collect::<Vec<_>>(), [id.as_str()]);
    assert_eq!((world.revision(), refreshed.board().events.len()), (revision, 0));
    assert_eq!(failure(&world.tool("undo", json!({}))), "OK");
    assert!(world.board().canvas.components.is_empty(), "the refresh was no step of the history");

    let id = world.tile(0, 0, 2, 2);
    let update = json!({"type": "component.update", "payload": {"componentId": id, "dataBinding": null}});
    world.by_user(update);
    let refreshed = world.host("refresh_component", json!({"component_id": id}));
    assert_eq!((refreshed.is_ok(), refreshed.board().fetch.len()), (true, 0));
    assert_eq!(refreshed.body().get("needs_data"), None);
}

#[test]
fn tools_beyond_the_nine_do_what_they_say() {
    let mut world = World::new();
    let (one, two) = (world.tile(0, 0, 2, 2), world.tile(4, 0, 2, 2));
    for name in ["clear_canvas", "label_component", "delete_view", "plan_canvas", "commit_plan"] {
        assert_eq!(failure(&world.host(name, json!({}))), "UNKNOWN_TOOL");
    }
    (world.toolset.clear_canvas, world.toolset.label_component) = (true, true);
    let label = json!({"component_id": one, "label": "Mine", "pinned": true});
    assert_eq!(failure(&world.host("label_component", label)), "OK");
    assert_eq!(world.board().canvas.components[0].meta.label.as_deref(), Some("Mine"));
    let cleared = world.host("clear_canvas", json!({}));
    assert_eq!(cleared.body()["affected_component_ids"], json!([two]));
    let label = json!({"component_id": one, "label": ""});
    assert_eq!(failure(&world.host("label_component", label)), "OK");
    let meta = world.board().canvas.components[0].meta.clone();
    assert_eq!((meta.label, meta.pinned), (None, true));
    assert_eq!(failure(&world.host("clear_canvas", json!({"preserve_pinned": false}))), "OK");
    assert!(world.board().canvas.components.is_empty());
}

#[test]
fn aliases_replace_component_ids() {
    let mut world = World::new();
    let (one, two) = (world.tile(0, 0, 2, 2), world.tile(4, 0, 2, 2));
    world.session.board.aliases = [&one, &two].map(|id| ComponentId::new(id).unwrap()).to_vec().into();
    let arrange = |id: &str, col: u32| json!({"operations": [{"component_id": id, "position": {"col": col, "row": 4}}]});
    assert_eq!(failure(&world.host("arrange_canvas", arrange("c1", 0))), "OK");
    assert_eq!(failure(&world.host("arrange_canvas", arrange(&two, 4))), "OK");
    assert_eq!((world.place(&one), world.place(&two)), ("(0, 4) 2x2".into(), "(4, 4) 2x2".into()));
    // What the model knows by short names alone is looked up by these.
    let refused = world.host("arrange_canvas", arrange("c1", 5));
    let error = &refused.body()["error"];
    assert_eq!((&error["component_id"], &error["colliding_ids"]), (&json!("c1"), &json!(["c2"])));
    assert!(error["message"].as_str().unwrap().starts_with("c2 "), "{error}");
    assert_eq!(failure(&world.corrected(&refused)), "OK");
    let unknown = world.host("refresh_component", json!({"component_id": "c3"}));
    assert_eq!(failure(&unknown), "COMPONENT_NOT_FOUND at \"/component_id\"");
    for name in ["refresh_component", "modify_component", "remove_component"] {
        let reply = world.host(name, json!({"component_id": "c2"}));
        assert_eq!(failure(&reply), "OK", "{name}");
    }
    assert_eq!(
        failure(&world.tool("remove_component", json!({"component_id": "c1"}))),
        "COMPONENT_NOT_FOUND at \"/component_id\""
    );
}

#[test]
fn a_call_may_wait_on_any_thread() {
    fn goes_anywhere<T: Send>(_: &T) {}
    let mut world = World::new();
    let tools = Tools::new(world.toolset).unwrap();
    let call = ToolCall { id: "1".into(), name: "undo".into(), arguments: json!({}) };
    let now = Timestamp::from_millis(1_000);
    goes_anywhere(&tools.call(&world.engine, &mut world.session, &call, now));
}
