//! Encodes a history as a request.

mod constraints;
mod tools;

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::decode::decode;
use super::stream::Stream;
use super::wire::{Block, Content, Item, Message, NAME, OWN_FIELDS, Request, Role, Source};
use crate::context::AnswerContext;
use crate::decoded::{DecodeError, Decoded};
use crate::encoded::{Degradations, EncodeError};
use crate::envelope::Issuer;
use crate::event::{self, Body, Event, Image, ToolResult};
use crate::frames::Framing;
use crate::history::{extra_fields, join_system, reply_text};
use crate::json::with_history;
use crate::names::{Mapper, NameRule};
use crate::native::NativeTool;
use crate::repair::{Entry, entries, is_assistant};
use crate::verdict::{Arguments, DecodedCall};
use crate::wire::{Call, RequestBody, Wire};

/// Ids have no known length limit, and a valid id has to go back unchanged.
const ID_RULE: NameRule = NameRule { max: usize::MAX, also: "", begins_with_letter: false };

#[derive(Debug)]
pub(crate) enum Anthropic {}

impl Wire for Anthropic {
    const NAME: &'static str = NAME;
    const HOST: &'static str = "api.anthropic.com";
    const FRAMING: Framing = Framing::Sse;

    type Stream = Stream;

    fn decode(body: &Value, context: &AnswerContext) -> Result<Decoded, DecodeError> {
        decode(body, context)
    }

    fn replay(events: Vec<Event>, issuer: &Issuer) -> Vec<Value> {
        let (mut names, mut degradations) = (tools::mapper(&[], None), Degradations::default());
        let mut encoder = BlockEncoder {
            issuer,
            names: &mut names,
            ids: Mapper::new(ID_RULE),
            native: None,
            degradations: &mut degradations,
        };
        let entries = events.iter().enumerate().map(|(at, event)| Entry { event: Cow::Borrowed(event), at });
        entries.filter_map(|entry| encoder.item(&entry)).map(|item| item.block).collect()
    }

    fn names(call: &Call<'_>) -> Mapper {
        tools::mapper(call.specs, call.options.native)
    }

    fn declared(call: &Call<'_>, names: &mut Mapper, degradations: &mut Degradations) -> Value {
        json!(tools::declare(call.specs, call.options.native, names, degradations))
    }

    fn body(
        call: &Call<'_>,
        names: &mut Mapper,
        degradations: &mut Degradations,
    ) -> Result<RequestBody, EncodeError> {
        let Call { issuer, system, specs, events, options } = *call;
        let mut tools = tools::declare(specs, options.native, names, degradations);
        let native = tools::built_in(specs, options.native);
        let history = entries(events, degradations);
        let system = join_system(system, &history, degradations);
        let mut encoder =
            BlockEncoder { issuer, names, ids: Mapper::new(ID_RULE), native: options.native, degradations };
        let mut items: Vec<Item> = history.iter().filter_map(|entry| encoder.item(entry)).collect();
        constraints::enforce(&mut items, options.unsigned_thinking, degradations);
        if items.is_empty() {
            return Err(EncodeError::EmptyHistory);
        }
        let extra = extra_fields(&options.extra, OWN_FIELDS, degradations);
        let mut tool_choice = tools::choice(options, specs, names, &extra, degradations)?;
        if tools.is_empty() {
            tools = tools::placeholder_tools(&items);
            tool_choice = tools::none_of(&tools);
        }
        let (model, max_tokens) = (issuer.model.as_str(), options.max_tokens);
        let body = Request { model, max_tokens, system: &system, tools, tool_choice, extra };
        let body = with_history(body, "messages", fold(items));
        Ok((body, native))
    }
}

/// Turns events into blocks, with the names and ids of one request.
struct BlockEncoder<'a> {
    issuer: &'a Issuer,
    names: &'a mut Mapper,
    ids: Mapper,
    /// The tool whose replies are sent in the words of its dialect.
    native: Option<NativeTool>,
    degradations: &'a mut Degradations,
}

