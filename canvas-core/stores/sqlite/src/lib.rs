//! A store in an SQLite file: the default for an application that embeds the engine.
//!
//! ```no_run
//! use canvas_core::{Blocking, Engine, Policy};
//! use canvas_store_sqlite::{SqliteStore, system_clock};
//!
//! let store = SqliteStore::open("canvases.db", system_clock)?;
//! // A host with an async runtime hands in its threads for blocking work, see `Blocking::on`.
//! let engine = Engine::new(Blocking::in_place(store), Policy::default());
//! # Ok::<(), canvas_core::StoreError>(())
//! ```
//!
//! # What it promises
//!
//! * A commit is one transaction that has the write lock from its start (`BEGIN IMMEDIATE`): the row is compared and
//!   the clock is read while nobody else can write. `not_after` is kept.
//! * A process that is killed at any moment leaves a canvas as it was before or after a commit, never between. What
//!   was answered `Done` is still there.
//! * A power loss tears nothing either, but by default it may undo the last commits, all of them from some
//!   point on. With [`Durability::Power`] it takes none that was answered, and each commit waits for the disk.
//! * Loads, blobs and lists have a connection of their own and wait for no writer. Commits wait for each other: those
//!   of one store in a queue, those of other connections for at most [`Options::busy_timeout`] each.
//! * A fault is definite wherever SQLite has not begun to commit. A COMMIT that fails and leaves no transaction is
//!   indeterminate: the log may hold it whole.
//! * After a fault the next call works as soon as its cause is gone. A connection that may be spoilt is closed and
//!   made anew.
//!
//! # Which files
//!
//! `open` makes a missing or empty file its own. It refuses what is no database, what another application keeps, and
//! what a later version of this program has written, and changes nothing there. It follows the file, not the name:
//! should another file take its place, each call fails with `STORE_MOVED` until the old one is back, because heads
//! that an engine has cached belong to the old one. After restoring a backup, open the store anew.
//!
//! Use it from one process or many, on **one machine** and a **local disk**. The write-ahead log needs memory that is
//! shared between processes, and locks that work: network file systems have neither, and lose data in silence.
//! Beside `canvases.db` lie `canvases.db-wal` and `canvases.db-shm` while it is open and after a crash; the log is
//! part of the data, so move or delete all three or none.
//!
//! To back it up while it is used, run `VACUUM INTO 'copy.db'` or SQLite's backup on a connection of your own. A copy
//! of the bare file misses what is still in the log. Dropped blobs make room in the file for later ones; only a
//! `VACUUM`, which needs the file to itself, makes it smaller.
//!
//! # Limits
//!
//! SQLite sends no word of commits, so each read of the engine loads the head; a [`Listener`] asks for changes by other
//! processes as often as its host wants. One write at a time in the whole file: many canvases that are written all the time are
//! better in several files, or in a database server.

mod clock;
mod error;
mod listener;
mod open;
mod schema;
mod store;
mod transaction;

use std::time::Duration;

pub use clock::system_clock;
pub use listener::Listener;
pub use store::SqliteStore;

/// How a store keeps its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// How long a call waits for other connections that keep the file locked, 5 s by default. Then it fails with
    /// `STORE_BUSY` and has written nothing. Longer than 24 days counts as 24 days.
    pub busy_timeout: Duration,
    /// What a commit that was answered survives.
    pub durability: Durability,
    /// The size that the file may reach, in whole pages of 8 KiB. A commit that would need more fails with
    /// `STORE_FULL`; dropping blobs makes room. The log comes on top. A file that is larger already grows no more.
    pub max_bytes: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Self { busy_timeout: Duration::from_secs(5), durability: Durability::Process, max_bytes: None }
    }
}

/// What a commit that was answered survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// The end of the process, however sudden (`synchronous = NORMAL`). A power loss or a crash of the operating
    /// system may take the last commits back.
    Process,
    /// A power loss too (`synchronous = FULL`), as far as the disk is honest. Each commit waits for the disk.
    Power,
}
