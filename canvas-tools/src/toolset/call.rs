//! A model's tool call before it is checked.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One complete tool call of a model. Truncated and malformed calls never become a `ToolCall`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The provider's id of the call, unique within its turn.
    pub id: String,
    /// The tool's name, as the model wrote it.
    pub name: String,
    /// The arguments, which are an object in a well-formed call. Any other value fails with `INVALID_ARGUMENTS`.
    pub arguments: Value,
}
