//! Edits of text, and the applier that both modes share. It walks over the old text once and collects the new text.

use std::fmt;
use std::ops::Range;

use crate::diff::patch::{LineKind, Patch};
use crate::text::lines::{self, at_line_end, count, line_start_before, terminator_after};
use crate::text::span::Span;

/// A replacement in a text, located in the text before the replacement.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TextEdit {
    /// Offset of the first replaced byte.
    pub at: usize,
    /// The text between `at` and the end of the edit, which is removed.
    pub old: String,
    /// The text inserted in its place.
    pub new: String,
}

impl TextEdit {
    /// Returns the byte range that the edit removes. It is empty if the edit only inserts.
    pub fn range(&self) -> Range<usize> {
        self.at..self.at.saturating_add(self.old.len())
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Spliced<T = String> {
    pub(crate) text: T,
    /// The changed ranges, in order and apart from one another.
    pub(crate) spans: Vec<Span>,
    /// The old lines that each hunk quotes.
    pub(crate) quoted: Vec<Range<usize>>,
    pub(crate) summary: Summary,
}

/// Applies a patch of exact arithmetic, in one pass. Returns `None` if anything differs.
pub(crate) fn exact(text: &str, patch: &Patch<'_>) -> Option<Spliced> {
    let spliced = exact_into(new_text(text, patch), text, patch)?;
    let apart = spliced.spans.iter().all(|span| is_whole_lines(&spliced.text, &span.new_bytes));
    apart.then_some(spliced)
}

/// Applies a patch of exact arithmetic and compares the new text with `after`, without a copy of it. Returns `None` if
/// anything differs.
pub(crate) fn exact_to<'t>(text: &str, patch: &Patch<'_>, after: &'t str) -> Option<Spliced<&'t str>> {
    let Spliced { text: expected, spans, quoted, summary } = exact_into(Expected::new(after), text, patch)?;
    let apart = spans.iter().all(|span| is_whole_lines(after, &span.new_bytes));
    (expected.is_complete() && apart).then_some(Spliced { text: after, spans, quoted, summary })
}

fn exact_into<O: Output>(out: O, text: &str, patch: &Patch<'_>) -> Option<Spliced<O>> {
    if patch.misplaced_marker.is_some() {
        return None;
    }
    let mut splice = Splice::new(out, text, patch);
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
        splice.end_hunk(start..line);
    }
    Some(splice.finish())
}

/// Whether new lines begin and end at line boundaries of the new text.
fn is_whole_lines(after: &str, new: &Range<usize>) -> bool {
    let ends_line = |at: usize| at == 0 || after.as_bytes()[at - 1] == b'\n';
    new.is_empty() || ends_line(new.start) && (ends_line(new.end) || new.end == after.len())
}

/// Lines added and removed, shown as `+120 −3, 2 hunks`. A run of lines that a patch removes and adds again unchanged
/// does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// Receives the new text during a walk over the old text.
pub(crate) trait Output {
    fn push(&mut self, text: &str);

    fn len(&self) -> usize;

    /// Returns the new text from a byte on that [`len`](Self::len) gave before.
    fn since(&self, start: usize) -> &str;
}

/// Collects the new text.
impl Output for String {
    fn push(&mut self, text: &str) {
        self.push_str(text);
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn since(&self, start: usize) -> &str {
        &self[start..]
    }
}

/// Compares the new text with an expected one.
struct Expected<'t> {
    text: &'t str,
    /// Number of bytes that were equal so far.
    len: usize,
    differs: bool,
}

impl<'t> Expected<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, len: 0, differs: false }
    }

    fn is_complete(&self) -> bool {
        !self.differs && self.len == self.text.len()
    }
}

impl Output for Expected<'_> {
    fn push(&mut self, text: &str) {
        self.differs |= !self.text.as_bytes()[self.len..].starts_with(text.as_bytes());
        if !self.differs {
            self.len += text.len();
        }
    }

    fn len(&self) -> usize {
        self.len
    }

    fn since(&self, start: usize) -> &str {
        &self.text[start..self.len]
    }
}

/// Returns the empty string in which to collect the new text of a patch.
pub(crate) fn new_text(before: &str, patch: &Patch<'_>) -> String {
    // Anchored mode may add a CR to every added line.
    String::with_capacity(before.len() + patch.added_bytes + patch.lines.len())
}

