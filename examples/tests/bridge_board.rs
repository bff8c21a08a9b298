//! The board through the bridge: shapes, errors, the rulings on specs 002 that can be seen from outside, and laws.

use std::collections::BTreeSet;

use canvas_core::board::strategies::command_seeds;
use canvas_core::board::{Board, Workspace};
use canvas_examples::bridge::Bridge;
use proptest::prelude::*;
use serde_json::{Value, json};

/// A bridge with a board on the canvas `c`, and a clock that goes on by a second with each request.
struct World {
    bridge: Bridge,
    now: u64,
}

impl World {
    fn new() -> Self {
        Self::with_grid(12, 8)
    }

    fn with_grid(columns: u32, rows: u32) -> Self {
        let mut world = Self { bridge: Bridge::new(), now: 0 };
        world.ask(json!({"op": "board.create", "grid": grid(columns, rows)}));
        world
    }

    fn raw(&mut self, mut request: Value) -> Value {
        self.now += 1_000;
        let fields = request.as_object_mut().expect("an object");
        fields.entry("canvas").or_insert(json!("c"));
        fields.entry("now").or_insert(json!(self.now));
        let reply = self.bridge.call(&request.to_string());
        assert!(!reply.contains('\n'), "a reply is one line");
        serde_json::from_str(&reply).expect("a reply is JSON")
    }

    #[track_caller]
    fn ask(&mut self, request: Value) -> Value {
        let reply = self.raw(request);
        assert_eq!(reply["ok"], json!(true), "{reply}");
        reply["result"].clone()
    }

    #[track_caller]
    fn command(&mut self, kind: &str, payload: Value) -> Value {
        let command = json!({"type": kind, "payload": payload});
        self.ask(json!({"op": "board.command", "source": "assistant", "command": command}))
    }

    #[track_caller]
    fn action(&mut self, action: Value) -> Value {
        self.ask(json!({"op": "board.action", "action": action}))
    }

    /// The id of a stat tile of two cells that was made there.
    #[track_caller]
    fn tile(&mut self, col: u32, row: u32) -> Value {
        let made = self.command("component.create", tile(col, row));
        assert_eq!(made["success"], json!(true), "{made}");
        made["affectedComponentIds"][0].clone()
    }

    fn get(&mut self) -> Value {
        self.ask(json!({"op": "board.get"}))
    }

    fn components(&mut self) -> Value {
        self.get()["workspace"]["canvas"]["components"].clone()
    }

    fn cell(&mut self, id: &Value) -> (u64, u64) {
        let all = self.components();
        let found = all.as_array().expect("a list").iter().find(|one| one["id"] == *id);
        let position = &found.expect("it stands")["position"];
        (position["col"].as_u64().unwrap(), position["row"].as_u64().unwrap())
    }
}

fn grid(columns: u32, rows: u32) -> Value {
    json!({"columns": columns, "rows": rows, "gap": 8, "cellWidth": 80, "cellHeight": 60})
}

fn tile(col: u32, row: u32) -> Value {
    json!({
        "typeId": "github.stat-tile", "config": {"repo": "o/r", "metric": "stars"},
        "position": {"col": col, "row": row}, "size": {"cols": 2, "rows": 1},
    })
}

fn moved(id: &Value, col: u32, row: u32) -> Value {
    json!({"type": "component.move", "payload": {"componentId": id, "position": {"col": col, "row": row}}})
}

/// The code of an error reply, or of a result that was no success.
fn code(reply: &Value) -> &str {
    let error = reply.pointer("/error/code").or_else(|| reply.pointer("/result/error/code"));
    error.and_then(Value::as_str).unwrap_or("OK")
}

