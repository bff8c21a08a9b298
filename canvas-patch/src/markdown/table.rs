//! The rows and cells of a table.

use std::ops::Range;

use memchr::{memchr2, memrchr2};

/// A table of a text. All ranges are bytes of the text.
#[derive(Debug)]
pub(crate) struct Table {
    /// The header, the delimiter row, and the rows of the body.
    pub(crate) rows: Vec<Row>,
}

#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// The lines of the row, with the markers of containers before it and the line's terminator.
    pub(crate) whole: Range<usize>,
    /// The row itself, from its first to its last character that is not blank.
    pub(crate) content: Range<usize>,
    /// The text between the pipes, including blanks. A row may have fewer or more cells than its table has columns, because
    /// GitHub fills short rows and ignores the rest of long ones.
    pub(crate) cells: Vec<Range<usize>>,
    /// Whether the row begins with a pipe.
    pub(crate) has_first_pipe: bool,
    /// Whether it ends with a pipe that is not its first one.
    pub(crate) has_last_pipe: bool,
}

impl Table {
    /// The number of rows above the body.
    pub(crate) const HEAD: usize = 2;

    /// Reads a table from its header to its end. Rows end at LF or CR.
    pub(crate) fn read(text: &str, bytes: Range<usize>, quoted: bool) -> Self {
        let blank: &[char] = if quoted { &[' ', '\t', '>'] } else { &[' ', '\t'] };
        let mut rows: Vec<Row> = Vec::new();
        let mut at = bytes.start;
        while at < bytes.end {
            let end = row_end(text, at);
            let line = &text[at..end.content];
            let start = at + (line.len() - line.trim_start_matches(blank).len());
            if start == end.content {
                break;
            }
            let whole = if rows.is_empty() { row_start(text, at)..end.line } else { at..end.line };
            rows.push(Row::read(text, whole, start..end.content));
            at = end.line;
        }
        Self { rows }
    }

    pub(crate) fn columns(&self) -> usize {
        self.rows.get(1).map_or(0, |delimiters| delimiters.cells.len())
    }

    /// Returns the rows below the delimiter row.
    pub(crate) fn body(&self) -> &[Row] {
        self.rows.get(Self::HEAD..).unwrap_or_default()
    }

    /// Returns the text of each header, without the blanks around it.
    pub(crate) fn headers<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        let cells = self.rows.first().map(|row| row.cells.as_slice()).unwrap_or_default();
        cells.iter().map(|cell| trimmed(&text[cell.clone()]))
    }
}

impl Row {
    fn read(text: &str, whole: Range<usize>, content: Range<usize>) -> Self {
        let row = text[content.clone()].trim_end_matches(is_space);
        let content = content.start..content.start + row.len();
        let has_first_pipe = row.starts_with('|');
        let mut start = usize::from(has_first_pipe);
        let mut cells = Vec::new();
        let mut has_last_pipe = false;
        for pipe in pipes(row).skip(start) {
            cells.push(content.start + start..content.start + pipe);
            start = pipe + 1;
            has_last_pipe = start == row.len();
        }
        if start < row.len() {
            cells.push(content.start + start..content.end);
        }
        Self { whole, content, cells, has_first_pipe, has_last_pipe }
    }

    /// Returns the bytes of a cell without the blanks around it, or an empty place at the end of the row if the row has
    /// fewer cells.
    pub(crate) fn cell(&self, text: &str, column: usize) -> Range<usize> {
        let Some(cell) = self.cells.get(column) else { return self.content.end..self.content.end };
        let value = &text[cell.clone()];
        let inner = value.trim_start_matches(is_space);
        // A blank cell begins after its first blank.
        let start = if inner.is_empty() { value.len().min(1) } else { value.len() - inner.len() };
        cell.start + start..cell.start + start + inner.trim_end_matches(is_space).len()
    }
}

/// Returns the offsets of the pipes that separate cells. A pipe in code separates cells too, unless it is escaped.
pub(crate) fn pipes(row: &str) -> impl Iterator<Item = usize> {
    let bytes = row.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let byte = bytes[at];
            let is_escape = byte == b'\\' && bytes.get(at + 1).is_some_and(u8::is_ascii_punctuation);
            at += 1 + usize::from(is_escape);
            if byte == b'|' {
                return Some(at - 1);
            }
        }
        None
    })
}

pub(crate) fn trimmed(cell: &str) -> &str {
    cell.trim_matches(is_space)
}

pub(crate) fn is_space(char: char) -> bool {
    matches!(char, ' ' | '\t' | '\u{b}' | '\u{c}')
}

struct RowEnd {
    content: usize,
    line: usize,
}

/// Returns the end of the row that contains the byte `at`, before and after its terminator.
fn row_end(text: &str, at: usize) -> RowEnd {
    let content = memchr2(b'\n', b'\r', &text.as_bytes()[at..]).map_or(text.len(), |end| at + end);
    let length = match &text.as_bytes()[content..] {
        [b'\r', b'\n', ..] => 2,
        [] => 0,
        _ => 1,
    };
    RowEnd { content, line: content + length }
}

fn row_start(text: &str, at: usize) -> usize {
    memrchr2(b'\n', b'\r', &text.as_bytes()[..at]).map_or(0, |newline| newline + 1)
}
