//! Differences between two texts, as ranges of whole lines.

mod anchors;
mod blocks;

use std::ops::Range;

use imara_diff::{Algorithm, Diff, IndentHeuristic, IndentLevel, Interner, Token};
use memchr::{memchr, memrchr};

use self::anchors::{Plain, occurrences, plain, stretches};
use self::blocks::{Block, MARGIN, Run, blocks, heaviest_chain, note};
use crate::text::lines::{back, boundaries, count, forward, line_end};
use crate::text::span::Span;

/// Returns the changed ranges of lines. The shared start and end of both texts are only compared, except for a few
/// lines.
pub(crate) fn changes(before: &str, after: &str) -> Vec<Span> {
    let start = shared_start(before, after);
    let end = before.len() - shared_end(&before[start..], &after[start..]);
    if start == end && before.len() == after.len() {
        return Vec::new();
    }
    let after_end = |end: usize| after.len() - (before.len() - end);
    if (end - start).max(after_end(end) - start) >= i32::MAX as usize {
        // The diff algorithm counts lines in 32 bits.
        return vec![Span::between(before, after, start..end, start..after_end(end))];
    }
    let (start, end) = (back(before, start, MARGIN), forward(before, end, MARGIN));
    let (old, new) = (&before[start..end], &after[start..after_end(end)]);
    let line = count(&before[..start]);
    let Numbered { old, new, runs, lines, places } = Numbered::of(old, new);
    let chain = heaviest_chain(runs);
    let (old_tokens, new_tokens) = (&old.tokens, &new.tokens);
    let stretches = cut(chain, old_tokens, new_tokens, places, lines.num_tokens());
    let mut differ = Differ::new(&lines);
    let mut changes: Vec<Block> = Vec::new();
    for (stretch, runs) in stretches {
        match plain(old_tokens, new_tokens, &stretch) {
            Plain::Same => {}
            Plain::Change(change) => changes.push(change),
            Plain::Unknown => {
                for block in blocks(&runs, &stretch, old_tokens, new_tokens) {
                    note_changes(&mut changes, differ.changes(old_tokens, new_tokens, &block));
                }
            }
        }
    }
    changes
        .into_iter()
        .map(|change| Span {
            old_bytes: old.bytes(&change.old, start),
            new_bytes: new.bytes(&change.new, start),
            old_lines: line + change.old.start..line + change.old.end,
            new_lines: line + change.new.start..line + change.new.end,
        })
        .collect()
}

/// Maximum number of lines of both sides together that the algorithm gets at once. It may find more than anchors show,
/// so its result reads best, but it takes too long for many lines. In tests and fuzz targets the limit is tiny.
const AT_ONCE: usize = if cfg!(any(test, fuzzing)) { 4 } else { 2048 };

/// Cuts both texts into stretches for separate comparison.
fn cut(
    chain: Vec<Run>,
    old: &[Token],
    new: &[Token],
    places: Places,
    distinct: u32,
) -> Vec<(Block, Vec<Run>)> {
    if old.len() + new.len() <= AT_ONCE {
        return vec![(Block { old: 0..old.len(), new: 0..new.len() }, chain)];
    }
    let news = occurrences(new, distinct);
    stretches(&chain, old, new, |line| places.of(line).len() == 1 && news[line.0 as usize] == 1)
}

/// Adds the changes of a block. Changes that touch become one, because each of two adjacent blocks may contain a change
/// at its own side of the boundary.
fn note_changes(changes: &mut Vec<Block>, more: impl Iterator<Item = Block>) {
    for change in more {
        match changes.last_mut() {
            Some(last) if last.old.end == change.old.start && last.new.end == change.new.start => {
                (last.old.end, last.new.end) = (change.old.end, change.new.end);
            }
            _ => changes.push(change),
        }
    }
}

/// The diff algorithm, which runs on one block of lines after another.
struct Differ<'l, 't> {
    lines: &'l Interner<&'t [u8]>,
    diff: Diff,
    /// The block's own number for each line, because the algorithm's tables are as large as the largest number.
    own: Vec<Option<u32>>,
    old: Vec<Token>,
    new: Vec<Token>,
}

