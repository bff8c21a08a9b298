//! MCP: tools as a server lists them, and calls as a client sends them.
//!
//! MCP is no wire of a model: the client talks to that, and it has no history here. So it is no
//! [`Provider`](crate::Provider), but two functions.

use canvas_tools::ToolSpec;
use serde_json::{Map, Value, json};

use crate::declare::{self, Declared, Function, ToolRules};
use crate::encoded::{Degradations, EncodedTools};
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
        None => Arguments::Complete(Map::new()),
        Some(arguments) => Arguments::from_value(arguments.clone()),
    };
    DecodedCall { id: id.into(), name: renames.original(name).to_owned(), arguments }
}
