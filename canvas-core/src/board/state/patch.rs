//! The changes of a command, record by record, in both directions.

use std::sync::Arc;

use canvas_lease::{Timestamp, safe_integer};
use serde::{Deserialize, Serialize};

use super::body::ComponentBody;
use super::diff::Diff;
use super::settings::SettingsDiff;
use crate::board::model::grid::Bounds;
use crate::board::model::id::ComponentId;

/// A change of a board that can be applied, reverted, and compared with others.
///
/// It only holds the touched records before and after the change. Its size therefore depends on the change and not on
/// the board.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BoardPatch {
    /// Changes in the order of their application. One component occurs at most twice, for its removal and its return.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) components: Vec<ComponentDiff>,
    /// Boxed because few changes have settings, so that the others stay small.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "rest")]
    pub(crate) settings: Option<Box<SettingsDiff>>,
    /// Time of the last change of the board, before and after.
    pub(crate) updated_at: Diff<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ComponentDiff {
    /// The component has another position or size.
    #[serde(with = "moved")]
    Bounds {
        id: ComponentId,
        bounds: Diff<Bounds>,
    },
    /// The config, binding or other content of the component changed.
    Body(Diff<Arc<ComponentBody>>),
    Added(PlacedComponent),
    Removed(PlacedComponent),
}

/// Written as `{"id": …, "before": …, "after": …}`. Deserializing a flattened field would first read a value, and a
/// shift has one for each component.
mod moved {
    use serde::{Deserialize, Deserializer, Serialize as _, Serializer};

    use super::{Bounds, ComponentId, Diff};

    #[derive(serde::Serialize)]
    struct Written<'d> {
        id: &'d ComponentId,
        before: Bounds,
        after: Bounds,
    }

    #[derive(Deserialize)]
    struct Read {
        id: ComponentId,
        before: Bounds,
        after: Bounds,
    }

    pub(super) fn serialize<S: Serializer>(
        id: &ComponentId,
        &Diff { before, after }: &Diff<Bounds>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        Written { id, before, after }.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<(ComponentId, Diff<Bounds>), D::Error> {
        Read::deserialize(deserializer).map(|Read { id, before, after }| (id, Diff { before, after }))
    }
}

/// A component with its rank in the order of the board.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct PlacedComponent {
    #[serde(deserialize_with = "safe_integer::deserialize")]
    pub(crate) order: u64,
    pub(crate) bounds: Bounds,
    pub(crate) body: Arc<ComponentBody>,
}

impl BoardPatch {
    /// Returns whether the patch changes only a time.
    pub fn is_empty(&self) -> bool {
        self.components.is_empty() && self.settings.is_none()
    }

    /// Returns the patch that reverts this one.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let components = self.components.iter().rev().map(ComponentDiff::inverse).collect();
        let settings = self.settings.as_deref().map(|settings| Box::new(settings.inverse()));
        Self { components, settings, updated_at: self.updated_at.inverse() }
    }

    /// Joins several successive patches into one. Returns `None` for an empty list. Linear in the patches.
    pub fn joined(patches: Vec<Self>) -> Option<Self> {
        let first = patches.first()?.updated_at.before;
        let after = patches.last()?.updated_at.after;
        let (mut components, mut all_settings) = (Vec::new(), Vec::new());
        for patch in patches {
            components.extend(patch.components);
            all_settings.extend(patch.settings.map(|settings| *settings));
        }
        let settings = SettingsDiff::merged(all_settings);
        let settings = (!settings.is_empty()).then(|| Box::new(settings));
        Some(Self { components, settings, updated_at: Diff { before: first, after } })
    }

    /// Returns whether both patches touch a common record. If so, neither can be reverted from under the other.
    ///
    /// Records are components, views, triggers, each setting, the grid, and the choice of the active view. Adding or
    /// removing a view touches the triggers that name it, and adding or removing a trigger touches the views that list
    /// it. Linear in both patches.
    pub fn touches(&self, other: &Self) -> bool {
        let (small, large) =
            if self.components.len() <= other.components.len() { (self, other) } else { (other, self) };
        let shares = if small.components.len() == 1 {
            let id = small.components[0].id();
            large.components.iter().any(|diff| diff.id() == id)
        } else {
            let ids: std::collections::BTreeSet<_> = small.components.iter().map(ComponentDiff::id).collect();
            large.components.iter().any(|diff| ids.contains(diff.id()))
        };
        shares
            || match (&self.settings, &other.settings) {
                (Some(one), Some(two)) => one.touches(two),
                _ => false,
            }
    }

    /// Whether the patch gives the component a place.
    pub(crate) fn places(&self, id: &ComponentId) -> bool {
        self.components.iter().any(|diff| match diff {
            ComponentDiff::Added(record) => record.body.id == *id,
            ComponentDiff::Bounds { id: placed, .. } => placed == id,
            ComponentDiff::Body(_) | ComponentDiff::Removed(_) => false,
        })
    }

    /// Returns the components that the patch touches, in its order, each once.
    pub fn component_ids(&self) -> Vec<ComponentId> {
        let mut ids: Vec<ComponentId> = Vec::with_capacity(self.components.len());
        for diff in &self.components {
            // A removal and the return of a component are adjacent or few.
            if ids.last().is_none_or(|last| last != diff.id()) {
                ids.push(diff.id().clone());
            }
        }
        ids
    }
}

impl ComponentDiff {
    pub(crate) fn id(&self) -> &ComponentId {
        match self {
            Self::Bounds { id, .. } => id,
            Self::Body(bodies) => &bodies.after.id,
            Self::Added(record) | Self::Removed(record) => &record.body.id,
        }
    }

    pub(crate) fn inverse(&self) -> Self {
        match self {
            Self::Bounds { id, bounds } => Self::Bounds { id: id.clone(), bounds: bounds.inverse() },
            Self::Body(bodies) => Self::Body(bodies.inverse()),
            Self::Added(record) => Self::Removed(record.clone()),
            Self::Removed(record) => Self::Added(record.clone()),
        }
    }
}
