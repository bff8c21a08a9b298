//! Searches for lines that contain a string or match an expression.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Range;

use memchr::memmem::Finder;
use memchr::{memchr, memrchr};
use regex::{Captures, Regex, RegexBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind, Look};

use super::cursor::LineCursor;
use crate::text::boundary::{ceil_char_boundary, floor_char_boundary};

/// Maximum bytes of a query.
const MAX_QUERY_BYTES: usize = 4_096;
/// Maximum bytes of the program that an expression compiles to.
const MAX_PROGRAM_BYTES: usize = 1 << 20;
const MAX_REGEX_NESTING: u32 = 100;
/// Maximum product of the positions of an expression and the bytes of the text, which is the worst-case cost of
/// matching. A search at this bound was measured to end within about three seconds.
const MAX_WORK: usize = 200_000_000;
/// Expressions with at most this many positions may be matched against any text.
const FEW_POSITIONS: usize = 32;

/// Lists the lines of `text` that match `query`, each once, up to the given `limits`.
///
/// Each line is matched on its own, without its terminator (LF or CRLF). `^` and `$` match at its ends, and no match
/// crosses lines. A lone CR is part of its line. Takes time linear in the text for a literal. For an expression, the
/// worst case is the product of the sizes of the text and the expression.
///
/// # Errors
///
/// [`GrepError::TooCostly`] if the expression repeats so much that matching this text could take long.
///
/// ```
/// use canvas_patch::{GrepLimits, Query, grep};
///
/// let query = Query::regex(r"^#+ \w+$")?;
/// let found = grep("# One\r\ntext\r\n## Two\r\n", &query, GrepLimits::default())?;
/// let lines: Vec<_> = found.matches.iter().map(|found| (found.line, found.text)).collect();
/// assert_eq!(lines, [(1, "# One"), (3, "## Two")]);
/// # Ok::<(), canvas_patch::GrepError>(())
/// ```
pub fn grep<'t>(text: &'t str, query: &Query, limits: GrepLimits) -> Result<Grep<'t>, GrepError> {
    let mut found = Grep { matches: Vec::new(), truncated: false };
    let mut total_bytes = 0;
    for one in matches(text, query, limits.max_line_bytes)? {
        total_bytes += one.text.len();
        if found.matches.len() == limits.max_matches || total_bytes > limits.max_total_bytes {
            found.truncated = true;
            break;
        }
        found.matches.push(one);
    }
    Ok(found)
}

/// Returns an iterator over the lines of `text` that match `query`, each once and in order, like [`grep`].
///
/// If a line is longer than `max_line_bytes`, [`Match::text`] has only the part around its first match. The cost is the
/// same as for [`grep`], but only for the lines that you take from the iterator.
///
/// # Errors
///
/// Returns the same errors as [`grep`], before it searches.
pub fn matches<'t>(
    text: &'t str,
    query: &Query,
    max_line_bytes: usize,
) -> Result<impl Iterator<Item = Match<'t>>, GrepError> {
    query.check_cost(text.len())?;
    let mut cursor = LineCursor::new(text);
    Ok(Hits::new(text, query).map(move |hit| {
        let shown = clip(text, &hit, max_line_bytes);
        let (start, clipped) = (hit.line.start, shown.len() < hit.line.len());
        Match { line: cursor.line_at(start), start, text: &text[shown], clipped }
    }))
}

/// Returns the byte offsets at which the lines that match `query` start, in order. Has the same cost and errors as
/// [`grep`].
pub(crate) fn matching_lines(text: &str, query: &Query) -> Result<impl Iterator<Item = usize>, GrepError> {
    query.check_cost(text.len())?;
    Ok(Hits::new(text, query).map(|hit| hit.line.start))
}

/// Matches in order, each with its replacement.
type Replacements<'t> = Box<dyn Iterator<Item = (Range<usize>, Cow<'t, str>)> + 't>;

