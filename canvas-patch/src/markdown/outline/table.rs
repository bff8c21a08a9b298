//! Tables that the parser does not see.
//!
//! pulldown-cmark begins a table without outer pipes, or with one column, only at the start of a paragraph or not at
//! all. On GitHub, the last line of a paragraph is a table header if the next line delimits as many columns. A `---`
//! below such a table does not underline a heading, and a `===` is a row.

use std::ops::Range;

use memchr::memchr;
use pulldown_cmark::{Event, Parser, Tag};

/// Whether a table begins inside these lines, which the parser takes for an underlined heading with the underline as
/// its last line. If `is_quoted`, the lines may have quote markers.
pub(super) fn holds_table(heading: &str, is_quoted: bool) -> bool {
    let blank: &[char] = if is_quoted { &[' ', '\t', '>'] } else { &[' ', '\t'] };
    let raw = || heading.trim_end_matches(['\n', '\r']).split(['\n', '\r']).filter(|line| !line.is_empty());
    let lines = || raw().map(|line| line.trim_start_matches(blank));
    let underline = lines().count().saturating_sub(1);
    // Only spaces and tabs may follow an underline. With these characters, it delimits one column.
    if lines().next_back().is_some_and(|line| line.ends_with(['\u{b}', '\u{c}'])) {
        return true;
    }
    // If the first delimiter row has other columns than the line above it, GitHub looks for no more.
    let first =
        lines().zip(raw().skip(1)).take(underline.saturating_sub(1)).find_map(|(header, delimiters)| {
            // A lazy continuation line, without the quote marker, delimits no columns.
            if is_quoted && !delimiters.trim_start().starts_with('>') {
                return None;
            }
            let columns = delimiter_columns(delimiters.trim_start_matches(blank))?;
            Some(columns == header_columns(header))
        });
    first == Some(true)
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
    let (mut pipes, mut after_last, mut at) = (0, 0, 0);
    let bytes = row.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if bytes.get(at + 1).is_some_and(u8::is_ascii_punctuation) => at += 1,
            b'|' => (pipes, after_last) = (pipes + 1, at + 1),
            _ => {}
        }
        at += 1;
    }
    pipes + usize::from(!row[after_last..].trim_matches(is_space).is_empty())
}

fn is_space(char: char) -> bool {
    matches!(char, ' ' | '\t' | '\u{b}' | '\u{c}')
}
