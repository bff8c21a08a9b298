//! A call's share of a commit, and the outcome of that commit for the call.

use std::sync::Arc;

use canvas_lease::Timestamp;

use crate::engine::context::CachedRow;
use crate::face::contents::Contents;
use crate::model::actor::Actor;
use crate::model::blob::Blob;
use crate::model::head::Head;
use crate::store::contract::{Loaded, Version};
use crate::store::error::StoreError;

/// A call decided on the newest row of its queue, stored or not.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
pub(crate) struct Prepared {
    /// The version of the row before it. It counts only for the first entry of a batch.
    pub(crate) expected: Option<Version>,
    pub(crate) head: Arc<Head>,
    pub(crate) contents: Contents,
    /// The host's clock and the store's when the row before it was read; `None` if there is no such row.
    pub(crate) read_at: Option<(Timestamp, Timestamp)>,
    /// The host's clock when the call was made.
    pub(crate) now: Timestamp,
    /// `None` if the call has no changes and waits until the row that it was decided on is stored.
    pub(crate) change: Option<PreparedChange>,
}

/// The changes of a call in a commit.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
pub(crate) struct PreparedChange {
    pub(crate) blobs: Vec<Blob>,
    pub(crate) not_after: Option<Timestamp>,
    /// The actor of the changes of content; `None` if no content changes.
    pub(crate) actor: Option<Actor>,
}

impl Prepared {
    /// Returns the row after the call, with the version of the stored row before it. The next call is decided on this
    /// row. `None` if the store's clock, by which leases are issued, is not known.
    pub(crate) fn row(&self) -> Option<CachedRow> {
        let (version, (host_at, store_at)) = (self.expected.clone()?, self.read_at?);
        let (head, contents) = (Arc::clone(&self.head), self.contents.clone());
        Some(CachedRow { head, version, contents, host_at, store_at })
    }

    pub(crate) fn blobs(&self) -> &[Blob] {
        self.change.as_ref().map_or(&[], |change| &change.blobs)
    }
}

/// The outcome of a commit for one of its calls, or a message to a waiting call.
#[derive(Debug)]
pub(crate) enum CommitOutcome {
    /// The commit is stored, and with it all that the call changed.
    Stored {
        version: Version,
        clock: Timestamp,
        /// The newest host clock among the calls of the commit.
        host_at: Timestamp,
    },
    /// The commit lost to another writer. The row is the one in the store.
    Conflict(Option<Loaded>),
    /// Decide again on the current row. Either the commit was too late for one of its calls, or the call has no changes
    /// and was decided on a commit that was already in flight.
    Reload,
    /// The store failed and certainly did not write.
    Failed(StoreError),
    /// The commit may have been written, and may still arrive while the row has this version.
    Unknown { expected: Option<Version> },
    /// Decide again, because the row that the call was decided on will never exist, or because the batch was too large
    /// for the store. The call was not stored.
    Retry,
    /// There is room in the next batch.
    Admitted,
}
