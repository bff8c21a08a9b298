//! Encodes a history as a request.

use std::collections::BTreeSet;

use canvas_tools::ToolSpec;
use serde_json::{Map, Value, json};

use super::decode::decode;
use super::stream::Stream;
use super::wire::{NAME, OWN_FIELDS, Request, Tool, message};
use crate::context::AnswerContext;
use crate::declare::{self, ToolRules};
use crate::decoded::{DecodeError, Decoded};
use crate::encoded::{Degradations, EncodeError, RequestOptions, ToolChoice};
use crate::envelope::Issuer;
use crate::event::{self, Body, Event, ToolResult};
use crate::frames::Framing;
use crate::history::{extra_fields, reply_text};
use crate::json::with_history;
use crate::names::{Mapper, NameRule};
use crate::native::NativeTool;
use crate::pieces;
use crate::repair::{Entry, entries, is_assistant};
use crate::schema::Subset;
use crate::verdict::{Arguments, DecodedCall};
use crate::wire::{Call, RequestBody, Wire};

/// The endpoint accepts any name, but models cannot write all of them.
const RULES: ToolRules = ToolRules {
    names: NameRule { begins_with_letter: false, ..NameRule::PORTABLE },
    subset: Subset { property: |_| true, refused: &[] },
    built_in: |_| false,
};

fn declare<'a>(
    specs: &'a [ToolSpec],
    native: Option<NativeTool>,
    mapper: &mut Mapper,
    degradations: &mut Degradations,
) -> Vec<Tool<'a>> {
    declare::declare(specs, native, RULES, mapper, degradations).into_iter().filter_map(Tool::of).collect()
}

#[derive(Debug)]
pub(crate) enum Ollama {}

impl Wire for Ollama {
    const NAME: &'static str = NAME;
    const HOST: &'static str = "localhost:11434";
    const FRAMING: Framing = Framing::JsonLines;

    type Stream = Stream;

    fn decode(body: &Value, context: &AnswerContext) -> Result<Decoded, DecodeError> {
        decode(body, context)
    }

    fn replay(events: Vec<Event>, _: &Issuer) -> Vec<Value> {
        let mut message = pieces::message_of(events);
        if message.is_empty() {
            return Vec::new();
        }
        message.insert("role".to_owned(), json!("assistant"));
        vec![Value::Object(message)]
    }

    fn names(call: &Call<'_>) -> Mapper {
        declare::mapper(call.specs, call.options.native, RULES)
    }

    fn declared(call: &Call<'_>, names: &mut Mapper, degradations: &mut Degradations) -> Value {
        json!(declare(call.specs, call.options.native, names, degradations))
    }

    fn body(
        call: &Call<'_>,
        names: &mut Mapper,
        degradations: &mut Degradations,
    ) -> Result<RequestBody, EncodeError> {
        let Call { issuer, system, specs, events, options } = *call;
        declare::check_choice(options, specs)?;
        let mut tools = declare(specs, options.native, names, degradations);
        choose(options, &mut tools, names, degradations);
        let history = entries(events, degradations);
        let mut encoder = Encoder {
            issuer,
            names,
            degradations,
            messages: Vec::new(),
            answer: None,
            native: options.native,
            sent_ids: BTreeSet::new(),
        };
        for entry in &history {
            encoder.entry(entry);
        }
        encoder.flush_answer();
        let mut messages = encoder.messages;
        if !messages.iter().any(|message| message["role"] != "system") {
            return Err(EncodeError::EmptyHistory);
        }
        if !system.trim().is_empty() {
            messages.insert(0, message("system", system, &[]));
        }
        let mut own_options = match options.extra.get("options") {
            Some(Value::Object(given)) => given.clone(),
            _ => Map::new(),
        };
        own_options.insert("num_predict".to_owned(), options.max_tokens.into());
        let mut extra = options.extra.clone();
        extra.remove("options");
        let extra = extra_fields(&extra, OWN_FIELDS, degradations);
        let body = Request { model: &issuer.model, tools, options: own_options, extra };
        let body = with_history(body, "messages", messages);
        Ok((body, None))
    }
}

