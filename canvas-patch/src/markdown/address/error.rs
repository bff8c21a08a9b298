//! The errors of addresses that do not resolve.

use std::error::Error;
use std::fmt;

use super::model::{Column, Part};
use crate::markdown::front_matter::KeyError;
use crate::markdown::outline::Outline;
use crate::text::grep::GrepError;

/// Maximum number of places listed if several match.
pub(super) const MAX_MATCHES: usize = 20;
/// Maximum characters of a title in an error message, counted after escaping.
const MAX_SHOWN_CHARS: usize = 80;
/// Maximum titles of a path in an error message, and maximum numbers of the items around an item.
const MAX_SHOWN_TITLES: usize = 8;
const MAX_SHOWN_NUMBERS: usize = 9;

/// Error returned when an address does not lead to a place in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum AddressError {
    /// The range is empty or not inside the text.
    InvalidRange {
        /// First line of the request, counted from 1.
        start: usize,
        /// Last line of the request.
        end: usize,
        /// Number of lines in the text.
        line_count: usize,
    },
    /// The text does not begin with front matter.
    NoFrontMatter,
    /// No text precedes the first section.
    NoPreamble,
    /// No section has this path.
    NoSuchSection {
        /// Path in the request.
        path: Vec<String>,
        /// Headings whose titles are closest to the last title of the path, closest first, at most 5. They are only
        /// reported, because an address must match exactly.
        nearest: Vec<Candidate>,
    },
    /// Some sections have this path, but the ordinal exceeds their number.
    NoSuchOrdinal {
        /// Path in the request.
        path: Vec<String>,
        /// Ordinal in the request.
        ordinal: usize,
        /// The sections that match, by ordinal, at most 20.
        candidates: Vec<Candidate>,
        /// Number of matching sections.
        total: usize,
    },
    /// The section, or the item in it, has fewer parts of this kind.
    NoSuchPart {
        /// Section that contains the place, or `None` for the preamble.
        section: Option<Candidate>,
        /// Part in the request. An item has its numbers up to the first one that is too high.
        part: Part,
        /// Number of parts of that kind at this place.
        available: usize,
    },
    /// The whole text has fewer parts of this kind.
    NoSuchBlock {
        /// Part in the request. An item has its numbers up to the first one that is too high.
        part: Part,
        /// Number of parts of that kind in the text.
        available: usize,
    },
    /// The section or text has fewer ordered lists.
    NoSuchList {
        /// Number in the request.
        list: usize,
        /// Number of ordered lists at this place.
        available: usize,
    },
    /// The body of the table has fewer rows.
    NoSuchRow {
        /// Row in the request.
        row: usize,
        /// Number of rows of the body, or of positions if a row is to be put there.
        available: usize,
    },
    /// The table does not have the column.
    NoSuchColumn {
        /// Column in the request.
        column: Column,
        /// The headers of the table, at most 20.
        headers: Vec<String>,
    },
    /// Several columns have this header.
    AmbiguousColumn {
        /// Header in the request.
        header: String,
        /// Their numbers, at most 20.
        columns: Vec<usize>,
    },
    /// The front matter does not have the key.
    NoSuchKey {
        /// Key in the request.
        key: String,
        /// The keys next to the missing one, at most 20.
        keys: Vec<String>,
        /// The line of a key on the path whose value has no keys.
        line: Option<usize>,
    },
    /// The front matter has the key several times.
    AmbiguousKey {
        /// Key in the request.
        key: String,
        /// Its lines, at most 20.
        lines: Vec<usize>,
    },
    /// The front matter has a form in which keys are not read or set.
    FrontMatterUnsupported {
        /// Line number in the text.
        line: usize,
        /// Name of the form, in English.
        what: String,
    },
    /// No footnote has this label.
    NoSuchFootnote {
        /// Label in the request.
        label: String,
        /// The labels in the text, at most 20.
        labels: Vec<String>,
    },
    /// Several sections have this path.
    Ambiguous {
        /// Path in the request.
        path: Vec<String>,
        /// The sections that match, by ordinal, at most 20.
        candidates: Vec<Candidate>,
        /// Number of matching sections.
        total: usize,
    },
    /// No line matches the query, or the ordinal exceeds the number of matching lines.
    NoSuchHit {
        /// Ordinal in the request.
        ordinal: Option<usize>,
        /// The lines that match, by ordinal, at most 20.
        lines: Vec<usize>,
        /// Number of matching lines.
        total: usize,
    },
    /// Several lines match the query.
    AmbiguousHit {
        /// The lines that match, by ordinal, at most 20.
        lines: Vec<usize>,
        /// Number of matching lines.
        total: usize,
    },
    /// The query cannot be searched for in this text.
    Query(GrepError),
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidRange { start, end, line_count } => write!(
                f,
                "lines {start} to {end} are no range of this text; \
                 give 1 <= start <= end <= {line_count}, its number of lines"
            ),
            Self::NoFrontMatter => f.write_str(
                "the text has no front matter between two lines of `---` at its start; give the path of a section, or lines",
            ),
            Self::NoPreamble => f.write_str(
                "the empty path means the text before the first heading, and there is none; give the path of a section",
            ),
            Self::NoSuchSection { path, nearest } => {
                write!(f, "no section has the path {}; {}", shown(path), proposal(nearest))
            }
            Self::NoSuchOrdinal { path, ordinal, total, .. } => write!(
                f,
                "{total} section(s) match {}, so there is none of ordinal {ordinal}; give an ordinal from 1 to {total}",
                shown(path)
            ),
            Self::NoSuchPart { section, part, available } => write!(
                f,
                "{} has {available} {} of its own, not {}; give a number up to that, or the path of {}section",
                holder(section.as_ref(), part),
                part.plural(),
                part.number(),
                if section.is_some() { "a sub" } else { "a " }
            ),
            Self::NoSuchBlock { part, available } => write!(
                f,
                "the document has {available} {}, not {}; give a number up to that",
                part.plural(),
                part.number()
            ),
            Self::NoSuchList { list, available } => {
                write!(f, "there are {available} ordered lists, not {list}; give a number up to that")
            }
            Self::NoSuchRow { row, available } => {
                write!(f, "there is no row {row} below the header; give a number from 1 to {available}")
            }
            Self::NoSuchColumn { column, headers } => write!(
                f,
                "the table has no column {}; give a number from 1 to {} or one of the headers {}",
                column.shown(),
                headers.len(),
                shown(headers)
            ),
            Self::AmbiguousColumn { header, columns } => write!(
                f,
                "{} columns have the header {}; give one of the numbers {columns:?}",
                columns.len(),
                quoted(header)
            ),
            Self::NoSuchKey { key, line: Some(line), .. } => write!(
                f,
                "the front matter has no key {}, because the value at line {line} has no keys; set that key instead",
                quoted(key)
            ),
            Self::NoSuchKey { key, keys, .. } => write!(
                f,
                "the front matter has no key {}; give one of the keys next to it, {}",
                quoted(key),
                shown(keys)
            ),
            Self::AmbiguousKey { key, lines } => write!(
                f,
                "the front matter has the key {} several times{}; remove all but one by a patch",
                quoted(key),
                places(lines.iter().copied())
            ),
            Self::FrontMatterUnsupported { line, what } => write!(
                f,
                "the front matter has {what} at line {line}, where keys are not read or set; change these lines by a patch"
            ),
            Self::NoSuchFootnote { label, labels } => write!(
                f,
                "no footnote has the label {}; give one of the labels {}",
                quoted(label),
                shown(labels)
            ),
            Self::Ambiguous { path, candidates, total } => write!(
                f,
                "{total} sections match {}{}; give a longer path, or an ordinal from 1 to {total}",
                shown(path),
                places(candidates.iter().map(|candidate| candidate.heading_line))
            ),
            Self::NoSuchHit { lines, total, ordinal } => write!(
                f,
                "{total} line(s) match{}{}; {}",
                places(lines.iter().copied()),
                ordinal.map_or_else(String::new, |ordinal| format!(", so there is none of ordinal {ordinal}")),
                if *total == 0 { "give another query" } else { "give an ordinal up to that" }
            ),
            Self::AmbiguousHit { lines, total } => write!(
                f,
                "{total} lines match{}; give a longer query, or an ordinal from 1 to {total}",
                places(lines.iter().copied())
            ),
            Self::Query(error) => error.fmt(f),
        }
    }
}

