//! Undo of recipes, and of what people do between replays.

use std::num::NonZeroU32;
use std::time::Duration;

use canvas_core::history::{ChangeNumber, Undo, UndoScope};
use canvas_core::recipe::{DriftCode, RecordRecipe};
use canvas_core::testing::block_on;
use canvas_core::{Author, CollectOptions, DroppedBlobs, Face, Role};
use serde_json::json;

use super::world::{World, put, recipe, recipe_of, recording};

fn kept(world: &World) -> Option<String> {
    world.recipe().map(|recipe| recipe.to_json()["steps"][0]["tool"].as_str().unwrap().to_owned())
}

fn with_tool(world: &World, tool: &str) -> serde_json::Value {
    recipe_of(json!({"id": "s", "tool": tool}), world, &[0], &[])
}

/// A recipe is undone as a whole, and the data that it came with stay.
#[test]
fn a_recipe_is_undone_and_redone() {
    let world = World::new(1);
    world.record(with_tool(&world, "t0"), &[(0, json!(1))]).unwrap();
    world.record(with_tool(&world, "t1"), &[(0, json!(2))]).unwrap();
    world.ask(RecordRecipe { recipe: None, ..recording(&world, json!(null)) }).unwrap();
    let name = |tool: &str| Some(tool.to_owned());
    for (steps, is_undo, expected) in [
        (1, true, name("t1")),
        (1, true, name("t0")),
        (1, true, None),
        (2, false, name("t1")),
        (1, false, None),
        (3, true, None),
        (1, false, name("t0")),
    ] {
        let before = world.head();
        let answer = if is_undo { world.undo(steps) } else { world.redo(steps) };
        assert_eq!((answer, kept(&world)), ("OK", expected), "{steps}");
        assert!(world.head().face_revision(Face::Recipe) > before.face_revision(Face::Recipe));
        assert_eq!(world.head().face_revision(Face::Data), before.face_revision(Face::Data));
        world.replays();
    }
    assert_eq!(world.shown(0), "frozen 2 @0 NOT_IN_RECIPE");
    world.finish(vec![world.made(0, json!(3))]);
    assert_eq!(world.shown(0), "ready 3 @0");
}

/// One recipe from under others: they stand on one another.
#[test]
fn a_recipe_under_another_one_is_not_undone_alone() {
    let world = World::new(1);
    world.record(with_tool(&world, "t0"), &[]).unwrap();
    let first = ChangeNumber::new(world.entries());
    world.set(&json!([{"op": "add", "path": "/title", "value": "New"}]));
    world.record(with_tool(&world, "t1"), &[]).unwrap();
    let second = ChangeNumber::new(world.entries());
    world.set(&json!([{"op": "add", "path": "/title", "value": "Newer"}]));
    let undo = |what| world.code(Undo { by: Author::User, what });
    assert_eq!(undo(UndoScope::Change(first)), "HISTORY_CONFLICT");
    assert_eq!((undo(UndoScope::Change(second)), kept(&world)), ("OK", Some("t0".to_owned())));
    assert_eq!(world.state()["title"], "Newer");
    assert_eq!(
        (world.undo(1), kept(&world)),
        ("OK", Some("t1".to_owned())),
        "a revert is undone like an edit"
    );
    assert_eq!(undo(UndoScope::Author { author: Role::User, since: None }), "OK");
    assert_eq!((kept(&world), world.state()), (None, json!({"title": "Sales"})));
    world.replays();
}

