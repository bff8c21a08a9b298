//! Settings and triggers in the history: what goes from under what, and how it is shown.

use canvas_core::Role;
use serde_json::json;

use super::settings::{delete, plain, remove, set, settings, world};

/// One change is taken back from under another one: where they have nothing in common, and where neither could leave a name of
/// nothing.
#[test]
fn changes_go_from_under_those_that_they_do_not_touch() {
    let at = |view: &str| json!({"viewId": view});
    let save =
        |trigger: &str| json!({"type": "view.save", "payload": {"name": "v", "triggerIds": [trigger]}});
    for (first, then, is_free) in [
        (settings(json!({"theme": "dark"})), settings(json!({"voiceEnabled": true})), true),
        (settings(json!({"theme": "dark"})), settings(json!({"theme": "light"})), false),
        (settings(json!({"theme": "dark"})), set("x", json!({})), true),
        (set("trigger_1", json!({})), set("trigger_2", json!({})), true),
        (set("trigger_1", json!({})), remove("trigger_2"), true),
        (set("trigger_1", json!({})), remove("trigger_1"), false),
        // Triggers are a list.
        (set("x", json!({})), remove("trigger_2"), false),
        (remove("trigger_1"), set("x", json!({})), false),
        // Back at a view that is gone.
        (set("trigger_2", json!({})), delete("view_1"), false),
        (set("trigger_2", json!({})), delete("view_2"), true),
        (set("trigger_2", at("view_2")), delete("view_1"), false),
        (remove("trigger_2"), delete("view_1"), false),
        (delete("view_2"), set("trigger_1", at("view_1")), true),
        // A view would list a trigger that is gone.
        (delete("view_2"), remove("trigger_1"), false),
        (delete("view_2"), remove("trigger_2"), true),
        (set("x", json!({})), save("x"), false),
        (set("x", json!({})), save("trigger_1"), true),
        (remove("trigger_1"), save("trigger_2"), true),
    ] {
        let mut world = world();
        let id = world.json(first.clone()).change.unwrap_or_else(|| panic!("{first}")).id;
        world.json(then.clone()).change.unwrap_or_else(|| panic!("{then}"));
        let before = world.board.clone();
        assert_eq!(world.revert(&id).is_ok(), is_free, "{first} under {then}");
        if is_free {
            world.history.undo(&mut world.board).unwrap();
        }
        assert_eq!(world.board, before, "{first} under {then}");
    }
}

/// Two settings that one author has set go together, and come back together.
#[test]
fn settings_of_an_author_go_together() {
    let mut world = world();
    let before = world.workspace().settings;
    for (update, by) in [
        (json!({"theme": "dark", "voiceEnabled": true}), Role::Assistant),
        (json!({"proactiveMode": "off"}), Role::User),
        (json!({"theme": "light"}), Role::Assistant),
    ] {
        world.run(&serde_json::from_value(settings(update)).unwrap(), by);
    }
    let after = world.workspace().settings;
    assert_eq!(world.revert_author(Role::Assistant).unwrap().0, 2);
    let mut expected = json!(before);
    expected["proactiveMode"] = "off".into();
    assert_eq!(json!(world.workspace().settings), expected);
    world.history.undo(&mut world.board).unwrap();
    assert_eq!(world.workspace().settings, after);
}

/// What the history shows takes a change back where anybody may give it.
#[test]
fn the_history_shows_a_command_where_there_is_one() {
    for (command, inverse) in [
        (settings(json!({"theme": "dark"})), settings(json!({"theme": "system"}))),
        (set("x", json!({})), remove("x")),
        (set("trigger_1", json!({"name": "Other"})), set("trigger_1", json!({"name": "Start"}))),
    ] {
        let mut world = world();
        let before = plain(&world.workspace());
        world.json(command.clone());
        let shown = json!(world.history.state())["undoStack"][0].clone();
        assert_eq!((&shown["forward"], &shown["inverse"]), (&command, &inverse));
        world.json(inverse);
        assert_eq!(plain(&world.workspace()), before, "{command}");
    }
    let mut world = world();
    world.json(remove("trigger_1"));
    assert_eq!(json!(world.history.state())["undoStack"][0]["inverse"]["type"], "view.restore");
}