impl<'l, 't> Differ<'l, 't> {
    fn new(lines: &'l Interner<&'t [u8]>) -> Self {
        let own = vec![None; lines.num_tokens() as usize];
        Self { lines, diff: Diff::default(), own, old: Vec::new(), new: Vec::new() }
    }

    fn changes(&mut self, old: &[Token], new: &[Token], block: &Block) -> impl Iterator<Item = Block> {
        let (old, new) = (&old[block.old.clone()], &new[block.new.clone()]);
        let mut lines = Vec::new();
        let mut number = |line: &Token| {
            Token(*self.own[line.0 as usize].get_or_insert_with(|| {
                lines.push(*line);
                lines.len() as u32 - 1
            }))
        };
        self.old.clear();
        self.old.extend(old.iter().map(&mut number));
        self.new.clear();
        self.new.extend(new.iter().map(&mut number));
        self.diff.compute_with(Algorithm::Histogram, &self.old, &self.new, lines.len() as u32);
        let indent = |own: Token| {
            // Deeper indentation does not show better where a block begins, and one line may be the whole text.
            let line = self.lines[lines[own.0 as usize]];
            IndentLevel::for_ascii_line(line.iter().take(256).copied(), 8)
        };
        self.diff.postprocess_with(&self.old, &self.new, IndentHeuristic::new(indent));
        for line in &lines {
            self.own[line.0 as usize] = None;
        }
        let at = |lines: Range<u32>, start: usize| start + lines.start as usize..start + lines.end as usize;
        self.diff.hunks().map(move |hunk| Block {
            old: at(hunk.before, block.old.start),
            new: at(hunk.after, block.new.start),
        })
    }
}

/// A text with a number for the content of each of its lines.
struct Side {
    tokens: Vec<Token>,
    /// The byte offset of every line boundary.
    starts: Vec<usize>,
}

impl Side {
    /// Returns the bytes of some lines of this side. `start` is the offset of this side in a longer text.
    fn bytes(&self, lines: &Range<usize>, start: usize) -> Range<usize> {
        start + self.starts[lines.start]..start + self.starts[lines.end]
    }
}

/// Two texts in which equal lines have equal numbers.
struct Numbered<'t> {
    old: Side,
    new: Side,
    /// Runs of lines that both texts share, in the order of the new text.
    runs: Vec<Run>,
    lines: Interner<&'t [u8]>,
    /// Where the old text has each line.
    places: Places,
}

impl<'t> Numbered<'t> {
    /// Numbers the lines of both texts.
    ///
    /// Comparing a line of the new text with the next expected line of the old text is several times cheaper than
    /// hashing it. If they differ, one hash finds the nearest place of the new line in the old text, and the comparison
    /// continues there.
    fn of(old_text: &'t str, new_text: &'t str) -> Self {
        let starts = boundaries(old_text);
        let mut lines = Interner::new(starts.len());
        let numbered = starts.windows(2).map(|line| lines.intern(&old_text.as_bytes()[line[0]..line[1]]));
        let old = Side { tokens: numbered.collect(), starts };
        let places = Places::new(&old.tokens, lines.num_tokens());
        let mut new = Side { tokens: Vec::with_capacity(old.tokens.len()), starts: vec![0] };
        new.starts.reserve(old.tokens.len());
        let mut runs: Vec<Run> = Vec::new();
        let (mut next, mut at) = (0, 0);
        while at < new_text.len() {
            let from = old.starts[next];
            let same = same_start(&old_text.as_bytes()[from..], &new_text.as_bytes()[at..]);
            let mut shared = lines_within(&old.starts[next..], same);
            let goes_on = at + same < new_text.len() && !old_text.ends_with('\n');
            if shared > 0 && from + same == old_text.len() && goes_on {
                // The last line is longer in the text after.
                shared -= 1;
            }
            if shared > 0 {
                note(&mut runs, Run { old: next, new: new.tokens.len(), len: shared });
                let end = next + shared;
                new.tokens.extend_from_slice(&old.tokens[next..end]);
                new.starts.extend(old.starts[next + 1..=end].iter().map(|start| start - from + at));
                (next, at) = (end, at + old.starts[end] - from);
                continue;
            }
            let end = line_end(new_text, at);
            let token = lines.intern(&new_text.as_bytes()[at..end]);
            next = match places.nearest(token, next) {
                Some(place) => {
                    note(&mut runs, Run { old: place, new: new.tokens.len(), len: 1 });
                    place + 1
                }
                // It replaces another line.
                None => (next + 1).min(old.tokens.len()),
            };
            new.tokens.push(token);
            new.starts.push(end);
            at = end;
        }
        Self { old, new, runs, lines, places }
    }
}

