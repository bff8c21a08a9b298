//! What holds of Chat Completions and of Ollama for any input.

use crate::support;

use canvas_providers::{AnswerContext, Decoded, Event, Issuer, Provider, RequestOptions, Verdict};
use canvas_tools::{CodedError as _, ToolSpec};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

const HOSTS: [(Provider, &str); 5] = [
    (Provider::OpenAiChat, "api.openai.com"),
    (Provider::OpenAiChat, "api.deepseek.com"),
    (Provider::OpenAiChat, "api.mistral.ai"),
    (Provider::OpenAiChat, "llm.example.com"),
    (Provider::Ollama, "localhost:11434"),
];

fn faults(provider: Provider, body: &Value) -> Vec<String> {
    match provider {
        Provider::Ollama => support::chat::ollama_faults(body),
        _ => support::chat::faults(body),
    }
}

/// JSON with the words of both wires in it, so that it gets past the first look.
fn any_json() -> impl Strategy<Value = Value> {
    let word = prop_oneof![
        4 => select(vec!["", " ", "text", "thinking", "refusal", "function", "custom", "stop", "length", "{}", "{\"a\":1}", "{\"a", "a", "f"]).prop_map(|word| json!(word)),
        1 => "\\PC{0,8}".prop_map(|text| json!(text)),
        1 => any::<i64>().prop_map(|number| json!(number)),
        1 => any::<bool>().prop_map(|flag| json!(flag)),
        1 => Just(Value::Null),
    ];
    let keys = vec![
        "choices",
        "message",
        "delta",
        "content",
        "refusal",
        "tool_calls",
        "function",
        "custom",
        "input",
        "name",
        "arguments",
        "id",
        "type",
        "index",
        "finish_reason",
        "reasoning_content",
        "reasoning",
        "reasoning_details",
        "thinking",
        "text",
        "error",
        "code",
        "usage",
        "done",
        "done_reason",
        "audio",
        "new",
        "object",
    ];
    word.prop_recursive(5, 60, 6, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::Array),
            vec((select(keys.clone()), inner), 0..6).prop_map(|entries| {
                Value::Object(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
            }),
        ]
    })
}

fn call() -> impl Strategy<Value = Value> {
    let arguments = select(vec!["", "{}", "{\"a\": 1}", "{\"a\": \"}\\\\\\\"{\"}", "{\"a\"", "[1]", "5"]);
    let function =
        ("[a-z]{1,8}", arguments).prop_map(|(name, arguments)| json!({"name": name, "arguments": arguments}));
    prop_oneof![
        4 => function.prop_map(|function| ("function", function)),
        1 => ("[a-z]{1,8}", "\\PC{0,9}").prop_map(|(name, input)| ("custom", json!({"name": name, "input": input}))),
    ]
    .prop_map(|(kind, said)| json!({"type": kind, kind: said}))
}

/// A message as a host gives it, with ids of its calls that differ.
fn message() -> impl Strategy<Value = Value> {
    let content = prop_oneof![
        Just(None),
        Just(Some(Value::Null)),
        "\\PC{0,20}".prop_map(|text| Some(json!(text))),
        ("\\PC{1,9}", "\\PC{1,9}").prop_map(|(thinking, text)| Some(json!([
            {"type": "thinking", "thinking": [{"type": "text", "text": thinking}]}, {"type": "text", "text": text}]))),
    ];
    let detail = json!({"type": "reasoning.encrypted", "data": "ZA=="});
    (content, proptest::option::of("\\PC{0,9}"), any::<bool>(), any::<bool>(), vec(call(), 0..4)).prop_map(
        move |(content, reasoning, sealed, refused, mut calls)| {
            let mut message = json!({"role": "assistant"});
            let fields = [
                ("content", content),
                ("reasoning_content", reasoning.map(Value::from)),
                ("reasoning_details", sealed.then(|| json!([detail]))),
                ("refusal", refused.then(|| json!("No."))),
            ];
            for (field, value) in fields {
                message
                    .as_object_mut()
                    .expect("an object")
                    .extend(value.map(|value| (field.to_owned(), value)));
            }
            for (index, call) in calls.iter_mut().enumerate() {
                call["id"] = json!(format!("call_{index}"));
            }
            if !calls.is_empty() {
                message["tool_calls"] = Value::Array(calls);
            }
            message
        },
    )
}

fn answer(message: &Value, finish: &str) -> Value {
    json!({"choices": [{"index": 0, "message": message, "finish_reason": finish}]})
}

