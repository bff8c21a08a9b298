//! Views: saved, loaded beside what is pinned, deleted, taken back.

use canvas_core::board::{Board, BoardResult, ComponentId, Executed, GridPolicy, TypeId, ViewId, Workspace};
use serde_json::{Value, json};

use super::world::{World, anew, code, empty, kinds, spread};

fn save(name: &str) -> Value {
    json!({"type": "view.save", "payload": {"name": name, "triggerIds": ["trigger_1"]}})
}

fn load(id: &ViewId) -> Value {
    json!({"type": "view.load", "payload": {"viewId": id}})
}

fn remove(id: &ComponentId) -> Value {
    json!({"type": "component.remove", "payload": {"componentId": id}})
}

fn pin(id: &ComponentId, pinned: bool) -> Value {
    json!({"type": "component.update", "payload": {"componentId": id, "meta": {"pinned": pinned}}})
}

fn saved(world: &mut World, name: &str) -> ViewId {
    assert_eq!(code(&world.json(save(name)).result), "OK");
    world.workspace().views.last().unwrap().id.clone()
}

fn placements(executed: &Executed) -> Value {
    match &executed.result {
        BoardResult::One(result) => json!([result.placement, result.warnings]),
        BoardResult::Batch(batch) => panic!("{batch:?}"),
    }
}

#[test]
fn a_view_brings_back_what_it_has_saved() {
    let mut world = World::new(12, 8, GridPolicy::BestEffort);
    let (one, two) = (world.tile(0, 0, 2, 2), world.tile(4, 4, 2, 2));
    let view = saved(&mut world, "Morning");
    let with_view = world.workspace();
    world.json(remove(&one));
    world.json(remove(&two));
    let three = world.tile(0, 0, 1, 1);
    let executed = world.json(load(&view));
    assert_eq!(code(&executed.result), "OK");
    // With the same ids, so that what was done can still be taken back.
    assert_eq!(
        (world.at(&one), world.at(&two), world.at(&three)),
        (Some((0, 0, 2, 2)), Some((4, 4, 2, 2)), None)
    );
    assert_eq!(world.board.active_view(), Some(&view));
    assert_eq!(
        kinds(&executed.events),
        ["component.removed", "component.added", "component.added", "view.loaded"]
    );
    assert_eq!(placements(&executed), json!([null, []]), "nobody had to make way");
    assert_eq!(world.workspace().views, with_view.views, "loading changes no view");
    assert!(world.json(load(&view)).change.is_none(), "it is loaded already");
    world.json(
        json!({"type": "component.move", "payload": {"componentId": one, "position": {"col": 8, "row": 0}}}),
    );
    let executed = world.json(load(&view));
    let BoardResult::One(result) = &executed.result else { panic!("{executed:?}") };
    assert_eq!(result.affected_component_ids, [one], "once, though it goes and comes");
    for _ in 0..6 {
        world.history.undo(&mut world.board).unwrap();
    }
    assert_eq!((world.workspace().canvas, world.board.active_view()), (with_view.canvas, None));
}

#[test]
fn pinned_ones_stay_and_others_make_way() {
    let mut world = World::new(4, 4, GridPolicy::BestEffort);
    let (one, two) = (world.tile(0, 0, 2, 2), world.tile(2, 0, 2, 2));
    let view = saved(&mut world, "v");
    world.json(remove(&one));
    let pinned = world.pinned(0, 0, 1, 1);
    let executed = world.json(load(&view));
    assert_eq!((world.at(&pinned), world.at(&two)), (Some((0, 0, 1, 1)), Some((2, 0, 2, 2))));
    assert_eq!(world.at(&one), Some((0, 1, 2, 2)), "the first place with room");
    let reported = placements(&executed);
    assert_eq!(reported[0]["adjustments"][0]["componentId"], json!(one));
    assert_eq!(reported[0]["adjustments"][0]["to"], json!({"col": 0, "row": 1}));

    // One that lives on as pinned is not brought a second time.
    world.json(
        json!({"type": "component.move", "payload": {"componentId": one, "position": {"col": 2, "row": 2}}}),
    );
    world.json(pin(&one, true));
    world.json(load(&view));
    assert_eq!((world.at(&one), world.board.len()), (Some((2, 2, 2, 2)), 3));
}

