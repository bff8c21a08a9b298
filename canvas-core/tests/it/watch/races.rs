//! Watchers beside calls that are under way, lost, or dropped.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Waker};

use canvas_core::testing::block_on;
use canvas_core::{CodedError as _, Engine};

use crate::watch::world::{NOW, Woken, World, canvas, next, poll, revision, set, waits};

fn is_pending<T>(future: Pin<&mut impl Future<Output = T>>) -> bool {
    future.poll(&mut Context::from_waker(Waker::noop())).is_pending()
}

#[test]
fn a_watch_that_begins_while_a_commit_is_under_way_shows_it() {
    for after in [false, true] {
        for polled_before in [false, true] {
            for others in [0, 1] {
                let (world, id) = (World::new(false), canvas("c"));
                world.create(0, &id);
                let engine = &world.engines[0];
                let _others: Vec<_> = (0..others).map(|_| engine.watch(&canvas("other"))).collect();
                let (hold, key) = (&engine.store().hold, world.key("user"));
                set(if after { &hold.after_commit } else { &hold.before_commit });
                let mut call = pin!(engine.call(&id, &key, world.next_edit(), NOW));
                assert!(is_pending(call.as_mut()));
                let mut watch = engine.watch(&id);
                let seen = polled_before.then(|| revision(&next(&mut watch)));
                assert!(seen.is_none_or(|seen| seen == if after { 2 } else { 1 }));
                block_on(call).unwrap().result.unwrap();
                let at = format!("after: {after}, polled before: {polled_before}, others: {others}");
                if seen != Some(2) {
                    assert_eq!(revision(&next(&mut watch)), 2, "{at}");
                }
                assert!(waits(&mut watch), "{at}");
            }
        }
    }
}

#[test]
fn a_call_that_is_dropped_may_have_committed_and_is_looked_for() {
    for after in [false, true] {
        let (world, id) = (World::new(false), canvas("c"));
        world.create(0, &id);
        let (engine, woken) = (&world.engines[0], Arc::new(Woken::default()));
        let mut watch = engine.watch(&id);
        next(&mut watch);
        assert!(poll(&mut watch, &woken).is_none());
        let (hold, key) = (&engine.store().hold, world.key("user"));
        set(if after { &hold.after_commit } else { &hold.before_commit });
        {
            let mut call = pin!(engine.call(&id, &key, world.next_edit(), NOW));
            assert!(is_pending(call.as_mut()));
        }
        assert_eq!(woken.times(), 1);
        let event = poll(&mut watch, &woken);
        assert_eq!(event.map(|event| revision(&event.unwrap())), after.then_some(2));
    }
}

#[test]
fn a_commit_of_unknown_fate_is_shown_once_it_is_settled() {
    let (world, id) = (World::new(false), canvas("c"));
    world.create(0, &id);
    let mut watch = world.engines[0].watch(&id);
    next(&mut watch);
    set(&world.engines[0].store().lose_answer);
    world.edit(0, &id);
    let event = next(&mut watch);
    assert_eq!((revision(&event), event.missed), (2, 0));
    assert!(waits(&mut watch));
}

#[test]
fn a_store_that_is_down_is_an_error_and_then_the_watch_goes_on() {
    let (world, id) = (World::new(false), canvas("c"));
    world.create(0, &id);
    let engine = &world.engines[0];
    let (mut watch, mut other) = (engine.watch(&id), engine.watch(&id));
    next(&mut watch);
    next(&mut other);
    assert!(waits(&mut watch) && waits(&mut other));
    world.edit(1, &id);
    engine.forget(&id);
    set(&engine.store().is_down);
    for _ in 0..2 {
        let error = poll(&mut watch, &Arc::default()).unwrap().unwrap_err();
        assert_eq!((error.code(), error.is_retryable()), ("STORE_UNAVAILABLE", true));
        assert!(watch.try_next().is_none());
    }
    engine.store().is_down.store(false, Ordering::SeqCst);
    assert_eq!([&mut other, &mut watch].map(|watch| revision(&next(watch))), [2, 2]);
}

