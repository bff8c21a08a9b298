//! Builds a patch from an old and a new text.

mod unique;

use crate::diff::compare::changes;
use crate::diff::delta::Delta;
use crate::diff::edit::{Spliced, Summary, exact_to};
use crate::diff::options::Mode;
use crate::diff::parse::parse;
use crate::diff::unified;
use crate::text::limits::Limits;
use crate::text::span::Span;

/// The amount of unchanged text that a built patch shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BuildOptions {
    /// Unchanged lines around each change. Default 3.
    pub context: usize,
    /// Maximum context if a hunk's pre-image occurs more than once. The smallest context that makes it unique is used.
    /// Default 16. A value above 64 counts as 64, and a value of at most `context` turns widening off.
    pub widest_context: usize,
}

/// The widest context ever tried, so that the cost stays linear.
const MAX_CONTEXT: usize = 64;

impl Default for BuildOptions {
    fn default() -> Self {
        Self { context: 3, widest_context: 16 }
    }
}

/// A patch that turns the old text into the new text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[must_use = "the patch is in `patch`"]
pub struct Built {
    /// The unified diff, without file names. It is empty if the texts are equal.
    pub patch: String,
    /// The numbers of lines added and removed.
    pub summary: Summary,
    /// The changed ranges, in order. [`word_changes`](crate::word_changes) finds the words that differ within one.
    pub spans: Vec<Span>,
    /// Numbers, counted from 1, of the hunks whose pre-image is empty or occurs at several places in the old text, even
    /// with the widest context. They keep the narrow context. In anchored mode, only the line number places such a
    /// hunk, and a hunk with an empty pre-image has no place unless the text is empty.
    pub ambiguous: Vec<usize>,
}

/// Builds the unified diff from `before` to `after`, without file names. It is empty if they are equal.
///
/// Before it is returned, the patch is applied strictly to `before`, and the result is compared with `after`. `context`
/// is the number of unchanged lines around each change, usually three. See [`build_unique`] for hunks that can be
/// placed by their content.
///
/// Time is linear in both texts. Their common start and end are only compared. The rest is numbered by lines and cut
/// into blocks along the lines that both share, so the diff is not always minimal. For example, long texts with
/// repeated or moved lines may have more changed lines than necessary.
///
/// # Panics
///
/// If the strict applier refuses the patch, which is a defect of this crate and never of the input.
///
/// ```
/// let patch = canvas_patch::build("a\nb\n", "a\nc\n", 3);
/// assert_eq!(patch, "@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
/// ```
pub fn build(before: &str, after: &str, context: usize) -> String {
    of(before, after, &changes(before, after), context)
}

/// Builds a patch like [`build`], and the same change as [`Delta::between`] returns it. Compares the texts once for both.
///
/// # Panics
///
/// Like [`build`].
///
/// ```
/// use canvas_patch::{Delta, build_with_delta};
///
/// let (patch, delta) = build_with_delta("a\nb\n", "a\nc\n", 3);
/// assert_eq!(patch, "@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
/// assert_eq!(delta, Delta::between("a\nb\n", "a\nc\n"));
/// ```
pub fn build_with_delta(before: &str, after: &str, context: usize) -> (String, Delta) {
    let changes = changes(before, after);
    (of(before, after, &changes, context), Delta::of(before, after, &changes))
}

fn of(before: &str, after: &str, changes: &[Span], context: usize) -> String {
    let patch = unified::hunks(before, after, changes, context);
    checked(before, after, &patch);
    patch
}

/// Builds a patch like [`build`], but each hunk can be placed by its content alone, as far as the text allows.
///
/// Pre-images are compared as in anchored mode, line by line without terminators. Context grows on both sides alike,
/// and hunks that then touch become one. If each hunk shows a line that occurs nowhere else, this costs one pass over
/// `before` more than [`build`]. Otherwise it costs up to eight passes more.
///
/// # Panics
///
/// If the strict applier refuses the patch, which is a defect of this crate and never of the input.
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
        Some(Spliced { summary, spans, .. }) => Built { summary, spans, patch, ambiguous },
        None => Built::default(),
    }
}

/// Applies the patch strictly and compares the result. Returns `None` if the patch is empty.
fn checked<'t>(before: &str, after: &'t str, patch: &str) -> Option<Spliced<&'t str>> {
    if patch.is_empty() {
        assert!(before == after, "only equal texts need no patch");
        return None;
    }
    assert!(before != after, "equal texts need no patch");
    let limits = Limits { text_bytes: usize::MAX, patch_bytes: usize::MAX, hunks: usize::MAX };
    let patch = parse(patch, Mode::Strict, &limits).expect("a built patch can be read");
    assert!(patch.no_op_hunks().is_empty(), "each hunk of a built patch changes something");
    let applied = exact_to(before, &patch, after);
    Some(applied.expect("a built patch leads from the text before to the text after"))
}
