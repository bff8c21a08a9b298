//! Encodes a history as a request. The model is named in the address, not in the body.

mod constraints;
mod item;
mod tools;

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use self::item::Item;
use super::NAME;
use super::decode::decode;
use super::decode::{is_server_tool, kind};
use super::stream::Stream;
use crate::context::AnswerContext;
use crate::decoded::{DecodeError, Decoded};
use crate::encoded::{Degradations, EncodeError};
use crate::envelope::Issuer;
use crate::event::{self, Body, Event, Image, ToolResult};
use crate::frames::Framing;
use crate::history::{extra_fields, join_system, result_text};
use crate::names::{Mapper, NameRule};
use crate::repair::{Entry, entries, is_assistant};
use crate::verdict::{Arguments, DecodedCall};
use crate::wire::{Call, RequestBody, Wire};

const ID_RULE: NameRule = NameRule { max: 64, also: ".:", begins_with_letter: false };

/// Fields of a body that the host's `extra` fields cannot replace.
const OWN_FIELDS: &[&str] = &["modelId", "messages", "system", "toolConfig"];

#[derive(Debug)]
pub(crate) enum Bedrock {}

impl Wire for Bedrock {
    const NAME: &'static str = NAME;
    const HOST: &'static str = "bedrock-runtime.amazonaws.com";
    const FRAMING: Framing = Framing::EventStream;

    type Stream = Stream;

    fn decode(body: &Value, context: &AnswerContext) -> Result<Decoded, DecodeError> {
        decode(body, context)
    }

    fn replay(events: Vec<Event>, issuer: &Issuer) -> Vec<Value> {
        let (mut names, mut degradations) = (tools::mapper(&[]), Degradations::default());
        let mut encoder = BlockEncoder::new(issuer, &mut names, &mut degradations);
        let entries = events.iter().enumerate().map(|(at, event)| Entry { event: Cow::Borrowed(event), at });
        entries.filter_map(|entry| encoder.item(&entry)).map(|item| item.block).collect()
    }

    fn names(call: &Call<'_>) -> Mapper {
        tools::mapper(call.specs)
    }

    fn declared(call: &Call<'_>, names: &mut Mapper, degradations: &mut Degradations) -> Value {
        json!({"tools": tools::declare(call.specs, call.options.native, names, degradations)})
    }

    fn body(
        call: &Call<'_>,
        names: &mut Mapper,
        degradations: &mut Degradations,
    ) -> Result<RequestBody, EncodeError> {
        let Call { issuer, system, specs, events, options } = *call;
        let mut declared = tools::declare(specs, options.native, names, degradations);
        let history = entries(events, degradations);
        let system = join_system(system, &history, degradations);
        let mut encoder = BlockEncoder::new(issuer, names, degradations);
        let mut items: Vec<Item> = history.iter().filter_map(|entry| encoder.item(entry)).collect();
        constraints::enforce(&mut items, options.unsigned_thinking, degradations);
        if items.is_empty() {
            return Err(EncodeError::EmptyHistory);
        }
        let mut body = extra_fields(&options.extra, OWN_FIELDS, degradations);
        let thinks =
            body.get("additionalModelRequestFields").and_then(|fields| fields.pointer("/thinking/type"));
        let thinks = thinks.is_some_and(|kind| kind == "enabled");
        let called = tools::called(&items);
        let choice = tools::choice(options, specs, names, thinks, !called.is_empty(), degradations)?;
        match choice {
            tools::Choice::NoTools => declared.clear(),
            tools::Choice::Default if declared.is_empty() => declared = tools::placeholders(&called),
            tools::Choice::Default | tools::Choice::Forced(_) => {}
        }
        if !declared.is_empty() {
            let mut config = json!({"tools": declared});
            if let tools::Choice::Forced(choice) = choice {
                config["toolChoice"] = choice;
            }
            body.insert("toolConfig".to_owned(), config);
        }
        let config = body.entry("inferenceConfig").or_insert_with(|| json!({}));
        match config {
            Value::Object(config) => drop(config.insert("maxTokens".to_owned(), options.max_tokens.into())),
            other => *other = json!({"maxTokens": options.max_tokens}),
        }
        if !system.is_empty() {
            body.insert("system".to_owned(), json!([{"text": system}]));
        }
        body.insert("messages".to_owned(), fold(items));
        Ok((Value::Object(body), None))
    }
}

/// Turns events into blocks, with the names and ids of one request.
struct BlockEncoder<'a> {
    issuer: &'a Issuer,
    names: &'a mut Mapper,
    ids: Mapper,
    degradations: &'a mut Degradations,
}

impl<'a> BlockEncoder<'a> {
    fn new(issuer: &'a Issuer, names: &'a mut Mapper, degradations: &'a mut Degradations) -> Self {
        Self { issuer, names, ids: Mapper::new(ID_RULE), degradations }
    }

