//! Decodes a complete answer. Steps have no structs, because each is sent back unchanged.

use serde_json::{Map, Value};

use super::NAME;
use crate::context::AnswerContext;
use crate::decoded::{DecodeError, Decoded, MAX_PARTS, StopReason, check_depth};
use crate::envelope::Envelope;
use crate::event::{Body, Event, Role};
use crate::gemini::error::provider_error;
use crate::json::{text, unexpected};
use crate::usage::Usage;
use crate::verdict::{Arguments, DecodedCall};

/// Whether the end of a step arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Whole,
    /// The answer was cut off, so the step may lack its end.
    Partial,
}

pub(crate) fn decode(body: &Value, context: &AnswerContext) -> Result<Decoded, DecodeError> {
    check_depth(body)?;
    let status = body.get("status").and_then(Value::as_str);
    if let Some(error) = body.get("error").filter(|_| status.is_none()) {
        return Err(provider_error(error));
    }
    let steps = match (body.get("steps"), status) {
        (Some(Value::Array(steps)), _) => steps.as_slice(),
        (None | Some(Value::Null), Some(_)) => &[],
        _ => return Err(unexpected("/steps", "a list of steps")),
    };
    if steps.len() > MAX_PARTS {
        let place = "/steps".to_owned();
        return Err(DecodeError::TooLarge { place, limit: MAX_PARTS, unit: "steps" });
    }
    let is_cut = status.is_none_or(is_cut);
    let mut events = Vec::with_capacity(steps.len());
    for (index, step) in steps.iter().enumerate() {
        let kind = step.get("type").and_then(Value::as_str);
        let kind = kind.ok_or_else(|| unexpected(format!("/steps/{index}"), "a step with a type"))?;
        if !is_of_host(kind) {
            let ending = if is_cut && index + 1 == steps.len() { Ending::Partial } else { Ending::Whole };
            events.push(event(step.clone(), ending, context));
        }
    }
    let failure = status.filter(|status| *status == "failed").map(|status| failed(body, status));
    let usage = usage(body.get("usage").unwrap_or(&Value::Null));
    let stop_reason = stop_reason(status, &events);
    Ok(Decoded { events, raw_stop_reason: status.map(str::to_owned), stop_reason, usage, failure })
}

/// Whether the host sent the step. Such steps are returned together with the model's.
pub(super) fn is_of_host(kind: &str) -> bool {
    matches!(kind, "user_input" | "function_result")
}

/// Whether the status is final.
pub(super) fn is_last(status: &str) -> bool {
    !matches!(status, "" | "in_progress" | "queued")
}

fn is_cut(status: &str) -> bool {
    !matches!(status, "completed" | "requires_action")
}

/// Returns the provider's own error, for an answer with the status `failed`.
pub(super) fn failed(interaction: &Value, status: &str) -> DecodeError {
    match interaction.pointer("/errors/0") {
        Some(error) => provider_error(error),
        None => DecodeError::Provider { kind: status.to_owned(), message: String::new(), retryable: false },
    }
}

/// Reads the usage. The provider's input count includes cached tokens, and its output count excludes thoughts.
pub(super) fn usage(counted: &Value) -> Usage {
    let count = |name: &str| counted.get(name).and_then(Value::as_u64).unwrap_or_default();
    let reasoning_tokens = count("total_thought_tokens");
    Usage {
        input_tokens: count("total_input_tokens").saturating_add(count("total_tool_use_tokens")),
        cache_read_tokens: count("total_cached_tokens"),
        cache_write_tokens: 0,
        output_tokens: count("total_output_tokens").saturating_add(reasoning_tokens),
        reasoning_tokens,
    }
}

pub(super) fn stop_reason(status: Option<&str>, events: &[Event]) -> StopReason {
    match status {
        Some("requires_action") => StopReason::ToolUse,
        Some("completed") if events.iter().any(|event| event.call().is_some()) => StopReason::ToolUse,
        Some("completed") => StopReason::End,
        Some("incomplete" | "budget_exceeded" | "requires_continuation") => StopReason::Length,
        _ => StopReason::Other,
    }
}

/// Builds the event of a step.
pub(super) fn event(step: Value, ending: Ending, context: &AnswerContext) -> Event {
    let body = match text(&step, "type") {
        "model_output" => match joined(&step, "content") {
            // Only media.
            said if said.is_empty() && has_items(&step, "content") => Body::Opaque(said),
            said => Body::Text(said),
        },
        "thought" => Body::Thinking(joined(&step, "summary")),
        "function_call" => Body::ToolCall(read_call(&step, ending, context)),
        // Tools of the provider's server, and kinds newer than this crate.
        _ => Body::Opaque(String::new()),
    };
    let issuer = Some(context.issuer.clone());
    let envelope = Envelope { wire: NAME.to_owned(), issuer, parts: vec![step] };
    Event { envelope: Some(envelope), ..Event::new(Role::Assistant, body) }
}

fn items<'a>(step: &'a Value, key: &str) -> &'a [Value] {
    step.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn has_items(step: &Value, key: &str) -> bool {
    items(step, key).iter().any(|item| text(item, "type") != "text")
}

fn joined(step: &Value, key: &str) -> String {
    items(step, key).iter().map(|item| text(item, "text")).collect()
}

fn read_call(step: &Value, ending: Ending, context: &AnswerContext) -> DecodedCall {
    let name = context.renames.original(text(step, "name")).to_owned();
    let arguments = match step.get("arguments") {
        _ if ending == Ending::Partial => Arguments::Truncated,
        _ if name.is_empty() => Arguments::Malformed,
        None => Arguments::Complete(Map::new()),
        Some(Value::String(text)) => Arguments::of_broken(text),
        Some(arguments) => Arguments::from_value(arguments.clone()),
    };
    DecodedCall { id: text(step, "id").to_owned(), name, arguments }
}
