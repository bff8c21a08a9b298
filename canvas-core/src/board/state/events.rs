//! Events that a change causes for subscribers of a board.

use super::board::Board;
use super::body::ComponentBody;
use super::patch::{BoardPatch, ComponentDiff};
use super::settings::{TriggerDiff, TriggerRecordDiff, ViewDiff};
use crate::board::model::event::{CanvasEvent, LayoutChange};

impl Board {
    /// Returns the events of a change just applied, whether by a command, an undo or a redo. They also say which
    /// components need data, because they were added or have another binding. Data are not part of the history.
    pub fn events_of(&self, patch: &BoardPatch) -> Vec<CanvasEvent> {
        let mut events = Vec::with_capacity(patch.components.len());
        for diff in &patch.components {
            match diff {
                ComponentDiff::Added(record) => {
                    let needs_data = record.body.data_binding.is_some();
                    events.push(CanvasEvent::Added { component_id: record.body.id.clone(), needs_data });
                }
                ComponentDiff::Removed(record) => {
                    events.push(CanvasEvent::Removed { component_id: record.body.id.clone() });
                }
                ComponentDiff::Bounds { id, bounds } => {
                    let (before, after) = (bounds.before, bounds.after);
                    let mut reported = |change_type| {
                        events.push(CanvasEvent::LayoutChanged {
                            component_id: id.clone(),
                            change_type,
                            new_bounds: after,
                        });
                    };
                    if before.position != after.position {
                        reported(LayoutChange::Moved);
                    }
                    if before.size != after.size {
                        reported(LayoutChange::Resized);
                    }
                }
                ComponentDiff::Body(bodies) => self.body_events(&bodies.before, &bodies.after, &mut events),
            }
        }
        let Some(settings) = &patch.settings else { return events };
        for diff in &settings.views {
            events.push(match diff {
                ViewDiff::Added { view, .. } => {
                    CanvasEvent::ViewSaved { view_id: view.id.clone(), view_name: view.name.clone() }
                }
                ViewDiff::Removed { view, .. } => CanvasEvent::ViewDeleted { view_id: view.id.clone() },
                ViewDiff::Triggers { id, .. } => CanvasEvent::ViewUpdated { view_id: id.clone() },
            });
        }
        for diff in &settings.triggers {
            let trigger_id = diff.id().clone();
            let goes_with_view =
                || settings.views.iter().filter_map(ViewDiff::moved).any(|view| diff.names(&view.id));
            match diff {
                TriggerDiff::Record(TriggerRecordDiff::Removed { .. }) => {
                    events.push(CanvasEvent::TriggerRemoved { trigger_id });
                }
                TriggerDiff::View { .. } if goes_with_view() => {}
                TriggerDiff::Record(_) | TriggerDiff::View { .. } => {
                    events.push(CanvasEvent::TriggerSet { trigger_id });
                }
            }
        }
        if let Some(updated) = &settings.settings {
            events.push(CanvasEvent::SettingsUpdated { settings: updated.after });
        }
        let active = settings.active_view.as_ref().and_then(|active| active.after.as_ref());
        if let Some((_, view)) = active.and_then(|id| self.view(id)) {
            events.push(CanvasEvent::ViewLoaded { view_id: view.id.clone(), view_name: view.name.clone() });
        }
        events
    }

    fn body_events(&self, before: &ComponentBody, after: &ComponentBody, events: &mut Vec<CanvasEvent>) {
        let component_id = after.id.clone();
        if before.meta.pinned != after.meta.pinned
            && let Some(new_bounds) = self.bounds(&component_id)
        {
            let change_type = if after.meta.pinned { LayoutChange::Pinned } else { LayoutChange::Unpinned };
            events.push(CanvasEvent::LayoutChanged {
                component_id: component_id.clone(),
                change_type,
                new_bounds,
            });
        }
        let rebound = before.data_binding != after.data_binding;
        if rebound || before.config != after.config || before.meta.label != after.meta.label {
            let needs_data = rebound && after.data_binding.is_some();
            events.push(CanvasEvent::Updated { component_id, needs_data });
        }
    }
}
