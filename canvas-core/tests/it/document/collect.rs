//! Collections: what goes, what stays, and where the history ends afterwards.

use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::time::Duration;

use canvas_core::document::{Base, Edit};
use canvas_core::history::{ClearHistory, Redo, Undo, UndoScope};
use canvas_core::store::{Store as _, Version};
use canvas_core::testing::block_on;
use canvas_core::{
    Author, BlobId, CodedError as _, CollectOptions, DroppedBlobs, EngineError, Policy, Revision,
};

use crate::document::any::code;
use crate::document::world::{Asked, Trouble, World, bump, collect as drop_all_but, key};

const HOUR: u64 = 3_600_000;

fn collect(world: &World, history: u64) -> Result<DroppedBlobs, EngineError> {
    let collection = CollectOptions { history: Some(history), ..CollectOptions::default() };
    block_on(world.engine.collect(&world.canvas, collection))
}

fn undo(steps: u32) -> Undo {
    Undo { by: Author::User, what: UndoScope::Steps(NonZeroU32::new(steps).unwrap()) }
}

fn numbers(world: &World) -> Vec<u64> {
    let entries = block_on(world.engine.history(&world.canvas, None, 999, world.now())).unwrap();
    entries.iter().map(|entry| entry.number.get()).collect()
}

fn version(world: &World) -> Version {
    block_on(world.spy().inner.load(&world.canvas)).unwrap().unwrap().version
}

fn with_edits(edits: u64, policy: Policy) -> World {
    let world = World::with("0\n", policy);
    for n in 1..=edits {
        world.edit(&format!("{n}\n"));
    }
    world
}

/// Everything that leads beyond the entries that are kept ends there, for the engine that has collected, for one that has
/// the earlier head in its cache, and for one that knows nothing.
#[test]
fn what_leads_beyond_the_history_that_is_kept_ends_there() {
    for (cold, cached) in [(false, false), (false, true), (true, false)] {
        let world = with_edits(20, Policy::default());
        let peer = world.peer();
        peer.text();
        world.clock.wait(HOUR);
        let dropped = collect(if cached { &peer } else { &world }, 5).unwrap();
        assert!(dropped.blobs > 15 && dropped.bytes > 0, "{dropped:?}");
        let world = if cold { world.peer() } else { world };
        assert_eq!(numbers(&world), [20, 19, 18, 17, 16]);
        let replay = block_on(world.engine.replay(&world.canvas, world.now())).unwrap();
        assert_eq!((replay.entries, replay.first), (5, BlobId::of(b"15\n")));
        let stacks = block_on(world.engine.stacks(&world.canvas, None, 99, world.now())).unwrap();
        assert_eq!((stacks.undo.len(), stacks.redo.len()), (5, 0));
        let on = |revision| Edit::on(Base::Number(Revision::new(revision).unwrap()), "mine\n");
        assert_eq!(code(&world.ask("user", on(3))), "PATCH_REJECTED/STALE_BASE");
        assert_eq!(code(&world.ask("user", undo(6))), "HISTORY_EMPTY");
        for what in [
            UndoScope::To(canvas_core::history::ChangeNumber::new(3)),
            UndoScope::Change(canvas_core::history::ChangeNumber::new(3)),
        ] {
            assert_eq!(code(&world.ask("user", Undo { by: Author::User, what })), "HISTORY_NOT_FOUND");
        }
        assert_eq!(code(&world.ask("user", undo(5))), "OK");
        assert_eq!(world.text(), "15\n");
        assert_eq!(code(&world.ask("user", undo(1))), "HISTORY_EMPTY");
        // Another collection, of undoings, which reach back below those that are kept.
        world.clock.wait(HOUR);
        collect(&world, 3).unwrap();
        assert_eq!(code(&world.peer().ask("user", undo(1))), "HISTORY_EMPTY");
        let redo = Redo { by: Author::User, steps: NonZeroU32::new(3).unwrap() };
        assert_eq!(code(&world.peer().ask("user", redo)), "OK");
        assert_eq!(world.text(), "18\n");
        block_on(world.engine.replay(&world.canvas, world.now())).unwrap();
    }
}

