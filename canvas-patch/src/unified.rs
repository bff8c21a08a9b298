//! Writing unified diffs from edits.

use std::fmt::Write as _;
use std::ops::Range;

use crate::lines::{Lines, count, line_end, line_start_before};
use crate::options::Limits;

/// One changed stretch of whole lines: bytes of the text before and after, and the line index, from 0, of each start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
    pub(crate) old_line: usize,
    pub(crate) new_line: usize,
}

impl Edit {
    pub(crate) fn inverse(&self) -> Self {
        Self {
            old: self.new.clone(),
            new: self.old.clone(),
            old_line: self.new_line,
            new_line: self.old_line,
        }
    }
}

/// Writes the hunks of a unified diff, without file names, with `context` unchanged lines around each change.
///
/// The edits are in order and do not touch one another. Where they would make more hunks than a patch may have by
/// default, neighbours further apart are joined until they do not.
pub(crate) fn hunks(before: &str, after: &str, edits: &[Edit], context: usize) -> String {
    let most = Limits::default().hunks;
    // Changes with at most two contexts between them share a hunk.
    let mut reach = context.saturating_mul(2);
    while edits.len() > most && (Groups { before, rest: edits, reach }).count() > most {
        reach = reach.saturating_mul(2).max(1);
    }
    let mut out = String::new();
    for group in (Groups { before, rest: edits, reach }) {
        let first = &group[0];
        let start = back(before, first.old.start, context);
        let last = group.last().expect("a group holds its first edit");
        let end = forward(before, last.old.end, context);
        let lead = count(&before[start..first.old.start]);
        let tail = count(&before[last.old.end..end]);
        let old_count = last.old_line + count(&before[last.old.clone()]) + tail + lead - first.old_line;
        let new_count = last.new_line + count(&after[last.new.clone()]) + tail + lead - first.new_line;
        header(&mut out, first.old_line - lead, old_count, first.new_line - lead, new_count);
        let mut at = start;
        for edit in group {
            lines(&mut out, ' ', &before[at..edit.old.start]);
            lines(&mut out, '-', &before[edit.old.clone()]);
            lines(&mut out, '+', &after[edit.new.clone()]);
            at = edit.old.end;
        }
        lines(&mut out, ' ', &before[at..end]);
    }
    out
}

/// Edits that share a hunk, because at most `reach` lines lie between neighbours.
struct Groups<'a> {
    before: &'a str,
    rest: &'a [Edit],
    reach: usize,
}

impl<'a> Iterator for Groups<'a> {
    /// Never empty.
    type Item = &'a [Edit];

    fn next(&mut self) -> Option<&'a [Edit]> {
        let joined = self.rest.windows(2).take_while(|pair| {
            let gap = &self.before[pair[0].old.end..pair[1].old.start];
            Lines::new(gap).take(self.reach.saturating_add(1)).count() <= self.reach
        });
        let (group, rest) = self.rest.split_at_checked(1 + joined.count())?;
        self.rest = rest;
        Some(group)
    }
}

fn header(out: &mut String, old_line: usize, old_count: usize, new_line: usize, new_count: usize) {
    let mut side = |mark: &str, line: usize, count: usize| {
        // An empty side is stated by the line before it; a count of one is left out, as git does.
        let _ = match count {
            0 => write!(out, "{mark}{line},0"),
            1 => write!(out, "{mark}{}", line + 1),
            _ => write!(out, "{mark}{},{count}", line + 1),
        };
    };
    side("@@ -", old_line, old_count);
    side(" +", new_line, new_count);
    out.push_str(" @@\n");
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

/// The line boundary at most `n` lines before `at`.
fn back(text: &str, mut at: usize, n: usize) -> usize {
    for _ in 0..n {
        if at == 0 {
            break;
        }
        at = line_start_before(text, at);
    }
    at
}

/// The line boundary at most `n` lines behind `at`.
fn forward(text: &str, mut at: usize, n: usize) -> usize {
    for _ in 0..n {
        if at == text.len() {
            break;
        }
        at = line_end(text, at);
    }
    at
}
