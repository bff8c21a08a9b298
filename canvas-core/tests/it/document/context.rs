//! What conversations learn keeps their picture of the document in step, whatever happens to it or to them.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use canvas_core::document::{ApplyPatch, BaseRefusal, Changes, Headings, Read, Shown};
use canvas_core::history::{Redo, Undo, UndoScope};
use canvas_core::lease::CheckIn;
use canvas_core::policy::SyncLimits;
use canvas_core::testing::block_on;
use canvas_core::text::{ApplyOptions, apply};
use canvas_core::turn::{Forget, Forgotten, SendMessage, TurnBegan, TurnEnded};
use canvas_core::{Author, Policy, Refusal};
use proptest::prelude::*;

use crate::document::any::{Outcome, code};
use crate::document::world::{World, end_turn, key};
use crate::policy_with;

/// What a message, or the end of a turn, tells.
fn reported(outcome: Outcome) -> Option<Changes> {
    match outcome {
        Outcome::TurnBegan(TurnBegan { changes, .. }) | Outcome::TurnEnded(TurnEnded { changes, .. }) => {
            changes
        }
        other => panic!("{other:?}"),
    }
}

fn hears(world: &World, who: &str) -> Option<Changes> {
    reported(world.ask(who, SendMessage))
}

/// A picture of the document after a message.
#[track_caller]
fn after(picture: &str, changes: &Changes) -> String {
    match (&changes.diff, &changes.whole) {
        (Some(diff), None) => {
            apply(picture, diff, &ApplyOptions::default()).expect("the diff fits").into_text()
        }
        (None, Some(whole)) => whole.clone(),
        other => panic!("either a diff or the whole: {other:?}"),
    }
}

#[test]
fn a_chat_that_was_compacted_gets_the_whole_document() {
    let world = World::new("a\nb\n");
    assert_eq!(hears(&world, "model"), None);
    assert_eq!(world.ask("model", Forget), Outcome::Forgotten(Forgotten {}));
    let changes = hears(&world, "model").expect("it has forgotten");
    assert_eq!((changes.from, changes.diff, changes.whole.as_deref()), (None, None, Some("a\nb\n")));
    // Once, and then diffs again.
    assert_eq!(hears(&world, "model"), None);
    world.edit("a\nc\n");
    assert_eq!(
        hears(&world, "model").and_then(|changes| changes.diff),
        Some("@@ -1,2 +1,2 @@\n a\n-b\n+c\n".into())
    );
    // It has to look before it writes.
    world.ask("model", Forget);
    let lease = world.check_out("model");
    let refused = world.write("model", lease, "a>x");
    let Some(Refusal::Base(BaseRefusal::StaleBase(stale))) = refused.refusal() else { panic!("{refused:?}") };
    let changes = stale.changes.as_ref().unwrap();
    assert_eq!(changes.whole.as_deref(), Some("a\nc\n"));
    assert_eq!(code(&world.write("model", lease, "a>x")), "OK");
}

/// A diff that is large makes way for the text where that is smaller.
#[test]
fn large_diffs_make_way_for_the_text() {
    let lines = |word: &str, count: usize| format!("{word}\n").repeat(count);
    for (before, now, is_whole) in [
        (lines("a", 40), lines("b", 40), true),
        // Small, though larger than the text.
        (lines("a", 4), lines("b", 4), false),
        // Large, but smaller than the text.
        (lines("a", 40) + &lines("kept", 100), lines("b", 40) + &lines("kept", 100), false),
        (lines("a", 100), String::new(), true),
    ] {
        let world = World::with(&before, policy_with(|policy| policy.sync.diff_bytes = 64));
        world.edit(&now);
        let changes = hears(&world, "model").expect("it has changed");
        assert_eq!((changes.whole.is_some(), after(&before, &changes)), (is_whole, now));
    }
}

/// As many bytes as may be shown are shown.
#[test]
fn a_diff_may_be_as_large_as_is_allowed() {
    let (before, now) = ("a\n".repeat(40), "b\n".repeat(40));
    let reported = |sync_diff_bytes| {
        let world = World::with(&before, policy_with(|policy| policy.sync.diff_bytes = sync_diff_bytes));
        world.edit(&now);
        hears(&world, "model").expect("it has changed").diff
    };
    let diff = reported(usize::MAX).expect("all is allowed");
    assert_eq!((reported(diff.len()), reported(diff.len() - 1)), (Some(diff), None));

    // One that is as long as the text does not make way for it.
    let now = "kept\n".repeat(20);
    for (longer, is_whole) in [(0, false), (1, true)] {
        let before = format!("{}\n{now}", "x".repeat(64 + longer));
        let world = World::with(&before, policy_with(|policy| policy.sync.diff_bytes = 0));
        world.edit(&now);
        let changes = hears(&world, "model").expect("it has changed");
        let reported = (changes.whole.is_some(), changes.diff.map(|diff| diff.len()));
        assert_eq!(reported, (is_whole, (!is_whole).then_some(now.len())));
    }
}

