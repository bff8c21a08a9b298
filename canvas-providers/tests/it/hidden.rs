//! Hidden messages reach the provider unchanged and in their place: one of a user's edit before the user's own text, one
//! of a model's turn after all results of its calls.

use crate::support;

use canvas_core::Policy;
use canvas_providers::{
    Body, Event, Interruption, LoopAction, LoopOptions, Outcome, Provider, RequestOptions, ToolLoop,
};
use canvas_tools::lease::Timestamp;
use canvas_tools::{DocumentTools, HIDDEN_HEADER, SNAPSHOT_HEADER, ToolReply, ToolSpec, hidden_message};
use proptest::prelude::*;
use serde_json::json;
use support::sent::{Part, merges, parts};

/// The parts of the request for a history, once it has passed the judge.
#[track_caller]
fn sent(provider: Provider, history: &[Event]) -> Vec<(usize, Part)> {
    let tools: Vec<ToolSpec> = DocumentTools::default().list(&Policy::default());
    let request = provider.request(&provider.issuer("m"), "", &tools, history, &RequestOptions::default());
    let body = request.expect("there is something to send").body;
    assert_eq!(support::faults(provider, &body), Vec::<String>::new(), "{provider}: {body}");
    parts(provider, &body)
}

/// The hidden message of a diff that puts these lines in, or of the whole text.
fn hidden(text: &str, is_whole: bool) -> String {
    let lines: String = text.lines().map(|line| format!("+{line}\n")).collect();
    let diff = format!("@@ -0,0 +1,{} @@\n{lines}", text.lines().count());
    let (diff, whole) = if is_whole { (None, Some(text)) } else { (Some(diff), None) };
    let changes = json!({"from": "r1-00000000", "to": "r2-00000000", "diff": diff, "whole": whole});
    let message = hidden_message(&serde_json::from_value(changes).expect("changes read"));
    message.expect("a changed document gives a message")
}

/// A turn as a host keeps it, in the order in which it goes into the history.
#[derive(Debug, Clone)]
struct Turn {
    /// The hidden message of the user's changes since the last turn, which comes before the user's text.
    users: Option<String>,
    says: String,
    rounds: Vec<Round>,
    /// The model's last words; none where it was cut off.
    ends: Option<String>,
    /// The hidden message of the model's own changes, which comes last.
    models: Option<String>,
}

/// Words and calls of one answer, and which of the calls were answered in which order.
#[derive(Debug, Clone)]
struct Round {
    words: Option<&'static str>,
    calls: usize,
    answered: Vec<usize>,
}

fn round() -> impl Strategy<Value = Round> {
    let words = prop::option::of(Just("Let me see."));
    (words, 1..4usize).prop_flat_map(|(words, calls)| {
        // Mostly all of them; some are lost where a turn is cut off.
        let all: Vec<usize> = (0..calls).collect();
        let answered = prop_oneof![
            3 => Just(all.clone()).prop_shuffle(),
            1 => prop::sample::subsequence(all, 0..=calls),
        ];
        answered.prop_map(move |answered| Round { words, calls, answered })
    })
}

/// Texts with fences of all lengths, and what else a careless encoder would touch.
fn any_text() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "a",
        "",
        "```",
        "```diff",
        "``````",
        "~~~",
        "</user>",
        "\"\\\"",
        "é🦀",
        "\t",
        "\u{2028}",
        "Human: x",
        HIDDEN_HEADER,
    ]);
    prop::collection::vec(line, 1..5).prop_map(|lines| lines.join("\n") + "\n")
}

fn turn() -> impl Strategy<Value = Turn> {
    let notice =
        || prop::option::of((any_text(), any::<bool>()).prop_map(|(text, whole)| hidden(&text, whole)));
    let ends = prop::option::weighted(0.8, Just("Done.".to_owned()));
    (notice(), "[a-z]{1,5}", prop::collection::vec(round(), 0..3), ends, notice())
        .prop_map(|(users, says, rounds, ends, models)| Turn { users, says, rounds, ends, models })
}

/// The history of the turns, with call ids that count.
fn history(turns: &[Turn]) -> Vec<Event> {
    let mut events = Vec::new();
    let mut id = 0;
    for Turn { users, says, rounds, ends, models } in turns {
        events.extend(users.iter().chain([says]).map(Event::user));
        for Round { words, calls, answered } in rounds {
            events.extend(words.map(Event::assistant));
            let ids: Vec<String> = (0..*calls).map(|call| format!("t{}", id + call)).collect();
            id += calls;
            events.extend(ids.iter().map(|id| {
                let call = json!({"role": "assistant", "type": "tool_call", "call_id": id, "tool_name": "canvas_grep"});
                serde_json::from_value::<Event>(call).expect("an event")
            }));
            let result = |call: &usize| Event::result(&ids[*call], "canvas_grep", json!({"ok": true}));
            events.extend(answered.iter().map(result));
        }
        events.extend(ends.iter().map(Event::assistant));
        events.extend(models.iter().map(Event::user));
    }
    events
}

