//! Many components that move at once: as if each were moved by itself.

use canvas_core::Role;
use canvas_core::board::strategies::large_workspaces;
use canvas_core::board::{
    Board, BoardResult, Bounds, CanvasCommand, ComponentId, GridPolicy, PlacementHints, Position, Size,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::world::{World, anew, code, spread};

fn resize(id: &str, cols: u32, rows: u32) -> CanvasCommand {
    let payload = json!({"componentId": id, "size": {"cols": cols, "rows": rows}, "onCollision": "shift"});
    serde_json::from_value(json!({"type": "component.resize", "payload": payload})).unwrap()
}

/// All that a board answers about places.
fn places(board: &Board) -> Value {
    let columns = board.grid().columns;
    let found = [(1, 1), (2, 3), (columns, 1), (1, 70)].map(|(cols, rows)| {
        let found = board.find_placement(Size::new(cols, rows), &PlacementHints::default(), GridPolicy::Grow);
        found.ok()
    });
    let met = (0..80).map(|row| board.collisions(Bounds::new(Position::new(0, row), Size::new(columns, 1))));
    let (covered, ids) = spread(board);
    json!({"found": found, "met": met.collect::<Vec<_>>(), "covered": covered, "ids": ids})
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// One by one is the reference: a patch is applied so, and taken back so.
    #[test]
    fn what_is_moved_at_once_lies_as_if_moved_one_by_one(workspace in large_workspaces(), rows in 1..40_u32) {
        prop_assume!(!workspace.canvas.components.is_empty());
        let mut world = World::of(workspace, GridPolicy::Grow);
        let (before, columns) = (world.board.clone(), world.board.grid().columns);
        let executed = world.run(&resize("cmp_0", columns, rows), Role::User);
        let Some(change) = executed.change else { return Ok(()) };
        let mut alone = before.clone();
        alone.apply(&change.patch).unwrap();
        prop_assert_eq!(&alone, &world.board);
        prop_assert_eq!(places(&alone), places(&world.board));
        prop_assert_eq!(anew(&world.board), spread(&world.board));
        world.history.undo(&mut world.board).unwrap();
        prop_assert_eq!(places(&before), places(&world.board));
    }

    /// Components of one size change places with each other, by a batch that names some of them twice.
    #[test]
    fn a_batch_of_moves_leads_where_its_last_ones_do(workspace in large_workspaces(), turn in 0..300_usize) {
        let mut world = World::of(workspace, GridPolicy::Grow);
        let all = world.workspace().canvas.components;
        prop_assume!(!all.is_empty());
        let to = |number: usize| all[(number + turn) % all.len()].position;
        let moves = (0..all.len()).map(|number| (number, to(number)));
        // The first ones go elsewhere first.
        let moves = (0..all.len() / 3).map(|number| (number, to(number + 1))).chain(moves);
        let commands: Vec<_> = moves
            .map(|(number, position)| {
                json!({"type": "component.move", "payload": {"componentId": all[number].id, "position": position}})
            })
            .collect();
        let executed = world.json(json!({"type": "batch", "payload": {"commands": commands, "description": ""}}));
        prop_assert_eq!(code(&executed.result), "OK");
        let after: Vec<_> = world.workspace().canvas.components.iter().map(|one| one.position).collect();
        prop_assert_eq!(after, (0..all.len()).map(to).collect::<Vec<_>>());
        prop_assert_eq!(anew(&world.board), spread(&world.board));
    }
}

/// Boards as they should not be, and what stands where once the first component has grown.
#[test]
fn stacks_pins_and_widest_ones_make_room() {
    type Case = (&'static str, u32, u32, fn(u32) -> Bounds, Size, fn(u32) -> u32);
    const fn at(col: u32, row: u32, cols: u32, rows: u32) -> Bounds {
        Bounds::new(Position::new(col, row), Size::new(cols, rows))
    }
    let cases: [Case; 4] = [
        ("one column", 1, 1_000, |n| at(0, n, 1, 1), Size::new(1, 5), |n| n + 4),
        ("the widest", 64, 300, |n| at(0, n, 64, 1), Size::new(64, 3), |n| n + 2),
        (
            "the smallest, of 64 columns",
            64,
            640,
            |n| at(n % 64, n / 64, 1, 1),
            Size::new(64, 2),
            |n| n / 64 + 1 + u32::from(n % 64 > 0),
        ),
        ("all on one cell", 12, 200, |n| at(0, n.min(1), 1, 1), Size::new(1, 2), |n| n + 1),
    ];
    for (name, columns, components, place, size, row) in cases {
        let mut workspace = json!(super::world::empty(columns, 8));
        let component = |number: u32| {
            let Bounds { position, size } = place(number);
            json!({
                "id": format!("cmp_{number}"), "typeId": "github.stat-tile", "position": position, "size": size,
                "config": {"repo": "o/r", "metric": "stars"}, "dataBinding": null,
                "meta": {"createdAt": 1, "createdBy": "user", "pinned": false},
            })
        };
        workspace["canvas"]["components"] = (0..components).map(component).collect();
        let mut world = World::of(serde_json::from_value(workspace).unwrap(), GridPolicy::Grow);
        let executed = world.run(&resize("cmp_0", size.cols, size.rows), Role::User);
        assert_eq!(code(&executed.result), "OK", "{name}");
        let rows = |board: &Board| -> Vec<_> {
            let id = |number| ComponentId::new(&format!("cmp_{number}")).unwrap();
            (1..components).map(|number| board.bounds(&id(number)).unwrap().position.row).collect()
        };
        assert_eq!(rows(&world.board), (1..components).map(row).collect::<Vec<_>>(), "{name}");
        assert_eq!(anew(&world.board), spread(&world.board), "{name}");
        let BoardResult::One(result) = executed.result else { panic!("{name}") };
        assert_eq!(result.affected_component_ids.len(), components as usize, "{name}");
    }
}

/// A thousand pins over each other are passed as one.
#[test]
fn a_column_passes_pins_that_lie_over_each_other() {
    let mut world = World::new(1, 8, GridPolicy::Grow);
    let mut workspace = json!(world.workspace());
    let component = |number: u32| {
        // 100 in a column, and 1,000 pins of 1 to 7 rows below them.
        let (row, rows) = if number < 100 { (number, 1) } else { (100, 1 + number % 7) };
        json!({
            "id": format!("cmp_{number}"), "typeId": "github.stat-tile", "position": {"col": 0, "row": row},
            "size": {"cols": 1, "rows": rows}, "config": {"repo": "o/r", "metric": "stars"}, "dataBinding": null,
            "meta": {"createdAt": 1, "createdBy": "user", "pinned": number >= 100},
        })
    };
    workspace["canvas"]["components"] = (0..1_100).map(component).collect();
    world.board = Board::new(serde_json::from_value(workspace).unwrap()).unwrap();
    let executed = world.run(&resize("cmp_0", 1, 3), Role::User);
    assert_eq!(code(&executed.result), "OK");
    let row = |number: u32| world.at(&ComponentId::new(&format!("cmp_{number}")).unwrap()).unwrap().1;
    assert_eq!([1, 97, 98, 99, 100].map(row), [3, 99, 107, 108, 100]);
    assert_eq!(anew(&world.board), spread(&world.board));
}
