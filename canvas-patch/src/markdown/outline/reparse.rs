//! The ranges of a text that must be read again after an edit.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::ops::Range;

use super::depth;
use super::found::{Definition, GROWTH, Lead, RestartPoint, ScanResult, two_lines_above};
use super::index::Index;
use super::labels::{Labels, definitions_only};
use super::limits::{ParserLimits, brackets, longest};
use super::scan::Scan;
use super::splice::{Reparse, Shift};
use crate::diff::changed::Changed;
use crate::text::lines;

pub(super) struct Plan {
    pub(super) lead: Lead,
    pub(super) reparses: Vec<Reparse>,
    pub(super) limits: ParserLimits,
}

impl Index {
    /// Reads the ranges that the changes affect. Returns `None` if the whole text has to be read.
    pub(super) fn plan(&self, before: &str, after: &str, changes: &[Changed]) -> Option<Plan> {
        if self.limits.can_matter(&before[self.lead.bytes..]) {
            return None;
        }
        let mut limits = self.limits;
        for Changed { old, new } in changes {
            limits.brackets += brackets(&after.as_bytes()[new.clone()]);
            limits.brackets -= brackets(&before.as_bytes()[old.clone()]);
        }
        let lead = Lead::of(after);
        let (definitions, labels) = (OnceCell::new(), OnceCell::new());
        let is_defined = |label: &str| {
            let all = definitions.get_or_init(|| definitions_only(&self.definitions));
            labels.get_or_init(|| Labels::of(all)).contains(label)
        };
        let mut reader = Reader {
            index: self,
            before,
            after,
            lead,
            changes,
            limits,
            is_defined: &is_defined,
            known: OnceCell::new(),
        };
        let mut reparses: Vec<Reparse> = Vec::new();
        let mut next = 0;
        while next < changes.len() {
            let (first, shift) = match reparses.last() {
                Some(reparse) => (reparse.old.end, reparse.shift),
                None => (0, Shift::default()),
            };
            let reparse;
            (reparse, next) = reader.reparse(next, first, shift)?;
            reparses.push(reparse);
        }
        let limits = reader.limits;
        (!limits.can_matter(&after[lead.bytes..])).then_some(Plan { lead, reparses, limits })
    }
}

/// Reads ranges of the new text.
struct Reader<'l> {
    index: &'l Index,
    before: &'l str,
    after: &'l str,
    lead: Lead,
    changes: &'l [Changed],
    limits: ParserLimits,
    is_defined: &'l dyn Fn(&str) -> bool,
    /// The labels of the old text, filled only if the edit changes some.
    known: OnceCell<HashSet<&'l str>>,
}

/// A point from which text and parse are unchanged.
struct Resync {
    new: RestartPoint,
    /// Index of the old point.
    old: usize,
    /// Index of the first change after it.
    next: usize,
}

