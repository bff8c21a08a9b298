//! Resolution of addresses to lines.

use super::block::{containers_of, containers_of_lines, find_part, lines_of};
use super::error::{AddressError, Candidate, MAX_MATCHES};
use super::model::{Address, Resolved};
use super::section::{find_section, preamble};
use crate::markdown::outline::{Block, ContainerKind, LineRange, LiveOutline, Outline, scan};
use crate::text::cursor::LineCursor;
use crate::text::grep::{Query, matching_lines};
use crate::text::lines;

/// Finds the place that `address` names in `text`. Takes linear time or, for a regular expression, the time of
/// [`grep`](crate::grep()).
///
/// The matches are the sections whose full path equals the given one. If there are none, they are the sections whose
/// full path ends with it. Titles are compared exactly. If no title matches, a title may also have the `#` marks of its
/// level, for example `## License`. Without an ordinal, there must be exactly one match. With an ordinal, the match
/// with that number is taken. A fence without an end extends to the end of its container or text.
///
/// ```
/// use canvas_patch::{Address, Part, resolve};
///
/// let text = "# Install\n\n## Linux\n\n1. Fetch\n2. Build\n   - quickly\n";
/// let path = vec!["Linux".to_owned()];
/// let part = Some(Part::Item(vec![2, 1]));
/// let place = resolve(text, &Address::Section { path, ordinal: None, part })?;
/// assert_eq!(&text[place.bytes], "   - quickly\n");
/// # Ok::<(), canvas_patch::AddressError>(())
/// ```
///
/// # Errors
///
/// If the text does not have the named place or has it several times, or if a search would take too long.
pub fn resolve(text: &str, address: &Address) -> Result<Resolved, AddressError> {
    let (outline, blocks) = match address {
        Address::Section { part: None, .. } | Address::FrontMatter => scan::<false>(text),
        _ => scan::<true>(text),
    };
    resolve_in(text, &outline, &blocks, address)
}

impl LiveOutline {
    /// Finds a place in the text like [`resolve`], but uses the existing outline instead of parsing the text again.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`resolve`].
    pub fn resolve(&self, address: &Address) -> Result<Resolved, AddressError> {
        resolve_in(self.text(), self.outline(), self.blocks(), address)
    }
}

/// Resolves an address in a text with an existing outline. `blocks` is used only for parts of sections, lines and hits.
fn resolve_in(
    text: &str,
    outline: &Outline,
    blocks: &[Block],
    address: &Address,
) -> Result<Resolved, AddressError> {
    match address {
        Address::Lines { start, end } => Ok(with_containers(text, blocks, check_lines(text, *start, *end)?)),
        Address::FrontMatter => {
            let lines = outline.front_matter().ok_or(AddressError::NoFrontMatter)?;
            Ok(whole_lines(text, lines, Vec::new()))
        }
        Address::Section { path, ordinal, part: None } => {
            let (lines, containers) = match find_section(outline, path, *ordinal)? {
                Some(index) => (outline.sections()[index].lines, outline.container_path(index)),
                None => (preamble(text, outline).ok_or(AddressError::NoPreamble)?, Vec::new()),
            };
            Ok(whole_lines(text, lines, containers))
        }
        Address::Section { path, ordinal, part: Some(part) } => {
            let section = find_section(outline, path, *ordinal)?;
            let at = find_part(blocks, section, part).map_err(|missing| AddressError::NoSuchPart {
                section: section.map(|index| Candidate::new(outline, index)),
                part: missing.part,
                available: missing.available,
            })?;
            Ok(whole_lines(text, lines_of(text, &blocks[at]), containers_of(blocks, at)))
        }
        Address::Hit { query, ordinal } => {
            Ok(with_containers(text, blocks, find_hit(text, query, *ordinal)?))
        }
    }
}

fn check_lines(text: &str, start: usize, end: usize) -> Result<LineRange, AddressError> {
    let line_count = lines::count(text);
    if start == 0 || end < start || end > line_count {
        return Err(AddressError::InvalidRange { start, end, line_count });
    }
    Ok(LineRange { start, end })
}

fn find_hit(text: &str, query: &Query, ordinal: Option<usize>) -> Result<LineRange, AddressError> {
    let mut cursor = LineCursor::new(text);
    let (mut lines, mut total) = (Vec::new(), 0);
    for at in matching_lines(text, query)? {
        total += 1;
        if ordinal == Some(total) {
            let line = cursor.line_at(at);
            return Ok(LineRange { start: line, end: line });
        }
        if lines.len() < MAX_MATCHES {
            lines.push(cursor.line_at(at));
        }
    }
    match (lines.as_slice(), ordinal) {
        (&[line], None) => Ok(LineRange { start: line, end: line }),
        ([_, _, ..], None) => Err(AddressError::AmbiguousHit { lines, total }),
        ([], _) | (_, Some(_)) => Err(AddressError::NoSuchHit { ordinal, lines, total }),
    }
}

/// Resolves lines that exist in the text, with the containers that hold them.
fn with_containers(text: &str, blocks: &[Block], lines: LineRange) -> Resolved {
    let mut resolved = whole_lines(text, lines, Vec::new());
    resolved.container_path = containers_of_lines(text, blocks, &resolved);
    resolved
}

/// Resolves lines that exist in the text.
fn whole_lines(text: &str, lines: LineRange, container_path: Vec<ContainerKind>) -> Resolved {
    let start = lines::skip(text, 0, lines.start - 1).unwrap_or(text.len());
    let end = lines::skip(text, start, lines.end + 1 - lines.start).unwrap_or(text.len());
    Resolved { lines, bytes: start..end, container_path }
}
