//! Decides whether blank lines without a prefix are context, separators or added lines.

use crate::diff::conflict::Conflict;
use crate::diff::patch::{Hunk, LineKind, Patch, Repair, RepairKind};
use crate::text::lines::{Lines, content};

/// Returns the place that is followed by the most of a hunk's blank lines, and the number of these. Returns `None` if
/// two places tie, if no place is followed by any, or if there may be more places.
pub(crate) fn followed_by_blanks(
    text: &str,
    boundaries: &[usize],
    patch: &Patch<'_>,
    hunk: &Hunk,
    places: &[usize],
) -> Option<(usize, usize)> {
    // The search stops at the cap, so there may be more places.
    if hunk.blanks == 0 || places.len() == Conflict::CANDIDATES {
        return None;
    }
    let blanks = &patch.lines[hunk.lines.end..hunk.lines.end + hunk.blanks];
    let following = |place: usize| {
        let after = Lines::new(&text[boundaries[place + hunk.old_len]..]);
        after.zip(blanks).take_while(|(line, blank)| content(line) == content(blank.text)).count()
    };
    let counts: Vec<_> = places.iter().map(|&place| (place, following(place))).collect();
    let most = counts.iter().map(|(_, count)| *count).max().filter(|&most| most > 0)?;
    let mut best = counts.into_iter().filter(|(_, count)| *count == most);
    best.next().filter(|_| best.next().is_none())
}

/// Makes blank lines part of the hunks that they follow. `widened` has the indices of the hunks, in order, each with
/// the number of lines that it takes.
pub(crate) fn take_as_context(patch: &mut Patch<'_>, widened: &[(usize, usize)]) {
    for &(i, blanks) in widened {
        let hunk = &mut patch.hunks[i];
        hunk.lines.end += blanks;
        hunk.old_len += blanks;
        hunk.new_len += blanks;
        hunk.blanks -= blanks;
        patch.repairs.push(Repair { hunk: i + 1, kind: RepairKind::BlankContext });
    }
    let Patch { hunks, repairs, .. } = patch;
    let has_taken_all =
        |i: usize| widened.binary_search_by_key(&i, |&(hunk, _)| hunk).is_ok() && hunks[i].blanks == 0;
    repairs.retain(|&Repair { hunk, kind }| {
        kind != RepairKind::SeparatorDropped || !hunk.checked_sub(1).is_some_and(has_taken_all)
    });
}

/// Returns the indices of blank lines without a prefix in runs between added lines. Such a line may have lost its `+`.
pub(crate) fn between_added(patch: &Patch<'_>, hunk: &Hunk) -> Vec<usize> {
    let blanks = bare_blanks(patch, hunk);
    let is_added = |i: usize| hunk.lines.contains(&i) && patch.lines[i].kind == LineKind::Add;
    let runs = blanks.chunk_by(|a, b| a + 1 == *b);
    let between = runs.filter(|run| run[0] > 0 && is_added(run[0] - 1) && is_added(run[run.len() - 1] + 1));
    between.flatten().copied().collect()
}

/// Turns blank lines into added lines. `meant` has the indices of the hunks, in order, each with the indices of its
/// blank lines in the patch.
pub(crate) fn take_as_added(patch: &mut Patch<'_>, meant: &[(usize, Vec<usize>)]) {
    for (i, blanks) in meant {
        for &line in blanks {
            patch.lines[line].kind = LineKind::Add;
            patch.added_bytes += patch.lines[line].text.len();
        }
        patch.hunks[*i].old_len -= blanks.len();
        patch.repairs.push(Repair { hunk: i + 1, kind: RepairKind::BlankAdded });
    }
    let Patch { lines, bare_blanks: blanks, .. } = patch;
    blanks.retain(|&line| lines[line].kind != LineKind::Add);
    let mut repairs = std::mem::take(&mut patch.repairs);
    repairs.retain(|repair| {
        let Some(i) = repair.hunk.checked_sub(1) else { return true };
        let hunk = &patch.hunks[i];
        meant.binary_search_by_key(&i, |(hunk, _)| *hunk).is_err()
            || match repair.kind {
                RepairKind::CountsCorrected => !hunk.counts_hold(),
                RepairKind::BlankContext => !bare_blanks(patch, hunk).is_empty(),
                _ => true,
            }
    });
    patch.repairs = repairs;
}

fn bare_blanks<'p>(patch: &'p Patch<'_>, hunk: &Hunk) -> &'p [usize] {
    let blanks = &patch.bare_blanks;
    let end = blanks.partition_point(|&blank| blank < hunk.lines.end);
    &blanks[blanks.partition_point(|&blank| blank < hunk.lines.start)..end]
}
