//! A board behind a bridge, and how tests speak to it.

use std::collections::BTreeSet;

use canvas_examples::bridge::Bridge;
use serde_json::{Value, json};

/// A bridge with a board on the canvas `c`, and a clock that goes on by a second with each request.
pub(crate) struct World {
    pub(crate) bridge: Bridge,
    pub(crate) now: u64,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with_grid(12, 8)
    }

    pub(crate) fn with_grid(columns: u32, rows: u32) -> Self {
        let mut world = Self { bridge: Bridge::new(), now: 0 };
        world.ask(json!({"op": "board.create", "grid": grid(columns, rows)}));
        world
    }

    pub(crate) fn raw(&mut self, mut request: Value) -> Value {
        self.now += 1_000;
        let fields = request.as_object_mut().expect("an object");
        if !matches!(fields["op"].as_str(), Some("board.data" | "board.registry")) {
            fields.entry("canvas").or_insert(json!("c"));
        }
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

    #[track_caller]
    pub(crate) fn command(&mut self, kind: &str, payload: Value) -> Value {
        let command = json!({"type": kind, "payload": payload});
        self.ask(json!({"op": "board.command", "source": "assistant", "command": command}))
    }

    #[track_caller]
    pub(crate) fn action(&mut self, action: Value) -> Value {
        self.ask(json!({"op": "board.action", "action": action}))
    }

    /// The id of a stat tile of two cells that was made there.
    #[track_caller]
    pub(crate) fn tile(&mut self, col: u32, row: u32) -> Value {
        let made = self.command("component.create", tile(col, row));
        assert_eq!(made["success"], json!(true), "{made}");
        made["affectedComponentIds"][0].clone()
    }

    pub(crate) fn get(&mut self) -> Value {
        self.ask(json!({"op": "board.get"}))
    }

    pub(crate) fn components(&mut self) -> Value {
        self.get()["workspace"]["canvas"]["components"].clone()
    }

    pub(crate) fn cell(&mut self, id: &Value) -> (u64, u64) {
        let all = self.components();
        let found = all.as_array().expect("a list").iter().find(|one| one["id"] == *id);
        let position = &found.expect("it is there")["position"];
        (position["col"].as_u64().unwrap(), position["row"].as_u64().unwrap())
    }
}

pub(crate) fn grid(columns: u32, rows: u32) -> Value {
    json!({"columns": columns, "rows": rows, "gap": 8, "cellWidth": 80, "cellHeight": 60})
}

pub(crate) fn tile(col: u32, row: u32) -> Value {
    json!({
        "typeId": "github.stat-tile", "config": {"repo": "o/r", "metric": "stars"},
        "position": {"col": col, "row": row}, "size": {"cols": 2, "rows": 1},
    })
}

pub(crate) fn moved(id: &Value, col: u32, row: u32) -> Value {
    json!({"type": "component.move", "payload": {"componentId": id, "position": {"col": col, "row": row}}})
}

/// The code of an error reply, or of a result that was no success.
pub(crate) fn code(reply: &Value) -> &str {
    let error = reply.pointer("/error/code").or_else(|| reply.pointer("/result/error/code"));
    error.and_then(Value::as_str).unwrap_or("OK")
}

pub(crate) fn keys(value: &Value) -> String {
    let keys = value.as_object().into_iter().flatten().map(|(name, _)| name.as_str());
    keys.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(" ")
}
