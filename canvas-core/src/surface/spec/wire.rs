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

/// A spec as its author writes it: for hosts that make one in Rust, and for the JSON Schema.
///
/// Sent specs are read by [`Spec::compile`](crate::surface::Spec::compile) only, which finds every fault.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CanvasSpec {
    /// 1.
    #[schemars(range(min = 1, max = 1))]
    pub version: u32,
    /// How it is shown.
    pub mode: SurfaceMode,
    /// What its actions may use.
    #[serde(default)]
    pub tool_policy: ToolPolicy,
    /// The state of a surface that is made with it.
    #[serde(default)]
    pub state: Value,
    /// What can be done, by name.
    #[serde(default)]
    pub actions: BTreeMap<ActionId, ActionSpec>,
    /// Names of things on the screen that trigger actions.
    #[serde(default)]
    pub bindings: BTreeMap<BindingName, ActionId>,
    /// What is done again and again.
    #[serde(default)]
    pub refresh: Vec<RefreshSpec>,
}

/// How a surface is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum SurfaceMode {
    /// By its HTML assets.
    #[default]
    Html,
}

/// What the actions of a spec may use.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolPolicy {
    /// Tools by their full names.
    #[serde(default)]
    pub allow: BTreeSet<ToolName>,
}

/// An action as its author writes it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all_fields = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub enum ActionSpec {
    /// Calls a tool.
    #[serde(rename = "tool.call")]
    ToolCall {
        /// The tool.
        tool: ToolName,
        /// Its arguments. Strings may have placeholders.
        #[serde(default)]
        args: Map<String, Value>,
        /// Where in the state the result goes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        save_as: Option<StatePath>,
        /// Whether a person is asked first.
        #[serde(default)]
        confirm: Confirm,
        /// How long the tool may take, in milliseconds. 30 s where it is left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1, max = 600_000))]
        timeout_ms: Option<u32>,
        /// Values that must not be missing, such as `state.service` or `input.version`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        required: Vec<ValuePath>,
    },
    /// Sends a message to a session.
    #[serde(rename = "session.send")]
    SessionSend {
        /// The message. It may have placeholders.
        message: String,
        /// The session; the owner's where it is left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session_key: Option<SessionKey>,
        /// Where in the state the answer goes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        save_as: Option<StatePath>,
        /// Whether a person is asked first.
        #[serde(default)]
        confirm: Confirm,
        /// Values that must not be missing, such as `state.service` or `input.version`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        required: Vec<ValuePath>,
    },
    /// Changes the state.
    #[serde(rename = "state.patch")]
    StatePatch {
        /// The operations. They have no placeholders.
        patch: StatePatch,
    },
}

/// A refresh job as its author writes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RefreshSpec {
    /// Names it among the jobs of the spec.
    pub id: JobId,
    /// From the end of one run to the next, in milliseconds.
    #[schemars(range(min = 1_000, max = 604_800_000))]
    pub every_ms: u64,
    /// What it runs.
    pub action: ActionId,
    /// Whether it runs at all.
    #[serde(default = "yes")]
    pub enabled: bool,
}

const fn yes() -> bool {
    true
}