/// Events as a host may hand them in: few ids and names, so that they clash.
fn any_event() -> impl Strategy<Value = Event> {
    let piece = prop_oneof![
        2 => any_json(),
        1 => Just(json!({"content": "own"})),
        1 => Just(json!({"content": [{"type": "thinking", "thinking": []}]})),
        1 => Just(json!({"reasoning_content": "x", "content": ""})),
        1 => Just(json!({"thinking": "x"})),
        1 => Just(json!({"refusal": "No."})),
        1 => call().prop_map(|call| json!({"tool_calls": [call]})),
        1 => Just(json!({"tool_calls": [{"function": {"name": "f", "arguments": {"a": 1}}}]})),
        1 => Just(json!({"type": "image_url", "image_url": {"url": "data:"}})),
        1 => Just(json!("aa==")),
    ];
    (
        select(vec!["system", "user", "assistant", "assistant", "tool"]),
        select(vec!["text", "thinking", "tool_call", "tool_call", "tool_result", "tool_result", "opaque"]),
        select(vec!["", " \n", "hello"]),
        proptest::option::of(select(vec!["", "t1", "t2", "call:1", "call 1"])),
        proptest::option::of(select(vec!["", "f", "g", "h.i"])),
        proptest::option::of(any_json()),
        proptest::option::of((select(HOSTS.to_vec()), any::<bool>(), piece)),
    )
        .prop_map(|(role, kind, content, call_id, name, value, envelope)| {
            let envelope = envelope.map(|((wire, host), is_made, piece)| {
                let issuer = is_made.then(|| json!({"host": host, "model": "m"}));
                json!({"wire": wire.name(), "issuer": issuer, "parts": [piece]})
            });
            let images = if kind == "tool_result" && content == "hello" {
                json!([{"media_type": "image/png", "data": "aa=="}])
            } else {
                json!([])
            };
            serde_json::from_value(json!({
                "role": role, "type": kind, "content": content, "call_id": call_id, "tool_name": name,
                "arguments": value, "tool_result": value, "envelope": envelope, "images": images,
            }))
            .expect("any of these is an event")
        })
}

fn specs() -> Vec<ToolSpec> {
    let spec =
        |name: &str| ToolSpec { name: name.to_owned(), description: String::new(), parameters: json!({}) };
    vec![spec("f"), spec("h.i")]
}

/// Deltas of one message, cut at these places of its texts.
fn deltas(message: &Value, cuts: &[usize]) -> Vec<Value> {
    let mut out = Vec::new();
    let mut cuts = cuts.iter().cycle();
    let mut cut = |text: &str| -> Vec<String> {
        let at = cuts.next().expect("a cycle") % (text.chars().count() + 1);
        let (left, right): (String, String) =
            (text.chars().take(at).collect(), text.chars().skip(at).collect());
        vec![left, right]
    };
    for field in ["reasoning_content", "reasoning_details", "content", "refusal"] {
        match message.get(field) {
            Some(Value::String(text)) => out.extend(cut(text).into_iter().map(|text| json!({field: text}))),
            Some(value) => out.push(json!({field: value})),
            None => {}
        }
    }
    for (index, call) in message["tool_calls"].as_array().into_iter().flatten().enumerate() {
        let kind = call["type"].as_str().expect("a kind");
        let field = if kind == "custom" { "input" } else { "arguments" };
        let said = &call[kind];
        out.push(json!({"tool_calls": [{"index": index, "id": call["id"], "type": kind, kind: {"name": said["name"], field: ""}}]}));
        for piece in cut(said[field].as_str().expect("text")) {
            out.push(json!({"tool_calls": [{"index": index, kind: {field: piece}}]}));
        }
    }
    out
}

fn stream(deltas: &[Value], finish: &str) -> Vec<u8> {
    let chunk = |delta: &Value| json!({"choices": [{"index": 0, "delta": delta}]}).to_string();
    let mut lines: Vec<String> = deltas.iter().map(|delta| format!("data: {}\n\n", chunk(delta))).collect();
    lines.push(format!(
        "data: {}\n\n",
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    ));
    lines.push("data: [DONE]\n\n".to_owned());
    lines.concat().into_bytes()
}

fn read(provider: Provider, pieces: &[&[u8]]) -> Decoded {
    let mut stream = provider.stream(AnswerContext::new(provider.issuer("m")));
    for piece in pieces {
        stream.feed(piece, &mut |_| {});
    }
    stream.finish()
}

