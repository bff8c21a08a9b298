//! Fixtures of the public conformance suite, behind `--conformance`: the suite calls tools, prompts and resources by name
//! and looks at what the protocol makes of them. Nobody else needs them.

mod asking;
mod plain;
mod prompts;
mod resources;

use rmcp::RoleServer;
use rmcp::model::{CallToolRequestParams, CallToolResponse, ErrorData, Tool};
use rmcp::service::RequestContext;
use serde_json::{Value, json};

pub(crate) use self::asking::Asking;
pub(crate) use self::prompts::{get as get_prompt, list as prompts};
pub(crate) use self::resources::{follows, list as resources, read as read_resource, template};
use crate::catalog::object;

/// The tools as clients list them.
pub(crate) fn tools() -> Vec<Tool> {
    let names = plain::NAMES.iter().chain(asking::NAMES);
    names.map(|name| tool(name, "A fixture of the conformance suite.", schema(name))).collect()
}

/// A tool by its name.
pub(crate) fn find(name: &str) -> Option<Tool> {
    tools().into_iter().find(|tool| tool.name == name)
}

/// Runs a fixture; `None` where there is none of this name.
pub(crate) async fn call(
    asking: &Asking,
    params: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Option<Result<CallToolResponse, ErrorData>> {
    if let Some(answer) = plain::call(params, context).await {
        return Some(answer.map(Into::into));
    }
    asking.call(params, context).await
}

fn tool(name: &'static str, description: &'static str, schema: Value) -> Tool {
    Tool::new(name, description, object(schema))
}

fn schema(name: &str) -> Value {
    let text =
        |name: &str| json!({"type": "object", "properties": {name: {"type": "string"}}, "required": [name]});
    match name {
        "test_sampling" => text("prompt"),
        "test_elicitation" => text("message"),
        "test_custom_headers" => json!({
            "type": "object",
            "properties": {
                "region": {"type": "string", "x-mcp-header": "Region"}, "query": {"type": "string"},
            },
        }),
        "json_schema_2020_12_tool" => json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {"address": {
                "$anchor": "addressDef", "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            }},
            "properties": {
                "name": {"type": "string"}, "address": {"$ref": "#/$defs/address"},
                "contactMethod": {"type": "string", "enum": ["phone", "email"]},
                "phone": {"type": "string"}, "email": {"type": "string"},
            },
            "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
            "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
            "then": {"required": ["phone"]},
            "else": {"required": ["email"]},
            "additionalProperties": false,
        }),
        _ => json!({"type": "object", "properties": {}}),
    }
}
