//! Structs for writing requests to the Messages endpoint, and a struct for reading its errors.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::declare::{Declared, Function};

/// The provider's name, for hosts and in envelopes.
pub(crate) const NAME: &str = "anthropic";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Role {
    User,
    Assistant,
}

#[derive(Debug, Serialize)]
pub(super) struct Request<'a> {
    pub(super) model: &'a str,
    pub(super) max_tokens: u32,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) system: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool_choice: Option<ToolChoice>,
    #[serde(flatten)]
    pub(super) extra: Map<String, Value>,
}

/// Fields of [`Request`] that the host's `extra` fields cannot replace.
pub(super) const OWN_FIELDS: &[&str] =
    &["model", "max_tokens", "system", "messages", "tools", "tool_choice", "stream"];

/// A message without its content.
#[derive(Debug, Serialize)]
pub(super) struct Message {
    pub(super) role: Role,
}

impl<'a> From<Declared<'a>> for Tool<'a> {
    fn from(tool: Declared<'a>) -> Self {
        match tool {
            Declared::Function(Function { name, description, schema: input_schema }) => {
                Self::Function { name, description, input_schema }
            }
            Declared::BuiltIn(declared) => Self::BuiltIn(declared),
        }
    }
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Tool<'a> {
    Function {
        name: String,
        #[serde(skip_serializing_if = "str::is_empty")]
        description: &'a str,
        input_schema: Value,
    },
    BuiltIn(Value),
}

#[derive(Debug, Serialize)]
pub(super) struct ToolChoice {
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) disable_parallel_tool_use: Option<bool>,
}

/// A block that this crate creates. Blocks from the endpoint go back unchanged.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Block<'a> {
    Text {
        text: &'a str,
    },
    ToolUse {
        id: &'a str,
        name: &'a str,
        input: Map<String, Value>,
    },
    Image {
        source: Source<'a>,
    },
    ToolResult {
        tool_use_id: &'a str,
        #[serde(skip_serializing_if = "Content::is_empty")]
        content: Content<'a>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Content<'a> {
    Text(Cow<'a, str>),
    Blocks(Vec<Value>),
}

impl Content<'_> {
    fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) => text.is_empty(),
            Self::Blocks(blocks) => blocks.is_empty(),
        }
    }
}

#[derive(Debug, Serialize)]
pub(super) struct Source<'a> {
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    pub(super) media_type: &'a str,
    pub(super) data: &'a str,
}

impl Block<'_> {
    pub(super) fn into_value(self) -> Value {
        serde_json::to_value(self).expect("strings and JSON values always serialise")
    }
}

/// The value of `error` in `{"type": "error", "error": {...}}`. Behind a proxy, any field may be missing.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ErrorBody {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) message: String,
}

/// A block that is not yet in a message.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) role: Role,
    pub(super) block: Value,
    /// Index of the block's event in the history.
    pub(super) at: usize,
}
