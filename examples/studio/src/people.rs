//! Who shows which canvas. The engine keeps no presence, so this process sends it to the pages.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use canvas_core::{CanvasId, PersonId};
use serde_json::json;

use crate::host::Host;

/// People of a canvas that pages are sent.
const SHOWN: usize = 50;

/// The number of connections of each person, by canvas.
#[derive(Debug, Default)]
pub(crate) struct People {
    present: Mutex<HashMap<CanvasId, BTreeMap<PersonId, usize>>>,
}

/// The presence of one connection, which ends when it is dropped.
#[must_use]
pub(crate) struct Present {
    host: Arc<Host>,
    canvas: CanvasId,
    person: PersonId,
}

impl People {
    /// Returns the people who show a canvas, by name.
    pub(crate) fn on(&self, canvas: &CanvasId) -> Vec<PersonId> {
        let present = self.lock();
        let people = present.get(canvas).into_iter().flat_map(BTreeMap::keys);
        people.take(SHOWN).cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<CanvasId, BTreeMap<PersonId, usize>>> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Present {
    /// Adds a connection of a person, and tells all pages if it is the person's first.
    pub(crate) fn enter(host: &Arc<Host>, canvas: &CanvasId, person: PersonId) -> Self {
        let present = Self { host: Arc::clone(host), canvas: canvas.clone(), person };
        present.count(|count| count + 1);
        present
    }

    /// Changes the number of connections. The event is sent under the lock, so that no page gets an older list later.
    fn count(&self, change: impl Fn(usize) -> usize) {
        let mut present = self.host.people.lock();
        let people = present.entry(self.canvas.clone()).or_default();
        let was = people.get(&self.person).copied().unwrap_or_default();
        match change(was) {
            0 => people.remove(&self.person),
            count => people.insert(self.person.clone(), count),
        };
        if (was == 0) == people.contains_key(&self.person) {
            let shown: Vec<_> = people.keys().take(SHOWN).collect();
            self.host.publish(&self.canvas, "canvas.people.updated", json!({"people": shown}));
        }
        if people.is_empty() {
            present.remove(&self.canvas);
        }
    }
}

impl Drop for Present {
    fn drop(&mut self) {
        self.count(|count| count.saturating_sub(1));
    }
}
