//! Outlining a text, a long one in parts, because the parser's tree takes six times the text that it is given.
//!
//! A part ends at the last restart point that the text up to there settles; what was read after it is forgotten and
//! read again with the next part. Labels that another part defines are known from a first reading, and cost a second.
//! Where the parser's limits could matter, it is given the text at once.

use std::collections::BTreeSet;

use memchr::memmem;
use pulldown_cmark::Parser;

use super::depth;
use super::found::{Block, Definition, GROWTH, Lead, ScanResult, definitions_only};
use super::limits::{ParserLimits, brackets, longest};
use super::model::Outline;
use super::scan::Scan;
use crate::text::lines;

/// Bytes that the parser is given at once, or a few lines more. In tests and fuzz targets parts are as short as can be.
const PART: usize = if cfg!(any(test, fuzzing)) { 1 } else { 1 << 20 };

/// Labels without a definition in their part are remembered up to this part of the text. Short texts of tests have few.
const UNDEFINED: usize = if cfg!(any(test, fuzzing)) { 1 } else { 16 };

/// Finds every heading of `text` and the lines of its section.
///
/// Headings are those of CommonMark with pipe tables and `~~strikethrough~~`, also inside block quotes
/// and list items; YAML front matter counts only at the very start of the text, after a byte order mark
/// if there is one. Takes linear time and never fails: any text is Markdown.
///
/// Container markers in the first 256 bytes of a line are always understood. What is nested deeper is
/// read as code in texts that nest so deeply, over so many lines, that the time would no longer be
/// linear; no text written by hand comes near.
///
/// ```
/// let outline = canvas_patch::outline("# Install\n\n## Linux\n\nUse a package.\n\n## Windows\n");
/// let linux = &outline.sections()[1];
/// assert_eq!(outline.path(1), ["Install", "Linux"]);
/// assert_eq!((linux.lines.start, linux.lines.end), (3, 5));
/// ```
pub fn outline(text: &str) -> Outline {
    scan::<false>(text).0
}

/// Outlines `text` and lists its blocks in the order of their starts, or none where not `BLOCKS`.
pub(crate) fn scan<const BLOCKS: bool>(text: &str) -> (Outline, Vec<Block>) {
    let lead = Lead::of(text);
    let found = scan_in_parts::<BLOCKS>(text, lead, usize::MAX, PART)
        .unwrap_or_else(|| scan_whole::<BLOCKS, false>(text, lead, usize::MAX));
    let ScanResult { sections, containers, blocks, .. } = found;
    (Outline { sections, containers, front_matter: lead.front_matter }, blocks)
}

/// What is needed to keep a text's outline up to date. Points closer to each other than `spacing` are left out.
pub(super) fn scan_with_points(text: &str, lead: Lead, spacing: usize) -> ScanResult {
    scan_in_parts::<true>(text, lead, spacing, PART)
        .unwrap_or_else(|| scan_whole::<true, true>(text, lead, spacing))
}

/// What one pass of the parser finds from the end of `lead` to the end of the text.
pub(super) fn scan_whole<const BLOCKS: bool, const POINTS: bool>(
    text: &str,
    lead: Lead,
    spacing: usize,
) -> ScanResult {
    let mut scan = Scan::new(text, lead.end(text), spacing);
    let body = depth::bounded(&text[lead.bytes..]);
    let definitions = scan.read::<BLOCKS, POINTS>(&body, lead.bytes, |_| false);
    scan.finish(definitions)
}

