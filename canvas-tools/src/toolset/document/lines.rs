//! Lines of the canvas with their numbers, as replies show them.

use std::borrow::Cow;

use canvas_core::text::LineRange;
use canvas_core::text::floor_char_boundary;
use serde::Serialize;

/// Lines of a reply, and which lines of the canvas it shows whole.
#[derive(Debug, Default)]
pub(super) struct Shown {
    pub(super) lines: Vec<String>,
    pub(super) ranges: Vec<LineRange>,
}

impl Shown {
    /// Notes that a line is shown from its first to its last byte. Lines come in order.
    pub(super) fn whole(&mut self, line: usize) {
        match self.ranges.last_mut() {
            Some(range) if range.end + 1 == line => range.end = line,
            _ => self.ranges.push(LineRange { start: line, end: line }),
        }
    }
}

/// `12: text`; with a mark of `-` a line that only stands beside what was asked for.
pub(super) fn numbered(line: usize, mark: char, text: &str) -> String {
    format!("{line}{mark} {text}")
}

/// The beginning of a line, with an ellipsis where there is more of it.
pub(super) fn clipped(line: &str, bytes: usize) -> Cow<'_, str> {
    if line.len() <= bytes {
        return line.into();
    }
    format!("{}…", &line[..floor_char_boundary(line, bytes)]).into()
}

/// Lines, both ends inclusive, from 1.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Lines {
    /// The first.
    pub(super) start_line: usize,
    /// The last.
    pub(super) end_line: usize,
}

impl From<LineRange> for Lines {
    fn from(lines: LineRange) -> Self {
        Self { start_line: lines.start, end_line: lines.end }
    }
}
