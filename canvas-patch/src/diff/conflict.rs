//! Why a patch was refused: every conflict at once, each with its place and what to do next.

use std::fmt;

use crate::coded;
use crate::text::lines;

coded! {
    /// Why a hunk, or the patch as a whole, was refused. The upper-case form is stable.
    #[cfg_attr(
        feature = "serde",
        derive(serde::Serialize, serde::Deserialize),
        serde(rename_all = "SCREAMING_SNAKE_CASE")
    )]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum Reason {
        /// The patch has no hunk.
        NoHunks = "NO_HUNKS",
        /// A `@@` header is not of the form `@@ -a,b +c,d @@` (strict mode).
        BadHeader = "BAD_HEADER",
        /// A line of a hunk begins with none of space, `+`, `-` and `\`.
        BadLine = "BAD_LINE",
        /// There is text before the first header or after the last hunk.
        UnexpectedText = "UNEXPECTED_TEXT",
        /// The patch names a second file.
        MultiFile = "MULTI_FILE",
        /// The patch ends inside a hunk or inside a line.
        Truncated = "TRUNCATED",
        /// A hunk's body has other counts than its header says (strict mode).
        CountMismatch = "COUNT_MISMATCH",
        /// The start of the post-image does not follow from the hunks before (strict mode).
        StartMismatch = "START_MISMATCH",
        /// The marker for a missing final newline is where no text can end.
        EofMarker = "EOF_MARKER",
        /// A hunk lies before the one that precedes it in the patch.
        Misordered = "MISORDERED",
        /// Two hunks claim the same line.
        Overlap = "OVERLAP",
        /// The text at the stated place differs (strict mode).
        ContextMismatch = "CONTEXT_MISMATCH",
        /// The pre-image of the hunk is nowhere in the text (anchored mode).
        NotFound = "NOT_FOUND",
        /// The pre-image of the hunk occurs at several places (anchored mode).
        Ambiguous = "AMBIGUOUS",
        /// The hunk has neither context nor removed lines to place it by (anchored mode).
        NoAnchor = "NO_ANCHOR",
        /// The text after the patch would equal the text before, or the hunk adds and removes no line.
        NoEffect = "NO_EFFECT",
        /// The text or the patch passes a limit.
        TooLarge = "TOO_LARGE",
    }
}

impl Reason {
    /// One sentence: what the author of the patch may do next.
    pub const fn advice(self) -> &'static str {
        match self {
            Self::NoHunks => "Send a unified diff with at least one hunk that begins with @@.",
            Self::BadHeader => "Write the hunk header as @@ -start,count +start,count @@.",
            Self::BadLine => "Begin every line of the hunk with a space, + or -.",
            Self::UnexpectedText => "Send only the diff, without text before or after it.",
            Self::MultiFile => "Send one patch, for this document only.",
            Self::Truncated => "Send the whole patch again, up to the newline of its last line.",
            Self::CountMismatch => "Correct the counts in the hunk header to those of its lines.",
            Self::StartMismatch => "Correct the new start in the hunk header.",
            Self::EofMarker => "Put the no-newline marker only after the last line of the document.",
            Self::Misordered => "Put the hunks in the order of the document.",
            Self::Overlap => "Join the hunks that touch the same lines into one.",
            Self::ContextMismatch => "Read the lines at the stated place again and write the hunk from them.",
            Self::NotFound => {
                "Read the lines around the reported place again and copy the hunk's context and removed lines from them."
            }
            Self::Ambiguous => {
                "Add context lines until the hunk's unchanged and removed lines occur at one place only."
            }
            Self::NoAnchor => "Add at least one unchanged line next to the insertion.",
            Self::NoEffect => "The document already reads like this; send no patch, or one that changes it.",
            Self::TooLarge => "Keep document and patch within the limits: split the edit, or the document.",
        }
    }
}

coded! {
    /// How an expected and an actual line differ. A report only: nothing is ever applied because of it.
    #[cfg_attr(
        feature = "serde",
        derive(serde::Serialize, serde::Deserialize),
        serde(rename_all = "SCREAMING_SNAKE_CASE")
    )]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum Difference {
        /// Only the line terminators differ (LF, CRLF, none at the end of the text).
        LineEnding = "LINE_ENDING",
        /// Only spaces and tabs at the end of the line differ.
        TrailingSpace = "TRAILING_SPACE",
        /// Only spaces and tabs at the beginning of the line differ.
        Indentation = "INDENTATION",
        /// Only white space inside the line differs.
        Whitespace = "WHITESPACE",
        /// Only upper and lower case differ.
        Case = "CASE",
        /// The text has one `-` more at the beginning: what the patch wrote as a line that begins with `-`, such as a
        /// list item, was read as a removal.
        DiffMarker = "DIFF_MARKER",
        /// The text ends before this line.
        EndOfText = "END_OF_TEXT",
        /// The words differ.
        Content = "CONTENT",
    }
}

