//! Cuts a text into chunks at positions that depend on its content. Equal texts therefore have equal chunks whatever
//! their history. An edit changes the chunks that it touches and usually few others.
//!
//! The positions of the cuts are a storage format, because hosts name chunks by their hashes. For this reason, these
//! rules never change.
//!
//! * A hash runs over the bytes with `hash = (hash << 1) + table[byte]`, in 64 bits. It depends only on the last
//!   [`WINDOW`] bytes. `table[n]` is the output of the generator splitmix64, with zero as its first state, after
//!   `n + 1` steps.
//! * A chunk begins at the end of the chunk before it. Its **mark** is the first position, at least [`LEAST`] bytes
//!   after its start, at which the hash is below [`BELOW`]. This holds for one position in 12,288 on average. If there
//!   is no such position, the mark is [`LATEST`] bytes after the start.
//! * The chunk ends with the first line that ends at or after its mark. If no line ends within [`LINE`] bytes, the
//!   chunk ends that many bytes after the mark, at the next character boundary. If the text ends earlier, the chunk
//!   ends there.
//!
//! A chunk therefore has 16 KiB on average, at least 4 KiB unless it is the last, and at most 64 KiB. A line is cut
//! only if more than 8 KiB of it follow a mark. The end of a chunk does not depend on the text after that end or on the
//! text before the start of the chunk. [`Chunks::edited`] relies on both.

#[cfg(test)]
mod tests;

use std::ops::Range;

/// Number of bytes that decide whether a position is a mark.
const WINDOW: usize = 64;

/// Minimum bytes of a chunk, except for the last one.
const LEAST: usize = 4 << 10;

/// Maximum bytes from the start of a chunk to its mark.
const LATEST: usize = 56 << 10;

/// Maximum bytes of a line after a mark before the line is cut. It is three less than 8 KiB, for the character at the
/// cut.
const LINE: usize = (8 << 10) - 3;

/// A hash below this value makes a mark. One hash in 12,288 is below it.
const BELOW: u64 = u64::MAX / 12_288;

/// The first 256 outputs of splitmix64 from the state zero.
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

/// Size limits of chunks. Tests use smaller ones, so that short texts have many chunks.
#[derive(Debug, Clone, Copy)]
struct Sizes {
    least: usize,
    latest: usize,
    line: usize,
    below: u64,
}

const SIZES: Sizes = Sizes { least: LEAST, latest: LATEST, line: LINE, below: BELOW };

/// The chunks of a text, kept as the offsets at which they end.
///
/// ```
/// use canvas_patch::{Chunks, TextEdit};
///
/// let before: String = (0..20_000).map(|n| format!("line {n}\n")).collect();
/// let chunks = Chunks::new(&before);
/// assert!(chunks.ranges().all(|chunk| before[chunk].ends_with('\n')));
///
/// let edit = TextEdit { at: 7, old: "line".into(), new: "row".into() };
/// let after = before.replacen("line 1\n", "row 1\n", 1);
/// let edited = chunks.edited(&after, [(edit.range(), edit.new.len())]);
/// assert_eq!(edited.chunks, Chunks::new(&after));
/// assert_eq!(edited.kept.iter().filter(|kept| kept.is_none()).count(), 1);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Chunks {
    /// Strictly ascending. The last is the length of the text.
    ends: Vec<usize>,
}

/// The chunks of a text after some edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditedChunks {
    /// The chunks of the text after the edits.
    pub chunks: Chunks,
    /// For each chunk, the index of the same chunk in the old text, counted from 0. `None` means that no such chunk is
    /// known, so the chunk may be new.
    pub kept: Vec<Option<usize>>,
}

impl Chunks {
    /// Maximum bytes of a chunk, which are 64 KiB.
    pub const MAX_BYTES: usize = LATEST + LINE + 3;

    /// Cuts a text into chunks. An empty text has no chunks. Takes linear time, about a nanosecond for each byte.
    pub fn new(text: &str) -> Self {
        SIZES.of(text)
    }

    /// Creates chunks from stored ends. Returns `None` if the ends are not positive and strictly ascending.
    pub fn with_ends(ends: Vec<usize>) -> Option<Self> {
        let is_first_right = ends.first().is_none_or(|first| *first > 0);
        (is_first_right && ends.is_sorted_by(|a, b| a < b)).then_some(Self { ends })
    }

    /// Returns the number of chunks.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there is no chunk, which holds only for an empty text.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the length of the text in bytes.
    pub fn text_len(&self) -> usize {
        self.begin(self.ends.len())
    }

    /// Returns the byte range of each chunk, in order.
    pub fn ranges(&self) -> impl ExactSizeIterator<Item = Range<usize>> {
        (0..self.ends.len()).map(|place| self.begin(place)..self.ends[place])
    }

    /// Returns the chunks of `text`, which results from the text of these chunks through `edits`. Each edit has the
    /// range of bytes that it replaces in the old text, and the number of bytes that replace them. Edits must be in
    /// order and must not overlap.
    ///
    /// The chunks equal [`Chunks::new`] of the new text. This reads only the chunks that an edit touches, and those
    /// that follow until one begins at the start of an old chunk. For a short edit, these are two or three chunks. If
    /// the content never makes a mark, they are the rest of the text, so the worst case is linear. Edits that cannot
    /// lead to the text are ignored, and the whole text is read.
    pub fn edited(&self, text: &str, edits: impl IntoIterator<Item = (Range<usize>, usize)>) -> EditedChunks {
        SIZES.edited(self, text, edits)
    }

    /// Returns the start of a chunk, or the end of the text for the index after the last chunk.
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
        // The next old chunk, which begins at the start of the next new one unless edits are in between.
        let (mut edits, mut old, mut shift) = (edits.into_iter().peekable(), 0, 0_isize);
        // Positions in the new text, namely the end of the last chunk and the end of the last edit's new text.
        let (mut at, mut edited_to) = (0, 0);
        loop {
            // A chunk that ends before the next edit is unchanged. The last one is an exception, because it ended with
            // the text.
            let is_kept = |old: usize, next: Option<&(Range<usize>, usize)>| {
                next.is_none_or(|(range, _)| before.ends[old] <= range.start && old + 1 < before.len())
            };
            while old < before.len() && is_kept(old, edits.peek()) {
                at = before.ends[old].wrapping_add_signed(shift);
                ends.push(at);
                kept.push(Some(old));
                old += 1;
            }
            // The chunks that edits touch, and those that follow until one begins at the start of an old chunk.
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

    /// Returns the length of the first chunk of the rest of a text.
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

    /// Returns the first mark in the first bytes of a chunk, or their end if they have no mark.
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

/// Whether edits are in order, do not overlap, and turn a text of length `before` into one of length `after`.
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
