//! Errors in the form of all Google APIs.

use serde_json::Value;

use crate::decoded::DecodeError;
use crate::json::text;

/// Reads `{code, message, status}`. Any field may be missing, and the code is a number or a name.
pub(super) fn provider_error(error: &Value) -> DecodeError {
    let code = error.get("code");
    let status = match text(error, "status") {
        "" => code.and_then(Value::as_str).unwrap_or_default(),
        status => status,
    };
    let number = code.and_then(Value::as_u64);
    let kind = match (status, number) {
        ("", Some(number)) => number.to_string(),
        ("", None) => "error".to_owned(),
        (status, _) => status.to_owned(),
    };
    let message = error.as_str().unwrap_or_else(|| text(error, "message")).to_owned();
    // Codes of the Interactions API are URLs that end in the name.
    let name = status.rsplit('/').next().unwrap_or_default().to_ascii_uppercase();
    let retryable =
        matches!(name.as_str(), "RESOURCE_EXHAUSTED" | "INTERNAL" | "UNAVAILABLE" | "DEADLINE_EXCEEDED")
            || matches!(number, Some(429 | 500 | 503 | 504));
    DecodeError::Provider { kind, message, retryable }
}
