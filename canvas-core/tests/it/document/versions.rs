//! Named versions. `PROPTEST_CASES` is the number of lists of versions.

use std::cell::Cell;
use std::collections::BTreeMap;

use canvas_core::history::{At, PastDocument, Undo, UndoScope};
use canvas_core::store::MemoryStore;
use canvas_core::testing::block_on;
use canvas_core::version::{
    MAX_NOTE_BYTES, NameVersion, NamedVersion, RemoveVersion, RenameVersion, Restore, VersionLabel,
};
use canvas_core::{
    Actor, Author, CodedError as _, Command, ConversationId, Engine, Face, OpKey, PersonId, Policy, Revision,
};
use proptest::prelude::*;

use super::any::code;
use super::past::collect;
use super::world::World;

fn label(label: &str) -> VersionLabel {
    VersionLabel::new(label).unwrap()
}

struct Desk {
    world: World,
    calls: Cell<u32>,
}

impl Desk {
    fn new(markdown: &str) -> Self {
        Self { world: World::new(markdown), calls: Cell::new(0) }
    }

    fn call<C: Command>(&self, command: C) -> Result<C::Done, &'static str> {
        self.by(|call| OpKey::person(PersonId::new("anna").unwrap(), call), command)
    }

    fn by<C: Command>(
        &self,
        key: impl FnOnce(canvas_core::CallId) -> OpKey,
        command: C,
    ) -> Result<C::Done, &'static str> {
        self.calls.set(self.calls.get() + 1);
        let key = key(format!("version {}", self.calls.get()).parse().unwrap());
        let called = self.world.engine.call(&self.world.canvas, &key, command, self.world.now());
        block_on(called).unwrap().result.map_err(|refusal| refusal.code())
    }

    fn name(&self, name: &str) -> NamedVersion {
        self.call(NameVersion { label: label(name), note: None, of: None }).unwrap()
    }

    fn at(&self, at: impl Into<At>) -> Result<PastDocument, &'static str> {
        at_of(&self.world.engine, &self.world, at)
    }

    fn text(&self, name: &str) -> Result<String, &'static str> {
        self.at(label(name)).map(|past| past.text().to_owned())
    }

    fn restore(&self, at: impl Into<At>) -> Result<(), &'static str> {
        self.call(Restore { faces: self.at(at)?.into() }).map(drop)
    }

    fn list(&self) -> Vec<NamedVersion> {
        list(&self.world)
    }

    fn erase(&self, call: &str) {
        let key = OpKey::host(call.parse().unwrap());
        block_on(self.world.engine.erase(&self.world.canvas, &key, self.world.now())).unwrap();
    }
}

fn at_of<S: canvas_core::store::Store>(
    engine: &Engine<S>,
    world: &World,
    at: impl Into<At>,
) -> Result<PastDocument, &'static str> {
    block_on(engine.document_at(&world.canvas, at, world.now())).map_err(|error| error.code())
}

fn list(world: &World) -> Vec<NamedVersion> {
    block_on(world.engine.versions(&world.canvas, world.now())).unwrap()
}

fn labels(versions: &[NamedVersion]) -> Vec<&str> {
    versions.iter().map(|version| version.label.as_str()).collect()
}

