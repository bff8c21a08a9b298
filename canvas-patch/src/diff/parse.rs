//! Parses unified diffs, either exactly or with tolerance for wrong arithmetic.
//!
//! Both modes share one walk. If the header's counts hold, they decide which lines belong to a hunk, so that a removed
//! line `-- x` or an added line `++ x` is never taken for a file header. If they do not hold, only anchored mode
//! continues. In this case, a hunk runs to the next line that can begin another hunk or file, or close the code fence.

use crate::diff::conflict::{ExceededLimit, ParseError, Reason};
use crate::diff::options::Mode;
use crate::diff::patch::{Hunk, HunkRange, Line, LineKind, Patch, Repair, RepairKind};
use crate::text::limits::Limits;
use crate::text::lines::line_end;

/// Parses a patch.
///
/// Anchored mode stops at the first error too, because the text after a broken line cannot be read safely.
pub(crate) fn parse<'a>(text: &'a str, mode: Mode, limits: &Limits) -> Result<Patch<'a>, ParseError> {
    if text.len() > limits.patch_bytes {
        return Err(ParseError::too_large(ExceededLimit::Patch));
    }
    let mut reader = Reader {
        cursor: Cursor::new(text),
        patch: Patch::default(),
        mode,
        fence: None,
        fence_closed: false,
        crlf: false,
        unterminated: Vec::new(),
    };
    reader.all(limits).map_err(|fault| match fault.reason {
        Reason::TooLarge => fault,
        _ if has_escaped_newlines(text) => ParseError::of_patch(Reason::EscapedNewlines, 1),
        _ => fault,
    })?;
    reader.end(text);
    Ok(reader.patch)
}

/// Whether the patch is one line, with a backslash and an `n` before a character that can begin a line of a diff.
fn has_escaped_newlines(text: &str) -> bool {
    let line = text.trim_end();
    let starts = |rest: &str| rest.starts_with([' ', '+', '-', '@', '\\']);
    line.starts_with(['@', '-', '+', 'd', 'i', '`', '*'])
        && !line.contains('\n')
        && line.contains("@@")
        && line.split("\\n").skip(1).any(starts)
}

/// A position in the patch text. It is copied to look ahead.
#[derive(Clone, Copy)]
struct Cursor<'a> {
    rest: &'a str,
    /// Size in bytes of the next line, which is searched for once, however often it is peeked at.
    len: usize,
    /// Number of the next line, counted from 1.
    number: usize,
}

impl<'a> Cursor<'a> {
    fn new(text: &'a str) -> Self {
        Self { rest: text, len: line_end(text, 0), number: 1 }
    }

    fn peek(&self) -> Option<&'a str> {
        (self.len > 0).then(|| &self.rest[..self.len])
    }

    fn take(&mut self) -> Option<&'a str> {
        let line = self.peek()?;
        self.rest = &self.rest[self.len..];
        self.len = line_end(self.rest, 0);
        self.number += 1;
        Some(line)
    }
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    patch: Patch<'a>,
    mode: Mode,
    /// The code fence around the patch (anchored mode).
    fence: Option<&'a str>,
    fence_closed: bool,
    /// Whether the hunk's header ends in CR LF, which decides the meaning of a trimmed terminator.
    crlf: bool,
    /// Lines before a no-newline marker, each as its index in the patch's lines and the error to report if the marker
    /// is misplaced.
    unterminated: Vec<(usize, ParseError)>,
}

impl<'a> Reader<'a> {
    fn fault(&self, reason: Reason) -> ParseError {
        ParseError::of_hunk(self.patch.hunks.len() + 1, reason, self.cursor.number)
    }

    fn repair(&mut self, hunk: usize, kind: RepairKind) {
        let repair = Repair { hunk, kind };
        if self.patch.repairs.last() != Some(&repair) {
            self.patch.repairs.push(repair);
        }
    }

    fn all(&mut self, limits: &Limits) -> Result<(), ParseError> {
        self.preamble()?;
        while self.hunk(limits)? {}
        if self.patch.hunks.is_empty() {
            return Err(ParseError::of_patch(Reason::NoHunks, self.cursor.number));
        }
        Ok(())
    }

