//! Hunks that quote what their author was shown in an earlier text, and what is no longer there.
//!
//! What such a hunk quotes may occur once more, at a place that its author has never meant. So it is followed through the
//! changes since where the lines that were shown have gone.

use std::ops::Range;

use crate::diff::conflict::{Conflict, QuotedLine, Reason};
use crate::diff::delta::Delta;
use crate::diff::edit::TextEdit;
use crate::diff::locate;
use crate::diff::mismatch::Mismatch;
use crate::diff::options::{EarlierText, Options, StatedLines};
use crate::diff::patch::{HunkRange, Patch};
use crate::text::lines::content;
use crate::text::numbered::NumberedLines;

/// A conflict for each hunk, by the line, from 0, where it would go, whose author means lines that have changed since.
/// Linear in the texts and the patch for each earlier text.
pub(crate) fn outdated(
    text: &str,
    patch: &Patch<'_>,
    places: impl Iterator<Item = usize>,
    options: &Options<'_>,
) -> Vec<Conflict> {
    if options.earlier.is_empty() {
        return Vec::new();
    }
    let now = NumberedLines::new(text);
    let earlier: Vec<_> = options.earlier.iter().copied().map(Earlier::new).collect();
    let mut faults = Vec::new();
    let mut unnumbered = Vec::new();
    for (i, place) in places.enumerate() {
        let quoted = Quoted::new(i, patch);
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
            let mut shown =
                places.into_iter().filter(|&at| covers(earlier.shown.lines, quoted.at(at))).peekable();
            let is_known = shown.peek().is_some();
            // Where one of several is left, none tells which was meant.
            faults.extend(shown.find_map(|at| earlier.fault(&now, quoted, at)));
            !is_known
        });
    }
    faults.sort_unstable_by_key(|fault| fault.hunk);
    faults.iter().map(|fault| fault.conflict(&now, patch)).collect()
}

/// Where lines of an earlier text are now; `None` if a change has touched them.
pub(crate) fn follow(shown: EarlierText<'_>, lines: Range<usize>, now: &str) -> Option<Range<usize>> {
    let count = lines.len();
    let (part, is_changed) = Earlier::new(shown).moved(lines);
    let start = NumberedLines::new(now).line_at(part.start);
    (!is_changed).then(|| start..start + count)
}

/// What a hunk quotes.
struct Quoted<'p> {
    /// The index of the hunk.
    hunk: usize,
    /// The lines of its pre-image, without terminators.
    old: Vec<&'p str>,
    /// The line, from 0, that its header states.
    stated: Option<usize>,
}

impl<'p> Quoted<'p> {
    fn new(hunk: usize, patch: &Patch<'p>) -> Self {
        let old = patch.pre_image(&patch.hunks[hunk]).map(content).collect();
        Self { hunk, old, stated: patch.hunks[hunk].range.and_then(HunkRange::old_before) }
    }

    fn at(&self, start: usize) -> Range<usize> {
        start..start.saturating_add(self.old.len())
    }
}

/// A hunk that quotes what has changed.
struct Fault<'p> {
    hunk: usize,
    /// The first line, from 0, of the text of now that differs.
    line: usize,
    expected: &'p str,
}

impl Fault<'_> {
    fn conflict(&self, now: &NumberedLines<'_>, patch: &Patch<'_>) -> Conflict {
        let mismatch = Mismatch::new(self.expected, now.get(self.line));
        Conflict {
            line: Some(self.line + 1),
            nearby: QuotedLine::around(now, self.line, mismatch.column),
            mismatch: Some(mismatch),
            ..Conflict::of_hunk(self.hunk + 1, Reason::Outdated, patch.hunks[self.hunk].patch_line)
        }
    }
}

/// The first line that differs from `old` at `start`: in the text, and among `old`. `None` where all of it is there.
fn first_difference(lines: &NumberedLines<'_>, old: &[&str], start: usize) -> Option<(usize, usize)> {
    let differs = |(i, line): (usize, &&str)| lines.get(start.saturating_add(i)).map(content) != Some(line);
    let index = old.iter().enumerate().position(differs)?;
    Some((start.saturating_add(index), index))
}

/// An earlier text, and the way from there to the text of now.
struct Earlier<'a> {
    shown: EarlierText<'a>,
    lines: NumberedLines<'a>,
    since: Vec<Step<'a>>,
}

/// One change.
struct Step<'a> {
    edits: &'a [TextEdit],
    /// By how much each edit, and what follows the last one, is moved by those before.
    shifts: Vec<isize>,
}

impl<'a> Earlier<'a> {
    fn new(shown: EarlierText<'a>) -> Self {
        let since = shown.since.iter().map(|delta| Step::new(delta)).collect();
        Self { shown, lines: NumberedLines::new(shown.text), since }
    }

    /// What has become of the lines that a hunk quotes, and that were at `start` here; `None` if they are the same.
    fn fault<'p>(&self, now: &NumberedLines<'_>, quoted: &Quoted<'p>, start: usize) -> Option<Fault<'p>> {
        let (part, is_changed) = self.moved(quoted.at(start));
        let place = is_changed.then(|| now.line_at(part.start))?;
        let (line, index) = first_difference(now, &quoted.old, place)?;
        Some(Fault { hunk: quoted.hunk, line, expected: quoted.old[index] })
    }

    /// The bytes of the text of now that these lines have become, and whether a change has touched them.
    fn moved(&self, lines: Range<usize>) -> (Range<usize>, bool) {
        let text = self.shown.text;
        let at = |line| self.lines.from(line).map_or(text.len(), |rest| text.len() - rest.len());
        let part = (at(lines.start)..at(lines.end), false);
        self.since.iter().fold(part, |(part, is_changed), step| {
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

    /// Where a part of the text is after the change, and whether that touches it.
    fn moved(&self, part: Range<usize>) -> (Range<usize>, bool) {
        let first = self.edits.partition_point(|edit| edit.at + edit.old.len() <= part.start);
        let last = first + self.edits[first..].partition_point(|edit| edit.at < part.end);
        let touched = first < last;
        // What comes before the first edit that touches it has only moved.
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
