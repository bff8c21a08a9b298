//! Locates the hunks of a V4A diff.

use std::ops::Range;

use canvas_core::text::{BlockLine, Reason, Repair, RepairKind, find_lines, outline};

use super::parse::{Hunk, Stated, note};
use crate::toolset::native::outcome::{Document, NativeConflict};

/// Maximum number of places examined for all needles together; `MOST` is the maximum for a single needle. If a needle
/// has more places, no scope is narrow enough.
const MOST_IN_ALL: usize = 1 << 21;
const MOST: usize = 1 << 14;

fn most(needles: usize) -> usize {
    (MOST_IN_ALL / needles.max(1)).clamp(64, MOST)
}

/// The reason why a hunk, given by its index, has no place.
#[derive(Debug)]
pub(super) enum Misplaced {
    /// The anchor with this index does not occur in the scope of the previous ones.
    Anchor { hunk: usize, anchor: usize },
    /// The hunk does not quote any line of the document.
    NoAnchor { hunk: usize },
    /// Its lines do not occur, or they occur only at `above`, which is not below its anchors.
    Nowhere { hunk: usize, above: Option<usize> },
    /// The hunk claims to end the document, and its lines occur elsewhere.
    NotAtEnd { hunk: usize, places: Vec<usize> },
    /// Its lines occur at all of these places.
    Several { hunk: usize, places: Vec<usize> },
}

impl Misplaced {
    /// Returns the lines that do not occur, with the number of their hunk, counted from 1.
    pub(super) fn wanted<'a>(&self, hunks: &[Hunk<'a>]) -> Option<(usize, Vec<&'a str>)> {
        match *self {
            Self::Anchor { hunk, anchor } => Some((hunk + 1, vec![hunks[hunk].anchors[anchor]])),
            Self::Nowhere { hunk, above: None } => Some((hunk + 1, hunks[hunk].old_lines())),
            _ => None,
        }
    }

    /// Returns the conflict, without the nearest place of lines that do not occur.
    pub(super) fn conflict(&self, hunks: &[Hunk<'_>]) -> NativeConflict {
        let (hunk, conflict) = match self {
            Self::Anchor { hunk, .. } | Self::Nowhere { hunk, above: None } => {
                (*hunk, NativeConflict::of_patch(hunk + 1, Reason::NotFound))
            }
            Self::NoAnchor { hunk } => (*hunk, NativeConflict::of_patch(hunk + 1, Reason::NoAnchor)),
            Self::Nowhere { hunk, above: Some(place) } => {
                let found = NativeConflict::of_patch(hunk + 1, Reason::NotFound);
                (*hunk, NativeConflict { line: Some(place + 1), ..found })
            }
            Self::NotAtEnd { hunk, places } => {
                let found = NativeConflict::of_patch(hunk + 1, Reason::NotFound);
                let candidates = NativeConflict::ambiguous(hunk + 1, places).candidates;
                (*hunk, NativeConflict { line: places.first().map(|place| place + 1), candidates, ..found })
            }
            Self::Several { hunk, places } => (*hunk, NativeConflict::ambiguous(hunk + 1, places)),
        };
        conflict.at_patch_line(hunks[hunk].block.patch_line)
    }
}

