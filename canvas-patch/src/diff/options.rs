//! How a patch is read and applied.

use std::ops::Range;

use crate::diff::delta::Delta;
use crate::text::limits::Limits;

/// How much of a patch must be exact. Both modes compare content byte for byte and never tolerate white space,
/// case or similarity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    /// Text, position, counts, order and header are exact.
    #[default]
    Strict,
    /// Counts, line numbers, line terminators and the end-of-file marker are hints. Each hunk's pre-image, compared
    /// line by line without terminators, must occur at exactly one place of the text; where it occurs at several,
    /// the stated place wins only if all of the patch's arithmetic is exact, and [`StatedLines`] lets it.
    Anchored,
}

/// Which stated lines decide in [`Mode::Anchored`] between several places of a pre-image, in a patch of exact arithmetic.
///
/// A number that was right once leads to another of the places after lines have been added or removed above. Exact
/// arithmetic does not show that: what the hunk quotes is there too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum StatedLines<'a> {
    /// All of them.
    #[default]
    Trusted,
    /// The lines of this text, from 0, that the author of the patch was shown with their numbers, in any order. A hunk
    /// that states another one is `AMBIGUOUS` where its pre-image occurs several times.
    Shown(&'a [Range<usize>]),
}

impl StatedLines<'_> {
    /// Tells of lines, from 0 and in order, whether a hunk that states one belongs there and nowhere else.
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

/// An earlier text, and the lines of it that the author of a patch was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EarlierText<'a> {
    /// The whole text.
    pub text: &'a str,
    /// Lines of it, from 0, in any order.
    pub lines: &'a [Range<usize>],
    /// The changes from it to the text that is patched, oldest first.
    pub since: &'a [&'a Delta],
}

/// What to apply a patch with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options<'a> {
    /// How exact the patch must be.
    pub mode: Mode,
    /// Which stated lines decide between equal places. Strict mode has no need of it.
    pub stated_lines: StatedLines<'a>,
    /// Earlier texts that the author was shown, the latest first; strict mode does not need them. A hunk is
    /// [`Outdated`](crate::Reason::Outdated) if it quotes such lines and they have changed, even if equal lines stand elsewhere.
    pub earlier: &'a [EarlierText<'a>],
    /// Sizes above which it is refused.
    pub limits: Limits,
}
