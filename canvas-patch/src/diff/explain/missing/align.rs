//! Aligns missing lines with the most similar region of the text, and finds the first line at fault.

use std::cmp::Reverse;

use super::likeness::{ALIKE, EQUAL, likeness};
use crate::text::boundary::floor_char_boundary;
use crate::text::numbered::NumberedLines;

/// The first line at fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fault {
    /// Index of the line among those sought.
    pub(super) at: usize,
    /// The line of the text in its place, counted from 0. If the text has ended, this is the index after its last line.
    pub(super) line: usize,
    pub(super) kind: FaultKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FaultKind {
    /// The text has another line in its place.
    Differs,
    /// The text lacks the line and continues with the next one sought.
    Extra,
    /// The text has an additional line before it.
    LeftOut,
}

/// Maximum number of lines aligned with the text, beginning with the first that differs.
const ROWS: usize = 40;

/// Maximum bytes of a line of the text that are compared, or four times the longest aligned line if that is more.
const COMPARED: usize = 1 << 10;

/// Maximum number of lines by which the alignment may shift before or after the region.
const SLACK: usize = 8;

/// Aligns `sought`, which is not empty, with the region at `start`. Returns the line at which `sought` begins or, as
/// the error, its first line that differs from the text.
pub(super) fn first_fault(lines: &NumberedLines<'_>, sought: &[&str], start: i64) -> Result<usize, Fault> {
    let on_diagonal = |at: usize| usize::try_from(start + at as i64).ok().and_then(|line| lines.get(line));
    let same = (0..sought.len()).take_while(|&at| on_diagonal(at) == Some(sought[at])).count();
    let start_line = usize::try_from(start).unwrap_or(0).min(lines.len());
    if same == sought.len() {
        return Ok(start_line);
    }
    // Equal lines at the beginning stay in place. Without any, the beginning may be a few lines off.
    let (first_line, is_fixed) =
        if same > 0 { (start_line + same, true) } else { (start_line.saturating_sub(SLACK), false) };
    let rows = &sought[same..sought.len().min(same + ROWS)];
    let end = (start_line + same + rows.len() + SLACK).min(lines.len());
    // Such a long line can resemble one of them only by its beginning, and many hunks may be aligned with it.
    let most = rows.iter().map(|row| 4 * row.len()).max().unwrap_or_default().max(COMPARED);
    let beginning = |line| lines.get(line).map(|line| &line[..floor_char_boundary(line, most)]);
    let columns: Vec<&str> = (first_line..end).filter_map(beginning).collect();
    let expected = start_line + same - first_line;
    let pairs = Grid::new(rows, &columns, expected, is_fixed).pairs(expected + rows.len());
    match fault(rows, &columns, &pairs, expected, is_fixed) {
        Some(fault) => Err(Fault { at: fault.at + same, line: fault.line + first_line, ..fault }),
        // More of them are equal from a nearby line on.
        None => first_fault(lines, sought, (first_line + pairs[0].unwrap_or(0)) as i64),
    }
}

/// Scores of aligned lines, and of lines without a counterpart.
const EQUAL_SOLID: i32 = 12;
const EQUAL_BLANK: i32 = 3;
const MISSING_SOLID: i32 = -3;
const MISSING_BLANK: i32 = -1;

fn missing(line: &str) -> i32 {
    if line.trim().is_empty() { MISSING_BLANK } else { MISSING_SOLID }
}

/// For each number of first rows and of first columns, the best sum over all their alignments (Needleman and Wunsch,
/// 1970). Columns after the last row cost no points, and neither do columns before the first row, unless it is fixed.
struct Grid {
    rows: usize,
    columns: usize,
    /// `(rows + 1) × (columns + 1)`, row by row.
    sums: Vec<i32>,
    steps: Vec<Step>,
}

#[derive(Clone, Copy)]
enum Step {
    Pair,
    Row,
    Column,
}

