//! Ollama's own endpoint: answers in, requests out.

use crate::support;

use canvas_providers::{AnswerContext, Event, Provider, RequestOptions, StopReason, StreamEvent, ToolChoice};
use canvas_tools::{CodedError as _, ToolSpec};
use serde_json::{Map, Value, json};

const OLLAMA: Provider = Provider::Ollama;

fn context() -> AnswerContext {
    AnswerContext::new(OLLAMA.issuer("m"))
}

#[test]
fn verdicts() {
    let call = |function: Value| json!({"id": "c", "function": function});
    let table = [
        (call(json!({"name": "f", "arguments": {"a": 1}})), "stop", "complete"),
        (call(json!({"name": "f", "arguments": {"a": 1}})), "length", "complete"),
        (call(json!({"name": "f"})), "stop", "complete"),
        (call(json!({"name": "f"})), "length", "truncated"),
        (call(json!({"name": "f", "arguments": "{\"a\":1}"})), "stop", "malformed"),
        (call(json!({"arguments": {}})), "stop", "malformed"),
        (json!({}), "stop", "malformed"),
    ];
    for (call, reason, verdict) in table {
        let message = json!({"role": "assistant", "content": "", "tool_calls": [call]});
        let body = json!({"message": message, "done": true, "done_reason": reason});
        let decoded = OLLAMA.decode(&body, &context()).expect("decodes");
        assert_eq!(json!(decoded.calls().next().expect("a call").verdict()), verdict, "{call} {reason}");
        assert_eq!(json!(OLLAMA.replay(&body).expect("decodes")), json!([message]));
    }
}

#[test]
fn stop_reasons() {
    for (word, reason) in
        [("stop", StopReason::End), ("length", StopReason::Length), ("unload", StopReason::Other)]
    {
        let body =
            json!({"message": {"role": "assistant", "content": "Hi"}, "done": true, "done_reason": word});
        assert_eq!(OLLAMA.decode(&body, &context()).expect("decodes").stop_reason, reason, "{word}");
    }
}

#[test]
fn names_may_begin_with_a_digit() {
    let spec = ToolSpec { name: "9_lives".into(), description: String::new(), parameters: json!({}) };
    let encoded = OLLAMA.tools(&[spec], None);
    assert_eq!(encoded.tools[0]["function"]["name"], "9_lives");
    assert_eq!(encoded.renames.wire("9_lives"), None);
}

#[test]
fn errors() {
    for (body, code, retryable) in [
        (json!({"error": "model \"x\" not found, try pulling it first"}), "PROVIDER_ERROR", false),
        (
            json!({"error": "server busy, please try again. maximum pending requests exceeded"}),
            "PROVIDER_ERROR",
            true,
        ),
        (json!({"error": {"message": "no"}}), "PROVIDER_ERROR", false),
        (json!({"choices": []}), "RESPONSE_UNEXPECTED", false),
        (json!({"message": {"tool_calls": 1}}), "RESPONSE_UNEXPECTED", false),
        (json!({"message": {"tool_calls": [1]}}), "RESPONSE_UNEXPECTED", false),
    ] {
        let error = OLLAMA.decode(&body, &context()).expect_err("no answer");
        assert_eq!((error.code(), error.is_retryable()), (code, retryable), "{body}");
    }
}

fn read(lines: &[Value]) -> (canvas_providers::Decoded, Vec<String>) {
    let (mut stream, mut shown) = (OLLAMA.stream(context()), Vec::new());
    for line in lines {
        stream.feed(format!("{line}\n").as_bytes(), &mut |event| {
            shown.push(match event {
                StreamEvent::Text { part, delta } => format!("{part} text {delta}"),
                StreamEvent::Thinking { part, delta } => format!("{part} thinking {delta}"),
                StreamEvent::Call { part, id, name } => format!("{part} call {id} {name}"),
                StreamEvent::Arguments { part, delta } => format!("{part} arguments {delta}"),
                StreamEvent::Unknown { kind } => format!("unknown {kind}"),
                other => format!("{other:?}"),
            });
        });
    }
    (stream.finish(), shown)
}

