//! Edits of text, and the applier that both modes share: one walk over the text before that collects the text after.

use std::fmt;
use std::ops::Range;

use crate::diff::patch::{LineKind, Patch};
use crate::text::lines::{self, at_line_end, count, line_start_before, terminator_after};
use crate::text::span::Span;

/// A replacement in a text, located in the text before it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TextEdit {
    /// The first byte that is replaced.
    pub at: usize,
    /// What is removed there.
    pub old: String,
    /// What is inserted instead.
    pub new: String,
}

impl TextEdit {
    /// The bytes that it removes; empty where it only inserts.
    pub fn range(&self) -> Range<usize> {
        self.at..self.at.saturating_add(self.old.len())
    }
}

/// What the applier has made of a text.
#[derive(Debug, Clone)]
pub(crate) struct Spliced {
    pub(crate) text: String,
    /// The changed ranges, in order and apart from one another.
    pub(crate) spans: Vec<Span>,
    pub(crate) summary: Summary,
}

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
            if part.kind == LineKind::Context {
                splice.end_run();
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
        splice.end_hunk();
    }
    let spliced = splice.finish();
    let apart = spliced.spans.iter().all(|span| is_whole_lines(&spliced.text, &span.new_bytes));
    apart.then_some(spliced)
}

/// Whether new lines begin where a line of the text after begins, and end where one ends.
fn is_whole_lines(after: &str, new: &Range<usize>) -> bool {
    let ends_line = |at: usize| at == 0 || after.as_bytes()[at - 1] == b'\n';
    new.is_empty() || ends_line(new.start) && (ends_line(new.end) || new.end == after.len())
}

/// Lines added and removed, shown as `+120 −3, 2 hunks`. What a patch removes and adds again at one place does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Summary {
    /// Lines of the post-image only.
    pub added: usize,
    /// Lines of the pre-image only.
    pub removed: usize,
    /// Hunks that change the text.
    pub hunks: usize,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = if self.hunks == 1 { "" } else { "s" };
        write!(f, "+{} −{}, {} hunk{s}", self.added, self.removed, self.hunks)
    }
}

/// Collects the text after while the text before is walked.
pub(crate) struct Splice<'t> {
    before: &'t str,
    out: String,
    /// Bytes of the text before that are already in `out` or removed.
    done: usize,
    spans: Vec<Span>,
    run: Option<Run>,
    /// Whether the hunk has changed the text so far.
    is_effective: bool,
    summary: Summary,
    /// New lines minus old lines so far.
    pub(crate) grown: isize,
}

/// Removed and added lines of one hunk without context between them, and what was there before them.
struct Run {
    done: usize,
    out: usize,
    spans: usize,
    last: Option<Span>,
    added: usize,
    removed: usize,
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
            run: None,
            is_effective: false,
            summary: Summary::default(),
            grown: 0,
        }
    }

    pub(crate) fn remove(&mut self, at: usize, line: usize, len: usize) {
        self.run(at).removed += 1;
        self.take(at, line, len);
    }

    pub(crate) fn add(&mut self, at: usize, line: usize, text: &str, terminator: &str) {
        self.run(at).added += 1;
        self.put(at, line, text, terminator);
    }

    /// Ends the last line of the text before where it is kept, has no terminator and lines are to follow it. The
    /// line then lies in a span, but is neither added nor removed.
    pub(crate) fn terminate_kept_line(&mut self, terminator: &str) {
        if self.done == self.before.len() || at_line_end(self.before) {
            return;
        }
        let start = line_start_before(self.before, self.before.len());
        let line = count(&self.before[..start]);
        let kept = &self.before[start..];
        self.run(start);
        self.take(start, line, kept.len());
        self.put(self.before.len(), line + 1, kept, terminator_after(kept, terminator));
    }

    /// Takes bytes of the line that was added last away again.
    pub(crate) fn shorten(&mut self, by: usize) {
        let end = self.out.len() - by;
        self.out.truncate(end);
        self.spans.last_mut().expect("a line was added").new_bytes.end = end;
    }

    /// Ends a run of removed and added lines; one that puts back what it has removed leaves no span.
    pub(crate) fn end_run(&mut self) {
        let Some(run) = self.run.take() else { return };
        if self.before[run.done..self.done] == self.out[run.out..] {
            self.spans.truncate(run.spans);
            if let (Some(extended), Some(last)) = (self.spans.last_mut(), run.last) {
                *extended = last;
            }
            return;
        }
        self.is_effective = true;
        self.summary.added += run.added;
        self.summary.removed += run.removed;
    }

    pub(crate) fn end_hunk(&mut self) {
        self.end_run();
        self.summary.hunks += usize::from(std::mem::take(&mut self.is_effective));
    }

    pub(crate) fn finish(mut self) -> Spliced {
        self.out.push_str(&self.before[self.done..]);
        Spliced { text: self.out, spans: self.spans, summary: self.summary }
    }

    /// The open run; a new one starts at byte `at`, up to which the text before is kept.
    fn run(&mut self, at: usize) -> &mut Run {
        if self.run.is_none() {
            self.out.push_str(&self.before[self.done..at]);
            self.done = at;
        }
        self.run.get_or_insert_with(|| Run {
            done: at,
            out: self.out.len(),
            spans: self.spans.len(),
            last: self.spans.last().cloned(),
            added: 0,
            removed: 0,
        })
    }

    fn take(&mut self, at: usize, line: usize, len: usize) {
        let span = self.span(at, line);
        span.old_bytes.end = at + len;
        span.old_lines.end += 1;
        self.done = at + len;
        self.grown -= 1;
    }

    fn put(&mut self, at: usize, line: usize, text: &str, terminator: &str) {
        let span = self.span(at, line);
        span.new_bytes.end += text.len() + terminator.len();
        span.new_lines.end += 1;
        self.out.push_str(text);
        self.out.push_str(terminator);
        self.grown += 1;
    }

    /// The open span at byte `at` and line `line` of the text before.
    fn span(&mut self, at: usize, line: usize) -> &mut Span {
        if self.spans.last().is_none_or(|span| span.old_bytes.end != at) {
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
}
