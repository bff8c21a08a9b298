//! Arguments of the tool `gsv__Canvas`.

use std::collections::BTreeMap;

use canvas_core::{CanvasId, Revision};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::reply::ToolError;
use crate::surface::{AssetContent, CanvasParams, ListParams, PatchParams, SurfaceRequest, UpsertParams};

#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Arguments {
    /// upsert makes a surface, or gives an existing one a new title, spec or assets. get shows one with its spec, state
    /// and assets. list shows the existing ones. open shows one to the user, and close ends that. patchState changes
    /// the state.
    #[schemars(with = "String")]
    operation: Operation,
    /// Id of the canvas. Leave it out for the one that you talk about.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    canvas_id: Option<CanvasId>,
    /// For upsert, the title that people read above the surface.
    #[serde(default)]
    title: Option<String>,
    /// For upsert, the whole spec, {"version": 1, "mode": "html", "toolPolicy": {"allow": [tool names]}, "state":
    /// {...}, "actions": {ID: ACTION}, "bindings": {NAME: ACTION ID}, "refresh": [{"id", "everyMs", "action",
    /// "enabled"}]}. An action is {"kind": "tool.call", "tool", "args"?, "saveAs"?, "confirm"?, "timeoutMs"?}, {"kind":
    /// "session.send", "message", "saveAs"?} or {"kind": "state.patch", "patch"}. Texts in args and message take values
    /// by {{state.path}}, {{input.path}} and {{runtime.now}}. An existing surface keeps its state.
    #[serde(default)]
    spec: Option<BTreeMap<String, Value>>,
    /// For upsert, assets by path, such as "assets/index.html". Each is its text, {"base64": BYTES}, or null to remove
    /// it.
    #[serde(default)]
    assets: Option<BTreeMap<String, Option<AssetContent>>>,
    /// For patchState, JSON Patch operations on the state (add, replace and remove). All are applied, or none.
    #[serde(default)]
    #[schemars(with = "Option<Vec<BTreeMap<String, Value>>>")]
    patch: Option<Vec<Value>>,
    /// For upsert and patchState, the revision that get returned. The call fails with REVISION_CONFLICT if the surface
    /// changed since.
    #[serde(default)]
    #[schemars(with = "Option<u64>")]
    expected_revision: Option<Revision>,
    /// For list, the canvas after which the list begins.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    after: Option<CanvasId>,
    /// For list, the maximum number of canvases.
    #[serde(default)]
    limit: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Operation {
    Upsert,
    Get,
    List,
    Open,
    Close,
    PatchState,
}

impl Operation {
    pub(super) const ALL: [Self; 6] =
        [Self::Upsert, Self::Get, Self::List, Self::Open, Self::Close, Self::PatchState];

    pub(super) const fn is_write(self) -> bool {
        matches!(self, Self::Upsert | Self::PatchState)
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Upsert => "upsert",
            Self::Get => "get",
            Self::List => "list",
            Self::Open => "open",
            Self::Close => "close",
            Self::PatchState => "patchState",
        }
    }

    /// Whether the operation takes this argument, which is not the canvas.
    fn takes(self, name: &str) -> bool {
        match self {
            Self::Upsert => matches!(name, "title" | "spec" | "assets" | "expectedRevision"),
            Self::Get | Self::Open | Self::Close => false,
            Self::List => matches!(name, "after" | "limit"),
            Self::PatchState => matches!(name, "patch" | "expectedRevision"),
        }
    }
}

impl Arguments {
    pub(super) const fn operation(&self) -> Operation {
        self.operation
    }

    /// Builds the request. `own` is the canvas of the conversation.
    pub(super) fn request(self, own: &CanvasId) -> Result<SurfaceRequest, ToolError> {
        let Self { operation, canvas_id, title, spec, assets, patch, expected_revision, after, limit } = self;
        let given = [
            ("title", title.is_some()),
            ("spec", spec.is_some()),
            ("assets", assets.is_some()),
            ("patch", patch.is_some()),
            ("expectedRevision", expected_revision.is_some()),
            ("after", after.is_some()),
            ("limit", limit.is_some()),
        ];
        if let Some((name, _)) = given.into_iter().find(|(name, given)| *given && !operation.takes(name)) {
            let message = format!("{} takes no {name}: leave it out", operation.name());
            return Err(ToolError::argument(&format!("/{name}"), message));
        }
        let canvas_id = canvas_id.unwrap_or_else(|| own.clone());
        Ok(match operation {
            Operation::Upsert => SurfaceRequest::Upsert(UpsertParams {
                canvas_id,
                title,
                spec: spec.map(|spec| spec.into_iter().collect()),
                assets: assets.unwrap_or_default(),
                expected_revision,
            }),
            Operation::Get => SurfaceRequest::Get(CanvasParams { canvas_id }),
            Operation::List => SurfaceRequest::List(ListParams { agent_id: None, after, limit }),
            Operation::Open => SurfaceRequest::Open(CanvasParams { canvas_id }),
            Operation::Close => SurfaceRequest::Close(CanvasParams { canvas_id }),
            Operation::PatchState => {
                let patch = patch.ok_or_else(|| {
                    ToolError::argument("/patch", "patchState needs a patch: pass a list of operations")
                })?;
                SurfaceRequest::Patch(PatchParams { canvas_id, patch: patch.into(), expected_revision })
            }
        })
    }
}