impl Grid {
    fn new(rows: &[&str], columns: &[&str], expected: usize, is_fixed: bool) -> Self {
        let width = columns.len() + 1;
        let mut grid = Self {
            rows: rows.len(),
            columns: columns.len(),
            sums: vec![0; (rows.len() + 1) * width],
            steps: vec![Step::Column; (rows.len() + 1) * width],
        };
        for (j, column) in columns.iter().enumerate() {
            grid.sums[j + 1] = if is_fixed { grid.sums[j] + missing(column) } else { 0 };
        }
        for (i, row) in rows.iter().enumerate() {
            let (above, here) = (i * width, (i + 1) * width);
            grid.sums[here] = grid.sums[above] + missing(row);
            grid.steps[here] = Step::Row;
            for (j, column) in columns.iter().enumerate() {
                // Among equals, lines are left without a counterpart as late as possible.
                let mut best = (grid.sums[above + j + 1] + missing(row), Step::Row);
                let skipped = (grid.sums[here + j] + missing(column), Step::Column);
                if skipped.0 > best.0 {
                    best = skipped;
                }
                // Similar lines are looked for only near their expected position.
                let is_near = (i + expected).abs_diff(j) <= 2 * SLACK;
                let paired = worth(row, column, is_near).map(|worth| grid.sums[above + j] + worth);
                if let Some(sum) = paired.filter(|&sum| sum > best.0) {
                    best = (sum, Step::Pair);
                }
                (grid.sums[here + j + 1], grid.steps[here + j + 1]) = best;
            }
        }
        grid
    }

    /// Returns the column aligned with each row. Among equally good alignments, this is the one that ends closest to
    /// the column `end`.
    fn pairs(&self, end: usize) -> Vec<Option<usize>> {
        let width = self.columns + 1;
        let last = self.sums[self.rows * width..].iter().enumerate();
        let best = last.max_by_key(|&(j, &sum)| (sum, Reverse(j.abs_diff(end))));
        let (mut i, mut j) = (self.rows, best.map_or(0, |(j, _)| j));
        let mut pairs = vec![None; self.rows];
        while i > 0 {
            match self.steps[i * width + j] {
                Step::Pair => {
                    (i, j) = (i - 1, j - 1);
                    pairs[i] = Some(j);
                }
                Step::Row => i -= 1,
                Step::Column => j -= 1,
            }
        }
        pairs
    }
}

/// Returns the score of a row aligned with a column, or `None` if the lines are unrelated.
fn worth(row: &str, column: &str, is_near: bool) -> Option<i32> {
    if row == column {
        return Some(if row.trim().is_empty() { EQUAL_BLANK } else { EQUAL_SOLID });
    }
    // If lengths differ this much, the lines can be alike only if one begins the other, so others need no comparison.
    let (short, long) = (row.len().min(column.len()), row.len().max(column.len()));
    if !is_near || short * 3 < long && !column.trim_start().starts_with(row.trim()) {
        return None;
    }
    let like = likeness(row, column);
    (like >= ALIKE).then(|| (like * (EQUAL_SOLID as u32 - 2) / EQUAL) as i32)
}

fn fault(
    rows: &[&str],
    columns: &[&str],
    pairs: &[Option<usize>],
    expected: usize,
    is_fixed: bool,
) -> Option<Fault> {
    // Rows before the first pair are taken to be right before it.
    let before_pair = || {
        let (rows, column) = pairs.iter().enumerate().find_map(|(i, pair)| Some((i, (*pair)?)))?;
        Some(column.saturating_sub(rows))
    };
    let mut next = if is_fixed { 0 } else { before_pair().unwrap_or(expected) };
    for (at, (row, pair)) in rows.iter().zip(pairs).enumerate() {
        let (line, kind) = match *pair {
            Some(column) if column > next => (next, FaultKind::LeftOut),
            Some(column) if columns[column] == *row => {
                next = column + 1;
                continue;
            }
            Some(column) => (column, FaultKind::Differs),
            None if pairs[at..].iter().flatten().next() == Some(&next) => (next, FaultKind::Extra),
            None => (next, FaultKind::Differs),
        };
        return Some(Fault { at, line, kind });
    }
    None
}
