//! Locates the hunks of a patch while a model is still writing it.
//!
//! A preview is not stored and is not a promise. It only searches the current text for the lines of each hunk. Line
//! numbers in hunk headers, line terminators and scopes are considered only by the call itself.

use std::collections::HashMap;

use canvas_core::text::{Conflict, find_lines};
use serde::Serialize;

/// Reads a patch as its bytes arrive, and locates each hunk once it is complete.
///
/// A hunk is complete when the next one begins or the patch ends. The events do not depend on how the bytes are split,
/// even if a split falls inside an escape or a character. Each byte is visited once, and the text's lines are hashed
/// once.
///
/// ```
/// use canvas_tools::{HunkState, PatchPreview};
///
/// let text = "# Plan\n\n- milk\n- eggs\n";
/// let mut preview = PatchPreview::of_arguments(text, "patch");
/// assert!(preview.push(br#"{"lease_id": "lease-1-0", "patch": "@@\n-- mi"#).is_empty());
/// let events = preview.push(br#"lk\n+- bread\n@@\n-- tea\n"}"#);
/// assert_eq!(events[0].state, HunkState::Located { start_line: 3, end_line: 3 });
/// assert_eq!(events[1].state, HunkState::Missing);
/// ```
#[derive(Debug, Clone)]
pub struct PatchPreview<'t> {
    text: &'t str,
    /// Line numbers of the text, counted from 0, by line content.
    index: HashMap<&'t str, Vec<usize>>,
    lines: Vec<&'t str>,
    decoder: Option<Decoder>,
    /// The line of the patch that has not ended yet.
    line: Vec<u8>,
    hunk: Option<Hunk>,
    hunks: usize,
}

/// The location and size of a hunk whose lines have all arrived.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HunkPreview {
    /// Number of the hunk within the patch, counted from 1.
    pub hunk: usize,
    /// Number of lines that it adds.
    pub added: usize,
    /// Number of lines that it removes.
    pub removed: usize,
    /// The location of its unchanged and removed lines.
    #[serde(flatten)]
    pub state: HunkState,
}

/// The location of a hunk's unchanged and removed lines in the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum HunkState {
    /// The lines occur at exactly one place.
    Located {
        /// The first of these lines, counted from 1.
        start_line: usize,
        /// The last of these lines, counted from 1.
        end_line: usize,
    },
    /// The lines occur at several places.
    Ambiguous {
        /// First line of each place, counted from 1, in order. At most [`Conflict::CANDIDATES`].
        candidates: Vec<usize>,
    },
    /// The lines do not occur, or the hunk does not quote any.
    Missing,
}

#[derive(Debug, Clone, Default)]
struct Hunk {
    old: Vec<String>,
    /// Blank lines that count as context if another line follows.
    blanks: usize,
    added: usize,
    removed: usize,
}

impl<'t> PatchPreview<'t> {
    /// Creates a preview that reads the raw JSON of a call's arguments. The patch is the string member named
    /// `argument`.
    pub fn of_arguments(text: &'t str, argument: &str) -> Self {
        Self { decoder: Some(Decoder::new(argument)), ..Self::of_diff(text) }
    }

    /// Creates a preview that reads a plain diff, for example a hosted tool's.
    pub fn of_diff(text: &'t str) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let mut index: HashMap<&str, Vec<usize>> = HashMap::with_capacity(lines.len());
        for (number, line) in lines.iter().enumerate() {
            index.entry(line).or_default().push(number);
        }
        Self { text, index, lines, decoder: None, line: Vec::new(), hunk: None, hunks: 0 }
    }

    /// Takes the next bytes and returns the hunks that they complete, in order.
    pub fn push(&mut self, piece: &[u8]) -> Vec<HunkPreview> {
        let mut events = Vec::new();
        let Some(mut decoder) = self.decoder.take() else {
            piece.iter().for_each(|&byte| self.take(byte, &mut events));
            return events;
        };
        for &byte in piece {
            let (mut decoded, ended) = ([0; 4], decoder.is_inside());
            let count = decoder.take(byte, &mut decoded);
            decoded[..count].iter().for_each(|&byte| self.take(byte, &mut events));
            if ended && !decoder.is_inside() {
                self.end(&mut events);
            }
        }
        self.decoder = Some(decoder);
        events
    }

