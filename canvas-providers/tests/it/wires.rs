//! Streams of Gemini and Bedrock that no recording holds, in every framing that they come in.

use crate::support;

use canvas_providers::{AnswerContext, Body, Decoded, Framing, Provider, StreamEvent};
use canvas_tools::CodedError as _;
use serde_json::{Value, json};

/// What a stream of these frames gives, and what it tells while it comes: the same however it is cut.
fn decode(provider: Provider, framing: Framing, frames: &[Value]) -> (Decoded, Vec<String>) {
    let bytes = support::wire::stream(framing, frames);
    let read = |pieces: &[&[u8]]| {
        let mut told = Vec::new();
        let mut stream = provider.stream_framed(framing, AnswerContext::new(provider.issuer("m")));
        for piece in pieces {
            stream.feed(piece, &mut |event| told.push(words(event)));
        }
        (stream.finish(), told)
    };
    let whole = read(&[&bytes]);
    for at in 0..=bytes.len() {
        let (left, right) = bytes.split_at(at);
        assert_eq!(read(&[left, right]), whole, "cut at {at}");
    }
    whole
}

fn words(event: StreamEvent<'_>) -> String {
    match event {
        StreamEvent::Text { part, delta } => format!("{part} text {delta}"),
        StreamEvent::Thinking { part, delta } => format!("{part} thinking {delta}"),
        StreamEvent::Call { part, id, name } => format!("{part} call {id} {name}"),
        StreamEvent::Arguments { part, delta } => format!("{part} arguments {delta}"),
        StreamEvent::Unknown { kind } => format!("unknown {kind}"),
        other => format!("{other:?}"),
    }
}

/// Parts, calls with their verdicts, and how it ended.
fn seen(decoded: &Decoded) -> Value {
    let parts = decoded.events.iter().map(|event| event.envelope.as_ref().expect("kept").parts[0].clone());
    let calls = decoded
        .calls()
        .map(|call| json!([call.id, call.name, call.to_call().map(|call| call.arguments), call.verdict()]));
    json!({
        "parts": parts.collect::<Vec<_>>(),
        "calls": calls.collect::<Vec<_>>(),
        "text": decoded.text(),
        "thinking": decoded.has_thinking(),
        "stop": format!("{:?}", decoded.stop_reason),
        "finish": decoded.raw_stop_reason,
        "failure": decoded.failure.as_ref().map(|failure| json!([failure.code(), failure.is_retryable()])),
    })
}

/// A chunk of Gemini with these parts.
fn chunk(parts: Value) -> Value {
    json!({"candidates": [{"index": 0, "content": {"role": "model", "parts": parts}}]})
}

fn end(reason: &str) -> Value {
    json!({"candidates": [{"finishReason": reason}], "usageMetadata": {
        "promptTokenCount": 10, "cachedContentTokenCount": 4, "candidatesTokenCount": 5, "thoughtsTokenCount": 3}})
}

#[test]
fn a_signed_part_of_gemini_stays_its_own() {
    let frames = [
        chunk(json!([{"text": "hm", "thought": true}, {"text": " hm", "thought": true}])),
        chunk(json!([{"text": "a"}])),
        chunk(json!([{"text": "b", "thoughtSignature": "s1"}, {"text": ""}])),
        chunk(json!([{"text": "c"}, {"text": "", "thoughtSignature": "s2"}, {"thoughtSignature": "s3"}])),
        chunk(json!([{"text": "d"}, {"hologram": [1.50], "x": null}, {}])),
        json!({"candidates": [{"index": 1, "content": {"parts": [{"text": "another"}]}}, {"content": {}}]}),
        end("STOP"),
    ];
    for framing in [Framing::Sse, Framing::JsonArray] {
        let (decoded, told) = decode(Provider::Gemini, framing, &frames);
        let expected = json!({
            "parts": [{"text": "hm hm", "thought": true}, {"text": "a"}, {"text": "b", "thoughtSignature": "s1"},
                {"text": "c"}, {"text": "", "thoughtSignature": "s2"}, {"thoughtSignature": "s3"}, {"text": "d"},
                {"hologram": [1.5], "x": null}],
            "calls": [], "text": "abcd", "thinking": true, "stop": "End", "finish": "STOP", "failure": null,
        });
        assert_eq!(seen(&decoded), expected, "{framing:?}");
        let expected = [
            "0 thinking hm",
            "0 thinking  hm",
            "1 text a",
            "2 text b",
            "3 text c",
            "6 text d",
            "unknown hologram",
        ];
        assert_eq!(told, expected);
        let usage = decoded.usage;
        assert_eq!(
            (usage.input_tokens, usage.cache_read_tokens, usage.output_tokens, usage.reasoning_tokens),
            (10, 4, 8, 3)
        );
    }
}

