//! The structs that requests to Ollama are written from.

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
    /// Limits and sampling of the model.
    pub(super) options: Map<String, Value>,
    #[serde(flatten)]
    pub(super) extra: Map<String, Value>,
}

/// Fields of [`Request`] that a host cannot fill.
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
    /// `None` for a tool that a provider has built in: Ollama has none.
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

/// A message of the user or of the host; images in base64.
pub(super) fn message(role: &str, content: &str, images: &[&str]) -> Value {
    let mut message = json!({"role": role, "content": content});
    if !images.is_empty() {
        message["images"] = json!(images);
    }
    message
}
