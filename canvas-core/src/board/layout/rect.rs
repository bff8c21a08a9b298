//! Rectangles that lie in a grid.

use crate::board::model::grid::{Bounds, Position};

/// Columns that a grid may have.
pub(crate) const MAX_COLUMNS: u32 = 64;

/// Rows that a grid may have.
pub(crate) const MAX_ROWS: u32 = 1 << 20;

/// A rectangle of at least one cell, all of them in a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rect {
    // First of all, so that rectangles are ordered as one reads them.
    pub(super) top: u32,
    pub(super) left: u8,
    /// The row below the last one.
    pub(super) bottom: u32,
    /// The column after the last one.
    pub(super) right: u8,
}

impl Rect {
    /// The part of a rectangle that lies in a grid of `columns` columns; `None` where no cell does.
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

    /// The same columns, from another row on.
    pub(super) const fn at_row(self, top: u32) -> Self {
        Self { top, bottom: top + self.height(), ..self }
    }

    /// The columns, a bit each.
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

/// `cols` bits from bit `col` on, as far as a word goes.
pub(super) fn mask(col: u32, cols: u32) -> u64 {
    let run = if cols >= MAX_COLUMNS { u64::MAX } else { (1 << cols) - 1 };
    run.checked_shl(col).unwrap_or(0)
}
