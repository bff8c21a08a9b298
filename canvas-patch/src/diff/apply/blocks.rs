//! Applies hunks at places that the caller decides, for edit formats other than unified diffs.

use crate::diff::apply::anchored::{Start, in_order, splice_from};
use crate::diff::apply::error::ApplyError;
use crate::diff::apply::{Applied, is_same};
use crate::diff::conflict::{Conflict, ExceededLimit, ParseError, Reason};
use crate::diff::locate;
use crate::diff::patch::{Hunk, Line, LineKind, Patch};
use crate::text::limits::Limits;
use crate::text::lines::{self, Lines, at_line_end, content};

/// A line of a [`Block`], without its terminator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BlockLine<'a> {
    /// A line that is in both the old and the new text.
    Keep(&'a str),
    /// A line that is only in the old text.
    Remove(&'a str),
    /// A line that is only in the new text.
    Add(&'a str),
}

impl<'a> BlockLine<'a> {
    /// Returns the line of the old text, or `None` for an added line.
    pub const fn old(self) -> Option<&'a str> {
        match self {
            Self::Keep(line) | Self::Remove(line) => Some(line),
            Self::Add(_) => None,
        }
    }
}

/// Lines to change at one place, with the kept lines around them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Block<'a> {
    /// The kept, removed and added lines, in order.
    pub lines: Vec<BlockLine<'a>>,
    /// The line of the patch text, counted from 1, that conflicts name.
    pub patch_line: usize,
}

/// Finds runs of lines in a text. Returns for each needle at most `cap` lines, counted from 0, at which it begins.
///
/// No needle may be empty. Lines are compared without their terminators. Time is linear in the text and in all needles
/// together.
///
/// ```
/// let text = "a\nb\r\na\nb\n";
/// assert_eq!(canvas_patch::find_lines(text, &[vec!["a", "b"], vec!["c"]], 9), [vec![0, 2], vec![]]);
/// ```
pub fn find_lines(text: &str, needles: &[Vec<&str>], cap: usize) -> Vec<Vec<usize>> {
    locate::find(text, needles, cap).into_iter().map(|places| places.lines).collect()
}

/// Applies all blocks or none, each at a given line of the text, counted from 0.
///
/// Terminators and the end of the text are handled as in [`Mode::Anchored`](crate::Mode::Anchored). Kept lines keep
/// their terminators, an added line takes its neighbour's terminator, and an added last line with content ends like the
/// text.
///
/// ```
/// use canvas_patch::{Block, BlockLine, Limits, apply_blocks};
///
/// let block = Block { lines: vec![BlockLine::Keep("a"), BlockLine::Add("b")], patch_line: 1 };
/// let applied = apply_blocks("a\r\nc", &[(block, 0)], &Limits::default())?;
/// assert_eq!(applied.text(), "a\r\nb\r\nc");
/// # Ok::<(), canvas_patch::ApplyError>(())
/// ```
///
/// # Errors
///
/// `NOT_FOUND` if a block's lines are not at its place, and also `NO_EFFECT`, `OVERLAP`, `MISORDERED` and `TOO_LARGE`.
/// The text is only borrowed, so it is unchanged.
pub fn apply_blocks<'t>(
    text: &'t str,
    blocks: &[(Block<'_>, usize)],
    limits: &Limits,
) -> Result<Applied<'t>, ApplyError> {
    let too_large = |limit| Err(ParseError::too_large(limit).into());
    if text.len() > limits.text_bytes {
        return too_large(ExceededLimit::Document);
    }
    if blocks.len() > limits.hunks {
        return too_large(ExceededLimit::Hunks);
    }
    let places: Vec<usize> = blocks.iter().map(|(_, place)| *place).collect();
    let patch = patch_of(text, blocks);
    let no_ops = patch.no_op_hunks();
    if !no_ops.is_empty() {
        return Err(ApplyError::new(no_ops, None));
    }
    let refused = |conflicts| ApplyError::new(conflicts, None);
    in_order(&patch, &places).map_err(refused)?;
    let starts = starts(text, &patch, &places).map_err(refused)?;
    let (after, repairs) = splice_from(text, &patch, starts.into_iter());
    if after.text.len() > limits.text_bytes {
        return too_large(ExceededLimit::Result);
    }
    if is_same(text, &after) {
        return Err(ParseError::of_patch(Reason::NoEffect, 1).into());
    }
    Ok(Applied::new(text, after, repairs))
}

