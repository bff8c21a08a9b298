//! Decodes a streamed answer.
//!
//! Blocks are built from their deltas in the form of a complete answer, and then decoded like one. A text begins with
//! its first delta, without a start event.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::decode::{self, Ending};
use crate::context::AnswerContext;
use crate::decoded::{DecodeError, Decoded, MAX_PARTS, StopReason};
use crate::fields::{self, Fields, Object};
use crate::frames::Frame;
use crate::json::{self, owned, unexpected};
use crate::pieces;
use crate::stream_event::{Codec, OnEvent, StreamEvent, Taken};
use crate::text::Text;
use crate::usage::Usage;

#[derive(Debug)]
pub(crate) struct Stream {
    context: AnswerContext,
    blocks: Vec<Block>,
    /// The latest block at each of the provider's indexes.
    latest: BTreeMap<u64, usize>,
    raw_stop_reason: Option<String>,
    usage: Option<Usage>,
}

/// A block, as received so far.
#[derive(Debug)]
struct Block {
    kind: Kind,
    /// The fields of its start, and the deltas that are not text.
    fields: Map<String, Value>,
    /// Text, readable reasoning, or arguments.
    text: String,
    ended: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Thinking,
    Call,
    /// A call that the provider's server answers.
    ServerTool,
    /// A kind that is kept but not understood.
    Other,
}

/// One JSON line, with an event under the name of its kind.
#[derive(Debug)]
struct Line<'a> {
    kind: Text<'a>,
    event: &'a RawValue,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Start<'a> {
    #[serde(default, deserialize_with = "json::index")]
    content_block_index: u64,
    #[serde(borrow, default)]
    start: Option<&'a RawValue>,
}

/// The most common event of a stream, which only adds text, arguments or reasoning.
#[derive(Debug, Default)]
struct Saying<'a> {
    index: u64,
    said: Option<(Kind, Text<'a>)>,
}

struct SaidDelta<'s, 'a>(&'s mut Saying<'a>);

/// The object in a delta that holds the field of this name.
struct SaidIn<'s, 'a>(&'s mut Saying<'a>, &'static str, Kind);

impl<'a> Saying<'a> {
    fn take<A: MapAccess<'a>>(&mut self, said: Kind, map: &mut A) -> Result<(), A::Error> {
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
            "contentBlockIndex" => self.index = map.next_value()?,
            "delta" => map.next_value_seed(Object(&mut SaidDelta(self)))?,
            _ => fields::skip(map)?,
        }
        Ok(())
    }
}

impl<'de> Fields<'de> for SaidDelta<'_, 'de> {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "text" => self.0.take(Kind::Text, map)?,
            "toolUse" => map.next_value_seed(Object(&mut SaidIn(self.0, "input", Kind::Call)))?,
            "reasoningContent" => map.next_value_seed(Object(&mut SaidIn(self.0, "text", Kind::Thinking)))?,
            // This part has to be kept.
            _ => return Err(A::Error::custom("no text")),
        }
        Ok(())
    }
}

impl<'de> Fields<'de> for SaidIn<'_, 'de> {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        let Self(saying, name, kind) = self;
        match key {
            _ if key == *name => saying.take(*kind, map)?,
            "signature" | "redactedContent" => return Err(A::Error::custom("more than a text")),
            _ => fields::skip(map)?,
        }
        Ok(())
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Delta<'a> {
    #[serde(default, deserialize_with = "json::index")]
    content_block_index: u64,
    #[serde(borrow, default)]
    delta: Option<Piece<'a>>,
}

/// A delta of an unknown kind, read again to be kept.
#[derive(Debug, Deserialize)]
struct UnknownDelta<'a> {
    #[serde(borrow)]
    delta: &'a RawValue,
}

/// The content of a delta, which has one of these fields.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Piece<'a> {
    #[serde(borrow, default)]
    text: Option<Text<'a>>,
    #[serde(borrow, default)]
    tool_use: Option<Input<'a>>,
    #[serde(borrow, default)]
    reasoning_content: Option<Reasoning<'a>>,
}

