//! Triggers that suggest a view.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::id::{TriggerId, ViewId};

/// Something that suggests or loads a view when it is due.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProactiveTrigger {
    /// Id chosen by the caller that sets it.
    pub id: TriggerId,
    /// For people.
    pub name: String,
    /// Purpose of the trigger, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether it can be due.
    pub enabled: bool,
    /// The occasion on which it is due.
    #[serde(rename = "type")]
    pub kind: TriggerType,
    /// The view that it suggests or loads. Without a view, only its message is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view_id: Option<ViewId>,
    /// Shown to the user when it is due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The named time of a [`TriggerType::TimeBased`] trigger, such as `monday_morning` (`SimulatedTimeTrigger`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simulated_time: Option<String>,
}

/// The occasion on which a trigger is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TriggerType {
    /// Once, when the user opens the workspace.
    SessionStart,
    /// In the part of the day that `simulated_time` names.
    TimeBased,
}
