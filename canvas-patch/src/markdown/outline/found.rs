//! The results of a scan of a text.

use std::ops::Range;

use super::front_matter;
use super::model::{Container, LineRange, Section};
use crate::text::cursor::LineCursor;
use crate::text::lines;

/// Factor by which the range grows if a shorter one did not settle its end. All earlier attempts together cost a third
/// of the last one.
pub(super) const GROWTH: usize = 4;

/// A block quote, list item, footnote, table or fenced code block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) kind: BlockKind,
    /// Index of the innermost section in which it starts.
    pub(crate) section: Option<usize>,
    /// Number of containers around it.
    pub(crate) depth: usize,
    /// Number of list items around it, without those around the heading of its section.
    pub(crate) nesting: usize,
    /// The range may start in the middle of a line and end with blank lines.
    pub(crate) bytes: Range<usize>,
    /// Whether it is inside a block quote.
    pub(crate) quoted: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockKind {
    Quote,
    Item,
    /// A footnote definition, not a reference.
    Footnote,
    Fence,
    /// A table as GitHub reads it, from its header to its last row.
    Table,
}

/// The byte order mark and front matter that may precede the Markdown of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lead {
    pub(crate) bytes: usize,
    pub(crate) front_matter: Option<LineRange>,
}

impl Lead {
    pub(crate) fn of(text: &str) -> Self {
        let bom = lines::mark(text);
        let front_matter = front_matter::length(&text[bom..]);
        let bytes = bom + front_matter.unwrap_or(0);
        let lines = |_| LineRange { start: 1, end: LineCursor::new(text).line_at(bytes - 1) };
        Self { bytes, front_matter: front_matter.map(lines) }
    }

    /// Returns the restart point right after the lead of `text`.
    pub(super) fn end(self, text: &str) -> RestartPoint {
        // Front matter may end with a lone CR.
        let is_new_line = text.as_bytes()[..self.bytes].ends_with(b"\n");
        let line = self.front_matter.map_or(1, |lines| lines.end + usize::from(is_new_line));
        RestartPoint { byte: self.bytes, line, sections: 0, containers: 0 }
    }
}

/// The start of a line at which the parser has no open block, so that the text below reads the same without the text
/// above.
///
/// The line is the first of a heading with `#` or of a list item, or follows a blank line. It is not inside a quote, a
/// footnote or another list item. Whether it is a restart point depends only on the text before it, the line itself and
/// the next line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RestartPoint {
    pub(super) byte: usize,
    pub(super) line: usize,
    /// Number of sections and of containers that begin before it.
    pub(super) sections: usize,
    pub(super) containers: usize,
}

/// A link reference definition. If several with the same label were read together, this is the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Definition {
    pub(super) byte: usize,
    pub(super) label: String,
    /// Bytes of its destination and title, which each reference to it expands to.
    pub(super) expansion: usize,
}

/// The contents of a range that begins at a [`RestartPoint`]. Indices count from the start of the range, positions from
/// the start of the text.
#[derive(Debug)]
pub(super) struct ScanResult {
    pub(super) sections: Vec<Section>,
    pub(super) containers: Vec<Container>,
    pub(super) blocks: Vec<Block>,
    /// In ascending order, beginning with the start of the range.
    pub(super) points: Vec<RestartPoint>,
    pub(super) definitions: Vec<Definition>,
    pub(super) footnote_in_link: bool,
}

/// Returns the start of the line two lines above the one that contains the byte `at`, or the start of the text if there
/// is no such line.
pub(super) fn two_lines_above(text: &str, at: usize) -> usize {
    lines::back(text, lines::line_start(text, at), 2)
}
