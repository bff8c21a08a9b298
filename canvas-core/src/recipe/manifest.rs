//! Data of components on a canvas, as a manifest and one blob for each component.
//!
//! * The manifest is a single blob. A refresh therefore writes the changed data and the manifest.
//! * An entry of the journal has the changes of the manifest but not the data, so that older data may be collected.

use std::collections::BTreeMap;

use canvas_lease::Timestamp;
use serde::{Deserialize, Serialize};

use crate::board::ComponentId;
use crate::face::step::Mismatch;
use crate::model::blob::BlobId;
use crate::recipe::drift::{DataStatus, Drift};

/// Status and data of one component on a canvas.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataEntry {
    /// Status that says whether the data are fresh.
    pub status: DataStatus,
    /// The data; `None` before a replay has made any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<StoredData>,
    /// The reason why the status is not [`DataStatus::Ready`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Drift>,
}

/// Reference to the stored data of a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredData {
    /// Canonical JSON of the data.
    pub blob: BlobId,
    /// Size of the canonical JSON, in bytes.
    pub bytes: u64,
    /// The `now` of the first replay with these data. A replay with the same data does not change it.
    pub as_of: Timestamp,
}

/// The data of a canvas by component. Its JSON is the manifest in the tree.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DataManifest(BTreeMap<ComponentId, DataEntry>);

/// A reversible change of a manifest. No component occurs twice.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DataDiff {
    /// Changes in the order of the components.
    pub components: Vec<DataChange>,
}

/// A change of one component's entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataChange {
    /// The component whose entry changes.
    pub component: ComponentId,
    /// The entry before the change; `None` if the component had no entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<DataEntry>,
    /// The entry after the change; `None` if the component has no entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<DataEntry>,
}

impl DataManifest {
    /// Returns the entry of a component.
    pub fn get(&self, component: &ComponentId) -> Option<&DataEntry> {
        self.0.get(component)
    }

    /// Returns all components with an entry, in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = (&ComponentId, &DataEntry)> {
        self.0.iter()
    }

    /// Returns the number of components with an entry.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether the manifest has no entries.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn read(json: &str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }

    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("components have names")
    }

    pub(crate) fn blobs(&self) -> impl Iterator<Item = BlobId> {
        self.0.values().filter_map(|entry| entry.data.map(|data| data.blob))
    }

    /// Applies a change either completely or not at all.
    pub(crate) fn apply(&mut self, diff: &DataDiff) -> Result<(), Mismatch> {
        if diff.components.iter().any(|change| self.get(&change.component) != change.before.as_ref()) {
            return Err(Mismatch);
        }
        for DataChange { component, after, .. } in &diff.components {
            match after {
                Some(entry) => self.0.insert(component.clone(), entry.clone()),
                None => self.0.remove(component),
            };
        }
        Ok(())
    }
}

impl DataDiff {
    /// Returns whether the change has no effect.
    pub fn is_empty(&self) -> bool {
        self.components.is_empty()
    }

    /// Returns the change in the opposite direction.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let back = |change: &DataChange| {
            let DataChange { component, before, after } = change.clone();
            DataChange { component, before: after, after: before }
        };
        Self { components: self.components.iter().map(back).collect() }
    }
}
