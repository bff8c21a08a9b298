//! The states of a canvas that watchers and polling hosts receive.

use canvas_lease::{Epoch, Timestamp};
use serde::Serialize;

use crate::engine::lock_view::LockView;
use crate::model::author::Actor;
use crate::model::face::Face;
use crate::model::head::Head;
use crate::model::id::CanvasId;
use crate::model::revision::RevisionId;
use crate::store::contract::Version;

/// The newest state of a watched canvas, and what has changed since the watcher's last event. The text is not in it:
/// whoever wants it takes a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WatchEvent {
    /// The canvas.
    pub canvas: CanvasId,
    /// Whether it is there.
    pub status: CanvasStatus,
    /// Its revision, of a deleted canvas the last one; `None` where there never was one. It never goes back but in an
    /// event with [`WatchEvent::restored`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<RevisionId>,
    /// The row's version when this was learnt; `None` where there is no row. Commits that change nothing of this event,
    /// such as what a conversation has read, move it on and are no event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<Version>,
    /// The faces whose content has changed; in a first event all that have content.
    pub faces: Vec<Face>,
    /// Who made the newest change of content. `None` where this engine did not commit it, or where it made the canvas:
    /// [`Engine::history`](crate::Engine::history) has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<Actor>,
    /// The lock at [`WatchEvent::clock`]. A lease that ends by itself is no commit and no event: the host sets a timer of
    /// [`LockView::until`] less `clock`, and the next event replaces it.
    pub lock: LockView,
    /// The store's clock when this was learnt, in milliseconds since 1970; 0 where there is no row.
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub clock: Timestamp,
    /// The canvas was made, or made again after its deletion: what is known of its content is void.
    pub made: bool,
    /// A draft became the artefact.
    pub promoted: bool,
    /// The store has gone back to an earlier state, as after a restore from a backup. Revisions count on from there.
    pub restored: bool,
    /// Changes between the watcher's last event and this one that have no event of their own. Changes of the lock alone
    /// that other servers made in between are not known and not counted.
    pub missed: u64,
}

/// Whether a canvas is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CanvasStatus {
    /// It is.
    Live,
    /// It was deleted.
    Deleted,
    /// It never was.
    Absent,
}

/// Where a canvas has come to, as its head alone says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HeadRevision {
    /// Moves with each change of content.
    pub revision: RevisionId,
    /// Moves with each commit, those of the lock too. Compare it for equality only.
    pub version: Version,
    /// Moves where a user ends a model's turn.
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub epoch: Epoch,
}

impl HeadRevision {
    pub(crate) fn of(head: &Head, version: &Version) -> Self {
        Self { revision: head.revision_id(), version: version.clone(), epoch: head.lock().epoch() }
    }
}
