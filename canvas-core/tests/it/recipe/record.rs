//! Recipes are recorded.

use std::collections::BTreeMap;

use canvas_core::history::EntryKind;
use canvas_core::recipe::{DriftCode, FinishReplay, RecipeLimits, RecordRecipe};
use canvas_core::rollout::Rollout;
use canvas_core::testing::block_on;
use canvas_core::{Author, Face, Revision};
use serde_json::json;

use super::world::{World, put, recipe, recipe_of, recording, refused};

/// The recipe is its author's change; the data that it has made are an effect after it.
#[test]
fn a_recipe_comes_with_the_data_that_it_made() {
    let world = World::new(2);
    let before = world.revision();
    let recorded = world.record(recipe(&world, &[0, 1], &["/total"]), &[(0, json!([1.0]))]).unwrap();
    assert_eq!(recorded.revision.get(), before + 2);
    assert_eq!((world.shown(0), world.shown(1)), ("ready [1] @0".to_owned(), "-".to_owned()));
    let kept = world.recipe().unwrap();
    assert_eq!(Some(kept.id()), recorded.recipe);
    assert_eq!(kept.to_json()["steps"][0]["toolVersion"], "1.0");
    let entries = block_on(world.engine.history(&world.canvas, None, 2, world.now())).unwrap();
    let faces: Vec<_> = entries
        .iter()
        .map(|entry| (entry.step.face(), entry.kind, entry.revision_before.get(), entry.revision_after.get()))
        .collect();
    assert_eq!(
        faces,
        [
            (Face::Data, EntryKind::Effect, before + 1, before + 2),
            (Face::Recipe, EntryKind::Edit, before, before + 1),
        ]
    );
    let head = world.head();
    assert_eq!(head.face_revision(Face::Recipe).get(), before + 1);
    assert_eq!(head.face_revision(Face::Data).get(), before + 2);
    world.replays();
}

#[test]
fn the_same_recipe_again_changes_nothing() {
    let world = World::new(1);
    let recipe = recipe(&world, &[0], &[]);
    world.record(recipe.clone(), &[(0, json!(1))]).unwrap();
    let revision = world.revision();
    world.wait(5);
    world.record(recipe.clone(), &[(0, json!(1.0))]).unwrap();
    assert_eq!((world.revision(), world.shown(0).as_str()), (revision, "ready 1 @0"));
    // As it is kept, with its contracts, too.
    world.record(world.recipe().unwrap().to_json(), &[]).unwrap();
    assert_eq!(world.revision(), revision);
    world.record(recipe, &[(0, json!(2))]).unwrap();
    assert_eq!((world.revision(), world.shown(0).as_str()), (revision + 1, "ready 2 @5"));
}

/// A retry is answered as it was, and the same id for another recipe is refused.
#[test]
fn a_retry_is_answered_from_the_receipt() {
    let world = World::new(2);
    let (key, first) = (world.key(), recording(&world, recipe(&world, &[0], &[])));
    let recorded = world.ask_as(&key, first.clone()).unwrap();
    assert_eq!(world.record(recipe(&world, &[1], &[]), &[]).unwrap().revision.get(), world.revision());
    let revision = world.revision();
    assert_eq!(world.ask_as(&key, first.clone()), Ok(recorded));
    for other in [
        RecordRecipe { recipe: None, ..first.clone() },
        RecordRecipe { expected: Some(Revision::ZERO), ..first.clone() },
        RecordRecipe { by: Author::Host, ..first.clone() },
        RecordRecipe { data: BTreeMap::from([(world.components[0].clone(), json!(1))]), ..first },
    ] {
        assert_eq!(world.ask_as(&key, other), refused("CALL_ID_REUSED", ""));
    }
    assert_eq!(world.revision(), revision);
}

