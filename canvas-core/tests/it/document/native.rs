//! Edits of conversations that name neither lease nor base.

use canvas_core::document::{ApplyEdits, Edit, Look, Read, Shown};
use canvas_core::history::{EntryKind, Undo, UndoScope};
use canvas_core::lease::{CheckIn, LeaseId};
use canvas_core::rollout::Rollout;
use canvas_core::testing::block_on;
use canvas_core::text::Delta;
use canvas_core::turn::{Cancel, SendMessage, TakeControl};
use canvas_core::{Author, Policy, RevisionId, Role};
use serde_json::json;

use crate::document::any::{Call, Outcome, code, dynamic};
use crate::document::world::{Asked, World, key};
use crate::policy_with;

/// `a>b` replaces the first a of a text by b; what it was made from is the change itself.
fn edits(text: &str, made_on: RevisionId, change: &str) -> ApplyEdits {
    let (old, new) = change.split_once('>').expect("old>new");
    let after = text.replacen(old, new, 1);
    ApplyEdits {
        made_on,
        delta: Delta::between(text, &after),
        repairs: Vec::new(),
        request: ApplyEdits::request("edit", &json!(change)),
    }
}

fn edit(world: &World, change: &str) -> ApplyEdits {
    let now = world.snapshot();
    edits(now.text(), now.revision_id(), change)
}

/// One act a line, whose it is, what it answers, and the text after it: `edit:a>b`, `first:a>b` on the first revision,
/// `other:a>b` as if the text were another, `look`, `part`, `out`, `in`, `write`, `user:text`, `says`, `cancel`, `wait:ms`.
#[track_caller]
fn play(acts: &[(&str, &str, &str, &str)]) -> World {
    let world = World::new("a\nb\n");
    let first = world.snapshot();
    let mut leases: Vec<(&str, LeaseId)> = Vec::new();
    for (number, (who, act, answer, text)) in acts.iter().enumerate() {
        let (what, how) = act.split_once(':').unwrap_or((act, ""));
        let lease = leases.iter().rev().find(|(holder, _)| holder == who).map(|(_, lease)| *lease);
        let outcome = match what {
            "edit" => world.ask(who, edit(&world, how)),
            "first" => world.ask(who, edits(first.text(), first.revision_id(), how)),
            "other" => {
                let made_on = world.snapshot().revision_id();
                world.ask(who, edits("something else\n", made_on, how))
            }
            "look" => world.ask(who, Look { shown: Shown { lines: usize::MAX, bytes: usize::MAX } }),
            "part" => world.ask(who, Look { shown: Shown::default() }),
            "out" => {
                let done = world.ask(who, canvas_core::lease::CheckOut);
                if let Outcome::CheckedOut(out) = &done {
                    leases.push((who, out.lease));
                }
                done
            }
            "in" => world.ask(who, CheckIn { lease }),
            "read" => world.ask(who, Read::new(lease)),
            "write" => world.write(who, lease.expect("it has a lease"), how),
            "user" => world.edit(&how.replace('/', "\n")),
            "says" => world.ask(who, SendMessage),
            "cancel" => world.ask(who, Cancel),
            "takes" => world.ask(who, TakeControl),
            "wait" => {
                world.clock.wait(how.parse().expect("a number"));
                continue;
            }
            other => panic!("{other}"),
        };
        assert_eq!(code(&outcome), *answer, "{number}: {who} {act}");
        assert_eq!(world.text(), text.replace('/', "\n"), "{number}: {who} {act}");
    }
    world
}

#[test]
fn who_may_edit_when() {
    // Without a lease, and it is given back.
    play(&[
        ("model", "edit:a>c", "OK", "c/b/"),
        ("other", "out", "OK", "c/b/"),
        ("model", "edit:c>d", "LOCK_NOT_AVAILABLE/HELD", "c/b/"),
        ("other", "in", "OK", "c/b/"),
        ("model", "edit:c>d", "OK", "d/b/"),
    ]);
    // One that runs out is nobody's.
    play(&[
        ("other", "out", "OK", "a/b/"),
        ("model", "wait:14999", "", ""),
        ("model", "edit:a>c", "LOCK_NOT_AVAILABLE/HELD", "a/b/"),
        ("model", "wait:2", "", ""),
        ("model", "edit:a>c", "OK", "c/b/"),
    ]);
    // Its own lease stays, and lives as much longer as by any other call of its holder.
    play(&[
        ("model", "out", "OK", "a/b/"),
        ("model", "wait:14000", "", ""),
        ("model", "edit:a>c", "OK", "c/b/"),
        ("model", "wait:14000", "", ""),
        ("other", "out", "LOCK_NOT_AVAILABLE/HELD", "c/b/"),
        ("model", "write:b>d", "OK", "c/d/"),
        ("model", "in", "OK", "c/d/"),
        ("other", "out", "OK", "c/d/"),
    ]);
    // The user has ended the turn, until the next message.
    for end in ["cancel", "takes"] {
        play(&[
            ("user", end, "OK", "a/b/"),
            ("model", "edit:a>c", "LOCK_NOT_AVAILABLE/USER_ACTIVE", "a/b/"),
            ("user", "says", "OK", "a/b/"),
            ("model", "edit:a>c", "OK", "c/b/"),
        ]);
    }
}

