//! What the client's errors mean, and what to do next.

use canvas_core::store::{HeadError, StoreError, StoreErrorKind};
use object_store::Error;

/// An error of a call, before its place is known. Reads, and puts of blobs: a blob without a head is nothing.
#[derive(Debug)]
pub(super) struct CallError(pub(super) StoreError);

impl CallError {
    /// The same after a put whose fate is not known. Who has found a row that is none knows it all the same: the put
    /// would have left a good one.
    pub(super) fn after_a_put(self) -> Self {
        match self.0.kind {
            StoreErrorKind::Damaged | StoreErrorKind::TooNew { .. } | StoreErrorKind::Unreadable(_) => self,
            _ => self.in_doubt(),
        }
    }

    pub(super) fn in_doubt(self) -> Self {
        Self(self.0.in_doubt())
    }
}

impl From<StoreError> for CallError {
    fn from(error: StoreError) -> Self {
        Self(error)
    }
}

impl From<StoreErrorKind> for CallError {
    fn from(kind: StoreErrorKind) -> Self {
        Self(kind.into())
    }
}

impl From<HeadError> for CallError {
    fn from(reason: HeadError) -> Self {
        Self(reason.into())
    }
}

impl From<Error> for CallError {
    fn from(error: Error) -> Self {
        let (kind, message) = match error {
            Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => (
                StoreErrorKind::Denied,
                "the credentials are wrong or lack a right: let them get, put, list and delete",
            ),
            Error::NotFound { .. } => {
                (StoreErrorKind::Unfit, "the bucket is not there: make it or correct its name")
            }
            Error::NotSupported { .. } | Error::NotImplemented { .. } => {
                (StoreErrorKind::Unfit, "the server or its client cannot do this: look at the cause")
            }
            Error::AlreadyExists { .. } | Error::Precondition { .. } | Error::NotModified { .. } => {
                (StoreErrorKind::Busy, "another put is on its way: send the same call again")
            }
            // Of the store's own keys none is invalid, so it is one that a listing has met.
            Error::InvalidPath { .. } => return damaged().0.caused(error).into(),
            _ => (
                StoreErrorKind::Unavailable,
                "the server or the network failed: look at the cause, then try again",
            ),
        };
        Self(StoreError::new(kind).saying(message).caused(error))
    }
}

/// An object that this store has not written like this.
pub(super) fn damaged() -> CallError {
    let message = "an object under the prefix is not what this store has written: restore or remove it";
    StoreError::new(StoreErrorKind::Damaged).saying(message).into()
}

/// The server does not keep to the conditions of a put.
pub(super) fn unconditional() -> CallError {
    unfit("the server does not keep to If-Match and If-None-Match: choose one that does, or switch them on")
}

/// The server does not say in which state an object is, or says it differently to readers and writers.
pub(super) fn untagged() -> CallError {
    unfit(
        "the server does not name the states of objects by one ETag or generation: take what changes it out of the way",
    )
}

/// The server lists keys in another order than that of their bytes.
pub(super) fn unordered() -> CallError {
    unfit("the server lists keys out of order: choose one that lists them by their bytes")
}

/// The prefix leaves too little of the 1,024 bytes of a key.
pub(super) fn prefix_too_long(bytes: usize) -> CallError {
    let most = super::key::PREFIX_BYTES;
    StoreError::new(StoreErrorKind::Unfit)
        .saying(format!("the prefix has {bytes} bytes: give one of at most {most}"))
        .into()
}

fn unfit(message: &'static str) -> CallError {
    StoreError::new(StoreErrorKind::Unfit).saying(message).into()
}
