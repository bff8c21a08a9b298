//! Two servers on one store in memory, their watchers, and what is done at a canvas.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

use canvas_core::document::Edit;
use canvas_core::lease::{CheckOut, LeaseId, Timestamp};
use canvas_core::store::{
    Capabilities, Commit, Committed, Layer, Loaded, MemoryStore, Store as _, StoreError, StoreErrorKind,
};
use canvas_core::testing::block_on;
use canvas_core::watch::{Waited, Watch, WatchEvent};
use canvas_core::{
    Blob, BlobId, CallId, CanvasId, Command, ConversationId, Engine, EngineError, OpKey, Policy, Revision,
};

pub(crate) const NOW: Timestamp = Timestamp::from_millis(1_000);

/// A store in memory that counts its loads. It notifies, fails and holds calls up on request.
#[derive(Debug)]
pub(crate) struct Wire {
    store: MemoryStore,
    notify: bool,
    restored: Mutex<Option<MemoryStore>>,
    pub(crate) loads: AtomicU64,
    blobs: AtomicU64,
    /// All loads fail.
    pub(crate) is_down: AtomicBool,
    /// The answer of the next commit is lost on its way.
    pub(crate) lose_answer: AtomicBool,
    /// Loads wait after they have the row, commits before and after they are done.
    pub(crate) hold: Hold,
}

/// Holds one call up, which goes on when it is polled again.
#[derive(Debug, Default)]
pub(crate) struct Hold {
    pub(crate) load: AtomicBool,
    pub(crate) before_commit: AtomicBool,
    pub(crate) after_commit: AtomicBool,
}

async fn held(flag: &AtomicBool) {
    std::future::poll_fn(|_| match flag.swap(false, Ordering::SeqCst) {
        true => Poll::Pending,
        false => Poll::Ready(()),
    })
    .await;
}

pub(crate) fn set(flag: &AtomicBool) {
    flag.store(true, Ordering::SeqCst);
}

/// Polls a wait whose deadline is here while the store holds up the next load.
pub(crate) fn held_until<T>(wire: &Wire, wait: impl Future<Output = Waited<T>>) -> Option<T> {
    set(&wire.hold.load);
    let waited = pin!(wait).poll(&mut Context::from_waker(Waker::noop()));
    wire.hold.load.store(false, Ordering::SeqCst);
    match waited {
        Poll::Ready(Waited::Next(item)) => Some(item.expect("the store is there")),
        Poll::Ready(Waited::Deadline) => None,
        Poll::Ready(Waited::End) | Poll::Pending => panic!("it goes on, and the deadline is here"),
    }
}

impl Wire {
    /// Another store takes its place, as after a restore from a backup.
    pub(crate) fn swap(&self, store: MemoryStore) {
        *self.restored.lock().unwrap() = Some(store);
    }

    /// How many blobs were fetched.
    pub(crate) fn blobs(&self) -> u64 {
        self.blobs.load(Ordering::SeqCst)
    }

    /// The store without the wire.
    pub(crate) fn peek(&self) -> MemoryStore {
        self.restored.lock().unwrap().as_ref().unwrap_or(&self.store).clone()
    }
}

impl Layer for Wire {
    type Inner = MemoryStore;

    fn inner(&self) -> &MemoryStore {
        &self.store
    }

    async fn blob(&self, canvas: &CanvasId, id: BlobId) -> Result<Option<Blob>, StoreError> {
        self.blobs.fetch_add(1, Ordering::SeqCst);
        self.peek().blob(canvas, id).await
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { not_after: true, notify: self.notify }
    }

    async fn load(&self, canvas: &CanvasId) -> Result<Option<Loaded>, StoreError> {
        self.loads.fetch_add(1, Ordering::SeqCst);
        if self.is_down.load(Ordering::SeqCst) {
            return Err(StoreError::new(StoreErrorKind::Unavailable));
        }
        let loaded = self.peek().load(canvas).await;
        held(&self.hold.load).await;
        loaded
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        held(&self.hold.before_commit).await;
        let committed = self.peek().commit(commit).await;
        held(&self.hold.after_commit).await;
        if self.lose_answer.swap(false, Ordering::SeqCst) {
            return Err(StoreError::new(StoreErrorKind::Indeterminate));
        }
        committed
    }
}

