//! Requests to surfaces, each with the method and parameters from a client.

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
    /// `canvas.list` lists the surfaces that the actor may see.
    List(ListParams),
    /// `canvas.get` returns a surface with its spec, its state and a list of its assets.
    Get(CanvasParams),
    /// `canvas.create` creates a surface, on a new canvas or on one without a surface.
    Create(CreateParams),
    /// `canvas.upsert` creates a surface or replaces parts of an existing one. The state of an existing surface stays.
    Upsert(UpsertParams),
    /// `canvas.patch` changes the state.
    Patch(PatchParams),
    /// `canvas.delete` deletes the canvas with all its faces. Only users may do this.
    Delete(DeleteParams),
    /// `canvas.open` records that the actor shows the surface.
    Open(CanvasParams),
    /// `canvas.close` records that the actor no longer shows it.
    Close(CanvasParams),
    /// `canvas.action` runs an action of the spec.
    Action(ActionParams),
}

/// Parameters of `canvas.list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListParams {
    /// Only the surfaces of this agent.
    #[serde(default)]
    pub agent_id: Option<AgentId>,
    /// Only surfaces after this canvas.
    #[serde(default)]
    pub after: Option<CanvasId>,
    /// Maximum number of surfaces. If absent, [`ListParams::LIMIT`].
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
    /// Canvas with the surface.
    pub canvas_id: CanvasId,
}

/// Parameters of `canvas.create`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateParams {
    /// New canvas, or existing canvas that gets the surface.
    pub canvas_id: CanvasId,
    /// Owner of the surface. If absent, the agent of the calling session, or else `main`.
    #[serde(default)]
    pub agent_id: Option<AgentId>,
    /// Title for people. If absent, the canvas id.
    #[serde(default)]
    pub title: Option<String>,
    /// Session that receives the messages of actions. If absent, the agent's main session.
    #[serde(default)]
    pub owner_session_key: Option<SessionKey>,
    /// Asset to show first.
    #[serde(default)]
    pub entry_asset: Option<String>,
    /// Spec, whose `state` becomes the initial state.
    pub spec: Value,
    /// Assets by path.
    #[serde(default)]
    pub assets: BTreeMap<String, AssetContent>,
}

/// Parameters of `canvas.upsert`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UpsertParams {
    /// Canvas with the surface.
    pub canvas_id: CanvasId,
    /// New title for people.
    #[serde(default)]
    pub title: Option<String>,
    /// New spec. Its `state` is used only if the call creates the surface.
    #[serde(default)]
    pub spec: Option<Value>,
    /// New content of assets by path; null removes an asset. Assets not listed stay.
    #[serde(default)]
    pub assets: BTreeMap<String, Option<AssetContent>>,
    /// Revision known to the actor. If the surface changed after it, the request is refused.
    #[serde(default)]
    pub expected_revision: Option<Revision>,
}

/// Parameters of `canvas.patch`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PatchParams {
    /// Canvas with the surface.
    pub canvas_id: CanvasId,
    /// JSON Patch operations (RFC 6902) on the state, limited to add, replace and remove. Either all are applied, or
    /// the request is refused.
    pub patch: Value,
    /// Revision known to the actor. If the surface changed after it, the request is refused.
    #[serde(default)]
    pub expected_revision: Option<Revision>,
}

/// Parameters of `canvas.delete`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeleteParams {
    /// Canvas with the surface.
    pub canvas_id: CanvasId,
    /// Revision known to the actor. If the surface changed after it, the request is refused.
    #[serde(default)]
    pub expected_revision: Option<Revision>,
}

/// Parameters of `canvas.action`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ActionParams {
    /// Canvas with the surface.
    pub canvas_id: CanvasId,
    /// Action to run, unless the request names a binding.
    #[serde(default)]
    pub action_id: Option<ActionId>,
    /// Binding of the spec that leads to the action.
    #[serde(default)]
    pub binding: Option<BindingName>,
    /// Input from the trigger. If absent, an empty object.
    #[serde(default)]
    pub input: Option<Value>,
    /// Revision known to the actor. If the surface changed after it, the action does not run.
    #[serde(default)]
    pub expected_revision: Option<Revision>,
    /// A person's consent to the prompt of `CONFIRMATION_REQUIRED`.
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
    /// use canvas_core::CodedError as _;
    /// use canvas_tools::surface::SurfaceRequest;
    /// use serde_json::json;
    ///
    /// let params = json!({"canvasId": "deploy-prod", "actionId": "deploy", "expectedRevision": 7});
    /// let SurfaceRequest::Action(run) = SurfaceRequest::parse("canvas.action", &params)? else { panic!() };
    /// assert_eq!(run.canvas_id.as_str(), "deploy-prod");
    ///
    /// let refused = SurfaceRequest::parse("canvas.action", &json!({"canvasId": 7})).unwrap_err();
    /// assert_eq!((refused.code(), refused.place().as_deref()), ("INVALID_ARGUMENTS", Some("/canvasId")));
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
