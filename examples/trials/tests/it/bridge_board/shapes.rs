//! What each operation answers, and what it refuses.

use serde_json::{Value, json};

use crate::bridge_board::world::{World, code, grid, keys, moved, tile};

fn trigger(id: &str) -> Value {
    json!({"id": id, "name": "Start", "enabled": true, "type": "session_start"})
}

#[test]
fn operations_have_their_shapes() {
    let mut world = World::new();
    let id = world.tile(0, 0);
    let one = "affectedComponentIds explanation success undoId";
    let place = "affectedComponentIds explanation placement success undoId";
    let action = |action: Value| json!({"op": "board.action", "action": action});
    let command = |command: Value| json!({"op": "board.command", "source": "user", "command": command});
    let batch = json!({"type": "batch", "payload": {"commands": [], "description": "Nothing"}});
    let query = json!({"type": "stats", "params": {"repo": "o/r", "metric": "stars"}});
    for (request, expected) in [
        (
            json!({"op": "board.create", "canvas": "d", "grid": grid(3, 3)}),
            "canvas createdAt id name settings threadId triggers updatedAt views",
        ),
        (
            json!({"op": "board.create", "canvas": "é".repeat(256), "grid": grid(64, 1_000_000)}),
            "canvas createdAt id name settings threadId triggers updatedAt views",
        ),
        (command(json!({"type": "component.create", "payload": tile(4, 4)})), place),
        (command(moved(&id, 6, 6)), place),
        (
            command(
                json!({"type": "component.update", "payload": {"componentId": id, "meta": {"label": "L"}}}),
            ),
            one,
        ),
        (command(json!({"type": "view.save", "payload": {"name": "V"}})), one),
        (command(json!({"type": "settings.update", "payload": {"theme": "dark"}})), one),
        (
            command(json!({"type": "settings.update", "payload": {"grid": grid(6, 6)}})),
            "affectedComponentIds explanation success undoId warnings",
        ),
        (command(json!({"type": "trigger.set", "payload": {"trigger": trigger("t")}})), one),
        (command(json!({"type": "trigger.remove", "payload": {"triggerId": "t"}})), one),
        (command(batch), "explanation results success undoId"),
        (action(json!({"type": "user.move", "componentId": id, "position": {"col": 1, "row": 1}})), place),
        (action(json!({"type": "user.resize", "componentId": id, "size": {"cols": 3, "rows": 2}})), place),
        (action(json!({"type": "user.pin", "componentId": id, "pinned": true})), one),
        (action(json!({"type": "user.refresh", "componentId": id})), one),
        (action(json!({"type": "user.undo"})), one),
        (action(json!({"type": "user.redo"})), one),
        (action(json!({"type": "user.dismiss", "componentId": id})), one),
        (json!({"op": "board.get"}), "history workspace"),
        (
            json!({"op": "board.context", "max_tokens": 4000, "timezone": "UTC"}),
            "budget components temporal workspace",
        ),
        (json!({"op": "board.place", "size": {"cols": 2, "rows": 2}}), "position reason"),
        (json!({"op": "board.registry"}), "definitions"),
        (json!({"op": "board.data", "source": "mock-github", "query": query}), "data meta"),
        (json!({"op": "history.undo", "steps": 2}), "canvas_epoch kept revision_id undone"),
        (json!({"op": "history.redo"}), "canvas_epoch redone revision_id"),
        (json!({"op": "history.list", "limit": 1}), "changes next"),
    ] {
        let reply = world.raw(request.clone());
        assert_eq!(keys(&reply["result"]), expected, "{request} gave {reply}");
        assert_ne!(reply["result"]["success"], json!(false), "{request} gave {reply}");
    }
    let definitions = world.ask(json!({"op": "board.registry"}))["definitions"].clone();
    let types: Vec<_> =
        definitions.as_array().unwrap().iter().map(|one| one["typeId"].as_str().unwrap()).collect();
    assert_eq!(
        types,
        ["github.activity-timeline", "github.issue-grid", "github.pr-list", "github.stat-tile"]
    );
    assert!(definitions.as_array().unwrap().iter().all(|one| one.get("render").is_none()));
    let history = world.get()["history"].clone();
    assert_eq!(keys(&history), "maxSize redoStack undoStack");
    assert_eq!(keys(&history["undoStack"][0]), "description forward id inverse source timestamp");
}

