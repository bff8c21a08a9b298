//! What is wrong has a code, a place and a remedy, and leaves everything as it was.

use serde_json::{Value, json};

use crate::bridge_recipe::world::{Change, World, recipe, rows};

#[test]
fn recipes_that_cannot_be_read_are_refused_with_their_places() {
    let rows: [(Change, &str, &str); 14] = [
        (
            |r| r["steps"][0]["params"]["from"]["$date"] = json!("now-1x"),
            "EXPR_INVALID",
            "/steps/0/params/from/$date",
        ),
        (
            |r| r["steps"][0]["params"]["from"]["$date"] = json!("now/d/d/d/d/d/d/d/d/d"),
            "EXPR_INVALID",
            "/steps/0/params/from/$date",
        ),
        (
            |r| r["steps"][0]["params"]["from"]["$date"] = json!("9999-12-31||+1y"),
            "EXPR_INVALID",
            "/steps/0/params/from/$date",
        ),
        (|r| r["timezone"] = json!("Mars/Base"), "RECIPE_INVALID", "/timezone"),
        (|r| r["version"] = json!(2), "VERSION_MISMATCH", "/version"),
        (|r| r["catalogue"] = json!(9), "VERSION_MISMATCH", "/catalogue"),
        (
            |r| r["steps"][0]["params"]["limit"] = json!({"$result": {"step": "who", "path": ""}}),
            "RECIPE_INVALID",
            "/steps/0/params/limit/$result/step",
        ),
        (|r| r["mappings"][0]["path"] = json!("rows"), "RECIPE_INVALID", "/mappings/0/path"),
        (|r| r["mappings"][0]["step"] = json!("none"), "RECIPE_INVALID", "/mappings/0/step"),
        (|r| r["mappings"][0]["ops"][0]["op"] = json!("pivot"), "RECIPE_INVALID", "/mappings/0/ops/0/op"),
        (|r| r["mappings"][1]["component"] = json!("cities"), "RECIPE_INVALID", "/mappings/1"),
        (|r| r["mappings"][0]["state"] = json!("/x"), "RECIPE_INVALID", "/mappings/0"),
        (|r| r["steps"] = json!([]), "RECIPE_INVALID", "/steps"),
        (|r| r["extra"] = json!(1), "RECIPE_INVALID", "/extra"),
    ];
    let mut world = World::new();
    for (change, code, place) in rows {
        let mut wrong = recipe();
        change(&mut wrong);
        let error = world.refused(json!({"op": "recipe.record", "canvas": "c", "recipe": wrong}));
        assert_eq!(error["code"], code, "{error}");
        assert_eq!(error["place"], format!("/recipe{place}"), "{error}");
        assert!(error["message"].as_str().is_some_and(|message| message.contains(':')), "{error}");
        let none = world.refused(json!({"op": "recipe.replay", "canvas": "c", "timezone": "UTC"}));
        assert_eq!(none["code"], "RECIPE_NOT_FOUND");
    }
}

/// Nested so deep.
fn nested(depth: usize) -> Value {
    (0..depth).fold(json!(1), |inner, _| json!([inner]))
}

#[test]
fn responses_that_do_not_fit_leave_their_component_as_it_was() {
    let large = json!({"rows": "x".repeat(1 << 20)});
    let wide = json!({"rows": [{"id": "x".repeat(300 << 10)}, {"id": "b"}]});
    let rows: [(Value, [&str; 3]); 6] = [
        (large, ["CALL_FAILED", "CALL_FAILED", "UPSTREAM"]),
        (json!({"rows": nested(70)}), ["CALL_FAILED", "CALL_FAILED", "UPSTREAM"]),
        (json!({"rows": {"none": 1}}), ["MAPPING_FAILED", "MAPPING_FAILED", "MAPPING_FAILED"]),
        (json!(null), ["MAPPING_FAILED", "MAPPING_FAILED", "MAPPING_FAILED"]),
        (json!({"rows": [{"id": "b", "amount": "much"}, {"id": "a"}]}), ["MAPPING_FAILED", "", ""]),
        (wide, ["", "", "MAPPING_FAILED"]),
    ];
    for (response, expected) in rows {
        let mut world = World::with_recipe();
        world.replay();
        let before = world.data();
        world.change_tool("orders", "result", response);
        let reply = world.replay();
        for (component, code) in ["cities", "dearest", "customer"].into_iter().zip(expected) {
            let stale = reply["stale"].as_array().unwrap().iter().find(|one| one["component"] == component);
            assert_eq!(
                stale.map_or("", |one| one["reason"].as_str().unwrap()),
                code,
                "{component}: {reply:.2000}"
            );
            if !code.is_empty() {
                let data = world.data();
                assert_eq!(data[component]["status"], "stale");
                assert_eq!(data[component]["data"], before[component]["data"]);
                assert!(data[component]["message"].as_str().is_some_and(|message| message.len() > 10));
            }
        }
    }
}

