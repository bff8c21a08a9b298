//! Waits that end at a deadline.

use std::future::{pending, ready};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use canvas_core::document::Edit;
use canvas_core::store::{MemoryStore, Store};
use canvas_core::testing::block_on;
use canvas_core::watch::Waited;
use canvas_core::{CallId, Engine, Follow, OpKey, Policy};

use crate::watch::world::{NOW, Wire, World, canvas, next, set};

#[derive(Debug, PartialEq, Eq)]
enum Shown {
    Item,
    Error,
    Deadline,
    End,
    Waits,
}

fn poll<T>(wait: impl Future<Output = Waited<T>>) -> Shown {
    match pin!(wait).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(Waited::Next(Ok(_))) => Shown::Item,
        Poll::Ready(Waited::Next(Err(_))) => Shown::Error,
        Poll::Ready(Waited::Deadline) => Shown::Deadline,
        Poll::Ready(Waited::End) => Shown::End,
        Poll::Pending => Shown::Waits,
    }
}

fn created() -> Arc<Engine<Wire>> {
    let world = World::new(false);
    world.create(0, &canvas("c"));
    let [engine, _] = world.engines;
    Arc::new(engine)
}

fn follow(engine: &Arc<Engine<Wire>>) -> Follow<Wire> {
    Follow::new(Arc::clone(engine), &canvas("c"), None, || NOW)
}

fn edit<S: Store>(engine: &Engine<S>) {
    let key = OpKey::user(CallId::new("edit").unwrap());
    block_on(engine.call(&canvas("c"), &key, Edit::replace("edited\n"), NOW)).unwrap().result.unwrap();
}

#[test]
fn an_item_wins_over_the_deadline_and_comes_after_it_otherwise() {
    use Shown::{Deadline, Error, Item};
    type Case = (&'static str, fn(&Engine<Wire>), [Shown; 2]);
    let cases: [Case; 4] = [
        ("no change", |_| {}, [Deadline, Deadline]),
        ("an edit", edit, [Item, Deadline]),
        (
            "an edit by another server, and a slow store",
            |engine| {
                edit(&Engine::new(engine.store().peek(), Policy::default()));
                engine.forget(&canvas("c"));
                set(&engine.store().hold.load);
            },
            [Deadline, Item],
        ),
        (
            "a store that is down",
            |engine| {
                engine.forget(&canvas("c"));
                set(&engine.store().is_down);
            },
            [Error, Error],
        ),
    ];
    for (name, act, expected) in cases {
        let engine = created();
        let mut watch = engine.watch(&canvas("c"));
        next(&mut watch);
        act(&engine);
        let watched = [(); 2].map(|()| poll(watch.next_until(ready(()))));
        assert_eq!(watched, expected, "a watch after {name}");

        let engine = created();
        let mut follow = follow(&engine);
        act(&engine);
        let followed = [(); 2].map(|()| poll(follow.next_until(ready(()))));
        assert_eq!(followed, expected, "a follow after {name}");
    }
}

#[test]
fn a_wait_goes_on_until_the_deadline() {
    let engine = created();
    let (mut watch, mut follow) = (engine.watch(&canvas("c")), follow(&engine));
    next(&mut watch);
    assert_eq!(poll(watch.next_until(pending())), Shown::Waits);
    assert_eq!(poll(follow.next_until(pending())), Shown::Waits);
    edit(&engine);
    assert_eq!(poll(watch.next_until(pending())), Shown::Item);
    assert_eq!(poll(follow.next_until(pending())), Shown::Item);
}

#[test]
fn the_end_wins_over_the_deadline() {
    let engine = created();
    let (mut watch, mut follow) = (engine.watch(&canvas("c")), follow(&engine));
    edit(&engine);
    assert_eq!(poll(follow.next_until(ready(()))), Shown::Item);
    engine.store().swap(MemoryStore::new(|| NOW));
    block_on(Engine::new(engine.store().peek(), Policy::default()).create(
        &canvas("c"),
        "text\n",
        &OpKey::host(CallId::new("again").unwrap()),
        NOW,
    ))
    .unwrap();
    engine.forget(&canvas("c"));
    assert_eq!(poll(follow.next_until(ready(()))), Shown::End);
    drop(follow);
    assert_eq!(poll(watch.next_until(ready(()))), Shown::Item);
    drop(engine);
    assert_eq!(poll(watch.next_until(ready(()))), Shown::End);
}
