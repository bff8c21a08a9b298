//! Finds similar lines by the short runs of bytes that they share, beginning with the rare ones.
//!
//! The text is read once, however many lines are sought. Runs that collide in the table are dropped. A text or a patch
//! made to collide is therefore searched less well, but not more slowly.

use super::likeness::{ALIKE, likeness};
use crate::text::numbered::NumberedLines;

/// Lines of the text that are similar to one line, each with its likeness, the most similar first.
pub(super) type Alike = Vec<(usize, u32)>;

/// Maximum number of runs of one line that are searched for.
const RUNS: usize = 64;

/// Maximum number of places kept for one run.
const PLACES: usize = 512;

/// Number of places after which no further runs are weighed for one line, and maximum lines compared with it.
const WEIGHED: usize = 2048;
const COMPARED: usize = 8;

/// Lines of at least this many bytes are found by long runs, which are rarer. A short line with one wrong letter has no
/// long run in common with the right one.
const LONG_LINE: usize = 32;

/// Returns for each line in `sought` the lines of the text that are [`ALIKE`].
pub(super) fn alike(lines: &NumberedLines<'_>, sought: &[&str]) -> Vec<Alike> {
    let (mut short, mut long) = (Runs::<4>::default(), Runs::<8>::default());
    let own: Vec<_> = sought
        .iter()
        .map(|line| if line.len() < LONG_LINE { short.add(line) } else { long.add(line) })
        .collect();
    short.make_table();
    long.make_table();
    for (i, line) in lines.iter().enumerate() {
        short.see(i, line);
        long.see(i, line);
    }
    sought
        .iter()
        .zip(own)
        .map(|(line, own)| {
            let near = if line.len() < LONG_LINE { short.sharing(own) } else { long.sharing(own) };
            let near = near.into_iter().map(|i| (i, lines.get(i).map_or(0, |near| likeness(line, near))));
            let mut alike: Alike = near.filter(|&(_, likeness)| likeness >= ALIKE).collect();
            alike.sort_by_key(|&(i, likeness)| (std::cmp::Reverse(likeness), i));
            alike
        })
        .collect()
}

/// Runs of `N` bytes to search for. `N` is at most 8.
#[derive(Default)]
struct Runs<const N: usize> {
    runs: Vec<Run>,
    /// For each hash, the index of a run, counted from 1, or 0 for none. The length is a power of two.
    table: Vec<u32>,
}

struct Run {
    bytes: u64,
    /// The first lines that contain it, at most [`PLACES`], in order.
    places: Vec<usize>,
    /// Number of all lines that contain it.
    count: usize,
    last: usize,
}

impl<const N: usize> Runs<N> {
    /// Adds evenly spread runs of a line and returns their indices.
    fn add(&mut self, line: &str) -> std::ops::Range<usize> {
        let first = self.runs.len();
        let all = line.len().saturating_sub(N - 1);
        let step = all.div_ceil(RUNS).max(1);
        let chosen = line.as_bytes().windows(N).step_by(step);
        self.runs.extend(chosen.map(|run| Run {
            bytes: bytes(run),
            places: Vec::new(),
            count: 0,
            last: usize::MAX,
        }));
        first..self.runs.len()
    }

    fn make_table(&mut self) {
        if self.runs.is_empty() {
            return;
        }
        self.table = vec![0; (self.runs.len() * 16).next_power_of_two()];
        for (i, run) in (1..).zip(&self.runs) {
            let slot = slot(run.bytes, self.table.len());
            self.table[slot] = i;
        }
    }

    fn see(&mut self, number: usize, line: &str) {
        if self.runs.is_empty() {
            return;
        }
        for run in line.as_bytes().windows(N) {
            let bytes = bytes(run);
            let Some(i) = self.table[slot(bytes, self.table.len())].checked_sub(1) else { continue };
            let run = &mut self.runs[i as usize];
            if run.bytes == bytes && run.last != number {
                run.last = number;
                run.count += 1;
                if run.places.len() < PLACES {
                    run.places.push(number);
                }
            }
        }
    }

    /// Returns the lines of the text that share most with the sought line whose runs are `own`. Rare runs count more.
    fn sharing(&self, own: std::ops::Range<usize>) -> Vec<usize> {
        let mut rare: Vec<&Run> = self.runs[own].iter().collect();
        rare.sort_by_key(|run| run.count);
        let mut shared: Vec<(usize, usize)> = Vec::new();
        for run in rare {
            shared.extend(run.places.iter().map(|&place| (place, WEIGHED * PLACES / run.count)));
            if shared.len() > WEIGHED {
                break;
            }
        }
        shared.sort_unstable();
        let mut lines: Vec<(usize, usize)> = Vec::new();
        for (line, weight) in shared {
            match lines.last_mut() {
                Some(last) if last.0 == line => last.1 += weight,
                _ => lines.push((line, weight)),
            }
        }
        lines.sort_by_key(|&(line, weight)| (std::cmp::Reverse(weight), line));
        lines.truncate(COMPARED);
        lines.into_iter().map(|(line, _)| line).collect()
    }
}

/// Converts a run to a number that does not distinguish the case of ASCII letters, nor some signs.
fn bytes(run: &[u8]) -> u64 {
    const CASE: u64 = 0x2020_2020_2020_2020;
    let mut bytes = [0; 8];
    bytes[..run.len()].copy_from_slice(run);
    u64::from_le_bytes(bytes) | CASE
}

/// Returns the slot of a run by Fibonacci hashing (Knuth), since the high bits of the product depend on all of the
/// others.
fn slot(bytes: u64, slots: usize) -> usize {
    (bytes.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & (slots - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_wrong_word_is_found_among_many_lines() {
        let mut text: String = (0..5000)
            .map(|i| format!("line {i} of the text, of which there are many\n- item {i}\n"))
            .collect();
        text.push_str("the quick brown fox jumps over the lazy dog\n- call home\n");
        text.push_str(&"the dog\n".repeat(3000));
        let lines = NumberedLines::new(&text);
        let sought = ["the quick brown fox leaps over the lazy dog", "- call Home", "zzz", "", "qqqqqqqq"];
        let found = alike(&lines, &sought);
        let first: Vec<_> = found.iter().map(|alike| alike.first().map(|(line, _)| *line)).collect();
        assert_eq!(first, [Some(10_000), Some(10_001), None, None, None]);
    }
}
