//! What differs between two texts, as stretches of lines.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, IndentHeuristic, IndentLevel, Interner, Token};
use memchr::{memchr, memrchr};

use crate::lines::{boundaries, count, line_end};
use crate::unified::Edit;

/// The changed stretches of lines. What both texts share at their ends never reaches the diff algorithm.
pub(super) fn between(before: &str, after: &str) -> Vec<Edit> {
    let start = shared_start(before, after);
    let end = shared_end(&before[start..], &after[start..]);
    let old = &before[start..before.len() - end];
    let new = &after[start..after.len() - end];
    if old.is_empty() && new.is_empty() {
        return Vec::new();
    }
    let line = count(&before[..start]);
    let whole =
        Edit { old: start..start + old.len(), new: start..start + new.len(), old_line: line, new_line: line };
    if old.is_empty() || new.is_empty() {
        return vec![whole];
    }
    let (old, new, lines) = Side::both(old, new);
    if old.tokens.len() + new.tokens.len() >= i32::MAX as usize {
        // The diff algorithm counts in 32 bits.
        return vec![whole];
    }
    let mut diff = Diff::default();
    diff.compute_with(Algorithm::Myers, &old.tokens, &new.tokens, lines.num_tokens());
    // Deeper indentation says nothing more about where a block begins, and a line may be all of the text.
    let indent = |line: Token| IndentLevel::for_ascii_line(lines[line].iter().take(256).copied(), 8);
    diff.postprocess_with(&old.tokens, &new.tokens, IndentHeuristic::new(indent));
    diff.hunks()
        .map(|hunk| Edit {
            old: old.bytes(&hunk.before, start),
            new: new.bytes(&hunk.after, start),
            old_line: line + hunk.before.start as usize,
            new_line: line + hunk.after.start as usize,
        })
        .collect()
}

/// A text as numbers of its lines.
struct Side {
    tokens: Vec<Token>,
    /// Every line boundary.
    starts: Vec<usize>,
}

impl Side {
    /// Numbers the lines of both texts alike.
    fn both<'t>(old: &'t str, new: &'t str) -> (Self, Self, Interner<&'t [u8]>) {
        let starts = boundaries(old);
        let mut lines = Interner::new(starts.len());
        let numbered = starts.windows(2).map(|line| lines.intern(&old.as_bytes()[line[0]..line[1]]));
        let tokens = numbered.collect();
        let old_side = Self { tokens, starts };
        let new_side = old_side.follow(old, new, &mut lines);
        (old_side, new_side, lines)
    }

    /// Numbers the lines of the text after. Comparing them with the lines of the text before that should come next
    /// is several times cheaper than hashing them; where that fails, one hash tells where to go on.
    fn follow<'t>(&self, old: &'t str, new: &'t str, lines: &mut Interner<&'t [u8]>) -> Self {
        let known = lines.num_tokens();
        let mut first_at = vec![0; known as usize];
        for (i, token) in self.tokens.iter().enumerate().rev() {
            first_at[token.0 as usize] = i;
        }
        let mut side = Self { tokens: Vec::with_capacity(self.tokens.len()), starts: vec![0] };
        side.starts.reserve(self.starts.len());
        let (mut next, mut at) = (0, 0);
        while at < new.len() {
            let from = self.starts[next];
            let same = same_start(&old.as_bytes()[from..], &new.as_bytes()[at..]);
            let mut shared = self.starts[next..].partition_point(|start| start - from <= same) - 1;
            if shared > 0 && from + same == old.len() && at + same < new.len() && !old.ends_with('\n') {
                // The last line goes on in the text after.
                shared -= 1;
            }
            if shared > 0 {
                let run = next..next + shared;
                side.tokens.extend_from_slice(&self.tokens[run.clone()]);
                side.starts
                    .extend(self.starts[run.start + 1..=run.end].iter().map(|start| start - from + at));
                (next, at) = (run.end, at + self.starts[run.end] - from);
                continue;
            }
            let end = line_end(new, at);
            let token = lines.intern(&new.as_bytes()[at..end]);
            next = match token.0 < known {
                true => first_at[token.0 as usize] + 1,
                // A line that stands for another.
                false => (next + 1).min(self.tokens.len()),
            };
            side.tokens.push(token);
            side.starts.push(end);
            at = end;
        }
        side
    }

    /// The bytes of some lines of a text whose first byte is at `start` of a longer one.
    fn bytes(&self, lines: &Range<u32>, start: usize) -> Range<usize> {
        start + self.starts[lines.start as usize]..start + self.starts[lines.end as usize]
    }
}

/// Bytes of whole lines that both texts begin with.
fn shared_start(a: &str, b: &str) -> usize {
    let same = same_start(a.as_bytes(), b.as_bytes());
    if same == a.len() && same == b.len() {
        return same;
    }
    memrchr(b'\n', &a.as_bytes()[..same]).map_or(0, |i| i + 1)
}

/// Bytes of whole lines that both texts end with.
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

/// Bytes that both begin with.
pub(crate) fn same_start(a: &[u8], b: &[u8]) -> usize {
    let blocks = a.as_chunks::<BLOCK>().0.iter().zip(b.as_chunks::<BLOCK>().0);
    let at = BLOCK * blocks.take_while(|(x, y)| x == y).count();
    at + a[at..].iter().zip(&b[at..]).take_while(|(x, y)| x == y).count()
}

/// Bytes that both end with.
pub(crate) fn same_end(a: &[u8], b: &[u8]) -> usize {
    let blocks = a.as_rchunks::<BLOCK>().1.iter().rev().zip(b.as_rchunks::<BLOCK>().1.iter().rev());
    let at = BLOCK * blocks.take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[..a.len() - at], &b[..b.len() - at]);
    at + a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_ends_are_whole_lines() {
        for (a, b, start, end) in [
            ("", "", 0, 0),
            ("a\nb\n", "a\nb\n", 4, 0),
            ("a\nb", "a\nbc", 2, 0),
            ("a\nb\n", "a\nb", 2, 0),
            ("xa\nb\n", "ya\nb\n", 0, 2),
            ("a\n", "b\na\n", 0, 2),
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
