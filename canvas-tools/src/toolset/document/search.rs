//! Searches of the canvas, with a model's query and the lines shown to it.

use std::borrow::Cow;

use canvas_core::text::{GrepError, LineRange, Match, Query, matches};
use serde_json::json;

use super::fields::GrepFields;
use super::lines::{Shown, clipped, numbered};
use crate::reply::ToolError;

/// Maximum bytes of lines in one reply, as JSON. With the other fields they stay within 8 KB.
const LINES_BYTES: usize = 7_900;
/// Maximum bytes of one line if the call requests only matching lines. This suffices to locate a match. A longer line
/// is cut to the part around its first match.
const LINE_BYTES: usize = 120;
/// Maximum bytes of one line if the call also requests the lines around it, so that the model need not read it again.
const INSPECTED_BYTES: usize = 1_000;
/// Longest literal, in bytes, that is searched without regard to case. A longer one was probably copied from the text,
/// and each of its characters could cost a pass over the text.
const ANY_CASE_BYTES: usize = 64;
/// Maximum number of lines around a match.
pub(super) const MAX_CONTEXT: usize = 10;

/// A query, and the limits on the shown lines.
#[derive(Debug)]
pub(super) struct Search {
    query: Query,
    sent: String,
    regex: bool,
    context: usize,
    line_bytes: usize,
    from_line: usize,
}

impl Search {
    /// Creates a search, which ignores case if the query has no capital letter and is not a long literal.
    pub(super) fn new(
        sent: String,
        regex: bool,
        context: Option<usize>,
        from_line: usize,
    ) -> Result<Self, GrepError> {
        let query = if regex { Query::regex(&sent) } else { Query::literal(&sent) }?;
        let any_case = (regex || sent.len() <= ANY_CASE_BYTES) && !has_capital(&sent, regex);
        let query = if any_case { query.ignoring_case()? } else { query };
        let line_bytes = if context.is_some() { INSPECTED_BYTES } else { LINE_BYTES };
        Ok(Self { query, sent, regex, context: context.unwrap_or(0), line_bytes, from_line })
    }

    /// Returns the query as the model sent it, and whether it is an expression.
    pub(super) fn sent(&self) -> (&str, bool) {
        (&self.sent, self.regex)
    }

    /// Returns the matching lines from `from_line` on, as many as fit. Takes time linear in the text.
    pub(super) fn run(&self, text: &str) -> Result<(GrepFields, Vec<LineRange>), ToolError> {
        let mut page = Page { text, context: self.context, shown: Shown::default(), bytes: 0, last: None };
        let (mut total, mut next) = (0, None);
        for found in matches(text, &self.query, self.line_bytes).map_err(|e| bad_query(&e))? {
            total += 1;
            if found.line >= self.from_line && next.is_none() && !page.put(&found) {
                next = Some(found.line);
            }
        }
        let Shown { lines, ranges } = page.finished();
        let hint = if total == 0 { self.hint(text) } else { None };
        Ok((GrepFields { total, matches: lines, next_from_line: next, hint }, ranges))
    }

    /// Explains an empty result, if the query itself shows the cause.
    fn hint(&self, text: &str) -> Option<String> {
        if self.regex && self.sent.contains("\\|") {
            return Some("\\| stands for the character |: write | between alternatives".to_owned());
        }
        if !self.regex && self.sent.contains('|') {
            return Some("| is searched for as a character: for alternatives pass regex true, and write | without a backslash".to_owned());
        }
        if !self.regex && self.sent.len() > ANY_CASE_BYTES {
            return None;
        }
        let any_case = self.query.ignoring_case().ok()?;
        let mut found = matches(text, &any_case, LINE_BYTES).ok()?;
        let first = found.next()?.line;
        let more = if found.next().is_some() { " and others" } else { "" };
        Some(format!("line {first}{more} would match in other case: write the query in lower case"))
    }
}

/// Whether a query depends on case. It does if it contains a literal capital letter, unlike that of `\S`, or a class
/// that distinguishes case.
fn has_capital(query: &str, regex: bool) -> bool {
    let mut chars = query.chars();
    while let Some(c) = chars.next() {
        if regex && c == '\\' {
            if matches!(chars.next(), Some('p' | 'P')) {
                return true;
            }
        } else if c.is_uppercase() {
            return true;
        }
    }
    regex && query.contains("[:")
}

/// The shown lines of one reply.
struct Page<'t> {
    text: &'t str,
    context: usize,
    shown: Shown,
    bytes: usize,
    /// The line of the last match, and the offset at which it starts.
    last: Option<(usize, usize)>,
}

/// A line of a reply.
struct Entry {
    number: usize,
    /// The text in the form of the reply.
    text: String,
    is_whole: bool,
}

impl Entry {
    fn of_match(found: &Match<'_>) -> Self {
        let text = if found.clipped { format!("…{}…", found.text) } else { found.text.to_owned() };
        Self { number: found.line, text: numbered(found.line, ':', &text), is_whole: !found.clipped }
    }

    fn around(number: usize, line: &str) -> Self {
        let shown = clipped(line, INSPECTED_BYTES);
        Self { number, text: numbered(number, '-', &shown), is_whole: matches!(shown, Cow::Borrowed(_)) }
    }

    /// Returns the number of bytes that the line takes in JSON.
    fn bytes(&self) -> usize {
        json!(self.text).to_string().len() + 1
    }
}

impl<'t> Page<'t> {
    /// Adds a match with the lines around it. The first match is added alone if these lines do not fit. Returns `false`
    /// if the match does not fit.
    fn put(&mut self, found: &Match<'_>) -> bool {
        let mut block: Vec<Entry> = Vec::new();
        block.extend(self.after().take_while(|(number, _)| *number < found.line).map(around));
        let known =
            block.last().map(|entry| entry.number).or_else(|| self.last.map(|(line, _)| line)).unwrap_or(0);
        let above = self.text[..found.start].lines().rev().zip((1..found.line).rev()).take(self.context);
        let above = above.map(|(line, number)| (number, line)).take_while(|(number, _)| *number > known);
        let above: Vec<Entry> = above.map(around).collect();
        block.extend(above.into_iter().rev());
        let own = Entry::of_match(found);
        let mut bytes = own.bytes() + block.iter().map(Entry::bytes).sum::<usize>();
        if self.bytes + bytes > LINES_BYTES {
            if self.last.is_some() {
                return false;
            }
            bytes = own.bytes();
            block.clear();
        }
        block.push(own);
        block.into_iter().for_each(|entry| self.add(entry));
        self.bytes += bytes;
        self.last = Some((found.line, found.start));
        true
    }

    fn finished(mut self) -> Shown {
        let after: Vec<Entry> = self.after().map(around).collect();
        for entry in after {
            self.bytes += entry.bytes();
            if self.bytes > LINES_BYTES {
                break;
            }
            self.add(entry);
        }
        self.shown
    }

    /// Returns the lines below the last match.
    fn after(&self) -> impl Iterator<Item = (usize, &'t str)> + use<'t> {
        let (line, start) = self.last.unwrap_or((0, self.text.len()));
        self.text[start..].lines().zip(line..).skip(1).take(self.context).map(|(text, number)| (number, text))
    }

    fn add(&mut self, entry: Entry) {
        if entry.is_whole {
            self.shown.whole(entry.number);
        }
        self.shown.lines.push(entry.text);
    }
}

fn around((number, line): (usize, &str)) -> Entry {
    Entry::around(number, line)
}

pub(super) fn bad_query(error: &GrepError) -> ToolError {
    ToolError::argument("/query", error.to_string()).with_reason(error.code())
}
