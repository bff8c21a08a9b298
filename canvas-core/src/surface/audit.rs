//! Records of executed actions.

use canvas_lease::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::audit_slot::{AuditLinks, AuditSlot};
use crate::model::blob::{Blob, BlobId};
use crate::model::json_hash::JsonHash;
use crate::model::links::Linked;
use crate::model::surface::{ActionId, EventId, JobId, SessionKey, SurfaceActor, ToolName};

/// How an action ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ActionOutcome {
    /// It was done.
    Finished,
    /// What it ran has failed.
    Failed,
    /// What it ran took too long. It may have done what it does.
    TimedOut,
    /// Nobody knows.
    Lost,
}

/// One execution of an action, when it is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditRecord {
    /// The execution.
    pub event_id: EventId,
    /// Who asked for it; of a job the session that owns the surface.
    pub actor: SurfaceActor,
    /// The refresh job that ran it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job_id: Option<JobId>,
    /// What was asked for.
    pub action_id: ActionId,
    /// The tool that was called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<ToolName>,
    /// The session that got a message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_key: Option<SessionKey>,
    /// Of the resolved arguments; of a message that of its text, of a change of the state that of its patch.
    pub args_digest: JsonHash,
    /// By the store's clock.
    #[schemars(with = "u64")]
    pub started_at: Timestamp,
    /// By the store's clock; of what was lost, when that was found out.
    #[schemars(with = "u64")]
    pub ended_at: Timestamp,
    /// How it ended.
    pub outcome: ActionOutcome,
    /// One line for people.
    pub summary: String,
}

/// A record in its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NumberedRecord {
    /// Numbers the records of a canvas in the order in which actions ended, from 1.
    pub number: u64,
    /// The record.
    #[serde(flatten)]
    pub record: AuditRecord,
}

/// A record in the form that is stored.
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