// The message for a query is that of the query's own error, so it is not repeated as a source.
impl Error for AddressError {}

impl From<GrepError> for AddressError {
    fn from(error: GrepError) -> Self {
        Self::Query(error)
    }
}

impl From<KeyError> for AddressError {
    fn from(error: KeyError) -> Self {
        match error {
            KeyError::NoFrontMatter => Self::NoFrontMatter,
            KeyError::NotFound { key, keys, line } => Self::NoSuchKey { key, keys, line },
            KeyError::Ambiguous { key, lines } => Self::AmbiguousKey { key, lines },
            KeyError::Unsupported { line, what } => {
                Self::FrontMatterUnsupported { line, what: what.to_owned() }
            }
        }
    }
}

impl AddressError {
    /// Returns the stable error code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Ambiguous { .. }
            | Self::AmbiguousHit { .. }
            | Self::AmbiguousColumn { .. }
            | Self::AmbiguousKey { .. } => "ADDRESS_AMBIGUOUS",
            Self::Query(error) => error.code(),
            Self::NoSuchPart { part: Part::Table(_), .. }
            | Self::NoSuchBlock { part: Part::Table(_), .. } => "TABLE_NOT_FOUND",
            Self::NoSuchRow { .. } => "ROW_NOT_FOUND",
            Self::NoSuchColumn { .. } => "COLUMN_NOT_FOUND",
            Self::NoSuchKey { .. } => "KEY_NOT_FOUND",
            Self::FrontMatterUnsupported { .. } => "FRONT_MATTER_UNSUPPORTED",
            Self::InvalidRange { .. }
            | Self::NoFrontMatter
            | Self::NoPreamble
            | Self::NoSuchSection { .. }
            | Self::NoSuchOrdinal { .. }
            | Self::NoSuchPart { .. }
            | Self::NoSuchBlock { .. }
            | Self::NoSuchList { .. }
            | Self::NoSuchFootnote { .. }
            | Self::NoSuchHit { .. } => "ADDRESS_NOT_FOUND",
        }
    }
}

