//! The headings of the canvas, a page at a time.

use std::collections::HashMap;

use canvas_core::text::Outline;

use super::fields::{OutlineFields, SectionFields};
use crate::reply::shown_path;

/// Maximum headings in one reply.
const SECTIONS: usize = 200;

/// Maximum bytes of titles in one reply.
const TITLE_BYTES: usize = 64 << 10;

/// Lists the headings down to a level and after a line.
///
/// If the list is incomplete, `next_after_line` says where to continue. Headings on one line, which a lone CR
/// separates, are listed together, or only in part if there are too many.
pub(super) fn outline_fields(outline: &Outline, max_level: u8, after_line: usize) -> OutlineFields<'_> {
    let ordinals = ordinals(outline);
    let mut listed: Vec<SectionFields<'_>> = Vec::new();
    let mut lines = Vec::new();
    let (mut bytes, mut next) = (0, None);
    for (i, section) in outline.sections().iter().enumerate() {
        let line = section.heading.start;
        if section.level > max_level || line <= after_line {
            continue;
        }
        let whole = outline.path(i);
        let path = shown_path(&whole).to_vec();
        bytes += path.iter().map(|title| title.len()).sum::<usize>();
        if listed.len() == SECTIONS || (bytes > TITLE_BYTES && !listed.is_empty()) {
            next = Some(line);
            break;
        }
        let path_clipped = path.len() < whole.len();
        listed.push(SectionFields {
            path,
            path_clipped,
            level: section.level,
            heading_line: line,
            start_line: section.lines.start,
            end_line: section.lines.end,
            // The ordinal counts those of the same full path.
            ordinal: ordinals[i].filter(|_| !path_clipped),
        });
        lines.push(line);
    }
    if lines.first() < next.as_ref() {
        while lines.last() == next.as_ref() {
            lines.pop();
        }
        listed.truncate(lines.len());
    }
    OutlineFields {
        sections: listed,
        total_sections: outline.sections().len(),
        front_matter: outline.front_matter().map(Into::into),
        truncated: next.is_some(),
        next_after_line: next.and_then(|_| lines.last().copied()),
    }
}

/// Returns, for each section that shares its full path with others, its rank among them, counted from 1 as in an
/// address.
fn ordinals(outline: &Outline) -> Vec<Option<usize>> {
    // Paths are equal where the last titles are and the paths of the parents are.
    let mut numbers: HashMap<(Option<usize>, &str), usize> = HashMap::new();
    let mut paths: Vec<usize> = Vec::with_capacity(outline.sections().len());
    let mut counts: Vec<usize> = Vec::new();
    let mut ranks = Vec::with_capacity(outline.sections().len());
    for section in outline.sections() {
        let parent = section.parent.map(|parent| paths[parent]);
        let path = *numbers.entry((parent, &section.title)).or_insert(counts.len());
        if path == counts.len() {
            counts.push(0);
        }
        counts[path] += 1;
        paths.push(path);
        ranks.push(counts[path]);
    }
    paths.iter().zip(ranks).map(|(&path, rank)| (counts[path] > 1).then_some(rank)).collect()
}