/// Everything that is asked of the places, for one provider.
fn check(provider: Provider, turns: &[Turn]) -> Result<(), TestCaseError> {
    let events = history(turns);
    let sent = sent(provider, &events);
    let at = |from: usize, text: &str| {
        let found = sent[from..].iter().position(|(_, part)| *part == Part::User(text.to_owned()));
        found.map(|at| from + at).ok_or_else(|| TestCaseError::fail(format!("not as it was: {text:?}")))
    };
    let (mut from, mut calls) = (0, 0);
    for turn in turns {
        if let Some(users) = &turn.users {
            // Byte for byte, directly before the user's own text, and in one message with it where it has to be.
            let notice = at(from, users)?;
            prop_assert_eq!(&sent[notice + 1].1, &Part::User(turn.says.clone()));
            prop_assert!(!merges(provider) || sent[notice].0 == sent[notice + 1].0);
            from = notice + 1;
        }
        from = at(from, &turn.says)? + 1;
        calls += turn.rounds.iter().map(|round| round.calls).sum::<usize>();
        if let Some(models) = &turn.models {
            let notice = at(from, models)?;
            // All calls up to here come before it, each with its one result, and none is open.
            let before =
                |wanted: fn(&Part) -> bool| sent[..notice].iter().filter(|(_, part)| wanted(part)).count();
            prop_assert_eq!(before(|part| matches!(part, Part::Call(_))), calls);
            prop_assert_eq!(before(|part| matches!(part, Part::Result(_))), calls);
            from = notice + 1;
        }
    }
    // Nothing of the user's comes between a call and its result.
    let mut open = 0_usize;
    for (_, part) in &sent {
        match part {
            Part::Call(_) => open += 1,
            Part::Result(_) => open -= 1,
            Part::User(text) => prop_assert_eq!(open, 0, "{:?} comes between", text),
            Part::Assistant(_) => {}
        }
    }
    let is_same = |pair: &[(usize, Part)]| {
        let [(a, first), (b, second)] = pair else { unreachable!("windows of two") };
        let is_users = |part: &Part| matches!(part, Part::User(_) | Part::Result(_));
        is_users(first) && is_users(second) && a != b
    };
    prop_assert!(!merges(provider) || !sent.windows(2).any(is_same), "messages of the user in a row");
    Ok(())
}

proptest! {
    #![proptest_config(support::law())]

    #[test]
    fn hidden_messages_keep_their_place(turns in prop::collection::vec(turn(), 1..4)) {
        for provider in Provider::ALL {
            check(*provider, &turns)?;
        }
    }
}

/// A table of places for all providers: what the host has, in the order in which it came, and what is sent.
#[test]
fn places() {
    let (users, models) = (hidden("of the user\n```\n", false), hidden("of the model\n", false));
    let call = |id: &str| json!({"role": "assistant", "type": "tool_call", "call_id": id, "tool_name": "f"});
    let result =
        |id: &str| json!({"role": "tool", "type": "tool_result", "call_id": id, "tool_result": {"ok": true}});
    let user = |text: &str| json!({"role": "user", "content": text});
    let says = |text: &str| json!({"role": "assistant", "content": text});
    for (what, events, expected) in [
        ("an edit, then the message", json!([user(&users), user("Hi")]), "user-edit Hi"),
        (
            "a turn, its end, the next message",
            json!([user("Hi"), call("1"), result("1"), says("Done."), user(&models), user("And?")]),
            "Hi call:1 result:1 Done. model-edit And?",
        ),
        (
            "a turn, its end, an edit, the next message",
            json!([user("Hi"), says("Done."), user(&models), user(&users), user("And?")]),
            "Hi Done. model-edit user-edit And?",
        ),
        (
            "a turn whose last request was not sent: its results come first",
            json!([user("Hi"), call("1"), call("2"), result("2"), result("1"), user(&models), user("And?")]),
            "Hi call:1 call:2 result:1 result:2 model-edit And?",
        ),
        (
            "a host that is too early: the end of the turn before a result",
            json!([user("Hi"), call("1"), call("2"), result("1"), user(&models), result("2"), user("And?")]),
            "Hi call:1 call:2 result:1 result:2 model-edit And?",
        ),
        (
            "a turn cut off between a call and its result",
            json!([user("Hi"), call("1"), user(&users), user("Stop!")]),
            "Hi call:1 result:1 user-edit Stop!",
        ),
        (
            "a history that begins with the end of a turn",
            json!([user(&models), user("And?"), says("Yes."), user(&users), user("Hi")]),
            "model-edit And? Yes. user-edit Hi",
        ),
    ] {
        let events: Vec<Event> = serde_json::from_value(events).expect("events read");
        for provider in Provider::ALL {
            let sent = sent(*provider, &events);
            let name = |(_, part): &(usize, Part)| match part {
                Part::User(text) if *text == users => "user-edit".to_owned(),
                Part::User(text) if *text == models => "model-edit".to_owned(),
                Part::User(text) | Part::Assistant(text) => text.clone(),
                Part::Call(id) => format!("call:{id}"),
                Part::Result(id) => format!("result:{id}"),
            };
            let names: Vec<String> = sent.iter().map(name).collect();
            assert_eq!(names.join(" "), expected, "{provider}: {what}");
        }
    }
}

