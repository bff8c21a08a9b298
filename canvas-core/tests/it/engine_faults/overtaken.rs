//! A peer is faster: what was decided on a head that has been replaced is decided again.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use canvas_core::document::Read;
use canvas_core::lease::{CheckIn, CheckOut, Renew};
use canvas_core::turn::{Cancel, SendMessage, TurnBegan};
use canvas_core::{CodedError as _, Policy, block_on};

use crate::document::any::{Outcome, code};
use crate::document::world::Asked::{Blob, Commit, Load, Pause};
use crate::document::world::{Trouble, World, apply, bump, collect, key};

/// A peer acts between the engine's last look and its commit.
#[test]
fn a_commit_that_was_overtaken_is_decided_again() {
    for (act, expected, text) in [
        ("read", "OK", "c\nb\n"),
        ("edit", "STALE_EPOCH", "z\n"),
        ("cancel", "STALE_EPOCH", "a\nb\n"),
        ("check in", "LOCK_NOT_OWNED", "a\nb\n"),
        ("same line", "PATCH_REJECTED/NOT_FOUND", "x\nb\n"),
        ("other line", "OK", "c\nx\n"),
    ] {
        let world = World::new("a\nb\n");
        let lease = world.check_out("model");
        let peer = world.peer();
        world.spy().expect(
            Commit,
            Trouble::after(move || {
                let done = match act {
                    "read" => peer.ask("model", Read::part(Some(lease))),
                    "edit" => peer.edit("z\n"),
                    "cancel" => peer.ask("user", Cancel),
                    "check in" => peer.ask("model", CheckIn { lease: Some(lease) }),
                    "same line" => peer.write("model", lease, "a>x"),
                    _ => peer.write("model", lease, "b>x"),
                };
                assert_eq!(code(&done), "OK", "{act}");
            }),
        );
        world.spy().asked();
        assert_eq!(code(&world.write("model", lease, "a>c")), expected, "{act}");
        assert_eq!(world.text(), text, "{act}");
        // The conflict brought the row, so that no load was needed.
        assert!(!world.spy().asked().contains(&Load), "{act}");
    }
}

/// A store may send the document along with a conflict; another one's is not taken for it.
#[test]
fn a_document_that_comes_with_a_conflict_is_not_fetched() {
    for (sends_along, fetched) in [(true, false), (false, true)] {
        let world = World::new("a\nb\n");
        let lease = world.check_out("model");
        if sends_along {
            world.spy().send_along();
        }
        let peer = world.peer();
        world.spy().expect(Commit, Trouble::after(move || drop(peer.write("model", lease, "b>x"))));
        world.spy().asked();
        assert_eq!(code(&world.write("model", lease, "a>c")), "OK");
        assert_eq!(world.text(), "c\nx\n");
        assert_eq!(world.spy().asked().contains(&Blob), fetched);
    }
}

/// Who waits after the second loss asks for the row again; where that fails, the row of the conflict will do.
#[test]
fn a_call_that_was_held_back_is_decided_on_the_newest_row() {
    for (load_fails, commits) in [(false, 3), (true, 4)] {
        let mut world = World::new("a\nb\n");
        let pause = world.spy().pause();
        world.engine = world.engine.with_pause(pause);
        let lease = world.check_out("model");
        for (asked, patch) in [(Commit, "b>x"), (Commit, "x>y"), (Pause, "y>z")] {
            let peer = world.peer();
            world.spy().expect(asked, Trouble::after(move || drop(peer.write("model", lease, patch))));
        }
        if load_fails {
            world.spy().expect(Load, Trouble::Definite);
        }
        world.spy().asked();
        assert_eq!(code(&world.write("model", lease, "a>c")), "OK");
        assert_eq!(world.text(), "c\nz\n");
        let asked = world.spy().asked();
        let count = |what| asked.iter().filter(|asked| **asked == what).count();
        assert_eq!((count(Commit), count(Pause)), (commits, 1), "{asked:?}");
    }
}

