//! MCP: tools as a server lists them, calls as a client sends them, results as the client takes them.
//!
//! MCP is no wire of a model: the client talks to that, and it has no history here. So it is no
//! [`Provider`](crate::Provider), but three functions.

use canvas_tools::ToolSpec;
use serde_json::{Map, Value, json};

use crate::declare::{self, Declared, Function, ToolRules};
use crate::encoded::{Degradations, EncodedTools};
use crate::event::ToolResult;
use crate::history::result_text;
use crate::names::{NameRule, Renames};
use crate::schema::Subset;
use crate::verdict::{Arguments, DecodedCall};

/// Schemas are of 2020-12 and go as they are, but for unions at the root, which clients refuse.
const RULES: ToolRules = ToolRules {
    names: NameRule { max: 128, also: "./", begins_with_letter: false },
    subset: Subset { property: |_| true, refused: &[] },
    built_in: |_| false,
};

/// Tools as the `tools` of a `tools/list` result.
pub fn tools(specs: &[ToolSpec]) -> EncodedTools {
    let mut degradations = Degradations::default();
    let mut mapper = declare::mapper(specs, None, RULES);
    let tools = declare::declare(specs, None, RULES, &mut mapper, &mut degradations).into_iter();
    let tools = tools.map(|tool| match tool {
        Declared::Function(Function { name, description, schema }) => {
            json!({"name": name, "description": description, "inputSchema": schema})
        }
        Declared::BuiltIn(tool) => tool,
    });
    let tools = tools.collect();
    EncodedTools { tools, renames: mapper.renames(), degradations: degradations.0 }
}

/// The call in the parameters of a `tools/call` request. The id is that of the request, or one of the host's. Arguments that
/// are left out are none; what is no object, or lacks a name, is [malformed](crate::Verdict::Malformed) and cannot run.
pub fn call(id: impl Into<String>, params: &Value, renames: &Renames) -> DecodedCall {
    let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
    let arguments = match params.get("arguments") {
        _ if name.is_empty() => Arguments::Malformed,
        None | Some(Value::Null) => Arguments::Complete(Map::new()),
        Some(arguments) => Arguments::from_value(arguments.clone()),
    };
    DecodedCall { id: id.into(), name: renames.original(name).to_owned(), arguments }
}

/// A result as a `CallToolResult`: as text and images for the model and, where it is an object, as structured content for the
/// client, which is told of a failure by `isError`.
pub fn result(result: &ToolResult) -> Value {
    let text = json!({"type": "text", "text": result_text(&result.result)});
    let images = result
        .images
        .iter()
        .map(|image| json!({"type": "image", "data": image.data, "mimeType": image.media_type}));
    let content: Vec<Value> = std::iter::once(text).chain(images).collect();
    let mut out = json!({"content": content, "isError": result.is_error()});
    if result.result.is_object() {
        out["structuredContent"] = result.result.clone();
    }
    out
}
