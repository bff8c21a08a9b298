//! Tasks, moves and numbers of list items, and new items.

use std::ops::Range;

use super::check::{Kept, Places, check, line_at, spilled};
use super::error::{StructureError, ValueFault};
use super::model::{Edited, ItemChange, SectionPath};
use super::relocate::{Extent, Gaps, Relocated, Side, Spot, extent_of, relocated, removed};
use super::writing::{insert, newline, replace};
use crate::diff::delta::Delta;
use crate::diff::edit::TextEdit;
use crate::markdown::address::{Address, AddressError, Part, Within};
use crate::markdown::outline::{Block, BlockKind, LiveOutline, ordered_lists};
use crate::text::lines;

/// The marker of an item, with the task box behind it.
struct Marker<'t> {
    /// Indentation and markers of containers, up to the marker.
    prefix: &'t str,
    /// Digits, if the list is ordered, and where they are.
    number: Option<u64>,
    digits: Range<usize>,
    /// The bullet, or the character behind the digits.
    sign: &'t str,
    /// The blanks between the marker and the text.
    space: &'t str,
    /// The character in the box of a task, and where it is.
    task: Option<(char, usize)>,
}

impl<'t> Marker<'t> {
    fn of(text: &'t str, block: &Block) -> Option<Self> {
        let at = block.bytes.start;
        let prefix = &text[lines::line_start(text, at).max(lines::mark(text))..at];
        let digits = at..at + text[at..].bytes().take_while(u8::is_ascii_digit).count();
        let sign = text.get(digits.end..=digits.end)?;
        let after = digits.end + 1;
        let line = lines::content(&text[after..lines::line_end(text, after)]);
        let body = line.trim_start_matches([' ', '\t']);
        let space = &line[..line.len() - body.len()];
        let task = match *body.as_bytes() {
            [b'[', mark @ (b' ' | b'x' | b'X'), b']', ref rest @ ..]
                if space.len() < 5 && matches!(rest.first(), None | Some(b' ' | b'\t')) =>
            {
                Some((char::from(mark), after + space.len() + 1))
            }
            _ => None,
        };
        let number = text[digits.clone()].parse().ok();
        Some(Self { prefix, number, digits, sign, space, task })
    }

    /// The width of marker and blanks.
    fn width(&self) -> usize {
        self.digits.len() + 1 + self.space.len().max(1)
    }

    /// Returns the prefix of further lines in the item's list, which has quote markers and blanks.
    fn line_prefix(&self) -> String {
        self.prefix.chars().map(|char| if matches!(char, '>' | ' ' | '\t') { char } else { ' ' }).collect()
    }
}

/// An item with its list.
struct Item<'l> {
    live: &'l LiveOutline,
    index: usize,
    extent: Extent,
}

pub(super) fn change(
    live: &LiveOutline,
    section: Option<&SectionPath>,
    numbers: &[usize],
    change: &ItemChange,
) -> Result<Edited, StructureError> {
    let context = live.context();
    let within = context.within(section.map(|section| (section.path.as_slice(), section.ordinal)))?;
    let index = context.find(within, &Part::Item(numbers.to_vec()))?;
    if let ItemChange::Check(is_done) = change {
        return check_task(live, index, *is_done);
    }
    let part = Some(Part::Item(numbers.to_vec()));
    let address = match section {
        Some(SectionPath { path, ordinal }) => {
            Address::Section { path: path.clone(), ordinal: *ordinal, part }
        }
        None => Address::Part(Part::Item(numbers.to_vec())),
    };
    let mut item = Item { live, index, extent: extent_of(live, &address)? };
    item.extent.gaps = item.gaps();
    match change {
        ItemChange::Check(_) => Err(StructureError::NoEffect),
        ItemChange::InsertAfter(text) => item.insert_after(text),
        ItemChange::Remove => item.remove(),
        ItemChange::MoveTo(to) => item.move_to(within, numbers, to),
    }
}

