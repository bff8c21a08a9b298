//! Start rows for searches.

use crate::board::model::grid::Size;

/// For each size searched before, the row above which it does not fit.
#[derive(Debug, Clone, Default)]
pub(super) struct Cursors(Vec<(Size, u32)>);

impl Cursors {
    /// Past this number of sizes all entries are dropped. This costs time but does not change results.
    const MOST: usize = 128;

    pub(super) fn get(&self, size: Size) -> u32 {
        self.0.iter().find(|(of, _)| *of == size).map_or(0, |(_, row)| *row)
    }

    pub(super) fn set(&mut self, size: Size, row: u32) {
        if let Some(cursor) = self.0.iter_mut().find(|(of, _)| *of == size) {
            cursor.1 = row;
            return;
        }
        if self.0.len() == Self::MOST {
            self.0.clear();
        }
        self.0.push((size, row));
    }

    /// Lowers the cursors after cells from this row on down were freed.
    pub(super) fn lower(&mut self, freed: u32) {
        for (size, row) in &mut self.0 {
            // The highest window that holds a freed cell.
            *row = (*row).min((freed + 1).saturating_sub(size.rows));
        }
    }
}
