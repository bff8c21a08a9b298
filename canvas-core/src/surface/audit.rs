//! Records of executed actions.

use canvas_lease::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::audit_slot::{AuditLinks, AuditSlot};
use crate::model::blob::{Blob, BlobId};
use crate::model::json_hash::JsonHash;
use crate::model::links::Linked;
use crate::model::surface::{ActionId, EventId, JobId, SessionKey, SurfaceActor, ToolName};

/// Outcome of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ActionOutcome {
    /// The action ended without an error.
    Finished,
    /// The tool or the message ended with an error.
    Failed,
    /// The tool or message took too long, and may have had an effect.
    TimedOut,
    /// Nobody reported the outcome in time.
    Lost,
}

/// The record of a finished execution of an action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditRecord {
    /// Id of the execution.
    pub event_id: EventId,
    /// Actor who requested the execution. For a job, the session that owns the surface.
    pub actor: SurfaceActor,
    /// Refresh job that started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job_id: Option<JobId>,
    /// Requested action.
    pub action_id: ActionId,
    /// Tool called by the action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<ToolName>,
    /// Session that received a message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_key: Option<SessionKey>,
    /// Digest of the resolved arguments, the text of the message, or the patch of the state.
    pub args_digest: JsonHash,
    /// Start time, by the store's clock.
    #[schemars(with = "u64")]
    pub started_at: Timestamp,
    /// End time, by the store's clock. For a lost execution, the time at which the loss was detected.
    #[schemars(with = "u64")]
    pub ended_at: Timestamp,
    /// Outcome of the execution.
    pub outcome: ActionOutcome,
    /// One-line summary for people.
    pub summary: String,
}

/// A record with its number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NumberedRecord {
    /// Number of the record, from 1, in the order in which the actions of the canvas ended.
    pub number: u64,
    /// Record of the execution.
    #[serde(flatten)]
    pub record: AuditRecord,
}

/// A record in the stored form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredRecord {
    #[serde(flatten)]
    links: AuditLinks,
    #[serde(flatten)]
    record: AuditRecord,
}

impl StoredRecord {
    pub(crate) fn numbered(&self) -> NumberedRecord {
        NumberedRecord { number: self.links.number, record: self.record.clone() }
    }
}

impl Linked for StoredRecord {
    fn read(blob: &Blob) -> Option<Self> {
        serde_json::from_str(blob.as_text()?).ok()
    }

    fn number(&self) -> u64 {
        self.links.number()
    }

    fn named(&self) -> impl Iterator<Item = (u64, BlobId)> {
        self.links.named()
    }
}

impl AuditSlot {
    /// Appends a record and returns its blob. Returns `None` and records no action if the numbers are used up.
    pub(crate) fn record(&mut self, record: AuditRecord) -> Option<Blob> {
        let links = self.next()?;
        let number = links.number;
        let stored = StoredRecord { links, record };
        let blob = Blob::text(serde_json::to_string(&stored).expect("a record has only string keys"));
        self.push(number, blob.id());
        Some(blob)
    }
}
