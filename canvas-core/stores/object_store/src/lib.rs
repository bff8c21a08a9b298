//! A store in a bucket of an object store, for several servers, without a database.
//!
//! ```
//! use std::sync::Arc;
//!
//! use canvas_core::{Engine, Policy};
//! use canvas_store_object::ObjectCanvasStore;
//! # use canvas_core::lease::Timestamp;
//! use object_store::memory::InMemory;
//! use object_store::path::Path;
//!
//! # fn clock() -> Timestamp { Timestamp::from_millis(0) }
//! # async fn host() -> Result<(), Box<dyn std::error::Error>> {
//! // In production, use the client of S3, R2, GCS or Azure, which are features of the crate `object_store`.
//! let bucket = Arc::new(InMemory::new());
//! let store = ObjectCanvasStore::open(bucket, Path::from("canvases"), clock).await?;
//! let engine = Engine::new(store, Policy::default());
//! # Ok(())
//! # }
//! # canvas_core::testing::block_on(host()).unwrap();
//! ```
//!
//! # Guarantees
//!
//! * The head of a canvas is one object, and a conditional put of that object is the commit. The store puts the blobs
//!   first, so a reader that sees a head finds its blobs. A commit that loses may leave its blobs behind, which does no
//!   harm.
//! * The condition is `If-None-Match: *` for the first head, and `If-Match` with the ETag of the expected head for all
//!   others. On GCS it is the generation. The object begins with a number that increases by one. The same head therefore
//!   gets another ETag each time, even if ETags are hashes of the bytes.
//! * A conflict returns the current row, which takes one more request.
//! * `load` takes one request. A blob takes two (a list of its puts, and a read of the last one), and `blobs` takes two for
//!   each blob, 16 at a time. A commit takes one for each blob and one for the head. A page of a list usually takes one for
//!   each 1,000 canvases. `collect` lists the canvas's blobs, 1,000 per request, loads the head twice, asks the server for
//!   its time (two requests, on an object of its own) and deletes.
//! * An error before the head is sent is definite. After that, an error is indeterminate, because the client may have
//!   sent the put several times and reports only the last attempt. The exceptions are errors that the client detects
//!   before it sends anything.
//! * If a blob is put again, it is written again, under the number of the row that its commit creates. This heals a
//!   damaged blob, renews its age, and gives it a name that no earlier collection knows. A collection deletes only puts
//!   of commits up to its own row. A deletion that is late, or resent by the client, therefore never hits a blob that a
//!   later head needs. A blob's age counts from its last put, by the server's clock.
//! * The store does not claim `not_after`, because a bucket has no clock that could be read in the same step. Instead, it
//!   checks its own clock after putting the blobs, and does not send a head that is late by then.
//! * [`ObjectCanvasStore::open`] tests conditional puts on an object of its own, and refuses a server that does not honour
//!   them. It cannot detect a cache or a gateway that violates them only occasionally.
//!
//! # Servers
//!
//! A server must honour conditions on single puts, show the last write to every reader and in every list, and list keys in
//! byte order. S3 does so in general purpose buckets. Its directory buckets list in another order; the store refuses them
//! when it notices this (`STORE_UNFIT`). The local file system client of `object_store` has no conditional updates and is
//! refused (`STORE_UNFIT`). So is an S3 client whose `S3ConditionalPut` is `Disabled`. If a server answers a condition with
//! an error of its own, `open` returns that error. The tests use only servers in memory, with ETags that count, with ETags
//! that are hashes, and with generations. Before you rely on another server, run `canvas_store_testing::conformance` on it.
//!
//! # The client
//!
//! * Clients of `object_store` resend a request by themselves if the server returns an error or the connection breaks
//!   (`RetryConfig`, by default ten times in three minutes). This is harmless here. Both puts have the same condition,
//!   so at most one succeeds. If the first one did, the second returns a conflict with the commit's own row, in which
//!   the engine finds the receipt. With fewer retries, calls return sooner, and the engine settles the commits whose
//!   fate is unknown.
//! * Set a timeout, because a call waits for as long as its client does.
//! * The credentials need the rights to get, put and list. Without the right to delete, [`Store::collect`] fails, and each
//!   opening leaves an object of one byte under `probes/`.
//!
//! # Time
//!
//! Leases expire by the clock that the host passes in. If the clocks of several servers differ, leases may end early, but
//! this has no other effect.
//!
//! # The bucket
//!
//! ```text
//! canvases/heads/c4.head              the canvas "a": a line `canvas-row 1 17`, then the head as JSON
//! canvases/blobs/c4.blobs/<hash>      its blobs
//! canvases/probes/<random>            while a store is opened
//! ```
//!
//! Ids are encoded in base 32, with digits that keep the byte order, and with a slash after every 200 of them. A prefix may
//! have 120 bytes, so that the longest id fits into the 1,024 bytes of a key. Do not let anything else write under the
//! prefix. Do not let a bucket rule delete heads, because the numbers of a canvas must continue. A rule that deletes
//! *blobs* by age deletes blobs that heads still need; delete them by [`Store::collect`] instead.
//!
//! If the bucket keeps versions of objects, or retains deleted objects for a time, an erased text
//! ([`Engine::erase`](canvas_core::Engine::erase)) stays for as long as the bucket keeps them. Delete the noncurrent
//! versions under `canvases/heads/<id>.head` and `canvases/blobs/<id>.blobs/`, or let a bucket rule delete noncurrent
//! versions, which the store never reads. Versions of this crate before 0.2.0 used one name for all puts of a blob.
//! Such blobs can be read and collected, but upgrade all servers to this version before the first collection.
//!
//! # Backups
//!
//! You may restore a backup while servers run, object by object, with heads and blobs of the same moment. Also delete
//! the objects created since then. A version consists of the number and the ETag or generation, so a version from after
//! the backup matches no other state. If ETags are hashes, the same ETag means the same number and the same head, byte
//! for byte. Generations and counting ETags simply continue. The same versions are issued again only if the server's
//! own counter is reset with the data, for example in an emulator started from a snapshot. In that case stop the
//! engines first, or give the restored canvases another prefix. Do not run a collection during the restore.
//!
//! # Limits
//!
//! The store sends no notifications, so each read of the engine loads the head. Writers do not back off after a conflict,
//! so if many servers write one canvas, all of them retry at once. A server may allow few writes to one object; for
//! example, GCS allows about one per second. A missing bucket looks to readers like a bucket without canvases. A list reads
//! from the server until it has enough ids, and holds its result in memory.
//!
//! [`Store::collect`]: canvas_core::store::Store::collect

mod error;
mod key;
mod open;
mod row;
mod store;

pub use store::ObjectCanvasStore;

/// Compiles and runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
