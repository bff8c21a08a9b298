//! Refusals of commands on recipes.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::error::CodedError;
use crate::model::revision::Revision;
use crate::recipe::RecipeFault;

/// A refusal of a command on recipes, which left the canvas unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[serde(tag = "refusal", rename_all = "snake_case")]
#[non_exhaustive]
pub enum RecipeRefusal {
    /// The canvas does not have a recipe.
    #[error("this canvas has no recipe: record one first")]
    RecipeNotFound,
    /// The recipe was replaced during the replay.
    #[error("the recipe was replaced while it was replayed, and nothing was kept: refresh again")]
    RecipeReplaced,
    /// The recipe, its data, or their targets cannot be read.
    #[error("the canvas cannot be read: restore the store from a backup, or update the library")]
    RecipeDamaged,
    /// The recipe changed after the revision that the command expects, or did not reach that revision yet.
    #[error("the recipe has changed since revision {}: look at it again and record anew", expected.get())]
    StaleRecipe {
        /// The revision that the command expects.
        expected: Revision,
        /// The canvas's current revision.
        current: Revision,
    },
    /// Something is wrong at one place of the command.
    #[error("{fault}")]
    RecipeRefused {
        /// The first fault and its place in the command.
        fault: RecipeFault,
        /// Further faults, in order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        others: Vec<RecipeFault>,
    },
}

impl CodedError for RecipeRefusal {
    fn code(&self) -> &'static str {
        match self {
            Self::RecipeNotFound => "RECIPE_NOT_FOUND",
            Self::RecipeReplaced => "RECIPE_REPLACED",
            Self::RecipeDamaged => "CANVAS_DAMAGED",
            Self::StaleRecipe { .. } => "REVISION_CONFLICT",
            Self::RecipeRefused { fault, .. } => fault.code.code(),
        }
    }

    /// Returns the JSON Pointer to the fault in the command, or `None` if the fault concerns the whole command or no
    /// part of it.
    fn place(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::StaleRecipe { .. } => Some("/expected".into()),
            Self::RecipeRefused { fault, .. } => fault.place(),
            _ => None,
        }
    }
}

impl RecipeRefusal {
    /// Returns all faults of a refused command.
    pub fn faults(&self) -> impl Iterator<Item = &RecipeFault> {
        let (first, others) = match self {
            Self::RecipeRefused { fault, others } => (Some(fault), others.as_slice()),
            _ => (None, &[][..]),
        };
        first.into_iter().chain(others)
    }

    /// Creates the refusal of a command with these faults, of which there must be at least one.
    pub(crate) fn of(mut faults: Vec<RecipeFault>) -> Self {
        if faults.is_empty() {
            return Self::RecipeDamaged;
        }
        let fault = faults.remove(0);
        Self::RecipeRefused { fault, others: faults }
    }
}
