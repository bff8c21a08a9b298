//! What each change shows.

use canvas_core::lease::{CheckIn, CheckOut, Renew};
use canvas_core::turn::{Cancel, SendMessage, SetWorkMode, TakeControl, WorkMode};
use canvas_core::version::{NameVersion, RemoveVersion, RenameVersion, VersionLabel};
use canvas_core::watch::{CanvasStatus, LockEvent, LockView, WatchEvent};
use canvas_core::{Actor, Face, PersonId};

use crate::watch::world::{World, canvas, next, revision, waits};

fn brief(event: &WatchEvent) -> (CanvasStatus, u64, &[Face], Option<Actor>) {
    (event.status, revision(event), &event.faces, event.actor.clone())
}

#[test]
fn a_canvas_is_watched_before_it_is_made_and_after_it_was_deleted() {
    use CanvasStatus::{Absent, Deleted, Live};
    for server in [0, 1] {
        let (world, id) = (World::new(true), canvas("c"));
        let mut watch = world.engines[0].watch(&id);
        let absent = next(&mut watch);
        assert_eq!(brief(&absent), (Absent, 0, &[][..], None));
        assert_eq!((absent.revision, absent.version, absent.made), (None, None, false));
        assert!(waits(&mut watch));
        world.create(server, &id);
        let made = next(&mut watch);
        assert_eq!(brief(&made), (Live, 1, &[Face::Document][..], None));
        assert!(made.made && !made.promoted && !made.restored && made.missed == 0);
        world.edit(server, &id);
        let edited = next(&mut watch);
        assert!(!edited.made);
        let actor = (server == 0).then(user);
        assert_eq!(brief(&edited), (Live, 2, &[Face::Document][..], actor), "by server {server}");
        world.delete(server, &id);
        let deleted = next(&mut watch);
        assert_eq!((deleted.status, revision(&deleted), deleted.faces), (Deleted, 2, vec![]));
        world.create(server, &id);
        let again = next(&mut watch);
        assert_eq!((again.status, revision(&again), again.made), (Live, 3, true));
        world.delete(server, &id);
        world.create(server, &id);
        let both = next(&mut watch);
        assert_eq!(
            (both.status, revision(&both), both.made, both.missed),
            (Live, 4, true, 1 - server as u64)
        );
        assert!(waits(&mut watch));
    }
}

#[test]
fn a_first_event_shows_a_deleted_canvas_as_deleted() {
    let (world, id) = (World::new(false), canvas("c"));
    world.create(0, &id);
    world.delete(0, &id);
    let event = next(&mut world.engines[1].watch(&id));
    assert_eq!((event.status, revision(&event), event.made), (CanvasStatus::Deleted, 1, false));
}

#[test]
fn each_change_of_the_versions_is_an_event() {
    for server in [0, 1] {
        let (world, id) = (World::new(true), canvas("c"));
        world.create(0, &id);
        let mut watch = world.engines[0].watch(&id);
        assert!(!next(&mut watch).versions);
        let (first, second): (VersionLabel, VersionLabel) =
            ("first".parse().unwrap(), "second".parse().unwrap());
        let mut see = |versions: bool| {
            let event = next(&mut watch);
            assert_eq!((event.versions, event.faces.is_empty()), (versions, versions));
            assert!(waits(&mut watch));
        };
        world.call(server, &id, "user", NameVersion { label: first.clone(), note: None, of: None });
        see(true);
        world.edit(server, &id);
        see(false);
        world.call(server, &id, "user", RenameVersion { label: first, to: second.clone() });
        see(true);
        world.call(server, &id, "user", RemoveVersion { label: second });
        see(true);
    }
}

#[test]
fn each_change_of_the_lock_is_an_event() {
    let (world, id) = (World::new(false), canvas("c"));
    world.create(0, &id);
    let mut watch = world.engines[0].watch(&id);
    let free = next(&mut watch);
    assert_eq!((free.lock.is_locked(), free.faces), (false, vec![Face::Document]));
    let mut earlier: LockView = free.lock;
    let mut see = |what: &str, expected: Option<LockEvent>, promoted: bool| {
        let event = next(&mut watch);
        assert_eq!(event.lock.event_since(&earlier), expected, "{what}");
        assert_eq!((event.faces, event.promoted, event.missed), (vec![], promoted, 0), "{what}");
        assert!(waits(&mut watch), "{what}");
        earlier = event.lock.clone();
        (event.lock.until(), event.clock)
    };
    let lease = Some(world.check_out(0, &id));
    let (until, clock) = see("check-out", Some(LockEvent::Locked), false);
    assert_eq!(until.map(|until| until.saturating_duration_since(clock).as_secs()), Some(15));
    world.call(0, &id, "model", CheckIn { lease });
    see("check-in", Some(LockEvent::Unlocked), false);
    world.check_out(0, &id);
    see("check-out", Some(LockEvent::Locked), false);
    world.call(0, &id, "user", TakeControl);
    see("taken over", Some(LockEvent::TakenOver), false);
    world.call(0, &id, "user", SendMessage);
    see("promoted", None, true);
}