/// A history of no entries leaves a canvas that goes on.
#[test]
fn a_collection_that_keeps_no_history_leaves_the_canvas() {
    let world = with_edits(3, Policy::default());
    world.clock.wait(HOUR);
    collect(&world, 0).unwrap();
    let peer = world.peer();
    assert_eq!((numbers(&peer), code(&peer.ask("user", undo(1))).as_str()), (vec![], "HISTORY_EMPTY"));
    peer.edit("on\n");
    assert_eq!((numbers(&peer), code(&peer.ask("user", undo(1))).as_str()), (vec![4], "OK"));
    assert_eq!(peer.text(), "3\n");
}

/// The age counts from the store's clock alone, and has a least value.
#[test]
fn what_is_young_stays_whatever_the_host_says() {
    let world = with_edits(20, Policy::default());
    let none = DroppedBlobs::default();
    assert_eq!(collect(&world, 5).unwrap(), none);
    let now = CollectOptions { history: Some(5), older_than: Duration::ZERO, ..CollectOptions::default() };
    let ask = || block_on(world.engine.collect(&world.canvas, now)).unwrap();
    world.clock.wait(59_999);
    // What the host's clock says is of no account.
    world.ahead.store(10 * HOUR, std::sync::atomic::Ordering::Relaxed);
    world.edit("with a clock that is ahead\n");
    assert_eq!(ask(), none);
    world.clock.wait(1);
    assert!(ask().blobs > 0);
}

/// A collection that loses to others begins again, and holds back after every second time.
#[test]
fn a_collection_that_others_overtake_begins_again() {
    // Who comes before a cut of the history, or before blobs are dropped; what is asked for in all.
    for (overtaken, (commits, collects, pauses)) in [
        (vec![], (1, 1, 0)),
        (vec![Asked::Commit], (2, 1, 0)),
        (vec![Asked::Collect], (1, 2, 0)),
        (vec![Asked::Commit, Asked::Collect], (2, 2, 1)),
        (vec![Asked::Collect; 2], (1, 3, 1)),
        (vec![Asked::Collect; 63], (1, 64, 31)),
    ] {
        let mut world = with_edits(20, Policy::default());
        let pause = world.spy().pause();
        world.engine = world.engine.with_sleep(pause);
        world.clock.wait(HOUR);
        for asked in overtaken {
            let (store, canvas) = (world.spy().inner.clone(), world.canvas.clone());
            world.spy().expect(asked, Trouble::after(move || drop(bump(&store, &canvas))));
        }
        world.spy().asked();
        assert!(collect(&world, 5).unwrap().blobs > 15);
        assert!(world.spy().script_is_done());
        let asked = world.spy().asked();
        let count = |what| asked.iter().filter(|asked| **asked == what).count();
        let counted = (count(Asked::Commit), count(Asked::Collect), count(Asked::Pause));
        assert_eq!(counted, (commits, collects, pauses), "{asked:?}");
        assert_eq!(numbers(&world), [20, 19, 18, 17, 16]);
    }
}

#[test]
fn a_collection_amid_a_storm_of_commits_ends_in_contention() {
    let world = with_edits(20, Policy::default());
    world.clock.wait(HOUR);
    for _ in 0..64 {
        let (store, canvas) = (world.spy().inner.clone(), world.canvas.clone());
        world.spy().expect(Asked::Collect, Trouble::after(move || drop(bump(&store, &canvas))));
    }
    let e = collect(&world, 5).unwrap_err();
    assert_eq!((e.code(), e.is_retryable(), world.spy().script_is_done()), ("CONTENTION", true, true));
    assert!(collect(&world, 5).unwrap().blobs > 15, "the storm has passed");
}

/// The head is written for a history that is cut, and for nothing else.
#[test]
fn a_collection_that_cuts_nothing_commits_nothing() {
    for (kept, cleared, commits) in [(20, false, 0), (19, false, 1), (0, false, 1), (5, true, 0)] {
        let world = with_edits(20, Policy::default());
        if cleared {
            world.ask("host", ClearHistory);
        }
        world.clock.wait(HOUR);
        for commits in [commits, 0] {
            let before = version(&world);
            world.spy().asked();
            assert!(collect(&world, kept).is_ok());
            let asked = world.spy().asked();
            let found = asked.iter().filter(|asked| **asked == Asked::Commit).count();
            assert_eq!(found, commits, "{kept} {cleared}: {asked:?}");
            assert_eq!(version(&world) != before, commits > 0);
        }
    }
}

