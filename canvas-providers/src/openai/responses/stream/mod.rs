//! Decodes a streamed answer.
//!
//! The event that ends an item is kept, because it repeats everything before it and has the seal. Items are found by
//! their place in the answer, because their ids may differ from event to event.

mod chunk;
mod slot;

use std::collections::{BTreeMap, HashMap};

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use self::chunk::{Chunk, Known, Piece, Response, Saying, Section, read, value};
use self::slot::Slot;
use super::decode::{self, check, provider_error, unexpected};
use super::item::{self, Ending, Kind};
use crate::context::AnswerContext;
use crate::decoded::{DecodeError, Decoded, MAX_PARTS};
use crate::fields;
use crate::frames::Frame;
use crate::json;
use crate::stream_event::{Codec, OnEvent, StreamEvent, Taken};
use crate::text::Text;
use crate::usage::Usage;

#[derive(Debug)]
pub(crate) struct Stream {
    context: AnswerContext,
    /// Items in the order in which they began.
    slots: Vec<Slot>,
    /// The latest item at each place of the answer. Some hosts begin another item at the same place.
    by_index: BTreeMap<u64, usize>,
    raw_stop_reason: Option<String>,
    incomplete_reason: Option<String>,
    usage: Usage,
}

impl Codec for Stream {
    fn new(context: AnswerContext) -> Self {
        Self {
            context,
            slots: Vec::new(),
            by_index: BTreeMap::new(),
            raw_stop_reason: None,
            incomplete_reason: None,
            usage: Usage::default(),
        }
    }

    fn frame(&mut self, frame: Frame<'_>, on_event: &mut OnEvent<'_>) -> Result<Taken, DecodeError> {
        // Other endpoints, and hosts that support both, end a stream in this way.
        if matches!(frame.data.trim_ascii(), b"" | b"[DONE]") {
            return Ok(Taken::More);
        }
        let mut saying = Saying::default();
        if fields::read_fields(frame.data, &mut saying).is_ok() && self.say(&saying, on_event) {
            return Ok(Taken::More);
        }
        let chunk: Chunk<'_> = match json::read(frame.data) {
            Ok(chunk) => chunk,
            // Each item arrives complete at its end, so later events do not depend on a broken one.
            Err(error) => return Ok(Taken::Failed(DecodeError::not_json(String::new(), &error))),
        };
        let kind = if chunk.kind.as_str().is_empty() { frame.kind } else { chunk.kind.as_str() };
        if let Some(piece) = Piece::of(kind) {
            self.piece(piece, &chunk, on_event)?;
            return Ok(Taken::More);
        }
        match kind {
            "response.output_item.added" => self.added(&chunk, on_event)?,
            "response.output_item.done" => self.done(&chunk, on_event)?,
            "response.created"
            | "response.queued"
            | "response.in_progress"
            | "response.content_part.added"
            | "response.content_part.done"
            | "response.output_text.annotation.added"
            | "response.reasoning_summary_part.added"
            | "response.reasoning_summary_part.done"
            | "keepalive" => {}
            "error" => {
                let error = match chunk.error {
                    Some(nested) => value(nested)?,
                    None => serde_json::from_slice(frame.data).unwrap_or_default(),
                };
                // The failed answer usually follows.
                return Ok(Taken::Failed(provider_error(&error)));
            }
            _ => return self.other(kind, &chunk, on_event),
        }
        Ok(Taken::More)
    }

    fn finish(self: Box<Self>) -> Decoded {
        let Self { context, mut slots, raw_stop_reason, incomplete_reason, usage, .. } = *self;
        // Items at the same place stay in the order in which they began.
        slots.sort_by_key(|slot| slot.index);
        let ending = decode::ending(raw_stop_reason.as_deref());
        let events = slots.into_iter().map(|slot| {
            let (item, has_ended) = slot.into_item();
            item::event(item, if has_ended { ending } else { Ending::Partial }, &context)
        });
        let events: Vec<_> = events.collect();
        let stop_reason =
            decode::stop_reason(raw_stop_reason.as_deref(), incomplete_reason.as_deref(), &events);
        Decoded { events, raw_stop_reason, stop_reason, usage, failure: None }
    }
}

