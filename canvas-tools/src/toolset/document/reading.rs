//! The text that a reading call shows, and its limits.

use canvas_core::Snapshot;
use canvas_core::document::{RangeHash, Shown};
use canvas_core::text::{Address, AddressError, LineRange, floor_char_boundary};
use memchr::memchr_iter;
use serde::Serialize;
use serde_json::{Value, json};

use super::fields::LinesFields;
use super::outline::outline_fields;
use super::search::Search;
use crate::reply::{ToolError, address_place, address_words, candidates};
use crate::toolset::context::READ_BYTES;

/// The part of the canvas to show.
#[derive(Debug)]
pub(super) enum Reading {
    Grep(Search),
    /// At least one range of lines, both ends inclusive.
    Lines(Vec<(usize, usize)>),
    All,
    Outline {
        max_level: u8,
        after_line: usize,
    },
    Section(Address),
}

/// The result of a reading call with the shown lines.
pub(super) struct Looked {
    /// Fields that the tool adds to the reply.
    pub(super) fields: Value,
    /// Lines that the reply shows in full.
    pub(super) shown: Vec<LineRange>,
    /// Sections listed in an outline.
    pub(super) listed: Vec<LineRange>,
}

impl Looked {
    fn shown(fields: impl Serialize, shown: Vec<LineRange>) -> Self {
        Self { fields: json!(fields), shown, listed: Vec::new() }
    }
}

impl Reading {
    /// Returns how much of the text is shown without a gap from the first line on.
    pub(super) fn shown(&self) -> Shown {
        match self {
            Self::All => Shown { lines: usize::MAX, bytes: READ_BYTES },
            Self::Lines(ranges) => match ranges.first() {
                Some((1, end)) => Shown { lines: *end, bytes: READ_BYTES },
                _ => Shown::default(),
            },
            Self::Grep(_) | Self::Outline { .. } | Self::Section(_) => Shown::default(),
        }
    }

    /// Reads a document. If `hashed` is set, lines carry the hash that replacing them requires.
    pub(super) fn look(&self, snapshot: &Snapshot, hashed: bool) -> Result<Looked, ToolError> {
        let text = snapshot.text();
        match self {
            Self::Grep(search) => search.run(text).map(|(fields, shown)| Looked::shown(fields, shown)),
            Self::Lines(ranges) => {
                let mut room = READ_BYTES;
                let mut lines = Vec::with_capacity(ranges.len());
                for (i, (start, end)) in ranges.iter().enumerate() {
                    let read = in_range(i, read(text, *start, *end, room))?;
                    room = room.saturating_sub(read.text.len());
                    lines.push(read);
                }
                let mut fields = lines.iter().zip(ranges).map(|(lines, (_, end))| {
                    let mut fields = lines.fields(hashed);
                    if lines.last != *end {
                        fields.end_line = Some(lines.last);
                        fields.total_lines = Some(count_lines(text));
                    }
                    fields
                });
                let mut first = fields.next().expect("a call names a range");
                first.more_ranges = fields
                    .zip(&ranges[1..])
                    .map(|(fields, (start, end))| LinesFields {
                        start_line: Some(*start),
                        end_line: fields.end_line.or(Some(*end)),
                        ..fields
                    })
                    .collect();
                Ok(Looked::shown(first, lines.iter().flat_map(Lines::shown).collect()))
            }
            Self::All => {
                let lines = read(text, 1, usize::MAX, READ_BYTES)?;
                let mut fields = lines.fields(hashed);
                fields.total_lines = Some(if lines.cut { count_lines(text) } else { lines.last });
                fields.end_line = lines.cut.then_some(lines.last);
                Ok(Looked::shown(fields, lines.shown()))
            }
            Self::Outline { max_level, after_line } => {
                let fields = outline_fields(snapshot.outline(), *max_level, *after_line);
                let sections = fields.sections.iter();
                let listed = sections.clone().map(|section| section.lines()).collect();
                let shown = sections.map(|section| section.heading()).collect();
                Ok(Looked { fields: json!(fields), shown, listed })
            }
            Self::Section(address) => {
                let section = snapshot.resolve(address).map_err(|e| bad_address(&e))?.lines;
                let lines = read(text, section.start, section.end, READ_BYTES)?;
                let mut fields = lines.fields(true);
                fields.start_line = Some(lines.start);
                fields.end_line = Some(lines.last);
                fields.section_end_line = (lines.last != section.end).then_some(section.end);
                Ok(Looked::shown(fields, lines.shown()))
            }
        }
    }
}

/// The result of reading a range of lines.
struct Lines {
    start: usize,
    /// The last line read; before `start` if the canvas is empty.
    last: usize,
    text: String,
    /// Whether the requested text exceeded the room.
    cut: bool,
    /// Whether the last line is shown in part.
    line_cut: bool,
}

