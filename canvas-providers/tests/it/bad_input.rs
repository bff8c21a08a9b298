//! Input that no provider should send, to each provider's reader: an event or an error that says what to do, and no call is
//! dropped, run twice, or run though it is not whole.

use crate::support;

use std::collections::BTreeMap;

use canvas_providers::{
    AnswerContext, DecodeError, Decoded, Event, Framing, LoopAction, LoopOptions, MAX_STREAM_BYTES, Provider,
    RequestOptions, StreamEvent, ToolLoop, Verdict,
};
use canvas_tools::lease::Timestamp;
use canvas_tools::{CodedError as _, ToolReply};
use serde_json::{Value, json};
use support::made::{Call, body, frames, with_news};

/// Two calls that are sound.
const CALLS: [Call<'static>; 2] = [
    Call { id: Some("a1"), name: "f", arguments: "{\"n\":1}" },
    Call { id: Some("a2"), name: "g", arguments: "{\"text\":\"é\\n\"}" },
];

fn context(provider: Provider) -> AnswerContext {
    AnswerContext::new(provider.issuer("m"))
}

fn read(provider: Provider, bytes: &[u8]) -> (Decoded, Vec<String>) {
    let (mut stream, mut unknown) = (provider.stream(context(provider)), Vec::new());
    stream.feed(bytes, &mut |event| {
        if let StreamEvent::Unknown { kind } = event {
            unknown.push(kind.to_owned());
        }
    });
    (stream.finish(), unknown)
}

fn stream(provider: Provider, frames: &[Value]) -> Vec<u8> {
    support::wire::stream(provider.framing(), frames)
}

/// Id, name, arguments and verdict of each call.
fn calls(decoded: &Decoded) -> Value {
    json!(decoded.calls().collect::<Vec<_>>())
}

/// The next request after this answer, once the judge has passed it.
#[track_caller]
fn next_request(provider: Provider, decoded: &Decoded) -> Value {
    let mut history = vec![Event::user("Hi")];
    history.extend(decoded.events.iter().cloned());
    let request = provider.request(&provider.issuer("m"), "", &[], &history, &RequestOptions::default());
    let body = request.expect("the user said something").body;
    assert_eq!(support::faults(provider, &body), Vec::<String>::new(), "{provider}: {body}");
    body
}

/// A frame of this framing whose payload is no JSON.
fn broken_frame(provider: Provider, frame: &Value) -> Vec<u8> {
    match provider.framing() {
        Framing::EventStream => {
            let kind = frame.as_object().and_then(|frame| frame.keys().next()).expect("a kind");
            support::wire::binary(kind, b"{\"broken\": ")
        }
        Framing::Sse => b"data: {\"broken\": \n\n".to_vec(),
        Framing::JsonLines | Framing::JsonArray => b"{\"broken\": \n".to_vec(),
        _ => unreachable!("no other framing is tried"),
    }
}

#[test]
fn a_body_that_is_no_json_says_where() {
    for &provider in Provider::ALL {
        for (bytes, place) in [
            (&b"<html>\n 502"[..], "line 1"),
            (b"{\n \"a\": }", "line 2"),
            (b"", "line 1"),
            (b"\xff", "line 1"),
        ] {
            let error = provider.decode_slice(bytes, &context(provider)).expect_err("no JSON");
            assert_eq!((error.code(), error.is_retryable()), ("RESPONSE_NOT_JSON", true), "{provider}");
            assert!(error.to_string().contains(place), "{provider}: {error}");
        }
    }
}

/// JSON of every kind that is no answer.
#[test]
fn a_body_that_is_no_answer_is_refused() {
    for &provider in Provider::ALL {
        for wrong in
            [json!(null), json!(7), json!("x"), json!([]), json!([[]]), json!({}), json!({"new": {}})]
        {
            let error = provider.decode(&wrong, &context(provider)).expect_err("no answer");
            assert_eq!(
                (error.code(), error.is_retryable()),
                ("RESPONSE_UNEXPECTED", false),
                "{provider}: {wrong}"
            );
        }
    }
}

