//! Changes of views, triggers, settings and the grid, which few patches contain.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::diff::{Diff, chained};
use super::saved_view::SavedView;
use crate::board::model::grid::GridConfig;
use crate::board::model::id::{TriggerId, ViewId};
use crate::board::model::settings::SettingsUpdate;
use crate::board::model::trigger::ProactiveTrigger;

/// Changes of views, triggers, settings and the grid.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct SettingsDiff {
    /// Changes in the order of their application.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) views: Vec<ViewDiff>,
    /// Changes in the order of their application.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) triggers: Vec<TriggerDiff>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) active_view: Option<Diff<Option<ViewId>>>,
    /// Grid of the canvas, not the one in the settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) grid: Option<Diff<GridConfig>>,
    /// Changed settings. Both sides contain the same fields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) settings: Option<Diff<SettingsUpdate>>,
}

/// A new or removed view, or one that lists other triggers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ViewDiff {
    Added {
        index: usize,
        view: Arc<SavedView>,
    },
    Removed {
        index: usize,
        view: Arc<SavedView>,
    },
    Triggers {
        id: ViewId,
        #[serde(flatten)]
        triggers: Diff<Vec<TriggerId>>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum TriggerDiff {
    /// A change of the suggested view, the only kind in journals from before triggers could be set.
    View {
        id: TriggerId,
        #[serde(flatten)]
        view: Diff<Option<ViewId>>,
    },
    Record(TriggerRecordDiff),
}

/// A new, removed or replaced trigger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TriggerRecordDiff {
    Added {
        index: usize,
        trigger: ProactiveTrigger,
    },
    Removed {
        index: usize,
        trigger: ProactiveTrigger,
    },
    /// Both triggers have the same id.
    Changed(Box<Diff<ProactiveTrigger>>),
}

impl SettingsDiff {
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Merges several successive changes into one.
    pub(crate) fn merged(all_settings: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Self::default();
        for settings in all_settings {
            all.views.extend(settings.views);
            all.triggers.extend(settings.triggers);
            all.active_view = chained(all.active_view, settings.active_view);
            all.grid = chained(all.grid, settings.grid);
            all.settings = match (all.settings, settings.settings) {
                (Some(one), Some(two)) => {
                    Some(Diff { before: one.before.or(two.before), after: two.after.or(one.after) })
                }
                (one, two) => one.or(two),
            };
        }
        all.active_view = all.active_view.filter(|active| active.before != active.after);
        all.grid = all.grid.filter(|grid| grid.before != grid.after);
        all.settings = all.settings.filter(|settings| settings.before != settings.after);
        all
    }

    pub(crate) fn inverse(&self) -> Self {
        Self {
            views: self.views.iter().rev().map(ViewDiff::inverse).collect(),
            triggers: self.triggers.iter().rev().map(TriggerDiff::inverse).collect(),
            active_view: self.active_view.as_ref().map(Diff::inverse),
            grid: self.grid.as_ref().map(Diff::inverse),
            settings: self.settings.as_ref().map(Diff::inverse),
        }
    }

    pub(super) fn touches(&self, other: &Self) -> bool {
        // Views and triggers are lists, in which adding or removing one moves the others.
        (self.views.iter().any(|one| other.views.iter().any(|two| one.touches(two))))
            || self.triggers.iter().any(|one| other.triggers.iter().any(|two| one.touches(two)))
            || self.names_what_moves(other)
            || other.names_what_moves(self)
            || (self.active_view.is_some() && other.active_view.is_some())
            || (self.grid.is_some() && other.grid.is_some())
            || match (&self.settings, &other.settings) {
                (Some(one), Some(two)) => one.after.shares_one_with(&two.after),
                _ => false,
            }
    }

    /// Whether a trigger names a view that the other change adds or removes, or a view lists such a trigger. A revert
    /// of only one of the two changes could leave a dangling id.
    fn names_what_moves(&self, other: &Self) -> bool {
        let mut moved_views = other.views.iter().filter_map(ViewDiff::moved);
        let mut moved_triggers = other.triggers.iter().filter_map(TriggerDiff::moved);
        moved_views.any(|view| self.triggers.iter().any(|trigger| trigger.names(&view.id)))
            || moved_triggers.any(|trigger| self.views.iter().any(|view| view.lists(trigger)))
    }
}

impl ViewDiff {
    fn inverse(&self) -> Self {
        match self {
            Self::Added { index, view } => Self::Removed { index: *index, view: Arc::clone(view) },
            Self::Removed { index, view } => Self::Added { index: *index, view: Arc::clone(view) },
            Self::Triggers { id, triggers } => {
                Self::Triggers { id: id.clone(), triggers: triggers.inverse() }
            }
        }
    }

