//! What is begun, what that leaves, and what retries are answered.

use canvas_core::rollout::Rollout;
use canvas_core::surface::{
    ActionBegun, ActionName, ActionOutcome, ActionRequest, ActionWork, JobId, PlanAction,
};
use canvas_core::turn::SendMessage;
use canvas_core::{CodedError as _, Refused as _, Revision};
use serde_json::json;

use super::world::{World, client, nested, press, session, word};

#[test]
fn a_tool_leaves_a_claim_and_ends_with_a_record_and_a_result() {
    let world = World::new();
    let before = world.revision();
    let running = world.run(0, "1", "deploy");
    let ActionWork::Tool { tool, arguments, read_only, timeout_ms } = &running.plan.work else { panic!() };
    assert_eq!((tool.as_str(), arguments), ("node__Deploy", &json!({"version": "1.2.7"})));
    assert_eq!((*read_only, *timeout_ms), (false, 30_000));
    assert_eq!((world.claims(), world.revision()), (1, before));
    world.wait(70);
    let ended = world.finish(0, &running, Ok(json!({"ok": true}))).unwrap();
    assert!(ended.saved && ended.failure.is_none() && ended.unsaved.is_none());
    assert_eq!(ended.changed_paths.iter().map(|path| path.as_str()).collect::<Vec<_>>(), ["/last"]);
    assert_eq!((ended.revision.get(), world.revision(), world.claims()), (before + 1, before + 1, 0));
    assert_eq!(world.state()["last"]["deploy"], json!({"ok": true}));
    let records = world.records();
    assert_eq!((records.len(), records[0].number), (1, 1));
    let record = &records[0].record;
    assert_eq!(*record, ended.record);
    assert_eq!((&record.event_id, record.action_id.as_str()), (running.event(), "deploy"));
    assert_eq!((&record.actor, record.outcome), (&client(), ActionOutcome::Finished));
    assert_eq!(record.tool.as_ref().unwrap().as_str(), "node__Deploy");
    assert!(record.summary.contains("last.deploy"), "{}", record.summary);
    assert_eq!(record.args_digest, running.plan.args_digest);
    assert_eq!(record.ended_at.as_millis() - record.started_at.as_millis(), 70);
    assert_eq!(world.head().get("claims"), None, "a head that needs none has none");
}

#[test]
fn each_action_has_its_own_claim() {
    let world = World::new();
    let (first, second) = (world.run(0, "1", "deploy"), world.run(0, "2", "ping"));
    assert!(world.finish(0, &first, Ok(json!(1))).unwrap().saved);
    assert_eq!(world.claims(), 1);
    // Nothing was to be saved.
    let ended = world.finish(0, &second, Ok(json!(2))).unwrap();
    assert_eq!((ended.saved, ended.unsaved, ended.record.summary.as_str()), (false, None, "done"));
    assert_eq!((world.claims(), world.records().len()), (0, 2));
}

#[test]
fn retries_are_answered_by_what_became_of_the_first() {
    let world = World::new();
    let running = world.run(0, "1", "deploy");
    for server in 0..2 {
        let again = world.begin(server, "1", press("deploy"));
        assert_eq!(word(&again), "ACTION_IN_PROGRESS");
        assert!(again.unwrap_err().is_retryable());
    }
    let first = world.finish(0, &running, Ok(json!([1]))).unwrap();
    for server in 0..2 {
        let Ok(ActionBegun::Ended { ended, result }) = world.begin(server, "1", press("deploy")) else {
            panic!()
        };
        assert_eq!((*ended, result), (first.clone(), Some(json!([1]))));
    }
    assert_eq!(world.records().len(), 1);
    // Another call is another execution.
    assert_eq!(word(&world.begin(1, "2", press("deploy"))), "run");
    // The same call for something else, or by somebody else, is none of them.
    assert_eq!(word(&world.begin(1, "1", press("mark"))), "CALL_ID_REUSED");
    let other = ActionRequest { by: session("agent:main:main"), ..press("deploy") };
    assert_eq!(word(&world.begin(1, "1", other)), "CALL_ID_REUSED");
}