#[test]
fn a_storm_of_conflicts_ends_in_contention_and_then_passes() {
    let world = World::new("a\nb\n");
    let lease = world.check_out("model");
    let storm = |times| {
        for _ in 0..times {
            let (store, canvas) = (world.spy().inner.clone(), world.canvas.clone());
            world.spy().expect(Commit, Trouble::after(move || drop(bump(&store, &canvas))));
        }
    };
    let write = world.fresh("model", apply(lease, "a>c"));
    storm(255);
    assert_eq!(code(&world.run(&write).outcome), "OK");
    let write = world.fresh("model", apply(lease, "c>d"));
    storm(256);
    let e = world.try_run(&write).unwrap_err();
    assert_eq!((e.code(), e.is_retryable()), ("CONTENTION", true));
    assert_eq!(code(&world.run(&write).outcome), "OK");
    assert_eq!(world.text(), "d\nb\n");
}

/// A refusal on what the engine happens to know is no refusal yet.
#[test]
fn a_refusal_on_an_old_head_is_decided_again_on_the_newest() {
    // The peer has given the lease back.
    let world = World::new("a\nb\n");
    let lease = world.check_out("model");
    assert_eq!(code(&world.peer().ask("model", CheckIn { lease: Some(lease) })), "OK");
    world.spy().asked();
    assert_eq!(code(&world.ask("other", CheckOut)), "OK");
    assert_eq!(world.spy().asked(), [Load, Commit]);

    // The peer has opened the next turn.
    let world = World::new("a\nb\n");
    world.ask("user", Cancel);
    world.peer().ask("model", SendMessage);
    assert_eq!(code(&world.ask("model", CheckOut)), "OK");

    // The peer has renewed the lease.
    let world = World::new("a\nb\n");
    let lease = world.check_out("model");
    world.clock.wait(14_000);
    world.peer().ask("model", Renew { lease: Some(lease) });
    world.clock.wait(14_000);
    assert_eq!(code(&world.write("model", lease, "a>c")), "OK");

    // The peer has made the text fit.
    let world = World::new("a\nb\n");
    let lease = world.check_out("model");
    world.peer().write("model", lease, "a>c");
    assert_eq!(code(&world.write("model", lease, "c>d")), "OK");
}

/// A stale head may name blobs that have been collected since; the newest does not need them.
#[test]
fn a_blob_that_only_an_old_head_needs_may_be_gone() {
    let world = World::new("a\nb\n");
    world.edit("c\n");
    let peer = world.peer();
    peer.ask("model", SendMessage);
    peer.edit("d\n");
    let gone = canvas_core::BlobId::of(b"a\nb\n");
    let head = peer.head();
    let mut json = serde_json::to_value(head.as_ref()).unwrap();
    json["origin"] = json["conversations"]["model"]["synced"].clone();
    peer.put(serde_json::from_value(json).unwrap());
    assert!(peer.head().blobs().all(|blob| blob != gone));
    // Of the history nothing is asked for here.
    collect(&peer.spy().inner, &peer.canvas, &BTreeSet::new());

    world.spy().asked();
    let Outcome::TurnBegan(TurnBegan { changes: Some(changes), .. }) = world.ask("model", SendMessage) else {
        panic!("the model gets no changes");
    };
    assert_eq!(changes.diff.as_deref(), Some("@@ -1 +1 @@\n-c\n+d\n"));
    assert_eq!(world.spy().asked(), [Blob, Load, Blob, Commit]);
}

/// The store's clock has the last word, even where the engine's guess said otherwise.
#[test]
fn a_commit_that_comes_too_late_is_refused() {
    let world = World::new("a\nb\n");
    let lease = world.check_out("model");
    world.clock.wait(14_000);
    let clock = world.clock.clone();
    world.spy().expect(Commit, Trouble::after(move || clock.wait(1_000)));
    world.spy().asked();
    assert_eq!(code(&world.write("model", lease, "a>c")), "LEASE_EXPIRED");
    assert_eq!(world.spy().asked(), [Commit, Load, Commit]);
    assert_eq!(world.text(), "a\nb\n");

    // So is a refusal that would have prolonged the lease.
    let world = World::new("a\nb\n");
    let lease = world.check_out("model");
    world.clock.wait(14_000);
    let clock = world.clock.clone();
    world.spy().asked();
    world.spy().expect(Commit, Trouble::after(move || clock.wait(1_000)));
    assert_eq!(code(&world.write("model", lease, "nowhere>c")), "LEASE_EXPIRED");
    assert_eq!(world.spy().asked(), [Load, Commit, Load, Commit]);
}

