//! Anchored mode, in which each hunk applies at the one place where its pre-image occurs.
//!
//! * All hunks are located in the original text, never in text that the patch adds.
//! * Blank lines without a prefix at the end of a hunk are separators, unless they make its place unique. Between added
//!   lines they are context, unless the hunk fits only if they are added lines.
//! * An inserted line takes the terminator of the line that it replaces, or else of the line above, or else of the line
//!   below. If an LF would follow a CR of the content, CR LF is written, so that the content does not change.
//! * A line that one hunk quotes and another removes is an `OVERLAP`. So are two changes that meet at one point, if
//!   both hunks quote a line next to that point.
//! * An added last line without content keeps its terminator, even if the text ends without one.

use std::borrow::Cow;

use memchr::memrchr;

use crate::diff::apply::blanks::{between_added, followed_by_blanks, take_as_added, take_as_context};
use crate::diff::conflict::{Conflict, Reason};
use crate::diff::edit::{Splice, Spliced, exact, new_text};
use crate::diff::explain::ambiguous::{OLD_LINES, ambiguous, show_places};
use crate::diff::explain::missing::{Missing, copied, explain};
use crate::diff::explain::outdated::outdated;
use crate::diff::locate;
use crate::diff::options::{ApplyOptions, StatedLines};
use crate::diff::patch::{Hunk, HunkRange, LineKind, Patch, Repair, RepairKind};
use crate::text::lines::{self, at_line_end, content, line_end};

/// Places every hunk by its content. If the patch's arithmetic is exact and [`StatedLines`] lets the stated lines
/// decide, the hunks go to the lines that they state.
pub(crate) fn anchored(
    text: &str,
    patch: &Patch<'_>,
    options: &ApplyOptions<'_>,
) -> Result<(Spliced, Vec<Repair>), Vec<Conflict>> {
    let unanchored = unanchored(text, patch);
    let ignores_marker = patch.repairs.iter().any(|repair| repair.kind == RepairKind::EofMarkerIgnored);
    let is_exact = unanchored.is_empty() && !patch.missing_final_newline && !ignores_marker;
    if let Some(result) = is_exact.then(|| exact(text, patch)).flatten() {
        let mut conflicts = undecided(text, patch, options.stated_lines);
        if conflicts.is_empty() {
            let stated = |hunk: &Hunk| hunk.range.and_then(HunkRange::old_before).unwrap_or_default();
            conflicts = outdated(text, patch, patch.hunks.iter().map(stated), options);
        }
        return if conflicts.is_empty() { Ok((result, patch.repairs.clone())) } else { Err(conflicts) };
    }
    let faults = unanchored.into_iter().chain(patch.no_op_hunks()).collect();
    let mut patch = Cow::Borrowed(patch);
    let places = unique_places(text, &mut patch, faults)?;
    let outdated = outdated(text, &patch, places.iter().copied(), options);
    if !outdated.is_empty() {
        return Err(outdated);
    }
    in_order(&patch, &places)?;
    Ok(splice_at(text, &patch, &places))
}

/// Returns a conflict for each hunk without a pre-image, unless the text is empty.
fn unanchored(text: &str, patch: &Patch<'_>) -> Vec<Conflict> {
    let is_unanchored = |&i: &usize| patch.hunks[i].old_len == 0 && !text.is_empty();
    let hunks: Vec<usize> = (0..patch.hunks.len()).filter(is_unanchored).collect();
    let conflict = |(&i, present_at): (&usize, Option<usize>)| Conflict {
        present_at,
        ..Conflict::of_hunk(i + 1, Reason::NoAnchor, patch.hunks[i].patch_line)
    };
    hunks.iter().zip(copied(text, patch, &hunks)).map(conflict).collect()
}

