//! Compares the markup of a result with the markup of both texts that it comes from.

use std::collections::HashSet;
use std::ops::Range;

use super::prose::{Markup, MarkupKind, Prose};
use crate::diff::weave::{Side, Woven};

/// Returns the offset in the result of the first delimiter that opens or closes there in another way than in both
/// texts, given as mine and theirs. Delimiters that one of the texts does not have must do the same as in the other.
pub(super) fn differing_markup(
    woven: &Woven,
    result: &Prose<'_>,
    [mine, theirs]: [&Prose<'_>; 2],
) -> Option<usize> {
    let sides = Side::BOTH.map(|side| SideMarkup::of(side, if side == Side::Mine { mine } else { theirs }));
    let own = Ends::of(&result.markup);
    let new = result.markup.iter().find(|markup| !sides.iter().any(|side| side.has(markup, woven)));
    let lost = sides
        .iter()
        .zip(sides.iter().rev())
        .filter_map(|(side, other)| side.lost(woven, result, &own, other));
    new.map(|markup| markup.bytes.start).into_iter().chain(lost).min()
}

/// An end of a piece of markup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum End {
    First,
    Last,
}

impl Markup {
    fn ends(&self) -> [(usize, End); 2] {
        [(self.bytes.start, End::First), (self.bytes.end.saturating_sub(1), End::Last)]
    }
}

/// The first and last bytes of pieces of markup.
struct Ends(HashSet<(usize, End, MarkupKind)>);

impl Ends {
    fn of(markup: &[Markup]) -> Self {
        let ends = |markup: &Markup| markup.ends().map(|(at, end)| (at, end, markup.kind));
        Self(markup.iter().flat_map(ends).collect())
    }
}

/// The markup of one of the texts.
struct SideMarkup<'p> {
    side: Side,
    prose: &'p Prose<'p>,
    pieces: HashSet<(Range<usize>, MarkupKind, &'p str)>,
    ends: Ends,
}

impl<'p> SideMarkup<'p> {
    fn of(side: Side, prose: &'p Prose<'p>) -> Self {
        let pieces =
            prose.markup.iter().map(|one| (one.bytes.clone(), one.kind, one.target.as_str())).collect();
        Self { side, prose, pieces, ends: Ends::of(&prose.markup) }
    }

    /// Whether this text has a piece of markup of the result.
    fn has(&self, markup: &Markup, woven: &Woven) -> bool {
        let [first, last] = markup.ends().map(|(at, _)| woven.origin(at, self.side));
        let (Some(first), Some(last)) = (first, last) else { return false };
        self.pieces.contains(&(first..last + 1, markup.kind, markup.target.as_str()))
    }

    /// Returns the first delimiter of this text that the result has as well, but with another effect there than in both
    /// texts.
    fn lost(&self, woven: &Woven, result: &Prose<'_>, own: &Ends, other: &Self) -> Option<usize> {
        let mut ends: Vec<_> = self.ends.0.iter().copied().collect();
        ends.sort_unstable_by_key(|(at, ..)| *at);
        let places = woven.places(self.side, ends.iter().map(|(at, ..)| *at));
        let lost = ends.into_iter().zip(places).filter_map(|((_, end, kind), place)| {
            let place = place.filter(|at| result.contains(*at) && !own.0.contains(&(*at, end, kind)))?;
            let is_like_other = woven
                .origin(place, other.side)
                .is_some_and(|at| other.prose.contains(at) && !other.ends.0.contains(&(at, end, kind)));
            (!is_like_other).then_some(place)
        });
        lost.min()
    }
}
