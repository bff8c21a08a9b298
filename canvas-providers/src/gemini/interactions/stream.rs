//! Decodes a streamed answer. Steps are built from their deltas in the form of a complete answer, and then decoded like
//! one.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::{Error as _, MapAccess};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::decode::{self, Ending};
use crate::context::AnswerContext;
use crate::decoded::{DecodeError, Decoded, MAX_PARTS, StopReason};
use crate::fields::{self, Fields, Object};
use crate::frames::Frame;
use crate::gemini::error::provider_error;
use crate::json::{self, owned, read, text, unexpected};
use crate::pieces::{self, grown};
use crate::stream_event::{Codec, OnEvent, StreamEvent, Taken};
use crate::text::Text;
use crate::usage::Usage;

#[derive(Debug)]
pub(crate) struct Stream {
    context: AnswerContext,
    steps: Vec<Step>,
    /// Steps whose end has not arrived, by the provider's index; `None` for a step of the host.
    open: BTreeMap<u64, Option<usize>>,
    status: Option<String>,
    usage: Usage,
}

/// A step, as received so far.
#[derive(Debug)]
struct Step {
    fields: Map<String, Value>,
    /// Text that belongs to the last item of the content or summary, but is not yet added to it.
    text: String,
    /// The arguments as text, parsed at the end.
    arguments: String,
    ended: bool,
}

/// The most common event of a stream, which only adds text, arguments or thoughts.
#[derive(Debug, Default)]
struct Saying<'a> {
    kind: Text<'a>,
    index: u64,
    delta_kind: Text<'a>,
    content_kind: Text<'a>,
    said: Option<(Said, Text<'a>)>,
}

/// The field of the delta that holds the text.
#[derive(Debug, Clone, Copy)]
enum Said {
    Text,
    Arguments,
    Content,
}

struct SaidDelta<'s, 'a>(&'s mut Saying<'a>);

struct SaidContent<'s, 'a>(&'s mut Saying<'a>);

impl<'a> Saying<'a> {
    fn take<A: MapAccess<'a>>(&mut self, said: Said, map: &mut A) -> Result<(), A::Error> {
        match self.said {
            None => self.said = Some((said, map.next_value()?)),
            Some(_) => return Err(A::Error::custom("more than one text")),
        }
        Ok(())
    }
}

impl<'de> Fields<'de> for Saying<'de> {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "event_type" => self.kind = map.next_value()?,
            "index" => self.index = map.next_value()?,
            "delta" => map.next_value_seed(Object(&mut SaidDelta(self)))?,
            _ => fields::skip(map)?,
        }
        Ok(())
    }
}

impl<'de> Fields<'de> for SaidDelta<'_, 'de> {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "type" => self.0.delta_kind = map.next_value()?,
            "text" => self.0.take(Said::Text, map)?,
            "arguments" => self.0.take(Said::Arguments, map)?,
            "content" => map.next_value_seed(Object(&mut SaidContent(self.0)))?,
            _ => fields::skip(map)?,
        }
        Ok(())
    }
}

impl<'de> Fields<'de> for SaidContent<'_, 'de> {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "type" => self.0.content_kind = map.next_value()?,
            "text" => self.0.take(Said::Content, map)?,
            _ => fields::skip(map)?,
        }
        Ok(())
    }
}

/// Any event. Unknown fields are skipped and not kept.
#[derive(Debug, Deserialize)]
struct Chunk<'a> {
    #[serde(borrow, default)]
    event_type: Text<'a>,
    #[serde(default, deserialize_with = "json::index")]
    index: u64,
    #[serde(borrow, default)]
    step: Option<&'a RawValue>,
    #[serde(borrow, default)]
    delta: Option<Delta<'a>>,
    #[serde(borrow, default)]
    interaction: Option<&'a RawValue>,
    #[serde(borrow, default)]
    status: Option<Text<'a>>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
struct Delta<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Text<'a>,
    #[serde(borrow, default)]
    text: Option<Text<'a>>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    signature: Option<Text<'a>>,
}

/// A delta of another kind, read again to be kept.
#[derive(Debug, Deserialize)]
struct OtherDelta<'a> {
    #[serde(borrow)]
    delta: &'a RawValue,
}

impl Codec for Stream {
    fn new(context: AnswerContext) -> Self {
        Self { context, steps: Vec::new(), open: BTreeMap::new(), status: None, usage: Usage::default() }
    }

