//! What was done is listed, undone and redone.

use std::num::NonZeroU32;

use canvas_core::document::{ApplyPatch, DocumentStep, Read};
use canvas_core::history::{
    ChangeNumber, ClearHistory, Entry, EntryKind, EntryNumber, HistoryEntry, HistoryMove, Redo, Step, Undo,
    UndoScope,
};
use canvas_core::lease::{CheckIn, LeaseId};
use canvas_core::policy::{DocumentLimits, HistoryLimits};
use canvas_core::store::Head;
use canvas_core::testing::block_on;
use canvas_core::turn::SendMessage;
use canvas_core::{Author, Blob, CodedError as _, CollectOptions, Policy, Revision, Role};
use proptest::prelude::*;

use crate::document::any::{Call, Outcome, code, dynamic};
use crate::document::world::{World, key};
use crate::policy_with;

const USER: Author = Author::User;

fn steps(steps: u32) -> UndoScope {
    UndoScope::Steps(NonZeroU32::new(steps).expect("tests take steps"))
}

fn undo(world: &World, by: Author, what: UndoScope) -> Outcome {
    world.ask("model", Undo { by, what })
}

fn redo(world: &World, by: Author, steps: u32) -> Outcome {
    world.ask("model", Redo { by, steps: NonZeroU32::new(steps).expect("tests take steps") })
}

fn of(author: Role) -> UndoScope {
    UndoScope::Author { author, since: None }
}

fn model(lease: LeaseId) -> Author {
    Author::Assistant { lease: Some(lease) }
}

fn entries(world: &World) -> Vec<Entry> {
    let mut entries = block_on(world.engine.history(&world.canvas, None, usize::MAX, world.now())).unwrap();
    entries.reverse();
    entries
}

/// One act a line: `edit:text`, `write:patch`, `undo:2`, `redo:1`, `to:1`, `change:3`, `user`, `assistant`, `clear`; and
/// what it answers, and the text after it.
#[track_caller]
fn play(acts: &[(&str, &str, &str)]) -> World {
    let world = World::new("a\nb\nc\n");
    for (number, (act, answer, text)) in acts.iter().enumerate() {
        let (what, how) = act.split_once(':').unwrap_or((act, "1"));
        let count = || how.parse().unwrap();
        let outcome = match what {
            "edit" => world.edit(how),
            "write" => {
                let lease = world.check_out("model");
                world.ask("model", Read::new(Some(lease)));
                let done = world.write("model", lease, how);
                world.ask("model", CheckIn { lease: Some(lease) });
                done
            }
            "undo" => undo(&world, USER, steps(count())),
            "redo" => redo(&world, USER, count()),
            "to" => undo(&world, USER, UndoScope::To(ChangeNumber::new(count().into()))),
            "change" => undo(&world, USER, UndoScope::Change(ChangeNumber::new(how.parse().unwrap()))),
            "user" => undo(&world, USER, of(Role::User)),
            "assistant" => undo(&world, USER, of(Role::Assistant)),
            "clear" => world.ask("user", ClearHistory),
            other => panic!("{other}"),
        };
        assert_eq!(code(&outcome), *answer, "{number}: {act}");
        assert_eq!(world.text(), *text, "{number}: {act}");
        let replay = block_on(world.engine.replay(&world.canvas, world.now())).unwrap();
        assert_eq!(replay.tree, world.head().draft().hash(), "{number}: {act}");
    }
    world
}

#[test]
fn changes_go_down_to_one() {
    play(&[
        ("to:1", "HISTORY_NOT_FOUND", "a\nb\nc\n"),
        ("edit:a\nb\nx\n", "OK", "a\nb\nx\n"),
        ("write:a>y", "OK", "y\nb\nx\n"),
        ("write:b>>z", "OK", "y\nb\nz\nx\n"),
        ("to:4", "HISTORY_NOT_FOUND", "y\nb\nz\nx\n"),
        ("to:2", "OK", "a\nb\nx\n"),
        ("to:2", "HISTORY_NOT_FOUND", "a\nb\nx\n"),
        // Each was taken back by itself, and done again keeps its number.
        ("redo:2", "OK", "y\nb\nz\nx\n"),
        ("to:3", "OK", "y\nb\nx\n"),
        ("to:1", "OK", "a\nb\nc\n"),
        ("redo:3", "OK", "y\nb\nz\nx\n"),
    ]);
    let world = World::with("0\n", policy_with(|policy| policy.history.reach = 2));
    (1..=3).for_each(|n| drop(world.edit(&format!("{n}\n"))));
    assert_eq!(code(&undo(&world, USER, UndoScope::To(ChangeNumber::new(1)))), "HISTORY_TOO_DEEP");
    assert_eq!(code(&undo(&world, USER, UndoScope::To(ChangeNumber::new(2)))), "OK");
    assert_eq!(world.text(), "1\n");
}

