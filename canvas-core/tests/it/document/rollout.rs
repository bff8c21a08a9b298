//! The stages of the rollout: what each lets a model do, and that users notice none of it.

use std::num::NonZeroU32;

use canvas_core::document::{ApplyPatch, Edit, HostEdit, RangeHash, Read, ReplaceLines, Replacement};
use canvas_core::history::{ClearHistory, Redo, Undo, UndoScope};
use canvas_core::lease::{CheckIn, CheckOut, LeaseId, Renew};
use canvas_core::refusal::CallRefusal;
use canvas_core::rollout::{Access, Rollout};
use canvas_core::text::Delta;
use canvas_core::turn::{Cancel, Forget, SendMessage, TakeControl, TurnBegan};
use canvas_core::{Author, Policy, Role};

use crate::document::any::{Command, Outcome, code, dynamic};
use crate::document::world::{World, patch};

const STAGES: [Rollout; 5] =
    [Rollout::Off, Rollout::ReadOnly, Rollout::Write, Rollout::LeaseOptional, Rollout::LeaseEnforced];

fn at(rollout: Rollout) -> World {
    World::with("a\nb\n", Policy { rollout, ..Policy::default() })
}

fn read(lease: Option<LeaseId>) -> Command {
    dynamic(Read::new(lease))
}

fn apply(lease: Option<LeaseId>, change: &str) -> Command {
    dynamic(ApplyPatch { lease, patch: patch(change), base: None, scope: None, shown: None })
}

/// Every command of a model, named, without a lease.
fn commands(world: &World) -> Vec<(&'static str, Command)> {
    let one = NonZeroU32::MIN;
    let by = Author::Assistant { lease: None };
    let replacement = Replacement { start: 1, end: 1, expect: RangeHash::of("a\n"), text: "c".into() };
    let amend = dynamic(HostEdit {
        base: world.snapshot().revision_id().into(),
        delta: Delta::between("a\nb\n", "a\nd\n"),
        summary: String::new(),
        request: None,
    });
    vec![
        ("check out", dynamic(CheckOut)),
        ("renew", dynamic(Renew { lease: None })),
        ("check in", dynamic(CheckIn { lease: None })),
        ("read", read(None)),
        ("apply", apply(None, "b>c")),
        (
            "replace",
            dynamic(ReplaceLines { lease: None, replacements: vec![replacement], base: None, shown: None }),
        ),
        ("amend", amend),
        ("undo", dynamic(Undo { by, what: UndoScope::Steps(one) })),
        ("redo", dynamic(Redo { by, steps: one })),
    ]
}

/// Each command by itself, by a model that has read where it may.
#[test]
fn each_stage_opens_what_it_says() {
    let (off, empty, owned) = ("TOOL_DISABLED", "HISTORY_EMPTY", "LOCK_NOT_OWNED");
    let table: [(&str, [&str; 5]); 9] = [
        // Off, read only, write, lease optional, lease enforced.
        ("check out", [off, off, off, "OK", "OK"]),
        ("renew", [off, off, off, owned, owned]),
        ("check in", [off, off, off, owned, owned]),
        ("read", [off, "OK", "OK", "OK", owned]),
        ("apply", [off, off, "OK", "OK", owned]),
        ("replace", [off, off, "OK", "OK", owned]),
        ("amend", [off, off, "OK", "OK", "OK"]),
        ("undo", [off, off, empty, empty, empty]),
        ("redo", [off, off, empty, empty, empty]),
    ];
    for (column, stage) in STAGES.into_iter().enumerate() {
        for (name, codes) in table {
            let world = at(stage);
            world.ask("model", read(None));
            let before = world.loaded().version;
            let (_, command) = commands(&world).into_iter().find(|(other, _)| *other == name).unwrap();
            let outcome = world.ask("model", command);
            assert_eq!(code(&outcome), codes[column], "{name} at {stage:?}");
            if codes[column] == off {
                assert_eq!(world.loaded().version, before, "{name} at {stage:?} has left something");
            }
        }
        assert_eq!(table.len(), commands(&at(stage)).len());
    }
}

#[test]
fn in_git_mode_models_have_nothing_at_any_stage() {
    for rollout in STAGES {
        let world = World::with("a\nb\n", Policy { rollout, git_mode: true, ..Policy::default() });
        let before = world.loaded();
        for (name, command) in commands(&world) {
            assert_eq!(code(&world.ask("model", command)), "GIT_MODE_UNSUPPORTED", "{name} at {rollout:?}");
        }
        assert_eq!(world.loaded().version, before.version);
        assert_eq!(code(&world.edit("c\n")), "OK");
        assert_eq!(world.text(), "c\n");
    }
}

