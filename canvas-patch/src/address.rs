//! Places in a Markdown text, named so that a model can name them.

use std::fmt;
use std::ops::Range;

use memchr::memchr_iter;
use thiserror::Error;

use crate::outline::{Block, BlockKind, LineCursor, LineRange, Outline, Section, scan};

/// At most so many places are listed when several fit.
const MAX_MATCHES: usize = 20;
/// At most so many headings are proposed when none fits.
const MAX_NEAREST: usize = 5;
/// How many headings are compared for a proposal, and how many characters of each title.
const MAX_COMPARED: usize = 10_000;
const MAX_COMPARED_CHARS: usize = 64;
/// How many characters of a title an error message shows.
const MAX_SHOWN_CHARS: usize = 80;

/// A place in a text. Any value may be written down; [`resolve`] says whether it is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// Lines counted from 1, both included.
    Lines {
        /// The first line.
        start: usize,
        /// The last line.
        end: usize,
    },
    /// A section, or a part of one.
    Section {
        /// Titles as the outline has them: the full path from the outermost section, or the last titles
        /// of it.
        path: Vec<String>,
        /// Which of several sections is meant, counted from 1 in document order.
        ordinal: Option<usize>,
        /// A part of the section's own body, or all of the section.
        part: Option<Part>,
    },
}

/// A part of what stands between a heading and the next heading, counted from 1 in order of appearance.
///
/// What stands below a heading inside a quote or list item counts for that heading's section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A list item. All lists of the section count, those in quotes too; items inside of another item
    /// do not.
    Item(usize),
    /// A fenced code block, also one in a quote or list item.
    Fence(usize),
}

/// Where an address leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// Whole lines. Blank lines at the end of a section or item are left out.
    pub lines: LineRange,
    /// The same in bytes, the terminator of the last line included.
    pub bytes: Range<usize>,
}

/// Finds the place that `address` names in `text`; takes linear time.
///
/// Sections whose full path equals the given one are the matches; where there are none, those whose full
/// path ends with it. Titles are compared exactly. Without an ordinal there must be one match; with it,
/// the match of that rank is meant. A fence without an end runs to the end of what it stands in.
///
/// ```
/// use canvas_patch::{Address, Part, resolve};
///
/// let text = "# Install\n\n## Linux\n\n1. Fetch\n2. Build\n";
/// let (path, part) = (vec!["Linux".to_owned()], Some(Part::Item(2)));
/// let place = resolve(text, &Address::Section { path, ordinal: None, part })?;
/// assert_eq!(&text[place.bytes], "2. Build\n");
/// # Ok::<(), canvas_patch::AddressError>(())
/// ```
///
/// # Errors
///
/// If the lines are not in the text, or if no section, several sections, or no such part fits.
pub fn resolve(text: &str, address: &Address) -> Result<Resolved, AddressError> {
    match address {
        Address::Lines { start, end } => resolve_lines(text, *start, *end),
        Address::Section { path, ordinal, part: None } => {
            let outline = scan(text, |_| {});
            let index = find_section(&outline, path, *ordinal)?;
            Ok(whole_lines(text, outline.sections()[index].lines))
        }
        Address::Section { path, ordinal, part: Some(part) } => {
            let mut blocks = Vec::new();
            let outline = scan(text, |block| blocks.push(block));
            let index = find_section(&outline, path, *ordinal)?;
            let block = find_part(&outline, &blocks, index, *part)?;
            Ok(whole_lines(text, lines_of(text, block)))
        }
    }
}