#[test]
fn steps_go_back_and_forth() {
    play(&[
        ("undo", "HISTORY_EMPTY", "a\nb\nc\n"),
        ("redo", "HISTORY_EMPTY", "a\nb\nc\n"),
        ("edit:a\nb\nx\n", "OK", "a\nb\nx\n"),
        ("write:a>y", "OK", "y\nb\nx\n"),
        ("write:b>>z", "OK", "y\nb\nz\nx\n"),
        ("undo", "OK", "y\nb\nx\n"),
        ("undo:2", "OK", "a\nb\nc\n"),
        ("undo", "HISTORY_EMPTY", "a\nb\nc\n"),
        ("redo:2", "OK", "y\nb\nx\n"),
        ("redo:2", "HISTORY_EMPTY", "y\nb\nx\n"),
        ("redo", "OK", "y\nb\nz\nx\n"),
        ("undo:4", "HISTORY_EMPTY", "y\nb\nz\nx\n"),
        ("undo:257", "HISTORY_TOO_DEEP", "y\nb\nz\nx\n"),
        ("undo", "OK", "y\nb\nx\n"),
        // A new edit: what was undone is gone.
        ("edit:new\n", "OK", "new\n"),
        ("redo", "HISTORY_EMPTY", "new\n"),
        ("undo:3", "OK", "a\nb\nc\n"),
        ("clear", "OK", "a\nb\nc\n"),
        ("redo", "HISTORY_EMPTY", "a\nb\nc\n"),
    ]);
}

#[test]
fn one_change_or_one_author_goes_back_from_under_the_others() {
    // 1 user, 2 assistant, 3 user.
    let three = [
        ("edit:a\nb\nc\nmine\n", "OK", "a\nb\nc\nmine\n"),
        ("write:a>theirs", "OK", "theirs\nb\nc\nmine\n"),
        ("edit:theirs\nb\nB\nc\nmine\n", "OK", "theirs\nb\nB\nc\nmine\n"),
    ];
    for more in [
        &[
            ("assistant", "OK", "a\nb\nB\nc\nmine\n"),
            // Nothing of it is left.
            ("assistant", "HISTORY_EMPTY", "a\nb\nB\nc\nmine\n"),
            ("change:2", "HISTORY_NOT_FOUND", "a\nb\nB\nc\nmine\n"),
            // Undo treats it as a change like any other.
            ("undo", "OK", "theirs\nb\nB\nc\nmine\n"),
            ("redo", "OK", "a\nb\nB\nc\nmine\n"),
            ("assistant", "HISTORY_EMPTY", "a\nb\nB\nc\nmine\n"),
            ("undo:2", "OK", "theirs\nb\nc\nmine\n"),
            ("assistant", "OK", "a\nb\nc\nmine\n"),
        ][..],
        &[
            ("change:1", "OK", "theirs\nb\nB\nc\n"),
            ("user", "OK", "theirs\nb\nc\n"),
            ("user", "HISTORY_EMPTY", "theirs\nb\nc\n"),
            ("undo:2", "OK", "theirs\nb\nB\nc\nmine\n"),
            ("user", "OK", "theirs\nb\nc\n"),
        ],
        &[
            // Done again, it is still the assistant's.
            ("undo:2", "OK", "a\nb\nc\nmine\n"),
            ("redo:2", "OK", "theirs\nb\nB\nc\nmine\n"),
            ("change:2", "OK", "a\nb\nB\nc\nmine\n"),
        ],
        &[
            // The user changes the very line.
            ("edit:theirs!\nb\nB\nc\nmine\n", "OK", "theirs!\nb\nB\nc\nmine\n"),
            ("assistant", "HISTORY_CONFLICT", "theirs!\nb\nB\nc\nmine\n"),
            ("change:4", "OK", "theirs\nb\nB\nc\nmine\n"),
            // The undoing of 4 and 4 cancel out.
            ("assistant", "OK", "a\nb\nB\nc\nmine\n"),
        ],
    ] {
        play(&[&three, more].concat());
    }
}

