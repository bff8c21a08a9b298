//! Versions of the protocol, and what each answers.

use std::collections::BTreeMap;

use canvas_core::schema::Schema;
use serde_json::{Value, json};

use super::client::Client;

fn meta(version: &str) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

#[test]
fn a_handshake_is_answered_with_a_version_that_has_one() {
    for (asked, answered) in [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2025-03-26", "2025-03-26"),
        ("2024-11-05", "2024-11-05"),
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
        ("", "2025-11-25"),
    ] {
        let mut client = Client::spawn(&[]);
        let params = json!({
            "protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
        });
        let told = client.ask("initialize", params).unwrap();
        assert_eq!(told["protocolVersion"], answered, "{asked}");
        assert_eq!(told["serverInfo"]["name"], "canvas-mcp");
        assert_eq!(client.ask("ping", json!({})), Ok(json!({})));
        assert!(client.close().success());
    }
}

#[test]
fn requests_of_2026_07_28_need_no_handshake() {
    let mut client = Client::spawn(&[]);
    let found = client.ask("server/discover", json!({"_meta": meta("2026-07-28")})).unwrap();
    let versions = found["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2025-11-25")), "{found}");
    let tools = client.ask("tools/list", json!({"_meta": meta("2026-07-28")})).unwrap();
    assert_eq!(tools["resultType"], "complete");
    assert!(tools["ttlMs"].is_u64() && tools["cacheScope"].is_string(), "{tools}");
    let refused = client.ask("tools/list", json!({"_meta": meta("2099-01-01")})).unwrap_err();
    assert_eq!(refused["code"], -32022, "{refused}");
    for method in ["ping", "resources/subscribe", "initialize"] {
        let params = json!({"_meta": meta("2026-07-28"), "uri": "canvas://notes/document"});
        assert_eq!(client.ask(method, params).unwrap_err()["code"], -32601, "{method}");
    }
    let called = json!({"name": "canvas_outline", "arguments": {}, "_meta": meta("2026-07-28")});
    assert_eq!(client.ask("tools/call", called).unwrap()["structuredContent"]["ok"], true);
    assert!(client.close().success());
}

#[test]
fn tools_have_what_clients_show() {
    let mut client = Client::start(&[]);
    let tools = client.ask("tools/list", json!({})).unwrap();
    for tool in tools["tools"].as_array().unwrap() {
        let name = &tool["name"];
        assert!(tool["title"].is_string() && tool["description"].is_string(), "{name}");
        assert_eq!(tool["inputSchema"]["type"], "object", "{name}");
        assert!(
            tool["inputSchema"].get("oneOf").is_none() && tool["inputSchema"].get("anyOf").is_none(),
            "{name}"
        );
        assert_eq!(tool["outputSchema"]["type"], "object", "{name}");
        for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            assert!(tool["annotations"][hint].is_boolean(), "{name} {hint}");
        }
        assert!(tool["_meta"].get("ui").is_none(), "{name} has no page for a client without pages");
        assert!(tool["_meta"]["anthropic/maxResultSizeChars"].as_u64() >= Some(256 << 10), "{name}");
    }
    assert!(client.told.is_empty(), "a server says nothing unasked");
}

