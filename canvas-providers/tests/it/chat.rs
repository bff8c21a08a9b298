//! Chat Completions: answers in every shape that its hosts give them, and what goes back to whom.

use crate::support;

use canvas_providers::{
    AnswerContext, Body, ChatHost, Decoded, Event, Issuer, NativeTool, Provider, RequestOptions, StreamEvent,
    ToolChoice,
};
use canvas_tools::native::Dialect;
use canvas_tools::{CodedError as _, ToolSpec};
use serde_json::{Map, Value, json};

const CHAT: Provider = Provider::OpenAiChat;

fn context() -> AnswerContext {
    AnswerContext::new(CHAT.issuer("m"))
}

fn answer(message: &Value, finish: &Value) -> Value {
    json!({"choices": [{"index": 0, "message": message, "finish_reason": finish}]})
}

#[test]
fn fixtures() {
    for case in support::cases("chat_decode.json") {
        let name = case["name"].as_str().expect("a name");
        let body = match case.get("body") {
            Some(body) => body.clone(),
            None => answer(&case["message"], &case["finish"]),
        };
        match (CHAT.decode(&body, &context()), case.get("error")) {
            (Ok(decoded), None) => {
                assert_eq!(summary(&decoded), case["expect"], "{name}");
                let mut message = case["message"].clone();
                let parts = CHAT.replay(&body).expect("decodes");
                if let Some(map) = message.as_object_mut() {
                    map.retain(|field, value| {
                        field != "annotations" && (field == "content" || !value.is_null())
                    });
                }
                let expected = case.get("replay").cloned().unwrap_or_else(|| json!([message]));
                assert_eq!(json!(parts), expected, "{name}");
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

fn summary(decoded: &Decoded) -> Value {
    let found = serde_json::to_value(decoded).expect("an answer serialises");
    let types = found["events"].as_array().expect("a list").iter().map(|event| event["type"].clone());
    json!({
        "types": types.collect::<Vec<_>>(), "calls": found["calls"], "text": found["text"],
        "thinking": found["thinking"], "finish": found["finish"], "stop": format!("{:?}", decoded.stop_reason),
    })
}

/// A stream of these deltas, each in a chunk of its own.
fn stream(deltas: &[Value], finish: Option<&str>) -> Vec<u8> {
    let mut out = String::new();
    for delta in deltas {
        let chunk = json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]});
        out.push_str(&format!("data: {chunk}\n\n"));
    }
    if let Some(finish) = finish {
        let chunk = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]});
        out.push_str(&format!("data: {chunk}\n\ndata: [DONE]\n\n"));
    }
    out.into_bytes()
}

fn read(bytes: &[u8]) -> (Decoded, Vec<String>) {
    let mut shown = Vec::new();
    let mut stream = CHAT.stream(context());
    stream.feed(bytes, &mut |event| {
        shown.push(match event {
            StreamEvent::Text { part, delta } => format!("{part} text {delta}"),
            StreamEvent::Thinking { part, delta } => format!("{part} thinking {delta}"),
            StreamEvent::Call { part, id, name } => format!("{part} call {id} {name}"),
            StreamEvent::Arguments { part, delta } => format!("{part} arguments {delta}"),
            StreamEvent::Unknown { kind } => format!("unknown {kind}"),
            other => format!("{other:?}"),
        });
    });
    (stream.finish(), shown)
}

/// One entry of `delta.tool_calls` from `index id name arguments`, `-` for what is missing.
fn entry(words: &str) -> Value {
    let words: Vec<Option<&str>> =
        words.split(' ').map(|word| Some(word).filter(|word| *word != "-")).collect();
    let [index, id, name, arguments] = words[..] else { panic!("four words: {words:?}") };
    let mut function = Map::new();
    for (field, value) in [("name", name), ("arguments", arguments)] {
        function.extend(value.map(|value| (field.to_owned(), json!(value.replace('_', "")))));
    }
    let mut entry = json!({"function": function});
    if let Some(index) = index {
        entry["index"] = json!(index.parse::<u64>().expect("a number"));
    }
    if let Some(id) = id {
        entry["id"] = json!(id);
    }
    entry
}

