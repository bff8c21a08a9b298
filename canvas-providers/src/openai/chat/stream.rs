//! Decodes a streamed answer.
//!
//! Parts are built from their deltas in the form of a complete answer, and then decoded like one.

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::calls::Calls;
use super::content::{self, Content, Kind};
use super::delta::{CallDelta, Choice, Chunk, Delta, Mixed};
use super::reasoning::Reasoning;
use super::saying::Saying;
use super::{decode, error, message};
use crate::context::AnswerContext;
use crate::decoded::{DecodeError, Decoded, MAX_PARTS};
use crate::event::Event;
use crate::frames::Frame;
use crate::hosts::ChatHost;
use crate::json::read;
use crate::pieces;
use crate::stream_event::{Codec, OnEvent, StreamEvent, Taken};
use crate::text::Text;
use crate::usage::Usage;

#[derive(Debug)]
pub(crate) struct Stream {
    context: AnswerContext,
    /// Number of parts that have begun.
    parts: usize,
    contents: Vec<Content>,
    reasoning: Reasoning,
    reasoning_part: Option<usize>,
    refusal: String,
    refusal_part: Option<usize>,
    calls: Calls,
    /// A content without text: null, or an empty string.
    bare_content: Option<Value>,
    raw_stop_reason: Option<String>,
    is_done: bool,
    usage: Usage,
}

impl Codec for Stream {
    fn new(context: AnswerContext) -> Self {
        Self {
            context,
            parts: 0,
            contents: Vec::new(),
            reasoning: Reasoning::default(),
            reasoning_part: None,
            refusal: String::new(),
            refusal_part: None,
            calls: Calls::default(),
            bare_content: None,
            raw_stop_reason: None,
            is_done: false,
            usage: Usage::default(),
        }
    }

    fn frame(&mut self, frame: Frame<'_>, on_event: &mut OnEvent<'_>) -> Result<Taken, DecodeError> {
        match frame.data.trim_ascii() {
            b"[DONE]" => {
                self.is_done = true;
                return Ok(Taken::Last);
            }
            // Some hosts keep the connection open with empty events.
            b"" => return Ok(Taken::More),
            _ => {}
        }
        if let Some(saying) = Saying::read(frame.data)
            && self.say(&saying, on_event)?
        {
            return Ok(Taken::More);
        }
        let chunk: Chunk<'_> = read(frame.data).map_err(not_json)?;
        if let Some(failed) = chunk.error {
            return Err(error::provider_error(&value(failed)?));
        }
        if let Some(usage) = chunk.usage {
            decode::add_usage(&mut self.usage, &value(usage)?);
        }
        let Some(choices) = chunk.choices else { return self.without_choices(frame, on_event) };
        for choice in choices {
            if choice.index.unwrap_or_default() == 0 {
                self.choice(choice, on_event)?;
            } else {
                on_event(StreamEvent::Unknown { kind: "choice" });
            }
        }
        Ok(Taken::More)
    }

    fn finish(self: Box<Self>) -> Decoded {
        let Self { context, contents, calls, bare_content, raw_stop_reason, usage, .. } = *self;
        let stop_reason = ChatHost::of(&context.issuer.host).stop_reason(raw_stop_reason.as_deref());
        let ends_open = stop_reason.may_cut() || (raw_stop_reason.is_none() && !self.is_done);
        let has_no_content = contents.is_empty();
        let in_list = contents.iter().any(|content| !content.is_text());
        let mut parts: Vec<(usize, Event)> =
            contents.into_iter().map(|content| content.into_event(in_list, &context)).collect();
        let mut bare = Map::new();
        let reasoning = self.reasoning.into_fields();
        match self.reasoning_part {
            Some(part) => parts.push((part, message::thinking(reasoning, &context))),
            None => bare.extend(reasoning),
        }
        if has_no_content {
            bare.extend(bare_content.map(|content| ("content".to_owned(), content)));
        }
        if let Some(part) = self.refusal_part {
            parts.push((part, message::other_field("refusal", self.refusal.into(), &context)));
        }
        parts.extend(calls.into_parts().map(|(part, call)| (part, message::call(call, ends_open, &context))));
        parts.sort_by_key(|(part, _)| *part);
        let mut events: Vec<Event> = parts.into_iter().map(|(_, event)| event).collect();
        pieces::attach(&mut events, bare);
        let stop_reason = decode::or_refused(stop_reason, &events);
        Decoded { events, raw_stop_reason, stop_reason, usage, failure: None }
    }
}

