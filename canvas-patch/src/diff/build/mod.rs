//! Building a patch from a text before and a text after.

mod unique;

use crate::diff::apply::{Applied, apply};
use crate::diff::compare::changes;
use crate::diff::edit::Summary;
use crate::diff::options::{Mode, Options};
use crate::diff::unified;
use crate::text::limits::Limits;
use crate::text::span::Span;

/// How much unchanged text a built patch shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BuildOptions {
    /// Unchanged lines around each change. Default 3.
    pub context: usize,
    /// Maximum context when a hunk's pre-image occurs more than once. The smallest context that makes it unique is used.
    /// Default 16; more than 64 counts as 64. At most `context` turns widening off.
    pub widest_context: usize,
}

/// The widest context that is ever tried, so that cost stays linear.
const MAX_CONTEXT: usize = 64;

impl Default for BuildOptions {
    fn default() -> Self {
        Self { context: 3, widest_context: 16 }
    }
}

/// A patch that leads from a text before to a text after.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Built {
    /// The unified diff, without file names; empty where the texts are equal.
    pub patch: String,
    /// Lines added and removed.
    pub summary: Summary,
    /// The changed ranges, in order. [`word_changes`](crate::word_changes) finds what differs within one.
    pub spans: Vec<Span>,
    /// Hunks, from 1, whose pre-image occurs at several places of the text before, or that have none, even with the
    /// widest context; they keep the narrow one. In anchored mode their line numbers alone place them.
    pub ambiguous: Vec<usize>,
}

/// Builds the unified diff that leads from `before` to `after`, without file names; empty where they are equal.
///
/// The patch has been applied strictly to `before` and has given `after`. `context` is the number of unchanged lines
/// around each change; three is customary. See [`build_unique`] for hunks that can be placed by their content.
///
/// Time is linear in both texts. What they share at their ends is only compared, the rest is numbered by lines and
/// cut into blocks along what both share. So the diff is not always minimal: long texts of lines that repeat, or that
/// have changed places, may come out with more changed lines than they need.
///
/// # Panics
///
/// Where the strict applier refuses the patch: a defect of this crate, never of the input.
///
/// ```
/// let patch = canvas_patch::build("a\nb\n", "a\nc\n", 3);
/// assert_eq!(patch, "@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
/// ```
pub fn build(before: &str, after: &str, context: usize) -> String {
    let patch = unified::hunks(before, after, &changes(before, after), context);
    checked(before, after, &patch);
    patch
}

/// Builds a patch like [`build`], each hunk of which can be placed by its content alone, as far as the text allows.
///
/// Pre-images are compared as anchored mode does, line by line without terminators. Context grows on both sides alike,
/// and hunks that come to touch become one. Costs one pass over `before` more than [`build`] where each hunk shows a line
/// that occurs nowhere else, and up to eight passes otherwise.
///
/// # Panics
///
/// Where the strict applier refuses the patch: a defect of this crate, never of the input.
///
/// ```
/// use canvas_patch::{BuildOptions, build_unique};
///
/// let before = "# Milk\n\n- buy\n- pour\n\n# Oil\n\n- buy\n- pour\n";
/// let after = "# Milk\n\n- buy\n- pour\n\n# Oil\n\n- buy\n- burn\n";
/// let built = build_unique(before, after, &BuildOptions { context: 1, ..BuildOptions::default() });
/// assert_eq!(built.patch, "@@ -6,4 +6,4 @@\n # Oil\n \n - buy\n-- pour\n+- burn\n");
/// assert!(built.ambiguous.is_empty());
/// ```
pub fn build_unique(before: &str, after: &str, options: &BuildOptions) -> Built {
    let edits = changes(before, after);
    let frames = unified::frames(before, &edits, options.context);
    let widest = options.widest_context.min(MAX_CONTEXT);
    let unique::Widened { frames, ambiguous } =
        unique::widen(before, &edits, frames, options.context, widest);
    let patch = unified::write(before, after, &edits, &frames);
    match checked(before, after, &patch) {
        Some(applied) => Built { summary: applied.summary(), spans: applied.spans(), patch, ambiguous },
        None => Built::default(),
    }
}

/// The patch applied strictly, with the result compared; `None` where there is nothing to apply.
fn checked<'t>(before: &'t str, after: &str, patch: &str) -> Option<Applied<'t>> {
    if patch.is_empty() {
        assert!(before == after, "only equal texts need no patch");
        return None;
    }
    let limits = Limits { text_bytes: usize::MAX, patch_bytes: usize::MAX, hunks: usize::MAX };
    let applied = apply(before, patch, &Options { mode: Mode::Strict, limits, ..Options::default() });
    let applied = applied.expect("a built patch fits the text that it was built from");
    assert!(applied.text() == after, "a built patch gives the text that it was built for");
    Some(applied)
}
