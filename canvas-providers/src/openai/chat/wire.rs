//! Structs for writing requests to Chat Completions.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::declare::{Declared, Function};

/// The provider's name, for hosts and in envelopes.
pub(crate) const NAME: &str = "openai-chat";

#[derive(Debug, Serialize)]
pub(super) struct Request<'a> {
    pub(super) model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool_choice: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parallel_tool_calls: Option<bool>,
    #[serde(flatten)]
    pub(super) extra: Map<String, Value>,
}

/// Fields of [`Request`] that the host's `extra` fields cannot replace.
pub(super) const OWN_FIELDS: &[&str] = &[
    "model",
    "messages",
    "max_tokens",
    "max_completion_tokens",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "stream",
];

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Tool<'a> {
    Function { function: FunctionTool<'a> },
    Custom { custom: Value },
}

#[derive(Debug, Serialize)]
pub(super) struct FunctionTool<'a> {
    pub(super) name: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) description: &'a str,
    pub(super) parameters: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) strict: Option<bool>,
}

impl<'a> From<Declared<'a>> for Tool<'a> {
    fn from(tool: Declared<'a>) -> Self {
        match tool {
            Declared::Function(Function { name, description, schema: parameters }) => {
                Self::Function { function: FunctionTool { name, description, parameters, strict: None } }
            }
            Declared::BuiltIn(declared) => Self::Custom { custom: custom(declared) },
        }
    }
}

/// Nests a custom tool one level deeper; it is declared flat elsewhere.
fn custom(mut declared: Value) -> Value {
    let Some(tool) = declared.as_object_mut() else { return declared };
    tool.remove("type");
    if let Some(Value::Object(format)) = tool.get_mut("format")
        && let Some(kind) = format.remove("type")
        && kind == "grammar"
    {
        let grammar = std::mem::take(format);
        *format = Map::from_iter([("type".to_owned(), kind), ("grammar".to_owned(), Value::Object(grammar))]);
    }
    declared
}

/// Builds a message of the user or of the host.
pub(super) fn message(role: &str, content: impl Into<Value>) -> Value {
    json!({"role": role, "content": content.into()})
}
