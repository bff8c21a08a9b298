//! The data kept for a text so that its outline can be updated.

use std::ops::Range;

use super::found::{Block, Definition, Lead, RestartPoint, ScanResult};
use super::limits::ParserLimits;
use super::model::{Outline, Section};
use super::parts::scan_with_points;

/// Minimum bytes between two restart points that are kept. A one-line edit reads about this much again, and moves all
/// points after it. Tests and fuzz targets keep every point, because their texts are short.
pub(super) const SPACING: usize = if cfg!(any(test, fuzzing)) { 0 } else { 1024 };

/// An outline with its blocks and restart points.
#[derive(Debug, Clone)]
pub(super) struct Index {
    pub(super) lead: Lead,
    pub(super) limits: ParserLimits,
    pub(super) outline: Outline,
    /// Every block, in the order of their starts.
    pub(super) blocks: Vec<Block>,
    /// In ascending order. The first is the start of the Markdown.
    pub(super) points: Vec<RestartPoint>,
    /// The first definition of every label, and some later ones, in ascending order.
    pub(super) definitions: Vec<Definition>,
}

/// The headings and blocks of a part of a text.
pub(crate) struct Region {
    /// The byte and the line of its start.
    pub(crate) start: (usize, usize),
    /// Only their levels, titles and headings are meaningful.
    pub(crate) sections: Vec<Section>,
    pub(crate) blocks: Vec<Block>,
}

impl Index {
    pub(super) fn new(text: &str) -> Self {
        let lead = Lead::of(text);
        let ScanResult { sections, containers, blocks, points, definitions, footnote_in_link } =
            scan_with_points(text, lead, SPACING);
        let limits = ParserLimits::of(text, lead, &definitions, footnote_in_link);
        let outline = Outline { sections, containers, front_matter: lead.front_matter };
        Self { lead, limits, outline, blocks, points, definitions }
    }

    pub(super) fn whole(&self) -> Region {
        self.region(0..self.points.len())
    }

    /// Returns the place of the point at an index, or the end of all entries if there is no such point.
    pub(super) fn place(&self, point: usize) -> Place {
        let Some(&RestartPoint { byte, sections, containers, .. }) = self.points.get(point) else {
            return Place {
                sections: self.outline.sections.len(),
                containers: self.outline.containers.len(),
                blocks: self.blocks.len(),
                points: self.points.len(),
                definitions: self.definitions.len(),
            };
        };
        let blocks = self.blocks.partition_point(|block| block.bytes.start < byte);
        let definitions = self.definitions.partition_point(|definition| definition.byte < byte);
        Place { sections, containers, blocks, points: point, definitions }
    }

    /// Returns the headings and blocks from one point to another, given by their indices.
    pub(super) fn region(&self, points: Range<usize>) -> Region {
        let (start, end) = (self.place(points.start), self.place(points.end));
        let first = self.points.get(points.start).or_else(|| self.points.last());
        Region {
            start: first.map_or((0, 1), |point| (point.byte, point.line)),
            sections: self.outline.sections[start.sections..end.sections].to_vec(),
            blocks: self.blocks[start.blocks..end.blocks].to_vec(),
        }
    }
}

/// A position in each list of an outline.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    pub(super) sections: usize,
    pub(super) containers: usize,
    pub(super) blocks: usize,
    pub(super) points: usize,
    pub(super) definitions: usize,
}

impl Place {
    pub(super) fn zip(self, other: Self, combine: impl Fn(usize, usize) -> usize) -> Self {
        Self {
            sections: combine(self.sections, other.sections),
            containers: combine(self.containers, other.containers),
            blocks: combine(self.blocks, other.blocks),
            points: combine(self.points, other.points),
            definitions: combine(self.definitions, other.definitions),
        }
    }
}
