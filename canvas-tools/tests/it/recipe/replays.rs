//! Replays as machines: what they say next, what they are told, and how they end.

use std::collections::BTreeSet;
use std::sync::Arc;

use canvas_core::board::ComponentId;
use canvas_core::recipe::{RecipeLimits, RecordRecipe, RunId};
use canvas_core::testing::block_on;
use canvas_core::turn::Cancel;
use canvas_core::{Author, CodedError as _};
use canvas_tools::recipe::{Replay, ReplayRequest};
use proptest::prelude::*;
use serde_json::json;

use crate::recipe::world::{World, canvas, declaration, orders, stale};

fn begin(world: &World, request: ReplayRequest) -> Replay {
    begin_without(world, request, &BTreeSet::new())
}

fn begin_without(world: &World, request: ReplayRequest, gone: &BTreeSet<usize>) -> Replay {
    let (run, ceiling) = (RunId::new("run").unwrap(), Arc::clone(world.engine.ceiling()));
    let is_there = |id: &ComponentId| !gone.iter().any(|gone| id.as_str() == format!("p{gone}"));
    Replay::begin(world.recipe(), ceiling, RecipeLimits::default(), run, request, is_there).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Steps of which each may need an earlier one, and a component for some of them: a step is called if a component that is
    /// there needs it, and no other.
    #[test]
    fn no_step_is_called_for_components_that_are_gone(
        needs in prop::collection::vec(prop::option::of(any::<prop::sample::Index>()), 1..8),
        fed in prop::collection::vec(0_usize..8, 1..6),
        gone in prop::collection::btree_set(0_usize..6, 0..6),
    ) {
        let count = needs.len();
        let needs: Vec<Option<usize>> = needs.iter().enumerate()
            .map(|(place, need)| need.filter(|_| place > 0).map(|need| need.index(place))).collect();
        let fed: Vec<usize> = fed.into_iter().map(|step| step % count).collect();
        let steps: Vec<_> = needs.iter().enumerate().map(|(place, need)| {
            let id = need.map(|need| json!({"$result": {"step": format!("s{need}"), "path": "/rows/0/id"}}));
            json!({"id": format!("s{place}"), "tool": "orders", "params": {"from": "2026-04-08", "id": id}})
        }).collect();
        let mappings: Vec<_> = fed.iter().enumerate()
            .map(|(n, step)| json!({"step": format!("s{step}"), "path": "/rows/0/id", "component": format!("p{n}")})).collect();
        let mut expected = BTreeSet::new();
        for (_, step) in fed.iter().enumerate().filter(|(n, _)| !gone.contains(n)) {
            let mut step = Some(*step);
            while let Some(place) = step {
                expected.insert(format!("s{place}"));
                step = needs[place];
            }
        }
        let world = World::new();
        world.put_recipe(json!({"version": 1, "catalogue": 1, "steps": steps, "mappings": mappings}));
        let mut replay = begin_without(&world, world.request(), &gone);
        let mut called = BTreeSet::new();
        while let Some(call) = replay.next_call() {
            replay.settle(&call.step, Ok(orders(&call.invocation.arguments))).unwrap();
            called.insert(call.step.to_string());
        }
        prop_assert_eq!(called, expected);
        let finish = replay.finish().unwrap();
        prop_assert_eq!(finish.outcomes.len(), (0..fed.len()).filter(|n| !gone.contains(n)).count());
    }
}

#[test]
fn it_waits_for_each_answer_and_takes_each_once() {
    let world = World::recorded();
    let mut replay = begin(&world, world.request());
    let call = replay.next_call().unwrap();
    assert_eq!((call.step.as_str(), &call.invocation.arguments), ("c1", &json!({"from": "2026-04-08"})));
    assert_eq!(call.invocation.timeout, Replay::TIMEOUT);
    assert_eq!((replay.next_call(), replay.finish()), (None, None));
    assert_eq!(replay.pending(), [&call.step]);
    let answer = orders(&call.invocation.arguments);
    replay.settle(&call.step, Ok(answer.clone())).unwrap();
    assert_eq!(replay.settle(&call.step, Ok(answer)).unwrap_err().code(), "STEP_NOT_PENDING");
    let second = replay.next_call().unwrap();
    assert_eq!((second.step.as_str(), &second.invocation.arguments), ("c2", &json!({"order": "b"})));
    assert_ne!(second.invocation.event_id, call.invocation.event_id);
    assert_eq!(replay.finish(), None);
    replay.settle(&second.step, Ok(json!({"name": "Ada"}))).unwrap();
    assert_eq!((replay.pending().len(), replay.calls().len()), (0, 2));
    let finish = replay.finish().unwrap();
    assert_eq!((finish.outcomes.len(), finish.recipe), (3, world.recipe().id()));
    let landed =
        block_on(replay.land(&world.engine, (&canvas(), &world.key()), finish, world.now())).unwrap();
    assert_eq!(json!(landed.patch()), json!([{"op": "replace", "path": "/data/customer", "value": "Ada"}]));
}

