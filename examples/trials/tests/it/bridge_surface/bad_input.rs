//! Bad input is refused with a code, a place and a sentence; nothing is changed and nothing is run.

use serde_json::{Value, json};

use super::world::{World, spec};

#[track_caller]
fn check(world: &mut World, method: &str, params: Value, code: &str, place: &str) {
    let before = world.get();
    let error = world.refused(method, params.clone());
    let first = error["place"].as_str();
    assert_eq!((error["code"].as_str(), first), (Some(code), Some(place)), "{method} {params}: {error}");
    assert!(error["message"].as_str().unwrap().contains(": "), "{error}");
    assert_eq!(world.get(), before);
}

#[test]
fn bad_requests() {
    let mut world = World::new();
    let patch = |operations: Value| json!({"canvasId": "d", "patch": operations});
    let action = |fields: Value| {
        let mut params = fields;
        params["canvasId"] = "d".into();
        params
    };
    let deep = (0..80).fold(json!(1), |inner, _| json!([inner]));
    for (method, params, code, place) in [
        ("canvas.action", action(json!({"actionId": "none"})), "ACTION_NOT_FOUND", "/actionId"),
        ("canvas.action", action(json!({"binding": "none"})), "ACTION_NOT_FOUND", "/binding"),
        ("canvas.action", action(json!({})), "BAD_REQUEST", "/actionId"),
        (
            "canvas.action",
            action(json!({"actionId": "deploy", "binding": "buttons.deployNow"})),
            "BAD_REQUEST",
            "/actionId",
        ),
        ("canvas.action", action(json!({"actionId": "refreshLogs", "tool": "x"})), "BAD_REQUEST", "/tool"),
        (
            "canvas.action",
            action(json!({"actionId": "refreshLogs", "input": "x".repeat(17 << 10)})),
            "STATE_TOO_LARGE",
            "/input",
        ),
        (
            "canvas.action",
            action(json!({"actionId": "refreshLogs", "input": deep})),
            "STATE_TOO_LARGE",
            "/input",
        ),
        (
            "canvas.action",
            action(json!({"actionId": "refreshLogs", "expectedRevision": 99})),
            "REVISION_CONFLICT",
            "/expectedRevision",
        ),
        (
            "canvas.patch",
            json!({"canvasId": "d", "patch": [], "expectedRevision": 99}),
            "REVISION_CONFLICT",
            "/expectedRevision",
        ),
        (
            "canvas.patch",
            patch(json!([{"op": "move", "from": "/service", "path": "/x"}])),
            "UNSUPPORTED_OP",
            "/patch/0/op",
        ),
        (
            "canvas.patch",
            patch(json!([{"op": "add", "path": "/__proto__", "value": 1}])),
            "STATE_PATH",
            "/patch/0/path",
        ),
        (
            "canvas.patch",
            patch(json!([{"op": "add", "path": "/constructor/x", "value": 1}])),
            "STATE_PATH",
            "/patch/0/path",
        ),
        ("canvas.patch", patch(json!([{"op": "remove", "path": "/none"}])), "PATCH_FAILED", "/patch/0/path"),
        (
            "canvas.patch",
            patch(json!([{"op": "add", "path": "/x", "value": "x".repeat(257 << 10)}])),
            "STATE_TOO_LARGE",
            "/patch",
        ),
        (
            "canvas.upsert",
            json!({"canvasId": "d", "assets": {"assets/../x": "y"}}),
            "INVALID_PATH",
            "/assets/assets~1..~1x",
        ),
        (
            "canvas.upsert",
            json!({"canvasId": "d", "assets": {"assets/%2e%2e/x": "y"}}),
            "INVALID_PATH",
            "/assets/assets~1%2e%2e~1x",
        ),
        ("canvas.create", json!({"canvasId": "d", "spec": spec()}), "CANVAS_EXISTS", "/canvasId"),
    ] {
        check(&mut world, method, params, code, place);
    }
}

