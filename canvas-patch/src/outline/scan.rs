//! One pass over pulldown-cmark's events.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::{Container, ContainerKind, LineCursor, LineRange, Outline, Section, depth, front_matter};

/// CommonMark, and tables, whose last row followed by `---` would be a heading without them.
///
/// Heading attributes stay off: with them, pulldown-cmark loses text after a lone CR.
const OPTIONS: Options = Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH);

/// A block quote, list item or fenced code block.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub(crate) kind: BlockKind,
    /// Index of the innermost section it starts in.
    pub(crate) section: Option<usize>,
    /// How many quotes and list items are around it.
    pub(crate) depth: usize,
    /// How many list items of its section are around it.
    pub(crate) nesting: usize,
    /// May start in the middle of a line and end with blank lines.
    pub(crate) bytes: Range<usize>,
    /// Whether it sits in a block quote.
    pub(crate) quoted: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockKind {
    /// A block quote.
    Quote,
    /// One item of a list.
    Item,
    /// A fenced code block.
    Fence,
}

/// Outlines `text` and hands its blocks to `on_block`, in the order of their starts.
pub(crate) fn scan(text: &str, mut on_block: impl FnMut(Block)) -> Outline {
    let bom = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let front_matter = front_matter::length(&text[bom..]);
    let base = bom + front_matter.unwrap_or(0);

    let mut scan = Scan::new(text);
    scan.outline.front_matter =
        front_matter.map(|_| LineRange { start: 1, end: scan.cursor.line_at(base - 1) });

    let body = depth::bounded(&text[base..]);
    let mut events = Parser::new_ext(&body, OPTIONS).into_offset_iter();
    while let Some((event, range)) = events.next() {
        // Three comparisons for an event that does not matter: a match of all of them is a jump that the
        // processor cannot predict, and costs 3 % of the time.
        if let Event::Start(tag) = event {
            let bytes = base + range.start..base + range.end;
            match tag {
                Tag::Heading { level, .. } => {
                    let title = title(&mut events);
                    scan.heading(title, level, bytes);
                }
                Tag::BlockQuote(_) => {
                    on_block(scan.block(BlockKind::Quote, bytes));
                    scan.enter(ContainerKind::Quote);
                }
                Tag::Item => {
                    on_block(scan.block(BlockKind::Item, bytes));
                    scan.enter(ContainerKind::ListItem);
                }
                Tag::CodeBlock(CodeBlockKind::Fenced(_)) => on_block(scan.block(BlockKind::Fence, bytes)),
                _ => {}
            }
        } else if let Event::End(TagEnd::Item | TagEnd::BlockQuote(_)) = event {
            scan.leave(base + range.end);
        }
    }
    scan.close(0, text.len());
    scan.outline
}

/// Bytes of a title that are kept. Every section below repeats it in its path, so a heading without end would
/// otherwise make outlines grow with the square of the text.
const TITLE_BYTES: usize = 512;

/// The text up to the end of the heading that has just started, cut to [`TITLE_BYTES`].
fn title<'t>(events: &mut impl Iterator<Item = (Event<'t>, Range<usize>)>) -> String {
    let mut title = String::new();
    for (event, _) in events {
        match event {
            Event::Text(text) | Event::Code(text) => title.push_str(&text),
            Event::SoftBreak | Event::HardBreak => title.push(' '),
            Event::End(TagEnd::Heading(_)) => break,
            _ => {}
        }
    }
    title.truncate(title.floor_char_boundary(TITLE_BYTES));
    let trimmed = title.trim();
    if trimmed.len() == title.len() { title } else { trimmed.to_owned() }
}

struct Scan<'t> {
    cursor: LineCursor<'t>,
    outline: Outline,
    /// Sections that have not ended, each inside the one before it.
    open: Vec<OpenSection>,
    /// Containers that have not ended, outermost first.
    frames: Vec<Frame>,
}

