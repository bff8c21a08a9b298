//! Every faulty message gets an answer that names the fault, over both transports.

use std::io::{BufRead as _, BufReader};

use serde_json::{Value, json};

use super::client::Client;
use super::http::Server;
use super::wire::Wire;

/// Values of each kind.
fn values() -> Vec<Value> {
    [
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(7),
        json!(-1),
        json!(1.5),
        json!(1e300),
        json!(u64::MAX),
        json!(""),
        json!("x"),
        json!("{}"),
        json!("null"),
        json!([]),
        json!([1]),
        json!([{}]),
        json!({}),
        json!({"x": 1}),
    ]
    .into()
}

/// Valid requests, with the required members of their `params`.
fn requests() -> Vec<(&'static str, Value, &'static [&'static str])> {
    let initialize = json!({
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
    });
    let prompt = json!({"type": "ref/prompt", "name": "edit-document"});
    vec![
        ("initialize", initialize, &["protocolVersion", "capabilities", "clientInfo"]),
        ("tools/call", json!({"name": "canvas_outline", "arguments": {}}), &["name"]),
        ("resources/read", json!({"uri": "canvas://notes/document"}), &["uri"]),
        ("resources/subscribe", json!({"uri": "canvas://notes/document"}), &["uri"]),
        ("resources/unsubscribe", json!({"uri": "canvas://notes/document"}), &["uri"]),
        ("prompts/get", json!({"name": "edit-document"}), &["name"]),
        (
            "completion/complete",
            json!({"ref": prompt, "argument": {"name": "canvas", "value": ""}}),
            &["ref", "argument"],
        ),
        ("tools/list", json!({}), &[]),
        ("prompts/list", json!({}), &[]),
        ("resources/list", json!({}), &[]),
        ("resources/templates/list", json!({}), &[]),
        ("ping", json!({}), &[]),
    ]
}

fn message(id: impl Into<Value>, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})
}

fn without(mut value: Value, member: &str) -> Value {
    value.as_object_mut().unwrap().remove(member);
    value
}

fn with(mut value: Value, member: &str, put: Value) -> Value {
    value[member] = put;
    value
}

#[test]
fn text_that_is_not_json_is_a_parse_error() {
    let whole = message(1, "tools/call", json!({"name": "canvas_outline"})).to_string();
    for mut wire in Wire::of("2025-11-25") {
        for end in 1..whole.len() {
            wire.fault(&whole[..end], -32700, &["not JSON"], &Value::Null);
        }
        for rest in ["}", ",", "x", "{}", "]", "\"", "1"] {
            wire.fault(&format!("{whole}{rest}"), -32700, &["not JSON"], &Value::Null);
        }
        wire.goes_on();
    }
}

