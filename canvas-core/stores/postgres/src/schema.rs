//! The schema, which `migrate` creates and each store checks before its first call.

use canvas_core::store::{StoreError, StoreErrorKind, StoreOperation as Operation};
use tokio_postgres::IsolationLevel;
use tokio_postgres::types::Type;

use super::error::{CallError, NOT_MIGRATED, UNEXPECTED};
use super::options::Schema;
use super::session::Sessions;

const SCHEMA: &str = include_str!("schema.sql");

/// Upgrades the tables from layout 1 to 2.
const SECOND: &str = include_str!("schema_2.sql");

/// The layout of the tables that this store needs.
const LAYOUT: i32 = 2;

/// Creates or upgrades schema and tables. Several servers may do this at once.
pub(super) async fn migrate(sessions: &Sessions, schema: &Schema) -> Result<(), CallError> {
    let operation = Operation::Open;
    let mut held = sessions.hold(operation).await?;
    let migrating = async {
        // A transaction that waits for the lock must see the tables that the other one has created.
        let level = IsolationLevel::ReadCommitted;
        let transaction = held.client().build_transaction().isolation_level(level).start().await?;
        // The lock ends with the transaction, so a proxy in transaction mode does not break it.
        let lock = schema.lock(b"migrate");
        transaction.query_typed("SELECT pg_advisory_xact_lock($1)", &[(&lock, Type::INT8)]).await?;
        let found = transaction
            .query_typed(
                "SELECT to_regnamespace(quote_ident($1)) IS NOT NULL, \
                        to_regclass(quote_ident($1) || '.layout') IS NOT NULL, \
                        EXISTS (SELECT FROM pg_settings WHERE name = 'default_toast_compression' \
                                AND 'lz4' = ANY (enumvals))",
                &[(&schema.name(), Type::TEXT)],
            )
            .await?;
        let [schema_there, tables_there, lz4] = match found.first() {
            Some(row) => [row.try_get(0)?, row.try_get(1)?, row.try_get(2)?],
            None => [false; 3],
        };
        // Create the schema only if it is missing, because a role that may not do so may still own a schema that somebody
        // gave it.
        if !schema_there {
            transaction.batch_execute(&schema.fill("CREATE SCHEMA {schema}")).await?;
        }
        if !tables_there {
            transaction.batch_execute(&schema.fill(SCHEMA)).await?;
            transaction.batch_execute(&schema.fill(storage(lz4))).await?;
        }
        let mut version = layout(&transaction, schema).await?;
        if version == Some(1) {
            transaction.batch_execute(&schema.fill(SECOND)).await?;
            version = layout(&transaction, schema).await?;
        }
        transaction.commit().await?;
        Ok(version)
    };
    let version = sessions.within(operation, migrating).await?;
    held.give_back();
    judge(operation, version)
}

async fn layout(
    transaction: &deadpool_postgres::Transaction<'_>,
    schema: &Schema,
) -> Result<Option<i32>, tokio_postgres::Error> {
    let found = transaction.query_typed(&schema.fill(VERSION), &[]).await?;
    found.first().map(|row| row.try_get(0)).transpose()
}

const VERSION: &str = "SELECT version FROM {schema}.layout";

/// Returns the statements that set the storage of the large columns. Uses lz4 if the server was built with it, because
/// it halves the size at no cost, and no compression otherwise. Writing 100 kB of source text with pglz, the server's
/// default, takes three times as long as with either of these.
fn storage(lz4: bool) -> &'static str {
    if lz4 {
        "ALTER TABLE {schema}.heads ALTER head SET COMPRESSION lz4;
         ALTER TABLE {schema}.blobs ALTER content SET COMPRESSION lz4;"
    } else {
        "ALTER TABLE {schema}.heads ALTER head SET STORAGE EXTERNAL;
         ALTER TABLE {schema}.blobs ALTER content SET STORAGE EXTERNAL;"
    }
}

/// Checks that the tables have the layout of this store.
pub(super) async fn check(
    sessions: &Sessions,
    schema: &Schema,
    operation: Operation,
) -> Result<(), CallError> {
    let rows = sessions.query(operation, &schema.fill(VERSION), &[]).await?;
    let version = rows.first().map(|row| row.try_get(0)).transpose();
    judge(operation, version.map_err(|e| CallError::answered(operation, e))?)
}

fn judge(operation: Operation, version: Option<i32>) -> Result<(), CallError> {
    match version {
        Some(LAYOUT) => Ok(()),
        Some(found) if found > LAYOUT => {
            let found = u64::from(found.unsigned_abs());
            Err(StoreError::new(StoreErrorKind::TooNew { found }).with_context(operation, None).into())
        }
        Some(_) => Err(CallError::unsent(operation, NOT_MIGRATED)),
        // `migrate` inserts the row together with the tables, so somebody has deleted it.
        None => Err(CallError::unsent(operation, UNEXPECTED)),
    }
}
