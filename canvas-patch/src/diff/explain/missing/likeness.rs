//! The similarity of two lines, for reports only.

use crate::diff::slips::is_elision;
use crate::text::boundary::{ceil_char_boundary, floor_char_boundary};

/// Minimum [`likeness`] at which lines count as versions of one another.
pub(super) const ALIKE: u32 = 450;

/// Value of [`likeness`] for equal lines.
pub(super) const EQUAL: u32 = 1000;

/// Maximum bytes compared character by character, between the shared beginning and end of two lines.
const COMPARED: usize = 240;

/// Returns the similarity of two lines without terminators, in thousandths. Costs at most 2^16 steps in addition to a
/// pass over both.
pub(super) fn likeness(quoted: &str, line: &str) -> u32 {
    if quoted == line {
        return EQUAL;
    }
    let (a, b) = (quoted.trim(), line.trim());
    if a.is_empty() || b.is_empty() || is_elision(a) {
        return 0;
    }
    if a.eq_ignore_ascii_case(b) {
        return EQUAL - 10;
    }
    let (short, long) = (a.len().min(b.len()), a.len().max(b.len()));
    let start = floor_char_boundary(a, a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count());
    let (rest_a, rest_b) = (&a[start..], &b[floor_char_boundary(b, start)..]);
    if rest_a.is_empty() {
        // Half a line, as models quote it, is nearer than any other line.
        return ALIKE + 100 + thousandths(short, long) / 5;
    }
    let same = rest_a.bytes().rev().zip(rest_b.bytes().rev()).take_while(|(x, y)| x == y).count();
    let end = rest_a.len() - ceil_char_boundary(rest_a, rest_a.len() - same);
    let (mid_a, mid_b) = (&rest_a[..rest_a.len() - end], &rest_b[..rest_b.len().saturating_sub(end)]);
    let shared = start + end;
    let differing = long - shared.min(long);
    let alike_between = if mid_a.len().max(mid_b.len()) <= COMPARED {
        (strsim::normalized_levenshtein(mid_a, mid_b) * f64::from(EQUAL)) as u32
    } else {
        // Longer differences are judged by their beginnings, which is enough for the ranking.
        let cut = |text: &str| floor_char_boundary(text, COMPARED.min(text.len()));
        (strsim::normalized_levenshtein(&mid_a[..cut(mid_a)], &mid_b[..cut(mid_b)]) * f64::from(EQUAL)) as u32
    };
    thousandths(shared, long) + thousandths(differing, long) * alike_between / EQUAL
}

fn thousandths(part: usize, whole: usize) -> u32 {
    u32::try_from(part.saturating_mul(EQUAL as usize) / whole.max(1)).unwrap_or(EQUAL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_alike() {
        for (a, b, least, most) in [
            ("one two tree four", "one two three four", 900, 999),
            ("  x", "x", 990, 990),
            ("## LINKS", "## Links", 990, 990),
            ("## ", "## Contents", ALIKE, 800),
            ("カレント（と）", "カレント(と)", 700, 950),
            ("# T", "one two three", 0, 300),
            ("- b", "- c", 600, 700),
            ("", "x", 0, 0),
            ("...", "....", 0, 0),
            ("aXb", "ab", 600, 700),
            ("aaa", "aaaaaa", ALIKE, 800),
            ("é", "è", 0, 500),
        ] {
            let found = likeness(a, b);
            assert!((least..=most).contains(&found), "{a:?} {b:?}: {found}");
        }
        let (a, b) = ("x".repeat(100_000), format!("{}z", "y".repeat(100_000)));
        assert!(likeness(&a, &b) < ALIKE);
        assert!(likeness(&format!("{a}{b}"), &format!("{a}q{b}")) > 990);
        let long = "one two three four ".repeat(99);
        assert!(likeness(&long, &long.replace("three", "tree")) > 800);
    }
}