fn check_task(live: &LiveOutline, index: usize, is_done: bool) -> Result<Edited, StructureError> {
    let text = live.text();
    let marker = Marker::of(text, &live.blocks()[index]);
    let Some((mark, at)) = marker.and_then(|marker| marker.task) else {
        return Err(StructureError::Value(ValueFault::Task));
    };
    if (mark != ' ') == is_done {
        return Err(StructureError::NoEffect);
    }
    Ok(Edited::of(text, vec![replace(text, at..at + 1, if is_done { "x" } else { " " })]))
}

impl Item<'_> {
    fn block(&self) -> &Block {
        &self.live.blocks()[self.index]
    }

    /// Returns the indices of the items next to this one in its parent, itself among them, with its own rank.
    fn siblings(&self) -> (Vec<usize>, usize) {
        let blocks = self.live.blocks();
        let own = self.block();
        let is_sibling = |block: &Block| block.kind == BlockKind::Item && block.depth == own.depth;
        let inside = |block: &Block| block.depth >= own.depth;
        let above =
            (0..self.index).rev().take_while(|&at| inside(&blocks[at])).filter(|&at| is_sibling(&blocks[at]));
        let mut all: Vec<_> = above.collect();
        all.reverse();
        let rank = all.len();
        let below = (self.index..blocks.len()).take_while(|&at| inside(&blocks[at]));
        all.extend(below.filter(|&at| is_sibling(&blocks[at])));
        // Only those of the same list: its items follow each other without other text.
        (all, rank)
    }

    fn insert_after(&self, new: &str) -> Result<Edited, StructureError> {
        let text = self.live.text();
        let marker = Marker::of(text, self.block()).ok_or(StructureError::Value(ValueFault::Item))?;
        let first = new.trim_start_matches([' ', '\t']);
        let has_box = ["[ ]", "[x]", "[X]"].iter().any(|task| first.starts_with(task));
        let new = if marker.task.is_some() && !has_box { format!("[ ] {first}") } else { first.to_owned() };
        let new = new.trim_end();
        if first.trim().is_empty() {
            return Err(StructureError::Value(ValueFault::Item));
        }
        let numbers = self.numbers();
        let digits = match (marker.number, numbers.as_slice()) {
            (None, _) => String::new(),
            (Some(number), [first, .., last]) if first == last => number.to_string(),
            (Some(number), _) => (number + 1).to_string(),
        };
        let space = if marker.space.is_empty() { " " } else { marker.space };
        let prefix = marker.line_prefix();
        let indent = " ".repeat(digits.len() + 1 + space.len());
        let newline = newline(text);
        let mut lines = new.split('\n').map(|line| line.trim_end_matches('\r'));
        let mut item = format!("{prefix}{digits}{}{space}{}", marker.sign, lines.next().unwrap_or_default());
        for line in lines {
            item.push_str(newline);
            if line.trim().is_empty() {
                item.push_str(prefix.trim_end());
            } else {
                item.extend([prefix.as_str(), &indent, line]);
            }
        }
        let edited = Edited::of(text, vec![insert(self.extent.end, format!("{}{item}", self.gap()))]);
        // The text may hold blocks of its own, inside of the one item that is new.
        let added = Places::of_delta(text, &edited.delta);
        let mut new_items = 0;
        let after = LiveOutline::new(edited.text.clone());
        let range = self.extent.end..self.extent.end + edited.text.len() - text.len();
        let mut outer = 0;
        for block in after.blocks() {
            if range.contains(&block.bytes.start) && block.kind != BlockKind::Quote {
                new_items += 1;
                outer += usize::from(block.kind == BlockKind::Item && block.depth == self.block().depth);
                if block.depth < self.block().depth
                    || block.bytes.end > range.end + 1 && !is_rest_blank(&edited.text, block, range.end)
                {
                    return Err(StructureError::Value(ValueFault::Item));
                }
            }
        }
        if outer != 1 {
            return Err(StructureError::Value(ValueFault::Item));
        }
        let kept = Kept { places: added, is_free: &|_| false, may_go: &|_| false, new_items };
        check(self.live, &edited, &kept).map_err(|_| StructureError::Value(ValueFault::Item))?;
        self.renumbered(edited, &[self.live.blocks()[self.index].bytes.start], &numbers)
    }

    fn remove(&self) -> Result<Edited, StructureError> {
        let text = self.live.text();
        let edited = Edited::of(text, vec![removed(text, &self.extent)]);
        let bytes = self.extent.start..self.extent.end;
        let first = line_at(text, bytes.start);
        let last = line_at(text, bytes.end);
        let sections = self.live.outline().sections();
        let kept = Kept {
            places: Places::of_delta(text, &edited.delta),
            is_free: &|index| (first..=last).contains(&sections[index].heading.start),
            may_go: &|block| bytes.contains(&block.bytes.start),
            new_items: 0,
        };
        check(self.live, &edited, &kept)?;
        let (siblings, rank) = self.siblings();
        let near: Vec<_> = siblings
            .iter()
            .enumerate()
            .filter(|(at, _)| *at != rank)
            .map(|(_, &index)| self.live.blocks()[index].bytes.start)
            .collect();
        self.renumbered(edited, &near, &self.numbers())
    }

    fn move_to(&self, within: Within, from: &[usize], to: &[usize]) -> Result<Edited, StructureError> {
        let text = self.live.text();
        let Some((&position, parent)) = to.split_last() else {
            return Err(AddressError::NoSuchBlock { part: Part::Item(Vec::new()), available: 0 }.into());
        };
        if from == to {
            return Err(StructureError::NoEffect);
        }
        let siblings = self.items_of(within, parent)?;
        if position == 0 || position > siblings.len() + 1 {
            return Err(AddressError::NoSuchBlock {
                part: Part::Item(to.to_vec()),
                available: siblings.len(),
            }
            .into());
        }
        // The neighbour at which it arrives: the one that it pushes down or, at the end, the last one.
        let (neighbour, is_before) = match siblings.get(position - 1) {
            Some(&next)
                if position == 1 || self.block().bytes.start > self.live.blocks()[next].bytes.start =>
            {
                (next, true)
            }
            _ if position > 1 => (siblings[position - 2], false),
            _ => return Err(StructureError::Value(ValueFault::Destination)),
        };
        let blocks = self.live.blocks();
        let (own, other) = (Marker::of(text, self.block()), Marker::of(text, &blocks[neighbour]));
        let (Some(own), Some(other)) = (own, other) else {
            return Err(StructureError::Value(ValueFault::Item));
        };
        let target = self.extent_of_block(neighbour);
        let spot = if is_before { Spot::Before(target.start) } else { Spot::After(target.end) };
        let core = self.written_for(&own, &other)?;
        let (edits, places) = match relocated(text, &self.extent, &core, spot) {
            Some(Relocated { edits, places, .. }) => (edits, places),
            None if core == text[self.extent.start..self.extent.end] => return Err(StructureError::NoEffect),
            // It stays on its lines, with other indentation.
            None => {
                let edit = replace(text, self.extent.start..self.extent.end, core.as_str());
                (vec![edit], Places::of_pieces([]))
            }
        };
        let edited = Edited::of(text, edits);
        if core == text[self.extent.start..self.extent.end] {
            let kept = Kept { places, is_free: &|_| false, may_go: &|_| false, new_items: 0 };
            check(self.live, &edited, &kept)?;
        } else {
            let bytes = self.extent.start..self.extent.end;
            let inside = blocks.iter().filter(|block| bytes.contains(&block.bytes.start));
            let inside = inside.filter(|block| block.kind != BlockKind::Quote).count();
            let (first, last) = (line_at(text, bytes.start), line_at(text, bytes.end));
            let sections = self.live.outline().sections();
            let kept = Kept {
                places: Places::of_delta(text, &edited.delta),
                is_free: &|index| (first..=last).contains(&sections[index].heading.start),
                may_go: &|block| bytes.contains(&block.bytes.start),
                new_items: inside,
            };
            check(self.live, &edited, &kept)?;
        }
        let after = LiveOutline::new(edited.text.clone());
        let moved = after.context().find(within, &Part::Item(to.to_vec()));
        let is_there = moved.is_ok_and(|index| {
            let at = after.blocks()[index].bytes.start;
            edited.text[at..].starts_with(core.trim_start_matches([' ', '\t', '>']))
        });
        if !is_there {
            return Err(spilled(line_at(text, self.extent.start), false));
        }
        let (siblings, _) = self.siblings();
        let near: Vec<_> =
            siblings.iter().filter(|&&at| at != self.index).map(|&at| blocks[at].bytes.start).collect();
        let edited = self.renumbered(edited, &near, &self.numbers())?;
        let target = Item { live: self.live, index: neighbour, extent: target };
        target.renumbered(edited, &[blocks[neighbour].bytes.start], &target.numbers())
    }

    /// Decides which blank lines go along. They are the lines between the item and another one, and not around the list.
    fn gaps(&self) -> Gaps {
        let (siblings, rank) = self.siblings();
        let blocks = self.live.blocks();
        let touches = |upper: usize, lower: usize| {
            let gap = self.extent_of_block(upper).end
                ..lines::line_start(self.live.text(), blocks[lower].bytes.start);
            self.live
                .text()
                .get(gap)
                .is_some_and(|gap| gap.trim_matches([' ', '\t', '\r', '\n', '>']).is_empty())
        };
        let above = rank > 0 && touches(siblings[rank - 1], self.index);
        let below = siblings.get(rank + 1).is_some_and(|&next| touches(self.index, next));
        match (above, below) {
            (true, true) => Gaps::Blank(None),
            (true, false) => Gaps::Blank(Some(Side::Above)),
            (false, true) => Gaps::Blank(Some(Side::Below)),
            (false, false) => Gaps::Needed,
        }
    }

    /// Returns the items of a parent, without this item and its content.
    fn items_of(&self, within: Within, parent: &[usize]) -> Result<Vec<usize>, StructureError> {
        let blocks = self.live.blocks();
        let own = self.block().bytes.clone();
        let rest: Vec<usize> = (0..blocks.len())
            .filter(|&at| {
                at != self.index
                    && !(own.contains(&blocks[at].bytes.start) && blocks[at].depth > self.block().depth)
            })
            .collect();
        let (mut from, mut depth) = (0, 0);
        for level in 0..=parent.len() {
            let inside = rest[from..].iter().take_while(|&&at| blocks[at].depth >= depth);
            let items: Vec<usize> = inside
                .enumerate()
                .filter(|(_, at)| {
                    let block = &blocks[**at];
                    block.kind == BlockKind::Item && within.has(block.section) && block.nesting == level
                })
                .map(|(rank, _)| from + rank)
                .collect();
            let Some(&number) = parent.get(level) else {
                return Ok(items.into_iter().map(|at| rest[at]).collect());
            };
            let Some(&found) = number.checked_sub(1).and_then(|rank| items.get(rank)) else {
                let part = Part::Item(parent[..=level].to_vec());
                return Err(AddressError::NoSuchBlock { part, available: items.len() }.into());
            };
            (from, depth) = (found + 1, blocks[rest[found]].depth + 1);
        }
        Ok(Vec::new())
    }

    fn extent_of_block(&self, index: usize) -> Extent {
        let text = self.live.text();
        let block = &self.live.blocks()[index];
        let lines_of_block = crate::markdown::address::lines_of(text, block);
        let start = lines::line_start(text, block.bytes.start).max(lines::mark(text));
        let after = lines::skip(text, 0, lines_of_block.end).unwrap_or(text.len());
        let last = lines::line_start_before(text, after.max(1)).max(start);
        Extent {
            start,
            end: last + lines::content(&text[last..after.max(last)]).len(),
            gaps: Gaps::Blank(None),
        }
    }

    /// Writes the item with the marker and indentation of another one.
    fn written_for(&self, own: &Marker<'_>, other: &Marker<'_>) -> Result<String, StructureError> {
        let text = self.live.text();
        let core = &text[self.extent.start..self.extent.end];
        let same_kind = own.number.is_some() == other.number.is_some() && own.sign == other.sign;
        if own.prefix == other.prefix && same_kind {
            return Ok(core.to_owned());
        }
        let quotes = |prefix: &str| prefix.matches('>').count();
        if quotes(own.prefix) != quotes(other.prefix) {
            return Err(StructureError::Value(ValueFault::Destination));
        }
        let digits = match (own.number, other.number) {
            (_, None) => String::new(),
            (Some(number), Some(_)) => number.to_string(),
            (None, Some(number)) => number.to_string(),
        };
        let space = if own.space.is_empty() { " " } else { own.space };
        let (before, width) = (own.prefix.chars().count() + own.width(), digits.len() + 1 + space.len());
        let prefix = other.line_prefix();
        let mut all = core.split_inclusive('\n');
        let first = all.next().unwrap_or_default();
        let behind = own.prefix.len() + own.digits.len() + 1 + own.space.len();
        let mut written =
            format!("{prefix}{digits}{}{space}{}", other.sign, first.get(behind..).unwrap_or_default());
        for line in all {
            let content = line.trim_start_matches([' ', '\t', '>']);
            let indent = line[..line.len() - content.len()].chars().count();
            if lines::content(content).is_empty() {
                written.push_str(line);
            } else if indent < before {
                // A lazy line.
                written.push_str(line);
            } else {
                written.push_str(&prefix);
                written.push_str(&" ".repeat(width + indent - before));
                written.push_str(content);
            }
        }
        Ok(written)
    }

    /// Returns the terminator and blank lines between this item and the next one or, for the last item, before it.
    fn gap(&self) -> String {
        let text = self.live.text();
        let (siblings, rank) = self.siblings();
        let blocks = self.live.blocks();
        let start_of = |index: usize| lines::line_start(text, blocks[index].bytes.start);
        let between = match (siblings.get(rank + 1), rank.checked_sub(1).map(|above| siblings[above])) {
            (Some(&next), _) => Some(self.extent.end..start_of(next)),
            (None, Some(above)) => Some(self.extent_of_block(above).end..self.extent.start),
            (None, None) => None,
        };
        let gap = between
            .and_then(|range| text.get(range))
            .filter(|gap| gap.ends_with('\n') && gap.trim_matches([' ', '\t', '\r', '\n', '>']).is_empty());
        gap.map_or_else(|| newline(text).to_owned(), str::to_owned)
    }

    /// Returns the numbers of the item's ordered list. Other lists have an empty result.
    fn numbers(&self) -> Vec<u64> {
        let text = self.live.text();
        if !text[self.block().bytes.clone()].starts_with(|first: char| first.is_ascii_digit()) {
            return Vec::new();
        }
        list_with(self.live, self.block().bytes.start).map_or_else(Vec::new, |list| {
            items_in(self.live, &list).iter().filter_map(|(_, marker)| marker.number).collect()
        })
    }

    /// Numbers a list in sequence again if it was before. `near` are the starts of items of the list in the old text.
    fn renumbered(&self, edited: Edited, near: &[usize], before: &[u64]) -> Result<Edited, StructureError> {
        let is_sequence = before.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]));
        let (Some(&first), true) = (before.first(), is_sequence) else {
            return edited.with_effect(self.live.text());
        };
        let new = LiveOutline::new(edited.text.clone());
        let places = Places::of_delta(self.live.text(), &edited.delta);
        let list = near.iter().find_map(|&at| list_with(&new, places.of(at)?));
        let Some(list) = list else { return edited.with_effect(self.live.text()) };
        let edits = renumbering(&new, &list, first);
        if edits.is_empty() {
            return edited.with_effect(self.live.text());
        }
        let renumbered = Edited::of(new.text(), edits);
        check_numbers(&new, &renumbered)?;
        let delta = Delta::between(self.live.text(), &renumbered.text);
        Edited { delta, text: renumbered.text }.with_effect(self.live.text())
    }
}

