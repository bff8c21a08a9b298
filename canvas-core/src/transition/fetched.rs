//! The blobs that a run has fetched so far.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::history::journal::Entry;
use crate::history::reach::Known;
use crate::model::blob::{Blob, BlobId};
use crate::model::links::Linked as _;

/// Blobs by their ids, and those that the store was asked for in vain. A step runs again each time that some were
/// fetched, so an entry of the journal is read out of its blob once.
#[derive(Debug, Clone, Default)]
#[cfg_attr(test, derive(PartialEq, Eq, Hash))]
pub(crate) struct Fetched(BTreeMap<BlobId, Option<Item>>);

#[derive(Debug, Clone)]
struct Item {
    blob: Blob,
    entry: OnceLock<Option<Box<Entry>>>,
}

impl Fetched {
    /// Takes what the store has answered; `None` where it has no such blob.
    pub(crate) fn insert(&mut self, id: BlobId, blob: Option<Blob>) {
        self.0.insert(id, blob.map(|blob| Item { blob, entry: OnceLock::new() }));
    }

    pub(crate) fn get(&self, id: BlobId) -> Option<&Blob> {
        self.item(id).map(|item| &item.blob)
    }

    /// What is known of an entry of the journal.
    pub(crate) fn entry(&self, id: BlobId) -> Known<'_> {
        let entry = |item: &Item| Entry::read(&item.blob).map(Box::new);
        match self.0.get(&id) {
            None => Known::Nothing,
            Some(None) => Known::Lost,
            Some(Some(item)) => match item.entry.get_or_init(|| entry(item)) {
                Some(entry) => Known::Entry(entry),
                None => Known::Lost,
            },
        }
    }

    fn item(&self, id: BlobId) -> Option<&Item> {
        self.0.get(&id)?.as_ref()
    }
}

/// The blob alone tells them apart: the entry follows from it.
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
