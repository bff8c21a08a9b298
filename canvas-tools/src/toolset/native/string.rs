//! Replaces text inside lines. Every occurrence counts, even overlapping ones, and line terminators are adapted to the
//! text.

use std::borrow::Cow;
use std::fmt;

use memchr::memmem::{self, Finder};
use memchr::{memchr, memchr_iter};

use canvas_core::text::{Conflict, Delta, Limits, Reason, Repair, RepairKind, TextEdit};

use super::outcome::NativeConflict;

/// The reason why text could not be replaced.
#[derive(Debug)]
pub(super) enum Miss {
    /// The text to replace is empty.
    Empty,
    /// The old and the new text are equal.
    Equal,
    NotFound(Box<NativeConflict>),
    /// The old text occurs at several places, which may overlap. The conflict has the lines of the first ones, counted
    /// from 1.
    Several {
        count: Count,
        conflict: Box<NativeConflict>,
    },
}

impl Miss {
    pub(super) fn conflict(&self) -> NativeConflict {
        match self {
            Self::Empty => NativeConflict::of_patch(0, Reason::NoAnchor),
            Self::Equal => NativeConflict::of_patch(0, Reason::NoEffect),
            Self::NotFound(conflict) | Self::Several { conflict, .. } => (**conflict).clone(),
        }
    }
}

/// Number of occurrences. Counting may stop once it exceeds `Conflict::CANDIDATES`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Count(usize);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 > Conflict::CANDIDATES {
            return write!(f, "more than {}", Conflict::CANDIDATES);
        }
        write!(f, "{}", self.0)
    }
}

/// A replacement as an edit, with its repairs and places.
#[derive(Debug)]
pub(super) struct Replaced {
    pub(super) delta: Delta,
    pub(super) repairs: Vec<Repair>,
    /// The offset of each replaced occurrence.
    pub(super) places: Vec<usize>,
}

/// Replaces `old`, which must occur exactly once. If `all` is set, it must occur at least once without overlapping
/// itself. An LF matches the terminator that the text has there.
///
/// Takes time linear in the text and both strings.
pub(super) fn replace(
    text: &str,
    old: &str,
    new: &str,
    all: bool,
    limits: &Limits,
) -> Result<Replaced, Miss> {
    if old.is_empty() {
        return Err(Miss::Empty);
    }
    let plain = Unified::of(text);
    let (needle, value) = (without_cr(old), without_cr(new));
    if needle == value {
        return Err(Miss::Equal);
    }
    let mut needle = &*needle;
    let mut value = &*value;
    let mut hits = hits(&plain.text, needle, all);
    let mut ends_open = false;
    // The last line may lack a terminator, which is adapted like the terminators of the other lines.
    if let (true, Some(open)) = (hits.at.is_empty(), needle.strip_suffix('\n'))
        && !open.is_empty()
        && !open.ends_with('\n')
        && plain.text.ends_with(open)
    {
        (needle, value) = (open, value.strip_suffix('\n').unwrap_or(value));
        hits.at.push(plain.text.len() - open.len());
        (hits.count, ends_open) = (1, true);
    }
    match hits.count {
        0 => {
            let conflict = NativeConflict::missing_text(&plain.text, needle, limits);
            return Err(Miss::NotFound(Box::new(conflict)));
        }
        1 => {}
        _ if all && !hits.overlap => {}
        count => {
            let candidates = lines_of(&plain.text, &hits.at);
            let conflict = NativeConflict { candidates, ..NativeConflict::of_patch(1, Reason::Ambiguous) };
            return Err(Miss::Several { count: Count(count), conflict: Box::new(conflict) });
        }
    }
    if needle == value {
        return Err(Miss::Equal);
    }
    let change = Delta::between(needle, value);
    let mut edits: Vec<TextEdit> = Vec::new();
    let mut adapted = false;
    let mut terminators = Terminators::of(text);
    for &hit in &hits.at {
        let whole = plain.original(hit)..plain.original(hit + needle.len());
        adapted |= !ends_open && text[whole] != *old;
        for one in change.edits() {
            let (start, end) = (plain.original(hit + one.at), plain.original(hit + one.range().end));
            let inserted = terminators.written(end, &one.new);
            adapted |= one.new.contains('\n') && inserted.contains("\r\n") != new.contains("\r\n");
            push(&mut edits, TextEdit { at: start, old: text[start..end].into(), new: inserted.into() });
        }
    }
    edits.retain(|one| one.old != one.new);
    let Ok(delta) = Delta::try_from(edits) else { return Err(Miss::Equal) };
    if delta.is_empty() {
        return Err(Miss::Equal);
    }
    let mut repairs = Vec::new();
    if adapted {
        repairs.push(Repair { hunk: 1, kind: RepairKind::EolAdapted });
    }
    if ends_open {
        repairs.push(Repair { hunk: 1, kind: RepairKind::EofMarkerIgnored });
    }
    Ok(Replaced { delta, repairs, places: hits.at.iter().map(|&hit| plain.original(hit)).collect() })
}

