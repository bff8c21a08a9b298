//! Decodes a streamed answer.
//!
//! Blocks are built from their deltas in the form of a complete answer, and then decoded like one.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::{Error as _, MapAccess};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::decode::{self, Ending};
use crate::context::AnswerContext;
use crate::decoded::{DecodeError, Decoded, MAX_PARTS, StopReason};
use crate::fields::{self, Fields, Object};
use crate::frames::Frame;
use crate::json::{self, owned, read, unexpected};
use crate::pieces::grown;
use crate::stream_event::{Codec, OnEvent, StreamEvent, Taken};
use crate::text::{AnyText, Text};
use crate::usage::Usage;

#[derive(Debug)]
pub(crate) struct Stream {
    context: AnswerContext,
    blocks: Vec<Block>,
    /// Blocks whose end has not arrived, by the provider's index. After a block ends, a new one may have the same
    /// index.
    open: BTreeMap<u64, usize>,
    /// The id in `message_start`; empty if it has none.
    message_id: Option<String>,
    raw_stop_reason: Option<String>,
    usage: Usage,
}

/// A block, as received so far.
#[derive(Debug)]
struct Block {
    /// The fields in the block's start event.
    start: Map<String, Value>,
    /// Text or thinking since the start.
    text: String,
    /// The arguments as text, parsed at the end.
    input: String,
    /// Whether the block calls one of the host's tools. Tools of the provider's server stream their arguments in the
    /// same way.
    is_call: bool,
    ended: bool,
}

/// The most common event of a stream, which only adds text, arguments or thinking.
#[derive(Debug, Default)]
struct Saying<'a> {
    kind: Text<'a>,
    index: u64,
    said: Option<(Said, Text<'a>)>,
}

#[derive(Debug, Clone, Copy)]
enum Said {
    Text,
    Arguments,
    Thinking,
}

struct SaidDelta<'s, 'a>(&'s mut Saying<'a>);

impl<'de> Fields<'de> for Saying<'de> {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "type" => self.kind = map.next_value()?,
            "index" => self.index = map.next_value()?,
            "delta" => map.next_value_seed(Object(&mut SaidDelta(self)))?,
            _ => fields::skip(map)?,
        }
        Ok(())
    }
}

impl<'de> Fields<'de> for SaidDelta<'_, 'de> {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        let said = match key {
            "text" => Said::Text,
            "partial_json" => Said::Arguments,
            "thinking" => Said::Thinking,
            _ => return fields::skip(map),
        };
        match self.0.said {
            None => self.0.said = Some((said, map.next_value()?)),
            Some(_) => return Err(A::Error::custom("more than one text")),
        }
        Ok(())
    }
}

/// Any event. Unknown fields are skipped and not kept.
#[derive(Debug, Deserialize)]
struct Chunk<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Text<'a>,
    #[serde(default, deserialize_with = "json::index")]
    index: u64,
    #[serde(borrow, default)]
    message: Option<Message<'a>>,
    #[serde(borrow, default)]
    content_block: Option<&'a RawValue>,
    #[serde(borrow, default)]
    delta: Option<Delta<'a>>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    id: AnyText<'a>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
struct Delta<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Text<'a>,
    #[serde(borrow, default)]
    text: Option<Text<'a>>,
    #[serde(borrow, default)]
    thinking: Option<Text<'a>>,
    #[serde(borrow, default)]
    partial_json: Option<Text<'a>>,
    #[serde(borrow, default)]
    signature: Option<Text<'a>>,
    #[serde(borrow, default)]
    citation: Option<&'a RawValue>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    encrypted_content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    stop_reason: Option<Text<'a>>,
}

impl Codec for Stream {
    fn new(context: AnswerContext) -> Self {
        Self {
            context,
            blocks: Vec::new(),
            open: BTreeMap::new(),
            message_id: None,
            raw_stop_reason: None,
            usage: Usage::default(),
        }
    }