impl Lines {
    /// Returns the text, and fields that do not follow from the call.
    fn fields(&self, hashed: bool) -> LinesFields<'_> {
        // Of a line that was shown in part nobody knows what a replacement would take away.
        let range_hash = (hashed && !self.line_cut).then(|| RangeHash::of(&self.text));
        LinesFields {
            text: &self.text,
            truncated: self.cut,
            line_truncated: self.line_cut,
            range_hash,
            ..LinesFields::default()
        }
    }

    fn shown(&self) -> Vec<LineRange> {
        if self.line_cut || self.last < self.start {
            return Vec::new();
        }
        vec![LineRange { start: self.start, end: self.last }]
    }
}

/// Reads the lines from `start` to `end`, at most `room` bytes. Takes time linear in the text up to the end of these
/// lines.
fn read(text: &str, start: usize, end: usize, room: usize) -> Result<Lines, ToolError> {
    let from = line_offset(text, start)?;
    let mut lines = Lines { start, last: start - 1, text: String::new(), cut: false, line_cut: false };
    for (number, line) in (start..=end).zip(text[from..].split_inclusive('\n')) {
        if lines.text.len() + line.len() > room {
            lines.cut = true;
            if lines.last < start {
                // A single line that is too long is shown in part.
                lines.text.push_str(&line[..floor_char_boundary(line, room)]);
                (lines.last, lines.line_cut) = (number, true);
            }
            break;
        }
        lines.text.push_str(line);
        lines.last = number;
    }
    Ok(lines)
}

/// Returns the offset of a line that exists, or 0 if the text is empty.
pub(super) fn line_offset(text: &str, line: usize) -> Result<usize, ToolError> {
    let from = line_start(text, line);
    if from == text.len() && !text.is_empty() {
        let total = count_lines(text);
        let message = format!("the text has {total} lines: pass a start_line of at most {total}");
        return Err(ToolError::new("INVALID_RANGE", message).at("/start_line"));
    }
    Ok(from)
}

/// Moves an error about `start_line` to the range that it is about, counted from 0.
pub(super) fn in_range<T>(range: usize, read: Result<T, ToolError>) -> Result<T, ToolError> {
    read.map_err(|error| match range {
        0 => error,
        more => error.at(&format!("/more_ranges/{}/0", more - 1)),
    })
}

/// Returns the number of lines of a text.
pub(super) fn count_lines(text: &str) -> usize {
    newlines(text.as_bytes()) + usize::from(!text.is_empty() && !text.ends_with('\n'))
}

/// Returns the offset of a line, counted from 1, or the end of the text if it has fewer lines. Newlines are counted by
/// the block, and one by one only in the last block, because a walk over all lines would cost more than the patch that
/// follows.
fn line_start(text: &str, line: usize) -> usize {
    let (mut above, mut from) = (line - 1, 0);
    for block in text.as_bytes().chunks(BLOCK) {
        let here = newlines(block);
        if here >= above {
            break;
        }
        (above, from) = (above - here, from + block.len());
    }
    match above.checked_sub(1).map(|above| memchr_iter(b'\n', &text.as_bytes()[from..]).nth(above)) {
        None => from,
        Some(Some(newline)) => from + newline + 1,
        Some(None) => text.len(),
    }
}

/// Bytes counted at once on the way to a line.
const BLOCK: usize = 4 << 10;

fn newlines(bytes: &[u8]) -> usize {
    memchr_iter(b'\n', bytes).count()
}

fn bad_address(error: &AddressError) -> ToolError {
    let error_of_call = ToolError::new(error.code(), address_words(error)).at(address_place(error));
    error_of_call.with_candidates(candidates(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the result with a walk over all lines.
    #[test]
    fn lines_are_found_and_counted_wherever_they_lie() {
        let long = "ü".repeat(BLOCK);
        let many = format!("a\n\n{}", "line\n".repeat(3_000));
        let texts = ["", "\n", "a", "a\n", "a\nb", "\n\n\n", &long, &format!("{long}\nb\n"), &many];
        let at_blocks =
            [BLOCK - 1, BLOCK, BLOCK + 1].map(|at| format!("{}\n{}\nend", "x".repeat(at), "y".repeat(300)));
        let blank = "\n".repeat(2 * BLOCK + 1);
        for text in texts.into_iter().chain(at_blocks.iter().map(String::as_str)).chain([&*blank]) {
            let mut starts = vec![0];
            starts.extend(text.split_inclusive('\n').scan(0, |at, line| {
                *at += line.len();
                Some(*at)
            }));
            let lines = text.split_inclusive('\n').count();
            assert_eq!(count_lines(text), lines, "{text:.20}");
            for line in (1..=lines + 2).filter(|line| *line < 50 || *line > lines.saturating_sub(50)) {
                let expected = starts.get(line - 1).copied().unwrap_or(text.len());
                assert_eq!(line_start(text, line), expected, "{text:.20} {line}");
            }
        }
    }
}