/// A revert is a change like any other: undo restores what it reverted, and redo reverts that again.
#[test]
fn stacks_list_a_revert_in_place_of_the_changes_that_it_reverted() {
    let world = World::new("a\nb\n");
    let check = |answer: Outcome, on_undo: &[u64], on_redo: &[u64], text: &str| {
        assert_eq!((code(&answer).as_str(), world.text().as_str()), ("OK", text));
        let stacks = block_on(world.engine.stacks(&world.canvas, None, 9, world.now())).unwrap();
        let numbers = |entries: &[Entry]| entries.iter().map(|entry| entry.number.get()).collect::<Vec<_>>();
        assert_eq!((&numbers(&stacks.undo)[..], &numbers(&stacks.redo)[..]), (on_undo, on_redo), "{text:?}");
    };
    check(world.edit("A\nb\n"), &[1], &[], "A\nb\n");
    check(world.edit("A\nB\n"), &[2, 1], &[], "A\nB\n");
    check(undo(&world, USER, UndoScope::Change(ChangeNumber::new(1))), &[3, 2], &[], "a\nB\n");
    check(undo(&world, USER, steps(1)), &[2, 1], &[4], "A\nB\n");
    check(redo(&world, USER, 1), &[5, 2], &[], "a\nB\n");
}

/// A user's undo is an edit: it ends the lease. A model's needs it.
#[test]
fn a_users_undo_preempts_and_a_models_stands_under_the_lease() {
    let world = World::new("a\n");
    let lease = world.check_out("model");
    assert_eq!(code(&world.write("model", lease, "a>b")), "OK");
    assert_eq!(code(&undo(&world, model(lease), steps(1))), "OK");
    assert_eq!(world.text(), "a\n");
    assert_eq!(code(&redo(&world, model(lease), 1)), "OK");
    // It knows what it has done: no diff is owed.
    assert_eq!(code(&world.write("model", lease, "b>c")), "OK");
    let refused = undo(&world, USER, steps(3));
    assert_eq!(code(&refused), "HISTORY_EMPTY");
    assert_eq!(world.head().lock().epoch().get(), 0, "a refused undo ends no lease");
    assert_eq!(code(&undo(&world, USER, steps(1))), "OK");
    assert_eq!(world.head().lock().epoch().get(), 1);
    assert_eq!(code(&world.write("model", lease, "b>d")), "STALE_EPOCH");
    assert_eq!(code(&undo(&world, model(lease), steps(1))), "STALE_EPOCH");
    assert_eq!(code(&undo(&world, Author::Assistant { lease: None }, steps(1))), "LOCK_NOT_OWNED");
    // The user has acted in this turn, so the model takes nothing back, whoever's it is.
    let lease = world.check_out("model");
    assert_eq!(code(&undo(&world, model(lease), of(Role::Assistant))), "USER_ACTED");
    assert_eq!(code(&redo(&world, model(lease), 1)), "USER_ACTED");
    world.ask("model", SendMessage);
    let lease = world.check_out("model");
    assert_eq!(code(&undo(&world, model(lease), of(Role::Assistant))), "OK");
    assert_eq!(world.text(), "a\n");
}

