//! A command under way: what it changes is noted, so that all of it can be taken back.

use std::collections::HashMap;
use std::sync::Arc;

use canvas_lease::Timestamp;

use super::board::Board;
use super::body::ComponentBody;
use super::patch::{BoardPatch, ComponentDiff, Diff, PlacedComponent, SettingsDiff};
use crate::board::model::grid::Bounds;
use crate::board::model::id::ComponentId;

/// A board that is being changed, and how it was.
#[derive(Debug)]
pub(crate) struct Transaction<'b> {
    pub(crate) board: &'b mut Board,
    /// Every component that was touched as it was before, in the order of the first touch.
    touched: Vec<(ComponentId, Option<PlacedComponent>)>,
    /// Where in `touched` a component is, once there are many.
    places: HashMap<ComponentId, usize>,
    settings: Vec<SettingsDiff>,
}

/// So many are searched through faster than hashed.
const FEW: usize = 8;

impl<'b> Transaction<'b> {
    pub(crate) fn new(board: &'b mut Board) -> Self {
        Self { board, touched: Vec::new(), places: HashMap::new(), settings: Vec::new() }
    }

    pub(crate) fn add(&mut self, record: PlacedComponent) {
        self.touch(&record.body.id);
        self.board.apply_component(&ComponentDiff::Added(record)).expect("its id is new");
    }

    pub(crate) fn remove(&mut self, id: &ComponentId) {
        if let Some(record) = self.record(id) {
            self.touch(id);
            self.board.apply_component(&ComponentDiff::Removed(record)).expect("it was read just now");
        }
    }

    pub(crate) fn set_bounds(&mut self, id: &ComponentId, after: Bounds) {
        if let Some(before) = self.board.bounds(id) {
            self.touch(id);
            let diff = ComponentDiff::Bounds { id: id.clone(), bounds: Diff { before, after } };
            self.board.apply_component(&diff).expect("it was read just now");
        }
    }

    pub(crate) fn set_body(&mut self, after: ComponentBody) {
        if let Some(before) = self.board.slot_of(&after.id).map(|slot| Arc::clone(&slot.body)) {
            self.touch(&before.id);
            let diff = ComponentDiff::Body(Diff { before, after: Arc::new(after) });
            self.board.apply_component(&diff).expect("it was read just now");
        }
    }

    /// Changes views, triggers, grid or the active view.
    pub(crate) fn change(&mut self, diff: SettingsDiff) {
        self.board.apply_settings(&diff).expect("it was made of what is there");
        self.settings.push(diff);
    }

    /// Takes everything back.
    pub(crate) fn undo(self) {
        for grid in self.settings.iter().filter_map(|diff| diff.grid) {
            self.board.widen(grid.before.columns.max(grid.after.columns));
        }
        for (id, before) in self.touched.into_iter().rev() {
            self.board.reset(&id, before);
        }
        for diff in self.settings.iter().rev() {
            self.board.apply_settings(&diff.inverse()).expect("it was applied just now");
        }
    }

    /// What was changed in all, from the first state to the last.
    pub(crate) fn finish(self, updated_at: Timestamp) -> (BoardPatch, &'b Board) {
        let mut components = Vec::with_capacity(self.touched.len());
        // What goes makes room for what comes, so it goes first.
        for (id, before) in &self.touched {
            if let Some(before) = before
                && self.board.slot_of(id).is_none_or(|after| after.order != before.order)
            {
                components.push(ComponentDiff::Removed(before.clone()));
            }
        }
        for (id, before) in self.touched {
            let Some(after) = self.board.slot_of(&id) else { continue };
            match before {
                Some(before) if before.order == after.order => {
                    if !Arc::ptr_eq(&before.body, &after.body) && before.body != after.body {
                        let bodies = Diff { before: before.body, after: Arc::clone(&after.body) };
                        components.push(ComponentDiff::Body(bodies));
                    }
                    if before.bounds != after.bounds {
                        let bounds = Diff { before: before.bounds, after: after.bounds };
                        components.push(ComponentDiff::Bounds { id, bounds });
                    }
                }
                _ => components.push(ComponentDiff::Added(after.clone())),
            }
        }
        let diff = SettingsDiff::merged(self.settings);
        let mut patch = BoardPatch {
            components,
            settings: (!diff.is_empty()).then(|| Box::new(diff)),
            updated_at: Diff { before: self.board.updated_at, after: updated_at },
        };
        if patch.is_empty() {
            patch.updated_at.after = patch.updated_at.before;
        }
        self.board.updated_at = patch.updated_at.after;
        (patch, self.board)
    }

    fn record(&self, id: &ComponentId) -> Option<PlacedComponent> {
        self.board.slot_of(id).cloned()
    }

    fn touch(&mut self, id: &ComponentId) {
        let known = if self.touched.len() <= FEW {
            self.touched.iter().any(|(other, _)| other == id)
        } else {
            if self.places.len() < self.touched.len() {
                self.places = self.touched.iter().enumerate().map(|(at, (id, _))| (id.clone(), at)).collect();
            }
            self.places.contains_key(id)
        };
        if !known {
            if !self.places.is_empty() {
                self.places.insert(id.clone(), self.touched.len());
            }
            self.touched.push((id.clone(), self.record(id)));
        }
    }
}
