//! Mappings of a response's parts to their targets.

use std::borrow::Cow;

use canvas_lease::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::board::ComponentId;
use crate::model::wording::{NAME, clip};
use crate::recipe::datum::Datum;
use crate::recipe::error::{RecipeCode, RecipeFault};
use crate::recipe::limits::RecipeLimits;
use crate::recipe::name::StepId;
use crate::recipe::operation::operations::Operations;
use crate::recipe::pointer::JsonPointer;
use crate::surface::StatePointer;
use crate::zone::Zone;

/// The receiver of a mapped value, either a component by its id, or a place of the surface's state.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// The data of a component.
    Component(ComponentId),
    /// A place of the state. Objects that are missing on the way are made.
    State(StatePointer),
}

impl Target {
    /// Returns the component, or `None` for a place of the state.
    pub fn component(&self) -> Option<&ComponentId> {
        match self {
            Self::Component(id) => Some(id),
            Self::State(_) => None,
        }
    }

    /// Whether a change of one target could change the other.
    pub(super) fn touches(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Component(one), Self::Component(other)) => one == other,
            (Self::State(one), Self::State(other)) => one.touches(other),
            _ => false,
        }
    }
}

/// A part of a step's response, with the operations to apply and the target of their result.
#[derive(Debug, Clone, PartialEq)]
pub struct Mapping {
    /// The step whose response the mapping uses.
    pub step: StepId,
    /// Path of the part in the response.
    pub path: JsonPointer,
    /// Operations to apply to the part.
    pub operations: Operations,
    /// The component or the place of the state that receives the result.
    pub target: Target,
}

impl Mapping {
    /// Applies the mapping to a response, at `now` in a zone. Costs as much as the operations, and is linear in the
    /// data.
    ///
    /// # Errors
    ///
    /// The fault has the place in the mapping. The code is `MAPPING_FAILED` if the response has no value at the path,
    /// the operations do not accept it, or the data exceed the limits. The code is `EXPR_INVALID` in the cases of
    /// [`Operations::apply`].
    pub fn apply(
        &self,
        response: &Value,
        (now, zone): (Timestamp, &Zone),
        limits: &RecipeLimits,
    ) -> Result<Datum, RecipeFault> {
        let part = self.path.of(response).ok_or_else(|| {
            let (step, path) = (clip(self.step.as_str(), NAME), clip(self.path.as_str(), NAME));
            let message = format!(
                "the response of {step} has nothing at \"{path}\": look at it, and record the recipe anew"
            );
            RecipeFault::new("/path", RecipeCode::MappingFailed, message)
        })?;
        let data = self.operations.apply(Cow::Borrowed(part), now, zone);
        let data = data.map_err(|fault| fault.within("/ops"))?;
        Datum::new(data, limits)
    }
}
