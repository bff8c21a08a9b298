//! Effects of an edit on links, footnotes and tables elsewhere in the text.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::LazyLock;

use pulldown_cmark::{BrokenLink, CowStr, Event, Parser};
use regex::Regex;

use crate::markdown::address::footnote_label;
use crate::markdown::anchor::{AnchorLink, anchor_links, anchors, decoded};
use crate::markdown::outline::{BlockKind, Lead, LiveOutline, OPTIONS, OnBrokenLink, bounded};
use crate::markdown::table::Table;
use crate::text::cursor::LineCursor;

/// Anchors that HTML in the text makes.
static HTML_ID: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"<[a-zA-Z][^<>]*\s(?:id|name)\s*=\s*["']?([^\s"'<>]+)"#)
        .expect("the expression is well-formed")
});

/// A part of a text that an edit breaks or changes, although the edit need not touch it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Effect {
    /// The kind of the effect.
    pub code: EffectCode,
    /// Line number in the new text, counted from 1.
    pub line: usize,
    /// The anchor, label or number of cells, in a few words.
    pub detail: String,
}

/// A kind of effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "SCREAMING_SNAKE_CASE"))]
#[non_exhaustive]
pub enum EffectCode {
    /// A heading has another anchor or is gone, so that links from other texts break.
    AnchorChanged,
    /// A reference to a footnote lost its definition, or a definition lost its last reference.
    FootnoteOrphaned,
    /// A link leads to an anchor or definition that the text no longer has.
    LinkBroken,
    /// A row of a table has another number of cells than the table has columns.
    TableShape,
}

/// Lists the effects of an edit on links, footnotes and tables, in the order of their lines. Faults that the old text
/// already had are left out. Takes linear time, in which each text is parsed four or five times.
///
/// ```
/// use canvas_patch::{EffectCode, effects};
///
/// let found = effects("# Plan\n\nSee [the plan](#plan).\n", "# Idea\n\nSee [the plan](#plan).\n");
/// let codes: Vec<_> = found.iter().map(|effect| (effect.code, effect.line)).collect();
/// assert_eq!(codes, [(EffectCode::AnchorChanged, 1), (EffectCode::LinkBroken, 3)]);
/// ```
pub fn effects(before: &str, after: &str) -> Vec<Effect> {
    let (old, new) = (LiveOutline::new(before.to_owned()), LiveOutline::new(after.to_owned()));
    let (referred, refers) = (referenced(before), referenced(after));
    let mut found = changed_anchors(&old, &new);
    found.extend(broken_links(&old, &new));
    found.extend(broken_references(&old, &new, &referred));
    found.extend(orphaned_definitions(&old, &new, (&referred, &refers)));
    found.extend(ragged_rows(&old, &new));
    found.sort_by(|a, b| (a.line, a.code, &a.detail).cmp(&(b.line, b.code, &b.detail)));
    found
}

fn changed_anchors(old: &LiveOutline, new: &LiveOutline) -> Vec<Effect> {
    let (before, after) = (anchors(old.outline()), anchors(new.outline()));
    let is_kept: BTreeSet<_> = after.iter().collect();
    let is_old: BTreeSet<_> = before.iter().collect();
    let gone: Vec<_> = before.iter().enumerate().filter(|(_, anchor)| !is_kept.contains(anchor)).collect();
    let come: Vec<_> = after.iter().enumerate().filter(|(_, anchor)| !is_old.contains(anchor)).collect();
    let is_paired = gone.len() == come.len();
    let sections = new.outline().sections();
    let effect = |(rank, (index, anchor)): (usize, (usize, &String))| {
        let (line, detail) = match come.get(rank).filter(|_| is_paired) {
            Some((at, now)) => (sections[*at].heading.start, format!("#{anchor} is now #{now}")),
            // The heading that is there now, or the last one.
            None => {
                let there = sections.get(index).or_else(|| sections.last());
                (there.map_or(1, |section| section.heading.start), format!("#{anchor} is gone"))
            }
        };
        Effect { code: EffectCode::AnchorChanged, line, detail }
    };
    gone.into_iter().enumerate().map(effect).collect()
}

fn broken_links(old: &LiveOutline, new: &LiveOutline) -> Vec<Effect> {
    let broken = |live: &LiveOutline| {
        let mut there: BTreeSet<_> = anchors(live.outline()).into_iter().collect();
        let ids = HTML_ID.captures_iter(live.text()).filter_map(|found| found.get(1));
        there.extend(ids.map(|id| id.as_str().to_owned()));
        let links = anchor_links(live.text())
            .into_iter()
            .map(|AnchorLink { bytes }| (bytes.start, decoded(&live.text()[bytes]).into_owned()));
        // `#` alone and `#top` lead to the top of the page.
        let leads = |anchor: &str| anchor.is_empty() || anchor == "top" || there.contains(anchor);
        links.filter(|(_, anchor)| !leads(anchor)).collect::<Vec<_>>()
    };
    let before: BTreeSet<_> = broken(old).into_iter().map(|(_, anchor)| anchor).collect();
    let mut cursor = LineCursor::new(new.text());
    let links = broken(new).into_iter().filter(|(_, anchor)| !before.contains(anchor));
    let effect = |(at, anchor)| Effect {
        code: EffectCode::LinkBroken,
        line: cursor.line_at(at),
        detail: format!("no heading has the anchor #{anchor}"),
    };
    links.map(effect).collect()
}

