//! Conversion of byte offsets to line numbers by walking along the text.

use memchr::{memchr_iter, memrchr};

/// A position in a text that knows its line number.
///
/// A move counts the newlines in the bytes that it passes, so offsets in ascending order cost one pass over the text in
/// total.
#[derive(Debug)]
pub(crate) struct LineCursor<'t> {
    bytes: &'t [u8],
    at: usize,
    line: usize,
    line_start: usize,
    /// The blank bytes that the last call of [`Self::last_content_line`] passed over.
    blank: Blank,
}

impl<'t> LineCursor<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self::starting_at(text, 0, 1)
    }

    /// Creates a cursor at the byte `line_start`, the start of the line with the number `line`.
    pub(crate) fn starting_at(text: &'t str, line_start: usize, line: usize) -> Self {
        Self { bytes: text.as_bytes(), at: line_start, line, line_start, blank: Blank::default() }
    }

    /// Returns the 1-based number of the line that contains the byte at `offset`. A newline belongs to the line that it
    /// ends.
    pub(crate) fn line_at(&mut self, offset: usize) -> usize {
        if offset >= self.at {
            let passed = &self.bytes[self.at..offset];
            if let Some(last) = memrchr(b'\n', passed) {
                self.line += memchr_iter(b'\n', passed).count();
                self.line_start = self.at + last + 1;
            }
        } else {
            self.line -= memchr_iter(b'\n', &self.bytes[offset..self.at]).count();
            if offset < self.line_start {
                self.line_start = memrchr(b'\n', &self.bytes[..offset]).map_or(0, |last| last + 1);
            }
        }
        self.at = offset;
        self.line
    }

    /// Returns the offset at which the line that contains `offset` starts.
    pub(crate) fn line_start(&mut self, offset: usize) -> usize {
        self.line_at(offset);
        self.line_start
    }

    /// Returns the line of the last byte before `end` that is not blank, or 1 if there is none. If `quoted`, bare `>`
    /// markers count as blank.
    pub(crate) fn last_content_line(&mut self, end: usize, quoted: bool) -> usize {
        // Nested sections and items end together, so their blanks are walked over only once.
        if self.blank.quoted == quoted && self.blank.start < end && end <= self.blank.end {
            return self.blank.line;
        }
        // This avoids a step back, because between lone CRs the start of the line can be far away and is requested
        // often.
        let line = if end == self.line_start { self.line } else { self.line_at(end) };
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n') || quoted && *byte == b'>';
        let start = self.bytes[..end].iter().rposition(|byte| !is_blank(byte)).map_or(0, |last| last + 1);
        let line = line - memchr_iter(b'\n', &self.bytes[start..end]).count();
        self.blank = Blank { start, end, line, quoted };
        line
    }
}

/// A range of blank bytes.
#[derive(Debug, Default)]
struct Blank {
    start: usize,
    end: usize,
    /// The line of the byte before `start`.
    line: usize,
    /// Whether `>` counts as blank.
    quoted: bool,
}