    fn frame(&mut self, frame: Frame<'_>, on_event: &mut OnEvent<'_>) -> Result<Taken, DecodeError> {
        if frame.data == b"[DONE]" {
            return Ok(Taken::Last);
        }
        let mut saying = Saying::default();
        if fields::read_fields(frame.data, &mut saying).is_ok() && self.say(&saying, on_event) {
            return Ok(Taken::More);
        }
        let chunk: Chunk<'_> =
            read(frame.data).map_err(|error| DecodeError::not_json(String::new(), &error))?;
        match chunk.event_type.as_str() {
            "step.delta" => self.delta(&chunk, frame.data, on_event)?,
            "step.start" => self.start(&chunk, on_event)?,
            "step.stop" => {
                if let Some(Some(at)) = self.open.remove(&chunk.index) {
                    self.steps[at].ended = true;
                }
            }
            "interaction.created" => {}
            "interaction.status_update" => {
                self.take_status(chunk.status.as_ref().map(Text::as_str).unwrap_or_default());
                if let Some(usage) = chunk.usage {
                    self.usage = decode::usage(&owned(usage)?);
                }
            }
            "interaction.completed" => {
                let interaction = chunk.interaction.map(owned).transpose()?.unwrap_or_default();
                let status = text(&interaction, "status");
                if status == "failed" {
                    return Err(decode::failed(&interaction, status));
                }
                self.take_status(if decode::is_last(status) { status } else { "completed" });
                if let Some(usage) = interaction.get("usage") {
                    self.usage = decode::usage(usage);
                }
                return Ok(Taken::Last);
            }
            _ if chunk.error.is_some() => {
                let error = chunk.error.map(owned).transpose()?;
                return Err(provider_error(&error.unwrap_or_default()));
            }
            "error" => return Err(provider_error(&Value::Null)),
            kind => on_event(StreamEvent::Unknown { kind }),
        }
        Ok(Taken::More)
    }

    fn finish(self: Box<Self>) -> Decoded {
        let Self { context, steps, status, usage, .. } = *self;
        let waits_for_calls = matches!(status.as_deref(), Some("requires_action" | "completed"));
        let is_length = decode::stop_reason(status.as_deref(), &[]) == StopReason::Length;
        let events = steps.into_iter().map(|step| {
            // A call that was cut off may be empty. A call without its stop event is complete if the answer ended to
            // run it.
            let is_whole = step.ended || waits_for_calls && json::is_object(&step.arguments);
            let is_cut = !is_whole || is_length && step.arguments.is_empty();
            let ending = if is_cut { Ending::Partial } else { Ending::Whole };
            decode::event(step.into_value(), ending, &context)
        });
        let events = events.collect::<Vec<_>>();
        let stop_reason = decode::stop_reason(status.as_deref(), &events);
        Decoded { events, raw_stop_reason: status, stop_reason, usage, failure: None }
    }
}

impl Stream {
    /// Takes more text, arguments or readable thoughts of an open step. Returns `false` for any other event.
    fn say(&mut self, saying: &Saying<'_>, on_event: &mut OnEvent<'_>) -> bool {
        let ("step.delta", Some((said, Text(delta)))) = (saying.kind.as_str(), &saying.said) else {
            return false;
        };
        let Some(&Some(part)) = self.open.get(&saying.index) else { return false };
        let step = &mut self.steps[part];
        match (saying.delta_kind.as_str(), said) {
            ("text", Said::Text) => step.add_text(part, delta, on_event),
            ("arguments_delta", Said::Arguments) => step.add_arguments(part, delta, on_event),
            ("thought_summary", Said::Content) if saying.content_kind.as_str() == "text" => {
                step.add_thought(part, delta, on_event);
            }
            _ => return false,
        }
        true
    }

    fn take_status(&mut self, status: &str) {
        if decode::is_last(status) {
            self.status = Some(status.to_owned());
        }
    }

    fn start(&mut self, chunk: &Chunk<'_>, on_event: &mut OnEvent<'_>) -> Result<(), DecodeError> {
        let Some(Value::Object(fields)) = chunk.step.map(owned).transpose()? else {
            return Err(unexpected("/step", "an object"));
        };
        if matches!(self.open.get(&chunk.index), Some(Some(at)) if !self.steps[*at].is_bare()) {
            return Err(unexpected("/index", "no second start of a step that is open"));
        }
        let field = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
        if decode::is_of_host(field("type")) {
            self.open.insert(chunk.index, None);
            return Ok(());
        }
        let part = match self.open.get(&chunk.index) {
            Some(Some(at)) => *at,
            _ => self.steps.len(),
        };
        if part == MAX_PARTS {
            return Err(DecodeError::TooLarge { place: String::new(), limit: MAX_PARTS, unit: "steps" });
        }
        match field("type") {
            "model_output" => {
                for delta in texts(&fields, "content") {
                    on_event(StreamEvent::Text { part, delta });
                }
            }
            "thought" => {
                for delta in texts(&fields, "summary") {
                    on_event(StreamEvent::Thinking { part, delta });
                }
            }
            "function_call" => {
                let name = self.context.renames.original(field("name"));
                on_event(StreamEvent::Call { part, id: field("id"), name });
            }
            kind => on_event(StreamEvent::Unknown { kind }),
        }
        let step = Step { fields, text: String::new(), arguments: String::new(), ended: false };
        match self.steps.get_mut(part) {
            Some(same) => *same = step,
            None => self.steps.push(step),
        }
        self.open.insert(chunk.index, Some(part));
        Ok(())
    }

