//! Gathers sections, blocks and restart points from the events of the parser.

use std::cell::Cell;
use std::ops::Range;

use memchr::memchr2;
use pulldown_cmark::{
    BrokenLink, CodeBlockKind, CowStr, Event, HeadingLevel, LinkType, Options, Parser, RefDefs, Tag, TagEnd,
};

use super::found::{Block, BlockKind, Definition, RestartPoint, ScanResult, two_lines_above};
use super::limits::has_footnote_in_link;
use super::model::{Container, ContainerKind, LineRange, Outline, Section};
use super::table::{holds_table, html_below, table_in};
use crate::text::boundary::floor_char_boundary;
use crate::text::cursor::LineCursor;
use crate::text::lines;

/// CommonMark with the additions of GitHub that affect headings. If tables and footnotes were off, a `---` below one
/// would turn its last line into a heading.
///
/// Heading attributes stay off, because with them pulldown-cmark loses text after a lone CR.
pub(crate) const OPTIONS: Options =
    Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH).union(Options::ENABLE_FOOTNOTES);

/// Maximum bytes of a title. Every section below repeats the title in its path, so endless headings would otherwise
/// make outlines grow with the square of the text.
const TITLE_BYTES: usize = 512;

/// Minimum bytes from one mark to the next, except for the last ones of a part. To look at every place at which reading
/// could start again would take time.
const MARK_SPACING: usize = if cfg!(any(test, fuzzing)) { 0 } else { 1024 };

/// Answers for a link whose label has no definition. One type for all who ask, since the compiler makes a whole parser for
/// each type.
pub(crate) type OnBrokenLink<'f, 't> = &'f mut dyn FnMut(BrokenLink<'t>) -> Option<(CowStr<'t>, CowStr<'t>)>;

/// Returns the text up to the end of the heading that has just started, cut to [`TITLE_BYTES`]. With `COUNTED`, adds
/// the bytes of its references' expansions to `expanded`.
fn title<'t, const COUNTED: bool>(
    events: &mut impl Iterator<Item = (Event<'t>, Range<usize>)>,
    expanded: &mut usize,
) -> String {
    let mut title = String::new();
    for (event, _) in events {
        match event {
            Event::Start(tag) if COUNTED => *expanded += expansion(&tag),
            Event::Text(text) | Event::Code(text) => title.push_str(&text),
            Event::SoftBreak | Event::HardBreak => title.push(' '),
            // Written as without its definition, which may be in another part.
            Event::FootnoteReference(label) => title.extend(["[^", &label, "]"]),
            Event::End(TagEnd::Heading(_)) => break,
            _ => {}
        }
    }
    title.truncate(floor_char_boundary(&title, TITLE_BYTES));
    let trimmed = title.trim();
    if trimmed.len() == title.len() { title } else { trimmed.to_owned() }
}

/// Returns a title without its markup.
pub(crate) fn title_of(markup: &str) -> String {
    // Behind the closing mark, marks in the title are text.
    let heading = format!("# {markup} #");
    let mut events = Parser::new_ext(&heading, OPTIONS).into_offset_iter();
    title::<false>(&mut events, &mut 0)
}

/// Returns the bytes of destination and title that the parser counts for a reference to a link or image.
fn expansion(tag: &Tag<'_>) -> usize {
    match tag {
        Tag::Link { link_type, dest_url, title, .. } | Tag::Image { link_type, dest_url, title, .. }
            if matches!(link_type, LinkType::Reference | LinkType::Collapsed | LinkType::Shortcut) =>
        {
            dest_url.len() + title.len()
        }
        _ => 0,
    }
}

/// The state of a scan of a text that the parser gets at once or part by part.
pub(super) struct Scan<'t> {
    text: &'t str,
    cursor: LineCursor<'t>,
    outline: Outline,
    blocks: Vec<Block>,
    points: Vec<RestartPoint>,
    /// Minimum bytes between two kept points, and the first byte at which the next one may be.
    spacing: usize,
    next_point: usize,
    mark: Mark,
    /// The range in which the start of a block may move the mark, and the first byte at which the mark may move again.
    markable: Range<usize>,
    next_mark: usize,
    /// Headings on a line of their own that refer to a label not defined in the text read with them.
    unresolved: Vec<Unresolved>,
    /// Bytes that references expanded to in the last reading with `LATER`, and the number of references without a
    /// definition in all readings with `LATER`.
    pub(super) expanded: usize,
    pub(super) undefined: usize,
    /// Sections that have not ended, each inside the one before it.
    open: Vec<OpenSection>,
    /// Containers that have not ended, outermost first.
    frames: Vec<Frame>,
    /// The end of the last row of a table that the parser does not see, and the number of containers around it.
    row_end: Option<(usize, usize)>,
    /// The bytes of an HTML block, which the parser takes for the rows of a table and the text after them.
    html: Range<usize>,
    /// Whether a title may have a footnote reference inside a link.
    pub(super) footnote_in_link: bool,
}

