//! The effect of an edit on the structure of a Markdown text, and a policy that refuses edits because of it.
//!
//! * A side effect changes the meaning of a line that the edit does not touch. The line becomes, or is no longer, a
//!   heading of its level, a list item or the start of a fence. A fence that the edit leaves open is a side effect too.
//! * An edit that writes or removes both `---` lines counts as intended to change the front matter.
//! * A heading that only moved is neither gained nor lost.
//! * Only the ranges that the edit can affect are compared. They are the ranges that [`LiveOutline::edit`] reads.

mod error;
mod protected;
mod touched;

use std::collections::{BTreeMap, BTreeSet};

pub use self::error::EditPolicyError;
use self::protected::check_protected;
use self::touched::Touched;
use crate::diff::changed::{Changed, all_changes, changes};
use crate::diff::edit::TextEdit;
use crate::markdown::address::Address;
use crate::markdown::outline::{BlockKind, Lead, LineRange, LiveOutline, Region};
use crate::text::cursor::LineCursor;
use crate::text::lines;

/// The headings, list items, fences and front matter that a text gains and loses in an edit.
///
/// The edits passed to [`LiveOutline::change`] do not affect any level, title or number here. However, if a text has
/// equal headings, the edits may decide which of them counts as gained or lost, and therefore its [`ChangedHeading::line`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StructureChange {
    /// Headings that occur more often in the new text than in the old text, compared by level and title, in order.
    pub headings_gained: Vec<ChangedHeading>,
    /// Headings that occur more often in the old text than in the new text, in order. A heading that only moved is
    /// in neither list.
    pub headings_lost: Vec<ChangedHeading>,
    /// The number of list items gained, including nested ones. It is negative if the text loses items.
    pub items: isize,
    /// The number of fenced code blocks gained. It is negative if the text loses some.
    pub fences: isize,
    /// 1 if the text gains front matter, -1 if it loses it, and 0 otherwise.
    pub front_matter: isize,
}

/// A heading that a text gains or loses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedHeading {
    /// The title, in the same form as [`Section::title`](crate::Section::title).
    pub title: String,
    /// The heading level, from 1 to 6.
    pub level: u8,
    /// The first line of the heading, counted from 1.
    pub line: usize,
}

/// A policy for edits of a text. The default allows everything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EditPolicy {
    /// The only place of the old text that may change, or `None` for the whole text. Blank lines right below the
    /// place belong to it. An inserted line belongs to the line above it.
    pub scope: Option<Address>,
    /// Whether to refuse edits that change the meaning of lines that they do not touch. This covers all errors except
    /// [`EditPolicyError::OutOfScope`], [`EditPolicyError::Protected`] and [`EditPolicyError::Scope`].
    pub refuse_side_effects: bool,
    /// Places of the old text that must keep their lines, and that must not become longer. A cell protects its row. An
    /// address that does not resolve has no effect.
    pub protected: Vec<Address>,
    /// Whether the addresses in `protected` must lead to the same places afterwards, unless they are line numbers. Set this
    /// if you check more than one edit with the same list. Otherwise an edit could add a section of the same path, so that
    /// the address leads to none, and the next edit could change the place.
    pub keeps_addresses: bool,
}

impl LiveOutline {
    /// Returns the gains and losses that [`LiveOutline::edit`] would cause with the same arguments. Costs as much as
    /// that edit.
    pub fn change(&self, after: &str, edits: &[TextEdit]) -> StructureChange {
        Both::of(self, after, &changes(self.text(), after, edits)).change()
    }

    /// Checks an edit before it is made and returns its gains and losses. Costs as much as [`LiveOutline::edit`] with
    /// the same arguments.
    ///
    /// # Errors
    ///
    /// If the text does not have the scope, or if the policy refuses the edit. If there are several reasons, the error
    /// is the one that [`EditPolicyError`] lists first.
    pub fn check_edit(
        &self,
        after: &str,
        edits: &[TextEdit],
        policy: &EditPolicy,
    ) -> Result<StructureChange, EditPolicyError> {
        let changes = changes(self.text(), after, edits);
        let touched = Touched::of(self.text(), after, &all_changes(self.text(), after, edits));
        if let Some(scope) = &policy.scope {
            check_scope(self.text(), &touched, self.resolve(scope)?.lines)?;
        }
        check_protected(self, after, edits, &touched, (&policy.protected, policy.keeps_addresses))?;
        let both = Both::of(self, after, &changes);
        if policy.refuse_side_effects {
            both.check_fences(&touched)?;
            both.check_underlines(&touched)?;
            both.check_front_matter(&touched)?;
            both.check_rest(&touched)?;
        }
        Ok(both.change())
    }
}

