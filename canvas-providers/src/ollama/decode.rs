//! Decodes a complete answer.

use serde_json::{Map, Value};

use super::wire::NAME;
use crate::context::AnswerContext;
use crate::decoded::{DecodeError, Decoded, MAX_PARTS, StopReason, check_depth};
use crate::event::{Body, Event};
use crate::pieces::{self, text};
use crate::usage::Usage;
use crate::verdict::{Arguments, DecodedCall};

pub(crate) fn decode(body: &Value, context: &AnswerContext) -> Result<Decoded, DecodeError> {
    check_depth(body)?;
    if let Some(error) = body.get("error").filter(|error| !error.is_null()) {
        return Err(provider_error(error));
    }
    let Some(Value::Object(said)) = body.get("message") else {
        return Err(unexpected("/message", "an object"));
    };
    let raw_stop_reason = body.get("done_reason").and_then(Value::as_str).filter(|raw| !raw.is_empty());
    let stop_reason = stop_reason(raw_stop_reason);
    let is_cut = stop_reason == StopReason::Length || body.get("done") != Some(&Value::Bool(true));
    let calls = match said.get("tool_calls") {
        Some(Value::Array(calls)) if calls.len() > MAX_PARTS => {
            let place = "/message/tool_calls".to_owned();
            return Err(DecodeError::TooLarge { place, limit: MAX_PARTS, unit: "calls" });
        }
        Some(Value::Array(calls)) => {
            let objects = calls.iter().enumerate().map(|(index, call)| match call {
                Value::Object(call) => Ok(call.clone()),
                _ => Err(unexpected(&format!("/message/tool_calls/{index}"), "an object")),
            });
            objects.collect::<Result<Vec<_>, _>>()?
        }
        None | Some(Value::Null) => Vec::new(),
        Some(_) => return Err(unexpected("/message/tool_calls", "a list")),
    };
    let said = |field: &str| text(said, field).to_owned();
    let events = events(said("thinking"), said("content"), calls, is_cut, context);
    let mut usage = Usage::default();
    add_usage(&mut usage, field(body, "prompt_eval_count"), field(body, "eval_count"));
    let raw_stop_reason = raw_stop_reason.map(str::to_owned);
    Ok(Decoded { events, raw_stop_reason, stop_reason, usage, failure: None })
}

fn field(body: &Value, name: &str) -> Option<u64> {
    body.get(name).and_then(Value::as_u64)
}

/// Records the reported counts. If the whole request was cached, its tokens are not reported.
pub(super) fn add_usage(usage: &mut Usage, input: Option<u64>, output: Option<u64>) {
    usage.input_tokens = input.unwrap_or(usage.input_tokens);
    usage.output_tokens = output.unwrap_or(usage.output_tokens);
}

pub(super) fn stop_reason(raw: Option<&str>) -> StopReason {
    match raw {
        Some("stop") => StopReason::End,
        Some("length") => StopReason::Length,
        _ => StopReason::Other,
    }
}

/// Builds the events of a message. Thinking comes first, because the endpoint does not tell its position among the
/// other parts.
pub(super) fn events(
    thinking: String,
    content: String,
    calls: Vec<Map<String, Value>>,
    is_cut: bool,
    context: &AnswerContext,
) -> Vec<Event> {
    let mut events = Vec::with_capacity(2 + calls.len());
    if !thinking.is_empty() {
        let piece = pieces::of("thinking", thinking.as_str());
        events.push(pieces::event(NAME, Body::Thinking(thinking), piece, context));
    }
    let says_nothing = content.is_empty();
    if !says_nothing {
        let piece = pieces::of("content", content.as_str());
        events.push(pieces::event(NAME, Body::Text(content), piece, context));
    }
    events.extend(calls.into_iter().map(|part| call(part, is_cut, context)));
    if says_nothing {
        pieces::attach(&mut events, pieces::of("content", ""));
    }
    events
}

fn call(part: Map<String, Value>, is_cut: bool, context: &AnswerContext) -> Event {
    let function = part.get("function").and_then(Value::as_object);
    let name = function.map_or("", |function| text(function, "name"));
    let arguments = match function.and_then(|function| function.get("arguments")) {
        _ if name.is_empty() => Arguments::Malformed,
        None | Some(Value::Null) if is_cut => Arguments::Truncated,
        None => Arguments::Complete(Map::new()),
        Some(arguments) => Arguments::from_value(arguments.clone()),
    };
    let name = context.renames.original(name).to_owned();
    let decoded = DecodedCall { id: text(&part, "id").to_owned(), name, arguments };
    pieces::event(NAME, Body::ToolCall(decoded), pieces::of("tool_calls", vec![Value::Object(part)]), context)
}

/// Reads an error, which is only a text. The HTTP status tells whether it is transient, and so does the text if the
/// queue is full.
pub(super) fn provider_error(error: &Value) -> DecodeError {
    let message = match error {
        Value::String(message) => message.clone(),
        other => {
            other.get("message").and_then(Value::as_str).map_or_else(|| other.to_string(), str::to_owned)
        }
    };
    let retryable =
        ["server busy", "try again", "timed out", "overloaded", "model is loading", "loading model"]
            .iter()
            .any(|words| message.to_ascii_lowercase().contains(words));
    DecodeError::Provider { kind: "error".to_owned(), message, retryable }
}

pub(super) fn unexpected(place: &str, expected: &'static str) -> DecodeError {
    DecodeError::Unexpected { place: place.to_owned(), expected }
}