#[test]
fn entries_tell_what_happened() {
    let world = play(&[
        ("edit:a\nb\nx\n", "OK", "a\nb\nx\n"),
        ("write:a>y", "OK", "y\nb\nx\n"),
        ("undo", "OK", "a\nb\nx\n"),
        ("redo", "OK", "y\nb\nx\n"),
        ("change:1", "OK", "y\nb\nc\n"),
    ]);
    let entries = entries(&world);
    let reported: Vec<_> = entries
        .iter()
        .map(|e| {
            (
                e.number.get(),
                e.change.get(),
                e.kind,
                e.actor,
                e.author,
                e.revision_before.get(),
                e.summary.as_str(),
            )
        })
        .collect();
    let (user, assistant) = (Role::User, Role::Assistant);
    assert_eq!(
        reported,
        [
            (1, 1, EntryKind::Edit, user, user, 1, "+1 −1, 1 hunk"),
            (2, 2, EntryKind::Edit, assistant, assistant, 2, "+1 −1, 1 hunk"),
            (3, 2, EntryKind::Undo, user, assistant, 3, "+1 −1, 1 hunk"),
            (4, 2, EntryKind::Redo, user, assistant, 4, "+1 −1, 1 hunk"),
            (5, 5, EntryKind::Revert, user, user, 5, "took back 1 change"),
        ]
    );
    assert_eq!(
        entries[4].reverts.as_ref().map(|reverts| reverts.changes.clone()),
        Some(vec![ChangeNumber::new(1)])
    );
    assert!(entries.windows(2).all(|pair| pair[0].revision_after == pair[1].revision_before));
    assert_eq!(entries[4].revision_after, world.head().revision());
    assert_eq!(entries[1].at, world.clock.get());
    // What comes next is named only where it is another than the one before.
    let below = |entry: &Entry| serde_json::to_value(entry).unwrap().get("below").is_some();
    assert_eq!(entries.iter().map(below).collect::<Vec<_>>(), [false, false, true, true, false]);
    let page = |before: u64, limit| {
        let before = (before > 0).then(|| EntryNumber::new(before));
        let page = block_on(world.engine.history(&world.canvas, before, limit, world.now())).unwrap();
        page.iter().map(|entry| entry.number.get()).collect::<Vec<_>>()
    };
    assert_eq!((page(0, 2), page(4, 2), page(1, 9)), (vec![5, 4], vec![3, 2], vec![]));
}

#[test]
fn a_retry_of_an_undo_is_answered_and_not_done_again() {
    let world = World::new("a\n");
    world.edit("b\n");
    world.edit("c\n");
    let call = world.fresh("user", Undo { by: USER, what: steps(1) });
    let first = world.run(&call);
    let again = world.run(&call);
    assert_eq!((again.replayed, &again.outcome), (true, &first.outcome));
    assert_eq!(world.text(), "b\n");
    let Outcome::Moved(HistoryMove { entries, revision, .. }) = first.outcome else {
        panic!("{:?}", first.outcome)
    };
    let [HistoryEntry { number, change, .. }] = entries.as_slice() else { panic!("{entries:?}") };
    assert_eq!((number.get(), change.get(), revision.revision().get()), (3, 2, 4));
    let other = dynamic(Undo { by: USER, what: steps(2) });
    assert_eq!(code(&world.run(&Call { command: other, ..call }).outcome), "CALL_ID_REUSED");
}

/// Edits that are larger than an entry keep both documents.
#[test]
fn a_large_edit_goes_back_as_a_whole() {
    let world = World::with("a\n", policy_with(|policy| policy.history.entry_bytes = 8));
    world.edit("a\nb\n");
    world.edit("something longer\n");
    world.edit("something longer\nc\n");
    assert_eq!(code(&undo(&world, USER, UndoScope::Change(ChangeNumber::new(1)))), "HISTORY_CONFLICT");
    assert_eq!(code(&undo(&world, USER, UndoScope::Change(ChangeNumber::new(3)))), "OK");
    assert_eq!(code(&undo(&world, USER, steps(2))), "OK");
    assert_eq!(world.text(), "something longer\n");
    assert_eq!(code(&undo(&world, USER, steps(2))), "OK");
    assert_eq!(world.text(), "a\n");
    assert_eq!(code(&redo(&world, USER, 2)), "OK");
    assert_eq!(world.text(), "something longer\n");
    let whole = |entry: &Entry| matches!(entry.step, Step::Document(DocumentStep { delta: None, .. }));
    assert_eq!(entries(&world).into_iter().filter(whole).count(), 3);
    block_on(world.engine.replay(&world.canvas, world.now())).unwrap();
}