#[derive(Debug, Deserialize)]
struct Input<'a> {
    #[serde(borrow, default)]
    input: Text<'a>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reasoning<'a> {
    #[serde(borrow, default)]
    text: Option<Text<'a>>,
    #[serde(borrow, default)]
    signature: Option<Text<'a>>,
    #[serde(borrow, default)]
    redacted_content: Option<Text<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stop {
    #[serde(default, deserialize_with = "json::index")]
    content_block_index: u64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct MessageStop<'a> {
    #[serde(borrow, default)]
    stop_reason: Option<Text<'a>>,
}

#[derive(Debug, Deserialize)]
struct Metadata<'a> {
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Exception {
    message: String,
}

impl Codec for Stream {
    fn new(context: AnswerContext) -> Self {
        Self { context, blocks: Vec::new(), latest: BTreeMap::new(), raw_stop_reason: None, usage: None }
    }

    fn frame(&mut self, frame: Frame<'_>, on_event: &mut OnEvent<'_>) -> Result<Taken, DecodeError> {
        if frame.is_error {
            // The message is in the payload, or in a header that is not read.
            let exception: Exception = serde_json::from_slice(frame.data).unwrap_or_default();
            return Err(decode::provider_error(frame.kind, exception.message));
        }
        if !frame.kind.is_empty() {
            return self.event(frame.kind, frame.data, on_event);
        }
        let line: Line<'_> = read(frame.data)?;
        self.event(line.kind.as_str(), line.event.get().as_bytes(), on_event)
    }

    fn finish(self: Box<Self>) -> Decoded {
        let Self { context, blocks, raw_stop_reason, usage, .. } = *self;
        let stop_reason = decode::stop_reason(raw_stop_reason.as_deref());
        let events = blocks.into_iter().map(|block| {
            // A call that was cut off may be empty. A call without its stop event is complete if the answer ended to
            // run it.
            let is_whole = block.ended || stop_reason == StopReason::ToolUse && json::is_object(&block.text);
            let is_cut = !is_whole || stop_reason.may_cut() && block.text.is_empty();
            let ending = if is_cut { Ending::Partial } else { Ending::Whole };
            decode::event(block.into_value(), ending, &context)
        });
        let usage = usage.unwrap_or_default();
        Decoded { events: events.collect(), raw_stop_reason, stop_reason, usage, failure: None }
    }
}

impl Stream {
    fn event(&mut self, kind: &str, data: &[u8], on_event: &mut OnEvent<'_>) -> Result<Taken, DecodeError> {
        match kind {
            "contentBlockDelta" => self.delta(data, on_event)?,
            "contentBlockStart" => self.start(&read(data)?, on_event)?,
            "contentBlockStop" => {
                let stop: Stop = read(data)?;
                if let Some(&at) = self.latest.get(&stop.content_block_index) {
                    self.blocks[at].ended = true;
                }
            }
            "messageStart" => {}
            "messageStop" => {
                let stop: MessageStop<'_> = read(data)?;
                self.raw_stop_reason =
                    Some(stop.stop_reason.map_or_else(String::new, |reason| reason.0.into_owned()));
            }
            "metadata" => {
                let metadata: Metadata<'_> = read(data)?;
                let counted = metadata.usage.map(owned).transpose()?.unwrap_or_default();
                self.usage = Some(decode::usage(&counted));
            }
            _ if kind.ends_with("Exception") => {
                return Err(decode::provider_error(kind, read::<Exception>(data)?.message));
            }
            _ => on_event(StreamEvent::Unknown { kind }),
        }
        // The usage comes after the stop, or before it from some hosts.
        Ok(if self.raw_stop_reason.is_some() && self.usage.is_some() { Taken::Last } else { Taken::More })
    }

    fn start(&mut self, event: &Start<'_>, on_event: &mut OnEvent<'_>) -> Result<(), DecodeError> {
        let fields = match event.start.map(owned).transpose()? {
            None => Map::new(),
            Some(Value::Object(fields)) => fields,
            Some(_) => return Err(unexpected("/start", "an object")),
        };
        // Proxies also send a start for a text, which its first delta begins.
        if fields.is_empty() || fields.get("text").is_some_and(|text| text == "") {
            if self.latest.get(&event.content_block_index).is_some_and(|&at| self.blocks[at].ended) {
                self.latest.remove(&event.content_block_index);
            }
            return Ok(());
        }
        let kind = match fields.get("toolUse") {
            Some(tool_use) if decode::is_server_tool(tool_use) => Kind::ServerTool,
            Some(_) => Kind::Call,
            None => Kind::Other,
        };
        let part = match self.latest.get(&event.content_block_index) {
            Some(&at) if !self.blocks[at].ended => {
                // The same start can arrive twice, before any delta.
                if !self.blocks[at].text.is_empty() {
                    return Err(unexpected("/contentBlockIndex", "no second start of a block that is open"));
                }
                self.blocks[at] = Block { fields, ..Block::of(kind) };
                at
            }
            _ => self.begin(event.content_block_index, Block { fields, ..Block::of(kind) })?,
        };
        let fields = &self.blocks[part].fields;
        if kind == Kind::Call {
            let field = |name: &str| fields["toolUse"].get(name).and_then(Value::as_str).unwrap_or_default();
            let name = self.context.renames.original(field("name"));
            on_event(StreamEvent::Call { part, id: field("toolUseId"), name });
        } else {
            on_event(StreamEvent::Unknown { kind: fields.keys().next().map_or("", String::as_str) });
        }
        Ok(())
    }

    /// Takes more text, readable reasoning or arguments of an open block. Returns `false` for any other event.
    fn say(&mut self, saying: &Saying<'_>, on_event: &mut OnEvent<'_>) -> bool {
        let Some((said, Text(delta))) = &saying.said else { return false };
        let Some(&part) = self.latest.get(&saying.index) else { return false };
        let block = &mut self.blocks[part];
        if block.ended || block.kind != *said {
            return false;
        }
        block.text.push_str(delta);
        on_event(match said {
            Kind::Thinking => StreamEvent::Thinking { part, delta },
            Kind::Call => StreamEvent::Arguments { part, delta },
            _ => StreamEvent::Text { part, delta },
        });
        true
    }

    fn delta(&mut self, data: &[u8], on_event: &mut OnEvent<'_>) -> Result<(), DecodeError> {
        let mut saying = Saying::default();
        if fields::read_fields(data, &mut saying).is_ok() && self.say(&saying, on_event) {
            return Ok(());
        }
        let event: Delta<'_> = read(data)?;
        let Some(piece) = &event.delta else { return Err(unexpected("/delta", "an object")) };
        let index = event.content_block_index;
        if let Some(Text(delta)) = &piece.text {
            let part = self.open(index, Kind::Text)?;
            self.blocks[part].text.push_str(delta);
            on_event(StreamEvent::Text { part, delta });
        } else if let Some(Input { input: Text(delta) }) = &piece.tool_use {
            let part = self.open(index, Kind::Call)?;
            self.blocks[part].text.push_str(delta);
            if self.blocks[part].kind == Kind::Call {
                on_event(StreamEvent::Arguments { part, delta });
            }
        } else if let Some(reasoning) = &piece.reasoning_content {
            let part = self.open(index, Kind::Thinking)?;
            let block = &mut self.blocks[part];
            if let Some(Text(delta)) = &reasoning.text {
                block.text.push_str(delta);
                on_event(StreamEvent::Thinking { part, delta });
            }
            for (name, sealed) in
                [("signature", &reasoning.signature), ("redactedContent", &reasoning.redacted_content)]
            {
                if let Some(Text(sealed)) = sealed {
                    block.fields.insert(name.to_owned(), sealed.as_ref().into());
                }
            }
        } else {
            let unknown: UnknownDelta<'_> = read(data)?;
            let Value::Object(delta) = owned(unknown.delta)? else {
                return Err(unexpected("/delta", "an object"));
            };
            let part = match self.latest.get(&index) {
                Some(&at) if !self.blocks[at].ended => at,
                _ => self.begin(index, Block::of(Kind::Other))?,
            };
            if let Some(kind) = self.blocks[part].keep(delta) {
                on_event(StreamEvent::Unknown { kind: &kind });
            }
        }
        Ok(())
    }

    /// Returns the open block of this index, which must be of this kind, or begins one.
    fn open(&mut self, index: u64, kind: Kind) -> Result<usize, DecodeError> {
        let Some(&at) = self.latest.get(&index) else {
            return self.begin(index, Block::of(kind));
        };
        let block = &self.blocks[at];
        let fits = block.kind == kind || block.kind == Kind::ServerTool && kind == Kind::Call;
        if block.ended || !fits {
            return Err(unexpected("/contentBlockIndex", "the index of an open block of the delta's kind"));
        }
        Ok(at)
    }

    fn begin(&mut self, index: u64, block: Block) -> Result<usize, DecodeError> {
        if self.blocks.len() == MAX_PARTS {
            return Err(DecodeError::TooLarge { place: String::new(), limit: MAX_PARTS, unit: "blocks" });
        }
        self.blocks.push(block);
        self.latest.insert(index, self.blocks.len() - 1);
        Ok(self.blocks.len() - 1)
    }
}

impl Block {
    fn of(kind: Kind) -> Self {
        Self { kind, fields: Map::new(), text: String::new(), ended: false }
    }

    /// Keeps a delta of another kind, and returns its name.
    fn keep(&mut self, delta: Map<String, Value>) -> Option<String> {
        let (name, value) = delta.into_iter().next()?;
        match (self.fields.get_mut(&name), value) {
            // Pieces of a result are added to the block that its start began.
            (Some(Value::Object(begun)), Value::Array(mut pieces)) => {
                match begun.entry("content").or_insert_with(|| json!([])) {
                    Value::Array(content) => content.append(&mut pieces),
                    other => *other = Value::Array(pieces),
                }
            }
            (Some(Value::Object(begun)), Value::Object(more)) => begun.extend(more),
            (Some(Value::Array(begun)), value) => begun.push(value),
            (_, value) if name == "citation" => drop(self.fields.insert(name.clone(), json!([value]))),
            (_, value) => drop(self.fields.insert(name.clone(), value)),
        }
        Some(name)
    }

    /// Returns the block in the form of a complete answer. Arguments that are not JSON stay text.
    fn into_value(self) -> Value {
        let Self { kind, mut fields, text, .. } = self;
        let text = pieces::grown(text);
        match kind {
            Kind::Text => match fields.remove("citation") {
                Some(citations) => {
                    json!({"citationsContent": {"content": [{"text": text}], "citations": citations}})
                }
                None => Value::Object(pieces::of("text", text)),
            },
            Kind::Thinking => match (fields.remove("redactedContent"), fields.remove("signature")) {
                (Some(sealed), _) if text.is_empty() => {
                    json!({"reasoningContent": {"redactedContent": sealed}})
                }
                (_, Some(signature)) => {
                    json!({"reasoningContent": {"reasoningText": {"text": text, "signature": signature}}})
                }
                (_, None) => json!({"reasoningContent": {"reasoningText": {"text": text}}}),
            },
            Kind::Call | Kind::ServerTool => {
                let input = match text.as_str() {
                    "" => json!({}),
                    _ => serde_json::from_str(&text).unwrap_or(Value::String(text)),
                };
                match fields.entry("toolUse").or_insert_with(|| json!({})) {
                    Value::Object(tool_use) => drop(tool_use.insert("input".to_owned(), input)),
                    other => *other = json!({"input": input}),
                }
                Value::Object(fields)
            }
            Kind::Other => Value::Object(fields),
        }
    }
}

fn read<'a, T: Deserialize<'a>>(data: &'a [u8]) -> Result<T, DecodeError> {
    json::read(data).map_err(|error| DecodeError::not_json(String::new(), &error))
}

impl<'de: 'a, 'a> Deserialize<'de> for Line<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(LineVisitor)
    }
}

struct LineVisitor;

impl<'de> Visitor<'de> for LineVisitor {
    type Value = Line<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event under the name of its kind")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let Some((kind, event)) = map.next_entry()? else {
            return Err(A::Error::custom("an object without a field"));
        };
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Line { kind, event })
    }
}