/// Takes a patch of exact arithmetic. Returns a conflict for each hunk whose place is not unique and whose stated line
/// does not decide. If there is one, hunks without effect are listed too.
fn undecided(text: &str, patch: &Patch<'_>, stated: StatedLines<'_>) -> Vec<Conflict> {
    let mut decides = stated.deciding();
    let mut is_open = |hunk: &Hunk| {
        hunk.old_len > 0 && !hunk.range.and_then(HunkRange::old_before).is_some_and(&mut decides)
    };
    let open: Vec<_> = (0..patch.hunks.len()).filter(|&i| is_open(&patch.hunks[i])).collect();
    if open.is_empty() {
        return Vec::new();
    }
    let needles: Vec<Vec<&str>> = open.iter().map(|&i| patch.pre_image(&patch.hunks[i]).collect()).collect();
    let places = open.iter().zip(locate::find(text, &needles, Conflict::CANDIDATES));
    let mut conflicts: Vec<_> = places
        .filter(|(_, found)| found.lines.len() > 1)
        .map(|(&i, found)| {
            let hunk = &patch.hunks[i];
            // The arithmetic is exact, so the hunk fits at the stated line, which is among the places shown.
            let stated = hunk.range.and_then(HunkRange::old_before).filter(|_| hunk.old_len <= OLD_LINES);
            Conflict { unread: stated.map(|stated| stated + 1), ..ambiguous(i, hunk, &found.lines) }
        })
        .collect();
    if !conflicts.is_empty() {
        conflicts.extend(patch.no_op_hunks());
        conflicts.sort_by_key(|conflict| conflict.hunk);
        show_places(text, patch, &mut conflicts);
    }
    conflicts
}

/// Returns for each hunk the only line, counted from 0, at which its pre-image occurs. Blank lines after a hunk become
/// context if this makes its place unique. Blank lines between added lines become added lines if the hunk has no place
/// otherwise.
fn unique_places(
    text: &str,
    patch: &mut Cow<'_, Patch<'_>>,
    mut conflicts: Vec<Conflict>,
) -> Result<Vec<usize>, Vec<Conflict>> {
    let with_anchor: Vec<_> = (0..patch.hunks.len()).filter(|&i| patch.hunks[i].old_len > 0).collect();
    let needles: Vec<Vec<&str>> =
        with_anchor.iter().map(|&i| patch.pre_image(&patch.hunks[i]).collect()).collect();
    let mut places = vec![0; patch.hunks.len()];
    let (mut missing, mut widened) = (Vec::new(), Vec::new());
    let mut boundaries = None;
    for (&i, found) in with_anchor.iter().zip(locate::find(text, &needles, Conflict::CANDIDATES)) {
        let hunk = &patch.hunks[i];
        match found.lines[..] {
            [line] => places[i] = line,
            [] => missing.push(Missing { hunk: i, doubtful: between_added(patch, hunk) }),
            _ => {
                let boundaries = boundaries.get_or_insert_with(|| lines::boundaries(text));
                match followed_by_blanks(text, boundaries, patch, hunk, &found.lines) {
                    Some((line, blanks)) => {
                        places[i] = line;
                        widened.push((i, blanks));
                    }
                    None => conflicts.push(ambiguous(i, hunk, &found.lines)),
                }
            }
        }
    }
    let meant = with_blanks_added(text, patch, &mut missing, &mut places, &mut conflicts);
    if !missing.is_empty() {
        conflicts.extend(explain(text, patch, &missing));
    }
    if !conflicts.is_empty() {
        conflicts.sort_by_key(|conflict| conflict.hunk);
        show_places(text, patch, &mut conflicts);
        return Err(conflicts);
    }
    if !meant.is_empty() {
        take_as_added(patch.to_mut(), &meant);
    }
    if !widened.is_empty() {
        take_as_context(patch.to_mut(), &widened);
    }
    Ok(places)
}

/// Places missing hunks by reading their blank lines between added lines as added lines. Removes from `missing` each
/// hunk that gets a place or another conflict. Returns the placed hunks by index, each with the indices of these lines
/// in the patch.
fn with_blanks_added(
    text: &str,
    patch: &Patch<'_>,
    missing: &mut Vec<Missing>,
    places: &mut [usize],
    conflicts: &mut Vec<Conflict>,
) -> Vec<(usize, Vec<usize>)> {
    let needle = |missing: &Missing| -> Vec<&str> {
        let lines = patch.hunks[missing.hunk].lines.clone();
        let old =
            lines.filter(|i| missing.doubtful.binary_search(i).is_err() && patch.lines[*i].kind.is_old());
        old.map(|i| patch.lines[i].text).collect()
    };
    let needles: Vec<Option<Vec<&str>>> =
        missing.iter().map(|missing| (!missing.doubtful.is_empty()).then(|| needle(missing))).collect();
    let asked: Vec<Vec<&str>> =
        needles.iter().flatten().filter(|needle| !needle.is_empty()).cloned().collect();
    if needles.iter().flatten().next().is_none() {
        return Vec::new();
    }
    let mut found = locate::find(text, &asked, Conflict::CANDIDATES).into_iter();
    let mut needles = needles.into_iter();
    let mut meant = Vec::new();
    missing.retain(|missing| {
        let Some(needle) = needles.next().flatten() else { return true };
        let (i, hunk) = (missing.hunk, &patch.hunks[missing.hunk]);
        let lines = match (needle.is_empty(), text.is_empty()) {
            (true, true) => vec![0],
            (true, false) => {
                conflicts.push(Conflict::of_hunk(i + 1, Reason::NoAnchor, hunk.patch_line));
                return false;
            }
            (false, _) => found.next().unwrap_or_default().lines,
        };
        match lines[..] {
            [] => return true,
            [line] => {
                places[i] = line;
                meant.push((i, missing.doubtful.clone()));
            }
            _ => conflicts.push(ambiguous(i, hunk, &lines)),
        }
        false
    });
    meant
}

