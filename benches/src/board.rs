//! The board's workloads: placing components one by one, moving one into a full grid, asking what a rectangle meets.
//!
//! They lie in files, because peers in other languages read them too. Where the files are not at hand, nothing is measured.

mod canvas;
mod ours;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use canvas_core::board::{Bounds, Position, Size};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::ours::rows;
use crate::report::duration;
use crate::target::{Judged, Target};

/// Our own rows.
const SUBJECT: &str = "canvas";

/// The works, by name: placing all components of a board one by one, one move into a full board that pushes others away,
/// one question for what a rectangle meets; taking back one change of a thousand; one move on a canvas, with all that a
/// call and its commit to a store in memory take; the same of a move that all components make room for; a board of a
/// canvas written as JSON.
pub const WORKS: [&str; 7] =
    ["board-place", "board-push", "board-collide", "board-undo", "board-canvas", "board-shift", "board-read"];

/// Components of a board.
pub const SIZES: [usize; 3] = [100, 1_000, 10_000];

/// Components of a board that is changed or read whole.
pub const WHOLE_SIZES: [usize; 2] = [1_000, 20_000];

/// As many as a board may have. There is no workload of this size: one of 10,000 is done ten times.
pub const LARGEST: usize = 100_000;

/// What one subject needed for one of the [`WORKS`] at one size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BoardRow {
    /// Stable name of the work.
    pub work: String,
    /// Components of the board.
    pub size: usize,
    /// Stable name of the subject.
    pub subject: String,
    /// Its version.
    pub version: String,
    /// Median nanoseconds: of all placements together, of one move, of one question. `None` where it was not timed.
    pub median_ns: Option<f64>,
    /// What came of it, such as rows that are used, moves that land where asked, pairs that overlap.
    #[serde(default)]
    pub result: Value,
    /// What is wrong with it, or why it was not timed.
    #[serde(default)]
    pub flaw: Option<String>,
}

impl BoardRow {
    /// Its target, which counts milliseconds; `None` where it has none, or was not timed.
    pub fn judged(&self) -> Option<Judged> {
        let target = Target::of(&self.work, self.size, &self.subject)?;
        Some(Judged { target, value: self.median_ns? / 1e6 })
    }
}

/// One of the works at one size, with what must come of it.
#[derive(Debug, Deserialize)]
pub struct Workload {
    /// The columns; rows have no end.
    pub grid: Grid,
    /// What is there at first.
    #[serde(default)]
    pub initial: Vec<Standing>,
    /// The file whose `initial` is there at first.
    pub initial_from: Option<String>,
    /// What is done, in order.
    pub ops: Vec<Op>,
    /// Where row-major first fit puts each, for `board-place`.
    #[serde(default)]
    pub expect_first_fit_row_major: Vec<Position>,
    /// How many the rectangles meet in all, for `board-collide`.
    pub expect_total_hits: Option<usize>,
}

/// The grid of a workload.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct Grid {
    /// Its columns.
    pub columns: u32,
}

/// A component that is there at first.
#[derive(Debug, Clone, Deserialize)]
pub struct Standing {
    /// Its id.
    pub id: String,
    /// The cells that it covers.
    #[serde(flatten)]
    pub bounds: Bounds,
}

/// A thing to do.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Op {
    /// Place a component of this size.
    Create {
        /// Its id.
        id: String,
        /// Its size.
        size: Size,
    },
    /// Move a component here, from the board as it was at first, and push others away.
    Move {
        /// Its id.
        id: String,
        /// Its new upper left cell.
        position: Position,
    },
    /// Ask what this rectangle meets.
    Collide {
        /// The rectangle.
        bounds: Bounds,
    },
}

/// The folder of the workload files: `board` in `CANVAS_DATA`, or beside the repository.
pub fn folder() -> PathBuf {
    let data = std::env::var_os("CANVAS_DATA");
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    data.map_or_else(beside, PathBuf::from).join("board")
}

/// Reads a workload, by the last part of a work's name (`place`, `pushdown`, `collide`) and its size. That of
/// [`LARGEST`] has ten times the components, the others below the first, so a rectangle meets the
/// same, and no expectations of where components go.
///
/// # Errors
///
/// Where the file is not there or is no workload.
pub fn workload(folder: &Path, name: &str, size: usize) -> io::Result<Workload> {
    if size == LARGEST {
        return Ok(workload(folder, name, LARGEST / 10)?.repeated(10));
    }
    let read = |file: &str| -> io::Result<Workload> {
        let text = std::fs::read_to_string(folder.join(file))?;
        serde_json::from_str(&text).map_err(io::Error::from)
    };
    let mut workload = read(&format!("workload_{name}_{size}.json"))?;
    if let Some(file) = &workload.initial_from {
        workload.initial = read(file)?.initial;
    }
    Ok(workload)
}

