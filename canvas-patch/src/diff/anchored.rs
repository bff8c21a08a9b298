//! Anchored mode: each hunk goes where its pre-image occurs, and nowhere else.
//!
//! * All hunks are located in the text as it is, never in text that the patch adds.
//! * Blank lines without prefix at the end of a hunk are separators, except where they make its place unique.
//! * An inserted line takes the terminator of the line that it replaces, else of the line above, else of the line below.
//!   Where an LF would follow a CR of the content, CR LF is written, so that content stays what it is.
//! * A line that one hunk quotes and another removes is an `OVERLAP`; so are two insertions at one point between lines
//!   that both hunks quote.
//! * An added last line without content keeps its terminator, whatever the text ends with.

use std::borrow::Cow;

use memchr::memrchr;

use crate::diff::conflict::{Conflict, Reason};
use crate::diff::edit::{Splice, Spliced, exact};
use crate::diff::locate;
use crate::diff::mismatch::Mismatch;
use crate::diff::options::StatedLines;
use crate::diff::patch::{Hunk, HunkRange, LineKind, Patch, Repair, RepairKind};
use crate::text::lines::{self, Lines, at_line_end, content, line_end};

/// Places every hunk by its content; those of exact arithmetic by the lines that they state, where these `decide`.
pub(crate) fn anchored(
    text: &str,
    patch: &Patch<'_>,
    stated: StatedLines<'_>,
) -> Result<(Spliced, Vec<Repair>), Vec<Conflict>> {
    let unanchored: Vec<_> = patch
        .hunks
        .iter()
        .enumerate()
        .filter(|(_, hunk)| hunk.old_len == 0 && !text.is_empty())
        .map(|(i, hunk)| Conflict::of_hunk(i + 1, Reason::NoAnchor, hunk.patch_line))
        .collect();
    if unanchored.is_empty()
        && !patch.missing_final_newline
        && let Some(result) = exact(text, patch)
    {
        let undecided = undecided(text, patch, stated);
        return if undecided.is_empty() { Ok((result, patch.repairs.clone())) } else { Err(undecided) };
    }
    let faults = unanchored.into_iter().chain(patch.no_op_hunks()).collect();
    let mut patch = Cow::Borrowed(patch);
    let places = unique_places(text, &mut patch, faults)?;
    in_order(&patch, &places)?;
    Ok(splice_at(text, &patch, &places))
}

/// The hunks of a patch of exact arithmetic whose places must be unique, since their stated lines do not decide, and are
/// not. Where there are any, hunks without effect are listed too.
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
        .map(|(&i, found)| ambiguous(i, &patch.hunks[i], &found.lines))
        .collect();
    if !conflicts.is_empty() {
        conflicts.extend(patch.no_op_hunks());
        conflicts.sort_by_key(|conflict| conflict.hunk);
    }
    conflicts
}

fn ambiguous(i: usize, hunk: &Hunk, places: &[usize]) -> Conflict {
    Conflict {
        candidates: places.iter().map(|line| line + 1).collect(),
        ..Conflict::of_hunk(i + 1, Reason::Ambiguous, hunk.patch_line)
    }
}

