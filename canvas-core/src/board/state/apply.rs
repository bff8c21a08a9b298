//! Application of patches to a board.

use std::borrow::Cow;
use std::sync::Arc;

use super::board::{Board, fits_grid, id_at};
use super::body::ComponentBody;
use super::diff::Diff;
use super::patch::{BoardPatch, ComponentDiff, PlacedComponent};
use crate::board::layout::Layout;
use crate::board::model::grid::Bounds;
use crate::model::error::CodedError;

/// Error returned if a patch was made for another board. The board is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place} differs from the board that the change was made for: apply the change to that board")]
pub struct PatchMismatch {
    /// Id of the component, view or trigger, or the name of a setting.
    pub place: String,
}

impl CodedError for PatchMismatch {
    fn code(&self) -> &'static str {
        "HISTORY_CONFLICT"
    }

    fn place(&self) -> Option<Cow<'_, str>> {
        Some((&*self.place).into())
    }
}

impl Board {
    /// Applies a change made on exactly this state of the board, or the inverse of the last change.
    ///
    /// # Errors
    ///
    /// Returns [`PatchMismatch`] if a record differs from the patch's record before. The board is unchanged then.
    pub fn apply(&mut self, patch: &BoardPatch) -> Result<(), PatchMismatch> {
        if let Some(grid) = patch.settings.as_ref().and_then(|settings| settings.grid) {
            self.widen(grid.before.columns.max(grid.after.columns));
        }
        for (done, diff) in patch.components.iter().enumerate() {
            if let Err(mismatch) = self.apply_component(diff) {
                self.unwind(&patch.components[..done]);
                return Err(mismatch);
            }
        }
        if let Some(settings) = &patch.settings
            && let Err(mismatch) = self.apply_settings(settings)
        {
            self.unwind(&patch.components);
            return Err(mismatch);
        }
        self.updated_at = patch.updated_at.after;
        Ok(())
    }

    /// Reverts changes just applied.
    pub(crate) fn unwind(&mut self, done: &[ComponentDiff]) {
        for diff in done.iter().rev() {
            self.apply_component(&diff.inverse()).expect("it was applied just now");
        }
    }

    pub(crate) fn apply_component(&mut self, diff: &ComponentDiff) -> Result<(), PatchMismatch> {
        let mismatch = || PatchMismatch { place: diff.id().to_string() };
        match diff {
            ComponentDiff::Bounds { id, bounds: Diff { before, after } } => {
                let number = self.number_of(id).ok_or_else(mismatch)?;
                if self.slot(number).is_none_or(|slot| slot.bounds != *before)
                    || !fits_grid(*after, Self::COLUMNS)
                {
                    return Err(mismatch());
                }
                self.set_bounds(number, *after);
            }
            ComponentDiff::Body(Diff { before, after }) => {
                let number = self.number_of(&before.id).ok_or_else(mismatch)?;
                let is_it = self.slot(number).is_some_and(|slot| same(&slot.body, before));
                if before.id != after.id || !is_it {
                    return Err(mismatch());
                }
                self.set_body(number, Arc::clone(after));
            }
            ComponentDiff::Added(record) => {
                if self.number_of(&record.body.id).is_some() || !fits_grid(record.bounds, Self::COLUMNS) {
                    return Err(mismatch());
                }
                let number = self.new_slot();
                self.put(number, record.clone());
            }
            ComponentDiff::Removed(record) => {
                let number = self.number_of(&record.body.id).ok_or_else(mismatch)?;
                let is_it = self.slot(number).is_some_and(|slot| {
                    (slot.order, slot.bounds) == (record.order, record.bounds)
                        && same(&slot.body, &record.body)
                });
                if !is_it {
                    return Err(mismatch());
                }
                self.take(number);
                self.free_slot(number);
            }
        }
        Ok(())
    }

    /// Widens the layout. Until the grid is set, components may be as far to the right as in the wider of the two
    /// grids.
    pub(crate) fn widen(&mut self, columns: u32) {
        if columns > self.layout.columns() {
            self.lay_out(columns);
        }
    }