/// Whoever was told to run it may be at it: the very same attempt, sent twice, is told nothing else.
#[test]
fn an_attempt_that_is_sent_again_runs_nothing() {
    let world = World::new();
    let attempt = world.attempt(0, press("deploy"));
    assert_eq!(word(&world.send(0, "1", attempt.clone()).unwrap()), "run");
    assert_eq!(word(&world.send(0, "1", attempt.clone()).unwrap()), "ACTION_IN_PROGRESS");
    // Nor under another call.
    assert_eq!(word(&world.send(0, "2", attempt).unwrap()), "ACTION_IN_PROGRESS");
    assert_eq!(world.claims(), 1);
}

#[test]
fn a_claim_is_enough_where_receipts_are_gone() {
    let world = World::with(|policy| {
        (policy.receipts.min_changes, policy.receipts.max_changes) = (0, 0);
        policy.receipts.lifetime = std::time::Duration::ZERO;
    });
    world.run(0, "1", "deploy");
    assert!(world.head()["receipts"]["recent"].as_array().unwrap().is_empty());
    assert_eq!(word(&world.begin(1, "1", press("deploy"))), "ACTION_IN_PROGRESS");
    assert_eq!(word(&world.begin(1, "2", press("deploy"))), "run");
}

/// As a lease, a claim outlives a clock that falls back by 5 s, and no more.
#[test]
fn a_clock_that_falls_behind_the_start_ends_what_runs() {
    let world = World::new();
    world.run(0, "1", "deploy");
    world.turn_back(5_000);
    assert_eq!(word(&world.begin(1, "1", press("deploy"))), "ACTION_IN_PROGRESS");
    world.turn_back(1);
    assert_eq!(word(&world.begin(1, "1", press("deploy"))), "ACTION_LOST");
    let record = &world.records()[0].record;
    assert_eq!(record.ended_at, record.started_at, "it did not end before it began");
}

#[test]
fn what_is_over_and_nobody_has_finished_is_lost() {
    let world = World::new();
    let running = world.run(0, "1", "deploy");
    assert_eq!(running.deadline(), world.now().saturating_add(std::time::Duration::from_secs(30)));
    world.wait(29_999);
    assert_eq!(word(&world.begin(1, "1", press("deploy"))), "ACTION_IN_PROGRESS");
    assert_eq!(world.records().len(), 0);
    world.wait(1);
    for server in [1, 0, 1] {
        assert_eq!(word(&world.begin(server, "1", press("deploy"))), "ACTION_LOST");
    }
    let records = world.records();
    assert_eq!((records.len(), records[0].record.outcome), (1, ActionOutcome::Lost));
    assert_eq!((&records[0].record.event_id, world.claims()), (running.event(), 0));
    // Who comes too late changes nothing any more.
    let ended = world.finish(0, &running, Ok(json!(1))).unwrap();
    assert_eq!((ended.record.outcome, ended.saved), (ActionOutcome::Lost, false));
    assert_eq!((world.records().len(), world.state().get("last")), (1, None));
}

#[test]
fn whoever_comes_next_ends_what_was_lost() {
    for next in ["mark", "deploy"] {
        let world = World::new();
        world.run(0, "1", "deploy");
        world.run(0, "2", "tell");
        world.wait(30_000);
        assert!(word(&world.begin(1, "3", press(next))).len() > 2);
        let lost: Vec<_> = world
            .records()
            .into_iter()
            .map(|record| record.record)
            .filter(|record| record.outcome == ActionOutcome::Lost)
            .collect();
        assert_eq!(lost.len(), 1, "a message may take 10 minutes");
        assert_eq!(lost[0].action_id.as_str(), "deploy");
    }
}

#[test]
fn a_read_leaves_no_claim_and_may_be_done_again() {
    let world = World::new();
    let request = || ActionRequest { input: json!({"of": "api"}), ..press("read") };
    let head = world.head();
    let Ok(ActionBegun::Run(first)) = world.begin(0, "1", request()) else { panic!() };
    let Ok(ActionBegun::Run(second)) = world.begin(1, "1", request()) else { panic!() };
    assert_eq!(world.head(), head, "nothing is committed");
    assert!(first.plan.work.is_read_only() && first.event() != second.event());
    assert!(world.finish(0, &first, Ok(json!("a"))).unwrap().saved);
    let Ok(ActionBegun::Ended { ended, result }) = world.begin(1, "1", request()) else { panic!() };
    assert_eq!((&ended.record.event_id, result), (first.event(), Some(json!("a"))));
    // It was planned before the first one was saved.
    let ended = world.finish(1, &second, Ok(json!("b"))).unwrap();
    assert_eq!(ended.unsaved.unwrap().code.code(), "SAVE_CONFLICT");
    assert_eq!((world.state()["log"].clone(), world.records().len()), (json!("a"), 2));
    // Saying it twice says nothing.
    assert!(!world.finish(1, &second, Ok(json!("c"))).unwrap().saved);
    assert_eq!(world.records().len(), 2);
    // A plan is of the surface as it is, though the server has known an older one.
    let running = world.run(0, "2", "read");
    world.finish(0, &running, Ok(json!("d"))).unwrap();
    let running = world.run(1, "3", "read");
    assert!(world.finish(1, &running, Ok(json!("e"))).unwrap().saved);
}