impl Stream {
    /// Takes more text of an item that has begun. Returns `false` for any other event.
    fn say(&mut self, saying: &Saying<'_>, on_event: &mut OnEvent<'_>) -> bool {
        let Some(Piece::Delta(section)) = Piece::of(saying.kind.as_str()) else { return false };
        let at = saying.output_index.and_then(|index| self.by_index.get(&index));
        let (Some(&at), Some(Text(delta))) = (at, &saying.delta) else { return false };
        let index = section.index(saying.summary_index, saying.content_index);
        self.slots[at].push(section, index, delta, on_event);
        true
    }

    /// Handles the last event, whatever its name is, or an event that this crate does not know.
    fn other(
        &mut self,
        kind: &str,
        chunk: &Chunk<'_>,
        on_event: &mut OnEvent<'_>,
    ) -> Result<Taken, DecodeError> {
        if let Some(raw) = chunk.response {
            let response: Response<'_> = read(raw)?;
            let ended = match (kind, response.status.as_str()) {
                (_, status @ ("completed" | "incomplete" | "failed" | "cancelled")) => Some(status),
                ("response.completed", _) => Some("completed"),
                ("response.incomplete", _) => Some("incomplete"),
                ("response.failed", _) => Some("failed"),
                _ => None,
            };
            if let Some(status) = ended {
                return self.last(status.to_owned(), response, on_event);
            }
        } else if let Some(error) = chunk.error.map(value).transpose()?.filter(|error| !error.is_null()) {
            // Proxies send errors without a type.
            return Ok(Taken::Failed(provider_error(&error)));
        }
        on_event(StreamEvent::Unknown { kind });
        Ok(Taken::More)
    }

    fn last(
        &mut self,
        status: String,
        response: Response<'_>,
        on_event: &mut OnEvent<'_>,
    ) -> Result<Taken, DecodeError> {
        let has_failed = status == "failed";
        self.raw_stop_reason = Some(status);
        self.incomplete_reason = response.incomplete_details.and_then(|details| details.reason);
        if let Some(usage) = response.usage {
            self.usage = decode::usage(&value(usage)?);
        }
        self.fill(&response.output.unwrap_or_default(), on_event)?;
        if has_failed {
            let error = response.error.map(value).transpose()?.unwrap_or_default();
            return Err(provider_error(&error));
        }
        Ok(Taken::Last)
    }

    /// Completes the items whose end did not arrive. They are taken from the last event, which has all items.
    fn fill(&mut self, output: &[&RawValue], on_event: &mut OnEvent<'_>) -> Result<(), DecodeError> {
        if output.len() == self.slots.len() && self.slots.iter().all(|slot| !slot.is_open()) {
            return Ok(());
        }
        let mut by_id = HashMap::new();
        for (at, slot) in self.slots.iter().enumerate() {
            for name in ["id", "call_id"] {
                let id = slot.field(name);
                if !id.is_empty() {
                    by_id.insert(id.to_owned(), at);
                }
            }
        }
        for (index, raw) in (0..).zip(output) {
            let known: Known<'_> = read(raw)?;
            let same = |at: &&usize| self.slots[**at].kind() == Kind::of(known.kind.as_str());
            let found = [known.call_id.as_str(), known.id.as_str()].into_iter().find_map(|id| by_id.get(id));
            let found = found.or_else(|| self.by_index.get(&index).filter(same)).copied();
            let at = match found {
                Some(at) if !self.slots[at].is_open() => continue,
                Some(at) => at,
                None => self.open(index, Kind::of(known.kind.as_str()))?,
            };
            self.end(at, raw, on_event)?;
        }
        Ok(())
    }

