//! Maps the client's errors to kinds of store errors, with remedies.

use canvas_core::store::{HeadError, StoreError, StoreErrorKind};
use object_store::Error;

/// An error of a call, before operation and canvas are added. Definite for reads and for puts of blobs, because a blob
/// without a head has no effect.
#[derive(Debug)]
pub(super) struct CallError(pub(super) StoreError);

impl CallError {
    /// Makes the error indeterminate after a put of unknown fate. A damaged row settles the fate all the same, because the
    /// put would have left a valid row.
    pub(super) fn after_a_put(self) -> Self {
        match self.0.kind {
            StoreErrorKind::Damaged | StoreErrorKind::TooNew { .. } | StoreErrorKind::Unreadable(_) => self,
            _ => self.into_indeterminate(),
        }
    }

    pub(super) fn into_indeterminate(self) -> Self {
        Self(self.0.into_indeterminate())
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
            // All of the store's own keys are valid, so this key comes from a listing.
            Error::InvalidPath { .. } => return damaged().0.with_source(error).into(),
            _ => (
                StoreErrorKind::Unavailable,
                "the server or the network failed: look at the cause, then try again",
            ),
        };
        Self(StoreError::new(kind).with_message(message).with_source(error))
    }
}

/// The error for an object that this store never writes.
pub(super) fn damaged() -> CallError {
    let message = "an object under the prefix is not what this store has written: restore or remove it";
    StoreError::new(StoreErrorKind::Damaged).with_message(message).into()
}

/// The error for a server that does not honour the conditions of a put.
pub(super) fn unconditional() -> CallError {
    unfit("the server does not keep to If-Match and If-None-Match: choose one that does, or switch them on")
}

/// The error for a server that does not identify object states, or identifies them differently to readers and writers.
pub(super) fn untagged() -> CallError {
    unfit(
        "the server does not name the states of objects by one ETag or generation: take what changes it out of the way",
    )
}

/// The error for a server that does not list keys in byte order.
pub(super) fn unordered() -> CallError {
    unfit("the server lists keys out of order: choose one that lists them by their bytes")
}

/// The error for a prefix that leaves too few of the 1,024 bytes of a key.
pub(super) fn prefix_too_long(bytes: usize) -> CallError {
    let most = super::key::PREFIX_BYTES;
    StoreError::new(StoreErrorKind::Unfit)
        .with_message(format!("the prefix has {bytes} bytes: give one of at most {most}"))
        .into()
}

fn unfit(message: &'static str) -> CallError {
    StoreError::new(StoreErrorKind::Unfit).with_message(message).into()
}
