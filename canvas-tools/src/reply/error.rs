//! Failures of calls that do not come from a rule of the canvas.

use std::borrow::Cow;

use canvas_core::refusal::CallRefusal;
use canvas_core::text::truncate;
use canvas_core::{CodedError, EngineError, Refusal, Refused as _};
use serde::Serialize;

use super::address::Candidate;
use super::failure::Failure;
use crate::hint::{after_error, with_hint};

/// Error returned when the arguments of a call are wrong, its tool is closed, or the engine cannot answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    code: &'static str,
    reason: Option<&'static str>,
    place: Option<String>,
    message: String,
    /// Sections that the caller may mean.
    candidates: Option<Vec<Candidate>>,
    retryable: bool,
    unanswered: bool,
}

impl ToolError {
    /// Creates an error with a stable upper-case code and one sentence with the next step.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            reason: None,
            place: None,
            message: message.into(),
            candidates: None,
            retryable: false,
            unanswered: false,
        }
    }

    /// Creates an `INVALID_ARGUMENTS` error, with the place in the arguments as a JSON Pointer (RFC 6901).
    pub fn argument(place: &str, message: impl Into<String>) -> Self {
        Self::new("INVALID_ARGUMENTS", message).at(place)
    }

    /// Creates an `UNKNOWN_TOOL` error for a name that no tool has.
    pub(crate) fn unknown_tool(name: &str, known: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let known: Vec<_> = known.into_iter().collect();
        let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
        let name = truncate(name, 80);
        Self::new("UNKNOWN_TOOL", format!("there is no tool \"{name}\": call one of {}", known.join(", ")))
    }

    /// Whether the engine could not tell what became of the call.
    pub(crate) const fn is_unanswered(&self) -> bool {
        self.unanswered
    }

    pub(crate) fn at(self, place: &str) -> Self {
        Self { place: Some(place.into()), ..self }
    }

    /// Moves the place of the error below `place`, for arguments inside other arguments.
    pub(crate) fn within(self, place: &str) -> Self {
        Self { place: self.place.map(|within| format!("{place}{within}")), ..self }
    }

    pub(crate) fn with_reason(self, reason: &'static str) -> Self {
        Self { reason: Some(reason), ..self }
    }

    pub(crate) fn with_candidates(self, candidates: Vec<Candidate>) -> Self {
        Self { candidates: Some(candidates), ..self }
    }

    /// Builds the failure that a model reads.
    pub(crate) fn failure(&self) -> Failure<ArgumentDetail> {
        let Self { code, reason, place, message, candidates, retryable, .. } = self.clone();
        let (reason, place) = (reason.map(Cow::from), place.map(Cow::from));
        Failure { code, reason, message, retryable, place, detail: ArgumentDetail { candidates } }
    }
}

impl CodedError for ToolError {
    fn code(&self) -> &'static str {
        self.code
    }

    fn reason(&self) -> Option<&'static str> {
        self.reason
    }

    /// Returns the place in the arguments as a JSON Pointer.
    fn place(&self) -> Option<Cow<'_, str>> {
        self.place.as_deref().map(Into::into)
    }

    fn is_retryable(&self) -> bool {
        self.retryable
    }
}

/// Suggestions for a wrong argument.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub(crate) struct ArgumentDetail {
    #[serde(skip_serializing_if = "Option::is_none")]
    candidates: Option<Vec<Candidate>>,
}

impl From<Refusal<'_>> for ToolError {
    fn from(refusal: Refusal<'_>) -> Self {
        Self { retryable: refusal.is_retryable(), ..Self::new(refusal.code(), refusal.message()) }
    }
}

impl From<CallRefusal> for ToolError {
    fn from(refusal: CallRefusal) -> Self {
        refusal.view().into()
    }
}

impl From<EngineError> for ToolError {
    fn from(error: EngineError) -> Self {
        let message = with_hint(&error.message(), Some(after_error(&error)));
        let retryable = error.is_retryable();
        Self { retryable, unanswered: retryable, ..Self::new(error.code(), message) }
    }
}
