//! Why a patch was refused: every conflict at once, each with its place and what to do next.

use std::fmt;

use crate::text::lines;

/// Why a hunk, or the patch as a whole, was refused. The upper-case form is stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "SCREAMING_SNAKE_CASE"))]
pub enum Reason {
    /// The patch has no hunk.
    NoHunks,
    /// A `@@` header is not of the form `@@ -a,b +c,d @@` (strict mode).
    BadHeader,
    /// A line of a hunk begins with none of space, `+`, `-` and `\`.
    BadLine,
    /// Text stands before the first header or after the last hunk.
    UnexpectedText,
    /// The patch speaks of a second file.
    MultiFile,
    /// The patch ends inside a hunk or inside a line.
    Truncated,
    /// A hunk's body has other counts than its header says (strict mode).
    CountMismatch,
    /// The start of the post-image does not follow from the hunks before (strict mode).
    StartMismatch,
    /// The marker for a missing final newline stands where no file can end.
    EofMarker,
    /// A hunk lies before the one that precedes it in the patch.
    Misordered,
    /// Two hunks claim the same line.
    Overlap,
    /// The text at the stated place differs (strict mode).
    ContextMismatch,
    /// The pre-image of the hunk is nowhere in the text (anchored mode).
    NotFound,
    /// The pre-image of the hunk stands at several places (anchored mode).
    Ambiguous,
    /// The hunk has neither context nor removed lines to place it by (anchored mode).
    NoAnchor,
    /// The text after the patch would equal the text before, or the hunk adds and removes no line.
    NoEffect,
    /// The text or the patch passes a limit.
    TooLarge,
}

impl Reason {
    /// Every reason, for tables in documents and tests.
    pub const ALL: [Self; 17] = [
        Self::NoHunks,
        Self::BadHeader,
        Self::BadLine,
        Self::UnexpectedText,
        Self::MultiFile,
        Self::Truncated,
        Self::CountMismatch,
        Self::StartMismatch,
        Self::EofMarker,
        Self::Misordered,
        Self::Overlap,
        Self::ContextMismatch,
        Self::NotFound,
        Self::Ambiguous,
        Self::NoAnchor,
        Self::NoEffect,
        Self::TooLarge,
    ];

    /// The stable upper-case code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::NoHunks => "NO_HUNKS",
            Self::BadHeader => "BAD_HEADER",
            Self::BadLine => "BAD_LINE",
            Self::UnexpectedText => "UNEXPECTED_TEXT",
            Self::MultiFile => "MULTI_FILE",
            Self::Truncated => "TRUNCATED",
            Self::CountMismatch => "COUNT_MISMATCH",
            Self::StartMismatch => "START_MISMATCH",
            Self::EofMarker => "EOF_MARKER",
            Self::Misordered => "MISORDERED",
            Self::Overlap => "OVERLAP",
            Self::ContextMismatch => "CONTEXT_MISMATCH",
            Self::NotFound => "NOT_FOUND",
            Self::Ambiguous => "AMBIGUOUS",
            Self::NoAnchor => "NO_ANCHOR",
            Self::NoEffect => "NO_EFFECT",
            Self::TooLarge => "TOO_LARGE",
        }
    }

    /// One sentence that tells the author of the patch what to do next.
    pub const fn advice(self) -> &'static str {
        match self {
            Self::NoHunks => "Send a unified diff with at least one hunk that begins with @@.",
            Self::BadHeader => "Write the hunk header as @@ -start,count +start,count @@.",
            Self::BadLine => "Begin every line of the hunk with a space, + or -.",
            Self::UnexpectedText => "Send only the diff, without text before or after it.",
            Self::MultiFile => "Send one patch that speaks of this document only.",
            Self::Truncated => "Send the whole patch again, up to the newline of its last line.",
            Self::CountMismatch => "Correct the counts in the hunk header to those of its lines.",
            Self::StartMismatch => "Correct the new start in the hunk header.",
            Self::EofMarker => "Put the no-newline marker only after the last line of the document.",
            Self::Misordered => "Put the hunks in the order of the document.",
            Self::Overlap => "Join the hunks that touch the same lines into one.",
            Self::ContextMismatch => "Read the lines at the stated place again and write the hunk from them.",
            Self::NotFound => {
                "Read the lines around the reported place again and copy the hunk's pre-image from them."
            }
            Self::Ambiguous => "Add context lines until the hunk's pre-image stands at one place only.",
            Self::NoAnchor => "Add at least one unchanged line next to the insertion.",
            Self::NoEffect => "The document already reads like this; send no patch, or one that changes it.",
            Self::TooLarge => "Send a smaller patch, or split the edit into several.",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// How an expected and an actual line differ. A report only: nothing is ever applied because of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "SCREAMING_SNAKE_CASE"))]
pub enum Difference {
    /// Only the line terminators differ (LF, CRLF, none at the end of the text).
    LineEnding,
    /// Only spaces and tabs at the end of the line differ.
    TrailingSpace,
    /// Only spaces and tabs at the beginning of the line differ.
    Indentation,
    /// Only white space inside the line differs.
    Whitespace,
    /// Only upper and lower case differ.
    Case,
    /// The text has one `-` more at the beginning: what the patch wrote as a line that begins with `-`, such as a
    /// list item, was read as a removal.
    DiffMarker,
    /// The text ends before this line.
    EndOfText,
    /// The words differ.
    Content,
}

impl Difference {
    /// The stable upper-case code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::LineEnding => "LINE_ENDING",
            Self::TrailingSpace => "TRAILING_SPACE",
            Self::Indentation => "INDENTATION",
            Self::Whitespace => "WHITESPACE",
            Self::Case => "CASE",
            Self::DiffMarker => "DIFF_MARKER",
            Self::EndOfText => "END_OF_TEXT",
            Self::Content => "CONTENT",
        }
    }

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