impl AddressError {
    /// Returns the sections that may have been meant.
    pub fn candidates(&self) -> &[Candidate] {
        match self {
            Self::NoSuchSection { nearest, .. } => nearest,
            Self::NoSuchOrdinal { candidates, .. } | Self::Ambiguous { candidates, .. } => candidates,
            Self::NoSuchPart { section, .. } => section.as_slice(),
            _ => &[],
        }
    }

    /// Returns the lines that may have been meant.
    pub fn candidate_lines(&self) -> &[usize] {
        match self {
            Self::NoSuchHit { lines, .. }
            | Self::AmbiguousHit { lines, .. }
            | Self::AmbiguousKey { lines, .. } => lines,
            _ => &[],
        }
    }

    /// Returns the numbers of the columns that may have been meant.
    pub fn candidate_columns(&self) -> &[usize] {
        match self {
            Self::AmbiguousColumn { columns, .. } => columns,
            _ => &[],
        }
    }

    /// Returns the headers, keys or labels that may have been meant.
    pub fn candidate_names(&self) -> &[String] {
        match self {
            Self::NoSuchColumn { headers, .. } => headers,
            Self::NoSuchKey { keys, .. } => keys,
            Self::NoSuchFootnote { labels, .. } => labels,
            _ => &[],
        }
    }
}

