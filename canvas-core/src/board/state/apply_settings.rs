//! Application of changes to views, triggers, settings and the grid.

use std::sync::Arc;

use super::apply::{PatchMismatch, same};
use super::board::{Board, StoredView};
use super::saved_view::SavedView;
use super::settings::{SettingsDiff, TriggerDiff, TriggerRecordDiff, ViewDiff};
use crate::board::model::settings::SettingsUpdate;
use crate::board::model::trigger::ProactiveTrigger;

impl Board {
    /// Applies all changes together or fails without a change.
    pub(crate) fn apply_settings(&mut self, diff: &SettingsDiff) -> Result<(), PatchMismatch> {
        let SettingsDiff { views, triggers, active_view, grid, settings } = diff;
        let views = self.views_after(views)?;
        let triggers = self.triggers_after(triggers)?;
        if active_view.as_ref().is_some_and(|active| active.before != self.meta.active_view) {
            return Err(mismatch("activeViewId"));
        }
        if grid.is_some_and(|grid| grid.before != self.meta.grid) {
            return Err(mismatch("grid"));
        }
        let now = &self.meta.settings;
        if settings.as_ref().is_some_and(|settings| settings.before.set_in(now) != *now) {
            return Err(mismatch("settings"));
        }
        if let Some(views) = views {
            self.views = views;
        }
        if triggers.is_some() || active_view.is_some() || grid.is_some() || settings.is_some() {
            let meta = Arc::make_mut(&mut self.meta);
            if let Some(triggers) = triggers {
                meta.triggers = triggers;
            }
            if let Some(active) = active_view {
                meta.active_view.clone_from(&active.after);
            }
            if let Some(settings) = settings {
                meta.settings = SettingsUpdate::set_in(&settings.after, &meta.settings);
            }
            if let Some(grid) = grid {
                meta.grid = grid.after;
                self.lay_out(grid.after.columns);
            }
        }
        Ok(())
    }

    /// Returns `None` if the views are unchanged.
    fn views_after(&self, diffs: &[ViewDiff]) -> Result<Option<Vec<StoredView>>, PatchMismatch> {
        if diffs.is_empty() {
            return Ok(None);
        }
        let mut views = self.views.clone();
        for diff in diffs {
            match diff {
                ViewDiff::Added { index, view }
                    if *index <= views.len() && views.iter().all(|other| other.view.id != view.id) =>
                {
                    views.insert(*index, StoredView { view: Arc::clone(view), blob: None });
                }
                ViewDiff::Removed { index, view }
                    if views.get(*index).is_some_and(|there| same(&there.view, view)) =>
                {
                    views.remove(*index);
                }
                ViewDiff::Triggers { id, triggers } => {
                    let is_it = |stored: &&mut StoredView| {
                        stored.view.id == *id && stored.view.trigger_ids == triggers.before
                    };
                    let stored = views.iter_mut().find(is_it).ok_or_else(|| mismatch(id.as_str()))?;
                    let trigger_ids = triggers.after.clone();
                    let view = Arc::new(SavedView { trigger_ids, ..SavedView::clone(&stored.view) });
                    *stored = StoredView { view, blob: None };
                }
                ViewDiff::Added { .. } | ViewDiff::Removed { .. } => {
                    return Err(mismatch(diff.id().as_str()));
                }
            }
        }
        Ok(Some(views))
    }

    /// Returns `None` if the triggers are unchanged.
    fn triggers_after(&self, diffs: &[TriggerDiff]) -> Result<Option<Vec<ProactiveTrigger>>, PatchMismatch> {
        if diffs.is_empty() {
            return Ok(None);
        }
        let mut triggers = self.meta.triggers.clone();
        for diff in diffs {
            let no_match = || mismatch(diff.id().as_str());
            match diff {
                TriggerDiff::View { id, view } => {
                    let is_it =
                        |trigger: &&mut ProactiveTrigger| trigger.id == *id && trigger.view_id == view.before;
                    let trigger = triggers.iter_mut().find(is_it).ok_or_else(no_match)?;
                    trigger.view_id.clone_from(&view.after);
                }
                TriggerDiff::Record(TriggerRecordDiff::Added { index, trigger })
                    if *index <= triggers.len() =>
                {
                    triggers.insert(*index, trigger.clone());
                }
                TriggerDiff::Record(TriggerRecordDiff::Removed { index, trigger })
                    if triggers.get(*index) == Some(trigger) =>
                {
                    triggers.remove(*index);
                }
                TriggerDiff::Record(TriggerRecordDiff::Changed(records))
                    if records.before.id == records.after.id =>
                {
                    let is_it = |trigger: &&mut ProactiveTrigger| **trigger == records.before;
                    let trigger = triggers.iter_mut().find(is_it).ok_or_else(no_match)?;
                    trigger.clone_from(&records.after);
                }
                TriggerDiff::Record(_) => return Err(no_match()),
            }
        }
        Ok(Some(triggers))
    }
}

fn mismatch(place: &str) -> PatchMismatch {
    PatchMismatch { place: place.to_owned() }
}
