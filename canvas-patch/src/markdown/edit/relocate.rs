//! Lines that move or go, together with the blank lines next to them.

use std::ops::Range;

use memchr::memchr_iter;

use super::check::Places;
use super::writing::{insert, newline, replace};
use crate::diff::edit::TextEdit;
use crate::text::lines;

/// Lines that an edit moves or removes.
#[derive(Debug, Clone)]
pub(super) struct Extent {
    pub(super) start: usize,
    /// The end of the last line, without its terminator.
    pub(super) end: usize,
    pub(super) gaps: Gaps,
}

/// The blank lines that belong to lines that move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gaps {
    /// Blank lines are lines like all others.
    None,
    /// Those between the lines and the next content, on the given side or, by default, on the side from which they come.
    Blank(Option<Side>),
    /// The same by default, and there must be one next to other text.
    Needed,
}

/// The side of the lines whose gap goes along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Above,
    Below,
}

/// Edits that move lines, and the places of all bytes after them.
pub(super) struct Relocated {
    pub(super) edits: Vec<TextEdit>,
    pub(super) places: Places,
    /// The start of the moved lines in the new text.
    pub(super) at: usize,
}

/// A place between lines to which lines move.
#[derive(Debug, Clone, Copy)]
pub(super) enum Spot {
    /// Before the content that begins at or after this line start.
    Before(usize),
    /// After the content whose last line ends here, without its terminator.
    After(usize),
}

/// Returns the edits that move lines, or `None` if they are there already. The lines are written as `core`, and the places
/// are right only if that is their text.
///
/// Lines that move up take the blank lines above them along, and lines that move down those below them, so that the opposite
/// move restores every byte.
pub(super) fn relocated(text: &str, source: &Extent, core: &str, spot: Spot) -> Option<Relocated> {
    let Extent { start, end, gaps } = *source;
    let goes_up = match spot {
        Spot::Before(at) | Spot::After(at) => at <= start,
    };
    let own = markers_at(text, start);
    let (above, below) = (content_above(text, start, gaps, own), content_below(text, end, gaps, own));
    let side = match gaps {
        Gaps::Blank(Some(side)) => side,
        _ if goes_up => Side::Above,
        _ => Side::Below,
    };
    // The bytes without the lines, and the gap that goes along.
    let (gone, gap) = match side {
        Side::Above => (above?..end, above?..start),
        Side::Below => (start..below?, end..below?),
    };
    let at = match (spot, goes_up) {
        (Spot::Before(at), true) | (Spot::After(at), false) => at,
        (Spot::After(at), true) => content_below(text, at, gaps, own)?,
        (Spot::Before(at), false) => content_above(text, at, gaps, own)?,
    };
    // A destination in the gap beside the lines leaves them at their place.
    let is_beside = if goes_up { at > gone.start || at >= start } else { at < gone.end || at <= end };
    if is_beside {
        return None;
    }
    // A blank line at the start of a line and at the end of one, with the markers of a quote around it.
    let extra = |upper: &str, lower: &str, gap: &str, at_start: bool| match gaps {
        Gaps::Needed if needs_gap(upper, lower, gap) => {
            let quote = quote_of(upper).trim_end();
            if at_start { format!("{quote}{}", newline(text)) } else { format!("{}{quote}", newline(text)) }
        }
        _ => String::new(),
    };
    let apart = |upper: Option<usize>, lower: Option<usize>, gap: &str| match (upper, lower) {
        (Some(upper), Some(lower)) => {
            extra(last_line(&text[..upper]), first_line(&text[lower..]), gap, side == Side::Below)
        }
        _ => String::new(),
    };
    // Line breaks at the place that the lines leave, above them at the new place, and below them.
    let rest = if side == Side::Above { end..below.unwrap_or(end) } else { above.unwrap_or(start)..start };
    let left = apart(above, below, &text[rest]);
    let moved_gap = &text[gap.clone()];
    let (first, last) = (first_line(core), last_line(core));
    let gone_len = gone.len();
    if goes_up {
        let over = content_above(text, at, gaps, own);
        let top = over
            .map_or_else(String::new, |over| extra(last_line(&text[..over]), first, &text[over..at], true));
        let bottom = extra(last, first_line(&text[at..]), moved_gap, true);
        let new = format!("{top}{core}{moved_gap}{bottom}");
        let places = Places::of_pieces([
            (0, 0..at),
            (top.len(), start..end),
            (0, gap),
            (bottom.len(), at..gone.start),
            (left.len(), gone.end..text.len() + 1),
        ]);
        let edits = vec![insert(at, new), replace(text, gone, left.as_str())];
        return Some(Relocated { edits, places, at: at + top.len() });
    }
    let under = content_below(text, at, gaps, own);
    let top = extra(last_line(&text[..at]), first, moved_gap, true);
    let bottom = under
        .map_or_else(String::new, |under| extra(last, first_line(&text[under..]), &text[at..under], false));
    let new = format!("{moved_gap}{top}{core}{bottom}");
    let moved_at = at - gone_len + left.len() + moved_gap.len() + top.len();
    let places = Places::of_pieces([
        (0, 0..gone.start),
        (left.len(), gone.end..at),
        (0, gap),
        (top.len(), start..end),
        (bottom.len(), at..text.len() + 1),
    ]);
    let edits = vec![replace(text, gone, left), insert(at, new)];
    Some(Relocated { edits, places, at: moved_at })
}