/// Makes the new text during a walk over the old text.
pub(crate) struct Splice<'t, O = String> {
    before: &'t str,
    out: O,
    /// Number of bytes of the old text copied into `out` or removed so far.
    done: usize,
    spans: Vec<Span>,
    quoted: Vec<Range<usize>>,
    run: Option<Run>,
    /// Whether a run of the current hunk changed the text.
    is_effective: bool,
    summary: Summary,
    /// New lines minus old lines so far.
    pub(crate) grown: isize,
}

/// A run of removed and added lines of one hunk, without context between them.
struct Run {
    old_byte: usize,
    new_byte: usize,
    old_line: usize,
    new_line: usize,
    removed: usize,
    added: usize,
    /// Lines that the patch keeps, although they count in both `removed` and `added`.
    kept: usize,
}

impl<'t, O: Output> Splice<'t, O> {
    pub(crate) fn new(out: O, before: &'t str, patch: &Patch<'_>) -> Self {
        Self {
            before,
            out,
            done: 0,
            spans: Vec::with_capacity(patch.hunks.len()),
            quoted: Vec::with_capacity(patch.hunks.len()),
            run: None,
            is_effective: false,
            summary: Summary::default(),
            grown: 0,
        }
    }

    pub(crate) fn remove(&mut self, at: usize, line: usize, len: usize) {
        self.run(at, line).removed += 1;
        self.done = at + len;
        self.grown -= 1;
    }

    pub(crate) fn add(&mut self, at: usize, line: usize, text: &str, terminator: &str) {
        self.run(at, line).added += 1;
        self.out.push(text);
        self.out.push(terminator);
        self.grown += 1;
    }

    /// Terminates the last line of the old text if it is kept and has no terminator, because lines follow it. The line
    /// is then part of a span, but counts as neither added nor removed.
    pub(crate) fn terminate_kept_line(&mut self, terminator: &str) {
        if self.done == self.before.len() || at_line_end(self.before) {
            return;
        }
        let start = line_start_before(self.before, self.before.len());
        let line = count(&self.before[..start]);
        let kept = &self.before[start..];
        self.remove(start, line, kept.len());
        self.add(start, line, kept, terminator_after(kept, terminator));
        self.run(start, line).kept += 1;
    }

    /// Ends a run of removed and added lines. A run that puts back the lines that it removes leaves no span.
    pub(crate) fn end_run(&mut self) {
        let Some(run) = self.run.take() else { return };
        if self.before[run.old_byte..self.done] == *self.out.since(run.new_byte) {
            return;
        }
        self.is_effective = true;
        self.summary.added += run.added - run.kept;
        self.summary.removed += run.removed - run.kept;
        match self.spans.last_mut() {
            Some(last) if last.old_bytes.end == run.old_byte => {
                (last.old_bytes.end, last.new_bytes.end) = (self.done, self.out.len());
                last.old_lines.end += run.removed;
                last.new_lines.end += run.added;
            }
            _ => self.spans.push(Span {
                old_lines: run.old_line..run.old_line + run.removed,
                new_lines: run.new_line..run.new_line + run.added,
                old_bytes: run.old_byte..self.done,
                new_bytes: run.new_byte..self.out.len(),
            }),
        }
    }

    /// Ends a hunk that quotes these old lines.
    pub(crate) fn end_hunk(&mut self, quoted: Range<usize>) {
        self.end_run();
        self.quoted.push(quoted);
        self.summary.hunks += usize::from(std::mem::take(&mut self.is_effective));
    }

    pub(crate) fn finish(mut self) -> Spliced<O> {
        self.out.push(&self.before[self.done..]);
        Spliced { text: self.out, spans: self.spans, quoted: self.quoted, summary: self.summary }
    }

    /// Returns the open run. If there is none, keeps the old text up to the byte `at`, the start of line `line`, and
    /// starts a run there.
    fn run(&mut self, at: usize, line: usize) -> &mut Run {
        if self.run.is_none() {
            self.out.push(&self.before[self.done..at]);
            self.done = at;
        }
        self.run.get_or_insert_with(|| Run {
            old_byte: at,
            new_byte: self.out.len(),
            old_line: line,
            new_line: line.wrapping_add_signed(self.grown),
            removed: 0,
            added: 0,
            kept: 0,
        })
    }
}

impl Splice<'_> {
    /// Removes the last `by` bytes of the last added line.
    pub(crate) fn shorten(&mut self, by: usize) {
        self.out.truncate(self.out.len() - by);
    }
}
