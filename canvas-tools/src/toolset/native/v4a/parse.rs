//! Parses the hunks of a V4A diff.

use canvas_core::text::{Block, BlockLine, Reason, Repair, RepairKind};

use crate::reply::shorten;
use crate::toolset::native::outcome::{NativeConflict, NativeError};

pub(in crate::toolset::native) const END_OF_FILE: &str = "*** End of File";

#[derive(Debug, Default)]
pub(super) struct Parsed<'a> {
    pub(super) hunks: Vec<Hunk<'a>>,
    pub(super) repairs: Vec<Repair>,
}

#[derive(Debug, Default)]
pub(super) struct Hunk<'a> {
    /// Lines of the document above the hunk, the outermost first.
    pub(super) anchors: Vec<&'a str>,
    pub(super) stated: Option<Stated>,
    pub(super) block: Block<'a>,
    /// Number of trailing blank lines without a prefix. They are either context or separate the hunk from the next one.
    pub(super) blanks: usize,
    pub(super) at_end: bool,
}

/// The numbers of a unified header, which may be wrong.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stated {
    pub(super) old_start: usize,
    pub(super) old_count: usize,
    pub(super) new_start: usize,
    pub(super) new_count: usize,
}

impl<'a> Hunk<'a> {
    pub(super) fn old_lines(&self) -> Vec<&'a str> {
        self.block.lines.iter().filter_map(|line| line.old()).collect()
    }

    pub(super) fn old_text(&self) -> String {
        self.old_lines().join("\n")
    }

    pub(super) fn has_change(&self) -> bool {
        self.block.lines.iter().any(|line| !matches!(line, BlockLine::Keep(_)))
    }
}

/// A line that cannot be parsed.
#[derive(Debug)]
pub(super) struct Fault<'a> {
    hunk: usize,
    patch_line: usize,
    line: &'a str,
}

impl Fault<'_> {
    pub(super) fn into_error(self, path: &str) -> NativeError {
        let Self { hunk, patch_line, line } = self;
        let sentence = format!(
            "invalid hunk at line {patch_line} of the update of '{path}'. Unexpected line found in update hunk: '{}'. Every line \
             should start with ' ' (context line), '+' (added line), or '-' (removed line)",
            shorten(line)
        );
        let conflict = NativeConflict::of_patch(hunk, Reason::BadLine).at_patch_line(patch_line);
        NativeError::new(sentence, conflict)
    }
}

/// Parses a diff without an envelope.
pub(super) fn parse(diff: &str, first_line: usize) -> Result<Parsed<'_>, Fault<'_>> {
    let mut parsed = Parsed::default();
    let mut open: Option<Hunk<'_>> = None;
    let mut closed = false;
    for (patch_line, line) in (first_line..).zip(diff.lines()) {
        let number = parsed.hunks.len();
        if let Some(header) = line.strip_prefix("@@") {
            // Consecutive headers are anchors of one hunk.
            if open.as_ref().is_some_and(|hunk| !hunk.block.lines.is_empty()) {
                close(&mut parsed, open.take());
            }
            closed = false;
            let hunk = open.get_or_insert_with(Hunk::default);
            hunk.block.patch_line = patch_line;
            read_header(hunk, header);
            continue;
        }
        if closed {
            if line.is_empty() {
                continue;
            }
            return Err(Fault { hunk: number, patch_line, line });
        }
        if line == END_OF_FILE {
            let Some(hunk) = &mut open else { return Err(Fault { hunk: number + 1, patch_line, line }) };
            hunk.at_end = true;
            close(&mut parsed, open.take());
            closed = true;
            continue;
        }
        // Blank lines before the first hunk do not belong to it.
        if line.is_empty() && open.is_none() {
            continue;
        }
        let hunk = open.get_or_insert_with(|| Hunk {
            block: Block { patch_line, ..Block::default() },
            ..Hunk::default()
        });
        let read = match line.split_at_checked(1) {
            Some((" ", text)) => BlockLine::Keep(text),
            Some(("-", text)) => BlockLine::Remove(text),
            Some(("+", text)) => BlockLine::Add(text),
            None if line.is_empty() => {
                hunk.blanks += 1;
                hunk.block.lines.push(BlockLine::Keep(""));
                note(&mut parsed.repairs, number, RepairKind::BlankContext);
                continue;
            }
            _ => return Err(Fault { hunk: number + 1, patch_line, line }),
        };
        hunk.blanks = 0;
        hunk.block.lines.push(read);
    }
    close(&mut parsed, open);
    Ok(parsed)
}

fn close<'a>(parsed: &mut Parsed<'a>, hunk: Option<Hunk<'a>>) {
    parsed.hunks.extend(hunk);
}

/// Reads the rest of a `@@` line, which may be empty, numbers, or a line of the document.
fn read_header<'a>(hunk: &mut Hunk<'a>, header: &'a str) {
    let text = header.strip_prefix(' ').unwrap_or(header);
    if text.trim().is_empty() {
        return;
    }
    match stated(text) {
        Some(stated) => hunk.stated = Some(stated),
        None => hunk.anchors.push(text),
    }
}

/// Parses the numbers of `-a,b +c,d @@`.
fn stated(text: &str) -> Option<Stated> {
    let (numbers, _) = text.split_once("@@")?;
    let mut sides = numbers.split_ascii_whitespace();
    let mut side = |sign| {
        let side = sides.next()?.strip_prefix(sign)?;
        let (start, count) = side.split_once(',').unwrap_or((side, "1"));
        Some((start.parse::<usize>().ok()?, count.parse::<usize>().ok()?))
    };
    let ((old_start, old_count), (new_start, new_count)) = (side('-')?, side('+')?);
    sides.next().is_none().then_some(Stated { old_start, old_count, new_start, new_count })
}

/// Records a repair of the hunk with this index, counted from 0.
pub(super) fn note(repairs: &mut Vec<Repair>, hunk: usize, kind: RepairKind) {
    repairs.push(Repair { hunk: hunk + 1, kind });
}
