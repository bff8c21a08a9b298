//! The address of the smallest place around a line.

use super::block::{lines_of, nesting_in_text};
use super::model::{Address, Part, TablePart};
use super::resolve::section_at;
use super::section::{fitting, preamble};
use crate::markdown::outline::{Block, BlockKind, LineRange, LiveOutline, Outline};
use crate::markdown::table::Table;
use crate::text::lines;

impl LiveOutline {
    /// Returns the address of the smallest place that holds a line. Lines are counted from 1.
    ///
    /// The place is a list item, a fence or a row of a table, or the table for its header, or else the front matter or a
    /// section. Parts are counted over the whole text. Returns `None` for a line that the text does not have, and for a
    /// blank line that no section holds.
    ///
    /// [`LiveOutline::resolve`] finds a place for the address that holds the line. Takes linear time, but does not parse the text again.
    ///
    /// ```
    /// use canvas_patch::{Address, LiveOutline, Part};
    ///
    /// let text = LiveOutline::new("# Plan\n\n- [ ] one\n- [ ] two\n".to_owned());
    /// assert_eq!(text.address_at(4), Some(Address::Part(Part::Item(vec![2]))));
    /// assert_eq!(text.address_at(5), None);
    /// ```
    pub fn address_at(&self, line: usize) -> Option<Address> {
        let (text, outline, blocks) = (self.text(), self.outline(), self.blocks());
        let start = lines::skip(text, 0, line.checked_sub(1)?).filter(|start| *start < text.len())?;
        let end = lines::line_end(text, start);
        let is_part = |kind| matches!(kind, BlockKind::Item | BlockKind::Fence | BlockKind::Table);
        let around =
            |block: &Block| is_part(block.kind) && block.bytes.start < end && block.bytes.end > start;
        let parts = blocks.iter().enumerate().rev().filter(|(_, block)| around(block));
        let holds = |lines: LineRange| (lines.start..=lines.end).contains(&line);
        let part =
            parts.filter(|(_, block)| holds(lines_of(text, block))).find_map(|(at, block)| {
                match block.kind {
                    BlockKind::Item => Some(Part::Item(numbers_of(blocks, at))),
                    BlockKind::Fence => Some(Part::Fence(rank(blocks, at))),
                    BlockKind::Table => {
                        let table = Table::read(text, block.bytes.clone(), block.quoted);
                        let row = table.body().iter().position(|row| row.whole.contains(&start));
                        let row = row.map(|row| row + 1);
                        Some(Part::Table(TablePart { row, ..TablePart::whole(rank(blocks, at)) }))
                    }
                    BlockKind::Quote | BlockKind::Footnote => None,
                }
            });
        let section = || match section_at(outline, line) {
            Some(index) => Some(section_of(outline, index)),
            None if outline.front_matter().is_some_and(holds) => Some(Address::FrontMatter),
            None => preamble(text, outline).filter(|lines| holds(*lines)).map(|_| Address::Section {
                path: Vec::new(),
                ordinal: None,
                part: None,
            }),
        };
        part.map(Address::Part).or_else(section)
    }
}

/// Counts the blocks of the same kind up to this one.
fn rank(blocks: &[Block], at: usize) -> usize {
    blocks[..=at].iter().filter(|block| block.kind == blocks[at].kind).count()
}

/// Returns the numbers of an item, counted over the whole text.
fn numbers_of(blocks: &[Block], at: usize) -> Vec<usize> {
    let nesting = nesting_in_text(&blocks[..=at]);
    let mut numbers: Vec<usize> = Vec::new();
    for (block, nesting) in blocks.iter().zip(nesting) {
        if block.kind == BlockKind::Item {
            numbers.truncate(nesting + 1);
            match numbers.get_mut(nesting) {
                Some(number) => *number += 1,
                None => numbers.push(1),
            }
        }
    }
    numbers
}

/// Returns the full path of a section, with its number if other sections have the same path.
fn section_of(outline: &Outline, index: usize) -> Address {
    let path: Vec<_> = outline.path(index).into_iter().map(str::to_owned).collect();
    let same = fitting(outline, &path, |section, title| section.title == *title);
    let ordinal = same.iter().position(|at| *at == index).filter(|_| same.len() > 1).map(|rank| rank + 1);
    Address::Section { path, ordinal, part: None }
}
