//! Tasks, moves and numbers of list items, and new items.

use std::ops::Range;

use super::check::{Kept, Places, check, line_at, spilled};
use super::error::{StructureError, ValueFault};
use super::marker::{Marker, box_of, indentation};
use super::model::{Edited, ItemChange, SectionPath};
use super::relocate::{Extent, Gaps, Relocated, Side, Spot, is_blank, relocated, removed};
use super::writing::{insert, newline, replace};
use crate::diff::delta::Delta;
use crate::diff::edit::TextEdit;
use crate::markdown::address::{AddressError, Part, Within, nesting_in_text};
use crate::markdown::outline::{Block, BlockKind, LiveOutline, ordered_lists};
use crate::text::lines;

/// An item with the lines that go along with it.
pub(super) struct Item<'l> {
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
    match change {
        ItemChange::Check(is_done) => check_task(live, index, *is_done),
        ItemChange::InsertAfter(text) => Item::at(live, index)?.insert_after(text),
        ItemChange::Remove => Item::at(live, index)?.remove(),
        ItemChange::MoveTo(to) => Item::at(live, index)?.move_to(within, numbers, to),
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

impl<'l> Item<'l> {
    /// Returns the item of a block, unless it begins on the line of another one.
    pub(super) fn at(live: &'l LiveOutline, index: usize) -> Result<Self, StructureError> {
        let mut item = Self { live, index, extent: extent_of_block(live, index) };
        if item.marker()?.shares_line() {
            return Err(StructureError::Value(ValueFault::SharedLine));
        }
        item.extent.gaps = item.gaps();
        Ok(item)
    }

    fn block(&self) -> &'l Block {
        &self.live.blocks()[self.index]
    }

    fn marker(&self) -> Result<Marker<'l>, StructureError> {
        Marker::of(self.live.text(), self.block()).ok_or(StructureError::Value(ValueFault::Item))
    }

    /// Returns the items before and after this one in their parent.
    fn neighbours(&self) -> (Option<usize>, Option<usize>) {
        let (blocks, own) = (self.live.blocks(), self.block());
        let inside = |at: &usize| blocks[*at].depth >= own.depth;
        let is_item = |at: &usize| blocks[*at].kind == BlockKind::Item && blocks[*at].depth == own.depth;
        let above = (0..self.index).rev().take_while(inside).find(is_item);
        let below = (self.index + 1..blocks.len()).take_while(inside).find(is_item);
        (above, below)
    }

    /// Returns the bytes between this item and the one below it or, without one, the one above it, if they are blank.
    fn gap(&self) -> String {
        let (above, below) = self.neighbours();
        let text = self.live.text();
        let start_of = |index: usize| lines::line_start(text, self.live.blocks()[index].bytes.start);
        let gaps = [
            below.map(|below| self.extent.end..start_of(below)),
            above.map(|above| extent_of_block(self.live, above).end..self.extent.start),
        ];
        let mut gaps = gaps.into_iter().flatten().filter_map(|range| text.get(range));
        let gap = gaps.find(|gap| gap.ends_with('\n') && is_blank(gap));
        gap.map_or_else(|| newline(text).to_owned(), str::to_owned)
    }

    /// Decides which blank lines go along. They are the lines between the item and another one, and not around the list.
    fn gaps(&self) -> Gaps {
        let (above, below) = self.neighbours();
        let text = self.live.text();
        let start_of = |index: usize| lines::line_start(text, self.live.blocks()[index].bytes.start);
        let is_gap = |range: Range<usize>| text.get(range).is_some_and(is_blank);
        let above =
            above.is_some_and(|above| is_gap(extent_of_block(self.live, above).end..self.extent.start));
        let below = below.is_some_and(|below| is_gap(self.extent.end..start_of(below)));
        match (above, below) {
            (true, true) => Gaps::Blank(None),
            (true, false) => Gaps::Blank(Some(Side::Above)),
            (false, true) => Gaps::Blank(Some(Side::Below)),
            (false, false) => Gaps::Needed,
        }
    }

    fn insert_after(&self, new: &str) -> Result<Edited, StructureError> {
        let text = self.live.text();
        let marker = self.marker()?;
        let first = new.trim_start_matches([' ', '\t']);
        if first.trim().is_empty() {
            return Err(StructureError::Value(ValueFault::Item));
        }
        let is_task = marker.task.is_some() && box_of(first).is_none();
        let new = if is_task { format!("[ ] {first}") } else { first.to_owned() };
        let list = self.list();
        let digits = match (marker.number, &*list.numbers) {
            (None, _) => String::new(),
            (Some(number), [first, .., last]) if first == last => number.to_string(),
            (Some(number), _) => number.saturating_add(1).to_string(),
        };
        let space = if marker.space.is_empty() { " " } else { marker.space };
        let indent = " ".repeat(marker.width() + digits.len() - marker.digits.len());
        let newline = newline(text);
        let mut lines = new.trim_end().split('\n').map(|line| line.trim_end_matches('\r'));
        let prefix = marker.prefix;
        let mut item = format!("{prefix}{digits}{}{space}{}", marker.sign, lines.next().unwrap_or_default());
        for line in lines {
            item.push_str(newline);
            if line.trim().is_empty() {
                item.push_str(prefix.trim_end());
            } else {
                item.extend([prefix, &indent, line]);
            }
        }
        let edited = Edited::of(text, vec![insert(self.extent.end, format!("{}{item}", self.gap()))]);
        // The text may hold blocks of its own, inside of the one item that is new and as long as the insertion.
        let places = Places::of_delta(text, &edited.delta);
        let after = LiveOutline::new(edited.text.clone());
        let inserted = self.extent.end..self.extent.end + edited.text.len() - text.len();
        let blocks = after.blocks().iter().filter(|block| block.kind != BlockKind::Quote);
        let new: Vec<_> = blocks.filter(|block| inserted.contains(&block.bytes.start)).collect();
        let depth = self.block().depth;
        let is_whole = |block: &&Block| {
            let rest = edited.text.get(block.bytes.end..inserted.end);
            block.kind == BlockKind::Item && block.depth == depth && rest.is_none_or(is_blank)
        };
        let is_one = new.first().is_some_and(is_whole) && new.iter().skip(1).all(|block| block.depth > depth);
        if !is_one {
            return Err(StructureError::Value(ValueFault::Item));
        }
        let kept = Kept { new_blocks: new.len(), ..Kept::all(places) };
        check(self.live, &edited, &kept).map_err(|_| StructureError::Value(ValueFault::Item))?;
        self.renumbered(edited, &[&list])
    }

    fn remove(&self) -> Result<Edited, StructureError> {
        let text = self.live.text();
        let edited = Edited::of(text, vec![removed(text, &self.extent)]);
        self.check_without(&edited, 0)?;
        self.renumbered(edited, &[&self.list()])
    }

    /// Checks a text in which the item is gone or has another form, with the same number of blocks.
    fn check_without(&self, edited: &Edited, new_blocks: usize) -> Result<LiveOutline, StructureError> {
        let text = self.live.text();
        let bytes = self.extent.start..self.extent.end;
        let (first, last) = (line_at(text, bytes.start), line_at(text, bytes.end));
        let sections = self.live.outline().sections();
        let kept = Kept {
            may_lose: &|index| new_blocks == 0 && (first..=last).contains(&sections[index].heading.start),
            may_go: &|block| bytes.contains(&block.bytes.start),
            new_blocks,
            ..Kept::all(Places::of_delta(text, &edited.delta))
        };
        check(self.live, edited, &kept)
    }

    fn move_to(&self, within: Within, from: &[usize], to: &[usize]) -> Result<Edited, StructureError> {
        let missing = |available| AddressError::NoSuchBlock { part: Part::Item(to.to_vec()), available };
        let Some((&position, parent)) = to.split_last() else { return Err(missing(0).into()) };
        if from == to {
            return Err(StructureError::NoEffect);
        }
        if to.starts_with(from) {
            return Err(StructureError::MoveIntoItself {
                line: line_at(self.live.text(), self.extent.start),
            });
        }
        let (holder, siblings) = self.items_of(within, parent)?;
        if position == 0 || position > siblings.len() + 1 {
            return Err(missing(siblings.len()).into());
        }
        // The neighbour at which it arrives: the one that it pushes down or, at the end, the last one.
        let own = self.block().bytes.start;
        match (siblings.get(position - 1), position.checked_sub(2).map(|above| siblings[above]), holder) {
            (Some(&next), None, _) => self.move_beside(next, true),
            (Some(&next), _, _) if own > self.live.blocks()[next].bytes.start => self.move_beside(next, true),
            (_, Some(above), _) => self.move_beside(above, false),
            (None, None, Some(holder)) => self.move_under(holder),
            (None, None, None) => Err(missing(0).into()),
        }
    }

    /// Moves the item next to another one, whose marker and indentation it gets.
    pub(super) fn move_beside(&self, neighbour: usize, is_before: bool) -> Result<Edited, StructureError> {
        let target = Item::at(self.live, neighbour)?;
        if self.extent.start <= target.extent.start && target.extent.start < self.extent.end {
            return Err(StructureError::MoveIntoItself {
                line: line_at(self.live.text(), self.extent.start),
            });
        }
        let spot = if is_before { Spot::Before(target.extent.start) } else { Spot::After(target.extent.end) };
        let marker = target.marker()?;
        let (prefix, depth) = (marker.prefix.to_owned(), target.block().depth);
        self.moved(&Form { prefix, sign: marker.sign, number: marker.number, depth }, spot, &[&target.list()])
    }

    /// Moves the item to the end of another one that has no items.
    fn move_under(&self, holder: usize) -> Result<Edited, StructureError> {
        let holder = Item::at(self.live, holder)?;
        let (own, outer) = (self.marker()?, holder.marker()?);
        let prefix = format!("{}{}", outer.prefix, " ".repeat(outer.width()));
        let depth = holder.block().depth + 1;
        self.moved(
            &Form { prefix, sign: own.sign, number: own.number, depth },
            Spot::After(holder.extent.end),
            &[],
        )
    }

    fn moved(&self, form: &Form<'_>, spot: Spot, lists: &[&List]) -> Result<Edited, StructureError> {
        let text = self.live.text();
        let old = &text[self.extent.start..self.extent.end];
        let core = self.written_as(form)?;
        let (edits, places, at) = match relocated(text, &self.extent, &core, spot) {
            Some(Relocated { edits, places, at }) => (edits, places, at),
            None if core == old => return Err(StructureError::NoEffect),
            // It stays on its lines, with other indentation.
            None => {
                let edit = replace(text, self.extent.start..self.extent.end, core.as_str());
                (vec![edit], Places::of_pieces([]), self.extent.start)
            }
        };
        let edited = Edited::of(text, edits);
        let new = if core == old {
            check(self.live, &edited, &Kept::all(places))?
        } else {
            let inside = self.live.blocks().iter().filter(|block| {
                block.kind != BlockKind::Quote
                    && (self.extent.start..self.extent.end).contains(&block.bytes.start)
            });
            self.check_without(&edited, inside.count())?
        };
        let start = at + form.prefix.len();
        if block_at(&new, start).is_none_or(|block| block.depth != form.depth) {
            return Err(spilled(line_at(&edited.text, at), false));
        }
        let own = self.list();
        let lists: Vec<_> = std::iter::once(&own).chain(lists.iter().copied()).collect();
        self.renumbered(edited, &lists)
    }

    /// Returns the block of a parent, and its items without this item and its content.
    fn items_of(
        &self,
        within: Within,
        parent: &[usize],
    ) -> Result<(Option<usize>, Vec<usize>), StructureError> {
        let blocks = self.live.blocks();
        let own = self.block();
        let is_own = |at: usize| {
            at == self.index || own.bytes.contains(&blocks[at].bytes.start) && blocks[at].depth > own.depth
        };
        let rest: Vec<usize> = (0..blocks.len()).filter(|&at| !is_own(at)).collect();
        let in_text = if within == Within::Text { nesting_in_text(blocks) } else { Vec::new() };
        let nesting_of = |at: usize| in_text.get(at).copied().unwrap_or(blocks[at].nesting);
        let (mut from, mut depth, mut holder) = (0, 0, None);
        for level in 0..=parent.len() {
            let inside = rest[from..].iter().take_while(|&&at| blocks[at].depth >= depth).enumerate();
            let items = inside.filter(|(_, at)| {
                let block = &blocks[**at];
                block.kind == BlockKind::Item && within.has(block.section) && nesting_of(**at) == level
            });
            let items: Vec<usize> = items.map(|(rank, _)| from + rank).collect();
            let Some(&number) = parent.get(level) else {
                return Ok((holder, items.into_iter().map(|at| rest[at]).collect()));
            };
            let Some(&found) = number.checked_sub(1).and_then(|rank| items.get(rank)) else {
                let part = Part::Item(parent[..=level].to_vec());
                return Err(AddressError::NoSuchBlock { part, available: items.len() }.into());
            };
            (from, depth, holder) = (found + 1, blocks[rest[found]].depth + 1, Some(rest[found]));
        }
        Ok((holder, Vec::new()))
    }

    /// Writes the item with another marker and indentation.
    fn written_as(&self, form: &Form<'_>) -> Result<String, StructureError> {
        let core = &self.live.text()[self.extent.start..self.extent.end];
        let own = self.marker()?;
        let is_same_kind = own.number.is_some() == form.number.is_some() && own.sign == form.sign;
        if own.prefix == form.prefix && is_same_kind {
            return Ok(core.to_owned());
        }
        let quotes = own.quotes();
        if quotes != form.prefix.matches('>').count() {
            return Err(StructureError::Value(ValueFault::Destination));
        }
        let digits = match (own.number, form.number) {
            (_, None) => String::new(),
            (Some(number), Some(_)) | (None, Some(number)) => number.to_string(),
        };
        let (space, content) = (if own.space.is_empty() { " " } else { own.space }, own.content());
        if space.contains('\t') {
            return Err(StructureError::Value(ValueFault::Tab));
        }
        let width = digits.len() + form.sign.len() + space.len();
        let mut all = core.split_inclusive('\n');
        let first = all.next().unwrap_or_default();
        let behind = own.prefix.len() + own.digits.len() + own.sign.len() + own.space.len();
        let text = first.get(behind..).unwrap_or_default();
        let mut written = format!("{}{digits}{}{space}{text}", form.prefix, form.sign);
        for line in all {
            match indentation(line, quotes, content)? {
                Some((start, blanks)) => {
                    written.push_str(&form.prefix);
                    written.push_str(&" ".repeat(width + blanks - content));
                    written.push_str(&line[start + blanks..]);
                }
                // A blank or lazy line.
                None => written.push_str(line),
            }
        }
        Ok(written)
    }

    /// Returns the ordered list of the item. Other lists have an empty result.
    fn list(&self) -> List {
        let (text, start) = (self.live.text(), self.block().bytes.start);
        if !text[start..].starts_with(|first: char| first.is_ascii_digit()) {
            return List::default();
        }
        let items = ordered_lists(text)
            .into_iter()
            .find(|list| list.binary_search(&start).is_ok())
            .unwrap_or_default();
        let numbers = items_in(self.live, &items).iter().filter_map(|(_, marker)| marker.number).collect();
        List { items, numbers }
    }

    /// Numbers lists in sequence again if they were before.
    fn renumbered(&self, mut edited: Edited, lists: &[&List]) -> Result<Edited, StructureError> {
        let is_sequence = |list: &&&List| {
            !list.numbers.is_empty()
                && list.numbers.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]))
        };
        let text = self.live.text();
        let places = Places::of_delta(text, &edited.delta);
        let lists: Vec<_> = lists.iter().filter(is_sequence).collect();
        if lists.is_empty() {
            return edited.with_effect(text);
        }
        let new = LiveOutline::new(edited.text.clone());
        let now = ordered_lists(new.text());
        let mut edits = Vec::new();
        let mut done = Vec::new();
        for list in lists {
            let near: Vec<_> = list.items.iter().filter_map(|&at| places.of(at)).collect();
            let found = now.iter().position(|now| near.iter().any(|at| now.binary_search(at).is_ok()));
            if let Some(found) = found.filter(|found| !done.contains(found)) {
                done.push(found);
                edits.extend(renumbering(&new, &now[found], list.numbers[0])?);
            }
        }
        if !edits.is_empty() {
            edits.sort_by_key(|edit| edit.at);
            let renumbered = Edited::of(new.text(), edits);
            check_numbers(&new, &renumbered)?;
            edited = Edited { delta: Delta::between(text, &renumbered.text), text: renumbered.text };
        }
        edited.with_effect(text)
    }
}