fn check_scope(before: &str, touched: &Touched, scope: LineRange) -> Result<(), EditPolicyError> {
    let mut end = scope.end;
    let mut below = lines::skip(before, 0, end).map_or("", |at| &before[at..]);
    while !below.is_empty() {
        let (line, rest) = below.split_at(lines::line_end(below, 0));
        if !line.trim().is_empty() {
            break;
        }
        (end, below) = (end + 1, rest);
    }
    for lines in touched.old() {
        // There is no line above the first one.
        let first = if lines.is_empty() { lines.start.max(1) } else { lines.start + 1 };
        let last = lines.end.max(1);
        let outside =
            if first < scope.start { Some(first) } else { (last > end).then(|| first.max(end + 1)) };
        if let Some(line) = outside {
            return Err(EditPolicyError::OutOfScope { line, scope });
        }
    }
    Ok(())
}

/// A kind of block, recognised by its first line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum EntityKind {
    Heading(u8),
    Item,
    Fence,
}

#[derive(Debug, Clone)]
struct Entity {
    kind: EntityKind,
    /// The lines of a heading. For an item or fence, only its first line.
    lines: LineRange,
    /// Empty unless this is a heading.
    title: String,
    /// Whether it is a fence without a closing line.
    unclosed: bool,
}

/// Headings, items and fences of the regions that an edit may affect, before and after it.
#[derive(Debug)]
struct Both {
    old: Vec<Entity>,
    new: Vec<Entity>,
    old_front_matter: Option<LineRange>,
    new_front_matter: Option<LineRange>,
}

impl Both {
    fn of(live: &LiveOutline, after: &str, changes: &[Changed]) -> Self {
        let (mut old, mut new) = (Vec::new(), Vec::new());
        for (before_region, after_region) in live.regions(after, changes) {
            add_entities(live.text(), before_region, &mut old);
            add_entities(after, after_region, &mut new);
        }
        let old_front_matter = live.outline().front_matter();
        Self { old, new, old_front_matter, new_front_matter: Lead::of(after).front_matter }
    }

    fn change(self) -> StructureChange {
        StructureChange {
            headings_gained: not_in(&self.new, &self.old),
            headings_lost: not_in(&self.old, &self.new),
            items: count(&self.new, EntityKind::Item) - count(&self.old, EntityKind::Item),
            fences: count(&self.new, EntityKind::Fence) - count(&self.old, EntityKind::Fence),
            front_matter: isize::from(self.new_front_matter.is_some())
                - isize::from(self.old_front_matter.is_some()),
        }
    }

    fn check_fences(&self, touched: &Touched) -> Result<(), EditPolicyError> {
        let old = unclosed(&self.old);
        for line in unclosed(&self.new) {
            if touched.old_line(line).is_none_or(|line| !old.contains(&line)) {
                return Err(EditPolicyError::UnclosedFence { line });
            }
        }
        Ok(())
    }

    fn check_underlines(&self, touched: &Touched) -> Result<(), EditPolicyError> {
        let old = heading_lines(&self.old);
        for Entity { lines, title, kind, .. } in &self.new {
            let old_lines: Vec<_> = (lines.start..=lines.end).map(|line| touched.old_line(line)).collect();
            let were_no_heading = old_lines.iter().flatten().any(|line| !old.contains(line));
            // One of the lines is new, or the edit removed a line from between them.
            let were_apart = old_lines.windows(2).any(|pair| match *pair {
                [Some(above), Some(below)] => below != above + 1,
                _ => true,
            });
            if matches!(kind, EntityKind::Heading(_)) && were_no_heading && were_apart {
                return Err(EditPolicyError::UnintendedHeading { line: lines.start, title: title.clone() });
            }
        }
        Ok(())
    }

    /// Accepts an edit of both `---` lines, because it intends the change.
    fn check_front_matter(&self, touched: &Touched) -> Result<(), EditPolicyError> {
        let (made, touched) = match (self.old_front_matter, self.new_front_matter) {
            (None, Some(new)) => (true, [new.start, new.end].map(|line| touched.old_line(line).is_none())),
            (Some(old), None) => (false, [old.start, old.end].map(|line| touched.new_line(line).is_none())),
            _ => return Ok(()),
        };
        if touched == [true, true] { Ok(()) } else { Err(EditPolicyError::FrontMatter { made }) }
    }