#[test]
fn bad_specs() {
    let mut world = World::new();
    let with = |pointer: &str, value: Value| {
        let mut spec = spec();
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        spec.pointer_mut(parent).unwrap()[name] = value;
        spec
    };
    let bash =
        |command: &str| json!({"kind": "tool.call", "tool": "server-a__Bash", "args": {"command": command}});
    for (spec, code, place) in [
        (with("/toolPolicy/allow", json!(["server-a__*"])), "SPEC_INVALID", "/toolPolicy/allow/0"),
        (with("/actions/deploy/tool", json!("server-a__Write")), "TOOL_NOT_ALLOWED", "/actions/deploy/tool"),
        (with("/actions/deploy/tool", json!("{{state.service}}")), "SPEC_INVALID", "/actions/deploy/tool"),
        (
            with("/actions/deploy/args/command", json!("./deploy {{state.version")),
            "TEMPLATE_INVALID",
            "/actions/deploy/args/command",
        ),
        (
            with("/actions/deploy/args/command", json!("./deploy {{state.constructor}}")),
            "TEMPLATE_INVALID",
            "/actions/deploy/args/command",
        ),
        (
            with("/actions/deploy/args/command", json!("sh -c {{state.version}}")),
            "TEMPLATE_SINK_FORBIDDEN",
            "/actions/deploy/args/command",
        ),
        (with("/actions/deploy/saveAs", json!("__proto__.x")), "STATE_PATH", "/actions/deploy/saveAs"),
        (with("/bindings/x", json!("none")), "SPEC_INVALID", "/bindings/x"),
        (with("/refresh/0/action", json!("deploy")), "SPEC_INVALID", "/refresh/0/action"),
        (with("/refresh/0/action", json!("assistantPlan")), "SPEC_INVALID", "/refresh/0/action"),
        (with("/refresh/0/everyMs", json!(999)), "SPEC_INVALID", "/refresh/0/everyMs"),
        (with("/version", json!(2)), "SPEC_INVALID", "/version"),
        (
            with("/actions/more", bash("x; {{state.version}}")),
            "TEMPLATE_SINK_FORBIDDEN",
            "/actions/more/args/command",
        ),
    ] {
        let checked = world.ask(json!({"op": "surface.check", "spec": spec}));
        assert_eq!(
            (&checked["errors"][0]["code"], &checked["errors"][0]["place"]),
            (&json!(code), &json!(place)),
            "{checked}"
        );
        let before = world.get();
        let error = world.refused("canvas.upsert", json!({"canvasId": "d", "spec": spec}));
        assert_eq!(error["errors"][0]["code"], code, "{error}");
        assert_eq!(world.get(), before);
    }
    let fine = world.ask(json!({"op": "surface.check", "spec": spec()}));
    assert_eq!(fine["errors"], json!([]));
}

/// Values that look like templates or commands stay values.
#[test]
fn values_are_never_read_again() {
    let mut world = World::new();
    for hostile in ["{{state.service}}", "{{", "$(id)", "'; id; '", "\u{0}"] {
        world.patch("/service", json!(hostile));
        let reply = world.action("refreshLogs");
        if hostile.contains('\0') {
            assert_eq!(reply["error"]["code"], "VALUE_REFUSED", "{reply}");
            continue;
        }
        let quoted = format!("'{}'", hostile.replace('\'', r"'\''"));
        assert_eq!(reply["result"]["calls"][0]["args"]["command"], format!("journalctl -u {quoted} -n 80"));
    }
}

#[test]
fn results_that_are_too_large_are_not_saved() {
    let mut world = World::new();
    let deep = (0..80).fold(json!(1), |inner, _| json!([inner]));
    for result in [json!("x".repeat(129 << 10)), deep] {
        world.ask(super::world::host(json!({"result": result})));
        let reply = world.request("canvas.action", json!({"canvasId": "d", "actionId": "refreshLogs"}));
        assert_eq!(reply["result"]["saved"], false);
        assert_eq!(reply["result"]["unsaved"]["code"], "STATE_TOO_LARGE");
        assert_eq!(world.state()["logsTail"], Value::Null);
    }
}
