//! The byte ranges in which two texts differ.

use std::ops::Range;

use super::edit::TextEdit;

/// If there are more edits at once, everything between the first and the last counts as changed.
pub(crate) const MAX_EDITS: usize = 256;

/// Bytes of the old text, and the bytes of the new text that replace them.
#[derive(Debug, Clone)]
pub(crate) struct Changed {
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
}

/// Returns the changes from one text to the other. These are the edits if they turn one into the other. Otherwise, one
/// change covers everything from the first to the last difference.
pub(crate) fn changes(before: &str, after: &str, edits: &[TextEdit]) -> Vec<Changed> {
    let changes = all_changes(before, after, edits);
    match &changes[..] {
        [first, .., last] if changes.len() > MAX_EDITS => {
            vec![Changed { old: first.old.start..last.old.end, new: first.new.start..last.new.end }]
        }
        _ => changes,
    }
}

/// Like [`changes`], but returns every edit, however many there are.
pub(crate) fn all_changes(before: &str, after: &str, edits: &[TextEdit]) -> Vec<Changed> {
    checked(before, after, edits).unwrap_or_else(|| difference(before, after))
}

fn checked(before: &str, after: &str, edits: &[TextEdit]) -> Option<Vec<Changed>> {
    let mut changes: Vec<Changed> = Vec::with_capacity(edits.len());
    let (mut old_at, mut new_at) = (0, 0);
    for edit in edits {
        let old = edit.range();
        let kept = before.get(old_at..old.start)?;
        let start = new_at + kept.len();
        let new = start..start + edit.new.len();
        if after.get(new_at..start)? != kept
            || before.get(old.clone())? != edit.old
            || after.get(new.clone())? != edit.new
        {
            return None;
        }
        (old_at, new_at) = (old.end, new.end);
        changes.push(Changed { old, new });
    }
    if before.get(old_at..)? != after.get(new_at..)? {
        return None;
    }
    Some(changes)
}

/// Returns one change from the first to the last difference. Equal texts have no change.
fn difference(before: &str, after: &str) -> Vec<Changed> {
    const CHUNK: usize = 4096;
    let (before, after) = (before.as_bytes(), after.as_bytes());
    let chunks = before.chunks(CHUNK).zip(after.chunks(CHUNK)).take_while(|(b, a)| b == a);
    let same: usize = chunks.map(|(chunk, _)| chunk.len()).sum();
    let rest = before[same..].iter().zip(&after[same..]);
    let start = same + rest.take_while(|(b, a)| b == a).count();
    let (before_rest, after_rest) = (&before[start..], &after[start..]);
    let chunks = before_rest.rchunks(CHUNK).zip(after_rest.rchunks(CHUNK)).take_while(|(b, a)| b == a);
    let same: usize = chunks.map(|(chunk, _)| chunk.len()).sum();
    let (before_rest, after_rest) =
        (&before_rest[..before_rest.len() - same], &after_rest[..after_rest.len() - same]);
    let rest = before_rest.iter().rev().zip(after_rest.iter().rev());
    let same = rest.take_while(|(b, a)| b == a).count();
    let changed =
        Changed { old: start..start + before_rest.len() - same, new: start..start + after_rest.len() - same };
    if changed.old.is_empty() && changed.new.is_empty() { Vec::new() } else { vec![changed] }
}
