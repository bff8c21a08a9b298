//! An outline that is kept up to date: after an edit only what it may have changed is read again.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ops::Range;

use memchr::{memchr_iter, memrchr};
use pulldown_cmark::Parser;

use super::parts::in_parts;
use super::scan::{Block, Definition, Lead, RestartPoint, ScanResult, piece};
use super::splice::{Reparse, Shift};
use super::{Outline, Section, depth};
use crate::markdown::address::{Address, AddressError, Resolved, resolve_in};
use crate::text::lines;
use crate::text::span::Span;

/// Bytes between two restart points that are kept. A one-line edit reads about as much again; all points behind
/// it are moved. In tests and fuzz targets every point counts: their texts are short.
pub(super) const SPACING: usize = if cfg!(any(test, fuzzing)) { 0 } else { 1024 };

/// With more edits at once, everything between the first and the last counts as changed.
const MAX_EDITS: usize = 256;

/// So much more is read when the text after an edit does not come back to where it was. All tries together then
/// cost a third of the last one.
pub(super) const GROWTH: usize = 4;

/// What link references may expand to before pulldown-cmark stops resolving them, where the text is no longer.
const EXPANSION: usize = 100_000;

/// A text with its outline, which an edit brings up to date at the cost of the edit.
///
/// After [`LiveOutline::edit`] the outline equals [`outline`](super::outline()) of the new text, always. What is read
/// again reaches from the last restart point two lines above the change to the first one below it at which text and
/// parse are as before. Restart points are headings with `#`, items of outermost lists, and what follows a blank line
/// outside of lists and quotes. Of the rest, line numbers are moved.
///
/// Some edits cost a full outline: those that change which link labels are defined, and all edits of texts that nest
/// so deeply, or may refer to links so often, that the parser's own limits could matter. An edit that opens a fence
/// reads what the fence swallows. A few full outlines are the most that an edit can cost.
///
/// ```
/// use canvas_patch::{LiveOutline, Options, apply, outline};
///
/// let mut live = LiveOutline::new("# A\n\ntext\n\n# B\n".to_owned());
/// let applied = apply(live.text(), "@@ -3,1 +3,2 @@\n-text\n+## C\n+text\n", &Options::default())?;
/// let (spans, after) = (applied.spans(), applied.into_text());
/// live.edit(after, &spans);
/// assert_eq!(live.outline().path(1), ["A", "C"]);
/// assert_eq!(live.outline(), &outline(live.text()));
/// # Ok::<(), canvas_patch::ApplyError>(())
/// ```
#[derive(Debug, Clone)]
pub struct LiveOutline {
    pub(super) text: String,
    pub(super) lead: Lead,
    pub(super) outline: Outline,
    /// Every list item and fence, in the order of their starts.
    pub(super) blocks: Vec<Block>,
    /// In rising order; the first is where the Markdown begins.
    pub(super) points: Vec<RestartPoint>,
    /// The first definition of every label, and some that come after; in rising order.
    pub(super) definitions: Vec<Definition>,
    limits: ParserLimits,
}

/// What tells whether the parser's limits on nesting and links can matter for a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct ParserLimits {
    /// Whether a line nests deeply.
    pub(super) deep: bool,
    /// No definition expands to more bytes.
    pub(super) longest_definition: usize,
    /// Every reference has one; those of front matter are counted too.
    pub(super) brackets: usize,
}

impl ParserLimits {
    fn of(text: &str, lead: Lead, longest_definition: usize) -> Self {
        let deep = depth::is_deep(&text[lead.bytes..]);
        Self { deep, longest_definition, brackets: brackets(text.as_bytes()) }
    }

    pub(super) fn can_matter(self, text: &str) -> bool {
        let expanded = self.brackets.saturating_mul(self.longest_definition);
        expanded >= text.len().max(EXPANSION) || self.deep && depth::is_bounded(text)
    }
}

