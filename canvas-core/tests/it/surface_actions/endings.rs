//! How actions end, and what of their results is saved.

use canvas_core::surface::{ActionBegun, ActionFailure, ActionOutcome, SurfaceCode};
use canvas_core::{CodedError as _, EngineError, block_on};
use serde_json::json;

use super::world::{Fault, World, key, nested, press, word};

#[test]
fn failures_change_no_state() {
    let failed = |code: Option<&str>| ActionFailure::Failed {
        code: code.map(str::to_owned),
        message: "no such host\nat line 3".to_owned(),
    };
    for (failure, code, outcome, told) in [
        (failed(None), SurfaceCode::ToolFailed, ActionOutcome::Failed, "no such host at line 3"),
        (
            failed(Some("E 7")),
            SurfaceCode::ToolFailed,
            ActionOutcome::Failed,
            "(E 7): no such host at line 3",
        ),
        (ActionFailure::TimedOut, SurfaceCode::ToolTimeout, ActionOutcome::TimedOut, ""),
    ] {
        let world = World::new();
        let (revision, state) = (world.revision(), world.state());
        let running = world.run(0, "1", "deploy");
        let ended = world.finish(0, &running, Err(failure)).unwrap();
        assert_eq!((ended.failure.unwrap().code, ended.record.outcome), (code, outcome));
        assert!(ended.record.summary.ends_with(told), "{}", ended.record.summary);
        assert_eq!(
            (ended.saved, world.revision(), world.state(), world.claims()),
            (false, revision, state, 0)
        );
        assert_eq!(word(&world.begin(1, "1", press("deploy"))), code.code());
    }
}

#[test]
fn what_comes_after_the_deadline_is_dropped() {
    let world = World::new();
    let running = world.run(0, "1", "deploy");
    world.wait(30_000);
    let ended = world.finish(0, &running, Ok(json!(1))).unwrap();
    assert_eq!(
        (ended.failure.unwrap().code, ended.record.outcome),
        (SurfaceCode::ToolTimeout, ActionOutcome::TimedOut)
    );
    assert_eq!((world.state().get("last"), world.records().len(), world.claims()), (None, 1, 0));
}

#[test]
fn a_result_is_saved_only_over_what_was_there_when_it_was_planned() {
    for (between, code) in [
        (json!({"last": {"deploy": 1}}), Some(SurfaceCode::SaveConflict)),
        (json!({"last": {"deploy": null}}), Some(SurfaceCode::SaveConflict)),
        (json!({"last": {"other": 1}, "status": "x"}), None),
        (json!({"last": 7}), Some(SurfaceCode::StatePath)),
        (json!({}), None),
    ] {
        let world = World::new();
        let running = world.run(0, "1", "deploy");
        world.put_surface(&between);
        let revision = world.revision();
        let ended = world.finish(0, &running, Ok(json!("done"))).unwrap();
        assert_eq!(ended.unsaved.as_ref().map(|fault| fault.code), code, "{between}");
        assert_eq!((ended.saved, ended.failure.is_none()), (code.is_none(), true));
        assert_eq!(world.revision(), revision + u64::from(code.is_none()));
        let Ok(ActionBegun::Ended { result, .. }) = world.begin(1, "1", press("deploy")) else { panic!() };
        assert_eq!(result, Some(json!("done")), "it is not lost for whoever asks");
        if code == Some(SurfaceCode::SaveConflict) {
            assert_eq!((world.state(), ended.unsaved.unwrap().place.as_str()), (between, "/last/deploy"));
        }
    }
}

#[test]
fn a_result_like_the_one_that_is_there_changes_nothing() {
    let world = World::new();
    world.put_surface(&json!({"version": "1", "last": {"deploy": {"ok": true}}}));
    let running = world.run(0, "1", "deploy");
    let revision = world.revision();
    let ended = world.finish(0, &running, Ok(json!({"ok": true}))).unwrap();
    assert!(ended.saved && ended.changed_paths.is_empty());
    assert_eq!(world.revision(), revision);
}

