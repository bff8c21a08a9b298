//! Events on a board, for subscribers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::data::DataError;
use super::grid::Bounds;
use super::id::{ComponentId, TriggerId, ViewId};
use super::settings::SettingsUpdate;

/// An event on a board. The host reports clicks, actions and selections, and the board all others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "payload", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum CanvasEvent {
    /// A person clicked a component.
    #[serde(rename = "component.clicked")]
    Clicked {
        /// Id of the component, view or trigger.
        component_id: ComponentId,
        /// Clicked part, named by the component.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        element_id: Option<String>,
        /// Additional JSON from the component.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        data: Option<Value>,
    },
    /// A person started an action.
    #[serde(rename = "component.action")]
    Action {
        /// Id of the component, view or trigger.
        component_id: ComponentId,
        /// Action, as declared by the component's type.
        action_id: String,
        /// Parameters that match the action's schema.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        params: Option<Value>,
        /// State of the component, such as selection and filters.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        context: Option<Value>,
    },
    /// A person selected something.
    #[serde(rename = "component.selected")]
    Selected {
        /// Id of the component, view or trigger.
        component_id: ComponentId,
        /// Complete current selection.
        selected_items: Vec<SelectedItem>,
    },
    /// A component's data could not be fetched.
    #[serde(rename = "component.error")]
    Error {
        /// Id of the component, view or trigger.
        component_id: ComponentId,
        /// Error from the component's data state.
        error: DataError,
    },
    /// A component's data arrived.
    #[serde(rename = "component.ready")]
    Ready {
        /// Id of the component, view or trigger.
        component_id: ComponentId,
        /// One sentence for the model.
        summary: String,
        /// Notable facts, a few words each.
        highlights: Vec<String>,
    },
    /// A component was moved, resized, pinned or unpinned.
    #[serde(rename = "layout.changed")]
    LayoutChanged {
        /// Id of the component, view or trigger.
        component_id: ComponentId,
        /// Kind of change. A change of both position and size is two events.
        change_type: LayoutChange,
        /// Cells covered after the change.
        new_bounds: Bounds,
    },
    /// A view was loaded.
    #[serde(rename = "view.loaded")]
    ViewLoaded {
        /// Id of the component, view or trigger.
        view_id: ViewId,
        /// Name of the view.
        view_name: String,
    },
    /// A trigger was due.
    #[serde(rename = "trigger.activated")]
    TriggerActivated {
        /// Id of the component, view or trigger.
        trigger_id: TriggerId,
        /// Name for people.
        trigger_name: String,
        /// View that the trigger suggests or loads, if any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        suggested_view_id: Option<ViewId>,
    },
    /// A component was created, restored, or loaded with a view.
    #[serde(rename = "component.added")]
    Added {
        /// Id of the component, view or trigger.
        component_id: ComponentId,
        /// Whether the component has a binding, so its data have to be fetched.
        needs_data: bool,
    },
    /// The config of a component changed.
    #[serde(rename = "component.updated")]
    Updated {
        /// Id of the component, view or trigger.
        component_id: ComponentId,
        /// Whether the binding changed, so the data have to be fetched.
        needs_data: bool,
    },
    /// A component was removed.
    #[serde(rename = "component.removed")]
    Removed {
        /// Id of the component, view or trigger.
        component_id: ComponentId,
    },
    /// A view was saved or restored.
    #[serde(rename = "view.saved")]
    ViewSaved {
        /// Id of the component, view or trigger.
        view_id: ViewId,
        /// Name of the view.
        view_name: String,
    },
    /// A view was deleted.
    #[serde(rename = "view.deleted")]
    ViewDeleted {
        /// Id of the component, view or trigger.
        view_id: ViewId,
    },
    /// A view lists other triggers, because one was removed or restored.
    #[serde(rename = "view.updated")]
    ViewUpdated {
        /// Id of the component, view or trigger.
        view_id: ViewId,
    },
    /// Settings of the workspace changed.
    #[serde(rename = "settings.updated")]
    SettingsUpdated {
        /// Changed settings with their new values.
        settings: SettingsUpdate,
    },
    /// A trigger was added, replaced or restored. A trigger that only loses or regains its view is not reported.
    #[serde(rename = "trigger.set")]
    TriggerSet {
        /// Id of the component, view or trigger.
        trigger_id: TriggerId,
    },
    /// A trigger was removed.
    #[serde(rename = "trigger.removed")]
    TriggerRemoved {
        /// Id of the component, view or trigger.
        trigger_id: TriggerId,
    },
}

/// A selected item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SelectedItem {
    /// Id of the item, named by the component.
    pub item_id: String,
    /// Additional JSON from the component.
    pub data: Value,
}

/// Kind of a layout change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum LayoutChange {
    /// The component got another upper left cell.
    Moved,
    /// The component got another size.
    Resized,
    /// The component was pinned, so shifting, clearing and loading a view leave it in place.
    Pinned,
    /// The component was unpinned.
    Unpinned,
}
