//! Replays end.

use canvas_core::board::ComponentId;
use canvas_core::history::{EntryKind, Step};
use canvas_core::json::JsonPatchOperation;
use canvas_core::recipe::{DriftCode, FinishReplay, ReplayOutcome, RunId, Target};
use canvas_core::store::{Commit, Committed, Store};
use canvas_core::testing::block_on;
use canvas_core::{Author, Blob, CodedError as _, Face};
use serde_json::{Value, json};

use super::world::{World, at, datum, put, recipe, recording, refused};

fn add(path: &str, value: Value) -> JsonPatchOperation {
    JsonPatchOperation::Add { path: path.to_owned(), value }
}

fn replace(path: &str, value: Value) -> JsonPatchOperation {
    JsonPatchOperation::Replace { path: path.to_owned(), value }
}

fn world() -> World {
    let world = World::new(3);
    world.record(recipe(&world, &[0, 1, 2], &["/total", "/by/day"]), &[(0, json!(1))]).unwrap();
    world.wait(10);
    world
}

/// Data and state are one effect, of one revision.
#[test]
fn a_replay_is_one_effect() {
    let world = world();
    let before = world.revision();
    let data = |component: usize| format!("/data/{}", world.components[component]);
    let outcomes = vec![
        world.made(0, json!(2)),
        world.made(1, json!([1])),
        world.failed(2, DriftCode::CallFailed),
        put("/total", json!(7)),
        put("/by/day", json!(8)),
    ];
    let (finished, patch) = world.finish(outcomes.clone());
    assert_eq!(
        patch,
        [
            replace(&data(0), json!(2)),
            add(&data(1), json!([1])),
            add("/state/total", json!(7)),
            add("/state/by", json!({"day": 8}))
        ]
    );
    assert_eq!(finished.refreshed, world.components[..2]);
    assert_eq!(finished.stale.len(), 1);
    assert_eq!((finished.revision.get(), world.revision()), (before + 1, before + 1));
    let shown = [0, 1, 2].map(|component| world.shown(component));
    assert_eq!(shown, ["ready 2 @10", "ready [1] @10", "error CALL_FAILED"]);
    assert_eq!(world.state(), json!({"title": "Sales", "total": 7, "by": {"day": 8}}));
    let head = world.head();
    for (face, is_changed) in
        [(Face::Data, true), (Face::Surface, true), (Face::Recipe, false), (Face::Board, false)]
    {
        assert_eq!(head.face_revision(face).get() == before + 1, is_changed, "{face}");
    }
    let entry = block_on(world.engine.history(&world.canvas, None, 1, world.now())).unwrap().remove(0);
    assert_eq!((entry.kind, entry.step.face()), (EntryKind::Effect, Face::Data));
    assert_eq!(entry.also.iter().map(Step::face).collect::<Vec<_>>(), [Face::Surface]);
    world.replays();

    // The same again: nothing differs, and nothing is written.
    world.wait(10);
    let written = world.written();
    let (again, patch) = world.finish(outcomes);
    assert_eq!((again.committed, again.revision, patch), (false, finished.revision, vec![]));
    assert_eq!((again.refreshed, again.stale), (finished.refreshed, finished.stale));
    assert_eq!((world.revision(), world.written()), (before + 1, written));
}

/// Of one face only, the entry is of that face alone.
#[test]
fn a_replay_of_one_face() {
    let world = world();
    for (outcome, face) in [(world.made(0, json!(2)), Face::Data), (put("/total", json!(2)), Face::Surface)] {
        assert!(world.finish(vec![outcome]).0.committed);
        let entry = block_on(world.engine.history(&world.canvas, None, 1, world.now())).unwrap().remove(0);
        assert_eq!((entry.step.face(), entry.also.is_empty()), (face, true));
    }
    world.replays();
}