    /// Ends the input and returns the last hunk of a plain diff. The patch in a call's arguments ends with its string
    /// instead.
    pub fn finish(mut self) -> Vec<HunkPreview> {
        let mut events = Vec::new();
        if self.decoder.is_none() {
            self.end(&mut events);
        }
        events
    }

    fn take(&mut self, byte: u8, events: &mut Vec<HunkPreview>) {
        if byte == b'\n' {
            self.end_line(events);
        } else {
            self.line.push(byte);
        }
    }

    fn end(&mut self, events: &mut Vec<HunkPreview>) {
        if !self.line.is_empty() {
            self.end_line(events);
        }
        self.close(events);
    }

    fn end_line(&mut self, events: &mut Vec<HunkPreview>) {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let line = line.strip_suffix('\r').unwrap_or(&line);
        if line.starts_with("@@") {
            self.close(events);
            self.hunk = Some(Hunk::default());
            return;
        }
        let Some(hunk) = &mut self.hunk else { return };
        match line.as_bytes().first() {
            Some(b' ') => hunk.quote(&line[1..]),
            Some(b'-') => {
                hunk.quote(&line[1..]);
                hunk.removed += 1;
            }
            Some(b'+') => {
                hunk.quote_blanks();
                hunk.added += 1;
            }
            Some(b'\\') => {}
            None => hunk.blanks += 1,
            // The hunk ends before any other kind of line.
            Some(_) => self.close(events),
        }
    }

    fn close(&mut self, events: &mut Vec<HunkPreview>) {
        let Some(Hunk { old, added, removed, .. }) = self.hunk.take() else { return };
        self.hunks += 1;
        let old: Vec<&str> = old.iter().map(String::as_str).collect();
        events.push(HunkPreview { hunk: self.hunks, added, removed, state: self.locate(&old) });
    }

    fn locate(&self, old: &[&str]) -> HunkState {
        const MOST: usize = Conflict::CANDIDATES;
        // The hunk's rarest line in the text determines the candidate places.
        let rarest = (0..old.len()).map(|at| (self.index.get(old[at]).map_or(&[][..], Vec::as_slice), at));
        let Some((places, at)) = rarest.min_by_key(|(places, _)| places.len()) else {
            return HunkState::Missing;
        };
        let starts: Vec<usize> = if places.len().saturating_mul(old.len()) > 4 * self.lines.len() + 64 {
            find_lines(self.text, &[old.to_vec()], MOST).pop().unwrap_or_default()
        } else {
            let starts = places.iter().filter_map(|place| place.checked_sub(at));
            let is_there = |start: &usize| self.lines.get(*start..start + old.len()) == Some(old);
            starts.filter(is_there).take(MOST).collect()
        };
        match starts[..] {
            [] => HunkState::Missing,
            [start] => HunkState::Located { start_line: start + 1, end_line: start + old.len() },
            _ => HunkState::Ambiguous { candidates: starts.into_iter().map(|start| start + 1).collect() },
        }
    }
}

impl Hunk {
    fn quote(&mut self, line: &str) {
        self.quote_blanks();
        self.old.push(line.to_owned());
    }

    fn quote_blanks(&mut self) {
        self.old.extend(std::iter::repeat_n(String::new(), std::mem::take(&mut self.blanks)));
    }
}

