//! What requests and replies look like.

use serde_json::{Value, json};

use super::world::{World, kinds, spec};

fn keys(value: &Value) -> String {
    value.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(" ")
}

#[test]
fn every_method_answers_with_its_members() {
    let mut world = World::bare();
    for (method, params, result, events) in [
        (
            "canvas.create",
            json!({"canvasId": "d", "spec": spec(), "assets": {"assets/a.bin": {"base64": "AP8="}}}),
            "descriptor",
            vec!["updated"],
        ),
        ("canvas.get", json!({"canvasId": "d"}), "assets descriptor spec state views", vec![]),
        ("canvas.list", json!({}), "canvases", vec![]),
        ("canvas.upsert", json!({"canvasId": "d", "title": "D"}), "created descriptor", vec!["updated"]),
        ("canvas.upsert", json!({"canvasId": "d", "title": "D"}), "created descriptor", vec![]),
        (
            "canvas.patch",
            json!({"canvasId": "d", "patch": [{"op": "add", "path": "/x", "value": 1}]}),
            "changedPaths revision",
            vec!["updated"],
        ),
        (
            "canvas.patch",
            json!({"canvasId": "d", "patch": [{"op": "add", "path": "/x", "value": 1}]}),
            "changedPaths revision",
            vec![],
        ),
        ("canvas.open", json!({"canvasId": "d"}), "views", vec!["view.updated"]),
        ("canvas.open", json!({"canvasId": "d"}), "views", vec![]),
        ("canvas.close", json!({"canvasId": "d"}), "views", vec!["view.updated"]),
        (
            "canvas.action",
            json!({"canvasId": "d", "binding": "buttons.refreshLogs"}),
            "eventId result revision saved",
            vec!["action.started", "updated", "action.finished"],
        ),
        ("canvas.delete", json!({"canvasId": "d"}), "", vec!["updated"]),
    ] {
        let reply = world.request(method, params);
        assert_eq!(
            (keys(&reply["result"]).as_str(), kinds(&reply)),
            (result, events.iter().map(|e| (*e).to_owned()).collect::<Vec<_>>()),
            "{method} {reply}"
        );
        assert_eq!(keys(&reply), "audit calls events result");
    }
}

#[test]
fn files_are_served_by_the_paths_of_browsers() {
    let mut world = World::new();
    let assets = json!({"assets/a b.bin": {"base64": "AP8="}});
    world.request("canvas.upsert", json!({"canvasId": "d", "assets": assets}));
    for (path, expected) in [
        ("assets/index.html", json!({"text": "<p>", "mediaType": "text/html; charset=utf-8", "bytes": 3})),
        ("assets/a%20b.bin", json!({"base64": "AP8=", "mediaType": "application/octet-stream", "bytes": 2})),
    ] {
        assert_eq!(world.ask(json!({"op": "surface.file", "canvas": "d", "path": path})), expected);
    }
    for path in [
        "assets/../spec.json",
        "assets/%2e%2e/spec.json",
        "assets/%252e%252e/spec.json",
        "/assets/index.html",
        "assets\\..\\spec.json",
        "spec.json",
        "assets//index.html",
        "assets/index.html%00",
        "",
    ] {
        let refused = world.raw(json!({"op": "surface.file", "canvas": "d", "path": path}));
        assert_eq!(
            (&refused["error"]["code"], &refused["error"]["place"]),
            (&json!("INVALID_PATH"), &json!("/path")),
            "{path} {refused}"
        );
    }
    let missing = world.raw(json!({"op": "surface.file", "canvas": "d", "path": "assets/none"}));
    assert_eq!(missing["error"]["code"], "ASSET_NOT_FOUND");
}

#[test]
fn templates_are_resolved_by_sink_and_schema() {
    let mut world = World::bare();
    for (request, expected) in [
        (json!({"template": "./deploy {{state.v}}", "sink": "shell"}), json!("./deploy '1; id'")),
        (json!({"template": {"a": ["{{state.n}}"]}}), json!({"a": ["5"]})),
        (
            json!({"template": {"a": "{{state.n}}"}, "schema": {"properties": {"a": {"type": "integer"}}}}),
            json!({"a": 5}),
        ),
        (json!({"template": "{{runtime.now}}"}), json!("2024-10-27T03:33:20.000Z")),
        (json!({"template": "{{ \"{{\" }}"}), json!("{{")),
        (json!({"template": "{{input.gone}}|"}), json!("|")),
    ] {
        let mut request = request;
        request["op"] = "surface.template".into();
        request["state"] = json!({"v": "1; id", "n": 5});
        request["input"] = json!({});
        request["now"] = 1_730_000_000_000_u64.into();
        assert_eq!(world.ask(request.clone())["value"], expected, "{request}");
    }
    for (request, code) in [
        (json!({"template": "{{state.v"}), "TEMPLATE_INVALID"),
        (json!({"template": "{{state.__proto__}}"}), "TEMPLATE_INVALID"),
        (json!({"template": "eval {{state.v}}", "sink": "shell"}), "TEMPLATE_SINK_FORBIDDEN"),
        (json!({"template": "{{state.gone}}", "required": ["state.gone"]}), "TEMPLATE_MISSING"),
        (json!({"template": "cat x{{state.gone}}", "sink": "shell"}), "VALUE_REFUSED"),
        (
            json!({"template": {"a": "b"}, "schema": {"properties": {"a": {"type": "integer"}}}}),
            "ARGUMENTS_REFUSED",
        ),
    ] {
        let mut request = request;
        request["op"] = "surface.template".into();
        request["state"] = json!({"v": "1; id"});
        let refused = world.raw(request.clone());
        assert_eq!(refused["error"]["code"], code, "{request} {refused}");
        assert!(refused["error"]["errors"][0]["place"].is_string());
    }
}
