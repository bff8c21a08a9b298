//! Every way in which a directive can fail, for the model, the chat and the screen.

use canvas_core::document::{BaseRefusal, Changes, HostEditRefusal};
use canvas_core::lease::Timestamp;
use canvas_core::text::ApplyError;
use canvas_core::{EngineError, Refused as _, RevisionId};
use serde_json::{Value, json};

use super::action::Action;
use super::advice::Advice;
use super::detail::{ChangedText, DirectiveDetail};
use super::range::Fingerprint;
use crate::hint::{after_error, is_missing, with_hint};
use crate::reply::{ConflictFields, Failure, FitDetail, HeldDetail, shorten};

/// Why a directive is invalid, or does not fit the text. Nothing was changed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DirectiveError {
    /// It is not a directive.
    #[error("{message}")]
    Invalid {
        /// What is wrong.
        fault: DirectiveFault,
        /// Where, as a JSON Pointer.
        place: String,
        /// What to do.
        message: String,
    },
    /// The host has switched patches off.
    #[error("patches are switched off here: pass the action replace with target_range and content")]
    PatchOff,
    /// The range reaches past the end of the text.
    #[error(
        "the document has {chars} characters, the range is {start} to {end}: take a fresh document_snapshot and count again"
    )]
    OutOfText {
        /// The first character of the range.
        start: usize,
        /// The character after its last.
        end: usize,
        /// Characters of the text.
        chars: usize,
    },
    /// The range holds another text.
    #[error(
        "the range holds another text than the fingerprint is of: take a fresh document_snapshot and find the place again"
    )]
    ChangedThere {
        /// The fingerprint that was given.
        expected: Fingerprint,
        /// That of the text in the range.
        actual: Fingerprint,
        /// The beginning of the text in the range.
        text: String,
    },
    /// The patch does not fit.
    #[error(transparent)]
    PatchRejected(#[from] ApplyError),
}

canvas_core::coded! {
    /// What is wrong with an invalid directive.
    pub enum DirectiveFault {
        /// It is no JSON object.
        NotAnObject = "NOT_AN_OBJECT",
        /// A field that directives do not have.
        UnknownField = "UNKNOWN_FIELD",
        /// A field that does not go with the action.
        ForbiddenField = "FORBIDDEN_FIELD",
        /// A field that the action needs.
        MissingField = "MISSING_FIELD",
        /// A field that must not be empty.
        EmptyField = "EMPTY_FIELD",
        /// A value of another type, or an action that does not exist.
        BadValue = "BAD_VALUE",
        /// A range that is malformed, or that the action cannot use.
        BadRange = "BAD_RANGE",
        /// A version that no document ever has.
        BadVersion = "BAD_VERSION",
        /// Two names of the version with different values.
        VersionsDiffer = "VERSIONS_DIFFER",
        /// A field over its limit.
        TooLarge = "TOO_LARGE",
    }
}

canvas_core::coded_error!(DirectiveError {
    Self::Invalid { .. } => "INVALID_DIRECTIVE";
    Self::PatchOff => "PATCH_EDITS_OFF";
    Self::OutOfText { .. } => "INVALID_RANGE";
    Self::ChangedThere { .. } => "FINGERPRINT_MISMATCH";
    Self::PatchRejected(error) => error.code();
});

impl DirectiveError {
    pub(crate) fn changed_there(expected: &Fingerprint, text: &str) -> Self {
        Self::ChangedThere {
            expected: expected.clone(),
            actual: Fingerprint::of(text),
            text: shorten(text).into_owned(),
        }
    }

    /// Which of several cases a code covers.
    pub fn reason(&self) -> Option<&'static str> {
        match self {
            Self::Invalid { fault, .. } => Some(fault.code()),
            Self::PatchRejected(e) => Some(e.reason().code()),
            Self::PatchOff | Self::OutOfText { .. } | Self::ChangedThere { .. } => None,
        }
    }

    /// Where in the directive, as a JSON Pointer.
    pub fn place(&self) -> Option<&str> {
        match self {
            Self::Invalid { place, .. } => Some(place),
            Self::PatchOff => Some("/action"),
            Self::OutOfText { .. } => Some("/target_range"),
            Self::ChangedThere { .. } => Some("/selection_fingerprint"),
            Self::PatchRejected(_) => Some("/diff"),
        }
    }
}

