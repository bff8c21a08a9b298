//! What can be taken back and done again, through one history of all faces.

use canvas_core::board::strategies::command_seeds;
use canvas_core::board::{Board, Workspace};
use canvas_examples::bridge::Bridge;
use proptest::prelude::*;
use serde_json::json;

use crate::bridge_board::world::{World, code, grid};

#[test]
fn what_changes_nothing_has_no_entry_and_keeps_redo() {
    let mut world = World::new();
    let id = world.tile(0, 0);
    world.tile(4, 0);
    world.action(json!({"type": "user.undo"}));
    let before = world.get();
    for (kind, payload) in [
        ("component.move", json!({"componentId": id, "position": {"col": 0, "row": 0}})),
        ("component.resize", json!({"componentId": id, "size": {"cols": 2, "rows": 1}})),
        ("component.update", json!({"componentId": id, "config": {"metric": "stars"}})),
        ("batch", json!({"commands": [], "description": ""})),
        ("component.move", json!({"componentId": id, "position": {"col": 99, "row": 0}})),
        ("component.remove", json!({"componentId": "cmp_gone"})),
    ] {
        let result = world.command(kind, payload);
        assert_eq!(result["undoId"], json!(""), "{result}");
        assert_eq!(world.get(), before, "{kind}");
    }
    let refreshed = world.action(json!({"type": "user.refresh", "componentId": id}));
    assert_eq!((&refreshed["success"], &refreshed["undoId"]), (&json!(true), &json!("")));
    assert_eq!(world.get()["history"], before["history"]);
    assert_eq!(world.action(json!({"type": "user.redo"}))["success"], json!(true));
    assert_eq!(code(&world.action(json!({"type": "user.redo"}))), "NOTHING_TO_REDO");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// The actions of the history do what those of a person do, and a history that is cleared has nothing left.
    #[test]
    fn actions_of_the_history(steps in prop::collection::vec(0_u8..4, 1..12)) {
        let (mut ours, mut theirs) = (World::new(), World::new());
        let mut made = 0;
        for step in steps {
            let actions = match step {
                0 => {
                    made += 1;
                    let at = (made % 6 * 2, made / 6 % 8);
                    prop_assert_eq!(ours.tile(at.0, at.1).is_string(), theirs.tile(at.0, at.1).is_string());
                    continue;
                }
                1 => [json!({"type": "history.undo"}), json!({"type": "user.undo"})],
                2 => [json!({"type": "history.redo"}), json!({"type": "user.redo"})],
                _ => [json!({"type": "history.clear"}), json!({"type": "history.clear"})],
            };
            let [one, other] = actions;
            let (one, other) = (ours.action(one), theirs.action(other));
            prop_assert_eq!((code(&one), &one["explanation"]), (code(&other), &other["explanation"]));
            if step == 3 {
                let shown = ours.components();
                prop_assert_eq!(one["success"].clone(), json!(true));
                let undone = ours.action(json!({"type": "history.undo"}));
                let redone = ours.action(json!({"type": "history.redo"}));
                prop_assert_eq!((code(&undone), code(&redone)), ("NOTHING_TO_UNDO", "NOTHING_TO_REDO"));
                prop_assert_eq!(ours.components(), shown);
            }
        }
        let history = |world: &mut World| {
            let history = world.get()["history"].clone();
            ["undoStack", "redoStack"].map(|stack| history[stack].as_array().map(Vec::len))
        };
        prop_assert_eq!(history(&mut ours), history(&mut theirs));
    }
}

#[test]
fn several_faces_are_restored_as_one_change() {
    let mut world = World { bridge: Bridge::new(), now: 0 };
    world.ask(json!({"op": "canvas.create", "markdown": "one\n"}));
    world.ask(json!({"op": "board.create", "grid": grid(12, 8)}));
    let id = world.tile(0, 0);
    let both =
        |world: &mut World| (world.ask(json!({"op": "canvas.text"}))["markdown"].clone(), world.components());
    let sent = both(&mut world);
    let version = world.ask(json!({"op": "version.create", "label": "sent"}))["version"]["revision"].clone();
    world.ask(json!({"op": "user.edit", "markdown": "two\n"}));
    world.action(json!({"type": "user.dismiss", "componentId": id}));
    let ours = both(&mut world);
    for at in [json!({"version": "sent"}), json!({"revision": version})] {
        let mut request = json!({"op": "version.restore", "faces": ["board", "document"]});
        at.as_object().unwrap().iter().for_each(|(name, value)| request[name] = value.clone());
        assert_eq!(world.ask(request.clone())["changed"], json!(["document", "board"]));
        assert_eq!(both(&mut world), sent);
        assert_eq!(code(&world.raw(request)), "NO_EFFECT");
        assert_eq!(world.get()["history"]["undoStack"][2]["forward"]["type"], json!("component.restore"));
        world.ask(json!({"op": "history.undo", "steps": 1}));
        assert_eq!(both(&mut world), ours);
    }
    let surface = json!({"op": "version.restore", "version": "sent", "faces": ["surface"]});
    assert_eq!(code(&world.raw(surface)), "FACE_NOT_FOUND");
}

