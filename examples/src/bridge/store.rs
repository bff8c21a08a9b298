//! Where the bridge keeps its canvases, and what it has written there.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use canvas_core::lease::Timestamp;
use canvas_core::store::{BoxStore, Commit, Committed, Layer, MemoryStore, Store, StoreError};
use canvas_core::{Blob, BlobId, CanvasId};

use super::request::{BridgeError, Request};

/// Opens the store that a request names. Stores on disk are features of the bridge.
pub(super) fn open(
    request: &Request<'_>,
    written: &Arc<Written>,
    clock: impl Fn() -> Timestamp + Send + Sync + 'static,
) -> Result<BoxStore, BridgeError> {
    match request.text("kind")? {
        "memory" => Ok(memory(written, clock)),
        #[cfg(feature = "sqlite")]
        "sqlite" => {
            let store = canvas_store_sqlite::SqliteStore::open(request.text("path")?, clock)?;
            Ok(Counted::boxed(canvas_core::store::Blocking::new(store), written))
        }
        #[cfg(not(feature = "sqlite"))]
        "sqlite" => {
            let message = "this bridge is built without SQLite: build it with --features sqlite";
            Err(BridgeError::new("NOT_SUPPORTED", message.to_owned()))
        }
        kind => {
            let message = format!("there is no kind of store {kind:?}: send memory or sqlite");
            Err(BridgeError::new("BAD_REQUEST", message))
        }
    }
}

pub(super) fn memory(
    written: &Arc<Written>,
    clock: impl Fn() -> Timestamp + Send + Sync + 'static,
) -> BoxStore {
    Counted::boxed(MemoryStore::new(clock), written)
}

/// What commits have put, by canvas.
#[derive(Debug, Default)]
pub(super) struct Written(Mutex<HashMap<CanvasId, Puts>>);

#[derive(Debug, Default)]
struct Puts {
    blobs: BTreeSet<BlobId>,
    /// Of heads and blobs.
    bytes: usize,
}

impl Written {
    pub(super) fn ids(&self, canvas: &CanvasId) -> BTreeSet<BlobId> {
        self.puts().get(canvas).map_or_else(BTreeSet::new, |puts| puts.blobs.clone())
    }

    pub(super) fn bytes(&self, canvas: &CanvasId) -> usize {
        self.puts().get(canvas).map_or(0, |puts| puts.bytes)
    }

    /// Forgets blobs that a collection has removed.
    pub(super) fn forget<'b>(&self, canvas: &CanvasId, gone: impl Iterator<Item = &'b BlobId>) {
        if let Some(puts) = self.puts().get_mut(canvas) {
            gone.for_each(|id| _ = puts.blobs.remove(id));
        }
    }

    fn puts(&self) -> MutexGuard<'_, HashMap<CanvasId, Puts>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts what commits put.
pub(super) struct Counted<S> {
    store: S,
    written: Arc<Written>,
}

impl<S: Store + 'static> Counted<S> {
    pub(super) fn boxed(store: S, written: &Arc<Written>) -> BoxStore {
        BoxStore::new(Self { store, written: Arc::clone(written) })
    }
}

impl<S: Store> Layer for Counted<S> {
    type Inner = S;

    fn inner(&self) -> &S {
        &self.store
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        let canvas = commit.head.canvas().clone();
        let ids: Vec<_> = commit.blobs.iter().map(Blob::id).collect();
        let of_blobs: usize = commit.blobs.iter().map(|blob| blob.as_bytes().len()).sum();
        let bytes = of_blobs + commit.head.to_json().len();
        let committed = self.store.commit(commit).await?;
        if matches!(committed, Committed::Done { .. }) {
            let mut written = self.written.puts();
            let puts = written.entry(canvas).or_default();
            puts.blobs.extend(ids);
            puts.bytes += bytes;
        }
        Ok(committed)
    }
}