#[test]
fn calls_are_put_together_however_their_deltas_are_marked() {
    // Each row: what the host does; chunks, their entries apart by `,`; the calls as `id name arguments`.
    let table: &[(&str, &[&str], &[&str])] = &[
        (
            "in order",
            &["0 a f _", "0 - - {\"x\":", "0 - - 1}", "1 b g _", "1 - - {}"],
            &["a f {\"x\":1}", "b g {}"],
        ),
        (
            "mixed",
            &["0 a f _", "1 b g _", "1 - - {", "0 - - {\"x\":1", "1 - - }", "0 - - }"],
            &["a f {\"x\":1}", "b g {}"],
        ),
        ("several in one chunk", &["0 a f {},1 b g {},2 c f {}"], &["a f {}", "b g {}", "c f {}"]),
        ("from 1", &["1 a f _", "1 - - {}"], &["a f {}"]),
        ("with gaps", &["3 a f {", "7 b g {", "3 - - }", "7 - - }"], &["a f {}", "b g {}"]),
        ("the later first", &["1 b g {}", "0 a f {}"], &["b g {}", "a f {}"]),
        ("no index", &["- a f {", "- - - }"], &["a f {}"]),
        ("no index, several", &["- a f {}", "- b g {}"], &["a f {}", "b g {}"]),
        ("no index, by id", &["- a f {", "- b g {", "- a - }", "- b - }"], &["a f {}", "b g {}"]),
        ("no index, no id", &["- - f {},- - g {}", "- - f {}"], &["- f {}", "- g {}", "- f {}"]),
        ("no index, no id, no arguments", &["- - f _,- - g _"], &["- f {}", "- g {}"]),
        ("rotating ids", &["0 a f {", "0 b - \"x\":1", "0 c - }"], &["a f {\"x\":1}"]),
        ("rotating ids without index", &["- a f {", "- b - }"], &["a f {}"]),
        ("rotating ids and the name each time", &["0 a f {", "0 b f \"x\":1", "0 c f }"], &["a f {\"x\":1}"]),
        ("the name each time", &["0 a f _", "0 a f {", "0 a f }", "0 a f _"], &["a f {}"]),
        ("the name each time, no id", &["0 a f {", "0 - f }", "0 - f _"], &["a f {}"]),
        ("the beginning twice", &["0 a f _", "0 a f _", "0 - - {}"], &["a f {}"]),
        (
            "one index for all",
            &["0 a f {\"x\":1}", "0 b f {\"x\":2}", "0 c g _"],
            &["a f {\"x\":1}", "b f {\"x\":2}", "c g {}"],
        ),
        (
            "one index for all, begun empty",
            &["0 a f _", "0 - - {}", "0 b f _", "0 - - {}"],
            &["a f {}", "b f {}"],
        ),
        ("an id that comes again", &["0 a f {}", "1 a f {}"], &["a f {}", "a f {}"]),
        ("a name in pieces", &["0 a get _", "0 - item _", "0 - - {}"], &["a getitem {}"]),
        ("a name that grows", &["0 a get _", "0 - getitem _", "0 - - {}"], &["a getitem {}"]),
        ("the name last", &["0 a - {", "0 - f }"], &["a f {}"]),
        ("the id last", &["0 - f {", "0 a - }"], &["a f {}"]),
        (
            "brackets in strings",
            &["0 a f {\"x\":\"}\\\\\"", "0 b f }", "0 c f {}"],
            &["a f {\"x\":\"}\\\\\"}", "c f {}"],
        ),
    ];
    for (name, chunks, expected) in table {
        let entries = |chunk: &str| json!({"tool_calls": chunk.split(',').map(entry).collect::<Vec<_>>()});
        let deltas: Vec<Value> = chunks.iter().map(|chunk| entries(chunk)).collect();
        let (decoded, shown) = read(&stream(&deltas, Some("tool_calls")));
        assert_eq!(decoded.failure, None, "{name}");
        let calls: Vec<String> = decoded
            .calls()
            .map(|call| {
                let id = if call.id.is_empty() { "-" } else { &call.id };
                let arguments = call.to_call().map_or(Value::Null, |call| call.arguments);
                format!("{id} {} {arguments}", call.name)
            })
            .collect();
        assert_eq!(calls, *expected, "{name}");
        let begun = shown.iter().filter(|line| line.contains(" call ")).count();
        assert_eq!(begun, expected.len(), "{name}: {shown:?}");
    }
}

