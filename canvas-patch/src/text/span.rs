//! Changed ranges of lines between two texts.

use std::ops::Range;

use super::lines::count;

/// A changed range of whole lines, in the old and in the new text.
///
/// Ranges are half-open and count from 0. An empty range marks the position at which lines were inserted or removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The changed lines of the old text.
    pub old_lines: Range<usize>,
    /// The lines of the new text that replace `old_lines`.
    pub new_lines: Range<usize>,
    /// The bytes of `old_lines`, including terminators.
    pub old_bytes: Range<usize>,
    /// The bytes of `new_lines`, including terminators.
    pub new_bytes: Range<usize>,
}

impl Span {
    /// Creates the span of two byte ranges. Counts the lines up to their ends.
    pub(crate) fn between(
        before: &str,
        after: &str,
        old_bytes: Range<usize>,
        new_bytes: Range<usize>,
    ) -> Self {
        let lines = |text: &str, bytes: &Range<usize>| {
            let start = count(&text[..bytes.start]);
            start..start + count(&text[bytes.clone()])
        };
        let (old_lines, new_lines) = (lines(before, &old_bytes), lines(after, &new_bytes));
        Self { old_lines, new_lines, old_bytes, new_bytes }
    }

    /// Returns the span of the inverse change.
    pub(crate) fn inverse(&self) -> Self {
        Self {
            old_lines: self.new_lines.clone(),
            new_lines: self.old_lines.clone(),
            old_bytes: self.new_bytes.clone(),
            new_bytes: self.old_bytes.clone(),
        }
    }
}
