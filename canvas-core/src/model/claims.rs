//! Actions that are under way: each leaves a claim in the head before it runs, so that nobody starts it twice.

use canvas_lease::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::author::Actor;
use crate::model::id::OpKey;
use crate::model::json_hash::JsonHash;
use crate::model::receipt::Digest;
use crate::model::surface::{ActionId, EventId, JobId, RunnerId, SessionKey, SurfaceActor, ToolName};
use crate::model::unknown::Unknown;

/// Claims in the order in which they were made.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Claims(Vec<Claim>);

/// An action that was begun and has not ended.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Claim {
    pub(crate) event: EventId,
    pub(crate) action: ActionId,
    pub(crate) target: Target,
    /// Of the arguments, or of the message.
    pub(crate) arguments: JsonHash,
    /// Nobody else starts it, or says how it ended.
    pub(crate) runner: RunnerId,
    pub(crate) started_at: Timestamp,
    /// From then on nobody can say how it ended.
    pub(crate) deadline: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) save: Option<PlannedSave>,
    pub(crate) actor: SurfaceActor,
    /// The refresh job that runs it in the actor's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) job: Option<JobId>,
    /// Whose change the result is, in the journal.
    pub(crate) author: Actor,
    /// The call that has begun it, and its digest: how it ends becomes the answer to that call.
    pub(crate) operation: OpKey,
    pub(crate) digest: Digest,
    #[serde(flatten)]
    pub(crate) unknown: Unknown,
}

/// What runs.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Target {
    Tool(ToolName),
    Session(SessionKey),
    /// The state alone, which takes no time: no claim has it.
    State,
}

/// Where a result goes, and what was there when the action was planned.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct PlannedSave {
    /// As specs write paths.
    pub(crate) path: String,
    /// `None` where nothing was there.
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

    /// Takes those out for which this holds.
    pub(crate) fn take(&mut self, is_over: impl Fn(&Claim) -> bool) -> Vec<Claim> {
        self.0.extract_if(.., |claim| is_over(claim)).collect()
    }
}

impl Claim {
    /// Whether its deadline has passed. A clock that has fallen back behind its start tells nothing of the time since, so
    /// then it has, too.
    pub(crate) fn is_over(&self, clock: Timestamp, tolerance: std::time::Duration) -> bool {
        clock >= self.deadline || self.started_at.saturating_since(clock) > tolerance
    }
}
