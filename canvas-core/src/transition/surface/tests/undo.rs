//! Undo below effects and later changes, and its refusals.

use serde_json::{Value, json};

use super::world::{Put, World};
use crate::engine::{CollectOptions, Engine};
use crate::history::number::ChangeNumber;
use crate::model::author::{Author, Role};
use crate::model::face::TreeFile;
use crate::surface::SurfaceFile;
use crate::testing::block_on;
use crate::transition::policy::Policy;
use crate::transition::undo::{ClearHistory, Redo, Undo, UndoScope};
use std::num::NonZeroU32;
use std::time::Duration;

const ONE: NonZeroU32 = NonZeroU32::MIN;

fn change(number: u64) -> Undo {
    Undo { by: Author::User, what: UndoScope::Change(ChangeNumber::new(number)) }
}

/// Plays one act for each line and checks its answer. The acts are `set PATH JSON`, `poll PATH JSON`, `undo N`, `redo
/// N`, `change N`, `of user`, `of model`, `model PATH JSON` and `clear`.
#[track_caller]
fn play(state: Value, acts: &[(&str, &str)], expected: Value) -> World {
    let mut world = World::new(state);
    for (act, answer) in acts {
        let mut words = act.splitn(3, ' ');
        let (what, how) = (words.next().unwrap(), words.next().unwrap_or("1"));
        let value = words.next().map_or(Value::Null, |json| serde_json::from_str(json).unwrap());
        let number = || how.parse().unwrap();
        let told = match what {
            "set" => world.set(how, value),
            "model" => world.put(Role::Assistant, false, json!([{"op": "add", "path": how, "value": value}])),
            "remove" => world.put(Role::User, false, json!([{"op": "remove", "path": how}])),
            "poll" => world.poll(how, value),
            "undo" => world.undo(u32::try_from(number()).unwrap()),
            "redo" => world.redo(u32::try_from(number()).unwrap()),
            "change" => world.ask(change(number())),
            "of" => {
                let author = if how == "user" { Role::User } else { Role::Assistant };
                world.ask(Undo { by: Author::User, what: UndoScope::Author { author, since: None } })
            }
            "clear" => world.ask(ClearHistory),
            _ => panic!("{what}"),
        };
        assert_eq!(told, *answer, "{act}");
        world.replays();
    }
    assert_eq!(world.state(), expected);
    world
}

#[test]
fn what_an_effect_has_touched_since_is_not_undone() {
    let state = json!({"a": {"x": 1}, "l": [1, 2], "b": 0});
    // The place of the person's change, the place of the effect, and the answer to an undo.
    for (set, poll, answer) in [
        ("/a/x", "/b", "OK"),
        ("/a/x", "/a/y", "OK"),
        ("/a/x", "/ax", "OK"),
        ("/a/x", "/a/x", "HISTORY_CONFLICT"),
        ("/a/x", "/a", "HISTORY_CONFLICT"),
        ("/a", "/a/x", "HISTORY_CONFLICT"),
        ("/a/x", "", "HISTORY_CONFLICT"),
        ("", "/b", "HISTORY_CONFLICT"),
        ("/l/0", "/l/1", "HISTORY_CONFLICT"),
        ("/l/0", "/b", "OK"),
    ] {
        let mut world = World::new(state.clone());
        let whole = json!({"a": {"x": 3}, "l": [3], "b": 3});
        let value = |path: &str, value: Value| match path {
            "" => whole.clone(),
            "/a" => json!({"x": value}),
            _ => value,
        };
        assert_eq!(world.set(set, value(set, json!(7))), "OK");
        assert_eq!(world.poll(poll, value(poll, json!(8))), "OK");
        assert_eq!(world.undo(1), answer, "{set} below {poll}");
        world.replays();
        if answer == "OK" {
            // In the other order, with the undo below an effect.
            assert_eq!(world.poll(poll, json!(9)), "OK");
            assert_eq!(world.redo(1), "OK", "{set} below {poll}");
            assert_eq!(
                (world.state().pointer(set), world.state().pointer(poll)),
                (Some(&json!(7)), Some(&json!(9)))
            );
            world.replays();
        }
    }
}

#[test]
fn a_refusal_names_the_place_and_the_effect() {
    let mut world = World::new(json!({"a": {"x": 1}}));
    world.set("/a/x", json!(2));
    world.poll("/a", json!({"x": 5}));
    let undo = Undo { by: Author::User, what: UndoScope::Steps(ONE) };
    let (code, message) = world.tell(undo);
    assert_eq!(code, "HISTORY_CONFLICT");
    assert!(message.contains("\"/a/x\"") && message.contains("entry 2"), "{message}");
}