/// The one that began the load goes; the others must not wait for it.
#[test]
fn a_watcher_that_goes_leaves_its_load_to_the_others() {
    let (world, id) = (World::new(false), canvas("c"));
    world.create(0, &id);
    let engine = &world.engines[0];
    let (mut first, mut second) = (engine.watch(&id), engine.watch(&id));
    let (before, woken) = (world.loads(0), Arc::new(Woken::default()));
    for watch in [&mut first, &mut second] {
        set(&engine.store().hold.load);
        assert!(poll(watch, &woken).is_none());
    }
    assert_eq!((world.loads(0) - before, woken.times()), (1, 0));
    drop(first);
    assert_eq!(woken.times(), 1);
    assert_eq!(revision(&poll(&mut second, &woken).unwrap().unwrap()), 1);
    assert_eq!((world.loads(0) - before, woken.times()), (1, 1));
}

#[test]
fn watchers_on_threads_of_their_own_reach_the_last_state() {
    const EDITS: u64 = 300;
    for notify in [false, true] {
        let (world, id) = (World::new(notify), canvas("c"));
        world.create(0, &id);
        let watches = (0..8).map(|i| world.engines[i % 2].watch(&id));
        std::thread::scope(|threads| {
            for mut watch in watches {
                threads.spawn(move || {
                    let (mut last, mut shown) = (0, 0);
                    while last < EDITS + 1 {
                        let event = block_on(watch.next()).unwrap().unwrap();
                        shown += if last == 0 { revision(&event) } else { 1 + event.missed };
                        assert!(revision(&event) > last);
                        last = revision(&event);
                        assert_eq!(shown, last);
                    }
                });
            }
            for _ in 0..EDITS {
                world.edit(0, &id);
                world.engines[1].forget(&id);
            }
        });
    }
}

/// A load that has its row already when a notification comes does not count as having seen the change.
#[test]
fn a_notification_during_a_load_is_loaded_again() {
    let (world, id) = (World::new(true), canvas("c"));
    world.create(0, &id);
    let engine = &world.engines[1];
    let mut watch = engine.watch(&id);
    set(&engine.store().hold.load);
    assert!(waits(&mut watch));
    world.edit(0, &id);
    assert_eq!(revision(&next(&mut watch)), 2);
    assert!(waits(&mut watch));
}

/// The answer of a slow load comes after a later commit.
#[test]
fn an_answer_from_the_past_shows_nothing() {
    let (world, id) = (World::new(false), canvas("c"));
    world.create(0, &id);
    let engine = &world.engines[0];
    let mut watch = engine.watch(&id);
    next(&mut watch);
    set(&engine.store().hold.load);
    let mut slow = pin!(engine.snapshot(&id, NOW));
    assert!(is_pending(slow.as_mut()));
    world.edit(0, &id);
    assert_eq!(revision(&next(&mut watch)), 2);
    block_on(slow).unwrap();
    assert!(waits(&mut watch));
    // Of the lock nothing shows which is the newer one, so the head is loaded.
    set(&engine.store().hold.load);
    let mut slow = pin!(engine.snapshot(&id, NOW));
    assert!(is_pending(slow.as_mut()));
    world.check_out(0, &id);
    assert!(next(&mut watch).lock.is_locked());
    block_on(slow).unwrap();
    let loads = world.loads(0);
    assert!(waits(&mut watch));
    assert_eq!(world.loads(0), loads + 1);
    assert!(next(&mut engine.watch(&id)).lock.is_locked());
}

#[test]
fn watches_end_with_their_engine() {
    let (world, id) = (World::new(false), canvas("c"));
    world.create(0, &id);
    let World { engines: [engine, _], .. } = world;
    let (mut watch, mut unread, woken) = (engine.watch(&id), engine.watch(&id), Arc::new(Woken::default()));
    next(&mut watch);
    assert!(poll(&mut watch, &woken).is_none());
    drop::<Engine<_>>(engine);
    assert_eq!(woken.times(), 1);
    assert!(block_on(watch.next()).is_none());
    assert_eq!(revision(&next(&mut unread)), 1, "what is known is shown");
    assert!(block_on(unread.next()).is_none());
}
