//! What may suggest a view.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::id::{TriggerId, ViewId};

/// Something that suggests or loads a view when it is due.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProactiveTrigger {
    /// Its id.
    pub id: TriggerId,
    /// Its name.
    pub name: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether it does anything.
    pub enabled: bool,
    /// What makes it due.
    #[serde(rename = "type")]
    pub kind: TriggerType,
    /// The view that it suggests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view_id: Option<ViewId>,
    /// What the user is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// For [`TriggerType::TimeBased`]: the time it stands for, such as `monday_morning` (`SimulatedTimeTrigger`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simulated_time: Option<String>,
}

/// What makes a trigger due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TriggerType {
    /// The user opens the workspace.
    SessionStart,
    /// A time that its name tells.
    TimeBased,
}
