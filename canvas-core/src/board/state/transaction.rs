//! A command in execution. All changes are recorded, so that they can be undone together.

use std::collections::HashMap;
use std::sync::Arc;

use canvas_lease::Timestamp;

use super::board::{Board, BoardMeta};
use super::body::ComponentBody;
use super::diff::Diff;
use super::patch::{BoardPatch, ComponentDiff, PlacedComponent};
use super::settings::{SettingsDiff, TriggerDiff};
use crate::board::layout::slot_set::SlotSet;
use crate::board::model::grid::Bounds;
use crate::board::model::id::ComponentId;
use crate::board::model::settings::SettingsUpdate;

/// A board during a change. Components are named by their slots, which are not reused before the end.
#[derive(Debug)]
pub(crate) struct Transaction<'b> {
    pub(crate) board: &'b mut Board,
    meta: Arc<BoardMeta>,
    /// Each touched slot with its content before, in the order of the first touch.
    touched: Vec<(u32, Option<PlacedComponent>)>,
    /// The slots in `touched`, once there are many.
    known: SlotSet,
    /// Number of entries of `touched` that are in `known`.
    noted: usize,
    removed: Removed,
    settings: Vec<SettingsDiff>,
}

/// The slots of removed components. A component that comes back gets its old slot, so that the patch has one record for
/// it.
#[derive(Debug, Default)]
struct Removed {
    list: Vec<(ComponentId, u32)>,
    /// The same by id, once a component was added.
    by_id: Option<HashMap<ComponentId, u32>>,
}

/// Up to this length, a list is searched faster than a hash map.
const SHORT: usize = 8;

impl<'b> Transaction<'b> {
    pub(crate) fn new(board: &'b mut Board) -> Self {
        let (known, removed) = (SlotSet::default(), Removed::default());
        let meta = Arc::clone(&board.meta);
        Self { board, meta, touched: Vec::new(), known, noted: 0, removed, settings: Vec::new() }
    }

    /// Adds a component, whose id must be new.
    pub(crate) fn add(&mut self, placed: PlacedComponent) {
        let slot = self.removed.take(&placed.body.id).unwrap_or_else(|| self.board.new_slot());
        self.touch(slot);
        self.board.put(slot, placed);
    }

    pub(crate) fn remove(&mut self, slot: u32) {
        self.touch(slot);
        if let Some(placed) = self.board.take(slot) {
            self.removed.insert(placed.body.id.clone(), slot);
        }
    }

    /// Moves and resizes existing components, each of them once.
    pub(crate) fn set_all_bounds(&mut self, all: &[(u32, Bounds)]) {
        self.touched.reserve(all.len());
        for (slot, _) in all {
            self.touch(*slot);
        }
        self.board.set_all_bounds(all);
    }

    pub(crate) fn set_body(&mut self, slot: u32, body: ComponentBody) {
        self.touch(slot);
        self.board.set_body(slot, Arc::new(body));
    }

    /// Changes views, triggers, settings, the grid or the active view.
    pub(crate) fn change(&mut self, diff: SettingsDiff) {
        self.board.apply_settings(&diff).expect("it was made of what is there");
        self.settings.push(diff);
    }

    /// Restores the board from before the transaction.
    pub(crate) fn undo(self) {
        for grid in self.settings.iter().filter_map(|diff| diff.grid) {
            self.board.widen(grid.before.columns.max(grid.after.columns));
        }
        for (slot, before) in self.touched.into_iter().rev() {
            self.board.take(slot);
            match before {
                Some(placed) => self.board.put(slot, placed),
                None => self.board.free_slot(slot),
            }
        }
        for diff in self.settings.iter().rev() {
            self.board.apply_settings(&diff.inverse()).expect("it was applied just now");
        }
    }

    /// Returns the total change from the first state to the last.
    pub(crate) fn finish(self, updated_at: Timestamp) -> (BoardPatch, &'b Board) {
        let Self { board, meta, touched, settings, .. } = self;
        let mut components = Vec::with_capacity(touched.len());
        // Removals come first, because they make room for additions.
        for (slot, before) in &touched {
            if let Some(before) = before
                && board.slot(*slot).is_none_or(|after| after.order != before.order)
            {
                components.push(ComponentDiff::Removed(before.clone()));
            }
        }
        for (slot, before) in touched {
            let Some(after) = board.slot(slot) else {
                board.free_slot(slot);
                continue;
            };
            match before {
                Some(before) if before.order == after.order => {
                    if !Arc::ptr_eq(&before.body, &after.body) && before.body != after.body {
                        let bodies = Diff { before: before.body, after: Arc::clone(&after.body) };
                        components.push(ComponentDiff::Body(bodies));
                    }
                    if before.bounds != after.bounds {
                        let bounds = Diff { before: before.bounds, after: after.bounds };
                        components.push(ComponentDiff::Bounds { id: after.body.id.clone(), bounds });
                    }
                }
                _ => components.push(ComponentDiff::Added(after.clone())),
            }
        }
        let settings = settings_between(&meta, &board.meta, settings);
        let settings = (!settings.is_empty()).then(|| Box::new(settings));
        let before = board.updated_at;
        let is_empty = components.is_empty() && settings.is_none();
        let after = if is_empty { before } else { updated_at };
        board.updated_at = after;
        (BoardPatch { components, settings, updated_at: Diff { before, after } }, board)
    }

    fn touch(&mut self, slot: u32) {
        let is_new = if self.touched.len() <= SHORT {
            self.touched.iter().all(|(other, _)| *other != slot)
        } else {
            for (slot, _) in &self.touched[self.noted..] {
                self.known.insert(*slot);
            }
            self.noted = self.touched.len();
            let is_new = self.known.insert(slot);
            self.noted += usize::from(is_new);
            is_new
        };
        if is_new {
            self.touched.push((slot, self.board.slot(slot).cloned()));
        }
    }
}

/// Returns the total change of the settings from the first state to the last. The views have all single changes.
pub(super) fn settings_between(
    before: &BoardMeta,
    after: &BoardMeta,
    changes: Vec<SettingsDiff>,
) -> SettingsDiff {
    SettingsDiff {
        views: changes.into_iter().flat_map(|change| change.views).collect(),
        triggers: TriggerDiff::between(&before.triggers, &after.triggers),
        active_view: Diff::of(&before.active_view, &after.active_view),
        grid: Diff::of(&before.grid, &after.grid),
        settings: Diff::of(
            &SettingsUpdate::differing(&before.settings, &after.settings),
            &SettingsUpdate::differing(&after.settings, &before.settings),
        ),
    }
}

impl Removed {
    fn insert(&mut self, id: ComponentId, slot: u32) {
        match &mut self.by_id {
            Some(by_id) => {
                by_id.insert(id, slot);
            }
            None => self.list.push((id, slot)),
        }
    }

    fn take(&mut self, id: &ComponentId) -> Option<u32> {
        if self.list.is_empty() && self.by_id.is_none() {
            return None;
        }
        let list = &mut self.list;
        self.by_id.get_or_insert_with(|| list.drain(..).collect()).remove(id)
    }
}
