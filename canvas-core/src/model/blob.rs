//! Immutable content, named by its hash.

use std::collections::BTreeSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use canvas_patch::TextEdit;

pub use crate::model::blob_id::{BlobId, ParseBlobIdError};
use crate::model::chunk_list::ChunkList;

/// Maximum bytes of a document stored as one blob.
pub(crate) const WHOLE: usize = 64 << 10;

impl BlobId {
    /// Computes the id of a document with this text, in linear time. For a text of up to 64 KiB, this is the hash of
    /// the text, and for a longer one, the hash of its list of chunks. A document stored by version 0.1.0 has the
    /// [`BlobId::of`] its whole text, however long, until it is edited.
    pub fn of_document(text: &str) -> Self {
        if text.len() <= WHOLE { Self::of(text.as_bytes()) } else { ChunkList::of(text).id() }
    }
}

/// Whether a text is the document with this id, stored whole or in chunks.
pub(crate) fn is_document(text: &str, id: BlobId) -> bool {
    BlobId::of_document(text) == id || text.len() > WHOLE && BlobId::of(text.as_bytes()) == id
}

/// Content with its id. Clones share the bytes.
///
/// The id is the hash of the bytes. The only exception is a document of more than 64 KiB from a canvas, whose id is the
/// hash of its list of chunks. Stores keep the list and the chunks, never the whole text under that id.
#[derive(Clone)]
pub struct Blob {
    id: BlobId,
    content: Content,
}

/// The content, with text as a `String`, so that a document is never validated again.
#[derive(Clone)]
enum Content {
    Text(Arc<String>),
    /// The blob's id is the hash of the list.
    Chunked(Arc<String>, Arc<ChunkList>),
    Bytes(Arc<Vec<u8>>),
}

impl Blob {
    /// Creates a blob of text.
    pub fn text(text: String) -> Self {
        let id = BlobId::of(text.as_bytes());
        Self { id, content: Content::Text(Arc::new(text)) }
    }

    /// Creates a blob of bytes. UTF-8 bytes become text.
    pub fn bytes(bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => Self::text(text),
            Err(e) => {
                let bytes = e.into_bytes();
                let id = BlobId::of(&bytes);
                Self { id, content: Content::Bytes(Arc::new(bytes)) }
            }
        }
    }

    /// Creates the document with this text. A text longer than 64 KiB is named by its chunks.
    pub(crate) fn document(text: String) -> Self {
        if text.len() <= WHOLE { Self::text(text) } else { Self::chunked(ChunkList::of(&text), text) }
    }

    /// Creates the document with this text, the result of `edits` on an earlier document. `edits` is empty if they are
    /// not known. Costs as much as the edits or, without them, a comparison of both texts.
    pub(crate) fn document_after(earlier: Option<&Self>, text: String, edits: &[TextEdit]) -> Self {
        match earlier.map(|earlier| &earlier.content) {
            Some(Content::Chunked(before, list)) if text.len() > WHOLE => {
                Self::chunked(list.after(before, &text, edits), text)
            }
            _ => Self::document(text),
        }
    }

    /// Like [`Blob::document_after`], but checks the id, which may name a list of chunks or, as in version 0.1.0, the
    /// whole text. Returns `None` if the id belongs to another text. Also hashes a long text whole if the id is not
    /// that of its chunks.
    pub(crate) fn document_named(
        id: BlobId,
        earlier: Option<&Self>,
        text: String,
        edits: &[TextEdit],
    ) -> Option<Self> {
        let document = Self::document_after(earlier, text, edits);
        if document.id == id {
            return Some(document);
        }
        match document.content {
            Content::Chunked(text, _) if BlobId::of(text.as_bytes()) == id => {
                Some(Self { id, content: Content::Text(text) })
            }
            _ => None,
        }
    }

    /// Whether a document with this id has the same text, possibly under another name. Hashes a long text.
    pub(crate) fn is_named(&self, id: BlobId) -> bool {
        let other = |text: &str| {
            if self.list().is_some() { BlobId::of(text.as_bytes()) } else { BlobId::of_document(text) }
        };
        let has_other = self.as_bytes().len() > WHOLE;
        self.id == id || has_other && self.as_text().map(other) == Some(id)
    }

    /// Creates a document from a list and the text of its chunks.
    pub(crate) fn chunked(list: ChunkList, text: String) -> Self {
        Self { id: list.id(), content: Content::Chunked(Arc::new(text), Arc::new(list)) }
    }

    /// Returns the list of chunks, if the document has one.
    pub(crate) fn list(&self) -> Option<&ChunkList> {
        match &self.content {
            Content::Chunked(_, list) => Some(list),
            Content::Text(_) | Content::Bytes(_) => None,
        }
    }

    /// Returns the blobs to put into a store that already has the document `there`. These are the list and the chunks
    /// that `there` lacks, or the text.
    pub(crate) fn to_put(&self, there: Option<&Self>) -> Vec<Self> {
        let Content::Chunked(text, list) = &self.content else { return vec![self.clone()] };
        let mut seen = BTreeSet::new();
        let new = list.new_since(there.and_then(Self::list));
        let chunks = new.filter(|(_, id)| seen.insert(*id)).map(|(range, id)| {
            let content = Content::Text(Arc::new(text[range].to_owned()));
            Self { id, content }
        });
        let mut put: Vec<_> = chunks.collect();
        put.push(Self { id: self.id, content: Content::Bytes(Arc::new(list.to_bytes())) });
        put
    }

    /// Returns the name of the blob.
    pub fn id(&self) -> BlobId {
        self.id
    }

    /// Returns the bytes. For a document, this is its text.
    pub fn as_bytes(&self) -> &[u8] {
        match &self.content {
            Content::Text(text) | Content::Chunked(text, _) => text.as_bytes(),
            Content::Bytes(bytes) => bytes,
        }
    }

    /// Returns the text without copying it, or an empty text if the bytes are not UTF-8.
    pub(crate) fn shared_text(&self) -> Arc<String> {
        match &self.content {
            Content::Text(text) | Content::Chunked(text, _) => Arc::clone(text),
            Content::Bytes(_) => Arc::default(),
        }
    }

    /// Returns the approximate size in memory.
    pub(crate) fn approximate_bytes(&self) -> usize {
        self.as_bytes().len() + self.list().map_or(0, ChunkList::approximate_bytes)
    }

    /// Returns the text, or `None` if the bytes are not UTF-8.
    pub fn as_text(&self) -> Option<&str> {
        match &self.content {
            Content::Text(text) | Content::Chunked(text, _) => Some(text),
            Content::Bytes(_) => None,
        }
    }
}

/// Two blobs are equal if their ids are, because the id identifies the content.
impl PartialEq for Blob {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Blob {}

impl Hash for Blob {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl fmt::Debug for Blob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Blob({}, {} bytes)", self.id, self.as_bytes().len())
    }
}

/// Blobs that the transition needs and the view does not have yet.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[expect(unnameable_types, reason = "only the sealed part of `Command` speaks of it")]
pub struct Missing {
    /// Blobs without which no decision is possible.
    pub(crate) needed: Vec<BlobId>,
    /// Blobs likely to be needed later. The store may lack them.
    pub(crate) likely: Vec<BlobId>,
}

impl Missing {
    /// Creates a request for blobs that are all needed.
    pub(crate) fn all(needed: Vec<BlobId>) -> Self {
        Self { needed, likely: Vec::new() }
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = BlobId> {
        self.needed.iter().chain(&self.likely).copied()
    }
}
