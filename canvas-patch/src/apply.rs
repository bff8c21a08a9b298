//! Applying a patch: all of its hunks, or nothing.

use std::fmt;
use std::ops::Range;

use memchr::memrchr;

use crate::conflict::{ApplyError, Conflict, Divergence, Fault, Reason};
use crate::limits::Limits;
use crate::lines::{self, Lines, content, line_end, line_start_before};
use crate::locate;
use crate::parse::parse;
use crate::patch::{Hunk, Kind, Line, Patch, Repair, RepairKind, Stated};
use crate::unified::{self, Edit};

/// How much of a patch must be exact. Both modes compare content byte for byte and never tolerate white space,
/// case or similarity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    /// Text, position, counts, order and header are exact.
    #[default]
    Strict,
    /// Counts, line numbers, line terminators and the end-of-file marker are hints. Each hunk's old side, compared
    /// line by line without terminators, must stand at exactly one place of the text; where it stands at several,
    /// the stated place wins only if all of the patch's arithmetic is exact.
    Anchored,
}

/// What to apply a patch with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// How exact the patch must be.
    pub mode: Mode,
    /// Sizes past which it is refused.
    pub limits: Limits,
}

/// Lines added and removed, shown as `+120 −3, 2 hunks`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Summary {
    /// Lines on the new side only.
    pub added: usize,
    /// Lines on the old side only.
    pub removed: usize,
    /// Hunks of the patch.
    pub hunks: usize,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = if self.hunks == 1 { "" } else { "s" };
        write!(f, "+{} −{}, {} hunk{s}", self.added, self.removed, self.hunks)
    }
}

/// A changed stretch of whole lines, in the text before and in the text after. Line ranges are half-open and count
/// from 0; an empty range stands where lines were removed or inserted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Lines of the text before.
    pub old_lines: Range<usize>,
    /// Lines of the text after.
    pub new_lines: Range<usize>,
    /// Bytes of the text before.
    pub old_bytes: Range<usize>,
    /// Bytes of the text after.
    pub new_bytes: Range<usize>,
}

/// A patch that was applied.
#[derive(Debug, Clone)]
pub struct Applied<'t> {
    before: &'t str,
    text: String,
    edits: Vec<Edit>,
    summary: Summary,
    repairs: Vec<Repair>,
}

impl Applied<'_> {
    /// The text after the patch.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text after the patch, taken out.
    pub fn into_text(self) -> String {
        self.text
    }

    /// Lines added and removed.
    pub fn summary(&self) -> Summary {
        self.summary
    }

    /// What anchored mode put right, in the order of the hunks; empty after strict mode.
    pub fn repairs(&self) -> &[Repair] {
        &self.repairs
    }

    /// The changed stretches, in order. Costs a pass over the changed bytes.
    pub fn spans(&self) -> Vec<Span> {
        let of = |line: usize, text: &str| line..line + lines::count(text);
        self.edits
            .iter()
            .map(|edit| Span {
                old_lines: of(edit.old_line, &self.before[edit.old.clone()]),
                new_lines: of(edit.new_line, &self.text[edit.new.clone()]),
                old_bytes: edit.old.clone(),
                new_bytes: edit.new.clone(),
            })
            .collect()
    }

    /// The patch that leads back: applied strictly to [`Applied::text`] it gives the text before, byte for byte.
    /// Computed on demand, in the size of the edits.
    pub fn inverse(&self) -> String {
        let edits: Vec<_> = self.edits.iter().map(Edit::inverse).collect();
        unified::hunks(&self.text, self.before, &edits, 3)
    }
}

