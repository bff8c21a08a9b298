//! Which action is asked for, and what it comes to.

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

/// An action, as a client, a session or a job asks for it.
#[derive(Debug, Clone, PartialEq)]
pub struct ActionRequest {
    /// Who asks. A session acts in its own turn, and sees the surfaces of its agent only.
    pub by: SurfaceActor,
    /// The refresh job that asks, whoever's turn it is; `by` is the session that owns the surface.
    pub job: Option<JobId>,
    /// Which one.
    pub action: ActionName,
    /// What the trigger brings.
    pub input: Value,
    /// The revision that the asker knows: refused where the surface has changed since.
    pub expected: Option<Revision>,
    /// A person's yes. That of a session counts for nothing.
    pub confirmation: Option<Confirmation>,
}

/// Names an action of a spec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ActionName {
    /// By its id.
    Id(ActionId),
    /// By a binding that leads to it.
    Binding(BindingName),
}

/// An action with its values in their places. It runs as it is, or not at all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannedAction {
    /// Its id, of a binding too.
    pub action: ActionId,
    /// What is to be done.
    pub work: ActionWork,
    /// What a confirmation names.
    pub digest: JsonHash,
    /// Of the arguments, the message or the patch.
    pub args_digest: JsonHash,
    /// What `runtime.now` stands for.
    pub planned_at: Timestamp,
    pub(super) save: Option<PlannedSave>,
    pub(super) by: SurfaceActor,
    pub(super) job: Option<JobId>,
}

/// What an action does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ActionWork {
    /// A tool is called.
    Tool {
        /// The tool.
        tool: ToolName,
        /// Its arguments, which fit its schema.
        arguments: Value,
        /// It changes nothing, so it may be called again.
        read_only: bool,
        /// After so many milliseconds the host gives up.
        timeout_ms: u64,
    },
    /// A message is sent to a session.
    Session {
        /// The session.
        session_key: SessionKey,
        /// The message.
        message: String,
        /// After so many milliseconds the host gives up.
        timeout_ms: u64,
    },
    /// The state is changed, which takes no time.
    State,
}

impl ActionWork {
    /// How long the host waits for it.
    pub const fn timeout(&self) -> Duration {
        match self {
            Self::Tool { timeout_ms, .. } | Self::Session { timeout_ms, .. } => {
                Duration::from_millis(*timeout_ms)
            }
            Self::State => Duration::ZERO,
        }
    }

    /// Whether it may be done again, so that it leaves no claim.
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
    /// A save at a place of the state as it is.
    pub(super) fn of(path: &StatePath, state: &StateValue) -> Self {
        let before = path.of(state).map(|value| JsonHash::of_text(&value.to_json()));
        Self { path: path.to_string(), before }
    }
}

impl ActionRequest {
    /// What a model does by it; `None` where it is not a model's doing.
    pub(super) fn access(&self, access: Access) -> Option<Access> {
        (matches!(self.by, SurfaceActor::SessionKey(_)) && self.job.is_none()).then_some(access)
    }

    /// The parts that tell it from others with the same key.
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
