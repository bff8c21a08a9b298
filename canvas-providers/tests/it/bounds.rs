//! What bounds a turn, and what becomes of answers that are not whole.

use crate::support;

use canvas_providers::{
    Arguments, DecodeError, Decoded, DecodedCall, LoopAction, LoopOptions, Outcome, StopReason, StreamEvent,
    Usage,
};
use canvas_tools::CodedError as _;
use serde_json::json;

use support::host::{Host, acquired, answer, at, call, done, lease};

const TOKENS: Usage = Usage {
    input_tokens: 100,
    cache_read_tokens: 40,
    cache_write_tokens: 0,
    output_tokens: 10,
    reasoning_tokens: 5,
};

fn costly(decoded: Decoded) -> Decoded {
    Decoded { usage: TOKENS, ..decoded }
}

fn truncated(id: &str) -> DecodedCall {
    DecodedCall { id: id.to_owned(), name: "f".to_owned(), arguments: Arguments::Truncated }
}

fn cut() -> DecodeError {
    DecodeError::Cut { frames: 3 }
}

fn provider_error(kind: &str, message: &str) -> DecodeError {
    DecodeError::Provider { kind: kind.to_owned(), message: message.to_owned(), retryable: false }
}

#[test]
fn usage_adds_up_over_answers_and_failed_attempts() {
    let mut host = Host::new(8);
    assert_eq!(host.poll(), LoopAction::SendRequest);
    host.turn.on_retry("STREAM_CUT", TOKENS).expect("a request is under way");
    host.turn.on_response(costly(answer(StopReason::End, &[]))).expect("a request is under way");
    assert_eq!(host.leave(), Outcome::Completed);
    let total = host.turn.usage();
    assert_eq!((total.input_tokens, total.cache_read_tokens, total.output_tokens), (200, 80, 20));
    assert!(host.turn.on_retry("STREAM_CUT", TOKENS).is_err(), "no request is under way");
    let log = serde_json::to_value(host.turn.log()).expect("serialises");
    assert_eq!((&log[1]["did"], &log[1]["code"]), (&json!("retry"), &json!("STREAM_CUT")));
    assert_eq!(log[2]["usage"]["output_tokens"], 10);
}

