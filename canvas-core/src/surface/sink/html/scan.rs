//! Parses the literal text of a template as HTML, as far as this is needed to find the context of each value.
//!
//! Text that cannot be parsed without doubt is refused, such as unclosed tags, strange comments and foreign content.

use std::ops::Range;

use crate::surface::sink::html::names::{Attribute, NOT_READ, RUNS, TEXT, attribute, has};
use crate::surface::sink::html::write::runs_code;
use crate::surface::sink::part::{Forbidden, Form, Placed, Run, cut};

/// Determines the context of each placeholder.
pub(crate) fn judge(items: &[Placed]) -> Result<Vec<Run>, Forbidden> {
    if !items.iter().any(|placed| placed.is_value()) {
        return Ok(cut(items, &[]));
    }
    let mut scan = Scan { items, at: 0, runs: Vec::new(), in_select: false };
    while let Some(placed) = scan.peek() {
        if placed.is('<') {
            scan.tag()?;
        } else {
            scan.text()?;
        }
    }
    Ok(cut(items, &scan.runs))
}

struct Scan<'t> {
    items: &'t [Placed],
    at: usize,
    runs: Vec<(Range<usize>, Form)>,
    in_select: bool,
}

fn is_blank(placed: Placed) -> bool {
    placed.char().is_some_and(|c| matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}'))
}