/// Adds an edit, joining it with the previous one if they touch.
fn push(edits: &mut Vec<TextEdit>, one: TextEdit) {
    match edits.last_mut() {
        Some(last) if last.range().end == one.at => {
            last.old.push_str(&one.old);
            last.new.push_str(&one.new);
        }
        _ => edits.push(one),
    }
}

#[derive(Debug, Default)]
struct Hits {
    /// The hits, or the first of them if there are too many.
    at: Vec<usize>,
    count: usize,
    overlap: bool,
}

fn hits(text: &str, needle: &str, all: bool) -> Hits {
    let mut hits = Hits::default();
    let (text, finder) = (text.as_bytes(), Finder::new(needle));
    if all {
        // Two overlapping hits begin less than a needle's length apart.
        for at in finder.find_iter(text) {
            let end = (at + 2 * needle.len() - 1).min(text.len());
            hits.overlap |= finder.find(&text[at + 1..end]).is_some();
            hits.at.push(at);
        }
        hits.count = hits.at.len() + usize::from(hits.overlap);
        return hits;
    }
    let mut from = 0;
    while let Some(gap) = finder.find(&text[from..]) {
        let at = from + gap;
        hits.count += 1;
        if hits.at.len() == Conflict::CANDIDATES {
            break;
        }
        hits.at.push(at);
        from = at + 1;
    }
    hits
}

/// Returns the lines of ordered offsets, counted from 1, without duplicates.
fn lines_of(text: &str, places: &[usize]) -> Vec<usize> {
    let (mut line, mut from) = (1, 0);
    let mut lines: Vec<usize> = Vec::new();
    for &place in places.iter().take(Conflict::CANDIDATES) {
        line += memchr_iter(b'\n', &text.as_bytes()[from..place]).count();
        from = place;
        lines.push(line);
    }
    lines.dedup();
    lines
}

/// A text with LF for every CRLF, and a mapping back to offsets of the original text.
struct Unified<'t> {
    text: Cow<'t, str>,
    /// The offsets of LFs that lost their CR.
    shortened: Vec<usize>,
}

impl<'t> Unified<'t> {
    fn of(text: &'t str) -> Self {
        let Some(first) = memchr(b'\r', text.as_bytes()) else {
            return Self { text: text.into(), shortened: Vec::new() };
        };
        let crlf = memmem::find_iter(&text.as_bytes()[first..], "\r\n");
        let shortened = crlf.enumerate().map(|(count, at)| first + at - count).collect();
        Self { text: without_cr(text), shortened }
    }

    /// Returns the offset in the original text. The offset of an LF becomes that of its CR.
    fn original(&self, at: usize) -> usize {
        at + self.shortened.partition_point(|&lf| lf < at)
    }
}

/// Looks up the line terminators at ascending offsets of a text.
struct Terminators<'t> {
    text: &'t str,
    /// The offset up to which the text has been read.
    from: usize,
    /// The last newline read, or else the first newline of the text.
    newline: Option<usize>,
}

impl<'t> Terminators<'t> {
    fn of(text: &'t str) -> Self {
        Self { text, from: 0, newline: text.find('\n') }
    }

    /// Returns new text with the terminator of the line above the offset, or else of the line at the offset.
    fn written<'n>(&mut self, at: usize, new: &'n str) -> Cow<'n, str> {
        if let Some(gap) = self.text[self.from..at].rfind('\n') {
            self.newline = Some(self.from + gap);
        }
        self.from = at;
        let is_crlf = self.newline.is_some_and(|newline| self.text[..newline].ends_with('\r'));
        if is_crlf { new.replace('\n', "\r\n").into() } else { new.into() }
    }
}

/// Replaces every CRLF with LF.
pub(super) fn without_cr(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") { text.replace("\r\n", "\n").into() } else { text.into() }
}
