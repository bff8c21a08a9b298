//! Encodes events of the model as pieces of its message.

use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use super::super::wire::NAME;
use super::ids::Ids;
use crate::encoded::Degradations;
use crate::envelope::Issuer;
use crate::event::{Body, Event};
use crate::hosts::ChatHost;
use crate::names::Mapper;
use crate::pieces;
use crate::verdict::{Arguments, DecodedCall};

pub(super) const NOT_USED: &str = "not used: its part is not of the kind that the event is";

/// Turns events into pieces, with the names and ids of one request.
pub(super) struct Pieces<'a> {
    pub(super) issuer: &'a Issuer,
    pub(super) host: &'a ChatHost,
    pub(super) names: &'a mut Mapper,
    pub(super) ids: Ids,
    pub(super) degradations: &'a mut Degradations,
}

impl Pieces<'_> {
    /// Returns the piece of an event, in the issuer's own form or in a form that every host understands.
    pub(super) fn piece(&mut self, event: &Event, at: usize) -> Option<Map<String, Value>> {
        match &event.body {
            Body::ToolCall(call) => Some(self.call(event, call, at)),
            Body::Text(text) => self.own_piece(event, at).or_else(|| text_piece(text)),
            Body::Thinking(_) => {
                let piece = self.own_piece(event, at);
                if piece.is_none() {
                    let how = "left out: only the provider that thought it can read it";
                    self.degradations.add_event(at, "thinking", how);
                }
                piece
            }
            Body::Opaque(text) => {
                let piece = self.own_piece(event, at);
                if piece.is_none() {
                    self.degradations.add_event(at, "opaque", "sent as plain text, if it has any");
                }
                piece.or_else(|| text_piece(text))
            }
            Body::ToolResult(_) => None,
        }
    }

    /// Returns the host's own piece if it fits the event, with the fields that the host accepts back.
    fn own_piece(&mut self, event: &Event, at: usize) -> Option<Map<String, Value>> {
        let [part] = event.envelope.as_ref()?.parts_for(NAME, self.issuer, true)? else { return None };
        let fields = self.host.message_fields;
        let goes_back = |field: &str, value: &Value| match field {
            "content" => self.is_content(value),
            "refusal" => value.is_string(),
            "tool_calls" => is_call(value),
            "role" => false,
            other => fields.contains(other),
        };
        let Some(part) = part.as_object() else {
            self.degradations.add_event(at, "envelope", NOT_USED);
            return None;
        };
        let kept: Map<String, Value> = part
            .iter()
            .filter(|(field, value)| goes_back(field, value))
            .map(|(field, value)| (field.clone(), value.clone()))
            .collect();
        if kept.len() < part.len() {
            let left_out = part.keys().filter(|field| !kept.contains_key(*field));
            let left_out: Vec<&str> = left_out.map(String::as_str).collect();
            self.degradations.add_event(at, &left_out.join(" "), "left out: the host does not take it back");
        }
        let says = |field: &str| kept.get(field).is_some_and(|value| !value.is_null());
        let fits = match &event.body {
            Body::ToolCall(_) => says("tool_calls"),
            Body::Text(_) => says("content") && !says("tool_calls"),
            Body::Thinking(_) | Body::Opaque(_) => {
                !says("tool_calls") && kept.values().any(|value| !value.is_null())
            }
            Body::ToolResult(_) => false,
        };
        fits.then_some(kept)
    }

    /// Whether a content is a text, or a list of chunks that the host accepts from the model.
    fn is_content(&self, content: &Value) -> bool {
        let has_text = |chunk: &Value, kind: &str| chunk.get(kind).is_some_and(Value::is_string);
        let is_chunk = |chunk: &Value| match chunk.get("type").and_then(Value::as_str) {
            Some(kind @ ("text" | "refusal")) => has_text(chunk, kind),
            Some(_) => self.host.thinking_chunks,
            None => false,
        };
        match content {
            Value::Null | Value::String(_) => true,
            Value::Array(chunks) => chunks.iter().all(is_chunk),
            _ => false,
        }
    }

    fn call(&mut self, event: &Event, call: &DecodedCall, at: usize) -> Map<String, Value> {
        let id = self.ids.wire(&call.id).to_owned();
        let name = self.names.wire(&call.name).to_owned();
        let mut piece = self.own_piece(event, at).unwrap_or_default();
        let own = match piece.remove("tool_calls") {
            Some(Value::Array(mut calls)) => calls.pop(),
            _ => None,
        };
        let mut part = match own {
            Some(Value::Object(part)) => self.call_fields(part),
            _ => Map::new(),
        };
        part.insert("id".to_owned(), id.into());
        if self.host.custom_tools && part.get("type").is_some_and(|kind| kind == "custom") {
            part.remove("function");
            if let Some(Value::Object(custom)) = part.get_mut("custom") {
                custom.insert("name".to_owned(), name.into());
            }
        } else {
            part.remove("custom");
            part.insert("type".to_owned(), json!("function"));
            let said = part.remove("function");
            let said = said.as_ref().and_then(|function| function.get("arguments")).and_then(Value::as_str);
            let arguments = self.arguments(call, said, at);
            part.insert("function".to_owned(), json!({"name": name, "arguments": arguments}));
        }
        piece.insert("tool_calls".to_owned(), Value::Array(vec![Value::Object(part)]));
        piece
    }

    /// Returns the host's own call without the fields that the host does not accept back.
    fn call_fields(&self, part: Map<String, Value>) -> Map<String, Value> {
        let fields = self.host.message_fields;
        let is_known = |field: &str| matches!(field, "id" | "type" | "function" | "custom");
        part.into_iter().filter(|(field, _)| is_known(field) || fields.contains(field)).collect()
    }

    /// Returns the arguments as text, unchanged if they are an object.
    fn arguments(&mut self, call: &DecodedCall, said: Option<&str>, at: usize) -> String {
        if let Some(said) = said.filter(|said| is_object(said)) {
            return said.to_owned();
        }
        match &call.arguments {
            Arguments::Complete(map) => {
                serde_json::to_string(map).expect("strings and JSON values always serialise")
            }
            Arguments::Truncated | Arguments::Malformed => {
                self.degradations.add_event(at, "arguments", "sent as an empty object: they were none");
                "{}".to_owned()
            }
        }
    }
}

fn text_piece(text: &str) -> Option<Map<String, Value>> {
    (!text.is_empty()).then(|| pieces::of("content", text))
}

fn is_call(value: &Value) -> bool {
    let Some([Value::Object(call)]) = value.as_array().map(Vec::as_slice) else { return false };
    let said = match call.get("type").and_then(Value::as_str) {
        Some("custom") => {
            call.get("custom").filter(|custom| custom.get("input").is_some_and(Value::is_string))
        }
        _ => call.get("function"),
    };
    said.is_some_and(Value::is_object)
}

fn is_object(json: &str) -> bool {
    json.trim_start().starts_with('{') && serde_json::from_str::<IgnoredAny>(json).is_ok()
}
