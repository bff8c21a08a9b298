//! Outlines a text. Long texts are read in parts, because the parser's tree takes six times the text that it gets.
//!
//! The results of a part are kept up to its last restart point that holds whatever text follows. The text after that
//! point is read again with the next part. Labels that another part defines are known only after all parts are read.
//! Titles that refer to them are then read again. If such a title is in a container or underlined, the whole text is
//! read again. If the parser's limits could matter, it gets the whole text at once.

use std::collections::BTreeSet;

use memchr::memmem;

use super::depth;
use super::found::{Block, Definition, GROWTH, Lead, ScanResult};
use super::labels::{Labels, definitions_only, keep_firsts};
use super::limits::{expansion_limit, longest};
use super::model::Outline;
use super::scan::Scan;
use crate::text::lines;

/// Bytes of a part, which may have a few lines more. Tests and fuzz targets use the shortest possible parts.
const PART: usize = if cfg!(any(test, fuzzing)) { 1 } else { 1 << 17 };

/// The text's length divided by this is the maximum size of the remembered labels. A label is remembered if a title
/// refers to it and the title's part does not define it. Tests use a smaller divisor, because their texts are short.
const UNDEFINED: usize = if cfg!(any(test, fuzzing)) { 1 } else { 16 };

/// Finds every heading of `text` and the lines of its section.
///
/// Headings follow CommonMark with pipe tables and `~~strikethrough~~`, and include headings inside block quotes and
/// list items. YAML front matter counts only at the very start of the text, after a byte order mark if there is one.
/// Takes linear time and never fails, because any text is Markdown.
///
/// Container markers in the first 256 bytes of a line are always understood. If a text nests so deeply, over so many
/// lines, that the time would no longer be linear, deeper nesting is read as code. Text written by hand does not come
/// near this limit.
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

/// Outlines `text` and lists its blocks in the order of their starts. Without `BLOCKS`, the list is empty.
pub(crate) fn scan<const BLOCKS: bool>(text: &str) -> (Outline, Vec<Block>) {
    let lead = Lead::of(text);
    let found = scan_in_parts::<BLOCKS>(text, lead, usize::MAX, PART);
    let found = found.unwrap_or_else(|| scan_whole::<BLOCKS, false>(text, lead, usize::MAX));
    let ScanResult { sections, containers, blocks, .. } = found;
    (Outline { sections, containers, front_matter: lead.front_matter }, blocks)
}

/// Reads everything needed to keep a text's outline up to date. Points closer to each other than `spacing` are left
/// out.
pub(super) fn scan_with_points(text: &str, lead: Lead, spacing: usize) -> ScanResult {
    let Some(mut found) = scan_in_parts::<true>(text, lead, spacing, PART) else {
        return scan_whole::<true, true>(text, lead, spacing);
    };
    keep_firsts(&mut found.definitions);
    found
}

/// Reads from the end of `lead` to the end of the text in one pass of the parser.
pub(super) fn scan_whole<const BLOCKS: bool, const POINTS: bool>(
    text: &str,
    lead: Lead,
    spacing: usize,
) -> ScanResult {
    let mut scan = Scan::new(text, lead.end(text), spacing);
    let body = depth::bounded(&text[lead.bytes..]);
    let definitions = scan.read::<BLOCKS, POINTS, false>(&body, lead.bytes, |_| false);
    scan.finish(definitions)
}

/// Reads the same text in parts of `part` bytes, with the definitions of every part. Returns `None` if the text has
/// only one part or if the parser's limits could matter.
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
    // Every definition contains these two characters.
    let defines = memmem::find(body.as_bytes(), b"]:").is_some();
    let mut undefined =
        Undefined { labels: BTreeSet::new(), bytes_left: if defines { body.len() / UNDEFINED } else { 0 } };
    let mut found = Parts::read::<BLOCKS, true>(text, lead, spacing, part, |label| undefined.note(label));
    if found.is_limited(body) {
        return None;
    }
    let refers = found.scan.has_unresolved_titles() || undefined.has_any() || !found.after_end.is_empty();
    if found.definitions.is_empty() && found.after_end.is_empty() || !refers {
        return Some(found.finish());
    }
    let all = definitions_only(&found.definitions);
    let known = Labels::of(&all);
    let is_known = |label: &str| known.contains(label);
    if !found.after_end.iter().all(|label| is_known(label)) {
        return None;
    }
    if undefined.bytes_left == 0 || undefined.labels.iter().any(|label| is_known(label)) {
        drop(found);
        return Some(Parts::read::<BLOCKS, false>(text, lead, spacing, part, is_known).finish());
    }
    found.scan.resolve_titles(is_known);
    Some(found.finish())
}

