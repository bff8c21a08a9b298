//! Decodes a complete answer.

use serde::Deserialize as _;
use serde_json::Value;

use super::item::{self, Ending};
use super::wire::{ErrorBody, IncompleteDetails, Tokens};
use crate::context::AnswerContext;
use crate::decoded::{DecodeError, Decoded, MAX_PARTS, StopReason, check_depth};
use crate::event::{Body, Event};
use crate::usage::Usage;

pub(crate) fn decode(body: &Value, context: &AnswerContext) -> Result<Decoded, DecodeError> {
    check_depth(body)?;
    let raw_stop_reason = body.get("status").and_then(Value::as_str).map(str::to_owned);
    let error = body.get("error").filter(|error| !error.is_null());
    match (error, raw_stop_reason.as_deref()) {
        (Some(error), Some("failed")) => return Err(provider_error(error)),
        (Some(error), _) if body.get("output").is_none() => return Err(provider_error(error)),
        (None, Some("failed")) => return Err(provider_error(&Value::Null)),
        (_, Some("queued" | "in_progress")) => {
            return Err(unexpected("/status".to_owned(), "an answer that has ended"));
        }
        _ => {}
    }
    let Some(Value::Array(items)) = body.get("output") else {
        return Err(unexpected("/output".to_owned(), "a list of items"));
    };
    if items.len() > MAX_PARTS {
        return Err(DecodeError::TooLarge { place: "/output".to_owned(), limit: MAX_PARTS, unit: "items" });
    }
    let ending = ending(raw_stop_reason.as_deref());
    let events = items.iter().enumerate().map(|(index, item)| {
        check(item, || format!("/output/{index}"))?;
        Ok(item::event(item.clone(), ending, context))
    });
    let events = events.collect::<Result<Vec<_>, _>>()?;
    let details =
        body.get("incomplete_details").and_then(|details| IncompleteDetails::deserialize(details).ok());
    let reason = details.and_then(|details| details.reason);
    let stop_reason = stop_reason(raw_stop_reason.as_deref(), reason.as_deref(), &events);
    let usage = body.get("usage").map_or_else(Usage::default, usage);
    Ok(Decoded { events, raw_stop_reason, stop_reason, usage, failure: None })
}

/// Returns the ending of the items in an answer with this status.
pub(super) fn ending(raw_stop_reason: Option<&str>) -> Ending {
    match raw_stop_reason {
        Some("incomplete" | "cancelled") => Ending::Limited,
        _ => Ending::Whole,
    }
}

/// Checks that a value can be read as an item.
pub(super) fn check(item: &Value, place: impl Fn() -> String) -> Result<(), DecodeError> {
    if item.get("type").is_some_and(Value::is_string) {
        return Ok(());
    }
    Err(unexpected(place(), "an item with a type"))
}

pub(super) fn stop_reason(raw: Option<&str>, reason: Option<&str>, events: &[Event]) -> StopReason {
    let declines = |event: &Event| {
        let parts = event.envelope.as_ref().map_or(&[][..], |envelope| &envelope.parts);
        matches!(event.body, Body::Text(_) | Body::Opaque(_)) && parts.iter().any(item::is_refusal)
    };
    match (raw, reason) {
        (Some("incomplete"), Some("max_output_tokens" | "max_messages")) => StopReason::Length,
        (Some("incomplete"), Some("content_filter")) => StopReason::Refusal,
        (Some("completed"), _) if events.iter().any(|event| event.call().is_some()) => StopReason::ToolUse,
        (Some("completed"), _) if events.iter().any(declines) => StopReason::Refusal,
        (Some("completed"), _) => StopReason::End,
        _ => StopReason::Other,
    }
}

/// Reads the usage. Counts in an unknown form are ignored.
pub(super) fn usage(counted: &Value) -> Usage {
    Tokens::deserialize(counted).unwrap_or_default().into()
}

/// Reads an error, which is nested, flat or a text.
pub(super) fn provider_error(error: &Value) -> DecodeError {
    let read = ErrorBody::deserialize(error).unwrap_or_default();
    let word = |value: &Value| match value {
        Value::String(word) if !word.is_empty() => Some(word.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let (code, kind) = (word(&read.code), word(&read.kind).filter(|kind| kind != "error"));
    let retryable = code.as_deref() != Some("insufficient_quota")
        && [&code, &kind].into_iter().flatten().any(|word| is_transient(word));
    let message = word(&read.message).or_else(|| word(error)).unwrap_or_default();
    DecodeError::Provider { kind: code.or(kind).unwrap_or_else(|| "error".to_owned()), message, retryable }
}

/// Whether the same request may succeed later. Compatible hosts send HTTP codes instead of names.
fn is_transient(word: &str) -> bool {
    matches!(
        word,
        "server_error"
            | "internal_server_error"
            | "internal_error"
            | "api_error"
            | "rate_limit_exceeded"
            | "rate_limit_error"
            | "too_many_requests"
            | "overloaded"
            | "overloaded_error"
            | "server_is_overloaded"
            | "server_overloaded"
            | "service_unavailable"
            | "service_unavailable_error"
            | "slow_down"
            | "timeout"
            | "timeout_error"
            | "request_timeout"
            | "vector_store_timeout"
    ) || word.parse::<u16>().is_ok_and(|code| matches!(code, 408 | 429 | 500..=599))
}

pub(super) fn unexpected(place: String, expected: &'static str) -> DecodeError {
    DecodeError::Unexpected { place, expected }
}
