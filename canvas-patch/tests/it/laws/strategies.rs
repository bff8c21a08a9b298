//! Faults of patches and texts, and things that are hardly patches. What is of use to others is in
//! `canvas_patch::strategies`.

use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Whether all lines of both texts end alike.
pub(crate) fn is_uniform(before: &str, after: &str) -> bool {
    let mut lines = [before, after].into_iter().flat_map(|text| text.split_inclusive('\n'));
    let mut ended = lines.by_ref().filter(|line| line.ends_with('\n')).map(|line| line.ends_with("\r\n"));
    let first = ended.next();
    ended.all(|other| Some(other) == first)
}

/// A fault in a patch or a text.
#[derive(Debug, Clone)]
pub(crate) enum Mutation {
    Drop(Index),
    Duplicate(Index),
    Swap(Index, Index),
    Insert(Index, &'static str),
    Number(Index, usize),
    Char(Index, char),
    Cut(Index),
}

impl Mutation {
    pub(crate) fn any() -> impl Strategy<Value = Self> {
        let inserted =
            select(vec!["\\ No newline\n", "@@ -1 +1 @@\n", " a\n", "-b\n", "+a\n", "+\n", "\n", "a\n"]);
        // Numbers are where a patch can be wrong and still look right.
        prop_oneof![
            2 => any::<Index>().prop_map(Self::Drop),
            2 => any::<Index>().prop_map(Self::Duplicate),
            1 => any::<(Index, Index)>().prop_map(|(a, b)| Self::Swap(a, b)),
            2 => (any::<Index>(), inserted).prop_map(|(at, line)| Self::Insert(at, line)),
            4 => (any::<Index>(), 0_usize..9).prop_map(|(at, number)| Self::Number(at, number)),
            2 => (any::<Index>(), select(vec!['a', 'b', ' ', '-', '+', '@', ',', '0', 'é']))
                .prop_map(|(at, c)| Self::Char(at, c)),
            1 => any::<Index>().prop_map(Self::Cut),
        ]
    }

    pub(crate) fn apply(&self, text: &str) -> String {
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        let (count, chars) = (lines.len(), text.chars().count());
        if count == 0 {
            return String::new();
        }
        match self {
            Self::Drop(at) => {
                lines.remove(at.index(count));
            }
            Self::Duplicate(at) => lines.insert(at.index(count), lines[at.index(count)]),
            Self::Swap(a, b) => lines.swap(a.index(count), b.index(count)),
            Self::Insert(at, line) => lines.insert(at.index(count + 1), line),
            Self::Number(at, number) => return with_number(text, *at, *number),
            Self::Char(at, c) => {
                let at = at.index(chars);
                return text.chars().enumerate().map(|(i, old)| if i == at { *c } else { old }).collect();
            }
            Self::Cut(at) => return text.chars().take(at.index(chars)).collect(),
        }
        lines.concat()
    }
}

/// The text with one of the single digits in its hunk headers replaced.
fn with_number(text: &str, at: Index, number: usize) -> String {
    let mut digits = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with("@@") {
            digits.extend(line.match_indices(|c: char| c.is_ascii_digit()).map(|(i, _)| start + i));
        }
        start += line.len();
    }
    let mut text = text.to_owned();
    if !digits.is_empty() {
        let digit = *at.get(&digits);
        text.replace_range(digit..=digit, &number.to_string());
    }
    text
}

/// A header that says nothing true, or nothing at all.
pub(crate) fn header() -> impl Strategy<Value = String> {
    prop_oneof![
        select(vec!["@@\n", "@@ @@\n", "@@ ... @@\n"]).prop_map(String::from),
        any::<[u8; 4]>().prop_map(|[a, b, c, d]| format!("@@ -{a},{b} +{c},{d} @@\n")),
        (1_usize..20, 0_usize..9)
            .prop_map(|(line, count)| format!("@@ -{line},{count} +{line},{count} @@ A\n")),
    ]
}

/// Pieces of diffs and of other things, in any order.
pub(crate) fn noise() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => select(vec![
            "@@ -1,2 +1,3 @@\n", "@@ -1 +1 @@\n", "@@ -0,0 +1 @@\n", "@@ -2,0 +3 @@\n", "@@\n",
            "@@ -18446744073709551615,0 +18446744073709551615 @@\n", "@@ -1,18446744073709551615 +1 @@\n",
            " a\n", "-a\n", "+b\n", "-b\n", "+a\n", "a\n", "b\n", "\n", "\r\n", "\r", "a\r\n", "-a\r\n",
            "\\ No newline at end of file\n", "\\ x", "--- a\n", "+++ b\n", "diff --git a b\n", "```\n", "```diff\n",
            "~~~~\n", "\u{feff}",
        ]).prop_map(String::from),
        1 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// A text of one-letter lines and hunks without numbers that were copied from it, not always well.
#[derive(Debug, Clone)]
pub(crate) struct Sketch {
    lines: Vec<char>,
    /// The lines of each hunk, with their prefix.
    pub(crate) hunks: Vec<Vec<(char, String)>>,
}

impl Sketch {
    pub(crate) fn any() -> impl Strategy<Value = Self> {
        // Few letters make places ambiguous, many make them unique.
        let lines = prop_oneof![
            prop::collection::vec(prop::char::range('a', 'b'), 0..10),
            Just(('a'..='j').collect::<Vec<_>>()).prop_shuffle(),
        ];
        let part = (select(vec![' ', ' ', ' ', ' ', '-', '-', '+']), prop::char::range('x', 'z'), 0_u8..40);
        let hunk = (any::<Index>(), prop::collection::vec(part, 1..5));
        (lines, prop::collection::vec(hunk, 1..4), any::<bool>()).prop_map(|(lines, mut hunks, sorted)| {
            let start = |at: &Index| at.index(lines.len() + 1);
            if sorted {
                hunks.sort_by_key(|(at, _)| start(at));
            }
            let hunks = hunks
                .iter()
                .map(|(at, parts)| {
                    let mut old = lines[start(at)..].iter();
                    let line = |&(kind, new, luck): &(char, char, u8)| match kind {
                        '+' => Some((kind, new)),
                        _ if luck == 0 => Some((kind, new)),
                        _ => old.next().map(|&line| (kind, line)),
                    };
                    let hunk: Vec<_> = parts.iter().filter_map(line).collect();
                    // A hunk has at least one line.
                    let hunk = if hunk.is_empty() { vec![('+', 'x')] } else { hunk };
                    hunk.into_iter().map(|(kind, line)| (kind, line.to_string())).collect()
                })
                .collect();
            Self { lines, hunks }
        })
    }

    pub(crate) fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }

    pub(crate) fn patch(&self) -> String {
        let hunk = |hunk: &Vec<(char, String)>| {
            let lines: String = hunk.iter().map(|(kind, line)| format!("{kind}{line}\n")).collect();
            format!("@@\n{lines}")
        };
        self.hunks.iter().map(hunk).collect()
    }
}
