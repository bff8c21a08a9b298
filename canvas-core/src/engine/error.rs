//! Why a call has no answer.

use canvas_lease::Timestamp;

use crate::model::blob::BlobId;
use crate::model::error_report::reported;
use crate::model::face::{FACE_NOT_SUPPORTED, Face, not_supported};
use crate::model::format::HeadError;
use crate::model::id::CanvasId;
use crate::model::revision::Revision;
use crate::store::error::{StoreError, StoreErrorKind};

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// There is no such canvas.
    #[error("there is no canvas {canvas}: create it first")]
    NotFound {
        /// The canvas.
        canvas: CanvasId,
    },
    /// There is such a canvas already.
    #[error("the canvas {canvas} exists already: use it, or choose another id")]
    Exists {
        /// The canvas.
        canvas: CanvasId,
    },
    /// The operation has made this canvas, and it was deleted since.
    #[error("the canvas {canvas} was deleted after this operation had made it: create it under a new key")]
    Deleted {
        /// The canvas.
        canvas: CanvasId,
    },
    /// A blob that the head names is not in the store, or is not what it should be.
    #[error("the blob {blob} of canvas {canvas} is missing or damaged: restore the store from a backup")]
    Damaged {
        /// The canvas.
        canvas: CanvasId,
        /// The blob.
        blob: BlobId,
    },
    /// The canvas has a face that this library was built without, so what it needs is not known.
    #[error("the canvas {canvas} has a {face}, and {}", not_supported(*face))]
    FaceNotSupported {
        /// The canvas.
        canvas: CanvasId,
        /// The face.
        face: Face,
    },
    /// The store keeps bytes for the head that are none.
    #[error("the canvas {canvas} cannot be opened: {reason}")]
    Unreadable {
        /// The canvas.
        canvas: CanvasId,
        /// What is wrong with them.
        reason: HeadError,
    },
    /// A face has changed since the revision that the host expects, or that one is yet to come.
    #[error("the canvas is at revision {}, not at {}: read it again and repeat the request", current.get(), expected.get())]
    RevisionConflict {
        /// The canvas.
        canvas: CanvasId,
        /// The revision that was expected.
        expected: Revision,
        /// The revision of the canvas.
        current: Revision,
    },
    /// The host's time counts seconds and the store's milliseconds, or the other way round. Nothing was done.
    #[error(
        "{time} counts seconds where {known} counts milliseconds since 1970: make each time with Timestamp::from_secs or \
         from a SystemTime"
    )]
    TimeInSeconds {
        /// The time that counts seconds.
        time: Timestamp,
        /// One that was read at the same moment, or was stored.
        known: Timestamp,
    },
    /// Others changed the canvas each time.
    #[error("the canvas {canvas} is changed by others all the time: try again later")]
    Contention {
        /// The canvas.
        canvas: CanvasId,
    },
    /// The first document is larger than the policy allows.
    #[error("the document has {bytes} bytes, the limit is {limit}: shorten it")]
    TooLarge {
        /// Its bytes.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// The canvas has no more revisions.
    #[error("the canvas {canvas} has used up its revisions: go on in a new canvas")]
    RevisionsExhausted {
        /// The canvas.
        canvas: CanvasId,
    },
    /// The key was used for another operation.
    #[error("this operation key was used before with other arguments: use a new key")]
    KeyReused,
    /// The operation was abandoned by [`Engine::resolve`](crate::Engine::resolve).
    #[error("this operation was abandoned before it was done: ask again under a new key")]
    Abandoned,
    /// The store failed.
    #[error(transparent)]
    Store(StoreError),
}

canvas_patch::coded_error!(EngineError {
    Self::NotFound { .. } => "CANVAS_NOT_FOUND";
    Self::Exists { .. } => "CANVAS_EXISTS";
    Self::Deleted { .. } => "CANVAS_DELETED";
    Self::Damaged { .. } => "CANVAS_DAMAGED";
    Self::FaceNotSupported { .. } => FACE_NOT_SUPPORTED;
    Self::Unreadable { reason, .. } => reason.code();
    Self::RevisionConflict { .. } => "REVISION_CONFLICT";
    Self::TimeInSeconds { .. } => "TIME_IN_SECONDS";
    Self::Contention { .. } => "CONTENTION", true;
    Self::TooLarge { .. } => "DOCUMENT_TOO_LARGE";
    Self::RevisionsExhausted { .. } => "REVISION_EXHAUSTED";
    Self::KeyReused => "CALL_ID_REUSED";
    Self::Abandoned => "CALL_ABANDONED";
    Self::Store(error) => error.code(), error.retryable();
});

reported!(EngineError);

impl EngineError {
    /// What an error of the store means for a canvas.
    pub(super) fn of(error: StoreError, canvas: &CanvasId) -> Self {
        match error.kind {
            StoreErrorKind::Unreadable(reason) => Self::Unreadable { canvas: canvas.clone(), reason },
            kind => Self::Store(StoreError { kind, ..error }),
        }
    }
}
