//! Encoded requests and tools, and the parts of them that the provider does not get unchanged.

use std::borrow::Cow;

use canvas_tools::CodedError;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::context::AnswerContext;
#[cfg(feature = "openai")]
use crate::hosts::ChatHost;
use crate::names::Renames;
use crate::native::NativeTool;

/// A value that the provider does not get, or gets in another form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Degradation {
    /// The position of the value, as a JSON Pointer into tools, events and options: `/tools/2/parameters/properties/x`,
    /// `/events/7`.
    pub path: String,
    /// The kind of the value: a schema keyword, or the type of an event.
    pub keyword: String,
    /// The change to the value, and the component that still checks it.
    pub how: String,
}

#[derive(Debug, Default)]
pub(crate) struct Degradations(pub(crate) Vec<Degradation>);

impl Degradations {
    pub(crate) fn add(&mut self, path: impl Into<String>, keyword: &str, how: impl Into<String>) {
        self.0.push(Degradation { path: path.into(), keyword: keyword.to_owned(), how: how.into() });
    }

    /// `at` is the event's index in the history.
    pub(crate) fn add_event(&mut self, at: usize, keyword: &str, how: impl Into<String>) {
        self.add(format!("/events/{at}"), keyword, how);
    }
}

/// Tools in a provider's form.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EncodedTools {
    /// The value for the request's list of tools.
    pub tools: Value,
    /// Tools that got another name on the wire. [`Provider::decode`](crate::Provider::decode) maps the names back.
    pub renames: Renames,
    /// The parts of the schemas that the provider's subset does not include.
    #[serde(rename = "losses")]
    pub degradations: Vec<Degradation>,
}

/// A complete request in a provider's form.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EncodedRequest {
    /// The JSON body to send. It does not request a stream. If you want one, add the provider's field or use
    /// its streaming address. It has no markers for prompt caching either. If your provider needs them, such as
    /// `cache_control`, add them to the body before you send it; [`Usage`](crate::Usage) reports the cached tokens.
    pub body: Value,
    /// The context for decoding the answer to this request; not in the JSON.
    #[serde(skip)]
    pub context: AnswerContext,
    /// The parts of tools and history that the provider does not get unchanged.
    #[serde(rename = "losses")]
    pub degradations: Vec<Degradation>,
}

/// A constraint on the tools that the model calls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// The model may call any tool, but does not have to.
    #[default]
    Auto,
    /// The model must not call a tool. The tools are still declared.
    None,
    /// The model must call at least one tool.
    Required,
    /// The model must call the tool of this name.
    Tool(String),
}

/// Options of one request.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestOptions {
    /// Maximum number of tokens in the answer; 0 is refused.
    pub max_tokens: u32,
    /// The tools that the model must or must not call.
    pub tool_choice: ToolChoice,
    /// The built-in tool to declare instead of the spec of its dialect. If the provider does not have this tool built
    /// in, the spec is declared as a function.
    pub native: Option<NativeTool>,
    /// Whether one answer may hold several calls.
    pub parallel_calls: bool,
    /// The Chat Completions host to encode for. `None` selects the host by the name in
    /// [`Issuer::host`](crate::Issuer::host).
    #[cfg(feature = "openai")]
    pub chat_host: Option<ChatHost>,
    /// Whether to send back thinking that carries no signature. The official endpoint refuses it, but some compatible
    /// hosts require it.
    pub unsigned_thinking: bool,
    /// Whether the model must follow each tool's schema while it writes. This only applies if the provider supports it
    /// and the schema allows it.
    pub strict_tools: bool,
    /// More fields for the body, in the provider's own form, such as `thinking`, `temperature` or `metadata`.
    /// They do not replace fields that this crate fills.
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

/// Error returned when no request can be made from a history or its options.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The history does not contain anything that can be sent.
    #[error("the history holds nothing that can be sent; add a user message")]
    EmptyHistory,
    /// The provider would refuse every request with this option.
    #[error("the option at {place} cannot be {value}; give another value")]
    BadOption {
        /// JSON Pointer to the option, such as `/options/max_tokens`.
        place: &'static str,
        /// The refused value, as text.
        value: String,
    },
}

impl CodedError for EncodeError {
    fn code(&self) -> &'static str {
        match self {
            Self::EmptyHistory => "EMPTY_HISTORY",
            Self::BadOption { .. } => "BAD_OPTION",
        }
    }

    /// Returns the JSON Pointer to the input at fault.
    fn place(&self) -> Option<Cow<'_, str>> {
        Some(match self {
            Self::EmptyHistory => "/events".into(),
            Self::BadOption { place, .. } => (*place).into(),
        })
    }
}
