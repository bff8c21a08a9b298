//! A store that is far away: each statement waits a while before it is sent.

use std::collections::BTreeSet;
use std::thread;
use std::time::Duration;

use canvas_core::store::{Collected, Commit, Committed, Layer, Loaded, Store, StoreError, Version};
use canvas_core::{Blob, BlobId, CanvasId};

/// Half a millisecond, as between two machines of one data centre. The thread sleeps, because a runtime's timer is
/// twice as coarse.
pub(super) fn wait() {
    thread::sleep(Duration::from_micros(500));
}

/// Each method of the store is one statement.
pub(super) struct Delayed<S>(pub(super) S);

impl<S: Store> Layer for Delayed<S> {
    type Inner = S;

    fn inner(&self) -> &S {
        &self.0
    }

    async fn load(&self, canvas: &CanvasId) -> Result<Option<Loaded>, StoreError> {
        wait();
        self.0.load(canvas).await
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        wait();
        self.0.commit(commit).await
    }

    async fn blob(&self, canvas: &CanvasId, id: BlobId) -> Result<Option<Blob>, StoreError> {
        wait();
        self.0.blob(canvas, id).await
    }

    async fn blobs(&self, canvas: &CanvasId, ids: &[BlobId]) -> Result<Vec<Option<Blob>>, StoreError> {
        wait();
        self.0.blobs(canvas, ids).await
    }

    async fn list(&self, after: Option<&CanvasId>, limit: usize) -> Result<Vec<CanvasId>, StoreError> {
        wait();
        self.0.list(after, limit).await
    }

    async fn collect(
        &self,
        canvas: &CanvasId,
        keep: &BTreeSet<BlobId>,
        older_than: Duration,
        at: &Version,
    ) -> Result<Collected, StoreError> {
        wait();
        self.0.collect(canvas, keep, older_than, at).await
    }
}
