//! The operations of every provider, behind one type.

use std::fmt;
use std::str::FromStr;

use canvas_tools::ToolSpec;
use serde_json::Value;

use crate::anthropic;
use crate::decoded::{DecodeError, Decoded, MAX_BODY_BYTES};
use crate::encoded::{EncodeError, EncodedRequest, EncodedTools, RequestOptions};
use crate::event::Event;
use crate::names::Renames;
use crate::native::NativeTool;

/// A provider whose wire format this crate reads and writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Provider {
    /// Anthropic Messages.
    Anthropic,
}

/// A name that is no provider's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("No provider is called {name:?}; use one of Provider::ALL.")]
pub struct UnknownProvider {
    /// The name.
    pub name: String,
}

canvas_tools::coded_error!(UnknownProvider => "UNKNOWN_PROVIDER");

impl Provider {
    /// All providers, in the order in which they were added.
    pub const ALL: &[Self] = &[Self::Anthropic];

    /// The name that hosts and envelopes use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Anthropic => anthropic::NAME,
        }
    }

    /// Reads a whole answer that was not streamed. Calls get the tools' own names back: `renames` are those of the
    /// [request](Self::request) that it answers, none where every name went out as it was.
    ///
    /// # Errors
    /// If the body is an error of the provider, is no answer of it, or is over a limit.
    pub fn decode(self, body: &Value, renames: &Renames) -> Result<Decoded, DecodeError> {
        match self {
            Self::Anthropic => anthropic::decode(body, renames),
        }
    }

    /// [`decode`](Self::decode) from bytes as they came.
    ///
    /// # Errors
    /// As `decode`; also if the bytes are no JSON or more than [`MAX_BODY_BYTES`].
    pub fn decode_slice(self, bytes: &[u8], renames: &Renames) -> Result<Decoded, DecodeError> {
        if bytes.len() > MAX_BODY_BYTES {
            let place = String::new();
            return Err(DecodeError::TooLarge { place, limit: MAX_BODY_BYTES, unit: "bytes" });
        }
        let body = serde_json::from_slice(bytes).map_err(|source| DecodeError::NotJson {
            line: source.line(),
            column: source.column(),
            source,
        })?;
        self.decode(&body, renames)
    }

    /// Tools in the provider's form, cut to the schema that it accepts, and the one that it has built in as such. What was
    /// cut is listed; the tools still check it.
    pub fn tools(self, specs: &[ToolSpec], native: Option<NativeTool>) -> EncodedTools {
        match self {
            Self::Anthropic => anthropic::tools(specs, native),
        }
    }

    /// A request that the provider accepts, from any history.
    ///
    /// # Errors
    /// If nothing of the history can be sent, or an option can never be right.
    pub fn request(
        self,
        model: &str,
        system: &str,
        specs: &[ToolSpec],
        events: &[Event],
        options: &RequestOptions,
    ) -> Result<EncodedRequest, EncodeError> {
        match self {
            Self::Anthropic => anthropic::request(model, system, specs, events, options),
        }
    }

    /// What decoding an answer and encoding it again sends back for that turn: the parts as they came, but for
    /// empty texts, which no provider takes back.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub fn replay(self, body: &Value) -> Result<Vec<Value>, DecodeError> {
        let decoded = self.decode(body, &Renames::default())?;
        Ok(match self {
            Self::Anthropic => anthropic::replay(&decoded.events),
        })
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Provider {
    type Err = UnknownProvider;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.iter().find(|provider| provider.name() == name);
        found.copied().ok_or_else(|| UnknownProvider { name: name.to_owned() })
    }
}
