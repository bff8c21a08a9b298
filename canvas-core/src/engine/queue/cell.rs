//! The queue of a canvas with its wakers, and the commit that is under way.

use std::fmt;
use std::pin::Pin;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::task::{Context, Poll, Wake, Waker};

use super::lane::{Lane, Seat, Verdicts};
use super::part::{Part, Verdict};
use crate::engine::cache::Ticket;
use crate::engine::context::CachedRow;
use crate::engine::observe::CommitNumber;
use crate::engine::run::{Next, Run};
use crate::engine::task::Task;
use crate::engine::watch::{Planned, Watches};
use crate::store::contract::{Commit, Committed};
use crate::store::error::{StoreError, StoreErrorKind};

/// A commit on its way.
pub(crate) struct Flight {
    pub(crate) commit: Pin<Box<dyn Future<Output = Result<Committed, StoreError>> + Send>>,
    pub(crate) ticket: Ticket,
    pub(crate) planned: Planned,
    pub(crate) number: CommitNumber,
}

#[derive(Debug, Default)]
pub(crate) struct Cell {
    state: Mutex<State>,
    /// Locked while it is polled, never together with the state.
    flight: Mutex<Option<Flight>>,
    was_found_locked: AtomicBool,
    /// The thread that polls the commit, by its number; 0 where none does.
    polled_by: AtomicUsize,
}

#[derive(Debug, Default)]
struct State {
    lane: Lane,
    guests: Vec<Guest>,
    /// How many commits were lost to others since the last that was not.
    losses: u32,
}

#[derive(Debug)]
struct Guest {
    seat: Seat,
    /// It waits for its verdict.
    waits: bool,
    /// None where it was woken.
    waker: Option<Waker>,
    /// Its verdict, and the commit that it is of.
    verdict: Option<(Verdict, Option<CommitNumber>)>,
}

/// What a call goes on with that waits for its verdict.
pub(crate) enum Step {
    Verdict(Verdict, Option<CommitNumber>),
    /// It is the one that sends the next commit.
    Send(Commit, Sending),
    Wait,
}

/// What belongs to a commit that is sent.
pub(crate) struct Sending {
    pub(crate) losses: u32,
    pub(crate) planned: Planned,
    /// How many change something by it.
    pub(crate) calls: usize,
}