/// The last restart point at which a part may end, with the sections that are open there.
///
/// It moves on from point to point, because the text after it is read once more. A move allocates no memory, because at
/// most six sections are open outside of containers.
struct Mark {
    byte: usize,
    sections: usize,
    containers: usize,
    open: Vec<OpenSection>,
}

struct Unresolved {
    section: usize,
    /// The start of its line, after the indentation.
    byte: usize,
}

/// The position of the parser when it asks for a label.
#[derive(Clone, Copy)]
enum Asking {
    /// In text, in which links do not change the results.
    Text,
    Title,
    /// In a title, which is read again once all labels are known.
    Unresolved,
}

#[derive(Clone, Copy)]
struct OpenSection {
    section: usize,
    /// Number of list items around its heading.
    items: usize,
}

struct Frame {
    kind: ContainerKind,
    /// Number of sections that were open when it began. It does not end these.
    outer: usize,
    /// Number of open list items, and whether a quote is open, this container included.
    items: usize,
    quoted: bool,
    /// Its index in the outline, once it is known to hold a heading.
    container: Option<usize>,
}

/// A block that starts outside of all containers except perhaps a list.
enum Start {
    Heading,
    Item,
    Other,
}

impl<'t> Scan<'t> {
    /// Creates a scan of `text` from `start` on. Points closer to each other than `spacing` are left out.
    pub(super) fn new(text: &'t str, start: RestartPoint, spacing: usize) -> Self {
        let spacing = spacing.max(1);
        Self {
            text,
            cursor: LineCursor::starting_at(text, lines::line_start(text, start.byte), start.line),
            outline: Outline { sections: Vec::new(), containers: Vec::new(), front_matter: None },
            blocks: Vec::new(),
            points: vec![RestartPoint { sections: 0, containers: 0, ..start }],
            spacing,
            next_point: start.byte.saturating_add(spacing),
            mark: Mark { byte: start.byte, sections: 0, containers: 0, open: Vec::new() },
            markable: 0..0,
            next_mark: 0,
            unresolved: Vec::new(),
            expanded: 0,
            undefined: 0,
            open: Vec::new(),
            frames: Vec::new(),
            row_end: None,
            html: 0..0,
            footnote_in_link: false,
        }
    }

