//! Limits of the parser on nesting and links, and whether they can matter for a text.

use memchr::memchr_iter;

use super::depth;
use super::found::{Definition, Lead};

/// What link references may expand to before pulldown-cmark stops resolving them, where the text is no longer.
const EXPANSION: usize = 100_000;

/// Decides whether the parser's limits can matter for a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct ParserLimits {
    /// Whether a line nests deeply.
    pub(super) deep: bool,
    /// No definition expands to more bytes.
    pub(super) longest_definition: usize,
    /// Every reference has one; those of front matter are counted too.
    pub(super) brackets: usize,
}

impl ParserLimits {
    pub(super) fn of(text: &str, lead: Lead, definitions: &[Definition]) -> Self {
        let deep = depth::is_deep(&text[lead.bytes..]);
        Self { deep, longest_definition: longest(definitions), brackets: brackets(text) }
    }

    pub(super) fn can_matter(self, text: &str) -> bool {
        let expanded = self.brackets.saturating_mul(self.longest_definition);
        expanded >= expansion_limit(text) || self.deep && depth::is_bounded(text)
    }
}

/// What the references of a text may expand to, all of which are resolved below that.
pub(super) fn expansion_limit(text: &str) -> usize {
    text.len().max(EXPANSION)
}

/// Bytes that the longest definition expands to.
pub(super) fn longest(definitions: &[Definition]) -> usize {
    definitions.iter().map(|definition| definition.expansion).max().unwrap_or(0)
}

/// How many `]` a text has.
pub(super) fn brackets(text: impl AsRef<[u8]>) -> usize {
    memchr_iter(b']', text.as_ref()).count()
}
