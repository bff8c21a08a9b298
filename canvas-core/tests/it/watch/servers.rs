//! What two servers on one store show each other's watchers.

use std::sync::Arc;

use canvas_core::CodedError as _;
use canvas_core::store::{MemoryStore, Store as _};
use canvas_core::testing::block_on;
use canvas_core::watch::CanvasStatus;

use crate::watch::world::{NOW, Woken, World, canvas, next, poll, revision, waits};

#[test]
fn a_change_elsewhere_is_loaded_once_for_all_watchers_that_were_notified_of_it() {
    let (world, id) = (World::new(true), canvas("c"));
    world.create(0, &id);
    let mut watches: Vec<_> = (0..50).map(|_| world.engines[1].watch(&id)).collect();
    let woken = Arc::new(Woken::default());
    for watch in &mut watches {
        poll(watch, &woken).unwrap().unwrap();
        assert!(poll(watch, &woken).is_none());
    }
    assert_eq!((world.loads(1), woken.times()), (1, 0));
    world.edit(0, &id);
    assert_eq!((world.loads(1), woken.times()), (1, 50), "each is woken once, and nobody has loaded it");
    for watch in &mut watches {
        let event = next(watch);
        assert_eq!((revision(&event), event.actor), (2, None));
    }
    assert_eq!(world.loads(1), 2);
    assert!(watches.iter_mut().all(waits));
    assert_eq!(world.loads(1), 2);
}

#[test]
fn a_change_elsewhere_without_a_notification_is_shown_when_it_is_met() {
    type Meet = fn(&World, &canvas_core::CanvasId);
    let meets: [(&str, Meet); 4] = [
        ("snapshot", |world, id| drop(block_on(world.engines[1].snapshot(id, NOW)).unwrap())),
        ("revision_of", |world, id| drop(block_on(world.engines[1].revision_of(id)).unwrap())),
        ("forget", |world, id| world.engines[1].forget(id)),
        ("another watch", |world, id| drop(next(&mut world.engines[1].watch(id)))),
    ];
    for (name, meet) in meets {
        let (world, id) = (World::new(false), canvas("c"));
        world.create(0, &id);
        let mut watch = world.engines[1].watch(&id);
        next(&mut watch);
        world.edit(0, &id);
        world.edit(0, &id);
        assert!(waits(&mut watch), "{name}");
        meet(&world, &id);
        let event = next(&mut watch);
        assert_eq!((revision(&event), event.missed), (3, 1), "{name}");
        assert!(waits(&mut watch), "{name}");
    }
}

#[test]
fn a_conflict_shows_what_it_was_lost_to() {
    let (world, id) = (World::new(false), canvas("c"));
    world.create(1, &id);
    let mut watch = world.engines[1].watch(&id);
    next(&mut watch);
    world.edit(0, &id);
    // It begins with the row that this server knows, and loses.
    world.edit(1, &id);
    let event = next(&mut watch);
    assert_eq!((revision(&event), event.missed), (3, 1));
}

#[test]
fn a_store_that_goes_back_says_so() {
    let (backup, id) = (MemoryStore::new(|| NOW), canvas("c"));
    let world = World::new(false);
    world.create(0, &id);
    let early = block_on(world.engines[0].store().load(&id)).unwrap().unwrap();
    world.edit(0, &id);
    world.edit(0, &id);
    let mut watch = world.engines[0].watch(&id);
    assert_eq!(revision(&next(&mut watch)), 3);
    // The store as it was, in place of the one that there is.
    let commit = |head| canvas_core::store::Commit { expected: None, head, blobs: vec![], not_after: None };
    block_on(backup.commit(commit(early.head))).unwrap();
    world.engines[0].store().swap(backup);
    world.engines[0].forget(&id);
    let event = next(&mut watch);
    assert_eq!((revision(&event), event.restored, event.missed), (1, true, 0));
    world.engines[0].forget(&id);
    assert!(waits(&mut watch));
    // What an empty store shows is a state too.
    world.engines[0].store().swap(MemoryStore::new(|| NOW));
    world.engines[0].forget(&id);
    let event = next(&mut watch);
    assert_eq!((event.status, event.restored), (CanvasStatus::Absent, true));
}

/// A call that meets an older store shows it to watchers, without a load of theirs.
#[test]
fn a_call_that_meets_a_store_which_went_back_says_so() {
    let (backup, id) = (MemoryStore::new(|| NOW), canvas("c"));
    let world = World::new(false);
    world.create(0, &id);
    let early = block_on(world.engines[0].store().load(&id)).unwrap().unwrap();
    world.edit(0, &id);
    let mut watch = world.engines[0].watch(&id);
    assert_eq!(revision(&next(&mut watch)), 2);
    let commit = canvas_core::store::Commit {
        expected: None,
        head: early.head,
        blobs: vec![canvas_core::Blob::text("text\n".into())],
        not_after: None,
    };
    block_on(backup.commit(commit)).unwrap();
    world.engines[0].store().swap(backup);
    block_on(world.engines[0].snapshot(&id, NOW)).unwrap();
    let event = watch.try_next().expect("the call has met it");
    assert_eq!((revision(&event), event.restored), (1, true));
}

#[test]
fn a_poll_for_the_revision_fetches_no_blob_and_loads_nothing_that_is_known() {
    for notify in [false, true] {
        let (world, id) = (World::new(notify), canvas("c"));
        let revision_of = |server: usize| block_on(world.engines[server].revision_of(&id));
        assert_eq!(revision_of(0).unwrap_err().code(), "CANVAS_NOT_FOUND");
        world.create(0, &id);
        let before = world.loads(0);
        let made = revision_of(0).unwrap();
        assert_eq!(made.revision.get(), 1);
        world.check_out(0, &id);
        let locked = revision_of(0).unwrap();
        assert_eq!((made.revision, made.epoch), (locked.revision, locked.epoch));
        assert_ne!(made.version, locked.version);
        assert_eq!(world.loads(0) - before, if notify { 0 } else { 2 });
        world.edit(1, &id);
        let edited = revision_of(0).unwrap();
        assert_eq!((edited.revision.get(), edited.epoch.get()), (2, 1));
        assert_eq!(world.engines.each_ref().map(|engine| engine.store().blobs()), [0, 1], "the other's edit");
        world.delete(1, &id);
        assert_eq!(revision_of(0).unwrap_err().code(), "CANVAS_NOT_FOUND");
    }
}
