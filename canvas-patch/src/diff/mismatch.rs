//! Describes the difference between a line that a patch quotes and a line of the text. It is only reported.

use crate::coded;
use crate::diff::alike::{self, CodePoints};
use crate::diff::slips::{unescaped, without_number};
use crate::text::boundary::floor_char_boundary;
use crate::text::lines;

coded! {
    /// The difference between an expected and an actual line. It is only reported, and never decides whether a patch
    /// applies.
    #[cfg_attr(
        feature = "serde",
        derive(serde::Serialize, serde::Deserialize),
        serde(rename_all = "SCREAMING_SNAKE_CASE")
    )]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[non_exhaustive]
    pub enum Difference {
        /// Only the line terminators differ (LF, CRLF, or a missing one at the end of the text).
        LineEnding = "LINE_ENDING",
        /// Only spaces and tabs at the end of the line differ.
        TrailingSpace = "TRAILING_SPACE",
        /// Only spaces and tabs at the beginning of the line differ.
        Indentation = "INDENTATION",
        /// Only white space inside the line differs.
        Whitespace = "WHITESPACE",
        /// Only upper and lower case differ.
        Case = "CASE",
        /// Only characters that look alike or cannot be seen differ, such as a no-break space and a space, or two
        /// encodings of one accented letter.
        Invisible = "INVISIBLE",
        /// The text has one more `-` at the beginning, because a line of the patch that begins with `-`, such as a list
        /// item, was read as a removal.
        DiffMarker = "DIFF_MARKER",
        /// The patch has a line number, as in replies, that the text does not have.
        LineNumber = "LINE_NUMBER",
        /// The patch has HTML entities such as `&lt;` where the text has the characters.
        HtmlEscaped = "HTML_ESCAPED",
        /// The patch has only the beginning of the line. A line above 16 KiB and four times the expected length is reported
        /// as this or as [`Content`](Self::Content).
        PartOfLine = "PART_OF_LINE",
        /// The patch has `...` in place of lines of the text.
        Elided = "ELIDED",
        /// The text has a line here that the patch leaves out, and then continues like the patch.
        LeftOut = "LEFT_OUT",
        /// The patch has a line here that the text lacks, and then continues like the text.
        Extra = "EXTRA",
        /// The text ends before this line.
        EndOfText = "END_OF_TEXT",
        /// The lines have different words.
        Content = "CONTENT",
    }
}

impl Difference {
    /// Returns a hint for the author of the patch, or `None` if the two lines alone show the difference.
    pub const fn hint(self) -> Option<&'static str> {
        Some(match self {
            Self::Invisible => "both look alike",
            Self::DiffMarker => "a line that begins with - needs the mark of the diff before its own",
            Self::LineNumber => "the number before the line is not part of the document",
            Self::HtmlEscaped => "the document has the characters, not their HTML entities",
            Self::PartOfLine => "quote the whole line",
            Self::Elided => "write out the lines that are elided here, or leave them to two hunks",
            Self::LeftOut => "the patch leaves this line of the document out",
            Self::Extra => "the document does not have that line here",
            _ => return None,
        })
    }

    fn between(expected: &str, actual: &str) -> Self {
        let (e, a) = (lines::content(expected), lines::content(actual));
        let blank: &[char] = &[' ', '\t'];
        if a.len() > LOOKED_THROUGH.max(4 * e.len()) {
            // Many hunks may each be compared with one line.
            return if !e.trim().is_empty() && a.starts_with(e) { Self::PartOfLine } else { Self::Content };
        }
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
        } else if alike::read_alike(e, a) {
            Self::Invisible
        } else if lost_its_marker(e.trim_start_matches(blank), a) {
            Self::DiffMarker
        } else if without_number(e).is_some_and(|e| e == a) {
            Self::LineNumber
        } else if unescaped(e).is_some_and(|e| e == a) {
            Self::HtmlEscaped
        } else if !e.trim().is_empty() && a.starts_with(e) {
            Self::PartOfLine
        } else {
            Self::Content
        }
    }
}

/// Maximum bytes of a line of the text compared in detail, or four times the length of the expected line if that is
/// more.
const LOOKED_THROUGH: usize = 16 << 10;

/// Whether the text's line is the expected line with a `-` before it. The expected line is given without indentation.
fn lost_its_marker(expected: &str, actual: &str) -> bool {
    let own = actual.trim_start_matches([' ', '\t']).strip_prefix('-');
    !expected.is_empty() && own.is_some_and(|own| own.trim_start_matches([' ', '\t']) == expected)
}