    fn check_rest(&self, touched: &Touched) -> Result<(), EditPolicyError> {
        let gained = unmatched(&self.new, &self.old, |line| touched.old_line(line));
        let lost = unmatched(&self.old, &self.new, |line| touched.new_line(line));
        let gained = gained.map(|(line, _)| (line, true));
        match gained.chain(lost.map(|(_, line)| (line, false))).min() {
            Some((line, is_now)) => Err(EditPolicyError::SideEffect { line, is_now }),
            None => Ok(()),
        }
    }
}

fn count(entities: &[Entity], kind: EntityKind) -> isize {
    entities.iter().filter(|entity| entity.kind == kind).count() as isize
}

/// Returns the first lines of unclosed fences.
fn unclosed(entities: &[Entity]) -> BTreeSet<usize> {
    entities.iter().filter(|entity| entity.unclosed).map(|entity| entity.lines.start).collect()
}

fn heading_lines(entities: &[Entity]) -> BTreeSet<usize> {
    let headings = entities.iter().filter(|entity| matches!(entity.kind, EntityKind::Heading(_)));
    headings.flat_map(|entity| entity.lines.start..=entity.lines.end).collect()
}

/// Returns the entities of `these` whose lines are all untouched and that have no counterpart in `those`. Each is given
/// by its first line in its own text and in the other one. `there` maps a line of this text to the other text.
fn unmatched(
    these: &[Entity],
    those: &[Entity],
    there: impl Fn(usize) -> Option<usize>,
) -> impl Iterator<Item = (usize, usize)> {
    let those: BTreeSet<_> = those.iter().map(|entity| (entity.lines.start, entity.kind)).collect();
    these.iter().filter_map(move |Entity { kind, lines, .. }| {
        let start = there(lines.start)?;
        let is_untouched = (lines.start..=lines.end).all(|line| there(line).is_some());
        (is_untouched && !those.contains(&(start, *kind))).then_some((lines.start, start))
    })
}

fn add_entities(text: &str, region: Region, entities: &mut Vec<Entity>) {
    let (byte, line) = region.start;
    let mut cursor = LineCursor::starting_at(text, byte, line);
    entities.extend(region.sections.into_iter().map(|section| Entity {
        kind: EntityKind::Heading(section.level),
        lines: section.heading,
        title: section.title,
        unclosed: false,
    }));
    let blocks =
        region.blocks.into_iter().filter(|block| matches!(block.kind, BlockKind::Item | BlockKind::Fence));
    entities.extend(blocks.map(|block| {
        let line = cursor.line_at(block.bytes.start);
        let kind = if block.kind == BlockKind::Fence { EntityKind::Fence } else { EntityKind::Item };
        let unclosed = kind == EntityKind::Fence && !is_closed(&text[block.bytes]);
        Entity { kind, lines: LineRange { start: line, end: line }, title: String::new(), unclosed }
    }));
}

/// Whether the last line of a fenced block closes it. Quote markers may precede the closing fence.
fn is_closed(block: &str) -> bool {
    let Some(fence) = block.chars().next() else { return false };
    let length = block.chars().take_while(|&c| c == fence).count();
    let block = block.trim_end_matches([' ', '\t', '\r', '\n']);
    let Some(line) = block.rfind(['\n', '\r']) else { return false };
    let last = block[line..].trim_start_matches(['\n', '\r', ' ', '\t', '>']);
    last.len() >= length && last.chars().all(|c| c == fence)
}

/// Returns the headings of `these` that are missing among `those`, each as often as it is missing.
fn not_in(these: &[Entity], those: &[Entity]) -> Vec<ChangedHeading> {
    let mut there = BTreeMap::new();
    for entity in those {
        *there.entry((entity.kind, entity.title.as_str())).or_insert(0_usize) += 1;
    }
    let missing = these.iter().filter_map(|entity| {
        let EntityKind::Heading(level) = entity.kind else { return None };
        match there.get_mut(&(entity.kind, entity.title.as_str())) {
            Some(count @ 1..) => {
                *count -= 1;
                None
            }
            _ => Some(ChangedHeading { title: entity.title.clone(), level, line: entity.lines.start }),
        }
    });
    missing.collect()
}

#[cfg(test)]
mod tests;
