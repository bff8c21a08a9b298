//! The queue of a canvas with its wakers, and the in-flight commit.

use std::fmt;
use std::pin::Pin;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::task::{Context, Poll, Wake, Waker};

use super::commit_queue::{CommitOutcomes, CommitQueue};
use super::turn::WaiterId;
use crate::engine::cache::Ticket;
use crate::engine::context::CachedRow;
use crate::engine::observe::CommitNumber;
use crate::engine::run::{CommitOutcome, Next, Prepared, Run};
use crate::engine::task::Task;
use crate::engine::watch::{Planned, Watches};
use crate::store::contract::{Commit, Committed};
use crate::store::error::{StoreError, StoreErrorKind};

/// A commit without an answer from the store yet.
pub(crate) struct InFlightCommit {
    pub(crate) commit: Pin<Box<dyn Future<Output = Result<Committed, StoreError>> + Send>>,
    pub(crate) ticket: Ticket,
    pub(crate) planned: Planned,
    pub(crate) number: CommitNumber,
}

#[derive(Debug, Default)]
pub(crate) struct SharedQueue {
    state: Mutex<State>,
    /// Locked while it is polled, never together with the state.
    in_flight: Mutex<Option<InFlightCommit>>,
    was_found_locked: AtomicBool,
    /// Identifies the thread that polls the commit; 0 if none does.
    polled_by: AtomicUsize,
}

#[derive(Debug, Default)]
struct State {
    queue: CommitQueue,
    waiters: Vec<WaiterState>,
    /// Consecutive losses to other writers.
    losses: u32,
}

#[derive(Debug)]
struct WaiterState {
    id: WaiterId,
    /// Whether the call waits for its outcome.
    waits: bool,
    /// `None` after a wake.
    waker: Option<Waker>,
    /// The outcome, and the commit that led to it.
    outcome: Option<(CommitOutcome, Option<CommitNumber>)>,
}

/// The next step of a call that waits for its outcome.
pub(crate) enum Step {
    Outcome(CommitOutcome, Option<CommitNumber>),
    /// The call sends the next commit.
    Send(Commit, SendContext),
    Wait,
}

/// The state that goes with a commit to be sent.
pub(crate) struct SendContext {
    pub(crate) losses: u32,
    pub(crate) planned: Planned,
    /// The number of calls that change something by the commit.
    pub(crate) calls: usize,
}

