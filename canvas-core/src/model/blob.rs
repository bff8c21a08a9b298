//! Immutable content, named by its hash.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::model::id::stored_as_text;

/// The blake3 hash of a blob, shown as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BlobId([u8; 32]);

/// A text is not the 64 hexadecimal digits of a blob id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a blob id is 64 hexadecimal digits: pass one that a canvas has given")]
pub struct ParseBlobIdError;

canvas_patch::coded_error!(ParseBlobIdError => "INVALID_ARGUMENTS");

impl BlobId {
    /// The id of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// The raw 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl fmt::Debug for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BlobId({self})")
    }
}

impl FromStr for BlobId {
    type Err = ParseBlobIdError;

    fn from_str(text: &str) -> Result<Self, ParseBlobIdError> {
        blake3::Hash::from_hex(text).map(|hash| Self(*hash.as_bytes())).map_err(|_| ParseBlobIdError)
    }
}

stored_as_text!(BlobId, ParseBlobIdError);

/// Content with its id. A copy shares the bytes.
#[derive(Clone)]
pub struct Blob {
    id: BlobId,
    content: Content,
}

/// Text keeps its proof of being UTF-8, so that a document is never validated again.
#[derive(Clone)]
enum Content {
    Text(Arc<String>),
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

    /// Its name.
    pub fn id(&self) -> BlobId {
        self.id
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        match &self.content {
            Content::Text(text) => text.as_bytes(),
            Content::Bytes(bytes) => bytes,
        }
    }

    /// Its text without a copy; empty where it is not UTF-8.
    pub(crate) fn shared_text(&self) -> Arc<String> {
        match &self.content {
            Content::Text(text) => Arc::clone(text),
            Content::Bytes(_) => Arc::default(),
        }
    }

    /// Its text, where it is UTF-8.
    pub fn as_text(&self) -> Option<&str> {
        match &self.content {
            Content::Text(text) => Some(text),
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
