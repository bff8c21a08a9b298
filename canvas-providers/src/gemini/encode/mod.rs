//! Encodes a history as a request. The model is named in the address, not in the body.

mod item;
mod signatures;
mod tools;

use std::borrow::Cow;
use std::collections::{BTreeSet, VecDeque};

use serde_json::{Map, Value, json};

use self::item::{Item, Role};
use super::NAME;
use super::decode::decode;
use super::decode::{KINDS, is_text, is_thought};
use super::stream::Stream;
use crate::context::AnswerContext;
use crate::decoded::{DecodeError, Decoded};
use crate::encoded::{Degradations, EncodeError};
use crate::envelope::Issuer;
use crate::event::{self, Body, Event, Image, ToolResult};
use crate::frames::Framing;
use crate::history::{OPENING, extra_fields, join_system};
use crate::names::Mapper;
use crate::repair::{Entry, entries, is_assistant};
use crate::verdict::{Arguments, DecodedCall};
use crate::wire::{Call, RequestBody, Wire};

pub(super) use self::tools::{declare, mapper};

/// Fields of a body that the host's `extra` fields cannot replace.
const OWN_FIELDS: &[&str] = &["model", "contents", "systemInstruction", "tools", "toolConfig"];

#[derive(Debug)]
pub(crate) enum Gemini {}

impl Wire for Gemini {
    const NAME: &'static str = NAME;
    const HOST: &'static str = "generativelanguage.googleapis.com";
    const FRAMING: Framing = Framing::Sse;

    type Stream = Stream;

    fn decode(body: &Value, context: &AnswerContext) -> Result<Decoded, DecodeError> {
        decode(body, context)
    }

    fn replay(events: Vec<Event>, issuer: &Issuer) -> Vec<Value> {
        let (mut names, mut degradations) = (mapper(&[]), Degradations::default());
        let mut encoder = PartEncoder::new(issuer, &mut names, &mut degradations);
        let mut items = Vec::new();
        for (at, event) in events.iter().enumerate() {
            encoder.add(&Entry { event: Cow::Borrowed(event), at }, &mut items);
        }
        items.into_iter().map(|item| item.part).collect()
    }

    fn names(call: &Call<'_>) -> Mapper {
        mapper(call.specs)
    }

    fn declared(call: &Call<'_>, names: &mut Mapper, degradations: &mut Degradations) -> Value {
        let declared = declare(call.specs, call.options.native, names, degradations);
        if declared.is_empty() { json!([]) } else { json!([{"functionDeclarations": declared}]) }
    }

    fn body(
        call: &Call<'_>,
        names: &mut Mapper,
        degradations: &mut Degradations,
    ) -> Result<RequestBody, EncodeError> {
        let Call { issuer, system, specs, events, options } = *call;
        let declared = declare(specs, options.native, names, degradations);
        let history = entries(events, degradations);
        let system = join_system(system, &history, degradations);
        let mut encoder = PartEncoder::new(issuer, names, degradations);
        let mut items = Vec::with_capacity(history.len());
        for entry in &history {
            encoder.add(entry, &mut items);
        }
        let without_id = encoder.finish(&mut items);
        // An id that is not sent need not be unique.
        degradations.0.retain(|one| one.keyword != "call_id" || !without_id.contains(&one.path));
        let Some(first) = items.first() else { return Err(EncodeError::EmptyHistory) };
        if first.role == Role::Model {
            let at = first.at;
            degradations.add_event(at, "role", "a line of the user was put before it");
            items.insert(0, Item { role: Role::User, part: json!({"text": OPENING}), at });
        }
        if signatures::are_checked(&issuer.model) {
            signatures::fill(&mut items, degradations);
        }
        let mut body = extra_fields(&options.extra, OWN_FIELDS, degradations);
        let config = body.entry("generationConfig").or_insert_with(|| json!({}));
        match config {
            Value::Object(config) => {
                drop(config.insert("maxOutputTokens".to_owned(), options.max_tokens.into()))
            }
            other => *other = json!({"maxOutputTokens": options.max_tokens}),
        }
        if let Some(choice) = tools::choice(options, specs, names, degradations)? {
            body.insert("toolConfig".to_owned(), json!({"functionCallingConfig": choice}));
        }
        if !declared.is_empty() {
            body.insert("tools".to_owned(), json!([{"functionDeclarations": declared}]));
        }
        if !system.is_empty() {
            body.insert("systemInstruction".to_owned(), json!({"parts": [{"text": system}]}));
        }
        body.insert("contents".to_owned(), fold(items));
        Ok((Value::Object(body), None))
    }
}

/// Turns events into parts, with the names and ids of one request.
struct PartEncoder<'a> {
    issuer: &'a Issuer,
    names: &'a mut Mapper,
    degradations: &'a mut Degradations,
    /// Whether a result may hold images.
    images_in_results: bool,
    /// Ids of the calls whose results follow, in their order; `None` if the call has no id on the wire.
    ids: VecDeque<Option<String>>,
    /// Images that are sent after the results of their turn.
    after_results: Vec<Item>,
    /// Places of calls that have no id on the wire.
    without_id: BTreeSet<String>,
}

impl<'a> PartEncoder<'a> {
    fn new(issuer: &'a Issuer, names: &'a mut Mapper, degradations: &'a mut Degradations) -> Self {
        Self {
            issuer,
            names,
            degradations,
            images_in_results: signatures::are_checked(&issuer.model),
            ids: VecDeque::new(),
            after_results: Vec::new(),
            without_id: BTreeSet::new(),
        }
    }

