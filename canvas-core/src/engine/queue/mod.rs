//! Group commit: the calls of one engine that wait for one canvas share a commit.
//!
//! * While a commit is in flight, new calls are decided on top of each other and of that commit, in the order of their
//!   arrival. They form the next commit, which is sent as soon as the first one is stored. So each canvas has at most
//!   one commit in flight, and a single call is one commit.
//! * A commit has at most 32 calls, and takes no further call once their blobs reach 4 MiB. The others wait for the
//!   next commit. It admits the earliest calls, which enter it in the order in which they are polled, so an unpolled
//!   call delays no other.
//! * One call at a time has the turn to decide. It decides without the lock, so that the others wait as futures and do
//!   not block a thread. If the row that it decides on turns out to be lost, because its commit is not stored, it
//!   decides again.
//! * Each call has its own receipt, revision and journal entry. All its blobs are stored, because its caller knows its
//!   revision. The commit's `not_after` is the earliest of its calls.
//! * A call returns, even if it is refused, only once the commit that it was decided on is stored. If that commit
//!   loses, all calls are decided again. If its fate is unknown, each of its calls finds out its own result.
//! * A commit in flight may have landed before a call arrived, and other commits after it. So if a call without changes
//!   was decided only on that commit, it reads the row again once the store answers.
//! * If a call is dropped before its commit is sent, it never runs. Calls decided on top of it are decided again.
//! * The commit in flight belongs to no single call. Whichever waiting call is polled drives it, and it goes on as long
//!   as one of them exists. So a dropped call, or one held without polling, delays no other.
//! * The commit that creates a canvas takes no further call, because the store's clock is not known yet.
//! * A call that a store makes from within its commit gets a queue of its own.
//! * Reads, and calls that settle, use the store directly and bypass the queue.
//!
//! `commit_queue` is a sans-IO state machine; `shared` adds the wakers and the in-flight commit; `turn` is the turn to
//! decide.

mod commit_queue;
mod shared;
mod turn;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[cfg(all(test, feature = "surface"))]
pub(super) use self::commit_queue::{CommitOutcomes, CommitQueue};
use self::shared::SharedQueue;
pub(super) use self::shared::{InFlightCommit, SendContext, Step};
#[cfg(all(test, feature = "surface"))]
pub(super) use self::turn::Turn;
pub(super) use self::turn::WaiterId;
use super::watch::Watches;
use crate::model::id::CanvasId;

/// The queues of canvases with calls in flight.
#[derive(Debug, Default)]
pub(super) struct Queues(Mutex<HashMap<CanvasId, Busy>>);

#[derive(Debug)]
struct Busy {
    queue: Arc<SharedQueue>,
    calls: usize,
}

impl Queues {
    pub(super) fn enter<'q>(&'q self, canvas: &'q CanvasId, watches: &'q Watches) -> Waiter<'q> {
        let (queue, is_shared) = match self.busy().entry(canvas.clone()) {
            // It would wait for itself.
            Entry::Occupied(entry) if entry.get().queue.is_polled_here() => (Arc::default(), false),
            Entry::Occupied(mut entry) => {
                entry.get_mut().calls += 1;
                (Arc::clone(&entry.get().queue), true)
            }
            Entry::Vacant(entry) => {
                (Arc::clone(&entry.insert(Busy { queue: Arc::default(), calls: 1 }).queue), true)
            }
        };
        let id = queue.enter();
        Waiter { queues: self, watches, canvas, queue, is_shared, id }
    }

    fn busy(&self) -> MutexGuard<'_, HashMap<CanvasId, Busy>> {
        // Changes under the lock do not panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes a call. Returns whether it was the last one of its canvas.
    fn leave(&self, canvas: &CanvasId) -> bool {
        let mut busy = self.busy();
        let Some(entry) = busy.get_mut(canvas) else { return false };
        entry.calls -= 1;
        let is_last = entry.calls == 0;
        if is_last {
            busy.remove(canvas);
        }
        is_last
    }
}

/// A call in a queue. Dropping it removes the call.
#[derive(Debug)]
pub(super) struct Waiter<'q> {
    queues: &'q Queues,
    watches: &'q Watches,
    canvas: &'q CanvasId,
    pub(super) queue: Arc<SharedQueue>,
    /// Whether other calls can find the queue.
    is_shared: bool,
    pub(super) id: WaiterId,
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        let is_last = !self.is_shared || self.queues.leave(self.canvas);
        self.queue.leave(self.id);
        if is_last && self.queue.abandon() {
            // No call learns the outcome of the commit in flight any more.
            self.watches.changed(self.canvas);
        }
    }
}
