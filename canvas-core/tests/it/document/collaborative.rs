//! A canvas on which each conversation has a turn of its own.

use std::num::NonZeroU32;

use canvas_core::document::{
    ApplyEdits, ApplyPatch, Edit, RangeHash, Read, ReplaceLines, Replacement, ShownLines,
};
use canvas_core::history::{ChangeNumber, Undo, UndoScope};
use canvas_core::lease::{CheckIn, CheckOut, LeaseId, Renew};
use canvas_core::store::Head;
use canvas_core::text::{Delta, LineRange, RepairKind};
use canvas_core::turn::{Cancel, EndTurn, Promotion, SendMessage, SetWorkMode, TakeControl, WorkMode};
use canvas_core::{Author, BlobId, ConversationId, OpKey, Policy, Revision};

use super::any::{Call, Command, Outcome, code, dynamic};
use super::world::{World, key, patch};

/// Lines that no context repeats.
const TEXT: &str = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n";

fn conversation(name: &str) -> ConversationId {
    ConversationId::new(name).unwrap()
}

/// A canvas on which two conversations have turns of their own.
fn two() -> World {
    let world = World::new(TEXT);
    set(&world, WorkMode::Collaborative);
    for who in ["x", "y"] {
        assert_eq!(code(&world.ask(who, SendMessage)), "OK");
    }
    world
}

fn set(world: &World, mode: WorkMode) {
    assert_eq!(code(&world.ask("host", SetWorkMode { mode })), "OK");
}

/// A new call in the conversation's own turn.
fn fresh(world: &World, who: &str, command: impl Into<Command>) -> Call {
    let turn = world.head().lock_of(&conversation(who)).turn();
    let Call { operation, command } = world.fresh(who, command);
    Call { operation: OpKey { turn, ..operation }, command }
}

#[track_caller]
fn ask(world: &World, who: &str, command: impl Into<Command>) -> Outcome {
    world.run(&fresh(world, who, command)).outcome
}

fn change(lease: Option<LeaseId>, patch: &str) -> Command {
    dynamic(ApplyPatch { lease, patch: patch.to_owned(), base: None, scope: None, shown: None })
}

fn write(line: &str) -> Command {
    change(None, &patch(line))
}

fn counters(head: &Head, who: &str) -> [u64; 2] {
    let lock = head.lock_of(&conversation(who));
    [lock.epoch().get(), lock.turn().get()]
}

#[test]
fn a_message_begins_the_turn_of_its_own_conversation_alone() {
    let world = two();
    let before = counters(&world.head(), "y");
    for command in [dynamic(SendMessage), dynamic(Cancel), dynamic(SendMessage)] {
        let own = counters(&world.head(), "x");
        ask(&world, "x", command);
        assert!(own[0] < counters(&world.head(), "x")[0]);
        assert_eq!(counters(&world.head(), "y"), before);
        assert_eq!(code(&ask(&world, "y", Read::new(None))), "OK");
    }
    assert_eq!(code(&ask(&world, "y", write("b>B"))), "OK");
    ask(&world, "x", Cancel);
    assert_eq!(code(&ask(&world, "x", write("c>C"))), "LOCK_NOT_AVAILABLE/USER_ACTIVE");
    assert_eq!(code(&ask(&world, "y", write("d>D"))), "OK");
    assert_eq!(
        code(&ask(&world, "z", write("e>E"))),
        "LOCK_NOT_AVAILABLE/USER_ACTIVE",
        "it had no message yet"
    );
    assert_eq!(world.text(), TEXT.replace('b', "B").replace('d', "D"));
}

#[test]
fn a_call_of_an_earlier_turn_is_refused() {
    let world = two();
    let late = fresh(&world, "x", write("b>B"));
    ask(&world, "x", SendMessage);
    assert_eq!(code(&world.run(&late).outcome), "LOCK_NOT_AVAILABLE/USER_ACTIVE");
    let Outcome::CheckedOut(out) = ask(&world, "x", CheckOut) else { panic!("nobody else waits for it") };
    ask(&world, "x", SendMessage);
    assert_eq!(code(&ask(&world, "x", change(Some(out.lease), &patch("b>B")))), "STALE_EPOCH");
}

