//! Immutable content, named by its hash.

use std::collections::BTreeSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use canvas_patch::TextEdit;

pub use crate::model::blob_id::{BlobId, ParseBlobIdError};
use crate::model::chunk_list::ChunkList;

/// The longest document that is one blob.
pub(crate) const WHOLE: usize = 64 << 10;

impl BlobId {
    /// The id of a document with this text: of the text up to 64 KiB, and of the list of its chunks where it is longer. Linear.
    /// A document that was stored by 0.1.0 has [`BlobId::of`] its text, however long that is, until it is edited.
    pub fn of_document(text: &str) -> Self {
        if text.len() <= WHOLE { Self::of(text.as_bytes()) } else { ChunkList::of(text).id() }
    }
}

/// Whether a text is that of the document with this id, whole or in chunks.
pub(crate) fn is_document(text: &str, id: BlobId) -> bool {
    BlobId::of_document(text) == id || text.len() > WHOLE && BlobId::of(text.as_bytes()) == id
}

/// Content with its id. A copy shares the bytes.
///
/// The id is the hash of the bytes. Only a document of more than 64 KiB that comes from a canvas is named otherwise, by the
/// hash of the list of its chunks: stores keep the list and the chunks, never the whole text under that name.
#[derive(Clone)]
pub struct Blob {
    id: BlobId,
    content: Content,
}

/// Text keeps its proof of being UTF-8, so that a document is never validated again.
#[derive(Clone)]
enum Content {
    Text(Arc<String>),
    /// Its id is that of the list.
    Chunked(Arc<String>, Arc<ChunkList>),
    Bytes(Arc<Vec<u8>>),
}

impl Blob {
    /// A blob of text.
    pub fn text(text: String) -> Self {
        let id = BlobId::of(text.as_bytes());
        Self { id, content: Content::Text(Arc::new(text)) }
    }

    /// A blob of bytes. Bytes that are UTF-8 become text.
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

    /// The document with this text, as it is named: one longer than 64 KiB by its chunks.
    pub(crate) fn document(text: String) -> Self {
        if text.len() <= WHOLE { Self::text(text) } else { Self::chunked(ChunkList::of(&text), text) }
    }

    /// The document with this text, which some edits have made of an earlier one; none where they are not known. Costs what
    /// the edits cost, and where they are not known a comparison of both texts.
    pub(crate) fn document_after(earlier: Option<&Self>, text: String, edits: &[TextEdit]) -> Self {
        match earlier.map(|earlier| &earlier.content) {
            Some(Content::Chunked(before, list)) if text.len() > WHOLE => {
                Self::chunked(list.after(before, &text, edits), text)
            }
            _ => Self::document(text),
        }
    }

    /// The document that has this text and this id, as a list of chunks or, as 0.1.0 stored it, whole; `None` where the
    /// text is another. As [`Blob::document_after`], but that a whole text is hashed.
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

    /// Whether a document with this id has the text of this one, under another name at most. Hashes a long text.
    pub(crate) fn is_named(&self, id: BlobId) -> bool {
        let other = |text: &str| {
            if self.list().is_some() { BlobId::of(text.as_bytes()) } else { BlobId::of_document(text) }
        };
        let has_other = self.as_bytes().len() > WHOLE;
        self.id == id || has_other && self.as_text().map(other) == Some(id)
    }

    /// The text of a list, put together of its chunks.
    pub(crate) fn chunked(list: ChunkList, text: String) -> Self {
        Self { id: list.id(), content: Content::Chunked(Arc::new(text), Arc::new(list)) }
    }

    /// The list of its chunks, where it has one.
    pub(crate) fn list(&self) -> Option<&ChunkList> {
        match &self.content {
            Content::Chunked(_, list) => Some(list),
            Content::Text(_) | Content::Bytes(_) => None,
        }
    }

    /// What a store must be given of this document where it has another one: its list and the chunks that the other does
    /// not have, or its text.
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

    /// Its name.
    pub fn id(&self) -> BlobId {
        self.id
    }

    /// Its bytes; of a document its text.
    pub fn as_bytes(&self) -> &[u8] {
        match &self.content {
            Content::Text(text) | Content::Chunked(text, _) => text.as_bytes(),
            Content::Bytes(bytes) => bytes,
        }
    }

    /// Its text without a copy; empty where it is not UTF-8.
    pub(crate) fn shared_text(&self) -> Arc<String> {
        match &self.content {
            Content::Text(text) | Content::Chunked(text, _) => Arc::clone(text),
            Content::Bytes(_) => Arc::default(),
        }
    }

    /// Roughly what it takes in memory.
    pub(crate) fn approximate_bytes(&self) -> usize {
        self.as_bytes().len() + self.list().map_or(0, ChunkList::approximate_bytes)
    }

    /// Its text, where it is UTF-8.
    pub fn as_text(&self) -> Option<&str> {
        match &self.content {
            Content::Text(text) | Content::Chunked(text, _) => Some(text),
            Content::Bytes(_) => None,
        }
    }
}

/// The id tells contents apart.
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
    /// Without them nothing can be decided.
    pub(crate) needed: Vec<BlobId>,
    /// It will most likely need these too. They may be missing from the store.
    pub(crate) likely: Vec<BlobId>,
}

impl Missing {
    /// All of these are needed.
    pub(crate) fn all(needed: Vec<BlobId>) -> Self {
        Self { needed, likely: Vec::new() }
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = BlobId> {
        self.needed.iter().chain(&self.likely).copied()
    }
}
