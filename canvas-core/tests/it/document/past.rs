//! The document of an earlier revision. `PROPTEST_CASES` is the number of histories.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use canvas_core::history::{ClearHistory, PastDocument, Redo, Undo, UndoScope};
use canvas_core::testing::block_on;
use canvas_core::text::SpanKind;
use canvas_core::turn::SendMessage;
use canvas_core::version::Restore;
use canvas_core::{
    Actor, Author, CodedError as _, CollectOptions, EngineError, Policy, Revision, RevisionId,
};
use proptest::prelude::*;

use super::any::code;
use super::party::{Party, last};
use super::world::World;
use crate::policy_with;

fn at(world: &World, revision: u64) -> Result<PastDocument, EngineError> {
    let revision = Revision::new(revision).unwrap();
    block_on(world.engine.document_at(&world.canvas, revision, world.now()))
}

pub(super) fn collect(world: &World, history: u64) {
    world.clock.wait(3_600_000);
    let options = CollectOptions { history: Some(history), ..CollectOptions::default() };
    block_on(world.engine.collect(&world.canvas, options)).unwrap();
}

/// The documents of all revisions, as they were when they were current.
type Recorded = BTreeMap<u64, (RevisionId, String)>;

fn record(world: &World, recorded: &mut Recorded) {
    let head = world.head();
    recorded.insert(head.revision().get(), (head.revision_id(), world.text()));
}

/// Each revision has the text recorded then, from the oldest that is kept on, and none before. Returns the oldest.
#[track_caller]
fn check(world: &World, recorded: &Recorded) -> u64 {
    let mut oldest = None;
    for revision in 1..=world.head().revision().get() {
        match (at(world, revision), recorded.get(&revision)) {
            // One of several revisions of one call.
            (Ok(_), None) => oldest = oldest.or(Some(revision)),
            (Ok(past), Some((id, text))) => {
                assert_eq!(past.text(), text, "at {revision}");
                // The id has the same content. Its number is higher if the entry that wrote it is not kept, or if one call
                // took a change back and made it again.
                let hash = |id: RevisionId| id.to_string().rsplit_once('-').unwrap().1.to_owned();
                assert_eq!(hash(past.revision_id), hash(*id), "at {revision}");
                let number = past.revision_id.revision();
                assert!(
                    (id.revision().get()..=revision).contains(&number.get()),
                    "at {revision}: {number:?}"
                );
                oldest = oldest.or(Some(revision));
            }
            (Err(EngineError::RevisionNotKept { oldest: named, .. }), _) => {
                assert_eq!(oldest, None, "{revision} is not kept, and an older one is");
                assert!(named.get() > revision);
                assert!(at(world, named.get()).is_ok(), "{named:?} is not kept either");
            }
            (other, _) => panic!("at {revision}: {other:?}"),
        }
    }
    oldest.expect("the current one is kept")
}

#[test]
fn each_revision_has_its_text() {
    let world = World::new("a\nb\n");
    let mut recorded = Recorded::new();
    record(&world, &mut recorded);
    for text in ["a\nB\n", "A\nB\n", "", "a\nb\n", "new\n"] {
        world.edit(text);
        record(&world, &mut recorded);
    }
    // Changes of no document.
    world.ask("model", SendMessage);
    assert_eq!(check(&world, &recorded), 1);
    assert_eq!(at(&world, 1).unwrap().revision_id, recorded[&1].0);

    // Texts that entries do not need are gone.
    collect(&world, u64::MAX);
    assert_eq!(check(&world.peer(), &recorded), 1);
    collect(&world, 2);
    assert_eq!(check(&world.peer(), &recorded), 4);
    world.ask("user", ClearHistory);
    assert_eq!(check(&world, &recorded), 6);
}

/// Also by another server, which knows nothing. The first revision has no entry.
#[test]
fn a_past_text_is_few_round_trips() {
    for (is_stored, most) in [(true, 9), (false, 16)] {
        let world = World::new("0\n");
        (1..=1_500).for_each(|n| drop(world.edit(&format!("{n}\n"))));
        if !is_stored {
            collect(&world, u64::MAX);
        }
        for revision in [500, 1_000, 1_490, 1_500] {
            let peer = world.peer();
            assert_eq!(at(&peer, revision).unwrap().text(), format!("{}\n", revision - 1));
            let asked = peer.spy().asked().len();
            assert!(asked <= most, "{asked} round trips to {revision}, {is_stored}");
            let read = peer.spy().read();
            assert!(is_stored || read <= 420, "{read} blobs for {revision}");
        }
    }
}

