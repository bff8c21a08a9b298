//! What became of an operation is found out once and for all.

use canvas_core::document::{ApplyPatch, Edit, Read};
use canvas_core::lease::LeaseId;
use canvas_core::policy::ReceiptLimits;
use canvas_core::refusal::CallRefusal;
use canvas_core::store::Store as _;
use canvas_core::testing::block_on;
use canvas_core::{CodedError as _, Engine, OpKey, Policy, Refusal, Resolution};

use super::faults::commands;
use crate::document::any::{Call, Command, code};
use crate::document::world::Asked::{Commit, Load};
use crate::document::world::{Trouble, World, apply, key};

fn resolve(world: &World, operation: &OpKey) -> Resolution {
    block_on(world.engine.resolve(&world.canvas, operation, world.now())).unwrap()
}

/// Plays each call on a canvas of its own.
fn each(mut play: impl FnMut(&World, Call)) {
    let count = commands("lease-1-0".parse().unwrap(), &World::new("a\nb\n")).len();
    for i in 0..count {
        let world = World::new("a\nb\n");
        let lease = world.check_out("model");
        let (command, _) = commands(lease, &world).swap_remove(i);
        let call = world.fresh("model", command);
        play(&world, call);
        assert!(world.spy().script_is_done());
    }
}

/// Makes a call fail in doubt: its commit is lost on the way, and nothing can be had of the store afterwards.
fn in_doubt(world: &World, call: &Call, trouble: Trouble) {
    // What is refused on the head that the engine knows is looked at once more.
    if matches!(&call.command, Command::ApplyPatch(ApplyPatch { patch, .. }) if patch.contains("nowhere")) {
        world.spy().expect(Load, Trouble::after(|| ()));
    }
    world.spy().expect(Commit, trouble);
    (0..4).for_each(|_| world.spy().expect(Load, Trouble::Definite));
    assert_eq!(world.try_run(call).unwrap_err().code(), "STORE_INDETERMINATE");
}

#[test]
fn what_was_done_has_its_answer() {
    each(|world, call| {
        in_doubt(world, &call, Trouble::AnswerLost);
        let Resolution::Done(stored) = resolve(&world.peer(), &call.operation) else {
            panic!("{call:?} was done");
        };
        let again = world.run(&call);
        assert!(again.replayed);
        assert_eq!(again.stored, stored);
    });
}

#[test]
fn what_was_not_done_never_will_be() {
    each(|world, call| {
        in_doubt(world, &call, Trouble::LostOnTheWay);
        let (text, revision) = (world.text(), world.head().revision());
        for by in [world, &world.peer()] {
            assert_eq!(resolve(by, &call.operation), Resolution::NeverDone, "{call:?}");
        }
        assert_eq!(world.spy().deliver_late(), 0, "{call:?}");
        for by in [world, &world.peer()] {
            let refused = by.run(&call).outcome;
            assert!(matches!(refused.refusal(), Some(Refusal::Call(CallRefusal::Abandoned))), "{call:?}");
            assert_eq!(code(&refused), "CALL_ABANDONED");
        }
        assert_eq!((world.text(), world.head().revision()), (text, revision));
    });
}

/// Another server is still at it: it has decided, and its commit comes after the question.
#[test]
fn a_server_that_is_still_at_it_finds_the_call_given_up() {
    each(|world, call| {
        let (peer, operation) = (world.peer(), call.operation.clone());
        if matches!(&call.command, Command::ApplyPatch(ApplyPatch { patch, .. }) if patch.contains("nowhere"))
        {
            world.spy().expect(Load, Trouble::after(|| ()));
        }
        let text = world.text();
        let ask = move || assert_eq!(resolve(&peer, &operation), Resolution::NeverDone);
        world.spy().expect(Commit, Trouble::after(ask));
        assert_eq!(code(&world.run(&call).outcome), "CALL_ABANDONED", "{call:?}");
        assert_eq!(world.text(), text);
    });
}

#[test]
fn a_question_that_is_overtaken_by_the_deed_tells_the_deed() {
    each(|world, call| {
        let (peer, twin) = (world.peer(), call.clone());
        world.spy().expect(Commit, Trouble::after(move || drop(peer.run(&twin))));
        let found = resolve(world, &call.operation);
        assert_eq!(found, Resolution::Done(world.run(&call).stored), "{call:?}");
    });
}

