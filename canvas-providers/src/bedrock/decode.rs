//! Decodes a complete answer.
//!
//! A block is an object with one key, which is its kind. Blocks have no structs, because each is sent back unchanged.

use serde_json::{Map, Value};

use super::NAME;
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
    let Some(output) = body.get("output") else { return Err(no_output(body)) };
    let Some(Value::Array(blocks)) = output.pointer("/message/content") else {
        return Err(unexpected("/output/message/content", "a list of blocks"));
    };
    if blocks.len() > MAX_PARTS {
        let place = "/output/message/content".to_owned();
        return Err(DecodeError::TooLarge { place, limit: MAX_PARTS, unit: "blocks" });
    }
    let raw_stop_reason = body.get("stopReason").and_then(Value::as_str).map(str::to_owned);
    let stop_reason = stop_reason(raw_stop_reason.as_deref());
    // The models' own endpoints cut a call so that the rest of it may look complete.
    let may_be_cut = stop_reason.may_cut() || raw_stop_reason.is_none();
    let events = blocks.iter().enumerate().map(|(index, block)| {
        check(block, &format!("/output/message/content/{index}"))?;
        let ending = if may_be_cut && index + 1 == blocks.len() { Ending::Partial } else { Ending::Whole };
        Ok(event(block.clone(), ending, context))
    });
    let events = events.collect::<Result<Vec<_>, _>>()?;
    let usage = usage(body.get("usage").unwrap_or(&Value::Null));
    Ok(Decoded { events, raw_stop_reason, stop_reason, usage, failure: None })
}

/// Reads the usage. The provider's input count excludes cached tokens.
pub(super) fn usage(counted: &Value) -> Usage {
    let count = |name: &str| counted.get(name).and_then(Value::as_u64).unwrap_or_default();
    let (cache_read_tokens, cache_write_tokens) =
        (count("cacheReadInputTokens"), count("cacheWriteInputTokens"));
    Usage {
        input_tokens: count("inputTokens")
            .saturating_add(cache_read_tokens)
            .saturating_add(cache_write_tokens),
        cache_read_tokens,
        cache_write_tokens,
        output_tokens: count("outputTokens"),
        reasoning_tokens: 0,
    }
}

pub(super) fn stop_reason(raw: Option<&str>) -> StopReason {
    match raw {
        Some("end_turn" | "stop_sequence") => StopReason::End,
        Some("tool_use") => StopReason::ToolUse,
        Some("max_tokens") => StopReason::Length,
        Some("model_context_window_exceeded") => StopReason::ContextFull,
        Some("guardrail_intervened" | "content_filtered") => StopReason::Refusal,
        _ => StopReason::Other,
    }
}

/// Checks that a value can be read as a block.
fn check(block: &Value, place: &str) -> Result<(), DecodeError> {
    if block.as_object().is_none_or(Map::is_empty) {
        return Err(unexpected(place, "a block"));
    }
    if kind(block) == "text" && !block["text"].is_string() {
        return Err(unexpected(format!("{place}/text"), "a string"));
    }
    Ok(())
}

/// Returns the key that is the block's kind, or an empty string if there are several keys and the kind is unknown.
pub(super) fn kind(block: &Value) -> &str {
    match block.as_object() {
        Some(block) if block.len() == 1 => block.keys().next().map_or("", String::as_str),
        _ => "",
    }
}

/// Builds the event of a block.
pub(super) fn event(block: Value, ending: Ending, context: &AnswerContext) -> Event {
    let body = match kind(&block) {
        "text" => Body::Text(text(&block, "text").to_owned()),
        // Text with its sources.
        "citationsContent" => Body::Text(cited_text(&block["citationsContent"])),
        "reasoningContent" => {
            let readable = block["reasoningContent"].get("reasoningText").unwrap_or(&Value::Null);
            Body::Thinking(text(readable, "text").to_owned())
        }
        "toolUse" if !is_server_tool(&block["toolUse"]) => {
            Body::ToolCall(call(&block["toolUse"], ending, context))
        }
        // Tools of the provider's server, media, and kinds newer than this crate.
        _ => Body::Opaque(String::new()),
    };
    let issuer = Some(context.issuer.clone());
    let envelope = Envelope { wire: NAME.to_owned(), issuer, parts: vec![block] };
    Event { envelope: Some(envelope), ..Event::new(Role::Assistant, body) }
}

/// Whether the provider's server answers the call.
pub(super) fn is_server_tool(tool_use: &Value) -> bool {
    text(tool_use, "type") == "server_tool_use"
}

fn cited_text(cited: &Value) -> String {
    let pieces = cited.get("content").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    pieces.iter().map(|piece| text(piece, "text")).collect()
}

fn call(tool_use: &Value, ending: Ending, context: &AnswerContext) -> DecodedCall {
    let name = context.renames.original(text(tool_use, "name")).to_owned();
    let arguments = match tool_use.get("input") {
        _ if ending == Ending::Partial => Arguments::Truncated,
        _ if name.is_empty() => Arguments::Malformed,
        None => Arguments::Complete(Map::new()),
        Some(Value::String(text)) => Arguments::of_broken(text),
        Some(input) => Arguments::from_value(input.clone()),
    };
    DecodedCall { id: text(tool_use, "toolUseId").to_owned(), name, arguments }
}

/// Reads an error of the endpoint or of a proxy in front of it. If the body is not such an error, reports that it lacks
/// an output.
fn no_output(body: &Value) -> DecodeError {
    let message = [text(body, "message"), text(body, "Message")].concat();
    // The name is in a header; some proxies put it into the body, after a namespace.
    let kind = text(body, "__type").rsplit('#').next().unwrap_or_default();
    if message.is_empty() && kind.is_empty() {
        return unexpected("/output", "an object");
    }
    provider_error(kind, message)
}

pub(super) fn provider_error(kind: &str, message: String) -> DecodeError {
    let kind = if kind.is_empty() { "error" } else { kind };
    let retryable = matches!(
        kind.to_ascii_lowercase().as_str(),
        "internalserverexception"
            | "modelstreamerrorexception"
            | "throttlingexception"
            | "serviceunavailableexception"
            | "modeltimeoutexception"
            | "modelnotreadyexception"
    );
    DecodeError::Provider { kind: kind.to_owned(), message, retryable }
}