/// Any frame of a stream may be broken: what came before it is kept, and the failure names the frame.
#[test]
fn a_broken_frame_is_named() {
    for &provider in Provider::ALL {
        let frames = frames(provider, "Hi", &CALLS);
        let (whole, _) = read(provider, &stream(provider, &frames));
        assert_eq!((whole.failure.clone(), whole.text().as_str()), (None, "Hi"), "{provider}");
        for at in 0..frames.len() {
            let mut bytes = stream(provider, &frames[..at]);
            bytes.extend(broken_frame(provider, &frames[at]));
            bytes.extend(stream(provider, &frames[at + 1..]));
            let (decoded, _) = read(provider, &bytes);
            let Some(failure) = decoded.failure.as_ref() else {
                // A binary frame says its kind outside of its payload, and that of the first one is not read.
                assert_eq!((decoded, at), (whole.clone(), 0), "{provider}");
                continue;
            };
            let found = (failure.code(), failure.place().unwrap().into_owned(), failure.is_retryable());
            assert_eq!(found, ("RESPONSE_NOT_JSON", format!("/{at}"), true), "{provider}");
            let known = calls(&whole);
            for call in decoded.calls().filter(|call| call.verdict() == Verdict::Complete) {
                assert!(
                    known.as_array().is_some_and(|known| known.contains(&json!(call))),
                    "{provider}: {call:?}"
                );
            }
            next_request(provider, &decoded);
        }
    }
}

/// A stream that ends at any byte is reported, unless the answer had ended; a call that it cuts is never complete.
#[test]
fn a_stream_may_end_anywhere() {
    for &provider in Provider::ALL {
        let bytes = stream(provider, &frames(provider, "Hi", &CALLS));
        let (whole, _) = read(provider, &bytes);
        let known = calls(&whole);
        for end in 0..bytes.len() {
            let (cut, _) = read(provider, &bytes[..end]);
            match &cut.failure {
                Some(failure) => assert!(failure.is_retryable(), "{provider} cut at {end}: {failure}"),
                None => assert!(cut.raw_stop_reason.is_some(), "{provider} cut at {end}"),
            }
            for call in cut.calls().filter(|call| call.verdict() == Verdict::Complete) {
                assert!(
                    known.as_array().is_some_and(|known| known.contains(&json!(call))),
                    "{provider} cut at {end}"
                );
            }
            next_request(provider, &cut);
        }
    }
}

#[test]
fn unknown_fields_change_no_call() {
    for &provider in Provider::ALL {
        let (made, sent) = (body(provider, "Hi", &CALLS), frames(provider, "Hi", &CALLS));
        let whole = provider.decode(&made, &context(provider)).expect("decodes");
        let (streamed, _) = read(provider, &stream(provider, &sent));
        assert_eq!(calls(&streamed), calls(&whole), "{provider}");
        assert_eq!(whole.calls().count(), CALLS.len(), "{provider}");

        let decoded = provider.decode(&with_news(provider, &made), &context(provider)).expect("decodes");
        assert_eq!((calls(&decoded), decoded.text()), (calls(&whole), whole.text()), "{provider}");
        assert!(json!(decoded.events).to_string().contains("zz_new"), "{provider}: what is new is kept");
        next_request(provider, &decoded);

        let sent: Vec<Value> = sent.iter().map(|frame| with_news(provider, frame)).collect();
        let (decoded, _) = read(provider, &stream(provider, &sent));
        assert_eq!(decoded.failure, None, "{provider}");
        assert_eq!((calls(&decoded), decoded.text()), (calls(&whole), whole.text()), "{provider}");
        next_request(provider, &decoded);
    }
}