/// The form that an item takes when it moves.
struct Form<'m> {
    prefix: String,
    sign: &'m str,
    /// The number of a neighbour in an ordered list.
    number: Option<u64>,
    /// Number of containers around it.
    depth: usize,
}

/// An ordered list: the starts of its items, and their numbers.
#[derive(Default)]
struct List {
    items: Vec<usize>,
    numbers: Vec<u64>,
}

fn extent_of_block(live: &LiveOutline, index: usize) -> Extent {
    let (text, block) = (live.text(), &live.blocks()[index]);
    let start = lines::line_start(text, block.bytes.start).max(lines::mark(text));
    let blank = [' ', '\t', '\r', '\n'];
    let quoted = [' ', '\t', '\r', '\n', '>'];
    let inside = &text[block.bytes.clone()];
    let length =
        if block.quoted { inside.trim_end_matches(quoted) } else { inside.trim_end_matches(blank) }.len();
    // An empty item ends with its marker.
    let end = block.bytes.start + length.max(1);
    let line = lines::line_start(text, end);
    let mut end =
        line.max(start) + lines::content(&text[line.max(start)..lines::line_end(text, end - 1)]).len();
    // A quote in the item may end with empty lines.
    if let Some(marker) = Marker::of(text, block) {
        loop {
            let next = lines::line_end(text, end);
            let line = lines::content(&text[next..lines::line_end(text, next)]);
            if !is_blank(line) || !marker.ends_quote(line) {
                break;
            }
            end = next + line.len();
        }
    }
    Extent { start, end, gaps: Gaps::Blank(None) }
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
    let edited = Edited::of(live.text(), renumbering(live, &list, first)?).with_effect(live.text())?;
    check_numbers(live, &edited)?;
    Ok(edited)
}

