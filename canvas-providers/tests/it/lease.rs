//! The loop over a real engine: what it asks of a lease is what the engine's policy allows.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use canvas_core::lease::{LeaseId, Timestamp};
use canvas_core::store::MemoryStore;
use canvas_core::testing::block_on;
use canvas_core::{CallId, CanvasId, ConversationId, Engine, OpKey, Policy};
use canvas_providers::{AnswerContext, Event, LoopAction, LoopOptions, Outcome, Provider, ToolLoop};
use canvas_tools::{CHECK_IN, DocumentTools, Session, ToolCall, Tools};
use serde_json::json;

/// When the model's second answer arrives, long after the maximum hold of 120 s.
const ANSWERED: u64 = 200_000;

/// A model that checks out, thinks for minutes and checks in: the times at which the loop renewed its lease.
fn renewals_of_a_slow_turn() -> Vec<u64> {
    let clock = Arc::new(AtomicU64::new(1_000));
    let store = MemoryStore::new({
        let clock = Arc::clone(&clock);
        move || Timestamp::from_millis(clock.load(Ordering::Relaxed))
    });
    let engine = Engine::new(store, Policy::default());
    let now = || Timestamp::from_millis(clock.load(Ordering::Relaxed));
    let (canvas, chat) = (CanvasId::new("c").expect("a name"), ConversationId::new("main").expect("a name"));
    let key = |call| CallId::new(call).expect("an id");
    let operation = OpKey::of(chat.clone(), key("create"));
    block_on(engine.create(&canvas, "# A\n", &operation, now())).expect("the canvas is new");
    let mut session = block_on(Session::open(&engine, canvas, chat, now())).expect("the canvas exists");

    let mut answers = [
        json!({"stop_reason": "tool_use", "content": [
            {"type": "tool_use", "id": "out", "name": "canvas_check_out", "input": {}}]}),
        json!({"stop_reason": "end_turn", "content": [{"type": "text", "text": "Done."}]}),
    ]
    .into_iter();
    let tools = Tools::new(DocumentTools::default()).unwrap();
    let mut run = |call: &ToolCall| block_on(tools.call(&engine, &mut session, call, now()));
    let lease_call = |id: String, name: &str, lease: LeaseId| ToolCall {
        id,
        name: name.to_owned(),
        arguments: json!({"lease_id": lease}),
    };
    let mut turn = ToolLoop::new(LoopOptions::default(), vec![Event::user("Tidy up.")]);
    let (mut coming, mut renewals) = (None, Vec::new());
    loop {
        match turn.poll(now()) {
            LoopAction::SendRequest => {
                let answer = answers.next().expect("two answers are enough");
                if renewals.is_empty() && answer["stop_reason"] == "tool_use" {
                    turn.on_response(
                        Provider::Anthropic
                            .decode(&answer, &AnswerContext::new(Provider::Anthropic.issuer("m")))
                            .expect("decodes"),
                    )
                    .expect("asked");
                } else {
                    coming = Some(answer);
                }
            }
            LoopAction::RunCalls(calls) => {
                for call in calls {
                    turn.on_reply(&call.id, run(&call)).expect("the call is open");
                }
            }
            LoopAction::RenewLease { lease_id } => {
                let id = format!("renew-{}", renewals.len());
                let reply = run(&lease_call(id, "canvas_renew_lease", lease_id));
                turn.on_renewed(lease_id, &reply).expect("the lease is held");
                renewals.push(now().as_millis());
            }
            LoopAction::Wait { until: Some(until) } if until.as_millis() < ANSWERED => {
                clock.store(until.as_millis(), Ordering::Relaxed);
            }
            LoopAction::Wait { .. } => {
                clock.store(ANSWERED, Ordering::Relaxed);
                let answer = coming.take().expect("the second answer is under way");
                turn.on_response(
                    Provider::Anthropic
                        .decode(&answer, &AnswerContext::new(Provider::Anthropic.issuer("m")))
                        .expect("decodes"),
                )
                .expect("asked");
            }
            LoopAction::ReleaseLease { lease_id } => {
                assert!(run(&lease_call("in".to_owned(), CHECK_IN, lease_id)).is_ok());
                turn.on_released(lease_id).expect("was asked for");
            }
            LoopAction::Done(outcome) => {
                assert_eq!(outcome, Outcome::Completed);
                return renewals;
            }
        }
    }
}

#[test]
fn a_lease_at_its_maximum_hold_is_not_renewed_again() {
    // Taken at 1 s, it ends at 121 s at the latest: the renewal at 106 s reaches that.
    let expected: Vec<u64> = (6_000..=106_000).step_by(5_000).collect();
    assert_eq!(renewals_of_a_slow_turn(), expected);
}

/// Nobody else learns that a loop was dropped: the canvas stays locked until the lease expires.
#[test]
fn a_loop_that_is_dropped_leaves_its_lease_until_that_expires() {
    let clock = Arc::new(AtomicU64::new(1_000));
    let store = MemoryStore::new({
        let clock = Arc::clone(&clock);
        move || Timestamp::from_millis(clock.load(Ordering::Relaxed))
    });
    let (engine, tools) =
        (Engine::new(store, Policy::default()), Tools::new(DocumentTools::default()).unwrap());
    let now = || Timestamp::from_millis(clock.load(Ordering::Relaxed));
    let (canvas, chat) = (CanvasId::new("c").expect("a name"), ConversationId::new("main").expect("a name"));
    let key = |call| CallId::new(call).expect("an id");
    let operation = OpKey::of(chat, key("create"));
    block_on(engine.create(&canvas, "# A\n", &operation, now())).expect("the canvas is new");
    let check_out = |who: &str, id: &str| {
        let who = ConversationId::new(who).expect("a name");
        let mut session =
            block_on(Session::open(&engine, canvas.clone(), who, now())).expect("the canvas exists");
        let call = ToolCall { id: id.to_owned(), name: "canvas_check_out".to_owned(), arguments: json!({}) };
        block_on(tools.call(&engine, &mut session, &call, now()))
    };

    let mut turn = ToolLoop::new(LoopOptions::default(), vec![Event::user("Tidy up.")]);
    assert_eq!(turn.poll(now()), LoopAction::SendRequest);
    let answer = json!({"stop_reason": "tool_use", "content": [
        {"type": "tool_use", "id": "out", "name": "canvas_check_out", "input": {}}]});
    turn.on_response(
        Provider::Anthropic
            .decode(&answer, &AnswerContext::new(Provider::Anthropic.issuer("m")))
            .expect("decodes"),
    )
    .expect("asked");
    let LoopAction::RunCalls(calls) = turn.poll(now()) else { panic!("there is a call") };
    turn.on_reply(&calls[0].id, check_out("main", "out")).expect("the call is open");
    drop(turn);

    let lives = LoopOptions::default().lease.ttl.as_millis() as u64;
    clock.store(1_000 + lives - 1, Ordering::Relaxed);
    assert_eq!(check_out("other", "early").code(), Some("LOCK_NOT_AVAILABLE"));
    clock.store(1_000 + lives, Ordering::Relaxed);
    assert!(check_out("other", "late").is_ok());
}
