//! Changes of the settings and triggers of an existing board.

use canvas_lease::safe_integer;

use super::component::is_within;
use super::refusal::{RefusalCause, Refused, nearest};
use super::run::{Done, Execution};
use super::{RemoveTrigger, SetTrigger};
use crate::board::model::grid::GridConfig;
use crate::board::model::id::TriggerId;
use crate::board::model::phrase::quoted;
use crate::board::model::settings::SettingsUpdate;
use crate::board::model::trigger::{ProactiveTrigger, TriggerType};
use crate::board::state::board::check_grid;
use crate::board::state::diff::Diff;
use crate::board::state::settings::{SettingsDiff, TriggerDiff, TriggerRecordDiff, ViewDiff};
use crate::board::trigger::simulated_time::SimulatedTime;

impl Execution<'_, '_> {
    pub(super) fn update_settings(&mut self, update: &SettingsUpdate) -> Result<Done, Refused> {
        if update.grid.is_some_and(|grid| !is_grid(&grid)) {
            return Err(RefusalCause::GridInvalid.refused());
        }
        if update.default_refresh_interval.is_some_and(|interval| interval > safe_integer::MAX) {
            return Err(RefusalCause::IntervalTooLong.refused());
        }
        let now = &self.transaction.board.meta.settings;
        let then = update.set_in(now);
        let settings = Diff {
            before: SettingsUpdate::differing(now, &then),
            after: SettingsUpdate::differing(&then, now),
        };
        let names: Vec<_> = settings.after.names().collect();
        if names.is_empty() {
            return Ok(Done::new("The settings are so already.".to_owned(), Vec::new()));
        }
        let mut done = Done::new(format!("Changed the settings: {}.", names.join(", ")), Vec::new());
        if settings.after.grid.is_some() {
            done.warnings.push("The canvas keeps its grid: the new one is for others.".to_owned());
        }
        self.transaction.change(SettingsDiff { settings: Some(settings), ..SettingsDiff::default() });
        Ok(done)
    }

    /// Replaces the trigger with the same id at its place in the list, or else adds the trigger at the end.
    pub(super) fn set_trigger(&mut self, SetTrigger { trigger }: &SetTrigger) -> Result<Done, Refused> {
        if let Some(view) = &trigger.view_id {
            self.find_view(view)?;
        }
        // A disabled trigger is never due, so that it may keep its fault.
        if trigger.enabled && trigger.kind == TriggerType::TimeBased {
            let time = trigger.simulated_time.as_deref().unwrap_or_default().parse::<SimulatedTime>();
            time.map_err(|error| RefusalCause::TimeUnknown(error).refused())?;
        }
        let limit = self.env.rules.trigger_bytes;
        if !is_within(trigger, limit) {
            return Err(RefusalCause::TriggerTooLarge { limit }.refused());
        }
        let triggers = self.transaction.board.triggers();
        let (record, what) = match triggers.iter().find(|other| other.id == trigger.id) {
            Some(before) if before == trigger => {
                let explanation = format!("The trigger {} is so already.", quoted(&trigger.name));
                return Ok(Done::new(explanation, Vec::new()));
            }
            Some(before) => {
                let records = Diff { before: before.clone(), after: trigger.clone() };
                (TriggerRecordDiff::Changed(Box::new(records)), "Changed")
            }
            None => {
                let (index, limit) = (triggers.len(), self.env.rules.triggers);
                if index >= limit {
                    return Err(RefusalCause::TooManyTriggers { limit }.refused());
                }
                (TriggerRecordDiff::Added { index, trigger: trigger.clone() }, "Added")
            }
        };
        let triggers = vec![TriggerDiff::Record(record)];
        self.transaction.change(SettingsDiff { triggers, ..SettingsDiff::default() });
        Ok(Done::new(format!("{what} the trigger {}.", quoted(&trigger.name)), Vec::new()))
    }

    /// Removes a trigger, and its id from the views that list it. Linear in these views.
    pub(super) fn remove_trigger(&mut self, remove: &RemoveTrigger) -> Result<Done, Refused> {
        let id = &remove.trigger_id;
        let board = &self.transaction.board;
        let found = board.triggers().iter().enumerate().rev().filter(|(_, trigger)| trigger.id == *id);
        // A host's workspace may have an id twice.
        let removed: Vec<_> = found
            .map(|(index, trigger)| TriggerRecordDiff::Removed { index, trigger: trigger.clone() })
            .map(TriggerDiff::Record)
            .collect();
        let Some(name) = board.triggers().iter().find(|trigger| trigger.id == *id).map(|one| &one.name)
        else {
            return Err(self.no_trigger(id, 0));
        };
        let explanation = format!("Removed the trigger {}.", quoted(name));
        let views = board.views().filter(|view| view.trigger_ids.contains(id)).map(|view| {
            let before = view.trigger_ids.clone();
            let after = before.iter().filter(|listed| *listed != id).cloned().collect();
            ViewDiff::Triggers { id: view.id.clone(), triggers: Diff { before, after } }
        });
        let views = views.collect();
        self.transaction.change(SettingsDiff { views, triggers: removed, ..SettingsDiff::default() });
        Ok(Done::new(explanation, Vec::new()))
    }

    /// Returns the refusal for an unknown trigger id with this index in the command.
    pub(super) fn no_trigger(&self, id: &TriggerId, index: usize) -> Refused {
        let triggers = self.transaction.board.triggers().iter();
        let candidates = nearest(id.as_str(), triggers.map(|trigger: &ProactiveTrigger| trigger.id.as_str()));
        RefusalCause::TriggerNotFound { index, id: id.clone(), candidates }.refused()
    }
}

/// Whether a host can draw the grid.
fn is_grid(grid: &GridConfig) -> bool {
    let is_length = |pixels: f64| pixels.is_finite() && pixels >= 0.0;
    check_grid(grid).is_ok() && [grid.gap, grid.cell_width, grid.cell_height].into_iter().all(is_length)
}
