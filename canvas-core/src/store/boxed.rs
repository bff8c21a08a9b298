//! A store of any type behind a single type.

use std::collections::BTreeSet;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crate::model::blob::{Blob, BlobId};
use crate::model::id::CanvasId;
use crate::store::contract::{Capabilities, Collected, Commit, Committed, Loaded, Store, Version};
use crate::store::error::StoreError;

type Boxed<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

trait DynStore: Send + Sync {
    fn capabilities(&self) -> Capabilities;
    fn load<'a>(&'a self, canvas: &'a CanvasId) -> Boxed<'a, Option<Loaded>>;
    fn commit(&self, commit: Commit) -> Boxed<'_, Committed>;
    fn blob<'a>(&'a self, canvas: &'a CanvasId, id: BlobId) -> Boxed<'a, Option<Blob>>;
    fn blobs<'a>(&'a self, canvas: &'a CanvasId, ids: &'a [BlobId]) -> Boxed<'a, Vec<Option<Blob>>>;
    fn list<'a>(&'a self, after: Option<&'a CanvasId>, limit: usize) -> Boxed<'a, Vec<CanvasId>>;
    fn collect<'a>(
        &'a self,
        canvas: &'a CanvasId,
        keep: &'a BTreeSet<BlobId>,
        older_than: Duration,
        at: &'a Version,
    ) -> Boxed<'a, Collected>;
}

impl<S: Store> DynStore for S {
    fn capabilities(&self) -> Capabilities {
        Store::capabilities(self)
    }

    fn load<'a>(&'a self, canvas: &'a CanvasId) -> Boxed<'a, Option<Loaded>> {
        Box::pin(Store::load(self, canvas))
    }

    fn commit(&self, commit: Commit) -> Boxed<'_, Committed> {
        Box::pin(Store::commit(self, commit))
    }

    fn blob<'a>(&'a self, canvas: &'a CanvasId, id: BlobId) -> Boxed<'a, Option<Blob>> {
        Box::pin(Store::blob(self, canvas, id))
    }

    fn blobs<'a>(&'a self, canvas: &'a CanvasId, ids: &'a [BlobId]) -> Boxed<'a, Vec<Option<Blob>>> {
        Box::pin(Store::blobs(self, canvas, ids))
    }

    fn list<'a>(&'a self, after: Option<&'a CanvasId>, limit: usize) -> Boxed<'a, Vec<CanvasId>> {
        Box::pin(Store::list(self, after, limit))
    }

    fn collect<'a>(
        &'a self,
        canvas: &'a CanvasId,
        keep: &'a BTreeSet<BlobId>,
        older_than: Duration,
        at: &'a Version,
    ) -> Boxed<'a, Collected> {
        Box::pin(Store::collect(self, canvas, keep, older_than, at))
    }
}

/// A store of any type behind a single type, so that embedders need no generics. Clones share the store.
#[derive(Clone)]
pub struct BoxStore(Arc<dyn DynStore>);

impl BoxStore {
    /// Boxes a store.
    pub fn new(store: impl Store + 'static) -> Self {
        Self(Arc::new(store))
    }
}

impl fmt::Debug for BoxStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BoxStore({:?})", self.0.capabilities())
    }
}

impl Store for BoxStore {
    fn capabilities(&self) -> Capabilities {
        self.0.capabilities()
    }

    async fn load(&self, canvas: &CanvasId) -> Result<Option<Loaded>, StoreError> {
        self.0.load(canvas).await
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        self.0.commit(commit).await
    }

    async fn blob(&self, canvas: &CanvasId, id: BlobId) -> Result<Option<Blob>, StoreError> {
        self.0.blob(canvas, id).await
    }

    async fn blobs(&self, canvas: &CanvasId, ids: &[BlobId]) -> Result<Vec<Option<Blob>>, StoreError> {
        self.0.blobs(canvas, ids).await
    }

    async fn list(&self, after: Option<&CanvasId>, limit: usize) -> Result<Vec<CanvasId>, StoreError> {
        self.0.list(after, limit).await
    }

    async fn collect(
        &self,
        canvas: &CanvasId,
        keep: &BTreeSet<BlobId>,
        older_than: Duration,
        at: &Version,
    ) -> Result<Collected, StoreError> {
        self.0.collect(canvas, keep, older_than, at).await
    }
}
