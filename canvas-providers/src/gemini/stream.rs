//! Decodes a streamed answer. Each chunk is an answer with further parts.
//!
//! Consecutive texts of one kind are one part. A signature stays on the part that it arrived on, so a signed part is
//! never joined with another. Arguments arrive complete, or in pieces that are assembled into the arguments of a
//! complete call.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::decode::{self, Ending};
use super::error::provider_error;
use super::partial::{Assembly, Misfit, Piece};
use crate::context::AnswerContext;
use crate::decoded::{DecodeError, Decoded, MAX_PARTS, StopReason};
use crate::fields::{self, Fields, Object, Only};
use crate::frames::Frame;
use crate::json::{owned, read};
use crate::pieces;
use crate::stream_event::{Codec, OnEvent, StreamEvent, Taken};
use crate::text::Text;

#[derive(Debug)]
pub(crate) struct Stream {
    context: AnswerContext,
    parts: Vec<Part>,
    /// The call whose arguments continue.
    open_call: Option<usize>,
    raw_stop_reason: Option<String>,
    is_blocked: bool,
    /// The last usage, parsed at the end because each chunk reports it again.
    counted: String,
}

/// A part, as received so far.
#[derive(Debug)]
enum Part {
    /// Text without a signature, which can still grow.
    Text { text: String, is_thought: bool },
    Call {
        /// Fields of the part other than the call.
        fields: Map<String, Value>,
        /// The call, without arguments that arrive in pieces.
        call: Map<String, Value>,
        pieces: Option<Assembly>,
        ending: Ending,
    },
    /// A part that arrived complete.
    Whole(Value),
}

/// The most common chunk of a stream, with one part that only adds text, and the usage.
#[derive(Debug, Default)]
struct Saying<'a> {
    text: Text<'a>,
    is_thought: bool,
    counted: Option<&'a RawValue>,
    has_more: bool,
}

struct InCandidate<'s, 'a>(&'s mut Saying<'a>);

struct InContent<'s, 'a>(&'s mut Saying<'a>);

struct InPart<'s, 'a>(&'s mut Saying<'a>);

impl<'de> Fields<'de> for Saying<'de> {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "candidates" => map.next_value_seed(Only(&mut InCandidate(self)))?,
            "usageMetadata" => self.counted = map.next_value()?,
            "promptFeedback" | "error" => self.has_more |= fields::is_there(map)?,
            _ => fields::skip(map)?,
        }
        Ok(())
    }
}

impl<'de> Fields<'de> for InCandidate<'_, 'de> {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "index" => self.0.has_more |= map.next_value::<u64>()? != 0,
            "content" => map.next_value_seed(Object(&mut InContent(self.0)))?,
            "finishReason" => self.0.has_more |= fields::is_there(map)?,
            _ => fields::skip(map)?,
        }
        Ok(())
    }
}

impl<'de> Fields<'de> for InContent<'_, 'de> {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "parts" => map.next_value_seed(Only(&mut InPart(self.0))),
            _ => fields::skip(map),
        }
    }
}

impl<'de> Fields<'de> for InPart<'_, 'de> {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "text" if self.0.text.as_str().is_empty() => self.0.text = map.next_value()?,
            "thought" => self.0.is_thought = map.next_value::<Option<bool>>()? == Some(true),
            // This part has to be kept.
            _ => return Err(A::Error::custom("more than a text")),
        }
        Ok(())
    }
}

/// Any chunk. Unknown fields are skipped and not kept.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Chunk<'a> {
    #[serde(borrow, default)]
    candidates: Option<Vec<Candidate<'a>>>,
    #[serde(borrow, default)]
    prompt_feedback: Option<Feedback<'a>>,
    #[serde(borrow, default)]
    usage_metadata: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate<'a> {
    #[serde(default, deserialize_with = "crate::json::index")]
    index: u64,
    #[serde(borrow, default)]
    content: Option<Content<'a>>,
    #[serde(borrow, default)]
    finish_reason: Option<Text<'a>>,
}

#[derive(Debug, Deserialize)]
struct Content<'a> {
    #[serde(borrow, default)]
    parts: Option<Vec<PartDelta<'a>>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback<'a> {
    #[serde(borrow, default)]
    block_reason: Option<Text<'a>>,
}

/// A part of one chunk. Its text, which makes up most of a stream, is separate from the other fields.
#[derive(Debug, Default)]
struct PartDelta<'a> {
    text: Option<Text<'a>>,
    is_thought: bool,
    call: Option<&'a RawValue>,
    /// All other fields, including the signature.
    rest: Vec<(Cow<'a, str>, &'a RawValue)>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CallDelta<'a> {
    #[serde(borrow, default)]
    name: Option<Text<'a>>,
    #[serde(borrow, default)]
    args: Option<&'a RawValue>,
    #[serde(borrow, default)]
    partial_args: Option<Vec<Piece<'a>>>,
    #[serde(default)]
    will_continue: Option<bool>,
}