/// The same in parts of `part` bytes. `None` for texts of one part, and where the parser's limits could matter.
pub(super) fn scan_in_parts<const BLOCKS: bool>(
    text: &str,
    lead: Lead,
    spacing: usize,
    part: usize,
) -> Option<ScanResult> {
    let body = &text[lead.bytes..];
    if body.len() <= part || depth::is_bounded(body) {
        return None;
    }
    // No definition is written without these two.
    let defines = memmem::find(body.as_bytes(), b"]:").is_some();
    let mut undefined =
        Undefined { labels: BTreeSet::new(), bytes_left: if defines { body.len() / UNDEFINED } else { 0 } };
    let mut found = Parts::read::<BLOCKS>(text, lead, spacing, part, |label| undefined.note(label));
    if found.definitions.is_empty() && found.after_end.is_empty() {
        return Some(found.scan.finish(Vec::new()));
    }
    let all = definitions_only(&found.definitions);
    let known = Parser::new(&all);
    let known = known.reference_definitions();
    if !found.after_end.iter().all(|label| known.get(label).is_some()) {
        return None;
    }
    if undefined.bytes_left == 0 || undefined.labels.iter().any(|label| known.get(label).is_some()) {
        found = Parts::read::<BLOCKS>(text, lead, spacing, part, |label| known.get(label).is_some());
    }
    let longest_definition = found.longest_definition;
    let of_text = ParserLimits { deep: false, longest_definition, brackets: brackets(text) };
    let of_part = ParserLimits { brackets: found.most_brackets, ..of_text };
    if of_text.can_matter(body) || of_part.can_matter("") {
        return None;
    }
    // Of a label that several parts define, the first.
    let mut firsts: Vec<_> = known.iter().map(|(_, definition)| definition.span.start).collect();
    firsts.sort_unstable();
    let mut at = 0;
    found.definitions.retain(|definition| {
        let is_first = firsts.binary_search(&at).is_ok();
        at += definition.label.len() + "[]: x\n".len();
        is_first
    });
    Some(found.scan.finish(found.definitions))
}

/// Labels that some part refers to and does not define.
struct Undefined {
    labels: BTreeSet<String>,
    /// 0 once there are more than are remembered.
    bytes_left: usize,
}

impl Undefined {
    /// Remembers a label. Answers that it is not defined.
    fn note(&mut self, label: &str) -> bool {
        if self.bytes_left > 0 && !self.labels.contains(label) {
            self.labels.insert(label.to_owned());
            self.bytes_left = self.bytes_left.saturating_sub(label.len() + size_of::<String>());
        }
        false
    }
}

/// All parts of a text.
struct Parts<'t> {
    scan: Scan<'t>,
    definitions: Vec<Definition>,
    /// In any part, so that none can have met a limit of the parser.
    longest_definition: usize,
    /// Labels that the parser took for defined after the end of a part.
    after_end: BTreeSet<String>,
    /// Of one part.
    most_brackets: usize,
}

impl<'t> Parts<'t> {
    /// Reads all parts. Linear: a part that settles little ends before a block that the next part settles or reads on,
    /// each time [`GROWTH`] times as far.
    fn read<const BLOCKS: bool>(
        text: &'t str,
        lead: Lead,
        spacing: usize,
        part: usize,
        mut is_defined: impl FnMut(&str) -> bool,
    ) -> Self {
        let mut parts = Self {
            scan: Scan::new(text, lead.end(text), spacing),
            definitions: Vec::new(),
            longest_definition: 0,
            after_end: BTreeSet::new(),
            most_brackets: 0,
        };
        let (mut at, mut size) = (lead.bytes, part);
        while at < text.len() {
            let end = lines::line_end(text, at.saturating_add(size).min(text.len()));
            let (settled, mut definitions) = parts.scan.read_part::<BLOCKS>(at..end, &mut is_defined);
            if settled == at {
                size = (end - at).saturating_mul(GROWTH);
                continue;
            }
            parts.longest_definition = parts.longest_definition.max(longest(&definitions));
            parts.most_brackets = parts.most_brackets.max(brackets(&text[at..end]));
            let kept = definitions.partition_point(|definition| definition.byte < settled);
            parts.after_end.extend(definitions.drain(kept..).map(|definition| definition.label));
            parts.definitions.append(&mut definitions);
            (at, size) = (settled, part);
        }
        parts
    }
}
