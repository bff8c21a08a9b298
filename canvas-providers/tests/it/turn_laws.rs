//! The loop under a host that does anything.

use crate::support;

use std::collections::{BTreeMap, BTreeSet};

use canvas_providers::{
    Arguments, Body, DecodeError, Decoded, DecodedCall, Event, Interruption, LoopAction, LoopOptions,
    Provider, RequestOptions, Role, StopReason, StreamEvent, ToolLoop, Usage,
};
use canvas_tools::lease::{LeaseId, Timestamp};
use canvas_tools::{LeaseChange, LeaseTerm, ToolCall, ToolReply};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// One thing that the host does. Numbers choose among what is at hand.
#[derive(Debug, Clone)]
enum Act {
    Poll { later: u64 },
    Answer(Decoded),
    Reply { which: usize, reply: Reply },
    Renewed { ok: bool },
    Released { which: usize },
    TransportError,
    Retry,
    NotRun { which: usize },
    Stream { call: bool },
    Interrupt,
    Stray { id: u8 },
}

#[derive(Debug, Clone)]
enum Reply {
    Ok,
    /// The lease is over.
    Lost,
    /// Refused for a reason that leaves the lease alone.
    Refused,
}

fn any_call() -> impl Strategy<Value = DecodedCall> {
    const NAMES: &[&str] = &["canvas_check_out", "canvas_check_out", "canvas_check_in", "canvas_grep"];
    let arguments = prop_oneof![
        4 => (1u8..5).prop_map(|lease| {
            Arguments::Complete(Map::from_iter([("lease_id".to_owned(), json!(format!("lease-{lease}-0")))]))
        }),
        1 => Just(Arguments::Complete(Map::new())),
        1 => Just(Arguments::Truncated),
        1 => Just(Arguments::Malformed),
    ];
    (0u8..5, proptest::sample::select(NAMES), arguments).prop_map(|(id, name, arguments)| DecodedCall {
        id: if id == 0 { String::new() } else { format!("t{id}") },
        name: name.to_owned(),
        arguments,
    })
}

fn any_answer() -> impl Strategy<Value = Decoded> {
    // Calls mostly, so that turns get long enough for something to happen.
    let stop_reason = prop_oneof![
        6 => Just(StopReason::ToolUse),
        1 => Just(StopReason::End),
        1 => Just(StopReason::Length),
        1 => Just(StopReason::Refusal),
        1 => Just(StopReason::Pause),
        1 => Just(StopReason::ContextFull),
        1 => Just(StopReason::Other),
    ];
    // Most answers come whole.
    let failure = proptest::option::weighted(0.1, Just(DecodeError::Cut { frames: 1 }));
    (vec(any_call(), 0..4), stop_reason, failure, 0u64..100).prop_map(
        |(calls, stop_reason, failure, output_tokens)| {
            let event = |call| Event::new(Role::Assistant, Body::ToolCall(call));
            let events = calls.into_iter().map(event).collect();
            let usage = Usage { output_tokens, ..Usage::default() };
            Decoded { failure, usage, ..Decoded::new(events, stop_reason) }
        },
    )
}

fn any_act() -> impl Strategy<Value = Act> {
    let reply = prop_oneof![4 => Just(Reply::Ok), 1 => Just(Reply::Lost), 1 => Just(Reply::Refused)];
    // Interruptions and lost connections end everything, so they are rare.
    prop_oneof![
        30 => (0u64..20_000).prop_map(|later| Act::Poll { later }),
        20 => any_answer().prop_map(Act::Answer),
        20 => (any::<usize>(), reply).prop_map(|(which, reply)| Act::Reply { which, reply }),
        4 => any::<bool>().prop_map(|ok| Act::Renewed { ok }),
        4 => any::<usize>().prop_map(|which| Act::Released { which }),
        4 => (0u8..8).prop_map(|id| Act::Stray { id }),
        4 => Just(Act::Retry),
        2 => any::<usize>().prop_map(|which| Act::NotRun { which }),
        4 => any::<bool>().prop_map(|call| Act::Stream { call }),
        1 => Just(Act::TransportError),
        1 => Just(Act::Interrupt),
    ]
}

/// The host's own books, kept from what it sees and does.
#[derive(Default)]
struct Books {
    open: Vec<ToolCall>,
    run: BTreeSet<String>,
    /// Leases that the replies gave and no reply took away.
    held: BTreeSet<LeaseId>,
    /// Leases of which a reply has said that no renewal moves their expiry.
    at_max_hold: BTreeSet<LeaseId>,
    released: Vec<LeaseId>,
    unreported: Vec<LeaseId>,
    /// Complete calls by id and arguments, as the answers had them, and how many were run.
    complete: BTreeMap<String, u32>,
    leases: u32,
    tokens: u64,
    max_tokens: Option<u64>,
}

