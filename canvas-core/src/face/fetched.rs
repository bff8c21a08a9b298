//! The blobs that a run has fetched so far.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use crate::model::blob::{Blob, BlobId};
use crate::model::links::Linked;

/// Fetched blobs by their ids, including those that the store does not have. An entry of a chain is decoded only once,
/// although a step runs again after each fetch.
#[derive(Debug, Clone, Default)]
#[cfg_attr(test, derive(PartialEq, Eq, Hash))]
pub(crate) struct Fetched(BTreeMap<BlobId, Option<Item>>);

#[derive(Debug, Clone)]
struct Item {
    blob: Blob,
    entry: OnceLock<Option<Arc<dyn Any + Send + Sync>>>,
}

impl Fetched {
    /// Records a response of the store, which is `None` if it has no such blob.
    pub(crate) fn insert(&mut self, id: BlobId, blob: Option<Blob>) {
        self.0.insert(id, blob.map(|blob| Item { blob, entry: OnceLock::new() }));
    }

    /// Returns the number of blobs that the store was asked for.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn get(&self, id: BlobId) -> Option<&Blob> {
        self.0.get(&id)?.as_ref().map(|item| &item.blob)
    }

    /// Returns an entry of a chain. The outer `None` means that the store was not asked for it, the inner one that the
    /// store does not have it or that its blob is not such an entry.
    pub(crate) fn linked<E: Linked + Send + Sync + 'static>(&self, id: BlobId) -> Option<Option<&E>> {
        let item = self.0.get(&id)?;
        let read = |blob: &Blob| E::read(blob).map(|entry| Arc::new(entry) as Arc<dyn Any + Send + Sync>);
        Some(
            item.as_ref()
                .and_then(|item| item.entry.get_or_init(|| read(&item.blob)).as_ref()?.downcast_ref()),
        )
    }
}

/// The entry follows from the blob, so that the blob is enough to compare items.
#[cfg(test)]
impl PartialEq for Item {
    fn eq(&self, other: &Self) -> bool {
        self.blob == other.blob
    }
}

#[cfg(test)]
impl Eq for Item {}

#[cfg(test)]
impl std::hash::Hash for Item {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.blob.hash(state);
    }
}
