//! A store whose network is slow for one commit.

use std::sync::atomic::{AtomicBool, Ordering};

use canvas_core::{Blob, BlobId, CanvasId, Capabilities, Commit, Committed, Fault, Loaded, Store};
use canvas_store_postgres::PostgresStore;
use tokio::sync::Notify;

/// A store that can hold up one commit: decided by this server, and not yet in the database.
#[derive(Debug)]
pub(crate) struct SlowStore {
    store: PostgresStore,
    slow: AtomicBool,
    held: Notify,
    go: Notify,
}

impl SlowStore {
    pub(crate) fn new(store: PostgresStore) -> Self {
        Self { store, slow: AtomicBool::new(false), held: Notify::new(), go: Notify::new() }
    }

    /// Holds up the next commit, and no other.
    pub(crate) fn hold_next(&self) {
        self.slow.store(true, Ordering::SeqCst);
    }

    /// Waits until a commit is held up.
    pub(crate) async fn held(&self) {
        self.held.notified().await;
    }

    /// Lets the commit go on.
    pub(crate) fn release(&self) {
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
            self.held.notify_one();
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
