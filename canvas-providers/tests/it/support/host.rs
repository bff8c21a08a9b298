//! A host of the loop that follows a script, with a clock of its own.

use canvas_providers::{
    Arguments, Body, Decoded, DecodedCall, Event, LoopAction, LoopOptions, Outcome, Provider, RequestOptions,
    Role, StopReason, ToolLoop,
};
use canvas_tools::lease::{LeaseId, Timestamp};
use canvas_tools::{LeaseChange, LeaseTerm, ToolReply};
use serde_json::{Value, json};

/// A host with a clock that follows a script and writes down every action.
pub(crate) struct Host {
    pub(crate) turn: ToolLoop,
    pub(crate) now: Timestamp,
    pub(crate) actions: Vec<String>,
}

impl Host {
    pub(crate) fn new(max_steps: u32) -> Self {
        Self::with(LoopOptions { max_steps, ..LoopOptions::default() })
    }

    pub(crate) fn with(options: LoopOptions) -> Self {
        Self { turn: ToolLoop::new(options, vec![Event::user("Go")]), now: at(1_000), actions: Vec::new() }
    }

    pub(crate) fn poll(&mut self) -> LoopAction {
        let next = self.turn.poll(self.now);
        self.actions.push(match &next {
            LoopAction::SendRequest => "send".to_owned(),
            LoopAction::RunCalls(calls) => {
                let ids: Vec<&str> = calls.iter().map(|call| call.id.as_str()).collect();
                format!("run {}", ids.join(" "))
            }
            LoopAction::RenewLease { lease_id } => format!("renew {lease_id}"),
            LoopAction::ReleaseLease { lease_id } => format!("release {lease_id}"),
            LoopAction::Wait { until } => format!("wait {:?}", until.map(Timestamp::as_millis)),
            LoopAction::Done(outcome) => format!("done {}", outcome.name()),
        });
        next
    }

    pub(crate) fn answer(&mut self, stop_reason: StopReason, calls: &[DecodedCall]) {
        assert_eq!(self.poll(), LoopAction::SendRequest);
        self.turn.on_response(answer(stop_reason, calls)).expect("a request is under way");
    }

    /// Hands out the calls and replies to the ones in the script.
    pub(crate) fn reply(&mut self, replies: &[(&str, ToolReply)]) {
        assert!(matches!(self.poll(), LoopAction::RunCalls(_)));
        for (id, reply) in replies {
            self.turn.on_reply(id, reply.clone()).expect("the call is open");
        }
    }

    /// Releases what is asked for until the end.
    pub(crate) fn leave(&mut self) -> Outcome {
        loop {
            match self.poll() {
                LoopAction::ReleaseLease { lease_id } => {
                    self.turn.on_released(lease_id).expect("was asked for")
                }
                LoopAction::Done(outcome) => return outcome,
                LoopAction::Wait { until: Some(until) } => self.now = until,
                other => panic!("the turn is over, but {other:?}"),
            }
        }
    }

    pub(crate) fn check_out(&mut self) {
        self.answer(StopReason::ToolUse, &[call("out", "canvas_check_out", json!({}))]);
        self.reply(&[("out", acquired(1, self.now))]);
    }

    /// The history is a valid request, and these are the codes of the failed results in it.
    pub(crate) fn failures(&self) -> Vec<String> {
        let request = Provider::Anthropic.request(
            &super::issuer(),
            "",
            &[],
            self.turn.events(),
            &RequestOptions::default(),
        );
        assert_eq!(super::judge::faults(&request.expect("encodes").body), Vec::<String>::new());
        let code = |event: &Event| match &event.body {
            Body::ToolResult(result) => result.result["error"]["code"].as_str().map(str::to_owned),
            _ => None,
        };
        self.turn.events().iter().filter_map(code).collect()
    }
}

pub(crate) fn at(millis: u64) -> Timestamp {
    Timestamp::from_millis(millis)
}

pub(crate) fn lease(fence: u64) -> LeaseId {
    format!("lease-{fence}-0").parse().expect("an id")
}

pub(crate) fn done() -> ToolReply {
    ToolReply::new(json!({"ok": true}))
}

/// A lease that lives 15 s from now on.
pub(crate) fn term(fence: u64, now: Timestamp) -> LeaseTerm {
    LeaseTerm { lease_id: lease(fence), expires_at: at(now.as_millis() + 15_000), at_max_hold: false }
}

pub(crate) fn acquired(fence: u64, now: Timestamp) -> ToolReply {
    done().with_lease_change(LeaseChange::Acquired(term(fence, now)))
}

pub(crate) fn call(id: &str, name: &str, arguments: Value) -> DecodedCall {
    DecodedCall { id: id.to_owned(), name: name.to_owned(), arguments: Arguments::from_value(arguments) }
}

pub(crate) fn answer(stop_reason: StopReason, calls: &[DecodedCall]) -> Decoded {
    let mut events = vec![Event::assistant("I see.")];
    events.extend(calls.iter().map(|call| Event::new(Role::Assistant, Body::ToolCall(call.clone()))));
    Decoded::new(events, stop_reason)
}
