//! Turns of the loop, as scripted stories.

use crate::support;

use canvas_providers::{
    Arguments, Decoded, DecodedCall, Interruption, LoopAction, LoopError, Outcome, Provider, RequestOptions,
    StopReason,
};
use canvas_tools::{CodedError as _, LeaseChange, LeaseTerm, ToolReply, ToolSpec};
use serde_json::json;

use support::host::{Host, acquired, answer, at, call, done, lease, term};

#[test]
fn a_turn_without_calls() {
    let mut host = Host::new(8);
    host.answer(StopReason::End, &[]);
    assert_eq!(host.leave(), Outcome::Completed);
    assert_eq!(host.turn.events().len(), 2);
    let steps = serde_json::to_value(host.turn.log()).expect("steps serialise");
    assert_eq!(
        steps,
        json!([
            {"step": 1, "did": "request"},
            {"step": 1, "did": "response", "finish": null, "calls": 0},
            {"step": 1, "did": "end", "outcome": {"kind": "completed"}},
        ])
    );
}

#[test]
fn a_lease_is_renewed_while_waiting_and_given_back_at_the_end() {
    let mut host = Host::new(8);
    host.check_out();
    assert_eq!(host.poll(), LoopAction::SendRequest);
    assert_eq!(host.poll(), LoopAction::Wait { until: Some(at(6_000)) });
    host.now = at(6_000);
    assert_eq!(host.poll(), LoopAction::RenewLease { lease_id: lease(1) });
    let extended = done().with_lease_change(LeaseChange::Extended(term(1, host.now)));
    host.turn.on_renewed(lease(1), &extended).expect("held");
    assert_eq!(host.poll(), LoopAction::Wait { until: Some(at(11_000)) });
    host.turn.on_response(answer(StopReason::End, &[])).expect("a request is under way");
    assert_eq!(host.leave(), Outcome::Completed);
    assert_eq!(host.actions[6..], ["release lease-1-0", "done completed"].map(str::to_owned));
}

#[test]
fn a_read_at_the_maximum_hold_starts_no_renewals() {
    let mut host = Host::new(8);
    host.check_out();
    host.answer(
        StopReason::ToolUse,
        &[call("renew", "canvas_renew_lease", json!({"lease_id": "lease-1-0"}))],
    );
    let last = LeaseTerm { at_max_hold: true, ..term(1, host.now) };
    host.reply(&[("renew", done().with_lease_change(LeaseChange::Extended(last)))]);
    host.answer(StopReason::ToolUse, &[call("read", "canvas_read_all", json!({"lease_id": "lease-1-0"}))]);
    host.reply(&[("read", done().with_lease_change(LeaseChange::Extended(term(1, host.now))))]);
    assert_eq!(host.poll(), LoopAction::SendRequest);
    assert_eq!(host.poll(), LoopAction::Wait { until: None });
}

#[test]
fn a_renewal_without_a_report_of_its_expiry_is_followed_by_another() {
    let mut host = Host::new(8);
    host.check_out();
    assert_eq!(host.poll(), LoopAction::SendRequest);
    host.now = at(6_000);
    assert_eq!(host.poll(), LoopAction::RenewLease { lease_id: lease(1) });
    host.turn.on_renewed(lease(1), &done()).expect("held");
    assert_eq!(host.poll(), LoopAction::Wait { until: Some(at(11_000)) });
}

#[test]
fn replies_end_leases() {
    let changes = [
        (LeaseChange::Released(lease(1)), 0),
        (LeaseChange::Lost(lease(1)), 0),
        (LeaseChange::Lost(lease(2)), 1),
        // The write took the next lease in the place of the first, and that one is given back.
        (LeaseChange::Replaced(lease(1), term(2, at(1_000))), 1),
        (LeaseChange::None, 1),
    ];
    for (change, held) in changes {
        let mut host = Host::new(8);
        host.check_out();
        host.answer(StopReason::ToolUse, &[call("c", "f", json!({}))]);
        host.reply(&[("c", done().with_lease_change(change))]);
        assert_eq!(host.turn.leases().count(), held, "{change:?}");
    }
}

/// What a reply body says of leases counts for nothing: a tool of the host's own may use the same names.
#[test]
fn bodies_are_not_read_for_leases() {
    let mut host = Host::new(8);
    host.answer(StopReason::ToolUse, &[call("out", "canvas_check_out", json!({}))]);
    let body = json!({"ok": true, "lease_id": "lease-1-0", "expires_in_s": 15});
    host.reply(&[("out", ToolReply::new(body))]);
    assert_eq!(host.turn.leases().count(), 0);
}

