//! Every way in which a directive can fail, for the model, the chat and the screen.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use canvas_core::document::{BaseRefusal, Changes, HostEditRefusal};
use canvas_core::lease::Timestamp;
use canvas_core::text::{AddressError, ApplyError};
use canvas_core::{CodedError, EngineError, Refused as _, RevisionId};
use serde_json::{Value, json};

use super::action::Action;
use super::advice::Advice;
use super::detail::{ChangedText, DirectiveDetail};
use super::range::Fingerprint;
use crate::hint::{after_error, is_missing, with_hint};
use crate::reply::{AddressDetail, ConflictFields, Failure, FitDetail, HeldDetail, address_words, shorten};

/// Error returned when a directive is invalid or does not fit the text. The text is unchanged.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DirectiveError {
    /// The value is not a valid directive.
    #[error("{message}")]
    Invalid {
        /// Kind of the fault.
        fault: DirectiveFault,
        /// Place in the directive, as a JSON Pointer.
        place: String,
        /// One sentence with the fault and the next step.
        message: String,
    },
    /// The host does not accept patches.
    #[error(
        "patches are switched off here: pass the action replace with content, and target or target_range"
    )]
    PatchOff,
    /// The range reaches past the end of the text.
    #[error(
        "the document has {chars} characters, the range is {start} to {end}: take a fresh document_snapshot and count again"
    )]
    OutOfText {
        /// The first character of the range.
        start: usize,
        /// The end of the range, which is exclusive.
        end: usize,
        /// Characters of the text.
        chars: usize,
    },
    /// The address does not lead to one place in the text.
    #[error("{}", address_words(.0))]
    Address(AddressError),
    /// The text in the range does not match the fingerprint.
    #[error(
        "the text of the range does not match the fingerprint: take a fresh document_snapshot and find the place again"
    )]
    ChangedThere {
        /// The fingerprint in the directive.
        expected: Fingerprint,
        /// The fingerprint of the text in the range.
        actual: Fingerprint,
        /// The beginning of the text in the range.
        text: String,
    },
    /// The patch does not apply to the text.
    #[error(transparent)]
    PatchRejected(#[from] ApplyError),
}

canvas_core::coded! {
    /// Kinds of faults in an invalid directive.
    #[non_exhaustive]
    pub enum DirectiveFault {
        /// The directive is not a JSON object.
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
        /// A malformed range, or a range that the action cannot use.
        BadRange = "BAD_RANGE",
        /// A version that no document ever has.
        BadVersion = "BAD_VERSION",
        /// Two names of the version with different values.
        VersionsDiffer = "VERSIONS_DIFFER",
        /// A field over its limit.
        TooLarge = "TOO_LARGE",
    }
}

impl CodedError for DirectiveError {
    fn code(&self) -> &'static str {
        match self {
            Self::Invalid { .. } => "INVALID_DIRECTIVE",
            Self::PatchOff => "PATCH_EDITS_OFF",
            Self::OutOfText { .. } => "INVALID_RANGE",
            Self::Address(error) => error.code(),
            Self::ChangedThere { .. } => "FINGERPRINT_MISMATCH",
            Self::PatchRejected(error) => error.code(),
        }
    }

    fn reason(&self) -> Option<&'static str> {
        match self {
            Self::Invalid { fault, .. } => Some(fault.code()),
            Self::PatchRejected(e) => Some(e.reason().code()),
            Self::PatchOff | Self::OutOfText { .. } | Self::Address(_) | Self::ChangedThere { .. } => None,
        }
    }

    /// Returns the place in the directive as a JSON Pointer.
    fn place(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Invalid { place, .. } => Some(place.into()),
            Self::PatchOff => Some("/action".into()),
            Self::OutOfText { .. } => Some("/target_range".into()),
            Self::Address(_) => Some("/target".into()),
            Self::ChangedThere { .. } => Some("/selection_fingerprint".into()),
            Self::PatchRejected(_) => Some("/diff".into()),
        }
    }
}

impl DirectiveError {
    pub(crate) fn changed_there(expected: &Fingerprint, text: &str) -> Self {
        Self::ChangedThere {
            expected: expected.clone(),
            actual: Fingerprint::of(text),
            text: shorten(text).into_owned(),
        }
    }
}

/// Failure of a directive, with the versions involved. The document is unchanged.
#[derive(Debug)]
pub struct DirectiveFailure {
    /// Action of the directive, if it is readable.
    pub action: Option<Action>,
    /// Version that the directive was written for, if it names one.
    pub expected: Option<RevisionId>,
    /// Version of the document, if known.
    pub current: Option<RevisionId>,
    /// Current time by the clock that ends leases, if known.
    pub clock: Option<Timestamp>,
    /// Kind of the failure, with its cause.
    pub kind: FailureKind,
}

impl fmt::Display for DirectiveFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

// Not derived, because the kind provides the text and therefore the source.
impl Error for DirectiveFailure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.kind.source()
    }
}

