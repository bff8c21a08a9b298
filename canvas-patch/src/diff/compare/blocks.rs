//! Cuts two texts into blocks for separate comparison.
//!
//! The diff algorithm takes quadratic time if lines that are frequent in both texts come in long runs, for example ten
//! seconds for 100,000 of them. On blocks of bounded size it is linear, and lines inside long shared runs never reach
//! it.

use std::ops::Range;

use imara_diff::Token;

/// A range of lines in each of two texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

/// A run of lines that both texts share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) old: usize,
    pub(super) new: usize,
    pub(super) len: usize,
}

/// Lines of a shared run that a block includes at each end, so that changes can move to the position that reads best.
pub(super) const MARGIN: usize = 32;

/// Number of lines of both sides after which a block ends at the next shared run.
const TARGET_BLOCK_LINES: usize = 4096;

/// Number of lines of both sides that no block exceeds by much, unless lines are only inserted or removed.
const MAX_BLOCK_LINES: usize = 16_384;

/// Appends a run, or extends the last run if the new one continues it.
pub(super) fn note(runs: &mut Vec<Run>, run: Run) {
    match runs.last_mut() {
        Some(last) if (last.old + last.len, last.new + last.len) == (run.old, run.new) => last.len += run.len,
        _ => runs.push(run),
    }
}

/// Returns the chain of runs with the most lines. The given runs are in order and do not overlap in the post-image.
/// Those in the chain are also in order and do not overlap in the pre-image.
pub(super) fn heaviest_chain(runs: Vec<Run>) -> Vec<Run> {
    let is_chain = runs.windows(2).all(|pair| pair[0].old + pair[0].len <= pair[1].old);
    if is_chain {
        return runs;
    }
    let mut ends: Vec<_> = runs.iter().map(|run| run.old + run.len).collect();
    ends.sort_unstable();
    ends.dedup();
    let mut heaviest = Heaviest { tree: vec![NOTHING; ends.len()] };
    let mut previous = Vec::with_capacity(runs.len());
    for (i, run) in runs.iter().enumerate() {
        let before = heaviest.of_first(ends.partition_point(|&end| end <= run.old));
        previous.push(before.last);
        let end = ends.partition_point(|&end| end < run.old + run.len);
        heaviest.raise(end, Chain { lines: before.lines + run.len, last: Some(i) });
    }
    let mut last = heaviest.of_first(ends.len()).last;
    let mut chain = Vec::new();
    while let Some(i) = last {
        chain.push(runs[i]);
        last = previous[i];
    }
    chain.reverse();
    chain
}

/// Number of lines in a chain of runs, and the index of its last run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Chain {
    lines: usize,
    last: Option<usize>,
}

const NOTHING: Chain = Chain { lines: 0, last: None };

/// The heaviest chain for each end, as a Fenwick tree of maxima.
struct Heaviest {
    tree: Vec<Chain>,
}

impl Heaviest {
    /// Returns the heaviest chain that ends at one of the first `n` ends.
    fn of_first(&self, mut n: usize) -> Chain {
        let mut best = NOTHING;
        while n > 0 {
            best = best.max(self.tree[n - 1]);
            n &= n - 1;
        }
        best
    }

    fn raise(&mut self, end: usize, chain: Chain) {
        let mut at = end;
        while let Some(best) = self.tree.get_mut(at) {
            *best = chain.max(*best);
            at |= at + 1;
        }
    }
}

/// Cuts `all` along a chain of shared runs into blocks that contain every difference.
pub(super) fn blocks(chain: &[Run], all: &Block, old: &[Token], new: &[Token]) -> Vec<Block> {
    let mut blocks = Vec::new();
    let (mut old_at, mut new_at) = (all.old.start, all.new.start);
    for run in chain {
        let margin = if run.len > 2 * MARGIN { MARGIN } else { 0 };
        if margin > 0 || run.old - old_at + run.new - new_at >= TARGET_BLOCK_LINES {
            let block = Block { old: old_at..run.old + margin, new: new_at..run.new + margin };
            push(&mut blocks, block, old, new);
            let skipped = if margin > 0 { run.len - margin } else { 0 };
            (old_at, new_at) = (run.old + skipped, run.new + skipped);
        }
    }
    push(&mut blocks, Block { old: old_at..all.old.end, new: new_at..all.new.end }, old, new);
    blocks
}

