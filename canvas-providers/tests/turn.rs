//! Turns of the loop, told as stories.

mod support;

use canvas_providers::{
    Arguments, Body, Decoded, DecodedCall, Event, Interruption, LoopError, LoopOptions, Next, Outcome,
    Provider, RequestOptions, Role, Stop, ToolLoop,
};
use canvas_tools::ToolReply;
use serde_json::{Value, json};

/// A host with a clock, that runs what it is told by a script and keeps a diary.
struct Host {
    turn: ToolLoop,
    now: u64,
    diary: Vec<String>,
}

impl Host {
    fn new(max_steps: u32) -> Self {
        let options = LoopOptions { max_steps, ..LoopOptions::default() };
        Self { turn: ToolLoop::new(options, vec![Event::user("Go")]), now: 1_000, diary: Vec::new() }
    }

    fn poll(&mut self) -> Next {
        let next = self.turn.poll(self.now);
        self.diary.push(match &next {
            Next::SendRequest => "send".to_owned(),
            Next::RunCalls(calls) => {
                let ids: Vec<&str> = calls.iter().map(|call| call.id.as_str()).collect();
                format!("run {}", ids.join(" "))
            }
            Next::RenewLease { lease_id } => format!("renew {lease_id}"),
            Next::ReleaseLease { lease_id } => format!("release {lease_id}"),
            Next::Wait { until } => format!("wait {until:?}"),
            Next::Done(outcome) => format!("done {}", outcome.name()),
        });
        next
    }

    fn answer(&mut self, stop: Stop, calls: &[DecodedCall]) {
        assert_eq!(self.poll(), Next::SendRequest);
        self.turn.on_response(answer(stop, calls)).expect("a request is under way");
    }

    /// Hands out the calls and replies to the ones in the script.
    fn reply(&mut self, replies: &[(&str, Value)]) {
        assert!(matches!(self.poll(), Next::RunCalls(_)));
        for (id, body) in replies {
            self.turn.on_reply(id, ToolReply::new(body.clone())).expect("the call is open");
        }
    }

    /// Gives back what is asked for until the end.
    fn leave(&mut self) -> Outcome {
        loop {
            match self.poll() {
                Next::ReleaseLease { lease_id } => self.turn.on_released(&lease_id).expect("was asked for"),
                Next::Done(outcome) => return outcome,
                Next::Wait { until: Some(until) } => self.now = until,
                other => panic!("the turn is over, but {other:?}"),
            }
        }
    }

    fn check_out(&mut self) {
        self.answer(Stop::ToolUse, &[call("out", "canvas_check_out", json!({}))]);
        self.reply(&[("out", json!({"ok": true, "lease_id": "L1", "expires_at": self.now + 15_000}))]);
    }

    /// The history is a valid request, and these are the codes of the failed results in it.
    fn failures(&self) -> Vec<String> {
        let request =
            Provider::Anthropic.request("m", "", &[], self.turn.events(), &RequestOptions::default());
        assert_eq!(support::judge::faults(&request.expect("encodes").body), Vec::<String>::new());
        let code = |event: &Event| match &event.body {
            Body::ToolResult(result) => result.result["error"]["code"].as_str().map(str::to_owned),
            _ => None,
        };
        self.turn.events().iter().filter_map(code).collect()
    }
}

fn call(id: &str, name: &str, arguments: Value) -> DecodedCall {
    DecodedCall { id: id.to_owned(), name: name.to_owned(), arguments: Arguments::from_value(arguments) }
}

fn answer(stop: Stop, calls: &[DecodedCall]) -> Decoded {
    let mut events = vec![Event::assistant("I see.")];
    events.extend(calls.iter().map(|call| Event::new(Role::Assistant, Body::ToolCall(call.clone()))));
    Decoded { events, finish: None, stop }
}

#[test]
fn a_turn_without_calls() {
    let mut host = Host::new(8);
    host.answer(Stop::End, &[]);
    assert_eq!(host.leave(), Outcome::Completed);
    assert_eq!(host.turn.events().len(), 2);
    let steps = serde_json::to_value(host.turn.steps()).expect("steps serialise");
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
    assert_eq!(host.poll(), Next::SendRequest);
    assert_eq!(host.poll(), Next::Wait { until: Some(6_000) });
    host.now = 6_000;
    assert_eq!(host.poll(), Next::RenewLease { lease_id: "L1".to_owned() });
    host.turn.on_renewed("L1", &ToolReply::new(json!({"ok": true, "expires_at": 21_000}))).expect("held");
    assert_eq!(host.poll(), Next::Wait { until: Some(11_000) });
    host.turn.on_response(answer(Stop::End, &[])).expect("a request is under way");
    assert_eq!(host.leave(), Outcome::Completed);
    assert_eq!(host.diary[6..], ["release L1", "done completed"].map(str::to_owned));
}

