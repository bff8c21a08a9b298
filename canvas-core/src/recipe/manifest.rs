//! Data of components on a canvas: a manifest, and one blob a component.
//!
//! * The manifest is one blob, so what a refresh writes is the data that have changed and the manifest.
//! * An entry of the journal has what it changes of the manifest, not the data: those of before may be collected.

use std::collections::BTreeMap;

use canvas_lease::Timestamp;
use serde::{Deserialize, Serialize};

use crate::board::ComponentId;
use crate::face::step::Mismatch;
use crate::model::blob::BlobId;
use crate::recipe::drift::{DataStatus, Drift};

/// What a canvas has of one component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataEntry {
    /// Whether the data are fresh.
    pub status: DataStatus,
    /// The data; `None` where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<StoredData>,
    /// Why they are not [`DataStatus::Ready`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Drift>,
}

/// Data that a canvas has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredData {
    /// Their canonical JSON.
    pub blob: BlobId,
    /// Bytes of it.
    pub bytes: u64,
    /// The `now` of the replay that made them first: one that makes the same data changes nothing.
    pub as_of: Timestamp,
}

/// The data of a canvas by their components. As JSON it is the manifest that the tree has.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DataManifest(BTreeMap<ComponentId, DataEntry>);

/// What changes in a manifest, with the way back. No component occurs twice.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DataDiff {
    /// In the order of the components.
    pub components: Vec<DataChange>,
}

/// What a canvas had of a component and what it has now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataChange {
    /// The component.
    pub component: ComponentId,
    /// What was there; `None` where nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<DataEntry>,
    /// What is there now; `None` where nothing is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<DataEntry>,
}

impl DataManifest {
    /// What the canvas has of a component.
    pub fn get(&self, component: &ComponentId) -> Option<&DataEntry> {
        self.0.get(component)
    }

    /// All components that it has something of, in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = (&ComponentId, &DataEntry)> {
        self.0.iter()
    }

    /// How many components it has something of.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it has nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn read(json: &str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }

    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("components have names")
    }

    /// The blobs of the data.
    pub(crate) fn blobs(&self) -> impl Iterator<Item = BlobId> {
        self.0.values().filter_map(|entry| entry.data.map(|data| data.blob))
    }

    /// Plays a change, all of it or nothing.
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
    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.components.is_empty()
    }

    /// The change that leads back.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let back = |change: &DataChange| {
            let DataChange { component, before, after } = change.clone();
            DataChange { component, before: after, after: before }
        };
        Self { components: self.components.iter().map(back).collect() }
    }
}