impl SharedQueue {
    fn state(&self) -> MutexGuard<'_, State> {
        // Changes under the lock do not panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn enter(&self) -> WaiterId {
        let mut state = self.state();
        let id = state.queue.enter();
        state.waiters.push(WaiterState { id, waits: false, waker: None, outcome: None });
        id
    }

    /// Decides a call on the newest row, without the lock, and adds it to the next batch if it waits for a commit. See
    /// [`Turn::decide`]. Returns `None` if the call waits for its outcome.
    pub(crate) fn decide<T: Task>(
        &self,
        id: WaiterId,
        run: &mut Run<'_, T>,
        prepared: Option<Prepared>,
        cached: impl FnOnce() -> (Option<CachedRow>, bool),
    ) -> Option<Next<T::Answer>> {
        let turn = self.state().queue.begin(id)?;
        let next = turn.decide(run, prepared, cached, |blob| self.state().queue.pending(blob));
        let mut state = self.state();
        let State { queue, waiters, .. } = &mut *state;
        let (next, outcomes) = queue.end(id, next);
        deliver(waiters, outcomes, None);
        let woken = wakers(waiters, |waiter| waiter.outcome.is_some());
        drop(state);
        woken.into_iter().for_each(Waker::wake);
        next
    }

    /// Returns the outcome of a call, or the step to take until there is one.
    pub(crate) fn step(&self, id: WaiterId, waker: &Waker, watches: &Watches) -> Step {
        let mut state = self.state();
        let State { queue, waiters, losses } = &mut *state;
        let waiter = waiters.iter_mut().find(|waiter| waiter.id == id);
        if let Some(waiter) = waiter {
            if let Some((outcome, commit)) = waiter.outcome.take() {
                (waiter.waits, waiter.waker) = (false, None);
                return Step::Outcome(outcome, commit);
            }
            waiter.waits = true;
            match &mut waiter.waker {
                Some(kept) => kept.clone_from(waker),
                none => *none = Some(waker.clone()),
            }
        }
        let Some((commit, outcomes)) = queue.take() else { return Step::Wait };
        let planned = watches.plan(commit.expected.as_ref(), queue.changes());
        let sending = SendContext { losses: *losses, planned, calls: queue.changes().count() };
        deliver(waiters, outcomes, None);
        let woken = wakers(waiters, |waiter| waiter.outcome.is_some());
        drop(state);
        woken.into_iter().for_each(Waker::wake);
        Step::Send(commit, sending)
    }

    pub(crate) fn send(&self, in_flight: InFlightCommit) {
        *self.in_flight() = Some(in_flight);
    }

    fn in_flight(&self) -> MutexGuard<'_, Option<InFlightCommit>> {
        self.in_flight.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the row after the commit in flight.
    pub(crate) fn stored(&self, committed: &Committed) -> Option<CachedRow> {
        let Committed::Done { version, clock } = committed else { return None };
        self.state().queue.stored(version, *clock)
    }

    /// Polls the commit in flight. It is pending without a commit, or if another call is polling it, which then wakes
    /// all calls.
    pub(crate) fn poll_in_flight(self: &Arc<Self>) -> Poll<(InFlightCommit, Result<Committed, StoreError>)> {
        // The call that holds the lock sees the flag.
        let Some(polled) = self.poll_locked() else { return Poll::Pending };
        // If the commit ended, all calls are woken once its outcomes are delivered.
        if self.was_found_locked.swap(false, Ordering::SeqCst) && polled.is_pending() {
            Arc::clone(self).wake();
        }
        polled
    }

    fn poll_locked(self: &Arc<Self>) -> Option<Poll<(InFlightCommit, Result<Committed, StoreError>)>> {
        let (mut in_flight, has_panicked) = self.lock_in_flight()?;
        let Some(InFlightCommit { commit, .. }) = &mut *in_flight else { return Some(Poll::Pending) };
        let committed = if has_panicked {
            self.polled_by.store(0, Ordering::SeqCst);
            Err(StoreError::new(StoreErrorKind::Indeterminate))
        } else {
            let waker = Waker::from(Arc::clone(self));
            self.polled_by.store(this_thread(), Ordering::SeqCst);
            let polled = commit.as_mut().poll(&mut Context::from_waker(&waker));
            self.polled_by.store(0, Ordering::SeqCst);
            match polled {
                Poll::Ready(committed) => committed,
                Poll::Pending => return Some(Poll::Pending),
            }
        };
        Some(in_flight.take().map_or(Poll::Pending, |in_flight| Poll::Ready((in_flight, committed))))
    }

    /// Locks the commit in flight. Returns `None` if another call is polling it, which then wakes all calls. The flag
    /// says whether an earlier poll panicked.
    fn lock_in_flight(&self) -> Option<(MutexGuard<'_, Option<InFlightCommit>>, bool)> {
        // The second try comes after the flag is set, so a call that holds the lock then sees the flag.
        for _ in 0..2 {
            match self.in_flight.try_lock() {
                Ok(in_flight) => return Some((in_flight, false)),
                Err(TryLockError::Poisoned(poisoned)) => {
                    self.in_flight.clear_poison();
                    return Some((poisoned.into_inner(), true));
                }
                Err(TryLockError::WouldBlock) => self.was_found_locked.store(true, Ordering::SeqCst),
            }
        }
        None
    }

    /// Whether the current thread polls the commit at this moment.
    pub(super) fn is_polled_here(&self) -> bool {
        self.polled_by.load(Ordering::SeqCst) == this_thread()
    }

    /// Delivers the outcomes of the in-flight commit.
    pub(crate) fn complete(
        &self,
        id: WaiterId,
        number: CommitNumber,
        committed: Result<Committed, StoreError>,
    ) {
        let mut state = self.state();
        state.losses = match &committed {
            Ok(Committed::Conflict(_)) => state.losses.saturating_add(1),
            _ => 0,
        };
        let State { queue, waiters, .. } = &mut *state;
        let outcomes = queue.complete(committed);
        deliver(waiters, outcomes, Some(number));
        // Also those that wait for the next commit, because one of them sends it.
        let woken = wakers(waiters, |waiter| waiter.id != id);
        drop(state);
        woken.into_iter().for_each(Waker::wake);
    }

    pub(super) fn leave(&self, id: WaiterId) {
        let mut state = self.state();
        let State { queue, waiters, .. } = &mut *state;
        let Some(i) = waiters.iter().position(|waiter| waiter.id == id) else { return };
        let gone = waiters.remove(i);
        let outcomes = queue.leave(id);
        deliver(waiters, outcomes, None);
        // It may have been the call that was to send the next commit, or to drive the one in flight.
        let woken = wakers(waiters, |waiter| gone.waits || waiter.outcome.is_some());
        drop(state);
        woken.into_iter().for_each(Waker::wake);
    }

    /// Drops the commit in flight, for which no call waits any more. Returns whether there was one.
    pub(super) fn abandon(&self) -> bool {
        let in_flight = self.in_flight().take();
        in_flight.is_some()
    }
}

/// A number that is unique among the running threads.
fn this_thread() -> usize {
    thread_local! { static OWN: u8 = const { 0 } }
    OWN.with(|own| ptr::from_ref(own).addr())
}

/// Delivers outcomes to the calls that still wait.
fn deliver(waiters: &mut [WaiterState], outcomes: CommitOutcomes, commit: Option<CommitNumber>) {
    for (id, outcome) in outcomes {
        if let Some(waiter) = waiters.iter_mut().find(|waiter| waiter.id == id) {
            waiter.outcome = Some((outcome, commit));
        }
    }
}

/// Takes the wakers of some waiting calls. Wake them without the lock, because a waker may poll at once.
fn wakers(waiters: &mut [WaiterState], which: impl Fn(&WaiterState) -> bool) -> Vec<Waker> {
    waiters.iter_mut().filter(|waiter| which(waiter)).filter_map(|waiter| waiter.waker.take()).collect()
}

/// Wakes all waiting calls, and the first to be polled drives the commit. The waker owns the queue, which owns the
/// commit and with it the waker. The last call breaks this cycle when it drops the commit.
impl Wake for SharedQueue {
    fn wake(self: Arc<Self>) {
        let woken = wakers(&mut self.state().waiters, |_| true);
        woken.into_iter().for_each(Waker::wake);
    }
}

impl fmt::Debug for InFlightCommit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InFlightCommit")
    }
}