    pub(super) fn id(&self) -> &ViewId {
        match self {
            Self::Added { view, .. } | Self::Removed { view, .. } => &view.id,
            Self::Triggers { id, .. } => id,
        }
    }

    /// Returns the view, if it was added or removed.
    pub(super) fn moved(&self) -> Option<&Arc<SavedView>> {
        match self {
            Self::Added { view, .. } | Self::Removed { view, .. } => Some(view),
            Self::Triggers { .. } => None,
        }
    }

    fn touches(&self, other: &Self) -> bool {
        (self.moved().is_some() && other.moved().is_some()) || self.id() == other.id()
    }

    /// Whether the view lists a trigger, before or after the change.
    fn lists(&self, trigger: &TriggerId) -> bool {
        match self {
            Self::Added { view, .. } | Self::Removed { view, .. } => view.trigger_ids.contains(trigger),
            Self::Triggers { triggers, .. } => {
                triggers.before.contains(trigger) || triggers.after.contains(trigger)
            }
        }
    }
}

impl TriggerDiff {
    /// Diffs two lists of triggers into removals from the end, then replacements, then additions at the end. Linear in
    /// both.
    pub(super) fn between(before: &[ProactiveTrigger], after: &[ProactiveTrigger]) -> Vec<Self> {
        let (mut gone, mut changed, mut kept) = (Vec::new(), Vec::new(), 0);
        for (index, trigger) in before.iter().enumerate() {
            match after.get(kept) {
                Some(now) if now.id == trigger.id => {
                    kept += 1;
                    changed.extend(Self::replaced(trigger, now));
                }
                _ => gone.push(TriggerRecordDiff::Removed { index, trigger: trigger.clone() }),
            }
        }
        let came = after.iter().enumerate().skip(kept);
        let came = came.map(|(index, trigger)| TriggerRecordDiff::Added { index, trigger: trigger.clone() });
        let gone = gone.into_iter().rev().map(Self::Record);
        gone.chain(changed).chain(came.map(Self::Record)).collect()
    }

    /// Returns `None` if both triggers are equal. They must have the same id.
    fn replaced(before: &ProactiveTrigger, after: &ProactiveTrigger) -> Option<Self> {
        let diff = Diff::of(before, after)?;
        let of_view = ProactiveTrigger { view_id: after.view_id.clone(), ..before.clone() } == *after;
        Some(if of_view {
            let view = Diff { before: diff.before.view_id, after: diff.after.view_id };
            Self::View { id: diff.after.id, view }
        } else {
            Self::Record(TriggerRecordDiff::Changed(Box::new(diff)))
        })
    }

    fn inverse(&self) -> Self {
        match self {
            Self::View { id, view } => Self::View { id: id.clone(), view: view.inverse() },
            Self::Record(record) => Self::Record(record.inverse()),
        }
    }

    pub(super) fn id(&self) -> &TriggerId {
        match self {
            Self::View { id, .. } => id,
            Self::Record(
                TriggerRecordDiff::Added { trigger, .. } | TriggerRecordDiff::Removed { trigger, .. },
            ) => &trigger.id,
            Self::Record(TriggerRecordDiff::Changed(diff)) => &diff.after.id,
        }
    }

    /// Returns the trigger, if it was added or removed.
    fn moved(&self) -> Option<&TriggerId> {
        match self {
            Self::Record(TriggerRecordDiff::Added { .. } | TriggerRecordDiff::Removed { .. }) => {
                Some(self.id())
            }
            Self::View { .. } | Self::Record(TriggerRecordDiff::Changed(_)) => None,
        }
    }

    fn touches(&self, other: &Self) -> bool {
        (self.moved().is_some() && other.moved().is_some()) || self.id() == other.id()
    }

    /// Whether the trigger suggests a view, before or after the change.
    pub(super) fn names(&self, view: &ViewId) -> bool {
        let is_it = |other: &Option<ViewId>| other.as_ref() == Some(view);
        match self {
            Self::View { view, .. } => is_it(&view.before) || is_it(&view.after),
            Self::Record(
                TriggerRecordDiff::Added { trigger, .. } | TriggerRecordDiff::Removed { trigger, .. },
            ) => is_it(&trigger.view_id),
            Self::Record(TriggerRecordDiff::Changed(diff)) => {
                is_it(&diff.before.view_id) || is_it(&diff.after.view_id)
            }
        }
    }
}

impl TriggerRecordDiff {
    fn inverse(&self) -> Self {
        match self {
            Self::Added { index, trigger } => Self::Removed { index: *index, trigger: trigger.clone() },
            Self::Removed { index, trigger } => Self::Added { index: *index, trigger: trigger.clone() },
            Self::Changed(diff) => Self::Changed(Box::new(diff.inverse())),
        }
    }
}
