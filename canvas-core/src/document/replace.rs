//! Replacement of whole lines by number, as a strict patch.

use std::fmt::Write as _;
use std::ops::Range;

use canvas_patch::floor_char_boundary;
use canvas_patch::{LineRange, Reason, TextEdit};
use serde::{Deserialize, Serialize};

use super::range_hash::RangeHash;

/// The byte order mark, which belongs to the document and not to its first line.
const MARK: &str = "\u{feff}";

/// The replacement of a range of lines, with a hash of the lines that their author expects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// First line, counted from 1.
    pub start: usize,
    /// The last line, inclusive. `start - 1` replaces no line and inserts before `start`, which may be the line after
    /// the last one.
    pub end: usize,
    /// The hash that the author expects of these lines. For an insertion, it is the hash of the line above. At the top,
    /// it is the hash of the first line, and in an empty document, the hash of an empty text.
    pub expect: RangeHash,
    /// The new lines, with or without a terminator after the last one. An empty text removes the lines.
    ///
    /// The new lines take the terminator of their neighbour. The document keeps a byte order mark at its beginning, and
    /// if its last line has no terminator, it gets none.
    pub text: String,
}

impl Replacement {
    /// Returns the replacement for the current text, if the lines that it replaces met this fate. Returns `None` if they
    /// changed, and for an insertion, because others may have inserted lines at the same place.
    pub(crate) fn after(&self, (guard, fate): &(LineRange, Fate)) -> Option<Self> {
        let shift = match fate {
            _ if self.end < self.start => return None,
            Fate::Stayed => 0,
            Fate::Moved(now) => now.start.cast_signed() - guard.start.cast_signed(),
            Fate::Changed(_) => return None,
        };
        let (start, end) = (self.start.checked_add_signed(shift)?, self.end.checked_add_signed(shift)?);
        Some(Self { start, end, ..self.clone() })
    }
}

/// Current lines of the document.
///
/// If `range_hash` is the hash given in the call, the text of the lines is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LinesNow {
    /// First line, from 1.
    pub start_line: usize,
    /// Last line shown, inclusive. In an empty document it is `start_line - 1`.
    pub end_line: usize,
    /// Text of the lines.
    pub text: String,
    /// Whether some of the lines are omitted.
    pub truncated: bool,
    /// Hash of the lines, if all are shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range_hash: Option<RangeHash>,
    /// First line named by the call, if the lines are at another place now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub named_line: Option<usize>,
}

/// Replacements as a patch that fits in strict mode.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Hunks {
    pub(crate) patch: String,
    /// The hunks, counted from 1, whose lines got another line terminator than in the call.
    pub(crate) adapted: Vec<usize>,
}

/// The fate of the lines that a replacement names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// The lines are unchanged and at the same place.
    Stayed,
    /// The lines are unchanged and now at this place.
    Moved(LineRange),
    /// The lines are no longer the same. This is the range now in their place.
    Changed(LineRange),
}

/// Error returned if lines are not replaced. Receipts store it as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "refusal", rename_all = "snake_case")]
pub enum LinesRefusal {
    /// The lines to replace don't match the hash, or are at another place.
    #[error("{}", content_changed(lines, others, *moved))]
    ContentChanged {
        /// Index of the first replacement at fault, counted from 0.
        #[serde(default, skip_serializing_if = "is_zero")]
        index: usize,
        /// Current lines of the range, or for an insertion the adjacent line.
        lines: LinesNow,
        /// The same for all other replacements at fault.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        others: Vec<LinesNow>,
        /// Whether all of these are the intended lines, at other numbers.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        moved: bool,
    },
    /// The lines to replace are not in the document.
    #[error(
        "the document has {total_lines} lines, so there is nothing to replace at {start} to {end}: read it again"
    )]
    NoSuchLines {
        /// Index of the replacement, counted from 0.
        #[serde(default, skip_serializing_if = "is_zero")]
        index: usize,
        /// First line named by the call.
        start: usize,
        /// Last line named by the call.
        end: usize,
        /// Number of lines in the document.
        total_lines: usize,
    },
    /// Two replacements are for the same lines, or insert at the same place.
    #[error("two ranges have line {line} in common: join them into one")]
    Overlap {
        /// The first line that both have.
        line: usize,
    },
    /// The lines already equal their replacement.
    #[error("{}", Reason::NoEffect.advice())]
    NoEffect,
}

fn content_changed(lines: &LinesNow, others: &[LinesNow], moved: bool) -> String {
    let also = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
    let LinesNow { start_line, end_line, .. } = lines;
    if moved {
        return format!(
            "the lines that expect_hash was made from have moved to {start_line} to {end_line}{also}, unchanged: send the \
             edit again with these numbers"
        );
    }
    format!(
        "the text at line {start_line}{also} is not what expect_hash was made from: look at these lines as they are now, \
         read on where they are cut, and send the edit again with their range_hash"
    )
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(index: &usize) -> bool {
    *index == 0
}

/// Returns the lines whose hash each replacement names: the replaced lines, or for an insertion the adjacent one.
pub(crate) fn guards<'r>(
    text: &str,
    replacements: &'r [Replacement],
) -> Result<Vec<(&'r Replacement, LineRange)>, LinesRefusal> {
    let guards = (0..).zip(replacements).map(|(at, replacement)| {
        match place(text, replacement.start, replacement.end) {
            Ok(place) => Ok((replacement, place.guard)),
            Err(LinesRefusal::NoSuchLines { start, end, total_lines, .. }) => {
                Err(LinesRefusal::NoSuchLines { index: at, start, end, total_lines })
            }
            Err(other) => Err(other),
        }
    });
    guards.collect()
}

