//! Turns that become recipes: observed and declared by the host, or by a model's tools.

use serde_json::{Value, json};

use crate::bridge_recipe::world::{Change, DAY, World, rows};

/// A turn of the session `main` that asks for orders, the customer of the first, and sends a mail.
fn turn(world: &mut World) {
    for (id, name, arguments, result) in [
        ("c1", "orders", json!({"from": "2026-04-08", "limit": 10, "where": {"$tag": "x"}}), rows()),
        ("c2", "customer", json!({"order": "b"}), json!({"name": "Ada"})),
        ("c3", "mail", json!({"to": "Ada"}), json!({"sent": true})),
    ] {
        let call = json!({"id": id, "name": name, "arguments": arguments});
        let observe =
            json!({"op": "recipe.observe", "canvas": "c", "session": "main", "call": call, "result": result});
        assert_eq!(world.ask(observe), json!({}));
    }
}

fn mappings() -> Value {
    json!([
        {"step": "c1", "path": "/rows/0/amount", "component": "amount"},
        {"step": "c2", "path": "/name", "component": "customer"},
        {"step": "c3", "path": "/sent", "component": "sent"},
    ])
}

fn params() -> Value {
    json!({
        "c1": {"/from": {"$date": "now-7d/d", "as": "date"}},
        "c2": {"/order": {"$result": {"step": "c1", "path": "/rows/0/id"}}},
    })
}

fn declare(changed: impl FnOnce(&mut Value)) -> Value {
    let mut request = json!({
        "op": "recipe.declare", "canvas": "c", "session": "main", "mappings": mappings(), "params": params(),
        "shown": {"amount": 20.0, "customer": "Ada"},
    });
    changed(&mut request);
    request
}

#[test]
fn a_turn_becomes_a_recipe_that_moves_with_time() {
    let mut world = World::new();
    turn(&mut world);
    let recorded = world.ask(declare(|_| {}));
    let frozen = &recorded["nonRefreshable"];
    assert_eq!((frozen.as_array().map(Vec::len), &frozen[0]["component"]), (Some(1), &json!("sent")));
    assert!(frozen[0]["reason"].as_str().unwrap().contains("read-only"), "{frozen}");
    let steps = &recorded["recipe"]["steps"];
    assert_eq!(steps[0]["params"]["from"], json!({"$date": "now-7d/d", "as": "date"}));
    assert_eq!(steps[1]["params"]["order"], json!({"$result": {"step": "c1", "path": "/rows/0/id"}}));
    assert!(steps[2]["params"]["$frozen"].is_string(), "{steps}");
    let data = world.data();
    assert_eq!((&data["amount"]["data"], &data["amount"]["status"]), (&json!(20), &json!("ready")));
    assert_eq!((&data["sent"]["data"], &data["sent"]["status"]), (&json!(true), &json!("frozen")));

    world.now += DAY;
    let reply = world.replay();
    let called: Vec<_> = reply["calls"].as_array().unwrap().iter().map(|call| &call["tool"]).collect();
    assert_eq!(called, ["orders", "customer"]);
    assert_eq!(
        reply["calls"][0]["params"],
        json!({"from": "2026-04-09", "limit": 10, "where": {"$tag": "x"}})
    );
    let stale = &reply["stale"];
    assert_eq!((&stale[0]["component"], &stale[0]["status"]), (&json!("sent"), &json!("frozen")));
    assert_eq!(reply["escalation"], Value::Null);
    assert_eq!(world.data()["sent"]["data"], true);
}

#[test]
fn a_declaration_must_reproduce_what_was_sent_and_shown() {
    let rows: [(Change, &str, &str); 12] = [
        (|r| r["params"]["c1"]["/from"]["$date"] = json!("now-8d/d"), "RECIPE_MISMATCH", "/params/c1/~1from"),
        (|r| r["params"]["c1"]["/from"]["as"] = json!("unix"), "RECIPE_MISMATCH", "/params/c1/~1from"),
        (
            |r| r["params"]["c2"]["/order"]["$result"]["path"] = json!("/rows/1/id"),
            "RECIPE_MISMATCH",
            "/params/c2/~1order",
        ),
        (
            |r| r["params"]["c2"]["/order"]["$result"]["path"] = json!("/none"),
            "RECIPE_MISMATCH",
            "/params/c2",
        ),
        (|r| r["shown"]["amount"] = json!(21), "RECIPE_MISMATCH", "/shown/amount"),
        (|r| r["shown"]["other"] = json!(21), "RECIPE_MISMATCH", "/shown/other"),
        (|r| r["mappings"][0]["path"] = json!("/none"), "RECIPE_MISMATCH", "/mappings/0/path"),
        (
            |r| r["params"]["c1"]["/from"]["$date"] = json!("now-7x"),
            "EXPR_INVALID",
            "/params/c1/~1from/$date",
        ),
        (|r| r["params"]["c1"]["/none"] = json!({"$date": "now"}), "RECIPE_INVALID", "/params/c1/~1none"),
        (|r| r["params"]["c9"] = json!({"": {"$frozen": "no"}}), "RECIPE_INVALID", "/params/c9"),
        (|r| r["mappings"][1]["step"] = json!("c9"), "RECIPE_INVALID", "/mappings/1/step"),
        (|r| r["timezone"] = json!("Mars/Base"), "RECIPE_INVALID", "/timezone"),
    ];
    for (change, code, place) in rows {
        let mut world = World::new();
        turn(&mut world);
        let error = world.refused(declare(change));
        assert_eq!((&error["code"], &error["place"]), (&json!(code), &json!(place)), "{error}");
        assert_eq!(world.data(), json!({}));
        let none = world.refused(json!({"op": "recipe.get", "canvas": "c"}));
        assert_eq!(none["code"], "RECIPE_NOT_FOUND");
    }
}

