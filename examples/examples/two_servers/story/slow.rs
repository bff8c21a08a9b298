//! A store whose network is slow for one commit.

use std::sync::atomic::{AtomicBool, Ordering};

use canvas_core::store::{Commit, Committed, Layer, Store as _, StoreError};
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

impl Layer for SlowStore {
    type Inner = PostgresStore;

    fn inner(&self) -> &PostgresStore {
        &self.store
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        if self.slow.swap(false, Ordering::SeqCst) {
            self.held.notify_one();
            self.go.notified().await;
        }
        self.store.commit(commit).await
    }
}
