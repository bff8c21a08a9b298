//! Finds hunks that quote lines of an earlier text that their author saw, if these lines changed since.
//!
//! The same lines may also occur at another place, which the author never meant. Therefore the lines that the author
//! saw are followed through the later changes, and the hunk either applies at their place or is refused.

use std::cell::OnceCell;
use std::ops::Range;

use crate::diff::conflict::{Conflict, QuotedLine, Reason};
use crate::diff::delta::Delta;
use crate::diff::edit::TextEdit;
use crate::diff::explain::ambiguous::{ambiguous, show_places};
use crate::diff::locate;
use crate::diff::mismatch::Mismatch;
use crate::diff::options::{ApplyOptions, EarlierText, StatedLines};
use crate::diff::patch::{HunkRange, Patch};
use crate::text::lines::content;
use crate::text::numbered::NumberedLines;

/// Lists a conflict for each hunk whose author means lines that changed or are now at another place. `places` has the
/// line, counted from 0, at which each hunk would apply. For each earlier text, time is linear in both texts and the
/// patch.
pub(crate) fn outdated(
    text: &str,
    patch: &Patch<'_>,
    places: impl Iterator<Item = usize>,
    options: &ApplyOptions<'_>,
) -> Vec<Conflict> {
    if options.earlier.is_empty() {
        return Vec::new();
    }
    let now = NumberedLines::new(text);
    let earlier: Vec<_> = options.earlier.iter().copied().map(Earlier::new).collect();
    let mut faults = Vec::new();
    let mut unnumbered = Vec::new();
    for (i, place) in places.enumerate() {
        let quoted = Quoted::new(i, patch, place);
        let is_shown = |start| matches!(options.stated_lines, StatedLines::Shown(lines) if covers(lines, quoted.at(start)));
        let is_current = is_shown(place);
        let outdated_number = quoted.stated.filter(|&stated| !is_shown(stated));
        if quoted.old.is_empty() || is_current && outdated_number.is_none() {
            continue;
        }
        let meant = outdated_number.and_then(|stated| {
            let is_there = |earlier: &&Earlier<'_>| {
                covers(earlier.shown.lines, quoted.at(stated))
                    && first_difference(&earlier.lines, &quoted.old, stated).is_none()
            };
            Some((earlier.iter().find(is_there)?, stated))
        });
        match meant {
            Some((earlier, stated)) => faults.extend(earlier.fault(&now, &quoted, stated)),
            None if is_current => {}
            None => unnumbered.push(quoted),
        }
    }
    for earlier in &earlier {
        let needles: Vec<_> = unnumbered.iter().map(|quoted| quoted.old.clone()).collect();
        let mut found = locate::find(earlier.shown.text, &needles, Conflict::CANDIDATES).into_iter();
        unnumbered.retain(|quoted| {
            let places = found.next().unwrap_or_default().lines;
            let is_shown = |&at: &usize| covers(earlier.shown.lines, quoted.at(at));
            let shown: Vec<usize> = places.into_iter().filter(is_shown).collect();
            let fault = shown.iter().find_map(|&at| earlier.fault(&now, quoted, at));
            // Only one of several places is left, and it is unknown which one the author meant.
            let gone = || Fault::Changed { hunk: quoted.hunk, line: quoted.place, expected: None };
            faults.extend(fault.or_else(|| (shown.len() > 1).then(gone)));
            shown.is_empty()
        });
    }
    faults.sort_unstable_by_key(Fault::hunk);
    let mut conflicts: Vec<_> = faults.iter().map(|fault| fault.conflict(&now, patch)).collect();
    show_places(text, patch, &mut conflicts);
    conflicts
}

