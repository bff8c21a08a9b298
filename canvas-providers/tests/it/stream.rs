//! Recorded streams in, events out, however their bytes are cut.

use crate::support;

use canvas_providers::{AnswerContext, Body, Decoded, Event, Provider, Role, StreamEvent, Verdict};
use proptest::prelude::RngCore as _;
use proptest::test_runner::{RngAlgorithm, TestRng};
use serde_json::{Value, json};

/// Places at which a stream is cut: each of a short one; of a longer one so many, or with `CANVAS_CORPUS=all` 2,000.
const CUTS: usize = 200;

fn cuts() -> usize {
    #[expect(clippy::disallowed_methods, reason = "a test is its own host")]
    let is_all = std::env::var("CANVAS_CORPUS").is_ok_and(|which| which == "all");
    if is_all { 2_000 } else { CUTS }
}

fn decode(provider: Provider, pieces: &[&[u8]]) -> (Decoded, Shown) {
    let (mut stream, mut shown) = (
        provider.stream_framed(support::framing(provider), AnswerContext::new(provider.issuer("m"))),
        Shown::default(),
    );
    for piece in pieces {
        stream.feed(piece, &mut |event| shown.take(event));
    }
    (stream.finish(), shown)
}

/// What somebody sees who shows a stream while it comes.
#[derive(Debug, Default, PartialEq)]
struct Shown {
    text: String,
    thinking: String,
    /// Name and arguments of each call, by part.
    calls: std::collections::BTreeMap<usize, (String, String)>,
}

impl Shown {
    fn take(&mut self, event: StreamEvent<'_>) {
        match event {
            StreamEvent::Text { delta, .. } => self.text.push_str(delta),
            StreamEvent::Thinking { delta, .. } => self.thinking.push_str(delta),
            StreamEvent::Call { part, name, .. } => {
                drop(self.calls.insert(part, (name.to_owned(), String::new())))
            }
            StreamEvent::Arguments { part, delta } => {
                self.calls.get_mut(&part).expect("a call begins before its arguments").1.push_str(delta);
            }
            _ => {}
        }
    }
}

#[test]
fn recorded_streams() {
    for provider in Provider::ALL {
        let Some(folder) = support::recorded(provider.name()) else {
            support::say(&format!("SKIPPED: recorded streams of {provider} (not in CANVAS_DATA)"));
            continue;
        };
        let index = support::read_json(&folder.join("../index.json"));
        let (mut count, mut cuts) = (0, 0);
        for case in index["cases"].as_array().expect("cases") {
            if case["provider"] != provider.name() || case["streamed"] != true {
                continue;
            }
            let file = |key: &str| folder.join("..").join(case[key].as_str().expect("a file name"));
            let id = case["id"].as_str().expect("an id");
            let bytes = support::read_bytes(&file("file"));
            let (decoded, shown) = decode(*provider, &[&bytes]);
            check(id, &decoded, &shown, &support::read_json(&file("expect_file")));
            cuts += check_cuts(id, *provider, &bytes, &(decoded, shown));
            count += 1;
        }
        assert!(count > 0, "the index lists streams of {provider}");
        support::say(&format!("{provider}: {count} recorded streams decoded, cut at {cuts} places"));
    }
}

fn check(id: &str, decoded: &Decoded, shown: &Shown, expect: &Value) {
    let found = serde_json::to_value(decoded).expect("an answer serialises");
    let calls = decoded.calls().map(|call| {
        let call = json!(call);
        json!({"id": call["id"], "name": call["name"], "arguments": call["arguments"]})
    });
    let expected = expect["tool_calls"].as_array().expect("calls").iter().map(|call| {
        json!({"id": call["id"].as_str().unwrap_or_default(), "name": call["name"], "arguments": call["arguments"]})
    });
    assert_eq!(calls.collect::<Vec<_>>(), expected.collect::<Vec<_>>(), "{id}");
    assert_eq!(found["text"], expect["text"], "{id}");
    assert_eq!(shown.text, expect["text"], "{id}");
    assert_eq!(found["thinking"], expect["thinking_present"], "{id}");
    assert_eq!(shown.thinking, expect["thinking_text"].as_str().unwrap_or_default(), "{id}");
    assert_eq!(found["finish"], expect["finish_reason"], "{id}");
    assert_eq!(json!(support::order(decoded)), expect["block_order"], "{id}");
    let fails =
        ["stream_error", "sequence_error"].iter().any(|key| expect.get(key).is_some_and(|e| !e.is_null()))
            || expect["n_unparsable_lines"].as_u64() > Some(0);
    assert_eq!(decoded.failure.is_some(), fails, "{id}: {:?}", decoded.failure);
}

