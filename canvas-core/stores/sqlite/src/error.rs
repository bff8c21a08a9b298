//! Maps SQLite's errors to kinds of store errors, with remedies.

use std::path::Path;

use canvas_core::store::{HeadError, StoreError, StoreErrorKind};
use rusqlite::{Error, ErrorCode, ffi};

/// An error of a call, before operation and canvas are added.
#[derive(Debug)]
pub(super) struct CallError(pub(super) StoreError);

impl CallError {
    /// The error for a value that the store never writes.
    pub(super) fn damaged(what: &'static str) -> Self {
        StoreError::damaged(what).into()
    }

    /// Whether to replace the connection, because it may still hold data that it read wrongly.
    pub(super) fn spoils_connection(&self) -> bool {
        use StoreErrorKind::{Busy, Full, Moved, TooLarge};
        let is_of_sqlite = self.0.source.as_deref().is_some_and(|source| source.is::<Error>());
        is_of_sqlite && !matches!(self.0.kind, Busy | Full | Moved | TooLarge)
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

/// The errors of statements before COMMIT, which are definite because nothing is durable yet.
impl From<Error> for CallError {
    fn from(error: Error) -> Self {
        let (kind, message) = meaning(&error);
        Self(StoreError::new(kind).with_message(message).with_source(error))
    }
}

/// Adds the path to an error of opening a file.
pub(super) fn at_file(path: &Path, error: impl Into<CallError>) -> StoreError {
    let CallError(error) = error.into();
    let message = format!("{path:?}: {}", error.message);
    error.with_message(message)
}

const BUSY: (StoreErrorKind, &str) = (
    StoreErrorKind::Busy,
    "another connection keeps the file locked: try again, and look for a process that writes for long",
);
const FULL: (StoreErrorKind, &str) = (
    StoreErrorKind::Full,
    "the disk is full or the file has reached its limit: make room or raise the limit, then try again",
);
const MEMORY: (StoreErrorKind, &str) =
    (StoreErrorKind::Full, "there is no memory left: free some, then try again");
pub(super) const DENIED: (StoreErrorKind, &str) =
    (StoreErrorKind::Denied, "the file may not be written: let this process write the file and its folder");
pub(super) const MOVED: (StoreErrorKind, &str) = (
    StoreErrorKind::Moved,
    "the file is no longer the one that was opened: put it back, or open the store anew",
);
const DAMAGED: (StoreErrorKind, &str) =
    (StoreErrorKind::Damaged, "the file is damaged: restore it from a backup");
const NO_DATABASE: (StoreErrorKind, &str) =
    (StoreErrorKind::Unfit, "the file is no SQLite database: give the path of another file");
const CANNOT_OPEN: (StoreErrorKind, &str) = (
    StoreErrorKind::Unavailable,
    "the file or one beside it cannot be opened: check the folder and this process's rights in it",
);
const DISK: (StoreErrorKind, &str) =
    (StoreErrorKind::Unavailable, "the disk failed: check it, then try again");
const TOO_LARGE: (StoreErrorKind, &str) =
    (StoreErrorKind::TooLarge, "a value is larger than SQLite takes: write a smaller one");
const UNEXPECTED: (StoreErrorKind, &str) = (StoreErrorKind::Failed, "SQLite failed: report this message");

fn meaning(error: &Error) -> (StoreErrorKind, &'static str) {
    match error.sqlite_extended_error_code() {
        Some(ffi::SQLITE_READONLY_DBMOVED | ffi::SQLITE_IOERR_VNODE) => return MOVED,
        Some(ffi::SQLITE_IOERR_NOMEM) => return MEMORY,
        _ => {}
    }
    match error.sqlite_error_code() {
        // A protocol error means that the connection lost the race for the log too often.
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed) => {
            BUSY
        }
        Some(ErrorCode::DiskFull) => FULL,
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => DENIED,
        Some(ErrorCode::DatabaseCorrupt) => DAMAGED,
        Some(ErrorCode::NotADatabase) => NO_DATABASE,
        Some(ErrorCode::CannotOpen) => CANNOT_OPEN,
        Some(ErrorCode::SystemIoFailure | ErrorCode::NoLargeFileSupport) => DISK,
        Some(ErrorCode::TooBig) => TOO_LARGE,
        Some(ErrorCode::OutOfMemory) => MEMORY,
        Some(_) => UNEXPECTED,
        None => match error {
            // The schema fixes the type of each column, so another type means damage.
            Error::FromSqlConversionFailure(..)
            | Error::IntegralValueOutOfRange(..)
            | Error::InvalidColumnType(..)
            | Error::Utf8Error(..) => DAMAGED,
            Error::NulError(_) | Error::InvalidPath(_) => CANNOT_OPEN,
            _ => UNEXPECTED,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_error_of_sqlite_has_its_meaning() {
        let cases = [
            (ffi::SQLITE_BUSY, BUSY),
            (ffi::SQLITE_BUSY_RECOVERY, BUSY),
            (ffi::SQLITE_BUSY_SNAPSHOT, BUSY),
            (ffi::SQLITE_LOCKED, BUSY),
            (ffi::SQLITE_PROTOCOL, BUSY),
            (ffi::SQLITE_FULL, FULL),
            (ffi::SQLITE_READONLY, DENIED),
            (ffi::SQLITE_READONLY_DIRECTORY, DENIED),
            (ffi::SQLITE_PERM, DENIED),
            (ffi::SQLITE_READONLY_DBMOVED, MOVED),
            (ffi::SQLITE_IOERR_VNODE, MOVED),
            (ffi::SQLITE_CORRUPT, DAMAGED),
            (ffi::SQLITE_CORRUPT_INDEX, DAMAGED),
            (ffi::SQLITE_NOTADB, NO_DATABASE),
            (ffi::SQLITE_CANTOPEN, CANNOT_OPEN),
            (ffi::SQLITE_IOERR, DISK),
            (ffi::SQLITE_IOERR_FSYNC, DISK),
            (ffi::SQLITE_TOOBIG, TOO_LARGE),
            (ffi::SQLITE_NOMEM, MEMORY),
            (ffi::SQLITE_IOERR_NOMEM, MEMORY),
            (ffi::SQLITE_ERROR, UNEXPECTED),
            (ffi::SQLITE_MISUSE, UNEXPECTED),
            (ffi::SQLITE_CONSTRAINT_FOREIGNKEY, UNEXPECTED),
        ];
        for (number, expected) in cases {
            let error = Error::SqliteFailure(ffi::Error::new(number), None);
            assert_eq!(meaning(&error), expected, "{error}");
        }
        assert_eq!(meaning(&Error::IntegralValueOutOfRange(0, 1)), DAMAGED);
        assert_eq!(meaning(&Error::InvalidQuery), UNEXPECTED);
    }
}
