//! What holds for any input of Gemini and Bedrock.

use crate::support;

use canvas_providers::{AnswerContext, Event, Framing, Issuer, Provider, RequestOptions};
use canvas_tools::{CodedError as _, ToolSpec};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

const PROVIDERS: &[Provider] = &[Provider::Gemini, Provider::GeminiInteractions, Provider::BedrockConverse];

/// JSON with the words of the wires in it, so that it gets past the first look.
fn any_json() -> impl Strategy<Value = Value> {
    let words = vec![
        "",
        " ",
        "text",
        "STOP",
        "tool_use",
        "completed",
        "function_call",
        "thought",
        "step.delta",
        "f",
        "$.a",
        "$.a[0]",
    ];
    let word = prop_oneof![
        4 => select(words).prop_map(|word| json!(word)),
        1 => any::<u8>().prop_map(|number| json!(number)),
        1 => any::<bool>().prop_map(|flag| json!(flag)),
        1 => Just(Value::Null),
    ];
    let key = select(vec![
        "type",
        "text",
        "thought",
        "thoughtSignature",
        "signature",
        "functionCall",
        "functionResponse",
        "name",
        "id",
        "args",
        "partialArgs",
        "jsonPath",
        "stringValue",
        "willContinue",
        "toolUse",
        "toolUseId",
        "input",
        "reasoningContent",
        "reasoningText",
        "toolResult",
        "content",
        "arguments",
        "summary",
        "inlineData",
        "citationsContent",
        "a",
    ]);
    word.prop_recursive(4, 40, 5, move |inner| {
        prop_oneof![
            1 => vec(inner.clone(), 0..4).prop_map(Value::Array),
            2 => vec((key.clone(), inner), 0..5)
                .prop_map(|entries| entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()),
        ]
    })
}

/// Parts as the wires have them, whole and not.
fn part() -> impl Strategy<Value = Value> {
    let known = vec![
        json!({"text": "own"}),
        json!({"text": " "}),
        json!({"text": "", "thoughtSignature": "sig"}),
        json!({"text": "hm", "thought": true, "thoughtSignature": "sig"}),
        json!({"functionCall": {"name": "f", "args": {"a": 1}}}),
        json!({"functionCall": {"name": "f", "id": "t1"}, "thoughtSignature": "sig"}),
        json!({"toolCall": {"id": "s"}}),
        json!({"inlineData": {"mimeType": "image/png", "data": "AAAA"}}),
        json!({"toolUse": {"toolUseId": "t1", "name": "f", "input": {"a": 1}}}),
        json!({"toolUse": {"input": 5}}),
        json!({"reasoningContent": {"reasoningText": {"text": "hm", "signature": "sig"}}}),
        json!({"reasoningContent": {"reasoningText": {"text": "hm"}}}),
        json!({"citationsContent": {"content": [{"text": "x"}]}}),
        json!({"type": "model_output", "content": [{"type": "text", "text": "x"}]}),
        json!({"type": "model_output", "content": []}),
        json!({"type": "thought", "signature": "sig"}),
        json!({"type": "function_call", "id": "t1", "name": "f", "arguments": {}}),
        json!({"type": "function_call", "arguments": 5}),
        json!({"type": "user_input", "content": []}),
    ];
    prop_oneof![3 => select(known), 1 => any_json()]
}

/// Events as a host may hand them in: few ids and names, so that they clash.
fn any_event() -> impl Strategy<Value = Event> {
    let envelope =
        (select(vec!["gemini", "gemini-interactions", "bedrock-converse"]), select(vec![0, 0, 0, 1]), part());
    (
        select(vec!["system", "user", "assistant", "assistant", "tool"]),
        select(vec!["text", "thinking", "tool_call", "tool_call", "tool_result", "tool_result", "opaque"]),
        select(vec!["", " \n", "hello", "bye \n"]),
        proptest::option::of(select(vec!["", "t1", "t2", "call:1", "a b"])),
        proptest::option::of(select(vec!["", "f", "g", "h.i", "9"])),
        proptest::option::of(any_json()),
        proptest::option::of(envelope),
        0..3usize,
    )
        .prop_map(|(role, kind, content, call_id, name, value, envelope, images)| {
            let envelope = envelope.map(|(wire, whose, part)| {
                let provider: Provider = wire.parse().expect("a provider");
                json!({"wire": wire, "issuer": issuers(provider)[whose], "parts": [part]})
            });
            let image = json!({"media_type": "image/png", "data": "AAAA"});
            serde_json::from_value(json!({
                "role": role, "type": kind, "content": content, "call_id": call_id, "tool_name": name, "arguments": value,
                "tool_result": value, "envelope": envelope, "images": vec![image; images],
            }))
            .expect("any of these is an event")
        })
}

