//! Results of requests to surfaces, and the source of their schemas.

use canvas_core::surface::{AssetPath, Descriptor, EventId, StatePointer, StateValue, SurfaceFault};
use canvas_core::{CanvasId, Revision};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// Result of `list`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Listed {
    /// Surfaces visible to the caller, ordered by canvas id.
    pub(crate) canvases: Vec<Descriptor>,
    /// Value to pass as `after` to read on. Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next: Option<CanvasId>,
}

/// Result of `get`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Shown<'a> {
    /// Descriptor with owner, title and times.
    pub(crate) descriptor: &'a Descriptor,
    /// Spec in the form in which it was saved, or null if the surface has none.
    pub(crate) spec: Option<Value>,
    /// Current state.
    pub(crate) state: &'a StateValue,
    /// Assets ordered by path.
    pub(crate) assets: Vec<AssetLine<'a>>,
    /// Clients and sessions that show the surface.
    pub(crate) views: Vec<String>,
}

/// Entry of an asset list.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Asset")]
pub(crate) struct AssetLine<'a> {
    /// Path of the asset.
    pub(crate) path: &'a AssetPath,
    /// Size in bytes.
    pub(crate) bytes: u64,
    /// Media type, such as `text/html`.
    pub(crate) media_type: &'a str,
}

/// Result of `create`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Created {
    /// Descriptor of the new surface.
    pub(crate) descriptor: Descriptor,
}

/// Result of `upsert`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Upserted {
    /// Descriptor after the call.
    pub(crate) descriptor: Descriptor,
    /// Whether the call created the surface.
    pub(crate) created: bool,
}

/// Result of `patchState`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Patched<'a> {
    /// Revision of the canvas, which stays the same if the state was not changed.
    pub(crate) revision: Revision,
    /// Changed places of the state.
    pub(crate) changed_paths: &'a [StatePointer],
}

/// Result of `open` and `close`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Viewed {
    /// Clients and sessions that now show the surface.
    pub(crate) views: Vec<String>,
}

/// Result of `action` after an execution.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Executed<'a> {
    /// Id of the execution.
    pub(crate) event_id: &'a EventId,
    /// Whether the state contains the result or the change.
    pub(crate) saved: bool,
    /// Revision of the canvas after the execution.
    pub(crate) revision: Revision,
    /// Response of the tool, or null if it is no longer known.
    pub(crate) result: &'a Option<Value>,
    /// Reason why a result could not be saved in the state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unsaved: Option<&'a SurfaceFault>,
}
