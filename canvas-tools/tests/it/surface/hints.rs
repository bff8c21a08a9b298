//! Every failure of `gsv__Canvas` says what to do next: each code is provoked, and then the message is taken at its word.

use std::collections::BTreeSet;

use canvas_core::OpKey;
use canvas_core::testing::block_on;
use canvas_core::turn::Cancel;
use serde_json::{Value, json};

use super::world::{World, deploy_id, spec};

const MODEL: &str = "agent:main:main";

/// What the message of a failure leads to.
enum Then {
    /// It says to make this call, corrected.
    Correct(Value),
    /// It names `get`; the revision that this shows goes into this call.
    Get(Value),
    /// It names `list`, which does not show what was asked for.
    List,
    /// It says to stop.
    Stop,
}

#[track_caller]
fn check(world: &World, arguments: &Value, then: Then) -> String {
    let before = world.ask("canvas.get", json!({"canvasId": "deploy-prod"}));
    let failed = world.model(MODEL, arguments.clone());
    let error = &failed.body()["error"];
    let (code, message) = (failed.code().unwrap_or_default(), error["message"].as_str().unwrap_or_default());
    assert_eq!(world.ask("canvas.get", json!({"canvasId": "deploy-prod"})), before, "{message}");
    let succeeds = |arguments: Value| {
        let reply = world.model(MODEL, arguments.clone());
        assert!(reply.is_ok(), "{code}: {message} -> {arguments} {}", reply.body());
        reply
    };
    match then {
        Then::Correct(arguments) => drop(succeeds(arguments)),
        Then::Get(mut arguments) => {
            assert!(message.contains("gsv__Canvas with operation get"), "{code}: {message}");
            let shown = succeeds(json!({"operation": "get"}));
            arguments["expectedRevision"] = shown.body()["descriptor"]["revision"].clone();
            assert!(succeeds(arguments).is_ok());
        }
        Then::List => {
            assert!(message.contains("gsv__Canvas with operation list"), "{code}: {message}");
            let listed = succeeds(json!({"operation": "list"}));
            let names = listed.body()["canvases"].as_array().unwrap().iter().map(|one| &one["canvasId"]);
            assert!(names.into_iter().all(|name| *name != arguments["canvasId"]), "{}", listed.body());
        }
        Then::Stop => {
            assert!(message.contains("stop and wait for the next user message"), "{code}: {message}");
            assert!(!world.model(MODEL, arguments.clone()).is_ok());
        }
    }
    code.to_owned()
}

fn with(pointer: &str, value: Value) -> Value {
    let mut spec = spec();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    spec.pointer_mut(parent).unwrap()[name] = value;
    json!({"operation": "upsert", "spec": spec})
}

fn patch(op: &str, path: &str) -> Value {
    json!({"operation": "patchState", "patch": [{"op": op, "path": path, "value": "web"}]})
}

#[test]
fn every_failure_says_what_to_do_next() {
    let world = World::new();
    world.deploy_prod();
    let (fine, edit) = (json!({"operation": "upsert", "spec": spec()}), patch("replace", "/service"));
    let mut stale = edit.clone();
    stale["expectedRevision"] = json!(99);
    let command = "/actions/deploy/args/command";
    let mut large = patch("add", "/note");
    large["patch"][0]["value"] = "x".repeat(257 << 10).into();
    let rows = [
        (json!({"operation": "get", "canvasId": "none"}), Then::List),
        (stale, Then::Get(edit.clone())),
        (with("/version", json!(2)), Then::Correct(fine.clone())),
        (with(command, json!("./deploy {{")), Then::Correct(fine.clone())),
        (with(command, json!("eval {{state.version}}")), Then::Correct(fine.clone())),
        (with("/toolPolicy/allow", json!(["server-a__Bash", "server-a__Write"])), Then::Get(fine.clone())),
        (with("/actions/deploy/confirm", json!("never")), Then::Get(fine)),
        (patch("remove", "/none"), Then::Get(edit.clone())),
        (patch("add", "/__proto__"), Then::Get(edit.clone())),
        (patch("move", "/service"), Then::Correct(edit.clone())),
        (large, Then::Correct(patch("add", "/note"))),
        (
            json!({"operation": "upsert", "assets": {"../x": "y"}}),
            Then::Correct(json!({"operation": "upsert", "assets": {"assets/x": "y"}})),
        ),
        (json!({"operation": "patchState"}), Then::Correct(edit.clone())),
        (json!({"operation": "get", "patch": []}), Then::Correct(json!({"operation": "get"}))),
        (json!({"operation": "run"}), Then::Correct(json!({"operation": "get"}))),
    ];
    let mut codes = BTreeSet::new();
    for (arguments, then) in rows {
        codes.insert(check(&world, &arguments, then));
    }
    let key = OpKey::of(
        canvas_core::ConversationId::new("window").unwrap(),
        canvas_core::CallId::new("cancel").unwrap(),
    );
    block_on(world.engine.call(&deploy_id(), &key, Cancel, world.now())).unwrap().result.unwrap();
    codes.insert(check(&world, &edit, Then::Stop));
    assert_eq!(
        codes.into_iter().collect::<Vec<_>>(),
        [
            "INVALID_ARGUMENTS",
            "INVALID_PATH",
            "LOCK_NOT_AVAILABLE",
            "PATCH_FAILED",
            "POLICY_WIDENING",
            "REVISION_CONFLICT",
            "SPEC_INVALID",
            "STATE_PATH",
            "STATE_TOO_LARGE",
            "SURFACE_NOT_FOUND",
            "UNSUPPORTED_OP",
        ]
    );
}