/// Returns the number of lines that are entirely within the first `bytes` bytes of a text with these boundaries. Costs
/// little for few lines.
fn lines_within(boundaries: &[usize], bytes: usize) -> usize {
    let end = boundaries[0] + bytes;
    let mut reach = 1;
    while boundaries.get(reach).is_some_and(|at| *at <= end) {
        reach *= 2;
    }
    let low = reach / 2;
    low + boundaries[low..boundaries.len().min(reach)].partition_point(|at| *at <= end) - 1
}

/// The places of each line in the old text.
struct Places {
    /// Indices of lines, grouped by token and in order within each group.
    lines: Vec<u32>,
    /// For each token, the index in `lines` at which its lines begin. The final entry is the length of `lines`.
    starts: Vec<u32>,
}

impl Places {
    fn new(tokens: &[Token], distinct: u32) -> Self {
        let mut starts = vec![0_u32; distinct as usize + 1];
        for token in tokens {
            starts[token.0 as usize] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut lines = vec![0; tokens.len()];
        for (i, token) in tokens.iter().enumerate().rev() {
            let start = &mut starts[token.0 as usize];
            *start -= 1;
            lines[*start as usize] = i as u32;
        }
        Self { lines, starts }
    }

    /// Returns the places of a line, in order.
    fn of(&self, token: Token) -> &[u32] {
        let token = token.0 as usize;
        self.starts.get(token..token + 2).map_or(&[], |ends| &self.lines[ends[0] as usize..ends[1] as usize])
    }

    fn nearest(&self, token: Token, to: usize) -> Option<usize> {
        let lines = self.of(token);
        let after = lines.partition_point(|&line| (line as usize) < to);
        // A line may have been inserted where `of` took it for a replacement, and then the line before is the one.
        let around = [after.checked_sub(1).map(|i| &lines[i]), lines.get(after)];
        around.into_iter().flatten().map(|&line| line as usize).min_by_key(|line| line.abs_diff(to))
    }
}

/// Returns the size in bytes of the whole lines that both texts begin with.
fn shared_start(a: &str, b: &str) -> usize {
    let same = same_start(a.as_bytes(), b.as_bytes());
    if same == a.len() && same == b.len() {
        return same;
    }
    memrchr(b'\n', &a.as_bytes()[..same]).map_or(0, |i| i + 1)
}

/// Returns the size in bytes of the whole lines that both texts end with.
fn shared_end(a: &str, b: &str) -> usize {
    let (x, y) = (a.as_bytes(), b.as_bytes());
    let same = same_end(x, y);
    let from = a.len() - same;
    let starts_line = |text: &[u8], at: usize| at == 0 || text[at - 1] == b'\n';
    if starts_line(x, from) && starts_line(y, b.len() - same) {
        return same;
    }
    memchr(b'\n', &x[from..]).map_or(0, |i| same - i - 1)
}

/// Bytes compared at once, in vector registers.
const BLOCK: usize = 64;

/// Returns the number of bytes that both begin with.
pub(crate) fn same_start(a: &[u8], b: &[u8]) -> usize {
    let blocks = a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK));
    let at = BLOCK * blocks.take_while(|(x, y)| x.first_chunk::<BLOCK>() == y.first_chunk()).count();
    at + a[at..].iter().zip(&b[at..]).take_while(|(x, y)| x == y).count()
}

