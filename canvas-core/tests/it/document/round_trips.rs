//! What must be read before a call is answered costs few round trips, however much it is.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use canvas_core::document::Edit;
use canvas_core::history::{ChangeNumber, Redo, Undo, UndoScope};
use canvas_core::testing::block_on;
use canvas_core::{Author, Blob as Content, BlobId, Policy, Role};

use crate::document::any::code;
use crate::document::world::Asked::{Blob, Commit, Load};
use crate::document::world::{World, collect};
use crate::policy_with;

fn steps(steps: u32) -> NonZeroU32 {
    NonZeroU32::new(steps).unwrap()
}

fn undo(count: u32) -> Undo {
    Undo { by: Author::User, what: UndoScope::Steps(steps(count)) }
}

fn redo(count: u32) -> Redo {
    Redo { by: Author::User, steps: steps(count) }
}

/// The texts `0`, `1` and so on, each an edit of the one before.
fn with_edits(count: usize, policy: Policy) -> World {
    let world = World::with("0\n", policy);
    (1..=count).for_each(|i| drop(world.edit(&format!("{i}\n"))));
    world
}

/// What another server asks of the store for a command that is done.
#[track_caller]
fn round_trips(world: &World, command: impl Into<crate::document::any::Command>) -> usize {
    let peer = world.peer();
    let answer = peer.ask("user", command);
    assert_eq!(code(&answer), "OK");
    peer.spy().asked().len()
}

#[test]
fn undo_of_many_steps_is_few_round_trips() {
    for edits in [256, 300, 333, 1_000] {
        for (count, most) in [(1, 4), (16, 10), (100, 13), (256, 16)] {
            let world = with_edits(edits, Policy::default());
            let asked = round_trips(&world, undo(count));
            assert!(asked <= most, "{asked} round trips to undo {count} of {edits}");
            assert_eq!(world.text(), format!("{}\n", edits - count as usize));
            // What was undone lies at the end, what is to be undone next before it.
            let asked = round_trips(&world, redo(count));
            assert!(asked <= most + 3, "{asked} round trips to redo {count} of {edits}");
            assert_eq!(world.text(), format!("{edits}\n"));
        }
    }
}

#[test]
fn undo_that_goes_on_where_another_ended_finds_its_way() {
    let world = with_edits(600, Policy::default());
    for (left, most) in [(400, 16), (200, 20), (0, 20)] {
        let asked = round_trips(&world, undo(200));
        assert!(asked <= most, "{asked} round trips");
        assert_eq!(world.text(), format!("{left}\n"));
    }
}

#[test]
fn documents_that_entries_name_are_read_at_once() {
    let world = with_edits(120, policy_with(|policy| policy.history.entry_bytes = 0));
    let asked = round_trips(&world, undo(100));
    assert!(asked <= 14, "{asked} round trips");
    assert_eq!(world.text(), "20\n");
}

#[test]
fn a_replay_reads_many_documents_at_once() {
    let world = with_edits(160, policy_with(|policy| policy.history.entry_bytes = 0));
    let peer = world.peer();
    let replay = block_on(peer.engine.replay(&peer.canvas, peer.now())).unwrap();
    assert_eq!((replay.entries, replay.first), (160, BlobId::of(b"0\n")));
    let asked = peer.spy().asked().len();
    assert!(asked <= 2 + 13 + 2 * 10, "{asked} round trips for 320 documents");
}

#[test]
fn undo_down_to_a_change_and_of_an_author_is_few_round_trips() {
    let what = [
        UndoScope::To(ChangeNumber::new(200)),
        UndoScope::Author { author: Role::User, since: None },
        UndoScope::Change(ChangeNumber::new(250)),
    ];
    for (what, left) in what.into_iter().zip(["199\n", "0\n", "250\n"]) {
        let count = if matches!(what, UndoScope::To(_)) { 300 } else { 250 };
        let world = with_edits(count, Policy::default());
        let asked = round_trips(&world, Undo { by: Author::User, what: what.clone() });
        assert!(asked <= 16, "{asked} round trips for {what:?}");
        let left = if matches!(what, UndoScope::Change(_)) { "249\n" } else { left };
        assert_eq!(world.text(), left, "{what:?}");
    }
}

