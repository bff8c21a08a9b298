//! Places in a Markdown text, named so that a model can name them.

mod error;
mod section;

use std::ops::Range;

use memchr::memchr_iter;

use crate::outline::{Block, BlockKind, LineCursor, LineRange, Outline, scan};
pub use error::{AddressError, Candidate};
use section::find_section;

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
