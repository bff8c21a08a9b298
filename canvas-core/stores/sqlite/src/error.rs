//! Faults of a store that is open: what failed, where, and whether it may have written.

use std::error::Error;
use std::fmt;

use canvas_core::{CanvasId, Fault, HeadError};

use super::error_kind::ErrorKind;
use super::open::OpenError;

/// A call of the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// [`BlockingStore::load`](canvas_core::BlockingStore::load)
    Load,
    /// [`BlockingStore::commit`](canvas_core::BlockingStore::commit)
    Commit,
    /// [`BlockingStore::blob`](canvas_core::BlockingStore::blob)
    Blob,
    /// [`BlockingStore::list`](canvas_core::BlockingStore::list)
    List,
    /// [`BlockingStore::delete`](canvas_core::BlockingStore::delete)
    Delete,
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Load => "load",
            Self::Commit => "commit",
            Self::Blob => "blob",
            Self::List => "list",
            Self::Delete => "delete",
        })
    }
}

/// Why a call failed. It lies in the [`Fault`] of the call; a head that cannot be read lies there as the
/// [`HeadError`] that it is.
#[derive(Debug)]
pub struct SqliteError {
    operation: Operation,
    /// None for a list.
    canvas: Option<CanvasId>,
    cause: Cause,
}

/// What failed.
#[derive(Debug)]
pub(super) enum Cause {
    /// SQLite said so.
    Sqlite(ErrorKind, rusqlite::Error),
    /// The path leads to another file, or to none.
    Moved,
    /// Somebody has brought the file to a later format since it was opened.
    TooNew { found: i64 },
    /// A value that the store never writes.
    Row(&'static str),
    /// The connection was lost, and there is no new one.
    Reopen(OpenError),
}

impl SqliteError {
    /// The stable code: that of the [`ErrorKind`], or of the [`OpenError`] where the file had to be opened again.
    pub fn code(&self) -> &'static str {
        match &self.cause {
            Cause::Sqlite(kind, _) => kind.code(),
            Cause::Moved => ErrorKind::Moved.code(),
            Cause::TooNew { .. } => "STORE_TOO_NEW",
            Cause::Row(_) => ErrorKind::Corrupt.code(),
            Cause::Reopen(e) => e.code(),
        }
    }

    /// The call that failed.
    pub fn operation(&self) -> Operation {
        self.operation
    }

    /// The canvas that it was about.
    pub fn canvas(&self) -> Option<&CanvasId> {
        self.canvas.as_ref()
    }
}

impl fmt::Display for SqliteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.operation)?;
        if let Some(canvas) = &self.canvas {
            // An id may hold anything: in quotes, with what cannot be printed escaped.
            write!(f, " of canvas {:?}", canvas.as_str())?;
        }
        match &self.cause {
            Cause::Sqlite(kind, e) => write!(f, ": {} ({e}): {}", kind.what(), kind.next()),
            Cause::Moved => write!(f, ": {}: {}", ErrorKind::Moved.what(), ErrorKind::Moved.next()),
            Cause::TooNew { found } => {
                write!(f, ": the file now has format {found}: update this program and open the store anew")
            }
            Cause::Row(what) => write!(f, ": {what}: {}", ErrorKind::Corrupt.next()),
            Cause::Reopen(e) => write!(f, ": {e}"),
        }
    }
}

impl Error for SqliteError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.cause {
            Cause::Sqlite(_, e) => Some(e),
            Cause::Reopen(e) => e.source(),
            Cause::Moved | Cause::TooNew { .. } | Cause::Row(_) => None,
        }
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
    /// Whether the connection should make way for a new one.
    pub(super) fn spoils_connection(&self) -> bool {
        match self {
            Self::Definite(cause) | Self::InDoubt(cause) => {
                matches!(cause, Cause::Sqlite(kind, _) if kind.spoils_connection())
            }
            Self::Head(_) => false,
        }
    }

    /// The fault, with its place.
    pub(super) fn at(self, operation: Operation, canvas: Option<&CanvasId>) -> Fault {
        let place = |cause| Box::new(SqliteError { operation, canvas: canvas.cloned(), cause });
        match self {
            Self::Definite(cause) => Fault::Definite(place(cause)),
            Self::InDoubt(cause) => Fault::Indeterminate(place(cause)),
            Self::Head(e) => Fault::Definite(Box::new(e)),
        }
    }
}

impl From<Cause> for CallError {
    fn from(cause: Cause) -> Self {
        Self::Definite(cause)
    }
}

impl From<rusqlite::Error> for Cause {
    fn from(e: rusqlite::Error) -> Self {
        Self::Sqlite(ErrorKind::of(&e), e)
    }
}

/// Before COMMIT nothing is written for good.
impl From<rusqlite::Error> for CallError {
    fn from(e: rusqlite::Error) -> Self {
        Self::Definite(e.into())
    }
}

impl From<HeadError> for CallError {
    fn from(e: HeadError) -> Self {
        Self::Head(e)
    }
}
