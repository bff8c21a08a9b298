//! A watched canvas: its state, its waiting watchers, and the load in flight.

use std::collections::HashMap;
use std::fmt;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError, Weak};
use std::task::{Context, Poll, Wake, Waker};

use super::event::WatchEvent;
use super::state::{Done, Row, State, Ticks};
use crate::engine::error::EngineError;
use crate::model::id::CanvasId;
use crate::store::contract::Loaded;
use crate::store::error::StoreError;

pub(super) type Load = Pin<Box<dyn Future<Output = Result<Option<Loaded>, StoreError>> + Send>>;

/// The number of a question, and the store's answer to it.
type Answer = (u64, Result<Option<Loaded>, StoreError>);

/// The next step of a watcher, as [`Slot::step`] returns it.
#[derive(Debug)]
pub(super) enum Step {
    /// The event to report, and its number.
    Event(u64, Box<WatchEvent>),
    /// The watcher must poll the load of the head. Its waker is kept.
    Load,
    /// The watcher is up to date. Its waker is kept.
    Wait,
    /// The watch is over, because the engine was dropped.
    End,
}

pub(super) struct Slot {
    canvas: CanvasId,
    policy: canvas_lease::LeasePolicy,
    ticks: Arc<Ticks>,
    shared: Mutex<Shared>,
    load: Box<dyn Fn() -> Load + Send + Sync>,
    /// The load in flight, and the number of its question. Locked while a watcher polls it.
    loading: Mutex<Option<(u64, Load)>>,
    /// Whether a watcher found `loading` locked.
    was_found_locked: AtomicBool,
}

#[derive(Default)]
struct Shared {
    state: State,
    /// The wakers of waiting watchers, by watcher id; at most one each.
    waiting: HashMap<u64, Waker>,
    is_over: bool,
}

impl Shared {
    fn event_after(&self, shown: u64, canvas: &CanvasId) -> Option<(u64, WatchEvent)> {
        // A first event shows the state of the store now, not one from before this watcher existed.
        let is_due = shown > 0 || !self.state.is_stale() || self.is_over;
        if is_due { self.state.event_after(shown, canvas) } else { None }
    }
}

impl Slot {
    pub(super) fn new(
        canvas: CanvasId,
        policy: canvas_lease::LeasePolicy,
        ticks: Arc<Ticks>,
        load: Box<dyn Fn() -> Load + Send + Sync>,
    ) -> Self {
        let (shared, loading, was_found_locked) = Default::default();
        let slot = Self { canvas, policy, ticks, shared, load, loading, was_found_locked };
        slot.mark_stale();
        slot
    }

    pub(super) fn canvas(&self) -> &CanvasId {
        &self.canvas
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        // Changes under the lock do not panic.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// See [`State::learn`].
    pub(super) fn learn(&self, row: Option<Row<'_>>, done: Option<Done<'_>>, asked: u64) {
        let tick = self.ticks.next();
        if self.shared().state.learn(row, done, (asked, tick), &self.policy) {
            self.wake_all();
        }
    }

    /// Learns the changes of a commit, one after the other. Watchers do not see the states in between.
    pub(super) fn learn_steps<'r>(&self, rows: impl Iterator<Item = (Row<'r>, Done<'r>)>, asked: u64) {
        let tick = self.ticks.next();
        let mut shared = self.shared();
        let learn = |(row, done)| shared.state.learn(Some(row), Some(done), (asked, tick), &self.policy);
        let is_new = rows.map(learn).fold(false, |is_new, is| is_new | is);
        drop(shared);
        if is_new {
            self.wake_all();
        }
    }

    /// See [`State::mark_stale`]. It wakes no watcher, because the next one to be polled loads the head.
    pub(super) fn mark_stale(&self) {
        let tick = self.ticks.next();
        self.shared().state.mark_stale(tick);
    }

    /// Handles a notification from the store, or a commit of this engine whose fate is unknown.
    pub(super) fn has_changed(&self) {
        self.mark_stale();
        self.wake_all();
    }

    pub(super) fn end(&self) {
        self.shared().is_over = true;
        self.wake_all();
    }

