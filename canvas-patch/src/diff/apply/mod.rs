//! Applies a patch as a whole or not at all.
//!
//! `strict` and `anchored` decide where hunks belong, and list every conflict. `blanks` decides the meaning of blank
//! lines without a prefix. `blocks` applies hunks at places that the caller decides. `error` is the error of a refused
//! patch, and `suggestion` computes the alternative that it may offer. `excerpt` picks the hunks of a diff that touch a
//! patch.

pub(crate) mod anchored;
pub(crate) mod blanks;
pub(crate) mod blocks;
pub(crate) mod error;
pub(crate) mod excerpt;
pub(crate) mod strict;
pub(crate) mod suggestion;

use std::ops::Range;

use crate::diff::apply::anchored::anchored;
use crate::diff::apply::error::ApplyError;
use crate::diff::apply::strict::explain_strict;
use crate::diff::apply::suggestion::suggestion;
use crate::diff::conflict::{ExceededLimit, ParseError, Reason};
use crate::diff::delta::Delta;
use crate::diff::edit::{Spliced, Summary, exact};
use crate::diff::options::{ApplyOptions, Mode};
use crate::diff::parse::parse;
use crate::diff::patch::Repair;
use crate::diff::unified;
use crate::text::span::Span;

/// The result of a successful [`apply`].
#[derive(Debug, Clone)]
pub struct Applied<'t> {
    before: &'t str,
    after: Spliced,
    repairs: Vec<Repair>,
}

impl<'t> Applied<'t> {
    pub(crate) fn new(before: &'t str, after: Spliced, repairs: Vec<Repair>) -> Self {
        Self { before, after, repairs }
    }

    /// Returns the patched text.
    pub fn text(&self) -> &str {
        &self.after.text
    }

    /// Returns the patched text without copying it.
    pub fn into_text(self) -> String {
        self.after.text
    }

    /// Returns the numbers of added lines, removed lines and hunks.
    pub fn summary(&self) -> Summary {
        self.after.summary
    }

    /// Returns the repairs of anchored mode, in the order of the hunks. The list is empty after strict mode.
    pub fn repairs(&self) -> &[Repair] {
        &self.repairs
    }

    /// Returns the changed ranges of lines, in order. This is a copy, so that it outlives [`Applied::into_text`].
    pub fn spans(&self) -> Vec<Span> {
        self.after.spans.clone()
    }

    /// Returns the lines of the old text that each hunk quotes, as context or as removed lines, in the order of the hunks.
    /// Lines count from 0.
    pub fn quoted_lines(&self) -> &[Range<usize>] {
        &self.after.quoted
    }

    /// Returns the change as a value that you can store, invert and transform to fit after later changes. Costs a copy
    /// of the changed bytes.
    pub fn delta(&self) -> Delta {
        Delta::of(self.before, &self.after.text, &self.after.spans)
    }

    /// Returns a patch of the same change in which every number and line is exact. If you apply it strictly to the
    /// original text, you get [`Applied::text`]. It is computed on demand, at a cost proportional to the changes.
    pub fn patch(&self) -> String {
        unified::hunks(self.before, &self.after.text, &self.after.spans, 3)
    }

    /// Returns the patch that undoes the change. If you apply it strictly to [`Applied::text`], you get the original
    /// text, byte for byte. It is computed on demand, at a cost proportional to the changes.
    pub fn inverse(&self) -> String {
        let spans: Vec<_> = self.after.spans.iter().map(Span::inverse).collect();
        unified::hunks(&self.after.text, self.before, &spans, 3)
    }
}

/// Applies a unified diff to a text, as a whole or not at all.
///
/// Time is linear in text and patch in both modes. Strict mode and patches with exact arithmetic cost one pass over the
/// text and one allocation of its size.
///
/// ```
/// use canvas_patch::{ApplyOptions, Mode, apply};
///
/// let text = "# Plan\n\n- buy milk\n- call home\n";
/// let patch = "@@\n - buy milk\n+- buy bread\n - call home\n";
/// let options = ApplyOptions { mode: Mode::Anchored, ..ApplyOptions::default() };
/// let applied = apply(text, patch, &options)?;
/// assert_eq!(applied.text(), "# Plan\n\n- buy milk\n- buy bread\n- call home\n");
/// assert_eq!(apply(applied.text(), &applied.inverse(), &ApplyOptions::default())?.text(), text);
/// # Ok::<(), canvas_patch::ApplyError>(())
/// ```
///
/// # Errors
///
/// [`ApplyError`] lists every conflict. It may also suggest places where the same change would fit, or report that the
/// text already has the change. The text is only borrowed, so it is unchanged. A refusal costs several passes, each of
/// them linear.
pub fn apply<'t>(text: &'t str, patch: &str, options: &ApplyOptions<'_>) -> Result<Applied<'t>, ApplyError> {
    let limits = &options.limits;
    if text.len() > limits.text_bytes {
        return Err(ParseError::too_large(ExceededLimit::Document).into());
    }
    let patch_bytes = patch.len();
    let patch = parse(patch, options.mode, limits)?;
    let placed = match options.mode {
        Mode::Strict => match exact(text, &patch) {
            Some(after) => Ok((after, Vec::new())),
            None => Err(explain_strict(text, &patch)),
        },
        Mode::Anchored => anchored(text, &patch, options),
    };
    let (after, repairs) = placed.map_err(|conflicts| {
        let suggestion = suggestion(text, &patch, patch_bytes, &conflicts, options);
        ApplyError::new(conflicts, suggestion)
    })?;
    let no_ops = patch.no_op_hunks();
    if !no_ops.is_empty() {
        return Err(ApplyError::new(no_ops, None));
    }
    if after.text.len() > limits.text_bytes {
        return Err(ParseError::too_large(ExceededLimit::Result).into());
    }
    if is_same(text, &after) {
        return Err(ParseError::of_patch(Reason::NoEffect, 1).into());
    }
    Ok(Applied { before: text, after, repairs })
}

pub(crate) fn is_same(before: &str, after: &Spliced) -> bool {
    let Some(first) = after.spans.first() else { return true };
    // Equal lengths are rare, and the comparison ends at the first change.
    let start = first.old_bytes.start;
    before.len() == after.text.len() && before[start..] == after.text[start..]
}
