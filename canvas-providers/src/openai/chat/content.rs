//! Assembles the content of a stream from its deltas: one text, or a list of chunks.

use serde_json::{Map, Value, json};

use super::message;
use super::wire::NAME;
use crate::context::AnswerContext;
use crate::event::{Body, Event};
use crate::pieces;

/// A part of the content, as received so far.
#[derive(Debug)]
pub(super) struct Content {
    kind: Kind,
    text: String,
    /// Number of the part in the answer.
    pub(super) part: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    /// Text that arrived as text.
    Text,
    /// Text in a chunk, with the other fields of the chunk.
    TextChunk(Map<String, Value>),
    /// Readable reasoning in a chunk, with the other fields of the chunk.
    Thinking(Map<String, Value>),
    /// Another chunk, kept unchanged.
    Other(Value),
}

impl Content {
    pub(super) fn new(kind: Kind, part: usize) -> Self {
        Self { kind, text: String::new(), part }
    }

    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Whether a chunk continues this part. If it does, the part takes over the chunk's other fields.
    pub(super) fn goes_on(&mut self, with: &Kind) -> bool {
        match (&mut self.kind, with) {
            (Kind::Text, Kind::Text) | (Kind::TextChunk(_), Kind::Text) => true,
            (Kind::TextChunk(rest), Kind::TextChunk(more)) | (Kind::Thinking(rest), Kind::Thinking(more)) => {
                rest.extend(more.clone());
                true
            }
            _ => false,
        }
    }

    pub(super) fn is_text(&self) -> bool {
        self.kind == Kind::Text
    }

    /// Builds the event. `in_list` tells whether the content as a whole is a list.
    pub(super) fn into_event(self, in_list: bool, context: &AnswerContext) -> (usize, Event) {
        let Self { kind, text, part } = self;
        let text = pieces::grown(text);
        let chunk = match kind {
            Kind::Text if !in_list => {
                let piece = pieces::of("content", text.as_str());
                return (part, pieces::event(NAME, Body::Text(text), piece, context));
            }
            Kind::Text => json!({"type": "text", "text": text}),
            Kind::TextChunk(mut rest) => {
                rest.insert("text".to_owned(), text.into());
                Value::Object(rest)
            }
            Kind::Thinking(mut rest) => {
                rest.insert("thinking".to_owned(), json!([{"type": "text", "text": text}]));
                Value::Object(rest)
            }
            Kind::Other(chunk) => chunk,
        };
        (part, message::content_chunk(chunk, context))
    }
}

/// Returns the kind of a chunk, and its text.
pub(super) fn kind_of(chunk: Value) -> (Kind, String) {
    let Value::Object(mut rest) = chunk else {
        return match chunk {
            Value::String(text) => (Kind::TextChunk(pieces::of("type", "text")), text),
            other => (Kind::Other(other), String::new()),
        };
    };
    match pieces::text(&rest, "type") {
        "text" => {
            let text = pieces::text(&rest, "text").to_owned();
            rest.remove("text");
            (Kind::TextChunk(rest), text)
        }
        "thinking" => {
            let text = message::thinking_text(&Value::Object(rest.clone()));
            rest.remove("thinking");
            (Kind::Thinking(rest), text)
        }
        _ => (Kind::Other(Value::Object(rest)), String::new()),
    }
}
