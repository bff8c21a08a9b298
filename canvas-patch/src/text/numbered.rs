//! Access to the lines of a text by number.

use super::lines::{boundaries, content};

/// A text with an index of its line boundaries.
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

    /// Returns the line at `index`, counted from 0, without its terminator.
    pub(crate) fn get(&self, index: usize) -> Option<&'t str> {
        let end = *self.boundaries.get(index.checked_add(1)?)?;
        Some(content(&self.text[self.boundaries[index]..end]))
    }

    /// Returns the text from the line at `index` on.
    pub(crate) fn from(&self, index: usize) -> Option<&'t str> {
        self.boundaries.get(index).map(|&start| &self.text[start..])
    }

    /// Returns the index of the line that contains this byte.
    pub(crate) fn line_at(&self, byte: usize) -> usize {
        self.boundaries.partition_point(|&start| start <= byte).saturating_sub(1)
    }

    /// Iterates over the lines in order, without terminators.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &'t str> {
        self.boundaries.windows(2).map(|ends| content(&self.text[ends[0]..ends[1]]))
    }
}