impl EarlierText<'_> {
    /// Finds lines of this text in `now`, the text to be patched. Both ranges count from 0.
    ///
    /// Returns `None` if the lines changed, or if their place is uncertain. Costs a diff of both texts.
    ///
    /// ```
    /// use canvas_patch::{Delta, EarlierText};
    ///
    /// let (text, now) = ("a\nb\nc\n", "new\na\nB\nc\n");
    /// let since = Delta::between(text, now);
    /// let earlier = EarlierText { text, lines: &[], since: &[&since] };
    /// assert_eq!(earlier.follow(2..3, now), Some(3..4));
    /// assert_eq!(earlier.follow(1..3, now), None);
    /// ```
    pub fn follow(&self, lines: Range<usize>, now: &str) -> Option<Range<usize>> {
        let now = NumberedLines::new(now);
        let found = Earlier::new(*self).places(&now, lines.clone()).found()?;
        Some(found..found + lines.len())
    }
}

/// A hunk's quoted lines, with the line that it states and its place.
struct Quoted<'p> {
    /// Index of the hunk in the patch.
    hunk: usize,
    /// The lines of its pre-image, without terminators.
    old: Vec<&'p str>,
    /// The line that the header states, counted from 0.
    stated: Option<usize>,
    /// The line at which the hunk would apply, counted from 0.
    place: usize,
}

impl<'p> Quoted<'p> {
    fn new(hunk: usize, patch: &Patch<'p>, place: usize) -> Self {
        let old = patch.pre_image(&patch.hunks[hunk]).map(content).collect();
        Self { hunk, old, stated: patch.hunks[hunk].range.and_then(HunkRange::old_before), place }
    }

    fn at(&self, start: usize) -> Range<usize> {
        start..start.saturating_add(self.old.len())
    }
}

/// A reason why a hunk must not apply at its place.
enum Fault<'p> {
    /// The quoted lines changed. `line`, counted from 0, is the first line of the current text that differs, and
    /// `expected` is the quoted line. If all lines there are equal by chance, `line` is the first of them and
    /// `expected` is `None`.
    Changed { hunk: usize, line: usize, expected: Option<&'p str> },
    /// The quoted lines are at another place. `places` has that place and the hunk's, counted from 0 and in order.
    Moved { hunk: usize, places: [usize; 2] },
}

impl Fault<'_> {
    fn hunk(&self) -> usize {
        match self {
            Self::Changed { hunk, .. } | Self::Moved { hunk, .. } => *hunk,
        }
    }

    fn conflict(&self, now: &NumberedLines<'_>, patch: &Patch<'_>) -> Conflict {
        match self {
            Self::Changed { hunk, line, expected } => {
                let mismatch = expected.map(|expected| Mismatch::new(expected, now.get(*line)));
                let column = mismatch.as_ref().map_or(1, |mismatch| mismatch.column);
                Conflict {
                    line: Some(line + 1),
                    nearby: QuotedLine::around(now, *line, column, true),
                    mismatch,
                    ..Conflict::of_hunk(hunk + 1, Reason::Outdated, patch.hunks[*hunk].patch_line)
                }
            }
            Self::Moved { hunk, places } => ambiguous(*hunk, &patch.hunks[*hunk], places),
        }
    }
}

/// Compares the text from line `start` on with `old`. Returns the first differing line, as its index in the text and
/// its index in `old`. Returns `None` if all of `old` is there.
fn first_difference(lines: &NumberedLines<'_>, old: &[&str], start: usize) -> Option<(usize, usize)> {
    let differs = |(i, line): (usize, &&str)| lines.get(start.saturating_add(i)).map(content) != Some(line);
    let index = old.iter().enumerate().position(differs)?;
    Some((start.saturating_add(index), index))
}

/// An earlier text, with the changes from it to the current text.
struct Earlier<'a> {
    shown: EarlierText<'a>,
    lines: NumberedLines<'a>,
    since: Vec<Step<'a>>,
    /// All changes as one, computed on first use.
    whole: OnceCell<Delta>,
}

/// The place in the current text of lines of an earlier text, counted from 0 and found in two ways.
struct Places {
    /// The line according to the changes, followed one by one.
    step_by_step: usize,
    /// The line according to the diff of both texts.
    at_once: usize,
    /// Whether one of the changes touches the lines.
    is_touched: bool,
    /// Whether the diff touches the lines.
    is_other: bool,
}

impl Places {
    /// Returns the place if the lines are unchanged and both ways lead there.
    fn found(&self) -> Option<usize> {
        (!self.is_other && self.step_by_step == self.at_once).then_some(self.at_once)
    }
}

