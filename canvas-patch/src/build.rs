//! Building a patch from a text before and a text after.

use imara_diff::{Algorithm, Diff, InternedInput};

use crate::apply::apply;
use crate::lines::{count, line_end};
use crate::options::{Limits, Mode, Options};
use crate::unified::{self, Edit};

/// Builds the unified diff that leads from `before` to `after`, without file names; empty where they are equal.
///
/// The patch has been applied strictly to `before` and has given `after`. `context` is the number of unchanged lines
/// around each change; three is customary. Time is linear in the texts and at worst quadratic in what they do not
/// share, which the diff algorithm's heuristics cut short.
///
/// # Panics
///
/// Where the strict applier refuses the patch: a defect of this crate, never of the input.
///
/// ```
/// let patch = canvas_patch::build("a\nb\n", "a\nc\n", 3);
/// assert_eq!(patch, "@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
/// ```
pub fn build(before: &str, after: &str, context: usize) -> String {
    let patch = unified::hunks(before, after, &changes(before, after), context);
    if !patch.is_empty() {
        let limits = Limits { text_bytes: usize::MAX, patch_bytes: usize::MAX, hunks: usize::MAX };
        let applied = apply(before, &patch, &Options { mode: Mode::Strict, limits });
        let applied = applied.expect("a built patch fits the text that it was built from");
        assert!(applied.text() == after, "a built patch gives the text that it was built for");
    }
    patch
}

/// The changed stretches of lines. What both texts share at their ends never reaches the diff algorithm.
pub(crate) fn changes(before: &str, after: &str) -> Vec<Edit> {
    let start = shared_start(before, after);
    let end = shared_end(&before[start..], &after[start..]);
    let old = &before[start..before.len() - end];
    let new = &after[start..after.len() - end];
    if old.is_empty() && new.is_empty() {
        return Vec::new();
    }
    let line = count(&before[..start]);
    if old.is_empty() || new.is_empty() {
        let (old_end, new_end) = (start + old.len(), start + new.len());
        return vec![Edit { old: start..old_end, new: start..new_end, old_line: line, new_line: line }];
    }
    let input = InternedInput::new(old, new);
    let mut diff = Diff::compute(Algorithm::Myers, &input);
    diff.postprocess_lines(&input);
    let mut old_at = Walk { text: before, at: start, line };
    let mut new_at = Walk { text: after, at: start, line };
    diff.hunks()
        .map(|hunk| {
            let old_from = old_at.to(line + hunk.before.start as usize);
            let old_line = old_at.line;
            let old_to = old_at.to(line + hunk.before.end as usize);
            let new_from = new_at.to(line + hunk.after.start as usize);
            let new_line = new_at.line;
            let new_to = new_at.to(line + hunk.after.end as usize);
            Edit { old: old_from..old_to, new: new_from..new_to, old_line, new_line }
        })
        .collect()
}

/// A walk over the line boundaries of a text.
struct Walk<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl Walk<'_> {
    fn to(&mut self, line: usize) -> usize {
        while self.line < line {
            self.at = line_end(self.text, self.at);
            self.line += 1;
        }
        self.at
    }
}

/// Bytes of whole lines that both texts begin with.
fn shared_start(a: &str, b: &str) -> usize {
    let same = same_bytes(a.as_bytes(), b.as_bytes());
    if same == a.len() && same == b.len() {
        return same;
    }
    a[..floor(a, same)].rfind('\n').map_or(0, |i| i + 1)
}

/// Bytes of whole lines that both texts end with.
fn shared_end(a: &str, b: &str) -> usize {
    let (x, y) = (a.as_bytes(), b.as_bytes());
    let same = x.iter().rev().zip(y.iter().rev()).take_while(|(p, q)| p == q).count();
    let from = a.len() - same;
    let starts_line = |text: &str, at: usize| at == 0 || text.as_bytes()[at - 1] == b'\n';
    if starts_line(a, from) && starts_line(b, b.len() - same) {
        return same;
    }
    memchr::memchr(b'\n', &x[from..]).map_or(0, |i| same - i - 1)
}

fn same_bytes(a: &[u8], b: &[u8]) -> usize {
    const STEP: usize = 64;
    let steps = a.chunks(STEP).zip(b.chunks(STEP)).take_while(|(x, y)| x.len() == STEP && x == y).count();
    let at = steps * STEP;
    at + a[at..].iter().zip(&b[at..]).take_while(|(x, y)| x == y).count()
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0)
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
}
