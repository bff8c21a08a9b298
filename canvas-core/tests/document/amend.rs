//! Edits that a host makes for a model, without a lease.

use canvas_core::text::Delta;
use canvas_core::{Actor, Call, CallId, Command, OpKey, Party, RevisionId, Undo, block_on};

use crate::world::{World, code};

fn amend(world: &World, base: RevisionId, to: &str) -> Command {
    Command::Amend { base, delta: Delta::between(&world.text(), to), summary: "by hand".into() }
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
    assert_eq!((entry.author, entry.summary.as_str()), (Actor::Assistant, "by hand"));

    // Written for the text before.
    assert_eq!(code(&world.ask("model", amend(&world, base, "z\n"))), "PATCH_REJECTED/STALE_BASE");
    let now = world.snapshot().revision_id();
    // Nothing changes, and it is no revision.
    assert_eq!(code(&world.ask("model", amend(&world, now, "a\nc\n"))), "OK");
    assert_eq!(world.snapshot().revision_id(), now);
    // An edit of another text than its base.
    let other = Command::Amend { base: now, delta: Delta::between("x\n", "y\n"), summary: String::new() };
    assert_eq!(code(&world.ask("model", other)), "PATCH_REJECTED/STALE_BASE");

    let lease = world.check_out("model");
    assert_eq!(code(&world.ask("model", amend(&world, now, "z\n"))), "LOCK_NOT_AVAILABLE/HELD");
    world.ask("model", Command::CheckIn { lease: Some(lease) });
    let late = world.fresh("model", amend(&world, now, "z\n"));
    world.ask("user", Command::Cancel);
    assert_eq!(code(&world.run(&late).outcome), "LOCK_NOT_AVAILABLE/USER_ACTIVE");
    world.ask("user", Command::Message);
    assert_eq!(code(&world.ask("model", amend(&world, now, "z\n"))), "OK");
    let late = Call { operation: OpKey { call: CallId::new("late").unwrap(), ..late.operation }, ..late };
    assert_eq!(code(&world.run(&late).outcome), "LOCK_NOT_AVAILABLE/USER_ACTIVE");
    assert_eq!(world.text(), "z\n");
    let undo = Command::Undo {
        by: Party::User,
        what: Undo::Author { author: Actor::Assistant, since: Some(now.revision()) },
    };
    assert_eq!(code(&world.ask("user", undo)), "OK");
    assert_eq!(world.text(), "a\nc\n");
}

/// The same key with another edit is no retry.
#[test]
fn edits_are_told_apart() {
    let world = World::new("a\nb\n");
    let base = world.snapshot().revision_id();
    let call = world.fresh("model", amend(&world, base, "a\nc\n"));
    world.run(&call);
    let Command::Amend { delta, .. } = &call.command else { panic!("it is one") };
    for command in [
        Command::Amend { base, delta: delta.clone(), summary: "other".into() },
        Command::Amend { base, delta: delta.inverse(), summary: "by hand".into() },
        Command::Amend {
            base: world.snapshot().revision_id(),
            delta: delta.clone(),
            summary: "by hand".into(),
        },
    ] {
        let call = Call { command, ..call.clone() };
        assert_eq!(code(&world.run(&call).outcome), "CALL_ID_REUSED");
    }
}
