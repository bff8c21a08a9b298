//! Recording, replaying, settling and playing again.

use serde_json::{Value, json};

use crate::bridge_recipe::world::{DAY, NOON, World, recipe, rows};

#[test]
fn a_recipe_is_kept_with_contracts_and_its_replays_move_the_window() {
    let mut world = World::new();
    let recorded = world.ask(json!({"op": "recipe.record", "canvas": "c", "recipe": recipe()}));
    assert_eq!(recorded["nonRefreshable"], json!([]));
    assert_eq!(recorded["recipe"]["steps"][0]["toolVersion"], "1.0");
    assert_eq!(recorded["recipe"]["steps"][0]["contract"].as_str().map(str::len), Some(64));
    assert_eq!(world.ask(json!({"op": "recipe.get", "canvas": "c"}))["recipe"], recorded["recipe"]);

    let first = world.replay();
    assert_eq!(
        first["calls"],
        json!([
            {"step": "orders", "tool": "orders", "params": {"from": "2026-04-08", "limit": 10}},
            {"step": "who", "tool": "customer", "params": {"order": "b"}},
        ])
    );
    let cities = json!([{"city": "Bonn", "sum": 35}, {"city": "Rome", "sum": 25}]);
    assert_eq!(
        first["patch"],
        json!([
            {"op": "add", "path": "/data/cities", "value": cities},
            {"op": "add", "path": "/data/dearest", "value": "a"},
            {"op": "add", "path": "/data/customer", "value": "Ada"},
        ])
    );
    assert_eq!(first["refreshed"], json!(["cities", "dearest", "customer"]));
    assert_eq!((&first["stale"], &first["escalation"]), (&json!([]), &Value::Null));
    assert_eq!(first["now"], json!(NOON + 60_000));
    let data = world.data();
    assert_eq!(data["cities"], json!({"status": "ready", "data": cities, "asOf": NOON + 60_000}));

    let again = world.replay();
    assert_eq!((&again["patch"], &again["revision"]), (&json!([]), &first["revision"]));
    assert_eq!(world.data(), data);
    world.now += 3 * DAY;
    assert_eq!(world.replay()["calls"][0]["params"]["from"], "2026-04-11");
}

#[test]
fn a_dry_run_calls_and_keeps_nothing_and_makes_nobody_wait() {
    let mut world = World::with_recipe();
    let dry = world.ask(json!({"op": "recipe.replay", "canvas": "c", "dryRun": true}));
    assert_eq!(dry["calls"].as_array().map(Vec::len), Some(2));
    assert_eq!(world.data(), json!({}));
    let real = world.ask(json!({"op": "recipe.replay", "canvas": "c"}));
    assert_eq!((&real["patch"], &real["calls"]), (&dry["patch"], &dry["calls"]));
    assert_ne!(real["revision"], dry["revision"]);
    let refused = world.refused(json!({"op": "recipe.replay", "canvas": "c"}));
    assert_eq!((&refused["code"], &refused["retryAt"]), (&json!("RATE_LIMITED"), &json!(NOON + 3_000)));
}

#[test]
fn only_the_steps_of_named_components_are_called() {
    let mut world = World::with_recipe();
    let request = json!({"op": "recipe.replay", "canvas": "c", "components": ["dearest"]});
    let reply = world.ask(request);
    assert_eq!(reply["calls"].as_array().map(Vec::len), Some(1));
    assert_eq!(reply["refreshed"], json!(["dearest"]));
    world.now += 3_000;
    let reply = world.ask(json!({"op": "recipe.replay", "canvas": "c", "components": ["customer"]}));
    assert_eq!(
        (reply["calls"].as_array().map(Vec::len), &reply["refreshed"]),
        (Some(2), &json!(["customer"]))
    );
}