#[test]
fn the_order_of_answers_changes_nothing() {
    let world = World::new();
    let step = |id: &str| json!({"id": id, "tool": "orders", "params": {"from": {"$date": "now-7d/d", "as": "date"}}});
    let map = |id: &str| json!({"step": id, "path": "/rows/0/id", "component": id});
    world.put_recipe(json!({
        "version": 1, "catalogue": 1, "steps": [step("a"), step("b"), step("c")],
        "mappings": [map("c"), map("a"), map("b")],
    }));
    let finished = |order: [usize; 3]| {
        let mut replay = begin(&world, world.request());
        let calls: Vec<_> = std::iter::from_fn(|| replay.next_call()).collect();
        assert_eq!(calls.len(), 3);
        for place in order {
            replay.settle(&calls[place].step, Ok(orders(&calls[place].invocation.arguments))).unwrap();
        }
        (replay.finish().unwrap(), replay.calls())
    };
    let expected = finished([0, 1, 2]);
    for order in [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        assert_eq!(finished(order), expected);
    }
}

#[test]
fn a_recipe_that_is_replaced_or_gone_meanwhile_drops_the_replay() {
    let world = World::recorded();
    for other in [Some(world.recipe().to_json()), None] {
        let other = other.map(|mut json| {
            json["timezone"] = json!("Europe/Berlin");
            json
        });
        let expected = if other.is_some() { "RECIPE_REPLACED" } else { "RECIPE_NOT_FOUND" };
        let before = world.data();
        let mut replay = begin(&world, world.request());
        let call = replay.next_call().unwrap();
        replay.settle(&call.step, Ok(json!({"rows": [{"id": "z", "amount": 1}]}))).unwrap();
        let call = replay.next_call().unwrap();
        replay.settle(&call.step, Ok(json!({"name": "z"}))).unwrap();
        let command = RecordRecipe {
            by: Author::User,
            recipe: other,
            expected: None,
            data: Default::default(),
            now: world.now(),
        };
        world.run(command).unwrap();
        let finish = replay.finish().unwrap();
        let landed = block_on(replay.land(&world.engine, (&canvas(), &world.key()), finish, world.now()));
        assert_eq!(landed.unwrap_err().code(), expected);
        let data = world.data();
        for (component, data) in &data.components {
            assert_eq!(data.data, before.components[component].data);
        }
    }
}

#[test]
fn a_canvas_that_is_deleted_meanwhile_takes_nothing() {
    let world = World::recorded();
    let mut replay = begin(&world, world.request());
    while let Some(call) = replay.next_call() {
        replay.settle(&call.step, Ok(json!({}))).unwrap();
    }
    block_on(world.engine.delete(&canvas(), &world.key(), world.now())).unwrap();
    let finish = replay.finish().unwrap();
    let landed = block_on(replay.land(&world.engine, (&canvas(), &world.key()), finish, world.now()));
    assert_eq!(landed.unwrap_err().code(), "CANVAS_NOT_FOUND");
}

#[test]
fn named_components_are_fed_and_no_others() {
    let world = World::recorded();
    world.wait(3 * crate::recipe::world::DAY);
    let named = |names: &[&str]| {
        let components = names.iter().map(|name| ComponentId::new(name).unwrap()).collect();
        ReplayRequest { components: Some(components), ..world.request() }
    };
    world.host.take();
    let report = world.try_replay(named(&["sum"])).unwrap();
    assert_eq!(world.host.take().len(), 1);
    assert_eq!(report.refreshed(), [ComponentId::new("sum").unwrap()]);
    assert_eq!(world.shown("sum"), json!(["ready", [{"sum": 55}]]));
    assert_eq!(world.shown("customer"), json!(["ready", "customer of b"]));
    assert_eq!(report.run.components, Some(BTreeSet::from([ComponentId::new("sum").unwrap()])));

    let refused = world.try_replay(named(&["sum", "nobody"])).unwrap_err();
    assert_eq!((refused.code(), refused.place().as_deref()), ("NOT_IN_RECIPE", Some("/components/1")));
    let soon = world.try_replay(world.request()).unwrap_err();
    assert_eq!((soon.code(), soon.is_retryable()), ("RATE_LIMITED", true));
    world.wait(3_000);
    let none = world.try_replay(named(&[])).unwrap();
    assert_eq!((none.run.calls.len(), none.refreshed().len(), world.host.take().len()), (0, 0, 0));
}

#[test]
fn a_dry_run_says_what_would_change_as_often_as_asked() {
    let world = World::recorded();
    world.wait(3 * crate::recipe::world::DAY);
    let before = (world.data(), world.recipe().id());
    let dry = || world.try_replay(ReplayRequest { dry_run: true, ..world.request() }).unwrap();
    let first = dry();
    assert_eq!((first.patch().len(), first.run.dry_run), (3, true));
    assert_eq!(dry().patch(), first.patch());
    assert_eq!((world.data(), world.recipe().id()), before);
    let real = world.try_replay(world.request()).unwrap();
    assert_eq!((real.patch(), &real.run.calls), (first.patch(), &first.run.calls));
}

#[test]
fn a_replay_needs_no_turn_and_disturbs_none() {
    let world = World::recorded();
    world.run(Cancel).unwrap();
    assert!(stale(&world.replay()).is_empty());
}

#[test]
fn a_new_declaration_replaces_the_recipe_and_one_without_a_mapping_leaves_its_component_frozen() {
    let world = World::recorded();
    let mut smaller = declaration();
    smaller["mappings"].as_array_mut().unwrap().remove(1);
    world.record(smaller);
    assert_eq!(world.shown("sum"), json!(["frozen", [{"sum": 75}]]));
    assert_eq!(world.replay().refreshed().len(), 2);
}
