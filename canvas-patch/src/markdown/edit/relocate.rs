//! Moves and deletes lines together with the blank lines next to them.

use std::ops::Range;

use super::check::{Kept, Places, check, line_at};
use super::error::{StructureError, ValueFault};
use super::heading::{check_levels, levels_within, shifted, shifted_text};
use super::model::{Destination, Edited, SectionPath, StructureEdit, TableChange};
use super::writing::{insert, newline, replace};
use crate::diff::edit::TextEdit;
use crate::markdown::address::{Address, Part, TablePart};
use crate::markdown::outline::{Block, BlockKind, LiveOutline};
use crate::text::lines;

/// Lines that an edit moves or removes.
#[derive(Debug, Clone)]
pub(super) struct Extent {
    pub(super) start: usize,
    /// The end of the last line, without its terminator.
    pub(super) end: usize,
    pub(super) gaps: Gaps,
}

/// The blank lines that belong to lines that move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gaps {
    /// Blank lines are lines like all others.
    None,
    /// Those between the lines and the next content, on the given side or, by default, on the side from which they come.
    Blank(Option<Side>),
    /// The same by default, and there must be one next to other text.
    Needed,
}

/// The side of the lines whose gap goes along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Above,
    Below,
}

/// Edits that move lines, and the places of all bytes after them.
pub(super) struct Relocated {
    pub(super) edits: Vec<TextEdit>,
    pub(super) places: Places,
    /// The start of the moved lines in the new text.
    pub(super) at: usize,
}

/// A place between lines to which lines move.
#[derive(Debug, Clone, Copy)]
pub(super) enum Spot {
    /// Before the content that begins at or after this line start.
    Before(usize),
    /// After the content whose last line ends here, without its terminator.
    After(usize),
}

pub(super) fn move_lines(
    live: &LiveOutline,
    from: &Address,
    to: &Destination,
    shift: Option<i8>,
) -> Result<Edited, StructureError> {
    let text = live.text();
    let source = extent_of(live, from)?;
    if is_part_of_line(from) {
        return Err(StructureError::Value(ValueFault::Destination));
    }
    let own_level = section_level(live, from)?;
    let (target, by) = match to {
        Destination::Before(address) | Destination::After(address) => (extent_of(live, address)?, 0),
        Destination::Into(address) => {
            let Some(level) = section_level(live, address)? else {
                return Err(StructureError::Value(ValueFault::Destination));
            };
            let target = extent_of(live, address)?;
            match own_level {
                Some(own) => (target, i16::from(level) + 1 - i16::from(own)),
                None => (body_end(live, address, target)?, 0),
            }
        }
    };
    let by = shift.map_or(by, i16::from);
    // A place inside of the moved lines is none, except that lines are at their own ends.
    let is_inside = match to {
        Destination::Before(_) => {
            source.start <= target.start && target.start < source.end && target.end <= source.end
        }
        Destination::After(_) => source.start <= target.start && target.end <= source.end,
        Destination::Into(_) => source.start <= target.start && target.start < source.end,
    };
    if is_inside {
        return Err(StructureError::MoveIntoItself { line: line_at(text, source.start) });
    }
    let spot = match to {
        Destination::Before(_) => Spot::Before(target.start),
        Destination::After(_) | Destination::Into(_) => Spot::After(target.end),
    };
    let levels = levels_within(live, source.start..source.end);
    let Some(Relocated { edits, places, at }) =
        relocated(text, &source, &text[source.start..source.end], spot)
    else {
        return if by == 0 { Err(StructureError::NoEffect) } else { shifted(live, &levels, by) };
    };
    let edited = Edited::of(text, edits);
    let kept = Kept { places, is_free: &|_| false, may_go: &|_| false, new_items: 0 };
    let moved = check(live, &edited, &kept)?;
    if by == 0 || levels.is_empty() {
        return edited.with_effect(text);
    }
    let core = shifted_text(live, &levels, by, source.start..source.end)?;
    let Some(Relocated { edits, .. }) = relocated(text, &source, &core, spot) else {
        return Err(StructureError::NoEffect);
    };
    let edited = Edited::of(text, edits);
    let levels = levels_within(&moved, at..at + (source.end - source.start));
    check_levels(&moved, &edited.text, &levels, by)?;
    edited.with_effect(text)
}