pub(super) fn brackets(bytes: &[u8]) -> usize {
    memchr_iter(b']', bytes).count()
}

impl LiveOutline {
    /// Outlines `text`; takes linear time.
    pub fn new(text: String) -> Self {
        let lead = Lead::of(&text);
        let scan_whole = || {
            let body = depth::bounded(&text[lead.bytes..]);
            piece(&text, &body, lead.end(&text), SPACING, |_| false)
        };
        let ScanResult { sections, containers, blocks, points, definitions, longest_definition } =
            in_parts::<true>(&text, lead, SPACING).unwrap_or_else(scan_whole);
        let outline = Outline { sections, containers, front_matter: lead.front_matter };
        let limits = ParserLimits::of(&text, lead, longest_definition);
        Self { text, lead, outline, blocks, points, definitions, limits }
    }

    /// The text as it is now.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text, taken out.
    pub fn into_text(self) -> String {
        self.text
    }

    /// The outline of [`LiveOutline::text`].
    pub fn outline(&self) -> &Outline {
        &self.outline
    }

    /// Finds a place in the text, as [`resolve`](crate::resolve) does; reads nothing but the lines up to it.
    ///
    /// # Errors
    ///
    /// Those of [`resolve`](crate::resolve).
    pub fn resolve(&self, address: &Address) -> Result<Resolved, AddressError> {
        resolve_in(&self.text, &self.outline, &self.blocks, address)
    }

    /// Takes `after` for the text, and brings the outline up to date.
    ///
    /// `spans` are those of the patch that led from the text to `after` ([`Applied::spans`](crate::Applied::spans)).
    /// They let edits that lie far apart be read apart, and are checked: where they are empty or say anything wrong,
    /// the outline is right all the same, and everything between the first and the last difference counts as changed.
    pub fn edit(&mut self, after: String, spans: &[Span]) {
        let edits = edits(&self.text, &after, spans);
        if edits.is_empty() {
            return;
        }
        match self.plan(&after, &edits) {
            Some(Plan { lead, reparses, limits }) => {
                self.lead = lead;
                self.limits = limits;
                self.outline.front_matter = lead.front_matter;
                self.splice(after, reparses);
            }
            None => *self = Self::new(after),
        }
    }

    /// The regions that an edit may have changed, as they are and as they would be; all the rest is the same but for
    /// its place.
    pub(crate) fn regions(&self, after: &str, edits: &[Edit]) -> Vec<(Region, Region)> {
        // Behind a byte order mark no line starts: an edit there is one of the first line, which may read the same.
        let is_in_mark = |text: &str, at: usize| lines::mark(text) > 0 && at <= lines::mark(text);
        let first = edits.first();
        let at_mark = first
            .is_some_and(|edit| is_in_mark(&self.text, edit.old.start) || is_in_mark(after, edit.new.start));
        let plan = (!at_mark).then(|| self.plan(after, edits)).flatten();
        let Some(Plan { reparses, .. }) = plan else {
            let fresh = Self::new(after.to_owned());
            return vec![(self.whole(), fresh.whole())];
        };
        let regions = reparses.into_iter().map(|Reparse { old, piece, end, .. }| {
            let ScanResult { mut sections, mut blocks, points, .. } = piece;
            sections.truncate(end.sections);
            blocks.retain(|block| block.bytes.start < end.byte);
            (self.region(old), Region { start: (points[0].byte, points[0].line), sections, blocks })
        });
        regions.collect()
    }

    pub(crate) fn whole(&self) -> Region {
        self.region(0..self.points.len())
    }

    fn region(&self, points: Range<usize>) -> Region {
        let (start, end) = (self.place(points.start), self.place(points.end));
        let first = self.points.get(points.start).or_else(|| self.points.last());
        Region {
            start: first.map_or((0, 1), |point| (point.byte, point.line)),
            sections: self.outline.sections[start.sections..end.sections].to_vec(),
            blocks: self.blocks[start.blocks..end.blocks].to_vec(),
        }
    }

