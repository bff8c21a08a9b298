//! Splits the message of an answer into events, each with its piece.

use serde_json::{Map, Value, json};

use super::wire::NAME;
use crate::context::AnswerContext;
use crate::decoded::{DecodeError, MAX_PARTS};
use crate::event::{Body, Event};
use crate::native::NativeTool;
use crate::pieces::{self, text};
use crate::verdict::{Arguments, DecodedCall};

/// Fields of plain-text reasoning, in the order in which they are tried.
pub(super) const REASONING_TEXTS: &[&str] = &["reasoning_content", "reasoning"];
/// The field for reasoning that arrives in pieces, some readable and some sealed.
pub(super) const REASONING_DETAILS: &str = "reasoning_details";

/// Builds the events of a message. If `ends_open` is set, the answer may lack its end.
pub(super) fn events(
    message: &Map<String, Value>,
    ends_open: bool,
    context: &AnswerContext,
) -> Result<Vec<Event>, DecodeError> {
    let mut events = Vec::new();
    let mut bare = Map::new();
    let mut reasoning = Map::new();
    for field in REASONING_TEXTS.iter().copied().chain([REASONING_DETAILS]) {
        match message.get(field) {
            None | Some(Value::Null) => {}
            Some(value) if is_empty(value) => drop(bare.insert(field.to_owned(), value.clone())),
            Some(value) => drop(reasoning.insert(field.to_owned(), value.clone())),
        }
    }
    if !reasoning.is_empty() {
        events.push(thinking(reasoning, context));
    }
    match message.get("content") {
        Some(Value::String(content)) if !content.is_empty() => {
            let body = Body::Text(content.clone());
            events.push(pieces::event(NAME, body, pieces::of("content", content.as_str()), context));
        }
        Some(Value::Array(chunks)) => {
            limit(chunks, "/choices/0/message/content")?;
            events.extend(chunks.iter().map(|chunk| content_chunk(chunk.clone(), context)));
        }
        Some(content @ (Value::Null | Value::String(_))) => {
            bare.insert("content".to_owned(), content.clone());
        }
        Some(_) => return Err(unexpected("/content", "a string or a list")),
        None => {}
    }
    for (field, value) in message.iter().filter(|(field, value)| !is_known(field) && !is_empty(value)) {
        events.push(other_field(field, value.clone(), context));
    }
    match message.get("tool_calls") {
        Some(Value::Array(calls)) => {
            limit(calls, "/choices/0/message/tool_calls")?;
            for (index, call_part) in calls.iter().enumerate() {
                let Value::Object(part) = call_part else {
                    return Err(unexpected(&format!("/tool_calls/{index}"), "an object"));
                };
                events.push(call(part.clone(), ends_open, context));
            }
        }
        None | Some(Value::Null) => {}
        Some(_) => return Err(unexpected("/tool_calls", "a list")),
    }
    // The older form of a call, before an answer could have several. Together with other calls it repeats one of them.
    let has_calls = events.iter().any(|event| event.call().is_some());
    if let Some(function @ Value::Object(_)) = message.get("function_call").filter(|_| !has_calls) {
        let kind = ("type".to_owned(), "function".into());
        let part = Map::from_iter([kind, ("function".to_owned(), function.clone())]);
        events.push(call(part, ends_open, context));
    }
    pieces::attach(&mut events, bare);
    Ok(events)
}

fn is_known(field: &str) -> bool {
    matches!(field, "role" | "content" | "tool_calls" | "function_call" | REASONING_DETAILS)
        || REASONING_TEXTS.contains(&field)
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(flag) => !flag,
        Value::Number(_) => false,
    }
}

fn limit(parts: &[Value], place: &str) -> Result<(), DecodeError> {
    if parts.len() <= MAX_PARTS {
        return Ok(());
    }
    Err(DecodeError::TooLarge { place: place.to_owned(), limit: MAX_PARTS, unit: "parts" })
}

/// Builds the event of all reasoning outside the content.
pub(super) fn thinking(fields: Map<String, Value>, context: &AnswerContext) -> Event {
    let plain = REASONING_TEXTS.iter().find_map(|field| fields.get(*field).and_then(Value::as_str));
    let readable = plain.filter(|plain| !plain.is_empty()).map(str::to_owned);
    let readable = readable.unwrap_or_else(|| match fields.get(REASONING_DETAILS) {
        Some(Value::Array(details)) => details.iter().map(readable_detail).collect(),
        _ => String::new(),
    });
    pieces::event(NAME, Body::Thinking(readable), fields, context)
}

