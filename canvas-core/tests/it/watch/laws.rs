//! Whatever is done and whoever polls when: what watchers are shown goes forward and ends at the store's state.

use std::future::ready;

use canvas_core::lease::{CheckOut, Epoch, Lease};
use canvas_core::store::{Loaded, Store as _};
use canvas_core::testing::block_on;
use canvas_core::turn::{SendMessage, TakeControl};
use canvas_core::watch::{Watch, WatchEvent};
use canvas_core::{BlobId, CanvasId, Command, Revision};
use proptest::prelude::*;

use crate::watch::world::{NOW, World, canvas, held_until, poll, revision};

#[derive(Debug, Clone, Copy)]
enum Act {
    Edit,
    CheckOut,
    TakeControl,
    SendMessage,
    Create,
    Delete,
    /// The server looks at the store.
    Look,
    /// A notification, though nothing has happened.
    Forget,
}

#[derive(Debug, Clone, Copy)]
enum Op {
    Act(usize, Act),
    Poll(usize),
    Try(usize),
    /// A wait whose deadline is here, at a store that is slow.
    Wait(usize),
    Join(usize),
    Leave(usize),
}

fn act() -> impl Strategy<Value = Act> {
    use Act::{CheckOut, Create, Delete, Edit, Forget, Look, SendMessage, TakeControl};
    // A canvas that is there is worth more than one that is not.
    prop_oneof![
        6 => prop::sample::select(vec![Edit, CheckOut, TakeControl, SendMessage]),
        2 => Just(Create),
        1 => Just(Delete),
        2 => prop::sample::select(vec![Look, Forget]),
    ]
}

fn op(servers: usize) -> impl Strategy<Value = Op> {
    prop_oneof![
        4 => (0..servers, act()).prop_map(|(server, act)| Op::Act(server, act)),
        3 => (0_usize..8).prop_map(Op::Poll),
        1 => (0_usize..8).prop_map(Op::Try),
        1 => (0_usize..8).prop_map(Op::Wait),
        1 => (0..servers).prop_map(Op::Join),
        1 => (0_usize..8).prop_map(Op::Leave),
    ]
}

/// A watcher and what it was shown.
struct Reader {
    watch: Watch,
    server: usize,
    /// The changes that there were when it began.
    joined: u64,
    /// The last event, and the changes that there were when the first was shown.
    last: Option<(WatchEvent, u64)>,
    /// Events after the first, and what those missed.
    counted: u64,
}

impl Reader {
    fn show(&mut self, event: WatchEvent, changes: u64) {
        assert!(!event.restored);
        let first = match &self.last {
            None => {
                assert_eq!(event.missed, 0);
                changes
            }
            Some((last, first)) => {
                assert!(revision(&event) >= revision(last), "{last:?}, then {event:?}");
                let what = |event: &WatchEvent| (event.status, event.revision, event.lock.clone());
                assert!(what(&event) != what(last) || event.made || event.promoted || event.missed > 0);
                assert!(event.missed + 1 >= revision(&event) - revision(last));
                assert_eq!(event.faces.is_empty(), revision(&event) == revision(last));
                self.counted += 1 + event.missed;
                *first
            }
        };
        self.last = Some((event, first));
    }

    fn poll(&mut self, changes: u64) {
        while let Some(event) = poll(&mut self.watch, &std::sync::Arc::default()) {
            self.show(event.unwrap(), changes);
        }
    }
}

type Visible = (Revision, bool, Epoch, Option<Lease>, Option<BlobId>);

/// What watchers are shown of a canvas.
fn visible(row: Option<Loaded>) -> Option<Visible> {
    let row = row.filter(|row| row.head.revision() > Revision::ZERO)?;
    let head = &row.head;
    let artefact = head.committed().map(canvas_core::store::Tree::hash);
    Some((head.revision(), head.is_deleted(), head.lock().epoch(), head.lock().lease().cloned(), artefact))
}

