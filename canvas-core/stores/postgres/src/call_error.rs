//! What an error means for what was asked: whether it may have been carried out, and what to do with the connection.

use canvas_core::{CanvasId, Fault};
use deadpool_postgres::PoolError;
use tokio_postgres::error::{Severity, SqlState};

use super::error::{ErrorKind, Operation, PostgresError};

/// An error of a statement, and whether that may have been carried out.
#[derive(Debug)]
pub(super) struct CallError {
    pub(super) error: PostgresError,
    /// The statement may have been carried out all the same.
    pub(super) unsure: bool,
    /// The connection can serve others.
    pub(super) keeps_connection: bool,
}

impl CallError {
    /// Nothing was sent.
    pub(super) fn unsent(error: PostgresError) -> Self {
        Self { error, unsure: false, keeps_connection: false }
    }

    /// A statement was sent, and no verdict came back.
    pub(super) fn unanswered(error: PostgresError) -> Self {
        Self { error, unsure: true, keeps_connection: false }
    }

    /// The driver's error to a statement that was sent.
    pub(super) fn answered(operation: Operation, e: tokio_postgres::Error) -> Self {
        let (kind, unsure, keeps_connection) = match e.as_db_error() {
            Some(db) => judge(db.parsed_severity(), db.code()),
            None => (ErrorKind::Lost, true, false),
        };
        let state = e.code().cloned();
        let error = PostgresError::new(operation, kind).state(state.as_ref()).caused(e);
        Self { error, unsure, keeps_connection }
    }

    /// The pool's error.
    pub(super) fn pool(operation: Operation, e: PoolError) -> Self {
        let db = match &e {
            PoolError::Backend(e) => e.as_db_error(),
            _ => None,
        };
        // Whatever else keeps a server from letting us in, there is no connection.
        let kind = match db.map(|db| db.code()) {
            Some(state) if judge(None, state).0 == ErrorKind::Denied => ErrorKind::Denied,
            _ => ErrorKind::NoConnection,
        };
        let state = db.map(|db| db.code().clone());
        Self::unsent(PostgresError::new(operation, kind).state(state.as_ref()).caused(e))
    }

    pub(super) fn of(self, canvas: &CanvasId) -> Self {
        Self { error: self.error.of(canvas), ..self }
    }

    /// As the fault of something that may have been written.
    pub(super) fn of_write(self) -> Fault {
        if self.unsure { Fault::Indeterminate(Box::new(self.error)) } else { self.of_read() }
    }

    /// As the fault of something that writes nothing.
    pub(super) fn of_read(self) -> Fault {
        Fault::Definite(Box::new(self.error))
    }
}

/// What the server's verdict on one statement means: the kind, whether the statement may have been carried out,
/// and whether the connection is still good.
///
/// An `ERROR` to a statement outside of a transaction block has rolled it back. `FATAL` and `PANIC` end the session,
/// perhaps after the commit; classes 08 and 57P and state 40003 speak of lost sessions even where a proxy calls
/// them an `ERROR`.
fn judge(severity: Option<Severity>, state: &SqlState) -> (ErrorKind, bool, bool) {
    let code = state.code();
    let lost = code.starts_with("08") || code.starts_with("57P") || code == "40003";
    if severity != Some(Severity::Error) || lost {
        let kind = if code.starts_with("28") { ErrorKind::Denied } else { ErrorKind::Lost };
        return (kind, true, false);
    }
    let kind = match code {
        "42P01" | "3F000" | "42703" => ErrorKind::NotMigrated,
        "42501" => ErrorKind::Denied,
        "25006" => ErrorKind::Standby,
        // Unknown, doubled, or of a shape that it no longer has.
        "26000" | "42P05" | "0A000" => ErrorKind::Statement,
        "55P03" | "57014" => ErrorKind::Busy,
        _ if code.starts_with("28") => ErrorKind::Denied,
        _ if code.starts_with("40") => ErrorKind::Busy,
        _ if code.starts_with("53") => ErrorKind::Full,
        _ => ErrorKind::Refused,
    };
    (kind, false, !matches!(kind, ErrorKind::Standby | ErrorKind::Statement))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_says_what_happened_to_the_statement() {
        let error = Some(Severity::Error);
        for (severity, state, expected) in [
            (error, "40001", (ErrorKind::Busy, false, true)),
            (error, "40P01", (ErrorKind::Busy, false, true)),
            (error, "55P03", (ErrorKind::Busy, false, true)),
            (error, "57014", (ErrorKind::Busy, false, true)),
            (error, "53100", (ErrorKind::Full, false, true)),
            (error, "42501", (ErrorKind::Denied, false, true)),
            (error, "42P01", (ErrorKind::NotMigrated, false, true)),
            (error, "3F000", (ErrorKind::NotMigrated, false, true)),
            (error, "22P02", (ErrorKind::Refused, false, true)),
            (error, "25006", (ErrorKind::Standby, false, false)),
            (error, "26000", (ErrorKind::Statement, false, false)),
            // Said by proxies and by servers that go down.
            (error, "40003", (ErrorKind::Lost, true, false)),
            (error, "08006", (ErrorKind::Lost, true, false)),
            (error, "57P01", (ErrorKind::Lost, true, false)),
            (Some(Severity::Fatal), "57P01", (ErrorKind::Lost, true, false)),
            (Some(Severity::Fatal), "53100", (ErrorKind::Lost, true, false)),
            (Some(Severity::Panic), "XX000", (ErrorKind::Lost, true, false)),
            // A server that names no severity promises nothing.
            (None, "40001", (ErrorKind::Lost, true, false)),
        ] {
            assert_eq!(judge(severity, &SqlState::from_code(state)), expected, "{severity:?} {state}");
        }
    }
}