/// An event that nobody knows, between any two, is reported and changes nothing.
#[test]
fn unknown_events_are_told() {
    for &provider in Provider::ALL {
        let news = match provider {
            Provider::GeminiInteractions => json!({"event_type": "new.kind", "a": [1]}),
            Provider::BedrockConverse => json!({"newKind": {"a": [1]}}),
            Provider::Ollama | Provider::OpenAiChat | Provider::Gemini => json!({"new": {"a": [1]}}),
            Provider::Anthropic | Provider::OpenAiResponses => json!({"type": "new.kind", "a": [1]}),
            _ => unreachable!("no other provider is tried"),
        };
        let frames = frames(provider, "Hi", &CALLS);
        let (whole, _) = read(provider, &stream(provider, &frames));
        for at in 0..frames.len() {
            let mut with = frames.clone();
            with.insert(at, news.clone());
            let (decoded, unknown) = read(provider, &stream(provider, &with));
            assert_eq!(decoded, whole, "{provider} before {at}");
            // A chunk of Gemini has no kind, and each may have new fields.
            assert_eq!(unknown.len(), usize::from(provider != Provider::Gemini), "{provider} before {at}");
        }
    }
}

/// What keeps connections open, and what proxies add, between any two frames.
#[test]
fn noise_between_frames_changes_nothing() {
    for &provider in Provider::ALL {
        let noise: &[&str] = match provider.framing() {
            Framing::Sse => &[
                ": ping\n\n",
                "\n\r\n",
                "retry: 5\nid: 7\n\n",
                "event: x\n\n",
                "unknown: y\n\n",
                "\u{feff}: z\n\n",
            ],
            Framing::JsonLines => &["\n", " \r\n", "\t\n\n"],
            // A binary frame of which only its headers are known.
            Framing::EventStream | Framing::JsonArray => &[],
            _ => unreachable!("no other framing is tried"),
        };
        let frames = frames(provider, "Hi", &CALLS);
        let (whole, _) = read(provider, &stream(provider, &frames));
        for noise in noise {
            let mut bytes = noise.as_bytes().to_vec();
            for frame in &frames {
                bytes.extend(stream(provider, std::slice::from_ref(frame)));
                bytes.extend(noise.as_bytes());
            }
            assert_eq!(read(provider, &bytes).0, whole, "{provider} with {noise:?}");
        }
    }
}

/// Garbage between frames ends the stream with an error that names the place; Responses repeats each item whole.
#[test]
fn garbage_between_frames_is_an_error() {
    for &provider in Provider::ALL {
        let garbage: &[u8] = match provider.framing() {
            Framing::Sse => b"data: \xff\xfe{\n\n",
            Framing::JsonLines => b"\xff\xfe{\n",
            Framing::EventStream | Framing::JsonArray => b"HTTP/1.1 502 Bad Gateway\r\n\r\n",
            _ => unreachable!("no other framing is tried"),
        };
        let frames = frames(provider, "Hi", &CALLS);
        for at in 0..frames.len() {
            let bytes =
                [&stream(provider, &frames[..at]), garbage, &stream(provider, &frames[at..])].concat();
            let failure = read(provider, &bytes).0.failure.expect("it broke");
            assert!(
                matches!(failure.code(), "RESPONSE_NOT_JSON" | "STREAM_BROKEN"),
                "{provider} at {at}: {failure}"
            );
            assert!(failure.is_retryable(), "{provider} at {at}");
            assert!(failure.to_string().contains(&at.to_string()), "{provider} at {at}: {failure}");
        }
    }
}

