//! Resolved actions, with the effect of a run and the digest by which a person confirms it.

use serde_json::{Value, json};

use crate::model::blob::BlobId;
use crate::model::id::CanvasId;
use crate::model::json_hash::JsonHash;
use crate::surface::contract::ToolContract;
use crate::surface::error::{SurfaceCode, SurfaceFault};
use crate::surface::name::ActionId;
use crate::surface::template::{Scope, Template};

/// Inputs from which a plan is made.
#[derive(Debug, Clone, Copy)]
pub struct PlanRequest<'a> {
    /// The canvas whose surface has the action.
    pub canvas: &'a CanvasId,
    /// Id of the action to resolve.
    pub action: &'a ActionId,
    /// Blob of the spec that contains the action.
    pub spec: BlobId,
    /// Contract of the tool to call.
    pub contract: &'a ToolContract,
    /// Template of the tool's arguments.
    pub arguments: &'a Template,
    /// JSON Pointer to the arguments in the spec.
    pub place: &'a str,
    /// Values for the template, and the time of the plan.
    pub scope: Scope<'a>,
}

/// A resolved call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct CallPlan {
    /// Resolved arguments, which match the tool's schema.
    pub arguments: Value,
    /// The words of a command in the arguments, for display. `None` unless they contain a command that is understood.
    pub words: Option<Vec<String>>,
    /// Digest of canvas, action, spec, contract, arguments and time.
    pub digest: JsonHash,
}

impl CallPlan {
    /// Resolves an action.
    ///
    /// # Errors
    ///
    /// Returns the faults of [`Template::resolve`] and [`ToolContract::check`].
    pub fn new(request: &PlanRequest<'_>) -> Result<Self, Vec<SurfaceFault>> {
        let arguments = request.arguments.resolve(&request.scope).map_err(|fault| vec![fault])?;
        request.contract.check(&arguments, request.place)?;
        let words = request.arguments.words(&arguments);
        let digest = digest(request, &arguments).map_err(|fault| vec![fault])?;
        Ok(Self { arguments, words, digest })
    }
}

fn digest(request: &PlanRequest<'_>, arguments: &Value) -> Result<JsonHash, SurfaceFault> {
    let PlanRequest { canvas, action, spec, contract, place, scope, .. } = request;
    let plan = json!({
        "canvas": canvas,
        "action": action,
        "spec": spec,
        "contract": contract.hash(),
        "arguments": arguments,
        "now": scope.now,
    });
    JsonHash::of(&plan).map_err(|error| {
        let below = error.place.strip_prefix("/arguments").unwrap_or_default();
        SurfaceFault::new(format!("{place}{below}"), SurfaceCode::ArgumentsRefused, error.to_string())
    })
}
