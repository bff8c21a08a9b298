//! Decodes a complete answer.
//!
//! Blocks are read as JSON without structs, because each is sent back unchanged, even if its kind is unknown.

use serde::Deserialize as _;
use serde_json::{Map, Value};

use super::wire::{ErrorBody, NAME};
use crate::context::AnswerContext;
use crate::decoded::{DecodeError, Decoded, MAX_PARTS, StopReason, check_depth};
use crate::envelope::Envelope;
use crate::event::{Body, Event, Role};
use crate::json::{text, unexpected};
use crate::usage::Usage;
use crate::verdict::{Arguments, DecodedCall};

/// Whether the end of a block arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Whole,
    /// The answer was cut off, so the block may lack its end.
    Partial,
}

pub(crate) fn decode(body: &Value, context: &AnswerContext) -> Result<Decoded, DecodeError> {
    check_depth(body)?;
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
                // A body without a reason was read before its end.
                stop_reason.may_cut() || raw_stop_reason.is_none()
            });
            let events = blocks.iter().enumerate().map(|(index, block)| {
                check(block, &format!("/content/{index}"))?;
                let ending = if partial == Some(index) { Ending::Partial } else { Ending::Whole };
                Ok(event(block.clone(), ending, context))
            });
            events.collect::<Result<Vec<_>, _>>()?
        }
        // Some compatible hosts answer in plain text.
        Some(Value::String(text)) => vec![Event::assistant(text.as_str())],
        _ => return Err(unexpected("/content".to_owned(), "a list of blocks")),
    };
    let mut usage = Usage::default();
    add_usage(&mut usage, body.get("usage").unwrap_or(&Value::Null));
    Ok(Decoded { events, raw_stop_reason, stop_reason, usage, failure: None })
}

/// Records the reported counts, which replace earlier ones, because a stream reports counts again at its end. The
/// provider's input count excludes cached tokens.
pub(super) fn add_usage(usage: &mut Usage, counted: &Value) {
    let count = |name: &str| counted.get(name).and_then(Value::as_u64);
    let uncached = count("input_tokens").unwrap_or_else(|| {
        usage.input_tokens.saturating_sub(usage.cache_read_tokens).saturating_sub(usage.cache_write_tokens)
    });
    for (total, name) in [
        (&mut usage.cache_read_tokens, "cache_read_input_tokens"),
        (&mut usage.cache_write_tokens, "cache_creation_input_tokens"),
        (&mut usage.output_tokens, "output_tokens"),
    ] {
        *total = count(name).unwrap_or(*total);
    }
    usage.input_tokens =
        uncached.saturating_add(usage.cache_read_tokens).saturating_add(usage.cache_write_tokens);
}

pub(super) fn stop_reason(raw: Option<&str>) -> StopReason {
    match raw {
        Some("end_turn" | "stop_sequence") => StopReason::End,
        Some("tool_use") => StopReason::ToolUse,
        Some("max_tokens") => StopReason::Length,
        Some("model_context_window_exceeded") => StopReason::ContextFull,
        Some("refusal") => StopReason::Refusal,
        Some("pause_turn") => StopReason::Pause,
        _ => StopReason::Other,
    }
}

/// Checks that a value can be read as a block.
fn check(block: &Value, place: &str) -> Result<(), DecodeError> {
    match block.get("type").and_then(Value::as_str) {
        None => Err(unexpected(place.to_owned(), "a block with a type")),
        Some("text") if !block.get("text").is_some_and(Value::is_string) => {
            Err(unexpected(format!("{place}/text"), "a string"))
        }
        Some(_) => Ok(()),
    }
}

/// Builds the event of a block.
pub(super) fn event(block: Value, ending: Ending, context: &AnswerContext) -> Event {
    let body = match text(&block, "type") {
        "text" => Body::Text(text(&block, "text").to_owned()),
        "thinking" => Body::Thinking(text(&block, "thinking").to_owned()),
        "redacted_thinking" => Body::Thinking(String::new()),
        "tool_use" => Body::ToolCall(call(&block, ending, context)),
        // Tools of the provider's server, and kinds newer than this crate.
        _ => Body::Opaque(String::new()),
    };
    let issuer = Some(context.issuer.clone());
    let envelope = Envelope { wire: NAME.to_owned(), issuer, parts: vec![block] };
    Event { envelope: Some(envelope), ..Event::new(Role::Assistant, body) }
}

fn call(block: &Value, ending: Ending, context: &AnswerContext) -> DecodedCall {
    let name = context.renames.original(text(block, "name")).to_owned();
    let arguments = match block.get("input") {
        _ if ending == Ending::Partial => Arguments::Truncated,
        _ if name.is_empty() => Arguments::Malformed,
        None => Arguments::Complete(Map::new()),
        Some(Value::String(text)) => Arguments::of_broken(text),
        Some(input) => Arguments::from_value(input.clone()),
    };
    DecodedCall { id: text(block, "id").to_owned(), name, arguments }
}

pub(super) fn provider_error(error: &Value) -> DecodeError {
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
