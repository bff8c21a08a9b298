//! One pass over pulldown-cmark's events.

use std::ops::Range;

use memchr::memrchr;
use pulldown_cmark::{
    BrokenLink, CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, RefDefs, Tag, TagEnd,
};

use super::parts::in_parts;
use super::{Container, ContainerKind, LineRange, Outline, Section, depth, front_matter};
use crate::text::cursor::LineCursor;
use crate::text::lines;

/// CommonMark, and tables, whose last row followed by `---` would be a heading without them.
///
/// Heading attributes stay off: with them, pulldown-cmark loses text after a lone CR.
pub(super) const OPTIONS: Options = Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH);

/// A block quote, list item or fenced code block.
#[derive(Debug, Clone, PartialEq, Eq)]
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

/// Outlines `text` and lists its blocks in the order of their starts, or none where not `BLOCKS`.
pub(crate) fn scan<const BLOCKS: bool>(text: &str) -> (Outline, Vec<Block>) {
    let lead = Lead::of(text);
    match in_parts::<BLOCKS>(text, lead, usize::MAX) {
        Some(ScanResult { sections, containers, blocks, .. }) => {
            (Outline { sections, containers, front_matter: lead.front_matter }, blocks)
        }
        None => scan_whole::<BLOCKS>(text, lead),
    }
}

/// The same by one pass of the parser over the whole text.
pub(super) fn scan_whole<const BLOCKS: bool>(text: &str, lead: Lead) -> (Outline, Vec<Block>) {
    let mut blocks = Vec::new();
    let body = depth::bounded(&text[lead.bytes..]);
    let mut scan = Scan::new(text, LineCursor::new(text));
    scan.outline.front_matter = lead.front_matter;
    let mut events = Parser::new_ext(&body, OPTIONS).into_offset_iter();
    let mut on_block = |block| {
        if BLOCKS {
            blocks.push(block);
        }
    };
    scan.run::<false>(&mut events, lead.bytes, &mut on_block, |_, _| {});
    scan.close(0, text.len());
    (scan.outline, blocks)
}

/// What a text may begin with before its Markdown: a byte order mark and front matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lead {
    pub(crate) bytes: usize,
    pub(crate) front_matter: Option<LineRange>,
}

impl Lead {
    pub(crate) fn of(text: &str) -> Self {
        let bom = lines::mark(text);
        let front_matter = front_matter::length(&text[bom..]);
        let bytes = bom + front_matter.unwrap_or(0);
        let lines = |_| LineRange { start: 1, end: LineCursor::new(text).line_at(bytes - 1) };
        Self { bytes, front_matter: front_matter.map(lines) }
    }

    /// The place right behind it in `text`.
    pub(super) fn end(self, text: &str) -> RestartPoint {
        // Front matter may end with a lone CR.
        let is_new_line = text.as_bytes()[..self.bytes].ends_with(b"\n");
        let line = self.front_matter.map_or(1, |lines| lines.end + usize::from(is_new_line));
        RestartPoint { byte: self.bytes, line, sections: 0, containers: 0 }
    }
}

/// The start of a line at which the parser has nothing open: what stands below it reads the same without what
/// stands above.
///
/// It is the first line of a heading with `#` or of a list item, or follows a blank line, and is in no quote and in
/// no other list item. The text before it, its own line and the next tell whether it is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RestartPoint {
    pub(super) byte: usize,
    pub(super) line: usize,
    /// Sections and containers that begin before it.
    pub(super) sections: usize,
    pub(super) containers: usize,
}

/// A link reference definition. Of several with one label in one stretch, the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Definition {
    pub(super) byte: usize,
    pub(super) label: String,
}

/// What a stretch of a text holds that begins at a [`RestartPoint`]. Indices count from its start, places from that of the
/// text.
#[derive(Debug)]
pub(super) struct ScanResult {
    pub(super) sections: Vec<Section>,
    pub(super) containers: Vec<Container>,
    pub(super) blocks: Vec<Block>,
    /// In rising order, the start of the stretch first.
    pub(super) points: Vec<RestartPoint>,
    pub(super) definitions: Vec<Definition>,
    /// Bytes of the longest destination with its title in a definition.
    pub(super) longest_definition: usize,
}

