//! Applying a patch: all of its hunks, or nothing.

use std::fmt;

use crate::diff::anchored::{Placed, anchored};
use crate::diff::conflict::{ParseError, Reason};
use crate::diff::delta::Delta;
use crate::diff::edit::exact;
use crate::diff::error::ApplyError;
use crate::diff::options::{Mode, Options};
use crate::diff::parse::parse;
use crate::diff::patch::{LineKind, Repair};
use crate::diff::strict::explain_strict;
use crate::diff::suggestion::suggestion;
use crate::diff::unified;
use crate::text::span::Span;

/// Lines added and removed, shown as `+120 −3, 2 hunks`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Summary {
    /// Lines on the post-image only.
    pub added: usize,
    /// Lines on the pre-image only.
    pub removed: usize,
    /// Hunks of the patch.
    pub hunks: usize,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = if self.hunks == 1 { "" } else { "s" };
        write!(f, "+{} −{}, {} hunk{s}", self.added, self.removed, self.hunks)
    }
}

/// A patch that was applied.
#[derive(Debug, Clone)]
pub struct Applied<'t> {
    before: &'t str,
    text: String,
    spans: Vec<Span>,
    summary: Summary,
    repairs: Vec<Repair>,
}

impl Applied<'_> {
    /// The text after the patch.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text after the patch, taken out.
    pub fn into_text(self) -> String {
        self.text
    }

    /// Lines added and removed.
    pub fn summary(&self) -> Summary {
        self.summary
    }

    /// What anchored mode put right, in the order of the hunks; empty after strict mode.
    pub fn repairs(&self) -> &[Repair] {
        &self.repairs
    }

    /// The changed ranges of lines, in order; a copy, so that it outlives [`Applied::into_text`].
    pub fn spans(&self) -> Vec<Span> {
        self.spans.clone()
    }

    /// What was changed, as a value that can be kept, taken back and moved past later edits. Costs a copy of the
    /// changed bytes.
    pub fn delta(&self) -> Delta {
        Delta::of(self.before, &self.text, &self.spans)
    }

    /// The patch that does the same and is right in everything: applied strictly to the text before it gives
    /// [`Applied::text`]. Computed on demand, in the size of the changes.
    pub fn patch(&self) -> String {
        unified::hunks(self.before, &self.text, &self.spans, 3)
    }

    /// The patch that leads back: applied strictly to [`Applied::text`] it gives the text before, byte for byte.
    /// Computed on demand, in the size of the changes.
    pub fn inverse(&self) -> String {
        let spans: Vec<_> = self.spans.iter().map(Span::inverse).collect();
        unified::hunks(&self.text, self.before, &spans, 3)
    }
}

/// Applies a unified diff to a text: every hunk, or none.
///
/// Time is linear in text and patch in both modes; strict mode and patches with exact arithmetic cost one pass over
/// the text and one allocation of its size.
///
/// ```
/// use canvas_patch::{Mode, Options, apply};
///
/// let text = "# Plan\n\n- buy milk\n- call home\n";
/// let patch = "@@\n - buy milk\n+- buy bread\n - call home\n";
/// let options = Options { mode: Mode::Anchored, ..Options::default() };
/// let applied = apply(text, patch, &options)?;
/// assert_eq!(applied.text(), "# Plan\n\n- buy milk\n- buy bread\n- call home\n");
/// assert_eq!(apply(applied.text(), &applied.inverse(), &Options::default())?.text(), text);
/// # Ok::<(), canvas_patch::ApplyError>(())
/// ```
///
/// # Errors
///
/// [`ApplyError`] lists every conflict that stands in the way, and tells where the same change would fit or is in the
/// text already; the text is only borrowed, so nothing has changed. A refusal costs several passes, each linear.
pub fn apply<'t>(text: &'t str, patch: &str, options: &Options) -> Result<Applied<'t>, ApplyError> {
    if text.len() > options.limits.text_bytes {
        return Err(ParseError::of_patch(Reason::TooLarge, 1).into());
    }
    let patch_bytes = patch.len();
    let patch = parse(patch, options.mode, &options.limits)?;
    let placed = match options.mode {
        Mode::Strict => match exact(text, &patch) {
            Some(result) => Ok(Placed { result, repairs: Vec::new() }),
            None => Err(explain_strict(text, &patch)),
        },
        Mode::Anchored => anchored(text, &patch),
    };
    let Placed { result: (after, spans), repairs } = placed.map_err(|conflicts| {
        let suggestion = suggestion(text, &patch, patch_bytes, &conflicts, options);
        ApplyError::new(conflicts, suggestion)
    })?;
    let idle = patch.no_op_hunks();
    if !idle.is_empty() {
        return Err(ApplyError::new(idle, None));
    }
    if after.len() > options.limits.text_bytes {
        return Err(ParseError::of_patch(Reason::TooLarge, 1).into());
    }
    if is_same(text, &after, &spans) {
        return Err(ParseError::of_patch(Reason::NoEffect, 1).into());
    }
    let count = |kind| patch.lines.iter().filter(|line| line.kind == kind).count();
    let summary =
        Summary { added: count(LineKind::Add), removed: count(LineKind::Remove), hunks: patch.hunks.len() };
    Ok(Applied { before: text, text: after, spans, summary, repairs })
}

fn is_same(before: &str, after: &str, spans: &[Span]) -> bool {
    let Some(first) = spans.first() else { return true };
    // Equal lengths are rare, and the comparison ends at the first change.
    before.len() == after.len() && before[first.old_bytes.start..] == after[first.old_bytes.start..]
}
