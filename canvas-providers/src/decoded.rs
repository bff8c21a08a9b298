//! An answer of a model, in a form that all providers share.

use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::event::{Body, Event};
use crate::place::in_words;
use crate::usage::Usage;
use crate::verdict::DecodedCall;

/// Maximum bytes of a body.
pub const MAX_BODY_BYTES: usize = 32 << 20;
/// Maximum parts of one answer.
pub const MAX_PARTS: usize = 10_000;
/// Maximum nesting of JSON that is walked, in answers and in schemas.
pub const MAX_DEPTH: usize = 128;

/// Why the model stopped, as far as a tool loop has to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// Its answer is complete.
    End,
    /// It waits for its calls.
    ToolUse,
    /// A limit on the answer cut it off.
    Length,
    /// The model's context is full: no longer request fits.
    ContextFull,
    /// It, or its provider, declined.
    Refusal,
    /// The provider wants the turn sent back as it is, to go on with it.
    Pause,
    /// None given, or one that this crate does not know.
    Other,
}

impl StopReason {
    /// Whether the last part may lack its end. A refusal comes from a classifier, in the middle of a part.
    pub(crate) fn may_cut(self) -> bool {
        matches!(self, Self::Length | Self::ContextFull | Self::Refusal)
    }
}

/// One answer. In JSON: `{events, calls, text, thinking, finish, usage, failure?}`.
#[derive(Debug, Clone, PartialEq)]
pub struct Decoded {
    /// All parts of the answer in order, each with its envelope.
    pub events: Vec<Event>,
    /// The provider's stop reason as it gave it; `finish` in the JSON.
    pub raw_stop_reason: Option<String>,
    /// What it means. Not in the JSON: it follows from `finish`.
    pub stop_reason: StopReason,
    /// What the answer cost, as far as the provider says.
    pub usage: Usage,
    /// Why the answer is not whole: what broke a stream off, or the provider's own error in it. `None` for a whole
    /// answer. What came before it is kept, and so is sealed reasoning in it; no call of it is to run.
    pub failure: Option<DecodeError>,
}

impl Decoded {
    /// A whole answer of a host that decodes by itself.
    pub fn new(events: Vec<Event>, stop_reason: StopReason) -> Self {
        Self { events, raw_stop_reason: None, stop_reason, usage: Usage::default(), failure: None }
    }

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
        let mut out = serializer.serialize_struct("Decoded", 7)?;
        out.serialize_field("events", &self.events)?;
        out.serialize_field("calls", &self.calls().collect::<Vec<_>>())?;
        out.serialize_field("text", &self.text())?;
        out.serialize_field("thinking", &self.thinking())?;
        out.serialize_field("finish", &self.raw_stop_reason)?;
        out.serialize_field("usage", &self.usage)?;
        match &self.failure {
            Some(failure) => out.serialize_field("failure", failure)?,
            None => out.skip_field("failure")?,
        }
        out.end()
    }
}

/// A body that is no answer, of which nothing is used, or the end of a stream that is not the answer's.
///
/// In JSON: `{code, message, place, retryable}`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The bytes are no JSON, or not of the shape that this provider sends.
    #[error("The response cannot be read{}: {reason}; send the request again.", in_words(place))]
    NotJson {
        /// JSON Pointer; empty for a whole body.
        place: String,
        /// What the JSON reader says, with line and column.
        reason: String,
    },
    /// The bytes are not framed as they should be, or a checksum differs.
    #[error("The stream is broken after {frames} frames: {reason}; send the request again.")]
    Broken {
        /// Frames that came whole.
        frames: usize,
        /// What is wrong.
        reason: &'static str,
    },
    /// The stream ended before the answer did.
    #[error("The stream ended in the middle of the answer, after {frames} frames; send the request again.")]
    Cut {
        /// Frames that came whole.
        frames: usize,
    },
    /// A size is over its limit.
    #[error("The response is over the limit of {limit} {unit}{}; ask for a shorter answer.", in_words(place))]
    TooLarge {
        /// JSON Pointer into the body, or into the list of a stream's frames.
        place: String,
        /// The limit.
        limit: usize,
        /// What the limit counts.
        unit: &'static str,
    },
    /// JSON, but no answer of this provider.
    #[error("Expected {expected}{}; check which provider the response came from.", in_words(place))]
    Unexpected {
        /// JSON Pointer into the body, or into the list of a stream's frames.
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
    Self::Broken { .. } => "STREAM_BROKEN", true;
    Self::Cut { .. } => "STREAM_CUT", true;
    Self::TooLarge { .. } => "RESPONSE_TOO_LARGE";
    Self::Unexpected { .. } => "RESPONSE_UNEXPECTED";
    Self::Provider { retryable, .. } => "PROVIDER_ERROR", *retryable;
});

impl DecodeError {
    /// Where in the body, or in the list of a stream's frames, as a JSON Pointer; empty for all of it.
    pub fn place(&self) -> &str {
        match self {
            Self::Broken { .. } | Self::Cut { .. } => "",
            Self::NotJson { place, .. } | Self::TooLarge { place, .. } | Self::Unexpected { place, .. } => {
                place
            }
            Self::Provider { .. } => "/error",
        }
    }

    pub(crate) fn not_json(place: String, error: &serde_json::Error) -> Self {
        Self::NotJson { place, reason: error.to_string() }
    }

    /// The same error, further in: a frame does not know how many came before it.
    pub(crate) fn inside(self, outer: &str) -> Self {
        let within = |place: String| format!("{outer}{place}");
        match self {
            Self::NotJson { place, reason } => Self::NotJson { place: within(place), reason },
            Self::TooLarge { place, limit, unit } => Self::TooLarge { place: within(place), limit, unit },
            Self::Unexpected { place, expected } => Self::Unexpected { place: within(place), expected },
            other @ (Self::Broken { .. } | Self::Cut { .. } | Self::Provider { .. }) => other,
        }
    }
}

impl Serialize for DecodeError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("DecodeError", 4)?;
        out.serialize_field("code", self.code())?;
        out.serialize_field("message", &self.to_string())?;
        out.serialize_field("place", self.place())?;
        out.serialize_field("retryable", &self.retryable())?;
        out.end()
    }
}

/// Passes a body that is not nested deeper than [`MAX_DEPTH`].
pub(crate) fn check_depth(body: &Value) -> Result<(), DecodeError> {
    if deeper_than(body, MAX_DEPTH) {
        return Err(DecodeError::TooLarge { place: String::new(), limit: MAX_DEPTH, unit: "levels" });
    }
    Ok(())
}

fn deeper_than(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(items) => levels == 0 || items.iter().any(|item| deeper_than(item, levels - 1)),
        Value::Object(map) => levels == 0 || map.values().any(|item| deeper_than(item, levels - 1)),
        _ => false,
    }
}