/// Each answer takes 110 tokens.
#[test]
fn the_last_calls_run_when_the_tokens_are_used() {
    for (max_tokens, requests) in [(None, 5), (Some(0), 0), (Some(1), 1), (Some(110), 1), (Some(111), 2)] {
        let mut host = Host::with(LoopOptions { max_tokens, max_steps: 5, ..LoopOptions::default() });
        let mut sent = 0;
        let outcome = loop {
            match host.poll() {
                LoopAction::SendRequest => {
                    sent += 1;
                    let calls = [call("a", "f", json!({}))];
                    host.turn.on_response(costly(answer(StopReason::ToolUse, &calls))).expect("asked");
                }
                LoopAction::RunCalls(calls) => host.turn.on_reply(&calls[0].id, done()).expect("is open"),
                LoopAction::Done(outcome) => break outcome,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(sent, requests, "{max_tokens:?}");
        let bound = if max_tokens.is_none() { Outcome::MaxSteps } else { Outcome::MaxTokens };
        assert_eq!(outcome, bound, "{max_tokens:?}");
        assert_eq!(host.failures(), Vec::<String>::new());
    }
}

/// An answer that ends the turn by itself ends it so, whatever it cost.
#[test]
fn a_last_answer_over_the_tokens_is_complete() {
    let mut host = Host::with(LoopOptions { max_tokens: Some(1), ..LoopOptions::default() });
    assert_eq!(host.poll(), LoopAction::SendRequest);
    host.turn.on_response(costly(answer(StopReason::End, &[]))).expect("asked");
    assert_eq!(host.leave(), Outcome::Completed);
}

#[test]
fn answers_that_advance_nothing_are_bounded() {
    let cases: [(StopReason, &[DecodedCall], &str); 3] = [
        (StopReason::Pause, &[], "paused"),
        (StopReason::Length, &[truncated("a")], "truncated"),
        (StopReason::ToolUse, &[call("a", "f", json!([]))], "unusable"),
    ];
    for (stop_reason, calls, outcome) in cases {
        let mut host = Host::with(LoopOptions { max_steps: 20, max_stalls: 2, ..LoopOptions::default() });
        host.check_out();
        for _ in 0..2 {
            host.answer(stop_reason, calls);
        }
        // An answer that advances the turn begins the count anew.
        host.answer(StopReason::ToolUse, &[call("ok", "f", json!({}))]);
        host.reply(&[("ok", done())]);
        for _ in 0..3 {
            host.answer(stop_reason, calls);
        }
        assert_eq!(host.leave().name(), outcome);
        assert_eq!(host.actions.iter().filter(|act| *act == "send").count(), 7);
        assert!(host.actions.contains(&"release lease-1-0".to_owned()));
        host.failures();
    }
}

#[test]
fn a_full_context_ends_the_turn_once_its_calls_have_run() {
    let mut host = Host::new(8);
    host.check_out();
    host.answer(StopReason::ContextFull, &[call("a", "f", json!({})), truncated("b")]);
    host.reply(&[("a", done())]);
    assert_eq!(host.leave(), Outcome::ContextOverflow);
    assert_eq!(host.failures(), ["CALL_TRUNCATED"]);

    let mut host = Host::new(8);
    host.answer(StopReason::ContextFull, &[]);
    assert_eq!(host.leave(), Outcome::ContextOverflow);
}

#[test]
fn errors_that_mean_a_full_context() {
    let rows = [
        ("invalid_request_error", "prompt is too long: 215000 tokens > 200000 maximum", true),
        ("invalid_request_error", "input length and `max_tokens` exceed context limit: 1 + 2 > 3", true),
        ("context_length_exceeded", "Your input exceeds the context window of this model.", true),
        ("invalid_request_error", "This model's maximum context length is 8192 tokens.", true),
        (
            "INVALID_ARGUMENT",
            "The input token count (9) exceeds the maximum number of tokens allowed (8).",
            true,
        ),
        ("ValidationException", "Input is too long for requested model.", true),
        ("request_too_large", "Request exceeds the maximum size", true),
        ("invalid_request_error", "messages: text content blocks must be non-empty", false),
        ("rate_limit_error", "This request would exceed your organization's rate limit of tokens", false),
        (
            "invalid_request_error",
            "max_tokens: 9 > 8, which is the maximum allowed number of output tokens",
            false,
        ),
    ];
    for (kind, message, full) in rows {
        let error = provider_error(kind, message);
        let mut host = Host::new(8);
        assert_eq!(host.poll(), LoopAction::SendRequest);
        host.turn.on_unusable(&error).expect("a request is under way");
        let expected = if full { "context_overflow" } else { "unusable" };
        assert_eq!(host.leave().name(), expected, "{message}");

        let mut host = Host::new(8);
        assert_eq!(host.poll(), LoopAction::SendRequest);
        let broken = Decoded { failure: Some(error), ..answer(StopReason::Other, &[]) };
        host.turn.on_response(broken).expect("a request is under way");
        let expected = if full { "context_overflow" } else { "broken" };
        assert_eq!(host.leave().name(), expected, "{message}");
    }
}

#[test]
fn of_an_answer_that_broke_off_no_call_runs() {
    let mut host = Host::new(8);
    host.check_out();
    assert_eq!(host.poll(), LoopAction::SendRequest);
    let calls = [call("a", "f", json!({})), call("b", "f", json!([])), truncated("c")];
    let broken = Decoded { failure: Some(cut()), ..answer(StopReason::ToolUse, &calls) };
    host.turn.on_response(broken).expect("a request is under way");
    let Outcome::Broken { code, retryable, .. } = host.leave() else { panic!("the answer broke off") };
    assert_eq!((code, retryable), ("STREAM_CUT", true));
    assert_eq!(host.failures(), ["ANSWER_BROKEN", "CALL_MALFORMED", "CALL_TRUNCATED"]);
    assert!(host.actions.contains(&"release lease-1-0".to_owned()));
}

#[test]
fn whether_an_answer_that_cannot_be_read_is_worth_another_request() {
    for (error, again) in [(cut(), true), (provider_error("not_found_error", "model: m"), false)] {
        let mut host = Host::new(8);
        assert_eq!(host.poll(), LoopAction::SendRequest);
        host.turn.on_unusable(&error).expect("a request is under way");
        let outcome = host.leave();
        assert!(matches!(outcome, Outcome::Unusable { retryable, .. } if retryable == again), "{outcome:?}");
    }
}

/// What a request is under way for, piece by piece, and what becomes of the lease at the time of its renewal.
#[test]
fn no_lease_is_held_while_the_model_narrates() {
    let text = |delta| StreamEvent::Text { part: 0, delta };
    let thinking = StreamEvent::Thinking { part: 0, delta: "Hm." };
    let called = StreamEvent::Call { part: 1, id: "a", name: "f" };
    let cases: [(&[StreamEvent<'_>], &str); 6] = [
        (&[], "renew lease-1-0"),
        (&[thinking], "renew lease-1-0"),
        (&[text("\n")], "renew lease-1-0"),
        (&[thinking, text("I have")], "release lease-1-0"),
        (&[text("First"), called], "renew lease-1-0"),
        (&[text("First"), called, text("Then")], "renew lease-1-0"),
    ];
    for (events, expected) in cases {
        let mut host = Host::new(8);
        host.check_out();
        assert_eq!(host.poll(), LoopAction::SendRequest);
        events.iter().for_each(|event| host.turn.on_stream_event(event));
        assert_eq!(host.poll(), LoopAction::Wait { until: Some(at(6_000)) });
        host.now = at(6_000);
        drop(host.poll());
        assert_eq!(host.actions.last().map(String::as_str), Some(expected), "{events:?}");
    }
}

#[test]
fn a_lease_that_was_released_for_a_narrative_is_not_released_again() {
    let mut host = Host::new(8);
    host.check_out();
    assert_eq!(host.poll(), LoopAction::SendRequest);
    host.turn.on_stream_event(&StreamEvent::Text { part: 0, delta: "So" });
    host.now = at(6_000);
    assert_eq!(host.poll(), LoopAction::ReleaseLease { lease_id: lease(1) });
    host.turn.on_released(lease(1)).expect("was asked for");
    assert_eq!(host.poll(), LoopAction::Wait { until: None });
    host.turn.on_response(answer(StopReason::ToolUse, &[call("o", "f", json!({}))])).expect("asked");
    host.reply(&[("o", acquired(2, host.now))]);
    // The next answer begins in silence.
    assert_eq!(host.poll(), LoopAction::SendRequest);
    host.now = at(11_000);
    assert_eq!(host.poll(), LoopAction::RenewLease { lease_id: lease(2) });
    host.turn.on_response(answer(StopReason::End, &[])).expect("asked");
    assert_eq!(host.leave(), Outcome::Completed);
    let releases: Vec<_> = host.actions.iter().filter(|act| act.starts_with("release")).collect();
    assert_eq!(releases, ["release lease-1-0", "release lease-2-0"]);
}

#[test]
fn calls_that_the_host_never_begins_are_answered() {
    let mut host = Host::new(8);
    host.answer(StopReason::ToolUse, &[call("a", "f", json!({})), call("b", "f", json!({}))]);
    host.reply(&[("a", done())]);
    host.turn.on_not_run("b").expect("was handed out");
    assert_eq!(host.turn.on_not_run("b").map_err(|error| error.code()), Err("LOOP_ALREADY_ANSWERED"));
    host.answer(StopReason::ToolUse, &[call("c", "f", json!({}))]);
    host.reply(&[]);
    host.turn.interrupt(canvas_providers::Interruption::Cancel);
    host.turn.on_not_run("c").expect("was handed out");
    let waits = host.actions.len();
    assert_eq!(host.leave().name(), "interrupted");
    assert_eq!(host.actions[waits..], ["done interrupted".to_owned()], "nothing is awaited");
    assert_eq!(host.failures(), ["CALL_INTERRUPTED", "CALL_INTERRUPTED"]);
}
