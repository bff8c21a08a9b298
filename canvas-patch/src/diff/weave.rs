//! Weaves two changes of one text into one result, by lines and, within lines that both change, by words.

use std::collections::HashSet;
use std::ops::Range;

use crate::diff::compare::changes;
use crate::diff::delta::{Delta, is_before};
use crate::diff::edit::TextEdit;
use crate::diff::words::{WordChange, first_word, word_changes_within};
use crate::text::span::Span;

/// The largest number of comparisons of words over all runs, as words of one side times words of the other.
const MAX_WORK: usize = 1 << 24;

/// The text with both changes, and where each part of it comes from.
#[derive(Debug)]
pub(crate) struct Woven {
    pub(crate) text: String,
    /// The edits that lead from their text to the result.
    pub(crate) delta: Delta,
    /// Runs of lines that both change, or that both insert at one place, in order.
    pub(crate) runs: Vec<ComparedRun>,
    /// Without gaps, in the order of all texts.
    pieces: Vec<Piece>,
}

/// A run of whole lines that both sides changed, as byte ranges of each text.
#[derive(Debug)]
pub(crate) struct ComparedRun {
    pub(crate) base: Range<usize>,
    pub(crate) mine: Range<usize>,
    pub(crate) theirs: Range<usize>,
    pub(crate) woven: Range<usize>,
    /// For each line that both change in different ways, the offset in the result of a word between such changes.
    pub(crate) mixed: Vec<usize>,
    /// Whether both sides insert lines at one place, so that no words were compared.
    pub(crate) is_insertion: bool,
}

/// The text of one of the two changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Mine,
    Theirs,
}

impl Side {
    pub(crate) const BOTH: [Self; 2] = [Self::Mine, Self::Theirs];

    pub(crate) const fn other(self) -> Self {
        match self {
            Self::Mine => Self::Theirs,
            Self::Theirs => Self::Mine,
        }
    }
}

/// A part of the result, with its offsets in the texts that have it.
#[derive(Debug)]
struct Piece {
    woven: Range<usize>,
    base: Option<usize>,
    mine: Option<usize>,
    theirs: Option<usize>,
}

impl Piece {
    const fn start_in(&self, side: Side) -> Option<usize> {
        match side {
            Side::Mine => self.mine,
            Side::Theirs => self.theirs,
        }
    }
}

impl Woven {
    /// Returns the offset in a side's text of the byte at an offset of the result, if that text has it.
    pub(crate) fn origin(&self, at: usize, side: Side) -> Option<usize> {
        let piece = &self.pieces[..self.pieces.partition_point(|piece| piece.woven.start <= at)].last()?;
        let from = piece.start_in(side).filter(|_| piece.woven.contains(&at))?;
        Some(from + (at - piece.woven.start))
    }

    /// Returns the offsets in the result of bytes of a side's text, which are in order. Those that the result does not
    /// have are `None`.
    pub(crate) fn places(&self, side: Side, offsets: impl Iterator<Item = usize>) -> Vec<Option<usize>> {
        places(self.pieces.iter().filter_map(|piece| Some((piece.start_in(side)?, &piece.woven))), offsets)
    }
}

/// Joins the changes from `base` to `mine` and to `theirs`. `may_follow` decides whether lines that only mine inserts
/// may follow lines, given as a byte range of `theirs`, that only they insert at the same place.
///
/// # Errors
///
/// The offset in `base` of the first place at which the changes touch.
pub(crate) fn weave(
    base: &str,
    mine: &str,
    theirs: &str,
    mut may_follow: impl FnMut(Range<usize>) -> bool,
) -> Result<Woven, usize> {
    let (own, others) = (changes(base, mine), changes(base, theirs));
    let (mut own, mut others) = (own.as_slice(), others.as_slice());
    let mut weaver = Weaver::new(base, mine, theirs);
    let mut left = MAX_WORK;
    while let Some(cluster) = Cluster::next(&mut own, &mut others) {
        weaver.keep_to(cluster.lines.start);
        match (cluster.own, cluster.others) {
            (own, []) => own.iter().for_each(|span| weaver.take(&Choice::of(span, Side::Mine))),
            ([], others) => others.iter().for_each(|span| weaver.take(&Choice::of(span, Side::Theirs))),
            ([a], [b])
                if a.old_bytes == b.old_bytes && mine[a.new_bytes.clone()] == theirs[b.new_bytes.clone()] =>
            {
                weaver.take(&Choice {
                    old: a.old_bytes.clone(),
                    mine: Some(a.new_bytes.clone()),
                    theirs: Some(b.new_bytes.clone()),
                });
            }
            ([a], [b]) if cluster.lines.is_empty() => {
                let (earlier, later) = (&theirs[b.new_bytes.clone()], &mine[a.new_bytes.clone()]);
                // Without a line end, theirs would share a line with mine.
                if !earlier.ends_with('\n') || !may_follow(b.new_bytes.clone()) || share_line(earlier, later)
                {
                    return Err(cluster.lines.start);
                }
                let start = weaver.text.len();
                weaver.take(&Choice::of(b, Side::Theirs));
                weaver.take(&Choice::of(a, Side::Mine));
                weaver.runs.push(ComparedRun {
                    base: cluster.lines.clone(),
                    mine: a.new_bytes.clone(),
                    theirs: b.new_bytes.clone(),
                    woven: start..weaver.text.len(),
                    mixed: Vec::new(),
                    is_insertion: true,
                });
            }
            _ => weaver.compare(&cluster, &mut left)?,
        }
    }
    weaver.keep_to(base.len());
    Ok(Woven {
        text: weaver.text,
        delta: Delta::of_edits(weaver.edits),
        runs: weaver.runs,
        pieces: weaver.pieces,
    })
}

