//! Commands one by one: what they do, and how they are refused.

use canvas_core::Role;
use canvas_core::board::{
    BoardResult, CanvasCommand, CommandErrorCode, ComponentId, Executed, GridPolicy, PlacementReason,
    Position, RefusalCause, TypeId,
};
use serde_json::{Value, json};

use super::world::{World, code, kinds};

fn one(executed: &Executed) -> &canvas_core::board::CommandResult {
    match &executed.result {
        BoardResult::One(result) => result,
        BoardResult::Batch(batch) => panic!("{batch:?}"),
    }
}

fn create(fields: Value) -> Value {
    let mut payload = json!({"typeId": "github.stat-tile", "config": {"repo": "o/r", "metric": "stars"}});
    payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    json!({"type": "component.create", "payload": payload})
}

fn at(col: i64, row: i64, cols: i64, rows: i64) -> Value {
    create(json!({"position": {"col": col, "row": row}, "size": {"cols": cols, "rows": rows}}))
}

fn moved(id: impl serde::Serialize, col: i64, row: i64) -> Value {
    json!({"type": "component.move", "payload": {"componentId": id, "position": {"col": col, "row": row}}})
}

fn resized(id: impl serde::Serialize, cols: i64, rows: i64) -> Value {
    json!({"type": "component.resize", "payload": {"componentId": id, "size": {"cols": cols, "rows": rows}}})
}

fn with(mut command: Value, field: &str, value: Value) -> Value {
    command["payload"][field] = value;
    command
}