    /// Reads everything before the first hunk, which may be a fence, git's extended headers and one pair of file names.
    fn preamble(&mut self) -> Result<(), ParseError> {
        let (mut diffs, mut old_names, mut new_names) = (0, 0, 0);
        while let Some(line) = self.cursor.peek() {
            let bare = line.trim_end();
            if line.starts_with("@@") {
                return Ok(());
            }
            let named = old_names + new_names > 0;
            if opens_file(self.cursor) {
                (old_names, new_names) = (old_names + 1, new_names + 1);
                self.cursor.take();
            } else if self.mode == Mode::Anchored && line.starts_with("--- ") {
                old_names += 1;
                self.repair(0, RepairKind::FileHeaderIgnored);
            } else if self.mode == Mode::Anchored && line.starts_with("+++ ") {
                new_names += 1;
                self.repair(0, RepairKind::FileHeaderIgnored);
            } else if self.mode == Mode::Anchored && bare.is_empty() {
                self.repair(0, RepairKind::SeparatorDropped);
            } else if self.mode == Mode::Anchored && self.fence.is_none() && !named && is_fence(bare) {
                let marks = bare.len() - bare.trim_start_matches(['`', '~']).len();
                self.fence = Some(&bare[..marks]);
                self.repair(0, RepairKind::FenceRemoved);
            } else if !is_extended_header(line) {
                let reason =
                    if self.cursor.rest.contains("\n@@") { Reason::UnexpectedText } else { Reason::NoHunks };
                return Err(ParseError::of_patch(reason, self.cursor.number));
            }
            diffs += usize::from(line.starts_with("diff "));
            if diffs.max(old_names).max(new_names) > 1 {
                return Err(ParseError::of_patch(Reason::MultiFile, self.cursor.number));
            }
            self.cursor.take();
        }
        Ok(())
    }

    /// Reads one hunk. Returns `false` at the end of the patch.
    fn hunk(&mut self, limits: &Limits) -> Result<bool, ParseError> {
        let Some(header) = self.cursor.peek() else { return Ok(false) };
        if self.closes_fence(header) {
            return self.after_fence();
        }
        if self.patch.hunks.len() == limits.hunks {
            return Err(ParseError { limit: Some(ExceededLimit::Hunks), ..self.fault(Reason::TooLarge) });
        }
        let range = parse_header(header, self.mode);
        if range.is_none() && self.mode == Mode::Strict {
            let reason = if header.ends_with('\n') { Reason::BadHeader } else { Reason::Truncated };
            return Err(self.fault(reason));
        }
        let (start, patch_line) = (self.patch.lines.len(), self.cursor.number);
        self.cursor.take();
        let number = self.patch.hunks.len() + 1;
        self.crlf = header.ends_with("\r\n");
        if self.crlf && self.mode == Mode::Anchored {
            self.repair(number, RepairKind::EolAdapted);
        }
        let (body, repairs) = (self.cursor, self.patch.repairs.len());
        let counted = range.map(|range| self.counted_body(range));
        let mut blanks = 0;
        let (old_len, new_len) = match (counted, self.mode) {
            (Some(Ok(lens)), _) => lens,
            (Some(Err(fault)), Mode::Strict) => return Err(fault),
            (None, Mode::Strict) => unreachable!("strict mode has refused a header without numbers"),
            (_, Mode::Anchored) => {
                self.drop_lines(start, patch_line);
                self.patch.repairs.truncate(repairs);
                self.cursor = body;
                let lens;
                (lens, blanks) = self.open_body()?;
                match range.map(|range| (range.old_count, range.new_count)) {
                    None => self.repair(number, RepairKind::BareHeader),
                    Some(counts) if counts != lens => self.repair(number, RepairKind::CountsCorrected),
                    Some(_) => {}
                }
                lens
            }
        };
        let lines = start..self.patch.lines.len() - blanks;
        if lines.is_empty() {
            return Err(ParseError::of_hunk(number, Reason::Truncated, patch_line));
        }
        let added = self.patch.lines[start..].iter().filter(|line| line.kind == LineKind::Add);
        self.patch.added_bytes += added.map(|line| line.text.len()).sum::<usize>();
        self.patch.hunks.push(Hunk { range, lines, blanks, old_len, new_len, patch_line });
        Ok(true)
    }

