//! Comparison of the structure of two texts.

use std::collections::BTreeMap;
use std::ops::Range;

use super::error::StructureError;
use super::model::Edited;
use crate::diff::delta::Delta;
use crate::markdown::outline::{Block, BlockKind, LiveOutline};
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
    /// Whether the title and level of a section may change, or it may be gone. Sections are given by their index.
    pub(super) is_free: &'f dyn Fn(usize) -> bool,
    /// Whether a block may be gone.
    pub(super) may_go: &'f dyn Fn(&Block) -> bool,
    /// The number of blocks that are new.
    pub(super) new_items: usize,
}

/// Checks that every heading and block of the old text is in the new one, at the place of its bytes, and that there are no
/// others. However, quotes do not count, because lines that move may begin, join or part them. Returns the outline of the new text.
pub(super) fn check(
    old: &LiveOutline,
    edited: &Edited,
    kept: &Kept<'_>,
) -> Result<LiveOutline, StructureError> {
    let mut new = old.clone();
    new.edit(edited.text.clone(), edited.delta.edits());
    check_headings(old, &new, kept)?;
    check_blocks(old, &new, kept)?;
    check_definitions(old, &new, &kept.places)?;
    Ok(new)
}

fn check_headings(old: &LiveOutline, new: &LiveOutline, kept: &Kept<'_>) -> Result<(), StructureError> {
    // By the start of their lines.
    let mut expected = BTreeMap::new();
    let mut cursor = Bytes::new(old.text());
    let mut free = 0;
    for (index, section) in old.outline().sections().iter().enumerate() {
        if (kept.is_free)(index) {
            free += 1;
            continue;
        }
        let Some(at) = kept.places.of(cursor.line_start(section.heading.start)) else {
            return Err(spilled(section.heading.start, false));
        };
        expected.insert((at, index), (section.level, section.title.as_str()));
    }
    let mut cursor = Bytes::new(new.text());
    let mut expected = expected.into_iter().peekable();
    for section in new.outline().sections() {
        let at = cursor.line_start(section.heading.start);
        match expected.next_if(|((start, _), heading)| {
            *start == at && *heading == (section.level, section.title.as_str())
        }) {
            Some(_) => {}
            None if free > 0 => free -= 1,
            None => return Err(spilled(section.heading.start, true)),
        }
    }
    match expected.next() {
        Some(((at, _), _)) => Err(spilled(line_at(new.text(), at), false)),
        None => Ok(()),
    }
}

fn check_blocks(old: &LiveOutline, new: &LiveOutline, kept: &Kept<'_>) -> Result<(), StructureError> {
    let counts = |block: &&Block| block.kind != BlockKind::Quote;
    let mut expected = Vec::new();
    for block in old.blocks().iter().filter(counts) {
        match kept.places.of(block.bytes.start) {
            Some(at) => expected.push((at, block.kind)),
            None if (kept.may_go)(block) => {}
            None => return Err(spilled(line_at(old.text(), block.bytes.start), false)),
        }
    }
    expected.sort_by_key(|(at, _)| *at);
    let mut expected = expected.into_iter().peekable();
    let mut new_items = kept.new_items;
    for block in new.blocks().iter().filter(counts) {
        match expected.next_if_eq(&(block.bytes.start, block.kind)) {
            Some(_) => {}
            None if new_items > 0 => new_items -= 1,
            None => return Err(spilled(line_at(new.text(), block.bytes.start), true)),
        }
    }
    match expected.next() {
        Some((at, _)) => Err(spilled(line_at(new.text(), at), false)),
        None => Ok(()),
    }
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
struct Bytes<'t> {
    text: &'t str,
    at: (usize, usize),
}

impl<'t> Bytes<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, at: (1, 0) }
    }

    /// Returns the start of a line, after a byte order mark.
    fn line_start(&mut self, line: usize) -> usize {
        let (known, byte) = self.at;
        let (known, byte) = if line < known { (1, 0) } else { (known, byte) };
        let start = lines::skip(self.text, byte, line - known).unwrap_or(self.text.len());
        self.at = (line, start);
        start.max(lines::mark(self.text))
    }
}
