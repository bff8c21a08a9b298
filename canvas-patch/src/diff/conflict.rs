//! The reasons why a patch is refused. All conflicts are listed at once, each with its place and with advice.

use std::fmt;
use std::ops::Range;

use crate::coded;
use crate::diff::alike::CodePoints;
use crate::diff::mismatch::{Mismatch, cut};
use crate::text::limits::truncate;
use crate::text::numbered::NumberedLines;

coded! {
    /// Reason for refusing a hunk, or the patch as a whole. The upper-case form is stable.
    #[cfg_attr(
        feature = "serde",
        derive(serde::Serialize, serde::Deserialize),
        serde(rename_all = "SCREAMING_SNAKE_CASE")
    )]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[non_exhaustive]
    pub enum Reason {
        /// The patch has no hunk.
        NoHunks = "NO_HUNKS",
        /// A `@@` header is not of the form `@@ -a,b +c,d @@` (strict mode).
        BadHeader = "BAD_HEADER",
        /// A line of a hunk does not begin with a space, `+`, `-` or `\`.
        BadLine = "BAD_LINE",
        /// There is text before the first header or after the last hunk.
        UnexpectedText = "UNEXPECTED_TEXT",
        /// The patch names a second file.
        MultiFile = "MULTI_FILE",
        /// The patch ends inside a hunk or inside a line.
        Truncated = "TRUNCATED",
        /// The patch is one line, in which each newline is a backslash and an `n`.
        EscapedNewlines = "ESCAPED_NEWLINES",
        /// The counts of a hunk's body differ from those in its header (strict mode).
        CountMismatch = "COUNT_MISMATCH",
        /// The header's new start does not match the preceding hunks (strict mode).
        StartMismatch = "START_MISMATCH",
        /// The marker for a missing final newline is where no text can end.
        EofMarker = "EOF_MARKER",
        /// A hunk's place is before the place of the preceding hunk.
        Misordered = "MISORDERED",
        /// Two hunks claim the same line.
        Overlap = "OVERLAP",
        /// The text at the stated place differs (strict mode).
        ContextMismatch = "CONTEXT_MISMATCH",
        /// The pre-image of the hunk is nowhere in the text (anchored mode).
        NotFound = "NOT_FOUND",
        /// The hunk quotes lines that its author was shown and that changed later (anchored mode).
        Outdated = "OUTDATED",
        /// The pre-image of the hunk occurs at several places (anchored mode).
        Ambiguous = "AMBIGUOUS",
        /// The hunk has neither context nor removed lines to place it by (anchored mode).
        NoAnchor = "NO_ANCHOR",
        /// The patch would leave the text unchanged, or the hunk adds and removes no line.
        NoEffect = "NO_EFFECT",
        /// The text or the patch exceeds a limit.
        TooLarge = "TOO_LARGE",
    }
}

impl Reason {
    /// Returns advice for the author of the patch, in lower case and without a full stop.
    pub const fn advice(self) -> &'static str {
        match self {
            Self::NoHunks => "send a unified diff with at least one hunk that begins with @@",
            Self::BadHeader => "write the hunk header as @@ -start,count +start,count @@",
            Self::BadLine => "begin every line of the hunk with a space, + or -",
            Self::UnexpectedText => "send only the diff, without text before or after it",
            Self::MultiFile => "send one patch, for this document only",
            Self::Truncated => "send the whole patch again, up to the newline of its last line",
            Self::EscapedNewlines => {
                "the newlines of the patch were escaped twice: send it with line breaks, each written \\n once in JSON"
            }
            Self::CountMismatch => "correct the counts in the hunk header to those of its lines",
            Self::StartMismatch => "correct the new start in the hunk header",
            Self::EofMarker => "put the no-newline marker only after the last line of the document",
            Self::Misordered => "put the hunks in the order of the document",
            Self::Overlap => "join the hunks that touch the same lines into one",
            Self::ContextMismatch => "read the lines at the stated place again and write the hunk from them",
            Self::NotFound => "copy the hunk's context and removed lines from there",
            Self::Outdated => {
                "the lines that you were shown have changed: write the hunk from the document as it is now"
            }
            Self::Ambiguous => "add context lines until the hunk fits one place only",
            Self::NoAnchor => {
                "add at least one unchanged line next to the insertion, and remove with - the lines that it replaces"
            }
            Self::NoEffect => "the document already reads like this; send no patch, or one that changes it",
            Self::TooLarge => "keep document and patch within the limits: split the edit, or the document",
        }
    }
}

