//! Levels and titles of headings.

use std::collections::HashMap;
use std::ops::Range;

use memchr::memrchr;
use pulldown_cmark::{Event, Parser, Tag};

use super::check::{Kept, LineStarts, Places, check, line_at};
use super::error::{StructureError, ValueFault};
use super::model::{Edited, SectionPath};
use super::writing::{insert, replace};
use crate::diff::edit::TextEdit;
use crate::markdown::address::AddressError;
use crate::markdown::anchor::{AnchorLink, anchor_links, anchors, decoded, encoded, explicit_id};
use crate::markdown::outline::{Lead, LineRange, LiveOutline, OPTIONS, bounded, title_of};
use crate::text::lines;

/// A heading as written.
struct Written {
    /// The marks before the title, or `None` if the heading is underlined.
    marks: Option<Range<usize>>,
    /// The title, with its markup.
    title: Range<usize>,
    /// The marks after the title, or the underline.
    closing: Range<usize>,
}

/// Adds to the levels of a section's headings.
pub(super) fn shift(live: &LiveOutline, section: &SectionPath, by: i8) -> Result<Edited, StructureError> {
    let index = index_of(live, section)?;
    let sections = live.outline().sections();
    let own = &sections[index];
    // Those inside have parents from this one on.
    let inside = (index + 1..sections.len())
        .take_while(|&at| sections[at].parent.is_some_and(|parent| parent >= index))
        .filter(|&at| sections[at].container == own.container);
    let indices: Vec<_> = std::iter::once(index).chain(inside).collect();
    shifted(live, &indices, i16::from(by))
}

/// Gives a heading another title.
pub(super) fn rename(
    live: &LiveOutline,
    section: &SectionPath,
    title: &str,
    links: bool,
) -> Result<Edited, StructureError> {
    let text = live.text();
    let index = index_of(live, section)?;
    let title = title.trim_matches([' ', '\t']);
    if title.is_empty() || title.contains(['\n', '\r']) {
        return Err(StructureError::Value(ValueFault::Title));
    }
    let bytes = headings(live, &[index]).remove(0);
    let Written { title: mut range, .. } = written(live, index, bytes);
    let kept_id = explicit_id(&text[range.clone()]).filter(|_| explicit_id(title).is_none());
    let keeps_id = kept_id.is_some();
    if let Some(id) = kept_id {
        let rest = &text[range.start..range.end - id.whole];
        range.end = range.start + rest.trim_end_matches([' ', '\t']).len();
    }
    let old = &text[range.clone()];
    if old == title {
        return Err(StructureError::NoEffect);
    }
    let needs_space = range.is_empty() && text[..range.start].ends_with('#');
    let edit = match needs_space {
        true => insert(range.start, format!(" {title}")),
        false => replace(text, range, title),
    };
    let renamed = Edited::of(text, vec![edit.clone()]);
    let line = lines::line_start(text, edit.at).max(lines::mark(text));
    let kept =
        Kept { renamed: Some(index), ..Kept::all(Places::of_delta(text, &renamed.delta).holding(line)) };
    let new = check(live, &renamed, &kept).map_err(|error| match error {
        StructureError::Spilled(_) => StructureError::Value(ValueFault::Title),
        error => error,
    })?;
    let (before, after) = (live.outline().sections(), new.outline().sections());
    let is_same_place = after.len() == before.len() && after[index].level == before[index].level;
    let read = title_of(title);
    let is_read = after.get(index).is_some_and(|section| {
        let rest = section.title.strip_prefix(&read);
        // References may be defined elsewhere in the text, and an explicit id may be kept.
        rest.is_some_and(|rest| rest.is_empty() || keeps_id) || title.contains('[')
    });
    if !is_same_place || !is_read {
        return Err(StructureError::Value(ValueFault::Title));
    }
    if !links {
        return renamed.with_effect(text);
    }
    let mut edits = link_edits(live, &new);
    edits.retain(|link| link.range().end <= edit.at || edit.range().end <= link.at);
    edits.push(edit);
    edits.sort_by_key(|edit| edit.at);
    Edited::of(text, edits).with_effect(text)
}