/// Whatever a tool answers fits the schema that it is listed with.
#[test]
fn answers_fit_their_schemas() {
    let mut client = Client::start(&[]);
    let listed = client.ask("tools/list", json!({})).unwrap();
    let schemas: BTreeMap<String, Schema> = listed["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| {
            (tool["name"].as_str().unwrap().to_owned(), Schema::compile(&tool["outputSchema"]).unwrap())
        })
        .collect();
    let lease = client.check_out();
    let made = client.done("create_component", json!({"type_id": "text.note", "config": {"text": "x"}}));
    let component = &made["component_id"];
    let view = client.done("save_view", json!({"name": "v"}));
    let section = client.done("canvas_read_section", json!({"path": ["Notes"]}));
    let snapshot = client.done("document_snapshot", json!({}));
    let edit = json!({
        "start_line": 1, "end_line": 1, "text": "# Notes!", "expect_hash": section["range_hash"], "lease_id": lease,
    });
    let spec = json!({"version": 1, "mode": "html", "toolPolicy": {"allow": []}, "state": {}, "actions": {}, "bindings": {}});
    let calls = [
        ("canvas_renew_lease", json!({"lease_id": lease})),
        ("canvas_read_lines", json!({"lease_id": lease, "start_line": 1, "end_line": 9})),
        ("canvas_read_all", json!({"lease_id": lease})),
        ("canvas_grep", json!({"lease_id": lease, "query": "Notes"})),
        ("canvas_outline", json!({})),
        ("canvas_read_section", json!({"path": ["Notes"]})),
        ("canvas_replace_lines", edit),
        ("canvas_apply_patch", json!({"lease_id": lease, "patch": "@@\n-# Notes!\n+# Notes\n"})),
        ("canvas_apply_patch", json!({"lease_id": lease, "patch": "@@\n-nothing\n+x\n"})),
        ("canvas_move", json!({"lease_id": lease, "from": {"section": ["Notes"]}, "shift": 1})),
        ("canvas_rename_heading", json!({"lease_id": lease, "section": ["Notes"], "title": "Notices"})),
        ("canvas_set_front_matter", json!({"lease_id": lease, "key": "title", "value": "Notes"})),
        ("canvas_edit_list", json!({"lease_id": lease, "item": [9], "remove": true})),
        ("canvas_edit_table", json!({"lease_id": lease, "table": 1, "remove_row": {"row": 1}})),
        (
            "canvas_replace_all",
            json!({"lease_id": lease, "find": "x", "with": "y", "revision_id": "r1-00000000", "count": 1}),
        ),
        ("canvas_check_in", json!({"lease_id": lease})),
        ("canvas_check_out", json!({})),
        ("document_snapshot", json!({})),
        ("diff_builder", json!({"before": "a\n", "after": "b\n"})),
        ("document_edit", json!({"action": "insert"})),
        ("create_component", json!({"type_id": "text.note"})),
        ("modify_component", json!({"component_id": component, "config": {"text": "y"}})),
        ("arrange_canvas", json!({"operations": []})),
        ("refresh_component", json!({"component_id": component})),
        ("show_canvas", json!({})),
        ("undo", json!({})),
        ("redo", json!({})),
        ("load_view", json!({"view_id": view["view_id"]})),
        ("remove_component", json!({"component_id": component})),
        ("gsv__Canvas", json!({"operation": "upsert", "title": "x", "spec": spec})),
        ("gsv__Canvas", json!({"operation": "get"})),
        ("surface_action", json!({"actionId": "x"})),
    ];
    assert!(snapshot["text"].is_string());
    for (name, arguments) in calls {
        let result = client.call(name, arguments);
        let faults: Vec<_> = schemas[name].validate(&result["structuredContent"]);
        assert!(faults.is_empty(), "{name}: {faults:?} in {result}");
    }
}

#[test]
fn a_call_tells_how_far_it_is_where_that_is_wanted() {
    let mut client = Client::start(&[]);
    let params = json!({"name": "canvas_outline", "arguments": {}, "_meta": {"progressToken": "p"}});
    client.ask("tools/call", params).unwrap();
    let told: Vec<_> = client.told.iter().map(|told| told["params"]["progress"].as_f64()).collect();
    assert!(told.contains(&Some(0.0)), "{:?}", client.told);
    assert!(client.told.iter().all(|told| told["params"]["progressToken"] == "p"));
}

#[test]
fn what_is_asked_before_the_end_of_the_input_is_answered() {
    let mut client = Client::start(&[]);
    let ids: Vec<i64> = (0..50).map(|_| client.request("ping", json!({}))).collect();
    let last = client.request("tools/call", json!({"name": "canvas_check_out", "arguments": {}}));
    let ids: Vec<i64> = ids.into_iter().chain([last]).collect();
    client.end_input();
    for id in ids {
        client.answer(id).unwrap();
    }
    assert!(client.close().success());
}