    fn piece(
        &mut self,
        piece: Piece,
        chunk: &Chunk<'_>,
        on_event: &mut OnEvent<'_>,
    ) -> Result<(), DecodeError> {
        let (Piece::Delta(section) | Piece::Done(section)) = piece;
        let at = match self.find(chunk) {
            Some(at) => at,
            // The event that begins the item is missing.
            None => {
                let kind = match section {
                    Section::Summary | Section::Reasoning => "reasoning",
                    Section::Text | Section::Refusal => "message",
                    Section::Call if chunk.kind.as_str().contains("custom_tool") => "custom_tool_call",
                    Section::Call if chunk.kind.as_str().contains("apply_patch") => "apply_patch_call",
                    Section::Call => "function_call",
                };
                let at = self.open(self.place(chunk), Kind::of(kind))?;
                let start = Map::from_iter([("type".to_owned(), kind.into())]);
                self.slots[at].begin(start, &self.context, on_event);
                at
            }
        };
        let slot = &mut self.slots[at];
        let index = section.index(chunk.summary_index, chunk.content_index);
        match piece {
            Piece::Delta(_) => slot.push(section, index, chunk.delta.as_str(), on_event),
            Piece::Done(_) if slot.lacks(section, index) => {
                if let Some(whole) = chunk.whole()?.filter(|whole| !whole.is_empty()) {
                    slot.push(section, index, &whole, on_event);
                }
            }
            Piece::Done(_) => {}
        }
        Ok(())
    }

    fn added(&mut self, chunk: &Chunk<'_>, on_event: &mut OnEvent<'_>) -> Result<(), DecodeError> {
        let Some(Value::Object(start)) = chunk.item.map(value).transpose()? else {
            return Err(unexpected("/item".to_owned(), "an object"));
        };
        let id = start.get("id").and_then(Value::as_str).unwrap_or_default();
        let open = chunk.output_index.and_then(|index| self.by_index.get(&index).copied());
        let at = match open.filter(|&at| self.slots[at].is_open()) {
            Some(at) if self.slots[at].is_bare() => at,
            // The same start arrived again.
            Some(at) if !id.is_empty() && self.slots[at].field("id") == id => return Ok(()),
            _ => self.open(self.place(chunk), Kind::Other)?,
        };
        self.slots[at].begin(start, &self.context, on_event);
        Ok(())
    }

    fn done(&mut self, chunk: &Chunk<'_>, on_event: &mut OnEvent<'_>) -> Result<(), DecodeError> {
        let Some(raw) = chunk.item else { return Err(unexpected("/item".to_owned(), "an object")) };
        let known: Known<'_> = read(raw)?;
        let at = match self.find(chunk) {
            Some(at) if self.slots[at].is_open() => at,
            // The same end arrived again.
            Some(at) if self.slots[at].field("call_id") == known.call_id.as_str() => return Ok(()),
            _ => self.open(self.place(chunk), Kind::of(known.kind.as_str()))?,
        };
        self.end(at, raw, on_event)
    }

    fn end(&mut self, at: usize, raw: &RawValue, on_event: &mut OnEvent<'_>) -> Result<(), DecodeError> {
        let slot = &mut self.slots[at];
        slot.forget_pieces();
        let item = value(raw)?;
        check(&item, || "/item".to_owned())?;
        slot.end(item, &self.context, on_event);
        Ok(())
    }

    /// Finds the item of an event by its place. If the event does not tell the place, finds the item by its id, or else
    /// takes the latest one, but only if that item is still open.
    fn find(&self, chunk: &Chunk<'_>) -> Option<usize> {
        if let Some(index) = chunk.output_index {
            return self.by_index.get(&index).copied();
        }
        let id = chunk.item_id.as_str();
        let by_id = || self.slots.iter().rposition(|slot| slot.field("id") == id);
        let found = if id.is_empty() { None } else { by_id() };
        found.or_else(|| self.slots.len().checked_sub(1)).filter(|&at| self.slots[at].is_open())
    }

    /// Returns the place of an item that begins.
    fn place(&self, chunk: &Chunk<'_>) -> u64 {
        let after_all = || self.slots.iter().map(|slot| slot.index + 1).max().unwrap_or_default();
        chunk.output_index.unwrap_or_else(after_all)
    }

    fn open(&mut self, index: u64, kind: Kind) -> Result<usize, DecodeError> {
        let part = self.slots.len();
        if part == MAX_PARTS {
            return Err(DecodeError::TooLarge { place: String::new(), limit: MAX_PARTS, unit: "items" });
        }
        self.slots.push(Slot::new(index, part, kind));
        self.by_index.insert(index, part);
        Ok(part)
    }
}