struct OpenSection {
    section: usize,
    /// How many list items are around its heading.
    items: usize,
}

struct Frame {
    kind: ContainerKind,
    /// How many sections were open when it began: those are not its own to end.
    outer: usize,
    /// How many list items are open, and whether a quote is, this one included.
    items: usize,
    quoted: bool,
    /// Its index in the outline, once it is known to hold a heading.
    container: Option<usize>,
}

impl<'t> Scan<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            cursor: LineCursor::new(text),
            outline: Outline { sections: Vec::new(), containers: Vec::new(), front_matter: None },
            open: Vec::new(),
            frames: Vec::new(),
        }
    }

    fn heading(&mut self, title: String, level: HeadingLevel, bytes: Range<usize>) {
        let level = level as u8;
        let outer = self.frames.last().map_or(0, |frame| frame.outer);
        let ended = self.open[outer..]
            .iter()
            .position(|open| self.outline.sections[open.section].level >= level)
            .map_or(self.open.len(), |inner| outer + inner);
        let line_start = self.cursor.line_start(bytes.start);
        self.close(ended, line_start);

        let start = self.cursor.line_at(bytes.start);
        let end = self.cursor.line_at(bytes.end.saturating_sub(1).max(bytes.start));
        let heading = LineRange { start, end };
        let section = self.outline.sections.len();
        let parent = self.section();
        let container = self.container();
        self.outline.sections.push(Section { title, level, parent, container, heading, lines: heading });
        self.open.push(OpenSection { section, items: self.items() });
    }

    fn enter(&mut self, kind: ContainerKind) {
        let items = self.items() + usize::from(kind == ContainerKind::ListItem);
        let quoted = self.quoted() || kind == ContainerKind::Quote;
        self.frames.push(Frame { kind, outer: self.open.len(), items, quoted, container: None });
    }

    fn leave(&mut self, end: usize) {
        if let Some(outer) = self.frames.last().map(|frame| frame.outer) {
            self.close(outer, end);
            self.frames.pop();
        }
    }

    /// Ends the open sections from `first` inwards, at the last content before the byte at `end`.
    fn close(&mut self, first: usize, end: usize) {
        if first >= self.open.len() {
            return;
        }
        let last_line = self.cursor.last_content_line(end, self.quoted());
        while self.open.len() > first {
            let Some(OpenSection { section, .. }) = self.open.pop() else { break };
            let lines = &mut self.outline.sections[section].lines;
            lines.end = lines.end.max(last_line);
            let (end, parent) = (lines.end, self.outline.sections[section].parent);
            // Past `last_line` only where a lone CR puts two headings on one line.
            if let Some(parent) = parent {
                let lines = &mut self.outline.sections[parent].lines;
                lines.end = lines.end.max(end);
            }
        }
    }

    /// The innermost container in the outline, which lists containers from their first heading on.
    fn container(&mut self) -> Option<usize> {
        let known = self.frames.iter().rposition(|frame| frame.container.is_some());
        let mut parent = known.and_then(|at| self.frames[at].container);
        for frame in &mut self.frames[known.map_or(0, |at| at + 1)..] {
            let index = self.outline.containers.len();
            self.outline.containers.push(Container { kind: frame.kind, parent });
            frame.container = Some(index);
            parent = Some(index);
        }
        parent
    }

    /// The innermost section here.
    fn section(&self) -> Option<usize> {
        self.open.last().map(|open| open.section)
    }

    /// A block that starts here.
    fn block(&self, kind: BlockKind, bytes: Range<usize>) -> Block {
        let nesting = self.items() - self.open.last().map_or(0, |open| open.items);
        Block {
            kind,
            section: self.section(),
            depth: self.frames.len(),
            nesting,
            bytes,
            quoted: self.quoted(),
        }
    }

    fn items(&self) -> usize {
        self.frames.last().map_or(0, |frame| frame.items)
    }

    fn quoted(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.quoted)
    }
}