/// Returns the number of bytes that both end with.
pub(crate) fn same_end(a: &[u8], b: &[u8]) -> usize {
    let blocks = a.rchunks_exact(BLOCK).zip(b.rchunks_exact(BLOCK));
    let at = BLOCK * blocks.take_while(|(x, y)| x.first_chunk::<BLOCK>() == y.first_chunk()).count();
    let (a, b) = (&a[..a.len() - at], &b[..b.len() - at]);
    at + a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The algorithm would agree with `plain` about the blocks that it never gets.
        #[test]
        fn what_is_plain_is_what_the_algorithm_says(old in "([a-h]\n){0,16}", new in "([a-h]\n){0,16}") {
            let numbered = Numbered::of(&old, &new);
            let (old, new) = (&numbered.old.tokens, &numbered.new.tokens);
            let all = Block { old: 0..old.len(), new: 0..new.len() };
            let said: Vec<_> = Differ::new(&numbered.lines).changes(old, new, &all).collect();
            match plain(old, new, &all) {
                Plain::Same => prop_assert_eq!(said, []),
                Plain::Change(change) => prop_assert_eq!(said, [change]),
                Plain::Unknown => prop_assert!(!said.is_empty()),
            }
        }
    }

    proptest! {
        /// The changed ranges lead from one text to the other, are in order, and have unchanged lines between them.
        #[test]
        fn changes_lead_from_one_text_to_the_other(
            old in "([a-h]\n|[a-c]{0,2}\n){0,20}[a-b]?",
            new in "([a-h]\n|[a-c]{0,2}\n){0,20}[a-b]?",
        ) {
            let (mut made, mut at, mut line) = (String::new(), 0, None);
            for Span { old_bytes, new_bytes, old_lines, .. } in changes(&old, &new) {
                prop_assert!(line.is_none_or(|line| line < old_lines.start), "{old_lines:?}");
                made += &old[at..old_bytes.start];
                made += &new[new_bytes];
                (at, line) = (old_bytes.end, Some(old_lines.end));
            }
            made += &old[at..];
            prop_assert_eq!(made, new);
        }
    }

    #[test]
    fn lines_within_are_those_up_to_a_byte() {
        let boundaries = [7, 9, 10, 14, 20, 21, 30];
        for bytes in 0..=23 {
            let within = boundaries[1..].iter().filter(|at| **at <= 7 + bytes).count();
            assert_eq!(lines_within(&boundaries, bytes), within, "{bytes}");
        }
    }

    #[test]
    fn shared_ends_are_whole_lines() {
        for (a, b, start, end) in [
            ("", "", 0, 0),
            ("a\nb\n", "a\nb\n", 4, 0),
            ("a\nb", "a\nbc", 2, 0),
            ("a\nb\n", "a\nb", 2, 0),
            ("xa\nb\n", "ya\nb\n", 0, 2),
            ("a\n", "b\na\n", 0, 2),
            ("a\n", "ba\n", 0, 0),
            ("ba\n", "a\n", 0, 0),
            ("a\nc\n", "ba\nc\n", 0, 2),
            ("é\n", "è\n", 0, 0),
        ] {
            assert_eq!(shared_start(a, b), start, "{a:?} {b:?}");
            assert_eq!(shared_end(&a[start..], &b[start..]), end, "{a:?} {b:?}");
        }
    }

    #[test]
    fn blocks_and_single_bytes_are_compared_alike() {
        for len in [1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK] {
            let a = vec![b'x'; len];
            for odd in 0..len {
                let mut b = a.clone();
                b[odd] = b'y';
                assert_eq!((same_start(&a, &b), same_end(&a, &b)), (odd, len - odd - 1), "{odd} of {len}");
                assert_eq!((same_start(&a, &b[..odd]), same_end(&a[odd + 1..], &b)), (odd, len - odd - 1));
            }
        }
    }
}