/// Where conversations have turns of their own, the shared lock stays as it is.
#[test]
fn each_message_and_cancellation_of_a_conversation_is_an_event() {
    let (world, id) = (World::new(false), canvas("c"));
    world.create(0, &id);
    world.call(0, &id, "host", SetWorkMode { mode: WorkMode::Collaborative });
    for server in [0, 1] {
        let mut watch = world.engines[server].watch(&id);
        next(&mut watch);
        for _ in 0..2 {
            for conversation in ["model", "other"] {
                world.call(server, &id, conversation, SendMessage);
                assert!(next(&mut watch).faces.is_empty());
                assert!(waits(&mut watch), "{conversation}");
            }
        }
        world.call(server, &id, "model", Cancel);
        assert!(next(&mut watch).faces.is_empty());
        assert!(waits(&mut watch));
    }
}

#[test]
fn a_heartbeat_moves_the_end_of_the_lock() {
    use canvas_core::lease::Timestamp;
    use canvas_core::store::MemoryStore;
    use canvas_core::testing::block_on;
    use canvas_core::{Engine, Policy};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    let clock = Arc::new(AtomicU64::new(1_000));
    let now = {
        let clock = Arc::clone(&clock);
        move || Timestamp::from_millis(clock.load(Ordering::SeqCst))
    };
    let engine = Engine::new(MemoryStore::new(now.clone()), Policy::default());
    let (world, id) = (World::new(false), canvas("c"));
    block_on(engine.create(&id, "text\n", &world.key("host"), now())).unwrap();
    let mut watch = engine.watch(&id);
    next(&mut watch);
    let out = block_on(engine.call(&id, &world.key("model"), CheckOut, now())).unwrap().result.unwrap();
    let until = next(&mut watch).lock.until();
    assert_eq!(until, Some(out.expires_at));
    clock.store(6_000, Ordering::SeqCst);
    let renew = Renew { lease: Some(out.lease) };
    let renewed = block_on(engine.call(&id, &world.key("model"), renew, now())).unwrap().result.unwrap();
    let event = next(&mut watch);
    assert_eq!((event.lock.until(), event.clock), (Some(renewed.expires_at), now()));
    assert!(event.lock.until() > until);
}

#[test]
fn what_changes_nothing_to_be_seen_is_no_event() {
    use canvas_core::document::Read;
    use canvas_core::turn::Forget;
    let (world, id) = (World::new(false), canvas("c"));
    world.create(0, &id);
    let mut watch = world.engines[0].watch(&id);
    let first = next(&mut watch);
    world.call(0, &id, "reader", Forget);
    let lease = Some(world.check_out(0, &id));
    next(&mut watch);
    let before = canvas_core::testing::block_on(world.engines[0].revision_of(&id)).unwrap();
    world.call(0, &id, "model", Read::new(lease));
    let after = canvas_core::testing::block_on(world.engines[0].revision_of(&id)).unwrap();
    assert_ne!(before.version, after.version, "it was committed");
    assert!(waits(&mut watch) && watch.try_next().is_none());
    world.edit(0, &id);
    let event = next(&mut watch);
    assert_eq!((event.missed, revision(&event)), (0, 2));
    assert_ne!(event.version, first.version);
}

#[cfg(feature = "board")]
#[test]
fn faces_are_named_by_themselves_and_together() {
    use canvas_core::board::{CreateBoard, Workspace};

    let (world, id) = (World::new(false), canvas("c"));
    world.create(0, &id);
    let (mut quick, mut slow) = (world.engines[0].watch(&id), world.engines[0].watch(&id));
    next(&mut quick);
    next(&mut slow);
    let grid = canvas_core::board::GridConfig {
        columns: 12,
        rows: 8,
        gap: 8.0,
        cell_width: 80.0,
        cell_height: 60.0,
    };
    let board = canvas_core::board::WorkspaceId::new("board").unwrap();
    let workspace =
        Workspace::empty(board, "Board".to_owned(), "thread".to_owned(), grid, crate::watch::world::NOW);
    world.call(0, &id, "user", CreateBoard { workspace: Box::new(workspace) });
    assert_eq!(next(&mut quick).faces, [Face::Board]);
    world.edit(0, &id);
    assert_eq!(next(&mut quick).faces, [Face::Document]);
    let both = next(&mut slow);
    assert_eq!((both.faces, both.missed, both.actor), (vec![Face::Document, Face::Board], 1, Some(user())));
    assert_eq!(next(&mut world.engines[0].watch(&id)).faces, [Face::Document, Face::Board]);
}

fn user() -> Actor {
    Actor::Person { person: PersonId::default() }
}