/// Why an address leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AddressError {
    /// The range is empty or not inside the text.
    #[error(
        "lines {start} to {end} are no range of this text; \
         give 1 <= start <= end <= {line_count}, its number of lines"
    )]
    InvalidRange {
        /// The first line asked for.
        start: usize,
        /// The last line asked for.
        end: usize,
        /// How many lines the text has.
        line_count: usize,
    },
    /// No section has this path.
    #[error("no section has the path {}; {}", Shown(path), Proposal(nearest))]
    NoSuchSection {
        /// The path asked for.
        path: Vec<String>,
        /// Headings whose titles are closest to the last title asked for, closest first, at most 5. A
        /// report only: nothing is resolved by likeness.
        nearest: Vec<Candidate>,
    },
    /// There are sections with this path, but fewer than the ordinal says.
    #[error(
        "{total} section(s) match {}, so there is none of ordinal {ordinal}; give an ordinal from 1 to {total}",
        Shown(path)
    )]
    NoSuchOrdinal {
        /// The path asked for.
        path: Vec<String>,
        /// The ordinal asked for.
        ordinal: usize,
        /// The sections that match, by ordinal, at most 20.
        candidates: Vec<Candidate>,
        /// How many sections match.
        total: usize,
    },
    /// The section has fewer parts of this kind.
    #[error(
        "the section {} at line {} has {available} {} of its own, not {}; \
         give a number up to that, or the path of a subsection",
        Shown(&section.path), section.heading_line, part.plural(), part.number()
    )]
    NoSuchPart {
        /// The section that was found.
        section: Candidate,
        /// The part asked for.
        part: Part,
        /// How many parts of that kind it has.
        available: usize,
    },
    /// Several sections have this path.
    #[error(
        "{total} sections match {} (lines {}); give a longer path, or an ordinal from 1 to {total}",
        Shown(path),
        HeadingLines(candidates)
    )]
    Ambiguous {
        /// The path asked for.
        path: Vec<String>,
        /// The sections that match, by ordinal, at most 20.
        candidates: Vec<Candidate>,
        /// How many sections match.
        total: usize,
    },
}

impl AddressError {
    /// A stable name for the kind of failure.
    pub fn code(&self) -> &'static str {
        match self {
            Self::InvalidRange { .. }
            | Self::NoSuchSection { .. }
            | Self::NoSuchOrdinal { .. }
            | Self::NoSuchPart { .. } => "ADDRESS_NOT_FOUND",
            Self::Ambiguous { .. } => "ADDRESS_AMBIGUOUS",
        }
    }

    /// Sections that may have been meant.
    pub fn candidates(&self) -> &[Candidate] {
        match self {
            Self::InvalidRange { .. } => &[],
            Self::NoSuchSection { nearest, .. } => nearest,
            Self::NoSuchOrdinal { candidates, .. } | Self::Ambiguous { candidates, .. } => candidates,
            Self::NoSuchPart { section, .. } => std::slice::from_ref(section),
        }
    }
}

/// A section that may have been meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its full path.
    pub path: Vec<String>,
    /// The first line of its heading.
    pub heading_line: usize,
}

impl Candidate {
    fn new(outline: &Outline, index: usize) -> Self {
        let path = outline.path(index).into_iter().map(str::to_owned).collect();
        Self { path, heading_line: outline.sections()[index].heading.start }
    }
}

impl Part {
    fn number(self) -> usize {
        match self {
            Self::Item(number) | Self::Fence(number) => number,
        }
    }

    fn kind(self) -> BlockKind {
        match self {
            Self::Item(_) => BlockKind::Item,
            Self::Fence(_) => BlockKind::Fence,
        }
    }

    fn plural(self) -> &'static str {
        match self {
            Self::Item(_) => "list items",
            Self::Fence(_) => "code fences",
        }
    }
}

fn resolve_lines(text: &str, start: usize, end: usize) -> Result<Resolved, AddressError> {
    let ended = memchr_iter(b'\n', text.as_bytes()).count();
    let line_count = ended + usize::from(!text.is_empty() && !text.ends_with('\n'));
    if start == 0 || end < start || end > line_count {
        return Err(AddressError::InvalidRange { start, end, line_count });
    }
    Ok(whole_lines(text, LineRange { start, end }))
}

/// The bytes of lines that are in the text.
fn whole_lines(text: &str, lines: LineRange) -> Resolved {
    let mut newlines = memchr_iter(b'\n', text.as_bytes());
    let start = match lines.start {
        1 => 0,
        line => newlines.nth(line - 2).map_or(text.len(), |newline| newline + 1),
    };
    let end = newlines.nth(lines.end - lines.start).map_or(text.len(), |newline| newline + 1);
    Resolved { lines, bytes: start..end }
}

