//! Many watchers, slow ones, and such as never read.

use std::sync::Arc;

use canvas_core::testing::block_on;
use canvas_core::watch::Watch;

use crate::watch::world::{Woken, World, canvas, next, poll, revision, waits};

#[test]
fn ten_thousand_watchers_of_a_hundred_canvases_each_see_each_change() {
    let (world, woken) = (World::new(true), Arc::new(Woken::default()));
    let ids: Vec<_> = (0..100).map(|i| canvas(&format!("c{i}"))).collect();
    ids.iter().for_each(|id| world.create(0, id));
    let mut watches: Vec<Watch> = (0..10_000).map(|i| world.engines[0].watch(&ids[i % 100])).collect();
    let before = world.loads(0);
    for watch in &mut watches {
        poll(watch, &woken).unwrap().unwrap();
        assert!(poll(watch, &woken).is_none());
    }
    assert_eq!((world.loads(0) - before, woken.times()), (100, 0));
    ids.iter().for_each(|id| world.edit(0, id));
    assert_eq!(woken.times(), 10_000);
    for (i, watch) in watches.iter_mut().enumerate() {
        let event = poll(watch, &woken).unwrap().unwrap();
        assert_eq!((revision(&event), event.missed, &event.canvas), (2, 0, &ids[i % 100]));
        assert!(poll(watch, &woken).is_none());
    }
    assert_eq!(world.loads(0) - before, 100);
}

#[test]
fn a_slow_watcher_gets_the_newest_state_and_how_many_it_missed() {
    let (world, id) = (World::new(false), canvas("c"));
    world.create(0, &id);
    let mut watch = world.engines[0].watch(&id);
    next(&mut watch);
    for edits in [1, 2, 100] {
        let before = block_on(world.engines[0].revision_of(&id)).unwrap().revision.get();
        (0..edits).for_each(|_| world.edit(0, &id));
        let event = watch.try_next().unwrap();
        assert_eq!((revision(&event), event.missed), (before + edits, edits - 1));
        assert!(watch.try_next().is_none());
    }
}

#[test]
fn a_watcher_that_never_reads_is_woken_once_and_keeps_nobody() {
    let (world, id) = (World::new(false), canvas("c"));
    world.create(0, &id);
    let (mut idle, mut busy) = (world.engines[0].watch(&id), world.engines[0].watch(&id));
    let woken = Arc::new(Woken::default());
    next(&mut idle);
    assert!(poll(&mut idle, &woken).is_none());
    next(&mut busy);
    for revision_now in 2..1_000 {
        world.edit(0, &id);
        assert_eq!(revision(&next(&mut busy)), revision_now);
    }
    assert_eq!(woken.times(), 1);
    assert_eq!(next(&mut idle).missed, 997);
}

#[test]
fn watchers_that_are_dropped_are_not_woken_and_the_last_takes_the_slot_with_it() {
    let (world, id) = (World::new(false), canvas("c"));
    world.create(0, &id);
    let engine = &world.engines[0];
    let kept = Arc::new(Woken::default());
    let wakers: Vec<_> = (0..10).map(|_| Arc::new(Woken::default())).collect();
    let mut watches: Vec<_> = (0..10).map(|_| engine.watch(&id)).collect();
    for (watch, woken) in watches.iter_mut().zip(&wakers) {
        poll(watch, woken);
        poll(watch, woken);
    }
    let mut last = watches.pop().unwrap();
    let before: Vec<_> = wakers.iter().map(|woken| woken.times()).collect();
    drop(watches);
    assert!(wakers[..9].iter().all(|woken| Arc::strong_count(woken) == 1), "no waker is left");
    assert!(poll(&mut last, &kept).is_none());
    world.edit(0, &id);
    assert_eq!(wakers.iter().map(|woken| woken.times()).collect::<Vec<_>>(), before);
    assert_eq!(revision(&next(&mut last)), 2);
    drop(last);
    assert!(format!("{engine:?}").contains("Hub(0 watched)"));
    assert_eq!(Arc::strong_count(&kept), 1);
    let loads = world.loads(0);
    world.edit(0, &id);
    assert_eq!(world.loads(0), loads);
    assert_eq!(revision(&next(&mut engine.watch(&id))), 3);
}

#[test]
fn a_first_event_waits_for_nobody_and_a_try_asks_nobody() {
    let (world, id) = (World::new(false), canvas("c"));
    world.create(0, &id);
    let mut watch = world.engines[0].watch(&id);
    let loads = world.loads(0);
    assert!(watch.try_next().is_none());
    assert_eq!(world.loads(0), loads);
    assert_eq!(watch.canvas(), &id);
    assert_eq!(revision(&block_on(watch.next()).unwrap().unwrap()), 1);
    assert!(waits(&mut watch));
}