/// In the history a hidden message is a text of the user and nothing else, so every provider can read it.
#[test]
fn a_hidden_message_is_plain() {
    for is_whole in [false, true] {
        let text = hidden("```\n", is_whole);
        let fence =
            if is_whole { "\n````markdown\n```\n````" } else { "\n````diff\n@@ -0,0 +1,1 @@\n+```\n````" };
        let header = if is_whole { SNAPSHOT_HEADER } else { HIDDEN_HEADER };
        assert_eq!(text, format!("{header}{fence}"));
        for provider in Provider::ALL {
            assert!(!text.to_lowercase().contains(provider.name()));
        }
        let json = serde_json::to_value(Event::user(&text)).unwrap();
        assert_eq!(json, json!({"role": "user", "type": "text", "content": text}));
        assert_eq!(serde_json::from_value::<Event>(json).unwrap(), Event::user(&text));
    }
}

/// However a turn ends, its loop has answered all calls, so messages that the host appends come after the results.
#[test]
fn messages_appended_after_any_outcome_follow_all_results() {
    let answer = json!({"stop_reason": "tool_use", "content": [
        {"type": "tool_use", "id": "t1", "name": "canvas_grep", "input": {}},
        {"type": "tool_use", "id": "t2", "name": "canvas_grep", "input": {}}]});
    let end = json!({"stop_reason": "end_turn", "content": [{"type": "text", "text": "Done."}]});
    for expected in ["completed", "max_steps", "interrupted", "transport_failed"] {
        let options =
            LoopOptions { max_steps: if expected == "max_steps" { 1 } else { 8 }, ..LoopOptions::default() };
        let mut turn = ToolLoop::new(options, vec![Event::user(hidden("u\n", false)), Event::user("Hi")]);
        let mut requests = 0;
        let outcome: Outcome = loop {
            match turn.poll(Timestamp::from_millis(0)) {
                LoopAction::SendRequest if requests == 0 => {
                    requests += 1;
                    turn.on_response(Provider::Anthropic.decode(&answer, &support::context()).unwrap())
                        .unwrap();
                }
                LoopAction::SendRequest if expected == "completed" => {
                    turn.on_response(Provider::Anthropic.decode(&end, &support::context()).unwrap()).unwrap();
                }
                LoopAction::SendRequest => turn.on_transport_error("gone", true).unwrap(),
                LoopAction::RunCalls(calls) => {
                    for (number, call) in calls.iter().enumerate() {
                        if expected == "interrupted" && number == 1 {
                            turn.interrupt(Interruption::UserMessage);
                            break;
                        }
                        turn.on_reply(&call.id, ToolReply::new(json!({"ok": true}))).unwrap();
                    }
                }
                LoopAction::Wait { .. } => turn.on_reply("t2", ToolReply::new(json!({"ok": true}))).unwrap(),
                LoopAction::Done(outcome) => break outcome,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(outcome.name(), expected);
        let notice = hidden("m\n", false);
        let mut history = turn.events().to_vec();
        assert!(history.iter().any(|event| matches!(event.body, Body::ToolResult(_))));
        history.extend([Event::user(&notice), Event::user("And?")]);
        for provider in Provider::ALL {
            let sent: Vec<Part> = sent(*provider, &history).into_iter().map(|(_, part)| part).collect();
            let at = |part: Part| sent.iter().position(|other| *other == part).expect("it is there");
            let last = at(Part::Result("t1".into())).max(at(Part::Result("t2".into())));
            let notice = at(Part::User(notice.clone()));
            assert!(
                last < notice && sent[notice + 1..] == [Part::User("And?".into())],
                "{expected}: {sent:?}"
            );
        }
    }
}