#[test]
fn a_stream_is_the_answer_that_it_brings() {
    let line = |message: Value| json!({"message": message, "done": false});
    let call = |id: &str| json!({"id": id, "function": {"name": "f", "arguments": {"a": 1}}});
    let lines = [
        line(json!({"role": "assistant", "content": "", "thinking": "h"})),
        line(json!({"role": "assistant", "content": "", "thinking": "m"})),
        line(json!({"role": "assistant", "content": "a"})),
        line(json!({"role": "assistant", "content": "", "tool_calls": [call("c1"), call("c2")]})),
        line(json!({"role": "assistant", "content": "b", "tool_calls": [call("c3")]})),
        json!({"message": {"role": "assistant", "content": ""}, "done": true, "done_reason": "stop", "prompt_eval_count": 7, "eval_count": 5}),
    ];
    let (streamed, shown) = read(&lines);
    let message = json!({"role": "assistant", "content": "ab", "thinking": "hm", "tool_calls": [call("c1"), call("c2"), call("c3")]});
    let body = json!({"message": message, "done": true, "done_reason": "stop", "prompt_eval_count": 7, "eval_count": 5});
    assert_eq!(streamed, OLLAMA.decode(&body, &context()).expect("decodes"));
    assert_eq!((streamed.usage.input_tokens, streamed.usage.output_tokens), (7, 5));
    assert_eq!(shown[..4], ["0 thinking h", "0 thinking m", "1 text a", "2 call c1 f"]);
    let (cut, _) = read(&lines[..4]);
    assert_eq!(cut.failure.map(|failure| failure.code()), Some("STREAM_CUT"));
    let (failed, _) = read(&[lines[2].clone(), json!({"error": "unexpected EOF"}), lines[5].clone()]);
    assert_eq!(
        (failed.text().as_str(), failed.failure.map(|failure| failure.code())),
        ("a", Some("PROVIDER_ERROR"))
    );
    let (ended, _) = read(&[json!({"message": {"content": "a"}, "done": true})]);
    assert_eq!((ended.failure, ended.stop_reason), (None, StopReason::Other));
}

#[test]
fn requests() {
    let own = |piece: Value| json!({"wire": "ollama", "issuer": {"host": "localhost:11434", "model": "m"}, "parts": [piece]});
    let history: Vec<Event> = serde_json::from_value(json!([
        {"role": "user", "content": "Look.", "envelope": {"wire": "ollama", "parts": ["aa=="]}},
        {"role": "assistant", "type": "thinking", "content": "hm", "envelope": own(json!({"thinking": "hm", "content": ""}))},
        {"role": "assistant", "type": "tool_call", "tool_name": "f", "arguments": {"a": 1}, "call_id": "",
         "envelope": own(json!({"tool_calls": [{"function": {"index": 0, "name": "f", "arguments": {"a": 1}}}]}))},
        {"role": "tool", "type": "tool_result", "tool_name": "f", "tool_result": {"ok": true}, "images": [{"media_type": "image/png", "data": "bb=="}]},
        {"role": "assistant", "type": "tool_call", "tool_name": "f", "arguments": {"a": 2}, "call_id": "c2"},
        {"role": "tool", "type": "tool_result", "tool_name": "f", "call_id": "c2", "tool_result": "plain"},
        {"role": "system", "content": "Be brief."},
        {"role": "assistant", "content": "Done."},
    ]))
    .expect("events");
    let options = Map::from_iter([("temperature".to_owned(), json!(0))]);
    let extra = Map::from_iter([("think".to_owned(), json!(true)), ("options".to_owned(), json!(options))]);
    let options = RequestOptions { max_tokens: 64, extra, ..RequestOptions::default() };
    let body = OLLAMA.request(&OLLAMA.issuer("m"), "Help.", &[], &history, &options).expect("encodes").body;
    assert_eq!(
        body,
        json!({"model": "m", "think": true, "options": {"temperature": 0, "num_predict": 64}, "messages": [
            {"role": "system", "content": "Help."},
            {"role": "user", "content": "Look.", "images": ["aa=="]},
            {"role": "assistant", "content": "", "thinking": "hm", "tool_calls": [{"function": {"index": 0, "name": "f", "arguments": {"a": 1}}}]},
            {"role": "tool", "content": "{\"ok\":true}", "tool_name": "f", "images": ["bb=="]},
            {"role": "assistant", "content": "", "tool_calls": [{"id": "c2", "function": {"name": "f", "arguments": {"a": 2}}}]},
            {"role": "tool", "content": "plain", "tool_name": "f", "tool_call_id": "c2"},
            {"role": "system", "content": "Be brief."},
            {"role": "assistant", "content": "Done."},
        ]})
    );
    let other = OLLAMA.issuer("another");
    let body = OLLAMA.request(&other, "", &[], &history, &RequestOptions::default()).expect("encodes").body;
    assert!(!body.to_string().contains("hm"));
    assert_eq!(support::chat::ollama_faults(&body), Vec::<String>::new());
}