#[test]
fn calls_of_gemini_come_whole_or_in_pieces() {
    let piece = |path: &str, text: &str, more: bool| {
        json!({"functionCall": {"willContinue": true, "partialArgs": [
        {"jsonPath": path, "stringValue": text, "willContinue": more}]}})
    };
    let frames = [
        chunk(
            json!([{"functionCall": {"id": "i", "name": "f", "args": {"a": 1.0}}, "thoughtSignature": "s"}, {"functionCall": {"name": "g"}}]),
        ),
        chunk(json!([{"functionCall": {"name": "h", "willContinue": true}, "thoughtSignature": "t"}])),
        chunk(json!([piece("$.p.q", "x", true), piece("$.p.q", "\"y", false)])),
        chunk(
            json!([{"functionCall": {"partialArgs": [{"jsonPath": "$.n[0]", "numberValue": 2}]}}, {"functionCall": {}}]),
        ),
        chunk(
            json!([{"functionCall": {"name": "bad", "willContinue": true}}, piece("$.n[7]", "x", false), {"functionCall": {}}]),
        ),
        chunk(
            json!([{"functionCall": {"name": "odd", "args": [1]}}, {"functionCall": {"args": {}}}, {"functionCall": 7}]),
        ),
        chunk(json!([{"functionCall": {"name": "cut", "willContinue": true}}, piece("$.a", "b", true)])),
        end("STOP"),
    ];
    let (decoded, told) = decode(Provider::Gemini, Framing::Sse, &frames);
    let found = seen(&decoded);
    let expected = json!([
        ["i", "f", {"a": 1.0}, "complete"], ["", "g", {}, "complete"],
        ["", "h", {"n": [2], "p": {"q": "x\"y"}}, "complete"], ["", "bad", null, "malformed"], ["", "odd", null, "malformed"],
        ["", "", null, "malformed"], ["", "", null, "malformed"], ["", "cut", null, "truncated"],
    ]);
    assert_eq!(found["calls"], expected);
    assert_eq!(found["stop"], "ToolUse");
    assert_eq!(
        found["parts"][2],
        json!({"functionCall": {"name": "h", "args": {"n": [2], "p": {"q": "x\"y"}}}, "thoughtSignature": "t"})
    );
    let arguments: String = told.iter().filter_map(|line| line.strip_prefix("2 arguments ")).collect();
    assert_eq!(arguments, "{\"p\":{\"q\":\"x\\\"y\"},\"n\":[2]}");
    assert_eq!(told[..3], ["0 call i f", "0 arguments {\"a\":1.0}", "1 call  g"]);
}

#[test]
fn answers_of_gemini_that_are_cut_or_refused() {
    let call = |args: Value| chunk(json!([{"functionCall": {"name": "f", "args": args}}]));
    let bare = chunk(json!([{"functionCall": {"name": "f"}}]));
    let verdict = |frames: &[Value]| {
        let found = seen(&decode(Provider::Gemini, Framing::Sse, frames).0);
        json!([found["calls"][0][3], found["stop"], found["finish"], found["failure"]])
    };
    let blocked = json!({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}});
    let error = |code: u64, status: &str| json!({"error": {"code": code, "message": "no", "status": status}});
    let table = [
        (vec![call(json!({})), end("MAX_TOKENS")], json!(["complete", "Length", "MAX_TOKENS", null])),
        (vec![bare.clone(), end("MAX_TOKENS")], json!(["truncated", "Length", "MAX_TOKENS", null])),
        (vec![bare.clone(), bare.clone(), end("STOP")], json!(["complete", "ToolUse", "STOP", null])),
        (vec![bare], json!(["truncated", "Other", null, ["STREAM_CUT", true]])),
        (vec![end("SAFETY")], json!([null, "Refusal", "SAFETY", null])),
        (vec![end("MALFORMED_FUNCTION_CALL")], json!([null, "Other", "MALFORMED_FUNCTION_CALL", null])),
        (vec![end("NEW")], json!([null, "Other", "NEW", null])),
        (vec![blocked], json!([null, "Refusal", "PROHIBITED_CONTENT", null])),
        (vec![error(503, "UNAVAILABLE")], json!([null, "Other", null, ["PROVIDER_ERROR", true]])),
        (vec![error(429, "")], json!([null, "Other", null, ["PROVIDER_ERROR", true]])),
        (vec![error(400, "INVALID_ARGUMENT")], json!([null, "Other", null, ["PROVIDER_ERROR", false]])),
        (
            vec![call(json!({})), error(500, "INTERNAL")],
            json!(["complete", "Other", null, ["PROVIDER_ERROR", true]]),
        ),
    ];
    for (frames, expected) in table {
        assert_eq!(verdict(&frames), expected, "{frames:?}");
    }
}

