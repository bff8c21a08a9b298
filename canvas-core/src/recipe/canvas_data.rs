//! Data from a recipe, in the form that a host displays.

use std::collections::BTreeMap;

use canvas_lease::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::board::{
    CanvasEvent, ComponentId, DataBinding, DataError, DataErrorCode, DataLoadingState, DataMeta, DataQuery,
    DataResult, DataSourceId, DataStates,
};
use crate::model::blob::Blob;
use crate::recipe::drift::{DataStatus, Drift, DriftCode};
use crate::recipe::manifest::DataEntry;

/// The data of a canvas, by their components.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct CanvasData {
    /// In the order of their ids.
    pub components: BTreeMap<ComponentId, ComponentData>,
}

/// The data that a canvas has for one component.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComponentData {
    /// Whether the data are fresh.
    pub status: DataStatus,
    /// The data, or `None` without data.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub data: Option<Value>,
    /// The `now` of the replay that made them first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<u64>")]
    pub as_of: Option<Timestamp>,
    /// The reason that the status is not [`DataStatus::Ready`]. `None` for ready data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Drift>,
}

/// Distinguishes a member that is `null` from a missing one.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl ComponentData {
    /// The binding source of components that a recipe feeds.
    pub const SOURCE: &str = "recipe";

    /// Returns the binding of components that a recipe feeds. It causes no automatic queries, because replays make the
    /// data.
    #[expect(clippy::missing_panics_doc, reason = "the name is a constant")]
    pub fn binding() -> DataBinding {
        let source = DataSourceId::new(Self::SOURCE).expect("a short name");
        let query = DataQuery { kind: "component".to_owned(), params: Map::new() };
        DataBinding { source, query, refresh_interval: None }
    }

    /// Returns `None` if the blob does not contain the data.
    pub(crate) fn read(entry: &DataEntry, blob: Option<&Blob>) -> Option<Self> {
        let data = match entry.data {
            None => None,
            Some(_) => Some(serde_json::from_str(blob?.as_text()?).ok()?),
        };
        let as_of = entry.data.map(|data| data.as_of);
        Some(Self { status: entry.status, data, as_of, reason: entry.reason.clone() })
    }

    /// Returns the result of the source `recipe` for the component.
    ///
    /// # Errors
    ///
    /// Returns a [`DataError`] with the reason if data are missing.
    pub fn answer(&self) -> Result<DataResult, DataError> {
        let (Some(data), Some(as_of)) = (&self.data, self.as_of) else { return Err(self.error()) };
        let DataBinding { source, query, .. } = Self::binding();
        let stale = self.status == DataStatus::Stale;
        let meta = DataMeta { fetched_at: as_of, source, query, pagination: None, stale, ttl: u64::MAX };
        Ok(DataResult { data: data.clone(), meta })
    }

    /// Returns the reason why the data are not fresh. Existing data stay.
    fn error(&self) -> DataError {
        let unknown = Drift::new(DriftCode::CallFailed, "nothing was made yet: refresh the canvas");
        let Drift { code, message } = self.reason.as_ref().unwrap_or(&unknown);
        let of_source = match code {
            DriftCode::ToolGone => DataErrorCode::NotFound,
            DriftCode::PermissionGone => DataErrorCode::Forbidden,
            DriftCode::CallFailed | DriftCode::Upstream => DataErrorCode::SourceUnavailable,
            _ => DataErrorCode::Unknown,
        };
        DataError {
            code: of_source,
            message: format!("{code}: {message}"),
            source: Self::binding().source,
            retryable: self.data.is_some(),
            retry_after: None,
        }
    }
}

impl CanvasData {
    /// Shows the data among the board's other data. Each component with data is bound to the recipe, and loses any
    /// other binding. Returns the events for the changes. Showing the same data again has no effect.
    pub fn show(&self, states: &mut DataStates, now: Timestamp) -> Vec<CanvasEvent> {
        let mut events = Vec::new();
        for (id, component) in &self.components {
            component.show(id, states, now, &mut events);
        }
        events
    }
}

impl ComponentData {
    fn show(&self, id: &ComponentId, states: &mut DataStates, now: Timestamp, events: &mut Vec<CanvasEvent>) {
        let Some(shown) = states.state(id) else { return };
        let shown_at = match shown {
            DataLoadingState::Ready { fetched_at, .. } | DataLoadingState::Stale { fetched_at, .. } => {
                Some(*fetched_at)
            }
            _ => None,
        };
        if shown_at.is_some() && shown_at > self.as_of {
            // The data are from a replay at an earlier time, which is still valid.
            states.forget(id);
        }
        states.track(id, Some(&Self::binding()));
        let is_stale = matches!(self.status, DataStatus::Stale | DataStatus::Error);
        let is_shown = match (states.state(id), &self.data) {
            (Some(DataLoadingState::Ready { data, .. }), Some(own)) => data == own && !is_stale,
            (Some(DataLoadingState::Stale { data, .. }), Some(own)) => data == own && is_stale,
            (Some(DataLoadingState::Error { error, .. }), None) => *error == self.error(),
            _ => false,
        };
        if is_shown {
            return;
        }
        if let Ok(answer) = self.answer() {
            events.extend(states.push(id, answer, now));
        }
        if is_stale || self.data.is_none() {
            events.extend(states.fail(id, self.error(), now));
        }
    }
}