/// What users do is the same at every stage, and so is what a conversation hears of it.
#[test]
fn users_notice_no_stage() {
    let reported = STAGES.map(|stage| {
        let world = at(stage);
        let mut reported = Vec::new();
        for command in [
            dynamic(SendMessage),
            dynamic(Edit::overwrite("a\nb\nc\n")),
            dynamic(Edit::overwrite("a\nc\n")),
            dynamic(SendMessage),
            dynamic(Undo { by: Author::User, what: UndoScope::Author { author: Role::User, since: None } }),
            dynamic(Redo { by: Author::User, steps: NonZeroU32::MIN }),
            dynamic(TakeControl),
            dynamic(Cancel),
            dynamic(Forget),
            dynamic(SendMessage),
            dynamic(ClearHistory),
        ] {
            reported.push(world.ask("main", command));
        }
        (reported, world.text(), world.head())
    });
    assert!(
        matches!(&reported[0].0[3], Outcome::TurnBegan(TurnBegan { changes: Some(changes), .. }) if changes.diff.is_some())
    );
    for other in &reported[1..] {
        assert_eq!(*other, reported[0]);
    }
}

/// Where models write without a lease, what a lease guards is still guarded: nobody writes over what it does not know,
/// and the user comes first.
#[test]
fn who_writes_without_a_lease_overwrites_nobody() {
    for stage in [Rollout::Write, Rollout::LeaseOptional] {
        let world = at(stage);
        assert_eq!(code(&world.ask("model", apply(None, "b>c"))), "OK", "{stage:?}");
        world.ask("other", read(None));
        assert_eq!(code(&world.ask("other", apply(None, "c>d"))), "OK");
        let stale = world.ask("model", apply(None, "c>x"));
        assert_eq!(code(&stale), "PATCH_REJECTED/STALE_BASE", "{stage:?}");
        assert_eq!(code(&world.ask("model", apply(None, "d>e"))), "OK", "the refusal has shown the change");

        let late = world.fresh("model", apply(None, "e>f"));
        world.ask("user", Cancel);
        assert_eq!(code(&world.run(&late).outcome), "LOCK_NOT_AVAILABLE/USER_ACTIVE");
        world.ask("model", SendMessage);
        let call = world.fresh("model", apply(None, "e>f"));
        let applied = world.run(&call).outcome;
        assert!(matches!(&applied, Outcome::Applied(applied) if applied.expires_at.is_none()), "{applied:?}");
        assert_eq!((world.run(&call).replayed, world.text().as_str()), (true, "a\nf\n"));
    }
}

/// Where leases are optional, one that is held shuts everybody else out from writing.
#[test]
fn an_optional_lease_is_a_lease() {
    let world = at(Rollout::LeaseOptional);
    let lease = world.check_out("model");
    assert_eq!(code(&world.ask("other", read(None))), "OK");
    assert_eq!(code(&world.ask("other", apply(None, "b>c"))), "LOCK_NOT_AVAILABLE/HELD");
    assert_eq!(code(&world.ask("other", apply(Some(lease), "b>c"))), "LOCK_NOT_OWNED");
    // Its holder need not name it, and the call extends it.
    world.ask("model", read(Some(lease)));
    world.clock.wait(7_000);
    let Outcome::Applied(applied) = world.ask("model", apply(None, "b>c")) else {
        panic!("it holds the lease")
    };
    assert_eq!(applied.expires_at.map(|at| at.as_millis()), Some(8_000 + 15_000));
    // Once it is over, the number of it opens nothing, and none is needed.
    world.clock.wait(60_000);
    assert_eq!(code(&world.ask("model", apply(Some(lease), "c>d"))), "LEASE_EXPIRED");
    world.ask("other", read(None));
    assert_eq!(code(&world.ask("other", apply(None, "c>d"))), "OK");
    assert_eq!(world.text(), "a\nd\n");
}

#[test]
fn without_leases_one_that_is_named_means_nothing() {
    let world = at(Rollout::LeaseOptional);
    let lease = world.check_out("model");
    world.ask("model", CheckIn { lease: Some(lease) });
    let world = at(Rollout::Write);
    world.ask("model", read(Some(lease)));
    assert_eq!(code(&world.ask("model", apply(Some(lease), "b>c"))), "OK");
}

#[test]
fn a_stage_says_what_comes_with_it() {
    for (stage, reads, writes, leases) in [
        (Rollout::Off, false, false, false),
        (Rollout::ReadOnly, true, false, false),
        (Rollout::Write, true, true, false),
        (Rollout::LeaseOptional, true, true, true),
        (Rollout::LeaseEnforced, true, true, true),
    ] {
        let policy = Policy { rollout: stage, ..Policy::default() };
        for (access, is_open) in [(Access::Read, reads), (Access::Write, writes), (Access::Lease, leases)] {
            let closed = if is_open { Ok(()) } else { Err(CallRefusal::Disabled { rollout: stage }) };
            assert_eq!(policy.permits(access), closed, "{stage:?} {access:?}");
        }
        assert_eq!((stage.has_leases(), stage.needs_lease()), (leases, stage == Rollout::LeaseEnforced));
    }
    assert_eq!(Policy::default().rollout, Rollout::LeaseEnforced);
}