/// Returns the line at which each hunk begins, counted from 0. Trailing blank lines of a hunk are dropped if it only
/// fits without them.
pub(super) fn places(
    document: &Document<'_>,
    hunks: &mut [Hunk<'_>],
    repairs: &mut Vec<Repair>,
) -> Result<Vec<usize>, Vec<Misplaced>> {
    let text = document.text;
    let mut found = find(text, hunks);
    drop_blanks(text, hunks, &mut found, repairs);
    let most = most(hunks.len());
    let mut scopes = Scopes::new(text, hunks);
    let (mut places, mut misplaced) = (Vec::with_capacity(hunks.len()), Vec::new());
    for (i, (hunk, found)) in hunks.iter().zip(&found).enumerate() {
        match place((i, hunk), found, most, &mut scopes) {
            Ok(place) => places.push(place),
            Err(one) => misplaced.push(one),
        }
    }
    if misplaced.is_empty() {
        return Ok(places);
    }
    let only_several = misplaced.iter().all(|one| matches!(one, Misplaced::Several { .. }));
    let stated = document.options.stated_lines.then(|| stated_places(hunks, &found)).flatten();
    stated.filter(|_| only_several).ok_or(misplaced)
}

/// Returns the places of each hunk's old lines, which are empty for a hunk without old lines.
fn find(text: &str, hunks: &[Hunk<'_>]) -> Vec<Vec<usize>> {
    let most = most(hunks.len());
    let quoting: Vec<usize> = (0..hunks.len()).filter(|&i| !hunks[i].old_lines().is_empty()).collect();
    let needles: Vec<Vec<&str>> = quoting.iter().map(|&i| hunks[i].old_lines()).collect();
    let mut found = vec![Vec::new(); hunks.len()];
    for (i, places) in quoting.into_iter().zip(find_lines(text, &needles, most)) {
        found[i] = places;
    }
    found
}

/// Removes trailing blank lines from hunks that do not occur with them.
fn drop_blanks(text: &str, hunks: &mut [Hunk<'_>], found: &mut [Vec<usize>], repairs: &mut Vec<Repair>) {
    let mut dropped = Vec::new();
    for (i, hunk) in hunks.iter_mut().enumerate() {
        // A hunk that only adds has no place of its own, so blank lines after it are not context.
        if hunk.blanks > 0 && found[i].is_empty() {
            hunk.block.lines.truncate(hunk.block.lines.len() - hunk.blanks);
            hunk.blanks = 0;
            dropped.push(i);
        }
    }
    if dropped.is_empty() {
        return;
    }
    let again = find(text, hunks);
    for i in dropped {
        found[i].clone_from(&again[i]);
        note(repairs, i, RepairKind::SeparatorDropped);
    }
}

fn place(
    (i, hunk): (usize, &Hunk<'_>),
    found: &[usize],
    most: usize,
    scopes: &mut Scopes<'_>,
) -> Result<usize, Misplaced> {
    let scope = scopes.of(hunk).map_err(|anchor| Misplaced::Anchor { hunk: i, anchor })?;
    let old = hunk.block.lines.iter().filter(|line| !matches!(line, BlockLine::Add(_))).count();
    if old == 0 {
        let may_append = hunk.at_end && hunk.anchors.is_empty() || scopes.text.is_empty();
        return if may_append { Ok(scopes.total()) } else { Err(Misplaced::NoAnchor { hunk: i }) };
    }
    let below: Vec<usize> = found.iter().copied().filter(|place| *place >= scope.below).collect();
    if below.is_empty() {
        // If there are too many places, the last ones were not examined and may be below.
        let is_all = found.len() < most;
        let nowhere = Misplaced::Nowhere { hunk: i, above: found.first().copied() };
        return Err(if is_all { nowhere } else { Misplaced::Several { hunk: i, places: found.to_vec() } });
    }
    if hunk.at_end {
        let total = scopes.total();
        let last = below.iter().copied().find(|place| place + old == total);
        return last.ok_or(Misplaced::NotAtEnd { hunk: i, places: below });
    }
    if let ([place], [_]) = (&below[..], found) {
        return Ok(*place);
    }
    let mut around = Within::new(&scope.ranges);
    let within: Vec<usize> =
        below.iter().copied().filter(|place| around.end_around(*place).is_some()).collect();
    match within[..] {
        [place] if found.len() < most => Ok(place),
        [] => Err(Misplaced::Several { hunk: i, places: below }),
        _ => Err(Misplaced::Several { hunk: i, places: within }),
    }
}

/// The part of the document that anchors select.
struct Scope {
    /// The first line below the first chain of lines that matches the anchors.
    below: usize,
    /// The line ranges in the anchors' scope.
    ranges: Vec<Range<usize>>,
}

struct Scopes<'t> {
    text: &'t str,
    /// Number of lines in the text, counted on first use.
    total: Option<usize>,
    /// The lines of each anchor, in the order of the hunks.
    found: Vec<Vec<Vec<usize>>>,
    /// Maximum number of lines per anchor.
    most: usize,
    /// Each heading's line with the end of its section, in order. Read on first use.
    sections: Option<Vec<(usize, usize)>>,
    next: usize,
}

impl<'t> Scopes<'t> {
    fn new(text: &'t str, hunks: &[Hunk<'_>]) -> Self {
        let needles: Vec<Vec<&str>> =
            hunks.iter().flat_map(|hunk| hunk.anchors.iter().map(|anchor| vec![*anchor])).collect();
        let most = most(needles.len());
        let found = if needles.is_empty() { Vec::new() } else { find_lines(text, &needles, most) };
        let mut found = found.into_iter();
        let found = hunks.iter().map(|hunk| found.by_ref().take(hunk.anchors.len()).collect()).collect();
        Self { text, total: None, found, most, sections: None, next: 0 }
    }

    /// Returns the scope of the next hunk, or the index of the anchor that does not occur in it.
    fn of(&mut self, hunk: &Hunk<'_>) -> Result<Scope, usize> {
        let found = std::mem::take(&mut self.found[self.next]);
        self.next += 1;
        let mut below = 0;
        let mut ranges: Vec<Range<usize>> = std::iter::once(0..usize::MAX).collect();
        for (anchor, (lines, text)) in found.iter().zip(&hunk.anchors).enumerate() {
            let first = lines.iter().copied().find(|line| *line >= below).ok_or(anchor)?;
            let may_be_heading = text.trim_start().starts_with('#');
            below = first + 1;
            if lines.len() >= self.most {
                ranges = std::iter::once(below..usize::MAX).collect();
                continue;
            }
            let mut narrowed = Vec::new();
            let mut outer = Within::new(&ranges);
            for &line in lines {
                let Some(outer_end) = outer.end_around(line) else { continue };
                let end = if may_be_heading { self.section_end(line) } else { None };
                narrowed.push(line + 1..end.unwrap_or(outer_end).min(outer_end));
            }
            ranges = narrowed;
        }
        Ok(Scope { below, ranges })
    }

    fn total(&mut self) -> usize {
        *self.total.get_or_insert_with(|| self.text.lines().count())
    }

    /// Returns the line after the section whose heading is at `line`.
    fn section_end(&mut self, line: usize) -> Option<usize> {
        let text = self.text;
        let sections = self.sections.get_or_insert_with(|| {
            let outline = outline(text);
            outline.sections().iter().map(|section| (section.heading.start - 1, section.lines.end)).collect()
        });
        let found = sections.binary_search_by_key(&line, |(heading, _)| *heading).ok()?;
        Some(sections[found].1)
    }
}

/// Looks up ascending lines in ranges sorted by start.
struct Within<'r> {
    upcoming: std::slice::Iter<'r, Range<usize>>,
    next: Option<&'r Range<usize>>,
    /// The largest end of the ranges that have begun.
    end: usize,
}

impl<'r> Within<'r> {
    fn new(ranges: &'r [Range<usize>]) -> Self {
        let mut upcoming = ranges.iter();
        let next = upcoming.next();
        Self { upcoming, next, end: 0 }
    }

    /// Returns the largest end of the ranges around a line, which must not be above the previous line.
    fn end_around(&mut self, line: usize) -> Option<usize> {
        while let Some(range) = self.next.filter(|range| range.start <= line) {
            self.end = self.end.max(range.end);
            self.next = self.upcoming.next();
        }
        (line < self.end).then_some(self.end)
    }
}

/// Returns the places that numeric headers state, if all of them are exact.
fn stated_places(hunks: &[Hunk<'_>], found: &[Vec<usize>]) -> Option<Vec<usize>> {
    let mut grown = 0_isize;
    let place = |(hunk, found): (&Hunk<'_>, &Vec<usize>)| {
        let Stated { old_start, old_count, new_start, new_count } = hunk.stated?;
        let old = hunk.old_lines().len();
        let new = hunk.block.lines.iter().filter(|line| !matches!(line, BlockLine::Remove(_))).count();
        let place = old_start.checked_sub(1)?;
        let new_place = if new_count == 0 { new_start } else { new_start.checked_sub(1)? };
        let exact = (old_count, new_count) == (old, new)
            && found.contains(&place)
            && hunk.anchors.is_empty()
            && place.checked_add_signed(grown) == Some(new_place);
        grown = grown.checked_add(new.cast_signed() - old.cast_signed())?;
        exact.then_some(place)
    };
    hunks.iter().zip(found).map(place).collect()
}
