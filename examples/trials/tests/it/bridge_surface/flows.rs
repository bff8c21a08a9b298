//! What happens in order: confirming, holding, polling, restarting, undoing.

use serde_json::{Value, json};

use super::world::{World, host, kinds};

fn confirmation(error: &Value) -> Value {
    let prompt = &error["confirmation"];
    json!({"digest": prompt["digest"], "plannedAt": prompt["plannedAt"]})
}

fn confirmed(confirmation: &Value) -> Value {
    json!({"canvasId": "d", "actionId": "deploy", "confirmation": confirmation})
}

#[test]
fn what_is_confirmed_runs_as_it_was_shown() {
    let mut world = World::new();
    let asked = world.action("deploy")["error"].clone();
    assert_eq!(asked["code"], "CONFIRMATION_REQUIRED");
    let prompt = &asked["confirmation"];
    assert_eq!(prompt["tool"], "server-a__Bash");
    assert_eq!(prompt["args"], json!({"command": "./deploy 'api' '1.2.7'"}));
    assert_eq!(prompt["words"], json!(["./deploy", "api", "1.2.7"]));
    assert_eq!(prompt["expiresAt"].as_u64().unwrap() - prompt["plannedAt"].as_u64().unwrap(), 300_000);
    // Something else changes meanwhile.
    world.patch("/status", json!("busy"));
    let done = world.request("canvas.action", confirmed(&confirmation(&asked)));
    assert_eq!(done["calls"], json!([{"tool": "server-a__Bash", "args": prompt["args"]}]));
    assert_eq!(kinds(&json!({"result": done})), ["action.started", "updated", "action.finished"]);
    assert_eq!(done["result"]["result"], json!({"result": "done"}));
    assert_eq!(
        (done["audit"].as_array().unwrap().len(), &done["audit"][0]["actor"]),
        (1, &json!({"clientId": "w"}))
    );
    assert_eq!(world.state()["lastDeploy"], json!({"result": "done"}));
}

#[test]
fn a_stale_confirmation_runs_nothing() {
    let mut world = World::new();
    let asked = world.action("deploy")["error"].clone();
    let other = json!({"digest": "0".repeat(64), "plannedAt": asked["confirmation"]["plannedAt"]});
    assert_eq!(world.refused("canvas.action", confirmed(&other))["code"], "CONFIRM_STALE");
    world.patch("/version", json!("1.2.8"));
    assert_eq!(world.refused("canvas.action", confirmed(&confirmation(&asked)))["code"], "CONFIRM_STALE");
    world.patch("/version", json!("1.2.7"));
    world.now += 300_000;
    assert_eq!(world.refused("canvas.action", confirmed(&confirmation(&asked)))["code"], "CONFIRM_STALE");
}

#[test]
fn a_held_call_is_settled_once() {
    let mut world = World::new();
    world.ask(host(json!({"hold": true})));
    let request = json!({
        "op": "surface.request", "method": "canvas.action", "actor": {"clientId": "w"}, "call_id": "press",
        "params": {"canvasId": "d", "actionId": "refreshLogs"},
    });
    let held = world.ask(request.clone());
    assert_eq!(held["result"]["pending"], true);
    assert_eq!(
        (kinds(&held), held["calls"].as_array().unwrap().len()),
        (vec!["action.started".to_owned()], 1)
    );
    let event = held["result"]["eventId"].clone();
    let again = world.raw(request.clone());
    assert_eq!(again["error"]["code"], "ACTION_IN_PROGRESS", "{again}");
    // The host may be another one by now.
    world.ask(host(json!({"result": "other"})));
    let settled = world.ask(json!({"op": "surface.settle", "eventId": event, "result": {"result": "tail"}}));
    assert_eq!(settled["result"]["saved"], true);
    assert_eq!(kinds(&settled), ["updated", "action.finished"]);
    let late = world.raw(json!({"op": "surface.settle", "eventId": event, "result": "again"}));
    assert_eq!(late["ok"], false);
    assert_eq!(world.state()["logsTail"], json!({"result": "tail"}));
    let again = world.ask(request);
    assert_eq!((&again["result"]["eventId"], &again["calls"]), (&event, &json!([])));
    assert_eq!(world.audit().as_array().unwrap().len(), 1);
}

#[test]
fn a_save_does_not_replace_what_was_changed_meanwhile() {
    let mut world = World::new();
    world.ask(host(json!({"hold": true})));
    let event = world.action("refreshLogs")["result"]["result"]["eventId"].clone();
    world.patch("/logsTail", json!("mine"));
    let settled = world.ask(json!({"op": "surface.settle", "eventId": event, "result": "theirs"}));
    assert_eq!(settled["result"]["saved"], false);
    assert_eq!(settled["result"]["unsaved"]["code"], "SAVE_CONFLICT");
    assert_eq!(kinds(&settled), ["action.finished"]);
    assert_eq!(world.state()["logsTail"], "mine");
}

