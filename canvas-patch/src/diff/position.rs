//! Positions of a text in bytes, Unicode scalar values, UTF-16 units and lines.

use std::borrow::Cow;
use std::fmt;

use super::changed::all_changes;
use super::edit::TextEdit;
use crate::text::boundary::floor_char_boundary;
use crate::text::lines::{line_end, line_start};

/// An offset in a text, counted from its start. Lines count from 1, everything else from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", deny_unknown_fields))]
pub enum Offset {
    /// Bytes of UTF-8, as Rust counts them.
    Byte(usize),
    /// Unicode scalar values, as Python counts them.
    Scalar(usize),
    /// Units of UTF-16, as JavaScript counts them. A character outside of the basic plane has two.
    Utf16(usize),
    /// A line and a column. After a newline at the end, the text has one more line.
    #[cfg_attr(feature = "serde", serde(untagged))]
    Line {
        /// The number of the line, counted from 1.
        line: usize,
        /// The number of Unicode scalar values between the start of the line and the offset.
        scalar_column: usize,
    },
}

/// A position between two characters of a text, or at its start or end, counted in all ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Position {
    /// The number of bytes before the position.
    pub byte: usize,
    /// The number of Unicode scalar values before the position.
    pub scalar: usize,
    /// The number of UTF-16 units before the position.
    pub utf16: usize,
    /// The number of the line that the position is in, counted from 1.
    pub line: usize,
    /// The number of Unicode scalar values between the start of the line and the position.
    pub scalar_column: usize,
}

/// Bytes, scalar values, UTF-16 units and newlines of a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Counts {
    bytes: usize,
    scalars: usize,
    utf16: usize,
    newlines: usize,
}

impl Counts {
    /// Adds the counts of more bytes.
    fn and(self, bytes: &[u8]) -> Self {
        /// Bytes counted at once. Their counts fit in a byte, so that the compiler adds up whole vectors.
        const BLOCK: usize = 192;
        let mut sum = self;
        for block in bytes.chunks(BLOCK) {
            // A character begins with a byte that is no continuation, and one of four bytes takes two UTF-16 units.
            let scalars = count(block, |byte| byte & 0xc0 != 0x80);
            sum.bytes += block.len();
            sum.scalars += scalars;
            sum.utf16 += scalars + count(block, |byte| byte >= 0xf0);
            sum.newlines += count(block, |byte| byte == b'\n');
        }
        sum
    }

    /// Joins both counts of each kind.
    fn zip(self, other: Self, join: fn(usize, usize) -> usize) -> Self {
        Self {
            bytes: join(self.bytes, other.bytes),
            scalars: join(self.scalars, other.scalars),
            utf16: join(self.utf16, other.utf16),
            newlines: join(self.newlines, other.newlines),
        }
    }
}

/// Counts bytes of a block that has at most 255.
fn count(block: &[u8], is: impl Fn(u8) -> bool) -> usize {
    block.iter().map(|&byte| u8::from(is(byte))).sum::<u8>().into()
}

/// Converts positions of a text among bytes, Unicode scalar values, UTF-16 units, and lines with columns.
///
/// A conversion takes the time to search a sorted list of one entry per KiB, to count at most 4 KiB, and to find the
/// start of the line.
///
/// ```
/// use canvas_patch::{Offset, PositionMap, TextEdit};
///
/// let mut positions = PositionMap::new("# Größe\n\n🦀 one\n");
/// let crab = positions.at(Offset::Line { line: 3, scalar_column: 0 })?;
/// assert_eq!((crab.byte, crab.scalar, crab.utf16), (11, 9, 9));
/// let one = positions.at(Offset::Utf16(12))?;
/// assert_eq!((one.byte, one.scalar, one.line, one.scalar_column), (16, 11, 3, 2));
///
/// let edit = TextEdit { at: 9, old: "".into(), new: " 🦀".into() };
/// positions.edit("# Größe 🦀\n\n🦀 one\n", &[edit]);
/// assert_eq!(positions.at(Offset::Scalar(11))?.utf16, 12);
/// # Ok::<(), canvas_patch::PositionError>(())
/// ```
#[derive(Debug, Clone)]
pub struct PositionMap<'t> {
    text: Cow<'t, str>,
    /// The counts before the first position, before some positions between characters, and before the last position, in
    /// ascending order.
    points: Vec<Counts>,
}

/// Bytes between two points. They are at most twice as many and a few more.
const STEP: usize = 1 << 10;

impl<'t> PositionMap<'t> {
    /// Counts the positions of a text, in linear time. For each KiB of the text, the map takes about 32 more bytes.
    pub fn new(text: impl Into<Cow<'t, str>>) -> Self {
        let text = text.into();
        let mut points = Points::new(&text);
        points.fill(text.len());
        Self { points: points.points, text }
    }

    /// Returns the text that the positions belong to.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the position after the last character.
    pub fn end(&self) -> Position {
        self.position(self.points[self.points.len() - 1])
    }

