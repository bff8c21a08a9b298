//! The lines of a text by their number.

use super::lines::{boundaries, content};

/// A text whose lines are looked up.
pub(crate) struct NumberedLines<'t> {
    text: &'t str,
    boundaries: Vec<usize>,
}

impl<'t> NumberedLines<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, boundaries: boundaries(text) }
    }

    pub(crate) fn text(&self) -> &'t str {
        self.text
    }

    pub(crate) fn len(&self) -> usize {
        self.boundaries.len() - 1
    }

    /// The line at `index`, from 0, without its terminator.
    pub(crate) fn get(&self, index: usize) -> Option<&'t str> {
        let end = *self.boundaries.get(index.checked_add(1)?)?;
        Some(content(&self.text[self.boundaries[index]..end]))
    }

    /// The text from the line at `index` on.
    pub(crate) fn from(&self, index: usize) -> Option<&'t str> {
        self.boundaries.get(index).map(|&start| &self.text[start..])
    }

    /// The index of the line that begins at this byte, or has it.
    pub(crate) fn line_at(&self, byte: usize) -> usize {
        self.boundaries.partition_point(|&start| start <= byte).saturating_sub(1)
    }

    /// Every line, in order, without its terminator.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &'t str> {
        self.boundaries.windows(2).map(|ends| content(&self.text[ends[0]..ends[1]]))
    }
}
