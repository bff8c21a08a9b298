//! What goes to a provider, and what of it the provider does not get as it was.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::context::AnswerContext;
#[cfg(feature = "openai")]
use crate::hosts::ChatHost;
use crate::names::Renames;
use crate::native::NativeTool;

/// Something that a provider does not get, or gets in another form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Degradation {
    /// Where it was, as a JSON Pointer into tools, events and options: `/tools/2/parameters/properties/x`, `/events/7`.
    pub path: String,
    /// What was there: a schema keyword, or the type of an event.
    pub keyword: String,
    /// What became of it, and who still checks it.
    pub how: String,
}

/// The degradations of one request so far.
#[derive(Debug, Default)]
pub(crate) struct Degradations(pub(crate) Vec<Degradation>);

impl Degradations {
    pub(crate) fn add(&mut self, path: impl Into<String>, keyword: &str, how: impl Into<String>) {
        self.0.push(Degradation { path: path.into(), keyword: keyword.to_owned(), how: how.into() });
    }

    /// Of the event with this index in the history.
    pub(crate) fn add_event(&mut self, at: usize, keyword: &str, how: impl Into<String>) {
        self.add(format!("/events/{at}"), keyword, how);
    }
}

/// Tools in a provider's form.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EncodedTools {
    /// The value that goes on the wire.
    pub tools: Value,
    /// Tools that had to take another name; [`Provider::decode`](crate::Provider::decode) maps them back.
    pub renames: Renames,
    /// What the provider's schema subset left out.
    #[serde(rename = "losses")]
    pub degradations: Vec<Degradation>,
}

/// A whole request in a provider's form.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EncodedRequest {
    /// The body to send.
    pub body: Value,
    /// What the answer to it is read with.
    #[serde(skip)]
    pub context: AnswerContext,
    /// What of tools and history the provider does not get as it was.
    #[serde(rename = "losses")]
    pub degradations: Vec<Degradation>,
}

/// Which tool the model has to call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// Any or none, as the model sees fit.
    #[default]
    Auto,
    /// None; the tools are declared all the same.
    None,
    /// At least one.
    Required,
    /// This one.
    Tool(String),
}

/// What a host may set for one request.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestOptions {
    /// Most tokens of the answer.
    pub max_tokens: u32,
    /// Which tool the model has to call.
    pub tool_choice: ToolChoice,
    /// The tool that the provider has built in: the spec of its dialect is declared so. Where the provider does not have
    /// it, the spec is declared as a function.
    pub native: Option<NativeTool>,
    /// Whether one answer may hold several calls.
    pub parallel_calls: bool,
    /// The host of Chat Completions. `None` takes the one that the issuer's host is known as.
    #[cfg(feature = "openai")]
    pub chat_host: Option<ChatHost>,
    /// Send back thinking that carries no signature. The official endpoint refuses it, some compatible hosts
    /// want it.
    pub unsigned_thinking: bool,
    /// Hold the model to the schema of each tool while it writes, where the provider can and the schema allows it.
    pub strict_tools: bool,
    /// More fields for the body, in the provider's own form (`thinking`, `temperature`, `metadata`). Fields
    /// that this crate fills are not replaced.
    pub extra: Map<String, Value>,
}

impl Default for RequestOptions {
    fn default() -> Self {
        Self {
            max_tokens: 4096,
            tool_choice: ToolChoice::Auto,
            native: None,
            parallel_calls: true,
            #[cfg(feature = "openai")]
            chat_host: None,
            unsigned_thinking: false,
            strict_tools: false,
            extra: Map::new(),
        }
    }
}

/// A history or an option of which no request can be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// Nothing is left to send.
    #[error("The history holds nothing that can be sent; add a user message.")]
    EmptyHistory,
    /// An option for which the provider would refuse every request.
    #[error("The option at {place} cannot be {value}; give another value.")]
    BadOption {
        /// Which option, as a JSON Pointer: `/options/max_tokens`.
        place: &'static str,
        /// The value that was given.
        value: String,
    },
}

canvas_tools::coded_error!(EncodeError {
    Self::EmptyHistory => "EMPTY_HISTORY";
    Self::BadOption { .. } => "BAD_OPTION";
});

impl EncodeError {
    /// Which input is at fault, as a JSON Pointer.
    pub fn place(&self) -> &str {
        match self {
            Self::EmptyHistory => "/events",
            Self::BadOption { place, .. } => place,
        }
    }
}