/// The endpoint has no choice of tools; what can be said is said with the tools themselves.
#[test]
fn choices() {
    let spec = |name: &str| ToolSpec {
        name: name.to_owned(),
        description: "Does it.".to_owned(),
        parameters: json!({}),
    };
    let specs = [spec("f"), spec("g")];
    let names = |choice: ToolChoice| {
        let options = RequestOptions { tool_choice: choice, ..RequestOptions::default() };
        let request =
            OLLAMA.request(&OLLAMA.issuer("m"), "", &specs, &[Event::user("Hi")], &options).expect("encodes");
        let tools = request.body["tools"].as_array().cloned().unwrap_or_default();
        let names: Vec<Value> = tools.iter().map(|tool| tool["function"]["name"].clone()).collect();
        (json!(names), request.degradations.len())
    };
    assert_eq!(names(ToolChoice::Auto), (json!(["f", "g"]), 0));
    assert_eq!(names(ToolChoice::None), (json!([]), 1));
    assert_eq!(names(ToolChoice::Required), (json!(["f", "g"]), 1));
    assert_eq!(names(ToolChoice::Tool("g".into())), (json!(["g"]), 1));
}

#[test]
fn options_that_the_endpoint_lacks_are_told_where_there_are_tools() {
    let spec = ToolSpec { name: "f".into(), description: String::new(), parameters: json!({}) };
    let options = RequestOptions { parallel_calls: false, strict_tools: true, ..RequestOptions::default() };
    for (specs, told) in
        [(&[spec][..], vec!["/options/parallel_calls", "/options/strict_tools"]), (&[], vec![])]
    {
        let history = [Event::user("Hi")];
        let request = OLLAMA.request(&OLLAMA.issuer("m"), "", specs, &history, &options).expect("encodes");
        let paths: Vec<&str> = request.degradations.iter().map(|one| one.path.as_str()).collect();
        assert_eq!(paths, told);
    }
}

/// What is kept of an answer may have been altered since.
#[test]
fn a_part_of_another_kind_is_not_sent() {
    for (part, used) in [
        (json!({"content": "Done.", "thinking": "hm"}), true),
        (json!({"content": 7}), false),
        (json!({"content": "Done.", "images": []}), false),
        (json!({"thinking": "hm"}), false),
        (json!({"content": "Done.", "tool_calls": []}), false),
    ] {
        let envelope =
            json!({"wire": "ollama", "issuer": {"host": "localhost:11434", "model": "m"}, "parts": [part]});
        let event = json!({"role": "assistant", "content": "Done.", "envelope": envelope});
        let history: Vec<Event> =
            serde_json::from_value(json!([{"role": "user", "content": "Hi"}, event])).expect("events");
        let options = RequestOptions::default();
        let request = OLLAMA.request(&OLLAMA.issuer("m"), "", &[], &history, &options).expect("encodes");
        let message = &request.body["messages"][1];
        assert_eq!(message["content"], "Done.", "{part}");
        assert_eq!(
            (message.get("thinking").is_some(), request.degradations.is_empty()),
            (used, used),
            "{part}"
        );
    }
}
