//! Occupancy of the grid, and the search for free cells.
//!
//! A [`Layout`] knows only slots, the numbers that a board gives to its components. Several slots may cover a cell,
//! because loaded views and best effort allow it. Cells outside of the grid are never covered. Results do not depend on
//! the order in which slots were inserted.

mod cells;
pub(crate) mod cow_list;
mod cursors;
mod index;
mod place;
mod rect;
mod search;
mod shift;
pub(crate) mod slot_set;
#[cfg(test)]
mod tests;

use self::cells::Cells;
use self::cursors::Cursors;
use self::index::{Entry, Index};
pub use self::place::NoRoom;
pub(crate) use self::place::{PlacementRequest, place};
use self::rect::{MAX_COLUMNS, MAX_ROWS, Rect, mask};
pub(crate) use self::shift::Blocked;
use crate::board::model::grid::Bounds;

/// The slots that cover each cell of a grid.
///
/// It needs 8 bytes for each row down to the lowest covered one, and 16 or 32 for each slot.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    columns: u32,
    cells: Cells,
    index: Index,
    cursors: Cursors,
}

impl Layout {
    /// Creates an empty grid of `columns` columns. Columns past [`MAX_COLUMNS`] stay empty.
    pub(crate) fn new(columns: u32) -> Self {
        let columns = columns.min(MAX_COLUMNS);
        Self { columns, cells: Cells::default(), index: Index::default(), cursors: Cursors::default() }
    }

    pub(crate) const fn columns(&self) -> u32 {
        self.columns
    }

    /// Covers cells. Linear in the rows of `bounds`.
    pub(crate) fn insert(&mut self, slot: u32, bounds: Bounds) {
        let Some(rect) = Rect::clip(bounds, self.columns) else { return };
        self.cells.cover(rect);
        self.index.insert(Entry { rect, slot });
    }

    /// Uncovers the cells that `slot` was inserted with, except those that others cover, too.
    ///
    /// Linear in the rows of `bounds`, times the others that share cells with it.
    ///
    /// # Panics
    ///
    /// Panics if the slot is not at these bounds, because the board has then lost count.
    pub(crate) fn remove(&mut self, slot: u32, bounds: Bounds) {
        let Some(rect) = Rect::clip(bounds, self.columns) else { return };
        assert!(self.index.remove(Entry { rect, slot }), "slot {slot} lies at {bounds:?}");
        let mut others = Vec::new();
        self.index.for_each(rect, |other| others.push(other.rect));
        self.cells.uncover(rect, &others);
        self.cursors.lower(rect.top);
    }

    /// Whether all cells are within the grid and uncovered. Linear in the rows of `bounds`.
    pub(crate) fn is_free(&self, bounds: Bounds) -> bool {
        bounds.is_within(self.columns, MAX_ROWS)
            && Rect::clip(bounds, self.columns).is_some_and(|rect| self.cells.is_free(rect))
    }

    /// Returns the slots that share a cell with `bounds`, each once. They are ordered by row, then column, of their
    /// upper left cells, then number.
    ///
    /// The time depends on the slots within about 8 rows of `bounds`, and not on the number of all slots.
    pub(crate) fn collisions(&self, bounds: Bounds, except: Option<u32>) -> Vec<u32> {
        let Some(rect) = Rect::clip(bounds, self.columns) else { return Vec::new() };
        let mut found = Vec::new();
        self.index.for_each(rect, |entry| {
            if Some(entry.slot) != except {
                found.push(entry);
            }
        });
        found.sort_unstable_by_key(|Entry { rect, slot }| (rect.top, rect.left, *slot));
        found.into_iter().map(|entry| entry.slot).collect()
    }

    /// Returns the number of covered cells, each counted once. Constant time.
    pub(crate) const fn covered_cells(&self) -> u64 {
        self.cells.covered()
    }

    /// Returns the row below the lowest covered one. Constant time.
    pub(crate) fn bottom(&self) -> u32 {
        self.cells.bottom()
    }

    /// Returns a mask of all columns, with a bit for each.
    fn all_columns(&self) -> u64 {
        mask(0, self.columns)
    }
}
