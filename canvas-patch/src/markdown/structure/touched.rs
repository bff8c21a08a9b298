//! The lines that an edit touches, and the new positions of all other lines.

use std::ops::Range;

use memchr::memchr_iter;

use crate::diff::changed::Changed;
use crate::text::lines;

/// Replacements of whole lines, counted from 0. They are in order and do not overlap.
#[derive(Debug)]
pub(super) struct Touched {
    changes: Vec<(Range<usize>, Range<usize>)>,
}

impl Touched {
    pub(super) fn of(before: &str, after: &str, changes: &[Changed]) -> Self {
        let mut whole: Vec<Changed> = Vec::with_capacity(changes.len());
        for change in changes {
            let mut end = (change.old.end, change.new.end);
            if !(is_line_start(before, end.0) && is_line_start(after, end.1)) {
                // The rest of the line is the same in both texts. If it is edited too, that edit decides where the
                // lines end.
                let more = lines::line_end(before, end.0) - end.0;
                end = (end.0 + more, (end.1 + more).min(after.len()));
            }
            let line = lines::line_start(before, change.old.start);
            match whole.last_mut() {
                Some(last) if line < last.old.end => (last.old.end, last.new.end) = end,
                _ => {
                    let start = change.new.start - (change.old.start - line);
                    whole.push(Changed { old: line..end.0, new: start..end.1 });
                }
            }
        }
        Self { changes: lines_of(before, after, &whole) }
    }

    /// Returns the replaced lines of the old text, counted from 0. If lines are only inserted, the range is empty
    /// and starts below the line above them.
    pub(super) fn old(&self) -> impl Iterator<Item = &Range<usize>> {
        self.changes.iter().map(|(old, _)| old)
    }

    /// Returns the line in the old text that became the line `new` of the new text, both counted from 1, or `None`
    /// if the edit touches it.
    pub(super) fn old_line(&self, new: usize) -> Option<usize> {
        moved(&self.changes, new, |(old, new)| (new, old))
    }

    /// Returns the line in the new text that the line `old` of the old text became, both counted from 1, or `None`
    /// if the edit touches it.
    pub(super) fn new_line(&self, old: usize) -> Option<usize> {
        moved(&self.changes, old, |(old, new)| (old, new))
    }
}

fn is_line_start(text: &str, at: usize) -> bool {
    at == 0 || text.as_bytes()[at - 1] == b'\n'
}

fn lines_of(before: &str, after: &str, changes: &[Changed]) -> Vec<(Range<usize>, Range<usize>)> {
    let (mut old_at, mut old_line, mut new_line) = (0, 0, 0);
    let lines = changes.iter().map(|Changed { old, new }| {
        let same = newlines(&before.as_bytes()[old_at..old.start]);
        let (old_start, new_start) = (old_line + same, new_line + same);
        old_line = old_start + count(&before.as_bytes()[old.clone()]);
        new_line = new_start + count(&after.as_bytes()[new.clone()]);
        old_at = old.end;
        (old_start..old_line, new_start..new_line)
    });
    lines.collect()
}

fn newlines(bytes: &[u8]) -> usize {
    memchr_iter(b'\n', bytes).count()
}

/// Counts the lines of a piece of text that starts at a line boundary.
fn count(bytes: &[u8]) -> usize {
    newlines(bytes) + usize::from(bytes.last().is_some_and(|&last| last != b'\n'))
}

/// Returns the line of the other side for an untouched `line` of this side, both counted from 1.
fn moved(
    changes: &[(Range<usize>, Range<usize>)],
    line: usize,
    sides: impl Fn(&(Range<usize>, Range<usize>)) -> (&Range<usize>, &Range<usize>),
) -> Option<usize> {
    let at = changes.partition_point(|change| sides(change).0.start < line);
    let Some(change) = at.checked_sub(1).map(|at| &changes[at]) else { return Some(line) };
    let (here, there) = sides(change);
    (line > here.end).then(|| line - here.end + there.end)
}
