//! The same call again is answered as the first one was, whatever has happened since.

use std::time::Duration;

use canvas_core::document::{ApplyPatch, Edit, Read};
use canvas_core::lease::{CheckIn, CheckOut, CheckedOut, LeaseId, LeaseRefusal, Renew};
use canvas_core::policy::ReceiptLimits;
use canvas_core::store::Store as _;
use canvas_core::testing::block_on;
use canvas_core::turn::{Cancel, SendMessage, TakeControl};
use canvas_core::{BlobId, Policy, Refusal};

use super::world::{World, apply, end_turn, key};
use crate::document::any::{Answered, Call, Command, Outcome, code, dynamic};
use crate::policy_with;

/// Every kind of call that changes the state.
fn calls(world: &World, lease: LeaseId) -> Vec<Call> {
    let start = world.head().turn_start();
    let commands = [
        dynamic(Renew { lease: Some(lease) }),
        apply(lease, "a>c"),
        apply(lease, "nowhere>c"),
        dynamic(CheckOut),
        dynamic(CheckIn { lease: Some(lease) }),
        dynamic(CheckOut),
        dynamic(CheckIn { lease: None }),
        dynamic(Edit::overwrite("c\nz\n")),
        dynamic(SendMessage),
        end_turn(start),
        dynamic(Cancel),
        dynamic(TakeControl),
        dynamic(CheckOut),
        apply(lease, "b>d"),
        dynamic(SendMessage),
    ];
    commands.map(|command| world.fresh("model", command)).into()
}

#[track_caller]
fn the_same(again: &Answered, first: &Answered) {
    assert_eq!(again.outcome, first.outcome);
    assert!(again.replayed);
}

/// Each call runs and is sent again at once, by a peer, and once more after everything else.
#[test]
fn a_retry_answers_the_same_while_held_and_after_any_end() {
    let world = World::new("a\nb\n");
    let checked_out = world.fresh("model", CheckOut);
    let first = world.run(&checked_out);
    let Outcome::CheckedOut(CheckedOut { lease, .. }) = first.outcome else { panic!("no lease") };
    let mut reported = vec![(checked_out, first)];
    for call in calls(&world, lease) {
        let answered = world.run(&call);
        assert!(!answered.replayed, "{call:?}");
        reported.push((call, answered));
        let version = world.loaded().version;
        for (call, first) in &reported {
            the_same(&world.run(call), first);
            the_same(&world.peer().run(call), first);
        }
        assert_eq!(world.loaded().version, version, "a retry changes nothing");
    }
    world.clock.wait(3_600_000);
    for (call, first) in &reported {
        the_same(&world.run(call), first);
    }
}

#[test]
fn a_retried_preemption_leaves_the_next_lease_alone() {
    for command in
        [dynamic(Edit::overwrite("z\n")), dynamic(SendMessage), dynamic(Cancel), dynamic(TakeControl)]
    {
        let world = World::new("a\nb\n");
        world.check_out("model");
        let preempt = world.fresh("user", command.clone());
        world.run(&preempt);
        world.ask("model", SendMessage);
        let lease = world.check_out("model");
        assert!(world.run(&preempt).replayed);
        assert_eq!(code(&world.ask("model", Read::new(Some(lease)))), "OK", "{command:?}");
    }
}

#[test]
fn a_key_is_for_one_call() {
    let world = World::new("a\nb\n");
    let lease = world.check_out("model");
    let key = key("model", 0, "k");
    let call = |command: Command| Call { operation: key.clone(), command };
    let base = Some(world.snapshot().revision_id().into());
    world.run(&call(apply(lease, "a>c")));
    let other_lease = "lease-1-1".parse().ok();
    let patch = super::world::patch("a>c");
    for command in [
        apply(lease, "b>c"),
        dynamic(ApplyPatch {
            lease: other_lease,
            patch: patch.clone(),
            base: None,
            scope: None,
            shown: None,
        }),
        dynamic(ApplyPatch { lease: None, patch: patch.clone(), base: None, scope: None, shown: None }),
        dynamic(ApplyPatch { lease: Some(lease), patch, base, scope: None, shown: None }),
        dynamic(CheckOut),
        dynamic(Renew { lease: Some(lease) }),
        dynamic(CheckIn { lease: Some(lease) }),
        dynamic(Edit::overwrite("z\n")),
        dynamic(SendMessage),
        dynamic(Cancel),
        dynamic(TakeControl),
        end_turn(world.head().turn_start()),
    ] {
        let before = world.loaded();
        assert_eq!(code(&world.run(&call(command.clone())).outcome), "CALL_ID_REUSED", "{command:?}");
        assert_eq!(world.loaded().version, before.version, "{command:?}");
    }
    // Reads leave no receipt and need none.
    assert_eq!(code(&world.run(&call(dynamic(Read::new(Some(lease))))).outcome), "OK");
    assert_eq!(code(&world.run(&call(apply(lease, "a>c"))).outcome), "OK");
}

