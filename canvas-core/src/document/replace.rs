//! Whole lines by number, as a strict patch of one hunk.

use std::fmt::Write as _;
use std::ops::Range;

use canvas_patch::floor_char_boundary;
use canvas_patch::{LineRange, Reason};
use serde::{Deserialize, Serialize};

use super::range_hash::RangeHash;

/// The byte order mark, which belongs to the document and not to its first line.
const MARK: &str = "\u{feff}";

/// Which lines are to be replaced, by what, and what their author takes them for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// The first line, from 1.
    pub start: usize,
    /// The last line, inclusive. `start - 1` replaces nothing and inserts before `start`, also after the last line.
    pub end: usize,
    /// The hash of these lines. For an insertion that of the line above, at the top that of the first line, in an
    /// empty document that of nothing.
    pub expect: RangeHash,
    /// What comes there: whole lines, with or without a terminator after the last one; nothing removes the lines.
    ///
    /// They take the terminator of their neighbour, and the document keeps a byte order mark at its beginning and a
    /// missing terminator at its end.
    pub text: String,
}

/// Lines as they are now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LinesNow {
    /// The first line, from 1.
    pub start_line: usize,
    /// The last line that is shown, inclusive; `start_line - 1` in an empty document.
    pub end_line: usize,
    /// Them.
    pub text: String,
    /// Not all of what was meant is shown.
    pub truncated: bool,
    /// Their hash, where all are shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range_hash: Option<RangeHash>,
}

/// A replacement as a patch that fits in strict mode.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Hunk {
    pub(crate) patch: String,
    /// Lines of the replacement have another terminator than they came with.
    pub(crate) adapted: bool,
    /// The lines whose hash it was made with.
    pub(crate) guard: LineRange,
}

/// Why lines are not replaced. Receipts keep it as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "refusal", rename_all = "snake_case")]
pub enum LinesRefusal {
    /// The lines to replace are not those that the hash was made from.
    #[error(
        "the text at line {} is not what expect_hash was made from: look at these lines as they are now, read on where they are cut, and send the edit again with their range_hash",
        lines.start_line
    )]
    ContentChanged {
        /// Them, or for an insertion the line beside it.
        lines: LinesNow,
    },
    /// The lines to replace are not in the document.
    #[error(
        "the document has {total_lines} lines, so there is nothing to replace at {start} to {end}: read it again"
    )]
    NoSuchLines {
        /// The first line that was named.
        start: usize,
        /// The last line that was named.
        end: usize,
        /// How many lines the document has.
        total_lines: usize,
    },
    /// The lines read like what should replace them.
    #[error("{}", Reason::NoEffect.advice())]
    NoEffect,
}

/// Writes the patch, in time linear in document and replacement. A refusal shows at most `shown` bytes of the document.
pub(crate) fn hunk(text: &str, replacement: &Replacement, shown: usize) -> Result<Hunk, LinesRefusal> {
    let Replacement { start, end, expect, text: lines } = replacement;
    let Place { guard, old } = place(text, *start, *end)?;
    let (guarded, guard) = (&text[guard.bytes], guard.lines);
    if RangeHash::of(guarded) != *expect {
        return Err(LinesRefusal::ContentChanged { lines: LinesNow::of(guarded, guard, shown) });
    }
    let (old, lines) = behind_mark(text, old, lines);
    let lines = adapt(lines, neighbour_terminator(text, old.end));
    let adapted = lines.adapted;
    let new = keep_end(text, &old, lines);
    if text[old.clone()] == new {
        return Err(LinesRefusal::NoEffect);
    }
    let (old, new) = whole_lines(text, old, new);
    let before = text.as_bytes()[..old.start].iter().filter(|&&byte| byte == b'\n').count();
    Ok(Hunk { patch: write(before, &text[old], &new), adapted, guard })
}

/// The refusal of a hash that fits the lines of now and was made for others.
pub(crate) fn changed(text: &str, lines: LineRange, shown: usize) -> LinesRefusal {
    let bytes = bytes_of(text, lines);
    LinesRefusal::ContentChanged { lines: LinesNow::of(&text[bytes], lines, shown) }
}

/// The bytes of lines, from 1, with their terminators; of those after the last one none.
pub(crate) fn bytes_of(text: &str, lines: LineRange) -> Range<usize> {
    // Where the lines after the first, the second, and so on begin.
    let mut starts = text.match_indices('\n').map(|(newline, _)| newline + 1);
    let from = if lines.start == 1 { 0 } else { starts.nth(lines.start - 2).unwrap_or(text.len()) };
    let after = lines.end.checked_sub(lines.start).and_then(|more| starts.nth(more));
    from..after.unwrap_or(text.len())
}

struct Place {
    /// What must be as its author knows it; no lines in an empty document.
    guard: Lines,
    /// The bytes that go.
    old: Range<usize>,
}

struct Lines {
    lines: LineRange,
    bytes: Range<usize>,
}

