//! Positions of a text in bytes, characters, UTF-16 units and lines.

use std::borrow::Cow;
use std::fmt;

use super::changed::all_changes;
use super::edit::TextEdit;
use crate::text::boundary::floor_char_boundary;
use crate::text::lines::line_end;

/// A unit in which positions of a text are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum PositionUnit {
    /// Bytes of UTF-8, as Rust counts them.
    Byte,
    /// Unicode scalar values, as Python counts them.
    Char,
    /// Units of UTF-16, as JavaScript counts them. A character outside of the basic plane has two.
    Utf16,
    /// Lines, counted from 1. The position of a line is its start. After a newline at the end, the text has one more
    /// position.
    Line,
}

/// A position between two characters of a text, or at its start or end, in all units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Position {
    /// The number of bytes before the position.
    pub byte: usize,
    /// The number of Unicode scalar values before the position.
    pub char: usize,
    /// The number of UTF-16 units before the position.
    pub utf16: usize,
    /// The number of the line that the position is in, counted from 1.
    pub line: usize,
}

impl Position {
    const START: Self = Self { byte: 0, char: 0, utf16: 0, line: 1 };

    const fn get(&self, unit: PositionUnit) -> usize {
        match unit {
            PositionUnit::Byte => self.byte,
            PositionUnit::Char => self.char,
            PositionUnit::Utf16 => self.utf16,
            PositionUnit::Line => self.line,
        }
    }

    /// Returns the position after these bytes.
    fn after(self, bytes: &[u8]) -> Self {
        /// Bytes counted at once. Their counts fit in a byte, so that the compiler adds up whole vectors.
        const BLOCK: usize = 192;
        let mut sum = self;
        for block in bytes.chunks(BLOCK) {
            // A character begins with a byte that is no continuation, and one of four bytes takes two UTF-16 units.
            let chars = count(block, |byte| byte & 0xc0 != 0x80);
            sum.byte += block.len();
            sum.char += chars;
            sum.utf16 += chars + count(block, |byte| byte >= 0xf0);
            sum.line += count(block, |byte| byte == b'\n');
        }
        sum
    }

    /// Applies a function to both counts of each unit.
    fn zip(self, other: Self, join: fn(usize, usize) -> usize) -> Self {
        Self {
            byte: join(self.byte, other.byte),
            char: join(self.char, other.char),
            utf16: join(self.utf16, other.utf16),
            line: join(self.line, other.line),
        }
    }
}

/// Counts bytes of a block that has at most 255.
fn count(block: &[u8], is: impl Fn(u8) -> bool) -> usize {
    block.iter().map(|&byte| u8::from(is(byte))).sum::<u8>().into()
}