/// Commands without arguments have digests of their own too.
#[test]
fn commands_of_the_same_arguments_are_distinguished() {
    let lease = "lease-1-0".parse().ok();
    let commands = [
        dynamic(CheckOut),
        dynamic(SendMessage),
        dynamic(Cancel),
        dynamic(TakeControl),
        dynamic(Renew { lease }),
        dynamic(CheckIn { lease }),
        dynamic(Renew { lease: None }),
        dynamic(CheckIn { lease: None }),
        dynamic(Edit::overwrite("")),
        dynamic(Edit::overwrite("lease-1-0")),
    ];
    for first in &commands {
        let world = World::new("a\nb\n");
        let call = |command: &Command| Call { operation: key("model", 0, "k"), command: command.clone() };
        world.run(&call(first));
        for second in &commands {
            let reused = code(&world.run(&call(second)).outcome) == "CALL_ID_REUSED";
            assert_eq!(reused, first != second, "{first:?} then {second:?}");
        }
    }
}

#[test]
fn a_key_belongs_to_its_conversation_and_turn() {
    let world = World::new("a\nb\n");
    let at = |who, turn| Call { operation: key(who, turn, "k"), command: dynamic(CheckOut) };
    assert_eq!(code(&world.run(&at("model", 0)).outcome), "OK");
    assert_eq!(code(&world.run(&at("other", 0)).outcome), "LOCK_NOT_AVAILABLE/HELD");
    world.ask("model", SendMessage);
    assert!(world.run(&at("model", 0)).replayed);
    let second = world.run(&at("model", 1));
    assert_eq!((code(&second.outcome).as_str(), second.replayed), ("OK", false));
}

/// An answer too long for the head is kept in a blob, which the head names for as long as it is needed.
#[test]
fn a_long_answer_is_kept_in_a_blob() {
    let lines: String = (0..200).map(|i| format!("line {i}\n")).collect();
    let world = World::new(&lines);
    let lease = world.check_out("model");
    let hunks =
        |from: &str| -> String { (0..40).map(|i| format!("@@\n-{from} {}\n+x{i}\n", i * 5)).collect() };
    let by_patch = |patch: String| {
        world.fresh("model", ApplyPatch { lease: Some(lease), patch, base: None, scope: None, shown: None })
    };
    let cases = [by_patch(hunks("nothing")), by_patch(hunks("line")), world.fresh("model", SendMessage)];
    for call in cases {
        let (blobs, _) = world.spy().inner.blob_stats(&world.canvas);
        let first = world.run(&call);
        assert!(world.spy().inner.blob_stats(&world.canvas).0 > blobs, "{call:?}");
        let answer = BlobId::of(first.stored.json().as_bytes());
        assert!(world.head().blobs().any(|blob| blob == answer), "{call:?}");
        let head = serde_json::to_vec(world.head().as_ref()).unwrap();
        assert!(head.len() < 8_000, "the head has {} bytes", head.len());
        the_same(&world.run(&call), &first);
        the_same(&world.peer().run(&call), &first);
    }
    let world = World::new(&lines);
    let lease = world.check_out("model");
    world.edit(&lines.replace("line", "row"));
    let stale = world.fresh("model", apply(lease, "line 3>x"));
    let first = world.run(&stale);
    let refused = first.outcome.refusal();
    assert!(matches!(refused, Some(Refusal::Lease(LeaseRefusal::StaleEpoch { changes: Some(_), .. }))));
    world.edit("z\n");
    the_same(&world.peer().run(&stale), &first);
}