#[test]
fn steps_of_interactions() {
    let step = |index: u64, step: Value| json!({"event_type": "step.start", "index": index, "step": step});
    let delta =
        |index: u64, delta: Value| json!({"event_type": "step.delta", "index": index, "delta": delta});
    let stop = |index: u64| json!({"event_type": "step.stop", "index": index});
    let said = |text: &str| json!({"type": "text", "text": text});
    let frames = [
        json!({"event_type": "interaction.created", "interaction": {"id": "i", "status": "in_progress"}}),
        json!({"event_type": "interaction.status_update", "interaction_id": "i", "status": "in_progress"}),
        step(0, json!({"type": "user_input", "content": [said("Hi")]})),
        stop(0),
        step(1, json!({"type": "thought"})),
        delta(1, json!({"type": "thought_summary", "content": said("h")})),
        delta(1, json!({"type": "thought_summary", "content": said("m")})),
        delta(1, json!({"type": "thought_signature", "signature": "c2ln"})),
        stop(1),
        step(2, json!({"type": "model_output"})),
        delta(2, json!({"type": "text", "text": "Look"})),
        delta(2, json!({"type": "text", "text": ":"})),
        delta(2, json!({"type": "text_annotation_delta", "annotations": [{"n": 1}]})),
        delta(2, json!({"type": "image", "data": "AAAA", "mime_type": "image/png"})),
        delta(2, json!({"type": "text", "text": "."})),
        stop(2),
        step(3, json!({"type": "google_search_call", "id": "s", "arguments": {}})),
        delta(3, json!({"type": "google_search_call", "arguments": {"queries": ["q"]}, "signature": "c2"})),
        stop(3),
        step(4, json!({"type": "function_call", "id": "c1", "name": "f", "arguments": {}})),
        delta(4, json!({"type": "arguments_delta", "arguments": "{\"a\":"})),
        delta(4, json!({"type": "arguments_delta", "arguments": "1}"})),
        stop(4),
        step(5, json!({"type": "function_call", "id": "c2", "name": "g", "arguments": {}})),
        stop(5),
        step(6, json!({"type": "function_call", "id": "c3", "name": "h", "arguments": {}})),
        delta(6, json!({"type": "arguments_delta", "arguments": "{\"a\":"})),
        json!({"event_type": "hologram"}),
        json!({"event_type": "interaction.completed", "interaction": {"id": "i", "status": "requires_action", "usage": {
            "total_input_tokens": 9, "total_cached_tokens": 2, "total_output_tokens": 5, "total_thought_tokens": 3}}}),
        json!({"event_type": "step.start", "index": 7}),
    ];
    let (decoded, told) = decode(Provider::GeminiInteractions, Framing::Sse, &frames);
    let parts = json!([
        {"type": "thought", "summary": [said("hm")], "signature": "c2ln"},
        {"type": "model_output", "content": [{"type": "text", "text": "Look:", "annotations": [{"n": 1}]},
            {"type": "image", "data": "AAAA", "mime_type": "image/png"}, said(".")]},
        {"type": "google_search_call", "id": "s", "arguments": {"queries": ["q"]}, "signature": "c2"},
        {"type": "function_call", "id": "c1", "name": "f", "arguments": {"a": 1}},
        {"type": "function_call", "id": "c2", "name": "g", "arguments": {}},
        {"type": "function_call", "id": "c3", "name": "h", "arguments": "{\"a\":"},
    ]);
    let expected = json!({
        "parts": parts, "text": "Look:.", "thinking": true, "stop": "ToolUse", "finish": "requires_action", "failure": null,
        "calls": [["c1", "f", {"a": 1}, "complete"], ["c2", "g", {}, "complete"], ["c3", "h", null, "truncated"]],
    });
    assert_eq!(seen(&decoded), expected);
    assert_eq!((decoded.usage.input_tokens, decoded.usage.output_tokens), (9, 8));
    assert_eq!(told[..3], ["0 thinking h", "0 thinking m", "1 text Look"]);
    assert!(told.ends_with(&[
        "5 call c3 h".to_owned(),
        "5 arguments {\"a\":".to_owned(),
        "unknown hologram".to_owned()
    ]));

    // A whole answer of the same steps is the same but for the call that was cut.
    let mut steps = parts.as_array().expect("a list").clone();
    steps.pop();
    let body = json!({"status": "requires_action", "steps": steps});
    let whole = Provider::GeminiInteractions.decode(&body, &AnswerContext::new(Provider::Gemini.issuer("m")));
    let whole = seen(&whole.expect("decodes"));
    assert_eq!(whole["parts"], json!(steps));
    assert_eq!(whole["calls"].as_array().expect("calls").len(), 2);
    assert_eq!(Provider::GeminiInteractions.replay(&body).expect("decodes"), steps);
}

