//! Collecting the text after while the text before is walked.

use crate::diff::patch::Patch;
use crate::diff::unified::Edit;
use crate::text::lines::{at_line_end, count, line_start_before, terminator_behind};

/// The text after, and what changed.
pub(crate) type Spliced = (String, Vec<Edit>);

/// Collects the text after while the text before is walked.
pub(crate) struct Splice<'t> {
    before: &'t str,
    out: String,
    /// Bytes of the text before that are already in `out` or removed.
    done: usize,
    edits: Vec<Edit>,
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
            edits: Vec::with_capacity(patch.hunks.len()),
            grown: 0,
        }
    }

    /// The open edit at byte `at` and line `line` of the text before.
    fn edit(&mut self, at: usize, line: usize) -> &mut Edit {
        if self.edits.last().is_none_or(|edit| edit.old.end != at) {
            self.out.push_str(&self.before[self.done..at]);
            self.done = at;
            let (new, new_line) = (self.out.len(), line.wrapping_add_signed(self.grown));
            self.edits.push(Edit { old: at..at, new: new..new, old_line: line, new_line });
        }
        self.edits.last_mut().expect("there is one now")
    }

    pub(crate) fn remove(&mut self, at: usize, line: usize, len: usize) {
        self.edit(at, line).old.end = at + len;
        self.done = at + len;
        self.grown -= 1;
    }

    pub(crate) fn add(&mut self, at: usize, line: usize, text: &str, terminator: &str) {
        self.edit(at, line);
        self.out.push_str(text);
        self.out.push_str(terminator);
        let end = self.out.len();
        self.edits.last_mut().expect("it was just opened").new.end = end;
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
        self.edits.last_mut().expect("a line was added").new.end = end;
    }

    pub(crate) fn finish(mut self) -> Spliced {
        self.out.push_str(&self.before[self.done..]);
        (self.out, self.edits)
    }
}
