//! The paragraphs and headings of some lines, with their markup.

use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::markdown::outline::{Lead, bounded, delimiter_columns, html_below};
use crate::text::lines;

/// The same as for outlines, and boxes of tasks.
const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_TASKLISTS);

/// The blocks that overlap a range of a text.
pub(super) struct Prose<'t> {
    text: &'t str,
    /// In order. Blocks that hold others are not in the list.
    leaves: Vec<Leaf>,
    /// The markup of these blocks, ordered by start.
    pub(super) markup: Vec<Markup>,
}

/// A block without other blocks inside.
struct Leaf {
    bytes: Range<usize>,
    kind: Kind,
}

/// A kind of block, with its containers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Kind {
    /// Quotes and lists around it, outermost first.
    around: Vec<Around>,
    leaf: LeafKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Around {
    Quote,
    Bullets,
    Numbers,
    Footnote,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LeafKind {
    Paragraph,
    Heading(HeadingLevel),
    /// Code, HTML, a table or a thematic break.
    Other,
}

/// A piece of inline markup with its delimiters.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Markup {
    pub(super) bytes: Range<usize>,
    pub(super) kind: MarkupKind,
    /// The destination and title of a link, the label of a footnote, or the source of an HTML tag.
    pub(super) target: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum MarkupKind {
    Emphasis,
    Strong,
    Strikethrough,
    Code,
    Link,
    Image,
    Html,
    Footnote,
    Task,
}

impl<'t> Prose<'t> {
    /// Reads the blocks that overlap `range`.
    pub(super) fn of(text: &'t str, range: Range<usize>) -> Self {
        let Lead { bytes: lead, front_matter } = Lead::of(text);
        let body = bounded(&text[lead..]);
        let mut reader =
            Reader { text, range, around: Vec::new(), open: None, leaves: Vec::new(), markup: Vec::new() };
        if front_matter.is_some() && reader.range.start < lead {
            reader.other(0..lead);
        }
        let (mut inside, mut html) = (0_usize, 0..0);
        for (event, bytes) in Parser::new_ext(&body, OPTIONS).into_offset_iter() {
            let bytes = lead + bytes.start..lead + bytes.end;
            if reader.is_past(bytes.start) {
                break;
            }
            if inside > 0 {
                // In code, HTML or a table.
                inside = match event {
                    Event::Start(_) => inside + 1,
                    Event::End(_) => inside - 1,
                    _ => inside,
                };
                continue;
            }
            if html.contains(&bytes.start) {
                continue;
            }
            match event {
                Event::Start(Tag::Table(_)) => {
                    html = html_below(text, bytes.clone(), reader.around.contains(&Around::Quote));
                    reader.other(bytes.start..bytes.end.max(html.end));
                    inside = 1;
                }
                Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::MetadataBlock(_)) => {
                    reader.other(bytes);
                    inside = 1;
                }
                Event::Rule => reader.other(bytes),
                Event::Start(tag) => reader.start(tag, bytes),
                Event::End(tag) => reader.end(tag),
                Event::Code(_) => reader.markup(MarkupKind::Code, String::new(), bytes),
                Event::InlineHtml(html) => reader.markup(MarkupKind::Html, html.into_string(), bytes),
                Event::FootnoteReference(label) => {
                    reader.markup(MarkupKind::Footnote, label.into_string(), bytes);
                }
                Event::TaskListMarker(_) => reader.markup(MarkupKind::Task, String::new(), bytes),
                _ => reader.inline(bytes),
            }
        }
        reader.close();
        Self { text, leaves: reader.leaves, markup: reader.markup }
    }

    /// Whether all lines of a range are prose or blank.
    pub(super) fn has_only_prose(&self, range: &Range<usize>) -> bool {
        self.lines(range).all(|line| {
            let mut leaves = self.leaves_of(&line).peekable();
            match leaves.peek() {
                Some(_) => leaves.all(|leaf| leaf.kind.is_prose()),
                None => is_marker(&self.text[line]),
            }
        })
    }

    /// Returns the lines of a range of whole lines, with their ends.
    pub(super) fn lines(&self, range: &Range<usize>) -> impl Iterator<Item = Range<usize>> + use<'t> {
        let start = range.start;
        self.text[range.clone()].split_inclusive('\n').scan(start, |at, line| {
            *at += line.len();
            Some(*at - line.len()..*at)
        })
    }

    /// Returns the offset of the first character of a line that is not white space, or the start of a blank line.
    pub(super) fn first_char(&self, line: &Range<usize>) -> usize {
        line.start + self.text[line.clone()].find(|c: char| !c.is_whitespace()).unwrap_or(0)
    }

    /// Returns the kind of the block at an offset, or of the first one on its line. Returns `None` if the line has no
    /// block.
    pub(super) fn kind_at(&self, at: usize) -> Option<&Kind> {
        let start = lines::line_start(self.text, at);
        let line = start..lines::line_end(self.text, at);
        let mut leaves = self.leaves_of(&line);
        let first = leaves.next()?;
        let leaf =
            if first.bytes.contains(&at) { None } else { leaves.find(|leaf| leaf.bytes.contains(&at)) };
        Some(&leaf.unwrap_or(first).kind)
    }

    /// Whether an offset is inside of one of the blocks.
    pub(super) fn contains(&self, at: usize) -> bool {
        self.leaves_of(&(at..at + 1)).next().is_some()
    }

    fn leaves_of(&self, bytes: &Range<usize>) -> impl Iterator<Item = &Leaf> + use<'_> {
        let first = self.leaves.partition_point(|leaf| leaf.bytes.end <= bytes.start);
        let end = bytes.end;
        self.leaves[first..].iter().take_while(move |leaf| leaf.bytes.start < end)
    }
}