fn block_at(live: &LiveOutline, start: usize) -> Option<&Block> {
    let blocks = live.blocks();
    let from = blocks.partition_point(|block| block.bytes.start < start);
    let mut here = blocks[from..].iter().take_while(|block| block.bytes.start == start);
    here.find(|block| block.kind == BlockKind::Item)
}

/// Returns the items that begin at some places.
fn items_in<'l>(live: &'l LiveOutline, list: &[usize]) -> Vec<(&'l Block, Marker<'l>)> {
    let blocks = list.iter().filter_map(|&at| block_at(live, at));
    blocks.filter_map(|block| Some((block, Marker::of(live.text(), block)?))).collect()
}

/// Returns the edits that number a list. If a number becomes longer or shorter, the further lines of its item move along.
fn renumbering(live: &LiveOutline, list: &[usize], first: u64) -> Result<Vec<TextEdit>, StructureError> {
    let text = live.text();
    let mut edits: Vec<TextEdit> = Vec::new();
    for (number, (block, marker)) in (first..).zip(items_in(live, list)) {
        let new = number.to_string();
        if marker.number == Some(number) || marker.number.is_none() {
            continue;
        }
        let (old, now) = (marker.digits.len(), new.len());
        edits.push(replace(text, marker.digits.clone(), new));
        if old == now {
            continue;
        }
        let mut at = lines::line_end(text, block.bytes.start);
        while at < block.bytes.end {
            let end = lines::line_end(text, at);
            if let Some((start, _)) = indentation(&text[at..end], marker.quotes(), marker.content())? {
                edits.push(match now.checked_sub(old) {
                    Some(more) => insert(at + start, " ".repeat(more)),
                    None => replace(text, at + start..at + start + (old - now), ""),
                });
            }
            at = end;
        }
    }
    edits.sort_by_key(|edit| edit.at);
    Ok(edits)
}

/// Checks that new numbers leave all headings and blocks in order.
fn check_numbers(before: &LiveOutline, edited: &Edited) -> Result<(), StructureError> {
    let mut new = before.clone();
    new.edit(edited.text.clone(), edited.delta.edits());
    let kinds = |live: &LiveOutline| {
        live.blocks().iter().map(|block| (block.kind, block.depth, block.nesting)).collect::<Vec<_>>()
    };
    let titles = |live: &LiveOutline| {
        let sections = live.outline().sections().iter();
        sections.map(|section| (section.level, section.title.clone())).collect::<Vec<_>>()
    };
    if kinds(before) == kinds(&new) && titles(before) == titles(&new) {
        return Ok(());
    }
    let at = edited.delta.edits().first().map_or(0, |edit| edit.at);
    Err(spilled(line_at(&edited.text, at), false))
}
