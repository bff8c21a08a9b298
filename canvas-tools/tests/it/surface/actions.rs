//! One execution of an action: started once, whatever becomes of who asked for it.

use std::pin::pin;
use std::sync::atomic::Ordering;
use std::task::{Context, Waker};

use canvas_core::CodedError as _;
use canvas_core::surface::ActionFailure;
use canvas_core::testing::block_on;
use canvas_tools::action::ActionStep;
use canvas_tools::surface::{SurfaceCaller, SurfaceReply, SurfaceRequest};
use serde_json::{Value, json};

use super::world::{World, session, told, window};

/// A surface whose one action calls a tool that is trusted.
fn refresh(world: &World) {
    world.deploy_prod();
}

const RUN: &str = "canvas.action";

fn params() -> Value {
    json!({"canvasId": "deploy-prod", "actionId": "refreshLogs"})
}

#[test]
fn a_retry_is_answered_and_not_run_again() {
    let mut world = World::new();
    refresh(&world);
    let first = world.again("press", window("w"), RUN, params());
    assert_eq!(told(&first.events).len(), 3);
    assert_eq!(world.host.take().len(), 1);
    world.restart();
    let again = world.again("press", window("w"), RUN, params());
    assert_eq!(again.result, first.result);
    assert_eq!((again.events, again.audit), (vec![], vec![]));
    assert!(world.host.take().is_empty());
    assert_eq!(world.audit().len(), 1);
}

