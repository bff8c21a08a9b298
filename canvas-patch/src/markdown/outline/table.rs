//! Tables that the parser does not see.
//!
//! pulldown-cmark begins a table without outer pipes, or with one column, only at the start of a paragraph or not at
//! all. On GitHub, the last line of a paragraph is a table header if the next line delimits as many columns. A `---`
//! below such a table does not underline a heading, and a `===` is a row.

use std::ops::Range;

use memchr::{memchr, memchr2};
use pulldown_cmark::{Event, Parser, Tag};

use crate::markdown::table::{is_space, pipes};

/// Whether a table begins inside these lines, which the parser takes for an underlined heading with the underline as
/// its last line. If `is_quoted`, the lines may have quote markers.
pub(super) fn holds_table(heading: &str, is_quoted: bool) -> bool {
    // Only spaces and tabs may follow an underline. With these characters, it delimits one column.
    let lines = heading.trim_end_matches(['\n', '\r']);
    lines.ends_with(['\u{b}', '\u{c}']) || table_in(heading, is_quoted, true).is_some()
}

/// Returns the byte at which the header of a table begins in the lines of a paragraph, which may have quote markers if
/// `is_quoted`. With `is_heading`, the last line is an underline and delimits no columns.
pub(super) fn table_in(paragraph: &str, is_quoted: bool, is_heading: bool) -> Option<usize> {
    let blank: &[char] = if is_quoted { &[' ', '\t', '>'] } else { &[' ', '\t'] };
    let paragraph = paragraph.trim_end_matches(['\n', '\r']);
    let mut header = 0;
    while let Some(end) = memchr2(b'\n', b'\r', &paragraph.as_bytes()[header..]).map(|end| header + end) {
        let below = &paragraph[end..];
        let start = paragraph.len() - below.trim_start_matches(['\n', '\r']).len();
        let length = memchr2(b'\n', b'\r', &paragraph.as_bytes()[start..]);
        if is_heading && length.is_none() {
            return None;
        }
        let delimiters = &paragraph[start..length.map_or(paragraph.len(), |length| start + length)];
        // A lazy continuation line, without the quote marker, delimits no columns.
        let is_lazy = is_quoted && !delimiters.trim_start().starts_with('>');
        let columns = delimiter_columns(delimiters.trim_start_matches(blank)).filter(|_| !is_lazy);
        if let Some(columns) = columns {
            let line = paragraph[header..end].trim_start_matches(blank);
            // If the first delimiter row has other columns than the line above it, GitHub looks for no more.
            return (columns == header_columns(line)).then(|| end - line.len());
        }
        header = start;
    }
    None
}

/// Returns the bytes of the HTML that ends a table, or an empty range. The HTML begins with a tag alone on its line,
/// which pulldown-cmark takes for a row, and extends to the next blank line.
pub(crate) fn html_below(text: &str, table: Range<usize>, is_quoted: bool) -> Range<usize> {
    let blank: &[char] = if is_quoted { &[' ', '\t', '\r', '\n', '>'] } else { &[' ', '\t', '\r', '\n'] };
    if memchr(b'<', text[table.clone()].as_bytes()).is_none() {
        return 0..0;
    }
    let lines = |from: usize| {
        text[from..].split_inclusive('\n').scan(from, |at, line| {
            *at += line.len();
            Some((*at - line.len(), line.trim_start_matches(blank)))
        })
    };
    let is_tag = |line: &str| {
        line.starts_with('<') && matches!(Parser::new(line).next(), Some(Event::Start(Tag::HtmlBlock)))
    };
    let rows = lines(table.start).take_while(|(at, _)| *at < table.end);
    let Some((start, _)) = rows.skip(2).find(|(_, line)| is_tag(line)) else { return 0..0 };
    let end = lines(start).find(|(_, line)| line.is_empty()).map_or(text.len(), |(at, _)| at);
    start..end
}

/// Returns the number of columns in the row below a header, or `None` for other lines.
pub(crate) fn delimiter_columns(row: &str) -> Option<usize> {
    let row = row.trim_matches(is_space);
    // A row of only dashes continues the paragraph because of its indentation.
    if !row.contains(['|', ':']) {
        return None;
    }
    let row = row.strip_prefix('|').unwrap_or(row);
    let row = row.strip_suffix('|').unwrap_or(row);
    let is_delimiter = |cell: &str| {
        let cell = cell.trim_matches(is_space);
        let cell = cell.strip_prefix(':').unwrap_or(cell);
        let cell = cell.strip_suffix(':').unwrap_or(cell);
        !cell.is_empty() && cell.bytes().all(|byte| byte == b'-')
    };
    row.split('|').all(is_delimiter).then(|| row.split('|').count())
}

/// Counts the columns of a header. An escaped pipe does not separate columns.
fn header_columns(row: &str) -> usize {
    let row = row.trim_matches(is_space);
    let row = row.strip_prefix('|').unwrap_or(row);
    let (mut columns, mut after_last) = (0, 0);
    for pipe in pipes(row) {
        (columns, after_last) = (columns + 1, pipe + 1);
    }
    columns + usize::from(!row[after_last..].trim_matches(is_space).is_empty())
}