/// An entry that is gone is told, unless somebody else has cut the history above it meanwhile.
#[test]
fn an_entry_that_is_missing_is_damage_or_another_collection() {
    for by_a_collection in [true, false] {
        let world = with_edits(20, Policy::default());
        world.clock.wait(HOUR);
        let peer = world.peer();
        world.spy().expect(
            Asked::Blob,
            Trouble::after(move || {
                if by_a_collection {
                    return assert!(collect(&peer, 5).unwrap().blobs > 15);
                }
                // One that only another entry names.
                let head: BTreeSet<_> = peer.head().blobs().collect();
                let mut needed = block_on(peer.engine.blobs_in_use(&peer.canvas, peer.now())).unwrap();
                let at = needed.iter().position(|id| !head.contains(id)).unwrap();
                needed.remove(at);
                let rest = needed.into_iter().collect();
                drop_all_but(&peer.spy().inner, &peer.canvas, &rest);
            }),
        );
        let before = version(&world);
        world.spy().asked();
        let collected = collect(&world, 20);
        let loads = world.spy().asked().into_iter().filter(|asked| *asked == Asked::Load).count();
        assert_eq!(loads, 2, "it looks at the row as it is then");
        if by_a_collection {
            assert_eq!(collected.unwrap(), DroppedBlobs::default());
            assert_eq!(numbers(&world), [20, 19, 18, 17, 16]);
        } else {
            assert_eq!(collected.unwrap_err().code(), "CANVAS_DAMAGED");
            assert_eq!(version(&world), before);
        }
    }
}

/// However young, all goes but the text that is there.
#[test]
fn an_erasure_leaves_the_text_and_nothing_else() {
    let world = with_edits(20, Policy::default());
    let (peer, operation) = (world.peer(), key("host", 0, "erase"));
    let erase = |world: &World| block_on(world.engine.erase(&world.canvas, &operation, world.now()));
    let before = world.head().revision_id();
    assert!(erase(&world).unwrap().blobs > 20);
    let needed = block_on(world.engine.blobs_in_use(&world.canvas, world.now())).unwrap();
    assert_eq!(world.spy().inner.blob_stats(&world.canvas).0, needed.len());
    assert_eq!((world.head().revision_id(), world.text().as_str()), (before, "20\n"));
    assert_eq!((numbers(&world), code(&world.ask("user", undo(1))).as_str()), (vec![], "HISTORY_EMPTY"));
    // Again, from wherever: nothing is left to erase, and what came since stays.
    world.edit("on\n");
    assert_eq!(erase(&peer).unwrap(), DroppedBlobs::default());
    assert_eq!((numbers(&world), world.text().as_str()), (vec![21], "on\n"));
    let delete = block_on(world.engine.delete(&world.canvas, &operation, world.now()));
    assert_eq!(delete.unwrap_err().code(), "CALL_ID_REUSED");
}

/// 500 edits of 10 KB, of which 50 are kept.
#[test]
fn a_long_history_takes_little_once_it_was_collected() {
    let line = |n: u64| format!("Line {n} of a text that is long enough to be worth a diff.\n");
    let text = |n: u64| (0..180).map(|i| line(if i == n % 180 { 1_000 + n } else { i })).collect::<String>();
    let world = World::with(&text(0), Policy::default());
    for n in 1..=500 {
        world.edit(&text(n));
    }
    let bytes = |world: &World| world.spy().inner.blob_stats(&world.canvas).1;
    let before = bytes(&world);
    world.clock.wait(HOUR);
    collect(&world, 50).unwrap();
    let after = bytes(&world);
    assert!(before > 4_000_000 && after < 500_000, "{before} {after}");
    assert_eq!(block_on(world.engine.replay(&world.canvas, world.now())).unwrap().entries, 50);
}

/// What nothing needs goes with a deleted canvas, and the tombstone stays.
#[test]
fn a_deleted_canvas_is_collected() {
    let world = with_edits(20, Policy::default());
    world.delete("delete").unwrap();
    world.clock.wait(HOUR);
    assert!(collect(&world, 5).unwrap().blobs > 30);
    let never = canvas_core::CanvasId::new("never").unwrap();
    let error = block_on(world.engine.collect(&never, CollectOptions::default())).unwrap_err();
    assert_eq!(error.code(), "CANVAS_NOT_FOUND");
}