#[test]
fn each_conversation_has_a_lease_that_nobody_waits_for() {
    let world = two();
    let leases = ["x", "y"].map(|who| match ask(&world, who, CheckOut) {
        Outcome::CheckedOut(out) => out.lease,
        other => panic!("{who}: {other:?}"),
    });
    for (who, lease, line) in [("x", leases[0], "b>B"), ("y", leases[1], "d>D"), ("x", leases[0], "f>F")] {
        assert_eq!(code(&ask(&world, who, change(Some(lease), &patch(line)))), "OK");
    }
    assert_eq!(code(&world.edit(&world.text().replace('h', "H"))), "OK");
    assert_eq!(code(&ask(&world, "x", Renew { lease: Some(leases[0]) })), "OK", "an edit ends no lease");
    // A turn that needs no lease outlives one.
    world.clock.wait(60_000);
    assert_eq!(code(&ask(&world, "y", change(Some(leases[1]), &patch("j>J")))), "OK");
    assert_eq!(code(&ask(&world, "y", Read::new(Some(leases[1])))), "OK");
    assert_eq!(code(&ask(&world, "x", CheckIn { lease: Some(leases[0]) })), "OK");
    assert!(!world.head().lock().is_turn_open() && world.head().lock().lease().is_none());
}

#[test]
fn a_patch_moves_past_changes_that_touch_no_line_that_it_quotes() {
    for (edited, patch, expected) in [
        ("0\n{}", "@@\n a\n-b\n+B\n c\n", "OK"),
        ("{d>D}", "@@\n a\n-b\n+B\n c\n", "OK"),
        ("{d>D}", "@@\n a\n-b\n+B\n c\n d\n", "PATCH_REJECTED/STALE_BASE"),
        ("{a>A}", "@@\n a\n-b\n+B\n c\n", "PATCH_REJECTED/STALE_BASE"),
        ("{b>b2}", "@@\n a\n-b\n+B\n c\n", "PATCH_REJECTED/STALE_BASE"),
        ("{b>b\n0}", "@@\n a\n-b\n+B\n c\n", "PATCH_REJECTED/STALE_BASE"),
        // Right at the border of the hunk.
        ("{c>c\n0}", "@@\n a\n-b\n+B\n c\n", "OK"),
        ("{d>0\nd}", "@@\n a\n-b\n+B\n c\n", "OK"),
        ("{d\n>}", "@@\n a\n-b\n+B\n c\n", "OK"),
        // The patch's lines now stand at two places, but only one of them is the one that its author saw.
        ("{}a\nb\nc\n0\n", "@@\n a\n-b\n+B\n c\n", "OK"),
        ("0\na\nb\nc\n{}", "@@\n a\n-b\n+B\n c\n", "OK"),
        ("{b>B}", "@@\n a\n-b\n+B\n c\n", "PATCH_REJECTED/STALE_BASE"),
    ] {
        let edit = |text: &str| match edited.split_once('{').unwrap() {
            (before, rest) if rest.starts_with('}') => format!("{before}{text}{}", &rest[1..]),
            (_, rest) => {
                let (old, new) = rest.strip_suffix('}').unwrap().split_once('>').unwrap();
                text.replacen(old, new, 1)
            }
        };
        let world = two();
        let base = world.snapshot().revision_id();
        world.edit(&edit(TEXT));
        for base in [None, Some(base.into())] {
            let (before, command) = (world.text(), change(None, patch));
            let Command::ApplyPatch(apply) = command else { unreachable!() };
            let outcome = ask(&world, "x", dynamic(ApplyPatch { base, ..apply }));
            assert_eq!(code(&outcome), expected, "{edited:?} {patch:?} {base:?}");
            if let Outcome::Applied(applied) = &outcome {
                assert_eq!(applied.repairs[0].kind, RepairKind::Rebased);
                assert!(applied.changes.as_ref().is_some_and(|changes| changes.diff.is_some()));
                assert_eq!(world.text(), edit(&TEXT.replace("a\nb\nc\n", "a\nB\nc\n")), "{edited:?}");
                break;
            }
            assert_eq!(world.text(), before);
        }
    }
}

