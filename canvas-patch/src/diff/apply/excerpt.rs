//! The part of a diff that touches the lines that a patch quotes.

use std::ops::Range;

use crate::diff::apply::anchored::sole_places;
use crate::diff::edit::exact;
use crate::diff::options::Mode;
use crate::diff::parse::parse;
use crate::diff::patch::{HunkRange, Patch};
use crate::text::limits::Limits;
use crate::text::lines::Lines;

/// Some hunks of a diff. Their line numbers come from the complete diff, so the excerpt may not apply by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffExcerpt {
    /// Hunks, or an empty text if all are omitted.
    pub diff: String,
    /// Number of omitted hunks.
    pub left_out: usize,
}

impl DiffExcerpt {
    /// Returns the hunks of `changes` that touch the lines that `patch` quotes. `changes` is a diff from the text
    /// `base` to another text, and `patch` was written for `base`. Returns `None` if the patch does not fit `base` at
    /// one place, or if `patch` or `changes` cannot be read.
    ///
    /// The context of `changes` counts too. A hunk touches the patch if one of its old lines, including unchanged ones,
    /// is quoted by the patch or adjacent to a quoted line. Time is linear in the three texts.
    ///
    /// ```
    /// let base = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    /// let changes = canvas_patch::build(base, "1\nII\n3\n4\n5\n6\n7\n8\nIX\n", 1);
    /// let near = canvas_patch::DiffExcerpt::touching(base, "@@\n-3\n+three\n", &changes, &Default::default());
    /// let near = near.expect("the patch fits the base");
    /// assert_eq!((near.diff.as_str(), near.left_out), ("@@ -1,3 +1,3 @@\n 1\n-2\n+II\n 3\n", 1));
    /// ```
    pub fn touching(base: &str, patch: &str, changes: &str, limits: &Limits) -> Option<Self> {
        let patch = parse(patch, Mode::Anchored, limits).ok()?;
        let quoted = quoted(base, &patch)?;
        // The limits of a patch do not apply to a diff of two texts, which may be longer.
        let limits = Limits { patch_bytes: usize::MAX, hunks: usize::MAX, ..*limits };
        let changes_read = parse(changes, Mode::Strict, &limits).ok()?;
        let mut excerpt = Self { diff: String::new(), left_out: 0 };
        let mut quoted = quoted.into_iter().peekable();
        let mut lines = Lines::new(changes).zip(1..).peekable();
        for (i, hunk) in changes_read.hunks.iter().enumerate() {
            let start = hunk.range.and_then(HunkRange::old_before)?;
            let end = start.saturating_add(hunk.old_len);
            while quoted.next_if(|quoted| quoted.end < start).is_some() {}
            let touches = quoted.peek().is_some_and(|quoted| quoted.start <= end);
            excerpt.left_out += usize::from(!touches);
            let next = changes_read.hunks.get(i + 1).map_or(usize::MAX, |next| next.patch_line);
            while let Some((line, number)) = lines.next_if(|&(_, number)| number < next) {
                if touches && number >= hunk.patch_line {
                    excerpt.diff.push_str(line);
                }
            }
        }
        Some(excerpt)
    }
}

/// Returns the lines of `base` that the pre-images cover, counted from 0 and in order. Returns `None` if the patch does
/// not fit `base` at one place.
fn quoted(base: &str, patch: &Patch<'_>) -> Option<Vec<Range<usize>>> {
    let places = if exact(base, patch).is_some() {
        patch.hunks.iter().map(|hunk| hunk.range.and_then(HunkRange::old_before)).collect()
    } else {
        sole_places(base, patch)
    }?;
    let mut quoted: Vec<_> =
        patch.hunks.iter().zip(places).map(|(hunk, place)| place..place + hunk.old_len).collect();
    quoted.sort_by_key(|quoted| quoted.start);
    Some(quoted)
}