/// Adds a block. Splits it into parts if it is too large for the algorithm, unless lines are only inserted or removed.
fn push(blocks: &mut Vec<Block>, block: Block, old: &[Token], new: &[Token]) {
    if block.old.len() + block.new.len() <= MAX_BLOCK_LINES {
        blocks.push(block);
        return;
    }
    let (old, new) = (&old[block.old.clone()], &new[block.new.clone()]);
    let head = old.iter().zip(new).take_while(|(x, y)| x == y).count();
    let (old, new) = (&old[head..], &new[head..]);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(x, y)| x == y).count();
    let (old, new) = (old.len() - tail, new.len() - tail);
    if old == 0 || new == 0 {
        // Lines were only inserted or removed, which the algorithm finds at no cost.
        blocks.push(block);
        return;
    }
    let parts = (old + new).div_ceil(MAX_BLOCK_LINES);
    let part = |start: usize, lines: usize, i: usize| {
        start + head + lines * i / parts..start + head + lines * (i + 1) / parts
    };
    blocks.extend(
        (0..parts).map(|i| Block { old: part(block.old.start, old, i), new: part(block.new.start, new, i) }),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn blocks(chain: &[Run], old: &[Token], new: &[Token]) -> Vec<Block> {
        super::blocks(chain, &Block { old: 0..old.len(), new: 0..new.len() }, old, new)
    }

    fn lines_of(chain: &[Run]) -> usize {
        chain.iter().map(|run| run.len).sum()
    }

    fn is_chain(chain: &[Run]) -> bool {
        chain.windows(2).all(|pair| pair[0].old + pair[0].len <= pair[1].old && pair[0].new < pair[1].new)
    }

    #[test]
    fn runs_that_follow_on_both_sides_become_one() {
        let run = |old, new, len| Run { old, new, len };
        let mut runs = Vec::new();
        for (next, noted) in [
            (run(1, 3, 2), &[run(1, 3, 2)][..]),
            (run(3, 5, 3), &[run(1, 3, 5)]),
            (run(6, 15, 1), &[run(1, 3, 5), run(6, 15, 1)]),
            (run(9, 16, 1), &[run(1, 3, 5), run(6, 15, 1), run(9, 16, 1)]),
        ] {
            note(&mut runs, next);
            assert_eq!(runs, noted);
        }
    }

    #[test]
    fn of_runs_that_overlap_the_longer_one_is_kept() {
        let run = |(old, new, len)| Run { old, new, len };
        for (runs, kept) in [
            ([(0, 0, 2), (2, 9, 1)], &[(0, 0, 2), (2, 9, 1)][..]),
            ([(0, 0, 2), (1, 9, 1)], &[(0, 0, 2)]),
            ([(0, 0, 1), (0, 9, 2)], &[(0, 9, 2)]),
            ([(3, 0, 1), (3, 9, 2)], &[(3, 9, 2)]),
        ] {
            let kept: Vec<_> = kept.iter().copied().map(run).collect();
            assert_eq!(heaviest_chain(runs.map(run).to_vec()), kept, "{runs:?}");
        }
    }

    #[test]
    fn blocks_end_in_long_runs_and_where_they_are_large() {
        let (half, end) = (TARGET_BLOCK_LINES / 2, TARGET_BLOCK_LINES);
        for (runs, cuts) in [
            (&[][..], &[(0, end)][..]),
            // The blocks around a run may include all of its lines.
            (&[(10, 2 * MARGIN)], &[(0, end)]),
            (&[(10, 2 * MARGIN + 1)], &[(0, 10 + MARGIN), (11 + MARGIN, end)]),
            (&[(half - 1, 1)], &[(0, end)]),
            (&[(half, 1)], &[(0, half), (half, end)]),
            (&[(half, 1), (half + 9, 1)], &[(0, half), (half, end)]),
        ] {
            let chain: Vec<_> = runs.iter().map(|&(at, len)| Run { old: at, new: at, len }).collect();
            let lines = vec![Token(0); end];
            let cuts: Vec<_> =
                cuts.iter().map(|&(start, end)| Block { old: start..end, new: start..end }).collect();
            assert_eq!(blocks(&chain, &lines, &lines), cuts, "{runs:?}");
        }
    }

    #[test]
    fn what_shares_nothing_is_cut_into_as_few_parts_as_may_be() {
        let half = MAX_BLOCK_LINES * 3 / 4;
        for (old, new, parts) in
            [(half, MAX_BLOCK_LINES / 4, 1), (half, half, 2), (2 * MAX_BLOCK_LINES, half, 3)]
        {
            let blocks = blocks(&[], &vec![Token(0); old], &vec![Token(1); new]);
            let sizes: Vec<_> = blocks.iter().map(|block| block.old.len() + block.new.len()).collect();
            assert_eq!((sizes.len(), sizes.iter().sum()), (parts, old + new), "{sizes:?}");
            assert!(sizes.iter().all(|size| *size <= MAX_BLOCK_LINES), "{sizes:?}");
        }
        // Lines that were only inserted or only removed stay together, however many they are.
        let many = vec![Token(0); 2 * MAX_BLOCK_LINES];
        assert_eq!(blocks(&[], &[], &many), [Block { old: 0..0, new: 0..2 * MAX_BLOCK_LINES }]);
        assert_eq!(blocks(&[], &many, &[]), [Block { old: 0..2 * MAX_BLOCK_LINES, new: 0..0 }]);
    }

    proptest! {
        #[test]
        fn no_chain_is_heavier(runs in prop::collection::vec((0_usize..12, 1_usize..5), 0..9)) {
            let runs: Vec<_> =
                runs.into_iter().enumerate().map(|(i, (old, len))| Run { old, new: 10 * i, len }).collect();
            let heaviest = heaviest_chain(runs.clone());
            prop_assert!(is_chain(&heaviest) && heaviest.iter().all(|run| runs.contains(run)));
            for chosen in 0..1_u32 << runs.len() {
                let some: Vec<_> = (0..).zip(&runs).filter(|(i, _)| chosen >> i & 1 == 1).map(|(_, r)| *r).collect();
                prop_assert!(!is_chain(&some) || lines_of(&some) <= lines_of(&heaviest), "{some:?}");
            }
        }

        #[test]
        fn between_blocks_both_texts_are_equal(
            pieces in prop::collection::vec((0_usize..12_000, 0_usize..12_000, 1_u32..3, 1_usize..200), 1..6),
        ) {
            let (mut chain, mut old, mut new) = (Vec::new(), Vec::new(), Vec::new());
            for (removed, added, kinds, len) in pieces {
                old.extend((0..removed as u32).map(|i| Token(i % kinds)));
                new.extend((0..added as u32).map(|i| Token(i % kinds + kinds / 2)));
                chain.push(Run { old: old.len(), new: new.len(), len });
                let shared = (0..len as u32).map(|i| Token(9 + i));
                old.extend(shared.clone());
                new.extend(shared);
            }
            let blocks = blocks(&chain, &old, &new);
            let (mut old_at, mut new_at) = (0, 0);
            for block in &blocks {
                let (old_block, new_block) = (&old[block.old.clone()], &new[block.new.clone()]);
                let small = old_block.len() + new_block.len() <= MAX_BLOCK_LINES;
                prop_assert!(small || kept(old_block, new_block));
                prop_assert_eq!(&old[old_at..block.old.start], &new[new_at..block.new.start]);
                (old_at, new_at) = (block.old.end, block.new.end);
            }
            prop_assert_eq!(&old[old_at..], &new[new_at..]);
        }
    }

    /// Whether one text is the other with lines inserted at one place.
    fn kept(old: &[Token], new: &[Token]) -> bool {
        let head = old.iter().zip(new).take_while(|(x, y)| x == y).count();
        let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(x, y)| x == y).count();
        head + tail >= old.len().min(new.len())
    }
}
