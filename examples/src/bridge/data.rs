//! The data of components, fetched from the built-in source when the user asks for them.

use std::collections::HashMap;

use canvas_core::CanvasId;
use canvas_core::board::{
    CanvasEvent, ComponentId, ComponentInstance, DataError, DataErrorCode, DataLoadingState, DataPolicy,
    DataQuery, DataResult, DataSource as _, DataSourceId, DataStates,
};
use canvas_core::lease::Timestamp;
#[cfg(feature = "recipe")]
use canvas_core::recipe::{CanvasData, ComponentData};
use canvas_mock_data::MockGithub;

/// The data of all components. They are idle until they are refreshed, and idle again after they were removed.
#[derive(Debug)]
pub(super) struct Data {
    github: MockGithub,
    states: HashMap<CanvasId, DataStates>,
}

impl Default for Data {
    fn default() -> Self {
        Self { github: MockGithub::new(), states: HashMap::new() }
    }
}

impl Data {
    /// The data of a component.
    pub(super) fn state(&self, canvas: &CanvasId, component: &ComponentId) -> DataLoadingState {
        let state = self.states.get(canvas).and_then(|states| states.state(component));
        state.cloned().unwrap_or_default()
    }

    /// Fetches the data of a component. `false` where it has no binding.
    pub(super) fn refresh(
        &mut self,
        canvas: &CanvasId,
        component: &ComponentInstance,
        now: Timestamp,
    ) -> bool {
        if !self.states.contains_key(canvas) {
            self.states.insert(canvas.clone(), DataStates::new(DataPolicy::default()));
        }
        let states = self.states.get_mut(canvas).expect("it was inserted just now");
        states.track(&component.id, component.data_binding.as_ref());
        let asked = states.refresh(&component.id);
        for fetch in states.due(now).0 {
            let answer = answer(&self.github, &fetch.binding.source, &fetch.binding.query, now);
            states.settle(fetch.token, answer, now);
        }
        asked
    }

    /// Forgets the data of components that were removed, added again, or changed their binding.
    pub(super) fn follow(&mut self, canvas: &CanvasId, events: &[CanvasEvent]) {
        let Some(states) = self.states.get_mut(canvas) else { return };
        for event in events {
            if let CanvasEvent::Removed { component_id }
            | CanvasEvent::Added { component_id, .. }
            | CanvasEvent::Updated { component_id, needs_data: true } = event
            {
                states.forget(component_id);
            }
        }
    }

    /// Asks a source.
    pub(super) fn ask(
        &self,
        source: &DataSourceId,
        query: &DataQuery,
        now: Timestamp,
    ) -> Result<DataResult, DataError> {
        answer(&self.github, source, query, now)
    }
}

#[cfg(feature = "recipe")]
impl Data {
    /// Shows the data that a recipe has made, and gives what has changed in what components show.
    pub(super) fn show(&mut self, canvas: &CanvasId, data: &CanvasData, now: Timestamp) -> Vec<CanvasEvent> {
        if data.components.is_empty() {
            return Vec::new();
        }
        let new = || DataStates::new(DataPolicy::default());
        let states = self.states.entry(canvas.clone()).or_insert_with(new);
        for id in data.components.keys() {
            states.track(id, Some(&ComponentData::binding()));
        }
        data.show(states, now)
    }
}

fn answer(
    github: &MockGithub,
    source: &DataSourceId,
    query: &DataQuery,
    now: Timestamp,
) -> Result<DataResult, DataError> {
    if source == github.id() {
        return github.answer(query, now);
    }
    Err(DataError {
        code: DataErrorCode::SourceUnavailable,
        message: format!("there is no source {source}: ask {}", github.id()),
        source: source.clone(),
        retryable: false,
        retry_after: None,
    })
}
