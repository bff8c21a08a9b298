//! A store that tells of changes: what was asked before the news must not be served after it.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};

use canvas_core::lease::{Timestamp, Turn};
use canvas_core::{
    Blob, BlobId, Call, CallId, CanvasId, Capabilities, Command, Commit, Committed, ConversationId, Engine,
    Fault, Loaded, MemoryStore, OpKey, Outcome, Policy, Store, block_on,
};

/// A store in memory that says it tells of changes, and whose next load can be held up once it has the row.
struct Telling {
    store: MemoryStore,
    hold: AtomicBool,
}

impl Store for Telling {
    fn capabilities(&self) -> Capabilities {
        Capabilities { notify: true, ..self.store.capabilities() }
    }

    async fn load(&self, canvas: &CanvasId) -> Result<Option<Loaded>, Fault> {
        let loaded = self.store.load(canvas).await;
        std::future::poll_fn(|_| match self.hold.swap(false, Ordering::Relaxed) {
            true => Poll::Pending,
            false => Poll::Ready(()),
        })
        .await;
        loaded
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, Fault> {
        self.store.commit(commit).await
    }

    async fn blob(&self, canvas: &CanvasId, id: BlobId) -> Result<Option<Blob>, Fault> {
        self.store.blob(canvas, id).await
    }

    async fn list(&self, after: Option<&CanvasId>, limit: usize) -> Result<Vec<CanvasId>, Fault> {
        self.store.list(after, limit).await
    }

    async fn delete(&self, canvas: &CanvasId, blobs: &[BlobId]) -> Result<(), Fault> {
        self.store.delete(canvas, blobs).await
    }
}

const NOW: Timestamp = Timestamp::from_millis(1_000);

fn call(id: &str, command: Command) -> Call {
    let (conversation, call) = (ConversationId::new("model").unwrap(), CallId::new(id).unwrap());
    Call { operation: OpKey { conversation, turn: Turn::ZERO, call }, command }
}

#[test]
fn news_that_overtake_a_load_are_not_lost() {
    let memory = MemoryStore::new(|| NOW);
    let canvas = CanvasId::new("c").unwrap();
    let peer = Engine::new(memory.clone(), Policy::default());
    block_on(peer.create(&canvas, "0\n", &call("create", Command::Cancel).operation, NOW)).unwrap();
    let out = block_on(peer.call(&canvas, &call("out", Command::CheckOut), NOW)).unwrap();
    let Outcome::CheckedOut { lease, .. } = out.outcome else { panic!("nobody else asks") };
    let lease = Some(lease);
    // From here on a read has nothing to store, so nothing but the cache decides what it shows.
    block_on(peer.call(&canvas, &call("read", Command::Read { lease }), NOW)).unwrap();
    for (i, by_peer) in [true, false].into_iter().enumerate() {
        let engine =
            Engine::new(Telling { store: memory.clone(), hold: AtomicBool::new(true) }, Policy::default());
        let mut slow = pin!(engine.snapshot(&canvas, NOW));
        assert!(slow.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        let patch = format!("@@\n-{i}\n+{}\n", i + 1);
        let change = call(&format!("write {i}"), Command::Apply { lease, patch, base: None });
        if by_peer {
            block_on(peer.call(&canvas, &change, NOW)).unwrap();
            engine.forget(&canvas);
        } else {
            block_on(engine.call(&canvas, &change, NOW)).unwrap();
        }
        assert_eq!(block_on(slow).unwrap().text(), format!("{i}\n"), "it had the row before the change");
        let read = block_on(engine.call(&canvas, &call("read", Command::Read { lease }), NOW)).unwrap();
        assert!(matches!(read.outcome, Outcome::Readable { .. }));
        assert_eq!(read.snapshot.text(), format!("{}\n", i + 1), "changed by the peer: {by_peer}");
    }
}