/// Returns all matches of `query` in order, each with its replacement, in which an expression's groups are expanded. Has
/// the same cost and errors as [`grep`].
pub(crate) fn replacements<'t>(
    text: &'t str,
    query: &'t Query,
    with: &'t str,
) -> Result<Replacements<'t>, GrepError> {
    query.check_cost(text.len())?;
    let regex = match &query.0 {
        Kind::Literal(finder) => {
            let (bytes, length) = (text.as_bytes(), finder.needle().len());
            // The CR of a terminator is not part of its line.
            let is_in_line = move |at: &usize| {
                !(bytes[..at + length].ends_with(b"\r") && bytes.get(at + length) == Some(&b'\n'))
            };
            let found = finder.find_iter(bytes).filter(is_in_line);
            return Ok(Box::new(found.map(move |at| (at..at + length, Cow::Borrowed(with)))));
        }
        Kind::Regex { regex, .. } => regex,
    };
    let is_literal = !with.contains('$');
    Ok(Box::new(Hits::new(text, query).flat_map(move |hit| {
        let start = hit.line.start;
        let line = &text[hit.line];
        let matches: Vec<_> = if is_literal {
            regex.find_iter(line).map(|found| (found.range(), Cow::Borrowed(with))).collect()
        } else {
            let expanded = |groups: Captures<'_>| {
                let mut new = String::new();
                groups.expand(with, &mut new);
                (groups.get_match().range(), Cow::Owned(new))
            };
            regex.captures_iter(line).map(expanded).collect()
        };
        matches.into_iter().map(move |(range, new)| (start + range.start..start + range.end, new))
    })))
}

/// Limits on the result of [`grep`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GrepLimits {
    /// Maximum number of lines. Default 200.
    pub max_matches: usize,
    /// Maximum bytes of one line. A longer line is cut to the part around its first match. Default 1,000.
    pub max_line_bytes: usize,
    /// Maximum bytes of all lines together. A line that does not fit ends the list. Default 100,000.
    pub max_total_bytes: usize,
}

impl Default for GrepLimits {
    fn default() -> Self {
        Self { max_matches: 200, max_line_bytes: 1_000, max_total_bytes: 100_000 }
    }
}

/// The lines found by [`grep`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grep<'t> {
    /// One entry for each matching line, in order.
    pub matches: Vec<Match<'t>>,
    /// Whether more lines match than are listed.
    pub truncated: bool,
}

/// A line that matches a [`Query`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match<'t> {
    /// The line number, counted from 1.
    pub line: usize,
    /// The byte offset in the text at which the line starts.
    pub start: usize,
    /// The line without its terminator, or a part of it that contains the start of its first match.
    pub text: &'t str,
    /// Whether `text` is only a part of the line.
    pub clipped: bool,
}

/// A literal or an expression to search for with [`grep`]. Two queries are equal if they were made from the same string
/// in the same way.
#[derive(Debug, Clone)]
pub struct Query(Kind);

#[derive(Debug, Clone)]
enum Kind {
    Literal(Box<Finder<'static>>),
    Regex {
        regex: Regex,
        keeps_to_lines: bool,
        /// Whether the expression may assert the end of a line.
        asserts_end: bool,
        /// The number of its positions, as counted by the function `positions`.
        positions: usize,
    },
}

impl Query {
    /// Creates a query for exactly this string.
    ///
    /// ```
    /// use canvas_patch::{Query, matches};
    ///
    /// let found: Vec<_> = matches("- milk\n- bread\n- oat milk\n", &Query::literal("milk")?, 100)?.collect();
    /// assert_eq!(found.iter().map(|found| found.line).collect::<Vec<_>>(), [1, 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the string is empty, longer than 4,096 bytes, or contains a newline, which no line can contain.
    pub fn literal(literal: &str) -> Result<Self, GrepError> {
        check_length(literal)?;
        if let Some(at) = memchr(b'\n', literal.as_bytes()) {
            return Err(GrepError::Newline { at });
        }
        Ok(Self(Kind::Literal(Box::new(Finder::new(literal).into_owned()))))
    }

