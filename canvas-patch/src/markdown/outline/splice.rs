//! Replaces ranges of an index by a new reading.

use std::ops::Range;

use super::found::{RestartPoint, ScanResult};
use super::index::{Index, Place, SPACING};
use super::model::LineRange;
use crate::text::cursor::LineCursor;
use crate::text::lines;

/// A range after a second reading.
#[derive(Debug)]
pub(super) struct Reparse {
    /// The old points that it replaces.
    pub(super) old: Range<usize>,
    /// The results of the reading, perhaps with some after `end`.
    pub(super) found: ScanResult,
    /// The end of the range, with the numbers of its sections and containers.
    pub(super) end: RestartPoint,
    /// The distance by which the text after it moves.
    pub(super) shift: Shift,
}

/// A distance in bytes and lines, modulo the range of the type.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Shift {
    bytes: usize,
    lines: usize,
}

impl Shift {
    pub(super) fn between(old: RestartPoint, new: RestartPoint) -> Self {
        Self { bytes: new.byte.wrapping_sub(old.byte), lines: new.line.wrapping_sub(old.line) }
    }

    pub(super) fn point(self, point: RestartPoint) -> RestartPoint {
        RestartPoint { byte: self.byte(point.byte), line: point.line.wrapping_add(self.lines), ..point }
    }

    fn byte(self, byte: usize) -> usize {
        byte.wrapping_add(self.bytes)
    }

    fn move_lines(self, lines: &mut LineRange) {
        lines.start = lines.start.wrapping_add(self.lines);
        lines.end = lines.end.wrapping_add(self.lines);
    }
}

/// Neighbouring entries that come from one reading.
struct Part {
    start: Place,
    end: Place,
    /// The former place of `start`, from which the entries' indices still count.
    origin: Place,
    shift: Shift,
}

/// A section of an earlier part that ends above another section, or with the text.
struct Closing {
    section: usize,
    before: Option<Before>,
}

struct Before {
    section: usize,
    /// Index of the first section in the part of `section`.
    part: usize,
}

impl Index {
    /// Replaces each range with its reading in the new text, `after`. The reparses are in order and do not overlap.
    pub(super) fn splice(&mut self, after: &str, reparses: Vec<Reparse>) {
        let parts = self.replace_entries(reparses);
        let Some(first) = parts.first() else { return };
        let mut open = Vec::new();
        self.open_sections(0..first.start.sections, &mut open);
        let mut closings = Vec::new();
        for part in &parts {
            self.settle_others(part, open.last().copied());
            self.settle_sections(part, &mut open, &mut closings);
            self.open_sections(part.start.sections..part.end.sections, &mut open);
        }
        closings.extend(open.into_iter().map(|section| Closing { section, before: None }));
        for closing in closings {
            self.close(after, &closing);
        }
    }

    /// Replaces entries and returns the parts that the lists now consist of, from the first new one on.
    fn replace_entries(&mut self, reparses: Vec<Reparse>) -> Vec<Part> {
        let bounds: Vec<_> = reparses
            .iter()
            .map(|reparse| (self.place(reparse.old.start), self.place(reparse.old.end)))
            .collect();
        let mut lengths = Vec::with_capacity(reparses.len());
        // From the last to the first, so that earlier places stay valid.
        for (reparse, (start, end)) in reparses.into_iter().zip(&bounds).rev() {
            let byte = reparse.end.byte;
            let ScanResult { mut sections, mut containers, mut blocks, mut points, mut definitions, .. } =
                reparse.found;
            sections.truncate(reparse.end.sections);
            containers.truncate(reparse.end.containers);
            blocks.retain(|block| block.bytes.start < byte);
            points.retain(|point| point.byte < byte);
            thin_out(&mut points);
            definitions.retain(|definition| definition.byte < byte);
            let length = Place {
                sections: sections.len(),
                containers: containers.len(),
                blocks: blocks.len(),
                points: points.len(),
                definitions: definitions.len(),
            };
            lengths.push((length, reparse.shift));
            self.outline.sections.splice(start.sections..end.sections, sections);
            self.outline.containers.splice(start.containers..end.containers, containers);
            self.blocks.splice(start.blocks..end.blocks, blocks);
            self.points.splice(start.points..end.points, points);
            self.definitions.splice(start.definitions..end.definitions, definitions);
        }
        lengths.reverse();

        let total = self.place(self.points.len());
        let mut parts = Vec::with_capacity(2 * lengths.len());
        let mut start = bounds.first().map_or(total, |&(start, _)| start);
        for (at, &(length, shift)) in lengths.iter().enumerate() {
            let end = start.zip(length, |start, length| start + length);
            parts.push(Part { start, end, origin: Place::default(), shift: Shift::default() });
            let origin = bounds[at].1;
            let next = bounds.get(at + 1);
            let unchanged = next.map(|&(next, _)| next.zip(origin, |next, origin| next - origin));
            start = unchanged.map_or(total, |unchanged| end.zip(unchanged, |end, more| end + more));
            parts.push(Part { start: end, end: start, origin, shift });
        }
        parts
    }

