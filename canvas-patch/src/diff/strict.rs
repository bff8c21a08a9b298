//! Strict mode: the patch is right in everything, or every conflict is told.

use std::ops::Range;

use crate::diff::conflict::{Conflict, Divergence, Reason};
use crate::diff::edit::{Splice, Spliced};
use crate::diff::locate;
use crate::diff::patch::{Kind, Patch, Stated};
use crate::text::lines::{self, at_line_end, line_end, line_start_before};

/// Applies a patch whose arithmetic is exact, in one pass; `None` where anything differs.
pub(crate) fn exact(text: &str, patch: &Patch<'_>) -> Option<Spliced> {
    if patch.misplaced_marker.is_some() {
        return None;
    }
    let mut splice = Splice::new(text, patch);
    let (mut at, mut line) = (0, 0);
    for hunk in &patch.hunks {
        let stated = hunk.stated.filter(|_| hunk.counts_hold())?;
        let start = stated.old_before()?;
        at = lines::skip(text, at, start.checked_sub(line)?)?;
        line = start;
        if stated.new_before()? != line.checked_add_signed(splice.grown)? {
            return None;
        }
        for part in patch.lines_of(hunk) {
            if part.kind == Kind::Add {
                splice.add(at, line, part.text, "");
                continue;
            }
            if !text.as_bytes()[at..].starts_with(part.text.as_bytes()) {
                return None;
            }
            let end = at + part.text.len();
            if !part.text.ends_with('\n') && end != text.len() {
                return None;
            }
            if part.kind == Kind::Remove {
                splice.remove(at, line, part.text.len());
            }
            (at, line) = (end, line + 1);
        }
    }
    let (after, edits) = splice.finish();
    let apart = edits.iter().all(|edit| stands_apart(&after, &edit.new));
    apart.then_some((after, edits))
}

/// Whether new lines begin where a line of the text after begins, and end where one ends.
fn stands_apart(after: &str, new: &Range<usize>) -> bool {
    let ends_line = |at: usize| at == 0 || after.as_bytes()[at - 1] == b'\n';
    new.is_empty() || ends_line(new.start) && (ends_line(new.end) || new.end == after.len())
}

/// Refusal of a strict patch: every hunk judged against the text as it is.
pub(crate) fn explain_strict(text: &str, patch: &Patch<'_>) -> Vec<Conflict> {
    let mut conflicts = Vec::new();
    let mut missed: Vec<(usize, Vec<&str>)> = Vec::new();
    let boundaries = lines::boundaries(text);
    let (mut previous, mut previous_end, mut grown) = (0, 0, 0_isize);
    for (i, hunk) in patch.hunks.iter().enumerate() {
        let conflict = |reason| Conflict::of_hunk(i + 1, reason, hunk.patch_line);
        let start = hunk.stated.and_then(Stated::old_before).unwrap_or_default();
        let stated_new = hunk.stated.and_then(Stated::new_before);
        if start < previous_end {
            let reason = if start < previous { Reason::Misordered } else { Reason::Overlap };
            conflicts.push(Conflict { line: Some(start + 1), ..conflict(reason) });
        } else if let Some((line, divergence)) = diverges(text, &boundaries, start, patch.old_side(hunk)) {
            missed.push((conflicts.len(), patch.old_side(hunk).collect()));
            conflicts.push(Conflict {
                line: Some(line + 1),
                divergence: Some(divergence),
                ..conflict(Reason::ContextMismatch)
            });
        } else if stated_new != start.checked_add_signed(grown) {
            conflicts.push(Conflict { line: Some(start + 1), ..conflict(Reason::StartMismatch) });
        }
        (previous, previous_end) = (start, start.saturating_add(hunk.old_len));
        grown += hunk.new_len.cast_signed() - hunk.old_len.cast_signed();
    }
    missed.retain(|(_, needle)| !needle.is_empty());
    let needles: Vec<_> = missed.iter().map(|(_, needle)| needle.clone()).collect();
    for ((conflict, _), places) in missed.iter().zip(locate::find(text, &needles, Conflict::CANDIDATES)) {
        conflicts[*conflict].candidates = places.lines.iter().map(|line| line + 1).collect();
    }
    conflicts.extend(patch.idle_hunks());
    conflicts.sort_by_key(|conflict| conflict.hunk);
    if conflicts.iter().any(|c| matches!(c.reason, Reason::Misordered | Reason::Overlap)) {
        // New starts cannot follow from one another where the hunks do not.
        conflicts.retain(|conflict| conflict.reason != Reason::StartMismatch);
    }
    if conflicts.is_empty() {
        // Every old side stands where it should: only an unterminated new line with text behind it is left.
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

/// The first line of an old side that differs from the text at line `start`, both with terminators. An empty old
/// side differs where the text has no line boundary at `start`.
fn diverges<'a>(
    text: &str,
    boundaries: &[usize],
    start: usize,
    mut old: impl Iterator<Item = &'a str>,
) -> Option<(usize, Divergence)> {
    let Some(&(mut at)) = boundaries.get(start) else {
        return Some((boundaries.len() - 1, Divergence::new(old.next().unwrap_or_default(), None)));
    };
    let mut old = old.peekable();
    if old.peek().is_none() && at == text.len() && !at_line_end(text) {
        let last = &text[line_start_before(text, at)..];
        return Some((start - 1, Divergence::new(&format!("{last}\n"), Some(last))));
    }
    for (i, expected) in old.enumerate() {
        let actual = (at < text.len()).then(|| &text[at..line_end(text, at)]);
        if actual != Some(expected) {
            return Some((start + i, Divergence::new(expected, actual)));
        }
        at += expected.len();
    }
    None
}
