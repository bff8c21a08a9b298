//! What can go wrong with the database: where, what, and whether anything may have been written.

use std::error::Error;
use std::fmt;

use canvas_core::CanvasId;
use tokio_postgres::error::SqlState;

/// What was asked for when it went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Making the store from its options.
    Open,
    /// [`PostgresStore::migrate`](super::PostgresStore::migrate).
    Migrate,
    /// Reading the version of the schema, before the first call.
    Check,
    /// [`Store::load`](canvas_core::Store::load).
    Load,
    /// [`Store::commit`](canvas_core::Store::commit).
    Commit,
    /// [`Store::blob`](canvas_core::Store::blob).
    Blob,
    /// [`Store::list`](canvas_core::Store::list).
    List,
    /// [`Store::delete`](canvas_core::Store::delete).
    Delete,
    /// [`Listener`](super::Listener).
    Listen,
}

impl Operation {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Migrate => "migrate",
            Self::Check => "check of the schema",
            Self::Load => "load",
            Self::Commit => "commit",
            Self::Blob => "blob",
            Self::List => "list",
            Self::Delete => "delete",
            Self::Listen => "listen",
        }
    }
}

/// What went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The name of a schema is empty, longer than 63 bytes, or has NUL.
    SchemaName,
    /// The pool gave no connection, or the server accepted none.
    NoConnection,
    /// The tables are not there.
    NotMigrated,
    /// A later version of this store has changed the tables.
    TooNew {
        /// The version of the tables.
        found: i32,
    },
    /// The role may not do this.
    Denied,
    /// The server has no room: disk, memory, or a quota.
    Full,
    /// Others were in the way: a deadlock, a lock not given in time, a serialization failure, the server's own
    /// `statement_timeout`.
    Busy,
    /// No answer within the deadline.
    TimedOut,
    /// The connection was lost.
    Lost,
    /// The server is a standby, which may be behind.
    Standby,
    /// A prepared statement is not what it was: a proxy has given the connection another session.
    Statement,
    /// Head and blobs are larger than one statement carries.
    TooLarge {
        /// Their bytes.
        bytes: usize,
    },
    /// The server refused the statement for a reason that the SQLSTATE names.
    Refused,
    /// The server answered something that the statement cannot mean.
    Unexpected,
}

impl ErrorKind {
    /// The stable code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::SchemaName => "POSTGRES_SCHEMA_NAME",
            Self::NoConnection => "POSTGRES_NO_CONNECTION",
            Self::NotMigrated => "POSTGRES_NOT_MIGRATED",
            Self::TooNew { .. } => "POSTGRES_TOO_NEW",
            Self::Denied => "POSTGRES_DENIED",
            Self::Full => "POSTGRES_FULL",
            Self::Busy => "POSTGRES_BUSY",
            Self::TimedOut => "POSTGRES_TIMED_OUT",
            Self::Lost => "POSTGRES_LOST",
            Self::Standby => "POSTGRES_STANDBY",
            Self::Statement => "POSTGRES_STATEMENT",
            Self::TooLarge { .. } => "POSTGRES_TOO_LARGE",
            Self::Refused => "POSTGRES_REFUSED",
            Self::Unexpected => "POSTGRES_UNEXPECTED",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SchemaName => {
                "the schema's name is empty, too long or has NUL: choose one of 1 to 63 bytes without NUL"
            }
            Self::NoConnection => {
                "there is no connection: check address, access and max_connections, or raise the pool's size"
            }
            Self::NotMigrated => {
                "the schema or its tables are not there: call PostgresStore::migrate with a role that may make them"
            }
            Self::TooNew { found } => {
                return write!(f, "the tables have version {found}, later than this store: update the program");
            }
            Self::Denied => "the role lacks a right: grant it what the documentation of canvas_store_postgres lists",
            Self::Full => "the server has no room left: free disk or memory there, then try again",
            Self::Busy => "others were in the way: try again",
            Self::TimedOut => "no answer within the deadline: check the server and the network, then try again",
            Self::Lost => "the connection was lost: try again",
            Self::Standby => "the server is a standby: connect to the primary",
            Self::Statement => {
                "a prepared statement was lost: behind a proxy in transaction mode use Statements::Unnamed"
            }
            Self::TooLarge { bytes } => {
                return write!(f, "{bytes} bytes are more than one statement carries: store less at once");
            }
            Self::Refused => "the server refused it: look its SQLSTATE up and mend the database",
            Self::Unexpected => "the server answered out of turn: check that nobody else has changed the tables",
        })
    }
}

/// An error of the database, with its place. [`Error::source`] has the driver's own error.
#[derive(Debug)]
pub struct PostgresError {
    operation: Operation,
    kind: ErrorKind,
    canvas: Option<CanvasId>,
    state: Option<SqlState>,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl PostgresError {
    pub(super) fn new(operation: Operation, kind: ErrorKind) -> Self {
        Self { operation, kind, canvas: None, state: None, source: None }
    }

    pub(super) fn caused(self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { source: Some(source.into()), ..self }
    }

    pub(super) fn state(self, state: Option<&SqlState>) -> Self {
        Self { state: state.cloned(), ..self }
    }

    pub(super) fn of(self, canvas: &CanvasId) -> Self {
        Self { canvas: Some(canvas.clone()), ..self }
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

    /// The server's SQLSTATE, where the server has answered.
    pub fn sqlstate(&self) -> Option<&str> {
        self.state.as_ref().map(SqlState::code)
    }
}

impl fmt::Display for PostgresError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.operation.as_str())?;
        if let Some(canvas) = &self.canvas {
            write!(f, " of canvas {:?}", canvas.as_str())?;
        }
        write!(f, ": {}", self.kind)?;
        match &self.state {
            Some(state) => write!(f, " (SQLSTATE {})", state.code()),
            None => Ok(()),
        }
    }
}

impl Error for PostgresError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_ref().map(|source| source.as_ref() as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_its_place() {
        let canvas = CanvasId::new("a\u{0}\n\u{1b}[31m'b").expect("the name is short");
        let error = PostgresError::new(Operation::Commit, ErrorKind::Busy)
            .of(&canvas)
            .state(Some(&SqlState::from_code("40001")));
        let expected =
            r#"commit of canvas "a\0\n\u{1b}[31m'b": others were in the way: try again (SQLSTATE 40001)"#;
        assert_eq!(error.to_string(), expected);
        assert_eq!((error.code(), error.sqlstate()), ("POSTGRES_BUSY", Some("40001")));
    }
}