fn keys(value: &Value) -> String {
    let keys = value.as_object().into_iter().flatten().map(|(name, _)| name.as_str());
    keys.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(" ")
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
        (command(json!({"type": "component.create", "payload": tile(4, 4)})), place),
        (command(moved(&id, 6, 6)), place),
        (
            command(
                json!({"type": "component.update", "payload": {"componentId": id, "meta": {"label": "L"}}}),
            ),
            one,
        ),
        (command(json!({"type": "view.save", "payload": {"name": "V"}})), one),
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
        (json!({"op": "history.undo", "steps": 2}), "canvas_epoch revision_id undone"),
        (json!({"op": "history.redo"}), "canvas_epoch redone revision_id"),
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
    for op in ["get", "context", "place", "action"] {
        let (size, action) = (size(json!(1), json!(1)), json!({"type": "user.undo"}));
        let request = json!({"op": format!("board.{op}"), "canvas": "e", "size": size, "action": action});
        assert_eq!(code(&world.raw(request)), "BOARD_NOT_FOUND", "{op}");
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
    // All faults of a config are told.
    let config = json!({"repo": 1, "metric": "moons"});
    let result = world.command("component.create", json!({"typeId": "github.stat-tile", "config": config}));
    assert_eq!(result["error"]["errors"].as_array().map(Vec::len), Some(2), "{result}");
}

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
    assert_eq!(ids, [pinned.clone()]);
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

#[test]
fn what_changes_nothing_has_no_entry_and_keeps_redo() {
    let mut world = World::new();
    let id = world.tile(0, 0);
    world.tile(4, 0);
    world.action(json!({"type": "user.undo"}));
    let before = world.get();
    for (kind, payload) in [
        ("component.move", json!({"componentId": id, "position": {"col": 0, "row": 0}})),
        ("component.resize", json!({"componentId": id, "size": {"cols": 2, "rows": 1}})),
        ("component.update", json!({"componentId": id, "config": {"metric": "stars"}})),
        ("batch", json!({"commands": [], "description": ""})),
        ("component.move", json!({"componentId": id, "position": {"col": 99, "row": 0}})),
        ("component.remove", json!({"componentId": "cmp_gone"})),
    ] {
        let result = world.command(kind, payload);
        assert_eq!(result["undoId"], json!(""), "{result}");
        assert_eq!(world.get(), before, "{kind}");
    }
    let refreshed = world.action(json!({"type": "user.refresh", "componentId": id}));
    assert_eq!((&refreshed["success"], &refreshed["undoId"]), (&json!(true), &json!("")));
    assert_eq!(world.get()["history"], before["history"]);
    assert_eq!(world.action(json!({"type": "user.redo"}))["success"], json!(true));
    assert_eq!(code(&world.action(json!({"type": "user.redo"}))), "NOTHING_TO_REDO");
}

/// One history for both faces, in the order in which things were done.
#[test]
fn document_and_board_go_back_in_their_order() {
    let mut world = World { bridge: Bridge::new(), now: 0 };
    world.ask(json!({"op": "canvas.create", "markdown": "one\n"}));
    world.ask(json!({"op": "board.create", "grid": grid(12, 8)}));
    let both =
        |world: &mut World| (world.ask(json!({"op": "canvas.text"}))["markdown"].clone(), world.components());
    let mut states = vec![both(&mut world)];
    let id = world.tile(0, 0);
    states.push(both(&mut world));
    world.ask(json!({"op": "user.edit", "markdown": "one\ntwo\n"}));
    states.push(both(&mut world));
    world.action(json!({"type": "user.move", "componentId": id, "position": {"col": 4, "row": 4}}));
    states.push(both(&mut world));

    let undone = world.ask(json!({"op": "history.undo", "steps": 2}))["undone"].clone();
    let told: Vec<_> =
        undone.as_array().unwrap().iter().map(|entry| entry["summary"].as_str().unwrap()).collect();
    assert_eq!(told, ["Moved Stat Tile to (4, 4).", "+1 −0, 1 hunk"]);
    assert_eq!(both(&mut world), states[1]);
    // The board's own history tells of the board alone.
    let history = world.get()["history"].clone();
    let depth = |name: &str| history[name].as_array().map(Vec::len);
    assert_eq!((depth("undoStack"), depth("redoStack")), (Some(1), Some(1)));
    // More steps than there are: as many as there are.
    assert_eq!(
        world.ask(json!({"op": "history.undo", "steps": 9}))["undone"].as_array().map(Vec::len),
        Some(1)
    );
    assert_eq!(both(&mut world), states[0]);
    assert_eq!(code(&world.raw(json!({"op": "history.undo"}))), "HISTORY_EMPTY");
    assert_eq!(code(&world.action(json!({"type": "user.undo"}))), "NOTHING_TO_UNDO");
    assert_eq!(
        world.ask(json!({"op": "history.redo", "steps": 9}))["redone"].as_array().map(Vec::len),
        Some(3)
    );
    assert_eq!(both(&mut world), states[3]);
    // A user's undo of a document edit names no entry of the board.
    world.action(json!({"type": "user.undo"}));
    let undone = world.action(json!({"type": "user.undo"}));
    assert_eq!((&undone["success"], &undone["undoId"]), (&json!(true), &json!("")));
    assert_eq!(both(&mut world), states[1]);
}

#[test]
fn the_history_of_a_board_has_fifty_entries() {
    let mut world = World::new();
    for number in 0..60 {
        world.tile(number % 6 * 2, number / 6 % 8);
        if number == 47 {
            world.command("canvas.clear", json!({"preservePinned": true}));
        }
    }
    let full = world.get();
    let stack = full["history"]["undoStack"].as_array().unwrap().clone();
    assert_eq!((stack.len(), &full["history"]["maxSize"]), (50, &json!(50)));
    let times: Vec<_> = stack.iter().map(|entry| entry["timestamp"].as_u64().unwrap()).collect();
    assert!(times.is_sorted(), "the newest is last");
    for undone in 1..=50 {
        assert_eq!(world.action(json!({"type": "user.undo"}))["success"], json!(true), "{undone}");
        let history = world.get()["history"].clone();
        let kept = history["undoStack"].as_array().unwrap();
        assert_eq!(kept[..], stack[..50 - undone], "{undone}");
        let redo: Vec<_> = history["redoStack"].as_array().unwrap().iter().rev().cloned().collect();
        assert_eq!(redo, stack[50 - undone..], "{undone}");
    }
    assert_eq!(code(&world.action(json!({"type": "user.undo"}))), "NOTHING_TO_UNDO");
    for _ in 0..50 {
        assert_eq!(world.action(json!({"type": "user.redo"}))["success"], json!(true));
    }
    assert_eq!(world.get(), full);
    // The journal goes further back.
    let undone = world.ask(json!({"op": "history.undo", "steps": 100}))["undone"].as_array().map(Vec::len);
    assert_eq!((undone, world.components()), (Some(61), json!([])));
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

/// A model is stopped by the user; the host in the user's name is not.
#[test]
fn an_ended_turn_ends_the_assistant_s_commands() {
    let mut world = World::new();
    world.ask(json!({"op": "user.cancel"}));
    let request = |source: &str, col| {
        let command = json!({"type": "component.create", "payload": tile(col, 0)});
        json!({"op": "board.command", "source": source, "command": command})
    };
    assert_eq!(code(&world.raw(request("assistant", 0))), "LOCK_NOT_AVAILABLE");
    assert_eq!(code(&world.raw(request("user", 0))), "OK");
    world.ask(json!({"op": "user.message"}));
    assert_eq!(code(&world.raw(request("assistant", 4))), "OK");
    let made_by = |at: usize, all: &Value| all[at]["meta"]["createdBy"].clone();
    let all = world.components();
    assert_eq!((made_by(0, &all), made_by(1, &all)), (json!("user"), json!("assistant")));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Whatever is done, back and forth again leads through the same states, byte for byte.
    #[test]
    fn everything_can_be_taken_back_and_done_again(seeds in command_seeds(12)) {
        let mut world = World::with_grid(8, 6);
        for col in [0, 2, 4] {
            world.tile(col, 0);
        }
        let mut states = vec![world.get()["workspace"].clone()];
        for (number, seed) in seeds.iter().enumerate() {
            let workspace: Workspace = serde_json::from_value(states.last().unwrap().clone()).unwrap();
            let command = seed.command(&Board::new(workspace).unwrap());
            let source = ["user", "assistant"][number % 2];
            let before = world.get();
            let reply = world.raw(json!({"op": "board.command", "source": source, "command": command}));
            let after = world.get();
            if reply["result"]["undoId"] == json!("") || reply["ok"] == json!(false) {
                prop_assert_eq!(after, before, "{}", reply);
            } else {
                let stack = after["history"]["undoStack"].as_array().unwrap();
                prop_assert_eq!(&stack.last().unwrap()["id"], &reply["result"]["undoId"]);
                prop_assert_eq!(&stack.last().unwrap()["source"], source);
                states.push(after["workspace"].clone());
            }
        }
        let last = world.get();
        for state in states.iter().rev().skip(1) {
            prop_assert_eq!(&world.action(json!({"type": "user.undo"}))["success"], true);
            prop_assert_eq!(&world.get()["workspace"], state);
        }
        for state in &states[1..] {
            prop_assert_eq!(&world.action(json!({"type": "user.redo"}))["success"], true);
            prop_assert_eq!(&world.get()["workspace"], state);
        }
        prop_assert_eq!(world.get(), last);
    }
}
