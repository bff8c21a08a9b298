//! What a request is refused with.

use canvas_core::{EngineError, Refusal, Refused};
use canvas_tools::surface::SurfaceError;
use serde_json::{Value, json};

/// The error of a request: code, message, whether to try again, and more.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Failure(pub(crate) Value);

pub(crate) type Answer = Result<Value, Failure>;

impl Failure {
    pub(crate) fn new(code: &str, message: &str) -> Self {
        Self(json!({"code": code, "message": message, "retryable": false}))
    }

    /// A wrong parameter.
    pub(crate) fn parameter(error: &serde_json::Error) -> Self {
        Self::new("INVALID_ARGUMENTS", &format!("{error}: correct the parameter"))
    }

    /// What the rules of the canvas refuse; of an edit on an older text, with both texts.
    pub(crate) fn refused(refusal: &impl Refused) -> Self {
        let refusal = refusal.view();
        let mut error = json!({
            "code": refusal.code(), "message": refusal.to_string(), "retryable": refusal.retryable(),
        });
        if let Some(reason) = refusal.reason() {
            error["reason"] = reason.into();
        }
        if let Refusal::StaleEdit(stale) = refusal {
            error["revisionId"] = json!(stale.current);
            error["markdown"] = stale.markdown.as_str().into();
        }
        Self(error)
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        Self(json!({"code": error.code(), "message": error.to_string(), "retryable": error.retryable()}))
    }
}

impl From<SurfaceError> for Failure {
    fn from(error: SurfaceError) -> Self {
        Self(error.to_json())
    }
}
