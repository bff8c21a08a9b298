//! What holds of every replay: it is the same again, from the same responses, whatever the order of their keys.

use std::collections::BTreeMap;

use canvas_core::document::Edit;
use canvas_core::history::{Undo, UndoScope};
use canvas_core::recipe::RecipeLimits;
use canvas_core::{Author, CodedError as _};
use canvas_tools::recipe::{ReplayReport, RunRecord};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::recipe::world::{DAY, World, orders};

/// Calls, data and patch of a recorded turn that is replayed three days later.
fn told(report: &ReplayReport, world: &World) -> String {
    json!([report.run.calls, report.patch(), world.data()]).to_string()
}

/// The same value from another text: members in the other order, whole numbers as doubles.
fn shuffled(value: &Value) -> Value {
    fn write(value: &Value, text: &mut String) {
        match value {
            Value::Object(members) => {
                text.push('{');
                for (number, (name, member)) in members.iter().rev().enumerate() {
                    let comma = if number > 0 { "," } else { "" };
                    text.push_str(&format!("{comma}{}:", json!(name)));
                    write(member, text);
                }
                text.push('}');
            }
            Value::Array(items) => {
                text.push('[');
                for (number, item) in items.iter().enumerate() {
                    text.push_str(if number > 0 { "," } else { "" });
                    write(item, text);
                }
                text.push(']');
            }
            Value::Number(number) if number.is_u64() => text.push_str(&format!("{number}.0")),
            scalar => text.push_str(&scalar.to_string()),
        }
    }
    let mut text = String::new();
    write(value, &mut text);
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_recorded_turn_replays_to_the_same_bytes_ten_times_of_ten() {
    let mut all = Vec::new();
    for number in 0..10 {
        let mut world = World::recorded();
        world.wait(3 * DAY);
        if number % 2 == 1 {
            world.renew();
        }
        if number >= 5 {
            world.host.script("orders", |arguments| Ok(shuffled(&orders(arguments))));
        }
        let report = world.replay();
        assert_eq!(report.patch().len(), 3);
        all.push(told(&report, &world));
    }
    assert_eq!(all, vec![all[0].clone(); 10]);
}

#[test]
fn a_second_replay_changes_nothing() {
    let world = World::recorded();
    world.wait(3 * DAY);
    let first = world.replay();
    let second = world.replay();
    assert!(first.run.finished.committed && !second.run.finished.committed);
    assert_eq!((second.patch().len(), second.revision()), (0, first.revision()));
    assert_eq!(second.refreshed(), first.refreshed());
}

#[test]
fn edits_of_the_user_are_undone_past_replays() {
    let world = World::recorded();
    let edit = |markdown: &str| world.run(Edit { markdown: markdown.to_owned(), base: None }).unwrap();
    edit("one\n");
    world.wait(3 * DAY);
    let report = world.replay();
    assert_eq!(report.patch().len(), 3);
    let data = world.data();
    edit("two\n");
    world.wait(60_000);
    world.replay();
    for _ in 0..2 {
        let steps = UndoScope::Steps(std::num::NonZeroU32::MIN);
        world.run(Undo { by: Author::User, what: steps }).unwrap();
        assert_eq!(world.data(), data, "a replay is not undone");
    }
    // Below them stands the recipe itself.
    world.run(Undo { by: Author::User, what: UndoScope::Steps(std::num::NonZeroU32::MIN) }).unwrap();
    assert_eq!(world.data(), data);
    assert_eq!(world.try_replay(world.request()).unwrap_err().code(), "RECIPE_NOT_FOUND");
}

fn rerun(
    run: &RunRecord,
    world: &World,
    responses: &BTreeMap<canvas_core::json::JsonHash, Value>,
) -> Result<Value, &'static str> {
    let recipe = world.recipe().recipe().unwrap().clone();
    let rerun = run.rerun(recipe, responses, RecipeLimits::default()).map_err(|error| error.code())?;
    Ok(json!([rerun.calls, rerun.patch, rerun.data]))
}