impl Scan<'_> {
    fn peek(&self) -> Option<Placed> {
        self.items.get(self.at).copied()
    }

    fn ahead(&self, by: usize) -> Option<char> {
        self.items.get(self.at + by)?.char()
    }

    fn forbidden<T>(
        &self,
        at: usize,
        message: impl Into<std::borrow::Cow<'static, str>>,
    ) -> Result<T, Forbidden> {
        let end = self.items.last().map_or(0, |last| last.at);
        Err(Forbidden::new(self.items.get(at).map_or(end, |placed| placed.at), message))
    }

    /// Reads the characters of a name, and refuses a placeholder among them.
    fn name(&mut self, message: &'static str) -> Result<String, Forbidden> {
        let mut name = String::new();
        while let Some(placed) = self.peek() {
            match placed.char() {
                None => return self.forbidden(self.at, message),
                Some('/' | '>' | '=') => break,
                Some(_) if is_blank(placed) => break,
                Some('"' | '\'' | '<' | '\0') => return self.not_read(self.at),
                Some(char) => name.push(char.to_ascii_lowercase()),
            }
            self.at += 1;
        }
        Ok(name)
    }

    fn not_read<T>(&self, at: usize) -> Result<T, Forbidden> {
        let message = "this markup is not understood without doubt, so its page may have no value: write plain, closed tags";
        self.forbidden(at, message)
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(is_blank) {
            self.at += 1;
        }
    }

    /// Reads one character of text or a placeholder.
    fn text(&mut self) -> Result<(), Forbidden> {
        if self.items[self.at].is_value() {
            self.is_no_reference(self.at)?;
            self.runs.push((self.at..self.at + 1, Form::Html));
        }
        self.at += 1;
        Ok(())
    }

    /// Refuses a value that would continue a character reference.
    fn is_no_reference(&self, at: usize) -> Result<(), Forbidden> {
        let before = self.items[..at].iter().rev();
        let mut before =
            before.skip_while(|p| p.char().is_some_and(|c| c == '#' || c.is_ascii_alphanumeric()));
        if before.next().is_some_and(|placed| placed.is('&')) {
            return self
                .forbidden(at, "a value may not go on with a character reference: write &amp; for the &");
        }
        Ok(())
    }

    /// Starts at `<`.
    fn tag(&mut self) -> Result<(), Forbidden> {
        let start = self.at;
        if self.items.get(start + 1).is_some_and(|placed| placed.is_value()) {
            return self.forbidden(start + 1, ELEMENT);
        }
        match self.ahead(1) {
            Some('!') => self.declaration(),
            Some('?') => self.not_read(start),
            Some('/') => {
                self.at += 2;
                self.end_tag()
            }
            Some(c) if c.is_ascii_alphabetic() => {
                self.at += 1;
                self.start_tag()
            }
            _ => self.text(),
        }
    }

    /// Starts at `<!`, which is a comment or the document type.
    fn declaration(&mut self) -> Result<(), Forbidden> {
        let start = self.at;
        if self.reads("<!--") {
            self.at += "<!--".len();
            if self.reads(">") || self.reads("->") {
                return self.not_read(start);
            }
            while self.peek().is_some_and(|placed| !placed.is_value()) {
                if self.reads("--!>") {
                    return self.not_read(start);
                }
                if self.reads("-->") {
                    self.at += "-->".len();
                    return Ok(());
                }
                self.at += 1;
            }
            self.unclosed(start, "a comment may have no value: move it out")
        } else if self.reads("<!doctype") {
            while self.peek().is_some_and(|placed| !placed.is_value()) {
                self.at += 1;
                if self.items[self.at - 1].is('>') {
                    return Ok(());
                }
            }
            self.unclosed(start, "the document's type may have no value: move it out")
        } else {
            self.not_read(start)
        }
    }

    /// Whether this ASCII text follows, ignoring case.
    fn reads(&self, text: &str) -> bool {
        let is_next =
            |(by, char): (usize, char)| self.ahead(by).is_some_and(|c| c.eq_ignore_ascii_case(&char));
        text.chars().enumerate().all(is_next)
    }

    /// Returns the error for a construct that ends with a placeholder or not at all.
    fn unclosed(&self, start: usize, message: &'static str) -> Result<(), Forbidden> {
        if self.peek().is_some() { self.forbidden(self.at, message) } else { self.not_read(start) }
    }

    /// Starts after `</`.
    fn end_tag(&mut self) -> Result<(), Forbidden> {
        let start = self.at;
        let name = self.name(ELEMENT)?;
        self.skip_blanks();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !self.peek().is_some_and(|p| p.is('>')) {
            return self.not_read(start);
        }
        self.at += 1;
        self.in_select &= name != "select";
        Ok(())
    }

    /// Starts after `<` and before a letter.
    fn start_tag(&mut self) -> Result<(), Forbidden> {
        let start = self.at;
        let element = self.name(ELEMENT)?;
        let is_text = has(TEXT, &element);
        if has(NOT_READ, &element) || is_text && self.in_select {
            let message = format!(
                "the content of <{element}> is not read, so its page may have no value: leave the element out"
            );
            return self.forbidden(start, message);
        }
        loop {
            while self.peek().is_some_and(|placed| is_blank(placed) || placed.is('/')) {
                self.at += 1;
            }
            match self.peek() {
                None => return self.not_read(start),
                Some(placed) if placed.is('>') => break,
                Some(placed) if placed.is('=') => return self.not_read(self.at),
                Some(_) => self.attribute(&element)?,
            }
        }
        self.at += 1;
        self.in_select |= element == "select";
        if is_text { self.content(&element) } else { Ok(()) }
    }

    fn attribute(&mut self, element: &str) -> Result<(), Forbidden> {
        let name = self.name(
            "a value may not name an attribute: write the name, and the placeholder in quotes after it",
        )?;
        self.skip_blanks();
        if !self.peek().is_some_and(|placed| placed.is('=')) {
            return Ok(());
        }
        self.at += 1;
        self.skip_blanks();
        let quote = self.ahead(0).filter(|c| matches!(c, '"' | '\''));
        self.at += usize::from(quote.is_some());
        let start = self.at;
        let is_end = |placed: &Placed| match quote {
            Some(quote) => placed.is(quote),
            None => is_blank(*placed) || placed.is('>'),
        };
        let Some(length) = self.items[start..].iter().position(is_end) else { return self.not_read(start) };
        let range = start..start + length;
        self.at = range.end + usize::from(quote.is_some());
        let text = &self.items[range.clone()];
        let Some(value) = text.iter().position(|placed| placed.is_value()) else {
            let is_odd = |p: &Placed| p.char().is_some_and(|c| matches!(c, '"' | '\'' | '<' | '=' | '`'));
            return if quote.is_none() && text.iter().any(is_odd) { self.not_read(start) } else { Ok(()) };
        };
        if quote.is_none() {
            return self
                .forbidden(start + value, "a value of an attribute needs quotes: write them around it");
        }
        if has(RUNS, element) {
            let message = format!("an attribute of <{element}> decides what runs: write it without a value");
            return self.forbidden(start + value, message);
        }
        for at in range.clone().filter(|&at| self.items[at].is_value()) {
            self.is_no_reference(at)?;
        }
        let form = match attribute(&name) {
            Attribute::Plain => Form::Html,
            Attribute::Url => {
                self.url(range.clone())?;
                Form::HtmlUrl
            }
            Attribute::Refused => {
                let message = format!(
                    "a value may run in the attribute {name}, or it is not known: put it into a data- attribute"
                );
                return self.forbidden(start + value, message);
            }
        };
        self.runs.push((range, form));
        Ok(())
    }

    /// Checks a URL that contains a value.
    fn url(&self, range: Range<usize>) -> Result<(), Forbidden> {
        let items = &self.items[range.clone()];
        let head: String = items.iter().map_while(|placed| placed.char()).collect();
        if runs_code(&head) {
            let message = "a URL of this scheme may run code: write http, https, mailto, tel or a path";
            return self.forbidden(range.start, message);
        }
        let sure =
            items.iter().position(|placed| placed.char().is_some_and(|c| matches!(c, '/' | '?' | '#')));
        match items[..sure.unwrap_or(items.len())].iter().position(|placed| placed.is('&')) {
            Some(at) => {
                let message = "a character reference may hide a scheme: write the character itself";
                self.forbidden(range.start + at, message)
            }
            None => Ok(()),
        }
    }

    /// Reads the text up to the end tag.
    fn content(&mut self, element: &str) -> Result<(), Forbidden> {
        let is_shown = matches!(element, "textarea" | "title");
        while let Some(placed) = self.peek() {
            if placed.is('<') && self.is_end_of(element) {
                return Ok(());
            }
            if placed.is_value() && !is_shown {
                let message = format!(
                    "a value in <{element}> would be code: put it into a data- attribute and read that"
                );
                return self.forbidden(self.at, message);
            }
            // After this, an end tag may have no effect.
            if element == "script" && self.reads("<!--") {
                return self.not_read(self.at);
            }
            self.text()?;
        }
        Ok(())
    }

    fn is_end_of(&self, element: &str) -> bool {
        let is_next =
            |(by, char): (usize, char)| self.ahead(by + 2).is_some_and(|c| c.eq_ignore_ascii_case(&char));
        let behind = self.items.get(self.at + 2 + element.len());
        self.ahead(1) == Some('/')
            && element.chars().enumerate().all(is_next)
            && behind.is_some_and(|p| is_blank(*p) || p.is('/') || p.is('>'))
    }
}

const ELEMENT: &str = "a value may not name an element: write the name";