/// Two engines on one store. Where it notifies, each is notified of what the other commits.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) engines: [Engine<Wire>; 2],
    notify: bool,
    calls: AtomicU64,
}

impl World {
    pub(crate) fn new(notify: bool) -> Self {
        Self::on(&MemoryStore::new(|| NOW), notify)
    }

    pub(crate) fn on(store: &MemoryStore, notify: bool) -> Self {
        let engine = || {
            let (restored, loads, blobs, is_down, lose_answer, hold) = Default::default();
            let wire =
                Wire { store: store.clone(), notify, restored, loads, blobs, is_down, lose_answer, hold };
            Engine::new(wire, Policy::default())
        };
        Self { engines: [engine(), engine()], notify, calls: AtomicU64::new(0) }
    }

    pub(crate) fn key(&self, who: &str) -> OpKey {
        let call = self.calls.fetch_add(1, Ordering::SeqCst).to_string();
        let (conversation, call) = (ConversationId::new(who).unwrap(), CallId::new(&call).unwrap());
        OpKey::of(conversation, call)
    }

    /// The other server hears of it, as from its store's listener.
    pub(crate) fn announce(&self, server: usize, id: &CanvasId) {
        if self.notify {
            self.engines[1 - server].forget(id);
        }
    }

    pub(crate) fn create(&self, server: usize, id: &CanvasId) {
        let key = self.key("host");
        block_on(self.engines[server].create(id, "text\n", &key, NOW)).unwrap();
        self.announce(server, id);
    }

    pub(crate) fn delete(&self, server: usize, id: &CanvasId) {
        block_on(self.engines[server].delete(id, &self.key("host"), NOW)).unwrap();
        self.announce(server, id);
    }

    pub(crate) fn call<C: Command>(&self, server: usize, id: &CanvasId, who: &str, command: C) -> C::Done {
        let key = self.key(who);
        let answered = block_on(self.engines[server].call(id, &key, command, NOW)).unwrap();
        self.announce(server, id);
        answered.result.unwrap()
    }

    /// A user's edit, which makes a text that never was.
    pub(crate) fn edit(&self, server: usize, id: &CanvasId) {
        let edit = self.next_edit();
        self.call(server, id, "user", edit);
    }

    pub(crate) fn next_edit(&self) -> Edit {
        Edit::overwrite(format!("text {}\n", self.calls.load(Ordering::SeqCst)))
    }

    pub(crate) fn check_out(&self, server: usize, id: &CanvasId) -> LeaseId {
        self.call(server, id, "model", CheckOut).lease
    }

    pub(crate) fn loads(&self, server: usize) -> u64 {
        self.engines[server].store().loads.load(Ordering::SeqCst)
    }
}

pub(crate) fn canvas(id: &str) -> CanvasId {
    CanvasId::new(id).unwrap()
}

/// Counts the times it is woken.
#[derive(Debug, Default)]
pub(crate) struct Woken(AtomicU64);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Woken {
    pub(crate) fn times(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

/// Polls once. `None` where there is nothing yet.
pub(crate) fn poll(watch: &mut Watch, woken: &Arc<Woken>) -> Option<Result<WatchEvent, EngineError>> {
    let waker = Waker::from(Arc::clone(woken));
    match pin!(watch.next()).poll(&mut Context::from_waker(&waker)) {
        Poll::Ready(event) => Some(event.expect("the engine is there")),
        Poll::Pending => None,
    }
}

/// The next event, which is there or comes of one load.
pub(crate) fn next(watch: &mut Watch) -> WatchEvent {
    poll(watch, &Arc::default()).expect("something has changed").unwrap()
}

/// Whether a watcher waits.
pub(crate) fn waits(watch: &mut Watch) -> bool {
    poll(watch, &Arc::default()).is_none()
}

pub(crate) fn revision(event: &WatchEvent) -> u64 {
    event.revision.map_or(0, Revision::get)
}
