//! The watched canvases of an engine.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::slot::{Load, Slot};
use super::state::{Done, Row, Ticks};
use crate::engine::run::Response;
use crate::model::author::Actor;
use crate::model::head::Head;
use crate::model::id::CanvasId;
use crate::store::contract::{Commit, Committed, Loaded, Version};

/// What an engine has of it. Dropped with the engine, it ends all watches.
#[derive(Debug, Default)]
pub(crate) struct Watches(Arc<Hub>);

#[derive(Default)]
pub(super) struct Hub {
    /// How many canvases are watched: commits look no further where there are none.
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
        policy: canvas_lease::Policy,
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

    /// Numbers a question before it is asked; 0 where nothing is watched.
    pub(crate) fn ticket(&self) -> u64 {
        if self.0.is_idle() { 0 } else { self.0.ticks.next() }
    }

    /// Begins a commit. Who dropped it without an answer would not know what it has done.
    pub(crate) fn committing<'a>(
        &'a self,
        canvas: &'a CanvasId,
        commit: &Commit,
        actor: Option<Actor>,
    ) -> Committing<'a> {
        let planned = (!self.0.is_idle()).then(|| (Arc::clone(&commit.head), commit.expected.clone(), actor));
        Committing { watches: self, canvas, planned, in_doubt: true }
    }

    /// Hears an answer of the store.
    pub(crate) fn answered(
        &self,
        canvas: &CanvasId,
        asked: u64,
        response: &Response,
        committing: Option<Committing<'_>>,
    ) {
        match (response, committing) {
            (Response::Row(Ok(row)), _) => self.loaded(canvas, asked, row.as_ref()),
            (Response::Committed(committed), Some(committing)) => {
                committing.answered(asked, committed.as_ref().ok())
            }
            _ => {}
        }
    }

    pub(crate) fn loaded(&self, canvas: &CanvasId, asked: u64, row: Option<&Loaded>) {
        if let Some(slot) = self.0.slot(canvas) {
            let row = row.map(|Loaded { head, version, clock, .. }| Row { head, version, clock: *clock });
            slot.learn(row, None, asked);
        }
    }

    /// Something may have been committed that this engine does not know.
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
        // What is changed under the lock does not panic.
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
                // Dropped without the lock, with the load that may be under way.
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

/// A commit under way. Where it ends without an answer, its watchers load the head.
#[derive(Debug)]
pub(crate) struct Committing<'a> {
    watches: &'a Watches,
    canvas: &'a CanvasId,
    /// None where nothing was watched when it began.
    planned: Option<(Arc<Head>, Option<Version>, Option<Actor>)>,
    in_doubt: bool,
}

impl Committing<'_> {
    /// `None` where the store has failed, and perhaps committed.
    fn answered(mut self, asked: u64, committed: Option<&Committed>) {
        match (committed, &self.planned) {
            (Some(Committed::Done { version, clock }), Some((head, expected, actor))) => {
                if let Some(slot) = self.watches.0.slot(self.canvas) {
                    let done = Done { expected: expected.as_ref(), actor: *actor };
                    slot.learn(Some(Row { head, version, clock: *clock }), Some(done), asked);
                }
                self.in_doubt = false;
            }
            (Some(Committed::Conflict(row)), _) => {
                self.watches.loaded(self.canvas, asked, row.as_ref());
                self.in_doubt = false;
            }
            (Some(Committed::Late { .. }), _) => self.in_doubt = false,
            (Some(Committed::Done { .. }), None) | (None, _) => {}
        }
    }
}

impl Drop for Committing<'_> {
    fn drop(&mut self) {
        if self.in_doubt {
            self.watches.changed(self.canvas);
        }
    }
}
