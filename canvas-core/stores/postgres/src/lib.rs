//! A store in a PostgreSQL database, for several servers.
//!
//! ```no_run
//! use canvas_core::{Engine, Policy};
//! use canvas_store_postgres::{PostgresOptions, PostgresStore};
//! use tokio_postgres::{Config, NoTls};
//!
//! # async fn host() -> Result<(), Box<dyn std::error::Error>> {
//! let config: Config = "host=/run/postgresql user=canvas dbname=canvas target_session_attrs=read-write".parse()?;
//! let store = PostgresStore::connect(config, NoTls, &PostgresOptions::default())?;
//! store.migrate().await?; // once, by a role that may make tables
//! let engine = Engine::new(store, Policy::default()).with_pause(tokio::time::sleep);
//! # Ok(())
//! # }
//! ```
//!
//! # What it promises
//!
//! * A commit is one statement and, once it is prepared, one round trip: it locks the row, reads the clock, compares,
//!   and writes head and blobs or nothing. A conflict carries the row that won, with its document up to 64 KiB; a commit
//!   that is wrong from the start waits for no lock. Only a creation that loses, and a
//!   serialization failure under a stricter isolation level, take a second statement, to read that row.
//! * Whatever it waits for, it judges on the row and the clock as they are after the wait.
//! * `load`, `blob` and `list` are one statement each, `blobs` one for each 1,000, `collect` a load and
//!   one statement, which waits for commits of the canvas and holds them up. The age of a blob is that of its row's column
//!   `put`, the server's clock at the commit that put it last, after the wait.
//! * An `ERROR` of the server means that nothing was written. A lost connection, a `FATAL` and a
//!   passed deadline leave a commit of unknown fate (`STORE_INDETERMINATE`), which the engine settles. It never
//!   sends a commit twice.
//! * Of many servers at one canvas each lost try costs the database as much as a read: give the engine a pause
//!   ([`Engine::with_pause`](canvas_core::Engine::with_pause)), and who loses again and again holds back, with no
//!   connection in hand.
//! * A call whose future is dropped holds nobody up: its connection is thrown away. The statement may still be carried
//!   out.
//!
//! [`sqlstate`] gives the server's own word on an error.
//!
//! # The database
//!
//! PostgreSQL 14 or later; tested with 15. In a schema of their own lie three tables, `heads`, `blobs` and `layout`, and
//! the function `current_row`, which every role may call. Rows of `heads` are never deleted. At run time the role needs
//! `USAGE` on the schema, `SELECT` on all tables, `INSERT` and `UPDATE` on `heads` and `blobs`, `DELETE` on `blobs`; for
//! [`PostgresStore::migrate`] also `CREATE` on the schema, and on the database where the schema is to be made. One
//! commit carries up to 1,000,000,000 bytes.
//!
//! Each blob has a row of its own, which the server cuts and compresses (TOAST). The blobs of a commit in one row, with a narrow row
//! a blob that says where, were measured too: 2 to 7 % less log, 13 % less on disk, and no faster for 2, 5 or 16 blobs.
//!
//! * `synchronous_commit` must be `on` or stronger. With `off` a crash of the server loses commits that were
//!   answered as done.
//! * All calls go to the primary. A standby may be behind what another server learned, so each answer of one is
//!   refused (`STORE_UNAVAILABLE`) and the pool connects anew. `target_session_attrs=read-write` finds the primary.
//! * Failover loses nothing that was committed to a synchronous standby. An asynchronous one may lose the last
//!   commits; versions hold the time of their commit, so that a server which knows a lost one gets a conflict and never
//!   overwrites what came instead. That an old primary stops writing is the failover's duty.
//! * So with a backup that is put back into the tables under running servers (`pg_restore --data-only`, a copy of the
//!   tables) or by a server that is restored to an earlier moment: what engines have cached of the time between matches
//!   no later commit, and they get a conflict. Put `heads` and `blobs` back together, in one transaction.
//! * Time is the server's `clock_timestamp()` in whole milliseconds. Where it jumps, at a failover too, the lease's
//!   own rules hold.
//! * `read committed` is the level that the statements are made for. [`PostgresStore::connect`] sets it; under a
//!   stricter one the promises hold too, at the price of errors and second statements.
//! * Over a network set `keepalives_idle` and `tcp_user_timeout` in the connection string: a connection that has died
//!   in silence is otherwise found out by the first call that waits for its deadline on it.
//! * `client_connection_check_interval` (14 and later) makes the server notice sooner that a caller has gone.
//!
//! # Proxies in transaction mode
//!
//! PgBouncer, pgcat and their like give each transaction another session. Nothing here needs a session: no setting, no
//! temporary table, no session's advisory lock (creation and migration take one that ends with the transaction).
//! Three things to know:
//!
//! * Prepared statements have names. Through a proxy that does not track them (PgBouncer before 1.21, or with
//!   `max_prepared_statements = 0`) the same name may stand for the statement of another client. Use
//!   [`Statements::Unnamed`]: still one round trip, and the server plans each time.
//! * Such proxies refuse or drop start-up options, so isolation level and `statement_timeout` are set for the role.
//! * A [`Listener`] needs a session: connect it to the server itself.
//!
//! A proxy that sends a statement again by itself, or reads from replicas, breaks the contract; switch that off.
//!
//! # TLS
//!
//! [`PostgresStore::connect`] and [`Listener::connect`] take any connector of the driver, such as those of
//! `postgres-native-tls` and `tokio-postgres-rustls`; [`PostgresStore::new`] takes a pool that the host has made. The
//! driver's default is `sslmode=prefer`, which a network in between can switch off: over a network say
//! `sslmode=require` and have the connector check the certificate.
//!
//! # What is erased
//!
//! No query finds a dropped row. After [`Engine::erase`](canvas_core::Engine::erase) its bytes are still in dead rows of
//! `heads` and `blobs`, and a plain `VACUUM`, autovacuum's too, gives their room back without overwriting it. The store
//! does not remove them, because that takes the tables to itself, reads too, and the owner's right. Ask the server in a
//! quiet hour, once for all canvases that were erased since:
//!
//! ```sql
//! VACUUM (FULL) canvas.heads, canvas.blobs; -- writes both into new files, with their TOAST tables, and deletes the old ones
//! CHECKPOINT;                               -- lets the server recycle the write-ahead log; an old file of it goes when it is reused
//! ```
//!
//! Replicas follow by themselves. Archives of the log and backups have the text for as long as they are kept.
//!
//! # Limits
//!
//! Reads load, although preemptions are notified ([`Notification`]): notifications come after the commit and may be lost. It keeps no
//! history of heads and drops no blobs by itself. While the server's queue of notifications is full, which takes a session
//! that listens and never ends its transaction, it refuses commits that preempt.

mod commit;
mod error;
mod listener;
mod notification;
mod open;
mod options;
mod row;
mod schema;
mod session;
mod store;

pub use error::sqlstate;
pub use listener::{Listener, ListenerOptions};
pub use notification::Notification;
pub use options::{PostgresOptions, Statements};
pub use store::PostgresStore;

/// The example of the README, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
