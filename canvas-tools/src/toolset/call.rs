//! A call as a model made it, not yet checked.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One complete tool call of a model. Truncated and malformed calls never become one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The provider's id of the call, unique within its turn.
    pub id: String,
    /// The tool's name, as the model wrote it.
    pub name: String,
    /// The arguments: an object for a well-formed call; anything else is refused as `INVALID_ARGUMENTS`.
    pub arguments: Value,
}