#[test]
fn what_is_refused_changes_nothing() {
    let world = World::new(1);
    world.record(recipe(&world, &[0], &[]), &[(0, json!(1))]).unwrap();
    let head = world.head();
    let with = |place: &str, value: serde_json::Value| {
        let mut json = recipe(&world, &[0], &["/a"]);
        *json.pointer_mut(place).unwrap() = value;
        json
    };
    for (json, code, place) in [
        (json!(7), "RECIPE_INVALID", "/recipe"),
        (with("/version", json!(2)), "VERSION_MISMATCH", "/recipe/version"),
        (
            with("/steps/0/params/day/$date", json!("now-1x")),
            "EXPR_INVALID",
            "/recipe/steps/0/params/day/$date",
        ),
        (with("/mappings/0/component", json!("gone")), "RECIPE_INVALID", "/recipe/mappings/0/component"),
        (with("/mappings/1/state", json!("a")), "RECIPE_INVALID", "/recipe/mappings/1/state"),
    ] {
        assert_eq!(world.record(json.clone(), &[]), refused(code, place), "{json}");
    }
    let mut deep = json!(1);
    (0..65).for_each(|_| deep = json!([deep]));
    for (value, place) in
        [(json!("x".repeat(262_143)), ""), (json!([9_007_199_254_740_993_u64]), "/0"), (deep, "")]
    {
        let place = format!("/data/{}{place}", world.components[0]);
        let answer = world.record(recipe(&world, &[0], &[]), &[(0, value)]);
        assert_eq!(answer, refused("MAPPING_FAILED", &place));
    }
    let answer = world.record(recipe(&world, &[], &["/a"]), &[(0, json!(1))]);
    assert_eq!(answer, refused("RECIPE_INVALID", &format!("/data/{}", world.components[0])));
    assert_eq!(world.head().draft(), head.draft());
    assert_eq!(world.revision(), head.revision().get());
    assert_eq!(world.shown(0), "ready 1 @0");
}

/// A canvas without a board takes the host's ids; one without a surface has no state to be fed.
#[test]
fn what_the_canvas_does_not_have() {
    let mut world = World::bare(|_| ());
    world.components.push(canvas_core::board::ComponentId::new("chart").unwrap());
    let answer = world.record(recipe(&world, &[0], &["/a"]), &[]);
    assert_eq!(answer, refused("RECIPE_INVALID", "/recipe/mappings/1/state"));
    world.record(recipe(&world, &[0], &[]), &[(0, json!(1))]).unwrap();
    world.finish(vec![world.made(0, json!(2))]);
    assert_eq!(world.shown(0), "ready 2 @0");
    world.replays();
}

/// The expected revision is that of the recipe: what happens elsewhere does not matter.
#[test]
fn a_recipe_is_replaced_only_where_it_is_the_one_expected() {
    let world = World::new(2);
    let (first, second) = (recipe(&world, &[0], &[]), recipe(&world, &[1], &[]));
    let expecting = |recipe: &serde_json::Value, expected: u64| RecordRecipe {
        expected: Revision::new(expected).ok(),
        ..recording(&world, recipe.clone())
    };
    let recorded = world.ask(expecting(&first, world.revision())).unwrap().revision.get();
    world.delete(1);
    world.finish(vec![world.made(0, json!(1))]);
    let revision = world.revision();
    for (expected, is_taken) in [(recorded - 1, false), (revision + 1, false), (recorded, true)] {
        let second = RecordRecipe {
            recipe: Some(recipe_of(json!({"id": "s", "tool": "t1"}), &world, &[0], &[])),
            ..expecting(&second, expected)
        };
        let answer = world.ask(second).map(drop);
        assert_eq!(
            answer,
            if is_taken { Ok(()) } else { refused("REVISION_CONFLICT", "/expected") },
            "{expected}"
        );
    }
}

/// Steps that may not be called again are frozen when they are recorded, and their components keep what they had.
#[test]
fn components_that_no_replay_feeds() {
    let world = World::new(2);
    let sends = json!({"id": "s", "tool": "send", "params": {"to": "all"}});
    let recorded = world.record(recipe_of(sends, &world, &[0, 1], &[]), &[(0, json!("sent"))]).unwrap();
    let reasons: Vec<_> = recorded.non_refreshable.iter().map(|one| one.component.clone()).collect();
    assert_eq!(reasons, world.components);
    assert!(recorded.non_refreshable[0].reason.contains("read-only"));
    assert_eq!(
        (world.shown(0), world.shown(1)),
        ("frozen \"sent\" @0 FROZEN".to_owned(), "frozen FROZEN".to_owned())
    );
    let (finished, patch) =
        world.finish(vec![world.failed(0, DriftCode::Frozen), world.failed(1, DriftCode::Frozen)]);
    assert_eq!((finished.committed, patch), (false, vec![]));
    // Another recipe makes them again.
    world.record(recipe(&world, &[0, 1], &[]), &[(1, json!(2))]).unwrap();
    assert_eq!(
        (world.shown(0), world.shown(1)),
        ("frozen \"sent\" @0 FROZEN".to_owned(), "ready 2 @0".to_owned())
    );
    world.finish(vec![world.made(0, json!(1))]);
    assert_eq!(world.shown(0), "ready 1 @0");
}