/// Refuses replacements unless all of their lines are unchanged and in place. Shows at most `most` bytes of each.
pub(crate) fn check_fates<'r>(
    now: &str,
    fates: impl IntoIterator<Item = (&'r Replacement, Fate)>,
    most: usize,
) -> Result<(), LinesRefusal> {
    let mut moved = true;
    let mut at_fault = fates.into_iter().enumerate().filter_map(|(index, (replacement, fate))| {
        let lines = match fate {
            Fate::Stayed => return None,
            Fate::Moved(lines) => lines,
            Fate::Changed(lines) => {
                moved = false;
                lines
            }
        };
        let mut lines = LinesNow::of(&now[bytes_of(now, lines)], lines, most);
        // An insertion names the line below the one shown.
        let inserts = replacement.end < replacement.start && replacement.end > 0;
        let named = replacement.start - usize::from(inserts);
        lines.named_line = Some(named).filter(|named| *named != lines.start_line);
        Some((index, lines))
    });
    let Some((index, lines)) = at_fault.next() else { return Ok(()) };
    let others = at_fault.map(|(_, lines)| lines).collect();
    Err(LinesRefusal::ContentChanged { index, lines, others, moved })
}

/// Writes replacements, given in any order, as a patch. Takes time linear in document and replacements. Leaves out
/// replacements without effect.
pub(crate) fn hunks(text: &str, replacements: &[Replacement]) -> Result<Hunks, LinesRefusal> {
    let mut sorted: Vec<_> = replacements.iter().collect();
    sorted.sort_by_key(|replacement| (replacement.start, replacement.end));
    let mut out = Hunks { patch: String::new(), adapted: Vec::new() };
    // The end of the last hunk, the number of lines added so far, the number of hunks, and whether the last hunk lacks
    // a final terminator.
    let (mut above, mut growth, mut count, mut is_open) = (None, 0_isize, 0, false);
    for Replacement { start, end, text: lines, .. } in sorted {
        let (TextEdit { at, old, new }, adapted) = fit(text, *start, *end, lines)?;
        if old == new {
            continue;
        }
        let (old, new) = whole_lines(text, at..at + old.len(), new);
        let is_taken = |above: &Range<usize>| old.start < above.end || *above == old && old.is_empty();
        // No text can follow a line without its terminator.
        if above.as_ref().is_some_and(is_taken) || is_open {
            return Err(LinesRefusal::Overlap { line: *start });
        }
        let before = text.as_bytes()[..old.start].iter().filter(|&&byte| byte == b'\n').count();
        growth += write(&mut out.patch, (before, growth), &text[old.clone()], &new);
        count += 1;
        out.adapted.extend(adapted.then_some(count));
        is_open = !new.is_empty() && !new.ends_with('\n');
        above = Some(old);
    }
    if count == 0 { Err(LinesRefusal::NoEffect) } else { Ok(out) }
}

/// Returns the edit that replaces the lines from `start` to `end`, like a [`Replacement`] with these fields, but without
/// a hash. If the lines already read like this, the two texts of the edit are equal.
///
/// ```
/// use canvas_core::document::edit_lines;
///
/// let edit = edit_lines("a\r\nb", 3, 2, "c\n")?;
/// assert_eq!((edit.at, edit.new.as_str()), (4, "\r\nc"));
/// # Ok::<(), canvas_core::document::LinesRefusal>(())
/// ```
///
/// # Errors
///
/// [`LinesRefusal::NoSuchLines`] if the text does not have these lines.
pub fn edit_lines(text: &str, start: usize, end: usize, lines: &str) -> Result<TextEdit, LinesRefusal> {
    fit(text, start, end, lines).map(|(edit, _)| edit)
}

/// Returns the edit that replaces lines, and whether some lines got another terminator than in the call.
fn fit(text: &str, start: usize, end: usize, lines: &str) -> Result<(TextEdit, bool), LinesRefusal> {
    let Place { old, .. } = place(text, start, end)?;
    let (old, lines) = behind_mark(text, old, lines);
    let lines = adapt(lines, neighbour_terminator(text, old.end));
    let adapted = lines.adapted;
    let new = keep_end(text, &old, lines);
    Ok((TextEdit { at: old.start, old: text[old].to_owned(), new }, adapted))
}