/// Replays leave the stacks of undo alone, on every face.
#[test]
fn people_undo_what_they_did_between_replays() {
    let world = World::new(2);
    world.record(recipe(&world, &[0, 1], &["/total"]), &[]).unwrap();
    for round in 0..3 {
        world.finish(vec![world.made(0, json!(round)), put("/total", json!(round))]);
        world.set(&json!([{"op": "add", "path": "/title", "value": format!("{round}")}]));
        world.board(&json!({"type": "component.resize", "payload": {
            "componentId": world.components[1], "size": {"cols": 1, "rows": round + 2},
        }}));
    }
    world.finish(vec![
        world.made(0, json!(9)),
        world.failed(1, DriftCode::CallFailed),
        put("/total", json!(9)),
    ]);
    assert_eq!(world.undo(6), "OK");
    assert_eq!(world.state(), json!({"title": "Sales", "total": 9}));
    assert_eq!((world.shown(0), world.shown(1)), ("ready 9 @0".to_owned(), "error CALL_FAILED".to_owned()));
    world.finish(vec![world.made(0, json!(10))]);
    assert_eq!(world.redo(6), "OK");
    assert_eq!(world.state(), json!({"title": "2", "total": 9}));
    world.replays();
    // What a person has done to a place that a replay has fed since is not undone.
    world.set(&json!([{"op": "replace", "path": "/total", "value": 0}]));
    world.finish(vec![put("/total", json!(11))]);
    assert_eq!((world.undo(1), world.state()["total"].clone()), ("HISTORY_CONFLICT", json!(11)));
}

/// What the history needs stays, and of data only those that the canvas has.
#[test]
fn old_data_are_collected_and_old_recipes_are_not() {
    let world = World::new(2);
    world.record(with_tool(&world, "t0"), &[(0, json!("x".repeat(1_000)))]).unwrap();
    world.record(with_tool(&world, "t1"), &[]).unwrap();
    for round in 0..5 {
        world.finish(vec![world.made(0, json!(format!("{round}").repeat(1_000)))]);
    }
    world.wait(120_000);
    let collect = |history| {
        let older_than = Duration::from_secs(60);
        let collection = CollectOptions { older_than, history, ..CollectOptions::default() };
        block_on(world.engine.collect(&world.canvas, collection)).unwrap()
    };
    let DroppedBlobs { bytes, .. } = collect(None);
    assert!((5_000..9_000).contains(&bytes), "five of six data, and old manifests: {bytes}");
    assert_eq!(world.shown(0).len(), "ready \"\" @0".len() + 1_000);
    world.replays();
    assert_eq!((world.undo(1), kept(&world)), ("OK", Some("t0".to_owned())));
    assert_eq!((world.redo(1), kept(&world)), ("OK", Some("t1".to_owned())));
    world.wait(120_000);
    collect(Some(0));
    assert_eq!(kept(&world), Some("t1".to_owned()));
    assert_eq!(world.undo(1), "HISTORY_EMPTY");
    let used = block_on(world.engine.blobs_in_use(&world.canvas, world.now())).unwrap();
    let data = world.head().draft().get(&canvas_core::store::TreePath::new("data.json").unwrap()).unwrap();
    assert!(used.contains(&data) && used.contains(&world.recipe().unwrap().id()));
}

/// A canvas that was deleted and made again has no recipe.
#[test]
fn a_deleted_canvas_has_no_recipe() {
    let world = World::new(1);
    world.record(with_tool(&world, "t0"), &[(0, json!(1))]).unwrap();
    block_on(world.engine.delete(&world.canvas, &world.key(), world.now())).unwrap();
    block_on(world.engine.create(&world.canvas, "# New\n", &world.key(), world.now())).unwrap();
    assert_eq!((kept(&world), world.shown(0).as_str()), (None, "-"));
}

/// A model takes its own recipe back, until a person has recorded one, or undone one, in its turn. A replay is no act of anybody.
#[test]
fn a_model_undoes_no_recipe_after_a_person_has_acted() {
    let by_model = |world: &World, tool: &str| RecordRecipe {
        by: Author::Assistant { lease: None },
        ..recording(world, with_tool(world, tool))
    };
    let undo = |world: &World| {
        let what = UndoScope::Steps(NonZeroU32::MIN);
        world.code(Undo { by: Author::Assistant { lease: None }, what })
    };
    type Act = fn(&World);
    let acts: [(Act, &str); 3] = [
        (|world| drop(world.finish(vec![world.made(0, json!(1))])), "OK"),
        (|world| drop(world.record(with_tool(world, "t2"), &[]).unwrap()), "USER_ACTED"),
        (|world| assert_eq!(world.undo(1), "OK"), "USER_ACTED"),
    ];
    for (act, expected) in acts {
        let mut world = World::new(1);
        world.next_turn();
        world.ask(by_model(&world, "t0")).unwrap();
        world.ask(by_model(&world, "t1")).unwrap();
        act(&world);
        assert_eq!(undo(&world), expected);
    }
}