#[test]
fn interactions_that_end_otherwise() {
    let call = |arguments: &str| {
        vec![
            json!({"event_type": "step.start", "index": 0, "step": {"type": "function_call", "id": "c", "name": "f"}}),
            json!({"event_type": "step.delta", "index": 0, "delta": {"type": "arguments_delta", "arguments": arguments}}),
            json!({"event_type": "step.stop", "index": 0}),
        ]
    };
    let done =
        |status: &str| json!({"event_type": "interaction.completed", "interaction": {"status": status}});
    let with = |mut frames: Vec<Value>, last: Value| {
        frames.push(last);
        frames
    };
    let table = [
        (with(call("{}"), done("completed")), json!(["complete", "ToolUse", "completed", null])),
        (with(call(""), done("completed")), json!(["complete", "ToolUse", "completed", null])),
        (with(call(""), done("incomplete")), json!(["truncated", "Length", "incomplete", null])),
        (with(call("{\"a"), done("completed")), json!(["truncated", "ToolUse", "completed", null])),
        (with(call("[]"), done("completed")), json!(["malformed", "ToolUse", "completed", null])),
        (call("{}"), json!(["complete", "Other", null, ["STREAM_CUT", true]])),
        (vec![done("completed")], json!([null, "End", "completed", null])),
        (vec![done("failed")], json!([null, "Other", null, ["PROVIDER_ERROR", false]])),
        (
            vec![
                json!({"event_type": "error", "error": {"code": "https://x.invalid/errors/unavailable", "message": "m"}}),
            ],
            json!([null, "Other", null, ["PROVIDER_ERROR", true]]),
        ),
    ];
    for (frames, expected) in table {
        let found = seen(&decode(Provider::GeminiInteractions, Framing::Sse, &frames).0);
        let found = json!([found["calls"][0][3], found["stop"], found["finish"], found["failure"]]);
        assert_eq!(found, expected, "{frames:?}");
    }
}