#[test]
fn a_run_that_is_read_from_its_json_plays_again_and_only_with_its_own_responses() {
    let mut world = World::recorded();
    world.wait(3 * DAY);
    world.host.script("customer", |_| Ok(json!({"name": "Ada", "extra": [1, 2]})));
    let report = world.replay();
    let run: RunRecord = serde_json::from_str(&json!(report.run).to_string()).unwrap();
    assert_eq!(run, report.run);
    let data = world.data();
    let made: BTreeMap<_, _> = data.components.iter().map(|(id, data)| (id, &data.data)).collect();
    let expected = json!([report.run.calls, report.patch(), made]);
    // The canvas goes on; the run is what it was.
    world.wait(30 * DAY);
    world.replay();
    assert_eq!(rerun(&run, &world, &report.responses), Ok(expected));

    for hash in report.responses.keys() {
        let mut missing = report.responses.clone();
        missing.remove(hash);
        assert_eq!(rerun(&run, &world, &missing), Err("RESPONSE_MISSING"));
        let mut altered = report.responses.clone();
        altered.insert(*hash, json!({"rows": []}));
        assert_eq!(rerun(&run, &world, &altered), Err("RESPONSE_ALTERED"));
    }
    let with = |change: fn(&mut RunRecord)| {
        let mut other = run.clone();
        change(&mut other);
        rerun(&other, &world, &report.responses)
    };
    assert_eq!(with(|run| run.tzdb_version = "1999a".to_owned()), Err("VERSION_MISMATCH"));
    assert_eq!(with(|run| run.timezone = "Mars/Base".to_owned()), Err("RUN_MISMATCH"));
    assert_eq!(with(|run| drop(run.calls.pop())), Err("RUN_MISMATCH"));
    assert_eq!(with(|run| drop(run.patch.pop())), Err("RUN_MISMATCH"));
    assert_eq!(with(|run| run.calls[0].params["from"] = json!("2026-04-01")), Err("RUN_MISMATCH"));
}

/// What the tools answer, or that they fail, or are gone.
#[derive(Debug, Clone)]
enum Tool {
    Answers(Value),
    Fails,
    IsGone,
}

fn tools() -> impl Strategy<Value = Tool> {
    let row = (prop::option::of(0..5_i64), 0..4_u8)
        .prop_map(|(amount, id)| json!({"id": id.to_string(), "amount": amount}));
    let rows = prop::collection::vec(row, 0..6)
        .prop_map(|rows| Tool::Answers(json!({"rows": rows, "name": rows.len()})));
    // Most replays go well, or all that is tested is how they fail.
    prop_oneof![6 => rows, 1 => Just(Tool::Answers(json!({"rows": 1}))), 1 => Just(Tool::Fails), 1 => Just(Tool::IsGone)]
}

proptest! {
    #[test]
    fn rerun_is_run_and_a_second_replay_is_empty(orders in tools(), customer in tools()) {
        let mut world = World::recorded();
        for (name, tool) in [("orders", &orders), ("customer", &customer)] {
            match tool.clone() {
                Tool::Answers(value) => world.host.script(name, move |_| Ok(value.clone())),
                Tool::Fails => world.host.script(name, |_| Err(canvas_core::surface::ActionFailure::TimedOut)),
                Tool::IsGone => world.tools.retain(|tool, _| tool.as_str() != name),
            }
        }
        world.renew();
        let report = world.replay();
        let again = rerun(&report.run, &world, &report.responses);
        let again = again.map_err(TestCaseError::fail)?;
        prop_assert_eq!(&again[0], &json!(report.run.calls));
        prop_assert_eq!(&again[1], &json!(report.patch()));
        let second = world.replay();
        prop_assert_eq!((second.patch().len(), second.revision()), (0, report.revision()));
        prop_assert_eq!(second.stale(), report.stale());
        // Every component is either fresh or says why not.
        prop_assert_eq!(report.refreshed().len() + report.stale().len(), 3);
    }
}
