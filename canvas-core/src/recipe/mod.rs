//! Recipes, with which a canvas refreshes its data without a model.
//!
//! A recipe consists of tool calls with parameters and of mappings for parts of the responses. A replay makes the data
//! of components and of the state again. This module itself does not call tools.
//!
//! Each group of modules uses only those before it:
//!
//! * `error`, `pointer` and `reader`, which finds every fault of a JSON value
//! * `date_math` for time expressions in a zone, and `operation` for filter, sort, limit, select and aggregate over
//!   lists
//! * `drift` for the reasons why data are not fresh, `limits` and `name`
//! * `parameters`, `datum` for a value of a replay, `mapping` and `recipe_step`
//! * `compiled` and `compile` for the whole recipe and its faults, and `stored` for recipes of any version
//! * `manifest` for the data on a canvas, and `outcome` for the effect of a replay on a canvas
//! * `canvas_data` for the data in the form that a host displays, and `wire` for the recipe in the form that a host
//!   receives

pub(crate) mod canvas_data;
mod compile;
pub(crate) mod compiled;
pub(crate) mod date_math;
pub(crate) mod datum;
pub(crate) mod drift;
pub(crate) mod error;
pub(crate) mod limits;
pub(crate) mod manifest;
pub(crate) mod mapping;
pub(crate) mod name;
pub(crate) mod operation;
pub(crate) mod outcome;
pub(crate) mod parameters;
pub(crate) mod pointer;
mod reader;
pub(crate) mod recipe_step;
pub(crate) mod refusal;
mod step;
pub(crate) mod stored;
#[cfg(feature = "proptest")]
pub mod strategies;
#[cfg(test)]
mod tests;
pub(crate) mod wire;

pub use canvas_data::{CanvasData, ComponentData};
pub use compiled::Recipe;
pub use date_math::eval::DateValue;
pub use date_math::expr::{DateExpr, DateExprError};
pub use date_math::parameter::{DateFormat, DateParameter};
pub use datum::Datum;
pub use drift::{DataStatus, Drift, DriftCode};
pub use error::{RecipeCode, RecipeFault};
pub use limits::RecipeLimits;
pub use manifest::{DataChange, DataDiff, DataEntry, DataManifest, StoredData};
pub use mapping::{Mapping, Target};
pub use name::{RunId, StepId};
pub use operation::operations::Operations;
pub use outcome::{ChangedPlace, ReplayOutcome, StaleTarget};
pub use parameters::Parameters;
pub use pointer::{JsonPointer, JsonPointerError};
pub use recipe_step::RecipeStep;
pub use step::RecipeReplaced;
pub use stored::StoredRecipe;
pub use wire::{MappingSpec, RecipeSpec, StepSpec};

pub use self::refusal::RecipeRefusal;
pub use crate::transition::recipe::finish::{FinishReplay, ReplayFinished};
pub use crate::transition::recipe::record::{NonRefreshable, RecipeRecorded, RecordRecipe};
pub use crate::transition::refusal::RecipeCommandRefusal;