    fn frame(&mut self, frame: Frame<'_>, on_event: &mut OnEvent<'_>) -> Result<Taken, DecodeError> {
        let mut saying = Saying::default();
        if fields::read_fields(frame.data, &mut saying).is_ok()
            && let ("content_block_delta", Some((said, Text(words)))) = (saying.kind.as_str(), &saying.said)
        {
            self.say(saying.index, *said, words, on_event)?;
            return Ok(Taken::More);
        }
        let chunk: Chunk<'_> =
            read(frame.data).map_err(|error| DecodeError::not_json(String::new(), &error))?;
        match chunk.kind.as_str() {
            "content_block_delta" => self.delta(&chunk, on_event)?,
            "content_block_start" => self.start(&chunk, on_event)?,
            "content_block_stop" => {
                if let Some(at) = self.open.remove(&chunk.index) {
                    self.blocks[at].ended = true;
                }
            }
            "message_start" => {
                let message = chunk.message.unwrap_or_default();
                let id = message.id.as_str();
                // Proxies repeat the start of the same answer.
                if self.message_id.as_ref().is_some_and(|begun| id.is_empty() || begun != id) {
                    return Err(unexpected("/message/id", "the id of the answer that is open"));
                }
                self.message_id = Some(id.to_owned());
                if let Some(usage) = message.usage {
                    decode::add_usage(&mut self.usage, &owned(usage)?);
                }
            }
            "message_delta" => {
                if let Some(reason) = chunk.delta.and_then(|delta| delta.stop_reason) {
                    self.raw_stop_reason = Some(reason.0.into_owned());
                }
                if let Some(usage) = chunk.usage {
                    decode::add_usage(&mut self.usage, &owned(usage)?);
                }
            }
            "message_stop" => return Ok(Taken::Last),
            "ping" => {}
            "error" => {
                let error = chunk.error.map(owned).transpose()?;
                return Err(decode::provider_error(&error.unwrap_or_default()));
            }
            // Proxies send errors without a type.
            _ if chunk.error.is_some() => {
                let error = chunk.error.map(owned).transpose()?;
                return Err(decode::provider_error(&error.unwrap_or_default()));
            }
            kind => on_event(StreamEvent::Unknown { kind }),
        }
        Ok(Taken::More)
    }

    fn finish(self: Box<Self>) -> Decoded {
        let Self { context, blocks, raw_stop_reason, usage, .. } = *self;
        let stop_reason = decode::stop_reason(raw_stop_reason.as_deref());
        let events = blocks.into_iter().map(|block| {
            // A call without its stop event is complete if the answer ended to run it.
            let is_whole = block.ended
                || stop_reason == StopReason::ToolUse && block.is_call && json::is_object(&block.input);
            let ending = if is_whole { Ending::Whole } else { Ending::Partial };
            decode::event(block.into_value(), ending, &context)
        });
        Decoded { events: events.collect(), raw_stop_reason, stop_reason, usage, failure: None }
    }
}

impl Stream {
    fn start(&mut self, chunk: &Chunk<'_>, on_event: &mut OnEvent<'_>) -> Result<(), DecodeError> {
        let Some(Value::Object(start)) = chunk.content_block.map(owned).transpose()? else {
            return Err(unexpected("/content_block", "an object"));
        };
        let part = match self.open.get(&chunk.index) {
            // The same start can arrive twice, before any delta.
            Some(&at) if self.blocks[at].is_bare() => at,
            Some(_) => return Err(unexpected("/index", "no second start of a block that is open")),
            None if self.blocks.len() == MAX_PARTS => {
                return Err(DecodeError::TooLarge { place: String::new(), limit: MAX_PARTS, unit: "blocks" });
            }
            None => {
                self.blocks.push(Block::of(Map::new()));
                self.blocks.len() - 1
            }
        };
        self.open.insert(chunk.index, part);
        let field = |name: &str| start.get(name).and_then(Value::as_str).unwrap_or_default();
        match field("type") {
            "text" if !field("text").is_empty() => on_event(StreamEvent::Text { part, delta: field("text") }),
            "thinking" if !field("thinking").is_empty() => {
                on_event(StreamEvent::Thinking { part, delta: field("thinking") });
            }
            "text" | "thinking" | "redacted_thinking" => {}
            "tool_use" => {
                let name = self.context.renames.original(field("name"));
                on_event(StreamEvent::Call { part, id: field("id"), name });
            }
            kind => on_event(StreamEvent::Unknown { kind }),
        }
        self.blocks[part] = Block::of(start);
        Ok(())
    }