/// The one line, from 0, where the pre-image of each hunk occurs. Blank lines after a hunk become context where that
/// makes its place unique.
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
    for ((&i, needle), found) in
        with_anchor.iter().zip(&needles).zip(locate::find(text, &needles, Conflict::CANDIDATES))
    {
        let hunk = &patch.hunks[i];
        match found.lines[..] {
            [line] => places[i] = line,
            [] => missing.push((i, hunk, needle)),
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
    if !missing.is_empty() {
        explain_missing(text, &missing, &mut conflicts);
    }
    if !conflicts.is_empty() {
        conflicts.sort_by_key(|conflict| conflict.hunk);
        return Err(conflicts);
    }
    if !widened.is_empty() {
        take_blanks(patch.to_mut(), &widened);
    }
    Ok(places)
}

/// The one of several places after which most of a hunk's blank lines follow, and how many.
fn followed_by_blanks(
    text: &str,
    boundaries: &[usize],
    patch: &Patch<'_>,
    hunk: &Hunk,
    places: &[usize],
) -> Option<(usize, usize)> {
    // Places beyond the cap are not known.
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

/// Makes blank lines part of the hunks that they follow: pairs of a hunk's index, in order, and how many lines.
fn take_blanks(patch: &mut Patch<'_>, widened: &[(usize, usize)]) {
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

/// The one line, from 0, where each hunk's pre-image occurs; `None` where one occurs nowhere, or at several.
pub(crate) fn sole_places(text: &str, patch: &Patch<'_>) -> Option<Vec<usize>> {
    if patch.hunks.iter().any(|hunk| hunk.old_len == 0) {
        return None;
    }
    let needles: Vec<Vec<&str>> = patch.hunks.iter().map(|hunk| patch.pre_image(hunk).collect()).collect();
    let found = locate::find(text, &needles, 2);
    found.iter().map(|places| if let [place] = places.lines[..] { Some(place) } else { None }).collect()
}

/// Adds a `NOT_FOUND` with the nearest place for each hunk whose pre-image is nowhere.
fn explain_missing(text: &str, missing: &[(usize, &Hunk, &Vec<&str>)], conflicts: &mut Vec<Conflict>) {
    let needles: Vec<Vec<&str>> = missing.iter().map(|(_, _, needle)| (*needle).clone()).collect();
    let nearest = locate::Nearest::new(text, &needles);
    let starts = lines::boundaries(text);
    let line_at = |line: usize| starts.get(line + 1).map(|&end| &text[starts[line]..end]);
    for (i, hunk, needle) in missing {
        let hint = hunk.range.and_then(HunkRange::old_before);
        let start = nearest.start(needle, hint).or(hint).unwrap_or(0).min(starts.len() - 1);
        let different = needle.iter().enumerate().find(|&(offset, expected)| {
            line_at(start + offset).is_none_or(|actual| content(actual) != content(expected))
        });
        let (offset, expected) = different.expect("the pre-image is nowhere, so not at this place either");
        conflicts.push(Conflict {
            line: Some(start + offset + 1),
            // Terminators do not count here, so they are not shown as if they did.
            mismatch: Some(Mismatch::new(content(expected), line_at(start + offset).map(content))),
            ..Conflict::of_hunk(i + 1, Reason::NotFound, hunk.patch_line)
        });
    }
}

/// Places increase, and ranges share at most context: no hunk changes a line that another one quotes, and no two
/// insert at one point between lines that both quote.
pub(crate) fn in_order(patch: &Patch<'_>, places: &[usize]) -> Result<(), Vec<Conflict>> {
    let mut conflicts = Vec::new();
    let mut start_before = 0;
    // Over the hunks before: where the last one ends, and where its last change and its last removal end.
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
            // What is refused claims no line, so that one wrong hunk does not make others look wrong.
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

/// Where the changes of a placed hunk begin and end, as boundaries between the lines of the text.
struct Extent {
    first_change: usize,
    last_change: usize,
    /// `usize::MAX` where nothing is removed.
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
    let mut splice = Splice::new(text, patch);
    let mut repairs = patch.repairs.clone();
    let (mut start_at, mut start_line) = (0, 0);
    for (i, (hunk, &start)) in patch.hunks.iter().zip(places).enumerate() {
        let mut note = |kind| repairs.push(Repair { hunk: i + 1, kind });
        let moved = hunk.range.is_some_and(|range| {
            range.old_before() != Some(start) || range.new_before() != start.checked_add_signed(splice.grown)
        });
        if moved {
            note(RepairKind::Moved);
        }
        start_at = lines::skip(text, start_at, start - start_line).expect("the pre-image is there");
        start_line = start;
        let (mut at, mut line) = (start_at, start_line);
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
        if adds_last && unterminated && !ends.blank {
            splice.shorten(wanted.len());
        }
        splice.end_hunk();
        if ends.mismatched {
            note(RepairKind::EofMarkerIgnored);
        }
    }
    repairs.sort_unstable();
    repairs.dedup();
    (splice.finish(), repairs)
}

/// The terminator of an inserted line: that of the last terminated line above, which it replaces or follows, else
/// that of the line after.
fn neighbour_terminator(text: &str, at: usize) -> Option<&str> {
    let above = memrchr(b'\n', &text.as_bytes()[..at]).map(|i| lines::terminator(&text[..=i]));
    above.or_else(|| Some(lines::terminator(&text[at..line_end(text, at)])).filter(|t| !t.is_empty()))
}

/// How a hunk's no-newline markers agree with the text.
#[derive(Default)]
struct Ends {
    /// A marker is missing from an old line, or is where no text ends.
    mismatched: bool,
    /// The last new line so far has a marker.
    marked: bool,
    /// The last new line so far is an added one.
    added: bool,
    /// The last added line so far is empty, and would not be there without its terminator.
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