/// A directive that was not done, with the versions that were in play. Nothing was changed.
#[derive(Debug, thiserror::Error)]
#[error("{kind}")]
pub struct DirectiveFailure {
    /// Its action, where it could be read.
    pub action: Option<Action>,
    /// The version that it was made for, where it named one.
    pub expected: Option<RevisionId>,
    /// The version of the document, where it is known.
    pub current: Option<RevisionId>,
    /// The time by which leases end, where it is known.
    pub clock: Option<Timestamp>,
    /// What happened.
    #[source]
    pub kind: FailureKind,
}

/// Why a directive was not done.
#[derive(Debug, thiserror::Error)]
pub enum FailureKind {
    /// The directive is invalid, or does not fit the text.
    #[error(transparent)]
    Directive(#[from] DirectiveError),
    /// The document has another version than it was made for.
    #[error(
        "the document has changed since that version: take a fresh document_snapshot and make the edit for it"
    )]
    Stale {
        /// What changed since, where the history still tells.
        changes: Option<Changes>,
    },
    /// The canvas refused it.
    #[error(transparent)]
    Refused(Box<HostEditRefusal>),
    /// There is no answer.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl From<HostEditRefusal> for FailureKind {
    fn from(refusal: HostEditRefusal) -> Self {
        match refusal {
            // Who was overtaken has made a directive for an old document.
            HostEditRefusal::Base(BaseRefusal::StaleBase(stale)) => Self::Stale { changes: stale.changes },
            refusal => Self::Refused(Box::new(refusal)),
        }
    }
}

impl From<DirectiveError> for DirectiveFailure {
    /// The failure of what could not be read, before any document was looked at.
    fn from(error: DirectiveError) -> Self {
        let action = matches!(error, DirectiveError::PatchOff).then_some(Action::Patch);
        Self { action, expected: None, current: None, clock: None, kind: error.into() }
    }
}

canvas_core::coded_error!(DirectiveFailure { Self { kind, .. } => kind.code(), kind.retryable(); });

canvas_core::coded_error!(FailureKind {
    Self::Directive(e) => e.code();
    Self::Stale { .. } => "STALE_VERSION";
    Self::Refused(refusal) => refusal.code(), refusal.retryable();
    Self::Engine(e) => e.code(), e.retryable();
});