/// Returns the byte range of lines, counted from 1, with their terminators. The range is empty for lines after the last
/// one.
pub(crate) fn bytes_of(text: &str, lines: LineRange) -> Range<usize> {
    // The starts of the second line, the third, and so on.
    let mut starts = text.match_indices('\n').map(|(newline, _)| newline + 1);
    let from = if lines.start == 1 { 0 } else { starts.nth(lines.start - 2).unwrap_or(text.len()) };
    let after = lines.end.checked_sub(lines.start).and_then(|more| starts.nth(more));
    from..after.unwrap_or(text.len())
}

struct Place {
    /// Lines that must be unchanged since their author saw them; empty in an empty document.
    guard: LineRange,
    /// Bytes to remove.
    old: Range<usize>,
}

fn place(text: &str, start: usize, end: usize) -> Result<Place, LinesRefusal> {
    let newlines = text.bytes().filter(|&byte| byte == b'\n').count();
    let total_lines = newlines + usize::from(!text.is_empty() && !text.ends_with('\n'));
    let inserts = end.checked_add(1) == Some(start);
    if start == 0 || end > total_lines || (end < start && !inserts) {
        return Err(LinesRefusal::NoSuchLines { index: 0, start, end, total_lines });
    }
    let lines = if inserts && !text.is_empty() {
        LineRange { start: end.max(1), end: end.max(1) }
    } else {
        LineRange { start, end }
    };
    let bytes = bytes_of(text, lines);
    let old = match (inserts, end) {
        (false, _) => bytes,
        (true, 0) => 0..0,
        (true, _) => bytes.end..bytes.end,
    };
    Ok(Place { guard: lines, old })
}

impl LinesNow {
    fn of(text: &str, lines: LineRange, most: usize) -> Self {
        let LineRange { start: start_line, end: end_line } = lines;
        if text.len() <= most {
            let (text, range_hash) = (text.to_owned(), Some(RangeHash::of(text)));
            return Self { start_line, end_line, text, truncated: false, range_hash, named_line: None };
        }
        let cut = floor_char_boundary(text, most);
        // Whole lines, or else the beginning of the first.
        let cut = text[..cut].rfind('\n').map_or(cut, |newline| newline + 1);
        let shown = &text[..cut];
        let count = shown.split_inclusive('\n').count();
        let end_line = start_line + count.saturating_sub(1);
        let text = shown.to_owned();
        Self { start_line, end_line, text, truncated: true, range_hash: None, named_line: None }
    }
}

/// Returns the range to remove and the lines to insert, keeping a byte order mark in place.
fn behind_mark<'l>(text: &str, old: Range<usize>, lines: &'l str) -> (Range<usize>, &'l str) {
    if old.start == 0 && text.starts_with(MARK) {
        (MARK.len()..old.end.max(MARK.len()), lines.strip_prefix(MARK).unwrap_or(lines))
    } else {
        (old, lines)
    }
}

/// Lines with terminators adapted to the document.
struct Adapted {
    text: String,
    /// The terminator of the last line.
    last: &'static str,
    /// Whether the terminators of some lines were changed.
    adapted: bool,
}

/// Gives each line the wanted terminator, or keeps its own if `wanted` is `None`.
fn adapt(lines: &str, wanted: Option<&'static str>) -> Adapted {
    let mut out = Adapted { text: String::with_capacity(lines.len() + 2), last: "", adapted: false };
    for line in lines.split_inclusive('\n') {
        let whole = line.strip_suffix('\n');
        let rest = whole.unwrap_or(line);
        // A CR at the end of the argument is half a terminator. As content it would form one with the text after it.
        let content = rest.strip_suffix('\r').unwrap_or(rest);
        let own = if content.len() < rest.len() { "\r\n" } else { "\n" };
        out.last = wanted.unwrap_or(own);
        out.adapted |= whole.is_some() && own != out.last;
        out.text.push_str(content);
        out.text.push_str(out.last);
    }
    out
}

/// Returns the terminator of the last line that ends before `at`, which is replaced or above the insertion, or else of
/// the first line that ends after `at`.
fn neighbour_terminator(text: &str, at: usize) -> Option<&'static str> {
    let newline = text[..at].rfind('\n').or_else(|| text[at..].find('\n').map(|i| at + i))?;
    Some(if text[..newline].ends_with('\r') { "\r\n" } else { "\n" })
}

/// Returns the new text. If the document lacks a terminator at its end, it stays missing.
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

/// Extends a change to whole lines.
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

/// Appends a hunk after `before` lines. `growth` is the number of lines added by the hunks above. Returns the number
/// that this hunk adds.
fn write(out: &mut String, (before, growth): (usize, isize), old: &str, new: &str) -> isize {
    let count = |text: &str| text.split_inclusive('\n').count();
    let (removed, added) = (count(old), count(new));
    // An empty side is stated by the line before it.
    let (old_start, new_start) = (before + usize::from(removed > 0), before + usize::from(added > 0));
    let new_start = new_start.saturating_add_signed(growth);
    let _ = writeln!(out, "@@ -{old_start},{removed} +{new_start},{added} @@");
    for (mark, text) in [('-', old), ('+', new)] {
        for line in text.split_inclusive('\n') {
            out.push(mark);
            out.push_str(line);
            if !line.ends_with('\n') {
                out.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    added as isize - removed as isize
}