#[test]
fn where_nothing_has_room_the_policy_decides() {
    for (policy, expected) in
        [(GridPolicy::Grow, Some((0, 2))), (GridPolicy::Reject, None), (GridPolicy::BestEffort, Some((0, 0)))]
    {
        let mut world = World::new(2, 2, policy);
        let one = world.tile(0, 0, 2, 2);
        let view = saved(&mut world, "v");
        world.json(remove(&one));
        world.pinned(0, 0, 2, 2);
        let before = world.board.clone();
        let executed = world.json(load(&view));
        assert_eq!(world.at(&one).map(|(col, row, ..)| (col, row)), expected, "{policy:?}");
        let warned = matches!(&executed.result, BoardResult::One(result)
            if result.warnings.iter().any(|warning| warning.contains(one.as_str())));
        assert_eq!(warned, policy == GridPolicy::BestEffort, "{policy:?}");
        if expected.is_none() {
            assert_eq!(
                (code(&executed.result).as_str(), &world.board),
                ("COLLISION_DETECTED /payload/size", &before)
            );
        }
    }
}

/// The grid of a view is taken over where every pinned one fits into it.
#[test]
fn a_view_brings_its_grid() {
    for (pinned_at, expected) in [(None, 4), (Some(2), 4), (Some(6), 12)] {
        let mut workspace = serde_json::to_value(empty(12, 8)).unwrap();
        let component = |id: &str, col: u32, cols: u32, pinned: bool| {
            json!({
                "id": id, "typeId": "github.stat-tile", "position": {"col": col, "row": 0}, "size": {"cols": cols, "rows": 1},
                "config": {}, "dataBinding": null, "dataState": {"status": "idle"},
                "meta": {"createdAt": 1, "createdBy": "user", "pinned": pinned},
            })
        };
        let mut grid = workspace["canvas"]["grid"].clone();
        grid["columns"] = 4.into();
        workspace["views"] = json!([{
            "id": "view_1", "name": "Narrow", "snapshot": {"grid": grid, "components": [component("cmp_a", 0, 1, false)]},
            "triggerIds": [], "createdAt": 1,
        }]);
        let mut live = vec![component("cmp_wide", 0, 12, false)];
        live[0]["position"]["row"] = 3.into();
        live.extend(pinned_at.map(|col| component("cmp_p", col, 2, true)));
        workspace["canvas"]["components"] = live.into();
        let workspace: Workspace = serde_json::from_value(workspace).unwrap();
        let mut world = World::of(workspace, GridPolicy::BestEffort);
        let before = world.board.clone();
        let executed = world.json(load(&ViewId::new("view_1").unwrap()));
        assert_eq!(code(&executed.result), "OK");
        assert_eq!(world.board.grid().columns, expected, "{pinned_at:?}");
        let change = executed.change.unwrap();
        let after = world.board.clone();
        for _ in 0..2 {
            world.board.apply(&change.patch.inverse()).unwrap();
            assert_eq!((&world.board, spread(&world.board)), (&before, anew(&before)));
            world.board.apply(&change.patch).unwrap();
            assert_eq!((&world.board, spread(&world.board)), (&after, anew(&after)));
        }
    }
}

#[test]
fn a_view_that_goes_takes_its_marks_along_and_brings_them_back() {
    let mut workspace = serde_json::to_value(empty(12, 8)).unwrap();
    let grid = workspace["canvas"]["grid"].clone();
    workspace["views"] = json!([
        {"id": "view_1", "name": "One", "snapshot": {"grid": grid, "components": []}, "triggerIds": ["trigger_2"], "createdAt": 1},
        {"id": "view_2", "name": "Two", "snapshot": {"grid": grid, "components": []}, "triggerIds": [], "createdAt": 1},
    ]);
    workspace["triggers"][1]["viewId"] = "view_1".into();
    let mut world = World::of(serde_json::from_value(workspace).unwrap(), GridPolicy::BestEffort);
    let (one, two) = (ViewId::new("view_1").unwrap(), ViewId::new("view_2").unwrap());
    // Where it is not the active one, the marks are all that changes.
    let delete = |id: &ViewId| json!({"type": "view.delete", "payload": {"viewId": id}});
    let before = world.board.clone();
    world.json(delete(&one));
    assert_eq!(world.board.triggers()[1].view_id, None);
    world.history.undo(&mut world.board).unwrap();
    assert_eq!(world.board, before);
    world.json(load(&one));
    let before = world.board.clone();
    let executed = world.json(delete(&one));
    assert_eq!(kinds(&executed.events), ["view.deleted"]);
    assert_eq!((world.board.active_view(), &world.board.triggers()[1].view_id), (None, &None));
    assert_eq!(world.workspace().views.iter().map(|view| &view.id).collect::<Vec<_>>(), [&two]);
    let executed = world.json(delete(&one));
    assert_eq!(executed.result.error().unwrap().candidates, ["view_2"]);
    assert_eq!(
        code(&world.json(load(&ViewId::new("Two").unwrap())).result),
        "VIEW_NOT_FOUND /payload/viewId"
    );
    world.history.undo(&mut world.board).unwrap();
    assert_eq!(world.board, before);
    // One that is not active leaves the other alone.
    world.json(delete(&two));
    assert_eq!(world.board.active_view(), Some(&one));
}

