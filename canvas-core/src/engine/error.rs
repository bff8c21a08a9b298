//! Errors of calls that have no answer.

use canvas_lease::Timestamp;

use crate::model::blob::BlobId;
use crate::model::error::CodedError;
use crate::model::face::{FACE_NOT_SUPPORTED, Face, not_supported};
use crate::model::format::HeadError;
use crate::model::id::CanvasId;
use crate::model::revision::Revision;
use crate::store::error::{StoreError, StoreErrorKind};
use crate::version::label::VersionLabel;

/// The reason that a call has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The canvas does not exist, or it was deleted.
    #[error("there is no canvas {canvas}: create it first")]
    NotFound {
        /// The requested id, which names no canvas or a deleted one.
        canvas: CanvasId,
    },
    /// A canvas with this id already exists.
    #[error("the canvas {canvas} exists already: use it, or choose another id")]
    Exists {
        /// The requested id, which is taken.
        canvas: CanvasId,
    },
    /// The operation created this canvas, and the canvas was deleted since.
    #[error("the canvas {canvas} was deleted after this operation had made it: create it under a new key")]
    Deleted {
        /// The id of the deleted canvas, which you can create again under a new key.
        canvas: CanvasId,
    },
    /// A blob that the head names is missing from the store, or its bytes do not match its id.
    #[error("the blob {blob} of canvas {canvas} is missing or damaged: restore the store from a backup")]
    Damaged {
        /// The canvas whose head needs the blob.
        canvas: CanvasId,
        /// The hash of the expected bytes.
        blob: BlobId,
    },
    /// The canvas has a face that this build does not support, so the blobs that it needs are unknown.
    #[error("the canvas {canvas} has a {face}, and {}", not_supported(*face))]
    FaceNotSupported {
        /// The canvas that has the unsupported face.
        canvas: CanvasId,
        /// The face that this build lacks. [`Face::is_supported`] lists the features.
        face: Face,
    },
    /// The stored head could not be parsed.
    #[error("the canvas {canvas} cannot be opened: {reason}")]
    Unreadable {
        /// The canvas whose head is unreadable.
        canvas: CanvasId,
        /// The fault of the stored bytes.
        reason: HeadError,
    },
    /// A face changed after the revision that the host expects, or did not reach that revision yet.
    #[error("the canvas is at revision {}, not at {}: read it again and repeat the request", current.get(), expected.get())]
    RevisionConflict {
        /// The canvas that the host wants to change.
        canvas: CanvasId,
        /// The revision in the host's request.
        expected: Revision,
        /// The current revision of the canvas.
        current: Revision,
    },
    /// The canvas has not reached a revision that a read asks for.
    #[error("the canvas {canvas} has no revision {}, and is at {}: name one that it has", revision.get(), current.get())]
    RevisionNotFound {
        /// The canvas that the host reads.
        canvas: CanvasId,
        /// The revision in the host's request.
        revision: Revision,
        /// The current revision of the canvas.
        current: Revision,
    },
    /// The history no longer leads back to a revision.
    #[error("the canvas {canvas} does not keep revision {}: name {} or a later one", revision.get(), oldest.get())]
    RevisionNotKept {
        /// The canvas that the host reads.
        canvas: CanvasId,
        /// The revision in the host's request.
        revision: Revision,
        /// The oldest revision that can be read.
        oldest: Revision,
    },
    /// A revision or version does not have a face.
    #[error("revision {} of the canvas {canvas} has no {}: name other faces", revision.get(), face.name())]
    FaceNotFound {
        /// The canvas that the host reads.
        canvas: CanvasId,
        /// The requested revision, or the one of the version.
        revision: Revision,
        /// The face in the host's request.
        face: Face,
    },
    /// No version of the canvas has a label.
    #[error("the canvas {canvas} has no version {label}: name one of its list")]
    VersionNotFound {
        /// The canvas that the host reads.
        canvas: CanvasId,
        /// The label in the host's request.
        label: VersionLabel,
    },
    /// An erasure dropped the texts of a version.
    #[error("the texts of version {label} of the canvas {canvas} were erased: name another one")]
    VersionErased {
        /// The canvas that the host reads.
        canvas: CanvasId,
        /// The label in the host's request.
        label: VersionLabel,
    },
    /// The host's clock counts seconds and the store's counts milliseconds, or the reverse. The call left the canvas
    /// unchanged.
    #[error(
        "{time} counts seconds where {known} counts milliseconds since 1970: make each time with Timestamp::from_secs or \
         from a SystemTime"
    )]
    TimeInSeconds {
        /// The clock reading that counts seconds.
        time: Timestamp,
        /// A time in milliseconds, read at the same moment or stored before.
        known: Timestamp,
    },
    /// Other writers won every attempt to commit.
    #[error("the canvas {canvas} is under heavy contention: try again later")]
    Contention {
        /// The canvas that other writers keep changing.
        canvas: CanvasId,
    },
    /// The first document is larger than [`DocumentLimits::bytes`](crate::policy::DocumentLimits::bytes).
    #[error("the document has {bytes} bytes, the limit is {limit}: shorten it")]
    TooLarge {
        /// The size of the document, in bytes.
        bytes: usize,
        /// The largest size that the policy allows, in bytes.
        limit: usize,
    },
    /// The revision number of the canvas is at its maximum.
    #[error("the canvas {canvas} has used up its revisions: go on in a new canvas")]
    RevisionsExhausted {
        /// The canvas that cannot change any more.
        canvas: CanvasId,
    },
    /// The canvas changed during an export, and a collection dropped a blob that the export needs.
    #[error("the canvas {canvas} changed during its export: make the export again")]
    ExportOutdated {
        /// The canvas that the host can export again at once.
        canvas: CanvasId,
    },
    /// An earlier operation with other arguments used the same key.
    #[error("this operation key was used before with other arguments: use a new key")]
    KeyReused,
    /// [`Engine::resolve`](crate::Engine::resolve) abandoned the operation before it was applied.
    #[error("this operation was abandoned before it was done: ask again under a new key")]
    Abandoned,
    /// The store failed. With the code `STORE_INDETERMINATE`, a commit may have been applied.
    #[error(transparent)]
    Store(StoreError),
}

