//! Diffs for those who would rather not write them by hand.

use canvas_core::text::{Limits, Mode, Options, apply, build};

/// A diff that leads from one text to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Built {
    pub(crate) diff: String,
    /// Whether it applies to the document and does there what was asked.
    pub(crate) applies: bool,
}

/// Makes the diff that turns `original`, a part of the document or all of it, into `updated`. Where `original` occurs in
/// the document once, the diff is one of the document.
pub(crate) fn diff_for(document: &str, original: &str, updated: &str) -> Built {
    let once = match document.find(original) {
        Some(at) if !original.is_empty() || document.is_empty() => {
            // The second place may overlap the first.
            let next = at + document[at..].chars().next().map_or(0, char::len_utf8);
            let is_once = original.is_empty() || !document[next..].contains(original);
            is_once.then_some(at)
        }
        _ => None,
    };
    let Some(at) = once else {
        return Built { diff: build(original, updated, 3), applies: false };
    };
    let after = [&document[..at], updated, &document[at + original.len()..]].concat();
    let diff = build(document, &after, 3);
    let options = Options { mode: Mode::Anchored, limits: Limits::default() };
    let applies = apply(document, &diff, &options).is_ok_and(|applied| applied.text() == after);
    Built { diff, applies }
}
