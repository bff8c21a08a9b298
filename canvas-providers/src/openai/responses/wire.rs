//! Structs for writing requests to the Responses endpoint, and for reading its last event and its errors.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::usage::Usage;

/// The provider's name, for hosts and in envelopes.
pub(crate) const NAME: &str = "openai-responses";

#[derive(Debug, Serialize)]
pub(super) struct Request<'a> {
    pub(super) model: &'a str,
    pub(super) max_output_tokens: u32,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) instructions: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool_choice: Option<ToolChoice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parallel_tool_calls: Option<bool>,
    #[serde(flatten)]
    pub(super) extra: Map<String, Value>,
}

/// Fields of [`Request`] that the host's `extra` fields cannot replace.
pub(super) const OWN_FIELDS: &[&str] = &[
    "model",
    "max_output_tokens",
    "instructions",
    "input",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "stream",
];

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Tool<'a> {
    Function {
        #[serde(rename = "type")]
        kind: &'static str,
        name: String,
        #[serde(skip_serializing_if = "str::is_empty")]
        description: &'a str,
        parameters: Value,
        /// If this is left out, the endpoint tries to be strict and changes the schema for it.
        strict: bool,
    },
    BuiltIn(Value),
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum ToolChoice {
    Mode(&'static str),
    Tool {
        #[serde(rename = "type")]
        kind: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
}

/// An item that this crate creates. Items from the endpoint go back unchanged.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Made<'a> {
    Message {
        role: &'static str,
        content: Content<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        phase: Option<Value>,
    },
    FunctionCall {
        call_id: &'a str,
        name: &'a str,
        arguments: String,
    },
    FunctionCallOutput {
        call_id: &'a str,
        output: Content<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        caller: Option<Value>,
    },
    CustomToolCallOutput {
        call_id: &'a str,
        output: Content<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        caller: Option<Value>,
    },
    ApplyPatchCallOutput {
        call_id: &'a str,
        status: &'static str,
        output: Cow<'a, str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        caller: Option<Value>,
    },
}

impl Made<'_> {
    pub(super) fn into_value(self) -> Value {
        serde_json::to_value(self).expect("strings and JSON values always serialise")
    }
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Content<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<Part<'a>>),
    /// Parts that a host made.
    Given([Value; 1]),
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Part<'a> {
    InputText { text: Cow<'a, str> },
    InputImage { image_url: String, detail: &'static str },
}

/// An item that is not yet in a request.
#[derive(Debug)]
pub(super) struct Item {
    /// Whether the model made the item. Outputs of calls belong to the host.
    pub(super) of_model: bool,
    pub(super) value: Value,
    /// Index of the item's event in the history.
    pub(super) at: usize,
}

/// An error. Behind a proxy, any field may be missing.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ErrorBody {
    #[serde(rename = "type")]
    pub(super) kind: Value,
    pub(super) code: Value,
    pub(super) message: Value,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct IncompleteDetails {
    pub(super) reason: Option<String>,
}

/// Token counts of the endpoint. The input count includes tokens read from and written to a cache.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Tokens {
    input_tokens: Option<u64>,
    input_tokens_details: Option<InputDetails>,
    output_tokens: Option<u64>,
    output_tokens_details: Option<OutputDetails>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct InputDetails {
    cached_tokens: Option<u64>,
    cache_write_tokens: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct OutputDetails {
    reasoning_tokens: Option<u64>,
}

impl From<Tokens> for Usage {
    fn from(tokens: Tokens) -> Self {
        let input = tokens.input_tokens_details.unwrap_or_default();
        let output = tokens.output_tokens_details.unwrap_or_default();
        Self {
            input_tokens: tokens.input_tokens.unwrap_or_default(),
            cache_read_tokens: input.cached_tokens.unwrap_or_default(),
            cache_write_tokens: input.cache_write_tokens.unwrap_or_default(),
            output_tokens: tokens.output_tokens.unwrap_or_default(),
            reasoning_tokens: output.reasoning_tokens.unwrap_or_default(),
        }
    }
}
