//! A store in an SQLite file: the default for an application that embeds the engine.
//!
//! ```
//! use canvas_core::store::Blocking;
//! use canvas_core::{CallId, CanvasId, Engine, OpKey, Policy, block_on};
//! use canvas_store_sqlite::{SqliteStore, system_clock};
//!
//! # let folder = std::env::temp_dir().join(format!("canvas-store-sqlite-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # let file = folder.join("canvases.db");
//! // A host with an async runtime hands in its threads for blocking work, see `Blocking::on`.
//! let open = || SqliteStore::open(&file, system_clock).map(Blocking::in_place);
//! let engine = Engine::new(open()?, Policy::default());
//! let (plan, operation) = (CanvasId::new("plan")?, OpKey::host(CallId::new("create")?));
//! block_on(engine.create(&plan, "# Plan\n", &operation, system_clock()))?;
//!
//! // This process later, or another one at the same time, goes on with it.
//! let engine = Engine::new(open()?, Policy::default());
//! assert_eq!(block_on(engine.snapshot(&plan, system_clock()))?.text(), "# Plan\n");
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
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
//! * A fault is definite wherever SQLite has not begun to commit, and where the disk is full (`STORE_FULL`), also in the
//!   middle of the COMMIT: nothing was written, and the next commit works once there is room. Any other COMMIT that fails
//!   and leaves no transaction is indeterminate: the log may hold it whole.
//! * After a fault the next call works as soon as its cause is gone. A connection that may be spoilt is closed and
//!   made anew.
//!
//! # Cost
//!
//! A load, a blob and a page of a list are one transaction each, many blobs one for each 1,000, a commit is one transaction
//! that changes the row of the canvas in its place and adds one row, a pack, with all small blobs that it brings (up to
//! 64 KiB each, 256 KiB together; more take more rows, and a larger blob has its own). An index says in which pack a blob
//! lies, so reading one reads its pack, and reading many reads each pack once. A commit of a head of 44 KB and a document of
//! 4 KB writes 87 KB, log and file together, where it wrote 138 KB before there were packs.
//!
//! With the default durability a commit waits for no disk but when the log's content goes into the file, once in 16 MiB.
//! Pages of new files have 4 KiB; a commit writes each page that it touches to the log, whole. Of page sizes of 2, 4 and 8 KiB
//! and logs of 4 and 16 MiB these were the best. What each setting of [`Durability`] survives is said there.
//!
//! # Which files
//!
//! `open` makes a missing or empty file its own. It refuses what is no database, what another application keeps, and
//! what a later version of this program has written, and changes nothing there. It follows the file, not the name:
//! should another file take its place, each call fails with `STORE_MOVED` until the old one is back, because heads
//! that an engine has cached belong to the old one. A file of an earlier format is migrated when it is opened, in one
//! transaction that rewrites no row: blobs that it has stay where they are, and so do its pages of 8 KiB; programs with an earlier version of this library refuse it from then on
//! (`STORE_TOO_NEW`).
//!
//! Use it from one process or many, on **one machine** and a **local disk**. The write-ahead log needs memory that is
//! shared between processes, and locks that work: network file systems have neither, and lose data in silence.
//! Beside `canvases.db` lie `canvases.db-wal` and `canvases.db-shm` while it is open and after a crash; the log is
//! part of the data, so move or delete all three or none.
//!
//! # Backups
//!
//! To back it up while it is used, run `VACUUM INTO 'copy.db'` or SQLite's backup (`.backup` of its shell) on a
//! connection of your own. A copy of the bare file misses what is still in the log, and where the log's content went into
//! the file meanwhile, it is damaged: what is read from it is whole, of whatever moment, or a fault (`STORE_DAMAGED`,
//! `CANVAS_DAMAGED`), because each row has a checksum and each blob is named by its hash. Rows that a format without
//! checksums has left are checked from their next commit on; who changes a head by hand sets its `sum` to null.
//!
//! SQLite's backup also puts a copy back into the same file (`.restore`) while stores have it open. They go on from it,
//! and so do engines with cached heads: a version is a counter and a number drawn at random with each commit,
//! `7-5577006791947779410`, so one that was restored away matches no later state, and who expects it gets a conflict
//! with the row as it is. A backup of an earlier format is answered `STORE_MOVED` until somebody opens the file anew. To
//! put a backup back by a copy of files, end every process that uses the file, and remove `-wal` and `-shm` first.
//!
//! # What is dropped
//!
//! A collection is one transaction. Dropped blobs make room in the file for later ones; only a `VACUUM`, during which nobody
//! else can write, makes it smaller. The age of a blob is judged by the clock that the store was opened with; blobs of a file of
//! an earlier format than 3 count as old.
//!
//! A pack of which nothing is kept goes. One of which more than half is dead is rewritten: what is kept of it goes into a new
//! pack, together with what is kept of others. So after a collection at most half of each pack is dead; what is dead in it is
//! no longer found, and its bytes stay until then, or until a collection whatever the age, which rewrites every pack that
//! has anything dead in it.
//!
//! Rows that are dropped or overwritten are filled with zeros (`PRAGMA secure_delete`), which writes each freed page once more, when
//! blobs are dropped and where a head gets much shorter. That keeps most of a dropped text from being read in the file, and not
//! all: when SQLite spreads rows over neighbouring pages, copies of them may stay in the gaps of these pages.
//!
//! # What is erased
//!
//! A collection whatever the age, as [`Engine::erase`](canvas_core::Engine::erase) asks for, also rewrites the file (`VACUUM`),
//! moves the log into it and empties the log. After its answer, the dropped text is neither in the file nor in the log nor in
//! any other file beside them. The same holds for the text of all canvases that was dropped before, by any version of this
//! library.
//!
//! * It takes time in proportion to the file, whatever the canvas has: about 1 s for 100 MB. Meanwhile reads go on, and
//!   commits wait. A commit that waits longer than its own [`Options::busy_timeout`] fails with `STORE_BUSY` and writes
//!   nothing. Files of gigabytes are best erased from in a quiet hour.
//! * It needs room for two more copies of the file: one in SQLite's folder for temporary files, one in the log.
//! * It waits for writers, and at the end for readers, for at most `busy_timeout` each. If a wait ends or room is missing, it
//!   answers `STORE_INDETERMINATE`: file or log may still have the text. The same operation again goes on.
//!
//! It does not reach copies and backups, blocks that the file system got back when a file became shorter, and the disk's spare
//! blocks. Erase these by the means of the disk, such as an encrypted volume.
//!
//! # Limits
//!
//! SQLite sends no word of commits, so each read of the engine loads the head; a [`Listener`] asks for changes by other
//! processes as often as its host wants. One write at a time in the whole file: many canvases that are written all the time are
//! better in several files, or in a database server.

mod blobs;
mod clock;
mod collect;
mod error;
mod listener;
mod next_row;
mod open;
mod options;
mod row;
mod schema;
mod store;
mod transaction;

pub use clock::system_clock;
pub use listener::Listener;
pub use options::{Durability, Options};
pub use store::SqliteStore;

/// The example of the README, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