#[test]
fn a_changed_tool_leaves_its_components_stale_and_is_not_called() {
    let mut world = World::with_recipe();
    world.replay();
    world.change_tool("customer", "version", json!("2.0"));
    let reply = world.replay();
    assert_eq!(reply["calls"].as_array().map(Vec::len), Some(1));
    assert_eq!(reply["refreshed"], json!(["cities", "dearest"]));
    let stale = &reply["stale"][0];
    assert_eq!((&stale["component"], &stale["status"]), (&json!("customer"), &json!("stale")));
    assert_eq!(stale["reason"], "CONTRACT_CHANGED");
    let escalation = &reply["escalation"];
    assert_eq!(
        (&escalation["reasons"], &escalation["components"]),
        (&json!(["CONTRACT_CHANGED"]), &json!(["customer"]))
    );
    assert!(escalation["message"].as_str().unwrap().contains("customer"), "{escalation}");
    let data = world.data();
    assert_eq!((&data["customer"]["data"], &data["customer"]["status"]), (&json!("Ada"), &json!("stale")));
    assert_eq!(data["customer"]["reason"], "CONTRACT_CHANGED");
}

#[test]
fn a_held_tool_makes_the_replay_wait_until_it_is_settled() {
    let mut world = World::with_recipe();
    world.change_tool("orders", "hold", json!(true));
    let waiting = world.replay();
    assert_eq!((&waiting["pending"], &waiting["patch"]), (&json!(["orders"]), &json!([])));
    assert_eq!(world.data(), json!({}));
    let wrong = world.refused(json!({"op": "recipe.settle", "canvas": "c", "step": "who", "result": {}}));
    assert_eq!(wrong["code"], "STEP_NOT_PENDING");
    let ended = world.ask(json!({"op": "recipe.settle", "canvas": "c", "step": "orders", "result": rows()}));
    assert_eq!(ended["refreshed"], json!(["cities", "dearest", "customer"]));
    assert_eq!((&ended["runId"], &ended["now"]), (&waiting["runId"], &waiting["now"]));
    assert_eq!(ended.get("pending"), None);

    world.replay();
    let failed = world.ask(json!({
        "op": "recipe.settle", "canvas": "c", "step": "orders", "error": {"code": "DOWN", "message": "closed today"},
    }));
    let reasons: Vec<_> = failed["stale"].as_array().unwrap().iter().map(|stale| &stale["reason"]).collect();
    assert_eq!(reasons, ["CALL_FAILED", "CALL_FAILED", "UPSTREAM"]);
    assert!(failed["stale"][0]["message"].as_str().unwrap().contains("closed today"));
}

#[test]
fn a_recipe_that_is_replaced_while_calls_are_out_keeps_what_was_there() {
    let mut world = World::with_recipe();
    world.replay();
    let before = world.data();
    world.change_tool("orders", "hold", json!(true));
    world.replay();
    let mut other = recipe();
    other["steps"][0]["params"]["limit"] = json!(11);
    world.ask(json!({"op": "recipe.record", "canvas": "c", "recipe": other}));
    let dropped = world.refused(json!({
        "op": "recipe.settle", "canvas": "c", "step": "orders", "result": {"rows": [{"id": "z"}, {"id": "y"}]},
    }));
    assert_eq!(dropped["code"], "RECIPE_REPLACED");
    assert_eq!(world.data(), before);
}

#[test]
fn a_run_plays_again_offline_with_the_same_responses() {
    let mut world = World::with_recipe();
    let reply = world.replay();
    let run = world.ask(json!({"op": "recipe.run", "canvas": "c", "runId": reply["runId"]}))["run"].clone();
    assert_eq!((&run["now"], &run["timezone"]), (&reply["now"], &json!("Europe/Berlin")));
    assert!(run["tzdbVersion"].as_str().unwrap().starts_with("20"), "{run}");
    let kept = world.ask(json!({"op": "recipe.get", "canvas": "c"}))["recipe"].clone();

    let mut responses = json!({});
    for (call, value) in [(0, rows()), (1, json!({"name": "Ada"}))] {
        let hash = world.ask(json!({"op": "json.canonical", "value": value}))["hash"].clone();
        assert_eq!(run["calls"][call]["responseHash"], hash);
        responses[hash.as_str().unwrap()] = value;
    }
    world.ask(json!({"op": "surface.host", "tools": {}}));
    let request = json!({"op": "recipe.rerun", "run": run, "responses": responses, "recipe": kept});
    let rerun = world.ask(request.clone());
    assert_eq!((&rerun["calls"], &rerun["patch"]), (&reply["calls"], &reply["patch"]));
    assert_eq!(rerun["data"]["customer"], "Ada");
    assert_eq!(world.ask(request.clone()), rerun);

    let hash = run["calls"][0]["responseHash"].as_str().unwrap();
    let mut missing = request.clone();
    missing["responses"].as_object_mut().unwrap().remove(hash);
    let error = world.refused(missing);
    assert_eq!((&error["code"], &error["hash"]), (&json!("RESPONSE_MISSING"), &json!(hash)));
    let mut altered = request.clone();
    altered["responses"][hash]["rows"][0]["amount"] = json!(21);
    let error = world.refused(altered);
    assert_eq!((&error["code"], &error["step"]), (&json!("RESPONSE_ALTERED"), &json!("orders")));
    let mut zones = request.clone();
    zones["run"]["tzdbVersion"] = json!("1999a");
    assert_eq!(world.refused(zones)["code"], "VERSION_MISMATCH");
    let mut other = request;
    other["recipe"]["steps"][0]["params"]["limit"] = json!(11);
    assert_eq!(world.refused(other)["code"], "RUN_MISMATCH");
}

