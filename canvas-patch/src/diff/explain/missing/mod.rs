//! Conflicts of hunks whose pre-image does not occur, with the most similar place and the first line that differs
//! there.
//!
//! The results are for reports only, because a patch never applies by similarity. `wanted` decides which lines are
//! sought, and `region` finds their probable place. It uses `shingles` for lines that the text does not have, and
//! `likeness` to compare two lines. `align` aligns the lines with that region. `copies` finds added lines that the text
//! already has. Time is linear in text and patch.

mod align;
mod copies;
mod likeness;
mod region;
mod shingles;
mod wanted;

pub(crate) use self::copies::copied;

use self::align::{Fault, FaultKind, first_fault};
use self::wanted::{Occurrences, Wanted};
use crate::diff::conflict::{Conflict, QuotedLine, Reason};
use crate::diff::locate;
use crate::diff::mismatch::{Difference, Mismatch};
use crate::diff::patch::{Hunk, LineKind, Patch};
use crate::text::lines::content;
use crate::text::numbered::NumberedLines;

/// Maximum number of readings of hunks that are also compared with similar lines. For the rest, only equal lines
/// determine the place.
const IN_DETAIL: usize = 16;

/// A hunk whose pre-image does not occur, by its index.
pub(crate) struct Missing {
    pub(crate) hunk: usize,
    /// Indices in the patch of blank lines of the pre-image that may be meant as additions.
    pub(crate) doubtful: Vec<usize>,
}

/// Returns a `NOT_FOUND` for each hunk, in order.
pub(crate) fn explain(text: &str, patch: &Patch<'_>, missing: &[Missing]) -> Vec<Conflict> {
    let lines = NumberedLines::new(text);
    let mut wanted = Vec::new();
    let mut readings = Vec::new();
    for missing in missing {
        let hunk = &patch.hunks[missing.hunk];
        let first = wanted.len();
        wanted.push(Wanted::new(patch, hunk, &[]));
        if !missing.doubtful.is_empty() {
            wanted.push(Wanted::new(patch, hunk, &missing.doubtful));
        }
        readings.push(first..wanted.len());
    }
    let occurrences = Occurrences::new(&lines, &wanted);
    for wanted in &mut wanted {
        wanted.decide(&occurrences);
    }
    let starts = region::starts(&lines, &wanted, &occurrences, IN_DETAIL);
    let present = present(text, patch, missing);
    let explained = missing.iter().zip(readings).zip(present);
    explained
        .map(|((missing, readings), present_at)| {
            let is_meant = readings.clone().any(|i| starts[i].or_else(|| wanted[i].hinted(&lines)).is_some());
            let faults = readings.rev().map(|i| wanted[i].fault(&lines, starts[i]));
            // The reading that matches further is the intended one.
            let fault = faults.max_by_key(|fault| fault.index);
            let hunk = &patch.hunks[missing.hunk];
            let around = |fault: &LineFault| {
                let mut rest =
                    patch.lines_of(hunk)[fault.index..].iter().skip(1).filter(|line| line.kind.is_old());
                let is_misquoted =
                    rest.next().is_some_and(|next| lines.get(fault.line + 1) != Some(content(next.text)));
                QuotedLine::around(&lines, fault.line, fault.mismatch.column, is_misquoted)
            };
            let conflict = Conflict::of_hunk(missing.hunk + 1, Reason::NotFound, hunk.patch_line);
            let Some(fault) = fault else { return Conflict { present_at, ..conflict } };
            Conflict {
                patch_line: patch.line_number(hunk, fault.index),
                line: Some(fault.line + 1),
                nearby: if is_meant { around(&fault) } else { Vec::new() },
                mismatch: Some(fault.mismatch),
                present_at,
                ..conflict
            }
        })
        .collect()
}

/// A line at fault in a hunk.
struct LineFault {
    /// Index among the lines of the hunk.
    index: usize,
    /// The line of the text, counted from 0.
    line: usize,
    mismatch: Mismatch,
}