fn is_rest_blank(text: &str, block: &Block, from: usize) -> bool {
    text.get(from..block.bytes.end)
        .is_none_or(|rest| rest.trim_matches([' ', '\t', '\r', '\n', '>']).is_empty())
}

pub(super) fn renumber(
    live: &LiveOutline,
    section: Option<&SectionPath>,
    number: usize,
) -> Result<Edited, StructureError> {
    let within = live.context().within(section.map(|section| (section.path.as_slice(), section.ordinal)))?;
    let is_own = |list: &Vec<usize>| {
        let first = list.first().and_then(|&at| block_at(live, at));
        first.is_some_and(|block| within.has(block.section))
    };
    let mut lists: Vec<_> = ordered_lists(live.text()).into_iter().filter(is_own).collect();
    let available = lists.len();
    if number == 0 || number > available {
        return Err(AddressError::NoSuchList { list: number, available }.into());
    }
    let list = lists.swap_remove(number - 1);
    let first = items_in(live, &list).iter().find_map(|(_, marker)| marker.number).unwrap_or(1);
    let edited = Edited::of(live.text(), renumbering(live, &list, first)).with_effect(live.text())?;
    check_numbers(live, &edited)?;
    Ok(edited)
}

/// Returns the starts of the items of the ordered list that has an item at a byte.
fn list_with(live: &LiveOutline, item: usize) -> Option<Vec<usize>> {
    ordered_lists(live.text()).into_iter().find(|list| list.binary_search(&item).is_ok())
}

