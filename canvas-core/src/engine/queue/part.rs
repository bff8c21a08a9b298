//! What a call brings to the commit that it shares with others, and what it hears of that.

use std::sync::Arc;

use canvas_lease::Timestamp;

use crate::engine::context::CachedRow;
use crate::model::author::Actor;
use crate::model::blob::Blob;
use crate::model::head::Head;
use crate::store::contract::{Loaded, Version};
use crate::store::error::StoreError;
use crate::transition::contents::Contents;

/// A decision on the newest row that a queue knows, stored or not.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
pub(crate) struct Part {
    /// The version of the row below it. Only that of the first in a batch counts.
    pub(crate) expected: Option<Version>,
    /// The head after it.
    pub(crate) head: Arc<Head>,
    pub(crate) contents: Contents,
    /// The host's clock and the store's in the answer that the row below comes from; `None` where there is none.
    pub(crate) read_at: Option<(Timestamp, Timestamp)>,
    /// The host's clock when the call was made.
    pub(crate) now: Timestamp,
    /// Nothing where the call only waits until what it was decided on is stored.
    pub(crate) change: Option<PartChange>,
}

/// What a call adds to a commit.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
pub(crate) struct PartChange {
    pub(crate) blobs: Vec<Blob>,
    pub(crate) not_after: Option<Timestamp>,
    /// Who changes content by it; `None` where nobody does.
    pub(crate) actor: Option<Actor>,
}

impl Part {
    /// The row after it, by the version of the stored row below: what comes next is decided on it. None where the store's
    /// clock is not known, which leases are issued by.
    pub(super) fn row(&self) -> Option<CachedRow> {
        let (version, (host_at, store_at)) = (self.expected.clone()?, self.read_at?);
        let (head, contents) = (Arc::clone(&self.head), self.contents.clone());
        Some(CachedRow { head, version, contents, host_at, store_at })
    }

    pub(super) fn blobs(&self) -> &[Blob] {
        self.change.as_ref().map_or(&[], |change| &change.blobs)
    }
}

/// What has become of a part, or of a call that waits.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// What the call was decided on is stored, and with it what the call has changed.
    Stored {
        version: Version,
        clock: Timestamp,
        /// The newest clock of a host among the calls of the commit.
        host_at: Timestamp,
    },
    /// Others were faster. The row as it is beyond doubt, of a commit that it was a part of or was decided upon.
    Conflict(Option<Loaded>),
    /// It is decided on the row as it is by now: the commit came too late for one of its calls, or the call changes nothing and
    /// was decided upon a commit that was under way before it.
    Look,
    /// The store has failed for sure.
    Failed(StoreError),
    /// It may have been written, and may arrive as long as the row has this version.
    Lost { expected: Option<Version> },
    /// What it was decided on will never be, and nothing of it was sent.
    Again,
    /// There is room for it now.
    Turn,
}
