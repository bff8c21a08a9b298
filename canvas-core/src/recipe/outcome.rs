//! The effect of a replay on its canvas.

use std::collections::BTreeMap;

use canvas_lease::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::board::ComponentId;
use crate::json_patch::JsonPatchOperation;
use crate::model::blob::Blob;
use crate::model::json_pointer::join_pointer;
use crate::recipe::datum::Datum;
use crate::recipe::drift::{DataStatus, Drift, DriftCode};
use crate::recipe::manifest::{DataChange, DataDiff, DataEntry, DataManifest, StoredData};
use crate::recipe::mapping::Target;
use crate::surface::state::put::{Put, PutPlace};
use crate::surface::state::surface_state::ChangedState;
use crate::surface::{StateValue, SurfaceLimits, SurfaceState};

/// The result of a replay for one target.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayOutcome {
    /// The component or the place of the state to feed.
    pub target: Target,
    /// The data, or the reason why the replay could not make them.
    pub result: Result<Datum, Drift>,
}

/// A target that a replay could not refresh. It keeps its data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StaleTarget {
    /// Component or place of the state.
    #[serde(flatten)]
    pub target: Target,
    /// Status of its data. For a place of the state, always [`DataStatus::Stale`].
    pub status: DataStatus,
    /// Reason why it was not refreshed.
    pub reason: Drift,
}

/// A place of `{data, state}` changed by a replay. Its value comes from an outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangedPlace {
    /// Whether the place had a value before.
    replaces: bool,
    /// JSON Pointer into `{data, state}`.
    path: String,
    /// Names of the objects created below it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    missing: Vec<String>,
    /// Index of the outcome with the value.
    outcome: usize,
}

impl ChangedPlace {
    /// Returns the operation of RFC 6902 for this change, or `None` if it was not made from these outcomes.
    pub(crate) fn operation(&self, outcomes: &[ReplayOutcome]) -> Option<JsonPatchOperation> {
        let value = outcomes.get(self.outcome)?.result.as_ref().ok()?.value().clone();
        let wrap = |inner, name: &String| Value::Object(Map::from_iter([(name.clone(), inner)]));
        let (path, value) = (self.path.clone(), self.missing.iter().rev().fold(value, wrap));
        Some(if self.replaces {
            JsonPatchOperation::Replace { path, value }
        } else {
            JsonPatchOperation::Add { path, value }
        })
    }
}

/// The canvas that receives a replay.
pub(crate) struct Landing<'a> {
    pub(crate) manifest: &'a DataManifest,
    /// `None` if the canvas has no surface.
    pub(crate) state: Option<&'a SurfaceState>,
    pub(crate) limits: &'a SurfaceLimits,
    pub(crate) now: Timestamp,
}

/// The changes to commit, and the facts for the answer.
#[derive(Debug, Default)]
pub(crate) struct Landed {
    pub(crate) data: DataDiff,
    pub(crate) blobs: Vec<Blob>,
    /// `None` if the state is unchanged.
    pub(crate) state: Option<ChangedState>,
    pub(crate) changed: Vec<ChangedPlace>,
    pub(crate) refreshed: Vec<ComponentId>,
    pub(crate) stale: Vec<StaleTarget>,
}

