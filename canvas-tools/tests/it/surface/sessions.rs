//! What sessions see, and when they may act.

use canvas_core::rollout::Rollout;
use canvas_core::surface::AgentId;
use canvas_core::testing::block_on;
use canvas_core::turn::Cancel;
use canvas_core::{CodedError as _, OpKey, Policy};
use serde_json::json;

use super::world::{World, deploy_id, session};

const CANVAS: &str = "deploy-prod";

#[test]
fn sessions_see_the_surfaces_of_their_own_agent_only() {
    let mut world = World::new();
    world.deploy_prod();
    let ask = |world: &World, key: &str, method: &str| {
        let params = match method {
            "canvas.list" => json!({}),
            "canvas.patch" => {
                json!({"canvasId": CANVAS, "patch": [{"op": "replace", "path": "/service", "value": "web"}]})
            }
            "canvas.action" => json!({"canvasId": CANVAS, "actionId": "refreshLogs"}),
            "canvas.upsert" => json!({"canvasId": CANVAS, "title": "Mine"}),
            _ => json!({"canvasId": CANVAS}),
        };
        world.again(&world.fresh(), session(key), method, params).result
    };
    let methods =
        ["canvas.get", "canvas.upsert", "canvas.patch", "canvas.open", "canvas.close", "canvas.action"];
    for stranger in ["agent:ops:main", "main", "agent:main", "agent:"] {
        for method in methods {
            let refused = ask(&world, stranger, method).unwrap_err();
            assert_eq!(refused.code(), "SURFACE_NOT_FOUND", "{stranger} {method}");
            // The same as where there is none.
            let params = json!({"canvasId": "none", "actionId": "a"});
            if method == "canvas.action" {
                let none = world.again(&world.fresh(), session(stranger), method, params).result.unwrap_err();
                assert_eq!(none.to_json(), refused.to_json());
            }
        }
        assert_eq!(ask(&world, stranger, "canvas.list").unwrap()["canvases"], json!([]), "{stranger}");
    }
    for method in methods {
        ask(&world, "agent:main:other", method).unwrap_or_else(|error| panic!("{method}: {error}"));
    }
    assert_eq!(ask(&world, "agent:main:other", "canvas.list").unwrap()["canvases"][0]["canvasId"], CANVAS);

    // The host may add others.
    let (ops, main) = (AgentId::new("ops").unwrap(), AgentId::new("main").unwrap());
    world.ceiling.agents.insert(ops, [main].into());
    world.restart();
    assert!(ask(&world, "agent:ops:main", "canvas.get").is_ok());
}

#[test]
fn only_people_delete() {
    let world = World::new();
    world.deploy_prod();
    let params = json!({"canvasId": CANVAS});
    let refused = world.again("d", session("agent:main:main"), "canvas.delete", params.clone());
    assert!(refused.result.is_err());
    assert!(world.window("canvas.get", params.clone()).result.is_ok());
    world.ask("canvas.delete", params.clone());
    assert_eq!(world.refused("canvas.get", params), "SURFACE_NOT_FOUND");
}

#[test]
fn a_model_acts_in_its_own_turn() {
    let world = World::new();
    world.deploy_prod();
    let key = OpKey::of(
        canvas_core::ConversationId::new("window").unwrap(),
        canvas_core::CallId::new("cancel").unwrap(),
    );
    block_on(world.engine.call(&deploy_id(), &key, Cancel, world.now())).unwrap().result.unwrap();
    let patch = json!([{"op": "replace", "path": "/service", "value": "web"}]);
    let refused = world.model("agent:main:main", json!({"operation": "patchState", "patch": patch}));
    assert_eq!(refused.code(), Some("LOCK_NOT_AVAILABLE"), "{}", refused.body());
    assert!(world.model("agent:main:main", json!({"operation": "get"})).is_ok());
}

#[test]
fn the_rollout_opens_the_tool() {
    for (rollout, operations, get, patch) in [
        (Rollout::Off, None, "UNKNOWN_TOOL", "UNKNOWN_TOOL"),
        (Rollout::ReadOnly, Some(4), "OK", "TOOL_DISABLED"),
        (Rollout::Write, Some(6), "OK", "OK"),
        (Rollout::LeaseEnforced, Some(6), "OK", "OK"),
    ] {
        let mut world = World::new();
        world.deploy_prod();
        world.policy = Policy { rollout, ..Policy::default() };
        world.restart();
        let listed = canvas_tools::SurfaceTools::list(&world.policy);
        let of_spec = listed
            .first()
            .map(|tool| tool.parameters["properties"]["operation"]["enum"].as_array().map_or(0, Vec::len));
        assert_eq!(of_spec, operations, "{rollout:?} {listed:?}");
        let code = |reply: canvas_tools::ToolReply| reply.code().unwrap_or("OK").to_owned();
        let edit = json!([{"op": "replace", "path": "/service", "value": "web"}]);
        if operations.is_some() {
            assert_eq!(code(world.model("agent:main:main", json!({"operation": "get"}))), get);
            assert_eq!(
                code(world.model("agent:main:main", json!({"operation": "patchState", "patch": edit}))),
                patch
            );
        }
    }
}
