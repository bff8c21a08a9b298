//! Events of surfaces for clients.

use std::sync::Arc;

use canvas_lease::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::id::CanvasId;
use crate::model::revision::Revision;
use crate::surface::name::{ActionId, EventId};
use crate::surface::state::pointer::StatePointer;

/// A change of a surface, or a step of one of its actions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SurfaceEvent {
    /// Kind of the event.
    pub event: SurfaceEventKind,
    /// The canvas with the surface.
    pub canvas_id: CanvasId,
    /// The canvas's revision at that time.
    pub revision: Revision,
    /// Time of the event, in milliseconds since 1970 UTC.
    #[schemars(with = "u64")]
    pub at: Timestamp,
    /// The action, if the event is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action_id: Option<ActionId>,
    /// The execution of the action, by which a client matches its begin and end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_id: Option<EventId>,
    /// The changed places of the state. Left out if something else changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed_paths: Option<Vec<StatePointer>>,
}

/// The kinds of events, which clients receive by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub enum SurfaceEventKind {
    /// The state, the spec, the title or the assets changed, or the surface was created or deleted.
    #[serde(rename = "canvas.updated")]
    Updated,
    /// A client began or stopped showing the surface.
    #[serde(rename = "canvas.view.updated")]
    ViewUpdated,
    /// An action began.
    #[serde(rename = "canvas.action.started")]
    ActionStarted,
    /// An action ended successfully.
    #[serde(rename = "canvas.action.finished")]
    ActionFinished,
    /// An action failed.
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
