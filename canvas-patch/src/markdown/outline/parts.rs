//! Reading a long text in parts, because the parser's tree takes six times the text that it is given.
//!
//! A part ends at the last restart point that the text up to there settles; what was read behind it is forgotten and
//! read again with the next part. Labels that are defined in another part are known from a first reading.

use std::collections::BTreeSet;

use memchr::memmem;
use pulldown_cmark::{BrokenLink, CowStr, Parser};

use super::live::{GROWTH, ParserLimits, brackets, definitions_only, two_lines_above};
use super::scan::{
    Block, Definition, Lead, Mark, OPTIONS, RestartPoint, Scan, ScanResult, Start, definitions,
};
use super::{Outline, depth};
use crate::text::cursor::LineCursor;
use crate::text::lines;

/// Bytes that the parser is given at once, or a few lines more. In tests and fuzz targets parts are as short as can be.
const PART: usize = if cfg!(any(test, fuzzing)) { 1 } else { 1 << 20 };

/// So far apart are the places in a part where it may end.
const MARKS: usize = PART / 64;

/// Labels without a definition in their part are remembered up to this part of the text. Short texts of tests have few.
const ASKED: usize = if cfg!(any(test, fuzzing)) { 1 } else { 16 };

/// What [`piece`](super::scan::piece) finds from the end of `lead` to the end of the text. Points closer to each other
/// than `spacing` are left out, and blocks where not `BLOCKS`. `None` for short texts, and where the parser's limits
/// could matter: it has to be given the text at once.
pub(super) fn in_parts<const BLOCKS: bool>(text: &str, lead: Lead, spacing: usize) -> Option<ScanResult> {
    let body = &text[lead.bytes..];
    if body.len() <= PART || depth::is_bounded(body) {
        return None;
    }
    let start = lead.end(text);
    // No definition is written without these two.
    let defines = memmem::find(body.as_bytes(), b"]:").is_some();
    let mut asked =
        Asked { labels: BTreeSet::new(), bytes_left: if defines { body.len() / ASKED } else { 0 } };
    let mut reading = Reading::of::<BLOCKS>(text, start, spacing, |label| {
        asked.note(label);
        false
    });
    if reading.definitions.is_empty() && reading.behind.is_empty() {
        return Some(reading.finish(text));
    }
    let all = definitions_only(reading.definitions.iter().map(|(definition, _)| definition));
    let known = Parser::new(&all);
    let known = known.reference_definitions();
    let is_known = |label: &str| known.get(label).is_some();
    if !reading.behind.iter().all(|label| is_known(label)) {
        return None;
    }
    if asked.bytes_left == 0 || asked.labels.iter().any(|label| is_known(label)) {
        reading = Reading::of::<BLOCKS>(text, start, spacing, is_known);
    }
    let limits =
        |brackets| ParserLimits { deep: false, longest_definition: reading.longest_definition, brackets };
    if limits(brackets(text.as_bytes())).can_matter(body) || limits(reading.most_brackets).can_matter("") {
        return None;
    }
    // Of a label that several parts define, the first.
    let mut firsts: Vec<_> = known.iter().map(|(_, definition)| definition.span.start).collect();
    firsts.sort_unstable();
    let mut at = 0;
    reading.definitions.retain(|(definition, _)| {
        let is_first = firsts.binary_search(&at).is_ok();
        at += definition.label.len() + "[]: x\n".len();
        is_first
    });
    Some(reading.finish(text))
}

/// Labels that some part refers to and does not define.
struct Asked {
    labels: BTreeSet<String>,
    /// 0 once there are more than are remembered.
    bytes_left: usize,
}

impl Asked {
    fn note(&mut self, label: &str) {
        if self.bytes_left > 0 && !self.labels.contains(label) {
            self.labels.insert(label.to_owned());
            self.bytes_left = self.bytes_left.saturating_sub(label.len() + size_of::<String>());
        }
    }
}

struct Reading<'t> {
    scan: Scan<'t>,
    blocks: Vec<Block>,
    points: Vec<RestartPoint>,
    /// With the bytes of their destinations and titles.
    definitions: Vec<(Definition, usize)>,
    /// In any part, so that none can have met a limit of the parser.
    longest_definition: usize,
    /// Labels that the parser took for defined behind the end of a part.
    behind: BTreeSet<String>,
    /// Of one part.
    most_brackets: usize,
}