/// The conversation that made the canvas knows its text; another one has no text that a diff would fit.
#[test]
fn a_conversation_that_joins_later_gets_the_whole_document() {
    let whole = |world: &World, who: &str| hears(world, who).and_then(|changes| changes.whole);
    for edited in [false, true] {
        let world = World::new("a\n");
        if edited {
            world.edit("b\n");
        }
        let text = world.text();
        assert_eq!((whole(&world, "model"), whole(&world, "other")), (None, Some(text)), "{edited}");
        assert_eq!(hears(&world, "other"), None, "once");
        world.edit("c\n");
        assert!(hears(&world, "other").is_some_and(|changes| changes.diff.is_some()), "{edited}");
    }
    // The end of its turn, if that comes first.
    let world = World::new("a\n");
    let end = end_turn(world.head().turn_start());
    assert_eq!(reported(world.ask("other", end)).and_then(|changes| changes.whole).as_deref(), Some("a\n"));
    // A canvas that was made again has a first text again, and nobody but its maker knows it.
    world.delete("delete").unwrap();
    let again = block_on(world.engine.create(&world.canvas, "b\n", &key("other", 0, "again"), world.now()));
    again.unwrap();
    assert_eq!((whole(&world, "other"), whole(&world, "model").as_deref()), (None, Some("b\n")));
}

/// Who has read all of it needs no message to know it; a part is not enough, nor is what came before.
#[test]
fn a_conversation_that_was_shown_the_whole_gets_no_more() {
    let text = "a\nb\nc\n";
    let cases = [
        (Shown { lines: 3, bytes: 6 }, true),
        (Shown { lines: usize::MAX, bytes: usize::MAX }, true),
        (Shown { lines: 2, bytes: 6 }, false),
        (Shown { lines: 3, bytes: 5 }, false),
        (Shown::default(), false),
    ];
    for (shown, knows) in cases {
        let world = World::new(text);
        let lease = Some(world.check_out("other"));
        world.ask("other", Read { lease, shown });
        let whole = hears(&world, "other").and_then(|changes| changes.whole);
        assert_eq!(whole.is_none(), knows, "{shown:?}");
    }
    // What it was shown is where its diffs begin.
    let world = World::new(text);
    let lease = Some(world.check_out("other"));
    world.ask("other", Read { lease, shown: Shown { lines: usize::MAX, bytes: usize::MAX } });
    world.edit("a\nb\nd\n");
    let changes = hears(&world, "other").expect("it has changed");
    assert_eq!(after(text, &changes), "a\nb\nd\n");
    // Who knows an older text gets the difference, whatever it has read since.
    let world = World::new(text);
    world.edit("a\nb\nd\n");
    let lease = Some(world.check_out("model"));
    world.ask("model", Read { lease, shown: Shown { lines: usize::MAX, bytes: usize::MAX } });
    assert_eq!(after(text, &hears(&world, "model").expect("its user has edited")), "a\nb\nd\n");
}

/// A long document makes way for its headings, and whoever got them has not seen the text.
#[test]
fn a_long_document_makes_way_for_its_headings() {
    let text = "# One\n\ntext\n\n## Two\n\nmore\n";
    let reported = |snapshot_bytes| {
        let world = World::with(text, policy_with(|policy| policy.sync.snapshot_bytes = snapshot_bytes));
        (hears(&world, "other").expect("it knows nothing"), world)
    };
    let (changes, _) = reported(text.len());
    assert_eq!((changes.whole.as_deref(), changes.headings), (Some(text), None));
    let (changes, world) = reported(text.len() - 1);
    let Headings { lines, listed, left_out } = changes.headings.expect("it is long");
    let listed: Vec<_> = listed.iter().map(|one| (one.line, one.level, one.title.as_str())).collect();
    assert_eq!((lines, listed, left_out), (7, vec![(1, 1, "One"), (5, 2, "Two")], 0));
    assert_eq!((changes.diff, changes.whole), (None, None));
    assert_eq!(hears(&world, "other"), None, "once");
    world.edit(&text.replace("more", "less"));
    assert!(hears(&world, "other").is_some_and(|changes| changes.diff.is_some()));

    // As many as fit.
    let many = "# A title of some length\n\n".repeat(3_000);
    let world = World::new(&many);
    let Headings { listed, left_out, .. } =
        hears(&world, "other").and_then(|it| it.headings).expect("it is long");
    assert_eq!((listed.len(), left_out), (200, 2_800));
    let long = format!("# {}\n\n", "t".repeat(500)).repeat(1_000);
    let world = World::new(&long);
    let Headings { listed, left_out, .. } =
        hears(&world, "other").and_then(|it| it.headings).expect("it is long");
    assert_eq!((listed.len(), left_out), (32, 968), "16 KiB of titles");
}