    /// Reads a body of exactly the stated counts, and checks that the next line may follow a hunk.
    fn counted_body(&mut self, range: HunkRange) -> Result<(usize, usize), ParseError> {
        let (mut old, mut new) = (0, 0);
        while (old, new) != (range.old_count, range.new_count) {
            let Some(line) = self.cursor.peek() else { return Err(self.fault(Reason::Truncated)) };
            if is_marker(line) {
                self.marker()?;
                continue;
            }
            let Some((kind, text)) = self.body_line(line) else {
                let ends = line.starts_with("@@") || line.starts_with("diff --git ");
                return Err(self.fault(if ends { Reason::CountMismatch } else { Reason::BadLine }));
            };
            if is_blank(line) {
                self.repair(self.patch.hunks.len() + 1, RepairKind::BlankContext);
                self.patch.bare_blanks.push(self.patch.lines.len());
            }
            old += usize::from(kind.is_old());
            new += usize::from(kind.is_new());
            if old > range.old_count || new > range.new_count {
                return Err(self.fault(Reason::CountMismatch));
            }
            if !line.ends_with('\n') && self.mode == Mode::Strict {
                return Err(self.fault(Reason::Truncated));
            }
            self.cursor.take();
            self.patch.lines.push(Line { kind, text });
        }
        if self.cursor.peek().is_some_and(is_marker) {
            self.marker()?;
        }
        if self.mode == Mode::Anchored {
            self.separators();
        }
        match self.cursor.peek() {
            None => Ok((old, new)),
            Some(line) if line.starts_with("@@") || self.closes_fence(line) => Ok((old, new)),
            Some(line) if opens_file(self.cursor) || line.starts_with("diff --git ") => {
                Err(self.fault(Reason::MultiFile))
            }
            Some(line) if line.starts_with([' ', '+', '-']) => Err(self.fault(Reason::CountMismatch)),
            Some(_) => Err(self.fault(Reason::UnexpectedText)),
        }
    }

    /// Reads a body up to the next line that begins another hunk or closes the fence (anchored mode). Returns its
    /// counts, and the number of blank lines after it.
    fn open_body(&mut self) -> Result<((usize, usize), usize), ParseError> {
        let (mut old, mut new) = (0, 0);
        // Blank lines count as context only once another line of the body has followed them.
        let mut blanks = 0;
        while let Some(line) = self.cursor.peek() {
            if line.starts_with("@@") || self.closes_fence(line) {
                break;
            }
            if opens_file(self.cursor) || line.starts_with("diff --git ") {
                return Err(self.fault(Reason::MultiFile));
            }
            if is_marker(line) {
                self.marker()?;
                continue;
            }
            let Some((kind, text)) = self.body_line(line) else { return Err(self.fault(Reason::BadLine)) };
            if is_blank(line) {
                self.patch.bare_blanks.push(self.patch.lines.len());
                blanks += 1;
            } else if blanks > 0 {
                self.repair(self.patch.hunks.len() + 1, RepairKind::BlankContext);
                blanks = 0;
            }
            old += usize::from(kind.is_old());
            new += usize::from(kind.is_new());
            self.cursor.take();
            self.patch.lines.push(Line { kind, text });
        }
        if blanks > 0 {
            self.repair(self.patch.hunks.len() + 1, RepairKind::SeparatorDropped);
        }
        Ok(((old - blanks, new - blanks), blanks))
    }

    /// Drops the lines from `start` on, which follow the line `header` of the patch text, and all records of them. The
    /// records are in the order of the lines.
    fn drop_lines(&mut self, start: usize, header: usize) {
        let patch = &mut self.patch;
        patch.lines.truncate(start);
        self.unterminated.truncate(self.unterminated.partition_point(|(i, _)| *i < start));
        patch.bare_blanks.truncate(patch.bare_blanks.partition_point(|i| *i < start));
        patch.marker_lines.truncate(patch.marker_lines.partition_point(|line| *line <= header));
    }

