//! The board's rulings that can be seen from outside.

use serde_json::{Value, json};

use crate::bridge_board::world::{World, code, moved, tile};

#[test]
fn a_batch_is_all_or_nothing_and_one_entry() {
    let mut world = World::new();
    let (a, b) = (world.tile(0, 0), world.tile(2, 0));
    let before = world.get();
    let batch = |commands: Value| json!({"commands": commands, "description": "Swap"});
    // Two change places, which no order of single moves could do.
    let swapped = world.command("batch", batch(json!([moved(&a, 2, 0), moved(&b, 0, 0)])));
    assert_eq!((world.cell(&a), world.cell(&b)), ((2, 0), (0, 0)));
    let entry = world.get()["history"]["undoStack"][2].clone();
    assert_eq!((&entry["id"], &entry["description"]), (&swapped["undoId"], &json!("Swap")));
    assert_eq!(world.action(json!({"type": "user.undo"}))["undoId"], swapped["undoId"]);
    let after = world.get();
    assert_eq!(after["workspace"], before["workspace"]);
    assert_eq!(after["history"]["undoStack"], before["history"]["undoStack"]);

    // One that fails at its third command did nothing, and what was undone can still be done again.
    let third = moved(&json!("cmp_gone"), 5, 5);
    let create = json!({"type": "component.create", "payload": tile(8, 0)});
    let failed = world.command("batch", batch(json!([create, moved(&a, 6, 6), third])));
    assert_eq!(
        (&failed["success"], &failed["undoId"], code(&failed)),
        (&json!(false), &json!(""), "COMPONENT_NOT_FOUND")
    );
    assert_eq!(failed["results"].as_array().map(Vec::len), Some(3));
    assert!(failed["error"]["place"].as_str().unwrap().starts_with("/payload/commands/2"), "{failed}");
    assert_eq!(world.get(), after);
    world.action(json!({"type": "user.redo"}));
    assert_eq!((world.cell(&a), world.cell(&b)), ((2, 0), (0, 0)));

    // What a batch makes can be named in it.
    let made = world.command(
        "batch",
        batch(json!([{"type": "component.create", "payload": tile(4, 4)}, moved(&json!("$0"), 6, 6)])),
    );
    let id = made["results"][0]["affectedComponentIds"][0].clone();
    assert_eq!(world.cell(&id), (6, 6));

    let many = vec![moved(&a, 0, 5); 10_001];
    assert_eq!(code(&world.command("batch", batch(json!(many)))), "BOARD_TOO_LARGE");
}

/// Others make room where that is asked for, pinned ones never, and all of it is one entry (rulings 6 and 7).
#[test]
fn what_makes_room_goes_back_as_well() {
    let mut world = World::new();
    let (upper, lower) = (world.tile(0, 0), world.tile(0, 1));
    let before = world.get();
    let grown = json!({"componentId": upper, "size": {"cols": 2, "rows": 2}});
    let refused = world.command("component.resize", grown);
    assert_eq!(code(&refused), "COLLISION_DETECTED");
    assert_eq!((&refused["error"]["collidingIds"], world.get()), (&json!([lower]), before.clone()));
    let corrected = refused["error"]["corrected"].clone();
    let shifted = world.command("component.resize", corrected["payload"].clone());
    let (from, to) = (json!({"col": 0, "row": 1}), json!({"col": 0, "row": 2}));
    assert_eq!(
        shifted["placement"],
        json!({
            "position": {"col": 0, "row": 0}, "reason": "shifted",
            "adjustments": [{"componentId": lower, "from": from, "to": to, "reason": "made room"}],
        })
    );
    assert_eq!(shifted["affectedComponentIds"], json!([upper, lower]));
    world.action(json!({"type": "user.undo"}));
    assert_eq!(world.get()["workspace"], before["workspace"]);
    world.action(json!({"type": "user.pin", "componentId": lower, "pinned": true}));
    let forced = world.command("component.resize", corrected["payload"].clone());
    assert_eq!(code(&forced), "COLLISION_DETECTED", "{forced}");
}