    /// What to read again and what it holds now; `None` where only the whole will do.
    fn plan(&self, after: &str, edits: &[Edit]) -> Option<Plan> {
        if self.limits.can_matter(&self.text[self.lead.bytes..]) {
            return None;
        }
        let mut limits = self.limits;
        for edit in edits {
            limits.brackets += brackets(&after.as_bytes()[edit.new.clone()]);
            limits.brackets -= brackets(&self.text.as_bytes()[edit.old.clone()]);
        }
        let lead = Lead::of(after);
        let (definitions, labels) = (OnceCell::new(), OnceCell::new());
        let is_defined = |label: &str| {
            let parsed = || {
                let definitions = definitions.get_or_init(|| definitions_only(&self.definitions));
                Parser::new(definitions)
            };
            labels.get_or_init(parsed).reference_definitions().get(label).is_some()
        };
        let mut reader = Reader { live: self, after, lead, edits, limits, is_defined: &is_defined };
        let mut reparses: Vec<Reparse> = Vec::new();
        let mut next = 0;
        while next < edits.len() {
            let (first, shift) = match reparses.last() {
                Some(reparse) => (reparse.old.end, reparse.shift),
                None => (0, Shift::default()),
            };
            let (reparse, behind) = reader.reparse(next, first, shift)?;
            reparses.push(reparse);
            next = behind;
        }
        let limits = reader.limits;
        (!limits.can_matter(&after[lead.bytes..])).then_some(Plan { lead, reparses, limits })
    }
}

/// A text that defines the same labels: only the parser knows which labels are alike.
pub(super) fn definitions_only<'d>(definitions: impl IntoIterator<Item = &'d Definition>) -> String {
    definitions.into_iter().flat_map(|definition| ["[", &definition.label, "]: x\n"]).collect()
}

/// What stands in a part of a text.
pub(crate) struct Region {
    /// The byte and the line at which it starts.
    pub(crate) start: (usize, usize),
    /// Only their levels, titles and headings count here.
    pub(crate) sections: Vec<Section>,
    pub(crate) blocks: Vec<Block>,
}

struct Plan {
    lead: Lead,
    reparses: Vec<Reparse>,
    limits: ParserLimits,
}

/// Bytes of the text before, and those that stand there after.
#[derive(Debug, Clone)]
pub(crate) struct Edit {
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
}

/// What leads from one text to the other: the spans if all else is the same in both, or what is found to differ.
pub(crate) fn edits(before: &str, after: &str, spans: &[Span]) -> Vec<Edit> {
    checked(before, after, spans).unwrap_or_else(|| difference(before, after))
}

fn checked(before: &str, after: &str, spans: &[Span]) -> Option<Vec<Edit>> {
    let (before, after) = (before.as_bytes(), after.as_bytes());
    let (mut old_at, mut new_at) = (0, 0);
    for Span { old_bytes, new_bytes, .. } in spans {
        if old_bytes.start > old_bytes.end || new_bytes.start > new_bytes.end {
            return None;
        }
        if before.get(old_at..old_bytes.start)? != after.get(new_at..new_bytes.start)? {
            return None;
        }
        (old_at, new_at) = (old_bytes.end, new_bytes.end);
    }
    if before.get(old_at..)? != after.get(new_at..)? {
        return None;
    }
    let edits = spans.iter().map(|span| Edit { old: span.old_bytes.clone(), new: span.new_bytes.clone() });
    match spans {
        [first, .., last] if spans.len() > MAX_EDITS => Some(vec![Edit {
            old: first.old_bytes.start..last.old_bytes.end,
            new: first.new_bytes.start..last.new_bytes.end,
        }]),
        _ => Some(edits.collect()),
    }
}

