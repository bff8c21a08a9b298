//! Changes of views, triggers and the grid, applied to a board.

use std::sync::Arc;

use super::apply::{PatchMismatch, same};
use super::board::{Board, StoredView};
use super::settings::{SettingsDiff, TriggerDiff, ViewDiff};
use crate::board::model::trigger::ProactiveTrigger;

impl Board {
    /// All of it, or nothing.
    pub(crate) fn apply_settings(&mut self, settings: &SettingsDiff) -> Result<(), PatchMismatch> {
        let mismatch = |place: &str| PatchMismatch { place: place.to_owned() };
        let mut views = self.views.clone();
        for diff in &settings.views {
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
                ViewDiff::Added { view, .. } | ViewDiff::Removed { view, .. } => {
                    return Err(mismatch(view.id.as_str()));
                }
            }
        }
        let mut triggers = Vec::new();
        for TriggerDiff { id, view } in &settings.triggers {
            let is_it = |trigger: &ProactiveTrigger| trigger.id == *id && trigger.view_id == view.before;
            let index = self.meta.triggers.iter().position(is_it);
            triggers.push((index.ok_or_else(|| mismatch(id.as_str()))?, view.after.clone()));
        }
        if settings.active_view.as_ref().is_some_and(|active| active.before != self.meta.active_view) {
            return Err(mismatch("activeViewId"));
        }
        if settings.grid.is_some_and(|grid| grid.before != self.meta.grid) {
            return Err(mismatch("grid"));
        }
        self.views = views;
        if !triggers.is_empty() || settings.active_view.is_some() || settings.grid.is_some() {
            let meta = Arc::make_mut(&mut self.meta);
            for (index, view) in triggers {
                meta.triggers[index].view_id = view;
            }
            if let Some(active) = &settings.active_view {
                meta.active_view.clone_from(&active.after);
            }
            if let Some(grid) = settings.grid {
                meta.grid = grid.after;
                self.lay_out(grid.after.columns);
            }
        }
        Ok(())
    }
}