    /// Creates a query for matches of an expression in the syntax of the `regex` crate.
    ///
    /// ```
    /// use canvas_patch::Query;
    ///
    /// assert!(Query::regex(r"^\d+\. ").is_ok());
    /// assert!(Query::regex("(").is_err(), "malformed");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the expression is empty, longer than 4,096 bytes, malformed, or too large once compiled.
    pub fn regex(pattern: &str) -> Result<Self, GrepError> {
        check_length(pattern)?;
        Self::compiled(pattern)
    }

    /// Returns the same query, but without regard to case. A search then costs up to the product of the sizes of text
    /// and query, whereas a case-sensitive literal takes time linear in the text.
    ///
    /// # Errors
    ///
    /// If the query is too large once compiled.
    ///
    /// ```
    /// use canvas_patch::{GrepLimits, Query, grep};
    ///
    /// let query = Query::literal("plan (new)")?.ignoring_case()?;
    /// assert_eq!(grep("# Plan (NEW)\n", &query, GrepLimits::default())?.matches[0].line, 1);
    /// # Ok::<(), canvas_patch::GrepError>(())
    /// ```
    pub fn ignoring_case(&self) -> Result<Self, GrepError> {
        match self.source() {
            QuerySource::Literal(literal) => {
                // A literal is searched for whatever its length. A caller that accepts long ones bears the cost.
                let Self(Kind::Regex { regex, keeps_to_lines, asserts_end, .. }) =
                    Self::compiled(&format!("(?i){}", regex::escape(literal)))?
                else {
                    unreachable!("an expression was compiled")
                };
                Ok(Self(Kind::Regex { regex, keeps_to_lines, asserts_end, positions: 1 }))
            }
            QuerySource::Regex(pattern) => Self::compiled(&format!("(?i){pattern}")),
        }
    }

    fn compiled(pattern: &str) -> Result<Self, GrepError> {
        let mut parser = ParserBuilder::new().multi_line(true).nest_limit(MAX_REGEX_NESTING).build();
        let hir = parser.parse(pattern)?;
        let regex = RegexBuilder::new(pattern)
            .multi_line(true)
            .size_limit(MAX_PROGRAM_BYTES)
            .nest_limit(MAX_REGEX_NESTING)
            .build()
            // The expression is well-formed, so only its size can be refused.
            .map_err(|_| GrepError::TooComplex { max: MAX_PROGRAM_BYTES })?;
        let asserts_end = hir.properties().look_set().contains(Look::EndLF);
        let (keeps_to_lines, positions) = (keeps_to_lines(&hir), positions(&hir));
        Ok(Self(Kind::Regex { regex, keeps_to_lines, asserts_end, positions }))
    }

    /// Returns the string that the query was made from.
    pub(crate) fn source(&self) -> QuerySource<'_> {
        match &self.0 {
            Kind::Literal(finder) => QuerySource::Literal(
                std::str::from_utf8(finder.needle()).expect("a literal is made of a str"),
            ),
            Kind::Regex { regex, .. } => QuerySource::Regex(regex.as_str()),
        }
    }

    fn check_cost(&self, bytes: usize) -> Result<(), GrepError> {
        match self.0 {
            Kind::Regex { positions, .. }
                if positions > FEW_POSITIONS && positions.saturating_mul(bytes) > MAX_WORK =>
            {
                Err(GrepError::TooCostly { positions, bytes })
            }
            _ => Ok(()),
        }
    }
}

impl PartialEq for Query {
    fn eq(&self, other: &Self) -> bool {
        self.source() == other.source()
    }
}

impl Eq for Query {}

impl Hash for Query {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.source().hash(state);
    }
}

