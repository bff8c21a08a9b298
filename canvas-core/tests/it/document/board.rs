//! The board of a canvas: commands under the same journal, receipts and rules as the document.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;

use canvas_core::board::{
    BoardCommandRun, BoardResult, BoardStep, CanvasCommand, ComponentId, CreateBoard, Registry,
    RunBoardCommand, UndoEntry, UndoEntryJson, Workspace,
};
use canvas_core::history::{ChangeNumber, Entry, HistoryRefusal, Redo, Step, Undo, UndoScope};
use canvas_core::lease::{CheckIn, Timestamp};
use canvas_core::store::{Head, MemoryStore};
use canvas_core::testing::block_on;
use canvas_core::turn::{Cancel, SendMessage};
use canvas_core::{Author, Blob, CodedError as _, Engine, Face, Refusal, Revision, Role};
use serde_json::{Value, json};

use crate::document::any::{Call, Command, Outcome, code, dynamic};
use crate::document::world::World;
use crate::policy_with;

pub(crate) fn workspace() -> Workspace {
    let grid = json!({"columns": 12, "rows": 8, "gap": 8, "cellWidth": 80, "cellHeight": 60});
    serde_json::from_value(json!({
        "id": "ws_1", "name": "Board", "canvas": {"grid": grid, "components": []}, "threadId": "thread", "views": [],
        "triggers": [], "createdAt": 1, "updatedAt": 1,
        "settings": {
            "theme": "system", "voiceEnabled": false, "defaultRefreshInterval": 60000, "grid": grid, "proactiveMode": "off",
        },
    }))
    .unwrap()
}

pub(crate) fn with_board() -> World {
    let world = World::new("a\nb\n");
    assert_eq!(code(&world.ask("host", CreateBoard { workspace: Box::new(workspace()) })), "OK");
    world
}

pub(crate) fn board_command(by: Author, command: Value) -> Command {
    dynamic(RunBoardCommand {
        by,
        command: Box::new(serde_json::from_value(command).unwrap()),
        base: None,
        grid: None,
    })
}

pub(crate) fn tile(col: u32) -> Value {
    let position = json!({"col": col, "row": 0});
    let payload = json!({
        "typeId": "github.stat-tile", "config": {"repo": "o/r", "metric": "stars"}, "position": position,
        "size": {"cols": 1, "rows": 1},
    });
    json!({"type": "component.create", "payload": payload})
}

fn moved(id: &ComponentId, col: u32) -> Value {
    json!({"type": "component.move", "payload": {"componentId": id, "position": {"col": col, "row": 1}}})
}

#[track_caller]
pub(crate) fn made(outcome: &Outcome) -> ComponentId {
    let Outcome::Board(BoardCommandRun { result, .. }) = outcome else { panic!("{outcome:?}") };
    match result.as_ref() {
        BoardResult::One(result) if result.success => result.affected_component_ids[0].clone(),
        other => panic!("{other:?}"),
    }
}

fn now(world: &World) -> Workspace {
    // A new engine, so that no cache hides anything.
    let (board, _) = block_on(world.peer().engine.board(&world.canvas, world.now())).unwrap();
    board.unwrap().workspace(|_| Default::default())
}

fn undo(world: &World, by: Author, what: UndoScope) -> String {
    code(&world.ask(if by == Author::User { "user" } else { "model" }, Undo { by, what }))
}

const ONE: UndoScope = UndoScope::Steps(NonZeroU32::MIN);
const MODEL: Author = Author::Assistant { lease: None };

#[test]
fn commands_and_edits_are_taken_back_in_their_order() {
    let world = with_board();
    let states = || (world.text(), now(&world));
    let mut walked = vec![states()];
    let id = made(&world.ask("model", board_command(MODEL, tile(0))));
    walked.push(states());
    world.edit("a\nb\nc\n");
    walked.push(states());
    world.ask("user", board_command(Author::User, moved(&id, 4)));
    walked.push(states());
    world.edit("b\nc\n");
    walked.push(states());
    block_on(world.engine.replay(&world.canvas, world.now())).unwrap();

    for state in walked[..4].iter().rev() {
        assert_eq!(undo(&world, Author::User, ONE), "OK");
        assert_eq!(states(), *state);
    }
    assert_eq!(undo(&world, Author::User, ONE), "HISTORY_EMPTY");
    let steps = NonZeroU32::new(4).unwrap();
    assert_eq!(code(&world.ask("user", Redo { by: Author::User, steps })), "OK");
    assert_eq!(states(), walked[4]);
    assert_eq!(undo(&world, Author::User, UndoScope::Steps(steps)), "OK");
    assert_eq!(states(), walked[0]);
    let replay = block_on(world.engine.replay(&world.canvas, world.now())).unwrap();
    assert_eq!((replay.entries, replay.tree), (16, world.head().draft().hash()));
}

