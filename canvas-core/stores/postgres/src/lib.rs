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
//! let engine = Engine::new(store, Policy::default()).with_sleep(tokio::time::sleep);
//! # Ok(())
//! # }
//! ```
//!
//! # Guarantees
//!
//! * A commit is one statement and, once this is prepared, one round trip. It locks the row, reads the clock, compares,
//!   and either writes head and blobs or changes neither. A conflict returns the row that won, with its document if the
//!   document has at most 64 KiB. A commit whose version is already outdated waits for no lock. Only a creation that
//!   loses, and a serialization failure under a stricter isolation level, need a second statement to read the row that
//!   won.
//! * However long a commit waits, it is decided by the row and the clock read after the wait.
//! * `load`, `blob` and `list` take one statement each, and `blobs` takes one for each 1,000. `collect` takes a load
//!   and one statement, which waits for running commits of the canvas and blocks later ones until it ends. A blob's age
//!   counts from its column `put`. This is the server's clock at the last commit that put the blob, read after any
//!   wait.
//! * An `ERROR` of the server means that the statement wrote nothing. After a lost connection, a `FATAL` or a missed
//!   deadline, the fate of a commit is unknown (`STORE_INDETERMINATE`), and the engine settles it. The store never sends a
//!   commit twice.
//! * If many servers write one canvas, each lost attempt costs the database as much as a read. Give the engine a sleep
//!   function ([`Engine::with_sleep`](canvas_core::Engine::with_sleep)), so that it backs off when it keeps losing. It
//!   holds no connection meanwhile.
//! * A call whose future is dropped does not block others, because the store closes its connection. The server may still
//!   execute the statement.
//!
//! [`sqlstate`] returns the server's own code for an error.
//!
//! # The database
//!
//! PostgreSQL 14 or later; tested with 15. The store needs a schema of its own, with the tables `heads`, `blobs` and
//! `layout` and the function `current_row`, which every role may call. It never deletes rows of `heads`. At run time the
//! role needs `USAGE` on the schema, `SELECT` on all tables, `INSERT` and `UPDATE` on `heads` and `blobs`, and `DELETE` on
//! `blobs`. [`PostgresStore::migrate`] also needs `CREATE` on the schema, and on the database if the schema does not exist
//! yet. One commit carries up to 1,000,000,000 bytes.
//!
//! Each blob has a row of its own, which the server splits and compresses (TOAST). An alternative was measured, with all
//! blobs of a commit in one row and a narrow index row for each blob. It wrote 2 to 7 % less log and used 13 % less disk,
//! but was not faster for 2, 5 or 16 blobs.
//!
//! * `synchronous_commit` must be `on` or stronger. With `off`, a crash of the server loses acknowledged commits.
//! * All calls go to the primary. A standby may lack changes that another server already saw, so the store refuses each
//!   of its answers (`STORE_UNAVAILABLE`) and the pool reconnects. `target_session_attrs=read-write` finds the primary.
//! * A failover loses no commit that a synchronous standby confirmed. An asynchronous standby may lose the last
//!   commits. Versions contain the time of their commit, so a server that saw a lost commit gets a conflict and never
//!   overwrites the newer state. The failover tool must make sure that the old primary stops writing.
//! * The same holds if you restore a backup into the tables while servers run (`pg_restore --data-only`, a copy of the
//!   tables), or restore the server to an earlier moment. Cached state from the time in between matches no later commit, so
//!   engines get a conflict. Restore `heads` and `blobs` together, in one transaction.
//! * Time is the server's `clock_timestamp()` in whole milliseconds. If it jumps, for example at a failover, the rules of
//!   the lease apply.
//! * The statements are written for the isolation level `read committed`, which [`PostgresStore::connect`] sets. Under
//!   a stricter level the guarantees hold too, but more calls fail or need a second statement.
//! * Over a network, set `keepalives_idle` and `tcp_user_timeout` in the connection string. Otherwise the first call on a
//!   dead connection waits for its deadline before it notices.
//! * With `client_connection_check_interval` (PostgreSQL 14 and later), the server notices sooner that a caller has
//!   disconnected.
//!
//! # Proxies in transaction mode
//!
//! PgBouncer, pgcat and similar proxies give each transaction another session. The store needs no session state: no
//! settings, no temporary tables, and no session-level advisory locks (creation and migration take one that ends with the
//! transaction). However, note three points:
//!
//! * Prepared statements have names. If the proxy does not track them (PgBouncer before 1.21, or with
//!   `max_prepared_statements = 0`), the same name may refer to the statement of another client. In this case use
//!   [`Statements::Unnamed`]. It still takes one round trip, but the server plans the statement each time.
//! * Such proxies refuse or drop start-up options, so set isolation level and `statement_timeout` for the role.
//! * A [`Listener`] needs a session, so connect it to the server itself.
//!
//! If the proxy resends statements by itself or reads from replicas, disable this, because it breaks the contract.
//!
//! # TLS
//!
//! [`PostgresStore::connect`] and [`Listener::connect`] take any connector of the driver, such as those of
//! `postgres-native-tls` and `tokio-postgres-rustls`. [`PostgresStore::new`] takes a pool that the host builds. The
//! driver's default is `sslmode=prefer`, under which an attacker on the network can disable TLS. Over a network, set
//! `sslmode=require` and let the connector verify the certificate.
//!
//! # Erasure
//!
//! No query finds a deleted row. However, after [`Engine::erase`](canvas_core::Engine::erase) its bytes are still in
//! dead rows of `heads` and `blobs`. A plain `VACUUM`, including autovacuum, frees their space without overwriting it.
//! The store does not overwrite these bytes itself, because this requires the owner's right and locks the tables even
//! against reads. Run these statements in a quiet hour, once for all canvases erased so far:
//!
//! ```sql
//! VACUUM (FULL) canvas.heads, canvas.blobs; -- writes both into new files, with their TOAST tables, and deletes the old ones
//! CHECKPOINT;                               -- lets the server recycle the write-ahead log; an old file of it goes when it is reused
//! ```
//!
//! Replicas follow by themselves. Archived logs and backups contain the text for as long as you keep them.
//!
//! # Limits
//!
//! Although the store notifies of preemptions ([`Notification`]), reads of the engine load the head, because a
//! notification comes after its commit and may be lost. The store keeps no history of heads and never deletes blobs by
//! itself. If a listening session never ends its transaction, the server's notification queue can fill up. While it is
//! full, the server refuses commits that preempt.

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

/// Compiles and runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
