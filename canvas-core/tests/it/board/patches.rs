//! Patches as they come from elsewhere: those of this board, and those that nearly are.

use canvas_core::board::{Board, BoardPatch, Bounds, GridPolicy, Position, Size};
use serde_json::{Value, json};

use super::world::{World, anew, empty, spread};

/// `ONE` at (0, 0, 2, 2) and `TWO` at (6, 0, 1, 1) on a grid of 12 by 8, and a view of 4 columns without components.
struct Scene {
    world: World,
    names: [String; 2],
}

impl Scene {
    fn new() -> Self {
        let mut workspace = serde_json::to_value(empty(12, 8)).unwrap();
        let mut grid = workspace["canvas"]["grid"].clone();
        grid["columns"] = 4.into();
        workspace["views"] = json!([{
            "id": "view_1", "name": "Narrow", "snapshot": {"grid": grid, "components": []},
            "triggerIds": ["trigger_1"], "createdAt": 1,
        }]);
        workspace["triggers"][1]["viewId"] = "view_1".into();
        let mut world = World::of(serde_json::from_value(workspace).unwrap(), GridPolicy::BestEffort);
        let names = [world.tile(0, 0, 2, 2), world.tile(6, 0, 1, 1)].map(|id| id.to_string());
        Self { world, names }
    }

    fn named(&self, value: &Value) -> Value {
        let text = value.to_string().replace("ONE", &self.names[0]).replace("TWO", &self.names[1]);
        serde_json::from_str(&text).unwrap()
    }

    /// The board that a command changes, and its patch.
    fn patch(&mut self, command: &Value) -> (Board, BoardPatch) {
        let board = self.world.board.clone();
        let executed = self.world.json(self.named(command));
        (board, executed.change.unwrap_or_else(|| panic!("{command}: {:?}", executed.result)).patch)
    }
}

fn command(kind: &str, payload: Value) -> Value {
    json!({"type": kind, "payload": payload})
}

fn moved() -> Value {
    command("component.move", json!({"componentId": "ONE", "position": {"col": 2, "row": 0}}))
}

fn updated() -> Value {
    command("component.update", json!({"componentId": "ONE", "config": {"repo": "o/other"}}))
}

fn cleared() -> Value {
    command("canvas.clear", json!({"preservePinned": false}))
}

fn created() -> Value {
    let config = json!({"repo": "o/r", "metric": "stars"});
    let (position, size) = (json!({"col": 9, "row": 0}), json!({"cols": 1, "rows": 1}));
    command(
        "component.create",
        json!({"typeId": "github.stat-tile", "config": config, "position": position, "size": size}),
    )
}

fn saved() -> Value {
    command("view.save", json!({"name": "v"}))
}

fn deleted() -> Value {
    command("view.delete", json!({"viewId": "view_1"}))
}

fn loaded() -> Value {
    command("view.load", json!({"viewId": "view_1"}))
}

fn trigger(id: &str) -> Value {
    let trigger = json!({"id": id, "name": "Other", "enabled": true, "type": "session_start"});
    command("trigger.set", json!({"trigger": trigger}))
}

fn untriggered() -> Value {
    command("trigger.remove", json!({"triggerId": "trigger_1"}))
}

fn darkened() -> Value {
    command("settings.update", json!({"theme": "dark", "proactiveMode": "auto"}))
}

fn bounds(col: u32, size: u32) -> Value {
    json!({"position": {"col": col, "row": 0}, "size": {"cols": size, "rows": size}})
}

