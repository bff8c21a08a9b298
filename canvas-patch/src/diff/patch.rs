//! A parsed patch, whose values borrow from its text.

use std::ops::Range;

use crate::coded;
use crate::diff::conflict::{Conflict, ParseError, Reason};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineKind {
    Context,
    Remove,
    Add,
}

impl LineKind {
    pub(crate) const fn is_old(self) -> bool {
        matches!(self, Self::Context | Self::Remove)
    }

    pub(crate) const fn is_new(self) -> bool {
        matches!(self, Self::Context | Self::Add)
    }
}

/// A line of a hunk without its prefix. If the no-newline marker follows the line, its LF is removed, so that the text
/// equals the document byte for byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    pub(crate) kind: LineKind,
    pub(crate) text: &'a str,
}

/// The four numbers of a hunk header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HunkRange {
    pub(crate) old_start: usize,
    pub(crate) old_count: usize,
    pub(crate) new_start: usize,
    pub(crate) new_count: usize,
}

impl HunkRange {
    /// Returns the number of lines before the hunk in the pre-image. If a side has no lines, its header states the line
    /// before it.
    pub(crate) const fn old_before(self) -> Option<usize> {
        before(self.old_start, self.old_count)
    }

    pub(crate) const fn new_before(self) -> Option<usize> {
        before(self.new_start, self.new_count)
    }
}

const fn before(start: usize, count: usize) -> Option<usize> {
    if count == 0 { Some(start) } else { start.checked_sub(1) }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hunk {
    /// The header's numbers, or `None` if they cannot be read.
    pub(crate) range: Option<HunkRange>,
    /// The hunk's lines, as a range of [`Patch::lines`].
    pub(crate) lines: Range<usize>,
    /// The number of blank lines without a prefix after the hunk's lines. They are separators, or context that the hunk
    /// needs to be unique.
    pub(crate) blanks: usize,
    /// Number of lines in the pre-image.
    pub(crate) old_len: usize,
    /// Number of lines in the post-image.
    pub(crate) new_len: usize,
    /// The header's line in the patch text, counted from 1.
    pub(crate) patch_line: usize,
}

impl Hunk {
    /// Whether the header's counts match the body.
    pub(crate) fn counts_hold(&self) -> bool {
        self.range.is_some_and(|s| (s.old_count, s.new_count) == (self.old_len, self.new_len))
    }
}

/// Repair of a patch that leaves its content unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Repair {
    /// Hunk, from 1, or 0 for the patch as a whole.
    pub hunk: usize,
    /// Kind of repair.
    pub kind: RepairKind,
}

coded! {
    /// A fault of arithmetic or form that anchored mode repairs. It never repairs content.
    #[cfg_attr(
        feature = "serde",
        derive(serde::Serialize, serde::Deserialize),
        serde(rename_all = "SCREAMING_SNAKE_CASE")
    )]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[non_exhaustive]
    pub enum RepairKind {
        /// A code fence around the patch was removed.
        FenceRemoved = "FENCE_REMOVED",
        /// A file header other than a `--- ` line and a `+++ ` line right before the first hunk was left out.
        FileHeaderIgnored = "FILE_HEADER_IGNORED",
        /// The hunk header states no numbers that can be read.
        BareHeader = "BARE_HEADER",
        /// The hunk header's counts do not match its lines.
        CountsCorrected = "COUNTS_CORRECTED",
        /// The pre-image occurs at another line than the header states, or the stated new start is wrong.
        Moved = "MOVED",
        /// A blank line without its leading space was read as context.
        BlankContext = "BLANK_CONTEXT",
        /// A blank line without its `+`, between added lines, was read as one of them, because it does not fit as
        /// context.
        BlankAdded = "BLANK_ADDED",
        /// Blank lines after the hunk, or before the first one, were read as separators, not as context.
        SeparatorDropped = "SEPARATOR_DROPPED",
        /// The patch has other line terminators than the document, or its headers or markers end in CR LF. The document
        /// kept its terminators, and inserted lines took the terminator of their neighbour.
        EolAdapted = "EOL_ADAPTED",
        /// A no-newline marker did not fit the document, or was missing, and the document's own end was kept.
        EofMarkerIgnored = "EOF_MARKER_IGNORED",
        /// The patch was written for an older text, and was moved past changes elsewhere.
        Rebased = "REBASED",
        /// The patch ends inside its last line, which was read as if it had its terminator.
        MissingFinalNewline = "MISSING_FINAL_NEWLINE",
    }
}

/// A parsed patch of one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Patch<'a> {
    pub(crate) hunks: Vec<Hunk>,
    pub(crate) lines: Vec<Line<'a>>,
    /// Indices of the lines before a no-newline marker.
    pub(crate) markers: Vec<usize>,
    /// Line numbers in the patch text, counted from 1, at which a marker occurs, right or wrong.
    pub(crate) marker_lines: Vec<usize>,
    /// Indices of the blank lines without a prefix, which count as context.
    pub(crate) bare_blanks: Vec<usize>,
    /// A marker where no text can end; only strict mode reports it.
    pub(crate) misplaced_marker: Option<ParseError>,
    /// The patch text ends inside its last line (anchored reading only).
    pub(crate) missing_final_newline: bool,
    /// Repairs of anchored reading, empty after strict reading.
    pub(crate) repairs: Vec<Repair>,
    /// Total size of the added lines, in bytes.
    pub(crate) added_bytes: usize,
}

impl<'a> Patch<'a> {
    pub(crate) fn lines_of(&self, hunk: &Hunk) -> &[Line<'a>] {
        &self.lines[hunk.lines.clone()]
    }

    /// Returns the line of the patch text, counted from 1, that holds the hunk's line at `index`.
    pub(crate) fn line_number(&self, hunk: &Hunk, index: usize) -> usize {
        let first = self.marker_lines.partition_point(|&marker| marker <= hunk.patch_line);
        let lines = hunk.patch_line + 1 + index;
        let before = self.marker_lines[first..].iter().zip(lines..).take_while(|&(&marker, at)| marker <= at);
        lines + before.count()
    }

    /// Returns a conflict for each hunk that neither adds nor removes a line, because its author evidently lost a
    /// change.
    pub(crate) fn no_op_hunks(&self) -> Vec<Conflict> {
        let hunks = self.hunks.iter().enumerate();
        hunks
            .filter(|(_, hunk)| self.lines_of(hunk).iter().all(|line| line.kind == LineKind::Context))
            .map(|(i, hunk)| Conflict::of_hunk(i + 1, Reason::NoEffect, hunk.patch_line))
            .collect()
    }

    pub(crate) fn pre_image<'s>(
        &'s self,
        hunk: &Hunk,
    ) -> impl Iterator<Item = &'a str> + Clone + use<'s, 'a> {
        self.lines_of(hunk).iter().filter(|line| line.kind.is_old()).map(|line| line.text)
    }
}