#[test]
fn recipe_and_data_outlive_the_host_and_recording_is_undone() {
    let mut world = World::with_recipe();
    let first = world.replay();
    let data = world.data();
    world.ask(json!({"op": "host.restart"}));
    assert_eq!(world.data(), data);
    let again = world.replay();
    assert_eq!((&again["calls"], &again["patch"]), (&first["calls"], &json!([])));
    world.ask(json!({"op": "history.undo", "canvas": "c"}));
    assert_eq!(world.refused(json!({"op": "recipe.get", "canvas": "c"}))["code"], "RECIPE_NOT_FOUND");
    assert_eq!(world.data(), data);
}

#[test]
fn components_of_a_board_show_the_data_and_refresh_by_the_recipe() {
    let mut world = World::new();
    let grid = json!({"columns": 12, "rows": 12, "gap": 8, "cellWidth": 80, "cellHeight": 60});
    world.ask(json!({"op": "board.create", "canvas": "c", "grid": grid}));
    let create = json!({"type": "component.create", "payload": {
        "typeId": "github.stat-tile", "config": {"repo": "o/r", "metric": "stars"},
        "position": {"col": 0, "row": 0}, "size": {"cols": 2, "rows": 1},
    }});
    let made = world.ask(json!({"op": "board.command", "canvas": "c", "source": "user", "command": create}));
    assert_eq!(made["success"], json!(true), "{made}");
    let id = made["affectedComponentIds"][0].clone();
    let mut fed = recipe();
    fed["mappings"] = json!([{"step": "orders", "path": "/rows/0", "component": id}]);
    world.ask(json!({"op": "recipe.record", "canvas": "c", "recipe": fed.clone()}));
    let reply = world.replay();
    assert_eq!(reply["events"][0]["type"], "component.ready", "{reply}");
    let shown = |world: &mut World| {
        world.ask(json!({"op": "board.get", "canvas": "c"}))["workspace"]["canvas"]["components"][0]["dataState"]
            .clone()
    };
    let state = shown(&mut world);
    assert_eq!((&state["status"], &state["data"]["id"]), (&json!("ready"), &json!("b")), "{state}");
    world.ask(json!({"op": "host.restart"}));
    assert_eq!(shown(&mut world)["status"], "ready");

    world.change_tool("orders", "result", json!({"rows": [{"id": "z"}]}));
    world.now += 60_000;
    let refresh = json!({"type": "user.refresh", "componentId": id});
    let done = world.ask(json!({"op": "board.action", "canvas": "c", "action": refresh}));
    assert_eq!(done["success"], json!(true), "{done}");
    assert_eq!(shown(&mut world)["data"]["id"], "z");

    fed["mappings"][0]["component"] = json!("nobody");
    let error = world.refused(json!({"op": "recipe.record", "canvas": "c", "recipe": fed}));
    assert_eq!(
        (&error["code"], &error["place"]),
        (&json!("RECIPE_INVALID"), &json!("/recipe/mappings/0/component"))
    );
}

