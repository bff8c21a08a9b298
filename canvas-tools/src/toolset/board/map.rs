//! Draws the grid as a few lines of text.

use std::ops::Range;

use canvas_core::board::{Board, ComponentInstance};

/// Maximum number of rows drawn.
const ROWS: usize = 48;
const MARKS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const FREE: u8 = b'.';
const COVERED_TWICE: u8 = b'*';
const UNMARKED: u8 = b'#';

/// A board as text, with one character per cell, and the component of each mark.
pub(super) struct Map {
    pub(super) text: String,
    pub(super) legend: Vec<(char, ComponentInstance)>,
    /// Number of rows below those drawn.
    pub(super) rows_left_out: usize,
}

/// Draws a board. The first components have their own marks, and the others share one. Takes time linear in the board.
pub(super) fn draw(board: &Board) -> Map {
    let grid = board.grid();
    let columns = grid.columns as usize;
    let bottom = board.places().map(|(_, bounds)| bounds.bottom()).max().unwrap_or(0);
    let rows = usize::try_from(bottom.max(u64::from(grid.rows))).unwrap_or(usize::MAX);
    let shown = rows.min(ROWS);
    let mut cells = vec![vec![FREE; columns]; shown];
    for (number, (_, bounds)) in board.places().enumerate() {
        let mark = MARKS.as_bytes().get(number).copied().unwrap_or(UNMARKED);
        for row in &mut cells[clamped(bounds.position.row, bounds.bottom(), shown)] {
            for cell in &mut row[clamped(bounds.position.col, bounds.right(), columns)] {
                *cell = if *cell == FREE { mark } else { COVERED_TWICE };
            }
        }
    }
    let lines: Vec<String> = cells.into_iter().map(|row| row.into_iter().map(char::from).collect()).collect();
    let marked = MARKS.chars().zip(board.places());
    let legend = marked.filter_map(|(mark, (id, _))| Some((mark, board.component(id)?))).collect();
    Map { text: lines.join("\n"), legend, rows_left_out: rows - shown }
}

/// Returns a range of cells, limited to those below `limit`.
fn clamped(start: u32, end: u64, limit: usize) -> Range<usize> {
    let end = usize::try_from(end).map_or(limit, |end| end.min(limit));
    (start as usize).min(end)..end
}