#[test]
fn a_change_of_the_state_is_done_at_once_and_can_be_undone() {
    let world = World::new();
    let before = world.revision();
    let Ok(ActionBegun::Ended { ended, result: None }) = world.begin(0, "1", press("mark")) else { panic!() };
    assert!(ended.saved && ended.failure.is_none());
    assert_eq!(ended.changed_paths.iter().map(|path| path.as_str()).collect::<Vec<_>>(), ["/status"]);
    assert_eq!((world.state()["status"].clone(), world.revision()), (json!("marked"), before + 1));
    let stacks =
        canvas_core::testing::block_on(world.servers[0].engine.stacks(&world.canvas, None, 9, world.now()))
            .unwrap();
    assert_eq!((stacks.undo.len(), stacks.undo[0].author), (1, canvas_core::Role::User));
    // Again it changes nothing, and is recorded all the same.
    let Ok(ActionBegun::Ended { ended, .. }) = world.begin(0, "2", press("mark")) else { panic!() };
    assert!(ended.saved && ended.changed_paths.is_empty());
    assert_eq!((world.revision(), world.records().len()), (before + 1, 2));
}

#[test]
fn a_result_is_an_effect_that_no_undo_meets() {
    let world = World::new();
    world.begin(0, "1", press("mark")).unwrap();
    let running = world.run(0, "2", "deploy");
    world.finish(0, &running, Ok(json!(1))).unwrap();
    let stacks =
        canvas_core::testing::block_on(world.servers[0].engine.stacks(&world.canvas, None, 9, world.now()))
            .unwrap();
    assert_eq!(stacks.undo.len(), 1);
    let what = canvas_core::history::UndoScope::Steps(std::num::NonZeroU32::MIN);
    world.ask(0, canvas_core::history::Undo { by: canvas_core::Author::User, what }).unwrap().unwrap();
    let state = world.state();
    assert_eq!((state["status"].clone(), state["last"]["deploy"].clone()), (json!("new"), json!(1)));
}

#[test]
fn only_so_many_run_at_once() {
    let world = World::with(|policy| policy.surface.claims = 2);
    let first = world.run(0, "1", "deploy");
    world.run(1, "2", "tell");
    let refused = world.begin(1, "3", press("deploy")).unwrap_err();
    assert_eq!((refused.code(), refused.is_retryable()), ("TOO_MANY_RUNNING", true));
    // What needs no claim is done.
    assert_eq!(word(&world.begin(1, "4", press("mark"))), "done");
    assert_eq!(word(&world.begin(1, "5", press("read"))), "run");
    world.finish(0, &first, Ok(json!(null))).unwrap();
    assert_eq!(word(&world.begin(1, "6", press("deploy"))), "run");
    world.wait(600_000);
    // Both are over by now.
    assert_eq!(word(&world.begin(1, "7", press("deploy"))), "run");
    assert_eq!(world.claims(), 1);
}

