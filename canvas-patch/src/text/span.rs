//! Where two texts differ.

use std::ops::Range;

use super::lines::count;

/// A changed range of whole lines, in the text before and in the text after. Ranges are half-open and count from 0; an
/// empty one is where lines were inserted or removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Lines of the text before.
    pub old_lines: Range<usize>,
    /// Lines of the text after.
    pub new_lines: Range<usize>,
    /// Bytes of the text before.
    pub old_bytes: Range<usize>,
    /// Bytes of the text after.
    pub new_bytes: Range<usize>,
}

impl Span {
    /// The span of two byte ranges. Costs a count of the lines up to their ends.
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

    /// The span of the change that leads back.
    pub(crate) fn inverse(&self) -> Self {
        Self {
            old_lines: self.new_lines.clone(),
            new_lines: self.old_lines.clone(),
            old_bytes: self.new_bytes.clone(),
            new_bytes: self.old_bytes.clone(),
        }
    }
}
