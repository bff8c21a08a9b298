//! Every fault on every call: nothing is lost, nothing is done twice, and nothing false is said.

use canvas_core::document::{ApplyPatch, Edit, Read};
use canvas_core::lease::{CheckIn, LeaseId, Renew};
use canvas_core::turn::{Cancel, SendMessage, TakeControl, TurnBegan};
use canvas_core::{CodedError as _, Created, EngineError, Policy, block_on};

use crate::document::any::{Call, Command, Outcome, code, dynamic};
use crate::document::world::Asked::{Blob, Commit, Load};
use crate::document::world::{Asked, Trouble, World, apply, end_turn, key};

/// Commands that change the state, each with what it leaves on the canvas `a b`: text, epoch and fence.
pub(crate) fn commands(lease: LeaseId, world: &World) -> Vec<(Command, (&'static str, u64, u64))> {
    let start = world.head().turn_start();
    vec![
        (dynamic(Renew { lease: Some(lease) }), ("a\nb\n", 0, 1)),
        (dynamic(CheckIn { lease: Some(lease) }), ("a\nb\n", 0, 1)),
        (apply(lease, "a>>c"), ("a\nc\nb\n", 0, 1)),
        (apply(lease, "nowhere>>c"), ("a\nb\n", 0, 1)),
        (dynamic(Edit::replace("z\n")), ("z\n", 1, 1)),
        (dynamic(SendMessage), ("a\nb\n", 1, 1)),
        (dynamic(Cancel), ("a\nb\n", 1, 1)),
        (dynamic(TakeControl), ("a\nb\n", 1, 1)),
        (end_turn(start), ("a\nb\n", 0, 1)),
    ]
}

fn state(world: &World) -> (String, u64, u64) {
    let head = world.head();
    (world.text(), head.lock().epoch().get(), head.lock().fence().get())
}

/// Plays each command on a canvas of its own, with trouble scripted beforehand.
fn each(mut play: impl FnMut(&World, LeaseId, Command, (String, u64, u64))) {
    let count = commands("lease-1-0".parse().unwrap(), &World::new("a\nb\n")).len();
    for i in 0..count {
        let world = World::new("a\nb\n");
        let lease = world.check_out("model");
        let (command, (text, epoch, fence)) = commands(lease, &world).swap_remove(i);
        play(&world, lease, command, (text.to_owned(), epoch, fence));
        assert!(world.spy().script_is_done());
    }
}

/// What is refused on the head that the engine knows is looked at once more before the first commit: that load is
/// let through.
fn let_the_first_look_pass(world: &World, call: &Call) {
    if matches!(&call.command, Command::ApplyPatch(ApplyPatch { patch, .. }) if patch.contains("nowhere")) {
        world.spy().expect(Load, Trouble::after(|| ()));
    }
}

fn error(world: &World, call: &Call) -> (&'static str, bool) {
    let e = world.try_run(call).unwrap_err();
    (e.code(), e.is_retryable())
}

#[test]
fn a_definite_fault_writes_nothing_and_the_same_call_works_later() {
    each(|world, _, command, expected| {
        let before = world.loaded().version;
        let call = world.fresh("model", command);
        world.spy().expect(Commit, Trouble::Definite);
        assert_eq!(error(world, &call), ("STORE_FAILED", true), "{call:?}");
        assert_eq!(world.loaded().version, before, "{call:?}");
        assert!(!world.run(&call).replayed, "{call:?}");
        assert_eq!(state(world), expected, "{call:?}");
    });
}

/// The answer was lost, and the receipt tells that the commit was done.
#[test]
fn a_lost_answer_is_found_in_the_receipt() {
    each(|world, _, command, expected| {
        let call = world.fresh("model", command);
        world.spy().expect(Commit, Trouble::AnswerLost);
        world.spy().asked();
        let answered = world.run(&call);
        assert_eq!(state(world), expected, "{call:?}");
        assert!(answered.replayed, "{call:?}");
        assert_eq!(world.spy().asked().iter().filter(|asked| **asked == Commit).count(), 1, "{call:?}");
        assert_eq!(world.run(&call).outcome, answered.outcome);
    });
}

/// The commit never arrived, or will: once the engine has answered, it cannot land any more.
#[test]
fn a_commit_lost_on_the_way_is_done_once_and_its_duplicate_fails() {
    each(|world, _, command, expected| {
        let call = world.fresh("model", command);
        world.spy().expect(Commit, Trouble::LostOnTheWay);
        let answered = world.run(&call);
        assert!(!answered.replayed, "{call:?}");
        assert_eq!(state(world), expected, "{call:?}");
        let version = world.loaded().version;
        assert_eq!(world.spy().deliver_late(), 0, "{call:?}");
        assert_eq!((state(world), world.loaded().version), (expected, version), "{call:?}");
    });
}

/// Settled means settled, also where the call then fails for sure: the store has written nothing and never will.
#[test]
fn a_call_that_fails_after_it_was_settled_leaves_no_duplicate_behind() {
    each(|world, _, command, expected| {
        let call = world.fresh("model", command);
        let before = state(world);
        world.spy().expect(Commit, Trouble::LostOnTheWay);
        world.spy().expect(Commit, Trouble::after(|| ()));
        world.spy().expect(Commit, Trouble::Definite);
        assert_eq!(error(world, &call), ("STORE_FAILED", true), "{call:?}");
        assert_eq!((world.spy().deliver_late(), state(world)), (0, before), "{call:?}");
        assert!(!world.run(&call).replayed, "{call:?}");
        assert_eq!(state(world), expected, "{call:?}");
    });
}

/// The duplicate lands between the fault and the look at the row, or between that look and the bump.
#[test]
fn a_duplicate_that_lands_before_it_is_settled_counts_once() {
    for asked in [Load, Commit] {
        each(|world, _, command, expected| {
            let call = world.fresh("model", command);
            let twin = world.peer();
            let same = call.clone();
            let_the_first_look_pass(world, &call);
            world.spy().expect(Commit, Trouble::LostOnTheWay);
            // A twin with the same call stands for the duplicate: its receipt is the same.
            world.spy().expect(asked, Trouble::after(move || drop(twin.run(&same))));
            let answered = world.run(&call);
            assert!(answered.replayed, "{asked:?} {call:?}");
            assert_eq!(state(world), expected, "{asked:?} {call:?}");
            assert_eq!(world.spy().deliver_late(), 0);
        });
    }
}

/// As long as nobody knows, nobody says that nothing was written.
#[test]
fn what_cannot_be_settled_stays_in_doubt_and_is_settled_by_the_next_try() {
    let blocked: [fn() -> (Asked, Trouble); 4] = [
        || (Load, Trouble::Definite),
        || (Load, Trouble::AnswerLost),
        || (Commit, Trouble::Definite),
        || (Commit, Trouble::LostOnTheWay),
    ];
    for block in blocked {
        for first in [|| Trouble::AnswerLost, || Trouble::LostOnTheWay] {
            each(|world, _, command, expected| {
                let call = world.fresh("model", command);
                let is_done = matches!(first(), Trouble::AnswerLost);
                let_the_first_look_pass(world, &call);
                world.spy().expect(Commit, first());
                let (asked, _) = block();
                if asked == Commit && is_done {
                    // Settled by the receipt: no bump is tried.
                    assert!(world.run(&call).replayed);
                    return;
                }
                for _ in 0..4 {
                    let (asked, trouble) = block();
                    world.spy().expect(asked, trouble);
                }
                assert_eq!(error(world, &call), ("STORE_INDETERMINATE", true), "{call:?}");
                assert_eq!(world.run(&call).replayed, is_done, "{call:?}");
                assert_eq!(state(world), expected, "{call:?}");
                assert_eq!(world.spy().deliver_late(), 0, "{call:?}");
                assert_eq!(state(world), expected, "{call:?}");
            });
        }
    }
}

/// A row never vanishes: a look that shows none is of the past, and settles nothing.
#[test]
fn a_look_that_shows_no_row_leaves_the_doubt() {
    each(|world, _, command, expected| {
        let call = world.fresh("model", command);
        let_the_first_look_pass(world, &call);
        world.spy().expect(Commit, Trouble::LostOnTheWay);
        (0..4).for_each(|_| world.spy().expect(Load, Trouble::Missing));
        let e = world.try_run(&call).unwrap_err();
        assert_eq!((e.code(), e.is_retryable()), ("STORE_INDETERMINATE", true), "{call:?}");
        assert_eq!(world.spy().deliver_late(), 1, "{call:?}");
        assert!(world.run(&call).replayed, "{call:?}");
        assert_eq!(state(world), expected, "{call:?}");
    });
}

#[test]
fn settling_takes_several_tries_if_it_must() {
    each(|world, _, command, expected| {
        let call = world.fresh("model", command);
        let_the_first_look_pass(world, &call);
        world.spy().expect(Commit, Trouble::LostOnTheWay);
        world.spy().expect(Load, Trouble::Definite);
        world.spy().expect(Commit, Trouble::Definite);
        let (peer, canvas) = (world.spy().inner.clone(), world.canvas.clone());
        world
            .spy()
            .expect(Commit, Trouble::after(move || drop(crate::document::world::bump(&peer, &canvas))));
        assert!(!world.run(&call).replayed, "{call:?}");
        assert_eq!(state(world), expected, "{call:?}");
        assert_eq!(world.spy().deliver_late(), 0, "{call:?}");
    });
}

#[test]
fn a_load_that_fails_fails_the_call() {
    let world = World::new("a\nb\n");
    let read = world.fresh("model", Read::part(None));
    for (trouble, expected) in
        [(Trouble::Definite, "STORE_FAILED"), (Trouble::AnswerLost, "STORE_INDETERMINATE")]
    {
        world.spy().expect(Load, trouble);
        assert_eq!(error(&world, &read), (expected, true));
    }
    world.spy().expect(Load, Trouble::Definite);
    let e = block_on(world.engine.snapshot(&world.canvas, world.now())).unwrap_err();
    assert!(e.code() == "STORE_FAILED" && e.message().ends_with(" (the disk is full)"), "{}", e.message());
    world.spy().expect(Load, Trouble::AnswerLost);
    let e = block_on(world.engine.snapshot(&world.canvas, world.now())).unwrap_err();
    assert!(
        e.code() == "STORE_INDETERMINATE" && e.message().ends_with(" (the connection broke)"),
        "{}",
        e.message()
    );
    assert!(std::error::Error::source(&e).is_some());
}

/// A read that commits a keep-alive is no different.
#[test]
fn a_read_in_doubt_reads() {
    for trouble in [Trouble::AnswerLost, Trouble::LostOnTheWay] {
        let world = World::new("a\nb\n");
        let lease = world.check_out("model");
        world.clock.wait(10_000);
        world.spy().expect(Commit, trouble);
        assert_eq!(code(&world.ask("model", Read::part(Some(lease)))), "OK");
        assert_eq!(world.spy().deliver_late(), 0);
        assert_eq!(world.head().lock().lease().unwrap().expires_at.as_millis(), 26_000);
    }
}

fn create(world: &World, call: &str) -> Result<Created, EngineError> {
    block_on(world.engine.create(&world.canvas, "a\n", &key("host", 0, call), world.now()))
}

#[test]
fn a_creation_in_doubt_makes_one_canvas() {
    let lost = World::empty(Policy::default());
    lost.spy().expect(Commit, Trouble::AnswerLost);
    assert!(create(&lost, "k").unwrap().replayed);
    assert_eq!(lost.head().revision().get(), 1);

    let unsent = World::empty(Policy::default());
    unsent.spy().expect(Commit, Trouble::LostOnTheWay);
    assert!(!create(&unsent, "k").unwrap().replayed);
    assert_eq!((unsent.spy().deliver_late(), unsent.head().revision().get()), (0, 1));

    let failed = World::empty(Policy::default());
    for asked in [Load, Commit] {
        failed.spy().expect(asked, Trouble::Definite);
        assert_eq!(create(&failed, "k").unwrap_err().code(), "STORE_FAILED");
    }
    assert!(!create(&failed, "k").unwrap().replayed);
}

/// A conflict ends the doubt: the row is there, so no creation can land any more.
#[test]
fn a_creation_that_found_its_duplicate_is_in_doubt_no_more() {
    let world = World::empty(Policy::default());
    let twin = world.peer();
    world.spy().expect(Commit, Trouble::LostOnTheWay);
    world.spy().expect(Commit, Trouble::after(move || drop(create(&twin, "k").unwrap())));
    world.spy().expect(Blob, Trouble::Definite);
    assert_eq!(create(&world, "k").unwrap_err().code(), "STORE_FAILED");
    assert_eq!(world.spy().deliver_late(), 0);
    assert!(create(&world, "k").unwrap().replayed);
}

#[test]
fn a_deletion_that_fails_for_sure_has_deleted_nothing() {
    let world = World::new("a\n");
    for asked in [Load, Commit] {
        world.spy().expect(asked, Trouble::Definite);
        assert_eq!(world.delete("delete").unwrap_err().code(), "STORE_FAILED");
        assert!(!world.head().is_deleted());
    }
    world.delete("delete").unwrap();
    assert!(world.head().is_deleted());
}

/// Two hosts make the same canvas at once: one of them learns that it exists.
#[test]
fn of_two_creations_one_wins() {
    let world = World::empty(Policy::default());
    let twin = world.peer();
    world.spy().expect(Commit, Trouble::after(move || drop(create(&twin, "other").unwrap())));
    assert_eq!(create(&world, "k").unwrap_err().code(), "CANVAS_EXISTS");
    let twin = world.peer();
    assert!(create(&twin, "other").unwrap().replayed);
}

/// After a commit of unknown fate a later fault, however definite, does not say that nothing was written.
#[test]
fn a_creation_or_deletion_in_doubt_never_claims_that_nothing_was_written() {
    for asked in [Load, Commit] {
        let world = World::empty(Policy::default());
        let break_off = || {
            world.spy().expect(Commit, Trouble::LostOnTheWay);
            // The first load comes before the first commit, the others after it.
            if asked == Load {
                world.spy().expect(Load, Trouble::after(|| ()));
            }
            (0..4).for_each(|_| world.spy().expect(asked, Trouble::Definite));
        };
        break_off();
        assert_eq!(create(&world, "k").unwrap_err().code(), "STORE_INDETERMINATE");
        world.spy().clear_script();
        assert_eq!(world.spy().deliver_late(), 1);
        assert!(create(&world, "k").unwrap().replayed);

        break_off();
        assert_eq!(world.delete("delete").unwrap_err().code(), "STORE_INDETERMINATE");
        world.spy().clear_script();
        assert_eq!(world.spy().deliver_late(), 1);
        world.delete("delete").unwrap();
        assert!(world.head().is_deleted());
    }
}

#[test]
fn a_store_that_never_answers_leaves_creation_and_deletion_in_doubt() {
    let world = World::empty(Policy::default());
    let break_all = || (0..300).for_each(|_| world.spy().expect(Commit, Trouble::LostOnTheWay));
    break_all();
    assert_eq!(create(&world, "k").unwrap_err().code(), "STORE_INDETERMINATE");
    world.spy().clear_script();
    world.spy().deliver_late();
    assert!(create(&world, "k").unwrap().replayed);
    break_all();
    assert_eq!(world.delete("delete").unwrap_err().code(), "STORE_INDETERMINATE");
    world.spy().clear_script();
    assert_eq!(world.spy().deliver_late(), 1);
    assert!(world.head().is_deleted());
}

#[test]
fn a_deletion_in_doubt_deletes() {
    for trouble in [Trouble::AnswerLost, Trouble::LostOnTheWay] {
        let world = World::new("a\n");
        world.spy().expect(Commit, trouble);
        world.delete("delete").unwrap();
        assert_eq!(world.spy().deliver_late(), 0);
        assert!(world.head().is_deleted());
        assert_eq!(world.head().lock().epoch().get(), 1);
    }
}

#[test]
fn a_missing_or_damaged_document_is_named() {
    for trouble in [|| Trouble::Missing, || Trouble::Damaged] {
        let world = World::new("a\nb\n");
        let peer = world.peer();
        peer.spy().expect(Blob, trouble());
        let e = block_on(peer.engine.snapshot(&peer.canvas, peer.now())).unwrap_err();
        let blob = canvas_core::BlobId::of(b"a\nb\n");
        assert_eq!((e.code(), e.is_retryable()), ("CANVAS_DAMAGED", false));
        assert!(matches!(e, EngineError::Damaged { blob: found, .. } if found == blob), "{e}");
        // Nothing of it is kept: the next look is whole.
        assert_eq!(block_on(peer.engine.snapshot(&peer.canvas, peer.now())).unwrap().text(), "a\nb\n");
    }
}

#[test]
fn a_document_that_is_no_text_is_damage() {
    let world = World::new("a\nb\n");
    let raw = canvas_core::Blob::bytes(vec![0xff, 0]);
    let head = world.altered("/draft", serde_json::json!({"document.md": raw.id()})).unwrap();
    let commit = canvas_core::store::Commit {
        expected: Some(world.loaded().version),
        head: head.into(),
        blobs: vec![raw],
        not_after: None,
    };
    block_on(canvas_core::store::Store::commit(&world.spy().inner, commit)).unwrap();
    let e = block_on(world.peer().engine.snapshot(&world.canvas, world.now())).unwrap_err();
    assert_eq!(e.code(), "CANVAS_DAMAGED");
}

/// The text that a conversation knew, and the answer that a receipt keeps, are blobs like any other.
#[test]
fn a_blob_that_a_decision_needs_may_be_missing_and_come_back() {
    for trouble in [|| Trouble::Missing, || Trouble::Damaged] {
        let world = World::new("a\nb\n");
        world.edit("z\n");
        let message = world.fresh("model", SendMessage);
        let version = world.loaded().version;
        // Once on the cached head and once on a fresh one.
        world.spy().expect(Blob, trouble());
        world.spy().expect(Blob, trouble());
        assert_eq!(error(&world, &message), ("CANVAS_DAMAGED", false));
        assert_eq!(world.loaded().version, version);
        assert!(matches!(
            world.run(&message).outcome,
            Outcome::TurnBegan(TurnBegan { changes: Some(_), .. })
        ));
    }
}

/// An answer that cannot be read any more is refused, and the call is not done again.
#[test]
fn an_unreadable_answer_is_not_given_and_the_call_not_done_again() {
    let world = World::new("a\nb\n");
    let lease = world.check_out("model");
    let write = world.fresh("model", apply(lease, "a>>c"));
    world.run(&write);
    for answer in [
        serde_json::json!({"inline": "{"}),
        serde_json::json!({"stored": canvas_core::BlobId::of(b"a\nb\n")}),
    ] {
        world.put(world.altered("/receipts/recent/2/answer", answer).unwrap());
        assert_eq!(code(&world.run(&write).outcome), "CALL_ID_REUSED");
        assert_eq!(world.text(), "a\nc\nb\n");
    }
}
