//! A spec in the form for transport and storage.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::surface::name::{ActionId, JobId, SessionKey, ToolName};
use crate::surface::policy::Confirm;
use crate::surface::spec::binding::BindingName;
use crate::surface::state::patch::StatePatch;
use crate::surface::state::path::StatePath;
use crate::surface::template::ValuePath;

/// A spec in the form that its author writes. Hosts can create it in Rust, and its JSON Schema is derived from it.
///
/// Specs from clients are read by [`Spec::compile`](crate::surface::Spec::compile), which finds every fault.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CanvasSpec {
    /// Always 1.
    #[schemars(range(min = 1, max = 1))]
    pub version: u32,
    /// Presentation mode.
    pub mode: SurfaceMode,
    /// Tools available to the actions.
    #[serde(default)]
    pub tool_policy: ToolPolicy,
    /// Initial state of a new surface.
    #[serde(default)]
    pub state: Value,
    /// Actions by name.
    #[serde(default)]
    pub actions: BTreeMap<ActionId, ActionSpec>,
    /// Names of screen elements that trigger actions.
    #[serde(default)]
    pub bindings: BTreeMap<BindingName, ActionId>,
    /// Refresh jobs.
    #[serde(default)]
    pub refresh: Vec<RefreshSpec>,
}

/// Presentation mode of a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum SurfaceMode {
    /// Shows the surface by its HTML assets.
    #[default]
    Html,
}

/// Tools available to the actions of a spec.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolPolicy {
    /// Full names of the allowed tools.
    #[serde(default)]
    pub allow: BTreeSet<ToolName>,
}

/// An action in the form that its author writes.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all_fields = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub enum ActionSpec {
    /// Calls a tool.
    #[serde(rename = "tool.call")]
    ToolCall {
        /// Name of the tool.
        tool: ToolName,
        /// Arguments of the tool. Strings may contain placeholders.
        #[serde(default)]
        args: Map<String, Value>,
        /// Path in the state for the result.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        save_as: Option<StatePath>,
        /// Whether a person must confirm the action.
        #[serde(default)]
        confirm: Confirm,
        /// Time limit in milliseconds. If absent, 30 s.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1, max = 600_000))]
        timeout_ms: Option<u32>,
        /// Paths of required values, such as `state.service` or `input.version`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        required: Vec<ValuePath>,
    },
    /// Sends a message to a session.
    #[serde(rename = "session.send")]
    SessionSend {
        /// Text of the message, which may contain placeholders.
        message: String,
        /// Session that receives the message. If absent, the owner's.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session_key: Option<SessionKey>,
        /// Path in the state for the answer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        save_as: Option<StatePath>,
        /// Whether a person must confirm the action.
        #[serde(default)]
        confirm: Confirm,
        /// Paths of required values, such as `state.service` or `input.version`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        required: Vec<ValuePath>,
    },
    /// Changes the state.
    #[serde(rename = "state.patch")]
    StatePatch {
        /// Operations on the state, which take no placeholders.
        patch: StatePatch,
    },
}

/// A refresh job in the form that its author writes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RefreshSpec {
    /// Id of the job, unique in the spec.
    pub id: JobId,
    /// Milliseconds from the end of one run to the start of the next.
    #[schemars(range(min = 1_000, max = 604_800_000))]
    pub every_ms: u64,
    /// Action to run.
    pub action: ActionId,
    /// Whether the job runs.
    #[serde(default = "yes")]
    pub enabled: bool,
}

const fn yes() -> bool {
    true
}
