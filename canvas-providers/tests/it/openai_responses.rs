//! Answers and streams of the Responses endpoint in, events out.

use crate::support;

use canvas_providers::{AnswerContext, Decoded, MAX_PARTS, NativeTool, Provider, StreamEvent, Usage};
use canvas_tools::CodedError as _;
use canvas_tools::native::Dialect;
use serde_json::{Value, json};

const PROVIDER: Provider = Provider::OpenAiResponses;

fn context(case: &Value) -> AnswerContext {
    let native = case["native"].as_str().and_then(Dialect::from_code).and_then(NativeTool::of);
    AnswerContext { native, ..AnswerContext::new(PROVIDER.issuer("m")) }
}

/// What an answer is, as the fixtures have it.
fn read(decoded: &Decoded) -> Value {
    let mut found = serde_json::to_value(decoded).expect("an answer serialises");
    let map = found.as_object_mut().expect("an object");
    let events = map.remove("events").expect("events");
    let types: Vec<&Value> = events.as_array().expect("a list").iter().map(|event| &event["type"]).collect();
    map.insert("types".to_owned(), json!(types));
    map.insert("stop".to_owned(), json!(format!("{:?}", decoded.stop_reason)));
    map.remove("usage");
    map.remove("failure");
    found
}

fn parts(decoded: &Decoded) -> Vec<&Value> {
    decoded.events.iter().flat_map(|event| &event.envelope.as_ref().expect("kept").parts).collect()
}

#[test]
fn answers() {
    for case in support::cases("openai_responses/decode.json") {
        let name = case["name"].as_str().expect("a name");
        match (PROVIDER.decode(&case["body"], &context(&case)), case.get("error")) {
            (Ok(decoded), None) => {
                assert_eq!(read(&decoded), case["expect"], "{name}");
                assert_eq!(
                    json!(PROVIDER.replay(&case["body"]).expect("decodes")),
                    case["body"]["output"],
                    "{name}"
                );
            }
            (Err(error), Some(expected)) => {
                let found =
                    json!({"code": error.code(), "place": error.place(), "retryable": error.is_retryable()});
                assert_eq!(found, *expected, "{name}");
            }
            (result, _) => panic!("{name}: {result:?}"),
        }
    }
}

#[test]
fn usage() {
    let usage = json!({"input_tokens": 100, "input_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 20},
        "output_tokens": 9, "output_tokens_details": {"reasoning_tokens": 4}, "total_tokens": 109});
    let body = json!({"status": "completed", "output": [], "usage": usage});
    let counted = Usage {
        input_tokens: 100,
        cache_read_tokens: 60,
        cache_write_tokens: 20,
        output_tokens: 9,
        reasoning_tokens: 4,
    };
    assert_eq!(PROVIDER.decode(&body, &context(&Value::Null)).expect("decodes").usage, counted);
    let last = json!({"type": "response.completed", "response": body}).to_string();
    assert_eq!(stream(&[format!("data: {last}\n\n").as_bytes()], &Value::Null).0.usage, counted);
}

#[test]
fn sizes_have_limits() {
    let many = vec![json!({"type": "dream"}); MAX_PARTS + 1];
    let body = json!({"status": "completed", "output": many});
    let error = PROVIDER.decode(&body, &context(&Value::Null)).expect_err("too many");
    assert_eq!((error.code(), error.place().as_deref()), ("RESPONSE_TOO_LARGE", Some("/output")));
    let last = json!({"type": "response.completed", "response": body}).to_string();
    let (decoded, _) = stream(&[format!("data: {last}\n\n").as_bytes()], &Value::Null);
    assert_eq!(decoded.failure.map(|failure| failure.code()), Some("RESPONSE_TOO_LARGE"));
    assert_eq!(decoded.events.len(), MAX_PARTS);
}

/// What somebody sees who shows a stream while it comes.
#[derive(Debug, Default, PartialEq)]
struct Shown {
    text: String,
    thinking: String,
    calls: Vec<(usize, String, String)>,
    unknown: Vec<String>,
}

fn stream(pieces: &[&[u8]], case: &Value) -> (Decoded, Shown) {
    let (mut stream, mut shown) = (PROVIDER.stream(context(case)), Shown::default());
    for piece in pieces {
        stream.feed(piece, &mut |event| match event {
            StreamEvent::Text { delta, .. } => shown.text.push_str(delta),
            StreamEvent::Thinking { delta, .. } => shown.thinking.push_str(delta),
            StreamEvent::Call { part, name, .. } => shown.calls.push((part, name.to_owned(), String::new())),
            StreamEvent::Arguments { part, delta } => {
                let call =
                    shown.calls.iter_mut().find(|(of, _, _)| *of == part).expect("a call begins first");
                call.2.push_str(delta);
            }
            StreamEvent::Unknown { kind } => shown.unknown.push(kind.to_owned()),
            other => panic!("{other:?}"),
        });
    }
    (stream.finish(), shown)
}

#[test]
fn streams() {
    for case in support::cases("openai_responses/stream.json") {
        let name = case["name"].as_str().expect("a name");
        let frames = case["events"].as_array().expect("a list").iter().map(|event| match event {
            Value::String(broken) => format!("data: {broken}\n\n"),
            event => format!("data: {event}\n\n"),
        });
        let text: String = frames.collect();
        let (decoded, shown) = stream(&[text.as_bytes()], &case);
        assert_eq!(read(&decoded), case["expect"], "{name}");
        if let Some(expected) = case.get("parts") {
            assert_eq!(json!(parts(&decoded)), *expected, "{name}");
        }
        let failure = decoded.failure.as_ref().map(|failure| failure.code());
        assert_eq!(failure, case["failure"].as_str(), "{name}: {:?}", decoded.failure);
        if let Some(retryable) = case["retryable"].as_bool() {
            assert_eq!(
                decoded.failure.as_ref().map(|failure| failure.is_retryable()),
                Some(retryable),
                "{name}"
            );
        }
        if let Some(expected) = case.get("shown") {
            let calls: Vec<_> =
                shown.calls.iter().map(|(_, name, arguments)| json!([name, arguments])).collect();
            let found = json!({"text": shown.text, "thinking": shown.thinking, "calls": calls, "unknown": shown.unknown});
            assert_eq!(found, *expected, "{name}");
        }
        let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
        assert_eq!(stream(&bytes, &case), (decoded, shown), "{name}: byte by byte");
    }
}
