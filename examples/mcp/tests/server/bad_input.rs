//! What is wrong gets the protocol's own error, and the server goes on.

use serde_json::{Value, json};

use super::client::Client;

#[test]
fn lines_that_are_no_messages() {
    let mut client = Client::start(&[]);
    for (line, code, id) in [
        ("{", -32700, Value::Null),
        ("nothing", -32700, Value::Null),
        ("[]", -32600, Value::Null),
        (
            r#"[{"jsonrpc":"2.0","id":70,"method":"ping"},{"jsonrpc":"2.0","id":71,"method":"ping"}]"#,
            -32600,
            Value::Null,
        ),
        ("null", -32600, Value::Null),
        (r#"{"jsonrpc":"1.0","id":72,"method":"ping"}"#, -32600, json!(72)),
        (r#"{"id":"x","method":7}"#, -32600, json!("x")),
    ] {
        client.send(line);
        let message = client.message();
        assert_eq!(message["error"]["code"], code, "{line}: {message}");
        assert_eq!(message.get("id").cloned().unwrap_or_default(), id, "{line}: {message}");
    }
    for line in ["", "   ", r#"{"jsonrpc":"2.0","method":"notifications/nothing"}"#] {
        client.send(line);
    }
    assert_eq!(client.ask("ping", json!({})), Ok(json!({})));
    assert!(client.close().success());
}

#[test]
fn a_line_of_100_megabytes() {
    let mut client = Client::start(&[]);
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":70,"method":"ping","params":{{"x":"{}"}}}}"#,
        "x".repeat(100 << 20)
    );
    client.send(&line);
    let message = client.message();
    assert_eq!(message["error"]["code"], -32600, "{message}");
    assert_eq!(client.ask("ping", json!({})), Ok(json!({})));
}

#[test]
fn nothing_and_notifications_before_the_handshake() {
    let mut client = Client::spawn(&[]);
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#);
    client.send(r#"{"jsonrpc":"2.0","id":5,"result":{}}"#);
    assert_eq!(client.ask("ping", json!({})), Ok(json!({})));
    assert_eq!(client.ask("tools/list", json!({})).unwrap_err()["code"], -32600);
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
    });
    client.ask("initialize", params).unwrap();
    client.ask("tools/list", json!({})).unwrap();
    assert!(client.close().success());
}

#[test]
fn unknown_names() {
    let mut client = Client::start(&[]);
    let long = "x".repeat(1 << 20);
    for (method, params, code) in [
        ("nothing/at/all", json!({}), -32601),
        (long.as_str(), json!({}), -32601),
        ("tools/call", json!({"name": "nothing", "arguments": {}}), -32602),
        ("tools/call", json!({"name": long}), -32602),
        ("tools/call", json!({"arguments": {}}), -32602),
        ("tools/call", json!({"name": "canvas_check_out", "arguments": 7}), -32602),
        ("tools/call", json!({"name": "app_edit", "arguments": {"markdown": ""}}), -32602),
        ("tools/call", json!({"name": "test_simple_text", "arguments": {}}), -32602),
        ("tools/list", json!({"cursor": "nothing"}), -32602),
        ("resources/list", json!({"cursor": "nothing"}), -32602),
        ("resources/list", json!({"cursor": "after:%"}), -32602),
        ("prompts/list", json!({"cursor": "from:7"}), -32602),
        ("resources/templates/list", json!({"cursor": ""}), -32602),
        ("resources/read", json!({"uri": "canvas://nothing/document"}), -32002),
        ("resources/read", json!({"uri": "canvas://notes/nothing"}), -32002),
        ("resources/read", json!({"uri": "file:///etc/passwd"}), -32002),
        ("resources/read", json!({"uri": "canvas://../../document"}), -32002),
        ("resources/read", json!({"uri": long}), -32002),
        ("resources/read", json!({}), -32602),
        ("resources/subscribe", json!({"uri": "nothing"}), -32002),
        ("prompts/get", json!({"name": "nothing"}), -32602),
        ("prompts/get", json!({"name": "edit-document", "arguments": {"canvas": "nothing"}}), -32602),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "a", "value": ""}}),
            -32602,
        ),
        ("subscriptions/listen", json!({"notifications": {}}), -32601),
        ("logging/setLevel", json!({"level": "info"}), -32601),
        ("tasks/get", json!({"taskId": "1"}), -32601),
    ] {
        let shown: String = method.chars().take(40).collect();
        let error = client.ask(method, params.clone()).expect_err(&shown);
        assert_eq!(error["code"], code, "{shown}: {error}");
        assert!(error.to_string().len() < 2_000, "{shown}: an error is short");
    }
    assert!(client.close().success());
}

#[test]
fn arguments_that_are_wrong_are_answers_of_the_tool() {
    let mut client = Client::start(&[]);
    for (name, arguments, code) in [
        (
            "canvas_read_lines",
            json!({"lease_id": "x", "start_line": "one", "end_line": 2}),
            "INVALID_ARGUMENTS",
        ),
        ("canvas_apply_patch", json!({}), "INVALID_ARGUMENTS"),
        ("canvas_apply_patch", json!({"lease_id": "lease-9-9", "patch": "@@\n-a\n+b\n"}), "LOCK_NOT_OWNED"),
        ("canvas_outline", json!({"canvas": 7}), "INVALID_ARGUMENTS"),
        ("canvas_outline", json!({"canvas": ""}), "INVALID_ARGUMENTS"),
        ("canvas_outline", json!({"canvas": "nothing"}), "CANVAS_NOT_FOUND"),
        ("create_component", json!({"type_id": "nothing", "config": {}}), "TYPE_NOT_FOUND"),
        ("gsv__Canvas", json!({"operation": "get"}), "SURFACE_NOT_FOUND"),
        ("surface_action", json!({"actionId": "x"}), "SURFACE_NOT_FOUND"),
        ("surface_action", json!({"action": "x"}), "INVALID_ARGUMENTS"),
        ("surface_action", json!({}), "INVALID_ARGUMENTS"),
    ] {
        let result = client.call(name, arguments.clone());
        let error = &result["structuredContent"]["error"];
        assert_eq!(error["code"], code, "{name} {arguments}: {result}");
        assert_eq!(result["isError"], true, "{name}");
        assert!(error["message"].is_string() && error["retryable"].is_boolean(), "{name}: {error}");
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text, result["structuredContent"], "{name}: the text is the same");
    }
}

#[test]
fn a_cancelled_request_is_not_answered() {
    let mut client = Client::start_as("test", json!({"sampling": {}}), &["--conformance"]);
    for is_cancelled in [false, true] {
        let sampling = json!({"name": "test_sampling", "arguments": {"prompt": "x"}});
        let id = client.request("tools/call", sampling);
        // The call waits for its client, so it cannot end before it is cancelled.
        let asked = client.hear(|told| told["method"] == "sampling/createMessage");
        if is_cancelled {
            let params = json!({"requestId": id});
            client.send(
                &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}).to_string(),
            );
        }
        let sampled = json!({"role": "assistant", "content": {"type": "text", "text": "y"}, "model": "m"});
        client.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": sampled}).to_string());
        if !is_cancelled {
            client.answer(id).unwrap();
            continue;
        }
        assert_eq!(client.ask("ping", json!({})), Ok(json!({})));
        // All that the server ever says.
        let rest = client.rest();
        let is_answer = |message: &Value| message["id"] == id && message.get("method").is_none();
        assert!(!rest.iter().any(is_answer), "a cancelled request has no answer: {rest:?}");
    }
    assert!(client.close().success());
}