/// Calls without an id, or with the same one: each runs once, and is answered once.
#[test]
fn ids_that_are_missing_or_twice() {
    for &provider in Provider::ALL {
        for ids in [[None, None], [Some(""), Some("")], [Some("x"), Some("x")], [None, Some("x")]] {
            let made: Vec<Call<'_>> =
                ids.iter().zip(&CALLS).map(|(id, call)| Call { id: *id, ..call.clone() }).collect();
            let whole = provider.decode(&body(provider, "Hi", &made), &context(provider)).expect("decodes");
            let (streamed, _) = read(provider, &stream(provider, &frames(provider, "Hi", &made)));
            for decoded in [whole, streamed] {
                assert_eq!(decoded.failure, None, "{provider} {ids:?}");
                let names: Vec<&str> = decoded.calls().map(|call| call.name.as_str()).collect();
                assert_eq!(names, ["f", "g"], "{provider} {ids:?}");
                run_each_once(provider, decoded);
            }
        }
    }
}

/// Runs the calls of an answer in a loop, and looks at the request after them.
fn run_each_once(provider: Provider, decoded: Decoded) {
    let now = Timestamp::from_millis(1_000);
    let mut turn = ToolLoop::new(LoopOptions::default(), vec![Event::user("Go")]);
    assert_eq!(turn.poll(now), LoopAction::SendRequest);
    turn.on_response(decoded).expect("a request is under way");
    let mut runs = BTreeMap::new();
    loop {
        match turn.poll(now) {
            LoopAction::RunCalls(calls) => {
                for call in calls {
                    *runs.entry(call.name.clone()).or_insert(0) += 1;
                    turn.on_reply(&call.id, ToolReply::new(json!({"ok": true, "ran": call.name})))
                        .expect("is open");
                }
            }
            LoopAction::SendRequest => break,
            other => panic!("{provider}: {other:?}"),
        }
    }
    assert_eq!(runs, BTreeMap::from([("f".to_owned(), 1), ("g".to_owned(), 1)]), "{provider}");
    let request = provider.request(&provider.issuer("m"), "", &[], turn.events(), &RequestOptions::default());
    let body = request.expect("encodes").body;
    assert_eq!(support::faults(provider, &body), Vec::<String>::new(), "{provider}: {body}");
    let sent = body.to_string();
    for name in ["f", "g"] {
        let answered = sent.matches(&format!("\"ran\":\"{name}\"")).count()
            + sent.matches(&format!("\\\"ran\\\":\\\"{name}\\\"")).count();
        assert_eq!(answered, 1, "{provider}: {sent}");
    }
}

/// Arguments that are JSON but no object, and such as are no JSON.
#[test]
fn arguments_that_are_no_object_never_run() {
    for &provider in Provider::ALL {
        for arguments in
            ["[]", "[{\"n\":1}]", "7", "true", "\"{}\"", "{}{}", "{\"n\":1}]", "{n:1}", "nonsense"]
        {
            let made = [Call::new("a1", "f", arguments), CALLS[1].clone()];
            let whole = provider.decode(&body(provider, "Hi", &made), &context(provider)).expect("decodes");
            let (streamed, _) = read(provider, &stream(provider, &frames(provider, "Hi", &made)));
            for decoded in [whole, streamed] {
                let verdicts: Vec<Verdict> = decoded.calls().map(|call| call.verdict()).collect();
                assert_eq!(verdicts, [Verdict::Malformed, Verdict::Complete], "{provider} {arguments}");
                next_request(provider, &decoded);
            }
        }
    }
}