/// What a command has done, altered in one place: it is refused for what is not as it says, and all stays as it was.
#[test]
fn a_patch_that_is_not_of_this_board_changes_nothing() {
    for (command, pointer, altered, place) in [
        (moved(), "/components/0/bounds/id", json!("cmp_gone"), "cmp_gone"),
        (moved(), "/components/0/bounds/before/position/col", json!(1), "ONE"),
        (moved(), "/components/0/bounds/after/position/col", json!(63), "ONE"),
        (moved(), "/components/0/bounds/after/position/row", json!(Board::ROWS - 1), "ONE"),
        (moved(), "/components/0/bounds/after/size/cols", json!(0), "ONE"),
        (moved(), "/components/0/bounds/after/size/rows", json!(0), "ONE"),
        (updated(), "/components/0/body/before/id", json!("cmp_gone"), "ONE"),
        (updated(), "/components/0/body/before/config/repo", json!("o/third"), "ONE"),
        (updated(), "/components/0/body/after/id", json!("TWO"), "TWO"),
        (created(), "/components/0/added/body/id", json!("TWO"), "TWO"),
        (created(), "/components/0/added/bounds/position/col", json!(64), "ADDED"),
        (cleared(), "/components/0/removed/order", json!(7), "ONE"),
        (cleared(), "/components/0/removed/bounds/size/cols", json!(1), "ONE"),
        (cleared(), "/components/0/removed/body/config/repo", json!("o/third"), "ONE"),
        (cleared(), "/components/1/removed/body/id", json!("cmp_gone"), "cmp_gone"),
        (saved(), "/rest/views/0/added/index", json!(2), "ADDED"),
        (saved(), "/rest/views/0/added/view/id", json!("view_1"), "view_1"),
        (deleted(), "/rest/views/0/removed/index", json!(1), "view_1"),
        (deleted(), "/rest/views/0/removed/view/name", json!("Wide"), "view_1"),
        (deleted(), "/rest/triggers/0/id", json!("trigger_1"), "trigger_1"),
        (deleted(), "/rest/triggers/0/before", json!("view_2"), "trigger_2"),
        (trigger("trigger_x"), "/rest/triggers/0/added/index", json!(3), "trigger_x"),
        (trigger("trigger_1"), "/rest/triggers/0/changed/before/name", json!("End"), "trigger_1"),
        (trigger("trigger_1"), "/rest/triggers/0/changed/before/id", json!("trigger_2"), "trigger_1"),
        (trigger("trigger_1"), "/rest/triggers/0/changed/after/id", json!("trigger_2"), "trigger_2"),
        (untriggered(), "/rest/triggers/0/removed/index", json!(1), "trigger_1"),
        (untriggered(), "/rest/triggers/0/removed/trigger/name", json!("End"), "trigger_1"),
        (untriggered(), "/rest/views/0/triggers/before", json!([]), "view_1"),
        (untriggered(), "/rest/views/0/triggers/id", json!("view_2"), "view_2"),
        (darkened(), "/rest/settings/before/theme", json!("light"), "settings"),
        (darkened(), "/rest/settings/before/proactiveMode", json!("off"), "settings"),
        (loaded(), "/rest/active_view/before", json!("view_1"), "activeViewId"),
        (loaded(), "/rest/grid/before/columns", json!(11), "grid"),
        (loaded(), "/rest/grid/before/columns", json!(64), "grid"),
    ] {
        let mut scene = Scene::new();
        let (mut board, patch) = scene.patch(&command);
        let (before, layout) = (board.clone(), spread(&board));
        let mut json = serde_json::to_value(&patch).unwrap();
        let added = ["/components/0/added/body/id", "/rest/views/0/added/view/id"]
            .into_iter()
            .find_map(|id| json.pointer(id)?.as_str().map(str::to_owned));
        let there = json.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}: {patch:?}"));
        *there = scene.named(&altered);
        let altered: BoardPatch = serde_json::from_value(json).unwrap();
        let place = match place {
            "ADDED" => added.unwrap(),
            place => scene.named(&json!(place)).as_str().unwrap().to_owned(),
        };
        assert_eq!(board.apply(&altered).map_err(|mismatch| mismatch.place), Err(place), "{pointer}");
        assert_eq!((&board, spread(&board)), (&before, layout), "{pointer}");
        board.apply(&patch).unwrap();
        assert_eq!(board, scene.world.board, "{pointer}");
    }
}

/// A patch may lead past the columns of the grid, and the grid may end before the last component: all of it is found.
#[test]
fn what_a_patch_puts_outside_of_the_grid_stands_there() {
    let scene = Scene::new();
    let grid = serde_json::to_value(scene.world.board.grid()).unwrap();
    let record = |col: u32| {
        let meta = json!({"createdAt": 1, "createdBy": "user", "pinned": false});
        let body = json!({"id": "cmp_x", "typeId": "test", "config": {}, "dataBinding": null, "meta": meta});
        json!({"order": 9, "bounds": bounds(col, 1), "body": body})
    };
    let one_to = |col: u32| json!({"bounds": {"id": "ONE", "before": bounds(0, 2), "after": bounds(col, 2)}});
    let of_columns = |columns: u32| {
        let mut grid = grid.clone();
        grid["columns"] = columns.into();
        grid
    };
    for (diffs, columns, covered, found) in [
        (vec![one_to(20)], 12, 5, (21, "ONE")),
        (vec![one_to(62)], 12, 5, (63, "ONE")),
        (vec![one_to(11)], 12, 5, (12, "ONE")),
        (vec![json!({"added": record(12)})], 12, 6, (12, "cmp_x")),
        (vec![json!({"added": record(63)})], 12, 6, (63, "cmp_x")),
        (vec![json!({"added": record(20)})], 30, 6, (20, "cmp_x")),
        (vec![], 6, 5, (6, "TWO")),
        (vec![], 1, 5, (1, "ONE")),
    ] {
        let before = &scene.world.board;
        let mut patch = json!({"components": diffs, "updated_at": {"before": 1, "after": 1}});
        if columns != 12 {
            patch["rest"] = json!({"grid": {"before": grid, "after": of_columns(columns)}});
        }
        let patch: BoardPatch = serde_json::from_value(scene.named(&patch)).unwrap();
        let mut board = before.clone();
        board.apply(&patch).unwrap();
        let (col, id) = found;
        let cell = Bounds::new(Position::new(col, 0), Size::new(1, 1));
        let found = (board.grid().columns, board.covered_cells(), json!(board.collisions(cell)));
        assert_eq!(found, (columns, covered, scene.named(&json!([id]))), "{patch:?}");
        board.apply(&patch.inverse()).unwrap();
        assert_eq!(spread(&board), anew(before), "{patch:?}");
    }
}