#[derive(PartialEq, Eq, Hash)]
pub(crate) enum QuerySource<'q> {
    Literal(&'q str),
    Regex(&'q str),
}

/// Error returned when a query cannot be run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum GrepError {
    /// The query is empty.
    Empty,
    /// A literal holds a newline.
    Newline {
        /// Byte offset in the query.
        at: usize,
    },
    /// The query is longer than is allowed.
    TooLong {
        /// Length of the query in bytes.
        bytes: usize,
        /// Maximum length in bytes.
        max: usize,
    },
    /// The expression compiles to a larger program than is allowed.
    TooComplex {
        /// Maximum size of the program, in bytes.
        max: usize,
    },
    /// Matching the expression against this text could take long.
    TooCostly {
        /// Length of the expression in characters, with repetitions written out.
        positions: usize,
        /// Size of the text in bytes.
        bytes: usize,
    },
    /// The text is not a valid regular expression.
    Malformed {
        /// Byte offset of the fault, if known.
        at: Option<usize>,
        /// Description of the fault.
        message: String,
    },
}

impl fmt::Display for GrepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the query is empty; give a string or an expression to look for"),
            Self::Newline { at } => write!(
                f,
                "the query has a newline at byte {at}, but lines are searched one by one; give a part of one line"
            ),
            Self::TooLong { bytes, max } => {
                write!(f, "the query has {bytes} bytes, but {max} are allowed; give a shorter one")
            }
            Self::TooComplex { max } => {
                write!(f, "the expression compiles to more than {max} bytes; repeat or nest less in it")
            }
            Self::TooCostly { positions, bytes } => write!(
                f,
                "the expression has {positions} positions, too many for a text of {bytes} bytes; \
                 repeat less in it, or search for a literal"
            ),
            Self::Malformed { at, message } => write!(
                f,
                "the expression is malformed{}: {message}; correct it, or search for a literal",
                at.map(|at| format!(" at byte {at}")).unwrap_or_default()
            ),
        }
    }
}

impl Error for GrepError {}

impl GrepError {
    /// Returns the stable error code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Empty | Self::Newline { .. } => "INVALID_QUERY",
            Self::TooLong { .. } | Self::TooComplex { .. } | Self::TooCostly { .. } => "QUERY_TOO_LARGE",
            Self::Malformed { .. } => "INVALID_REGEX",
        }
    }
}

impl GrepError {
    /// Returns the byte offset of the error in the query, if it is known.
    pub fn at(&self) -> Option<usize> {
        match self {
            Self::Newline { at } => Some(*at),
            Self::Malformed { at, .. } => *at,
            Self::Empty | Self::TooLong { .. } | Self::TooComplex { .. } | Self::TooCostly { .. } => None,
        }
    }
}

impl From<regex_syntax::Error> for GrepError {
    fn from(error: regex_syntax::Error) -> Self {
        let (at, message) = match &error {
            regex_syntax::Error::Parse(e) => (Some(e.span().start.offset), e.kind().to_string()),
            regex_syntax::Error::Translate(e) => (Some(e.span().start.offset), e.kind().to_string()),
            _ => (None, error.to_string()),
        };
        Self::Malformed { at, message }
    }
}

/// Iterator over the matching lines of a text, in order.
struct Hits<'t, 'q> {
    text: &'t str,
    query: &'q Kind,
    /// Whether a search of the whole text can find the lines that may match.
    in_text: bool,
    /// The start of the next line in bytes.
    from: usize,
}

struct Hit {
    line: Range<usize>,
    /// The byte at which its first match starts.
    at: usize,
}

impl<'t, 'q> Hits<'t, 'q> {
    fn new(text: &'t str, Query(query): &'q Query) -> Self {
        let in_text = match query {
            Kind::Literal(_) => true,
            // `$` would require an LF, but the line already ends at the CR before it.
            Kind::Regex { keeps_to_lines, asserts_end, .. } => {
                *keeps_to_lines && !(*asserts_end && memchr(b'\r', text.as_bytes()).is_some())
            }
        };
        Self { text, query, in_text, from: 0 }
    }
}

impl Iterator for Hits<'_, '_> {
    type Item = Hit;