/// A person has removed a component: nothing is fetched for it alone, and it is not said to be ready.
#[test]
fn what_the_board_no_longer_has_is_not_refreshed() {
    let mut world = World::new();
    let grid = json!({"columns": 12, "rows": 12, "gap": 8, "cellWidth": 80, "cellHeight": 60});
    world.ask(json!({"op": "board.create", "canvas": "c", "grid": grid}));
    let mut made = Vec::new();
    for row in 0..2 {
        let create = json!({"type": "component.create", "payload": {
            "typeId": "github.stat-tile", "config": {"repo": "o/r", "metric": "stars"},
            "position": {"col": 0, "row": row}, "size": {"cols": 2, "rows": 1},
        }});
        let reply =
            world.ask(json!({"op": "board.command", "canvas": "c", "source": "user", "command": create}));
        made.push(reply["affectedComponentIds"][0].clone());
    }
    let mut fed = recipe();
    fed["mappings"] = json!([
        {"step": "orders", "path": "/rows/0", "component": made[0]},
        {"step": "who", "path": "/name", "component": made[1]},
    ]);
    world.ask(json!({"op": "recipe.record", "canvas": "c", "recipe": fed}));
    let called = |reply: &Value| -> Vec<Value> {
        reply["calls"].as_array().unwrap().iter().map(|call| call["step"].clone()).collect()
    };
    let ready = |reply: &Value| -> Vec<Value> {
        reply["events"]
            .as_array()
            .unwrap()
            .iter()
            .map(|event| event["payload"]["componentId"].clone())
            .collect()
    };
    let both = world.replay();
    assert_eq!((called(&both).len(), ready(&both).len()), (2, 2), "{both}");
    let dismiss = json!({"type": "user.dismiss", "componentId": made[1]});
    world.ask(json!({"op": "board.action", "canvas": "c", "action": dismiss}));
    let now = json!({"rows": [{"id": "z"}]});
    world.change_tool("orders", "result", now.clone());
    world.now += 60_000;
    let one = world.replay();
    assert_eq!(called(&one), ["orders"], "{one}");
    assert_eq!(
        (ready(&one), &one["refreshed"], &one["stale"]),
        (vec![made[0].clone()], &json!([made[0]]), &json!([]))
    );
    // The record plays again without it.
    let again = world.ask(json!({"op": "recipe.run", "canvas": "c", "runId": one["runId"]}));
    let run = &again["run"];
    assert_eq!(run["gone"], json!([made[1]]), "{again}");
    let responses = json!({run["calls"][0]["responseHash"].as_str().unwrap(): now});
    let recipe = world.ask(json!({"op": "recipe.get", "canvas": "c"}))["recipe"].clone();
    let rerun = json!({"op": "recipe.rerun", "run": run, "responses": responses, "recipe": recipe});
    assert_eq!(world.ask(rerun)["calls"], one["calls"]);
    // What is back is fed again.
    world.ask(json!({"op": "history.undo", "canvas": "c"}));
    world.now += 60_000;
    assert_eq!(called(&world.replay()).len(), 2);
}

/// Ten times of ten, each from a new process's view of the file: nothing but the store is left.
#[cfg(feature = "sqlite")]
#[test]
fn a_recorded_turn_replays_to_the_same_bytes_after_restarts_on_sqlite() {
    let path = std::env::temp_dir().join(format!("canvas-recipe-{}.db", std::process::id()));
    let remove = || {
        for ending in ["", "-wal", "-shm"] {
            drop(std::fs::remove_file(format!("{}{ending}", path.display())));
        }
    };
    remove();
    let open = || {
        let mut world = World { bridge: canvas_examples::bridge::Bridge::new(), now: NOON };
        world.ask(json!({"op": "store.open", "kind": "sqlite", "path": path}));
        world.ask(crate::bridge_recipe::world::host());
        world
    };
    let mut world = open();
    world.ask(json!({"op": "canvas.create", "canvas": "c", "markdown": ""}));
    world.ask(json!({"op": "recipe.record", "canvas": "c", "recipe": recipe()}));
    let mut told = Vec::new();
    for _ in 0..10 {
        let mut world = open();
        let dry = json!({"op": "recipe.replay", "canvas": "c", "dryRun": true, "now": NOON + DAY});
        let reply = world.ask(dry);
        told.push(json!([reply["calls"], reply["patch"], reply["refreshed"]]).to_string());
    }
    assert!(told[0].contains("2026-04-09"), "{}", told[0]);
    assert_eq!(told, vec![told[0].clone(); 10]);
    let mut world = open();
    world.replay();
    let data = world.data();
    let mut world = open();
    assert_eq!(world.data(), data);
    assert_eq!(world.replay()["patch"], json!([]));
    drop(world);
    remove();
}