impl Codec for Stream {
    fn new(context: AnswerContext) -> Self {
        Self {
            context,
            parts: Vec::new(),
            open_call: None,
            raw_stop_reason: None,
            is_blocked: false,
            counted: String::new(),
        }
    }

    fn frame(&mut self, frame: Frame<'_>, on_event: &mut OnEvent<'_>) -> Result<Taken, DecodeError> {
        let mut saying = Saying::default();
        if fields::read_fields(frame.data, &mut saying).is_ok()
            && !saying.has_more
            && !saying.text.as_str().is_empty()
        {
            self.count(saying.counted);
            self.text(saying.text.as_str(), saying.is_thought, on_event)?;
            return Ok(Taken::More);
        }
        let chunk: Chunk<'_> =
            read(frame.data).map_err(|error| DecodeError::not_json(String::new(), &error))?;
        if let Some(error) = chunk.error {
            return Err(provider_error(&owned(error)?));
        }
        self.count(chunk.usage_metadata);
        if let Some(reason) = chunk.prompt_feedback.and_then(|feedback| feedback.block_reason) {
            self.is_blocked = true;
            self.raw_stop_reason = Some(reason.0.into_owned());
        }
        // A single answer is read, so candidates after the first are ignored.
        let candidates = chunk.candidates.into_iter().flatten();
        for candidate in candidates.filter(|candidate| candidate.index == 0) {
            for part in candidate.content.and_then(|content| content.parts).into_iter().flatten() {
                self.part(part, on_event)?;
            }
            if let Some(reason) = candidate.finish_reason {
                self.raw_stop_reason = Some(reason.0.into_owned());
            }
        }
        Ok(Taken::More)
    }

    fn finish(self: Box<Self>) -> Decoded {
        let Self { context, parts, raw_stop_reason, is_blocked, counted, .. } = *self;
        let usage = serde_json::from_str(&counted).map(|counted| decode::usage(&counted)).unwrap_or_default();
        let is_cut = decode::may_be_cut(raw_stop_reason.as_deref());
        let last = parts.len().checked_sub(1).filter(|_| is_cut);
        let events = parts.into_iter().enumerate().map(|(index, part)| {
            let (part, ending) = part.into_value();
            let ending = if last == Some(index) && ending == Ending::Whole { Ending::Cut } else { ending };
            decode::event(part, ending, &context)
        });
        let events = events.collect::<Vec<_>>();
        let stop_reason = match is_blocked {
            true => StopReason::Refusal,
            false => decode::stop_reason(raw_stop_reason.as_deref(), &events),
        };
        Decoded { events, raw_stop_reason, stop_reason, usage, failure: None }
    }
}

impl Stream {
    fn count(&mut self, counted: Option<&RawValue>) {
        if let Some(counted) = counted {
            self.counted.clear();
            self.counted.push_str(counted.get());
        }
    }

    /// Takes text from a part of a chunk that has no other fields.
    fn text(&mut self, text: &str, is_thought: bool, on_event: &mut OnEvent<'_>) -> Result<(), DecodeError> {
        let at = self.parts.len();
        let part = match self.parts.last_mut() {
            Some(Part::Text { text: begun, is_thought: was_thought }) if *was_thought == is_thought => {
                begun.push_str(text);
                at - 1
            }
            _ => {
                self.push(Part::Text { text: text.to_owned(), is_thought })?;
                at
            }
        };
        tell(part, text, is_thought, on_event);
        Ok(())
    }

    fn part(&mut self, delta: PartDelta<'_>, on_event: &mut OnEvent<'_>) -> Result<(), DecodeError> {
        if let Some(call) = delta.call {
            return self.call(call, &delta, on_event);
        }
        let at = self.parts.len();
        let PartDelta { text, is_thought, rest, .. } = delta;
        let Some(Text(text)) = text else {
            if let Some((kind, _)) = rest.iter().find(|(key, _)| key != "thoughtSignature") {
                on_event(StreamEvent::Unknown { kind });
            }
            return if rest.is_empty() { Ok(()) } else { self.push(Part::whole(None, is_thought, rest)?) };
        };
        if rest.is_empty() {
            return if text.is_empty() { Ok(()) } else { self.text(&text, is_thought, on_event) };
        }
        if !text.is_empty() {
            tell(at, &text, is_thought, on_event);
        }
        self.push(Part::whole(Some(&text), is_thought, rest)?)
    }

