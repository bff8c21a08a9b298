//! List items and fences of a section, and the containers around a place.

use super::model::{Part, Resolved};
use crate::markdown::outline::{Block, BlockKind, ContainerKind, LineRange};
use crate::text::cursor::LineCursor;
use crate::text::lines::{line_end, line_start_before};

/// A part that a section does not have.
pub(crate) struct Missing {
    /// Part in the request. The numbers of an item end with the first one that is too high.
    pub(crate) part: Part,
    pub(crate) available: usize,
}

/// The text over which parts are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Within {
    /// All of it.
    Text,
    /// A section without its subsections, or the preamble.
    Section(Option<usize>),
}

impl Within {
    pub(crate) fn has(self, section: Option<usize>) -> bool {
        match self {
            Self::Text => true,
            Self::Section(own) => own == section,
        }
    }
}

/// Returns the index of a part among all blocks of the text.
pub(crate) fn find_part(blocks: &[Block], within: Within, part: &Part) -> Result<usize, Missing> {
    let ranked = |kind, number: usize| {
        let all = || own(blocks.iter(), within, kind).map(|(at, _)| at);
        let found = number.checked_sub(1).and_then(|rank| all().nth(rank));
        found.ok_or_else(|| Missing { part: part.clone(), available: all().count() })
    };
    match part {
        Part::Item(numbers) => find_item(blocks, within, numbers),
        Part::Fence(number) => ranked(BlockKind::Fence, *number),
        Part::Table(table) => ranked(BlockKind::Table, table.table),
        // These are no blocks of an outline.
        Part::Paragraph(_) | Part::Body => Err(Missing { part: part.clone(), available: 0 }),
    }
}

fn find_item(blocks: &[Block], within: Within, numbers: &[usize]) -> Result<usize, Missing> {
    let in_text = if within == Within::Text { nesting_in_text(blocks) } else { Vec::new() };
    let nesting_of = |at: usize| in_text.get(at).copied().unwrap_or(blocks[at].nesting);
    // Blocks inside an item come right after it and are deeper.
    let (mut from, mut depth, mut nesting) = (0, 0, 0);
    loop {
        let items = || {
            let inside = blocks[from..].iter().take_while(|block| block.depth >= depth);
            own(inside, within, BlockKind::Item)
                .map(|(at, _)| from + at)
                .filter(|&at| nesting_of(at) == nesting)
        };
        let rank = numbers.get(nesting).and_then(|number| number.checked_sub(1));
        let Some(found) = rank.and_then(|rank| items().nth(rank)) else {
            let known = numbers.iter().take(nesting + 1).copied().collect();
            return Err(Missing { part: Part::Item(known), available: items().count() });
        };
        if nesting + 1 == numbers.len() {
            return Ok(found);
        }
        (from, depth, nesting) = (found + 1, blocks[found].depth + 1, nesting + 1);
    }
}

/// Returns the number of list items around each block. [`Block::nesting`] begins anew in a section inside of an item.
pub(crate) fn nesting_in_text(blocks: &[Block]) -> Vec<usize> {
    // The items around the block, by their depths.
    let mut items: Vec<usize> = Vec::new();
    let nesting = blocks.iter().map(|block| {
        while items.last().is_some_and(|depth| *depth >= block.depth) {
            items.pop();
        }
        let around = items.len();
        if block.kind == BlockKind::Item {
            items.push(block.depth);
        }
        around
    });
    nesting.collect()
}

/// Returns the blocks of one kind that belong to the section itself, each with its index.
fn own<'b>(
    blocks: impl Iterator<Item = &'b Block>,
    within: Within,
    kind: BlockKind,
) -> impl Iterator<Item = (usize, &'b Block)> {
    blocks.enumerate().filter(move |(_, block)| within.has(block.section) && block.kind == kind)
}

/// Returns the lines of an item or fence, without blank lines at the end of an item.
pub(crate) fn lines_of(text: &str, block: &Block) -> LineRange {
    let mut cursor = LineCursor::new(text);
    let start = cursor.line_at(block.bytes.start);
    let end = match block.kind {
        BlockKind::Fence | BlockKind::Table => cursor.line_at(block.bytes.end.saturating_sub(1)),
        BlockKind::Item | BlockKind::Quote | BlockKind::Footnote => {
            cursor.last_content_line(block.bytes.end, block.quoted)
        }
    };
    LineRange { start, end: end.max(start) }
}

/// Returns the containers around the block at `at`, outermost first.
pub(crate) fn containers_of(blocks: &[Block], at: usize) -> Vec<ContainerKind> {
    let mut depth = blocks[at].depth;
    let mut path = Vec::new();
    // Blocks are in the order of their starts. Going back, the first container that is less deep holds the block.
    for block in blocks[..at].iter().rev() {
        if let Some(kind) = container_kind(block).filter(|_| block.depth + 1 == depth) {
            path.push(kind);
            depth -= 1;
        }
    }
    path.reverse();
    path
}

/// Returns the containers that hold all of these lines, outermost first.
pub(super) fn containers_of_lines(text: &str, blocks: &[Block], place: &Resolved) -> Vec<ContainerKind> {
    let first_end = line_end(text, place.bytes.start);
    let last_start = line_start_before(text, place.bytes.end);
    let around = blocks.iter().filter(|block| block.bytes.start < first_end && block.bytes.end > last_start);
    let mut cursor = LineCursor::new(text);
    let mut path = Vec::new();
    for block in around {
        // Containers inside one that does not hold the lines are too deep as well.
        let Some(kind) = container_kind(block).filter(|_| block.depth == path.len()) else { continue };
        if cursor.last_content_line(block.bytes.end, block.quoted) >= place.lines.end {
            path.push(kind);
        }
    }
    path
}

fn container_kind(block: &Block) -> Option<ContainerKind> {
    match block.kind {
        BlockKind::Quote => Some(ContainerKind::Quote),
        BlockKind::Item => Some(ContainerKind::ListItem),
        BlockKind::Footnote => Some(ContainerKind::Footnote),
        BlockKind::Fence | BlockKind::Table => None,
    }
}
