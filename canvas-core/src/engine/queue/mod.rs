//! Group commit: the calls of one engine that wait for one canvas share a commit.
//!
//! * While a commit is under way, the calls that come are decided one upon the other, first come first, and upon what is
//!   under way. They are the next commit, as soon as that one is stored. So each canvas has at most one commit under way, and
//!   a call alone is one commit.
//! * A commit has at most 32 calls, and takes no further one once they bring 4 MiB of blobs. More wait for the next, which
//!   those take that came first, in the order in which they are polled: one that is not polled holds up nobody.
//! * One call at a time has the turn to decide, and decides without the lock, so that the others wait as futures and block no
//!   thread. If the row that it decides on is lost meanwhile, it decides again.
//! * Each call has its own receipt, revision and entry of the journal, and all its blobs are stored, because its caller knows its
//!   revision. The earliest `not_after` of its calls is that of the commit.
//! * What a call is answered, refusals too, is given once the commit that it was decided upon is stored. Where that loses, all
//!   are decided again; where its fate is unknown, each of its calls settles for itself.
//! * A commit that was under way when a call came may have landed before, and others after it. So a call that changes nothing, and
//!   was decided upon that alone, looks at the row once the commit is answered.
//! * A call that is dropped before its commit is sent is never done. What was decided upon it is decided again.
//! * The commit under way belongs to no call: whichever is polled drives it, and it goes on as long as one of those that wait is
//!   there. So a call that is dropped, or held and not polled, holds up nobody.
//! * A canvas that is being made takes no further call into its commit, because the store's clock is not known yet.
//! * A call that is made by a store from within its commit goes by itself.
//! * Who looks at the store itself, to read or to settle, does not come here.
//!
//! `commit_queue` is a state machine without input or output; `shared` adds the wakers and the in-flight commit;
//! `turn` is the turn to decide.

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

/// The queues of the canvases that have calls under way.
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
        // What is changed under the lock does not panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the call was the last at its canvas.
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

/// A call in a queue. It leaves when it is dropped.
#[derive(Debug)]
pub(super) struct Waiter<'q> {
    queues: &'q Queues,
    watches: &'q Watches,
    canvas: &'q CanvasId,
    pub(super) queue: Arc<SharedQueue>,
    /// Others find the queue.
    is_shared: bool,
    pub(super) id: WaiterId,
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        let is_last = !self.is_shared || self.queues.leave(self.canvas);
        self.queue.leave(self.id);
        if is_last && self.queue.abandon() {
            // Nobody hears any more what the commit under way does.
            self.watches.changed(self.canvas);
        }
    }
}
