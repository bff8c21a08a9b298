//! Errors of reading a face's file.

use crate::model::blob::{BlobId, Missing};

/// Error returned if a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReadError {
    /// These blobs must be fetched first.
    Missing(Vec<BlobId>),
    /// This blob is not in the format that this library writes.
    Damaged(BlobId),
}

impl ReadError {
    /// Returns the blobs to fetch first, or else the damaged one.
    pub(crate) fn missing(self) -> Result<Missing, BlobId> {
        match self {
            Self::Missing(ids) => Ok(Missing::all(ids)),
            Self::Damaged(id) => Err(id),
        }
    }
}
