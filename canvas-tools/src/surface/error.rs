//! The error of a request to a surface, as a client reads it.

use std::borrow::Cow;

use canvas_core::surface::{ConfirmationPrompt, EventId, SurfaceFault, SurfaceRefusal};
use canvas_core::{CodedError, EngineError, Refusal, Refused, Revision};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::reply::{Failure, ToolError};

/// A failed request. The canvas is unchanged unless an action had already begun.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}", failure.message)]
pub struct SurfaceError {
    failure: Box<Failure<SurfaceDetail>>,
    is_turn_over: bool,
}

/// Error fields of surfaces, in addition to the common ones.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SurfaceDetail {
    /// Current revision of the canvas, if the request expected another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<Revision>,
    /// Prompt that a person has to confirm.
    #[serde(skip_serializing_if = "Option::is_none")]
    confirmation: Option<Box<ConfirmationPrompt>>,
    /// Execution that the error concerns.
    #[serde(skip_serializing_if = "Option::is_none")]
    event_id: Option<EventId>,
    /// All faults that have a place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<SurfaceFault>,
}

impl SurfaceError {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { failure: Box::new(Failure::new(code, message)), is_turn_over: false }
    }

    fn with(mut self, detail: SurfaceDetail) -> Self {
        self.failure.detail = detail;
        self
    }

    fn retried(mut self, retryable: bool) -> Self {
        self.failure.retryable = retryable;
        self
    }

    /// Builds the error for a refusal of the engine.
    pub(crate) fn refused(refusal: &impl Refused) -> Self {
        let view = refusal.view();
        let mut error = Self::new(view.code(), view.message()).retried(view.is_retryable());
        error.is_turn_over = matches!(view, Refusal::NotAvailable(_));
        let Refusal::Surface(refusal) = view else { return error };
        let detail = SurfaceDetail::default();
        let detail = match refusal {
            SurfaceRefusal::StaleSurface { current, .. } => {
                SurfaceDetail { revision: Some(*current), ..detail }
            }
            SurfaceRefusal::ConfirmationRequired { prompt } => {
                SurfaceDetail { confirmation: Some(prompt.clone()), ..detail }
            }
            SurfaceRefusal::SpecInvalid { faults } => SurfaceDetail { errors: faults.clone(), ..detail },
            SurfaceRefusal::SurfaceRefused { fault, others } => {
                let errors = [fault].into_iter().chain(others).cloned().collect();
                SurfaceDetail { errors, ..detail }
            }
            SurfaceRefusal::ActionInProgress { event, .. } | SurfaceRefusal::ActionLost { event } => {
                SurfaceDetail { event_id: Some(event.clone()), ..detail }
            }
            SurfaceRefusal::SurfaceNotFound | SurfaceRefusal::SurfaceExists => {
                return error.at("/canvasId");
            }
            _ => detail,
        };
        let place = refusal.place().map(Cow::into_owned);
        error.placed(place).with(detail)
    }

    /// Builds the error for a failed execution.
    pub(crate) fn ended(fault: &SurfaceFault, event: &EventId) -> Self {
        let detail = SurfaceDetail { event_id: Some(event.clone()), ..SurfaceDetail::default() };
        Self::new(fault.code.code(), fault.message.as_str()).retried(fault.is_retryable()).with(detail)
    }

    /// Builds the error for faults in a part of the parameters.
    pub(crate) fn faults(faults: Vec<SurfaceFault>, place: &str) -> Self {
        let errors: Vec<_> = faults
            .into_iter()
            .map(|fault| SurfaceFault { place: format!("{place}{}", fault.place), ..fault })
            .collect();
        let Some(first) = errors.first() else { return ToolError::argument(place, "correct it").into() };
        let error = Self::new(first.code.code(), first.message.as_str()).at(&first.place);
        error.with(SurfaceDetail { errors, ..SurfaceDetail::default() })
    }

    pub(crate) fn at(self, place: &str) -> Self {
        self.placed(Some(place.to_owned()))
    }

    fn placed(mut self, place: Option<String>) -> Self {
        self.failure.place = place.map(Into::into);
        self
    }

    /// Whether the user has ended the calling session's turn.
    pub(crate) const fn is_turn_over(&self) -> bool {
        self.is_turn_over
    }

    /// Returns the error in the form that a model reads.
    pub(crate) fn failure(&self) -> &Failure<SurfaceDetail> {
        &self.failure
    }

    /// Returns the current revision of the canvas if the request expected another one.
    pub const fn revision(&self) -> Option<Revision> {
        self.failure.detail.revision
    }

    /// Returns the prompt that a user has to confirm before the action runs.
    pub fn confirmation(&self) -> Option<&ConfirmationPrompt> {
        self.failure.detail.confirmation.as_deref()
    }

    /// Returns all faults that have a place.
    pub fn errors(&self) -> &[SurfaceFault] {
        &self.failure.detail.errors
    }

    /// Returns the error as clients receive it: `code`, `message`, `retryable` and, if present, `place`, `revision`,
    /// `confirmation`, `eventId` and `errors`.
    pub fn to_json(&self) -> Value {
        json!(self.failure)
    }
}

impl CodedError for SurfaceError {
    fn code(&self) -> &'static str {
        self.failure.code
    }

    /// Returns the place in the parameters as a JSON Pointer. If the spec or the patch is wrong, it points into that
    /// part.
    fn place(&self) -> Option<Cow<'_, str>> {
        self.failure.place.as_deref().map(Into::into)
    }

    fn is_retryable(&self) -> bool {
        self.failure.retryable
    }
}

impl From<EngineError> for SurfaceError {
    fn from(error: EngineError) -> Self {
        // Don't reveal whether the canvas or only its surface is missing.
        if matches!(error, EngineError::NotFound { .. }) {
            return Self::refused(&SurfaceRefusal::SurfaceNotFound);
        }
        if let EngineError::RevisionConflict { expected, current, .. } = error {
            return Self::refused(&SurfaceRefusal::StaleSurface { expected, current });
        }
        Self::new(error.code(), error.message()).retried(error.is_retryable())
    }
}

impl From<ToolError> for SurfaceError {
    fn from(error: ToolError) -> Self {
        let place = error.place().map(Cow::into_owned);
        Self::new(error.code(), error.message()).retried(error.is_retryable()).placed(place)
    }
}
