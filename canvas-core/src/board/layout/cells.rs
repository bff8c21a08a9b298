//! Covered cells, and the search for free ones.

use super::rect::Rect;
use crate::board::model::grid::Size;

/// A bit set of covered cells, with a word for each row down to the last row that has a covered cell.
#[derive(Debug, Clone, Default)]
pub(super) struct Cells {
    rows: Vec<u64>,
    covered: u64,
}

/// The target of a search, which is a free area of a size within some columns.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    pub(super) size: Size,
    /// Mask of the columns, with a bit for each.
    pub(super) columns: u64,
}

/// A row with the columns, one bit each, at which a free window begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fit {
    pub(super) row: u32,
    pub(super) starts: u64,
}

/// Number of rows that a search may still look at.
#[derive(Debug)]
pub(super) struct Budget(u32);

impl Budget {
    /// Takes a few milliseconds at most.
    pub(super) const fn bounded() -> Self {
        Self(1 << 22)
    }
}

/// Height above which windows are searched column by column, because the cost of a search row by row grows with the
/// height.
const TALL: u32 = 64;

impl Cells {
    /// Returns the row below the last one that has a covered cell.
    pub(super) fn bottom(&self) -> u32 {
        u32::try_from(self.rows.len()).expect("a grid has at most 2^20 rows")
    }

    pub(super) const fn covered(&self) -> u64 {
        self.covered
    }

    /// Returns the covered columns of a row, with a bit for each.
    pub(super) fn row(&self, row: u32) -> u64 {
        self.rows.get(row as usize).copied().unwrap_or(0)
    }

    pub(super) fn is_free(&self, rect: Rect) -> bool {
        let (top, bottom) = (rect.top.min(self.bottom()), rect.bottom.min(self.bottom()));
        let mask = rect.mask();
        self.rows[top as usize..bottom as usize].iter().all(|row| row & mask == 0)
    }

    pub(super) fn cover(&mut self, rect: Rect) {
        if self.bottom() < rect.bottom {
            self.rows.resize(rect.bottom as usize, 0);
        }
        let mask = rect.mask();
        for row in &mut self.rows[rect.top as usize..rect.bottom as usize] {
            self.covered += u64::from((mask & !*row).count_ones());
            *row |= mask;
        }
    }

    /// Frees a covered rectangle, except for the cells that others cover.
    pub(super) fn uncover(&mut self, rect: Rect, others: &[Rect]) {
        if others.iter().any(|other| other.contains(rect)) {
            return;
        }
        let mask = rect.mask();
        let mut keep = vec![0; if others.is_empty() { 0 } else { rect.height() as usize }];
        for other in others {
            let (top, bottom) = (other.top.max(rect.top), other.bottom.min(rect.bottom));
            for row in &mut keep[(top - rect.top) as usize..(bottom - rect.top) as usize] {
                *row |= other.mask();
            }
        }
        let keep = keep.into_iter().chain(std::iter::repeat(0));
        for (row, keep) in self.rows[rect.top as usize..rect.bottom as usize].iter_mut().zip(keep) {
            let freed = mask & !keep;
            self.covered -= u64::from(freed.count_ones());
            *row &= !freed;
        }
        while self.rows.last() == Some(&0) {
            self.rows.pop();
        }
    }

    /// Returns the first row of `from..=last` at which the window is free in some column. Linear in the rows.
    pub(super) fn first_fit(&self, window: Window, from: u32, last: u32) -> Option<Fit> {
        if window.size.rows > TALL {
            return self.first_tall_fit(window, from, last);
        }
        self.fit_below(window, from, last, &mut Budget(u32::MAX))
    }

    /// Returns the first row of `from..=last`, going down, at which the window is free in some column.
    ///
    /// Linear in the rows, times the height of the window in the worst case.
    pub(super) fn fit_below(&self, window: Window, from: u32, last: u32, budget: &mut Budget) -> Option<Fit> {
        let mut top = from;
        while top <= last {
            let rows = top..(top + window.size.rows).min(self.bottom());
            match self.fit_at(window, top, rows.rev(), budget) {
                Ok(fit) => return fit,
                // A window that holds all of the rows from here on down cannot be free.
                Err(row) => top = row + 1,
            }
        }
        None
    }

    /// Returns the first row of `first..=from`, going up, at which the window is free in some column. It costs as much
    /// as [`fit_below`](Self::fit_below).
    pub(super) fn fit_above(
        &self,
        window: Window,
        from: u32,
        first: u32,
        budget: &mut Budget,
    ) -> Option<Fit> {
        let mut top = from;
        while top >= first {
            let rows = top..(top + window.size.rows).min(self.bottom());
            match self.fit_at(window, top, rows, budget) {
                Ok(fit) => return fit,
                Err(row) => top = row.checked_sub(window.size.rows)?,
            }
        }
        None
    }

    /// Returns the columns at which the window may begin in row `top`, given its covered rows, or `None` once the
    /// budget is spent.
    ///
    /// # Errors
    ///
    /// Returns the first of the rows, in their order, that together with those before it leaves no room.
    fn fit_at(
        &self,
        window: Window,
        top: u32,
        mut rows: impl Iterator<Item = u32>,
        budget: &mut Budget,
    ) -> Result<Option<Fit>, u32> {
        let mut free = window.columns;
        let blocked = rows.find(|row| {
            budget.0 = budget.0.saturating_sub(1);
            free &= !self.row(*row);
            starts(free, window.size.cols) == 0
        });
        let starts = starts(free, window.size.cols);
        match blocked {
            Some(row) if budget.0 > 0 => Err(row),
            _ => Ok((starts != 0 && budget.0 > 0).then_some(Fit { row: top, starts })),
        }
    }

    /// Counts, for each column, for how many rows its windows have been free.
    fn first_tall_fit(&self, window: Window, from: u32, last: u32) -> Option<Fit> {
        let Size { cols, rows } = window.size;
        let all = starts(window.columns, cols);
        // For each column, the row since which its windows are free.
        let mut free_from = [from; 64];
        for row in from..self.bottom() {
            let fits = bits(all).filter(|col| row - free_from[*col as usize] >= rows);
            let fits = fits.fold(0, |fits, col| fits | 1 << col);
            if fits != 0 {
                let row = row - rows;
                return (row <= last).then_some(Fit { row, starts: fits });
            }
            for col in bits(all & !starts(window.columns & !self.row(row), cols)) {
                free_from[col as usize] = row + 1;
            }
        }
        let row = bits(all).map(|col| free_from[col as usize]).min()?;
        let fits = bits(all).filter(|col| free_from[*col as usize] == row);
        (row <= last).then(|| Fit { row, starts: fits.fold(0, |fits, col| fits | 1 << col) })
    }
}

/// Returns the columns at which that number of free columns begins.
pub(super) fn starts(mut free: u64, cols: u32) -> u64 {
    let mut have = 1;
    while have < cols && free != 0 {
        let step = have.min(cols - have);
        free &= free >> step;
        have += step;
    }
    free
}

/// Returns the numbers of the set bits, lowest first.
pub(super) fn bits(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros())?;
        word &= word - 1;
        Some(bit)
    })
}
