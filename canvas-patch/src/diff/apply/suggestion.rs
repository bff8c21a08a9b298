//! Suggestions of a refusal. One offers the patch, rebased to the place where it fits. The other says that the text
//! already contains the patch's change.
//!
//! * They are computed for refusals only, in time linear in text and patch, and never applied.
//! * A rebased patch is offered only after the strict applier reproduces the change with it.
//! * The absence of removed lines is no proof, so a patch with a hunk that only removes lines never counts as applied.

use crate::diff::apply::anchored::{anchored, in_order, sole_places, splice_at};
use crate::diff::apply::error::Suggestion;
use crate::diff::conflict::{Conflict, Reason};
use crate::diff::edit::{Spliced, exact};
use crate::diff::options::{ApplyOptions, Mode};
use crate::diff::parse::parse;
use crate::diff::patch::{Hunk, HunkRange, Line, LineKind, Patch};
use crate::diff::unified;
use crate::text::limits::Limits;

/// Returns the suggestion for a patch of `patch_bytes` bytes that was read and could not be placed.
///
/// If the text already contains the change, the patch is never offered at another place, because sending it again would
/// make the change twice.
pub(crate) fn suggestion(
    text: &str,
    patch: &Patch<'_>,
    patch_bytes: usize,
    conflicts: &[Conflict],
    options: &ApplyOptions<'_>,
) -> Option<Suggestion> {
    if is_already_applied(text, patch, options.mode) {
        return Some(Suggestion::AlreadyApplied);
    }
    let after = rebase(text, patch, conflicts, options.mode)?;
    let rebased = unified::hunks(text, &after.text, &after.spans, context(patch));
    // Room for the headers, which the patch may have left out, and for some neighbours that are longer than the change.
    let room = 2 * patch_bytes + 64 * patch.hunks.len() + 1024;
    let fits = rebased.len() <= room && reproduces(text, &rebased, &after.text, &options.limits);
    fits.then_some(Suggestion::Rebased(rebased))
}

/// Applies the patch with each hunk at the one place where its pre-image occurs.
fn rebase(text: &str, patch: &Patch<'_>, conflicts: &[Conflict], mode: Mode) -> Option<Spliced> {
    let mendable = conflicts.iter().all(|conflict| match conflict.reason {
        Reason::Misordered | Reason::Overlap | Reason::StartMismatch => true,
        Reason::ContextMismatch => conflict.candidates.len() == 1,
        _ => false,
    });
    if !mendable {
        return None;
    }
    let mut placed: Vec<_> = sole_places(text, patch)?.into_iter().zip(patch.hunks.iter().cloned()).collect();
    placed.sort_by_key(|(place, _)| *place);
    let (places, hunks): (Vec<_>, Vec<_>) = placed.into_iter().unzip();
    let mut patch = Patch { hunks, ..patch.clone() };
    match mode {
        Mode::Strict => {
            restate(&mut patch.hunks, &places)?;
            exact(text, &patch)
        }
        Mode::Anchored => {
            in_order(&patch, &places).ok()?;
            Some(splice_at(text, &patch, &places).0)
        }
    }
}

/// Gives each hunk the numbers of its place. Returns `None` if hunks overlap so much that no number could be right.
fn restate(hunks: &mut [Hunk], places: &[usize]) -> Option<()> {
    let mut grown = 0_isize;
    for (hunk, &place) in hunks.iter_mut().zip(places) {
        // A side of no lines is stated by the line before it.
        let start = |before: usize, count: usize| before + usize::from(count > 0);
        hunk.range = Some(HunkRange {
            old_start: start(place, hunk.old_len),
            old_count: hunk.old_len,
            new_start: start(place.checked_add_signed(grown)?, hunk.new_len),
            new_count: hunk.new_len,
        });
        grown += hunk.new_len as isize - hunk.old_len as isize;
    }
    Some(())
}

/// Returns the largest number of context lines on one side of a hunk's changes, at most 3. It is at least 1, so that
/// insertions keep a neighbour.
fn context(patch: &Patch<'_>) -> usize {
    let around = |hunk| {
        let lines = patch.lines_of(hunk);
        let is_context = |line: &&Line<'_>| line.kind == LineKind::Context;
        let lead = lines.iter().take_while(is_context).count();
        lead.max(lines.iter().rev().take_while(is_context).count())
    };
    patch.hunks.iter().map(around).max().unwrap_or_default().clamp(1, 3)
}

/// Whether strict mode turns `text` into `after` with this patch, and the change is real and within the limits.
fn reproduces(text: &str, patch: &str, after: &str, limits: &Limits) -> bool {
    let parsed = parse(patch, Mode::Strict, limits).ok();
    after.len() <= limits.text_bytes
        && after != text
        && parsed.and_then(|patch| exact(text, &patch)).is_some_and(|result| result.text == after)
}

/// Whether the text already is the result of the patch.
///
/// A hunk that adds no line cannot prove this, because the text may never have had the lines that it removes.
fn is_already_applied(text: &str, patch: &Patch<'_>, mode: Mode) -> bool {
    let adds = |hunk| patch.lines_of(hunk).iter().any(|line| line.kind == LineKind::Add);
    if !patch.hunks.iter().all(adds) {
        return false;
    }
    let reversed = reversed(patch);
    let again = match mode {
        Mode::Strict => exact(text, &reversed).and_then(|before| exact(&before.text, patch)),
        Mode::Anchored => unapply(text, patch, &reversed).and_then(|before| {
            anchored(&before, patch, &ApplyOptions { mode: Mode::Anchored, ..ApplyOptions::default() })
                .ok()
                .map(|(after, _)| after)
        }),
    };
    again.is_some_and(|after| after.text == text)
}

/// Undoes the patch if each post-image occurs at one place, and evidently not by chance.
fn unapply(text: &str, patch: &Patch<'_>, reversed: &Patch<'_>) -> Option<String> {
    let places = sole_places(text, reversed)?;
    let is_meant = |(hunk, &place): (&Hunk, &usize)| {
        let solid = |line: &&Line<'_>| line.kind.is_new() && !line.text.trim().is_empty();
        // One line alone may be there for another reason.
        let solid = patch.lines_of(hunk).iter().filter(solid).take(2).count();
        solid == 2 || hunk.range.and_then(HunkRange::new_before) == Some(place)
    };
    if !patch.hunks.iter().zip(&places).all(is_meant) {
        return None;
    }
    in_order(reversed, &places).ok()?;
    Some(splice_at(text, reversed, &places).0.text)
}

/// Returns the patch that undoes this one.
fn reversed<'a>(patch: &Patch<'a>) -> Patch<'a> {
    let hunk = |hunk: &Hunk| Hunk {
        range: hunk.range.map(|range| HunkRange {
            old_start: range.new_start,
            old_count: range.new_count,
            new_start: range.old_start,
            new_count: range.old_count,
        }),
        old_len: hunk.new_len,
        new_len: hunk.old_len,
        ..hunk.clone()
    };
    let line = |line: &Line<'a>| {
        let kind = match line.kind {
            LineKind::Context => LineKind::Context,
            LineKind::Remove => LineKind::Add,
            LineKind::Add => LineKind::Remove,
        };
        Line { kind, text: line.text }
    };
    let lines: Vec<_> = patch.lines.iter().map(line).collect();
    let added_bytes =
        lines.iter().filter(|line| line.kind == LineKind::Add).map(|line| line.text.len()).sum();
    Patch { hunks: patch.hunks.iter().map(hunk).collect(), lines, added_bytes, ..patch.clone() }
}
