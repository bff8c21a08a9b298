//! A conversation's knowledge of the document, and its turn.

use canvas_lease::{Epoch, Lock};
use serde::{Deserialize, Serialize};

use crate::model::blob::BlobId;
use crate::model::revision::Revision;
use crate::model::unknown::Unknown;

/// A version of the document, as seen by a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SyncPoint {
    pub(crate) revision: Revision,
    pub(crate) document: BlobId,
}

/// A conversation's knowledge of the document.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Conversation {
    /// The text that snapshot and hidden diffs add up to; `None` if the conversation needs a snapshot, for example
    /// after `Forget`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) synced: Option<SyncPoint>,
    /// The text shown by its own calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) seen: Option<SyncPoint>,
    /// Its own turn, if conversations do not share one; `None` before its first message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) turn: Option<RunningTurn>,
    #[serde(flatten)]
    pub(crate) unknown: Unknown,
}

impl Conversation {
    /// Creates the knowledge of a conversation that knows this text from both its context and its calls.
    pub(crate) const fn knows(point: SyncPoint) -> Self {
        Self { synced: Some(point), seen: Some(point), ..Self::NOTHING }
    }

    /// A conversation without any knowledge of the document.
    pub(crate) const NOTHING: Self = Self { synced: None, seen: None, turn: None, unknown: Unknown::NONE };

    pub(crate) fn points(&self) -> impl Iterator<Item = SyncPoint> + use<> {
        [self.synced, self.seen].into_iter().flatten()
    }

    /// Returns the newest revision of which the conversation knows a text.
    pub(crate) fn last(&self) -> Option<Revision> {
        self.points().map(|point| point.revision).max()
    }
}

/// The last turn of one conversation, or of all.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunningTurn {
    pub(crate) lock: Lock,
    pub(crate) start: TurnStart,
}

impl RunningTurn {
    /// Whether it can belong to a canvas at this revision.
    pub(crate) fn is_consistent(&self, last: Revision) -> bool {
        self.start.epoch <= self.lock.epoch() && self.start.revision <= last
    }
}

/// The point at which the running turn began. Promotion names it, so that an interrupted turn does not promote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TurnStart {
    /// The epoch in which the turn began.
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub epoch: Epoch,
    /// The revision at which the turn began.
    pub revision: Revision,
}
