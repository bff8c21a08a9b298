//! Decodes a complete answer.
//!
//! A part is an object whose keys tell its kind; it may also have a signature. Parts have no structs, because each is
//! sent back unchanged.

use serde_json::{Map, Value};

use super::NAME;
use super::error::provider_error;
use crate::context::AnswerContext;
use crate::decoded::{DecodeError, Decoded, MAX_PARTS, StopReason, check_depth};
use crate::envelope::Envelope;
use crate::event::{Body, Event, Role};
use crate::json::{text, unexpected};
use crate::usage::Usage;
use crate::verdict::{Arguments, DecodedCall};

pub(crate) fn decode(body: &Value, context: &AnswerContext) -> Result<Decoded, DecodeError> {
    check_depth(body)?;
    // A stream without framing returns an error as a list of one.
    let body = body.as_array().and_then(|list| list.first()).unwrap_or(body);
    let candidates = body.get("candidates");
    if let Some(error) = body.get("error").filter(|_| candidates.is_none()) {
        return Err(provider_error(error));
    }
    let usage = usage(body.get("usageMetadata").unwrap_or(&Value::Null));
    let Some(candidate) = candidates.and_then(Value::as_array).and_then(|candidates| candidates.first())
    else {
        let blocked = body.get("promptFeedback").and_then(|feedback| feedback.get("blockReason"));
        let raw_stop_reason = blocked.and_then(Value::as_str).map(str::to_owned);
        if raw_stop_reason.is_none() {
            return Err(unexpected("/candidates", "a list of candidates"));
        }
        let stop_reason = StopReason::Refusal;
        return Ok(Decoded { events: Vec::new(), raw_stop_reason, stop_reason, usage, failure: None });
    };
    let parts = match candidate.pointer("/content/parts") {
        None | Some(Value::Null) => &[][..],
        Some(Value::Array(parts)) => parts,
        Some(_) => return Err(unexpected("/candidates/0/content/parts", "a list of parts")),
    };
    if parts.len() > MAX_PARTS {
        let place = "/candidates/0/content/parts".to_owned();
        return Err(DecodeError::TooLarge { place, limit: MAX_PARTS, unit: "parts" });
    }
    let raw_stop_reason = candidate.get("finishReason").and_then(Value::as_str).map(str::to_owned);
    let is_cut = may_be_cut(raw_stop_reason.as_deref());
    let events = parts.iter().enumerate().map(|(index, part)| {
        if !part.is_object() {
            let place = format!("/candidates/0/content/parts/{index}");
            return Err(unexpected(place, "a part"));
        }
        let ending = if is_cut && index + 1 == parts.len() { Ending::Cut } else { Ending::Whole };
        Ok(event(part.clone(), ending, context))
    });
    let events = events.collect::<Result<Vec<_>, _>>()?;
    let stop_reason = stop_reason(raw_stop_reason.as_deref(), &events);
    Ok(Decoded { events, raw_stop_reason, stop_reason, usage, failure: None })
}

/// Whether a part is complete, or the reason that it is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Whole,
    /// The part is the last one of an answer that was cut off.
    Cut,
    /// More arguments were announced and did not arrive.
    Open,
    /// The arguments arrived in pieces that do not fit together.
    Broken,
}

/// Whether a limit ended the answer, or no finish reason arrived.
pub(super) fn may_be_cut(raw: Option<&str>) -> bool {
    matches!(raw, None | Some("MAX_TOKENS" | "CONTINUATION"))
}

/// Reads the usage. The provider's input count includes cached tokens, and its output count excludes reasoning.
pub(super) fn usage(counted: &Value) -> Usage {
    let count = |name: &str| counted.get(name).and_then(Value::as_u64).unwrap_or_default();
    let reasoning_tokens = count("thoughtsTokenCount");
    Usage {
        input_tokens: count("promptTokenCount").saturating_add(count("toolUsePromptTokenCount")),
        cache_read_tokens: count("cachedContentTokenCount"),
        cache_write_tokens: 0,
        output_tokens: count("candidatesTokenCount").saturating_add(reasoning_tokens),
        reasoning_tokens,
    }
}

pub(super) fn stop_reason(raw: Option<&str>, events: &[Event]) -> StopReason {
    let calls = events.iter().any(|event| event.call().is_some());
    match raw {
        Some("STOP" | "UNEXPECTED_TOOL_CALL" | "TOO_MANY_TOOL_CALLS") if calls => StopReason::ToolUse,
        Some("STOP") => StopReason::End,
        Some("MAX_TOKENS" | "CONTINUATION") => StopReason::Length,
        Some(
            "SAFETY"
            | "RECITATION"
            | "BLOCKLIST"
            | "PROHIBITED_CONTENT"
            | "SPII"
            | "MODEL_ARMOR"
            | "IMAGE_SAFETY"
            | "IMAGE_PROHIBITED_CONTENT"
            | "IMAGE_RECITATION",
        ) => StopReason::Refusal,
        _ => StopReason::Other,
    }
}

/// Whether a part is a thought, signed or not.
pub(super) fn is_thought(part: &Value) -> bool {
    part.get("thought").is_some_and(|thought| thought == true)
}

/// The kinds of content in a part, which holds one at a time.
pub(super) const KINDS: &[&str] = &[
    "text",
    "functionCall",
    "functionResponse",
    "toolCall",
    "toolResponse",
    "inlineData",
    "fileData",
    "executableCode",
    "codeExecutionResult",
];

/// Whether a part is text (including a thought), or the signature that comes after everything else.
pub(super) fn is_text(part: &Value) -> bool {
    let mut kinds = KINDS.iter().filter(|kind| part.get(**kind).is_some());
    match (kinds.next(), kinds.next()) {
        (Some(&"text"), None) => part["text"].is_string(),
        (None, _) => part.get("thoughtSignature").is_some(),
        _ => false,
    }
}

/// Builds the event of a part.
pub(super) fn event(part: Value, ending: Ending, context: &AnswerContext) -> Event {
    let body = if let Some(call) = part.get("functionCall") {
        Body::ToolCall(read_call(call, ending, context))
    } else if is_text(&part) && is_thought(&part) {
        Body::Thinking(text(&part, "text").to_owned())
    } else if is_text(&part) {
        Body::Text(text(&part, "text").to_owned())
    } else {
        // Tools of the provider's server, media, and kinds newer than this crate.
        Body::Opaque(String::new())
    };
    let issuer = Some(context.issuer.clone());
    let envelope = Envelope { wire: NAME.to_owned(), issuer, parts: vec![part] };
    Event { envelope: Some(envelope), ..Event::new(Role::Assistant, body) }
}

fn read_call(call: &Value, ending: Ending, context: &AnswerContext) -> DecodedCall {
    let name = context.renames.original(text(call, "name")).to_owned();
    let arguments = match call.get("args") {
        _ if ending == Ending::Open => Arguments::Truncated,
        _ if name.is_empty() || ending == Ending::Broken => Arguments::Malformed,
        None | Some(Value::Null) if ending == Ending::Cut => Arguments::Truncated,
        None => Arguments::Complete(Map::new()),
        // The server parsed the arguments, so an object is complete whatever ended the answer.
        Some(arguments) => Arguments::from_value(arguments.clone()),
    };
    DecodedCall { id: text(call, "id").to_owned(), name, arguments }
}
