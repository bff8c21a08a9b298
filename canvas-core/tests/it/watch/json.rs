//! What hosts send to their pages, as JSON and by its schemas.

use std::num::NonZeroU32;

use canvas_core::board::CreateBoard;
use canvas_core::document::{ApplyPatch, Edit, Read, ReplaceLines, Replacement};
use canvas_core::history::{ClearHistory, EntryNumber, Redo, Undo, UndoScope};
use canvas_core::lease::{CheckIn, CheckOut, LeaseId, Renew};
use canvas_core::schema::Schema;
use canvas_core::testing::block_on;
use canvas_core::turn::{EndTurn, Forget, SendMessage, TakeControl};
use canvas_core::watch::{HeadRevision, LockEvent, WatchEvent};
use canvas_core::{Author, CanvasId, Command};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::{Value, json};

use crate::watch::world::{NOW, World, canvas, next};

/// The JSON of a value, which its schema takes, and takes no more with a member left out that it requires.
fn judged<T: Serialize + JsonSchema>(value: &T) -> Value {
    let settings = SchemaSettings::draft07().for_serialize();
    let schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    let compiled = Schema::compile(&schema).unwrap();
    let json = serde_json::to_value(value).unwrap();
    assert_eq!(compiled.validate(&json), [], "{json} by {schema}");
    for member in schema["required"].as_array().into_iter().flatten() {
        let mut less = json.clone();
        less.as_object_mut().unwrap().remove(member.as_str().unwrap());
        assert!(!compiled.validate(&less).is_empty(), "{less} by {schema}");
    }
    json
}

#[test]
fn an_event_is_what_a_page_needs() {
    let (world, id) = (World::new(false), canvas("plan"));
    let mut watch = world.engines[0].watch(&id);
    let mut see = || judged::<WatchEvent>(&next(&mut watch));
    assert_eq!(
        see(),
        json!({
            "canvas": "plan", "status": "absent", "faces": [], "lock": {"epoch": 0}, "clock": 0,
            "made": false, "promoted": false, "versions": false, "restored": false, "missed": 0,
        })
    );
    world.create(0, &id);
    see();
    world.edit(0, &id);
    let edited = see();
    let revision = block_on(world.engines[0].revision_of(&id)).unwrap();
    assert_eq!(
        edited,
        json!({
            "canvas": "plan", "status": "live", "revision": revision.revision, "revision_id": revision.revision_id, "version": revision.version.as_str(),
            "faces": ["document"], "actor": {"person": "user"}, "lock": {"epoch": 1}, "clock": 1_000,
            "made": false, "promoted": false, "versions": false, "restored": false, "missed": 0,
        })
    );
    assert_eq!(
        judged::<HeadRevision>(&revision),
        json!({"revision": revision.revision, "revision_id": revision.revision_id, "version": revision.version.as_str(), "epoch": 1})
    );
    // The user's edit has ended the turn.
    world.call(0, &id, "model", SendMessage);
    see();
    let turn = world.call(0, &id, "model", Forget);
    assert_eq!(judged(&turn), json!({}));
    let [free, locked] = [LockEvent::Unlocked, LockEvent::TakenOver].map(|event| judged(&event));
    assert_eq!((free, locked), (json!("unlocked"), json!("taken_over")));
}

#[test]
fn a_held_lock_names_its_holder_and_its_end() {
    let (world, id) = (World::new(false), canvas("plan"));
    world.create(0, &id);
    let mut watch = world.engines[0].watch(&id);
    next(&mut watch);
    world.check_out(0, &id);
    let event = next(&mut watch);
    assert_eq!(judged(&event.lock), json!({"holder": "model", "until": 16_000, "epoch": 0}));
    assert_eq!(judged(&event)["lock"], judged(&event.lock));
}

