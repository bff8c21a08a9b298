//! The data of components: fetched from the built-in source, or made by the canvas's recipe.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use canvas_core::CanvasId;
use canvas_core::board::{
    CanvasEvent, ComponentId, ComponentInstance, DataError, DataErrorCode, DataLoadingState, DataPolicy,
    DataResult, DataSource as _, DataStates, Fetch,
};
use canvas_core::lease::Timestamp;
use canvas_core::recipe::{CanvasData, ComponentData};
use canvas_mock_data::MockGithub;
use serde_json::{Map, Value, json};
use tokio::sync::Notify;

use crate::clock;
use crate::host::Host;

/// How often due data are looked for.
const EVERY: Duration = Duration::from_millis(250);

/// How long the built-in source takes, as one over a network would.
const LATENCY: Duration = Duration::from_millis(30);

/// The data of all boards. They are in memory: after a start they are fetched anew.
#[derive(Debug)]
pub(crate) struct Data {
    github: MockGithub,
    canvases: Mutex<HashMap<CanvasId, Shown>>,
    /// Something may be due.
    wake: Notify,
}

/// What has become of the data of a board.
#[derive(Debug, Default)]
pub(crate) struct Changed {
    /// The states that pages show otherwise.
    states: Map<String, Value>,
    /// For the assistant.
    events: Vec<CanvasEvent>,
}

/// The data of one board.
#[derive(Debug)]
struct Shown {
    states: DataStates,
    tracked: BTreeSet<ComponentId>,
}

impl Default for Data {
    fn default() -> Self {
        Self { github: MockGithub::new(), canvases: Mutex::default(), wake: Notify::new() }
    }
}

impl Data {
    /// These are the components of a board, and the data that its recipe has made. Gives the states that changed by it.
    pub(crate) fn track(
        &self,
        canvas: &CanvasId,
        components: &[ComponentInstance],
        made: &CanvasData,
    ) -> Changed {
        let mut canvases = self.lock();
        let new = || Shown { states: DataStates::new(DataPolicy::default()), tracked: BTreeSet::new() };
        let shown = canvases.entry(canvas.clone()).or_insert_with(new);
        let now: BTreeSet<_> = components.iter().map(|component| component.id.clone()).collect();
        for gone in shown.tracked.difference(&now) {
            shown.states.forget(gone);
        }
        let of_recipe = ComponentData::binding();
        let before: Vec<_> = made.components.keys().map(|id| shown.states.state(id).cloned()).collect();
        for component in components {
            let is_made = made.components.contains_key(&component.id);
            let binding = if is_made { Some(&of_recipe) } else { component.data_binding.as_ref() };
            shown.states.track(&component.id, binding);
        }
        shown.tracked = now;
        let events = made.show(&mut shown.states, clock::now());
        let mut states = Map::new();
        for (id, before) in made.components.keys().zip(before) {
            let after = shown.states.state(id);
            if after != before.as_ref() && after.is_some() {
                states.insert(id.to_string(), json!(after));
            }
        }
        drop(canvases);
        self.wake.notify_one();
        Changed { states, events }
    }

    /// What a component shows.
    pub(crate) fn state(&self, canvas: &CanvasId, component: &ComponentId) -> DataLoadingState {
        let canvases = self.lock();
        let state = canvases.get(canvas).and_then(|shown| shown.states.state(component));
        state.cloned().unwrap_or_default()
    }

    /// Fetches the data of a component anew. False where it has none to fetch.
    pub(crate) fn refresh(&self, canvas: &CanvasId, component: &ComponentId) -> bool {
        let asked = self.lock().get_mut(canvas).is_some_and(|shown| shown.states.refresh(component));
        self.wake.notify_one();
        asked
    }

    /// What is to be fetched now, and the states that changed by waiting, by canvas.
    fn due(&self, now: Timestamp) -> Vec<(CanvasId, Vec<Fetch>, Changed)> {
        let mut canvases = self.lock();
        let mut due = Vec::new();
        for (canvas, shown) in &mut *canvases {
            if shown.states.next_due().is_none_or(|next| next > now) {
                continue;
            }
            let before: Vec<_> = shown.tracked.iter().map(|id| shown.states.state(id).map(status)).collect();
            let (fetches, events) = shown.states.due(now);
            let mut states = Map::new();
            for (id, before) in shown.tracked.iter().zip(before) {
                let after = shown.states.state(id);
                if after.map(status) != before {
                    states.insert(id.to_string(), json!(after));
                }
            }
            due.push((canvas.clone(), fetches, Changed { states, events }));
        }
        due
    }

    /// Asks the sources, and gives the states that changed by their answers.
    fn fetch(&self, canvas: &CanvasId, fetches: Vec<Fetch>, now: Timestamp) -> Changed {
        let answers: Vec<_> = fetches.into_iter().map(|fetch| (self.ask(&fetch, now), fetch)).collect();
        let mut canvases = self.lock();
        let mut changed = Changed::default();
        let Some(shown) = canvases.get_mut(canvas) else { return changed };
        for (answer, Fetch { token, component_id, .. }) in answers {
            if let Some(event) = shown.states.settle(token, answer, now) {
                changed.events.push(event);
                changed.states.insert(component_id.to_string(), json!(shown.states.state(&component_id)));
            }
        }
        changed
    }

    fn ask(&self, fetch: &Fetch, now: Timestamp) -> Result<DataResult, DataError> {
        let source = &fetch.binding.source;
        if source == self.github.id() {
            return self.github.answer(&fetch.binding.query, now);
        }
        Err(DataError {
            code: DataErrorCode::SourceUnavailable,
            message: format!("there is no source {source}: ask {}", self.github.id()),
            source: source.clone(),
            retryable: false,
            retry_after: None,
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<CanvasId, Shown>> {
        self.canvases.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How a state looks, whatever its data are.
fn status(state: &DataLoadingState) -> std::mem::Discriminant<DataLoadingState> {
    std::mem::discriminant(state)
}

/// Fetches what is due, for as long as there is a host.
pub(crate) async fn run(host: Weak<Host>) {
    loop {
        let Some(host) = host.upgrade() else { return };
        for (canvas, fetches, changed) in host.data.due(clock::now()) {
            publish(&host, &canvas, changed);
            if fetches.is_empty() {
                continue;
            }
            let host = Arc::clone(&host);
            tokio::spawn(async move {
                tokio::time::sleep(LATENCY).await;
                let changed = host.data.fetch(&canvas, fetches, clock::now());
                publish(&host, &canvas, changed);
                // Others may have waited for room.
                host.data.wake.notify_one();
            });
        }
        // Where all is quiet the host may go meanwhile.
        drop(tokio::time::timeout(EVERY, host.data.wake.notified()).await);
    }
}

/// Sends states to all pages, and has the assistant hear of them with its next message.
pub(crate) fn publish(host: &Host, canvas: &CanvasId, Changed { states, events }: Changed) {
    host.assistant.notice(canvas, events);
    if !states.is_empty() {
        host.publish(canvas, "canvas.data.updated", json!({"components": states}));
    }
}
