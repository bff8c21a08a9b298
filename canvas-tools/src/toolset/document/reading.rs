//! What a reading call shows of the canvas, and how much of it.

use canvas_core::text::{Address, AddressError, LineRange};
use canvas_core::{RangeHash, Shown, Snapshot};
use serde_json::{Value, json};

use super::outline::outline_fields;
use super::search::Search;
use crate::reply::{ToolError, address_place, address_words, candidates_json};
use crate::toolset::context::READ_BYTES;

/// What is to be shown.
#[derive(Debug)]
pub(super) enum Reading {
    Grep(Search),
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

    /// The fields of the reply, and the lines that it shows whole. With `hashed`, lines come with the hash that replacing
    /// them takes.
    pub(super) fn fields(
        &self,
        snapshot: &Snapshot,
        hashed: bool,
    ) -> Result<(Value, Vec<LineRange>), ToolError> {
        let text = snapshot.text();
        match self {
            Self::Grep(search) => search.run(text).map(|(fields, shown)| (fields, shown.ranges)),
            Self::Lines { start, end } => {
                let lines = read(text, *start, *end)?;
                let mut fields = lines.fields(hashed);
                if lines.last != *end {
                    fields["end_line"] = lines.last.into();
                    fields["total_lines"] = lines.total.into();
                }
                Ok((fields, lines.shown()))
            }
            Self::All => {
                let lines = read(text, 1, usize::MAX)?;
                let mut fields = lines.fields(hashed);
                fields["total_lines"] = lines.total.into();
                if lines.cut {
                    fields["end_line"] = lines.last.into();
                }
                Ok((fields, lines.shown()))
            }
            Self::Outline { max_level, after_line } => {
                let fields = outline_fields(snapshot.outline(), *max_level, *after_line);
                let listed = fields["sections"].as_array().map_or(0, Vec::len);
                let headings = snapshot.outline().sections().iter();
                let headings = headings.filter(|section| section.level <= *max_level);
                let headings = headings.map(|section| section.heading.start).filter(|line| line > after_line);
                let shown = headings.take(listed).map(|line| LineRange { start: line, end: line }).collect();
                Ok((fields, shown))
            }
            Self::Section(address) => {
                let section = snapshot.resolve(address).map_err(|e| bad_address(&e))?.lines;
                let lines = read(text, section.start, section.end)?;
                let mut fields = lines.fields(true);
                fields["start_line"] = lines.start.into();
                fields["end_line"] = lines.last.into();
                if lines.last != section.end {
                    fields["section_end_line"] = section.end.into();
                }
                Ok((fields, lines.shown()))
            }
        }
    }
}

/// Lines as they were read.
struct Lines {
    start: usize,
    /// The last that was read; before `start` where the canvas is empty.
    last: usize,
    /// Of the canvas.
    total: usize,
    text: String,
    /// Whether more was asked for than fits.
    cut: bool,
    /// Whether the last line is shown in part.
    line_cut: bool,
}

impl Lines {
    /// The text, and what cannot be known from the call.
    fn fields(&self, hashed: bool) -> Value {
        let mut fields = json!({"text": self.text});
        if self.cut {
            fields["truncated"] = true.into();
        }
        if self.line_cut {
            fields["line_truncated"] = true.into();
        } else if hashed {
            // Of a line that was shown in part nobody knows what a replacement would take away.
            fields["range_hash"] = json!(RangeHash::of(&self.text));
        }
        fields
    }

    fn shown(&self) -> Vec<LineRange> {
        if self.line_cut || self.last < self.start {
            return Vec::new();
        }
        vec![LineRange { start: self.start, end: self.last }]
    }
}

fn read(text: &str, start: usize, end: usize) -> Result<Lines, ToolError> {
    // Counted as bytes: a walk over all lines would cost more than the patch that follows.
    let newlines = text.bytes().filter(|byte| *byte == b'\n').count();
    let total = newlines + usize::from(!text.is_empty() && !text.ends_with('\n'));
    if start > total && total > 0 {
        let message = format!("the canvas has {total} lines: pass a start_line of at most {total}");
        return Err(ToolError::new("INVALID_RANGE", message).at("/start_line"));
    }
    let above = start.checked_sub(2).map(|above| text.match_indices('\n').nth(above));
    let from = above.map_or(0, |newline| newline.map_or(text.len(), |(newline, _)| newline + 1));
    let mut lines = Lines { start, last: start - 1, total, text: String::new(), cut: false, line_cut: false };
    for (number, line) in (start..=end).zip(text[from..].split_inclusive('\n')) {
        if lines.text.len() + line.len() > READ_BYTES {
            lines.cut = true;
            if lines.last < start {
                // A single line that is too long is shown in part.
                lines.text.push_str(&line[..line.floor_char_boundary(READ_BYTES)]);
                (lines.last, lines.line_cut) = (number, true);
            }
            break;
        }
        lines.text.push_str(line);
        lines.last = number;
    }
    Ok(lines)
}

fn bad_address(error: &AddressError) -> ToolError {
    let error_of_call = ToolError::new(error.code(), address_words(error)).at(address_place(error));
    error_of_call.with_candidates(candidates_json(error))
}
