//! A model's answer, in a form that all providers share.

use std::borrow::Cow;

use canvas_tools::CodedError;
use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::event::{Body, Event};
use crate::place::in_words;
use crate::usage::Usage;
use crate::verdict::DecodedCall;

/// Maximum size of a response body, in bytes (32 MiB).
pub const MAX_BODY_BYTES: usize = 32 << 20;
/// Maximum number of parts in one answer.
pub const MAX_PARTS: usize = 10_000;
/// Maximum nesting depth of JSON in answers and in schemas.
pub const MAX_DEPTH: usize = 128;

/// The reason that the model stopped, in the detail that a tool loop needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// The model completed its answer.
    End,
    /// The model waits for the results of its calls.
    ToolUse,
    /// A limit on the length of the answer cut it off.
    Length,
    /// The model's context is full, so a longer request does not fit.
    ContextFull,
    /// The model or its provider declined.
    Refusal,
    /// The provider paused, and continues the turn if you send it back unchanged.
    Pause,
    /// The provider gave no reason, or one that this crate does not know.
    Other,
}

impl StopReason {
    /// Whether the last part may lack its end. A refusal may cut it, because a classifier stops the model in the middle
    /// of a part.
    pub(crate) fn may_cut(self) -> bool {
        matches!(self, Self::Length | Self::ContextFull | Self::Refusal)
    }
}

/// One answer of a model. In JSON: `{events, calls, text, thinking, finish, usage, failure?}`.
#[derive(Debug, Clone, PartialEq)]
pub struct Decoded {
    /// All parts of the answer in order, each with its envelope.
    pub events: Vec<Event>,
    /// The provider's stop reason, verbatim; `finish` in the JSON.
    pub raw_stop_reason: Option<String>,
    /// The meaning of `raw_stop_reason`. It is not in the JSON, because it follows from `finish`.
    pub stop_reason: StopReason,
    /// The tokens used, as far as the provider reports them.
    pub usage: Usage,
    /// The reason that the answer is incomplete, such as a broken stream or an error of the provider; `None` for a
    /// complete answer. The parts before the failure are kept, including sealed reasoning, but none of the calls may
    /// run.
    pub failure: Option<DecodeError>,
}

impl Decoded {
    /// Creates a complete answer, for a host that decodes by itself.
    pub fn new(events: Vec<Event>, stop_reason: StopReason) -> Self {
        Self { events, raw_stop_reason: None, stop_reason, usage: Usage::default(), failure: None }
    }

    /// Returns the calls to the host's tools, in order. Tools run by the provider's server are not included.
    pub fn calls(&self) -> impl Iterator<Item = &DecodedCall> {
        self.events.iter().filter_map(Event::call)
    }

    /// Returns all text parts, joined without a separator. Thinking is not included.
    pub fn text(&self) -> String {
        self.events
            .iter()
            .filter_map(|event| match &event.body {
                Body::Text(text) => Some(text.as_str()),
                _ => None,
            })
            .collect()
    }

    /// Whether the answer has any reasoning part, including empty and encrypted ones.
    pub fn has_thinking(&self) -> bool {
        self.events.iter().any(|event| matches!(event.body, Body::Thinking(_)))
    }
}

impl Serialize for Decoded {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Decoded", 7)?;
        out.serialize_field("events", &self.events)?;
        out.serialize_field("calls", &self.calls().collect::<Vec<_>>())?;
        out.serialize_field("text", &self.text())?;
        out.serialize_field("thinking", &self.has_thinking())?;
        out.serialize_field("finish", &self.raw_stop_reason)?;
        out.serialize_field("usage", &self.usage)?;
        match &self.failure {
            Some(failure) => out.serialize_field("failure", failure)?,
            None => out.skip_field("failure")?,
        }
        out.end()
    }
}

/// Error returned when a body is not an answer, or recorded when a stream ends before its answer is complete.
///
/// If it is returned, no part of the body is used.
///
/// In JSON: `{code, message, place, retryable}`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The bytes are not JSON, or not of the shape that this provider sends.
    #[error("the response cannot be read{}: {reason}; send the request again", in_words(place))]
    NotJson {
        /// JSON Pointer to the invalid JSON; empty for a whole body.
        place: String,
        /// The message of the JSON reader, with line and column.
        reason: String,
    },
    /// The bytes are not in the expected framing, or a checksum does not match.
    #[error("the stream is broken after {frames} frames: {reason}; send the request again")]
    Broken {
        /// Number of complete frames before the error.
        frames: usize,
        /// Description of the fault.
        reason: &'static str,
    },
    /// The stream ended before the answer did.
    #[error("the stream ended in the middle of the answer, after {frames} frames; send the request again")]
    Cut {
        /// Number of complete frames before the end.
        frames: usize,
    },
    /// A size exceeds its limit.
    #[error("the response is over the limit of {limit} {unit}{}; ask for a shorter answer", in_words(place))]
    TooLarge {
        /// JSON Pointer into the body, or into the list of a stream's frames.
        place: String,
        /// The exceeded limit, in `unit`.
        limit: usize,
        /// The unit of the limit, such as `bytes`.
        unit: &'static str,
    },
    /// The body is JSON, but not an answer of this provider.
    #[error(
        "the response has another value than {expected}{}; check which provider it came from",
        in_words(place)
    )]
    Unexpected {
        /// JSON Pointer into the body, or into the list of a stream's frames.
        place: String,
        /// Description of the expected value.
        expected: &'static str,
    },
    /// The provider answered with an error of its own.
    #[error(
        "the provider answered {kind}: {}; {}",
        message.trim_end_matches('.'),
        if *retryable { "send the request again later" } else { "change the request before sending it again" }
    )]
    Provider {
        /// The provider's name for the error.
        kind: String,
        /// The provider's message, verbatim.
        message: String,
        /// Whether the same request may succeed later.
        retryable: bool,
    },
}

impl CodedError for DecodeError {
    fn code(&self) -> &'static str {
        match self {
            Self::NotJson { .. } => "RESPONSE_NOT_JSON",
            Self::Broken { .. } => "STREAM_BROKEN",
            Self::Cut { .. } => "STREAM_CUT",
            Self::TooLarge { .. } => "RESPONSE_TOO_LARGE",
            Self::Unexpected { .. } => "RESPONSE_UNEXPECTED",
            Self::Provider { .. } => "PROVIDER_ERROR",
        }
    }

    /// Returns a JSON Pointer into the body, or into the list of a stream's frames. It is empty if the error concerns
    /// the whole.
    fn place(&self) -> Option<Cow<'_, str>> {
        Some(match self {
            Self::Broken { .. } | Self::Cut { .. } => "".into(),
            Self::NotJson { place, .. } | Self::TooLarge { place, .. } | Self::Unexpected { place, .. } => {
                place.into()
            }
            Self::Provider { .. } => "/error".into(),
        })
    }

    fn is_retryable(&self) -> bool {
        match self {
            Self::NotJson { .. } | Self::Broken { .. } | Self::Cut { .. } => true,
            Self::TooLarge { .. } | Self::Unexpected { .. } => false,
            Self::Provider { retryable, .. } => *retryable,
        }
    }
}

impl DecodeError {
    pub(crate) fn not_json(place: String, error: &serde_json::Error) -> Self {
        Self::NotJson { place, reason: error.to_string() }
    }

    /// Prefixes the place with the position of a frame, because a frame does not know how many came before it.
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
        out.serialize_field("place", &self.place())?;
        out.serialize_field("retryable", &self.is_retryable())?;
        out.end()
    }
}

/// Checks that a body is not nested deeper than [`MAX_DEPTH`].
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