#[test]
fn what_is_asked_must_be_there() {
    let world = World::new();
    let binding = |name: &str| ActionRequest {
        action: ActionName::Binding(canvas_core::surface::BindingName::new(name).unwrap()),
        ..press("mark")
    };
    let with = |input| ActionRequest { input, ..press("mark") };
    assert_eq!(word(&world.begin(0, "1", binding("buttons.go"))), "run");
    assert_eq!(word(&world.begin(0, "large", with(json!("a".repeat((16 << 10) - 2))))), "done");
    assert_eq!(word(&world.begin(0, "deep", with(nested(64)))), "done");
    let poll = |job: &str, action: &str| ActionRequest {
        by: session("agent:main:main"),
        job: Some(JobId::new(job).unwrap()),
        ..press(action)
    };
    let cases = [
        (binding("buttons.none"), "ACTION_NOT_FOUND", "/binding"),
        (press("none"), "ACTION_NOT_FOUND", "/actionId"),
        (poll("none", "read"), "ACTION_NOT_FOUND", "/jobId"),
        (poll("poll", "deploy"), "ACTION_NOT_FOUND", "/jobId"),
        (poll("idle", "read"), "ACTION_NOT_FOUND", "/jobId"),
        (with(json!("a".repeat((16 << 10) - 1))), "STATE_TOO_LARGE", "/input"),
        (with(nested(65)), "STATE_TOO_LARGE", "/input"),
    ];
    for (number, (request, code, place)) in cases.into_iter().enumerate() {
        let refused = world.begin(0, &format!("case {number}"), request.clone()).unwrap_err();
        let canvas_core::Refusal::Surface(refused) = refused.view() else { panic!() };
        assert_eq!((refused.code(), refused.place().as_deref()), (code, Some(place)));
        assert_eq!(world.ask(0, PlanAction(request)).unwrap().unwrap_err().code(), code);
    }
    let Ok(ActionBegun::Run(running)) = world.begin(0, "3", poll("poll", "read")) else { panic!() };
    let ended = world.finish(0, &running, Ok(json!(1))).unwrap();
    assert_eq!(ended.record.actor, session("agent:main:main"));
    assert_eq!(ended.record.job_id.unwrap().as_str(), "poll");
}

#[test]
fn a_revision_that_was_overtaken_or_is_yet_to_come_runs_nothing() {
    let world = World::new();
    let now = world.revision();
    let at = |revision: u64| ActionRequest { expected: Revision::new(revision).ok(), ..press("mark") };
    assert_eq!(word(&world.begin(0, "1", at(now + 1))), "REVISION_CONFLICT");
    assert_eq!(word(&world.begin(0, "2", at(now))), "done");
    assert_eq!(word(&world.begin(0, "3", at(now))), "REVISION_CONFLICT");
    assert_eq!(world.records().len(), 1);
}

#[test]
fn a_session_acts_in_its_own_turn_on_the_surfaces_of_its_agent() {
    let world = World::new();
    let by = |key: &str| ActionRequest { by: session(key), ..press("deploy") };
    assert_eq!(word(&world.begin(0, "1", by("agent:main:work"))), "run");
    for (call, key) in [("2", "agent:ops:main"), ("3", "main"), ("4", "agent:main:")] {
        assert_eq!(word(&world.begin(0, call, by(key))), "SURFACE_NOT_FOUND", "{key}");
    }
    // The next message ends the turn of these calls.
    world.ask(0, SendMessage).unwrap().unwrap();
    assert_eq!(word(&world.begin(0, "5", by("agent:main:work"))), "LOCK_NOT_AVAILABLE");
    assert_eq!(word(&world.begin(0, "6", press("deploy"))), "run");

    let world = World::with(|policy| policy.rollout = Rollout::ReadOnly);
    assert_eq!(word(&world.begin(0, "1", by("agent:main:work"))), "TOOL_DISABLED");
    assert!(world.ask(0, PlanAction(by("agent:main:work"))).unwrap().is_ok());
    assert_eq!(word(&world.begin(0, "2", press("deploy"))), "run");

    let world = World::with(|policy| policy.rollout = Rollout::Off);
    let refused = world.ask(0, PlanAction(by("agent:main:work"))).unwrap().unwrap_err();
    assert_eq!(refused.code(), "TOOL_DISABLED");
    assert!(world.ask(0, PlanAction(press("deploy"))).unwrap().is_ok());
}

/// Two versions of this library on one store: what the newer one has put there the older one keeps.
#[test]
fn claims_and_records_of_a_newer_library_stay_as_they_are() {
    let world = World::new();
    world.begin(0, "1", press("mark")).unwrap();
    world.run(0, "2", "deploy");
    let later = json!({"list": [1, {"two": null}]});
    world.change_head(Vec::new(), |head| {
        head["audit"]["later"] = later.clone();
        head["claims"][0]["later"] = later.clone();
    });
    let running = world.run(1, "3", "ping");
    world.finish(1, &running, Ok(json!(1))).unwrap();
    let head = world.head();
    assert_eq!((&head["audit"]["later"], &head["claims"][0]["later"]), (&later, &later));
    assert_eq!(word(&world.begin(1, "2", press("deploy"))), "ACTION_IN_PROGRESS");
}
