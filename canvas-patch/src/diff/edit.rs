//! The applier that both modes share: one walk over the text before that collects the text after.

use std::ops::Range;

use crate::diff::patch::{LineKind, Patch};
use crate::text::lines::{self, at_line_end, count, line_start_before, terminator_behind};
use crate::text::span::Span;

/// The text after, and what changed.
pub(crate) type Spliced = (String, Vec<Span>);

/// Applies a patch whose arithmetic is exact, in one pass; `None` where anything differs.
pub(crate) fn exact(text: &str, patch: &Patch<'_>) -> Option<Spliced> {
    if patch.misplaced_marker.is_some() {
        return None;
    }
    let mut splice = Splice::new(text, patch);
    let (mut at, mut line) = (0, 0);
    for hunk in &patch.hunks {
        let range = hunk.range.filter(|_| hunk.counts_hold())?;
        let start = range.old_before()?;
        at = lines::skip(text, at, start.checked_sub(line)?)?;
        line = start;
        if range.new_before()? != line.checked_add_signed(splice.grown)? {
            return None;
        }
        for part in patch.lines_of(hunk) {
            if part.kind == LineKind::Add {
                splice.add(at, line, part.text, "");
                continue;
            }
            if !text.as_bytes()[at..].starts_with(part.text.as_bytes()) {
                return None;
            }
            let end = at + part.text.len();
            if !part.text.ends_with('\n') && end != text.len() {
                return None;
            }
            if part.kind == LineKind::Remove {
                splice.remove(at, line, part.text.len());
            }
            (at, line) = (end, line + 1);
        }
    }
    let (after, spans) = splice.finish();
    let apart = spans.iter().all(|span| stands_apart(&after, &span.new_bytes));
    apart.then_some((after, spans))
}

/// Whether new lines begin where a line of the text after begins, and end where one ends.
fn stands_apart(after: &str, new: &Range<usize>) -> bool {
    let ends_line = |at: usize| at == 0 || after.as_bytes()[at - 1] == b'\n';
    new.is_empty() || ends_line(new.start) && (ends_line(new.end) || new.end == after.len())
}

/// Collects the text after while the text before is walked.
pub(crate) struct Splice<'t> {
    before: &'t str,
    out: String,
    /// Bytes of the text before that are already in `out` or removed.
    done: usize,
    spans: Vec<Span>,
    /// New lines minus old lines so far.
    pub(crate) grown: isize,
}

impl<'t> Splice<'t> {
    pub(crate) fn new(before: &'t str, patch: &Patch<'_>) -> Self {
        // Anchored mode may add a CR to every added line.
        let capacity = before.len() + patch.added_bytes + patch.lines.len();
        Self {
            before,
            out: String::with_capacity(capacity),
            done: 0,
            spans: Vec::with_capacity(patch.hunks.len()),
            grown: 0,
        }
    }

    /// The open span at byte `at` and line `line` of the text before.
    fn span(&mut self, at: usize, line: usize) -> &mut Span {
        if self.spans.last().is_none_or(|span| span.old_bytes.end != at) {
            self.out.push_str(&self.before[self.done..at]);
            self.done = at;
            let (new, new_line) = (self.out.len(), line.wrapping_add_signed(self.grown));
            self.spans.push(Span {
                old_lines: line..line,
                new_lines: new_line..new_line,
                old_bytes: at..at,
                new_bytes: new..new,
            });
        }
        self.spans.last_mut().expect("there is one now")
    }

    pub(crate) fn remove(&mut self, at: usize, line: usize, len: usize) {
        let span = self.span(at, line);
        span.old_bytes.end = at + len;
        span.old_lines.end += 1;
        self.done = at + len;
        self.grown -= 1;
    }

    pub(crate) fn add(&mut self, at: usize, line: usize, text: &str, terminator: &str) {
        self.span(at, line).new_lines.end += 1;
        self.out.push_str(text);
        self.out.push_str(terminator);
        let end = self.out.len();
        self.spans.last_mut().expect("it was just opened").new_bytes.end = end;
        self.grown += 1;
    }

    /// Ends the last line of the text before where it is kept, has no terminator and lines are to follow it. The
    /// line then counts as changed.
    pub(crate) fn terminate_kept_line(&mut self, terminator: &str) {
        if self.done == self.before.len() || at_line_end(self.before) {
            return;
        }
        let start = line_start_before(self.before, self.before.len());
        let line = count(&self.before[..start]);
        let kept = &self.before[start..];
        self.remove(start, line, kept.len());
        self.add(self.before.len(), line + 1, kept, terminator_behind(kept, terminator));
    }

    /// Takes bytes of the line that was added last away again.
    pub(crate) fn shorten(&mut self, by: usize) {
        let end = self.out.len() - by;
        self.out.truncate(end);
        self.spans.last_mut().expect("a line was added").new_bytes.end = end;
    }

    pub(crate) fn finish(mut self) -> Spliced {
        self.out.push_str(&self.before[self.done..]);
        (self.out, self.spans)
    }
}