#[test]
fn a_base_that_the_conversation_was_not_shown_is_refused() {
    let world = two();
    world.edit(&TEXT.replace('l', "L"));
    let unseen = world.snapshot().revision_id();
    world.edit(&TEXT.replace('l', "LL"));
    let at =
        |base| ApplyPatch { lease: None, patch: patch("b>B"), base: Some(base), scope: None, shown: None };
    assert_eq!(code(&ask(&world, "x", dynamic(at(unseen.into())))), "PATCH_REJECTED/STALE_BASE");
}

#[test]
fn numbered_lines_move_too_and_located_edits_do_not() {
    let world = two();
    let seen = world.snapshot();
    world.edit(&format!("0\n{TEXT}"));
    let at = |start, end, of: &str, text: &str| {
        let replacement = Replacement { start, end, expect: RangeHash::of(of), text: text.into() };
        dynamic(ReplaceLines { lease: None, replacements: vec![replacement], base: None, shown: None })
    };
    let insertion = code(&ask(&world, "y", at(3, 2, "b\n", "B\n")));
    assert_eq!(insertion, "PATCH_REJECTED/STALE_BASE", "others may have inserted there");
    let Outcome::Applied(applied) = ask(&world, "x", at(2, 2, "b\n", "B\n")) else { panic!() };
    assert!(applied.changes.is_some());
    assert_eq!(world.text(), format!("0\n{}", TEXT.replace('b', "B")));
    world.edit(&world.text().replace('d', "D"));
    assert_eq!(code(&ask(&world, "x", at(5, 5, "d\n", "X\n"))), "PATCH_REJECTED/STALE_BASE");

    let world = two();
    world.edit(&format!("0\n{TEXT}"));
    let delta = Delta::between(seen.text(), &seen.text().replacen('d', "D", 1));
    let request = BlobId::of(b"d>D");
    let edits = ApplyEdits { made_on: seen.revision_id(), delta, repairs: Vec::new(), request };
    assert_eq!(code(&ask(&world, "y", dynamic(edits))), "PATCH_REJECTED/STALE_BASE");
    assert_eq!(world.text(), format!("0\n{TEXT}"));
}

/// Lines that a conversation was shown by a read that leaves no trace.
fn shown(texts: &[(&World, (usize, usize))]) -> ShownLines {
    let mut shown = ShownLines::default();
    for (world, (start, end)) in texts {
        let head = world.head();
        shown.add(head.revision_id(), head.document(), LineRange { start: *start, end: *end });
    }
    shown
}

#[test]
fn a_patch_is_not_moved_to_a_line_that_its_author_did_not_mean() {
    // The author saw one `todo` with the message, and another in a section that it read later.
    let world = World::new("# A\n- todo\n# B\nb\n");
    set(&world, WorkMode::Collaborative);
    ask(&world, "x", SendMessage);
    world.edit("# A\n- todo\n# B\n- todo\nb\n");
    let of_section = shown(&[(&world, (3, 5))]);
    let patch = "@@ -4,1 +4,1 @@\n-- todo\n+- later\n".to_owned();
    let command = |shown| ApplyPatch { lease: None, patch: patch.clone(), base: None, scope: None, shown };
    let outcome = ask(&world, "x", dynamic(command(Some(of_section))));
    assert_eq!(code(&outcome), "PATCH_REJECTED/STALE_BASE");
    assert_eq!(world.text(), "# A\n- todo\n# B\n- todo\nb\n");

    // It saw a line in an older text, which has changed since, and an equal one is elsewhere.
    let world = World::new("# A\n- todo\n# B\n- todo\nb\n");
    set(&world, WorkMode::Collaborative);
    ask(&world, "x", SendMessage);
    let of_first = shown(&[(&world, (1, 2))]);
    world.edit("# A\n- done\n# B\n- todo\nb\n");
    ask(&world, "x", Read::new(None));
    world.edit("# A\n- done\n# B\n- todo\nbb\n");
    let patch = "@@ -2,1 +2,1 @@\n-- todo\n+- later\n".to_owned();
    let command = ApplyPatch { lease: None, patch, base: None, scope: None, shown: Some(of_first.clone()) };
    assert_eq!(code(&ask(&world, "x", dynamic(command))), "PATCH_REJECTED/STALE_BASE");
    let replacement =
        Replacement { start: 2, end: 2, expect: RangeHash::of("- todo\n"), text: "- later\n".into() };
    let replace =
        ReplaceLines { lease: None, replacements: vec![replacement], base: None, shown: Some(of_first) };
    assert_ne!(code(&ask(&world, "x", dynamic(replace))), "OK");
    assert_eq!(world.text(), "# A\n- done\n# B\n- todo\nbb\n");
}