#[test]
fn results_have_limits() {
    for (result, code) in [
        (json!("a".repeat((128 << 10) - 2)), None),
        (json!("a".repeat((128 << 10) - 1)), Some(SurfaceCode::StateTooLarge)),
        (nested(62), None),
        // Two objects are around it in the state.
        (nested(63), Some(SurfaceCode::StateTooLarge)),
        (nested(65), Some(SurfaceCode::StateTooLarge)),
        (json!(null), None),
    ] {
        let world = World::new();
        let running = world.run(0, "1", "deploy");
        let ended = world.finish(0, &running, Ok(result)).unwrap();
        assert_eq!((ended.unsaved.map(|fault| fault.code), ended.saved), (code, code.is_none()));
        assert_eq!(ended.record.outcome, ActionOutcome::Finished);
    }
}

/// What is too large to be kept is not answered again either.
#[test]
fn results_have_limits_without_a_place_too() {
    for (result, is_kept) in [
        (nested(64), true),
        (nested(65), false),
        (json!("a".repeat((128 << 10) - 2)), true),
        (json!("a".repeat((128 << 10) - 1)), false),
    ] {
        let world = World::new();
        let running = world.run(0, "1", "ping");
        let ended = world.finish(0, &running, Ok(result.clone())).unwrap();
        let code = (!is_kept).then_some(SurfaceCode::StateTooLarge);
        assert_eq!((ended.saved, ended.unsaved.map(|fault| fault.code)), (false, code));
        let Ok(ActionBegun::Ended { result: again, .. }) = world.begin(0, "1", press("ping")) else {
            panic!()
        };
        assert_eq!(again, is_kept.then_some(result));
    }
}

#[test]
fn a_result_without_a_place_goes_to_whoever_asks() {
    let world = World::new();
    let revision = world.revision();
    world.put_surface(&json!({}));
    let running = world.run(0, "1", "tell");
    let Ok(ActionBegun::Ended { .. }) = world.begin(0, "2", press("mark")) else { panic!() };
    let ended = world.finish(0, &running, Ok(json!("fine"))).unwrap();
    assert_eq!((ended.saved, ended.record.session_key.unwrap().as_str()), (true, "agent:main:main"));
    assert!(world.revision() > revision);
}

#[test]
fn only_whoever_began_says_how_it_ended() {
    let world = World::new();
    let running = world.run(0, "1", "deploy");
    let json = serde_json::to_value(&running).unwrap();
    for (member, value) in [("runner", "another"), ("event", "another")] {
        let mut json = json.clone();
        json["claim"][member] = value.into();
        let other = serde_json::from_value(json).unwrap();
        let refused = world.finish(0, &other, Ok(json!(1))).unwrap_err();
        assert_eq!(refused.code(), "ACTION_NOT_FOUND", "{member}");
    }
    assert_eq!((world.claims(), world.records().len()), (1, 0));
    assert!(world.finish(1, &running, Ok(json!(1))).unwrap().saved, "by whatever way it comes");
    // The first end counts.
    let second = world.finish(0, &running, Err(ActionFailure::TimedOut)).unwrap();
    assert_eq!((second.failure, world.records().len()), (None, 1));
}

#[test]
fn a_deletion_ends_what_is_under_way() {
    let world = World::new();
    let running = world.run(0, "1", "deploy");
    let engine = &world.servers[1].engine;
    block_on(engine.delete(&world.canvas, &key("host", "delete"), world.now())).unwrap();
    let gone = world.try_finish(0, &running, Ok(json!(1)));
    assert!(matches!(gone, Err(EngineError::NotFound { .. })));
    block_on(engine.create(&world.canvas, "", &key("host", "again"), world.now())).unwrap();
    world.put_surface(&json!({"version": "2"}));
    let records = world.records();
    assert_eq!((records.len(), records[0].record.outcome), (1, ActionOutcome::Lost));
    assert_eq!(world.finish(0, &running, Ok(json!(1))).unwrap().record.outcome, ActionOutcome::Lost);
    assert_eq!(word(&world.begin(0, "1", press("deploy"))), "ACTION_LOST");
    assert_eq!((world.state(), world.records().len()), (json!({"version": "2"}), 1));
}

