//! What a board in memory takes back, does again, and shows of both.

use canvas_core::Role;
use canvas_core::board::{
    Board, BoardJournal, BoardJournalError, CanvasCommand, Executed, GridPolicy, Recorded, UndoId,
};
use serde_json::{Value, json};

use super::world::{World, code, empty, kinds};

/// `one` and `two`, pinned at (0, 0, 2, 2) and (2, 0, 2, 2) of a grid of 12 by 8, two views without components, and a
/// third that has another grid. In commands `ONE` and `TWO` name the components.
struct Scene {
    world: World,
    one: String,
    two: String,
}

impl Scene {
    fn new() -> Self {
        let mut workspace = serde_json::to_value(empty(12, 8)).unwrap();
        let grid = &workspace["canvas"]["grid"];
        let mut narrow = grid.clone();
        narrow["columns"] = 4.into();
        let view = |id: &str, grid: &Value| {
            json!({
                "id": id, "name": id, "snapshot": {"grid": grid, "components": []}, "triggerIds": [], "createdAt": 1,
            })
        };
        workspace["views"] =
            json!([view("view_1", grid), view("view_2", grid), view("view_narrow", &narrow)]);
        let mut world = World::of(serde_json::from_value(workspace).unwrap(), GridPolicy::BestEffort);
        let (one, two) = (world.pinned(0, 0, 2, 2).to_string(), world.pinned(2, 0, 2, 2).to_string());
        world.history.clear();
        Self { world, one, two }
    }

    fn names(&self, command: &Value) -> Value {
        let text = command.to_string().replace("ONE", &self.one).replace("TWO", &self.two);
        serde_json::from_str(&text).unwrap()
    }

    #[track_caller]
    fn done(&mut self, command: &Value) -> Executed {
        let executed = self.world.json(self.names(command));
        assert_eq!(code(&executed.result), "OK", "{command}");
        executed
    }

    /// Runs a command and gives the name of what it changed.
    #[track_caller]
    fn change(&mut self, command: &Value) -> UndoId {
        self.done(command).change.unwrap_or_else(|| panic!("{command} changes nothing")).id
    }
}

fn moved(id: &str, col: u32, row: u32) -> Value {
    json!({"type": "component.move", "payload": {"componentId": id, "position": {"col": col, "row": row}}})
}

fn resized(id: &str, cols: u32, rows: u32) -> Value {
    json!({"type": "component.resize", "payload": {"componentId": id, "size": {"cols": cols, "rows": rows}}})
}

fn created(col: u32, row: u32) -> Value {
    let payload = json!({
        "typeId": "github.stat-tile", "config": {"repo": "o/r", "metric": "stars"}, "size": {"cols": 1, "rows": 1},
        "position": {"col": col, "row": row},
    });
    json!({"type": "component.create", "payload": payload})
}

fn removed(id: &str) -> Value {
    json!({"type": "component.remove", "payload": {"componentId": id}})
}

fn labelled(id: &str) -> Value {
    json!({"type": "component.update", "payload": {"componentId": id, "meta": {"label": "L"}}})
}

fn saved(name: &str) -> Value {
    json!({"type": "view.save", "payload": {"name": name}})
}

fn loaded(id: &str) -> Value {
    json!({"type": "view.load", "payload": {"viewId": id}})
}

fn cleared() -> Value {
    json!({"type": "canvas.clear", "payload": {"preservePinned": false}})
}

fn batch(commands: &[Value]) -> Value {
    json!({"type": "batch", "payload": {"commands": commands, "description": "Both"}})
}

fn canvas(board: &Board) -> Value {
    serde_json::to_value(board.workspace(|_| Default::default()).canvas).unwrap()
}

/// Whether the first change can be taken back from under the second.
#[test]
fn a_change_goes_from_under_a_later_one_unless_they_touch() {
    let both = batch(&[moved("ONE", 6, 0), moved("TWO", 8, 0)]);
    for (what, first, second, free) in [
        ("other components", moved("ONE", 0, 4), moved("TWO", 2, 4), true),
        ("the same component", moved("ONE", 0, 4), labelled("ONE"), false),
        ("one of several", both.clone(), moved("TWO", 4, 4), false),
        ("of several, one", labelled("TWO"), both.clone(), false),
        ("none of several", created(0, 7), both, true),
        ("its place is taken since", moved("ONE", 0, 4), created(1, 1), false),
        ("something else's place is taken", moved("ONE", 0, 4), created(0, 2), true),
        ("the place of one that is gone is taken", removed("ONE"), created(1, 1), false),
        ("what goes is in nobody's way", created(0, 4), moved("ONE", 0, 5), true),
        ("views are a list", saved("a"), saved("b"), false),
        ("a view that is saved, one that is loaded", saved("a"), loaded("view_1"), true),
        ("a view that is loaded, one that is saved", loaded("view_1"), saved("a"), true),
        ("one view is active at a time", loaded("view_1"), loaded("view_2"), false),
        ("a view and a component", saved("a"), moved("ONE", 0, 4), true),
    ] {
        let mut scene = Scene::new();
        let (first, second) = (scene.change(&first), scene.change(&second));
        let before = scene.world.board.clone();
        match scene.world.revert(&first) {
            Ok(_) => {
                assert!(free, "{what}");
                // The revert is a change like others, and nothing that could be reverted once more.
                assert_eq!(
                    scene.world.revert(&first),
                    Err(BoardJournalError::NotFound { id: first }),
                    "{what}"
                );
                let World { history, board, .. } = &mut scene.world;
                assert_eq!(history.changes().len(), 3, "{what}");
                let reverted = board.clone();
                history.undo(board).unwrap();
                assert_eq!(*board, before, "{what}");
                history.redo(board).unwrap();
                assert_eq!(*board, reverted, "{what}");
            }
            Err(e) => {
                assert!(!free, "{what}: {e}");
                assert_eq!(e, BoardJournalError::Conflict { id: first, with: second }, "{what}");
                assert_eq!((&scene.world.board, scene.world.history.changes().len()), (&before, 2), "{what}");
            }
        }
    }
}

