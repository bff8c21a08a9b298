//! The states of a canvas that watchers and polling hosts receive.

use canvas_lease::{Epoch, Timestamp};
use serde::Serialize;

use crate::engine::lock_view::LockView;
use crate::model::actor::Actor;
use crate::model::face::Face;
use crate::model::head::Head;
use crate::model::id::CanvasId;
use crate::model::revision::{Revision, RevisionId};
use crate::store::contract::Version;

/// The newest state of a watched canvas, with the changes since the watcher's last event. It does not contain the text.
/// Take a snapshot to get that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WatchEvent {
    /// Id of the canvas.
    pub canvas: CanvasId,
    /// Whether the canvas exists.
    pub status: CanvasStatus,
    /// Revision of the canvas, or its last revision if it is deleted. `None` if it never existed. The revision
    /// decreases only in an event with [`WatchEvent::restored`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<Revision>,
    /// Id of the document, which other faces do not change. `None` if the canvas never existed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision_id: Option<RevisionId>,
    /// Version of the row at the time of the event, or `None` if the canvas has no row. Commits that do not affect
    /// another field, such as a read by a conversation, advance the version without an event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<Version>,
    /// Faces with changed content. In a first event, all faces with content.
    pub faces: Vec<Face>,
    /// Actor of the newest change of content. `None` if another engine committed the change, or if the change created
    /// the canvas. In this case, [`Engine::history`](crate::Engine::history) has the actor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<Actor>,
    /// The lock that conversations share, at [`WatchEvent::clock`]. If each conversation has a turn of its own, its
    /// messages and cancellations cause an event too, and [`Head::lock_of`](crate::store::Head::lock_of) has its lock.
    /// The expiry of a lease causes neither a commit nor an event. Set a timer for [`LockView::until`] minus `clock`,
    /// and replace it at the next event.
    pub lock: LockView,
    /// The store's clock at the time of the event, in milliseconds since 1970, or 0 if the canvas has no row.
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub clock: Timestamp,
    /// Whether the canvas was created, or created again after its deletion. If so, discard its earlier content.
    pub made: bool,
    /// Whether a draft became the artefact.
    pub promoted: bool,
    /// Whether a named version was created, renamed, removed or erased.
    pub versions: bool,
    /// Whether the store went back to an earlier state, for example after a restore from a backup. Revisions continue
    /// from there.
    pub restored: bool,
    /// Number of changes after the watcher's last event and before this one, which got no event of their own. If other
    /// servers changed only the lock in the meantime, those changes may be missing from this count.
    pub missed: u64,
}

/// Whether a canvas exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CanvasStatus {
    /// The canvas exists and can be used.
    Live,
    /// The canvas was deleted, and its head is a tombstone.
    Deleted,
    /// No canvas with this id ever existed.
    Absent,
}

/// The progress of a canvas, read from its head only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HeadRevision {
    /// Rises with each change of content.
    pub revision: Revision,
    /// Id of the document, which other faces do not change.
    pub revision_id: RevisionId,
    /// Changes with each commit, including changes of the lock. Compare it only for equality.
    pub version: Version,
    /// Rises with each preemption, for example by a user's message or edit of the document.
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub epoch: Epoch,
}

impl HeadRevision {
    pub(crate) fn of(head: &Head, version: &Version) -> Self {
        Self {
            revision: head.revision(),
            revision_id: head.revision_id(),
            version: version.clone(),
            epoch: head.lock().epoch(),
        }
    }
}
