//! The turn to decide, which one call of a queue has at a time. The call decides without the lock of the queue.

use canvas_lease::Timestamp;

use crate::engine::context::CachedRow;
use crate::engine::run::{Next, Prepared, Run};
use crate::engine::task::Task;
use crate::model::blob::{Blob, BlobId};
use crate::store::contract::Version;

/// Identifies a waiting call. Later calls have higher numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct WaiterId(pub(super) u64);

#[cfg(all(test, feature = "surface"))]
impl WaiterId {
    pub(crate) fn numbered(number: u8) -> Self {
        Self(number.into())
    }
}

/// A call's turn, with the row to decide on.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
pub(crate) enum Turn {
    /// The queue is empty, so the call decides on its own row.
    Alone,
    /// The row after the newest entry.
    Upon(Box<CachedRow>),
}

impl Turn {
    /// Decides a call. `prepared` is its decision on its own row, `cached` returns the row of a cache, and `pending`
    /// finds a blob of an earlier call in the queue.
    pub(crate) fn decide<T: Task>(
        self,
        run: &mut Run<'_, T>,
        prepared: Option<Prepared>,
        cached: impl FnOnce() -> (Option<CachedRow>, bool),
        pending: impl Fn(BlobId) -> Option<Blob>,
    ) -> Next<T::Answer> {
        match (self, prepared) {
            (Self::Alone, Some(prepared)) => Next::Join(prepared),
            (Self::Alone, None) => run.decide_newest(cached),
            (Self::Upon(row), _) => run.decide_on(*row, pending),
        }
    }
}

/// The call with the turn, and the row on which it decides.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
pub(super) struct Deciding {
    pub(super) id: WaiterId,
    /// Whether the newest earlier change was already in flight when the turn began.
    pub(super) is_upon_sent: bool,
    pub(super) basis: Basis,
}

/// The state of the row that a call with the turn decides on.
#[derive(Debug, PartialEq, Eq)]
#[cfg_attr(test, derive(Clone, Hash))]
pub(super) enum Basis {
    Unchanged,
    /// A commit was stored in the meantime. The row is stored too, or depends on entries that expect that version.
    Stored {
        version: Version,
        clock: Timestamp,
        host_at: Timestamp,
    },
    /// The row depends on a commit that was not stored, so it will never exist.
    Lost,
}