/// Whether the text's line is the expected one, given without indentation, behind a `-` of its own.
fn lost_its_marker(expected: &str, actual: &str) -> bool {
    let own = actual.trim_start_matches([' ', '\t']).strip_prefix('-');
    !expected.is_empty() && own.is_some_and(|own| own.trim_start_matches([' ', '\t']) == expected)
}

/// The first line in which a hunk's pre-image and the text part ways.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Mismatch {
    /// Byte column of the first difference in the line, from 1.
    pub column: usize,
    /// What the hunk expects, escaped and cut to 200 characters.
    pub expected: String,
    /// What the text has, escaped and cut; `None` where the text has ended.
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

/// One thing that stands in the way of a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
    /// Lines of the document, from 1, where the hunk's whole pre-image stands exactly; at most
    /// [`Conflict::CANDIDATES`].
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub candidates: Vec<usize>,
}

impl Conflict {
    /// How many candidates one conflict lists at most.
    pub const CANDIDATES: usize = 64;

    pub(crate) fn of_hunk(hunk: usize, reason: Reason, patch_line: usize) -> Self {
        Self { hunk, reason, patch_line, line: None, mismatch: None, candidates: Vec::new() }
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
            write!(f, "; the pre-image stands at line")?;
            for (i, line) in self.candidates.iter().take(8).enumerate() {
                write!(f, "{}{line}", if i == 0 { " " } else { ", " })?;
            }
            if self.candidates.len() > 8 {
                write!(f, " and more")?;
            }
        }
        write!(f, ". {}", self.reason.advice())
    }
}

/// A fault of the patch text itself, which no text can mend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ParseError {
    pub(crate) hunk: usize,
    pub(crate) reason: Reason,
    pub(crate) patch_line: usize,
}

impl ParseError {
    pub(crate) fn of_patch(reason: Reason, patch_line: usize) -> Self {
        Self::of_hunk(0, reason, patch_line)
    }

    pub(crate) fn of_hunk(hunk: usize, reason: Reason, patch_line: usize) -> Self {
        Self { hunk, reason, patch_line }
    }
}

impl From<ParseError> for Conflict {
    fn from(fault: ParseError) -> Self {
        Self::of_hunk(fault.hunk, fault.reason, fault.patch_line)
    }
}

/// Shows a line with its terminator and other control characters escaped, cut around the byte `focus`.
fn escape(line: &str, focus: usize) -> String {
    const BEFORE: usize = 120;
    const CHARS: usize = 200;
    let mut start = focus.saturating_sub(BEFORE);
    while !line.is_char_boundary(start) {
        start += 1;
    }
    let mut out = String::new();
    if start > 0 {
        out.push('…');
    }
    let mut rest = line[start..].chars();
    for c in rest.by_ref().take(CHARS) {
        match c {
            '\\' => out.push_str("\\\\"),
            c if c.is_control() || c == '\u{feff}' => out.extend(c.escape_default()),
            c => out.push(c),
        }
    }
    if rest.next().is_some() {
        out.push('…');
    }
    out
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
            ("z".repeat(120), format!("{}x{}…", "z".repeat(120), y(79))),
            ("z".repeat(121), format!("…{}x{}…", "z".repeat(120), y(79))),
            (e(5000), format!("…{}x{}…", e(60), y(139))),
            // A character that would be cut in two is left out.
            (e(5000) + "z", format!("…{}zx{}…", e(59), y(139))),
        ] {
            let d = Mismatch::new(&format!("{before}x{}", y(5000)), Some(&before));
            assert_eq!((d.column, d.expected), (before.len() + 1, shown), "{} bytes", before.len());
        }
    }

    #[test]
    fn codes_are_distinct() {
        let mut codes: Vec<_> = Reason::ALL.iter().map(|r| r.code()).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), Reason::ALL.len());
    }
}