/// Pages of changes have each kept change once, with the revisions of its texts, and read no others.
#[test]
fn pages_list_each_change_and_read_no_other() {
    let world = World::new("0\n");
    (1..=200).for_each(|n| drop(world.edit(&format!("{n}\n"))));
    for (limit, read) in [(1, 12), (20, 40), (50, 70), (1_000, 220)] {
        let (peer, mut next, mut listed) = (world.peer(), None, Vec::new());
        loop {
            let page = block_on(peer.engine.document_changes(&peer.canvas, next, limit, peer.now())).unwrap();
            assert!(
                !listed.is_empty() || peer.spy().read() <= read,
                "{} blobs for {limit}",
                peer.spy().read()
            );
            assert!(page.entries.len() == limit || page.next.is_none());
            listed.extend(page.entries.iter().map(|entry| entry.document_ids().unwrap()));
            next = page.next;
            if next.is_none() {
                break;
            }
        }
        assert_eq!(listed.len(), 200);
        assert_eq!(listed[0].1, world.head().revision_id());
        assert!(listed.windows(2).all(|two| two[0].0 == two[1].1));
        for (before, after) in [listed[0], listed[100], listed[199]] {
            let past = at(&world, before.revision().get()).unwrap();
            assert!(past.is_named_by(before) && past.revision_id == before && !past.is_named_by(after));
        }
    }
    collect(&world, 3);
    let page =
        |limit| block_on(world.engine.document_changes(&world.canvas, None, limit, world.now())).unwrap();
    assert_eq!((page(3).entries.len(), page(3).next), (3, None));
    assert_eq!((page(2).entries.len(), page(2).next.map(|next| next.get())), (2, Some(199)));
    assert_eq!((page(0).entries.len(), page(0).next.map(|next| next.get())), (0, Some(201)));
}

#[test]
fn a_revision_that_the_canvas_has_not_is_not_found() {
    let world = World::new("a\n");
    for revision in [0, 2, 9_007_199_254_740_991] {
        assert_eq!(at(&world, revision).unwrap_err().code(), "REVISION_NOT_FOUND");
    }
    let world = World::empty(Policy::default());
    assert_eq!(at(&world, 1).unwrap_err().code(), "CANVAS_NOT_FOUND");
}

#[test]
fn a_canvas_that_was_made_again_does_not_show_its_first_life() {
    for edits in [0, 1, 3] {
        let world = World::new("first\n");
        (0..edits).for_each(|n| drop(world.edit(&format!("secret {n}\n"))));
        let (now, key) = (world.now(), |call| super::world::key("user", 0, call));
        block_on(world.engine.delete(&world.canvas, &key("delete"), now)).unwrap();
        assert_eq!(at(&world, 1).unwrap_err().code(), "CANVAS_NOT_FOUND");
        block_on(world.engine.create(&world.canvas, "second\n", &key("again"), now)).unwrap();
        world.edit("third\n");
        let last = world.head().revision().get();
        let found: Vec<_> =
            (1..=last).map(|revision| at(&world, revision).map(|past| past.text().to_owned())).collect();
        let kept: Vec<_> = found.iter().flatten().map(String::as_str).collect();
        assert_eq!(kept, ["second\n", "third\n"]);
        let mut refused = found.iter().flat_map(|found| found.as_ref().err());
        assert!(refused.all(|error| error.code() == "REVISION_NOT_KEPT"));
        // Nor do its pages lead there.
        let page =
            |before| block_on(world.engine.document_changes(&world.canvas, before, 1, world.now())).unwrap();
        let newest = page(None);
        assert_eq!(newest.entries.len(), 1);
        assert!(
            newest.next.is_none() || page(newest.next).entries.is_empty() && page(newest.next).next.is_none()
        );
    }
}

#[test]
fn a_diff_names_those_who_made_it() {
    let mut party = Party::with("1\n2\n3\n", Policy::default());
    for (name, text) in
        [("anna", "1\n2 two\n3\n"), ("one", "1\n2 two\n3\n4\n"), ("bert", "1\n2 two\n3\n4\n5\n")]
    {
        party.edit(name, text);
    }
    let world = &party.world;
    let diff = |from, to| {
        let [from, to] = [from, to].map(|revision| Revision::new(revision).unwrap());
        block_on(world.engine.diff(&world.canvas, from, to, world.now())).unwrap()
    };
    let whole = diff(1, 4);
    assert_eq!(whole.patch, "@@ -1,3 +1,5 @@\n 1\n-2\n+2 two\n 3\n+4\n+5\n");
    assert_eq!(whole.delta.apply(whole.from.text()).unwrap(), whole.to.text());
    let words = whole.words.iter().filter(|span| span.kind != SpanKind::Delete);
    let words: String = words.map(|span| span.text.as_str()).collect();
    assert_eq!(words, "1\n2 two\n3\n4\n5\n");
    let names = |actors: &[Actor]| -> Vec<String> {
        actors
            .iter()
            .map(|actor| match actor {
                Actor::Person { person } => person.as_str().to_owned(),
                Actor::Conversation { conversation, .. } => conversation.as_str().to_owned(),
                other => format!("{other:?}"),
            })
            .collect()
    };
    assert_eq!(names(&whole.actors), ["anna", "one", "bert"]);
    assert_eq!(names(&diff(2, 3).actors), ["one"]);
    let back = diff(4, 3);
    assert_eq!((names(&back.actors), back.patch.contains("-5\n")), (vec!["bert".to_owned()], true));
    let none = diff(3, 3);
    assert!(none.patch.is_empty() && none.delta.is_empty() && none.actors.is_empty());
}