    fn delta(
        &mut self,
        chunk: &Chunk<'_>,
        data: &[u8],
        on_event: &mut OnEvent<'_>,
    ) -> Result<(), DecodeError> {
        let Some(delta) = &chunk.delta else { return Err(unexpected("/delta", "an object")) };
        let part = match self.open.get(&chunk.index) {
            Some(Some(at)) => *at,
            Some(None) => return Ok(()),
            None => return Err(unexpected("/index", "the index of a step that is open")),
        };
        let step = &mut self.steps[part];
        match (delta.kind.as_str(), delta) {
            ("text", Delta { text: Some(Text(delta)), .. }) => {
                step.add_text(part, delta, on_event);
            }
            ("arguments_delta", Delta { arguments, .. }) => {
                let Some(arguments) = arguments else { return Ok(()) };
                let Ok(Text(delta)) = serde_json::from_str(arguments.get()) else {
                    return Err(unexpected("/delta/arguments", "a string"));
                };
                step.add_arguments(part, &delta, on_event);
            }
            ("thought_summary", Delta { content: Some(content), .. }) => {
                let content = owned(content)?;
                if text(&content, "type") == "text" {
                    step.add_thought(part, text(&content, "text"), on_event);
                } else {
                    step.push("summary", content);
                }
            }
            ("thought_signature", Delta { signature: Some(Text(signature)), .. }) => {
                step.fields.insert("signature".to_owned(), signature.as_ref().into());
            }
            (kind, _) => {
                let other: OtherDelta<'_> =
                    read(data).map_err(|error| DecodeError::not_json(String::new(), &error))?;
                let Value::Object(other) = owned(other.delta)? else {
                    return Err(unexpected("/delta", "an object"));
                };
                step.keep(kind, other);
                on_event(StreamEvent::Unknown { kind });
            }
        }
        Ok(())
    }
}

/// Returns the texts of a content list.
fn texts<'a>(fields: &'a Map<String, Value>, key: &str) -> impl Iterator<Item = &'a str> {
    let items = fields.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    items.iter().map(|item| text(item, "text")).filter(|text| !text.is_empty())
}

impl Step {
    fn is(&self, kind: &str) -> bool {
        self.fields.get("type").is_some_and(|is| is == kind)
    }

    fn add_text(&mut self, part: usize, delta: &str, on_event: &mut OnEvent<'_>) {
        self.text.push_str(delta);
        on_event(StreamEvent::Text { part, delta });
    }

    fn add_thought(&mut self, part: usize, delta: &str, on_event: &mut OnEvent<'_>) {
        self.text.push_str(delta);
        on_event(StreamEvent::Thinking { part, delta });
    }

    fn add_arguments(&mut self, part: usize, delta: &str, on_event: &mut OnEvent<'_>) {
        self.arguments.push_str(delta);
        if self.is("function_call") {
            on_event(StreamEvent::Arguments { part, delta });
        }
    }

    fn is_bare(&self) -> bool {
        self.text.is_empty() && self.arguments.is_empty() && !self.fields.contains_key("signature")
    }

    /// Returns the name of the list that holds the step's texts.
    fn list(&self) -> &'static str {
        if self.is("thought") { "summary" } else { "content" }
    }

    fn push(&mut self, list: &str, item: Value) {
        self.flush();
        match self.fields.entry(list).or_insert_with(|| json!([])) {
            Value::Array(items) => items.push(item),
            other => *other = Value::Array(vec![item]),
        }
    }

    /// Moves the text so far into its list, either into the last item if that is text, or as a new item.
    fn flush(&mut self) {
        let more = std::mem::take(&mut self.text);
        if more.is_empty() {
            return;
        }
        let list = self.list();
        let last = self.fields.get_mut(list).and_then(Value::as_array_mut).and_then(|items| items.last_mut());
        match last.filter(|last| text(last, "type") == "text").and_then(|last| last.get_mut("text")) {
            Some(Value::String(begun)) => begun.push_str(&more),
            _ => {
                let mut item = pieces::of("text", grown(more));
                item.insert("type".to_owned(), "text".into());
                self.push(list, Value::Object(item));
            }
        }
    }

    /// Keeps a delta of media, of annotations, or of an unknown kind.
    fn keep(&mut self, kind: &str, mut delta: Map<String, Value>) {
        match kind {
            "image" | "audio" | "video" | "document" => self.push("content", Value::Object(delta)),
            "text_annotation_delta" => {
                self.flush();
                let added = delta.remove("annotations").unwrap_or_else(|| json!([]));
                let items = self.fields.get_mut("content").and_then(Value::as_array_mut);
                if let Some(Value::Object(last)) = items.and_then(|items| items.last_mut())
                    && let Value::Array(mut added) = added
                {
                    match last.entry("annotations").or_insert_with(|| json!([])) {
                        Value::Array(begun) => begun.append(&mut added),
                        other => *other = Value::Array(added),
                    }
                }
            }
            _ => {
                delta.remove("type");
                self.fields.extend(delta);
            }
        }
    }

    /// Returns the step in the form of a complete answer. Arguments that are not JSON stay text.
    fn into_value(mut self) -> Value {
        self.flush();
        if !self.arguments.is_empty() {
            let arguments = grown(std::mem::take(&mut self.arguments));
            let arguments = serde_json::from_str(&arguments).unwrap_or(Value::String(arguments));
            self.fields.insert("arguments".to_owned(), arguments);
        }
        Value::Object(self.fields)
    }
}