#[test]
fn pinned_ones_stay_when_the_canvas_is_cleared_or_a_view_loaded() {
    let mut world = World::new();
    let (pinned, other) = (world.tile(0, 0), world.tile(2, 0));
    world.command("view.save", json!({"name": "Both"}));
    let view = world.get()["workspace"]["views"][0]["id"].clone();
    world.action(json!({"type": "user.move", "componentId": pinned, "position": {"col": 2, "row": 3}}));
    world.action(json!({"type": "user.pin", "componentId": pinned, "pinned": true}));
    let before = world.get();

    let loaded = world.command("view.load", json!({"viewId": view}));
    assert_eq!((world.cell(&pinned), world.cell(&other)), ((2, 3), (2, 0)), "{loaded}");
    let context = world.ask(json!({"op": "board.context"}));
    assert_eq!(context["workspace"]["activeViewId"], view);
    world.action(json!({"type": "user.undo"}));
    assert_eq!(world.get()["workspace"], before["workspace"]);

    world.command("canvas.clear", json!({"preservePinned": true}));
    let ids: Vec<_> = world.components().as_array().unwrap().iter().map(|one| one["id"].clone()).collect();
    assert_eq!(ids, std::slice::from_ref(&pinned));
    // Its old place in the view is taken by nobody, the other's by the pinned one: it finds room elsewhere.
    world.action(json!({"type": "user.move", "componentId": pinned, "position": {"col": 2, "row": 0}}));
    world.command("view.load", json!({"viewId": view}));
    assert_eq!((world.cell(&pinned), world.cell(&other)), ((2, 0), (0, 0)));
    world.command("canvas.clear", json!({"preservePinned": false}));
    assert_eq!(world.components(), json!([]));

    // A view that is deleted is not active any more, and comes back with it.
    world.command("view.delete", json!({"viewId": view}));
    assert_eq!(world.ask(json!({"op": "board.context"}))["workspace"]["activeViewId"], json!(null));
    assert_eq!(code(&world.command("view.load", json!({"viewId": view}))), "VIEW_NOT_FOUND");
    world.action(json!({"type": "user.undo"}));
    assert_eq!(world.ask(json!({"op": "board.context"}))["workspace"]["activeViewId"], view);
}

/// Settings and triggers change by commands, in the same history; what is no setting is refused with its place.
#[test]
fn settings_and_triggers_go_back_as_all_else() {
    let mut world = World::new();
    world.tile(0, 0);
    world.command("view.save", json!({"name": "Morning"}));
    let view = world.get()["workspace"]["views"][0]["id"].clone();
    let before = world.get();
    world.command("settings.update", json!({"theme": "dark", "proactiveMode": "auto"}));
    let trigger =
        json!({"id": "t", "name": "Start", "enabled": true, "type": "session_start", "viewId": view});
    world.command("trigger.set", json!({"trigger": trigger}));
    world.command("view.save", json!({"name": "With it", "triggerIds": ["t"]}));
    let after = world.get();
    let workspace = &after["workspace"];
    let settings = &workspace["settings"];
    assert_eq!((&settings["theme"], &settings["proactiveMode"]), (&json!("dark"), &json!("auto")));
    assert_eq!(settings["voiceEnabled"], before["workspace"]["settings"]["voiceEnabled"]);
    assert_eq!(
        (&workspace["triggers"], &workspace["views"][1]["triggerIds"]),
        (&json!([trigger]), &json!(["t"]))
    );

    world.command("trigger.remove", json!({"triggerId": "t"}));
    let without = world.get()["workspace"].clone();
    assert_eq!((&without["triggers"], &without["views"][1]["triggerIds"]), (&json!([]), &json!([])));
    world.action(json!({"type": "user.undo"}));
    assert_eq!(world.get()["workspace"], after["workspace"]);
    for _ in 0..3 {
        world.action(json!({"type": "user.undo"}));
    }
    assert_eq!(world.get()["workspace"], before["workspace"]);

    for (payload, place) in [
        (json!({"theme": "blue"}), "settings at /theme: "),
        (json!({"theme": "dark", "proactive_mode": "off"}), "settings at /proactive_mode: "),
        (json!({"grid": {"columns": -1}}), "settings at /grid: "),
    ] {
        let command = json!({"type": "settings.update", "payload": payload});
        let reply = world.raw(json!({"op": "board.command", "source": "user", "command": command}));
        assert_eq!(code(&reply), "BAD_REQUEST", "{reply}");
        assert!(reply["error"]["message"].as_str().unwrap().contains(place), "{reply}");
    }
    assert_eq!(world.get()["workspace"], before["workspace"]);
}

