//! Saving, loading and deleting views.

use std::collections::HashSet;
use std::sync::Arc;

use super::refusal::{Refused, counted, nearest, quoted, refused};
use super::run::{Done, Run};
use super::{DeleteView, LoadView, SaveView};
use crate::board::model::grid::{Bounds, GridConfig, Position, Size};
use crate::board::model::id::{ComponentId, ViewId};
use crate::board::model::placement::{PlacementAdjustment, PlacementReason, PlacementResult};
use crate::board::state::patch::{Diff, Record, Rest, TriggerDiff, ViewDiff};
use crate::board::state::saved_view::{SavedView, Standing};
use crate::board::wire::result::{CommandError, CommandErrorCode};

impl Run<'_, '_> {
    pub(super) fn save_view(&mut self, save: &SaveView) -> Result<Done, Refused> {
        let SaveView { name, description, trigger_ids } = save;
        let trigger_ids = trigger_ids.clone().unwrap_or_default();
        if let Some((at, unknown)) =
            trigger_ids.iter().enumerate().find(|(_, id)| !self.work.board.has_trigger(id))
        {
            let message =
                format!("there is no trigger {}: name one of the workspace", quoted(unknown.as_str()));
            let error = CommandError::new(CommandErrorCode::TriggerNotFound, message);
            let triggers = self.work.board.triggers().iter().map(|trigger| trigger.id.as_str());
            let candidates = nearest(unknown.as_str(), triggers);
            let place = Some(format!("/payload/triggerIds/{at}"));
            return Err(Box::new(CommandError { place, candidates, ..error }));
        }
        let (index, most) = (self.work.board.views.len(), self.env.rules.views);
        if index >= most {
            let message = format!("the board has {most} views, as many as it may: delete one first");
            return Err(refused(CommandErrorCode::BoardTooLarge, message));
        }
        let id = loop {
            let id = self.env.ids.view();
            if self.work.board.view(&id).is_none() {
                break id;
            }
        };
        let standing = |slot: &Record| Standing { bounds: slot.bounds, body: Arc::clone(&slot.body) };
        let components: Vec<_> = self.work.board.records().map(standing).collect();
        let explanation = format!("Saved the view {} with {}.", quoted(name), counted(components.len()));
        let view = Arc::new(SavedView {
            id,
            name: name.clone(),
            description: description.clone(),
            grid: *self.work.board.grid(),
            components,
            trigger_ids,
            created_at: self.env.now,
        });
        self.work.change(Rest { views: vec![ViewDiff::Added { index, view }], ..Rest::default() });
        Ok(Done::new(explanation, Vec::new()))
    }

    pub(super) fn delete_view(&mut self, delete: &DeleteView) -> Result<Done, Refused> {
        let (index, view) = self.find_view(&delete.view_id)?;
        let id = view.id.clone();
        let pointing =
            self.work.board.triggers().iter().filter(|trigger| trigger.view_id.as_ref() == Some(&id));
        let triggers = pointing
            .map(|trigger| TriggerDiff {
                id: trigger.id.clone(),
                view: Diff { before: Some(id.clone()), after: None },
            })
            .collect();
        let active = self.work.board.active_view().cloned().filter(|active| *active == id);
        let active_view = active.map(|active| Diff { before: Some(active), after: None });
        let explanation = format!("Deleted the view {}.", quoted(&view.name));
        let views = vec![ViewDiff::Removed { index, view }];
        self.work.change(Rest { views, triggers, active_view, grid: None });
        Ok(Done::new(explanation, Vec::new()))
    }

