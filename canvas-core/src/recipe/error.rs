//! Error codes of recipes, and faults with their places.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::error::CodedError;

canvas_patch::coded! {
    /// Code of a fault in a recipe, or in the data that it is replayed on.
    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
    #[non_exhaustive]
    pub enum RecipeCode {
        /// A part of the recipe cannot be read.
        RecipeInvalid = "RECIPE_INVALID",
        /// A time expression cannot be read, or leads out of the years 1 to 9999.
        ExprInvalid = "EXPR_INVALID",
        /// The data do not fit a mapping or an operation.
        MappingFailed = "MAPPING_FAILED",
        /// The recipe and the library have different versions.
        VersionMismatch = "VERSION_MISMATCH",
    }
}

/// Fault at one place of a recipe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[error("{message}")]
pub struct RecipeFault {
    /// JSON Pointer (RFC 6901) into the recipe or the data.
    pub place: String,
    /// Stable code.
    pub code: RecipeCode,
    /// One sentence with the remedy.
    pub message: String,
}

impl RecipeFault {
    pub(crate) fn new(place: impl Into<String>, code: RecipeCode, message: impl Into<String>) -> Self {
        Self { place: place.into(), code, message: message.into() }
    }

    pub(crate) fn invalid(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(place, RecipeCode::RecipeInvalid, message)
    }

    /// Places the fault within a larger value, at `place`.
    #[must_use]
    pub fn within(mut self, place: &str) -> Self {
        self.place.insert_str(0, place);
        self
    }
}

impl CodedError for RecipeFault {
    fn code(&self) -> &'static str {
        self.code.code()
    }

    fn place(&self) -> Option<Cow<'_, str>> {
        Some((&*self.place).into())
    }
}