#[test]
fn only_shown_changes_count_as_seen() {
    let world = two();
    world.edit(&TEXT.replace('l', "L"));
    let unseen = world.snapshot().revision_id();
    // It learned the id elsewhere, for example from a reply that shows no text.
    let patch = patch("b>B");
    let command = ApplyPatch { lease: None, patch, base: Some(unseen.into()), scope: None, shown: None };
    assert_eq!(code(&ask(&world, "x", dynamic(command))), "OK");
    assert_eq!(code(&ask(&world, "x", write("l>LL"))), "PATCH_REJECTED/STALE_BASE");
    world.edit(&world.text().replace('k', "K"));
    let undo = Undo { by: Author::Assistant { lease: None }, what: UndoScope::Change(ChangeNumber::new(2)) };
    let outcome = ask(&world, "x", dynamic(undo));
    assert!(!world.head().has_seen(&conversation("x")), "{outcome:?}");
}

#[test]
fn a_cancellation_holds_whatever_the_shared_lock_counts() {
    let world = World::with(TEXT, crate::policy_with(|policy| policy.sync.conversations = 2));
    set(&world, WorkMode::Collaborative);
    for who in ["b", "a", "c"] {
        ask(&world, who, SendMessage);
    }
    for who in ["b", "a", "c"] {
        let was_open = world.head().lock_of(&conversation(who)).is_turn_open();
        ask(&world, who, Cancel);
        assert!(!world.head().lock_of(&conversation(who)).is_turn_open(), "{who}, open before: {was_open}");
    }
}

#[test]
fn an_edit_of_a_person_ends_no_turn_and_the_end_of_a_turn_promotes_it() {
    let world = two();
    let start = world.head().turn_start_of(&conversation("x"));
    assert_eq!(code(&ask(&world, "x", write("b>B"))), "OK");
    world.edit(&world.text().replace('h', "H"));
    let Outcome::TurnEnded(ended) = ask(&world, "x", EndTurn { start }) else { panic!() };
    assert_eq!(ended.promotion, Promotion::Promoted);
    ask(&world, "x", Cancel);
    assert_eq!(code(&ask(&world, "y", write("d>D"))), "OK");
    let Outcome::TurnEnded(ended) = ask(&world, "x", EndTurn { start }) else { panic!() };
    assert_eq!(ended.promotion, Promotion::Deferred);
}

#[test]
fn taking_control_a_clock_that_fell_back_and_a_switch_end_all_turns() {
    let ends: [fn(&World); 3] = [
        |world| assert_eq!(code(&world.ask("user", TakeControl)), "OK"),
        |world| {
            world.clock.set(1);
            world.edit("changed\n");
        },
        |world| {
            set(world, WorkMode::Exclusive);
            set(world, WorkMode::Collaborative);
        },
    ];
    for (at, end) in ends.into_iter().enumerate() {
        let world = two();
        world.clock.wait(3_600_000);
        world.edit(TEXT);
        let leases = ["x", "y"].map(|who| match ask(&world, who, CheckOut) {
            Outcome::CheckedOut(out) => (who, out.lease),
            other => panic!("{other:?}"),
        });
        let before = ["x", "y"].map(|who| counters(&world.head(), who));
        end(&world);
        for (who, lease) in leases {
            assert_eq!(code(&ask(&world, who, write("b>B"))), "LOCK_NOT_AVAILABLE/USER_ACTIVE", "{at} {who}");
            assert_eq!(code(&ask(&world, who, Renew { lease: Some(lease) })), "STALE_EPOCH", "{at} {who}");
        }
        for (who, [epoch, turn]) in ["x", "y"].into_iter().zip(before) {
            ask(&world, who, SendMessage);
            let now = counters(&world.head(), who);
            assert!(now[0] > epoch && now[1] > turn, "no counter comes again: {at}");
            assert_eq!(code(&ask(&world, who, Read::new(None))), "OK");
        }
    }
}