coded! {
    /// The limit that a `TOO_LARGE` exceeds; see [`Limits`](crate::Limits).
    #[cfg_attr(
        feature = "serde",
        derive(serde::Serialize, serde::Deserialize),
        serde(rename_all = "SCREAMING_SNAKE_CASE")
    )]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[non_exhaustive]
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
    /// Returns advice for the author of the patch, in lower case and without a full stop.
    pub const fn advice(self) -> &'static str {
        match self {
            Self::Document => {
                "the document is larger than a patch may change: shorten it by other means, or split it"
            }
            Self::Result => "the document would become larger than it may be: add less, or remove something",
            Self::Patch => "send a smaller patch, or split the edit into several",
            Self::Hunks => "send fewer hunks, or split the edit into several patches",
        }
    }
}

/// One reason why a patch cannot be applied.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Conflict {
    /// Number of the hunk, counted from 1, or 0 if the patch as a whole is at fault.
    pub hunk: usize,
    /// Reason as a stable code.
    pub reason: Reason,
    /// Line of the patch text, counted from 1, that shows the fault. For `NOT_FOUND`, the line that differs.
    pub patch_line: usize,
    /// The line of the document, counted from 1: the first differing line for `CONTEXT_MISMATCH` and `NOT_FOUND`, the
    /// contested line for `OVERLAP` and `MISORDERED`.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub line: Option<usize>,
    /// Difference of that line.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub mismatch: Option<Mismatch>,
    /// That line of the document and its neighbours, for `NOT_FOUND`. Empty if no line resembles the hunk's lines and
    /// the header states no line.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub nearby: Vec<QuotedLine>,
    /// Line of the document, counted from 1, at which it already contains the hunk's result. For `NOT_FOUND` this is
    /// the complete post-image, and for `NO_ANCHOR` most of the added lines.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub present_at: Option<usize>,
    /// Lines of the document, counted from 1, at which the hunk's whole pre-image occurs exactly. At most
    /// [`Conflict::CANDIDATES`].
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub candidates: Vec<usize>,
    /// The [`Conflict::PLACES`] candidates of an `AMBIGUOUS` that are nearest to the stated line, or the first ones if
    /// the hunk states no line. They are in order.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub places: Vec<Place>,
    /// The line, counted from 1, that the header of an `AMBIGUOUS` states and at which the hunk fits. It did not
    /// decide, because the author was not shown that line.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub unread: Option<usize>,
    /// Limit exceeded by a `TOO_LARGE`.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub limit: Option<ExceededLimit>,
}

impl Conflict {
    /// The largest number of candidates that one conflict lists.
    pub const CANDIDATES: usize = 64;

    /// The largest number of [`Conflict::places`], which show the text at some of the candidates.
    pub const PLACES: usize = 3;

    pub(crate) fn of_hunk(hunk: usize, reason: Reason, patch_line: usize) -> Self {
        Self {
            hunk,
            reason,
            patch_line,
            line: None,
            mismatch: None,
            nearby: Vec::new(),
            present_at: None,
            candidates: Vec::new(),
            places: Vec::new(),
            unread: None,
            limit: None,
        }
    }

    /// Returns advice for the author of the patch, in lower case and without a full stop.
    pub fn advice(&self) -> &'static str {
        match (self.reason, self.limit, self.present_at) {
            (_, Some(limit), _) => limit.advice(),
            (Reason::NoAnchor, _, Some(_)) => {
                "send only what changes, each added line with an unchanged line beside it, and remove with - what it replaces"
            }
            (Reason::NotFound, _, Some(_)) => {
                "leave this hunk out if that is its change, else copy its context and removed lines from the document"
            }
            (Reason::NotFound, ..) if self.mismatch.is_some() && self.nearby.is_empty() => {
                "no line of the document is like it: search for a word of it, and copy the lines from there"
            }
            (Reason::Ambiguous, ..) if self.places.iter().any(|place| place.header.is_some()) => {
                "add context lines until the hunk fits one place only, or send it alone under the header of the place that \
                 you mean"
            }
            _ => self.reason.advice(),
        }
    }
}

