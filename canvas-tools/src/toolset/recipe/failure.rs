//! Failures of the recipe tools, each with the next legal call.

use std::fmt;

use canvas_core::recipe::{RecipeCode, RecipeCommandRefusal, RecipeFault, RecipeRefusal};
use canvas_core::{CodedError as _, Refused as _};
use schemars::JsonSchema;
use serde::Serialize;

use super::names::{RECORD_RECIPE, REFRESH};
use crate::hint::STOP;
use crate::recipe::{RecordError, ReplayError};
use crate::reply::Failure;

/// Error fields of the recipe tools, in addition to the common ones.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub(super) struct RecipeDetail {
    /// All faults of the declaration.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<RecipeFault>,
}

/// Next step for a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    CorrectErrors,
    CorrectPlace,
    Record,
    RefreshAgain,
    RefreshOthers,
    GoOn,
    Stop,
}

impl Next {
    const fn after_code(code: RecipeCode) -> Option<Self> {
        match code {
            RecipeCode::RecipeInvalid | RecipeCode::ExprInvalid | RecipeCode::VersionMismatch => {
                Some(Self::CorrectErrors)
            }
            _ => None,
        }
    }

    fn after(refusal: &RecipeCommandRefusal) -> Option<Self> {
        match refusal {
            RecipeCommandRefusal::NotAvailable(_) => Some(Self::Stop),
            RecipeCommandRefusal::Recipe(refusal) => match refusal {
                RecipeRefusal::RecipeNotFound => Some(Self::Record),
                RecipeRefusal::RecipeReplaced => Some(Self::RefreshAgain),
                RecipeRefusal::RecipeRefused { fault, .. } => Self::after_code(fault.code),
                _ => None,
            },
            RecipeCommandRefusal::Call(_) | RecipeCommandRefusal::Limit(_) => None,
        }
    }
}

impl fmt::Display for Next {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CorrectErrors => {
                write!(f, "Next: the same {RECORD_RECIPE}, corrected at each place in errors.")
            }
            Self::CorrectPlace => write!(f, "Next: the same {RECORD_RECIPE}, corrected at place."),
            Self::Record => {
                write!(f, "Next: call the tools that give the data, show the data, and call {RECORD_RECIPE}.")
            }
            Self::RefreshAgain => write!(f, "Next: the same {REFRESH} again."),
            Self::RefreshOthers => {
                write!(f, "Next: {REFRESH} with components that the recipe feeds, or without components.")
            }
            Self::GoOn => f.write_str("Next: go on without refreshing; the data are of just now."),
            Self::Stop => f.write_str(STOP),
        }
    }
}

/// Builds the failure of a recipe that could not be recorded.
pub(super) fn of_record(error: &RecordError) -> Failure<RecipeDetail> {
    let next = match error {
        RecordError::Invalid { fault, .. } => Next::after_code(fault.code),
        RecordError::Mismatch { .. } => Some(Next::CorrectPlace),
        RecordError::Result(_) => None,
    };
    let errors = error.faults().into_iter().cloned().collect();
    let place = error.place().map(|place| place.into_owned().into());
    let failure = Failure { place, ..Failure::new(error.code(), error.to_string()) };
    Failure { detail: RecipeDetail { errors }, ..failure }.with_next(next)
}

/// Builds the failure of a refused command.
pub(super) fn of_refusal(refusal: &RecipeCommandRefusal) -> Failure<RecipeDetail> {
    let mut failure = Failure { reason: None, ..Failure::of(refusal.view(), RecipeDetail::default()) };
    if let RecipeCommandRefusal::Recipe(refusal) = refusal {
        failure.place = refusal.place().map(|place| place.into_owned().into());
        failure.detail.errors = refusal.faults().cloned().collect();
    }
    failure.with_next(Next::after(refusal))
}

/// Builds the failure of a replay.
pub(super) fn of_replay(error: &ReplayError) -> Failure<RecipeDetail> {
    let next = match error {
        ReplayError::RateLimited { .. } => Some(Next::GoOn),
        ReplayError::NotInRecipe { .. } => Some(Next::RefreshOthers),
        ReplayError::Refused(refusal) => Next::after(refusal),
        ReplayError::NotPending { .. } | ReplayError::Engine(_) => None,
    };
    let failure = Failure { retryable: error.is_retryable(), ..Failure::new(error.code(), error.message()) };
    Failure { place: error.place().map(|place| place.into_owned().into()), ..failure }.with_next(next)
}