/// Data are the host's: no history knows of them, and what comes back is idle.
#[test]
fn data_come_when_asked_for_and_go_with_their_component() {
    let mut world = World::new();
    let id = world.tile(0, 0);
    let status = |world: &mut World| world.components()[0]["dataState"]["status"].clone();
    assert_eq!(status(&mut world), "idle");
    world.action(json!({"type": "user.refresh", "componentId": id}));
    let ready = world.components()[0]["dataState"].clone();
    assert_eq!(ready["status"], "ready");
    let query = json!({"type": "stats", "params": {"repo": "o/r", "metric": "stars"}});
    let data = world.ask(json!({"op": "board.data", "source": "mock-github", "query": query}));
    assert_eq!(ready["data"], data["data"]);
    world.action(json!({"type": "user.dismiss", "componentId": id}));
    world.action(json!({"type": "user.undo"}));
    assert_eq!(status(&mut world), "idle");
    // Another query takes the data away, and a source that fails says why.
    world.action(json!({"type": "user.refresh", "componentId": id}));
    let broken = json!({"componentId": id, "config": {"repo": "mock-error/not-found"}});
    world.command("component.update", broken);
    assert_eq!(status(&mut world), "idle");
    world.action(json!({"type": "user.refresh", "componentId": id}));
    assert_eq!(world.components()[0]["dataState"]["error"]["code"], "NOT_FOUND");
    let context = world.ask(json!({"op": "board.context"}));
    assert!(context["components"][0]["highlights"].to_string().contains("NOT_FOUND"), "{context}");
    // Where nothing is bound, nothing is fetched.
    world.command("component.update", json!({"componentId": id, "dataBinding": null}));
    let refreshed = world.action(json!({"type": "user.refresh", "componentId": id}));
    assert_eq!((&refreshed["success"], status(&mut world)), (&json!(true), json!("idle")));
}

#[test]
fn a_place_is_where_the_component_would_go() {
    let mut world = World::new();
    let near = world.tile(6, 4);
    for hints in [
        json!({}),
        json!({"region": "right"}),
        json!({"region": "bottom"}),
        json!({"preferredPosition": {"col": 5, "row": 5}}),
        json!({"nearComponentId": near}),
    ] {
        let size = json!({"cols": 3, "rows": 2});
        let before = world.get();
        let placed = world.ask(json!({"op": "board.place", "size": size, "hints": hints}));
        assert_eq!(world.get(), before, "a question changes nothing");
        let mut payload =
            json!({"typeId": "github.pr-list", "config": {"repo": "o/r"}, "size": size, "hints": hints});
        assert_eq!(world.command("component.create", payload.clone())["placement"], placed, "{hints}");
        payload["position"] = placed["position"].clone();
        assert_eq!(code(&world.command("component.create", payload)), "COLLISION_DETECTED");
    }
}

/// A model is stopped by the user; the host, in whose name ever, is not.
#[test]
fn an_ended_turn_ends_what_a_model_does() {
    let mut world = World::new();
    world.ask(json!({"op": "user.cancel"}));
    let request = |source: &str, col| {
        let command = json!({"type": "component.create", "payload": tile(col, 0)});
        json!({"op": "board.command", "source": source, "command": command})
    };
    let call = json!({
        "op": "tool.call", "session": "main", "call_id": "late", "name": "create_component",
        "arguments": {"type_id": "github.stat-tile", "config": {"repo": "o/r", "metric": "stars"}},
    });
    assert_eq!(world.ask(call)["error"]["code"], "LOCK_NOT_AVAILABLE");
    assert_eq!(code(&world.raw(request("user", 0))), "OK");
    world.ask(json!({"op": "user.message"}));
    assert_eq!(code(&world.raw(request("assistant", 4))), "OK");
    let made_by = |at: usize, all: &Value| all[at]["meta"]["createdBy"].clone();
    let all = world.components();
    assert_eq!((made_by(0, &all), made_by(1, &all)), (json!("user"), json!("assistant")));
}
