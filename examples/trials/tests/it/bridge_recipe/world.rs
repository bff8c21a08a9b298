//! A bridge with a canvas and a host of tools, and how tests speak to it.

use canvas_examples::bridge::Bridge;
use serde_json::{Value, json};

/// 2026-04-15T12:00:00Z, a Wednesday.
pub(crate) const NOON: u64 = 1_776_254_400_000;
pub(crate) const DAY: u64 = 86_400_000;

/// What a test changes in a request.
pub(crate) type Change = fn(&mut Value);

pub(crate) struct World {
    pub(crate) bridge: Bridge,
    pub(crate) now: u64,
}

/// Rows of orders.
pub(crate) fn rows() -> Value {
    json!({"rows": [
        {"id": "b", "city": "Rome", "amount": 20},
        {"id": "a", "city": "Bonn", "amount": 35},
        {"id": "c", "city": "Rome", "amount": 5.0},
    ]})
}

/// The tools: orders since a day, the customer of one, and one that writes.
pub(crate) fn host() -> Value {
    let orders = json!({
        "type": "object", "required": ["from"], "properties": {"from": {"type": "string"}, "limit": {"type": "integer"}},
    });
    json!({
        "op": "surface.host",
        "tools": {
            "orders": {"schema": orders, "readOnly": true, "version": "1.0", "result": rows()},
            "customer": {"readOnly": true, "result": {"name": "Ada"}},
            "mail": {"result": {"sent": true}},
        },
    })
}

/// Orders of the last week by city, the dearest, and the customer of the first.
pub(crate) fn recipe() -> Value {
    json!({
        "version": 1, "catalogue": 1, "timezone": "Europe/Berlin",
        "steps": [
            {"id": "orders", "tool": "orders", "params": {"from": {"$date": "now-7d/d", "as": "date"}, "limit": 10}},
            {"id": "who", "tool": "customer", "params": {"order": {"$result": {"step": "orders", "path": "/rows/0/id"}}}},
        ],
        "mappings": [
            {"step": "orders", "path": "/rows", "component": "cities", "ops": [
                {"op": "aggregate", "by": {"city": "/city"}, "values": {"sum": {"fn": "sum", "path": "/amount"}}},
                {"op": "sort", "by": [{"path": "/sum", "dir": "desc"}]},
            ]},
            {"step": "orders", "path": "/rows/1/id", "component": "dearest"},
            {"step": "who", "path": "/name", "component": "customer"},
        ],
    })
}

impl World {
    /// With an empty canvas `c`.
    pub(crate) fn new() -> Self {
        let mut world = Self { bridge: Bridge::new(), now: NOON };
        world.ask(host());
        world.ask(json!({"op": "canvas.create", "canvas": "c", "markdown": ""}));
        world
    }

    /// With the recipe on it.
    pub(crate) fn with_recipe() -> Self {
        let mut world = Self::new();
        world.ask(json!({"op": "recipe.record", "canvas": "c", "recipe": recipe()}));
        world
    }

    pub(crate) fn raw(&mut self, mut request: Value) -> Value {
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

    /// The error of a request that is refused.
    #[track_caller]
    pub(crate) fn refused(&mut self, request: Value) -> Value {
        let reply = self.raw(request);
        assert_eq!(reply["ok"], json!(false), "{reply}");
        reply["error"].clone()
    }

    /// A replay of the canvas, a minute after the last.
    #[track_caller]
    pub(crate) fn replay(&mut self) -> Value {
        self.now += 60_000;
        self.ask(json!({"op": "recipe.replay", "canvas": "c"}))
    }

    pub(crate) fn data(&mut self) -> Value {
        self.ask(json!({"op": "recipe.data", "canvas": "c"}))["components"].clone()
    }

    /// Sets the host up with one field of one tool changed.
    pub(crate) fn change_tool(&mut self, tool: &str, field: &str, value: Value) {
        let mut host = host();
        host["tools"][tool][field] = value;
        self.ask(host);
    }
}
