//! Failures of calls that no rule of the canvas decides.

use std::borrow::Cow;

use canvas_core::text::truncate;
use canvas_core::{CallRefusal, EngineError, Refusal, Refused as _};
use serde::Serialize;

use super::address::Candidate;
use super::failure::Failure;
use crate::hint::{after_error, with_hint};

/// Why a call failed: its arguments are wrong, its tool is closed, or the engine has no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    code: &'static str,
    reason: Option<&'static str>,
    place: Option<String>,
    message: String,
    /// What may have been meant.
    candidates: Option<Vec<Candidate>>,
    retryable: bool,
    unanswered: bool,
}

impl ToolError {
    /// An error with a stable upper-case code and one sentence that says what to do next.
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

    /// `INVALID_ARGUMENTS`, with the place in the arguments as a JSON Pointer (RFC 6901).
    pub fn argument(place: &str, message: impl Into<String>) -> Self {
        Self::new("INVALID_ARGUMENTS", message).at(place)
    }

    /// `UNKNOWN_TOOL`: no tool has this name.
    pub(crate) fn unknown_tool(name: &str, known: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let known: Vec<_> = known.into_iter().collect();
        let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
        let name = truncate(name, 80);
        Self::new("UNKNOWN_TOOL", format!("there is no tool \"{name}\": call one of {}", known.join(", ")))
    }

    /// The stable code.
    pub const fn code(&self) -> &'static str {
        self.code
    }

    /// Which of several cases a code covers.
    pub const fn reason(&self) -> Option<&'static str> {
        self.reason
    }

    /// Where in the arguments, as a JSON Pointer.
    pub fn place(&self) -> Option<&str> {
        self.place.as_deref()
    }

    /// Whether the same call can succeed later.
    pub const fn retryable(&self) -> bool {
        self.retryable
    }

    /// Whether the engine could not tell what became of the call.
    pub(crate) const fn is_unanswered(&self) -> bool {
        self.unanswered
    }

    pub(crate) fn at(self, place: &str) -> Self {
        Self { place: Some(place.into()), ..self }
    }

    /// The same error of arguments that lie at `place` in others.
    pub(crate) fn within(self, place: &str) -> Self {
        Self { place: self.place.map(|within| format!("{place}{within}")), ..self }
    }

    pub(crate) fn with_reason(self, reason: &'static str) -> Self {
        Self { reason: Some(reason), ..self }
    }

    pub(crate) fn with_candidates(self, candidates: Vec<Candidate>) -> Self {
        Self { candidates: Some(candidates), ..self }
    }

    /// The failure that a model reads.
    pub(crate) fn failure(&self) -> Failure<ArgumentDetail> {
        let Self { code, reason, place, message, candidates, retryable, .. } = self.clone();
        let (reason, place) = (reason.map(Cow::from), place.map(Cow::from));
        Failure { code, reason, message, retryable, place, detail: ArgumentDetail { candidates } }
    }
}

/// What may have been meant by an argument.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub(crate) struct ArgumentDetail {
    #[serde(skip_serializing_if = "Option::is_none")]
    candidates: Option<Vec<Candidate>>,
}

impl From<Refusal<'_>> for ToolError {
    fn from(refusal: Refusal<'_>) -> Self {
        Self { retryable: refusal.retryable(), ..Self::new(refusal.code(), refusal.to_string()) }
    }
}

impl From<CallRefusal> for ToolError {
    fn from(refusal: CallRefusal) -> Self {
        refusal.view().into()
    }
}

impl From<EngineError> for ToolError {
    fn from(error: EngineError) -> Self {
        let message = with_hint(&error.to_string(), Some(after_error(&error)));
        let retryable = error.retryable();
        Self { retryable, unanswered: retryable, ..Self::new(error.code(), message) }
    }
}