pub(super) fn delete(live: &LiveOutline, at: &Address) -> Result<Edited, StructureError> {
    let text = live.text();
    if let Some(edit) = deletion(at) {
        return live.edit_structure(&edit);
    }
    let gone = extent_of(live, at)?;
    let edited = Edited::of(text, vec![removed(text, &gone)]);
    let places = Places::of_delta(text, &edited.delta);
    let bytes = gone.start..gone.end;
    let sections = live.outline().sections();
    let first = line_at(text, gone.start);
    let last = line_at(text, gone.end);
    let kept = Kept {
        places,
        is_free: &|index| {
            let heading = sections[index].heading;
            first <= heading.start && heading.end <= last
        },
        may_go: &|block: &Block| bytes.contains(&block.bytes.start),
        new_items: 0,
    };
    check(live, &edited, &kept)?;
    edited.with_effect(text)
}

/// Whether an address leads to less than whole lines, or outside of the Markdown.
fn is_part_of_line(address: &Address) -> bool {
    match address {
        Address::FrontMatter | Address::Key(_) => true,
        Address::Section { part: Some(Part::Table(table)), .. } | Address::Part(Part::Table(table)) => {
            table.column.is_some()
        }
        _ => false,
    }
}

/// Returns the edit that deletes a part of lines, or lines with other rules.
fn deletion(at: &Address) -> Option<StructureEdit> {
    let (section, part) = match at {
        Address::Key(key) => return Some(StructureEdit::FrontMatter { key: key.clone(), value: None }),
        Address::Section { path, ordinal, part: Some(part) } => {
            (Some(SectionPath { path: path.clone(), ordinal: *ordinal }), part)
        }
        Address::Part(part) => (None, part),
        _ => return None,
    };
    let change = match part {
        Part::Item(item) => {
            let (item, change) = (item.clone(), super::model::ItemChange::Remove);
            return Some(StructureEdit::Item { section, item, change });
        }
        Part::Table(TablePart { row: Some(row), column: None, .. }) => TableChange::RemoveRow { row: *row },
        Part::Table(TablePart { row: None, column: Some(column), .. }) => {
            TableChange::RemoveColumn { column: column.clone() }
        }
        Part::Table(TablePart { row: Some(row), column: Some(column), .. }) => {
            TableChange::Set { row: *row, column: column.clone(), value: String::new() }
        }
        _ => return None,
    };
    let Part::Table(TablePart { table, .. }) = part else { return None };
    Some(StructureEdit::Table { section, table: *table, change })
}

/// Returns the lines that an address leads to.
pub(super) fn extent_of(live: &LiveOutline, address: &Address) -> Result<Extent, StructureError> {
    let text = live.text();
    let resolved = live.resolve(address)?;
    let start = lines::line_start(text, resolved.bytes.start).max(lines::mark(text));
    let end = lines::line_end(text, resolved.bytes.end.saturating_sub(1).max(start));
    let gaps = match address {
        Address::Lines { .. } | Address::Hit { .. } | Address::Key(_) => Gaps::None,
        Address::Section { part: Some(Part::Item(_)), .. } | Address::Part(Part::Item(_)) => {
            Gaps::Blank(None)
        }
        Address::Section { part: Some(Part::Table(TablePart { row: Some(_), .. })), .. }
        | Address::Part(Part::Table(TablePart { row: Some(_), .. })) => Gaps::None,
        Address::Section { .. } | Address::Part(_) | Address::Footnote(_) | Address::FrontMatter => {
            Gaps::Needed
        }
    };
    let extent = Extent { start, end: content_end(text, start, end), gaps };
    if gaps != Gaps::None && shares_line(live, &extent) {
        return Err(StructureError::Value(ValueFault::SharedLine));
    }
    Ok(extent)
}