#[test]
fn a_member_of_a_message_that_is_missing_or_wrong_is_named() {
    for mut wire in Wire::of("2025-11-25") {
        for (method, params, _) in requests() {
            let whole = message("m", method, params);
            wire.fault(&without(whole.clone(), "jsonrpc").to_string(), -32600, &["`jsonrpc`"], &json!("m"));
            wire.fault(&without(whole.clone(), "method").to_string(), -32600, &["`method`"], &json!("m"));
            wire.fault(&without(whole, "id").to_string(), -32600, &["`id`", method], &Value::Null);
        }
        let whole = message("m", "ping", json!({}));
        for value in values() {
            let version = with(whole.clone(), "jsonrpc", value.clone()).to_string();
            wire.fault(&version, -32600, &["`jsonrpc`", "2.0"], &json!("m"));
            if !value.is_string() {
                let method = with(whole.clone(), "method", value.clone()).to_string();
                wire.fault(&method, -32600, &["`method`"], &json!("m"));
            }
            if !value.is_string() && value.as_i64().is_none() {
                let id = with(whole.clone(), "id", value.clone()).to_string();
                wire.fault(&id, -32600, &["`id`"], &Value::Null);
            }
            if !value.is_object() && !value.is_array() {
                wire.fault(&value.to_string(), -32600, &["object"], &Value::Null);
            }
        }
        for (text, name) in [
            (r#"{"jsonrpc":"2.0","id":"m","method":"ping","result":{}}"#, "`result`"),
            (r#"{"jsonrpc":"2.0","id":"m","method":"ping","error":{"code":1,"message":""}}"#, "`error`"),
            (r#"{"jsonrpc":"2.0","id":"m","result":{},"error":{"code":1,"message":""}}"#, "`error`"),
            (r#"{"jsonrpc":"2.0","id":"m","error":{"code":1}}"#, "`error`"),
            (r#"{"jsonrpc":"2.0","id":"m","error":{"message":"x"}}"#, "`error`"),
            (r#"{"jsonrpc":"2.0","id":"m","error":7}"#, "`error`"),
            (r#"{"jsonrpc":"2.0","id":"m"}"#, "`method`"),
            (r#"{"jsonrpc":"2.0","jsonrpc":"2.0","id":"m","method":"ping"}"#, "twice"),
        ] {
            wire.fault(text, -32600, &[name], &json!("m"));
        }
        wire.fault(r#"{"jsonrpc":"2.0","result":{}}"#, -32600, &["`id`"], &Value::Null);
        wire.goes_on();
    }
}

#[test]
fn a_member_of_params_that_is_missing_or_wrong_is_named() {
    for mut wire in Wire::of("2025-11-25") {
        for (method, params, members) in requests() {
            for member in members {
                let lacking = message(7, method, without(params.clone(), member)).to_string();
                wire.fault(&lacking, -32602, &[member, method, "missing"], &json!(7));
                // Those that are needed are strings or objects.
                for value in values() {
                    if value.is_string() == params[member].is_string()
                        && value.is_object() == params[member].is_object()
                    {
                        continue;
                    }
                    let wrong = message(7, method, with(params.clone(), member, value)).to_string();
                    wire.fault(&wrong, -32602, &[member, method], &json!(7));
                }
            }
            if !members.is_empty() {
                let lacking = without(message(7, method, json!({})), "params").to_string();
                wire.fault(&lacking, -32602, &["`params`", method], &json!(7));
            }
            for value in values().into_iter().filter(|value| !value.is_object() && !value.is_null()) {
                wire.fault(&message(7, method, value).to_string(), -32602, &["`params`", method], &json!(7));
            }
        }
        wire.goes_on();
    }
}

#[test]
fn arguments_that_are_no_object_are_named() {
    for mut wire in Wire::of("2025-11-25") {
        for value in values().into_iter().filter(|value| !value.is_object() && !value.is_null()) {
            for tool in ["canvas_outline", "canvas_apply_patch", "create_component", "nothing"] {
                let call = message("c", "tools/call", json!({"name": tool, "arguments": value})).to_string();
                wire.fault(&call, -32602, &["`arguments`", "tools/call", "object"], &json!("c"));
            }
            let get = json!({"name": "edit-document", "arguments": value});
            wire.fault(
                &message("p", "prompts/get", get).to_string(),
                -32602,
                &["`arguments`", "prompts/get"],
                &json!("p"),
            );
            let meta = json!({"name": "canvas_outline", "_meta": value});
            wire.fault(&message("c", "tools/call", meta).to_string(), -32602, &["`_meta`"], &json!("c"));
            let page = json!({"cursor": value});
            if !value.is_string() {
                wire.fault(&message("l", "tools/list", page).to_string(), -32602, &["`cursor`"], &json!("l"));
            }
        }
        wire.goes_on();
    }
}

#[test]
fn requests_before_initialize_are_refused() {
    for mut wire in Wire::unbegun() {
        let unknown = [("logging/setLevel", json!({"level": "info"}), &[][..]), ("nothing", json!({}), &[])];
        for (method, params, _) in requests().into_iter().chain(unknown) {
            if matches!(method, "initialize" | "ping") {
                continue;
            }
            for id in [json!(0), json!(-7), json!("x"), json!("")] {
                let text = message(id.clone(), method, params.clone()).to_string();
                wire.fault(&text, -32600, &["initialize", "first"], &id);
            }
        }
        let (method, params, members) = requests().remove(0);
        for member in members {
            let text = message(1, method, without(params.clone(), member)).to_string();
            wire.fault(&text, -32602, &[member, "missing"], &json!(1));
        }
        let begun = wire.tell(&message(1, method, params).to_string());
        assert_eq!(begun["result"]["serverInfo"]["name"], "canvas-mcp", "{begun}");
    }
}

/// A refused first request begins nothing, so a notification after it is not the end.
#[test]
fn a_first_request_of_an_unknown_version_leaves_the_server_waiting() {
    let mut client = Client::spawn(&[]);
    for version in ["2099-01-01", "", "2026-07-29", "x", "2026-07-28"] {
        let mut meta = json!({"io.modelcontextprotocol/protocolVersion": version});
        // The version that exists lacks its capabilities.
        if version != "2026-07-28" {
            meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
        }
        client.ask("tools/list", json!({"_meta": meta})).unwrap_err();
        client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        assert_eq!(client.ask("ping", json!({})), Ok(json!({})), "{version}");
    }
    let (method, params, _) = requests().remove(0);
    client.ask(method, params).unwrap();
    assert!(client.close().success());
}

#[test]
fn log_levels_are_refused_and_the_connection_stays() {
    let levels =
        ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency", "loud", ""];
    for version in ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] {
        for mut wire in Wire::of(version) {
            let params = levels.iter().map(|level| json!({"level": level}));
            for params in params.chain(values()) {
                let text = message("s", "logging/setLevel", params).to_string();
                wire.fault(&text, -32601, &["logging/setLevel"], &json!("s"));
            }
            wire.goes_on();
        }
    }
}

fn ids() -> Vec<Value> {
    let numbers = [0, 1, 7, -1, i64::MAX, i64::MIN, 1 << 53];
    let texts = ["", "0", "x", "é", "\n", "\"", " ", "a long id of somebody who has many of them"];
    let more = (100..106).map(|number| json!(number));
    numbers.into_iter().map(|id| json!(id)).chain(texts.into_iter().map(|id| json!(id))).chain(more).collect()
}

fn sampled(asked: &Value) -> String {
    let result = json!({"role": "assistant", "content": {"type": "text", "text": "y"}, "model": "m"});
    json!({"jsonrpc": "2.0", "id": asked["id"], "result": result}).to_string()
}

/// A call that waits for its client, so it stays under way.
fn waiting(id: &Value) -> String {
    message(id.clone(), "tools/call", json!({"name": "test_sampling", "arguments": {"prompt": "x"}}))
        .to_string()
}

#[test]
fn an_id_of_a_request_under_way_is_refused() {
    let mut client = Client::start_as("test", json!({"sampling": {}}), &["--conformance"]);
    for id in ids() {
        client.send(&waiting(&id));
        let asked = client.hear(|told| told["method"] == "sampling/createMessage");
        for (method, params) in [("ping", json!({})), ("tools/list", json!({})), ("nothing", json!({}))] {
            client.send(&message(id.clone(), method, params).to_string());
            let refused = client.hear(|told| told["id"] == id && told.get("method").is_none());
            assert_eq!(refused["error"]["code"], -32600, "{refused}");
            assert!(refused["error"]["message"].as_str().unwrap().contains("id"), "{refused}");
        }
        client.send(&sampled(&asked));
        let answer = client.hear(|told| told["id"] == id && told.get("method").is_none());
        assert!(answer["result"].is_object(), "the first is answered: {answer}");
        // An id whose request is over may come again.
        client.send(&message(id.clone(), "ping", json!({})).to_string());
        let answer = client.hear(|told| told["id"] == id && told.get("method").is_none());
        assert_eq!(answer["result"], json!({}), "{answer}");
    }
    assert!(client.close().success());
}

#[test]
fn an_id_of_a_request_under_way_is_refused_over_http() {
    let server = Server::start_with(&["--conformance"]);
    let session = server.initialize_as("2025-11-25", &[]).session.expect("a session");
    let headers = [("Mcp-Session-Id", session.as_str())];
    for id in ids() {
        let mut lines = BufReader::new(server.open("POST", &headers, &waiting(&id))).lines();
        let mut next = |is_it: fn(&Value) -> bool| {
            lines.by_ref().map_while(Result::ok).find_map(|line| {
                let told = serde_json::from_str::<Value>(line.strip_prefix("data:")?.trim()).ok()?;
                is_it(&told).then_some(told)
            })
        };
        let asked =
            next(|told| told["method"] == "sampling/createMessage").expect("the call asks its client");
        let other = server.initialize_as("2025-11-25", &[]).session.expect("a session");
        for (method, params) in [("ping", json!({})), ("tools/list", json!({})), ("nothing", json!({}))] {
            let text = message(id.clone(), method, params).to_string();
            let refused = server.post(&headers, &text);
            let error = refused.messages().remove(0);
            assert_eq!((&error["id"], &error["error"]["code"]), (&id, &json!(-32600)), "{error}");
            assert!(error["error"]["message"].as_str().unwrap().contains("id"), "{error}");
            assert_eq!(server.post(&[("Mcp-Session-Id", &other)], &text).status, 200, "another's id is free");
        }
        assert!(server.send("DELETE", &[("Mcp-Session-Id", &other)], "").status < 300);
        assert_eq!(server.post(&headers, &sampled(&asked)).status, 202);
        let answer = next(|told| told.get("method").is_none()).expect("the first is answered");
        assert!(answer["id"] == id && answer["result"].is_object(), "{answer}");
        let again = server.post(&headers, &message(id.clone(), "ping", json!({})).to_string());
        assert_eq!(again.messages(), [json!({"jsonrpc": "2.0", "id": id, "result": {}})]);
    }
}

/// A cancelled call may still end, and would be taken for the answer to the next request of its id.
#[test]
fn an_id_of_a_cancelled_request_stays_taken() {
    let mut client = Client::start_as("test", json!({"sampling": {}}), &["--conformance"]);
    let server = Server::start_with(&["--conformance"]);
    let session = server.initialize_as("2025-11-25", &[]).session.expect("a session");
    let headers = [("Mcp-Session-Id", session.as_str())];
    for id in ids() {
        let cancel =
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
        let again = message(id.clone(), "tools/list", json!({})).to_string();
        client.send(&waiting(&id));
        client.hear(|told| told["method"] == "sampling/createMessage");
        client.send(&cancel.to_string());
        client.send(&again);
        let refused = client.hear(|told| told["id"] == id && told.get("method").is_none());
        assert_eq!(refused["error"]["code"], -32600, "{refused}");

        let mut lines = BufReader::new(server.open("POST", &headers, &waiting(&id))).lines();
        lines.by_ref().map_while(Result::ok).find(|line| line.contains("createMessage")).expect("it asks");
        assert_eq!(server.post(&headers, &cancel.to_string()).status, 202);
        let refused = server.post(&headers, &again).messages().remove(0);
        assert_eq!(refused["error"]["code"], -32600, "{refused}");
    }
    assert!(client.close().success());
}

#[test]
fn a_last_line_without_a_newline_is_answered() {
    let mut last: Vec<(String, Value)> = requests()
        .into_iter()
        .map(|(method, params, _)| (message(9, method, params).to_string(), json!(9)))
        .collect();
    last.extend((1..12).map(|number| {
        let text = message(9, "ping", json!({})).to_string();
        (text[..text.len() - number].to_owned(), Value::Null)
    }));
    last.extend(["[]", "7", "nothing"].map(|text| (text.to_owned(), Value::Null)));
    for (text, id) in last {
        for is_begun in [true, false] {
            let mut client = if is_begun { Client::start(&[]) } else { Client::spawn(&[]) };
            client.send_bare(&text);
            let rest = client.rest();
            let answer = rest.iter().find(|told| told["id"] == id && told.get("method").is_none());
            assert!(answer.is_some(), "{text}, {is_begun}: {rest:?}");
            assert!(client.close().success(), "{text}");
        }
    }
}

#[test]
fn foreign_origins_are_refused_before_faults() {
    let server = Server::start();
    for text in ["", "{", "[]", "7", r#"{"id":1}"#, r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#] {
        let status = server.post(&[("Origin", "https://evil.example")], text).status;
        assert_eq!(status, 403, "{text}");
        let status = server.post(&[("Host", "evil.example"), ("Accept", "image/png")], text).status;
        assert_eq!(status, 403, "{text}");
    }
}

#[test]
fn refusals_of_http_are_messages() {
    let server = Server::start();
    let session = server.initialize_as("2025-11-25", &[]).session.expect("a session");
    let ping = message(5, "ping", json!({})).to_string();
    for (headers, text, status, id) in [
        (&[("Mcp-Session-Id", session.as_str())][..], "", 400, Value::Null),
        (&[("Mcp-Session-Id", "nothing")], &ping, 404, json!(5)),
        (&[("Mcp-Session-Id", &session), ("Content-Type", "text/plain")], &ping, 415, json!(5)),
        (&[("Mcp-Session-Id", &session), ("Content-Type", "")], &ping, 415, json!(5)),
        (&[("Mcp-Session-Id", &session), ("MCP-Protocol-Version", "nothing")], &ping, 400, json!(5)),
    ] {
        let answer = server.post(headers, text);
        assert_eq!(answer.status, status, "{headers:?}: {}", answer.body);
        assert_eq!(answer.media, "application/json", "{headers:?}");
        let error = answer.messages().remove(0);
        assert_eq!(error["id"], id, "{error}");
        assert!(error["error"]["message"].as_str().unwrap().contains(' '), "{error}");
    }
}