#[test]
fn blocks_of_bedrock_in_both_framings() {
    let start =
        |index: u64, start: Value| json!({"contentBlockStart": {"contentBlockIndex": index, "start": start}});
    let delta = |index: u64, delta: Value| json!({"contentBlockDelta": {"contentBlockIndex": index, "delta": delta, "p": "abc"}});
    let stop = |index: u64| json!({"contentBlockStop": {"contentBlockIndex": index}});
    let tool = |id: &str, name: &str| json!({"toolUse": {"toolUseId": id, "name": name}});
    let frames = [
        json!({"messageStart": {"role": "assistant"}}),
        delta(0, json!({"reasoningContent": {"text": "h"}})),
        delta(0, json!({"reasoningContent": {"text": "m"}})),
        delta(0, json!({"reasoningContent": {"signature": "c2ln"}})),
        stop(0),
        delta(1, json!({"reasoningContent": {"redactedContent": "ZGF0YQ=="}})),
        stop(1),
        delta(2, json!({"text": "Hi"})),
        delta(2, json!({"citation": {"title": "t"}})),
        delta(2, json!({"text": "!"})),
        stop(2),
        start(3, tool("a", "f")),
        start(4, tool("b", "g")),
        delta(4, json!({"toolUse": {"input": "{\"n\":"}})),
        delta(3, json!({"toolUse": {"input": "{}"}})),
        delta(4, json!({"toolUse": {"input": "1}"}})),
        stop(4),
        stop(3),
        start(5, tool("c", "none")),
        stop(5),
        start(6, json!({"toolUse": {"toolUseId": "s", "name": "web", "type": "server_tool_use"}})),
        delta(6, json!({"toolUse": {"input": "{\"q\":1}"}})),
        stop(6),
        start(7, json!({"toolResult": {"toolUseId": "s"}})),
        delta(7, json!({"toolResult": [{"text": "x"}]})),
        stop(7),
        delta(8, json!({"hologram": {"beams": 2}})),
        start(9, tool("d", "cut")),
        delta(9, json!({"toolUse": {"input": "{\"a"}})),
        json!({"messageStop": {"stopReason": "tool_use"}}),
        json!({"metadata": {"usage": {"inputTokens": 7, "outputTokens": 5, "totalTokens": 12, "cacheReadInputTokens": 3}, "metrics": {}}}),
        json!({"afterwards": {}}),
    ];
    let expected = json!({
        "parts": [{"reasoningContent": {"reasoningText": {"text": "hm", "signature": "c2ln"}}},
            {"reasoningContent": {"redactedContent": "ZGF0YQ=="}},
            {"citationsContent": {"content": [{"text": "Hi!"}], "citations": [{"title": "t"}]}},
            {"toolUse": {"toolUseId": "a", "name": "f", "input": {}}},
            {"toolUse": {"toolUseId": "b", "name": "g", "input": {"n": 1}}},
            {"toolUse": {"toolUseId": "c", "name": "none", "input": {}}},
            {"toolUse": {"toolUseId": "s", "name": "web", "type": "server_tool_use", "input": {"q": 1}}},
            {"toolResult": {"toolUseId": "s", "content": [{"text": "x"}]}},
            {"hologram": {"beams": 2}},
            {"toolUse": {"toolUseId": "d", "name": "cut", "input": "{\"a"}}],
        "calls": [["a", "f", {}, "complete"], ["b", "g", {"n": 1}, "complete"], ["c", "none", {}, "complete"], ["d", "cut", null, "truncated"]],
        "text": "Hi!", "thinking": true, "stop": "ToolUse", "finish": "tool_use", "failure": null,
    });
    for framing in [Framing::EventStream, Framing::JsonLines] {
        let (decoded, told) = decode(Provider::BedrockConverse, framing, &frames);
        assert_eq!(seen(&decoded), expected, "{framing:?}");
        assert_eq!((decoded.usage.input_tokens, decoded.usage.output_tokens), (10, 5));
        assert!(told.contains(&"4 arguments 1}".to_owned()) && told.contains(&"unknown hologram".to_owned()));
        assert!(!told.iter().any(|line| line.starts_with("6 ")), "{told:?}");
    }
    let mut parts = expected["parts"].as_array().expect("a list").clone();
    parts.last_mut().expect("a call")["toolUse"]["input"] = json!({});
    let body =
        json!({"stopReason": "tool_use", "output": {"message": {"role": "assistant", "content": parts}}});
    assert_eq!(Provider::BedrockConverse.replay(&body).expect("decodes"), parts);
    parts.retain(|part| part.get("citationsContent").is_none());
    let body =
        json!({"stopReason": "max_tokens", "output": {"message": {"role": "assistant", "content": parts}}});
    let decoded =
        Provider::BedrockConverse.decode(&body, &AnswerContext::new(Provider::BedrockConverse.issuer("m")));
    let verdicts: Vec<Value> = decoded.expect("decodes").calls().map(|call| json!(call.verdict())).collect();
    assert_eq!(verdicts, ["complete", "complete", "complete", "truncated"]);
}

