//! Conflicts of hunks whose pre-image occurs at several places.

use std::ops::Range;

use crate::diff::conflict::{Conflict, Place, QuotedLine, Reason};
use crate::diff::patch::{Hunk, HunkRange, Patch, Repair, RepairKind};
use crate::diff::unified::header;
use crate::text::lines::{self, content};
use crate::text::numbered::NumberedLines;

/// Maximum number of conflicts in one refusal that show their places. Further ones list only line numbers.
const SHOWN: usize = 16;
/// Maximum lines of a hunk that a place shows.
pub(crate) const OLD_LINES: usize = 4;
/// Maximum number of lines searched on each side of a place for one that is not blank.
const BLANKS: usize = 8;

/// Returns the conflict of the hunk at index `i`. `places` are the lines, counted from 0, at which it may apply.
pub(crate) fn ambiguous(i: usize, hunk: &Hunk, places: &[usize]) -> Conflict {
    Conflict {
        candidates: places.iter().map(|line| line + 1).collect(),
        ..Conflict::of_hunk(i + 1, Reason::Ambiguous, hunk.patch_line)
    }
}

/// Adds to the first [`SHOWN`] `AMBIGUOUS` conflicts the text of the places nearest to the stated line, or of the first
/// places if the hunk states no line. Costs a pass over the text.
pub(crate) fn show_places(text: &str, patch: &Patch<'_>, conflicts: &mut [Conflict]) {
    let mut ambiguous =
        conflicts.iter_mut().filter(|conflict| conflict.reason == Reason::Ambiguous).peekable();
    if ambiguous.peek().is_none() {
        return;
    }
    let lines = NumberedLines::new(text);
    for conflict in ambiguous.take(SHOWN) {
        let i = conflict.hunk - 1;
        let hunk = &patch.hunks[i];
        let place = |start: usize| Place {
            line: start + 1,
            heading: None,
            last_line: start + hunk.old_len,
            nearby: around(&lines, start..start + hunk.old_len),
            header: deciding_header(&lines, patch, i, start),
        };
        let known = conflict.candidates.iter().map(|line| line - 1);
        let shown: Vec<usize> = match hunk.range.and_then(HunkRange::old_before) {
            Some(stated) => nearest(&lines, patch, hunk, stated, known),
            None => known.take(Conflict::PLACES).collect(),
        };
        conflict.places = shown.into_iter().map(place).collect();
    }
}

/// Returns the first lines of `place`, between its nearest neighbours that are not blank.
fn around(lines: &NumberedLines<'_>, place: Range<usize>) -> Vec<QuotedLine> {
    let is_text = |line: &usize| lines.get(*line).is_some_and(|line| !line.trim().is_empty());
    let before = (0..place.start).rev().take(BLANKS).find(is_text);
    let after = (place.end..lines.len()).take(BLANKS).find(is_text);
    let own = place.start..place.start + place.len().min(OLD_LINES);
    let neighbour = |line| QuotedLine::neighbour(lines, line);
    before
        .and_then(neighbour)
        .into_iter()
        .chain(QuotedLine::of(lines, own))
        .chain(after.and_then(neighbour))
        .collect()
}

/// Returns the places nearest to the line `stated`, in order. All lines are counted from 0.
fn nearest(
    lines: &NumberedLines<'_>,
    patch: &Patch<'_>,
    hunk: &Hunk,
    stated: usize,
    known: impl ExactSizeIterator<Item = usize>,
) -> Vec<usize> {
    let mut near: Vec<usize> = if known.len() < Conflict::CANDIDATES {
        known.collect()
    } else {
        // Only the first places are known, so the text is searched for nearer ones.
        let old: Vec<&str> = patch.pre_image(hunk).map(content).collect();
        let is_place = |start: &usize| (0..).zip(&old).all(|(i, line)| lines.get(start + i) == Some(*line));
        let (above, below) = ((0..stated.min(lines.len())).rev(), stated..lines.len());
        above
            .filter(is_place)
            .take(Conflict::PLACES)
            .chain(below.filter(is_place).take(Conflict::PLACES))
            .collect()
    };
    near.sort_unstable_by_key(|place| (place.abs_diff(stated), *place));
    near.truncate(Conflict::PLACES);
    near.sort_unstable();
    near
}

/// Returns the header that gives the hunk at index `i`, alone in a patch, exact arithmetic at the line `place`, counted
/// from 0. Returns `None` if terminators or the end of the patch would have to be repaired.
fn deciding_header(lines: &NumberedLines<'_>, patch: &Patch<'_>, i: usize, place: usize) -> Option<String> {
    let hunk = &patch.hunks[i];
    let mut rest = lines.from(place)?;
    for line in patch.pre_image(hunk) {
        rest = rest.strip_prefix(line).filter(|_| !lines::terminator(line).is_empty())?;
    }
    let is_whole = patch.lines_of(hunk).iter().all(|line| line.text.ends_with('\n'));
    let marker = Repair { hunk: i + 1, kind: RepairKind::EofMarkerIgnored };
    (is_whole && !patch.repairs.contains(&marker)).then(|| {
        let mut stated = String::new();
        header(&mut stated, place, hunk.old_len, place, hunk.new_len);
        stated.trim_end().to_owned()
    })
}
