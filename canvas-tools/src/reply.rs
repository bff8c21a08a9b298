//! What a model gets back for a call.

use serde::Serialize;
use serde_json::Value;

/// The answer to one call: a JSON object with `"ok"`, and `revision_id` wherever the canvas exists.
///
/// A failure has `"ok": false` and `error: {code, message, ...}`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct ToolReply {
    body: Value,
}

impl ToolReply {
    /// Wraps a reply body made by this crate or by a host's own tool.
    pub fn new(body: Value) -> Self {
        Self { body }
    }

    /// The JSON that the model gets.
    pub fn body(&self) -> &Value {
        &self.body
    }

    /// False where the call failed; a body without `ok` counts as success.
    pub fn is_ok(&self) -> bool {
        self.body.get("ok").and_then(Value::as_bool).unwrap_or(true)
    }

    /// The revision that the reply speaks of.
    pub fn revision_id(&self) -> Option<&str> {
        self.body.get("revision_id").and_then(Value::as_str)
    }

    /// The lease that the reply speaks of.
    pub fn lease_id(&self) -> Option<&str> {
        self.body.get("lease_id").and_then(Value::as_str)
    }
}
