//! Saving, loading and deleting views.

use std::collections::HashSet;
use std::sync::Arc;

use super::refusal::{RefusalCause, Refused, nearest};
use super::run::{Done, Execution};
use super::{DeleteView, LoadView, SaveView};
use crate::board::model::grid::{Bounds, GridConfig, Position, Size};
use crate::board::model::id::{ComponentId, ViewId};
use crate::board::model::phrase::{counted, quoted};
use crate::board::model::placement::{PlacementAdjustment, PlacementReason, PlacementResult};
use crate::board::state::diff::Diff;
use crate::board::state::patch::PlacedComponent;
use crate::board::state::saved_view::{SavedView, SnapshotItem};
use crate::board::state::settings::{SettingsDiff, TriggerDiff, ViewDiff};

impl Execution<'_, '_> {
    pub(super) fn save_view(&mut self, save: &SaveView) -> Result<Done, Refused> {
        let SaveView { name, description, trigger_ids } = save;
        let trigger_ids = trigger_ids.clone().unwrap_or_default();
        if let Some((index, unknown)) =
            trigger_ids.iter().enumerate().find(|(_, id)| !self.transaction.board.has_trigger(id))
        {
            return Err(self.no_trigger(unknown, index));
        }
        let (index, limit) = (self.transaction.board.views.len(), self.env.rules.views);
        if index >= limit {
            return Err(RefusalCause::TooManyViews { limit }.refused());
        }
        let id = loop {
            let id = self.env.ids.view();
            if self.transaction.board.view(&id).is_none() {
                break id;
            }
        };
        let item =
            |slot: &PlacedComponent| SnapshotItem { bounds: slot.bounds, body: Arc::clone(&slot.body) };
        let components: Vec<_> = self.transaction.board.records().map(item).collect();
        let explanation = format!("Saved the view {} with {}.", quoted(name), counted(components.len()));
        let view = Arc::new(SavedView {
            id,
            name: name.clone(),
            description: description.clone(),
            grid: *self.transaction.board.grid(),
            components,
            trigger_ids,
            created_at: self.env.now,
        });
        self.transaction
            .change(SettingsDiff { views: vec![ViewDiff::Added { index, view }], ..SettingsDiff::default() });
        Ok(Done::new(explanation, Vec::new()))
    }

    pub(super) fn delete_view(&mut self, delete: &DeleteView) -> Result<Done, Refused> {
        let (index, view) = self.find_view(&delete.view_id)?;
        let id = view.id.clone();
        let pointing =
            self.transaction.board.triggers().iter().filter(|trigger| trigger.view_id.as_ref() == Some(&id));
        let triggers = pointing
            .map(|trigger| TriggerDiff::View {
                id: trigger.id.clone(),
                view: Diff { before: Some(id.clone()), after: None },
            })
            .collect();
        let active = self.transaction.board.active_view().cloned().filter(|active| *active == id);
        let active_view = active.map(|active| Diff { before: Some(active), after: None });
        let explanation = format!("Deleted the view {}.", quoted(&view.name));
        let views = vec![ViewDiff::Removed { index, view }];
        self.transaction.change(SettingsDiff { views, triggers, active_view, ..SettingsDiff::default() });
        Ok(Done::new(explanation, Vec::new()))
    }

