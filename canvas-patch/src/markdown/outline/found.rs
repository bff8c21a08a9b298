//! What a scan finds in a text.

use std::ops::Range;

use super::front_matter;
use super::model::{Container, LineRange, Section};
use crate::text::cursor::LineCursor;
use crate::text::lines;

/// A text is read again in a range this many times as long where a shorter one has not settled its end. All attempts
/// together then cost a third of the last one.
pub(super) const GROWTH: usize = 4;

/// A block quote, list item, footnote or fenced code block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) kind: BlockKind,
    /// Index of the innermost section it starts in.
    pub(crate) section: Option<usize>,
    /// How many containers are around it.
    pub(crate) depth: usize,
    /// How many list items of its section are around it.
    pub(crate) nesting: usize,
    /// May start in the middle of a line and end with blank lines.
    pub(crate) bytes: Range<usize>,
    /// Whether it sits in a block quote.
    pub(crate) quoted: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockKind {
    /// A block quote.
    Quote,
    /// One item of a list.
    Item,
    /// The definition of a footnote.
    Footnote,
    /// A fenced code block.
    Fence,
}

/// What a text may begin with before its Markdown: a byte order mark and front matter.
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

    /// The place right after it in `text`.
    pub(super) fn end(self, text: &str) -> RestartPoint {
        // Front matter may end with a lone CR.
        let is_new_line = text.as_bytes()[..self.bytes].ends_with(b"\n");
        let line = self.front_matter.map_or(1, |lines| lines.end + usize::from(is_new_line));
        RestartPoint { byte: self.bytes, line, sections: 0, containers: 0 }
    }
}

/// The start of a line at which the parser has nothing open: the text below it reads the same without the text above.
///
/// It is the first line of a heading with `#` or of a list item, or follows a blank line, and is in no quote, no footnote
/// and no other list item. Whether it is one depends on the text before it, its own line and the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RestartPoint {
    pub(super) byte: usize,
    pub(super) line: usize,
    /// Sections and containers that begin before it.
    pub(super) sections: usize,
    pub(super) containers: usize,
}

/// A link reference definition. Of several with one label that were read together, the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Definition {
    pub(super) byte: usize,
    pub(super) label: String,
    /// Bytes of its destination and title, which each reference to it expands to.
    pub(super) expansion: usize,
}

/// What a range of a text holds that begins at a [`RestartPoint`]. Indices count from its start, places from that of
/// the text.
#[derive(Debug)]
pub(super) struct ScanResult {
    pub(super) sections: Vec<Section>,
    pub(super) containers: Vec<Container>,
    pub(super) blocks: Vec<Block>,
    /// In rising order, the start of the range first.
    pub(super) points: Vec<RestartPoint>,
    pub(super) definitions: Vec<Definition>,
}

/// Where the line two above that of the byte `at` starts; the start of the text where there is none.
pub(super) fn two_lines_above(text: &str, at: usize) -> usize {
    lines::back(text, lines::line_start(text, at), 2)
}
