//! Actions in progress. Each puts a claim into the head before it runs, so that it cannot be started twice.

use canvas_lease::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::author::Role;
use crate::model::json_hash::JsonHash;
use crate::model::op_key::OpKey;
use crate::model::receipt::Digest;
use crate::model::surface::{ActionId, EventId, JobId, RunnerId, SessionKey, SurfaceActor, ToolName};
use crate::model::unknown::Unknown;

/// Claims in the order of their creation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Claims(Vec<Claim>);

/// An action that has begun and not ended.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Claim {
    pub(crate) event: EventId,
    pub(crate) action: ActionId,
    pub(crate) target: Target,
    /// The hash of the arguments, or of the message.
    pub(crate) arguments: JsonHash,
    /// The only runner that may start the action, or report its end.
    pub(crate) runner: RunnerId,
    pub(crate) started_at: Timestamp,
    /// The instant after which the outcome of the action can no longer be reported.
    pub(crate) deadline: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) save: Option<PlannedSave>,
    pub(crate) actor: SurfaceActor,
    /// The refresh job that runs it in the actor's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) job: Option<JobId>,
    /// The author of the result's change in the journal.
    pub(crate) author: Role,
    /// The call that began the action. The action's outcome becomes the answer to it.
    pub(crate) operation: OpKey,
    pub(crate) digest: Digest,
    #[serde(flatten)]
    pub(crate) unknown: Unknown,
}

/// The tool, session or state on which an action runs.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Target {
    Tool(ToolName),
    Session(SessionKey),
    /// An action on the state itself takes no time, so it never has a claim.
    State,
}

/// The destination of a result, with the value there when the action was planned.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct PlannedSave {
    /// A path in the notation of specs.
    pub(crate) path: String,
    /// `None` if the path had no value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) before: Option<JsonHash>,
}

impl Claims {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Claim> {
        self.0.iter()
    }

    pub(crate) fn push(&mut self, claim: Claim) {
        self.0.push(claim);
    }

    /// Removes the claims for which `is_over` holds, and returns them.
    pub(crate) fn take(&mut self, is_over: impl Fn(&Claim) -> bool) -> Vec<Claim> {
        self.0.extract_if(.., |claim| is_over(claim)).collect()
    }
}

impl Claim {
    /// Whether the deadline has passed. If the clock has fallen back behind the action's start, the elapsed time is
    /// unknown, so the claim also counts as over.
    pub(crate) fn is_over(&self, clock: Timestamp, tolerance: std::time::Duration) -> bool {
        clock >= self.deadline || self.started_at.saturating_duration_since(clock) > tolerance
    }
}
