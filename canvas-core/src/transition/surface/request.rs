//! Requests for actions, and their plans.

use std::time::Duration;

use canvas_lease::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::claims::{PlannedSave, Target};
use crate::model::json_hash::JsonHash;
use crate::model::revision::Revision;
use crate::surface::name::{ActionId, JobId, SessionKey, SurfaceActor, ToolName};
use crate::surface::{BindingName, Confirmation, StatePath, StateValue};
use crate::transition::rollout::Access;
use crate::transition::surface::access::actor_text;

/// A request for an action by a client, a session or a job.
#[derive(Debug, Clone, PartialEq)]
pub struct ActionRequest {
    /// The actor that requests the action. A session acts in its own turn, and sees the surfaces of its agent only.
    pub by: SurfaceActor,
    /// The refresh job that requests the action, in any turn. `by` is then the session that owns the surface.
    pub job: Option<JobId>,
    /// The requested action, by its id or by a binding.
    pub action: ActionName,
    /// Input from the trigger.
    pub input: Value,
    /// The revision that the caller knows. If the surface has changed since then, the request is refused.
    pub expected: Option<Revision>,
    /// A person's confirmation. It has no effect if a session sends it.
    pub confirmation: Option<Confirmation>,
}

/// The name of an action in a spec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ActionName {
    /// Id of the action.
    Id(ActionId),
    /// A binding that leads to the action.
    Binding(BindingName),
}

/// An action with resolved values. It runs exactly like this or not at all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannedAction {
    /// Id of the action, even if a binding named it.
    pub action: ActionId,
    /// The call, the message or the change of the state.
    pub work: ActionWork,
    /// The digest that a confirmation names.
    pub digest: JsonHash,
    /// Digest of the arguments, the message or the patch.
    pub args_digest: JsonHash,
    /// The value of `runtime.now`.
    pub planned_at: Timestamp,
    pub(super) save: Option<PlannedSave>,
    pub(super) by: SurfaceActor,
    pub(super) job: Option<JobId>,
}

/// The kinds of work that an action does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ActionWork {
    /// Calls a tool.
    Tool {
        /// Name of the tool to call.
        tool: ToolName,
        /// Arguments, which match the tool's schema.
        arguments: Value,
        /// Whether the tool is read-only, so that it may be called again.
        read_only: bool,
        /// Milliseconds after which the host gives up.
        timeout_ms: u64,
    },
    /// Sends a message to a session.
    Session {
        /// Key of the session that gets the message.
        session_key: SessionKey,
        /// Text of the message.
        message: String,
        /// Milliseconds after which the host gives up.
        timeout_ms: u64,
    },
    /// Changes the state, which takes no time.
    State,
}

impl ActionWork {
    /// Returns the time for which the host waits.
    pub const fn timeout(&self) -> Duration {
        match self {
            Self::Tool { timeout_ms, .. } | Self::Session { timeout_ms, .. } => {
                Duration::from_millis(*timeout_ms)
            }
            Self::State => Duration::ZERO,
        }
    }

    /// Returns whether the work may be repeated, so that it leaves no claim.
    pub const fn is_read_only(&self) -> bool {
        matches!(self, Self::Tool { read_only: true, .. })
    }

    pub(super) fn target(&self) -> Target {
        match self {
            Self::Tool { tool, .. } => Target::Tool(tool.clone()),
            Self::Session { session_key, .. } => Target::Session(session_key.clone()),
            Self::State => Target::State,
        }
    }
}

impl PlannedSave {
    /// Plans a save at a place of the given state.
    pub(super) fn of(path: &StatePath, state: &StateValue) -> Self {
        let before = path.of(state).map(|value| JsonHash::of_text(&value.to_json()));
        Self { path: path.to_string(), before }
    }
}

impl ActionRequest {
    /// Returns the access that a model needs, or `None` if the request does not come from a model.
    pub(super) fn access(&self, access: Access) -> Option<Access> {
        (matches!(self.by, SurfaceActor::SessionKey(_)) && self.job.is_none()).then_some(access)
    }

    /// Returns the parts that distinguish the request from others with the same key.
    pub(super) fn digest_parts(&self) -> [String; 6] {
        let Self { by, job, action, input, expected, confirmation } = self;
        let action = match action {
            ActionName::Id(id) => format!("id {id}"),
            ActionName::Binding(name) => format!("binding {name}"),
        };
        let confirmation =
            confirmation.map(|given| format!("{} {}", given.digest, given.planned_at.as_millis()));
        [
            actor_text(by),
            job.as_ref().map_or_else(String::new, |job| format!("job {job}")),
            action,
            input.to_string(),
            expected.map_or_else(String::new, |revision| revision.get().to_string()),
            confirmation.unwrap_or_default(),
        ]
    }
}
