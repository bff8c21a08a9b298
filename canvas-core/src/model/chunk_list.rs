//! The stored form of a long document, which is a list of chunks in place of its text.
//!
//! * A text of up to 64 KiB is one blob. The blob of a longer document is the list of its chunks ([`Chunks`]), each of
//!   which is a blob too. The hash of the list is the document's id. Equal texts have equal lists.
//! * A list begins with the eight bytes `FF 63 68 75 6E 6B 73 01`: a byte that never occurs in UTF-8, `chunks`, and the
//!   number of this format. The length of the text follows in eight bytes, and for each chunk its length in four bytes
//!   and its id in 32. Numbers are big-endian. No text or JSON begins like this.
//! * A document from version 0.1.0 has one blob, however long it is. It is read in that form, and the first edit makes
//!   chunks. Undo leads back to the original blob.
//!
//! # What a commit puts
//!
//! A commit puts the list, and the chunks that the document of the previous head lacks ([`ChunkList::new_since`]). The
//! other chunks exist and remain, even if a collection runs at the same time. A collection works from the head of one
//! version, and keeps the blobs that this head needs ([`Store::collect`](crate::store::Store::collect)):
//!
//! * A collection at the version that the commit expects keeps the chunks of that head's document.
//! * A collection at an earlier version has three possible outcomes. It ended before the expected head was committed,
//!   or it finds another version and leaves all blobs, or, if it removes objects late, it spares all objects put since.
//!   The commit of the expected head put every chunk that its predecessor lacked.
//! * A collection at a later version keeps the blobs that this commit's head needs.
//!
//! Chunks that only an older text has are therefore put again, for example by an undo, even if the journal names that
//! text.

use std::collections::BTreeSet;
use std::ops::Range;

use canvas_patch::{Chunks, EditedChunks, TextEdit};

use crate::model::blob_id::BlobId;

/// The first bytes of a list, the last of which is the number of its format.
const BEGIN: [u8; 8] = *b"\xffchunks\x01";
const HEADER: usize = BEGIN.len() + size_of::<u64>();
const ENTRY: usize = size_of::<u32>() + 32;

/// The chunks of a text, with their ids.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ChunkList {
    /// The hash of the list's bytes.
    id: BlobId,
    chunks: Chunks,
    ids: Vec<BlobId>,
}

impl ChunkList {
    /// Creates the list of a text.
    pub(crate) fn of(text: &str) -> Self {
        let chunks = Chunks::new(text);
        let ids = chunks.ranges().map(|range| BlobId::of(text[range].as_bytes())).collect();
        Self::new(chunks, ids)
    }

    /// Creates the list of a text made from this list's text, `before`. If `edits` is empty, the two texts are
    /// compared. Chunks that the edits do not touch are not hashed again.
    pub(crate) fn after(&self, before: &str, text: &str, edits: &[TextEdit]) -> Self {
        let EditedChunks { chunks, kept } = match edits {
            [] => self.chunks.edited(text, difference(before, text)),
            edits => self.chunks.edited(text, edits.iter().map(|edit| (edit.range(), edit.new.len()))),
        };
        let ranges = chunks.ranges().zip(kept);
        let ids = ranges.map(|(range, kept)| match kept {
            Some(old) => self.ids[old],
            None => BlobId::of(text[range].as_bytes()),
        });
        let ids = ids.collect();
        let list = Self::new(chunks, ids);
        debug_assert!(
            list.entries().all(|(range, id)| id == BlobId::of(text[range].as_bytes())),
            "other edits"
        );
        list
    }

    fn new(chunks: Chunks, ids: Vec<BlobId>) -> Self {
        let mut list = Self { id: BlobId::of(&[]), chunks, ids };
        list.id = BlobId::of(&list.to_bytes());
        list
    }

    /// Whether bytes begin like a list of this or another format.
    pub(crate) fn is_list(bytes: &[u8]) -> bool {
        bytes.starts_with(&BEGIN[..BEGIN.len() - 1])
    }

