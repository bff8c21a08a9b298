//! Numbered lines of the canvas, as shown in replies.

use std::borrow::Cow;

use canvas_core::text::LineRange;
use canvas_core::text::floor_char_boundary;
use serde::Serialize;

/// Lines of a reply, and the lines of the canvas that it shows in full.
#[derive(Debug, Default)]
pub(super) struct Shown {
    pub(super) lines: Vec<String>,
    pub(super) ranges: Vec<LineRange>,
}

impl Shown {
    /// Records that a line is shown in full. Lines arrive in order.
    pub(super) fn whole(&mut self, line: usize) {
        match self.ranges.last_mut() {
            Some(range) if range.end + 1 == line => range.end = line,
            _ => self.ranges.push(LineRange { start: line, end: line }),
        }
    }
}

/// Formats a line as `12: text`. The mark `-` denotes a line that only surrounds the requested ones.
pub(super) fn numbered(line: usize, mark: char, text: &str) -> String {
    format!("{line}{mark} {text}")
}

/// Returns the beginning of a line, followed by an ellipsis if it was shortened.
pub(super) fn clipped(line: &str, bytes: usize) -> Cow<'_, str> {
    if line.len() <= bytes {
        return line.into();
    }
    format!("{}…", &line[..floor_char_boundary(line, bytes)]).into()
}

/// Range of lines from 1, both ends inclusive.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Lines {
    /// First line.
    pub(super) start_line: usize,
    /// Last line.
    pub(super) end_line: usize,
}

impl From<LineRange> for Lines {
    fn from(lines: LineRange) -> Self {
        Self { start_line: lines.start, end_line: lines.end }
    }
}
