//! The headings of the canvas, a page at a time.

use std::collections::HashMap;

use canvas_core::text::{LineRange, Outline};
use serde_json::{Value, json};

use crate::reply::path_json;

/// Maximum headings in one reply.
const SECTIONS: usize = 200;

/// Maximum bytes of titles in one reply.
const TITLE_BYTES: usize = 64 << 10;

/// The headings down to a level and after a line.
///
/// Where not all are listed, `next_after_line` says where to go on. Headings that share a line, because a lone CR parts
/// them, come together, or in part where they are too many.
pub(super) fn outline_fields(outline: &Outline, max_level: u8, after_line: usize) -> Value {
    let ordinals = ordinals(outline);
    let mut listed: Vec<Value> = Vec::new();
    let mut lines = Vec::new();
    let (mut bytes, mut next) = (0, None);
    for (i, section) in outline.sections().iter().enumerate() {
        let line = section.heading.start;
        if section.level > max_level || line <= after_line {
            continue;
        }
        let mut entry = path_json(&outline.path(i));
        bytes += entry["path"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::len)
            .sum::<usize>();
        if listed.len() == SECTIONS || (bytes > TITLE_BYTES && !listed.is_empty()) {
            next = Some(line);
            break;
        }
        entry["level"] = section.level.into();
        entry["heading_line"] = line.into();
        entry["start_line"] = section.lines.start.into();
        entry["end_line"] = section.lines.end.into();
        // The ordinal counts those of the same full path.
        if let (Some(ordinal), None) = (ordinals[i], entry.get("path_clipped")) {
            entry["ordinal"] = ordinal.into();
        }
        listed.push(entry);
        lines.push(line);
    }
    if lines.first() < next.as_ref() {
        while lines.last() == next.as_ref() {
            lines.pop();
        }
        listed.truncate(lines.len());
    }
    let range = |lines: LineRange| json!({"start_line": lines.start, "end_line": lines.end});
    let mut fields = json!({
        "sections": listed,
        "total_sections": outline.sections().len(),
        "front_matter": outline.front_matter().map(range),
        "truncated": next.is_some(),
    });
    if next.is_some() {
        fields["next_after_line"] = lines.last().copied().into();
    }
    fields
}

/// For each section whose full path others have too, its rank among them from 1, as an address counts.
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