#[test]
fn streams_of_every_kind() {
    let thinking =
        |text: &str| json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": text}]}]});
    let detail = |text: &str| json!({"reasoning": text, "reasoning_details": [{"type": "reasoning.text", "text": text, "index": 0}]});
    let table = [
        (
            "reasoning, then text",
            vec![
                json!({"role": "assistant", "content": null, "reasoning_content": ""}),
                json!({"reasoning_content": "h"}),
                json!({"content": null, "reasoning_content": "m"}),
                json!({"content": "a"}),
                json!({"content": "b"}),
            ],
            json!({"role": "assistant", "reasoning_content": "hm", "content": "ab"}),
            vec!["0 thinking h", "0 thinking m", "1 text a", "1 text b"],
        ),
        (
            "both fields of reasoning are shown once",
            vec![
                json!({"reasoning": "h", "reasoning_content": "h"}),
                json!({"reasoning": "m", "reasoning_content": "m"}),
                json!({"content": "a"}),
            ],
            json!({"role": "assistant", "reasoning": "hm", "reasoning_content": "hm", "content": "a"}),
            vec!["0 thinking h", "0 thinking m", "1 text a"],
        ),
        (
            "details grow, a signature joins, sealed ones stay apart",
            vec![
                detail("h"),
                detail("m"),
                json!({"reasoning_details": [{"type": "reasoning.text", "signature": "c2ln", "index": 0}]}),
                json!({"reasoning_details": [{"type": "reasoning.encrypted", "data": "ZA==", "index": 1}, {"type": "reasoning.encrypted", "data": "ZB==", "index": 1}]}),
                json!({"content": "a"}),
            ],
            json!({"role": "assistant", "reasoning": "hm", "content": "a", "reasoning_details": [
                {"type": "reasoning.text", "text": "hm", "signature": "c2ln", "index": 0},
                {"type": "reasoning.encrypted", "data": "ZA==", "index": 1}, {"type": "reasoning.encrypted", "data": "ZB==", "index": 1}]}),
            vec!["0 thinking h", "0 thinking m", "1 text a"],
        ),
        (
            "chunks of thinking, then plain text",
            vec![
                json!({"role": "assistant", "content": ""}),
                thinking("h"),
                thinking("m"),
                json!({"content": "a"}),
                json!({"content": "b"}),
            ],
            json!({"role": "assistant", "content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "ab"}]}),
            vec!["0 thinking h", "0 thinking m", "1 text a", "1 text b"],
        ),
        (
            "fields of another kind are nothing",
            vec![
                json!({"reasoning": {"effort": 1}, "reasoning_content": false, "refusal": 5, "reasoning_details": {}, "content": "a", "new": [1]}),
            ],
            json!({"role": "assistant", "content": "a"}),
            vec!["0 text a"],
        ),
        (
            "a refusal",
            vec![json!({"content": null, "refusal": ""}), json!({"refusal": "N"}), json!({"refusal": "o."})],
            json!({"role": "assistant", "refusal": "No."}),
            vec!["unknown refusal"],
        ),
        (
            "a custom tool",
            vec![
                json!({"content": null, "tool_calls": [{"index": 0, "id": "c", "type": "custom", "custom": {"name": "p", "input": ""}}]}),
                json!({"tool_calls": [{"index": 0, "custom": {"input": "free"}}]}),
            ],
            json!({"role": "assistant", "tool_calls": [{"id": "c", "type": "custom", "custom": {"name": "p", "input": "free"}}]}),
            vec!["0 call c p", "0 arguments free"],
        ),
        (
            "a signature beside a call, and its type missing",
            vec![
                json!({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": "{}"}, "extra_content": {"google": {"thought_signature": "c2ln"}}}]}),
            ],
            json!({"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}, "extra_content": {"google": {"thought_signature": "c2ln"}}}]}),
            vec!["0 call c f", "0 arguments {}"],
        ),
    ];
    for (name, deltas, message, expected) in table {
        let (decoded, shown) = read(&stream(&deltas, Some("stop")));
        assert_eq!(shown, expected, "{name}");
        let whole = CHAT.decode(&answer(&message, &json!("stop")), &context()).expect("decodes");
        let bodies =
            |decoded: &Decoded| decoded.events.iter().map(|event| event.body.clone()).collect::<Vec<Body>>();
        assert_eq!(bodies(&decoded), bodies(&whole), "{name}");
        let pieces = |decoded: &Decoded| {
            let pieces =
                decoded.events.iter().map(|event| event.envelope.as_ref().expect("kept").parts[0].clone());
            // A content that says nothing is in the first piece of the stream, since the stream said so.
            pieces
                .map(|mut piece| {
                    let map = piece.as_object_mut().expect("an object");
                    map.retain(|_, value| !value.is_null() && *value != "");
                    piece
                })
                .collect::<Vec<Value>>()
        };
        assert_eq!(pieces(&decoded), pieces(&whole), "{name}");
    }
}

#[test]
fn ends_of_streams() {
    let text = [json!({"content": "a"})];
    let tail = |tail: &str| [stream(&text, None), tail.as_bytes().to_vec()].concat();
    let finished = r#"data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;
    let table = [
        ("nothing more", tail(""), Some(("STREAM_CUT", true)), None),
        ("done without a reason", tail("data: [DONE]\n\n"), None, None),
        ("a reason alone", tail(&format!("{finished}\n\n")), None, Some("stop")),
        ("a reason and no last blank line", tail(finished), None, Some("stop")),
        (
            "an empty reason is none",
            tail(r#"data: {"choices":[{"index":0,"delta":{},"finish_reason":""}]}"#),
            Some(("STREAM_CUT", true)),
            None,
        ),
        (
            "an error",
            tail("event: error\ndata: {\"error\":{\"message\":\"x\",\"type\":\"server_error\"}}\n\n"),
            Some(("PROVIDER_ERROR", true)),
            None,
        ),
        (
            "an error beside a choice",
            tail(
                "data: {\"error\":{\"code\":400,\"message\":\"x\"},\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"},\"finish_reason\":\"error\"}]}\n\n",
            ),
            Some(("PROVIDER_ERROR", false)),
            None,
        ),
        (
            "an error without its frame",
            tail("data: {\"object\":\"error\",\"message\":\"x\",\"code\":503}\n\n"),
            Some(("PROVIDER_ERROR", true)),
            None,
        ),
        ("garbage", tail("data: {\"choices\": [\n\n"), Some(("RESPONSE_NOT_JSON", true)), None),
    ];
    for (name, bytes, failure, finish) in table {
        let (decoded, _) = read(&bytes);
        assert_eq!(decoded.text(), "a", "{name}");
        let found = decoded.failure.as_ref().map(|failure| (failure.code(), failure.is_retryable()));
        assert_eq!((found, decoded.raw_stop_reason.as_deref()), (failure, finish), "{name}");
    }
}

/// A call without arguments is whole where the stream is, and cut off where it is not or where a limit ended it.
#[test]
fn a_call_without_arguments_ends_as_its_stream_does() {
    let begun = stream(
        &[json!({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": ""}}]})],
        None,
    );
    let finished = |reason: &str| json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]});
    for (tail, verdict) in [
        (String::new(), "truncated"),
        ("data: [DONE]\n\n".to_owned(), "complete"),
        (format!("data: {}\n\n", finished("tool_calls")), "complete"),
        (format!("data: {}\n\n", finished("length")), "truncated"),
        (format!("data: {}\n\n", finished("content_filter")), "truncated"),
        (format!("data: {}\n\n", finished("lunch")), "complete"),
    ] {
        let (decoded, _) = read(&[begun.as_slice(), tail.as_bytes()].concat());
        assert_eq!(json!(decoded.calls().next().expect("a call").verdict()), verdict, "{tail}");
    }
}

/// Finish words of one host say nothing at another, but where nothing is known of it.
#[test]
fn finish_words() {
    use canvas_providers::StopReason::{ContextFull, End, Length, Other, Refusal, ToolUse};
    for (host, word, expected) in [
        ("api.openai.com", "stop", End),
        ("api.openai.com", "tool_calls", ToolUse),
        ("api.openai.com", "function_call", ToolUse),
        ("api.openai.com", "length", Length),
        ("api.openai.com", "content_filter", Refusal),
        ("api.openai.com", "model_length", Other),
        ("api.mistral.ai", "model_length", ContextFull),
        ("api.mistral.ai", "error", Other),
        ("open.bigmodel.cn", "sensitive", Refusal),
        ("open.bigmodel.cn", "network_error", Length),
        ("api.deepseek.com", "insufficient_system_resource", Length),
        ("api.together.xyz", "eos", End),
        ("notapi.mistral.ai", "sensitive", Refusal),
        ("llm.example.com", "eos", End),
    ] {
        let body = answer(&json!({"content": "a"}), &json!(word));
        let decoded = CHAT.decode(&body, &AnswerContext::new(Issuer::new(host, "m"))).expect("decodes");
        assert_eq!(decoded.stop_reason, expected, "{host} {word}");
    }
}

#[test]
fn tokens_are_counted_once_wherever_they_are() {
    let usage = json!({"prompt_tokens": 9, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 4}, "completion_tokens_details": {"reasoning_tokens": 3}});
    let last = [
        json!({"choices": [], "usage": usage}),
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": usage}),
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop", "usage": usage}]}),
    ];
    for chunk in last {
        let bytes = [
            stream(&[json!({"content": "a"})], None),
            format!("data: {chunk}\n\ndata: {chunk}\n\n").into_bytes(),
        ]
        .concat();
        let counted = read(&bytes).0.usage;
        let found = [
            counted.input_tokens,
            counted.output_tokens,
            counted.cache_read_tokens,
            counted.reasoning_tokens,
        ];
        assert_eq!(found, [9, 5, 4, 3]);
    }
}

fn spec(name: &str, parameters: Value) -> ToolSpec {
    ToolSpec { name: name.to_owned(), description: String::new(), parameters }
}

/// Own answers go back to their host in the way that it asks for.
#[test]
fn what_each_host_gets_back() {
    let call = json!({"id": "call_1", "type": "function", "index": 0, "function": {"name": "f", "arguments": "{\"a\": 1}"}});
    let sent =
        json!({"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{\"a\": 1}"}});
    let details = json!([{"type": "reasoning.encrypted", "data": "ZA=="}]);
    let chunks = json!([{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "a"}]);
    let table = [
        (
            "api.openai.com",
            json!({"content": null, "reasoning_content": "hm", "tool_calls": [call]}),
            json!({"content": null, "tool_calls": [sent]}),
        ),
        (
            "api.deepseek.com",
            json!({"content": "", "reasoning_content": "hm", "tool_calls": [call]}),
            json!({"content": "", "reasoning_content": "hm", "tool_calls": [sent]}),
        ),
        (
            "api.deepseek.com",
            json!({"content": "a", "tool_calls": [call]}),
            json!({"content": "a", "reasoning_content": "", "tool_calls": [sent]}),
        ),
        ("api.deepseek.com", json!({"content": "a"}), json!({"content": "a"})),
        (
            "api.moonshot.ai",
            json!({"content": "", "reasoning_content": "hm", "tool_calls": [call]}),
            json!({"content": "", "reasoning_content": "hm", "tool_calls": [sent]}),
        ),
        (
            "api.z.ai",
            json!({"content": "a", "reasoning_content": "hm"}),
            json!({"content": "a", "reasoning_content": "hm"}),
        ),
        ("api.mistral.ai", json!({"content": chunks}), json!({"content": chunks})),
        (
            "openrouter.ai",
            json!({"content": "a", "reasoning": "hm", "reasoning_details": details}),
            json!({"content": "a", "reasoning": "hm", "reasoning_details": details}),
        ),
        (
            "api.minimax.io",
            json!({"content": "a", "reasoning_details": details}),
            json!({"content": "a", "reasoning_details": details}),
        ),
        (
            "api.together.xyz",
            json!({"content": "a", "reasoning": "hm"}),
            json!({"content": "a", "reasoning": "hm"}),
        ),
        (
            "localhost:11434",
            json!({"content": "a", "reasoning": "hm"}),
            json!({"content": "a", "reasoning": "hm"}),
        ),
        (
            "llm.example.com",
            json!({"content": "a", "reasoning": "hm", "annotations": [1], "new": 1}),
            json!({"content": "a", "reasoning": "hm", "new": 1}),
        ),
    ];
    for (host, message, expected) in table {
        let issuer = Issuer::new(host, "m");
        let decoded = CHAT
            .decode(&answer(&message, &json!("stop")), &AnswerContext::new(issuer.clone()))
            .expect("decodes");
        let mut history = vec![Event::user("Hi")];
        history.extend(decoded.events);
        history.push(Event::user("Go on."));
        let request = CHAT.request(&issuer, "", &[], &history, &RequestOptions::default()).expect("encodes");
        let mut found = request.body["messages"][1].clone();
        found.as_object_mut().expect("an object").remove("role");
        assert_eq!(found, expected, "{host}");
        let other = Issuer::new(host, "another");
        let request = CHAT.request(&other, "", &[], &history, &RequestOptions::default()).expect("encodes");
        let foreign = request.body.to_string();
        assert!(!foreign.contains("hm") && !foreign.contains("ZA=="), "{host}: {foreign}");
    }
}

/// Each host is found by each of its names and by no other, and only Mistral gets lists of thinking back.
#[test]
fn hosts_are_found_by_their_names() {
    let unknown = ChatHost::of("llm.example.com");
    for host in ChatHost::ALL {
        assert!(!host.hosts.is_empty());
        for name in host.hosts {
            assert_eq!(ChatHost::of(name), host, "{name}");
            assert_eq!(ChatHost::of(&format!("eu.{name}")), host, "{name}");
            assert_eq!(ChatHost::of(&format!("not{name}")), unknown, "{name}");
            assert_eq!(host.thinking_chunks, *name == "api.mistral.ai", "{name}");
        }
    }
    assert!(unknown.thinking_chunks);
}

#[test]
fn hosts_differ_in_fields() {
    let tools = [spec("f", json!({"type": "object"}))];
    let options = RequestOptions { parallel_calls: false, ..RequestOptions::default() };
    for (host, max, parallel) in [
        ("api.openai.com", "max_completion_tokens", true),
        ("eu.openai.azure.com", "max_completion_tokens", true),
        ("api.deepseek.com", "max_tokens", false),
        ("api.mistral.ai", "max_tokens", true),
        ("llm.example.com", "max_tokens", true),
    ] {
        let issuer = Issuer::new(host, "m");
        let request = CHAT.request(&issuer, "", &tools, &[Event::user("Hi")], &options).expect("encodes");
        assert_eq!(request.body[max], 4096, "{host}");
        assert_eq!(request.body.get("parallel_tool_calls").is_some(), parallel, "{host}");
        assert_eq!(request.degradations.is_empty(), parallel, "{host}");
    }
    // A host application says what it knows of a host.
    let known = ChatHost { hosts: &["llm.example.com"], ..*ChatHost::of("api.deepseek.com") };
    let options = RequestOptions { chat_host: Some(known), ..options };
    let issuer = Issuer::new("llm.example.com", "m");
    let request = CHAT.request(&issuer, "", &tools, &[Event::user("Hi")], &options).expect("encodes");
    assert_eq!(request.body.get("parallel_tool_calls"), None);
}

#[test]
fn ids_are_those_that_the_host_takes() {
    let call = |id: &str| -> Event {
        serde_json::from_value(
            json!({"role": "assistant", "type": "tool_call", "call_id": id, "tool_name": "f"}),
        )
        .expect("an event")
    };
    let ids = ["functions.f:0", &"x".repeat(60), "gSIMJiOkT", ""];
    let mut history = vec![Event::user("Hi")];
    history.extend(ids.iter().map(|id| call(id)));
    for (host, fits) in [
        ("api.openai.com", (|id| id.len() <= 40) as fn(&str) -> bool),
        ("api.mistral.ai", |id| id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric())),
        ("api.moonshot.ai", |id| !id.is_empty()),
    ] {
        let issuer = Issuer::new(host, "m");
        let body =
            CHAT.request(&issuer, "", &[], &history, &RequestOptions::default()).expect("encodes").body;
        let messages = body["messages"].as_array().expect("a list");
        let of_calls: Vec<&str> = messages[1]["tool_calls"]
            .as_array()
            .expect("calls")
            .iter()
            .filter_map(|call| call["id"].as_str())
            .collect();
        let of_results: Vec<&str> =
            messages[2..].iter().filter_map(|message| message["tool_call_id"].as_str()).collect();
        assert_eq!(of_calls, of_results, "{host}");
        let distinct: std::collections::BTreeSet<&&str> = of_calls.iter().collect();
        assert_eq!(distinct.len(), ids.len(), "{host}");
        assert!(of_calls.iter().all(|id| fits(id)), "{host}: {of_calls:?}");
        assert!(of_calls.contains(&"gSIMJiOkT"), "{host}: {of_calls:?}");
    }
}

#[test]
fn choices() {
    let tools = [spec("f", json!({"type": "object"})), spec("h.i", json!({"type": "object"}))];
    let ask = |choice: ToolChoice, tools: &[ToolSpec]| {
        let options = RequestOptions { tool_choice: choice, ..RequestOptions::default() };
        CHAT.request(&CHAT.issuer("m"), "", tools, &[Event::user("Hi")], &options).map(|request| request.body)
    };
    let choice = |choice| ask(choice, &tools).expect("encodes")["tool_choice"].clone();
    assert_eq!(choice(ToolChoice::Auto), Value::Null);
    assert_eq!(choice(ToolChoice::None), "none");
    assert_eq!(choice(ToolChoice::Required), "required");
    assert_eq!(choice(ToolChoice::Tool("f".into())), json!({"type": "function", "function": {"name": "f"}}));
    let renamed = choice(ToolChoice::Tool("h.i".into()));
    let body = ask(ToolChoice::Auto, &tools).expect("encodes");
    assert_eq!(renamed["function"]["name"], body["tools"][1]["function"]["name"]);
    assert_eq!(ask(ToolChoice::Required, &[]).expect_err("no tools").code(), "BAD_OPTION");
    assert_eq!(ask(ToolChoice::None, &[]).expect("encodes").get("tool_choice"), None);
}

/// The tool of Codex is declared with its grammar, and its text is the one argument of the call.
#[test]
fn the_custom_tool_goes_both_ways() {
    let tools = [Dialect::CodexPatch.spec("document.md")];
    let native = NativeTool::of(Dialect::CodexPatch);
    let tool_choice = ToolChoice::Tool("apply_patch".into());
    let options = RequestOptions { native, tool_choice, ..RequestOptions::default() };
    let issuer = CHAT.issuer("m");
    let request = CHAT.request(&issuer, "", &tools, &[Event::user("Hi")], &options).expect("encodes");
    let custom = &request.body["tools"][0]["custom"];
    assert_eq!(
        (&request.body["tools"][0]["type"], &custom["name"]),
        (&json!("custom"), &json!("apply_patch"))
    );
    assert_eq!(custom["format"]["grammar"]["syntax"], "lark");
    assert_eq!(request.body["tool_choice"], json!({"type": "custom", "custom": {"name": "apply_patch"}}));
    let part =
        json!({"id": "c", "type": "custom", "custom": {"name": "apply_patch", "input": "*** Begin Patch"}});
    let body =
        answer(&json!({"role": "assistant", "content": null, "tool_calls": [part]}), &json!("tool_calls"));
    let decoded = CHAT.decode(&body, &request.context).expect("decodes");
    let call = decoded.calls().next().and_then(|call| call.to_call()).expect("a complete call");
    assert_eq!(call.arguments, json!({"input": "*** Begin Patch"}));
    let mut history = vec![Event::user("Hi")];
    history.extend(decoded.events);
    let again = CHAT.request(&issuer, "", &tools, &history, &options).expect("encodes").body;
    assert_eq!(again["messages"][1]["tool_calls"][0], part);
    let elsewhere = CHAT
        .request(&Issuer::new("api.deepseek.com", "m"), "", &tools, &history, &options)
        .expect("encodes")
        .body;
    let arguments =
        elsewhere["messages"][1]["tool_calls"][0]["function"]["arguments"].as_str().expect("text");
    assert_eq!(serde_json::from_str::<Value>(arguments).expect("JSON"), call.arguments);
    assert_eq!(elsewhere["tools"][0]["type"], "function");
}

#[test]
fn images_follow_the_results() {
    let mut history: Vec<Event> = serde_json::from_value(json!([
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "type": "tool_call", "call_id": "c1", "tool_name": "f"},
        {"role": "assistant", "type": "tool_call", "call_id": "c2", "tool_name": "f"},
        {"role": "tool", "type": "tool_result", "call_id": "c1", "tool_result": {"ok": true}, "images": [{"media_type": "image/png", "data": "aa=="}]},
        {"role": "tool", "type": "tool_result", "call_id": "c2", "tool_result": "plain"},
        {"role": "user", "content": "And?"},
    ]))
    .expect("events");
    history.push(Event::assistant("So."));
    let body = CHAT
        .request(&CHAT.issuer("m"), "Be brief.", &[], &history, &RequestOptions::default())
        .expect("encodes")
        .body;
    let roles: Vec<&str> = body["messages"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|message| message["role"].as_str())
        .collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "tool", "user", "user", "assistant"]);
    assert_eq!(body["messages"][3]["content"], "{\"ok\":true}");
    assert_eq!(body["messages"][5]["content"][1]["image_url"]["url"], "data:image/png;base64,aa==");
    let request = CHAT
        .request(&Issuer::new("api.deepseek.com", "m"), "", &[], &history, &RequestOptions::default())
        .expect("encodes");
    assert!(!request.body.to_string().contains("aa=="));
    assert_eq!(request.degradations[0].keyword, "image");
}
