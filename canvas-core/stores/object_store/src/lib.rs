//! A store in a bucket of an object store, for several servers and without a database.
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
//! // In production the client of S3, R2, GCS or Azure, which features of the crate `object_store` bring.
//! let bucket = Arc::new(InMemory::new());
//! let store = ObjectCanvasStore::open(bucket, Path::from("canvases"), clock).await?;
//! let engine = Engine::new(store, Policy::default());
//! # Ok(())
//! # }
//! # canvas_core::block_on(host()).unwrap();
//! ```
//!
//! # What it promises
//!
//! * The head of a canvas is one object, and the put of that object under a condition is the commit. The blobs are put
//!   before it, so whoever sees a head finds them. What a commit that lost has put may be left behind and does no harm.
//! * The condition is `If-None-Match: *` for the first head and `If-Match` with the ETag of the expected one for all
//!   others; on GCS it is the generation. The object begins with a number that goes up by one, so that the same head
//!   again has another ETag also where that is a hash of the bytes.
//! * A conflict carries the row as it is: one more request.
//! * `load` is one request, a blob two (a list of its puts, and the last of them), `blobs` two for each, 16 at a time, a
//!   commit one for each blob and one for the head, a page of a list one for each 1,000 canvases, as a rule. `collect` lists
//!   the canvas's blobs, 1,000 a request, loads the head twice, asks the server for its time (two requests, on an object of
//!   its own) and deletes.
//! * What fails before the head is sent is definite. From then on everything is indeterminate but what the client knows
//!   by itself: it may have sent the put before, and tells only of the last time.
//! * A blob that is put again is written again, under the number of the row that its commit is to make. That heals it, makes
//!   it new, and gives it a name that no earlier collection knows: one drops only what commits up to its own row have put,
//!   so a deletion that is late, or sent again by the client, never meets a blob that a later head needs. Its age is that of
//!   the last put, by the server's clock.
//! * `not_after` is not claimed: a bucket has no clock that could be asked in the same step. The store looks at its own
//!   once the blobs are there and sends no head that is late by then.
//! * [`ObjectCanvasStore::open`] tries the conditions on an object of its own, and refuses a server that does not keep
//!   to them. It cannot see a cache or a gateway that breaks them now and then.
//!
//! # Which servers
//!
//! They must keep to conditions on single puts, show each reader and each list what was written last, and list keys in the order of
//! their bytes. S3 does so in general purpose buckets. Its directory buckets list in another order, which the store
//! refuses where it sees it (`STORE_UNFIT`). The client of `object_store` for local files knows no updates
//! under conditions and is refused (`STORE_UNFIT`). So is one of S3 whose `S3ConditionalPut` is
//! `Disabled`. A server that answers a condition with an error of its own is refused with that error. The tests know only
//! servers in memory, with ETags that count, with ETags that are hashes, and with generations: before you rely on
//! another, run `canvas_store_testing::conformance` on it.
//!
//! # The client
//!
//! * Clients of `object_store` send a request again by themselves where the server answers with an error or the
//!   connection breaks (`RetryConfig`, ten times in three minutes by default). That is harmless here. Both puts have the
//!   same condition, so at most one is done; where it was the first, the second is answered as a conflict with the
//!   commit's own row, in which the engine finds the receipt. Fewer retries make answers come sooner; the engine settles
//!   what is in doubt.
//! * Set a timeout. A call waits for as long as its client does.
//! * The credentials need to get, put and list. Without the right to delete, [`Store::collect`] fails and each opening
//!   leaves an object of one byte under `probes/`.
//!
//! # Time
//!
//! Leases end by the clock that the host hands in. Where each server has its own and they differ, leases may end early,
//! and nothing else goes wrong.
//!
//! # The bucket
//!
//! ```text
//! canvases/heads/c4.head              the canvas "a": a line `canvas-row 1 17`, then the head as JSON
//! canvases/blobs/c4.blobs/<hash>      its blobs
//! canvases/probes/<random>            while a store is opened
//! ```
//!
//! Ids are spelt in base 32 with digits that keep the order of their bytes, a slash after every 200 of them; a prefix
//! may have 120 bytes, so that the longest id fits into the 1,024 bytes of a key. Let nothing else write under the
//! prefix, and no rule of the bucket remove heads: the numbers of a canvas must go on. A rule that removes *blobs* by age
//! removes what heads still need; drop them by [`Store::collect`]. If the bucket keeps versions of objects, or holds
//! what was deleted for a time, a text stays after [`Engine::erase`](canvas_core::Engine::erase) as long as these do: delete
//! the noncurrent versions under `canvases/heads/<id>.head` and `canvases/blobs/<id>.blobs/`, or let a rule of the bucket
//! remove noncurrent versions, which the store never reads. Blobs of before 0.2.0 have one name for all puts:
//! they are read and collected, but bring all servers to this version before the first collection.
//!
//! # Backups
//!
//! A backup may be put back under running servers, object by object, heads and blobs of the same moment: delete what
//! was made since. A version is the number and the ETag or generation, so one that was restored away matches no other
//! state: where an ETag is a hash, the same one means the same number and the same head, byte for byte; a generation or an
//! ETag that counts goes on. Only a server whose own count is set back with the data, as an emulator's that is started from
//! a snapshot, gives versions again: end the engines before, or give the restored canvases another prefix.
//! Let no collection run while a backup is put back.
//!
//! # Limits
//!
//! It tells nobody of changes, so each read of the engine loads the head. Nobody holds back after a conflict: of many
//! servers at one canvas all try at once. A server may allow few writes of one object: GCS about one a second. A bucket
//! that is gone looks to readers like one without canvases. A list reads from the server until it has enough, and holds
//! in memory what it gives.
//!
//! [`Store::collect`]: canvas_core::store::Store::collect

mod error;
mod key;
mod open;
mod row;
mod store;

pub use store::ObjectCanvasStore;

/// The example of the README, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