/// Receipts of the lease that is held stay; of all others, a fixed number.
#[test]
fn receipts_of_the_live_lease_are_never_dropped() {
    let policy = Policy {
        receipts: ReceiptLimits {
            min_changes: 3,
            refusals: 3,
            lifetime: Duration::ZERO,
            ..Default::default()
        },
        ..Policy::default()
    };
    let world = World::with("a\nb\n", policy);
    let lease = world.check_out("model");
    let writes: Vec<Call> = ["a>c", "c>d", "d>e", "e>f", "f>g", "g>h"]
        .map(|change| world.fresh("model", apply(lease, change)))
        .into();
    let first: Vec<Answered> = writes.iter().map(|write| world.run(write)).collect();
    let strangers: Vec<Call> = (0..40).map(|_| world.fresh("other", CheckOut)).collect();
    for stranger in &strangers {
        assert_eq!(code(&world.run(stranger).outcome), "LOCK_NOT_AVAILABLE/HELD");
    }
    for (write, first) in writes.iter().zip(&first) {
        the_same(&world.run(write), first);
    }
    // Of the strangers at least the last three are remembered; the first are new again.
    let replayed = |call: &Call| world.run(call).replayed;
    assert_eq!(strangers[37..].iter().map(replayed).collect::<Vec<_>>(), [true; 3]);
    assert_eq!(strangers[..20].iter().map(replayed).collect::<Vec<_>>(), [false; 20]);
    // Once the lease has ended its receipts count like any other's.
    world.ask("model", CheckIn { lease: Some(lease) });
    let forgotten = world.run(&writes[0]);
    assert_eq!((code(&forgotten.outcome).as_str(), forgotten.replayed), ("LOCK_NOT_OWNED", false));
    assert_eq!(world.text(), "h\nb\n");
}

/// A loop that lost its answers and came back under the same name must not take over what the first one holds.
#[test]
fn the_same_name_with_another_key_gets_no_lease() {
    let world = World::new("a\nb\n");
    world.check_out("model");
    assert_eq!(code(&world.ask("model", CheckOut)), "LOCK_NOT_AVAILABLE/HELD");
}

/// Old receipts lie in pages beside the head, which stays small; each call still answers as it did.
#[test]
fn a_retry_of_long_ago_answers_from_a_page() {
    let world = World::with("top\n", policy_with(|policy| policy.receipts.lifetime = Duration::ZERO));
    let lease = world.check_out("model");
    let mut reported = Vec::new();
    for i in 0..200 {
        // Some answers are too long for the head, and some calls are refused.
        let command = match i {
            i if i % 10 == 3 => dynamic(ApplyPatch {
                scope: None,
                shown: None,
                lease: Some(lease),
                patch: (0..60).map(|n| format!("@@\n-nowhere {n}\n+x\n")).collect(),
                base: None,
            }),
            i if i % 7 == 0 => dynamic(CheckOut),
            i => apply(lease, &format!("top>>line {i}")),
        };
        let call = world.fresh("model", command);
        reported.push((call.clone(), world.run(&call)));
        assert!(world.head().to_json().len() < 20_000, "call {i}: {} bytes", world.head().to_json().len());
    }
    assert!(reported.iter().any(|(_, first)| first.stored.json().len() > 1024));
    let version = world.loaded().version;
    for (call, first) in &reported {
        for by in [&world, &world.peer()] {
            the_same(&by.run(call), first);
        }
        // The same key for something else is distinguished in a page too.
        let other = Call { command: dynamic(Cancel), ..call.clone() };
        assert_eq!(code(&world.run(&other).outcome), "CALL_ID_REUSED", "{call:?}");
    }
    assert_eq!(world.loaded().version, version);
    // Every page and every long answer is named by the head, so that none is collected.
    for id in world.head().blobs() {
        assert!(block_on(world.spy().inner.blob(&world.canvas, id)).unwrap().is_some());
    }
    let json: serde_json::Value = serde_json::from_slice(&world.head().to_json()).unwrap();
    for shelf in [&json["receipts"], &json["receipts"]["refusals"]] {
        assert!(shelf["pages"].as_array().unwrap().iter().all(|page| page["fence"] == 1), "{shelf}");
        assert!(shelf["index"].is_string(), "{shelf}");
    }

    // Once the lease has ended, whole pages go with the next index, the oldest first.
    world.ask("model", CheckIn { lease: Some(lease) });
    let changes = reported.iter().rev().filter(|(_, first)| code(&first.outcome) == "OK");
    let remembered = changes.take_while(|(call, _)| world.peer().run(call).replayed).count();
    assert!((128..=180).contains(&remembered), "{remembered} remembered");
}

/// A page and an index are written with the commit that fills them, and by no other.
#[test]
fn few_commits_put_a_page() {
    let world = World::new("top\n");
    let stored = || world.spy().inner.blob_stats(&world.canvas).0;
    let mut pages = Vec::new();
    for i in 0..120 {
        let before = stored();
        world.edit(&format!("{i}\n"));
        // Besides the document and its entry in the journal.
        pages.push(stored() - before - 2);
    }
    let with_page = pages.iter().filter(|count| **count > 0).count();
    assert!((8..24).contains(&with_page), "{with_page} of 120 commits put a page");
    assert_eq!(pages.iter().max(), Some(&2), "a page and the index");
}
