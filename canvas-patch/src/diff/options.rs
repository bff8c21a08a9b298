//! Options for reading and applying a patch.

use std::ops::Range;

use crate::diff::delta::Delta;
use crate::text::limits::Limits;

/// The degree to which a patch must be exact. Both modes compare content byte for byte. They never tolerate a
/// difference in white space or case, and never accept a line because it is similar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    /// Text, position, counts, order and header are exact.
    #[default]
    Strict,
    /// Counts, line numbers, line terminators and the end-of-file marker are hints. Each hunk's pre-image, compared
    /// line by line without terminators, must occur at exactly one place of the text. If it occurs at several, the
    /// stated place wins, but only if all of the patch's arithmetic is exact and [`StatedLines`] allows it.
    Anchored,
}

/// The stated lines that decide between several places of a pre-image, in [`Mode::Anchored`] and in a patch of exact
/// arithmetic.
///
/// After lines above are added or removed, a number that was once right may lead to another of these places. Exact
/// arithmetic does not reveal this, because the lines that the hunk quotes are there too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum StatedLines<'a> {
    /// Every stated line decides.
    #[default]
    Trusted,
    /// Only these lines of the text to be patched decide, because the author of the patch saw them with their numbers.
    /// They are counted from 0, and the ranges may be in any order. A hunk that states another line is `AMBIGUOUS` if
    /// its pre-image occurs several times.
    Shown(&'a [Range<usize>]),
}

impl StatedLines<'_> {
    /// Returns a function that tells whether a hunk that states a line belongs there and nowhere else. It takes the
    /// stated lines in order, counted from 0.
    pub(crate) fn deciding(self) -> impl FnMut(usize) -> bool {
        let everything = 0..usize::MAX;
        let mut shown = match self {
            Self::Trusted => vec![everything],
            Self::Shown(ranges) => ranges.to_vec(),
        };
        shown.sort_unstable_by_key(|range| range.start);
        let mut shown = shown.into_iter().peekable();
        let mut end = 0;
        move |line| {
            while let Some(range) = shown.next_if(|range| range.start <= line) {
                end = end.max(range.end);
            }
            line < end
        }
    }
}

/// An earlier text, with the lines of it that the author of a patch saw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EarlierText<'a> {
    /// The whole earlier text, without cuts.
    pub text: &'a str,
    /// The lines that the author saw, counted from 0, in any order.
    pub lines: &'a [Range<usize>],
    /// The changes from this text to the text to be patched, oldest first.
    pub since: &'a [&'a Delta],
}

/// Options of [`apply`](crate::apply).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ApplyOptions<'a> {
    /// The degree to which the patch must be exact. Default [`Mode::Strict`].
    pub mode: Mode,
    /// The stated lines that decide between equal places. Strict mode does not use them.
    pub stated_lines: StatedLines<'a>,
    /// Earlier texts that the author saw, the latest first. Strict mode does not use them. A hunk is
    /// [`Outdated`](crate::Reason::Outdated) if it quotes lines that the author saw and that changed since, even if
    /// equal lines occur elsewhere.
    pub earlier: &'a [EarlierText<'a>],
    /// Sizes above which the patch is refused as [`TooLarge`](crate::Reason::TooLarge).
    pub limits: Limits,
}
