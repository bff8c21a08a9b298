//! The question to a person before an action runs, and the answer.

use std::time::Duration;

use canvas_lease::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::json_hash::JsonHash;
use crate::model::surface::{SessionKey, ToolName};

/// What would run. It is shown as it is, and run as it was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfirmationPrompt {
    /// The tool that would be called; `None` where a message would be sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<ToolName>,
    /// The session that would get the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_key: Option<SessionKey>,
    /// The resolved arguments; of a message its text.
    pub args: Value,
    /// The words of the shell command among the arguments, each as the command gets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<Vec<String>>,
    /// Names all of it: canvas, action, spec, contract, arguments and `planned_at`.
    pub digest: JsonHash,
    /// The time that `runtime.now` stands for, now and when it is confirmed.
    #[schemars(with = "u64")]
    pub planned_at: Timestamp,
    /// Until when it can be confirmed, by the store's clock.
    #[schemars(with = "u64")]
    pub expires_at: Timestamp,
}

/// A person's yes to a [`ConfirmationPrompt`]. It counts once, unless what it confirms may be done twice: the same call again is
/// a retry and is answered as that, and another call is confirmed anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Confirmation {
    /// That of the prompt.
    pub digest: JsonHash,
    /// That of the prompt.
    #[schemars(with = "u64")]
    pub planned_at: Timestamp,
}

impl Confirmation {
    /// Time during which a prompt can be confirmed.
    pub const LIFETIME: Duration = Duration::from_secs(300);
}