/// One whose signatures are checked, and one whose are not.
fn issuers(provider: Provider) -> [Issuer; 2] {
    [provider.issuer("gemini-3-pro"), provider.issuer("gemini-2.5-flash")]
}

/// Faults of a request to a model that checks signatures, or to another.
fn faults(provider: Provider, body: &Value, checks_signatures: bool) -> Vec<String> {
    match provider {
        Provider::Gemini => support::judge_wires::gemini(body, checks_signatures),
        _ => support::faults(provider, body),
    }
}

fn specs() -> Vec<ToolSpec> {
    let spec = |name: &str| ToolSpec {
        name: name.to_owned(),
        description: String::new(),
        parameters: json!({"type": "object"}),
    };
    vec![spec("f"), spec("h.i")]
}

/// A body of this provider with these parts.
fn answer(provider: Provider, parts: &[Value], end: &Value) -> Value {
    match provider {
        Provider::Gemini => json!({"candidates": [{"content": {"parts": parts}, "finishReason": end}]}),
        Provider::GeminiInteractions => json!({"status": end, "steps": parts}),
        _ => json!({"output": {"message": {"content": parts}}, "stopReason": end}),
    }
}

/// Frames that a stream may hold.
fn any_frame() -> impl Strategy<Value = Value> {
    let index = 0..3u64;
    prop_oneof![
        2 => vec(part(), 0..3).prop_map(|parts| answer(Provider::Gemini, &parts, &Value::Null)),
        1 => any_json().prop_map(|call| answer(Provider::Gemini, &[json!({"functionCall": call})], &json!("STOP"))),
        2 => (index.clone(), part()).prop_map(|(at, step)| json!({"event_type": "step.start", "index": at, "step": step})),
        2 => (index.clone(), any_json()).prop_map(|(at, delta)| json!({"event_type": "step.delta", "index": at, "delta": delta})),
        1 => index.clone().prop_map(|at| json!({"event_type": "step.stop", "index": at})),
        2 => (index.clone(), part()).prop_map(|(at, start)| json!({"contentBlockStart": {"contentBlockIndex": at, "start": start}})),
        2 => (index.clone(), any_json()).prop_map(|(at, delta)| json!({"contentBlockDelta": {"contentBlockIndex": at, "delta": delta}})),
        1 => index.prop_map(|at| json!({"contentBlockStop": {"contentBlockIndex": at}})),
        1 => any_json(),
    ]
}

#[test]
fn a_part_that_is_no_call_is_not_sent_as_one() {
    for part in [
        json!({"toolUse": ""}),
        json!({"toolUse": null}),
        json!({"toolUse": [1]}),
        json!({"toolUse": {"name": "f"}}),
    ] {
        let issuer = Provider::BedrockConverse.issuer("m");
        let event = json!({
            "role": "assistant", "type": "opaque", "content": "said",
            "envelope": {"wire": "bedrock-converse", "issuer": issuer, "parts": [part]},
        });
        let history = [Event::user("Hi"), serde_json::from_value(event).unwrap()];
        let request =
            Provider::BedrockConverse.request(&issuer, "", &[], &history, &RequestOptions::default());
        assert_eq!(request.unwrap().body["messages"][1]["content"], json!([{"text": "said"}]), "{part}");
    }
}

