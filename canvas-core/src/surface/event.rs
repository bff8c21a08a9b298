//! Events of surfaces for clients.

use std::sync::Arc;

use canvas_lease::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::id::CanvasId;
use crate::model::revision::Revision;
use crate::surface::name::{ActionId, EventId};
use crate::surface::state::pointer::StatePointer;

/// Something that has happened to a surface.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SurfaceEvent {
    /// What.
    pub event: SurfaceEventKind,
    /// The canvas.
    pub canvas_id: CanvasId,
    /// The revision of the canvas then.
    pub revision: Revision,
    /// When, in milliseconds since 1970 UTC.
    #[schemars(with = "u64")]
    pub at: Timestamp,
    /// The action, where one ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action_id: Option<ActionId>,
    /// Its execution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_id: Option<EventId>,
    /// Where the state has changed; left out where something else has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed_paths: Option<Vec<StatePointer>>,
}

/// The kinds of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub enum SurfaceEventKind {
    /// Its state, its spec, its title or its assets have changed, or it was made or deleted.
    #[serde(rename = "canvas.updated")]
    Updated,
    /// Somebody shows it from now on, or no more.
    #[serde(rename = "canvas.view.updated")]
    ViewUpdated,
    /// An action has begun.
    #[serde(rename = "canvas.action.started")]
    ActionStarted,
    /// An action has ended well.
    #[serde(rename = "canvas.action.finished")]
    ActionFinished,
    /// An action has failed.
    #[serde(rename = "canvas.action.failed")]
    ActionFailed,
}

impl SurfaceEvent {
    /// Creates an event with the common fields only.
    pub fn new(event: SurfaceEventKind, canvas_id: CanvasId, revision: Revision, at: Timestamp) -> Self {
        Self { event, canvas_id, revision, at, action_id: None, event_id: None, changed_paths: None }
    }

    /// Adds the action and its event id.
    #[must_use]
    pub fn of_action(self, action_id: &ActionId, event_id: &EventId) -> Self {
        Self { action_id: Some(action_id.clone()), event_id: Some(event_id.clone()), ..self }
    }

    /// Adds the changed places of the state.
    #[must_use]
    pub fn at_paths(self, changed: Vec<StatePointer>) -> Self {
        Self { changed_paths: Some(changed), ..self }
    }

    /// Returns the JSON, made once for all receivers, because clones share the text.
    pub fn encode(&self) -> Arc<str> {
        // An event has no map, so that serialization cannot fail and the default is never used.
        serde_json::to_string(self).unwrap_or_default().into()
    }
}
