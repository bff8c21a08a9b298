//! Resolution of addresses to lines.

use std::ops::Range;

use super::block::{Within, containers_of, containers_of_lines, find_part, lines_of};
use super::error::{AddressError, Candidate, MAX_MATCHES};
use super::model::{Address, Column, Part, Resolved, TablePart};
use super::section::{find_section, preamble};
use crate::markdown::front_matter::key_lines;
use crate::markdown::outline::{
    Block, BlockKind, ContainerKind, LineRange, LiveOutline, Outline, Section, paragraphs, scan,
};
use crate::markdown::table::{Row, Table, trimmed};
use crate::text::cursor::LineCursor;
use crate::text::grep::{Query, matching_lines};
use crate::text::lines;

/// Characters of blank lines.
const BLANK: [char; 4] = [' ', '\t', '\r', '\n'];

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
        Address::Section { part: None | Some(Part::Body), .. } | Address::FrontMatter | Address::Key(_) => {
            scan::<false>(text)
        }
        _ => scan::<true>(text),
    };
    Context { text, outline: &outline, blocks: &blocks }.resolve(address)
}

impl LiveOutline {
    /// Finds a place in the text like [`resolve`], but uses the existing outline instead of parsing the text again.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`resolve`].
    pub fn resolve(&self, address: &Address) -> Result<Resolved, AddressError> {
        self.context().resolve(address)
    }

    pub(crate) fn context(&self) -> Context<'_> {
        Context { text: self.text(), outline: self.outline(), blocks: self.blocks() }
    }
}

/// A text with its outline. The blocks are used only for parts, lines, footnotes and hits.
#[derive(Clone, Copy)]
pub(crate) struct Context<'t> {
    pub(crate) text: &'t str,
    pub(crate) outline: &'t Outline,
    pub(crate) blocks: &'t [Block],
}

impl Context<'_> {
    pub(crate) fn resolve(&self, address: &Address) -> Result<Resolved, AddressError> {
        let Self { text, outline, blocks } = *self;
        match address {
            Address::Lines { start, end } => {
                Ok(with_containers(text, blocks, check_lines(text, *start, *end)?))
            }
            Address::FrontMatter => {
                let lines = outline.front_matter().ok_or(AddressError::NoFrontMatter)?;
                Ok(whole_lines(text, lines, Vec::new()))
            }
            Address::Key(key) => Ok(whole_bytes(text, key_lines(text, key)?, Vec::new())),
            Address::Section { path, ordinal, part: None } => match find_section(outline, path, *ordinal)? {
                Some(index) => {
                    let lines = outline.sections()[index].lines;
                    Ok(whole_lines(text, lines, outline.container_path(index)))
                }
                None => {
                    let lines = preamble(text, outline).ok_or(AddressError::NoPreamble)?;
                    Ok(whole_lines(text, lines, Vec::new()))
                }
            },
            Address::Section { path, ordinal, part: Some(part) } => {
                self.part(Within::Section(find_section(outline, path, *ordinal)?), part)
            }
            Address::Part(Part::Body) => self.part(Within::Section(None), &Part::Body),
            Address::Part(part) => self.part(Within::Text, part),
            Address::Footnote(label) => {
                let at = self.footnote(label)?;
                Ok(whole_lines(text, lines_of(text, &blocks[at]), containers_of(blocks, at)))
            }
            Address::Hit { query, ordinal } => {
                Ok(with_containers(text, blocks, find_hit(text, query, *ordinal)?))
            }
        }
    }

    fn part(&self, within: Within, part: &Part) -> Result<Resolved, AddressError> {
        let Self { text, outline, blocks } = *self;
        match (part, within) {
            (Part::Body, Within::Section(section)) => {
                let lines = own_body(text, outline, section).ok_or_else(|| match section {
                    Some(_) => self.missing(within, part.clone(), 0),
                    None => AddressError::NoPreamble,
                })?;
                let containers = section.map_or_else(Vec::new, |index| outline.container_path(index));
                Ok(whole_lines(text, lines, containers))
            }
            (Part::Paragraph(number), _) => {
                let all: Vec<_> = paragraphs(text)
                    .into_iter()
                    .filter(|lines| within == Within::Text || within.has(section_at(outline, lines.start)))
                    .collect();
                match number.checked_sub(1).and_then(|rank| all.get(rank)) {
                    Some(lines) => Ok(with_containers(text, blocks, *lines)),
                    None => Err(self.missing(within, part.clone(), all.len())),
                }
            }
            (Part::Table(place), _) => {
                let (at, table) = self.table(within, place)?;
                let containers = containers_of(blocks, at);
                if place.row.is_none() && place.column.is_none() {
                    return Ok(whole_lines(text, lines_of(text, &blocks[at]), containers));
                }
                let row = match place.row {
                    Some(row) => row_of(&table, row)?,
                    None => &table.rows[0],
                };
                let mut resolved = whole_bytes(text, row.whole.clone(), containers);
                if let Some(column) = &place.column {
                    resolved.bytes = row.cell(text, column_of(text, &table, column)?);
                }
                Ok(resolved)
            }
            _ => {
                let at = self.find(within, part)?;
                Ok(whole_lines(text, lines_of(text, &blocks[at]), containers_of(blocks, at)))
            }
        }
    }

    /// Returns the index of the block that a part names.
    pub(crate) fn find(&self, within: Within, part: &Part) -> Result<usize, AddressError> {
        find_part(self.blocks, within, part)
            .map_err(|missing| self.missing(within, missing.part, missing.available))
    }

    /// Returns the block and the rows of a table.
    pub(crate) fn table(&self, within: Within, place: &TablePart) -> Result<(usize, Table), AddressError> {
        let at = self.find(within, &Part::Table(place.clone()))?;
        let block = &self.blocks[at];
        Ok((at, Table::read(self.text, block.bytes.clone(), block.quoted)))
    }

    /// Returns the index of a section, or `None` for the preamble.
    pub(crate) fn section(
        &self,
        path: &[String],
        ordinal: Option<usize>,
    ) -> Result<Option<usize>, AddressError> {
        find_section(self.outline, path, ordinal)
    }

    /// Returns the section with this path, or the whole text without a path.
    pub(crate) fn within(&self, section: Option<(&[String], Option<usize>)>) -> Result<Within, AddressError> {
        section.map_or(Ok(Within::Text), |(path, ordinal)| {
            find_section(self.outline, path, ordinal).map(Within::Section)
        })
    }

    fn missing(&self, within: Within, part: Part, available: usize) -> AddressError {
        match within {
            Within::Text => AddressError::NoSuchBlock { part, available },
            Within::Section(section) => AddressError::NoSuchPart {
                section: section.map(|index| Candidate::new(self.outline, index)),
                part,
                available,
            },
        }
    }

    /// Returns the index of the first definition of a footnote. Labels are compared without regard to case.
    fn footnote(&self, label: &str) -> Result<usize, AddressError> {
        let label = label.trim();
        let label = label.strip_prefix("[^").and_then(|label| label.strip_suffix(']')).unwrap_or(label);
        let wanted = label.to_lowercase();
        let definitions = || {
            let all = self.blocks.iter().enumerate();
            all.filter(|(_, block)| block.kind == BlockKind::Footnote)
                .map(|(at, block)| (at, footnote_label(&self.text[block.bytes.clone()])))
        };
        let found = definitions().find(|(_, label)| label.to_lowercase() == wanted);
        found.map(|(at, _)| at).ok_or_else(|| AddressError::NoSuchFootnote {
            label: label.to_owned(),
            labels: definitions().take(MAX_MATCHES).map(|(_, label)| label.to_owned()).collect(),
        })
    }
}