/// What another recipe does not make stays as it is, and is said to be so; what is gone with its component goes.
#[test]
fn another_recipe_leaves_the_data_of_the_one_before() {
    let world = World::new(3);
    let data = [(0, json!(0)), (1, json!(1)), (2, json!(2))];
    world.record(recipe(&world, &[0, 1, 2], &[]), &data).unwrap();
    world.delete(2);
    world.wait(7);
    assert_eq!(world.shown(2), "ready 2 @0", "an undo may bring it back");
    world.record(recipe(&world, &[0], &[]), &[]).unwrap();
    let shown = |world: &World| [0, 1, 2].map(|component| world.shown(component));
    assert_eq!(shown(&world), ["ready 0 @0", "frozen 1 @0 NOT_IN_RECIPE", "-"]);
    let remove = RecordRecipe { recipe: None, ..recording(&world, json!(null)) };
    let recorded = world.ask(remove.clone()).unwrap();
    assert_eq!((recorded.recipe, world.recipe().is_none()), (None, true));
    assert_eq!(shown(&world), ["frozen 0 @0 NOT_IN_RECIPE", "frozen 1 @0 NOT_IN_RECIPE", "-"]);
    let revision = world.revision();
    world.ask(remove).unwrap();
    assert_eq!(world.revision(), revision);
    world.replays();
}

#[test]
fn a_canvas_has_data_of_so_many_components_only() {
    let world = World::with(3, |policy| policy.recipe = RecipeLimits { components: 2, ..policy.recipe });
    let data = |components: &[usize]| components.iter().map(|number| (*number, json!(1))).collect::<Vec<_>>();
    let answer = world.record(recipe(&world, &[0, 1, 2], &[]), &data(&[0, 1, 2]));
    assert_eq!(answer, refused("RECIPE_INVALID", "/recipe/mappings"));
    world.record(recipe(&world, &[0, 1, 2], &[]), &data(&[0, 1])).unwrap();
    world.record(recipe(&world, &[0, 1], &[]), &data(&[0, 1])).unwrap();
    // The data of the others stay, and there is no room for more.
    assert_eq!(
        world.record(recipe(&world, &[2], &[]), &data(&[2])),
        refused("RECIPE_INVALID", "/recipe/mappings")
    );
    world.delete(0);
    world.record(recipe(&world, &[2], &[]), &data(&[2])).unwrap();
    assert_eq!(
        [0, 1, 2].map(|component| world.shown(component)),
        ["-", "frozen 1 @0 NOT_IN_RECIPE", "ready 1 @0"]
    );
}

#[test]
fn a_model_records_in_its_own_turn() {
    let mut world = World::new(1);
    world.next_turn();
    let model = |world: &World| RecordRecipe {
        by: Author::Assistant { lease: None },
        ..recording(world, recipe(world, &[0], &[]))
    };
    world.ask(model(&world)).unwrap();
    assert_eq!(world.code(canvas_core::turn::Cancel), "OK");
    assert_eq!(world.ask(model(&world)), refused("LOCK_NOT_AVAILABLE", ""));
    world.ask(recording(&world, recipe(&world, &[0], &[]))).unwrap();
    // What it has begun to replay may end after its turn.
    let late =
        FinishReplay { by: Author::Assistant { lease: None }, ..world.replay(vec![world.made(0, json!(1))]) };
    assert!(world.ask(late).unwrap().committed);
    for rollout in [Rollout::Off, Rollout::ReadOnly] {
        let world = World::with(1, |policy| policy.rollout = rollout);
        assert_eq!(world.ask(model(&world)), refused("TOOL_DISABLED", ""));
        world.ask(recording(&world, recipe(&world, &[0], &[]))).unwrap();
        let replay = world.replay(vec![world.made(0, json!(1))]);
        let by_model = FinishReplay { by: Author::Assistant { lease: None }, ..replay };
        assert_eq!(world.ask(by_model), refused("TOOL_DISABLED", ""));
    }
    let world = World::new(1);
    world.record(recipe(&world, &[0], &["/a"]), &[]).unwrap();
    assert!(world.finish(vec![put("/a", json!(1))]).0.committed);
}