proptest! {
    #![proptest_config(support::law())]

    #[test]
    fn any_history_and_any_prefix_of_it_is_a_valid_request(events in vec(any_event(), 0..14)) {
        for (provider, host) in HOSTS {
            for end in 0..=events.len() {
                let options = RequestOptions::default();
                match provider.request(&Issuer::new(host, "m"), "", &specs(), &events[..end], &options) {
                    Ok(request) => prop_assert_eq!(faults(provider, &request.body), Vec::<String>::new(), "{}", request.body),
                    Err(error) => prop_assert_eq!(error.code(), "EMPTY_HISTORY"),
                }
            }
        }
    }

    #[test]
    fn any_body_is_decoded_or_refused(body in any_json(), message in any_json(), finish in any_json()) {
        let chat = json!({"choices": [{"message": message, "finish_reason": finish}]});
        let ollama = json!({"message": message, "done": true, "done_reason": finish});
        for body in [body, chat, ollama] {
            for (provider, host) in HOSTS {
                let issuer = Issuer::new(host, "m");
                let Ok(decoded) = provider.decode(&body, &AnswerContext::new(issuer.clone())) else { continue };
                serde_json::to_value(&decoded).expect("an answer serialises");
                prop_assert!(provider.replay(&body).expect("decodes as before").len() <= 1);
                let history: Vec<Event> = [Event::user("Hi")].into_iter().chain(decoded.events).collect();
                let request = provider.request(&issuer, "", &specs(), &history, &RequestOptions::default());
                prop_assert_eq!(faults(provider, &request.expect("encodes").body), Vec::<String>::new());
            }
        }
    }

    #[test]
    fn a_message_goes_back_as_it_came(message in message(), finish in select(vec!["stop", "tool_calls", "length"])) {
        let parts = Provider::OpenAiChat.replay(&answer(&message, finish)).expect("decodes");
        let is_said = message.as_object().expect("an object").iter().any(|(field, value)| {
            field != "role" && !value.is_null() && *value != ""
        });
        prop_assert_eq!(Value::Array(parts), if is_said { json!([message]) } else { json!([]) });
    }

    #[test]
    fn a_stream_is_the_message_that_it_brings(
        message in message(),
        cuts in vec(0usize..40, 1..9),
        finish in select(vec!["stop", "tool_calls", "length"]),
    ) {
        // A delta with a null says as much as one without it.
        let mut message = message;
        message.as_object_mut().expect("an object").retain(|_, value| !value.is_null());
        let context = AnswerContext::new(Provider::OpenAiChat.issuer("m"));
        let whole = Provider::OpenAiChat.decode(&answer(&message, finish), &context).expect("decodes");
        let streamed = read(Provider::OpenAiChat, &[&stream(&deltas(&message, &cuts), finish)]);
        prop_assert_eq!(streamed, whole);
    }

    /// No call is complete that is not complete in the whole answer, and the end is told where it is missing.
    #[test]
    fn a_stream_that_ends_early_has_no_call_of_its_own(message in message(), cuts in vec(0usize..40, 1..9), end in any::<prop::sample::Index>()) {
        let bytes = stream(&deltas(&message, &cuts), "tool_calls");
        let end = end.index(bytes.len());
        let (whole, cut) = (read(Provider::OpenAiChat, &[&bytes]), read(Provider::OpenAiChat, &[&bytes[..end]]));
        prop_assert!(cut.failure.is_some() || cut.raw_stop_reason.is_some());
        for call in cut.calls().filter(|call| call.verdict() == Verdict::Complete) {
            prop_assert!(whole.calls().any(|known| known == call), "{:?}", call);
        }
    }

    #[test]
    fn any_chunks_are_read_or_refused_however_they_are_cut(chunks in vec(any_json(), 0..6), deltas in vec(any_json(), 0..6), at in any::<prop::sample::Index>()) {
        let wrapped = deltas.iter().map(|delta| json!({"choices": [{"delta": delta}], "message": delta}));
        let lines: Vec<String> = wrapped.chain(chunks).map(|chunk| chunk.to_string()).collect();
        let sse: String = lines.iter().map(|line| format!("data: {line}\n\n")).collect();
        for (provider, text) in [(Provider::OpenAiChat, sse), (Provider::Ollama, lines.join("\n"))] {
            let bytes = text.as_bytes();
            let whole = read(provider, &[bytes]);
            serde_json::to_value(&whole).expect("an answer serialises");
            let (left, right) = bytes.split_at(at.index(bytes.len() + 1));
            prop_assert_eq!(read(provider, &[left, right]), whole);
        }
    }

    #[test]
    fn any_schema_becomes_a_plain_object(parameters in any_json(), strict_tools in any::<bool>()) {
        let specs = [ToolSpec { name: "t".to_owned(), description: String::new(), parameters }];
        let options = RequestOptions { strict_tools, ..RequestOptions::default() };
        for (provider, host) in HOSTS {
            let request = provider.request(&Issuer::new(host, "m"), "", &specs, &[Event::user("Hi")], &options);
            let body = request.expect("encodes").body;
            let schema: &Map<String, Value> = body["tools"][0]["function"]["parameters"].as_object().expect("an object");
            prop_assert_eq!(&schema["type"], "object");
            prop_assert!(schema["properties"].is_object());
        }
    }
}