#[test]
fn what_the_assistant_did_goes_and_what_the_user_did_stays() {
    let world = with_board();
    let one = made(&world.ask("model", board_command(MODEL, tile(0))));
    let two = made(&world.ask("user", board_command(Author::User, tile(3))));
    world.edit("a\nb\nmine\n");
    world.ask("host", SendMessage);
    let three = made(&world.ask("model", board_command(MODEL, tile(6))));
    let all = || UndoScope::Author { author: Role::Assistant, since: None };
    assert_eq!(undo(&world, Author::User, all()), "OK");
    let ids: Vec<_> = now(&world).canvas.components.into_iter().map(|component| component.id).collect();
    assert_eq!((ids, world.text().as_str()), (vec![two], "a\nb\nmine\n"));
    // That was a change too.
    assert_eq!(undo(&world, Author::User, ONE), "OK");
    assert_eq!(now(&world).canvas.components.len(), 3);

    // Once the user has moved what the assistant made, it cannot be made undone.
    world.ask("user", board_command(Author::User, moved(&three, 9)));
    let before = (now(&world), world.loaded().head.journal().clone());
    assert_eq!(undo(&world, Author::User, all()), "HISTORY_CONFLICT");
    // Nor where the user has put something in the place that it would go back to.
    assert_eq!((now(&world), world.loaded().head.journal().clone()), before);
    let change = block_on(world.engine.history(&world.canvas, None, 9, world.now())).unwrap();
    let of_one = change.iter().find(|entry| entry.number.get() == 1).unwrap();
    assert_eq!(of_one.summary, "Added Stat Tile at (0, 0), 1x1.");
    world.ask(
        "user",
        board_command(
            Author::User,
            json!({
                "type": "component.remove", "payload": {"componentId": one},
            }),
        ),
    );
    assert_eq!(undo(&world, Author::User, UndoScope::Change(ChangeNumber::new(1))), "HISTORY_CONFLICT");
}

#[test]
fn what_goes_with_an_author_comes_back_with_views_and_all() {
    let world = with_board();
    made(&world.ask("model", board_command(MODEL, tile(0))));
    world.ask("user", board_command(Author::User, tile(3)));
    let save = json!({"type": "view.save", "payload": {"name": "v"}});
    world.ask("model", board_command(MODEL, save));
    let before = now(&world);
    let all = UndoScope::Author { author: Role::Assistant, since: None };
    assert_eq!(undo(&world, Author::User, all), "OK");
    let without = now(&world);
    assert_eq!((without.views.len(), without.canvas.components.len()), (0, 1));
    assert_eq!(undo(&world, Author::User, ONE), "OK");
    assert_eq!(now(&world), before);
    assert_eq!(code(&world.ask("user", Redo { by: Author::User, steps: NonZeroU32::MIN })), "OK");
    assert_eq!(now(&world), without);
    block_on(world.engine.replay(&world.canvas, world.now())).unwrap();
}

