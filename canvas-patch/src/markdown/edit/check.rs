//! Comparison of the structure of two texts.

use std::collections::BTreeMap;
use std::ops::Range;

use super::error::StructureError;
use super::model::Edited;
use crate::diff::delta::Delta;
use crate::markdown::outline::{Block, BlockKind, Lead, LiveOutline};
use crate::markdown::structure::EditPolicyError;
use crate::text::cursor::LineCursor;
use crate::text::lines;

/// The places that the bytes of a text have after an edit.
pub(super) struct Places {
    /// Kept ranges of the old text in order, with the start of each in the new text.
    kept: Vec<(Range<usize>, usize)>,
}

impl Places {
    /// Returns the places after edits that leave the order of the text unchanged.
    pub(super) fn of_delta(text: &str, delta: &Delta) -> Self {
        let (mut kept, mut at, mut shift) = (Vec::new(), 0, 0_isize);
        for edit in delta.edits() {
            kept.push((at..edit.at, at.wrapping_add_signed(shift)));
            shift += edit.new.len() as isize - edit.old.len() as isize;
            at = edit.range().end;
        }
        kept.push((at..text.len() + 1, at.wrapping_add_signed(shift)));
        Self { kept }
    }

    /// Returns the places if the new text consists of these ranges of the old one, each with the bytes of new text before
    /// it.
    pub(super) fn of_pieces(pieces: impl IntoIterator<Item = (usize, Range<usize>)>) -> Self {
        let mut at = 0;
        let mut kept: Vec<_> = pieces
            .into_iter()
            .map(|(before, piece)| {
                let start = at + before;
                at = start + piece.len();
                (piece, start)
            })
            .collect();
        kept.sort_by_key(|(piece, _)| piece.start);
        Self { kept }
    }

    /// Returns the same places, with one that stays as the start of a block although the text there is replaced.
    pub(super) fn holding(mut self, at: usize) -> Self {
        if self.of(at).is_none() {
            let piece = self.kept.partition_point(|(piece, _)| piece.end <= at);
            let below = self.kept[..piece].last();
            let start = below.map_or(at, |(piece, start)| start + (at - piece.start));
            self.kept.insert(piece, (at..at + 1, start));
        }
        self
    }

    pub(super) fn of(&self, at: usize) -> Option<usize> {
        let piece = self.kept.partition_point(|(piece, _)| piece.end <= at);
        let (range, start) = self.kept.get(piece)?;
        range.contains(&at).then(|| start + (at - range.start))
    }
}

/// Requirements for the new text.
pub(super) struct Kept<'f> {
    pub(super) places: Places,
    /// The section whose title may change.
    pub(super) renamed: Option<usize>,
    /// Whether a section may be gone, given by its index.
    pub(super) may_lose: &'f dyn Fn(usize) -> bool,
    /// Whether a block may be gone.
    pub(super) may_go: &'f dyn Fn(&Block) -> bool,
    /// The number of blocks that are new.
    pub(super) new_blocks: usize,
    /// Whether the front matter may be gone.
    pub(super) loses_front_matter: bool,
}

impl Kept<'_> {
    /// Requires all headings and blocks.
    pub(super) fn all(places: Places) -> Self {
        Self {
            places,
            renamed: None,
            may_lose: &|_| false,
            may_go: &|_| false,
            new_blocks: 0,
            loses_front_matter: false,
        }
    }
}

/// Checks that every heading and block of the old text is in the new one, at the place of its bytes and in as many
/// containers, and that there are no others. However, quotes do not count, because lines that move may begin, join or part
/// them. Returns the outline of the new text.
pub(super) fn check(
    old: &LiveOutline,
    edited: &Edited,
    kept: &Kept<'_>,
) -> Result<LiveOutline, StructureError> {
    let mut new = old.clone();
    new.edit(edited.text.clone(), edited.delta.edits());
    check_front_matter(old, &new, kept)?;
    check_headings(old, &new, kept)?;
    check_blocks(old, &new, kept)?;
    check_definitions(old, &new, &kept.places)?;
    Ok(new)
}

fn check_front_matter(old: &LiveOutline, new: &LiveOutline, kept: &Kept<'_>) -> Result<(), StructureError> {
    let text = |live: &LiveOutline| {
        let lead = Lead::of(live.text());
        lead.front_matter.map(|_| live.text()[..lead.bytes].trim_end().to_owned())
    };
    match (text(old), text(new)) {
        (Some(_), None) if kept.loses_front_matter => Ok(()),
        (old, new) if old == new => Ok(()),
        (_, new) => Err(StructureError::Spilled(EditPolicyError::FrontMatter { made: new.is_some() })),
    }
}

