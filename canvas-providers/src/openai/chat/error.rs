//! Errors of the hosts, in their various forms.

use serde_json::{Map, Value};

use crate::decoded::DecodeError;
use crate::pieces::text;

/// Returns the error, if any, in a body without choices.
pub(super) fn of_body(body: &Value) -> Option<DecodeError> {
    let body = body.as_object()?;
    if let Some(error) = body.get("error").filter(|error| !error.is_null()) {
        return Some(provider_error(error));
    }
    // Mistral and vLLM, and the validator in front of Mistral.
    let is_error = text(body, "object") == "error" || body.contains_key("detail");
    if is_error {
        return Some(of_fields(body));
    }
    let status = body.get("base_resp").and_then(Value::as_object)?;
    (status.get("status_code").and_then(Value::as_i64) != Some(0)).then(|| of_fields(status))
}

/// Reads the value of `error`, which is usually an object and sometimes a text.
pub(super) fn provider_error(error: &Value) -> DecodeError {
    match error {
        Value::Object(fields) => of_fields(fields),
        Value::String(message) => {
            DecodeError::Provider { kind: "error".to_owned(), message: message.clone(), retryable: false }
        }
        other => {
            DecodeError::Provider { kind: "error".to_owned(), message: other.to_string(), retryable: false }
        }
    }
}

fn of_fields(fields: &Map<String, Value>) -> DecodeError {
    let words = |names: &[&str]| {
        names.iter().filter_map(|name| fields.get(*name)).find_map(|value| match value {
            Value::String(text) if !text.is_empty() => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        })
    };
    let code = words(&["code", "status_code"]);
    let kind = words(&["type"]).or_else(|| code.clone()).unwrap_or_else(|| "error".to_owned());
    let message = words(&["message", "status_msg"])
        .or_else(|| fields.get("detail").map(ToString::to_string))
        .unwrap_or_default();
    let status = ["code", "status_code", "status", "raw_status_code"]
        .iter()
        .filter_map(|name| fields.get(*name))
        .find_map(|value| value.as_u64().or_else(|| value.as_str()?.parse().ok()));
    let retryable = is_passing(&kind, code.as_deref().unwrap_or_default(), status);
    DecodeError::Provider { kind, message, retryable }
}

/// Whether the same request may succeed later.
fn is_passing(kind: &str, code: &str, status: Option<u64>) -> bool {
    const SPENT: &[&str] =
        &["insufficient_quota", "exceeded_current_quota_error", "billing_hard_limit_reached"];
    if SPENT.contains(&kind) || SPENT.contains(&code) {
        return false;
    }
    const PASSING: &[&str] = &[
        "api_error",
        "engine_overloaded_error",
        "internal_error",
        "internal_server_error",
        "overloaded_error",
        "rate_limit_error",
        "rate_limit_exceeded",
        "rate_limit_reached_error",
        "rate_limited",
        "requests",
        "server_error",
        "service_unavailable",
        "service_unavailable_error",
        "timeout",
        "timeout_error",
        "tokens",
    ];
    // Codes of GLM and MiniMax for too many requests, overload and timeouts are listed among the HTTP codes.
    PASSING.contains(&kind)
        || PASSING.contains(&code)
        || status.is_some_and(|status| {
            matches!(status, 408 | 409 | 425 | 429 | 500..=599 | 1000..=1002 | 1033 | 1302..=1303 | 1305)
        })
}