/// Settings and triggers are in the journal among all else: they go back and come again in its order, the same call is done once,
/// and what a journal tells leads to the same tree.
#[test]
fn settings_and_triggers_are_walked_in_the_journal() {
    let world = with_board();
    let states = || (world.text(), now(&world), world.head().draft().hash());
    let command =
        |kind: &str, payload: Value| board_command(Author::User, json!({"type": kind, "payload": payload}));
    let trigger = |name: &str, view: Option<&str>| {
        let mut trigger = json!({"id": "t", "name": name, "enabled": true, "type": "session_start"});
        if let Some(view) = view {
            trigger["viewId"] = view.into();
        }
        json!({"trigger": trigger})
    };
    let mut walked = vec![states()];
    let mut step = |done: String| {
        assert_eq!(done, "OK");
        walked.push(states());
    };
    step(code(
        &world.ask("user", command("settings.update", json!({"theme": "dark", "proactiveMode": "auto"}))),
    ));
    step(code(&world.ask("user", command("trigger.set", trigger("One", None)))));
    world.edit("a\nb\nc\n");
    step("OK".into());
    step(code(&world.ask(
        "model",
        board_command(MODEL, json!({"type": "view.save", "payload": {"name": "v", "triggerIds": ["t"]}})),
    )));
    let view = now(&world).views[0].id.clone();
    step(code(&world.ask("user", command("trigger.set", trigger("Two", Some(view.as_str()))))));
    world.edit("b\nc\n");
    step("OK".into());
    let removal = world.fresh("user", command("trigger.remove", json!({"triggerId": "t"})));
    let outcome = world.run(&removal).outcome;
    step(code(&outcome));
    assert_eq!((world.run(&removal).outcome, states()), (outcome, walked[walked.len() - 1].clone()));
    let (last, steps) = (walked.len() - 1, NonZeroU32::MIN);
    assert!(now(&world).views[0].trigger_ids.is_empty());
    // Of what is refused and what changes nothing, the journal has no entry.
    let refused = world.ask("user", command("trigger.remove", json!({"triggerId": "t"})));
    let Outcome::Board(BoardCommandRun { result, .. }) = &refused else { panic!("{refused:?}") };
    assert_eq!(result.error().unwrap().code.code(), "TRIGGER_NOT_FOUND");
    world.ask("user", command("settings.update", json!({"theme": "dark"})));
    for state in walked[..last].iter().rev() {
        assert_eq!(undo(&world, Author::User, ONE), "OK");
        assert_eq!(states(), *state);
    }
    for state in &walked[1..] {
        assert_eq!(code(&world.ask("user", Redo { by: Author::User, steps })), "OK");
        assert_eq!(states(), *state);
    }
    let replay = block_on(world.engine.replay(&world.canvas, world.now())).unwrap();
    assert_eq!((replay.entries, replay.tree), (3 * last, world.head().draft().hash()));
}

/// A change keeps its time, whoever takes it back or does it again. Taking it back from under others is one of its own.
#[test]
fn an_entry_is_shown_with_the_time_of_its_change() {
    let world = with_board();
    let redo = || dynamic(Redo { by: Author::User, steps: NonZeroU32::MIN });
    let steps: [(&str, &dyn Fn() -> String, u64); 8] = [
        ("made", &|| code(&world.ask("model", board_command(MODEL, tile(0)))), 1_010),
        ("another", &|| code(&world.ask("user", board_command(Author::User, tile(3)))), 1_020),
        ("taken back", &|| undo(&world, Author::User, ONE), 1_020),
        ("done again", &|| code(&world.ask("user", redo())), 1_020),
        (
            "taken back from under the other",
            &|| undo(&world, Author::User, UndoScope::Change(ChangeNumber::new(1))),
            1_050,
        ),
        ("that taken back", &|| undo(&world, Author::User, ONE), 1_060),
        ("that done again", &|| code(&world.ask("user", redo())), 1_070),
        ("a third", &|| code(&world.ask("user", board_command(Author::User, tile(6)))), 1_080),
    ];
    for (what, step, expected) in steps {
        world.clock.wait(10);
        assert_eq!(step(), "OK", "{what}");
        let entry = block_on(world.engine.history(&world.canvas, None, 1, world.now())).unwrap().remove(0);
        let shown = UndoEntry::of(&entry).unwrap();
        assert_eq!(shown.timestamp.as_millis(), expected, "{what}");
        assert_eq!(json!(UndoEntryJson::of(&entry)), json!(shown), "{what}");
    }
    world.edit("of another face\n");
    let entry = block_on(world.engine.history(&world.canvas, None, 1, world.now())).unwrap().remove(0);
    assert_eq!((UndoEntry::of(&entry), UndoEntryJson::of(&entry).is_none()), (None, true));
}