    /// Returns the kind and the text of a body line, or `None` for a line that cannot be one.
    fn body_line(&self, line: &'a str) -> Option<(LineKind, &'a str)> {
        let kind = match line.as_bytes()[0] {
            b' ' => LineKind::Context,
            b'-' => LineKind::Remove,
            b'+' => LineKind::Add,
            _ if self.mode == Mode::Anchored && is_blank(line) => return Some((LineKind::Context, line)),
            _ => return None,
        };
        Some((kind, &line[1..]))
    }

    /// Reads a no-newline marker and takes the terminator off the line before it. An empty line cannot lose its
    /// terminator, so a marker after it is refused or, in anchored mode, ignored.
    fn marker(&mut self) -> Result<(), ParseError> {
        let marker = self.cursor.peek().unwrap_or_default();
        let start = self.patch.hunks.last().map_or(0, |hunk| hunk.lines.end + hunk.blanks);
        let ends_in_crlf = marker.ends_with("\r\n") || self.crlf && !marker.ends_with('\n');
        let stripped = self.patch.lines[start..].last().and_then(|line| match self.mode {
            Mode::Strict if marker.ends_with("\r\n") => None,
            // A patch that was converted to CRLF also has a CR on the line.
            Mode::Anchored if ends_in_crlf => line.text.strip_suffix("\r\n"),
            _ => line.text.strip_suffix('\n'),
        });
        match (stripped.filter(|text| !text.is_empty()), self.mode) {
            (Some(_), Mode::Strict) if !marker.ends_with('\n') => return Err(self.fault(Reason::Truncated)),
            (Some(text), _) => {
                let fault =
                    ParseError { patch_line: self.cursor.number - 1, ..self.fault(Reason::EofMarker) };
                self.unterminated.push((self.patch.lines.len() - 1, fault));
                self.patch.lines.last_mut().expect("it was just read").text = text;
            }
            (None, Mode::Anchored) => {
                self.repair(self.patch.hunks.len() + 1, RepairKind::EofMarkerIgnored);
            }
            (None, Mode::Strict) => return Err(self.fault(Reason::EofMarker)),
        }
        if self.mode == Mode::Anchored && marker.ends_with("\r\n") {
            self.repair(self.patch.hunks.len() + 1, RepairKind::EolAdapted);
        }
        self.patch.marker_lines.push(self.cursor.number);
        self.cursor.take();
        Ok(())
    }

    /// Sets the fields that depend on the whole patch.
    fn end(&mut self, text: &str) {
        self.patch.misplaced_marker = self.misplaced_marker();
        self.patch.markers = self.unterminated.iter().map(|(i, _)| *i).collect();
        let last = self.patch.lines.len() - 1;
        let line = &mut self.patch.lines[last].text;
        if !line.ends_with('\n') && self.patch.markers.last() != Some(&last) {
            self.patch.missing_final_newline = true;
            // The LF of a CR LF was trimmed, so the CR before it is not content.
            *line = line.strip_suffix('\r').filter(|_| self.crlf).unwrap_or(line);
        }
        // The line that closes a fence is not part of the patch.
        if self.mode == Mode::Anchored && !text.ends_with('\n') && !self.fence_closed {
            self.repair(self.patch.hunks.len(), RepairKind::MissingFinalNewline);
        }
        self.patch.repairs.sort_unstable();
        self.patch.repairs.dedup();
    }

    /// Returns the error of a marker on a line that is not the last of its side, because no text ends there.
    fn misplaced_marker(&self) -> Option<ParseError> {
        if self.unterminated.is_empty() {
            return None;
        }
        let last_old = self.patch.lines.iter().rposition(|line| line.kind.is_old());
        let last_new = self.patch.lines.iter().rposition(|line| line.kind.is_new());
        let misplaced = self.unterminated.iter().find(|(i, _)| {
            let kind = self.patch.lines[*i].kind;
            kind.is_old() && last_old != Some(*i) || kind.is_new() && last_new != Some(*i)
        });
        misplaced.map(|(_, fault)| *fault)
    }

