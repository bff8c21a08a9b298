//! What few changes of a board touch: views, triggers, the grid.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::diff::{Diff, chained};
use super::saved_view::SavedView;
use crate::board::model::grid::GridConfig;
use crate::board::model::id::{TriggerId, ViewId};

/// Views, triggers and the grid.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct SettingsDiff {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) views: Vec<ViewDiff>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) triggers: Vec<TriggerDiff>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) active_view: Option<Diff<Option<ViewId>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) grid: Option<Diff<GridConfig>>,
}

/// A view that came or went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ViewDiff {
    Added { index: usize, view: Arc<SavedView> },
    Removed { index: usize, view: Arc<SavedView> },
}

/// The view that a trigger suggests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TriggerDiff {
    pub(crate) id: TriggerId,
    #[serde(flatten)]
    pub(crate) view: Diff<Option<ViewId>>,
}

impl SettingsDiff {
    pub(crate) fn is_empty(&self) -> bool {
        self.views.is_empty() && self.triggers.is_empty() && self.active_view.is_none() && self.grid.is_none()
    }

    /// Several changes, one after the other, as one.
    pub(crate) fn merged(all_settings: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Self::default();
        for settings in all_settings {
            all.views.extend(settings.views);
            for trigger in settings.triggers {
                match all.triggers.iter_mut().find(|other| other.id == trigger.id) {
                    Some(other) => other.view.after = trigger.view.after,
                    None => all.triggers.push(trigger),
                }
            }
            all.active_view = chained(all.active_view, settings.active_view);
            all.grid = chained(all.grid, settings.grid);
        }
        all.triggers.retain(|TriggerDiff { view, .. }| view.before != view.after);
        all.active_view = all.active_view.filter(|active| active.before != active.after);
        all.grid = all.grid.filter(|grid| grid.before != grid.after);
        all
    }

    pub(crate) fn inverse(&self) -> Self {
        Self {
            views: self.views.iter().rev().map(ViewDiff::inverse).collect(),
            triggers: self
                .triggers
                .iter()
                .rev()
                .map(|diff| TriggerDiff { id: diff.id.clone(), view: diff.view.inverse() })
                .collect(),
            active_view: self.active_view.as_ref().map(Diff::inverse),
            grid: self.grid.as_ref().map(Diff::inverse),
        }
    }

    pub(super) fn touches(&self, other: &Self) -> bool {
        // Views are a list: one that comes or goes moves the others.
        (!self.views.is_empty() && !other.views.is_empty())
            || self.triggers.iter().any(|one| other.triggers.iter().any(|two| one.id == two.id))
            || (self.active_view.is_some() && other.active_view.is_some())
            || (self.grid.is_some() && other.grid.is_some())
    }
}

impl ViewDiff {
    fn inverse(&self) -> Self {
        match self {
            Self::Added { index, view } => Self::Removed { index: *index, view: Arc::clone(view) },
            Self::Removed { index, view } => Self::Added { index: *index, view: Arc::clone(view) },
        }
    }
}