/// The first line in which a hunk's pre-image and the text differ.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Mismatch {
    /// Number of the first differing character, from 1.
    pub column: usize,
    /// The hunk's line, escaped and cut to 200 characters around the difference.
    pub expected: String,
    /// The text's line, escaped and cut alike; `None` at the end of the text.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub actual: Option<String>,
    /// The kind of difference between both lines.
    pub difference: Difference,
    /// The first characters that differ, if they look alike.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub code_points: Option<CodePoints>,
}

impl Mismatch {
    pub(crate) fn new(expected: &str, actual: Option<&str>) -> Self {
        let Some(actual) = actual else {
            let (expected, difference) = (escape(expected, 0), Difference::EndOfText);
            return Self { column: 1, expected, actual: None, difference, code_points: None };
        };
        let same = expected.bytes().zip(actual.bytes()).take_while(|(e, a)| e == a).count();
        let same = floor_char_boundary(expected, same).min(floor_char_boundary(actual, same));
        Self {
            column: expected[..same].chars().count() + 1,
            expected: escape(expected, same),
            actual: Some(escape(actual, same)),
            difference: Difference::between(expected, actual),
            code_points: CodePoints::of(from(expected, same), from(actual, same)),
        }
    }
}

/// Returns the rest of a line from a byte on, without its terminator.
fn from(line: &str, byte: usize) -> &str {
    lines::content(line).get(byte..).unwrap_or_default()
}

/// Returns at most 200 characters of a line, including escapes and ellipses, with the byte `focus` among them.
fn escape(line: &str, focus: usize) -> String {
    let (lead, part, tail) = window(line, focus, |c| escaped(c).count());
    let shown: String = part.chars().flat_map(escaped).collect();
    format!("{lead}{shown}{tail}")
}

/// Returns at most 200 characters of a line, unescaped, with the character `column`, counted from 1, among them.
pub(crate) fn cut(line: &str, column: usize) -> String {
    let focus = line.char_indices().nth(column.saturating_sub(1)).map_or(line.len(), |(byte, _)| byte);
    let (lead, part, tail) = window(line, focus, |_| 1);
    format!("{lead}{part}{tail}")
}

/// Returns the part of a line around `focus` to show, with an ellipsis at each end that is cut.
fn window(line: &str, focus: usize, width: impl Fn(char) -> usize) -> (&str, &str, &str) {
    const CHARS: usize = 200;
    const BEFORE: usize = 120;
    let focus = floor_char_boundary(line, focus);
    let start = focus - fitting(line[..focus].chars().rev(), BEFORE, &width);
    let (lead, rest) = if start > 0 { ("…", &line[start..]) } else { ("", line) };
    let room = CHARS - lead.chars().count();
    let (end, tail) = match fitting(rest.chars(), room, &width) {
        all if all == rest.len() => (all, ""),
        _ => (fitting(rest.chars(), room - 1, &width), "…"),
    };
    (lead, &rest[..end], tail)
}

/// Returns the size in bytes of the leading characters that fit into `room` when shown.
fn fitting(chars: impl Iterator<Item = char>, room: usize, width: impl Fn(char) -> usize) -> usize {
    let widths = chars.scan(0, |sum, c| {
        *sum += width(c);
        Some((*sum, c.len_utf8()))
    });
    widths.take_while(|&(sum, _)| sum <= room).map(|(_, bytes)| bytes).sum()
}

/// Escapes terminators, other control characters, backslashes and byte order marks, and shows every other character
/// unchanged.
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
            ("Über\n", "über\n", 1, Difference::Case),
            ("日本語です\n", "日本のです\n", 3, Difference::Content),
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
    fn of_a_long_line_only_its_beginning_counts() {
        for (expected, actual, difference) in [
            ("a".to_owned(), format!("a{}", " ".repeat(LOOKED_THROUGH - 1)), Difference::TrailingSpace),
            ("a".to_owned(), format!("a{}", " ".repeat(LOOKED_THROUGH)), Difference::PartOfLine),
            ("b".to_owned(), format!("{}b", " ".repeat(LOOKED_THROUGH)), Difference::Content),
            (
                "b".repeat(LOOKED_THROUGH / 2),
                format!(" {}", "b".repeat(LOOKED_THROUGH / 2)),
                Difference::Indentation,
            ),
        ] {
            assert_eq!(Difference::between(&expected, &actual), difference, "{expected:.9} {actual:.9}");
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
            assert_eq!((d.column, d.expected), (before.chars().count() + 1, shown), "{} bytes", before.len());
        }
    }
}