fn block_at(live: &LiveOutline, start: usize) -> Option<&Block> {
    let blocks = live.blocks();
    let from = blocks.partition_point(|block| block.bytes.start < start);
    blocks[from..]
        .iter()
        .take_while(|block| block.bytes.start == start)
        .find(|block| block.kind == BlockKind::Item)
}

/// Returns the items that begin at some places.
fn items_in<'l>(live: &'l LiveOutline, list: &[usize]) -> Vec<(&'l Block, Marker<'l>)> {
    let blocks = list.iter().filter_map(|&at| block_at(live, at));
    blocks.filter_map(|block| Some((block, Marker::of(live.text(), block)?))).collect()
}

/// Returns the edits that number a list. If a number becomes longer or shorter, the further lines of its item move along.
fn renumbering(live: &LiveOutline, list: &[usize], first: u64) -> Vec<TextEdit> {
    let text = live.text();
    let mut edits: Vec<TextEdit> = Vec::new();
    for (number, (block, marker)) in (first..).zip(items_in(live, list)) {
        let new = number.to_string();
        if marker.number == Some(number) || marker.number.is_none() {
            continue;
        }
        let (old, now) = (marker.digits.len(), new.len());
        let width = marker.prefix.chars().count() + old + 1 + marker.space.len().max(1);
        edits.push(replace(text, marker.digits.clone(), new));
        if old == now {
            continue;
        }
        let mut at = lines::line_end(text, block.bytes.start);
        while at < block.bytes.end {
            let end = lines::line_end(text, at);
            let content = text[at..end].trim_start_matches([' ', '\t', '>']);
            let indent = text[at..end].len() - content.len();
            if !lines::content(content).is_empty() && indent >= width {
                let content = end - content.len();
                edits.push(match now.checked_sub(old) {
                    Some(more) => insert(content, " ".repeat(more)),
                    None => replace(text, content - (old - now)..content, ""),
                });
            }
            at = end;
        }
    }
    edits.sort_by_key(|edit| edit.at);
    edits
}

/// Checks that new numbers leave all headings and blocks in order.
fn check_numbers(before: &LiveOutline, edited: &Edited) -> Result<(), StructureError> {
    let mut new = before.clone();
    new.edit(edited.text.clone(), edited.delta.edits());
    let kinds = |live: &LiveOutline| {
        live.blocks().iter().map(|block| (block.kind, block.depth, block.nesting)).collect::<Vec<_>>()
    };
    let titles = |live: &LiveOutline| {
        live.outline()
            .sections()
            .iter()
            .map(|section| (section.level, section.title.clone()))
            .collect::<Vec<_>>()
    };
    if kinds(before) == kinds(&new) && titles(before) == titles(&new) {
        return Ok(());
    }
    let at = edited.delta.edits().first().map_or(0, |edit| edit.at);
    Err(spilled(line_at(&edited.text, at), false))
}
