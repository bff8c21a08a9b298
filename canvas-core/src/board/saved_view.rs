//! A view as the board keeps it.

use std::collections::HashSet;
use std::sync::Arc;

use canvas_lease::Timestamp;
use serde::{Deserialize, Serialize};

use super::data::DataLoadingState;
use super::grid::{Bounds, GridConfig};
use super::id::{ComponentId, TriggerId, ViewId};
use super::patch::Body;
use super::workspace::{Canvas, View};

/// A view as the board keeps it: its components share their bodies with those that are live.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SavedView {
    pub(super) id: ViewId,
    pub(super) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) description: Option<String>,
    pub(super) grid: GridConfig,
    pub(super) components: Vec<Standing>,
    pub(super) trigger_ids: Vec<TriggerId>,
    pub(super) created_at: Timestamp,
}

/// A component in a view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Standing {
    pub(super) bounds: Bounds,
    pub(super) body: Arc<Body>,
}

impl SavedView {
    pub(super) fn of(view: View) -> Self {
        let View { id, name, description, snapshot, trigger_ids, created_at } = view;
        let components = snapshot
            .components
            .into_iter()
            .map(|component| Standing { bounds: component.bounds(), body: Arc::new(Body::of(component)) });
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

    pub(super) fn shown(&self) -> View {
        let shown = |standing: &Standing| standing.body.instance(standing.bounds, DataLoadingState::Idle);
        View {
            id: self.id.clone(),
            name: self.name.clone(),
            description: self.description.clone(),
            snapshot: Canvas { grid: self.grid, components: self.components.iter().map(shown).collect() },
            trigger_ids: self.trigger_ids.clone(),
            created_at: self.created_at,
        }
    }

    pub(super) fn ids(&self) -> HashSet<&ComponentId> {
        self.components.iter().map(|standing| &standing.body.id).collect()
    }
}