fn place(text: &str, start: usize, end: usize) -> Result<Place, LinesRefusal> {
    let newlines = text.bytes().filter(|&byte| byte == b'\n').count();
    let total_lines = newlines + usize::from(!text.is_empty() && !text.ends_with('\n'));
    let inserts = end.checked_add(1) == Some(start);
    if start == 0 || end > total_lines || (end < start && !inserts) {
        return Err(LinesRefusal::NoSuchLines { start, end, total_lines });
    }
    let lines = if inserts && !text.is_empty() {
        LineRange { start: end.max(1), end: end.max(1) }
    } else {
        LineRange { start, end }
    };
    let bytes = bytes_of(text, lines);
    let old = match (inserts, end) {
        (false, _) => bytes.clone(),
        (true, 0) => 0..0,
        (true, _) => bytes.end..bytes.end,
    };
    Ok(Place { guard: Lines { lines, bytes }, old })
}

impl LinesNow {
    fn of(text: &str, lines: LineRange, most: usize) -> Self {
        let LineRange { start: start_line, end: end_line } = lines;
        if text.len() <= most {
            let range_hash = Some(RangeHash::of(text));
            return Self { start_line, end_line, text: text.to_owned(), truncated: false, range_hash };
        }
        let cut = floor_char_boundary(text, most);
        // Whole lines, or else the beginning of the first.
        let cut = text[..cut].rfind('\n').map_or(cut, |newline| newline + 1);
        let shown = &text[..cut];
        let count = shown.split_inclusive('\n').count();
        let end_line = start_line + count.saturating_sub(1);
        Self { start_line, end_line, text: shown.to_owned(), truncated: true, range_hash: None }
    }
}

/// What goes and what comes, with a byte order mark left where it is.
fn behind_mark<'l>(text: &str, old: Range<usize>, lines: &'l str) -> (Range<usize>, &'l str) {
    if old.start == 0 && text.starts_with(MARK) {
        (MARK.len()..old.end.max(MARK.len()), lines.strip_prefix(MARK).unwrap_or(lines))
    } else {
        (old, lines)
    }
}

/// Lines that fit the document.
struct Adapted {
    text: String,
    /// The terminator of the last one.
    last: &'static str,
    /// Some came with another terminator.
    adapted: bool,
}

/// Gives each line the terminator that is wanted, or its own where none is.
fn adapt(lines: &str, wanted: Option<&'static str>) -> Adapted {
    let mut out = Adapted { text: String::with_capacity(lines.len() + 2), last: "", adapted: false };
    for line in lines.split_inclusive('\n') {
        let whole = line.strip_suffix('\n');
        let rest = whole.unwrap_or(line);
        // A CR at the end of the argument is half a terminator: as content it would make one with what follows.
        let content = rest.strip_suffix('\r').unwrap_or(rest);
        let own = if content.len() < rest.len() { "\r\n" } else { "\n" };
        out.last = wanted.unwrap_or(own);
        out.adapted |= whole.is_some() && own != out.last;
        out.text.push_str(content);
        out.text.push_str(out.last);
    }
    out
}

/// The terminator of the last line that ends before `at`, which is replaced or lies above, else of the line after.
fn neighbour_terminator(text: &str, at: usize) -> Option<&'static str> {
    let newline = text[..at].rfind('\n').or_else(|| text[at..].find('\n').map(|i| at + i))?;
    Some(if text[..newline].ends_with('\r') { "\r\n" } else { "\n" })
}

/// What comes, with a missing terminator at the end of the document left missing.
fn keep_end(text: &str, old: &Range<usize>, new: Adapted) -> String {
    let Adapted { text: mut lines, last, .. } = new;
    let open = old.end == text.len() && !text.is_empty() && text != MARK && !text.ends_with('\n');
    if open && !lines.is_empty() {
        lines.truncate(lines.len() - last.len());
        if old.is_empty() {
            // The last line of the document is no longer the last one, so it needs a terminator.
            lines.insert_str(0, last);
        }
    }
    lines
}

/// The same change as one of whole lines.
fn whole_lines(text: &str, old: Range<usize>, new: String) -> (Range<usize>, String) {
    let starts_line = |at: usize| at == 0 || text.as_bytes()[at - 1] == b'\n';
    let start =
        if starts_line(old.start) { old.start } else { text[..old.start].rfind('\n').map_or(0, |i| i + 1) };
    let mut lines = text[start..old.start].to_owned() + &new;
    let mut end = old.end;
    let open = !lines.is_empty() && !lines.ends_with('\n');
    if end < text.len() && (open || !starts_line(end)) {
        end = text[end..].find('\n').map_or(text.len(), |i| end + i + 1);
        lines.push_str(&text[old.end..end]);
    }
    (start..end, lines)
}

/// A hunk after this number of lines.
fn write(before: usize, old: &str, new: &str) -> String {
    let mut out = String::with_capacity(2 * (old.len() + new.len()) + 64);
    let mut side = |mark: &str, text: &str| {
        let count = text.split_inclusive('\n').count();
        // An empty side is stated by the line before it.
        let _ = write!(out, "{mark}{},{count}", before + usize::from(count > 0));
    };
    side("@@ -", old);
    side(" +", new);
    out.push_str(" @@\n");
    for (mark, text) in [('-', old), ('+', new)] {
        for line in text.split_inclusive('\n') {
            out.push(mark);
            out.push_str(line);
            if !line.ends_with('\n') {
                out.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    out
}
