//! What can go wrong with an object store: where, what, and whether anything may have been written.

use std::error::Error;
use std::fmt;

use canvas_core::{CanvasId, Fault, HeadError};

/// What was asked for when it went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// [`ObjectCanvasStore::open`](super::ObjectCanvasStore::open)
    Open,
    /// [`Store::load`](canvas_core::Store::load)
    Load,
    /// [`Store::commit`](canvas_core::Store::commit)
    Commit,
    /// [`Store::blob`](canvas_core::Store::blob)
    Blob,
    /// [`Store::list`](canvas_core::Store::list)
    List,
    /// [`Store::delete`](canvas_core::Store::delete)
    Delete,
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Open => "open",
            Self::Load => "load",
            Self::Commit => "commit",
            Self::Blob => "blob",
            Self::List => "list",
            Self::Delete => "delete",
        })
    }
}

/// What went wrong, told apart as far as a caller would act differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The prefix leaves too little of the 1,024 bytes of a key.
    PrefixTooLong {
        /// Its bytes.
        bytes: usize,
    },
    /// The server does not keep to the conditions of a put.
    Unconditional,
    /// The server does not say in which state an object is, or says it differently to readers and writers.
    Untagged,
    /// The credentials are missing, wrong, or lack a right.
    Denied,
    /// The bucket is not there.
    Missing,
    /// The server, or the client as it is set up, cannot do this.
    Unsupported,
    /// A put was refused although the row is what it should be: another put is on its way.
    Contended,
    /// The server lists keys in another order than that of their bytes.
    Unordered,
    /// An object that this store has not written like this.
    Damaged,
    /// A later version of this store has written the row.
    TooNew {
        /// The format of the row.
        found: u64,
    },
    /// The server or the network failed.
    Failed,
}

impl ErrorKind {
    /// The stable code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::PrefixTooLong { .. } => "OBJECT_STORE_PREFIX_TOO_LONG",
            Self::Unconditional => "OBJECT_STORE_UNCONDITIONAL",
            Self::Untagged => "OBJECT_STORE_UNTAGGED",
            Self::Denied => "OBJECT_STORE_DENIED",
            Self::Missing => "OBJECT_STORE_MISSING",
            Self::Unsupported => "OBJECT_STORE_UNSUPPORTED",
            Self::Contended => "OBJECT_STORE_CONTENDED",
            Self::Unordered => "OBJECT_STORE_UNORDERED",
            Self::Damaged => "OBJECT_STORE_DAMAGED",
            Self::TooNew { .. } => "OBJECT_STORE_TOO_NEW",
            Self::Failed => "OBJECT_STORE_FAILED",
        }
    }

    /// Whether the row was read, and is what this store has not written.
    const fn is_in_the_row(self) -> bool {
        matches!(self, Self::Damaged | Self::TooNew { .. })
    }

    /// What an error of the client means.
    pub fn of(error: &object_store::Error) -> Self {
        use object_store::Error;
        match error {
            Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => Self::Denied,
            Error::NotFound { .. } => Self::Missing,
            Error::NotSupported { .. } | Error::NotImplemented { .. } => Self::Unsupported,
            Error::AlreadyExists { .. } | Error::Precondition { .. } | Error::NotModified { .. } => {
                Self::Contended
            }
            // Of the store's own keys none is invalid, so it is one that a listing has met.
            Error::InvalidPath { .. } => Self::Damaged,
            _ => Self::Failed,
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PrefixTooLong { bytes } => {
                let most = super::key::PREFIX_BYTES;
                return write!(f, "the prefix has {bytes} bytes: give one of at most {most}");
            }
            Self::Unconditional => {
                "the server does not keep to If-Match and If-None-Match: choose one that does, or switch them on"
            }
            Self::Untagged => {
                "the server does not name the states of objects by one ETag or generation: take what changes it out of the way"
            }
            Self::Denied => "the credentials are wrong or lack a right: let them get, put, list and delete",
            Self::Missing => "the bucket is not there: make it or correct its name",
            Self::Unsupported => "the server or its client cannot do this: look at the cause",
            Self::Contended => "another put is on its way: send the same call again",
            Self::Unordered => "the server lists keys out of order: choose one that lists them by their bytes",
            Self::Damaged => {
                "an object under the prefix is not what this store has written: restore or remove it"
            }
            Self::TooNew { found } => {
                return write!(f, "the row has format {found}, later than this store: update the program");
            }
            Self::Failed => "the server or the network failed: look at the cause, then try again",
        })
    }
}

/// Why a call failed. It lies in the [`Fault`] of the call; a head that cannot be read lies there as the [`HeadError`]
/// that it is. [`Error::source`] has the client's own error.
#[derive(Debug)]
pub struct ObjectStoreError {
    operation: Operation,
    kind: ErrorKind,
    canvas: Option<CanvasId>,
    source: Option<object_store::Error>,
}

impl ObjectStoreError {
    pub(super) fn open(cause: Cause) -> Self {
        Self { operation: Operation::Open, kind: cause.kind, canvas: None, source: cause.source }
    }

    /// The stable code.
    pub const fn code(&self) -> &'static str {
        self.kind.code()
    }

    /// What went wrong.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What was asked for.
    pub const fn operation(&self) -> Operation {
        self.operation
    }

    /// The canvas that was asked for, where it was one.
    pub const fn canvas(&self) -> Option<&CanvasId> {
        self.canvas.as_ref()
    }
}

impl fmt::Display for ObjectStoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.operation)?;
        if let Some(canvas) = &self.canvas {
            // An id may hold anything: in quotes, with what cannot be printed escaped.
            write!(f, " of canvas {:?}", canvas.as_str())?;
        }
        write!(f, ": {}", self.kind)
    }
}

impl Error for ObjectStoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_ref().map(|source| source as _)
    }
}

/// What failed, before it knows its place.
#[derive(Debug)]
pub(super) struct Cause {
    pub(super) kind: ErrorKind,
    pub(super) source: Option<object_store::Error>,
}

impl From<ErrorKind> for Cause {
    fn from(kind: ErrorKind) -> Self {
        Self { kind, source: None }
    }
}

impl From<object_store::Error> for Cause {
    fn from(error: object_store::Error) -> Self {
        Self { kind: ErrorKind::of(&error), source: Some(error) }
    }
}

/// An error of a call, before its place is known.
#[derive(Debug)]
pub(super) enum CallError {
    /// Nothing was written.
    Definite(Cause),
    /// It may have been written.
    InDoubt(Cause),
    /// The engine looks for this very type.
    Head(HeadError),
}

impl CallError {
    /// The same after a put whose fate is not known. Who has found a row that is none knows it all the same: the put
    /// would have left a good one.
    pub(super) fn after_a_put(self) -> Self {
        match self {
            Self::Definite(cause) if !cause.kind.is_in_the_row() => Self::InDoubt(cause),
            other => other,
        }
    }

    /// The fault, with its place.
    pub(super) fn at(self, operation: Operation, canvas: Option<&CanvasId>) -> Fault {
        let place = |Cause { kind, source }: Cause| {
            Box::new(ObjectStoreError { operation, kind, canvas: canvas.cloned(), source })
        };
        match self {
            Self::Definite(cause) => Fault::Definite(place(cause)),
            Self::InDoubt(cause) => Fault::Indeterminate(place(cause)),
            Self::Head(error) => Fault::Definite(Box::new(error)),
        }
    }
}

/// Reads, and puts of blobs: a blob without a head is nothing.
impl<T: Into<Cause>> From<T> for CallError {
    fn from(cause: T) -> Self {
        Self::Definite(cause.into())
    }
}