#[test]
fn after_a_lost_lease_the_model_may_check_out_again() {
    let mut host = Host::new(8);
    host.check_out();
    host.answer(StopReason::ToolUse, &[call("p", "canvas_apply_patch", json!({"lease_id": "lease-1-0"}))]);
    host.reply(&[("p", done().with_lease_change(LeaseChange::Lost(lease(1))))]);
    host.answer(StopReason::ToolUse, &[call("out", "canvas_check_out", json!({}))]);
    let LoopAction::RunCalls(calls) = host.poll() else { panic!("a call is to be run") };
    assert_eq!(calls[0].id, "out-2", "an id that was used before is replaced");
    host.turn.on_reply("out-2", acquired(2, host.now)).expect("the call is open");
    host.answer(StopReason::End, &[]);
    assert_eq!(host.leave(), Outcome::Completed);
    assert!(host.actions.contains(&"release lease-2-0".to_owned()));
    assert!(!host.actions.contains(&"release lease-1-0".to_owned()));
}

#[test]
fn incomplete_calls_are_answered_and_never_run() {
    let cut = DecodedCall { id: "b".to_owned(), name: "g".to_owned(), arguments: Arguments::Truncated };
    let mut host = Host::new(8);
    host.answer(StopReason::Length, &[call("a", "f", json!({})), cut.clone()]);
    host.reply(&[("a", done())]);
    assert_eq!(host.actions.last().map(String::as_str), Some("run a"));
    host.answer(StopReason::Length, &[cut, call("c", "f", json!([]))]);
    assert_eq!(host.poll(), LoopAction::SendRequest, "the model gets to hear of it");
    assert_eq!(host.failures(), ["CALL_TRUNCATED", "CALL_TRUNCATED", "CALL_MALFORMED"]);
}

#[test]
fn the_calls_of_the_last_step_run() {
    let mut host = Host::new(2);
    for id in ["a", "b"] {
        host.answer(StopReason::ToolUse, &[call(id, "f", json!({}))]);
        host.reply(&[(id, done())]);
    }
    assert_eq!(host.leave(), Outcome::MaxSteps);
    assert_eq!(host.failures(), Vec::<String>::new());
    assert_eq!(Host::new(0).leave(), Outcome::MaxSteps);
}

#[test]
fn an_interruption_answers_what_is_open() {
    let mut host = Host::new(8);
    host.check_out();
    host.answer(StopReason::ToolUse, &[call("a", "f", json!({})), call("b", "canvas_check_out", json!({}))]);
    host.reply(&[("a", done())]);
    host.turn.interrupt(Interruption::UserMessage);
    host.turn.interrupt(Interruption::Cancel);
    assert_eq!(host.leave(), Outcome::Interrupted { cause: Interruption::UserMessage });
    assert_eq!(host.failures(), ["CALL_INTERRUPTED"]);
    // The reply to what was under way is awaited for one lifetime of a lease.
    assert_eq!(
        host.actions[host.actions.len() - 2..],
        ["wait Some(16000)", "done interrupted"].map(str::to_owned)
    );

    // The call was under way: its reply brings a lease that nobody else would release.
    let late = acquired(2, host.now);
    let before = host.turn.events().len();
    host.turn.on_reply("b", late.clone()).expect("the call was handed out");
    assert_eq!(host.turn.events().len(), before);
    assert!(host.turn.on_reply("b", late).is_err());
    assert_eq!(host.leave().name(), "interrupted");
    assert_eq!(
        host.actions[host.actions.len() - 2..],
        ["release lease-2-0", "done interrupted"].map(str::to_owned)
    );
}

#[test]
fn an_interruption_before_the_calls_are_handed_out() {
    let mut host = Host::new(8);
    host.answer(StopReason::ToolUse, &[call("a", "f", json!({}))]);
    host.turn.interrupt(Interruption::Cancel);
    assert_eq!(host.leave(), Outcome::Interrupted { cause: Interruption::Cancel });
    assert_eq!(host.failures(), ["CALL_INTERRUPTED"]);
    let reply = done();
    assert_eq!(host.turn.on_reply("a", reply).map_err(|error| error.code()), Err("LOOP_ALREADY_ANSWERED"));
}

