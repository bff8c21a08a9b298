//! Cuts a text into chunks at places that its content chooses, so that equal texts have equal chunks however they came
//! about, and an edit changes the chunks that it touches.
//!
//! Where the chunks of a text end is a storage format: hosts name chunks by their hashes. So these rules never change.
//!
//! * A hash runs over the bytes: `hash = (hash << 1) + table[byte]`, in 64 bits. It depends on the last [`WINDOW`] bytes alone.
//!   `table[n]` is the output of the generator splitmix64 whose state began at zero, after `n + 1` steps.
//! * A chunk begins where the one before ends. Its **mark** is the first place, at least [`LEAST`] bytes behind its begin,
//!   at which the hash is below [`BELOW`]: one place of 12,288 on average. Without one the mark is [`LATEST`] bytes behind
//!   its begin.
//! * The chunk ends with the first line that ends at its mark or after it. Where none does within [`LINE`] bytes, it ends so
//!   many bytes after the mark, at the next character. Where the text ends before, it ends there.
//!
//! So a chunk has 16 KiB on average, at least 4 KiB unless it is the last, and at most 64 KiB; a line is cut only where
//! more than 8 KiB of it follow a mark. Where a chunk ends depends on nothing behind its end, and on nothing before its begin:
//! [`Chunks::edited`] rests on both.

#[cfg(test)]
mod tests;

use std::ops::Range;

/// Bytes that decide whether a place is a mark.
const WINDOW: usize = 64;

/// The smallest chunk but the last.
const LEAST: usize = 4 << 10;

/// A mark is no farther from the begin of its chunk.
const LATEST: usize = 56 << 10;

/// A line that goes on for more bytes behind a mark is cut. Three less than 8 KiB, for the character at the cut.
const LINE: usize = (8 << 10) - 3;

/// Hashes below this make a mark: one of 12,288.
const BELOW: u64 = u64::MAX / 12_288;

/// The outputs of splitmix64 from the state zero.
const TABLE: [u64; 256] = {
    let (mut table, mut state, mut n) = ([0; 256], 0_u64, 0);
    while n < table.len() {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        table[n] = mixed ^ (mixed >> 31);
        n += 1;
    }
    table
};

/// The sizes that chunks keep to. Tests have smaller ones, so that short texts have many chunks.
#[derive(Debug, Clone, Copy)]
struct Sizes {
    least: usize,
    latest: usize,
    line: usize,
    below: u64,
}

const SIZES: Sizes = Sizes { least: LEAST, latest: LATEST, line: LINE, below: BELOW };

/// Where the chunks of a text end.
///
/// ```
/// use canvas_patch::{Chunks, TextEdit};
///
/// let before: String = (0..20_000).map(|n| format!("line {n}\n")).collect();
/// let chunks = Chunks::of(&before);
/// assert!(chunks.ranges().all(|chunk| before[chunk].ends_with('\n')));
///
/// let edit = TextEdit { at: 7, old: "line".into(), new: "row".into() };
/// let after = before.replacen("line 1\n", "row 1\n", 1);
/// let edited = chunks.edited(&after, [(edit.range(), edit.new.len())]);
/// assert_eq!(edited.chunks, Chunks::of(&after));
/// assert_eq!(edited.kept.iter().filter(|kept| kept.is_none()).count(), 1);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Chunks {
    /// In order, apart; the last is the length of the text.
    ends: Vec<usize>,
}

/// The chunks of a text that was edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditedChunks {
    /// Where they end.
    pub chunks: Chunks,
    /// For each of them which one of the text before it is, from 0; `None` where that is not known, and its bytes may be others.
    pub kept: Vec<Option<usize>>,
}

impl Chunks {
    /// No chunk has more bytes.
    pub const MAX_BYTES: usize = LATEST + LINE + 3;

    /// The chunks of a text: none of an empty one. Linear, about a nanosecond for each byte.
    pub fn of(text: &str) -> Self {
        SIZES.of(text)
    }

