//! The data of components: fetched from the built-in source, or made by the canvas's recipe.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use canvas_core::CanvasId;
use canvas_core::board::{
    CanvasEvent, ComponentId, ComponentInstance, DataError, DataErrorCode, DataPolicy, DataQuery, DataResult,
    DataSource as _, DataSourceId, DataStates, MockGithub,
};
use canvas_core::lease::Timestamp;
use canvas_core::recipe::{CanvasData, ComponentData};
use serde_json::{Map, Value, json};

/// The data of all boards. They are in memory: after a start they are fetched anew.
#[derive(Debug)]
pub(crate) struct Data {
    github: MockGithub,
    states: Mutex<HashMap<CanvasId, DataStates>>,
}

impl Default for Data {
    fn default() -> Self {
        Self { github: MockGithub::new(), states: Mutex::default() }
    }
}

impl Data {
    /// The components of a board with their data. Those that the recipe makes come first.
    pub(crate) fn fill(&self, canvas: &CanvasId, components: &mut [ComponentInstance], made: &CanvasData) {
        let mut states = self.lock();
        let states = of(&mut states, canvas);
        for id in made.components.keys() {
            states.track(id, Some(&ComponentData::binding()));
        }
        drop(made.show(states, crate::clock::now()));
        for component in components {
            if component.data_binding.is_some() && !made.components.contains_key(&component.id) {
                states.track(&component.id, component.data_binding.as_ref());
            }
            if let Some(state) = states.state(&component.id) {
                component.data_state = state.clone();
            }
        }
    }

    /// Fetches the data of a component anew. False where it has none to fetch.
    pub(crate) fn refresh(&self, canvas: &CanvasId, component: &ComponentId) -> bool {
        of(&mut self.lock(), canvas).refresh(component)
    }

    /// Forgets the data of components that were removed, or changed what they show.
    pub(crate) fn after(&self, canvas: &CanvasId, events: &[CanvasEvent]) {
        let mut states = self.lock();
        let states = of(&mut states, canvas);
        for event in events {
            if let CanvasEvent::Removed { component_id } | CanvasEvent::Updated { component_id, needs_data: true } = event {
                states.forget(component_id);
            }
        }
    }

    /// Fetches what is due, and gives what has changed by canvas and component.
    pub(crate) fn poll(&self, now: Timestamp) -> Vec<(CanvasId, Value)> {
        let mut all = self.lock();
        let mut changed = Vec::new();
        for (canvas, states) in all.iter_mut() {
            let mut touched = Map::new();
            let (fetches, _) = states.due(now);
            for fetch in fetches {
                let answer = self.ask(&fetch.binding.source, &fetch.binding.query, now);
                states.settle(fetch.token, answer, now);
                let id = &fetch.component_id;
                touched.insert(id.to_string(), json!(states.state(id)));
            }
            if !touched.is_empty() {
                changed.push((canvas.clone(), Value::Object(touched)));
            }
        }
        changed
    }

    /// Asks a source.
    pub(crate) fn ask(
        &self,
        source: &DataSourceId,
        query: &DataQuery,
        now: Timestamp,
    ) -> Result<DataResult, DataError> {
        if source == self.github.id() {
            return self.github.answer(query, now);
        }
        Err(DataError {
            code: DataErrorCode::SourceUnavailable,
            message: format!("there is no source {source}: ask {}", self.github.id()),
            source: source.clone(),
            retryable: false,
            retry_after: None,
        })
    }

    /// The built-in source.
    pub(crate) fn source(&self) -> DataSourceId {
        self.github.id().clone()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<CanvasId, DataStates>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn of<'s>(states: &'s mut HashMap<CanvasId, DataStates>, canvas: &CanvasId) -> &'s mut DataStates {
    states.entry(canvas.clone()).or_insert_with(|| DataStates::new(DataPolicy::default()))
}