/// On a grid of 12 by 8 with `one` at (0, 0, 2, 2) and `two`, pinned, at (4, 0, 2, 2): the code and place of each
/// command, in the order in which faults are looked for.
#[test]
fn faults_are_reported_in_their_order() {
    let gone = "cmp_gone";
    let table: Vec<(Value, &str)> = vec![
        // What is named comes first, whatever else is wrong.
        (moved(gone, -1, 0), "COMPONENT_NOT_FOUND /payload/componentId"),
        (resized(gone, 0, 0), "COMPONENT_NOT_FOUND /payload/componentId"),
        (
            json!({"type": "component.remove", "payload": {"componentId": gone}}),
            "COMPONENT_NOT_FOUND /payload/componentId",
        ),
        (
            json!({"type": "component.update", "payload": {"componentId": gone, "config": 7}}),
            "COMPONENT_NOT_FOUND /payload/componentId",
        ),
        (
            with(with(at(0, 0, 0, 0), "typeId", json!("x")), "hints", json!({"nearComponentId": gone})),
            "COMPONENT_NOT_FOUND /payload/hints/nearComponentId",
        ),
        (json!({"type": "view.load", "payload": {"viewId": "view_x"}}), "VIEW_NOT_FOUND /payload/viewId"),
        (json!({"type": "view.delete", "payload": {"viewId": "view_x"}}), "VIEW_NOT_FOUND /payload/viewId"),
        (
            json!({"type": "view.save", "payload": {"name": "v", "triggerIds": ["trigger_1", "t"]}}),
            "TRIGGER_NOT_FOUND /payload/triggerIds/1",
        ),
        (
            with(with(at(0, 0, 0, 0), "typeId", json!("x")), "config", json!(7)),
            "TYPE_NOT_FOUND /payload/typeId",
        ),
        (with(at(0, 0, 0, 0), "config", json!(7)), "CONFIG_VALIDATION_FAILED /payload/config"),
        (with(at(0, 0, 0, 0), "config", json!([])), "CONFIG_VALIDATION_FAILED /payload/config"),
        (
            with(at(0, 0, 0, 0), "config", json!({"repo": 1, "metric": "stars"})),
            "CONFIG_VALIDATION_FAILED /payload/config/repo",
        ),
        (at(0, 0, 0, 1), "INVALID_SIZE /payload/size"),
        (at(-1, 0, 13, 1), "INVALID_SIZE /payload/size"),
        (at(0, 0, 1, 9), "INVALID_SIZE /payload/size"),
        (at(0, 0, 1, i64::MAX), "INVALID_SIZE /payload/size"),
        (with(at(0, 0, 1, 1), "size", json!({"cols": 1.5, "rows": 1})), "INVALID_SIZE /payload/size"),
        (at(11, 0, 2, 1), "INVALID_POSITION /payload/position"),
        (at(0, 7, 1, 2), "INVALID_POSITION /payload/position"),
        (at(-1, 0, 1, 1), "INVALID_POSITION /payload/position"),
        (
            with(at(0, 0, 1, 1), "position", json!({"col": 0.5, "row": 0})),
            "INVALID_POSITION /payload/position",
        ),
        (
            with(at(0, 0, 1, 1), "position", json!({"col": 1e300, "row": 0})),
            "INVALID_POSITION /payload/position",
        ),
        (at(1, 1, 1, 1), "COLLISION_DETECTED /payload/position"),
        (with(at(4, 1, 1, 1), "onCollision", json!("shift")), "COLLISION_DETECTED /payload/position"),
        (with(at(0, 0, 1, 6), "onCollision", json!("shift")), "OK"),
        (with(at(0, 0, 1, 7), "onCollision", json!("shift")), "COLLISION_DETECTED /payload/position"),
        (with(at(6, 0, 1, 1), "position", json!({"col": 6.0, "row": 0})), "OK"),
        (moved("ONE", 11, 0), "INVALID_POSITION /payload/position"),
        (moved("ONE", 3, 0), "COLLISION_DETECTED /payload/position"),
        (moved("ONE", 1, 1), "OK"),
        (moved("ONE", 0, 0), "OK"),
        (resized("ONE", 5, 1), "COLLISION_DETECTED /payload/position"),
        (resized("ONE", 13, 1), "INVALID_SIZE /payload/size"),
        (resized("ONE", 1, 0), "INVALID_SIZE /payload/size"),
        (resized("TWO", 9, 1), "INVALID_SIZE /payload/size"),
        (resized("ONE", 4, 2), "OK"),
        (
            json!({"type": "component.update", "payload": {"componentId": "ONE", "config": {"metric": "hearts"}}}),
            "CONFIG_VALIDATION_FAILED /payload/config/metric",
        ),
        (
            json!({"type": "component.update", "payload": {"componentId": "ONE", "config": null}}),
            "CONFIG_VALIDATION_FAILED /payload/config",
        ),
    ];
    for (command, expected) in table {
        let mut world = World::new(12, 8, GridPolicy::BestEffort);
        let (one, two) = (world.tile(0, 0, 2, 2), world.pinned(4, 0, 2, 2));
        let text = command.to_string().replace("ONE", one.as_str()).replace("TWO", two.as_str());
        let before = world.board.clone();
        let executed = world.json(serde_json::from_str(&text).unwrap());
        assert_eq!(code(&executed.result), expected, "{text}");
        if expected != "OK" {
            assert_eq!((world.board, executed.events.len()), (before, 0), "{text}");
        }
    }
}