    /// Gathers everything that the parser finds in `body`, which is its view of the text from the byte `base` on.
    ///
    /// With `BLOCKS`, blocks are kept. With `POINTS`, points are kept and definitions are returned. `is_defined` says
    /// which link labels of titles are defined elsewhere. With `LATER`, titles that can be read again on their own are
    /// left for [`Self::resolve_titles`].
    pub(super) fn read<const BLOCKS: bool, const POINTS: bool, const LATER: bool>(
        &mut self,
        body: &str,
        base: usize,
        mut is_defined: impl FnMut(&str) -> bool,
    ) -> Vec<Definition> {
        #[cfg(test)]
        BYTES_PARSED.set(BYTES_PARSED.get() + body.len());
        let (asking, unresolved) = (Cell::new(Asking::Text), Cell::new(false));
        let (undefined, mut expanded) = (Cell::new(0), 0);
        let mut defined_elsewhere = |link: BrokenLink<'_>| {
            undefined.set(undefined.get() + usize::from(LATER));
            let is_defined = match asking.get() {
                Asking::Text => false,
                Asking::Title => is_defined(&link.reference),
                Asking::Unresolved => {
                    unresolved.set(LATER);
                    false
                }
            };
            is_defined.then_some((CowStr::Borrowed(""), CowStr::Borrowed("")))
        };
        let callback: OnBrokenLink<'_, '_> = &mut defined_elsewhere;
        let parser = Parser::new_with_broken_link_callback(body, OPTIONS, Some(callback));
        let mut events = parser.into_offset_iter();
        // The end of the block that is outside of all others, whether it is a list, and the end of its item.
        let (mut outer_end, mut is_list, mut item_end) = (base, false, 0);
        while let Some((event, range)) = events.next() {
            // An event that does not matter costs three comparisons. A match of all of them would be a jump that the
            // processor cannot predict, and costs 3 % of the time.
            if let Event::Start(tag) = event {
                let bytes = base + range.start..base + range.end;
                if self.html.contains(&bytes.start) {
                    outer_end = outer_end.max(bytes.end);
                    continue;
                }
                if POINTS && bytes.start >= outer_end {
                    let start =
                        if matches!(tag, Tag::Heading { .. }) { Start::Heading } else { Start::Other };
                    self.start(bytes.start, start);
                    (outer_end, is_list, item_end) = (bytes.end, matches!(tag, Tag::List(_)), bytes.start);
                } else if POINTS && is_list && bytes.start >= item_end && matches!(tag, Tag::Item) {
                    self.start(bytes.start, Start::Item);
                    item_end = bytes.end;
                }
                match tag {
                    Tag::Table(_) => {
                        self.html = html_below(self.text, bytes.clone(), self.quoted());
                        let end = if self.html.is_empty() { bytes.end } else { self.html.start };
                        self.block::<BLOCKS>(BlockKind::Table, bytes.start..end);
                    }
                    // In a list item, the parser reports a paragraph only if the list is loose, which a part may not show.
                    Tag::Paragraph if BLOCKS && self.items() == 0 => self.table::<BLOCKS>(bytes, false),
                    Tag::Heading { .. } if self.is_of_table(&bytes) => self.table::<BLOCKS>(bytes, true),
                    Tag::Heading { level, .. } => {
                        self.footnote_in_link |= has_footnote_in_link(&self.text[bytes.clone()]);
                        asking.set(match LATER && self.is_line_of_its_own(bytes.start) {
                            true => Asking::Unresolved,
                            false => Asking::Title,
                        });
                        let title = title::<LATER>(&mut events, &mut expanded);
                        asking.set(Asking::Text);
                        if LATER && unresolved.take() {
                            let section = self.outline.sections.len();
                            self.unresolved.push(Unresolved { section, byte: bytes.start });
                        }
                        self.heading(title, level, bytes);
                    }
                    Tag::BlockQuote(_) => {
                        self.block::<BLOCKS>(BlockKind::Quote, bytes);
                        self.enter(ContainerKind::Quote);
                    }
                    Tag::Item => {
                        let start = marker_of_item(self.text, bytes.start);
                        self.block::<BLOCKS>(BlockKind::Item, start..bytes.end);
                        self.enter(ContainerKind::ListItem);
                    }
                    Tag::FootnoteDefinition(_) => {
                        self.block::<BLOCKS>(BlockKind::Footnote, bytes);
                        self.enter(ContainerKind::Footnote);
                    }
                    Tag::CodeBlock(CodeBlockKind::Fenced(_)) => self.block::<BLOCKS>(BlockKind::Fence, bytes),
                    Tag::Link { .. } | Tag::Image { .. } if LATER => expanded += expansion(&tag),
                    _ => {}
                }
            } else if let Event::End(TagEnd::Item | TagEnd::BlockQuote(_) | TagEnd::FootnoteDefinition) =
                event
            {
                if !self.html.contains(&(base + range.start)) {
                    self.leave(base + range.end);
                }
            } else if POINTS
                && matches!(event, Event::Rule)
                && base + range.start >= outer_end
                && !self.html.contains(&(base + range.start))
            {
                self.start(base + range.start, Start::Other);
            }
        }
        self.expanded = expanded;
        self.undefined += undefined.get();
        if POINTS { definitions(events.reference_definitions(), base) } else { Vec::new() }
    }

    /// Reads a part of the text and keeps the results that hold in the whole text. These are the results up to the last
    /// point that the part settles, or all results if the part ends the text. Returns that position and all
    /// definitions, including those after it.
    ///
    /// If the position is the start of the part, no results were kept.
    pub(super) fn read_part<const BLOCKS: bool, const LATER: bool>(
        &mut self,
        part: Range<usize>,
        is_defined: impl FnMut(&str) -> bool,
    ) -> (usize, Vec<Definition>) {
        let ends_text = part.end == self.text.len();
        // Closer to the end, a point need not be one in the whole text.
        let settled = if ends_text { part.start } else { two_lines_above(self.text, part.end) };
        self.markable = part.start + 1..settled + 1;
        self.next_mark = self.markable.start;
        let body = &self.text[part.clone()];
        let definitions = self.read::<BLOCKS, true, LATER>(body, part.start, is_defined);
        if ends_text {
            return (part.end, definitions);
        }
        self.back_to_mark();
        (self.mark.byte, definitions)
    }

    /// Reads again the titles that could not be resolved until all labels were known.
    pub(super) fn resolve_titles(&mut self, is_defined: impl Fn(&str) -> bool) {
        for Unresolved { section, byte } in std::mem::take(&mut self.unresolved) {
            let rest = &self.text[byte..];
            let line = &rest[..memchr2(b'\n', b'\r', rest.as_bytes()).unwrap_or(rest.len())];
            #[cfg(test)]
            BYTES_PARSED.set(BYTES_PARSED.get() + line.len());
            let mut defined = |link: BrokenLink<'_>| {
                is_defined(&link.reference).then_some((CowStr::Borrowed(""), CowStr::Borrowed("")))
            };
            let callback: OnBrokenLink<'_, '_> = &mut defined;
            let parser = Parser::new_with_broken_link_callback(line, OPTIONS, Some(callback));
            self.outline.sections[section].title = title::<false>(&mut parser.into_offset_iter(), &mut 0);
        }
    }

    pub(super) fn has_unresolved_titles(&self) -> bool {
        !self.unresolved.is_empty()
    }

    /// Closes all sections at the end of the text and returns the results.
    pub(super) fn finish(mut self, definitions: Vec<Definition>) -> ScanResult {
        self.close(0, self.text.len());
        let Self { outline: Outline { sections, containers, .. }, blocks, points, footnote_in_link, .. } =
            self;
        ScanResult { sections, containers, blocks, points, definitions, footnote_in_link }
    }

    /// Handles the start of a block. If its line is a restart point, keeps the point and moves the mark, each only if
    /// it is due.
    #[inline]
    fn start(&mut self, byte: usize, start: Start) {
        let may_mark = byte >= self.next_mark && self.markable.contains(&byte);
        if may_mark || byte >= self.next_point {
            self.keep_point(byte, start, may_mark);
        }
    }

    fn keep_point(&mut self, byte: usize, start: Start, may_mark: bool) {
        let Some(line_start) = self.restart_line(byte, start) else { return };
        let (sections, containers) = (self.outline.sections.len(), self.outline.containers.len());
        if may_mark && line_start > self.mark.byte {
            let Mark { open, .. } = &mut self.mark;
            open.clone_from(&self.open);
            self.mark = Mark { byte: line_start, sections, containers, open: std::mem::take(open) };
            let last_ones = self.markable.end.saturating_sub(MARK_SPACING);
            self.next_mark = last_ones.min(line_start + MARK_SPACING).max(line_start + 1);
        }
        if line_start >= self.next_point {
            let line = self.cursor.line_at(byte);
            self.points.push(RestartPoint { byte: line_start, line, sections, containers });
            self.next_point = line_start.saturating_add(self.spacing);
        }
    }

    /// Returns the start of the line of a block that starts at `byte`, if it is a restart point.
    fn restart_line(&self, byte: usize, start: Start) -> Option<usize> {
        let (text, first) = (self.text.as_bytes(), self.points[0].byte);
        let before = text[first..byte].iter().rev().take(4);
        let line_start = byte - before.take_while(|&&byte| byte == b' ').count();
        let above = &text[first..line_start];
        if byte - line_start > 3 || above.last().is_some_and(|&byte| byte != b'\n') {
            return None;
        }
        let line = &text[line_start..];
        let indent = line.iter().take(4).take_while(|&&byte| byte == b' ').count();
        let is_point = match start {
            // The first line of an underlined heading may begin with `#` too.
            Start::Heading if is_marked(&line[indent..]) => true,
            Start::Item => true,
            Start::Heading | Start::Other => follows_blank_line(above),
        };
        is_point.then_some(line_start)
    }

    /// Drops all results from the mark on.
    fn back_to_mark(&mut self) {
        let Mark { byte, sections, containers, ref open } = self.mark;
        self.frames.clear();
        self.outline.sections.truncate(sections);
        let unresolved = self.unresolved.partition_point(|title| title.section < sections);
        self.unresolved.truncate(unresolved);
        self.outline.containers.truncate(containers);
        self.blocks.truncate(self.blocks.partition_point(|block| block.bytes.start < byte));
        self.points.truncate(self.points.partition_point(|point| point.byte < byte).max(1));
        let last_point = self.points[self.points.len() - 1].byte;
        self.next_point = last_point.saturating_add(self.spacing);
        self.open.clone_from(open);
        for open in open {
            // It ends after the mark, and therefore after the ends of all sections inside it up to there.
            let section = &mut self.outline.sections[open.section];
            section.lines = section.heading;
        }
    }

    /// Keeps a block that starts here, if `BLOCKS`.
    fn block<const BLOCKS: bool>(&mut self, kind: BlockKind, bytes: Range<usize>) {
        if BLOCKS {
            self.blocks.push(Block {
                kind,
                section: self.section(),
                depth: self.frames.len(),
                nesting: self.items() - self.open.last().map_or(0, |open| open.items),
                bytes,
                quoted: self.quoted(),
            });
        }
    }

    /// Keeps a table that the parser does not see, if `BLOCKS`.
    fn table<const BLOCKS: bool>(&mut self, bytes: Range<usize>, is_heading: bool) {
        if let Some(header) = table_in(&self.text[bytes.clone()], self.quoted(), is_heading) {
            self.block::<BLOCKS>(BlockKind::Table, bytes.start + header..bytes.end);
        }
    }

    /// Whether the heading at the byte `start` is one with `#`, outside of all containers, so that its line alone reads
    /// the same.
    fn is_line_of_its_own(&self, start: usize) -> bool {
        let (text, first) = (self.text.as_bytes(), self.points[0].byte);
        // Text below link definitions may be indented like code and then be underlined.
        let indent = text[first..start].iter().rev().take_while(|&&byte| byte == b' ').count();
        let starts_line = start - indent == first || matches!(text[start - indent - 1], b'\n' | b'\r');
        self.frames.is_empty() && is_marked(&text[start..]) && starts_line && indent < 4
    }

    /// Whether an underlined heading instead ends a table or is a part of one.
    fn is_of_table(&mut self, bytes: &Range<usize>) -> bool {
        let heading = &self.text[bytes.clone()];
        // A heading with `#` is a single line.
        if memchr2(b'\n', b'\r', heading.trim_end_matches(['\n', '\r']).as_bytes()).is_none() {
            return false;
        }
        let follows_row = self.row_end.is_some_and(|(end, depth)| {
            depth == self.frames.len()
                && end <= bytes.start
                && !self.text[end..bytes.start].contains(['\n', '\r'])
        });
        if !follows_row && !holds_table(heading, self.quoted()) {
            return false;
        }
        // An underline of `=` is a row, too.
        let is_row = heading.trim_end().ends_with('=');
        self.row_end = is_row.then_some((bytes.end, self.frames.len()));
        true
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
            self.html = 0..0;
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
            // This is after `last_line` only if a lone CR puts two headings on one line.
            if let Some(parent) = parent {
                let lines = &mut self.outline.sections[parent].lines;
                lines.end = lines.end.max(end);
            }
        }
    }

    /// Returns the innermost container in the outline. The outline lists a container from its first heading on, so
    /// missing ones are added.
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

