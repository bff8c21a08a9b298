//! From byte offsets to line numbers, walking along the text.

use memchr::{memchr_iter, memrchr};

/// A place in a text that knows the number of its line.
///
/// Moving costs a newline count over the bytes passed, so offsets asked for in rising order cost one
/// pass over the text in all.
#[derive(Debug)]
pub(crate) struct LineCursor<'t> {
    bytes: &'t [u8],
    at: usize,
    line: usize,
    line_start: usize,
    /// What [`Self::last_content_line`] has last passed over.
    blank: Blank,
}

impl<'t> LineCursor<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self::starting_at(text, 0, 1)
    }

    /// A cursor at the byte `line_start`, where the line with the number `line` starts.
    pub(crate) fn starting_at(text: &'t str, line_start: usize, line: usize) -> Self {
        Self { bytes: text.as_bytes(), at: line_start, line, line_start, blank: Blank::default() }
    }

    /// The 1-based number of the line that holds the byte at `offset`; a newline belongs to its line.
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

    /// The offset at which the line that holds `offset` starts.
    pub(crate) fn line_start(&mut self, offset: usize) -> usize {
        self.line_at(offset);
        self.line_start
    }

    /// The line of the last byte before `end` that is not blank; bare `>` markers count as blank where
    /// `quoted`. Line 1 if there is none.
    pub(crate) fn last_content_line(&mut self, end: usize, quoted: bool) -> usize {
        // Sections and items nested in each other end together: blanks are walked over once.
        if self.blank.quoted == quoted && self.blank.start < end && end <= self.blank.end {
            return self.blank.line;
        }
        // Without a step back: between lone CRs the start of the line can be far away, and asked for often.
        let line = if end == self.line_start { self.line } else { self.line_at(end) };
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n') || quoted && *byte == b'>';
        let start = self.bytes[..end].iter().rposition(|byte| !is_blank(byte)).map_or(0, |last| last + 1);
        let line = line - memchr_iter(b'\n', &self.bytes[start..end]).count();
        self.blank = Blank { start, end, line, quoted };
        line
    }
}

/// Bytes that are blank.
#[derive(Debug, Default)]
struct Blank {
    start: usize,
    end: usize,
    /// That of the byte before `start`.
    line: usize,
    /// Whether `>` counts as blank.
    quoted: bool,
}