#[test]
fn views_that_go_together_give_each_trigger_its_own_back() {
    let mut workspace = serde_json::to_value(empty(12, 8)).unwrap();
    let grid = workspace["canvas"]["grid"].clone();
    let view = |id: &str| json!({"id": id, "name": id, "snapshot": {"grid": grid, "components": []}, "triggerIds": [], "createdAt": 1});
    workspace["views"] = json!([view("view_1"), view("view_2"), view("view_3")]);
    workspace["triggers"][0]["viewId"] = "view_1".into();
    workspace["triggers"][1]["viewId"] = "view_2".into();
    let mut world = World::of(serde_json::from_value(workspace).unwrap(), GridPolicy::BestEffort);
    let before = world.board.clone();
    let delete = |id: &str| json!({"type": "view.delete", "payload": {"viewId": id}});
    let commands = [delete("view_2"), delete("view_1")];
    world.json(json!({"type": "batch", "payload": {"commands": commands, "description": "both"}}));
    assert!(world.board.triggers().iter().all(|trigger| trigger.view_id.is_none()));
    world.history.undo(&mut world.board).unwrap();
    assert_eq!(world.board, before);
}

/// What a view brings is its own affair: views that were saved before are not touched by it.
#[test]
fn one_that_was_saved_goes_from_under_one_that_was_loaded_with_its_grid() {
    let mut workspace = serde_json::to_value(empty(12, 8)).unwrap();
    let mut grid = workspace["canvas"]["grid"].clone();
    grid["columns"] = 4.into();
    workspace["views"] = json!([{
        "id": "view_1", "name": "Narrow", "snapshot": {"grid": grid, "components": []}, "triggerIds": [], "createdAt": 1,
    }]);
    let mut world = World::of(serde_json::from_value(workspace).unwrap(), GridPolicy::BestEffort);
    let saving = world.json(save("Wide")).change.unwrap().id;
    world.json(load(&ViewId::new("view_1").unwrap()));
    assert_eq!((world.board.grid().columns, world.workspace().views.len()), (4, 2));
    world.revert(&saving).unwrap();
    assert_eq!((world.board.grid().columns, world.workspace().views.len()), (4, 1));
}

#[test]
fn an_unknown_type_stays_as_a_placeholder() {
    let mut world = World::new(12, 8, GridPolicy::BestEffort);
    let one = world.tile(0, 0, 2, 2);
    let view = saved(&mut world, "v");
    world.json(remove(&one));
    world.registry.unregister(&TypeId::new("github.stat-tile").unwrap());
    let executed = world.json(load(&view));
    assert_eq!((code(&executed.result).as_str(), world.at(&one)), ("OK", Some((0, 0, 2, 2))));
    assert!(placements(&executed)[1][0].as_str().unwrap().contains("placeholder"));
}

/// A patch that was made for another board is refused, and nothing is changed.
#[test]
fn a_patch_fits_the_board_that_it_was_made_for() {
    let mut world = World::new(12, 8, GridPolicy::BestEffort);
    let one = world.tile(0, 0, 2, 2);
    let moved = |col: u32| json!({"type": "component.move", "payload": {"componentId": one, "position": {"col": col, "row": 0}}});
    let first = world.json(moved(4)).change.unwrap().patch;
    world.json(moved(8));
    let view = world.json(save("v")).change.unwrap().patch;
    let before = world.board.clone();
    for patch in [&first, &first.inverse(), &view] {
        let mismatch = world.board.apply(patch).unwrap_err();
        assert!(!mismatch.place.is_empty());
        assert_eq!(world.board, before);
    }
    let mut other = Board::new(empty(12, 8)).unwrap();
    assert_eq!(other.apply(&first).unwrap_err().place, one.as_str());
}
