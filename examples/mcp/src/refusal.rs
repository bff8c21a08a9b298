//! What the canvas refuses to people, as pages get it.

use canvas_core::{CodedError as _, EngineError, Refusal, Refused};
use serde_json::{Value, json};

/// The error of a refusal: code, reason, message, and of an edit on an older text both texts.
pub(crate) fn refusal_json(refusal: &impl Refused) -> Value {
    let refusal = refusal.view();
    let mut error = json!({
        "code": refusal.code(), "message": refusal.to_string(), "retryable": refusal.is_retryable(),
    });
    if let Some(reason) = refusal.reason() {
        error["reason"] = reason.into();
    }
    if let Refusal::StaleEdit(stale) = refusal {
        error["revision_id"] = json!(stale.current);
        error["changes"] = json!(stale.changes);
        error["markdown"] = stale.markdown.as_str().into();
    }
    error
}

/// The error of an engine that has no answer.
pub(crate) fn engine_json(error: &EngineError) -> Value {
    json!({"code": error.code(), "message": error.message(), "retryable": error.is_retryable()})
}
