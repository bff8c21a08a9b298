//! Recognising our files, and creating and migrating their tables.

use canvas_core::store::{StoreError, StoreErrorKind};
use rusqlite::{Connection, TransactionBehavior};

/// "cnvs" in ASCII. Distinguishes our files from those of other applications.
pub(super) const APPLICATION: i64 = 0x636e_7673;

/// The script at index `n` upgrades a file from format `n` to the next.
const MIGRATIONS: [&str; 4] = [
    include_str!("schema.sql"),
    include_str!("schema_2.sql"),
    include_str!("schema_3.sql"),
    include_str!("schema_4.sql"),
];

/// The format that this code reads and writes. The file stores it as `user_version`.
pub(super) const FORMAT: i64 = MIGRATIONS.len() as i64;

const TABLES: [&str; 4] = ["blob", "canvas", "pack", "packed"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    Empty,
    /// Ours, with its format.
    Ours(i64),
    /// Ours, in a format of a later version.
    TooNew(i64),
    Foreign,
}

/// The error for a file in a later format.
pub(super) fn too_new(format: i64) -> StoreError {
    StoreError::new(StoreErrorKind::TooNew { found: format.unsigned_abs() })
}

/// The error for a file that had [`FORMAT`] and now has an earlier one, because somebody restored an older backup into it.
/// Only opening migrates, because other processes that do not know the new format may be using the file again.
pub(super) fn too_old() -> StoreError {
    StoreError::new(StoreErrorKind::Moved).with_message(
        "a backup of an earlier format was put back into the file: open the store anew, which migrates it",
    )
}

/// SQL that draws the stamp of a new version: 63 random bits, so that it is never negative.
pub(super) const STAMP: &str = "random() & 9223372036854775807";

/// Examines a file without writing.
pub(super) fn examine(connection: &Connection) -> rusqlite::Result<Found> {
    // Use one transaction, because another process may be creating the tables right now.
    let transaction = rusqlite::Transaction::new_unchecked(connection, TransactionBehavior::Deferred)?;
    look(&transaction)
}

fn look(connection: &Connection) -> rusqlite::Result<Found> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let (application, format) = (pragma("application_id")?, pragma("user_version")?);
    let mut names = connection.prepare(
        "SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )?;
    let names = names.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
    Ok(match (application, format) {
        (0, 0) if names.is_empty() => Found::Empty,
        (APPLICATION, newer) if newer > FORMAT => Found::TooNew(newer),
        // An operator may add tables of their own, for example for an audit trigger.
        (APPLICATION, FORMAT) if TABLES.iter().any(|table| !names.iter().any(|name| name == table)) => {
            Found::Foreign
        }
        (APPLICATION, format) if format > 0 => Found::Ours(format),
        _ => Found::Foreign,
    })
}

/// Upgrades a file to [`FORMAT`]. A file that cannot be upgraded stays unchanged.
///
/// If two processes do this at once, the second waits for the first and then has no work left.
pub(super) fn migrate(connection: &Connection) -> rusqlite::Result<Found> {
    let transaction = rusqlite::Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    let done = match look(&transaction)? {
        Found::Empty => 0,
        Found::Ours(format) => format,
        other => return Ok(other),
    };
    let stamp: i64 = transaction.query_row(&format!("SELECT {STAMP}"), [], |row| row.get(0))?;
    for (format, sql) in (0i64..).zip(MIGRATIONS) {
        if format >= done {
            transaction.execute_batch(&sql.replace("{stamp}", &stamp.to_string()))?;
        }
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", FORMAT)?;
    transaction.commit()?;
    Ok(Found::Ours(FORMAT))
}
