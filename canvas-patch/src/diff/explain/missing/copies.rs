//! Detects lines that a hunk without an anchor adds although the text already has them.

use std::collections::HashMap;

use crate::diff::patch::{Hunk, LineKind, Patch};
use crate::text::lines::{Lines, content};

/// Returns for each hunk, given by its index, the first line of the text, counted from 1, that equals one of its added
/// lines, or `None` if the text has at most half of these. Only lines with a letter or digit count.
pub(crate) fn copied(text: &str, patch: &Patch<'_>, hunks: &[usize]) -> Vec<Option<usize>> {
    let added = |hunk: &Hunk| {
        let added = patch.lines_of(hunk).iter().filter(|line| line.kind == LineKind::Add);
        added
            .map(|line| content(line.text))
            .filter(|line| line.contains(char::is_alphanumeric))
            .collect::<Vec<_>>()
    };
    let added: Vec<Vec<&str>> = hunks.iter().map(|&i| added(&patch.hunks[i])).collect();
    let mut first: HashMap<&str, Option<usize>> = added.iter().flatten().map(|line| (*line, None)).collect();
    if first.is_empty() {
        return vec![None; hunks.len()];
    }
    for (line, number) in Lines::new(text).map(content).zip(1..) {
        if let Some(first) = first.get_mut(line) {
            first.get_or_insert(number);
        }
    }
    let copied = |added: Vec<&str>| {
        let places = added.iter().filter_map(|line| first[line]);
        (places.clone().count() * 2 > added.len()).then(|| places.min()).flatten()
    };
    added.into_iter().map(copied).collect()
}