/// What no outcome names stays, and so does what is gone.
#[test]
fn components_that_are_gone_keep_what_they_had() {
    let world = world();
    world.finish(vec![world.made(1, json!(1))]);
    world.delete(0);
    let (finished, patch) = world.finish(vec![world.made(0, json!(9)), world.failed(2, DriftCode::Upstream)]);
    assert_eq!((finished.refreshed, patch), (vec![], vec![]));
    let shown = [0, 1, 2].map(|component| world.shown(component));
    assert_eq!(shown, ["ready 1 @0", "ready 1 @10", "error UPSTREAM"]);
    assert_eq!(world.undo(1), "OK");
    world.finish(vec![world.made(0, json!(9))]);
    assert_eq!(world.shown(0), "ready 9 @10");
}

#[test]
fn a_dry_run_keeps_nothing() {
    let world = world();
    let (head, written) = (world.head(), world.written());
    let outcomes =
        vec![world.made(0, json!(2)), put("/total", json!(7)), world.failed(1, DriftCode::ToolGone)];
    let dry = FinishReplay { dry_run: true, ..world.replay(outcomes.clone()) };
    let finished = world.ask(dry.clone()).unwrap();
    assert_eq!((dry.patch(&finished).len(), finished.stale.len(), finished.committed), (2, 1, false));
    assert_eq!((world.head(), world.written()), (head, written));
    // What it has said is what comes.
    assert_eq!(world.finish(outcomes).1, dry.patch(&finished));
}

/// A replay that has ended is answered again as it was; the same id for another is refused.
#[test]
fn a_retry_is_answered_from_the_receipt() {
    let world = world();
    let (key, replay) = (world.key(), world.replay(vec![world.made(0, json!(2))]));
    let finished = world.ask_as(&key, replay.clone()).unwrap();
    world.finish(vec![world.made(0, json!(3))]);
    assert_eq!(world.ask_as(&key, replay.clone()), Ok(finished.clone()));
    assert_eq!(replay.patch(&finished), [replace(&format!("/data/{}", world.components[0]), json!(2))]);
    assert_eq!(world.shown(0), "ready 3 @10");
    let later = canvas_core::lease::Timestamp::from_millis(world.now().as_millis() + 1);
    for other in [
        FinishReplay { outcomes: vec![world.made(0, json!(4))], ..replay.clone() },
        FinishReplay { outcomes: vec![world.made(1, json!(2))], ..replay.clone() },
        FinishReplay { outcomes: vec![world.failed(0, DriftCode::CallFailed)], ..replay.clone() },
        FinishReplay { run: RunId::new("other").unwrap(), ..replay.clone() },
        FinishReplay { now: later, ..replay.clone() },
        FinishReplay { by: Author::Host, ..replay.clone() },
        FinishReplay { dry_run: true, ..replay },
    ] {
        assert_eq!(world.ask_as(&key, other), refused("CALL_ID_REUSED", ""));
    }
}

#[test]
fn what_is_refused_changes_nothing() {
    let world = world();
    let old = world.replay(vec![world.made(0, json!(2))]);
    let unknown = Target::Component(ComponentId::new("other").unwrap());
    for (outcomes, place) in [
        (vec![world.made(0, json!(2)), world.made(0, json!(3))], "/outcomes/1/target"),
        (vec![ReplayOutcome { target: unknown, result: Ok(datum(json!(1))) }], "/outcomes/0/target"),
        (vec![world.made(0, json!(2)), put("/other", json!(1))], "/outcomes/1/target"),
        (vec![ReplayOutcome { target: at(""), result: Ok(datum(json!({}))) }], "/outcomes/0/target"),
    ] {
        assert_eq!(world.ask(world.replay(outcomes)), refused("RECIPE_INVALID", place));
    }
    // Replaced, brought back, removed.
    world.record(recipe(&world, &[0], &[]), &[]).unwrap();
    let head = world.head();
    assert_eq!(world.ask(old.clone()), refused("RECIPE_REPLACED", ""));
    assert_eq!(world.head(), head);
    assert_eq!(world.undo(1), "OK");
    assert!(world.ask(old.clone()).unwrap().committed, "it is the same recipe again");
    world.ask(canvas_core::recipe::RecordRecipe { recipe: None, ..recording(&world, json!(null)) }).unwrap();
    assert_eq!(world.ask(old.clone()), refused("RECIPE_NOT_FOUND", ""));
    block_on(world.engine.delete(&world.canvas, &world.key(), world.now())).unwrap();
    let gone = block_on(world.engine.call(&world.canvas, &world.key(), old, world.now())).unwrap_err();
    assert_eq!(gone.code(), "CANVAS_NOT_FOUND");
}

