//! What a board is: what makes two of them differ, their order, and the ids that they give.

use canvas_core::Role;
use canvas_core::board::{
    Board, BoardEnv, BoardError, BoardResult, BoardRules, ComponentId, ComponentInstance, GridPolicy,
    IdSource, Registry, Workspace,
};
use canvas_core::lease::Timestamp;
use serde_json::{Value, json};

use super::world::{World, empty};

fn component(id: &str, col: u32) -> Value {
    json!({
        "id": id, "typeId": "test", "config": {"a": 1}, "position": {"col": col, "row": 0}, "size": {"cols": 1, "rows": 1},
        "dataBinding": null, "dataState": {"status": "idle"}, "meta": {"createdAt": 1, "createdBy": "user", "pinned": false},
    })
}

#[test]
fn boards_differ_in_what_is_stored_of_them() {
    let mut workspace = serde_json::to_value(empty(12, 8)).unwrap();
    let grid = workspace["canvas"]["grid"].clone();
    workspace["canvas"]["components"] = json!([component("cmp_a", 0), component("cmp_b", 1)]);
    workspace["views"] = json!([{
        "id": "view_1", "name": "One", "snapshot": {"grid": grid, "components": []}, "triggerIds": [], "createdAt": 1,
    }]);
    let board =
        |json: &Value| Board::new(serde_json::from_value::<Workspace>(json.clone()).unwrap()).unwrap();
    let one = board(&workspace);
    assert_eq!(one, board(&workspace));
    for (pointer, other) in [
        ("/name", json!("Other")),
        ("/canvas/grid/rows", json!(9)),
        ("/triggers/0/enabled", json!(false)),
        ("/updatedAt", json!(2)),
        ("/views", json!([])),
        ("/views/0/name", json!("Other")),
        ("/canvas/components", json!([component("cmp_a", 0)])),
        ("/canvas/components", json!([component("cmp_b", 1), component("cmp_a", 0)])),
        ("/canvas/components/1/position/row", json!(1)),
        ("/canvas/components/1/config/a", json!(2)),
    ] {
        let mut workspace = workspace.clone();
        *workspace.pointer_mut(pointer).unwrap() = other;
        let other = board(&workspace);
        assert_ne!(one, other, "{pointer}");
    }
    // How far data are is the host's to keep.
    let mut loading = workspace.clone();
    loading["canvas"]["components"][0]["dataState"] = json!({"status": "loading", "startedAt": 1});
    assert_eq!(one, board(&loading));
}

#[test]
fn a_board_has_a_bounded_number_of_components() {
    let one: ComponentInstance = serde_json::from_value(component("cmp_x", 0)).unwrap();
    let mut workspace = empty(12, 8);
    workspace.canvas.components = (0..Board::COMPONENTS)
        .map(|at| ComponentInstance { id: ComponentId::new(&format!("cmp_{at}")).unwrap(), ..one.clone() })
        .collect();
    let board = Board::new(workspace.clone()).unwrap();
    assert_eq!(board.workspace(|_| Default::default()).canvas.components.len(), Board::COMPONENTS);
    workspace.canvas.components.push(one);
    let found = Board::COMPONENTS + 1;
    assert_eq!(Board::new(workspace).unwrap_err(), BoardError::TooMany { found });
}

#[test]
fn components_are_in_the_order_in_which_they_were_made() {
    let mut workspace = serde_json::to_value(empty(12, 8)).unwrap();
    workspace["canvas"]["components"] = json!([component("cmp_z", 0), component("cmp_a", 1)]);
    let mut world = World::of(serde_json::from_value(workspace).unwrap(), GridPolicy::BestEffort);
    let mut expected: Vec<_> = ["cmp_z", "cmp_a"].map(|id| ComponentId::new(id).unwrap()).into();
    let order = |world: &World| {
        let components = world.workspace().canvas.components;
        components.into_iter().map(|component| component.id).collect::<Vec<_>>()
    };
    for col in 2..12 {
        expected.push(world.tile(col, 0, 1, 1));
        assert_eq!(order(&world), expected);
    }
    // One that comes back has its place again, and one that is made then is the last.
    let removed = expected.remove(4);
    world.json(json!({"type": "component.remove", "payload": {"componentId": removed}}));
    assert_eq!(order(&world), expected);
    world.history.undo(&mut world.board).unwrap();
    expected.insert(4, removed);
    expected.push(world.tile(0, 1, 1, 1));
    assert_eq!(order(&world), expected);
}

/// An id source that says the same again and again is asked until it says what neither a component nor a view has.
#[test]
fn an_id_is_given_once() {
    let (registry, mut board) = (Registry::built_in(), Board::new(empty(12, 8)).unwrap());
    let mut run = |command: Value| {
        let (rules, now) = (BoardRules::default(), Timestamp::from_millis(1));
        let mut env = BoardEnv { registry: &registry, rules, now, ids: IdSource::seeded(b"same") };
        let command = serde_json::from_value(command).unwrap();
        match board.execute(&command, Role::User, &mut env).result {
            BoardResult::One(result) if result.success => result.affected_component_ids,
            refused => panic!("{refused:?}"),
        }
    };
    let payload = json!({"typeId": "github.stat-tile", "config": {"repo": "o/r", "metric": "stars"}});
    let create = json!({"type": "component.create", "payload": payload});
    let mut given: Vec<ComponentId> = Vec::new();
    for _ in 0..3 {
        let made = run(create.clone());
        assert!(!given.contains(&made[0]), "{made:?}");
        given.extend(made);
    }
    run(json!({"type": "view.save", "payload": {"name": "v"}}));
    run(json!({"type": "canvas.clear", "payload": {"preservePinned": false}}));
    let made = run(create);
    assert!(!given.contains(&made[0]), "{made:?}");
}