    /// Returns the changes that a watcher has not seen yet.
    pub(super) fn event_after(&self, shown: u64) -> Option<(u64, WatchEvent)> {
        self.shared().event_after(shown, &self.canvas)
    }

    pub(super) fn step(&self, watcher: u64, shown: u64, waker: &Waker) -> Step {
        let mut shared = self.shared();
        if let Some((number, event)) = shared.event_after(shown, &self.canvas) {
            return Step::Event(number, Box::new(event));
        }
        if shared.is_over {
            return Step::End;
        }
        match shared.waiting.get_mut(&watcher) {
            Some(kept) => kept.clone_from(waker),
            None => drop(shared.waiting.insert(watcher, waker.clone())),
        }
        if shared.state.is_stale() { Step::Load } else { Step::Wait }
    }

    /// Removes a watcher. If the slot is stale, wakes the others, because the removed watcher may have been the one to
    /// poll the load.
    pub(super) fn leave(&self, watcher: u64) {
        let mut shared = self.shared();
        shared.waiting.remove(&watcher);
        let is_stale = shared.state.is_stale();
        drop(shared);
        if is_stale {
            self.wake_all();
        }
    }

    fn wake_all(&self) {
        // Wake them without the lock, because a waker may poll at once.
        let waiting = std::mem::take(&mut self.shared().waiting);
        waiting.into_values().for_each(Waker::wake);
    }

    /// Polls the load that all watchers share, and starts one if none is in flight. The caller first leaves its waker
    /// in `waiting`, because the load wakes all watchers there.
    pub(super) fn poll_load(self: &Arc<Self>, watcher: u64) -> Poll<Result<(), EngineError>> {
        // The watcher that holds the lock sees the flag.
        let Some(polled) = self.poll_loading() else { return Poll::Pending };
        if self.was_found_locked.swap(false, Ordering::SeqCst) {
            self.wake_all();
        }
        let Poll::Ready((asked, loaded)) = polled else { return Poll::Pending };
        // The caller continues without a wake.
        self.shared().waiting.remove(&watcher);
        let learnt = loaded.map(|row| {
            let row = row.as_ref();
            self.learn(
                row.map(|Loaded { head, version, clock, .. }| Row { head, version, clock: *clock }),
                None,
                asked,
            );
        });
        // Also after a failure, so that another watcher tries again.
        self.wake_all();
        Poll::Ready(learnt.map_err(|fault| EngineError::of(fault, &self.canvas)))
    }

    fn poll_loading(self: &Arc<Self>) -> Option<Poll<Answer>> {
        let mut loading = self.lock_loading()?;
        let (asked, load) = loading.get_or_insert_with(|| (self.ticks.next(), (self.load)()));
        let waker = Waker::from(Arc::new(WakeAll(Arc::downgrade(self))));
        let Poll::Ready(loaded) = load.as_mut().poll(&mut Context::from_waker(&waker)) else {
            return Some(Poll::Pending);
        };
        let asked = *asked;
        *loading = None;
        Some(Poll::Ready((asked, loaded)))
    }

    /// Locks the load. Returns `None` if another watcher is polling it, which then wakes all watchers.
    fn lock_loading(&self) -> Option<MutexGuard<'_, Option<(u64, Load)>>> {
        // The second try comes after the flag is set, so a watcher that holds the lock then sees the flag.
        for _ in 0..2 {
            match self.loading.try_lock() {
                Ok(loading) => return Some(loading),
                Err(TryLockError::Poisoned(poisoned)) => {
                    // The load panicked, so start a new one.
                    let mut loading = poisoned.into_inner();
                    self.loading.clear_poison();
                    *loading = None;
                    return Some(loading);
                }
                Err(TryLockError::WouldBlock) => self.was_found_locked.store(true, Ordering::SeqCst),
            }
        }
        None
    }
}

impl fmt::Debug for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Slot({})", self.canvas)
    }
}

/// Wakes all watchers of a canvas. The reference is weak because the load owns this waker and the slot owns the load.
struct WakeAll(Weak<Slot>);

impl Wake for WakeAll {
    fn wake(self: Arc<Self>) {
        if let Some(slot) = self.0.upgrade() {
            slot.wake_all();
        }
    }
}
