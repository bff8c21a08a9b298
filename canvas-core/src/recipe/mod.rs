//! Recipes: what a canvas refreshes itself with, without a model.
//!
//! A recipe is calls of tools with parameters, and where parts of the responses go. Replayed, it makes the data of components
//! and of the state again; nothing here calls a tool.
//!
//! Rooms, each knowing only those before it: `error`, `pointer`, `reader` (finds every fault of a JSON value); `date_math`
//! (time expressions, in a zone), `operation` (filter, sort, limit, select and aggregate over lists); `drift` (why data are
//! not fresh), `limits`, `name`; `parameters`, `datum` (a value that was made), `mapping`, `recipe_step`; `compiled` and
//! `compile` (the whole, and what is wrong with it), `stored` (of whatever version); `manifest` (the data on a canvas);
//! `outcome` (what a replay comes to there). `canvas_data` (the data as a host shows them). `wire` is the recipe as it is sent.

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