    fn next(&mut self) -> Option<Hit> {
        while self.from < self.text.len() {
            let at = match self.query {
                Kind::Literal(finder) => self.from + finder.find(&self.text.as_bytes()[self.from..])?,
                Kind::Regex { regex, .. } if self.in_text => regex.find_at(self.text, self.from)?.start(),
                Kind::Regex { .. } => self.from,
            };
            let line = Line::around(self.text, self.from, at)?;
            self.from = line.next;
            let at = match self.query {
                // A literal can only leave its line by ending with the CR of the terminator.
                Kind::Literal(finder) => (at + finder.needle().len() <= line.content.end).then_some(at),
                Kind::Regex { regex, .. } => {
                    let found = regex.find(&self.text[line.content.clone()]);
                    found.map(|found| line.content.start + found.start())
                }
            };
            if let Some(at) = at {
                return Some(Hit { line: line.content, at });
            }
        }
        None
    }
}

struct Line {
    content: Range<usize>,
    next: usize,
}

impl Line {
    /// Returns the line that contains the byte at `at`, which is not before the line start `from`. Returns `None` if no
    /// line is left.
    fn around(text: &str, from: usize, at: usize) -> Option<Self> {
        let bytes = text.as_bytes();
        let start = memrchr(b'\n', &bytes[from..at]).map_or(from, |newline| from + newline + 1);
        if start == bytes.len() {
            return None;
        }
        let newline = memchr(b'\n', &bytes[at..]).map(|newline| at + newline);
        let end = newline.unwrap_or(bytes.len());
        let has_cr = newline.is_some() && bytes[start..end].ends_with(b"\r");
        Some(Self { content: start..end - usize::from(has_cr), next: newline.map_or(end, |end| end + 1) })
    }
}

/// Returns the number of states that a matcher may have to hold at once. There is one for each byte of each character
/// in the expression, with repetitions written out.
fn positions(hir: &Hir) -> usize {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 0,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Class(class) => class.maximum_len().unwrap_or(0),
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min).max(1);
            positions(&repetition.sub).saturating_mul(usize::try_from(times).unwrap_or(usize::MAX))
        }
        HirKind::Capture(capture) => positions(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().map(positions).fold(0, usize::saturating_add)
        }
    }
}

fn check_length(query: &str) -> Result<(), GrepError> {
    match query.len() {
        0 => Err(GrepError::Empty),
        bytes if bytes > MAX_QUERY_BYTES => Err(GrepError::TooLong { bytes, max: MAX_QUERY_BYTES }),
        _ => Ok(()),
    }
}

/// Whether no match can contain a newline, and every line matches within the text as it does alone.
///
/// If so, a search of the whole text stops at the first line that may match, and is several times as fast as a search
/// line by line. Other expressions would give wrong answers (`\A`), or would run to the end of the text and back from
/// every line (`a[^b]*c`).
fn keeps_to_lines(hir: &Hir) -> bool {
    let looks = hir.properties().look_set();
    !looks.contains_anchor_haystack() && !looks.contains_anchor_crlf() && !may_hold_newline(hir)
}

fn may_hold_newline(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => false,
        HirKind::Literal(literal) => literal.0.contains(&b'\n'),
        HirKind::Class(Class::Unicode(class)) => {
            class.iter().any(|range| (range.start()..=range.end()).contains(&'\n'))
        }
        HirKind::Class(Class::Bytes(class)) => {
            class.iter().any(|range| (range.start()..=range.end()).contains(&b'\n'))
        }
        HirKind::Repetition(repetition) => may_hold_newline(&repetition.sub),
        HirKind::Capture(capture) => may_hold_newline(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().any(may_hold_newline),
    }
}

/// Returns the part of a line to show. If the line is longer than `max` bytes, this is a part of at most that size that
/// contains the start of the first match, with a quarter of the bytes before it if possible.
fn clip(text: &str, hit: &Hit, max: usize) -> Range<usize> {
    let line = &hit.line;
    if line.len() <= max {
        return line.clone();
    }
    let latest = hit.at.saturating_sub(max / 4);
    let start = ceil_char_boundary(text, latest.clamp(line.start, line.end - max));
    let end = floor_char_boundary(text, start.saturating_add(max).min(line.end));
    start..end.max(start)
}
