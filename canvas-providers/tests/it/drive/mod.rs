//! A turn that drives itself: requests, retries, renewals, and what is left wherever its future is dropped.

use crate::support;
mod world;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use canvas_providers::{Body, Event, Interruption, Outcome, Provider, RequestOptions, Retries, TurnGuard};
use serde_json::json;

use world::{Driven, Served, Setting, Step, TEXT, World, executor, run_for, stream, text, tool};

const EDITED: &str = "# List\n\n- one\n- two\n";

/// Two answers with calls that edit, and a last one with text: over twelve seconds for each block, with a failure before the
/// second answer, and a lost acknowledgement of the first commit.
fn story() -> Setting {
    let lease = json!({"lease_id": "lease-1-0"});
    let patch = json!({"lease_id": "lease-1-0", "patch": "@@\n - one\n+- two\n"});
    let mut cut = stream("tool_use", &[text("I begin"), tool("gone", "canvas_read_all", lease.clone())], 0);
    cut.truncate(6);
    cut.push(Step::Reset);
    let overloaded = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    Setting {
        script: vec![
            Served::Stream(stream(
                "tool_use",
                &[text("I take it."), tool("out", "canvas_check_out", json!({}))],
                500,
            )),
            Served::Error(529, None, overloaded),
            Served::Stream(cut),
            Served::Stream(stream(
                "tool_use",
                &[tool("read", "canvas_read_all", lease), tool("patch", "canvas_apply_patch", patch)],
                12_000,
            )),
            Served::Whole(json!({"stop_reason": "end_turn", "content": [text("Done.")]})),
        ],
        lose: 5,
        ..Setting::default()
    }
}

/// The history makes a valid request as it is, and each call in it is answered once.
fn check_history(events: &[Event], at: usize) {
    let issuer = support::issuer();
    let request = Provider::Anthropic.request(&issuer, "", &[], events, &RequestOptions::default());
    let faults = support::judge::faults(&request.expect("encodes").body);
    assert!(faults.is_empty(), "dropped at {at}: {faults:?}");
    for call in events.iter().filter_map(Event::call) {
        let answers = events.iter().filter(|event| match &event.body {
            Body::ToolResult(result) => result.call_id.as_ref() == Some(&call.id),
            _ => false,
        });
        assert_eq!(answers.count(), 1, "dropped at {at}: {}", call.id);
    }
}

/// How the turn ends that is interrupted now: as it has ended, where only leases are left to release.
fn ending(told: &[String]) -> Outcome {
    if told.iter().any(|told| told == "end") {
        return Outcome::Completed;
    }
    Outcome::Interrupted { cause: Interruption::Cancel }
}

/// How many polls the story takes where nobody disturbs it.
fn polls_of(setting: &Setting) -> usize {
    let mut world = World::new(setting);
    let (mut polls, clock) = (0, Arc::clone(&world.clock));
    let mut run = std::pin::pin!(world.turn.run());
    executor(&clock, usize::MAX, |cx| {
        polls += 1;
        run.as_mut().poll(cx)
    });
    polls
}

#[test]
fn a_turn_with_failures_in_passing_comes_to_its_end() {
    let mut world = World::new(&story());
    assert_eq!(world.run(), Outcome::Completed);
    assert_eq!(world.snapshot().text(), EDITED);
    assert!(!world.is_locked());
    check_history(world.turn.events(), 0);
    let told = world.told();
    for (line, count) in [
        ("retry PROVIDER_ERROR after 250ms", 1),
        ("retry STREAM_CUT after 500ms", 1),
        ("out ok", 1),
        ("read ok", 1),
        ("patch ok", 1),
        ("release", 1),
        ("end", 1),
    ] {
        assert_eq!(told.iter().filter(|told| *told == line).count(), count, "{line}: {told:#?}");
    }
    assert!(told.iter().filter(|told| *told == "renew").count() >= 4, "{told:#?}");
    // The first commit was done and not acknowledged: the same call under its id brought the answer.
    assert_eq!(world.begun().into_values().collect::<Vec<_>>(), [2, 1, 1]);
    // Both answers that were used, and what came of the one that was cut.
    assert_eq!((world.turn.usage().input_tokens, world.turn.usage().output_tokens), (30, 41));
    assert_eq!(world.requests().len(), 5);
    assert_eq!(world.run(), Outcome::Completed, "the end stays");
}