impl Books {
    fn see(&mut self, next: &LoopAction) {
        match next {
            LoopAction::RunCalls(calls) => {
                for call in calls {
                    assert!(self.run.insert(call.id.clone()), "{} runs twice", call.id);
                    let left = self.complete.get_mut(&key(&call.name, &call.arguments));
                    let left = left.expect("only calls of an answer run");
                    *left = left.checked_sub(1).expect("no call runs more often than it was made");
                }
                self.open.extend(calls.iter().cloned());
            }
            LoopAction::ReleaseLease { lease_id } => {
                assert!(self.held.remove(lease_id), "{lease_id} is not held");
                self.released.push(*lease_id);
                self.unreported.push(*lease_id);
            }
            LoopAction::RenewLease { lease_id } => {
                assert!(self.held.contains(lease_id) && !self.at_max_hold.contains(lease_id));
            }
            LoopAction::Done(_) => assert!(self.held.is_empty(), "{:?} are never released", self.held),
            LoopAction::SendRequest => {
                assert!(self.open.is_empty(), "{:?} have no answer yet", self.open);
                assert!(self.max_tokens.is_none_or(|max| self.tokens < max), "the tokens are used");
            }
            LoopAction::Wait { .. } => {}
        }
    }

    /// A reply as an engine would give it, booked before the loop sees it.
    fn reply(&mut self, call: &ToolCall, reply: &Reply) -> ToolReply {
        let named: Option<LeaseId> = call.arguments["lease_id"].as_str().and_then(|id| id.parse().ok());
        let (change, ok) = match (reply, call.name.as_str(), named) {
            (Reply::Ok, "canvas_check_out", _) => {
                self.leases += 1;
                let lease_id = format!("lease-{}-0", self.leases).parse().expect("an id");
                self.held.insert(lease_id);
                (LeaseChange::Acquired(self.term(lease_id)), true)
            }
            (Reply::Ok, "canvas_check_in", Some(lease)) => (LeaseChange::Released(lease), true),
            (Reply::Ok, _, Some(lease)) => (LeaseChange::Extended(self.term(lease)), true),
            (Reply::Lost, _, Some(lease)) => (LeaseChange::Lost(lease), false),
            (reply, ..) => (LeaseChange::None, matches!(reply, Reply::Ok)),
        };
        if let LeaseChange::Released(lease) | LeaseChange::Lost(lease) = change {
            self.held.remove(&lease);
        }
        ToolReply::new(json!({"ok": ok})).with_lease_change(change)
    }

    /// Some replies report the maximum hold, and later ones of the same lease do not.
    fn term(&mut self, lease_id: LeaseId) -> LeaseTerm {
        let expires_at = Timestamp::from_millis(15_000 * u64::from(self.leases));
        let at_max_hold = self.run.len().is_multiple_of(3) && self.held.contains(&lease_id);
        if at_max_hold {
            self.at_max_hold.insert(lease_id);
        }
        LeaseTerm { lease_id, expires_at, at_max_hold }
    }
}

fn key(name: &str, arguments: &Value) -> String {
    format!("{name} {arguments}")
}

fn is_valid(events: &[Event]) {
    let request =
        Provider::Anthropic.request(&support::issuer(), "", &[], events, &RequestOptions::default());
    assert_eq!(support::judge::faults(&request.expect("encodes").body), Vec::<String>::new());
}

