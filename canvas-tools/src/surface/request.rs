//! Requests to surfaces: a method and its parameters, as a client sends them.

use std::collections::BTreeMap;

use canvas_core::surface::{ActionId, AgentId, BindingName, Confirmation, SessionKey};
use canvas_core::{CanvasId, Revision};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::asset::AssetContent;
use crate::arguments::arguments;
use crate::reply::{ToolError, shorten};

/// A request to a surface.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SurfaceRequest {
    /// `canvas.list`: lists the surfaces that the actor may see.
    List(ListParams),
    /// `canvas.get`: returns a surface with its spec, its state and a list of its assets.
    Get(CanvasParams),
    /// `canvas.create`: creates a surface, on a new canvas or on one without a surface.
    Create(CreateParams),
    /// `canvas.upsert`: creates a surface or replaces parts of an existing one. The state of an existing surface stays.
    Upsert(UpsertParams),
    /// `canvas.patch`: changes the state.
    Patch(PatchParams),
    /// `canvas.delete`: deletes the canvas with all its faces. Only users may do this.
    Delete(DeleteParams),
    /// `canvas.open`: records that the actor shows the surface.
    Open(CanvasParams),
    /// `canvas.close`: records that the actor no longer shows it.
    Close(CanvasParams),
    /// `canvas.action`: runs an action of the spec.
    Action(ActionParams),
}

/// Parameters of `canvas.list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListParams {
    /// Only the surfaces of this agent.
    #[serde(default)]
    pub agent_id: Option<AgentId>,
    /// Only what comes after this one.
    #[serde(default)]
    pub after: Option<CanvasId>,
    /// At most so many; as many as [`ListParams::LIMIT`] where it is left out.
    #[serde(default)]
    pub limit: Option<usize>,
}

impl ListParams {
    /// Maximum number of surfaces in one answer.
    pub const LIMIT: usize = 100;
}

/// Parameters of methods that only name a surface.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CanvasParams {
    /// The canvas.
    pub canvas_id: CanvasId,
}

/// Parameters of `canvas.create`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateParams {
    /// The canvas that is made, or that gets the surface.
    pub canvas_id: CanvasId,
    /// Whose surface it is; the agent of the session that asks, else `main`.
    #[serde(default)]
    pub agent_id: Option<AgentId>,
    /// What people read. The canvas's id where it is left out.
    #[serde(default)]
    pub title: Option<String>,
    /// The session that messages of actions go to; the main one of the agent where it is left out.
    #[serde(default)]
    pub owner_session_key: Option<SessionKey>,
    /// The asset that is shown first.
    #[serde(default)]
    pub entry_asset: Option<String>,
    /// The spec, whose `state` is the first state.
    pub spec: Value,
    /// Assets by path.
    #[serde(default)]
    pub assets: BTreeMap<String, AssetContent>,
}

/// Parameters of `canvas.upsert`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UpsertParams {
    /// The canvas.
    pub canvas_id: CanvasId,
    /// A new title.
    #[serde(default)]
    pub title: Option<String>,
    /// A new spec. Its `state` is only used where the surface is made.
    #[serde(default)]
    pub spec: Option<Value>,
    /// New content of assets by path; null takes one away, and the others stay.
    #[serde(default)]
    pub assets: BTreeMap<String, Option<AssetContent>>,
    /// The revision that the actor knows. A surface that has changed since is not changed.
    #[serde(default)]
    pub expected_revision: Option<Revision>,
}

/// Parameters of `canvas.patch`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PatchParams {
    /// The canvas.
    pub canvas_id: CanvasId,
    /// Operations of RFC 6902 on the state: add, replace and remove. All are done or none.
    pub patch: Value,
    /// The revision that the actor knows. A surface that has changed since is not changed.
    #[serde(default)]
    pub expected_revision: Option<Revision>,
}

/// Parameters of `canvas.delete`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeleteParams {
    /// The canvas.
    pub canvas_id: CanvasId,
    /// The revision that the actor knows. A surface that has changed since is not deleted.
    #[serde(default)]
    pub expected_revision: Option<Revision>,
}

/// Parameters of `canvas.action`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ActionParams {
    /// The canvas.
    pub canvas_id: CanvasId,
    /// The action; or name a binding.
    #[serde(default)]
    pub action_id: Option<ActionId>,
    /// A binding of the spec, in place of the action that it leads to.
    #[serde(default)]
    pub binding: Option<BindingName>,
    /// What the trigger brings; an empty object where it is left out.
    #[serde(default)]
    pub input: Option<Value>,
    /// The revision that the actor knows. On a surface that has changed since nothing is run.
    #[serde(default)]
    pub expected_revision: Option<Revision>,
    /// A person's yes to what `CONFIRMATION_REQUIRED` has shown.
    #[serde(default)]
    pub confirmation: Option<Confirmation>,
}

impl SurfaceRequest {
    /// The names of all methods.
    pub const METHODS: [&str; 9] = [
        "canvas.list",
        "canvas.get",
        "canvas.create",
        "canvas.upsert",
        "canvas.patch",
        "canvas.delete",
        "canvas.open",
        "canvas.close",
        "canvas.action",
    ];

    /// Parses a request. Parameters that the method does not have are refused.
    ///
    /// ```
    /// use canvas_tools::surface::SurfaceRequest;
    /// use serde_json::json;
    ///
    /// let params = json!({"canvasId": "deploy-prod", "actionId": "deploy", "expectedRevision": 7});
    /// let SurfaceRequest::Action(run) = SurfaceRequest::parse("canvas.action", &params)? else { panic!() };
    /// assert_eq!(run.canvas_id.as_str(), "deploy-prod");
    ///
    /// let refused = SurfaceRequest::parse("canvas.action", &json!({"canvasId": 7})).unwrap_err();
    /// assert_eq!((refused.code(), refused.place()), ("INVALID_ARGUMENTS", Some("/canvasId")));
    /// # Ok::<(), canvas_tools::ToolError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENTS` with the place in `params` as a JSON Pointer.
    pub fn parse(method: &str, params: &Value) -> Result<Self, ToolError> {
        let none = json!({});
        let params = if params.is_null() { &none } else { params };
        Ok(match method {
            "canvas.list" => Self::List(arguments(params)?),
            "canvas.get" => Self::Get(arguments(params)?),
            "canvas.create" => Self::Create(arguments(params)?),
            "canvas.upsert" => Self::Upsert(arguments(params)?),
            "canvas.patch" => Self::Patch(arguments(params)?),
            "canvas.delete" => Self::Delete(arguments(params)?),
            "canvas.open" => Self::Open(arguments(params)?),
            "canvas.close" => Self::Close(arguments(params)?),
            "canvas.action" => Self::Action(arguments(params)?),
            other => {
                let known = Self::METHODS.join(", ");
                let message = format!("there is no method \"{}\": send one of {known}", shorten(other));
                return Err(ToolError::argument("", message));
            }
        })
    }

    /// Returns the canvas that the request names, or `None` for a list.
    pub fn canvas(&self) -> Option<&CanvasId> {
        match self {
            Self::List(_) => None,
            Self::Get(one) | Self::Open(one) | Self::Close(one) => Some(&one.canvas_id),
            Self::Create(params) => Some(&params.canvas_id),
            Self::Upsert(params) => Some(&params.canvas_id),
            Self::Patch(params) => Some(&params.canvas_id),
            Self::Delete(params) => Some(&params.canvas_id),
            Self::Action(params) => Some(&params.canvas_id),
        }
    }
}