/// Returns the readable text of a detail.
pub(super) fn readable_detail(detail: &Value) -> &str {
    let field = |name: &str| detail.get(name).and_then(Value::as_str);
    field("text").or_else(|| field("summary")).unwrap_or_default()
}

/// Builds the event of one chunk of a content list.
pub(super) fn content_chunk(chunk: Value, context: &AnswerContext) -> Event {
    let chunk = match chunk {
        Value::String(text) => json!({"type": "text", "text": text}),
        other => other,
    };
    let field = |name: &str| chunk.get(name).and_then(Value::as_str).unwrap_or_default();
    let body = match field("type") {
        "text" => Body::Text(field("text").to_owned()),
        "thinking" => Body::Thinking(thinking_text(&chunk)),
        "refusal" => Body::Opaque(field("refusal").to_owned()),
        _ => Body::Opaque(String::new()),
    };
    pieces::event(NAME, body, pieces::of("content", vec![chunk]), context)
}

/// Returns the text of a thinking chunk, which holds a text or a list of texts.
pub(super) fn thinking_text(chunk: &Value) -> String {
    match chunk.get("thinking") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(texts)) => {
            texts.iter().filter_map(|text| text.get("text").and_then(Value::as_str)).collect()
        }
        _ => String::new(),
    }
}

/// Builds the event of a field without text, reasoning or calls, for example a refusal, speech, or an unknown field.
pub(super) fn other_field(field: &str, value: Value, context: &AnswerContext) -> Event {
    let readable = match &value {
        Value::String(refusal) if field == "refusal" => refusal.clone(),
        Value::Object(audio) if field == "audio" => text(audio, "transcript").to_owned(),
        _ => String::new(),
    };
    pieces::event(NAME, Body::Opaque(readable), pieces::of(field, value), context)
}

pub(super) fn call(part: Map<String, Value>, ends_open: bool, context: &AnswerContext) -> Event {
    let object = |field: &str| part.get(field).and_then(Value::as_object);
    let (name, arguments) = match (object("custom"), object("function")) {
        (Some(custom), None) => (text(custom, "name"), custom_arguments(custom, ends_open, context)),
        (_, Some(function)) => (text(function, "name"), arguments(function.get("arguments"), ends_open)),
        (None, None) => ("", Arguments::Malformed),
    };
    let arguments = if name.is_empty() { Arguments::Malformed } else { arguments };
    let name = context.renames.original(name).to_owned();
    let decoded = DecodedCall { id: text(&part, "id").to_owned(), name, arguments };
    pieces::event(NAME, Body::ToolCall(decoded), pieces::of("tool_calls", vec![Value::Object(part)]), context)
}

/// Accepts free text only for the tool whose only argument it is known to be, because free text is not an object. If a
/// limit ended the answer, the text counts as truncated, because it may lack its end without showing it.
fn custom_arguments(custom: &Map<String, Value>, ends_open: bool, context: &AnswerContext) -> Arguments {
    let is_codex = text(custom, "name") == NativeTool::CodexPatch.name();
    match custom.get("input") {
        Some(input @ Value::String(_)) if is_codex && context.native == Some(NativeTool::CodexPatch) => {
            if ends_open {
                Arguments::Truncated
            } else {
                Arguments::Complete(pieces::of("input", input.clone()))
            }
        }
        _ => Arguments::Malformed,
    }
}

fn arguments(value: Option<&Value>, ends_open: bool) -> Arguments {
    match value {
        Some(Value::String(json)) if !json.trim().is_empty() => match serde_json::from_str(json) {
            Ok(value) => Arguments::from_value(value),
            Err(_) => Arguments::of_broken(json),
        },
        None | Some(Value::Null | Value::String(_)) if ends_open => Arguments::Truncated,
        None | Some(Value::Null | Value::String(_)) => Arguments::Complete(Map::new()),
        // Some hosts send the object itself.
        Some(value) => Arguments::from_value(value.clone()),
    }
}

fn unexpected(place: &str, expected: &'static str) -> DecodeError {
    DecodeError::Unexpected { place: format!("/choices/0/message{place}"), expected }
}