/// Returns the label of a footnote definition, which begins with `[^`.
pub(crate) fn footnote_label(definition: &str) -> &str {
    let label = definition.split_once("]:").map_or("", |(label, _)| label);
    label.strip_prefix("[^").unwrap_or(label)
}

/// Returns the innermost section that a line belongs to.
pub(super) fn section_at(outline: &Outline, line: usize) -> Option<usize> {
    let sections = outline.sections();
    let above = sections.partition_point(|section| section.heading.start <= line);
    let holds = |index: &usize| sections[*index].lines.end >= line;
    std::iter::successors(above.checked_sub(1), |&index| sections[index].parent).find(holds)
}

/// Returns the lines between a heading and the next heading, without blank lines at their ends, or the preamble.
pub(crate) fn own_body(text: &str, outline: &Outline, section: Option<usize>) -> Option<LineRange> {
    let Some(index) = section else { return preamble(text, outline) };
    let sections = outline.sections();
    let Section { heading, lines: own, .. } = sections.get(index)?;
    let next = sections.get(index + 1).map(|next| next.heading.start - 1);
    let end = next.map_or(own.end, |end| end.min(own.end));
    let start = heading.end + 1;
    let from = lines::skip(text, 0, heading.end)?;
    let to = lines::skip(text, from, (end + 1).saturating_sub(start))?;
    let body = &text[from..to];
    let content = body.trim_matches(BLANK);
    let mut cursor = LineCursor::starting_at(text, from, start);
    (!content.is_empty()).then(|| {
        let leading = body.len() - body.trim_start_matches(BLANK).len();
        LineRange {
            start: cursor.line_at(from + leading),
            end: cursor.line_at(from + leading + content.len() - 1),
        }
    })
}

fn row_of(table: &Table, row: usize) -> Result<&Row, AddressError> {
    let found = row.checked_sub(1).and_then(|rank| table.body().get(rank));
    found.ok_or_else(|| AddressError::NoSuchRow { row, available: table.body().len() })
}

/// Returns the index of a column.
pub(crate) fn column_of(text: &str, table: &Table, column: &Column) -> Result<usize, AddressError> {
    let missing = || AddressError::NoSuchColumn {
        column: column.clone(),
        headers: table.headers(text).take(MAX_MATCHES).map(str::to_owned).collect(),
    };
    match column {
        Column::Number(number) => {
            number.checked_sub(1).filter(|at| *at < table.columns()).ok_or_else(missing)
        }
        Column::Header(header) => {
            let wanted = trimmed(header);
            let named = table.headers(text).enumerate().filter(|(_, header)| *header == wanted);
            let columns: Vec<_> = named.map(|(at, _)| at + 1).take(MAX_MATCHES).collect();
            match columns[..] {
                [] => Err(missing()),
                [column] => Ok(column - 1),
                _ => Err(AddressError::AmbiguousColumn { header: header.clone(), columns }),
            }
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

/// Resolves bytes of whole lines.
fn whole_bytes(text: &str, bytes: Range<usize>, container_path: Vec<ContainerKind>) -> Resolved {
    let mut cursor = LineCursor::new(text);
    let start = cursor.line_at(bytes.start);
    let lines = LineRange { start, end: cursor.line_at(bytes.end.saturating_sub(1).max(bytes.start)) };
    Resolved { lines, bytes, container_path }
}
