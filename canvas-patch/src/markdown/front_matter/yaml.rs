//! A YAML mapping as a tree of nodes with their bytes.

use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

/// Maximum depth of nested collections.
const MAX_DEPTH: usize = 32;

#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) content: Content,
    /// Its bytes in the text, without an anchor or tag.
    pub(crate) bytes: Range<usize>,
    /// Whether it has an anchor or a tag.
    pub(crate) is_marked: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Content {
    Scalar {
        value: String,
        style: ScalarStyle,
    },
    Sequence(Vec<Node>),
    Mapping(Vec<(Node, Node)>),
    /// A reference to the anchor with this number.
    Alias(usize),
}

/// Nodes are alike if they read alike, wherever they are.
impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.content == other.content && self.is_marked == other.is_marked
    }
}

/// A reason for which keys cannot be addressed.
#[derive(Debug)]
pub(crate) struct Fault {
    /// The line of the YAML, counted from 1.
    pub(crate) line: usize,
    pub(crate) what: &'static str,
}

/// Parses the mapping of `yaml`, which begins at the byte `base` of a text. Returns `None` if there is only blank space
/// and comments.
pub(crate) fn parse(yaml: &str, base: usize) -> Result<Option<Node>, Fault> {
    let mut reader = Reader { parser: Parser::new_from_str(yaml), offsets: Offsets::of(yaml, base), line: 1 };
    loop {
        let (event, span) = reader.next()?;
        match event {
            Event::StreamEnd => return Ok(None),
            Event::MappingStart(..) => {
                let root = reader.node(event, span, 0)?;
                return match reader.rest() {
                    Ok(()) if root.is_marked => Err(reader.fault("a tag or anchor for all of it")),
                    Ok(()) => Ok(Some(root)),
                    Err(fault) => Err(fault),
                };
            }
            // Nothing but comments reads as a document with an empty scalar.
            Event::Scalar(value, ScalarStyle::Plain, 0, None)
                if value.is_empty() || value == "~" && yaml_is_blank(yaml) => {}
            Event::Scalar(..) | Event::SequenceStart(..) | Event::Alias(_) => {
                return Err(reader.fault("no keys"));
            }
            _ => {}
        }
    }
}

fn yaml_is_blank(yaml: &str) -> bool {
    yaml.lines().all(|line| line.trim_start().is_empty() || line.trim_start().starts_with('#'))
}

struct Reader<'y> {
    parser: Parser<'y, saphyr_parser::StrInput<'y>>,
    offsets: Offsets<'y>,
    /// Line number of the last event.
    line: usize,
}

impl<'y> Reader<'y> {
    fn next(&mut self) -> Result<(Event<'y>, Span), Fault> {
        match self.parser.next_event() {
            Some(Ok((event, span))) => {
                self.line = span.start.line().max(1);
                Ok((event, span))
            }
            Some(Err(error)) => Err(Fault { line: error.marker().line().max(1), what: "malformed YAML" }),
            None => Ok((Event::StreamEnd, Span::empty(saphyr_parser::Marker::new(0, self.line, 0)))),
        }
    }

    fn fault(&self, what: &'static str) -> Fault {
        Fault { line: self.line, what }
    }

    /// Reads to the end, at which there must be no second document.
    fn rest(&mut self) -> Result<(), Fault> {
        loop {
            match self.next()?.0 {
                Event::StreamEnd => return Ok(()),
                Event::DocumentStart(_) => return Err(self.fault("a second document")),
                _ => {}
            }
        }
    }

    fn node(&mut self, event: Event<'y>, span: Span, depth: usize) -> Result<Node, Fault> {
        if depth > MAX_DEPTH {
            return Err(self.fault("values that nest too deeply"));
        }
        let range = self.offsets.range(&span);
        let bytes = self.offsets.unmarked(range);
        let (content, bytes, is_marked) = match event {
            Event::Alias(anchor) => (Content::Alias(anchor), bytes, false),
            Event::Scalar(value, style, anchor, tag) => {
                let bytes = self.scalar(bytes, style)?;
                (Content::Scalar { value: value.into_owned(), style }, bytes, anchor > 0 || tag.is_some())
            }
            Event::SequenceStart(anchor, tag) => {
                let mut items = Vec::new();
                let end = loop {
                    match self.next()? {
                        (Event::SequenceEnd, end) => break end,
                        (event, span) => items.push(self.node(event, span, depth + 1)?),
                    }
                };
                let last = items.last().map(|item: &Node| item.bytes.end);
                let bytes = self.collection(bytes, &end, last);
                (Content::Sequence(items), bytes, anchor > 0 || tag.is_some())
            }
            Event::MappingStart(anchor, tag) => {
                let mut entries = Vec::new();
                let end = loop {
                    match self.next()? {
                        (Event::MappingEnd, end) => break end,
                        (event, span) => {
                            let key = self.node(event, span, depth + 1)?;
                            if self.offsets.is_explicit(key.bytes.start) {
                                return Err(self.fault("a key behind a question mark"));
                            }
                            let (event, span) = self.next()?;
                            entries.push((key, self.node(event, span, depth + 1)?));
                        }
                    }
                };
                let last =
                    entries.last().map(|(key, value): &(Node, Node)| key.bytes.end.max(value.bytes.end));
                let start = entries.first().map_or(bytes.start, |(key, _)| bytes.start.min(key.bytes.start));
                let bytes = self.collection(start..bytes.end, &end, last);
                (Content::Mapping(entries), bytes, anchor > 0 || tag.is_some())
            }
            _ => return Err(self.fault("malformed YAML")),
        };
        Ok(Node { content, bytes, is_marked })
    }

