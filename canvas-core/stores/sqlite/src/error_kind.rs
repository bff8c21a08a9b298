//! What SQLite's errors mean to a caller.

use rusqlite::{Error, ErrorCode, ffi};

/// Why SQLite failed, told apart as far as a caller would act differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// Another connection kept the file to itself for longer than the timeout.
    Busy,
    /// The disk is full, or the file has the size that it may have.
    Full,
    /// The file may not be written.
    ReadOnly,
    /// The file is another one than it was.
    Moved,
    /// What is in the file contradicts itself.
    Corrupt,
    /// The file has other content than a database.
    NotADatabase,
    /// The file, or one that SQLite keeps beside it, cannot be opened.
    CannotOpen,
    /// Reading or writing failed.
    Io,
    /// A value is larger than SQLite takes.
    TooLarge,
    /// There is no memory left.
    OutOfMemory,
    /// Anything else.
    Unexpected,
}

impl ErrorKind {
    /// What an error means.
    pub fn of(error: &Error) -> Self {
        match error.sqlite_extended_error_code() {
            Some(ffi::SQLITE_READONLY_DBMOVED | ffi::SQLITE_IOERR_VNODE) => return Self::Moved,
            Some(ffi::SQLITE_IOERR_NOMEM) => return Self::OutOfMemory,
            _ => {}
        }
        match error.sqlite_error_code() {
            // The protocol error is a race for the log that was lost too often.
            Some(
                ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed,
            ) => Self::Busy,
            Some(ErrorCode::DiskFull) => Self::Full,
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Self::ReadOnly,
            Some(ErrorCode::DatabaseCorrupt) => Self::Corrupt,
            Some(ErrorCode::NotADatabase) => Self::NotADatabase,
            Some(ErrorCode::CannotOpen) => Self::CannotOpen,
            Some(ErrorCode::SystemIoFailure | ErrorCode::NoLargeFileSupport) => Self::Io,
            Some(ErrorCode::TooBig) => Self::TooLarge,
            Some(ErrorCode::OutOfMemory) => Self::OutOfMemory,
            Some(_) => Self::Unexpected,
            None => match error {
                // The schema fixes the type of each column.
                Error::FromSqlConversionFailure(..)
                | Error::IntegralValueOutOfRange(..)
                | Error::InvalidColumnType(..)
                | Error::Utf8Error(..) => Self::Corrupt,
                Error::NulError(_) | Error::InvalidPath(_) => Self::CannotOpen,
                _ => Self::Unexpected,
            },
        }
    }

    /// The stable code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Busy => "STORE_BUSY",
            Self::Full => "STORE_FULL",
            Self::ReadOnly => "STORE_READ_ONLY",
            Self::Moved => "STORE_MOVED",
            Self::Corrupt => "STORE_CORRUPT",
            Self::NotADatabase => "STORE_NOT_A_DATABASE",
            Self::CannotOpen => "STORE_CANNOT_OPEN",
            Self::Io => "STORE_IO",
            Self::TooLarge => "STORE_TOO_LARGE",
            Self::OutOfMemory => "STORE_OUT_OF_MEMORY",
            Self::Unexpected => "STORE_UNEXPECTED",
        }
    }

    /// What is wrong.
    pub(super) const fn what(self) -> &'static str {
        match self {
            Self::Busy => "another connection keeps the file locked",
            Self::Full => "the disk is full or the file has reached its limit",
            Self::ReadOnly => "the file may not be written",
            Self::Moved => "the file is no longer the one that was opened",
            Self::Corrupt => "the file is damaged",
            Self::NotADatabase => "the file is no SQLite database",
            Self::CannotOpen => "the file or one beside it cannot be opened",
            Self::Io => "the disk failed",
            Self::TooLarge => "a value is larger than SQLite takes",
            Self::OutOfMemory => "there is no memory left",
            Self::Unexpected => "SQLite failed",
        }
    }

    /// What to do next.
    pub(super) const fn next(self) -> &'static str {
        match self {
            Self::Busy => "try again, and look for a process that writes for long",
            Self::Full => "make room or raise the limit, then try again",
            Self::ReadOnly => "let this process write the file and its folder",
            Self::Moved => "put it back, or open the store anew",
            Self::Corrupt => "restore it from a backup",
            Self::NotADatabase => "give the path of another file",
            Self::CannotOpen => "check the folder and this process's rights in it",
            Self::Io => "check the disk, then try again",
            Self::TooLarge => "write a smaller one",
            Self::OutOfMemory => "free some, then try again",
            Self::Unexpected => "report this message",
        }
    }

    /// Whether a new connection may fare better, because the old one may hold what it has misread.
    pub(super) const fn spoils_connection(self) -> bool {
        !matches!(self, Self::Busy | Self::Full | Self::Moved | Self::TooLarge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_error_of_sqlite_has_its_meaning() {
        let cases = [
            (ffi::SQLITE_BUSY, "STORE_BUSY"),
            (ffi::SQLITE_BUSY_RECOVERY, "STORE_BUSY"),
            (ffi::SQLITE_BUSY_SNAPSHOT, "STORE_BUSY"),
            (ffi::SQLITE_LOCKED, "STORE_BUSY"),
            (ffi::SQLITE_PROTOCOL, "STORE_BUSY"),
            (ffi::SQLITE_FULL, "STORE_FULL"),
            (ffi::SQLITE_READONLY, "STORE_READ_ONLY"),
            (ffi::SQLITE_READONLY_DIRECTORY, "STORE_READ_ONLY"),
            (ffi::SQLITE_PERM, "STORE_READ_ONLY"),
            (ffi::SQLITE_READONLY_DBMOVED, "STORE_MOVED"),
            (ffi::SQLITE_IOERR_VNODE, "STORE_MOVED"),
            (ffi::SQLITE_CORRUPT, "STORE_CORRUPT"),
            (ffi::SQLITE_CORRUPT_INDEX, "STORE_CORRUPT"),
            (ffi::SQLITE_NOTADB, "STORE_NOT_A_DATABASE"),
            (ffi::SQLITE_CANTOPEN, "STORE_CANNOT_OPEN"),
            (ffi::SQLITE_IOERR, "STORE_IO"),
            (ffi::SQLITE_IOERR_FSYNC, "STORE_IO"),
            (ffi::SQLITE_TOOBIG, "STORE_TOO_LARGE"),
            (ffi::SQLITE_NOMEM, "STORE_OUT_OF_MEMORY"),
            (ffi::SQLITE_IOERR_NOMEM, "STORE_OUT_OF_MEMORY"),
            (ffi::SQLITE_ERROR, "STORE_UNEXPECTED"),
            (ffi::SQLITE_MISUSE, "STORE_UNEXPECTED"),
            (ffi::SQLITE_CONSTRAINT_FOREIGNKEY, "STORE_UNEXPECTED"),
        ];
        for (number, code) in cases {
            let error = Error::SqliteFailure(ffi::Error::new(number), None);
            assert_eq!(ErrorKind::of(&error).code(), code, "{error}");
        }
        assert_eq!(ErrorKind::of(&Error::IntegralValueOutOfRange(0, 1)), ErrorKind::Corrupt);
        assert_eq!(ErrorKind::of(&Error::InvalidQuery), ErrorKind::Unexpected);
    }
}
