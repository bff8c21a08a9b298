//! A step of a recipe: one call of a tool.

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

/// One call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct RecipeStep {
    pub(super) id: StepId,
    pub(super) tool: ToolName,
    pub(super) parameters: Parameters,
    pub(super) contract: Option<JsonHash>,
    pub(super) tool_version: Option<String>,
    /// Places of the earlier steps whose responses it needs, in rising order.
    pub(super) sources: Vec<usize>,
    /// Its own reason, or that of a step that it needs.
    pub(super) frozen: Option<String>,
}

impl RecipeStep {
    /// Names it in the recipe.
    pub fn id(&self) -> &StepId {
        &self.id
    }

    /// The tool that it calls.
    pub fn tool(&self) -> &ToolName {
        &self.tool
    }

    /// What it calls the tool with.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The hash of the tool's contract when it was recorded ([`ToolContract::hash`]). `None` before, and of a frozen step.
    pub fn contract(&self) -> Option<JsonHash> {
        self.contract
    }

    /// The tool's version when it was recorded, in the tool's own words.
    pub fn tool_version(&self) -> Option<&str> {
        self.tool_version.as_deref()
    }

    /// Places of the earlier steps whose responses it needs, in rising order.
    pub fn sources(&self) -> &[usize] {
        &self.sources
    }

    /// Why it is not called again: something in its parameters is frozen, or a step is that it needs. `None` where it is
    /// called.
    pub fn frozen(&self) -> Option<&str> {
        self.frozen.as_deref()
    }

    /// What the tool is called with at `now` in a zone, with the responses of earlier steps.
    ///
    /// # Errors
    ///
    /// As [`Parameters::resolve`].
    pub fn arguments(
        &self,
        time: (Timestamp, &Zone),
        responses: &BTreeMap<StepId, Value>,
        limits: &RecipeLimits,
    ) -> Result<Value, RecipeFault> {
        self.parameters.resolve(time, responses, limits.argument_bytes)
    }

    /// The contract of its tool, where the host still has and allows it and it is what was recorded.
    ///
    /// # Errors
    ///
    /// `TOOL_GONE`, `PERMISSION_GONE` where the host does not allow it or it is not read-only, `CONTRACT_CHANGED` with the
    /// versions of then and now.
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

/// The contract of a tool that a replay may call.
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