/// Written from the journal, an entry is what it is where it is made first. It is read wherever its face is named.
#[test]
fn entries_are_shown_alike_whatever_they_changed() {
    let world = with_board();
    let id = made(&world.ask("user", board_command(Author::User, tile(0))));
    let command = |kind: &str, payload: Value| json!({"type": kind, "payload": payload});
    let of_it = |fields: Value| {
        let mut payload = json!({"componentId": id});
        payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        payload
    };
    let commands = [
        moved(&id, 4),
        command("component.resize", of_it(json!({"size": {"cols": 2, "rows": 3}}))),
        command("component.update", of_it(json!({"meta": {"label": "l"}}))),
        command("view.save", json!({"name": "v"})),
        command("settings.update", json!({"theme": "dark"})),
        command(
            "component.create",
            json!({
                "typeId": "github.stat-tile", "config": {"repo": "o/r", "metric": "stars"},
                "position": {"col": 4, "row": 1}, "onCollision": "shift",
            }),
        ),
        command("component.remove", of_it(json!({}))),
        command("canvas.clear", json!({"preservePinned": false})),
        command("batch", json!({"commands": [tile(1), tile(2)], "description": "two"})),
    ];
    for one in &commands {
        assert_eq!(code(&world.ask("user", board_command(Author::User, one.clone()))), "OK", "{one}");
    }
    assert_eq!(undo(&world, Author::User, ONE), "OK");
    let entries = block_on(world.engine.history(&world.canvas, None, 100, world.now())).unwrap();
    assert_eq!(entries.len(), commands.len() + 2);
    for entry in entries {
        let shown = UndoEntry::of(&entry).unwrap();
        assert_eq!(json!(UndoEntryJson::of(&entry)), json!(shown), "{}", shown.description);
        let plain = serde_json::to_string(&entry).unwrap();
        let sorted: Value = serde_json::from_str(&plain).unwrap();
        for json in [plain, sorted.to_string()] {
            assert_eq!(serde_json::from_str::<Entry>(&json).unwrap(), entry, "{json}");
        }
    }
}

#[test]
fn a_place_that_was_taken_since_is_in_the_way() {
    let world = with_board();
    let one = made(&world.ask("model", board_command(MODEL, tile(0))));
    world.ask("model", board_command(MODEL, moved(&one, 5)));
    world.ask("user", board_command(Author::User, tile(9)));
    world.ask("user", board_command(Author::User, tile(0)));
    let before = now(&world);
    let refused = world.ask("user", Undo { by: Author::User, what: UndoScope::Change(ChangeNumber::new(2)) });
    // By the one that has taken it, not by the one between.
    assert_eq!(
        refused.refusal(),
        Some(Refusal::History(&HistoryRefusal::HistoryConflict {
            change: ChangeNumber::new(2),
            with: ChangeNumber::new(4)
        }))
    );
    assert_eq!(now(&world), before);
}

#[test]
fn a_model_takes_back_on_the_board_without_a_lease_and_never_what_came_before_the_user() {
    let world = with_board();
    world.ask("main", SendMessage);
    let id = made(&world.ask("model", board_command(MODEL, tile(0))));
    assert_eq!(undo(&world, MODEL, ONE), "OK");
    assert!(now(&world).canvas.components.is_empty());
    assert_eq!(code(&world.ask("model", Redo { by: MODEL, steps: NonZeroU32::MIN })), "OK");
    world.ask("user", board_command(Author::User, moved(&id, 2)));
    assert_eq!(undo(&world, MODEL, ONE), "USER_ACTED");
    world.ask("main", SendMessage);
    world.ask("model", board_command(MODEL, moved(&id, 3)));
    assert_eq!(undo(&world, MODEL, ONE), "OK");
    // Of the document it takes one.
    let lease = world.check_out("model");
    world.write("model", lease, "b>c");
    assert_eq!(undo(&world, MODEL, ONE), "LOCK_NOT_OWNED");
    assert_eq!(undo(&world, Author::Assistant { lease: Some(lease) }, ONE), "OK");
    world.ask("model", CheckIn { lease: Some(lease) });
    assert_eq!(code(&world.ask("model", Redo { by: MODEL, steps: NonZeroU32::MIN })), "LOCK_NOT_OWNED");
    // An ended turn does nothing more.
    let late = world.fresh("model", board_command(MODEL, moved(&id, 4)));
    world.ask("user", Cancel);
    assert_eq!(code(&world.run(&late).outcome), "LOCK_NOT_AVAILABLE/USER_ACTIVE");
    assert_eq!(undo(&world, MODEL, ONE), "LOCK_NOT_AVAILABLE/USER_ACTIVE");
    // The host may, in its name.
    let Command::RunBoardCommand(RunBoardCommand { command, base, .. }) = late.command else {
        panic!("it is one")
    };
    assert_eq!(
        code(&world.ask("host", RunBoardCommand { by: Author::Host, command, base, grid: None })),
        "OK"
    );
}