#[test]
fn streams_of_bedrock_that_end_otherwise() {
    let start = json!({"contentBlockStart": {"contentBlockIndex": 0, "start": {"toolUse": {"toolUseId": "a", "name": "f"}}}});
    let input = |text: &str| json!({"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"toolUse": {"input": text}}}});
    let stop = json!({"contentBlockStop": {"contentBlockIndex": 0}});
    let done = |reason: &str| json!({"messageStop": {"stopReason": reason}});
    let exception = |kind: &str| json!({kind: {"message": "m"}});
    let text = json!({"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "x"}}});
    let table = [
        (vec![start.clone(), stop.clone(), done("max_tokens")], json!(["truncated", "Length", null])),
        (
            vec![start.clone(), input("{}"), stop.clone(), done("max_tokens")],
            json!(["complete", "Length", null]),
        ),
        (
            vec![start.clone(), input("{\"a"), stop.clone(), done("tool_use")],
            json!(["truncated", "ToolUse", null]),
        ),
        (
            vec![start.clone(), input("[]"), stop.clone(), done("tool_use")],
            json!(["malformed", "ToolUse", null]),
        ),
        (vec![input("{}"), stop.clone(), done("tool_use")], json!(["malformed", "ToolUse", null])),
        (vec![start.clone(), input("{}"), stop.clone()], json!(["complete", "Other", ["STREAM_CUT", true]])),
        (
            vec![start.clone(), start.clone(), stop.clone(), done("tool_use")],
            json!(["complete", "ToolUse", null]),
        ),
        (vec![start, text.clone()], json!(["truncated", "Other", ["RESPONSE_UNEXPECTED", false]])),
        (vec![text.clone(), stop, text.clone()], json!([null, "Other", ["RESPONSE_UNEXPECTED", false]])),
        (vec![done("content_filtered")], json!([null, "Refusal", null])),
        (vec![text, exception("throttlingException")], json!([null, "Other", ["PROVIDER_ERROR", true]])),
        (vec![exception("modelStreamErrorException")], json!([null, "Other", ["PROVIDER_ERROR", true]])),
        (vec![exception("validationException")], json!([null, "Other", ["PROVIDER_ERROR", false]])),
    ];
    for (frames, expected) in table {
        for framing in [Framing::EventStream, Framing::JsonLines] {
            let found = seen(&decode(Provider::BedrockConverse, framing, &frames).0);
            assert_eq!(
                json!([found["calls"][0][3], found["stop"], found["failure"]]),
                expected,
                "{frames:?}"
            );
        }
    }
}

/// A frame without its end is a cut; one that is changed is not.
#[test]
fn a_cut_frame_is_a_cut_stream() {
    let frames =
        [json!({"messageStart": {"role": "assistant"}}), json!({"messageStop": {"stopReason": "end_turn"}})];
    let bytes = support::wire::stream(Framing::EventStream, &frames);
    let code = |bytes: &[u8]| {
        let mut stream =
            Provider::BedrockConverse.stream(AnswerContext::new(Provider::BedrockConverse.issuer("m")));
        stream.feed(bytes, &mut |_| {});
        stream.finish().failure.map(|failure| failure.code())
    };
    assert_eq!(code(&bytes), None);
    assert_eq!(code(&bytes[..bytes.len() - 1]), Some("STREAM_CUT"));
    let mut changed = bytes.clone();
    changed[20] ^= 1;
    assert_eq!(code(&changed), Some("STREAM_BROKEN"));
    let metadata = support::wire::stream(Framing::EventStream, &[json!({"metadata": {}})]);
    assert_eq!(code(&[bytes.as_slice(), &metadata[..9]].concat()), None, "the answer had ended");
}

/// Each recorded stream of Bedrock in the binary frames that it came in.
#[test]
fn recorded_streams_in_binary_frames() {
    let Some(folder) = support::recorded("bedrock-converse") else {
        return support::say("SKIPPED: recorded streams of bedrock-converse (not in CANVAS_DATA)");
    };
    let index = support::read_json(&folder.join("../index.json"));
    let cases = index["cases"].as_array().expect("cases").iter();
    let cases = cases.filter(|case| case["provider"] == "bedrock-converse" && case["streamed"] == true);
    for case in cases {
        let file = folder.join("..").join(case["file"].as_str().expect("a name"));
        let lines = String::from_utf8(support::read_bytes(&file)).expect("text");
        let lines = lines.lines().filter(|line| !line.trim().is_empty());
        let frames: Vec<Value> = lines.map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let (binary, told) = decode(Provider::BedrockConverse, Framing::EventStream, &frames);
        assert_eq!((binary.clone(), told), decode(Provider::BedrockConverse, Framing::JsonLines, &frames));
        assert!(
            binary.failure.is_none()
                && binary.events.iter().all(|event| event.body != Body::Text(String::new()))
        );
    }
}
