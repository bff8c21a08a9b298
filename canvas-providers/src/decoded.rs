//! An answer of a model, in a form that all providers share.

use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};

use crate::event::{Body, Event};
use crate::place::in_words;
use crate::verdict::DecodedCall;

/// Maximum bytes of a body.
pub const MAX_BODY_BYTES: usize = 32 << 20;
/// Maximum parts of one answer.
pub const MAX_PARTS: usize = 10_000;
/// Maximum nesting of JSON that is walked, in answers and in schemas.
pub const MAX_DEPTH: usize = 128;

/// Why the model stopped, as far as a tool loop has to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// Its answer is complete.
    End,
    /// It waits for its calls.
    ToolUse,
    /// A limit cut it off.
    Length,
    /// It, or its provider, declined.
    Refusal,
    /// The provider wants the turn sent back as it is, to go on with it.
    Pause,
    /// None given, or one that this crate does not know.
    Other,
}

/// One whole answer. In JSON: `{events, calls, text, thinking, finish}`.
#[derive(Debug, Clone, PartialEq)]
pub struct Decoded {
    /// All parts of the answer in order, each with its envelope.
    pub events: Vec<Event>,
    /// The provider's stop reason as it gave it; `finish` in the JSON.
    pub raw_stop_reason: Option<String>,
    /// What it means. Not in the JSON: it follows from `finish`.
    pub stop_reason: StopReason,
}

impl Decoded {
    /// The calls of the host's tools, in order. Tools run by the provider's server are not among them.
    pub fn calls(&self) -> impl Iterator<Item = &DecodedCall> {
        self.events.iter().filter_map(Event::call)
    }

    /// The text parts joined with nothing between, without thinking.
    pub fn text(&self) -> String {
        self.events
            .iter()
            .filter_map(|event| match &event.body {
                Body::Text(text) => Some(text.as_str()),
                _ => None,
            })
            .collect()
    }

    /// True for any reasoning part, empty and encrypted ones too.
    pub fn thinking(&self) -> bool {
        self.events.iter().any(|event| matches!(event.body, Body::Thinking(_)))
    }
}

impl Serialize for Decoded {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Decoded", 5)?;
        out.serialize_field("events", &self.events)?;
        out.serialize_field("calls", &self.calls().collect::<Vec<_>>())?;
        out.serialize_field("text", &self.text())?;
        out.serialize_field("thinking", &self.thinking())?;
        out.serialize_field("finish", &self.raw_stop_reason)?;
        out.end()
    }
}

/// A body that is no answer. Nothing of it is used.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// The bytes are no JSON.
    #[error("The response is no JSON (line {line}, column {column}); send the request again.")]
    NotJson {
        /// 1-based line of the first fault.
        line: usize,
        /// 1-based column of the first fault.
        column: usize,
        /// What the JSON reader says.
        source: serde_json::Error,
    },
    /// A size is over its limit.
    #[error("The response is over the limit of {limit} {unit}{}; ask for a shorter answer.", in_words(place))]
    TooLarge {
        /// JSON Pointer into the body.
        place: String,
        /// The limit.
        limit: usize,
        /// What the limit counts.
        unit: &'static str,
    },
    /// JSON, but no answer of this provider.
    #[error("Expected {expected}{}; check which provider the response came from.", in_words(place))]
    Unexpected {
        /// JSON Pointer into the body.
        place: String,
        /// What should be there.
        expected: &'static str,
    },
    /// The provider answered with an error of its own.
    #[error(
        "The provider answered {kind}: {message}; {}",
        if *retryable { "send the request again later." } else { "change what it says before the request is sent again." }
    )]
    Provider {
        /// The provider's name of the error.
        kind: String,
        /// The provider's own words.
        message: String,
        /// True where the same request may succeed later.
        retryable: bool,
    },
}

canvas_tools::coded_error!(DecodeError {
    Self::NotJson { .. } => "RESPONSE_NOT_JSON", true;
    Self::TooLarge { .. } => "RESPONSE_TOO_LARGE";
    Self::Unexpected { .. } => "RESPONSE_UNEXPECTED";
    Self::Provider { retryable, .. } => "PROVIDER_ERROR", *retryable;
});

impl DecodeError {
    /// Where in the body, as a JSON Pointer; empty for all of it.
    pub fn place(&self) -> &str {
        match self {
            Self::NotJson { .. } => "",
            Self::TooLarge { place, .. } | Self::Unexpected { place, .. } => place,
            Self::Provider { .. } => "/error",
        }
    }
}