/// Reads `body`, what the parser shall see of `text` from `start` on, up to the end of `text`. Points closer to each
/// other than `spacing` are left out; `is_defined` says which link labels are defined elsewhere.
pub(super) fn piece(
    text: &str,
    body: &str,
    start: RestartPoint,
    spacing: usize,
    mut is_defined: impl FnMut(&str) -> bool,
) -> ScanResult {
    let line_start = memrchr(b'\n', &text.as_bytes()[..start.byte]).map_or(0, |newline| newline + 1);
    let mut scan = Scan::new(text, LineCursor::starting_at(text, line_start, start.line));
    let (mut blocks, mut points) = (Vec::new(), vec![RestartPoint { sections: 0, containers: 0, ..start }]);
    let elsewhere = |link: BrokenLink<'_>| {
        is_defined(&link.reference).then_some((CowStr::Borrowed(""), CowStr::Borrowed("")))
    };
    let parser = Parser::new_with_broken_link_callback(body, OPTIONS, Some(elsewhere));
    let mut events = parser.into_offset_iter();
    let on_start = |scan: &mut Scan<'_>, found: Start| {
        let last = points.last().map_or(0, |point: &RestartPoint| point.byte);
        if found.byte >= last + spacing
            && let Some(point) = scan.point(text, start.byte, found)
            && point.byte > last
        {
            points.push(point);
        }
    };
    scan.run::<true>(&mut events, start.byte, &mut |block| blocks.push(block), on_start);
    scan.close(0, text.len());

    let found = definitions(events.reference_definitions(), start.byte);
    let longest_definition = found.iter().map(|(_, length)| *length).max().unwrap_or(0);
    let definitions = found.into_iter().map(|(definition, _)| definition).collect();
    let Outline { sections, containers, .. } = scan.outline;
    ScanResult { sections, containers, blocks, points, definitions, longest_definition }
}

/// The definitions of a text that starts at the byte `base`, each with the bytes of its destination and title.
pub(super) fn definitions(found: &RefDefs<'_>, base: usize) -> Vec<(Definition, usize)> {
    let with_lengths = found.iter().map(|(label, definition)| {
        let title = definition.title.as_ref().map_or(0, |title| title.len());
        let byte = base + definition.span.start;
        (Definition { byte, label: label.to_owned() }, definition.dest.len() + title)
    });
    let mut definitions: Vec<_> = with_lengths.collect();
    definitions.sort_unstable_by_key(|(definition, _)| definition.byte);
    definitions
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

pub(super) struct Scan<'t> {
    text: &'t str,
    cursor: LineCursor<'t>,
    pub(super) outline: Outline,
    /// Sections that have not ended, each inside the one before it.
    open: Vec<OpenSection>,
    /// Containers that have not ended, outermost first.
    frames: Vec<Frame>,
}

/// What a scan has found up to a point, to go back to.
pub(super) struct Mark {
    pub(super) point: RestartPoint,
    /// The sections that are open there, with their last lines.
    open: Vec<(OpenSection, usize)>,
}

#[derive(Clone, Copy)]
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

/// A block that is in nothing but perhaps a list.
pub(super) struct Start {
    pub(super) byte: usize,
    kind: StartKind,
}

enum StartKind {
    Heading,
    Item,
    Other,
}

impl<'t> Scan<'t> {
    pub(super) fn new(text: &'t str, cursor: LineCursor<'t>) -> Self {
        Self {
            text,
            cursor,
            outline: Outline { sections: Vec::new(), containers: Vec::new(), front_matter: None },
            open: Vec::new(),
            frames: Vec::new(),
        }
    }

