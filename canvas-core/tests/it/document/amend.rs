//! Edits that a host makes for a model, without a lease.

use canvas_core::document::{HostEdit, HostEdited};
use canvas_core::history::{Undo, UndoScope};
use canvas_core::lease::{CheckIn, CheckOut};
use canvas_core::testing::block_on;
use canvas_core::text::Delta;
use canvas_core::turn::{Cancel, SendMessage};
use canvas_core::{Author, BlobId, CallId, CodedError as _, OpKey, RevisionId, Role};

use crate::document::any::{Call, Command, Outcome, code, dynamic};
use crate::document::world::World;

fn amend(world: &World, base: RevisionId, to: &str) -> Command {
    dynamic(HostEdit {
        base: base.into(),
        delta: Delta::between(&world.text(), to),
        summary: "by hand".into(),
        request: None,
    })
}

#[test]
fn an_edit_is_made_where_nobody_holds_the_lease_and_nothing_has_changed() {
    let world = World::new("a\nb\n");
    let base = world.snapshot().revision_id();
    let call = world.fresh("model", amend(&world, base, "a\nc\n"));
    assert_eq!(code(&world.run(&call).outcome), "OK");
    assert_eq!(world.text(), "a\nc\n");
    assert!(world.run(&call).replayed);
    let entry = block_on(world.engine.history(&world.canvas, None, 1, world.now())).unwrap().remove(0);
    assert_eq!((entry.author, entry.summary.as_str()), (Role::Assistant, "by hand"));

    // Written for the text before.
    assert_eq!(code(&world.ask("model", amend(&world, base, "z\n"))), "PATCH_REJECTED/STALE_BASE");
    let now = world.snapshot().revision_id();
    // Nothing changes, and it is no revision.
    assert_eq!(code(&world.ask("model", amend(&world, now, "a\nc\n"))), "OK");
    assert_eq!(world.snapshot().revision_id(), now);
    // An edit of another text than its base.
    let other = dynamic(HostEdit {
        base: now.into(),
        delta: Delta::between("x\n", "y\n"),
        summary: String::new(),
        request: None,
    });
    assert_eq!(code(&world.ask("model", other)), "PATCH_REJECTED/STALE_BASE");

    let lease = world.check_out("model");
    assert_eq!(code(&world.ask("model", amend(&world, now, "z\n"))), "LOCK_NOT_AVAILABLE/HELD");
    world.ask("model", CheckIn { lease: Some(lease) });
    let late = world.fresh("model", amend(&world, now, "z\n"));
    world.ask("user", Cancel);
    assert_eq!(code(&world.run(&late).outcome), "LOCK_NOT_AVAILABLE/USER_ACTIVE");
    world.ask("user", SendMessage);
    assert_eq!(code(&world.ask("model", amend(&world, now, "z\n"))), "OK");
    let late = Call { operation: OpKey { call: CallId::new("late").unwrap(), ..late.operation }, ..late };
    assert_eq!(code(&world.run(&late).outcome), "LOCK_NOT_AVAILABLE/USER_ACTIVE");
    assert_eq!(world.text(), "z\n");
    let undo = dynamic(Undo {
        by: Author::User,
        what: UndoScope::Author { author: Role::Assistant, since: Some(now.revision()) },
    });
    assert_eq!(code(&world.ask("user", undo)), "OK");
    assert_eq!(world.text(), "a\nc\n");
}

/// The same key with another edit is no retry.
#[test]
fn edits_are_distinguished() {
    let world = World::new("a\nb\n");
    let base = world.snapshot().revision_id();
    let call = world.fresh("model", amend(&world, base, "a\nc\n"));
    world.run(&call);
    let Command::HostEdit(HostEdit { delta, .. }) = &call.command else { panic!("it is one") };
    for command in [
        dynamic(HostEdit { base: base.into(), delta: delta.clone(), summary: "other".into(), request: None }),
        dynamic(HostEdit {
            base: base.into(),
            delta: delta.inverse(),
            summary: "by hand".into(),
            request: None,
        }),
        dynamic(HostEdit {
            base: world.snapshot().revision_id().into(),
            delta: delta.clone(),
            summary: "by hand".into(),
            request: None,
        }),
    ] {
        let call = Call { command, ..call.clone() };
        assert_eq!(code(&world.run(&call).outcome), "CALL_ID_REUSED");
    }
}

/// A host that makes the edit anew for a retry names what it makes it from.
#[test]
fn a_request_makes_two_edits_one_call() {
    let world = World::new("a\nb\n");
    let base = world.snapshot().revision_id();
    let ask = |call: &Call| {
        let Command::HostEdit(edit) = &call.command else { panic!("{call:?}") };
        block_on(world.engine.recall(&world.canvas, &call.operation, edit, world.now())).unwrap()
    };
    let from = |request: &[u8], to: &str| {
        let request = Some(BlobId::of(request));
        dynamic(HostEdit {
            base: base.into(),
            delta: Delta::between("a\nb\n", to),
            summary: String::new(),
            request,
        })
    };
    let call = world.fresh("model", from(b"request", "a\nc\n"));
    let before = world.snapshot().head;
    assert_eq!(ask(&call).0, None);
    assert_eq!(world.snapshot().head, before, "to ask is to do nothing");
    let done = world.run(&call);
    let Outcome::HostEdited(HostEdited { revision, previous, change: Some(change), .. }) = done.outcome
    else {
        panic!("{done:?}")
    };
    assert_eq!((previous, revision, change.get()), (base, world.snapshot().revision_id(), 1));

    let retry = Call { command: from(b"request", "z\n"), ..call.clone() };
    let (answer, snapshot) = ask(&retry);
    assert_eq!((answer.map(|answer| answer.unwrap().revision), snapshot.text()), (Some(revision), "a\nc\n"));
    let again = world.run(&retry);
    assert_eq!((again.replayed, again.outcome), (true, done.outcome));
    assert_eq!(world.text(), "a\nc\n");
    let refused = |call: &Call| ask(call).0.map(|answer| answer.unwrap_err().code());
    let other = Call { command: from(b"other", "a\nc\n"), ..call.clone() };
    assert_eq!(refused(&other), Some("CALL_ID_REUSED"));
    for other in [other, Call { command: dynamic(CheckOut), ..call }] {
        assert_eq!(code(&world.run(&other).outcome), "CALL_ID_REUSED");
    }
    let given_up = world.fresh("model", from(b"late", "z\n"));
    block_on(world.engine.resolve(&world.canvas, &given_up.operation, world.now())).unwrap();
    assert_eq!(refused(&given_up), Some("CALL_ABANDONED"));
}
