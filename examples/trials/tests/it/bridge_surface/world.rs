//! A bridge with a host of tools and the deploy canvas, and how tests speak to it.

use canvas_examples::bridge::Bridge;
use serde_json::{Value, json};

/// A clock that goes on by a second with each request that names no time.
pub(crate) struct World {
    pub(crate) bridge: Bridge,
    pub(crate) now: u64,
}

pub(crate) fn spec() -> Value {
    serde_json::from_str(include_str!("../../../../../canvas-tools/tests/it/surface/deploy.json")).unwrap()
}

/// The tools of the example; the shell answers this.
pub(crate) fn host(bash: Value) -> Value {
    let mut bash = bash;
    bash["schema"] =
        json!({"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]});
    json!({
        "op": "surface.host",
        "tools": {"server-a__Bash": bash, "server-a__Read": {"readOnly": true}, "gsv__LogsGet": {"readOnly": true}},
        "sessions": {"agent:main:main": "1. look"},
        "ceiling": {"trust": ["server-a__Bash"]},
    })
}

impl World {
    /// Without a canvas.
    pub(crate) fn bare() -> Self {
        let mut world = Self { bridge: Bridge::new(), now: 1_730_000_000_000 };
        world.ask(host(json!({"result": {"result": "done"}})));
        world
    }

    /// With the example on the canvas `d`.
    pub(crate) fn new() -> Self {
        let mut world = Self::bare();
        world.request(
            "canvas.create",
            json!({
                "canvasId": "d", "title": "Deploy", "spec": spec(), "assets": {"assets/index.html": "<p>"},
            }),
        );
        world
    }

    pub(crate) fn raw(&mut self, mut request: Value) -> Value {
        self.now += 1_000;
        let fields = request.as_object_mut().expect("an object");
        fields.entry("now").or_insert(json!(self.now));
        let reply = self.bridge.call(&request.to_string());
        assert!(!reply.contains('\n'), "a reply is one line");
        serde_json::from_str(&reply).expect("a reply is JSON")
    }

    #[track_caller]
    pub(crate) fn ask(&mut self, request: Value) -> Value {
        let reply = self.raw(request);
        assert_eq!(reply["ok"], json!(true), "{reply}");
        reply["result"].clone()
    }

    pub(crate) fn send(&mut self, method: &str, params: Value) -> Value {
        self.raw(
            json!({"op": "surface.request", "method": method, "params": params, "actor": {"clientId": "w"}}),
        )
    }

    /// The result of a request that is done.
    #[track_caller]
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let reply = self.send(method, params);
        assert_eq!(reply["ok"], json!(true), "{reply}");
        reply["result"].clone()
    }

    /// The error of one that is refused: nothing has happened.
    #[track_caller]
    pub(crate) fn refused(&mut self, method: &str, params: Value) -> Value {
        let error = self.send(method, params)["error"].clone();
        for happened in ["events", "audit", "calls"] {
            assert_eq!(error[happened], json!([]), "{error}");
        }
        error
    }

    pub(crate) fn action(&mut self, action: &str) -> Value {
        self.send("canvas.action", json!({"canvasId": "d", "actionId": action}))
    }

    #[track_caller]
    pub(crate) fn patch(&mut self, path: &str, value: Value) -> Value {
        let patch = json!([{"op": "replace", "path": path, "value": value}]);
        self.request("canvas.patch", json!({"canvasId": "d", "patch": patch}))["result"].clone()
    }

    pub(crate) fn get(&mut self) -> Value {
        self.request("canvas.get", json!({"canvasId": "d"}))["result"].clone()
    }

    pub(crate) fn state(&mut self) -> Value {
        self.get()["state"].clone()
    }

    pub(crate) fn audit(&mut self) -> Value {
        self.ask(json!({"op": "surface.audit", "canvas": "d"}))["records"].clone()
    }
}

/// The kinds of events in a reply, without their common beginning.
pub(crate) fn kinds(reply: &Value) -> Vec<String> {
    let events = reply.pointer("/result/events").or_else(|| reply.pointer("/error/events"));
    let events = events.or_else(|| reply.get("events")).and_then(Value::as_array);
    let kind = |event: &Value| event["event"].as_str().unwrap().replace("canvas.", "");
    events.into_iter().flatten().map(kind).collect()
}