    /// Takes all events of a text that starts at the byte `base`; calls `on_start` only where `STARTS`.
    pub(super) fn run<'b, const STARTS: bool>(
        &mut self,
        events: &mut impl Iterator<Item = (Event<'b>, Range<usize>)>,
        base: usize,
        on_block: &mut impl FnMut(Block),
        mut on_start: impl FnMut(&mut Self, Start),
    ) {
        let mut depth = 0_usize;
        while let Some((event, range)) = events.next() {
            if STARTS {
                let byte = base + range.start;
                match (&event, depth) {
                    (Event::End(_), _) => {}
                    (Event::Start(Tag::Heading { .. }), 0) => {
                        on_start(self, Start { byte, kind: StartKind::Heading });
                    }
                    (Event::Start(Tag::Item), 1) => on_start(self, Start { byte, kind: StartKind::Item }),
                    (_, 0) => on_start(self, Start { byte, kind: StartKind::Other }),
                    _ => {}
                }
                match &event {
                    // Its end is taken with its title.
                    Event::Start(Tag::Heading { .. }) => {}
                    Event::Start(_) => depth += 1,
                    Event::End(_) => depth -= 1,
                    _ => {}
                }
            }
            // Three comparisons for an event that does not matter: a match of all of them is a jump that the
            // processor cannot predict, and costs 3 % of the time.
            if let Event::Start(tag) = event {
                let bytes = base + range.start..base + range.end;
                match tag {
                    Tag::Heading { level, .. } => {
                        let title = title(events);
                        self.heading(title, level, bytes);
                    }
                    Tag::BlockQuote(_) => {
                        on_block(self.block(BlockKind::Quote, bytes));
                        self.enter(ContainerKind::Quote);
                    }
                    Tag::Item => {
                        let start = marker_of_item(self.text, bytes.start);
                        on_block(self.block(BlockKind::Item, start..bytes.end));
                        self.enter(ContainerKind::ListItem);
                    }
                    Tag::CodeBlock(CodeBlockKind::Fenced(_)) => on_block(self.block(BlockKind::Fence, bytes)),
                    _ => {}
                }
            } else if let Event::End(TagEnd::Item | TagEnd::BlockQuote(_)) = event {
                self.leave(base + range.end);
            }
        }
    }

    /// A block that starts here.
    fn block(&self, kind: BlockKind, bytes: Range<usize>) -> Block {
        Block {
            kind,
            section: self.section(),
            depth: self.frames.len(),
            nesting: self.items() - self.open.last().map_or(0, |open| open.items),
            bytes,
            quoted: self.quoted(),
        }
    }

    /// The point at the line of a block, if it is one; the text is read from `base` on.
    pub(super) fn point(&mut self, text: &str, base: usize, start: Start) -> Option<RestartPoint> {
        let byte = self.cursor.line_start(start.byte).max(base);
        let line = &text.as_bytes()[byte..];
        let indent = line.iter().take(4).take_while(|&&byte| byte == b' ').count();
        if start.byte - byte > 3 || start.byte - byte > indent {
            return None;
        }
        let is_point = match start.kind {
            StartKind::Heading if line.get(indent) == Some(&b'#') => true,
            StartKind::Item => true,
            StartKind::Heading | StartKind::Other => follows_blank_line(&text.as_bytes()[base..byte]),
        };
        let line = self.cursor.line_at(start.byte);
        let (sections, containers) = (self.outline.sections.len(), self.outline.containers.len());
        is_point.then_some(RestartPoint { byte, line, sections, containers })
    }

    /// Remembers a point that was just found.
    pub(super) fn mark(&self, point: RestartPoint) -> Mark {
        let last_line = |open: &OpenSection| self.outline.sections[open.section].lines.end;
        Mark { point, open: self.open.iter().map(|open| (*open, last_line(open))).collect() }
    }

    /// Forgets what was found from a point on.
    pub(super) fn back_to(&mut self, mark: &Mark) {
        self.frames.clear();
        self.outline.sections.truncate(mark.point.sections);
        self.outline.containers.truncate(mark.point.containers);
        self.open.clear();
        for &(open, last_line) in &mark.open {
            self.outline.sections[open.section].lines.end = last_line;
            self.open.push(open);
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
    pub(super) fn close(&mut self, first: usize, end: usize) {
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

    fn items(&self) -> usize {
        self.frames.last().map_or(0, |frame| frame.items)
    }

    fn quoted(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.quoted)
    }
}

/// Where an item begins that the parser reports at the byte `at`.
///
/// pulldown-cmark takes the columns that are left of a tab for bytes, so that an item may begin with the end of the line
/// above it, or with the marker of a quote around it.
fn marker_of_item(text: &str, at: usize) -> usize {
    let before = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'>');
    at + text.as_bytes()[at..].iter().take_while(before).count()
}

fn follows_blank_line(before: &[u8]) -> bool {
    let Some((b'\n', before)) = before.split_last() else { return false };
    let content = before.iter().rev().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
    content.is_none_or(|&byte| byte == b'\n')
}
