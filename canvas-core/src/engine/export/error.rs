//! Errors of imports.

use std::borrow::Cow;
use std::fmt;

use super::record::FORMAT;
use crate::engine::EngineError;
use crate::model::blob::BlobId;
use crate::model::error::CodedError;
use crate::model::format::HeadError;
use crate::model::id::CanvasId;

/// The reason that an export was not imported. The store has no such canvas then, unless the error is
/// `STORE_INDETERMINATE`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The store has the canvas already, or its tombstone.
    #[error("the store has or had a canvas {canvas}: choose another store")]
    Exists {
        /// The id already in use.
        canvas: CanvasId,
    },
    /// The export has another canvas than the host named.
    #[error("the export has the canvas {found}, not {canvas}: name that one, or choose another export")]
    OtherCanvas {
        /// The canvas that the host named.
        canvas: CanvasId,
        /// The id that the head in the export has.
        found: CanvasId,
    },
    /// A later version of this library wrote the export.
    #[error("the export has format {found}, this library reads up to {FORMAT}: update the library")]
    TooNew {
        /// The format number of the export.
        found: u8,
    },
    /// The bytes are not an export, or were altered.
    #[error("the export is damaged at byte {byte} (record {record}), {fault}: take another copy")]
    Damaged {
        /// The offset at which the damaged record begins.
        byte: u64,
        /// The number of this record, counted from 1; 0 for the bytes before the first one.
        record: u64,
        /// The first rule of the format that the record breaks.
        fault: ExportFault,
    },
    /// The bytes end before the last record does.
    #[error("the export ends after {bytes} bytes, inside record {record}: take a whole copy")]
    Cut {
        /// The offset at which the bytes end.
        bytes: u64,
        /// The number of the record that is missing or cut, counted from 1; 0 for the bytes before the first one.
        record: u64,
    },
    /// More bytes follow the last record.
    #[error("the export goes on after its end at byte {bytes}: take another copy, or remove the rest")]
    TooLong {
        /// The offset at which the export ends.
        bytes: u64,
    },
    /// A record is longer than this engine accepts. The bound is 4 MiB for the head. Otherwise it is the largest of 64 MiB,
    /// [`DocumentLimits::bytes`](crate::policy::DocumentLimits::bytes) and the policy's limit for an asset.
    #[error(
        "the record {record} at byte {byte} has {bytes} bytes, the limit is {limit}: take another copy, or set higher \
         limits in the policy"
    )]
    RecordTooLarge {
        /// The offset at which the record begins.
        byte: u64,
        /// The number of the record, counted from 1.
        record: u64,
        /// The length that the record states.
        bytes: u64,
        /// The largest length that this engine accepts.
        limit: u64,
    },
    /// The export is whole, but its canvas needs a blob that it does not have, or that is of another kind.
    #[error("the export lacks the blob {blob} that its canvas needs: make a new export")]
    Incomplete {
        /// The hash of the bytes that the canvas needs.
        blob: BlobId,
    },
    /// The export has a blob that its canvas does not name.
    #[error("the export has a blob {blob} that its canvas does not name: make a new export")]
    Unnamed {
        /// The hash of the additional bytes.
        blob: BlobId,
    },
    /// The head in the export cannot be read.
    #[error("the canvas {canvas} cannot be imported: {reason}")]
    Head {
        /// The canvas that the host named.
        canvas: CanvasId,
        /// The reason that no canvas can have this head.
        reason: HeadError,
    },
    /// The engine or its store failed. [`EngineError::Contention`] means that another import or a collection of the same
    /// canvas was faster.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// A fault in the bytes of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ExportFault {
    /// An export begins with other bytes.
    Beginning,
    /// The kind of the record is unknown.
    Kind,
    /// The record is not at its place. The head comes first, then the blobs in the order of their ids, then the end.
    Order,
    /// The content of the record does not have the hash that the record states.
    Hash,
    /// The last record does not agree with the records before it.
    End,
}

impl fmt::Display for ExportFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Beginning => "which is not the beginning of an export",
            Self::Kind => "which is of an unknown kind",
            Self::Order => "which is not at its place",
            Self::Hash => "which does not have its hash",
            Self::End => "which does not agree with the records before it",
        })
    }
}

impl CodedError for ImportError {
    fn code(&self) -> &'static str {
        match self {
            Self::Exists { .. } => "CANVAS_EXISTS",
            Self::OtherCanvas { .. } => "EXPORT_OF_OTHER_CANVAS",
            Self::TooNew { .. } => "EXPORT_TOO_NEW",
            Self::Damaged { .. } | Self::Unnamed { .. } => "EXPORT_DAMAGED",
            Self::Cut { .. } => "EXPORT_CUT",
            Self::TooLong { .. } => "EXPORT_TOO_LONG",
            Self::RecordTooLarge { .. } => "EXPORT_RECORD_TOO_LARGE",
            Self::Incomplete { .. } => "EXPORT_INCOMPLETE",
            Self::Head { reason, .. } => reason.code(),
            Self::Engine(error) => error.code(),
        }
    }

    /// Returns the offset of the fault in the bytes, if it has one.
    fn place(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Damaged { byte, .. } | Self::RecordTooLarge { byte, .. } => Some(byte.to_string().into()),
            Self::Cut { bytes, .. } | Self::TooLong { bytes } => Some(bytes.to_string().into()),
            _ => None,
        }
    }

    fn is_retryable(&self) -> bool {
        matches!(self, Self::Engine(error) if error.is_retryable())
    }
}
