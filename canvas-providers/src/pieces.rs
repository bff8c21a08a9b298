//! Splits one assistant message into several events. Each event keeps its piece of the message, and the joined pieces
//! are the message.
//!
//! A piece is an object with the field that the event is made from. If the field holds a list, the piece holds a list
//! too.

use serde_json::{Map, Value, json};

use crate::context::AnswerContext;
use crate::envelope::Envelope;
use crate::event::{Body, Event, Role};

/// Builds an event of the model with its piece of the message.
pub(crate) fn event(wire: &str, body: Body, piece: Map<String, Value>, context: &AnswerContext) -> Event {
    let issuer = Some(context.issuer.clone());
    let envelope = Envelope { wire: wire.to_owned(), issuer, parts: vec![Value::Object(piece)] };
    Event { envelope: Some(envelope), ..Event::new(Role::Assistant, body) }
}

/// Builds a piece with one field.
pub(crate) fn of(field: &str, value: impl Into<Value>) -> Map<String, Value> {
    Map::from_iter([(field.to_owned(), value.into())])
}

/// Frees the spare capacity of a text that has grown, which for a long text can be as large as the text.
pub(crate) fn grown(mut text: String) -> String {
    text.shrink_to_fit();
    text
}

/// Adds fields that belong to no event to the first piece, unless the piece already has them.
pub(crate) fn attach(events: &mut [Event], fields: Map<String, Value>) {
    let envelope = events.first_mut().and_then(|event| event.envelope.as_mut());
    if let Some(Value::Object(piece)) = envelope.and_then(|envelope| envelope.parts.first_mut()) {
        for (field, value) in fields {
            piece.entry(field).or_insert(value);
        }
    }
}

/// Joins the pieces of these events into their message.
pub(crate) fn message_of(events: Vec<Event>) -> Map<String, Value> {
    let mut message = Map::new();
    for part in events.into_iter().filter_map(|event| event.envelope).flat_map(|envelope| envelope.parts) {
        if let Value::Object(piece) = part {
            join(&mut message, piece);
        }
    }
    message
}

/// Adds a piece to its message. Texts and lists are appended, and a null only records that the field was present.
pub(crate) fn join(message: &mut Map<String, Value>, piece: Map<String, Value>) {
    for (field, value) in piece {
        match message.get_mut(&field) {
            None => drop(message.insert(field, value)),
            Some(_) if value.is_null() => {}
            Some(there @ Value::Null) => *there = value,
            Some(there) => grow(there, value),
        }
    }
}

fn grow(there: &mut Value, more: Value) {
    match (&mut *there, more) {
        (Value::String(text), Value::String(more)) => text.push_str(&more),
        (Value::Array(items), Value::Array(more)) => items.extend(more),
        (Value::Array(items), Value::String(more)) => items.extend(text_chunk(more)),
        (Value::String(text), Value::Array(more)) => {
            let items = text_chunk(std::mem::take(text)).into_iter().chain(more).collect();
            *there = Value::Array(items);
        }
        // These cannot be joined, so the first one stays.
        _ => {}
    }
}

fn text_chunk(text: String) -> Option<Value> {
    (!text.is_empty()).then(|| json!({"type": "text", "text": text}))
}

/// Returns a field of an object as text, or an empty string if it is not text.
pub(crate) fn text<'a>(object: &'a Map<String, Value>, field: &str) -> &'a str {
    object.get(field).and_then(Value::as_str).unwrap_or_default()
}