/// JSON that is nested deeper than anything may be: in a field that is skipped, in one that is kept, and in arguments.
#[test]
fn deep_nesting_is_skipped_or_refused() {
    const LEVELS: usize = 100_000;
    let deep = format!("{}{}", "[".repeat(LEVELS), "]".repeat(LEVELS));
    for &provider in Provider::ALL {
        // What serde_json reads as a value has its own limit.
        let text = body(provider, "Hi", &CALLS).to_string();
        let with = format!("{},\"zz_new\":{deep}}}", &text[..text.len() - 1]);
        let error = provider.decode_slice(with.as_bytes(), &context(provider)).expect_err("too deep");
        assert_eq!(error.code(), "RESPONSE_NOT_JSON", "{provider}");
        let shallow =
            format!("{},\"zz_new\":{}{}}}", &text[..text.len() - 1], "[".repeat(127), "]".repeat(127));
        let error = provider.decode_slice(shallow.as_bytes(), &context(provider)).err();
        assert!(error.is_none_or(|error| matches!(error.code(), "RESPONSE_TOO_LARGE" | "RESPONSE_NOT_JSON")));

        let arguments = format!("{{\"deep\":{deep}}}");
        let made = [Call::new("a1", "f", &arguments)];
        for frame in frames(provider, "Hi", &made) {
            let text = frame.to_string();
            let with = if provider.framing() == Framing::EventStream {
                text
            } else {
                format!("{},\"zz_new\":{deep}}}", &text[..text.len() - 1])
            };
            let bytes = match provider.framing() {
                Framing::EventStream => stream(provider, &[frame]),
                Framing::Sse => format!("data: {with}\n\n").into_bytes(),
                Framing::JsonLines | Framing::JsonArray => format!("{with}\n").into_bytes(),
                _ => unreachable!("no other framing is tried"),
            };
            read(provider, &bytes);
        }
        let (decoded, _) = read(provider, &stream(provider, &frames(provider, "Hi", &made)));
        assert!(decoded.calls().all(|call| call.verdict() != Verdict::Complete), "{provider}");
        // It goes back as it came, so deep that the judge does not read it.
        let history = [vec![Event::user("Hi")], decoded.events].concat();
        provider
            .request(&provider.issuer("m"), "", &[], &history, &RequestOptions::default())
            .expect("encodes");
    }
}

