//! Edits, recipes, replays and undo in any order.

use canvas_core::Author;
use canvas_core::history::{ChangeNumber, Undo, UndoScope};
use canvas_core::recipe::{DriftCode, RecordRecipe, ReplayOutcome, Target};
use canvas_core::surface::{PatchState, StatePatch};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::world::{World, client, datum, recipe, recording};

#[derive(Debug, Clone)]
enum Act {
    /// Which components and places it feeds, and whether it comes with data.
    Record(Vec<usize>, Vec<usize>, bool),
    Remove,
    /// For each target the value, or none where it fails.
    Replay(Vec<Option<u8>>),
    Set(usize, u8),
    Resize(usize, u32),
    Delete(usize),
    Undo(u32),
    Redo(u32),
    UndoChange(prop::sample::Index),
}

const PLACES: [&str; 4] = ["/a", "/b/x", "/b/y", "/list/0"];

fn act() -> impl Strategy<Value = Act> {
    let some = |of: usize| prop::sample::subsequence((0..of).collect::<Vec<_>>(), 0..=of);
    prop_oneof![
        3 => (some(3), some(4), any::<bool>()).prop_map(|(c, s, d)| Act::Record(c, s, d)),
        1 => Just(Act::Remove),
        8 => prop::collection::vec(proptest::option::weighted(0.8, 0..3_u8), 7).prop_map(Act::Replay),
        3 => (0..4_usize, 0..3_u8).prop_map(|(place, value)| Act::Set(place, value)),
        2 => (0..3_usize, 1..4_u32).prop_map(|(component, rows)| Act::Resize(component, rows)),
        1 => (0..3_usize).prop_map(Act::Delete),
        5 => (1..3_u32).prop_map(Act::Undo),
        4 => (1..3_u32).prop_map(Act::Redo),
        2 => any::<prop::sample::Index>().prop_map(Act::UndoChange),
    ]
}

fn take(world: &World, act: &Act) {
    match act {
        Act::Record(components, places, _) if components.is_empty() && places.is_empty() => {}
        Act::Record(components, places, has_data) => {
            let places: Vec<_> = places.iter().map(|place| PLACES[*place]).collect();
            let data: Vec<_> = components
                .iter()
                .filter(|_| *has_data)
                .map(|component| (*component, json!(component)))
                .collect();
            // Refused where a component is gone.
            let _ = world.record(recipe(world, components, &places), &data);
        }
        Act::Remove => {
            world.ask(RecordRecipe { recipe: None, ..recording(world, json!(null)) }).unwrap();
        }
        Act::Replay(values) => replay(world, values),
        Act::Set(place, value) => {
            // Refused where an undo has taken the list, or the object around it.
            let patch = json!([{"op": "replace", "path": PLACES[*place], "value": value}]);
            let patch = StatePatch::parse(&patch).unwrap();
            world.code(PatchState { by: client(), patch, expected: None });
        }
        Act::Resize(component, rows) => {
            let payload =
                json!({"componentId": world.components[*component], "size": {"cols": 1, "rows": rows}});
            world.try_board(&json!({"type": "component.resize", "payload": payload}));
        }
        Act::Delete(component) => {
            let payload = json!({"componentId": world.components[*component]});
            world.try_board(&json!({"type": "component.remove", "payload": payload}));
        }
        Act::Undo(steps) => drop(world.undo(*steps).to_owned()),
        Act::Redo(steps) => drop(world.redo(*steps).to_owned()),
        Act::UndoChange(which) => {
            let entries = world.entries();
            let what = UndoScope::Change(ChangeNumber::new(which.index(entries as usize + 1) as u64));
            world.code(Undo { by: Author::User, what });
        }
    }
}

/// The patch leads from the values before to those after; the same replay again changes nothing.
fn replay(world: &World, values: &[Option<u8>]) {
    let Some(recipe) = world.recipe() else { return };
    let outcomes: Vec<_> = recipe
        .targets()
        .iter()
        .zip(values)
        .map(|(target, value)| {
            let drift = || canvas_core::recipe::Drift::new(DriftCode::CallFailed, "no answer: refresh again");
            let result = value.map(|value| datum(json!({"value": value}))).ok_or_else(drift);
            ReplayOutcome { target: target.clone(), result }
        })
        .collect();
    let mut before = values_of(world);
    let (finished, patch) = world.finish(outcomes.clone());
    let operations: json_patch::Patch = serde_json::from_value(json!(patch)).unwrap();
    json_patch::patch(&mut before, &operations).unwrap();
    assert_eq!(before, values_of(world));
    for outcome in &outcomes {
        let has_it = match &outcome.target {
            Target::Component(id) => finished.refreshed.contains(id),
            place => !finished.stale.iter().any(|stale| stale.target == *place),
        };
        if has_it && let (Target::State(place), Ok(datum)) = (&outcome.target, &outcome.result) {
            assert_eq!(world.state().pointer(place.as_str()), Some(datum.value()));
        }
    }
    let revision = world.revision();
    let (again, patch) = world.finish(outcomes);
    assert_eq!((again.committed, patch.len(), world.revision()), (false, 0, revision));
    assert_eq!((again.refreshed, again.stale), (finished.refreshed, finished.stale));
}

/// `{data, state}`.
fn values_of(world: &World) -> Value {
    let data = world
        .data()
        .components
        .into_iter()
        .filter_map(|(id, data)| Some((id.as_str().to_owned(), data.data?)));
    json!({"data": Value::Object(data.collect()), "state": world.state()})
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever the order: the journal plays back to the tree that the canvas has, a replay again changes nothing, its patch
    /// leads to what is there, and no undo changes data.
    #[test]
    fn edits_recipes_replays_and_undo_play_back_to_the_canvas(acts in prop::collection::vec(act(), 1..16)) {
        let world = World::new(3);
        world.set(&json!([{"op": "add", "path": "", "value": {"b": {}, "list": [1, 2]}}]));
        for act in &acts {
            let data = world.data();
            take(&world, act);
            if matches!(act, Act::Undo(_) | Act::Redo(_) | Act::UndoChange(_)) {
                assert_eq!(world.data(), data);
            }
            world.replays();
            world.wait(1);
        }
    }
}