#[test]
fn a_surface_that_is_gone_takes_no_result() {
    let world = World::new();
    let running = world.run(0, "1", "deploy");
    world.change_head(Vec::new(), |head| {
        for file in ["descriptor.json", "spec.json", "state/latest.json"] {
            head["draft"].as_object_mut().unwrap().remove(file);
        }
    });
    let ended = world.finish(0, &running, Ok(json!(1))).unwrap();
    assert_eq!((ended.saved, ended.unsaved.unwrap().code), (false, SurfaceCode::SurfaceNotFound));
    assert_eq!((world.records().len(), world.claims()), (1, 0));
}

#[test]
fn a_spec_that_was_replaced_takes_the_result_all_the_same() {
    let world = World::new();
    let running = world.run(0, "1", "deploy");
    let spec = canvas_core::Blob::text(json!({"version": 1, "mode": "html"}).to_string());
    world.change_head(vec![spec.clone()], |head| head["draft"]["spec.json"] = json!(spec.id()));
    assert_eq!(word(&world.begin(0, "2", press("deploy"))), "ACTION_NOT_FOUND");
    assert!(world.finish(0, &running, Ok(json!(1))).unwrap().saved);
}

/// Whoever began it gets to run it where its own commit got through, and nobody else.
#[test]
fn a_begin_of_unknown_fate_runs_once() {
    use Fault::{Definite, Landed, Lost};
    for (faults, first, again) in [
        (vec![Landed], "run", "ACTION_IN_PROGRESS"),
        (vec![Lost], "run", "ACTION_IN_PROGRESS"),
        (vec![Lost, Lost, Landed], "run", "ACTION_IN_PROGRESS"),
        (vec![Definite], "STORE_BUSY", "run"),
        // Nothing settles it.
        (vec![Lost, Definite, Definite, Definite, Definite], "STORE_INDETERMINATE", "run"),
    ] {
        let world = World::new();
        world.servers[0].expect(faults.clone());
        let begun = world.try_begin(0, "1", press("deploy"));
        assert_eq!(begun.as_ref().map_or_else(EngineError::code, word), first, "{faults:?}");
        world.servers[0].expect([]);
        assert_eq!(word(&world.begin(1, "1", press("deploy"))), again, "{faults:?}");
    }
}

/// The commit of unknown fate was not the one that got through.
#[test]
fn a_begin_that_was_overtaken_runs_nothing() {
    let world = World::new();
    let other = world.start();
    let (canvas, now) = (world.canvas.clone(), world.now());
    let attempt = world.attempt(1, press("deploy"));
    world.servers[0].overtake(move || {
        let begun = block_on(other.engine.call(&canvas, &key("host", "1"), attempt, now)).unwrap().result;
        assert_eq!(word(&begun), "run");
    });
    world.servers[0].expect([Fault::Overtaken]);
    assert_eq!(word(&world.begin(0, "1", press("deploy"))), "ACTION_IN_PROGRESS");
}

#[test]
fn an_end_of_unknown_fate_is_one_end() {
    for faults in [vec![Fault::Landed], vec![Fault::Lost], vec![Fault::Lost, Fault::Landed]] {
        let world = World::new();
        let running = world.run(0, "1", "deploy");
        world.servers[0].expect(faults);
        assert!(world.finish(0, &running, Ok(json!(1))).unwrap().saved);
        assert_eq!((world.records().len(), world.claims()), (1, 0));
    }
}