/// The question may get lost like anything else.
#[test]
fn a_question_in_doubt_is_settled_like_any_call() {
    for trouble in [|| Trouble::AnswerLost, || Trouble::LostOnTheWay] {
        each(|world, call| {
            world.spy().expect(Commit, trouble());
            assert_eq!(resolve(world, &call.operation), Resolution::NeverDone);
            assert_eq!(world.spy().deliver_late(), 0);
            assert_eq!(code(&world.run(&call).outcome), "CALL_ABANDONED");
        });
    }
    let world = World::new("a\n");
    world.spy().expect(Load, Trouble::Definite);
    let e = block_on(world.engine.resolve(&world.canvas, &key("user", 0, "k"), world.now())).unwrap_err();
    assert_eq!(e.code(), "STORE_FAILED");
}

/// A long answer lies in a blob of its own.
#[test]
fn a_long_answer_is_repeated_whole() {
    let lines = |n: usize| (0..n).map(|i| format!("line {i}\n")).collect::<String>();
    let world = World::new(&lines(400));
    let lease = world.check_out("model");
    world.ask("model", Read::new(Some(lease)));
    let patch = (0..100).map(|i| format!("@@\n line {}\n+new {i}\n", i * 4)).collect();
    let call =
        world.fresh("model", ApplyPatch { lease: Some(lease), patch, base: None, scope: None, shown: None });
    let answered = world.run(&call);
    assert!(answered.stored.json().len() > 1024);
    assert_eq!(resolve(&world.peer(), &call.operation), Resolution::Done(answered.stored));
}

