//! Answers in, events out: own fixtures, and recorded answers where they are there.

use crate::support;

use canvas_providers::{AnswerContext, Decoded, Event, Provider};
use canvas_tools::CodedError as _;
use serde_json::{Value, json};

#[test]
fn fixtures() {
    for case in support::cases("decode.json") {
        let name = case["name"].as_str().expect("a name");
        let result = Provider::Anthropic.decode(&case["body"], &support::context());
        match (result, case.get("error")) {
            (Ok(decoded), None) => check(name, &case, &decoded),
            (Err(error), Some(expected)) => {
                let found =
                    json!({"code": error.code(), "place": error.place(), "retryable": error.is_retryable()});
                assert_eq!(found, *expected, "{name}");
                assert!(error.to_string().len() > 10, "{name}");
            }
            (result, _) => panic!("{name}: {result:?}"),
        }
    }
}

fn check(name: &str, case: &Value, decoded: &Decoded) {
    let mut found = serde_json::to_value(decoded).expect("an answer serialises");
    let events = found.as_object_mut().and_then(|found| found.remove("events")).expect("events");
    let types: Vec<&Value> = events.as_array().expect("a list").iter().map(|event| &event["type"]).collect();
    found["types"] = json!(types);
    found.as_object_mut().and_then(|found| found.remove("usage")).expect("what it cost");
    found["stop"] = json!(format!("{:?}", decoded.stop_reason));
    assert_eq!(found, case["expect"], "{name}");
    let read: Vec<Event> = serde_json::from_value(events).expect("events read back");
    assert_eq!(read, decoded.events, "{name}");
    if case["replay"] != "changed" {
        let parts = Provider::Anthropic.replay(&case["body"]).expect("decodes");
        assert_eq!(json!(parts), case["body"]["content"], "{name}");
    }
}

#[test]
fn recorded_answers() {
    for &provider in Provider::ALL {
        let Some(folder) = support::recorded(provider.name()) else {
            support::say(&format!("SKIPPED: recorded answers of {provider} (not in CANVAS_DATA)"));
            continue;
        };
        let index = support::read_json(&folder.join("../index.json"));
        let mut count = 0;
        for case in index["cases"].as_array().expect("cases") {
            if case["provider"] != provider.name() || case["streamed"] != false {
                continue;
            }
            let file = |key: &str| folder.join("..").join(case[key].as_str().expect("a file name"));
            let (body, expect) =
                (support::read_json(&file("file")), support::read_json(&file("expect_file")));
            check_recorded(provider, case["id"].as_str().expect("an id"), &body, &expect);
            count += 1;
        }
        assert!(count > 0, "the index lists answers of {provider}");
        support::say(&format!("{provider}: {count} recorded answers decoded and replayed"));
    }
}

fn check_recorded(provider: Provider, id: &str, body: &Value, expect: &Value) {
    let context = AnswerContext::new(provider.issuer("m"));
    let decoded = provider.decode(body, &context).expect("a recorded answer decodes");
    let found = serde_json::to_value(&decoded).expect("an answer serialises");
    let calls = |list: &Value| -> Vec<Value> {
        let list = list.as_array().expect("a list").iter();
        let id = |call: &Value| call["id"].as_str().unwrap_or_default().to_owned();
        list.map(|call| json!({"id": id(call), "name": call["name"], "arguments": call["arguments"]}))
            .collect()
    };
    assert_eq!(calls(&found["calls"]), calls(&expect["tool_calls"]), "{id}");
    assert_eq!(found["text"], expect["text"], "{id}");
    assert_eq!(found["thinking"], expect["thinking_present"], "{id}");
    assert_eq!(found["finish"], expect["finish_reason"], "{id}");
    assert_eq!(json!(support::order(&decoded)), expect["block_order"], "{id}");
    let parts = provider.replay(body).expect("a recorded answer decodes");
    assert_eq!(json!(parts), support::parts_of(provider, body), "{id}");
}

#[test]
fn bytes_that_are_no_json_say_where() {
    let error = Provider::Anthropic.decode_slice(b"{\n <html>", &support::context()).expect_err("no JSON");
    assert_eq!(
        (error.code(), error.place().as_deref(), error.is_retryable()),
        ("RESPONSE_NOT_JSON", Some(""), true)
    );
    assert!(error.to_string().contains("line 2"), "{error}");
}

#[test]
fn sizes_have_limits() {
    let mut deep = json!({});
    for _ in 0..200 {
        deep = json!([deep]);
    }
    let code = |body: &Value| {
        Provider::Anthropic.decode(body, &support::context()).expect_err("over a limit").code()
    };
    assert_eq!(code(&json!({"content": [{"type": "new", "deep": deep}]})), "RESPONSE_TOO_LARGE");
    let many = vec![json!({"type": "text", "text": "x"}); canvas_providers::MAX_PARTS + 1];
    assert_eq!(code(&json!({"content": many})), "RESPONSE_TOO_LARGE");
}