impl Kind {
    fn is_prose(&self) -> bool {
        self.leaf != LeafKind::Other && !self.around.contains(&Around::Footnote)
    }
}

/// Whether a line without a block is blank, or only begins quotes and items.
fn is_marker(line: &str) -> bool {
    let rest = line.trim_matches(|c: char| c.is_whitespace() || c == '>');
    let number = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.is_empty()
        || matches!(rest, "-" | "+" | "*")
        || number.len() < rest.len() && matches!(number, "." | ")")
}

/// Gathers blocks from the events of the parser.
struct Reader<'t> {
    text: &'t str,
    range: Range<usize>,
    around: Vec<Around>,
    open: Option<Open>,
    leaves: Vec<Leaf>,
    markup: Vec<Markup>,
}

/// An unfinished paragraph or heading.
struct Open {
    bytes: Range<usize>,
    leaf: LeafKind,
    /// Number of pieces of markup before it.
    markup: usize,
}

impl Reader<'_> {
    /// Whether all blocks of the range ended before an offset.
    fn is_past(&self, at: usize) -> bool {
        at >= self.range.end && self.open.as_ref().is_none_or(|open| open.bytes.start >= self.range.end)
    }

    fn other(&mut self, bytes: Range<usize>) {
        self.close();
        self.leaf(bytes, LeafKind::Other);
    }

    fn start(&mut self, tag: Tag<'_>, bytes: Range<usize>) {
        let target = |url: &str, title: &str| [url, title].join("\0");
        match tag {
            Tag::Paragraph => self.begin(bytes, LeafKind::Paragraph),
            Tag::Heading { level, .. } => self.begin(bytes, LeafKind::Heading(level)),
            Tag::BlockQuote(_) => self.enter(Around::Quote),
            Tag::List(None) => self.enter(Around::Bullets),
            Tag::List(Some(_)) => self.enter(Around::Numbers),
            Tag::FootnoteDefinition(_) => self.enter(Around::Footnote),
            Tag::Item => self.close(),
            Tag::Emphasis => self.markup(MarkupKind::Emphasis, String::new(), bytes),
            Tag::Strong => self.markup(MarkupKind::Strong, String::new(), bytes),
            Tag::Strikethrough => self.markup(MarkupKind::Strikethrough, String::new(), bytes),
            Tag::Link { dest_url, title, .. } => {
                self.markup(MarkupKind::Link, target(&dest_url, &title), bytes);
            }
            Tag::Image { dest_url, title, .. } => {
                self.markup(MarkupKind::Image, target(&dest_url, &title), bytes);
            }
            _ => self.inline(bytes),
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::Item => self.close(),
            TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::FootnoteDefinition => {
                self.close();
                self.around.pop();
            }
            _ => {}
        }
    }

    fn enter(&mut self, around: Around) {
        self.close();
        self.around.push(around);
    }

    fn begin(&mut self, bytes: Range<usize>, leaf: LeafKind) {
        self.close();
        self.open = Some(Open { bytes, leaf, markup: self.markup.len() });
    }

    /// Notes a part of the text of a block. The text of an item may have no paragraph around it.
    fn inline(&mut self, bytes: Range<usize>) {
        match &mut self.open {
            Some(open) => open.bytes.end = open.bytes.end.max(bytes.end),
            None => self.begin(bytes, LeafKind::Paragraph),
        }
    }

    fn markup(&mut self, kind: MarkupKind, target: String, bytes: Range<usize>) {
        self.inline(bytes.clone());
        self.markup.push(Markup { bytes, kind, target });
    }

    fn close(&mut self) {
        let Some(Open { bytes, leaf, markup }) = self.open.take() else { return };
        if bytes.end <= self.range.start {
            self.markup.truncate(markup);
            return;
        }
        let mut rows = self.text[bytes.clone()].lines().map(|row| row.trim_start_matches([' ', '\t', '>']));
        // A table that the parser does not see.
        let has_table = rows.any(|row| delimiter_columns(row).is_some());
        self.leaf(bytes, if has_table { LeafKind::Other } else { leaf });
    }

    fn leaf(&mut self, bytes: Range<usize>, leaf: LeafKind) {
        if bytes.end > self.range.start {
            self.leaves.push(Leaf { bytes, kind: Kind { around: self.around.clone(), leaf } });
        }
    }
}