impl Stream {
    /// Takes more reasoning, text or arguments. Returns `false`, without taking any, if the call has not begun.
    fn say(&mut self, saying: &Saying<'_>, on_event: &mut OnEvent<'_>) -> Result<bool, DecodeError> {
        let call = match &saying.arguments {
            Some((index, Text(more))) => match self.calls.of_index(*index) {
                Some(at) => Some((at, more)),
                None => return Ok(false),
            },
            None => None,
        };
        if let Some(Text(words)) = &saying.reasoning_content {
            self.think(Some(words), None, None, on_event)?;
        }
        if let Some(Text(text)) = &saying.content {
            self.text(text, on_event)?;
        }
        if let Some((at, more)) = call {
            self.add_arguments(at, more, on_event);
        }
        Ok(true)
    }

    /// Handles a frame that is not a chunk, either an error in the form of a body or an unknown event.
    fn without_choices(&self, frame: Frame<'_>, on_event: &mut OnEvent<'_>) -> Result<Taken, DecodeError> {
        let body: Value = serde_json::from_slice(frame.data).map_err(not_json)?;
        if let Some(error) = error::of_body(&body) {
            return Err(error);
        }
        if frame.kind == "error" {
            return Err(error::provider_error(&body));
        }
        on_event(StreamEvent::Unknown { kind: frame.kind });
        Ok(Taken::More)
    }

    fn choice(&mut self, choice: Choice<'_>, on_event: &mut OnEvent<'_>) -> Result<(), DecodeError> {
        if let Some(failed) = choice.error {
            return Err(error::provider_error(&value(failed)?));
        }
        if let Some(usage) = choice.usage {
            decode::add_usage(&mut self.usage, &value(usage)?);
        }
        if let Some(delta) = choice.delta {
            self.delta(delta, on_event)?;
        }
        // Some hosts send "" until they finish.
        if !choice.finish_reason.as_str().is_empty() {
            self.raw_stop_reason = Some(choice.finish_reason.as_str().to_owned());
        }
        Ok(())
    }

    fn delta(&mut self, delta: Delta<'_>, on_event: &mut OnEvent<'_>) -> Result<(), DecodeError> {
        let (content, plain) = (delta.reasoning_content.0.as_deref(), delta.reasoning.0.as_deref());
        self.think(content, plain, delta.reasoning_details, on_event)?;
        match delta.content {
            Some(Mixed::Text(Text(text))) => self.text(&text, on_event)?,
            Some(Mixed::Json(Value::Array(chunks))) => {
                for chunk in chunks {
                    let (kind, text) = content::kind_of(chunk);
                    self.content(kind, &text, on_event)?;
                }
            }
            Some(Mixed::Json(_)) => {
                return Err(decode::unexpected("/choices/0/delta/content", "a string or a list"));
            }
            None => {}
        }
        let refusal = delta.refusal.as_str();
        if !refusal.is_empty() {
            if self.refusal_part.is_none() {
                on_event(StreamEvent::Unknown { kind: "refusal" });
            }
            begin(&mut self.refusal_part, &mut self.parts)?;
            self.refusal.push_str(refusal);
        }
        for call in delta.tool_calls.unwrap_or_default() {
            self.call(&call, on_event)?;
        }
        if let Some(function) = delta.function_call {
            let delta = CallDelta { function: Some(function), ..CallDelta::default() };
            let at = match self.calls.single {
                Some(at) => at,
                None => self.calls.begin(&delta, next(&mut self.parts)?),
            };
            self.calls.single = Some(at);
            self.calls.get_mut(at).take(&delta).map_err(not_json)?;
            self.add_arguments(at, &delta.arguments(), on_event);
        }
        Ok(())
    }