/// Whether two insertions have a line in common that is not blank, or whose beginning is a line of the other. Somebody then
/// probably saved one text twice.
fn share_line(earlier: &str, later: &str) -> bool {
    fn lines(text: &str) -> impl DoubleEndedIterator<Item = &str> {
        text.lines().map(str::trim).filter(|line| !line.is_empty())
    }
    let known: HashSet<&str> = lines(later).collect();
    let ends = lines(earlier).next_back().zip(lines(later).next_back());
    lines(earlier).any(|line| known.contains(line))
        || ends.is_some_and(|(a, b)| a.starts_with(b) || b.starts_with(a))
}

/// Changes of both sides that touch one another, directly or through others, or one change alone.
struct Cluster<'s> {
    /// The bytes of the base from the first change to the last.
    lines: Range<usize>,
    own: &'s [Span],
    others: &'s [Span],
}

impl<'s> Cluster<'s> {
    /// Takes the first cluster off both lists.
    fn next(own: &mut &'s [Span], others: &mut &'s [Span]) -> Option<Self> {
        let order = |span: &Span| (span.old_bytes.start, span.old_bytes.end);
        let (mut lines, mut taken): (Option<Range<usize>>, _) = (None, (0, 0));
        loop {
            let (a, b) = (own.get(taken.0), others.get(taken.1));
            let is_own = match (a, b) {
                (Some(a), Some(b)) => order(a) <= order(b),
                (a, _) => a.is_some(),
            };
            let Some(span) = (if is_own { a } else { b }) else { break };
            let bytes = &span.old_bytes;
            match &mut lines {
                Some(lines) if is_before(lines, bytes) => break,
                Some(lines) => lines.end = lines.end.max(bytes.end),
                None => lines = Some(bytes.clone()),
            }
            *(if is_own { &mut taken.0 } else { &mut taken.1 }) += 1;
        }
        let (first, second) = (own.split_at(taken.0), others.split_at(taken.1));
        (*own, *others) = (first.1, second.1);
        Some(Self { lines: lines?, own: first.0, others: second.0 })
    }
}

/// A replacement that one side makes, or both.
#[derive(Debug)]
struct Choice {
    /// Byte range of the base.
    old: Range<usize>,
    /// Byte range of the new text in each side that makes the replacement.
    mine: Option<Range<usize>>,
    theirs: Option<Range<usize>>,
}

impl Choice {
    fn of(span: &Span, side: Side) -> Self {
        Self::by(side, span.old_bytes.clone(), span.new_bytes.clone())
    }

    fn by(side: Side, old: Range<usize>, new: Range<usize>) -> Self {
        match side {
            Side::Mine => Self { old, mine: Some(new), theirs: None },
            Side::Theirs => Self { old, mine: None, theirs: Some(new) },
        }
    }

    /// Returns the side that makes the replacement alone.
    const fn side(&self) -> Option<Side> {
        match (&self.mine, &self.theirs) {
            (Some(_), None) => Some(Side::Mine),
            (None, Some(_)) => Some(Side::Theirs),
            _ => None,
        }
    }
}

/// Makes the result during a walk over the three texts.
struct Weaver<'t> {
    base: &'t str,
    mine: &'t str,
    theirs: &'t str,
    /// Offsets in the base, in mine and in theirs up to which the walk came.
    at: (usize, usize, usize),
    text: String,
    pieces: Vec<Piece>,
    edits: Vec<TextEdit>,
    runs: Vec<ComparedRun>,
}

