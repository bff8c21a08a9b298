//! Only 2025-03-26 has batches.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::client::Client;
use super::http::Server;
use super::wire::Wire;

const WITH_BATCHES: &str = "2025-03-26";

/// A generator of pseudorandom numbers, the same in each run.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// Draws a message of a batch. Returns it with the code of its answer: 0 for a result, `None` for no answer.
fn member(draw: &mut Draw, id: &Value) -> (Value, Option<i64>) {
    let request =
        |method: &str, params: Value| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    let begin = json!({
        "protocolVersion": WITH_BATCHES, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
    });
    match draw.below(14) {
        0 => (request("ping", json!({})), Some(0)),
        1 => (request("tools/list", json!({})), Some(0)),
        2 => (request("tools/call", json!({"name": "canvas_outline", "arguments": {}})), Some(0)),
        3 => (request("resources/read", json!({"uri": "canvas://notes/document"})), Some(0)),
        4 => (request("nothing", json!({})), Some(-32601)),
        5 => (request("logging/setLevel", json!({"level": "info"})), Some(-32601)),
        6 => (request("tools/call", json!({"name": "canvas_outline", "arguments": "{}"})), Some(-32602)),
        7 => (request("initialize", begin), Some(-32600)),
        8 => (json!({"jsonrpc": "2.0", "id": id}), Some(-32600)),
        9 => (json!({"id": id, "method": "ping"}), Some(-32600)),
        10 => (json!({"jsonrpc": "2.0", "method": "notifications/initialized"}), None),
        11 => (
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "none"}}),
            None,
        ),
        12 => (json!({"jsonrpc": "2.0", "id": 1_000_000, "result": {}}), None),
        _ => (json!({"jsonrpc": "2.0", "method": "notifications/nothing", "params": {}}), None),
    }
}

#[test]
fn each_request_of_a_batch_is_answered_in_one_array() {
    for mut wire in Wire::of(WITH_BATCHES) {
        let mut draw = Draw(7);
        for round in 0..40 {
            let mut expected = BTreeMap::new();
            let batch: Vec<Value> = (0..=draw.below(12))
                .map(|place| {
                    let id = if place % 2 == 0 { json!(place) } else { json!(format!("{round}-{place}")) };
                    let (member, code) = member(&mut draw, &id);
                    expected.extend(code.map(|code| (id.to_string(), code)));
                    member
                })
                .collect();
            let text = Value::from(batch).to_string();
            if expected.is_empty() {
                wire.tell_silently(&text);
                continue;
            }
            let answers = wire.tell(&text);
            let answers = answers.as_array().unwrap_or_else(|| panic!("{text}: {answers}"));
            let code = |answer: &Value| answer["error"]["code"].as_i64().unwrap_or_default();
            let told: BTreeMap<_, _> =
                answers.iter().map(|answer| (answer["id"].to_string(), code(answer))).collect();
            assert_eq!(told, expected, "{text}: {answers:?}");
            assert_eq!(answers.len(), expected.len(), "{text}: {answers:?}");
        }
        wire.goes_on();
    }
}

#[test]
fn each_faulty_message_of_a_batch_is_an_error_among_the_answers() {
    for mut wire in Wire::of(WITH_BATCHES) {
        for value in [json!(1), json!(null), json!("x"), json!([]), json!({}), json!([{}]), json!(true)] {
            for count in 1..4 {
                let text = json!(vec![&value; count]).to_string();
                let answers = wire.tell(&text);
                let answers = answers.as_array().unwrap_or_else(|| panic!("{text}: {answers}"));
                assert_eq!(answers.len(), count, "{text}");
                assert!(
                    answers.iter().all(|answer| answer["error"]["code"] == -32600),
                    "{text}: {answers:?}"
                );
            }
        }
    }
}

#[test]
fn an_id_twice_in_a_batch_is_refused_the_second_time() {
    for mut wire in Wire::of(WITH_BATCHES) {
        for number in 0..20 {
            let id = if number % 2 == 0 { json!(number) } else { json!(number.to_string()) };
            let ping = json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
            let answers = wire.tell(&json!([ping, ping, ping]).to_string());
            let answers = answers.as_array().unwrap_or_else(|| panic!("{id}: {answers}"));
            let refused = answers.iter().filter(|answer| answer["error"]["code"] == -32600).count();
            let answered = answers.iter().filter(|answer| answer["result"] == json!({})).count();
            assert_eq!((answered, refused), (1, 2), "{answers:?}");
            assert!(answers.iter().all(|answer| answer["id"] == id), "{answers:?}");
        }
    }
}

