//! Errors from recording, replaying and rerunning recipes.

use std::borrow::Cow;

use canvas_core::json::JsonHash;
use canvas_core::lease::Timestamp;
use canvas_core::recipe::{Drift, RecipeCommandRefusal, RecipeFault, RecipeRefusal, StepId};
use canvas_core::{CodedError, EngineError};

/// Error from starting, advancing or committing a replay. The data are unchanged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The canvas was replayed a moment ago.
    #[error("this canvas was refreshed just now: refresh it again at {} ms or later", until.as_millis())]
    RateLimited {
        /// Earliest time at which it may be replayed again.
        until: Timestamp,
    },
    /// The recipe does not feed a requested component.
    #[error("the recipe feeds no component {component}: name one that it feeds, or none to refresh all")]
    NotInRecipe {
        /// Index of the component in the request, counted from 0.
        number: usize,
        /// The requested component id.
        component: String,
    },
    /// The step was not called, or its answer has already arrived.
    #[error("the replay waits for no step {step}: answer one that is pending")]
    NotPending {
        /// The step that the caller answered.
        step: StepId,
    },
    /// The engine refused the command.
    #[error(transparent)]
    Refused(#[from] RecipeCommandRefusal),
    /// The engine could not answer, for example because the store failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl CodedError for ReplayError {
    fn code(&self) -> &'static str {
        match self {
            Self::RateLimited { .. } => "RATE_LIMITED",
            Self::NotInRecipe { .. } => "NOT_IN_RECIPE",
            Self::NotPending { .. } => "STEP_NOT_PENDING",
            Self::Refused(refusal) => refusal.code(),
            Self::Engine(error) => error.code(),
        }
    }

    fn reason(&self) -> Option<&'static str> {
        match self {
            Self::Refused(refusal) => refusal.reason(),
            _ => None,
        }
    }

    fn is_retryable(&self) -> bool {
        match self {
            Self::RateLimited { .. } => true,
            Self::Refused(refusal) => refusal.is_retryable(),
            Self::Engine(error) => error.is_retryable(),
            _ => false,
        }
    }

    /// Returns the place in the request as a JSON Pointer, if the error has one.
    fn place(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::NotInRecipe { number, .. } => Some(format!("/components/{number}").into()),
            _ => None,
        }
    }
}

impl ReplayError {
    pub(super) fn no_recipe() -> Self {
        Self::Refused(RecipeRefusal::RecipeNotFound.into())
    }
}

/// Error from turning the calls of a turn into a recipe. Nothing is kept.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The result of a call is larger than a replay accepts.
    #[error("{0}")]
    Result(Drift),
    /// The declaration, or the recipe made from it, is invalid.
    #[error("{fault}")]
    Invalid {
        /// The first fault, with its place in the declaration.
        fault: RecipeFault,
        /// All further faults.
        others: Vec<RecipeFault>,
    },
    /// Replayed on the turn's own results, the recipe does not reproduce the sent arguments or the shown data.
    #[error("{message}")]
    Mismatch {
        /// The place in the declaration, as a JSON Pointer.
        place: String,
        /// One sentence that says what to do.
        message: String,
    },
}

impl CodedError for RecordError {
    fn code(&self) -> &'static str {
        match self {
            Self::Result(drift) => drift.code.code(),
            Self::Invalid { fault, .. } => fault.code.code(),
            Self::Mismatch { .. } => "RECIPE_MISMATCH",
        }
    }

    /// Returns the place in the declaration as a JSON Pointer, or `None` if the fault is in an observed call.
    fn place(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Result(_) => None,
            Self::Invalid { fault, .. } => fault.place(),
            Self::Mismatch { place, .. } => Some(place.into()),
        }
    }
}

impl RecordError {
    pub(super) fn invalid(mut faults: Vec<RecipeFault>) -> Self {
        let fault = if faults.is_empty() { None } else { Some(faults.remove(0)) };
        match fault {
            Some(fault) => Self::Invalid { fault, others: faults },
            None => Self::mismatch("", "the recipe cannot be read: correct the declaration"),
        }
    }

    pub(super) fn mismatch(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Mismatch { place: place.into(), message: message.into() }
    }

    /// Returns all faults if a part is invalid, otherwise an empty list.
    pub fn faults(&self) -> Vec<&RecipeFault> {
        match self {
            Self::Invalid { fault, others } => [fault].into_iter().chain(others).collect(),
            Self::Result(_) | Self::Mismatch { .. } => Vec::new(),
        }
    }
}

/// Error from rerunning a recorded replay.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RerunError {
    /// A response is missing.
    #[error("the response {hash} of step {step} is missing: give it by its hash")]
    ResponseMissing {
        /// The step that needs the response.
        step: StepId,
        /// The hash of the missing response.
        hash: JsonHash,
    },
    /// A response differs from the recorded one.
    #[error("the response {hash} of step {step} has been altered: give it as it came")]
    ResponseAltered {
        /// The step that the response belongs to.
        step: StepId,
        /// The recorded hash of the response.
        hash: JsonHash,
    },
    /// The time zone database has another version than the run used.
    #[error("the run used time zones {recorded}, the library has {present}: use one that has the same")]
    Zones {
        /// The version that the run used.
        recorded: String,
        /// The version that this library uses.
        present: &'static str,
    },
    /// The run and the recipe do not belong together.
    #[error("{what} of the run is not what the recipe gives: give the recipe that was replayed")]
    Mismatch {
        /// The place in the run, as a JSON Pointer.
        place: String,
        /// Name of the part that differs, for the message.
        what: &'static str,
    },
}

impl CodedError for RerunError {
    fn code(&self) -> &'static str {
        match self {
            Self::ResponseMissing { .. } => "RESPONSE_MISSING",
            Self::ResponseAltered { .. } => "RESPONSE_ALTERED",
            Self::Zones { .. } => "VERSION_MISMATCH",
            Self::Mismatch { .. } => "RUN_MISMATCH",
        }
    }
}