#[test]
fn an_evicted_conversation_comes_back_in_a_later_turn() {
    let policy = crate::policy_with(|policy| policy.sync.conversations = 2);
    let world = World::with(TEXT, policy);
    set(&world, WorkMode::Collaborative);
    ask(&world, "a", SendMessage);
    ask(&world, "a", SendMessage);
    let late = fresh(&world, "a", write("b>B"));
    for who in ["p", "q", "r"] {
        ask(&world, who, SendMessage);
    }
    assert_eq!(code(&world.run(&late).outcome), "LOCK_NOT_AVAILABLE/USER_ACTIVE");
    ask(&world, "a", SendMessage);
    assert_eq!(
        code(&world.run(&late).outcome),
        "LOCK_NOT_AVAILABLE/USER_ACTIVE",
        "its turn does not come again"
    );
    assert_eq!(code(&ask(&world, "a", write("b>B"))), "OK");
}

#[test]
fn a_model_undoes_only_its_own_change() {
    let world = two();
    let undo =
        || dynamic(Undo { by: Author::Assistant { lease: None }, what: UndoScope::Steps(NonZeroU32::MIN) });
    assert_eq!(code(&ask(&world, "x", write("b>B"))), "OK");
    assert_eq!(code(&ask(&world, "y", undo())), "USER_ACTED");
    assert_eq!(code(&ask(&world, "x", undo())), "OK");
    assert_eq!(world.text(), TEXT);
}

#[test]
fn a_switch_is_stored_and_a_second_one_changes_nothing() {
    let world = two();
    let before = world.head();
    let set =
        |mode, call: &str| Call { operation: key("host", 0, call), command: dynamic(SetWorkMode { mode }) };
    let Outcome::WorkModeSet(done) = world.run(&set(WorkMode::Collaborative, "again")).outcome else {
        panic!()
    };
    assert!(!done.changed);
    assert_eq!(counters(&world.head(), "x"), counters(&before, "x"));
    let json: serde_json::Value = serde_json::from_slice(&world.head().to_json()).unwrap();
    assert_eq!((&json["format"], &json["work_mode"]), (&3.into(), &"collaborative".into()));
    assert_eq!(Head::from_json(&world.canvas, &world.head().to_json()).unwrap(), *world.head());
    world.run(&set(WorkMode::Exclusive, "back"));
    let head = world.head();
    assert_eq!(head.work_mode(), WorkMode::Exclusive);
    assert_eq!(counters(&head, "x"), counters(&head, "y"), "they share the turn again");
    let first = Policy::default().sync.conversations;
    assert!(first > 2 && head.revision() == Revision::new(1).unwrap());
    world.ask("x", SendMessage);
    world.check_out("x");
    assert_eq!(code(&world.ask("y", CheckOut)), "LOCK_NOT_AVAILABLE/HELD");
}

#[test]
fn a_deleted_canvas_begins_again_exclusive() {
    let world = two();
    world.delete("delete").unwrap();
    let world2 = world.peer();
    canvas_core::testing::block_on(world2.engine.create(
        &world.canvas,
        TEXT,
        &key("host", 0, "new"),
        world.now(),
    ))
    .unwrap();
    assert_eq!(world.head().work_mode(), WorkMode::Exclusive);
    world.check_out("x");
    let edit = Edit::overwrite("z\n");
    assert_eq!(code(&world.ask("user", dynamic(edit))), "OK");
}
