//! Finds sections by path, and the headings nearest to a path that does not exist.

use super::error::{AddressError, Candidate, MAX_MATCHES};
use crate::markdown::outline::{LineRange, Outline, Section};
use crate::text::cursor::LineCursor;
use crate::text::lines;

/// Maximum number of proposed headings, if the path does not match.
const MAX_NEAREST: usize = 5;
/// Maximum number of headings compared for a proposal, and maximum characters of each title.
const MAX_COMPARED: usize = 10_000;
const MAX_COMPARED_CHARS: usize = 64;

/// Returns the index of the section that a path names, or `None` for the preamble, which the empty path names.
pub(super) fn find_section(
    outline: &Outline,
    path: &[String],
    ordinal: Option<usize>,
) -> Result<Option<usize>, AddressError> {
    if path.is_empty() && ordinal.is_none_or(|ordinal| ordinal == 1) {
        return Ok(None);
    }
    let mut matches = fitting(outline, path, |section, title| section.title == *title);
    if matches.is_empty() {
        // A heading with its `#` marks, as the text spells it, is just as exact.
        matches = fitting(outline, path, is_heading);
    }
    let total = matches.len();
    let candidates =
        || matches.iter().take(MAX_MATCHES).map(|&index| Candidate::new(outline, index)).collect();
    match (matches.as_slice(), ordinal) {
        ([], _) => Err(AddressError::NoSuchSection { path: path.to_vec(), nearest: nearest(outline, path) }),
        (&[index], None) => Ok(Some(index)),
        (_, None) => Err(AddressError::Ambiguous { path: path.to_vec(), candidates: candidates(), total }),
        (_, Some(ordinal)) => {
            let found = ordinal.checked_sub(1).and_then(|rank| matches.get(rank));
            found.copied().map(Some).ok_or_else(|| AddressError::NoSuchOrdinal {
                path: path.to_vec(),
                ordinal,
                candidates: candidates(),
                total,
            })
        }
    }
}

/// Returns the sections whose full path matches or, if there are none, those whose path ends with `path`.
pub(super) fn fitting(outline: &Outline, path: &[String], is: impl Fn(&Section, &str) -> bool) -> Vec<usize> {
    let (mut full, mut suffix) = (Vec::new(), Vec::new());
    for index in 0..outline.sections().len() {
        match fit(outline, index, path, &is) {
            Some(Fit::Full) => full.push(index),
            Some(Fit::Suffix) => suffix.push(index),
            None => {}
        }
    }
    if full.is_empty() { suffix } else { full }
}

/// Whether a title names the section, with or without the marks of its level, such as `## License`.
fn is_heading(section: &Section, title: &str) -> bool {
    let rest = title.trim_start_matches('#');
    let level = title.len() - rest.len();
    section.title == *rest.trim() && (level == 0 || level == usize::from(section.level))
}

enum Fit {
    Full,
    Suffix,
}

fn fit(outline: &Outline, index: usize, path: &[String], is: impl Fn(&Section, &str) -> bool) -> Option<Fit> {
    if path.is_empty() {
        return None;
    }
    let mut ancestry = outline.ancestry(index);
    let fits = path.iter().rev().all(|title| ancestry.next().is_some_and(|section| is(section, title)));
    fits.then(|| if ancestry.next().is_none() { Fit::Full } else { Fit::Suffix })
}

/// Returns the lines of the preamble without blank lines at its ends, or `None` if all of it is blank.
pub(super) fn preamble(text: &str, outline: &Outline) -> Option<LineRange> {
    let first = outline.sections().iter().find(|section| section.container.is_none());
    let end = first.and_then(|section| lines::skip(text, 0, section.heading.start - 1)).unwrap_or(text.len());
    let start = match outline.front_matter() {
        Some(front_matter) => lines::skip(text, 0, front_matter.end)?,
        None => lines::mark(text),
    };
    // A lone CR may put the first heading on the last line of the front matter.
    let body = text.get(start..end)?;
    let blank = [' ', '\t', '\r', '\n'];
    let leading = body.len() - body.trim_start_matches(blank).len();
    let content = body.trim_matches(blank);
    let mut cursor = LineCursor::new(text);
    (!content.is_empty()).then(|| LineRange {
        start: cursor.line_at(start + leading),
        end: cursor.line_at(start + leading + content.len()),
    })
}

fn nearest(outline: &Outline, path: &[String]) -> Vec<Candidate> {
    let Some(wanted) = path.last() else { return Vec::new() };
    let wanted = comparable(wanted);
    let compared = outline.sections().iter().take(MAX_COMPARED).enumerate();
    let mut ranked: Vec<_> = compared
        .map(|(index, section)| {
            let title = comparable(&section.title);
            // A title that contains the wanted one, or is contained in it, is nearer than any other.
            let is_other = !is_part(&wanted, &title) && !is_part(&title, &wanted);
            (is_other, edit_distance(&wanted, &title), index)
        })
        .collect();
    ranked.sort_unstable();
    ranked.truncate(MAX_NEAREST);
    ranked.into_iter().map(|(.., index)| Candidate::new(outline, index)).collect()
}

/// Whether `part`, of at least three characters, occurs in `whole`.
fn is_part(part: &[char], whole: &[char]) -> bool {
    part.len() >= 3 && whole.windows(part.len()).any(|window| window == part)
}

fn comparable(title: &str) -> Vec<char> {
    title
        .trim_start_matches(['#', ' '])
        .chars()
        .flat_map(char::to_lowercase)
        .take(MAX_COMPARED_CHARS)
        .collect()
}

/// Returns the number of characters to insert, delete or replace to turn one into the other (Levenshtein).
fn edit_distance(left: &[char], right: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (above, l) in left.iter().enumerate() {
        let mut diagonal = above;
        row[0] = above + 1;
        for (at, r) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(l != r);
            diagonal = row[at + 1];
            row[at + 1] = replaced.min(diagonal + 1).min(row[at] + 1);
        }
    }
    row[right.len()]
}
