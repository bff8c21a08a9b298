//! An error in the form in which a host's client receives it.

use serde::Serialize;

/// What a host tells a client of an error, whatever it was: `{code, reason?, message, retryable}` in JSON.
///
/// Errors without an answer become one by `From`, what the rules of a canvas refuse by
/// [`Refused::report`](crate::Refused::report). What an error has besides, such as what changed meanwhile, is in itself.
///
/// ```
/// use canvas_core::lease::Timestamp;
/// use canvas_core::store::MemoryStore;
/// use canvas_core::{CanvasId, Engine, ErrorReport, Policy, block_on};
///
/// let now = Timestamp::from_millis(1_000);
/// let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
/// let error = block_on(engine.snapshot(&CanvasId::new("plan")?, now)).unwrap_err();
/// let json = r#"{"code":"CANVAS_NOT_FOUND","message":"there is no canvas plan: create it first","retryable":false}"#;
/// assert_eq!(serde_json::to_string(&ErrorReport::from(error))?, json);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorReport {
    /// The stable upper-case code, by which a client decides.
    pub code: &'static str,
    /// What tells cases of the same code apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// What is wrong and what to do next, for people and models.
    pub message: String,
    /// Whether the very same request can succeed later, when nothing but time has passed.
    pub retryable: bool,
}

impl ErrorReport {
    /// Creates the report of a request that the host itself cannot read, with the code `INVALID_ARGUMENTS`.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self { code: "INVALID_ARGUMENTS", reason: None, message: message.into(), retryable: false }
    }

    /// Returns the HTTP status. A transient error is 503, and a failure of the store or damage to its data is 500. An
    /// unreadable request is 400, a missing object 404, and an excessive size 413. A refusal by the rules of a canvas
    /// is 409.
    ///
    /// ```
    /// use canvas_core::store::{StoreError, StoreErrorKind};
    /// use canvas_core::ErrorReport;
    ///
    /// assert_eq!(ErrorReport::invalid("markdown is missing: send it").http_status(), 400);
    /// assert_eq!(ErrorReport::from(StoreError::new(StoreErrorKind::Busy)).http_status(), 503);
    /// ```
    pub fn http_status(&self) -> u16 {
        match self.code {
            _ if self.retryable => 503,
            "STORE_BUSY"
            | "STORE_DENIED"
            | "STORE_FAILED"
            | "STORE_FULL"
            | "STORE_INDETERMINATE"
            | "STORE_MOVED"
            | "STORE_TOO_LARGE"
            | "STORE_TOO_NEW"
            | "STORE_UNAVAILABLE"
            | "STORE_UNFIT"
            | "HEAD_TOO_NEW"
            | "FACE_NOT_SUPPORTED"
            | "TIME_IN_SECONDS" => 500,
            code if code.ends_with("_DAMAGED") => 500,
            code if code.ends_with("_NOT_FOUND") => 404,
            code if code.ends_with("_TOO_LARGE") => 413,
            "INVALID_ARGUMENTS" | "INVALID_CONTRACT" | "INVALID_DIRECTIVE" | "INVALID_NAME"
            | "INVALID_QUERY" | "INVALID_RANGE" | "INVALID_SIZE" => 400,
            _ => 409,
        }
    }
}

/// Implements the conversion of an error with a code to a report.
macro_rules! reported {
    ($error:ty) => {
        impl From<$error> for $crate::model::error_report::ErrorReport {
            fn from(error: $error) -> Self {
                let (code, message, retryable) = (error.code(), error.to_string(), error.retryable());
                Self { code, reason: None, message, retryable }
            }
        }
    };
}

pub(crate) use reported;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_has_a_status_of_its_kind() {
        let status = |code, retryable| {
            ErrorReport { code, reason: None, message: String::new(), retryable }.http_status()
        };
        for (code, retryable, expected) in [
            ("STORE_BUSY", true, 503),
            ("CONTENTION", true, 503),
            ("STORE_DENIED", false, 500),
            ("STORE_TOO_LARGE", false, 500),
            ("CANVAS_DAMAGED", false, 500),
            ("HEAD_TOO_NEW", false, 500),
            ("TIME_IN_SECONDS", false, 500),
            ("CANVAS_NOT_FOUND", false, 404),
            ("COMPONENT_NOT_FOUND", false, 404),
            ("DOCUMENT_TOO_LARGE", false, 413),
            ("INVALID_NAME", false, 400),
            ("INVALID_ARGUMENTS", false, 400),
            ("CANVAS_EXISTS", false, 409),
            ("CALL_ID_REUSED", false, 409),
            ("STALE_EDIT", false, 409),
            ("HISTORY_CONFLICT", false, 409),
        ] {
            assert_eq!(status(code, retryable), expected, "{code}");
        }
    }
}