#[test]
fn a_call_made_again_answers_the_same_and_makes_nothing_twice() {
    let world = with_board();
    let call = world.fresh("model", board_command(MODEL, tile(0)));
    let first = world.run(&call);
    let again = world.peer().run(&call);
    assert_eq!((&again.outcome, again.replayed), (&first.outcome, true));
    assert_eq!(now(&world).canvas.components.len(), 1);
    let other = Call { command: board_command(MODEL, tile(5)), ..call };
    assert_eq!(code(&world.run(&other).outcome), "CALL_ID_REUSED");
    // What was refused is answered again, too.
    let refused = world.fresh("model", board_command(MODEL, tile(0)));
    let first = world.run(&refused).outcome;
    assert!(
        matches!(&first, Outcome::Board(BoardCommandRun { result, .. }) if !result.is_success()),
        "{first:?}"
    );
    assert_eq!(world.run(&refused).outcome, first);
}

#[test]
fn a_command_for_another_revision_is_refused_only_where_the_board_has_changed() {
    let world = with_board();
    let base = world.head().revision();
    world.edit("other\n");
    let last = world.head().revision();
    let command: CanvasCommand = serde_json::from_value(tile(0)).unwrap();
    let at = |base| {
        dynamic(RunBoardCommand {
            by: MODEL,
            command: Box::new(command.clone()),
            base: Some(base),
            grid: None,
        })
    };
    world.ask("main", SendMessage);
    // The canvas's own last revision is as good as the board's.
    let at_last = with_board();
    at_last.edit("other\n");
    assert_eq!(code(&at_last.ask("host", at(last))), "OK");
    assert_eq!(code(&world.ask("model", at(base))), "OK");
    assert_eq!(code(&world.ask("model", at(base))), "REVISION_CONFLICT");
    assert_eq!(code(&world.ask("model", at(Revision::new(99).unwrap()))), "REVISION_CONFLICT");
}

#[test]
fn each_change_of_the_board_is_one_revision() {
    let world = World::new("a\nb\n");
    let user = |command: Value| board_command(Author::User, command);
    let back = |what| dynamic(Undo { by: Author::User, what });
    let by_one = [
        ("create", dynamic(CreateBoard { workspace: Box::new(workspace()) }), "OK", 1),
        ("first", user(tile(0)), "OK", 1),
        ("second", user(tile(1)), "OK", 1),
        ("unknown", user(json!({"type": "component.remove", "payload": {"componentId": "none"}})), "OK", 0),
        ("the last back", back(ONE), "OK", 1),
        ("and forth", dynamic(Redo { by: Author::User, steps: NonZeroU32::MIN }), "OK", 1),
        ("the first from under it", back(UndoScope::Change(ChangeNumber::new(1))), "OK", 1),
    ];
    for (what, command, expected, revisions) in by_one.clone() {
        let before = world.head().revision().get();
        assert_eq!(code(&world.ask("user", command)), expected, "{what}");
        assert_eq!(world.head().revision().get() - before, revisions, "{what}");
    }
    // At the end of all numbers nothing changes any more.
    let last = (1_u64 << 53) - 1;
    let world = World::new("a\nb\n");
    for (what, command, _, revisions) in by_one {
        let head = world.head();
        world.put(world.altered("/revision", json!(last)).unwrap());
        let refused = if revisions == 0 { "OK" } else { "REVISION_EXHAUSTED" };
        assert_eq!(code(&world.ask("user", command.clone())), refused, "{what}");
        world.put(Head::clone(&head));
        world.ask("user", command);
    }
}