#[test]
fn a_future_that_is_dropped_anywhere_is_made_again_and_goes_on() {
    let mut undisturbed = World::new(&story());
    assert_eq!(undisturbed.run(), Outcome::Completed);
    let polls = polls_of(&story());
    assert!(polls > 60, "{polls} places to wait at");
    for at in 0..=polls {
        let mut world = World::new(&story());
        let first = world.run_for(at);
        assert_eq!(first.is_some(), at == polls, "{at}");
        assert_eq!(world.run(), Outcome::Completed, "dropped at {at}");
        assert_eq!(world.turn.events(), undisturbed.turn.events(), "dropped at {at}");
        assert_eq!(world.begun(), undisturbed.begun(), "dropped at {at}");
        assert_eq!(world.snapshot().text(), EDITED, "dropped at {at}");
    }
    support::say(&format!("dropped and gone on at each of {polls} polls"));
}

#[test]
fn an_interruption_anywhere_leaves_no_lease_and_no_half_written_turn() {
    let polls = polls_of(&story());
    let (mut edited, mut locked) = (0, 0);
    for at in 0..polls {
        let mut world = World::new(&story());
        world.run_for(at);
        locked += u32::from(world.is_locked());
        let sent = world.requests().len();
        let expected = ending(&world.told());
        world.turn.interrupt(Interruption::Cancel);
        assert_eq!(world.run(), expected, "dropped at {at}");
        assert!(!world.is_locked(), "dropped at {at}");
        assert_eq!(world.turn.leases().count(), 0, "dropped at {at}");
        assert_eq!(world.requests().len(), sent, "no request after the interruption at {at}");
        check_history(world.turn.events(), at);
        let text = world.snapshot().text().to_owned();
        assert!([TEXT, EDITED].contains(&text.as_str()), "dropped at {at}: {text}");
        edited += u32::from(text == EDITED);
        assert!(world.begun().iter().all(|(id, count)| *count == 1 || id == "out"), "dropped at {at}");
    }
    // The law would say little if it had met only one state.
    assert!(edited > 0 && locked > 10, "{edited} edited, {locked} locked");
    support::say(&format!(
        "interrupted at each of {polls} polls: {locked} held a lease, {edited} had edited"
    ));
}

#[test]
fn a_guard_that_is_dropped_anywhere_hands_the_rest_to_the_host() {
    let polls = polls_of(&story());
    for at in 0..=polls {
        let world = World::new(&story());
        let World { clock, turn, told, .. } = world;
        let rest: Arc<Mutex<Option<Driven>>> = Arc::default();
        let spawned = Arc::clone(&rest);
        let mut guard = TurnGuard::new(turn, move |turn| {
            spawned.lock().expect("no panic").replace(turn);
        });
        let ended = {
            let mut run = std::pin::pin!(guard.run());
            executor(&clock, at, |cx| run.as_mut().poll(cx))
        };
        let expected = ending(&told.lock().expect("no panic"));
        drop(guard);
        let rest = rest.lock().expect("no panic").take();
        assert_eq!(rest.is_none(), ended.is_some(), "dropped at {at}");
        let Some(mut rest) = rest else { continue };
        let outcome = run_for(&clock, &mut rest, usize::MAX);
        assert_eq!(outcome, Some(expected), "dropped at {at}");
        assert_eq!(rest.leases().count(), 0);
        check_history(&rest.into_events(), at);
    }
}

#[test]
fn requests_are_retried_as_the_provider_asks_and_given_up() {
    let error = |status, after, kind: &str| {
        Served::Error(status, after, json!({"type": "error", "error": {"type": kind, "message": "no"}}))
    };
    let done = || Served::Whole(json!({"stop_reason": "end_turn", "content": [text("Done.")]}));
    let page = Served::Error(502, None, json!("<html>Bad Gateway</html>"));
    let lost = |retryable| Served::Lost("no route", retryable);
    let rate = |after| error(429, after, "rate_limit_error");
    // What is served, how the turn ends, and when the requests were sent. The clock begins at 1 s.
    let rows: Vec<(Vec<Served>, &str, &[u64])> = vec![
        (vec![done()], "completed", &[1_000]),
        (vec![rate(Some(7_000)), done()], "completed", &[1_000, 8_000]),
        (vec![rate(None), rate(None), done()], "completed", &[1_000, 1_250, 1_750]),
        (vec![rate(Some(61_000))], "unusable", &[1_000]),
        (vec![rate(None), rate(None), rate(None), rate(None)], "unusable", &[1_000, 1_250, 1_750, 2_750]),
        (vec![page, done()], "completed", &[1_000, 1_250]),
        (vec![lost(true), done()], "completed", &[1_000, 1_250]),
        (vec![lost(false)], "transport_failed", &[1_000]),
        (vec![error(400, None, "invalid_request_error")], "unusable", &[1_000]),
        (vec![error(401, None, "authentication_error")], "unusable", &[1_000]),
        (vec![error(429, None, "billing_error")], "unusable", &[1_000]),
        (vec![Served::Stream(vec![Step::Reset]), done()], "completed", &[1_000, 1_250]),
    ];
    for (script, outcome, times) in rows {
        let mut world = World::new(&Setting { script: script.clone(), ..Setting::default() });
        assert_eq!(world.run().name(), outcome, "{script:?}");
        let sent: Vec<u64> = world.requests().iter().map(|(at, _)| *at).collect();
        assert_eq!(sent, times, "{script:?}");
    }
}

