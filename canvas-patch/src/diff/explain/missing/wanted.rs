//! A pre-image that does not occur, in the form that its author may have meant.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::diff::patch::{Hunk, HunkRange, Patch};
use crate::diff::slips::{is_elision, unescaped, without_number};
use crate::text::lines::content;
use crate::text::numbered::NumberedLines;

/// Lines that are sought in the text as one block.
pub(super) struct Wanted<'a> {
    /// Spelled as in the patch.
    pub(super) quoted: Vec<&'a str>,
    /// The quoted lines, without line numbers and entities if the text has them in that form.
    pub(super) sought: Vec<Cow<'a, str>>,
    /// For each line, its index among the lines of the hunk.
    pub(super) indices: Vec<usize>,
    /// Dots before or after these lines that stand for other lines.
    pub(super) elision: Option<Elision>,
    /// The line that the header states, counted from 0.
    pub(super) hint: Option<usize>,
}

pub(super) struct Elision {
    pub(super) quoted: String,
    pub(super) index: usize,
    /// Whether the sought lines follow the dots.
    pub(super) is_first: bool,
}

impl<'a> Wanted<'a> {
    /// Takes the old lines of a hunk except those in `without`, which are sorted indices among the lines of the patch.
    pub(super) fn new(patch: &Patch<'a>, hunk: &Hunk, without: &[usize]) -> Self {
        let old = hunk.lines.clone().zip(patch.lines_of(hunk)).filter(|(_, line)| line.kind.is_old());
        let (indices, quoted) = old
            .filter(|(i, _)| without.binary_search(i).is_err())
            .map(|(i, line)| (i - hunk.lines.start, content(line.text)))
            .unzip();
        let hint = hunk.range.and_then(HunkRange::old_before);
        Self { quoted, sought: Vec::new(), indices, elision: None, hint }
    }

    /// Decides which lines are sought. A line is sought as quoted, unless only its form without line number and
    /// entities occurs in the text. If there are dots that the text does not have, only the lines before them are
    /// sought, or the lines after them if those before are all blank.
    pub(super) fn decide(&mut self, occurrences: &Occurrences<'a>) {
        let elided = |line: &&&str| is_elision(line) && occurrences.count(line) == 0;
        if let Some(at) = self.quoted.iter().position(|line| elided(&line)) {
            let is_first = self.quoted[..at].iter().all(|line| line.trim().is_empty());
            self.elision =
                Some(Elision { quoted: self.quoted[at].to_owned(), index: self.indices[at], is_first });
            if is_first {
                self.quoted.drain(..=at);
                self.indices.drain(..=at);
                let more = self.quoted.iter().position(|line| elided(&line)).unwrap_or(self.quoted.len());
                self.quoted.truncate(more);
            } else {
                self.quoted.truncate(at);
            }
        }
        self.sought = self.quoted.iter().map(|line| occurrences.meant(line)).collect();
    }
}

/// The places of lines in a text.
pub(super) struct Occurrences<'a> {
    of: HashMap<Cow<'a, str>, Found>,
}

#[derive(Default)]
struct Found {
    /// In order, at most [`Occurrences::PLACES`].
    places: Vec<usize>,
    count: usize,
}

impl<'a> Occurrences<'a> {
    const PLACES: usize = 64;

    /// Finds all quoted lines, and the lines that may be meant by them.
    pub(super) fn new(lines: &NumberedLines<'_>, wanted: &[Wanted<'a>]) -> Self {
        let mut of: HashMap<Cow<'a, str>, Found> = HashMap::new();
        for line in wanted.iter().flat_map(|wanted| &wanted.quoted).copied() {
            of.entry(line.into()).or_default();
            for meant in slipped(line) {
                of.entry(meant).or_default();
            }
        }
        for (i, line) in lines.iter().enumerate() {
            if let Some(found) = of.get_mut(line) {
                found.count += 1;
                if found.places.len() < Self::PLACES {
                    found.places.push(i);
                }
            }
        }
        Self { of }
    }

    pub(super) fn count(&self, line: &str) -> usize {
        self.of.get(line).map_or(0, |found| found.count)
    }

    pub(super) fn places(&self, line: &str) -> &[usize] {
        self.of.get(line).map_or(&[], |found| &found.places)
    }

    fn meant(&self, line: &'a str) -> Cow<'a, str> {
        if self.count(line) > 0 {
            return line.into();
        }
        slipped(line).find(|meant| self.count(meant) > 0).unwrap_or_else(|| line.into())
    }
}

/// Returns the lines that may be meant by a line with a slip.
fn slipped(line: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let bare = without_number(line);
    let plain = unescaped(bare.unwrap_or(line));
    bare.map(Cow::from).into_iter().chain(plain.map(Cow::from))
}