/// One edit from the first to the last difference; none between equal texts.
fn difference(before: &str, after: &str) -> Vec<Edit> {
    const CHUNK: usize = 4096;
    let (before, after) = (before.as_bytes(), after.as_bytes());
    let chunks = before.chunks(CHUNK).zip(after.chunks(CHUNK)).take_while(|(b, a)| b == a);
    let same: usize = chunks.map(|(chunk, _)| chunk.len()).sum();
    let rest = before[same..].iter().zip(&after[same..]);
    let start = same + rest.take_while(|(b, a)| b == a).count();
    let (before_rest, after_rest) = (&before[start..], &after[start..]);
    let chunks = before_rest.rchunks(CHUNK).zip(after_rest.rchunks(CHUNK)).take_while(|(b, a)| b == a);
    let same: usize = chunks.map(|(chunk, _)| chunk.len()).sum();
    let (before_rest, after_rest) =
        (&before_rest[..before_rest.len() - same], &after_rest[..after_rest.len() - same]);
    let rest = before_rest.iter().rev().zip(after_rest.iter().rev());
    let same = rest.take_while(|(b, a)| b == a).count();
    let edit =
        Edit { old: start..start + before_rest.len() - same, new: start..start + after_rest.len() - same };
    if edit.old.is_empty() && edit.new.is_empty() { Vec::new() } else { vec![edit] }
}

/// Reads regions of the text after.
struct Reader<'l> {
    live: &'l LiveOutline,
    after: &'l str,
    lead: Lead,
    edits: &'l [Edit],
    limits: ParserLimits,
    is_defined: &'l dyn Fn(&str) -> bool,
}

/// Where text and parse are as before.
struct Resync {
    new: RestartPoint,
    /// Index of the old point.
    old: usize,
    /// The first edit behind it.
    next: usize,
}