/// Of too many conversations the one that has known nothing new for the longest time is evicted.
#[test]
fn an_evicted_conversation_gets_the_whole_document() {
    let world = World::with("a\n", policy_with(|policy| policy.sync.conversations = 2));
    hears(&world, "one");
    world.edit("b\n");
    hears(&world, "two");
    hears(&world, "three");
    let conversations = |world: &World| {
        let json = serde_json::to_value(world.head().as_ref()).unwrap();
        json["conversations"].as_object().unwrap().keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(conversations(&world), ["three", "two"]);
    assert_eq!(hears(&world, "one").and_then(|changes| changes.whole).as_deref(), Some("b\n"));
    // Who holds the lease stays.
    world.check_out("one");
    world.ask("one", Read::new(world.head().lock().lease().map(|lease| lease.id)));
    world.ask("four", Forget);
    world.ask("five", Forget);
    assert_eq!(conversations(&world), ["five", "one"]);
}

#[derive(Debug, Clone)]
enum Act {
    Edit(prop::sample::Index),
    Write(usize, prop::sample::Index),
    Undo,
    Redo,
    Forget(usize),
    Hear(usize),
    ReadAll(usize),
    End(usize),
}

const WHO: [&str; 3] = ["one", "two", "three"];

fn act() -> impl Strategy<Value = Act> {
    let (at, who) = (any::<prop::sample::Index>(), 0..WHO.len());
    prop_oneof![
        3 => at.clone().prop_map(Act::Edit),
        3 => (who.clone(), at).prop_map(|(who, at)| Act::Write(who, at)),
        1 => Just(Act::Undo),
        1 => Just(Act::Redo),
        1 => who.clone().prop_map(Act::Forget),
        3 => who.clone().prop_map(Act::Hear),
        1 => who.clone().prop_map(Act::ReadAll),
        2 => who.prop_map(Act::End),
    ]
}

proptest! {
    /// First snapshot + hidden diffs = the text, for every conversation, at every message and every end of a turn.
    #[test]
    fn messages_add_up_to_the_text(
        acts in prop::collection::vec(act(), 1..30),
        conversations in 1..4usize,
        sync_diff_bytes in prop_oneof![Just(0), Just(60), Just(1 << 20)],
    ) {
        let first = "1\n2\n3\n4\n5\n";
        let policy = Policy { sync: SyncLimits { conversations, diff_bytes: sync_diff_bytes, ..Default::default() }, ..Policy::default() };
        let world = World::empty(policy);
        block_on(world.engine.create(&world.canvas, first, &key("one", 0, "create"), world.now())).unwrap();
        let mut pictures: BTreeMap<&str, Option<String>> = WHO.map(|who| (who, (who == "one").then(|| first.to_owned()))).into();
        for (number, act) in acts.iter().enumerate() {
            let text = world.text();
            let changed = |at: &prop::sample::Index| {
                let mut lines: Vec<_> = text.split_inclusive('\n').map(str::to_owned).collect();
                lines.insert(at.index(lines.len() + 1), format!("line {number}\n"));
                lines.concat()
            };
            let (who, outcome) = match act {
                Act::Edit(at) => (None, world.edit(&changed(at))),
                Act::Write(who, at) => {
                    let patch = canvas_core::text::build(&text, &changed(at), 3);
                    let lease = world.check_out(WHO[*who]);
                    world.ask(WHO[*who], Read::new(Some(lease)));
                    let done = world.ask(WHO[*who], ApplyPatch { lease: Some(lease), patch, base: None, scope: None, shown: None });
                    prop_assert_eq!(code(&done), "OK");
                    world.ask(WHO[*who], CheckIn { lease: Some(lease) });
                    continue;
                }
                Act::Undo => (None, world.ask("user", Undo { by: Author::User, what: UndoScope::Steps(NonZeroU32::MIN) })),
                Act::Redo => (None, world.ask("user", Redo { by: Author::User, steps: NonZeroU32::MIN })),
                Act::Forget(who) => {
                    pictures.insert(WHO[*who], None);
                    (None, world.ask(WHO[*who], Forget))
                }
                Act::ReadAll(who) => {
                    let who = WHO[*who];
                    let head = serde_json::to_value(world.head().as_ref()).unwrap();
                    let is_new = head["conversations"][who].is_null() && who == "one";
                    if head["conversations"][who]["synced"].is_null() && head["gave_up"].is_null() && !is_new {
                        // Who knows an older text, or may know one, still gets the changes since.
                        pictures.insert(who, Some(text));
                    }
                    let (lease, shown) = (Some(world.check_out(who)), Shown { lines: usize::MAX, bytes: usize::MAX });
                    world.ask(who, Read { lease, shown });
                    world.ask(who, CheckIn { lease });
                    continue;
                }
                Act::Hear(who) => (Some(WHO[*who]), world.ask(WHO[*who], SendMessage)),
                Act::End(who) => (Some(WHO[*who]), world.ask(WHO[*who], end_turn(world.head().turn_start()))),
            };
            let Some(who) = who else { continue };
            let picture = pictures[who].clone();
            let picture = match reported(outcome) {
                Some(changes) => after(picture.as_deref().unwrap_or("nothing is known"), &changes),
                None => picture.expect("who knows nothing gets something"),
            };
            prop_assert_eq!(&picture, &world.text(), "{}", who);
            pictures.insert(who, Some(picture));
        }
    }
}