/// Whether an item or footnote around the lines begins on their first line.
fn shares_line(live: &LiveOutline, extent: &Extent) -> bool {
    let text = live.text();
    let line = extent.start..lines::line_end(text, extent.start);
    let from = live.blocks().partition_point(|block| block.bytes.start < line.start);
    let begin = live.blocks()[from..].iter().take_while(|block| block.bytes.start < line.end);
    let mut around = begin.filter(|block| matches!(block.kind, BlockKind::Item | BlockKind::Footnote));
    around.any(|block| text.get(extent.end..block.bytes.end).is_some_and(|rest| !is_blank(rest)))
}

/// Returns the level of the section that an address leads to, if it is a whole section.
fn section_level(live: &LiveOutline, address: &Address) -> Result<Option<u8>, StructureError> {
    let Address::Section { path, ordinal, part: None } = address else { return Ok(None) };
    let index = live.context().section(path, *ordinal)?;
    Ok(index.map(|index| live.outline().sections()[index].level))
}

/// Returns the heading of a section with its own body.
fn body_end(live: &LiveOutline, address: &Address, section: Extent) -> Result<Extent, StructureError> {
    let Address::Section { path, ordinal, .. } = address else { return Ok(section) };
    let body = Address::Section { path: path.clone(), ordinal: *ordinal, part: Some(Part::Body) };
    if let Ok(body) = extent_of(live, &body) {
        return Ok(Extent { end: body.end, ..section });
    }
    let index = live.context().section(path, *ordinal)?;
    let heading = index.map_or(1, |index| live.outline().sections()[index].heading.end);
    let line = Address::Lines { start: heading, end: heading };
    Ok(Extent { end: extent_of(live, &line)?.end, ..section })
}

/// Returns the edits that move lines, or `None` if they are there already. The lines are written as `core`, and the places
/// are right only if that is their text.
///
/// Lines that move up take the blank lines above them along, and lines that move down those below them, so that the opposite
/// move restores every byte.
pub(super) fn relocated(text: &str, source: &Extent, core: &str, spot: Spot) -> Option<Relocated> {
    let Extent { start, end, gaps } = *source;
    let goes_up = match spot {
        Spot::Before(at) | Spot::After(at) => at <= start,
    };
    let (above, below) = (content_above(text, start, gaps), content_below(text, end, gaps));
    let side = match gaps {
        Gaps::Blank(Some(side)) => side,
        _ if goes_up => Side::Above,
        _ => Side::Below,
    };
    // The bytes without the lines, and the gap that goes along.
    let (gone, gap) = match side {
        Side::Above => (above?..end, above?..start),
        Side::Below => (start..below?, end..below?),
    };
    let at = match (spot, goes_up) {
        (Spot::Before(at), true) | (Spot::After(at), false) => at,
        (Spot::After(at), true) => content_below(text, at, gaps)?,
        (Spot::Before(at), false) => content_above(text, at, gaps)?,
    };
    // A place in the gap is no other place.
    if if goes_up { at > gone.start || at >= start } else { at < gone.end || at <= end } {
        return None;
    }
    let extra = |upper: &str, lower: &str, gap: &str| {
        if gaps == Gaps::Needed && needs_gap(upper, lower, gap) { newline(text) } else { "" }
    };
    let apart = |upper: Option<usize>, lower: Option<usize>, gap: &str| match (upper, lower) {
        (Some(upper), Some(lower)) => extra(last_line(&text[..upper]), first_line(&text[lower..]), gap),
        _ => "",
    };
    // Line breaks at the place that the lines leave, above them at the new place, and below them.
    let rest = if side == Side::Above { end..below.unwrap_or(end) } else { above.unwrap_or(start)..start };
    let left = apart(above, below, &text[rest]);
    let moved_gap = &text[gap.clone()];
    let (first, last) = (first_line(core), last_line(core));
    let gone_len = gone.len();
    if goes_up {
        let over = content_above(text, at, gaps);
        let top = over.map_or("", |over| extra(last_line(&text[..over]), first, &text[over..at]));
        let bottom = extra(last, first_line(&text[at..]), moved_gap);
        let new = format!("{top}{core}{moved_gap}{bottom}");
        let places = Places::of_pieces([
            (0, 0..at),
            (top.len(), start..end),
            (0, gap),
            (bottom.len(), at..gone.start),
            (left.len(), gone.end..text.len() + 1),
        ]);
        let edits = vec![insert(at, new), replace(text, gone, left)];
        return Some(Relocated { edits, places, at: at + top.len() });
    }
    let under = content_below(text, at, gaps);
    let top = extra(last_line(&text[..at]), first, moved_gap);
    let bottom = under.map_or("", |under| extra(last, first_line(&text[under..]), &text[at..under]));
    let new = format!("{moved_gap}{top}{core}{bottom}");
    let moved_at = at - gone_len + left.len() + moved_gap.len() + top.len();
    let places = Places::of_pieces([
        (0, 0..gone.start),
        (left.len(), gone.end..at),
        (0, gap),
        (top.len(), start..end),
        (bottom.len(), at..text.len() + 1),
    ]);
    let edits = vec![replace(text, gone, left), insert(at, new)];
    Some(Relocated { edits, places, at: moved_at })
}