impl BlockEncoder<'_> {
    fn item(&mut self, entry: &Entry<'_>) -> Option<Item> {
        let (event, at) = (entry.event.as_ref(), entry.at);
        let assistant = is_assistant(event);
        let block = match &event.body {
            Body::Text(_) | Body::Opaque(_) if event.role == event::Role::System => None,
            Body::ToolResult(result) => Some(self.result(result, at)),
            Body::ToolCall(call) => Some(self.call(event, call, at)),
            Body::Text(text) => self.own_part(event, at).or_else(|| text_block(text)),
            Body::Thinking(_) => {
                let part = self.own_part(event, at);
                if part.is_none() {
                    self.degradations.add_event(
                        at,
                        "thinking",
                        "left out: only the provider that thought it can read it",
                    );
                }
                part
            }
            Body::Opaque(text) => {
                let part = self.own_part(event, at);
                if part.is_none() {
                    self.degradations.add_event(at, "opaque", "sent as plain text, if it has any");
                }
                part.or_else(|| text_block(text))
            }
        };
        let role = if assistant { Role::Assistant } else { Role::User };
        block.filter(|block| !is_empty_text(block)).map(|block| Item { role, block, at })
    }

    /// Returns the provider's own part if its kind fits the event's body and role.
    fn own_part(&mut self, event: &Event, at: usize) -> Option<Value> {
        let envelope = event.envelope.as_ref()?;
        // A block is one part.
        let [part] = envelope.parts_for(NAME, self.issuer, is_assistant(event))? else { return None };
        let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
        let fits = match (&event.body, is_assistant(event)) {
            (Body::ToolCall(_), _) => kind == "tool_use",
            (Body::Thinking(_), _) => matches!(kind, "thinking" | "redacted_thinking"),
            (Body::Text(_), true) => kind == "text",
            (Body::Opaque(_), true) => {
                !matches!(kind, "" | "text" | "thinking" | "redacted_thinking" | "tool_use" | "tool_result")
            }
            (Body::Text(_) | Body::Opaque(_), false) => {
                matches!(kind, "text" | "image" | "document" | "search_result" | "container_upload")
            }
            (Body::ToolResult(_), _) => false,
        };
        let is_readable = kind != "text" || part.get("text").is_some_and(Value::is_string);
        if fits && is_readable {
            return Some(part.clone());
        }
        self.degradations.add_event(
            at,
            "envelope",
            "not used: its part is not of the kind that the event is",
        );
        None
    }

    fn call(&mut self, event: &Event, call: &DecodedCall, at: usize) -> Value {
        let part = self.own_part(event, at);
        let id = self.ids.wire(&call.id);
        let name = self.names.wire(&call.name);
        let arguments = || match &call.arguments {
            Arguments::Complete(map) => map.clone(),
            Arguments::Truncated | Arguments::Malformed => Map::new(),
        };
        let Some(mut part) = part else {
            return Block::ToolUse { id, name, input: arguments() }.into_value();
        };
        // The provider's part, with the id and the name of this request.
        part["id"] = id.into();
        part["name"] = name.into();
        if !part["input"].is_object() {
            part["input"] = Value::Object(arguments());
            self.degradations.add_event(at, "arguments", "sent as an empty object: they were none");
        }
        part
    }

    fn result(&mut self, result: &ToolResult, at: usize) -> Value {
        let id = self.ids.wire(result.call_id.as_deref().unwrap_or_default());
        let is_error = result.is_error();
        let text = reply_text(result, self.native);
        if result.images.is_empty() {
            return Block::ToolResult { tool_use_id: id, content: Content::Text(text), is_error }
                .into_value();
        }
        if is_error {
            // An error result accepts only text.
            self.degradations.add_event(at, "image", "left out: a failed call is answered with text alone");
            return Block::ToolResult { tool_use_id: id, content: Content::Text(text), is_error }
                .into_value();
        }
        let texts = text_block(&text).into_iter();
        let images = result.images.iter().map(|Image { media_type, data }| {
            Block::Image { source: Source { kind: "base64", media_type, data } }.into_value()
        });
        let content = Content::Blocks(texts.chain(images).collect());
        Block::ToolResult { tool_use_id: id, content, is_error }.into_value()
    }
}

fn text_block(text: &str) -> Option<Value> {
    (!text.is_empty()).then(|| Block::Text { text }.into_value())
}

fn is_empty_text(block: &Value) -> bool {
    block["type"] == "text" && block["text"] == ""
}

/// Folds consecutive blocks of the same role into messages.
fn fold(items: Vec<Item>) -> Vec<Value> {
    let mut messages: Vec<(Role, Vec<Value>)> = Vec::new();
    for Item { role, block, .. } in items {
        match messages.last_mut() {
            Some((last, content)) if *last == role => content.push(block),
            _ => messages.push((role, vec![block])),
        }
    }
    let message = |(role, content)| with_history(Message { role }, "content", content);
    messages.into_iter().map(message).collect()
}