    fn call(
        &mut self,
        raw: &RawValue,
        delta: &PartDelta<'_>,
        on_event: &mut OnEvent<'_>,
    ) -> Result<(), DecodeError> {
        let Ok(read) = serde_json::from_str::<CallDelta<'_>>(raw.get()) else {
            // This is not a call, so it is kept unchanged.
            let rest = vec![(Cow::Borrowed("functionCall"), raw)];
            return self.push(Part::whole(None, delta.is_thought, rest)?);
        };
        let is_named = read.name.as_ref().is_some_and(|name| !name.as_str().is_empty());
        let at = match self.open_call.filter(|_| !is_named) {
            Some(open) => open,
            None => {
                let mut call: Map<String, Value> = serde_json::from_str(raw.get())
                    .map_err(|error| DecodeError::not_json(String::new(), &error))?;
                // Ends a call that already announced its own end.
                let follows_call = matches!(self.parts.last(), Some(Part::Call { .. }));
                if call.is_empty() && delta.rest.is_empty() && follows_call {
                    return Ok(());
                }
                for key in ["args", "partialArgs", "willContinue"] {
                    call.remove(key);
                }
                let field = |name: &str| call.get(name).and_then(Value::as_str).unwrap_or_default();
                let name = self.context.renames.original(field("name"));
                on_event(StreamEvent::Call { part: self.parts.len(), id: field("id"), name });
                let thought = delta.is_thought.then(|| ("thought".to_owned(), true.into()));
                let fields = thought.into_iter().collect();
                self.push(Part::Call { fields, call, pieces: None, ending: Ending::Open })?;
                self.parts.len() - 1
            }
        };
        let goes_on = read.will_continue == Some(true);
        self.open_call = goes_on.then_some(at);
        if let Some(part) = self.parts.get_mut(at) {
            for (key, value) in &delta.rest {
                part.insert(key, owned(value)?);
            }
            let mut tell = |delta: &str| {
                if !delta.is_empty() {
                    on_event(StreamEvent::Arguments { part: at, delta });
                }
            };
            part.add_arguments(&read, goes_on, &mut tell)?;
        }
        Ok(())
    }

    fn push(&mut self, part: Part) -> Result<(), DecodeError> {
        if self.parts.len() == MAX_PARTS {
            return Err(DecodeError::TooLarge { place: String::new(), limit: MAX_PARTS, unit: "parts" });
        }
        self.parts.push(part);
        Ok(())
    }
}

fn tell(part: usize, delta: &str, is_thought: bool, on_event: &mut OnEvent<'_>) {
    on_event(match is_thought {
        true => StreamEvent::Thinking { part, delta },
        false => StreamEvent::Text { part, delta },
    });
}

impl Part {
    fn whole(
        text: Option<&str>,
        is_thought: bool,
        rest: Vec<(Cow<'_, str>, &RawValue)>,
    ) -> Result<Self, DecodeError> {
        let mut part = Map::new();
        if let Some(text) = text {
            part.insert("text".to_owned(), text.into());
        }
        if is_thought {
            part.insert("thought".to_owned(), true.into());
        }
        for (key, value) in rest {
            part.insert(key.into_owned(), owned(value)?);
        }
        Ok(Self::Whole(Value::Object(part)))
    }

    /// Sets a field of the part, next to the call.
    fn insert(&mut self, key: &str, value: Value) {
        if let Self::Call { fields, .. } = self {
            fields.insert(key.to_owned(), value);
        }
    }

    fn add_arguments(
        &mut self,
        delta: &CallDelta<'_>,
        goes_on: bool,
        tell: &mut dyn FnMut(&str),
    ) -> Result<(), DecodeError> {
        let Self::Call { call, pieces, ending, .. } = self else { return Ok(()) };
        if let Some(whole) = delta.args {
            tell(whole.get());
            call.insert("args".to_owned(), owned(whole)?);
        }
        for piece in delta.partial_args.iter().flatten() {
            match pieces.get_or_insert_default().take(piece) {
                Ok(more) => tell(&more),
                Err(Misfit) => *ending = Ending::Broken,
            }
        }
        if !goes_on && *ending == Ending::Open {
            *ending = Ending::Whole;
            if let Some(pieces) = pieces {
                tell(&pieces.close());
            }
        }
        Ok(())
    }

    /// Returns the part in the form of a complete answer.
    fn into_value(self) -> (Value, Ending) {
        match self {
            Self::Text { text, is_thought } => {
                let mut part = pieces::of("text", pieces::grown(text));
                if is_thought {
                    part.insert("thought".to_owned(), true.into());
                }
                (Value::Object(part), Ending::Whole)
            }
            Self::Whole(part) => (part, Ending::Whole),
            Self::Call { mut fields, mut call, pieces, ending } => {
                if let Some(pieces) = pieces {
                    match call.get_mut("args") {
                        Some(Value::Object(whole)) => whole.extend(pieces.into_value()),
                        _ => drop(call.insert("args".to_owned(), Value::Object(pieces.into_value()))),
                    }
                }
                fields.insert("functionCall".to_owned(), Value::Object(call));
                (Value::Object(fields), ending)
            }
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for PartDelta<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PartVisitor)
    }
}

struct PartVisitor;

impl<'de> Visitor<'de> for PartVisitor {
    type Value = PartDelta<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a part")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut part = PartDelta::default();
        while let Some(Text(key)) = map.next_key()? {
            match key.as_ref() {
                "text" => part.text = map.next_value()?,
                "functionCall" => part.call = map.next_value()?,
                "thought" => part.is_thought = map.next_value::<Option<bool>>()? == Some(true),
                _ => part.rest.push((key, map.next_value()?)),
            }
        }
        Ok(part)
    }
}