/// A section that may have been meant.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Candidate {
    /// Full path of the section, from the top level down.
    pub path: Vec<String>,
    /// The first line of its heading.
    pub heading_line: usize,
}

impl Candidate {
    pub(super) fn new(outline: &Outline, index: usize) -> Self {
        let path = outline.path(index).into_iter().map(str::to_owned).collect();
        Self { path, heading_line: outline.sections()[index].heading.start }
    }
}

impl Part {
    /// Returns the number within the innermost parent, which is the number that was too high.
    fn number(&self) -> usize {
        match self {
            Self::Item(numbers) => numbers.last().copied().unwrap_or(0),
            Self::Fence(number) | Self::Paragraph(number) => *number,
            Self::Table(part) => part.table,
            Self::Body => 1,
        }
    }

    fn plural(&self) -> &'static str {
        match self {
            Self::Item(_) => "list items",
            Self::Fence(_) => "code fences",
            Self::Paragraph(_) => "paragraphs",
            Self::Table(_) => "tables",
            Self::Body => "bodies",
        }
    }
}

impl Column {
    fn shown(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Header(header) => quoted(header),
        }
    }
}

/// Describes the section or item in which a part was looked for.
fn holder(section: Option<&Candidate>, part: &Part) -> String {
    let section = section.map_or_else(
        || "the text before the first section".to_owned(),
        |section| format!("the section {} at line {}", shown(&section.path), section.heading_line),
    );
    match part {
        Part::Item(numbers) if numbers.len() > 1 => {
            let outer = &numbers[..numbers.len() - 1];
            let dots = if outer.len() > MAX_SHOWN_NUMBERS { "..." } else { "" };
            let outer = outer.iter().take(MAX_SHOWN_NUMBERS).map(usize::to_string).collect::<Vec<_>>();
            format!("list item {}{dots} of {section}", outer.join("."))
        }
        _ => section,
    }
}

/// Formats a path for an error message in a form similar to JSON. Long titles are cut, and a long path shows only its
/// last titles.
fn shown(path: &[String]) -> String {
    let left_out = path.len().saturating_sub(MAX_SHOWN_TITLES);
    let dots = (left_out > 0).then(|| "...".to_owned());
    let titles = dots.into_iter().chain(path[left_out..].iter().map(|title| quoted(title)));
    format!("[{}]", titles.collect::<Vec<_>>().join(", "))
}

/// Quotes a title, cut to [`MAX_SHOWN_CHARS`].
fn quoted(title: &str) -> String {
    let mut chars_left = MAX_SHOWN_CHARS;
    let mut fits = |c: char| {
        let left = chars_left.checked_sub(c.escape_debug().count());
        chars_left = left.unwrap_or(0);
        left.is_some()
    };
    match title.find(|c| !fits(c)) {
        Some(end) => format!("{:?}...", &title[..end]),
        None => format!("{title:?}"),
    }
}

fn proposal(nearest: &[Candidate]) -> String {
    if nearest.is_empty() {
        return "give a path from the outline, or lines".to_owned();
    }
    let nearest = nearest
        .iter()
        .map(|candidate| format!("{} (line {})", shown(&candidate.path), candidate.heading_line));
    format!("take a path from the outline, perhaps {}", nearest.collect::<Vec<_>>().join(", "))
}

/// Formats lines in brackets. The result is empty if there are no lines.
fn places(lines: impl ExactSizeIterator<Item = usize>) -> String {
    let more = if lines.len() == MAX_MATCHES { " ..." } else { "" };
    match lines.map(|line| line.to_string()).collect::<Vec<_>>().as_slice() {
        [] => String::new(),
        [line] => format!(" (line {line})"),
        lines => format!(" (lines {}{more})", lines.join(", ")),
    }
}