/// Returns for each hunk the only line, counted from 0, at which its pre-image occurs. Returns `None` if a pre-image is
/// empty, does not occur, or occurs several times.
pub(crate) fn sole_places(text: &str, patch: &Patch<'_>) -> Option<Vec<usize>> {
    if patch.hunks.iter().any(|hunk| hunk.old_len == 0) {
        return None;
    }
    let needles: Vec<Vec<&str>> = patch.hunks.iter().map(|hunk| patch.pre_image(hunk).collect()).collect();
    let found = locate::find(text, &needles, 2);
    found.iter().map(|places| if let [place] = places.lines[..] { Some(place) } else { None }).collect()
}

/// Checks that places are in order and that ranges share at most context. No hunk may remove a line that another one
/// quotes. If two hunks share context, every change of the later one must follow all changes of the earlier one, and
/// not at the same point.
pub(crate) fn in_order(patch: &Patch<'_>, places: &[usize]) -> Result<(), Vec<Conflict>> {
    let mut conflicts = Vec::new();
    let mut start_before = 0;
    // Over the hunks before, the end of the last one, of its last change and of its last removal.
    let (mut end, mut changed, mut removed) = (0, 0, 0);
    for (i, (hunk, &start)) in patch.hunks.iter().zip(places).enumerate() {
        let extent = Extent::of(patch, hunk, start);
        let reason = if start < start_before {
            Some(Reason::Misordered)
        } else if extent.first_removal < end
            || start < removed
            || extent.first_change < changed
            || extent.first_change == changed && start < end
        {
            Some(Reason::Overlap)
        } else {
            None
        };
        start_before = start;
        if let Some(reason) = reason {
            // A refused hunk claims no line, so that one wrong hunk does not make others look wrong.
            let line = Some(start + 1);
            conflicts.push(Conflict { line, ..Conflict::of_hunk(i + 1, reason, hunk.patch_line) });
            continue;
        }
        end = end.max(start + hunk.old_len);
        changed = changed.max(extent.last_change);
        removed = removed.max(extent.last_removal);
    }
    if conflicts.is_empty() { Ok(()) } else { Err(conflicts) }
}

/// The first and the last change of a placed hunk, as boundaries between the lines of the text.
struct Extent {
    first_change: usize,
    last_change: usize,
    /// `usize::MAX` if the hunk removes no line.
    first_removal: usize,
    last_removal: usize,
}

impl Extent {
    fn of(patch: &Patch<'_>, hunk: &Hunk, start: usize) -> Self {
        let mut extent =
            Self { first_change: usize::MAX, last_change: 0, first_removal: usize::MAX, last_removal: 0 };
        let mut at = start;
        for line in patch.lines_of(hunk) {
            let end = at + usize::from(line.kind.is_old());
            if line.kind != LineKind::Context {
                extent.first_change = extent.first_change.min(at);
                extent.last_change = end;
            }
            if line.kind == LineKind::Remove {
                extent.first_removal = extent.first_removal.min(at);
                extent.last_removal = end;
            }
            at = end;
        }
        extent
    }
}

/// Splices hunks at `places`, with the terminators and the final newline of the text.
pub(crate) fn splice_at(text: &str, patch: &Patch<'_>, places: &[usize]) -> (Spliced, Vec<Repair>) {
    let (mut at, mut line) = (0, 0);
    let starts = places.iter().map(|&place| {
        at = lines::skip(text, at, place - line).expect("the pre-image is there");
        line = place;
        Start { at, line }
    });
    splice_from(text, patch, starts)
}

