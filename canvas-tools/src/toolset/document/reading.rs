//! What a reading call shows of the canvas, and how much of it.

use canvas_core::text::{Address, AddressError, GrepError, GrepLimits, Query, grep};
use canvas_core::{RangeHash, Shown, Snapshot};
use serde_json::{Value, json};

use super::outline::outline_fields;
use crate::reply::{ToolError, address_place, address_words, candidates_json};
use crate::toolset::context::READ_BYTES;

/// What is to be shown.
#[derive(Debug)]
pub(super) enum Reading {
    Grep(Query),
    Lines { start: usize, end: usize },
    All,
    Outline { max_level: u8, after_line: usize },
    Section(Address),
}

impl Reading {
    /// What it shows from the first line on.
    pub(super) fn shown(&self) -> Shown {
        match self {
            Self::All => Shown { lines: usize::MAX, bytes: READ_BYTES },
            Self::Lines { start: 1, end } => Shown { lines: *end, bytes: READ_BYTES },
            _ => Shown::default(),
        }
    }

    /// The fields of the reply. With `hashed`, lines come with the hash that replacing them takes.
    pub(super) fn fields(&self, snapshot: &Snapshot, hashed: bool) -> Result<Value, ToolError> {
        let text = snapshot.text();
        match self {
            Self::Grep(query) => grep_fields(text, query),
            Self::Lines { start, end } => read_fields(text, *start, *end, hashed),
            Self::All => read_fields(text, 1, usize::MAX, hashed),
            Self::Outline { max_level, after_line } => {
                Ok(outline_fields(snapshot.outline(), *max_level, *after_line))
            }
            Self::Section(address) => section_fields(snapshot, address),
        }
    }
}

fn grep_fields(text: &str, query: &Query) -> Result<Value, ToolError> {
    let found = grep(text, query, GrepLimits::default()).map_err(|e| bad_query(&e))?;
    let matches: Vec<Value> =
        found.matches.iter().map(|m| json!({"line": m.line, "text": m.text, "clipped": m.clipped})).collect();
    Ok(json!({"matches": matches, "truncated": found.truncated}))
}

fn section_fields(snapshot: &Snapshot, address: &Address) -> Result<Value, ToolError> {
    let lines = snapshot.resolve(address).map_err(|e| bad_address(&e))?.lines;
    let mut fields = read_fields(snapshot.text(), lines.start, lines.end, true)?;
    fields["section_end_line"] = lines.end.into();
    Ok(fields)
}

fn read_fields(text: &str, start: usize, end: usize, hashed: bool) -> Result<Value, ToolError> {
    // Counted as bytes: a walk over all lines would cost more than the patch that follows.
    let newlines = text.bytes().filter(|byte| *byte == b'\n').count();
    let total = newlines + usize::from(!text.is_empty() && !text.ends_with('\n'));
    if start > total && total > 0 {
        let message = format!("the canvas has {total} lines: pass a start_line of at most {total}");
        return Err(ToolError::new("INVALID_RANGE", message).at("/start_line"));
    }
    let above = start.checked_sub(2).map(|above| text.match_indices('\n').nth(above));
    let from = above.map_or(0, |newline| newline.map_or(text.len(), |(newline, _)| newline + 1));
    let mut shown = String::new();
    let (mut last, mut cut, mut line_cut) = (start - 1, false, false);
    for (number, line) in (start..=end).zip(text[from..].split_inclusive('\n')) {
        if shown.len() + line.len() > READ_BYTES {
            cut = true;
            if last < start {
                // A single line that is too long is shown in part.
                shown.push_str(&line[..line.floor_char_boundary(READ_BYTES)]);
                (last, line_cut) = (number, true);
            }
            break;
        }
        shown.push_str(line);
        last = number;
    }
    let mut fields = json!({
        "start_line": start,
        "end_line": last,
        "total_lines": total,
        "text": shown,
        "truncated": cut,
    });
    if line_cut {
        fields["line_truncated"] = true.into();
    } else if hashed {
        // Of a line that was shown in part nobody knows what a replacement would take away.
        fields["range_hash"] = json!(RangeHash::of(&shown));
    }
    Ok(fields)
}

fn bad_address(error: &AddressError) -> ToolError {
    let error_of_call = ToolError::new(error.code(), address_words(error)).at(address_place(error));
    error_of_call.with_candidates(candidates_json(error))
}

pub(super) fn bad_query(error: &GrepError) -> ToolError {
    ToolError::argument("/query", error.to_string()).with_reason(error.code())
}
