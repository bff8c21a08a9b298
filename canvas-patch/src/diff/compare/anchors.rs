//! Cuts two texts at lines whose counterpart is certain.
//!
//! An anchor is a line that is part of a shared run and occurs once in each text. The lines between two anchors are
//! compared separately. Usually a few lines replace others there, which needs no algorithm. No change can move past an
//! anchor, because it would have to contain the same line.

use imara_diff::Token;

use super::blocks::{Block, Run};

/// Maximum pairs of lines that are compared one by one to find that two sides share no line.
const MAX_PAIRS: usize = 256;

/// The result of comparing a block without the diff algorithm.
pub(super) enum Plain {
    /// Both sides are the same.
    Same,
    /// All differences as one change, which cannot be described or placed in any other way.
    Change(Block),
    /// The algorithm has to decide.
    Unknown,
}

/// Counts how often each line occurs, up to 2.
pub(super) fn occurrences(tokens: &[Token], distinct: u32) -> Vec<u8> {
    let mut times = vec![0_u8; distinct as usize];
    for token in tokens {
        let times = &mut times[token.0 as usize];
        *times = (*times + 1).min(2);
    }
    times
}

/// Returns the stretches between anchors of a chain, each with the anchors at its ends and the runs inside it.
pub(super) fn stretches(
    chain: &[Run],
    old: &[Token],
    new: &[Token],
    is_anchor: impl Fn(Token) -> bool,
) -> Vec<(Block, Vec<Run>)> {
    let (mut stretches, mut runs) = (Vec::new(), Vec::new());
    let (mut old_at, mut new_at) = (0, 0);
    for run in chain {
        let lines = &old[run.old..run.old + run.len];
        let Some(first) = lines.iter().position(|line| is_anchor(*line)) else {
            runs.push(*run);
            continue;
        };
        if first > 0 {
            runs.push(Run { len: first, ..*run });
        }
        let block = Block { old: old_at..run.old + first + 1, new: new_at..run.new + first + 1 };
        stretches.push((block, std::mem::take(&mut runs)));
        let last = lines.iter().rposition(|line| is_anchor(*line)).unwrap_or(first);
        (old_at, new_at) = (run.old + last, run.new + last);
        if last + 1 < run.len {
            runs.push(Run { old: old_at + 1, new: new_at + 1, len: run.len - last - 1 });
        }
    }
    stretches.push((Block { old: old_at..old.len(), new: new_at..new.len() }, runs));
    stretches
}

/// Compares a block without the algorithm, if possible.
pub(super) fn plain(old: &[Token], new: &[Token], block: &Block) -> Plain {
    let (a, b) = (&old[block.old.clone()], &new[block.new.clone()]);
    let head = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (rest_a, rest_b) = (&a[head..], &b[head..]);
    let tail = rest_a.iter().rev().zip(rest_b.iter().rev()).take_while(|(x, y)| x == y).count();
    let (removed, added) = (&rest_a[..rest_a.len() - tail], &rest_b[..rest_b.len() - tail]);
    if removed.is_empty() && added.is_empty() {
        return Plain::Same;
    }
    let pairs = removed.len().saturating_mul(added.len());
    if pairs > MAX_PAIRS || removed.iter().any(|line| added.contains(line)) {
        return Plain::Unknown;
    }
    if can_move(a, head, removed.len()) || can_move(b, head, added.len()) {
        return Plain::Unknown;
    }
    let at = |start: usize, len: usize| start + head..start + head + len;
    Plain::Change(Block { old: at(block.old.start, removed.len()), new: at(block.new.start, added.len()) })
}

/// Whether the change of one side could equally well be placed one line further up or down.
fn can_move(side: &[Token], start: usize, len: usize) -> bool {
    let Some((first, last)) = side[start..start + len].first().zip(side[start..start + len].last()) else {
        return false;
    };
    start > 0 && side[start - 1] == *last || side.get(start + len) == Some(first)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tokens(lines: &str) -> Vec<Token> {
        lines.bytes().map(|line| Token(u32::from(line - b'a'))).collect()
    }

    #[test]
    fn what_is_plain() {
        for (old, new, expected) in [
            ("abc", "abc", Some(None)),
            ("abc", "axc", Some(Some((1..2, 1..2)))),
            ("abc", "axyc", Some(Some((1..2, 1..3)))),
            ("abc", "ac", Some(Some((1..2, 1..1)))),
            ("ac", "abc", Some(Some((1..1, 1..2)))),
            // Either of two equal lines may be the inserted one.
            ("abc", "abbc", None),
            ("abbc", "abc", None),
            // An unchanged line between two changed ones.
            ("abcde", "axcye", None),
            // The removed lines could as well be the ones above.
            ("abdbe", "abxe", None),
        ] {
            let (old, new) = (tokens(old), tokens(new));
            let found = match plain(&old, &new, &Block { old: 0..old.len(), new: 0..new.len() }) {
                Plain::Same => Some(None),
                Plain::Change(Block { old, new }) => Some(Some((old, new))),
                Plain::Unknown => None,
            };
            assert_eq!(found, expected, "{old:?} {new:?}");
        }
    }

    proptest! {
        /// Between stretches both texts are the same, and each run is inside one stretch.
        #[test]
        fn stretches_hold_every_difference(old in "[a-h]{0,24}", new in "[a-h]{0,24}") {
            let (old, new) = (tokens(&old), tokens(&new));
            // This chain takes each line at its next place in the other text.
            let (mut chain, mut next) = (Vec::new(), 0);
            for (i, line) in new.iter().enumerate() {
                if let Some(place) = old[next..].iter().position(|other| other == line) {
                    super::super::blocks::note(&mut chain, Run { old: next + place, new: i, len: 1 });
                    next += place + 1;
                }
            }
            let (olds, news) = (occurrences(&old, 8), occurrences(&new, 8));
            let is_anchor = |line: Token| (olds[line.0 as usize], news[line.0 as usize]) == (1, 1);
            let stretches = stretches(&chain, &old, &new, is_anchor);
            let (mut old_at, mut new_at) = (0, 0);
            for (block, runs) in &stretches {
                prop_assert_eq!(&old[old_at.min(block.old.start)..block.old.start], &new[new_at.min(block.new.start)..block.new.start]);
                for run in runs {
                    prop_assert!(block.old.start <= run.old && run.old + run.len <= block.old.end);
                    prop_assert!(block.new.start <= run.new && run.new + run.len <= block.new.end);
                    prop_assert_eq!(&old[run.old..run.old + run.len], &new[run.new..run.new + run.len]);
                }
                (old_at, new_at) = (block.old.end, block.new.end);
            }
            prop_assert_eq!((old_at, new_at), (old.len(), new.len()));
        }
    }
}