#[test]
fn it_holds_for_what_the_conversation_has_seen() {
    // A refusal shows what changed; so does a look.
    play(&[
        ("user", "user:a/b/c/", "OK", "a/b/c/"),
        ("model", "edit:a>d", "PATCH_REJECTED/STALE_BASE", "a/b/c/"),
        ("model", "edit:a>d", "OK", "d/b/c/"),
        ("user", "user:e/", "OK", "e/"),
        ("model", "look", "OK", "e/"),
        ("model", "edit:e>f", "OK", "f/"),
        ("user", "user:g/", "OK", "g/"),
        ("model", "part", "OK", "g/"),
        ("model", "edit:g>h", "OK", "h/"),
    ]);
    // An edit of another conversation is as new as the user's.
    play(&[
        ("other", "look", "OK", "a/b/"),
        ("other", "edit:a>c", "OK", "c/b/"),
        ("model", "edit:c>d", "PATCH_REJECTED/STALE_BASE", "c/b/"),
    ]);
    // What is located in another revision, or in no text of this canvas, is not tried.
    play(&[
        ("model", "edit:a>c", "OK", "c/b/"),
        ("model", "first:b>d", "PATCH_REJECTED/STALE_BASE", "c/b/"),
        ("model", "other:else>more", "PATCH_REJECTED/STALE_BASE", "c/b/"),
        ("model", "other:a>a", "PATCH_REJECTED/STALE_BASE", "c/b/"),
        ("model", "edit:b>d", "OK", "c/d/"),
    ]);
}

#[test]
fn it_is_one_entry_of_the_journal() {
    let world = play(&[("model", "edit:a>c", "OK", "c/b/"), ("model", "edit:b>", "OK", "c//")]);
    let mut entries = block_on(world.engine.history(&world.canvas, None, usize::MAX, world.now())).unwrap();
    entries.retain(|entry| matches!(entry.kind, EntryKind::Edit));
    let (last, count) = (entries.first().expect("it has entries"), entries.len());
    assert_eq!((count, &last.actor, &*last.summary), (2, &Role::Assistant, "+1 −1, 1 hunk"));
    for (undone, text) in ["c\nb\n", "a\nb\n"].into_iter().enumerate() {
        let undo = Undo { by: Author::User, what: UndoScope::Steps(std::num::NonZeroU32::MIN) };
        assert_eq!(code(&world.ask("user", undo)), "OK", "{undone}");
        assert_eq!(world.text(), text);
    }
}

#[test]
fn a_retry_gets_the_first_answer() {
    let world = World::new("a\nb\n");
    let call = Call { operation: key("model", 0, "1"), command: dynamic(edit(&world, "a>c")) };
    let first = world.run(&call);
    assert_eq!((code(&first.outcome), first.replayed), ("OK".into(), false));
    // Located anew, it is the same call; the answer is that of the first, whatever has become of the text since.
    world.edit("z\n");
    let again = Call { command: dynamic(edit(&world, "a>c")), ..call.clone() };
    let second = world.run(&again);
    assert_eq!((&second.outcome, second.replayed), (&first.outcome, true));
    let another = Call { command: dynamic(edit(&world, "z>y")), ..call };
    assert_eq!(code(&world.run(&another).outcome), "CALL_ID_REUSED");
    assert_eq!(world.text(), "z\n");
}

/// Taking the lease, the edit and giving it back are one commit; a refusal is none, or that of what it has shown.
#[test]
fn it_is_one_commit() {
    let world = World::new("a\nb\n");
    world.spy().asked();
    let commits = || world.spy().asked().into_iter().filter(|asked| *asked == Asked::Commit).count();
    let before = world.head();
    assert_eq!(code(&world.ask("model", edit(&world, "a>c"))), "OK");
    assert_eq!((commits(), world.head().lock().epoch()), (1, before.lock().epoch()));
    world.check_out("other");
    commits();
    let text = world.text();
    world.ask("model", edit(&world, "c>d"));
    assert_eq!(world.text(), text);
}

#[test]
fn limits_and_rollout_hold() {
    let policy = policy_with(|policy| policy.document.bytes = 8);
    let world = World::with("a\nb\n", policy);
    assert_eq!(code(&world.ask("model", edit(&world, "a>123456789"))), "DOCUMENT_TOO_LARGE");
    assert_eq!(code(&world.ask("model", edit(&world, "a>12345"))), "OK");
    let closed = World::with("a\nb\n", Policy { rollout: Rollout::ReadOnly, ..Policy::default() });
    assert_eq!(code(&closed.ask("model", edit(&closed, "a>c"))), "TOOL_DISABLED");
    assert_eq!(closed.text(), "a\nb\n");
    assert_eq!(code(&closed.ask("user", Edit::overwrite("z\n"))), "OK");
}