/// Restricts the tools, because the endpoint has no tool choice.
fn choose(
    options: &RequestOptions,
    tools: &mut Vec<Tool<'_>>,
    names: &mut Mapper,
    degradations: &mut Degradations,
) {
    let place = "/options/tool_choice";
    match &options.tool_choice {
        ToolChoice::Auto => {}
        ToolChoice::None => {
            degradations.add(place, "none", "the tools are left out: the provider has no choice of tools");
            tools.clear();
        }
        ToolChoice::Required => {
            degradations.add(place, "required", "sent as auto: the provider has no choice of tools");
        }
        ToolChoice::Tool(name) => {
            let how = "sent as the only tool: the provider has no choice of tools";
            degradations.add(place, "tool", how);
            let name = names.wire(name);
            tools.retain(|tool| tool.name() == name);
        }
    }
    if !options.parallel_calls && !tools.is_empty() {
        degradations.add("/options/parallel_calls", "false", "left out: the provider has no such field");
    }
    if options.strict_tools && !tools.is_empty() {
        degradations.add("/options/strict_tools", "strict", "left out: the provider does not offer it");
    }
}

/// Turns events into messages, with the names of one request.
struct Encoder<'a> {
    issuer: &'a Issuer,
    names: &'a mut Mapper,
    degradations: &'a mut Degradations,
    messages: Vec<Value>,
    /// The model's message under construction, and the index of its first event.
    answer: Option<(Map<String, Value>, usize)>,
    /// The tool whose replies are sent in the words of its dialect.
    native: Option<NativeTool>,
    /// Ids of calls already sent. The issuer's own calls may have none.
    sent_ids: BTreeSet<String>,
}