fn patch_of<'a>(text: &str, blocks: &[(Block<'a>, usize)]) -> Patch<'a> {
    let mut patch = Patch::default();
    for (block, _) in blocks {
        let start = patch.lines.len();
        patch.lines.extend(block.lines.iter().map(|line| match *line {
            BlockLine::Keep(text) => Line { kind: LineKind::Context, text },
            BlockLine::Remove(text) => Line { kind: LineKind::Remove, text },
            BlockLine::Add(text) => Line { kind: LineKind::Add, text },
        }));
        let lines = &patch.lines[start..];
        let old_len = lines.iter().filter(|line| line.kind.is_old()).count();
        // Without a line of the text before, only this marker shows how that text ends.
        if old_len == 0 && !lines.is_empty() && !at_line_end(text) {
            patch.markers.push(patch.lines.len() - 1);
        }
        patch.added_bytes +=
            lines.iter().filter(|line| line.kind == LineKind::Add).map(|line| line.text.len()).sum::<usize>();
        patch.hunks.push(Hunk {
            range: None,
            lines: start..patch.lines.len(),
            blanks: 0,
            old_len,
            new_len: lines.iter().filter(|line| line.kind.is_new()).count(),
            patch_line: block.patch_line,
        });
    }
    patch
}

/// Returns the start of each pre-image, or a conflict for the first one that is not at its place. The places must be in
/// order.
fn starts(text: &str, patch: &Patch<'_>, places: &[usize]) -> Result<Vec<Start>, Vec<Conflict>> {
    let (mut at, mut line) = (0, 0);
    let mut starts = Vec::with_capacity(places.len());
    for (i, (hunk, &place)) in patch.hunks.iter().zip(places).enumerate() {
        let start = lines::skip(text, at, place - line);
        let is_there = start.is_some_and(|start| {
            let mut lines = Lines::new(&text[start..]).map(content);
            patch.pre_image(hunk).all(|wanted| lines.next() == Some(wanted))
        });
        let Some(start) = start.filter(|_| is_there) else {
            let line = Some(place + 1);
            return Err(vec![Conflict {
                line,
                ..Conflict::of_hunk(i + 1, Reason::NotFound, hunk.patch_line)
            }]);
        };
        (at, line) = (start, place);
        starts.push(Start { at, line });
    }
    Ok(starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each line of `block` begins with a space, `-` or `+`.
    fn block(block: &str) -> Block<'_> {
        let lines = block
            .lines()
            .map(|line| match line.split_at(1) {
                ("+", text) => BlockLine::Add(text),
                ("-", text) => BlockLine::Remove(text),
                (_, text) => BlockLine::Keep(text),
            })
            .collect();
        Block { lines, patch_line: 1 }
    }

    #[test]
    fn blocks_go_to_their_places_or_nowhere() {
        for (text, blocks, expected) in [
            ("a\na\n", vec![("-a\n+b", 1)], Ok("a\nb\n")),
            ("a\r\nb", vec![("+c", 2)], Ok("a\r\nb\r\nc")),
            ("a\nb", vec![("+c", 1)], Ok("a\nc\nb")),
            ("", vec![("+c", 0)], Ok("c\n")),
            // The text ends after the last of them only.
            ("b", vec![("-b\n+c", 0), ("+d", 1)], Ok("c\nd")),
            ("a\nb", vec![(" a\n-b\n+c", 0), ("+d", 2), ("+", 2)], Ok("a\nc\nd\n\n")),
            ("a\r\nb", vec![(" b\n+c", 1), ("+d", 2)], Ok("a\r\nb\r\nc\r\nd")),
            ("a\nb\n", vec![(" a\n+x", 0), ("-b", 1)], Ok("a\nx\n")),
            ("a\nb\n", vec![("-b", 1), ("-a", 0)], Err(Reason::Misordered)),
            ("a\nb\n", vec![("-b", 0)], Err(Reason::NotFound)),
            ("a\nb\n", vec![("-b", 7)], Err(Reason::NotFound)),
            ("a\n", vec![(" a", 0)], Err(Reason::NoEffect)),
            ("a", vec![("", 0)], Err(Reason::NoEffect)),
            ("a\n", vec![("-a\n+a", 0)], Err(Reason::NoEffect)),
            ("a\n", vec![("-a", 0), ("-a", 0)], Err(Reason::Overlap)),
        ] {
            let blocks: Vec<_> = blocks.into_iter().map(|(lines, place)| (block(lines), place)).collect();
            let applied = apply_blocks(text, &blocks, &Limits::default());
            let outcome = applied.as_ref().map(Applied::text).map_err(ApplyError::reason);
            assert_eq!(outcome, expected, "{text:?} {blocks:?}");
        }
    }

    #[test]
    fn blocks_keep_to_the_limits() {
        let limits = |text_bytes, hunks| Limits { text_bytes, hunks, ..Limits::default() };
        for (limits, expected) in [
            (limits(6, 2), Ok("a\nb\nc\n")),
            (limits(5, 2), Err(Some(ExceededLimit::Result))),
            (limits(3, 2), Err(Some(ExceededLimit::Result))),
            (limits(1, 2), Err(Some(ExceededLimit::Document))),
            (limits(6, 1), Err(Some(ExceededLimit::Hunks))),
            (limits(6, 0), Err(Some(ExceededLimit::Hunks))),
        ] {
            let blocks = [(block("+b"), 1), (block("+c"), 1)];
            let applied = apply_blocks("a\n", &blocks, &limits);
            let outcome = applied.as_ref().map(Applied::text).map_err(|e| e.conflicts()[0].limit);
            assert_eq!(outcome, expected, "{limits:?}");
        }
    }
}
