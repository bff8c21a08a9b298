//! The five behaviours that a recipe is for, a test each.

use canvas_core::recipe::{Recipe, RecipeLimits};
use canvas_core::surface::ToolDeclaration;
use serde_json::json;

use crate::recipe::world::{DAY, World, declaration, stale};

#[test]
fn behaviour_1_the_canvas_keeps_calls_mappings_and_operations_beside_the_tree() {
    let mut world = World::new();
    world.turn();
    world.turn_call("c3", "mail", json!({"to": "all"}));
    world.record(declaration());
    let kept = world.recipe();
    let recipe = kept.recipe().unwrap();
    let steps: Vec<_> =
        recipe.steps().iter().map(|step| (step.id().as_str(), step.tool().as_str())).collect();
    assert_eq!(steps, [("c1", "orders"), ("c2", "customer")], "what fed nothing is no step");
    assert!(
        recipe.steps().iter().all(|step| step.contract().is_some() && step.tool_version() == Some("1.0"))
    );
    assert_eq!(kept.targets().len(), 3);
    assert_eq!(
        world.shown("table"),
        json!(["ready", [{"id": "d", "amount": 50}, {"id": "b", "amount": 20}]])
    );
    world.renew();
    assert_eq!(world.recipe().id(), kept.id());
    let again = Recipe::compile(&kept.to_json(), &RecipeLimits::default()).unwrap();
    assert_eq!(again.id(), kept.id());
}

#[test]
fn behaviour_2_a_refresh_replays_without_a_model_and_gives_a_patch() {
    let world = World::recorded();
    let report = world.replay();
    assert_eq!(
        world.host.take(),
        [
            ("orders".to_owned(), json!({"from": "2026-04-08"})),
            ("customer".to_owned(), json!({"order": "b"})),
        ]
    );
    assert_eq!(
        (json!(report.patch()), report.stale().len()),
        (json!([]), 0),
        "nothing has changed since the turn"
    );
    let before = report.revision();

    world.wait(3 * DAY);
    let report = world.replay();
    assert_eq!(
        json!(report.patch()),
        json!([
            {"op": "replace", "path": "/data/table", "value": [{"id": "d", "amount": 50}, {"id": "c", "amount": 5}]},
            {"op": "replace", "path": "/data/sum", "value": [{"sum": 55}]},
            {"op": "replace", "path": "/data/customer", "value": "customer of c"},
        ])
    );
    assert_eq!(report.revision(), before.next().unwrap());
    let again = world.replay();
    assert_eq!((again.patch().len(), again.revision()), (0, report.revision()));
}

#[test]
fn behaviour_3_windows_move_by_expressions_and_what_needs_a_reader_stays_frozen() {
    let mut world = World::new();
    world.turn();
    world.turn_call("c3", "orders", json!({"from": "2026-04-01"}));
    let mut declared = declaration();
    declared["params"]["c3"] = json!({"/from": {"$frozen": "the user chose the day"}});
    let mapping = json!({"step": "c3", "path": "/rows", "component": "since"});
    declared["mappings"].as_array_mut().unwrap().push(mapping);
    let frozen = world.record(declared);
    assert_eq!(frozen, [("since".to_owned(), "the user chose the day".to_owned())]);
    let kept = world.shown("since");
    for (days, from) in [(0, "2026-04-08"), (1, "2026-04-09"), (300, "2027-02-03")] {
        world.host.take();
        world.wait(days * DAY);
        let report = world.replay();
        assert_eq!(world.host.take()[0], ("orders".to_owned(), json!({"from": from})));
        assert_eq!(world.shown("since"), kept);
        let frozen = ("since".to_owned(), "frozen".to_owned(), "FROZEN");
        assert!(stale(&report).contains(&frozen), "{:?}", stale(&report));
    }
}

#[test]
fn behaviour_4_drift_leaves_its_components_stale_with_one_way_to_rebuild() {
    let mut world = World::recorded();
    world.tools.clear();
    let declaration_2 = ToolDeclaration { read_only: true, ..ToolDeclaration::default() };
    world
        .declare_tool("orders", ToolDeclaration { version: Some("1.0".to_owned()), ..declaration_2.clone() });
    world.declare_tool("customer", ToolDeclaration { version: Some("2.0".to_owned()), ..declaration_2 });
    world.renew();
    let report = world.replay();
    assert_eq!(stale(&report), [("customer".to_owned(), "stale".to_owned(), "CONTRACT_CHANGED")]);
    assert!(report.stale()[0].reason.message.contains("then 1.0, now 2.0"), "{:?}", report.stale());
    assert_eq!(report.refreshed().len(), 2);
    assert_eq!(world.shown("customer"), json!(["stale", "customer of b"]));
    let escalation = report.escalation.unwrap();
    assert_eq!((json!(escalation.reasons), escalation.components.len()), (json!(["CONTRACT_CHANGED"]), 1));
    assert!(escalation.message.contains("component customer"), "{}", escalation.message);

    // The new recipe takes the old one's place.
    world.turn();
    world.record(declaration());
    assert_eq!(world.shown("customer"), json!(["ready", "customer of b"]));
    assert!(stale(&world.replay()).is_empty());
}

#[test]
fn behaviour_5_versions_are_recorded_and_another_one_is_refused_before_any_call() {
    let mut world = World::recorded();
    let kept = world.recipe().to_json();
    assert_eq!(
        (&kept["version"], &kept["catalogue"], &kept["steps"][0]["toolVersion"]),
        (&json!(1), &json!(1), &json!("1.0"))
    );
    for version in ["version", "catalogue"] {
        let mut later = kept.clone();
        later[version] = json!(2);
        later["steps"][0]["what"] = json!("only a later library knows");
        world.store_recipe(&later);
        let report = world.replay();
        assert_eq!(world.host.take(), []);
        let codes: Vec<_> = stale(&report).into_iter().map(|(_, status, code)| (status, code)).collect();
        assert_eq!(codes, vec![("stale".to_owned(), "VERSION_MISMATCH"); 3]);
        assert_eq!((report.refreshed().len(), report.patch().len()), (0, 0));
        assert_eq!(world.shown("sum"), json!(["stale", [{"sum": 75}]]));
        assert_eq!(report.escalation.unwrap().components.len(), 3);
    }
    world.store_recipe(&kept);
    assert!(stale(&world.replay()).is_empty());
}