#[test]
fn what_cannot_be_done_has_a_code() {
    let mut world = World::new();
    let id = world.tile(0, 0);
    let command = |command: Value| json!({"op": "board.command", "source": "user", "command": command});
    let create = |field: &str, value: Value| {
        let mut payload = tile(4, 4);
        payload[field] = value;
        command(json!({"type": "component.create", "payload": payload}))
    };
    let with = |field: &str, value: &str| {
        let mut trigger = trigger("t");
        trigger[field] = value.into();
        trigger
    };
    let cell = |col: Value, row: Value| json!({"col": col, "row": row});
    let size = |cols: Value, rows: Value| json!({"cols": cols, "rows": rows});
    let stats = |repo: &str| json!({"type": "stats", "params": {"repo": repo, "metric": "stars"}});
    let data = |source: &str, query: Value| json!({"op": "board.data", "source": source, "query": query});
    let action = |action: Value| json!({"op": "board.action", "action": action});
    let bad = "BAD_REQUEST";
    for (request, expected) in [
        (json!({"op": "board.create"}), bad),
        (json!({"op": "board.create", "canvas": "e", "grid": {"columns": 12}}), bad),
        (json!({"op": "board.create", "canvas": "e", "grid": grid(0, 8)}), "INVALID_BOARD"),
        (json!({"op": "board.create", "canvas": "e", "grid": grid(65, 8)}), "INVALID_BOARD"),
        (json!({"op": "board.create", "canvas": "", "grid": grid(12, 8)}), bad),
        (json!({"op": "board.create", "canvas": "e", "grid": grid(12, 8), "now": null}), bad),
        (json!({"op": "board.create", "grid": grid(12, 8)}), "BOARD_EXISTS"),
        (json!({"op": "board.command", "command": moved(&id, 1, 1)}), bad),
        (json!({"op": "board.command", "source": "nobody", "command": moved(&id, 1, 1)}), bad),
        (json!({"op": "board.command", "source": "user"}), bad),
        (command(json!({"type": "component.explode", "payload": {}})), bad),
        (command(json!({"type": "component.create", "payload": {}})), bad),
        (command(json!({"type": "component.move", "payload": {"componentId": id}})), bad),
        (command(json!({"type": "settings.update", "payload": {"colour": "dark"}})), bad),
        (command(json!({"type": "settings.update", "payload": {"theme": null}})), bad),
        (command(json!({"type": "settings.update"})), bad),
        (command(json!({"type": "trigger.set", "payload": {"trigger": {"id": "t"}}})), bad),
        (command(json!({"type": "trigger.remove", "payload": {"triggerId": ""}})), bad),
        (
            json!({"op": "board.command", "canvas": "e", "source": "user", "command": moved(&id, 1, 1)}),
            "CANVAS_NOT_FOUND",
        ),
        (json!({"op": "board.get", "canvas": "e"}), "CANVAS_NOT_FOUND"),
        (action(json!({"type": "user.shout"})), bad),
        (action(json!({"type": "user.move", "componentId": id})), bad),
        (json!({"op": "board.action"}), bad),
        (json!({"op": "board.context", "timezone": "Berlin"}), "UNKNOWN_TIME_ZONE"),
        (json!({"op": "board.context", "max_tokens": 10}), "BUDGET_TOO_SMALL"),
        (json!({"op": "board.context", "max_tokens": -1}), bad),
        (json!({"op": "board.place"}), bad),
        (json!({"op": "board.place", "size": {"cols": 13, "rows": 1}}), "INVALID_SIZE"),
        (json!({"op": "board.place", "size": {"cols": 0, "rows": 1}}), "INVALID_SIZE"),
        (
            json!({"op": "board.place", "size": {"cols": 1, "rows": 1}, "hints": {"nearComponentId": "x"}}),
            "COMPONENT_NOT_FOUND",
        ),
        (json!({"op": "board.place", "size": {"cols": 1, "rows": 1}, "hints": {"region": "middle"}}), bad),
        (json!({"op": "board.data", "source": "mock-github"}), bad),
        (data("elsewhere", stats("o/r")), "SOURCE_UNAVAILABLE"),
        (data("mock-github", json!({"type": "weather", "params": {}})), "INVALID_QUERY"),
        (data("mock-github", stats("not a repository")), "INVALID_QUERY"),
        (data("mock-github", stats("mock-error/not-found")), "NOT_FOUND"),
        (data("mock-github", stats("mock-error/rate-limited")), "RATE_LIMITED"),
        // From here on the reply is a result.
        (command(moved(&json!("cmp_gone"), 1, 1)), "COMPONENT_NOT_FOUND"),
        (action(json!({"type": "user.refresh", "componentId": "cmp_gone"})), "COMPONENT_NOT_FOUND"),
        (action(json!({"type": "user.dismiss", "componentId": "cmp_gone"})), "COMPONENT_NOT_FOUND"),
        (command(json!({"type": "view.load", "payload": {"viewId": "view_gone"}})), "VIEW_NOT_FOUND"),
        (command(json!({"type": "view.delete", "payload": {"viewId": "view_gone"}})), "VIEW_NOT_FOUND"),
        (
            command(json!({"type": "view.save", "payload": {"name": "V", "triggerIds": ["t"]}})),
            "TRIGGER_NOT_FOUND",
        ),
        (
            command(json!({"type": "trigger.remove", "payload": {"triggerId": "trigger_gone"}})),
            "TRIGGER_NOT_FOUND",
        ),
        (
            command(json!({"type": "trigger.set", "payload": {"trigger": with("viewId", "view_gone")}})),
            "VIEW_NOT_FOUND",
        ),
        (
            command(json!({"type": "trigger.set", "payload": {"trigger": with("type", "time_based")}})),
            "UNKNOWN_SIMULATED_TIME",
        ),
        (
            command(
                json!({"type": "trigger.set", "payload": {"trigger": with("message", &"m".repeat(5_000))}}),
            ),
            "BOARD_TOO_LARGE",
        ),
        (command(json!({"type": "settings.update", "payload": {"grid": grid(65, 8)}})), "INVALID_BOARD"),
        (create("typeId", json!("github.nothing")), "TYPE_NOT_FOUND"),
        (create("config", json!({"repo": "o/r"})), "CONFIG_VALIDATION_FAILED"),
        (create("config", json!([])), "CONFIG_VALIDATION_FAILED"),
        (create("size", size(json!(13), json!(1))), "INVALID_SIZE"),
        (create("size", size(json!(0), json!(1))), "INVALID_SIZE"),
        (create("size", size(json!(1.5), json!(1))), "INVALID_SIZE"),
        (create("position", cell(json!(-1), json!(0))), "INVALID_POSITION"),
        (create("position", cell(json!(11), json!(0))), "INVALID_POSITION"),
        (create("position", cell(json!(1e300), json!(0))), "INVALID_POSITION"),
        (create("position", cell(json!(0.5), json!(0))), "INVALID_POSITION"),
        (create("position", cell(json!(1.0), json!(0))), "COLLISION_DETECTED"),
        (action(json!({"type": "user.redo"})), "NOTHING_TO_REDO"),
    ] {
        let before = world.get();
        let reply = world.raw(request.clone());
        assert_eq!(code(&reply), expected, "{request} gave {reply}");
        assert_eq!(reply["ok"] == json!(true), reply.get("result").is_some());
        let message = reply.pointer("/error/message").or_else(|| reply.pointer("/result/error/message"));
        assert!(message.and_then(Value::as_str).is_some_and(|text| text.len() > 10), "{reply}");
        assert_eq!(world.get(), before, "{request}");
    }
    // A board that cannot be leaves no canvas behind.
    assert_eq!(code(&world.raw(json!({"op": "canvas.text", "canvas": "e"}))), "CANVAS_NOT_FOUND");
    // A canvas without a board has none.
    world.ask(json!({"op": "canvas.create", "canvas": "e", "markdown": "# E\n"}));
    for request in [
        json!({"op": "board.get"}),
        json!({"op": "board.context"}),
        json!({"op": "board.place", "size": size(json!(1), json!(1))}),
        json!({"op": "board.action", "action": {"type": "user.undo"}}),
    ] {
        let mut at_other = request;
        at_other["canvas"] = json!("e");
        assert_eq!(code(&world.raw(at_other.clone())), "BOARD_NOT_FOUND", "{at_other}");
    }
    world.ask(json!({"op": "board.create", "canvas": "e", "grid": grid(2, 2)}));
    let text = world.ask(json!({"op": "canvas.text", "canvas": "e"}));
    assert_eq!(text["markdown"], "# E\n");
}