/// The oldest entries are forgotten first; without a journal nothing is kept at all.
#[test]
fn the_history_is_bounded() {
    let world = World::with("0\n", policy_with(|policy| policy.history.changes = 3));
    (1..=5).for_each(|n| drop(world.edit(&format!("{n}\n"))));
    assert_eq!(entries(&world).iter().map(|entry| entry.number.get()).collect::<Vec<_>>(), [3, 4, 5]);
    assert_eq!(code(&undo(&world, USER, steps(4))), "HISTORY_EMPTY");
    assert_eq!(code(&undo(&world, USER, UndoScope::Change(ChangeNumber::new(2)))), "HISTORY_NOT_FOUND");
    assert_eq!(code(&undo(&world, USER, steps(1))), "OK");
    // The undoing is an entry too.
    assert_eq!(code(&undo(&world, USER, steps(1))), "OK");
    assert_eq!(code(&undo(&world, USER, steps(1))), "HISTORY_EMPTY");
    assert_eq!(world.text(), "3\n");

    let world = World::with("0\n", policy_with(|policy| policy.history.changes = 0));
    world.edit("1\n");
    assert_eq!(code(&undo(&world, USER, steps(1))), "HISTORY_EMPTY");
    assert_eq!(entries(&world), []);
}

/// A policy is not stored: a server with a lower one sees less, and only a collection, or no journal at all, drops it.
#[test]
fn a_lower_policy_hides_and_a_collection_drops() {
    let world = World::with("0\n", Policy::default());
    (1..=5).for_each(|n| drop(world.edit(&format!("{n}\n"))));
    let lower = Policy {
        history: HistoryLimits { changes: 2, ..Default::default() },
        document: DocumentLimits { bytes: 1, ..Default::default() },
        ..Policy::default()
    };
    let peer = world.peer_with(lower);
    let numbers = |world: &World| entries(world).iter().map(|entry| entry.number.get()).collect::<Vec<_>>();
    assert_eq!((numbers(&peer), peer.text().as_str()), (vec![4, 5], "5\n"));
    assert_eq!(
        (code(&peer.edit("6\n")).as_str(), code(&peer.edit("")).as_str()),
        ("DOCUMENT_TOO_LARGE", "OK")
    );
    assert_eq!((numbers(&peer), numbers(&world)), (vec![5, 6], vec![1, 2, 3, 4, 5, 6]));
    block_on(peer.engine.collect(&peer.canvas, CollectOptions::default())).unwrap();
    assert_eq!(numbers(&world), [5, 6]);
    world.peer_with(policy_with(|policy| policy.history.changes = 0)).edit("7\n");
    assert_eq!(numbers(&world), Vec::<u64>::new());
}

/// A deleted canvas that is made again has another past; numbers go on.
#[test]
fn a_deleted_canvas_has_no_history() {
    let world = World::new("a\n");
    world.edit("b\n");
    world.delete("delete").unwrap();
    block_on(world.engine.create(&world.canvas, "new\n", &key("host", 0, "again"), world.now())).unwrap();
    assert_eq!(code(&undo(&world, USER, steps(1))), "HISTORY_EMPTY");
    world.edit("newer\n");
    assert_eq!(entries(&world).iter().map(|entry| entry.number.get()).collect::<Vec<_>>(), [2]);
}

/// What is in use is what undo needs: without the rest of the store it still goes all the way back.
#[test]
fn blobs_in_use_are_all_that_undo_needs() {
    let world = World::with(
        "a\n",
        Policy {
            history: HistoryLimits { entry_bytes: 8, changes: 4, ..Default::default() },
            ..Policy::default()
        },
    );
    for text in ["b\n", "a text too long for an entry\n", "c\n", "d\n", "e\n"] {
        world.edit(text);
    }
    let in_use = block_on(world.engine.blobs_in_use(&world.canvas, world.now())).unwrap();
    for entry in entries(&world) {
        let json = serde_json::to_string(&entry).unwrap();
        assert!(in_use.contains(&Blob::text(json).id()), "entry {}", entry.number);
    }
    assert!(in_use.contains(&Blob::text("a text too long for an entry\n".into()).id()));
    assert!(!in_use.contains(&Blob::text("d\n".into()).id()), "an entry has what it changed");
    assert!(in_use.is_sorted() && in_use.windows(2).all(|pair| pair[0] != pair[1]));
}