#[test]
fn a_creation_that_was_not_done_leaves_a_tombstone() {
    let create = |world: &World, call: &str| {
        let key = key("host", 0, call);
        block_on(world.engine.create(&world.canvas, "a\n", &key, world.now()))
            .map(|answered| answered.snapshot.revision_id().revision().get())
            .map_err(|e| e.code())
    };
    let world = World::empty(Policy::default());
    world.spy().expect(Commit, Trouble::LostOnTheWay);
    world.spy().expect(Load, Trouble::after(|| ()));
    (0..4).for_each(|_| world.spy().expect(Load, Trouble::Definite));
    assert_eq!(create(&world, "k"), Err("STORE_INDETERMINATE"));
    assert_eq!(resolve(&world.peer(), &key("host", 0, "k")), Resolution::NeverDone);
    assert_eq!(world.spy().deliver_late(), 0);
    let head = world.head();
    assert!(head.is_deleted() && head.revision().get() == 0);
    // Every blob that the tombstone names is there.
    for blob in head.blobs() {
        assert!(block_on(world.spy().blob(&world.canvas, blob)).unwrap().is_some());
    }
    let gone = block_on(world.engine.snapshot(&world.canvas, world.now())).unwrap_err();
    assert_eq!(gone.code(), "CANVAS_NOT_FOUND");
    assert_eq!(create(&world, "k"), Err("CALL_ABANDONED"));
    assert_eq!(create(&world, "other"), Ok(1));
    assert_eq!(create(&world, "k"), Err("CALL_ABANDONED"));
    assert_eq!(world.check_out("model").to_string(), "lease-1-0");

    let done = resolve(&world, &key("host", 0, "other"));
    let Resolution::Done(created) = done else { panic!("{done:?}") };
    let revision = world.snapshot().revision_id();
    assert_eq!(created.json(), format!(r#"{{"kind":"created","revision":"{revision}"}}"#));
}

#[test]
fn a_deletion_is_done_once_whatever_is_made_since() {
    let world = World::new("a\n");
    world.delete("delete").unwrap();
    let create = |call: &str| {
        let key = key("host", 0, call);
        block_on(world.engine.create(&world.canvas, "new\n", &key, world.now()))
    };
    // The key that made the canvas first made that one, and no other.
    let first = block_on(world.engine.create(&world.canvas, "a\n", &key("model", 0, "create"), world.now()));
    let first = first.unwrap_err();
    assert_eq!((first.code(), first.is_retryable()), ("CANVAS_DELETED", false));
    assert_eq!(create("again").unwrap().snapshot.text(), "new\n");
    for by in [&world, &world.peer()] {
        by.delete("delete").unwrap();
        assert_eq!(by.text(), "new\n", "the retry of an old deletion");
    }
    let deleted = resolve(&world, &key("host", 0, "delete"));
    let Resolution::Done(deleted) = deleted else { panic!("{deleted:?}") };
    assert_eq!(deleted.json(), r#"{"kind":"deleted"}"#);
    assert_eq!(world.delete("again").unwrap_err().code(), "CALL_ID_REUSED");
    assert_eq!(create("delete").unwrap_err().code(), "CALL_ID_REUSED");

    assert_eq!(resolve(&world, &key("host", 0, "never")), Resolution::NeverDone);
    assert_eq!(world.delete("never").unwrap_err().code(), "CALL_ABANDONED");
    assert_eq!(world.text(), "new\n");
    world.delete("second").unwrap();
    assert!(world.head().is_deleted());
}

/// A call from before the deletion is not done to the canvas that was made since.
#[test]
fn receipts_outlive_a_deletion() {
    let world = World::new("a\n");
    let edit = world.fresh("user", Edit::overwrite("b\n"));
    let first = world.run(&edit).outcome;
    world.delete("delete").unwrap();
    block_on(world.engine.create(&world.canvas, "new\n", &key("host", 0, "again"), world.now())).unwrap();
    let again = world.run(&edit);
    assert_eq!((again.outcome, again.replayed, world.text().as_str()), (first, true, "new\n"));
}

/// The same call at two servers at once is done once, and both get the same answer.
#[test]
fn a_retry_while_the_first_is_on_its_way_is_the_same_call() {
    each(|world, call| {
        if matches!(&call.command, Command::ApplyPatch(ApplyPatch { patch, .. }) if patch.contains("nowhere"))
        {
            world.spy().expect(Load, Trouble::after(|| ()));
        }
        let (peer, twin) = (world.peer(), call.clone());
        let (send, reported) = std::sync::mpsc::channel();
        world.spy().expect(Commit, Trouble::after(move || send.send(peer.run(&twin)).unwrap()));
        let answered = world.run(&call);
        let first = reported.recv().unwrap();
        assert_eq!((answered.replayed, first.replayed), (true, false), "{call:?}");
        assert_eq!(answered.outcome, first.outcome);
    });
}

/// Whoever has forgotten an operation cannot tell that it was done: receipts are bounded, and so is this.
#[test]
fn a_receipt_that_was_dropped_counts_as_never_done() {
    let world = World::with(
        "a\n",
        Policy {
            receipts: ReceiptLimits { min_changes: 1, max_changes: 1, ..Default::default() },
            ..Policy::default()
        },
    );
    let old = world.fresh("user", Edit::overwrite("b\n"));
    world.run(&old);
    world.edit("c\n");
    assert_eq!(resolve(&world, &old.operation), Resolution::NeverDone);
}

/// The engine's other caches know of it too.
#[test]
fn a_write_goes_on_after_a_question() {
    let world = World::new("a\nb\n");
    let lease: LeaseId = world.check_out("model");
    let engine = Engine::new(world.spy().inner.clone(), Policy::default());
    let operation = key("model", 0, "unknown");
    assert_eq!(
        block_on(engine.resolve(&world.canvas, &operation, world.now())).unwrap(),
        Resolution::NeverDone
    );
    assert_eq!(code(&world.ask("model", apply(lease, "a>c"))), "OK");
    assert_eq!(world.text(), "c\nb\n");
}

/// What the row shows to be done needs no bump: one commit, and the look that found it.
#[test]
fn a_lost_answer_costs_one_look() {
    let commits = |world: &World| world.spy().asked().iter().filter(|asked| **asked == Commit).count();
    let create = |world: &World| {
        let key = key("host", 0, "create");
        block_on(world.engine.create(&world.canvas, "a\n", &key, world.now()))
            .map(|answered| answered.replayed)
    };
    let world = World::empty(Policy::default());
    world.spy().expect(Commit, Trouble::AnswerLost);
    assert!(create(&world).unwrap());
    assert_eq!(commits(&world), 1);
    world.spy().expect(Commit, Trouble::AnswerLost);
    assert_eq!(resolve(&world, &key("host", 0, "never")), Resolution::NeverDone);
    assert_eq!(commits(&world), 1);
    world.spy().expect(Commit, Trouble::AnswerLost);
    world.delete("delete").unwrap();
    assert_eq!(commits(&world), 1);

    // A canvas that is gone is not deleted again, and what is not done is bumped away first.
    let version = world.loaded().version;
    world.delete("other").unwrap();
    assert_eq!((commits(&world), world.loaded().version), (0, version));
    let world = World::new("a\n");
    world.spy().asked();
    world.spy().expect(Commit, Trouble::LostOnTheWay);
    world.delete("delete").unwrap();
    assert_eq!(commits(&world), 3);
}