impl Difference {
    fn between(expected: &str, actual: &str) -> Self {
        let (e, a) = (lines::content(expected), lines::content(actual));
        let blank: &[char] = &[' ', '\t'];
        if e == a {
            Self::LineEnding
        } else if e.trim_end_matches(blank) == a.trim_end_matches(blank) {
            Self::TrailingSpace
        } else if e.trim_start_matches(blank) == a.trim_start_matches(blank) {
            Self::Indentation
        } else if e.split_whitespace().eq(a.split_whitespace()) {
            Self::Whitespace
        } else if e.chars().flat_map(char::to_lowercase).eq(a.chars().flat_map(char::to_lowercase)) {
            Self::Case
        } else if lost_its_marker(e.trim_start_matches(blank), a) {
            Self::DiffMarker
        } else {
            Self::Content
        }
    }
}

/// Whether the text's line is the expected one, given without indentation, after a `-` of its own.
fn lost_its_marker(expected: &str, actual: &str) -> bool {
    let own = actual.trim_start_matches([' ', '\t']).strip_prefix('-');
    !expected.is_empty() && own.is_some_and(|own| own.trim_start_matches([' ', '\t']) == expected)
}

/// The first line in which a hunk's pre-image and the text differ.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Mismatch {
    /// Byte column of the first difference in the line, from 1.
    pub column: usize,
    /// What the hunk expects, escaped and cut to 200 characters around the difference.
    pub expected: String,
    /// What the text has, escaped and cut alike; `None` where the text has ended.
    pub actual: Option<String>,
    /// The kind of difference.
    pub difference: Difference,
}

impl Mismatch {
    pub(crate) fn new(expected: &str, actual: Option<&str>) -> Self {
        let Some(actual) = actual else {
            let expected = escape(expected, 0);
            return Self { column: 1, expected, actual: None, difference: Difference::EndOfText };
        };
        let same = expected.bytes().zip(actual.bytes()).take_while(|(e, a)| e == a).count();
        Self {
            column: same + 1,
            expected: escape(expected, same),
            actual: Some(escape(actual, same)),
            difference: Difference::between(expected, actual),
        }
    }
}

coded! {
    /// The limit that a `TOO_LARGE` passes; see [`Limits`](crate::Limits).
    #[cfg_attr(
        feature = "serde",
        derive(serde::Serialize, serde::Deserialize),
        serde(rename_all = "SCREAMING_SNAKE_CASE")
    )]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum ExceededLimit {
        /// Bytes of the document, before the patch.
        Document = "DOCUMENT",
        /// Bytes of the document that would result.
        Result = "RESULT",
        /// Bytes of the patch.
        Patch = "PATCH",
        /// Hunks of the patch.
        Hunks = "HUNKS",
    }
}

impl ExceededLimit {
    /// One sentence: what the author of the patch may do next.
    pub const fn advice(self) -> &'static str {
        match self {
            Self::Document => {
                "The document is larger than a patch may change: shorten it by other means, or split it."
            }
            Self::Result => "The document would become larger than it may be: add less, or remove something.",
            Self::Patch => "Send a smaller patch, or split the edit into several.",
            Self::Hunks => "Send fewer hunks, or split the edit into several patches.",
        }
    }
}

/// One reason why a patch cannot be applied.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Conflict {
    /// The hunk, from 1; 0 where the patch as a whole is at fault.
    pub hunk: usize,
    /// Why.
    pub reason: Reason,
    /// The line of the patch text, from 1, where the fault was seen.
    pub patch_line: usize,
    /// The line of the document, from 1: the first differing line for `CONTEXT_MISMATCH` and `NOT_FOUND`, the
    /// contested line for `OVERLAP` and `MISORDERED`.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub line: Option<usize>,
    /// How that line differs.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub mismatch: Option<Mismatch>,
    /// Lines of the document, from 1, where the hunk's whole pre-image occurs exactly; at most
    /// [`Conflict::CANDIDATES`].
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub candidates: Vec<usize>,
    /// Which limit a `TOO_LARGE` passes.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub limit: Option<ExceededLimit>,
}

impl Conflict {
    /// How many candidates one conflict lists at most.
    pub const CANDIDATES: usize = 64;

    pub(crate) fn of_hunk(hunk: usize, reason: Reason, patch_line: usize) -> Self {
        Self { hunk, reason, patch_line, line: None, mismatch: None, candidates: Vec::new(), limit: None }
    }

    /// One sentence: what the author of the patch may do next.
    pub const fn advice(&self) -> &'static str {
        match self.limit {
            Some(limit) => limit.advice(),
            None => self.reason.advice(),
        }
    }
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.hunk {
            0 => write!(f, "{}", self.reason)?,
            hunk => write!(f, "hunk {hunk}: {}", self.reason)?,
        }
        if let Some(line) = self.line {
            write!(f, " at line {line}")?;
        }
        if let Some(d) = &self.mismatch {
            write!(f, ", column {}: expected \"{}\", ", d.column, d.expected)?;
            match &d.actual {
                Some(actual) => write!(f, "the document has \"{actual}\"")?,
                None => write!(f, "the document has ended")?,
            }
            if d.difference == Difference::DiffMarker {
                write!(f, " (a line that begins with - needs the mark of the diff before its own)")?;
            }
        }
        if !self.candidates.is_empty() {
            write!(f, "; its lines occur at line")?;
            for (i, line) in self.candidates.iter().take(8).enumerate() {
                write!(f, "{}{line}", if i == 0 { " " } else { ", " })?;
            }
            if self.candidates.len() > 8 {
                write!(f, " and more")?;
            }
        }
        write!(f, ". {}", self.advice())
    }
}