/// Decodes one string of a JSON object whose bytes arrive one by one.
#[derive(Debug, Clone)]
struct Decoder {
    argument: Vec<u8>,
    /// Number of objects and arrays around the current byte.
    depth: usize,
    at: At,
    /// The last string of the outermost object that may have been a key, decoded.
    key: Vec<u8>,
    /// Whether the next string of the outermost object is a value.
    is_value: bool,
    /// The first half of a UTF-16 surrogate pair.
    high: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    Outside,
    /// Inside a string, either the wanted one or another.
    String(Which),
    /// After a backslash in that string.
    Escape(Which),
    /// After `\u` in that string: the number of digits so far and their value.
    Unicode(Which, u8, u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    Wanted,
    Key,
    Other,
}

impl Decoder {
    fn new(argument: &str) -> Self {
        let argument = argument.as_bytes().to_vec();
        Self { argument, depth: 0, at: At::Outside, key: Vec::new(), is_value: false, high: None }
    }

    /// Whether the last byte belongs to the wanted string.
    const fn is_inside(&self) -> bool {
        matches!(
            self.at,
            At::String(Which::Wanted) | At::Escape(Which::Wanted) | At::Unicode(Which::Wanted, ..)
        )
    }

    /// Takes a byte and returns the number of decoded bytes of the wanted string that it yields.
    fn take(&mut self, byte: u8, out: &mut [u8; 4]) -> usize {
        match self.at {
            At::Outside => {
                self.outside(byte);
                0
            }
            At::String(which) => match byte {
                b'"' => {
                    self.at = At::Outside;
                    let lone = if which == Which::Wanted { self.high.take() } else { None };
                    lone.map_or(0, |_| encode(char::REPLACEMENT_CHARACTER, out))
                }
                b'\\' => {
                    self.at = At::Escape(which);
                    0
                }
                _ => self.give(which, byte, out),
            },
            At::Escape(which) => {
                self.at = if byte == b'u' { At::Unicode(which, 0, 0) } else { At::String(which) };
                match byte {
                    b'u' => 0,
                    b'n' => self.give(which, b'\n', out),
                    b't' => self.give(which, b'\t', out),
                    b'r' => self.give(which, b'\r', out),
                    b'b' => self.give(which, 8, out),
                    b'f' => self.give(which, 12, out),
                    other => self.give(which, other, out),
                }
            }
            At::Unicode(which, digits, value) => {
                let value = value * 16 + (byte as char).to_digit(16).unwrap_or(0);
                if digits < 3 {
                    self.at = At::Unicode(which, digits + 1, value);
                    return 0;
                }
                self.at = At::String(which);
                let count = if which == Which::Other { 0 } else { self.unit(value, out) };
                if which == Which::Key {
                    self.key.extend_from_slice(&out[..count]);
                    return 0;
                }
                count
            }
        }
    }

    fn outside(&mut self, byte: u8) {
        match byte {
            b'"' => {
                let which = match (self.depth, self.is_value) {
                    (1, false) => Which::Key,
                    (1, true) if self.key == self.argument => Which::Wanted,
                    _ => Which::Other,
                };
                if which == Which::Key {
                    self.key.clear();
                }
                self.at = At::String(which);
            }
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            b':' if self.depth == 1 => self.is_value = true,
            b',' if self.depth == 1 => self.is_value = false,
            _ => {}
        }
    }

    fn give(&mut self, which: Which, byte: u8, out: &mut [u8; 4]) -> usize {
        match which {
            // A longer key cannot be the wanted one.
            Which::Key if self.key.len() <= self.argument.len() => self.key.push(byte),
            Which::Key | Which::Other => {}
            Which::Wanted => {
                // A lone high surrogate followed by another byte is dropped.
                self.high = None;
                out[0] = byte;
                return 1;
            }
        }
        0
    }

    /// Takes a UTF-16 code unit from an escape.
    fn unit(&mut self, unit: u32, out: &mut [u8; 4]) -> usize {
        match (self.high.take(), unit) {
            (Some(high), 0xdc00..=0xdfff) => {
                let point = 0x1_0000 + ((high - 0xd800) << 10) + (unit - 0xdc00);
                encode(char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER), out)
            }
            (_, 0xd800..=0xdbff) => {
                self.high = Some(unit);
                0
            }
            (_, unit) => encode(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER), out),
        }
    }
}

fn encode(c: char, out: &mut [u8; 4]) -> usize {
    c.encode_utf8(out).len()
}
