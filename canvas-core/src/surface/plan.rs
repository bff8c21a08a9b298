//! An action, resolved: what would run, and the digest by which a person confirms it.

use serde_json::{Value, json};

use crate::model::blob::BlobId;
use crate::model::id::CanvasId;
use crate::model::json_hash::JsonHash;
use crate::surface::contract::ToolContract;
use crate::surface::error::{SurfaceCode, SurfaceFault};
use crate::surface::name::ActionId;
use crate::surface::template::{Scope, Template};

/// What a plan is made from.
#[derive(Debug, Clone, Copy)]
pub struct PlanRequest<'a> {
    /// The canvas.
    pub canvas: &'a CanvasId,
    /// The action.
    pub action: &'a ActionId,
    /// The blob of the spec that has it.
    pub spec: BlobId,
    /// The tool that it calls.
    pub contract: &'a ToolContract,
    /// Its arguments.
    pub arguments: &'a Template,
    /// Where the arguments stand in the spec, as a JSON Pointer.
    pub place: &'a str,
    /// Values, and the time of the plan.
    pub scope: Scope<'a>,
}

/// A call of a tool as it would run.
#[derive(Debug, Clone, PartialEq)]
pub struct CallPlan {
    /// Resolved, and within the tool's schema.
    pub arguments: Value,
    /// The words of the command in them, to be shown; `None` where there is none that is understood.
    pub words: Option<Vec<String>>,
    /// Of canvas, action, spec, contract, arguments and time.
    pub digest: JsonHash,
}

impl CallPlan {
    /// Resolves an action.
    ///
    /// # Errors
    ///
    /// The faults of [`Template::resolve`] and [`ToolContract::check`].
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
