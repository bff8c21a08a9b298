//! Wrappers of stores.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::model::blob::{Blob, BlobId};
use crate::model::id::CanvasId;
use crate::store::contract::{Capabilities, Collected, Commit, Committed, Loaded, Store, Version};
use crate::store::error::StoreError;

/// A wrapper around another store. It overrides the calls that it changes. All others reach the inner store, including
/// calls added to the contract later. If you override [`Layer::blob`], override [`Layer::blobs`] too. Every layer is a
/// [`Store`].
///
/// ```
/// # use std::sync::atomic::{AtomicU64, Ordering};
/// use canvas_core::store::{Layer, Loaded, Store, StoreError};
/// use canvas_core::CanvasId;
///
/// /// Counts the loads.
/// struct Counted<S> {
///     store: S,
///     loads: AtomicU64,
/// }
///
/// impl<S: Store> Layer for Counted<S> {
///     type Inner = S;
///
///     fn inner(&self) -> &S {
///         &self.store
///     }
///
///     async fn load(&self, canvas: &CanvasId) -> Result<Option<Loaded>, StoreError> {
///         self.loads.fetch_add(1, Ordering::Relaxed);
///         self.store.load(canvas).await
///     }
/// }
/// # use canvas_core::lease::Timestamp;
/// # use canvas_core::store::MemoryStore;
/// # let store = MemoryStore::new(|| Timestamp::from_millis(0));
/// # let store = Counted { store, loads: AtomicU64::new(0) };
/// # let loaded = canvas_core::testing::block_on(Store::load(&store, &CanvasId::new("c").unwrap()));
/// # assert!(loaded.unwrap().is_none());
/// # assert!(Store::capabilities(&store).not_after && store.loads.load(Ordering::Relaxed) == 1);
/// ```
pub trait Layer: Send + Sync + 'static {
    /// The type of the wrapped store.
    type Inner: Store;

    /// Returns the wrapped store.
    fn inner(&self) -> &Self::Inner;

    /// Like [`Store::capabilities`]. Forwards to the inner store by default.
    fn capabilities(&self) -> Capabilities {
        self.inner().capabilities()
    }

    /// Like [`Store::load`]. Forwards to the inner store by default.
    fn load(&self, canvas: &CanvasId) -> impl Future<Output = Result<Option<Loaded>, StoreError>> + Send {
        self.inner().load(canvas)
    }

    /// Like [`Store::commit`]. Forwards to the inner store by default.
    fn commit(&self, commit: Commit) -> impl Future<Output = Result<Committed, StoreError>> + Send {
        self.inner().commit(commit)
    }

    /// Like [`Store::blob`]. Forwards to the inner store by default.
    fn blob(
        &self,
        canvas: &CanvasId,
        id: BlobId,
    ) -> impl Future<Output = Result<Option<Blob>, StoreError>> + Send {
        self.inner().blob(canvas, id)
    }

    /// Like [`Store::blobs`]. Forwards to the inner store by default.
    fn blobs(
        &self,
        canvas: &CanvasId,
        ids: &[BlobId],
    ) -> impl Future<Output = Result<Vec<Option<Blob>>, StoreError>> + Send {
        self.inner().blobs(canvas, ids)
    }

    /// Like [`Store::list`]. Forwards to the inner store by default.
    fn list(
        &self,
        after: Option<&CanvasId>,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<CanvasId>, StoreError>> + Send {
        self.inner().list(after, limit)
    }

    /// Like [`Store::collect`]. Forwards to the inner store by default.
    fn collect(
        &self,
        canvas: &CanvasId,
        keep: &BTreeSet<BlobId>,
        older_than: Duration,
        at: &Version,
    ) -> impl Future<Output = Result<Collected, StoreError>> + Send {
        self.inner().collect(canvas, keep, older_than, at)
    }
}

impl<L: Layer> Store for L {
    fn capabilities(&self) -> Capabilities {
        Layer::capabilities(self)
    }

    fn load(&self, canvas: &CanvasId) -> impl Future<Output = Result<Option<Loaded>, StoreError>> + Send {
        Layer::load(self, canvas)
    }

    fn commit(&self, commit: Commit) -> impl Future<Output = Result<Committed, StoreError>> + Send {
        Layer::commit(self, commit)
    }

    fn blob(
        &self,
        canvas: &CanvasId,
        id: BlobId,
    ) -> impl Future<Output = Result<Option<Blob>, StoreError>> + Send {
        Layer::blob(self, canvas, id)
    }

    fn blobs(
        &self,
        canvas: &CanvasId,
        ids: &[BlobId],
    ) -> impl Future<Output = Result<Vec<Option<Blob>>, StoreError>> + Send {
        Layer::blobs(self, canvas, ids)
    }

    fn list(
        &self,
        after: Option<&CanvasId>,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<CanvasId>, StoreError>> + Send {
        Layer::list(self, after, limit)
    }

    fn collect(
        &self,
        canvas: &CanvasId,
        keep: &BTreeSet<BlobId>,
        older_than: Duration,
        at: &Version,
    ) -> impl Future<Output = Result<Collected, StoreError>> + Send {
        Layer::collect(self, canvas, keep, older_than, at)
    }
}
