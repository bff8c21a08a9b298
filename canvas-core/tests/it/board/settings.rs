//! Settings and triggers: set, removed, taken back.

use canvas_core::Role;
use canvas_core::board::{
    BoardPatch, CanvasCommand, GridConfig, GridPolicy, ProactiveTrigger, RefusalCause, SettingsUpdate,
    TriggerId, Workspace,
};
use serde_json::{Value, json};

use super::world::{World, code, empty, kinds};

pub(crate) fn settings(payload: Value) -> Value {
    json!({"type": "settings.update", "payload": payload})
}

pub(crate) fn set(id: &str, fields: Value) -> Value {
    let mut trigger = json!({"id": id, "name": "New", "enabled": true, "type": "session_start"});
    trigger.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    json!({"type": "trigger.set", "payload": {"trigger": trigger}})
}

pub(crate) fn remove(id: &str) -> Value {
    json!({"type": "trigger.remove", "payload": {"triggerId": id}})
}

pub(crate) fn delete(view: &str) -> Value {
    json!({"type": "view.delete", "payload": {"viewId": view}})
}

fn batch(commands: &[Value]) -> Value {
    json!({"type": "batch", "payload": {"commands": commands, "description": ""}})
}

fn grid(columns: i64, gap: f64) -> Value {
    json!({"columns": columns, "rows": 8, "gap": gap, "cellWidth": 80.0, "cellHeight": 60.0})
}

/// `trigger_1`, `trigger_2` for `view_1`, and views that list them: `view_1` both, `view_2` the first.
pub(crate) fn world() -> World {
    let mut workspace = json!(empty(12, 8));
    let snapshot = json!({"grid": workspace["canvas"]["grid"], "components": []});
    let view = |id: &str, triggers: Value| json!({"id": id, "name": id, "snapshot": snapshot, "triggerIds": triggers, "createdAt": 1});
    workspace["views"] =
        json!([view("view_1", json!(["trigger_1", "trigger_2"])), view("view_2", json!(["trigger_1"]))]);
    workspace["triggers"][1]["viewId"] = "view_1".into();
    World::of(serde_json::from_value(workspace).unwrap(), GridPolicy::BestEffort)
}

/// The workspace as JSON, without the time of the last change.
pub(crate) fn plain(workspace: &Workspace) -> Value {
    let mut json = json!(workspace);
    json.as_object_mut().unwrap().remove("updatedAt");
    json
}