    /// Loads a view. Pinned components stay in their places; all others make way for the components of the view, which
    /// keep their ids.
    pub(super) fn load_view(&mut self, load: &LoadView) -> Result<Done, Refused> {
        let (_, view) = self.find_view(&load.view_id)?;
        let saved = view.ids();
        let pinned: HashSet<ComponentId> = self
            .transaction
            .board
            .records()
            .filter(|slot| slot.body.meta.pinned)
            .map(|slot| slot.body.id.clone())
            .collect();
        let gone: Vec<(u32, ComponentId)> = self
            .transaction
            .board
            .numbered()
            .filter(|(_, placed)| !placed.body.meta.pinned)
            .map(|(number, placed)| (number, placed.body.id.clone()))
            .collect();
        // A component that the view holds unchanged may stay, so that loading a view again has no effect.
        let unchanged: HashSet<&ComponentId> = view
            .components
            .iter()
            .filter(|item| {
                let live = self.transaction.board.slot_of(&item.body.id);
                live.is_some_and(|live| live.bounds == item.bounds && live.body == item.body)
            })
            .map(|item| &item.body.id)
            .collect();
        let keep_grid = self.grid_for(&view, &pinned);
        let stay = |id: &ComponentId| unchanged.contains(id) && keep_grid.is_none();
        let mut affected: Vec<ComponentId> = Vec::new();
        for (number, id) in gone.into_iter().filter(|(_, id)| !stay(id)) {
            self.transaction.remove(number);
            if !saved.contains(&id) {
                affected.push(id);
            }
        }
        if let Some(grid) = keep_grid {
            let grid = Some(Diff { before: *self.transaction.board.grid(), after: grid });
            self.transaction.change(SettingsDiff { grid, ..SettingsDiff::default() });
        }
        let mut items: Vec<&SnapshotItem> = view.components.iter().collect();
        items.sort_by_key(|item| {
            let Position { col, row } = item.bounds.position;
            (row, col, item.body.id.clone())
        });
        let (mut adjustments, mut warnings) = (Vec::new(), Vec::new());
        for SnapshotItem { bounds, body } in items {
            let id = &body.id;
            if pinned.contains(id) || self.transaction.board.slot_of(id).is_some() {
                continue;
            }
            let (columns, rows) = (self.transaction.board.grid().columns, self.most_rows());
            let size = Size::new(bounds.size.cols.min(columns), bounds.size.rows.min(rows));
            let wanted = Bounds::new(bounds.position, size);
            let fits =
                self.is_inside(wanted) && self.transaction.board.layout.collisions(wanted, None).is_empty();
            let position = if fits {
                bounds.position
            } else {
                let place = self.auto_place(size, None, None).map_err(RefusalCause::refused)?;
                if place.reason == PlacementReason::BestEffort {
                    warnings.push(format!("There was no room for {id}: it covers parts of others."));
                }
                let reason = "its place in the view is taken".to_owned();
                let (from, to) = (bounds.position, place.position);
                adjustments.push(PlacementAdjustment { component_id: id.clone(), from, to, reason });
                place.position
            };
            if self.env.registry.get(&body.type_id).is_none() {
                let type_id = quoted(body.type_id.as_str());
                warnings.push(format!(
                    "{id} is of the type {type_id}, which is not registered: it is shown as a placeholder."
                ));
            }
            let order = self.transaction.board.next_order();
            self.transaction.add(PlacedComponent {
                order,
                bounds: Bounds::new(position, size),
                body: Arc::clone(body),
            });
            affected.push(id.clone());
        }
        let before = self.transaction.board.active_view().cloned();
        if before.as_ref() != Some(&view.id) {
            let active_view = Some(Diff { before, after: Some(view.id.clone()) });
            self.transaction.change(SettingsDiff { active_view, ..SettingsDiff::default() });
        }
        let mut explanation =
            format!("Loaded the view {} with {}", quoted(&view.name), counted(view.components.len()));
        match pinned.len() {
            0 => explanation.push('.'),
            stayed => explanation.push_str(&format!("; {stayed} pinned stayed.")),
        }
        let mut done = Done::new(explanation, affected);
        if !adjustments.is_empty() {
            let position = Position::new(0, 0);
            let reason = PlacementReason::Shifted;
            done.placement = Some(PlacementResult { position, reason, adjustments: Some(adjustments) });
        }
        done.warnings = warnings;
        Ok(done)
    }

    /// Returns the view's grid, if it differs and every pinned component fits into it.
    fn grid_for(&self, view: &SavedView, pinned: &HashSet<ComponentId>) -> Option<GridConfig> {
        let live = *self.transaction.board.grid();
        let GridConfig { columns, rows, .. } = view.grid;
        let fits = |id: &ComponentId| {
            self.transaction.board.bounds(id).is_none_or(|bounds| bounds.is_within(columns, rows))
        };
        let adopted = GridConfig { columns, rows, ..live };
        (adopted != live && pinned.iter().all(fits)).then_some(adopted)
    }

    pub(super) fn find_view(&self, id: &ViewId) -> Result<(usize, Arc<SavedView>), Refused> {
        if let Some((index, view)) = self.transaction.board.view(id) {
            return Ok((index, Arc::clone(view)));
        }
        let views = self.transaction.board.views();
        // Models mix up ids and names.
        let named = views.clone().filter(|view| view.name == id.as_str()).map(|view| view.id.to_string());
        let mut candidates: Vec<String> = named.collect();
        candidates.extend(nearest(id.as_str(), views.map(|view| view.id.as_str())));
        candidates.truncate(3);
        Err(RefusalCause::ViewNotFound { id: id.clone(), candidates }.refused())
    }
}
