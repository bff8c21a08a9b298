//! Recipes: what a canvas refreshes itself with, without a model. Of them so far the closed language: time expressions,
//! and operations on the data of a response.
//!
//! Rooms, each knowing only those before it: `error`, `pointer`; `date_math` (time expressions, in a zone), `operation`
//! (filter, sort, limit, select and aggregate over lists).

pub(crate) mod date_math;
pub(crate) mod error;
pub(crate) mod operation;
pub(crate) mod pointer;

pub use date_math::eval::DateValue;
pub use date_math::expr::{DateExpr, DateExprError};
pub use date_math::parameter::{DateFormat, DateParameter};
pub use error::{RecipeCode, RecipeFault};
pub use operation::operations::Operations;
pub use pointer::{JsonPointer, JsonPointerError};