    /// Reads the list with this id. Returns `None` if this library would not write such a list.
    pub(crate) fn read(id: BlobId, bytes: &[u8]) -> Option<Self> {
        let (header, entries) = bytes.split_at_checked(HEADER)?;
        let total = u64::from_be_bytes(header.strip_prefix(&BEGIN)?.try_into().ok()?);
        let (entries, []) = entries.as_chunks::<ENTRY>() else { return None };
        let (mut ends, mut ids, mut end) = (Vec::with_capacity(entries.len()), Vec::new(), 0_usize);
        for entry in entries {
            let (len, id) = entry.split_first_chunk()?;
            let len = usize::try_from(u32::from_be_bytes(*len)).ok()?;
            end = end.checked_add(len).filter(|_| len <= Chunks::MAX_BYTES)?;
            ends.push(end);
            ids.push(BlobId::from_bytes(id.try_into().ok()?));
        }
        let is_whole = u64::try_from(end).is_ok_and(|end| end == total) && end > 0;
        Some(Self { id, chunks: Chunks::with_ends(ends).filter(|_| is_whole)?, ids })
    }

    /// Encodes the list for storage.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER + ENTRY * self.ids.len());
        bytes.extend_from_slice(&BEGIN);
        bytes.extend_from_slice(&(self.text_len() as u64).to_be_bytes());
        for (range, id) in self.chunks.ranges().zip(&self.ids) {
            let len = u32::try_from(range.len()).expect("a chunk has at most 64 KiB");
            bytes.extend_from_slice(&len.to_be_bytes());
            bytes.extend_from_slice(id.as_bytes());
        }
        bytes
    }

    /// Returns the id of the document.
    pub(crate) fn id(&self) -> BlobId {
        self.id
    }

    /// Returns the length of the text in bytes.
    pub(crate) fn text_len(&self) -> usize {
        self.chunks.text_len()
    }

    /// Returns the ids of the chunks, in order. A chunk that occurs twice in the text is listed twice.
    pub(crate) fn ids(&self) -> &[BlobId] {
        &self.ids
    }

    /// Returns the chunks in order, with the byte range and the id of each.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (Range<usize>, BlobId)> {
        self.chunks.ranges().zip(self.ids.iter().copied())
    }

    /// Returns the chunks that another list lacks. A chunk that occurs twice in the text is listed twice.
    pub(crate) fn new_since(&self, other: Option<&Self>) -> impl Iterator<Item = (Range<usize>, BlobId)> {
        let other = other.map_or(&[][..], |other| &other.ids);
        // After an edit, most chunks at the beginning and at the end are the same.
        let begin = self.ids.iter().zip(other).take_while(|(id, there)| id == there).count();
        let (ids, other) = (&self.ids[begin..], &other[begin..]);
        let end = ids.iter().rev().zip(other.iter().rev()).take_while(|(id, there)| id == there).count();
        let there: BTreeSet<_> = other[..other.len() - end].iter().collect();
        let between = self.entries().skip(begin).take(ids.len() - end);
        between.filter(move |(_, id)| !there.contains(id))
    }

    /// Returns the approximate size in memory.
    pub(crate) fn approximate_bytes(&self) -> usize {
        size_of::<Self>() + self.ids.len() * (size_of::<usize>() + size_of::<BlobId>())
    }
}

/// Returns the single edit from one text to another, which replaces all but their common beginning and end.
fn difference(before: &str, after: &str) -> Option<(Range<usize>, usize)> {
    let (before, after) = (before.as_bytes(), after.as_bytes());
    let most = before.len().min(after.len());
    let start = common(most, |range| before[range.clone()] == after[range]);
    let end = common(most - start, |range| {
        before[before.len() - range.end..before.len() - range.start]
            == after[after.len() - range.end..after.len() - range.start]
    });
    let range = start..before.len() - end;
    (start < before.len() || start < after.len()).then(|| (range, after.len() - end - start))
}

/// Returns the length up to which two sides are the same, at most `most`. Most of it is compared block by block, at
/// memory speed.
fn common(most: usize, same: impl Fn(Range<usize>) -> bool) -> usize {
    let mut at = 0;
    for block in [4_096, 64, 1] {
        while at + block <= most && same(at..at + block) {
            at += block;
        }
    }
    at
}