#[test]
fn stories() {
    let state = || json!({"a": 1, "b": 1});
    // A redo below an effect on its place, and one above it.
    play(
        state(),
        &[("set /a 2", "OK"), ("undo", "OK"), ("poll /a 9", "OK"), ("redo", "HISTORY_CONFLICT")],
        json!({"a": 9, "b": 1}),
    );
    play(
        state(),
        &[("poll /a 9", "OK"), ("set /a 2", "OK"), ("undo", "OK"), ("redo", "OK"), ("undo", "OK")],
        json!({"a": 9, "b": 1}),
    );
    // Either all steps or no step.
    play(
        state(),
        &[
            ("set /a 2", "OK"),
            ("set /b 2", "OK"),
            ("poll /a 9", "OK"),
            ("undo 2", "HISTORY_CONFLICT"),
            ("undo 1", "OK"),
        ],
        json!({"a": 9, "b": 1}),
    );
    // Entries from before the history was cleared, or before the first change, no longer count.
    play(
        state(),
        &[
            ("set /a 2", "OK"),
            ("poll /b 9", "OK"),
            ("clear", "OK"),
            ("poll /a 3", "OK"),
            ("set /a 4", "OK"),
            ("undo", "OK"),
        ],
        json!({"a": 3, "b": 9}),
    );
    // From under later changes at the same place, within it, and elsewhere.
    play(
        state(),
        &[
            ("set /a 2", "OK"),
            ("set /a 3", "OK"),
            ("change 1", "HISTORY_CONFLICT"),
            ("change 2", "OK"),
            // The second change and its undo cancel out.
            ("change 1", "OK"),
            ("undo 4", "OK"),
        ],
        json!({"a": 1, "b": 1}),
    );
    play(
        state(),
        &[("set /a {}", "OK"), ("set /a/x 1", "OK"), ("change 1", "HISTORY_CONFLICT"), ("undo", "OK")],
        json!({"a": {}, "b": 1}),
    );
    play(
        state(),
        &[
            ("set /a 2", "OK"),
            ("set /b 2", "OK"),
            ("poll /b 9", "OK"),
            ("change 1", "OK"),
            ("undo", "OK"),
            ("change 2", "HISTORY_CONFLICT"),
        ],
        json!({"a": 2, "b": 9}),
    );
    // All changes by one author in one entry, which can be undone like any other.
    play(
        state(),
        &[
            ("set /a 2", "OK"),
            ("model /b 5", "OK"),
            ("set /a 3", "OK"),
            ("set /c 1", "OK"),
            ("of user", "OK"),
        ],
        json!({"a": 1, "b": 5}),
    );
    play(
        state(),
        &[
            ("set /a 2", "OK"),
            ("model /b 5", "OK"),
            ("set /c 1", "OK"),
            ("of user", "OK"),
            ("poll /d 1", "OK"),
            ("undo", "OK"),
        ],
        json!({"a": 2, "b": 5, "c": 1, "d": 1}),
    );
    play(
        state(),
        &[("model /b 5", "OK"), ("set /b 6", "OK"), ("of model", "HISTORY_CONFLICT")],
        json!({"a": 1, "b": 6}),
    );
    // A removed value comes back.
    play(
        state(),
        &[("remove /a", "OK"), ("poll /c 1", "OK"), ("undo", "OK")],
        json!({"a": 1, "b": 1, "c": 1}),
    );
}

/// The permanent JSON form of a surface's entries, with places and files in both directions.
#[test]
fn entries_have_places_and_files_with_the_way_back() {
    let mut world = World::new(json!({"a": 1}));
    world.set("/a", Value::Null);
    world.poll("/b/c", json!(1));
    world.put(Role::User, false, json!([{"op": "remove", "path": "/a"}]));
    world.poll("/b", json!({"c": 0.5}));
    world.file(SurfaceFile::Spec, Some(&["{}"]));
    let entries: Vec<_> = world.entries().iter().map(|entry| serde_json::to_value(entry).unwrap()).collect();
    let steps: Vec<_> = entries.iter().map(|entry| json!([entry["kind"], entry["step"]])).collect();
    let spec = crate::model::blob::BlobId::of(b"{}");
    assert_eq!(
        json!(steps),
        json!([
            ["edit", {"face": "surface", "state": [{"path": "/a", "before": 1, "after": null}]}],
            ["edit", {"face": "surface", "state": [{"path": "/a", "before": null}]}],
            ["effect", {"face": "surface", "state": [{"path": "/b", "after": {"c": 0.5}}]}],
            ["edit", {"face": "surface", "files": [{"file": "spec", "after": spec}]}],
        ])
    );
}