impl<'t> Reading<'t> {
    fn of<const BLOCKS: bool>(
        text: &'t str,
        start: RestartPoint,
        spacing: usize,
        mut is_defined: impl FnMut(&str) -> bool,
    ) -> Self {
        let line_start =
            memchr::memrchr(b'\n', &text.as_bytes()[..start.byte]).map_or(0, |newline| newline + 1);
        let mut reading = Self {
            scan: Scan::new(text, LineCursor::starting_at(text, line_start, start.line)),
            blocks: Vec::new(),
            points: vec![start],
            definitions: Vec::new(),
            longest_definition: 0,
            behind: BTreeSet::new(),
            most_brackets: 0,
        };
        let (mut mark, mut size) = (reading.scan.mark(start), PART);
        loop {
            let at = mark.point.byte;
            let end = lines::line_end(text, at.saturating_add(size).min(text.len()));
            match reading.part::<BLOCKS>(text, at, end, spacing, &mut is_defined) {
                None if end == text.len() => return reading,
                Some(next) => {
                    reading.back_to(&next);
                    (mark, size) = (next, PART);
                }
                None => {
                    reading.back_to(&mark);
                    size = size.saturating_mul(GROWTH);
                }
            }
        }
    }

    /// Reads the text from `from` to `end`: the last place where the part may end, if it is not the last part.
    fn part<const BLOCKS: bool>(
        &mut self,
        text: &str,
        from: usize,
        end: usize,
        spacing: usize,
        is_defined: &mut impl FnMut(&str) -> bool,
    ) -> Option<Mark> {
        let body = &text[from..end];
        // Nearer to the end, a point need not be one in the whole text.
        let last = if end == text.len() { from } else { two_lines_above(text, end) };
        let Self { scan, blocks, points, .. } = self;
        let base = points[0].byte;
        let mut mark = None;
        let last_point = points.last().map_or(base, |point| point.byte);
        let (mut point_due, mut mark_due) = (last_point.saturating_add(spacing.max(1)), from + 1);
        let on_start = |scan: &mut Scan<'t>, found: Start| {
            let is_mark = (mark_due..=last).contains(&found.byte);
            if found.byte < point_due && !is_mark {
                return;
            }
            let Some(point) = scan.point(text, base, found) else { return };
            if is_mark && point.byte > from {
                mark_due = point.byte + MARKS;
                mark = Some(scan.mark(point));
            }
            if point.byte >= point_due {
                point_due = point.byte.saturating_add(spacing.max(1));
                points.push(point);
            }
        };
        let elsewhere = |link: BrokenLink<'_>| {
            is_defined(&link.reference).then_some((CowStr::Borrowed(""), CowStr::Borrowed("")))
        };
        let parser = Parser::new_with_broken_link_callback(body, OPTIONS, Some(elsewhere));
        let mut events = parser.into_offset_iter();
        let mut on_block = |block| {
            if BLOCKS {
                blocks.push(block);
            }
        };
        scan.run::<true>(&mut events, from, &mut on_block, on_start);
        if mark.is_none() && end < text.len() {
            return None;
        }
        let behind = mark.as_ref().map_or(end, |mark: &Mark| mark.point.byte);
        for (definition, length) in definitions(events.reference_definitions(), from) {
            self.longest_definition = self.longest_definition.max(length);
            if definition.byte < behind {
                self.definitions.push((definition, length));
            } else {
                self.behind.insert(definition.label);
            }
        }
        self.most_brackets = self.most_brackets.max(brackets(body.as_bytes()));
        mark
    }

    /// Forgets what was read from a place on.
    fn back_to(&mut self, mark: &Mark) {
        let byte = mark.point.byte;
        self.scan.back_to(mark);
        self.blocks.truncate(self.blocks.partition_point(|block| block.bytes.start < byte));
        self.points.truncate(self.points.partition_point(|point| point.byte < byte).max(1));
    }

    fn finish(mut self, text: &str) -> ScanResult {
        self.scan.close(0, text.len());
        let Outline { sections, containers, .. } = self.scan.outline;
        let Self { blocks, points, .. } = self;
        let longest_definition = self.definitions.iter().map(|(_, length)| *length).max().unwrap_or(0);
        let definitions = self.definitions.into_iter().map(|(definition, _)| definition).collect();
        ScanResult { sections, containers, blocks, points, definitions, longest_definition }
    }
}
