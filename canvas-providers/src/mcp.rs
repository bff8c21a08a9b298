//! MCP: tools as a server lists them, and calls as a client sends them.
//!
//! MCP is not a model's wire format. The MCP client talks to the model, and no history is needed here. MCP is therefore
//! not a [`Provider`](crate::Provider), but two functions.

use canvas_tools::ToolSpec;
use serde_json::{Map, Value, json};

use crate::declare::{self, Declared, Function, ToolRules};
use crate::encoded::{Degradations, EncodedTools};
use crate::names::{NameRule, Renames};
use crate::schema::Subset;
use crate::verdict::{Arguments, DecodedCall};

/// Schemas are in JSON Schema 2020-12 and are sent unchanged, except for unions at the root, which clients refuse.
const RULES: ToolRules = ToolRules {
    names: NameRule { max: 128, also: "./", begins_with_letter: false },
    subset: Subset { property: |_| true, refused: &[] },
    built_in: |_| false,
};

/// Encodes tools as the `tools` of a `tools/list` result.
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

/// Reads the call in the parameters of a `tools/call` request. `id` is the request's id, or one that the host chooses.
/// Missing arguments mean an empty object. If the arguments are not an object, or the name is missing, the call is
/// [malformed](crate::Verdict::Malformed) and cannot run.
pub fn call(id: impl Into<String>, params: &Value, renames: &Renames) -> DecodedCall {
    let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
    let arguments = match params.get("arguments") {
        _ if name.is_empty() => Arguments::Malformed,
        None => Arguments::Complete(Map::new()),
        Some(arguments) => Arguments::from_value(arguments.clone()),
    };
    DecodedCall { id: id.into(), name: renames.original(name).to_owned(), arguments }
}
