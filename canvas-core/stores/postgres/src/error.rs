//! Maps errors to the fate of the statement (whether it may have been executed), the state of the connection, and the
//! remedy.

use std::error::Error;

use canvas_core::CanvasId;
use canvas_core::store::{StoreError, StoreErrorKind, StoreOperation as Operation};
use deadpool_postgres::PoolError;
use tokio_postgres::error::{Severity, SqlState};

/// Returns the server's SQLSTATE if the error is an answer of the server.
pub fn sqlstate(error: &StoreError) -> Option<&str> {
    let source = error.source.as_deref()?;
    let driver = source.downcast_ref().or_else(|| match source.downcast_ref()? {
        PoolError::Backend(e) => Some(e),
        _ => None,
    });
    driver.and_then(tokio_postgres::Error::code).map(SqlState::code)
}

/// A kind of error with its message.
type Meaning = (StoreErrorKind, &'static str);

pub(super) const SCHEMA_NAME: Meaning = (
    StoreErrorKind::Unfit,
    "the schema's name is empty, too long or has NUL: choose one of 1 to 63 bytes without NUL",
);
pub(super) const NO_CONNECTION: Meaning = (
    StoreErrorKind::Unavailable,
    "there is no connection: check address, access and max_connections, or raise the pool's size",
);
pub(super) const UNEXPECTED: Meaning = (
    StoreErrorKind::Damaged,
    "the server answered out of turn: check that nobody else has changed the tables",
);
pub(super) const TIMED_OUT: Meaning = (
    StoreErrorKind::Unavailable,
    "no answer within the deadline: check the server and the network, then try again",
);
pub(super) const LOST: Meaning = (StoreErrorKind::Unavailable, "the connection was lost: try again");
pub(super) const STANDBY: Meaning =
    (StoreErrorKind::Unavailable, "the server is a standby: connect to the primary");
pub(super) const BUSY: Meaning = (StoreErrorKind::Busy, "others were in the way: try again");
pub(super) const NOT_MIGRATED: Meaning = (
    StoreErrorKind::Unfit,
    "the schema or its tables are not there: call PostgresStore::migrate with a role that may make them",
);
const DENIED: Meaning = (
    StoreErrorKind::Denied,
    "the role lacks a right: grant it what the documentation of canvas_store_postgres lists",
);
const FULL: Meaning =
    (StoreErrorKind::Full, "the server has no room left: free disk or memory there, then try again");
const STATEMENT: Meaning = (
    StoreErrorKind::Unfit,
    "a prepared statement was lost: behind a proxy in transaction mode use Statements::Unnamed",
);
const REFUSED: Meaning =
    (StoreErrorKind::Failed, "the server refused it: look its SQLSTATE up and mend the database");

/// An error of a statement, with the statement's fate.
#[derive(Debug)]
pub(super) struct CallError {
    pub(super) error: StoreError,
    /// Whether the statement may have been executed in spite of the error.
    pub(super) unsure: bool,
    /// Whether others may use the connection again.
    pub(super) keeps_connection: bool,
}

impl CallError {
    /// The error if no statement was sent.
    pub(super) fn unsent(operation: Operation, (kind, message): Meaning) -> Self {
        StoreError::new(kind).with_message(message).with_context(operation, None).into()
    }

    /// The error if a statement was sent and its outcome is unknown.
    pub(super) fn unanswered(operation: Operation, meaning: Meaning) -> Self {
        Self { unsure: true, ..Self::unsent(operation, meaning) }
    }

    /// Maps the driver's error for a statement that was sent.
    pub(super) fn answered(operation: Operation, e: tokio_postgres::Error) -> Self {
        let (meaning, unsure, keeps_connection) = match e.as_db_error() {
            Some(db) => judge(db.parsed_severity(), db.code()),
            None => (LOST, true, false),
        };
        Self { unsure, keeps_connection, ..Self::unsent(operation, meaning).with_source(e) }
    }

    /// Maps the pool's error.
    pub(super) fn pool(operation: Operation, e: PoolError) -> Self {
        let state = match &e {
            PoolError::Backend(e) => e.as_db_error().map(|db| db.code()),
            _ => None,
        };
        // For any other reason why the server does not let us in, report that there is no connection.
        let is_denied = state.is_some_and(|state| judge(None, state).0 == DENIED);
        Self::unsent(operation, if is_denied { DENIED } else { NO_CONNECTION }).with_source(e)
    }

    pub(super) fn with_source(self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        let mut error = self.error.with_source(source);
        let state = sqlstate(&error).map(|state| format!("{} (SQLSTATE {state})", error.message));
        error.message = state.map_or(error.message, Into::into);
        Self { error, ..self }
    }

    pub(super) fn of(self, canvas: &CanvasId) -> Self {
        Self { error: StoreError { canvas: Some(canvas.clone()), ..self.error }, ..self }
    }

    /// Returns the error of a call that may have written.
    pub(super) fn of_write(self) -> StoreError {
        if self.unsure { self.error.into_indeterminate() } else { self.error }
    }

    /// Returns the error of a call that writes nothing.
    pub(super) fn of_read(self) -> StoreError {
        self.error
    }
}

impl From<StoreError> for CallError {
    fn from(error: StoreError) -> Self {
        Self { error, unsure: false, keeps_connection: false }
    }
}

/// Returns the meaning of the server's error, whether the statement may have been executed, and whether the connection is
/// still usable.
///
/// After an `ERROR`, a statement outside of a transaction block is rolled back. `FATAL` and `PANIC` end the session,
/// perhaps after the commit. Classes 08 and 57P and state 40003 report lost sessions, even if a proxy labels them `ERROR`.
fn judge(severity: Option<Severity>, state: &SqlState) -> (Meaning, bool, bool) {
    let code = state.code();
    let lost = code.starts_with("08") || code.starts_with("57P") || code == "40003";
    if severity != Some(Severity::Error) || lost {
        return (if code.starts_with("28") { DENIED } else { LOST }, true, false);
    }
    match code {
        "25006" => (STANDBY, false, false),
        // The statement is unknown or already exists, or its result type has changed.
        "26000" | "42P05" | "0A000" => (STATEMENT, false, false),
        "42P01" | "3F000" | "42703" => (NOT_MIGRATED, false, true),
        "42501" => (DENIED, false, true),
        "55P03" | "57014" => (BUSY, false, true),
        _ if code.starts_with("28") => (DENIED, false, true),
        _ if code.starts_with("40") => (BUSY, false, true),
        _ if code.starts_with("53") => (FULL, false, true),
        _ => (REFUSED, false, true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_says_what_happened_to_the_statement() {
        let error = Some(Severity::Error);
        for (severity, state, expected) in [
            (error, "40001", (BUSY, false, true)),
            (error, "40P01", (BUSY, false, true)),
            (error, "55P03", (BUSY, false, true)),
            (error, "57014", (BUSY, false, true)),
            (error, "53100", (FULL, false, true)),
            (error, "42501", (DENIED, false, true)),
            (error, "42P01", (NOT_MIGRATED, false, true)),
            (error, "3F000", (NOT_MIGRATED, false, true)),
            (error, "22P02", (REFUSED, false, true)),
            (error, "25006", (STANDBY, false, false)),
            (error, "26000", (STATEMENT, false, false)),
            // Sent by proxies and by servers that shut down.
            (error, "40003", (LOST, true, false)),
            (error, "08006", (LOST, true, false)),
            (error, "57P01", (LOST, true, false)),
            (Some(Severity::Fatal), "57P01", (LOST, true, false)),
            (Some(Severity::Fatal), "53100", (LOST, true, false)),
            (Some(Severity::Panic), "XX000", (LOST, true, false)),
            // Without a severity, the error guarantees nothing.
            (None, "40001", (LOST, true, false)),
        ] {
            assert_eq!(judge(severity, &SqlState::from_code(state)), expected, "{severity:?} {state}");
        }
    }
}