#[test]
fn renewals_end_with_the_longest_hold() {
    let mut host = Host::new(8);
    host.check_out();
    host.poll();
    let mut renewals = 0;
    loop {
        match host.poll() {
            Next::RenewLease { lease_id } => {
                renewals += 1;
                let reply = ToolReply::new(json!({"ok": true, "expires_at": host.now + 15_000}));
                host.turn.on_renewed(&lease_id, &reply).expect("held");
            }
            Next::Wait { until: Some(until) } => host.now = until,
            next => {
                assert_eq!(next, Next::Wait { until: None });
                break;
            }
        }
    }
    assert_eq!(renewals, 24, "every 5 s for 120 s");
}

#[test]
fn replies_end_leases() {
    let told = |name: &str, reply: Value| {
        let mut host = Host::new(8);
        host.check_out();
        host.answer(Stop::ToolUse, &[call("c", name, json!({"lease_id": "L1"}))]);
        host.reply(&[("c", reply)]);
        host.turn.leases().count()
    };
    let failed = |code: &str| json!({"ok": false, "error": {"code": code, "message": ""}});
    assert_eq!(told("canvas_check_in", json!({"ok": true})), 0);
    assert_eq!(told("canvas_grep", failed("STALE_EPOCH")), 0);
    assert_eq!(told("canvas_grep", failed("LOCK_NOT_OWNED")), 0);
    assert_eq!(told("canvas_grep", failed("LEASE_EXPIRED")), 0);
    assert_eq!(told("canvas_apply_patch", failed("PATCH_REJECTED")), 1);
    assert_eq!(told("canvas_grep", json!({"ok": true, "lease_id": "L1"})), 1);
}

#[test]
fn after_a_lost_lease_the_model_may_check_out_again() {
    let mut host = Host::new(8);
    host.check_out();
    host.answer(Stop::ToolUse, &[call("p", "canvas_apply_patch", json!({"lease_id": "L1"}))]);
    host.reply(&[("p", json!({"ok": false, "error": {"code": "STALE_EPOCH"}}))]);
    host.answer(Stop::ToolUse, &[call("out", "canvas_check_out", json!({}))]);
    let Next::RunCalls(calls) = host.poll() else { panic!("a call is to be run") };
    assert_eq!(calls[0].id, "out-2", "an id that was used before is replaced");
    let reply = ToolReply::new(json!({"ok": true, "lease_id": "L2"}));
    host.turn.on_reply("out-2", reply).expect("the call is open");
    host.answer(Stop::End, &[]);
    host.leave();
    assert!(host.diary.contains(&"release L2".to_owned()));
    assert!(!host.diary.contains(&"release L1".to_owned()));
}

#[test]
fn incomplete_calls_are_answered_and_never_run() {
    let cut = DecodedCall { id: "b".to_owned(), name: "g".to_owned(), arguments: Arguments::Truncated };
    let mut host = Host::new(8);
    host.answer(Stop::Length, &[call("a", "f", json!({})), cut.clone()]);
    host.reply(&[("a", json!({"ok": true}))]);
    assert_eq!(host.diary.last().map(String::as_str), Some("run a"));
    host.answer(Stop::Length, &[cut, call("c", "f", json!([]))]);
    assert_eq!(host.poll(), Next::SendRequest, "the model gets to hear of it");
    assert_eq!(host.failures(), ["CALL_TRUNCATED", "CALL_TRUNCATED", "CALL_MALFORMED"]);
}

#[test]
fn the_calls_of_the_last_step_run() {
    let mut host = Host::new(2);
    for id in ["a", "b"] {
        host.answer(Stop::ToolUse, &[call(id, "f", json!({}))]);
        host.reply(&[(id, json!({"ok": true}))]);
    }
    assert_eq!(host.leave(), Outcome::MaxSteps);
    assert_eq!(host.failures(), Vec::<String>::new());
    assert_eq!(Host::new(0).leave(), Outcome::MaxSteps);
}

#[test]
fn an_interruption_answers_what_is_open() {
    let mut host = Host::new(8);
    host.check_out();
    host.answer(Stop::ToolUse, &[call("a", "f", json!({})), call("b", "canvas_check_out", json!({}))]);
    host.reply(&[("a", json!({"ok": true}))]);
    host.turn.interrupt(Interruption::UserMessage);
    host.turn.interrupt(Interruption::Cancel);
    assert_eq!(host.leave(), Outcome::Interrupted { cause: Interruption::UserMessage });
    assert_eq!(host.failures(), ["CALL_INTERRUPTED"]);
    // The reply to what was under way is awaited for one lifetime of a lease.
    assert_eq!(
        host.diary[host.diary.len() - 2..],
        ["wait Some(16000)", "done interrupted"].map(str::to_owned)
    );

    // The call was under way: its reply tells of a lease that nobody else would give back.
    let late = ToolReply::new(json!({"ok": true, "lease_id": "L2"}));
    let before = host.turn.events().len();
    host.turn.on_reply("b", late.clone()).expect("the call was handed out");
    assert_eq!(host.turn.events().len(), before);
    assert!(host.turn.on_reply("b", late).is_err());
    host.leave();
    assert_eq!(host.diary[host.diary.len() - 2..], ["release L2", "done interrupted"].map(str::to_owned));
}