/// Returns the edit that deletes lines.
pub(super) fn removed(text: &str, gone: &Extent) -> TextEdit {
    let range = removal(text, gone);
    let is_joined = gone.gaps == Gaps::Needed && joins(text, range.start, range.end);
    let quote =
        quote_of(last_line(&text[..content_above(text, range.start, Gaps::Needed, usize::MAX).unwrap_or(0)]));
    let blank = format!("{}{}", quote.trim_end(), newline(text));
    replace(text, range, if is_joined { blank } else { String::new() })
}

/// Returns the bytes that go with deleted lines. The end of the text does not change.
fn removal(text: &str, gone: &Extent) -> Range<usize> {
    let Extent { start, end, gaps } = *gone;
    let own = markers_at(text, start);
    match (content_below(text, end, gaps, own), content_above(text, start, gaps, own)) {
        (_, Some(above)) if gaps == Gaps::Blank(Some(Side::Above)) => above..end,
        (Some(below), _) => start..below,
        (None, Some(above)) => above..end,
        (None, None) => start..text.len(),
    }
}

/// Whether the text before a byte and after another one would run together.
fn joins(text: &str, above: usize, below: usize) -> bool {
    let Some(end) = content_above(text, above, Gaps::Needed, usize::MAX) else { return false };
    let next = first_line(&text[below..]);
    !next.trim().is_empty() && needs_gap(last_line(&text[..end]), next, &text[end..above])
}

/// Whether two lines need a blank line between them, because they would run together otherwise.
fn needs_gap(upper: &str, lower: &str, gap: &str) -> bool {
    let is_heading = |line: &str| {
        let rest = line.trim_start_matches(' ').trim_start_matches('#');
        line.trim_start_matches(' ').starts_with('#')
            && (rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']))
    };
    // An item interrupts a paragraph, unless it is empty and reads as an underline.
    let is_item = |line: &str| {
        let text = line.trim_start_matches([' ', '>']).strip_prefix(['-', '*', '+']);
        text.is_some_and(|text| text.starts_with([' ', '\t']) && !text.trim().is_empty())
    };
    gap.bytes().filter(|&byte| byte == b'\n').count() < 2
        && !is_item(lower)
        && !is_blank(upper)
        && !is_blank(lower)
        && (!is_heading(lower) || upper.trim_start().starts_with('<'))
        && !is_heading(upper)
}

/// Returns the markers of quotes at the start of a line.
fn quote_of(line: &str) -> &str {
    let content = line.trim_start_matches([' ', '>']);
    line[..line.len() - content.len()].rfind('>').map_or("", |last| &line[..=last])
}

fn first_line(text: &str) -> &str {
    &text[..lines::line_end(text, 0)]
}

fn last_line(text: &str) -> &str {
    &text[lines::line_start(text, text.len())..]
}

/// Returns the number of quote markers before the content of the line that starts at `at`.
fn markers_at(text: &str, at: usize) -> usize {
    markers(quote_of(first_line(&text[at..])))
}

/// Returns the end of the content of the line before the one that starts at `at`. Skips blank lines if gaps count. A line
/// with more than `own` quote markers is not blank, because it ends a quote.
fn content_above(text: &str, at: usize, gaps: Gaps, own: usize) -> Option<usize> {
    let mark = lines::mark(text);
    let mut start = at;
    while start > mark {
        let end = start;
        start = lines::line_start_before(text, end).max(mark);
        if gaps == Gaps::None || !is_blank(&text[start..end]) || markers(&text[start..end]) > own {
            return Some(content_end(text, start, end));
        }
    }
    None
}

/// Returns the start of the line after the one in which `at` is. Skips blank lines like [`content_above`].
fn content_below(text: &str, at: usize, gaps: Gaps, own: usize) -> Option<usize> {
    let mut start = lines::line_end(text, at);
    while start < text.len() {
        let end = lines::line_end(text, start);
        if gaps == Gaps::None || !is_blank(&text[start..end]) || markers(&text[start..end]) > own {
            return Some(start);
        }
        start = end;
    }
    None
}

/// Whether a line is blank, apart from quote markers.
pub(super) fn is_blank(line: &str) -> bool {
    line.trim_matches([' ', '\t', '\r', '\n', '>']).is_empty()
}

/// Returns the number of quote markers of a line that has nothing else.
fn markers(line: &str) -> usize {
    memchr_iter(b'>', line.as_bytes()).count()
}

/// Returns the end of the last line of a range without its terminator.
pub(super) fn content_end(text: &str, start: usize, end: usize) -> usize {
    if end <= start {
        return start;
    }
    let line = lines::line_start_before(text, end).max(start);
    line + lines::content(&text[line..end]).len()
}
