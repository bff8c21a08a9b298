//! Several commands as one: all or none, judged together where that matters.

use canvas_core::board::{BatchCommandResult, BoardResult, Executed, GridPolicy};
use serde_json::{Value, json};

use super::world::{World, code, kinds};

fn batch(commands: Vec<Value>) -> Value {
    json!({"type": "batch", "payload": {"commands": commands, "description": "Rearrange"}})
}

fn moved(id: impl serde::Serialize, col: u32, row: u32) -> Value {
    json!({"type": "component.move", "payload": {"componentId": id, "position": {"col": col, "row": row}}})
}

fn resized(id: impl serde::Serialize, cols: u32, rows: u32) -> Value {
    json!({"type": "component.resize", "payload": {"componentId": id, "size": {"cols": cols, "rows": rows}}})
}

fn created() -> Value {
    let payload = json!({
        "typeId": "github.stat-tile", "config": {"repo": "o/r", "metric": "stars"}, "size": {"cols": 1, "rows": 1},
    });
    json!({"type": "component.create", "payload": payload})
}

fn result(executed: &Executed) -> &BatchCommandResult {
    match &executed.result {
        BoardResult::Batch(result) => result,
        BoardResult::One(one) => panic!("{one:?}"),
    }
}

#[test]
fn two_change_places() {
    let mut world = World::new(12, 8, GridPolicy::BestEffort);
    let (one, two) = (world.tile(0, 0, 2, 2), world.tile(2, 0, 2, 2));
    let before = world.board.clone();
    assert_eq!(code(&world.json(moved(&one, 2, 0)).result), "COLLISION_DETECTED /payload/position");
    let executed = world.json(batch(vec![moved(&one, 2, 0), moved(&two, 0, 0)]));
    assert_eq!(code(&executed.result), "OK");
    assert_eq!((world.at(&one), world.at(&two)), (Some((2, 0, 2, 2)), Some((0, 0, 2, 2))));
    assert_eq!(kinds(&executed.events), ["layout.changed", "layout.changed"]);
    assert_eq!((result(&executed).results.len(), world.history.changes().len()), (2, 3));
    world.history.undo(&mut world.board).unwrap();
    assert_eq!(world.board, before);
}

#[test]
fn places_and_sizes_are_judged_when_all_are_done() {
    let mut world = World::new(12, 8, GridPolicy::BestEffort);
    let one = world.tile(10, 0, 2, 2);
    // Too wide where it is, and moved to where it fits.
    let executed = world.json(batch(vec![resized(&one, 4, 1), moved(&one, 8, 0)]));
    assert_eq!((code(&executed.result).as_str(), world.at(&one)), ("OK", Some((8, 0, 4, 1))));
    let reported: Vec<_> = result(&executed).results.iter().map(|one| one.explanation.as_str()).collect();
    assert!(
        reported.len() == 2 && reported[0].contains("4x1") && reported[1].contains("(8, 0)"),
        "{reported:?}"
    );
    // A command of another kind ends the run.
    let executed = world.json(batch(vec![resized(&one, 5, 1), created(), moved(&one, 7, 0)]));
    assert_eq!(code(&executed.result), "INVALID_SIZE /payload/commands/0/payload/size");
    // From where it would have gone to, a smaller size is offered, if there is any.
    for (col, row, smaller) in [(11, 7, Some((1, 1))), (11, 0, Some((1, 3))), (12, 0, None), (0, 8, None)] {
        let executed = world.json(batch(vec![moved(&one, col, row), resized(&one, 3, 3)]));
        assert_eq!(code(&executed.result), "INVALID_SIZE /payload/commands/1/payload/size");
        let offered = executed.result.error().unwrap().corrected.as_deref();
        let expected = smaller.map(|(cols, rows)| resized(&one, cols, rows));
        assert_eq!(offered.map(|command| serde_json::to_value(command).unwrap()), expected, "{col} {row}");
    }
}

/// What was changed and changed back is no change.
#[test]
fn what_comes_back_is_not_in_the_patch() {
    let mut world = World::new(12, 8, GridPolicy::BestEffort);
    let id = world.tile(0, 0, 1, 1);
    let pin = |pinned: bool| {
        let payload = json!({"componentId": id, "meta": {"pinned": pinned}});
        json!({"type": "component.update", "payload": payload})
    };
    let there_and_back = |commands: &[Value]| [&[pin(true)], commands, &[pin(false)]].concat();
    let executed = world.json(batch(there_and_back(&[moved(&id, 1, 0)])));
    let only = world.json(moved(&id, 2, 0));
    let components = |executed: &Executed| {
        let patch = serde_json::to_value(&executed.change.as_ref().unwrap().patch).unwrap();
        patch["components"].as_array().unwrap().len()
    };
    assert_eq!((components(&executed), components(&only)), (1, 1));
    let before = world.board.clone();
    let executed = world.json(batch(there_and_back(&[])));
    assert_eq!((code(&executed.result).as_str(), executed.change, world.board), ("OK", None, before));
}

