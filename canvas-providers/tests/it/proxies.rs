//! Answers as proxies and older hosts bend them: they mean the same as the answers that they were made of.

use canvas_providers::{AnswerContext, Decoded, Provider, StopReason, Verdict};
use canvas_tools::CodedError as _;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support;
use crate::support::made::{Call, body, frames};

fn context(provider: Provider) -> AnswerContext {
    AnswerContext::new(provider.issuer("m"))
}

fn streamed(provider: Provider, frames: &[Value]) -> Decoded {
    let framing = support::framing(provider);
    let mut stream = provider.stream_framed(framing, context(provider));
    stream.feed(&support::wire::stream(framing, frames), &mut |_| {});
    stream.finish()
}

/// The answer whole and streamed.
fn both(provider: Provider, text: &str, calls: &[Call<'_>]) -> [Decoded; 2] {
    let whole = provider.decode(&body(provider, text, calls), &context(provider)).expect("it decodes");
    [whole, streamed(provider, &frames(provider, text, calls))]
}

/// Names, arguments and verdicts.
fn calls_of(decoded: &Decoded) -> Value {
    let calls = decoded
        .calls()
        .map(|call| json!([call.name, call.to_call().map(|call| call.arguments), call.verdict()]));
    json!([decoded.text(), calls.collect::<Vec<_>>(), decoded.failure.as_ref().map(|failure| failure.code())])
}

/// Arguments of one to four calls.
fn arguments() -> impl Strategy<Value = Vec<String>> {
    let object = ("[a-z]{1,4}", "[ -~é😀]{0,8}").prop_map(|(key, text)| json!({key: text}).to_string());
    prop::collection::vec(prop_oneof![object, Just("{}".to_owned())], 1..5)
}

fn provider() -> impl Strategy<Value = Provider> {
    prop::sample::select(Provider::ALL.to_vec())
}

fn made<'a>(arguments: &'a [String]) -> Vec<Call<'a>> {
    let names = [("a", "f"), ("b", "g"), ("c", "f"), ("d", "h")];
    arguments.iter().zip(names).map(|(arguments, (id, name))| Call::new(id, name, arguments)).collect()
}

/// The same JSON with indexes as text.
fn with_indexes_as_text(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(key, value)| match value {
                Value::Number(index) if key.ends_with("ndex") => (key.clone(), index.to_string().into()),
                value => (key.clone(), with_indexes_as_text(value)),
            })
            .collect::<serde_json::Map<_, _>>()
            .into(),
        Value::Array(items) => items.iter().map(with_indexes_as_text).collect(),
        other => other.clone(),
    }
}

fn is_stop(frame: &Value) -> bool {
    frame.get("contentBlockStop").is_some()
        || ["type", "event_type"].iter().any(|kind| {
            matches!(frame.get(*kind).and_then(Value::as_str), Some("content_block_stop" | "step.stop"))
        })
}

