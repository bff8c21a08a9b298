//! Cells, positions and sizes.

use std::fmt;

use schemars::JsonSchema;
use serde::de::{Deserializer, Visitor};
use serde::{Deserialize, Serialize};

/// Dimensions of a grid and of its cells.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GridConfig {
    /// Number of columns, 1 to 64.
    pub columns: u32,
    /// Number of visible rows. The host's policy decides whether components may be below them.
    pub rows: u32,
    /// Pixels between cells.
    pub gap: f64,
    /// Width of a cell in pixels, which the host computes from the container.
    pub cell_width: f64,
    /// Height of a cell in pixels, which the host computes from the container.
    pub cell_height: f64,
}

/// Returns 12 columns and 8 rows of cells of 88 x 84 pixels with gaps of 12. This board fits a window of ordinary size.
impl Default for GridConfig {
    fn default() -> Self {
        Self { columns: 12, rows: 8, gap: 12.0, cell_width: 88.0, cell_height: 84.0 }
    }
}

/// A cell of the grid.
///
/// If a JSON number cannot be a cell (negative, with a fraction, or above 2^32 - 2), it is read as [`NO_CELL`], which
/// is outside every grid. The command is then refused with its own code and place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Position {
    /// Column from the left, from 0.
    #[serde(deserialize_with = "cells")]
    pub col: u32,
    /// Row from the top, from 0.
    #[serde(deserialize_with = "cells")]
    pub row: u32,
}

/// A width and a height in cells, read from JSON like [`Position`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Size {
    /// Number of columns, at least 1.
    #[serde(deserialize_with = "cells")]
    pub cols: u32,
    /// Number of rows, at least 1.
    #[serde(deserialize_with = "cells")]
    pub rows: u32,
}

/// A rectangle of cells, such as those covered by a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Bounds {
    /// Upper left cell.
    pub position: Position,
    /// Number of columns and rows.
    pub size: Size,
}

/// Number of a cell outside of every grid, and a size that does not fit any grid.
pub const NO_CELL: u32 = u32::MAX;

impl Position {
    /// Creates a position from the column and the row of a cell.
    pub const fn new(col: u32, row: u32) -> Self {
        Self { col, row }
    }
}

impl Size {
    /// Creates a size from a width and a height in cells.
    pub const fn new(cols: u32, rows: u32) -> Self {
        Self { cols, rows }
    }
}

impl Bounds {
    /// Creates a rectangle from its upper left cell and its size.
    pub const fn new(position: Position, size: Size) -> Self {
        Self { position, size }
    }

    /// Returns the column after the last one.
    pub const fn right(self) -> u64 {
        self.position.col as u64 + self.size.cols as u64
    }

    /// Returns the row below the last one.
    pub const fn bottom(self) -> u64 {
        self.position.row as u64 + self.size.rows as u64
    }

    /// Whether the rectangle fits in that number of columns and rows.
    pub(crate) const fn is_within(self, columns: u32, rows: u32) -> bool {
        self.right() <= columns as u64 && self.bottom() <= rows as u64
    }

    /// Returns whether the two rectangles share a cell.
    pub const fn overlaps(self, other: Self) -> bool {
        (self.position.col as u64) < other.right()
            && (other.position.col as u64) < self.right()
            && (self.position.row as u64) < other.bottom()
            && (other.position.row as u64) < self.bottom()
    }
}

impl fmt::Display for Position {
    /// Writes column and row, such as `(2, 0)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.col, self.row)
    }
}

impl fmt::Display for Size {
    /// Writes columns and rows, such as `4x2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.cols, self.rows)
    }
}

fn cells<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    struct Cells;

    impl Visitor<'_> for Cells {
        type Value = u32;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a number of cells")
        }

        fn visit_u64<E>(self, number: u64) -> Result<u32, E> {
            Ok(u32::try_from(number).unwrap_or(NO_CELL))
        }

        fn visit_i64<E>(self, number: i64) -> Result<u32, E> {
            Ok(u32::try_from(number).unwrap_or(NO_CELL))
        }

        fn visit_f64<E>(self, number: f64) -> Result<u32, E> {
            // Models write 3.0 for 3.
            let whole = number.fract() == 0.0 && (0.0..f64::from(NO_CELL)).contains(&number);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
            let cells = number as u32;
            Ok(if whole { cells } else { NO_CELL })
        }
    }

    deserializer.deserialize_any(Cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_no_cells_are_in_no_grid() {
        for (json, expected) in [
            ("0", 0),
            ("3.0", 3),
            ("-0.0", 0),
            ("4294967294", 4_294_967_294),
            ("4294967295", NO_CELL),
            ("-1", NO_CELL),
            ("1.5", NO_CELL),
            ("1e300", NO_CELL),
            ("-1e300", NO_CELL),
            ("18446744073709551615", NO_CELL),
        ] {
            let text = format!("{{\"col\": {json}, \"row\": 7}}");
            assert_eq!(
                serde_json::from_str::<Position>(&text).unwrap(),
                Position::new(expected, 7),
                "{json}"
            );
            let text = format!("{{\"cols\": 1, \"rows\": {json}}}");
            assert_eq!(serde_json::from_str::<Size>(&text).unwrap(), Size::new(1, expected), "{json}");
        }
        for json in ["\"1\"", "null", "true", "[]"] {
            assert!(serde_json::from_str::<Position>(&format!("{{\"col\": {json}, \"row\": 0}}")).is_err());
        }
    }

    #[test]
    fn rectangles_overlap_where_they_share_a_cell() {
        let at = |col, row, cols, rows| Bounds::new(Position::new(col, row), Size::new(cols, rows));
        let one = at(2, 2, 2, 2);
        for (other, expected) in [
            (one, true),
            (at(3, 3, 9, 9), true),
            (at(0, 0, 3, 3), true),
            (at(0, 2, 2, 2), false),
            (at(4, 2, 1, 2), false),
            (at(2, 0, 2, 2), false),
            (at(2, 4, 2, 1), false),
            (at(NO_CELL, NO_CELL, NO_CELL, NO_CELL), false),
        ] {
            assert_eq!((one.overlaps(other), other.overlaps(one)), (expected, expected), "{other:?}");
        }
    }
}