impl DirectiveFailure {
    /// Which of several cases a code covers.
    pub fn reason(&self) -> Option<&'static str> {
        match &self.kind {
            FailureKind::Directive(e) => e.reason(),
            FailureKind::Refused(refusal) => refusal.reason(),
            FailureKind::Stale { .. } | FailureKind::Engine(_) => None,
        }
    }

    /// Whether the directive and the document disagree, which telemetry counts as a conflict.
    pub const fn is_conflict(&self) -> bool {
        matches!(
            &self.kind,
            FailureKind::Stale { .. }
                | FailureKind::Directive(
                    DirectiveError::PatchRejected(_)
                        | DirectiveError::ChangedThere { .. }
                        | DirectiveError::OutOfText { .. }
                )
        )
    }

    /// What to do about it.
    pub const fn advice(&self) -> Advice {
        match &self.kind {
            FailureKind::Directive(DirectiveError::Invalid { .. } | DirectiveError::PatchOff) => {
                Advice::Correct
            }
            FailureKind::Directive(_) | FailureKind::Stale { .. } => Advice::Resync,
            FailureKind::Refused(_) | FailureKind::Engine(_) => Advice::Wait,
        }
    }

    /// One line for a status bar, such as `failed: stale patch vs r12-3fa94c02`.
    pub fn status(&self) -> String {
        let action = self.action.map_or("directive", Action::as_str);
        let what = match (&self.kind, self.reason()) {
            (FailureKind::Stale { .. }, _) => format!("stale {action}"),
            (_, Some(reason)) => format!("{action} {} ({reason})", self.code()),
            (_, None) => format!("{action} {}", self.code()),
        };
        let vs = self.current.map_or_else(String::new, |current| format!(" vs {current}"));
        format!("failed: {what}{vs}")
    }

    /// What a chat shows: the status, the versions, what was expected and what is there, and what to do. A few lines.
    pub fn chat_text(&self) -> String {
        let mut lines = vec![self.status()];
        if let (Some(expected), Some(current)) = (self.expected, self.current) {
            lines.push(format!("version: made for {expected}, document has {current}"));
        }
        match &self.kind {
            FailureKind::Directive(DirectiveError::PatchRejected(e)) => {
                for conflict in e.conflicts().iter().take(CHAT_CONFLICTS) {
                    let place = conflict.line.map_or_else(String::new, |line| format!(", line {line}"));
                    let difference = conflict.mismatch.as_ref().map_or_else(String::new, |d| {
                        format!(": {}", mismatch_text(&d.expected, d.actual.as_deref()))
                    });
                    lines.push(format!("hunk {}: {}{place}{difference}", conflict.hunk, conflict.reason));
                }
                match e.conflicts().len().saturating_sub(CHAT_CONFLICTS) {
                    0 => {}
                    1 => lines.push("and 1 more conflict".into()),
                    more => lines.push(format!("and {more} more conflicts")),
                }
                lines.push(e.conflicts()[0].advice().into());
            }
            FailureKind::Directive(DirectiveError::ChangedThere { expected, actual, text }) => {
                lines.push(format!(
                    "{}, which reads {text:?}",
                    mismatch_text(expected.as_str(), Some(actual.as_str()))
                ));
                lines.push(self.to_string());
            }
            _ => lines.push(self.to_string()),
        }
        lines.join("\n")
    }

    /// The message for the model: the failure, and a hint where the failure itself names no next call.
    fn message(&self) -> String {
        let next = match &self.kind {
            FailureKind::Directive(DirectiveError::PatchRejected(e))
                if e.conflicts().iter().any(|conflict| is_missing(conflict.reason)) =>
            {
                Some("Next: take a fresh document_snapshot.")
            }
            FailureKind::Engine(e) => Some(after_error(e)),
            FailureKind::Directive(_) | FailureKind::Stale { .. } | FailureKind::Refused(_) => None,
        };
        let what = match &self.kind {
            // The conflicts quote the lines.
            FailureKind::Directive(DirectiveError::PatchRejected(error)) => format!("{error:#}"),
            _ => self.to_string(),
        };
        with_hint(&what, next)
    }

    /// The failure as JSON: code, reason, place, message, both versions, and what there is of conflicts and changes.
    pub fn to_json(&self) -> Value {
        json!(self.failure())
    }

    pub(super) fn failure(&self) -> Failure<DirectiveDetail> {
        let (mut changes, mut conflicts, mut there, mut place) = (None, None, None, None);
        let (mut fits, mut held) = (FitDetail::default(), HeldDetail::default());
        match &self.kind {
            FailureKind::Directive(error) => {
                place = error.place().map(|place| place.to_owned().into());
                match error {
                    DirectiveError::PatchRejected(error) => {
                        conflicts = Some(error.conflicts().iter().map(ConflictFields::of).collect());
                        fits = FitDetail::of(error.suggestion());
                    }
                    DirectiveError::ChangedThere { expected, actual, text } => {
                        let (expected, actual, text) = (expected.clone(), actual.clone(), text.clone());
                        there = Some(ChangedText { expected, actual, text });
                    }
                    _ => {}
                }
            }
            FailureKind::Stale { changes: since } => changes.clone_from(since),
            FailureKind::Refused(refusal) => {
                held = self.clock.map(|clock| HeldDetail::of(refusal.view(), clock)).unwrap_or_default()
            }
            FailureKind::Engine(_) => {}
        }
        let (status, advice) = (self.status(), self.advice());
        let (expected_version, document_version) = (self.expected, self.current);
        Failure {
            code: self.code(),
            reason: self.reason().map(Into::into),
            message: self.message(),
            retryable: self.retryable(),
            place,
            detail: DirectiveDetail {
                status,
                advice,
                expected_version,
                document_version,
                changes,
                conflicts,
                fits,
                there,
                held,
            },
        }
    }
}

/// Maximum conflicts in a chat text; the model gets all.
const CHAT_CONFLICTS: usize = 3;

fn mismatch_text(expected: &str, actual: Option<&str>) -> String {
    let actual = actual.map_or_else(|| "(end of document)".into(), |text| format!("{text:?}"));
    format!("expected {expected:?}, document has {actual}")
}