impl Cell {
    fn state(&self) -> MutexGuard<'_, State> {
        // A decision may panic under the lock, and changes nothing then.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn enter(&self) -> Seat {
        let mut state = self.state();
        let seat = state.lane.enter();
        state.guests.push(Guest { seat, waits: false, waker: None, verdict: None });
        seat
    }

    /// See [`Lane::decide`].
    pub(crate) fn decide<T: Task>(
        &self,
        seat: Seat,
        run: &mut Run<'_, T>,
        part: Option<Part>,
        cached: impl FnOnce() -> (Option<CachedRow>, bool),
    ) -> Option<Next<T::Answer>> {
        self.state().lane.decide(seat, run, part, cached)
    }

    /// The verdict of a call, or what it does until there is one.
    pub(crate) fn step(&self, seat: Seat, waker: &Waker, watches: &Watches) -> Step {
        let mut state = self.state();
        let State { lane, guests, losses } = &mut *state;
        let guest = guests.iter_mut().find(|guest| guest.seat == seat);
        if let Some(guest) = guest {
            if let Some((verdict, commit)) = guest.verdict.take() {
                (guest.waits, guest.waker) = (false, None);
                return Step::Verdict(verdict, commit);
            }
            guest.waits = true;
            match &mut guest.waker {
                Some(kept) => kept.clone_from(waker),
                none => *none = Some(waker.clone()),
            }
        }
        let Some((commit, verdicts)) = lane.take() else { return Step::Wait };
        let planned = watches.plan(commit.expected.as_ref(), lane.changes());
        let sending = Sending { losses: *losses, planned, calls: lane.changes().count() };
        tell(guests, verdicts, None);
        let woken = wakers(guests, |guest| guest.verdict.is_some());
        drop(state);
        woken.into_iter().for_each(Waker::wake);
        Step::Send(commit, sending)
    }

    pub(crate) fn send(&self, flight: Flight) {
        *self.flight() = Some(flight);
    }

    fn flight(&self) -> MutexGuard<'_, Option<Flight>> {
        self.flight.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The row that the commit under way leaves.
    pub(crate) fn stored(&self, committed: &Committed) -> Option<CachedRow> {
        let Committed::Done { version, clock } = committed else { return None };
        self.state().lane.stored(version, *clock)
    }

    /// Polls the commit under way; pending where there is none, or somebody else polls it at this moment and wakes all.
    pub(crate) fn poll_flight(self: &Arc<Self>) -> Poll<(Flight, Result<Committed, StoreError>)> {
        // Whoever has it locked sees the flag.
        let Some(polled) = self.poll_locked() else { return Poll::Pending };
        // Where it has ended, all are woken when its verdicts are there.
        if self.was_found_locked.swap(false, Ordering::SeqCst) && polled.is_pending() {
            Arc::clone(self).wake();
        }
        polled
    }

    fn poll_locked(self: &Arc<Self>) -> Option<Poll<(Flight, Result<Committed, StoreError>)>> {
        let (mut flight, has_panicked) = self.lock_flight()?;
        let Some(Flight { commit, .. }) = &mut *flight else { return Some(Poll::Pending) };
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
        Some(flight.take().map_or(Poll::Pending, |flight| Poll::Ready((flight, committed))))
    }

    /// None where somebody polls the commit at this moment, and will wake all. Also whether a poll of it has panicked.
    fn lock_flight(&self) -> Option<(MutexGuard<'_, Option<Flight>>, bool)> {
        // The second try comes after the flag is set: whoever has the lock then will see it.
        for _ in 0..2 {
            match self.flight.try_lock() {
                Ok(flight) => return Some((flight, false)),
                Err(TryLockError::Poisoned(poisoned)) => {
                    self.flight.clear_poison();
                    return Some((poisoned.into_inner(), true));
                }
                Err(TryLockError::WouldBlock) => self.was_found_locked.store(true, Ordering::SeqCst),
            }
        }
        None
    }

    /// Whether this very thread polls the commit at this moment.
    pub(super) fn is_polled_here(&self) -> bool {
        self.polled_by.load(Ordering::SeqCst) == this_thread()
    }

    /// Gives the verdicts of the commit that was under way.
    pub(crate) fn complete(
        &self,
        seat: Seat,
        number: CommitNumber,
        committed: Result<Committed, StoreError>,
    ) {
        let mut state = self.state();
        state.losses = match &committed {
            Ok(Committed::Conflict(_)) => state.losses.saturating_add(1),
            _ => 0,
        };
        let State { lane, guests, .. } = &mut *state;
        let verdicts = lane.complete(committed);
        tell(guests, verdicts, Some(number));
        // Those who wait for the next commit too: one of them sends it.
        let woken = wakers(guests, |guest| guest.seat != seat);
        drop(state);
        woken.into_iter().for_each(Waker::wake);
    }

    pub(super) fn leave(&self, seat: Seat) {
        let mut state = self.state();
        let State { lane, guests, .. } = &mut *state;
        let Some(i) = guests.iter().position(|guest| guest.seat == seat) else { return };
        let gone = guests.remove(i);
        let verdicts = lane.leave(seat);
        tell(guests, verdicts, None);
        // It may have been the one that was to send the next commit, or to drive the one under way.
        let woken = wakers(guests, |guest| gone.waits || guest.verdict.is_some());
        drop(state);
        woken.into_iter().for_each(Waker::wake);
    }

    /// Drops the commit under way, for which nobody waits any more. Whether there was one.
    pub(super) fn abandon(&self) -> bool {
        let flight = self.flight().take();
        flight.is_some()
    }
}

/// A number that no other thread has at the same time.
fn this_thread() -> usize {
    thread_local! { static OWN: u8 = const { 0 } }
    OWN.with(|own| ptr::from_ref(own).addr())
}

/// Gives verdicts to those who are there.
fn tell(guests: &mut [Guest], verdicts: Verdicts, commit: Option<CommitNumber>) {
    for (seat, verdict) in verdicts {
        if let Some(guest) = guests.iter_mut().find(|guest| guest.seat == seat) {
            guest.verdict = Some((verdict, commit));
        }
    }
}

/// Takes the wakers of some who wait. They are woken without the lock: a waker may poll at once.
fn wakers(guests: &mut [Guest], which: impl Fn(&Guest) -> bool) -> Vec<Waker> {
    guests.iter_mut().filter(|guest| which(guest)).filter_map(|guest| guest.waker.take()).collect()
}

/// Wakes all who wait: whoever is polled first drives the commit. The waker keeps the cell, and the commit, which keeps the
/// waker, goes with the last call.
impl Wake for Cell {
    fn wake(self: Arc<Self>) {
        let woken = wakers(&mut self.state().guests, |_| true);
        woken.into_iter().for_each(Waker::wake);
    }
}

impl fmt::Debug for Flight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Flight")
    }
}
