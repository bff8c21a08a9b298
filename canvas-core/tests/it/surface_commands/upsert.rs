//! Title, spec and assets are replaced, and the state stays.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use canvas_core::history::{Undo, UndoScope};
use canvas_core::surface::UpsertSurface;
use canvas_core::testing::block_on;
use canvas_core::{Author, Blob, CollectOptions};
use serde_json::{Value, json};

use crate::surface_commands::world::*;

fn put(list: &[(&str, Option<&str>)]) -> BTreeMap<String, Option<Blob>> {
    list.iter()
        .map(|(path, text)| ((*path).to_owned(), text.map(|text| Blob::text(text.to_owned()))))
        .collect()
}

fn undo(world: &World) {
    let undo = Undo { by: Author::User, what: UndoScope::Steps(NonZeroU32::MIN) };
    let answered = block_on(world.engine.call(&world.canvas, &world.key(), undo, world.now())).unwrap();
    answered.result.unwrap();
}

#[test]
fn what_is_not_there_is_made_and_what_is_there_keeps_its_state() {
    let world = World::new();
    assert_eq!(world.ask(upsert(client())), refused("SURFACE_NOT_FOUND", ""));
    let first = UpsertSurface { spec: Some(spec(json!({"a": 1}))), ..upsert(session("agent:ops:a")) };
    let made = world.ask(first).unwrap();
    assert!(made.created);
    assert_eq!((made.descriptor.agent_id.as_str(), made.descriptor.title.as_str()), ("ops", "deploy-prod"));
    assert_eq!((world.commits(), world.revision()), (1, 1));
    world.ask(patch(client(), json!([{"op": "replace", "path": "/a", "value": 2}]))).unwrap();
    world.wait(7);
    let second = UpsertSurface {
        title: Some("T".into()),
        spec: Some(spec(json!({"a": 9, "b": 9}))),
        assets: put(&[("assets/x.css", Some("p{}"))]),
        expected: revision(2),
        ..upsert(client())
    };
    let told = world.ask(second).unwrap();
    assert!(!told.created);
    let surface = world.surface();
    assert_eq!(told.descriptor, surface.descriptor);
    let descriptor = &surface.descriptor;
    assert_eq!((descriptor.title.as_str(), descriptor.revision.get()), ("T", 3));
    assert_eq!((descriptor.created_at.as_millis(), descriptor.updated_at.as_millis()), (START, START + 7));
    assert_eq!(surface.spec_json().unwrap()["state"], json!({"a": 9, "b": 9}));
    assert_eq!((world.state(), surface.assets.iter().count()), (json!({"a": 2}), 1));
    world.replays();
}

#[test]
fn what_changes_nothing_bumps_nothing() {
    let world = World::with_surface();
    world.wait(9);
    for command in [
        upsert(client()),
        UpsertSurface { title: Some("deploy-prod".into()), ..upsert(client()) },
        UpsertSurface { spec: Some(spec(json!({"service": "api"}))), ..upsert(client()) },
        UpsertSurface { assets: put(&[("assets/gone", None)]), ..upsert(client()) },
    ] {
        let told = world.ask(command).unwrap();
        assert_eq!((told.descriptor.revision.get(), told.descriptor.updated_at.as_millis()), (1, START));
        assert_eq!((told.descriptor, world.revision()), (world.descriptor(), 1));
    }
}

#[test]
fn only_the_revision_of_the_surface_counts() {
    let world = World::with_surface();
    world.ask(patch(client(), json!([{"op": "add", "path": "/a", "value": 1}]))).unwrap();
    let edit = canvas_core::document::Edit::overwrite("# Plan\n");
    block_on(world.engine.call(&world.canvas, &world.key(), edit, world.now())).unwrap().result.unwrap();
    let titled = |expected| UpsertSurface { title: Some("T".into()), expected, ..upsert(client()) };
    for (number, expected) in [(1, false), (4, false), (2, true)] {
        let told = world.ask(titled(revision(number))).map(|told| told.descriptor.revision.get());
        assert_eq!(told, if expected { Ok(4) } else { refused("REVISION_CONFLICT", "/expectedRevision") });
    }
}

#[test]
fn assets_are_put_and_taken_away_and_stay_otherwise() {
    let world = World::with_surface();
    let paths = || {
        let surface = world.surface();
        surface.assets.iter().map(|(path, asset)| format!("{path} {}", asset.bytes)).collect::<Vec<_>>()
    };
    let ask = |list: &[(&str, Option<&str>)]| {
        world.ask(UpsertSurface { assets: put(list), ..upsert(client()) }).map(drop)
    };
    ask(&[("assets/a.js", Some("1")), ("assets/b.js", Some("22"))]).unwrap();
    ask(&[("assets/b.js", Some("333")), ("assets/c.js", Some(""))]).unwrap();
    assert_eq!(paths(), ["assets/a.js 1", "assets/b.js 3", "assets/c.js 0"]);
    ask(&[("assets/a.js", None), ("assets/c.js", None)]).unwrap();
    assert_eq!(paths(), ["assets/b.js 3"]);
    assert_eq!(ask(&[("assets/../b.js", None)]), refused("INVALID_PATH", "/assets/assets~1..~1b.js"));
    ask(&[("assets/b.js", None)]).unwrap();
    assert!(paths().is_empty());
    world.replays();
    // Undo leads back through them, and a collection keeps their contents.
    world.wait(3_600_000);
    let collected = block_on(world.engine.collect(&world.canvas, CollectOptions::default()));
    collected.unwrap();
    for expected in [vec!["assets/b.js 3"], vec!["assets/a.js 1", "assets/b.js 3", "assets/c.js 0"]] {
        undo(&world);
        assert_eq!(paths(), expected);
        for (_, asset) in world.surface().assets.iter() {
            let blob =
                block_on(canvas_core::store::Store::blob(world.engine.store(), &world.canvas, asset.blob))
                    .unwrap();
            assert_eq!(blob.unwrap().as_bytes().len() as u64, asset.bytes);
        }
        world.replays();
    }
}