#[test]
fn a_tool_that_is_gone_closed_or_writes_is_not_called() {
    let rows: [(Change, &str); 4] = [
        (|host| drop(host["tools"].as_object_mut().unwrap().remove("orders")), "TOOL_GONE"),
        (|host| host["ceiling"] = json!({"allow": ["customer"]}), "PERMISSION_GONE"),
        (|host| host["tools"]["orders"]["readOnly"] = json!(false), "PERMISSION_GONE"),
        (|host| host["tools"]["orders"]["schema"] = json!({"type": "object"}), "CONTRACT_CHANGED"),
    ];
    for (change, code) in rows {
        let mut world = World::with_recipe();
        let mut host = crate::bridge_recipe::world::host();
        change(&mut host);
        world.ask(host);
        let reply = world.replay();
        assert_eq!(reply["calls"], json!([]), "{code}");
        let reasons: Vec<_> = reply["stale"].as_array().unwrap().iter().map(|one| &one["reason"]).collect();
        assert_eq!(reasons, [code, code, "UPSTREAM"]);
        assert_eq!(world.data()["cities"]["status"], "error");
        assert_eq!(reply["escalation"]["reasons"], json!([code, "UPSTREAM"]));
        world.ask(crate::bridge_recipe::world::host());
        assert_eq!(world.replay()["stale"], json!([]));
    }
}

#[test]
fn a_description_is_not_the_contract() {
    let mut world = World::with_recipe();
    world.change_tool("orders", "description", json!("Gives orders."));
    assert_eq!(world.replay()["stale"], json!([]));
}

#[test]
fn a_clock_that_goes_back_and_a_canvas_that_goes_away_are_no_trouble() {
    let mut world = World::with_recipe();
    world.replay();
    world.now -= 3_600_000;
    let earlier = world.replay();
    assert_eq!((&earlier["stale"], &earlier["patch"]), (&json!([]), &json!([])));
    world.change_tool("orders", "hold", json!(true));
    world.replay();
    let spec = json!({"version": 1, "mode": "html", "actions": {}});
    let owner = json!({"clientId": "w"});
    let mut surface = |method: &str, params: Value| {
        world.raw(json!({"op": "surface.request", "method": method, "params": params, "actor": owner}))
    };
    let made = surface("canvas.upsert", json!({"canvasId": "c", "spec": spec}));
    assert_eq!(made["ok"], json!(true), "{made}");
    assert_eq!(surface("canvas.delete", json!({"canvasId": "c"}))["ok"], json!(true));
    let error =
        world.refused(json!({"op": "recipe.settle", "canvas": "c", "step": "orders", "result": rows()}));
    assert_eq!(error["code"], "CANVAS_NOT_FOUND");
}

#[test]
fn wrong_requests_are_refused() {
    let mut world = World::with_recipe();
    for (request, code) in [
        (json!({"op": "recipe.replay", "canvas": "c", "timezone": "Mars/Base"}), "UNKNOWN_TIME_ZONE"),
        (json!({"op": "recipe.replay", "canvas": "c", "components": ["nobody"]}), "NOT_IN_RECIPE"),
        (json!({"op": "recipe.replay", "canvas": "c", "components": "cities"}), "BAD_REQUEST"),
        (json!({"op": "recipe.replay", "canvas": "none"}), "CANVAS_NOT_FOUND"),
        (json!({"op": "recipe.run", "canvas": "c", "runId": "none"}), "RUN_NOT_FOUND"),
        (json!({"op": "recipe.settle", "canvas": "c", "step": "orders", "result": 1}), "STEP_NOT_PENDING"),
        (json!({"op": "recipe.rerun", "run": {}, "responses": {}, "recipe": {}}), "BAD_REQUEST"),
        (json!({"op": "recipe.record", "canvas": "c", "recipe": 1}), "RECIPE_INVALID"),
        (
            json!({"op": "recipe.observe", "canvas": "c", "session": "main",
                "call": {"id": "1", "name": "orders", "arguments": {}}, "result": "x".repeat(2 << 20)}),
            "CALL_FAILED",
        ),
    ] {
        assert_eq!(world.refused(request.clone())["code"], code, "{:.200}", request.to_string());
    }
}
