//! A patch is judged only against a text that its author knows.

use canvas_core::Refusal;
use canvas_core::document::{ApplyPatch, BaseRefusal, Changes, Fits, PatchRefusal, StaleBase};
use canvas_core::history::ClearHistory;

use super::story::{check, check_with};
use super::world::{World, apply, apply_at};
use crate::document::any::{code, dynamic};
use crate::policy_with;

#[test]
fn a_named_base_must_be_the_newest() {
    check(
        "
        1000 model checks-out c1 -> lease-1-0 until 16000 r1
        1000 model writes c2 lease-1-0 a>c at r1 -> r2 +1 −1 until 16000
        1000 model writes c3 lease-1-0 c>d at r1 -> STALE_BASE, shown -a +c
        1000 model writes c4 lease-1-0 c>d at r0 -> STALE_BASE, shown nothing
        1000 model writes c5 lease-1-0 c>d at r3 -> STALE_BASE, shown nothing
        1000 model writes c6 lease-1-0 c>d at r2 -> r3 +1 −1 until 16000
        1000 model writes c2 lease-1-0 a>c at r1 -> again: r2 +1 −1 until 16000
        ",
    );
}

#[test]
fn an_omitted_base_is_what_the_conversation_has_seen() {
    check(
        "
        1000 model checks-out c1 -> lease-1-0 until 16000 r1
        1000 model writes c2 lease-1-0 a>c -> r2 +1 −1 until 16000
        1000 model writes c3 lease-1-0 c>d -> r3 +1 −1 until 16000
        1000 model checks-in c4 lease-1-0 -> released r3
        1000 other checks-out c5 -> lease-2-0 until 16000 r3
        1000 other writes c6 lease-2-0 d>e -> STALE_BASE, shown -a +d
        1000 other writes c7 lease-2-0 d>e -> r4 +1 −1 until 16000
        1000 other checks-in c8 lease-2-0 -> released r4
        1000 model checks-out c9 -> lease-3-0 until 16000 r4
        1000 model reads lease-3-0 -> r4 until 16000
        1000 model writes c10 lease-3-0 e>f -> r5 +1 −1 until 16000
        ",
    );
}

/// A refusal that shows the change has reported it; so has a hidden message.
#[test]
fn who_has_been_shown_the_change_may_send_again() {
    check(
        "
        1000 model checks-out c1 -> lease-1-0 until 16000 r1
        1000 user edits u1 a|z -> epoch 1 r2
        1000 model writes c2 lease-1-0 a>c -> STALE_EPOCH 1, shown -b +z
        1000 model checks-out c3 -> lease-2-1 until 16000 r2
        1000 model writes c4 lease-2-1 a>c -> r3 +1 −1 until 16000
        1000 user edits u2 c|y -> epoch 2 r4
        1000 model checks-out c5 -> lease-3-2 until 16000 r4
        1000 model writes c6 lease-3-2 c>d -> STALE_BASE, shown -z +y
        1000 model writes c7 lease-3-2 c>d -> r5 +1 −1 until 16000
        1000 user edits u3 d|x -> epoch 3 r6
        1000 model hears m1 -> epoch 4 r6, promoted, reported -a -b +d +x
        1000 model checks-out c8 -> lease-4-4 until 16000 r6
        1000 model writes c9 lease-4-4 d>e -> r7 +1 −1 until 16000
        ",
    );
}

/// A base that nobody remembers shows nothing, so it tells nothing; a known one does.
#[test]
fn a_named_base_tells_only_what_its_refusal_showed() {
    check(
        "
        1000 user edits u1 a|z -> epoch 1 r2
        1000 model checks-out c1 -> lease-1-1 until 16000 r2
        1000 model writes c2 lease-1-1 a>c at r0 -> STALE_BASE, shown nothing
        1000 model writes c3 lease-1-1 a>c at r7 -> STALE_BASE, shown nothing
        1000 model writes c4 lease-1-1 a>c -> STALE_BASE, shown -b +z
        1000 user edits u2 a|y -> epoch 2 r3
        1000 model checks-out c5 -> lease-2-2 until 16000 r3
        1000 model writes c6 lease-2-2 a>c at r2 -> STALE_BASE, shown -z +y
        1000 model writes c7 lease-2-2 a>c -> r4 +1 −1 until 16000
        ",
    );
}

