//! Tools and calls of MCP.

use canvas_providers::{Renames, Verdict, mcp};
use canvas_tools::ToolSpec;
use serde_json::{Value, json};

fn spec(name: &str, parameters: Value) -> ToolSpec {
    ToolSpec { name: name.into(), description: "Does it.".into(), parameters }
}

#[test]
fn tools_have_a_plain_object_at_their_root_and_names_that_clients_take() {
    let specs = [
        spec(
            "canvas.node/move",
            json!({"type": "object", "properties": {"to": {"type": "integer", "minimum": 1}}}),
        ),
        spec("näme", json!({"anyOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}]})),
    ];
    let encoded = mcp::tools(&specs);
    let tools = encoded.tools.as_array().expect("a list");
    assert_eq!(
        tools[0],
        json!({"name": "canvas.node/move", "description": "Does it.", "inputSchema": specs[0].parameters})
    );
    assert_eq!(tools[1]["inputSchema"], json!({"type": "object", "properties": {"a": {}, "b": {}}}));
    assert_eq!(encoded.degradations[0].path, "/tools/1/parameters");
    let wire = tools[1]["name"].as_str().expect("a name");
    let call = mcp::call("7", &json!({"name": wire}), &encoded.renames);
    assert_eq!((call.name.as_str(), call.id.as_str(), call.verdict()), ("näme", "7", Verdict::Complete));
}

#[test]
fn calls() {
    for (params, verdict) in [
        (json!({"name": "f", "arguments": {"a": 1}}), Verdict::Complete),
        (json!({"name": "f"}), Verdict::Complete),
        (json!({"name": "f", "arguments": null}), Verdict::Complete),
        (json!({"name": "f", "arguments": [1]}), Verdict::Malformed),
        (json!({"name": "f", "arguments": "{}"}), Verdict::Malformed),
        (json!({"name": "", "arguments": {}}), Verdict::Malformed),
        (json!({"name": 7, "arguments": {}}), Verdict::Malformed),
        (json!({"arguments": {}}), Verdict::Malformed),
        (json!(["f"]), Verdict::Malformed),
        (json!(null), Verdict::Malformed),
    ] {
        assert_eq!(mcp::call("1", &params, &Renames::default()).verdict(), verdict, "{params}");
    }
}