/// Returns the edits by which the links of a text follow anchors that differ between two outlines with the same headings.
fn link_edits(old: &LiveOutline, new: &LiveOutline) -> Vec<TextEdit> {
    let (before, after) = (anchors(old.outline()), anchors(new.outline()));
    let changed: HashMap<_, _> =
        before.iter().zip(&after).filter(|(before, after)| before != after).collect();
    if changed.is_empty() {
        return Vec::new();
    }
    let text = old.text();
    let links = anchor_links(text).into_iter();
    let edits = links.filter_map(|AnchorLink { bytes }| {
        let written = &text[bytes.clone()];
        let new = changed.get(&decoded(written).into_owned())?;
        let new = if written.contains('%') { encoded(new) } else { (*new).clone() };
        Some(replace(text, bytes, new))
    });
    edits.collect()
}

/// Returns the headings in a range of bytes that are in the same container as the first of them, because a heading in a quote
/// keeps its level.
pub(super) fn levels_within(live: &LiveOutline, bytes: Range<usize>) -> Vec<usize> {
    let (first, last) = (line_at(live.text(), bytes.start), line_at(live.text(), bytes.end));
    let sections = live.outline().sections();
    let from = sections.partition_point(|section| section.heading.start < first);
    let Some(container) = sections.get(from).map(|section| section.container) else { return Vec::new() };
    let within = (from..sections.len()).take_while(|&at| sections[at].heading.end <= last);
    within.filter(|&at| sections[at].container == container).collect()
}

/// Adds to the levels of headings.
pub(super) fn shifted(live: &LiveOutline, indices: &[usize], by: i16) -> Result<Edited, StructureError> {
    let edited = Edited::of(live.text(), shift_edits(live, indices, by)?).with_effect(live.text())?;
    check_levels(live, &edited.text, indices, by)?;
    Ok(edited)
}

/// Returns a range of the text with the levels of headings in it changed.
pub(super) fn shifted_text(
    live: &LiveOutline,
    indices: &[usize],
    by: i16,
    range: Range<usize>,
) -> Result<String, StructureError> {
    let mut out = String::with_capacity(range.len() + indices.len());
    let mut at = range.start;
    for edit in shift_edits(live, indices, by)? {
        out.push_str(&live.text()[at..edit.at]);
        out.push_str(&edit.new);
        at = edit.range().end;
    }
    out.push_str(&live.text()[at..range.end]);
    Ok(out)
}

fn shift_edits(live: &LiveOutline, indices: &[usize], by: i16) -> Result<Vec<TextEdit>, StructureError> {
    let text = live.text();
    let mut edits = Vec::new();
    for (&index, bytes) in indices.iter().zip(headings(live, indices)) {
        let section = &live.outline().sections()[index];
        let level = i16::from(section.level) + by;
        let line = section.heading.start;
        let Some(new) = usize::try_from(level).ok().filter(|level| (1..=6).contains(level)) else {
            return Err(StructureError::LevelOutOfRange { line, level });
        };
        if by == 0 {
            continue;
        }
        let Written { marks, title, closing } = written(live, index, bytes);
        match marks {
            Some(marks) => {
                let balanced = closing.len() == marks.len();
                edits.push(replace(text, marks, "#".repeat(new)));
                if balanced {
                    edits.push(replace(text, closing, "#".repeat(new)));
                }
            }
            None if new <= 2 => {
                let mark = if new == 1 { "=" } else { "-" };
                let length = closing.len();
                edits.push(replace(text, closing, mark.repeat(length)));
            }
            // Only a title of one line can stand behind marks.
            None if text[title.clone()].contains(['\n', '\r']) => {
                return Err(StructureError::LevelOutOfRange { line, level });
            }
            None => {
                edits.push(insert(title.start, format!("{} ", "#".repeat(new))));
                edits.push(replace(text, title.end..closing.end, ""));
            }
        }
    }
    Ok(edits)
}

/// Checks that the new text has the same headings and blocks, with the levels of some headings changed.
pub(super) fn check_levels(
    before: &LiveOutline,
    after: &str,
    indices: &[usize],
    by: i16,
) -> Result<(), StructureError> {
    let mut new = before.clone();
    new.edit(after.to_owned(), &[]);
    let (old, now) = (before.outline().sections(), new.outline().sections());
    let mut shifted = indices.iter().peekable();
    for (at, section) in old.iter().enumerate() {
        let by = if shifted.next_if(|&&index| index == at).is_some() { by } else { 0 };
        let level = i16::from(section.level) + by;
        let is_same =
            now.get(at).is_some_and(|now| i16::from(now.level) == level && now.title == section.title);
        if !is_same {
            return Err(super::check::spilled(section.heading.start, false));
        }
    }
    let kinds = |live: &LiveOutline| live.blocks().iter().map(|block| block.kind).collect::<Vec<_>>();
    match now.get(old.len()) {
        Some(more) => Err(super::check::spilled(more.heading.start, true)),
        None if kinds(before) != kinds(&new) => {
            Err(super::check::spilled(old[indices[0]].heading.start, false))
        }
        None => Ok(()),
    }
}