#[test]
fn a_check_out_has_no_last_instant() {
    let world = World::new("a\nb\n");
    let clock = world.clock.clone();
    world.spy().expect(Commit, Trouble::after(move || clock.wait(60_000)));
    assert_eq!(code(&world.ask("model", CheckOut)), "OK");
}

/// The engine carries the store's clock forward by what has passed at the host, and takes nothing else from there.
#[test]
fn the_time_that_passes_at_the_host_is_added_to_the_stores() {
    // The host is an hour ahead, and stays so: it makes no difference.
    let world = World::empty(Policy::default());
    world.ahead.store(3_600_000, Ordering::Relaxed);
    block_on(world.engine.create(&world.canvas, "a\nb\n", &key("host", 0, "create"), world.now())).unwrap();
    let lease = world.check_out("model");
    world.clock.wait(14_999);
    assert_eq!(code(&world.write("model", lease, "a>c")), "OK");
    assert_eq!(world.head().lock().high_water_mark().as_millis(), world.clock.get().as_millis());
    world.clock.wait(15_000);
    assert_eq!(code(&world.write("model", lease, "c>d")), "LEASE_EXPIRED");
}

/// A host's clock may leap. What looks expired by it is judged again by the store's.
#[test]
fn a_host_clock_that_leaps_does_not_expire_a_lease() {
    let world = World::new("a\nb\n");
    let lease = world.check_out("model");
    world.ahead.store(3_600_000, Ordering::Relaxed);
    assert_eq!(code(&world.write("model", lease, "a>c")), "OK");
    world.ahead.store(0, Ordering::Relaxed);
    assert_eq!(code(&world.write("model", lease, "c>d")), "OK");
}

#[test]
fn a_deletion_by_a_peer_is_seen() {
    let world = World::new("a\nb\n");
    let lease = world.check_out("model");
    world.peer().delete("delete").unwrap();
    let write = world.fresh("model", apply(lease, "a>c"));
    assert_eq!(world.try_run(&write).unwrap_err().code(), "CANVAS_NOT_FOUND");
    // A deletion that is overtaken deletes what is there then.
    let world = World::new("a\nb\n");
    let peer = world.peer();
    world.spy().expect(Commit, Trouble::after(move || drop(peer.edit("z\n"))));
    world.delete("delete").unwrap();
    assert_eq!((world.head().is_deleted(), world.head().revision().get()), (true, 2));
}

/// A lease checked out by a call that was in flight when the user came belongs to the past.
#[test]
fn a_check_out_that_the_user_overtakes_is_decided_after_the_user() {
    let world = World::new("a\nb\n");
    world.ask("model", SendMessage);
    let peer = world.peer();
    let check_out = world.fresh("model", CheckOut);
    world.spy().expect(Commit, Trouble::after(move || drop(peer.ask("model", SendMessage))));
    assert_eq!(code(&world.run(&check_out).outcome), "LOCK_NOT_AVAILABLE/USER_ACTIVE");
    assert!(world.head().lock().lease().is_none());
}

/// Calls may run side by side on one engine.
#[test]
fn calls_on_one_engine_may_run_side_by_side() {
    let world = Arc::new(World::new("a\nb\n"));
    let lease = world.check_out("model");
    let inner = Arc::clone(&world);
    world
        .spy()
        .expect(Commit, Trouble::after(move || assert_eq!(code(&inner.write("model", lease, "b>d")), "OK")));
    assert_eq!(code(&world.write("model", lease, "a>c")), "OK");
    assert_eq!(world.text(), "c\nd\n");
}
