//! The paragraphs and ordered lists of a text, which an outline does not list, because they reach across restart points or
//! are many.

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::depth;
use super::found::Lead;
use super::model::LineRange;
use super::scan::{OPTIONS, marker_of_item};
use super::table::{html_below, table_in};
use crate::text::cursor::LineCursor;

/// Returns the lines of all paragraphs outside of list items, footnotes and tables, in order. Takes linear time.
pub(crate) fn paragraphs(text: &str) -> Vec<LineRange> {
    let base = Lead::of(text).bytes;
    let body = depth::bounded(&text[base..]);
    let mut cursor = LineCursor::new(text);
    let (mut quotes, mut others, mut html) = (0_usize, 0_usize, 0..0);
    let mut found = Vec::new();
    for (event, range) in Parser::new_ext(&body, OPTIONS).into_offset_iter() {
        let (start, mut end) = (base + range.start, base + range.end);
        match event {
            Event::Start(Tag::BlockQuote(_)) => quotes += 1,
            Event::End(TagEnd::BlockQuote(_)) => quotes = quotes.saturating_sub(1),
            Event::Start(Tag::Item | Tag::FootnoteDefinition(_)) => others += 1,
            Event::End(TagEnd::Item | TagEnd::FootnoteDefinition) => others = others.saturating_sub(1),
            Event::Start(Tag::Table(_)) => html = html_below(text, start..end, quotes > 0),
            Event::Start(Tag::Paragraph) if others == 0 && !html.contains(&start) => {
                if let Some(header) = table_in(&text[start..end], quotes > 0, false) {
                    end = start + text[start..start + header].rfind(['\n', '\r']).unwrap_or(0);
                }
                if end > start {
                    found.push(LineRange { start: cursor.line_at(start), end: cursor.line_at(end - 1) });
                }
            }
            _ => {}
        }
    }
    found
}

/// Returns the ordered lists of a text in order of appearance, each as the starts of its items. Takes linear time.
pub(crate) fn ordered_lists(text: &str) -> Vec<Vec<usize>> {
    let base = Lead::of(text).bytes;
    let body = depth::bounded(&text[base..]);
    let mut lists = Vec::new();
    // The lists that are open, as indices of ordered ones.
    let mut open = Vec::new();
    for (event, range) in Parser::new_ext(&body, OPTIONS).into_offset_iter() {
        match event {
            Event::Start(Tag::List(number)) => {
                open.push(number.map(|_| lists.len()));
                if number.is_some() {
                    lists.push(Vec::new());
                }
            }
            Event::End(TagEnd::List(_)) => drop(open.pop()),
            Event::Start(Tag::Item) => {
                if let Some(&Some(list)) = open.last() {
                    lists[list].push(marker_of_item(text, base + range.start));
                }
            }
            _ => {}
        }
    }
    lists
}