/// What happens in a random history.
#[derive(Debug, Clone)]
pub(super) enum Act {
    Insert(usize, prop::sample::Index),
    Change(usize, prop::sample::Index),
    Remove(prop::sample::Index),
    Undo(u32),
    Redo,
    UndoOf(usize),
    RedoOf(usize),
    Message,
    Collect(u64),
    Clear,
    Restore(u64),
}

const NAMES: [&str; 3] = ["anna", "one", "two"];

pub(super) fn act() -> impl Strategy<Value = Act> {
    let at = any::<prop::sample::Index>();
    prop_oneof![
        8 => (0..NAMES.len(), at.clone()).prop_map(|(who, at)| Act::Insert(who, at)),
        3 => (0..NAMES.len(), at.clone()).prop_map(|(who, at)| Act::Change(who, at)),
        3 => at.prop_map(Act::Remove),
        2 => (1..4_u32).prop_map(Act::Undo),
        2 => Just(Act::Redo),
        2 => (0..NAMES.len()).prop_map(Act::UndoOf),
        2 => (0..NAMES.len()).prop_map(Act::RedoOf),
        1 => Just(Act::Message),
        1 => (0..6_u64).prop_map(Act::Collect),
        1 => Just(Act::Clear),
        2 => (1..12_u64).prop_map(Act::Restore),
    ]
}

impl Act {
    /// Does it. A model is not shown all of a long text, so that only people edit it.
    pub(super) fn on(self, party: &mut Party, number: usize) {
        let text = party.world.text();
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        let name = |who| NAMES[if text.len() > 10_000 { 0 } else { who }];
        let (by, line) = (Author::User, format!("{number}\n"));
        match self {
            Self::Insert(who, at) => {
                lines.insert(at.index(lines.len() + 1), &line);
                party.edit(name(who), &lines.concat());
            }
            Self::Change(who, at) if !lines.is_empty() => {
                let at = at.index(lines.len());
                let changed = format!("{number} {}", lines[at]);
                lines[at] = &changed;
                party.edit(name(who), &lines.concat());
            }
            Self::Remove(at) if !lines.is_empty() => {
                lines.remove(at.index(lines.len()));
                party.edit(NAMES[0], &lines.concat());
            }
            Self::Change(..) | Self::Remove(_) => {}
            Self::Undo(steps) => {
                let what = UndoScope::Steps(NonZeroU32::new(steps).unwrap());
                code(&party.world.ask("one", Undo { by, what }));
            }
            Self::Redo => drop(party.world.ask("one", Redo { by, steps: NonZeroU32::MIN })),
            Self::UndoOf(who) => drop(party.undo("anna", last(NAMES[who], 0))),
            Self::RedoOf(who) => drop(party.redo(NAMES[who])),
            Self::Message => drop(party.world.ask("one", SendMessage)),
            Self::Collect(keep) => collect(&party.world, keep),
            Self::Clear => drop(party.world.ask("user", ClearHistory)),
            Self::Restore(back) => {
                let world = &party.world;
                // A revision that is no longer kept cannot be restored.
                let revision = world.head().revision().get().saturating_sub(back).max(1);
                let Ok(document) = at(world, revision) else { return };
                let key = super::world::key("user", 0, &format!("restore-{number}"));
                let called =
                    world.engine.call(&world.canvas, &key, Restore { faces: document.into() }, world.now());
                drop(block_on(called).unwrap());
            }
        }
    }
}

proptest! {
    /// With entries that keep texts, texts of several chunks, undo, redo, restore, and collections.
    #[test]
    fn a_past_text_is_the_one_that_was_recorded(
        acts in prop::collection::vec(act(), 1..40),
        entry_bytes in prop_oneof![2 => Just(Policy::default().history.entry_bytes), 1 => Just(16)],
        is_long in prop::bool::weighted(0.1),
    ) {
        let policy = policy_with(|policy| policy.history.entry_bytes = entry_bytes);
        let start = if is_long { "a line\n".repeat(10_000) } else { "1\n2\n3\n".to_owned() };
        let mut party = Party::with(&start, policy);
        let mut recorded = Recorded::new();
        record(&party.world, &mut recorded);
        for (number, act) in acts.into_iter().enumerate() {
            act.on(&mut party, number);
            record(&party.world, &mut recorded);
        }
        check(&party.world, &recorded);
        check(&party.world.peer(), &recorded);
    }
}