    /// Chunks with these ends, as somebody has kept them; `None` where they are out of order.
    pub fn with_ends(ends: Vec<usize>) -> Option<Self> {
        let is_first_right = ends.first().is_none_or(|first| *first > 0);
        (is_first_right && ends.is_sorted_by(|a, b| a < b)).then_some(Self { ends })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True of an empty text.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The length of the text in bytes.
    pub fn text_len(&self) -> usize {
        self.begin(self.ends.len())
    }

    /// The bytes of each, in order.
    pub fn ranges(&self) -> impl ExactSizeIterator<Item = Range<usize>> {
        (0..self.ends.len()).map(|place| self.begin(place)..self.ends[place])
    }

    /// The chunks of a text that was made of the one of these by some edits: each the bytes of the text before that it replaced,
    /// and the number of bytes that stand there now. Edits are in order and do not overlap.
    ///
    /// The same as [`Chunks::of`] the text. It looks at the chunks that an edit touches, and at those that follow until one
    /// of them begins where one did before: two or three for a short edit. Where content never makes a mark that is the
    /// rest of the text, so the worst case is linear. Edits that cannot lead to the text are not used.
    pub fn edited(&self, text: &str, edits: impl IntoIterator<Item = (Range<usize>, usize)>) -> EditedChunks {
        SIZES.edited(self, text, edits)
    }

    /// Where a chunk begins; the end of the text for the one after the last.
    fn begin(&self, place: usize) -> usize {
        place.checked_sub(1).map_or(0, |before| self.ends[before])
    }
}

impl Sizes {
    fn of(self, text: &str) -> Chunks {
        let mut ends = Vec::with_capacity(text.len() / self.latest * 4 + 1);
        let mut at = 0;
        while at < text.len() {
            at += self.first(&text[at..]);
            ends.push(at);
        }
        Chunks { ends }
    }

    fn edited(
        self,
        before: &Chunks,
        text: &str,
        edits: impl IntoIterator<Item = (Range<usize>, usize)>,
    ) -> EditedChunks {
        let edits: Vec<_> = edits.into_iter().collect();
        if !lead_to(before.text_len(), text.len(), &edits) {
            let chunks = self.of(text);
            return EditedChunks { kept: vec![None; chunks.len()], chunks };
        }
        let (mut ends, mut kept) =
            (Vec::with_capacity(before.len() + 2), Vec::with_capacity(before.len() + 2));
        // The next chunk of before, which begins where the next one does now unless edits are in between.
        let (mut edits, mut old, mut shift) = (edits.into_iter().peekable(), 0, 0_isize);
        // Places of the text now: where the last chunk ends, and where what the last edit put there does.
        let (mut at, mut edited_to) = (0, 0);
        loop {
            // A chunk that ends before the next edit is as it was. The last one ended where the text did.
            let is_kept = |old: usize, next: Option<&(Range<usize>, usize)>| {
                next.is_none_or(|(range, _)| before.ends[old] <= range.start && old + 1 < before.len())
            };
            while old < before.len() && is_kept(old, edits.peek()) {
                at = before.ends[old].wrapping_add_signed(shift);
                ends.push(at);
                kept.push(Some(old));
                old += 1;
            }
            // Those that edits touch, and what follows until one begins where one did.
            loop {
                if at == text.len() {
                    return EditedChunks { chunks: Chunks { ends }, kept };
                }
                at += self.first(&text[at..]);
                ends.push(at);
                kept.push(None);
                while let Some((range, new)) =
                    edits.next_if(|(range, _)| range.start.wrapping_add_signed(shift) < at)
                {
                    edited_to = range.start.wrapping_add_signed(shift) + new;
                    shift += new as isize - range.len() as isize;
                }
                if edited_to > at {
                    continue;
                }
                let was = at.wrapping_add_signed(-shift);
                while old < before.len() && before.begin(old) < was {
                    old += 1;
                }
                if old < before.len() && before.begin(old) == was {
                    break;
                }
            }
        }
    }

    /// The length of the first chunk of what is left of a text.
    fn first(self, rest: &str) -> usize {
        let bytes = rest.as_bytes();
        if bytes.len() <= self.least {
            return bytes.len();
        }
        let mark = self.mark(&bytes[..bytes.len().min(self.latest)]);
        let reach = bytes.len().min(mark + self.line);
        // A line may end right at the mark.
        match memchr::memchr(b'\n', &bytes[mark - 1..reach]) {
            Some(line_end) => mark + line_end,
            None => (reach..bytes.len()).find(|at| rest.is_char_boundary(*at)).unwrap_or(bytes.len()),
        }
    }

    /// The first mark of a chunk, or else the end of these bytes.
    fn mark(self, bytes: &[u8]) -> usize {
        let step = |hash: u64, byte: &u8| (hash << 1).wrapping_add(TABLE[usize::from(*byte)]);
        let (window, rest) = bytes[self.least - WINDOW..].split_at(WINDOW);
        let mut hash = window.iter().fold(0, step);
        for (mark, byte) in (self.least..).zip(rest) {
            if hash < self.below {
                return mark;
            }
            hash = step(hash, byte);
        }
        bytes.len()
    }
}

/// Whether edits are in order, apart, and make a text of one length of a text of another.
fn lead_to(before: usize, after: usize, edits: &[(Range<usize>, usize)]) -> bool {
    let (mut at, mut len) = (0, Some(before));
    for (range, new) in edits {
        if range.start < at || range.end < range.start || range.end > before {
            return false;
        }
        at = range.end;
        len = len.and_then(|len| (len - range.len()).checked_add(*new));
    }
    len == Some(after)
}