    /// Skips blank lines between hunks or at the end of the patch (anchored mode).
    fn separators(&mut self) {
        let mut ahead = self.cursor;
        while ahead.peek().is_some_and(is_blank) {
            ahead.take();
        }
        let boundary = ahead.peek().is_none_or(|line| line.starts_with("@@") || self.closes_fence(line));
        if boundary && ahead.number > self.cursor.number {
            self.cursor = ahead;
            self.repair(self.patch.hunks.len() + 1, RepairKind::SeparatorDropped);
        }
    }

    fn closes_fence(&self, line: &str) -> bool {
        self.fence.is_some_and(|fence| {
            let bare = line.trim_end();
            bare.len() >= fence.len() && bare.bytes().all(|b| b == fence.as_bytes()[0])
        })
    }

    /// Reads the lines after the closing fence, which must be blank.
    fn after_fence(&mut self) -> Result<bool, ParseError> {
        self.fence_closed = true;
        self.cursor.take();
        while let Some(line) = self.cursor.peek() {
            if !line.trim_end().is_empty() {
                return Err(ParseError::of_patch(Reason::UnexpectedText, self.cursor.number));
            }
            self.cursor.take();
        }
        Ok(false)
    }
}

/// Whether the next lines are `--- a`, `+++ b` and `@@`. Fewer of them could be the body of a hunk.
fn opens_file(mut cursor: Cursor<'_>) -> bool {
    cursor.take().is_some_and(|line| line.starts_with("--- "))
        && cursor.take().is_some_and(|line| line.starts_with("+++ "))
        && cursor.peek().is_some_and(|line| line.starts_with("@@"))
}

/// Whether the line is `\ No newline at end of file`. Only its start counts, because git may translate the wording.
fn is_marker(line: &str) -> bool {
    line.starts_with("\\ ")
}

/// Whether the line is empty apart from its terminator.
fn is_blank(line: &str) -> bool {
    line.bytes().all(|byte| matches!(byte, b'\r' | b'\n'))
}

fn is_fence(bare: &str) -> bool {
    bare.starts_with("```") || bare.starts_with("~~~")
}

/// Whether the line is one that git and other tools write above the file names.
fn is_extended_header(line: &str) -> bool {
    const HEADERS: [&str; 14] = [
        "diff ",
        "index ",
        "Index: ",
        "=====",
        "old mode ",
        "new mode ",
        "deleted file mode ",
        "new file mode ",
        "copy from ",
        "copy to ",
        "rename from ",
        "rename to ",
        "similarity index ",
        "dissimilarity index ",
    ];
    HEADERS.iter().any(|header| line.starts_with(header))
}

/// Returns the numbers of `@@ -a[,b] +c[,d] @@[ section]`, or `None`.
fn parse_header(line: &str, mode: Mode) -> Option<HunkRange> {
    let rest = line.strip_prefix("@@ -")?;
    let (old_start, old_count, rest) = parse_range(rest)?;
    let (new_start, new_count, rest) = parse_range(rest.strip_prefix(" +")?)?;
    let section = rest.strip_prefix(" @@")?;
    let ends = match mode {
        Mode::Strict => section == "\n" || section.starts_with(' ') && section.ends_with('\n'),
        Mode::Anchored => section.is_empty() || section.starts_with([' ', '\n', '\r']),
    };
    if !ends {
        return None;
    }
    // Line zero exists only as the line before an empty side.
    let possible = |start, count| start > 0 || count == 0;
    (possible(old_start, old_count) && possible(new_start, new_count)).then_some(HunkRange {
        old_start,
        old_count,
        new_start,
        new_count,
    })
}

fn parse_range(text: &str) -> Option<(usize, usize, &str)> {
    let (start, rest) = parse_number(text)?;
    match rest.strip_prefix(',') {
        Some(rest) => parse_number(rest).map(|(count, rest)| (start, count, rest)),
        None => Some((start, 1, rest)),
    }
}

fn parse_number(text: &str) -> Option<(usize, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    Some((text[..digits].parse().ok()?, &text[digits..]))
}