    /// Moves containers, blocks, points and definitions. If a block is in no section of its part, it is in the section
    /// that is open at the start of the part.
    fn settle_others(&mut self, part: &Part, innermost: Option<usize>) {
        let Part { start, end, origin, shift } = part;
        let moved = start.zip(*origin, usize::wrapping_sub);
        for container in &mut self.outline.containers[start.containers..end.containers] {
            container.parent = container.parent.map(|parent| parent.wrapping_add(moved.containers));
        }
        for block in &mut self.blocks[start.blocks..end.blocks] {
            block.bytes = shift.byte(block.bytes.start)..shift.byte(block.bytes.end);
            let own = block.section.filter(|&section| section >= origin.sections);
            block.section = own.map_or(innermost, |section| Some(section.wrapping_add(moved.sections)));
        }
        for point in &mut self.points[start.points..end.points] {
            let (sections, containers) = (point.sections, point.containers);
            *point = RestartPoint {
                sections: sections.wrapping_add(moved.sections),
                containers: containers.wrapping_add(moved.containers),
                ..shift.point(*point)
            };
        }
        for definition in &mut self.definitions[start.definitions..end.definitions] {
            definition.byte = shift.byte(definition.byte);
        }
    }

    /// Moves the sections of a part. Sections without a parent in the part get one from `open`, the sections of earlier
    /// parts that have not ended.
    fn settle_sections(&mut self, part: &Part, open: &mut Vec<usize>, closings: &mut Vec<Closing>) {
        let Part { start, end, origin, shift } = part;
        let moved = start.zip(*origin, usize::wrapping_sub);
        for index in start.sections..end.sections {
            let (before, rest) = self.outline.sections.split_at_mut(index);
            let section = &mut rest[0];
            shift.move_lines(&mut section.heading);
            shift.move_lines(&mut section.lines);
            section.container = section.container.map(|at| at.wrapping_add(moved.containers));
            if let Some(parent) = section.parent.filter(|&parent| parent >= origin.sections) {
                section.parent = Some(parent.wrapping_add(moved.sections));
                continue;
            }
            // Only a section in a container leaves sections of its own or a lower level open.
            let closes = |&inner: &usize| section.container.is_none() && before[inner].level >= section.level;
            while let Some(inner) = open.last().copied().filter(closes) {
                open.pop();
                let before = Some(Before { section: index, part: start.sections });
                closings.push(Closing { section: inner, before });
            }
            section.parent = open.last().copied();
        }
    }

    /// Sets `open` to the sections that are open after those of `range`, outermost first.
    fn open_sections(&self, range: Range<usize>, open: &mut Vec<usize>) {
        let sections = &self.outline.sections;
        if let Some(last) = range.rev().find(|&index| sections[index].container.is_none()) {
            open.clear();
            open.extend(std::iter::successors(Some(last), |&index| sections[index].parent));
            open.reverse();
        }
    }

    fn close(&mut self, text: &str, closing: &Closing) {
        let sections = &self.outline.sections;
        let line = closing.before.as_ref().map(|before| sections[before.section].heading.start);
        let near = line.map_or(self.points.len(), |line| self.points.partition_point(|p| p.line <= line));
        let point = self.points[near.saturating_sub(1)];
        let skip = line.map_or(usize::MAX, |line| line.saturating_sub(point.line));
        let end = lines::skip(text, point.byte, skip).unwrap_or(text.len());
        let mut cursor = LineCursor::starting_at(text, point.byte, point.line);
        let last_line = cursor.last_content_line(end, false);
        // The end is after that only if a lone CR puts the next heading on the last line of an inner section.
        let inside = closing.before.as_ref().map_or(0, |before| {
            let inside = &sections[before.part..before.section];
            inside.iter().map(|section| section.lines.end).max().unwrap_or(0)
        });
        let section = &mut self.outline.sections[closing.section];
        section.lines.end = section.heading.end.max(last_line).max(inside);
    }
}

/// Removes points that are close to the preceding one, but never the first.
fn thin_out(points: &mut Vec<RestartPoint>) {
    let mut next = 0;
    points.retain(|point| {
        let far = point.byte >= next;
        if far {
            next = point.byte + SPACING;
        }
        far
    });
}