pub(super) fn index_of(live: &LiveOutline, section: &SectionPath) -> Result<usize, StructureError> {
    let index = live.context().section(&section.path, section.ordinal)?;
    index.ok_or_else(|| AddressError::NoSuchSection { path: Vec::new(), nearest: Vec::new() }.into())
}

/// Finds the parts of a heading.
fn written(live: &LiveOutline, index: usize, bytes: Range<usize>) -> Written {
    let text = live.text();
    let source = &text[bytes.clone()];
    let level = usize::from(live.outline().sections()[index].level);
    let LineRange { start: first, end: last } = live.outline().sections()[index].heading;
    let is_marked = source.starts_with('#') && first == last;
    let blank: &[char] = &[' ', '\t'];
    if is_marked {
        let inner = source[level..].trim_start_matches(blank);
        let start = bytes.start + (source.len() - inner.len());
        let content = inner.trim_end_matches(blank);
        let open = content.trim_end_matches('#');
        let is_closed = open.len() < content.len() && (open.is_empty() || open.ends_with(blank));
        let title = if is_closed { open.trim_end_matches(blank) } else { content };
        let closing = start + open.len()..start + if is_closed { content.len() } else { open.len() };
        return Written {
            marks: Some(bytes.start..bytes.start + level),
            title: start..start + title.len(),
            closing,
        };
    }
    let underline =
        memrchr(b'\n', source.as_bytes()).or_else(|| memrchr(b'\r', source.as_bytes())).unwrap_or(0);
    let title = lines::content(&source[..=underline.min(source.len() - 1)])
        .trim_end_matches(['\r', '\n'])
        .trim_end_matches(blank);
    let line = &source[underline..];
    let start = bytes.start + underline + line.find(['=', '-']).unwrap_or(0);
    let closing = start..start + text[start..bytes.end].trim_end().len();
    Written { marks: None, title: bytes.start..bytes.start + title.len(), closing }
}

/// Returns the bytes of headings, given by their indices in order, without line terminators, from the first character that is
/// not a marker of a container.
fn headings(live: &LiveOutline, indices: &[usize]) -> Vec<Range<usize>> {
    let text = live.text();
    let sections = live.outline().sections();
    let mut cursor = LineStarts::new(text);
    // All headings that the parser finds, which only headings in containers need.
    let mut parsed: Option<Vec<Range<usize>>> = None;
    let bytes = indices.iter().map(|&index| {
        let section = &sections[index];
        let start = cursor.of(section.heading.start);
        let count = section.heading.end + 1 - section.heading.start;
        let end = lines::skip(text, lines::line_start(text, start), count).unwrap_or(text.len());
        let end = start + lines::content(&text[start..end]).len();
        let source = &text[start..end];
        if section.container.is_none() && !source.replace("\r\n", "").contains('\r') {
            let indent = source.len() - source.trim_start_matches([' ', '\t']).len();
            return start + indent..end;
        }
        let parsed = parsed.get_or_insert_with(|| parsed_headings(text));
        // The headings that begin on the same lines, in order.
        let above = sections[..index].iter().rev();
        let rank = above.take_while(|other| other.heading.start == section.heading.start).count();
        let from = parsed.partition_point(|range| range.start < start);
        let found = parsed.get(from + rank).filter(|range| range.start < end);
        found.map_or(start..end, |range| {
            let heading = &text[range.start..range.end.min(end)];
            range.start..range.start + heading.trim_end_matches(['\r', '\n']).len()
        })
    });
    bytes.collect()
}

fn parsed_headings(text: &str) -> Vec<Range<usize>> {
    let base = Lead::of(text).bytes;
    let body = bounded(&text[base..]);
    let parser = Parser::new_ext(&body, OPTIONS).into_offset_iter();
    let headings = parser.filter(|(event, _)| matches!(event, Event::Start(Tag::Heading { .. })));
    headings.map(|(_, range)| base + range.start..base + range.end).collect()
}