/// Title, spec and assets are undone together with the state changed along with them.
#[test]
fn files_are_undone_and_redone() {
    let mut world = World::new(json!({"a": 1}));
    let texts = |world: &World| {
        [TreeFile::Spec, TreeFile::Descriptor, TreeFile::State]
            .map(|file| world.text_of(file).unwrap_or_default())
    };
    let first = texts(&world);
    let put = |spec: Option<&str>, title: &str, a: u8| Put {
        by: Role::User,
        is_effect: false,
        patch: json!([{"op": "add", "path": "/a", "value": a}]),
        files: vec![
            (SurfaceFile::Spec, spec.map(|spec| vec![spec.to_owned()])),
            (SurfaceFile::Descriptor, Some(vec![title.to_owned()])),
        ],
    };
    assert_eq!(world.ask(put(Some("{\"v\":1}"), "{\"title\":\"t\"}", 2)), "OK");
    let second = texts(&world);
    assert_eq!(world.ask(put(None, "{\"title\":\"u\"}", 3)), "OK");
    world.poll("/log", json!(1));
    for (act, expected) in [("undo", &second), ("undo", &first), ("redo", &second)] {
        assert_eq!(if act == "undo" { world.undo(1) } else { world.redo(1) }, "OK");
        let now = texts(&world);
        assert_eq!(now[..2], expected[..2], "{act}");
        world.replays();
    }
    assert_eq!(world.state(), json!({"a": 2, "log": 1}));
    // A file counts as one place, even if other files were changed along with it.
    assert_eq!(world.ask(put(Some("{\"v\":2}"), "{\"title\":\"t\"}", 2)), "OK");
    assert_eq!(world.ask(change(1)), "HISTORY_CONFLICT");
}

/// Returns a spec with one action that calls a tool.
fn spec(allow: &[&str], confirm: &str) -> String {
    let action = json!({"kind": "tool.call", "tool": "a", "confirm": confirm});
    json!({"version": 1, "mode": "html", "toolPolicy": {"allow": allow}, "state": {}, "actions": {"go": action}})
        .to_string()
}

/// A model replaced the first spec with the second, reverts this, and does both again.
#[test]
fn a_model_never_gets_back_what_a_surface_may_not_do_any_more() {
    let model = Author::Assistant { lease: None };
    let narrow = spec(&["a"], "always");
    for (first, second, undone, redone) in [
        (narrow.clone(), spec(&["a"], "auto"), "OK", "POLICY_WIDENING"),
        (narrow.clone(), spec(&["a", "b"], "always"), "OK", "POLICY_WIDENING"),
        (spec(&["a", "b"], "always"), narrow.clone(), "POLICY_WIDENING", "OK"),
        (spec(&["a"], "never"), narrow.clone(), "POLICY_WIDENING", "OK"),
        (narrow.clone(), narrow.replace('a', "\\u0061"), "OK", "OK"),
        (narrow.clone(), "no spec".to_owned(), "POLICY_WIDENING", "POLICY_WIDENING"),
    ] {
        let mut world = World::new(json!({"a": 1}));
        assert_eq!(world.file(SurfaceFile::Spec, Some(&[&first])), "OK");
        world.next_turn();
        let patch = json!([{"op": "add", "path": "/a", "value": 2}]);
        let files = vec![(SurfaceFile::Spec, Some(vec![second.clone()]))];
        assert_eq!(world.ask(Put { by: Role::Assistant, is_effect: false, patch, files }), "OK");
        for what in [
            UndoScope::Change(ChangeNumber::new(2)),
            UndoScope::Author { author: Role::Assistant, since: None },
            UndoScope::Steps(ONE),
        ] {
            let told = world.ask(Undo { by: model, what: what.clone() });
            assert_eq!(told, undone, "{what:?} of {second}");
            if told == "OK" && what != UndoScope::Steps(ONE) {
                assert_eq!(world.undo(1), "OK");
                world.next_turn();
            }
        }
        if undone != "OK" {
            assert_eq!(world.undo(1), "OK", "a person may");
            world.next_turn();
        }
        assert_eq!(world.text_of(TreeFile::Spec), Some(first));
        assert_eq!(world.ask(Redo { by: model, steps: ONE }), redone, "{second}");
        world.replays();
    }
}

/// A surface without a spec has no permissions. A model may therefore undo that it got a spec, but not that it lost
/// one.
#[test]
fn without_a_spec_a_surface_may_do_nothing() {
    let mut world = World::new(json!({}));
    let files = vec![(SurfaceFile::Spec, Some(vec![spec(&["a"], "auto")]))];
    world.next_turn();
    assert_eq!(world.ask(Put { by: Role::Assistant, is_effect: false, patch: json!([]), files }), "OK");
    let model = Author::Assistant { lease: None };
    assert_eq!(world.ask(Undo { by: model, what: UndoScope::Steps(ONE) }), "OK");
    assert_eq!(world.ask(Redo { by: model, steps: ONE }), "POLICY_WIDENING");
}

