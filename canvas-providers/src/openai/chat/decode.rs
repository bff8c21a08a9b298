//! Decodes a complete answer.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{error, message};
use crate::context::AnswerContext;
use crate::decoded::{DecodeError, Decoded, StopReason, check_depth};
use crate::event::{Body, Event};
use crate::hosts::ChatHost;
use crate::usage::Usage;

pub(crate) fn decode(body: &Value, context: &AnswerContext) -> Result<Decoded, DecodeError> {
    check_depth(body)?;
    let choices = body.get("choices").and_then(Value::as_array);
    let choice = choices.and_then(|choices| {
        let is_first = |choice: &&Value| choice.get("index").is_none_or(|index| *index == 0);
        choices.iter().find(is_first).or_else(|| choices.first())
    });
    let Some(choice) = choice else {
        return Err(error::of_body(body).unwrap_or_else(|| unexpected("/choices", "a list with a choice")));
    };
    if let Some(failed) =
        [body, choice].into_iter().find_map(|said| said.get("error")).filter(|e| !e.is_null())
    {
        return Err(error::provider_error(failed));
    }
    let Some(Value::Object(said)) = choice.get("message") else {
        return Err(unexpected("/choices/0/message", "an object"));
    };
    let raw_stop_reason = choice.get("finish_reason").and_then(Value::as_str).filter(|raw| !raw.is_empty());
    let raw_stop_reason = raw_stop_reason.map(str::to_owned);
    let stop_reason = ChatHost::of(&context.issuer.host).stop_reason(raw_stop_reason.as_deref());
    // A body without a reason was read before its end.
    let ends_open = stop_reason.may_cut() || raw_stop_reason.is_none();
    let events = message::events(said, ends_open, context)?;
    let mut usage = Usage::default();
    if let Some(counted) = body.get("usage") {
        add_usage(&mut usage, counted);
    }
    let stop_reason = or_refused(stop_reason, &events);
    Ok(Decoded { events, raw_stop_reason, stop_reason, usage, failure: None })
}

/// Turns the stop reason `End` into `Refusal` if the model declined, because a refusal ends like any other answer.
pub(super) fn or_refused(stop_reason: StopReason, events: &[Event]) -> StopReason {
    let is_refusal = |event: &Event| {
        let part = event.envelope.as_ref().and_then(|envelope| envelope.parts.first());
        matches!(event.body, Body::Opaque(_)) && part.is_some_and(|part| part.get("refusal").is_some())
    };
    match stop_reason {
        StopReason::End if events.iter().any(is_refusal) => StopReason::Refusal,
        other => other,
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Counted {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<Map<String, Value>>,
    completion_tokens_details: Option<Map<String, Value>>,
    prompt_cache_hit_tokens: Option<u64>,
}

/// Records the reported counts. A later count replaces an earlier one.
pub(super) fn add_usage(usage: &mut Usage, counted: &Value) {
    let Ok(counted) = Counted::deserialize(counted) else { return };
    let detail = |details: &Option<Map<String, Value>>, name: &str| {
        details.as_ref().and_then(|details| details.get(name)).and_then(Value::as_u64)
    };
    let cached = detail(&counted.prompt_tokens_details, "cached_tokens").or(counted.prompt_cache_hit_tokens);
    for (total, count) in [
        (&mut usage.input_tokens, counted.prompt_tokens),
        (&mut usage.output_tokens, counted.completion_tokens),
        (&mut usage.cache_read_tokens, cached),
        (&mut usage.cache_write_tokens, detail(&counted.prompt_tokens_details, "cache_write_tokens")),
        (&mut usage.reasoning_tokens, detail(&counted.completion_tokens_details, "reasoning_tokens")),
    ] {
        *total = count.unwrap_or(*total);
    }
}

pub(super) fn unexpected(place: &str, expected: &'static str) -> DecodeError {
    DecodeError::Unexpected { place: place.to_owned(), expected }
}
