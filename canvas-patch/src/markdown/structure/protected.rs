//! Places that no edit may change.

use super::error::EditPolicyError;
use super::touched::Touched;
use crate::diff::edit::TextEdit;
use crate::markdown::address::{Address, Context, Part, Within, lines_of, own_body};
use crate::markdown::outline::{Block, BlockKind, LineRange, LiveOutline, paragraphs};
use crate::text::lines;

/// Refuses an edit that changes a line of a protected place, moves the place, or puts something into it. With
/// `keeps_addresses`, also one that makes its address lead elsewhere. An address that does not resolve has no effect.
pub(super) fn check_protected(
    live: &LiveOutline,
    after: &str,
    edits: &[TextEdit],
    touched: &Touched,
    (protected, keeps_addresses): (&[Address], bool),
) -> Result<(), EditPolicyError> {
    let mut new = None;
    for address in protected {
        let Ok(resolved) = live.resolve(address) else { continue };
        let place = resolved.lines;
        if let Some(line) = touched_line(touched, place) {
            return Err(EditPolicyError::Protected { line, place });
        }
        let new = new.get_or_insert_with(|| {
            let mut new = live.clone();
            new.edit(after.to_owned(), edits);
            new
        });
        let is_found = || !keeps_addresses || is_found(new, touched, address, place);
        if !is_same(live, new, touched, address, place) || !is_found() {
            return Err(EditPolicyError::Protected { line: place.start, place });
        }
    }
    Ok(())
}

/// Whether an address leads to the same place in the new text.
fn is_found(new: &LiveOutline, touched: &Touched, address: &Address, place: LineRange) -> bool {
    // Lines have the numbers of one text.
    if matches!(address, Address::Lines { .. }) {
        return true;
    }
    let now = new.resolve(address).map(|resolved| resolved.lines);
    let (start, end) = (touched.new_line(place.start), touched.new_line(place.end));
    now.is_ok_and(|now| (Some(now.start), Some(now.end)) == (start, end))
}

/// Returns the first line of a place that an edit changes, or above which it inserts inside of the place.
fn touched_line(touched: &Touched, place: LineRange) -> Option<usize> {
    touched.old().find_map(|lines| match lines.is_empty() {
        // Inserted below the line `start`, counted from 1.
        true => (place.start..place.end).contains(&lines.start).then_some(lines.start + 1),
        false => {
            let (first, last) = (lines.start + 1, lines.end);
            (first <= place.end && last >= place.start).then(|| first.max(place.start))
        }
    })
}

/// Whether a place of which no line is touched is the same place in the new text, no longer than before.
fn is_same(
    old: &LiveOutline,
    new: &LiveOutline,
    touched: &Touched,
    address: &Address,
    place: LineRange,
) -> bool {
    let (Some(start), Some(end)) = (touched.new_line(place.start), touched.new_line(place.end)) else {
        return false;
    };
    let now = LineRange { start, end };
    let context = old.context();
    let section = |path: &[String], ordinal| context.section(path, ordinal).ok().flatten();
    let (within, part) = match address {
        Address::Lines { .. } | Address::Hit { .. } | Address::Key(_) => return true,
        Address::FrontMatter => return new.outline().front_matter() == Some(now),
        Address::Footnote(_) => {
            return block_of(old, place, |block| block.kind == BlockKind::Footnote)
                .is_none_or(|block| has_block(new, block, now));
        }
        Address::Section { path, ordinal, part: None } => {
            let Some(index) = section(path, *ordinal) else { return is_preamble(new.context(), now) };
            let level = old.outline().sections()[index].level;
            let mut here = new.outline().sections().iter().filter(|section| section.lines == now);
            return here.any(|section| section.level == level && section.heading.start == now.start);
        }
        Address::Section { path, ordinal, part: Some(part) } => {
            (Within::Section(section(path, *ordinal)), part)
        }
        Address::Part(part) => (Within::Text, part),
    };
    match part {
        Part::Body => match within {
            Within::Section(Some(index)) => {
                let heading = touched.new_line(old.outline().sections()[index].heading.start);
                let sections = new.outline().sections().iter();
                let index = sections.zip(0..).find(|(section, _)| Some(section.heading.start) == heading);
                // The heading may have another title now.
                index.is_none_or(|(_, index)| own_body(new.text(), new.outline(), Some(index)) == Some(now))
            }
            _ => is_preamble(new.context(), now),
        },
        Part::Paragraph(_) => paragraphs(new.text()).contains(&now),
        Part::Item(_) | Part::Fence(_) | Part::Table(_) => {
            let Ok(at) = context.find(within, part) else { return true };
            let block = &old.blocks()[at];
            let whole = lines_of(old.text(), block);
            let mapped = [whole.start, whole.end].map(|line| touched.new_line(line));
            match mapped {
                [Some(start), Some(end)] => has_block(new, block, LineRange { start, end }),
                // Another row of the table than the protected one is touched.
                _ => true,
            }
        }
    }
}

fn is_preamble(new: Context<'_>, now: LineRange) -> bool {
    own_body(new.text, new.outline, None) == Some(now)
}

/// Returns the block that begins on the first of some lines, and has these lines.
fn block_of(live: &LiveOutline, lines: LineRange, is: impl Fn(&Block) -> bool) -> Option<&Block> {
    let (text, blocks) = (live.text(), live.blocks());
    let start = lines::skip(text, 0, lines.start - 1)?;
    let end = lines::line_end(text, start);
    let from = blocks.partition_point(|block| block.bytes.start < start);
    let mut here = blocks[from..].iter().take_while(|block| block.bytes.start < end);
    here.find(|block| is(block) && lines_of(text, block) == lines)
}

/// Whether the new text has a block of the same kind at these lines.
fn has_block(new: &LiveOutline, old: &Block, lines: LineRange) -> bool {
    block_of(new, lines, |block| block.kind == old.kind && block.depth == old.depth).is_some()
}