/// Of several faults the first in this order is named (ruling 14).
#[test]
fn faults_are_named_in_their_order() {
    let mut world = World::new();
    world.tile(0, 0);
    let mut payload = json!({
        "typeId": "no.type", "config": {}, "position": {"col": 99, "row": 0}, "size": {"cols": 99, "rows": 1},
        "hints": {"nearComponentId": "cmp_gone"},
    });
    for (fix, value, expected) in [
        ("x", json!(0), "COMPONENT_NOT_FOUND"),
        ("hints", json!({}), "TYPE_NOT_FOUND"),
        ("typeId", json!("github.stat-tile"), "CONFIG_VALIDATION_FAILED"),
        ("config", json!({"repo": "o/r", "metric": "stars"}), "INVALID_SIZE"),
        ("size", json!({"cols": 2, "rows": 1}), "INVALID_POSITION"),
        ("position", json!({"col": 1, "row": 0}), "COLLISION_DETECTED"),
        ("position", json!({"col": 2, "row": 0}), "OK"),
    ] {
        payload[fix] = value;
        let result = world.command("component.create", payload.clone());
        assert_eq!(code(&result), expected, "{result}");
    }
    // All faults of a config are listed.
    let config = json!({"repo": 1, "metric": "moons"});
    let result = world.command("component.create", json!({"typeId": "github.stat-tile", "config": config}));
    assert_eq!(result["error"]["errors"].as_array().map(Vec::len), Some(2), "{result}");
}
