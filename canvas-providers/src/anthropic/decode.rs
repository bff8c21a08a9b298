//! A whole answer, read.

use serde::Deserialize as _;
use serde_json::{Map, Value};

use super::wire::{ErrorBody, NAME};
use crate::decoded::{DecodeError, Decoded, MAX_DEPTH, MAX_PARTS, StopReason};
use crate::envelope::Envelope;
use crate::event::{Body, Event, Role};
use crate::names::Renames;
use crate::verdict::{Arguments, DecodedCall};

pub(crate) fn decode(body: &Value, renames: &Renames) -> Result<Decoded, DecodeError> {
    if deeper_than(body, MAX_DEPTH) {
        return Err(DecodeError::TooLarge { place: "$".to_owned(), limit: MAX_DEPTH, unit: "levels" });
    }
    if let Some(error) = body.get("error").filter(|_| body.get("content").is_none()) {
        return Err(provider_error(error));
    }
    let raw_stop_reason = body.get("stop_reason").and_then(Value::as_str).map(str::to_owned);
    let stop_reason = stop_reason(raw_stop_reason.as_deref());
    let events = match body.get("content") {
        Some(Value::Array(parts)) if parts.len() > MAX_PARTS => {
            return Err(DecodeError::TooLarge {
                place: "$.content".to_owned(),
                limit: MAX_PARTS,
                unit: "blocks",
            });
        }
        Some(Value::Array(parts)) => {
            let last = parts.len().saturating_sub(1);
            let cut = |index| index == last && may_be_cut(stop_reason, raw_stop_reason.as_deref());
            let events =
                parts.iter().enumerate().map(|(index, part)| event(index, part, cut(index), renames));
            events.collect::<Result<Vec<_>, _>>()?
        }
        // Some compatible hosts answer with plain text.
        Some(Value::String(text)) => vec![Event::assistant(text.as_str())],
        _ => return Err(unexpected("$.content", "a list of blocks")),
    };
    Ok(Decoded { events, raw_stop_reason, stop_reason })
}

fn stop_reason(raw: Option<&str>) -> StopReason {
    match raw {
        Some("end_turn" | "stop_sequence") => StopReason::End,
        Some("tool_use") => StopReason::ToolUse,
        Some("max_tokens" | "model_context_window_exceeded") => StopReason::Length,
        Some("refusal") => StopReason::Refusal,
        Some("pause_turn") => StopReason::Pause,
        _ => StopReason::Other,
    }
}

/// Whether the last block may be part of one. A body without a reason was taken before its end; a classifier
/// refuses in the middle of a block.
fn may_be_cut(stop_reason: StopReason, raw: Option<&str>) -> bool {
    matches!(stop_reason, StopReason::Length | StopReason::Refusal) || raw.is_none()
}

fn event(index: usize, part: &Value, cut: bool, renames: &Renames) -> Result<Event, DecodeError> {
    let place = || format!("$.content[{index}]");
    let kind = part.get("type").and_then(Value::as_str);
    let Some(kind) = kind else { return Err(unexpected(&place(), "a block with a type")) };
    let text = |key: &str| part.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let body = match kind {
        "text" => match part.get("text") {
            Some(Value::String(text)) => Body::Text(text.clone()),
            _ => return Err(unexpected(&format!("{}.text", place()), "a string")),
        },
        "thinking" => Body::Thinking(text("thinking")),
        "redacted_thinking" => Body::Thinking(String::new()),
        "tool_use" => {
            let name = renames.original(&text("name")).to_owned();
            let arguments = match part.get("input") {
                _ if cut => Arguments::Truncated,
                _ if name.is_empty() => Arguments::Malformed,
                None => Arguments::Complete(Map::new()),
                Some(input) => Arguments::from_value(input.clone()),
            };
            Body::ToolCall(DecodedCall { id: text("id"), name, arguments })
        }
        // Tools of the provider's server, and whatever comes after this was written.
        _ => Body::Opaque(String::new()),
    };
    let envelope = Envelope { provider: NAME.to_owned(), part: part.clone() };
    Ok(Event { envelope: Some(envelope), ..Event::new(Role::Assistant, body) })
}

fn provider_error(error: &Value) -> DecodeError {
    let mut read = ErrorBody::deserialize(error).unwrap_or_default();
    if let Value::String(message) = error {
        read.message = message.clone();
    }
    if read.kind.is_empty() {
        read.kind = "error".to_owned();
    }
    let retryable =
        matches!(read.kind.as_str(), "overloaded_error" | "rate_limit_error" | "api_error" | "timeout_error");
    DecodeError::Provider { kind: read.kind, message: read.message, retryable }
}

fn unexpected(place: &str, expected: &'static str) -> DecodeError {
    DecodeError::Unexpected { place: place.to_owned(), expected }
}

fn deeper_than(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(items) => levels == 0 || items.iter().any(|item| deeper_than(item, levels - 1)),
        Value::Object(map) => levels == 0 || map.values().any(|item| deeper_than(item, levels - 1)),
        _ => false,
    }
}
