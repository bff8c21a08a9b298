//! A store that counts what is put into it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use canvas_core::store::{Commit, Committed, Layer, Store, StoreError};

/// Counts the commits that a store has done, and the bytes of their heads and blobs. A copy shares store and counts.
#[derive(Debug)]
pub struct Counted<S>(Arc<Counters<S>>);

#[derive(Debug)]
struct Counters<S> {
    store: S,
    commits: AtomicU64,
    blobs: AtomicU64,
    bytes: AtomicU64,
}

/// What was put into a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Put {
    /// Commits.
    pub commits: u64,
    /// Blobs of them.
    pub blobs: u64,
    /// Bytes of their heads, as JSON, and of their blobs.
    pub bytes: u64,
}

impl Put {
    /// What came since an earlier count.
    pub const fn since(self, earlier: Self) -> Self {
        Self {
            commits: self.commits - earlier.commits,
            blobs: self.blobs - earlier.blobs,
            bytes: self.bytes - earlier.bytes,
        }
    }
}

impl<S> Counted<S> {
    /// Counts from now on.
    pub fn new(store: S) -> Self {
        let (commits, blobs, bytes) = Default::default();
        Self(Arc::new(Counters { store, commits, blobs, bytes }))
    }

    /// What was put so far.
    pub fn put(&self) -> Put {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Put { commits: read(&self.0.commits), blobs: read(&self.0.blobs), bytes: read(&self.0.bytes) }
    }
}

impl<S> Clone for Counted<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S: Store> Layer for Counted<S> {
    type Inner = S;

    fn inner(&self) -> &S {
        &self.0.store
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        let count = commit.blobs.len() as u64;
        let blobs: usize = commit.blobs.iter().map(|blob| blob.as_bytes().len()).sum();
        let bytes = (blobs + commit.head.to_json().len()) as u64;
        let committed = self.0.store.commit(commit).await;
        if let Ok(Committed::Done { .. }) = committed {
            for (counter, by) in [(&self.0.commits, 1), (&self.0.blobs, count), (&self.0.bytes, bytes)] {
                counter.fetch_add(by, Ordering::Relaxed);
            }
        }
        committed
    }
}
