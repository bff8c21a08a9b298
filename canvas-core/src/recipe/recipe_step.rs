//! A step of a recipe, which is one tool call.

use std::collections::BTreeMap;

use canvas_lease::Timestamp;
use serde_json::Value;

use crate::model::json_hash::JsonHash;
use crate::model::wording::{NAME, clip};
use crate::recipe::drift::{Drift, DriftCode};
use crate::recipe::error::RecipeFault;
use crate::recipe::limits::RecipeLimits;
use crate::recipe::name::StepId;
use crate::recipe::parameters::Parameters;
use crate::surface::{Ceiling, ToolContract, ToolName};
use crate::zone::Zone;

/// One tool call of a recipe.
#[derive(Debug, Clone, PartialEq)]
pub struct RecipeStep {
    pub(super) id: StepId,
    pub(super) tool: ToolName,
    pub(super) parameters: Parameters,
    pub(super) contract: Option<JsonHash>,
    pub(super) tool_version: Option<String>,
    /// Indices of the earlier steps whose responses it needs, in ascending order.
    pub(super) sources: Vec<usize>,
    /// Reason of this step, or of a step that it needs.
    pub(super) frozen: Option<String>,
}

impl RecipeStep {
    /// Returns the id of the step in its recipe.
    pub fn id(&self) -> &StepId {
        &self.id
    }

    /// Returns the tool to call.
    pub fn tool(&self) -> &ToolName {
        &self.tool
    }

    /// Returns the parameters of the call.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Returns the hash of the tool's contract at the time of recording ([`ToolContract::hash`]). It is `None` before
    /// that, and for a frozen step.
    pub fn contract(&self) -> Option<JsonHash> {
        self.contract
    }

    /// Returns the tool's version at the time of recording, in the tool's own words.
    pub fn tool_version(&self) -> Option<&str> {
        self.tool_version.as_deref()
    }

    /// Returns the indices of the earlier steps whose responses it needs, in ascending order.
    pub fn sources(&self) -> &[usize] {
        &self.sources
    }

    /// Returns the reason why the step is not called again, because a part of its parameters or a step that it needs is
    /// frozen. Returns `None` if the step is called.
    pub fn frozen(&self) -> Option<&str> {
        self.frozen.as_deref()
    }

    /// Returns the arguments of the call at `now` in a zone, with the responses of earlier steps.
    ///
    /// # Errors
    ///
    /// Returns the same faults as [`Parameters::resolve`].
    pub fn arguments(
        &self,
        time: (Timestamp, &Zone),
        responses: &BTreeMap<StepId, Value>,
        limits: &RecipeLimits,
    ) -> Result<Value, RecipeFault> {
        self.parameters.resolve(time, responses, limits.argument_bytes)
    }

    /// Returns the contract of the tool, if the host still has and allows it and it equals the recorded one.
    ///
    /// # Errors
    ///
    /// Returns `TOOL_GONE`, `PERMISSION_GONE` if the host does not allow the tool or the tool is not read-only, or
    /// `CONTRACT_CHANGED` with the recorded and the current version.
    pub fn check<'c>(&self, ceiling: &'c Ceiling) -> Result<&'c ToolContract, Drift> {
        let contract = allowed(&self.tool, ceiling)?;
        if self.contract.is_some_and(|recorded| recorded != contract.hash()) {
            let version = |version: Option<&str>| {
                version.map_or_else(|| "no version".to_owned(), |version| clip(version, NAME))
            };
            let (then, now) =
                (version(self.tool_version()), version(contract.declaration().version.as_deref()));
            let tool = clip(self.tool.as_str(), NAME);
            let message = format!(
                "the contract of {tool} has changed since it was recorded, then {then}, now {now}: record the recipe anew"
            );
            return Err(Drift::new(DriftCode::ContractChanged, message));
        }
        Ok(contract)
    }
}

/// Returns the contract of a tool, if a replay may call the tool.
pub(super) fn allowed<'c>(tool: &ToolName, ceiling: &'c Ceiling) -> Result<&'c ToolContract, Drift> {
    let short = clip(tool.as_str(), NAME);
    let Some(contract) = ceiling.tools.get(tool) else {
        let message = format!("this host has no tool {short}: bring it back, or record the recipe anew");
        return Err(Drift::new(DriftCode::ToolGone, message));
    };
    if ceiling.allow.as_ref().is_some_and(|allowed| !allowed.contains(tool)) {
        let message = format!("this host does not allow {short}: have it allowed, or record the recipe anew");
        return Err(Drift::new(DriftCode::PermissionGone, message));
    }
    if !contract.declaration().read_only {
        let message =
            format!("{short} is not declared read-only, and only such tools are called again: ask for it");
        return Err(Drift::new(DriftCode::PermissionGone, message));
    }
    Ok(contract)
}
