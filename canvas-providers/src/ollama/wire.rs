//! Structs for writing requests to Ollama.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::declare::{Declared, Function};

/// The provider's name, for hosts and in envelopes.
pub(crate) const NAME: &str = "ollama";

#[derive(Debug, Serialize)]
pub(super) struct Request<'a> {
    pub(super) model: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tools: Vec<Tool<'a>>,
    /// Limits and sampling parameters of the model.
    pub(super) options: Map<String, Value>,
    #[serde(flatten)]
    pub(super) extra: Map<String, Value>,
}

/// Fields of [`Request`] that the host's `extra` fields cannot replace.
pub(super) const OWN_FIELDS: &[&str] = &["model", "messages", "tools", "options", "stream"];

#[derive(Debug, Serialize)]
pub(super) struct Tool<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    function: FunctionTool<'a>,
}

#[derive(Debug, Serialize)]
struct FunctionTool<'a> {
    name: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    parameters: Value,
}

impl<'a> Tool<'a> {
    /// Returns `None` for a built-in tool, because Ollama does not have any.
    pub(super) fn of(tool: Declared<'a>) -> Option<Self> {
        match tool {
            Declared::Function(Function { name, description, schema: parameters }) => {
                Some(Self { kind: "function", function: FunctionTool { name, description, parameters } })
            }
            Declared::BuiltIn(_) => None,
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.function.name
    }
}

/// Builds a message of the user or of the host; images are in base64.
pub(super) fn message(role: &str, content: &str, images: &[&str]) -> Value {
    let mut message = json!({"role": role, "content": content});
    if !images.is_empty() {
        message["images"] = json!(images);
    }
    message
}
