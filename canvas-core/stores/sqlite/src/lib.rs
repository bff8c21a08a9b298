//! A store in an SQLite file, which is the default for an application that embeds the engine.
//!
//! ```
//! # canvas_core::testing::block_on(async {
//! use canvas_core::store::Blocking;
//! use canvas_core::{CanvasId, Engine, OpKey, Policy};
//! use canvas_store_sqlite::{SqliteStore, system_clock};
//!
//! # let folder = std::env::temp_dir().join(format!("canvas-store-sqlite-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # let file = folder.join("canvases.db");
//! // A host with an async runtime passes its threads for blocking work (`Blocking::with_spawn`).
//! let open = || SqliteStore::open(&file, system_clock).map(Blocking::new);
//! let engine = Engine::new(open()?, Policy::default());
//! let (plan, operation) = (CanvasId::new("plan")?, OpKey::host("create".parse()?));
//! engine.create(&plan, "# Plan\n", &operation, system_clock()).await?;
//!
//! // This process later, or another one at the same time, can open the same file.
//! let engine = Engine::new(open()?, Policy::default());
//! assert_eq!(engine.snapshot(&plan, system_clock()).await?.text(), "# Plan\n");
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```
//!
//! # Guarantees
//!
//! * A commit is one transaction that takes the write lock at its start (`BEGIN IMMEDIATE`). The store compares the row and
//!   reads the clock while nobody else can write. It enforces `not_after`.
//! * If a process is killed at any moment, each canvas is in its state before or after a commit, never between. A commit
//!   that returned `Done` is still there.
//! * A power loss cannot tear a commit either, but by default it may undo all commits after some recent point. With
//!   [`Durability::Power`] it never undoes an acknowledged commit, because each commit waits for the disk.
//! * Loads, blobs and lists use a connection of their own and never wait for a writer. Commits wait for each other.
//!   Commits of one store form a queue; a commit waits for other connections for at most
//!   [`SqliteOptions::busy_timeout`].
//! * An error is definite if it occurs before SQLite begins to commit, or if the disk is full (`STORE_FULL`), even in the
//!   middle of the COMMIT. In these cases no canvas changes, and the next commit works once there is room. Any other
//!   COMMIT that fails and leaves no transaction is indeterminate, because the log may contain it completely.
//! * After an error the next call works as soon as the cause is gone. The store closes a connection that may be unusable
//!   and opens a new one.
//!
//! # Cost
//!
//! A load, a blob and a page of a list take one transaction each; a read of many blobs takes one for each 1,000. A commit
//! is one transaction. It updates the row of the canvas in place and adds one row, a pack, with all of its small blobs (up
//! to 64 KiB each and 256 KiB together; more blobs take more packs, and a larger blob has a row of its own). An index maps
//! each blob to its pack, so reading a blob reads its whole pack, and reading many blobs reads each pack once. A commit of
//! a head of 44 KB and a document of 4 KB writes 87 KB, log and file together. Without packs it wrote 138 KB.
//!
//! With the default durability, a commit waits for the disk only when SQLite moves the log into the file, once per 16 MiB.
//! New files have pages of 4 KiB, and a commit writes each page that it touches to the log in full. Among page sizes of 2,
//! 4 and 8 KiB and logs of 4 and 16 MiB, these values performed best. [`Durability`] documents what each of its settings
//! survives.
//!
//! # Files
//!
//! `open` creates a missing file and takes over an empty one. It refuses a file that is not a database, that belongs to
//! another application, or that a later version of this library wrote, and does not change it. The store follows the
//! file rather than its name. If another file takes its place, each call fails with `STORE_MOVED` until the old file is
//! back, because the cached heads of an engine belong to the old one. Opening a file of an earlier format migrates it
//! in one transaction that rewrites no row. Its existing blobs stay in their tables and its pages keep their 8 KiB.
//! From then on, programs with an earlier version of this library refuse the file (`STORE_TOO_NEW`).
//!
//! Use the file from one or more processes on **one machine** and a **local disk**. The write-ahead log needs memory that
//! is shared between processes, and working locks. Network file systems have neither, and lose data silently. While
//! `canvases.db` is open, and after a crash, there are also `canvases.db-wal` and `canvases.db-shm` in its folder. The log
//! is part of the data, so move or delete all three files together.
//!
//! # Backups
//!
//! To back up the file while it is used, run `VACUUM INTO 'copy.db'` or SQLite's backup (`.backup` in its shell) on a
//! connection of your own. A copy of only the main file lacks the data that is still in the log. If SQLite moved the
//! log into the file during the copy, the copy is damaged. Each read from it then returns either complete data, from
//! one moment or another, or an error (`STORE_DAMAGED`, `CANVAS_DAMAGED`), because each row has a checksum and each
//! blob is named by its hash. Rows written in a format without checksums are checked from their next commit on. If you
//! change a head by hand, set its `sum` to null.
//!
//! SQLite's backup can also restore a copy into the same file (`.restore`) while stores have it open. The stores continue
//! from the copy, and so do engines with cached heads. A version consists of a counter and a number drawn at random for
//! each commit, such as `7-5577006791947779410`. A version from after the backup therefore never matches a later state, and
//! a caller that expects it gets a conflict with the current row. If the backup has an earlier format, calls fail with
//! `STORE_MOVED` until somebody opens the file again. To restore a backup by copying files, first stop every process that
//! uses the file, and remove `-wal` and `-shm`.
//!
//! # Collection
//!
//! A collection is one transaction. The space of deleted blobs is reused for later ones. Only a `VACUUM`, during which
//! nobody else can write, makes the file smaller. The age of a blob is measured by the clock that the store was opened
//! with. Blobs written in a format earlier than 3 count as old.
//!
//! A collection deletes each pack that has no blobs to keep. If more than half of a pack is dead, it rewrites the pack, so
//! that the remaining blobs share a new pack with blobs of other packs. After a collection, therefore, at most
//! half of each pack is dead. Reads no longer find the dead blobs, but their bytes stay until such a rewrite, or until a
//! collection without a minimum age, which rewrites every pack that contains dead blobs.
//!
//! Deleted or overwritten rows are filled with zeros (`PRAGMA secure_delete`). This writes each freed page once more, when
//! blobs are deleted or when a head gets much shorter. It removes most of a deleted text from the file, but not all of it.
//! When SQLite spreads rows over neighbouring pages, copies of them may stay in the gaps of these pages.
//!
//! # Erasure
//!
//! A collection without a minimum age, such as the one by [`Engine::erase`](canvas_core::Engine::erase), also rewrites
//! the file (`VACUUM`), moves the log into it and empties the log. After it returns, the deleted text is neither in the
//! file nor in the log, nor in any other file next to them. The same holds for text that any version of this library
//! deleted earlier, from any canvas.
//!
//! * It takes time in proportion to the size of the file, about 1 s for 100 MB, even for a small canvas. Meanwhile reads
//!   continue and commits wait. A commit that waits longer than its own [`SqliteOptions::busy_timeout`] fails with `STORE_BUSY`
//!   and writes nothing. If a file has gigabytes, erase in a quiet hour.
//! * It needs room for two more copies of the file, one in SQLite's folder for temporary files and one in the log.
//! * It waits for writers, and at the end for readers, for at most `busy_timeout` each. If a wait times out or there is
//!   not enough room, it returns `STORE_INDETERMINATE`, because the file or the log may still contain the text.
//!   Repeating the operation continues the work.
//!
//! Erasure cannot reach copies and backups, blocks that the file system got back when a file became shorter, or the
//! disk's spare blocks. Use the means of the disk for these, such as an encrypted volume.
//!
//! # Limits
//!
//! SQLite does not notify of commits, so each read of the engine loads the head. A [`Listener`] polls for changes by other
//! processes, as often as its host wants. Only one write at a time can run in the whole file. If many canvases are written
//! all the time, use several files or a database server.

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
pub use options::{Durability, SqliteOptions};
pub use store::SqliteStore;

/// Compiles and runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