impl CodedError for EngineError {
    fn code(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "CANVAS_NOT_FOUND",
            Self::Exists { .. } => "CANVAS_EXISTS",
            Self::Deleted { .. } => "CANVAS_DELETED",
            Self::Damaged { .. } => "CANVAS_DAMAGED",
            Self::FaceNotSupported { .. } => FACE_NOT_SUPPORTED,
            Self::Unreadable { reason, .. } => reason.code(),
            Self::RevisionConflict { .. } => "REVISION_CONFLICT",
            Self::RevisionNotFound { .. } => "REVISION_NOT_FOUND",
            Self::RevisionNotKept { .. } => "REVISION_NOT_KEPT",
            Self::FaceNotFound { .. } => "FACE_NOT_FOUND",
            Self::VersionNotFound { .. } => "VERSION_NOT_FOUND",
            Self::VersionErased { .. } => "VERSION_ERASED",
            Self::TimeInSeconds { .. } => "TIME_IN_SECONDS",
            Self::Contention { .. } => "CONTENTION",
            Self::TooLarge { .. } => "DOCUMENT_TOO_LARGE",
            Self::RevisionsExhausted { .. } => "REVISION_EXHAUSTED",
            Self::ExportOutdated { .. } => "EXPORT_OUTDATED",
            Self::KeyReused => "CALL_ID_REUSED",
            Self::Abandoned => "CALL_ABANDONED",
            Self::Store(error) => error.code(),
        }
    }

    fn is_retryable(&self) -> bool {
        match self {
            Self::Contention { .. } | Self::ExportOutdated { .. } => true,
            Self::Store(error) => error.is_retryable(),
            _ => false,
        }
    }
}

impl EngineError {
    /// Converts a store error on a canvas.
    pub(super) fn of(error: StoreError, canvas: &CanvasId) -> Self {
        match error.kind {
            StoreErrorKind::Unreadable(reason) => Self::Unreadable { canvas: canvas.clone(), reason },
            kind => Self::Store(StoreError { kind, ..error }),
        }
    }
}