/// The bytes decide, not the number: a base that the document has come back to is current.
#[test]
fn a_text_that_has_come_back_is_current() {
    check(
        "
        1000 model checks-out c1 -> lease-1-0 until 16000 r1
        1000 user edits u1 a|z -> epoch 1 r2
        1000 user edits u2 a|b -> epoch 2 r3
        1000 model checks-out c2 -> lease-2-2 until 16000 r3
        1000 model writes c3 lease-2-2 a>c at r2 -> STALE_BASE, shown -z +b
        1000 model writes c4 lease-2-2 a>c at r1 -> r4 +1 −1 until 16000
        1000 user edits u3 c|y -> epoch 3 r5
        1000 user edits u4 c|b -> epoch 4 r6
        1000 model checks-out c5 -> lease-3-4 until 16000 r6
        1000 model writes c6 lease-3-4 c>d -> r7 +1 −1 until 16000
        ",
    );
}

/// Other faces count on, and the document keeps its id.
#[cfg(feature = "board")]
#[test]
fn an_id_names_the_revision_that_last_changed_the_document() {
    use super::board::{board_command, tile, with_board};
    use canvas_core::history::{Undo, UndoScope};
    use canvas_core::{Author, RevisionId};

    let world = with_board();
    let before = world.snapshot();
    world.ask("user", board_command(Author::User, tile(0)));
    let after = world.snapshot();
    assert_eq!(after.revision_id(), before.revision_id());
    // An undo over both faces gives each the revision of its own entry.
    let both = with_board();
    both.ask("user", board_command(Author::User, tile(0)));
    both.edit("other\n");
    let two = UndoScope::Steps(std::num::NonZeroU32::new(2).unwrap());
    assert_eq!(code(&both.ask("user", Undo { by: Author::User, what: two })), "OK");
    let undone = both.snapshot();
    assert_eq!(undone.revision_id().revision().get() + 1, undone.head.revision().get());
    // An id with a higher number, as earlier versions gave it.
    let later = RevisionId::new(after.head.revision(), after.document.id());
    assert!(later.revision() > after.revision_id().revision());
    let lease = world.check_out("model");
    assert_eq!(code(&world.ask("model", apply_at(lease, "a>c", later))), "OK");
    let now = world.snapshot();
    assert_eq!(now.revision_id().revision(), now.head.revision());
    assert_eq!(code(&world.ask("model", apply_at(lease, "c>d", later))), "PATCH_REJECTED/STALE_BASE");
}

/// Even if the history no longer has the changes in between.
#[test]
fn a_base_with_the_current_bytes_is_current_without_a_history() {
    let world = World::new("a\nb\n");
    world.edit("x\n");
    world.edit("y\n");
    let (other, base) = (world.snapshot().revision_id(), {
        world.edit("a\nb\n");
        world.snapshot().revision_id()
    });
    world.edit("z\n");
    world.edit("a\nb\n");
    world.ask("user", ClearHistory);
    let lease = world.check_out("model");
    assert_eq!(code(&world.ask("model", apply_at(lease, "a>c", other))), "PATCH_REJECTED/STALE_BASE");
    assert_eq!(code(&world.ask("model", apply_at(lease, "a>c", base))), "OK");
}