/// Applies a unified diff to a text: every hunk, or none.
///
/// Time is linear in text and patch in both modes; strict mode and patches with exact arithmetic cost one pass over
/// the text and one allocation of its size.
///
/// ```
/// use canvas_patch::{Mode, Options, apply};
///
/// let text = "# Plan\n\n- buy milk\n- call home\n";
/// let patch = "@@\n - buy milk\n+- buy bread\n - call home\n";
/// let options = Options { mode: Mode::Anchored, ..Options::default() };
/// let applied = apply(text, patch, &options)?;
/// assert_eq!(applied.text(), "# Plan\n\n- buy milk\n- buy bread\n- call home\n");
/// assert_eq!(apply(applied.text(), &applied.inverse(), &Options::default())?.text(), text);
/// # Ok::<(), canvas_patch::ApplyError>(())
/// ```
///
/// # Errors
///
/// [`ApplyError`] lists every conflict that stands in the way; the text is only borrowed, so nothing has changed.
pub fn apply<'t>(text: &'t str, patch: &str, options: &Options) -> Result<Applied<'t>, ApplyError> {
    if text.len() > options.limits.text_bytes {
        return Err(Fault::of_patch(Reason::TooLarge, 1).into());
    }
    let patch = parse(patch, options.mode, &options.limits)?;
    let applied = match options.mode {
        Mode::Strict => match exact(text, &patch) {
            Some(result) => Placed { result, repairs: Vec::new() },
            None => return Err(explain_strict(text, &patch)),
        },
        Mode::Anchored => anchored(text, &patch)?,
    };
    let idle = idle_hunks(&patch);
    if !idle.is_empty() {
        return Err(ApplyError { conflicts: idle });
    }
    let Placed { result: (after, edits), repairs } = applied;
    if after.len() > options.limits.text_bytes {
        return Err(Fault::of_patch(Reason::TooLarge, 1).into());
    }
    if is_same(text, &after, &edits) {
        return Err(Fault::of_patch(Reason::NoEffect, 1).into());
    }
    let count = |kind| patch.lines.iter().filter(|line| line.kind == kind).count();
    let summary = Summary { added: count(Kind::Add), removed: count(Kind::Remove), hunks: patch.hunks.len() };
    Ok(Applied { before: text, text: after, edits, summary, repairs })
}

/// Hunks that neither add nor remove a line: their author has lost a change on the way.
fn idle_hunks(patch: &Patch<'_>) -> Vec<Conflict> {
    let hunks = patch.hunks.iter().enumerate();
    hunks
        .filter(|(_, hunk)| patch.lines_of(hunk).iter().all(|line| line.kind == Kind::Context))
        .map(|(i, hunk)| Conflict::of_hunk(i + 1, Reason::NoEffect, hunk.patch_line))
        .collect()
}

/// The text after, and what changed.
type Spliced = (String, Vec<Edit>);

struct Placed {
    result: Spliced,
    repairs: Vec<Repair>,
}

fn is_same(before: &str, after: &str, edits: &[Edit]) -> bool {
    let Some(first) = edits.first() else { return true };
    // Equal lengths are rare, and the comparison ends at the first change.
    before.len() == after.len() && before[first.old.start..] == after[first.old.start..]
}

/// Collects the text after while the text before is walked.
struct Splice<'t> {
    before: &'t str,
    out: String,
    /// Bytes of the text before that are already in `out` or removed.
    done: usize,
    edits: Vec<Edit>,
    /// New lines minus old lines so far.
    grown: isize,
}

impl<'t> Splice<'t> {
    fn new(before: &'t str, patch: &Patch<'_>) -> Self {
        // Anchored mode may add a CR to every added line.
        let capacity = before.len() + patch.added_bytes + patch.lines.len();
        Self {
            before,
            out: String::with_capacity(capacity),
            done: 0,
            edits: Vec::with_capacity(patch.hunks.len()),
            grown: 0,
        }
    }

    /// The open edit at byte `at` and line `line` of the text before.
    fn edit(&mut self, at: usize, line: usize) -> &mut Edit {
        if self.edits.last().is_none_or(|edit| edit.old.end != at) {
            self.out.push_str(&self.before[self.done..at]);
            self.done = at;
            let (new, new_line) = (self.out.len(), line.wrapping_add_signed(self.grown));
            self.edits.push(Edit { old: at..at, new: new..new, old_line: line, new_line });
        }
        self.edits.last_mut().expect("there is one now")
    }

    fn remove(&mut self, at: usize, line: usize, len: usize) {
        self.edit(at, line).old.end = at + len;
        self.done = at + len;
        self.grown -= 1;
    }

