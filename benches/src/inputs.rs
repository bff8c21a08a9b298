//! Documents and edits, the same in every run.

use std::fmt::Write as _;

/// A document, an edited version of it, and the patch between them.
#[derive(Debug)]
pub struct Edited {
    /// The document.
    pub before: String,
    /// What every subject has to make of it.
    pub after: String,
    /// A unified diff with file names, three lines of context and one hunk for each edit.
    pub patch: String,
}

/// Lines that an edit needs for itself: two changed ones, and context that no neighbour shares.
const LINES_PER_EDIT: usize = 9;

impl Edited {
    /// The patch without the numbers of its headers, so that hunks are placed by their content.
    pub fn bare_patch(&self) -> String {
        let bare = |line| if str::starts_with(line, "@@") { "@@\n" } else { line };
        self.patch.split_inclusive('\n').map(bare).collect()
    }

    /// A document of `size` bytes with `hunks` edits spread evenly over it; `None` where they do not fit.
    ///
    /// # Panics
    ///
    /// Where neighbouring edits share a hunk after all: a defect of the generator.
    pub fn new(size: usize, hunks: usize) -> Option<Self> {
        let before = document(size);
        let lines: Vec<_> = before.split_inclusive('\n').collect();
        if lines.len() < hunks * LINES_PER_EDIT {
            return None;
        }
        let after = edit(&lines, hunks);
        let body = canvas_patch::build(&before, &after, 3);
        assert_eq!(body.lines().filter(|line| line.starts_with("@@")).count(), hunks);
        let patch = format!("--- a/document.md\n+++ b/document.md\n{body}");
        Some(Self { before, after, patch })
    }
}

/// Replaces a line, replaces two, or inserts one, in turn.
fn edit(lines: &[&str], edits: usize) -> String {
    let mut after = String::new();
    let mut done = 0;
    for i in 0..edits {
        let at = (2 * i + 1) * lines.len() / (2 * edits);
        let (replaced, added) = [(1, 1), (2, 2), (0, 1)][i % 3];
        after.extend(lines[done..at].iter().copied());
        for n in 0..added {
            let _ = writeln!(after, "Edit {i} says in its line {n} what the document did not say before.");
        }
        done = at + replaced;
    }
    after.extend(lines[done..].iter().copied());
    after
}

/// Markdown of exactly `size` bytes: wrapped prose, headings, lists and code fences.
pub fn document(size: usize) -> String {
    let mut writer = Writer { out: String::with_capacity(size + 1024), dice: Lcg(size as u64) };
    let mut section = 0;
    while writer.out.len() < size {
        section += 1;
        writer.section(section);
    }
    let end = writer.out.floor_char_boundary(size - 1);
    writer.out.truncate(end);
    writer.out.extend(std::iter::repeat_n('.', size - 1 - end));
    writer.out.push('\n');
    writer.out
}

/// Knuth's 64-bit linear congruential generator: the same numbers everywhere, and no dependency.
struct Lcg(u64);

impl Lcg {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // The high bits are the random ones.
        (self.0 >> 33) as usize % bound
    }
}

const WORDS: [&str; 40] = [
    "the", "a", "of", "and", "canvas", "text", "board", "lease", "user", "model", "reads", "writes", "holds",
    "every", "change", "line", "section", "before", "after", "when", "server", "returns", "patch", "that",
    "small", "first", "naïve", "café", "—", "`apply`", "**must**", "document", "revision", "is", "in", "to",
    "with", "without", "keeps", "order",
];

struct Writer {
    out: String,
    dice: Lcg,
}

impl Writer {
    fn section(&mut self, number: usize) {
        let level = 2 + self.dice.below(3);
        let _ = write!(self.out, "{} {number}. ", "#".repeat(level));
        self.words(4);
        self.out.push_str("\n\n");
        for _ in 0..1 + self.dice.below(3) {
            self.paragraph();
        }
        match self.dice.below(4) {
            0 => self.fence(),
            1 | 2 => self.list(),
            _ => {}
        }
    }

    fn paragraph(&mut self) {
        for _ in 0..2 + self.dice.below(5) {
            let words = 9 + self.dice.below(5);
            self.words(words);
            self.out.push('\n');
        }
        self.out.push('\n');
    }

    fn list(&mut self) {
        for _ in 0..3 + self.dice.below(5) {
            self.out.push_str("- ");
            let words = 4 + self.dice.below(6);
            self.words(words);
            self.out.push('\n');
        }
        self.out.push('\n');
    }

    fn fence(&mut self) {
        self.out.push_str("```rust\n");
        for _ in 0..3 + self.dice.below(6) {
            let (name, value) = (self.dice.below(WORDS.len()), self.dice.below(1_000));
            let _ = writeln!(self.out, "    let value_{name} = compute({value});");
        }
        self.out.push_str("```\n\n");
    }

    fn words(&mut self, count: usize) {
        for i in 0..count {
            if i > 0 {
                self.out.push(' ');
            }
            self.out.push_str(WORDS[self.dice.below(WORDS.len())]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_have_the_size_asked_for_and_stay_the_same() {
        for size in [10_000, 100_000] {
            let text = document(size);
            assert_eq!(text.len(), size);
            assert!(text.ends_with('\n'));
            assert_eq!(text, document(size));
        }
    }

    #[test]
    fn edits_give_one_hunk_each_where_they_fit() {
        for (size, hunks, fits) in
            [(10_000, 1, true), (10_000, 10, true), (10_000, 200, false), (100_000, 200, true)]
        {
            assert_eq!(Edited::new(size, hunks).is_some(), fits, "{size} bytes, {hunks} hunks");
        }
    }
}