/// What came of an answer that is given up stays in the history, and its calls are answered.
#[test]
fn an_answer_that_is_cut_each_time_is_given_up() {
    let mut cut = stream("tool_use", &[text("I begin"), tool("a", "canvas_check_out", json!({}))], 0);
    cut.truncate(cut.len() - 2);
    cut.push(Step::Reset);
    let retries = Retries { attempts: 2, ..Retries::default() };
    let script = vec![Served::Stream(cut.clone()), Served::Stream(cut)];
    let mut world = World::new(&Setting { script, retries: Some(retries), ..Setting::default() });
    let Outcome::Broken { code, retryable, .. } = world.run() else { panic!("the answer broke off") };
    assert_eq!((code, retryable), ("STREAM_CUT", true));
    assert!(world.begun().is_empty());
    assert_eq!(world.turn.events().len(), 4, "the message, the text, the call and its answer");
    check_history(world.turn.events(), 0);
}

#[test]
fn chance_makes_waits_longer_by_at_most_their_first_half() {
    let retries = Retries {
        attempts: 10,
        initial_backoff: Duration::from_secs(1),
        max_backoff: Duration::from_secs(5),
    };
    let second = |seconds: f64| Some(Duration::from_secs_f64(seconds));
    for (failures, asked, jitter, wait) in [
        (1, None, 0.0, second(0.5)),
        (1, None, 1.0, second(1.0)),
        (3, None, 0.5, second(3.0)),
        (9, None, 1.0, second(5.0)),
        (9, None, f64::NAN, second(2.5)),
        (1, second(5.0), 1.0, second(6.0)),
        (1, second(5.1), 0.0, None),
        (10, second(1.0), 0.0, None),
        (u32::MAX, None, 0.0, None),
    ] {
        assert_eq!(retries.wait(failures, asked, jitter), wait, "{failures} {asked:?} {jitter}");
    }
}

/// An answer and a call of 40 seconds each: a lease lives for 15.
#[test]
fn a_lease_is_renewed_while_answers_and_calls_take_their_time() {
    let lease = json!({"lease_id": "lease-1-0"});
    let out = tool("out", "canvas_check_out", json!({}));
    let read = tool("read", "canvas_read_all", lease);
    let again = tool("again", "canvas_grep", json!({"lease_id": "lease-1-0", "query": "one"}));
    let script = vec![
        Served::Whole(json!({"stop_reason": "tool_use", "content": [out]})),
        Served::Stream(stream("tool_use", &[read, again], 20_000)),
        Served::Whole(json!({"stop_reason": "end_turn", "content": [text("Done.")]})),
    ];
    let mut world = World::new(&Setting { script, takes: 40_000, ..Setting::default() });
    assert_eq!(world.run(), Outcome::Completed);
    let told = world.told();
    assert_eq!(told.iter().filter(|told| *told == "renew").count(), 16, "every five seconds: {told:#?}");
    assert!(["read ok", "again ok"].iter().all(|line| told.contains(&(*line).to_owned())), "{told:#?}");
    assert!(!world.is_locked());
}

/// Narrates for a minute while it holds a lease.
#[test]
fn the_lease_of_a_model_that_narrates_is_released() {
    let out = tool("out", "canvas_check_out", json!({}));
    let mut narrative = stream("end_turn", &[text("Once "), text("upon "), text("a time.")], 0);
    narrative.insert(4, Step::Wait(60_000));
    let script =
        vec![Served::Whole(json!({"stop_reason": "tool_use", "content": [out]})), Served::Stream(narrative)];
    let mut world = World::new(&Setting { script, ..Setting::default() });
    while !world.told().contains(&"release".to_owned()) || world.is_locked() {
        assert!(world.run_for(1).is_none());
    }
    assert_eq!(world.clock.now().as_millis(), 6_000, "the renewal was due");
    assert_eq!(world.run(), Outcome::Completed);
    assert_eq!(world.told().iter().filter(|told| *told == "release").count(), 1);
}