/// Each command, what it changes of the workspace by JSON Pointer, and what it tells. What it does goes back and comes again.
#[test]
fn each_command_changes_what_it_names() {
    let trigger = |fields: Value| set("x", fields)["payload"]["trigger"].clone();
    let named = |id: &str, name: &str| {
        let mut trigger = trigger(json!({"name": name}));
        trigger["id"] = id.into();
        trigger
    };
    type Row = (Value, Vec<(&'static str, Value)>, Vec<&'static str>);
    let table: Vec<Row> = vec![
        (
            settings(json!({"theme": "dark", "voiceEnabled": true})),
            vec![("/settings/theme", json!("dark")), ("/settings/voiceEnabled", json!(true))],
            vec!["settings.updated"],
        ),
        (
            settings(json!({"defaultRefreshInterval": (1_u64 << 53) - 1, "proactiveMode": "off"})),
            vec![
                ("/settings/defaultRefreshInterval", json!((1_u64 << 53) - 1)),
                ("/settings/proactiveMode", json!("off")),
            ],
            vec!["settings.updated"],
        ),
        // The canvas keeps its own.
        (
            settings(json!({"grid": grid(6, 0.0)})),
            vec![("/settings/grid", grid(6, 0.0))],
            vec!["settings.updated"],
        ),
        (settings(json!({})), vec![], vec![]),
        (settings(json!({"theme": "system", "grid": grid(12, 8.0)})), vec![], vec![]),
        (
            set("x", json!({"viewId": "view_2", "message": "m", "description": "d"})),
            vec![(
                "/triggers/2",
                trigger(json!({"id": "x", "viewId": "view_2", "message": "m", "description": "d"})),
            )],
            vec!["trigger.set"],
        ),
        // Where it stands, and whole: what is left out is none.
        (
            set("trigger_1", json!({"name": "Other"})),
            vec![("/triggers/0", named("trigger_1", "Other"))],
            vec!["trigger.set"],
        ),
        (
            set(
                "trigger_2",
                json!({"name": "Monday", "type": "time_based", "simulatedTime": "monday_morning"}),
            ),
            vec![("/triggers/1/viewId", Value::Null)],
            vec!["trigger.set"],
        ),
        (set("trigger_1", json!({"name": "Start"})), vec![], vec![]),
        // One that is off may have any time.
        (
            set("x", json!({"enabled": false, "type": "time_based"})),
            vec![("/triggers/2", trigger(json!({"enabled": false, "type": "time_based"})))],
            vec!["trigger.set"],
        ),
        (
            remove("trigger_2"),
            vec![("/triggers/1", Value::Null), ("/views/0/triggerIds", json!(["trigger_1"]))],
            vec!["view.updated", "trigger.removed"],
        ),
        (
            batch(&[remove("trigger_1"), remove("trigger_2")]),
            vec![
                ("/triggers", json!([])),
                ("/views/0/triggerIds", json!([])),
                ("/views/1/triggerIds", json!([])),
            ],
            vec!["view.updated", "view.updated", "view.updated", "trigger.removed", "trigger.removed"],
        ),
        // What comes to the same in the end is no change.
        (batch(&[set("x", json!({})), remove("x")]), vec![], vec![]),
        (batch(&[settings(json!({"theme": "dark"})), settings(json!({"theme": "system"}))]), vec![], vec![]),
        (
            batch(&[set("x", json!({"viewId": "view_1"})), delete("view_1")]),
            vec![
                ("/triggers/1/viewId", Value::Null),
                ("/triggers/2", trigger(json!({}))),
                ("/views/0", json!(world().workspace().views[1])),
                ("/views/1", Value::Null),
            ],
            vec!["view.deleted", "trigger.set"],
        ),
        (
            batch(&[delete("view_1"), set("trigger_2", json!({"viewId": "view_2"}))]),
            vec![
                ("/triggers/1", trigger(json!({"id": "trigger_2", "viewId": "view_2"}))),
                ("/views/0", json!(world().workspace().views[1])),
                ("/views/1", Value::Null),
            ],
            vec!["view.deleted", "trigger.set"],
        ),
        (
            batch(&[remove("trigger_1"), set("trigger_1", json!({"name": "Start"}))]),
            vec![
                ("/triggers/0", json!(world().workspace().triggers[1])),
                ("/triggers/1", named("trigger_1", "Start")),
                ("/views/0/triggerIds", json!(["trigger_2"])),
                ("/views/1/triggerIds", json!([])),
            ],
            vec!["view.updated", "view.updated", "trigger.removed", "trigger.set"],
        ),
        // The trigger is as it was, the view is not.
        (
            batch(&[
                remove("trigger_2"),
                json!({"type": "trigger.set", "payload": {"trigger": world().workspace().triggers[1]}}),
            ]),
            vec![("/views/0/triggerIds", json!(["trigger_1"]))],
            vec!["view.updated"],
        ),
    ];
    for (command, changes, events) in table {
        let mut world = world();
        let (before, workspace) = (world.board.clone(), world.workspace());
        let executed = world.json(command.clone());
        assert_eq!(code(&executed.result), "OK", "{command}");
        assert_eq!(kinds(&executed.events), events, "{command}");
        let mut expected = plain(&workspace);
        let removed = |pointer: &str, json: &mut Value| {
            let (list, last) = pointer.rsplit_once('/').unwrap();
            match json.pointer_mut(list).unwrap() {
                Value::Array(list) => drop(list.remove(last.parse().unwrap())),
                Value::Object(object) => drop(object.remove(last)),
                other => panic!("{other}"),
            }
        };
        for (pointer, value) in &changes {
            if value.is_null() {
                removed(pointer, &mut expected);
            } else if let Some(there) = expected.pointer_mut(pointer) {
                *there = value.clone();
            } else {
                let (list, _) = pointer.rsplit_once('/').unwrap();
                expected.pointer_mut(list).unwrap().as_array_mut().unwrap().push(value.clone());
            }
        }
        assert_eq!(plain(&world.workspace()), expected, "{command}");
        assert_eq!(executed.change.is_none(), changes.is_empty(), "{command}");
        let Some(change) = executed.change else { continue };
        let after = world.board.clone();
        world.history.undo(&mut world.board).unwrap();
        assert_eq!((&world.board, json!(world.workspace())), (&before, json!(workspace)), "{command}");
        world.history.redo(&mut world.board).unwrap();
        assert_eq!(world.board, after, "{command}");
        let json = serde_json::to_string(&change.patch).unwrap();
        assert_eq!(serde_json::from_str::<BoardPatch>(&json).unwrap(), change.patch, "{command}");
    }
}

#[test]
fn refusals_have_a_code_and_a_place() {
    let long = "é".repeat(2_048);
    for (command, expected) in [
        (settings(json!({"grid": grid(0, 8.0)})), "INVALID_BOARD /payload/grid"),
        (settings(json!({"grid": grid(65, 8.0), "theme": "dark"})), "INVALID_BOARD /payload/grid"),
        (settings(json!({"grid": grid(12, -1.0)})), "INVALID_BOARD /payload/grid"),
        (settings(json!({"grid": grid(64, 0.0)})), "OK"),
        (
            settings(json!({"defaultRefreshInterval": 1_u64 << 53})),
            "INVALID_BOARD /payload/defaultRefreshInterval",
        ),
        (set("x", json!({"viewId": "view_x"})), "VIEW_NOT_FOUND /payload/trigger/viewId"),
        (set("x", json!({"viewId": "view_x", "message": long})), "VIEW_NOT_FOUND /payload/trigger/viewId"),
        (set("x", json!({"type": "time_based"})), "UNKNOWN_SIMULATED_TIME /payload/trigger/simulatedTime"),
        (
            set("trigger_2", json!({"type": "time_based", "simulatedTime": "mondays_morning"})),
            "UNKNOWN_SIMULATED_TIME /payload/trigger/simulatedTime",
        ),
        (set("x", json!({"simulatedTime": "any"})), "OK"),
        (set("x", json!({"message": long})), "BOARD_TOO_LARGE /payload/trigger"),
        (set("x", json!({"message": &long[..4_000]})), "OK"),
        (remove("trigger_x"), "TRIGGER_NOT_FOUND /payload/triggerId"),
        (
            batch(&[set("x", json!({})), remove("y")]),
            "TRIGGER_NOT_FOUND /payload/commands/1/payload/triggerId",
        ),
        (
            batch(&[remove("trigger_1"), delete("view_x")]),
            "VIEW_NOT_FOUND /payload/commands/1/payload/viewId",
        ),
    ] {
        let mut world = world();
        let before = world.board.clone();
        let executed = world.json(command.clone());
        assert_eq!(code(&executed.result), expected, "{command}");
        if expected != "OK" {
            assert_eq!((world.board, executed.events.len()), (before, 0), "{command}");
        }
    }
}

#[test]
fn refusals_offer_what_may_have_been_meant() {
    for (command, candidates) in [
        (remove("trigger_3"), vec!["trigger_1", "trigger_2"]),
        (set("x", json!({"viewId": "view_3"})), vec!["view_1", "view_2"]),
        (set("x", json!({"type": "time_based", "simulatedTime": "monday_mornin"})), vec!["monday_morning"]),
    ] {
        let mut world = world();
        let executed = world.json(command.clone());
        assert_eq!(executed.result.error().unwrap().candidates, candidates, "{command}");
    }
}

/// What no JSON can say, a caller can.
#[test]
fn a_grid_that_cannot_be_drawn_is_refused() {
    let good: GridConfig = serde_json::from_value(grid(12, 8.0)).unwrap();
    for grid in [
        GridConfig { gap: f64::NAN, ..good },
        GridConfig { cell_width: f64::INFINITY, ..good },
        GridConfig { cell_height: -0.5, ..good },
    ] {
        let update = SettingsUpdate { grid: Some(grid), ..SettingsUpdate::default() };
        let executed = world().run(&CanvasCommand::UpdateSettings(Box::new(update)), Role::User);
        assert_eq!(executed.refusal.unwrap().cause, RefusalCause::GridInvalid, "{grid:?}");
    }
}

#[test]
fn a_board_has_so_many_triggers_and_each_may_still_be_replaced() {
    let mut world = world();
    for number in 3..=256 {
        let executed = world.json(set(&format!("trigger_{number}"), json!({})));
        assert_eq!(code(&executed.result), "OK", "{number}");
    }
    let one_more = world.json(set("trigger_257", json!({})));
    assert_eq!(code(&one_more.result), "BOARD_TOO_LARGE nowhere");
    assert_eq!(code(&world.json(set("trigger_9", json!({"name": "Ninth"}))).result), "OK");
    world.json(remove("trigger_1"));
    assert_eq!(code(&world.json(set("trigger_257", json!({}))).result), "OK");
    let ids: Vec<_> = world.board.triggers().iter().map(|trigger| trigger.id.as_str()).collect();
    assert_eq!((ids[0], ids[7], ids[255], ids.len()), ("trigger_2", "trigger_9", "trigger_257", 256));
}

/// A host's workspace may have an id twice, and views that list it twice.
#[test]
fn an_id_that_comes_twice_goes_and_comes_back_as_it_was() {
    let mut workspace = json!(world().workspace());
    workspace["triggers"][1]["id"] = "trigger_1".into();
    workspace["views"][1]["triggerIds"] = json!(["trigger_1", "trigger_2", "trigger_1"]);
    let mut world = World::of(serde_json::from_value(workspace).unwrap(), GridPolicy::BestEffort);
    let before = world.board.clone();
    world.json(remove("trigger_1"));
    let after = world.workspace();
    assert_eq!((after.triggers.len(), json!(after.views[1].trigger_ids)), (0, json!(["trigger_2"])));
    world.history.undo(&mut world.board).unwrap();
    assert_eq!(world.board, before);
}

/// A view that is saved after a trigger was set may list it.
#[test]
fn a_view_lists_triggers_that_were_set() {
    let mut world = world();
    world.json(set("x", json!({})));
    world.json(json!({"type": "view.save", "payload": {"name": "v", "triggerIds": ["x"]}}));
    let view = world.workspace().views[2].clone();
    assert_eq!(view.trigger_ids, [TriggerId::new("x").unwrap()]);
    world.json(set("x", json!({"viewId": view.id})));
    let trigger: ProactiveTrigger = world.board.triggers()[2].clone();
    assert_eq!(trigger.view_id, Some(view.id));
}