/// Prints the fault and the advice. The alternate form, `{:#}`, leaves out the advice, the quoted lines and the
/// candidates.
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
            if !f.alternate() {
                write!(f, ", column {}: expected \"{}\", ", d.column, d.expected)?;
                match &d.actual {
                    Some(actual) => write!(f, "the document has \"{actual}\"")?,
                    None => write!(f, "the document has ended")?,
                }
            }
            match (&d.code_points, d.difference.hint()) {
                (Some(CodePoints { expected, actual }), _) => {
                    write!(
                        f,
                        " (at column {} the patch has {expected} and the document {actual})",
                        d.column
                    )?;
                }
                (None, Some(hint)) => write!(f, " ({hint})")?,
                (None, None) => {}
            }
        }
        if !self.candidates.is_empty() && !f.alternate() {
            let shown =
                |line: &usize| self.places.is_empty() || self.places.iter().any(|place| place.line == *line);
            let lines: Vec<_> =
                self.candidates.iter().filter(|line| shown(line)).take(Self::PLACES).collect();
            write!(f, "; its lines occur at line")?;
            for (i, line) in lines.iter().enumerate() {
                write!(f, "{}{line}", if i == 0 { " " } else { ", " })?;
            }
            match self.candidates.len().saturating_sub(lines.len()) {
                0 => {}
                _ if self.candidates.len() == Self::CANDIDATES => f.write_str(" and many more")?,
                more => write!(f, " and {more} more")?,
            }
        }
        match (self.reason, self.present_at) {
            (Reason::NoAnchor, Some(line)) => {
                write!(f, "; most of what it adds stands in the document already, from line {line}")?;
            }
            (_, Some(line)) => write!(f, "; what it would leave stands at line {line} already")?,
            (_, None) => {}
        }
        if let Some(line) = self.unread {
            write!(f, "; line {line} that its header states was not shown before")?;
        }
        if f.alternate() {
            return Ok(());
        }
        write!(f, "; {}", self.advice())?;
        match self.places.iter().find_map(|place| Some((place.line, place.header.as_ref()?))) {
            Some((line, header)) => write!(f, "; for line {line} that is {header}"),
            None => Ok(()),
        }
    }
}

/// A line of the document without its terminator.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct QuotedLine {
    /// Number of the line, counted from 1.
    pub line: usize,
    /// Text of the line, cut to 200 characters.
    pub text: String,
}

impl QuotedLine {
    /// Characters of a neighbouring line.
    const NEIGHBOUR: usize = 40;

    /// Returns the line at `index`, counted from 0, between its neighbours. A long line is cut to the text around the
    /// character `column`. The next line is cut short unless the patch misquotes it too (`is_next_sought`).
    pub(crate) fn around(
        lines: &NumberedLines<'_>,
        index: usize,
        column: usize,
        is_next_sought: bool,
    ) -> Vec<Self> {
        let before = index.checked_sub(1).and_then(|i| Self::neighbour(lines, i));
        let text = |i: usize, column: usize| Some(Self { line: i + 1, text: cut(lines.get(i)?, column) });
        let next = if is_next_sought { text(index + 1, 1) } else { Self::neighbour(lines, index + 1) };
        before.into_iter().chain(text(index, column)).chain(next).collect()
    }

    /// Returns the beginning of the line at `index`, counted from 0, by which a reader recognises it.
    pub(crate) fn neighbour(lines: &NumberedLines<'_>, index: usize) -> Option<Self> {
        Some(Self { line: index + 1, text: truncate(lines.get(index)?, Self::NEIGHBOUR).into_owned() })
    }

    /// Returns the beginnings of the lines in `range`, counted from 0.
    pub(crate) fn of(lines: &NumberedLines<'_>, range: Range<usize>) -> Vec<Self> {
        range.filter_map(|i| Some(Self { line: i + 1, text: cut(lines.get(i)?, 1) })).collect()
    }
}

/// One of several places where the pre-image of a hunk occurs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Place {
    /// First line of the pre-image there, counted from 1.
    pub line: usize,
    /// Last line of the pre-image there, counted from 1.
    pub last_line: usize,
    /// Nearest heading above, filled in by [`Outline::name_places`](crate::Outline::name_places).
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub heading: Option<String>,
    /// The first 4 lines of the hunk's pre-image, between the nearest lines before and after it that are not blank. A
    /// neighbour farther than 8 lines away is left out.
    pub nearby: Vec<QuotedLine>,
    /// Header that selects this place if the patch has only this hunk and the stated line is trusted.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub header: Option<String>,
}

/// A fault with a place in the patch text only, such as a syntax error or a size above its limit.
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