proptest! {
    #![proptest_config(support::law())]

    #[test]
    fn any_history_and_any_prefix_of_it_is_a_valid_request(events in vec(any_event(), 0..12), with_tools in any::<bool>()) {
        let specs = if with_tools { specs() } else { Vec::new() };
        for end in 0..=events.len() {
            for &provider in PROVIDERS {
                for (index, issuer) in issuers(provider).iter().enumerate() {
                    match provider.request(issuer, "", &specs, &events[..end], &RequestOptions::default()) {
                        Ok(request) => {
                            let faults = faults(provider, &request.body, index == 0);
                            prop_assert_eq!(faults, Vec::<String>::new(), "{} {}", provider, request.body);
                        }
                        Err(error) => prop_assert_eq!(error.code(), "EMPTY_HISTORY"),
                    }
                }
            }
        }
    }

    #[test]
    fn any_body_is_decoded_or_refused_and_goes_back(body in any_json(), parts in vec(part(), 0..6), end in any_json()) {
        for &provider in PROVIDERS {
            let issuer = &issuers(provider)[0];
            for body in [body.clone(), answer(provider, &parts, &end)] {
                let Ok(decoded) = provider.decode(&body, &AnswerContext::new(issuer.clone())) else { continue };
                serde_json::to_value(&decoded).expect("an answer serialises");
                prop_assert!(provider.replay(&body).expect("decodes as before").len() <= decoded.events.len());
                let mut history = vec![Event::user("Hi")];
                history.extend(decoded.events);
                let request = provider.request(issuer, "", &specs(), &history, &RequestOptions::default());
                let body = request.expect("encodes").body;
                prop_assert_eq!(faults(provider, &body, true), Vec::<String>::new(), "{}", body);
            }
        }
    }

    #[test]
    fn any_stream_is_decoded_or_refused(frames in vec(any_frame(), 0..8), bytes in vec(any::<u8>(), 0..40), cut in any::<usize>()) {
        for &provider in PROVIDERS {
            for framing in [Framing::Sse, Framing::JsonLines, Framing::JsonArray] {
                let mut stream = support::wire::stream(framing, &frames);
                stream.extend(&bytes);
                let read = |pieces: &[&[u8]]| {
                    let mut decoder = provider.stream_framed(framing, AnswerContext::new(issuers(provider)[0].clone()));
                    for piece in pieces {
                        decoder.feed(piece, &mut |_| {});
                    }
                    decoder.finish()
                };
                let whole = read(&[&stream]);
                let (left, right) = stream.split_at(cut % (stream.len() + 1));
                prop_assert_eq!(&read(&[left, right]), &whole);
                let mut history = vec![Event::user("Hi")];
                history.extend(whole.events);
                let request = provider.request(&issuers(provider)[0], "", &specs(), &history, &RequestOptions::default());
                let body = request.expect("encodes").body;
                prop_assert_eq!(faults(provider, &body, true), Vec::<String>::new(), "{}", body);
            }
        }
    }

    #[test]
    fn names_map_both_ways(names in proptest::collection::btree_set("[a-c.:_ é9]{0,3}|[a-z.]{60,70}", 1..20)) {
        let spec = |name: &String| ToolSpec { name: name.clone(), ..specs().remove(0) };
        let specs: Vec<ToolSpec> = names.iter().map(spec).collect();
        for &provider in PROVIDERS {
            let encoded = provider.tools(&specs, None);
            let context = AnswerContext { renames: encoded.renames, ..AnswerContext::new(provider.issuer("m")) };
            let back: Vec<String> = names.iter().map(|name| {
                let wire = context.renames.wire(name).unwrap_or(name);
                let part = match provider {
                    Provider::Gemini => json!({"functionCall": {"name": wire}}),
                    Provider::GeminiInteractions => json!({"type": "function_call", "id": "t", "name": wire}),
                    _ => json!({"toolUse": {"toolUseId": "t", "name": wire}}),
                };
                let body = answer(provider, &[part], &json!("STOP"));
                let decoded = provider.decode(&body, &context).expect("decodes");
                decoded.calls().next().expect("a call").name.clone()
            }).collect();
            prop_assert_eq!(back, names.iter().cloned().collect::<Vec<_>>());
        }
    }
}