struct Undefined {
    labels: BTreeSet<String>,
    /// 0 once there are more labels than are remembered.
    bytes_left: usize,
}

impl Undefined {
    /// Remembers a label. Always returns false, because its part does not define it.
    fn note(&mut self, label: &str) -> bool {
        if self.bytes_left > 0 && !self.labels.contains(label) {
            self.labels.insert(label.to_owned());
            self.bytes_left = self.bytes_left.saturating_sub(label.len() + size_of::<String>());
        }
        false
    }

    fn has_any(&self) -> bool {
        self.bytes_left == 0 || !self.labels.is_empty()
    }
}

/// The results of all parts of a text.
struct Parts<'t> {
    scan: Scan<'t>,
    definitions: Vec<Definition>,
    /// Labels whose definitions the parser found after the end of a part, but not in the next part, and the most bytes
    /// that any label after the end of a part expands to.
    after_end: BTreeSet<String>,
    longest_after_end: usize,
    /// Whether the parser may have met its limit in a part, and the bytes that the references of all parts expanded to.
    is_limited: bool,
    expanded: usize,
}

impl<'t> Parts<'t> {
    /// Reads all parts in linear time. If a part settles little, a long block follows. The next part begins with this
    /// block. If it does not settle the block either, it is read again, each time [`GROWTH`] times as far.
    fn read<const BLOCKS: bool, const LATER: bool>(
        text: &'t str,
        lead: Lead,
        spacing: usize,
        part: usize,
        mut is_defined: impl FnMut(&str) -> bool,
    ) -> Self {
        let mut parts = Self {
            scan: Scan::new(text, lead.end(text), spacing),
            definitions: Vec::new(),
            after_end: BTreeSet::new(),
            longest_after_end: 0,
            is_limited: false,
            expanded: 0,
        };
        let mut last_after_end: Vec<Definition> = Vec::new();
        let (mut at, mut size) = (lead.bytes, part);
        while at < text.len() {
            let end = end_of_part(text, at.saturating_add(size).min(text.len()));
            let (settled, mut definitions) = parts.scan.read_part::<BLOCKS, LATER>(at..end, &mut is_defined);
            if settled == at {
                size = (end - at).saturating_mul(GROWTH);
                continue;
            }
            parts.is_limited |= parts.scan.expanded >= expansion_limit(&text[at..end]);
            parts.expanded += parts.scan.expanded;
            // The next part nearly always finds them again.
            last_after_end.retain(|earlier| !is_among(&definitions, earlier));
            parts.after_end.extend(last_after_end.drain(..).map(|definition| definition.label));
            let kept = definitions.partition_point(|definition| definition.byte < settled);
            parts.longest_after_end = parts.longest_after_end.max(longest(&definitions[kept..]));
            last_after_end.extend(definitions.drain(kept..));
            parts.definitions.append(&mut definitions);
            (at, size) = (settled, part);
        }
        parts
    }

    /// Whether the parser could meet its limit in a part or in the whole text, because any reference may be defined
    /// there, or a footnote defined elsewhere could decide whether a title has a link.
    fn is_limited(&self, body: &str) -> bool {
        let longest = longest(&self.definitions).max(self.longest_after_end);
        let most = self.scan.undefined.saturating_mul(longest).saturating_add(self.expanded);
        self.is_limited || self.scan.footnote_in_link || longest > 0 && most >= expansion_limit(body)
    }

    fn finish(self) -> ScanResult {
        self.scan.finish(self.definitions)
    }
}

fn is_among(definitions: &[Definition], wanted: &Definition) -> bool {
    let at = definitions.binary_search_by_key(&wanted.byte, |definition| definition.byte);
    at.is_ok_and(|at| definitions[at].label == wanted.label)
}

/// Returns the end of the line after the first one that begins after the byte `from` and looks like a restart point.
fn end_of_part(text: &str, from: usize) -> usize {
    let mut line = lines::line_end(text, from);
    while line < text.len() && !looks_like_restart(text, line) {
        line = lines::line_end(text, line);
    }
    lines::forward(text, line, 2)
}

/// Whether a line looks like the start of a heading or list item, or follows a blank line and is not indented.
fn looks_like_restart(text: &str, line: usize) -> bool {
    let (above, below) = text.as_bytes().split_at(line);
    match below.first() {
        Some(b'#' | b'-' | b'*' | b'+' | b'0'..=b'9') => true,
        Some(b' ' | b'\t' | b'\r' | b'\n') | None => false,
        Some(_) => above.ends_with(b"\n\n") || above.ends_with(b"\n\r\n"),
    }
}
