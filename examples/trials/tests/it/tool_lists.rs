//! The tools that the bridge lists, and that it answers each of them.

use canvas_examples::bridge::Bridge;
use serde_json::{Value, json};

fn ask(bridge: &mut Bridge, request: &Value) -> Value {
    let reply: Value = serde_json::from_str(&bridge.call(&request.to_string())).expect("a reply is JSON");
    assert_eq!(reply["ok"], json!(true), "{request} gave {reply}");
    reply["result"].clone()
}

const TOOLSETS: [(&str, Option<&str>); 13] = [
    ("document", None),
    ("extended", None),
    ("board", None),
    ("directive", None),
    ("surface", None),
    ("recipe", None),
    ("all", None),
    ("native", Some("text-editor")),
    ("native", Some("apply-patch")),
    ("native", Some("codex-patch")),
    ("native", Some("edit")),
    ("native", Some("replace")),
    ("native", Some("search-replace")),
];

/// Clients of tools refuse any other root: they read `properties` there.
#[test]
fn every_schema_has_a_plain_object_at_its_root() {
    let mut bridge = Bridge::new();
    let mut seen = 0;
    for (toolset, dialect) in TOOLSETS {
        let listed = ask(&mut bridge, &json!({"op": "tool.list", "toolset": toolset, "dialect": dialect}));
        for tool in listed["tools"].as_array().expect("a list") {
            // What is built into a provider has no schema of ours.
            let Some(schema) = tool.get("parameters") else {
                assert!(dialect.is_some() && tool["type"].is_string(), "{tool}");
                continue;
            };
            seen += 1;
            let name = &tool["name"];
            assert_eq!(schema["type"], "object", "{name}");
            assert!(schema["properties"].is_object(), "{name}");
            for keyword in ["anyOf", "oneOf", "allOf", "not", "if", "enum", "const", "$ref"] {
                assert_eq!(schema.get(keyword), None, "{name}: {keyword} at the root");
            }
        }
    }
    assert!(seen > 60, "{seen} schemas");
}

#[test]
fn every_tool_that_is_listed_answers() {
    let mut bridge = Bridge::new();
    ask(
        &mut bridge,
        &json!({"op": "board.create", "canvas": "c", "now": 1_000,
        "grid": {"columns": 12, "rows": 8, "gap": 8, "cellWidth": 80, "cellHeight": 60}}),
    );
    for (number, toolset) in
        ["document", "extended", "board", "directive", "surface", "recipe"].into_iter().enumerate()
    {
        let listed = ask(&mut bridge, &json!({"op": "tool.list", "toolset": toolset}));
        for tool in listed["tools"].as_array().expect("a list") {
            for (way, chosen) in [("named", Value::Null), ("chosen", json!("extended"))] {
                let call_id = format!("{number}-{way}-{}", tool["name"]);
                let reply = ask(
                    &mut bridge,
                    &json!({"op": "tool.call", "canvas": "c", "session": "main",
                    "call_id": call_id, "name": tool["name"], "arguments": {}, "toolset": chosen, "now": 1_000}),
                );
                assert_ne!(reply["error"]["code"], "UNKNOWN_TOOL", "{}", tool["name"]);
            }
        }
    }
}

#[test]
fn extension_tools_work_together() {
    let mut bridge = Bridge::new();
    let text = "# A\n\none\n\n# B\n\ntwo\n";
    ask(&mut bridge, &json!({"op": "canvas.create", "canvas": "c", "markdown": text, "now": 1_000}));
    ask(
        &mut bridge,
        &json!({"op": "board.create", "canvas": "c", "now": 1_000,
        "grid": {"columns": 12, "rows": 8, "gap": 8, "cellWidth": 80, "cellHeight": 60}}),
    );
    let mut calls = 0;
    let mut call = |bridge: &mut Bridge, name: &str, arguments: Value| {
        calls += 1;
        let reply = ask(
            bridge,
            &json!({"op": "tool.call", "canvas": "c", "session": "main",
            "call_id": calls.to_string(), "name": name, "arguments": arguments, "now": 1_000}),
        );
        assert_eq!(reply["ok"], true, "{name}: {reply}");
        reply
    };
    assert_eq!(call(&mut bridge, "canvas_outline", json!({}))["total_sections"], 2);
    let lease = call(&mut bridge, "canvas_check_out", json!({}))["lease_id"].clone();
    let section = call(&mut bridge, "canvas_read_section", json!({"lease_id": lease, "path": ["B"]}));
    call(
        &mut bridge,
        "canvas_replace_lines",
        json!({
            "lease_id": lease, "start_line": section["start_line"], "end_line": section["end_line"],
            "expect_hash": section["range_hash"], "text": "# B\n\n2\n",
        }),
    );
    let create = json!({"name": "create_component", "arguments": {
        "type_id": "github.stat-tile", "config": {"repo": "o/r", "metric": "stars"},
    }});
    let plan = call(&mut bridge, "plan_canvas", json!({"commands": [create]}))["plan_id"].clone();
    let done = call(&mut bridge, "commit_plan", json!({"plan_id": plan}));
    let id = done["affected_component_ids"][0].clone();
    call(&mut bridge, "label_component", json!({"component_id": id, "label": "Stars"}));
    let shown = call(&mut bridge, "show_canvas", json!({}));
    assert!(shown["components"][0].as_str().expect("a line").contains("\"Stars\""), "{shown}");
    call(&mut bridge, "clear_canvas", json!({}));
    let text = ask(&mut bridge, &json!({"op": "canvas.text", "canvas": "c"}));
    assert_eq!(text["markdown"], "# A\n\none\n\n# B\n\n2\n");
}
