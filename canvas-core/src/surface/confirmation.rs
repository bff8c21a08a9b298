//! Confirmation of an action by a person, with its prompt and the answer.

use std::time::Duration;

use canvas_lease::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::json_hash::JsonHash;
use crate::model::surface::{SessionKey, ToolName};

/// Prompt that shows a person exactly what would run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfirmationPrompt {
    /// Tool to call, or `None` if the action sends a message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<ToolName>,
    /// Session that would receive the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_key: Option<SessionKey>,
    /// Resolved arguments, or the text of the message.
    pub args: Value,
    /// Words of the shell command among the arguments, each exactly as the command receives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<Vec<String>>,
    /// Digest over canvas, action, spec, contract, arguments and `planned_at`.
    pub digest: JsonHash,
    /// Value of `runtime.now`, also used if the action is confirmed later.
    #[schemars(with = "u64")]
    pub planned_at: Timestamp,
    /// Time until which the prompt can be confirmed, by the store's clock.
    #[schemars(with = "u64")]
    pub expires_at: Timestamp,
}

/// A person's consent to a [`ConfirmationPrompt`]. It is valid for one call, unless the action may safely run twice. A
/// retry of that call returns its outcome, and another call needs its own confirmation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Confirmation {
    /// Value from the prompt.
    pub digest: JsonHash,
    /// Value from the prompt.
    #[schemars(with = "u64")]
    pub planned_at: Timestamp,
}

impl Confirmation {
    /// Time during which a prompt can be confirmed.
    pub const LIFETIME: Duration = Duration::from_secs(300);
}