/// Nothing to show is shown: a model that writes again after such a refusal must not be refused for ever.
#[test]
fn a_lease_lost_to_a_change_and_back_again_shows_nothing_and_is_known() {
    check(
        "
        1000 model checks-out c1 -> lease-1-0 until 16000 r1
        1000 user edits u1 a|z -> epoch 1 r2
        1000 user edits u2 a|b -> epoch 2 r3
        1000 model writes c2 lease-1-0 a>c -> STALE_EPOCH 2, shown nothing
        1000 model checks-out c3 -> lease-2-2 until 16000 r3
        1000 model writes c4 lease-2-2 a>c -> r4 +1 −1 until 16000
        ",
    );
}

#[test]
fn a_change_too_large_to_show_must_be_read() {
    check_with(
        policy_with(|policy| policy.sync.refusal_diff_bytes = 10),
        "
        1000 model checks-out c1 -> lease-1-0 until 16000 r1
        1000 user edits u1 a|z -> epoch 1 r2
        1000 model writes c2 lease-1-0 a>c -> STALE_EPOCH 1, shown too much
        1000 model checks-out c3 -> lease-2-1 until 16000 r2
        1000 model writes c4 lease-2-1 a>c -> STALE_BASE, shown too much
        1000 model writes c5 lease-2-1 a>c -> STALE_BASE, shown too much
        1000 model reads lease-2-1 -> r2 until 16000
        1000 model writes c6 lease-2-1 a>c -> r3 +1 −1 until 16000
        ",
    );
}

#[test]
fn the_diff_of_a_refusal_leads_from_the_base_to_the_document() {
    let world = World::new("a\nb\n");
    let base = world.snapshot().revision_id();
    world.edit("a\nz\n");
    let lease = world.check_out("model");
    let refused = world.ask("model", apply_at(lease, "a>c", base));
    let Some(Refusal::Base(BaseRefusal::StaleBase(stale))) = refused.refusal() else {
        panic!("the base is not stale");
    };
    let StaleBase { base: named, changes, near, rebased, fits, .. } = StaleBase::clone(stale);
    let (from, to) = (base, world.snapshot().revision_id());
    let diff = Some("@@ -1,2 +1,2 @@\n a\n-b\n+z\n".to_owned());
    assert_eq!(
        (named, changes, near),
        (Some(base.into()), Some(Changes { from: Some(from), to, diff, whole: None, headings: None }), None)
    );
    // What still fits is not written out again.
    assert_eq!((rebased, fits), (None, Some(Fits::Touched)));
}

/// Two calls of one conversation may be in flight at once; both name the same base, and the second is refused.
#[test]
fn of_two_writes_on_one_base_the_second_is_refused() {
    let world = World::new("a\nb\n");
    let lease = world.check_out("model");
    let base = world.snapshot().revision_id();
    let (first, second) = (
        world.fresh("model", apply_at(lease, "a>c", base)),
        world.peer().fresh("model", apply_at(lease, "b>d", base)),
    );
    assert_eq!(code(&world.run(&first).outcome), "OK");
    assert_eq!(code(&world.peer().run(&second).outcome), "PATCH_REJECTED/STALE_BASE");
    assert_eq!(world.text(), "c\nb\n");
}

/// Every conflict of a patch in one refusal, and nothing of it done.
#[test]
fn a_refused_patch_changes_nothing() {
    let world = World::new("a\nb\nc\n");
    let lease = world.check_out("model");
    let patch = "@@\n-a\n+A\n@@\n-x\n+X\n@@\n-y\n+Y\n";
    let command =
        dynamic(ApplyPatch { lease: Some(lease), patch: patch.into(), base: None, scope: None, shown: None });
    let refused = world.ask("model", command);
    let Some(Refusal::Patch(PatchRefusal::PatchRejected(rejected))) = refused.refusal() else {
        panic!("the patch fits");
    };
    assert_eq!(rejected.conflicts().iter().map(|conflict| conflict.hunk).collect::<Vec<_>>(), [2, 3]);
    assert_eq!((world.text().as_str(), world.head().revision().get()), ("a\nb\nc\n", 1));
    assert_eq!(code(&world.ask("model", apply(lease, "b>b"))), "PATCH_REJECTED/NO_EFFECT");
}
