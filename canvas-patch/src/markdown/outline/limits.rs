//! The parser's limits on nesting and links, and whether they can matter for a text.

use memchr::{memchr_iter, memmem};

use super::depth;
use super::found::{Definition, Lead};

/// Bytes that link references may expand to before pulldown-cmark stops resolving them. For a longer text, the limit is
/// its length.
const EXPANSION: usize = 100_000;

/// The properties of a text that decide whether the parser's limits can matter.
#[derive(Debug, Clone, Copy)]
pub(super) struct ParserLimits {
    /// Whether a line nests deeply.
    pub(super) deep: bool,
    /// An upper bound for the bytes that any definition expands to.
    pub(super) longest_definition: usize,
    /// Number of `]` in the text, including its front matter. Every reference has at least one.
    pub(super) brackets: usize,
    /// Whether a title has a footnote reference inside a link. If the footnote is defined anywhere, the title has no link.
    pub(super) footnote_in_link: bool,
}

impl ParserLimits {
    pub(super) fn of(text: &str, lead: Lead, definitions: &[Definition], footnote_in_link: bool) -> Self {
        let deep = depth::is_deep(&text[lead.bytes..]);
        Self { deep, longest_definition: longest(definitions), brackets: brackets(text), footnote_in_link }
    }

    pub(super) fn can_matter(self, text: &str) -> bool {
        let expanded = self.brackets.saturating_mul(self.longest_definition);
        self.footnote_in_link || expanded >= expansion_limit(text) || self.deep && depth::is_bounded(text)
    }
}

/// Returns the bytes of expansion at which the parser may stop. Below this limit it resolves all references of a text.
pub(super) fn expansion_limit(text: &str) -> usize {
    text.len().max(EXPANSION)
}

/// Returns the bytes that the longest definition expands to, or 0 if there are no definitions.
pub(super) fn longest(definitions: &[Definition]) -> usize {
    definitions.iter().map(|definition| definition.expansion).max().unwrap_or(0)
}

/// Whether the source of a title may have a footnote reference inside a link.
pub(super) fn has_footnote_in_link(title: &str) -> bool {
    memmem::find(title.as_bytes(), b"[^").is_some_and(|at| {
        memchr_iter(b']', &title.as_bytes()[at..])
            .any(|end| matches!(title.as_bytes().get(at + end + 1), Some(b'(' | b'[')))
    })
}

/// Counts the `]` of a text.
pub(super) fn brackets(text: impl AsRef<[u8]>) -> usize {
    memchr_iter(b']', text.as_ref()).count()
}
