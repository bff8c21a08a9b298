//! A store that notifies engines of changes: a read shows at least what its engine has been notified of or has answered.

use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};

use canvas_core::document::{ApplyPatch, Read};
use canvas_core::lease::{CheckOut, LeaseId, Timestamp};
use canvas_core::store::{
    Capabilities, Commit, Committed, Layer, Loaded, MemoryStore, Store as _, StoreError,
};
use canvas_core::testing::block_on;
use canvas_core::{CallId, CanvasId, ConversationId, Engine, OpKey, Policy};

/// A store in memory that claims `notify`. Its next load can be held up after it has the row, its next commit before it
/// is done.
struct Notifying {
    store: MemoryStore,
    hold_load: AtomicBool,
    hold_commit: AtomicBool,
}

impl Notifying {
    fn new(store: &MemoryStore) -> Self {
        Self { store: store.clone(), hold_load: AtomicBool::new(false), hold_commit: AtomicBool::new(false) }
    }
}

/// Waits once where the flag is set.
async fn hold(flag: &AtomicBool) {
    std::future::poll_fn(|_| match flag.swap(false, Ordering::Relaxed) {
        true => Poll::Pending,
        false => Poll::Ready(()),
    })
    .await;
}

impl Layer for Notifying {
    type Inner = MemoryStore;

    fn inner(&self) -> &MemoryStore {
        &self.store
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { notify: true, ..self.store.capabilities() }
    }

    async fn load(&self, canvas: &CanvasId) -> Result<Option<Loaded>, StoreError> {
        let loaded = self.store.load(canvas).await;
        hold(&self.hold_load).await;
        loaded
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        hold(&self.hold_commit).await;
        self.store.commit(commit).await
    }
}

const NOW: Timestamp = Timestamp::from_millis(1_000);

fn key(id: &str) -> OpKey {
    let (conversation, call) = (ConversationId::new("model").unwrap(), CallId::new(id).unwrap());
    OpKey::of(conversation, call)
}

/// A canvas with the text `0`, on which the model has a lease and has read the text: a read has nothing to store any
/// more, so nothing but the cache decides what it shows.
fn canvas() -> (MemoryStore, CanvasId, Option<LeaseId>) {
    let (memory, canvas) = (MemoryStore::new(|| NOW), CanvasId::new("c").unwrap());
    let engine = Engine::new(memory.clone(), Policy::default());
    block_on(engine.create(&canvas, "0\n", &key("create"), NOW)).unwrap();
    let out = block_on(engine.call(&canvas, &key("out"), CheckOut, NOW)).unwrap();
    let lease = Some(out.result.unwrap().lease);
    block_on(engine.call(&canvas, &key("read"), Read::new(lease), NOW)).unwrap().result.unwrap();
    (memory, canvas, lease)
}

fn write(lease: Option<LeaseId>, old: usize) -> (OpKey, ApplyPatch) {
    let patch = format!("@@\n-{old}\n+{}\n", old + 1);
    (key(&format!("write {old}")), ApplyPatch { lease, patch, base: None, scope: None, shown: None })
}

fn read(engine: &Engine<Notifying>, canvas: &CanvasId, lease: Option<LeaseId>) -> String {
    let read = block_on(engine.call(canvas, &key("read"), Read::new(lease), NOW)).unwrap();
    assert!(read.result.is_ok());
    read.snapshot.text().to_owned()
}

fn is_pending<T>(future: Pin<&mut impl Future<Output = T>>) -> bool {
    future.poll(&mut Context::from_waker(Waker::noop())).is_pending()
}

#[test]
fn a_change_that_overtakes_a_load_is_read() {
    let (memory, canvas, lease) = canvas();
    let peer = Engine::new(memory.clone(), Policy::default());
    for (i, by_peer) in [true, false].into_iter().enumerate() {
        let engine = Engine::new(Notifying::new(&memory), Policy::default());
        engine.store().hold_load.store(true, Ordering::Relaxed);
        let mut slow = pin!(engine.snapshot(&canvas, NOW));
        assert!(is_pending(slow.as_mut()));
        if by_peer {
            let (key, write) = write(lease, i);
            block_on(peer.call(&canvas, &key, write, NOW)).unwrap().result.unwrap();
            engine.forget(&canvas);
        } else {
            let (key, write) = write(lease, i);
            block_on(engine.call(&canvas, &key, write, NOW)).unwrap().result.unwrap();
        }
        assert_eq!(block_on(slow).unwrap().text(), format!("{i}\n"), "it had the row before the change");
        assert_eq!(read(&engine, &canvas, lease), format!("{}\n", i + 1), "changed by the peer: {by_peer}");
    }
}

#[test]
fn forgetting_another_canvas_leaves_a_write_readable() {
    let (memory, canvas, lease) = canvas();
    let engine = Engine::new(Notifying::new(&memory), Policy::default());
    assert_eq!(read(&engine, &canvas, lease), "0\n");
    engine.store().hold_commit.store(true, Ordering::Relaxed);
    let change = write(lease, 0);
    let mut slow = pin!(engine.call(&canvas, &change.0, change.1, NOW));
    assert!(is_pending(slow.as_mut()));
    engine.forget(&CanvasId::new("another").unwrap());
    assert_eq!(block_on(slow).unwrap().snapshot.text(), "1\n");
    assert_eq!(read(&engine, &canvas, lease), "1\n");
}

#[test]
fn a_load_between_a_notification_and_a_write_is_not_read_after_it() {
    let (memory, canvas, lease) = canvas();
    let engine = Engine::new(Notifying::new(&memory), Policy::default());
    engine.store().hold_commit.store(true, Ordering::Relaxed);
    let change = write(lease, 0);
    let mut slow = pin!(engine.call(&canvas, &change.0, change.1, NOW));
    assert!(is_pending(slow.as_mut()));
    // A notification of an earlier commit that arrives late.
    engine.forget(&canvas);
    assert_eq!(block_on(engine.snapshot(&canvas, NOW)).unwrap().text(), "0\n");
    assert_eq!(block_on(slow).unwrap().snapshot.text(), "1\n");
    assert_eq!(read(&engine, &canvas, lease), "1\n");
}