impl<'t> Weaver<'t> {
    fn new(base: &'t str, mine: &'t str, theirs: &'t str) -> Self {
        let text = String::with_capacity(mine.len().max(theirs.len()));
        let (pieces, edits, runs) = (Vec::new(), Vec::new(), Vec::new());
        Self { base, mine, theirs, at: (0, 0, 0), text, pieces, edits, runs }
    }

    /// Keeps the base up to an offset.
    fn keep_to(&mut self, end: usize) {
        let (base, mine, theirs) = self.at;
        let kept = &self.base[base..end];
        self.push(kept, (Some(base), Some(mine), Some(theirs)));
        self.at = (end, mine + kept.len(), theirs + kept.len());
    }

    fn take(&mut self, choice: &Choice) {
        self.keep_to(choice.old.start);
        let old = &self.base[choice.old.clone()];
        let (_, mine_at, theirs_at) = self.at;
        let new = match (&choice.mine, &choice.theirs) {
            (Some(new), _) => &self.mine[new.clone()],
            (None, Some(new)) => &self.theirs[new.clone()],
            (None, None) => old,
        };
        let starts = (choice.mine.as_ref().map(|new| new.start), choice.theirs.as_ref().map(|new| new.start));
        debug_assert!(starts.0.is_none_or(|at| at == mine_at) && starts.1.is_none_or(|at| at == theirs_at));
        if choice.theirs.is_none() {
            self.edits.push(TextEdit { at: theirs_at, old: old.into(), new: new.into() });
        }
        self.push(new, (None, starts.0, starts.1));
        let grown = |new: &Option<Range<usize>>| new.as_ref().map_or(old.len(), Range::len);
        self.at = (choice.old.end, mine_at + grown(&choice.mine), theirs_at + grown(&choice.theirs));
    }

    /// Adds a part to the result, with its offsets in the base, in mine and in theirs.
    fn push(&mut self, text: &str, (base, mine, theirs): (Option<usize>, Option<usize>, Option<usize>)) {
        if !text.is_empty() {
            let start = self.text.len();
            self.text.push_str(text);
            self.pieces.push(Piece { woven: start..self.text.len(), base, mine, theirs });
        }
    }

    /// Compares the lines of a cluster by words, and keeps the changes of both sides.
    fn compare(&mut self, cluster: &Cluster<'_>, left: &mut usize) -> Result<(), usize> {
        let lines = cluster.lines.clone();
        let (_, mine_at, theirs_at) = self.at;
        let len = |spans: &[Span]| {
            let grown =
                spans.iter().map(|span| span.new_bytes.len() as isize - span.old_bytes.len() as isize);
            lines.len().wrapping_add_signed(grown.sum::<isize>())
        };
        let mine = mine_at..mine_at + len(cluster.own);
        let theirs = theirs_at..theirs_at + len(cluster.others);
        let found = |text: &str, new: &Range<usize>, left: &mut usize| {
            let (old, text) = (&self.base[lines.clone()], &text[new.clone()]);
            let mut found = word_changes_within(old, text, left);
            for change in &mut found {
                trim(old, text, change);
                for (range, start) in [(&mut change.old, lines.start), (&mut change.new, new.start)] {
                    (range.start, range.end) = (range.start + start, range.end + start);
                }
            }
            found
        };
        let (own, others) = (found(self.mine, &mine, left), found(self.theirs, &theirs, left));
        let choices = self.choices(own, others);
        let gaps = words_between(self.base, self.mine, self.theirs, &choices)?;
        let (start, first) = (self.text.len(), self.pieces.len());
        choices.iter().for_each(|choice| self.take(choice));
        self.keep_to(lines.end);
        let kept = self.pieces[first..].iter().filter_map(|piece| Some((piece.base?, &piece.woven)));
        let mixed = places(kept, gaps.into_iter()).into_iter().flatten().collect();
        self.runs.push(ComparedRun {
            base: lines,
            mine,
            theirs,
            woven: start..self.text.len(),
            mixed,
            is_insertion: false,
        });
        Ok(())
    }

    /// Returns the changes of both sides in order. A change that both make is one choice.
    fn choices(&self, own: Vec<WordChange>, others: Vec<WordChange>) -> Vec<Choice> {
        let (mut own, mut others) = (own.into_iter().peekable(), others.into_iter().peekable());
        let order = |change: &WordChange| (change.old.start, change.old.end);
        let mut choices = Vec::with_capacity(own.len() + others.len());
        loop {
            let side = match (own.peek(), others.peek()) {
                (Some(a), Some(b))
                    if a.old == b.old && self.mine[a.new.clone()] == self.theirs[b.new.clone()] =>
                {
                    choices.push(Choice {
                        old: a.old.clone(),
                        mine: Some(a.new.clone()),
                        theirs: Some(b.new.clone()),
                    });
                    own.next();
                    others.next();
                    continue;
                }
                (Some(a), Some(b)) if order(a) <= order(b) => Side::Mine,
                (_, Some(_)) => Side::Theirs,
                (Some(_), None) => Side::Mine,
                (None, None) => return choices,
            };
            let next = if side == Side::Mine { own.next() } else { others.next() };
            choices.extend(next.map(|change| Choice::by(side, change.old, change.new)));
        }
    }
}