    /// Finds the position with an offset.
    ///
    /// # Errors
    ///
    /// If the text or the line has no such position, or if the offset is inside a character. The position between CR and
    /// LF is valid.
    pub fn at(&self, offset: Offset) -> Result<Position, PositionError> {
        let end = self.points[self.points.len() - 1];
        let invalid = Err(PositionError { offset });
        let counts = match offset {
            Offset::Byte(at) if at > end.bytes || !self.text.is_char_boundary(at) => return invalid,
            Offset::Byte(at) => self.counts(at),
            Offset::Scalar(at) if at > end.scalars => return invalid,
            Offset::Scalar(at) => self.scalar(at),
            Offset::Utf16(at) if at > end.utf16 => return invalid,
            Offset::Utf16(at) => {
                let near = self.point(|point| point.utf16 <= at);
                let mut utf16 = near.utf16;
                let before = self.text[near.bytes..].chars().take_while(|char| {
                    let is_before = utf16 < at;
                    utf16 += if is_before { char.len_utf16() } else { 0 };
                    is_before
                });
                let bytes = before.map(char::len_utf8).sum::<usize>();
                if utf16 != at {
                    return invalid;
                }
                near.and(&self.text.as_bytes()[near.bytes..near.bytes + bytes])
            }
            Offset::Line { line, .. } if line == 0 || line > end.newlines + 1 => return invalid,
            Offset::Line { line, scalar_column } => {
                // A line may begin before the first point that is in it.
                let near = self.point(|point| point.newlines + 1 < line);
                let rest = &self.text[near.bytes..];
                let start = (near.newlines + 1..line).fold(0, |start, _| line_end(rest, start));
                let start = near.and(&rest.as_bytes()[..start]);
                let there = start.scalars.checked_add(scalar_column).filter(|at| *at <= end.scalars);
                match there.map(|at| self.scalar(at)) {
                    Some(there) if there.newlines + 1 == line => there,
                    _ => return invalid,
                }
            }
        };
        Ok(self.position(counts))
    }

    fn position(&self, counts: Counts) -> Position {
        let start = self.counts(line_start(&self.text, counts.bytes));
        Position {
            byte: counts.bytes,
            scalar: counts.scalars,
            utf16: counts.utf16,
            line: counts.newlines + 1,
            scalar_column: counts.scalars - start.scalars,
        }
    }

    /// Returns the last point of those at the start for which `is_before` is true, or the first point.
    fn point(&self, is_before: impl Fn(&Counts) -> bool) -> Counts {
        let before = self.points.partition_point(is_before);
        self.points[before.saturating_sub(1)]
    }

    /// Returns the counts before a byte.
    fn counts(&self, byte: usize) -> Counts {
        let near = self.point(|point| point.bytes <= byte);
        near.and(&self.text.as_bytes()[near.bytes..byte])
    }

    /// Returns the counts before a scalar value, or before the end.
    fn scalar(&self, at: usize) -> Counts {
        let near = self.point(|point| point.scalars <= at);
        let rest = &self.text[near.bytes..];
        let bytes = rest.char_indices().nth(at - near.scalars).map_or(rest.len(), |(byte, _)| byte);
        near.and(&rest.as_bytes()[..bytes])
    }

    /// Replaces the text with `after`, and counts only what changed.
    ///
    /// `edits` should turn the current text into `after`, like the edits of [`Applied::delta`](crate::Applied::delta). They
    /// are checked. If they lead to another text, everything between the first and the last difference is counted again.
    pub fn edit(&mut self, after: impl Into<Cow<'t, str>>, edits: &[TextEdit]) {
        let after = after.into();
        let mut points = Points::new(&after);
        let (mut left, mut shift) = (&self.points[..], Counts::default());
        let moved = |point: &Counts, shift| point.zip(shift, usize::wrapping_add);
        for change in all_changes(&self.text, &after, edits) {
            let (kept, rest) = left.split_at(left.partition_point(|point| point.bytes <= change.old.start));
            kept.iter().for_each(|point| points.push(moved(point, shift)));
            left = &rest[rest.partition_point(|point| point.bytes < change.old.end)..];
            let old = Counts::default().and(&self.text.as_bytes()[change.old]);
            let new = Counts::default().and(&after.as_bytes()[change.new]);
            shift = shift.zip(new, usize::wrapping_add).zip(old, usize::wrapping_sub);
        }
        left.iter().for_each(|point| points.push(moved(point, shift)));
        points.fill(after.len());
        self.points = points.points;
        self.text = after;
    }
}

/// Points of a text from its start onwards.
struct Points<'t> {
    text: &'t str,
    points: Vec<Counts>,
}

impl<'t> Points<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, points: vec![Counts::default()] }
    }

    fn last(&self) -> Counts {
        self.points[self.points.len() - 1]
    }

    /// Adds points up to a byte, and a point at this byte.
    fn fill(&mut self, byte: usize) {
        while byte > self.last().bytes {
            let from = self.last();
            let is_far = byte - from.bytes > 2 * STEP;
            let to = if is_far { floor_char_boundary(self.text, from.bytes + STEP) } else { byte };
            self.points.push(from.and(&self.text.as_bytes()[from.bytes..to]));
        }
    }

    /// Adds a point whose counts are known, and the points before it that the map needs.
    fn push(&mut self, point: Counts) {
        while point.bytes - self.last().bytes > 2 * STEP {
            self.fill(floor_char_boundary(self.text, self.last().bytes + STEP));
        }
        if let [.., before, last] = self.points[..] {
            if point.bytes - before.bytes <= STEP && last.bytes > before.bytes {
                self.points.pop();
            }
        }
        if point.bytes > self.last().bytes {
            self.points.push(point);
        }
    }
}

/// Error returned if a text has no position with an offset, or if it is inside a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PositionError {
    /// Offset of the call.
    pub offset: Offset,
}

impl PositionError {
    /// Returns the stable error code.
    pub const fn code(&self) -> &'static str {
        "POSITION_INVALID"
    }
}

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.offset {
            Offset::Byte(at) => write!(f, "the text has no character at byte {at}")?,
            Offset::Scalar(at) => write!(f, "the text has no character {at}")?,
            Offset::Utf16(at) => write!(f, "the text has no character at UTF-16 unit {at}")?,
            Offset::Line { line, scalar_column } => {
                write!(f, "the text has no line {line} with a column {scalar_column}")?;
            }
        }
        f.write_str(": pass the offset at which a character begins, or the one after the last character")
    }
}

impl std::error::Error for PositionError {}