#[test]
fn a_call_that_takes_too_long_fails_and_its_answer_is_dropped() {
    for settles in [true, false] {
        let mut world = World::new();
        world.ask(host(json!({"hold": true})));
        let event = world.action("refreshLogs")["result"]["result"]["eventId"].clone();
        world.now += 30_000;
        if settles {
            let late = world.raw(json!({"op": "surface.settle", "eventId": event, "result": "late"}));
            assert_eq!(
                (&late["error"]["code"], kinds(&late)),
                (&json!("TOOL_TIMEOUT"), vec!["action.failed".to_owned()])
            );
        } else {
            let polled = world.ask(json!({"op": "surface.poll"}));
            assert_eq!(kinds(&polled)[0], "action.failed");
        }
        assert_eq!(world.state()["logsTail"], Value::Null);
        assert_eq!(world.audit()[0]["outcome"], "timedOut");
    }
}

#[test]
fn a_restart_loses_what_was_under_way_and_nothing_else() {
    let mut world = World::new();
    world.request("canvas.open", json!({"canvasId": "d"}));
    world.ask(host(json!({"hold": true})));
    let request = json!({
        "op": "surface.request", "method": "canvas.action", "actor": {"clientId": "w"}, "call_id": "press",
        "params": {"canvasId": "d", "actionId": "refreshLogs"},
    });
    let event = world.ask(request.clone())["result"]["eventId"].clone();
    let before = world.get();
    world.ask(json!({"op": "host.restart"}));
    world.ask(host(json!({"result": "new"})));
    let after = world.get();
    assert_eq!(
        (&after["state"], &after["spec"], &after["views"]),
        (&before["state"], &before["spec"], &json!([]))
    );
    assert_eq!(world.raw(json!({"op": "surface.settle", "eventId": event, "result": "x"}))["ok"], false);
    assert_eq!(world.raw(request.clone())["error"]["code"], "ACTION_IN_PROGRESS");
    world.now += 30_000;
    for _ in 0..2 {
        let lost = world.raw(request.clone());
        assert_eq!(
            (&lost["error"]["code"], &lost["error"]["calls"]),
            (&json!("ACTION_LOST"), &json!([])),
            "{lost}"
        );
    }
    assert_eq!(world.audit()[0]["outcome"], "lost");
    // The job is found in the store.
    let polled = world.ask(json!({"op": "surface.poll"}));
    assert!(polled["nextDue"].is_u64(), "{polled}");
}

#[test]
fn undo_goes_below_a_poll() {
    let mut world = World::new();
    world.patch("/version", json!("1.2.8"));
    world.now += 31_000;
    let polled = world.ask(json!({"op": "surface.poll"}));
    assert_eq!(
        polled["ran"],
        json!([{"canvasId": "d", "jobId": "pollLogs", "actionId": "refreshLogs", "outcome": "finished"}])
    );
    assert_eq!(polled["calls"][0]["args"], json!({"command": "journalctl -u 'api' -n 80"}));
    let undone = world.ask(json!({"op": "history.undo", "canvas": "d"}));
    assert_eq!(undone["undone"].as_array().unwrap().len(), 1);
    let state = world.state();
    assert_eq!((&state["version"], &state["logsTail"]), (&json!("1.2.7"), &json!({"result": "done"})));
}

#[test]
fn a_job_runs_once_a_period_and_not_while_it_runs() {
    let mut world = World::new();
    world.ask(host(json!({"hold": true})));
    world.now += 31_000;
    let polled = world.ask(json!({"op": "surface.poll"}));
    assert_eq!(polled["ran"][0]["outcome"], "pending");
    let event = polled["events"][0]["eventId"].clone();
    for _ in 0..5 {
        assert_eq!(world.ask(json!({"op": "surface.poll"}))["ran"], json!([]));
    }
    world.ask(json!({"op": "surface.settle", "eventId": event, "result": "tail"}));
    let settled = world.now;
    let next = world.ask(json!({"op": "surface.poll"}))["nextDue"].as_u64().unwrap();
    assert_eq!(next, settled + 30_000);
    // A spec without the job ends it.
    let mut spec = super::world::spec();
    spec["refresh"][0]["enabled"] = json!(false);
    world.request("canvas.upsert", json!({"canvasId": "d", "spec": spec}));
    world.now += 100_000;
    let polled = world.ask(json!({"op": "surface.poll"}));
    assert_eq!((&polled["ran"], &polled["nextDue"]), (&json!([]), &Value::Null));
}
