//! Writes unified diffs from edits.

use std::ops::Range;

use crate::text::limits::Limits;
use crate::text::lines::{Lines, back, count, forward};
use crate::text::span::Span;

/// Writes the hunks of a unified diff, without file names, with `context` unchanged lines around each change.
///
/// The edits are in order and do not touch one another. If they would make more hunks than a patch may have by default,
/// neighbours that are further apart share a hunk too.
pub(crate) fn hunks(before: &str, after: &str, edits: &[Span], context: usize) -> String {
    write(before, after, edits, &frames(before, edits, context))
}

/// The part of the old text that one hunk shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame {
    /// Indices of the edits, never empty.
    pub(crate) edits: Range<usize>,
    /// Bytes of the pre-image, which consists of the edits, the text between them and the context around them.
    pub(crate) old: Range<usize>,
    /// Lines of context before the first edit.
    lead: usize,
    /// Lines of context after the last edit.
    tail: usize,
}

impl Frame {
    /// Returns the frame of some edits with `context` lines around them, or fewer at the ends of the text.
    pub(crate) fn around(before: &str, edits: &[Span], shown: Range<usize>, context: usize) -> Self {
        let (first, last) = (&edits[shown.start], &edits[shown.end - 1]);
        let old = back(before, first.old_bytes.start, context)..forward(before, last.old_bytes.end, context);
        // Fewer than `context` lines only at an end of the text.
        let lead = context.min(first.old_lines.start);
        let tail = if old.end < before.len() { context } else { count(&before[last.old_bytes.end..]) };
        Self { edits: shown, old, lead, tail }
    }

    /// Joins a frame that begins in this one or right after it.
    pub(crate) fn join(&mut self, before: &str, edits: &[Span], next: &Self) {
        self.edits.end = next.edits.end;
        if next.old.end >= self.old.end {
            (self.old.end, self.tail) = (next.old.end, next.tail);
        } else {
            self.tail = count(&before[edits[self.edits.end - 1].old_bytes.end..self.old.end]);
        }
    }
}

/// Returns frames for all edits, in order and apart from one another.
pub(crate) fn frames(before: &str, edits: &[Span], context: usize) -> Vec<Frame> {
    let most = Limits::default().hunks;
    // Changes with at most two contexts between them share a hunk.
    let mut reach = context.saturating_mul(2);
    while edits.len() > most && (Groups { edits, at: 0, reach }).count() > most {
        reach = reach.saturating_mul(2).max(1);
    }
    let groups = Groups { edits, at: 0, reach };
    groups.map(|group| Frame::around(before, edits, group, context)).collect()
}

pub(crate) fn write(before: &str, after: &str, edits: &[Span], frames: &[Frame]) -> String {
    let mut out = String::with_capacity(length(edits, frames));
    for Frame { edits: shown, old, lead, tail } in frames {
        let shown = &edits[shown.clone()];
        let (first, last) = (&shown[0], &shown[shown.len() - 1]);
        let old_count = last.old_lines.end + tail + lead - first.old_lines.start;
        let new_count = last.new_lines.end + tail + lead - first.new_lines.start;
        header(&mut out, first.old_lines.start - lead, old_count, first.new_lines.start - lead, new_count);
        let mut at = old.start;
        for edit in shown {
            lines(&mut out, ' ', &before[at..edit.old_bytes.start]);
            lines(&mut out, '-', &before[edit.old_bytes.clone()]);
            lines(&mut out, '+', &after[edit.new_bytes.clone()]);
            at = edit.old_bytes.end;
        }
        lines(&mut out, ' ', &before[at..old.end]);
    }
    out
}

/// Estimates the size of the hunks of these frames, in bytes.
fn length(edits: &[Span], frames: &[Frame]) -> usize {
    let changed = |edit: &Span| edit.old_lines.len() + edit.new_bytes.len() + edit.new_lines.len();
    let shown = frames.iter().map(|frame| frame.old.len() + 48);
    shown.chain(edits.iter().map(changed)).sum()
}

/// Groups edits that share a hunk, because there are at most `reach` lines between neighbours.
struct Groups<'a> {
    edits: &'a [Span],
    at: usize,
    reach: usize,
}

impl Iterator for Groups<'_> {
    /// Indices of edits, never empty.
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let rest = self.edits.get(self.at..).filter(|rest| !rest.is_empty())?;
        let joined =
            rest.windows(2).take_while(|pair| pair[1].old_lines.start - pair[0].old_lines.end <= self.reach);
        let group = self.at..self.at + 1 + joined.count();
        self.at = group.end;
        Some(group)
    }
}

/// Writes the header of a hunk. `old_line` and `new_line` are the numbers of lines before it in the old and in the new
/// text.
pub(crate) fn header(out: &mut String, old_line: usize, old_count: usize, new_line: usize, new_count: usize) {
    let mut side = |mark: &str, line: usize, count: usize| {
        out.push_str(mark);
        // An empty side is stated by the line before it; a count of one is left out, as git does.
        number(out, line + usize::from(count > 0));
        if count != 1 {
            out.push(',');
            number(out, count);
        }
    };
    side("@@ -", old_line, old_count);
    side(" +", new_line, new_count);
    out.push_str(" @@\n");
}

/// Writes a number in decimal. A patch may have thousands of headers, and `write!` costs more than the lines of a small
/// hunk.
fn number(out: &mut String, number: usize) {
    if number >= 10 {
        self::number(out, number / 10);
    }
    out.push(char::from(b'0' + (number % 10) as u8));
}

fn lines(out: &mut String, mark: char, text: &str) {
    for line in Lines::new(text) {
        out.push(mark);
        out.push_str(line);
        if !line.ends_with('\n') {
            out.push_str("\n\\ No newline at end of file\n");
        }
    }
}