fn find_section(outline: &Outline, path: &[String], ordinal: Option<usize>) -> Result<usize, AddressError> {
    let (mut full, mut suffix) = (Vec::new(), Vec::new());
    for index in 0..outline.sections().len() {
        match fit(outline, index, path) {
            Some(Fit::Full) => full.push(index),
            Some(Fit::Suffix) => suffix.push(index),
            None => {}
        }
    }
    let matches = if full.is_empty() { suffix } else { full };
    let total = matches.len();
    let candidates =
        || matches.iter().take(MAX_MATCHES).map(|&index| Candidate::new(outline, index)).collect();
    match (matches.as_slice(), ordinal) {
        ([], _) => Err(AddressError::NoSuchSection { path: path.to_vec(), nearest: nearest(outline, path) }),
        ([index], None) => Ok(*index),
        (_, None) => Err(AddressError::Ambiguous { path: path.to_vec(), candidates: candidates(), total }),
        (_, Some(ordinal)) => {
            let found = ordinal.checked_sub(1).and_then(|rank| matches.get(rank));
            found.copied().ok_or_else(|| AddressError::NoSuchOrdinal {
                path: path.to_vec(),
                ordinal,
                candidates: candidates(),
                total,
            })
        }
    }
}

enum Fit {
    Full,
    Suffix,
}

fn fit(outline: &Outline, index: usize, path: &[String]) -> Option<Fit> {
    if path.is_empty() {
        return None;
    }
    let mut ancestry = outline.ancestry(index);
    let fits = path.iter().rev().all(|title| ancestry.next().is_some_and(|section| section.title == *title));
    fits.then(|| if ancestry.next().is_none() { Fit::Full } else { Fit::Suffix })
}

fn find_part<'b>(
    outline: &Outline,
    blocks: &'b [Block],
    section: usize,
    part: Part,
) -> Result<&'b Block, AddressError> {
    let own = || blocks.iter().filter(|block| block.section == section && block.kind == part.kind());
    let found = part.number().checked_sub(1).and_then(|rank| own().nth(rank));
    found.ok_or_else(|| {
        let available = own().count();
        AddressError::NoSuchPart { section: Candidate::new(outline, section), part, available }
    })
}

fn lines_of(text: &str, block: &Block) -> LineRange {
    let mut cursor = LineCursor::new(text);
    let start = cursor.line_at(block.bytes.start);
    let end = match block.kind {
        BlockKind::Item => cursor.last_content_line(block.bytes.end, block.quoted),
        BlockKind::Fence => cursor.line_at(block.bytes.end.saturating_sub(1)),
    };
    LineRange { start, end: end.max(start) }
}

fn nearest(outline: &Outline, path: &[String]) -> Vec<Candidate> {
    let Some(wanted) = path.last() else { return Vec::new() };
    let wanted = comparable(wanted);
    let distance = |section: &Section| edit_distance(&wanted, &comparable(&section.title));
    let compared = outline.sections().iter().take(MAX_COMPARED);
    let mut ranked: Vec<_> = compared.map(distance).zip(0_usize..).collect();
    ranked.sort_unstable();
    ranked.truncate(MAX_NEAREST);
    ranked.into_iter().map(|(_, index)| Candidate::new(outline, index)).collect()
}

fn comparable(title: &str) -> Vec<char> {
    title.chars().flat_map(char::to_lowercase).take(MAX_COMPARED_CHARS).collect()
}

/// How many characters must be inserted, deleted or replaced to make one of the other (Levenshtein).
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

/// A path as an error message shows it: JSON-like, long titles cut.
struct Shown<'p>(&'p [String]);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (at, title) in self.0.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            let end = title.char_indices().nth(MAX_SHOWN_CHARS).map_or(title.len(), |(end, _)| end);
            let dots = if end < title.len() { "..." } else { "" };
            write!(f, "{comma}{:?}{dots}", &title[..end])?;
        }
        f.write_str("]")
    }
}

struct Proposal<'c>(&'c [Candidate]);

impl fmt::Display for Proposal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [candidates @ .., last] = self.0 else {
            return f.write_str("give a path from the outline, or lines");
        };
        f.write_str("take a path from the outline, perhaps ")?;
        for Candidate { path, heading_line } in candidates {
            write!(f, "{} (line {heading_line}), ", Shown(path))?;
        }
        write!(f, "{} (line {})", Shown(&last.path), last.heading_line)
    }
}

struct HeadingLines<'c>(&'c [Candidate]);

impl fmt::Display for HeadingLines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, candidate) in self.0.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{}", candidate.heading_line)?;
        }
        if self.0.len() == MAX_MATCHES { f.write_str(" ...") } else { Ok(()) }
    }
}