fn act(turn: &mut ToolLoop, books: &mut Books, now: &mut u64, act: Act) {
    match act {
        Act::Poll { later } => {
            *now += later;
            let next = turn.poll(Timestamp::from_millis(*now));
            books.see(&next);
        }
        Act::Answer(answer) => {
            let refused = answer.stop_reason == StopReason::Refusal || answer.failure.is_some();
            let cost = answer.usage.output_tokens;
            let calls: Vec<ToolCall> = answer.calls().filter_map(DecodedCall::to_call).collect();
            let taken = turn.on_response(answer).is_ok();
            if taken {
                books.tokens += cost;
            }
            if taken && !refused {
                for call in calls {
                    *books.complete.entry(key(&call.name, &call.arguments)).or_default() += 1;
                }
            }
        }
        Act::Reply { which, reply } => {
            if !books.open.is_empty() {
                let call = books.open.swap_remove(which % books.open.len());
                let reply = books.reply(&call, &reply);
                turn.on_reply(&call.id, reply.clone()).expect("the call is open");
                assert!(turn.on_reply(&call.id, reply).is_err(), "a second reply is refused");
            }
        }
        Act::Renewed { ok } => {
            if let Some(lease) = books.held.first().copied() {
                let change = if ok {
                    LeaseChange::Extended(books.term(lease))
                } else {
                    books.held.remove(&lease);
                    LeaseChange::Lost(lease)
                };
                let reply = ToolReply::new(json!({"ok": ok})).with_lease_change(change);
                turn.on_renewed(lease, &reply).expect("the lease is held");
            }
        }
        Act::Released { which } => {
            if !books.unreported.is_empty() {
                let lease = books.unreported.swap_remove(which % books.unreported.len());
                // After a lifetime the loop no longer waits for the report.
                let _ = turn.on_released(lease);
            }
        }
        Act::TransportError => {
            let _ = turn.on_transport_error("lost", true);
        }
        Act::Retry => {
            let usage = Usage { output_tokens: 7, ..Usage::default() };
            if turn.on_retry("STREAM_CUT", usage).is_ok() {
                books.tokens += 7;
            }
        }
        Act::NotRun { which } => {
            if !books.open.is_empty() {
                let call = books.open.swap_remove(which % books.open.len());
                turn.on_not_run(&call.id).expect("the call is open");
                assert!(turn.on_not_run(&call.id).is_err(), "a second report is refused");
            }
        }
        Act::Stream { call: true } => {
            turn.on_stream_event(&StreamEvent::Call { part: 0, id: "t1", name: "f" });
        }
        Act::Stream { call: false } => turn.on_stream_event(&StreamEvent::Text { part: 0, delta: "So" }),
        Act::Interrupt => turn.interrupt(Interruption::UserMessage),
        Act::Stray { id } => {
            let id = format!("t{id}");
            if !books.open.iter().any(|call| call.id == id) {
                let before = format!("{turn:?}");
                assert!(turn.on_reply(&id, ToolReply::new(json!({"ok": true}))).is_err());
                assert_eq!(format!("{turn:?}"), before);
            }
        }
    }
}

proptest! {
    #![proptest_config(support::law())]

    #[test]
    fn the_loop_keeps_its_promises(
        acts in vec(any_act(), 0..120),
        max_steps in 0u32..6,
        max_tokens in proptest::option::of(0u64..300),
    ) {
        let options = LoopOptions { max_steps, max_tokens, ..LoopOptions::default() };
        let mut turn = ToolLoop::new(options, vec![Event::user("Go")]);
        let mut books = Books { max_tokens, ..Books::default() };
        let mut now = 0;
        for one in acts {
            act(&mut turn, &mut books, &mut now, one);
            let reported: BTreeSet<LeaseId> = turn.leases().collect();
            prop_assert_eq!(&reported, &books.held);
        }
        // The host loses patience and answers everything; the loop has to come to its end soon.
        turn.interrupt(Interruption::Cancel);
        for call in std::mem::take(&mut books.open) {
            let reply = books.reply(&call, &Reply::Ok);
            turn.on_reply(&call.id, reply).expect("the call was handed out");
        }
        let leases = books.held.len();
        let mut polls = 0;
        loop {
            now += 15_000;
            let next = turn.poll(Timestamp::from_millis(now));
            books.see(&next);
            polls += 1;
            prop_assert!(polls <= leases + 2, "the end does not come");
            if matches!(next, LoopAction::Done(_)) {
                break;
            }
        }
        prop_assert_eq!(turn.usage().output_tokens, books.tokens);
        for event in turn.events() {
            if let Some(call) = event.call() {
                let answers = turn.events().iter().filter(|event| match &event.body {
                    Body::ToolResult(result) => result.call_id.as_ref() == Some(&call.id),
                    _ => false,
                });
                prop_assert_eq!(answers.count(), 1, "{} is answered once", call.id);
            }
        }
        let unique: BTreeSet<&LeaseId> = books.released.iter().collect();
        prop_assert_eq!(unique.len(), books.released.len(), "a lease is released once");
        let requests = turn.log().iter().filter(|entry| format!("{:?}", entry.event) == "Request").count();
        prop_assert!(requests <= max_steps as usize);
        for end in 1..=turn.events().len() {
            is_valid(&turn.events()[..end]);
        }
    }
}