    /// Linear in the components if the number of columns changes.
    pub(super) fn lay_out(&mut self, columns: u32) {
        let placed =
            || self.slots.iter().zip(0..).filter_map(|(slot, number)| Some((number, slot.as_ref()?.bounds)));
        let right = placed().map(|(_, bounds)| right(bounds)).max();
        let columns = columns.max(right.unwrap_or(0));
        if columns != self.layout.columns() {
            self.layout = self.laid_out(columns);
        }
    }

    /// Builds the layout of all components again.
    fn laid_out(&self, columns: u32) -> Layout {
        let mut layout = Layout::new(columns);
        for (slot, number) in self.slots.iter().zip(0..) {
            if let Some(placed) = slot {
                layout.insert(number, placed.bounds);
            }
        }
        layout
    }

    pub(super) fn set_bounds(&mut self, number: u32, after: Bounds) {
        let Some(before) = self.slot(number).map(|placed| placed.bounds) else { return };
        self.widen(right(after));
        self.layout.remove(number, before);
        self.layout.insert(number, after);
        if let Some(placed) = self.open(number) {
            placed.bounds = after;
        }
    }

    /// Moves and resizes several components, each of them once. Each costs as much as a single one, unless they are a
    /// large part of the board, which is then laid out again.
    pub(super) fn set_all_bounds(&mut self, all: &[(u32, Bounds)]) {
        if all.len() < Self::MANY_BOUNDS || all.len() < self.len() / 4 {
            for (number, after) in all {
                self.set_bounds(*number, *after);
            }
            return;
        }
        for (number, after) in all {
            if let Some(placed) = self.open(*number) {
                placed.bounds = *after;
            }
        }
        let columns = all.iter().map(|(_, after)| right(*after)).max().unwrap_or(0);
        self.layout = self.laid_out(columns.max(self.layout.columns()));
    }

    /// From this number on, a new layout takes at most a quarter of the time of removing and inserting.
    const MANY_BOUNDS: usize = 64;

    /// Replaces the body, which must have the same id as the one before.
    pub(super) fn set_body(&mut self, number: u32, body: Arc<ComponentBody>) {
        if let Some(placed) = self.open(number) {
            placed.body = body;
        }
    }

    /// Returns a component for a change that keeps its order and id.
    fn open(&mut self, number: u32) -> Option<&mut PlacedComponent> {
        let record = self.slots.get(number as usize)?.as_ref()?;
        self.pages.touch(record.order, &record.body.id, |slot| id_at(&self.slots, slot));
        self.slots.get_mut(number as usize)?.as_mut()
    }

    /// Returns an unused slot.
    pub(super) fn new_slot(&mut self) -> u32 {
        self.spare.pop().unwrap_or_else(|| {
            self.slots.push(None);
            u32::try_from(self.slots.len() - 1).expect("there are few")
        })
    }

    /// Releases an empty slot for other components.
    pub(super) fn free_slot(&mut self, number: u32) {
        self.spare.push(number);
    }

    /// Puts a component into an empty slot.
    pub(super) fn put(&mut self, number: u32, placed: PlacedComponent) {
        self.widen(right(placed.bounds));
        let id_of = |slot| id_at(&self.slots, slot);
        self.pages.insert(placed.order, &placed.body.id, number, id_of);
        self.ids.insert(&placed.body.id, number);
        self.layout.insert(number, placed.bounds);
        if let Some(slot) = self.slots.get_mut(number as usize) {
            *slot = Some(placed);
        }
    }

    /// Removes a component from its slot, which stays reserved.
    pub(super) fn take(&mut self, number: u32) -> Option<PlacedComponent> {
        let placed = self.slots.get(number as usize).and_then(Option::as_ref)?;
        let id_of = |slot| id_at(&self.slots, slot);
        self.pages.remove(placed.order, &placed.body.id, id_of);
        self.ids.remove(&placed.body.id, id_of);
        self.layout.remove(number, placed.bounds);
        self.slots.get_mut(number as usize)?.take()
    }
}

/// Returns the column after the last one that a board uses.
fn right(bounds: Bounds) -> u32 {
    u32::try_from(bounds.right()).unwrap_or(Board::COLUMNS)
}

/// Compares the pointers first, because they are mostly the same.
pub(super) fn same<T: PartialEq>(one: &Arc<T>, two: &Arc<T>) -> bool {
    Arc::ptr_eq(one, two) || one == two
}
