//! Results of requests to surfaces, and the source of their schemas.

use canvas_core::surface::{AssetPath, Descriptor, EventId, StatePointer, StateValue, SurfaceFault};
use canvas_core::{CanvasId, Revision};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// Result of `list`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Listed {
    /// Those that the asker may see, by their ids.
    pub(crate) canvases: Vec<Descriptor>,
    /// Where to go on: the `after` of the next request. Left out at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next: Option<CanvasId>,
}

/// Result of `get`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Shown<'a> {
    /// Whose it is, its title and its times.
    pub(crate) descriptor: &'a Descriptor,
    /// The spec as it was saved; null where there is none.
    pub(crate) spec: Option<Value>,
    /// The state.
    pub(crate) state: &'a StateValue,
    /// The assets by path.
    pub(crate) assets: Vec<AssetLine<'a>>,
    /// The clients and sessions that show it.
    pub(crate) views: Vec<String>,
}

/// An asset in a list.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Asset")]
pub(crate) struct AssetLine<'a> {
    /// Its path.
    pub(crate) path: &'a AssetPath,
    /// Its size.
    pub(crate) bytes: u64,
    /// What it is.
    pub(crate) media_type: &'a str,
}

/// Result of `create`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Created {
    /// The new surface.
    pub(crate) descriptor: Descriptor,
}

/// Result of `upsert`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Upserted {
    /// The surface as it is now.
    pub(crate) descriptor: Descriptor,
    /// Whether there was none before.
    pub(crate) created: bool,
}

/// Result of `patchState`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Patched<'a> {
    /// The revision of the canvas; the same as before where nothing was changed.
    pub(crate) revision: Revision,
    /// The places of the state that have changed.
    pub(crate) changed_paths: &'a [StatePointer],
}

/// Result of `open` and `close`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Viewed {
    /// The clients and sessions that show the surface now.
    pub(crate) views: Vec<String>,
}

/// Result of `action`: an execution that was done.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Executed<'a> {
    /// Names the execution.
    pub(crate) event_id: &'a EventId,
    /// Whether the state has the result, or the change.
    pub(crate) saved: bool,
    /// The revision of the canvas after it.
    pub(crate) revision: Revision,
    /// What the tool answered; null where it is not known any more.
    pub(crate) result: &'a Option<Value>,
    /// Why the state does not have a result that was to be saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unsaved: Option<&'a SurfaceFault>,
}