/// Errors as the endpoints answer them with a status of 4xx or 5xx: the kind, and whether to try again.
#[test]
fn error_bodies() {
    use Provider::{
        Anthropic, BedrockConverse, Gemini, GeminiInteractions, Ollama, OpenAiChat, OpenAiResponses,
    };
    let anthropic =
        |kind: &str| json!({"type": "error", "error": {"type": kind, "message": "m"}, "request_id": "r"});
    let openai = |kind: &str, code: Value| json!({"error": {"message": "m", "type": kind, "param": null, "code": code}});
    let google = |code: u64, status: &str| json!({"error": {"code": code, "message": "m", "status": status, "details": [{"@type": "t", "reason": "R"}]}});
    let table = [
        (Anthropic, anthropic("invalid_request_error"), "invalid_request_error", false),
        (Anthropic, anthropic("authentication_error"), "authentication_error", false),
        (Anthropic, anthropic("permission_error"), "permission_error", false),
        (Anthropic, anthropic("not_found_error"), "not_found_error", false),
        (Anthropic, anthropic("request_too_large"), "request_too_large", false),
        (Anthropic, anthropic("rate_limit_error"), "rate_limit_error", true),
        (Anthropic, anthropic("api_error"), "api_error", true),
        (Anthropic, anthropic("overloaded_error"), "overloaded_error", true),
        (
            OpenAiResponses,
            openai("invalid_request_error", json!("unsupported_parameter")),
            "unsupported_parameter",
            false,
        ),
        (
            OpenAiResponses,
            openai("invalid_request_error", json!("invalid_api_key")),
            "invalid_api_key",
            false,
        ),
        (
            OpenAiResponses,
            openai("insufficient_quota", json!("insufficient_quota")),
            "insufficient_quota",
            false,
        ),
        (OpenAiResponses, openai("tokens", json!("rate_limit_exceeded")), "rate_limit_exceeded", true),
        (OpenAiResponses, openai("server_error", Value::Null), "server_error", true),
        (
            OpenAiChat,
            openai("invalid_request_error", json!("context_length_exceeded")),
            "invalid_request_error",
            false,
        ),
        (OpenAiChat, openai("invalid_request_error", Value::Null), "invalid_request_error", false),
        (OpenAiChat, openai("insufficient_quota", json!("insufficient_quota")), "insufficient_quota", false),
        (OpenAiChat, openai("requests", json!("rate_limit_exceeded")), "requests", true),
        (OpenAiChat, openai("server_error", Value::Null), "server_error", true),
        (
            OpenAiChat,
            json!({"error": {"message": "m", "code": 402, "metadata": {}}, "user_id": "u"}),
            "402",
            false,
        ),
        (
            OpenAiChat,
            json!({"object": "error", "message": "m", "type": "invalid_request", "param": null, "code": null}),
            "invalid_request",
            false,
        ),
        (Ollama, json!({"error": "model 'x' not found"}), "error", false),
        (Ollama, json!({"error": "registry.ollama.ai/library/x does not support tools"}), "error", false),
        (
            Ollama,
            json!({"error": "server busy, please try again.  maximum pending requests exceeded"}),
            "error",
            true,
        ),
        (Gemini, google(400, "INVALID_ARGUMENT"), "INVALID_ARGUMENT", false),
        (Gemini, google(403, "PERMISSION_DENIED"), "PERMISSION_DENIED", false),
        (Gemini, google(404, "NOT_FOUND"), "NOT_FOUND", false),
        (Gemini, google(429, "RESOURCE_EXHAUSTED"), "RESOURCE_EXHAUSTED", true),
        (Gemini, google(503, "UNAVAILABLE"), "UNAVAILABLE", true),
        (GeminiInteractions, google(400, "INVALID_ARGUMENT"), "INVALID_ARGUMENT", false),
        (
            GeminiInteractions,
            json!({"error": {"code": "invalid_request", "message": "m"}}),
            "invalid_request",
            false,
        ),
        (GeminiInteractions, google(429, "RESOURCE_EXHAUSTED"), "RESOURCE_EXHAUSTED", true),
        (
            BedrockConverse,
            json!({"__type": "ValidationException", "message": "m"}),
            "ValidationException",
            false,
        ),
        (
            BedrockConverse,
            json!({"__type": "com.amazon.coral.service#ThrottlingException", "message": "m"}),
            "ThrottlingException",
            true,
        ),
    ];
    for (provider, body, kind, again) in table {
        let check = |error: Option<DecodeError>| {
            let Some(DecodeError::Provider { kind: found, message, retryable }) = error else {
                panic!("{provider}: {body}: {error:?}");
            };
            assert_eq!((found.as_str(), retryable), (kind, again), "{provider}: {body}");
            assert!(message == "m" || provider == Ollama, "{provider}: {body}");
        };
        check(provider.decode(&body, &context(provider)).err());
        if provider.framing() != Framing::EventStream {
            check(read(provider, &stream(provider, std::slice::from_ref(&body))).0.failure);
        }
    }
}

/// A stream without an end is refused where it is over its limit, though each of its frames is small and says nothing.
#[test]
fn a_stream_over_its_limit_ends() {
    const BLOCK: usize = 1 << 20;
    for &provider in Provider::ALL {
        let block = match provider.framing() {
            Framing::Sse => format!(": {}\n\n", "x".repeat(BLOCK)).into_bytes(),
            Framing::JsonLines | Framing::JsonArray => {
                format!("{{\"done\":false,\"x\":\"{}\"}}\n", "x".repeat(BLOCK)).into_bytes()
            }
            Framing::EventStream => support::wire::binary("news", &vec![b'x'; BLOCK]),
            _ => unreachable!("no other framing is tried"),
        };
        let mut stream = provider.stream(context(provider));
        let mut fed = 0;
        while !stream.is_over() {
            stream.feed(&block, &mut |_| {});
            fed += block.len();
            assert!(fed <= MAX_STREAM_BYTES + block.len(), "{provider}");
        }
        let failure = stream.finish().failure.expect("too long");
        let found = (failure.code(), failure.place(), failure.is_retryable());
        assert_eq!(found, ("RESPONSE_TOO_LARGE", Some("".into()), false), "{provider}");
        assert!(fed > MAX_STREAM_BYTES, "{provider}: {fed}");
    }
}