    fn finish(mut self, items: &mut Vec<Item>) -> BTreeSet<String> {
        items.append(&mut self.after_results);
        self.without_id
    }

    fn add(&mut self, entry: &Entry<'_>, items: &mut Vec<Item>) {
        let (event, at) = (entry.event.as_ref(), entry.at);
        if !matches!(event.body, Body::ToolResult(_)) {
            items.append(&mut self.after_results);
        }
        let part = match &event.body {
            Body::Text(_) | Body::Opaque(_) if event.role == event::Role::System => None,
            Body::ToolResult(result) => Some(self.result(result, at)),
            Body::ToolCall(call) => Some(self.call(event, call, at)),
            Body::Text(text) => self.own_part(event, at).or_else(|| text_part(text)),
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
                part.or_else(|| text_part(text))
            }
        };
        let role = match &event.body {
            Body::ToolResult(_) => Role::Results,
            _ if is_assistant(event) => Role::Model,
            _ => Role::User,
        };
        items.extend(part.filter(|part| !is_empty(part)).map(|part| Item { role, part, at }));
    }

    /// Returns the provider's own part if its kind fits the event's body and role.
    fn own_part(&mut self, event: &Event, at: usize) -> Option<Value> {
        let envelope = event.envelope.as_ref()?;
        let [part] = envelope.parts_for(NAME, self.issuer, is_assistant(event))? else { return None };
        let is = |kind: &str| part.get(kind).is_some();
        let is_single = KINDS.iter().filter(|kind| is(kind)).count() <= 1;
        let fits = match (&event.body, is_assistant(event)) {
            (Body::ToolCall(_), _) => part.get("functionCall").is_some_and(Value::is_object),
            (Body::Thinking(_), _) => is_text(part) && is_thought(part),
            (Body::Text(_), true) => is_text(part) && !is_thought(part),
            (Body::Opaque(_), true) => {
                let kinds = KINDS.iter().filter(|kind| is(kind)).count();
                part.is_object()
                    && kinds <= 1
                    && !is("text")
                    && !is("functionCall")
                    && !is("functionResponse")
            }
            (Body::Text(_) | Body::Opaque(_), false) => {
                is_text(part) && !is_thought(part) || is_single && (is("inlineData") || is("fileData"))
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
        let name = self.names.wire(&call.name).to_owned();
        if let Some(mut part) = self.own_part(event, at)
            && let Some(Value::Object(own)) = part.get_mut("functionCall")
        {
            own.insert("name".to_owned(), name.into());
            let has_id = own.get("id").and_then(Value::as_str).is_some_and(|id| !id.is_empty());
            let id = has_id.then(|| call.id.clone());
            match &id {
                Some(id) => drop(own.insert("id".to_owned(), id.as_str().into())),
                None => {
                    own.remove("id");
                    self.without_id.insert(format!("/events/{at}"));
                }
            }
            self.ids.push_back(id);
            if own.get("args").is_some_and(|arguments| !arguments.is_object()) {
                own.insert("args".to_owned(), json!({}));
                self.degradations.add_event(at, "arguments", "sent as an empty object: they were none");
            }
            if let Value::Object(part) = &mut part {
                part.retain(|key, _| key == "functionCall" || !KINDS.contains(&key.as_str()));
            }
            return part;
        }
        let arguments = match &call.arguments {
            Arguments::Complete(map) => map.clone(),
            Arguments::Truncated | Arguments::Malformed => Map::new(),
        };
        self.ids.push_back(Some(call.id.clone()));
        json!({"functionCall": {"id": call.id, "name": name, "args": arguments}})
    }

    /// Encodes a result. Its key tells whether the call failed.
    fn result(&mut self, result: &ToolResult, at: usize) -> Value {
        let name = self.names.wire(result.name.as_deref().unwrap_or_default());
        let key = if result.is_error() { "error" } else { "output" };
        let mut response = json!({"name": name, "response": {key: result.result}});
        if let Some(id) = self.ids.pop_front().flatten() {
            response["id"] = id.into();
        }
        let images = result
            .images
            .iter()
            .map(|Image { media_type, data }| json!({"inlineData": {"mimeType": media_type, "data": data}}));
        if self.images_in_results {
            if !result.images.is_empty() {
                response["parts"] = images.collect();
            }
        } else {
            for part in images {
                self.degradations.add_event(at, "image", "sent after the results: a result takes none");
                self.after_results.push(Item { role: Role::User, part, at });
            }
        }
        json!({"functionResponse": response})
    }
}

fn text_part(text: &str) -> Option<Value> {
    (!text.is_empty()).then(|| json!({"text": text}))
}

/// Whether a part is empty. An empty text counts as empty unless it has a signature.
fn is_empty(part: &Value) -> bool {
    let Some(members) = part.as_object() else { return true };
    let is_signed = members.contains_key("thoughtSignature");
    is_text(part) && !is_signed && part["text"] == "" || members.keys().all(|key| key == "thought")
}

/// Folds consecutive parts of the same role into contents. Results belong to the user, and come before other text.
fn fold(items: Vec<Item>) -> Value {
    let mut contents: Vec<(bool, Vec<Value>)> = Vec::new();
    for Item { role, part, .. } in items {
        let is_model = role == Role::Model;
        match contents.last_mut() {
            Some((last, parts)) if *last == is_model => parts.push(part),
            _ => contents.push((is_model, vec![part])),
        }
    }
    let contents = contents.into_iter().map(|(is_model, parts)| {
        let role = if is_model { "model" } else { "user" };
        json!({"role": role, "parts": parts})
    });
    contents.collect()
}
