//! A long document as canvases keep it: a list of chunks, in place of its text.
//!
//! * A text of up to 64 KiB is one blob. The blob of a longer document is the list of its chunks ([`Chunks`]), each of which
//!   is a blob too, and the hash of the list is the document's id. Equal texts have equal lists.
//! * A list is the eight bytes `FF 63 68 75 6E 6B 73 01` (`chunks` behind a byte that no UTF-8 has, and the number of this
//!   format), the length of the text in eight bytes, and for each chunk its length in four bytes and the 32 of its id; numbers
//!   have their highest byte first. No text and no JSON begins like that.
//! * A document of before has one blob, however long it is. It is read as it is, and the first edit makes chunks. Undo leads
//!   back to the very blob that was there.
//!
//! # What a commit puts
//!
//! The list, and the chunks that the document of the head before does not have ([`ChunkList::new_since`]). The others are there
//! and stay, whoever collects meanwhile: a collection drops by the head of one version, and keeps what that needs
//! ([`Store::collect`](crate::store::Store::collect)).
//!
//! * One at the version that the commit expects keeps the chunks of that head's document.
//! * One at an earlier version ended before that head was committed, or finds another version and drops nothing, or, where
//!   it removes objects late, removes none that was put since. The commit of that head put all that the head before it did
//!   not have.
//! * One at a later version keeps what this commit's head needs.
//!
//! So chunks that only an older text has, of which the journal may know, are put again: an undo does.

use std::collections::BTreeSet;
use std::ops::Range;

use canvas_patch::{Chunks, EditedChunks, TextEdit};

use crate::model::blob_id::BlobId;

/// What a list begins with: the last byte is the number of its format.
const BEGIN: [u8; 8] = *b"\xffchunks\x01";
const HEADER: usize = BEGIN.len() + size_of::<u64>();
const ENTRY: usize = size_of::<u32>() + 32;

/// The chunks of a text, with their ids.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ChunkList {
    /// The hash of its bytes.
    id: BlobId,
    chunks: Chunks,
    ids: Vec<BlobId>,
}

impl ChunkList {
    /// The list of a text.
    pub(crate) fn of(text: &str) -> Self {
        let chunks = Chunks::of(text);
        let ids = chunks.ranges().map(|range| BlobId::of(text[range].as_bytes())).collect();
        Self::new(chunks, ids)
    }

    /// The list of a text that was made of the one of this list, `before`. Where the edits are not known, the two are
    /// compared. What the edits do not touch is not hashed again.
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

    /// Whether bytes begin as a list does, of this format or another.
    pub(crate) fn is_list(bytes: &[u8]) -> bool {
        bytes.starts_with(&BEGIN[..BEGIN.len() - 1])
    }

    /// Reads the list with this id; `None` where it is none that this library writes.
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

    /// What is stored of it.
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

    /// The id of the document.
    pub(crate) fn id(&self) -> BlobId {
        self.id
    }

    /// The length of the text.
    pub(crate) fn text_len(&self) -> usize {
        self.chunks.text_len()
    }

    /// The ids of the chunks, in order; one that the text has twice comes twice.
    pub(crate) fn ids(&self) -> &[BlobId] {
        &self.ids
    }

    /// The chunks in order: where each lies in the text, and its id.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (Range<usize>, BlobId)> {
        self.chunks.ranges().zip(self.ids.iter().copied())
    }

    /// The chunks that another list does not have; one that the text has twice comes twice.
    pub(crate) fn new_since(&self, other: Option<&Self>) -> impl Iterator<Item = (Range<usize>, BlobId)> {
        let other = other.map_or(&[][..], |other| &other.ids);
        // After an edit most are the same at the begin, and at the end.
        let begin = self.ids.iter().zip(other).take_while(|(id, there)| id == there).count();
        let (ids, other) = (&self.ids[begin..], &other[begin..]);
        let end = ids.iter().rev().zip(other.iter().rev()).take_while(|(id, there)| id == there).count();
        let there: BTreeSet<_> = other[..other.len() - end].iter().collect();
        let between = self.entries().skip(begin).take(ids.len() - end);
        between.filter(move |(_, id)| !there.contains(id))
    }

    /// Roughly what it takes in memory.
    pub(crate) fn approximate_bytes(&self) -> usize {
        size_of::<Self>() + self.ids.len() * (size_of::<usize>() + size_of::<BlobId>())
    }
}

/// The one edit that leads from a text to another: all but their common beginning and end.
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

/// How far two sides are the same, up to `most`. Most of it is compared block by block, at the speed of memory.
fn common(most: usize, same: impl Fn(Range<usize>) -> bool) -> usize {
    let mut at = 0;
    for block in [4_096, 64, 1] {
        while at + block <= most && same(at..at + block) {
            at += block;
        }
    }
    at
}
