//! Why a file of a face is not read.

use crate::model::blob::{BlobId, Missing};

/// Why a file is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReadError {
    /// These blobs must be fetched first.
    Missing(Vec<BlobId>),
    /// This one is not what this library writes.
    Damaged(BlobId),
}

impl ReadError {
    /// The blobs that must be fetched first; else the one that is damaged.
    pub(crate) fn missing(self) -> Result<Missing, BlobId> {
        match self {
            Self::Missing(ids) => Ok(Missing::all(ids)),
            Self::Damaged(id) => Err(id),
        }
    }
}