#[test]
fn other_ways_out() {
    let ended = |end: &dyn Fn(&mut Host)| {
        let mut host = Host::new(8);
        host.check_out();
        end(&mut host);
        let outcome = host.leave();
        assert!(host.actions.contains(&"release lease-1-0".to_owned()), "{outcome:?}");
        host.failures();
        outcome.name()
    };
    assert_eq!(ended(&|host| host.answer(StopReason::End, &[])), "completed");
    assert_eq!(ended(&|host| host.answer(StopReason::Length, &[])), "truncated");
    assert_eq!(ended(&|host| host.answer(StopReason::Refusal, &[call("a", "f", json!({}))])), "refused");
    assert_eq!(
        ended(&|host| {
            assert_eq!(host.poll(), LoopAction::SendRequest);
            host.turn.on_transport_error("connection reset", true).expect("a request is under way");
        }),
        "transport_failed"
    );
    assert_eq!(
        ended(&|host| {
            assert_eq!(host.poll(), LoopAction::SendRequest);
            let error = Provider::Anthropic.decode(&json!([]), &support::context()).expect_err("no answer");
            host.turn.on_unusable(&error).expect("a request is under way");
        }),
        "unusable"
    );
    assert_eq!(
        ended(&|host| {
            assert_eq!(host.poll(), LoopAction::SendRequest);
            host.turn
                .on_response(Decoded::new(Vec::new(), StopReason::ToolUse))
                .expect("a request is under way");
        }),
        "unusable"
    );
}

#[test]
fn a_paused_turn_is_sent_again() {
    let mut host = Host::new(8);
    host.answer(StopReason::Pause, &[]);
    host.answer(StopReason::End, &[]);
    assert_eq!(host.leave(), Outcome::Completed);
}

#[test]
fn a_host_that_never_reports_a_release_gets_away_after_a_lifetime() {
    let mut host = Host::new(8);
    host.check_out();
    host.answer(StopReason::End, &[]);
    assert_eq!(host.poll(), LoopAction::ReleaseLease { lease_id: lease(1) });
    assert_eq!(host.poll(), LoopAction::Wait { until: Some(at(16_000)) });
    host.now = at(16_000);
    assert_eq!(host.poll(), LoopAction::Done(Outcome::Completed));
}

#[test]
fn reports_that_nobody_asked_for_change_nothing() {
    let mut host = Host::new(8);
    let reply = done();
    let unknown = LoopError::UnknownCall { call_id: "a".to_owned() };
    assert_eq!(host.turn.on_response(answer(StopReason::End, &[])), Err(LoopError::NoRequest));
    host.answer(StopReason::ToolUse, &[call("a", "f", json!({})), call("b", "f", json!({}))]);
    assert_eq!(host.turn.on_reply("a", reply.clone()), Err(unknown), "not handed out yet");
    assert!(matches!(host.poll(), LoopAction::RunCalls(_)));
    let before = format!("{:?}", host.turn);
    assert_eq!(host.turn.on_reply("z", reply.clone()).map_err(|e| e.code()), Err("LOOP_UNKNOWN_CALL"));
    assert_eq!(host.turn.on_released(lease(1)).map_err(|e| e.code()), Err("LOOP_UNKNOWN_LEASE"));
    assert_eq!(host.turn.on_renewed(lease(1), &reply).map_err(|e| e.code()), Err("LOOP_UNKNOWN_LEASE"));
    assert_eq!(host.turn.on_transport_error("x", false), Err(LoopError::NoRequest));
    assert_eq!(format!("{:?}", host.turn), before);
    host.turn.on_reply("a", reply.clone()).expect("the call is open");
    let answered = LoopError::AlreadyAnswered { call_id: "a".to_owned() };
    assert_eq!(host.turn.on_reply("a", reply), Err(answered));
}

#[test]
fn a_renamed_tool_reaches_the_host_under_its_own_name() {
    let parameters = json!({"type": "object"});
    let tools = [ToolSpec { name: "canvas.node.move".to_owned(), description: String::new(), parameters }];
    let mut host = Host::new(8);
    assert_eq!(host.poll(), LoopAction::SendRequest);
    let options = RequestOptions::default();
    let request = Provider::Anthropic
        .request(&support::issuer(), "", &tools, host.turn.events(), &options)
        .expect("encodes");
    let wire = &request.body["tools"][0]["name"];
    assert_ne!(wire, "canvas.node.move", "the provider takes no dots");
    let body = json!({"stop_reason": "tool_use", "content": [
        {"type": "tool_use", "id": "a", "name": wire, "input": {}}]});
    let answer = Provider::Anthropic.decode(&body, &request.context).expect("decodes");
    host.turn.on_response(answer).expect("a request is under way");
    let LoopAction::RunCalls(calls) = host.poll() else { panic!("a call is to be run") };
    assert_eq!(calls[0].name, "canvas.node.move");
    // The next request has the provider's name again.
    host.turn.on_reply("a", done()).expect("the call is open");
    let request = Provider::Anthropic
        .request(&support::issuer(), "", &tools, host.turn.events(), &options)
        .expect("encodes");
    assert_eq!(&request.body["messages"][1]["content"][0]["name"], &request.body["tools"][0]["name"]);
}