/// One of the changes since an earlier text.
struct Step<'a> {
    edits: &'a [TextEdit],
    /// For each edit, the bytes by which the edits before it move it. The final entry is for the text after the last
    /// edit.
    shifts: Vec<isize>,
}

impl<'a> Earlier<'a> {
    fn new(shown: EarlierText<'a>) -> Self {
        let since = shown.since.iter().map(|delta| Step::new(delta)).collect();
        Self { shown, lines: NumberedLines::new(shown.text), since, whole: OnceCell::new() }
    }

    /// Follows lines to the current text, by the changes and by the diff.
    ///
    /// Both are needed. A change does not show which of two equal neighbours it removed. A diff does not show a line
    /// that was changed and changed back, and may take a new line for a moved one.
    fn places(&self, now: &NumberedLines<'_>, lines: Range<usize>) -> Places {
        let whole = self.whole.get_or_init(|| Delta::between(self.shown.text, now.text()));
        let (part, is_touched) = self.moved(lines.clone(), &self.since);
        let (same, is_other) = self.moved(lines, &[Step::new(whole)]);
        Places {
            step_by_step: now.line_at(part.start),
            at_once: now.line_at(same.start),
            is_touched,
            is_other,
        }
    }

    /// Checks a hunk whose lines began at `start` in this text. Returns `None` if they are now at the hunk's place.
    fn fault<'p>(&self, now: &NumberedLines<'_>, quoted: &Quoted<'p>, start: usize) -> Option<Fault<'p>> {
        let (hunk, place) = (quoted.hunk, quoted.place);
        let places = self.places(now, quoted.at(start));
        match places.found() {
            Some(found) if found == place => None,
            Some(found) if !places.is_touched => {
                Some(Fault::Moved { hunk, places: [found.min(place), found.max(place)] })
            }
            _ => {
                let differs = first_difference(now, &quoted.old, places.step_by_step);
                let (line, expected) = match differs {
                    Some((line, index)) => (line, Some(quoted.old[index])),
                    None => (places.step_by_step, None),
                };
                Some(Fault::Changed { hunk, line, expected })
            }
        }
    }

    /// Follows lines through changes. Returns their byte range afterwards, and whether a change touched them.
    fn moved(&self, lines: Range<usize>, since: &[Step<'_>]) -> (Range<usize>, bool) {
        let text = self.shown.text;
        let at = |line| self.lines.from(line).map_or(text.len(), |rest| text.len() - rest.len());
        let part = (at(lines.start)..at(lines.end), false);
        since.iter().fold(part, |(part, is_changed), step| {
            let (part, touched) = step.moved(part);
            (part, is_changed || touched)
        })
    }
}

impl<'a> Step<'a> {
    fn new(delta: &'a Delta) -> Self {
        let mut shift = 0;
        let growths = delta.edits().iter().map(|edit| edit.new.len() as isize - edit.old.len() as isize);
        let after = growths.map(|growth| {
            shift += growth;
            shift
        });
        Self { edits: delta.edits(), shifts: std::iter::once(0).chain(after).collect() }
    }

    /// Returns the byte range that a part of the text has after the change, and whether the change touches it.
    fn moved(&self, part: Range<usize>) -> (Range<usize>, bool) {
        let first = self.edits.partition_point(|edit| edit.at + edit.old.len() <= part.start);
        let last = first + self.edits[first..].partition_point(|edit| edit.at < part.end);
        let touched = first < last;
        // The text before the first edit that touches it only moves.
        let start = if touched { part.start.min(self.edits[first].at) } else { part.start };
        let start = start.saturating_add_signed(self.shifts[first]);
        (start..part.end.saturating_add_signed(self.shifts[last]).max(start), touched)
    }
}

/// Whether all of the lines are in the ranges, which may be in any order and may touch.
fn covers(ranges: &[Range<usize>], lines: Range<usize>) -> bool {
    let mut from = lines.start;
    while from < lines.end {
        let Some(range) = ranges.iter().find(|range| range.contains(&from)) else { return false };
        from = range.end;
    }
    true
}