/// However many there are, and however often each is touched, all of it is one change.
#[test]
fn many_are_touched_again_and_again() {
    for many in [1, 8, 9, 10, 30] {
        let mut world = World::new(12, 8, GridPolicy::BestEffort);
        let ids: Vec<_> = (0..many).map(|at| world.tile(at % 12, at / 12, 1, 1)).collect();
        let pinned = |id| json!({"type": "component.update", "payload": {"componentId": id, "meta": {"pinned": true}}});
        let moves = |row| (0..many).zip(&ids).map(move |(at, id)| moved(id, at % 12, row + at / 12));
        let before = world.board.clone();
        let mut commands: Vec<_> = moves(5).chain(ids.iter().map(pinned)).chain(moves(3)).collect();
        let executed = world.json(batch(commands.clone()));
        let patch = executed.change.unwrap().patch;
        assert_eq!((patch.component_ids(), kinds(&executed.events).len()), (ids.clone(), 2 * ids.len()));
        let after = world.board.clone();
        world.history.undo(&mut world.board).unwrap();
        assert_eq!(world.board, before, "{many}");
        world.history.redo(&mut world.board).unwrap();
        assert_eq!(world.board, after, "{many}");
        world.history.undo(&mut world.board).unwrap();
        // All of it is taken back, too, where the last is refused.
        commands.push(moved("cmp_gone", 0, 0));
        assert!(!world.json(batch(commands)).result.is_success());
        assert_eq!(world.board, before, "{many}");
    }
}

#[test]
fn commands_speak_of_what_earlier_ones_have_made() {
    let mut world = World::new(12, 8, GridPolicy::BestEffort);
    let executed = world.json(batch(vec![
        created(),
        json!({"type": "canvas.clear", "payload": {"preservePinned": true}}),
        created(),
        moved("$1", 5, 5),
        json!({"type": "component.update", "payload": {"componentId": "$1", "meta": {"pinned": true}}}),
    ]));
    let results = &result(&executed).results;
    assert_eq!(code(&executed.result), "OK", "{results:?}");
    let second = &results[2].affected_component_ids[0];
    assert_eq!((world.at(second), world.board.len()), (Some((5, 5, 1, 1)), 1));
    // The first is gone again, the third was never made.
    for id in ["$0", "$2", "$", "$x"] {
        let executed = world.json(batch(vec![
            created(),
            created(),
            json!({"type": "canvas.clear", "payload": {"preservePinned": true}}),
            moved(id, 0, 0),
        ]));
        assert_eq!(code(&executed.result), "COMPONENT_NOT_FOUND /payload/commands/3/payload/componentId");
        assert_eq!(result(&executed).results.len(), 4);
    }
    assert_eq!(world.board.len(), 1);
}

#[test]
fn one_fault_refuses_all() {
    let mut world = World::new(12, 8, GridPolicy::BestEffort);
    let (one, two) = (world.tile(0, 0, 2, 2), world.tile(4, 0, 2, 2));
    let view = json!({"type": "view.save", "payload": {"name": "v"}});
    let before = world.board.clone();
    for (commands, at) in [
        // Both are in each other's way, and the first is reported.
        (vec![moved(&one, 2, 4), moved(&two, 3, 4)], 0),
        (vec![created(), view.clone(), moved(&one, 5, 0)], 2),
        (
            vec![
                view,
                json!({"type": "canvas.clear", "payload": {"preservePinned": false}}),
                moved(&one, 0, 0),
            ],
            2,
        ),
        (vec![moved(&one, 0, 4), moved("cmp_gone", 0, 0)], 1),
    ] {
        let executed = world.json(batch(commands));
        let result = result(&executed);
        assert_eq!((result.success, result.results.len()), (false, at + 1), "{result:?}");
        assert!(result.results[..at].iter().all(|one| one.success && one.undo_id.is_none()));
        let place = result.error.as_ref().unwrap().place.as_deref().unwrap();
        assert!(place.starts_with(&format!("/payload/commands/{at}/payload/")), "{place}");
        assert_eq!((&world.board, executed.events.len(), world.history.changes().len()), (&before, 0, 2));
    }
}

#[test]
fn a_batch_in_a_batch_is_done_as_if_it_stood_there() {
    let mut world = World::new(12, 8, GridPolicy::BestEffort);
    let (one, two) = (world.tile(0, 0, 2, 2), world.tile(2, 0, 2, 2));
    let inner = batch(vec![moved(&one, 2, 0)]);
    assert_eq!(code(&world.json(batch(vec![batch(vec![]), inner, moved(&two, 0, 0)])).result), "OK");
    let executed = world.json(batch(vec![created(), batch(vec![created(), moved(&one, 0, 0)])]));
    assert_eq!(
        code(&executed.result),
        "COLLISION_DETECTED /payload/commands/1/payload/commands/1/payload/position"
    );
}
