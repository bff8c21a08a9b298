//! The store as a server behind a slow network has it.

use std::sync::atomic::{AtomicBool, Ordering};

use canvas_core::{Blob, BlobId, CanvasId, Capabilities, Commit, Committed, Fault, Loaded, Store};
use canvas_examples::postgres::PostgresStore;
use tokio::sync::Notify;

/// The store, in which one commit can be kept on its way: decided here, and not yet there.
#[derive(Debug)]
pub(crate) struct SlowStore {
    store: PostgresStore,
    slow: AtomicBool,
    left: Notify,
    go: Notify,
}

impl SlowStore {
    pub(crate) fn new(store: PostgresStore) -> Self {
        Self { store, slow: AtomicBool::new(false), left: Notify::new(), go: Notify::new() }
    }

    /// The next commit, and no other, is kept on its way.
    pub(crate) fn keep_next(&self) {
        self.slow.store(true, Ordering::SeqCst);
    }

    /// Waits until a commit is on its way and kept there.
    pub(crate) async fn left(&self) {
        self.left.notified().await;
    }

    /// Lets it arrive.
    pub(crate) fn let_go(&self) {
        self.go.notify_one();
    }
}

impl Store for SlowStore {
    fn capabilities(&self) -> Capabilities {
        self.store.capabilities()
    }

    async fn load(&self, canvas: &CanvasId) -> Result<Option<Loaded>, Fault> {
        self.store.load(canvas).await
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, Fault> {
        if self.slow.swap(false, Ordering::SeqCst) {
            self.left.notify_one();
            self.go.notified().await;
        }
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
