//! The watched canvases of an engine.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::slot::{Load, Slot};
use super::state::{Done, Row, Ticks};
use crate::model::actor::Actor;
use crate::model::head::Head;
use crate::model::id::CanvasId;
use crate::store::contract::{Committed, Loaded, Version};

/// The engine's share of the hub. When the engine drops it, all watches end.
#[derive(Debug, Default)]
pub(crate) struct Watches(Arc<Hub>);

#[derive(Default)]
pub(super) struct Hub {
    /// The number of watched canvases. If it is 0, commits skip the lock of `slots`.
    watched: AtomicUsize,
    ticks: Arc<Ticks>,
    slots: Mutex<HashMap<CanvasId, Watched>>,
}

struct Watched {
    slot: Arc<Slot>,
    watchers: usize,
}

impl Watches {
    pub(super) fn join(
        &self,
        canvas: &CanvasId,
        policy: canvas_lease::LeasePolicy,
        notifies: bool,
        load: impl Fn() -> Load + Send + Sync + 'static,
    ) -> (Arc<Hub>, Arc<Slot>, u64) {
        let Hub { watched, ticks, .. } = &*self.0;
        let slot = match self.0.slots().entry(canvas.clone()) {
            Entry::Occupied(mut entry) => {
                entry.get_mut().watchers += 1;
                Arc::clone(&entry.get().slot)
            }
            Entry::Vacant(entry) => {
                watched.fetch_add(1, Ordering::SeqCst);
                let slot = Slot::new(canvas.clone(), policy, Arc::clone(ticks), Box::new(load));
                Arc::clone(&entry.insert(Watched { slot: Arc::new(slot), watchers: 1 }).slot)
            }
        };
        if !notifies {
            slot.mark_stale();
        }
        (Arc::clone(&self.0), slot, ticks.next())
    }

    /// Returns a number for a question to the store before it is sent, or 0 if no canvas is watched.
    pub(crate) fn ticket(&self) -> u64 {
        if self.0.is_idle() { 0 } else { self.0.ticks.next() }
    }

    /// Prepares the report of a commit before it is sent, with the head after each of its calls and the actor of each
    /// content change.
    pub(crate) fn plan<'h>(
        &self,
        expected: Option<&Version>,
        changes: impl Iterator<Item = (&'h Arc<Head>, Option<&'h Actor>)>,
    ) -> Planned {
        let asked = self.ticket();
        let steps =
            (asked > 0).then(|| changes.map(|(head, actor)| (Arc::clone(head), actor.cloned())).collect());
        Planned { asked, expected: expected.cloned(), steps }
    }

    /// Reports the outcome of a commit; `None` if the store failed and may have committed.
    pub(crate) fn committed(&self, canvas: &CanvasId, planned: &Planned, committed: Option<&Committed>) {
        let Planned { asked, expected, steps } = planned;
        match (committed, steps) {
            (Some(Committed::Done { version, clock }), Some(steps)) => {
                if let Some(slot) = self.0.slot(canvas) {
                    let below = [expected.as_ref()].into_iter().chain(std::iter::repeat(Some(version)));
                    let rows = steps.iter().zip(below).map(|((head, actor), expected)| {
                        (Row { head, version, clock: *clock }, Done { expected, actor: actor.as_ref() })
                    });
                    slot.learn_steps(rows, *asked);
                }
            }
            (Some(Committed::Conflict(row)), _) => self.loaded(canvas, *asked, row.as_ref()),
            (Some(Committed::Late { .. }), _) => {}
            (Some(Committed::Done { .. }), None) | (None, _) => self.changed(canvas),
        }
    }

    pub(crate) fn loaded(&self, canvas: &CanvasId, asked: u64, row: Option<&Loaded>) {
        if let Some(slot) = self.0.slot(canvas) {
            let row = row.map(|Loaded { head, version, clock, .. }| Row { head, version, clock: *clock });
            slot.learn(row, None, asked);
        }
    }

    /// Marks a canvas as possibly changed by a commit that this engine does not know.
    pub(crate) fn changed(&self, canvas: &CanvasId) {
        if let Some(slot) = self.0.slot(canvas) {
            slot.has_changed();
        }
    }
}

impl Drop for Watches {
    fn drop(&mut self) {
        let slots: Vec<_> = self.0.slots().values().map(|watched| Arc::clone(&watched.slot)).collect();
        slots.iter().for_each(|slot| slot.end());
    }
}

impl Hub {
    fn is_idle(&self) -> bool {
        self.watched.load(Ordering::SeqCst) == 0
    }

    fn slots(&self) -> MutexGuard<'_, HashMap<CanvasId, Watched>> {
        // Changes under the lock do not panic.
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn slot(&self, canvas: &CanvasId) -> Option<Arc<Slot>> {
        if self.is_idle() {
            return None;
        }
        self.slots().get(canvas).map(|watched| Arc::clone(&watched.slot))
    }

    pub(super) fn leave(&self, canvas: &CanvasId) {
        let mut slots = self.slots();
        if let Entry::Occupied(mut entry) = slots.entry(canvas.clone()) {
            entry.get_mut().watchers -= 1;
            if entry.get().watchers == 0 {
                self.watched.fetch_sub(1, Ordering::SeqCst);
                // Drop it without the lock, because a load may be in flight in it.
                let last = entry.remove();
                drop(slots);
                drop(last);
            }
        }
    }
}

impl fmt::Debug for Hub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hub({} watched)", self.watched.load(Ordering::SeqCst))
    }
}

/// A commit in flight, for watchers.
#[derive(Debug)]
pub(crate) struct Planned {
    /// The number of the question; 0 if no canvas was watched at that time.
    asked: u64,
    expected: Option<Version>,
    /// `None` if no canvas was watched at that time.
    steps: Option<Vec<(Arc<Head>, Option<Actor>)>>,
}