#[test]
fn a_version_is_named_listed_renamed_and_removed() {
    let desk = Desk::new("one\n");
    let revision = desk.world.head().revision();
    let first =
        desk.call(NameVersion { label: label("first <b>"), note: Some("for ana".to_owned()), of: None });
    let first = first.unwrap();
    assert_eq!(desk.world.head().revision(), revision, "it is no change of content");
    let head = serde_json::to_value(desk.world.head().as_ref()).unwrap();
    assert_eq!(head["format"], 3, "a server that does not know versions refuses the head");
    assert_eq!(
        (first.revision, first.actor.clone()),
        (revision, Actor::Person { person: "anna".parse().unwrap() })
    );
    assert_eq!((first.faces(), first.note.as_deref()), (vec![Face::Document], Some("for ana")));
    desk.world.edit("two\n");
    desk.world.clock.wait(1);
    desk.name("second");
    assert_eq!(labels(&desk.list()), ["first <b>", "second"]);
    assert_eq!(
        [desk.text("first <b>"), desk.text("second")],
        ["one\n", "two\n"].map(|text| Ok(text.to_owned()))
    );

    // By any server.
    assert_eq!(list(&desk.world.peer()), desk.list());
    desk.call(RenameVersion { label: label("second"), to: label("a") }).unwrap();
    assert_eq!((desk.text("a"), desk.text("second")), (Ok("two\n".to_owned()), Err("VERSION_NOT_FOUND")));
    desk.call(RemoveVersion { label: label("first <b>") }).unwrap();
    assert_eq!(labels(&desk.list()), ["a"]);
    desk.call(RemoveVersion { label: label("a") }).unwrap();
    assert!(desk.list().is_empty());
    let diff = block_on(desk.world.engine.diff(
        &desk.world.canvas,
        revision,
        desk.world.head().revision(),
        desk.world.now(),
    ));
    assert_eq!(diff.unwrap().patch, "@@ -1 +1 @@\n-one\n+two\n");
}

#[test]
fn a_request_that_cannot_be_met_changes_nothing() {
    let desk = Desk::new("one\n");
    desk.name("a");
    let head = desk.world.head();
    let named = |name: &str, note: Option<String>| NameVersion { label: label(name), note, of: None };
    let long = Some("x".repeat(MAX_NOTE_BYTES + 1));
    let (other, engine) = (super::world::canvas("other"), &desk.world.engine);
    let key = OpKey::host("create".parse().unwrap());
    block_on(engine.create(&other, "other\n", &key, desk.world.now())).unwrap();
    let first = Revision::new(1).unwrap();
    let of_other = block_on(engine.document_at(&other, first, desk.world.now())).unwrap();
    let of = Some(of_other.clone());
    assert_eq!(desk.call(NameVersion { label: label("b"), note: None, of }), Err("REVISION_NOT_FOUND"));
    assert_eq!(desk.call(Restore { faces: of_other.into() }), Err("REVISION_NOT_FOUND"));
    assert_eq!(desk.call(named("a", None)), Err("VERSION_EXISTS"));
    assert_eq!(desk.call(named("b", long)), Err("NOTE_TOO_LONG"));
    assert_eq!(desk.call(RemoveVersion { label: label("b") }), Err("VERSION_NOT_FOUND"));
    assert_eq!(desk.call(RenameVersion { label: label("b"), to: label("c") }), Err("VERSION_NOT_FOUND"));
    assert_eq!(desk.call(RenameVersion { label: label("a"), to: label("a") }), Err("VERSION_EXISTS"));
    assert_eq!(desk.restore(label("a")), Err("NO_EFFECT"));
    assert_eq!(desk.at(label("b")).map(drop), Err("VERSION_NOT_FOUND"));
    let model = |call| OpKey::of(ConversationId::new("model").unwrap(), call);
    assert_eq!(desk.by(model, named("b", None)), Err("DECISION_BY_MODEL"));
    assert_eq!(desk.by(model, RemoveVersion { label: label("a") }), Err("DECISION_BY_MODEL"));
    assert_eq!(desk.by(model, RenameVersion { label: label("a"), to: label("b") }), Err("DECISION_BY_MODEL"));
    assert_eq!(
        desk.by(model, Restore { faces: desk.at(label("a")).unwrap().into() }),
        Err("DECISION_BY_MODEL")
    );
    assert_eq!(
        (desk.list().len(), desk.world.text(), desk.world.head().lock()),
        (1, "one\n".to_owned(), head.lock())
    );
    let actor = desk.by(OpKey::host, named("by the host", None)).unwrap().actor;
    assert_eq!(actor, Actor::Host);
}