/// What a store has lost or altered is found out, and nothing is done.
#[test]
fn damage_is_found_out() {
    let damaged = |damage: &dyn Fn(&mut Entry)| {
        let world = World::new("a\nb\n");
        world.edit("a\nc\n");
        world.edit("x\nc\n");
        let mut entry = entries(&world).remove(1);
        damage(&mut entry);
        let json = serde_json::to_string(&entry).unwrap();
        put_entry(&world, &json);
        world
    };
    let shift = |entry: &mut Entry| {
        let json = serde_json::to_value(&*entry).unwrap().to_string();
        *entry = serde_json::from_str(&json.replace("\"at\":0", "\"at\":1")).unwrap();
    };
    let other_text = |entry: &mut Entry| {
        let json = serde_json::to_value(&*entry).unwrap().to_string();
        *entry = serde_json::from_str(&json.replace("\"old\":\"a", "\"old\":\"z")).unwrap();
    };
    for damage in [&shift as &dyn Fn(&mut Entry), &other_text] {
        let world = damaged(damage);
        assert_eq!(code(&undo(&world, USER, steps(1))), "HISTORY_DAMAGED");
        assert_eq!(world.text(), "x\nc\n");
        let replay = block_on(world.engine.replay(&world.canvas, world.now())).unwrap_err();
        assert_eq!(replay.code(), "CANVAS_DAMAGED");
    }
    // Each step leads where it says, but the last one not to the document.
    let world = damaged(&|entry| {
        let Step::Document(DocumentStep { before, after, delta, .. }) = &mut entry.step else {
            panic!("it is the document's")
        };
        (*after, *delta) = (*before, None);
    });
    let replay = block_on(world.engine.replay(&world.canvas, world.now())).unwrap_err();
    assert_eq!(replay.code(), "CANVAS_DAMAGED");
    let world = damaged(&|_| ());
    put_entry(&world, "no entry at all");
    assert_eq!(code(&undo(&world, USER, steps(1))), "HISTORY_DAMAGED");
    assert_eq!(code(&undo(&world, USER, of(Role::User))), "HISTORY_DAMAGED");
    // A way out that the refusal names.
    assert_eq!(code(&world.ask("user", ClearHistory)), "OK");
    assert_eq!(code(&undo(&world, USER, steps(1))), "HISTORY_EMPTY");

    let world = damaged(&|_| ());
    let head = world.altered("/journal/undo", serde_json::json!(Blob::text("gone".into()).id())).unwrap();
    world.put(head);
    let call = world.fresh("user", Undo { by: USER, what: steps(1) });
    assert_eq!(world.try_run(&call).unwrap_err().code(), "CANVAS_DAMAGED");
    assert_eq!(world.text(), "x\nc\n");
}

/// Puts other bytes in the place of the last entry.
fn put_entry(world: &World, json: &str) {
    let blob = Blob::text(json.to_owned());
    let mut value = serde_json::to_value(world.head().as_ref()).unwrap();
    for field in ["last", "undo"] {
        value["journal"][field] = serde_json::json!(blob.id());
    }
    let head: Head = serde_json::from_value(value).unwrap();
    world.put_with(head, vec![blob]);
}

/// What one of two does.
#[derive(Debug, Clone)]
enum Act {
    /// Puts a line of its own after a line.
    Insert(Role, prop::sample::Index),
    Remove(Role, prop::sample::Index),
    Undo(u32),
    Redo(u32),
    Change(prop::sample::Index),
    Author(Role),
}

fn act() -> impl Strategy<Value = Act> {
    let who = prop_oneof![Just(Role::User), Just(Role::Assistant)];
    let at = any::<prop::sample::Index>();
    prop_oneof![
        4 => (who.clone(), at.clone()).prop_map(|(who, at)| Act::Insert(who, at)),
        2 => (who.clone(), at.clone()).prop_map(|(who, at)| Act::Remove(who, at)),
        2 => (1..3u32).prop_map(Act::Undo),
        2 => (1..3u32).prop_map(Act::Redo),
        1 => at.prop_map(Act::Change),
        1 => who.prop_map(Act::Author),
    ]
}

