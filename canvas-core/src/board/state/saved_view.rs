//! A view in the form that the board keeps.

use std::collections::HashSet;
use std::sync::Arc;

use canvas_lease::Timestamp;
use serde::{Deserialize, Serialize};

use super::body::ComponentBody;
use crate::board::model::data::DataLoadingState;
use crate::board::model::grid::{Bounds, GridConfig};
use crate::board::model::id::{ComponentId, TriggerId, ViewId};
use crate::board::model::workspace::{Canvas, View};

/// A view in the form that the board keeps. Its components share their bodies with live ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SavedView {
    pub(crate) id: ViewId,
    pub(crate) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    pub(crate) grid: GridConfig,
    pub(crate) components: Vec<SnapshotItem>,
    pub(crate) trigger_ids: Vec<TriggerId>,
    pub(crate) created_at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SnapshotItem {
    pub(crate) bounds: Bounds,
    pub(crate) body: Arc<ComponentBody>,
}

impl SavedView {
    pub(crate) fn of(view: View) -> Self {
        let View { id, name, description, snapshot, trigger_ids, created_at } = view;
        let components = snapshot.components.into_iter().map(|component| SnapshotItem {
            bounds: component.bounds(),
            body: Arc::new(ComponentBody::of(component)),
        });
        Self {
            id,
            name,
            description,
            grid: snapshot.grid,
            components: components.collect(),
            trigger_ids,
            created_at,
        }
    }

    pub(crate) fn shown(&self) -> View {
        let shown = |item: &SnapshotItem| item.body.instance(item.bounds, DataLoadingState::Idle);
        View {
            id: self.id.clone(),
            name: self.name.clone(),
            description: self.description.clone(),
            snapshot: Canvas { grid: self.grid, components: self.components.iter().map(shown).collect() },
            trigger_ids: self.trigger_ids.clone(),
            created_at: self.created_at,
        }
    }

    pub(crate) fn ids(&self) -> HashSet<&ComponentId> {
        self.components.iter().map(|item| &item.body.id).collect()
    }
}
