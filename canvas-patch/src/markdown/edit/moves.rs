//! Moves and deletes the text at an address.

use super::check::{Kept, Places, check, line_at};
use super::error::{StructureError, ValueFault};
use super::heading::{check_levels, levels_within, shifted, shifted_text};
use super::item::Item;
use super::model::{Destination, Edited, ItemChange, SectionPath, StructureEdit, TableChange};
use super::relocate::{Extent, Gaps, Relocated, Spot, content_end, is_blank, relocated, removed};
use crate::markdown::address::{Address, Part, TablePart, Within};
use crate::markdown::outline::{Block, BlockKind, LiveOutline};
use crate::text::lines;

pub(super) fn move_lines(
    live: &LiveOutline,
    from: &Address,
    to: &Destination,
    shift: Option<i8>,
) -> Result<Edited, StructureError> {
    let text = live.text();
    let source = extent_of(live, from)?;
    let (place, is_before) = match to {
        Destination::Before(place) => (place, true),
        Destination::After(place) | Destination::Into(place) => (place, false),
    };
    let leaves = is_before && *place == Address::FrontMatter || matches!(place, Address::Key(_));
    if is_part_of_line(from) || leaves || is_row(from) != is_row(place) {
        return Err(StructureError::Value(ValueFault::Destination));
    }
    let is_beside = !matches!(to, Destination::Into(_)) && shift.is_none_or(|by| by == 0);
    match (item_of(live, from)?, item_of(live, place)?) {
        (Some(item), Some(neighbour)) if is_beside => {
            return Item::at(live, item)?.move_beside(neighbour, is_before);
        }
        _ => {}
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
    let is_inside = match to {
        Destination::Before(_) => {
            source.start < target.start && target.start < source.end
                || source.start == target.start && target.end <= source.end
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
    let moved = check(live, &edited, &Kept::all(places))?;
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
        may_lose: &|index| {
            let heading = sections[index].heading;
            first <= heading.start && heading.end <= last
        },
        may_go: &|block: &Block| bytes.contains(&block.bytes.start),
        loses_front_matter: *at == Address::FrontMatter,
        ..Kept::all(places)
    };
    check(live, &edited, &kept)?;
    edited.with_effect(text)
}

fn table_part(address: &Address) -> Option<&TablePart> {
    match address {
        Address::Section { part: Some(Part::Table(table)), .. } | Address::Part(Part::Table(table)) => {
            Some(table)
        }
        _ => None,
    }
}

fn is_row(address: &Address) -> bool {
    table_part(address).is_some_and(|table| table.row.is_some())
}

/// Returns the index of the list item that an address names.
fn item_of(live: &LiveOutline, address: &Address) -> Result<Option<usize>, StructureError> {
    let (within, part) = match address {
        Address::Section { path, ordinal, part: Some(part @ Part::Item(_)) } => {
            (live.context().within(Some((path, *ordinal)))?, part)
        }
        Address::Part(part @ Part::Item(_)) => (Within::Text, part),
        _ => return Ok(None),
    };
    Ok(Some(live.context().find(within, part)?))
}

/// Whether an address leads to less than whole lines, or outside of the Markdown.
fn is_part_of_line(address: &Address) -> bool {
    match address {
        Address::FrontMatter | Address::Key(_) => true,
        address => table_part(address).is_some_and(|table| table.column.is_some()),
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
            let (item, change) = (item.clone(), ItemChange::Remove);
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
fn extent_of(live: &LiveOutline, address: &Address) -> Result<Extent, StructureError> {
    let text = live.text();
    let resolved = live.resolve(address)?;
    let start = lines::line_start(text, resolved.bytes.start).max(lines::mark(text));
    let end = lines::line_end(text, resolved.bytes.end.saturating_sub(1).max(start));
    let gaps = match address {
        Address::Lines { .. } | Address::Hit { .. } | Address::Key(_) => Gaps::None,
        address if is_row(address) => Gaps::None,
        Address::Section { part: Some(Part::Item(_)), .. } | Address::Part(Part::Item(_)) => {
            Gaps::Blank(None)
        }
        _ => Gaps::Needed,
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