/// The same answer from the same bytes in other pieces; returns how many ways were tried.
fn check_cuts(id: &str, provider: Provider, bytes: &[u8], whole: &(Decoded, Shown)) -> usize {
    let every: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(decode(provider, &every), *whole, "{id}: byte by byte");
    let mut rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let places: Vec<usize> = if bytes.len() <= cuts() {
        (0..=bytes.len()).collect()
    } else {
        (0..cuts()).map(|_| rng.next_u64() as usize % (bytes.len() + 1)).collect()
    };
    for &at in &places {
        let (left, right) = bytes.split_at(at);
        assert_eq!(decode(provider, &[left, right]), *whole, "{id}: cut at {at}");
    }
    places.len() + 1
}

/// A stream that ends anywhere is told, and no call of it that lacks its end is complete.
#[test]
fn recorded_streams_that_end_early() {
    for provider in Provider::ALL {
        let Some(folder) = support::recorded(provider.name()) else { continue };
        let index = support::read_json(&folder.join("../index.json"));
        for case in index["cases"].as_array().expect("cases") {
            if case["provider"] != provider.name() || case["streamed"] != true {
                continue;
            }
            let id = case["id"].as_str().expect("an id");
            let bytes = support::read_bytes(&folder.join("..").join(case["file"].as_str().expect("a name")));
            let (whole, _) = decode(*provider, &[&bytes]);
            let mut rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
            for _ in 0..200 {
                let end = rng.next_u64() as usize % bytes.len();
                let (cut, _) = decode(*provider, &[&bytes[..end]]);
                for call in cut.calls().filter(|call| call.verdict() == Verdict::Complete) {
                    assert!(whole.calls().any(|known| known == call), "{id} cut at {end}: {call:?}");
                }
                assert!(cut.failure.is_some() || cut.raw_stop_reason.is_some(), "{id} cut at {end}");
            }
        }
    }
}

/// What a stream gives goes back as a whole answer would: block by block.
#[test]
fn streamed_parts_go_back() {
    let bytes = concat!(
        "data: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":7,\"cache_read_input_tokens\":3}}}\n\n",
        "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\"}}\n\n",
        "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"s\"}}\n\n",
        "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
        "data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
        "data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hi\"}}\n\n",
        "data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"citations_delta\",\"citation\":{\"n\":1}}}\n\n",
        "data: {\"type\":\"content_block_stop\",\"index\":1}\n\n",
        "data: {\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{}}}\n\n",
        "data: {\"type\":\"content_block_stop\",\"index\":2}\n\n",
        "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":5}}\n\n",
        "data: {\"type\":\"message_stop\"}\n\n",
    );
    let (decoded, _) = decode(Provider::Anthropic, &[bytes.as_bytes()]);
    assert_eq!((decoded.usage.input_tokens, decoded.usage.output_tokens), (10, 5));
    let parts = decoded.events.iter().map(|event| event.envelope.as_ref().expect("kept").parts[0].clone());
    assert_eq!(
        parts.collect::<Vec<_>>(),
        [
            json!({"type": "thinking", "thinking": "", "signature": "s"}),
            json!({"type": "text", "text": "Hi", "citations": [{"n": 1}]}),
            json!({"type": "tool_use", "id": "t", "name": "f", "input": {}}),
        ]
    );
    assert!(decoded.events.iter().all(|event| event.role == Role::Assistant));
    let is_call = |event: &&Event| matches!(event.body, Body::ToolCall(_));
    assert_eq!(decoded.events.iter().filter(is_call).count(), 1);
}