impl Wanted<'_> {
    /// Returns the start of the region according to the header.
    fn hinted(&self, lines: &NumberedLines<'_>) -> Option<i64> {
        self.hint.map(|hint| hint.min(lines.len()) as i64)
    }

    /// Returns the first line at fault in the region that begins at `start`.
    fn fault(&self, lines: &NumberedLines<'_>, start: Option<i64>) -> LineFault {
        let sought: Vec<&str> = self.sought.iter().map(AsRef::as_ref).collect();
        let start = start.or_else(|| self.hinted(lines)).unwrap_or(0);
        let found = if sought.is_empty() { Ok(0) } else { first_fault(lines, &sought, start) };
        // A line copied with a slip is at fault too, although it helps to find the place.
        let slip = (0..sought.len()).find(|&at| self.quoted[at] != sought[at]);
        let fault = match (found, slip) {
            (Err(fault), slip) if slip.is_none_or(|slip| fault.at <= slip) => fault,
            (Err(Fault { at, line, .. }), Some(slip)) => {
                Fault { at: slip, line: (line + slip).saturating_sub(at), kind: FaultKind::Differs }
            }
            (Ok(line), Some(slip)) => Fault { at: slip, line: line + slip, kind: FaultKind::Differs },
            (Ok(line), None) => return self.elided(lines, line),
            (Err(fault), None) => fault,
        };
        // Terminators do not count here, so they are not shown as if they did.
        let mut mismatch = Mismatch::new(self.quoted[fault.at], lines.get(fault.line));
        match fault.kind {
            _ if mismatch.actual.is_none() => {}
            FaultKind::Differs => {}
            FaultKind::Extra => mismatch.difference = Difference::Extra,
            FaultKind::LeftOut => mismatch.difference = Difference::LeftOut,
        }
        LineFault { index: self.indices[fault.at], line: fault.line, mismatch }
    }

    /// Returns the dots as the line at fault, because all sought lines next to them occur from `line` on. Without dots,
    /// this is the first line.
    fn elided(&self, lines: &NumberedLines<'_>, line: usize) -> LineFault {
        let Some(elision) = &self.elision else {
            let quoted = self.quoted.first().copied().unwrap_or_default();
            let index = self.indices.first().copied().unwrap_or_default();
            return LineFault { index, line, mismatch: Mismatch::new(quoted, lines.get(line)) };
        };
        let line = if elision.is_first { line.saturating_sub(1) } else { line + self.sought.len() };
        let mut mismatch = Mismatch::new(&elision.quoted, lines.get(line));
        mismatch.difference = Difference::Elided;
        LineFault { index: elision.index, line, mismatch }
    }
}

/// Returns for each hunk the line, counted from 1, at which its post-image occurs, if it occurs exactly once. A hunk
/// that adds no word is not searched for.
fn present(text: &str, patch: &Patch<'_>, missing: &[Missing]) -> Vec<Option<usize>> {
    let adds = |hunk: &Hunk| {
        let mut added = patch.lines_of(hunk).iter().filter(|line| line.kind == LineKind::Add);
        added.any(|line| line.text.contains(char::is_alphanumeric))
    };
    let asked: Vec<usize> = (0..missing.len()).filter(|&i| adds(&patch.hunks[missing[i].hunk])).collect();
    let post_image = |&i: &usize| {
        let new = patch.lines_of(&patch.hunks[missing[i].hunk]).iter().filter(|line| line.kind.is_new());
        new.map(|line| content(line.text)).collect()
    };
    let needles: Vec<Vec<&str>> = asked.iter().map(post_image).collect();
    let mut present = vec![None; missing.len()];
    if !asked.is_empty() {
        for (i, found) in asked.into_iter().zip(locate::find(text, &needles, 2)) {
            if let [line] = found.lines[..] {
                present[i] = Some(line + 1);
            }
        }
    }
    present
}