/// A collection keeps everything that a surface needs, including files, assets, and the targets of undo and redo.
#[test]
fn a_collection_keeps_what_a_surface_needs() {
    let mut world =
        World::with(json!({"a": 1}), Policy { min_blob_age: Duration::ZERO, ..Policy::default() });
    for (assets, spec) in
        [(&["logo", "style"][..], "{\"v\":1}"), (&["style"], "{\"v\":2}"), (&["other"], "{\"v\":3}")]
    {
        assert_eq!(world.file(SurfaceFile::Assets, Some(assets)), "OK");
        assert_eq!(world.file(SurfaceFile::Spec, Some(&[spec])), "OK");
        for number in 0..5 {
            world.poll("/log", json!(number));
        }
        world.set("/a", json!(assets.len()));
    }
    world.ask(crate::transition::turn::SendMessage);
    world.wait(3_600_000);
    let blob = |world: &World, text: &str| {
        block_on(crate::store::contract::Store::blob(
            world.engine.store(),
            &world.canvas,
            crate::model::blob::BlobId::of(text.as_bytes()),
        ))
        .unwrap()
        .is_some()
    };
    let there = |world: &World| {
        ["logo", "style", "other", "{\"v\":1}", "{\"v\":2}", "{\"v\":3}"].map(|text| blob(world, text))
    };
    let collect = |world: &World, history| {
        let collection = CollectOptions {
            history: Some(history),
            older_than: Duration::ZERO,
            ..CollectOptions::default()
        };
        block_on(world.engine.collect(&world.canvas, collection)).unwrap()
    };
    // No entry contains earlier states.
    assert!(collect(&world, 999).blobs > 0);
    assert_eq!(there(&world), [true; 6]);
    let used = block_on(world.engine.blobs_in_use(&world.canvas, world.now())).unwrap();
    assert!(world.head().blobs().all(|id| used.contains(&id)));
    // Down to the change before the one from the second assets to the third. Saves of polls do not count.
    collect(&world, 3);
    assert_eq!(there(&world), [false, true, true, false, true, true]);
    let fresh = world.text_of(TreeFile::Assets);
    for (undo, expected) in [(true, &["style"]), (false, &["other"])] {
        assert_eq!(if undo { world.undo(3) } else { world.redo(3) }, "OK");
        assert!(blob(&world, expected[0]));
        world.replays();
    }
    assert_eq!(world.text_of(TreeFile::Assets), fresh);
    collect(&world, 0);
    assert_eq!(there(&world), [false, false, true, false, false, true]);
    assert_eq!(world.state(), json!({"a": 1, "log": 4}));
    block_on(world.engine.erase(&world.canvas, &world.erase_key(), world.now())).unwrap();
    assert_eq!(
        (there(&world), world.state()),
        ([false, false, true, false, false, true], json!({"a": 1, "log": 4}))
    );
}

/// A removed value no longer fits after a poll has filled its place.
#[test]
fn what_is_put_back_stays_within_the_limit_of_the_state() {
    let mut policy = Policy::default();
    policy.surface.state_bytes = 100;
    let long = |n: usize| json!("x".repeat(n));
    let state = json!({"a": "", "b": "", "log": ""});
    // The value that a person removes, the value that a poll then saves, and the answers to undo by steps and by
    // change.
    for (had, polled, answer) in
        [(60, 10, "OK"), (60, 70, "STATE_TOO_LARGE"), (60, 16, "OK"), (60, 17, "STATE_TOO_LARGE")]
    {
        for by_change in [false, true] {
            let mut world = World::with(state.clone(), policy);
            assert_eq!((world.set("/a", long(had)), world.set("/a", json!(""))), ("OK", "OK"));
            assert_eq!(world.poll("/log", long(polled)), "OK");
            let before = (world.state(), world.entries().len());
            let told = if by_change { world.ask(change(2)) } else { world.undo(1) };
            assert_eq!(told, answer, "{had} beside {polled}");
            if answer != "OK" {
                assert_eq!((world.state(), world.entries().len()), before);
            }
            world.replays();
        }
    }
    let mut world = World::with(state.clone(), policy);
    assert_eq!((world.set("/a", long(60)), world.undo(1), world.poll("/log", long(70))), ("OK", "OK", "OK"));
    assert_eq!(world.redo(1), "STATE_TOO_LARGE");
    // Under a lower limit than before, the state cannot become larger but may become smaller.
    for (first, then, answer) in [(70, 60, "STATE_TOO_LARGE"), (60, 70, "OK")] {
        let mut world = World::with(state.clone(), policy);
        assert_eq!((world.set("/a", long(first)), world.set("/a", long(then))), ("OK", "OK"));
        let mut lower = policy;
        lower.surface.state_bytes = 50;
        world.engine = Engine::new(world.engine.store().clone(), lower);
        assert_eq!(world.undo(1), answer);
    }
}