/// A fault of the patch text itself, which no text can mend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ParseError {
    pub(crate) hunk: usize,
    pub(crate) reason: Reason,
    pub(crate) patch_line: usize,
    pub(crate) limit: Option<ExceededLimit>,
}

impl ParseError {
    pub(crate) fn of_patch(reason: Reason, patch_line: usize) -> Self {
        Self::of_hunk(0, reason, patch_line)
    }

    pub(crate) fn of_hunk(hunk: usize, reason: Reason, patch_line: usize) -> Self {
        Self { hunk, reason, patch_line, limit: None }
    }

    pub(crate) fn too_large(limit: ExceededLimit) -> Self {
        Self { limit: Some(limit), ..Self::of_patch(Reason::TooLarge, 1) }
    }
}

impl From<ParseError> for Conflict {
    fn from(fault: ParseError) -> Self {
        Self { limit: fault.limit, ..Self::of_hunk(fault.hunk, fault.reason, fault.patch_line) }
    }
}

/// Shows at most 200 characters of a line, escapes and ellipses included; the byte `focus` is among them.
fn escape(line: &str, focus: usize) -> String {
    const CHARS: usize = 200;
    const BEFORE: usize = 120;
    let focus = line.floor_char_boundary(focus);
    let start = focus - fitting(line[..focus].chars().rev(), BEFORE);
    let (lead, rest) = if start > 0 { ("…", &line[start..]) } else { ("", line) };
    let room = CHARS - lead.chars().count();
    let (end, tail) = match fitting(rest.chars(), room) {
        all if all == rest.len() => (all, ""),
        _ => (fitting(rest.chars(), room - 1), "…"),
    };
    let shown: String = rest[..end].chars().flat_map(escaped).collect();
    format!("{lead}{shown}{tail}")
}

/// Bytes of the characters whose escaped forms fit into `room` characters.
fn fitting(chars: impl Iterator<Item = char>, room: usize) -> usize {
    let widths = chars.scan(0, |width, c| {
        *width += escaped(c).count();
        Some((*width, c.len_utf8()))
    });
    widths.take_while(|&(width, _)| width <= room).map(|(_, bytes)| bytes).sum()
}

/// A character as it is shown: terminators, other control characters and byte order marks are escaped.
fn escaped(c: char) -> impl Iterator<Item = char> {
    let is_shown = c != '\\' && c != '\u{feff}' && !c.is_control();
    let escape = (!is_shown).then(|| c.escape_default());
    is_shown.then_some(c).into_iter().chain(escape.into_iter().flatten())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_have_classes() {
        for (expected, actual, column, difference) in [
            ("a\n", "a\r\n", 2, Difference::LineEnding),
            ("a\n", "a", 2, Difference::LineEnding),
            ("a\n", "a  \n", 2, Difference::TrailingSpace),
            ("\ta\n", "  a\n", 1, Difference::Indentation),
            ("a b\n", "a  b\n", 3, Difference::Whitespace),
            ("Über\n", "über\n", 2, Difference::Case),
            (" a\n", "- a\n", 1, Difference::DiffMarker),
            ("a\n", "  - a\n", 1, Difference::DiffMarker),
            ("--\n", "---\n", 3, Difference::DiffMarker),
            (" a", "- a", 1, Difference::DiffMarker),
            ("\n", "-\n", 1, Difference::Content),
            (" a\n", "* a\n", 1, Difference::Content),
            ("- a\n", " a\n", 1, Difference::Content),
            ("ab\n", "ac\n", 2, Difference::Content),
        ] {
            let d = Mismatch::new(expected, Some(actual));
            assert_eq!((d.column, d.difference), (column, difference), "{expected:?} {actual:?}");
        }
    }

    #[test]
    fn long_lines_are_cut_around_the_difference() {
        let (e, y) = (|n| "é".repeat(n), |n| "y".repeat(n));
        for (before, shown) in [
            ("z".repeat(120), format!("{}x{}…", "z".repeat(120), y(78))),
            ("z".repeat(121), format!("…{}x{}…", "z".repeat(120), y(77))),
            (e(5000), format!("…{}x{}…", e(120), y(77))),
            ("\u{1}".repeat(5000), format!("…{}x{}…", "\\u{1}".repeat(24), y(77))),
        ] {
            let d = Mismatch::new(&format!("{before}x{}", y(5000)), Some(&before));
            assert_eq!((d.column, d.expected), (before.len() + 1, shown), "{} bytes", before.len());
        }
    }
}