/// Returns the start of an item that the parser reports at the byte `at`.
///
/// pulldown-cmark takes the remaining columns of a tab for bytes, so a reported item may begin with the end of the line
/// above it, or with the marker of a quote around it.
pub(super) fn marker_of_item(text: &str, at: usize) -> usize {
    let before = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'>');
    at + text.as_bytes()[at..].iter().take_while(before).count()
}

/// Whether a line without its indentation is a heading with `#`.
fn is_marked(line: &[u8]) -> bool {
    let marks = line.iter().take_while(|&&byte| byte == b'#').count();
    (1..=6).contains(&marks) && matches!(line.get(marks), None | Some(b' ' | b'\t' | b'\n' | b'\r'))
}

fn follows_blank_line(before: &[u8]) -> bool {
    let Some((b'\n', before)) = before.split_last() else { return false };
    let content = before.iter().rev().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
    content.is_none_or(|&byte| byte == b'\n')
}

/// Converts the definitions of a text that starts at the byte `base`, in the order of their positions.
fn definitions(found: &RefDefs<'_>, base: usize) -> Vec<Definition> {
    let mut definitions: Vec<_> = found
        .iter()
        .map(|(label, found)| Definition {
            byte: base + found.span.start,
            label: label.to_owned(),
            expansion: found.dest.len() + found.title.as_ref().map_or(0, |title| title.len()),
        })
        .collect();
    definitions.sort_unstable_by_key(|definition| definition.byte);
    definitions
}

#[cfg(test)]
thread_local! {
    /// The number of bytes that this thread passed to the parser.
    pub(super) static BYTES_PARSED: Cell<usize> = const { Cell::new(0) };
}