proptest! {
    #![proptest_config(support::law())]

    #[test]
    fn null_arguments_are_an_empty_object(provider in provider(), text in "[a-z ]{1,9}", nulls in 1_usize..5, mut more in arguments()) {
        let empty: Vec<String> = (0..nulls).map(|_| "{}".to_owned()).chain(more.drain(..)).take(4).collect();
        let null: Vec<String> = empty.iter().map(|text| if text == "{}" { "null".to_owned() } else { text.clone() }).collect();
        for (expected, found) in both(provider, &text, &made(&empty)).iter().zip(&both(provider, &text, &made(&null))) {
            prop_assert_eq!(calls_of(found), calls_of(expected));
            prop_assert!(found.calls().all(|call| call.verdict() == Verdict::Complete));
        }
    }

    #[test]
    fn indexes_may_be_text(provider in provider(), text in "[a-z ]{1,9}", arguments in arguments()) {
        let frames = frames(provider, &text, &made(&arguments));
        let bent: Vec<Value> = frames.iter().map(with_indexes_as_text).collect();
        prop_assert_eq!(streamed(provider, &bent), streamed(provider, &frames));
    }

    /// The official clients take the start of the same message again, and refuse that of another one.
    #[test]
    fn a_message_may_start_twice(arguments in arguments(), at in any::<prop::sample::Index>()) {
        let mut frames = frames(Provider::Anthropic, "x", &made(&arguments));
        frames[0]["message"]["id"] = json!("msg_1");
        let expected = streamed(Provider::Anthropic, &frames);
        let again = at.index(frames.len() - 1) + 1;
        frames.insert(again, frames[0].clone());
        prop_assert_eq!(streamed(Provider::Anthropic, &frames), expected);
        for id in [json!("msg_2"), Value::Null] {
            frames[again]["message"]["id"] = id;
            let failure = streamed(Provider::Anthropic, &frames).failure.expect("it fails");
            prop_assert_eq!(failure.code(), "RESPONSE_UNEXPECTED");
        }
    }

    #[test]
    fn a_text_of_bedrock_may_have_a_start(arguments in arguments(), start in prop::sample::select(vec![json!({}), json!({"text": ""}), Value::Null])) {
        let provider = Provider::BedrockConverse;
        let mut frames = frames(provider, "x", &made(&arguments));
        let expected = streamed(provider, &frames);
        frames.insert(1, json!({"contentBlockStart": {"contentBlockIndex": 0, "start": start}}));
        prop_assert_eq!(streamed(provider, &frames), expected);
    }

    /// Unless the answer ended otherwise, or their arguments are cut.
    #[test]
    fn calls_without_their_stop_are_whole(
        provider in prop::sample::select(vec![Provider::Anthropic, Provider::BedrockConverse, Provider::GeminiInteractions]),
        arguments in arguments(),
        kept in prop::collection::vec(any::<bool>(), 5),
    ) {
        let mut frames = frames(provider, "x", &made(&arguments));
        let expected = calls_of(&streamed(provider, &frames));
        let mut kept = kept.into_iter().cycle();
        frames.retain(|frame| !is_stop(frame) || kept.next() == Some(true));
        let found = streamed(provider, &frames);
        prop_assert_eq!(found.stop_reason, StopReason::ToolUse);
        prop_assert_eq!(calls_of(&found), expected);
        frames.retain(|frame| !is_stop(frame));
        let cut = frames.iter().rposition(|frame| frame.to_string().contains("delta") && !frame.to_string().contains("message_delta"));
        frames.remove(cut.expect("there are calls"));
        let last = streamed(provider, &frames).calls().last().map(|call| call.verdict());
        prop_assert_eq!(last, Some(Verdict::Truncated));
    }

    /// `function_call`, as it was before there were several calls in an answer.
    #[test]
    fn a_single_call_of_old(arguments in arguments(), is_said_twice: bool, pieces in 1_usize..4) {
        let provider = Provider::OpenAiChat;
        let call = &made(&arguments)[..1];
        let function = json!({"name": "f", "arguments": &arguments[0]});
        let mut whole = body(provider, "x", if is_said_twice { call } else { &[] });
        whole["choices"][0]["message"]["function_call"] = function;
        whole["choices"][0]["finish_reason"] = json!("function_call");
        let whole = provider.decode(&whole, &context(provider)).expect("it decodes");

        let mut stream = frames(provider, "x", if is_said_twice { call } else { &[] });
        let end = stream.len() - 1;
        let delta = |function: Value| json!({"choices": [{"index": 0, "delta": {"function_call": function}}]});
        let chars: Vec<char> = arguments[0].chars().collect();
        let deltas = chars.chunks(chars.len().div_ceil(pieces));
        let deltas = deltas.map(|piece| delta(json!({"arguments": piece.iter().collect::<String>()})));
        let begun = delta(json!({"name": "f", "arguments": ""}));
        stream.splice(end..end, [begun].into_iter().chain(deltas));
        stream.last_mut().expect("an end")["choices"][0]["finish_reason"] = json!("function_call");

        for found in [whole, streamed(provider, &stream)] {
            prop_assert_eq!(found.stop_reason, StopReason::ToolUse);
            prop_assert_eq!(calls_of(&found), calls_of(&both(provider, "x", call)[0]));
            let sent = provider.request(&provider.issuer("m"), "", &[], &found.events, &Default::default());
            prop_assert_eq!(support::faults(provider, &sent.expect("it encodes").body), Vec::<String>::new());
        }
    }
}
