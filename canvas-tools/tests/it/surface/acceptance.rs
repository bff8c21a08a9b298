//! What the source document of surfaces asks for, point by point. Its points 2 and 5 are a browser's.

use std::sync::Arc;

use canvas_core::testing::block_on;
use canvas_tools::Session;
use serde_json::json;

use super::world::{BASH, PAGE, World, deploy_id, spec, told, window};

#[test]
fn agent_can_create_canvas_with_state_and_actions() {
    let world = World::new();
    let made = world.model("agent:main:main", json!({
        "operation": "upsert", "title": "Deploy Cockpit", "spec": spec(), "assets": {"assets/index.html": PAGE},
    }));
    assert!(made.is_ok(), "{}", made.body());
    assert_eq!(made.body()["created"], true);
    let seen = world.model("agent:main:main", json!({"operation": "get"}));
    let body = seen.body();
    assert_eq!((&body["state"], &body["spec"]), (&spec()["state"], &spec()));
    let descriptor = &body["descriptor"];
    for (field, expected) in [
        ("canvasId", "deploy-prod"),
        ("agentId", "main"),
        ("title", "Deploy Cockpit"),
        ("ownerSessionKey", "agent:main:main"),
        ("mode", "html"),
    ] {
        assert_eq!(descriptor[field], expected, "{descriptor}");
    }
    assert_eq!(body["assets"][0]["path"], "assets/index.html");
}

#[test]
fn gateway_executes_allowed_tool_action_without_llm_hop() {
    let mut world = World::new();
    world.deploy_prod();
    let reply = world.confirmed("deploy");
    let answer = reply.result.unwrap();
    assert_eq!(answer["result"], json!({"result": "ran ./deploy 'api' '1.2.7'"}));
    // Only the tool was asked, and no session.
    assert_eq!(world.host.take(), [json!({"command": "./deploy 'api' '1.2.7'"})]);
    // One that the host does not allow is not executed.
    world.ceiling.allow = Some([].into());
    world.restart();
    assert_eq!(
        world.refused("canvas.action", json!({"canvasId": "deploy-prod", "actionId": "deploy"})),
        "TOOL_NOT_ALLOWED"
    );
    assert!(world.host.take().is_empty());
}

#[test]
fn action_result_is_persisted_into_state_and_broadcast_live() {
    let world = World::new();
    let made = world.deploy_prod();
    for client in 0..1_000 {
        let opened = world.again(
            &world.fresh(),
            window(&format!("window-{client}")),
            "canvas.open",
            json!({"canvasId": "deploy-prod"}),
        );
        assert!(opened.result.is_ok());
    }
    let reply = world.confirmed("deploy");
    let result = json!({"result": "ran ./deploy 'api' '1.2.7'"});
    let answer = reply.result.unwrap();
    assert_eq!((&answer["saved"], &answer["result"]), (&json!(true), &result));
    assert_eq!(world.state()["lastDeploy"], result);
    let revision = answer["revision"].as_u64().unwrap();
    assert_eq!(revision, made["descriptor"]["revision"].as_u64().unwrap() + 1);
    assert_eq!(
        told(&reply.events),
        [
            "canvas.action.started",
            "canvas.updated[\"/lastDeploy\"]",
            "canvas.action.finished[\"/lastDeploy\"]"
        ]
    );
    let event = json!(reply.events[1]);
    assert_eq!((&event["canvasId"], &event["revision"]), (&json!("deploy-prod"), &json!(revision)));
    assert_eq!((&event["actionId"], &event["eventId"]), (&json!("deploy"), &answer["eventId"]));

    // Its text is made once, whoever gets it.
    let text = reply.events[1].encode();
    let sent: Vec<_> =
        world.door.followers(&deploy_id()).into_iter().map(|client| (client, Arc::clone(&text))).collect();
    assert_eq!((sent.len(), Arc::strong_count(&text)), (1_000, 1_001));
}

#[test]
fn canvas_persists_across_reconnects_and_session_resets() {
    let mut world = World::new();
    world.deploy_prod();
    world.confirmed("deploy").result.unwrap();
    let before = world.ask("canvas.get", json!({"canvasId": "deploy-prod"}));
    world.restart();
    assert_eq!(world.ask("canvas.get", json!({"canvasId": "deploy-prod"})), before);

    let who = canvas_core::ConversationId::new("agent:main:main").unwrap();
    let session = block_on(Session::open(&world.engine, deploy_id(), who, world.now())).unwrap();
    let call = canvas_core::CallId::new("forget").unwrap();
    block_on(session.forget(&world.engine, call, world.now())).unwrap();
    let seen = world.model("agent:main:main", json!({"operation": "get"}));
    assert_eq!((&seen.body()["state"], &seen.body()["spec"]), (&before["state"], &before["spec"]));
    assert_eq!(world.confirmed("deploy").result.unwrap()["saved"], true);
}

/// Four actions and the job, as written.
#[test]
fn the_example_runs_as_it_is_written() {
    let world = World::new();
    world.deploy_prod();

    assert_eq!(world.confirmed("deploy").result.unwrap()["saved"], true);
    let by_binding =
        world.ask("canvas.action", json!({"canvasId": "deploy-prod", "binding": "buttons.refreshLogs"}));
    assert_eq!(by_binding["result"], json!({"result": "ran journalctl -u 'api' -n 80"}));
    let plan = world.ask("canvas.action", json!({"canvasId": "deploy-prod", "actionId": "assistantPlan"}));
    assert_eq!(plan["result"], "1. look");
    let set = world.ask("canvas.action", json!({"canvasId": "deploy-prod", "actionId": "setDeploying"}));
    assert_eq!(set["saved"], true);
    assert_eq!(
        world.state(),
        json!({
            "service": "api", "version": "1.2.7", "status": "deploying",
            "logsTail": {"result": "ran journalctl -u 'api' -n 80"},
            "lastDeploy": {"result": "ran ./deploy 'api' '1.2.7'"},
            "assistant": {"plan": "1. look"},
        })
    );
    world.host.take();
    assert_eq!(world.poll(), [("refreshLogs".to_owned(), "OK")]);
    assert_eq!(world.host.take(), [json!({"command": "journalctl -u 'api' -n 80"})]);

    let audit: Vec<_> = world.audit().iter().map(|record| record["actionId"].clone()).collect();
    assert_eq!(audit, ["deploy", "refreshLogs", "assistantPlan", "setDeploying", "refreshLogs"]);
    let last = world.audit().pop().unwrap();
    assert_eq!((&last["jobId"], &last["tool"]), (&json!("pollLogs"), &json!(BASH)));
    assert_eq!(last["actor"], json!({"sessionKey": "agent:main:main"}));
}