    /// Pinned components stay where they are; all others make way for those of the view, which keep their ids.
    pub(super) fn load_view(&mut self, load: &LoadView) -> Result<Done, Refused> {
        let (_, view) = self.find_view(&load.view_id)?;
        let saved = view.ids();
        let pinned: HashSet<ComponentId> = self
            .work
            .board
            .records()
            .filter(|slot| slot.body.meta.pinned)
            .map(|slot| slot.body.id.clone())
            .collect();
        let gone: Vec<ComponentId> = self
            .work
            .board
            .records()
            .map(|slot| &slot.body.id)
            .filter(|id| !pinned.contains(*id))
            .cloned()
            .collect();
        // What the view holds exactly as it stands may stay, so that loading a view again changes nothing.
        let unchanged: HashSet<&ComponentId> = view
            .components
            .iter()
            .filter(|standing| {
                let live = self.work.board.slot_of(&standing.body.id);
                live.is_some_and(|live| live.bounds == standing.bounds && live.body == standing.body)
            })
            .map(|standing| &standing.body.id)
            .collect();
        let keep_grid = self.grid_for(&view, &pinned);
        let stay = |id: &ComponentId| unchanged.contains(id) && keep_grid.is_none();
        let mut affected: Vec<ComponentId> = Vec::new();
        for id in gone.iter().filter(|id| !stay(id)) {
            self.work.remove(id);
            if !saved.contains(id) {
                affected.push(id.clone());
            }
        }
        if let Some(grid) = keep_grid {
            let grid = Some(Diff { before: *self.work.board.grid(), after: grid });
            self.work.change(Rest { grid, ..Rest::default() });
        }
        let mut standing: Vec<&Standing> = view.components.iter().collect();
        standing.sort_by_key(|standing| {
            let Position { col, row } = standing.bounds.position;
            (row, col, standing.body.id.clone())
        });
        let (mut adjustments, mut warnings) = (Vec::new(), Vec::new());
        for Standing { bounds, body } in standing {
            let id = &body.id;
            if pinned.contains(id) || self.work.board.slot_of(id).is_some() {
                continue;
            }
            let (columns, rows) = (self.work.board.grid().columns, self.most_rows());
            let size = Size::new(bounds.size.cols.min(columns), bounds.size.rows.min(rows));
            let wanted = Bounds::new(bounds.position, size);
            let fits = wanted.right() <= u64::from(columns)
                && wanted.bottom() <= u64::from(rows)
                && self.work.board.layout.collisions(wanted, None).is_empty();
            let position = if fits {
                bounds.position
            } else {
                let place = self.auto_place(size, None)?;
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
            let order = self.work.board.next_order();
            self.work.add(Record { order, bounds: Bounds::new(position, size), body: Arc::clone(body) });
            affected.push(id.clone());
        }
        let before = self.work.board.active_view().cloned();
        if before.as_ref() != Some(&view.id) {
            let active_view = Some(Diff { before, after: Some(view.id.clone()) });
            self.work.change(Rest { active_view, ..Rest::default() });
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

    /// The view's grid, where it is another one and every pinned component fits into it.
    fn grid_for(&self, view: &SavedView, pinned: &HashSet<ComponentId>) -> Option<GridConfig> {
        let live = *self.work.board.grid();
        let GridConfig { columns, rows, .. } = view.grid;
        let fits = |id: &ComponentId| {
            let bounds = self.work.board.bounds(id);
            bounds.is_none_or(|bounds| {
                bounds.right() <= u64::from(columns) && bounds.bottom() <= u64::from(rows)
            })
        };
        let adopted = GridConfig { columns, rows, ..live };
        (adopted != live && pinned.iter().all(fits)).then_some(adopted)
    }

    fn find_view(&self, id: &ViewId) -> Result<(usize, Arc<SavedView>), Refused> {
        if let Some((index, view)) = self.work.board.view(id) {
            return Ok((index, Arc::clone(view)));
        }
        let views = self.work.board.views();
        // Models mix up ids and names.
        let named = views.clone().filter(|view| view.name == id.as_str()).map(|view| view.id.to_string());
        let mut candidates: Vec<String> = named.collect();
        candidates.extend(nearest(id.as_str(), views.map(|view| view.id.as_str())));
        candidates.truncate(3);
        let message = format!("there is no view {}: take an id from the saved views", quoted(id.as_str()));
        let error = CommandError::new(CommandErrorCode::ViewNotFound, message);
        Err(Box::new(CommandError { place: Some("/payload/viewId".into()), candidates, ..error }))
    }
}