#[test]
fn a_label_is_short_and_safe_to_show() {
    let long = "a".repeat(VersionLabel::MAX_BYTES);
    for (text, is_valid) in [
        ("v1", true),
        ("Zoë <script>", true),
        (long.as_str(), true),
        ("", false),
        (&format!("{long}a"), false),
        (&"a".repeat(1 << 20), false),
        ("a\nb", false),
        ("a\u{202e}b", false),
        ("\u{0}", false),
    ] {
        assert_eq!(VersionLabel::new(text).map_err(|error| error.code()).is_ok(), is_valid, "{text:?}");
        let json = serde_json::to_string(text).unwrap();
        assert_eq!(serde_json::from_str::<VersionLabel>(&json).is_ok(), is_valid, "{text:?}");
    }
    assert_eq!(VersionLabel::new("").unwrap_err().code(), "LABEL_INVALID");
}

/// Restoring ends the lease like any act of a user, can be undone, and is the last writer of its lines.
#[test]
fn a_version_is_restored_as_one_change() {
    let desk = Desk::new("one\ntwo\n");
    desk.name("a");
    let lease = desk.world.check_out("model");
    desk.world.write("model", lease, "two>2");
    let now = desk.world.text();
    desk.restore(label("a")).unwrap();
    assert_eq!(desk.world.text(), "one\ntwo\n");
    assert_eq!(code(&desk.world.write("model", lease, "two>3")), "STALE_EPOCH");
    let entries = block_on(desk.world.engine.history(&desk.world.canvas, None, 1, desk.world.now())).unwrap();
    assert_eq!(entries[0].summary, "restored version a");
    let blamed = block_on(desk.world.engine.blame(&desk.world.canvas, None, desk.world.now())).unwrap();
    let actors: Vec<_> =
        blamed.iter().map(|run| run.writer.as_ref().map(|writer| writer.actor.clone())).collect();
    assert_eq!(actors, [None, Some(Actor::Person { person: "anna".parse().unwrap() })]);
    desk.world.ask("user", Undo { by: Author::User, what: UndoScope::Steps(std::num::NonZeroU32::MIN) });
    assert_eq!(desk.world.text(), now);
    desk.restore(Revision::new(1).unwrap()).unwrap();
    assert_eq!(desk.world.text(), "one\ntwo\n");
}

/// A version of an earlier revision keeps its text, whatever happens to the history.
#[test]
fn a_version_outlives_its_history() {
    let desk = Desk::new("1\n");
    let large = "a line\n".repeat(20_000);
    desk.world.edit(&large);
    (3..40).for_each(|n| drop(desk.world.edit(&format!("{n}\n"))));
    for (name, revision) in [("first", 1), ("large", 2), ("tenth", 10)] {
        let of = desk.at(Revision::new(revision).unwrap()).unwrap();
        let version = desk.call(NameVersion { label: label(name), note: None, of: Some(of) }).unwrap();
        assert_eq!(version.revision.get(), revision);
    }
    desk.name("now");
    desk.world.edit("later\n");
    collect(&desk.world, 0);
    collect(&desk.world, 0);
    let expected = [("first", "1\n"), ("large", large.as_str()), ("tenth", "10\n"), ("now", "39\n")];
    assert_eq!(desk.at(Revision::new(1).unwrap()).map(drop), Err("REVISION_NOT_KEPT"));
    let peer = desk.world.peer();
    for (name, text) in expected {
        assert_eq!(at_of(&peer.engine, &peer, label(name)).unwrap().text(), text, "{name}");
    }

    // In another store.
    let clock = desk.world.clock.clone();
    let other = Engine::new(MemoryStore::new(move || clock.get()), Policy::default());
    block_on(async {
        let mut export = desk.world.engine.export(&desk.world.canvas).await.unwrap();
        let mut import = other.import(&desk.world.canvas).await.unwrap();
        while let Some(piece) = export.next().await {
            import = import.push(&piece.unwrap()).await.unwrap();
        }
        import.finish().await.unwrap();
    });
    for (name, text) in expected {
        assert_eq!(at_of(&other, &desk.world, label(name)).unwrap().text(), text, "{name}");
    }

    // A version that is removed is collected.
    desk.call(RemoveVersion { label: label("large") }).unwrap();
    desk.world.clock.wait(7_200_000);
    let dropped =
        block_on(desk.world.engine.collect(&desk.world.canvas, canvas_core::CollectOptions::default()));
    assert!(dropped.unwrap().blobs > 2, "its page, its list and its chunks");
}