    /// Takes more text, arguments or thinking.
    fn say(
        &mut self,
        index: u64,
        said: Said,
        delta: &str,
        on_event: &mut OnEvent<'_>,
    ) -> Result<(), DecodeError> {
        let part = self.open_part(index)?;
        let block = &mut self.blocks[part];
        match said {
            Said::Text => {
                block.text.push_str(delta);
                on_event(StreamEvent::Text { part, delta });
            }
            Said::Arguments => {
                block.input.push_str(delta);
                if block.is_call {
                    on_event(StreamEvent::Arguments { part, delta });
                }
            }
            Said::Thinking => {
                block.text.push_str(delta);
                on_event(StreamEvent::Thinking { part, delta });
            }
        }
        Ok(())
    }

    fn open_part(&self, index: u64) -> Result<usize, DecodeError> {
        let open = self.open.get(&index).copied();
        open.ok_or_else(|| unexpected("/index", "the index of a block that is open"))
    }

    fn delta(&mut self, chunk: &Chunk<'_>, on_event: &mut OnEvent<'_>) -> Result<(), DecodeError> {
        let Some(delta) = &chunk.delta else { return Err(unexpected("/delta", "an object")) };
        let said = [
            (Said::Text, &delta.text),
            (Said::Arguments, &delta.partial_json),
            (Said::Thinking, &delta.thinking),
        ];
        if let Some((said, Text(words))) =
            said.into_iter().find_map(|(said, text)| Some((said, text.as_ref()?)))
        {
            return self.say(chunk.index, said, words, on_event);
        }
        let part = self.open_part(chunk.index)?;
        let block = &mut self.blocks[part];
        if let Some(Text(signature)) = &delta.signature {
            block.start.insert("signature".to_owned(), signature.as_ref().into());
        } else if let Some(citation) = delta.citation {
            let citations = block.start.entry("citations").or_insert(Value::Null);
            match citations {
                Value::Array(citations) => citations.push(owned(citation)?),
                other => *other = Value::Array(vec![owned(citation)?]),
            }
        } else if delta.content.is_some() || delta.encrypted_content.is_some() {
            // A summary of the earlier conversation, which arrives complete.
            for (name, given) in [("content", delta.content), ("encrypted_content", delta.encrypted_content)]
            {
                if let Some(given) = given {
                    block.start.insert(name.to_owned(), owned(given)?);
                }
            }
        } else {
            on_event(StreamEvent::Unknown { kind: delta.kind.as_str() });
        }
        Ok(())
    }
}

impl Block {
    fn of(start: Map<String, Value>) -> Self {
        let is_call = start.get("type").is_some_and(|kind| kind == "tool_use");
        Self { start, text: String::new(), input: String::new(), is_call, ended: false }
    }

    fn is_bare(&self) -> bool {
        self.text.is_empty() && self.input.is_empty() && !self.start.contains_key("signature")
    }

    /// Returns the block in the form of a complete answer. Arguments that are not JSON stay text.
    fn into_value(self) -> Value {
        let Self { mut start, text, input, .. } = self;
        let (text, input) = (grown(text), grown(input));
        let field =
            if start.get("type").is_some_and(|kind| kind == "thinking") { "thinking" } else { "text" };
        if !text.is_empty() {
            match start.get_mut(field) {
                Some(Value::String(begun)) if !begun.is_empty() => begun.push_str(&text),
                _ => drop(start.insert(field.to_owned(), text.into())),
            }
        }
        if !input.is_empty() {
            let input = serde_json::from_str(&input).unwrap_or(Value::String(input));
            start.insert("input".to_owned(), input);
        }
        Value::Object(start)
    }
}