    fn add(&mut self, at: usize, line: usize, text: &str, terminator: &str) {
        self.edit(at, line);
        self.out.push_str(text);
        self.out.push_str(terminator);
        let end = self.out.len();
        self.edits.last_mut().expect("it was just opened").new.end = end;
        self.grown += 1;
    }

    /// Ends the last line of the text before where it is kept, has no terminator and lines are to follow it. The
    /// line then counts as changed.
    fn terminate_kept_line(&mut self, terminator: &str) {
        if self.done == self.before.len() || at_line_end(self.before) {
            return;
        }
        let start = line_start_before(self.before, self.before.len());
        let line = lines::count(&self.before[..start]);
        let kept = &self.before[start..];
        self.remove(start, line, kept.len());
        self.add(self.before.len(), line + 1, kept, terminator);
    }

    /// Takes bytes of the line that was added last away again.
    fn shorten(&mut self, by: usize) {
        let end = self.out.len() - by;
        self.out.truncate(end);
        self.edits.last_mut().expect("a line was added").new.end = end;
    }

    fn finish(mut self) -> Spliced {
        self.out.push_str(&self.before[self.done..]);
        (self.out, self.edits)
    }
}

/// Applies a patch whose arithmetic is exact, in one pass; `None` where anything differs.
fn exact(text: &str, patch: &Patch<'_>) -> Option<Spliced> {
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
fn explain_strict(text: &str, patch: &Patch<'_>) -> ApplyError {
    let mut conflicts = Vec::new();
    let mut missed: Vec<(usize, Vec<&str>)> = Vec::new();
    let (mut previous, mut previous_end, mut grown) = (0, 0, 0_isize);
    for (i, hunk) in patch.hunks.iter().enumerate() {
        let conflict = |reason| Conflict::of_hunk(i + 1, reason, hunk.patch_line);
        let start = hunk.stated.and_then(Stated::old_before).unwrap_or_default();
        let stated_new = hunk.stated.and_then(Stated::new_before);
        if start < previous_end {
            let reason = if start < previous { Reason::Misordered } else { Reason::Overlap };
            conflicts.push(Conflict { line: Some(start + 1), ..conflict(reason) });
        } else if let Some((line, divergence)) = diverges(text, start, patch.old_side(hunk)) {
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
    conflicts.extend(idle_hunks(patch));
    conflicts.sort_by_key(|conflict| conflict.hunk);
    if conflicts.iter().any(|c| matches!(c.reason, Reason::Misordered | Reason::Overlap)) {
        // New starts cannot follow from one another where the hunks do not.
        conflicts.retain(|conflict| conflict.reason != Reason::StartMismatch);
    }
    if conflicts.is_empty() {
        // Every old side stands where it should: only an unterminated new line with text behind it is left.
        let marked = |hunk: &Hunk| patch.markers.iter().any(|i| hunk.lines.contains(i));
        let last = patch.hunks.iter().rposition(marked).unwrap_or_default();
        let fault = || Conflict::of_hunk(last + 1, Reason::EofMarker, patch.hunks[last].patch_line);
        conflicts.push(patch.misplaced_marker.map_or_else(fault, Conflict::from));
    }
    ApplyError { conflicts }
}

/// The first line of an old side that differs from the text at line `start`, both with terminators. An empty old
/// side differs where the text has no line boundary at `start`.
fn diverges<'a>(
    text: &str,
    start: usize,
    mut old: impl Iterator<Item = &'a str>,
) -> Option<(usize, Divergence)> {
    let Some(mut at) = lines::skip(text, 0, start) else {
        return Some((lines::count(text), Divergence::new(old.next().unwrap_or_default(), None)));
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

/// True where the text is empty or its last line has a terminator.
fn at_line_end(text: &str) -> bool {
    text.is_empty() || text.ends_with('\n')
}

/// Places every hunk by its content.
fn anchored(text: &str, patch: &Patch<'_>) -> Result<Placed, ApplyError> {
    let unanchored: Vec<_> = patch
        .hunks
        .iter()
        .enumerate()
        .filter(|(_, hunk)| hunk.old_len == 0 && !text.is_empty())
        .map(|(i, hunk)| Conflict::of_hunk(i + 1, Reason::NoAnchor, hunk.patch_line))
        .collect();
    if unanchored.is_empty()
        && !patch.cut
        && let Some(result) = exact(text, patch)
    {
        return Ok(Placed { result, repairs: patch.repairs.clone() });
    }
    let faults = unanchored.into_iter().chain(idle_hunks(patch)).collect();
    let places = unique_places(text, patch, faults)?;
    in_order(patch, &places)?;
    Ok(splice_at(text, patch, &places))
}

/// The one line, from 0, where each hunk stands.
fn unique_places(
    text: &str,
    patch: &Patch<'_>,
    mut conflicts: Vec<Conflict>,
) -> Result<Vec<usize>, ApplyError> {
    let anchored = || patch.hunks.iter().enumerate().filter(|(_, hunk)| hunk.old_len > 0);
    let needles: Vec<Vec<&str>> = anchored().map(|(_, hunk)| patch.old_side(hunk).collect()).collect();
    let mut places = vec![0; patch.hunks.len()];
    let mut missing = Vec::new();
    for (((i, hunk), needle), found) in
        anchored().zip(&needles).zip(locate::find(text, &needles, Conflict::CANDIDATES))
    {
        match found.lines[..] {
            [line] => places[i] = line,
            [] => missing.push((i, hunk, needle)),
            _ => conflicts.push(Conflict {
                candidates: found.lines.iter().map(|line| line + 1).collect(),
                ..Conflict::of_hunk(i + 1, Reason::Ambiguous, hunk.patch_line)
            }),
        }
    }
    if !missing.is_empty() {
        explain_missing(text, &missing, &mut conflicts);
    }
    if conflicts.is_empty() {
        return Ok(places);
    }
    conflicts.sort_by_key(|conflict| conflict.hunk);
    Err(ApplyError { conflicts })
}

/// Adds a `NOT_FOUND` with the nearest place for each hunk whose old side is nowhere.
fn explain_missing(text: &str, missing: &[(usize, &Hunk, &Vec<&str>)], conflicts: &mut Vec<Conflict>) {
    let needles: Vec<Vec<&str>> = missing.iter().map(|(_, _, needle)| (*needle).clone()).collect();
    let nearest = locate::Nearest::new(text, &needles);
    let starts: Vec<usize> = std::iter::once(0)
        .chain(Lines::new(text).scan(0, |at, line| {
            *at += line.len();
            Some(*at)
        }))
        .collect();
    let line_at = |line: usize| starts.get(line + 1).map(|&end| &text[starts[line]..end]);
    for (i, hunk, needle) in missing {
        let stated = hunk.stated.and_then(Stated::old_before);
        let start = nearest.start(needle, stated).or(stated).unwrap_or(0).min(starts.len() - 1);
        let different = needle.iter().enumerate().find(|&(offset, expected)| {
            line_at(start + offset).is_none_or(|actual| content(actual) != content(expected))
        });
        let (offset, expected) = different.expect("the old side is nowhere, so not at this place either");
        conflicts.push(Conflict {
            line: Some(start + offset + 1),
            divergence: Some(Divergence::new(expected, line_at(start + offset))),
            ..Conflict::of_hunk(i + 1, Reason::NotFound, hunk.patch_line)
        });
    }
}

/// Places increase, and changes do not reach into one another.
fn in_order(patch: &Patch<'_>, places: &[usize]) -> Result<(), ApplyError> {
    let mut conflicts = Vec::new();
    // Of the hunk before: its start, its end, and the boundary where its last change ends.
    let (mut before, mut before_end, mut before_last) = (0, 0, 0);
    for (i, (hunk, &start)) in patch.hunks.iter().zip(places).enumerate() {
        let (lead, changes) = changes(patch.lines_of(hunk));
        let first = start + lead;
        let reason = if start < before {
            Some(Reason::Misordered)
        } else if first < before_last || first == before_last && start < before_end {
            Some(Reason::Overlap)
        } else {
            None
        };
        if let Some(reason) = reason {
            let line = Some(start + 1);
            conflicts.push(Conflict { line, ..Conflict::of_hunk(i + 1, reason, hunk.patch_line) });
        }
        (before, before_end) = (start, start + hunk.old_len);
        before_last = first + changes.iter().filter(|line| line.kind.is_old()).count();
    }
    if conflicts.is_empty() { Ok(()) } else { Err(ApplyError { conflicts }) }
}

/// Splices hunks that stand at `places`, with the terminators and the final newline of the text.
fn splice_at(text: &str, patch: &Patch<'_>, places: &[usize]) -> Placed {
    let mut splice = Splice::new(text, patch);
    let mut repairs = patch.repairs.clone();
    let (mut start_at, mut start_line) = (0, 0);
    for (i, (hunk, &start)) in patch.hunks.iter().zip(places).enumerate() {
        let mut note = |kind| repairs.push(Repair { hunk: i + 1, kind });
        let moved = hunk.stated.is_some_and(|stated| {
            stated.old_before() != Some(start)
                || stated.new_before() != start.checked_add_signed(splice.grown)
        });
        if moved {
            note(RepairKind::Moved);
        }
        start_at = lines::skip(text, start_at, start - start_line).expect("the old side stands there");
        start_line = start;
        let (mut at, mut line) = (start_at, start_line);
        let (mut adapted, mut ends) = (false, Ends::default());
        let mut wanted = "";
        for (i, part) in hunk.lines.clone().zip(patch.lines_of(hunk)) {
            let marked = patch.markers.binary_search(&i).is_ok();
            let own = lines::terminator(part.text);
            if part.kind == Kind::Add {
                let own = if own.is_empty() { "\n" } else { own };
                wanted = neighbour_terminator(text, at).unwrap_or(own);
                adapted |= own != wanted;
                if at == text.len() {
                    splice.terminate_kept_line(wanted);
                }
                splice.add(at, line, content(part.text), wanted);
                ends.see(part.kind, marked, false);
                continue;
            }
            let end = line_end(text, at);
            let actual = lines::terminator(&text[at..end]);
            adapted |= !own.is_empty() && !actual.is_empty() && own != actual;
            ends.see(part.kind, marked, actual.is_empty());
            if part.kind == Kind::Remove {
                splice.remove(at, line, end - at);
            }
            (at, line) = (end, line + 1);
        }
        if adapted {
            note(RepairKind::EolAdapted);
        }
        let adds_last = ends.added && at == text.len();
        ends.misfit |= ends.added && ends.marked && !adds_last;
        let unterminated = if ends.misfit { !at_line_end(text) } else { ends.marked };
        if adds_last && unterminated {
            splice.shorten(wanted.len());
        }
        if ends.misfit {
            note(RepairKind::EofMarkerIgnored);
        }
    }
    repairs.sort_unstable();
    repairs.dedup();
    Placed { result: splice.finish(), repairs }
}

/// The number of leading context lines, and the lines from the first change to the last.
fn changes<'p, 'a>(body: &'p [Line<'a>]) -> (usize, &'p [Line<'a>]) {
    let is_change = |line: &Line<'_>| line.kind != Kind::Context;
    match (body.iter().position(is_change), body.iter().rposition(is_change)) {
        (Some(first), Some(last)) => (first, &body[first..=last]),
        _ => (0, &[]),
    }
}

/// The terminator of an inserted line: that of the last terminated line above, which it replaces or follows, else
/// that of the line behind.
fn neighbour_terminator(text: &str, at: usize) -> Option<&str> {
    let above = memrchr(b'\n', &text.as_bytes()[..at]).map(|i| lines::terminator(&text[..=i]));
    above.or_else(|| Some(lines::terminator(&text[at..line_end(text, at)])).filter(|t| !t.is_empty()))
}

/// How a hunk's no-newline markers agree with the text.
#[derive(Default)]
struct Ends {
    /// A marker is missing from an old line, or stands where no text ends.
    misfit: bool,
    /// The last new line so far has a marker.
    marked: bool,
    /// The last new line so far is an added one.
    added: bool,
}

impl Ends {
    fn see(&mut self, kind: Kind, marked: bool, unterminated: bool) {
        if kind.is_old() {
            self.misfit |= marked != unterminated;
        }
        if kind.is_new() {
            self.misfit |= self.marked;
            (self.marked, self.added) = (marked, kind == Kind::Add);
        }
    }
}