/// Returns the edit that deletes lines.
pub(super) fn removed(text: &str, gone: &Extent) -> TextEdit {
    let range = removal(text, gone);
    let is_joined = gone.gaps == Gaps::Needed && joins(text, range.start, range.end);
    replace(text, range, if is_joined { newline(text) } else { "" })
}

/// Returns the bytes that go with deleted lines. The end of the text does not change.
fn removal(text: &str, gone: &Extent) -> Range<usize> {
    let Extent { start, end, gaps } = *gone;
    match (content_below(text, end, gaps), content_above(text, start, gaps)) {
        (_, Some(above)) if gaps == Gaps::Blank(Some(Side::Above)) => above..end,
        (Some(below), _) => start..below,
        (None, Some(above)) => above..end,
        (None, None) => start..text.len(),
    }
}

/// Whether the text before a byte and after another one would run together.
fn joins(text: &str, above: usize, below: usize) -> bool {
    let Some(end) = content_above(text, above, Gaps::Needed) else { return false };
    let next = first_line(&text[below..]);
    !next.trim().is_empty() && needs_gap(last_line(&text[..end]), next, &text[end..above])
}

/// Whether two lines need a blank line between them, because they would run together otherwise.
fn needs_gap(upper: &str, lower: &str, gap: &str) -> bool {
    let is_heading = |line: &str| {
        let rest = line.trim_start_matches(' ').trim_start_matches('#');
        line.trim_start_matches(' ').starts_with('#')
            && (rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']))
    };
    let is_blank = |line: &str| line.trim_matches([' ', '\t', '\r', '\n', '>']).is_empty();
    gap.bytes().filter(|&byte| byte == b'\n').count() < 2
        && !is_blank(upper)
        && !is_blank(lower)
        && !is_heading(lower)
        && !is_heading(upper)
}

fn first_line(text: &str) -> &str {
    &text[..lines::line_end(text, 0)]
}

fn last_line(text: &str) -> &str {
    &text[lines::line_start(text, text.len())..]
}

/// Returns the end of the content of the line before the one that starts at `at`. Skips blank lines if gaps count.
fn content_above(text: &str, at: usize, gaps: Gaps) -> Option<usize> {
    let mark = lines::mark(text);
    let mut start = at;
    while start > mark {
        let end = start;
        start = lines::line_start_before(text, end).max(mark);
        if gaps == Gaps::None || !is_blank(&text[start..end]) {
            return Some(content_end(text, start, end));
        }
    }
    None
}

/// Returns the start of the line after the one in which `at` is. Skips blank lines if gaps count.
fn content_below(text: &str, at: usize, gaps: Gaps) -> Option<usize> {
    let mut start = lines::line_end(text, at);
    while start < text.len() {
        let end = lines::line_end(text, start);
        if gaps == Gaps::None || !is_blank(&text[start..end]) {
            return Some(start);
        }
        start = end;
    }
    None
}

/// Whether a line is blank, apart from quote markers.
fn is_blank(line: &str) -> bool {
    line.trim_matches([' ', '\t', '\r', '\n', '>']).is_empty()
}

/// Returns the end of the last line of a range without its terminator.
fn content_end(text: &str, start: usize, end: usize) -> usize {
    if end <= start {
        return start;
    }
    let line = lines::line_start_before(text, end).max(start);
    line + lines::content(&text[line..end]).len()
}
