//! Events on a board, for subscribers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::data::DataError;
use super::grid::Bounds;
use super::id::{ComponentId, TriggerId, ViewId};
use super::settings::SettingsUpdate;

/// Something that happened. Clicks, actions and selections are the host's to report; the rest comes from the board.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "payload", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum CanvasEvent {
    /// A person clicked a component.
    #[serde(rename = "component.clicked")]
    Clicked {
        /// Which one.
        component_id: ComponentId,
        /// The part of it that was clicked, by the component's own names.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        element_id: Option<String>,
        /// Whatever JSON the component adds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        data: Option<Value>,
    },
    /// A person set an action going.
    #[serde(rename = "component.action")]
    Action {
        /// Which one.
        component_id: ComponentId,
        /// One of the actions of its type.
        action_id: String,
        /// By the action's schema.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        params: Option<Value>,
        /// Selection, filters and the like.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        context: Option<Value>,
    },
    /// A person selected something.
    #[serde(rename = "component.selected")]
    Selected {
        /// Which one.
        component_id: ComponentId,
        /// All that is selected now, not what was added.
        selected_items: Vec<SelectedItem>,
    },
    /// A component's data could not be had.
    #[serde(rename = "component.error")]
    Error {
        /// Which one.
        component_id: ComponentId,
        /// As the component's state has it.
        error: DataError,
    },
    /// A component's data are there.
    #[serde(rename = "component.ready")]
    Ready {
        /// Which one.
        component_id: ComponentId,
        /// One sentence for the model.
        summary: String,
        /// What is notable, a few words each.
        highlights: Vec<String>,
    },
    /// A component was moved, resized, pinned or unpinned.
    #[serde(rename = "layout.changed")]
    LayoutChanged {
        /// Which one.
        component_id: ComponentId,
        /// A move that changes the size too is two events.
        change_type: LayoutChange,
        /// The cells that it covers now.
        new_bounds: Bounds,
    },
    /// A view was loaded.
    #[serde(rename = "view.loaded")]
    ViewLoaded {
        /// Which one.
        view_id: ViewId,
        /// As it was saved.
        view_name: String,
    },
    /// A trigger was due.
    #[serde(rename = "trigger.activated")]
    TriggerActivated {
        /// Which one.
        trigger_id: TriggerId,
        /// For people.
        trigger_name: String,
        /// The view that it suggests or loads, where it has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        suggested_view_id: Option<ViewId>,
    },
    /// A component appeared: made, restored, or loaded with a view.
    #[serde(rename = "component.added")]
    Added {
        /// Which one.
        component_id: ComponentId,
        /// It has a binding, so that somebody should fetch its data.
        needs_data: bool,
    },
    /// The config of a component has changed.
    #[serde(rename = "component.updated")]
    Updated {
        /// Which one.
        component_id: ComponentId,
        /// Its binding has changed, so that somebody should fetch its data.
        needs_data: bool,
    },
    /// A component is gone.
    #[serde(rename = "component.removed")]
    Removed {
        /// Which one.
        component_id: ComponentId,
    },
    /// A view was saved, or is back.
    #[serde(rename = "view.saved")]
    ViewSaved {
        /// Which one.
        view_id: ViewId,
        /// As it was saved.
        view_name: String,
    },
    /// A view is gone.
    #[serde(rename = "view.deleted")]
    ViewDeleted {
        /// Which one.
        view_id: ViewId,
    },
    /// A view lists other triggers, because one was removed or is back.
    #[serde(rename = "view.updated")]
    ViewUpdated {
        /// Which one.
        view_id: ViewId,
    },
    /// Settings of the workspace have changed.
    #[serde(rename = "settings.updated")]
    SettingsUpdated {
        /// Those that did, as they are now.
        settings: SettingsUpdate,
    },
    /// A trigger was added or replaced, or is back. One that only lost a view that was deleted, or got it back, is not reported.
    #[serde(rename = "trigger.set")]
    TriggerSet {
        /// Which one.
        trigger_id: TriggerId,
    },
    /// A trigger is gone.
    #[serde(rename = "trigger.removed")]
    TriggerRemoved {
        /// Which one.
        trigger_id: TriggerId,
    },
}

/// Something that is selected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SelectedItem {
    /// By the component's own names.
    pub item_id: String,
    /// Whatever JSON the component adds.
    pub data: Value,
}

/// What changed of a layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum LayoutChange {
    /// Its upper left cell.
    Moved,
    /// Its size.
    Resized,
    /// It was pinned: shifting, clearing and loading leave it where it is.
    Pinned,
    /// It is no longer pinned.
    Unpinned,
}