    /// Returns the bytes of a scalar without the blanks and comments behind it, which the parser may count too.
    fn scalar(&self, bytes: Range<usize>, style: ScalarStyle) -> Result<Range<usize>, Fault> {
        let text = self.offsets.text(&bytes);
        let length = match style {
            ScalarStyle::SingleQuoted => quoted_length(text, '\''),
            ScalarStyle::DoubleQuoted => quoted_length(text, '"'),
            ScalarStyle::Plain => Some(text.trim_end().len()).filter(|_| !text.contains(" #")),
            ScalarStyle::Literal | ScalarStyle::Folded => Some(text.len()),
        };
        let length = length.ok_or_else(|| self.fault("a value whose end is not found"))?;
        Ok(bytes.start..bytes.start + length)
    }

    /// Returns the bytes of a collection, up to its bracket or, without brackets, up to its last entry.
    fn collection(&mut self, start: Range<usize>, end: &Span, last: Option<usize>) -> Range<usize> {
        let is_flow = self.offsets.starts_flow(start.start);
        let end = self.offsets.range(end).end;
        start.start..if is_flow { end } else { last.unwrap_or(start.end) }
    }
}

impl Node {
    /// Whether it or a node inside has an anchor or tag, or is an alias.
    pub(crate) fn has_marks(&self) -> bool {
        let inside = match &self.content {
            Content::Alias(_) => true,
            Content::Scalar { .. } => false,
            Content::Sequence(items) => items.iter().any(Self::has_marks),
            Content::Mapping(entries) => {
                entries.iter().any(|(key, value)| key.has_marks() || value.has_marks())
            }
        };
        self.is_marked || inside
    }
}

/// Returns the length of a quoted scalar with its quotes.
fn quoted_length(text: &str, quote: char) -> Option<usize> {
    let mut rest = text.strip_prefix(quote)?;
    loop {
        let at = rest.find([quote, '\\'])?;
        let (found, after) = rest[at..].split_at(1);
        rest = after;
        if found == "\\" {
            // An escape sequence, which only double quotes have.
            let skipped = if quote == '"' { rest.chars().next().map_or(0, char::len_utf8) } else { 0 };
            rest = &rest[skipped..];
        } else if quote == '\'' && rest.starts_with(quote) {
            // Two single quotes stand for one.
            rest = &rest[1..];
        } else {
            return Some(text.len() - rest.len());
        }
    }
}

/// Converts the parser's offsets, which count characters.
struct Offsets<'y> {
    yaml: &'y str,
    base: usize,
    /// A character and its byte, from which the next lookup goes on.
    at: (usize, usize),
}

impl<'y> Offsets<'y> {
    fn of(yaml: &'y str, base: usize) -> Self {
        Self { yaml, base, at: (0, 0) }
    }

    fn range(&mut self, span: &Span) -> Range<usize> {
        let start = self.byte(span.start.index());
        start..self.byte(span.end.index()).max(start)
    }

    fn byte(&mut self, character: usize) -> usize {
        let (from, byte) = self.at;
        let at = if character >= from {
            let mut rest = self.yaml[byte..].char_indices();
            byte + rest.nth(character - from).map_or(self.yaml.len() - byte, |(at, _)| at)
        } else {
            let mut before = self.yaml[..byte].char_indices();
            before.nth_back(from - character - 1).map_or(0, |(at, _)| at)
        };
        self.at = (character.min(self.yaml.len()), at);
        if at == self.yaml.len() {
            // The parser may count beyond the end.
            self.at = (0, 0);
        }
        self.base + at
    }

    /// Returns a range without anchors and tags at its start, which the parser counts.
    fn unmarked(&self, range: Range<usize>) -> Range<usize> {
        let mut rest = self.text(&range);
        while rest.starts_with(['&', '!']) {
            rest = rest.trim_start_matches(|char: char| !char.is_whitespace()).trim_start();
        }
        range.end - rest.len()..range.end
    }

    /// Whether a key begins behind `?`.
    fn is_explicit(&self, at: usize) -> bool {
        self.yaml[..at - self.base].trim_end_matches([' ', '\t']).ends_with('?')
    }

    fn text(&self, bytes: &Range<usize>) -> &'y str {
        &self.yaml[bytes.start - self.base..bytes.end - self.base]
    }

    fn starts_flow(&self, at: usize) -> bool {
        self.yaml[at - self.base..].starts_with(['[', '{'])
    }
}