/// Asks, and gives the JSON of the answer or of the refusal.
fn ask<C>(world: &World, id: &CanvasId, who: &str, command: C) -> Value
where
    C: Command<Done: JsonSchema, Refusal: JsonSchema>,
{
    let key = world.key(who);
    match block_on(world.engines[0].call(id, &key, command, NOW)).unwrap().result {
        Ok(done) => judged(&done),
        Err(refusal) => judged(&refusal),
    }
}

#[test]
fn what_commands_answer_is_json_of_their_schemas() {
    let (world, id) = (World::new(false), canvas("plan"));
    world.create(0, &id);
    let ask_model = |name: &str, json: Value, member: &str| {
        assert!(json.get(member).is_some(), "{name}: {json} has no {member}");
    };
    let patch = |lease: LeaseId, patch: &str| ApplyPatch {
        lease: Some(lease),
        patch: patch.to_owned(),
        base: None,
        scope: None,
        shown: None,
    };
    let steps = NonZeroU32::MIN;
    let lease = world.check_out(0, &id);
    let (held, user) = (Some(lease), Author::User);
    let expect = "000000000000".parse().unwrap();
    let replacement = Replacement { start: 1, end: 1, expect, text: "x\n".to_owned() };
    let lines = ReplaceLines { lease: held, replacements: vec![replacement], base: None, shown: None };
    let grid = canvas_core::board::GridConfig {
        columns: 12,
        rows: 8,
        gap: 8.0,
        cell_width: 80.0,
        cell_height: 60.0,
    };
    let board = canvas_core::board::WorkspaceId::new("board").unwrap();
    let board =
        canvas_core::board::Workspace::empty(board, "Board".to_owned(), "thread".to_owned(), grid, NOW);
    let create = || CreateBoard { workspace: Box::new(board.clone()) };
    ask_model("held", ask(&world, &id, "other", CheckOut), "refusal");
    ask_model("read", ask(&world, &id, "model", Read::new(held)), "revision");
    ask_model("renew", ask(&world, &id, "model", Renew { lease: held }), "at_max_hold");
    ask_model("not owned", ask(&world, &id, "other", Renew { lease: held }), "refusal");
    ask_model("patch", ask(&world, &id, "model", patch(lease, "@@\n-text\n+one\n")), "summary");
    ask_model("no patch", ask(&world, &id, "model", patch(lease, "@@\n-none\n+one\n")), "conflicts");
    ask_model("no lines", ask(&world, &id, "model", lines), "lines");
    ask_model("check in", ask(&world, &id, "model", CheckIn { lease: held }), "released");
    ask_model("undo", ask(&world, &id, "user", Undo { by: user, what: UndoScope::Steps(steps) }), "entries");
    let history = block_on(world.engines[0].stacks(&id, None, 10, NOW)).unwrap();
    let short = judged(&history);
    assert_eq!((short["undo"].clone(), short["redo"][0]["kind"].clone()), (json!([]), json!("undo")));
    assert_eq!(short["redo"][0]["number"], judged(&EntryNumber::new(2)));
    ask_model("redo", ask(&world, &id, "user", Redo { by: user, steps }), "epoch");
    ask_model("empty", ask(&world, &id, "user", Redo { by: user, steps }), "available");
    ask_model("stale", ask(&world, &id, "model", patch(lease, "@@\n-one\n+two\n")), "refusal");
    ask_model("board", ask(&world, &id, "user", create()), "revision");
    ask_model("two boards", ask(&world, &id, "user", create()), "refusal");
    let json = ask(&world, &id, "model", SendMessage);
    ask_model("message", json.clone(), "promotion");
    let start = serde_json::from_value(json["start"].clone()).unwrap();
    ask_model("turn", ask(&world, &id, "model", EndTurn { start }), "promotion");
    ask_model("edit", ask(&world, &id, "user", Edit::overwrite("mine\n")), "revision");
    ask_model("control", ask(&world, &id, "user", TakeControl), "epoch");
    ask_model("clear", ask(&world, &id, "user", ClearHistory), "cleared");
}