fn check_headings(old: &LiveOutline, new: &LiveOutline, kept: &Kept<'_>) -> Result<(), StructureError> {
    // By the start of their lines.
    let mut expected = BTreeMap::new();
    let mut cursor = LineStarts::new(old.text());
    for (index, section) in old.outline().sections().iter().enumerate() {
        let line = section.heading.start;
        let title = (kept.renamed != Some(index)).then_some(section.title.as_str());
        match kept.places.of(cursor.of(line)) {
            Some(at) => drop(expected.insert((at, index), (section.level, title))),
            None if (kept.may_lose)(index) => {}
            None => return Err(spilled(line, false)),
        }
    }
    let mut cursor = LineStarts::new(new.text());
    let mut expected = expected.into_iter().peekable();
    for section in new.outline().sections() {
        let at = cursor.of(section.heading.start);
        let is_it = |((start, _), (level, title)): &((usize, usize), (u8, Option<&str>))| {
            *start == at && *level == section.level && title.is_none_or(|title| title == section.title)
        };
        if expected.next_if(is_it).is_none() {
            return Err(spilled(section.heading.start, true));
        }
    }
    match expected.next() {
        Some(((at, _), _)) => Err(spilled(line_at(new.text(), at), false)),
        None => Ok(()),
    }
}

fn check_blocks(old: &LiveOutline, new: &LiveOutline, kept: &Kept<'_>) -> Result<(), StructureError> {
    let counts = |block: &&Block| block.kind != BlockKind::Quote;
    let text = old.text();
    let mut expected = Vec::new();
    for block in old.blocks().iter().filter(counts) {
        match kept.places.of(block.bytes.start) {
            Some(at) => expected.push((at, block)),
            None if (kept.may_go)(block) => {}
            None => return Err(spilled(line_at(old.text(), block.bytes.start), false)),
        }
    }
    expected.sort_by_key(|(at, _)| *at);
    let mut expected = expected.into_iter().peekable();
    let mut new_blocks = kept.new_blocks;
    for block in new.blocks().iter().filter(counts) {
        let is_it = |(at, old): &(usize, &Block)| {
            // The end of a table is its last row. Items end with blank lines, which may differ.
            let ends = || kept.places.of(last_of(text, old)).is_none_or(|end| end < block.bytes.end);
            *at == block.bytes.start
                && (old.kind, old.depth) == (block.kind, block.depth)
                && (old.kind != BlockKind::Table || ends())
        };
        match expected.next_if(is_it) {
            Some(_) => {}
            None if new_blocks > 0 => new_blocks -= 1,
            None => return Err(spilled(line_at(new.text(), block.bytes.start), true)),
        }
    }
    match expected.next() {
        Some((at, _)) => Err(spilled(line_at(new.text(), at), false)),
        None => Ok(()),
    }
}

/// Returns the last byte of a block that is not of a line terminator.
fn last_of(text: &str, block: &Block) -> usize {
    let content = text[block.bytes.clone()].trim_end_matches(['\n', '\r']);
    block.bytes.start + content.len().saturating_sub(1)
}

/// Checks that every link label still has the same definition.
fn check_definitions(old: &LiveOutline, new: &LiveOutline, places: &Places) -> Result<(), StructureError> {
    let now = new.definitions();
    for (label, at) in old.definitions() {
        let is_same = places.of(at).is_none_or(|at| now.get(&label) == Some(&at));
        if !is_same {
            return Err(spilled(line_at(old.text(), at), false));
        }
    }
    Ok(())
}

pub(super) fn spilled(line: usize, is_now: bool) -> StructureError {
    StructureError::Spilled(EditPolicyError::SideEffect { line, is_now })
}

pub(super) fn line_at(text: &str, at: usize) -> usize {
    LineCursor::new(text).line_at(at.min(text.len()))
}

/// The starts of lines, looked up in ascending order.
pub(super) struct LineStarts<'t> {
    text: &'t str,
    at: (usize, usize),
}

impl<'t> LineStarts<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: (1, 0) }
    }

    /// Returns the start of a line, after a byte order mark.
    pub(super) fn of(&mut self, line: usize) -> usize {
        let (known, byte) = self.at;
        let (known, byte) = if line < known { (1, 0) } else { (known, byte) };
        let start = lines::skip(self.text, byte, line - known).unwrap_or(self.text.len());
        self.at = (line, start);
        start.max(lines::mark(self.text))
    }
}
