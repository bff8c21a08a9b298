//! What a model is told about a tool.

use serde::Serialize;
use serde_json::Value;

/// A tool as every provider adapter receives it, before it is cut to what one provider accepts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolSpec {
    /// Name that the model calls, `[a-z_]{1,64}` for the tools of this crate.
    pub name: String,
    /// What the tool does and when to use it, for the model.
    pub description: String,
    /// JSON Schema (2020-12) of the arguments; the root is an object.
    pub parameters: Value,
}