impl Reader<'_> {
    /// Reads from above the change at `next` until text and parse are unchanged. Also returns the index of the first
    /// change after the range. Returns `None` if the whole text has to be read.
    ///
    /// Points before `first` are already replaced, and the text after them moved by `shift`.
    fn reparse(&mut self, next: usize, first: usize, shift: Shift) -> Option<(Reparse, usize)> {
        let points = &self.index.points;
        let above = two_lines_above(self.before, self.changes[next].old.start);
        let restart = points.partition_point(|point| point.byte <= above).saturating_sub(1).max(first);
        let restart = if next == 0 && self.lead != self.index.lead { 0 } else { restart };
        let start =
            if next == 0 && restart == 0 { self.lead.end(self.after) } else { shift.point(points[restart]) };

        let mut target = start.byte.max(self.changes[next].new.end);
        loop {
            let end = self.end_of_reading(target);
            let found = self.read(start, end)?;
            let (reparse, next) = match self.resync(next, &found, end) {
                Some(Resync { new, old, next }) => {
                    let shift = Shift::between(points[old], new);
                    (Reparse { old: restart..old, found, end: new, shift }, next)
                }
                None if end == self.after.len() => {
                    let (sections, containers) = (found.sections.len(), found.containers.len());
                    let end = RestartPoint { byte: usize::MAX, line: 0, sections, containers };
                    (Reparse { old: restart..points.len(), found, end, shift }, self.changes.len())
                }
                None => {
                    target = start.byte + (end - start.byte).saturating_mul(GROWTH);
                    continue;
                }
            };
            return self.labels_stay(&reparse).then_some((reparse, next));
        }
    }

    /// Scans the text between `start` and the byte `end`. Returns `None` if the parser's limits could matter.
    fn read(&mut self, start: RestartPoint, end: usize) -> Option<ScanResult> {
        let body = &self.after[start.byte..end];
        let mut scan = Scan::new(&self.after[..end], start, 0);
        let definitions = scan.read::<true, true, false>(body, start.byte, self.is_defined);
        let limits = &mut self.limits;
        limits.footnote_in_link |= scan.footnote_in_link;
        limits.deep |= depth::is_deep(body);
        limits.longest_definition = limits.longest_definition.max(longest(&definitions));
        if limits.footnote_in_link {
            return None;
        }
        if limits.longest_definition > 0 {
            let own = ParserLimits { brackets: brackets(body), deep: false, ..*limits };
            if own.can_matter(body) {
                return None;
            }
        }
        Some(scan.finish(definitions))
    }

    /// Returns the end of the line after the first old point that is at or after `target` and in unchanged text.
    fn end_of_reading(&self, mut target: usize) -> usize {
        let (points, changes) = (&self.index.points, self.changes);
        let mut next = changes.partition_point(|changed| changed.new.end <= target);
        loop {
            if changes.get(next).is_none_or(|changed| target <= changed.new.start) {
                let Changed { old, new } = &changes[next - 1];
                let at = points.partition_point(|point| point.byte + new.end < target + old.end);
                let Some(point) = points.get(at) else { return self.after.len() };
                if changes.get(next).is_none_or(|changed| point.byte <= changed.old.start) {
                    let point = point.byte + new.end - old.end;
                    return lines::skip(self.after, point, 2).unwrap_or(self.after.len());
                }
            }
            let Some(changed) = changes.get(next) else { return self.after.len() };
            target = changed.new.end;
            next += 1;
        }
    }

    /// Returns the first point found after the change at `next` that is an old point too.
    fn resync(&self, next: usize, found: &ScanResult, end: usize) -> Option<Resync> {
        let (points, changes) = (&self.index.points, self.changes);
        let start = found.points.first()?.byte;
        // Closer to the end of the range, a point need not be one in the whole text.
        let last = if end == self.after.len() { end } else { two_lines_above(self.after, end).max(start) };
        let after_change = found.points.partition_point(|point| point.byte < changes[next].new.end);
        let candidates = found.points[after_change..].iter().take_while(|point| point.byte <= last);
        candidates.copied().find_map(|new| {
            let next = changes.partition_point(|changed| changed.new.end <= new.byte);
            let before = &changes[next.checked_sub(1)?];
            if changes.get(next).is_some_and(|changed| changed.new.start < new.byte) {
                return None;
            }
            let byte = new.byte - before.new.end + before.old.end;
            let old = points.binary_search_by_key(&byte, |point| point.byte).ok()?;
            Some(Resync { new, old, next })
        })
    }

    /// Whether the range defines the same link labels as before, or at least the text as a whole neither gains nor
    /// loses a label. Otherwise titles anywhere could change, because any title may refer to them.
    fn labels_stay(&self, reparse: &Reparse) -> bool {
        let definitions = &self.index.definitions;
        let Range { start, end } = reparse.old;
        let old = self.index.place(start).definitions..self.index.place(end).definitions;
        let (new, beyond) = reparse.found.definitions.split_at(
            reparse.found.definitions.partition_point(|definition| definition.byte < reparse.end.byte),
        );
        if definitions[old.clone()].iter().map(label).eq(new.iter().map(label)) && beyond.is_empty() {
            return true;
        }
        let old: HashSet<_> = definitions[old].iter().map(label).collect();
        let new: HashSet<_> = new.iter().map(label).collect();
        let is_known = |label: &&str| {
            old.contains(label)
                || self.known.get_or_init(|| definitions.iter().map(self::label).collect()).contains(label)
        };
        old.is_subset(&new)
            && new.iter().all(is_known)
            && beyond.iter().map(label).all(|label| is_known(&label))
    }
}

fn label(definition: &Definition) -> &str {
    &definition.label
}
