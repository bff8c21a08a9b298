//! A store as it will be once an import commits the blobs at hand.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::blob::{Blob, BlobId};
use crate::model::id::CanvasId;
use crate::store::contract::Store;
use crate::store::error::StoreError;
use crate::store::layer::Layer;

/// Blobs that the store does not have yet, in front of the store, so that a walk finds both.
#[derive(Debug)]
pub(super) struct Staged<S> {
    pub(super) store: Arc<S>,
    pub(super) blobs: Arc<BTreeMap<BlobId, Blob>>,
}

impl<S: Store> Layer for Staged<S> {
    type Inner = S;

    fn inner(&self) -> &S {
        &self.store
    }

    async fn blob(&self, canvas: &CanvasId, id: BlobId) -> Result<Option<Blob>, StoreError> {
        match self.blobs.get(&id) {
            Some(blob) => Ok(Some(blob.clone())),
            None => self.store.blob(canvas, id).await,
        }
    }

    async fn blobs(&self, canvas: &CanvasId, ids: &[BlobId]) -> Result<Vec<Option<Blob>>, StoreError> {
        let mut found: Vec<_> = ids.iter().map(|id| self.blobs.get(id).cloned()).collect();
        let stored: Vec<_> = ids.iter().filter(|id| !self.blobs.contains_key(id)).copied().collect();
        if !stored.is_empty() {
            let mut stored = self.store.blobs(canvas, &stored).await?.into_iter();
            for slot in found.iter_mut().filter(|slot| slot.is_none()) {
                *slot = stored.next().flatten();
            }
        }
        Ok(found)
    }
}