/// Kind of a [`DirectiveFailure`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FailureKind {
    /// The directive is invalid, or does not fit the text.
    #[error(transparent)]
    Directive(#[from] DirectiveError),
    /// The document's version differs from the directive's.
    #[error(
        "the document has changed since that version: take a fresh document_snapshot and make the edit for it"
    )]
    Stale {
        /// Changes since that version, if the history still has them.
        changes: Option<Changes>,
    },
    /// The engine refused the command.
    #[error(transparent)]
    Refused(Box<HostEditRefusal>),
    /// The engine could not answer, for example because the store failed.
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
    /// Builds the failure of an unreadable directive, without any version.
    fn from(error: DirectiveError) -> Self {
        let action = matches!(error, DirectiveError::PatchOff).then_some(Action::Patch);
        Self { action, expected: None, current: None, clock: None, kind: error.into() }
    }
}

impl CodedError for DirectiveFailure {
    fn code(&self) -> &'static str {
        self.kind.code()
    }

    fn reason(&self) -> Option<&'static str> {
        self.kind.reason()
    }

    fn place(&self) -> Option<Cow<'_, str>> {
        self.kind.place()
    }

    fn is_retryable(&self) -> bool {
        self.kind.is_retryable()
    }
}

impl CodedError for FailureKind {
    fn code(&self) -> &'static str {
        match self {
            Self::Directive(e) => e.code(),
            Self::Stale { .. } => "STALE_VERSION",
            Self::Refused(refusal) => refusal.code(),
            Self::Engine(e) => e.code(),
        }
    }

    fn reason(&self) -> Option<&'static str> {
        match self {
            Self::Directive(e) => e.reason(),
            Self::Refused(refusal) => refusal.reason(),
            Self::Stale { .. } | Self::Engine(_) => None,
        }
    }

    fn place(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Directive(e) => e.place(),
            Self::Stale { .. } | Self::Refused(_) | Self::Engine(_) => None,
        }
    }

    fn is_retryable(&self) -> bool {
        match self {
            Self::Refused(refusal) => refusal.is_retryable(),
            Self::Engine(e) => e.is_retryable(),
            _ => false,
        }
    }
}

impl DirectiveFailure {
    /// Whether the directive and the document disagree, which telemetry counts as a conflict.
    pub const fn is_conflict(&self) -> bool {
        matches!(
            &self.kind,
            FailureKind::Stale { .. }
                | FailureKind::Directive(
                    DirectiveError::PatchRejected(_)
                        | DirectiveError::ChangedThere { .. }
                        | DirectiveError::OutOfText { .. }
                        | DirectiveError::Address(_)
                )
        )
    }

    /// Returns the advice for the author of the directive.
    pub fn advice(&self) -> Advice {
        match &self.kind {
            FailureKind::Refused(refusal) if matches!(**refusal, HostEditRefusal::Patch(_)) => {
                Advice::Correct
            }
            FailureKind::Directive(
                DirectiveError::Invalid { .. } | DirectiveError::PatchOff | DirectiveError::Address(_),
            ) => Advice::Correct,
            FailureKind::Directive(_) | FailureKind::Stale { .. } => Advice::Resync,
            FailureKind::Refused(_) | FailureKind::Engine(_) => Advice::Wait,
        }
    }

    /// Returns one line for a status bar, such as `failed: stale patch vs r12-3fa94c02`.
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

    /// Returns a few lines for a chat, with the status, the versions, the expected and the actual text, and the next
    /// step.
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
            _ => lines.push(self.message()),
        }
        lines.join("\n")
    }

    /// Returns the message for the model, with a hint if the failure itself does not name the next call.
    fn hinted_message(&self) -> String {
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
            _ => self.message(),
        };
        with_hint(&what, next)
    }

    /// Returns the failure as JSON, with code, reason, place, message, both versions, and any conflicts and changes.
    pub fn to_json(&self) -> Value {
        json!(self.failure())
    }

    pub(super) fn failure(&self) -> Failure<DirectiveDetail> {
        let (mut changes, mut conflicts, mut there, mut place) = (None, None, None, None);
        let (mut fits, mut held) = (FitDetail::default(), HeldDetail::default());
        let mut address = AddressDetail::default();
        match &self.kind {
            FailureKind::Directive(error) => {
                place = error.place().map(|place| place.into_owned().into());
                match error {
                    DirectiveError::PatchRejected(error) => {
                        conflicts = Some(error.conflicts().iter().map(ConflictFields::of).collect());
                        fits = FitDetail::of(error.suggestion());
                    }
                    DirectiveError::Address(error) => address = AddressDetail::of(error),
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
            message: self.hinted_message(),
            retryable: self.is_retryable(),
            place,
            detail: DirectiveDetail {
                status,
                advice,
                expected_version,
                document_version,
                changes,
                conflicts,
                fits,
                address,
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
