//! Search for free cells.

use super::Layout;
use super::cells::{Budget, Window, bits, starts};
use super::rect::MAX_ROWS;
use crate::board::model::grid::{Position, Size};

/// A point in half cells, from which distances are measured.
#[derive(Debug, Clone, Copy)]
pub(super) struct Point {
    pub(super) x: i64,
    pub(super) y: i64,
}

impl Layout {
    /// Returns the free place in the lowest row, and there in the lowest column, within the first `rows` rows or within
    /// all.
    ///
    /// Linear in the rows from the last such place for the same size, or from the place where cells were freed since.
    pub(crate) fn first_fit(&mut self, size: Size, rows: Option<u32>) -> Option<Position> {
        let last = self.last_top(size, rows)?;
        let window = Window { size, columns: self.all_columns() };
        let fit = self.cells.first_fit(window, self.cursors.get(size), last);
        let from = fit.map_or_else(|| self.cursors.get(size).max(last + 1), |fit| fit.row);
        self.cursors.set(size, from);
        fit.map(|fit| Position::new(fit.starts.trailing_zeros(), fit.row))
    }

    /// Returns the free places nearest to a cell, at most `count`. They are ordered by the sum of columns and rows
    /// between the upper left cells, then by row, then by column. Each is free by itself; they may share cells.
    ///
    /// Linear in the rows that it looks at, times the height. It looks at 4 million rows at most, counted with
    /// repetition, and then leaves out farther places. It always finds a place if there are rows below all slots.
    pub(crate) fn nearest_free(
        &self,
        size: Size,
        near: Position,
        rows: Option<u32>,
        count: usize,
    ) -> Vec<Position> {
        let point = Point { x: 2 * i64::from(near.col), y: 2 * i64::from(near.row) };
        self.nearest(size, point, rows, count)
    }

    /// Like [`nearest_free`](Self::nearest_free), but measures half cells between a point and the upper left cells.
    pub(super) fn nearest(&self, size: Size, point: Point, rows: Option<u32>, count: usize) -> Vec<Position> {
        let Some(last) = self.last_top(size, rows) else { return Vec::new() };
        let window = Window { size, columns: self.all_columns() };
        let mut nearest = Nearest { point, count, places: Vec::new() };
        let start = u32::try_from(point.y.div_euclid(2).max(0)).map_or(last, |row| row.min(last));

        let mut budget = Budget::bounded();
        let mut below = self.cells.fit_below(window, start, last, &mut budget);
        let mut above =
            start.checked_sub(1).and_then(|row| self.cells.fit_above(window, row, 0, &mut budget));
        loop {
            let is_above = match (above, below) {
                (None, None) => break,
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (Some(above), Some(below)) => nearest.rows_to(above.row) <= nearest.rows_to(below.row),
            };
            let Some(fit) = (if is_above { above } else { below }) else { break };
            if nearest.is_farther(fit.row) {
                break;
            }
            for col in bits(fit.starts) {
                nearest.offer(Position::new(col, fit.row));
            }
            if is_above {
                let row = fit.row.checked_sub(1);
                above = row.and_then(|row| self.cells.fit_above(window, row, 0, &mut budget));
            } else {
                below = self.cells.fit_below(window, fit.row + 1, last, &mut budget);
            }
        }
        if nearest.places.is_empty() && self.bottom() <= last {
            for col in bits(starts(self.all_columns(), size.cols)) {
                nearest.offer(Position::new(col, self.bottom()));
            }
        }
        nearest.places.into_iter().map(|(_, row, col)| Position::new(col, row)).collect()
    }

    /// Returns the place that covers the fewest cells of others, then in the lowest row, then in the lowest column,
    /// within the first `rows` rows. Returns `None` if there are too few rows for the size.
    ///
    /// Linear in the cells of the rows.
    pub(crate) fn least_overlap(&self, size: Size, rows: u32) -> Option<Position> {
        let last = self.last_top(size, Some(rows))?.min(self.bottom());
        let mask = super::mask(0, size.cols);
        let covered = |row: u32, col: u32| (self.cells.row(row) >> col & mask).count_ones();
        // Number of covered cells below each possible first column, in the rows of the place.
        let mut sums = [0u32; 64];
        let sums = &mut sums[..=(self.columns() - size.cols) as usize];
        let mut best: Option<(u32, Position)> = None;
        for row in 0..last + size.rows {
            for (col, sum) in (0..).zip(&mut *sums) {
                *sum += covered(row, col);
                if let Some(above) = row.checked_sub(size.rows) {
                    *sum -= covered(above, col);
                }
            }
            let Some(top) = (row + 1).checked_sub(size.rows) else { continue };
            for (col, sum) in (0..).zip(&*sums) {
                if best.is_none_or(|(least, _)| *sum < least) {
                    best = Some((*sum, Position::new(col, top)));
                }
            }
            if let Some((0, free)) = best {
                return Some(free);
            }
        }
        best.map(|(_, position)| position)
    }

    /// Returns the last row at which a component of this size may begin, or `None` if the grid is too small for it.
    pub(super) fn last_top(&self, size: Size, rows: Option<u32>) -> Option<u32> {
        let fits = size.cols > 0 && size.rows > 0 && size.cols <= self.columns();
        rows.unwrap_or(MAX_ROWS).min(MAX_ROWS).checked_sub(size.rows).filter(|_| fits)
    }
}

/// The nearest places so far, nearest first.
struct Nearest {
    point: Point,
    count: usize,
    /// Distance, row and column of each place.
    places: Vec<(u64, u32, u32)>,
}

impl Nearest {
    fn rows_to(&self, row: u32) -> u64 {
        (2 * i64::from(row)).abs_diff(self.point.y)
    }

    /// Whether no place of this row can be among the nearest.
    fn is_farther(&self, row: u32) -> bool {
        let full = self.places.len() >= self.count;
        full && self.places.last().is_none_or(|(farthest, ..)| self.rows_to(row) > *farthest)
    }

    fn offer(&mut self, Position { col, row }: Position) {
        let place = (self.rows_to(row) + (2 * i64::from(col)).abs_diff(self.point.x), row, col);
        let at = self.places.partition_point(|other| *other < place);
        if at < self.count {
            self.places.truncate(self.count - 1);
            self.places.insert(at, place);
        }
    }
}
