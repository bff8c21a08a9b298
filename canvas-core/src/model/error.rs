//! The common interface of all errors, and the report that a host sends to its clients.

use std::borrow::Cow;
use std::error::Error;

use canvas_lease::{CheckOutError, LeaseError, ParseLeaseIdError, SafeIntegerError};
use canvas_patch::{
    AddressError, ApplyError, DeltaConflict, DeltaMismatch, DeltaOrder, EditPolicyError, GrepError,
    MergeConflict, PartIdError, PositionError, StructureError,
};
use serde::Serialize;

/// An error with a stable code. The errors of this crate and of the crates above it implement this trait, and so do those
/// of `canvas-patch` and `canvas-lease`.
///
/// ```
/// # canvas_core::testing::block_on(async {
/// use canvas_core::lease::Timestamp;
/// use canvas_core::store::MemoryStore;
/// use canvas_core::{CanvasId, CodedError as _, Engine, Policy};
///
/// let now = Timestamp::from_millis(1_000);
/// let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
/// let error = engine.snapshot(&CanvasId::new("plan")?, now).await.unwrap_err();
/// assert_eq!((error.code(), error.is_retryable()), ("CANVAS_NOT_FOUND", false));
/// let json = r#"{"code":"CANVAS_NOT_FOUND","message":"there is no canvas plan: create it first","retryable":false}"#;
/// assert_eq!(serde_json::to_string(&error.report())?, json);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
pub trait CodedError: Error {
    /// Returns the stable upper-case code, by which a caller decides.
    fn code(&self) -> &'static str;

    /// Returns the reason, which distinguishes cases with the same code.
    fn reason(&self) -> Option<&'static str> {
        None
    }

    /// Returns the place of the fault in the caller's input, usually as a JSON Pointer (RFC 6901).
    fn place(&self) -> Option<Cow<'_, str>> {
        None
    }

    /// Whether the same request can succeed later without any change, simply because of the time passed. Its author
    /// then need not look at the canvas or change the request. `false` rules out only such a success; the message says
    /// how to continue.
    fn is_retryable(&self) -> bool {
        false
    }

    /// Returns the text of the error, followed by each of its [sources](Error::source) in brackets. A source is left
    /// out if the text ends with it after a colon or a semicolon, or has it in brackets.
    fn message(&self) -> String {
        with_sources(self.to_string(), self.source())
    }

    /// Builds the report that a host sends to a client.
    fn report(&self) -> ErrorReport {
        ErrorReport {
            code: self.code(),
            reason: self.reason(),
            message: self.message(),
            retryable: self.is_retryable(),
        }
    }
}

/// Appends each source in brackets, unless the text or the preceding source already has it.
pub(crate) fn with_sources(mut text: String, mut source: Option<&(dyn Error + 'static)>) -> String {
    let mut before = text.clone();
    while let Some(error) = source {
        let cause = error.to_string();
        if !cause.is_empty() && !has_cause(&text, &cause) && !has_cause(&before, &cause) {
            text = format!("{text} ({cause})");
        }
        (before, source) = (cause, error.source());
    }
    text
}

/// Whether a text is this cause, ends with it as a clause of its own, or has it in brackets.
fn has_cause(text: &str, cause: &str) -> bool {
    let before = text.strip_suffix(cause);
    before.is_some_and(|before| before.is_empty() || before.ends_with(": ") || before.ends_with("; "))
        || text.contains(&format!("({cause})"))
}

/// Error in the form in which a host sends it to a client. In JSON it is `{code, reason?, message, retryable}`.
///
/// [`CodedError::report`] builds it. The report omits details that only some errors have, such as the changes since the
/// base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorReport {
    /// Stable upper-case code to branch on.
    pub code: &'static str,
    /// Distinguishes cases with the same code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// Cause and next step, for people and models.
    pub message: String,
    /// Whether the same request can succeed later if only time has passed.
    pub retryable: bool,
}

impl ErrorReport {
    /// Creates the report of a request that the host itself cannot read, with the code `INVALID_ARGUMENTS`.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self { code: "INVALID_ARGUMENTS", reason: None, message: message.into(), retryable: false }
    }
}

impl<E: CodedError> From<E> for ErrorReport {
    fn from(error: E) -> Self {
        error.report()
    }
}

/// Implements the trait for errors of the crates below, which do not know it.
macro_rules! from_below {
    ($($error:ident),+ $(,)?) => {$(
        impl CodedError for $error {
            fn code(&self) -> &'static str {
                Self::code(self)
            }
        }
    )+};
}

from_below! {
    AddressError, DeltaConflict, DeltaMismatch, DeltaOrder, EditPolicyError, GrepError, LeaseError, StructureError, MergeConflict,
    PartIdError, PositionError, ParseLeaseIdError, SafeIntegerError,
}

impl CodedError for ApplyError {
    fn code(&self) -> &'static str {
        Self::CODE
    }

    fn reason(&self) -> Option<&'static str> {
        Some(Self::reason(self).code())
    }
}

impl CodedError for CheckOutError {
    fn code(&self) -> &'static str {
        Self::code(self)
    }

    fn reason(&self) -> Option<&'static str> {
        Self::reason(self)
    }

    fn is_retryable(&self) -> bool {
        Self::is_retryable(self)
    }
}

#[cfg(test)]
mod tests {
    use std::fmt;

    use super::*;

    #[derive(Debug)]
    struct Link(&'static str, Option<Box<Self>>);

    impl fmt::Display for Link {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }
    }

    impl Error for Link {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            self.1.as_deref().map(|source| source as _)
        }
    }

    #[test]
    fn a_cause_is_left_out_only_if_the_text_has_it_whole() {
        for (texts, expected) in [
            (&["failed"][..], "failed"),
            (&["failed", "disk"], "failed (disk)"),
            (&["nothing at that place", "at"], "nothing at that place (at)"),
            (&["the disk failed", "failed"], "the disk failed (failed)"),
            (&["disk", "disk"], "disk"),
            (&["failed: disk", "disk"], "failed: disk"),
            (&["failed; disk", "disk"], "failed; disk"),
            (&["failed (disk): try again", "disk"], "failed (disk): try again"),
            (&["failed", "disk", "io"], "failed (disk) (io)"),
            (&["failed", "disk: io", "io"], "failed (disk: io)"),
            (&["failed: disk: io", "disk: io", "io"], "failed: disk: io"),
            (&["failed", "", "io"], "failed (io)"),
        ] {
            let chain = texts.iter().rev().fold(None, |source, text| Some(Box::new(Link(text, source))));
            let link = chain.unwrap();
            assert_eq!(with_sources(link.to_string(), link.source()), expected, "{texts:?}");
        }
    }
}