/// A person may do all of it; a session what lets the surface do no more.
#[test]
fn a_session_widens_no_policy() {
    let action = |tool: &str, confirm: &str| json!({"kind": "tool.call", "tool": tool, "confirm": confirm});
    let spec = |allow: &[&str], actions: Value| json!({"version": 1, "mode": "html", "toolPolicy": {"allow": allow}, "actions": actions});
    let always = action("node__Deploy", "always");
    for (new, place) in [
        (spec(&["node__Deploy"], json!({"deploy": always})), None),
        (spec(&["node__Deploy"], json!({"deploy": always, "again": always})), None),
        (spec(&[], json!({})), None),
        (spec(&["node__Deploy", "node__Read"], json!({"deploy": always})), Some("/spec/toolPolicy/allow")),
        (
            spec(&["node__Deploy"], json!({"deploy": action("node__Deploy", "auto")})),
            Some("/spec/actions/deploy/confirm"),
        ),
        (
            spec(&["node__Deploy"], json!({"other": action("node__Deploy", "auto")})),
            Some("/spec/actions/other/confirm"),
        ),
    ] {
        let world = World::with_surface();
        let by = |by| UpsertSurface { spec: Some(new.clone()), ..upsert(by) };
        let told = world.ask(by(session("agent:main:main"))).map(drop);
        assert_eq!(told, place.map_or(Ok(()), |place| refused("POLICY_WIDENING", place)), "{new}");
        assert_eq!(world.revision(), if place.is_none() { 2 } else { 1 });
        assert!(world.ask(by(client())).is_ok());
    }
}

/// An action that sends to the owner is the same whether it names the owner or nobody.
#[test]
fn a_session_has_no_message_sent_that_was_asked_about() {
    let shout = |confirm: &str, session: Option<&str>| {
        let mut action = json!({"kind": "session.send", "message": "out", "confirm": confirm});
        session.into_iter().for_each(|session| action["sessionKey"] = session.into());
        action
    };
    let spec = |actions: Value| json!({"version": 1, "mode": "html", "actions": actions});
    let (always, auto) = (shout("always", None), shout("auto", None));
    let named = |confirm| shout(confirm, Some("agent:main:main"));
    for (new, place) in [
        (json!({"shout": always}), None),
        (json!({"shout": always, "again": named("always")}), None),
        (json!({}), None),
        (json!({"shout": auto}), Some("/spec/actions/shout/confirm")),
        (json!({"shout": named("auto")}), Some("/spec/actions/shout/confirm")),
        (json!({"shout": always, "whisper": auto}), Some("/spec/actions/whisper/confirm")),
        (json!({"shout": always, "whisper": named("never")}), Some("/spec/actions/whisper/confirm")),
    ] {
        let world = World::with_surface();
        let by = |by, spec: Value| UpsertSurface { spec: Some(spec), ..upsert(by) };
        world.ask(by(client(), spec(json!({"shout": always})))).unwrap();
        let told = world.ask(by(session("agent:main:main"), spec(new.clone()))).map(drop);
        assert_eq!(told, place.map_or(Ok(()), |place| refused("POLICY_WIDENING", place)), "{new}");
    }
}

#[test]
fn sessions_see_the_surfaces_of_their_agent() {
    let world = World::with(|_, ceiling| {
        ceiling.agents.insert(agent("guard"), [agent("main")].into());
    });
    world.ask(create(client())).unwrap();
    for (by, sees) in [
        ("agent:main:main", true),
        ("agent:main:other", true),
        ("agent:guard:main", true),
        ("agent:ops:main", false),
        ("main", false),
    ] {
        let by = session(by);
        assert_eq!(world.surface().is_shown_to(&by, world.engine.ceiling()), sees, "{by:?}");
        let titled = UpsertSurface { title: Some("T".into()), ..upsert(by.clone()) };
        let patched = patch(by, json!([{"op": "add", "path": "/a", "value": 1}]));
        let told = (world.ask(titled).map(drop), world.ask(patched).map(drop));
        let expected = || if sees { Ok(()) } else { refused("SURFACE_NOT_FOUND", "") };
        assert_eq!(told, (expected(), expected()));
    }
}

/// What a session may do when the user has acted, and afterwards.
#[test]
fn a_session_acts_in_its_turn() {
    let mut world = World::with_surface();
    let by = || session("agent:main:main");
    let titled = |title: &str| UpsertSurface { title: Some(title.into()), ..upsert(by()) };
    assert!(world.ask(titled("A")).is_ok());
    let old = world.turn;
    world.next_turn();
    assert!(world.ask(titled("B")).is_ok());
    world.turn = old;
    assert_eq!(world.ask(titled("C")), refused("LOCK_NOT_AVAILABLE", ""));
    assert_eq!(world.ask(patch(by(), json!([]))), refused("LOCK_NOT_AVAILABLE", ""));
    assert_eq!(world.descriptor().title, "B");
}
