//! Lists the conflicts of strict mode, in which a patch must be exact in everything.
//!
//! * A hunk without any `+` or `-` line is `NO_EFFECT`, because its author evidently lost a change.
//! * A blank context line without its leading space is refused.
//! * Every conflict is listed, but a fault of the patch text itself is reported alone.

use crate::diff::conflict::{Conflict, Reason};
use crate::diff::locate;
use crate::diff::mismatch::Mismatch;
use crate::diff::patch::{HunkRange, Patch};
use crate::text::lines::{self, at_line_end, line_end, line_start_before};

/// Lists the conflicts of a strict patch. Every hunk is compared with the original text.
pub(crate) fn explain_strict(text: &str, patch: &Patch<'_>) -> Vec<Conflict> {
    let mut conflicts = Vec::new();
    let mut missed: Vec<(usize, Vec<&str>)> = Vec::new();
    let boundaries = lines::boundaries(text);
    let (mut previous, mut previous_end, mut grown) = (0, 0, 0_isize);
    for (i, hunk) in patch.hunks.iter().enumerate() {
        let conflict = |reason| Conflict::of_hunk(i + 1, reason, hunk.patch_line);
        let start = hunk.range.and_then(HunkRange::old_before).unwrap_or_default();
        let new_before = hunk.range.and_then(HunkRange::new_before);
        if start < previous_end {
            let reason = if start < previous { Reason::Misordered } else { Reason::Overlap };
            conflicts.push(Conflict { line: Some(start + 1), ..conflict(reason) });
        } else if let Some((line, mismatch)) = diverges(text, &boundaries, start, patch.pre_image(hunk)) {
            missed.push((conflicts.len(), patch.pre_image(hunk).collect()));
            conflicts.push(Conflict {
                line: Some(line + 1),
                mismatch: Some(mismatch),
                ..conflict(Reason::ContextMismatch)
            });
        } else if new_before != start.checked_add_signed(grown) {
            conflicts.push(Conflict { line: Some(start + 1), ..conflict(Reason::StartMismatch) });
        }
        (previous, previous_end) = (start, start.saturating_add(hunk.old_len));
        grown += hunk.new_len as isize - hunk.old_len as isize;
    }
    missed.retain(|(_, needle)| !needle.is_empty());
    let needles: Vec<_> = missed.iter().map(|(_, needle)| needle.clone()).collect();
    for ((conflict, _), places) in missed.iter().zip(locate::find(text, &needles, Conflict::CANDIDATES)) {
        conflicts[*conflict].candidates = places.lines.iter().map(|line| line + 1).collect();
    }
    conflicts.extend(patch.no_op_hunks());
    conflicts.sort_by_key(|conflict| conflict.hunk);
    if conflicts.iter().any(|c| matches!(c.reason, Reason::Misordered | Reason::Overlap)) {
        // New starts cannot follow from one another if the hunks do not.
        conflicts.retain(|conflict| conflict.reason != Reason::StartMismatch);
    }
    if conflicts.is_empty() {
        // Every pre-image is at its place, so the only fault left is an unterminated new line with text after it.
        let fault = patch.misplaced_marker.map_or_else(
            || {
                let last = patch.markers.last().copied().unwrap_or_default();
                let i = patch.hunks.partition_point(|hunk| hunk.lines.end <= last);
                Conflict::of_hunk(i + 1, Reason::EofMarker, patch.hunks[i].patch_line)
            },
            Conflict::from,
        );
        conflicts.push(fault);
    }
    conflicts
}

/// Returns the first line in which a pre-image differs from the text at line `start`, terminators included. An empty
/// pre-image differs if the text has no line boundary at `start`.
fn diverges<'a>(
    text: &str,
    boundaries: &[usize],
    start: usize,
    mut old: impl Iterator<Item = &'a str>,
) -> Option<(usize, Mismatch)> {
    let Some(&(mut at)) = boundaries.get(start) else {
        return Some((boundaries.len() - 1, Mismatch::new(old.next().unwrap_or_default(), None)));
    };
    let mut old = old.peekable();
    if old.peek().is_none() && at == text.len() && !at_line_end(text) {
        let last = &text[line_start_before(text, at)..];
        return Some((start - 1, Mismatch::new(&format!("{last}\n"), Some(last))));
    }
    for (i, expected) in old.enumerate() {
        let actual = (at < text.len()).then(|| &text[at..line_end(text, at)]);
        if actual != Some(expected) {
            return Some((start + i, Mismatch::new(expected, actual)));
        }
        at += expected.len();
    }
    None
}
