//! Which components cover which cells, and where there is room.
//!
//! A [`Layout`] knows slots, the numbers that a board gives to its components, and nothing else of them. Cells may be
//! covered by several slots: loaded views and best effort allow it. What lies outside of the grid covers nothing. No
//! answer depends on the order in which slots came.

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

/// Which slots cover which cells of a grid.
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
    /// An empty grid of `columns` columns. Those past [`MAX_COLUMNS`] hold nothing.
    pub(crate) fn new(columns: u32) -> Self {
        let columns = columns.min(MAX_COLUMNS);
        Self { columns, cells: Cells::default(), index: Index::default(), cursors: Cursors::default() }
    }

    /// The columns.
    pub(crate) const fn columns(&self) -> u32 {
        self.columns
    }

    /// Covers cells. Time linear in the rows of `bounds`.
    pub(crate) fn insert(&mut self, slot: u32, bounds: Bounds) {
        let Some(rect) = Rect::clip(bounds, self.columns) else { return };
        self.cells.cover(rect);
        self.index.insert(Entry { rect, slot });
    }

    /// Uncovers the cells that `slot` was inserted with, but for those that others cover as well.
    ///
    /// Time linear in the rows of `bounds`, times the others that share cells with it.
    ///
    /// # Panics
    ///
    /// Where the slot does not stand there: the board has lost count.
    pub(crate) fn remove(&mut self, slot: u32, bounds: Bounds) {
        let Some(rect) = Rect::clip(bounds, self.columns) else { return };
        assert!(self.index.remove(Entry { rect, slot }), "slot {slot} lies at {bounds:?}");
        let mut others = Vec::new();
        self.index.for_each(rect, |other| others.push(other.rect));
        self.cells.uncover(rect, &others);
        self.cursors.lower(rect.top);
    }

    /// Whether all of it lies in the grid and nothing covers it. Time linear in its rows.
    pub(crate) fn is_free(&self, bounds: Bounds) -> bool {
        bounds.is_within(self.columns, MAX_ROWS)
            && Rect::clip(bounds, self.columns).is_some_and(|rect| self.cells.is_free(rect))
    }

    /// The slots that share a cell with `bounds`, each once: by row, then column, of their upper left cells, then number.
    ///
    /// Time for what lies within 8 rows or so of `bounds`, however many slots there are.
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

    /// How many cells are covered, each counted once. Constant time.
    pub(crate) const fn covered_cells(&self) -> u64 {
        self.cells.covered()
    }

    /// The row below the lowest covered one. Constant time.
    pub(crate) fn bottom(&self) -> u32 {
        self.cells.bottom()
    }

    /// All columns, a bit each.
    fn all_columns(&self) -> u64 {
        mask(0, self.columns)
    }
}