/// A clock that goes back changes what the data are of, and nothing else.
#[test]
fn a_replay_of_an_earlier_time_counts() {
    let world = world();
    world.finish(vec![world.made(0, json!(2))]);
    let earlier = canvas_core::lease::Timestamp::from_millis(world.now().as_millis() - 7);
    let replay = FinishReplay { now: earlier, ..world.replay(vec![world.made(0, json!(3))]) };
    assert!(world.ask(replay).unwrap().committed);
    assert_eq!(world.shown(0), "ready 3 @3");
}

/// What two servers do at once is decided one after the other: that nothing differs is never said by an old head.
#[test]
fn an_old_head_does_not_say_that_nothing_differs() {
    let world = world();
    let outcomes = vec![world.made(0, json!(2))];
    world.finish(outcomes.clone());
    let replay = world.replay(Vec::new());
    // The engine has the head in its cache.
    block_on(world.engine.snapshot(&world.canvas, world.now())).unwrap();
    // Another server, which this engine does not hear of.
    let row = block_on(Store::load(world.engine.store(), &world.canvas)).unwrap().unwrap();
    let mut head: Value = serde_json::from_slice(&row.head.to_json()).unwrap();
    head["draft"].as_object_mut().unwrap().remove("data.json");
    let head = std::sync::Arc::new(serde_json::from_value(head).unwrap());
    let commit = Commit { expected: Some(row.version), head, blobs: Vec::<Blob>::new(), not_after: None };
    assert!(matches!(block_on(Store::commit(world.engine.store(), commit)).unwrap(), Committed::Done { .. }));
    let replay = FinishReplay { outcomes, ..replay };
    assert!(world.ask(replay).unwrap().committed);
    assert_eq!(world.shown(0), "ready 2 @10");
}

/// A recipe of a later version is there, says what it feeds, and is left by whoever does not know it.
#[test]
fn a_stored_recipe_of_a_later_version_keeps_its_data() {
    let world = world();
    let row = block_on(Store::load(world.engine.store(), &world.canvas)).unwrap().unwrap();
    let mut json = world.recipe().unwrap().to_json();
    json["version"] = json!(2);
    let blob = Blob::text(json.to_string());
    let mut head: Value = serde_json::from_slice(&row.head.to_json()).unwrap();
    head["draft"]["recipe.json"] = json!(blob.id());
    let head = std::sync::Arc::new(serde_json::from_value(head).unwrap());
    let commit = Commit { expected: Some(row.version), head, blobs: vec![blob], not_after: None };
    block_on(Store::commit(world.engine.store(), commit)).unwrap();
    let later = world.recipe().unwrap();
    let drift = later.recipe().unwrap_err().clone();
    let outcomes = later
        .targets()
        .iter()
        .map(|target| ReplayOutcome { target: target.clone(), result: Err(drift.clone()) });
    let (finished, patch) = world.finish(outcomes.collect());
    assert_eq!((finished.stale.len(), patch), (5, vec![]));
    let shown = [0, 1].map(|component| world.shown(component));
    assert_eq!(shown, ["stale 1 @0 VERSION_MISMATCH", "error VERSION_MISMATCH"]);
    assert_eq!(world.state(), json!({"title": "Sales"}));
}