/// What a refusal says is in the answer once more as a sentence, with the place in the command.
#[test]
fn refusals_are_data() {
    let mut world = World::new(12, 8, GridPolicy::BestEffort);
    let (one, two) = (world.pinned(0, 0, 2, 2), world.pinned(4, 0, 2, 2));
    let moved = |id: &ComponentId, col: u32| {
        let payload = json!({"componentId": id, "position": {"col": col, "row": 0}});
        json!({"type": "component.move", "payload": payload})
    };
    let nobody = ComponentId::new("cmp_nobody").unwrap();
    let on_two = |cause: &RefusalCause| matches!(cause, RefusalCause::Collision { colliding, blocked: None, .. } if *colliding == [two.clone()]);
    let batch = json!({"type": "batch", "payload": {"commands": [moved(&one, 7), moved(&one, 12)], "description": ""}});
    type Check<'c> = &'c dyn Fn(&RefusalCause) -> bool;
    let cases: [(Value, Option<&ComponentId>, &str, Check<'_>); 4] = [
        (
            moved(&nobody, 0),
            None,
            "/payload/componentId",
            &|cause| matches!(cause, RefusalCause::ComponentNotFound { id, .. } if *id == nobody),
        ),
        (moved(&one, 5), Some(&one), "/payload/position", &on_two),
        (moved(&one, 11), Some(&one), "/payload/position", &|cause| {
            matches!(cause, RefusalCause::PositionOutside { last: Position { col: 10, row: 6 }, .. })
        }),
        (batch, Some(&one), "/payload/commands/1/payload/position", &|cause| {
            matches!(cause, RefusalCause::PositionOutside { nearest: Some(_), .. })
        }),
    ];
    for (command, about, place, is_it) in cases {
        let executed = world.json(command.clone());
        let refusal = executed.refusal.as_ref().unwrap_or_else(|| panic!("{command} is refused"));
        assert!(is_it(&refusal.cause), "{command}: {refusal:?}");
        assert_eq!(refusal.component_id.as_ref(), about, "{command}");
        let error = executed.result.error().unwrap();
        assert_eq!((error.code, error.place.as_deref()), (refusal.code(), Some(place)), "{command}");
    }
    assert_eq!(world.json(moved(&one, 7)).refusal, None);
}

/// A fault of a field has its place; one of the whole config, a missing field, has none.
#[test]
fn messages_name_a_place_where_there_is_one() {
    for (config, expected) in [
        (json!({"repo": "o/r", "metric": "hearts"}), "(/metric: \"hearts\" "),
        (json!({"repo": "o/r"}), "(\"metric\" "),
    ] {
        let mut world = World::new(12, 8, GridPolicy::BestEffort);
        let result = world.json(with(at(0, 0, 1, 1), "config", config)).result;
        let message = &result.error().expect("it is refused").message;
        assert!(message.contains(expected), "{message}");
    }
}

/// With `one` at (0, 0, 2, 2), `two`, pinned, at (4, 0, 2, 2), and `three` at (8, 4, 1, 1): a refusal that offers a
/// command knows a way past its own fault. These run, and lead here.
#[test]
fn what_is_offered_instead_works() {
    for (policy, command, corrected) in [
        (GridPolicy::BestEffort, at(1, 1, 2, 1), Some((2, 1, 2, 1))),
        (GridPolicy::BestEffort, at(11, 0, 2, 1), Some((10, 0, 2, 1))),
        (GridPolicy::BestEffort, at(0, 9, 1, 1), Some((0, 7, 1, 1))),
        (GridPolicy::BestEffort, moved("ONE", 4, 0), Some((2, 0, 2, 2))),
        (GridPolicy::BestEffort, moved("ONE", 11, 9), Some((10, 6, 2, 2))),
        (GridPolicy::BestEffort, moved("ONE", -3, 0), None),
        (GridPolicy::Grow, moved("ONE", 4, 0), Some((2, 0, 2, 2))),
        (
            GridPolicy::BestEffort,
            with(at(7, 0, 1, 1), "typeId", json!("github.stat-tiles")),
            Some((7, 0, 1, 1)),
        ),
        (GridPolicy::BestEffort, with(at(7, 0, 1, 1), "typeId", json!("weather")), None),
        (GridPolicy::BestEffort, resized("ONE", 13, 2), None),
        (GridPolicy::BestEffort, resized("THREE", 3, 1), Some((8, 4, 3, 1))),
        // Past the edge, as far as it.
        (GridPolicy::BestEffort, resized("TWO", 9, 1), Some((4, 0, 8, 1))),
        (GridPolicy::BestEffort, resized("THREE", 1, 5), Some((8, 4, 1, 4))),
    ] {
        let mut world = World::new(12, 8, policy);
        let (one, two) = (world.tile(0, 0, 2, 2), world.pinned(4, 0, 2, 2));
        let (three, _) = (world.tile(8, 4, 1, 1), world.tile(10, 4, 1, 1));
        let text = [("ONE", &one), ("TWO", &two), ("THREE", &three)]
            .iter()
            .fold(command.to_string(), |text, (name, id)| text.replace(name, id.as_str()));
        let executed = world.json(serde_json::from_str(&text).unwrap());
        let error = executed.result.error().unwrap_or_else(|| panic!("{text}: {executed:?}"));
        let offered = error.corrected.as_deref().cloned();
        assert_eq!(offered.is_some(), corrected.is_some(), "{text}: {error:?}");
        let (Some(offered), Some(expected)) = (offered, corrected) else { continue };
        let done = world.run(&offered, Role::Assistant);
        assert_eq!(code(&done.result), "OK", "{text}: {offered:?}");
        let id = &self::one(&done).affected_component_ids[0];
        assert_eq!(world.at(id), Some(expected), "{text}: {offered:?}");
    }
}

/// On a grid of 12 by 8 with `one` at (0, 0, 2, 2) and `two`, pinned, at (4, 0, 2, 2): what a refusal says.
#[test]
fn a_message_names_what_is_wrong() {
    let (long, cut) = ("x".repeat(81), format!("\"{}…\"", "x".repeat(80)));
    for (command, expected) in [
        (moved("cmp_gone", 0, 0), &["\"cmp_gone\""][..]),
        (moved(&long, 0, 0), &[&cut]),
        (moved(&long[1..], 0, 0), &[&format!("\"{}\"", &long[1..])]),
        (json!({"type": "view.load", "payload": {"viewId": "view_x"}}), &["\"view_x\""]),
        (with(at(7, 0, 1, 1), "typeId", json!("weather")), &["\"weather\""]),
        (with(at(7, 0, 1, 1), "config", json!({"repo": 1, "metric": "stars"})), &["/repo"]),
        (with(at(7, 0, 1, 1), "config", json!({"repo": 1, "metric": "hearts"})), &["2 faults"]),
        (at(7, 0, 13, 1), &["1x1", "12x8"]),
        (resized("TWO", 9, 1), &["(4, 0)", "8x8"]),
        (at(11, 0, 2, 1), &["(0, 0)", "(10, 7)", "2x1"]),
        (at(0, 0, 5, 1), &["ONE, TWO", "(0, 2)"]),
        (at(0, 0, 12, 7), &["ONE, TWO"]),
        (with(at(4, 1, 1, 1), "onCollision", json!("shift")), &["TWO", "pinned"]),
        (with(at(0, 0, 1, 7), "onCollision", json!("shift")), &["ONE"]),
    ] {
        let mut world = World::new(12, 8, GridPolicy::BestEffort);
        let (one, two) = (world.tile(0, 0, 2, 2), world.pinned(4, 0, 2, 2));
        let named = |text: &str| text.replace("ONE", one.as_str()).replace("TWO", two.as_str());
        let executed = world.json(serde_json::from_str(&named(&command.to_string())).unwrap());
        let error = executed.result.error().unwrap_or_else(|| panic!("{command}: {executed:?}"));
        let message = &error.message;
        if error.code == CommandErrorCode::ComponentNotFound {
            let asked = command["payload"]["componentId"].as_str();
            assert_eq!(error.component_id.as_ref().map(|id| id.as_str()), asked);
        }
        assert!(expected.iter().all(|fact| message.contains(&named(fact))), "{message}");
        assert!(self::one(&executed).explanation.ends_with(message), "{message}");
    }
}

#[test]
fn of_many_in_the_way_a_message_names_five() {
    for (many, more) in [(5, None), (6, Some("and 1 more")), (12, Some("and 7 more"))] {
        let mut world = World::new(12, 8, GridPolicy::BestEffort);
        let ids: Vec<_> = (0..many).map(|col| world.tile(col, 0, 1, 1)).collect();
        let executed = world.json(at(0, 0, 12, 1));
        let error = executed.result.error().unwrap();
        assert_eq!(error.colliding_ids, ids);
        let named = ids.iter().filter(|id| error.message.contains(id.as_str())).count();
        assert_eq!((named, error.message.contains("more stands there")), (5, more.is_some()));
        assert!(error.message.contains(more.unwrap_or_default()), "{}", error.message);
    }
}

#[test]
fn a_collision_names_what_stands_there_and_where_there_is_room() {
    let mut world = World::new(12, 8, GridPolicy::BestEffort);
    let (first, second) = (world.tile(0, 0, 2, 2), world.tile(2, 0, 2, 2));
    let executed = world.json(at(1, 1, 2, 1));
    let error = executed.result.error().unwrap();
    assert_eq!(error.code, CommandErrorCode::CollisionDetected);
    assert_eq!(error.colliding_ids, [first, second]);
    assert_eq!(error.free_positions, [(1, 2), (0, 2), (2, 2)].map(|(col, row)| Position::new(col, row)));
    assert!(error.message.contains("(1, 2)"), "{}", error.message);
}

#[test]
fn every_fault_of_a_config_is_listed() {
    let mut world = World::new(12, 8, GridPolicy::BestEffort);
    let executed = world.json(with(at(0, 0, 1, 1), "config", json!({"repo": 1, "metric": "hearts"})));
    let mut paths: Vec<_> = executed.result.error().unwrap().errors.iter().map(|e| e.path.as_str()).collect();
    paths.sort_unstable();
    assert_eq!(paths, ["/metric", "/repo"]);
}

#[test]
fn a_component_is_made_of_defaults_and_what_is_said() {
    let mut world = World::new(12, 8, GridPolicy::BestEffort);
    let executed = world.json(json!({"type": "component.create", "payload": {
        "typeId": "github.pr-list", "config": {"repo": "o/r"},
        "meta": {"label": "Mine", "pinned": true, "createdBy": "user", "createdAt": 7},
    }}));
    let result = one(&executed);
    assert!(["\"Mine\"", "(0, 0)", "4x3"].iter().all(|fact| result.explanation.contains(fact)), "{result:?}");
    assert_eq!(result.placement.as_ref().unwrap().reason, PlacementReason::AutoPlaced);
    assert_eq!(kinds(&executed.events), ["component.added"]);
    let component = world.board.component(&result.affected_component_ids[0]).unwrap();
    assert_eq!(Value::from(component.config.clone()), json!({"repo": "o/r", "state": "open", "limit": 10}));
    let binding = component.data_binding.unwrap();
    assert_eq!((binding.query.kind.as_str(), binding.refresh_interval), ("pull_requests", Some(60_000)));
    // Who made it, and when, is not for the command to say.
    assert_eq!((component.meta.created_by, component.meta.created_at.as_millis()), (Role::Assistant, 1_001));
    assert!(component.meta.pinned);
}

#[test]
fn an_update_sets_fields_and_keeps_the_rest() {
    let mut world = World::new(12, 8, GridPolicy::BestEffort);
    let executed = world.json(json!({"type": "component.create", "payload": {
        "typeId": "github.issue-grid", "config": {"repo": "o/r", "labels": ["a", "b"]},
    }}));
    let id = one(&executed).affected_component_ids[0].clone();
    let update = |fields: Value| {
        let mut payload = json!({"componentId": id});
        payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        json!({"type": "component.update", "payload": payload})
    };
    let executed = world.json(update(json!({"config": {"labels": ["c"]}})));
    assert_eq!(kinds(&executed.events), ["component.updated"]);
    let now = world.board.component(&id).unwrap();
    assert_eq!(now.config["labels"], json!(["c"]));
    assert_eq!((now.config["repo"].as_str(), now.config["state"].as_str()), (Some("o/r"), Some("open")));
    // The binding follows the config that it came from.
    assert_eq!(now.data_binding.unwrap().query.params["labels"], json!(["c"]));

    let own = json!({"source": "mock-github", "query": {"type": "issues", "params": {"repo": "x/y"}}, "refreshInterval": null});
    world.json(update(json!({"dataBinding": own})));
    world.json(update(json!({"config": {"labels": []}})));
    let now = world.board.component(&id).unwrap();
    assert_eq!(now.data_binding.unwrap().query.params["repo"], "x/y", "one that was given stays");
    world.json(update(json!({"dataBinding": null})));
    assert_eq!(world.board.component(&id).unwrap().data_binding, None);

    let executed = world.json(update(json!({"meta": {"label": "L", "pinned": true}})));
    assert_eq!(kinds(&executed.events), ["layout.changed", "component.updated"]);
    let executed = world.json(update(json!({"meta": {"label": null}})));
    assert!(one(&executed).explanation.contains("\"L\""), "{executed:?}");
    assert_eq!(world.board.component(&id).unwrap().meta.label, None);
    world.json(update(json!({"meta": {"pinned": false}})));
    assert!(!world.board.component(&id).unwrap().meta.pinned);
}

/// Nothing to do is no failure, no entry, and keeps what can be done again.
#[test]
fn what_changes_nothing_leaves_no_entry() {
    let mut world = World::new(12, 8, GridPolicy::BestEffort);
    let id = world.tile(0, 0, 2, 2);
    let other = world.tile(5, 5, 1, 1);
    world.json(moved(&other, 6, 5));
    world.history.undo(&mut world.board).unwrap();
    let update = |payload: Value| json!({"type": "component.update", "payload": payload});
    let batch = |commands: &[Value], description: &str| json!({"type": "batch", "payload": {"commands": commands, "description": description}});
    for command in [
        moved(&id, 0, 0),
        resized(&id, 2, 2),
        update(json!({"componentId": id, "config": {"repo": "o/r"}})),
        update(json!({"componentId": id})),
        batch(&[], ""),
        batch(&[moved(&id, 3, 3), moved(&id, 0, 0)], "to and fro"),
    ] {
        let executed = world.json(command.clone());
        assert!(
            executed.result.is_success() && executed.change.is_none() && executed.events.is_empty(),
            "{command}"
        );
        let result = serde_json::to_value(&executed.result).unwrap();
        assert_eq!(result["undoId"], json!(""), "{command}");
        if let Some(Value::String(said)) = command.pointer("/payload/description").filter(|said| **said != "")
        {
            assert_eq!(result["explanation"], json!(said), "{command}");
        }
    }
    // A failure keeps it too.
    assert!(!world.json(moved(&id, 99, 0)).result.is_success());
    assert_eq!(world.history.state().redo_stack.len(), 1);
    world.history.redo(&mut world.board).unwrap();
    assert_eq!(world.at(&other), Some((6, 5, 1, 1)));

    let mut world = World::new(12, 8, GridPolicy::BestEffort);
    assert!(
        world.json(json!({"type": "canvas.clear", "payload": {"preservePinned": false}})).change.is_none()
    );
}

#[test]
fn a_shift_says_whom_it_moved_and_is_one_entry() {
    let mut world = World::new(12, 8, GridPolicy::BestEffort);
    let (one, two) = (world.tile(0, 0, 2, 2), world.tile(0, 2, 2, 2));
    let before = world.board.clone();
    let executed = world.json(with(at(0, 0, 2, 1), "onCollision", json!("shift")));
    let result = self::one(&executed);
    let placement = result.placement.as_ref().unwrap();
    assert_eq!(
        (placement.reason, placement.adjustments.as_ref().map(Vec::len)),
        (PlacementReason::Shifted, Some(2))
    );
    assert_eq!(result.affected_component_ids[1..], [one.clone(), two.clone()]);
    assert_eq!((world.at(&one), world.at(&two)), (Some((0, 1, 2, 2)), Some((0, 3, 2, 2))));
    world.history.undo(&mut world.board).unwrap();
    assert_eq!(world.board, before);
    // Whoever moves or grows may make others give way, too.
    for (command, place) in [(moved(&one, 0, 1), (0, 1, 2, 2)), (resized(&one, 2, 3), (0, 0, 2, 3))] {
        let executed = world.json(with(command, "onCollision", json!("shift")));
        assert_eq!(code(&executed.result), "OK");
        assert_eq!((world.at(&one), world.at(&two)), (Some(place), Some((0, 3, 2, 2))));
        world.history.undo(&mut world.board).unwrap();
        assert_eq!(world.board, before);
    }
}

#[test]
fn without_room_the_policy_decides() {
    for (policy, expected, place) in [
        (GridPolicy::Grow, "OK", Some((0, 2))),
        (GridPolicy::Reject, "COLLISION_DETECTED /payload/size", None),
        (GridPolicy::BestEffort, "OK", Some((0, 0))),
    ] {
        let mut world = World::new(4, 2, policy);
        world.tile(0, 0, 4, 2);
        let executed = world.json(create(json!({"size": {"cols": 2, "rows": 1}})));
        assert_eq!(code(&executed.result), expected, "{policy:?}");
        let Some((col, row)) = place else { continue };
        let placement = one(&executed).placement.as_ref().unwrap();
        assert_eq!(placement.position, Position::new(col, row));
        let best = policy == GridPolicy::BestEffort;
        assert_eq!(
            (placement.reason == PlacementReason::BestEffort, one(&executed).warnings.len()),
            (best, usize::from(best))
        );
        // What is asked for by name is never covered.
        assert_eq!(code(&world.json(at(1, 0, 1, 1)).result), "COLLISION_DETECTED /payload/position");
    }
}

/// On a grid of 4 by 2 that is full: where room is offered, and whether it is made.
#[test]
fn a_grid_goes_on_below_where_it_grows() {
    for (policy, free, shifted) in [
        (GridPolicy::Grow, vec![(0, 2), (1, 2), (0, 3)], "OK"),
        (GridPolicy::Reject, vec![], "COLLISION_DETECTED /payload/position"),
        (GridPolicy::BestEffort, vec![], "COLLISION_DETECTED /payload/position"),
    ] {
        let mut world = World::new(4, 2, policy);
        world.tile(0, 0, 4, 2);
        let executed = world.json(at(0, 0, 1, 1));
        let error = executed.result.error().unwrap();
        let free: Vec<_> = free.into_iter().map(|(col, row)| Position::new(col, row)).collect();
        assert_eq!(
            (&error.free_positions, error.corrected.is_some()),
            (&free, !free.is_empty()),
            "{policy:?}"
        );
        let shift = with(at(0, 0, 1, 1), "onCollision", json!("shift"));
        assert_eq!(code(&world.json(shift).result), shifted, "{policy:?}");
    }
}

#[test]
fn pinned_ones_move_when_they_are_named() {
    let mut world = World::new(12, 8, GridPolicy::BestEffort);
    let pinned = world.pinned(0, 0, 2, 2);
    assert_eq!(code(&world.json(moved(&pinned, 3, 3)).result), "OK");
    let clear = json!({"type": "canvas.clear", "payload": {"preservePinned": true}});
    world.tile(8, 0, 1, 1);
    world.json(clear.clone());
    assert_eq!((world.at(&pinned), world.board.len()), (Some((3, 3, 2, 2)), 1));
    assert!(world.json(clear).change.is_none());
    let all = json!({"type": "canvas.clear", "payload": {"preservePinned": false}});
    world.json(all);
    assert!(world.board.is_empty());
}

#[test]
fn a_type_that_is_gone_leaves_its_components() {
    let mut world = World::new(12, 8, GridPolicy::BestEffort);
    let id = world.tile(0, 0, 2, 2);
    world.registry.unregister(&TypeId::new("github.stat-tile").unwrap()).unwrap();
    assert_eq!(code(&world.json(moved(&id, 4, 4)).result), "OK");
    assert_eq!(code(&world.json(resized(&id, 3, 3)).result), "OK");
    let update =
        json!({"type": "component.update", "payload": {"componentId": id, "config": {"repo": "a/b"}}});
    assert_eq!(code(&world.json(update).result), "TYPE_NOT_FOUND nowhere");
    let label = json!({"type": "component.update", "payload": {"componentId": id, "meta": {"label": "Old"}}});
    assert_eq!(one(&world.json(label)).explanation, "Updated github.stat-tile.");
    let remove: CanvasCommand =
        serde_json::from_value(json!({"type": "component.remove", "payload": {"componentId": id}})).unwrap();
    assert_eq!(code(&world.run(&remove, Role::User).result), "OK");
}

#[test]
fn what_is_too_large_is_refused() {
    let mut world = World::new(12, 8, GridPolicy::Grow);
    world.rules.config_bytes = 100;
    world.rules.batch = 3;
    world.rules.views = 1;
    let config = json!({"repo": "o/r", "metric": "stars", "note": "x".repeat(100)});
    assert_eq!(
        code(&world.json(with(at(0, 0, 1, 1), "config", config)).result),
        "CONFIG_VALIDATION_FAILED /payload/config"
    );
    let many = |count: usize| json!({"type": "batch", "payload": {"commands": vec![create(json!({})); count], "description": "x"}});
    assert_eq!(code(&world.json(many(3)).result), "OK");
    assert!(code(&world.json(many(4)).result).starts_with("BOARD_TOO_LARGE"));
    let save = json!({"type": "view.save", "payload": {"name": "v"}});
    assert_eq!(code(&world.json(save.clone()).result), "OK");
    assert_eq!(code(&world.json(save).result), "BOARD_TOO_LARGE nowhere");
}