/// The start of a hunk, as a byte offset and as a line counted from 0.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Start {
    pub(crate) at: usize,
    pub(crate) line: usize,
}

/// Like [`splice_at`], but with known byte offsets.
pub(crate) fn splice_from(
    text: &str,
    patch: &Patch<'_>,
    starts: impl Iterator<Item = Start>,
) -> (Spliced, Vec<Repair>) {
    let mut splice = Splice::new(new_text(text, patch), text, patch);
    let mut repairs = patch.repairs.clone();
    for (i, (hunk, Start { mut at, mut line })) in patch.hunks.iter().zip(starts).enumerate() {
        let start = line;
        let mut note = |kind| repairs.push(Repair { hunk: i + 1, kind });
        let moved = hunk.range.is_some_and(|range| {
            range.old_before() != Some(start) || range.new_before() != start.checked_add_signed(splice.grown)
        });
        if moved {
            note(RepairKind::Moved);
        }
        let (mut adapted, mut ends) = (false, Ends::default());
        let mut wanted = "";
        let mut beside = None;
        for (i, part) in hunk.lines.clone().zip(patch.lines_of(hunk)) {
            let marked = patch.markers.binary_search(&i).is_ok();
            let own = lines::terminator(part.text);
            if part.kind == LineKind::Add {
                let own = if own.is_empty() { lines::terminator_after(part.text, "\n") } else { own };
                // Lines added at one point have one neighbour, and a line of any length is searched once for it.
                if beside.is_none_or(|(point, _)| point != at) {
                    beside = Some((at, neighbour_terminator(text, at)));
                }
                wanted = beside.and_then(|(_, terminator)| terminator).unwrap_or(own);
                wanted = lines::terminator_after(content(part.text), wanted);
                adapted |= own != wanted;
                if at == text.len() {
                    splice.terminate_kept_line(wanted);
                }
                splice.add(at, line, content(part.text), wanted);
                ends.see(part.kind, marked, false);
                ends.blank = content(part.text).is_empty();
                continue;
            }
            let end = line_end(text, at);
            let actual = lines::terminator(&text[at..end]);
            adapted |= !own.is_empty() && !actual.is_empty() && own != actual;
            ends.see(part.kind, marked, actual.is_empty());
            match part.kind {
                LineKind::Remove => splice.remove(at, line, end - at),
                _ => splice.end_run(),
            }
            (at, line) = (end, line + 1);
        }
        if adapted {
            note(RepairKind::EolAdapted);
        }
        let adds_last = ends.added && at == text.len();
        ends.mismatched |= ends.added && ends.marked && !adds_last;
        let unterminated = if ends.mismatched { !at_line_end(text) } else { ends.marked };
        // Only more added lines can follow the lines that end the text.
        let is_last = i + 1 == patch.hunks.len();
        if adds_last && is_last && unterminated && !ends.blank {
            splice.shorten(wanted.len());
        }
        splice.end_hunk(start..line);
        if ends.mismatched {
            note(RepairKind::EofMarkerIgnored);
        }
    }
    repairs.sort_unstable();
    repairs.dedup();
    (splice.finish(), repairs)
}

/// Returns the terminator for a line inserted at `at`. It comes from the last terminated line above, which the inserted
/// line replaces or follows, or else from the line below.
fn neighbour_terminator(text: &str, at: usize) -> Option<&str> {
    let above = memrchr(b'\n', &text.as_bytes()[..at]).map(|i| lines::terminator(&text[..=i]));
    above.or_else(|| Some(lines::terminator(&text[at..line_end(text, at)])).filter(|t| !t.is_empty()))
}

/// Tracks whether a hunk's no-newline markers agree with the text.
#[derive(Default)]
struct Ends {
    /// An unterminated old line has no marker, or a line that does not end the text has one.
    mismatched: bool,
    /// The last new line so far has a marker.
    marked: bool,
    /// The last new line so far is an added one.
    added: bool,
    /// The last added line so far is empty, and would not exist without its terminator.
    blank: bool,
}

impl Ends {
    fn see(&mut self, kind: LineKind, marked: bool, unterminated: bool) {
        if kind.is_old() {
            self.mismatched |= marked != unterminated;
        }
        if kind.is_new() {
            self.mismatched |= self.marked;
            (self.marked, self.added) = (marked, kind == LineKind::Add);
        }
    }
}