/// Who drops the future while the tool runs has lost the execution: it is never run again.
#[test]
fn a_dropped_future_loses_the_execution() {
    let world = World::new();
    refresh(&world);
    world.host.hangs.store(true, Ordering::Relaxed);
    {
        let caller = caller("press");
        let request = SurfaceRequest::parse(RUN, &params()).unwrap();
        let clock = || world.now();
        let mut asked = pin!(world.door.request(&world.engine, &world.host, &caller, request, clock, |_| {}));
        assert!(asked.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
    world.host.hangs.store(false, Ordering::Relaxed);
    assert_eq!(world.host.take().len(), 1);
    for (wait, code) in [
        (0, "ACTION_IN_PROGRESS"),
        (29_999, "ACTION_IN_PROGRESS"),
        (1, "ACTION_LOST"),
        (1_000, "ACTION_LOST"),
    ] {
        world.wait(wait);
        let reply = world.again("press", window("window"), RUN, params());
        assert_eq!(reply.result.unwrap_err().code(), code, "after {wait} ms");
    }
    assert!(world.host.take().is_empty());
    let outcomes: Vec<_> = world.audit().into_iter().map(|record| record["outcome"].clone()).collect();
    assert_eq!(outcomes, ["lost"]);
    // Another press is another execution.
    assert!(world.window(RUN, params()).result.is_ok());
}

fn caller(id: &str) -> SurfaceCaller {
    SurfaceCaller {
        actor: window("window"),
        operation: canvas_core::OpKey::of(
            canvas_core::ConversationId::new("window").unwrap(),
            canvas_core::CallId::new(id).unwrap(),
        ),
    }
}

/// The steps of a run, for a host that answers at another time.
#[test]
fn a_host_may_answer_later_and_only_once() {
    let world = World::new();
    refresh(&world);
    let SurfaceRequest::Action(params) = SurfaceRequest::parse(RUN, &params()).unwrap() else { panic!() };
    let mut run = world.door.action(&caller("press"), params, world.now()).unwrap();
    assert!(matches!(run.step(), ActionStep::Begin(_)));
    // Nobody waits for a result yet.
    run.settle(Ok(json!("early")));
    let mut events = block_on(run.advance(&world.engine, world.now())).unwrap();
    let ActionStep::Call(invocation) = run.step() else { panic!("{:?}", run.step()) };
    assert_eq!(invocation.timeout.as_millis(), 30_000);
    world.wait(10_000);
    run.settle(Ok(json!({"result": "first"})));
    run.settle(Ok(json!({"result": "second"})));
    events.extend(block_on(run.advance(&world.engine, world.now())).unwrap());
    assert_eq!(world.state()["logsTail"], json!({"result": "first"}));
    assert_eq!(told(&events).len(), 3);
    let record = world.audit().pop().unwrap();
    assert_eq!(record["endedAt"].as_u64().unwrap() - record["startedAt"].as_u64().unwrap(), 10_000);
}

#[test]
fn what_fails_or_comes_too_late_changes_no_state() {
    for (wait, answer, code, outcome) in [
        (0, Err(ActionFailure::TimedOut), "TOOL_TIMEOUT", "timedOut"),
        (
            0,
            Err(ActionFailure::Failed { code: Some("E".into()), message: "it broke".into() }),
            "TOOL_FAILED",
            "failed",
        ),
        (30_000, Ok(json!("late")), "TOOL_TIMEOUT", "timedOut"),
    ] {
        let world = World::new();
        refresh(&world);
        let before = world.state();
        let SurfaceRequest::Action(params) = SurfaceRequest::parse(RUN, &params()).unwrap() else { panic!() };
        let mut run = world.door.action(&caller("press"), params, world.now()).unwrap();
        block_on(run.advance(&world.engine, world.now())).unwrap();
        world.wait(wait);
        run.settle(answer);
        let events = block_on(run.advance(&world.engine, world.now())).unwrap();
        let ActionStep::Over(over) = run.step() else { panic!("{:?}", run.step()) };
        let reply = SurfaceReply::of_action(over, events);
        assert_eq!(reply.result.unwrap_err().code(), code);
        assert_eq!(told(&reply.events), ["canvas.action.failed"]);
        assert_eq!((reply.audit.len(), world.state()), (1, before));
        assert_eq!(world.audit()[0]["outcome"], outcome);
        // A retry is answered as it ended.
        let again = world.again("press", window("window"), RUN, self::params());
        assert_eq!((again.result.unwrap_err().code(), again.audit.len()), (code, 0));
        assert!(world.host.take().is_empty());
    }
}

#[test]
fn a_result_does_not_replace_what_was_changed_meanwhile() {
    let world = World::new();
    refresh(&world);
    let SurfaceRequest::Action(params) = SurfaceRequest::parse(RUN, &params()).unwrap() else { panic!() };
    let mut run = world.door.action(&caller("press"), params, world.now()).unwrap();
    block_on(run.advance(&world.engine, world.now())).unwrap();
    let patch = json!([{"op": "replace", "path": "/logsTail", "value": "mine"}]);
    world.ask("canvas.patch", json!({"canvasId": "deploy-prod", "patch": patch}));
    run.settle(Ok(json!("theirs")));
    block_on(run.advance(&world.engine, world.now())).unwrap();
    let ActionStep::Over(over) = run.step() else { panic!() };
    let answer = SurfaceReply::of_action(over, Vec::new()).result.unwrap();
    assert_eq!((&answer["saved"], &answer["result"]), (&json!(false), &json!("theirs")));
    assert_eq!(answer["unsaved"]["code"], "SAVE_CONFLICT");
    assert_eq!(world.state()["logsTail"], "mine");
}

/// Values that look like commands or templates stay what they are.
#[test]
fn hostile_values_stay_one_word() {
    let world = World::new();
    world.deploy_prod();
    for hostile in ["1; rm -rf /", "$(id)", "`id`", "{{state.service}}", "a\nb", "'; id #", "\\", "*"] {
        let patch = json!([{"op": "replace", "path": "/version", "value": hostile}]);
        world.ask("canvas.patch", json!({"canvasId": "deploy-prod", "patch": patch}));
        world.host.take();
        world.confirmed("deploy").result.unwrap();
        let command = world.host.take()[0]["command"].as_str().unwrap().to_owned();
        let quoted = format!("'{}'", hostile.replace('\'', r"'\''"));
        assert_eq!(command, format!("./deploy 'api' {quoted}"));
    }
}

#[test]
fn only_a_client_confirms() {
    let world = World::new();
    world.deploy_prod();
    let asked =
        world.window(RUN, json!({"canvasId": "deploy-prod", "actionId": "deploy"})).result.unwrap_err();
    let prompt = asked.confirmation().unwrap();
    assert_eq!(prompt.words.as_deref(), Some(&["./deploy", "api", "1.2.7"].map(str::to_owned)[..]));
    let confirmed = json!({
        "canvasId": "deploy-prod", "actionId": "deploy",
        "confirmation": {"digest": prompt.digest, "plannedAt": prompt.planned_at},
    });
    let by_session = world.again("s", session("agent:main:main"), RUN, confirmed.clone());
    assert_eq!(by_session.result.unwrap_err().code(), "CONFIRMATION_REQUIRED");
    world.wait(299_999);
    assert!(world.window(RUN, confirmed.clone()).result.is_ok());
    world.wait(1);
    assert_eq!(world.refused(RUN, confirmed), "CONFIRM_STALE");
    assert_eq!(world.host.take().len(), 1);
}