impl Encoder<'_> {
    fn entry(&mut self, entry: &Entry<'_>) {
        let (event, at) = (entry.event.as_ref(), entry.at);
        if is_assistant(event) {
            if let Some(piece) = self.piece(event, at) {
                let (message, _) = self.answer.get_or_insert_with(|| (Map::new(), at));
                pieces::join(message, piece);
            }
            return;
        }
        self.flush_answer();
        match &event.body {
            Body::ToolResult(result) => self.result(result),
            Body::Text(text) | Body::Opaque(text) => {
                let is_system = event.role == event::Role::System;
                let images = if is_system { Vec::new() } else { self.own_images(event, at) };
                if !text.trim().is_empty() || !images.is_empty() {
                    let role = if is_system { "system" } else { "user" };
                    self.messages.push(message(role, text, &images));
                }
            }
            Body::Thinking(_) | Body::ToolCall(_) => unreachable!("they are the model's"),
        }
    }

    fn result(&mut self, result: &ToolResult) {
        let images: Vec<&str> = result.images.iter().map(|image| image.data.as_str()).collect();
        let mut message = message("tool", &reply_text(result, self.native), &images);
        message["tool_name"] = json!(self.names.wire(result.name.as_deref().unwrap_or_default()));
        if let Some(id) = result.call_id.as_ref().filter(|id| self.sent_ids.contains(*id)) {
            message["tool_call_id"] = json!(id);
        }
        self.messages.push(message);
    }

    /// Ends the model's message, which is left out if it is empty.
    fn flush_answer(&mut self) {
        let Some((mut answer, at)) = self.answer.take() else { return };
        let has_text = answer.get("content").and_then(Value::as_str).is_some_and(|text| !text.is_empty());
        if !has_text && !answer.contains_key("tool_calls") {
            self.degradations.add_event(at, "assistant", "left out: nothing that it says can be sent");
            return;
        }
        answer.insert("role".to_owned(), json!("assistant"));
        answer.entry("content").or_insert_with(|| json!(""));
        self.messages.push(Value::Object(answer));
    }

    fn piece(&mut self, event: &Event, at: usize) -> Option<Map<String, Value>> {
        match &event.body {
            Body::ToolCall(call) => Some(self.call(event, call, at)),
            Body::Text(text) => self.own_piece(event, "content", at).or_else(|| text_piece(text)),
            Body::Thinking(_) => {
                let piece = self.own_piece(event, "thinking", at);
                if piece.is_none() {
                    let how = "left out: only the provider that thought it can read it";
                    self.degradations.add_event(at, "thinking", how);
                }
                piece
            }
            Body::Opaque(text) => {
                self.degradations.add_event(at, "opaque", "sent as plain text, if it has any");
                text_piece(text)
            }
            Body::ToolResult(_) => None,
        }
    }

    /// Returns the issuer's own piece if it has the field that fits the event.
    fn own_piece(&mut self, event: &Event, field: &str, at: usize) -> Option<Map<String, Value>> {
        let [part] = event.envelope.as_ref()?.parts_for(NAME, self.issuer, true)? else { return None };
        let is_sound = |(name, value): (&String, &Value)| match name.as_str() {
            "content" | "thinking" => value.is_string(),
            "tool_calls" => is_call(value),
            _ => false,
        };
        let sound = part.as_object().filter(|part| part.contains_key(field) && part.iter().all(is_sound));
        let sound = sound.filter(|part| field == "tool_calls" || !part.contains_key("tool_calls"));
        if sound.is_none() {
            let how = "not used: its part is not of the kind that the event is";
            self.degradations.add_event(at, "envelope", how);
        }
        sound.cloned()
    }

    fn call(&mut self, event: &Event, call: &DecodedCall, at: usize) -> Map<String, Value> {
        let mut piece = self.own_piece(event, "tool_calls", at).unwrap_or_default();
        let own = match piece.remove("tool_calls") {
            Some(Value::Array(mut calls)) => calls.pop(),
            _ => None,
        };
        let name = self.names.wire(&call.name);
        let mut part = match own {
            Some(Value::Object(part)) => part,
            _ => Map::from_iter([("id".to_owned(), json!(call.id)), ("function".to_owned(), json!({}))]),
        };
        if part.contains_key("id") {
            self.sent_ids.insert(call.id.clone());
            part.insert("id".to_owned(), json!(call.id));
        }
        if let Some(Value::Object(function)) = part.get_mut("function") {
            function.insert("name".to_owned(), json!(name));
            if !function.get("arguments").is_some_and(Value::is_object) {
                let arguments = match &call.arguments {
                    Arguments::Complete(map) => map.clone(),
                    Arguments::Truncated | Arguments::Malformed => {
                        self.degradations.add_event(
                            at,
                            "arguments",
                            "sent as an empty object: they were none",
                        );
                        Map::new()
                    }
                };
                function.insert("arguments".to_owned(), Value::Object(arguments));
            }
        }
        piece.insert("tool_calls".to_owned(), Value::Array(vec![Value::Object(part)]));
        piece
    }

    /// Returns images in base64 that the host made for this wire format.
    fn own_images<'e>(&mut self, event: &'e Event, at: usize) -> Vec<&'e str> {
        let envelope = event.envelope.as_ref();
        let Some(parts) = envelope.and_then(|envelope| envelope.parts_for(NAME, self.issuer, false)) else {
            return Vec::new();
        };
        let images: Option<Vec<&str>> = parts.iter().map(Value::as_str).collect();
        images.unwrap_or_else(|| {
            self.degradations.add_event(at, "envelope", "not used: images are texts in base64");
            Vec::new()
        })
    }
}

fn text_piece(text: &str) -> Option<Map<String, Value>> {
    (!text.is_empty()).then(|| pieces::of("content", text))
}

fn is_call(value: &Value) -> bool {
    let Some([Value::Object(call)]) = value.as_array().map(Vec::as_slice) else { return false };
    call.get("function").is_some_and(Value::is_object)
}
