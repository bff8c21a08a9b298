//! A reference layout that looks at every cell and every rectangle.

use std::cmp::Reverse;

use crate::board::layout::PlacementRequest;
use crate::board::model::grid::{Bounds, Position, Size};
use crate::board::model::placement::Region;

#[derive(Debug, Clone, Default)]
pub(super) struct Model {
    pub(super) columns: u32,
    pub(super) standing: Vec<(u32, Bounds)>,
}

pub(super) const fn at(col: u32, row: u32, cols: u32, rows: u32) -> Bounds {
    Bounds::new(Position::new(col, row), Size::new(cols, rows))
}

impl Model {
    /// Returns whether each cell of the first `rows` rows is covered.
    fn cells(&self, rows: u32) -> Vec<Vec<bool>> {
        let covers = |col, row| self.standing.iter().any(|(_, bounds)| bounds.overlaps(at(col, row, 1, 1)));
        (0..rows).map(|row| (0..self.columns).map(|col| covers(col, row)).collect()).collect()
    }

    pub(super) fn bottom(&self) -> u32 {
        self.standing.iter().map(|(_, bounds)| bounds.position.row + bounds.size.rows).max().unwrap_or(0)
    }

    pub(super) fn covered_cells(&self) -> usize {
        self.cells(self.bottom()).iter().flatten().filter(|covered| **covered).count()
    }

    pub(super) fn is_free(&self, bounds: Bounds) -> bool {
        bounds.right() <= u64::from(self.columns)
            && self.standing.iter().all(|(_, other)| !other.overlaps(bounds))
    }

    pub(super) fn collisions(&self, bounds: Bounds, except: Option<u32>) -> Vec<u32> {
        let mut found: Vec<_> = self.standing.iter().filter(|(_, other)| other.overlaps(bounds)).collect();
        found.sort_by_key(|(slot, other)| (other.position.row, other.position.col, *slot));
        found.into_iter().map(|(slot, _)| *slot).filter(|slot| Some(*slot) != except).collect()
    }

    /// Returns every place for a size in the first `rows` rows, by row, then column.
    fn places(&self, size: Size, rows: u32) -> impl Iterator<Item = Position> {
        let (last_row, last_col) = (rows.checked_sub(size.rows), self.columns.checked_sub(size.cols));
        let places = last_row.zip(last_col).map(|(last_row, last_col)| {
            (0..=last_row).flat_map(move |row| (0..=last_col).map(move |col| Position::new(col, row)))
        });
        places.into_iter().flatten()
    }

    fn free_places(&self, size: Size, rows: Option<u32>) -> impl Iterator<Item = Position> {
        // No law needs places far below the 135th row and all components.
        let rows = rows.unwrap_or_else(|| self.bottom().max(135) + size.rows + 5);
        self.places(size, rows).filter(move |position| self.is_free(Bounds::new(*position, size)))
    }

    pub(super) fn first_fit(&self, size: Size, rows: Option<u32>) -> Option<Position> {
        self.free_places(size, rows).next()
    }

    pub(super) fn nearest_free(
        &self,
        size: Size,
        near: Position,
        rows: Option<u32>,
        count: usize,
    ) -> Vec<Position> {
        let mut places: Vec<_> = self.free_places(size, rows).collect();
        places.sort_by_key(|place| {
            (place.col.abs_diff(near.col) + place.row.abs_diff(near.row), place.row, place.col)
        });
        places.truncate(count);
        places
    }

    pub(super) fn least_overlap(&self, size: Size, rows: u32) -> Option<Position> {
        let cells = self.cells(rows);
        let covered = |place: &Position| {
            let rows = &cells[place.row as usize..][..size.rows as usize];
            let places = rows.iter().flat_map(|row| &row[place.col as usize..][..size.cols as usize]);
            places.filter(|covered| **covered).count()
        };
        self.places(size, rows).min_by_key(covered)
    }

    /// Returns the place that the hints lead to, or `None` if they do not work.
    pub(super) fn wished(
        &self,
        size: Size,
        wishes: PlacementRequest,
        rows: Option<u32>,
        shown: u32,
    ) -> Option<Position> {
        let free = |rows| self.free_places(size, rows);
        let middle = |start: u32, length: u32| 2 * i64::from(start) + i64::from(length);
        let distance = |place: &Position, other: Bounds| {
            let x = middle(place.col, size.cols) - middle(other.position.col, other.size.cols);
            let y = middle(place.row, size.rows) - middle(other.position.row, other.size.rows);
            x.abs() + y.abs()
        };
        let preferred = || wishes.preferred.filter(|wish| free(rows).any(|place| place == *wish));
        let near = || {
            let other = wishes.near?;
            free(rows).min_by_key(|place| (distance(place, other), place.row, place.col))
        };
        let region = || {
            let shown_places = free(Some(shown));
            match wishes.region? {
                Region::Top => shown_places
                    .filter(|place| 2 * (place.row + size.rows) <= shown + 1)
                    .min_by_key(|place| (place.row, place.col)),
                Region::Bottom => shown_places
                    .filter(|place| 2 * place.row + 1 >= shown)
                    .min_by_key(|place| (Reverse(place.row), place.col)),
                Region::Left => shown_places
                    .filter(|place| 2 * (place.col + size.cols) <= self.columns + 1)
                    .min_by_key(|place| (place.col, place.row)),
                Region::Right => shown_places
                    .filter(|place| 2 * place.col + 1 >= self.columns)
                    .min_by_key(|place| (Reverse(place.col), place.row)),
            }
        };
        preferred().or_else(near).or_else(region)
    }
}
