//! A whole answer, read.
//!
//! Blocks are looked at as JSON and have no structs: each goes back as it came, and a kind that is not known here is
//! kept like the others.

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
        return Err(DecodeError::TooLarge { place: String::new(), limit: MAX_DEPTH, unit: "levels" });
    }
    if let Some(error) = body.get("error").filter(|_| body.get("content").is_none()) {
        return Err(provider_error(error));
    }
    let raw_stop_reason = body.get("stop_reason").and_then(Value::as_str).map(str::to_owned);
    let stop_reason = stop_reason(raw_stop_reason.as_deref());
    let events = match body.get("content") {
        Some(Value::Array(blocks)) if blocks.len() > MAX_PARTS => {
            let place = "/content".to_owned();
            return Err(DecodeError::TooLarge { place, limit: MAX_PARTS, unit: "blocks" });
        }
        Some(Value::Array(blocks)) => {
            let partial = blocks.len().checked_sub(1).filter(|_| {
                // A body without a reason was taken before its end; a classifier refuses in the middle of a block.
                matches!(stop_reason, StopReason::Length | StopReason::Refusal) || raw_stop_reason.is_none()
            });
            let events = blocks.iter().enumerate().map(|(index, block)| {
                let place = format!("/content/{index}");
                event(block, &place, partial == Some(index), renames)
            });
            events.collect::<Result<Vec<_>, _>>()?
        }
        // Some compatible hosts answer with plain text.
        Some(Value::String(text)) => vec![Event::assistant(text.as_str())],
        _ => return Err(unexpected("/content".to_owned(), "a list of blocks")),
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

/// The event of a block. A partial block may lack its end.
fn event(block: &Value, place: &str, partial: bool, renames: &Renames) -> Result<Event, DecodeError> {
    let Some(kind) = block.get("type").and_then(Value::as_str) else {
        return Err(unexpected(place.to_owned(), "a block with a type"));
    };
    let body = match kind {
        "text" => match block.get("text") {
            Some(Value::String(text)) => Body::Text(text.clone()),
            _ => return Err(unexpected(format!("{place}/text"), "a string")),
        },
        "thinking" => Body::Thinking(text(block, "thinking").to_owned()),
        "redacted_thinking" => Body::Thinking(String::new()),
        "tool_use" => Body::ToolCall(call(block, partial, renames)),
        // Tools of the provider's server, and kinds that are newer than this.
        _ => Body::Opaque(String::new()),
    };
    let envelope = Envelope { provider: NAME.to_owned(), part: block.clone() };
    Ok(Event { envelope: Some(envelope), ..Event::new(Role::Assistant, body) })
}

fn call(block: &Value, partial: bool, renames: &Renames) -> DecodedCall {
    let name = renames.original(text(block, "name")).to_owned();
    let arguments = match block.get("input") {
        _ if partial => Arguments::Truncated,
        _ if name.is_empty() => Arguments::Malformed,
        None => Arguments::Complete(Map::new()),
        Some(input) => Arguments::from_value(input.clone()),
    };
    DecodedCall { id: text(block, "id").to_owned(), name, arguments }
}

fn text<'a>(block: &'a Value, key: &str) -> &'a str {
    block.get(key).and_then(Value::as_str).unwrap_or_default()
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

fn unexpected(place: String, expected: &'static str) -> DecodeError {
    DecodeError::Unexpected { place, expected }
}

fn deeper_than(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(items) => levels == 0 || items.iter().any(|item| deeper_than(item, levels - 1)),
        Value::Object(map) => levels == 0 || map.values().any(|item| deeper_than(item, levels - 1)),
        _ => false,
    }
}