/// Finds references whose definitions were in the old text.
fn broken_references(old: &LiveOutline, new: &LiveOutline, referred: &BTreeSet<String>) -> Vec<Effect> {
    let (defined, after) = (old.definitions(), new.text());
    let undefined = undefined_labels(after).into_iter();
    let mut broken: Vec<_> = undefined
        .filter(|(_, label)| defined.contains_key(&label.to_lowercase()))
        .map(|(at, label)| (at, EffectCode::LinkBroken, label))
        .collect();
    broken.extend(
        lost_footnotes(old, new, referred)
            .into_iter()
            .map(|(at, label)| (at, EffectCode::FootnoteOrphaned, label)),
    );
    broken.sort_by_key(|(at, ..)| *at);
    let mut cursor = LineCursor::new(after);
    let effect = |(at, code, label)| Effect {
        code,
        line: cursor.line_at(at),
        detail: format!("[{label}] has no definition"),
    };
    broken.into_iter().map(effect).collect()
}

/// Finds references to footnotes whose definitions are gone. The parser reports them only if they are defined.
fn lost_footnotes(old: &LiveOutline, new: &LiveOutline, referred: &BTreeSet<String>) -> Vec<(usize, String)> {
    let known = footnotes(new);
    let is_lost = |label: &String| !known.contains_key(label) && referred.contains(label);
    let lost: BTreeSet<_> = footnotes(old).into_keys().filter(is_lost).collect();
    if lost.is_empty() {
        return Vec::new();
    }
    let base = Lead::of(new.text()).bytes;
    let mut body = bounded(&new.text()[base..]).into_owned();
    let end = body.len();
    lost.iter().for_each(|label| body.extend(["\n\n[^", label, "]: x\n"]));
    let events = Parser::new_ext(&body, OPTIONS).into_offset_iter();
    let found = events.filter_map(|(event, range)| match event {
        Event::FootnoteReference(label) if range.start < end && lost.contains(&label.to_lowercase()) => {
            Some((base + range.start, format!("^{label}")))
        }
        _ => None,
    });
    found.collect()
}

/// Returns the start of the first definition of each footnote, by its label in lower case.
fn footnotes(live: &LiveOutline) -> BTreeMap<String, usize> {
    let mut first = BTreeMap::new();
    for block in live.blocks().iter().filter(|block| block.kind == BlockKind::Footnote) {
        let label = footnote_label(&live.text()[block.bytes.clone()]);
        first.entry(label.to_lowercase()).or_insert(block.bytes.start);
    }
    first
}

/// Returns references to labels without a definition, each with its place.
fn undefined_labels(text: &str) -> Vec<(usize, String)> {
    let base = Lead::of(text).bytes;
    let body = bounded(&text[base..]);
    let mut found = Vec::new();
    let mut note = |link: BrokenLink<'_>| {
        found.push((base + link.span.start, link.reference.to_string()));
        None::<(CowStr<'_>, CowStr<'_>)>
    };
    let callback: OnBrokenLink<'_, '_> = &mut note;
    Parser::new_with_broken_link_callback(&body, OPTIONS, Some(callback)).for_each(drop);
    found
}

/// Finds definitions of footnotes that lost their last reference.
fn orphaned_definitions(
    old: &LiveOutline,
    new: &LiveOutline,
    (before, after): (&BTreeSet<String>, &BTreeSet<String>),
) -> Vec<Effect> {
    let known = footnotes(old);
    let mut cursor = LineCursor::new(new.text());
    let orphans = footnotes(new).into_iter().filter(|(label, _)| !after.contains(label));
    let orphans = orphans.filter(|(label, _)| before.contains(label) || !known.contains_key(label));
    let effect = |(label, at)| Effect {
        code: EffectCode::FootnoteOrphaned,
        line: cursor.line_at(at),
        detail: format!("no reference to [^{label}] is left"),
    };
    orphans.map(effect).collect()
}

/// Returns the labels of footnotes that the text refers to, in lower case.
fn referenced(text: &str) -> BTreeSet<String> {
    let base = Lead::of(text).bytes;
    let body = bounded(&text[base..]);
    let labels = Parser::new_ext(&body, OPTIONS).filter_map(|event| match event {
        Event::FootnoteReference(label) => Some(label.to_lowercase()),
        _ => None,
    });
    labels.collect()
}

fn ragged_rows(old: &LiveOutline, new: &LiveOutline) -> Vec<Effect> {
    let ragged = |live: &LiveOutline| {
        let tables = live.blocks().iter().filter(|block| block.kind == BlockKind::Table);
        let rows = tables.flat_map(|block| {
            let table = Table::read(live.text(), block.bytes.clone(), block.quoted);
            let columns = table.columns();
            let ragged = table.body().iter().filter(move |row| row.cells.len() != columns);
            ragged.map(|row| (row.content.clone(), row.cells.len(), columns)).collect::<Vec<_>>()
        });
        rows.collect::<Vec<_>>()
    };
    let before: BTreeSet<_> =
        ragged(old).into_iter().map(|(row, _, columns)| (old.text()[row].to_owned(), columns)).collect();
    let mut cursor = LineCursor::new(new.text());
    let rows = ragged(new).into_iter();
    let rows =
        rows.filter(|(row, _, columns)| !before.contains(&(new.text()[row.clone()].to_owned(), *columns)));
    let effect = |(row, cells, columns): (Range<usize>, usize, usize)| Effect {
        code: EffectCode::TableShape,
        line: cursor.line_at(row.start),
        detail: format!("the row has {cells} cells, and the table {columns} columns"),
    };
    rows.map(effect).collect()
}