/// What takes a change back is a command where there is one, and that command does it.
#[test]
fn a_history_shows_how_each_change_is_taken_back() {
    for (what, command, expected) in [
        ("another place", moved("ONE", 0, 4), "component.move"),
        ("another size", resized("ONE", 1, 1), "component.resize"),
        ("another place and size", batch(&[moved("ONE", 0, 4), resized("ONE", 1, 1)]), "component.restore"),
        ("one more", created(0, 4), "component.remove"),
        ("one less", removed("ONE"), "component.restore"),
        ("another name", labelled("ONE"), "component.restore"),
        ("two at once", batch(&[moved("ONE", 0, 4), moved("TWO", 2, 4)]), "canvas.restore"),
        ("one more, and a view", batch(&[created(0, 4), saved("a")]), "canvas.restore"),
        ("all", cleared(), "canvas.restore"),
        ("a view", saved("a"), "view.restore"),
        ("the active view", loaded("view_1"), "view.restore"),
        ("the active view and the grid", loaded("view_narrow"), "canvas.restore"),
    ] {
        let mut scene = Scene::new();
        let before = canvas(&scene.world.board);
        scene.change(&command);
        let inverse = scene.world.history.state().undo_stack.remove(0).inverse;
        assert_eq!(serde_json::to_value(&inverse).unwrap()["type"], expected, "{what}");
        let Recorded::Command(inverse) = inverse else { continue };
        assert_eq!(code(&scene.world.run(&inverse, Role::User).result), "OK", "{what}");
        assert_eq!(canvas(&scene.world.board), before, "{what}");
    }
}

#[test]
fn changes_are_taken_back_down_to_one() {
    let Scene { mut world, one, .. } = Scene::new();
    let mut states = Vec::new();
    let ids: Vec<_> = [4, 6, 8]
        .map(|col| {
            states.push(world.board.clone());
            world.json(moved(&one, col, 0)).change.unwrap().id
        })
        .into();
    let (count, events) = world.history.undo_to(&mut world.board, &ids[1]).unwrap();
    assert_eq!(count, 2);
    assert_eq!(kinds(&events), ["layout.changed", "layout.changed"]);
    assert_eq!(world.board, states[1]);
    let state = world.history.state();
    assert_eq!((state.undo_stack.len(), state.redo_stack.len()), (1, 2));
    // What was undone is gone.
    let error = world.history.undo_to(&mut world.board, &ids[2]).unwrap_err();
    assert_eq!(error, BoardJournalError::NotFound { id: ids[2].clone() });
    assert_eq!(world.board, states[1]);
    assert_eq!(world.history.undo_to(&mut world.board, &ids[0]).unwrap().0, 1);
    assert_eq!(world.board, states[0]);
}

#[test]
fn of_more_changes_than_it_keeps_a_history_drops_the_oldest() {
    for limit in [0, 1, 2, 3, 9] {
        let Scene { mut world, one, .. } = Scene::new();
        world.history = BoardJournal::new(limit);
        let ids: Vec<_> = [4, 6, 8].map(|col| world.json(moved(&one, col, 0)).change.unwrap().id).into();
        let kept: Vec<_> = world.history.changes().map(|change| change.id.clone()).collect();
        assert_eq!(kept, ids[3 - limit.min(3)..], "{limit}");
        assert_eq!(world.history.state().max_size, limit);
        for _ in 0..limit.min(3) {
            world.history.undo(&mut world.board).unwrap();
        }
        let error = world.history.undo(&mut world.board).unwrap_err();
        assert_eq!(error, BoardJournalError::NothingToUndo, "{limit}");
    }
}

/// A history tells a command as it was done: it leads to the same place on another board.
#[test]
fn a_history_shows_the_place_and_size_that_were_found() {
    let mut scene = Scene::new();
    let before = scene.world.board.clone();
    let create = json!({"type": "component.create", "payload": {
        "typeId": "github.stat-tile", "config": {"repo": "o/r", "metric": "stars"}, "hints": {"nearComponentId": "TWO"},
    }});
    for command in [create.clone(), batch(&[create.clone(), create])] {
        scene.world.board = before.clone();
        let change = scene.done(&command).change.unwrap();
        let made: Vec<_> = change.patch.component_ids().iter().map(|id| scene.world.at(id)).collect();
        // On an empty board, where there is nothing to be near to.
        scene.world.board = Board::new(empty(12, 8)).unwrap();
        let forward: CanvasCommand = *change.forward;
        let again = scene.world.run(&forward, Role::User).change.unwrap();
        let places: Vec<_> = again.patch.component_ids().iter().map(|id| scene.world.at(id)).collect();
        assert_eq!(places, made);
    }
}
