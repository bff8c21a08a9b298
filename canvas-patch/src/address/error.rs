//! Why addresses lead nowhere.

use std::fmt;

use thiserror::Error;

use super::Part;
use crate::outline::Outline;

/// At most so many places are listed when several fit.
pub(super) const MAX_MATCHES: usize = 20;
/// How many characters of a title an error message shows.
const MAX_SHOWN_CHARS: usize = 80;

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
    pub(super) fn new(outline: &Outline, index: usize) -> Self {
        let path = outline.path(index).into_iter().map(str::to_owned).collect();
        Self { path, heading_line: outline.sections()[index].heading.start }
    }
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
