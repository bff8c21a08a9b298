//! Why a request to a surface failed, as a client reads it.

use canvas_core::surface::{ConfirmationPrompt, EventId, SurfaceFault};
use canvas_core::{EngineError, Refusal, Refused, Revision, SurfaceRefusal};
use serde_json::{Map, Value, json};

use crate::reply::ToolError;

/// A request that failed. Nothing was changed, unless an action had begun.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct SurfaceError {
    code: &'static str,
    place: Option<Box<str>>,
    message: Box<str>,
    retryable: bool,
    revision: Option<Revision>,
    confirmation: Option<Box<ConfirmationPrompt>>,
    errors: Vec<SurfaceFault>,
    event: Option<EventId>,
}

impl SurfaceError {
    pub(crate) fn new(code: &'static str, message: impl Into<Box<str>>) -> Self {
        Self {
            code,
            place: None,
            message: message.into(),
            retryable: false,
            revision: None,
            confirmation: None,
            errors: Vec::new(),
            event: None,
        }
    }

    /// The error of what the rules have refused.
    pub(crate) fn refused(refusal: &impl Refused) -> Self {
        let view = refusal.view();
        let error = Self { retryable: view.retryable(), ..Self::new(view.code(), view.to_string()) };
        let Refusal::Surface(refusal) = view else { return error };
        let place = refusal.place().map(Into::into);
        match refusal {
            SurfaceRefusal::StaleSurface { current, .. } => Self { place, revision: Some(*current), ..error },
            SurfaceRefusal::ConfirmationRequired { prompt } => {
                Self { place, confirmation: Some(prompt.clone()), ..error }
            }
            SurfaceRefusal::SpecInvalid { faults } => Self { place, errors: faults.clone(), ..error },
            SurfaceRefusal::SurfaceRefused { fault, others } => {
                let errors = [fault].into_iter().chain(others).cloned().collect();
                Self { place, errors, ..error }
            }
            SurfaceRefusal::ActionInProgress { event, .. } | SurfaceRefusal::ActionLost { event } => {
                Self { place, event: Some(event.clone()), ..error }
            }
            SurfaceRefusal::SurfaceNotFound | SurfaceRefusal::SurfaceExists => error.at("/canvasId"),
            _ => Self { place, ..error },
        }
    }

    /// The error of an execution that has failed.
    pub(crate) fn ended(fault: &SurfaceFault, event: &EventId) -> Self {
        let error = Self::new(fault.code.code(), fault.message.as_str());
        Self { event: Some(event.clone()), retryable: fault.retryable(), ..error }
    }

    /// The error of faults in a part of the parameters.
    pub(crate) fn faults(faults: Vec<SurfaceFault>, place: &str) -> Self {
        let errors: Vec<_> = faults
            .into_iter()
            .map(|fault| SurfaceFault { place: format!("{place}{}", fault.place), ..fault })
            .collect();
        match errors.first() {
            Some(first) => {
                let (place, error) =
                    (first.place.as_str(), Self::new(first.code.code(), first.message.as_str()));
                Self { place: Some(place.into()), errors, ..error }
            }
            None => ToolError::argument(place, "correct it").into(),
        }
    }

    pub(crate) fn at(self, place: &str) -> Self {
        Self { place: Some(place.into()), ..self }
    }

    /// The stable code.
    pub const fn code(&self) -> &'static str {
        self.code
    }

    /// Where in the parameters, as a JSON Pointer; in the spec or the patch where one of these is wrong.
    pub fn place(&self) -> Option<&str> {
        self.place.as_deref()
    }

    /// Whether the same request can succeed later.
    pub const fn retryable(&self) -> bool {
        self.retryable
    }

    /// The revision of the canvas, where another one was expected.
    pub const fn revision(&self) -> Option<Revision> {
        self.revision
    }

    /// What a person is to confirm.
    pub fn confirmation(&self) -> Option<&ConfirmationPrompt> {
        self.confirmation.as_deref()
    }

    /// All that is wrong, where it has places.
    pub fn errors(&self) -> &[SurfaceFault] {
        &self.errors
    }

    /// As clients get it: `code`, `message`, `retryable`, and what else there is of `place`, `revision`, `confirmation`,
    /// `eventId` and `errors`.
    pub fn to_json(&self) -> Value {
        let mut error = Map::new();
        let mut set = |name: &str, value: Value| drop(error.insert(name.into(), value));
        set("code", self.code.into());
        set("message", self.message.as_ref().into());
        set("retryable", self.retryable.into());
        if let Some(place) = &self.place {
            set("place", place.as_ref().into());
        }
        if let Some(revision) = self.revision {
            set("revision", json!(revision));
        }
        if let Some(confirmation) = &self.confirmation {
            set("confirmation", json!(confirmation));
        }
        if let Some(event) = &self.event {
            set("eventId", json!(event));
        }
        if !self.errors.is_empty() {
            set("errors", json!(self.errors));
        }
        Value::Object(error)
    }
}

impl From<EngineError> for SurfaceError {
    fn from(error: EngineError) -> Self {
        // Whether there is no canvas or no surface on it is nothing that an asker may learn.
        if matches!(error, EngineError::NotFound { .. }) {
            return Self::refused(&SurfaceRefusal::SurfaceNotFound);
        }
        if let EngineError::RevisionConflict { expected, current, .. } = error {
            return Self::refused(&SurfaceRefusal::StaleSurface { expected, current });
        }
        Self { retryable: error.retryable(), ..Self::new(error.code(), error.to_string()) }
    }
}

impl From<ToolError> for SurfaceError {
    fn from(error: ToolError) -> Self {
        let place = error.place().map(Into::into);
        Self { place, retryable: error.retryable(), ..Self::new(error.code(), error.to_string()) }
    }
}