impl Reader<'_> {
    /// Reads from above the edit at `next` until text and parse are as before. Points before `first` are taken, and
    /// what follows them is moved by `shift`. Also tells the first edit behind the reparse.
    fn reparse(&mut self, next: usize, first: usize, shift: Shift) -> Option<(Reparse, usize)> {
        let points = &self.live.points;
        let above = two_lines_above(&self.live.text, self.edits[next].old.start);
        let restart = points.partition_point(|point| point.byte <= above).saturating_sub(1).max(first);
        let restart = if next == 0 && self.lead != self.live.lead { 0 } else { restart };
        let start =
            if next == 0 && restart == 0 { self.lead.end(self.after) } else { shift.point(points[restart]) };

        let mut target = start.byte.max(self.edits[next].new.end);
        loop {
            let end = self.end_of_reading(target);
            let piece = self.read(start, end)?;
            let (reparse, next) = match self.resync(next, &piece, end) {
                Some(Resync { new, old, next }) => {
                    let shift = Shift::between(points[old], new);
                    (Reparse { old: restart..old, piece, end: new, shift }, next)
                }
                None if end == self.after.len() => {
                    let (sections, containers) = (piece.sections.len(), piece.containers.len());
                    let end = RestartPoint { byte: usize::MAX, line: 0, sections, containers };
                    (Reparse { old: restart..points.len(), piece, end, shift }, self.edits.len())
                }
                None => {
                    target = start.byte + (end - start.byte).saturating_mul(GROWTH);
                    continue;
                }
            };
            return self.labels_stay(&reparse).then_some((reparse, next));
        }
    }

    /// What stands between `start` and the byte `end`; `None` where the parser's limits could matter.
    fn read(&mut self, start: RestartPoint, end: usize) -> Option<ScanResult> {
        let body = &self.after[start.byte..end];
        let piece = piece(&self.after[..end], body, start, 0, self.is_defined);
        let limits = &mut self.limits;
        limits.deep |= depth::is_deep(body);
        limits.longest_definition = limits.longest_definition.max(piece.longest_definition);
        if limits.longest_definition > 0 {
            let own = ParserLimits { brackets: brackets(body.as_bytes()), deep: false, ..*limits };
            if own.can_matter(body) {
                return None;
            }
        }
        Some(piece)
    }

    /// The end of the second line after the first old point at or behind `target`, where nothing is edited.
    fn end_of_reading(&self, mut target: usize) -> usize {
        let (points, edits) = (&self.live.points, self.edits);
        let mut next = edits.partition_point(|edit| edit.new.end <= target);
        loop {
            if edits.get(next).is_none_or(|edit| target <= edit.new.start) {
                let Edit { old, new } = &edits[next - 1];
                let at = points.partition_point(|point| point.byte + new.end < target + old.end);
                let Some(point) = points.get(at) else { return self.after.len() };
                if edits.get(next).is_none_or(|edit| point.byte <= edit.old.start) {
                    let point = point.byte + new.end - old.end;
                    return lines::skip(self.after, point, 2).unwrap_or(self.after.len());
                }
            }
            let Some(edit) = edits.get(next) else { return self.after.len() };
            target = edit.new.end;
            next += 1;
        }
    }

    /// The first point of a piece behind the edit at `next` that is an old one too.
    fn resync(&self, next: usize, piece: &ScanResult, end: usize) -> Option<Resync> {
        let (points, edits) = (&self.live.points, self.edits);
        let start = piece.points.first()?.byte;
        // Nearer to the end of what was read, a point need not be one in the whole text.
        let last = if end == self.after.len() { end } else { two_lines_above(self.after, end).max(start) };
        let behind = piece.points.partition_point(|point| point.byte < edits[next].new.end);
        let candidates = piece.points[behind..].iter().take_while(|point| point.byte <= last);
        candidates.copied().find_map(|new| {
            let next = edits.partition_point(|edit| edit.new.end <= new.byte);
            let before = &edits[next.checked_sub(1)?];
            if edits.get(next).is_some_and(|edit| edit.new.start < new.byte) {
                return None;
            }
            let byte = new.byte - before.new.end + before.old.end;
            let old = points.binary_search_by_key(&byte, |point| point.byte).ok()?;
            Some(Resync { new, old, next })
        })
    }

    /// Whether the reparse defines the link labels that it defined before, or at least no label comes or goes in all.
    /// Titles that refer to them stand anywhere.
    fn labels_stay(&self, reparse: &Reparse) -> bool {
        let (definitions, points) = (&self.live.definitions, &self.live.points);
        let old = definitions_between(definitions, points, &reparse.old);
        let (new, behind) = reparse.piece.definitions.split_at(
            reparse.piece.definitions.partition_point(|definition| definition.byte < reparse.end.byte),
        );
        if definitions[old.clone()].iter().map(label).eq(new.iter().map(label)) && behind.is_empty() {
            return true;
        }
        let old: BTreeSet<_> = definitions[old].iter().map(label).collect();
        let new: BTreeSet<_> = new.iter().map(label).collect();
        let known: BTreeSet<_> = definitions.iter().map(label).collect();
        old.is_subset(&new)
            && new.is_subset(&known)
            && behind.iter().map(label).all(|label| known.contains(label))
    }
}

fn label(definition: &Definition) -> &str {
    &definition.label
}

/// The definitions from one point to another, given by their indices.
fn definitions_between(
    definitions: &[Definition],
    points: &[RestartPoint],
    between: &Range<usize>,
) -> Range<usize> {
    let at = |point: usize| {
        let byte = points.get(point).map_or(usize::MAX, |point| point.byte);
        definitions.partition_point(|definition| definition.byte < byte)
    };
    at(between.start)..at(between.end)
}

/// Where the line two above that of the byte `at` starts; the start of the text where there is none.
pub(super) fn two_lines_above(text: &str, at: usize) -> usize {
    let above = |line: usize| if line == 0 { 0 } else { lines::line_start_before(text, line) };
    let line = memrchr(b'\n', &text.as_bytes()[..at]).map_or(0, |newline| newline + 1);
    above(above(line))
}

#[cfg(test)]
pub(crate) mod tests;
