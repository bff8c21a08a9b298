//! Markers of list items, and the indentation of their lines.

use std::ops::Range;

use super::error::{StructureError, ValueFault};
use crate::markdown::outline::Block;
use crate::text::lines;

/// Columns from one tab stop to the next.
const TAB: usize = 4;

/// The marker of an item, with the task box behind it.
pub(super) struct Marker<'t> {
    /// Indentation and markers of containers, up to the marker.
    pub(super) prefix: &'t str,
    /// Digits, if the list is ordered, and where they are.
    pub(super) number: Option<u64>,
    pub(super) digits: Range<usize>,
    /// The bullet, or the character behind the digits.
    pub(super) sign: &'t str,
    /// The blanks between the marker and the text.
    pub(super) space: &'t str,
    /// The character in the box of a task, and where it is.
    pub(super) task: Option<(char, usize)>,
}

impl<'t> Marker<'t> {
    pub(super) fn of(text: &'t str, block: &Block) -> Option<Self> {
        let at = block.bytes.start;
        let prefix = &text[lines::line_start(text, at).max(lines::mark(text))..at];
        let digits = at..at + text[at..].bytes().take_while(u8::is_ascii_digit).count();
        let sign = text.get(digits.end..=digits.end)?;
        let after = digits.end + 1;
        let line = lines::content(&text[after..lines::line_end(text, after)]);
        let body = line.trim_start_matches([' ', '\t']);
        let space = &line[..line.len() - body.len()];
        let task = box_of(body).filter(|_| space.len() < 5).map(|mark| (mark, after + space.len() + 1));
        let number = text[digits.clone()].parse().ok();
        Some(Self { prefix, number, digits, sign, space, task })
    }

    /// Returns the columns from the start of the marker to the text behind it.
    pub(super) fn width(&self) -> usize {
        let start = columns(self.prefix, 0);
        let marker = start + self.digits.len() + self.sign.len();
        // Text behind five blanks is code, whose item begins after the first one.
        let end = if self.space.is_empty() || self.space.len() > 4 {
            marker + 1
        } else {
            columns(self.space, marker)
        };
        end - start
    }

    pub(super) fn quotes(&self) -> usize {
        self.prefix.matches('>').count()
    }

    /// Returns the columns of indentation behind the quote markers, up to the text of the item.
    pub(super) fn content(&self) -> usize {
        let indent = after_quotes(self.prefix, self.quotes()).map_or(0, |at| self.prefix[at..].len());
        indent + self.width()
    }

    /// Whether a line that has only quote markers ends a quote in the item.
    pub(super) fn ends_quote(&self, line: &str) -> bool {
        let Some(rest) = after_quotes(line, self.quotes()).map(|start| &line[start..]) else { return false };
        let indent = &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()];
        rest.contains('>') && columns(indent, 0) >= self.content()
    }

    /// Whether the marker is behind that of another item.
    pub(super) fn shares_line(&self) -> bool {
        !self.prefix.trim_start_matches([' ', '\t', '>']).is_empty()
    }
}

/// Returns the character in the box at the start of a task.
pub(super) fn box_of(text: &str) -> Option<char> {
    match *text.as_bytes() {
        [b'[', mark @ (b' ' | b'x' | b'X'), b']', ref rest @ ..]
            if matches!(rest.first(), None | Some(b' ' | b'\t' | b'\r' | b'\n')) =>
        {
            Some(char::from(mark))
        }
        _ => None,
    }
}

/// Returns the column after a text that begins at a column.
fn columns(text: &str, start: usize) -> usize {
    text.chars().fold(start, |column, char| if char == '\t' { column / TAB * TAB + TAB } else { column + 1 })
}

/// Returns the byte of a line after its first quote markers. `None` if it has fewer, as a lazy line may.
fn after_quotes(line: &str, quotes: usize) -> Option<usize> {
    let mut rest = line;
    for _ in 0..quotes {
        let marked = rest.trim_start_matches([' ', '\t']).strip_prefix('>')?;
        rest = marked.strip_prefix(' ').unwrap_or(marked);
    }
    Some(line.len() - rest.len())
}

/// Returns where the indentation of a further line of an item begins, and its width. `None` if the line is blank or does
/// not reach the text of the item.
pub(super) fn indentation(
    line: &str,
    quotes: usize,
    content: usize,
) -> Result<Option<(usize, usize)>, StructureError> {
    let Some(start) = after_quotes(line, quotes) else { return Ok(None) };
    let rest = lines::content(&line[start..]);
    let blanks = &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()];
    if blanks.len() == rest.len() {
        return Ok(None);
    }
    if blanks.contains('\t') {
        return Err(StructureError::Value(ValueFault::Tab));
    }
    Ok((blanks.len() >= content).then_some((start, blanks.len())))
}