#[test]
fn what_reads_the_whole_journal_reads_it_in_waves() {
    let world = with_edits(3_000, Policy::default());
    let peer = world.peer();
    let asked = |most: usize, what: &str| {
        let (asked, read) = (peer.spy().asked().len(), peer.spy().read());
        assert!(asked <= most && read >= 3_000, "{asked} round trips, {read} blobs for {what}");
    };
    let in_use = block_on(peer.engine.blobs_in_use(&peer.canvas, peer.now())).unwrap();
    assert!(in_use.len() > 3_000);
    asked(60, "the blobs in use");
    let replay = block_on(peer.engine.replay(&peer.canvas, peer.now())).unwrap();
    assert_eq!(replay.entries, 3_000);
    asked(60, "a replay");
    let all = block_on(peer.engine.history(&peer.canvas, None, usize::MAX, peer.now())).unwrap();
    assert!(all.iter().map(|entry| entry.number.get()).eq((1..=3_000).rev()));
    asked(22, "all entries");
    let stacks = block_on(peer.engine.stacks(&peer.canvas, None, usize::MAX, peer.now())).unwrap();
    assert_eq!((stacks.undo.len(), stacks.redo.len()), (3_000, 0));
    asked(22, "the stacks");
}

/// Undo of many at once leads where undo one by one leads, also over what was undone and redone before.
#[test]
fn undo_in_waves_leads_where_single_steps_lead() {
    let worlds = [(); 2].map(|()| {
        let world = World::new("0\n");
        for round in 0..40 {
            world.edit(&format!("{round} a\n"));
            world.edit(&format!("{round} b\n"));
            if round % 3 != 0 {
                assert_eq!(code(&world.ask("user", undo(1 + round % 2))), "OK");
                if round % 4 == 1 {
                    assert_eq!(code(&world.ask("user", redo(1))), "OK");
                }
            }
        }
        world
    });
    let [at_once, by_one] = worlds;
    let stacks = block_on(at_once.engine.stacks(&at_once.canvas, None, 500, at_once.now())).unwrap();
    let count = u32::try_from(stacks.undo.len()).unwrap();
    assert!(count > 30, "{count} changes");
    let peer = at_once.peer();
    assert_eq!(code(&peer.ask("user", undo(count))), "OK");
    assert!(peer.spy().read() <= 4 * 200, "guesses are bounded");
    for _ in 0..count {
        assert_eq!(code(&by_one.peer().ask("user", undo(1))), "OK");
    }
    assert_eq!((at_once.text(), by_one.text()), ("0\n".to_owned(), "0\n".to_owned()));
    assert_eq!(code(&at_once.ask("user", undo(1))), "HISTORY_EMPTY");
}

/// An entry that only lies near those that are wanted may be lost: nothing is undone by it.
#[test]
fn a_lost_entry_that_is_not_wanted_hinders_no_undo() {
    let world = with_edits(8, Policy::default());
    for command in [undo(4), undo(1)] {
        assert_eq!(code(&world.ask("user", command)), "OK");
    }
    world.edit("new\n");
    // The chain is 14, 3, 2, 1; 10 was an undo.
    let entries = block_on(world.engine.history(&world.canvas, None, 99, world.now())).unwrap();
    let lost = entries.iter().find(|entry| entry.number.get() == 12).unwrap();
    let blob = Content::text(serde_json::to_string(lost).unwrap());
    let keep = in_use(&world).filter(|id| *id != blob.id()).collect();
    collect(&world.spy().inner, &world.canvas, &keep);
    let peer = world.peer();
    assert_eq!(code(&peer.ask("user", undo(4))), "OK");
    assert_eq!(world.text(), "0\n");
}

/// A host that drops what is not in use, also where undo leads to an entry that is forgotten.
#[test]
fn a_forgotten_entry_that_undo_leads_to_is_in_use() {
    let world = with_edits(8, policy_with(|policy| policy.history.changes = 4));
    let entries = block_on(world.engine.history(&world.canvas, None, 99, world.now())).unwrap();
    let mut ever: BTreeSet<_> = in_use(&world).collect();
    for _ in 0..2 {
        assert_eq!(code(&world.ask("user", undo(1))), "OK");
        ever.extend(in_use(&world));
    }
    world.edit("new\n");
    assert_eq!(entries.len(), 4);
    let needed: BTreeSet<_> = in_use(&world).collect();
    assert!(ever.difference(&needed).next().is_some());
    collect(&world.spy().inner, &world.canvas, &needed);
    assert_eq!(code(&world.peer().ask("user", undo(2))), "HISTORY_EMPTY");
}

fn in_use(world: &World) -> impl Iterator<Item = BlobId> {
    block_on(world.engine.blobs_in_use(&world.canvas, world.now())).unwrap().into_iter()
}

#[test]
fn a_steady_command_asks_for_nothing_more() {
    let world = with_edits(3, Policy::default());
    world.spy().asked();
    world.ask("user", Edit::overwrite("x\n"));
    assert_eq!(world.spy().asked(), [Commit]);
    assert_eq!(code(&world.ask("user", undo(1))), "OK");
    assert_eq!(world.spy().asked(), [Blob, Commit]);
    let peer = world.peer();
    assert_eq!(code(&peer.ask("user", undo(1))), "OK");
    assert_eq!(peer.spy().asked(), [Load, Blob, Blob, Commit]);
}