#[test]
fn an_erasure_drops_the_texts_of_versions_and_keeps_the_labels() {
    let desk = Desk::new("secret\n");
    desk.call(NameVersion { label: label("bad"), note: Some("the secret is 1234".to_owned()), of: None })
        .unwrap();
    desk.world.edit("clean\n");
    desk.call(NameVersion { label: label("good"), note: Some("not a 1234".to_owned()), of: None }).unwrap();
    let read_before = [desk.at(label("bad")).unwrap(), desk.at(Revision::new(1).unwrap()).unwrap()];
    desk.erase("erase");
    for document in read_before {
        assert_eq!(desk.call(Restore { faces: document.clone().into() }), Err("REVISION_NOT_FOUND"));
        let of = Some(document);
        assert_eq!(
            desk.call(NameVersion { label: label("back"), note: None, of }),
            Err("REVISION_NOT_FOUND")
        );
    }
    assert_eq!((desk.text("bad"), desk.text("good")), (Err("VERSION_ERASED"), Ok("clean\n".to_owned())));
    let versions = desk.list();
    let bad = versions.iter().find(|version| version.label.as_str() == "bad").unwrap();
    assert!(bad.is_erased() && bad.faces().is_empty());
    assert!(versions.iter().all(|version| version.note.is_none()));
    let store = format!("{:?}", desk.world.spy().inner);
    assert!(!store.contains("1234"), "the note is gone");
    // The label can be used again once its version is removed.
    desk.call(RemoveVersion { label: label("bad") }).unwrap();
    desk.name("bad");
    assert_eq!(desk.text("bad"), Ok("clean\n".to_owned()));
}

#[test]
fn a_deleted_canvas_has_no_versions() {
    let desk = Desk::new("first\n");
    desk.name("a");
    let first = desk.at(Revision::new(1).unwrap()).unwrap();
    desk.world.delete("delete").unwrap();
    assert_eq!(desk.at(label("a")).map(drop), Err("CANVAS_NOT_FOUND"));
    let key = super::world::key("user", 0, "again");
    block_on(desk.world.engine.create(&desk.world.canvas, "second\n", &key, desk.world.now())).unwrap();
    assert!(desk.list().is_empty());
    assert_eq!(desk.call(Restore { faces: first.into() }), Err("REVISION_NOT_FOUND"));
    desk.name("a");
    assert_eq!(desk.text("a"), Ok("second\n".to_owned()));
}

proptest! {
    /// Over many pages, compared with a map.
    #[test]
    fn pages_are_a_map_from_labels(
        acts in prop::collection::vec((0..3_u8, 0..200_u32, 0..200_u32), 1..40), many in prop::bool::weighted(0.2),
    ) {
        let desk = Desk::new("0\n");
        let mut expected = BTreeMap::new();
        let first = if many { 150 } else { 0 };
        let acts = (0..first).map(|n| (0, n * 37 % 200, 0)).chain(acts);
        for (number, (act, from, to)) in acts.enumerate() {
            let name = |n: u32| label(&format!("v{n}"));
            desk.world.edit(&format!("{number}\n"));
            match act {
                0 => {
                    let done = desk.call(NameVersion { label: name(from), note: None, of: None });
                    prop_assert_eq!(done.is_err(), expected.contains_key(&name(from)));
                    expected.entry(name(from)).or_insert_with(|| format!("{number}\n"));
                }
                1 => {
                    let done = desk.call(RemoveVersion { label: name(from) });
                    prop_assert_eq!(done.is_ok(), expected.remove(&name(from)).is_some());
                }
                _ => {
                    let may = expected.contains_key(&name(from)) && !expected.contains_key(&name(to));
                    prop_assert_eq!(desk.call(RenameVersion { label: name(from), to: name(to) }).is_ok(), may);
                    if may {
                        let text = expected.remove(&name(from)).unwrap();
                        expected.insert(name(to), text);
                    }
                }
            }
        }
        let found: Vec<_> = desk.list();
        prop_assert_eq!(found.len(), expected.len());
        for (label, text) in &expected {
            prop_assert_eq!(desk.text(label.as_str()), Ok(text.clone()));
        }
    }
}
