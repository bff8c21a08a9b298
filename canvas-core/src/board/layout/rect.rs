//! Rectangles within a grid.

use crate::board::model::grid::{Bounds, Position};

/// Maximum number of columns of a grid.
pub(crate) const MAX_COLUMNS: u32 = 64;

/// Maximum number of rows of a grid.
pub(crate) const MAX_ROWS: u32 = 1 << 20;

/// A rectangle of at least one cell, all of them within a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rect {
    // Must be the first field, so that rectangles are ordered from top to bottom.
    pub(super) top: u32,
    pub(super) left: u8,
    /// The row below the last one.
    pub(super) bottom: u32,
    /// The column after the last one.
    pub(super) right: u8,
}

impl Rect {
    /// Returns the part of a rectangle within a grid of `columns` columns, or `None` if it has no cell there.
    pub(super) fn clip(bounds: Bounds, columns: u32) -> Option<Self> {
        let right = bounds.right().min(u64::from(columns.min(MAX_COLUMNS)));
        let bottom = bounds.bottom().min(u64::from(MAX_ROWS));
        let (Position { col, row }, right, bottom) =
            (bounds.position, u8::try_from(right).ok()?, u32::try_from(bottom).ok()?);
        let left = u8::try_from(col).ok()?;
        (left < right && row < bottom).then_some(Self { top: row, bottom, left, right })
    }

    pub(super) fn position(self) -> Position {
        Position::new(u32::from(self.left), self.top)
    }

    pub(super) const fn height(self) -> u32 {
        self.bottom - self.top
    }

    /// Returns the same columns, starting at another row.
    pub(super) const fn at_row(self, top: u32) -> Self {
        Self { top, bottom: top + self.height(), ..self }
    }

    /// Returns a mask of the columns, with a bit for each.
    pub(super) fn mask(self) -> u64 {
        mask(u32::from(self.left), u32::from(self.right - self.left))
    }

    pub(super) const fn overlaps(self, other: Self) -> bool {
        self.top < other.bottom
            && other.top < self.bottom
            && self.left < other.right
            && other.left < self.right
    }

    pub(super) const fn contains(self, other: Self) -> bool {
        self.top <= other.top
            && other.bottom <= self.bottom
            && self.left <= other.left
            && other.right <= self.right
    }
}

/// Returns a mask of `cols` bits from bit `col` on, cut at the end of the word.
pub(super) fn mask(col: u32, cols: u32) -> u64 {
    let run = if cols >= MAX_COLUMNS { u64::MAX } else { (1 << cols) - 1 };
    run.checked_shl(col).unwrap_or(0)
}