#[test]
fn a_frozen_argument_keeps_its_call_and_what_needs_it_from_being_made() {
    let mut world = World::new();
    turn(&mut world);
    let recorded = world.ask(declare(|request| {
        request["params"]["c1"]["/from"] = json!({"$frozen": "the user chose the day"});
    }));
    let frozen: Vec<_> =
        recorded["nonRefreshable"].as_array().unwrap().iter().map(|one| &one["component"]).collect();
    assert_eq!(frozen, ["amount", "customer", "sent"]);
    assert_eq!(recorded["nonRefreshable"][0]["reason"], "the user chose the day");
    assert_eq!(recorded["recipe"]["steps"][0]["params"]["from"]["value"], "2026-04-08");
    let reply = world.replay();
    assert_eq!(
        (&reply["calls"], &reply["patch"], &reply["escalation"]),
        (&json!([]), &json!([]), &Value::Null)
    );
}

#[test]
fn a_contract_that_changed_after_the_call_is_found_by_the_first_replay() {
    let mut world = World::new();
    turn(&mut world);
    world.change_tool("orders", "version", json!("2.0"));
    world.ask(declare(|_| {}));
    let reply = world.replay();
    assert_eq!(reply["calls"], json!([]));
    assert_eq!(
        (&reply["stale"][0]["reason"], &reply["stale"][1]["reason"]),
        (&json!("CONTRACT_CHANGED"), &json!("UPSTREAM"))
    );
}

#[test]
fn a_model_records_and_refreshes_by_its_tools() {
    let mut world = World::new();
    let names = world.ask(json!({"op": "tool.list", "toolset": "recipe"}));
    let names: Vec<_> = names["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["canvas_record_recipe", "canvas_refresh"]);
    let call = |world: &mut World, id: &str, name: &str, arguments: Value| {
        world.now += 10_000;
        world.ask(json!({
            "op": "tool.call", "canvas": "c", "session": "main", "call_id": id, "name": name, "arguments": arguments,
        }))
    };
    let none = call(&mut world, "1", "canvas_refresh", json!({}));
    assert_eq!((&none["ok"], &none["error"]["code"]), (&json!(false), &json!("RECIPE_NOT_FOUND")));
    assert!(none["error"]["message"].as_str().unwrap().contains("Next: "), "{none}");
    let declared = json!({"mappings": mappings(), "params": params()});
    let early = call(&mut world, "2", "canvas_record_recipe", declared.clone());
    assert_eq!(early["error"]["code"], "RECIPE_INVALID");
    world.now -= 20_000;
    turn(&mut world);
    let recorded = call(&mut world, "3", "canvas_record_recipe", declared.clone());
    assert_eq!(
        (&recorded["ok"], &recorded["non_refreshable"][0]["component"]),
        (&json!(true), &json!("sent")),
        "{recorded}"
    );
    assert_eq!(call(&mut world, "3", "canvas_record_recipe", declared), recorded);
    let refreshed = call(&mut world, "4", "canvas_refresh", json!({"components": ["customer"]}));
    assert_eq!(
        (&refreshed["ok"], &refreshed["refreshed"]),
        (&json!(true), &json!(["customer"])),
        "{refreshed}"
    );
    let wrong = call(&mut world, "5", "canvas_refresh", json!({"components": ["nobody"]}));
    assert_eq!(
        (&wrong["error"]["code"], &wrong["error"]["place"]),
        (&json!("NOT_IN_RECIPE"), &json!("/components/0"))
    );
    world.now -= 9_000;
    let soon = call(&mut world, "6", "canvas_refresh", json!({}));
    assert_eq!(soon["ok"], json!(true), "{soon}");
    world.now -= 9_000;
    let soon = call(&mut world, "7", "canvas_refresh", json!({}));
    assert_eq!((&soon["error"]["code"], &soon["error"]["retryable"]), (&json!("RATE_LIMITED"), &json!(true)));

    world.ask(json!({"op": "user.message", "canvas": "c", "session": "main"}));
    let gone = call(&mut world, "8", "canvas_record_recipe", json!({"mappings": mappings()}));
    assert_eq!(gone["error"]["code"], "RECIPE_INVALID");
}