/// Leaves white space out of a change with a line break that both texts begin or end with, because a word with a line
/// break is all of the white space around it.
pub(crate) fn trim(old: &str, new: &str, change: &mut WordChange) {
    let breaks = |text: &str| text.contains(['\n', '\r']);
    if !breaks(&old[change.old.clone()]) && !breaks(&new[change.new.clone()]) {
        return;
    }
    let same = |a: Option<char>, b: Option<char>| a.filter(|c| Some(*c) == b && c.is_whitespace());
    let last = |text: &str, range: &Range<usize>| text[range.clone()].chars().next_back();
    while let Some(c) = same(last(old, &change.old), last(new, &change.new)) {
        change.old.end -= c.len_utf8();
        change.new.end -= c.len_utf8();
    }
    let first = |text: &str, range: &Range<usize>| text[range.clone()].chars().next();
    while let Some(c) = same(first(old, &change.old), first(new, &change.new)) {
        change.old.start += c.len_utf8();
        change.new.start += c.len_utf8();
    }
}

/// The last change that one side makes alone, and what of the base was kept since.
#[derive(Default)]
struct Last {
    /// Whether there is such a change, and whether it has a line break.
    is_any: bool,
    breaks: bool,
    /// The offset in the base of a word that both keep.
    word: Option<usize>,
    /// Whether a line break was kept.
    is_above: bool,
}

/// Checks that choices of different sides do not touch. Between two in one line there is a word that
/// both keep, and a choice with a line break has its lines for itself. Returns the offset in the base of such a word for
/// every line that both sides change, or of the first choice that touches another.
fn words_between(base: &str, mine: &str, theirs: &str, choices: &[Choice]) -> Result<Vec<usize>, usize> {
    let (mut last, mut end, mut words) = ([Last::default(), Last::default()], None, Vec::new());
    for choice in choices {
        let at = choice.old.start;
        let end_before = end.unwrap_or(at);
        let kept = base.get(end_before..at).unwrap_or("");
        let (word, line_end) = (first_word(kept).filter(|_| !is_in_number(kept)), kept.contains('\n'));
        for last in &mut last {
            last.word = last.word.or_else(|| Some(end_before + word?));
            last.is_above |= line_end;
        }
        if at < end_before {
            return Err(at);
        }
        end = Some(choice.old.end);
        let Some(side) = choice.side() else { continue };
        let new = match side {
            Side::Mine => choice.mine.clone().map(|new| &mine[new]),
            Side::Theirs => choice.theirs.clone().map(|new| &theirs[new]),
        };
        let breaks = [Some(&base[choice.old.clone()]), new]
            .into_iter()
            .flatten()
            .any(|text| text.contains(['\n', '\r']));
        let other = &last[side.other() as usize];
        if other.is_any && !other.is_above {
            match other.word {
                Some(word) if !breaks && !other.breaks => words.push(word),
                _ => return Err(at),
            }
        }
        // A line that has a line break of this side keeps it, whatever the side changes after that.
        let own = &last[side as usize];
        let breaks = breaks || (own.is_any && !own.is_above && own.breaks);
        last[side as usize] = Last { is_any: true, breaks, word: None, is_above: false };
    }
    // One word a line is enough.
    words.dedup_by(|next, word| !base[*word..*next].contains('\n'));
    Ok(words)
}

/// Whether a text between two changes has only digits and what joins them, as in a date or a long number.
pub(crate) fn is_in_number(kept: &str) -> bool {
    kept.bytes().all(|byte| byte.is_ascii_digit() || b".,:/-_".contains(&byte))
}

/// Returns the offsets in the result of offsets in another text, which are in order. `pieces` has the parts that the
/// result shares with that text. An offset outside of them is `None`.
fn places<'p>(
    mut pieces: impl Iterator<Item = (usize, &'p Range<usize>)>,
    offsets: impl Iterator<Item = usize>,
) -> Vec<Option<usize>> {
    let mut at = pieces.next();
    let place = |offset| {
        while at.is_some_and(|(start, woven)| start + woven.len() <= offset) {
            at = pieces.next();
        }
        at.filter(|(start, _)| *start <= offset).map(|(start, woven)| woven.start + (offset - start))
    };
    offsets.map(place).collect()
}
