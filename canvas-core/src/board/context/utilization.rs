//! Utilization of a canvas.

use crate::board::model::workspace::Canvas;

/// Returns the share of covered cells, from 0 to 1. A cell covered by several components counts once. The rows go down
/// to the lowest component or to the last row shown, whichever is lower on the canvas. Columns past 64 do not exist.
/// `O(n log n)`.
pub(super) fn utilization(canvas: &Canvas) -> f64 {
    let columns = canvas.grid.columns.min(64);
    let mut rows = u64::from(canvas.grid.rows);
    // Row, +1 if a component begins there or -1 if it ends, and the columns that it covers.
    let mut edges = Vec::new();
    for component in &canvas.components {
        let bounds = component.bounds();
        rows = rows.max(bounds.bottom());
        let right = bounds.right().min(u64::from(columns)) as usize;
        let left = (bounds.position.col as usize).min(right);
        edges.push((u64::from(bounds.position.row), 1, left, right));
        edges.push((bounds.bottom(), -1, left, right));
    }
    edges.sort_unstable();

    let mut covering = [0_i64; 64];
    let (mut covered, mut last) = (0_u128, 0);
    for (row, change, left, right) in edges {
        let width = covering.iter().filter(|&&count| count > 0).count() as u128;
        covered += width * u128::from(row - last);
        last = row;
        for count in &mut covering[left..right] {
            *count += change;
        }
    }
    let cells = u128::from(columns) * u128::from(rows);
    if cells == 0 { 0.0 } else { covered as f64 / cells as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::context::tests::component;
    use crate::board::model::grid::{GridConfig, NO_CELL, Position, Size};

    #[test]
    #[expect(clippy::float_cmp, reason = "quotients of small numbers are exact")]
    fn covered_cells_of_all_cells() {
        for (columns, rows, covers, expected) in [
            (12, 8, vec![], 0.0),
            (0, 0, vec![(0, 0, 1, 1)], 0.0),
            (4, 4, vec![(0, 0, 4, 4)], 1.0),
            (4, 4, vec![(0, 0, 2, 2)], 0.25),
            // A cell covered by two counts once.
            (4, 4, vec![(0, 0, 2, 2), (1, 1, 2, 2)], 7.0 / 16.0),
            (4, 4, vec![(0, 0, 2, 2), (0, 0, 2, 2)], 0.25),
            // A component below the grid makes the canvas longer.
            (4, 4, vec![(0, 4, 4, 4)], 0.5),
            // Components are cut at the last column.
            (4, 4, vec![(3, 0, 9, 1)], 1.0 / 16.0),
            (4, 4, vec![(9, 0, 9, 1)], 0.0),
            (64, 1, vec![(0, 0, 64, 1)], 1.0),
            (u32::MAX, 1, vec![(0, 0, u32::MAX, 1)], 1.0),
            (1, 1, vec![(0, 0, 1, NO_CELL)], 1.0),
            (1, 1, vec![(0, NO_CELL, 1, NO_CELL)], 0.5),
        ] {
            let canvas = Canvas {
                grid: GridConfig { columns, rows, gap: 0.0, cell_width: 1.0, cell_height: 1.0 },
                components: covers
                    .iter()
                    .enumerate()
                    .map(|(at, &(col, row, cols, rows))| {
                        let mut one = component(&format!("c{at}"));
                        (one.position, one.size) = (Position::new(col, row), Size::new(cols, rows));
                        one
                    })
                    .collect(),
            };
            assert_eq!(utilization(&canvas), expected, "{covers:?} in {columns}x{rows}");
        }
    }
}
