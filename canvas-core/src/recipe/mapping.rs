//! Where a part of a response goes.

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

/// What is fed: a component by its id, or a place of the surface's state.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// The data of a component.
    Component(ComponentId),
    /// A place of the state. Objects that are missing on the way are made.
    State(StatePointer),
}

impl Target {
    /// The component; `None` of a place of the state.
    pub fn component(&self) -> Option<&ComponentId> {
        match self {
            Self::Component(id) => Some(id),
            Self::State(_) => None,
        }
    }

    /// Whether what feeds one could change what feeds the other.
    pub(super) fn touches(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Component(one), Self::Component(other)) => one == other,
            (Self::State(one), Self::State(other)) => one.touches(other),
            _ => false,
        }
    }
}

/// A part of a step's response, what is done with it, and where it goes.
#[derive(Debug, Clone, PartialEq)]
pub struct Mapping {
    /// The step whose response it is.
    pub step: StepId,
    /// The part of the response.
    pub path: JsonPointer,
    /// What is done with it.
    pub operations: Operations,
    /// Where it goes.
    pub target: Target,
}

impl Mapping {
    /// What the mapping makes of a response, at `now` in a zone. Costs what the operations cost, and is linear in the data.
    ///
    /// # Errors
    ///
    /// With the place in the mapping: `MAPPING_FAILED` where the response has nothing at the path, where the operations do
    /// not take it, and where the data pass the limits; `EXPR_INVALID` as in [`Operations::apply`].
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