/// An entry whose way does not lead where it says is found out.
#[test]
fn a_damaged_entry_is_found_out() {
    let world = with_board();
    let id = made(&world.ask("model", board_command(MODEL, tile(0))));
    world.ask("model", board_command(MODEL, moved(&id, 4)));
    let entry = block_on(world.engine.history(&world.canvas, None, 1, world.now())).unwrap().remove(0);
    let json = serde_json::to_string(&entry).unwrap();
    let Step::Board(BoardStep { before, after, .. }) = &entry.step else { panic!("it is the board's") };
    let swapped = json.replace(&after.to_string(), "AFTER").replace(&before.to_string(), &after.to_string());
    for damaged in [
        // Another way, and another end.
        json.replace("\"col\":4", "\"col\":5"),
        json.replace(&after.to_string(), &before.to_string()),
        swapped.replace("AFTER", &before.to_string()),
    ] {
        assert_ne!(damaged, json);
        let blob = Blob::text(damaged);
        let mut head = serde_json::to_value(world.head().as_ref()).unwrap();
        for field in ["last", "undo"] {
            head["journal"][field] = json!(blob.id());
        }
        let before = now(&world);
        world.put_with(serde_json::from_value(head).unwrap(), vec![blob]);
        assert_eq!(undo(&world, Author::User, ONE), "HISTORY_DAMAGED");
        let replay = block_on(world.engine.replay(&world.canvas, world.now())).unwrap_err();
        assert_eq!((replay.code(), now(&world)), ("CANVAS_DAMAGED", before));
    }
}

/// Each face by itself, or all in the order in which they would go. The undo of the fourth entry is the fifth.
#[test]
fn undo_and_redo_are_listed_by_face() {
    let world = with_board();
    world.edit("a\nb\nc\n");
    world.ask("user", board_command(Author::User, tile(0)));
    world.edit("b\nc\n");
    world.ask("user", board_command(Author::User, tile(3)));
    assert_eq!(undo(&world, Author::User, ONE), "OK");
    for (face, limit, undo, redo) in [
        (None, 9, &[3, 2, 1][..], &[5][..]),
        (Some(Face::Board), 9, &[2], &[5]),
        (Some(Face::Document), 9, &[3, 1], &[]),
        (Some(Face::Document), 1, &[3], &[]),
        (Some(Face::Surface), 9, &[], &[]),
        (None, 2, &[3, 2], &[5]),
        (None, 0, &[], &[]),
    ] {
        let stacks = block_on(world.engine.stacks(&world.canvas, face, limit, world.now())).unwrap();
        let numbers = |entries: &[Entry]| entries.iter().map(|entry| entry.number.get()).collect::<Vec<_>>();
        assert_eq!(
            (&numbers(&stacks.undo)[..], &numbers(&stacks.redo)[..]),
            (undo, redo),
            "{face:?} {limit}"
        );
    }
}

/// A head that was stored after the user took back something on the board still tells so.
#[test]
fn the_users_undo_on_the_board_is_kept_in_the_head() {
    let world = with_board();
    let kept = || {
        let head = world.head();
        let json = head.to_json();
        assert_eq!(Head::from_json(head.canvas(), &json).as_ref(), Ok(head.as_ref()));
        serde_json::from_slice::<Value>(&json).unwrap().get("user_revision").cloned()
    };
    world.ask("user", board_command(Author::User, tile(0)));
    world.ask("host", SendMessage);
    made(&world.ask("model", board_command(MODEL, tile(3))));
    let before = kept();
    assert_eq!(undo(&world, Author::User, ONE), "OK");
    assert_eq!(kept(), Some(json!(world.head().revision())));
    assert_ne!(kept(), before);
}

#[test]
fn a_canvas_has_one_board() {
    let world = World::new("a\n");
    assert_eq!(code(&world.ask("model", board_command(MODEL, tile(0)))), "BOARD_NOT_FOUND");
    let mut wrong = workspace();
    wrong.canvas.grid.columns = 65;
    assert_eq!(code(&world.ask("host", CreateBoard { workspace: Box::new(wrong) })), "INVALID_BOARD");
    let create = || dynamic(CreateBoard { workspace: Box::new(workspace()) });
    assert_eq!(code(&world.ask("host", create())), "OK");
    assert_eq!(code(&world.ask("host", create())), "BOARD_EXISTS");
}

/// The text was taken back and the board could not be: neither is.
#[test]
fn an_undo_that_is_refused_halfway_leaves_the_head_as_it_was() {
    const MAX: u64 = (1 << 53) - 1;
    let world = with_board();
    world.edit("a\nc\n");
    made(&world.ask("user", board_command(Author::User, tile(0))));
    // One more revision is left, and an undo on two faces needs two.
    world.put(world.altered("/revision", json!(MAX - 1)).unwrap());
    let before = world.head();
    let all = UndoScope::Author { author: Role::User, since: None };
    assert_eq!(undo(&world, Author::User, all), "REVISION_EXHAUSTED");
    let after = world.head();
    assert_eq!((after.revision(), after.journal()), (before.revision(), before.journal()));
    assert_eq!(block_on(world.engine.replay(&world.canvas, world.now())).unwrap().entries, 2);
    assert_eq!(undo(&world, Author::User, ONE), "OK");
}