#[test]
fn batches_without_messages_or_with_too_many_are_one_error() {
    for mut wire in Wire::of(WITH_BATCHES) {
        for text in ["[]", "[ ]", "[\t]"] {
            wire.fault(text, -32600, &["empty"], &Value::Null);
        }
        let ping = |id: usize| json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
        let most: Value = (0..100).map(ping).collect();
        assert_eq!(wire.tell(&most.to_string()).as_array().map(Vec::len), Some(100));
        let more: Value = (0..101).map(ping).collect();
        wire.fault(&more.to_string(), -32600, &["100"], &Value::Null);
        wire.goes_on();
    }
}

#[test]
fn other_versions_refuse_batches_and_name_the_one_that_has_them() {
    for version in ["2025-11-25", "2025-06-18", "2024-11-05"] {
        for mut wire in Wire::of(version) {
            let mut draw = Draw(11);
            for _ in 0..10 {
                let count = draw.below(5) + 1;
                let batch: Value = (0..count).map(|place| member(&mut draw, &json!(place)).0).collect();
                wire.fault(&batch.to_string(), -32600, &["batch", version, WITH_BATCHES], &Value::Null);
            }
            wire.fault("[]", -32600, &["batch"], &Value::Null);
            wire.goes_on();
        }
    }
    for mut wire in Wire::unbegun() {
        let begin = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": WITH_BATCHES, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
        }});
        wire.fault(&json!([begin]).to_string(), -32600, &["batch", "initialize"], &Value::Null);
        assert_eq!(wire.tell(&begin.to_string())["result"]["protocolVersion"], WITH_BATCHES);
    }
}

#[test]
fn a_batch_waits_for_slow_requests_but_not_for_cancelled_ones() {
    let mut client = Client::spawn(&["--conformance"]);
    let params = json!({
        "protocolVersion": WITH_BATCHES, "capabilities": {"sampling": {}},
        "clientInfo": {"name": "test", "version": "1"},
    });
    client.ask("initialize", params).unwrap();
    let call = json!({"name": "test_sampling", "arguments": {"prompt": "x"}});
    let batch = json!([
        {"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": call},
        {"jsonrpc": "2.0", "id": "fast", "method": "ping"},
    ]);
    for is_cancelled in [false, true] {
        client.send(&batch.to_string());
        let asked = client.hear(|told| told["method"] == "sampling/createMessage");
        if is_cancelled {
            let cancel = json!({"requestId": "slow"});
            client.send(
                &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel}).to_string(),
            );
        } else {
            let result = json!({"role": "assistant", "content": {"type": "text", "text": "y"}, "model": "m"});
            client.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": result}).to_string());
        }
        let answers = client.hear(Value::is_array);
        let mut ids: Vec<_> = answers.as_array().unwrap().iter().map(|answer| answer["id"].clone()).collect();
        ids.sort_by_key(|id| id.to_string());
        let expected = if is_cancelled { json!(["fast"]) } else { json!(["fast", "slow"]) };
        assert_eq!(Value::from(ids), expected, "{answers}");
    }
    assert!(client.close().success());
}

#[test]
fn the_last_line_may_be_a_batch() {
    let mut client = Client::spawn(&[]);
    let params = json!({
        "protocolVersion": WITH_BATCHES, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
    });
    client.ask("initialize", params).unwrap();
    let call = json!({"name": "canvas_outline", "arguments": {}});
    let batch = json!([
        {"jsonrpc": "2.0", "id": 50, "method": "tools/call", "params": call},
        {"jsonrpc": "2.0", "id": 51, "method": "ping"},
        7,
    ]);
    client.send_bare(&batch.to_string());
    let rest = client.rest();
    assert!(rest.iter().any(|told| told.as_array().is_some_and(|answers| answers.len() == 3)), "{rest:?}");
    assert!(client.close().success());
}

#[test]
fn a_batch_is_answered_in_a_form_that_its_client_accepts() {
    let server = Server::start();
    let session = server.initialize_as(WITH_BATCHES, &[]).session.expect("a session");
    let batch = json!([{"jsonrpc": "2.0", "id": 1, "method": "ping"}]).to_string();
    for (accept, media) in [
        ("application/json, text/event-stream", "application/json"),
        ("application/json", "application/json"),
        ("*/*", "application/json"),
        ("text/event-stream", "text/event-stream"),
    ] {
        let answer = server.post(&[("Mcp-Session-Id", &session), ("Accept", accept)], &batch);
        assert_eq!((answer.status, answer.media.as_str()), (200, media), "{accept}");
        assert_eq!(answer.messages(), [json!([{"jsonrpc": "2.0", "id": 1, "result": {}}])], "{accept}");
    }
    // Without a session there is no version that has batches.
    let answer = server.post(&[], &batch);
    assert_eq!((answer.status, &answer.messages()[0]["error"]["code"]), (400, &json!(-32600)));
}