impl Landing<'_> {
    /// Compares the results of a replay with the current data. Components for which `is_there` is false are left out.
    /// Each outcome must have a different target.
    pub(crate) fn land(&self, outcomes: &[ReplayOutcome], is_there: impl Fn(&ComponentId) -> bool) -> Landed {
        let mut landed = Landed::default();
        let mut changes = BTreeMap::new();
        let mut puts = Vec::new();
        for (number, ReplayOutcome { target, result }) in outcomes.iter().enumerate() {
            match target {
                Target::Component(id) if is_there(id) => {
                    let change = self.land_component(number, id, result, &mut landed);
                    changes.extend(change.map(|change| (id, change)));
                }
                Target::Component(_) => {}
                // A canvas without a surface cannot receive state.
                Target::State(_) if self.state.is_none() => {}
                Target::State(place) => match result {
                    Ok(datum) => {
                        let value = StateValue::from(datum.value().clone());
                        puts.push((number, Put { place: place.clone(), value }));
                    }
                    Err(drift) => landed.keep_state(target, drift.clone()),
                },
            }
        }
        landed.data = DataDiff { components: changes.into_values().collect() };
        self.land_state(outcomes, puts, &mut landed);
        landed
    }

    fn land_component(
        &self,
        number: usize,
        id: &ComponentId,
        result: &Result<Datum, Drift>,
        landed: &mut Landed,
    ) -> Option<DataChange> {
        let before = self.manifest.get(id);
        let after = match result {
            Ok(datum) => {
                landed.refreshed.push(id.clone());
                let old = before.and_then(|entry| entry.data);
                let is_same = old.is_some_and(|old| old.blob == datum.id());
                if !is_same {
                    let path = join_pointer("/data", id.as_str());
                    let place =
                        ChangedPlace { replaces: old.is_some(), path, missing: Vec::new(), outcome: number };
                    landed.changed.push(place);
                    landed.blobs.push(datum.blob().clone());
                }
                if is_same && before.is_some_and(|entry| entry.status == DataStatus::Ready) {
                    return None;
                }
                DataEntry::ready(datum, self.now)
            }
            Err(drift) => {
                let after = DataEntry::kept(before, drift);
                let reason = drift.clone();
                landed.stale.push(StaleTarget { target: id.clone().into(), status: after.status, reason });
                after
            }
        };
        let change = DataChange { component: id.clone(), before: before.cloned(), after: Some(after) };
        (change.before != change.after).then_some(change)
    }

    /// Puts values into the state. Values that do not fit are not put, and the old ones stay.
    fn land_state(&self, outcomes: &[ReplayOutcome], puts: Vec<(usize, Put)>, landed: &mut Landed) {
        let Some(state) = self.state else { return };
        let mut fitting = Vec::with_capacity(puts.len());
        for (number, put) in puts {
            match state.put(std::slice::from_ref(&put), self.limits) {
                Ok(_) => fitting.push((number, put)),
                Err(fault) => {
                    let drift = Drift::new(DriftCode::MappingFailed, &fault.message);
                    landed.keep_state(&outcomes[number].target, drift);
                }
            }
        }
        let (numbers, puts): (Vec<_>, Vec<_>) = fitting.into_iter().unzip();
        match state.put(&puts, self.limits) {
            Ok((changed, places)) => {
                let places = numbers.iter().zip(places).filter_map(|(number, place)| Some((*number, place?)));
                landed.changed.extend(places.map(|(outcome, PutPlace { place, missing, replaces })| {
                    ChangedPlace { replaces, path: format!("/state{place}"), missing, outcome }
                }));
                landed.state = (!changed.changes.is_empty()).then_some(changed);
            }
            // Each value fits alone, but all of them together do not.
            Err(fault) => {
                for number in numbers {
                    let drift = Drift::new(DriftCode::MappingFailed, &fault.message);
                    landed.keep_state(&outcomes[number].target, drift);
                }
            }
        }
    }
}

impl Landed {
    fn keep_state(&mut self, target: &Target, reason: Drift) {
        self.stale.push(StaleTarget { target: target.clone(), status: DataStatus::Stale, reason });
    }
}

impl DataEntry {
    pub(crate) fn ready(datum: &Datum, as_of: Timestamp) -> Self {
        let data = StoredData { blob: datum.id(), bytes: datum.bytes() as u64, as_of };
        Self { status: DataStatus::Ready, data: Some(data), reason: None }
    }

    /// Returns the entry if no new data were made. An entry with the same code stays unchanged, so that a tool with a
    /// different message each time does not cause changes.
    pub(crate) fn kept(before: Option<&Self>, drift: &Drift) -> Self {
        let data = before.and_then(|entry| entry.data);
        let status = match (drift.code, data) {
            (DriftCode::Frozen | DriftCode::NotInRecipe, _) => DataStatus::Frozen,
            (_, Some(_)) => DataStatus::Stale,
            (_, None) => DataStatus::Error,
        };
        let has_code = |reason: &Drift| reason.code == drift.code;
        match before {
            Some(entry) if entry.status == status && entry.reason.as_ref().is_some_and(has_code) => {
                entry.clone()
            }
            _ => Self { status, data, reason: Some(drift.clone()) },
        }
    }
}

impl From<ComponentId> for Target {
    fn from(component: ComponentId) -> Self {
        Self::Component(component)
    }
}