#[test]
fn an_engine_tells_what_it_was_made_with() {
    let (registry, policy) = (Arc::new(Registry::new()), policy_with(|policy| policy.document.bytes = 6));
    let store = || MemoryStore::new(|| Timestamp::from_millis(0));
    let engine = Engine::new(store(), policy).with_registry(Arc::clone(&registry));
    assert_eq!((engine.registry().get_all().len(), engine.policy().document.bytes), (0, 6));
    let engine = Engine::new(store(), policy);
    assert_eq!(engine.registry().get_all().len(), Registry::built_in().get_all().len());
}

/// A cold undo reads the faces that it touches. Of a word it costs what it costs on a canvas of a document alone.
#[cfg(feature = "surface")]
#[test]
fn undo_of_a_word_reads_no_other_face() {
    use canvas_core::surface::{ClientId, CreateSurface, SurfaceActor};

    let cost = |has_faces: bool| {
        let world = World::new("a\nb\n");
        if has_faces {
            assert_eq!(code(&world.ask("host", CreateBoard { workspace: Box::new(workspace()) })), "OK");
            let surface = CreateSurface {
                by: SurfaceActor::ClientId(ClientId::new("window").unwrap()),
                agent_id: None,
                title: None,
                owner_session_key: None,
                entry_asset: None,
                spec: json!({"version": 1, "mode": "html", "state": {"log": "x".repeat(9_000)}}),
                assets: BTreeMap::new(),
            };
            let call = world.fresh("host", Cancel).operation;
            block_on(world.engine.call(&world.canvas, &call, surface, world.now())).unwrap().result.unwrap();
            assert_eq!(code(&world.ask("user", board_command(Author::User, tile(0)))), "OK");
            assert_eq!(code(&world.ask("user", dynamic(Undo { by: Author::User, what: ONE }))), "OK");
        }
        world.edit("a\nc\n");
        let peer = world.peer();
        let undo = dynamic(Undo { by: Author::User, what: ONE });
        assert_eq!(code(&peer.ask("user", undo)), "OK");
        assert_eq!(world.text(), "a\nb\n");
        (peer.spy().asked().len(), peer.spy().read())
    };
    assert_eq!(cost(true), cost(false));
}

/// Texts too long for an entry are moved past each other like any others, and touch no board.
#[test]
fn a_change_is_undone_from_under_a_long_one_of_another_face() {
    let world = World::with("a\nb\n", policy_with(|policy| policy.history.entry_bytes = 0));
    assert_eq!(code(&world.ask("host", CreateBoard { workspace: Box::new(workspace()) })), "OK");
    assert_eq!(code(&world.ask("user", board_command(Author::User, tile(0)))), "OK");
    world.edit("a\nc\n");
    world.edit("a\nd\n");
    let undo =
        |change| dynamic(Undo { by: Author::User, what: UndoScope::Change(ChangeNumber::new(change)) });
    for (change, expected) in [(1, "OK"), (2, "HISTORY_CONFLICT"), (3, "OK"), (2, "OK")] {
        assert_eq!(code(&world.ask("user", undo(change))), expected, "change {change}");
    }
    assert_eq!(world.text(), "a\nb\n");
    let board = block_on(world.engine.board(&world.canvas, world.now())).unwrap().0.unwrap();
    assert!(board.is_empty());
}

/// A page skips changes of other faces, and says where to go on if there are many.
#[test]
fn a_page_of_document_changes_skips_those_of_the_board() {
    let world = with_board();
    world.edit("first\n");
    let id = made(&world.ask("model", board_command(MODEL, tile(0))));
    (0..300).for_each(|n| drop(world.ask("user", board_command(Author::User, moved(&id, n % 2)))));
    world.edit("second\n");
    let page = |before, limit| {
        block_on(world.engine.document_changes(&world.canvas, before, limit, world.now())).unwrap()
    };
    let (newest, both) = (page(None, 1), page(None, 2));
    assert_eq!((newest.entries.len(), newest.next), (1, Some(newest.entries[0].number)));
    assert_eq!(both.entries, newest.entries);
    let rest = page(both.next, 2);
    assert_eq!((rest.entries.len(), rest.next), (1, None));
}
