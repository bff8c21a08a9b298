//! Decodes a streamed answer. Each line is an answer with the new part of the message.

use serde::Deserialize;
use serde::de::MapAccess;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::decode;
use crate::context::AnswerContext;
use crate::decoded::{DecodeError, Decoded, MAX_PARTS, StopReason};
use crate::fields::{self, Fields, Object};
use crate::frames::Frame;
use crate::json::read;
use crate::pieces::{self, text};
use crate::stream_event::{Codec, OnEvent, StreamEvent, Taken};
use crate::text::Text;
use crate::usage::Usage;

#[derive(Debug)]
pub(crate) struct Stream {
    context: AnswerContext,
    thinking: String,
    content: String,
    calls: Vec<Map<String, Value>>,
    is_done: bool,
    raw_stop_reason: Option<String>,
    usage: Usage,
}

/// The most common line of a stream, which only adds text.
#[derive(Debug, Default)]
struct Saying<'a> {
    content: Option<Text<'a>>,
    thinking: Option<Text<'a>>,
    /// Whether the answer continues after this line.
    goes_on: bool,
    has_more: bool,
}

struct InMessage<'s, 'a>(&'s mut Saying<'a>);

impl<'de> Fields<'de> for Saying<'de> {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "message" => map.next_value_seed(Object(&mut InMessage(self)))?,
            "done" => self.goes_on = map.next_value::<Option<bool>>()? == Some(false),
            "done_reason" | "prompt_eval_count" | "eval_count" | "error" => {
                self.has_more |= fields::is_there(map)?;
            }
            _ => fields::skip(map)?,
        }
        Ok(())
    }
}

impl<'de> Fields<'de> for InMessage<'_, 'de> {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "content" => self.0.content = map.next_value()?,
            "thinking" => self.0.thinking = map.next_value()?,
            "tool_calls" => self.0.has_more |= fields::is_there(map)?,
            _ => fields::skip(map)?,
        }
        Ok(())
    }
}

/// Any line. Unknown fields are skipped and not kept.
#[derive(Debug, Deserialize)]
struct Chunk<'a> {
    #[serde(borrow, default)]
    message: Option<Message<'a>>,
    #[serde(default)]
    done: Option<bool>,
    #[serde(borrow, default)]
    done_reason: Option<Text<'a>>,
    #[serde(default)]
    prompt_eval_count: Option<u64>,
    #[serde(default)]
    eval_count: Option<u64>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    content: Option<Text<'a>>,
    #[serde(borrow, default)]
    thinking: Option<Text<'a>>,
    #[serde(borrow, default)]
    tool_calls: Option<Vec<&'a RawValue>>,
}

/// Numbers of the parts, in the order of the events. Calls follow these two.
const THINKING: usize = 0;
const CONTENT: usize = 1;
const FIRST_CALL: usize = 2;

impl Codec for Stream {
    fn new(context: AnswerContext) -> Self {
        Self {
            context,
            thinking: String::new(),
            content: String::new(),
            calls: Vec::new(),
            is_done: false,
            raw_stop_reason: None,
            usage: Usage::default(),
        }
    }

    fn frame(&mut self, frame: Frame<'_>, on_event: &mut OnEvent<'_>) -> Result<Taken, DecodeError> {
        let mut saying = Saying::default();
        let is_read = fields::read_fields(frame.data, &mut saying).is_ok();
        if is_read && saying.goes_on && !saying.has_more {
            self.say(saying.thinking, saying.content, on_event);
            return Ok(Taken::More);
        }
        let chunk: Chunk<'_> = read(frame.data).map_err(not_json)?;
        if let Some(failed) = chunk.error {
            return Err(decode::provider_error(&value(failed)?));
        }
        match chunk.message {
            Some(message) => self.message(message, on_event)?,
            None if chunk.done.is_none() => on_event(StreamEvent::Unknown { kind: "" }),
            None => {}
        }
        if let Some(Text(raw)) = chunk.done_reason.filter(|raw| !raw.as_str().is_empty()) {
            self.raw_stop_reason = Some(raw.into_owned());
        }
        decode::add_usage(&mut self.usage, chunk.prompt_eval_count, chunk.eval_count);
        self.is_done = chunk.done == Some(true);
        Ok(if self.is_done { Taken::Last } else { Taken::More })
    }

    fn finish(self: Box<Self>) -> Decoded {
        let Self { context, thinking, content, calls, is_done, raw_stop_reason, usage } = *self;
        let stop_reason = decode::stop_reason(raw_stop_reason.as_deref());
        let is_cut = stop_reason == StopReason::Length || !is_done;
        let events = decode::events(pieces::grown(thinking), pieces::grown(content), calls, is_cut, &context);
        Decoded { events, raw_stop_reason, stop_reason, usage, failure: None }
    }
}

impl Stream {
    fn say(&mut self, thinking: Option<Text<'_>>, content: Option<Text<'_>>, on_event: &mut OnEvent<'_>) {
        if let Some(Text(delta)) = thinking.filter(|delta| !delta.as_str().is_empty()) {
            self.thinking.push_str(&delta);
            on_event(StreamEvent::Thinking { part: THINKING, delta: &delta });
        }
        if let Some(Text(delta)) = content.filter(|delta| !delta.as_str().is_empty()) {
            self.content.push_str(&delta);
            on_event(StreamEvent::Text { part: CONTENT, delta: &delta });
        }
    }

    fn message(&mut self, message: Message<'_>, on_event: &mut OnEvent<'_>) -> Result<(), DecodeError> {
        self.say(message.thinking, message.content, on_event);
        for raw in message.tool_calls.unwrap_or_default() {
            if self.calls.len() == MAX_PARTS {
                return Err(DecodeError::TooLarge { place: String::new(), limit: MAX_PARTS, unit: "calls" });
            }
            let part = FIRST_CALL + self.calls.len();
            let Value::Object(call) = value(raw)? else {
                return Err(decode::unexpected("/message/tool_calls", "a list of objects"));
            };
            let function = call.get("function").and_then(Value::as_object);
            let name = self.context.renames.original(function.map_or("", |function| text(function, "name")));
            on_event(StreamEvent::Call { part, id: text(&call, "id"), name });
            if let Some(arguments) = function.and_then(|function| function.get("arguments")) {
                on_event(StreamEvent::Arguments { part, delta: &arguments.to_string() });
            }
            self.calls.push(call);
        }
        Ok(())
    }
}

fn value(raw: &RawValue) -> Result<Value, DecodeError> {
    serde_json::from_str(raw.get()).map_err(not_json)
}

#[expect(clippy::needless_pass_by_value, reason = "it is what map_err hands over")]
fn not_json(error: serde_json::Error) -> DecodeError {
    DecodeError::not_json(String::new(), &error)
}