/// Converts positions of a text among bytes, characters, UTF-16 units and lines.
///
/// A conversion takes the time to search a sorted list of one entry per KiB, and to count at most 2 KiB.
///
/// ```
/// use canvas_patch::{PositionMap, PositionUnit, TextEdit};
///
/// let mut positions = PositionMap::new("# Größe\n\n🦀 one\n");
/// let crab = positions.at(PositionUnit::Line, 3)?;
/// assert_eq!((crab.byte, crab.char, crab.utf16), (11, 9, 9));
/// let one = positions.at(PositionUnit::Utf16, 12)?;
/// assert_eq!((one.byte, one.char, one.line), (16, 11, 3));
///
/// let edit = TextEdit { at: 9, old: "".into(), new: " 🦀".into() };
/// positions.edit("# Größe 🦀\n\n🦀 one\n", &[edit]);
/// assert_eq!(positions.at(PositionUnit::Line, 3)?.utf16, 12);
/// # Ok::<(), canvas_patch::PositionError>(())
/// ```
#[derive(Debug, Clone)]
pub struct PositionMap<'t> {
    text: Cow<'t, str>,
    /// The first position, some positions between characters, and the last position, in ascending order.
    points: Vec<Position>,
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

    /// Returns the last position.
    pub fn end(&self) -> Position {
        self.points.last().copied().unwrap_or(Position::START)
    }

    /// Finds the position with an offset in a unit. Offsets count from 0, and lines from 1.
    ///
    /// # Errors
    ///
    /// If the text has no such position, or if the position is inside a character.
    pub fn at(&self, unit: PositionUnit, offset: usize) -> Result<Position, PositionError> {
        let end = self.end().get(unit);
        if offset > end || offset < Position::START.get(unit) {
            return Err(PositionError::OutOfText { unit, offset, end });
        }
        // A line may begin before the first point that is in it.
        let is_before = |point: &Position| match unit {
            PositionUnit::Line => point.line < offset,
            _ => point.get(unit) <= offset,
        };
        let near = self.points.partition_point(is_before).checked_sub(1);
        let near = near.map_or(Position::START, |index| self.points[index]);
        let inside = Err(PositionError::InCharacter { unit, offset });
        let rest = &self.text[near.byte..];
        let left = offset - near.get(unit);
        let bytes = match unit {
            PositionUnit::Byte if !rest.is_char_boundary(left) => return inside,
            PositionUnit::Byte => left,
            PositionUnit::Char => rest.char_indices().nth(left).map_or(rest.len(), |(byte, _)| byte),
            PositionUnit::Utf16 => {
                let mut units = 0;
                let found = rest.char_indices().find(|(_, char)| {
                    let is_found = units >= left;
                    units += if is_found { 0 } else { char.len_utf16() };
                    is_found
                });
                if units != left {
                    return inside;
                }
                found.map_or(rest.len(), |(byte, _)| byte)
            }
            PositionUnit::Line => (0..left).fold(0, |byte, _| line_end(rest, byte)),
        };
        Ok(near.after(&rest.as_bytes()[..bytes]))
    }

    /// Replaces the text with `after`, and counts only what changed.
    ///
    /// `edits` should turn the current text into `after`, like the edits of [`Applied::delta`](crate::Applied::delta). They
    /// are checked. If they lead to another text, everything between the first and the last difference is counted again.
    pub fn edit(&mut self, after: impl Into<Cow<'t, str>>, edits: &[TextEdit]) {
        let after = after.into();
        let mut points = Points::new(&after);
        let (mut left, mut shift) = (&self.points[..], Position { line: 0, ..Position::START });
        let moved = |point: &Position, shift| point.zip(shift, usize::wrapping_add);
        for change in all_changes(&self.text, &after, edits) {
            let (kept, rest) = left.split_at(left.partition_point(|point| point.byte <= change.old.start));
            kept.iter().for_each(|point| points.push(moved(point, shift)));
            left = &rest[rest.partition_point(|point| point.byte < change.old.end)..];
            let zero = Position { line: 0, ..Position::START };
            let old = zero.after(&self.text.as_bytes()[change.old]);
            let new = zero.after(&after.as_bytes()[change.new]);
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
    points: Vec<Position>,
}

impl<'t> Points<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, points: vec![Position::START] }
    }

    fn last(&self) -> Position {
        self.points[self.points.len() - 1]
    }

    /// Adds points up to a byte, and a point at this byte.
    fn fill(&mut self, byte: usize) {
        while byte > self.last().byte {
            let from = self.last();
            let to = if byte - from.byte > 2 * STEP {
                floor_char_boundary(self.text, from.byte + STEP)
            } else {
                byte
            };
            self.points.push(from.after(&self.text.as_bytes()[from.byte..to]));
        }
    }

    /// Adds a point whose counts are known, and the points before it that the map needs.
    fn push(&mut self, point: Position) {
        while point.byte - self.last().byte > 2 * STEP {
            self.fill(floor_char_boundary(self.text, self.last().byte + STEP));
        }
        if let [.., before, last] = self.points[..] {
            if point.byte - before.byte <= STEP && last.byte > before.byte {
                self.points.pop();
            }
        }
        if point.byte > self.last().byte {
            self.points.push(point);
        }
    }
}

/// Error returned if a text has no position with an offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PositionError {
    /// The offset is after the end of the text, or a line before the first one.
    OutOfText {
        /// Unit of the call.
        unit: PositionUnit,
        /// Number that the caller passed.
        offset: usize,
        /// The largest offset of the text.
        end: usize,
    },
    /// The offset is between two bytes or two UTF-16 units of one character.
    InCharacter {
        /// Unit of the call.
        unit: PositionUnit,
        /// Number that the caller passed.
        offset: usize,
    },
}

impl PositionError {
    /// Returns the stable error code.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::OutOfText { .. } => "POSITION_OUT_OF_TEXT",
            Self::InCharacter { .. } => "POSITION_IN_CHARACTER",
        }
    }
}

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfText { unit, offset, end } => {
                let (first, unit) = (Position::START.get(*unit), unit.name());
                write!(f, "the text has no {unit} {offset}: pass {first} to {end}")
            }
            Self::InCharacter { unit, offset } => {
                let unit = unit.name();
                write!(
                    f,
                    "the {unit} {offset} is inside a character: pass the {unit} at which a character begins"
                )
            }
        }
    }
}

impl std::error::Error for PositionError {}

impl PositionUnit {
    const fn name(self) -> &'static str {
        match self {
            Self::Byte => "byte",
            Self::Char => "character",
            Self::Utf16 => "UTF-16 unit",
            Self::Line => "line",
        }
    }
}
