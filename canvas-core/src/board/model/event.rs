//! What happened on a board, for whoever follows it (specs 002 §7).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::data::DataError;
use super::grid::Bounds;
use super::id::{ComponentId, TriggerId, ViewId};

/// Something that happened. Clicks, actions and selections are the host's to report; the rest comes from the board.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "payload", rename_all_fields = "camelCase")]
pub enum CanvasEvent {
    /// A person clicked a component.
    #[serde(rename = "component.clicked")]
    Clicked {
        /// The component.
        component_id: ComponentId,
        /// The element within it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        element_id: Option<String>,
        /// What the component says of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        data: Option<Value>,
    },
    /// A person set an action going.
    #[serde(rename = "component.action")]
    Action {
        /// The component.
        component_id: ComponentId,
        /// The action.
        action_id: String,
        /// Its parameters.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        params: Option<Value>,
        /// Selection, filters and the like.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        context: Option<Value>,
    },
    /// A person selected something.
    #[serde(rename = "component.selected")]
    Selected {
        /// The component.
        component_id: ComponentId,
        /// What is selected now.
        selected_items: Vec<SelectedItem>,
    },
    /// A component's data could not be had.
    #[serde(rename = "component.error")]
    Error {
        /// The component.
        component_id: ComponentId,
        /// Why.
        error: DataError,
    },
    /// A component's data are there.
    #[serde(rename = "component.ready")]
    Ready {
        /// The component.
        component_id: ComponentId,
        /// What they are, in short.
        summary: String,
        /// What stands out.
        highlights: Vec<String>,
    },
    /// A component stands elsewhere, or otherwise.
    #[serde(rename = "layout.changed")]
    LayoutChanged {
        /// The component.
        component_id: ComponentId,
        /// What changed.
        change_type: LayoutChange,
        /// Where it stands now.
        new_bounds: Bounds,
    },
    /// A view was loaded.
    #[serde(rename = "view.loaded")]
    ViewLoaded {
        /// The view.
        view_id: ViewId,
        /// Its name.
        view_name: String,
    },
    /// A trigger was due.
    #[serde(rename = "trigger.activated")]
    TriggerActivated {
        /// The trigger.
        trigger_id: TriggerId,
        /// Its name.
        trigger_name: String,
        /// The view that it suggests.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        suggested_view_id: Option<ViewId>,
    },
    /// A component appeared: made, restored, or loaded with a view (beyond specs 002).
    #[serde(rename = "component.added")]
    Added {
        /// The component.
        component_id: ComponentId,
        /// It has a binding, so that somebody should fetch its data.
        needs_data: bool,
    },
    /// What a component is told has changed (beyond specs 002).
    #[serde(rename = "component.updated")]
    Updated {
        /// The component.
        component_id: ComponentId,
        /// Its binding has changed, so that somebody should fetch its data.
        needs_data: bool,
    },
    /// A component is gone (beyond specs 002).
    #[serde(rename = "component.removed")]
    Removed {
        /// The component.
        component_id: ComponentId,
    },
    /// A view was saved, or is back (beyond specs 002).
    #[serde(rename = "view.saved")]
    ViewSaved {
        /// The view.
        view_id: ViewId,
        /// Its name.
        view_name: String,
    },
    /// A view is gone (beyond specs 002).
    #[serde(rename = "view.deleted")]
    ViewDeleted {
        /// The view.
        view_id: ViewId,
    },
}

/// Something that is selected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SelectedItem {
    /// What.
    pub item_id: String,
    /// What the component says of it.
    pub data: Value,
}

/// How the layout of a component changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LayoutChange {
    /// It stands elsewhere.
    Moved,
    /// It has another size.
    Resized,
    /// It stays where it is from now on.
    Pinned,
    /// It may be moved again.
    Unpinned,
}