    fn think(
        &mut self,
        content: Option<&str>,
        plain: Option<&str>,
        details: Option<&RawValue>,
        on_event: &mut OnEvent<'_>,
    ) -> Result<(), DecodeError> {
        if let Some(words) = self.reasoning.take(content, plain, details).map_err(not_json)? {
            let part = begin(&mut self.reasoning_part, &mut self.parts)?;
            if !words.is_empty() {
                on_event(StreamEvent::Thinking { part, delta: &words });
            }
        }
        Ok(())
    }

    fn text(&mut self, text: &str, on_event: &mut OnEvent<'_>) -> Result<(), DecodeError> {
        if text.is_empty() {
            self.bare_content = Some("".into());
            return Ok(());
        }
        self.content(Kind::Text, text, on_event)
    }

    fn content(&mut self, kind: Kind, text: &str, on_event: &mut OnEvent<'_>) -> Result<(), DecodeError> {
        let is_thinking = matches!(kind, Kind::Thinking(_));
        if let Kind::Other(chunk) = &kind {
            let kind = chunk.get("type").and_then(Value::as_str).unwrap_or_default();
            on_event(StreamEvent::Unknown { kind });
        }
        if !self.contents.last_mut().is_some_and(|last| last.goes_on(&kind)) {
            self.contents.push(Content::new(kind, next(&mut self.parts)?));
        }
        let Some(last) = self.contents.last_mut().filter(|_| !text.is_empty()) else { return Ok(()) };
        last.push(text);
        let part = last.part;
        on_event(if is_thinking {
            StreamEvent::Thinking { part, delta: text }
        } else {
            StreamEvent::Text { part, delta: text }
        });
        Ok(())
    }

    fn call(&mut self, delta: &CallDelta<'_>, on_event: &mut OnEvent<'_>) -> Result<(), DecodeError> {
        let at = match self.calls.find(delta) {
            Some(at) => at,
            None => self.calls.begin(delta, next(&mut self.parts)?),
        };
        self.calls.get_mut(at).take(delta).map_err(not_json)?;
        self.add_arguments(at, &delta.arguments(), on_event);
        Ok(())
    }

    fn add_arguments(&mut self, at: usize, arguments: &str, on_event: &mut OnEvent<'_>) {
        let call = self.calls.get_mut(at);
        call.arguments.push_str(arguments);
        let part = call.part;
        if !call.is_told && !call.name.is_empty() {
            call.is_told = true;
            on_event(StreamEvent::Call {
                part,
                id: call.id(),
                name: self.context.renames.original(&call.name),
            });
            if !call.arguments.is_empty() {
                on_event(StreamEvent::Arguments { part, delta: &call.arguments });
            }
        } else if call.is_told && !arguments.is_empty() {
            on_event(StreamEvent::Arguments { part, delta: arguments });
        }
    }
}

/// Returns the number of a field's part, which begins with its first text.
fn begin(part: &mut Option<usize>, parts: &mut usize) -> Result<usize, DecodeError> {
    match part {
        Some(part) => Ok(*part),
        None => Ok(*part.insert(next(parts)?)),
    }
}

fn next(parts: &mut usize) -> Result<usize, DecodeError> {
    if *parts == MAX_PARTS {
        return Err(DecodeError::TooLarge { place: String::new(), limit: MAX_PARTS, unit: "parts" });
    }
    *parts += 1;
    Ok(*parts - 1)
}

fn value(raw: &RawValue) -> Result<Value, DecodeError> {
    serde_json::from_str(raw.get()).map_err(not_json)
}

#[expect(clippy::needless_pass_by_value, reason = "it is what map_err hands over")]
fn not_json(error: serde_json::Error) -> DecodeError {
    DecodeError::not_json(String::new(), &error)
}