struct Pair {
    world: World,
    lines: usize,
    /// A change was taken back from under others: a line may now be there by the doing of one who has not written it.
    reverted: bool,
}

impl Pair {
    fn new() -> Self {
        Self { world: World::new("1\n2\n3\n4\n5\n6\n"), lines: 0, reverted: false }
    }

    fn become_text(&self, who: Role, text: String) {
        match who {
            Role::User => drop(self.world.edit(&text)),
            Role::Assistant => {
                let patch = canvas_core::text::build(&self.world.text(), &text, 3);
                let lease = self.world.check_out("model");
                self.world.ask("model", Read::new(Some(lease)));
                self.world.ask(
                    "model",
                    ApplyPatch { lease: Some(lease), patch, base: None, scope: None, shown: None },
                );
                self.world.ask("model", CheckIn { lease: Some(lease) });
            }
        }
    }

    fn act(&mut self, act: &Act) {
        let text = self.world.text();
        let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        match act {
            Act::Insert(who, at) => {
                self.lines += 1;
                let mark = if *who == Role::User { "user" } else { "assistant" };
                lines.insert(at.index(lines.len() + 1), format!("{mark} {}\n", self.lines));
                self.become_text(*who, lines.concat());
            }
            Act::Remove(who, at) if !lines.is_empty() => {
                lines.remove(at.index(lines.len()));
                self.become_text(*who, lines.concat());
            }
            Act::Remove(..) => {}
            Act::Undo(count) => drop(undo(&self.world, USER, steps(*count))),
            Act::Redo(count) => drop(redo(&self.world, USER, *count)),
            Act::Change(at) => {
                let entries = self.world.head().journal().entries;
                if entries > 0 {
                    let change = at.index(usize::try_from(entries).unwrap()) as u64 + 1;
                    undo(&self.world, USER, UndoScope::Change(ChangeNumber::new(change)));
                    self.reverted = true;
                }
            }
            Act::Author(author) => self.author(*author),
        }
    }

    /// Every line that one has written goes, every line of the other stays; or nothing happens.
    fn author(&mut self, author: Role) {
        let before = self.world.text();
        let outcome = undo(&self.world, USER, of(author));
        let after = self.world.text();
        if matches!(outcome, Outcome::Refused(_)) {
            assert_eq!(after, before);
            return;
        }
        if std::mem::replace(&mut self.reverted, true) {
            return;
        }
        let other = if author == Role::User { "assistant " } else { "user " };
        let own = if author == Role::User { "user " } else { "assistant " };
        let of = |text: &str, mark: &str| {
            text.lines().filter(|line| line.starts_with(mark)).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(of(&after, own), Vec::<String>::new(), "{before:?}");
        let (was, is) = (of(&before, other), of(&after, other));
        assert!(was.iter().all(|line| is.contains(line)), "{before:?} {after:?}");
    }
}

proptest! {
    #[test]
    fn all_undone_and_all_done_again_is_byte_equal(acts in prop::collection::vec(act(), 0..24)) {
        let mut pair = Pair::new();
        acts.iter().for_each(|act| pair.act(act));
        let world = &pair.world;
        let text = world.text();
        let mut texts = vec![text.clone()];
        while code(&undo(world, USER, steps(1))) == "OK" {
            texts.push(world.text());
        }
        prop_assert_eq!(world.text(), "1\n2\n3\n4\n5\n6\n");
        texts.pop();
        while let Some(expected) = texts.pop() {
            prop_assert_eq!(code(&redo(world, USER, 1)), "OK");
            prop_assert_eq!(world.text(), expected);
        }
        prop_assert_eq!(world.text(), text);
        let entries = entries(world);
        let replay = block_on(world.engine.replay(&world.canvas, world.now())).unwrap();
        prop_assert_eq!((replay.entries, replay.tree), (entries.len(), world.head().draft().hash()));
        prop_assert!(entries.iter().zip(1..).all(|(entry, number)| entry.number.get() == number));
        prop_assert_eq!(entries.last().map_or(Revision::new(1), |last| Ok(last.revision_after)), Ok(world.head().revision()));
    }
}