fn stored(world: &World, id: &CanvasId) -> Option<Visible> {
    // Not through the engine, which would learn of it.
    visible(block_on(world.engines[0].store().peek().load(id)).unwrap())
}

fn ask<C: Command>(world: &World, server: usize, id: &CanvasId, who: &str, command: C) {
    drop(block_on(world.engines[server].call(id, &world.key(who), command, NOW)));
    world.announce(server, id);
}

fn run(world: &World, id: &CanvasId, server: usize, act: Act) {
    let engine = &world.engines[server];
    match act {
        Act::Edit => ask(world, server, id, "user", world.next_edit()),
        Act::CheckOut => ask(world, server, id, "model", CheckOut),
        Act::TakeControl => ask(world, server, id, "user", TakeControl),
        Act::SendMessage => ask(world, server, id, "model", SendMessage),
        Act::Create => {
            drop(block_on(engine.create(id, "text\n", &world.key("host"), NOW)));
            world.announce(server, id);
        }
        Act::Delete => {
            drop(block_on(engine.delete(id, &world.key("host"), NOW)));
            world.announce(server, id);
        }
        Act::Look => drop(block_on(engine.snapshot(id, NOW))),
        Act::Forget => engine.forget(id),
    }
}

fn check(ops: Vec<Op>, notify: bool, servers: usize) {
    let (world, id) = (World::new(notify), canvas("c"));
    let (mut readers, mut changes) = (Vec::<Reader>::new(), 0);
    for op in ops {
        let count = readers.len().max(1);
        match op {
            Op::Act(server, act) => {
                let before = stored(&world, &id);
                run(&world, &id, server, act);
                changes += u64::from(stored(&world, &id) != before);
            }
            Op::Poll(i) => {
                if let Some(reader) = readers.get_mut(i % count) {
                    reader.poll(changes);
                }
            }
            Op::Try(i) => {
                if let Some(reader) = readers.get_mut(i % count)
                    && let Some(event) = reader.watch.try_next()
                {
                    reader.show(event, changes);
                }
            }
            Op::Wait(i) => {
                if let Some(reader) = readers.get_mut(i % count) {
                    let store = world.engines[reader.server].store();
                    if let Some(event) = held_until(store, reader.watch.next_until(ready(()))) {
                        reader.show(event, changes);
                    }
                }
            }
            Op::Join(server) => {
                let watch = world.engines[server].watch(&id);
                readers.push(Reader { watch, server, joined: changes, last: None, counted: 0 });
            }
            Op::Leave(i) if !readers.is_empty() => drop(readers.swap_remove(i % count)),
            Op::Leave(_) => {}
        }
    }
    if !notify {
        // What nobody has said is learnt by a look.
        world.engines.iter().for_each(|engine| engine.forget(&id));
    }
    let last = stored(&world, &id);
    for reader in &mut readers {
        reader.poll(changes);
        let (event, first) = reader.last.as_ref().expect("a first event comes at once");
        assert_eq!(revision(event), last.as_ref().map_or(0, |(revision, ..)| revision.get()));
        assert_eq!(event.lock.is_locked(), last.as_ref().is_some_and(|(.., lease, _)| lease.is_some()));
        // A first event may be older than its showing, and changes of the lock alone at another server are counted as
        // far as they were met.
        assert!(reader.counted <= changes - reader.joined);
        if servers == 1 {
            assert_eq!(reader.counted, changes - first);
        }
    }
}

proptest! {
    #[test]
    fn one_server_shows_or_counts_each_change(
        ops in prop::collection::vec(op(1), 0..60), notify in any::<bool>(),
    ) {
        check(ops, notify, 1);
    }

    #[test]
    fn watchers_of_two_servers_go_forward_to_the_state_of_the_store(
        ops in prop::collection::vec(op(2), 0..60), notify in any::<bool>(),
    ) {
        check(ops, notify, 2);
    }
}