/// One history for both faces, in the order in which things were done.
#[test]
fn document_and_board_go_back_in_their_order() {
    let mut world = World { bridge: Bridge::new(), now: 0 };
    world.ask(json!({"op": "canvas.create", "markdown": "one\n"}));
    world.ask(json!({"op": "board.create", "grid": grid(12, 8)}));
    let both =
        |world: &mut World| (world.ask(json!({"op": "canvas.text"}))["markdown"].clone(), world.components());
    let mut states = vec![both(&mut world)];
    let id = world.tile(0, 0);
    states.push(both(&mut world));
    world.ask(json!({"op": "user.edit", "markdown": "one\ntwo\n"}));
    states.push(both(&mut world));
    world.action(json!({"type": "user.move", "componentId": id, "position": {"col": 4, "row": 4}}));
    states.push(both(&mut world));

    let undone = world.ask(json!({"op": "history.undo", "steps": 2}))["undone"].clone();
    let reported: Vec<_> =
        undone.as_array().unwrap().iter().map(|entry| entry["summary"].as_str().unwrap()).collect();
    assert_eq!(reported, ["Moved Stat Tile to (4, 4).", "+1 −0, 1 hunk"]);
    assert_eq!(both(&mut world), states[1]);
    // The board's own history tells of the board alone.
    let history = world.get()["history"].clone();
    let depth = |name: &str| history[name].as_array().map(Vec::len);
    assert_eq!((depth("undoStack"), depth("redoStack")), (Some(1), Some(1)));
    // More steps than there are: as many as there are.
    assert_eq!(
        world.ask(json!({"op": "history.undo", "steps": 9}))["undone"].as_array().map(Vec::len),
        Some(1)
    );
    assert_eq!(both(&mut world), states[0]);
    assert_eq!(code(&world.raw(json!({"op": "history.undo"}))), "NOTHING_TO_UNDO");
    assert_eq!(code(&world.action(json!({"type": "user.undo"}))), "NOTHING_TO_UNDO");
    assert_eq!(
        world.ask(json!({"op": "history.redo", "steps": 9}))["redone"].as_array().map(Vec::len),
        Some(3)
    );
    assert_eq!(both(&mut world), states[3]);
    // A user's undo of a document edit names no entry of the board.
    world.action(json!({"type": "user.undo"}));
    let undone = world.action(json!({"type": "user.undo"}));
    assert_eq!((&undone["success"], &undone["undoId"]), (&json!(true), &json!("")));
    assert_eq!(both(&mut world), states[1]);
}

#[test]
fn the_history_of_a_board_has_fifty_entries() {
    let mut world = World::new();
    for number in 0..60 {
        world.tile(number % 6 * 2, number / 6 % 8);
        if number == 47 {
            world.command("canvas.clear", json!({"preservePinned": true}));
        }
    }
    let full = world.get();
    let stack = full["history"]["undoStack"].as_array().unwrap().clone();
    assert_eq!((stack.len(), &full["history"]["maxSize"]), (50, &json!(50)));
    let times: Vec<_> = stack.iter().map(|entry| entry["timestamp"].as_u64().unwrap()).collect();
    assert!(times.is_sorted(), "the newest is last");
    for undone in 1..=50 {
        assert_eq!(world.action(json!({"type": "user.undo"}))["success"], json!(true), "{undone}");
        let history = world.get()["history"].clone();
        let kept = history["undoStack"].as_array().unwrap();
        assert_eq!(kept[..], stack[..50 - undone], "{undone}");
        let redo: Vec<_> = history["redoStack"].as_array().unwrap().iter().rev().cloned().collect();
        assert_eq!(redo, stack[50 - undone..], "{undone}");
    }
    assert_eq!(code(&world.action(json!({"type": "user.undo"}))), "NOTHING_TO_UNDO");
    for _ in 0..50 {
        assert_eq!(world.action(json!({"type": "user.redo"}))["success"], json!(true));
    }
    assert_eq!(world.get(), full);
    // The journal goes further back.
    let undone = world.ask(json!({"op": "history.undo", "steps": 100}))["undone"].as_array().map(Vec::len);
    assert_eq!((undone, world.components()), (Some(61), json!([])));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Whatever is done, back and forth again leads through the same states, byte for byte.
    #[test]
    fn everything_can_be_taken_back_and_done_again(seeds in command_seeds(12)) {
        let mut world = World::with_grid(8, 6);
        for col in [0, 2, 4] {
            world.tile(col, 0);
        }
        let mut states = vec![world.get()["workspace"].clone()];
        for (number, seed) in seeds.iter().enumerate() {
            let workspace: Workspace = serde_json::from_value(states.last().unwrap().clone()).unwrap();
            let command = seed.command(&Board::new(workspace).unwrap());
            let source = ["user", "assistant"][number % 2];
            let before = world.get();
            let reply = world.raw(json!({"op": "board.command", "source": source, "command": command}));
            let after = world.get();
            if reply["result"]["undoId"] == json!("") || reply["ok"] == json!(false) {
                prop_assert_eq!(after, before, "{}", reply);
            } else {
                let stack = after["history"]["undoStack"].as_array().unwrap();
                prop_assert_eq!(&stack.last().unwrap()["id"], &reply["result"]["undoId"]);
                prop_assert_eq!(&stack.last().unwrap()["source"], source);
                states.push(after["workspace"].clone());
            }
        }
        let last = world.get();
        for state in states.iter().rev().skip(1) {
            prop_assert_eq!(&world.action(json!({"type": "user.undo"}))["success"], true);
            prop_assert_eq!(&world.get()["workspace"], state);
        }
        for state in &states[1..] {
            prop_assert_eq!(&world.action(json!({"type": "user.redo"}))["success"], true);
            prop_assert_eq!(&world.get()["workspace"], state);
        }
        prop_assert_eq!(world.get(), last);
    }
}
