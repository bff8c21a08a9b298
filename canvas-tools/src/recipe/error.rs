//! Why recipes are not recorded, replayed or played again.

use canvas_core::json::JsonHash;
use canvas_core::lease::Timestamp;
use canvas_core::recipe::{Drift, RecipeCommandRefusal, RecipeFault, RecipeRefusal, StepId};
use canvas_core::{EngineError, Refused as _};

/// Why a replay does not begin, is not told something, or is not kept. The data are as they were.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The canvas was replayed just now.
    #[error("this canvas was refreshed just now: refresh it again at {} ms or later", until.as_millis())]
    RateLimited {
        /// From when on it may be.
        until: Timestamp,
    },
    /// The recipe does not feed what was asked for.
    #[error("the recipe feeds no component {component}: name one that it feeds, or none to refresh all")]
    NotInRecipe {
        /// The number of the component among those that were asked for.
        number: usize,
        /// Its id.
        component: String,
    },
    /// The step was not called, or has its answer.
    #[error("the replay waits for no step {step}: answer one that is pending")]
    NotPending {
        /// The step.
        step: StepId,
    },
    /// The rules refused it.
    #[error(transparent)]
    Refused(#[from] RecipeCommandRefusal),
    /// There is no answer.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

canvas_core::coded_error!(ReplayError {
    Self::RateLimited { .. } => "RATE_LIMITED", true;
    Self::NotInRecipe { .. } => "NOT_IN_RECIPE";
    Self::NotPending { .. } => "STEP_NOT_PENDING";
    Self::Refused(refusal) => refusal.code(), refusal.retryable();
    Self::Engine(error) => error.code(), error.retryable();
});

impl ReplayError {
    /// Where in the request, as a JSON Pointer.
    pub fn place(&self) -> Option<String> {
        match self {
            Self::NotInRecipe { number, .. } => Some(format!("/components/{number}")),
            _ => None,
        }
    }

    pub(super) fn no_recipe() -> Self {
        Self::Refused(RecipeRefusal::RecipeNotFound.into())
    }
}

/// Why a turn does not become a recipe. Nothing was kept.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The result of a call is larger than a replay takes.
    #[error("{0}")]
    Result(Drift),
    /// The declaration, or the recipe that it leads to, cannot be read.
    #[error("{fault}")]
    Invalid {
        /// What, and where in the declaration.
        fault: RecipeFault,
        /// What is wrong besides.
        others: Vec<RecipeFault>,
    },
    /// The recipe, played on what came in the turn, does not give what was sent or shown.
    #[error("{message}")]
    Mismatch {
        /// Where in the declaration, as a JSON Pointer.
        place: String,
        /// One sentence that says what to do.
        message: String,
    },
}

canvas_core::coded_error!(RecordError {
    Self::Result(drift) => drift.code.code();
    Self::Invalid { fault, .. } => fault.code.code();
    Self::Mismatch { .. } => "RECIPE_MISMATCH";
});

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

    /// Where in the declaration, as a JSON Pointer; `None` of an observed call.
    pub fn place(&self) -> Option<&str> {
        match self {
            Self::Result(_) => None,
            Self::Invalid { fault, .. } => Some(&fault.place),
            Self::Mismatch { place, .. } => Some(place),
        }
    }

    /// All faults, where a part cannot be read.
    pub fn faults(&self) -> Vec<&RecipeFault> {
        match self {
            Self::Invalid { fault, others } => [fault].into_iter().chain(others).collect(),
            Self::Result(_) | Self::Mismatch { .. } => Vec::new(),
        }
    }
}

/// Why a replay is not played again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RerunError {
    /// A response is not there.
    #[error("the response {hash} of step {step} is missing: give it by its hash")]
    ResponseMissing {
        /// The step.
        step: StepId,
        /// The hash of its response.
        hash: JsonHash,
    },
    /// A response is not the one that came.
    #[error("the response {hash} of step {step} has been altered: give it as it came")]
    ResponseAltered {
        /// The step.
        step: StepId,
        /// The hash of its response.
        hash: JsonHash,
    },
    /// The time zones are of another version.
    #[error("the run used time zones {recorded}, the library has {present}: use one that has the same")]
    Zones {
        /// The version then.
        recorded: String,
        /// The version now.
        present: &'static str,
    },
    /// The run and the recipe do not belong together.
    #[error("{what} of the run is not what the recipe gives: give the recipe that was replayed")]
    Mismatch {
        /// Where in the run, as a JSON Pointer.
        place: String,
        /// What differs.
        what: &'static str,
    },
}

canvas_core::coded_error!(RerunError {
    Self::ResponseMissing { .. } => "RESPONSE_MISSING";
    Self::ResponseAltered { .. } => "RESPONSE_ALTERED";
    Self::Zones { .. } => "VERSION_MISMATCH";
    Self::Mismatch { .. } => "RUN_MISMATCH";
});