impl Workload {
    fn repeated(mut self, times: u32) -> Self {
        let rows = self.initial.iter().map(|one| one.bounds.position.row + one.bounds.size.rows).max();
        let (initial, ops) = (std::mem::take(&mut self.initial), self.ops.clone());
        for turn in 0..times {
            self.initial.extend(initial.iter().map(|Standing { id, bounds }| {
                let Bounds { position: Position { col, row }, size } = *bounds;
                let position = Position::new(col, row + turn * rows.unwrap_or_default());
                Standing { id: format!("{id}-{turn}"), bounds: Bounds::new(position, size) }
            }));
            let creates = ops.iter().filter_map(|op| match op {
                Op::Create { id, size } => Some(Op::Create { id: format!("{id}-{turn}"), size: *size }),
                Op::Move { .. } | Op::Collide { .. } => None,
            });
            self.ops.extend(creates.filter(|_| turn > 0));
        }
        for op in &mut self.ops {
            if let Op::Move { id, .. } = op {
                id.push_str("-0");
            }
        }
        self.expect_first_fit_row_major.clear();
        self
    }
}

/// How the time of one of our [`WORKS`] grows: with components to the power of this, from the fewest to the most.
pub fn growth(rows: &[BoardRow], work: &str) -> Option<(usize, usize, f64)> {
    let mut timed = rows.iter().filter(|row| row.work == work && row.subject == SUBJECT);
    let (first, last) = (timed.next()?, timed.next_back()?);
    let exponent = (last.median_ns? / first.median_ns?).ln() / (last.size as f64 / first.size as f64).ln();
    Some((first.size, last.size, exponent))
}

/// Writes how the time of a work grows.
///
/// # Errors
///
/// Those of `out`.
pub fn growth_line(
    work: &str,
    (from, to, exponent): (usize, usize, f64),
    out: &mut impl Write,
) -> io::Result<()> {
    writeln!(
        out,
        "{work:<14} {SUBJECT}, {from} to {to}: time grows with components to the power of {exponent:.2}"
    )
}

/// Writes the head of the table.
///
/// # Errors
///
/// Those of `out`.
pub fn head(out: &mut impl Write) -> io::Result<()> {
    let [work, size, subject, median, result] = ["work", "size", "subject", "median", "result"];
    writeln!(out, "{work:<14} {size:>6}  {subject:<24} {median:>10}  {result}")
}

/// Writes a row of the table.
///
/// # Errors
///
/// Those of `out`.
pub fn line(row: &BoardRow, out: &mut impl Write) -> io::Result<()> {
    let subject = format!("{} {}", row.subject, row.version);
    let median = row.median_ns.map_or_else(|| "-".to_owned(), duration);
    write!(out, "{:<14} {:>6}  {subject:<24} {median:>10}", row.work, row.size)?;
    for (name, value) in row.result.as_object().into_iter().flatten() {
        write!(out, "  {name} {value}")?;
    }
    row.flaw.iter().try_for_each(|flaw| write!(out, "  {flaw}"))?;
    writeln!(out)
}

/// Writes a row as one JSON object on one line.
///
/// # Errors
///
/// Those of `out`.
pub fn json_line(row: &BoardRow, out: &mut impl Write) -> io::Result<()> {
    let mut object = serde_json::to_value(row)?;
    if let Some(Judged { target, .. }) = row.judged() {
        object["target"] = target.bound.number().into();
    }
    writeln!(out, "{object}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::print_stdout, reason = "what was left out is printed")]
    fn workloads_are_read_with_what_stands_there() {
        let folder = folder();
        if !folder.is_dir() {
            println!("workloads: absent, nothing checked");
            return;
        }
        for size in SIZES {
            let place = workload(&folder, "place", size).unwrap();
            assert_eq!((place.ops.len(), place.expect_first_fit_row_major.len()), (size, size));
            let push = workload(&folder, "pushdown", size).unwrap();
            assert_eq!((push.initial.len(), push.ops.len()), (size, 20));
            let collide = workload(&folder, "collide", size).unwrap();
            assert_eq!((collide.initial.len(), collide.ops.len()), (size, 1_000));
            assert!(collide.expect_total_hits > Some(size.min(2_000)));
        }
        assert!(workload(&folder, "nothing", 100).is_err());
    }
}