#[test]
fn an_interruption_before_the_calls_are_handed_out() {
    let mut host = Host::new(8);
    host.answer(Stop::ToolUse, &[call("a", "f", json!({}))]);
    host.turn.interrupt(Interruption::Cancel);
    assert_eq!(host.leave(), Outcome::Interrupted { cause: Interruption::Cancel });
    assert_eq!(host.failures(), ["CALL_INTERRUPTED"]);
    let reply = ToolReply::new(json!({"ok": true}));
    assert_eq!(host.turn.on_reply("a", reply).map_err(|error| error.code()), Err("LOOP_ALREADY_ANSWERED"));
}

#[test]
fn other_ways_out() {
    let ended = |end: &dyn Fn(&mut Host)| {
        let mut host = Host::new(8);
        host.check_out();
        end(&mut host);
        let outcome = host.leave();
        assert!(host.diary.contains(&"release L1".to_owned()), "{outcome:?}");
        host.failures();
        outcome.name()
    };
    assert_eq!(ended(&|host| host.answer(Stop::End, &[])), "completed");
    assert_eq!(ended(&|host| host.answer(Stop::Length, &[])), "truncated");
    assert_eq!(ended(&|host| host.answer(Stop::Refusal, &[call("a", "f", json!({}))])), "refused");
    assert_eq!(
        ended(&|host| {
            host.poll();
            host.turn.on_transport_error("connection reset", true).expect("a request is under way");
        }),
        "transport_failed"
    );
    assert_eq!(
        ended(&|host| {
            host.poll();
            let error = Provider::Anthropic.decode(&json!([])).expect_err("no answer");
            host.turn.on_unusable(&error).expect("a request is under way");
        }),
        "unusable"
    );
    assert_eq!(
        ended(&|host| {
            host.poll();
            let empty = Decoded { events: Vec::new(), finish: None, stop: Stop::ToolUse };
            host.turn.on_response(empty).expect("a request is under way");
        }),
        "unusable"
    );
}

#[test]
fn a_paused_turn_is_sent_again() {
    let mut host = Host::new(8);
    host.answer(Stop::Pause, &[]);
    host.answer(Stop::End, &[]);
    assert_eq!(host.leave(), Outcome::Completed);
}

#[test]
fn a_host_that_never_reports_a_release_gets_away_after_a_lifetime() {
    let mut host = Host::new(8);
    host.check_out();
    host.answer(Stop::End, &[]);
    assert_eq!(host.poll(), Next::ReleaseLease { lease_id: "L1".to_owned() });
    assert_eq!(host.poll(), Next::Wait { until: Some(16_000) });
    host.now = 16_000;
    assert_eq!(host.poll(), Next::Done(Outcome::Completed));
}

#[test]
fn reports_that_nobody_asked_for_change_nothing() {
    let mut host = Host::new(8);
    let reply = ToolReply::new(json!({"ok": true}));
    let unknown = LoopError::UnknownCall { call_id: "a".to_owned() };
    assert_eq!(host.turn.on_response(answer(Stop::End, &[])), Err(LoopError::NoRequest));
    host.answer(Stop::ToolUse, &[call("a", "f", json!({})), call("b", "f", json!({}))]);
    assert_eq!(host.turn.on_reply("a", reply.clone()), Err(unknown), "not handed out yet");
    host.poll();
    let before = format!("{:?}", host.turn);
    let pair = |ids: [&str; 2]| ids.map(|id| (id.to_owned(), reply.clone())).to_vec();
    let answered = LoopError::AlreadyAnswered { call_id: "a".to_owned() };
    assert_eq!(host.turn.on_replies(pair(["a", "a"])), Err(answered.clone()));
    assert_eq!(host.turn.on_replies(pair(["a", "z"])).map_err(|e| e.code()), Err("LOOP_UNKNOWN_CALL"));
    assert_eq!(host.turn.on_released("L1").map_err(|e| e.code()), Err("LOOP_UNKNOWN_LEASE"));
    assert_eq!(host.turn.on_renewed("L1", &reply).map_err(|e| e.code()), Err("LOOP_UNKNOWN_LEASE"));
    assert_eq!(host.turn.on_transport_error("x", false), Err(LoopError::NoRequest));
    assert_eq!(format!("{:?}", host.turn), before);
    host.turn.on_replies(pair(["a", "b"])).expect("both are open");
    assert_eq!(host.turn.on_reply("a", reply), Err(answered));
}