    fn item(&mut self, entry: &Entry<'_>) -> Option<Item> {
        let (event, at) = (entry.event.as_ref(), entry.at);
        let block = match &event.body {
            Body::Text(_) | Body::Opaque(_) if event.role == event::Role::System => None,
            Body::ToolResult(result) => Some(self.result(result, at)),
            Body::ToolCall(call) => Some(self.call(event, call, at)),
            Body::Text(text) => self.own_part(event, at).or_else(|| text_block(text)),
            Body::Thinking(_) => {
                let part = self.own_part(event, at);
                if part.is_none() {
                    let how = "left out: only the provider that thought it can read it";
                    self.degradations.add_event(at, "thinking", how);
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
        let block = block.filter(|block| block.get("text").is_none_or(|text| text != ""));
        block.map(|block| Item { is_assistant: is_assistant(event), block, at })
    }

    /// Returns the provider's own part if its kind fits the event's body and role.
    fn own_part(&mut self, event: &Event, at: usize) -> Option<Value> {
        let envelope = event.envelope.as_ref()?;
        let [part] = envelope.parts_for(NAME, self.issuer, is_assistant(event))? else { return None };
        let kind = kind(part);
        let is_server_call = kind == "toolUse" && is_server_tool(&part["toolUse"]);
        let is_call = kind == "toolUse" && part["toolUse"].is_object() && !is_server_call;
        let fits = match (&event.body, is_assistant(event)) {
            (Body::ToolCall(_), _) => is_call,
            (Body::Thinking(_), _) => kind == "reasoningContent",
            (Body::Text(_), true) => kind == "text" && part["text"].is_string() || kind == "citationsContent",
            (Body::Opaque(_), true) => {
                // A call that is not an object can be neither sent nor answered.
                !matches!(kind, "" | "text" | "citationsContent" | "reasoningContent" | "toolUse")
                    || is_server_call
            }
            (Body::Text(_) | Body::Opaque(_), false) => {
                kind == "text" && part["text"].is_string()
                    || matches!(
                        kind,
                        "image" | "document" | "video" | "audio" | "searchResult" | "guardContent"
                    )
            }
            (Body::ToolResult(_), _) => false,
        };
        if fits {
            return Some(part.clone());
        }
        let how = "not used: its part is not of the kind that the event is";
        self.degradations.add_event(at, "envelope", how);
        None
    }

    fn call(&mut self, event: &Event, call: &DecodedCall, at: usize) -> Value {
        let id = self.ids.wire(&call.id).to_owned();
        let name = self.names.wire(&call.name).to_owned();
        let mut tool_use = match self.own_part(event, at) {
            Some(Value::Object(mut part)) => part.remove("toolUse"),
            _ => None,
        };
        let made = tool_use.get_or_insert_with(|| {
            let input = match &call.arguments {
                Arguments::Complete(map) => map.clone(),
                Arguments::Truncated | Arguments::Malformed => Map::new(),
            };
            json!({"input": input})
        });
        made["toolUseId"] = id.into();
        made["name"] = name.into();
        if !made["input"].is_object() {
            made["input"] = json!({});
            self.degradations.add_event(at, "arguments", "sent as an empty object: they were none");
        }
        json!({"toolUse": tool_use})
    }

    fn result(&mut self, result: &ToolResult, at: usize) -> Value {
        let id = self.ids.wire(result.call_id.as_deref().unwrap_or_default());
        // JSON has to be an object here, and a text must not be blank.
        let mut content = vec![match &result.result {
            object @ Value::Object(_) => json!({"json": object}),
            other => match result_text(other) {
                text if text.trim().is_empty() => json!({"json": {}}),
                text => json!({"text": text}),
            },
        }];
        if result.is_error() && !result.images.is_empty() {
            // The endpoints of some models accept only text in an error.
            self.degradations.add_event(at, "image", "left out: a failed call is answered with text alone");
        } else {
            for Image { media_type, data } in &result.images {
                match media_type.strip_prefix("image/") {
                    Some(format @ ("png" | "jpeg" | "gif" | "webp")) => {
                        content.push(json!({"image": {"format": format, "source": {"bytes": data}}}));
                    }
                    _ => {
                        let how = format!("left out: {media_type} is no image that this wire takes");
                        self.degradations.add_event(at, "image", how);
                    }
                }
            }
        }
        let status = if result.is_error() { "error" } else { "success" };
        json!({"toolResult": {"toolUseId": id, "content": content, "status": status}})
    }
}

fn text_block(text: &str) -> Option<Value> {
    (!text.is_empty()).then(|| json!({"text": text}))
}

/// Folds consecutive blocks of the same role into messages.
fn fold(items: Vec<Item>) -> Value {
    let mut messages: Vec<(bool, Vec<Value>)> = Vec::new();
    for Item { is_assistant, block, .. } in items {
        match messages.last_mut() {
            Some((last, content)) if *last == is_assistant => content.push(block),
            _ => messages.push((is_assistant, vec![block])),
        }
    }
    let messages = messages.into_iter().map(|(is_assistant, content)| {
        let role = if is_assistant { "assistant" } else { "user" };
        json!({"role": role, "content": content})
    });
    messages.collect()
}
